//! TREC text: in blocks of any size the same rows, or the same refusal.
#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use rankmark_fuzz::core::error::{Class, Result};
use rankmark_fuzz::core::files::trec_reader::{Side, TrecReader, read};
use rankmark_fuzz::core::table::Table;
use rankmark_fuzz::{Content, rows};

fuzz_target!(|data: &[u8]| {
    let [first, text @ ..] = data else { return };
    let side = if first & 1 == 0 { Side::Qrels } else { Side::Run };
    let file = Content::new(text);
    let whole = read(file.path(), side, 1 << 24, Arc::default(), &AtomicBool::new(false));
    match (whole, in_blocks(file.path(), side, 1 + usize::from(first >> 1))) {
        (Ok(whole), Ok(blocks)) => assert_eq!(rows(&whole), rows(&blocks)),
        // Of several mistakes, which are in one block, another may be the first that is noticed.
        (Err(whole), Err(blocks)) => assert_eq!(whole.class, blocks.class),
        // Blocks have no limit.
        (Err(whole), Ok(_)) if whole.class == Class::TooLarge => {}
        (whole, blocks) => panic!("{whole:?} as a whole, {blocks:?} in blocks"),
    }
});

fn in_blocks(path: &str, side: Side, size: usize) -> Result<Table> {
    let (mut reader, goes_on) = (TrecReader::open(path, side, Arc::default(), size)?, AtomicBool::new(false));
    let mut found: Option<Table> = None;
    while let Some(block) = reader.next(&goes_on)? {
        match &mut found {
            Some(table) => table.batches.extend(block.batches),
            None => found = Some(block),
        }
    }
    Ok(found.expect("a file without rows is refused"))
}
