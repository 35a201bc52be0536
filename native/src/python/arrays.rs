//! What Python computes with arrays: one value an item or one a query.

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use crate::core::lists::{segments, values};
use crate::core::sums::compensated_sum;
use crate::python::running::unlocked;

/// A new array.
pub type Array<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;

fn array<T: Element>(py: Python<'_>, work: impl FnOnce() -> Vec<T> + Send) -> Array<'_, T> {
    Ok(unlocked(py, work)?.into_pyarray(py))
}

/// The sum of each segment; segment `i` is `values[offsets[i]:offsets[i + 1]]`.
#[pyfunction]
pub fn segment_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::sum(values, offsets))
}

/// The sum of each segment, each value times `weights[rank - 1]`; later ranks weigh nothing.
#[pyfunction]
pub fn segment_weighted_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    ranks: PyReadonlyArray1<'py, i64>,
    weights: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, ranks, weights, offsets) =
        (values.as_slice()?, ranks.as_slice()?, weights.as_slice()?, offsets.as_slice()?);
    array(py, || segments::weighted_sum(values, ranks, weights, offsets))
}

/// How many of each segment are true.
#[pyfunction]
pub fn segment_count<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, bool>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::count(values, offsets))
}

/// What is left of ranks, grades and offsets when only what is `kept` stays in the segments.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "three arrays")]
pub fn segment_kept<'py>(
    py: Python<'py>,
    kept: PyReadonlyArray1<'py, bool>,
    rank: PyReadonlyArray1<'py, i64>,
    relevance: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>)> {
    let (kept, offsets) = (kept.as_slice()?, offsets.as_slice()?);
    let (rank, relevance) = (rank.as_slice()?, relevance.as_slice()?);
    let (rank, relevance, offsets) = unlocked(py, || {
        let (offsets, places) = segments::kept(kept, offsets);
        (segments::at(rank, &places), segments::at(relevance, &places), offsets)
    })?;
    Ok((rank.into_pyarray(py), relevance.into_pyarray(py), offsets.into_pyarray(py)))
}

/// The place of each value in its segment, from 1.
#[pyfunction]
pub fn segment_ranks<'py>(py: Python<'py>, offsets: PyReadonlyArray1<'py, i64>) -> Array<'py, i64> {
    let offsets = offsets.as_slice()?;
    array(py, || segments::ranks(offsets))
}

/// The first value of each segment, infinity for an empty one.
#[pyfunction]
pub fn segment_first<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::first(values, offsets))
}

/// The values, in each segment from the greatest to the least.
#[pyfunction]
pub fn segment_descending<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::descending(values, offsets))
}

/// Running sums that start anew in each segment.
#[pyfunction]
pub fn segment_running_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::running_sum(values, offsets))
}

/// Running products that start anew in each segment.
#[pyfunction]
pub fn segment_running_product<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::running_product(values, offsets))
}

/// One number for all queries, or one a query.
#[derive(FromPyObject)]
pub enum Denominator<'py> {
    One(f64),
    Each(PyReadonlyArray1<'py, f64>),
}

/// Each numerator over its denominator: NaN where nothing is relevant, else 0 where the denominator is 0.
#[pyfunction]
pub fn ratio<'py>(
    py: Python<'py>,
    numerator: PyReadonlyArray1<'py, f64>,
    denominator: Denominator<'py>,
    relevant: PyReadonlyArray1<'py, f64>,
) -> Array<'py, f64> {
    let (above, relevant) = (numerator.as_slice()?, relevant.as_slice()?);
    match denominator {
        Denominator::One(below) => array(py, || values::ratio(above, std::iter::repeat(below), relevant)),
        Denominator::Each(below) => {
            let below = below.as_slice()?;
            array(py, || values::ratio(above, below.iter().copied(), relevant))
        }
    }
}

/// Puts `filler` in the place of NaN and NaN where a query does not count (all do if `counted` is None); gives
/// the sum of the values, how many there are, and how many were NaN before.
#[pyfunction]
pub fn settle(
    py: Python<'_>,
    mut values: PyReadwriteArray1<'_, f64>,
    counted: Option<PyReadonlyArray1<'_, bool>>,
    filler: f64,
) -> PyResult<(f64, usize, usize)> {
    let values = values.as_slice_mut()?;
    let counted = counted.as_ref().map(|counted| counted.as_slice()).transpose()?;
    let total = unlocked(py, || values::settle(values, counted, filler))?;
    Ok((total.sum, total.count, total.undefined))
}

/// The compensated sum of all values.
#[pyfunction]
pub fn exact_sum(py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
    let values = values.as_slice()?;
    unlocked(py, || compensated_sum(values.iter().copied()))
}
