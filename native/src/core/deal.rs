//! Rows dealt out, so that those that are needed together lie together.
//!
//! All rows are read once in their order and written to partitions, by the hash of a key or by what else a caller
//! has; a partition then fits the cache, and its rows are brought into order there.

use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::ops::Range;
use std::ptr;
use std::slice;

use crate::core::error::Result;
use crate::core::hash::Key;
use crate::core::lines::{Line, Lines};
use crate::core::pool;

/// Rows of a partition: so many fit the cache with what is made of them.
const ROWS: usize = 1 << 15;
/// Partitions at the most: each is written to at a place of its own, and more places than this miss the cache.
const MOST: usize = 1 << 10;
/// Rows read at once.
const READ: usize = 1 << 12;
/// Bytes of rows that are read again while they are still in the cache.
const CACHED: usize = 1 << 24;

/// The same rows in pieces that are read at once.
pub fn pieces(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    rows.clone().step_by(READ).map(move |begin| begin..rows.end.min(begin + READ))
}

/// How many partitions so many rows are dealt out to by their keys.
pub fn partitions(rows: usize) -> usize {
    (rows / ROWS).next_power_of_two().min(MOST)
}

/// The partition of a key: by bits of its hash that the tables within a partition do not start from.
pub fn partition_of<K: Key>(key: K, partitions: usize) -> usize {
    (key.hash() >> 44) as usize & (partitions - 1)
}

/// How many rows of a stretch to expect in each of so many partitions, by their keys.
pub fn expected(stretch: &Range<usize>, partitions: usize) -> usize {
    stretch.len() / partitions * 9 / 8
}

/// Rows in partitions: those of each stretch of the table in their order.
pub struct Dealt<R>(Vec<Stretch<R>>);

impl<R: Copy> Dealt<R> {
    /// Deals out so many rows on the threads of the pool that this is called in, a stretch of them each.
    ///
    /// `sizes` tells of a stretch about how many rows come to each partition; `fill` reads the stretch and adds the
    /// rows.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(
        rows: usize,
        sizes: impl Fn(Range<usize>) -> Vec<usize> + Sync + Send,
        fill: impl Fn(Range<usize>, &mut Piles<R>) + Sync + Send,
    ) -> Result<Self>
    where
        R: Send,
    {
        let length = rows.div_ceil(pool::threads()).max(READ);
        let past_cache = rows * size_of::<R>() > CACHED;
        let stretches = pool::map(rows.div_ceil(length), |stretch| {
            let stretch = stretch * length..rows.min((stretch + 1) * length);
            let mut piles = Piles::new(&sizes(stretch.clone()), past_cache)?;
            fill(stretch, &mut piles);
            Ok(piles.finish())
        });
        Ok(Self(stretches.into_iter().collect::<Result<_>>()?))
    }

    /// The rows of one partition in their order.
    pub fn rows(&self, partition: usize) -> impl Iterator<Item = &R> {
        self.slices(partition).flatten()
    }

    /// The same in slices.
    pub fn slices(&self, partition: usize) -> impl Iterator<Item = &[R]> + Clone {
        self.0.iter().flat_map(move |stretch| stretch.slices(partition))
    }
}

/// The rows of a stretch of the table, in a pile for each partition.
struct Stretch<R> {
    /// All piles, as far as they are not greater than expected.
    lines: Lines,
    piles: Vec<Pile>,
    rows: PhantomData<R>,
}

/// Where the rows of a partition are.
struct Pile {
    /// The first of its own lines, and how many rows they have.
    begin: usize,
    count: usize,
    /// Lines with the rows for which there was no room in those, and how many they are.
    more: Vec<Line>,
    more_count: usize,
}

impl<R: Copy> Stretch<R> {
    fn slices(&self, partition: usize) -> [&[R]; 2] {
        let pile = &self.piles[partition];
        [read(&self.lines[pile.begin..], pile.count), read(&pile.more, pile.more_count)]
    }
}

/// The rows with which some lines begin.
fn read<R: Copy>(lines: &[Line], count: usize) -> &[R] {
    const { assert!(align_of::<R>() <= align_of::<Line>()) };
    assert!(count * size_of::<R>() <= size_of_val(lines));
    // SAFETY: only `Piles` makes lines; its rows were written one after another and as whole rows, and it counted
    // them. A line is aligned as a row has to be, and so many rows lie within the lines.
    unsafe { slice::from_raw_parts(lines.as_ptr().cast(), count) }
}

/// Rows on their way to partitions. Of each partition some are kept until they fill whole lines of the cache: only
/// such are written without being read before.
pub struct Piles<R> {
    /// Room for the rows of all partitions.
    lines: Lines,
    /// Of each partition its first line, and those that are still free.
    begins: Vec<usize>,
    free: Vec<Range<usize>>,
    /// Lines of each partition beyond those that it was expected to fill.
    more: Vec<Vec<Line>>,
    /// The rows of each partition that are kept, `TOGETHER` or fewer.
    kept: Vec<MaybeUninit<R>>,
    /// How many they are.
    counts: Vec<u8>,
    past_cache: bool,
}

impl<R: Copy> Piles<R> {
    /// The fewest rows that fill whole lines.
    const TOGETHER: usize = size_of::<Line>() >> size_of::<R>().trailing_zeros();

