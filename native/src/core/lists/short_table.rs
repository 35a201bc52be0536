//! Where items stand in a short list.
//!
//! Each row leaves its number in a slot of its item's hash, in the place of what stood there. Where that was a row of
//! the same list, it has been displaced: only such a row can have an item that stands again further down. Nothing is
//! compared or cleared, and no row waits for another.

use crate::core::hash::Key;

/// Rows of the longest list.
const LONGEST: usize = 12_000;
/// Displaced rows that there is room for.
const DISPLACED: usize = 1 << 10;
/// Displaced rows up to which each is compared with all others.
const FEW: usize = 16;
/// Bits of the numbers of the places where more are looked up.
const PLACES: u32 = 11;
/// In a place that is free.
const FREE: u16 = u16::MAX;

/// A table from the items of one list to their rows, used again for every list.
pub struct ShortTable {
    /// The hashes of the items, row after row.
    hashes: Vec<u32>,
    /// The last row of each slot, counted on from `base`; what is below that was left by an earlier list. As many
    /// slots as the longest list so far takes.
    rows: Vec<u16>,
    base: u16,
    /// How many bits of a hash are not the number of its slot.
    shift: u32,
    /// Rows that another row has displaced, and beyond them anything.
    displaced: Box<[u16; DISPLACED]>,
    /// How many they are.
    count: usize,
    /// Where these are many: each by its hash, in the first free place from where it leads.
    places: Box<[u16; 1 << PLACES]>,
}

impl Default for ShortTable {
    fn default() -> Self {
        Self {
            hashes: Vec::new(),
            rows: Vec::new(),
            base: 1,
            shift: 0,
            displaced: Box::new([0; DISPLACED]),
            count: 0,
            places: Box::new([FREE; 1 << PLACES]),
        }
    }
}

impl ShortTable {
    /// Takes the items of the next list, unless they are too many, or too many of them displaced others.
    pub fn take<K: Key>(&mut self, items: &[K]) -> bool {
        if items.len() > LONGEST {
            return false;
        }
        self.pass_over(self.hashes.len(), items.len());
        K::short_hashes(items, &mut self.hashes);
        let Self { hashes, rows, base, displaced, .. } = self;
        // Shorter lists take fewer slots: those stay in the nearest cache.
        (self.count, self.shift) = match items.len() {
            ..=32 => (place::<{ 1 << 10 }>(hashes, rows, *base, displaced), 22),
            33..=256 => (place::<{ 1 << 13 }>(hashes, rows, *base, displaced), 19),
            257..=1024 => (place::<{ 1 << 15 }>(hashes, rows, *base, displaced), 17),
            1025.. => (place::<{ 1 << 17 }>(hashes, rows, *base, displaced), 15),
        };
        self.count <= 8 + items.len() / 16
    }

    /// Puts the base beyond so many rows of the list before, with room for those of the next.
    fn pass_over(&mut self, before: usize, next: usize) {
        let base = usize::from(self.base) + before;
        self.base = if base + next <= usize::from(u16::MAX) {
            base as u16
        } else {
            self.rows.fill(0);
            1
        };
    }

