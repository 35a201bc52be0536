//! How low and how high measures can be, whatever the items are that nobody judged: what `rankmark.language.extremes`
//! finds, to the last bit, of measures that the core computes.
//!
//! Of the numbers of open items that may be relevant a value is computed only of those whose estimates are the best but
//! for rounding. AP and nDCG are lowest where the last open items are relevant: what one more of these adds to the sum
//! grows with their number, and what it adds to the divisor does not, so that values fall and then rise, and none is
//! looked at behind the first that rises. AP is highest where the first open items are relevant: of some that stand next
//! to each other each adds no less than the one before it, so that it is highest before these or behind them. Of many
//! lists it is sure without estimates that AP and nDCG are highest where all open items are as good as any.

use std::array::from_fn;
use std::iter;
use std::ops::Range;

use crate::core::choices::Choice;
use crate::core::lists::measures::{FEW, Found, Gains, Hits, Level, Lists, Page, Seen};
use crate::core::lists::open_items::{BestGrades, BestOrder, Graded};
use crate::core::lists::segments::{segments, sums_to};
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
    /// Whether discounts nowhere rise.
    falls: bool,
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
        let falls = match &page {
            Page::Gains(gains) => {
                gains.discounts.iter().chain(&[0.0]).is_sorted_by(|above, below| above >= below)
            }
            Page::Hits(_) => false,
        };
        Some(Self { page, search, highest, grade, otherwise, sums, falls })
    }

    /// Adds those of some queries, of which the measure itself gives `plain`.
    pub fn add_values(
        &self,
        plain: &[f64],
        lists: &mut OpenLists<'_>,
        seen: &[Seen],
        memory: &mut Memory,
        values: &mut Vec<f64>,
    ) {
        match &self.page {
            Page::Hits(hits) if self.is_plain(hits) => {
                values.extend(plain.iter().map(|&plain| self.best(plain).found));
            }
            Page::Hits(hits) => {
                let seen = hits.seen(seen);
                match self.search {
                    Search::Counts => self.add_counted(hits, plain, lists, seen, memory, values),
                    _ => self.add_found(hits, plain, lists, seen, values),
                }
            }
            Page::Gains(gains) => {
                let mut most = Most::default();
                values.extend(plain.iter().zip(&lists.lists).map(|(&plain, list)| {
                    let mut best = self.best(plain);
                    if best.is_settled() {
                        return best.found;
                    }
                    most.of(gains, self.grade.unwrap_or(list.highest));
                    match self.highest {
                        true => self.most_gained(gains, list, &most, memory, &mut best),
                        false => self.least_gained(gains, list, &most, memory, &mut best),
                    }
                    best.found
                }));
            }
        }
    }

    /// Whether no open item changes a value: none can be relevant, or none that is makes it lower.
    fn is_plain(&self, hits: &Hits) -> bool {
        let rises =
            matches!(self.search, Search::Ends) && hits.denominator.is_some_and(|number| number > 0.0);
        self.grade.is_some_and(|grade| grade < hits.rel) || (rises && !self.highest)
    }

    fn add_found(
        &self,
        hits: &Hits,
        plain: &[f64],
        lists: &mut OpenLists<'_>,
        seen: &Seen,
        values: &mut Vec<f64>,
    ) {
        let place = lists.place_of(hits.cutoff);
        let counts = lists.within[place].1.iter().zip(seen.within(hits.cutoff));
        let each = plain.iter().zip(&lists.lists).zip(counts).enumerate();
        values.extend(each.map(|(query, ((&plain, list), (&within, &found)))| {
            let mut best = self.best(plain);
            if best.found.is_nan() {
                return best.found;
            }
            let (above, count) = match (self.search, self.highest) {
                (Search::Found, true) => (within, within),
                (Search::Found, false) => (0, list.open() - within),
                _ => (within, list.open()),
            };
            best.take(with_open(list, hits, &seen.level(query), (found, above), count));
            best.found
        }));
    }

    fn add_counted(
        &self,
        hits: &Hits,
        plain: &[f64],
        lists: &OpenLists<'_>,
        seen: &Seen,
        Memory { estimates, runs, near, precisions, .. }: &mut Memory,
        values: &mut Vec<f64>,
    ) {
        values.extend(plain.iter().zip(&lists.lists).enumerate().map(|(query, (&plain, list))| {
            let mut best = self.best(plain);
            if best.is_settled() || list.open() == 0 {
                return best.found;
            }
            let level = &seen.level(query);
            if self.highest {
                if !runs.take_rising(list, hits, level, near) {
                    runs.take(list, hits, level, best.found);
                    runs.take_near(near);
                }
                let values = near.iter().map(|&to| with_first(hits, level, to, &runs.others, precisions));
                best.take_until(1.0, values);
            } else {
                estimates.begin(best.found);
                precisions_from_end(list, hits, level, best.found, estimates);
                best.take_until(0.0, estimates.near().map(|filled| with_last(list, hits, level, filled)));
            }
            best.found
        }));
    }

    fn most_gained(
        &self,
        gains: &Gains,
        list: &OpenList<'_>,
        most: &Most,
        memory: &mut Memory,
        best: &mut Best,
    ) {
        let Memory { fills, gained, grades, .. } = memory;
        let (depth, top) = (gains.discounts.len(), most.top);
        if list.length >= depth as i64 && list.is_best(top) {
            let judged = first_to(list.rank, depth as i64).len();
            if judged == 0 {
                // All above the cutoff are open, and as good as any: no order is better.
                return best.take(quotient(most.total, most.total, most.total));
            }
            if self.falls && list.known[judged - 1] >= top && most.total.is_finite() {
                // As many items as are judged above the cutoff have the highest grade, so that an open one has in the
                // best order a place that is no higher than its own: each adds no less to the list than to that.
                let own = gained_with(gains, list, 1, iter::repeat(gains.of(top)));
                return best.take(quotient(own, most.total, most.total));
            }
        }
        gained.take(gains, list);
        let (known, highest) = (Graded { grades: list.known, gains: &gained.known }, (top, gains.of(top)));
        let judged = (list.rank, &gained.judged[..]);
        let found =
            grades.of(judged, list.ranks_to(depth as i64), known, highest, &gains.discounts, &self.sums);
        refill(fills, found);
        best.take(with_grades(gains, list, fills));
        // With more of the highest grade below the cutoff the best order is no worse, and the list the same.
        if fills.len() < list.within(depth as i64) || fills.iter().any(|&grade| grade != top) {
            best.take(with_highest(gains, list, most, Last { count: list.open(), rank: 1 }));
        }
    }

    fn least_gained(
        &self,
        gains: &Gains,
        list: &OpenList<'_>,
        most: &Most,
        memory: &mut Memory,
        best: &mut Best,
    ) {
        let Memory { estimates, gained, .. } = memory;
        let depth = gains.discounts.len();
        let below = list.open() - list.within(depth as i64);
        if below >= depth && list.is_best(most.top) && most.total.is_finite() {
            // Those below the cutoff make the best order as good as any, and each above it adds to the list alone.
            let last = list.length.min(depth as i64);
            return best.take(with_highest(gains, list, most, Last { count: below, rank: last + 1 }));
        }
        gained.take(gains, list);
        estimates.begin(best.found);
        self.shares_from_end(gains, list, gained, most, estimates);
        best.take_until(0.0, estimates.near().map(|last| with_highest(gains, list, most, last)));
    }

    /// Takes about what the value is where none, one, two … of the last open items above the cutoff gain so much, and
    /// all below it.
    fn shares_from_end(
        &self,
        gains: &Gains,
        list: &OpenList<'_>,
        gained: &Gained,
        most: &Most,
        estimates: &mut Estimates,
    ) {
        let (discounts, gain) = (&gains.discounts, gains.of(most.top));
        let order = BestOrder::new(&gained.known, gain, discounts, &self.sums);
        let discount = |rank: i64| discounts.get(rank as usize - 1);
        let judged = list.rank.iter().map_while(|&rank| discount(rank)).zip(&gained.judged);
        let mut total = judged.fold(0.0, |sum, (discount, gain)| sum + gain * discount);
        let mut from_end = list.last_ones(discounts.len() as i64);
        // Where a best order gains more than a number can hold, shares of it fall to 0.
        let mut may_fall = |total: f64, last: Last| {
            last.count == 0
                || estimates.take(total / order.total(last.count), last)
                || !most.total.is_finite()
        };
        if !from_end.next().is_none_or(|last| may_fall(total, last)) {
            return;
        }
        for last in from_end {
            total += gain * discount(last.rank).copied().unwrap_or(0.0);
            if !may_fall(total, last) {
                return;
            }
        }
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

/// Lists of which some items are open.
pub struct OpenLists<'a> {
    lists: Vec<OpenList<'a>>,
    /// The cutoffs that were asked for, and how many open items of each list stand down to them.
    within: Vec<(i64, Vec<usize>)>,
}

