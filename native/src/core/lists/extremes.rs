//! How low and how high measures can be, whatever the items are that nobody judged: what `rankmark.language.extremes`
//! finds, to the last bit, of measures that the core computes.
//!
//! Of the numbers of open items that may be relevant a value is computed only of those whose estimates are the best but
//! for rounding. AP and nDCG are lowest where the last open items are relevant: what one more of these adds to the sum
//! grows with their number, and what it adds to the divisor does not, so that values fall and then rise, and none is
//! looked at behind the first that rises. AP is highest where the first open items are relevant: of some that stand next
//! to each other each adds no less than the one before it, so that it is highest before these or behind them.

use std::array::from_fn;
use std::iter;
use std::ops::Range;

use crate::core::choices::Choice;
use crate::core::lists::measures::{Found, Gains, Hits, Level, Page};
use crate::core::lists::open_items::{BestGrades, BestOrder, Graded};
use crate::core::lists::segments::sums_to;
use crate::core::lists::values::quotient;
use crate::core::sums::Sum;

/// Where the values of a measure are lowest and highest, as its page says.
#[derive(Clone, Copy)]
pub enum Search {
    /// Where no open item is relevant, or where all are.
    Ends,
    /// For some number of relevant ones.
    Counts,
    /// Where all above the cutoff are relevant, or those below it.
    Found,
    /// As gains add up.
    Gains,
}

impl Choice for Search {
    const NAME: &'static str = "extremes";
    const WORDS: &'static [(&'static str, Self)] =
        &[("ends", Self::Ends), ("counts", Self::Counts), ("found", Self::Found), ("gains", Self::Gains)];
}

/// The lowest or the highest value of a measure.
pub struct Extreme {
    /// What computes its values.
    pub page: Page,
    search: Search,
    highest: bool,
    /// The highest grade that an item can have; that of its query's judgements, or what counts as relevant, if None.
    grade: Option<f64>,
    /// What a query with nothing relevant is.
    otherwise: f64,
    /// Of gains, the sums of the first 0, 1, 2 … discounts.
    sums: Vec<f64>,
}

/// Estimates of values that differ by no more may be of the same.
const NEAR: f64 = 1e-9;
/// By how much more they may for each rank of which there is a sum.
const ROUNDED: f64 = 1e-14;

impl Extreme {
    /// That of a page; None where it is not looked for here.
    pub fn new(
        page: Page,
        search: Search,
        highest: bool,
        grade: Option<f64>,
        otherwise: f64,
    ) -> Option<Self> {
        let sums = match (&page, search) {
            (Page::Gains(gains), Search::Gains) => sums_to(gains.discounts.iter().copied()),
            (
                Page::Hits(Hits { found: Found::First | Found::Any | Found::Count, .. }),
                Search::Ends | Search::Found,
            )
            | (Page::Hits(Hits { found: Found::Precisions, denominator: None, .. }), Search::Counts) => {
                Vec::new()
            }
            _ => return None,
        };
        Some(Self { page, search, highest, grade, otherwise, sums })
    }

