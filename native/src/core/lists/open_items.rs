//! Lists of which nobody judged some items, which could have any grade: with grades in their places, and what sums of
//! them come to for each number of relevant ones.

use std::ops::Range;

use crate::core::lists::segments::sums_to;

/// Judged items of some lists in rank order, each with a number such as its grade, and how long the lists are.
///
/// All other items of the lists are open.
pub struct Lists<'a> {
    pub rank: &'a [i64],
    pub value: &'a [f64],
    pub offsets: &'a [i64],
    pub retrieved: &'a [i64],
}

/// Numbers in segments, one a query.
#[derive(Clone, Copy)]
pub struct Segments<'a> {
    pub values: &'a [f64],
    pub offsets: &'a [i64],
}

impl<'a> Segments<'a> {
    fn of(&self, segment: usize) -> &'a [f64] {
        &self.values[self.offsets[segment] as usize..self.offsets[segment + 1] as usize]
    }
}

/// The places of open items that get grades first: those at the top of a list, or those at its end.
#[derive(Clone, Copy, PartialEq)]
pub enum From {
    Top,
    End,
}

/// One list: the ranks of its judged items, their numbers, and its length.
struct List<'a> {
    rank: &'a [i64],
    value: &'a [f64],
    retrieved: i64,
}

impl Lists<'_> {
    fn of(&self, query: usize) -> List<'_> {
        let own = self.offsets[query] as usize..self.offsets[query + 1] as usize;
        List { rank: &self.rank[own.clone()], value: &self.value[own], retrieved: self.retrieved[query] }
    }

    pub fn len(&self) -> usize {
        self.retrieved.len()
    }
}

impl List<'_> {
    /// How many of its items are open.
    fn open(&self) -> usize {
        self.retrieved as usize - self.rank.len()
    }

    /// Calls with each run of open items down to a rank, by their ranks and the number of those above it, and with the
    /// place of each judged item, in rank order.
    fn walk(&self, last: i64, mut see: impl FnMut(Range<i64>, usize, Option<usize>)) {
        let last = last.min(self.retrieved);
        let mut next = 1;
        for (place, &rank) in self.rank.iter().enumerate().take_while(|&(_, &rank)| rank <= last) {
            see(next..rank, next as usize - 1 - place, Some(place));
            next = rank + 1;
        }
        let above = self.rank.partition_point(|&rank| rank <= last);
        if next <= last {
            see(next..last + 1, next as usize - 1 - above, None);
        }
    }

    /// The ranks of the open items down to a rank.
    fn open_ranks(&self, last: i64) -> Vec<i64> {
        let mut ranks = Vec::new();
        self.walk(last, |open, _, _| ranks.extend(open));
        ranks
    }
}

/// Lists with grades in the places of open items: the graded items in rank order, and all grades, best first.
#[derive(Default)]
pub struct Filled {
    pub rank: Vec<i64>,
    pub grade: Vec<f64>,
    pub offsets: Vec<i64>,
    pub ideal: Vec<f64>,
    pub ideal_offsets: Vec<i64>,
}

/// What is seen of lists with grades in the places of open items.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Which open items have grades.
    pub from: From,
    /// The last rank.
    pub last: i64,
    /// Whether there are also open items that have the grade 0.
    pub zeros: bool,
    /// How many of all grades, best first.
    pub best: usize,
}

