//! Scattered results, brought together by query.
//!
//! Reading each row of a query from where it lies would miss the cache with nearly every row. Instead all rows
//! are read once in their order and dealt out to partitions of some queries each; a partition then fits the
//! cache, and its rows are brought into the order of their queries there.

use std::ops::Range;

use rayon::prelude::*;

use crate::group::Assigned;
use crate::hash::Key;
use crate::ids::Column;

/// Partitions at the most: each is written to at a place of its own, and more places than this miss the cache.
const MOST: usize = 512;
/// A partition holds at least 2 to this many queries.
const LEAST_SHIFT: u32 = 6;
/// Segments read at once.
const READ: usize = 1 << 12;

/// A result on the way to its query.
#[derive(Clone, Copy)]
struct Row<K> {
    query: u32,
    item: K,
    score: f64,
}

/// All results, dealt out by query.
pub struct Partitions<K> {
    /// For each stretch of the table, and in it for each partition, the rows in their order.
    stretches: Vec<Vec<Vec<Row<K>>>>,
    shift: u32,
}

/// The results of one partition, query after query.
pub struct Gathered<K> {
    items: Vec<K>,
    scores: Vec<f64>,
    borders: Vec<usize>,
}

impl<K> Default for Gathered<K> {
    fn default() -> Self {
        Self { items: Vec::new(), scores: Vec::new(), borders: Vec::new() }
    }
}

impl<K: Key> Partitions<K> {
    /// Deals out the results; without scores all are 0.
    pub fn new(results: &Assigned, items: &Column<'_, K>, scores: Option<&Column<'_, f64>>) -> Self {
        let shift = (usize::BITS - (results.queries() / MOST).leading_zeros()).max(LEAST_SHIFT);
        let partitions = results.queries().div_ceil(1 << shift);
        let length = results.segments().div_ceil(rayon::current_num_threads()).max(1);
        let stretches = (0..results.segments().div_ceil(length))
            .into_par_iter()
            .map(|i| i * length..results.segments().min((i + 1) * length))
            .map(|stretch| deal(results, stretch, items, scores, shift, partitions))
            .collect();
        Self { stretches, shift }
    }

    /// Number of queries in a partition.
    pub fn queries(&self) -> usize {
        1 << self.shift
    }

    /// Brings the rows of one partition into the order of their queries, those of a query in row order.
    pub fn gather(&self, partition: usize, gathered: &mut Gathered<K>) {
        let Gathered { items, scores, borders } = gathered;
        let rows = || self.stretches.iter().flat_map(|stretch| &stretch[partition]);
        let query = |row: &Row<K>| row.query as usize - (partition << self.shift);
        borders.clear();
        borders.resize(self.queries() + 1, 0);
        rows().for_each(|row| borders[query(row) + 1] += 1);
        for at in 1..borders.len() {
            borders[at] += borders[at - 1];
        }
        let Some(any) = rows().next() else { return };
        items.clear();
        items.resize(borders[borders.len() - 1], any.item);
        scores.resize(items.len(), 0.0);
        let mut next = borders.clone();
        for row in rows() {
            let place = &mut next[query(row)];
            items[*place] = row.item;
            scores[*place] = row.score;
            *place += 1;
        }
    }
}

impl<K> Gathered<K> {
    /// Items and scores of one query, numbered within the partition.
    pub fn list(&self, query: usize) -> (&[K], &[f64]) {
        let rows = self.borders[query]..self.borders[query + 1];
        (&self.items[rows.clone()], &self.scores[rows])
    }
}

fn deal<K: Key>(
    results: &Assigned,
    stretch: Range<usize>,
    items: &Column<'_, K>,
    scores: Option<&Column<'_, f64>>,
    shift: u32,
    partitions: usize,
) -> Vec<Vec<Row<K>>> {
    let mut sizes = vec![0; partitions];
    results.judged(stretch.clone()).for_each(|(query, rows)| sizes[query as usize >> shift] += rows.len());
    let mut dealt: Vec<Vec<Row<K>>> = sizes.into_iter().map(Vec::with_capacity).collect();
    let (mut item_scratch, mut score_scratch) = (Vec::new(), Vec::new());
    for first in stretch.clone().step_by(READ) {
        let segments = first..stretch.end.min(first + READ);
        let rows = results.rows(segments.clone());
        let items = items.values(rows.clone(), &mut item_scratch);
        let scores = scores.map(|scores| scores.values(rows.clone(), &mut score_scratch));
        for (query, segment) in results.judged(segments) {
            dealt[query as usize >> shift].extend(segment.map(|row| {
                let at = row - rows.start;
                Row { query, item: items[at], score: scores.map_or(0.0, |scores| scores[at]) }
            }));
        }
    }
    dealt
}
