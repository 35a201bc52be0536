//! What measures give for queries, where the core computes all of them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::core::error::Result;
use crate::core::lists::judge::{Account, Choices, Consume, Pieces, Source, judge};
use crate::core::lists::judged_lists::{JudgedLists, Numbers};
use crate::core::lists::measures::{self, Measure};
use crate::core::lists::values::{Total, total};
use crate::core::pool;

/// What is kept of each query when its list has been judged, one value a query.
#[derive(Default)]
pub struct Observed {
    /// Whether it has results.
    pub answered: Vec<bool>,
    /// Items in its list.
    pub retrieved: Vec<i64>,
    /// The best rank at which tie-breaking decides between different grades; 0 where it nowhere does.
    pub tied_rank: Vec<i64>,
    /// Whether each judged item has a score of its own in its list.
    pub apart: bool,
    /// Of each measure its values; NaN where nothing is relevant.
    pub values: Vec<Vec<f64>>,
    /// What those that are defined come to; none of a part of the queries.
    pub totals: Vec<Total>,
    /// Judged items in all lists.
    pub hits: usize,
    /// In how many lists relevant items stand below the others, and in how many above.
    pub order: (usize, usize),
}

/// Judges the lists of a run, in an order in which no ranks are shared, and computes measures of them.
///
/// # Errors
/// As [`judge`].
pub fn observe(
    qrels: &Source,
    run: &Source,
    choices: &Choices,
    measures: &[Arc<Measure>],
    cancelled: &AtomicBool,
) -> Result<(Account, Observed)> {
    let parts = Parts::default();
    let account = judge(qrels, run, choices, None, false, cancelled, &parts.consume(measures))?;
    Ok(parts.whole(account, measures.len()))
}

/// The same of a run that comes in pieces, each of whole queries.
pub struct InPieces {
    pieces: Pieces,
    parts: Parts,
}

impl InPieces {
    /// As [`Pieces::new`].
    pub fn new(qrels: Source) -> Result<Option<Self>> {
        Ok(Pieces::new(qrels)?.map(|pieces| Self { pieces, parts: Parts::default() }))
    }

    /// As [`Pieces::add`].
    pub fn add(
        &mut self,
        run: &Source,
        choices: &Choices,
        measures: &[Arc<Measure>],
        cancelled: &AtomicBool,
    ) -> Result<bool> {
        self.pieces.add(run, choices, cancelled, &self.parts.consume(measures))
    }

    /// As [`Pieces::finish`].
    pub fn finish(
        self,
        run: &Source,
        choices: &Choices,
        measures: &[Arc<Measure>],
        cancelled: &AtomicBool,
    ) -> Result<(Account, Observed)> {
        let Self { pieces, parts } = self;
        let account = pieces.finish(run, choices, cancelled, &parts.consume(measures))?;
        Ok(parts.whole(account, measures.len()))
    }
}

/// What is known of some queries each, of which any thread adds more.
#[derive(Default)]
struct Parts(Mutex<Vec<(Numbers, Observed)>>);

impl Parts {
    /// Takes in what measures give for lists.
    fn consume(&self, measures: &[Arc<Measure>]) -> impl Consume {
        move |lists| {
            let part = of_part(lists, measures);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        }
    }

    /// All queries of an account.
    fn whole(self, account: Account, measures: usize) -> (Account, Observed) {
        let parts = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut whole = merged(parts, account.first_rows.len(), measures);
        whole.totals = pool::map(measures, |measure| total(&whole.values[measure]));
        (account, whole)
    }
}

fn of_part(lists: JudgedLists, measures: &[Arc<Measure>]) -> (Numbers, Observed) {
    let flat = measures::Lists {
        rank: &lists.rank,
        relevance: &lists.relevance,
        offsets: &lists.offsets,
        ideal: &lists.ideal,
        ideal_offsets: &lists.ideal_offsets,
        retrieved: &lists.retrieved,
    };
    let asked: Vec<&Measure> = measures.iter().map(Arc::as_ref).collect();
    let values = measures::compute(&asked, &flat);
    let order =
        measures::order((&lists.rank, &lists.rank), &lists.relevance, &lists.offsets, &lists.retrieved);
    let JudgedLists { queries, answered, retrieved, tied_rank, apart, .. } = lists;
    let (hits, totals) = (lists.rank.len(), Vec::new());
    (queries, Observed { answered, retrieved, tied_rank, apart, values, totals, hits, order })
}

/// Brings the queries of all parts, so many, into their order.
fn merged(mut parts: Vec<(Numbers, Observed)>, queries: usize, measures: usize) -> Observed {
    if let [(Numbers::Range(_), _)] = &parts[..] {
        return parts.swap_remove(0).1;
    }
    let parts = &parts[..];
    Observed {
        answered: placed(parts, queries, false, |part| &part.answered),
        retrieved: placed(parts, queries, 0, |part| &part.retrieved),
        tied_rank: placed(parts, queries, 0, |part| &part.tied_rank),
        apart: parts.iter().all(|(_, part)| part.apart),
        // Most of what is brought together, so that no thread is to wait for another that does all of it.
        values: pool::map(measures, |measure| placed(parts, queries, f64::NAN, |part| &part.values[measure])),
        totals: Vec::new(),
        hits: parts.iter().map(|(_, part)| part.hits).sum(),
        order: parts
            .iter()
            .fold((0, 0), |(below, above), (_, part)| (below + part.order.0, above + part.order.1)),
    }
}

/// What is known of the queries of all parts, each where its number says; `none` of others.
fn placed<T: Copy>(
    parts: &[(Numbers, Observed)],
    queries: usize,
    none: T,
    known: impl Fn(&Observed) -> &[T],
) -> Vec<T> {
    let mut all = vec![none; queries];
    for (numbers, part) in parts {
        match numbers {
            Numbers::Range(range) => {
                all[range.start as usize..range.end as usize].copy_from_slice(known(part))
            }
            Numbers::Each(numbers) => {
                for (&number, &value) in numbers.iter().zip(known(part)) {
                    all[number as usize] = value;
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(numbers: Numbers, values: &[f64]) -> (Numbers, Observed) {
        let answered = vec![true; values.len()];
        let retrieved = vec![3; values.len()];
        let tied_rank = vec![1; values.len()];
        let values = vec![values.to_vec()];
        let (totals, order) = (Vec::new(), (1, 0));
        (numbers, Observed { answered, retrieved, tied_rank, apart: true, values, totals, hits: 2, order })
    }

    #[test]
    fn queries_of_parts_come_into_their_order() {
        let parts =
            vec![part(Numbers::Each(vec![3, 0]), &[0.3, 0.0]), part(Numbers::Range(1..3), &[0.1, 0.2])];
        let whole = merged(parts, 4, 1);
        assert_eq!(whole.values, [[0.0, 0.1, 0.2, 0.3]]);
        assert_eq!(whole.retrieved, [3; 4]);
        assert_eq!((whole.hits, whole.order), (4, (2, 0)));
    }
}
