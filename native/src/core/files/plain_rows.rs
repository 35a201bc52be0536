//! Rows of CSV and TSV that are plain: without quotes, and with a number wherever there has to be one.
//!
//! Whatever is not plain is left to a reader that knows all of CSV, and what to say of what is none.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::core::files::trec_reader::chunks;
use crate::core::pool;
use crate::core::table::Table;
use crate::core::texts::{Runs, Texts, are_runs, packed_schema};

/// Bytes by which it is told in which columns texts are repeated.
const SAMPLE: usize = 1 << 16;

/// Which columns are read: the names, the fields they are, and whether these are numbers.
pub struct Plan {
    /// Their names, in the order in which they are wanted.
    pub columns: Vec<(String, usize, bool)>,
    /// How many fields a row has.
    pub fields: usize,
    /// What stands between them.
    pub separator: u8,
}

/// The rows of a text, on the threads of the pool that this is called in; nothing where it is not plain.
pub fn read(text: &[u8], plan: &Plan) -> Option<Table> {
    if text.contains(&b'"') {
        return None;
    }
    let sample =
        text[..text.len().min(SAMPLE)].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let batch = plan.read(&text[..sample], &plan.schema())?;
    let schema = packed_schema(&Table { schema: plan.schema(), batches: vec![batch] });
    let chunks: Vec<Range<usize>> = chunks(text);
    let batches = pool::map(chunks.len(), |chunk| plan.read(&text[chunks[chunk].clone()], &schema));
    Some(Table { batches: batches.into_iter().collect::<Option<_>>()?, schema })
}

/// Whether a row of any CSV has more than so many fields: a quote begins a field, or is part of it.
pub fn has_long_rows(text: &[u8], separator: u8, fields: usize) -> bool {
    let (mut at, mut separators) = (At::Start, 0);
    text.iter().any(|&byte| {
        at = match (at, byte) {
            (At::Start | At::Closed, b'"') => At::Quoted,
            (At::Quoted, b'"') => At::Closed,
            (At::Quoted, _) => At::Quoted,
            (_, b'\n') => {
                separators = 0;
                At::Start
            }
            (_, byte) if byte == separator => {
                separators += 1;
                At::Start
            }
            _ => At::Plain,
        };
        separators >= fields
    })
}

/// Where a reader of a field is.
#[derive(Clone, Copy)]
enum At {
    Start,
    Plain,
    Quoted,
    /// After a quote that ends it, unless another follows.
    Closed,
}

/// A column that is being read.
enum Column {
    Texts(Texts),
    Runs(Runs),
    Numbers(Vec<f64>),
}

impl Column {
    /// None yet, and room for so many.
    fn with_capacity(rows: usize, dtype: &DataType) -> Self {
        match dtype {
            DataType::Float64 => Self::Numbers(Vec::with_capacity(rows)),
            runs if are_runs(runs) => Self::Runs(Runs::new()),
            _ => Self::Texts(Texts::with_capacity(rows)),
        }
    }

    /// Adds a field; an empty text is none. False for what is no number.
    fn push(&mut self, field: &[u8]) -> bool {
        let text = Some(field).filter(|field| !field.is_empty());
        match self {
            Self::Texts(texts) => texts.push(text),
            Self::Runs(runs) => runs.push(text),
            Self::Numbers(numbers) => match number(field) {
                Some(number) => numbers.push(number),
                None => return false,
            },
        }
        true
    }

    /// The column; nothing where texts are not UTF-8.
    fn finish(self) -> Option<ArrayRef> {
        Some(match self {
            Self::Texts(texts) => Arc::new(texts.finish().ok()?),
            Self::Runs(runs) => Arc::new(runs.finish().ok()?),
            Self::Numbers(numbers) => Arc::new(Float64Array::from(numbers)),
        })
    }
}

