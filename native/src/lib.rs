//! The core of rankmark. This file, `arrays`, `matrices`, `predictions` and `streams` alone know Python: Arrow columns
//! go in, NumPy arrays come out.

mod arrays;
mod calibration;
mod correlation;
mod decompress;
mod dense;
mod error;
mod group;
mod hash;
mod ids;
mod judge;
mod judged;
mod list;
mod matching;
mod matrices;
mod partition;
mod per_query;
mod places;
mod pool;
mod predictions;
mod progress;
mod query_sums;
mod ranked;
mod resample;
mod rows;
mod segments;
mod streams;
mod table;
mod trec;
mod values;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Field, Schema};
use arrow_select::interleave::interleave;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice, PyTuple};

use crate::error::Error;
use crate::ids::Ids;
use crate::list::{Duplicates, Rules, Ties};

/// An error of the core as its class in `rankmark.errors`.
fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let class = py.import("rankmark.errors").and_then(|errors| errors.getattr(error.class));
    match class.and_then(|class| class.call1((&error.message,))) {
        Ok(raised) => PyErr::from_value(raised),
        Err(missing) => missing,
    }
}

fn arrow_error(py: Python<'_>, error: &ArrowError) -> PyErr {
    raise(py, &Error::data(format!("the table cannot be read: {error}")))
}

/// Runs `work` on `threads` threads without the GIL, and lets Ctrl-C through while it runs.
///
/// With 0 threads the calling thread does it, and Ctrl-C waits for it: for what takes no longer than a moment.
/// `work` is told of an interrupt by its argument and should end soon after; a panic in it becomes a
/// RuntimeError.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> error::Result<T> + Send + 'static,
) -> PyResult<T> {
    let cancelled = Arc::new(AtomicBool::new(false));
    if threads == 0 {
        return unlocked(py, || work(&cancelled))?.map_err(|error| raise(py, &error));
    }
    let (sender, receiver) = sync_channel(1);
    let seen = Arc::clone(&cancelled);
    pool::pool(threads).spawn(move || {
        // The receiver waits until it has an answer, so sending cannot fail.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&seen))));
    });
    let (interrupt, outcome) = py.detach(move || {
        let mut interrupt = None;
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(outcome) => return (interrupt, outcome),
                Err(RecvTimeoutError::Timeout) if interrupt.is_none() => {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    cancelled.store(interrupt.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return (interrupt, Err(Box::new("a worker thread ended")));
                }
            }
        }
    });
    match interrupt {
        Some(interrupt) => Err(interrupt),
        None => outcome.map_err(fault)?.map_err(|error| raise(py, &error)),
    }
}

/// Runs `work` on the calling thread without the GIL; a panic in it becomes a RuntimeError.
fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(fault)
}

