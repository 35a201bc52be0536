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

/// Repeated items where they are refused: how many, and the first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// How many rows repeat an item.
    pub count: usize,
    /// The first of them.
    pub first: Option<Repeated>,
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

/// A list as it came: items, and scores unless the rows are in rank order.
#[derive(Clone, Copy)]
struct Rows<'a, K> {
    items: &'a [K],
    scores: Option<&'a [f64]>,
}

impl<K: Key> Rows<'_, K> {
    /// The rows at some positions alone.
    fn pick(&self, positions: impl Iterator<Item = usize> + Clone) -> (Vec<K>, Option<Vec<f64>>) {
        let items = positions.clone().map(|at| self.items[at]).collect();
        (items, self.scores.map(|scores| positions.map(|at| scores[at]).collect()))
    }
}

/// A judged item in a list: its position among the rows, and its number among the judgements.
#[derive(Debug, Clone, Copy)]
struct Found {
    position: u32,
    judgement: u32,
}

/// The working memory of one thread, and what the last list came to.
pub struct Judge {
    rules: Rules,
    slots: Slots,
    found: Vec<Found>,
    /// For each judgement whether its item has been found in the list.
    seen: Vec<bool>,
    order: Vec<u32>,
    /// What decides ties at each position under [`Ties::Best`], [`Ties::Worst`] and [`Ties::Random`].
    lots: Vec<Lot>,
    /// The judged items of the list, in rank order.
    pub hits: Vec<Hit>,
    /// The grades of all judged items, best first.
    pub ideal: Vec<f64>,
    /// Items in the list.
    pub retrieved: usize,
}

