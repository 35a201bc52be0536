//! What was observed of queries: numbers of the core, which are arrays of NumPy from when Python looks at them.
//!
//! To import NumPy takes longer than a small command, most of which never looks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyList;

use crate::core::lists::{observed, values};
use crate::python::lists::{Columns, CompiledMeasure, ListChoices, source, threads_for};
use crate::python::running::{interruptible, unlocked};
use crate::python::tables::Table;

/// Numbers of the core, or the array that they have become.
enum Numbers<T> {
    Core(Vec<T>),
    Array(Py<PyArray1<T>>),
}

/// Numbers in one place, whoever looks at them.
struct Kept<T>(Mutex<Numbers<T>>);

impl<T: Element + Sync> Kept<T> {
    fn new(values: Vec<T>) -> Self {
        Self(Mutex::new(Numbers::Core(values)))
    }

    fn of(array: Bound<'_, PyArray1<T>>) -> Self {
        Self(Mutex::new(Numbers::Array(array.unbind())))
    }

    fn held(&self, py: Python<'_>) -> MutexGuard<'_, Numbers<T>> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers as an array, in the same memory.
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<T>> {
        let mut held = self.held(py);
        let array = match &mut *held {
            Numbers::Array(array) => return array.bind(py).clone(),
            Numbers::Core(values) => std::mem::take(values).into_pyarray(py),
        };
        *held = Numbers::Array(array.clone().unbind());
        array
    }

    /// What is seen in the numbers.
    fn look<R: Send>(&self, py: Python<'_>, look: impl FnOnce(&[T]) -> R + Send) -> PyResult<R> {
        match &*self.held(py) {
            Numbers::Core(values) => unlocked(py, || look(values)),
            Numbers::Array(array) => {
                let array = array.bind(py).try_readonly()?;
                let values = array.as_slice()?;
                unlocked(py, || look(values))
            }
        }
    }

    /// The same of what changes them.
    fn change<R: Send>(&self, py: Python<'_>, change: impl FnOnce(&mut [T]) -> R + Send) -> PyResult<R> {
        match &mut *self.held(py) {
            Numbers::Core(values) => unlocked(py, || change(values)),
            Numbers::Array(array) => {
                let mut array = array.bind(py).try_readwrite()?;
                let values = array.as_slice_mut()?;
                unlocked(py, || change(values))
            }
        }
    }
}

/// The values of a measure, one a query.
#[pyclass(frozen, module = "rankmark._native")]
pub struct QueryValues(Kept<f64>);

#[pymethods]
impl QueryValues {
    #[new]
    fn new(values: Bound<'_, PyArray1<f64>>) -> Self {
        Self(Kept::of(values))
    }

    /// The values as an array, always the same one.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.array(py)
    }

    /// The same values once more.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.0.look(py, <[f64]>::to_vec).map(|values| Self(Kept::new(values)))
    }
}

/// The judged queries: the first row of each in the judgements, whether it has results, how many, and the best rank at
/// which tie-breaking decides in it.
#[pyclass(frozen, module = "rankmark._native")]
pub struct ObservedQueries {
    first_rows: Kept<u32>,
    answered: Kept<bool>,
    retrieved: Kept<i64>,
    tied_rank: Kept<i64>,
    count: usize,
    /// How many have no results.
    #[pyo3(get)]
    missing: usize,
    /// Whether tie-breaking decides anything at all.
    #[pyo3(get)]
    ties: bool,
    /// Whether each judged item is known to have a score of its own in its list.
    #[pyo3(get)]
    apart: bool,
    /// The judged items in their lists.
    #[pyo3(get)]
    hits: usize,
    /// In how many lists relevant items stand below the others, and in how many above.
    #[pyo3(get)]
    order: (usize, usize),
}

