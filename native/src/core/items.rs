//! The items that are known, each with a number: those of several tables in one dictionary.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::core::column::Column;
use crate::core::error::{Class, Error, Result};
use crate::core::hash::Key;
use crate::core::ids::Ids;

/// Rows read at once.
const PIECE: usize = 1 << 12;
/// Items that can be numbered: what is kept of lists has a bit of the 32 for something else, and one for the sign.
const MOST: usize = 1 << 30;

/// Ids of one type, numbered from 0 in the order in which they first come.
///
/// An entry holds what tells most ids apart, so that looking one up touches little memory.
#[derive(Clone, Default)]
pub struct Items {
    /// The numbers of the integers from 0 on, `NONE` for one that has none; those beyond are looked up.
    near: Vec<u32>,
    integer_numbers: HashTable<(i64, u32)>,
    text_numbers: HashTable<(Head, u32)>,
    integers: Vec<i64>,
    texts: Texts,
}

/// In the place of the number of an integer that has none.
const NONE: u32 = u32::MAX;
/// Integers a row up to which a table of all of them is no waste, and the most that it has.
const SPARSE: usize = 4;
const MOST_NEAR: usize = 1 << 22;

/// What a text is told by: its length, and its first bytes, then zeros.
#[derive(Clone, Copy, PartialEq)]
struct Head {
    length: u32,
    bytes: [u8; HEAD],
}

/// Bytes of a head: of most ids all.
const HEAD: usize = 16;

impl Head {
    fn of(text: &[u8]) -> Self {
        let mut bytes = [0; HEAD];
        let length = text.len().min(HEAD);
        bytes[..length].copy_from_slice(&text[..length]);
        Self { length: text.len() as u32, bytes }
    }
}

/// Texts one after the other.
#[derive(Clone, Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }
}

