//! Columns read row by row, whatever their Arrow layout.
//!
//! A [`Column`] hides chunks and layouts behind one question: the values of some rows. Where the layout
//! is already the wanted one (64-bit integers or floats without dictionary, rows of one chunk), the answer
//! is a slice of the caller's own memory; otherwise the values are read into a scratch vector that stays in
//! cache.

use std::fmt::Display;
use std::iter::repeat_n;
use std::ops::{Neg, Range};

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrowPrimitiveType, BooleanArray, GenericStringArray, OffsetSizeTrait, PrimitiveArray, RunArray,
    StringArray, StringViewArray,
};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::DataType;

use crate::core::error::{Error, Result};
use crate::core::table::Table;
use crate::core::texts::are_runs;
use crate::core::wide::wide;

/// One chunk of a column.
pub trait Chunk<V: Copy>: Send + Sync {
    fn value(&self, row: usize) -> V;

    /// The values of some rows, where they lie in memory as such already.
    fn slice(&self, _rows: Range<usize>) -> Option<&[V]> {
        None
    }

    /// All values, where they are known to lie in memory as such without a look at them.
    fn whole(&self) -> Option<&[V]> {
        None
    }

    /// Has what some rows are read from brought into the cache, where that is known without waiting for memory.
    fn prefetch(&self, _rows: Range<usize>) {}

    fn read(&self, rows: Range<usize>, out: &mut Vec<V>) {
        out.extend(rows.map(|row| self.value(row)));
    }

    /// Hands on the first row and the value of each run of some rows, where values lie in memory as runs; whether they
    /// do.
    fn runs(&self, _rows: Range<usize>, _each: &mut dyn FnMut(usize, V)) -> bool {
        false
    }
}

/// Values of a primitive array, converted one by one.
struct Converted<'a, N, F> {
    values: &'a [N],
    convert: F,
}

impl<N: Copy + Send + Sync, V: Copy, F: Fn(N) -> V + Send + Sync> Chunk<V> for Converted<'_, N, F> {
    fn value(&self, row: usize) -> V {
        (self.convert)(self.values[row])
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<V>) {
        extend(out, &self.values[rows], &self.convert);
    }
}

wide! {
    /// Appends converted values.
    fn extend<N: Copy, V: Copy, F: Fn(N) -> V>(out: &mut Vec<V>, values: &[N], convert: &F) -> () = extend_any
}

#[inline(always)]
fn extend_any<N: Copy, V: Copy>(out: &mut Vec<V>, values: &[N], convert: &impl Fn(N) -> V) {
    out.extend(values.iter().map(|&value| convert(value)));
}

/// Values that are what is wanted already.
struct Plain<V: ArrowNativeType>(ScalarBuffer<V>);

impl<V: ArrowNativeType> Chunk<V> for Plain<V> {
    fn value(&self, row: usize) -> V {
        self.0[row]
    }

    fn slice(&self, rows: Range<usize>) -> Option<&[V]> {
        Some(&self.0[rows])
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<V>) {
        out.extend_from_slice(&self.0[rows]);
    }

    fn whole(&self) -> Option<&[V]> {
        Some(&self.0)
    }

    fn prefetch(&self, rows: Range<usize>) {
        prefetch(&self.0[rows]);
    }
}

impl<'a, O: OffsetSizeTrait> Chunk<&'a [u8]> for &'a GenericStringArray<O> {
    fn value(&self, row: usize) -> &'a [u8] {
        GenericStringArray::value(self, row).as_bytes()
    }
}

impl<'a> Chunk<&'a [u8]> for &'a StringViewArray {
    fn value(&self, row: usize) -> &'a [u8] {
        StringViewArray::value(self, row).as_bytes()
    }

    fn prefetch(&self, rows: Range<usize>) {
        prefetch(&self.views()[rows]);
    }
}

/// Texts of which each stands for a run of rows, as what is made of them.
pub struct Runs<'a, V> {
    runs: &'a RunArray<Int32Type>,
    texts: &'a StringArray,
    convert: fn(&'a [u8]) -> V,
}