#[pymethods]
impl ObservedQueries {
    #[new]
    fn new<'py>(
        first_rows: Bound<'py, PyArray1<u32>>,
        answered: Bound<'py, PyArray1<bool>>,
        retrieved: Bound<'py, PyArray1<i64>>,
        tied_rank: Bound<'py, PyArray1<i64>>,
        hits: usize,
        order: (usize, usize),
    ) -> PyResult<Self> {
        let (count, missing, ties) = {
            let (answered, tied_rank) = (answered.try_readonly()?, tied_rank.try_readonly()?);
            let answered = answered.as_slice()?;
            (answered.len(), unanswered(answered), any_ties(tied_rank.as_slice()?))
        };
        Ok(Self {
            first_rows: Kept::of(first_rows),
            answered: Kept::of(answered),
            retrieved: Kept::of(retrieved),
            tied_rank: Kept::of(tied_rank),
            count,
            missing,
            ties,
            apart: false,
            hits,
            order,
        })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    #[getter]
    fn first_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.first_rows.array(py)
    }

    #[getter]
    fn answered<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.answered.array(py)
    }

    #[getter]
    fn retrieved<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.retrieved.array(py)
    }

    #[getter]
    fn tied_rank<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.tied_rank.array(py)
    }

    /// Their ids, of this column of the judgements, as a column ``query``.
    fn ids(&self, py: Python<'_>, judgements: &Table, column: &str) -> PyResult<Table> {
        self.first_rows
            .look(py, <[u32]>::to_vec)
            .and_then(|rows| judgements.taken(py, column, &rows, "query"))
    }

    /// The first of those without results, so many at most, by a column ``query`` of their ids.
    fn unanswered<'py>(&self, py: Python<'py>, ids: &Table, most: usize) -> PyResult<Bound<'py, PyList>> {
        let rows = self.answered.look(py, |answered| {
            let rows = answered.iter().zip(0u32..).filter(|&(&answered, _)| !answered);
            rows.map(|(_, row)| row).take(most).collect::<Vec<_>>()
        })?;
        ids.taken(py, "query", &rows, "query")?.column_values(py, "query")
    }

    /// In how many tie-breaking decides down to a rank; `cut` counts those alone whose lists go on after it.
    fn tied(&self, py: Python<'_>, last: i64, cut: bool) -> PyResult<usize> {
        let decides = move |&rank: &i64| 0 < rank && rank <= last;
        if !cut {
            return self.tied_rank.look(py, |ranks| ranks.iter().filter(|rank| decides(rank)).count());
        }
        let retrieved = self.retrieved.look(py, <[i64]>::to_vec)?;
        self.tied_rank.look(py, |ranks| {
            let each = ranks.iter().zip(&retrieved);
            each.filter(|&(rank, &retrieved)| decides(rank) && retrieved > last).count()
        })
    }
}

fn unanswered(answered: &[bool]) -> usize {
    answered.iter().filter(|&&answered| !answered).count()
}

fn any_ties(tied_rank: &[i64]) -> bool {
    tied_rank.iter().any(|&rank| rank > 0)
}

/// As `judge_lists`, of measures that the core computes: how many queries are not judged, the others, and what the
/// measures give for these.
#[pyfunction]
#[pyo3(signature = (qrels, run, measures, choices, *, threads=0))]
pub fn observe_lists<'py>(
    py: Python<'py>,
    qrels: Columns<'py>,
    run: Columns<'py>,
    measures: Vec<PyRef<'py, CompiledMeasure>>,
    choices: ListChoices,
    threads: usize,
) -> PyResult<(usize, ObservedQueries, Vec<QueryValues>)> {
    let (qrels, run) = (source(qrels), source(run));
    let threads = threads_for(&qrels, &run, threads);
    let measures: Vec<_> = measures.iter().map(|measure| Arc::clone(&measure.0)).collect();
    let (account, lists) = interruptible(py, threads, move |cancelled| {
        observed::observe(&qrels, &run, &choices.0, &measures, cancelled)
    })?;
    let queries = ObservedQueries {
        count: lists.answered.len(),
        missing: unanswered(&lists.answered),
        ties: any_ties(&lists.tied_rank),
        apart: lists.apart,
        first_rows: Kept::new(account.first_rows),
        answered: Kept::new(lists.answered),
        retrieved: Kept::new(lists.retrieved),
        tied_rank: Kept::new(lists.tied_rank),
        hits: lists.hits,
        order: lists.order,
    };
    let values = lists.values.into_iter().map(|values| QueryValues(Kept::new(values)));
    Ok((account.unjudged_queries, queries, values.collect()))
}

/// The values of a measure, which of them count (all if None), and what is filled in for NaN.
type Unsettled<'py> = (PyRef<'py, QueryValues>, Option<PyReadonlyArray1<'py, bool>>, f64);

/// Puts what is filled in in the place of NaN and NaN where a query does not count, in the values of each measure;
/// gives the sum of its values, how many there are, and how many were NaN before.
#[pyfunction]
pub fn settle(py: Python<'_>, measures: Vec<Unsettled<'_>>) -> PyResult<Vec<(f64, usize, usize)>> {
    let settle = |(own, counted, filler): Unsettled<'_>| {
        let counted = counted.as_ref().map(|counted| counted.as_slice()).transpose()?;
        let total = own.0.change(py, |own| values::settle(own, counted, filler))?;
        Ok((total.sum, total.count, total.undefined))
    };
    measures.into_iter().map(settle).collect()
}
