//! One query: its judgements against its list, which of the items are judged, and at which ranks.

use std::cmp::Ordering;

use crate::core::choices::{Duplicates, Unjudged};
use crate::core::hash::Key;
use crate::core::items::Numbering;
use crate::core::lists::matching::{Matcher, Repeats};
use crate::core::lists::order::{by_falling, count_better};
use crate::core::scores::{Coded, Score};
use crate::core::ties::{Grade, Needs, Tied, Ties};
use crate::core::wide::wide;

/// How lists are ordered and what stays in them.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The order of equal scores.
    pub ties: Ties,
    /// Items that stand twice.
    pub duplicates: Duplicates,
    /// Items that are not judged.
    pub unjudged: Unjudged,
    /// Whether integer ids are ordered as `u64`.
    pub unsigned: bool,
}

/// What of lists is kept beside their judged items: so many items from the top.
#[derive(Clone, Copy)]
pub struct Top<'a> {
    /// The items that have numbers.
    pub items: &'a Numbering,
    /// How many of each list.
    pub depth: usize,
}

/// In the place of the number of an item that has none.
pub const UNKNOWN: i32 = -1;

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

/// A list as it came: items, and scores unless the rows are in rank order.
#[derive(Clone, Copy)]
struct Listed<'a, K, S> {
    items: &'a [K],
    scores: Option<&'a [S]>,
}

impl<K: Key, S: Score> Listed<'_, K, S> {
    /// The rows at some positions alone.
    fn pick(&self, positions: impl Iterator<Item = usize> + Clone) -> (Vec<K>, Option<Vec<S>>) {
        let items = positions.clone().map(|at| self.items[at]).collect();
        (items, self.scores.map(|scores| positions.map(|at| scores[at]).collect()))
    }
}

/// The working memory of one thread, and what the last list came to.
pub struct Judge<'a> {
    rules: Rules,
    top: Option<Top<'a>>,
    matcher: Matcher,
    /// The positions in the order of the list, and for each position the grade of its item, NaN if it is not judged.
    order: Vec<u32>,
    grade_at: Vec<f64>,
    /// The grade at each position and the number drawn for it, as far as the order of ties needs them.
    tied_grades: Vec<Grade>,
    lots: Vec<u64>,
    /// The judged items of the list, in rank order.
    pub hits: Vec<Hit>,
    /// Whether it is known that each of them has a score of its own.
    pub untied: bool,
    /// The grades of the items in rank order, in the place of hits, where all are judged and none ties with another.
    pub labels: Vec<f64>,
    /// The grades of all judged items, best first.
    pub ideal: Vec<f64>,
    /// Items in the list.
    pub retrieved: usize,
    /// The numbers of the items at the top of the list, in rank order, and whether the next has an equal score.
    pub first: Vec<(i32, bool)>,
    /// Scores with their positions, of the top of a list.
    best: Vec<u128>,
    /// The best scores and their places.
    kept: Vec<(f64, u32)>,
}

/// Items from the top of a list up to which the best are kept in order while the list is looked through.
const SHALLOW: usize = 32;