    /// That of one query, of which the measure itself gives `plain`.
    pub fn value(&self, plain: f64, list: &OpenList<'_>, memory: &mut Memory, levels: &[Level<'_>]) -> f64 {
        let mut best = self.best(plain);
        if best.is_settled() {
            return best.found;
        }
        match &self.page {
            Page::Hits(hits) if self.grade.is_some_and(|grade| grade < hits.rel) => {}
            Page::Hits(hits) => self.of_hits(hits, hits.level(levels), list, memory, &mut best),
            Page::Gains(gains) if self.highest => self.most_gained(gains, list, memory, &mut best),
            Page::Gains(gains) => self.least_gained(gains, list, memory, &mut best),
        }
        best.found
    }

    fn of_hits(
        &self,
        hits: &Hits,
        level: &Level<'_>,
        list: &OpenList<'_>,
        memory: &mut Memory,
        best: &mut Best,
    ) {
        let (open, within) = (list.open(), list.within(hits.cutoff));
        match (self.search, self.highest) {
            (Search::Counts, true) => {
                memory.runs.take(list, level, hits.cutoff, best.found);
                let near = memory.runs.near();
                best.take_until(1.0, near.map(|(count, last)| with_first(list, hits, level, count, last)));
            }
            (Search::Counts, false) => {
                let near = near_lowest(
                    precisions_from_end(list, level, hits.cutoff, best.found),
                    &mut memory.estimates,
                );
                best.take_until(0.0, near.map(|filled| with_last(list, hits, level, filled)));
            }
            (Search::Found, true) => best.take(with_open(list, hits, level, within, within)),
            (Search::Found, false) => best.take(with_open(list, hits, level, 0, open - within)),
            _ => best.take(with_open(list, hits, level, within, open)),
        }
    }

    fn most_gained(&self, gains: &Gains, list: &OpenList<'_>, memory: &mut Memory, best: &mut Best) {
        let Memory { fills, gained, grades, .. } = memory;
        let depth = gains.discounts.len();
        let (top, within) = (self.grade.unwrap_or(list.highest), list.within(depth as i64));
        if within == depth && list.known.first().is_none_or(|&known| known <= top) {
            // All above the cutoff are open, and as good as any: no order is better.
            let most = gains.discounts.iter().fold(0.0, |sum, discount| sum + gains.of(top) * discount);
            return best.take(quotient(most, most, most));
        }
        gained.take(gains, list);
        let (known, highest) = (Graded { grades: list.known, gains: &gained.known }, (top, gains.of(top)));
        let judged = (list.rank, &gained.judged[..]);
        let found =
            grades.of(judged, list.ranks_to(depth as i64), known, highest, &gains.discounts, &self.sums);
        refill(fills, found);
        best.take(with_grades(gains, list, 1, fills));
        // With more of the highest grade below the cutoff the best order is no worse, and the list the same.
        if fills.len() < within || fills.iter().any(|&grade| grade != top) {
            refill(fills, iter::repeat_n(top, list.open().min(depth)));
            best.take(with_grades(gains, list, 1, fills));
        }
    }

    fn least_gained(&self, gains: &Gains, list: &OpenList<'_>, memory: &mut Memory, best: &mut Best) {
        let Memory { estimates, fills, gained, .. } = memory;
        let (depth, top) = (gains.discounts.len(), self.grade.unwrap_or(list.highest));
        gained.take(gains, list);
        let near = near_lowest(self.shares_from_end(gains, list, gained, gains.of(top)), estimates);
        best.take_until(
            0.0,
            near.map(|Last { count, rank }| {
                refill(fills, iter::repeat_n(top, count.min(depth)));
                with_grades(gains, list, rank, fills)
            }),
        );
    }

    /// About what the value is where none, one, two … of the last open items above the cutoff gain so much, and all
    /// below it; infinite where none does.
    fn shares_from_end<'a>(
        &'a self,
        gains: &'a Gains,
        list: &'a OpenList<'a>,
        gained: &'a Gained,
        gain: f64,
    ) -> impl Iterator<Item = (f64, Last)> + 'a {
        let discounts = &gains.discounts;
        let order = BestOrder::new(&gained.known, gain, discounts, &self.sums);
        let share = move |total: f64, count: usize| match order.total(count) {
            best if best > 0.0 => total / best,
            _ => f64::INFINITY,
        };
        let discount = |rank: i64| discounts.get(rank as usize - 1);
        let judged = list.rank.iter().map_while(move |&rank| discount(rank)).zip(&gained.judged);
        let mut total = judged.fold(0.0, |sum, (discount, gain)| sum + gain * discount);
        let mut from_end = list.last_ones(discounts.len() as i64);
        let none = from_end.next().map(|last| match last.count {
            0 => (f64::INFINITY, last),
            count => (share(total, count), last),
        });
        let more = from_end.map(move |last| {
            total += gain * discount(last.rank).copied().unwrap_or(0.0);
            (share(total, last.count), last)
        });
        none.into_iter().chain(more)
    }

    fn best(&self, plain: f64) -> Best {
        let Self { highest, otherwise, .. } = *self;
        Best { found: if plain.is_nan() { otherwise } else { plain }, highest, otherwise }
    }
}

