//! The items that are known, each with a number: those of several tables in one dictionary.

use hashbrown::HashTable;

use crate::core::column::Column;
use crate::core::error::{Class, Error, Result};
use crate::core::hash::Key;
use crate::core::ids::Ids;

/// Rows read at once.
const PIECE: usize = 1 << 12;
/// Items that can be numbered: numbers are `i32` where Python sees them.
const MOST: usize = i32::MAX as usize;

/// Ids of one type, numbered from 0 in the order in which they first come.
#[derive(Clone, Default)]
pub struct Items {
    numbers: HashTable<u32>,
    integers: Vec<i64>,
    texts: Texts,
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
    /// Numbers the ids of a column that have no number yet; `each` is told the number of each row.
    ///
    /// # Errors
    /// Integers where there are texts or the other way round, and more items than can be numbered.
    pub fn add(&mut self, ids: &Ids<'_>, what: &str, mut each: impl FnMut(u32)) -> Result<()> {
        match ids {
            Ids::Integer(column) if self.texts.ends.is_empty() => {
                in_pieces(column, |id| each(self.integer(id)));
            }
            Ids::Text(column) if self.integers.is_empty() => in_pieces(column, |id| each(self.text(id))),
            _ => {
                let (here, there) = match ids {
                    Ids::Integer(_) => ("integers", "strings"),
                    Ids::Text(_) => ("strings", "integers"),
                };
                return Err(Error::new(
                    Class::IdType,
                    format!(
                        "{what} has ids that are {here}, other tables of items {there}; cast one of them"
                    ),
                ));
            }
        }
        if self.len() > MOST {
            return Err(Error::data(format!("{what}: more than {MOST} items")));
        }
        Ok(())
    }

    /// How many items have a number.
    pub fn len(&self) -> usize {
        self.integers.len().max(self.texts.ends.len())
    }

    /// The number of an integer id, the next if it has none.
    pub fn integer(&mut self, id: i64) -> u32 {
        let integers = &mut self.integers;
        let next = integers.len() as u32;
        let known = |&number: &u32| integers[number as usize] == id;
        if let Some(&number) = self.numbers.find(id.hash(), known) {
            return number;
        }
        integers.push(id);
        self.numbers.insert_unique(id.hash(), next, |&number| integers[number as usize].hash());
        next
    }

    fn text(&mut self, id: &[u8]) -> u32 {
        let texts = &mut self.texts;
        let next = texts.ends.len() as u32;
        if let Some(&number) = self.numbers.find(id.hash(), |&number| texts.get(number) == id) {
            return number;
        }
        texts.push(id);
        self.numbers.insert_unique(id.hash(), next, |&number| texts.get(number).hash());
        next
    }

    /// The number of an integer id.
    pub fn of_integer(&self, id: i64) -> Option<u32> {
        self.numbers.find(id.hash(), |&number| self.integers.get(number as usize) == Some(&id)).copied()
    }

    /// The number of a text.
    pub fn of_text(&self, id: &[u8]) -> Option<u32> {
        let known = |&number: &u32| (number as usize) < self.texts.ends.len() && self.texts.get(number) == id;
        self.numbers.find(id.hash(), known).copied()
    }

    /// The integer ids in the order of their numbers; empty where ids are texts.
    pub fn integers(&self) -> &[i64] {
        &self.integers
    }

    /// The texts in the order of their numbers; none where ids are integers.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.texts.ends.len() as u32).map(|number| self.texts.get(number))
    }
}

/// Reads a column some rows at a time.
fn in_pieces<K: Copy>(column: &Column<'_, K>, mut each: impl FnMut(K)) {
    let mut scratch = Vec::new();
    for start in (0..column.len()).step_by(PIECE) {
        let rows = start..column.len().min(start + PIECE);
        column.values(rows, &mut scratch).iter().for_each(|&id| each(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_numbered_as_they_first_come() {
        let mut items = Items::default();
        let numbers: Vec<u32> = [7, -2, 7, 9, -2].iter().map(|&id| items.integer(id)).collect();
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!((items.len(), items.integers()), (3, &[7, -2, 9][..]));
        assert_eq!((items.of_integer(9), items.of_integer(8)), (Some(2), None));
        assert_eq!(items.of_text(b"7"), None);
    }

    #[test]
    fn texts_are_numbered_as_they_first_come() {
        let mut items = Items::default();
        let numbers: Vec<u32> = ["b", "", "b", "ab"].iter().map(|id| items.text(id.as_bytes())).collect();
        assert_eq!(numbers, [0, 1, 0, 2]);
        assert_eq!(items.texts().collect::<Vec<_>>(), [&b"b"[..], b"", b"ab"]);
        assert_eq!((items.of_text(b"ab"), items.of_text(b"a"), items.of_integer(0)), (Some(2), None, None));
    }

    #[test]
    fn many_items_are_all_found_again() {
        let mut items = Items::default();
        for id in 0..10_000 {
            assert_eq!(items.integer(id * 31), id as u32);
        }
        assert!((0..10_000).all(|id| items.of_integer(id * 31) == Some(id as u32)));
    }
}