impl Items {
    /// None yet, with a table of the integers that such columns have, as far as it is worth it.
    pub fn for_ids(columns: &[Ids<'_>]) -> Self {
        let (mut rows, mut greatest) = (0, -1);
        for column in columns {
            if let Ids::Integer(column) = column {
                rows += column.len();
                in_pieces(column, |id| greatest = greatest.max(id));
            }
        }
        let worth = MOST_NEAR.min(SPARSE * rows);
        let near = usize::try_from(greatest.saturating_add(1)).map_or(worth, |near| near.min(worth));
        Self { near: vec![NONE; near], ..Self::default() }
    }

    /// Numbers the ids of a column that have no number yet; `each` is told the number of each row.
    ///
    /// # Errors
    /// Integers where there are texts or the other way round, and more items than can be numbered.
    pub fn add(&mut self, ids: &Ids<'_>, what: &str, mut each: impl FnMut(u32)) -> Result<()> {
        self.refuse_other(ids, what)?;
        match ids {
            Ids::Integer(column) => {
                let mut last = None;
                in_pieces(column, |id| each(once(&mut last, id, || self.integer(id, id.hash()))));
            }
            Ids::Text(column) => {
                let mut last = None;
                in_pieces(column, |id| each(once(&mut last, id, || self.text(id, id.hash()))));
            }
        }
        refuse_many(self.len(), what)
    }

    fn refuse_other(&self, ids: &Ids<'_>, what: &str) -> Result<()> {
        let (here, there) = match ids {
            Ids::Integer(_) if !self.texts.ends.is_empty() => ("integers", "strings"),
            Ids::Text(_) if !self.integers.is_empty() => ("strings", "integers"),
            Ids::Integer(_) | Ids::Text(_) => return Ok(()),
        };
        Err(Error::new(
            Class::IdType,
            format!("{what} has ids that are {here}, other tables of items {there}; cast one of them"),
        ))
    }

    /// How many items have a number.
    pub fn len(&self) -> usize {
        self.integers.len().max(self.texts.ends.len())
    }

    /// The number of an integer id with this hash, the next if it has none.
    pub fn integer(&mut self, id: i64, hash: u64) -> u32 {
        if let Some(number) = self.of_integer(id, hash) {
            return number;
        }
        let next = self.integers.len() as u32;
        self.integers.push(id);
        match usize::try_from(id).ok().and_then(|id| self.near.get_mut(id)) {
            Some(number) => *number = next,
            None => {
                self.integer_numbers.insert_unique(hash, (id, next), |&(id, _)| id.hash());
            }
        }
        next
    }

    /// The number of a text with this hash, the next if it has none.
    pub fn text(&mut self, id: &[u8], hash: u64) -> u32 {
        if let Some(number) = self.of_text(id, hash) {
            return number;
        }
        let texts = &mut self.texts;
        let next = texts.ends.len() as u32;
        texts.push(id);
        self.text_numbers.insert_unique(hash, (Head::of(id), next), |&(_, number)| texts.get(number).hash());
        next
    }

    /// The number of an integer id with this hash.
    pub fn of_integer(&self, id: i64, hash: u64) -> Option<u32> {
        match usize::try_from(id).ok().and_then(|id| self.near.get(id)) {
            Some(&number) => (number != NONE).then_some(number),
            None => self.integer_numbers.find(hash, |&(known, _)| known == id).map(|&(_, number)| number),
        }
    }

    /// The number of a text with this hash.
    pub fn of_text(&self, id: &[u8], hash: u64) -> Option<u32> {
        let head = Head::of(id);
        let known = |&(other, number): &(Head, u32)| {
            other == head && (id.len() <= HEAD || self.texts.get(number) == id)
        };
        self.text_numbers.find(hash, known).map(|&(_, number)| number)
    }

    /// An id that is an integer, by its number.
    fn integer_at(&self, number: u32) -> Option<i64> {
        self.integers.get(number as usize).copied()
    }
}

/// The number of an id, which is looked up only where the row before has another: rows of users stand together.
fn once<K: Copy + PartialEq>(last: &mut Option<(K, u32)>, id: K, look_up: impl FnOnce() -> u32) -> u32 {
    match *last {
        Some((before, number)) if before == id => number,
        _ => last.insert((id, look_up())).1,
    }
}

/// Refuses more items than can be numbered.
fn refuse_many(count: usize, what: &str) -> Result<()> {
    if count > MOST {
        return Err(Error::data(format!("{what}: more than {MOST} items")));
    }
    Ok(())
}

/// The id of an item.
#[derive(Debug, PartialEq)]
pub enum Id {
    Integer(i64),
    Text(Vec<u8>),
}

/// Parts of the items that are numbered as they come; a power of two.
const SHARDS: usize = 64;

/// Items with numbers, and where others may come those that are numbered when they do, by any thread.
///
/// Those have the numbers after the others, of which some are left out, and which depend on who comes first.
#[derive(Default)]
pub struct Numbering {
    known: Arc<Items>,
    others: Option<Vec<Mutex<Items>>>,
}

impl Numbering {
    /// Of items that are known; no others may come.
    pub fn new(known: Items) -> Self {
        Self { known: Arc::new(known), others: None }
    }

    /// The same items that are known; others may come.
    pub fn opened(&self) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { known: Arc::clone(&self.known), others: Some(shards) }
    }

    /// The items that are known.
    pub fn known(&self) -> &Items {
        &self.known
    }

    /// The number of an item; none if it is not known and none may come.
    pub fn number<K: Key>(&self, id: K) -> Option<u32> {
        let hash = id.hash_in_items();
        if let Some(number) = id.number_in(hash, &self.known) {
            return Some(number);
        }
        let shards = self.others.as_ref()?;
        let shard = (hash >> 40) as usize % SHARDS;
        let number = id.added_to(hash, &mut locked(&shards[shard]));
        Some((self.known.len() as u32).wrapping_add(number.wrapping_mul(SHARDS as u32) + shard as u32))
    }

    /// The numbers of a column's rows, as of `number`; `each` is told them in their order.
    ///
    /// # Errors
    /// Integers where there are texts or the other way round, and more items than can be numbered.
    pub fn rows(&self, ids: &Ids<'_>, what: &str, mut each: impl FnMut(Option<u32>)) -> Result<()> {
        self.known.refuse_other(ids, what)?;
        for shard in self.others.iter().flatten() {
            locked(shard).refuse_other(ids, what)?;
        }
        match ids {
            Ids::Integer(column) => in_pieces(column, |id| each(self.number(id))),
            Ids::Text(column) => in_pieces(column, |id| each(self.number(id))),
        }
        refuse_many(self.end(), what)
    }

    /// A number that is greater than all.
    pub fn end(&self) -> usize {
        let most = self.others.iter().flatten().map(|shard| locked(shard).len()).max().unwrap_or(0);
        self.known.len() + most * SHARDS
    }