/// The best of the values that have been looked at.
struct Best {
    found: f64,
    highest: bool,
    otherwise: f64,
}

impl Best {
    /// Whether no other value is better: nothing judged is relevant, which leaves the query out, or the lowest is 0.
    fn is_settled(&self) -> bool {
        self.found.is_nan() || (!self.highest && self.found == 0.0)
    }

    fn take(&mut self, value: f64) {
        let value = if value.is_nan() { self.otherwise } else { value };
        self.found = if self.highest { self.found.max(value) } else { self.found.min(value) };
    }

    /// Takes values until one is what no other is beyond.
    fn take_until(&mut self, bound: f64, values: impl Iterator<Item = f64>) {
        for value in values {
            self.take(value);
            if self.found == bound {
                break;
            }
        }
    }
}

/// A list of which some items are open: those that nobody judged, or judged below 0, which is pooled and not judged.
pub struct OpenList<'a> {
    /// The ranks of the judged items, ascending.
    rank: &'a [i64],
    /// Their grades.
    grade: &'a [f64],
    /// The grades of all judged items, best first.
    known: &'a [f64],
    /// The highest grade that anybody gave, at least 1.
    highest: f64,
    /// How many items there are.
    length: i64,
}

/// The last so many open items of a list, down from a rank.
#[derive(Clone, Copy)]
struct Last {
    count: usize,
    rank: i64,
}

impl<'a> OpenList<'a> {
    /// A list of so many items; where some are pooled, the others are kept in `judged`.
    pub fn new(
        (rank, relevance): (&'a [i64], &'a [f64]),
        ideal: &'a [f64],
        retrieved: i64,
        judged: &'a mut (Vec<i64>, Vec<f64>),
    ) -> Self {
        let highest = ideal.first().map_or(1.0, |&best| best.max(1.0));
        let (mut own, mut known) = ((rank, relevance), ideal);
        if relevance.iter().any(|&grade| grade < 0.0) {
            let kept = || rank.iter().zip(relevance).filter(|&(_, &grade)| grade >= 0.0);
            refill(&mut judged.0, kept().map(|(&rank, _)| rank));
            refill(&mut judged.1, kept().map(|(_, &grade)| grade));
            own = (&judged.0, &judged.1);
            // The ideal list ends with the lowest grades, those of the retrieved items below 0 among them.
            known = &ideal[..ideal.len() - (rank.len() - own.0.len())];
        }
        Self { rank: own.0, grade: own.1, known, highest, length: retrieved }
    }

    /// How many items are open.
    fn open(&self) -> usize {
        self.length as usize - self.rank.len()
    }

    /// How many open items stand at a rank or above it.
    fn within(&self, rank: i64) -> usize {
        self.length.min(rank) as usize - first_to(self.rank, rank).len()
    }

    /// The ranks of the open items down to a rank.
    fn ranks_to(&self, last: i64) -> impl Iterator<Item = i64> {
        let mut judged = self.rank;
        (1..=last.min(self.length)).filter(move |rank| {
            let open = judged.first() != Some(rank);
            judged = if open { judged } else { &judged[1..] };
            open
        })
    }

    /// The open items below a rank, and with them one, two, three … above it.
    fn last_ones(&self, rank: i64) -> impl Iterator<Item = Last> {
        let last = rank.min(self.length);
        let mut judged = first_to(self.rank, last);
        let below = self.open() - self.within(last);
        let open = (1..=last).rev().filter(move |rank| {
            let open = judged.last() != Some(rank);
            judged = if open { judged } else { &judged[..judged.len() - 1] };
            open
        });
        let more = open.zip(below + 1..).map(|(rank, count)| Last { count, rank });
        iter::once(Last { count: below, rank: last + 1 }).chain(more)
    }