/// Some of the lists, each as often as it is named in `chosen`, as far as they are seen.
///
/// `fills` has the grades of open items, the best ones first, as many as are above 0; the others are 0. `ideal` has the
/// grades of all judged items, best first.
pub fn filled(
    lists: &Lists<'_>,
    ideal: Segments<'_>,
    chosen: &[i64],
    fills: Segments<'_>,
    Seen { from, last, zeros, best }: Seen,
) -> Filled {
    let mut out = Filled { offsets: vec![0], ideal_offsets: vec![0], ..Filled::default() };
    for (number, &query) in chosen.iter().enumerate() {
        let (list, own) = (lists.of(query as usize), fills.of(number));
        let (open, given) = (list.open(), own.len());
        // The open items that have a grade, by their numbers from the top.
        let graded = if from == From::Top { 0..given } else { open - given..open };
        list.walk(last, |ranks, above, judged| {
            let first = if zeros { above } else { above.max(graded.start) };
            let end = above + (ranks.end - ranks.start) as usize;
            for place in first..if zeros { end } else { end.min(graded.end) } {
                let fill = if from == From::Top { place } else { open - 1 - place };
                out.rank.push(ranks.start + (place - above) as i64);
                out.grade.push(own.get(fill).copied().unwrap_or(0.0));
            }
            if let Some(place) = judged {
                out.rank.push(list.rank[place]);
                out.grade.push(list.value[place]);
            }
        });
        out.offsets.push(out.rank.len() as i64);
        let assigned = if zeros { open } else { given };
        let (known, most) = (ideal.of(query as usize), out.ideal.len().saturating_add(best));
        merge(known, own, assigned.min(best), &mut out.ideal);
        out.ideal.truncate(most);
        out.ideal_offsets.push(out.ideal.len() as i64);
    }
    out
}

/// Adds two falling rows of grades, as one that falls; the second is filled up with zeros to a length.
pub fn merge(known: &[f64], fills: &[f64], length: usize, out: &mut Vec<f64>) {
    let mut known = known.iter().copied().peekable();
    for place in 0..length {
        let fill = fills.get(place).copied().unwrap_or(0.0);
        while let Some(grade) = known.next_if(|&grade| grade >= fill) {
            out.push(grade);
        }
        out.push(fill);
    }
    out.extend(known);
}

