//! Lists of Python, arrays and columns as text.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList};

use crate::core::written::Written;
use crate::python::running::unlocked;

/// Bytes of nearly all numbers and ids, and of numbers with what stands before them.
const BYTES: usize = 32;

/// The numbers of a list and None as JSON has them, with a text between them; None if anything else is in it, or a
/// number that JSON lacks or the core does not hold.
#[pyfunction]
pub fn json_numbers(values: &Bound<'_, PyAny>, between: &str) -> Option<String> {
    let values = values.cast_exact::<PyList>().ok()?;
    let mut written = Written::with_capacity(0);
    for (place, value) in values.iter().enumerate() {
        if place == 1 {
            written.text.reserve(values.len() * BYTES);
        }
        if place > 0 {
            written.text.push_str(between);
        }
        if let Ok(float) = value.cast_exact::<PyFloat>() {
            written.float(Some(float.value()).filter(|float| float.is_finite())?);
        } else if value.is_exact_instance_of::<PyInt>() {
            written.integer(value.extract::<i64>().ok()?);
        } else if value.is_none() {
            written.text.push_str("null");
        } else {
            return None;
        }
    }
    Some(written.text)
}

/// The numbers of an array as JSON has them, with a text between them; null in the place of those that are not finite.
#[pyfunction]
pub fn json_floats(py: Python<'_>, values: PyReadonlyArray1<'_, f64>, between: &str) -> PyResult<String> {
    let values = values.as_array();
    unlocked(py, || joined(values.iter(), between, |written, &value| written.json_float(value)))
}

/// What is written of each of some values, with a text between them.
pub fn joined<T>(
    values: impl ExactSizeIterator<Item = T>,
    between: &str,
    mut write: impl FnMut(&mut Written, T),
) -> String {
    let mut written = Written::with_capacity(values.len() * (between.len() + BYTES));
    for (place, value) in values.enumerate() {
        if place > 0 {
            written.text.push_str(between);
        }
        write(&mut written, value);
    }
    written.text
}

/// Whether all that is in a list are finite numbers of floating point.
#[pyfunction]
pub fn are_finite(values: &Bound<'_, PyAny>) -> bool {
    let finite =
        |value: Bound<'_, PyAny>| value.cast_exact::<PyFloat>().is_ok_and(|float| float.value().is_finite());
    values.cast_exact::<PyList>().is_ok_and(|values| values.iter().all(finite))
}
