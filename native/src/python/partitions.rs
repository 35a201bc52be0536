//! Tables larger than memory, dealt out.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::core::error::Result;
use crate::core::group::come_back;
use crate::core::ids::Ids;
use crate::core::{pool, spill};
use crate::python::errors::raise;
use crate::python::running::{interruptible, unlocked};
use crate::python::tables::Table;

/// Tables dealt out to partitions, in memory while there is room, then in files.
#[pyclass(frozen, module = "rankmark._native")]
pub struct Partitions(Arc<Mutex<spill::Partitions>>);

#[pymethods]
impl Partitions {
    /// Partitions without rows: so many, whose files will be in a folder; `level` says by which bits of a hash, and
    /// `room` how many bytes may stay in memory, of about `expected` that will be dealt out.
    #[new]
    fn new(folder: PathBuf, count: u16, level: u64, room: usize, expected: usize) -> Self {
        Self(Arc::new(Mutex::new(spill::Partitions::new(folder, count.into(), level, room, expected))))
    }

    /// Adds rows of the table of this name by a hash of the ids in a column; those of an id keep their order.
    fn deal(&self, py: Python<'_>, name: String, table: &Table, column: String) -> PyResult<()> {
        let table = table.0.clone();
        self.run(py, move |partitions| partitions.deal(&name, &table, &column))
    }

    /// Adds rows to the partitions of these numbers, in their order; 65535 leaves one out.
    fn deal_to(
        &self,
        py: Python<'_>,
        name: String,
        table: &Table,
        places: PyReadonlyArray1<'_, u16>,
    ) -> PyResult<()> {
        let (table, places) = (table.0.clone(), places.as_slice()?.to_vec());
        self.run(py, move |partitions| partitions.deal_to(&name, &table, &places))
    }

    /// Bytes of a partition of all tables.
    fn size(&self, partition: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).size(partition)
    }

    /// The rows of a table in a partition, which are given away, in their order: a table for each change of types.
    fn take(&self, py: Python<'_>, name: String, partition: usize) -> PyResult<Vec<Table>> {
        let tables = self.run(py, move |partitions| partitions.take(&name, partition))?;
        Ok(tables.into_iter().map(Table).collect())
    }
}

impl Partitions {
    /// Does what may fail for the rows, and as files may.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut spill::Partitions) -> Result<io::Result<T>> + Send + 'static,
    ) -> PyResult<T> {
        let partitions = Arc::clone(&self.0);
        let work = move |_: &_| work(&mut partitions.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(interruptible(py, pool::cores(), work)??)
    }
}

/// Where each number of a column stands among rising borders: twice the number of those below it, and one more if it is
/// equal to one.
#[pyfunction]
pub fn places_between<'py>(
    py: Python<'py>,
    table: &Table,
    column: String,
    borders: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<u16>>> {
    let (table, borders) = (table.0.clone(), borders.as_slice()?.to_vec());
    let places = interruptible(py, pool::cores(), move |_| spill::places_between(&table, &column, &borders))?;
    Ok(places.into_pyarray(py))
}

/// Whether many queries have rows again after those of others, in a column of ids.
#[pyfunction]
pub fn queries_come_back(py: Python<'_>, table: &Table, column: &str) -> PyResult<bool> {
    let found = unlocked(py, || {
        Ok(match Ids::new(&table.0, column, column)? {
            Ids::Integer(ids) => come_back(&ids),
            Ids::Text(ids) => come_back(&ids),
        })
    });
    found?.map_err(|error| raise(py, &error))
}