/// What relevant items add up to.
#[derive(Clone, Copy)]
pub enum Adding<'a> {
    /// Each its number times the weight of its rank.
    Weights(&'a [f64]),
    /// The first of them the weight of its rank, which falls.
    First(&'a [f64]),
    /// Each the share of relevant items among the first as many as its rank.
    Precision,
}

/// For each list what its items down to the rank `last` add up to when none, one, two … of its open items there are
/// relevant, from one end on; and the borders between the lists.
///
/// `value` of judged items is 0 where they are not relevant; `gain` is that of a relevant open item of each list.
pub fn totals(
    lists: &Lists<'_>,
    gain: &[f64],
    adding: Adding<'_>,
    from: From,
    last: i64,
) -> (Vec<f64>, Vec<i64>) {
    let (mut out, mut offsets) = (Vec::new(), vec![0]);
    let deepest = lists.retrieved.iter().copied().max().unwrap_or(0).min(last);
    let inverse: Vec<f64> = match adding {
        Adding::Precision => (0..=deepest).map(|rank| 1.0 / rank as f64).collect(),
        _ => Vec::new(),
    };
    for (query, &gain) in gain.iter().enumerate() {
        let list = lists.of(query);
        let last = last.min(list.retrieved);
        let judged = list.rank.iter().zip(list.value).take_while(|&(&rank, _)| rank <= last);
        let open = list.open_ranks(last);
        let open: &mut dyn Iterator<Item = i64> =
            if from == From::Top { &mut open.into_iter() } else { &mut open.into_iter().rev() };
        match adding {
            Adding::Weights(weights) => {
                let weight = |rank: i64| weights.get(rank as usize - 1).copied().unwrap_or(0.0);
                let mut total = judged.fold(0.0, |sum, (&rank, &value)| sum + value * weight(rank));
                out.push(total);
                out.extend(open.map(|rank| {
                    total += gain * weight(rank);
                    total
                }));
            }
            Adding::First(weights) => {
                let mut best = judged
                    .filter(|&(_, &value)| value > 0.0)
                    .map(|(&rank, _)| weights[rank as usize - 1])
                    .fold(0.0, f64::max);
                out.push(best);
                out.extend(open.map(|rank| {
                    best = best.max(weights[rank as usize - 1]);
                    best
                }));
            }
            Adding::Precision => {
                let hits: Vec<i64> =
                    judged.filter(|&(_, &value)| value > 0.0).map(|(&rank, _)| rank).collect();
                precisions(&hits, open, from, &inverse, &mut out);
            }
        }
        offsets.push(out.len() as i64);
    }
    (out, offsets)
}

/// The sums of precisions at relevant items when none, one, two … of the open ones are relevant beside `hits`.
fn precisions(
    hits: &[i64],
    open: impl Iterator<Item = i64>,
    from: From,
    inverse: &[f64],
    out: &mut Vec<f64>,
) {
    let over = |rank: i64| inverse[rank as usize];
    let mut total = hits.iter().zip(1..).fold(0.0, |sum, (&rank, place)| sum + f64::from(place) * over(rank));
    out.push(total);
    // An item that becomes relevant adds its own precision, and to that of each relevant one below it 1 / its rank.
    let mut below: f64 = match from {
        From::Top => hits.iter().map(|&rank| over(rank)).sum(),
        From::End => 0.0,
    };
    let mut next = if from == From::Top { 0 } else { hits.len() };
    for (filled, rank) in open.enumerate() {
        let above = match from {
            From::Top => {
                while next < hits.len() && hits[next] < rank {
                    below -= over(hits[next]);
                    next += 1;
                }
                next + filled
            }
            From::End => {
                while next > 0 && hits[next - 1] > rank {
                    next -= 1;
                    below += over(hits[next]);
                }
                next
            }
        };
        total += (above + 1) as f64 * over(rank) + below;
        if from == From::End {
            below += over(rank);
        }
        out.push(total);
    }
}

/// What the best order of all judged items and of `first`, `first` + 1 … relevant open ones is worth, as many numbers
/// as `offsets` has places for each query: the gain of each times the weight of its rank.
///
/// `known` has the gains of the judged items, best first, and `gain` that of a relevant open item.
pub fn best_totals(
    known: Segments<'_>,
    gain: &[f64],
    first: &[i64],
    offsets: &[i64],
    weights: &[f64],
) -> Vec<f64> {
    let sums = sums_to(weights.iter().copied());
    let mut out = Vec::with_capacity(offsets.last().map_or(0, |&end| end as usize));
    for (query, (&gain, &first)) in gain.iter().zip(first).enumerate() {
        let best = BestOrder::new(known.of(query), gain, weights, &sums);
        let counts = (first as usize..).take((offsets[query + 1] - offsets[query]) as usize);
        out.extend(counts.map(|count| best.total(count)));
    }
    out
}

/// The best order of judged items and of some open ones that gain as much each.
pub struct BestOrder<'a> {
    /// The gains of the judged items, best first.
    known: &'a [f64],
    gain: f64,
    /// How many of the judged items are before the open ones, and what they are worth.
    before: usize,
    above: f64,
    weights: &'a [f64],
    sums: &'a [f64],
}

impl<'a> BestOrder<'a> {
    /// That of judged items and open ones; `sums` are those of the first 0, 1, 2 … weights of ranks.
    pub fn new(known: &'a [f64], gain: f64, weights: &'a [f64], sums: &'a [f64]) -> Self {
        let before = known.partition_point(|&each| each >= gain);
        let above = weighed(&known[..before], weights);
        Self { known, gain, before, above, weights, sums }
    }

    /// What it is worth with so many open items.
    pub fn total(&self, count: usize) -> f64 {
        let sum_to = |rank: usize| self.sums[rank.min(self.weights.len())];
        let filled = self.gain * (sum_to(self.before + count) - sum_to(self.before));
        let weights = self.weights.get(self.before + count..).unwrap_or_default();
        self.above + filled + weighed(&self.known[self.before..], weights)
    }
}

/// What falling gains add up to, each times a weight.
fn weighed(gains: &[f64], weights: &[f64]) -> f64 {
    gains.iter().take_while(|&&gain| gain > 0.0).zip(weights).fold(0.0, |sum, (g, w)| sum + g * w)
}

/// Sums of float64 that differ by no more are the same.
const TINY: f64 = 1e-13;

