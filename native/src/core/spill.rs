//! Tables larger than memory, dealt out to partitions that fit it.
//!
//! What has been dealt out stays in memory while there is room; then all of it goes to files, one for each table and
//! partition, which hold nothing but the bytes of columns: what these are is remembered here.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;

use crate::core::column::{Column, numbers, texts};
use crate::core::deal::pieces;
use crate::core::error::{Error, Result};
use crate::core::hash::{Key, mix};
use crate::core::ids::Ids;
use crate::core::lines::filled;
use crate::core::mapped::mapped;
use crate::core::pool;
use crate::core::scatter::{ALIGNED, NOWHERE, are_plain, scattered};
use crate::core::table::{Family, Table};
use crate::core::texts::Texts;

/// Rows that are dealt out by one task, which fit the cache.
const ROWS: usize = 1 << 18;
/// Pieces of fewer rows than this, on average, are put together before they are read.
const FEW: usize = 1 << 12;
/// Bytes that are written at once.
const WRITTEN: usize = 1 << 18;
/// Bytes that are read at once, which stay in the cache until they are where they belong.
const READ: usize = 1 << 17;

/// Of the room for rows in memory, the part for those that are on their way to files.
const ON_THE_WAY: usize = 8;

/// Tables dealt out, each to as many partitions.
pub struct Partitions {
    folder: PathBuf,
    count: usize,
    /// How often the rows have been dealt out before; each time by other bits.
    level: u64,
    /// Bytes that may stay in memory.
    room: usize,
    held: usize,
    /// The first so many partitions stay there as long as there is room; files are for the others.
    kept: usize,
    tables: BTreeMap<String, Vec<Partition>>,
}

/// Rows of one table: first those in the file, then those in memory.
#[derive(Default)]
struct Partition {
    filed: Vec<Layout>,
    held: Vec<RecordBatch>,
}

/// What the bytes in a file are.
struct Layout {
    schema: SchemaRef,
    rows: usize,
    columns: Vec<ColumnLayout>,
}

/// The sizes of a column's buffers, the first of which tells nulls if there are any.
struct ColumnLayout {
    has_nulls: bool,
    sizes: Vec<usize>,
}

impl Partitions {
    /// Partitions without rows, whose files will be in a folder; of what is dealt out, about `expected` bytes, `room`
    /// may stay in memory.
    pub fn new(folder: PathBuf, count: usize, level: u64, room: usize, expected: usize) -> Self {
        let kept = match expected <= room {
            true => count,
            false => (count as u128 * (room - room / ON_THE_WAY) as u128 / expected as u128) as usize,
        };
        Self { folder, count, level, room, held: 0, kept, tables: BTreeMap::new() }
    }

    /// Adds rows of a table by a hash of their ids in a column; those of an id keep their order.
    ///
    /// # Errors
    /// The column has no ids; or, within, what a file cannot be written for.
    pub fn deal(&mut self, name: &str, table: &Table, column: &str) -> Result<io::Result<()>> {
        match Ids::new(table, column, column)? {
            Ids::Integer(ids) => self.deal_keys(name, table, &ids),
            Ids::Text(ids) => self.deal_keys(name, table, &ids),
        }
    }

    fn deal_keys<K: Key>(
        &mut self,
        name: &str,
        table: &Table,
        ids: &Column<'_, K>,
    ) -> Result<io::Result<()>> {
        let (level, count) = (self.level, self.count as u64);
        // By other bits than those by which rows are brought together in memory.
        let place = |key: K| (((mix(key.hash() ^ level) >> 32) * count) >> 32) as u16;
        self.add(name, table, |rows| {
            let (mut places, mut scratch) = (Vec::with_capacity(rows.len()), Vec::new());
            for piece in pieces(rows) {
                places.extend(ids.values(piece, &mut scratch).iter().map(|&key| place(key)));
            }
            places
        })
    }

    /// Adds rows of a table to the partitions of these numbers, in their order.
    ///
    /// # Errors
    /// As of `deal`.
    pub fn deal_to(&mut self, name: &str, table: &Table, places: &[u16]) -> Result<io::Result<()>> {
        let count = self.count;
        if places.len() != table.num_rows()
            || places.iter().any(|&place| place != NOWHERE && usize::from(place) >= count)
        {
            return Err(Error::data("no partition for each row"));
        }
        self.add(name, table, |rows| places[rows].to_vec())
    }

