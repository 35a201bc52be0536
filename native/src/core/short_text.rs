//! Texts of up to twelve bytes as numbers.
//!
//! Arrow's view of such a text is its length, its bytes, and zeros after them. As a number it is hashed and compared
//! with nothing looked at elsewhere in memory.

use std::cmp::Ordering;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait, StringViewArray};
use arrow_schema::DataType;

use crate::core::column::{Chunk, Column, Runs, prefetch};
use crate::core::error::Result;
use crate::core::hash::{Key, folded};
use crate::core::items::Items;
use crate::core::table::Table;
use crate::core::texts::are_runs;
use crate::core::wide::wide;

/// Bytes of the longest text.
const LONGEST: usize = 12;

/// For each length the bits that a view of such a text may have.
const BITS: [u128; LONGEST + 1] = {
    let mut bits = [u128::MAX; LONGEST + 1];
    let mut length = 0;
    while length < LONGEST {
        bits[length] = (1 << (32 + 8 * length)) - 1;
        length += 1;
    }
    bits
};

/// A text of up to twelve bytes: from the lowest bits on its length in 32 bits, its bytes, and zeros.
///
/// Beside other numbers it is to take no more room than a reference to a text, which is aligned so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, packed(8))]
pub struct ShortText(u128);

impl ShortText {
    /// Of a view, whatever stands behind its bytes.
    fn of(view: u128) -> Self {
        Self(view & bits(view))
    }

    /// Of views that have nothing but zeros behind their bytes.
    fn of_padded(views: &[u128]) -> Option<&[Self]> {
        if any_unpadded(views) {
            return None;
        }
        // SAFETY: this type has the size and the valid values of the number in it, and needs no more alignment; the
        // slice covers the same memory for as long, and both only read it.
        Some(unsafe { std::slice::from_raw_parts(views.as_ptr().cast(), views.len()) })
    }

    /// Of some bytes among others, at most twelve.
    #[inline(always)]
    fn within(bytes: &[u8], text: Range<usize>) -> Self {
        let length = text.len() as u128;
        // What follows in memory is read, too, which is one step where a length that differs from text to text is not.
        let found = match bytes[text.start..].first_chunk() {
            Some(found) => u128::from_le_bytes(*found),
            None => {
                let mut padded = [0; 16];
                padded[..text.len()].copy_from_slice(&bytes[text]);
                u128::from_le_bytes(padded)
            }
        };
        Self::of(found << 32 | length)
    }

    fn length(self) -> usize {
        (self.0 as u32 as usize).min(LONGEST)
    }

    /// What is done with its bytes.
    fn with_bytes<T>(self, work: impl FnOnce(&[u8]) -> T) -> T {
        work(&(self.0 >> 32).to_le_bytes()[..self.length()])
    }
}

/// The bits that a view may have.
#[inline(always)]
fn bits(view: u128) -> u128 {
    BITS[(view as u32 as usize).min(LONGEST)]
}

/// Whether some view has more behind its bytes than zeros.
fn any_unpadded(views: &[u128]) -> bool {
    // SAFETY: two numbers of 64 bits have the size of one of 128, take any bits, and need no more alignment; the slice
    // covers the same memory for as long, and both only read it.
    any_unpadded_halves(unsafe { std::slice::from_raw_parts(views.as_ptr().cast(), views.len()) })
}

wide! {
    /// The same of their halves, which processors can look at several at a time.
    fn any_unpadded_halves(views: &[[u64; 2]]) -> bool = any_unpadded_halves_any
}

#[inline(always)]
fn any_unpadded_halves_any(views: &[[u64; 2]]) -> bool {
    let mut others = 0;
    for &[first, second] in views {
        let (low, high) = if cfg!(target_endian = "little") { (first, second) } else { (second, first) };
        // Without an early end, nothing waits for a comparison.
        let bits = 32 + 8 * (low & u64::from(u32::MAX));
        others |= low & !below(bits) | high & !below(bits.max(64) - 64);
    }
    others != 0
}

/// The lowest bits, so many; all where there are no more.
#[inline(always)]
fn below(bits: u64) -> u64 {
    if bits < 64 { (1 << bits) - 1 } else { u64::MAX }
}

impl PartialOrd for ShortText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ShortText {
    /// The order of their bytes.
    fn cmp(&self, other: &Self) -> Ordering {
        StringViewArray::inline_key_fast(self.0).cmp(&StringViewArray::inline_key_fast(other.0))
    }
}

