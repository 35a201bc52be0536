//! Items: their numbers, which of them users had, and what lists of them add up to.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::core::error::Error;
use crate::core::ids::Ids;
use crate::core::items::{Id, Items, Numbering, renumber};
use crate::core::lists::list::UNKNOWN;
use crate::core::pool;
use crate::core::sets::{self, Sets};
use crate::core::table::column_of;
use crate::python::errors::raise;
use crate::python::running::{self, unlocked};
use crate::python::tables::Table;

/// Items with numbers, from 0 in the order in which they come in some tables.
#[pyclass(frozen, module = "rankmark._native")]
pub struct ItemNumbers(pub Arc<Numbering>);

#[pymethods]
impl ItemNumbers {
    /// Numbers the items of columns: of tables, what messages call them, and their names.
    ///
    /// Gives the numbers, and those of the rows of each column.
    #[staticmethod]
    fn of<'py>(
        py: Python<'py>,
        columns: Vec<(Bound<'py, Table>, String, String)>,
    ) -> PyResult<(Self, Vec<Bound<'py, PyArray1<i32>>>)> {
        let tables: Vec<_> = columns.iter().map(|(table, what, name)| (&table.get().0, what, name)).collect();
        let found = unlocked(py, || {
            let whats: Vec<_> =
                tables.iter().map(|(_, what, name)| column_of(what, "item", name).to_string()).collect();
            let named = tables.iter().zip(&whats);
            let ids: Vec<_> = named
                .map(|(&(table, _, name), what)| Ids::new(table, name, what))
                .collect::<Result<_, Error>>()?;
            let mut items = Items::for_ids(&ids);
            let mut rows = Vec::with_capacity(ids.len());
            for ((ids, what), (table, ..)) in ids.iter().zip(&whats).zip(&tables) {
                let mut numbers = Vec::with_capacity(table.num_rows());
                items.add(ids, what, |number| numbers.push(number as i32))?;
                rows.push(numbers);
            }
            Ok((items, rows))
        })?;
        let (items, rows) = found.map_err(|error: Error| raise(py, &error))?;
        let numbers = Self(Arc::new(Numbering::new(items)));
        Ok((numbers, rows.into_iter().map(|numbers| numbers.into_pyarray(py)).collect()))
    }

    /// The same, which give items that they do not know numbers as these come.
    fn opened(&self) -> Self {
        Self(Arc::new(self.0.opened()))
    }

    /// The numbers of a column's rows, -1 for an item without one.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, Table>,
        what: &str,
        name: &str,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let table = &table.get().0;
        let found = unlocked(py, || {
            let what = column_of(what, "item", name).to_string();
            let mut rows = Vec::with_capacity(table.num_rows());
            let each = |number: Option<u32>| rows.push(number.map_or(UNKNOWN, |number| number as i32));
            self.0.rows(&Ids::new(table, name, &what)?, &what, each)?;
            Ok(rows)
        })?;
        found.map(|rows| rows.into_pyarray(py)).map_err(|error: Error| raise(py, &error))
    }

    /// How many items are known.
    fn __len__(&self) -> usize {
        self.0.known().len()
    }

    /// The ids of the items of these numbers.
    fn ids<'py>(&self, py: Python<'py>, numbers: PyReadonlyArray1<'py, i32>) -> PyResult<Bound<'py, PyList>> {
        let ids = PyList::empty(py);
        for &number in numbers.as_slice()? {
            match u32::try_from(number).ok().and_then(|number| self.0.id(number)) {
                Some(Id::Integer(id)) => ids.append(id)?,
                Some(Id::Text(id)) => ids.append(String::from_utf8_lossy(&id))?,
                None => return Err(PyIndexError::new_err(format!("no item has the number {number}"))),
            }
        }
        Ok(ids)
    }

    /// Gives items that are not known numbers that depend on the lists alone, in place; gives the old ones in the
    /// new order.
    fn renumber<'py>(
        &self,
        py: Python<'py>,
        mut lists: PyReadwriteArray1<'py, i32>,
        offsets: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let (lists, offsets) = (lists.as_slice_mut()?, offsets.as_slice()?);
        let work = || renumber(lists, offsets, self.0.known().len() as i32, self.0.end());
        Ok(unlocked(py, work)?.into_pyarray(py))
    }
}

/// Lists of numbers: one after the other, and where those of each begin.
type Lists<'py, T> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<T>>);

/// Rows of two numbers as a set of the second for each of the first, of which there are so many: where the numbers
/// of each begin, and the numbers, in each ascending.
#[pyfunction]
pub fn sets_of<'py>(
    py: Python<'py>,
    owners: PyReadonlyArray1<'py, i32>,
    members: PyReadonlyArray1<'py, i32>,
    count: usize,
) -> PyResult<Lists<'py, i32>> {
    let (owners, members) = (owners.as_slice()?, members.as_slice()?);
    if owners.len() != members.len() || owners.iter().any(|&owner| owner as usize >= count) {
        return Err(PyValueError::new_err("rows of two numbers, of which the first are below their count"));
    }
    let found = on_all_cores(py, owners.len(), || sets::sets_of(owners, members, count))?;
    Ok((found.offsets.into_pyarray(py), found.members.into_pyarray(py)))
}

