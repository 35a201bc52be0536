//! What was observed of queries: numbers of the core, which are arrays of NumPy from when Python looks at them.
//!
//! To import NumPy takes longer than a small command, most of which never looks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyList;

use crate::core::lists::judge::Account;
use crate::core::lists::measures::Measure;
use crate::core::lists::{observed, values};
use crate::python::lists::{Columns, CompiledMeasure, ListChoices, source, threads_for};
use crate::python::running::{self, interruptible, unlocked};
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
pub struct QueryValues {
    values: Kept<f64>,
    /// What they come to, as long as nobody can have changed them.
    total: Mutex<Option<values::Total>>,
}

impl QueryValues {
    fn of(values: Kept<f64>, total: Option<values::Total>) -> Self {
        Self { values, total: Mutex::new(total) }
    }

    /// What they come to, if it is known, for the last time.
    fn take_total(&self) -> Option<values::Total> {
        self.total.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl QueryValues {
    #[new]
    fn new(values: Bound<'_, PyArray1<f64>>) -> Self {
        Self::of(Kept::of(values), None)
    }

    /// The values as an array, always the same one.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.take_total();
        self.values.array(py)
    }

    /// The same values once more.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.values.look(py, <[f64]>::to_vec).map(|values| Self::of(Kept::new(values), None))
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
            (answered.len(), unanswered(answered), observed::any_ties(tied_rank.as_slice()?))
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

/// Rows of a piece from which on several threads judge it.
const SMALL: usize = 1 << 18;

/// How many queries are not judged, the others, and what measures give for these.
type Seen = (usize, ObservedQueries, Vec<QueryValues>);

fn kept(account: Account, lists: observed::Observed) -> Seen {
    let queries = ObservedQueries {
        count: lists.answered.len(),
        missing: unanswered(&lists.answered),
        ties: lists.ties,
        apart: lists.apart,
        first_rows: Kept::new(account.first_rows),
        answered: Kept::new(lists.answered),
        retrieved: Kept::new(lists.retrieved),
        tied_rank: Kept::new(lists.tied_rank),
        hits: lists.hits,
        order: lists.order,
    };
    let measured = lists.values.into_iter().zip(lists.totals);
    let values = measured.map(|(values, total)| QueryValues::of(Kept::new(values), Some(total)));
    (account.unjudged_queries, queries, values.collect())
}

/// Measures that the core computes, and the choices that decide them: understood once, observed many times.
#[pyclass(frozen, module = "rankmark._native")]
pub struct CompiledGroup(Arc<(Vec<Arc<Measure>>, ListChoices)>);

#[pymethods]
impl CompiledGroup {
    #[new]
    fn new(measures: Vec<PyRef<'_, CompiledMeasure>>, choices: ListChoices) -> Self {
        let measures = measures.iter().map(|measure| Arc::clone(&measure.0)).collect();
        Self(Arc::new((measures, choices)))
    }

    /// As `judge_lists`: how many queries are not judged, the others, and what the measures give for these.
    #[pyo3(signature = (qrels, run, threads=0))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        qrels: Columns<'py>,
        run: Columns<'py>,
        threads: usize,
    ) -> PyResult<Seen> {
        let (qrels, run) = (source(qrels), source(run));
        let threads = threads_for(&qrels, &run, threads);
        let asked = Arc::clone(&self.0);
        let (account, lists) = interruptible(py, threads, move |cancelled| {
            let (measures, choices) = &*asked;
            observed::observe(&qrels, &run, &choices.0, measures, cancelled)
        })?;
        Ok(kept(account, lists))
    }

    /// The same of a run that comes in pieces; None of judgements whose queries are texts of more than twelve bytes.
    #[pyo3(signature = (qrels, threads=0))]
    fn in_pieces(
        &self,
        py: Python<'_>,
        qrels: Columns<'_>,
        threads: usize,
    ) -> PyResult<Option<ListsInPieces>> {
        let (qrels, threads) = (source(qrels), running::threads(threads, false));
        let state = interruptible(py, threads, move |_| observed::InPieces::new(qrels))?;
        let asked = Arc::clone(&self.0);
        Ok(state.map(|state| ListsInPieces { asked, state: Mutex::new(Some(state)), threads }))
    }
}

/// A run that comes in pieces; made by [`CompiledGroup::in_pieces`].
///
/// What an error says of rows does not count from the begin of the run, and after it no piece is taken.
#[pyclass(frozen, module = "rankmark._native")]
pub struct ListsInPieces {
    asked: Arc<(Vec<Arc<Measure>>, ListChoices)>,
    /// None once there was an error, or all has been handed on.
    state: Mutex<Option<observed::InPieces>>,
    threads: usize,
}

#[pymethods]
impl ListsInPieces {
    /// Judges the lists that end in the next piece; whether the queries of all pieces stand together so far.
    fn add(&self, py: Python<'_>, run: Columns<'_>) -> PyResult<bool> {
        let (mut state, run, asked) = (self.taken(py)?, source(run), Arc::clone(&self.asked));
        // Small pieces are judged at once: to wake another thread takes longer, and reading has the cores.
        let threads = if run.table.num_rows() < SMALL { 0 } else { self.threads };
        let (state, standing) = interruptible(py, threads, move |cancelled| {
            let (measures, choices) = &*asked;
            let standing = state.add(run, &choices.0, measures, cancelled)?;
            Ok((state, standing))
        })?;
        *self.held(py) = standing.then_some(state);
        Ok(standing)
    }