fn fault(panic: Box<dyn Any + Send>) -> PyErr {
    let message = panic_message(panic.as_ref());
    PyRuntimeError::new_err(format!("a fault in rankmark itself, please report it: {message}"))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let message = panic.downcast_ref::<&str>().copied();
    message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Columns in Arrow memory, held without copying.
#[pyclass(frozen, module = "rankmark._native")]
struct Table(table::Table);

#[pymethods]
impl Table {
    /// Takes any object with `__arrow_c_stream__` or `__arrow_c_array__`.
    #[staticmethod]
    fn from_arrow(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        if source.hasattr("__arrow_c_stream__")? {
            let capsule = source.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
            return import_stream(&capsule).map(Self).map_err(|error| arrow_error(py, &error));
        }
        if source.hasattr("__arrow_c_array__")? {
            let capsules = source.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            return import_array(&capsules)?.map(Self).map_err(|error| arrow_error(py, &error));
        }
        Err(PyTypeError::new_err("not a table: neither __arrow_c_stream__ nor __arrow_c_array__"))
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The family of a column's type.
    fn kind(&self, py: Python<'_>, name: &str) -> PyResult<&'static str> {
        Ok(table::kind(self.field(py, name)?.data_type()))
    }

    /// A column's type for messages: that of Arrow, but text is text, however it is kept.
    fn dtype(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        Ok(match self.field(py, name)?.data_type() {
            arrow_schema::DataType::Utf8
            | arrow_schema::DataType::LargeUtf8
            | arrow_schema::DataType::Utf8View => "text".to_owned(),
            other => other.to_string(),
        })
    }

    /// The values of a column of ids as Python objects.
    fn column_values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        match Ids::new(&self.0, name, name).map_err(|error| raise(py, &error))? {
            Ids::Integer(column) if ids::is_u64(self.field(py, name)?.data_type()) => {
                PyList::new(py, (0..column.len()).map(|row| column.value(row) as u64).collect::<Vec<_>>())
            }
            Ids::Integer(column) => {
                PyList::new(py, (0..column.len()).map(|row| column.value(row)).collect::<Vec<_>>())
            }
            Ids::Text(column) => PyList::new(
                py,
                (0..column.len()).map(|row| String::from_utf8_lossy(column.value(row))).collect::<Vec<_>>(),
            ),
        }
    }

    /// Some rows of one column, under a new name.
    fn take(
        &self,
        py: Python<'_>,
        name: &str,
        rows: PyReadonlyArray1<'_, u32>,
        new_name: &str,
    ) -> PyResult<Self> {
        let field = self.field(py, name)?.as_ref().clone().with_name(new_name);
        let taken = take(&self.0, name, rows.as_array().iter().map(|&row| row as usize), field);
        taken.map(Self).map_err(|error| arrow_error(py, &error))
    }

    /// The table as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer give its own schema where it cannot follow the request.
        let _ = requested_schema;
        let batches = self.0.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.0.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}

impl Table {
    fn field(&self, py: Python<'_>, name: &str) -> PyResult<&Arc<Field>> {
        let found = self.0.schema.fields().find(name);
        found.map(|(_, field)| field).ok_or_else(|| raise(py, &Error::data(format!("no column '{name}'"))))
    }
}

fn import_stream(capsule: &Bound<'_, PyCapsule>) -> Result<table::Table, ArrowError> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"));
    let pointer = pointer.map_err(|error| ArrowError::CDataInterface(error.to_string()))?;
    // SAFETY: a capsule of this name holds an ArrowArrayStream (Arrow PyCapsule interface); `from_raw` moves
    // it out and leaves a released stream behind, so that the capsule's destructor does nothing.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast()) }?;
    let schema = reader.schema();
    Ok(table::Table { schema, batches: reader.collect::<Result<_, _>>()? })
}

fn import_array(capsules: &Bound<'_, PyTuple>) -> PyResult<Result<table::Table, ArrowError>> {
    let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: capsules of these names hold an ArrowSchema and an ArrowArray of that schema (Arrow PyCapsule
    // interface). The array is moved out, which leaves a released one behind; the schema is only looked at
    // while its capsule lives.
    let imported = unsafe {
        let array = FFI_ArrowArray::from_raw(array.as_ptr().cast());
        from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
    };
    Ok(imported.and_then(|data| {
        if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
            return Err(ArrowError::CDataInterface("it is one column, not a table".to_owned()));
        }
        let batch = RecordBatch::from(StructArray::from(data));
        Ok(table::Table { schema: batch.schema(), batches: vec![batch] })
    }))
}

fn take(
    table: &table::Table,
    name: &str,
    rows: impl Iterator<Item = usize>,
    field: Field,
) -> Result<table::Table, ArrowError> {
    let mut starts = Vec::with_capacity(table.batches.len());
    let mut chunks: Vec<&dyn Array> = Vec::with_capacity(table.batches.len());
    let mut start = 0;
    for batch in &table.batches {
        starts.push(start);
        chunks.push(batch.column(table.schema.index_of(name)?).as_ref());
        start += batch.num_rows();
    }
    let places: Vec<(usize, usize)> = rows
        .map(|row| {
            let chunk = starts.partition_point(|&start| start <= row) - 1;
            (chunk, row - starts[chunk])
        })
        .collect();
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![interleave(&chunks, &places)?])?;
    Ok(table::Table { schema, batches: vec![batch] })
}

/// How many bytes of a file a running read has done.
#[pyclass(frozen, module = "rankmark._native")]
#[derive(Default)]
struct Progress(Arc<progress::Progress>);

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

/// Reads a TREC text file; `kind` is "qrels" or "run".
#[pyfunction]
fn read_trec(py: Python<'_>, path: String, kind: &str, progress: &Bound<'_, Progress>) -> PyResult<Table> {
    let kind = trec::Kind::parse(kind).ok_or_else(|| PyTypeError::new_err("kind is 'qrels' or 'run'"))?;
    let progress = Arc::clone(&progress.get().0);
    interruptible(py, pool::cores(), move |cancelled| trec::read(&path, kind, progress, cancelled)).map(Table)
}

/// The whole content of a gzip or zstd file, or None if the file is neither.
#[pyfunction]
#[pyo3(name = "decompress")]
fn decompress_file(py: Python<'_>, path: String) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let content = interruptible(py, 1, move |_| decompress::decompress(&path))?;
    Ok(content.map(|content| PyBytes::new(py, &content)))
}

/// The judged lists of some queries as flat arrays; `queries` is a slice or an array of their numbers.
#[pyclass(frozen, get_all, module = "rankmark._native")]
struct JudgedLists {
    queries: Py<PyAny>,
    rank: Py<PyArray1<i64>>,
    tied_first: Option<Py<PyArray1<i64>>>,
    tied_last: Option<Py<PyArray1<i64>>>,
    relevance: Py<PyArray1<f64>>,
    offsets: Py<PyArray1<i64>>,
    ideal: Py<PyArray1<f64>>,
    ideal_offsets: Py<PyArray1<i64>>,
    retrieved: Py<PyArray1<i64>>,
    answered: Py<PyArray1<bool>>,
    tied_rank: Py<PyArray1<i64>>,
}

impl JudgedLists {
    fn new(py: Python<'_>, lists: judged::JudgedLists) -> Self {
        let queries = match lists.queries {
            judged::Numbers::Range(range) => {
                PySlice::new(py, range.start as isize, range.end as isize, 1).into_any()
            }
            judged::Numbers::Each(numbers) => numbers.into_pyarray(py).into_any(),
        };
        let (tied_first, tied_last) = lists.tied.unzip();
        Self {
            queries: queries.unbind(),
            rank: lists.rank.into_pyarray(py).unbind(),
            tied_first: tied_first.map(|first| first.into_pyarray(py).unbind()),
            tied_last: tied_last.map(|last| last.into_pyarray(py).unbind()),
            relevance: lists.relevance.into_pyarray(py).unbind(),
            offsets: lists.offsets.into_pyarray(py).unbind(),
            ideal: lists.ideal.into_pyarray(py).unbind(),
            ideal_offsets: lists.ideal_offsets.into_pyarray(py).unbind(),
            retrieved: lists.retrieved.into_pyarray(py).unbind(),
            answered: lists.answered.into_pyarray(py).unbind(),
            tied_rank: lists.tied_rank.into_pyarray(py).unbind(),
        }
    }
}

/// A table, what messages call it, and the names of its query, item, value and rank columns.
type Columns<'py> = (Bound<'py, Table>, String, String, String, Option<String>, Option<String>);

