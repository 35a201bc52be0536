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
use crate::core::scores::Score;

/// A result on the way to its query.
#[derive(Clone, Copy)]
struct DealtResult<Q, K, S> {
    query: Q,
    item: K,
    score: S,
}

/// All results, dealt out by query.
pub struct Partitions<Q, K, S> {
    dealt: Dealt<DealtResult<Q, K, S>>,
    /// The judged queries of each partition.
    judged: Vec<Judged<Q>>,
}

/// Judged queries: their keys and numbers.
struct Judged<Q> {
    keys: Vec<Q>,
    numbers: Vec<u32>,
}

/// The places of some keys, found by their hashes; a slot is but a place, so that more of them stay in the nearest
/// cache.
#[derive(Default)]
struct QueryPlaces {
    slots: Vec<u32>,
}

/// Slots a key: with fewer of them more are taken, and a branch is mispredicted more often.
const SPARSE: usize = 8;

impl QueryPlaces {
    /// Takes other keys, which are distinct.
    fn take<K: Key>(&mut self, keys: &[K]) {
        self.slots.clear();
        self.slots.resize((SPARSE * keys.len()).next_power_of_two(), UNJUDGED);
        for (place, &key) in keys.iter().enumerate() {
            let (slot, _) = self.probe(key, keys);
            self.slots[slot] = place as u32;
        }
    }

    /// The place of a key, `UNJUDGED` if it has none, and its slot.
    #[inline]
    fn probe<K: Key>(&self, key: K, keys: &[K]) -> (usize, u32) {
        let mask = self.slots.len() - 1;
        let mut slot = key.hash() as usize & mask;
        loop {
            let place = self.slots[slot];
            if place == UNJUDGED || keys[place as usize] == key {
                return (slot, place);
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// The results of one partition, query after query.
pub struct Gathered<K, S> {
    queries: QueryPlaces,
    /// The place of each row's query in the partition, those of queries that are not judged left out.
    places: Vec<u32>,
    items: Vec<K>,
    scores: Vec<S>,
    borders: Vec<usize>,
}

impl<K, S> Default for Gathered<K, S> {
    fn default() -> Self {
        Self {
            queries: QueryPlaces::default(),
            places: Vec::new(),
            items: Vec::new(),
            scores: Vec::new(),
            borders: Vec::new(),
        }
    }
}

impl<Q: Key, K: Key, S: Score> Partitions<Q, K, S> {
    /// Bytes that a result takes.
    pub const ROW: usize = size_of::<DealtResult<Q, K, S>>();

    /// Deals out the results, and the judged queries with them; without scores all are 0.
    ///
    /// Only those of one of so many passes, and some of them are lacking if it is cancelled.
    pub fn new(
        (pass, passes): (usize, usize),
        judged: impl Iterator<Item = Q>,
        queries: &Column<'_, Q>,
        items: &Column<'_, K>,
        scores: Option<&Column<'_, S>>,
        cancelled: &AtomicBool,
    ) -> Result<Self> {
        let partitions = partitions(queries.len());
        let own = partitions * pass / passes..partitions * (pass + 1) / passes;
        let place = |query: Q| {
            let partition = partition_of(query, partitions);
            own.contains(&partition).then(|| partition - own.start)
        };
        let sizes = |stretch| vec![expected(&stretch, partitions); own.len()];
        let fill = |stretch, dealt: &mut Piles<DealtResult<Q, K, S>>| {
            let (mut query_scratch, mut item_scratch, mut score_scratch) =
                (Vec::new(), Vec::new(), Vec::new());
            for rows in pieces(stretch).take_while(|_| !cancelled.load(Ordering::Relaxed)) {
                let queries = queries.values(rows.clone(), &mut query_scratch);
                let items = items.values(rows.clone(), &mut item_scratch);
                let scores = scores.map(|scores| scores.values(rows, &mut score_scratch));
                for (at, (&query, &item)) in queries.iter().zip(items).enumerate() {
                    let Some(place) = place(query) else { continue };
                    let score = scores.map_or(S::default(), |scores| scores[at]);
                    dealt.push(place, DealtResult { query, item, score });
                }
            }
        };
        let dealt = Dealt::new(queries.len(), sizes, fill)?;
        let mut of_judged: Vec<_> =
            own.clone().map(|_| Judged { keys: Vec::new(), numbers: Vec::new() }).collect();
        for (query, number) in judged.zip(0..) {
            if let Some(place) = place(query) {
                of_judged[place].keys.push(query);
                of_judged[place].numbers.push(number);
            }
        }
        Ok(Self { dealt, judged: of_judged })
    }

    /// Number of partitions.
    pub fn len(&self) -> usize {
        self.judged.len()
    }

    /// The numbers of the judged queries of a partition.
    pub fn queries(&self, partition: usize) -> impl Iterator<Item = u32> + '_ {
        self.judged[partition].numbers.iter().copied()
    }

    /// Brings the rows of one partition into the order of its judged queries, those of a query in row order;
    /// gives the number of other queries.
    pub fn gather(&self, partition: usize, gathered: &mut Gathered<K, S>) -> usize {
        let others = self.find_places(partition, gathered);
        let Gathered { places, items, scores, borders, .. } = gathered;
        for at in 1..borders.len() {
            borders[at] += borders[at - 1];
        }
        let Some(any) = self.dealt.rows(partition).next() else { return 0 };
        items.clear();
        items.resize(borders[borders.len() - 1], any.item);
        scores.resize(items.len(), S::default());
        let mut next = borders.clone();
        for (row, &place) in self.dealt.rows(partition).zip(&*places).filter(|&(_, &place)| place != UNJUDGED)
        {
            let at = &mut next[place as usize];
            items[*at] = row.item;
            scores[*at] = row.score;
            *at += 1;
        }
        others
    }

    /// Finds the place of each row's query, and counts the rows of each; gives the number of queries that are not
    /// judged.
    fn find_places(&self, partition: usize, gathered: &mut Gathered<K, S>) -> usize {
        let Gathered { queries, places, borders, .. } = gathered;
        let judged = &self.judged[partition].keys[..];
        queries.take(judged);
        let mut others = HashTable::new();
        borders.clear();
        borders.resize(judged.len() + 1, 0);
        places.clear();
        places.extend(self.dealt.rows(partition).map(|row| {
            let (_, place) = queries.probe(row.query, judged);
            match place {
                UNJUDGED => insert(&mut others, row.query),
                _ => borders[place as usize + 1] += 1,
            }
            place
        }));
        others.len()
    }
}

impl<K, S> Gathered<K, S> {
    /// Items and scores of one query, numbered within the partition.
    pub fn list(&self, query: usize) -> (&[K], &[S]) {
        let rows = self.borders[query]..self.borders[query + 1];
        (&self.items[rows.clone()], &self.scores[rows])
    }
}