    /// The rows that were displaced, among them each whose item stands again further down.
    pub fn displaced(&self) -> impl Iterator<Item = usize> + '_ {
        self.displaced[..self.count].iter().map(|&row| usize::from(row))
    }

    /// Whether an item stands twice, or what is as rare, two have one hash.
    pub fn may_repeat(&mut self) -> bool {
        if self.are_many_displaced() {
            return !self.index_displaced();
        }
        self.displaced().enumerate().any(|(number, row)| self.may_repeat_in(number, row))
    }

    /// Whether so many were displaced that they are to be looked up.
    pub fn are_many_displaced(&self) -> bool {
        self.count > FEW
    }

    /// Has the displaced rows looked up from now on; false where an item may stand twice.
    pub fn index_displaced(&mut self) -> bool {
        self.places.fill(FREE);
        for &row in &self.displaced[..self.count] {
            let hash = self.hashes[usize::from(row)];
            let (at, found) = self.probe(hash, |_| true);
            if found.is_some() || self.hashes[self.row(hash)] == hash {
                return false;
            }
            self.places[at] = row;
        }
        true
    }

    /// The displaced row that has an item of this hash and `is` it, once they can be looked up.
    pub fn find_displaced(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.probe(hash, is).1
    }

    /// The same, or else the free place where it would be. More places than rows are taken, so there is one.
    fn probe(&self, hash: u32, is: impl Fn(usize) -> bool) -> (usize, Option<usize>) {
        // Those that were displaced share the upper bits with others, so they are mixed again.
        let mut at = (hash.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PLACES)) as usize;
        loop {
            match self.places[at] {
                FREE => return (at, None),
                row if self.hashes[usize::from(row)] == hash && is(row.into()) => {
                    return (at, Some(row.into()));
                }
                _ => at = (at + 1) % (1 << PLACES),
            }
        }
    }

    /// Whether that is so of the row that was displaced after so many others and one of these or one that was not.
    pub fn may_repeat_in(&self, number: usize, row: usize) -> bool {
        let hash = self.hashes[row];
        let mut others = self.displaced().take(number).chain([self.row(hash)]);
        others.any(|other| self.hashes[other] == hash)
    }

    /// The hashes of the items, row after row.
    pub fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The hash of the item in a row.
    pub fn hash(&self, row: usize) -> u32 {
        self.hashes[row]
    }

    /// The row that has an item of this hash, unless it was displaced or there is none: then any row of the list.
    pub fn row(&self, hash: u32) -> usize {
        self.row_of()(hash)
    }

    /// The same of many hashes.
    pub fn row_of(&self) -> impl Fn(u32) -> usize + '_ {
        let (rows, base, shift, last) = (self.rows.as_slice(), self.base, self.shift, self.hashes.len() - 1);
        move |hash| usize::from(rows[(hash >> shift) as usize].wrapping_sub(base)).min(last)
    }

    /// The row that has an item of this hash and `is` it, in a list that has rows.
    pub fn find(&self, hash: u32, is: impl Fn(usize) -> bool) -> Option<usize> {
        let row = self.row(hash);
        if is(row) { Some(row) } else { self.displaced().find(|&row| self.hashes[row] == hash && is(row)) }
    }
}

/// Puts each row, counted on from `base`, where its hash leads, in one of so many slots, and those that are displaced
/// at the begin of `displaced`; gives their number.
fn place<const SLOTS: usize>(
    hashes: &[u32],
    rows: &mut Vec<u16>,
    base: u16,
    displaced: &mut [u16; DISPLACED],
) -> usize {
    const { assert!(SLOTS.is_power_of_two()) };
    if rows.len() < SLOTS {
        rows.resize(SLOTS, 0);
    }
    let rows = rows.first_chunk_mut::<SLOTS>().expect("as many as were made");
    let slot = |hash: u32| (hash >> (u32::BITS - SLOTS.ilog2())) as usize;
    let mut count = 0;
    let mut put = |hash: u32, row: u16| {
        let before = std::mem::replace(&mut rows[slot(hash)], row);
        if before >= base {
            displaced[count % DISPLACED] = before - base;
            count += 1;
        }
    };
    let (whole, rest) = hashes.as_chunks::<8>();
    let mut row = base;
    for some in whole {
        for &hash in some {
            put(hash, row);
            row += 1;
        }
    }
    rest.iter().zip(row..).for_each(|(&hash, row)| put(hash, row));
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_whether_they_were_displaced_or_not() {
        let mut table = ShortTable::default();
        for length in [1, 10, 32, 33, 100, 257, 1024, 1025, 4_000, 11_000_i64] {
            let items: Vec<i64> = (0..length).map(|item| item * item * 977 - 40).collect();
            assert!(table.take(&items) && !table.may_repeat(), "{length}");
            for row in 0..items.len() {
                assert_eq!(table.find(table.hash(row), |at| items[at] == items[row]), Some(row));
            }
            assert_eq!(table.find(table.hash(0), |at| items[at] == -1), None);
            assert!(table.index_displaced());
            for row in table.displaced().collect::<Vec<_>>() {
                assert_eq!(table.find_displaced(table.hash(row), |at| items[at] == items[row]), Some(row));
            }
        }
    }

    #[test]
    fn an_item_that_stands_twice_may_repeat() {
        let mut table = ShortTable::default();
        for length in [2, 40, 300, 1024, 9_000_usize] {
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
