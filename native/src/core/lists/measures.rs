//! Measures that most people ask for, computed as their pages in Python compute them, to the last bit.

use std::mem;
use std::ops::Range;

use crate::core::choices::Choice;
use crate::core::lists::extremes::{Extreme, Kept, Memory, OpenLists};
use crate::core::lists::segments::segments;
use crate::core::lists::values::quotient;
use crate::core::wide::wide;

/// Judged items of lists and of all judged items, flat, with where those of each query begin.
pub struct Lists<'a> {
    /// The ranks of the judged items of each list, ascending.
    pub rank: &'a [i64],
    /// Their grades.
    pub relevance: &'a [f64],
    /// Where the items of each query begin, and at the end their number.
    pub offsets: &'a [i64],
    /// The grades of all judged items of each query, best first.
    pub ideal: &'a [f64],
    /// Where the grades of each query begin, and at the end their number.
    pub ideal_offsets: &'a [i64],
    /// Items in each list.
    pub retrieved: &'a [i64],
}

/// What is found of the relevant items of a list.
#[derive(Clone, Copy, PartialEq)]
pub enum Found {
    /// The sum of the precisions at their ranks.
    Precisions,
    /// One over the rank of the first.
    First,
    /// Whether there is one.
    Any,
    /// How many there are.
    Count,
}

impl Choice for Found {
    const NAME: &'static str = "found";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("precisions", Self::Precisions),
        ("first", Self::First),
        ("any", Self::Any),
        ("count", Self::Count),
    ];
}

/// A measure of lists without shared ranks.
pub enum Measure {
    /// Its values.
    Plain(Page),
    /// How low or how high they can be.
    Extreme(Extreme),
}

/// What a page computes.
#[derive(Clone, PartialEq)]
pub enum Page {
    /// The gains of grades, each times the discount of its rank, as a share of those of the ideal list.
    Gains(Gains),
    /// What is found of the items of a grade or better, over a number.
    Hits(Hits),
}

/// How grades gain.
#[derive(Clone, PartialEq)]
pub struct Gains {
    /// Whether every grade above 0 gains 1, or itself.
    pub binary: bool,
    /// The discounts of the ranks from 1; further ranks gain nothing.
    pub discounts: Vec<f64>,
}

/// Which items are looked for.
#[derive(Clone, Copy, PartialEq)]
pub struct Hits {
    /// What is found of them.
    pub found: Found,
    /// The least grade.
    pub rel: f64,
    /// The last rank that is looked at.
    pub cutoff: i64,
    /// The number by which that is divided; how many such items are judged if None.
    pub denominator: Option<f64>,
}

impl Measure {
    fn page(&self) -> &Page {
        match self {
            Self::Plain(page) => page,
            Self::Extreme(extreme) => &extreme.page,
        }
    }

    fn extreme(&self) -> Option<&Extreme> {
        match self {
            Self::Plain(_) => None,
            Self::Extreme(extreme) => Some(extreme),
        }
    }
}

/// A measure by the place of its page, of which it may be an extreme.
type Asked<'a> = (usize, Option<&'a Extreme>);

/// Judged items of which measures are computed one after another: what these look at stays in the nearest cache.
const TOGETHER: usize = 1 << 11;

/// The values of measures, each of each query; NaN where nothing is relevant.
pub fn compute(measures: &[&Measure], lists: &Lists<'_>) -> Vec<Vec<f64>> {
    // How low and how high a measure can be is found from its value, which is computed once.
    let mut pages: Vec<&Page> = Vec::new();
    let asked: Vec<Asked<'_>> =
        measures.iter().map(|each| (place_of(each.page(), &mut pages), each.extreme())).collect();
    let (mut seen, mut memory, queries) = (Seen::of_all(&pages), Memory::default(), lists.retrieved.len());
    let mut plain: Vec<Vec<f64>> = pages.iter().map(|_| Vec::with_capacity(queries)).collect();
    let mut extremes: Vec<Vec<f64>> =
        asked.iter().map(|(_, extreme)| Vec::with_capacity(extreme.map_or(0, |_| queries))).collect();
    let step = (TOGETHER * queries / lists.ideal.len().max(1)).clamp(1, TOGETHER);
    for begin in (0..queries).step_by(step) {
        let some = lists.part(begin..queries.min(begin + step));
        seen.iter_mut().for_each(|seen| seen.take(&some));
        pages.iter().zip(&mut plain).for_each(|(page, values)| page.add_values(&some, &seen, values));
        add_extremes(&asked, (&plain, begin), &some, &seen, &mut memory, &mut extremes);
    }
    let each = asked.iter().enumerate().map(|(place, &(page, extreme))| {
        let again = |&(later, extreme): &Asked<'_>| later == page && extreme.is_none();
        match extreme {
            Some(_) => mem::take(&mut extremes[place]),
            None if asked[place + 1..].iter().any(again) => plain[page].clone(),
            None => mem::take(&mut plain[page]),
        }
    });
    each.collect()
}

