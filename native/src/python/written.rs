//! Lists of Python as text.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList};

use crate::core::written::Written;

/// Bytes of a number with what stands before it.
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
            written.integer(value.extract().ok()?);
        } else if value.is_none() {
            written.text.push_str("null");
        } else {
            return None;
        }
    }
    Some(written.text)
}

/// Whether all that is in a list are finite numbers of floating point.
#[pyfunction]
pub fn are_finite(values: &Bound<'_, PyAny>) -> bool {
    let finite =
        |value: Bound<'_, PyAny>| value.cast_exact::<PyFloat>().is_ok_and(|float| float.value().is_finite());
    values.cast_exact::<PyList>().is_ok_and(|values| values.iter().all(finite))
}