/// Grades and their gains, one each.
#[derive(Clone, Copy)]
pub struct Graded<'a> {
    pub grades: &'a [f64],
    pub gains: &'a [f64],
}

/// The grades above 0 of each list's open items, the first ones, by which a quotient of gains is highest: the sum over
/// the list of gain times weight, over that of the best order. How it is found stands in `rankmark.language.extremes`.
///
/// `value` of the lists are gains; `known` are all judged items, best first, and `top` the highest grade that an open
/// item of each list can have. `weights` has those of all ranks, 0 below the cutoff `last`.
pub fn best_grades(
    lists: &Lists<'_>,
    known: Graded<'_>,
    known_offsets: &[i64],
    top: Graded<'_>,
    weights: &[f64],
    last: i64,
) -> (Vec<f64>, Vec<i64>) {
    let ideal = sums_to(weights.iter().copied());
    let (mut search, mut out, mut offsets) = (BestGrades::default(), Vec::new(), vec![0]);
    for query in 0..lists.len() {
        let own = known_offsets[query] as usize..known_offsets[query + 1] as usize;
        let known = Graded { grades: &known.grades[own.clone()], gains: &known.gains[own] };
        let list = lists.of(query);
        let top = (top.grades[query], top.gains[query]);
        let open = list.open_ranks(last);
        out.extend(search.of((list.rank, list.value), open.into_iter(), known, top, weights, &ideal));
        offsets.push(out.len() as i64);
    }
    (out, offsets)
}

/// The search for the grades of a list's open items by which a quotient of gains is highest, and its working memory.
#[derive(Default)]
pub struct BestGrades {
    levels: Vec<Level>,
    /// The grades that there can be, with their gains.
    scale: Vec<(f64, f64)>,
    /// The sums of the weights of the first 0, 1, 2 … open items.
    first: Vec<f64>,
    /// Numbers that are to be added up.
    terms: Vec<f64>,
}

/// A grade, what it gains beyond the next lower one, and what of the judged items reaches it.
struct Level {
    grade: f64,
    step: f64,
    /// Whether an open item can have it.
    possible: bool,
    /// How many judged items reach it.
    reached: usize,
    /// The weights of those in the list.
    judged: f64,
    /// How many open items are to reach it: the first ones.
    count: usize,
    /// How many would be better.
    better: usize,
}

/// That of a rank; those beyond all weigh nothing.
fn weight(weights: &[f64], rank: i64) -> f64 {
    weights.get(rank as usize - 1).copied().unwrap_or(0.0)
}

impl BestGrades {
    /// The grades above 0 of the first open items.
    ///
    /// `judged` has the ranks of judged items and their gains, `open` the ranks of open ones down to the cutoff; `ideal`
    /// the sums of the first 0, 1, 2 … weights of ranks. Ranks beyond these weigh nothing.
    pub fn of(
        &mut self,
        judged: (&[i64], &[f64]),
        open: impl Iterator<Item = i64>,
        known: Graded<'_>,
        top: (f64, f64),
        weights: &[f64],
        ideal: &[f64],
    ) -> impl Iterator<Item = f64> {
        self.first.clear();
        self.first.push(0.0);
        self.first.extend(open.scan(0.0, |sum, rank| {
            *sum += weight(weights, rank);
            Some(*sum)
        }));
        self.take_levels(judged, known, top, weights);
        self.take_counts(ideal);
        let levels = &self.levels;
        let length = levels.iter().map(|level| level.count).max().unwrap_or(0);
        // The highest level that so many items or more reach.
        (0..length)
            .map(|place| levels.iter().rfind(|level| level.count > place).map_or(0.0, |level| level.grade))
    }