fn source(columns: Columns<'_>) -> judge::Source {
    let (table, name, query, item, value, rank) = columns;
    judge::Source { table: table.get().0.clone(), name, query, item, value, rank }
}

/// Matches a run with the judgements and ranks it; `threads=0` means all cores.
///
/// `consume` is called with `JudgedLists` of some queries at a time, by any thread and in any order, or once
/// for all queries where `whole` is asked for. Gives the
/// first row of each judged query in the judgements, and the number of queries that are not judged.
#[pyfunction]
#[pyo3(signature = (qrels, run, consume, *, ties, seed, duplicates, unjudged, unjudged_queries, scores, whole, threads))]
#[expect(clippy::too_many_arguments, reason = "each is a choice with a name of its own")]
fn judge_lists<'py>(
    py: Python<'py>,
    qrels: Columns<'py>,
    run: Columns<'py>,
    consume: Py<PyAny>,
    ties: &str,
    seed: u64,
    duplicates: &str,
    unjudged: &str,
    unjudged_queries: &str,
    scores: &str,
    whole: bool,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<u32>>, usize)> {
    let rules = Rules {
        ties: ties_named(ties),
        duplicates: duplicates_named(duplicates),
        condensed: unjudged == "ignore",
        unsigned: false,
    };
    let plan = judge::Plan {
        rules,
        float32: scores == "float32",
        seed,
        refuse_unjudged_queries: unjudged_queries == "error",
        tie_groups: ties == "expected",
        whole,
    };
    let (qrels, results) = (source(qrels), source(run));
    let small = results.table.num_rows().max(qrels.table.num_rows()) < SMALL;
    let threads = if small {
        0
    } else if threads == 0 {
        pool::cores()
    } else {
        threads
    };
    let raised = Arc::new(Mutex::new(None));
    let first_raised = Arc::clone(&raised);
    let account = interruptible(py, threads, move |cancelled| {
        let consume = |lists| hand_over(&consume, lists, &first_raised);
        judge::judge(&qrels, &results, &plan, cancelled, &consume)
    })?;
    match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some((_, error)) => Err(error),
        None => Ok((account.first_rows.into_pyarray(py), account.unjudged_queries)),
    }
}

