//! Columns in Arrow memory, as they came from the caller.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use crate::core::texts::are_runs;

/// A table of Arrow record batches that share one schema.
#[derive(Debug, Clone)]
pub struct Table {
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The rows, in order.
    pub batches: Vec<RecordBatch>,
}

/// The family of a type, which decides what a column can be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// True or false.
    Boolean,
    /// Nothing but nulls.
    Null,
    /// Text.
    String,
    /// Values that are several.
    List,
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Float,
    /// All else.
    Other,
}

impl Family {
    /// That of a type, of a dictionary that of its values.
    pub fn of(dtype: &DataType) -> Self {
        match dtype {
            DataType::Dictionary(_, values) => Self::of(values),
            DataType::Boolean => Self::Boolean,
            DataType::Null => Self::Null,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::String,
            runs if are_runs(runs) => Self::String,
            DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(_, _)
            | DataType::ListView(_)
            | DataType::LargeListView(_) => Self::List,
            _ if dtype.is_integer() => Self::Integer,
            _ if dtype.is_floating() || dtype.is_decimal() => Self::Float,
            _ => Self::Other,
        }
    }

    /// What Python calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::String => "string",
            Self::List => "list",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Other => "other",
        }
    }
}

/// A column as messages call it, which is written where there is one.
#[derive(Clone, Copy)]
pub struct ColumnOf<'a> {
    table: &'a str,
    role: &'a str,
    column: &'a str,
}

/// The column of a table that has a role.
pub fn column_of<'a>(table: &'a str, role: &'a str, column: &'a str) -> ColumnOf<'a> {
    ColumnOf { table, role, column }
}

impl Display for ColumnOf<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let Self { table, role, column } = self;
        write!(to, "{table}: the {role} column '{column}'")
    }
}

impl Table {
    /// The columns of this table, all in one batch, and of another with as many rows.
    ///
    /// # Errors
    /// There are other rows, or more than one batch.
    pub fn beside(&self, other: &Self) -> Result<Self, ArrowError> {
        let [own] = &self.batches[..] else {
            return Err(ArrowError::InvalidArgumentError(
                "several batches stand beside no others".to_owned(),
            ));
        };
        if own.num_rows() != other.num_rows() {
            return Err(ArrowError::InvalidArgumentError("columns of different lengths".to_owned()));
        }
        let fields: Vec<_> = self.schema.fields().iter().chain(other.schema.fields()).cloned().collect();
        let schema = Arc::new(Schema::new(fields));
        let mut start = 0;
        let batch = |batch: &RecordBatch| {
            let beside = own.slice(start, batch.num_rows());
            start += batch.num_rows();
            let columns = beside.columns().iter().chain(batch.columns()).cloned();
            RecordBatch::try_new(Arc::clone(&schema), columns.collect())
        };
        let batches = other.batches.iter().map(batch).collect::<Result<_, _>>()?;
        Ok(Self { schema, batches })
    }

    /// The rows from this one on, in the same memory.
    pub fn rows_from(mut self, first: usize) -> Self {
        let mut before = first;
        self.batches.retain_mut(|batch| {
            let left_out = before.min(batch.num_rows());
            before -= left_out;
            *batch = batch.slice(left_out, batch.num_rows() - left_out);
            batch.num_rows() > 0
        });
        self
    }

    /// Rows in all batches.
    pub fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}
