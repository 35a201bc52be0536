//! Scattered results, brought together by query.
//!
//! Reading each row of a query from where it lies would miss the cache with nearly every row.

use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashTable;

use crate::core::column::Column;
use crate::core::deal::{Dealt, Piles, expected, partition_of, partitions, pieces};
use crate::core::error::Result;
use crate::core::group::{UNJUDGED, insert};
use crate::core::hash::Key;
use crate::core::pool;
use crate::core::scores::Score;

/// A result on the way to its query.
#[derive(Clone, Copy)]
struct DealtResult<Q, K, S> {
    /// What is kept of its query.
    query: Q,
    item: K,
    score: S,
}

/// How queries come to partitions, and what finds them there.
pub trait Spread<Q>: Sync {
    /// What a result keeps of its query.
    type Kept: Copy + Send + Sync;

    /// What is kept of a query, and its partition.
    fn place(&self, query: Q) -> (Self::Kept, usize);

    /// Tells of the queries of some results of a partition their places among those that are judged, `UNJUDGED` if
    /// they have none; gives the number of other queries.
    fn find_places(
        &self,
        judged: &[Self::Kept],
        queries: impl Iterator<Item = Self::Kept>,
        slots: &mut Vec<u32>,
        found: impl FnMut(u32),
    ) -> usize;
}

/// By their hashes, to so many partitions.
pub struct ByHash(usize);

/// Slots a key: with fewer of them more are taken, and a branch is mispredicted more often.
const SPARSE: usize = 8;