    fn take_levels(
        &mut self,
        (rank, gains): (&[i64], &[f64]),
        known: Graded<'_>,
        top: (f64, f64),
        weights: &[f64],
    ) {
        let Self { levels, scale, terms, first } = self;
        scale.clear();
        let mut above = 0;
        // Counted, as nothing is to be searched for or mispredicted in what is mostly short.
        while let Some(&grade) = known.grades.get(above).filter(|&&grade| grade > 0.0) {
            scale.push((grade, known.gains[above]));
            above = count_reaching(known.grades, grade);
        }
        scale.reverse();
        let place = scale.iter().filter(|&&(grade, _)| grade < top.0).count();
        if scale.get(place).is_none_or(|&(grade, _)| grade > top.0) {
            scale.insert(place, top);
        }
        // What weighs nothing is left out of sums that are added up from left to right.
        let seen = if rank.len() < EIGHT {
            rank.partition_point(|&rank| rank <= weights.len() as i64)
        } else {
            rank.len()
        };
        let mut before = 0.0;
        levels.clear();
        levels.extend(scale.iter().map(|&(grade, gain)| {
            let reaching = rank[..seen].iter().zip(gains).filter(|&(_, &own)| own >= gain);
            terms.clear();
            terms.extend(reaching.map(|(&rank, _)| weight(weights, rank)));
            let (step, possible) = (gain - before, grade <= top.0);
            before = gain;
            Level {
                grade,
                step,
                possible,
                reached: count_reaching(known.gains, gain),
                judged: pairwise_sum(terms),
                count: if possible { first.len() - 1 } else { 0 },
                better: 0,
            }
        }));
    }

    /// Finds how many open items reach each level where the quotient is highest: of those down to the cutoff the first.
    fn take_counts(&mut self, ideal: &[f64]) {
        let Self { levels, first, terms, .. } = self;
        let above = |level: &Level, count: usize| level.judged + first[count];
        let below = |level: &Level, count: usize| ideal[(level.reached + count).min(ideal.len() - 1)];
        let mut stepped = |levels: &[Level], value: &dyn Fn(&Level) -> f64| {
            terms.clear();
            terms.extend(levels.iter().map(|level| level.step * value(level)));
            pairwise_sum(terms)
        };
        let mut before = f64::NEG_INFINITY;
        loop {
            let whole = stepped(levels, &|level| below(level, level.count));
            let own = stepped(levels, &|level| above(level, level.count));
            let quotient = if whole == 0.0 { 0.0 } else { own / whole };
            let worth = |level: &Level, count: usize| above(level, count) - quotient * below(level, count);
            for level in levels.iter_mut() {
                let mut best = (0, worth(level, 0));
                for count in 1..if level.possible { first.len() } else { 1 } {
                    let worth = worth(level, count);
                    if worth > best.1 {
                        best = (count, worth);
                    }
                }
                level.better = best.0;
            }
            // Written so that a number that is none ends it. Sums of great gains differ by more than that for ever.
            let gained = stepped(levels, &|level| worth(level, level.better));
            if gained.partial_cmp(&TINY) != Some(std::cmp::Ordering::Greater) || quotient <= before {
                return;
            }
            before = quotient;
            levels.iter_mut().for_each(|level| level.count = level.better);
        }
    }
}

/// How many numbers are as high as one, or higher.
fn count_reaching(numbers: &[f64], least: f64) -> usize {
    numbers.iter().filter(|&&number| number >= least).count()
}

/// So many numbers are added up at a time where there are as many.
const EIGHT: usize = 8;

