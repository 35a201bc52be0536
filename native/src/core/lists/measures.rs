//! Measures that most people ask for, computed as their pages in Python compute them, to the last bit.

use crate::core::choices::Choice;
use crate::core::lists::extremes::{Extreme, Memory, OpenList};
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

/// The values of measures, each of each query; NaN where nothing is relevant.
pub fn compute(measures: &[&Measure], lists: &Lists<'_>) -> Vec<Vec<f64>> {
    let mut levels = levels(measures);
    // How low and how high a measure can be is found from its value, which is computed once.
    let mut pages: Vec<&Page> = Vec::new();
    let asked: Vec<_> =
        measures.iter().map(|each| (place_of(each.page(), &mut pages), each.extreme())).collect();
    let open = asked.iter().any(|(_, extreme)| extreme.is_some());
    let (mut memory, mut judged, mut plain) = (Memory::default(), Default::default(), Vec::new());
    let mut values = vec![Vec::with_capacity(lists.offsets.len()); measures.len()];
    let rows = segments(lists.offsets).zip(segments(lists.ideal_offsets));
    for ((own, all), &retrieved) in rows.zip(lists.retrieved) {
        let own = (&lists.rank[own.clone()], &lists.relevance[own]);
        let ideal = &lists.ideal[all];
        levels.iter_mut().for_each(|level| level.take(own, ideal));
        plain.clear();
        plain.extend(pages.iter().map(|page| page.value(own, ideal, &levels)));
        let list = open.then(|| OpenList::new(own, ideal, retrieved, &mut judged));
        for (&(page, extreme), values) in asked.iter().zip(&mut values) {
            values.push(match (extreme, &list) {
                (Some(extreme), Some(list)) => extreme.value(plain[page], list, &mut memory, &levels),
                _ => plain[page],
            });
        }
    }
    values
}

/// The place of a page among those that there are, one more of which it may be.
fn place_of<'a>(page: &'a Page, pages: &mut Vec<&'a Page>) -> usize {
    pages.iter().position(|&known| known == page).unwrap_or_else(|| {
        pages.push(page);
        pages.len() - 1
    })
}

impl Page {
    /// The value of one query.
    fn value(&self, own: (&[i64], &[f64]), ideal: &[f64], levels: &[Level]) -> f64 {
        match self {
            Self::Gains(gains) => gains.share(own, ideal),
            Self::Hits(hits) => hits.value(hits.level(levels)),
        }
    }
}

impl Gains {
    /// What a grade gains.
    pub fn of(&self, grade: f64) -> f64 {
        if self.binary { f64::from(grade > 0.0) } else { grade.max(0.0) }
    }

    /// The gains of a list as a share of those of the ideal one.
    pub fn share(&self, (rank, relevance): (&[i64], &[f64]), ideal: &[f64]) -> f64 {
        // Ranks ascend, and none after the last discount gains anything.
        let own = rank.iter().map_while(|&rank| self.discounts.get(rank as usize - 1)).zip(relevance);
        let total = |sum: f64, (discount, &grade): (&f64, &f64)| sum + self.of(grade) * discount;
        let best = self.discounts.iter().zip(ideal).fold(0.0, total);
        quotient(own.fold(0.0, total), best, best)
    }
}

impl Hits {
    /// What is seen of a query with its grade.
    pub fn level<'a>(&self, levels: &'a [Level]) -> &'a Level {
        levels.iter().find(|level| level.is(self.rel)).expect("one of each")
    }

    fn value(&self, level: &Level) -> f64 {
        let seen = level.ranks().iter().take_while(|&&rank| rank <= self.cutoff);
        self.over(self.found.of(seen.map(|&rank| rank as f64)), level.relevant)
    }

    /// The value where so much is found of so many relevant items.
    pub fn over(&self, found: f64, relevant: usize) -> f64 {
        let relevant = relevant as f64;
        quotient(found, self.denominator.unwrap_or(relevant), relevant)
    }
}

/// What measures see of one query who take items of a grade or better as relevant.
pub struct Level {
    /// The least grade.
    rel: f64,
    /// The ranks of the relevant items of the list, ascending, and beyond them anything.
    ranks: Vec<i64>,
    /// How many they are.
    count: usize,
    /// How many of the judged items are relevant.
    pub relevant: usize,
}

/// Those that some measures have, one each.
fn levels(measures: &[&Measure]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for measure in measures {
        if let &Page::Hits(Hits { rel, .. }) = measure.page()
            && !levels.iter().any(|level| level.is(rel))
        {
            levels.push(Level { rel, ranks: Vec::new(), count: 0, relevant: 0 });
        }
    }
    levels
}

impl Level {
    fn is(&self, rel: f64) -> bool {
        self.rel.to_bits() == rel.to_bits()
    }

    /// Takes the next query.
    fn take(&mut self, (rank, relevance): (&[i64], &[f64]), ideal: &[f64]) {
        if self.ranks.len() < rank.len() {
            self.ranks.resize(rank.len(), 0);
        }
        let (ranks, mut count) = (&mut self.ranks[..rank.len()], 0);
        for (&rank, &grade) in rank.iter().zip(relevance) {
            // Written in any case: without a branch there is none to mispredict.
            ranks[count] = rank;
            count += usize::from(grade >= self.rel);
        }
        (self.count, self.relevant) = (count, count_relevant(ideal, self.rel));
    }

    /// The ranks of the relevant items of the list, ascending.
    pub fn ranks(&self) -> &[i64] {
        &self.ranks[..self.count]
    }
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
            Self::Count => ranks.count() as f64,
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