    fn add(
        &mut self,
        name: &str,
        table: &Table,
        places: impl Fn(Range<usize>) -> Vec<u16> + Sync + Send,
    ) -> Result<io::Result<()>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        for batch in &table.batches {
            for begin in (0..batch.num_rows()).step_by(ROWS) {
                let rows = ROWS.min(batch.num_rows() - begin);
                parts.push((batch.slice(begin, rows), start + begin));
            }
            start += batch.num_rows();
        }
        let count = self.count;
        let places = pool::map(parts.len(), |number| {
            places(parts[number].1..parts[number].1 + parts[number].0.num_rows())
        });
        let parts: Vec<_> = parts.into_iter().map(|(part, _)| part).collect();
        let dealt = match parts.iter().all(are_plain) {
            true => scattered(&parts, &places, count, self.kept)?,
            false => {
                let schema = dealt_schema(&table.schema);
                let dealt =
                    pool::map(parts.len(), |number| dealt(&parts[number], &schema, &places[number], count));
                dealt.into_iter().collect::<std::result::Result<Vec<_>, _>>().map_err(unreadable)?.concat()
            }
        };
        let partitions = self
            .tables
            .entry(name.to_owned())
            .or_insert_with(|| (0..count).map(|_| Partition::default()).collect());
        for (partition, batch) in dealt {
            self.held += bytes(&batch);
            partitions[partition].held.push(batch);
        }
        Ok(self.make_room())
    }

    /// Writes to files what is to be there, once there is much of it or no more room.
    fn make_room(&mut self) -> io::Result<()> {
        let is_mixed = 0 < self.kept && self.kept < self.count;
        let on_the_way =
            || self.tables.values().flat_map(|table| &table[self.kept..]).map(Partition::held).sum::<usize>();
        if self.held > self.room || is_mixed && on_the_way() > self.room / ON_THE_WAY {
            self.spill(self.kept % self.count)?;
        }
        if self.held > self.room {
            self.kept = 0;
            self.spill(0)?;
        }
        Ok(())
    }

    /// Writes what is in memory of all partitions from one on to files.
    fn spill(&mut self, first: usize) -> io::Result<()> {
        let Self { folder, level, tables, held: all, .. } = self;
        let mut held: Vec<_> = tables
            .iter_mut()
            .flat_map(|(name, partitions)| {
                partitions
                    .iter_mut()
                    .enumerate()
                    .skip(first)
                    .map(|(number, partition)| (path(folder, *level, name, number), partition))
            })
            .filter(|(_, partition)| !partition.held.is_empty())
            .collect();
        let written = pool::map(held.len(), |number| append(&held[number].0, &held[number].1.held));
        for ((_, partition), layouts) in held.iter_mut().zip(written) {
            partition.filed.extend(layouts?);
            *all -= partition.held();
            partition.held = Vec::new();
        }
        Ok(())
    }

    /// Bytes of a partition of all tables.
    pub fn size(&self, partition: usize) -> usize {
        self.tables.values().map(|partitions| partitions[partition].size()).sum()
    }

    /// The rows of a table in a partition, which are given away, in their order: a table for each change of types.
    ///
    /// # Errors
    /// The file is not what it was.
    pub fn take(&mut self, name: &str, partition: usize) -> Result<io::Result<Vec<Table>>> {
        let Some(partitions) = self.tables.get_mut(name) else { return Ok(Ok(Vec::new())) };
        let Partition { filed, held } = std::mem::take(&mut partitions[partition]);
        self.held -= held.iter().map(bytes).sum::<usize>();
        let mut batches = Vec::with_capacity(filed.len() + held.len());
        if !filed.is_empty() {
            let path = path(&self.folder, self.level, name, partition);
            let content = match content(&path).and_then(|content| fs::remove_file(&path).map(|()| content)) {
                Ok(content) => content,
                Err(error) => return Ok(Err(error)),
            };
            let mut at = 0;
            for layout in &filed {
                batches.push(layout.read(&content, &mut at).map_err(unreadable)?);
            }
        }
        batches.extend(held);
        let alike = batches.chunk_by(|a, b| a.schema() == b.schema());
        alike.map(table_of).collect::<std::result::Result<_, _>>().map(Ok).map_err(unreadable)
    }
}

