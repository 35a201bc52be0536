//! TREC text: judgements and results as lines of fields between spaces and tabs.
//!
//! Of the text, which is read block by block, only the ids are kept.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::core::choices::Choice;
use crate::core::error::{Error, Result};
use crate::core::files::text_reader::{self, TextReader};
use crate::core::pool;
use crate::core::progress::Progress;
use crate::core::table::Table;
use crate::core::texts::{Runs, Texts};

/// Text read at once.
const BLOCK: usize = 16 << 20;
/// Text parsed by one thread at a time, and one batch of rows.
const CHUNK: usize = 1 << 20;
/// Bytes of a line, whose ids are found by numbers of 31 bits.
const LONGEST_LINE: usize = i32::MAX as usize;
const MOST_FIELDS: usize = 6;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file's lines are: of the two sides that are compared, which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Judgements.
    Qrels,
    /// Results.
    Run,
}

impl Choice for Side {
    const NAME: &'static str = "side";
    const WORDS: &'static [(&'static str, Self)] = &[("qrels", Self::Qrels), ("run", Self::Run)];
}

impl Side {
    fn expected(self) -> &'static str {
        match self {
            Self::Qrels => "'query iter item relevance' or 'query item relevance'",
            Self::Run => {
                "'query Q0 item rank score tag', also without tag, without score, or 'query item score'"
            }
        }
    }
}

/// Reads a file of judgements or results, plain or compressed.
///
/// Text that was compressed is refused if it is longer than `limit`. `cancelled` ends it early, with a table of
/// what has been read.
pub fn read(
    path: &str,
    side: Side,
    limit: u64,
    progress: Arc<Progress>,
    cancelled: &AtomicBool,
) -> Result<Table> {
    let mut reader = TrecReader::open(path, side, progress, BLOCK)?;
    reader.blocks.content.limit = limit;
    read_all(&mut reader, cancelled)
}

/// What trec_eval finds in a file.
pub struct TrecEvalFile {
    /// The rows; a byte of an id is a character, so that any bytes can be ids and sort as they do there.
    pub table: Table,
    /// The tag in the last line of a run.
    pub tag: Option<Vec<u8>>,
}

/// Reads what trec_eval would, or says what it would misread.
pub fn read_as_trec_eval(
    path: &str,
    content: TextReader,
    side: Side,
    cancelled: &AtomicBool,
) -> Result<TrecEvalFile> {
    let mut reader = TrecReader::of(path, content, side, Some(Layout::of_trec_eval(side)), BLOCK);
    let table = read_all(&mut reader, cancelled)?;
    Ok(TrecEvalFile { table, tag: reader.tag })
}

fn read_all(reader: &mut TrecReader, cancelled: &AtomicBool) -> Result<Table> {
    let mut batches = Vec::new();
    while let Some(block) = reader.next(cancelled)? {
        batches.extend(block.batches);
    }
    Ok(Table { schema: reader.schema()?, batches })
}

/// A file that is read block by block.
pub struct TrecReader {
    path: String,
    blocks: Blocks,
    side: Side,
    layout: Option<Layout>,
    lines: usize,
    tag: Option<Vec<u8>>,
}

impl TrecReader {
    /// Opens a file to be read in blocks of about `size` bytes of text.
    pub fn open(path: &str, side: Side, progress: Arc<Progress>, size: usize) -> Result<Self> {
        Ok(Self::of(path, text_reader::open(path, progress)?, side, None, size))
    }

    fn of(path: &str, content: TextReader, side: Side, layout: Option<Layout>, size: usize) -> Self {
        // The first block holds all of a byte order mark.
        let size = size.max(BYTE_ORDER_MARK.len());
        let blocks = Blocks { content, size, text: Vec::new(), given: 0, first: true };
        Self { path: path.to_owned(), blocks, side, layout, lines: 0, tag: None }
    }