/// The sum of some numbers in the order in which NumPy adds them: eight at a time, in halves of many.
fn pairwise_sum(numbers: &[f64]) -> f64 {
    match numbers.len() {
        ..EIGHT => numbers.iter().fold(0.0, |sum, number| sum + number),
        EIGHT..=128 => {
            let (eights, rest) = numbers.as_chunks::<EIGHT>();
            let mut sums = eights[0];
            for eight in &eights[1..] {
                sums.iter_mut().zip(eight).for_each(|(sum, number)| *sum += number);
            }
            let [a, b, c, d, e, f, g, h] = sums;
            rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, number| sum + number)
        }
        length => {
            let half = length / 2 - length / 2 % 8;
            pairwise_sum(&numbers[..half]) + pairwise_sum(&numbers[half..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One list of six: judged 2 at rank 2 and 0 at rank 4, so that ranks 1, 3, 5 and 6 are open.
    const LIST: Lists<'_> = Lists { rank: &[2, 4], value: &[2.0, 0.0], offsets: &[0, 2], retrieved: &[6] };
    const IDEAL: Segments<'_> = Segments { values: &[3.0, 2.0, 0.0], offsets: &[0, 3] };

    fn seen(from: From, last: i64, zeros: bool, best: usize) -> Seen {
        Seen { from, last, zeros, best }
    }

    #[test]
    fn open_items_get_grades_from_either_end() {
        let fills = Segments { values: &[3.0, 1.0, 1.0, 1.0], offsets: &[0, 2, 4] };
        let found = filled(&LIST, IDEAL, &[0, 0], fills, seen(From::Top, 9, false, 9));
        assert_eq!(found.rank[..4], [1, 2, 3, 4]);
        assert_eq!(found.grade[..4], [3.0, 2.0, 1.0, 0.0]);
        assert_eq!(found.ideal[..5], [3.0, 3.0, 2.0, 1.0, 0.0]);
        let found = filled(&LIST, IDEAL, &[0, 0], fills, seen(From::End, 5, false, 9));
        assert_eq!(found.rank, [2, 4, 5, 2, 4, 5]);
        assert_eq!(found.grade, [2.0, 0.0, 1.0, 2.0, 0.0, 1.0]);
        assert_eq!((found.offsets, found.ideal_offsets), (vec![0, 3, 6], vec![0, 5, 10]));
        let found = filled(&LIST, IDEAL, &[0, 0], fills, seen(From::End, 3, true, 9));
        assert_eq!((&found.rank[..3], &found.grade[..3]), (&[1, 2, 3][..], &[0.0, 2.0, 0.0][..]));
        assert_eq!(found.ideal[..7], [3.0, 3.0, 2.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(filled(&LIST, IDEAL, &[0], fills, seen(From::End, 3, true, 3)).ideal, [3.0, 3.0, 2.0]);
    }

    #[test]
    fn totals_are_of_none_one_two_and_more_relevant_open_items() {
        let weights = [1.0, 0.5, 0.25, 0.125, 0.0625];
        let of = |adding, from, last| totals(&LIST, &[4.0], adding, from, last).0;
        assert_eq!(of(Adding::Weights(&weights), From::Top, 5), [1.0, 5.0, 6.0, 6.25]);
        assert_eq!(of(Adding::Weights(&weights), From::End, 3), [1.0, 2.0, 6.0]);
        assert_eq!(of(Adding::First(&weights), From::End, 3), [0.5, 0.5, 1.0]);
        assert_eq!(of(Adding::Precision, From::Top, 3), [0.5, 2.0, 3.0]);
        assert_eq!(of(Adding::Precision, From::End, 3), [0.5, 0.5 + 2.0 * (1.0 / 3.0), 3.0]);
    }

    #[test]
    fn the_best_order_has_open_items_among_the_judged() {
        let weights = [1.0, 0.5, 0.25];
        assert_eq!(best_totals(IDEAL, &[2.0], &[0], &[0, 3], &weights), [4.0, 4.5, 4.5]);
        assert_eq!(best_totals(IDEAL, &[4.0], &[1], &[0, 2], &weights), [6.0, 6.75]);
    }

    #[test]
    fn the_highest_quotient_may_need_a_grade_in_between() {
        // Grades 2 and 1 at ranks 1 and 3: with 2 or 1 between them the order is perfect, with 3 it is not.
        let list = Lists { rank: &[1, 3], value: &[2.0, 1.0], offsets: &[0, 2], retrieved: &[3] };
        let known = Graded { grades: &[2.0, 1.0], gains: &[2.0, 1.0] };
        let top = Graded { grades: &[3.0], gains: &[3.0] };
        let weights: Vec<f64> = (1..=3).map(|rank| 1.0 / f64::from(rank + 1).log2()).collect();
        assert_eq!(best_grades(&list, known, &[0, 2], top, &weights, 9), (vec![2.0], vec![0, 1]));
    }
}