impl ByHash {
    /// The place of a key, `UNJUDGED` if it has none, and its slot.
    ///
    /// A slot is but a place, so that more of them stay in the nearest cache.
    #[inline]
    fn probe<K: Key>(key: K, keys: &[K], slots: &[u32]) -> (usize, u32) {
        let mask = slots.len() - 1;
        let mut slot = key.hash() as usize & mask;
        loop {
            let place = slots[slot];
            if place == UNJUDGED || keys[place as usize] == key {
                return (slot, place);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// As of `Spread`.
    fn find_keys<K: Key>(
        judged: &[K],
        queries: impl Iterator<Item = K>,
        slots: &mut Vec<u32>,
        mut found: impl FnMut(u32),
    ) -> usize {
        slots.clear();
        slots.resize((SPARSE * judged.len()).next_power_of_two(), UNJUDGED);
        for (place, &key) in judged.iter().enumerate() {
            let (slot, _) = Self::probe(key, judged, slots);
            slots[slot] = place as u32;
        }
        let mut others = HashTable::new();
        queries.for_each(|query| {
            let (_, place) = Self::probe(query, judged, slots);
            if place == UNJUDGED {
                insert(&mut others, query);
            }
            found(place);
        });
        others.len()
    }
}

impl<Q: Key> Spread<Q> for ByHash {
    type Kept = Q;

    fn place(&self, query: Q) -> (Q, usize) {
        (query, partition_of(query, self.0))
    }

    fn find_places(
        &self,
        judged: &[Q],
        queries: impl Iterator<Item = Q>,
        slots: &mut Vec<u32>,
        found: impl FnMut(u32),
    ) -> usize {
        Self::find_keys(judged, queries, slots, found)
    }
}

/// Integers by their hashes, of which 32 bits are kept: by how much each is greater than the least.
#[derive(Clone, Copy)]
pub struct Narrow<Q> {
    least: Q,
    partitions: usize,
}

impl<Q: Key> Spread<Q> for Narrow<Q> {
    type Kept = u32;

    fn place(&self, query: Q) -> (u32, usize) {
        let above = query.above(self.least).unwrap_or_default();
        (above as u32, partition_of(above as i64, self.partitions))
    }

    fn find_places(
        &self,
        judged: &[u32],
        queries: impl Iterator<Item = u32>,
        slots: &mut Vec<u32>,
        found: impl FnMut(u32),
    ) -> usize {
        let judged: Vec<_> = judged.iter().map(|&query| i64::from(query)).collect();
        ByHash::find_keys(&judged, queries.map(i64::from), slots, found)
    }
}

/// Integers of which most are judged, by how much they are greater than the least: nothing is hashed or compared.
#[derive(Clone, Copy)]
pub struct Near<Q> {
    least: Q,
    /// How many bits of that are of those that stay together, as their judgements mostly do, and after them those of
    /// the partition.
    together: u32,
    partition: u32,
    /// How many integers a partition has.
    slots: usize,
}

/// Integers to a judged one, at the most.
const INTEGERS: usize = 4;
/// Bits of integers that stay together, at the most.
const TOGETHER: u32 = 4;
/// Rows looked at by one task.
const STRETCH: usize = 1 << 16;
/// In the slot of a query that is not judged and has been counted.
const COUNTED: u32 = UNJUDGED - 1;

impl<Q: Key> Near<Q> {
    /// Those of so many judged queries and results, of which none is `most` above the least.
    fn new(least: Q, most: usize, judged: usize, results: usize) -> Self {
        let partition = partitions(results).ilog2();
        // Several times, so that all partitions have about as many.
        let together = (judged >> partition >> 3).max(1).ilog2().min(TOGETHER);
        let slots = ((most >> together >> partition) + 1) << together;
        Self { least, together, partition, slots }
    }
}

impl<Q: Key> Spread<Q> for Near<Q> {
    type Kept = u32;

    fn place(&self, query: Q) -> (u32, usize) {
        let above = query.above(self.least).unwrap_or_default() as usize;
        let (group, among) = (above >> self.together, above & ((1 << self.together) - 1));
        let kept = group >> self.partition << self.together | among;
        (kept as u32, group & ((1 << self.partition) - 1))
    }

    fn find_places(
        &self,
        judged: &[u32],
        queries: impl Iterator<Item = u32>,
        slots: &mut Vec<u32>,
        mut found: impl FnMut(u32),
    ) -> usize {
        slots.clear();
        slots.resize(self.slots, UNJUDGED);
        judged.iter().zip(0..).for_each(|(&query, place)| slots[query as usize] = place);
        let mut others = 0;
        queries.for_each(|query| {
            let slot = &mut slots[query as usize];
            if *slot >= COUNTED {
                others += usize::from(*slot == UNJUDGED);
                *slot = COUNTED;
                found(UNJUDGED);
            } else {
                found(*slot);
            }
        });
        others
    }
}

/// What is kept of queries on their way to partitions.
pub enum Way<Q> {
    /// The place of integers that are near each other.
    Near(Near<Q>),
    /// 32 bits of others.
    Narrow(Narrow<Q>),
    /// All.
    Hashed,
}

impl<Q: Key> Way<Q> {
    /// The one for judged queries, which are distinct, and those of results, on which fewest bytes are moved.
    pub fn of(judged: &[Q], queries: &Column<'_, Q>) -> Self {
        let Some(&least) = judged.iter().min() else { return Self::Hashed };
        let within = |most: u64| {
            let within =
                move |all: bool, &query: &Q| all & query.above(least).is_some_and(|above| above < most);
            judged.iter().fold(true, within) && {
                let stretches =
                    pool::map_init(queries.len().div_ceil(STRETCH), Vec::new, |scratch, stretch| {
                        let rows = stretch * STRETCH..queries.len().min((stretch + 1) * STRETCH);
                        queries.values(rows, scratch).iter().fold(true, within)
                    });
                stretches.into_iter().all(|all| all)
            }
        };
        let near = INTEGERS * judged.len();
        if near <= COUNTED as usize && within(near as u64) {
            return Self::Near(Near::new(least, near, judged.len(), queries.len()));
        }
        if within(1 << u32::BITS) {
            return Self::Narrow(Narrow { least, partitions: partitions(queries.len()) });
        }
        Self::Hashed
    }
}

/// All results, dealt out by query.
pub enum Partitions<Q: Key, K, S> {
    /// By integers that are near each other.
    Near(PartitionsBy<Q, Near<Q>, K, S>),
    /// By the hashes of integers.
    Narrow(PartitionsBy<Q, Narrow<Q>, K, S>),
    /// By the hashes of any.
    Hashed(PartitionsBy<Q, ByHash, K, S>),
}

/// The same in one way.
pub struct PartitionsBy<Q, P: Spread<Q>, K, S> {
    spread: P,
    dealt: Dealt<DealtResult<P::Kept, K, S>>,
    /// The judged queries of each partition.
    judged: Vec<Judged<P::Kept>>,
}

/// Judged queries: what is kept of each, and their numbers.
struct Judged<T> {
    kept: Vec<T>,
    numbers: Vec<u32>,
}

/// The results of one partition, query after query.
pub struct Gathered<K, S> {
    /// Where the queries of a partition are looked up.
    slots: Vec<u32>,
    /// The place of each row's query in the partition, those of queries that are not judged left out.
    places: Vec<u32>,
    items: Vec<K>,
    scores: Vec<S>,
    borders: Vec<usize>,
}

impl<K, S> Default for Gathered<K, S> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            places: Vec::new(),
            items: Vec::new(),
            scores: Vec::new(),
            borders: Vec::new(),
        }
    }
}