    /// The rank of the first open item, if there is one.
    fn first(&self) -> Option<i64> {
        self.ranks_to(self.length).next()
    }

    /// The ranks of the judged items that are not relevant, ascending.
    fn others(&self, rel: f64) -> impl Iterator<Item = i64> {
        self.rank.iter().zip(self.grade).filter(move |&(_, &grade)| grade < rel).map(|(&rank, _)| rank)
    }
}

/// What a thread needs to look for extremes, kept from query to query.
#[derive(Default)]
pub struct Memory {
    estimates: Vec<(f64, Last)>,
    runs: Runs,
    fills: Vec<f64>,
    gained: Gained,
    grades: BestGrades,
}

fn refill<T>(numbers: &mut Vec<T>, with: impl IntoIterator<Item = T>) {
    numbers.clear();
    numbers.extend(with);
}

/// Those of some ranks, ascending, down to one.
fn first_to(ranks: &[i64], last: i64) -> &[i64] {
    &ranks[..ranks.partition_point(|&rank| rank <= last)]
}

/// Which estimates, which fall and then rise, are the lowest but for rounding, and no infinite ones.
fn near_lowest(
    from: impl Iterator<Item = (f64, Last)>,
    estimates: &mut Vec<(f64, Last)>,
) -> impl Iterator<Item = Last> {
    let mut lowest = f64::INFINITY;
    estimates.clear();
    for (estimate, last) in from {
        lowest = lowest.min(estimate);
        if estimate > lowest + NEAR {
            break;
        }
        estimates.push((estimate, last));
    }
    let near = move |&&(estimate, _): &&(f64, Last)| estimate <= lowest + NEAR && estimate.is_finite();
    estimates.iter().filter(near).map(|&(_, last)| last)
}

/// What is found of the first relevant one, whether there is one, or how many there are, where the first so many open
/// items are relevant, all above the cutoff, and so many in all.
fn with_open(list: &OpenList<'_>, hits: &Hits, level: &Level<'_>, above: usize, count: usize) -> f64 {
    let found = match hits.found {
        Found::Count => (first_to(level.ranks, hits.cutoff).len() + above) as f64,
        found => {
            let open = if above > 0 { list.first() } else { None };
            let first = open.into_iter().chain(level.ranks.first().copied()).min();
            found.of(first.into_iter().filter(|&rank| rank <= hits.cutoff).map(|rank| rank as f64))
        }
    };
    hits.over(found, level.relevant + count)
}

/// The precisions at some ranks of relevant items, ascending, added up.
fn precisions(ranks: &[i64]) -> f64 {
    (1..).zip(ranks).fold(0.0, |sum, (place, &rank)| sum + f64::from(place) / rank as f64)
}

/// A sum and the precisions at ranks that follow each other, of relevant items below so many others.
fn with_precisions(mut sum: f64, ranks: Range<i64>, others: i64) -> f64 {
    // Divided several at a time, and added in their order.
    const TOGETHER: i64 = 4;
    let (mut rank, others) = (ranks.start, others as f64);
    while rank + TOGETHER <= ranks.end {
        let own: [f64; TOGETHER as usize] = from_fn(|place| (rank + place as i64) as f64);
        sum = own.map(|rank| (rank - others) / rank).into_iter().fold(sum, |sum, each| sum + each);
        rank += TOGETHER;
    }
    (rank..ranks.end).fold(sum, |sum, rank| sum + (rank as f64 - others) / rank as f64)
}

/// AP where so many of the first open items, at least one, are relevant, down to the rank `last`.
fn with_first(list: &OpenList<'_>, hits: &Hits, level: &Level<'_>, count: usize, last: i64) -> f64 {
    // Down to it all items are relevant but these.
    let others = list.others(hits.rel).take_while(|&rank| rank < last).chain(iter::once(last + 1));
    let (mut sum, mut next) = (0.0, 1);
    for (above, other) in (0..).zip(others) {
        sum = match above {
            0 => (other - next) as f64, // as many precisions of 1
            _ => with_precisions(sum, next..other, above),
        };
        next = other + 1;
    }
    let found = first_to(level.ranks, hits.cutoff);
    let above = first_to(found, last).len();
    let below = (count + above + 1..).zip(&found[above..]);
    sum = below.fold(sum, |sum, (place, &rank)| sum + place as f64 / rank as f64);
    hits.over(sum, level.relevant + count)
}