    /// The id of the item of this number, if there is one.
    pub fn id(&self, number: u32) -> Option<Id> {
        let Some(place) = (number as usize).checked_sub(self.known.len()) else {
            return id_in(&self.known, number);
        };
        id_in(&locked(&self.others.as_ref()?[place % SHARDS]), (place / SHARDS) as u32)
    }
}

fn id_in(items: &Items, number: u32) -> Option<Id> {
    match items.integer_at(number) {
        Some(id) => Some(Id::Integer(id)),
        None if (number as usize) < items.texts.ends.len() => {
            Some(Id::Text(items.texts.get(number).to_vec()))
        }
        None => None,
    }
}

fn locked(items: &Mutex<Items>) -> MutexGuard<'_, Items> {
    items.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives items of lists that were numbered as they came numbers that depend on the lists alone: those from `known`
/// on, and below `end`, in the order of the best rank at which they are, and of the first list that has them there.
/// Gives the old numbers in the new order.
pub fn renumber(lists: &mut [i32], offsets: &[i64], known: i32, end: usize) -> Vec<i32> {
    const NOWHERE: u64 = u64::MAX;
    if end <= known as usize {
        return Vec::new();
    }
    let mut first = vec![NOWHERE; end.saturating_sub(known as usize)];
    for (query, bounds) in offsets.windows(2).enumerate() {
        let own = &lists[bounds[0] as usize..bounds[1] as usize];
        for (rank, &item) in own.iter().enumerate().filter(|&(_, &item)| item >= known) {
            let place = &mut first[(item - known) as usize];
            *place = (*place).min((rank as u64) << 32 | query as u64);
        }
    }
    let mut order: Vec<i32> =
        (0..first.len()).filter(|&at| first[at] != NOWHERE).map(|at| at as i32 + known).collect();
    order.sort_unstable_by_key(|&item| first[(item - known) as usize]);
    let mut numbers = vec![0; first.len()];
    order.iter().zip(known..).for_each(|(&item, number)| numbers[(item - known) as usize] = number);
    for item in lists.iter_mut().filter(|item| **item >= known) {
        *item = numbers[(*item - known) as usize];
    }
    order
}

/// Reads a column some rows at a time.
fn in_pieces<K: Copy>(column: &Column<'_, K>, mut each: impl FnMut(K)) {
    let mut scratch = Vec::new();
    for start in (0..column.len()).step_by(PIECE) {
        let rows = start..column.len().min(start + PIECE);
        column.values(rows, &mut scratch).iter().for_each(|&id| each(id));
    }
}

/// The first row of each id of a column, which `what` calls in messages, ascending.
///
/// # Errors
/// As [`Items::add`].
pub fn first_rows(ids: &Ids<'_>, what: &str) -> Result<Vec<u32>> {
    let (mut first, mut row) = (Vec::new(), 0);
    match ids {
        Ids::Integer(column) => {
            let mut seen = Seen::for_ids(column);
            in_pieces(column, |id| {
                if seen.insert(id) {
                    first.push(row);
                }
                row += 1;
            });
        }
        Ids::Text(_) => Items::default().add(ids, what, |number| {
            if number as usize == first.len() {
                first.push(row);
            }
            row += 1;
        })?,
    }
    Ok(first)
}

/// Which integers have been seen: a bit each, of which more stay in the cache than of their numbers.
struct Seen {
    /// Those from 0 on; those beyond are looked up.
    near: Vec<u64>,
    others: HashTable<i64>,
}

/// Bits of a word, and the most words, of which there are no more than rows.
const WORD: usize = u64::BITS as usize;
const MOST_WORDS: usize = 1 << 20;

impl Seen {
    /// None yet, with bits for the integers of a column, as far as it is worth it.
    fn for_ids(column: &Column<'_, i64>) -> Self {
        let mut greatest = -1;
        in_pieces(column, |id| greatest = greatest.max(id));
        let worth = MOST_WORDS.min(column.len());
        let near = usize::try_from(greatest.saturating_add(1)).map_or(worth, |near| near.div_ceil(WORD));
        Self { near: vec![0; near.min(worth)], others: HashTable::new() }
    }

