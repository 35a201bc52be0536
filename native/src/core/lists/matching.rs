//! Which items of a list are judged, and which items stand twice.
//!
//! Most items of a list are neither. In a short list each judged item is looked for where it would stand; in a long
//! one a filter of single bits passes over most items without a branch that could be mispredicted, and only the few it
//! lets through are looked up.

use crate::core::hash::Key;
use crate::core::lists::short_table::ShortTable;

/// A judged item in a list: its position among the rows, and its number among the judgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its position among the rows.
    pub position: u32,
    /// Its number among the judgements.
    pub judgement: u32,
}

/// Two rows of a query with the same item: positions among the rows of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The row seen first.
    pub earlier: usize,
    /// The row that repeats its item.
    pub later: usize,
}

/// Repeated items: how many, and the first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// How many rows repeat an item.
    pub count: usize,
    /// The first of them.
    pub first: Option<Repeated>,
}

impl Repeats {
    fn add(&mut self, earlier: usize, later: usize) {
        self.count += 1;
        self.first = self.first.or(Some(Repeated { earlier, later }));
    }
}

/// Finds the judged items of one list after the other; the working memory of one thread.
#[derive(Default)]
pub struct Matcher {
    judged: ShortTable,
    /// Whether the judged items of the list are in the short table, and whether in the slots.
    is_short: bool,
    is_slotted: bool,
    results: ShortTable,
    /// For each row of a short list a bit whether its item is judged, and for those that are the judgement.
    marks: Vec<u128>,
    judgement_at: Vec<u16>,
    slots: Slots,
    filter: Filter,
    /// Rows that the filter lets through, and beyond them anything.
    passed: Vec<u32>,
    /// Of these, the rows of items that are not judged, or have been found before.
    doubtful: Vec<u32>,
    /// For each judgement whether its item has been found.
    seen: Vec<bool>,
    /// The judged items of the list, in the order of its rows.
    pub found: Vec<Found>,
}

/// Rows of a short list that are marked in one number.
const MARKS: usize = u128::BITS as usize;

impl Matcher {
    /// Takes the judged items of the next list; gives those judged twice.
    pub fn take_judged<K: Key>(&mut self, judged: &[K]) -> Repeats {
        self.is_slotted = false;
        self.is_short = self.judged.take(judged);
        if self.is_short && !self.judged.may_repeat() { Repeats::default() } else { self.slot_judged(judged) }
    }

    /// Finds the judged items, which must be distinct, among `items`, and gives the items that stand there twice.
    pub fn find<K: Key>(&mut self, judged: &[K], items: &[K]) -> Repeats {
        self.found.clear();
        // So it is in tables of labelled lists, where each row has a label and a score.
        if judged == items {
            self.found.extend((0..items.len() as u32).map(|row| Found { position: row, judgement: row }));
            return Repeats::default();
        }
        if self.is_short && self.results.take(items) && self.find_short(judged, items) {
            return Repeats::default();
        }
        self.find_long(judged, items)
    }

    /// Finds the judged items in a short list; false, and none, where an item may stand there twice.
    fn find_short<K: Key>(&mut self, judged: &[K], items: &[K]) -> bool {
        if judged.is_empty() || items.is_empty() {
            return !self.results.may_repeat();
        }
        if items.len() <= MARKS {
            // In registers, where none of them waits for what memory was told of another.
            let mut marks = 0_u128;
            let distinct = self.look_up(judged, items, |row, is_here| marks |= u128::from(is_here) << row);
            if distinct {
                self.take_marked(marks, 0);
            }
            return distinct;
        }
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        marks.resize(items.len().div_ceil(MARKS), 0);
        let mark = |row: usize, is_here| marks[row / MARKS] |= u128::from(is_here) << (row % MARKS);
        let distinct = self.look_up(judged, items, mark);
        if distinct {
            marks.iter().zip((0..).step_by(MARKS)).for_each(|(&marks, first)| self.take_marked(marks, first));
        }
        self.marks = marks;
        distinct
    }

