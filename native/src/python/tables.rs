//! Tables: Arrow columns in and out.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{
    Array, ArrayReader, ArrayRef, Float64Array, Int32Array, LargeListArray, RecordBatch, RecordBatchIterator,
    make_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::interleave::interleave;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString, PyTuple};

use crate::core::column;
use crate::core::error::Error;
use crate::core::ids::{self, Ids};
use crate::core::items::first_rows;
use crate::core::pool;
use crate::core::table::{self, Family};
use crate::core::texts::{self, written_out};
use crate::python::errors::{arrow_error, raise};
use crate::python::objects::{self, Numbers};
use crate::python::running::{self, FEW_ROWS, interruptible, quietly, unlocked};
use crate::python::written::joined;

/// Columns in Arrow memory, held without copying.
#[pyclass(frozen, module = "rankmark._native")]
pub struct Table(pub table::Table);

#[pymethods]
impl Table {
    /// Takes any object with `__arrow_c_stream__` or `__arrow_c_array__`.
    ///
    /// What comes from elsewhere is looked through, value by value, for offsets and codes that lead nowhere: by
    /// pyarrow where it is pyarrow's, which alone knows how long its memory is.
    #[staticmethod]
    fn from_arrow(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        let module = source.get_type().module()?;
        let mut trusted = true;
        match module.to_cow()?.split('.').next() {
            Some("polars") => refuse_nul(source)?,
            Some("pyarrow") if source.hasattr("validate")? => validate(source)?,
            Some("rankmark") => {}
            _ => trusted = false,
        }
        let imported = if source.hasattr(intern!(py, "__arrow_c_stream__"))? {
            import_stream_of(source)?
        } else if source.hasattr("__arrow_c_array__")? {
            import_array(&source.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?)?
        } else {
            return Err(PyTypeError::new_err(
                "not a table: neither __arrow_c_stream__ nor __arrow_c_array__",
            ));
        };
        let checked = imported.and_then(|table| {
            let fault = if trusted { None } else { py.detach(|| invalid(&table)) };
            fault.map_or(Ok(table), Err)
        });
        checked.map(Self).map_err(|error| arrow_error(py, &error))
    }

    /// Takes a frame of polars, whose columns keep their pieces: handed out itself, it would copy them into one.
    ///
    /// Types are looked through where some may be `nested`.
    #[staticmethod]
    #[pyo3(signature = (frame, *, nested=true))]
    fn from_polars(frame: &Bound<'_, PyAny>, nested: bool) -> PyResult<Self> {
        let py = frame.py();
        match nested {
            true => refuse_nul(frame)?,
            false => frame
                .getattr(intern!(py, "columns"))?
                .try_iter()?
                .try_for_each(|name| refuse_nul_name(&name?))?,
        }
        let imported = import_stream_of(&frame.call_method0(intern!(py, "to_struct"))?)?;
        imported.map(Self).map_err(|error| arrow_error(py, &error))
    }

    /// The entries of dicts `{id: number}`, or of lists and tuples of ids, a row each: `query`, that of the entry,
    /// `item` and, of dicts, the number under its name.
    ///
    /// None where something else stands there, which the caller finds: ids that are not all texts, nor all
    /// integers of 64 bits, or a value that is no number; with `whole` floats are none, without `flags` booleans.
    #[staticmethod]
    #[pyo3(signature = (entries, queries, value, *, whole=false, flags=true))]
    fn from_entries(
        entries: &Bound<'_, PyList>,
        queries: &Bound<'_, PyList>,
        value: &str,
        whole: bool,
        flags: bool,
    ) -> Option<Self> {
        objects::of_entries(entries, queries, value, Numbers { whole, flags }).map(Self)
    }

    /// Tuples or lists `(query, item)` or, where the number has a name, `(query, item, number)`, a row each; None as
    /// of `from_entries`, and where there are rows of other lengths.
    #[staticmethod]
    #[pyo3(signature = (tuples, value, *, flags=true))]
    fn from_tuples(tuples: &Bound<'_, PyList>, value: Option<&str>, flags: bool) -> Option<Self> {
        objects::of_tuples(tuples, value, Numbers { whole: false, flags }).map(Self)
    }

