//! Columns of ids: integers or strings.

use std::fmt::Display;

use arrow_schema::DataType;

use crate::core::column::{Column, integers, refuse_nulls, texts};
use crate::core::error::{Class, Error, Result};
use crate::core::pool;
use crate::core::table::{Family, Table};
use crate::core::wide::wide;

/// Rows looked at by one task.
const STRETCH: usize = 1 << 16;
/// Rows of which is asked at once whether one of them is looked for, as few are.
const AT_ONCE: usize = 1 << 10;

/// A column of ids.
pub enum Ids<'a> {
    /// Integers of any width; see [`unsigned`] for those of 2⁶³ and more.
    Integer(Column<'a, i64>),
    /// Strings, as their UTF-8 bytes.
    Text(Column<'a, &'a [u8]>),
}

impl<'a> Ids<'a> {
    /// Finds the ids in the column `name`; `what` is what messages call the column.
    ///
    /// Unsigned 64-bit integers keep their bits, so one of 2⁶³ or more reads as a negative number:
    /// equality still holds between unsigned columns, order is then that of `u64`.
    pub fn new(table: &'a Table, name: &str, what: impl Display + Copy) -> Result<Self> {
        let dtype = table.schema.field_with_name(name).map_err(|e| Error::data(e.to_string()))?.data_type();
        refuse_nulls(table, name, what)?;
        match Family::of(dtype) {
            Family::Integer => Ok(Self::Integer(Column::new(table, name, integers)?)),
            Family::String => Ok(Self::Text(Column::new(table, name, texts)?)),
            Family::Boolean | Family::Null | Family::List | Family::Float | Family::Other => {
                Err(Error::data(format!("{what} is {dtype}: ids are integers or strings")))
            }
        }
    }

    /// Whether an id has its highest bit set: negative if signed, 2⁶³ or more if unsigned.
    fn reach_top_bit(&self) -> bool {
        match self {
            Self::Integer(column) => (0..column.len()).any(|row| column.value(row) < 0),
            Self::Text(_) => false,
        }
    }

    /// The rows of an id, ascending, found on the threads of the pool that this is called in.
    pub fn rows_of(&self, id: &Id) -> Vec<u32> {
        match (self, id) {
            (Self::Integer(column), &Id::Integer(id)) => {
                rows_of(column, |ids| holds(ids, id), |own| own == id)
            }
            (Self::Text(column), Id::Text(id)) => rows_of(column, |_| true, |own| own == id.as_bytes()),
            (Self::Integer(_), Id::Text(_)) | (Self::Text(_), Id::Integer(_)) => Vec::new(),
        }
    }

    /// The id of one row as text, for messages.
    pub fn display(&self, row: usize, unsigned: bool) -> String {
        match self {
            Self::Integer(column) if unsigned => (column.value(row) as u64).to_string(),
            Self::Integer(column) => column.value(row).to_string(),
            Self::Text(column) => format!("'{}'", String::from_utf8_lossy(column.value(row))),
        }
    }
}

/// An id that is looked for.
pub enum Id {
    /// With the bits of an unsigned one.
    Integer(i64),
    Text(String),
}

wide! {
    /// Whether an id is among some.
    fn holds(ids: &[i64], id: i64) -> bool = holds_any
}

#[inline(always)]
fn holds_any(ids: &[i64], id: i64) -> bool {
    let mut any = false;
    for &own in ids {
        any |= own == id; // without an end, so that several are compared at a time
    }
    any
}

/// The rows that are looked for, by whether there are any among some and whether one is.
fn rows_of<V: Copy + Send + Sync>(
    column: &Column<'_, V>,
    any: impl Fn(&[V]) -> bool + Sync + Send,
    is_one: impl Fn(V) -> bool + Sync + Send,
) -> Vec<u32> {
    let found = pool::map_init(column.len().div_ceil(STRETCH), Vec::new, |scratch, stretch| {
        let start = stretch * STRETCH;
        let ids = column.values(start..column.len().min(start + STRETCH), scratch);
        let parts = ids.chunks(AT_ONCE).zip((start..).step_by(AT_ONCE));
        let rows = parts.filter(|(ids, _)| any(ids)).flat_map(|(ids, first)| {
            let rows = ids.iter().zip(first as u32..);
            rows.filter(|&(&own, _)| is_one(own)).map(|(_, row)| row)
        });
        rows.collect::<Vec<_>>()
    });
    found.concat()
}

/// Whether two integer columns are to be ordered as unsigned numbers.
///
/// # Errors
/// Where one column has ids of 2⁶³ or more and the other negative ones: their bits cannot be told apart.
pub fn unsigned(a: (&DataType, &Ids), b: (&DataType, &Ids), what: &str) -> Result<bool> {
    let top_bit = |wanted: fn(&DataType) -> bool| {
        wanted(a.0) && a.1.reach_top_bit() || wanted(b.0) && b.1.reach_top_bit()
    };
    let wide = top_bit(is_u64);
    if wide && top_bit(signed) {
        return Err(Error::new(
            Class::IdType,
            format!(
                "the {what} ids of one table reach 2**63 or more, those of the other are negative; \
             cast both columns to the same type"
            ),
        ));
    }
    Ok(wide)
}

/// Whether a type is `u64`, or a dictionary of it.
pub fn is_u64(dtype: &DataType) -> bool {
    match dtype {
        DataType::Dictionary(_, values) => is_u64(values),
        _ => *dtype == DataType::UInt64,
    }
}

fn signed(dtype: &DataType) -> bool {
    match dtype {
        DataType::Dictionary(_, values) => signed(values),
        _ => dtype.is_signed_integer(),
    }
}
