//! Two lists of each query, handed to Python as flat arrays.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::core::lists::pairs;
use crate::python::lists::{Columns, ListChoices, Raised, source, threads_for};
use crate::python::running::interruptible;

type Whole<'py> = Bound<'py, PyArray1<i64>>;
/// The first row of each query of both runs in the first, and how many queries each run has alone.
type Queries<'py> = (Bound<'py, PyArray1<u32>>, (usize, usize));

/// The offsets of lists, and of each item the first and the last rank of those with its score: one array twice where
/// none are equal.
fn ranked(py: Python<'_>, lists: pairs::Ranked) -> (Whole<'_>, Whole<'_>, Whole<'_>) {
    let first = lists.first.into_pyarray(py);
    let last = if lists.tied { lists.last.into_pyarray(py) } else { first.clone() };
    (lists.offsets.into_pyarray(py), first, last)
}

/// Ranks the lists of two runs; `threads=0` means all cores.
///
/// `consume` is called with the lists of some queries of both runs at a time, by any thread and in any order: the number
/// of the first of them, the lists of each run, and the offsets and both ranks of the items that are in both.
#[pyfunction]
#[pyo3(signature = (a, b, consume, choices, *, threads=0))]
pub fn pair_lists<'py>(
    py: Python<'py>,
    a: Columns<'py>,
    b: Columns<'py>,
    consume: Py<PyAny>,
    choices: ListChoices,
    threads: usize,
) -> PyResult<Queries<'py>> {
    let (a, b) = (source(a), source(b));
    let threads = threads_for(&a, &b, threads);
    let raised = Raised::default();
    let of_consume = Raised::clone(&raised);
    let account = interruptible(py, threads, move |cancelled| {
        pairs::pair(&a, &b, &choices.0, cancelled, &|pairs| {
            of_consume.keep(pairs.begin as u32, |py| {
                let lists = (ranked(py, pairs.a), ranked(py, pairs.b));
                let common = [pairs.offsets, pairs.rank_a, pairs.rank_b].map(|each| each.into_pyarray(py));
                consume.call1(py, (pairs.begin, lists.0, lists.1, <(_, _, _)>::from(common)))
            });
        })
    })?;
    raised.raise()?;
    Ok((account.first_rows.into_pyarray(py), account.alone))
}