impl<'a> Judge<'a> {
    /// Working memory for lists under `rules`, which keeps the `top` of each.
    pub fn new(rules: Rules, top: Option<Top<'a>>) -> Self {
        Self {
            rules,
            top,
            matcher: Matcher::default(),
            order: Vec::new(),
            grade_at: Vec::new(),
            tied_grades: Vec::new(),
            lots: Vec::new(),
            hits: Vec::new(),
            untied: false,
            labels: Vec::new(),
            ideal: Vec::new(),
            retrieved: 0,
            first: Vec::new(),
            best: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Matches a list with the judgements of its query; gives the repeats among judgements and results, if there are any.
    ///
    /// `scores` is `None` where the list is in rank order already; `seed` draws the order of ties that needs lots.
    pub fn list<K: Key, S: Score>(
        &mut self,
        judged: &[K],
        grades: &[f64],
        items: &[K],
        scores: Option<&[S]>,
        seed: u64,
    ) -> Option<(Repeats, Repeats)> {
        let judgements = self.matcher.take_judged(judged);
        if judgements.count > 0 && self.rules.duplicates != Duplicates::Error {
            let (judged, grades) = self.without_repeats(Listed { items: judged, scores: Some(grades) });
            return self.list(&judged, grades.as_deref().unwrap_or_default(), items, scores, seed);
        }
        self.take_ideal(grades);
        let rows = Listed { items, scores };
        let results = self.matcher.find(judged, items);
        if results.count > 0 && self.rules.duplicates != Duplicates::Error {
            let (items, scores) = self.without_repeats(rows);
            return self.list(judged, grades, &items, scores.as_deref(), seed);
        }
        if self.rules.unjudged == Unjudged::Ignore {
            let (items, scores) = rows.pick(self.matcher.found.iter().map(|found| found.position as usize));
            self.matcher.found.iter_mut().zip(0..).for_each(|(found, position)| found.position = position);
            self.rank(Listed { items: &items, scores: scores.as_deref() }, grades, seed);
        } else {
            self.rank(rows, grades, seed);
        }
        // In nearly all lists there is nothing to be handed on.
        (judgements.count + results.count > 0).then_some((judgements, results))
    }

    /// Takes the grades of the judged items of the next list.
    pub fn take_ideal(&mut self, grades: &[f64]) {
        self.ideal.clear();
        if !add_whole_falling(grades, &mut self.ideal) {
            self.ideal.extend_from_slice(grades);
            self.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }

    /// The rows with one row an item: the first, or the one with the highest score.
    fn without_repeats<K: Key, S: Score>(&mut self, rows: Listed<'_, K, S>) -> (Vec<K>, Option<Vec<S>>) {
        let scores = rows.scores.filter(|_| self.rules.duplicates == Duplicates::Best);
        let better = |row: usize, kept: usize| scores.is_some_and(|scores| scores[row] > scores[kept]);
        let kept = self.matcher.distinct(rows.items, better);
        rows.pick(kept.iter().copied())
    }

    /// Ranks the judged items of the list.
    fn rank<K: Key, S: Score>(&mut self, rows: Listed<'_, K, S>, grades: &[f64], seed: u64) {
        self.retrieved = rows.items.len();
        self.hits.clear();
        self.labels.clear();
        self.untied = rows.scores.is_none();
        let Some(scores) = rows.scores else {
            self.take_first(rows.items);
            self.hits.extend(self.matcher.found.iter().map(|found| {
                let rank = found.position + 1;
                Hit { rank, tied: (rank, rank), relevance: grades[found.judgement as usize] }
            }));
            return;
        };
        self.prepare_ties(rows, grades, seed);
        if self.matcher.found.len() <= FEW {
            self.rank_few(rows.items, scores, grades);
        } else if let Some(better) = count_better(scores) {
            self.rank_apart(&better[..scores.len()], grades);
        } else {
            self.rank_all(rows.items, scores, grades);
        }
        self.take_best(rows.items, scores);
    }

    /// Takes the top of a list that is in rank order and has no equal scores.
    fn take_first<K: Key>(&mut self, items: &[K]) {
        let Some(top) = self.top else { return };
        self.first.clear();
        self.first.extend(items.iter().take(top.depth).map(|&item| (number(item, top), false)));
    }

    /// Takes the top of a list; what is beyond it is not sorted.
    fn take_best<K: Key, S: Score>(&mut self, items: &[K], scores: &[S]) {
        let Some(top) = self.top else { return };
        let mut order = std::mem::take(&mut self.best);
        order.clear();
        let coded = |(&score, place): (&S, u64)| <u128 as Coded>::new(score.into(), place);
        if top.depth <= SHALLOW && top.depth < scores.len() {
            let (last, more) = self.take_highest(scores, top.depth);
            if more {
                order.extend(scores.iter().zip(0..).filter(|&(&score, _)| score.into() >= last).map(coded));
            } else {
                let kept = self.kept.iter().map(|&(score, place)| (score, u64::from(place)));
                order.extend(kept.map(|(score, place)| <u128 as Coded>::new(score, place)));
            }
        } else {
            order.extend(scores.iter().zip(0..).map(coded));
            if (1..order.len()).contains(&top.depth) {
                let (_, last, _) = order.select_nth_unstable(top.depth - 1);
                let code = last.code();
                order.retain(|coded| coded.code() <= code);
            }
        }
        order.sort_unstable();
        self.first.clear();
        for group in order.chunk_by_mut(|a, b| a.code() == b.code()) {
            if group.len() > 1 {
                group.sort_unstable_by(|&a, &b| self.tie_order(a.other() as u32, b.other() as u32, items));
            }
            let left = top.depth - self.first.len();
            for (place, coded) in group.iter().enumerate().take(left) {
                self.first.push((number(items[coded.other() as usize], top), place + 1 < group.len()));
            }
        }
        self.best = order;
    }

    /// Keeps the best of more scores, so many and few, with their places; gives the last of them, and whether
    /// others are as good.
    fn take_highest<S: Score>(&mut self, scores: &[S], depth: usize) -> (f64, bool) {
        let (first, others) = scores.split_at(depth);
        let kept = &mut self.kept;
        kept.clear();
        kept.extend(first.iter().map(|&score| score.into()).zip(0..));
        kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let (Some(&(mut last, _)), mut more) = (kept.last(), false) else { return (f64::INFINITY, true) };
        for (&score, at) in others.iter().zip(depth as u32..) {
            let score: f64 = score.into();
            if score > last {
                let mut place = depth - 1;
                while place > 0 && kept[place - 1].0 < score {
                    kept[place] = kept[place - 1];
                    place -= 1;
                }
                kept[place] = (score, at);
                // The one that has left is as good as the last, or the last is better than all others.
                more = kept[depth - 1].0 == last;
                last = kept[depth - 1].0;
            } else {
                more |= score == last;
            }
        }
        (last, more)
    }

    /// Prepares what the order of ties needs.
    fn prepare_ties<K: Key, S: Score>(&mut self, rows: Listed<'_, K, S>, grades: &[f64], seed: u64) {
        match self.rules.ties.needs() {
            Needs::Nothing => {}
            Needs::Lots => {
                self.lots.clear();
                self.lots.extend(rows.items.iter().map(|item| item.stable_hash(seed)));
            }
            Needs::Grades => {
                self.tied_grades.clear();
                self.tied_grades.resize(rows.items.len(), Grade::UNJUDGED);
                for found in &self.matcher.found {
                    let grade = grades[found.judgement as usize];
                    self.tied_grades[found.position as usize] = Grade::of(grade);
                }
            }
        }
    }

    /// Ranks by counting, for each judged item, the items before it: cheaper than sorting where few are judged.
    fn rank_few<K: Key, S: Score>(&mut self, items: &[K], scores: &[S], grades: &[f64]) {
        for found in &self.matcher.found {
            let score = scores[found.position as usize];
            let (greater, equal) = compared(scores, score);
            let before = if equal == 1 { 0 } else { self.tied_before(found.position, items, scores) };
            self.hits.push(Hit {
                rank: greater + before + 1,
                tied: (greater + 1, greater + equal),
                relevance: grades[found.judgement as usize],
            });
        }
        self.hits.sort_unstable_by_key(|hit| hit.rank);
    }

    fn tied_before<K: Key, S: Score>(&self, position: u32, items: &[K], scores: &[S]) -> u32 {
        let score = scores[position as usize];
        let tied = scores.iter().zip(0..).filter(|&(&other, _)| other == score);
        tied.filter(|&(_, other)| self.tie_order(other, position, items) == Ordering::Less).count() as u32
    }

    /// Ranks where nothing is tied, and it is known of each item how many are better.
    fn rank_apart(&mut self, better: &[u16], grades: &[f64]) {
        self.grade_at.clear();
        self.grade_at.resize(better.len(), f64::NAN);
        for found in &self.matcher.found {
            let place = better[found.position as usize];
            self.grade_at[usize::from(place)] = grades[found.judgement as usize];
        }
        if self.matcher.found.len() == better.len() {
            std::mem::swap(&mut self.labels, &mut self.grade_at);
            return;
        }
        let ranked = self.grade_at.iter().zip(1..).filter(|(relevance, _)| !relevance.is_nan());
        self.hits.extend(ranked.map(|(&relevance, rank)| Hit { rank, tied: (rank, rank), relevance }));
    }

    /// Ranks by bringing the list into its order.
    fn rank_all<K: Key, S: Score>(&mut self, items: &[K], scores: &[S], grades: &[f64]) {
        let (mut hits, mut grade_at) = (std::mem::take(&mut self.hits), std::mem::take(&mut self.grade_at));
        grade_at.clear();
        grade_at.resize(items.len(), f64::NAN);
        for found in &self.matcher.found {
            grade_at[found.position as usize] = grades[found.judgement as usize];
        }
        hits.reserve(self.matcher.found.len());
        self.in_order(items, scores, |position, rank, tied| {
            let relevance = grade_at[position as usize];
            if !relevance.is_nan() {
                hits.push(Hit { rank, tied, relevance });
            }
        });
        (self.hits, self.grade_at) = (hits, grade_at);
    }

    /// Hands each position of a list without judgements to `take` in the order of the ranks, with its rank, and the
    /// first and the last rank of the items with its score.
    pub fn rank_whole<K: Key, S: Score>(
        &mut self,
        items: &[K],
        scores: &[S],
        seed: u64,
        take: impl FnMut(u32, u32, (u32, u32)),
    ) {
        self.prepare_ties(Listed { items, scores: Some(scores) }, &[], seed);
        self.in_order(items, scores, take);
    }

    fn in_order<K: Key, S: Score>(
        &mut self,
        items: &[K],
        scores: &[S],
        mut take: impl FnMut(u32, u32, (u32, u32)),
    ) {
        let mut order = std::mem::take(&mut self.order);
        by_falling(scores, &mut order);
        let mut first = 1;
        for group in order.chunk_by_mut(|&a, &b| scores[a as usize] == scores[b as usize]) {
            if group.len() > 1 {
                group.sort_unstable_by(|&a, &b| self.tie_order(a, b, items));
            }
            let last = first + group.len() as u32 - 1;
            group.iter().zip(first..).for_each(|(&position, rank)| take(position, rank, (first, last)));
            first = last + 1;
        }
        self.order = order;
    }

    /// Which of two positions with equal scores comes first.
    fn tie_order<K: Key>(&self, a: u32, b: u32, items: &[K]) -> Ordering {
        self.rules.ties.order(&TiedPositions { judge: self, items, a: a as usize, b: b as usize })
    }
}

/// The number of an item, `UNKNOWN` if it has none.
fn number<K: Key>(item: K, top: Top<'_>) -> i32 {
    top.items.number(item).map_or(UNKNOWN, |number| number as i32)
}

/// Two positions of a list with equal scores.
struct TiedPositions<'a, K> {
    judge: &'a Judge<'a>,
    items: &'a [K],
    a: usize,
    b: usize,
}

impl<K: Key> Tied for TiedPositions<'_, K> {
    fn by_item(&self) -> Ordering {
        let (a, b) = (self.items[self.a], self.items[self.b]);
        if self.judge.rules.unsigned { b.unsigned_cmp(a) } else { b.cmp(&a) }
    }

    fn by_row(&self) -> Ordering {
        self.a.cmp(&self.b)
    }

    fn by_grade(&self) -> Ordering {
        Grade::better(self.judge.tied_grades[self.a], self.judge.tied_grades[self.b])
    }

    fn by_lot(&self) -> Ordering {
        self.judge.lots[self.a].cmp(&self.judge.lots[self.b])
    }
}

/// Grades that are counted instead of sorted: whole numbers below this, as nearly all are.
const GRADES: usize = 8;

wide! {
    /// Adds grades, best first, to others; none, and false, if some cannot be counted.
    fn add_whole_falling(grades: &[f64], falling: &mut Vec<f64>) -> bool = add_whole_falling_any
}

#[inline(always)]
fn add_whole_falling_any(grades: &[f64], falling: &mut Vec<f64>) -> bool {
    let (Some(reaching), Ok(length)) = (count_reaching(grades), i32::try_from(grades.len())) else {
        return false;
    };
    // A whole grade is how many of the grades from 1 on it reaches, which takes no branch.
    falling.extend((0..length).map(|place| {
        let mut grade = 0;
        for count in reaching {
            grade += i32::from(place < count);
        }
        f64::from(grade)
    }));
    true
}

/// How many grades are as high as each whole one from 1 on or higher, unless there are others.
#[inline(always)]
fn count_reaching(grades: &[f64]) -> Option<[i32; GRADES - 1]> {
    /// Whose last bits, when a small whole number has been added, are that number.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    let mut reaching = [0; GRADES - 1];
    // A byte for each grade, and no more of them than it can count.
    for some in grades.chunks(usize::from(u8::MAX)) {
        let (mut counts, mut all, mut counted) = (0_u64, 0, true);
        for &grade in some {
            let moved = grade + WHOLE;
            let whole = moved.to_bits() ^ WHOLE.to_bits();
            counted &= moved - WHOLE == grade;
            all |= whole;
            counts += 1 << (8 * (whole % GRADES as u64));
        }
        if !counted || all >= GRADES as u64 {
            return None;
        }
        let mut sum = 0;
        for (total, &count) in reaching.iter_mut().zip(&counts.to_le_bytes()[1..]).rev() {
            sum += i32::from(count);
            *total += sum;
        }
    }
    Some(reaching)
}

wide! {
    /// Whether every score is less than the one before, and none is NaN; looks at all, which can be done several at
    /// a time.
    pub fn descends<S: Score>(scores: &[S]) -> bool = descends_any
}

#[inline(always)]
fn descends_any<S: Score>(scores: &[S]) -> bool {
    let pairs = scores.iter().zip(scores.iter().skip(1));
    let is_number = scores.first().is_none_or(|&first| !first.into().is_nan());
    pairs.fold(is_number, |descends, (earlier, later)| descends & (earlier > later))
}

wide! {
    /// How many scores are greater than one of them, and how many equal.
    fn compared<S: Score>(scores: &[S], one: S) -> (u32, u32) = compared_any
}

#[inline(always)]
fn compared_any<S: Score>(scores: &[S], one: S) -> (u32, u32) {
    let (mut greater, mut equal) = (S::Count::from(false), S::Count::from(false));
    for &other in scores {
        greater += S::Count::from(other > one);
        equal += S::Count::from(other == one);
    }
    (greater.into() as u32, equal.into() as u32)
}

/// Up to so many judged items, counting what stands before each is cheaper than sorting the list.
const FEW: usize = 24;

/// Whether each judged item has a score of its own.
pub fn are_apart(hits: &[Hit]) -> bool {
    hits.iter().fold(true, |apart, hit| apart & (hit.tied.0 == hit.tied.1))
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
    // In most lists nothing is tied.
    if are_apart(hits) {
        return None;
    }
    hits.chunk_by(|a, b| a.tied == b.tied).find(matters).map(|group| group[0].tied.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::choices::Choice;
    use crate::core::items::Items;
    use crate::core::lists::matching::Repeated;

    const RULES: Rules = Rules {
        ties: Ties::ItemDescending,
        duplicates: Duplicates::Error,
        unjudged: Unjudged::Keep,
        unsigned: false,
    };

    fn list(
        rules: Rules,
        judged: &[(i64, f64)],
        results: &[(i64, f64)],
    ) -> (Judge<'static>, Repeats, Repeats) {
        let (judged, grades): (Vec<i64>, Vec<f64>) = judged.iter().copied().unzip();
        let (items, scores): (Vec<i64>, Vec<f64>) = results.iter().copied().unzip();
        let mut judge = Judge::new(rules, None);
        let repeats = judge.list(&judged, &grades, &items, Some(&scores), 3);
        let (judgements, results) = repeats.unwrap_or_default();
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
        for &(_, ties) in Ties::WORDS {
            let (mut judge, ..) = list(Rules { ties, ..RULES }, &judged, &results);
            assert!(judge.matcher.found.len() <= FEW);
            let counted = std::mem::take(&mut judge.hits);
            judge.rank_all(&items, &scores, &grades);
            assert_eq!(judge.hits, counted, "{ties:?}");
        }
    }

    #[test]
    fn lists_without_ties_are_ranked_alike_whether_all_is_judged_or_some() {
        for length in [26, 100, 128, 129] {
            let (items, scores): (Vec<i64>, Vec<f64>) =
                (0..length).map(|i| (i, (i * 7_919 % 257) as f64 / 3.0)).unzip();
            for judged in [length, length - 1] {
                let grades: Vec<f64> = (0..judged).map(|i| (i % 3) as f64).collect();
                let mut judge = Judge::new(RULES, None);
                judge.list(&items[..judged as usize], &grades, &items, Some(&scores), 3);
                let mut known = Judge::new(RULES, None);
                known.matcher.take_judged(&items[..judged as usize]);
                known.matcher.find(&items[..judged as usize], &items);
                known.rank_all(&items, &scores, &grades);
                let labels: Vec<f64> = known.hits.iter().map(|hit| hit.relevance).collect();
                let (hits, told) =
                    if judge.labels.is_empty() { (known.hits, vec![]) } else { (vec![], labels) };
                assert_eq!((&judge.hits, &judge.labels), (&hits, &told));
                assert_eq!(judge.labels.is_empty(), judged < length || length > 128);
            }
        }
    }

    #[test]
    fn the_top_is_that_of_the_whole_list_in_order_under_every_rule() {
        let judged: Vec<i64> = (0..40).step_by(2).collect();
        let grades: Vec<f64> = judged.iter().map(|i| (i % 3) as f64).collect();
        let items: Vec<i64> = (0..60).map(|i| i * 7 % 60).collect();
        let scores: Vec<f64> = (0..60).map(|i| (i % 5) as f64).collect();
        let known = numbered(&items);
        for &(_, ties) in Ties::WORDS {
            for depth in [1, 11, 12, 13, 59, 60, 100] {
                let mut judge = Judge::new(Rules { ties, ..RULES }, Some(Top { items: &known, depth }));
                judge.list(&judged, &grades, &items, Some(&scores), 3);
                let mut order: Vec<u32> = (0..60).collect();
                order.sort_by(|&a, &b| {
                    let by_score = scores[b as usize].total_cmp(&scores[a as usize]);
                    by_score.then_with(|| judge.tie_order(a, b, &items))
                });
                let tied = |place: usize| place % 12 != 11;
                let expected: Vec<(i32, bool)> = order
                    .iter()
                    .enumerate()
                    .map(|(place, &at)| (at as i32, tied(place)))
                    .take(depth)
                    .collect();
                assert_eq!(judge.first, expected, "{ties:?} {depth}");
            }
        }
    }

    #[test]
    fn the_top_of_a_list_in_order_is_its_first_rows_and_of_none_nothing() {
        let known = numbered(&[5, 6]);
        let mut judge = Judge::new(RULES, Some(Top { items: &known, depth: 2 }));
        judge.list(&[6], &[1.0], &[6, 9, 5], Some(&[0.9, 0.8, 0.7]), 3);
        assert_eq!(judge.first, [(1, false), (UNKNOWN, false)]);
        judge.list::<_, f64>(&[6], &[1.0], &[6, 9, 5], None, 3);
        assert_eq!(judge.first, [(1, false), (UNKNOWN, false)]);
        judge.list::<_, f64>(&[6], &[1.0], &[], Some(&[]), 3);
        assert_eq!(judge.first, []);
    }

    fn numbered(ids: &[i64]) -> Numbering {
        let mut items = Items::default();
        ids.iter().for_each(|&id| {
            items.integer(id, id.hash());
        });
        Numbering::new(items)
    }

    #[test]
    fn a_repeated_item_is_refused_or_its_first_or_best_row_kept() {
        let results = [(1, 0.5), (2, 0.6), (1, 0.7)];
        let judged = [(1, 1.0), (1, 2.0)];
        let (_, judgements, _) = list(RULES, &judged, &results);
        assert_eq!((judgements.count, judgements.first), (1, Some(Repeated { earlier: 0, later: 1 })));
        let (_, _, repeats) = list(RULES, &judged[..1], &results);
        assert_eq!((repeats.count, repeats.first), (1, Some(Repeated { earlier: 0, later: 2 })));
        let (first, ..) = list(Rules { duplicates: Duplicates::First, ..RULES }, &judged, &results);
        assert_eq!(ranks(&first), [(2, 1.0)]);
        let (best, ..) = list(Rules { duplicates: Duplicates::Best, ..RULES }, &judged, &results);
        assert_eq!(ranks(&best), [(1, 2.0)]);
        assert_eq!((best.ideal, best.retrieved), (vec![2.0], 2));
    }

    #[test]
    fn the_ideal_is_sorted_whether_its_grades_are_counted_or_not() {
        let (counted, ..) = list(RULES, &[(1, 1.0), (2, 0.0), (3, 7.0), (4, 1.0)], &[]);
        assert_eq!(counted.ideal, [7.0, 1.0, 1.0, 0.0]);
        let (sorted, ..) = list(RULES, &[(1, 0.5), (2, -1.0), (3, 8.0), (4, 0.5)], &[]);
        assert_eq!(sorted.ideal, [8.0, 0.5, 0.5, -1.0]);
        let (fine, ..) = list(RULES, &[(1, 2.0), (2, 0.5), (3, 0.25), (4, 8.0)], &[]);
        assert_eq!(fine.ideal, [8.0, 2.0, 0.5, 0.25]);
        let many: Vec<_> = (0..900).map(|item| (item, (item % 3) as f64)).collect();
        let (counted, ..) = list(RULES, &many, &[]);
        assert!(counted.ideal.is_sorted_by(|a, b| a >= b));
        assert_eq!(
            [0, 299, 300, 599, 600, 899].map(|place| counted.ideal[place]),
            [2.0, 2.0, 1.0, 1.0, 0.0, 0.0]
        );
    }

    #[test]
    fn condensed_lists_rank_judged_items_alone() {
        let (judge, ..) =
            list(Rules { unjudged: Unjudged::Ignore, ..RULES }, &[(7, 1.0)], &[(5, 0.9), (7, 0.5)]);
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
