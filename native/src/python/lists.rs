//! Judged lists: matched and ranked by the core, and handed to Python as flat arrays.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::core::choices::{Duplicates, Scores, Unjudged, UnjudgedQueries};
use crate::core::lists::list::Top;
use crate::core::lists::{judge, judged_lists};
use crate::core::ties::Ties;
use crate::python::choices::Chosen;
use crate::python::items::ItemNumbers;
use crate::python::running::{self, FEW_ROWS, interruptible};
use crate::python::tables::Table;

/// The numbers of the items at the top of lists, whether each ties with the next, and the offsets.
type Firsts = (Py<PyArray1<i32>>, Py<PyArray1<bool>>, Py<PyArray1<i64>>);

/// The judged lists of some queries as flat arrays; `queries` is a slice or an array of their numbers.
///
/// `first` is there where items were kept.
#[pyclass(frozen, get_all, module = "rankmark._native")]
pub struct JudgedLists {
    queries: Py<PyAny>,
    rank: Py<PyArray1<i64>>,
    tied_first: Option<Py<PyArray1<i64>>>,
    tied_last: Option<Py<PyArray1<i64>>>,
    relevance: Py<PyArray1<f64>>,
    offsets: Py<PyArray1<i64>>,
    ideal: Py<PyArray1<f64>>,
    ideal_offsets: Py<PyArray1<i64>>,
    retrieved: Py<PyArray1<i64>>,
    answered: Py<PyArray1<bool>>,
    tied_rank: Py<PyArray1<i64>>,
    first: Option<Firsts>,
}

impl JudgedLists {
    /// The arrays of Python.
    pub fn new(py: Python<'_>, lists: judged_lists::JudgedLists) -> Self {
        let queries = match lists.queries {
            judged_lists::Numbers::Range(range) => {
                PySlice::new(py, range.start as isize, range.end as isize, 1).into_any()
            }
            judged_lists::Numbers::Each(numbers) => numbers.into_pyarray(py).into_any(),
        };
        let (tied_first, tied_last) = lists.tied.unzip();
        Self {
            queries: queries.unbind(),
            rank: lists.rank.into_pyarray(py).unbind(),
            tied_first: tied_first.map(|first| first.into_pyarray(py).unbind()),
            tied_last: tied_last.map(|last| last.into_pyarray(py).unbind()),
            relevance: lists.relevance.into_pyarray(py).unbind(),
            offsets: lists.offsets.into_pyarray(py).unbind(),
            ideal: lists.ideal.into_pyarray(py).unbind(),
            ideal_offsets: lists.ideal_offsets.into_pyarray(py).unbind(),
            retrieved: lists.retrieved.into_pyarray(py).unbind(),
            answered: lists.answered.into_pyarray(py).unbind(),
            tied_rank: lists.tied_rank.into_pyarray(py).unbind(),
            first: lists.first.map(|first| {
                (
                    first.items.into_pyarray(py).unbind(),
                    first.tied.into_pyarray(py).unbind(),
                    first.offsets.into_pyarray(py).unbind(),
                )
            }),
        }
    }
}

/// A table, what messages call it, and the names of its query, item, value and rank columns.
///
/// Judgements without items say only which queries there are.
type Columns<'py> = (Bound<'py, Table>, String, String, Option<String>, Option<String>, Option<String>);

fn source(columns: Columns<'_>) -> judge::Source {
    let (table, name, query, item, value, rank) = columns;
    judge::Source { table: table.get().0.clone(), name, query, item, value, rank }
}

/// Matches a run with the judgements and ranks it; `threads=0` means all cores.
///
/// `consume` is called with `JudgedLists` of some queries at a time, by any thread and in any order, or once
/// for all queries where `whole` is asked for. Gives the
/// first row of each judged query in the judgements, and the number of queries that are not judged.
/// `top` keeps so many items from the top of each list, by their numbers.
#[pyfunction]
#[pyo3(signature = (qrels, run, consume, *, ties, seed, duplicates, unjudged, unjudged_queries, scores, whole, threads, top=None))]
#[expect(clippy::too_many_arguments, reason = "each is a choice with a name of its own")]
pub fn judge_lists<'py>(
    py: Python<'py>,
    qrels: Columns<'py>,
    run: Columns<'py>,
    consume: Py<PyAny>,
    ties: Chosen<Ties>,
    seed: u64,
    duplicates: Chosen<Duplicates>,
    unjudged: Chosen<Unjudged>,
    unjudged_queries: Chosen<UnjudgedQueries>,
    scores: Chosen<Scores>,
    whole: bool,
    threads: usize,
    top: Option<(Py<ItemNumbers>, usize)>,
) -> PyResult<(Bound<'py, PyArray1<u32>>, usize)> {
    let choices = judge::Choices {
        ties: ties.0,
        seed,
        duplicates: duplicates.0,
        unjudged: unjudged.0,
        unjudged_queries: unjudged_queries.0,
        scores: scores.0,
    };
    let (qrels, results) = (source(qrels), source(run));
    let small = results.table.num_rows().max(qrels.table.num_rows()) < FEW_ROWS;
    let top = top.map(|(items, depth)| (Arc::clone(&items.get().0), depth));
    let raised = Arc::new(Mutex::new(None));
    let first_raised = Arc::clone(&raised);
    let account = interruptible(py, running::threads(threads, small), move |cancelled| {
        let consume = |lists| hand_over(&consume, lists, &first_raised);
        let top = top.as_ref().map(|(items, depth)| Top { items, depth: *depth });
        judge::judge(&qrels, &results, &choices, top, whole, cancelled, &consume)
    })?;
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some((_, error)) => Err(error),
        None => Ok((account.first_rows.into_pyarray(py), account.unjudged_queries)),
    }
}

/// An exception raised for some queries, and the first of them.
type Raised = Mutex<Option<(u32, PyErr)>>;

/// Calls `consume` with the lists; of all exceptions that of the first queries is kept.
fn hand_over(consume: &Py<PyAny>, lists: judged_lists::JudgedLists, raised: &Raised) {
    let Some(first) = lists.queries.first() else { return };
    Python::attach(|py| {
        if let Err(error) = consume.call1(py, (JudgedLists::new(py, lists),)) {
            let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
            if raised.as_ref().is_none_or(|&(earlier, _)| first < earlier) {
                *raised = Some((first, error));
            }
        }
    });
}