/// AP where the last open items are relevant.
fn with_last(list: &OpenList<'_>, hits: &Hits, level: &Level<'_>, Last { count, rank }: Last) -> f64 {
    let (last, above) = (list.length.min(hits.cutoff), first_to(level.ranks, rank - 1));
    let (mut sum, mut next, mut place) = (precisions(above), rank, above.len() as i64);
    let others = list.others(hits.rel).skip_while(|&other| other < rank).take_while(|&other| other <= last);
    for other in others.chain(iter::once(last + 1)) {
        sum = with_precisions(sum, next..other, next - 1 - place);
        place += other - next;
        next = other + 1;
    }
    hits.over(sum, level.relevant + count)
}

/// About what AP is where none, one, two … of the last open items above the cutoff are relevant, and all below it;
/// infinite where none is. Of a list whose AP is `plain`.
fn precisions_from_end<'a>(
    list: &'a OpenList<'a>,
    level: &'a Level<'a>,
    cutoff: i64,
    plain: f64,
) -> impl Iterator<Item = (f64, Last)> + 'a {
    let hits = first_to(level.ranks, cutoff);
    let (mut total, mut above, mut below) = (plain * level.relevant as f64, hits.len(), 0.0);
    let mut from_end = list.last_ones(cutoff);
    let about = move |total: f64, count: usize| total / (level.relevant + count) as f64;
    let none = from_end.next().map(|last| match last.count {
        0 => (f64::INFINITY, last),
        count => (about(total, count), last),
    });
    let more = from_end.map(move |last| {
        while above > 0 && hits[above - 1] > last.rank {
            above -= 1;
            below += 1.0 / hits[above] as f64;
        }
        // It adds its own precision, and to that of each relevant one below it 1 / its rank.
        let own = 1.0 / last.rank as f64;
        total += (above + 1) as f64 * own + below;
        below += own;
        (about(total, last.count), last)
    });
    none.into_iter().chain(more)
}

/// Open items of a list that stand next to each other, where those above them are relevant and they are not.
#[derive(Clone, Copy)]
struct Run {
    /// The rank before them.
    start: usize,
    /// How many they are.
    length: usize,
    /// How many open items stand above them.
    before: usize,
    /// How many judged items above them are not relevant.
    others: usize,
    /// How many items are relevant.
    relevant: usize,
    /// The precisions added up.
    total: f64,
    /// What one more relevant item adds to the precisions of those below.
    below: f64,
    /// About what AP is where none of the run is relevant, and where all of it is.
    ends: (f64, f64),
}

/// The runs of open items of a list.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
    /// About the highest AP before a run or behind one.
    highest: f64,
    /// The sums of 1 / rank of the first 0, 1, 2 … ranks.
    inverse: Vec<f64>,
    sum: Sum,
}

impl Runs {
    /// How many of the first open items are relevant where AP is the highest but for rounding, and the rank of the last.
    fn near(&self) -> impl Iterator<Item = (usize, i64)> {
        let rounded = ROUNDED * self.runs.last().map_or(0.0, |run| (run.start + run.length) as f64);
        let least = self.highest - NEAR - rounded;
        let near = move |run: &Run, count: usize| self.about(run, count) >= least;
        self.runs.iter().filter(move |run| run.ends.0 >= least || run.ends.1 >= least).flat_map(move |run| {
            let last = (1..=run.length).rev().take_while(move |&count| near(run, count));
            let first = (1..run.length).take_while(move |&count| near(run, count));
            last.chain(first).map(|count| (run.before + count, (run.start + count) as i64))
        })
    }