    /// The rows of the next block that has any; nothing at the end of the file, or where it is cancelled.
    ///
    /// # Errors
    /// A line that does not follow the format, and a file without rows.
    pub fn next(&mut self, cancelled: &AtomicBool) -> Result<Option<Table>> {
        while let Some(block) = self.blocks.next(cancelled)? {
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
            if self.layout.is_none() {
                let layout = Layout::of_first_line(self.side, block);
                self.layout = layout.map_err(|bad| bad.error(&self.path, self.lines))?;
            }
            let mut batches = Vec::new();
            self.lines += match &self.layout {
                Some(layout) => {
                    let found = parse_block(&self.path, block, layout, self.lines, &mut batches)?;
                    self.tag = found.tag.or(self.tag.take());
                    found.lines
                }
                None => count_lines(block),
            };
            if !batches.is_empty() {
                return Ok(Some(Table { schema: self.schema()?, batches }));
            }
        }
        self.schema().map(|_| None)
    }

    fn schema(&self) -> Result<SchemaRef> {
        let Self { path, layout, lines, .. } = self;
        match layout {
            Some(layout) => Ok(layout.schema()),
            None if *lines == 0 => Err(Error::format(format!("{path}: the file is empty"))),
            None => Err(Error::format(format!("{path}: the file has only blank and comment lines"))),
        }
    }
}

/// The text in blocks that end at line ends.
struct Blocks {
    content: TextReader,
    size: usize,
    text: Vec<u8>,
    /// Bytes of the text that were the block before.
    given: usize,
    first: bool,
}

impl Blocks {
    fn next(&mut self, cancelled: &AtomicBool) -> Result<Option<&[u8]>> {
        self.text.drain(..self.given);
        let room = (self.content.file_size as usize).min(self.size);
        self.text.try_reserve(room).map_err(|_| Error::too_large())?;
        loop {
            let seen = self.text.len();
            let read = self.content.read_up_to(self.size as u64, &mut self.text, cancelled)?;
            if std::mem::take(&mut self.first) && self.text.starts_with(BYTE_ORDER_MARK) {
                self.text.drain(..BYTE_ORDER_MARK.len());
            }
            if read < self.size {
                end_at_nul(&mut self.text);
                self.given = self.text.len();
                return Ok(Some(self.text.as_slice()).filter(|block| !block.is_empty()));
            }
            // What was there before has been looked through, so that a line of any length takes linear time.
            if let Some(end) = self.text[seen..].iter().rposition(|&byte| byte == b'\n') {
                self.given = seen + end + 1;
                return Ok(Some(&self.text[..self.given]));
            }
            if self.text.len() > LONGEST_LINE - self.size {
                return Err(Error::format(format!(
                    "{}: a line is longer than 2 GiB; this is not TREC text",
                    self.content.path
                )));
            }
        }
    }
}

/// Takes away the NUL bytes with which some programs fill up a file.
fn end_at_nul(text: &mut Vec<u8>) {
    let end = text.iter().rposition(|&byte| byte != 0 && !is_space(byte)).map_or(0, |last| last + 1);
    if let Some(nul) = text[end..].iter().position(|&byte| byte == 0) {
        text.truncate(end + nul);
    }
}

/// The value of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Relevance,
    /// A whole relevance.
    Grade,
    Score,
    Rank,
}

impl Value {
    fn name(self) -> &'static str {
        match self {
            Self::Relevance | Self::Grade => "relevance",
            Self::Score => "score",
            Self::Rank => "rank",
        }
    }

    fn dtype(self) -> DataType {
        match self {
            Self::Relevance | Self::Grade | Self::Score => DataType::Float64,
            Self::Rank => DataType::Int64,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Relevance => "a finite number",
            Self::Grade => {
                "a whole number; trec_eval would cut it off without a word (`rankmark eval` takes fractions)"
            }
            Self::Score => "a number",
            Self::Rank => "an integer",
        }
    }
}

