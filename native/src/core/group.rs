//! Which rows belong to which query.
//!
//! Rows with the same query that stand together are a *segment*. A table that is grouped by query has one
//! segment a query; in others a query is a list of segments, in the order of the rows.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;

use crate::core::column::Column;
use crate::core::error::{Error, Result, room};
use crate::core::hash::Key;
use crate::core::pool;
use crate::core::wide::wide;

/// Rows, or segments, looked at by one task.
const BLOCK: usize = 1 << 16;
/// Segments of fewer rows than this, on average, are short.
const SHORT: usize = 8;
/// In the place of a query's number: it is not judged.
pub const UNJUDGED: u32 = u32::MAX;

/// The segments of one table, query after query.
pub struct Groups(Segmented);

enum Segmented {
    /// One a query, each of which begins where the one before ends: where each begins, and the last ends.
    InTurn(Vec<u32>),
    /// Any.
    Apart {
        /// First row of each segment and the row after its last, packed; those of one query in row order.
        segments: Vec<u64>,
        /// For each query where its segments begin, and at the end their number.
        borders: Vec<u32>,
    },
}

impl Groups {
    /// A segment a query, by where each begins and the last ends.
    fn of_whole(starts: Vec<u32>) -> Self {
        Self(Segmented::InTurn(starts))
    }

    /// So many queries without rows.
    pub fn empty(queries: usize) -> Self {
        Self(Segmented::Apart { segments: Vec::new(), borders: vec![0; queries + 1] })
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        match &self.0 {
            Segmented::InTurn(starts) => starts.len() - 1,
            Segmented::Apart { borders, .. } => borders.len() - 1,
        }
    }

    /// Whether the rows of each query stand together.
    pub fn are_whole(&self) -> bool {
        match &self.0 {
            Segmented::InTurn(_) => true,
            Segmented::Apart { segments, .. } => segments.len() == self.len(),
        }
    }

    /// The rows of some queries, where all queries follow one another without a gap.
    pub fn in_turn(&self, queries: Range<usize>) -> Option<Range<usize>> {
        match &self.0 {
            Segmented::InTurn(starts) => Some(starts[queries.start] as usize..starts[queries.end] as usize),
            Segmented::Apart { .. } => None,
        }
    }

    /// The row ranges of one query, in the order of the rows.
    pub fn ranges(&self, query: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let segments = match &self.0 {
            Segmented::InTurn(_) => &[][..],
            Segmented::Apart { segments, borders } => {
                &segments[borders[query] as usize..borders[query + 1] as usize]
            }
        };
        let whole = self.in_turn(query..query + 1);
        whole.into_iter().chain(segments.iter().map(|&segment| unpacked(segment)))
    }

    /// The values of one query: a slice of the caller's memory where it can be, else read into `scratch`.
    pub fn values<'s, V: Copy>(
        &self,
        query: usize,
        column: &'s Column<'_, V>,
        scratch: &'s mut Vec<V>,
    ) -> &'s [V] {
        if let Some(rows) = self.in_turn(query..query + 1) {
            return column.values(rows, scratch);
        }
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
}

/// Keys, numbered in the order in which they first come.
pub struct Numbering<K>(HashTable<(K, u32)>);

impl<K: Key> Numbering<K> {
    /// No keys yet, and room for so many.
    pub fn with_capacity(keys: usize) -> Self {
        Self(HashTable::with_capacity(keys))
    }

    /// The number of a key, `next` if it is new.
    #[inline]
    pub fn number(&mut self, key: K, next: u32) -> u32 {
        let entry = self.0.entry(key.hash(), |&(known, _)| known == key, |&(known, _)| known.hash());
        entry.or_insert((key, next)).get().1
    }

    /// The number of a key that has one.
    pub fn find(&self, key: K) -> Option<u32> {
        self.0.find(key.hash(), |&(known, _)| known == key).map(|&(_, number)| number)
    }
}

/// The queries of the judgements, and where to find each.
pub struct Queries<K> {
    /// The id of each, unless they are those of the results and stand together there.
    pub keys: Vec<K>,
    /// Their numbers, once one of them is looked up.
    numbers: OnceLock<Numbering<K>>,
    /// The first row of each query; queries are in the order of these rows.
    pub first_rows: Vec<u32>,
}