impl Judge {
    /// Working memory for lists under `rules`.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            slots: Slots::default(),
            found: Vec::new(),
            seen: Vec::new(),
            order: Vec::new(),
            lots: Vec::new(),
            hits: Vec::new(),
            ideal: Vec::new(),
            retrieved: 0,
        }
    }

    /// Matches a list with the judgements of its query; gives the repeats among judgements and results.
    ///
    /// `scores` is `None` where the list is in rank order already; `seed` draws the order under
    /// [`Ties::Random`].
    pub fn list<K: Key>(
        &mut self,
        judged: &[K],
        grades: &[f64],
        items: &[K],
        scores: Option<&[f64]>,
        seed: u64,
    ) -> (Repeats, Repeats) {
        self.slots.clear(judged.len() + items.len());
        let judgements = self.take_judgements(judged, grades);
        if judgements.count > 0 && self.rules.duplicates != Duplicates::Error {
            let (judged, grades) = self.without_repeats(Rows { items: judged, scores: Some(grades) });
            return self.list(&judged, grades.as_deref().unwrap_or_default(), items, scores, seed);
        }
        let rows = Rows { items, scores };
        let results = self.take_results(judged, rows);
        if results.count > 0 && self.rules.duplicates != Duplicates::Error {
            let (items, scores) = self.without_repeats(rows);
            return self.list(judged, grades, &items, scores.as_deref(), seed);
        }
        if self.rules.condensed {
            let (items, scores) = rows.pick(self.found.iter().map(|found| found.position as usize));
            self.found.iter_mut().zip(0..).for_each(|(found, position)| found.position = position);
            self.rank(Rows { items: &items, scores: scores.as_deref() }, grades, seed);
        } else {
            self.rank(rows, grades, seed);
        }
        (judgements, results)
    }

    fn take_judgements<K: Key>(&mut self, judged: &[K], grades: &[f64]) -> Repeats {
        let mut repeats = Repeats::default();
        for (row, &item) in judged.iter().enumerate() {
            if let Some(earlier) = self.slots.find_or_insert(item, row, |number| judged[number]) {
                repeats.add(row, || Some(earlier));
            }
        }
        self.ideal.clear();
        self.ideal.extend_from_slice(grades);
        self.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
        repeats
    }

    fn take_results<K: Key>(&mut self, judged: &[K], rows: Rows<'_, K>) -> Repeats {
        let mut repeats = Repeats::default();
        self.found.clear();
        self.seen.clear();
        self.seen.resize(judged.len(), false);
        let key_of = |number: usize| match number.checked_sub(judged.len()) {
            None => judged[number],
            Some(row) => rows.items[row],
        };
        for (row, &item) in rows.items.iter().enumerate() {
            match self.slots.find_or_insert(item, judged.len() + row, key_of) {
                None => {}
                Some(judgement) if judgement < judged.len() && !self.seen[judgement] => {
                    self.seen[judgement] = true;
                    self.found.push(Found { position: row as u32, judgement: judgement as u32 });
                }
                Some(_) => repeats.add(row, || rows.items.iter().position(|&other| other == item)),
            }
        }
        repeats
    }

    /// The rows with one row an item: the first, or the one with the highest score.
    fn without_repeats<K: Key>(&mut self, rows: Rows<'_, K>) -> (Vec<K>, Option<Vec<f64>>) {
        self.slots.clear(rows.items.len());
        let mut kept: Vec<usize> = Vec::with_capacity(rows.items.len());
        for (row, &item) in rows.items.iter().enumerate() {
            match self.slots.find_or_insert(item, kept.len(), |number| rows.items[kept[number]]) {
                None => kept.push(row),
                Some(number) if self.rules.duplicates == Duplicates::Best => {
                    let better = rows.scores.is_some_and(|scores| scores[row] > scores[kept[number]]);
                    kept[number] = if better { row } else { kept[number] };
                }
                Some(_) => {}
            }
        }
        kept.sort_unstable();
        rows.pick(kept.iter().copied())
    }

    /// Ranks the judged items of the list.
    fn rank<K: Key>(&mut self, rows: Rows<'_, K>, grades: &[f64], seed: u64) {
        self.retrieved = rows.items.len();
        self.hits.clear();
        let unsorted = rows.scores.filter(|scores| !scores.is_sorted_by(|a, b| a > b));
        let Some(scores) = unsorted else {
            self.hits.extend(self.found.iter().map(|found| {
                let rank = found.position + 1;
                Hit { rank, tied: (rank, rank), relevance: grades[found.judgement as usize] }
            }));
            return;
        };
        self.draw_lots(rows, grades, seed);
        if self.found.len() <= FEW {
            self.rank_few(rows.items, scores, grades);
        } else {
            self.rank_all(rows.items, scores, grades);
        }
    }

    fn draw_lots<K: Key>(&mut self, rows: Rows<'_, K>, grades: &[f64], seed: u64) {
        self.lots.clear();
        match self.rules.ties {
            Ties::ItemDescending | Ties::ItemAscending | Ties::Input => {}
            Ties::Random => {
                let draw = |item: &K| Lot { grade: 0.0, judged: false, number: item.stable_hash(seed) };
                self.lots.extend(rows.items.iter().map(draw));
            }
            Ties::Best | Ties::Worst => {
                self.lots.resize(rows.items.len(), Lot { grade: 0.0, judged: false, number: 0 });
                for found in &self.found {
                    let grade = grades[found.judgement as usize];
                    self.lots[found.position as usize] = Lot { grade, judged: true, number: 0 };
                }
            }
        }
    }

    /// Ranks by counting, for each judged item, the items before it: cheaper than sorting where few are judged.
    fn rank_few<K: Key>(&mut self, items: &[K], scores: &[f64], grades: &[f64]) {
        for found in &self.found {
            let score = scores[found.position as usize];
            let (mut greater, mut equal) = (0, 0);
            for &other in scores {
                greater += u32::from(other > score);
                equal += u32::from(other == score);
            }
            let before = if equal == 1 { 0 } else { self.tied_before(found.position, items, scores) };
            self.hits.push(Hit {
                rank: greater + before + 1,
                tied: (greater + 1, greater + equal),
                relevance: grades[found.judgement as usize],
            });
        }
        self.hits.sort_unstable_by_key(|hit| hit.rank);
    }

    fn tied_before<K: Key>(&self, position: u32, items: &[K], scores: &[f64]) -> u32 {
        let score = scores[position as usize];
        let tied = scores.iter().zip(0..).filter(|&(&other, _)| other == score);
        tied.filter(|&(_, other)| self.tie_order(other, position, items) == Ordering::Less).count() as u32
    }

    fn rank_all<K: Key>(&mut self, items: &[K], scores: &[f64], grades: &[f64]) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..items.len() as u32);
        let score = |at: u32| scores[at as usize];
        order.sort_unstable_by(|&a, &b| {
            let by_score = score(b).partial_cmp(&score(a)).unwrap_or(Ordering::Equal);
            by_score.then_with(|| self.tie_order(a, b, items))
        });
        let mut judgement_at = vec![ABSENT; items.len()];
        for found in &self.found {
            judgement_at[found.position as usize] = found.judgement;
        }
        let mut first = 1;
        for group in order.chunk_by(|&a, &b| score(a) == score(b)) {
            let last = first + group.len() as u32 - 1;
            for (&at, rank) in group.iter().zip(first..) {
                if let Some(&relevance) = grades.get(judgement_at[at as usize] as usize) {
                    self.hits.push(Hit { rank, tied: (first, last), relevance });
                }
            }
            first = last + 1;
        }
        self.order = order;
    }

    /// Which of two positions with equal scores comes first.
    fn tie_order<K: Key>(&self, a: u32, b: u32, items: &[K]) -> Ordering {
        let by_item = || self.item_order(items[b as usize], items[a as usize]);
        let lots = || (&self.lots[a as usize], &self.lots[b as usize]);
        match self.rules.ties {
            Ties::ItemDescending => by_item(),
            Ties::ItemAscending => by_item().reverse(),
            Ties::Input => a.cmp(&b),
            Ties::Best => Lot::better(lots()).then_with(by_item),
            Ties::Worst => Lot::better(lots()).reverse().then_with(by_item),
            Ties::Random => lots().0.number.cmp(&lots().1.number).then_with(by_item),
        }
    }

    fn item_order<K: Key>(&self, a: K, b: K) -> Ordering {
        if self.rules.unsigned { a.unsigned_cmp(b) } else { a.cmp(&b) }
    }
}

