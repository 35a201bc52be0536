//! Labelled scores, query by query.

use std::ops::Range;

use hashbrown::HashTable;

use crate::error::Result;
use crate::group::{Queries, is_scattered};
use crate::hash::Key;
use crate::ids::{Column, Ids};
use crate::pool;
use crate::ranked::{Element, Weighted, code_of, pairs_of, score_of};
use crate::rows::{Columns, Rows, Scratch};

/// Queries of a block.
const BLOCK: usize = 256;
/// Rows of a partition of scattered rows: so many fit the cache.
const ROWS: usize = 1 << 16;
/// Partitions at the most: each is written to at a place of its own.
const MOST: usize = 1 << 10;
/// Rows read at once.
const READ: usize = 1 << 12;

/// What the rows of one query come to.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// The first of them.
    pub first_row: u32,
    /// How many there are.
    pub rows: u32,
    /// Pairs of a positive and another row with the positive ahead, those with equal scores counted half.
    pub pairs: f64,
    /// Weight of the positive rows.
    pub positives: f64,
    /// Weight of the others.
    pub others: f64,
    /// Weighted sum of the scores.
    pub score: f64,
}

/// All queries, in the order of their first rows.
pub fn queries(rows: &Rows, query: &str) -> Result<Vec<Query>> {
    match Ids::new(&rows.table, query, &format!("{}: the query column '{query}'", rows.name))? {
        Ids::Integer(column) => of_column(rows, &column),
        Ids::Text(column) => of_column(rows, &column),
    }
}

fn of_column<K: Key>(rows: &Rows, column: &Column<'_, K>) -> Result<Vec<Query>> {
    if rows.float32() && rows.weight.is_none() {
        of_elements::<K, u64>(rows, column)
    } else {
        of_elements::<K, Weighted>(rows, column)
    }
}

fn of_elements<K: Key, E: Element>(rows: &Rows, column: &Column<'_, K>) -> Result<Vec<Query>> {
    let columns = rows.open()?;
    if is_scattered(column) {
        return Ok(of_scattered::<K, E>(rows, &columns, column));
    }
    let float32 = rows.float32();
    let (queries, groups) = Queries::new(column)?;
    let blocks = pool::map_init(
        groups.len().div_ceil(BLOCK),
        || (Scratch::default(), Vec::new()),
        |(scratch, elements), block| {
            let own = block * BLOCK..groups.len().min((block + 1) * BLOCK);
            let query = |query: usize| {
                elements.clear();
                groups.ranges(query).for_each(|range| read::<E>(&columns, range, float32, scratch, elements));
                summed(queries.first_rows[query], elements, float32)
            };
            own.map(query).collect::<Vec<_>>()
        },
    );
    Ok(blocks.concat())
}

fn read<E: Element>(
    columns: &Columns<'_>,
    range: Range<usize>,
    float32: bool,
    scratch: &mut Scratch,
    elements: &mut Vec<E>,
) {
    let block = columns.read(range, scratch);
    let rows =
        block.rows().map(|(positive, score, weight)| E::new(code_of(score, float32), positive, weight));
    elements.extend(rows);
}

fn summed<E: Element>(first_row: u32, rows: &mut [E], float32: bool) -> Query {
    let score = rows.iter().map(|&row| row.weight() * score_of(row.code(), float32)).sum();
    let (pairs, positives, others) = pairs_of(rows);
    Query { first_row, rows: rows.len() as u32, pairs, positives, others, score }
}

/// A row on the way to its query.
struct Dealt<K, E> {
    query: K,
    row: u32,
    element: E,
}

/// The same where the rows of a query lie far apart: they are dealt out by the hash of their query first.
fn of_scattered<K: Key, E: Element>(
    rows: &Rows,
    columns: &Columns<'_>,
    column: &Column<'_, K>,
) -> Vec<Query> {
    let float32 = rows.float32();
    let partitions = (column.len() / ROWS).next_power_of_two().min(MOST);
    let length = column.len().div_ceil(pool::threads()).max(READ);
    let stretches = pool::map(column.len().div_ceil(length), |stretch| {
        let stretch = stretch * length..column.len().min((stretch + 1) * length);
        let mut dealt: Vec<Vec<Dealt<K, E>>> =
            (0..partitions).map(|_| Vec::with_capacity(stretch.len() / partitions * 9 / 8)).collect();
        let (mut keys, mut scratch) = (Vec::new(), Scratch::default());
        for begin in stretch.clone().step_by(READ) {
            let piece = begin..stretch.end.min(begin + READ);
            let block = columns.read(piece.clone(), &mut scratch);
            let queries = column.values(piece, &mut keys);
            for ((row, &query), (positive, score, weight)) in (begin as u32..).zip(queries).zip(block.rows())
            {
                let element = E::new(code_of(score, float32), positive, weight);
                dealt[(query.hash() >> 44) as usize & (partitions - 1)].push(Dealt { query, row, element });
            }
        }
        dealt
    });
    let parts = pool::map(partitions, |partition| {
        of_partition(|| stretches.iter().flat_map(|stretch| &stretch[partition]), float32)
    });
    let mut all = parts.concat();
    all.sort_unstable_by_key(|query| query.first_row);
    all
}

fn of_partition<'a, K: Key + 'a, E: Element + 'a, I: Iterator<Item = &'a Dealt<K, E>>>(
    rows: impl Fn() -> I,
    float32: bool,
) -> Vec<Query> {
    let mut known: HashTable<(K, u32)> = HashTable::new();
    let (mut first_rows, mut counts, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows() {
        let found = known.entry(row.query.hash(), |&(key, _)| key == row.query, |&(key, _)| key.hash());
        let place = found.or_insert((row.query, first_rows.len() as u32)).get().1;
        if place as usize == first_rows.len() {
            first_rows.push(row.row);
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
    let mut elements = vec![E::default(); total];
    for (row, &place) in rows().zip(&places) {
        let at = &mut next[place as usize];
        elements[*at] = row.element;
        *at += 1;
    }
    let mut rest = elements.as_mut_slice();
    let mut take = |(first_row, count): (u32, usize)| {
        let (own, later) = std::mem::take(&mut rest).split_at_mut(count);
        rest = later;
        summed(first_row, own, float32)
    };
    first_rows.into_iter().zip(counts).map(&mut take).collect()
}
