//! Python's own values as columns: each is looked at once, and its text copied to where the core reads it.
//!
//! What is taken is plain: texts, integers of 64 bits, numbers. Of all else there is no table, and the caller, who has
//! the words, finds what it is. Values are borrowed from what holds them, since counting who uses each would write to
//! all of them.

use std::iter::{self, repeat_n};
use std::sync::Arc;
use std::{ptr, slice};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::{Borrowed, ffi};

use crate::core::column::prefetch_line;
use crate::core::table::Table;
use crate::core::texts::{Runs, Texts};

/// Values that are on their way to the cache at once. Python's lie anywhere in memory.
const AHEAD: usize = 16;

/// Values by which is told whether those that follow one another are often the same.
const SAMPLED: usize = 1 << 10;

/// A value that is there as long as what holds it does not change.
type Value<'a, 'py> = Borrowed<'a, 'py, PyAny>;

/// Which values are numbers.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// No floats.
    pub whole: bool,
    /// Booleans, too.
    pub flags: bool,
}

/// Sets attributes of an object whose class refuses it, as where it is made.
#[pyfunction]
pub fn set_attributes(
    object: &Bound<'_, PyAny>,
    names: &Bound<'_, PyTuple>,
    values: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    for (name, value) in names.iter_borrowed().zip(values.iter_borrowed()) {
        // SAFETY: all three are alive, and the interpreter is held; what fails has set an exception.
        let failed = unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), name.as_ptr(), value.as_ptr()) };
        if failed != 0 {
            return Err(PyErr::fetch(object.py()));
        }
    }
    Ok(())
}

/// The entries of dicts `{id: number}`, or of lists and tuples of ids, a row each: `query`, that of the entry, `item`
/// and, of dicts, the number under its name.
pub fn of_entries(
    entries: &Bound<'_, PyList>,
    queries: &Bound<'_, PyList>,
    value: &str,
    numbers: Numbers,
) -> Option<Table> {
    let valued = entries.iter().next().is_none_or(|first| first.is_instance_of::<PyDict>());
    let lengths = entries.iter().map(|entry| match entry.cast::<PyDict>() {
        Ok(dict) => dict.len(),
        Err(_) => entry.len().unwrap_or(0),
    });
    let mut rows = Rows::new(lengths.sum(), Some(value).filter(|_| valued), numbers);
    for (entry, query) in entries.iter().zip(queries) {
        let before = rows.items.len();
        if valued {
            for entry in fetched(entries_of(entry.cast().ok()?)) {
                let [item, number] = entry?;
                rows.push(item, Some(number))?;
            }
        } else {
            for item in fetched(values_of(entry.as_borrowed())?) {
                let [item] = item?;
                rows.push(item, None)?;
            }
        }
        rows.queries.push(query.as_borrowed(), rows.items.len() - before)?;
    }
    rows.table()
}

/// Tuples or lists `(query, item)` or, where the number has a name, `(query, item, number)`, a row each.
pub fn of_tuples(tuples: &Bound<'_, PyList>, value: Option<&str>, numbers: Numbers) -> Option<Table> {
    let rows = Rows::new(tuples.len(), value, numbers);
    let tuples = fetched(values_of(tuples.as_any().as_borrowed())?);
    match value {
        None => rows.with(fetched(tuples.map(|tuple| parts::<2>(tuple?)))),
        Some(_) => rows.with(fetched(tuples.map(|tuple| parts::<3>(tuple?)))),
    }
}

