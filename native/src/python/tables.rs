//! Tables: Arrow columns in and out.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Field, Schema};
use arrow_select::interleave::interleave;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};

use crate::core::column;
use crate::core::error::Error;
use crate::core::ids::{self, Ids};
use crate::core::table::{self, Family};
use crate::python::arrays::Array as NumpyArray;
use crate::python::errors::{arrow_error, raise};
use crate::python::running::unlocked;

/// Columns in Arrow memory, held without copying.
#[pyclass(frozen, module = "rankmark._native")]
pub struct Table(pub table::Table);

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
        Ok(Family::of(self.field(py, name)?.data_type()).name())
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

    /// The first values of a column of numbers, so many at most.
    fn first_numbers<'py>(&self, py: Python<'py>, name: &str, most: usize) -> NumpyArray<'py, f64> {
        let column = column::numbers(&self.0, name, name).map_err(|error| raise(py, &error))?;
        Ok(PyArray1::from_iter(py, (0..most.min(column.len())).map(|row| column.value(row))))
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