/// The judged items of some lists without those that are pooled.
#[derive(Default)]
pub struct Kept {
    rank: Vec<i64>,
    grade: Vec<f64>,
    offsets: Vec<i64>,
}

impl Kept {
    fn take(&mut self, lists: &Lists<'_>) {
        self.rank.clear();
        self.grade.clear();
        refill(&mut self.offsets, [0]);
        for (rank, grade) in lists.rows() {
            let kept = || rank.iter().zip(grade).filter(|&(_, &grade)| grade >= 0.0);
            self.rank.extend(kept().map(|(&rank, _)| rank));
            self.grade.extend(kept().map(|(_, &grade)| grade));
            self.offsets.push(self.rank.len() as i64);
        }
    }
}

impl<'a> OpenLists<'a> {
    /// Those of some queries; where some items are pooled, the others are kept in `kept`.
    pub fn new(lists: &Lists<'a>, kept: &'a mut Kept) -> Self {
        let Lists { mut rank, mut relevance, mut offsets, .. } = *lists;
        let own = offsets[0] as usize..offsets[lists.retrieved.len()] as usize;
        // No early end, so that several are compared at a time.
        if relevance[own].iter().fold(false, |pooled, &grade| pooled | (grade < 0.0)) {
            kept.take(lists);
            (rank, relevance, offsets) = (&kept.rank, &kept.grade, &kept.offsets);
        }
        let all = lists.offsets.windows(2).map(|border| (border[1] - border[0]) as usize);
        let known = segments(lists.ideal_offsets).map(|rows| &lists.ideal[rows]);
        let each = segments(offsets).zip(all).zip(known).zip(lists.retrieved);
        let lists = each.map(|(((own, all), known), &length)| OpenList {
            rank: &rank[own.clone()],
            grade: &relevance[own.clone()],
            // The ideal list ends with the lowest grades, those of the retrieved items below 0 among them.
            known: &known[..known.len() - (all - own.len())],
            highest: known.first().map_or(1.0, |&best| best.max(1.0)),
            length,
        });
        Self { lists: lists.collect(), within: Vec::new() }
    }