/// What stands where in a file's lines.
#[derive(Debug, Clone, Copy)]
struct Layout {
    fields: usize,
    item: usize,
    value_at: usize,
    value: Value,
    form: &'static str,
    strict: bool,
    /// The field that trec_eval passes over and that has the aspect in judgements of such, under this name.
    aspect: Option<(usize, &'static str)>,
}

/// What lines can be. A file's is the first of these that its first line can have.
const LAYOUTS: [(Side, Layout); 7] = [
    (
        Side::Qrels,
        Layout {
            aspect: Some((1, "iter")),
            ..Layout::new(4, 2, 3, Value::Relevance, "query iter item relevance")
        },
    ),
    (Side::Qrels, Layout::new(3, 1, 2, Value::Relevance, "query item relevance")),
    (Side::Run, Layout::new(MOST_FIELDS, 2, 4, Value::Score, "query Q0 item rank score tag")),
    (Side::Run, Layout::new(5, 2, 4, Value::Score, "query Q0 item rank score")),
    (Side::Run, Layout::new(5, 2, 3, Value::Rank, "query Q0 item rank tag")),
    (Side::Run, Layout::new(4, 2, 3, Value::Rank, "query Q0 item rank")),
    (Side::Run, Layout::new(3, 1, 2, Value::Score, "query item score")),
];

/// The fields of a side's lines by their names, once for each way in which there can be some.
pub fn forms(side: Side) -> Vec<&'static str> {
    LAYOUTS.iter().filter(|(of, _)| *of == side).map(|(_, layout)| layout.form).collect()
}

impl Layout {
    const fn new(fields: usize, item: usize, value_at: usize, value: Value, form: &'static str) -> Self {
        Self { fields, item, value_at, value, form, strict: false, aspect: None }
    }

    /// Lines as trec_eval reads them.
    const fn of_trec_eval(side: Side) -> Self {
        match side {
            Side::Qrels => {
                Self { strict: true, ..Self::new(4, 2, 3, Value::Grade, "query iter item relevance") }
            }
            Side::Run => Self {
                strict: true,
                ..Self::new(MOST_FIELDS, 2, 4, Value::Score, "query Q0 item rank score tag")
            },
        }
    }

    fn of_first_line(side: Side, block: &[u8]) -> std::result::Result<Option<Self>, BadLine> {
        let Some(line) = data_lines(block, 0..block.len(), is_data).next() else { return Ok(None) };
        if line.has_old_ends() {
            return Err(old_ends(&line));
        }
        Self::of_line(side, &line).map(Some).ok_or_else(|| BadLine {
            number: line.number,
            message: format!(
                "{} where a line of {} needs {}: {}",
                counted(line.fields.count),
                if side == Side::Qrels { "qrels" } else { "a run" },
                side.expected(),
                shown(line.text)
            ),
        })
    }

    fn of_line(side: Side, line: &Line) -> Option<Self> {
        LAYOUTS.iter().find(|(of, layout)| *of == side && layout.is_of(line)).map(|(_, layout)| *layout)
    }

    fn is_of(&self, line: &Line) -> bool {
        self.fits(line.fields.count)
            && match (self.fields, self.value) {
                (5, Value::Score) => stands_for_a_number(line.field(self.value_at)) && !self.is_shifted(line),
                // Without Q0 it is more likely a line of qrels.
                (4, Value::Rank) => line.field(1).eq_ignore_ascii_case(b"Q0"),
                _ => true,
            }
    }

    /// Whether a line can have so many fields; a tag may be several words.
    fn fits(&self, fields: usize) -> bool {
        fields == self.fields || (self.fields == MOST_FIELDS && fields > MOST_FIELDS)
    }

    /// Whether the value hardly stands where it is looked for, since an id before it has a blank in it.
    ///
    /// Then a word stands for the rank, or a number where the tag begins. One of both is too little to tell in
    /// a line that has the right number of fields: some tags are numbers, and some runs have no ranks.
    fn is_shifted(&self, line: &Line) -> bool {
        if self.strict || self.value != Value::Score || self.fields < 5 {
            return false;
        }
        let no_rank = !stands_for_a_number(line.field(3));
        let no_tag = || parse_score(line.field(MOST_FIELDS - 1)).is_some();
        match line.fields.count {
            5 => no_rank,
            MOST_FIELDS => no_rank && no_tag(),
            _ => no_rank || no_tag() || line.has_old_ends(),
        }
    }

    fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            Field::new("query", Runs::dtype(), false),
            Field::new("item", DataType::Utf8, false),
            Field::new(self.value.name(), self.value.dtype(), false),
        ];
        fields.extend(self.aspect.map(|(_, name)| Field::new(name, Runs::dtype(), false)));
        Arc::new(Schema::new(fields))
    }

    fn parse(&self, block: &[u8], chunk: Range<usize>) -> std::result::Result<Parsed, BadLine> {
        match self.value {
            Value::Relevance => parse_chunk::<Float64Type>(self, block, chunk, parse_relevance),
            Value::Grade => parse_chunk::<Float64Type>(self, block, chunk, parse_grade),
            Value::Score => parse_chunk::<Float64Type>(self, block, chunk, parse_score),
            Value::Rank => parse_chunk::<Int64Type>(self, block, chunk, parse_rank),
        }
    }

    fn wrong_fields(&self, line: &Line) -> BadLine {
        if !self.strict && line.has_old_ends() {
            return old_ends(line);
        }
        if self.fits(line.fields.count) {
            return BadLine {
                number: line.number,
                message: format!(
                    "the rank is {} and the score {}, so that an id seems to have a blank in it, which ends a \
                     field ({}): {}",
                    shown(line.field(3)),
                    shown(line.field(self.value_at)),
                    self.form,
                    shown(line.text)
                ),
            };
        }
        let who = if self.strict { "trec_eval needs" } else { "the first line has" };
        let hint = match (self.strict, self.value, line.fields.count) {
            (true, Value::Grade, MOST_FIELDS..) => "; this looks like a run: QRELS comes first",
            (true, Value::Score, 4) => "; these look like judgements: RUN comes second",
            _ => "",
        };
        BadLine {
            number: line.number,
            message: format!(
                "{} where {who} {} ({}): {}{hint}",
                counted(line.fields.count),
                self.fields,
                self.form,
                shown(line.text)
            ),
        }
    }

    /// Which lines are neither blank nor a comment.
    fn data(&self) -> fn(&Line) -> bool {
        // In judgements trec_eval takes blank lines, and a "#" after spaces, for data.
        if self.strict && self.value == Value::Grade { |line| !line.text.starts_with(b"#") } else { is_data }
    }

    fn wrong_value(&self, line: &Line) -> BadLine {
        BadLine {
            number: line.number,
            message: format!(
                "the {} {} is not {}; expected: {}",
                self.value.name(),
                shown(line.field(self.value_at)),
                self.value.expected(),
                self.form
            ),
        }
    }
}

/// Whether it is a number or what is written where there is none, and hardly the tag of a run.
fn stands_for_a_number(text: &[u8]) -> bool {
    const NOTHING: [&str; 5] = ["na", "n/a", "null", "none", "-"];
    let is_whole = text.iter().all(u8::is_ascii_digit);
    is_whole
        || std::str::from_utf8(text).is_ok_and(|text| {
            text.replacen(',', ".", 1).parse::<f64>().is_ok()
                || NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word))
        })
}

fn parse_score(text: &[u8]) -> Option<f64> {
    let score = std::str::from_utf8(text).ok()?.parse::<f64>().ok()?;
    (!score.is_nan()).then_some(score)
}

fn parse_relevance(text: &[u8]) -> Option<f64> {
    parse_score(text).filter(|relevance| relevance.is_finite())
}

fn parse_grade(text: &[u8]) -> Option<f64> {
    let has_exponent = text.iter().any(u8::is_ascii_alphabetic);
    parse_relevance(text).filter(|grade| grade.fract() == 0.0 && !has_exponent)
}