impl<'a, V> Runs<'a, V> {
    /// Those of an array that [`are_runs`].
    pub fn new(array: &'a dyn Array, convert: fn(&'a [u8]) -> V) -> Self {
        let runs = array.as_run::<Int32Type>();
        Self { runs, texts: runs.values().as_string(), convert }
    }

    /// The runs of some rows, one or more: the rows of each, and their value.
    fn of(&self, rows: Range<usize>) -> impl Iterator<Item = (Range<usize>, V)> {
        let ends = self.runs.run_ends();
        let mut next = rows.start;
        (self.runs.get_physical_index(next)..).map_while(move |run| {
            let start = next;
            (start < rows.end).then(|| {
                next = rows.end.min(ends.values()[run] as usize - ends.offset());
                (start..next, self.value_of(run))
            })
        })
    }

    fn value_of(&self, run: usize) -> V {
        (self.convert)(self.texts.value(run).as_bytes())
    }
}

impl<V: Copy> Chunk<V> for Runs<'_, V> {
    fn value(&self, row: usize) -> V {
        self.value_of(self.runs.get_physical_index(row))
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<V>) {
        self.of(rows).for_each(|(rows, value)| out.extend(repeat_n(value, rows.len())));
    }

    fn runs(&self, rows: Range<usize>, each: &mut dyn FnMut(usize, V)) -> bool {
        self.of(rows).for_each(|(rows, value)| each(rows.start, value));
        true
    }
}

/// Codes into a dictionary whose values have been read once.
struct Dictionary<'a, V> {
    codes: Box<dyn Chunk<i64> + 'a>,
    values: Vec<V>,
}

impl<V: Copy + Send + Sync> Chunk<V> for Dictionary<'_, V> {
    fn value(&self, row: usize) -> V {
        // A code without a value can only stand under a null, and nulls have been refused.
        self.values[self.codes.value(row) as usize]
    }
}

/// A column of one table: its chunks, and the row at which each begins.
pub struct Column<'a, V> {
    chunks: Vec<Box<dyn Chunk<V> + 'a>>,
    starts: Vec<usize>,
}