impl<K: Key> Queries<K> {
    /// Groups the judgements by query.
    ///
    /// Nothing is looked up where they ascend, as they do in most tables that are sorted.
    pub fn new(column: &Column<'_, K>) -> Result<(Self, Groups)> {
        let Segments { starts, keys } = Segments::new(column)?;
        if ascend(&keys) {
            let first_rows = starts[..keys.len()].to_vec();
            let queries = Self { keys, numbers: OnceLock::new(), first_rows };
            return Ok((queries, Groups::of_whole(starts)));
        }
        let mut numbers = Numbering::with_capacity(starts.len().min(BLOCK));
        let (mut distinct, mut first_rows) = (Vec::new(), Vec::new());
        let numbered = keys.iter().zip(&starts).map(|(&key, &start)| {
            let next = distinct.len() as u32;
            let number = numbers.number(key, next);
            if number == next {
                distinct.push(key);
                first_rows.push(start);
            }
            number
        });
        let query_of: Vec<u32> = numbered.collect();
        let groups = counting_sort(starts, &query_of, first_rows.len())?;
        Ok((Self { keys: distinct, numbers: numbers.into(), first_rows }, groups))
    }

    /// Groups results by query where nothing is judged: these are the queries, and none is looked up.
    pub fn alone(column: &Column<'_, K>) -> Result<(Self, Groups)> {
        let Segments { starts, keys } = Segments::new(column)?;
        if !ascend(&keys) {
            return Self::new(column);
        }
        let first_rows = starts[..keys.len()].to_vec();
        let queries = Self { keys: Vec::new(), numbers: OnceLock::new(), first_rows };
        Ok((queries, Groups::of_whole(starts)))
    }

    /// Brings the results into the order of the judged queries; also the number of other queries.
    pub fn group(&self, column: &Column<'_, K>) -> Result<(Groups, usize)> {
        let pieces = Segments::pieces(column)?;
        if self.follow(&pieces) {
            return Ok((Groups::of_whole(Segments::starts(pieces, column.len())), 0));
        }
        let Segments { starts, keys } = Segments::joined(pieces, column.len());
        let found = pool::map(keys.len().div_ceil(BLOCK), |task| {
            let own = &keys[task * BLOCK..keys.len().min((task + 1) * BLOCK)];
            let mut others = HashTable::new();
            let mut next = task * BLOCK;
            let query_of = own.iter().map(|&key| {
                let found = self.find_near(key, next);
                next = found.map_or(next, |number| number as usize + 1);
                found.unwrap_or_else(|| {
                    insert(&mut others, key);
                    UNJUDGED
                })
            });
            (query_of.collect::<Vec<_>>(), others)
        });
        let (query_of, others): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let groups = counting_sort(starts, &joined(query_of), self.first_rows.len())?;
        Ok((groups, distinct(others)))
    }

    /// Whether the segments of all pieces are those of the judged queries in their order, as in most tables.
    fn follow(&self, pieces: &[Segments<K>]) -> bool {
        let mut next = 0;
        let starts = pieces.iter().map(|piece| {
            next += piece.keys.len();
            next - piece.keys.len()
        });
        let starts: Vec<usize> = starts.collect();
        let is_next = |piece: usize| {
            let keys = &pieces[piece].keys;
            self.keys.get(starts[piece]..starts[piece] + keys.len()) == Some(keys)
        };
        next == self.keys.len() && pool::map(pieces.len(), is_next).into_iter().all(|is_next| is_next)
    }

    /// The judged queries of some results in the order of their rows, but for the last one unless it has `ended`; None
    /// where one comes again, here or after those that have been `seen`.
    pub fn standing(
        &self,
        column: &Column<'_, K>,
        ended: bool,
        seen: &mut Seen<K>,
    ) -> Result<Option<Standing>> {
        let Seen { judged, others, next } = seen;
        let Segments { mut starts, mut keys } = Segments::new(column)?;
        if !ended && keys.pop().is_some() {
            starts.pop();
        }
        let (mut segments, mut numbers) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
        let before = others.len();
        for (&key, rows) in keys.iter().zip(starts.windows(2)) {
            let Some(number) = self.find_near(key, *next) else {
                let known = others.len();
                insert(others, key);
                if others.len() == known {
                    return Ok(None);
                }
                continue;
            };
            if std::mem::replace(&mut judged[number as usize], true) {
                return Ok(None);
            }
            segments.push(packed(rows[0], rows[1]));
            numbers.push(number);
            *next = number as usize + 1;
        }
        let rows = starts[keys.len()] as usize;
        let groups = match segments.len() == keys.len() {
            true => Groups::of_whole(starts),
            false => Groups(Segmented::Apart { borders: (0..=numbers.len() as u32).collect(), segments }),
        };
        Ok(Some(Standing { groups, numbers, unjudged_queries: others.len() - before, rows }))
    }