    /// Whether an integer is seen for the first time.
    fn insert(&mut self, id: i64) -> bool {
        let place = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(bits) = self.near.get_mut(place / WORD) {
            let bit = 1 << (place % WORD);
            let new = *bits & bit == 0;
            *bits |= bit;
            return new;
        }
        let found = self.others.entry(id.hash(), |&other| other == id, |other| other.hash());
        let new = matches!(found, Entry::Vacant(_));
        found.or_insert(id);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(items: &mut Items, id: i64) -> u32 {
        items.integer(id, id.hash())
    }

    fn text(items: &mut Items, id: &str) -> u32 {
        items.text(id.as_bytes(), id.as_bytes().hash())
    }

    #[test]
    fn integers_are_numbered_as_they_first_come() {
        let mut items = Items::default();
        let numbers: Vec<u32> = [7, -2, 7, 9, -2].iter().map(|&id| integer(&mut items, id)).collect();
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!((items.len(), items.integer_at(2), items.integer_at(3)), (3, Some(9), None));
        assert_eq!((items.of_integer(9, 9.hash()), items.of_integer(8, 8.hash())), (Some(2), None));
        assert_eq!(items.of_text(b"7", b"7"[..].hash()), None);
    }

    #[test]
    fn integers_in_a_table_and_beyond_are_numbered_alike() {
        let mut items = Items { near: vec![NONE; 8], ..Items::default() };
        let ids = [7, -2, 8, 7, i64::MIN, 0, 8, i64::MAX];
        let numbers: Vec<u32> = ids.iter().map(|&id| integer(&mut items, id)).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 3, 4, 2, 5]);
        let found: Vec<_> =
            [7, -2, 8, 3, 9].iter().map(|&id: &i64| items.of_integer(id, id.hash())).collect();
        assert_eq!(found, [Some(0), Some(1), Some(2), None, None]);
        assert_eq!(items.integer_at(3), Some(i64::MIN));
    }

    #[test]
    fn texts_are_numbered_as_they_first_come() {
        let mut items = Items::default();
        let numbers: Vec<u32> = ["b", "", "b", "ab"].iter().map(|id| text(&mut items, id)).collect();
        assert_eq!(numbers, [0, 1, 0, 2]);
        let number = |id: &[u8]| items.of_text(id, id.hash());
        assert_eq!((number(b"ab"), number(b"a"), items.of_integer(0, 0.hash())), (Some(2), None, None));
    }

    #[test]
    fn many_items_are_all_found_again() {
        let mut items = Items::default();
        for id in 0..10_000 {
            assert_eq!(integer(&mut items, id * 31), id as u32);
        }
        assert!((0..10_000).all(|id| items.of_integer(id * 31, (id * 31).hash()) == Some(id as u32)));
    }

    #[test]
    fn others_are_numbered_as_they_come_and_have_their_ids() {
        let mut known = Items::default();
        integer(&mut known, 5);
        let closed = Numbering::new(known);
        assert_eq!((closed.number(5), closed.number(6), closed.end()), (Some(0), None, 1));
        let open = closed.opened();
        let numbers: Vec<u32> = (0..1000).map(|id| open.number(id).expect("others may come")).collect();
        assert!((0..1000).all(|id| open.number(id) == Some(numbers[id as usize])));
        assert!((0..1000).all(|id| open.id(numbers[id as usize]) == Some(Id::Integer(id))));
        assert!(numbers.iter().all(|&number| (number as usize) < open.end()));
        assert_eq!((numbers[5], open.id(open.end() as u32)), (0, None));
    }

    #[test]
    fn new_numbers_go_by_rank_and_then_by_list() {
        // Of item 0 more is known; 9, 4 and 7 stand first in lists, 2 second.
        let mut lists = [9, 2, 4, 0, 7, 9];
        assert_eq!(renumber(&mut lists, &[0, 2, 4, 4, 6], 1, 10), [9, 4, 7, 2]);
        assert_eq!(lists, [1, 4, 2, 0, 3, 1]);
    }

    #[test]
    fn texts_with_the_same_beginning_are_told_apart() {
        let mut items = Items::default();
        let ids = ["0123456789abcdef", "0123456789abcdef\0", "0123456789abcdefg", "0123456789abcdefh"];
        let numbers: Vec<u32> = ids.iter().chain(&ids).map(|id| text(&mut items, id)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 0, 1, 2, 3]);
    }
}
