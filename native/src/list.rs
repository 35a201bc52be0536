//! One query: its judgements against its list, which of the items are judged, and at which ranks.

use std::cmp::Ordering;

use crate::hash::Key;

/// The order of equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// Greater item id first: trec_eval's rule.
    ItemDescending,
    /// Smaller item id first.
    ItemAscending,
    /// In the order of the rows.
    Input,
    /// Higher grade first.
    Best,
    /// Lower grade first.
    Worst,
    /// By a hash of seed, query and item.
    Random,
}

/// What becomes of an item that stands twice in a list, or is judged twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Refused.
    Error,
    /// The first row counts.
    First,
    /// The highest score or grade counts.
    Best,
}

/// How lists are ordered and what stays in them.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The order of equal scores.
    pub ties: Ties,
    /// Items that stand twice.
    pub duplicates: Duplicates,
    /// Whether unjudged items are taken out of the lists.
    pub condensed: bool,
    /// Whether integer ids are ordered as `u64`.
    pub unsigned: bool,
}

/// A judged item in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its rank, from 1.
    pub rank: u32,
    /// The first and the last rank of the items with its score.
    pub tied: (u32, u32),
    /// Its grade.
    pub relevance: f64,
}

/// Two rows of a query with the same item: positions among the rows of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The row seen first.
    pub earlier: usize,
    /// The row that repeats its item.
    pub later: usize,
}

/// What one query comes to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The judged items of the list, in rank order.
    pub hits: Vec<Hit>,
    /// The grades of all judged items, best first.
    pub ideal: Vec<f64>,
    /// Items in the list.
    pub retrieved: usize,
    /// Repeated items where they are refused: how many, and the first.
    pub repeated_judgements: (usize, Option<Repeated>),
    /// The same for the list.
    pub repeated_results: (usize, Option<Repeated>),
}

/// One row of the list that stays in it.
#[derive(Clone, Copy)]
struct Entry<K> {
    item: K,
    score: f64,
    /// The item's grade, 0 if it is not judged.
    grade: f64,
    judged: bool,
    /// The row, or under [`Ties::Random`] the lot drawn: smaller comes first among equal scores.
    lot: u64,
}

/// A table from items to numbers, open addressing, emptied and used again for every query.
#[derive(Default)]
struct Slots {
    /// The upper half of the hash, and the number plus one; 0 is an empty slot.
    slots: Vec<(u32, u32)>,
    mask: usize,
}

impl Slots {
    fn clear(&mut self, items: usize) {
        let size = (2 * items).next_power_of_two();
        if self.slots.len() < size {
            self.slots.resize(size, (0, 0));
        }
        self.slots[..size].fill((0, 0));
        self.mask = size - 1;
    }

    /// The number kept for `key`, or else keeps `number` for it.
    fn find_or_insert<K: Key>(
        &mut self,
        key: K,
        number: usize,
        key_of: impl Fn(usize) -> K,
    ) -> Option<usize> {
        let hash = key.hash();
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        loop {
            match self.slots[at] {
                (_, 0) => {
                    self.slots[at] = (tag, number as u32 + 1);
                    return None;
                }
                (known, found) if known == tag && key_of(found as usize - 1) == key => {
                    return Some(found as usize - 1);
                }
                _ => at = (at + 1) & self.mask,
            }
        }
    }
}

