//! Labelled scores, query by query.

use std::ops::Range;

use crate::core::column::{AHEAD, Column, prefetch_some};
use crate::core::deal::{Dealt, Piles, expected, partition_of, partitions, pieces};
use crate::core::error::Result;
use crate::core::group::{Groups, Numbering, Queries, check_rows, is_scattered};
use crate::core::hash::Key;
use crate::core::ids::Ids;
use crate::core::pool;
use crate::core::rows::labelled_rows::{Block, LabelledRows, RowColumns, RowScratch};
use crate::core::rows::ranked_scores::{Element, Weighted, pairs_of};
use crate::core::scores::Score;
use crate::core::wide::wide;

/// Queries of a block.
const BLOCK: usize = 256;
/// Rows of several queries that are read at once: what is read of them stays in the cache.
const TOGETHER: usize = 1 << 13;
/// So many comparisons a row take no longer than sorting the rows of a query does.
const COMPARISONS: usize = 64;

/// Scores that one is compared with at once, and again at once.
const LANES: usize = 32;

/// What the rows of one query come to.
#[derive(Debug, Clone, Copy)]
pub struct QuerySums {
    /// The first of them.
    pub first_row: u32,
    /// How many there are.
    pub rows: u32,
    /// What those that are positive come to beside the others.
    pub pairs: Pairs,
}

/// What rows come to whose positive ones are compared with the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairs {
    /// Pairs of a positive and another row with the positive ahead, those with equal scores counted half.
    pub ordered: f64,
    /// Weight of the positive rows.
    pub positives: f64,
    /// Weight of the others.
    pub others: f64,
}

/// All queries, in the order of their first rows.
pub fn queries(rows: &LabelledRows, query: &str) -> Result<Vec<QuerySums>> {
    match rows.query_ids(query)? {
        Ids::Integer(column) => of_column(rows, &column),
        Ids::Text(column) => of_column(rows, &column),
    }
}

fn of_column<K: Key>(rows: &LabelledRows, column: &Column<'_, K>) -> Result<Vec<QuerySums>> {
    match (rows.weight.is_some(), rows.float32()) {
        (true, _) => of_gathered::<K, Vec<Weighted>>(rows, column),
        (false, true) => of_gathered::<K, TwoClasses<f32>>(rows, column),
        (false, false) => of_gathered::<K, TwoClasses<f64>>(rows, column),
    }
}

fn of_gathered<K: Key, G: QueryRows>(rows: &LabelledRows, column: &Column<'_, K>) -> Result<Vec<QuerySums>> {
    let columns = rows.open::<G::Score, bool>()?;
    check_rows(columns.len())?;
    if is_scattered(column) {
        return of_scattered::<K, G>(&columns, column);
    }
    let (queries, groups) = Queries::alone(column)?;
    let of_block = if groups.are_whole() { of_whole } else { of_pieces };
    let blocks = pool::map_init(groups.len().div_ceil(BLOCK), Memory::<G>::default, |memory, block| {
        let own = block * BLOCK..groups.len().min((block + 1) * BLOCK);
        let first_rows = &queries.first_rows[own.clone()];
        let sums = of_block(&columns, &groups, own, memory);
        let sums = first_rows.iter().zip(sums);
        sums.map(|(&first_row, (rows, pairs))| QuerySums { first_row, rows, pairs }).collect::<Vec<_>>()
    });
    Ok(blocks.concat())
}

/// What rows are read into, and gathered in.
#[derive(Default)]
struct Memory<G: QueryRows> {
    scratch: RowScratch<G::Score>,
    gathered: G,
}

/// How many rows some queries have, and what they come to, where the rows of each stand together.
fn of_whole<G: QueryRows>(
    columns: &RowColumns<'_, G::Score>,
    groups: &Groups,
    queries: Range<usize>,
    Memory { scratch, gathered }: &mut Memory<G>,
) -> Vec<(u32, Pairs)> {
    let mut sums = Vec::with_capacity(queries.len());
    for together in read_together(groups, queries) {
        let all = rows_of(groups, &together);
        let begin = all.start;
        let block = columns.read(all, scratch);
        for query in together {
            let rows = rows_of(groups, &(query..query + 1));
            let own = rows.start - begin..rows.end - begin;
            prefetch_some(block.scores, own.start + AHEAD..own.end + AHEAD);
            gathered.clear();
            gathered.take(&block.part(own));
            sums.push((rows.len() as u32, gathered.pairs()));
        }
    }
    sums
}

