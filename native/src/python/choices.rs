//! Choices that Python gives as words: another word than the known ones is refused before any work is done.

use pyo3::prelude::*;

use crate::core::choices::Choice;
use crate::python::errors::raise;

/// The meaning of a word.
pub struct Chosen<C>(pub C);

impl<'py, C: Choice> FromPyObject<'_, 'py> for Chosen<C> {
    type Error = PyErr;

    fn extract(word: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let parsed = C::parse(word.extract::<&str>()?);
        parsed.map(Self).map_err(|error| raise(word.py(), &error))
    }
}