    /// Those of some columns of Python objects that are plain: of texts, of integers or of floats alone; NaN is none.
    #[staticmethod]
    fn from_objects(py: Python<'_>, columns: Vec<(String, PyReadonlyArray1<'_, Py<PyAny>>)>) -> Option<Self> {
        objects::of_columns(&columns, py).map(Self)
    }

    /// The columns of this table and of another with as many rows.
    fn beside(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.0.beside(&other.0).map(Self).map_err(|error| arrow_error(py, &error))
    }

    /// A column of lists: the numbers, and where those of each row begin.
    #[staticmethod]
    fn of_lists(
        py: Python<'_>,
        name: &str,
        values: &Bound<'_, PyAny>,
        offsets: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let values: ArrayRef = match values.extract::<PyReadonlyArray1<'_, i32>>() {
            Ok(values) => Arc::new(Int32Array::from(values.as_slice()?.to_vec())),
            Err(_) => {
                let values = values.extract::<PyReadonlyArray1<'_, f64>>()?;
                Arc::new(Float64Array::from(values.as_slice()?.to_vec()))
            }
        };
        let offsets = offsets.as_slice()?;
        if offsets.first() != Some(&0) || !offsets.is_sorted() {
            return Err(PyValueError::new_err("offsets are not ascending from 0"));
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.to_vec()));
        let item = Arc::new(Field::new("item", values.data_type().clone(), true));
        let made = LargeListArray::try_new(item, offsets, values, None).and_then(|lists| {
            let field = Field::new(name, lists.data_type().clone(), false);
            let schema = Arc::new(Schema::new(vec![field]));
            let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(lists)])?;
            Ok(Self(table::Table { schema, batches: vec![batch] }))
        });
        made.map_err(|error| arrow_error(py, &error))
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
        Ok(Family::of(self.field(py, name)?.data_type()).name())
    }

    /// A column's type for messages: that of Arrow, but text is text, however it is kept.
    fn dtype(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        Ok(match self.field(py, name)?.data_type() {
            dtype @ DataType::Dictionary(_, _) => dtype.to_string(),
            dtype if Family::of(dtype) == Family::String => "text".to_owned(),
            other => other.to_string(),
        })
    }

    /// The values of a column of ids as Python objects.
    pub fn column_values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
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

    /// The values of a column of ids as JSON has them, with a text between them.
    fn json_values(&self, py: Python<'_>, name: &str, between: &str) -> PyResult<String> {
        let ids = Ids::new(&self.0, name, name).map_err(|error| raise(py, &error))?;
        let wide = ids::is_u64(self.field(py, name)?.data_type());
        unlocked(py, || match &ids {
            Ids::Integer(column) => {
                joined(0..column.len(), between, |written, row| match column.value(row) {
                    id if wide => written.integer(id as u64),
                    id => written.integer(id),
                })
            }
            Ids::Text(column) => joined(0..column.len(), between, |written, row| {
                written.json_text(&String::from_utf8_lossy(column.value(row)));
            }),
        })
    }

    /// The rows with this id in a column of ids, ascending.
    fn rows_of<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        sought: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let wide = ids::is_u64(self.field(py, name)?.data_type());
        let id = match sought.extract::<String>() {
            Ok(text) => Some(ids::Id::Text(text)),
            Err(_) if wide => sought.extract::<u64>().ok().map(|id| ids::Id::Integer(id as i64)),
            Err(_) => sought.extract().ok().map(ids::Id::Integer),
        };
        let Some(id) = id else { return Ok(PyArray1::from_vec(py, Vec::new())) };
        let (table, name) = (self.0.clone(), name.to_owned());
        let threads = running::threads(0, table.num_rows() < FEW_ROWS);
        let rows = interruptible(py, threads, move |_| Ok(Ids::new(&table, &name, &name)?.rows_of(&id)))?;
        Ok(rows.into_pyarray(py))
    }

    /// The first row of each id in a column of ids, ascending.
    fn first_rows<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ids = Ids::new(&self.0, name, name).map_err(|error| raise(py, &error))?;
        let rows = unlocked(py, || first_rows(&ids, name))?;
        Ok(rows.map_err(|error| raise(py, &error))?.into_pyarray(py))
    }

    /// Some rows, with all columns.
    fn at(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let rows = rows.as_array().to_vec();
        let taken =
            unlocked(py, || take(&self.0, self.0.schema.fields().iter().cloned().enumerate(), &rows))?;
        taken.map(Self).map_err(|error| arrow_error(py, &error))
    }

    /// The first values of a column of numbers, so many at most.
    fn first_numbers(&self, py: Python<'_>, name: &str, most: usize) -> PyResult<Vec<f64>> {
        let column = column::numbers(&self.0, name, name).map_err(|error| raise(py, &error))?;
        Ok((0..most.min(column.len())).map(|row| column.value(row)).collect())
    }

    /// The least and the greatest value of a column of numbers, and whether one of them is a fraction.
    fn range(&self, py: Python<'_>, name: &str) -> PyResult<(f64, f64, bool)> {
        unlocked(py, || column::range(&self.0, name))?.map_err(|error| raise(py, &error))
    }

    /// Some rows of one column, under a new name.
    fn take(
        &self,
        py: Python<'_>,
        name: &str,
        rows: PyReadonlyArray1<'_, u32>,
        new_name: &str,
    ) -> PyResult<Self> {
        self.taken(py, name, &rows.as_array().to_vec(), new_name)
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
        let table = written_out(&self.0).map_err(|error| arrow_error(py, &error))?;
        let reader = RecordBatchIterator::new(table.batches.into_iter().map(Ok), table.schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}

impl Table {
    fn field(&self, py: Python<'_>, name: &str) -> PyResult<&Arc<Field>> {
        let found = self.0.schema.fields().find(name);
        found.map(|(_, field)| field).ok_or_else(|| raise(py, &Error::data(format!("no column '{name}'"))))
    }

    /// Some rows of one column, under a new name.
    pub fn taken(&self, py: Python<'_>, name: &str, rows: &[u32], new_name: &str) -> PyResult<Self> {
        let field = self.field(py, name)?.as_ref().clone().with_name(new_name);
        let column =
            (self.0.schema.index_of(name).map_err(|error| arrow_error(py, &error))?, Arc::new(field));
        take(&self.0, [column], rows).map(Self).map_err(|error| arrow_error(py, &error))
    }
}

/// Rows that are read piece by piece, kept in less memory than the pieces take.
#[pyclass(frozen, module = "rankmark._native")]
#[derive(Default)]
pub struct Packed(Arc<Mutex<texts::Packed>>);

#[pymethods]
impl Packed {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the rows of a table with the same columns.
    fn add(&self, py: Python<'_>, table: &Table) -> PyResult<()> {
        let (packed, table) = (Arc::clone(&self.0), table.0.clone());
        let add = move |_: &_| packed.lock().unwrap_or_else(PoisonError::into_inner).add(&table);
        interruptible(py, pool::cores(), add)
    }

    /// All rows, which are given away; None if there was no table.
    fn table(&self) -> Option<Table> {
        let packed = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        packed.table().map(Table)
    }
}

/// Refuses names that hold NUL, at which polars ends the process when it hands them out; those of its columns, and
/// of the fields of nested types.
fn refuse_nul(source: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = source.py();
    match source.getattr_opt(intern!(py, "columns"))? {
        Some(names) => {
            let dtypes = source.getattr(intern!(py, "dtypes"))?;
            names
                .try_iter()?
                .zip(dtypes.try_iter()?)
                .try_for_each(|(name, dtype)| refuse_nul_in(&name?, &dtype?))
        }
        None => refuse_nul_in(&source.getattr(intern!(py, "name"))?, &source.getattr(intern!(py, "dtype"))?),
    }
}

fn refuse_nul_name(name: &Bound<'_, PyAny>) -> PyResult<()> {
    let text = name.extract::<&str>()?;
    if !text.contains('\0') {
        return Ok(());
    }
    let message =
        format!("the name of a column or of a field in it holds the character NUL: {text:?}; rename it");
    Err(raise(name.py(), &Error::data(message)))
}

fn refuse_nul_in(name: &Bound<'_, PyAny>, dtype: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = dtype.py();
    refuse_nul_name(name)?;
    if !dtype.call_method0(intern!(py, "is_nested"))?.is_truthy()? {
        return Ok(());
    }
    if let Some(inner) = dtype.getattr_opt("inner")? {
        return refuse_nul_in(PyString::new(py, "").as_any(), &inner);
    }
    let Some(fields) = dtype.getattr_opt("fields")? else { return Ok(()) };
    fields.try_iter()?.try_for_each(|field| {
        let field = field?;
        refuse_nul_in(&field.getattr("name")?, &field.getattr("dtype")?)
    })
}

/// Lets pyarrow look through what it holds.
fn validate(source: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = source.py();
    let full = PyDict::new(py);
    full.set_item("full", true)?;
    let found = source.call_method("validate", (), Some(&full)).map(drop);
    found.map_err(|error| match error.is_instance_of::<PyValueError>(py) {
        true => arrow_error(py, &ArrowError::InvalidArgumentError(error.value(py).to_string())),
        false => error,
    })
}

/// What is wrong with a table whose values were handed over: offsets and codes that lead nowhere, text that is not
/// UTF-8.
fn invalid(table: &table::Table) -> Option<ArrowError> {
    let columns = table.batches.iter().flat_map(RecordBatch::columns);
    columns.filter_map(|column| column.to_data().validate_full().err()).next()
}

/// Runs what Arrow panics in where structures are not what they should be; a panic is an error like others.
fn import<T>(work: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    quietly(work).unwrap_or_else(|message| Err(ArrowError::CDataInterface(message)))
}

fn import_stream_of(source: &Bound<'_, PyAny>) -> PyResult<Result<table::Table, ArrowError>> {
    let capsule =
        source.call_method0(intern!(source.py(), "__arrow_c_stream__"))?.cast_into::<PyCapsule>()?;
    Ok(import_stream(&capsule))
}

fn import_stream(capsule: &Bound<'_, PyCapsule>) -> Result<table::Table, ArrowError> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"));
    let pointer = pointer.map_err(|error| ArrowError::CDataInterface(error.to_string()))?;
    import(|| {
        // SAFETY: a capsule of this name holds an ArrowArrayStream (Arrow PyCapsule interface); `from_raw` moves
        // it out and leaves a released stream behind, so that the capsule's destructor does nothing.
        let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr().cast()) }?;
        let DataType::Struct(fields) = reader.field().data_type() else { return Err(one_column()) };
        let schema = Arc::new(Schema::new(fields.clone()));
        let batches = reader.map(|rows| batch_of(&rows?));
        Ok(table::Table { schema, batches: batches.collect::<Result<_, _>>()? })
    })
}

