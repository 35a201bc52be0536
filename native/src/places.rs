//! From the places of judged items to judged lists: orders of ties that depend on grades, cuts, condensed lists.

use std::cmp::Ordering;

use crate::dense::Place;
use crate::judged::{JudgedLists, Numbers};
use crate::list::{Hit, Judge, Rules, Ties, first_mattering_tie};

/// What is to be made of the places.
pub struct Plan<'a> {
    /// How lists are ordered.
    pub rules: Rules,
    /// Whether the ranks that tied items share are wanted.
    pub tie_groups: bool,
    /// Items after which a list ends.
    pub cut: Option<i64>,
    /// The number of each row's query.
    pub queries: &'a [u32],
    /// Where the judged items of each row begin, and at the end their number.
    pub offsets: &'a [i64],
    /// The grades of the judged items.
    pub grades: &'a [f64],
}

/// The judged lists of some rows, of which the judged items' places and the lengths are known; and how long
/// they would be if nothing cut them.
pub fn lists(places: impl Fn(usize) -> Place, retrieved: &[i64], plan: &Plan<'_>) -> (JudgedLists, Vec<i64>) {
    let mut lengths = Vec::with_capacity(retrieved.len());
    let mut lists = JudgedLists::new(Numbers::Each(plan.queries.to_vec()), plan.tie_groups);
    let mut judge = Judge::new(plan.rules);
    let mut found: Vec<(Place, f64)> = Vec::new();
    for (borders, &length) in plan.offsets.windows(2).zip(retrieved) {
        let judged = borders[0] as usize..borders[1] as usize;
        judge.take_ideal(&plan.grades[judged.clone()]);
        found.clear();
        found.extend(judged.map(|at| (places(at), plan.grades[at])).filter(|(place, _)| place.greater >= 0));
        order(&mut found, plan.rules.ties);
        judge.hits.clear();
        judge.hits.extend(found.iter().map(|&(Place { greater, equal, before }, relevance)| Hit {
            rank: (greater + before + 1) as u32,
            tied: (greater as u32 + 1, (greater + equal) as u32),
            relevance,
        }));
        let tied = tied_rank(&judge.hits, plan);
        let cut = plan.cut.map_or(length, |cut| cut.min(length));
        judge.hits.retain(|hit| i64::from(hit.rank) <= cut);
        judge.retrieved = cut as usize;
        if plan.rules.condensed {
            judge.hits = condensed(&judge.hits);
            judge.retrieved = judge.hits.len();
        }
        lists.push(&judge, length > 0);
        if let Some(last) = lists.tied_rank.last_mut() {
            *last = tied.map_or(0, i64::from);
        }
        let whole = plan.rules.condensed && plan.cut.is_none();
        lengths.push(if whole { judge.retrieved as i64 } else { length });
    }
    (lists, lengths)
}

/// The best rank at which tie-breaking decides something, also about who is above the cut.
fn tied_rank(hits: &[Hit], plan: &Plan<'_>) -> Option<u32> {
    let among_judged = plan.rules.condensed.then(|| first_mattering_tie(&condensed(hits))).flatten();
    let of_all = (!plan.rules.condensed || plan.cut.is_some()).then(|| first_mattering_tie(hits)).flatten();
    [among_judged, of_all].into_iter().flatten().min()
}

/// Brings the judged items of a list into its order, and completes what is before each of them.
fn order(found: &mut [(Place, f64)], ties: Ties) {
    found.sort_unstable_by_key(|(place, _)| (place.greater, place.before));
    if !matches!(ties, Ties::Best | Ties::Worst) {
        return;
    }
    // An unjudged item is of grade 0; of it and an item judged 0, the judged one is the better.
    let better = |a: (f64, bool), b: (f64, bool)| {
        let order = b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        if ties == Ties::Best { order } else { order.reverse() }
    };
    for group in found.chunk_by_mut(|(a, _), (b, _)| a.greater == b.greater) {
        group.sort_by(|a, b| better((a.1, true), (b.1, true)));
        let unjudged = group[0].0.equal - group.len() as i64;
        for (number, (place, grade)) in group.iter_mut().enumerate() {
            let after_unjudged = better((*grade, true), (0.0, false)) == Ordering::Greater;
            place.before = number as i64 + if after_unjudged { unjudged } else { 0 };
        }
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
