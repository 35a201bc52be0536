//! Files that may be gzip or zstd: the same bytes in any pieces, never more than the limit, or a refusal.
#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use rankmark_fuzz::Content;
use rankmark_fuzz::core::error::Result;
use rankmark_fuzz::core::files::text_reader::{decompress, expanded_size, open};

const LIMIT: u64 = 1 << 22;

fuzz_target!(|data: &[u8]| {
    let [first, content @ ..] = data else { return };
    let file = Content::new(content);
    let goes_on = AtomicBool::new(false);
    let whole = decompress(file.path(), LIMIT, &goes_on);
    let pieces = in_pieces(file.path(), 1 + u64::from(*first));
    match (whole, pieces) {
        (Ok(None), Ok(pieces)) => assert_eq!(pieces, content),
        (Ok(Some(whole)), Ok(pieces)) => assert_eq!(whole.concat(), pieces),
        (Err(_), Err(_)) => {}
        (whole, pieces) => panic!("{whole:?} as a whole, {pieces:?} in pieces"),
    }
    let _ = expanded_size(file.path());
});

fn in_pieces(path: &str, size: u64) -> Result<Vec<u8>> {
    let mut reader = open(path, Arc::default())?;
    reader.limit = LIMIT;
    let mut found = Vec::new();
    // Small pieces of a long text take their time, and show no more.
    while reader.read_up_to(if found.len() < 1 << 12 { size } else { 1 << 16 }, &mut found, &AtomicBool::new(false))? > 0 {}
    Ok(found)
}
