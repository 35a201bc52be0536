//! Which rows belong to which query.
//!
//! Rows with the same query that stand together are a *segment*. A table that is grouped by query has one
//! segment a query and is used in place; in a shuffled one nearly every row is a segment of its own. Both are
//! the same to the reader: a query is a list of segments, in the order of the rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::hash::Key;
use crate::ids::Column;

/// Rows looked at by one task.
const BLOCK: usize = 1 << 16;
/// Marks a segment whose query is not judged.
const UNJUDGED: u32 = u32::MAX;

/// The segments of one table, and for each query those that are its own.
pub struct Groups {
    /// First row of each segment, and at the end the number of rows.
    starts: Vec<u32>,
    /// Segments, query after query.
    order: Vec<u32>,
    /// For each query where its segments begin in `order`, and at the end their number.
    borders: Vec<u32>,
}

impl Groups {
    /// Number of queries.
    pub fn len(&self) -> usize {
        self.borders.len() - 1
    }

    /// The row ranges of one query, in the order of the rows.
    pub fn ranges(&self, query: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let segments = self.borders[query] as usize..self.borders[query + 1] as usize;
        self.order[segments].iter().map(|&segment| {
            self.starts[segment as usize] as usize..self.starts[segment as usize + 1] as usize
        })
    }

    /// The values of one query: a slice of the caller's memory where it can be, else read into `scratch`.
    pub fn values<'s, V: Copy>(
        &self,
        query: usize,
        column: &'s Column<'_, V>,
        scratch: &'s mut Vec<V>,
    ) -> &'s [V] {
        let mut ranges = self.ranges(query);
        match (ranges.next(), ranges.next()) {
            (None, _) => &[],
            (Some(only), None) => column.values(only, scratch),
            (Some(first), Some(second)) => {
                scratch.clear();
                for rows in [first, second].into_iter().chain(ranges) {
                    column.read(rows, scratch);
                }
                scratch
            }
        }
    }

    /// The row at which the value at `position` of [`Groups::values`] stands.
    pub fn row(&self, query: usize, position: usize) -> usize {
        let mut before = 0;
        for rows in self.ranges(query) {
            if position - before < rows.len() {
                return rows.start + position - before;
            }
            before += rows.len();
        }
        unreachable!("a position beyond the rows of its query")
    }

    fn new(starts: Vec<u32>, query_of: &[u32], queries: usize) -> Self {
        let (order, borders) = counting_sort(query_of, queries);
        Self { starts, order, borders }
    }
}

/// The queries of the judgements, and where to find each.
pub struct Queries<K> {
    ordinals: HashTable<(K, u32)>,
    /// The first row of each query; queries are in the order of these rows.
    pub first_rows: Vec<u32>,
}

impl<K: Key> Queries<K> {
    /// Groups the judgements by query.
    pub fn new(column: &Column<'_, K>) -> Result<(Self, Groups)> {
        let starts = segment_starts(column)?;
        let mut queries = Self { ordinals: HashTable::new(), first_rows: Vec::new() };
        let query_of: Vec<u32> = starts[..starts.len() - 1]
            .iter()
            .map(|&start| queries.insert(column.value(start as usize), start))
            .collect();
        let groups = Groups::new(starts, &query_of, queries.first_rows.len());
        Ok((queries, groups))
    }

    fn insert(&mut self, key: K, row: u32) -> u32 {
        let next = self.first_rows.len() as u32;
        let entry = self.ordinals.entry(key.hash(), |&(known, _)| known == key, |&(known, _)| known.hash());
        let ordinal = entry.or_insert((key, next)).get().1;
        if ordinal == next {
            self.first_rows.push(row);
        }
        ordinal
    }

    /// Groups the results by the judged queries; also the number of queries that are not judged, and the
    /// first row of such a query.
    pub fn group(&self, column: &Column<'_, K>) -> Result<(Groups, usize, Option<usize>)> {
        let starts = segment_starts(column)?;
        let query_of: Vec<u32> = starts[..starts.len() - 1]
            .par_iter()
            .map(|&start| self.find(column.value(start as usize)).unwrap_or(UNJUDGED))
            .collect();
        let unjudged = distinct_unjudged(column, &starts, &query_of);
        let first = query_of.iter().position(|&query| query == UNJUDGED).map(|at| starts[at] as usize);
        Ok((Groups::new(starts, &query_of, self.first_rows.len()), unjudged, first))
    }

