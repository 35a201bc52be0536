//! From the places of judged items to judged lists: orders of ties that depend on grades, cuts, condensed lists.

use std::cmp::Ordering;

use crate::core::choices::Unjudged;
use crate::core::lists::dense::Place;
use crate::core::lists::judged_lists::{JudgedLists, Numbers};
use crate::core::lists::list::{Hit, Judge, Rules, first_mattering_tie};
use crate::core::ties::{Grade, Needs, Tied, Ties};

/// Some rows of which the judged items' places are known.
pub struct PlacedLists<'a> {
    /// How lists are ordered.
    pub rules: Rules,
    /// Items after which a list ends.
    pub cut: Option<i64>,
    /// The number of each row's query.
    pub queries: &'a [u32],
    /// How many items each list has.
    pub retrieved: &'a [i64],
    /// Where the judged items of each row begin, and at the end their number.
    pub offsets: &'a [i64],
    /// The grades of the judged items.
    pub grades: &'a [f64],
}

impl PlacedLists<'_> {
    /// The judged lists, and how long they would be if nothing cut them.
    pub fn judged(&self, places: impl Fn(usize) -> Place) -> (JudgedLists, Vec<i64>) {
        let mut lengths = Vec::with_capacity(self.retrieved.len());
        let mut lists =
            JudgedLists::new(Numbers::Each(self.queries.to_vec()), self.rules.ties.shares_ranks(), false);
        let mut judge = Judge::new(self.rules, None);
        let mut found: Vec<(Place, f64)> = Vec::new();
        for (borders, &length) in self.offsets.windows(2).zip(self.retrieved) {
            let judged = borders[0] as usize..borders[1] as usize;
            judge.take_ideal(&self.grades[judged.clone()]);
            found.clear();
            found.extend(
                judged.map(|at| (places(at), self.grades[at])).filter(|(place, _)| place.greater >= 0),
            );
            order(&mut found, self.rules.ties);
            judge.hits.clear();
            judge.hits.extend(found.iter().map(|&(Place { greater, equal, before }, relevance)| Hit {
                rank: (greater + before + 1) as u32,
                tied: (greater as u32 + 1, (greater + equal) as u32),
                relevance,
            }));
            let tied = self.tied_rank(&judge.hits);
            let cut = self.cut.map_or(length, |cut| cut.min(length));
            judge.hits.retain(|hit| i64::from(hit.rank) <= cut);
            judge.retrieved = cut as usize;
            if self.is_condensed() {
                judge.hits = condensed(&judge.hits);
                judge.retrieved = judge.hits.len();
            }
            lists.push(&judge, length > 0);
            if let Some(last) = lists.tied_rank.last_mut() {
                *last = tied.map_or(0, i64::from);
            }
            let whole = self.is_condensed() && self.cut.is_none();
            lengths.push(if whole { judge.retrieved as i64 } else { length });
        }
        (lists, lengths)
    }

    fn is_condensed(&self) -> bool {
        self.rules.unjudged == Unjudged::Ignore
    }

    /// The best rank at which tie-breaking decides something, also about who is above the cut.
    fn tied_rank(&self, hits: &[Hit]) -> Option<u32> {
        let among_judged = self.is_condensed().then(|| first_mattering_tie(&condensed(hits))).flatten();
        let all = !self.is_condensed() || self.cut.is_some();
        let of_all = all.then(|| first_mattering_tie(hits)).flatten();
        [among_judged, of_all].into_iter().flatten().min()
    }
}

/// Brings the judged items of a list into its order, and completes what is before each of them.
fn order(found: &mut [(Place, f64)], ties: Ties) {
    found.sort_unstable_by_key(|(place, _)| (place.greater, place.before));
    if ties.needs() != Needs::Grades {
        return;
    }
    let order = |a: Grade, b: Grade| ties.order(&TiedGrades(a, b));
    for group in found.chunk_by_mut(|(a, _), (b, _)| a.greater == b.greater) {
        group.sort_by(|a, b| order(Grade::of(a.1), Grade::of(b.1)));
        let unjudged = group[0].0.equal - group.len() as i64;
        for (number, (place, grade)) in group.iter_mut().enumerate() {
            let after_unjudged = order(Grade::of(*grade), Grade::UNJUDGED) == Ordering::Greater;
            place.before = number as i64 + if after_unjudged { unjudged } else { 0 };
        }
    }
}

/// Two items that are alike in all but their grades.
struct TiedGrades(Grade, Grade);

impl Tied for TiedGrades {
    fn by_item(&self) -> Ordering {
        Ordering::Equal
    }

    fn by_row(&self) -> Ordering {
        Ordering::Equal
    }

    fn by_grade(&self) -> Ordering {
        Grade::better(self.0, self.1)
    }

    fn by_lot(&self) -> Ordering {
        Ordering::Equal
    }
}

/// The list of the judged items alone.
fn condensed(hits: &[Hit]) -> Vec<Hit> {
    let mut condensed = Vec::with_capacity(hits.len());
    for group in hits.chunk_by(|a, b| a.tied == b.tied) {
        let first = condensed.len() as u32 + 1;
        let last = first + group.len() as u32 - 1;
        let ranked = group.iter().zip(first..);
        condensed.extend(ranked.map(|(hit, rank)| Hit {
            rank,
            tied: (first, last),
            relevance: hit.relevance,
        }));
    }
    condensed
}
