//! Measures that most people ask for, computed as their pages in Python compute them, to the last bit.

use crate::core::choices::Choice;
use crate::core::lists::segments::segments;
use crate::core::lists::values::quotient;

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
}

/// What is found of the relevant items of a list.
#[derive(Clone, Copy)]
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
    /// The gains of grades, each times the discount of its rank, as a share of those of the ideal list.
    Gains {
        /// Whether every grade above 0 gains 1, or itself.
        binary: bool,
        /// The discounts of the ranks from 1; further ranks gain nothing.
        discounts: Vec<f64>,
    },
    /// What is found of the items of a grade or better, over a number.
    Hits {
        /// What is found.
        found: Found,
        /// The least grade.
        rel: f64,
        /// The last rank that is looked at.
        cutoff: i64,
        /// The number; how many such items are judged if None.
        denominator: Option<f64>,
    },
}

impl Measure {
    /// The value of each query; NaN where nothing is relevant.
    pub fn compute(&self, lists: &Lists<'_>) -> Vec<f64> {
        let queries = segments(lists.offsets).zip(segments(lists.ideal_offsets));
        let each = queries.map(|(own, all)| {
            let items = lists.rank[own.clone()].iter().copied().zip(lists.relevance[own].iter().copied());
            self.of_one(items, &lists.ideal[all])
        });
        each.collect()
    }

    fn of_one(&self, items: impl Iterator<Item = (i64, f64)>, ideal: &[f64]) -> f64 {
        match self {
            Self::Gains { binary, discounts } => {
                let gain = |grade: f64| if *binary { f64::from(grade > 0.0) } else { grade.max(0.0) };
                let discount = |rank: i64| discounts.get(rank as usize - 1).copied().unwrap_or(0.0);
                let total = |sum: f64, (rank, grade)| sum + gain(grade) * discount(rank);
                let best = (1..).zip(ideal.iter().copied().take(discounts.len())).fold(0.0, total);
                quotient(items.fold(0.0, total), best, best)
            }
            &Self::Hits { found, rel, cutoff, denominator } => {
                let hits = items.filter(|&(rank, grade)| grade >= rel && rank <= cutoff);
                let hits = hits.map(|(rank, _)| rank as f64);
                let relevant = ideal.iter().filter(|&&grade| grade >= rel).count() as f64;
                quotient(found.of(hits), denominator.unwrap_or(relevant), relevant)
            }
        }
    }
}

impl Found {
    fn of(self, mut ranks: impl Iterator<Item = f64>) -> f64 {
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
/// `twice` is twice the rank of each item, its mean where equal scores share some.
pub fn order(
    twice: impl Fn(usize) -> i64,
    relevance: &[f64],
    offsets: &[i64],
    retrieved: &[i64],
) -> (usize, usize) {
    let (mut below, mut above) = (0, 0);
    if retrieved.len() < LEAST_LISTS {
        return (below, above);
    }
    for (rows, &retrieved) in segments(offsets).zip(retrieved) {
        let relevant = rows.filter(|&row| relevance[row] >= 1.0);
        // Against the mean rank of all items, once for each relevant one; where all are relevant it is the same.
        let further_down: i64 = relevant.map(|row| twice(row) - retrieved - 1).sum();
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
    };

    fn hits(found: Found, cutoff: i64, denominator: Option<f64>) -> f64 {
        Measure::Hits { found, rel: 1.0, cutoff, denominator }.compute(&LISTS)[0]
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
        let values = Measure::Gains { binary: false, discounts }.compute(&LISTS);
        assert_eq!(values[0], 1.0 / (3.0 + 0.5 + 0.25));
        assert!(values[1].is_nan());
    }

    #[test]
    fn what_stands_lower_than_the_mean_rank_is_below() {
        let offsets: Vec<i64> = (0..=LEAST_LISTS as i64).map(|list| list.min(3)).collect();
        let of_ranks = |ranks: [i64; 3]| order(|row| 2 * ranks[row], &[1.0; 3], &offsets, &[3; LEAST_LISTS]);
        assert_eq!(of_ranks([3, 2, 1]), (1, 1));
        assert_eq!(of_ranks([3, 3, 2]), (2, 0));
    }

    #[test]
    fn of_a_few_lists_nothing_is_said() {
        assert_eq!(order(|_| 6, &[1.0], &[0, 1], &[3]), (0, 0));
    }
}