    /// Tells `mark` rows of a short list and whether each has a judged item, those that have one once at least, and
    /// keeps which; false where an item may stand there twice.
    #[inline(always)]
    fn look_up<K: Key>(&mut self, judged: &[K], items: &[K], mut mark: impl FnMut(usize, bool)) -> bool {
        let Self { judged: own, results, judgement_at, .. } = self;
        // One more, for what is written of judgements that are not found: that takes no branch.
        judgement_at.resize(items.len() + 1, 0);
        let judgement_at = judgement_at.as_mut_slice();
        {
            let row_of = results.row_of();
            for ((&item, &hash), number) in judged.iter().zip(own.hashes()).zip(0..) {
                let row = row_of(hash);
                let is_here = items[row] == item;
                mark(row, is_here);
                judgement_at[if is_here { row } else { items.len() }] = number;
            }
        }
        if results.are_many_displaced() {
            if !results.index_displaced() {
                return false;
            }
            for ((&item, &hash), number) in judged.iter().zip(own.hashes()).zip(0..) {
                if let Some(row) = results.find_displaced(hash, |row| items[row] == item) {
                    mark(row, true);
                    judgement_at[row] = number;
                }
            }
            return true;
        }
        for (place, row) in results.displaced().enumerate() {
            if results.may_repeat_in(place, row) {
                return false;
            }
            if let Some(number) = own.find(results.hash(row), |number| judged[number] == items[row]) {
                mark(row, true);
                judgement_at[row] = number as u16;
            }
        }
        true
    }

    /// Takes the rows, from `first` on, that are marked as those of judged items.
    fn take_marked(&mut self, mut marks: u128, first: u32) {
        // In one loop for all of them, whose end is told where lists have as many, wherever these stand.
        while marks != 0 {
            let position = first + marks.trailing_zeros();
            let judgement = self.judgement_at[position as usize].into();
            self.found.push(Found { position, judgement });
            marks &= marks - 1;
        }
    }

    /// Puts the judged items into the slots; gives those judged twice.
    fn slot_judged<K: Key>(&mut self, judged: &[K]) -> Repeats {
        self.is_slotted = true;
        self.slots.clear(judged.len());
        let mut repeats = Repeats::default();
        for (row, &item) in judged.iter().enumerate() {
            if let Some(earlier) = self.slots.find_or_insert(item, row, |number| judged[number]) {
                repeats.add(earlier, row);
            }
        }
        repeats
    }

    /// Finds the judged items, and the repeats, in a list of any length.
    fn find_long<K: Key>(&mut self, judged: &[K], items: &[K]) -> Repeats {
        if !self.is_slotted {
            self.slot_judged(judged);
        }
        self.filter.clear(judged.len() + items.len());
        judged.iter().for_each(|item| self.filter.mark(item.hash()));
        // A row marks its item too, so a later row with the same item passes as well.
        let passed = self.filter.pass::<_, true>(items, &mut self.passed);
        self.doubtful.clear();
        self.seen.clear();
        self.seen.resize(judged.len(), false);
        for &row in passed {
            let judgement = self.slots.find(items[row as usize], |number| judged[number]);
            match judgement.filter(|&judgement| !std::mem::replace(&mut self.seen[judgement], true)) {
                Some(judgement) => self.found.push(Found { position: row, judgement: judgement as u32 }),
                None => self.doubtful.push(row),
            }
        }
        if self.doubtful.is_empty() { Repeats::default() } else { self.repeats(items) }
    }

    /// The repeats, if each row that repeats an item is doubtful.
    fn repeats<K: Key>(&mut self, items: &[K]) -> Repeats {
        self.is_slotted = false;
        self.filter.clear(self.doubtful.len());
        self.doubtful.iter().for_each(|&row| self.filter.mark(items[row as usize].hash()));
        let passed = self.filter.pass::<_, false>(items, &mut self.passed);
        self.slots.clear(passed.len());
        let mut repeats = Repeats::default();
        for (number, &row) in passed.iter().enumerate() {
            let item = |number: usize| items[passed[number] as usize];
            if let Some(earlier) = self.slots.find_or_insert(item(number), number, item) {
                repeats.add(passed[earlier] as usize, row as usize);
            }
        }
        repeats
    }