fn parse_rank(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// What a block holds beside its rows.
struct ParsedBlock {
    lines: usize,
    /// The tag in its last line of data.
    tag: Option<Vec<u8>>,
}

/// Parses a block's chunks side by side.
fn parse_block(
    path: &str,
    block: &[u8],
    layout: &Layout,
    lines_before: usize,
    batches: &mut Vec<RecordBatch>,
) -> Result<ParsedBlock> {
    let chunks = chunks(block);
    let parsed = pool::map(chunks.len(), |chunk| layout.parse(block, chunks[chunk].clone()));
    let mut found = ParsedBlock { lines: 0, tag: None };
    for chunk in parsed {
        let Parsed { columns, lines, tag } =
            chunk.map_err(|bad| bad.error(path, lines_before + found.lines))?;
        found.lines += lines;
        found.tag = tag.or(found.tag);
        if !columns[0].is_empty() {
            let batch = RecordBatch::try_new(layout.schema(), columns);
            batches.push(batch.map_err(|error| Error::data(format!("{path}: {error}")))?);
        }
    }
    Ok(found)
}

/// Where the pieces of a text are that are parsed side by side, each of whole lines.
pub fn chunks(block: &[u8]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < block.len() {
        let least = (start + CHUNK).min(block.len());
        let end =
            block[least..].iter().position(|&byte| byte == b'\n').map_or(block.len(), |i| least + i + 1);
        chunks.push(start..end);
        start = end;
    }
    chunks
}

struct Parsed {
    columns: Vec<ArrayRef>,
    lines: usize,
    tag: Option<Vec<u8>>,
}

fn parse_chunk<T: ArrowPrimitiveType>(
    layout: &Layout,
    block: &[u8],
    chunk: Range<usize>,
    parse: fn(&[u8]) -> Option<T::Native>,
) -> std::result::Result<Parsed, BadLine> {
    let rows = chunk.len() / 32;
    let (mut queries, mut items) = (Runs::new(), Texts::with_capacity(rows));
    let mut aspects = Runs::new();
    let as_characters = layout.strict && !block[chunk.clone()].is_ascii();
    let mut values = Vec::with_capacity(rows);
    let mut tag = None;
    for line in data_lines(block, chunk.clone(), layout.data()) {
        if layout.strict && line.text.contains(&0) {
            return Err(nul(&line));
        }
        if !layout.fits(line.fields.count) || layout.is_shifted(&line) {
            return Err(layout.wrong_fields(&line));
        }
        if layout.strict {
            tag = (layout.fields == MOST_FIELDS).then(|| line.field(MOST_FIELDS - 1).to_owned());
        }
        values.push(parse(line.field(layout.value_at)).ok_or_else(|| layout.wrong_value(&line))?);
        let (query, item) = (line.field(0), line.field(layout.item));
        if as_characters {
            queries.push(Some(characters(query).as_bytes()));
            items.push(Some(characters(item).as_bytes()));
        } else {
            queries.push(Some(query));
            items.push(Some(item));
        }
        if let Some((aspect, _)) = layout.aspect {
            aspects.push(Some(String::from_utf8_lossy(line.field(aspect)).as_bytes()));
        }
    }
    values.shrink_to_fit();
    let (Ok(queries), Ok(items), Ok(aspects)) = (queries.finish(), items.finish(), aspects.finish()) else {
        return Err(not_unicode(layout, block, chunk));
    };
    let values = PrimitiveArray::<T>::new(values.into(), None);
    let lines = count_lines(&block[chunk]);
    let mut columns: Vec<ArrayRef> = vec![Arc::new(queries), Arc::new(items), Arc::new(values)];
    if layout.aspect.is_some() {
        columns.push(Arc::new(aspects));
    }
    Ok(Parsed { columns, lines, tag })
}

/// An id of which each byte is a character: their order is that of the bytes.
fn characters(id: &[u8]) -> String {
    id.iter().map(|&byte| char::from(byte)).collect()
}

fn old_ends(line: &Line) -> BadLine {
    let message = r"the line has \r in it; where lines end with \r alone, end them with \n, for example by tr '\r' '\n'";
    BadLine { number: line.number, message: format!("{message}: {}", shown(line.text)) }
}

fn nul(line: &Line) -> BadLine {
    let message = format!(
        "the line has a NUL byte, at which trec_eval stops reading; take it out of the file: {}",
        shown(line.text)
    );
    BadLine { number: line.number, message }
}

/// Finds the first id that is not UTF-8, once it is known that there is one.
fn not_unicode(layout: &Layout, block: &[u8], chunk: Range<usize>) -> BadLine {
    for line in data_lines(block, chunk, layout.data()) {
        for (name, field) in [("query", 0), ("item", layout.item)] {
            let id = line.field(field);
            if std::str::from_utf8(id).is_err() {
                let message =
                    format!("the {name} {} is not UTF-8 text; convert the file to UTF-8", shown(id));
                return BadLine { number: line.number, message };
            }
        }
    }
    BadLine { number: 0, message: "the ids are not UTF-8 text".to_owned() }
}

fn count_lines(text: &[u8]) -> usize {
    let ends = text.iter().filter(|&&byte| byte == b'\n').count();
    ends + usize::from(text.last().is_some_and(|&byte| byte != b'\n'))
}

/// A line that holds data.
struct Line<'a> {
    /// Lines before it in its chunk.
    number: usize,
    /// Without the line end.
    text: &'a [u8],
    fields: Fields,
}