/// Where each number of a column stands among rising borders: twice the number of those below it, and one more if it is
/// equal to one.
///
/// # Errors
/// The column has no numbers.
pub fn places_between(table: &Table, column: &str, borders: &[f64]) -> Result<Vec<u16>> {
    let column = numbers::<f64>(table, column, column)?;
    let parts: Vec<_> = pieces(0..column.len()).collect();
    let place = |&number: &f64| {
        let below = borders.partition_point(|&border| border < number);
        (2 * below + usize::from(borders.get(below) == Some(&number))) as u16
    };
    let places = pool::map_init(parts.len(), Vec::new, |scratch, part| -> Vec<u16> {
        column.values(parts[part].clone(), scratch).iter().map(place).collect()
    });
    Ok(places.concat())
}

fn unreadable(error: ArrowError) -> Error {
    Error::data(format!("rows cannot be dealt out: {error}"))
}

/// Batches of the same types as one table.
fn table_of(batches: &[RecordBatch]) -> std::result::Result<Table, ArrowError> {
    let schema = batches[0].schema();
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let batches = match rows / batches.len() < FEW {
        true => vec![concat_batches(&schema, batches)?],
        false => batches.to_vec(),
    };
    Ok(Table { schema, batches })
}

impl Partition {
    fn size(&self) -> usize {
        self.filed.iter().map(Layout::size).sum::<usize>() + self.held()
    }

    /// Bytes in memory.
    fn held(&self) -> usize {
        self.held.iter().map(bytes).sum()
    }
}

/// Bytes of a batch that was dealt out, which may share memory with others.
fn bytes(batch: &RecordBatch) -> usize {
    let bytes = |column: &ArrayRef| match column.data_type().primitive_width() {
        Some(width) if column.null_count() == 0 => column.len() * width,
        _ => column.get_array_memory_size(),
    };
    batch.columns().iter().map(bytes).sum()
}

fn path(folder: &Path, level: u64, name: &str, partition: usize) -> PathBuf {
    folder.join(format!("{level}.{partition}.{name}"))
}