/// Those of some columns of objects that are plain: of texts, of integers or of floats alone; NaN is none.
pub fn of_columns(columns: &[(String, PyReadonlyArray1<'_, Py<PyAny>>)], py: Python<'_>) -> Option<Table> {
    let plain = columns.iter().filter_map(|(name, values)| {
        let values = values.as_array();
        let each = || {
            values.iter().enumerate().map(|(row, value)| {
                values.get(row + AHEAD).into_iter().for_each(|later| prefetch(later.as_ptr()));
                value.bind_borrowed(py)
            })
        };
        let column: ArrayRef = match each().next()?.is_instance_of::<PyFloat>() {
            true => {
                let mut numbers = Vec::with_capacity(values.len());
                each().try_for_each(|value| float(value).map(|number| numbers.push(number)))?;
                Arc::new(Float64Array::from(numbers))
            }
            false => {
                let first = || each().take(SAMPLED).map_while(text);
                let repeated = first().zip(first().skip(1)).filter(|(before, own)| before == own).count();
                let mut ids =
                    if repeated > 0 { Ids::repeated(values.len()) } else { Ids::distinct(values.len()) };
                each().try_for_each(|value| ids.push(value, 1))?;
                ids.finish()?
            }
        };
        Some((name.as_str(), column))
    });
    table_of(plain.collect())
}

/// Rows that are being read, a column each.
struct Rows<'a> {
    queries: Ids,
    items: Ids,
    values: Option<(&'a str, Vec<f64>)>,
    numbers: Numbers,
}

impl<'a> Rows<'a> {
    /// None yet, and room for so many.
    fn new(rows: usize, value: Option<&'a str>, numbers: Numbers) -> Self {
        Self {
            queries: Ids::repeated(rows),
            items: Ids::distinct(rows),
            values: value.map(|name| (name, Vec::with_capacity(rows))),
            numbers,
        }
    }

    /// The table when rows of a query, an item and, where there are such, a number have been added.
    fn with<'v, 'py: 'v, const N: usize>(
        mut self,
        rows: impl Iterator<Item = Option<[Value<'v, 'py>; N]>>,
    ) -> Option<Table> {
        for row in rows {
            let row = row?;
            self.queries.push(row[0], 1)?;
            self.push(row[1], row.get(2).copied())?;
        }
        self.table()
    }

    /// Adds an item, and a number where there are such.
    fn push(&mut self, item: Value<'_, '_>, number: Option<Value<'_, '_>>) -> Option<()> {
        match (&mut self.values, number) {
            (Some((_, values)), Some(number)) => values.push(self.numbers.number(number)?),
            (None, None) => {}
            _ => return None,
        }
        self.items.push(item, 1)
    }

    fn table(self) -> Option<Table> {
        let mut columns = vec![("query", self.queries.finish()?), ("item", self.items.finish()?)];
        columns.extend(
            self.values.map(|(name, values)| (name, Arc::new(Float64Array::from(values)) as ArrayRef)),
        );
        table_of(columns)
    }
}

/// A column of ids, all of them texts or all integers, as the first is.
struct Ids {
    column: Column,
    rows: usize,
    repeated: bool,
}

enum Column {
    Empty,
    Texts(Texts),
    Runs(Runs),
    Integers(Vec<i64>),
}

impl Ids {
    /// Ids of which those that follow one another may often be the same.
    fn repeated(rows: usize) -> Self {
        Self { column: Column::Empty, rows, repeated: true }
    }

    /// Others.
    fn distinct(rows: usize) -> Self {
        Self { column: Column::Empty, rows, repeated: false }
    }

    fn len(&self) -> usize {
        match &self.column {
            Column::Empty => 0,
            Column::Texts(texts) => texts.len(),
            Column::Runs(runs) => runs.len(),
            Column::Integers(integers) => integers.len(),
        }
    }

    /// Adds an id in so many rows.
    #[inline]
    fn push(&mut self, id: Value<'_, '_>, rows: usize) -> Option<()> {
        match &mut self.column {
            Column::Texts(texts) => repeat_n(text(id)?, rows).for_each(|text| texts.push(Some(text))),
            Column::Runs(runs) => runs.push_rows(Some(text(id)?), rows),
            Column::Integers(integers) => integers.extend(repeat_n(integer(id)?, rows)),
            Column::Empty => {
                self.column = match id.is_instance_of::<PyString>() {
                    true if self.repeated => Column::Runs(Runs::new()),
                    true => Column::Texts(Texts::with_capacity(self.rows)),
                    false => Column::Integers(Vec::with_capacity(self.rows)),
                };
                return self.push(id, rows);
            }
        }
        Some(())
    }

    /// The column; nothing where there are 2 GiB of text.
    fn finish(self) -> Option<ArrayRef> {
        Some(match self.column {
            Column::Empty => Arc::new(Texts::with_capacity(0).finish().ok()?),
            Column::Texts(texts) => Arc::new(texts.finish().ok()?),
            Column::Runs(runs) => runs.finish_shortest().ok()?,
            Column::Integers(integers) => Arc::new(Int64Array::from(integers)),
        })
    }
}

impl Numbers {
    /// A number as one of 64 bits.
    #[inline]
    fn number(self, value: Value<'_, '_>) -> Option<f64> {
        if let Ok(float) = value.cast::<PyFloat>() {
            return (!self.whole).then(|| float.value());
        }
        let is_integer = value.is_instance_of::<PyInt>() && (self.flags || !value.is_instance_of::<PyBool>());
        if !is_integer {
            return None;
        }
        // SAFETY: it is an integer, whose conversion runs nothing of a class of the user's.
        let number = unsafe { ffi::PyLong_AsDouble(value.as_ptr()) };
        if number == -1.0 && PyErr::take(value.py()).is_some() { None } else { Some(number) }
    }
}

/// The UTF-8 of a text; nothing of what is none, or has half of a character.
#[inline]
fn text<'a>(id: Value<'a, '_>) -> Option<&'a [u8]> {
    if !id.is_exact_instance_of::<PyString>() && !id.is_instance_of::<PyString>() {
        return None;
    }
    let mut length = 0;
    // SAFETY: it is a text, in which its UTF-8 is kept as long as it lives.
    let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(id.as_ptr(), &mut length) };
    if start.is_null() {
        PyErr::take(id.py());
        return None;
    }
    // SAFETY: as above; so many bytes begin there, none where the text is empty.
    Some(unsafe { slice::from_raw_parts(start.cast(), length as usize) })
}

