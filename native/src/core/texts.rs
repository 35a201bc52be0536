//! Columns of text in little memory: one text after another, and those that repeat the one before only once.
//!
//! A view of a text takes 16 bytes, however short it is, and keeps what it was read from; here a text takes 4, and
//! one that is repeated none.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::make_array;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, RunArray, StringArray, UInt32Array};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;

use crate::core::column::texts;
use crate::core::error::{Error, Result};
use crate::core::pool;
use crate::core::table::{Family, Table};

/// Texts by whose length that of all others is told.
const SAMPLED: usize = 1 << 10;

/// Texts that are written one after another.
pub struct Texts {
    /// How many are expected.
    expected: usize,
    bytes: Vec<u8>,
    /// Where each begins, and at the end their length.
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Texts {
    /// None yet, and room for so many.
    pub fn with_capacity(texts: usize) -> Self {
        let mut ends = Vec::with_capacity(texts + 1);
        ends.push(0);
        Self { expected: texts, bytes: Vec::new(), ends, nulls: NullBufferBuilder::new(texts) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// The last one; of a null an empty one.
    fn last(&self) -> Option<&[u8]> {
        let [.., start, end] = self.ends[..] else { return None };
        self.bytes.get(start as usize..end as usize)
    }

    /// Adds a text, or a null.
    #[inline]
    pub fn push(&mut self, text: Option<&[u8]>) {
        let bytes = text.unwrap_or_default();
        if bytes.len() > self.bytes.capacity() - self.bytes.len() {
            self.grow(bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as i32);
        self.nulls.append(text.is_some());
    }

    /// Makes room for so many bytes, and for all texts that are expected, if they are as long as those before: where
    /// room is doubled, bytes are copied, and are there twice meanwhile.
    #[cold]
    fn grow(&mut self, bytes: usize) {
        if (SAMPLED..self.expected).contains(&self.len()) {
            let each = self.bytes.len() as f64 / self.len() as f64;
            let rest = (1.05 * each * (self.expected - self.len()) as f64) as usize;
            // What is not there is not needed yet, and there are 2 GiB at most.
            let _ = self.bytes.try_reserve_exact(rest.clamp(bytes, i32::MAX as usize));
        }
        self.bytes.reserve(bytes);
    }

    /// The column.
    ///
    /// # Errors
    /// A text is not UTF-8, or there are 2 GiB of them.
    pub fn finish(mut self) -> std::result::Result<StringArray, ArrowError> {
        let length = self.bytes.len();
        i32::try_from(length).map_err(|_| ArrowError::OffsetOverflowError(length))?;
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        let (ends, nulls) = (ScalarBuffer::from(self.ends), self.nulls.finish());
        if self.bytes.is_ascii() {
            // SAFETY: the ends rise from 0 to the number of bytes, there is a null, or none, for each of them but the
            // first, and ASCII is UTF-8 wherever it is cut.
            return Ok(unsafe {
                StringArray::new_unchecked(OffsetBuffer::new_unchecked(ends), self.bytes.into(), nulls)
            });
        }
        StringArray::try_new(OffsetBuffer::new(ends), self.bytes.into(), nulls)
    }
}

/// Texts of which those that follow one another are often the same, such as queries.
pub struct Runs {
    texts: Texts,
    /// The row after the last of each run.
    ends: Vec<i32>,
    /// Whether the last is a null.
    ends_in_null: bool,
}

impl Runs {
    /// No runs yet.
    pub fn new() -> Self {
        Self { texts: Texts::with_capacity(0), ends: Vec::new(), ends_in_null: false }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Adds a text, or a null.
    pub fn push(&mut self, text: Option<&[u8]>) {
        self.push_rows(text, 1);
    }

    /// Adds a text, or a null, in so many rows.
    #[inline]
    pub fn push_rows(&mut self, text: Option<&[u8]>, rows: usize) {
        let end = (self.len() + rows) as i32;
        let is_same = match text {
            Some(text) => !self.ends_in_null && self.texts.last() == Some(text),
            None => self.ends_in_null,
        };
        match self.ends.last_mut() {
            Some(last) if is_same => *last = end,
            _ if rows == 0 => {}
            _ => {
                self.texts.push(text);
                self.ends.push(end);
                self.ends_in_null = text.is_none();
            }
        }
    }

    /// The column; errors as of `Texts::finish`.
    pub fn finish(mut self) -> std::result::Result<RunArray<Int32Type>, ArrowError> {
        self.ends.shrink_to_fit();
        RunArray::try_new(&Int32Array::from(self.ends), &self.texts.finish()?)
    }

    /// The column as runs where most texts repeat the one before, else each in its own row; errors as of
    /// `Texts::finish`.
    pub fn finish_shortest(self) -> std::result::Result<ArrayRef, ArrowError> {
        if self.texts.len() == self.len() {
            return Ok(Arc::new(self.texts.finish()?));
        }
        let is_repeated = self.texts.len() < self.len() / 2;
        let runs: ArrayRef = Arc::new(self.finish()?);
        if is_repeated { Ok(runs) } else { written_out_column(&runs) }
    }

    /// The type of such columns.
    pub fn dtype() -> DataType {
        let ends = Field::new("run_ends", DataType::Int32, false);
        DataType::RunEndEncoded(Arc::new(ends), Arc::new(Field::new("values", DataType::Utf8, true)))
    }
}

/// Whether a type is that of `Runs`.
pub fn are_runs(dtype: &DataType) -> bool {
    matches!(dtype, DataType::RunEndEncoded(ends, values)
        if *ends.data_type() == DataType::Int32 && *values.data_type() == DataType::Utf8)
}

/// A table that others can read, who know no runs.
pub fn written_out(table: &Table) -> std::result::Result<Table, ArrowError> {
    let plain = |field: &Arc<Field>| match are_runs(field.data_type()) {
        true => field.as_ref().clone().with_data_type(DataType::Utf8).into(),
        false => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = table.schema.fields().iter().map(plain).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = |batch: &RecordBatch| {
        let columns = batch.columns().iter().map(written_out_column);
        RecordBatch::try_new(Arc::clone(&schema), columns.collect::<std::result::Result<_, _>>()?)
    };
    let batches = table.batches.iter().map(batch).collect::<std::result::Result<_, _>>()?;
    Ok(Table { schema, batches })
}

fn written_out_column(column: &ArrayRef) -> std::result::Result<ArrayRef, ArrowError> {
    if !are_runs(column.data_type()) {
        return Ok(Arc::clone(column));
    }
    let runs = column.as_run::<Int32Type>();
    let rows: Vec<u32> = (0..runs.len() as u32).collect();
    let places = runs.get_physical_indices(&rows)?.into_iter().map(|place| place as u32);
    take(runs.values(), &UInt32Array::from_iter_values(places), None)
}

/// Tables that are put below each other, of which each is no longer needed when it has been added.
#[derive(Default)]
pub struct Packed {
    schema: Option<SchemaRef>,
    batches: Vec<RecordBatch>,
}

impl Packed {
    /// Adds a table with the columns of the first, on the threads of the pool that this is called in.
    ///
    /// # Errors
    /// It has other columns, or there is too much text in its rows.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let schema = self.schema.get_or_insert_with(|| packed_schema(table));
        if *schema == table.schema {
            self.batches.extend(table.batches.iter().cloned());
            return Ok(());
        }
        let batches: Vec<RecordBatch> = table.batches.iter().flat_map(pieces).collect();
        let packed = pool::map(batches.len(), |number| packed_batch(&batches[number], schema));
        for batch in packed {
            self.batches.push(batch.map_err(|error| Error::data(error.to_string()))?);
        }
        Ok(())
    }

    /// All of them as one table; nothing if there was none.
    pub fn table(self) -> Option<Table> {
        self.schema.map(|schema| Table { schema, batches: self.batches })
    }
}

/// Rows of a batch that is packed.
const ROWS: usize = 1 << 16;

fn pieces(batch: &RecordBatch) -> impl Iterator<Item = RecordBatch> {
    let starts = (0..batch.num_rows()).step_by(ROWS);
    starts.map(|start| batch.slice(start, ROWS.min(batch.num_rows() - start)))
}

/// The columns of a table as they are packed: text as runs where it is repeated more often than not.
pub fn packed_schema(table: &Table) -> SchemaRef {
    let pack = |(at, field): (usize, &Arc<Field>)| match Family::of(field.data_type()) {
        Family::String => {
            let is_repeated = table.batches.first().is_some_and(|batch| is_repeated(batch.column(at)));
            let dtype = if is_repeated { Runs::dtype() } else { DataType::Utf8 };
            field.as_ref().clone().with_data_type(dtype).into()
        }
        _ => Arc::clone(field),
    };
    let fields: Vec<Arc<Field>> = table.schema.fields().iter().enumerate().map(pack).collect();
    Arc::new(Schema::new(fields))
}

fn is_repeated(column: &ArrayRef) -> bool {
    let Ok(texts) = texts(column) else { return false };
    let rows = column.len().min(ROWS);
    let changes = (1..rows).filter(|&row| texts.value(row - 1) != texts.value(row)).count();
    changes < rows / 2
}

fn packed_batch(batch: &RecordBatch, schema: &SchemaRef) -> std::result::Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| packed_column(column, field.data_type()));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<std::result::Result<_, _>>()?)
}

fn packed_column(column: &ArrayRef, dtype: &DataType) -> std::result::Result<ArrayRef, ArrowError> {
    if Family::of(dtype) != Family::String {
        // Numbers that were handed over keep what else was handed over with them.
        let own = column.to_data();
        let mut copied = MutableArrayData::new(vec![&own], false, own.len());
        copied.try_extend(0, 0, own.len())?;
        return Ok(make_array(copied.freeze()));
    }
    let given = texts(column).map_err(|error| ArrowError::CastError(error.message))?;
    let nulls = column.logical_nulls();
    let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let each = (0..column.len()).map(|row| (!is_null(row)).then(|| given.value(row)));
    if are_runs(dtype) {
        let mut runs = Runs::new();
        each.for_each(|text| runs.push(text));
        return Ok(Arc::new(runs.finish()?));
    }
    let mut texts = Texts::with_capacity(column.len());
    each.for_each(|text| texts.push(text));
    Ok(Arc::new(texts.finish()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(texts: &[Option<&[u8]>]) -> std::result::Result<StringArray, ArrowError> {
        let mut all = Texts::with_capacity(texts.len());
        texts.iter().for_each(|&text| all.push(text));
        all.finish()
    }

    #[test]
    fn texts_are_taken_as_they_are_unless_one_is_not_utf_8() {
        for texts in [&[][..], &[Some("q1"), None, Some(""), Some("d2")], &[Some("ä"), None, Some("d2")]] {
            let bytes: Vec<_> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
            let column = column(&bytes).unwrap();
            column.to_data().validate_full().unwrap();
            assert_eq!(column.iter().collect::<Vec<_>>(), texts);
        }
        let (first, last) = "ä".as_bytes().split_at(1);
        assert!(column(&[Some(first), Some(last)]).is_err());
    }

    #[test]
    fn room_for_all_texts_is_made_when_some_are_there() {
        let all: Vec<String> = (0..100_000).map(|number| format!("d{number:06}")).collect();
        let mut texts = Texts::with_capacity(all.len());
        all.iter().for_each(|text| texts.push(Some(text.as_bytes())));
        assert!(texts.bytes.capacity() < texts.bytes.len() / 10 * 11);
        assert_eq!(texts.finish().unwrap().iter().flatten().collect::<Vec<_>>(), all);
    }
}
