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
    /// Whether it does anywhere.
    pub ties: bool,
    /// Whether each judged item has a score of its own in its list.
    pub apart: bool,
    /// Of each measure its values; NaN where nothing is relevant.
    pub values: Vec<Vec<f64>>,
    /// What they come to.
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

/// The same of a run that comes in pieces.
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
        run: Source,
        choices: &Choices,
        measures: &[Arc<Measure>],
        cancelled: &AtomicBool,
    ) -> Result<bool> {
        self.pieces.add(run, choices, cancelled, &self.parts.consume(measures))
    }

    /// As [`Pieces::finish`].
    pub fn finish(
        self,
        choices: &Choices,
        measures: &[Arc<Measure>],
        cancelled: &AtomicBool,
    ) -> Result<Option<(Account, Observed)>> {
        let Self { pieces, parts } = self;
        let account = pieces.finish(choices, cancelled, &parts.consume(measures))?;
        Ok(account.map(|account| parts.whole(account, measures.len())))
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
        let whole = merged(parts, account.first_rows.len(), measures);
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
    let (totals, hits) = (Vec::new(), lists.rank.len());
    let ties = any_ties(&tied_rank);
    (queries, Observed { answered, retrieved, tied_rank, ties, apart, values, totals, hits, order })
}

/// Whether any list has ties that matter, by the `tied_rank` of each.
pub fn any_ties(tied_rank: &[i64]) -> bool {
    tied_rank.iter().any(|&rank| rank > 0)
}

/// Brings the queries of all parts, so many, into their order.
fn merged(mut parts: Vec<(Numbers, Observed)>, queries: usize, measures: usize) -> Observed {
    if let [(Numbers::Range(_), _)] = &parts[..] {
        let only = parts.swap_remove(0).1;
        return Observed { totals: only.values.iter().map(|values| total(values)).collect(), ..only };
    }
    parts.sort_unstable_by_key(|(numbers, _)| numbers.first());
    let parts = &parts[..];
    let ties = parts.iter().any(|(_, part)| part.ties);
    // No thread is to wait for another that does all of it.
    let (measured, (answered, retrieved, tied_rank)) = pool::both(
        || {
            pool::map(measures, |measure| {
                let values = placed(parts, queries, f64::NAN, |part| &part.values[measure]);
                let total = total(&values);
                (values, total)
            })
        },
        || {
            let answered = placed(parts, queries, false, |part| &part.answered);
            let retrieved = placed(parts, queries, 0, |part| &part.retrieved);
            // Zeros that nobody writes take no memory.
            let tied_rank = match ties {
                true => placed(parts, queries, 0, |part| &part.tied_rank),
                false => vec![0; queries],
            };
            (answered, retrieved, tied_rank)
        },
    );
    let (values, totals) = measured.into_iter().unzip();
    Observed {
        answered,
        retrieved,
        tied_rank,
        ties,
        apart: parts.iter().all(|(_, part)| part.apart),
        values,
        totals,
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
    if follow(parts, queries) {
        return parts.iter().map(|(_, part)| known(part)).collect::<Vec<_>>().concat();
    }
    let mut all = vec![none; queries];
    for (numbers, part) in parts {
        for (number, &value) in numbers.iter().zip(known(part)) {
            all[number as usize] = value;
        }
    }
    all
}

/// Whether the queries of some parts follow one another, so many from the first on.
fn follow(parts: &[(Numbers, Observed)], queries: usize) -> bool {
    let next = parts.iter().try_fold(0, |next, (numbers, _)| match numbers {
        Numbers::Range(range) => (range.start == next).then_some(range.end),
        Numbers::Each(_) => None,
    });
    next.is_some_and(|next| next as usize == queries)
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
        (
            numbers,
            Observed {
                answered,
                retrieved,
                tied_rank,
                ties: true,
                apart: true,
                values,
                totals,
                hits: 2,
                order,
            },
        )
    }

    #[test]
    fn queries_of_parts_come_into_their_order() {
        let parts =
            vec![part(Numbers::Each(vec![3, 0]), &[0.3, 0.0]), part(Numbers::Range(1..3), &[0.1, 0.2])];
        let whole = merged(parts, 4, 1);
        assert_eq!(whole.values, [[0.0, 0.1, 0.2, 0.3]]);
        assert_eq!(whole.totals, [total(&[0.0, 0.1, 0.2, 0.3])]);
        assert_eq!(whole.retrieved, [3; 4]);
        assert_eq!((whole.hits, whole.order), (4, (2, 0)));
    }
}