/// A finite number in digits, as everybody reads it.
fn number(field: &[u8]) -> Option<f64> {
    let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    if field.first() == Some(&b'+') || !field.iter().all(is_plain) {
        return None;
    }
    std::str::from_utf8(field).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

impl Plan {
    /// The columns' names, and the types in which they are read at first.
    fn schema(&self) -> SchemaRef {
        let field = |(name, _, is_number): &(String, usize, bool)| {
            Field::new(name, if *is_number { DataType::Float64 } else { DataType::Utf8 }, true)
        };
        Arc::new(Schema::new(self.columns.iter().map(field).collect::<Vec<_>>()))
    }

    fn read(&self, text: &[u8], schema: &SchemaRef) -> Option<RecordBatch> {
        let ends = text.iter().filter(|&&byte| byte == b'\n').count();
        let last = usize::from(!text.is_empty() && !text.ends_with(b"\n"));
        let mut rows = Rows::with_capacity(ends + last, self, schema)?;
        let mut start = 0;
        for (at, &byte) in text.iter().enumerate() {
            if byte == self.separator {
                rows.take(&text[start..at])?;
                start = at + 1;
            } else if byte == b'\n' {
                rows.take_last(&text[start..at])?;
                start = at + 1;
            }
        }
        if start < text.len() {
            rows.take_last(&text[start..])?;
        }
        let columns: Option<Vec<ArrayRef>> = rows.columns.into_iter().map(Column::finish).collect();
        RecordBatch::try_new(Arc::clone(schema), columns?).ok()
    }
}

/// The rows so far.
struct Rows {
    columns: Vec<Column>,
    /// For each field of a row the number of its column.
    column_at: Vec<Option<usize>>,
    /// The next field.
    field: usize,
}

impl Rows {
    /// None yet, and room for as many as there are: what is not asked for little by little leaves no gaps.
    fn with_capacity(rows: usize, plan: &Plan, schema: &SchemaRef) -> Option<Self> {
        let mut column_at = vec![None; plan.fields];
        for (number, &(_, at, _)) in plan.columns.iter().enumerate() {
            *column_at.get_mut(at)? = Some(number);
        }
        let column = |field: &Arc<Field>| Column::with_capacity(rows, field.data_type());
        let columns = schema.fields().iter().map(column).collect();
        Some(Self { columns, column_at, field: 0 })
    }

    /// Takes the next field of a row; nothing where it is none.
    fn take(&mut self, field: &[u8]) -> Option<()> {
        let column = *self.column_at.get(self.field)?;
        self.field += 1;
        column.is_none_or(|column| self.columns[column].push(field)).then_some(())
    }

    /// The same of the last.
    fn take_last(&mut self, field: &[u8]) -> Option<()> {
        self.take(field.strip_suffix(b"\r").unwrap_or(field))?;
        (std::mem::take(&mut self.field) == self.column_at.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;

    use super::*;
    use crate::core::texts::written_out;

    type Row = (Option<String>, f64);

    fn rows(text: &str) -> Option<Vec<Row>> {
        let columns = vec![("id".to_owned(), 2, false), ("value".to_owned(), 0, true)];
        let table = read(text.as_bytes(), &Plan { columns, fields: 3, separator: b',' })?;
        let of = |batch: &RecordBatch| -> Vec<Row> {
            let (ids, values) =
                (batch.column(0).as_string::<i32>(), batch.column(1).as_primitive::<Float64Type>());
            let id = |row| (!ids.is_null(row)).then(|| ids.value(row).to_owned());
            (0..batch.num_rows()).map(|row| (id(row), values.value(row))).collect()
        };
        Some(written_out(&table).unwrap().batches.iter().flat_map(of).collect())
    }

    fn row(id: &str, value: f64) -> Row {
        (Some(id.to_owned()), value)
    }

    #[test]
    fn plain_rows_are_read() {
        assert_eq!(
            rows("1,x,a\n-.5,,a\r\n2e1,x,é"),
            Some(vec![row("a", 1.0), row("a", -0.5), row("é", 20.0)])
        );
        assert_eq!(rows("1,x,\n"), Some(vec![(None, 1.0)]));
        let text: String = (0..100_000).map(|i| format!("{i}.5,something,{}\n", i / 10)).collect();
        let found = rows(&text).unwrap();
        assert!(
            found.iter().enumerate().all(|(i, found)| *found == row(&(i / 10).to_string(), i as f64 + 0.5))
        );
    }

    #[test]
    fn rows_with_more_fields_than_columns_are_seen() {
        for (text, is_long) in [
            ("a,b\n1,2\n", false),
            ("a,b\n1,2,3\n", true),
            ("a,b\n1,2\n3,4,5", true),
            ("a,b\n\"1,2\",3\n", false),
            ("a,b\n\"1\n,2\",\"3\"\"\"\n", false),
            ("a,b\n\"1\",2,\n", true),
            ("a,b\n5\" disk,2\n1,6\" disk,3\n", true),
            ("a,b\n5\" disk,2\n", false),
            ("a\n1\n", false),
            ("", false),
        ] {
            assert_eq!(has_long_rows(text.as_bytes(), b',', 2), is_long, "{text}");
        }
    }

    #[test]
    fn others_are_not() {
        for text in [
            "1,\"x\",a",
            "1,x",
            "1,x,a,b",
            "1,x,a\n\n2,x,b",
            ",x,a",
            "nan,x,a",
            " 1,x,a",
            "+1,x,a",
            "1e999,x,a",
        ] {
            assert_eq!(rows(text), None, "{text}");
        }
    }
}