impl<Q: Key, K: Key, S: Score> Partitions<Q, K, S> {
    /// Bytes that a result takes.
    pub fn row(way: &Way<Q>) -> usize {
        match way {
            Way::Near(_) | Way::Narrow(_) => size_of::<DealtResult<u32, K, S>>(),
            Way::Hashed => size_of::<DealtResult<Q, K, S>>(),
        }
    }

    /// Deals out the results, and the judged queries with them; without scores all are 0.
    ///
    /// Only those of one of so many passes, and some of them are lacking if it is cancelled.
    pub fn new(
        way: &Way<Q>,
        pass: (usize, usize),
        judged: &[Q],
        results: (&Column<'_, Q>, &Column<'_, K>, Option<&Column<'_, S>>),
        cancelled: &AtomicBool,
    ) -> Result<Self> {
        match *way {
            Way::Near(near) => PartitionsBy::new(near, pass, judged, results, cancelled).map(Self::Near),
            Way::Narrow(way) => PartitionsBy::new(way, pass, judged, results, cancelled).map(Self::Narrow),
            Way::Hashed => {
                let by_hash = ByHash(partitions(results.0.len()));
                PartitionsBy::new(by_hash, pass, judged, results, cancelled).map(Self::Hashed)
            }
        }
    }

    /// Number of partitions.
    pub fn len(&self) -> usize {
        match self {
            Self::Near(results) => results.judged.len(),
            Self::Narrow(results) => results.judged.len(),
            Self::Hashed(results) => results.judged.len(),
        }
    }

    /// The numbers of the judged queries of a partition.
    pub fn queries(&self, partition: usize) -> &[u32] {
        match self {
            Self::Near(results) => &results.judged[partition].numbers,
            Self::Narrow(results) => &results.judged[partition].numbers,
            Self::Hashed(results) => &results.judged[partition].numbers,
        }
    }

    /// Brings the rows of one partition into the order of its judged queries, those of a query in row order;
    /// gives the number of other queries.
    pub fn gather(&self, partition: usize, gathered: &mut Gathered<K, S>) -> usize {
        match self {
            Self::Near(results) => results.gather(partition, gathered),
            Self::Narrow(results) => results.gather(partition, gathered),
            Self::Hashed(results) => results.gather(partition, gathered),
        }
    }
}

impl<Q: Key, P: Spread<Q>, K: Key, S: Score> PartitionsBy<Q, P, K, S> {
    fn new(
        spread: P,
        (pass, passes): (usize, usize),
        judged: &[Q],
        (queries, items, scores): (&Column<'_, Q>, &Column<'_, K>, Option<&Column<'_, S>>),
        cancelled: &AtomicBool,
    ) -> Result<Self> {
        let partitions = partitions(queries.len());
        let own = partitions * pass / passes..partitions * (pass + 1) / passes;
        let place = |query: Q| {
            let (kept, partition) = spread.place(query);
            own.contains(&partition).then(|| (kept, partition - own.start))
        };
        let sizes = |stretch| vec![expected(&stretch, partitions); own.len()];
        let fill = |stretch, dealt: &mut Piles<DealtResult<P::Kept, K, S>>| {
            let (mut query_scratch, mut item_scratch, mut score_scratch) =
                (Vec::new(), Vec::new(), Vec::new());
            for rows in pieces(stretch).take_while(|_| !cancelled.load(Ordering::Relaxed)) {
                let queries = queries.values(rows.clone(), &mut query_scratch);
                let items = items.values(rows.clone(), &mut item_scratch);
                let scores = scores.map(|scores| scores.values(rows, &mut score_scratch));
                for (at, (&query, &item)) in queries.iter().zip(items).enumerate() {
                    let Some((query, place)) = place(query) else { continue };
                    let score = scores.map_or(S::default(), |scores| scores[at]);
                    dealt.push(place, DealtResult { query, item, score });
                }
            }
        };
        let dealt = Dealt::new(queries.len(), sizes, fill)?;
        let mut of_judged: Vec<_> =
            own.clone().map(|_| Judged { kept: Vec::new(), numbers: Vec::new() }).collect();
        for (&query, number) in judged.iter().zip(0..) {
            if let Some((query, place)) = place(query) {
                of_judged[place].kept.push(query);
                of_judged[place].numbers.push(number);
            }
        }
        Ok(Self { dealt, judged: of_judged, spread })
    }

    fn gather(&self, partition: usize, gathered: &mut Gathered<K, S>) -> usize {
        let Gathered { slots, places, items, scores, borders } = gathered;
        let judged = &self.judged[partition].kept[..];
        borders.clear();
        borders.resize(judged.len() + 1, 0);
        places.clear();
        let queries = self.dealt.rows(partition).map(|row| row.query);
        let others = self.spread.find_places(judged, queries, slots, |place| {
            places.push(place);
            if place != UNJUDGED {
                borders[place as usize + 1] += 1;
            }
        });
        for at in 1..borders.len() {
            borders[at] += borders[at - 1];
        }
        let Some(any) = self.dealt.rows(partition).next() else { return 0 };
        items.clear();
        items.resize(borders[borders.len() - 1], any.item);
        scores.resize(items.len(), S::default());
        let (mut next, mut places) = (borders.clone(), &places[..]);
        for rows in self.dealt.slices(partition) {
            let (of_rows, others) = places.split_at(rows.len());
            for (row, &place) in rows.iter().zip(of_rows).filter(|&(_, &place)| place != UNJUDGED) {
                let at = &mut next[place as usize];
                items[*at] = row.item;
                scores[*at] = row.score;
                *at += 1;
            }
            places = others;
        }
        others
    }
}

impl<K, S> Gathered<K, S> {
    /// Items and scores of one query, numbered within the partition.
    pub fn list(&self, query: usize) -> (&[K], &[S]) {
        let rows = self.borders[query]..self.borders[query + 1];
        (&self.items[rows.clone()], &self.scores[rows])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_are_near_have_places_of_their_own() {
        let least = i64::MIN + 3;
        let judged = [0, 3, 7, 30, 31, 39].map(|above| least + above);
        let near = Near { least, together: 1, partition: 2, slots: 12 };
        let mut seen = std::collections::HashSet::new();
        for above in 0..40 {
            let (kept, partition) = near.place(least + above);
            assert!(seen.insert((kept, partition)) && (kept as usize) < near.slots && partition < 4);
        }
        for partition in 0..4 {
            let of = |above: i64| near.place(least + above);
            let judged = judged.iter().map(|&query| near.place(query));
            let kept: Vec<u32> = judged.filter(|at| at.1 == partition).map(|at| at.0).collect();
            let own: Vec<i64> = (0..40).chain(0..40).filter(|&above| of(above).1 == partition).collect();
            let (mut slots, mut places) = (vec![5], Vec::new());
            let queries = own.iter().map(|&above| of(above).0);
            let others = near.find_places(&kept, queries, &mut slots, |place| places.push(place));
            assert_eq!(others, own.len() / 2 - kept.len());
            for (&above, &place) in own.iter().zip(&places) {
                let expected = kept.iter().position(|&kept| kept == of(above).0);
                assert_eq!(place, expected.map_or(UNJUDGED, |place| place as u32));
            }
        }
    }
}