    /// The rows that are left with one row an item: the first, or one that is `better` than it.
    pub fn distinct<K: Key>(&mut self, items: &[K], better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        self.is_slotted = false;
        self.slots.clear(items.len());
        let mut kept: Vec<usize> = Vec::with_capacity(items.len());
        for (row, &item) in items.iter().enumerate() {
            match self.slots.find_or_insert(item, kept.len(), |number| items[kept[number]]) {
                None => kept.push(row),
                Some(number) if better(row, kept[number]) => kept[number] = row,
                Some(_) => {}
            }
        }
        kept.sort_unstable();
        kept
    }
}

/// A set of hashes that may claim to hold one that it does not.
#[derive(Default)]
struct Filter {
    words: Vec<u64>,
}

/// Hashes from which on a filter is made for many.
const MANY: usize = 1 << 10;

impl Filter {
    /// Empties the filter for so many hashes.
    ///
    /// For few, 128 bits each: mostly nothing passes by mistake, which spares the second look for repeats.
    /// For many, something always does, so 32 bits each, which stay in the cache for longer.
    fn clear(&mut self, hashes: usize) {
        let bits = if hashes < MANY { 128 * hashes } else { 32 * hashes };
        self.words.clear();
        self.words.resize((bits / 64).next_power_of_two(), 0);
    }

    fn mark(&mut self, hash: u64) {
        let (word, bit) = place(hash, self.words.len());
        self.words[word] |= bit;
    }

    /// The rows whose items are marked, at the begin of `rows`; with `MARK` a row that is not is marked for those
    /// after it.
    fn pass<'r, K: Key, const MARK: bool>(&mut self, items: &[K], rows: &'r mut Vec<u32>) -> &'r [u32] {
        if rows.len() < items.len() {
            rows.resize(items.len(), 0);
        }
        let (words, passed) = (self.words.as_mut_slice(), rows.as_mut_slice());
        let mut count = 0;
        for (item, row) in items.iter().zip(0..) {
            let (word, bit) = place(item.hash(), words.len());
            let marked = words[word] & bit != 0;
            if MARK {
                words[word] |= bit;
            }
            // Written in any case: without a branch there is none to mispredict.
            passed[count] = row;
            count += usize::from(marked);
        }
        &passed[..count]
    }
}

/// The word and the bit of a hash in a filter of so many words, a power of two.
fn place(hash: u64, words: usize) -> (usize, u64) {
    (hash as usize & (words - 1), 1 << (hash >> 32 & 63))
}

/// A table from items to numbers, open addressing, used again for every list.
#[derive(Default)]
struct Slots {
    /// The upper half of the hash, and the number counted on from `base`; below that a slot is free.
    slots: Vec<(u32, u32)>,
    mask: usize,
    base: u32,
    /// Numbers that the present list may use.
    numbers: u32,
}

/// Slots an item: with fewer of them more are taken, and the branch on a free one is mispredicted more often.
const SPARSE: usize = 8;
/// Slots an item where there are so many items that the table leaves the cache: memory counts more then.
const DENSE: usize = 2;
/// Items from which on a table is dense.
const LARGE: usize = 1 << 16;

impl Slots {
    /// Empties the table for numbers below `items`: what older lists left lies below the new base.
    fn clear(&mut self, items: usize) {
        let size = (items * if items < LARGE { SPARSE } else { DENSE }).next_power_of_two();
        let base =
            self.base.checked_add(self.numbers).filter(|base| base.checked_add(items as u32).is_some());
        if self.slots.len() < size || base.is_none() {
            self.slots.clear();
            self.slots.resize(size, (0, 0));
        }
        self.base = base.unwrap_or(0).max(1);
        self.numbers = items as u32;
        self.mask = size - 1;
    }

