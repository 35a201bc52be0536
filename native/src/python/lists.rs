//! Judged lists: matched and ranked by the core, and handed to Python as flat arrays.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::core::lists::extremes::{Extreme, Search};
use crate::core::lists::list::Top;
use crate::core::lists::measures::{self, Found, Gains, Hits, Measure, Page};
use crate::core::lists::{judge, judged_lists};
use crate::python::choices::Chosen;
use crate::python::items::ItemNumbers;
use crate::python::running::{self, FEW_ROWS, interruptible, unlocked};
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

#[pymethods]
impl JudgedLists {
    /// What measures give, a value a query; of lists without shared ranks.
    fn compute<'py>(
        &self,
        py: Python<'py>,
        measures: Vec<Py<CompiledMeasure>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let (rank, relevance) = (self.rank.bind(py).readonly(), self.relevance.bind(py).readonly());
        let (offsets, ideal) = (self.offsets.bind(py).readonly(), self.ideal.bind(py).readonly());
        let (ideal_offsets, retrieved) =
            (self.ideal_offsets.bind(py).readonly(), self.retrieved.bind(py).readonly());
        let lists = measures::Lists {
            rank: rank.as_slice()?,
            relevance: relevance.as_slice()?,
            offsets: offsets.as_slice()?,
            ideal: ideal.as_slice()?,
            ideal_offsets: ideal_offsets.as_slice()?,
            retrieved: retrieved.as_slice()?,
        };
        let values = unlocked(py, || {
            let measures: Vec<_> = measures.iter().map(|measure| &*measure.get().0).collect();
            measures::compute(&measures, &lists)
        })?;
        Ok(values.into_iter().map(|each| each.into_pyarray(py)).collect())
    }

    /// In how many lists relevant items stand below the others, and in how many above; in none of a few.
    fn order(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        let (rank, relevance) = (self.rank.bind(py).readonly(), self.relevance.bind(py).readonly());
        let (offsets, retrieved) = (self.offsets.bind(py).readonly(), self.retrieved.bind(py).readonly());
        let (relevance, offsets, retrieved) =
            (relevance.as_slice()?, offsets.as_slice()?, retrieved.as_slice()?);
        let ties = self.tied_first.as_ref().zip(self.tied_last.as_ref());
        let (first, last) = match ties {
            Some((first, last)) => (first.bind(py).readonly(), last.bind(py).readonly()),
            None => (rank.clone(), rank),
        };
        let ranks = (first.as_slice()?, last.as_slice()?);
        unlocked(py, || measures::order(ranks, relevance, offsets, retrieved))
    }
}

/// A measure that the core computes: `JudgedLists.compute` and `CompiledGroup`.
#[pyclass(frozen, module = "rankmark._native")]
pub struct CompiledMeasure(pub Arc<Measure>);

#[pymethods]
impl CompiledMeasure {
    /// Gains as a share of those of the ideal list.
    #[staticmethod]
    fn gains(binary: bool, discounts: Vec<f64>) -> Self {
        Self::plain(Page::Gains(Gains { binary, discounts }))
    }

    /// What is `found` of relevant items, ``precisions``, ``first``, ``any`` or ``count``, over a number; over that of
    /// all relevant items without one.
    #[staticmethod]
    #[pyo3(signature = (found, rel, cutoff, denominator=None))]
    fn hits(found: Chosen<Found>, rel: f64, cutoff: Option<i64>, denominator: Option<f64>) -> Self {
        let cutoff = cutoff.unwrap_or(i64::MAX);
        Self::plain(Page::Hits(Hits { found: found.0, rel, cutoff, denominator }))
    }

    /// How low, or how ``highest``, it can be, whatever the items are that nobody judged; None where the core does not
    /// look for that as its page says, ``ends``, ``counts``, ``found`` or ``gains``.
    ///
    /// `grade` is the highest that an item can have, if it is said, and `otherwise` what a query with nothing relevant
    /// is.
    fn extreme(
        &self,
        search: Chosen<Search>,
        highest: bool,
        grade: Option<f64>,
        otherwise: f64,
    ) -> Option<Self> {
        let Measure::Plain(page) = &*self.0 else { return None };
        let extreme = Extreme::new(page.clone(), search.0, highest, grade, otherwise)?;
        Some(Self(Arc::new(Measure::Extreme(extreme))))
    }
}

