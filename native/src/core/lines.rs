//! Room for rows in lines of the cache.
//!
//! The system takes longer to give so much memory than it takes to fill it, so room of which there was much is kept
//! for who asks next. Until then the system may take it back.

use std::io;
use std::mem::{self, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_buffer::Buffer;

use crate::core::error::{Error, Result, room};
use crate::core::pool;

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
pub struct Lines {
    lines: Vec<Line>,
    /// Whether they are not kept for who asks next.
    lasting: bool,
}

impl Lines {
    /// So many, which may hold anything.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(count: usize) -> Result<Self> {
        Ok(match spare(count) {
            Some(lines) => Self::of(lines, count, false),
            None => Self::of(fresh(count)?, count, false),
        })
    }

    /// The first so many of some for which there is room.
    fn of(mut lines: Vec<Line>, count: usize, lasting: bool) -> Self {
        assert!(count <= lines.capacity());
        // SAFETY: there is room for them, and whatever a line holds is a value of it.
        unsafe { lines.set_len(count) };
        Self { lines, lasting }
    }
}

impl Deref for Lines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        &self.lines
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [Line] {
        &mut self.lines
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if !self.lasting {
            keep(mem::take(&mut self.lines));
        }
    }
}

/// Room for so many bytes, to be written in any order.
pub struct Room {
    lines: Lines,
    bytes: usize,
}

impl Room {
    /// So many, which may hold anything.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(bytes: usize) -> Result<Self> {
        Ok(Self { lines: Lines::new(bytes.div_ceil(size_of::<Line>()))?, bytes })
    }

    /// The same for what stays, and goes back to the system then: what is kept is for those who give it back soon.
    ///
    /// # Errors
    /// As of `new`.
    pub fn lasting(bytes: usize) -> Result<Self> {
        let count = bytes.div_ceil(size_of::<Line>());
        let mut lines = room(count)?;
        advise(&mut lines, Advice::LargePages);
        Ok(Self { lines: Lines::of(lines, count, true), bytes })
    }

    /// All of them.
    pub fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        let begin = self.lines.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: a line is but such bytes; so many lie within the lines, which nobody else has meanwhile.
        unsafe { slice::from_raw_parts_mut(begin, self.bytes) }
    }

    /// They, to be read.
    ///
    /// # Safety
    /// Each of them was written.
    pub unsafe fn written(mut self) -> Buffer {
        let begin = NonNull::from(&mut *self.lines).cast::<u8>();
        // SAFETY: so many bytes were written from the begin of the lines, as the caller says; the buffer keeps these,
        // which stay where they are when `lines` is moved, and nobody writes to them anymore.
        unsafe { Buffer::from_custom_allocation(begin, self.bytes, Arc::new(self.lines)) }
    }
}

/// Lines that are filled by one task.
const FILLED: usize = 1 << 16;

/// So many bytes, on the threads of the pool that this is called in: `fill` writes the piece that begins at a byte.
///
/// # Errors
/// One of `fill`, which may not leave a piece before it is full, or there is not so much memory.
pub fn filled(
    bytes: usize,
    fill: impl Fn(usize, &mut Piece<'_>) -> io::Result<()> + Sync + Send,
) -> io::Result<Buffer> {
    let no_room = |error: Error| io::Error::new(io::ErrorKind::OutOfMemory, error.message);
    let mut room = Room::new(bytes).map_err(no_room)?;
    let begins = (0..bytes).step_by(FILLED * size_of::<Line>());
    let pieces: Vec<_> = begins
        .zip(room.lines.chunks_mut(FILLED))
        .map(|(begin, lines)| {
            let size = size_of_val(lines).min(bytes - begin);
            (begin, Mutex::new(Piece { lines, size, count: 0 }))
        })
        .collect();
    let done = pool::map(pieces.len(), |number| {
        let (begin, piece) = &pieces[number];
        let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
        fill(*begin, &mut piece)?;
        if piece.left() == 0 { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    });
    done.into_iter().collect::<io::Result<()>>()?;
    drop(pieces);
    // SAFETY: all pieces are full, so that many bytes were written from the begin of the lines.
    Ok(unsafe { room.written() })
}

/// Lines that are being filled, from the first on.
pub struct Piece<'a> {
    lines: &'a mut [Line],
    /// Bytes it is to have, and those it has.
    size: usize,
    count: usize,
}

impl Piece<'_> {
    /// Bytes that are lacking.
    pub fn left(&self) -> usize {
        self.size - self.count
    }

    /// Adds bytes: no more than are lacking.
    pub fn push(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.left(), "no room for so many bytes");
        // SAFETY: so many bytes of the lines are behind those that were written, and nobody else has the lines.
        unsafe {
            let to = self.lines.as_mut_ptr().cast::<u8>().add(self.count);
            ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        self.count += bytes.len();
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

    #[test]
    fn what_lasts_is_not_kept_for_others() {
        const BYTES: usize = (3 << 20) + 64;
        let has_it = |lines: &Vec<Line>| lines.capacity() * size_of::<Line>() == BYTES;
        drop(Room::lasting(BYTES).unwrap());
        assert!(!SPARE.lock().unwrap().iter().any(has_it));
    }

    #[test]
    fn bytes_are_those_that_were_written_and_none_are_left_out() {
        for bytes in [0, 1, 64, 1_000, FILLED * 64, 2 * FILLED * 64 + 7] {
            let number = |at: usize| (at * 31 % 251) as u8;
            let all = |begin: usize, piece: &mut Piece<'_>| {
                let (first, rest) = (piece.left() / 3, piece.left() - piece.left() / 3);
                piece.push(&(begin..begin + first).map(number).collect::<Vec<_>>());
                piece.push(&(begin + first..begin + first + rest).map(number).collect::<Vec<_>>());
                Ok(())
            };
            assert!(filled(bytes, all).unwrap().iter().copied().eq((0..bytes).map(number)));
            assert!(bytes == 0 || filled(bytes, |_, _| Ok(())).is_err());
        }
    }
}