    fn find(&self, key: K) -> Option<u32> {
        self.ordinals.find(key.hash(), |&(known, _)| known == key).map(|&(_, ordinal)| ordinal)
    }
}

/// The first row of every segment, and at the end the number of rows.
fn segment_starts<K: Key>(column: &Column<'_, K>) -> Result<Vec<u32>> {
    let rows = column.len();
    if u32::try_from(rows).is_err() {
        return Err(Error::data(format!(
            "{rows} rows are more than the {} that can be evaluated at once; split them by query",
            u32::MAX
        )));
    }
    let blocks: Vec<Vec<u32>> = (0..rows.div_ceil(BLOCK))
        .into_par_iter()
        .map_init(Vec::new, |scratch, block| {
            let begin = block * BLOCK;
            // One row of the block before, so that its last query is known.
            let first = begin.saturating_sub(1);
            let keys = column.values(first..rows.min(begin + BLOCK), scratch);
            let changes = (1..keys.len()).filter(|&i| keys[i] != keys[i - 1]).map(|i| (first + i) as u32);
            (begin == 0).then_some(0).into_iter().chain(changes).collect()
        })
        .collect();
    let mut starts = blocks.concat();
    starts.push(rows as u32);
    Ok(starts)
}

fn distinct_unjudged<K: Key>(column: &Column<'_, K>, starts: &[u32], query_of: &[u32]) -> usize {
    let sets = query_of
        .par_chunks(BLOCK)
        .zip(starts.par_chunks(BLOCK))
        .map(|(queries, starts)| {
            let unjudged = queries.iter().zip(starts).filter(|&(&query, _)| query == UNJUDGED);
            let mut seen = HashTable::new();
            unjudged.for_each(|(_, &start)| insert(&mut seen, column.value(start as usize)));
            seen
        })
        .reduce(HashTable::new, |a, b| {
            let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
            small.into_iter().for_each(|key| insert(&mut large, key));
            large
        });
    sets.len()
}

fn insert<K: Key>(seen: &mut HashTable<K>, key: K) {
    seen.entry(key.hash(), |&known| known == key, |&known| known.hash()).or_insert(key);
}

/// The indices of `keys` in the order of their keys, equal keys in the order of their indices; and where each
/// key begins. Keys equal to [`UNJUDGED`] are left out.
fn counting_sort(keys: &[u32], buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let chunk = keys.len().div_ceil(rayon::current_num_threads().min(8)).max(BLOCK);
    let mut counts: Vec<Vec<u32>> = keys.par_chunks(chunk).map(|keys| histogram(keys, buckets)).collect();
    let mut borders = Vec::with_capacity(buckets + 1);
    let mut total = 0;
    for bucket in 0..buckets {
        borders.push(total);
        for count in &mut counts {
            total += std::mem::replace(&mut count[bucket], total);
        }
    }
    borders.push(total);
    // Every place is written by exactly one task; atomics say so to the compiler at no cost.
    let order: Vec<AtomicU32> = (0..total).map(|_| AtomicU32::new(0)).collect();
    keys.par_chunks(chunk).zip(counts).enumerate().for_each(|(at, (keys, mut next))| {
        for (i, &key) in keys.iter().enumerate().filter(|&(_, &key)| key != UNJUDGED) {
            let place = &mut next[key as usize];
            order[*place as usize].store((at * chunk + i) as u32, Ordering::Relaxed);
            *place += 1;
        }
    });
    (order.into_iter().map(AtomicU32::into_inner).collect(), borders)
}

fn histogram(keys: &[u32], buckets: usize) -> Vec<u32> {
    let mut counts = vec![0; buckets];
    for &key in keys.iter().filter(|&&key| key != UNJUDGED) {
        counts[key as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counting_sort_is_stable_and_leaves_the_unjudged_out() {
        let (order, borders) = counting_sort(&[2, 0, UNJUDGED, 2, 0], 3);
        assert_eq!(order, [1, 4, 0, 3]);
        assert_eq!(borders, [0, 2, 2, 4]);
    }
}