/// The types of columns that have been dealt out: all text is written one after another.
fn dealt_schema(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match Family::of(field.data_type()) {
        Family::String => field.as_ref().clone().with_data_type(DataType::Utf8).into(),
        _ => Arc::clone(field),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The rows of a batch by partition, those without any left out.
fn dealt(
    batch: &RecordBatch,
    schema: &SchemaRef,
    places: &[u16],
    count: usize,
) -> std::result::Result<Vec<(usize, RecordBatch)>, ArrowError> {
    let (borders, order) = by_partition(places, count);
    let order = UInt32Array::from(order);
    let filled = borders.windows(2).enumerate().filter(|(_, rows)| rows[0] < rows[1]);
    filled
        .map(|(partition, rows)| {
            let order = order.slice(rows[0], rows[1] - rows[0]);
            let columns = batch.columns().iter().map(|column| taken(column, &order));
            let columns = columns.collect::<std::result::Result<_, _>>()?;
            let options = RecordBatchOptions::new().with_row_count(Some(order.values().len()));
            Ok((partition, RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?))
        })
        .collect()
}

/// Where the rows of each partition begin, and all of them in order.
fn by_partition(places: &[u16], count: usize) -> (Vec<usize>, Vec<u32>) {
    let mut borders = vec![0; count + 1];
    for &place in places.iter().filter(|&&place| place != NOWHERE) {
        borders[usize::from(place) + 1] += 1;
    }
    for partition in 1..=count {
        borders[partition] += borders[partition - 1];
    }
    let (mut next, mut order) = (borders.clone(), vec![0; borders[count]]);
    for (&place, row) in places.iter().zip(0..).filter(|&(&place, _)| place != NOWHERE) {
        let next = &mut next[usize::from(place)];
        order[*next] = row;
        *next += 1;
    }
    (borders, order)
}

/// Some rows of a column, in memory of their own.
fn taken(column: &ArrayRef, rows: &UInt32Array) -> std::result::Result<ArrayRef, ArrowError> {
    if Family::of(column.data_type()) != Family::String {
        return take(column, rows, None);
    }
    let given = texts(column).map_err(|error| ArrowError::CastError(error.message))?;
    let nulls = column.logical_nulls();
    let mut taken = Texts::with_capacity(rows.values().len());
    for row in rows.values().iter().map(|&row| row as usize) {
        let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        taken.push((!is_null).then(|| given.value(row)));
    }
    Ok(Arc::new(taken.finish()?))
}

/// What a file holds.
fn content(path: &Path) -> io::Result<Buffer> {
    let file = File::open(path)?;
    let size = file.metadata()?.len() as usize;
    // SAFETY: it is a file of our own, in a folder that others may not write to; all has been written to it, and it is
    // removed next.
    if let Ok(content) = unsafe { mapped(&file, size) } {
        return Ok(content);
    }
    filled(size, |begin, piece| {
        let (mut file, mut some) = (File::open(path)?, vec![0; READ]);
        file.seek(SeekFrom::Start(begin as u64))?;
        while piece.left() > 0 {
            let most = piece.left().min(READ);
            match file.read(&mut some[..most])? {
                0 => break,
                count => piece.push(&some[..count]),
            }
        }
        Ok(())
    })
}

/// Appends batches to a file.
fn append(path: &Path, batches: &[RecordBatch]) -> io::Result<Vec<Layout>> {
    let mut file =
        BufWriter::with_capacity(WRITTEN, OpenOptions::new().create(true).append(true).open(path)?);
    let together = batches.chunk_by(|a, b| a.schema() == b.schema() && are_plain(a) && are_plain(b));
    let layouts = together.map(|batches| Layout::write(batches, &mut file)).collect::<io::Result<_>>()?;
    file.flush()?;
    Ok(layouts)
}

impl Layout {
    /// Writes a batch, or several of plain columns as one.
    fn write(batches: &[RecordBatch], file: &mut BufWriter<File>) -> io::Result<Self> {
        let schema = batches[0].schema();
        let columns = (0..schema.fields().len()).map(|at| {
            let parts: Vec<_> = batches.iter().map(|batch| batch.column(at).to_data()).collect();
            ColumnLayout::write(&parts, file)
        });
        let columns = columns.collect::<io::Result<_>>()?;
        Ok(Self { schema, rows: batches.iter().map(RecordBatch::num_rows).sum(), columns })
    }

    fn size(&self) -> usize {
        self.columns.iter().flat_map(|column| &column.sizes).map(|size| size.next_multiple_of(ALIGNED)).sum()
    }

    /// The rows that begin at a place of a file's content, which then is the one after them.
    fn read(&self, content: &Buffer, at: &mut usize) -> std::result::Result<RecordBatch, ArrowError> {
        if content.len() < *at + self.size() {
            return Err(ArrowError::InvalidArgumentError("a temporary file has lost bytes".to_owned()));
        }
        let columns = self.columns.iter().zip(self.schema.fields()).map(|(column, field)| {
            let mut buffers = column.sizes.iter().map(|&size| {
                let buffer = content.slice_with_length(*at, size);
                *at += size.next_multiple_of(ALIGNED);
                buffer
            });
            let nulls = if column.has_nulls { buffers.next() } else { None };
            let nulls = nulls.map(|bits| NullBuffer::new(BooleanBuffer::new(bits, 0, self.rows)));
            let data = ArrayData::builder(field.data_type().clone()).len(self.rows).nulls(nulls);
            Ok(make_array(data.buffers(buffers.collect()).align_buffers(true).build()?))
        });
        let columns = columns.collect::<std::result::Result<_, ArrowError>>()?;
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

impl ColumnLayout {
    /// Writes the parts of a column, which begin with their buffers and have no columns within.
    fn write(parts: &[ArrayData], file: &mut BufWriter<File>) -> io::Result<Self> {
        let buffers = |data: &ArrayData| -> Vec<Buffer> {
            data.nulls()
                .map(|nulls| nulls.buffer().clone())
                .into_iter()
                .chain(data.buffers().to_vec())
                .collect()
        };
        if let Some(data) = parts.iter().find(|data| data.offset() != 0 || !data.child_data().is_empty()) {
            return Err(io::Error::other(format!("columns of type {} are not written", data.data_type())));
        }
        let buffers: Vec<_> = parts.iter().map(buffers).collect();
        let mut sizes = Vec::with_capacity(buffers[0].len());
        for place in 0..buffers[0].len() {
            buffers.iter().try_for_each(|part| file.write_all(&part[place]))?;
            let size: usize = buffers.iter().map(|part| part[place].len()).sum();
            file.write_all(&[0; ALIGNED][..size.next_multiple_of(ALIGNED) - size])?;
            sizes.push(size);
        }
        Ok(Self { has_nulls: parts[0].nulls().is_some(), sizes })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{BooleanArray, Int64Array, StringViewArray};

    use super::*;

    /// Rows `start..end` with nulls, and bits in the place of bytes.
    fn table(start: i64, end: i64) -> Table {
        let rows = start..end;
        let batch = RecordBatch::try_from_iter([
            ("id", Arc::new(rows.clone().map(|row| Some(row % 7)).collect::<Int64Array>()) as ArrayRef),
            ("row", Arc::new(rows.clone().map(|row| (row % 5 > 0).then_some(row)).collect::<Int64Array>())),
            ("odd", Arc::new(rows.clone().map(|row| Some(row % 2 == 1)).collect::<BooleanArray>())),
            (
                "text",
                Arc::new(
                    rows.map(|row| (row % 3 > 0).then(|| "t".repeat(row as usize)))
                        .collect::<StringViewArray>(),
                ),
            ),
        ])
        .unwrap();
        Table {
            schema: batch.schema(),
            batches: vec![batch.slice(0, 9), batch.slice(9, batch.num_rows() - 9)],
        }
    }

    /// All rows of a partition, as they are written.
    fn shown(tables: Vec<Table>) -> Vec<String> {
        let batches = tables.into_iter().flat_map(|table| table.batches);
        batches
            .flat_map(|batch| (0..batch.num_rows()).map(move |row| format!("{:?}", batch.slice(row, 1))))
            .collect()
    }

    #[test]
    fn rows_come_back_as_they_were_dealt_out_from_memory_or_files_or_both() {
        let folder = std::env::temp_dir().join(format!("rankmark-spill-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        // The ids alone are plain, and are written together.
        for columns in [&[0, 1, 2, 3][..], &[0]] {
            let rooms =
                [(usize::MAX, 0), (0, 1), (1_500 * columns.len(), usize::MAX), (700, 900), (100, 300)];
            let found = rooms.map(|(room, expected)| {
                let mut partitions = Partitions::new(folder.clone(), 3, 0, room, expected);
                for start in [0, 40, 80] {
                    let Table { schema, batches } = table(start, start + 40);
                    let schema = Arc::new(schema.project(columns).unwrap());
                    let batches = batches.iter().map(|batch| batch.project(columns).unwrap()).collect();
                    partitions.deal("t", &Table { schema, batches }, "id").unwrap().unwrap();
                }
                let found: Vec<Vec<String>> =
                    (0..3).map(|number| shown(partitions.take("t", number).unwrap().unwrap())).collect();
                assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
                found
            });
            assert_eq!(found[0].iter().map(Vec::len).sum::<usize>(), 120);
            assert!(found.iter().all(|other| *other == found[0]));
        }
        fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn as_many_partitions_stay_in_memory_as_there_is_room_for() {
        let folder = std::env::temp_dir().join(format!("rankmark-kept-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let column = Arc::new(Int64Array::from_iter_values(0..3_000)) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("id", column)]).unwrap();
        let ids = Table { schema: batch.schema(), batches: vec![batch] };
        // Of 24,000 bytes 14,000 fit beside those on their way, and none where three times as many come.
        for (times, kept) in [(1, 4), (3, 0)] {
            let mut partitions = Partitions::new(folder.clone(), 7, 0, 16_000, 24_000);
            (0..times).for_each(|_| partitions.deal("t", &ids, "id").unwrap().unwrap());
            assert!(partitions.kept == kept && partitions.held <= 16_000);
            let tables = (0..7).flat_map(|number| partitions.take("t", number).unwrap().unwrap());
            assert_eq!(tables.map(|table| table.num_rows()).sum::<usize>(), 3_000 * times);
        }
        fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn all_rows_of_an_id_are_in_one_partition_in_order() {
        let mut partitions = Partitions::new(PathBuf::new(), 4, 1, usize::MAX, 0);
        partitions.deal("t", &table(0, 50), "id").unwrap().unwrap();
        let mut of_ids = vec![Vec::new(); 7];
        for partition in 0..4 {
            for batch in
                partitions.take("t", partition).unwrap().unwrap().into_iter().flat_map(|table| table.batches)
            {
                let column = |name| batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().clone();
                for (id, row) in column("id").values().iter().zip(&column("row")) {
                    of_ids[*id as usize].push((partition, row));
                }
            }
        }
        for (id, rows) in of_ids.iter().enumerate() {
            let expected = (id as i64..50).step_by(7).map(|row| (rows[0].0, (row % 5 > 0).then_some(row)));
            assert_eq!(*rows, expected.collect::<Vec<_>>());
        }
    }
}