#[inline]
fn integer(id: Value<'_, '_>) -> Option<i64> {
    let integer = id.cast::<PyInt>().ok()?;
    if integer.is_instance_of::<PyBool>() { None } else { integer.extract().ok() }
}

fn float(value: Value<'_, '_>) -> Option<f64> {
    value.cast::<PyFloat>().ok().map(|float| float.value()).filter(|number| !number.is_nan())
}

/// What a dict holds.
fn entries_of<'a, 'py>(dict: &'a Bound<'py, PyDict>) -> impl Iterator<Item = Option<[Value<'a, 'py>; 2]>> {
    let (mut place, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
    iter::from_fn(move || {
        // SAFETY: the dict is alive, and what it lends stays in it: the interpreter is held, and to look at texts and
        // numbers, all that callers do, runs no code that could change it.
        let found = unsafe { ffi::PyDict_Next(dict.as_ptr(), &mut place, &mut key, &mut value) } != 0;
        // SAFETY: as above; both were written by the call.
        found.then(|| Some(unsafe { [key, value].map(|each| Value::from_ptr(dict.py(), each)) }))
    })
}

/// What a list or a tuple holds.
fn values_of<'a, 'py>(values: Value<'a, 'py>) -> Option<impl Iterator<Item = Option<[Value<'a, 'py>; 1]>>> {
    let places = 0..length(values)?;
    Some(places.map(move |place| Some([value_at(values, place)?])))
}

/// The values of a row, if it has so many.
fn parts<'a, 'py, const N: usize>([row]: [Value<'a, 'py>; 1]) -> Option<[Value<'a, 'py>; N]> {
    if length(row)? != N {
        return None;
    }
    let mut values = [row; N];
    for (place, value) in values.iter_mut().enumerate() {
        *value = value_at(row, place)?;
    }
    Some(values)
}

/// The same values, each when it is on its way to the cache together with some that follow.
fn fetched<'a, 'py: 'a, const N: usize>(
    mut values: impl Iterator<Item = Option<[Value<'a, 'py>; N]>>,
) -> impl Iterator<Item = Option<[Value<'a, 'py>; N]>> {
    let (mut some, mut next) = (Vec::with_capacity(AHEAD), 0..0);
    iter::from_fn(move || {
        if next.is_empty() {
            some.clear();
            some.extend(values.by_ref().take(AHEAD));
            some.iter().flatten().flatten().for_each(|value| prefetch(value.as_ptr()));
            next = 0..some.len();
        }
        some.get(next.next()?).copied()
    })
}

/// Has a value brought into the cache: what it is, and the text in it if that is short.
fn prefetch(value: *const ffi::PyObject) {
    [0, 63].iter().for_each(|&at| prefetch_line(value.cast::<u8>().wrapping_add(at)));
}

fn length(values: Value<'_, '_>) -> Option<usize> {
    match values.cast_exact::<PyTuple>() {
        Ok(tuple) => Some(tuple.len()),
        Err(_) => values.cast_exact::<PyList>().ok().map(|list| list.len()),
    }
}

/// What a list or a tuple has at a place; nothing beyond its end.
fn value_at<'a, 'py>(values: Value<'a, 'py>, place: usize) -> Option<Value<'a, 'py>> {
    let (of, at) = (values.as_ptr(), place as ffi::Py_ssize_t);
    // SAFETY: it is alive, and of the type that is asked for; what it lends stays in it, as in `each_entry`. Beyond the
    // end there is nothing.
    unsafe {
        let found = if values.is_exact_instance_of::<PyTuple>() {
            ffi::PyTuple_GetItem(of, at)
        } else {
            ffi::PyList_GetItem(of, at)
        };
        Value::from_ptr_or_opt(values.py(), found)
    }
}

/// Columns with their names as a table, if there are any.
fn table_of(columns: Vec<(&str, ArrayRef)>) -> Option<Table> {
    let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), false);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let columns: Vec<ArrayRef> = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).ok()?;
    Some(Table { schema, batches: vec![batch] })
}
