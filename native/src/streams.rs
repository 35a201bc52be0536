//! Files that are read piece by piece.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::decompress::{self, Content};
use crate::error::Result;
use crate::{Progress, Table, interruptible, pool, raise, trec};

/// The content of a file, decompressed while it is read.
#[pyclass(frozen, module = "rankmark._native")]
pub struct TextReader(Arc<Mutex<Content>>);

#[pymethods]
impl TextReader {
    #[new]
    fn new(py: Python<'_>, path: &str, progress: &Bound<'_, Progress>) -> PyResult<Self> {
        let content = decompress::open(path, Arc::clone(&progress.get().0));
        content.map(|content| Self(Arc::new(Mutex::new(content)))).map_err(|error| raise(py, &error))
    }

    /// Up to `limit` bytes: fewer only at the end.
    fn read<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = shared(py, 1, &self.0, move |content| {
            let mut bytes = Vec::new();
            content.read_up_to(limit, &mut bytes)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// A TREC text file; `kind` is "qrels" or "run".
#[pyclass(frozen, module = "rankmark._native")]
pub struct TrecReader(Arc<Mutex<trec::Reader>>);

#[pymethods]
impl TrecReader {
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        kind: &str,
        size: usize,
        progress: &Bound<'_, Progress>,
    ) -> PyResult<Self> {
        let kind = trec::Kind::parse(kind).ok_or_else(|| PyTypeError::new_err("kind is 'qrels' or 'run'"))?;
        let reader = trec::Reader::open(path, kind, Arc::clone(&progress.get().0), size.max(1));
        reader.map(|reader| Self(Arc::new(Mutex::new(reader)))).map_err(|error| raise(py, &error))
    }

    /// The rows of the next `size` bytes or so; None at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        Ok(shared(py, pool::cores(), &self.0, trec::Reader::next)?.map(Table))
    }
}

/// Works on what Python holds, on `threads` threads without the GIL.
fn shared<S: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    state: &Arc<Mutex<S>>,
    work: impl FnOnce(&mut S) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let state = Arc::clone(state);
    interruptible(py, threads, move |_| work(&mut state.lock().unwrap_or_else(PoisonError::into_inner)))
}