/// The working memory of one thread.
pub struct Judge<K> {
    rules: Rules,
    slots: Slots,
    /// Items in `slots`: the judged ones, then the unjudged ones of the list.
    items: Vec<K>,
    /// Grades of the judged items.
    grades: Vec<f64>,
    /// For each judged item its place in `entries`, or [`ABSENT`].
    found: Vec<u32>,
    entries: Vec<Entry<K>>,
    order: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl<K: Key> Judge<K> {
    /// Working memory for lists under `rules`.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            slots: Slots::default(),
            items: Vec::new(),
            grades: Vec::new(),
            found: Vec::new(),
            entries: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Matches a list with the judgements of its query.
    ///
    /// `scores` is `None` where the list is in rank order already; `seed` draws the order under
    /// [`Ties::Random`].
    pub fn list(
        &mut self,
        judged: &[K],
        grades: &[f64],
        items: &[K],
        scores: Option<&[f64]>,
        seed: u64,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        self.slots.clear(judged.len() + items.len());
        outcome.repeated_judgements = self.take_judgements(judged, grades);
        outcome.repeated_results = self.take_results(items, scores, seed);
        if self.rules.condensed {
            self.condense();
        }
        outcome.retrieved = self.entries.len();
        outcome.hits = self.rank(scores.is_none());
        outcome.ideal.extend_from_slice(&self.grades);
        outcome.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
        outcome
    }

    fn take_judgements(&mut self, judged: &[K], grades: &[f64]) -> (usize, Option<Repeated>) {
        self.items.clear();
        self.grades.clear();
        let mut repeated = (0, None);
        for (row, (&item, &grade)) in judged.iter().zip(grades).enumerate() {
            match self.slots.find_or_insert(item, self.items.len(), |number| self.items[number]) {
                None => {
                    self.items.push(item);
                    self.grades.push(grade);
                }
                Some(number) => match self.rules.duplicates {
                    Duplicates::Error => note(&mut repeated, judged, row),
                    Duplicates::First => {}
                    Duplicates::Best => self.grades[number] = self.grades[number].max(grade),
                },
            }
        }
        self.found.clear();
        self.found.resize(self.items.len(), ABSENT);
        repeated
    }

    fn take_results(&mut self, items: &[K], scores: Option<&[f64]>, seed: u64) -> (usize, Option<Repeated>) {
        let judged = self.grades.len();
        let random = self.rules.ties == Ties::Random;
        self.entries.clear();
        let mut repeated = (0, None);
        for (row, &item) in items.iter().enumerate() {
            // Without scores the rows' own order is the ranking.
            let score = scores.map_or(-(row as f64), |scores| scores[row]);
            let number = self
                .slots
                .find_or_insert(item, self.items.len(), |number| self.items[number])
                .unwrap_or_else(|| {
                    self.items.push(item);
                    self.found.push(ABSENT);
                    self.items.len() - 1
                });
            if self.found[number] == ABSENT {
                self.found[number] = self.entries.len() as u32;
                let grade = self.grades.get(number).copied();
                let lot = if random { item.stable_hash(seed) } else { row as u64 };
                let entry = Entry { item, score, grade: grade.unwrap_or(0.0), judged: number < judged, lot };
                self.entries.push(entry);
                continue;
            }
            match self.rules.duplicates {
                Duplicates::Error => note(&mut repeated, items, row),
                Duplicates::First => {}
                Duplicates::Best => {
                    let kept = &mut self.entries[self.found[number] as usize];
                    if score > kept.score {
                        kept.score = score;
                        kept.lot = if random { kept.lot } else { row as u64 };
                    }
                }
            }
        }
        repeated
    }

    /// Takes the unjudged items out of the list.
    fn condense(&mut self) {
        self.entries.retain(|entry| entry.judged);
    }

    /// The judged items of the list, in rank order.
    fn rank(&mut self, in_order: bool) -> Vec<Hit> {
        let entries = &self.entries;
        if in_order || entries.windows(2).all(|pair| pair[0].score > pair[1].score) {
            let judged = entries.iter().zip(1..).filter(|(entry, _)| entry.judged);
            return judged
                .map(|(entry, rank)| Hit { rank, tied: (rank, rank), relevance: entry.grade })
                .collect();
        }
        let judged = entries.iter().filter(|entry| entry.judged).count();
        if judged <= FEW { self.rank_few() } else { self.rank_all() }
    }

    /// Ranks by counting, for each judged item, the items before it: cheaper than sorting where few are judged.
    fn rank_few(&self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for hit in self.entries.iter().filter(|entry| entry.judged) {
            let (mut greater, mut equal) = (0, 0);
            for entry in &self.entries {
                greater += u32::from(entry.score > hit.score);
                equal += u32::from(entry.score == hit.score);
            }
            let before = if equal == 1 { 0 } else { self.tied_before(hit) };
            hits.push(Hit {
                rank: greater + before + 1,
                tied: (greater + 1, greater + equal),
                relevance: hit.grade,
            });
        }
        hits.sort_unstable_by_key(|hit| hit.rank);
        hits
    }

    fn tied_before(&self, hit: &Entry<K>) -> u32 {
        let tied = self.entries.iter().filter(|entry| entry.score == hit.score);
        tied.filter(|entry| self.tie_order(entry, hit) == Ordering::Less).count() as u32
    }

    fn rank_all(&mut self) -> Vec<Hit> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.entries.len() as u32);
        let entry = |at: u32| &self.entries[at as usize];
        order.sort_unstable_by(|&a, &b| {
            let by_score = entry(b).score.partial_cmp(&entry(a).score).unwrap_or(Ordering::Equal);
            by_score.then_with(|| self.tie_order(entry(a), entry(b)))
        });
        let mut hits = Vec::new();
        let mut first = 1;
        for group in order.chunk_by(|&a, &b| entry(a).score == entry(b).score) {
            let last = first + group.len() as u32 - 1;
            let judged = group.iter().zip(first..).filter(|&(&at, _)| entry(at).judged);
            hits.extend(judged.map(|(&at, rank)| Hit {
                rank,
                tied: (first, last),
                relevance: entry(at).grade,
            }));
            first = last + 1;
        }
        self.order = order;
        hits
    }

    /// Which of two entries with equal scores comes first.
    fn tie_order(&self, a: &Entry<K>, b: &Entry<K>) -> Ordering {
        let by_item = || self.item_order(b.item, a.item);
        let best_first = || b.grade.total_cmp(&a.grade).then(b.judged.cmp(&a.judged));
        match self.rules.ties {
            Ties::ItemDescending => by_item(),
            Ties::ItemAscending => by_item().reverse(),
            Ties::Best => best_first().then_with(by_item),
            Ties::Worst => best_first().reverse().then_with(by_item),
            Ties::Input | Ties::Random => a.lot.cmp(&b.lot).then_with(by_item),
        }
    }

    fn item_order(&self, a: K, b: K) -> Ordering {
        if self.rules.unsigned { a.unsigned_cmp(b) } else { a.cmp(&b) }
    }
}

