//! Rows of plain columns on their way to partitions: those of a partition are written one after another, column by
//! column.

use std::mem::{self, MaybeUninit};
use std::ops::Range;
use std::slice;
use std::sync::{Mutex, PoisonError};

use arrow_array::{Array, RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

use crate::core::error::{Error, Result};
use crate::core::lines::Room;
use crate::core::pool;

/// The partition of a row: a number, or this for one that is left out.
pub const NOWHERE: u16 = u16::MAX;
/// Columns begin at multiples of so many bytes, in memory as in files.
pub const ALIGNED: usize = 16;

/// Bytes of a value of a type whose columns are but one value after another.
fn width(dtype: &DataType) -> Option<usize> {
    dtype.primitive_width().filter(|width| [1, 2, 4, 8, 16].contains(width))
}

/// Whether a batch has but numbers without nulls.
pub fn are_plain(batch: &RecordBatch) -> bool {
    let is_plain = |column: &dyn Array| column.null_count() == 0 && width(column.data_type()).is_some();
    batch.columns().iter().all(|column| is_plain(column))
}

/// How many rows go to each partition.
fn counted(places: &[u16], count: usize) -> Vec<usize> {
    let mut counts = vec![0; count];
    places.iter().filter(|&&place| place != NOWHERE).for_each(|&place| counts[usize::from(place)] += 1);
    counts
}

/// What a task writes of a column to each partition.
type Slots<'a> = Vec<&'a mut [MaybeUninit<u8>]>;

/// The rows of plain batches, all of the same types, by partition, those without any left out; `places` tells of each
/// batch where its rows belong. The first so many partitions share memory, and so do the others: when those are written
/// to files, theirs is free again.
///
/// # Errors
/// There is not so much memory.
pub fn scattered(
    batches: &[RecordBatch],
    places: &[Vec<u16>],
    count: usize,
    first: usize,
) -> Result<Vec<(usize, RecordBatch)>> {
    let Some(like) = batches.first() else { return Ok(Vec::new()) };
    let layout = Layout::new(like, places, count);
    let mut near = Room::lasting(layout.bytes(0..first))?;
    let mut far = Room::new(layout.bytes(first..count))?;
    let mut slots: Vec<Vec<Slots<'_>>> =
        batches.iter().map(|_| layout.widths.iter().map(|_| Vec::with_capacity(count)).collect()).collect();
    layout.cut(near.bytes(), 0..first, &mut slots);
    layout.cut(far.bytes(), first..count, &mut slots);
    let tasks: Vec<_> = slots.into_iter().map(Mutex::new).collect();
    pool::map(tasks.len(), |task| {
        let mut slots = tasks[task].lock().unwrap_or_else(PoisonError::into_inner);
        for (column, slots) in batches[task].columns().iter().zip(slots.iter_mut()) {
            write(&column.to_data(), &places[task], slots);
        }
    });
    drop(tasks);
    // SAFETY: each byte of both rooms is part of a slot, which `write` fills, or lies behind a column, and is 0.
    let (near, far) = unsafe { (near.written(), far.written()) };
    let mut found = layout.batches(like, &near, 0..first)?;
    found.extend(layout.batches(like, &far, first..count)?);
    Ok(found)
}

/// Where values go: the rows of a partition together, column by column, of each column those of a task after another's.
struct Layout {
    /// Bytes of a value of each column.
    widths: Vec<usize>,
    /// Of each task how many rows it has for each partition, and these of all tasks.
    counts: Vec<Vec<usize>>,
    rows: Vec<usize>,
}

impl Layout {
    fn new(like: &RecordBatch, places: &[Vec<u16>], count: usize) -> Self {
        let widths = like.columns().iter().filter_map(|column| width(column.data_type())).collect();
        let counts = pool::map(places.len(), |task| counted(&places[task], count));
        let rows = (0..count).map(|partition| counts.iter().map(|counts| counts[partition]).sum()).collect();
        Self { widths, counts, rows }
    }

    /// Bytes from the begin of each column of a partition to that of the next.
    fn sizes(&self, partition: usize) -> impl Iterator<Item = usize> {
        let rows = self.rows[partition];
        self.widths.iter().map(move |width| (rows * width).next_multiple_of(ALIGNED))
    }

    fn bytes(&self, partitions: Range<usize>) -> usize {
        partitions.flat_map(|partition| self.sizes(partition)).sum()
    }

    /// Adds what is written of partitions to the slots of each task and column.
    fn cut<'a>(
        &self,
        mut room: &'a mut [MaybeUninit<u8>],
        partitions: Range<usize>,
        slots: &mut [Vec<Slots<'a>>],
    ) {
        for partition in partitions {
            for (column, (width, size)) in self.widths.iter().zip(self.sizes(partition)).enumerate() {
                for (slots, counts) in slots.iter_mut().zip(&self.counts) {
                    slots[column].push(cut(&mut room, counts[partition] * width));
                }
                cut(&mut room, size - self.rows[partition] * width).fill(MaybeUninit::new(0));
            }
        }
    }

    /// The rows of partitions that were written to a buffer.
    fn batches(
        &self,
        like: &RecordBatch,
        buffer: &Buffer,
        partitions: Range<usize>,
    ) -> Result<Vec<(usize, RecordBatch)>> {
        let (mut found, mut begin) = (Vec::with_capacity(partitions.len()), 0);
        for partition in partitions {
            if self.rows[partition] > 0 {
                let batch = read(like, buffer, begin, self.rows[partition], self.sizes(partition));
                found.push((partition, batch.map_err(|error| Error::data(error.to_string()))?));
            }
            begin += self.sizes(partition).sum::<usize>();
        }
        Ok(found)
    }
}

/// The first so many bytes of a room, which are taken away from it.
fn cut<'a>(left: &mut &'a mut [MaybeUninit<u8>], bytes: usize) -> &'a mut [MaybeUninit<u8>] {
    let (own, rest) = mem::take(left).split_at_mut(bytes);
    *left = rest;
    own
}