    /// The number of a judged query.
    pub fn find(&self, key: K) -> Option<u32> {
        self.numbers.get_or_init(|| self.numbered()).find(key)
    }

    /// The same, looked for first where it stands if the results have the order of the judgements.
    pub fn find_near(&self, key: K, expected: usize) -> Option<u32> {
        match self.keys.get(expected) {
            Some(&at) if at == key => Some(expected as u32),
            _ => self.find(key),
        }
    }

    fn numbered(&self) -> Numbering<K> {
        let mut numbers = Numbering::with_capacity(self.keys.len());
        self.keys.iter().zip(0..).for_each(|(&key, number)| {
            numbers.number(key, number);
        });
        numbers
    }
}

/// Which queries have been seen in results that come piece by piece.
pub struct Seen<K> {
    /// Whether each judged one has.
    pub judged: Vec<bool>,
    /// The ids of the others.
    pub others: HashTable<K>,
    /// The number of the judged one that comes next, if they have the order of the judgements.
    next: usize,
}

impl<K: Key> Seen<K> {
    /// None of so many judged ones.
    pub fn new(judged: usize) -> Self {
        Self { judged: vec![false; judged], others: HashTable::new(), next: 0 }
    }
}

/// Queries whose rows stand together; made by [`Queries::standing`].
pub struct Standing {
    /// The rows of those that are judged.
    pub groups: Groups,
    /// The numbers of these.
    pub numbers: Vec<u32>,
    /// How many others there are.
    pub unjudged_queries: usize,
    /// The rows of all of them: those that follow are of the query that has not ended.
    pub rows: usize,
}

/// Whether each key is greater than the one before, in one of the orders that ids have: so none comes again.
fn ascend<K: Key>(keys: &[K]) -> bool {
    keys.is_sorted_by(|earlier, later| earlier < later)
        || keys.is_sorted_by(|&earlier, &later| earlier.counted_cmp(later).is_lt())
}

/// Whether the rows of a query lie so far apart that it pays to bring them together before reading them.
pub fn is_scattered<K: Key>(column: &Column<'_, K>) -> bool {
    /// Stretches looked at.
    const STRETCHES: usize = 256;
    /// Rows in each.
    const LENGTH: usize = 64;
    let rows = column.len();
    let mut scratch = Vec::new();
    let borders = |stretch: usize| {
        let begin = (rows - LENGTH) / STRETCHES * stretch;
        let keys = column.values(begin..begin + LENGTH, &mut scratch);
        keys.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    rows > BLOCK && (0..STRETCHES).map(borders).sum::<usize>() > STRETCHES * LENGTH / SHORT
}

/// Whether many queries come again after others: one of eight segments is not the first of its query.
///
/// It is known before all has been seen where that is so from the begin on.
pub fn come_back<K: Key>(column: &Column<'_, K>) -> bool {
    let (mut seen, mut segments, mut last) = (HashTable::new(), 0, None);
    let mut scratch = Vec::new();
    let many = |segments: usize, queries: usize| 8 * (segments - queries) > segments;
    for begin in (0..column.len()).step_by(BLOCK) {
        let rows = begin..column.len().min(begin + BLOCK);
        for &key in column.values(rows, &mut scratch) {
            if last.replace(key) != Some(key) {
                segments += 1;
                insert(&mut seen, key);
            }
        }
        if many(segments, seen.len()) {
            return true;
        }
    }
    false
}

/// Refuses more rows than can be numbered.
pub fn check_rows(rows: usize) -> Result<()> {
    match u32::try_from(rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::data(format!(
            "{rows} rows are more than the {} that can be evaluated at once; split them by query",
            u32::MAX
        ))),
    }
}

/// The segments of a table.
struct Segments<K> {
    /// The first row of each, and at the end the number of rows.
    starts: Vec<u32>,
    /// The key of each.
    keys: Vec<K>,
}

impl<K: Key> Segments<K> {
    fn new(column: &Column<'_, K>) -> Result<Self> {
        Ok(Self::joined(Self::pieces(column)?, column.len()))
    }

