//! Room for rows in lines of the cache.
//!
//! The system takes longer to give so much memory than it takes to fill it, so room of which there was much is kept
//! for who asks next. Until then the system may take it back.

use std::mem::{self, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use crate::core::error::{Result, room};

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Line(#[expect(dead_code, reason = "it is read as rows")] [MaybeUninit<u8>; 64]);

impl Line {
    /// It may hold anything.
    pub const UNWRITTEN: Self = Self([MaybeUninit::uninit(); 64]);
}

/// Bytes of a large page.
const PAGE: usize = 1 << 21;
/// Bytes that are kept at the most.
const KEPT: usize = 1 << 28;
/// Room that was given back, the latest last.
static SPARE: Mutex<Vec<Vec<Line>>> = Mutex::new(Vec::new());

/// A number of lines.
pub struct Lines(Vec<Line>);

impl Lines {
    /// So many, which may hold anything.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(count: usize) -> Result<Self> {
        let mut lines = match spare(count) {
            Some(lines) => lines,
            None => fresh(count)?,
        };
        // SAFETY: there is room for them, and whatever a line holds is a value of it.
        unsafe { lines.set_len(count) };
        Ok(Self(lines))
    }
}

impl Deref for Lines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        &self.0
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [Line] {
        &mut self.0
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        keep(mem::take(&mut self.0));
    }
}

/// Room for so many lines, or for up to twice as many, that was given back. None where another thread is looking for
/// some: after a fork that thread may not be there.
fn spare(count: usize) -> Option<Vec<Line>> {
    let mut spare = SPARE.try_lock().ok()?;
    let fits = |lines: &Vec<Line>| (count..=2 * count).contains(&lines.capacity());
    let at = spare.iter().position(fits)?;
    Some(spare.remove(at))
}

/// Keeps room for who asks next, in place of what has been kept for longest.
fn keep(mut lines: Vec<Line>) {
    let bytes = |lines: &Vec<Line>| lines.capacity() * size_of::<Line>();
    if !(PAGE..=KEPT).contains(&bytes(&lines)) {
        return;
    }
    let Ok(mut spare) = SPARE.try_lock() else { return };
    while spare.iter().map(bytes).sum::<usize>() + bytes(&lines) > KEPT {
        spare.remove(0);
    }
    lines.clear();
    if advise(&mut lines, Advice::Free) {
        spare.push(lines);
    }
}

/// New room for so many lines, or up to a quarter more: who asks next for about as many can have it.
fn fresh(count: usize) -> Result<Vec<Line>> {
    let mut lines = room(count.next_multiple_of((count.next_power_of_two() / 8).max(1)))?;
    advise(&mut lines, Advice::LargePages);
    Ok(lines)
}

/// What the system is told of memory.
enum Advice {
    /// Large pages would be of use: one of them is given in less time than many small ones.
    LargePages,
    /// What it holds is not needed.
    Free,
}

/// Whether the system took advice on lines that hold nothing.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise(lines: &mut Vec<Line>, advice: Advice) -> bool {
    let room = lines.spare_capacity_mut();
    let begin = room.as_mut_ptr() as usize;
    let (first, end) = (begin.next_multiple_of(PAGE), (begin + size_of_val(room)) / PAGE * PAGE);
    let advice = match advice {
        Advice::LargePages => libc::MADV_HUGEPAGE,
        Advice::Free => libc::MADV_FREE,
    };
    // SAFETY: the pages between are of the room for lines that hold nothing yet, so it does not matter what it holds.
    first < end && unsafe { libc::madvise(first as *mut libc::c_void, end - first, advice) } == 0
}

/// Elsewhere there is none to give.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise(_: &mut Vec<Line>, _: Advice) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_many_as_asked_for_whatever_was_given_back() {
        for count in [0, 1, 1 << 15, 1 << 16, 1 << 15, 3 << 14, 1 << 23, 1] {
            let mut lines = Lines::new(count).unwrap();
            assert_eq!(lines.len(), count);
            lines.fill(Line::UNWRITTEN);
        }
        let spare = SPARE.lock().unwrap();
        assert!(spare.iter().map(|lines| lines.capacity() * size_of::<Line>()).sum::<usize>() <= KEPT);
    }
}
