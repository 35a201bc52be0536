//! Where items stand in a short list.
//!
//! Each row leaves its number in a slot of its item's hash, whatever stood there. A row that finds another in its slot
//! afterwards has been displaced: only such a row can have an item that stands again further down. Nothing is compared
//! or cleared, and no row waits for another.

use crate::core::hash::Key;

/// Rows of the longest list.
const LONGEST: usize = 1 << 10;
/// A table from the items of one list to their rows, used again for every list.
#[derive(Default)]
pub struct ShortTable {
    /// The hashes of the items, row after row.
    hashes: Vec<u32>,
    /// The last row of each slot, as many as the longest list so far takes; anything where none leads.
    rows: Vec<u16>,
    /// How many bits of a hash are not the number of its slot.
    shift: u32,
    /// Rows that another row has displaced, in order, and beyond them anything.
    displaced: Vec<u16>,
    /// How many they are.
    count: usize,
}

impl ShortTable {
    /// Takes the items of the next list, unless they are too many, or too many of them displaced others.
    pub fn take<K: Key>(&mut self, items: &[K]) -> bool {
        if items.len() > LONGEST {
            return false;
        }
        K::short_hashes(items, &mut self.hashes);
        self.displaced.resize(items.len(), 0);
        let Self { hashes, rows, displaced, .. } = self;
        // Shorter lists take fewer slots: those stay in the nearest cache.
        (self.count, self.shift) = match items.len() {
            ..=32 => (place::<{ 1 << 10 }>(hashes, rows, displaced), 22),
            33..=256 => (place::<{ 1 << 13 }>(hashes, rows, displaced), 19),
            257.. => (place::<{ 1 << 15 }>(hashes, rows, displaced), 17),
        };
        self.count <= 8 + items.len() / 16
    }

    /// The rows that were displaced, among them each whose item stands again further down.
    pub fn displaced(&self) -> impl Iterator<Item = usize> + '_ {
        self.displaced[..self.count].iter().map(|&row| usize::from(row))
    }

    /// Whether an item stands twice, or what is as rare, two have one hash.
    pub fn may_repeat(&self) -> bool {
        self.displaced().any(|row| self.hashes[row + 1..].contains(&self.hashes[row]))
    }

    /// The hash of the item in a row.
    pub fn hash(&self, row: usize) -> u32 {
        self.hashes[row]
    }

    /// The row that has an item of this hash, unless it was displaced or there is none: then any row of the list.
    pub fn row(&self, hash: u32) -> usize {
        let row = self.rows[(hash >> self.shift) as usize];
        usize::from(row).min(self.hashes.len() - 1)
    }

    /// The row that has an item of this hash and `is` it, in a list that has rows.
    pub fn find(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        let row = self.row(hash);
        if is(row) { Some(row) } else { self.displaced().find(|&row| self.hashes[row] == hash && is(row)) }
    }
}

/// Puts each row where its hash leads, in one of so many slots, and those that are displaced at the begin of
/// `displaced`; gives their number.
fn place<const SLOTS: usize>(hashes: &[u32], rows: &mut Vec<u16>, displaced: &mut [u16]) -> usize {
    const { assert!(SLOTS.is_power_of_two()) };
    if rows.len() < SLOTS {
        rows.resize(SLOTS, 0);
    }
    let rows = rows.first_chunk_mut::<SLOTS>().expect("as many as were made");
    let slot = |hash: u32| (hash >> (u32::BITS - SLOTS.ilog2())) as usize;
    for (&hash, row) in hashes.iter().zip(0..) {
        rows[slot(hash)] = row;
    }
    let mut count = 0;
    for (&hash, row) in hashes.iter().zip(0..) {
        // Written in any case: without a branch there is none to mispredict.
        displaced[count] = row;
        count += usize::from(rows[slot(hash)] != row);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_whether_they_were_displaced_or_not() {
        let mut table = ShortTable::default();
        for length in [1, 10, 32, 33, 100, 257, 1024_i64] {
            let items: Vec<i64> = (0..length).map(|item| item * item * 977 - 40).collect();
            assert!(table.take(&items) && !table.may_repeat(), "{length}");
            for row in 0..items.len() {
                assert_eq!(table.find(table.hash(row), |at| items[at] == items[row]), Some(row));
            }
            assert_eq!(table.find(table.hash(0), |at| items[at] == -1), None);
        }
    }

    #[test]
    fn an_item_that_stands_twice_may_repeat() {
        let mut table = ShortTable::default();
        for length in [2, 40, 300, 1024_usize] {
            for (earlier, later) in [(0, 1), (0, length - 1), (length / 2, length - 1)] {
                let mut items: Vec<String> = (0..length).map(|item| format!("d{item}")).collect();
                items[later] = items[earlier].clone();
                let items: Vec<&[u8]> = items.iter().map(|item| item.as_bytes()).collect();
                assert!(earlier == later || !table.take(&items) || table.may_repeat());
            }
        }
    }

    #[test]
    fn items_that_are_too_many_or_lead_to_one_slot_are_not_taken() {
        let mut table = ShortTable::default();
        assert!(!table.take(&vec![0_i64; LONGEST + 1]));
        assert!(!table.take(&[5_i64; 100]));
        assert!(table.take(&[5_i64; 9]) && table.may_repeat());
    }
}
