//! How low and how high measures can be, whatever the items are that nobody judged: what `rankmark.language.extremes`
//! finds, to the last bit, of measures that the core computes.
//!
//! Of the numbers of open items that may be relevant a value is computed only of those whose estimates are the best but
//! for rounding. AP and nDCG are lowest where the last open items are relevant: what one more of these adds to the sum
//! grows with their number, and what it adds to the divisor does not, so that values fall and then rise, and none is
//! looked at behind the first that rises. AP is highest where the first open items are relevant: of some that stand next
//! to each other each adds no less than the one before it, so that it is highest before these or behind them.

use std::iter;

use crate::core::choices::Choice;
use crate::core::lists::measures::{Found, Gains, Hits, Level, Page};
use crate::core::lists::open_items::{BestGrades, BestOrder, Graded, merge};
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
            (Page::Hits(_), Search::Ends | Search::Found)
            | (Page::Hits(Hits { found: Found::Precisions, denominator: None, .. }), Search::Counts) => {
                Vec::new()
            }
            _ => return None,
        };
        Some(Self { page, search, highest, grade, otherwise, sums })
    }

    /// That of one query.
    pub fn value(&self, list: &OpenList, memory: &mut Memory, levels: &[Level]) -> f64 {
        match &self.page {
            Page::Hits(hits) => self.of_hits(hits, hits.level(levels), list, memory),
            Page::Gains(gains) => self.of_gains(gains, list, memory),
        }
    }

    fn of_hits(&self, hits: &Hits, level: &Level, list: &OpenList, memory: &mut Memory) -> f64 {
        let value = |open: &[i64]| hits.value(merged(level.ranks(), open), level.relevant + open.len());
        let mut best = self.best(value(&[]));
        if self.grade.is_some_and(|grade| grade < hits.rel) {
            return best.settled();
        }
        let (open, within) = (&list.open[..], list.within(hits.cutoff));
        match (self.search, self.highest) {
            (Search::Found, true) => best.take(value(&open[..within])),
            (Search::Found, false) => best.take(value(&open[within..])),
            (Search::Counts, true) => {
                memory.runs.take(list, level, hits.cutoff);
                let near = memory.runs.near();
                best.take_until(1.0, near.map(|count| with_first(list, hits, level, count)));
            }
            (Search::Counts, false) => {
                let near = near_lowest(precisions_from_end(list, level, hits.cutoff), &mut memory.estimates);
                best.take_until(0.0, near.map(|count| value(&open[within - count..])));
            }
            _ => best.take(value(open)),
        }
        best.settled()
    }

    fn of_gains(&self, gains: &Gains, list: &OpenList, memory: &mut Memory) -> f64 {
        let Memory { estimates, filled, fills, gained, grades, .. } = memory;
        let mut best = self.best(gains.share((&list.rank, &list.grade), &list.known));
        let depth = gains.discounts.len();
        let (open, within) = (&list.open[..], list.within(depth as i64));
        let top = self.grade.unwrap_or(list.highest);
        gained.take(gains, list);
        if self.highest {
            refill(fills, iter::repeat_n(top, open.len().min(depth)));
            best.take(filled.share(gains, list, open, fills));
            let (known, top) = (Graded { grades: &list.known, gains: &gained.known }, (top, gains.of(top)));
            let judged = (&list.rank[..], &gained.judged[..]);
            let found = grades.of(judged, &open[..within], known, top, &gains.discounts, &self.sums);
            refill(fills, found);
            best.take(filled.share(gains, list, open, fills));
        } else {
            let below = open.len() - within;
            let near = near_lowest(self.shares_from_end(gains, list, gained, gains.of(top)), estimates);
            best.take_until(
                0.0,
                near.map(|count| {
                    refill(fills, iter::repeat_n(top, (below + count).min(depth)));
                    filled.share(gains, list, &open[within - count..within], fills)
                }),
            );
        }
        best.settled()
    }

    /// About what the value is where none, one, two … of the last open items above the cutoff gain so much, and all
    /// below it; infinite where none does.
    fn shares_from_end<'a>(
        &'a self,
        gains: &'a Gains,
        list: &'a OpenList,
        gained: &'a Gained,
        gain: f64,
    ) -> impl Iterator<Item = f64> + 'a {
        let discounts = &gains.discounts;
        let within = list.within(discounts.len() as i64);
        let below = list.open.len() - within;
        let order = BestOrder::new(&gained.known, gain, discounts, &self.sums);
        let share = move |total: f64, count: usize| match order.total(count) {
            best if best > 0.0 => total / best,
            _ => f64::INFINITY,
        };
        let discount = |rank: i64| discounts.get(rank as usize - 1);
        let judged = list.rank.iter().map_while(move |&rank| discount(rank)).zip(&gained.judged);
        let mut total = judged.fold(0.0, |sum, (discount, gain)| sum + gain * discount);
        let none = if below == 0 { f64::INFINITY } else { share(total, below) };
        let more = list.open[..within].iter().rev().zip(below + 1..).map(move |(&rank, count)| {
            total += gain * discount(rank).copied().unwrap_or(0.0);
            share(total, count)
        });
        iter::once(none).chain(more)
    }

    fn best(&self, plain: f64) -> Best {
        let Self { highest, otherwise, .. } = *self;
        let found = if plain.is_nan() { otherwise } else { plain };
        Best { found, highest, otherwise, left_out: found.is_nan() }
    }
}

