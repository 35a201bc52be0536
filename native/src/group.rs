//! Which rows belong to which query.
//!
//! Rows with the same query that stand together are a *segment*. A table that is grouped by query has one
//! segment a query and is used in place; in a shuffled one nearly every row is a segment of its own. Both are
//! the same to the reader: a query is a list of segments, in the order of the rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::hash::Key;
use crate::ids::Column;

/// Rows looked at by one task.
const BLOCK: usize = 1 << 16;
/// Segments of fewer rows than this, on average, are short.
const SHORT: usize = 8;
/// Marks a segment whose query is not judged.
const UNJUDGED: u32 = u32::MAX;

/// The segments of one table, query after query.
pub struct Groups {
    /// First row of each segment and the row after its last, packed; those of one query in row order.
    segments: Vec<u64>,
    /// For each query where its segments begin, and at the end their number.
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
        self.segments[segments].iter().map(|&segment| unpacked(segment))
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
            _ => {
                scratch.clear();
                self.ranges(query).for_each(|rows| column.read(rows, scratch));
                scratch
            }
        }
    }

    /// The row at which the value at `position` of [`Groups::values`] stands.
    pub fn row(&self, query: usize, position: usize) -> usize {
        let mut rows = self.ranges(query).flatten();
        rows.nth(position).expect("a position among the rows of its query")
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
        let groups = counting_sort(&starts, &query_of, queries.first_rows.len());
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

    /// Finds the judged query of every result.
    pub fn assign(&self, column: &Column<'_, K>) -> Result<Assigned> {
        let starts = segment_starts(column)?;
        let query_of: Vec<u32> = starts[..starts.len() - 1]
            .par_iter()
            .map(|&start| self.find(column.value(start as usize)).unwrap_or(UNJUDGED))
            .collect();
        let unjudged = distinct_unjudged(column, &starts, &query_of);
        Ok(Assigned { starts, query_of, queries: self.first_rows.len(), unjudged })
    }

    fn find(&self, key: K) -> Option<u32> {
        self.ordinals.find(key.hash(), |&(known, _)| known == key).map(|&(_, ordinal)| ordinal)
    }
}

/// The segments of the results, each with its judged query.
pub struct Assigned {
    /// The first row of each segment, and at the end the number of rows.
    starts: Vec<u32>,
    /// The query of each segment, or [`UNJUDGED`].
    query_of: Vec<u32>,
    queries: usize,
    /// Number of queries with results and without judgements.
    pub unjudged: usize,
}

impl Assigned {
    /// Number of judged queries.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.query_of.len()
    }

    /// The rows of some segments.
    pub fn rows(&self, segments: Range<usize>) -> Range<usize> {
        self.starts[segments.start] as usize..self.starts[segments.end] as usize
    }

    /// Those of some segments that have a judged query, with it.
    pub fn judged(&self, segments: Range<usize>) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        let judged = segments.filter(|&segment| self.query_of[segment] != UNJUDGED);
        judged.map(|segment| (self.query_of[segment], self.rows(segment..segment + 1)))
    }

    /// The first row whose query is not judged.
    pub fn first_unjudged(&self) -> Option<usize> {
        let segment = self.query_of.iter().position(|&query| query == UNJUDGED);
        segment.map(|segment| self.starts[segment] as usize)
    }

    /// Whether the rows of a query lie so far apart that it pays to bring them together before reading them.
    pub fn is_scattered(&self) -> bool {
        self.segments() > BLOCK && self.segments() > self.rows(0..self.segments()).len() / SHORT
    }

    /// The segments brought into the order of their queries.
    pub fn groups(&self) -> Groups {
        counting_sort(&self.starts, &self.query_of, self.queries)
    }

    /// The row at which a query's result stands that is at `position` among them.
    pub fn row(&self, query: usize, position: usize) -> usize {
        let own = self.judged(0..self.segments()).filter(|&(of, _)| of as usize == query);
        own.flat_map(|(_, rows)| rows).nth(position).expect("a position among the rows of its query")
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

/// Brings segments into the order of their queries, those of one query in the order of the rows, and leaves
/// the unjudged out.
fn counting_sort(starts: &[u32], query_of: &[u32], queries: usize) -> Groups {
    let chunk = query_of.len().div_ceil(rayon::current_num_threads().min(8)).max(BLOCK);
    let mut counts: Vec<Vec<u32>> = query_of.par_chunks(chunk).map(|part| histogram(part, queries)).collect();
    let mut borders = Vec::with_capacity(queries + 1);
    let mut total = 0;
    for query in 0..queries {
        borders.push(total);
        for count in &mut counts {
            total += std::mem::replace(&mut count[query], total);
        }
    }
    borders.push(total);
    // Every place is written by exactly one task; atomics say so to the compiler at no cost.
    let sorted: Vec<AtomicU64> = (0..total).map(|_| AtomicU64::new(0)).collect();
    query_of.par_chunks(chunk).zip(counts).enumerate().for_each(|(part, (query_of, mut next))| {
        let segments = starts[part * chunk..].windows(2);
        for (&query, rows) in query_of.iter().zip(segments).filter(|&(&query, _)| query != UNJUDGED) {
            let place = &mut next[query as usize];
            sorted[*place as usize].store(packed(rows[0], rows[1]), Ordering::Relaxed);
            *place += 1;
        }
    });
    Groups { segments: sorted.into_iter().map(AtomicU64::into_inner).collect(), borders }
}

fn packed(start: u32, end: u32) -> u64 {
    u64::from(start) << 32 | u64::from(end)
}

fn unpacked(segment: u64) -> Range<usize> {
    (segment >> 32) as usize..segment as u32 as usize
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
        let groups = counting_sort(&[0, 3, 4, 6, 7, 9], &[2, 0, UNJUDGED, 2, 0], 3);
        let ranges: Vec<Vec<_>> = (0..3).map(|query| groups.ranges(query).collect()).collect();
        assert_eq!(ranges, [vec![3..4, 7..9], vec![], vec![0..3, 6..7]]);
        assert_eq!(groups.row(2, 3), 6);
    }
}