impl Key for ShortText {
    #[inline(always)]
    fn hash(self) -> u64 {
        folded(self.0 as u64, (self.0 >> 64) as u64)
    }

    fn short_hashes(keys: &[Self], hashes: &mut Vec<u32>) {
        hashes.clear();
        hashes.extend(keys.iter().map(|key| (key.hash() >> 32) as u32));
    }

    #[inline(always)]
    fn differs_from_any(self, others: &[Self]) -> bool {
        let mut bits = 0;
        for other in others {
            bits |= self.0 ^ other.0;
        }
        bits != 0
    }

    fn above(self, _least: Self) -> Option<u64> {
        None
    }

    fn unsigned_cmp(self, other: Self) -> Ordering {
        self.cmp(&other)
    }

    fn counted_cmp(self, other: Self) -> Ordering {
        self.length().cmp(&other.length()).then_with(|| self.cmp(&other))
    }

    fn stable_hash(self, seed: u64) -> u64 {
        self.with_bytes(|text| text.stable_hash(seed))
    }

    fn hash_in_items(self) -> u64 {
        self.with_bytes(|text| text.hash_in_items())
    }

    fn number_in(self, hash: u64, items: &Items) -> Option<u32> {
        self.with_bytes(|text| text.number_in(hash, items))
    }

    fn added_to(self, hash: u64, items: &mut Items) -> u32 {
        self.with_bytes(|text| text.added_to(hash, items))
    }
}

/// Views of short texts.
struct Views<'a>(&'a [u128]);

impl Chunk<ShortText> for Views<'_> {
    fn value(&self, row: usize) -> ShortText {
        ShortText::of(self.0[row])
    }

    fn slice(&self, rows: Range<usize>) -> Option<&[ShortText]> {
        ShortText::of_padded(&self.0[rows])
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<ShortText>) {
        match self.slice(rows.clone()) {
            Some(padded) => out.extend_from_slice(padded),
            None => out.extend(rows.map(|row| self.value(row))),
        }
    }

    fn prefetch(&self, rows: Range<usize>) {
        prefetch(&self.0[rows]);
    }
}

/// Short texts that lie one after another.
struct Packed<'a, O: OffsetSizeTrait>(&'a GenericStringArray<O>);

impl<O: OffsetSizeTrait> Chunk<ShortText> for Packed<'_, O> {
    fn value(&self, row: usize) -> ShortText {
        let borders = self.0.value_offsets();
        ShortText::within(self.0.value_data(), borders[row].as_usize()..borders[row + 1].as_usize())
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<ShortText>) {
        let (bytes, borders) = (self.0.value_data(), &self.0.value_offsets()[rows.start..=rows.end]);
        let texts = borders.windows(2).map(|text| text[0].as_usize()..text[1].as_usize());
        out.extend(texts.map(|text| ShortText::within(bytes, text)));
    }
}

/// A column of texts without nulls, if all of these are short, and not codes of a dictionary.
pub fn short_texts<'a>(table: &'a Table, name: &str) -> Result<Option<Column<'a, ShortText>>> {
    let mut columns = table.batches.iter().map(|batch| batch.column_by_name(name));
    if !columns.all(|column| column.is_some_and(|column| are_short(column.as_ref()))) {
        return Ok(None);
    }
    Column::new(table, name, |array| {
        Ok(match array.data_type() {
            DataType::Utf8 => Box::new(Packed(array.as_string::<i32>())),
            DataType::LargeUtf8 => Box::new(Packed(array.as_string::<i64>())),
            DataType::Utf8View => Box::new(Views(array.as_string_view().views())),
            _ => Box::new(Runs::new(array, |text| ShortText::within(text, 0..text.len()))),
        })
    })
    .map(Some)
}

