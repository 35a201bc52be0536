//! What statistics ask of the core: sums over resamples.

use std::ops::Range;

use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::pool;
use crate::core::resample::{self, Resamples};
use crate::python::arrays::Array;
use crate::python::running::{self, interruptible};

/// Resamples a table [rows, columns] on `threads` threads, all cores if 0.
fn resampled<'py, T: Element + Send + 'static>(
    values: &PyReadonlyArray2<'py, f64>,
    Range { start: first, end }: Range<usize>,
    seed: u64,
    threads: usize,
    how: impl FnOnce(&Resamples<'_>) -> Vec<T> + Send + 'static,
) -> Array<'py, T> {
    let resamples = end.saturating_sub(first);
    let (py, columns) = (values.py(), values.shape()[1]);
    if u32::try_from(values.shape()[0]).is_err() || resamples.checked_mul(columns.max(1)).is_none() {
        return Err(PyValueError::new_err("too many rows or resamples"));
    }
    let own = values.as_slice()?.to_vec();
    let small = own.len().saturating_mul(resamples) < FEW_VALUES;
    let sums = interruptible(py, running::threads(threads, small), move |cancelled| {
        Ok(how(&Resamples { values: &own, columns, first, resamples, seed, cancelled }))
    })?;
    Ok(sums.into_pyarray(py))
}

/// Values times resamples below which work is small.
const FEW_VALUES: usize = 200_000;

/// The sum of each column over rows drawn with replacement, one row of sums a resample, flat.
#[pyfunction]
pub fn bootstrap_sums<'py>(
    values: PyReadonlyArray2<'py, f64>,
    resamples: usize,
    seed: u64,
    threads: usize,
) -> Array<'py, f64> {
    resampled(&values, 0..resamples, seed, threads, resample::bootstrap_sums)
}

/// How many sums of each column over all rows with random signs are at most `low` or at least `high`.
///
/// The draws are those from `first` on and before `end`.
#[pyfunction]
pub fn signed_counts<'py>(
    values: PyReadonlyArray2<'py, f64>,
    low: PyReadonlyArray1<'py, f64>,
    high: PyReadonlyArray1<'py, f64>,
    first: usize,
    end: usize,
    seed: u64,
    threads: usize,
) -> Array<'py, u64> {
    let (low, high) = (low.as_slice()?.to_vec(), high.as_slice()?.to_vec());
    if [low.len(), high.len()] != [values.shape()[1]; 2] {
        return Err(PyValueError::new_err("a column needs a low and a high sum"));
    }
    resampled(&values, first..end, seed, threads, move |own| resample::signed_counts(own, &low, &high))
}

/// For each list of whole numbers the chance that those with a plus sum up to its `least` or more.
///
/// List `i` is `steps[offsets[i]:offsets[i + 1]]`; each number has a plus with a half.
#[pyfunction]
pub fn chances_of_sums<'py>(
    py: Python<'py>,
    steps: PyReadonlyArray1<'py, u32>,
    offsets: PyReadonlyArray1<'py, u64>,
    least: PyReadonlyArray1<'py, u64>,
    threads: usize,
) -> Array<'py, f64> {
    let (steps, least) = (steps.as_slice()?.to_vec(), least.as_slice()?.to_vec());
    let ends: Vec<usize> =
        offsets.as_slice()?.iter().map(|&offset| usize::try_from(offset).unwrap_or(usize::MAX)).collect();
    let ordered = ends.is_sorted() && ends.last().is_none_or(|&end| end <= steps.len());
    if ends.len() != least.len() + 1 || !ordered {
        return Err(PyValueError::new_err("offsets do not fit"));
    }
    let chances = interruptible(py, running::threads(threads, least.len() < 2), move |cancelled| {
        let one =
            |list: usize| resample::chance_of_sum(&steps[ends[list]..ends[list + 1]], least[list], cancelled);
        Ok(pool::map(least.len(), one))
    })?;
    Ok(chances.into_pyarray(py))
}

/// The greatest less the least column sum when the values of each row are permuted, one a resample.
#[pyfunction]
pub fn permuted_ranges<'py>(
    values: PyReadonlyArray2<'py, f64>,
    resamples: usize,
    seed: u64,
    threads: usize,
) -> Array<'py, f64> {
    resampled(&values, 0..resamples, seed, threads, resample::permuted_ranges)
}
