//! Names that stand twice in one object of JSON: readers keep one of the values, without a word about it.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldhash::quality::FixedState;

use crate::core::error::Result;
use crate::core::files::text_reader;

/// Bytes read at once.
const PIECE: u64 = 1 << 20;
/// Objects and arrays within each other; no table has so many.
const DEEPEST: usize = 1 << 10;

/// The first name that stands twice in one object of a file, and its line; text that is no JSON may have any.
pub fn repeated_name(path: &str, cancelled: &AtomicBool) -> Result<Option<(usize, String)>> {
    let mut content = text_reader::open(path, Arc::default())?;
    let (mut scanner, mut piece) = (Scanner::new(), Vec::new());
    while content.read_up_to(PIECE, &mut piece, cancelled)? > 0 {
        if let Some(found) = scanner.repeated(&piece) {
            return Ok(Some(found));
        }
        piece.clear();
    }
    Ok(None)
}

/// An object, or an array, which has no names.
#[derive(Default)]
struct Level {
    /// The hashes of names, all different. Those of an object before stay until other names come: rows mostly have
    /// the same ones in the same order.
    names: Vec<u64>,
    /// How many of them are of this object.
    count: usize,
    /// Whether the next text is a name.
    wants_name: bool,
    is_object: bool,
}

impl Level {
    /// Takes the next name; whether it is new.
    fn is_new(&mut self, name: u64) -> bool {
        if self.names.get(self.count) != Some(&name) {
            if self.names[..self.count].contains(&name) {
                return false;
            }
            self.names.truncate(self.count);
            self.names.push(name);
        }
        self.count += 1;
        true
    }
}

/// What is known of the text so far.
struct Scanner {
    levels: Vec<Level>,
    depth: usize,
    line: usize,
    /// The text in quotes that is open, if it is a name.
    text: Vec<u8>,
    in_text: bool,
    escaped: bool,
    /// Whether the text has been too deep.
    is_lost: bool,
    hashes: FixedState,
}

impl Scanner {
    fn new() -> Self {
        Self {
            levels: vec![Level::default()],
            depth: 0,
            line: 1,
            text: Vec::new(),
            in_text: false,
            escaped: false,
            is_lost: false,
            hashes: FixedState::with_seed(0),
        }
    }

    /// The first name in the next piece that is repeated.
    fn repeated(&mut self, piece: &[u8]) -> Option<(usize, String)> {
        for &byte in piece {
            if self.is_lost {
                return None;
            }
            self.line += usize::from(byte == b'\n');
            let level = &mut self.levels[self.depth];
            if self.in_text {
                let ends = byte == b'"' && !self.escaped;
                self.escaped = byte == b'\\' && !self.escaped;
                self.in_text = !ends;
                if level.wants_name && !ends {
                    self.text.push(byte);
                } else if level.wants_name && !level.is_new(self.hashes.hash_one(&self.text)) {
                    return Some((self.line, String::from_utf8_lossy(&self.text).into_owned()));
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.in_text = true;
                    self.text.clear();
                }
                b',' => level.wants_name = level.is_object,
                b':' => level.wants_name = false,
                b'{' | b'[' if self.depth == DEEPEST => self.is_lost = true,
                b'{' | b'[' => self.enter(byte == b'{'),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    /// Goes one level down.
    fn enter(&mut self, is_object: bool) {
        self.depth += 1;
        if self.depth == self.levels.len() {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[self.depth];
        (level.count, level.wants_name, level.is_object) = (0, is_object, is_object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, String)> {
        let whole = Scanner::new().repeated(text.as_bytes());
        let mut scanner = Scanner::new();
        assert_eq!(text.as_bytes().chunks(1).find_map(|byte| scanner.repeated(byte)), whole);
        whole
    }

    #[test]
    fn a_name_that_stands_twice_in_one_object_is_found() {
        assert_eq!(found(r#"{"a":1,"b":2,"a":3}"#), Some((1, "a".to_owned())));
        assert_eq!(found("{\"a\":1}\n{\"a\":1,\n\"b\": {\"c\": [1], \"c\": 2}}"), Some((3, "c".to_owned())));
        assert_eq!(found(r#"[{"a":"x,\"a\":"},{"b":["a","a"],"a":{"a":1}}]"#), None);
        assert_eq!(found(r#"{"b":1,"a":1}{"a":1,"b":1}{"a":1,"c":1,"b":1}"#), None);
        assert_eq!(found(r#"{"b":1,"a":1}{"a":1,"b":1,"a":1}"#), Some((1, "a".to_owned())));
    }

    #[test]
    fn what_is_no_json_is_nothing_to_say_anything_about() {
        let mut scanner = Scanner::new();
        assert_eq!(scanner.repeated(b"]]}}\"a\":,\"a\"\x00\\\\"), None);
        assert_eq!(scanner.repeated(&vec![b'['; 1 << 20]), None);
        assert!(scanner.levels.len() <= DEEPEST + 1);
    }
}