impl Line<'_> {
    fn field(&self, field: usize) -> &[u8] {
        let (start, end) = self.fields.bounds[field];
        &self.text[start..end]
    }

    /// Whether lines may have ended with `\r` alone, long ago on a Macintosh.
    fn has_old_ends(&self) -> bool {
        self.text.trim_ascii().contains(&b'\r')
    }
}

/// Whether a line is neither blank nor a comment.
fn is_data(line: &Line) -> bool {
    line.fields.count > 0 && !line.field(0).starts_with(b"#")
}

/// The lines of a chunk that hold data.
fn data_lines(
    block: &[u8],
    chunk: Range<usize>,
    is_data: fn(&Line) -> bool,
) -> impl Iterator<Item = Line<'_>> {
    let mut next = chunk.start;
    let mut number = 0;
    std::iter::from_fn(move || {
        while next < chunk.end {
            let start = next;
            let (fields, length) = Fields::of_first_line(&block[start..chunk.end]);
            next += length + 1;
            number += 1;
            let text = &block[start..start + length];
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let line = Line { number: number - 1, text, fields };
            if is_data(&line) {
                return Some(line);
            }
        }
        None
    })
}

/// Whether a byte stands between fields: spaces, tabs, line ends and form feeds.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Where a line's fields are; `count` also counts the fields beyond the most there can be.
struct Fields {
    bounds: [(usize, usize); MOST_FIELDS],
    count: usize,
}

impl Fields {
    /// The fields of the text's first line, and the line's length without its `\n`.
    fn of_first_line(text: &[u8]) -> (Self, usize) {
        let mut fields = Self { bounds: [(0, 0); MOST_FIELDS], count: 0 };
        let mut start = 0;
        for (at, &byte) in text.iter().enumerate() {
            if byte > b' ' || !is_space(byte) {
                continue;
            }
            fields.push(start, at);
            if byte == b'\n' {
                return (fields, at);
            }
            start = at + 1;
        }
        fields.push(start, text.len());
        (fields, text.len())
    }

    fn push(&mut self, start: usize, end: usize) {
        if start == end {
            return;
        }
        if let Some(bounds) = self.bounds.get_mut(self.count) {
            *bounds = (start, end);
        }
        self.count += 1;
    }
}

/// A line that does not follow the format, counted from the start of what was being parsed.
#[derive(Debug)]
struct BadLine {
    number: usize,
    message: String,
}

impl BadLine {
    fn error(self, path: &str, lines_before: usize) -> Error {
        Error::format(format!("{path}, line {}: {}", lines_before + self.number + 1, self.message))
    }
}

fn counted(fields: usize) -> String {
    if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") }
}

