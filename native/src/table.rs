//! Columns in Arrow memory, as they came from the caller.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};

/// A table of Arrow record batches that share one schema.
#[derive(Debug, Clone)]
pub struct Table {
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The rows, in order.
    pub batches: Vec<RecordBatch>,
}

/// The families of types that decide what a column can be used for.
pub fn kind(dtype: &DataType) -> &'static str {
    match dtype {
        DataType::Dictionary(_, values) => kind(values),
        DataType::Boolean => "boolean",
        DataType::Null => "null",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string",
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(_, _)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => "list",
        _ if dtype.is_integer() => "integer",
        _ if dtype.is_floating() || dtype.is_decimal() => "float",
        _ => "other",
    }
}

impl Table {
    /// Rows in all batches.
    pub fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}