fn import_array(capsules: &Bound<'_, PyTuple>) -> PyResult<Result<table::Table, ArrowError>> {
    let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    Ok(import(|| {
        // SAFETY: capsules of these names hold an ArrowSchema and an ArrowArray (Arrow PyCapsule interface). The
        // array is moved out, which leaves a released one behind; the schema is only looked at while its capsule
        // lives.
        let (schema, array) = unsafe {
            (schema.cast::<FFI_ArrowSchema>().as_ref(), FFI_ArrowArray::from_raw(array.as_ptr().cast()))
        };
        if schema.release().is_none() || array.is_released() {
            return Err(ArrowError::CDataInterface("its data have been handed over before".to_owned()));
        }
        // SAFETY: both have not been released, and the producer says that they belong together.
        let rows = make_array(unsafe { from_ffi(array, schema) }?);
        let batch = batch_of(&rows)?;
        Ok(table::Table { schema: batch.schema(), batches: vec![batch] })
    }))
}

fn one_column() -> ArrowError {
    ArrowError::SchemaError("it is one column, not a table".to_owned())
}

/// Rows as a batch of columns.
///
/// # Errors
/// Rows that are null as a whole, which columns do not tell.
fn batch_of(rows: &ArrayRef) -> Result<RecordBatch, ArrowError> {
    let Some(rows) = rows.as_struct_opt() else { return Err(one_column()) };
    match rows.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Ok(RecordBatch::from(rows)),
        Some(nulls) => Err(ArrowError::InvalidArgumentError(format!(
            "{} of its rows are null as a whole; remove those rows",
            nulls.null_count()
        ))),
    }
}

/// Some rows of columns, of each of which its place and what it is from then on.
fn take(
    table: &table::Table,
    columns: impl IntoIterator<Item = (usize, Arc<Field>)>,
    rows: &[u32],
) -> Result<table::Table, ArrowError> {
    let mut starts = Vec::with_capacity(table.batches.len());
    let mut start = 0;
    for batch in &table.batches {
        starts.push(start);
        start += batch.num_rows();
    }
    let places: Vec<(usize, usize)> = rows
        .iter()
        .map(|&row| {
            let row = row as usize;
            let chunk = starts.partition_point(|&start| start <= row) - 1;
            (chunk, row - starts[chunk])
        })
        .collect();
    let (columns, fields): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    if table.batches.is_empty() {
        return Ok(table::Table { schema, batches: Vec::new() });
    }
    let taken = columns.into_iter().map(|column| {
        let chunks: Vec<&dyn Array> =
            table.batches.iter().map(|batch| batch.column(column).as_ref()).collect();
        interleave(&chunks, &places)
    });
    let batch = RecordBatch::try_new(Arc::clone(&schema), taken.collect::<Result<_, _>>()?)?;
    Ok(table::Table { schema, batches: vec![batch] })
}