/// The same wherever the rows of each stand.
fn of_pieces<G: QueryRows>(
    columns: &RowColumns<'_, G::Score>,
    groups: &Groups,
    queries: Range<usize>,
    Memory { scratch, gathered }: &mut Memory<G>,
) -> Vec<(u32, Pairs)> {
    let sums = queries.map(|query| {
        gathered.clear();
        let mut count = 0;
        for rows in groups.ranges(query) {
            count += rows.len() as u32;
            gathered.take(&columns.read(rows, scratch));
        }
        (count, gathered.pairs())
    });
    sums.collect()
}

/// The rows of several queries, of which each stands together.
fn rows_of(groups: &Groups, queries: &Range<usize>) -> Range<usize> {
    let rows = |query| groups.ranges(query).next().unwrap_or_default();
    rows(queries.start).start..rows(queries.end - 1).end
}

/// Queries whose rows are read at once: as many as there are few rows of, one at least.
fn read_together(groups: &Groups, queries: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = queries.start;
    std::iter::from_fn(move || {
        let begin = next;
        while next < queries.end && (next == begin || rows_of(groups, &(begin..next + 1)).len() <= TOGETHER) {
            next += 1;
        }
        (begin < next).then_some(begin..next)
    })
}

/// The rows of one query.
trait QueryRows: Default + Send {
    /// One row, on its own.
    type Row: Copy + Default + Send + Sync;
    /// A score as it is read.
    type Score: Score;

    fn row(positive: bool, score: Self::Score, weight: f64) -> Self::Row;
    fn clear(&mut self);
    fn add(&mut self, row: Self::Row);
    fn take(&mut self, block: &Block<'_, Self::Score>);
    fn pairs(&mut self) -> Pairs;
}

impl QueryRows for Vec<Weighted> {
    type Row = Weighted;
    type Score = f64;

    fn row(positive: bool, score: f64, weight: f64) -> Weighted {
        Weighted::new(score.code(), positive, weight)
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn add(&mut self, row: Weighted) {
        self.push(row);
    }

    fn take(&mut self, block: &Block<'_>) {
        self.extend(block.rows().map(|(positive, score, weight)| Self::row(positive, score, weight)));
    }

    fn pairs(&mut self) -> Pairs {
        let (ordered, positives, others) = pairs_of(self);
        Pairs { ordered, positives, others }
    }
}

/// The scores of the positive rows of a query, and those of the others, where each weighs 1.
#[derive(Default)]
struct TwoClasses<S> {
    /// The scores of each class, others first; beyond `counts` anything.
    scores: [Vec<S>; 2],
    counts: [usize; 2],
}

impl<S: Score> TwoClasses<S> {
    /// Makes room for more rows.
    fn reserve(&mut self, rows: usize) {
        for (scores, count) in self.scores.iter_mut().zip(self.counts) {
            if scores.len() < count + rows + LANES {
                scores.resize((count + rows + LANES).next_power_of_two(), S::default());
            }
        }
    }
}

impl<S: Score> TwoClasses<S> {
    /// Twice the pairs in order, of which each is looked at.
    fn compared(&mut self) -> u64 {
        let positive_are_fewer = self.counts[1] < self.counts[0];
        let (more, fewer) = (usize::from(!positive_are_fewer), usize::from(positive_are_fewer));
        // Whole lanes are compared at once; what fills up the last ones is in no order with anything.
        let count = self.counts[more];
        self.reserve(0);
        self.scores[more][count..count + LANES].fill(S::of(f64::NAN));
        let whole = &self.scores[more][..count.next_multiple_of(LANES)];
        let (lanes, _) = whole.as_chunks();
        compared(&self.scores[fewer][..self.counts[fewer]], lanes, positive_are_fewer)
    }
}

impl<S: Score> QueryRows for TwoClasses<S> {
    type Row = (S, bool);
    type Score = S;

    fn row(positive: bool, score: S, _: f64) -> (S, bool) {
        (score, positive)
    }

    fn clear(&mut self) {
        self.counts = [0; 2];
    }

    fn add(&mut self, (score, positive): (S, bool)) {
        self.reserve(1);
        let class = usize::from(positive);
        self.scores[class][self.counts[class]] = score;
        self.counts[class] += 1;
    }