    fn new(sizes: &[usize], past_cache: bool) -> Result<Self> {
        let mut begin = 0;
        let free: Vec<_> = sizes
            .iter()
            .map(|&rows| {
                let first = begin;
                begin += (rows * size_of::<R>()).div_ceil(size_of::<Line>());
                first..begin
            })
            .collect();
        Ok(Self {
            lines: Lines::new(begin)?,
            begins: free.iter().map(|lines| lines.start).collect(),
            free,
            more: vec![Vec::new(); sizes.len()],
            kept: vec![MaybeUninit::uninit(); sizes.len() * Self::TOGETHER],
            counts: vec![0; sizes.len()],
            past_cache,
        })
    }

    /// Adds a row to a partition.
    #[inline]
    pub fn push(&mut self, partition: usize, row: R) {
        let count = &mut self.counts[partition];
        self.kept[partition * Self::TOGETHER + usize::from(*count)] = MaybeUninit::new(row);
        *count += 1;
        if usize::from(*count) == Self::TOGETHER {
            *count = 0;
            self.write(partition, Self::TOGETHER);
        }
    }

    /// Writes so many rows of a partition that are kept; those before must have filled whole lines.
    #[inline]
    fn write(&mut self, partition: usize, count: usize) {
        let kept = &self.kept[partition * Self::TOGETHER..][..count];
        let needed = size_of_val(kept).div_ceil(size_of::<Line>());
        let free = &mut self.free[partition];
        if needed <= free.len() {
            free.start += needed;
            write(kept, &mut self.lines[free.start - needed..free.start], self.past_cache);
        } else {
            free.end = free.start;
            let more = &mut self.more[partition];
            let written = more.len();
            more.resize(written + needed, Line::UNWRITTEN);
            write(kept, &mut more[written..], self.past_cache);
        }
    }

    fn finish(mut self) -> Stretch<R> {
        let piles = (0..self.counts.len()).map(|partition| self.pile(partition)).collect();
        if self.past_cache {
            fence();
        }
        Stretch { lines: self.lines, piles, rows: PhantomData }
    }

    fn pile(&mut self, partition: usize) -> Pile {
        let last = usize::from(self.counts[partition]);
        let begin = self.begins[partition];
        let whole = |lines: usize| lines * size_of::<Line>() / size_of::<R>();
        let (mut count, mut more_count) =
            (whole(self.free[partition].start - begin), whole(self.more[partition].len()));
        self.write(partition, last);
        let more = mem::take(&mut self.more[partition]);
        *if more.is_empty() { &mut count } else { &mut more_count } += last;
        Pile { begin, count, more, more_count }
    }
}

/// Writes rows to lines, which have room for them.
#[inline]
fn write<R: Copy>(rows: &[MaybeUninit<R>], lines: &mut [Line], past_cache: bool) {
    let bytes = size_of_val(rows);
    assert!(bytes <= size_of_val(lines));
    let (from, to) = (rows.as_ptr().cast::<u8>(), lines.as_mut_ptr().cast::<u8>());
    // SAFETY: `rows` has so many bytes, and `lines` too, which begin as lines have to; nobody else has them. Only
    // whole lines are written past the cache.
    unsafe {
        if past_cache && bytes == size_of_val(lines) {
            (0..bytes).step_by(size_of::<Line>()).for_each(|at| write_past_cache(from.add(at), to.add(at)));
        } else {
            ptr::copy_nonoverlapping(from, to, bytes);
        }
    }
}

/// Copies a line without bringing it into the cache, where it would be read from memory first and drive out others.
///
/// # Safety
/// 64 bytes can be read at `from` and written at `to`, which is aligned as a line.
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn write_past_cache(from: *const u8, to: *mut u8) {
    // SAFETY: every such processor has SSE2, and the caller says that the memory may be accessed. Instructions copy
    // the bytes between the fields of rows, which have no value in Rust, like all others.
    unsafe {
        std::arch::asm!(
            "movdqu {a}, [{from}]",
            "movdqu {b}, [{from} + 16]",
            "movdqu {c}, [{from} + 32]",
            "movdqu {d}, [{from} + 48]",
            "movntdq [{to}], {a}",
            "movntdq [{to} + 16], {b}",
            "movntdq [{to} + 32], {c}",
            "movntdq [{to} + 48], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// Copies a line; also under Miri, which knows no instructions.
///
/// # Safety
/// 64 bytes can be read at `from` and written at `to`.
#[cfg(any(not(target_arch = "x86_64"), miri))]
unsafe fn write_past_cache(from: *const u8, to: *mut u8) {
    // SAFETY: as the caller says.
    unsafe { ptr::copy_nonoverlapping(from, to, size_of::<Line>()) }
}

/// Lets other threads see what was written past the cache before they see what this one writes next.
fn fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every such processor has the instruction, which only waits.
    unsafe {
        std::arch::asm!("sfence", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a size that divides no line, with bytes between their fields.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Row(u64, u32, bool);

    fn dealt_out(sizes: &[usize], rows: u32, past_cache: bool) {
        let mut piles = Piles::new(sizes, past_cache).unwrap();
        let row = |number: u32| Row(u64::from(number) << 32, number, number.is_multiple_of(3));
        let pile = |number: u32| (number * number % 7) as usize % sizes.len();
        (0..rows).for_each(|number| piles.push(pile(number), row(number)));
        let stretch = piles.finish();
        for place in 0..sizes.len() {
            let expected: Vec<Row> = (0..rows).filter(|&number| pile(number) == place).map(row).collect();
            assert_eq!(stretch.slices(place).concat(), expected);
        }
    }

    #[test]
    fn each_partition_has_its_rows_in_order_whatever_was_expected_of_it() {
        for rows in [0, 1, 7, 8, 9, 64, 1_000] {
            for past_cache in [false, true] {
                dealt_out(&[0], rows, past_cache);
                dealt_out(&[3, 1_000, 0], rows, past_cache);
            }
        }
    }
}