/// What decides ties at one position: its grade (0 if it is not judged), or a number drawn for it.
#[derive(Debug, Clone, Copy)]
struct Lot {
    grade: f64,
    judged: bool,
    number: u64,
}

impl Lot {
    /// Higher grades first; of an item judged 0 and one not judged, the judged one.
    fn better((a, b): (&Self, &Self)) -> Ordering {
        b.grade.total_cmp(&a.grade).then(b.judged.cmp(&a.judged))
    }
}

const ABSENT: u32 = u32::MAX;

/// Up to so many judged items, counting what stands before each is cheaper than sorting the list.
const FEW: usize = 24;

impl Repeats {
    /// Counts a row that repeats an item; looks for the earlier one only if it is the first such row.
    fn add(&mut self, later: usize, earlier: impl FnOnce() -> Option<usize>) {
        self.count += 1;
        self.first = self.first.or_else(|| earlier().map(|earlier| Repeated { earlier, later }));
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

    fn list(rules: Rules, judged: &[(i64, f64)], results: &[(i64, f64)]) -> (Judge, Repeats, Repeats) {
        let (judged, grades): (Vec<i64>, Vec<f64>) = judged.iter().copied().unzip();
        let (items, scores): (Vec<i64>, Vec<f64>) = results.iter().copied().unzip();
        let mut judge = Judge::new(rules);
        let (judgements, results) = judge.list(&judged, &grades, &items, Some(&scores), 3);
        (judge, judgements, results)
    }

    fn ranks(judge: &Judge) -> Vec<(u32, f64)> {
        judge.hits.iter().map(|hit| (hit.rank, hit.relevance)).collect()
    }

    #[test]
    fn judged_items_get_their_ranks_in_an_unsorted_list() {
        let (judge, ..) = list(RULES, &[(7, 2.0), (5, 1.0), (9, 0.0)], &[(5, 0.1), (1, 0.9), (7, 0.5)]);
        assert_eq!(ranks(&judge), [(2, 2.0), (3, 1.0)]);
        assert_eq!(judge.ideal, [2.0, 1.0, 0.0]);
        assert_eq!(judge.retrieved, 3);
    }

    #[test]
    fn counting_and_sorting_give_the_same_ranks_under_every_rule() {
        let judged: Vec<(i64, f64)> = (0..40).step_by(2).map(|i| (i, (i % 3) as f64)).collect();
        let results: Vec<(i64, f64)> = (0..60).map(|i| (i * 7 % 60, (i % 5) as f64)).collect();
        let (items, scores): (Vec<i64>, Vec<f64>) = results.iter().copied().unzip();
        let grades: Vec<f64> = judged.iter().map(|&(_, grade)| grade).collect();
        for ties in
            [Ties::ItemDescending, Ties::ItemAscending, Ties::Input, Ties::Best, Ties::Worst, Ties::Random]
        {
            let (mut judge, ..) = list(Rules { ties, ..RULES }, &judged, &results);
            assert!(judge.found.len() <= FEW);
            let counted = std::mem::take(&mut judge.hits);
            judge.rank_all(&items, &scores, &grades);
            assert_eq!(judge.hits, counted, "{ties:?}");
        }
    }

    #[test]
    fn a_repeated_item_is_refused_or_its_first_or_best_row_kept() {
        let results = [(1, 0.5), (2, 0.6), (1, 0.7)];
        let judged = [(1, 1.0), (1, 2.0)];
        let (_, judgements, repeats) = list(RULES, &judged, &results);
        assert_eq!((judgements.count, judgements.first), (1, Some(Repeated { earlier: 0, later: 1 })));
        assert_eq!((repeats.count, repeats.first), (1, Some(Repeated { earlier: 0, later: 2 })));
        let (first, ..) = list(Rules { duplicates: Duplicates::First, ..RULES }, &judged, &results);
        assert_eq!(ranks(&first), [(2, 1.0)]);
        let (best, ..) = list(Rules { duplicates: Duplicates::Best, ..RULES }, &judged, &results);
        assert_eq!(ranks(&best), [(1, 2.0)]);
        assert_eq!((best.ideal, best.retrieved), (vec![2.0], 2));
    }

    #[test]
    fn condensed_lists_rank_judged_items_alone() {
        let (judge, ..) = list(Rules { condensed: true, ..RULES }, &[(7, 1.0)], &[(5, 0.9), (7, 0.5)]);
        assert_eq!(ranks(&judge), [(1, 1.0)]);
        assert_eq!(judge.retrieved, 1);
    }

    #[test]
    fn a_tie_matters_where_it_decides_between_different_grades() {
        let (equal, ..) = list(RULES, &[(1, 1.0), (2, 1.0)], &[(1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&equal.hits), None);
        let (unlike, ..) = list(RULES, &[(1, 1.0)], &[(9, 0.9), (1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&unlike.hits), Some(2));
        let (zeros, ..) = list(RULES, &[(1, 0.0)], &[(1, 0.5), (2, 0.5)]);
        assert_eq!(first_mattering_tie(&zeros.hits), None);
    }
}