/// Writes the values of a column to the slots of their partitions, which are full then.
fn write(column: &ArrayData, places: &[u16], slots: &mut Slots<'_>) {
    match width(column.data_type()) {
        Some(1) => write_values::<1>(column, places, slots),
        Some(2) => write_values::<2>(column, places, slots),
        Some(4) => write_values::<4>(column, places, slots),
        Some(8) => write_values::<8>(column, places, slots),
        _ => write_values::<16>(column, places, slots),
    }
}

fn write_values<const W: usize>(column: &ArrayData, places: &[u16], slots: &mut Slots<'_>) {
    let bytes = &column.buffers()[0][column.offset() * W..][..column.len() * W];
    let mut free: Vec<slice::IterMut<'_, [MaybeUninit<u8>; W]>> =
        slots.iter_mut().map(|slot| slot.as_chunks_mut().0.iter_mut()).collect();
    for (value, &place) in bytes.as_chunks::<W>().0.iter().zip(places) {
        if place == NOWHERE {
            continue;
        }
        if let Some(to) = free[usize::from(place)].next() {
            *to = value.map(MaybeUninit::new);
        }
    }
    assert!(free.iter().all(|free| free.len() == 0), "as many rows as were counted");
}

/// The rows of a partition, whose columns begin at a byte of a buffer and have these sizes.
fn read(
    like: &RecordBatch,
    buffer: &Buffer,
    begin: usize,
    rows: usize,
    sizes: impl Iterator<Item = usize>,
) -> std::result::Result<RecordBatch, ArrowError> {
    let mut at = begin;
    let columns = like.columns().iter().zip(sizes).map(|(column, size)| {
        let bytes = rows * width(column.data_type()).unwrap_or_default();
        let values = buffer.slice_with_length(at, bytes);
        at += size;
        let data = ArrayData::builder(column.data_type().clone()).len(rows).add_buffer(values);
        Ok(make_array(data.build()?))
    });
    let columns = columns.collect::<std::result::Result<_, ArrowError>>()?;
    RecordBatch::try_new(like.schema(), columns)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Decimal128Array, Float32Array, Int8Array, Int16Array, Int64Array};
    use arrow_select::filter::filter_record_batch;

    use super::*;

    fn batch(rows: Range<i64>) -> RecordBatch {
        RecordBatch::try_from_iter([
            ("1", Arc::new(rows.clone().map(|row| row as i8).collect::<Int8Array>()) as ArrayRef),
            ("2", Arc::new(rows.clone().map(|row| row as i16 * 3).collect::<Int16Array>())),
            ("4", Arc::new(rows.clone().map(|row| row as f32 / 7.0).collect::<Float32Array>())),
            ("8", Arc::new(rows.clone().map(|row| row << 40).collect::<Int64Array>())),
            ("16", Arc::new(rows.map(|row| i128::from(row) << 70).collect::<Decimal128Array>())),
        ])
        .unwrap()
    }

    #[test]
    fn rows_are_in_order_in_their_partitions_and_those_without_any_are_left_out() {
        let batches = [batch(0..100).slice(7, 50), batch(50..51), batch(60..60), batch(70..130).slice(1, 59)];
        let place = |row: i64| [0, 3, NOWHERE, 1, 1, 5][(row * row % 6) as usize];
        let place_of = |batch: &RecordBatch| -> Vec<u16> {
            let ids = batch.column(3).to_data();
            ids.buffers()[0].typed_data::<i64>()[ids.offset()..][..batch.num_rows()]
                .iter()
                .map(|id| place(id >> 40))
                .collect()
        };
        let places: Vec<_> = batches.iter().map(place_of).collect();
        for first in 0..=6 {
            let found = scattered(&batches, &places, 6, first).unwrap();
            let filled: Vec<_> = found.iter().map(|(partition, _)| *partition as u16).collect();
            assert_eq!(
                filled,
                [0, 1, 3, 5].into_iter().filter(|p| places.concat().contains(p)).collect::<Vec<_>>()
            );
            for (partition, own) in found {
                let parts = batches.iter().zip(&places).map(|(batch, places)| {
                    let own = places.iter().map(|&place| Some(usize::from(place) == partition)).collect();
                    filter_record_batch(batch, &own).unwrap()
                });
                let expected =
                    arrow_select::concat::concat_batches(&own.schema(), &parts.collect::<Vec<_>>());
                assert_eq!(own, expected.unwrap());
            }
        }
    }
}