/// Text for a message, quoted and cut short.
fn shown(text: &[u8]) -> String {
    const MOST: usize = 80;
    let text: Cow<str> = String::from_utf8_lossy(text);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?} …", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;

    use super::*;
    use crate::core::error::Class;
    use crate::core::texts::written_out;

    type Row = (String, String, f64);

    fn parse(side: Side, text: impl AsRef<[u8]>) -> Result<Table> {
        parse_in_blocks(side, text, BLOCK)
    }

    fn parse_in_blocks(side: Side, text: impl AsRef<[u8]>, size: usize) -> Result<Table> {
        static FILES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rankmark-{}-trec-{number}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let reader = TrecReader::open(path.to_str().unwrap(), side, Arc::default(), size);
        let table = reader.and_then(|mut reader| read_all(&mut reader, &AtomicBool::new(false)));
        std::fs::remove_file(&path).unwrap();
        table
    }

    fn rows(table: &Table) -> Vec<Row> {
        let column = |batch: &RecordBatch, row: usize| match batch.column(2).data_type() {
            DataType::Int64 => batch.column(2).as_primitive::<Int64Type>().value(row) as f64,
            _ => batch.column(2).as_primitive::<Float64Type>().value(row),
        };
        let in_batch = |batch: &RecordBatch| -> Vec<Row> {
            let (queries, items) = (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
            let row = |i| (queries.value(i).to_owned(), items.value(i).to_owned(), column(batch, i));
            (0..batch.num_rows()).map(row).collect()
        };
        written_out(table).unwrap().batches.iter().flat_map(in_batch).collect()
    }

    fn row(query: &str, item: &str, value: f64) -> Row {
        (query.to_owned(), item.to_owned(), value)
    }

    fn message(side: Side, text: impl AsRef<[u8]>) -> String {
        let error = parse(side, text).unwrap_err();
        assert_eq!(error.class, Class::Format);
        error.message
    }

    #[test]
    fn qrels_in_both_forms() {
        let expected = vec![row("q1", "a-name-longer-than-12", 1.0), row("q2", "b", -0.5)];
        assert_eq!(
            rows(&parse(Side::Qrels, "q1 0 a-name-longer-than-12 1\nq2 0 b -.5\n").unwrap()),
            expected
        );
        assert_eq!(rows(&parse(Side::Qrels, "q1 a-name-longer-than-12 1\nq2 b -0.5").unwrap()), expected);
    }

    #[test]
    fn runs_in_every_form() {
        for (line, value, name) in [
            ("q Q0 d 7 2.5 tag", 2.5, "score"),
            ("q Q0 d 7 2.5", 2.5, "score"),
            ("q Q0 d 7 tag", 7.0, "rank"),
            ("q Q0 d 7", 7.0, "rank"),
            ("q d 2.5", 2.5, "score"),
            ("q d -inf", f64::NEG_INFINITY, "score"),
        ] {
            let table = parse(Side::Run, line).unwrap();
            assert_eq!(rows(&table), [row("q", "d", value)]);
            assert_eq!(table.schema.field(2).name(), name);
        }
    }

    #[test]
    fn what_is_no_score_in_the_first_of_five_fields_is_no_tag() {
        for score in ["nan", "NaN", "-nan", "0,5", "NA", "null"] {
            let message = message(Side::Run, format!("q Q0 d 7 {score}\nq Q0 e 8 0.5\n"));
            assert!(message.contains("line 1: the score"), "{message}");
            assert!(message.contains("is not a number"), "{message}");
        }
    }

    #[test]
    fn separators_line_ends_comments_and_a_byte_order_mark() {
        let text = "\u{feff}# q0 0 x 1\r\n\r\n q1\t 0 \té#1   1 \t\r\n \t \n#\nq1 0 b 0\r";
        assert_eq!(rows(&parse(Side::Qrels, text).unwrap()), [row("q1", "é#1", 1.0), row("q1", "b", 0.0)]);
    }

    #[test]
    fn an_id_with_a_blank_in_it_is_refused() {
        for (line, told) in [
            ("q Q0 doc one 1 3.0 t", "the rank is \"one\" and the score \"1\""),
            ("my q Q0 doc 1 3.0 t", "the rank is \"doc\" and the score \"1\""),
            ("q Q0 phone 7 1 3.0 t", "the rank is \"7\" and the score \"1\""),
            ("q Q0 doc one 1 3.0", "the rank is \"one\" and the score \"1\""),
        ] {
            for lines in [line.to_owned(), format!("q Q0 a 1 0.5 t\n{line}")] {
                let message = message(Side::Run, lines);
                assert!(message.contains(told), "{message}");
                assert!(message.contains("an id seems to have a blank in it"), "{message}");
            }
        }
        assert!(message(Side::Run, "q Q0 a 1 0.5\nq Q0 doc one 3").contains("line 2: the rank is \"one\""));
        assert!(message(Side::Run, "q Q0 doc one 3").contains("the rank \"one\" is not an integer"));
        for line in ["q Q0 a NA 0.5 t", "q Q0 a none 0.5 my tag", "q Q0 a word 0.5 t", "q Q0 a 1 0.5 3"] {
            assert_eq!(rows(&parse(Side::Run, line).unwrap()), [row("q", "a", 0.5)]);
        }
    }

    #[test]
    fn lines_that_end_as_on_old_macintoshes_are_refused() {
        for (side, text) in [
            (Side::Run, "q Q0 a 1 3 t\rq Q0 b 2 2 t\r"),
            (Side::Run, "q Q0 a 1 3 t\nq Q0 b 2 2 t\rq Q0 c 3 1 t\n"),
            (Side::Run, "7 8 1\r7 9 2"),
            (Side::Qrels, "q 0 a 1\rq 0 b 0\r"),
        ] {
            let message = message(side, text);
            assert!(message.contains(r"where lines end with \r alone, end them with \n"), "{message}");
        }
    }

    #[test]
    fn a_tag_may_be_several_words() {
        let table = parse(Side::Run, "q Q0 a 1 0.5 my tag\nq Q0 b 2 0.4 mine\n").unwrap();
        assert_eq!(rows(&table), [row("q", "a", 0.5), row("q", "b", 0.4)]);
    }

    #[test]
    fn many_chunks_keep_their_order_and_count_lines() {
        let line = |i: usize| format!("query-number-{:07} Q0 item-number-{i:09} 1 {i} t\n", i / 100);
        let mut text: String = (0..200_000).map(line).collect();
        let table = parse(Side::Run, &text).unwrap();
        assert!(table.batches.len() > 1);
        let rows = rows(&table);
        assert_eq!(rows.len(), 200_000);
        let expected =
            |i: usize| row(&format!("query-number-{:07}", i / 100), &format!("item-number-{i:09}"), i as f64);
        assert!(rows.iter().enumerate().all(|(i, row)| *row == expected(i)));
        text.push_str("# comment\nq Q0 d 1 oops t\n");
        assert!(message(Side::Run, &text).contains("line 200002: the score \"oops\" is not a number"));
    }

    #[test]
    fn blocks_end_at_line_ends() {
        let mut text = "query Q0 an-item-with-a-long-name 1 0.5 tag\n# a comment\n".repeat(50);
        let whole = rows(&parse(Side::Run, &text).unwrap());
        for size in [1, 7, 100, text.len() / 2, text.len() - 1, text.len(), text.len() + 1] {
            assert_eq!(rows(&parse_in_blocks(Side::Run, &text, size).unwrap()), whole);
        }
        text.push_str("too short\n");
        for size in [7, 100, text.len()] {
            let error = parse_in_blocks(Side::Run, &text, size).unwrap_err();
            assert!(error.message.contains("line 101: 2 fields"), "{error:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_an_id_however_small_blocks_are() {
        for size in 1..6 {
            let table = parse_in_blocks(Side::Run, "\u{feff}q d 2.5\n", size).unwrap();
            assert_eq!(rows(&table), [row("q", "d", 2.5)]);
        }
    }

    #[test]
    fn another_number_of_fields() {
        let error = message(Side::Qrels, "# first\nq 0 d 1\n\nq 0 d\n");
        assert!(
            error.ends_with(
                "line 4: 3 fields where the first line has 4 (query iter item relevance): \"q 0 d\""
            )
        );
        assert!(
            message(Side::Qrels, "q\n").contains("line 1: 1 field where a line of qrels needs 'query iter")
        );
        assert!(message(Side::Run, "a b\n").contains("2 fields where a line of a run needs"));
        assert!(message(Side::Run, "a".repeat(100)).ends_with("aaaa\" …"));
    }

    #[test]
    fn values_that_are_not_numbers() {
        for value in ["x", "nan", "1,5", "0x10", "inf"] {
            let error = message(Side::Qrels, format!("q 0 d 1\nq 0 d {value}\n"));
            assert!(
                error.contains(&format!("line 2: the relevance \"{value}\" is not a finite number")),
                "{error}"
            );
        }
        assert!(
            message(Side::Run, "q d NaN")
                .contains("the score \"NaN\" is not a number; expected: query item score")
        );
        assert!(message(Side::Run, "q Q0 d 1.5").contains("the rank \"1.5\" is not an integer"));
    }

    #[test]
    fn ids_that_are_not_unicode() {
        let error = message(Side::Qrels, b"q 0 d 1\n# caf\xe9\nq 0 caf\xe9 1\n");
        assert!(error.contains("line 3: the item \"caf\u{fffd}\" is not UTF-8"), "{error}");
        assert!(message(Side::Run, b"\xff d 1\n").contains("line 1: the query"));
    }

    #[test]
    fn nothing_in_it() {
        assert!(message(Side::Run, "").ends_with("the file is empty"));
        assert!(message(Side::Run, "\u{feff}").ends_with("the file is empty"));
        assert!(message(Side::Run, "# q Q0 d 1\n\n").ends_with("only blank and comment lines"));
    }
}