    fn take(&mut self, block: &Block<'_, S>) {
        self.reserve(block.labels.len());
        let (counts, [others, positives]) = (self.counts, &mut self.scores);
        let own = split(block, &mut others[counts[0]..], &mut positives[counts[1]..]);
        self.counts = [counts[0] + block.labels.len() - own, counts[1] + own];
    }

    fn pairs(&mut self) -> Pairs {
        let [other, positive] = self.counts;
        let twice = if positive * other <= COMPARISONS * (positive + other) {
            self.compared()
        } else {
            let [others, positives] = &mut self.scores;
            merged(&mut positives[..positive], &mut others[..other])
        };
        Pairs { ordered: twice as f64 / 2.0, positives: positive as f64, others: other as f64 }
    }
}

/// Writes the scores of a block to those of their class, each of which has room for all; gives how many are positive.
fn split<S: Score>(block: &Block<'_, S>, others: &mut [S], positives: &mut [S]) -> usize {
    let rows = block.labels.len();
    let (others, positives) = (&mut others[..rows], &mut positives[..rows]);
    let mut count = 0;
    // Each score is written to both, and stays where the next one is not written over it: labels in no order
    // would be branches that cannot be foreseen.
    for (row, (&is_positive, &score)) in block.labels.iter().zip(block.scores).enumerate() {
        // SAFETY: of the `row` rows before this one `count` were positive, so that neither place is beyond `row`,
        // which is below `rows`: both slices have so many.
        unsafe {
            *others.get_unchecked_mut(row - count) = score;
            *positives.get_unchecked_mut(count) = score;
        }
        count += usize::from(is_positive);
    }
    count
}

wide! {
    /// Twice the pairs in order, of which each is looked at.
    fn compared<S: Score>(fewer: &[S], more: &[[S; LANES]], positive_are_fewer: bool) -> u64 = compared_any
}

#[inline(always)]
fn compared_any<S: Score>(fewer: &[S], more: &[[S; LANES]], positive_are_fewer: bool) -> u64 {
    let twice = |p: S, o: S| S::Count::from(o < p) + S::Count::from(o <= p);
    // Only loops are sure to become part of the function, which may use what is asked of the processor.
    let mut total = 0;
    for lanes in more {
        total += if positive_are_fewer {
            added_up(fewer, lanes, twice)
        } else {
            added_up(fewer, lanes, |one, other| twice(other, one))
        };
    }
    total
}

#[inline(always)]
fn added_up<S: Score>(fewer: &[S], lanes: &[S; LANES], twice: impl Fn(S, S) -> S::Count) -> u64 {
    let mut counts = [S::Count::default(); LANES];
    for &one in fewer {
        for lane in 0..LANES {
            counts[lane] += twice(one, lanes[lane]);
        }
    }
    let mut total = 0;
    for count in counts {
        total += count.into();
    }
    total
}

/// Twice the pairs in order, of scores that this sorts.
fn merged<S: Score>(positives: &mut [S], others: &mut [S]) -> u64 {
    let order = |a: &S, b: &S| a.partial_cmp(b).expect("NaN has been refused");
    positives.sort_unstable_by(order);
    others.sort_unstable_by(order);
    let (mut below, mut reached) = (0, 0);
    let twice = |&positive: &S| {
        below += others[below..].iter().take_while(|&&other| other < positive).count();
        reached += others[reached..].iter().take_while(|&&other| other <= positive).count();
        (below + reached) as u64
    };
    positives.iter().map(twice).sum()
}

/// A row on the way to its query.
#[derive(Clone, Copy)]
struct DealtRow<K, R> {
    query: K,
    number: u32,
    row: R,
}

/// The same where the rows of a query lie far apart: they are dealt out by the hash of their query first.
fn of_scattered<K: Key, G: QueryRows>(
    columns: &RowColumns<'_, G::Score>,
    column: &Column<'_, K>,
) -> Result<Vec<QuerySums>> {
    let partitions = partitions(column.len());
    let sizes = |stretch| vec![expected(&stretch, partitions); partitions];
    let fill = |stretch, dealt: &mut Piles<DealtRow<K, G::Row>>| {
        let (mut keys, mut scratch) = (Vec::new(), RowScratch::default());
        for piece in pieces(stretch) {
            let block = columns.read(piece.clone(), &mut scratch);
            let queries = column.values(piece.clone(), &mut keys);
            let rows = (piece.start as u32..).zip(queries).zip(block.rows());
            for ((number, &query), (positive, score, weight)) in rows {
                let row = G::row(positive, score, weight);
                dealt.push(partition_of(query, partitions), DealtRow { query, number, row });
            }
        }
    };
    let dealt = Dealt::new(column.len(), sizes, fill)?;
    let parts = pool::map(partitions, |partition| of_partition::<K, G, _>(|| dealt.rows(partition)));
    let mut all = parts.concat();
    all.sort_unstable_by_key(|query| query.first_row);
    Ok(all)
}

fn of_partition<'a, K: Key + 'a, G: QueryRows, I: Iterator<Item = &'a DealtRow<K, G::Row>>>(
    rows: impl Fn() -> I,
) -> Vec<QuerySums>
where
    G::Row: 'a,
{
    let mut queries = Numbering::with_capacity(0);
    let (mut first_rows, mut counts, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows() {
        let place = queries.number(row.query, first_rows.len() as u32);
        if place as usize == first_rows.len() {
            first_rows.push(row.number);
            counts.push(0_usize);
        }
        counts[place as usize] += 1;
        places.push(place);
    }
    let mut next = Vec::with_capacity(counts.len());
    let mut total = 0;
    for &count in &counts {
        next.push(total);
        total += count;
    }
    let mut together = vec![G::Row::default(); total];
    for (row, &place) in rows().zip(&places) {
        let at = &mut next[place as usize];
        together[*at] = row.row;
        *at += 1;
    }
    let mut gathered = G::default();
    let mut rest = together.as_slice();
    let mut query = |(first_row, count): (u32, usize)| {
        let (own, later) = rest.split_at(count);
        rest = later;
        gathered.clear();
        own.iter().for_each(|&row| gathered.add(row));
        QuerySums { first_row, rows: count as u32, pairs: gathered.pairs() }
    };
    first_rows.into_iter().zip(counts).map(&mut query).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float32Array, Int64Array, UInt8Array};

    use super::*;

    /// Some rows, in the order that is told.
    fn table(order: &[usize], query: impl Fn(usize) -> i64) -> LabelledRows {
        let labels: UInt8Array = order.iter().map(|row| u8::from(row * row % 7 == 2)).collect();
        let scores: Float32Array = order.iter().map(|row| (row * 7_919 % 1_009) as f32).collect();
        let queries: Int64Array = order.iter().map(|&row| query(row)).collect();
        LabelledRows::of_columns(vec![
            ("query", Arc::new(queries)),
            ("label", Arc::new(labels)),
            ("score", Arc::new(scores)),
        ])
    }

    #[test]
    fn queries_that_are_read_together_come_to_the_same_as_each_in_pieces() {
        // Queries of one row and more, one of more rows than are read at once, and more than a block has.
        let query = |row: usize| match row {
            ..50 => row,
            50..20_000 => 50 + row / 1_000,
            20_000..30_000 => 100,
            _ => 101 + (row - 30_000) / 5,
        } as i64;
        let whole: Vec<usize> = (0..32_000).collect();
        let (even, odd): (Vec<_>, Vec<_>) = whole.iter().partition(|&row| row % 2 == 0);
        let pieces = [even, odd].concat();
        let sums = |order: &[usize]| {
            let mut sums: Vec<_> = queries(&table(order, query), "query").unwrap();
            sums.sort_by_key(|sums| query(order[sums.first_row as usize]));
            sums.iter().map(|sums| (sums.rows, sums.pairs)).collect::<Vec<_>>()
        };
        assert_eq!(sums(&whole), sums(&pieces));
    }

    #[test]
    fn pairs_are_the_same_compared_or_merged() {
        let scores = |salt: u32| (0..40_u32).map(|i| (i * salt % 7) as f32).collect::<Vec<_>>();
        for few in [0, 1, 3, 40] {
            let (mut positives, mut others) = (scores(5), scores(11));
            positives.truncate(few);
            let pairs = positives.iter().flat_map(|&p| others.iter().map(move |&o| (p, o)));
            let expected: u64 = pairs.map(|(p, o)| u64::from(o < p) + u64::from(o <= p)).sum();
            let compared = |positives: &[f32], others: &[f32]| {
                let mut classes = TwoClasses::default();
                positives.iter().for_each(|&score| classes.add((score, true)));
                others.iter().for_each(|&score| classes.add((score, false)));
                classes.compared()
            };
            assert_eq!(compared(&positives, &others), expected);
            assert_eq!(compared(&others, &positives), 2 * 40 * few as u64 - expected);
            assert_eq!(merged(&mut positives, &mut others), expected);
        }
    }
}