impl<'a, V: Copy> Column<'a, V> {
    /// A column of a table, of whose chunks `chunk` makes values.
    pub fn new(
        table: &'a Table,
        name: &str,
        chunk: impl Fn(&'a dyn Array) -> Result<Box<dyn Chunk<V> + 'a>>,
    ) -> Result<Self> {
        let index = table.schema.index_of(name).map_err(|_| Error::data(format!("no column '{name}'")))?;
        let mut column = Self { chunks: Vec::new(), starts: vec![0] };
        for batch in table.batches.iter().filter(|batch| batch.num_rows() > 0) {
            column.chunks.push(chunk(batch.column(index).as_ref())?);
            column.starts.push(column.len() + batch.num_rows());
        }
        Ok(column)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The value of one row.
    pub fn value(&self, row: usize) -> V {
        let chunk = self.chunk_of(row);
        self.chunks[chunk].value(row - self.starts[chunk])
    }

    /// Appends the values of `rows` to `out`.
    pub fn read(&self, rows: Range<usize>, out: &mut Vec<V>) {
        self.pieces(rows).for_each(|(chunk, _, rows)| chunk.read(rows, out));
    }

    /// Hands on the first row of each of some slices, one after another, and its values: of the caller's memory where it
    /// can be, else read into `scratch`.
    pub fn each_slice(&self, rows: Range<usize>, scratch: &mut Vec<V>, mut each: impl FnMut(usize, &[V])) {
        for (chunk, offset, rows) in self.pieces(rows) {
            let first = offset + rows.start;
            match chunk.slice(rows.clone()) {
                Some(slice) => each(first, slice),
                None => {
                    scratch.clear();
                    chunk.read(rows, scratch);
                    each(first, scratch);
                }
            }
        }
    }

    /// Hands on the first row and the value of each run of `rows`, one or more, where values lie in memory as runs;
    /// whether they do. A run may have the value of the one before.
    pub fn runs(&self, rows: Range<usize>, mut each: impl FnMut(usize, V)) -> bool {
        self.pieces(rows)
            .all(|(chunk, offset, rows)| chunk.runs(rows, &mut |row, value| each(offset + row, value)))
    }

    /// The chunks of some rows, the row at which each begins, and which of its own rows they are.
    fn pieces(&self, rows: Range<usize>) -> impl Iterator<Item = (&dyn Chunk<V>, usize, Range<usize>)> {
        let first = self.chunk_of(rows.start);
        let pieces = self.chunks[first..].iter().zip(self.starts[first..].windows(2));
        pieces.take_while(move |(_, borders)| rows.start.max(borders[0]) < rows.end).map(
            move |(chunk, borders)| {
                let (start, end) = (rows.start.max(borders[0]), rows.end.min(borders[1]));
                (chunk.as_ref(), borders[0], start - borders[0]..end - borders[0])
            },
        )
    }

    /// The values of `rows`: a slice of the caller's memory where it can be, else read into `scratch`.
    pub fn values<'s>(&'s self, rows: Range<usize>, scratch: &'s mut Vec<V>) -> &'s [V] {
        let chunk = self.chunk_of(rows.start);
        let offset = self.starts[chunk];
        if rows.end <= self.starts[chunk + 1]
            && let Some(slice) = self.chunks[chunk].slice(rows.start - offset..rows.end - offset)
        {
            return slice;
        }
        scratch.clear();
        self.read(rows, scratch);
        scratch
    }

    /// All values, where they are known to lie in memory as such in one piece.
    pub fn whole(&self) -> Option<&[V]> {
        match &self.chunks[..] {
            [only] => only.whole(),
            _ => None,
        }
    }

    /// Has the values of `rows` brought into the cache, as far as those lie in the chunk of the first.
    pub fn prefetch(&self, rows: Range<usize>) {
        let chunk = self.chunk_of(rows.start);
        let (offset, end) = (self.starts[chunk], rows.end.min(self.starts[chunk + 1]));
        self.chunks[chunk].prefetch(rows.start - offset..end - offset);
    }

    fn chunk_of(&self, row: usize) -> usize {
        if self.chunks.len() == 1 { 0 } else { self.starts.partition_point(|&start| start <= row) - 1 }
    }
}

/// Bytes that are brought into the cache at once.
const LINE: usize = 64;

/// Has values brought into the cache, and waits for none.
pub fn prefetch<V>(values: &[V]) {
    let (mut at, mut left) = (values.as_ptr().cast::<u8>(), size_of_val(values));
    while left > 0 {
        prefetch_line(at);
        at = at.wrapping_add(LINE);
        left = left.saturating_sub(LINE);
    }
}

/// Has what is near an address brought into the cache, if anything is there, and does not wait for it.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub fn prefetch_line(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every such processor has SSE, and is only told of the address, whatever is there.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// Leaves it to the processor.
#[cfg(any(not(target_arch = "x86_64"), miri))]
pub fn prefetch_line(_at: *const u8) {}

/// Rows between those that are worked on and those that [`prefetch_some`] is asked for.
pub const AHEAD: usize = 1 << 10;

/// Has some values brought into the cache, if they are there: where work is done between reading them the processor
/// itself looks less far ahead, and never beyond a page.
#[inline(always)]
pub fn prefetch_some<V>(values: &[V], rows: Range<usize>) {
    values.get(rows).into_iter().for_each(prefetch);
}

/// A number, in as many bits as are read of it.
pub trait Number: ArrowNativeType + Into<f64> + Neg<Output = Self> {
    /// Its own type in Arrow.
    type Own: ArrowPrimitiveType<Native = Self>;

    /// A number of this width.
    fn of(number: f64) -> Self;
}

impl Number for f32 {
    type Own = Float32Type;

    fn of(number: f64) -> Self {
        number as f32
    }
}

impl Number for f64 {
    type Own = Float64Type;

    fn of(number: f64) -> Self {
        number
    }
}

/// A column of numbers (scores, ranks, grades).
pub fn numbers<'a, N: Number>(
    table: &'a Table,
    name: &str,
    what: impl Display + Copy,
) -> Result<Column<'a, N>> {
    refuse_nulls(table, name, what)?;
    Column::new(table, name, floats)
}

/// Whether each number of a column is the one that is told.
pub fn equal<'a>(table: &'a Table, name: &str, what: &str, number: f64) -> Result<Column<'a, bool>> {
    refuse_nulls(table, name, what)?;
    Column::new(table, name, |array| are_equal(array, number))
}

/// The same with their signs changed.
pub fn negated<'a, N: Number>(
    table: &'a Table,
    name: &str,
    what: impl Display + Copy,
) -> Result<Column<'a, N>> {
    refuse_nulls(table, name, what)?;
    Column::new(table, name, |array| Ok(Box::new(Negated(floats(array)?))))
}

/// Whether all numbers of a type are exact as 32-bit floats.
pub fn are_float32(dtype: &DataType) -> bool {
    matches!(
        dtype,
        DataType::Float16
            | DataType::Float32
            | DataType::Int8
            | DataType::Int16
            | DataType::UInt8
            | DataType::UInt16
            | DataType::Boolean
    )
}