/// The best of the values that have been looked at.
struct Best {
    found: f64,
    highest: bool,
    otherwise: f64,
    /// Whether nothing judged is relevant, which leaves the query out.
    left_out: bool,
}

impl Best {
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

    fn settled(self) -> f64 {
        if self.left_out { f64::NAN } else { self.found }
    }
}

/// A list of which some items are open: those that nobody judged, or judged below 0, which is pooled and not judged.
#[derive(Default)]
pub struct OpenList {
    /// The ranks of the judged items, ascending.
    rank: Vec<i64>,
    /// Their grades.
    grade: Vec<f64>,
    /// The grades of all judged items, best first.
    known: Vec<f64>,
    /// The highest grade that anybody gave, at least 1.
    highest: f64,
    /// The ranks of the open items, ascending.
    open: Vec<i64>,
    /// How many items there are.
    length: i64,
}

impl OpenList {
    /// Takes the next list, of so many items.
    pub fn take(&mut self, (rank, relevance): (&[i64], &[f64]), ideal: &[f64], retrieved: i64) {
        let judged = || rank.iter().zip(relevance).filter(|&(_, &grade)| grade >= 0.0);
        refill(&mut self.rank, judged().map(|(&rank, _)| rank));
        refill(&mut self.grade, judged().map(|(_, &grade)| grade));
        // The ideal list ends with the lowest grades, those of the retrieved items below 0 among them.
        let pooled = rank.len() - self.rank.len();
        refill(&mut self.known, ideal[..ideal.len() - pooled].iter().copied());
        self.highest = ideal.first().map_or(1.0, |&best| best.max(1.0));
        self.open.clear();
        let mut next = 1;
        for &rank in &self.rank {
            self.open.extend(next..rank);
            next = rank + 1;
        }
        self.open.extend(next..=retrieved);
        self.length = retrieved;
    }

    /// How many open items stand at a rank or above it.
    fn within(&self, rank: i64) -> usize {
        self.open.partition_point(|&open| open <= rank)
    }
}

/// What a thread needs to look for extremes, kept from query to query.
#[derive(Default)]
pub struct Memory {
    estimates: Vec<f64>,
    runs: Runs,
    fills: Vec<f64>,
    filled: Filled,
    gained: Gained,
    grades: BestGrades,
}

fn refill<T>(numbers: &mut Vec<T>, with: impl IntoIterator<Item = T>) {
    numbers.clear();
    numbers.extend(with);
}

/// Ascending numbers of both.
fn merged<'a>(mut a: &'a [i64], mut b: &'a [i64]) -> impl Iterator<Item = i64> + 'a {
    iter::from_fn(move || {
        let from = match (a.first(), b.first()) {
            (Some(one), Some(other)) if one < other => &mut a,
            (Some(_), None) => &mut a,
            _ => &mut b,
        };
        from.split_off_first().copied()
    })
}

/// At which places estimates, which fall and then rise, are the lowest but for rounding.
fn near_lowest(from: impl Iterator<Item = f64>, estimates: &mut Vec<f64>) -> impl Iterator<Item = usize> {
    let mut lowest = f64::INFINITY;
    estimates.clear();
    for estimate in from {
        lowest = lowest.min(estimate);
        if estimate > lowest + NEAR {
            break;
        }
        estimates.push(estimate);
    }
    let near = move |&(_, &estimate): &(usize, &f64)| estimate <= lowest + NEAR && estimate.is_finite();
    estimates.iter().enumerate().filter(near).map(|(place, _)| place)
}

/// The precisions at some ranks of relevant items, ascending, added up.
fn precisions(ranks: &[i64]) -> f64 {
    (1..).zip(ranks).fold(0.0, |sum, (place, &rank)| sum + f64::from(place) / rank as f64)
}

/// The relevant ones of the judged items down to the cutoff.
fn hits_to(level: &Level, cutoff: i64) -> &[i64] {
    let ranks = level.ranks();
    &ranks[..ranks.partition_point(|&rank| rank <= cutoff)]
}

