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
use crate::core::lists::matching::Slots;
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
    /// The judged queries of each partition: their keys and numbers.
    judged: Vec<Vec<(Q, u32)>>,
}

/// The results of one partition, query after query.
pub struct Gathered<K, S> {
    slots: Slots,
    /// The place of each row's query in the partition, those of queries that are not judged left out.
    places: Vec<u32>,
    items: Vec<K>,
    scores: Vec<S>,
    borders: Vec<usize>,
}

impl<K, S> Default for Gathered<K, S> {
    fn default() -> Self {
        Self {
            slots: Slots::default(),
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
        let mut of_judged = vec![Vec::new(); own.len()];
        for (query, number) in judged.zip(0..) {
            if let Some(place) = place(query) {
                of_judged[place].push((query, number));
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
        self.judged[partition].iter().map(|&(_, number)| number)
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
        let Gathered { slots, places, borders, .. } = gathered;
        let judged = &self.judged[partition];
        slots.clear(judged.len());
        for (place, &(query, _)) in judged.iter().enumerate() {
            slots.find_or_insert(query, place, |place| judged[place].0);
        }
        let mut others = HashTable::new();
        borders.clear();
        borders.resize(judged.len() + 1, 0);
        places.clear();
        places.extend(self.dealt.rows(partition).map(|row| {
            let Some(place) = slots.find(row.query, |place| judged[place].0) else {
                insert(&mut others, row.query);
                return UNJUDGED;
            };
            borders[place + 1] += 1;
            place as u32
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