    /// Where it stands how many open items there are down to a cutoff.
    fn place_of(&mut self, cutoff: i64) -> usize {
        let Self { lists, within } = self;
        within.iter().position(|&(known, _)| known == cutoff).unwrap_or_else(|| {
            within.push((cutoff, lists.iter().map(|list| list.within(cutoff)).collect()));
            within.len() - 1
        })
    }
}

impl OpenList<'_> {
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
        let judged = (1..).zip(self.rank).take_while(|&(rank, &judged)| rank == judged);
        let first = judged.count() as i64 + 1;
        (first <= self.length).then_some(first)
    }

    /// Whether no judged item has a higher grade.
    fn is_best(&self, grade: f64) -> bool {
        self.known.first().is_none_or(|&known| known <= grade)
    }

    /// The ranks of the judged items that are not relevant, ascending.
    fn others(&self, rel: f64) -> impl Iterator<Item = i64> {
        self.rank.iter().zip(self.grade).filter(move |&(_, &grade)| grade < rel).map(|(&rank, _)| rank)
    }
}

/// What a thread needs to look for extremes, kept from query to query.
#[derive(Default)]
pub struct Memory {
    estimates: Estimates,
    runs: Runs,
    near: Vec<First>,
    precisions: Precisions,
    fills: Vec<f64>,
    gained: Gained,
    grades: BestGrades,
}