    /// As [`CompiledGroup::observe`]; None where the queries do not stand together.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<Seen>> {
        let (state, asked) = (self.taken(py)?, Arc::clone(&self.asked));
        let seen = interruptible(py, self.threads, move |cancelled| {
            let (measures, choices) = &*asked;
            state.finish(&choices.0, measures, cancelled)
        })?;
        Ok(seen.map(|(account, lists)| kept(account, lists)))
    }
}

impl ListsInPieces {
    fn held(&self, py: Python<'_>) -> MutexGuard<'_, Option<observed::InPieces>> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self, py: Python<'_>) -> PyResult<observed::InPieces> {
        self.held(py).take().ok_or_else(|| PyRuntimeError::new_err("no piece is taken any more"))
    }
}

/// The values of a measure, which of them count (all if None), and what is filled in for NaN.
type Unsettled<'py> = (PyRef<'py, QueryValues>, Option<PyReadonlyArray1<'py, bool>>, f64);

/// Puts what is filled in in the place of NaN and NaN where a query does not count, in the values of each measure;
/// gives the sum of its values, how many there are, and how many were NaN before.
#[pyfunction]
pub fn settle(py: Python<'_>, measures: Vec<Unsettled<'_>>) -> PyResult<Vec<(f64, usize, usize)>> {
    let settle = |(own, counted, filler): Unsettled<'_>| {
        let counted = counted.as_ref().map(|counted| counted.as_slice()).transpose()?;
        own.take_total();
        let total = own.values.change(py, |own| values::settle(own, counted, filler))?;
        Ok((total.sum, total.count, total.undefined))
    };
    measures.into_iter().map(settle).collect()
}

/// What measures come to, and of each how many values there are and how many were NaN before.
type Means = (Vec<f64>, Vec<(usize, usize)>);

/// The same of measures that are means of the values of all queries.
#[pyfunction]
pub fn settle_means(py: Python<'_>, measures: Vec<PyRef<'_, QueryValues>>, filler: f64) -> PyResult<Means> {
    let settle = |own: PyRef<'_, QueryValues>| {
        let total = match own.take_total() {
            // Nothing is filled in: to let go of the interpreter takes longer than all else of a few queries.
            Some(known) if known.undefined == 0 => known,
            known => own.values.change(py, |own| {
                let settled = known.and_then(|total| total.settled(own, filler));
                settled.unwrap_or_else(|| values::settle(own, None, filler))
            })?,
        };
        let mean = if total.count == 0 { f64::NAN } else { total.sum / total.count as f64 };
        Ok((mean, (total.count, total.undefined)))
    };
    measures.into_iter().map(settle).collect()
}