/// An exception raised for some queries, and the first of them.
type Raised = Mutex<Option<(u32, PyErr)>>;

/// Calls `consume` with the lists; of all exceptions that of the first queries is kept.
fn hand_over(consume: &Py<PyAny>, lists: judged::JudgedLists, raised: &Raised) {
    let Some(first) = lists.queries.first() else { return };
    Python::attach(|py| {
        if let Err(error) = consume.call1(py, (JudgedLists::new(py, lists),)) {
            let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
            if raised.as_ref().is_none_or(|&(earlier, _)| first < earlier) {
                *raised = Some((first, error));
            }
        }
    });
}

/// Rows below which the calling thread does the work: waking others costs more.
const SMALL: usize = 20_000;

/// The rule of a name that `rankmark.language.choices` has checked; under "expected" any order will do.
fn ties_named(name: &str) -> Ties {
    match name {
        "item-asc" => Ties::ItemAscending,
        "input" => Ties::Input,
        "best" => Ties::Best,
        "worst" => Ties::Worst,
        "random" => Ties::Random,
        _ => Ties::ItemDescending,
    }
}

fn duplicates_named(name: &str) -> Duplicates {
    match name {
        "first" => Duplicates::First,
        "best" => Duplicates::Best,
        _ => Duplicates::Error,
    }
}

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use super::arrays::{
        bootstrap_sums, exact_sum, permuted_ranges, ratio, segment_count, segment_descending, segment_first,
        segment_kept, segment_ranks, segment_running_product, segment_running_sum, segment_sum,
        segment_weighted_sum, settle, signed_sums,
    };
    #[pymodule_export]
    use super::matrices::{count_before, query_seeds, ranked_lists};
    #[pymodule_export]
    use super::predictions::{LabelledRows, LogOdds, QueryErrors, QuerySums, RankedScores};
    #[pymodule_export]
    use super::streams::{TextReader, TrecReader};
    #[pymodule_export]
    use super::{JudgedLists, Progress, Table, decompress_file, judge_lists, read_trec};
}
