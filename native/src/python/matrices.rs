//! What Python asks of dense scores: NumPy arrays in, judged lists out.

use numpy::ndarray::ArrayView2;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::choices::{Duplicates, Unjudged};
use crate::core::hash::Key;
use crate::core::ids::Ids;
use crate::core::lists::dense::{self, Counted, Counting, Place, Sparse};
use crate::core::lists::list::Rules;
use crate::core::lists::places::PlacedLists;
use crate::core::pool;
use crate::core::scores::Score;
use crate::core::ties::{Needs, Ties};
use crate::python::choices::Chosen;
use crate::python::errors::raise;
use crate::python::lists::JudgedLists;
use crate::python::running::{self, unlocked};
use crate::python::tables::Table;

/// Scores with a row a query and a column an item.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    /// Of 32 bits.
    Single(PyReadonlyArray2<'py, f32>),
    /// Of 64 bits.
    Double(PyReadonlyArray2<'py, f64>),
}

/// Offsets and columns of a sparse matrix in rows.
type SparseArrays<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>);

/// For each judged item how many are greater, how many equal, how many of these before it; how long each list
/// is; how many scores are NaN, and where the first of them stands.
type Places<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    usize,
    Option<(usize, usize)>,
);

fn malformed(message: &str) -> PyErr {
    PyValueError::new_err(message.to_owned())
}

/// Refuses offsets that do not belong to so many rows and items: the core indexes by them.
fn check_offsets(offsets: &[i64], rows: usize, items: usize) -> PyResult<()> {
    let fits = offsets.len() == rows + 1
        && offsets.first() == Some(&0)
        && offsets.last() == Some(&(items as i64))
        && offsets.is_sorted();
    if fits { Ok(()) } else { Err(malformed("the offsets are not those of the rows")) }
}

/// Refuses longer lists than ranks can be counted in.
fn check_columns(columns: u64) -> PyResult<()> {
    match u32::try_from(columns) {
        Ok(_) => Ok(()),
        Err(_) => Err(malformed("a list has more than 4294967295 items, which is more than can be ranked")),
    }
}

/// Counts, for the judged items of each row of scores, the items before them; `threads=0` means all cores.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
#[pyo3(signature = (scores, judged, excluded, *, ties, seeds, limit, threads))]
pub fn count_before<'py>(
    py: Python<'py>,
    scores: Matrix<'py>,
    judged: SparseArrays<'py>,
    excluded: Option<SparseArrays<'py>>,
    ties: Chosen<Ties>,
    seeds: Option<PyReadonlyArray1<'py, u64>>,
    limit: Option<usize>,
    threads: usize,
) -> PyResult<Places<'py>> {
    let (rows, columns) = match &scores {
        Matrix::Single(scores) => scores.as_array().dim(),
        Matrix::Double(scores) => scores.as_array().dim(),
    };
    check_columns(columns as u64)?;
    let judged = Sparse { offsets: judged.0.as_slice()?, items: judged.1.as_slice()? };
    let excluded = match &excluded {
        Some((offsets, items)) => Some(Sparse { offsets: offsets.as_slice()?, items: items.as_slice()? }),
        None => None,
    };
    for items in [Some(judged), excluded].into_iter().flatten() {
        check_offsets(items.offsets, rows, items.items.len())?;
    }
    if excluded.is_some_and(|excluded| excluded.items.iter().any(|&item| item as usize >= columns)) {
        return Err(malformed("an excluded item has no column"));
    }
    let seeds = seeds.as_ref().map(|seeds| seeds.as_slice()).transpose()?.unwrap_or_default();
    let ties = ties.0;
    if ties.needs() == Needs::Lots && seeds.len() != rows {
        return Err(malformed("one seed a row"));
    }
    let counting = Counting { judged, excluded, ties, seeds, limit };
    let counted = match &scores {
        Matrix::Single(scores) => counted(py, scores.as_array(), &counting, threads),
        Matrix::Double(scores) => counted(py, scores.as_array(), &counting, threads),
    }?;
    let each = |part: fn(&Place) -> i64| -> Vec<i64> { counted.places.iter().map(part).collect() };
    Ok((
        each(|place| place.greater).into_pyarray(py),
        each(|place| place.equal).into_pyarray(py),
        each(|place| place.before).into_pyarray(py),
        counted.retrieved.into_pyarray(py),
        counted.undefined,
        counted.first_undefined,
    ))
}

fn counted<S: Score>(
    py: Python<'_>,
    scores: ArrayView2<'_, S>,
    counting: &Counting<'_>,
    threads: usize,
) -> PyResult<Counted> {
    let rows: Option<Vec<&[S]>> = (0..scores.nrows()).map(|row| scores.row(row).to_slice()).collect();
    let Some(rows) = rows else { return Err(malformed("the scores of a row do not lie side by side")) };
    let threads = running::threads(threads, rows.len() * scores.ncols() < FEW_SCORES);
    let work = || dense::count(&|row| rows[row], rows.len(), counting);
    let pool = if threads == 0 { None } else { pool::pool(threads) };
    unlocked(py, || pool.map_or_else(work, |pool| pool.install(work)))
}

/// Scores below which work is small.
const FEW_SCORES: usize = 1 << 17;

/// The judged lists of some rows, from what `count_before` gives, and how long they are before `k` ends them.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
#[pyo3(signature = (places, retrieved, judged, queries, *, ties, unjudged, k))]
pub fn ranked_lists<'py>(
    py: Python<'py>,
    places: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
    retrieved: PyReadonlyArray1<'py, i64>,
    judged: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>),
    queries: PyReadonlyArray1<'py, u32>,
    ties: Chosen<Ties>,
    unjudged: Chosen<Unjudged>,
    k: Option<i64>,
) -> PyResult<(JudgedLists, Bound<'py, PyArray1<i64>>)> {
    let (greater, equal, before) = (places.0.as_slice()?, places.1.as_slice()?, places.2.as_slice()?);
    let (offsets, grades, retrieved) = (judged.0.as_slice()?, judged.1.as_slice()?, retrieved.as_slice()?);
    let queries = queries.as_slice()?;
    check_offsets(offsets, queries.len(), grades.len())?;
    if [greater.len(), equal.len(), before.len()] != [grades.len(); 3] || retrieved.len() != queries.len() {
        return Err(malformed("one place a judged item and one length a row"));
    }
    check_columns(retrieved.iter().max().map_or(0, |&longest| longest as u64))?;
    let rules = Rules { ties: ties.0, duplicates: Duplicates::Error, unjudged: unjudged.0, unsigned: false };
    let placed = PlacedLists { rules, cut: k, queries, retrieved, offsets, grades };
    let place = |at: usize| Place { greater: greater[at], equal: equal[at], before: before[at] };
    let (lists, lengths) = unlocked(py, || placed.judged(place))?;
    Ok((JudgedLists::new(py, lists), lengths.into_pyarray(py)))
}

/// Of each id of a column the number that draws the order of ties in its list.
#[pyfunction]
pub fn query_seeds<'py>(
    py: Python<'py>,
    queries: &Bound<'py, Table>,
    column: &str,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let ids = Ids::new(&queries.get().0, column, column).map_err(|error| raise(py, &error))?;
    let seeds: Vec<u64> = match &ids {
        Ids::Integer(ids) => (0..ids.len()).map(|row| ids.value(row).stable_hash(seed)).collect(),
        Ids::Text(ids) => (0..ids.len()).map(|row| ids.value(row).stable_hash(seed)).collect(),
    };
    Ok(seeds.into_pyarray(py))
}