/// A count as a number, in one step, as numbers that have a sign are.
fn real(count: usize) -> f64 {
    count as i64 as f64
}

fn refill<T>(numbers: &mut Vec<T>, with: impl IntoIterator<Item = T>) {
    numbers.clear();
    numbers.extend(with);
}

/// Those of some ranks, ascending, down to one.
fn first_to(ranks: &[i64], last: i64) -> &[i64] {
    match ranks.last() {
        Some(&lowest) if lowest > last => &ranks[..count_to(ranks, last)],
        _ => ranks,
    }
}

/// How many they are.
fn count_to(ranks: &[i64], last: i64) -> usize {
    if ranks.len() > FEW {
        return ranks.partition_point(|&rank| rank <= last);
    }
    // Without a branch there is none to mispredict.
    ranks.iter().map(|&rank| usize::from(rank <= last)).sum()
}

/// Estimates of values that fall and then rise.
#[derive(Default)]
struct Estimates {
    lowest: f64,
    each: Vec<(f64, Last)>,
}

impl Estimates {
    /// Begins with what the value is where no open item is relevant.
    fn begin(&mut self, plain: f64) {
        self.lowest = plain;
        self.each.clear();
    }

    /// Takes the next one; whether others can be lower.
    fn take(&mut self, estimate: f64, last: Last) -> bool {
        self.lowest = self.lowest.min(estimate);
        let rises = estimate > self.lowest + NEAR;
        if !rises {
            self.each.push((estimate, last));
        }
        !rises
    }

    /// Where they are the lowest but for rounding.
    fn near(&self) -> impl Iterator<Item = Last> {
        let most = self.lowest + NEAR;
        self.each.iter().filter(move |&&(estimate, _)| estimate <= most).map(|&(_, last)| last)
    }
}