/// The least and the greatest value of a column of numbers, and whether one of them is a fraction; NaN counts
/// nowhere.
pub fn range(table: &Table, name: &str) -> Result<(f64, f64, bool)> {
    let column = numbers::<f64>(table, name, name)?;
    let (mut least, mut greatest, mut fraction) = (f64::INFINITY, f64::NEG_INFINITY, false);
    let mut scratch = Vec::new();
    for start in (0..column.len()).step_by(BLOCK) {
        let values = column.values(start..column.len().min(start + BLOCK), &mut scratch);
        for &value in values {
            // Comparisons, unlike f64::min, are vectorised; with NaN they are false.
            least = if value < least { value } else { least };
            greatest = if value > greatest { value } else { greatest };
        }
        fraction = fraction || values.iter().copied().any(is_fraction);
    }
    Ok((least, greatest, fraction))
}

/// Whether a number is no whole one; what is not finite is no fraction.
fn is_fraction(value: f64) -> bool {
    value.abs() < WHOLE && value as i64 as f64 != value
}

/// Below it each whole number is a float, and no other becomes one of these.
const WHOLE: f64 = (1_u64 << 53) as f64;

/// Rows that are read together.
const BLOCK: usize = 1 << 14;

/// Refuses a column with nulls.
pub fn refuse_nulls(table: &Table, name: &str, what: impl Display + Copy) -> Result<()> {
    let mut row = 0;
    let (mut count, mut first) = (0, None);
    for batch in &table.batches {
        let column = batch.column_by_name(name).ok_or_else(|| Error::data(format!("no column '{name}'")))?;
        if let Some(nulls) = column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            count += nulls.null_count();
            first = first.or_else(|| nulls.iter().position(|valid| !valid).map(|at| row + at));
        }
        row += batch.num_rows();
    }
    match first {
        None => Ok(()),
        Some(first) => {
            let values = if count == 1 { "1 null".to_owned() } else { format!("{count} nulls") };
            Err(Error::data(format!(
                "{what} has {values}, the first in row {first} (from 0); remove those rows"
            )))
        }
    }
}

/// Integers of any width, as those of 64 bits.
pub fn integers<'a>(array: &'a dyn Array) -> Result<Box<dyn Chunk<i64> + 'a>> {
    macro_rules! converted {
        ($type:ty) => {
            Box::new(Converted {
                values: array.as_primitive::<$type>().values(),
                convert: |value| value as i64,
            })
        };
    }
    Ok(match array.data_type() {
        DataType::Int64 => Box::new(Plain(array.as_primitive::<Int64Type>().values().clone())),
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            Box::new(Plain(ScalarBuffer::<i64>::new(values.inner().clone(), 0, values.len())))
        }
        DataType::Int32 => converted!(Int32Type),
        DataType::UInt32 => converted!(UInt32Type),
        DataType::Int16 => converted!(Int16Type),
        DataType::UInt16 => converted!(UInt16Type),
        DataType::Int8 => converted!(Int8Type),
        DataType::UInt8 => converted!(UInt8Type),
        DataType::Dictionary(_, _) => dictionary(array, integers)?,
        other => return Err(Error::data(format!("{other} is not an integer type"))),
    })
}

/// Strings, as their UTF-8 bytes.
pub fn texts<'a>(array: &'a dyn Array) -> Result<Box<dyn Chunk<&'a [u8]> + 'a>> {
    Ok(match array.data_type() {
        DataType::Utf8 => Box::new(array.as_string::<i32>()),
        DataType::LargeUtf8 => Box::new(array.as_string::<i64>()),
        DataType::Utf8View => Box::new(array.as_string_view()),
        DataType::Dictionary(_, _) => dictionary(array, texts)?,
        runs if are_runs(runs) => Box::new(Runs::new(array, |text| text)),
        other => return Err(Error::data(format!("{other} is not a string type"))),
    })
}