    /// Those of stretches of rows, the first rows as they are in the table.
    fn pieces(column: &Column<'_, K>) -> Result<Vec<Self>> {
        let rows = column.len();
        check_rows(rows)?;
        Ok(pool::map_init(rows.div_ceil(BLOCK), Vec::new, |scratch, block| {
            let begin = block * BLOCK;
            // One row of the block before, so that its last query is known.
            let (first, end) = (begin.saturating_sub(1), rows.min(begin + BLOCK));
            let mut found = Self { starts: Vec::new(), keys: Vec::new() };
            let mut before = None;
            let in_runs = column.runs(first..end, |row, key| {
                if row == 0 || before.is_some_and(|before| before != key) {
                    found.push(row as u32, key);
                }
                before = Some(key);
            });
            if !in_runs {
                column.each_slice(first..end, scratch, |row, keys| {
                    if row == 0 || before.is_some_and(|before| before != keys[0]) {
                        found.push(row as u32, keys[0]);
                    }
                    found.push_changes(keys, row as u32);
                    before = keys.last().copied();
                });
            }
            found
        }))
    }

    /// All of them, of so many rows.
    fn joined(pieces: Vec<Self>, rows: usize) -> Self {
        let keys = pieces.iter().map(|piece| &piece.keys[..]).collect::<Vec<_>>().concat();
        Self { keys, starts: Self::starts(pieces, rows) }
    }

    /// Where all of them begin, and at the end the number of rows.
    fn starts(pieces: Vec<Self>, rows: usize) -> Vec<u32> {
        let mut starts = Vec::with_capacity(pieces.iter().map(|piece| piece.starts.len()).sum::<usize>() + 1);
        pieces.iter().for_each(|piece| starts.extend_from_slice(&piece.starts));
        starts.push(rows as u32);
        starts
    }

    fn push(&mut self, row: u32, key: K) {
        self.starts.push(row);
        self.keys.push(key);
    }

    /// Adds the rows at which a key differs from the one before, if the first key, of one or more, stands in row `first`.
    fn push_changes(&mut self, keys: &[K], first: u32) {
        let Self { starts, keys: found } = self;
        push_changes(keys, first, starts, found);
    }
}

wide! {
    /// Adds the rows at which a key differs from the one before, if the first key, of one or more, stands in row `first`,
    /// and these keys.
    fn push_changes<K: Key>(keys: &[K], first: u32, starts: &mut Vec<u32>, found: &mut Vec<K>) -> () = push_changes_any
}

#[inline(always)]
fn push_changes_any<K: Key>(keys: &[K], first: u32, starts: &mut Vec<u32>, found: &mut Vec<K>) {
    /// Keys compared at once: in most such strides nothing changes.
    const STRIDE: usize = 16;
    let (before, rest_before) = keys[..keys.len() - 1].as_chunks::<STRIDE>();
    let (own, rest) = keys[1..].as_chunks::<STRIDE>();
    let mut row = first + 1;
    for (before, keys) in before.iter().zip(own) {
        if before[0].differs_from_any(keys) {
            push_changes_of(before, keys, row, starts, found);
        }
        row += STRIDE as u32;
    }
    push_changes_of(rest_before, rest, row, starts, found);
}

/// The same of keys and those before them, which follow from `row` on; on its own, so that nothing of it is done where
/// nothing changes.
#[inline(never)]
fn push_changes_of<K: Key>(before: &[K], own: &[K], row: u32, starts: &mut Vec<u32>, found: &mut Vec<K>) {
    let mut changes = 0_u32;
    for at in 0..own.len() {
        changes |= u32::from(before[at] != own[at]) << at;
    }
    while changes != 0 {
        let at = changes.trailing_zeros();
        starts.push(row + at);
        found.push(own[at as usize]);
        changes &= changes - 1;
    }
}

/// One after the other in one piece of memory, of which there is one already where they are one.
fn joined<T: Copy>(mut parts: Vec<Vec<T>>) -> Vec<T> {
    if parts.len() == 1 { parts.swap_remove(0) } else { parts.concat() }
}

/// How many keys there are in sets that may overlap.
fn distinct<K: Key>(sets: Vec<HashTable<K>>) -> usize {
    let all = sets.into_iter().reduce(|a, b| {
        let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
        small.into_iter().for_each(|key| insert(&mut large, key));
        large
    });
    all.map_or(0, |all| all.len())
}

/// Adds a key to a set.
pub fn insert<K: Key>(seen: &mut HashTable<K>, key: K) {
    seen.entry(key.hash(), |&known| known == key, |&known| known.hash()).or_insert(key);
}