    /// The number kept for `key`, or else keeps `number` for it.
    fn find_or_insert<K: Key>(
        &mut self,
        key: K,
        number: usize,
        key_of: impl Fn(usize) -> K,
    ) -> Option<usize> {
        let (slot, found) = self.probe(key, key_of);
        if found.is_none() {
            self.slots[slot] = ((key.hash() >> 32) as u32, self.base + number as u32);
        }
        found
    }

    /// The number kept for `key`.
    fn find<K: Key>(&self, key: K, key_of: impl Fn(usize) -> K) -> Option<usize> {
        self.probe(key, key_of).1
    }

    /// The slot of `key` with its number, or the free slot where it would stand.
    fn probe<K: Key>(&self, key: K, key_of: impl Fn(usize) -> K) -> (usize, Option<usize>) {
        let hash = key.hash();
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        loop {
            let (known, counted) = self.slots[at];
            let Some(number) = counted.checked_sub(self.base) else { return (at, None) };
            if known == tag && key_of(number as usize) == key {
                return (at, Some(number as usize));
            }
            at = (at + 1) & self.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::hash::mix;

    #[test]
    fn judged_items_are_found_and_repeats_named() {
        let mut matcher = Matcher::default();
        assert_eq!(matcher.take_judged(&[7, 5]).count, 0);
        let repeats = matcher.find(&[7, 5], &[1, 5, 2, 1, 5]);
        let found: Vec<_> = matcher.found.iter().map(|found| (found.position, found.judgement)).collect();
        assert_eq!(found, [(1, 1)]);
        assert_eq!(repeats, Repeats { count: 2, first: Some(Repeated { earlier: 0, later: 3 }) });
    }

    #[test]
    fn long_lists_are_matched_exactly_whatever_the_filter_lets_through() {
        let mut matcher = Matcher::default();
        for length in [1, 100, 5_000, 100_000] {
            let judged: Vec<i64> = (0..length).step_by(7).collect();
            let mut items: Vec<i64> = (0..length).rev().collect();
            assert_eq!(matcher.take_judged(&judged), Repeats::default());
            assert_eq!(matcher.find(&judged, &items), Repeats::default(), "{length}");
            assert_eq!(matcher.found.len(), judged.len());
            items.extend_from_within(..items.len() / 2);
            let repeats = matcher.find(&judged, &items);
            assert_eq!(repeats.count, items.len() - length as usize, "{length}");
        }
    }

    #[test]
    fn short_lists_are_matched_as_long_ones_are() {
        let (mut short, mut long) = (Matcher::default(), Matcher::default());
        let mut state = 5_u64;
        let mut draw = |below: u64| {
            state = mix(state);
            (state >> 20) % below
        };
        for round in 0..2_000 {
            let ids = [40, 4_000, 1 << 40][round % 3];
            let mut distinct = |count: u64| {
                let mut ids: Vec<i64> = (0..draw(count)).map(|_| draw(ids) as i64 - 20).collect();
                ids.sort_unstable();
                ids.dedup();
                ids.sort_unstable_by_key(|&id| id.stable_hash(round as u64));
                ids
            };
            let times = if round % 20 == 0 { 20 } else { 1 };
            let (judged, mut items) = (distinct(60 * times), distinct(300 * times));
            if round % 5 == 0 {
                items.extend_from_within(..items.len() / 3);
            }
            short.take_judged(&judged);
            long.take_judged(&judged);
            let found = short.find(&judged, &items);
            long.found.clear();
            if judged != items {
                assert_eq!(found, long.find_long(&judged, &items));
                if found.count == 0 {
                    assert_eq!(short.found, long.found);
                }
            }
        }
    }

    #[test]
    fn slots_start_anew_when_their_numbers_run_out() {
        let mut slots = Slots { base: u32::MAX - 3, ..Slots::default() };
        slots.clear(2);
        assert_eq!(slots.find_or_insert(5, 1, |_| 5), None);
        slots.clear(2);
        assert_eq!(slots.find_or_insert(5, 0, |_| 5), None, "left over from the list before");
        assert_eq!(slots.find(5, |_| 5), Some(0));
    }
}