/// Adds the extremes of some queries, by the values of their pages, those of these queries from a place on.
fn add_extremes(
    asked: &[Asked<'_>],
    (plain, begin): (&[Vec<f64>], usize),
    lists: &Lists<'_>,
    seen: &[Seen],
    memory: &mut Memory,
    values: &mut [Vec<f64>],
) {
    if asked.iter().all(|(_, extreme)| extreme.is_none()) {
        return;
    }
    let mut kept = Kept::default();
    let mut open = OpenLists::new(lists, &mut kept);
    for (&(page, extreme), values) in asked.iter().zip(values) {
        if let Some(extreme) = extreme {
            extreme.add_values(&plain[page][begin..], &mut open, seen, memory, values);
        }
    }
}

impl Lists<'_> {
    /// Some of them.
    fn part(&self, lists: Range<usize>) -> Self {
        let borders = lists.start..lists.end + 1;
        Self {
            offsets: &self.offsets[borders.clone()],
            ideal_offsets: &self.ideal_offsets[borders],
            retrieved: &self.retrieved[lists],
            ..*self
        }
    }

    /// Ranks and grades of the judged items of each list.
    pub fn rows(&self) -> impl Iterator<Item = (&[i64], &[f64])> {
        segments(self.offsets).map(|rows| (&self.rank[rows.clone()], &self.relevance[rows]))
    }

    /// The grades of all judged items of each query, best first.
    fn ideals(&self) -> impl Iterator<Item = &[f64]> {
        segments(self.ideal_offsets).map(|rows| &self.ideal[rows])
    }
}

/// The place of a page among those that there are, one more of which it may be.
fn place_of<'a>(page: &'a Page, pages: &mut Vec<&'a Page>) -> usize {
    pages.iter().position(|&known| known == page).unwrap_or_else(|| {
        pages.push(page);
        pages.len() - 1
    })
}

impl Page {
    /// Adds the values of some queries.
    fn add_values(&self, lists: &Lists<'_>, seen: &[Seen], values: &mut Vec<f64>) {
        match self {
            Self::Gains(gains) => {
                let rows = lists.rows().zip(lists.ideals());
                values.extend(rows.map(|(own, ideal)| gains.share(own, ideal)));
            }
            Self::Hits(hits) => hits.add_values(hits.seen(seen), values),
        }
    }
}

impl Gains {
    /// What a grade gains.
    pub fn of(&self, grade: f64) -> f64 {
        if self.binary { f64::from(grade > 0.0) } else { above_zero(grade) }
    }

    /// The gains of a list as a share of those of the ideal one.
    pub fn share(&self, own: (&[i64], &[f64]), ideal: &[f64]) -> f64 {
        match self.binary {
            true => self.share_of(own, ideal, |grade| f64::from(grade > 0.0)),
            false => self.share_of(own, ideal, above_zero),
        }
    }

    #[inline(always)]
    fn share_of(&self, (rank, relevance): (&[i64], &[f64]), ideal: &[f64], gain: impl Fn(f64) -> f64) -> f64 {
        let discounts = self.discounts.as_slice();
        let mut best = 0.0;
        for (&discount, &grade) in discounts.iter().zip(ideal) {
            best += gain(grade) * discount;
        }
        let mut sum = 0.0;
        match discounts.len().checked_sub(1) {
            // Adding nothing for items further down takes no branch that is told wrongly.
            Some(last) if rank.len() <= FEW => {
                for (&rank, &grade) in rank.iter().zip(relevance) {
                    let place = rank as usize - 1;
                    let discount = discounts[place.min(last)];
                    sum += gain(grade) * if place <= last { discount } else { 0.0 };
                }
            }
            // Ranks ascend, and none after the last discount gains anything.
            _ => {
                let own = rank.iter().map_while(|&rank| discounts.get(rank as usize - 1)).zip(relevance);
                own.for_each(|(discount, &grade)| sum += gain(grade) * discount);
            }
        }
        quotient(sum, best, best)
    }
}