impl CompiledMeasure {
    fn plain(page: Page) -> Self {
        Self(Arc::new(Measure::Plain(page)))
    }
}

/// A table, what messages call it, and the names of its query, item, value and rank columns.
///
/// Judgements without items say only which queries there are.
pub type Columns<'py> = (Bound<'py, Table>, String, String, Option<String>, Option<String>, Option<String>);

pub fn source(columns: Columns<'_>) -> judge::Source {
    let (table, name, query, item, value, rank) = columns;
    judge::Source { table: table.get().0.clone(), name, query, item, value, rank }
}

/// How lists are judged, of the `Choices` of Python.
pub struct ListChoices(pub judge::Choices);

impl<'py> FromPyObject<'_, 'py> for ListChoices {
    type Error = PyErr;

    fn extract(choices: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = choices.py();
        Ok(Self(judge::Choices {
            ties: choices.getattr(intern!(py, "ties"))?.extract::<Chosen<_>>()?.0,
            seed: choices.getattr(intern!(py, "seed"))?.extract()?,
            duplicates: choices.getattr(intern!(py, "duplicates"))?.extract::<Chosen<_>>()?.0,
            unjudged: choices.getattr(intern!(py, "unjudged"))?.extract::<Chosen<_>>()?.0,
            unjudged_queries: choices.getattr(intern!(py, "unjudged_queries"))?.extract::<Chosen<_>>()?.0,
            scores: choices.getattr(intern!(py, "scores"))?.extract::<Chosen<_>>()?.0,
        }))
    }
}

/// How many threads are to judge these, if so many are asked for and 0 stands for all cores.
pub fn threads_for(qrels: &judge::Source, run: &judge::Source, asked: usize) -> usize {
    running::threads(asked, run.table.num_rows().max(qrels.table.num_rows()) < FEW_ROWS)
}

/// Matches a run with the judgements and ranks it; `threads=0` means all cores.
///
/// `consume` is called with `JudgedLists` of some queries at a time, by any thread and in any order, or once
/// for all queries where `whole` is asked for. Gives the
/// first row of each judged query in the judgements, and the number of queries that are not judged.
/// `top` keeps so many items from the top of each list, by their numbers.
#[pyfunction]
#[pyo3(signature = (qrels, run, consume, choices, *, whole=false, threads=0, top=None))]
#[expect(clippy::too_many_arguments, reason = "each has a name of its own")]
pub fn judge_lists<'py>(
    py: Python<'py>,
    qrels: Columns<'py>,
    run: Columns<'py>,
    consume: Py<PyAny>,
    choices: ListChoices,
    whole: bool,
    threads: usize,
    top: Option<(Py<ItemNumbers>, usize)>,
) -> PyResult<(Bound<'py, PyArray1<u32>>, usize)> {
    let (qrels, run) = (source(qrels), source(run));
    let threads = threads_for(&qrels, &run, threads);
    let top = top.map(|(items, depth)| (Arc::clone(&items.get().0), depth));
    let raised = Raised::default();
    let of_consume = Raised::clone(&raised);
    let account = interruptible(py, threads, move |cancelled| {
        let consume = |lists: judged_lists::JudgedLists| {
            let Some(first) = lists.queries.first() else { return };
            of_consume.keep(first, |py| consume.call1(py, (JudgedLists::new(py, lists),)));
        };
        let top = top.as_ref().map(|(items, depth)| Top { items, depth: *depth });
        judge::judge(&qrels, &run, &choices.0, top, whole, cancelled, &consume)
    })?;
    raised.raise()?;
    Ok((account.first_rows.into_pyarray(py), account.unjudged_queries))
}

/// What is thrown by Python where it is handed the lists of some queries, with the first of these.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<(u32, PyErr)>>>);

impl Raised {
    /// Calls into Python with the lists of queries from `first` on; of all exceptions that of the first queries is kept.
    pub fn keep(&self, first: u32, call: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        Python::attach(|py| {
            if let Err(error) = call(py) {
                let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if raised.as_ref().is_none_or(|&(earlier, _)| first < earlier) {
                    *raised = Some((first, error));
                }
            }
        });
    }

    /// Raises what was kept.
    pub fn raise(&self) -> PyResult<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}