/// What is found of the first relevant one, whether there is one, or how many there are, where so many judged items above
/// the cutoff are relevant and the first so many open ones, all above it, and of these so many in all.
fn with_open(
    list: &OpenList<'_>,
    hits: &Hits,
    level: &Level<'_>,
    (known, above): (usize, usize),
    count: usize,
) -> f64 {
    let found = match hits.found {
        Found::Count => real(known + above),
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

/// Precisions down to a rank, and sums of them, each computed once.
#[derive(Default)]
struct Precisions {
    /// Those of relevant items below so many others, by rank.
    each: Vec<Vec<f64>>,
    /// The sums down to the ranks behind one, where that alone is not relevant.
    sums: Vec<Vec<f64>>,
}

impl Precisions {
    /// The last rank down to which they are kept.
    const LAST: i64 = 1 << 7;
    /// The number of others from which none are kept.
    const OTHERS: i64 = 1 << 3;

    /// As [`with_precisions`].
    fn with(&mut self, sum: f64, ranks: Range<i64>, others: i64) -> f64 {
        if ranks.end > Self::LAST || others >= Self::OTHERS {
            return with_precisions(sum, ranks, others);
        }
        if self.each.is_empty() {
            let of =
                |others| (0..Self::LAST).map(|rank| with_precisions(0.0, rank..rank + 1, others)).collect();
            self.each = (0..Self::OTHERS).map(of).collect();
        }
        let own = &self.each[others as usize][ranks.start as usize..ranks.end as usize];
        own.iter().fold(sum, |sum, each| sum + each)
    }

    /// The precisions at the ranks above `end`, where of all items there the one at a rank alone is not relevant.
    fn without(&mut self, other: i64, end: i64) -> f64 {
        let ones = (other - 1) as f64; // as many precisions of 1
        if other >= Self::LAST {
            return with_precisions(ones, other + 1..end, 1);
        }
        if self.sums.len() < other as usize {
            self.sums.resize_with(other as usize, Vec::new);
        }
        let (sums, kept) = (&mut self.sums[other as usize - 1], end.min(Self::LAST));
        if sums.is_empty() {
            sums.push(ones);
        }
        // One after the other behind that rank.
        while sums.len() < (kept - other) as usize {
            let (sum, rank) = (sums[sums.len() - 1], other + sums.len() as i64);
            sums.push(with_precisions(sum, rank..rank + 1, 1));
        }
        with_precisions(sums[(kept - other) as usize - 1], kept..end, 1)
    }
}

/// AP where so many of the first open items, at least one, are relevant; of a list with these judged ones that are not.
fn with_first(hits: &Hits, level: &Level<'_>, to: First, others: &[i64], precisions: &mut Precisions) -> f64 {
    let First { count, rank: last, others: above } = to;
    // Down to it all items are relevant but these.
    let others = &others[..above];
    let mut sum = match *others {
        [] => last as f64, // as many precisions of 1
        [first] => precisions.without(first, last + 1),
        [first, second, ..] => precisions.without(first, second),
    };
    for (above, &other) in (1..).zip(others).skip(1) {
        let end = others.get(above as usize).map_or(last + 1, |&next| next);
        sum = precisions.with(sum, other + 1..end, above);
    }
    let found = first_to(level.ranks, hits.cutoff);
    let above = first_to(found, last).len();
    let below = (count + above + 1..).zip(&found[above..]);
    sum = below.fold(sum, |sum, (place, &rank)| sum + real(place) / rank as f64);
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

/// Takes about what AP is where none, one, two … of the last open items above the cutoff are relevant, and all below it.
/// Of a list whose AP is `plain`.
fn precisions_from_end(
    list: &OpenList<'_>,
    hits: &Hits,
    level: &Level<'_>,
    plain: f64,
    estimates: &mut Estimates,
) {
    let last = list.length.min(hits.cutoff);
    let mut judged = first_to(list.rank, last).len();
    let (mut total, mut count) = (plain * real(level.relevant), list.open() + judged - last as usize);
    let (mut above, mut below) = (first_to(level.ranks, last).len(), 0.0);
    let about = |total: f64, count: usize| total / real(level.relevant + count);
    if count > 0 && !estimates.take(about(total, count), Last { count, rank: last + 1 }) {
        return;
    }
    for rank in (1..=last).rev() {
        let own = 1.0 / rank as f64;
        if judged > 0 && list.rank[judged - 1] == rank {
            judged -= 1;
            if list.grade[judged] >= hits.rel {
                above -= 1;
                below += own;
            }
            continue;
        }
        // It adds its own precision, and to that of each relevant one below it 1 / its rank.
        total += real(above + 1) * own + below;
        below += own;
        count += 1;
        if !estimates.take(about(total, count), Last { count, rank }) {
            return;
        }
    }
}

/// Open items of a list that stand next to each other, where those above them are relevant and they are not.
struct Run {
    /// The rank before them.
    start: usize,
    /// How many they are.
    length: usize,
    /// How many open items stand above them.
    before: usize,
    /// How many judged items above them are not relevant.
    others: usize,
    /// The precisions added up.
    total: f64,
    /// What one more relevant item adds to the precisions of those below.
    below: f64,
}

impl Run {
    /// The open items down to so many of its own.
    fn to(&self, count: usize) -> First {
        First { count: self.before + count, rank: (self.start + count) as i64, others: self.others }
    }
}

/// The first so many open items of a list, down to a rank, below so many judged ones that are not relevant.
#[derive(Clone, Copy)]
struct First {
    count: usize,
    rank: i64,
    others: usize,
}

/// The runs of open items of a list.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
    /// About what AP is where no open item is relevant, and where all are down to the end of each run.
    ends: Vec<f64>,
    /// The highest of these.
    highest: f64,
    /// How many judged items are relevant.
    relevant: usize,
    /// The ranks of the judged items that are not relevant, ascending, and one of anything.
    others: Vec<i64>,
    /// The sums of 1 / rank of the first 0, 1, 2 … ranks.
    inverse: Vec<f64>,
    sum: Sum,
}

impl Runs {
    /// Ranks, and relevant items, up to which a rise of AP is never as small as rounding.
    const SURE: usize = 1 << 10;

    /// Takes all open items where it is sure that each of them, from the first on, makes AP higher: whether it is.
    ///
    /// An item below o that are not relevant has a precision of 1 − o / rank at least, and AP is no more than (c + h) /
    /// (c + r) before it, where c open items are above, and h of r relevant ones judged in the list.
    fn take_rising(
        &mut self,
        list: &OpenList<'_>,
        hits: &Hits,
        level: &Level<'_>,
        near: &mut Vec<First>,
    ) -> bool {
        let last = list.length.min(hits.cutoff);
        let (mut judged, found) = (first_to(list.rank, last).len(), first_to(level.ranks, last).len());
        let (relevant, missed) = (level.relevant as i64, (level.relevant - found) as i64);
        if missed == 0 || last > Self::SURE as i64 || level.relevant > Self::SURE {
            return false;
        }
        let count = last as usize - judged;
        self.others.resize(judged + 1, 0);
        let (mut rises, mut others) = (true, 0);
        for (place, (&rank, &grade)) in (1..).zip(list.rank[..judged].iter().zip(list.grade)) {
            self.others[others] = rank;
            others += usize::from(grade < hits.rel);
            let above = others as i64;
            rises &= (above <= missed) & (above * (rank - place + relevant) < missed * (rank + 1));
        }
        let mut rank = last;
        while judged > 0 && list.rank[judged - 1] == rank {
            (judged, rank) = (judged - 1, rank - 1);
            others -= usize::from(list.grade[judged] < hits.rel);
        }
        refill(near, (count > 0).then_some(First { count, rank, others }));
        rises
    }

    /// Takes how many of the first open items are relevant where AP is the highest but for rounding.
    fn take_near(&self, near: &mut Vec<First>) {
        let rounded = ROUNDED * self.runs.last().map_or(0.0, |run| real(run.start + run.length));
        let least = self.highest - NEAR - rounded;
        let is_near = |run: &Run, count: usize| self.about(run, count) >= least;
        near.clear();
        // Mostly it is one end, and nothing beside it; found without branches, which would be mispredicted.
        let (mut ends, mut place) = (0, 0);
        for (number, &end) in self.ends.iter().enumerate() {
            let is_near = usize::from(end >= least);
            ends += is_near;
            place += is_near * number;
        }
        if ends == 1 {
            let before = place.checked_sub(1).map(|before| &self.runs[before]);
            let back = before.is_some_and(|run| run.length > 1 && is_near(run, run.length - 1));
            let on = self.runs.get(place).is_some_and(|run| run.length > 1 && is_near(run, 1));
            if !back && !on {
                return near.extend(before.map(|run| run.to(run.length)));
            }
        }
        for (run, ends) in self.runs.iter().zip(self.ends.windows(2)) {
            if ends.iter().any(|&end| end >= least) {
                let last = (1..=run.length).rev().take_while(|&count| is_near(run, count));
                let first = (1..run.length).take_while(|&count| is_near(run, count));
                near.extend(last.chain(first).map(|count| run.to(count)));
            }
        }
    }

    /// Takes the runs of a list, whose AP is `plain`, down to a rank.
    // Within another function it would have fewer registers.
    #[inline(never)]
    fn take(&mut self, list: &OpenList<'_>, hits: &Hits, level: &Level<'_>, plain: f64) {
        let last = list.length.min(hits.cutoff);
        self.sum_to(last as usize + 1);
        let Self { runs, ends, inverse, .. } = self;
        let judged = first_to(list.rank, last).iter().copied().zip(list.grade.iter().copied());
        self.others.resize(judged.len() + 1, 0);
        let mut below = first_to(level.ranks, last).iter().map(|&rank| 1.0 / rank as f64).sum();
        let (mut total, mut highest) = (plain * real(level.relevant), plain);
        let (mut start, mut before, mut others) = (0, 0, 0);
        runs.clear();
        refill(ends, [plain]);
        for (rank, grade) in judged.chain([(last + 1, 0.0)]) {
            let rank = rank as usize;
            if let length @ 1.. = rank - 1 - start {
                runs.push(Run { start, length, before, others, total, below });
                // Each has a precision of 1, less the share of those above it that are not relevant, and adds to those
                // of the relevant ones below it.
                let lost = real(others) * (inverse[rank - 1] - inverse[start]);
                total = total + real(length) * (1.0 + below) - lost;
                before += length;
                let end = total / real(level.relevant + before);
                ends.push(end);
                highest = if end > highest { end } else { highest };
            }
            start = rank;
            // Of whether it is relevant no branch is made, which would be mispredicted.
            let found = grade >= hits.rel;
            below -= f64::from(found) * (inverse[rank] - inverse[rank - 1]);
            self.others[others] = rank as i64;
            others += usize::from(!found);
        }
        (self.highest, self.relevant) = (highest, level.relevant);
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

    /// About what AP is where so many of a run are relevant.
    fn about(&self, run: &Run, count: usize) -> f64 {
        let lost = real(run.others) * (self.inverse[run.start + count] - self.inverse[run.start]);
        let total = run.total + real(count) * (1.0 + run.below) - lost;
        total / real(self.relevant + run.before + count)
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

/// The highest grade of a list's items, and what the best order gains where all have it.
#[derive(Default)]
struct Most {
    top: f64,
    total: f64,
}

impl Most {
    /// That of a grade, found once for lists with the same one after each other.
    fn of(&mut self, gains: &Gains, top: f64) {
        if top != self.top {
            let total = gains.discounts.iter().fold(0.0, |sum, discount| sum + gains.of(top) * discount);
            *self = Self { top, total };
        }
    }
}

/// What a list gains where the open items from a rank on gain so much each, as far as there is anything.
fn gained_with(gains: &Gains, list: &OpenList<'_>, first: i64, mut open: impl Iterator<Item = f64>) -> f64 {
    let discounts = &gains.discounts[..gains.discounts.len().min(list.length as usize)];
    let judged = list.rank.iter().zip(list.grade).take_while(|&(&rank, _)| rank as usize <= discounts.len());
    let (mut sum, mut next) = (0.0, first as usize - 1);
    // What gains nothing is left out of a sum that is added up from left to right.
    let mut add = |sum: f64, discounts: &[f64]| {
        discounts.iter().zip(&mut open).fold(sum, |sum, (discount, gain)| sum + gain * discount)
    };
    for (&rank, &grade) in judged {
        let place = rank as usize - 1;
        if next < place {
            sum = add(sum, &discounts[next..place]);
        }
        sum += gains.of(grade) * discounts[place];
        next = next.max(place + 1);
    }
    add(sum, &discounts[next..])
}

/// What a list gains, as a share of the best order, where its open items have these grades, falling, of which the best
/// order has all.
fn with_grades(gains: &Gains, list: &OpenList<'_>, fills: &[f64]) -> f64 {
    let own = gained_with(gains, list, 1, fills.iter().map(|&grade| gains.of(grade)));
    let mut best = 0.0;
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

/// The same where the last open items, so many, have the highest grade.
fn with_highest(gains: &Gains, list: &OpenList<'_>, most: &Most, Last { count, rank }: Last) -> f64 {
    let (depth, gain) = (gains.discounts.len(), gains.of(most.top));
    let own = gained_with(gains, list, rank, iter::repeat(gain));
    if count >= depth && list.is_best(most.top) {
        return quotient(own, most.total, most.total);
    }
    let (before, behind) = list.known.split_at(list.known.partition_point(|&known| known >= most.top));
    let fills = iter::repeat_n(most.top, count.min(depth));
    let order = before.iter().copied().chain(fills).chain(behind.iter().copied()).zip(&gains.discounts);
    let best = order.fold(0.0, |sum, (grade, discount)| sum + gains.of(grade) * discount);
    quotient(own, best, best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::lists::measures::{Measure, compute};

    const AP: Hits = Hits { found: Found::Precisions, rel: 1.0, cutoff: i64::MAX, denominator: None };
    const LONGEST: usize = 6;

    /// Every list that is no longer, by what its items are: open, not relevant or relevant; calls with the ranks of those
    /// that are judged, their grades and the length.
    fn each_list(mut call: impl FnMut(&[i64], &[f64], i64)) {
        for (length, lists) in (0..=LONGEST).map(|length| (length, 3_usize.pow(length as u32))) {
            for list in 0..lists {
                let kind = |rank: i64| list / 3_usize.pow(rank as u32 - 1) % 3;
                let rank: Vec<i64> = (1..=length as i64).filter(|&rank| kind(rank) > 0).collect();
                let grade: Vec<f64> = rank.iter().map(|&rank| kind(rank) as f64 - 1.0).collect();
                call(&rank, &grade, length as i64);
            }
        }
    }

    /// The highest value of a measure of a list and of so many relevant items that are not in it.
    fn highest(page: Page, search: Search, list: (&[i64], &[f64], i64), missed: usize) -> f64 {
        let (rank, relevance, length) = list;
        let mut ideal = [vec![1.0; missed], relevance.to_vec()].concat();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let lists = Lists {
            rank,
            relevance,
            offsets: &[0, rank.len() as i64],
            ideal: &ideal,
            ideal_offsets: &[0, ideal.len() as i64],
            retrieved: &[length],
        };
        let extreme = Extreme::new(page, search, true, None, 0.0).unwrap();
        compute(&[&Measure::Extreme(extreme)], &lists)[0][0]
    }

    #[test]
    fn the_highest_value_is_that_of_the_best_number_of_first_open_items() {
        each_list(|rank, grade, length| {
            for missed in 0..4 {
                let best = |value: &dyn Fn(&[i64]) -> f64| {
                    let open: Vec<i64> = (1..=length).filter(|at| !rank.contains(at)).collect();
                    let known =
                        || rank.iter().zip(grade).filter(|&(_, &grade)| grade > 0.0).map(|(&at, _)| at);
                    let with_first = (0..=open.len()).map(|count| {
                        let mut found: Vec<i64> = known().chain(open[..count].iter().copied()).collect();
                        found.sort_unstable();
                        value(&found)
                    });
                    with_first.filter(|value| !value.is_nan()).fold(0.0, f64::max)
                };
                let ap = |found: &[i64]| precisions(found) / (found.len() + missed) as f64;
                let found = highest(Page::Hits(AP), Search::Counts, (rank, grade, length), missed);
                assert_eq!(found, best(&ap), "{rank:?} {grade:?} of {length}, {missed} missed");
                let discounts: Vec<f64> = (0..4).map(|rank| 1.0 / f64::from(rank + 2).log2()).collect();
                let sum = |ranks: &mut dyn Iterator<Item = i64>| {
                    let own = ranks.filter_map(|rank| discounts.get(rank as usize - 1));
                    own.fold(0.0, |sum, discount| sum + discount)
                };
                let ndcg = |found: &[i64]| {
                    let best = sum(&mut (1..=(found.len() + missed) as i64));
                    sum(&mut found.iter().copied()) / best
                };
                let gains = Page::Gains(Gains { binary: false, discounts: discounts.clone() });
                let found = highest(gains, Search::Gains, (rank, grade, length), missed);
                assert!(
                    (found - best(&ndcg)).abs() < 1e-15,
                    "{rank:?} {grade:?} of {length}, {missed} missed"
                );
            }
        });
    }

    #[test]
    fn sums_that_are_kept_are_those_that_are_added_up() {
        let mut precisions = Precisions::default();
        for (others, first, end) in
            [(1, 3, 3), (1, 3, 90), (1, 3, 40), (2, 90, 128), (7, 20, 129), (8, 20, 99)]
        {
            let plain = with_precisions(1.5, first..end, others);
            assert_eq!(precisions.with(1.5, first..end, others).to_bits(), plain.to_bits());
        }
        for (other, end) in [(1, 2), (5, 60), (5, 20), (5, 200), (127, 128), (128, 129), (300, 310)] {
            let plain = with_precisions((other - 1) as f64, other + 1..end, 1);
            assert_eq!(precisions.without(other, end).to_bits(), plain.to_bits());
        }
    }
}