fn floats<'a, N: Number>(array: &'a dyn Array) -> Result<Box<dyn Chunk<N> + 'a>> {
    macro_rules! converted {
        ($type:ty, $widen:expr) => {{
            let values = array.as_primitive::<$type>().values();
            Box::new(Converted { values, convert: |value| N::of($widen(value)) })
        }};
    }
    if let Some(own) = array.as_primitive_opt::<N::Own>() {
        return Ok(Box::new(Plain(own.values().clone())));
    }
    Ok(match array.data_type() {
        DataType::Float64 => converted!(Float64Type, f64::from),
        DataType::Float32 => converted!(Float32Type, f64::from),
        DataType::Float16 => converted!(Float16Type, f64::from),
        DataType::Int64 => converted!(Int64Type, |value: i64| value as f64),
        DataType::UInt64 => converted!(UInt64Type, |value: u64| value as f64),
        DataType::Int32 => converted!(Int32Type, f64::from),
        DataType::UInt32 => converted!(UInt32Type, f64::from),
        DataType::Int16 => converted!(Int16Type, f64::from),
        DataType::UInt16 => converted!(UInt16Type, f64::from),
        DataType::Int8 => converted!(Int8Type, f64::from),
        DataType::UInt8 => converted!(UInt8Type, f64::from),
        DataType::Decimal128(_, scale) => Box::new(Decimals {
            values: array.as_primitive::<Decimal128Type>(),
            divisor: 10f64.powi(i32::from(*scale)),
        }),
        DataType::Boolean => Box::new(array.as_boolean()),
        DataType::Dictionary(_, _) => dictionary(array, floats)?,
        other => return Err(Error::data(format!("{other} is not a numeric type"))),
    })
}

impl<N: Number> Chunk<N> for &BooleanArray {
    fn value(&self, row: usize) -> N {
        N::of(f64::from(u8::from(BooleanArray::value(self, row))))
    }
}

/// Whether each number of an array is the one that is told, as floats of 64 bits.
fn are_equal<'a>(array: &'a dyn Array, number: f64) -> Result<Box<dyn Chunk<bool> + 'a>> {
    macro_rules! compared {
        ($type:ty) => {{
            // As integers they are compared sooner, and among these each is a float of its own.
            let own = number as <$type as ArrowPrimitiveType>::Native;
            if number.abs() < WHOLE && own as f64 == number {
                let values = array.as_primitive::<$type>().values();
                return Ok(Box::new(Converted { values, convert: move |value| value == own }));
            }
        }};
    }
    match array.data_type() {
        DataType::Int64 => compared!(Int64Type),
        DataType::UInt64 => compared!(UInt64Type),
        DataType::Int32 => compared!(Int32Type),
        DataType::UInt32 => compared!(UInt32Type),
        DataType::Int16 => compared!(Int16Type),
        DataType::UInt16 => compared!(UInt16Type),
        DataType::Int8 => compared!(Int8Type),
        DataType::UInt8 => compared!(UInt8Type),
        _ => {}
    }
    Ok(Box::new(Equal { numbers: floats(array)?, number }))
}

/// Whether numbers are the one that is told.
struct Equal<'a> {
    numbers: Box<dyn Chunk<f64> + 'a>,
    number: f64,
}

impl Chunk<bool> for Equal<'_> {
    fn value(&self, row: usize) -> bool {
        self.numbers.value(row) == self.number
    }

    fn read(&self, rows: Range<usize>, out: &mut Vec<bool>) {
        /// Numbers that are read at once, and are in the nearest cache when they are compared.
        const TOGETHER: usize = 1 << 10;
        let mut scratch = Vec::new();
        for begin in rows.clone().step_by(TOGETHER) {
            let some = begin..rows.end.min(begin + TOGETHER);
            let numbers = self.numbers.slice(some.clone()).unwrap_or_else(|| {
                scratch.clear();
                self.numbers.read(some, &mut scratch);
                &scratch
            });
            extend(out, numbers, &|number| number == self.number);
        }
    }
}

/// Numbers with their signs changed.
struct Negated<'a, N>(Box<dyn Chunk<N> + 'a>);

impl<N: Number> Chunk<N> for Negated<'_, N> {
    fn value(&self, row: usize) -> N {
        -self.0.value(row)
    }
}

/// Decimals, which SQL engines make of literals such as 0.5.
struct Decimals<'a> {
    values: &'a PrimitiveArray<Decimal128Type>,
    divisor: f64,
}

impl<N: Number> Chunk<N> for Decimals<'_> {
    fn value(&self, row: usize) -> N {
        N::of(self.values.value(row) as f64 / self.divisor)
    }
}

fn dictionary<'a, V: Copy + Send + Sync + 'a>(
    array: &'a dyn Array,
    chunk: impl Fn(&'a dyn Array) -> Result<Box<dyn Chunk<V> + 'a>>,
) -> Result<Box<dyn Chunk<V> + 'a>> {
    let dictionary = array.as_any_dictionary();
    let mut values = Vec::with_capacity(dictionary.values().len());
    chunk(dictionary.values().as_ref())?.read(0..dictionary.values().len(), &mut values);
    Ok(Box::new(Dictionary { codes: integers(dictionary.keys())?, values }))
}