/// AP where so many of the first open items, at least one, are relevant.
fn with_first(list: &OpenList, hits: &Hits, level: &Level, count: usize) -> f64 {
    let last = list.open[count - 1];
    // Down to the last of them all items are relevant but these.
    let others = list.rank.iter().zip(&list.grade).filter(|&(_, &grade)| grade < hits.rel);
    let others = others.map(|(&rank, _)| rank).take_while(|&rank| rank < last).chain(iter::once(last + 1));
    let (mut sum, mut next) = (0.0, 1);
    for (above, other) in (0..).zip(others) {
        sum = match above {
            0 => (other - next) as f64, // as many precisions of 1
            _ => (next..other).fold(sum, |sum, rank| sum + (rank - above) as f64 / rank as f64),
        };
        next = other + 1;
    }
    let found = hits_to(level, hits.cutoff);
    let above = found.partition_point(|&rank| rank <= last);
    let below = (count + above + 1..).zip(&found[above..]);
    sum = below.fold(sum, |sum, (place, &rank)| sum + place as f64 / rank as f64);
    let relevant = (level.relevant + count) as f64;
    quotient(sum, relevant, relevant)
}

/// About what AP is where none, one, two … of the last open items above the cutoff are relevant, and all below it;
/// infinite where none is.
fn precisions_from_end<'a>(
    list: &'a OpenList,
    level: &'a Level,
    cutoff: i64,
) -> impl Iterator<Item = f64> + 'a {
    let (hits, within) = (hits_to(level, cutoff), list.within(cutoff));
    let below_cutoff = list.open.len() - within;
    let relevant = level.relevant + below_cutoff;
    let (mut total, mut above, mut below) = (precisions(hits), hits.len(), 0.0);
    let none = if below_cutoff == 0 { f64::INFINITY } else { total / relevant as f64 };
    let more = list.open[..within].iter().rev().zip(relevant + 1..).map(move |(&rank, relevant)| {
        while above > 0 && hits[above - 1] > rank {
            above -= 1;
            below += 1.0 / hits[above] as f64;
        }
        // It adds its own precision, and to that of each relevant one below it 1 / its rank.
        let own = 1.0 / rank as f64;
        total += (above + 1) as f64 * own + below;
        below += own;
        total / relevant as f64
    });
    iter::once(none).chain(more)
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
}

/// The runs of open items of a list.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
    /// The sums of 1 / rank of the first 0, 1, 2 … ranks.
    inverse: Vec<f64>,
    sum: Sum,
}

impl Runs {
    /// How many of the first open items are relevant where AP is the highest but for rounding.
    fn near(&self) -> impl Iterator<Item = usize> {
        let ends = self.runs.iter().flat_map(|run| [0, run.length].map(|count| self.about(run, count)));
        let rounded = ROUNDED * self.runs.last().map_or(0.0, |run| (run.start + run.length) as f64);
        let least = ends.fold(0.0, f64::max) - NEAR - rounded;
        self.runs.iter().flat_map(move |run| {
            let near = move |&count: &usize| self.about(run, count) >= least;
            let (last, first) = ((1..=run.length).rev().take_while(near), (1..run.length).take_while(near));
            last.chain(first).map(|count| run.before + count)
        })
    }

    /// Takes the runs of a list down to a rank.
    fn take(&mut self, list: &OpenList, level: &Level, cutoff: i64) {
        let last = list.length.min(cutoff);
        self.sum_to(last as usize);
        let mut hits = hits_to(level, last);
        let below = hits.iter().map(|&rank| 1.0 / rank as f64).sum();
        let (relevant, total) = (level.relevant, precisions(hits));
        let mut run = Run { start: 0, length: 0, before: 0, others: 0, relevant, total, below };
        self.runs.clear();
        for &rank in list.rank.iter().take_while(|&&rank| rank <= last).chain(&[last + 1]) {
            run.length = rank as usize - 1 - run.start;
            if run.length > 0 {
                self.runs.push(run);
                run.total = self.total(&run, run.length);
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
    fn take(&mut self, gains: &Gains, list: &OpenList) {
        refill(&mut self.judged, list.grade.iter().map(|&grade| gains.of(grade)));
        refill(&mut self.known, list.known.iter().map(|&grade| gains.of(grade)));
    }
}

/// A list with grades in the places of open items.
#[derive(Default)]
struct Filled {
    rank: Vec<i64>,
    grade: Vec<f64>,
    ideal: Vec<f64>,
}

impl Filled {
    /// What a list gains, as a share of the best order, where open items at these ranks have these grades, of which the
    /// best order has all.
    fn share(&mut self, gains: &Gains, list: &OpenList, open: &[i64], fills: &[f64]) -> f64 {
        let depth = gains.discounts.len();
        let seen = |&(rank, _): &(i64, f64)| rank <= depth as i64;
        let judged = list.rank.iter().copied().zip(list.grade.iter().copied()).take_while(seen);
        let mut open = open.iter().copied().zip(fills.iter().copied()).take_while(seen).peekable();
        self.rank.clear();
        self.grade.clear();
        let mut push = |(rank, grade)| {
            self.rank.push(rank);
            self.grade.push(grade);
        };
        for item in judged {
            while let Some(above) = open.next_if(|&(rank, _)| rank < item.0) {
                push(above);
            }
            push(item);
        }
        open.for_each(push);
        self.ideal.clear();
        let known = &list.known[..list.known.len().min(depth)];
        merge(known, fills, fills.len(), &mut self.ideal);
        gains.share((&self.rank, &self.grade), &self.ideal)
    }
}