    /// Takes the runs of a list, whose AP is `plain`, down to a rank.
    fn take(&mut self, list: &OpenList<'_>, level: &Level<'_>, cutoff: i64, plain: f64) {
        let last = list.length.min(cutoff);
        self.sum_to(last as usize);
        let mut hits = first_to(level.ranks, last);
        let below = hits.iter().map(|&rank| 1.0 / rank as f64).sum();
        let (relevant, total) = (level.relevant, plain * level.relevant as f64);
        let mut run =
            Run { start: 0, length: 0, before: 0, others: 0, relevant, total, below, ends: (plain, plain) };
        self.runs.clear();
        self.highest = plain;
        for &rank in first_to(list.rank, last).iter().chain(&[last + 1]) {
            run.length = rank as usize - 1 - run.start;
            if run.length > 0 {
                let total = self.total(&run, run.length);
                run.ends = (run.ends.1, total / (run.relevant + run.length) as f64);
                self.highest = self.highest.max(run.ends.1);
                self.runs.push(run);
                run.total = total;
                run.before += run.length;
                run.relevant += run.length;
            }
            run.start = rank as usize;
            if hits.first() == Some(&rank) {
                hits = &hits[1..];
                run.below -= 1.0 / rank as f64;
            } else {
                run.others += 1;
            }
        }
    }

    /// Has the sums of 1 / rank down to a rank.
    fn sum_to(&mut self, last: usize) {
        for rank in self.inverse.len()..=last {
            if rank > 0 {
                self.sum.add(1.0 / rank as f64);
            }
            self.inverse.push(self.sum.value());
        }
    }

    /// About what the precisions add up to where so many of a run are relevant: each has one of 1, less the share of
    /// those above it that are not relevant, and adds to those of the relevant ones below it.
    fn total(&self, run: &Run, count: usize) -> f64 {
        let lost = run.others as f64 * (self.inverse[run.start + count] - self.inverse[run.start]);
        run.total + count as f64 * (1.0 + run.below) - lost
    }

    /// About what AP is then.
    fn about(&self, run: &Run, count: usize) -> f64 {
        self.total(run, count) / (run.relevant + count) as f64
    }
}

/// What the grades of a list gain.
#[derive(Default)]
struct Gained {
    /// Those of the judged items in it.
    judged: Vec<f64>,
    /// Those of all judged items, best first.
    known: Vec<f64>,
}

impl Gained {
    fn take(&mut self, gains: &Gains, list: &OpenList<'_>) {
        refill(&mut self.judged, list.grade.iter().map(|&grade| gains.of(grade)));
        refill(&mut self.known, list.known.iter().map(|&grade| gains.of(grade)));
    }
}

/// What a list gains, as a share of the best order, where the open items from a rank on have these grades, falling, of
/// which the best order has all.
fn with_grades(gains: &Gains, list: &OpenList<'_>, first: i64, fills: &[f64]) -> f64 {
    let mut judged = list.rank.iter().copied().zip(list.grade.iter().copied()).peekable();
    let mut open = fills.iter().copied();
    let (mut own, mut best) = (0.0, 0.0);
    for (rank, discount) in (1..=list.length).zip(&gains.discounts) {
        let grade = match judged.next_if(|&(at, _)| at == rank) {
            Some((_, grade)) => grade,
            None if rank >= first => open.next().unwrap_or(0.0),
            None => 0.0,
        };
        own += gains.of(grade) * discount;
    }
    // Of the better one of the next of both no branch is made, which would be mispredicted.
    let next = |grades: &[f64], place: usize| grades.get(place).copied().unwrap_or(f64::NEG_INFINITY);
    let (mut of_known, mut of_fills) = (0, 0);
    for discount in gains.discounts.iter().take(list.known.len() + fills.len()) {
        let (known, fill) = (next(list.known, of_known), next(fills, of_fills));
        best += gains.of(known.max(fill)) * discount;
        of_known += usize::from(known >= fill);
        of_fills += usize::from(known < fill);
    }
    quotient(own, best, best)
}