/// Up to so many judged items, counting what stands before each is cheaper than sorting the list.
const FEW: usize = 24;

/// Counts a repeated item; finds its earlier row only for the first of them.
fn note<K: Key>(repeated: &mut (usize, Option<Repeated>), items: &[K], later: usize) {
    repeated.0 += 1;
    if repeated.1.is_none() {
        let earlier = items.iter().position(|&item| item == items[later]).unwrap_or(later);
        repeated.1 = Some(Repeated { earlier, later });
    }
}

/// The best rank at which the tie-breaking decides between different grades, if it does at all.
///
/// `hits` are in rank order. An unjudged item counts as grade 0.
pub fn first_mattering_tie(hits: &[Hit]) -> Option<u32> {
    let matters = |group: &&[Hit]| {
        let (first, last) = group[0].tied;
        let unjudged = (last - first + 1) as usize > group.len();
        let grade = if unjudged { 0.0 } else { group[0].relevance };
        group.iter().any(|hit| hit.relevance != grade)
    };
    hits.chunk_by(|a, b| a.tied == b.tied).find(matters).map(|group| group[0].tied.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        ties: Ties::ItemDescending,
        duplicates: Duplicates::Error,
        condensed: false,
        unsigned: false,
    };

    fn list(rules: Rules, judged: &[(i64, f64)], results: &[(i64, f64)]) -> Outcome {
        let (judged, grades): (Vec<i64>, Vec<f64>) = judged.iter().copied().unzip();
        let (items, scores): (Vec<i64>, Vec<f64>) = results.iter().copied().unzip();
        Judge::new(rules).list(&judged, &grades, &items, Some(&scores), 0)
    }

    fn ranks(outcome: &Outcome) -> Vec<(u32, f64)> {
        outcome.hits.iter().map(|hit| (hit.rank, hit.relevance)).collect()
    }

    #[test]
    fn judged_items_get_their_ranks_in_an_unsorted_list() {
        let outcome = list(RULES, &[(7, 2.0), (5, 1.0), (9, 0.0)], &[(5, 0.1), (1, 0.9), (7, 0.5)]);
        assert_eq!(ranks(&outcome), [(2, 2.0), (3, 1.0)]);
        assert_eq!(outcome.ideal, [2.0, 1.0, 0.0]);
        assert_eq!(outcome.retrieved, 3);
    }

    #[test]
    fn counting_and_sorting_give_the_same_ranks_under_every_rule() {
        let judged: Vec<(i64, f64)> = (0..60).step_by(2).map(|i| (i, (i % 3) as f64)).collect();
        let results: Vec<(i64, f64)> = (0..60).map(|i| (i * 7 % 60, (i % 5) as f64)).collect();
        for ties in
            [Ties::ItemDescending, Ties::ItemAscending, Ties::Input, Ties::Best, Ties::Worst, Ties::Random]
        {
            let mut judge = Judge::new(Rules { ties, ..RULES });
            let (items, scores): (Vec<i64>, Vec<f64>) = results.iter().copied().unzip();
            let (ids, grades): (Vec<i64>, Vec<f64>) = judged.iter().copied().unzip();
            judge.list(&ids, &grades, &items, Some(&scores), 3);
            assert_eq!(judge.rank_few(), judge.rank_all(), "{ties:?}");
        }
    }

    #[test]
    fn a_repeated_item_is_refused_or_its_first_or_best_row_kept() {
        let results = [(1, 0.5), (2, 0.6), (1, 0.7)];
        let judged = [(1, 1.0), (1, 2.0)];
        let refused = list(RULES, &judged, &results);
        assert_eq!(refused.repeated_judgements, (1, Some(Repeated { earlier: 0, later: 1 })));
        assert_eq!(refused.repeated_results, (1, Some(Repeated { earlier: 0, later: 2 })));
        let first = list(Rules { duplicates: Duplicates::First, ..RULES }, &judged, &results);
        assert_eq!(ranks(&first), [(2, 1.0)]);
        let best = list(Rules { duplicates: Duplicates::Best, ..RULES }, &judged, &results);
        assert_eq!(ranks(&best), [(1, 2.0)]);
    }

    #[test]
    fn condensed_lists_rank_judged_items_alone() {
        let rules = Rules { condensed: true, ..RULES };
        let outcome = list(rules, &[(7, 1.0)], &[(5, 0.9), (7, 0.5)]);
        assert_eq!(ranks(&outcome), [(1, 1.0)]);
        assert_eq!(outcome.retrieved, 1);
    }

    #[test]
    fn a_tie_matters_where_it_decides_between_different_grades() {
        let equal = list(RULES, &[(1, 1.0), (2, 1.0)], &[(1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&equal.hits), None);
        let unlike = list(RULES, &[(1, 1.0)], &[(9, 0.9), (1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&unlike.hits), Some(2));
        let zeros = list(RULES, &[(1, 0.0)], &[(1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&zeros.hits), None);
    }
}
