//! What statistics ask of the core: sums over resamples.

use numpy::{IntoPyArray, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::resample::{self, Resamples};
use crate::python::arrays::Array;
use crate::python::running::{self, interruptible};

/// Resamples a table [rows, columns] on `threads` threads, all cores if 0.
fn resampled<'py>(
    values: &PyReadonlyArray2<'py, f64>,
    resamples: usize,
    seed: u64,
    threads: usize,
    how: fn(&Resamples<'_>) -> Vec<f64>,
) -> Array<'py, f64> {
    let (py, columns) = (values.py(), values.shape()[1]);
    if u32::try_from(values.shape()[0]).is_err() || resamples.checked_mul(columns.max(1)).is_none() {
        return Err(PyValueError::new_err("too many rows or resamples"));
    }
    let own = values.as_slice()?.to_vec();
    let small = own.len().saturating_mul(resamples) < FEW_VALUES;
    let sums = interruptible(py, running::threads(threads, small), move |cancelled| {
        Ok(how(&Resamples { values: &own, columns, resamples, seed, cancelled }))
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
    resampled(&values, resamples, seed, threads, resample::bootstrap_sums)
}

/// The sum of each column over all rows with random signs, one row of sums a resample, flat.
#[pyfunction]
pub fn signed_sums<'py>(
    values: PyReadonlyArray2<'py, f64>,
    resamples: usize,
    seed: u64,
    threads: usize,
) -> Array<'py, f64> {
    resampled(&values, resamples, seed, threads, resample::signed_sums)
}

/// The greatest less the least column sum when the values of each row are permuted, one a resample.
#[pyfunction]
pub fn permuted_ranges<'py>(
    values: PyReadonlyArray2<'py, f64>,
    resamples: usize,
    seed: u64,
    threads: usize,
) -> Array<'py, f64> {
    resampled(&values, resamples, seed, threads, resample::permuted_ranges)
}