/// Of rows of two numbers how many different ones of the first, of which there are so many, stand beside each of the
/// second.
#[pyfunction]
pub fn owners_of<'py>(
    py: Python<'py>,
    owners: PyReadonlyArray1<'py, i32>,
    members: PyReadonlyArray1<'py, i32>,
    counts: (usize, usize),
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (owners, members) = (owners.as_slice()?, members.as_slice()?);
    let below = |numbers: &[i32], count: usize| numbers.iter().all(|&number| (number as usize) < count);
    if owners.len() != members.len() || !below(owners, counts.0) || !below(members, counts.1) {
        return Err(PyValueError::new_err("rows of two numbers, which are below their counts"));
    }
    Ok(unlocked(py, || sets::owners_of(owners, members, counts.0, counts.1))?.into_pyarray(py))
}

/// In how many sets both numbers of each pair are, by the sets and by the sets that each number is in.
#[pyfunction]
pub fn owners_of_both<'py>(
    py: Python<'py>,
    sets: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    of_member: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    x: PyReadonlyArray1<'py, i32>,
    y: PyReadonlyArray1<'py, i32>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let sets = Sets { offsets: sets.0.as_slice()?, members: sets.1.as_slice()? };
    let of_member = Sets { offsets: of_member.0.as_slice()?, members: of_member.1.as_slice()? };
    let (x, y) = (x.as_slice()?, y.as_slice()?);
    if !sets.all_below(of_member) || !of_member.all_below(sets) {
        return Err(PyValueError::new_err("sets of numbers, and the sets that each number is in"));
    }
    if x.len() != y.len() || i32::try_from(x.len()).is_err() || x.iter().chain(y).any(|&one| one < 0) {
        return Err(PyValueError::new_err("pairs of numbers"));
    }
    let many = sets.members.len() + x.len();
    Ok(on_all_cores(py, many, || sets::owners_of_both(sets, of_member, x, y))?.into_pyarray(py))
}

/// How many different numbers, below `count`, the sets that each list names have together.
#[pyfunction]
pub fn different_of<'py>(
    py: Python<'py>,
    sets: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    lists: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    count: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let sets = Sets { offsets: sets.0.as_slice()?, members: sets.1.as_slice()? };
    let lists = Sets { offsets: lists.0.as_slice()?, members: lists.1.as_slice()? };
    if !lists.all_below(sets) || !sets.is_whole() || sets.members.iter().any(|&one| one as usize >= count) {
        return Err(PyValueError::new_err("lists of sets of numbers below their count"));
    }
    Ok(on_all_cores(py, lists.members.len(), || sets::different_of(sets, lists, count))?.into_pyarray(py))
}

/// Whether each number of some lists is in the set of its list; a list of the set -1 has none.
#[pyfunction]
pub fn in_sets<'py>(
    py: Python<'py>,
    sets: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    of_list: PyReadonlyArray1<'py, i64>,
    lists: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let sets = Sets { offsets: sets.0.as_slice()?, members: sets.1.as_slice()? };
    let lists = Sets { offsets: lists.0.as_slice()?, members: lists.1.as_slice()? };
    let of_list = of_list.as_slice()?;
    if !sets.is_whole() || !lists.is_whole() || lists.count() != of_list.len() {
        return Err(PyValueError::new_err("a set of each list, and where each list and each set begins"));
    }
    if of_list.iter().any(|&set| set >= sets.count() as i64) {
        return Err(PyValueError::new_err("no such set"));
    }
    Ok(on_all_cores(py, lists.members.len(), || sets::in_sets(sets, of_list, lists))?.into_pyarray(py))
}

/// For each list the sum of what its items are, a number each, added from left to right.
#[pyfunction]
pub fn sums_of<'py>(
    py: Python<'py>,
    numbers: PyReadonlyArray1<'py, f64>,
    lists: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let lists = Sets { offsets: lists.0.as_slice()?, members: lists.1.as_slice()? };
    let numbers = numbers.as_slice()?;
    if !lists.is_whole() || lists.members.iter().any(|&item| item as usize >= numbers.len()) {
        return Err(PyValueError::new_err("lists of items that have a number each"));
    }
    Ok(on_all_cores(py, lists.members.len(), || sets::sums_of(numbers, lists))?.into_pyarray(py))
}

/// How often each number below `count` is among these.
#[pyfunction]
pub fn counts_of<'py>(
    py: Python<'py>,
    numbers: PyReadonlyArray1<'py, i32>,
    count: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let numbers = numbers.as_slice()?;
    if numbers.iter().any(|&number| number as usize >= count) {
        return Err(PyValueError::new_err("numbers below their count"));
    }
    Ok(unlocked(py, || sets::counts_of(numbers, count))?.into_pyarray(py))
}

/// For each list the square of the sum of the vectors of its items, of which each is a row.
#[pyfunction]
pub fn squared_sums<'py>(
    py: Python<'py>,
    vectors: PyReadonlyArray2<'py, f64>,
    lists: (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let lists = Sets { offsets: lists.0.as_slice()?, members: lists.1.as_slice()? };
    let (rows, columns) = vectors.as_array().dim();
    let vectors = vectors.as_slice()?;
    if !lists.is_whole() || lists.members.iter().any(|&item| item as usize >= rows) {
        return Err(PyValueError::new_err("lists of the numbers of rows"));
    }
    let many = lists.members.len() * columns;
    Ok(on_all_cores(py, many, || sets::squared_sums(vectors, columns, lists))?.into_pyarray(py))
}

/// Numbers up to which a thread of its own is not worth it.
const FEW: usize = 1 << 16;

fn on_all_cores<T: Send>(py: Python<'_>, numbers: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let threads = running::threads(0, numbers < FEW);
    let pool = if threads == 0 { None } else { pool::pool(threads) };
    unlocked(py, || match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}
