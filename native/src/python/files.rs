//! Files: read whole, or piece by piece.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::core::error::Result;
use crate::core::files::trec_reader::{self, Side};
use crate::core::files::{json_names, plain_rows, text_reader};
use crate::core::{pool, progress};
use crate::python::choices::Chosen;
use crate::python::errors::raise;
use crate::python::running::{interruptible, unlocked};
use crate::python::tables::Table;

/// How many bytes of a file a running read has done.
#[pyclass(frozen, module = "rankmark._native")]
#[derive(Default)]
pub struct Progress(Arc<progress::Progress>);

#[pymethods]
impl Progress {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Bytes done.
    #[getter]
    fn done(&self) -> u64 {
        self.0.done()
    }

    /// Bytes in all, 0 while unknown.
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }
}

/// Reads a TREC text file; `side` is "qrels" or "run", and `limit` is that of bytes that were compressed.
#[pyfunction]
pub fn read_trec(
    py: Python<'_>,
    path: String,
    side: Chosen<Side>,
    limit: u64,
    progress: &Bound<'_, Progress>,
) -> PyResult<Table> {
    let progress = Arc::clone(&progress.get().0);
    let read = move |cancelled: &_| trec_reader::read(&path, side.0, limit, progress, cancelled);
    interruptible(py, pool::cores(), read).map(Table)
}

/// Reads TREC text as trec_eval does: the rows, whose ids have a character a byte, and the run's last tag.
///
/// `content` is the text itself, of a file that has no path.
#[pyfunction]
#[pyo3(signature = (path, side, progress, content=None))]
pub fn read_as_trec_eval<'py>(
    py: Python<'py>,
    path: String,
    side: Chosen<Side>,
    progress: &Bound<'py, Progress>,
    content: Option<&[u8]>,
) -> PyResult<(Table, Option<Bound<'py, PyBytes>>)> {
    let progress = Arc::clone(&progress.get().0);
    let content = content.map(<[u8]>::to_vec);
    let found = interruptible(py, pool::cores(), move |cancelled| {
        let text = match content {
            Some(bytes) => text_reader::of_bytes(&path, bytes)?,
            None => text_reader::open(&path, progress)?,
        };
        trec_reader::read_as_trec_eval(&path, text, side.0, cancelled)
    })?;
    Ok((Table(found.table), found.tag.map(|tag| PyBytes::new(py, &tag))))
}

/// The fields of a line of TREC text by their names, once for each form; `side` is "qrels" or "run".
#[pyfunction]
pub fn trec_forms(side: Chosen<Side>) -> Vec<&'static str> {
    trec_reader::forms(side.0)
}

/// The whole content of a gzip or zstd file, or None if the file is neither; more than `limit` bytes are refused.
#[pyfunction]
pub fn decompress(py: Python<'_>, path: String, limit: u64) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let content = interruptible(py, 1, move |cancelled| text_reader::decompress(&path, limit, cancelled))?;
    let Some(pieces) = content else { return Ok(None) };
    let whole = PyBytes::new_with(py, pieces.iter().map(Vec::len).sum(), |whole| {
        let mut rest = whole;
        for piece in pieces {
            let (own, later) = rest.split_at_mut(piece.len());
            own.copy_from_slice(&piece);
            rest = later;
        }
        Ok(())
    })?;
    Ok(Some(whole))
}

/// The line and the name of the first that stands twice in one object of JSON, or None.
#[pyfunction]
pub fn repeated_name(py: Python<'_>, path: String) -> PyResult<Option<(usize, String)>> {
    interruptible(py, 1, move |cancelled| json_names::repeated_name(&path, cancelled))
}

/// Plain rows of CSV or TSV; None where they are not plain.
///
/// A column is its name, the field that it is, and whether it is one of numbers.
#[pyfunction]
pub fn read_plain_rows(
    py: Python<'_>,
    text: PyBackedBytes,
    separator: char,
    fields: usize,
    columns: Vec<(String, usize, bool)>,
) -> PyResult<Option<Table>> {
    let plan = plain_rows::Plan { columns, fields, separator: separator as u8 };
    let read = move |_: &_| Ok(plain_rows::read(&text, &plan));
    Ok(interruptible(py, pool::cores(), read)?.map(Table))
}

/// Whether a row of CSV or TSV has more than so many fields.
#[pyfunction]
pub fn has_long_rows(py: Python<'_>, text: PyBackedBytes, separator: char, fields: usize) -> PyResult<bool> {
    unlocked(py, || plain_rows::has_long_rows(&text, separator as u8, fields))
}

/// About how many bytes there are in a file when it is decompressed.
#[pyfunction]
pub fn expanded_size(py: Python<'_>, path: String) -> PyResult<u64> {
    interruptible(py, 0, move |_| text_reader::expanded_size(&path))
}

/// The content of a file, decompressed while it is read.
#[pyclass(frozen, module = "rankmark._native")]
pub struct TextReader(Arc<Mutex<text_reader::TextReader>>);

#[pymethods]
impl TextReader {
    /// Opens a file; text that was compressed is refused if it is longer than `limit`.
    #[new]
    #[pyo3(signature = (path, progress, limit=u64::MAX))]
    fn new(py: Python<'_>, path: &str, progress: &Bound<'_, Progress>, limit: u64) -> PyResult<Self> {
        let content = text_reader::open(path, Arc::clone(&progress.get().0));
        let mut content = content.map_err(|error| raise(py, &error))?;
        content.limit = limit;
        Ok(Self(Arc::new(Mutex::new(content))))
    }

    /// Up to `limit` bytes: fewer only at the end.
    fn read<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = shared(py, 1, &self.0, move |content, cancelled| {
            let mut bytes = Vec::new();
            content.read_up_to(limit, &mut bytes, cancelled)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// A TREC text file; `side` is "qrels" or "run".
#[pyclass(frozen, module = "rankmark._native")]
pub struct TrecReader(Arc<Mutex<trec_reader::TrecReader>>);

#[pymethods]
impl TrecReader {
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        side: Chosen<Side>,
        size: usize,
        progress: &Bound<'_, Progress>,
    ) -> PyResult<Self> {
        let reader = trec_reader::TrecReader::open(path, side.0, Arc::clone(&progress.get().0), size.max(1));
        reader.map(|reader| Self(Arc::new(Mutex::new(reader)))).map_err(|error| raise(py, &error))
    }

    /// The rows of the next `size` bytes or so; None at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        Ok(shared(py, pool::cores(), &self.0, trec_reader::TrecReader::next)?.map(Table))
    }
}

/// Works on what Python holds, on `threads` threads without the GIL.
fn shared<S: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    state: &Arc<Mutex<S>>,
    work: impl FnOnce(&mut S, &AtomicBool) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let state = Arc::clone(state);
    interruptible(py, threads, move |cancelled| {
        work(&mut state.lock().unwrap_or_else(PoisonError::into_inner), cancelled)
    })
}
