//! Two lists of each query, handed to Python as flat arrays, and coefficients that the core computes of them.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::core::lists::coefficients::{Coefficient, Kind, compute};
use crate::core::lists::pairs;
use crate::core::lists::segments::ranks;
use crate::python::lists::{Columns, ListChoices, Raised, source, threads_for};
use crate::python::running::interruptible;

/// A coefficient that the core computes: of lists without equal scores.
#[pyclass(frozen, module = "rankmark._native")]
pub struct CompiledCoefficient(Arc<Coefficient>);

impl CompiledCoefficient {
    fn new(kind: Kind, cutoff: Option<i64>) -> Self {
        Self(Arc::new(Coefficient { kind, cutoff }))
    }
}

#[pymethods]
impl CompiledCoefficient {
    #[staticmethod]
    fn jaccard(cutoff: Option<i64>) -> Self {
        Self::new(Kind::Jaccard, cutoff)
    }

    #[staticmethod]
    fn overlap(shorter: bool, cutoff: Option<i64>) -> Self {
        Self::new(Kind::Overlap { shorter }, cutoff)
    }

    #[staticmethod]
    fn tau(cutoff: Option<i64>) -> Self {
        Self::new(Kind::Tau, cutoff)
    }

    #[staticmethod]
    fn tau_ap(cutoff: Option<i64>) -> Self {
        Self::new(Kind::TauAp, cutoff)
    }

    /// Of lists with no more items than there are weights of depths, and chances to go on beyond each.
    #[staticmethod]
    fn rbo(weights: Vec<f64>, beyond: Vec<f64>, cutoff: Option<i64>) -> Self {
        Self::new(Kind::Rbo { weights, beyond }, cutoff)
    }
}

type Whole<'py> = Bound<'py, PyArray1<i64>>;
/// The first row of each query of both runs in the first, and how many queries each run has alone.
type Queries<'py> = (Bound<'py, PyArray1<u32>>, (usize, usize));

fn whole<'py>(py: Python<'py>, numbers: impl Iterator<Item = u32>) -> Whole<'py> {
    numbers.map(i64::from).collect::<Vec<_>>().into_pyarray(py)
}

/// The offsets of lists, and of each item the first and the last rank of those with its score: one array twice where
/// none are tied.
fn ranked(py: Python<'_>, lists: pairs::Ranked, are_tied: bool) -> (Whole<'_>, Whole<'_>, Whole<'_>) {
    let (first, last) = if are_tied {
        let (first, last) = lists.shared.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        (whole(py, first.into_iter()), whole(py, last.into_iter()))
    } else {
        let ranks = ranks(&lists.offsets).into_pyarray(py);
        (ranks.clone(), ranks)
    };
    (lists.offsets.into_pyarray(py), first, last)
}

/// Ranks the lists of two runs; `threads=0` means all cores.
///
/// `consume` is called with some queries of both runs at a time, by any thread and in any order: their numbers, and the
/// values of each coefficient, None of those that are not computed here. If there are such, also with the lists of each
/// run, and the offsets and both ranks of the items that are in both.
#[pyfunction]
#[pyo3(signature = (a, b, coefficients, consume, choices, *, threads=0))]
pub fn pair_lists<'py>(
    py: Python<'py>,
    a: Columns<'py>,
    b: Columns<'py>,
    coefficients: Vec<Option<PyRef<'py, CompiledCoefficient>>>,
    consume: Py<PyAny>,
    choices: ListChoices,
    threads: usize,
) -> PyResult<Queries<'py>> {
    let (a, b) = (source(a), source(b));
    let threads = threads_for(&a, &b, threads);
    let coefficients: Vec<_> =
        coefficients.iter().map(|each| each.as_ref().map(|each| Arc::clone(&each.0))).collect();
    let raised = Raised::default();
    let of_consume = Raised::clone(&raised);
    let account = interruptible(py, threads, move |cancelled| {
        let coefficients: Vec<_> = coefficients.iter().map(Option::as_deref).collect();
        pairs::pair(&a, &b, &choices.0, cancelled, &|pairs| {
            let values = compute(&coefficients, &pairs);
            of_consume.keep(pairs.queries[0], |py| {
                let lists = values.contains(&None).then(|| {
                    let [a, b] = [pairs.a, pairs.b].map(|lists| ranked(py, lists, pairs.are_tied));
                    let [rank_a, rank_b] =
                        [pairs.rank_a, pairs.rank_b].map(|ranks| whole(py, ranks.into_iter()));
                    (a, b, (pairs.offsets.into_pyarray(py), rank_a, rank_b))
                });
                let values: Vec<_> =
                    values.into_iter().map(|each| each.map(|values| values.into_pyarray(py))).collect();
                consume.call1(py, (pairs.queries.into_pyarray(py), values, lists))
            });
        })
    })?;
    raised.raise()?;
    Ok((account.first_rows.into_pyarray(py), account.alone))
}
