//! TREC text as trec_eval reads it: any bytes are ids, and none of a row's is lost.
#![no_main]

use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use rankmark_fuzz::core::files::text_reader::of_bytes;
use rankmark_fuzz::core::files::trec_reader::{Side, read_as_trec_eval};
use rankmark_fuzz::rows;

fuzz_target!(|data: &[u8]| {
    let [first, text @ ..] = data else { return };
    let side = if first & 1 == 0 { Side::Qrels } else { Side::Run };
    let Ok(mut content) = of_bytes("fuzzed", text.to_vec()) else { return };
    content.limit = 1 << 24;
    let found = read_as_trec_eval("fuzzed", content, side, &AtomicBool::new(false));
    if let Ok(found) = found {
        let rows = rows(&found.table);
        assert_eq!(rows.num_rows(), found.table.num_rows());
        assert!(side == Side::Run || found.tag.is_none());
        assert!(rows.columns().iter().all(|column| column.null_count() == 0));
    }
});
