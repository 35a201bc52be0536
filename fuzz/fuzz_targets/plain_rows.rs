//! Plain rows of CSV and TSV: every field of every line, as splitting the text finds it.
#![no_main]

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use libfuzzer_sys::fuzz_target;
use rankmark_fuzz::core::files::plain_rows::{Plan, read};
use rankmark_fuzz::rows;

fuzz_target!(|data: &[u8]| {
    let [shape, text @ ..] = data else { return };
    let separator = if shape & 1 == 0 { b',' } else { b'\t' };
    let fields = 1 + usize::from(shape >> 1) % 4;
    let columns: Vec<_> = (0..fields).map(|at| (at.to_string(), at, shape >> (3 + at) & 1 == 1)).collect();
    let Some(table) = read(text, &Plan { columns: columns.clone(), fields, separator }) else { return };
    let found = rows(&table);
    let ended = text.strip_suffix(b"\n").unwrap_or(text);
    let lines: Vec<_> = if text.is_empty() { Vec::new() } else { ended.split(|&byte| byte == b'\n').collect() };
    assert_eq!(found.num_rows(), lines.len());
    for (row, line) in lines.into_iter().enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        for ((_, at, is_number), field) in columns.iter().zip(line.split(|&byte| byte == separator)) {
            let (column, field) = (found.column(*at), std::str::from_utf8(field).expect("it was read"));
            if *is_number {
                assert_eq!(Ok(column.as_primitive::<Float64Type>().value(row)), field.parse());
            } else if field.is_empty() {
                assert!(column.is_null(row));
            } else {
                assert_eq!(column.as_string::<i32>().value(row), field);
            }
        }
    }
});
