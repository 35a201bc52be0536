//! Rows dealt out, so that those that are needed together lie together.
//!
//! All rows are read once in their order and written to partitions, by the hash of a key or by what else a caller
//! has; a partition then fits the cache, and its rows are brought into order there.

use std::ops::Range;

use crate::core::error::{Result, room};
use crate::core::hash::Key;
use crate::core::pool;

/// Rows of a partition: so many fit the cache with what is made of them.
const ROWS: usize = 1 << 16;
/// Partitions at the most: each is written to at a place of its own, and more places than this miss the cache.
const MOST: usize = 1 << 10;
/// Rows read at once.
const READ: usize = 1 << 12;

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

/// Rows in partitions.
pub struct Dealt<R> {
    /// For each stretch of the table, and in it for each partition, the rows in their order.
    stretches: Vec<Vec<Vec<R>>>,
}

impl<R> Dealt<R> {
    /// Deals out so many rows on the threads of the pool that this is called in, a stretch of them each.
    ///
    /// `sizes` tells of a stretch how many rows come to each partition, or about how many; `fill` reads the stretch
    /// and adds the rows.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(
        rows: usize,
        sizes: impl Fn(Range<usize>) -> Vec<usize> + Sync + Send,
        fill: impl Fn(Range<usize>, &mut [Vec<R>]) + Sync + Send,
    ) -> Result<Self>
    where
        R: Send,
    {
        let length = rows.div_ceil(pool::threads()).max(READ);
        let stretches = pool::map(rows.div_ceil(length), |stretch| {
            let stretch = stretch * length..rows.min((stretch + 1) * length);
            let mut dealt = sizes(stretch.clone()).into_iter().map(room).collect::<Result<Vec<Vec<R>>>>()?;
            fill(stretch, &mut dealt);
            Ok(dealt)
        });
        Ok(Self { stretches: stretches.into_iter().collect::<Result<_>>()? })
    }

    /// The rows of one partition in their order.
    pub fn rows(&self, partition: usize) -> impl Iterator<Item = &R> {
        self.slices(partition).flatten()
    }

    /// The same in slices.
    pub fn slices(&self, partition: usize) -> impl Iterator<Item = &[R]> + Clone {
        self.stretches.iter().map(move |stretch| stretch[partition].as_slice())
    }
}