/// Whether no text is longer than what is told of it.
fn are_short(array: &dyn Array) -> bool {
    fn packed<O: OffsetSizeTrait>(texts: &GenericStringArray<O>) -> bool {
        /// Lengths that are compared with no early end, several at a time.
        const COMPARED: usize = 1 << 10;
        let (longest, borders) = (O::usize_as(LONGEST), texts.value_offsets());
        let mut texts = borders.chunks(COMPARED).zip(borders[1..].chunks(COMPARED));
        texts.all(|(starts, ends)| {
            !starts.iter().zip(ends).fold(false, |any, (&a, &b)| any | (b - a > longest))
        })
    }
    match array.data_type() {
        DataType::Utf8 => packed(array.as_string::<i32>()),
        DataType::LargeUtf8 => packed(array.as_string::<i64>()),
        DataType::Utf8View => {
            let texts = array.as_string_view();
            texts.data_buffers().is_empty() || texts.lengths().all(|length| length as usize <= LONGEST)
        }
        runs if are_runs(runs) => are_short(array.as_run::<Int32Type>().values()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, StringArray};

    use super::*;
    use crate::core::texts;

    const TEXTS: [&str; 12] = [
        "",
        "\0",
        "\0\0",
        "a",
        "a\0",
        "a\0b",
        "ab",
        "b",
        "é",
        "q123456789ab",
        "q12345678\0ab",
        "zzzzzzzzzzzz",
    ];

    fn short(text: &str) -> ShortText {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        view[4..4 + text.len()].copy_from_slice(text.as_bytes());
        ShortText::of(u128::from_le_bytes(view))
    }

    #[test]
    fn short_texts_have_the_order_and_the_stable_hash_of_their_bytes() {
        for a in TEXTS {
            for b in TEXTS {
                assert_eq!(short(a).cmp(&short(b)), a.as_bytes().cmp(b.as_bytes()), "{a:?} {b:?}");
                assert_eq!(short(a) == short(b), a == b, "{a:?} {b:?}");
            }
            assert_eq!(short(a).stable_hash(7), a.as_bytes().stable_hash(7), "{a:?}");
        }
    }

    #[test]
    fn what_stands_behind_a_text_does_not_count() {
        let mut views: Vec<u128> = TEXTS.iter().map(|text| short(text).0).collect();
        assert_eq!(ShortText::of_padded(&views).map(<[_]>::len), Some(TEXTS.len()));
        views[3] |= 1 << 90;
        assert_eq!(ShortText::of_padded(&views), None);
        assert_eq!(ShortText::of(views[3]), short("a"));
        let lengths = (0..=LONGEST as u128).chain([13, u128::from(u32::MAX)]);
        for (length, bit) in lengths.flat_map(|length| (32..128).map(move |bit| (length, bit))) {
            let view = length | 1 << bit;
            assert_eq!(any_unpadded(&[view]), view & !bits(view) != 0, "bit {bit} of {length}");
        }
    }

    #[test]
    fn similar_texts_have_different_hashes() {
        let mut hashes: Vec<u32> = Vec::new();
        let texts: Vec<ShortText> = (0..10_000).map(|id| short(&format!("d{id}"))).collect();
        ShortText::short_hashes(&texts, &mut hashes);
        hashes.sort_unstable();
        hashes.dedup();
        assert!(hashes.len() > texts.len() - 5);
    }

    #[test]
    fn short_texts_are_the_same_however_they_are_laid_out() {
        let all: Vec<&str> = TEXTS.iter().flat_map(|&text| [text, text, text]).collect();
        let with = |last: &'static str| {
            let each = || all.iter().copied().chain([last]);
            let mut runs = texts::Runs::new();
            each().for_each(|text| runs.push(Some(text.as_bytes())));
            let layouts: [ArrayRef; 4] = [
                Arc::new(StringArray::from_iter_values(each())),
                Arc::new(LargeStringArray::from_iter_values(each())),
                Arc::new(StringViewArray::from_iter_values(each())),
                Arc::new(runs.finish().unwrap()),
            ];
            layouts.map(|column| {
                let batch = RecordBatch::try_from_iter([("id", column.slice(1, all.len()))]).unwrap();
                Table { schema: batch.schema(), batches: vec![batch] }
            })
        };
        for table in with("last") {
            let expected: Vec<ShortText> = all[1..].iter().chain(&["last"]).map(|text| short(text)).collect();
            let column = short_texts(&table, "id").unwrap().unwrap();
            let mut read = Vec::new();
            column.read(0..expected.len(), &mut read);
            assert_eq!(read, expected);
            assert_eq!((0..read.len()).map(|row| column.value(row)).collect::<Vec<_>>(), expected);
        }
        for table in with("thirteen long") {
            assert!(short_texts(&table, "id").unwrap().is_none());
        }
    }
}