/// A grade, or 0 where it is less.
fn above_zero(grade: f64) -> f64 {
    if grade > 0.0 { grade } else { 0.0 }
}

impl Hits {
    /// What is seen with its grade.
    pub fn seen<'a>(&self, all: &'a [Seen]) -> &'a Seen {
        all.iter().find(|seen| is_same(seen.rel, self.rel)).expect("one of each")
    }

    /// Adds the values of the queries that are seen.
    fn add_values(&self, seen: &Seen, values: &mut Vec<f64>) {
        let each = seen.starts.iter().zip(seen.within(self.cutoff)).zip(&seen.relevant);
        values.extend(each.map(|((&start, &within), &relevant)| {
            let ranks = &seen.ranks[start..start + within];
            self.over(self.found.of(ranks.iter().map(|&rank| rank as f64)), relevant)
        }));
    }

    /// The value where so much is found of so many relevant items.
    pub fn over(&self, found: f64, relevant: usize) -> f64 {
        // One step where numbers have a sign.
        let relevant = relevant as i64 as f64;
        quotient(found, self.denominator.unwrap_or(relevant), relevant)
    }
}

/// Items of a list up to which all are looked at, however few of them stand high enough.
pub const FEW: usize = 16;

/// What measures see of some queries who take items of a grade or better as relevant.
pub struct Seen {
    /// The least grade.
    rel: f64,
    /// The ranks of the relevant items of the lists, in each ascending, and beyond them anything.
    ranks: Vec<i64>,
    /// Where those of each list begin, and at the end their number.
    starts: Vec<usize>,
    /// The cutoffs that are asked for, and how many relevant items each leaves of each list.
    within: Vec<(i64, Vec<usize>)>,
    /// How many of the judged items of each query are relevant.
    relevant: Vec<usize>,
}

impl Seen {
    /// Those that some pages have, one of each grade.
    fn of_all(pages: &[&Page]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for page in pages {
            let &&Page::Hits(Hits { rel, cutoff, .. }) = page else { continue };
            let place = all.iter().position(|seen| is_same(seen.rel, rel)).unwrap_or(all.len());
            if place == all.len() {
                let (ranks, starts, within, relevant) = Default::default();
                all.push(Self { rel, ranks, starts, within, relevant });
            }
            let within = &mut all[place].within;
            if within.iter().all(|&(known, _)| known != cutoff) {
                within.push((cutoff, Vec::new()));
            }
        }
        all
    }

    /// Takes the next queries.
    fn take(&mut self, lists: &Lists<'_>) {
        let Self { rel, ranks, starts, within, relevant } = self;
        relevant.clear();
        relevant.extend(lists.ideals().map(|ideal| count_relevant(ideal, *rel)));
        ranks.resize(lists.rows().map(|(rank, _)| rank.len()).sum(), 0);
        starts.clear();
        within.iter_mut().for_each(|(_, counts)| counts.clear());
        let mut count = 0;
        for (rank, relevance) in lists.rows() {
            let start = count;
            for (&rank, &grade) in rank.iter().zip(relevance) {
                // Written in any case: without a branch there is none to mispredict.
                ranks[count] = rank;
                count += usize::from(grade >= *rel);
            }
            starts.push(start);
            let last = rank.last().copied().unwrap_or(0);
            for (cutoff, counts) in &mut *within {
                let all = last <= *cutoff;
                counts.push(if all { count - start } else { count_within(rank, relevance, *rel, *cutoff) });
            }
        }
        starts.push(count);
    }

    /// The same of one of these queries.
    pub fn level(&self, query: usize) -> Level<'_> {
        let ranks = &self.ranks[self.starts[query]..self.starts[query + 1]];
        Level { ranks, relevant: self.relevant[query] }
    }

    /// How many relevant items of each list stand at a rank up to one of the cutoffs.
    pub fn within(&self, cutoff: i64) -> &[usize] {
        let asked = self.within.iter().find(|&&(known, _)| known == cutoff);
        &asked.expect("one of each").1
    }
}

/// How many grades of so many items, whose ranks ascend, are as high as one or higher down to a cutoff.
fn count_within(rank: &[i64], relevance: &[f64], rel: f64, cutoff: i64) -> usize {
    if rank.len() > FEW {
        return count_relevant(&relevance[..rank.partition_point(|&rank| rank <= cutoff)], rel);
    }
    let mut count = 0;
    for (&rank, &grade) in rank.iter().zip(relevance) {
        count += usize::from((grade >= rel) & (rank <= cutoff));
    }
    count
}

fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// What measures see of one query who take items of a grade or better as relevant.
pub struct Level<'a> {
    /// The ranks of the relevant items of the list, ascending.
    pub ranks: &'a [i64],
    /// How many of the judged items are relevant.
    pub relevant: usize,
}

wide! {
    /// How many grades are as high as one, or higher.
    fn count_relevant(grades: &[f64], rel: f64) -> usize = count_relevant_any
}

#[inline(always)]
fn count_relevant_any(grades: &[f64], rel: f64) -> usize {
    let mut count = 0;
    for &grade in grades {
        count += usize::from(grade >= rel);
    }
    count
}

impl Found {
    /// It of the ranks of relevant items, ascending.
    pub fn of(self, mut ranks: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Precisions => {
                (1..).zip(ranks).fold(0.0, |sum, (place, rank)| sum + f64::from(place) / rank)
            }
            Self::First => ranks.next().map_or(0.0, |rank| 1.0 / rank),
            Self::Any => f64::from(ranks.next().is_some()),
            Self::Count => ranks.count() as i64 as f64,
        }
    }
}

/// Fewer lists cannot make certain that relevant items stand below others by no accident.
const LEAST_LISTS: usize = 9;

/// In how many lists the relevant items stand below the others on average, and in how many above; in none where there
/// are too few to be sure of anything.
///
/// `first` and `last` are the ranks that each item shares with its equals; both are its own where it has none.
pub fn order(
    (first, last): (&[i64], &[i64]),
    relevance: &[f64],
    offsets: &[i64],
    retrieved: &[i64],
) -> (usize, usize) {
    let (mut below, mut above) = (0, 0);
    if retrieved.len() < LEAST_LISTS {
        return (below, above);
    }
    for (rows, &retrieved) in segments(offsets).zip(retrieved) {
        let ranks = first[rows.clone()].iter().zip(&last[rows.clone()]);
        // Against the mean rank of all items, once for each relevant one; where all are relevant it is the same.
        let further_down = ranks.zip(&relevance[rows]).map(|((first, last), &grade)| {
            let further_down = first + last - retrieved - 1;
            if grade >= 1.0 { further_down } else { 0 }
        });
        let further_down: i64 = further_down.sum();
        below += usize::from(further_down > 0);
        above += usize::from(further_down < 0);
    }
    (below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: Lists<'_> = Lists {
        rank: &[1, 4, 2],
        relevance: &[1.0, 3.0, 0.0],
        offsets: &[0, 2, 3],
        ideal: &[3.0, 1.0, 1.0, 0.0],
        ideal_offsets: &[0, 3, 4],
        retrieved: &[4, 2],
    };

    fn hits(found: Found, cutoff: i64, denominator: Option<f64>) -> f64 {
        let hits = Hits { found, rel: 1.0, cutoff, denominator };
        compute(&[&Measure::Plain(Page::Hits(hits))], &LISTS)[0][0]
    }

    #[test]
    fn hits_are_counted_down_to_the_cutoff() {
        assert_eq!(hits(Found::Precisions, 10, None), (1.0 + 2.0 / 4.0) / 3.0);
        assert_eq!(hits(Found::First, 10, Some(1.0)), 1.0);
        assert_eq!(hits(Found::Any, 10, Some(1.0)), 1.0);
        assert_eq!(hits(Found::Count, 3, Some(3.0)), 1.0 / 3.0);
    }

    #[test]
    fn gains_are_a_share_of_the_best() {
        let discounts = vec![1.0, 0.5, 0.25];
        let gains = Gains { binary: false, discounts };
        let values = compute(&[&Measure::Plain(Page::Gains(gains))], &LISTS);
        assert_eq!(values[0][0], 1.0 / (3.0 + 0.5 + 0.25));
        assert!(values[0][1].is_nan());
    }

    #[test]
    fn what_stands_lower_than_the_mean_rank_is_below() {
        let offsets: Vec<i64> = (0..=LEAST_LISTS as i64).map(|list| list.min(3)).collect();
        let of_ranks = |ranks: [i64; 3]| order((&ranks, &ranks), &[1.0; 3], &offsets, &[3; LEAST_LISTS]);
        assert_eq!(of_ranks([3, 2, 1]), (1, 1));
        assert_eq!(of_ranks([3, 3, 2]), (2, 0));
    }

    #[test]
    fn of_a_few_lists_nothing_is_said() {
        assert_eq!(order((&[3], &[3]), &[1.0], &[0, 1], &[3]), (0, 0));
    }
}