/// Brings segments into the order of their queries, those of one query in the order of the rows, and leaves
/// the unjudged out.
fn counting_sort(starts: Vec<u32>, query_of: &[u32], queries: usize) -> Result<Groups> {
    // So they stand in most tables.
    if query_of.len() == queries && query_of.iter().zip(0..).all(|(&query, place)| query == place) {
        return Ok(Groups::of_whole(starts));
    }
    // Each task counts for all queries, so there are few tasks.
    let chunk = query_of.len().div_ceil(8).max(BLOCK);
    let parts: Vec<&[u32]> = query_of.chunks(chunk).collect();
    let mut counts: Vec<Vec<u32>> = pool::map(parts.len(), |part| histogram(parts[part], queries));
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
    let mut sorted: Vec<AtomicU64> = room(total as usize)?;
    sorted.extend((0..total).map(|_| AtomicU64::new(0)));
    pool::map(parts.len(), |part| {
        let mut next = counts[part].clone();
        let segments = starts[part * chunk..].windows(2);
        for (&query, rows) in parts[part].iter().zip(segments).filter(|&(&query, _)| query != UNJUDGED) {
            let place = &mut next[query as usize];
            sorted[*place as usize].store(packed(rows[0], rows[1]), Ordering::Relaxed);
            *place += 1;
        }
    });
    let segments = sorted.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Groups(Segmented::Apart { segments, borders }))
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
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch};

    use super::*;
    use crate::core::column::texts;
    use crate::core::table::Table;
    use crate::core::texts::{Runs, written_out};

    #[test]
    fn the_counting_sort_is_stable_and_leaves_the_unjudged_out() {
        let groups = counting_sort(vec![0, 3, 4, 6, 7, 9], &[2, 0, UNJUDGED, 2, 0], 3).unwrap();
        let ranges: Vec<Vec<_>> = (0..3).map(|query| groups.ranges(query).collect()).collect();
        assert_eq!(ranges, [vec![3..4, 7..9], vec![], vec![0..3, 6..7]]);
    }

    #[test]
    fn keys_that_ascend_are_not_looked_up() {
        let ascends = |texts: &[&str]| ascend(&texts.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
        assert!(ascends(&["q1", "q10", "q2"]) && ascends(&["q1", "q2", "q10"]) && ascends(&["q"]));
        assert!(!ascends(&["q1", "q10", "q2", "q10"]) && !ascends(&["q1", "q2", "q10", "q2"]));
        assert!(!ascends(&["q1", "q1"]) && ascend(&[-1, 0, 7]) && !ascend(&[1, 10, 2]));
    }

    #[test]
    fn segments_begin_where_a_key_differs_from_the_one_before() {
        fn check<K: Key + std::fmt::Debug>(keys: &[K]) {
            let mut found = Segments { starts: vec![5], keys: vec![keys[0]] };
            found.push_changes(keys, 5);
            let changes = (1..keys.len()).filter(|&row| keys[row] != keys[row - 1]);
            let rows: Vec<usize> = std::iter::once(0).chain(changes).collect();
            assert_eq!(found.starts, rows.iter().map(|row| 5 + *row as u32).collect::<Vec<_>>());
            assert_eq!(found.keys, rows.iter().map(|&row| keys[row]).collect::<Vec<_>>());
        }
        for rows in [1, 2, 8, 9, 10, 17, 1_000] {
            for length in [1, 3, 8, 100] {
                let keys: Vec<i64> = (0..rows).map(|row| row / length % 5).collect();
                check(&keys);
                let texts: Vec<String> = keys.iter().map(|key| format!("q{key}")).collect();
                check(&texts.iter().map(|text| text.as_bytes()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn segments_of_runs_are_those_of_their_rows() {
        let batch = |runs: &[(&str, usize)]| {
            let mut column = Runs::new();
            runs.iter().for_each(|(text, rows)| column.push_rows(Some(text.as_bytes()), *rows));
            RecordBatch::try_from_iter([("query", Arc::new(column.finish().unwrap()) as ArrayRef)]).unwrap()
        };
        let batches = vec![
            batch(&[("a", 1), ("b", BLOCK), ("a", 3)]),
            batch(&[("a", BLOCK - 4), ("c", BLOCK), ("b", 1)]),
        ];
        let runs = Table { schema: batches[0].schema(), batches };
        let rows = written_out(&runs).unwrap();
        let [runs, rows] = [&runs, &rows].map(|table| Column::new(table, "query", texts).unwrap());
        let [runs, rows] = [&runs, &rows].map(|column| Segments::new(column).unwrap());
        assert_eq!(runs.starts, [0, 1, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, 3 * BLOCK + 1].map(|row| row as u32));
        assert_eq!((runs.starts, runs.keys), (rows.starts, rows.keys));
    }
}
