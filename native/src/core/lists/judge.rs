//! From the columns of judgements and results to judged lists: group, match, rank; every query for itself.

use std::fmt::Display;
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use crate::core::choices::{Duplicates, Scores, Unjudged, UnjudgedQueries};
use crate::core::column::{Column, Number, are_float32, negated, numbers, prefetch};
use crate::core::error::{Class, Error, Result};
use crate::core::group::{Groups, Queries, check_rows, is_scattered};
use crate::core::hash::Key;
use crate::core::ids::{Ids, is_u64, unsigned};
use crate::core::lists::judged_lists::{JudgedLists, Numbers};
use crate::core::lists::list::{Judge, Rules, Top, descends};
use crate::core::lists::matching::{Repeated, Repeats};
use crate::core::lists::partition::{Gathered, Partitions, Way};
use crate::core::pool;
use crate::core::scores::Score;
use crate::core::short_text::{ShortText, short_texts};
use crate::core::table::{Table, column_of};
use crate::core::ties::{Needs, Ties};

mod pieces;

pub use pieces::Pieces;

/// Queries of a block.
const BLOCK: usize = 256;
/// Queries between the one that is judged and the one whose rows are brought into the cache.
const AHEAD: usize = 4;
/// Rows of it that are.
const FETCHED: usize = 1 << 8;
/// Judgements of a block up to which they are read at once, so that what is read stays in the nearest cache.
const FEW_ROWS: usize = 1 << 12;
/// Judgements of a part.
const PART: usize = 1 << 16;
/// Scattered results that are brought together at once, however much memory a copy of them takes.
const OF_A_PASS: usize = 1 << 21;
/// Passes, of which each looks at the queries of all results.
const MOST_PASSES: usize = 4;

/// A table and the names of its columns.
pub struct Source {
    /// The rows.
    pub table: Table,
    /// What messages call the table.
    pub name: String,
    /// The column of queries.
    pub query: String,
    /// The column of items; without one, of judgements, only queries are judged.
    pub item: Option<String>,
    /// Grades or scores.
    pub value: Option<String>,
    /// In a run without scores, the column of ranks.
    pub rank: Option<String>,
}

impl Source {
    /// The column that orders its lists, after what it is called in messages.
    fn ordered_by(&self) -> Option<(&'static str, &String)> {
        let scores = self.value.as_ref().map(|name| ("score", name));
        scores.or(self.rank.as_ref().map(|name| ("rank", name)))
    }

    /// The grades of judgements, if they have some.
    fn grades(&self) -> Result<Option<Column<'_, f64>>> {
        let grades = |name: &String| numbers(&self.table, name, column_of(&self.name, GRADES, name));
        self.value.as_ref().map(grades).transpose()
    }

    /// What orders the lists of a run, best first: scores, or ranks with their signs changed.
    pub fn order<S: Score>(&self) -> Result<Option<Column<'_, S>>> {
        let Some((role, name)) = self.ordered_by() else { return Ok(None) };
        let read = if self.value.is_some() { numbers } else { negated };
        read(&self.table, name, column_of(&self.name, role, name)).map(Some)
    }

    /// Whether the scores of a run are compared as 32-bit floats.
    pub fn has_float32(&self, scores: Scores) -> bool {
        let of_32_bits = |name: &String| scores == Scores::Float32 || are_float32(dtype(self, name));
        self.value.as_ref().is_some_and(of_32_bits)
    }

    /// Bytes of its columns of ids and numbers.
    fn bytes(&self) -> usize {
        let names = [Some(&self.query), self.item.as_ref(), self.value.as_ref(), self.rank.as_ref()];
        let bytes = |batch: &RecordBatch| {
            let columns = names.iter().flatten().filter_map(|name| batch.column_by_name(name));
            columns.map(|column| column.get_buffer_memory_size()).sum::<usize>()
        };
        self.table.batches.iter().map(bytes).sum()
    }

    /// Whether its queries stand in the same memory as those of another table.
    fn has_queries_of(&self, other: &Self) -> bool {
        let (own, others) = (&self.table.batches, &other.table.batches);
        own.len() == others.len()
            && own.iter().zip(others).all(|(own, theirs)| {
                match (own.column_by_name(&self.query), theirs.column_by_name(&other.query)) {
                    (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                    _ => false,
                }
            })
    }
}

/// The choices that decide about lists, as of `rankmark.language.choices`.
pub struct Choices {
    /// The order of equal scores.
    pub ties: Ties,
    /// Draws an order of ties that needs lots.
    pub seed: u64,
    /// Items that stand twice.
    pub duplicates: Duplicates,
    /// Items that are not judged.
    pub unjudged: Unjudged,
    /// Results for queries that are not judged.
    pub unjudged_queries: UnjudgedQueries,
    /// What scores are compared as.
    pub scores: Scores,
}

/// What is known when all lists have been judged.
pub struct Account {
    /// The first row of each judged query in the judgements.
    pub first_rows: Vec<u32>,
    /// Number of queries with results and without judgements.
    pub unjudged_queries: usize,
}

/// Is handed the lists, some queries at a time, by any thread and in any order.
pub trait Consume: Fn(JudgedLists) + Sync {}

impl<C: Fn(JudgedLists) + Sync> Consume for C {}

/// Judges the lists of a run, and hands them to `consume`, all at once where `whole` is asked for.
///
/// # Errors
/// Nulls and NaN, ids of different types, items that stand twice where that is refused.
pub fn judge(
    qrels: &Source,
    run: &Source,
    choices: &Choices,
    top: Option<Top<'_>>,
    whole: bool,
    cancelled: &AtomicBool,
    consume: &impl Consume,
) -> Result<Account> {
    let tables = Tables { qrels, run, choices, top, whole, cancelled, consume };
    match same_ids((qrels, &qrels.query), (run, &run.query), "query")? {
        SameIds::Integer(a, b, _) => judge_whole(&tables, &a, &b),
        SameIds::Short(a, b) => judge_whole(&tables, &a, &b),
        SameIds::Text(a, b) => judge_whole(&tables, &a, &b),
    }
}

fn judge_whole<Q: Key>(
    tables: &Tables<'_, impl Consume>,
    qrels_queries: &Column<'_, Q>,
    run_queries: &Column<'_, Q>,
) -> Result<Account> {
    let Tables { qrels, run, .. } = *tables;
    let alone = qrels.item.is_none() && qrels.has_queries_of(run);
    let (queries, judged) = match alone {
        true => Queries::alone(run_queries)?,
        false => Queries::new(qrels_queries)?,
    };
    let judged = Arc::new(judged);
    let job = Job { tables, qrels_queries, run_queries, queries: &queries, judged, alone, found: None };
    let unjudged_queries = job.judge_items()?;
    Ok(Account { first_rows: queries.first_rows, unjudged_queries })
}

fn ids<'a>(source: &'a Source, column: &str, role: &str) -> Result<Ids<'a>> {
    Ids::new(&source.table, column, column_of(&source.name, role, column))
}

/// The columns of ids of two tables, which have the same type.
pub enum SameIds<'a> {
    /// Integers, and whether they are ordered as `u64`.
    Integer(Column<'a, i64>, Column<'a, i64>, bool),
    /// Texts that are all short.
    Short(Column<'a, ShortText>, Column<'a, ShortText>),
    /// Any others.
    Text(Column<'a, &'a [u8]>, Column<'a, &'a [u8]>),
}

/// The ids of a role in both tables.
///
/// # Errors
/// Nulls, and ids of different types.
pub fn same_ids<'a>(
    (qrels, a): (&'a Source, &str),
    (run, b): (&'a Source, &str),
    role: &str,
) -> Result<SameIds<'a>> {
    let (of_qrels, of_run) = (ids(qrels, a, role)?, ids(run, b, role)?);
    let unsigned = match (&of_qrels, &of_run) {
        (Ids::Integer(_), Ids::Integer(_)) => {
            unsigned((dtype(qrels, a), &of_qrels), (dtype(run, b), &of_run), role)?
        }
        _ => false,
    };
    match (of_qrels, of_run) {
        (Ids::Integer(a), Ids::Integer(b)) => Ok(SameIds::Integer(a, b, unsigned)),
        (Ids::Text(x), Ids::Text(y)) => Ok(match both_short((qrels, a), (run, b))? {
            Some((a, b)) => SameIds::Short(a, b),
            None => SameIds::Text(x, y),
        }),
        (Ids::Integer(_), Ids::Text(_)) | (Ids::Text(_), Ids::Integer(_)) => {
            Err(different(role, (qrels, a), (run, b)))
        }
    }
}

/// The columns of texts of both tables, if all of these are short.
fn both_short<'a>(
    (qrels, a): (&'a Source, &str),
    (run, b): (&'a Source, &str),
) -> Result<Option<(Column<'a, ShortText>, Column<'a, ShortText>)>> {
    Ok(short_texts(&qrels.table, a)?.zip(short_texts(&run.table, b)?))
}

/// The id of one row, for messages.
fn shown(source: &Source, column: &str, role: &str, row: usize) -> Result<String> {
    Ok(ids(source, column, role)?.display(row, is_u64(dtype(source, column))))
}

fn dtype<'a>(source: &'a Source, column: &str) -> &'a DataType {
    let index = source.table.schema.index_of(column).expect("the column has been read");
    source.table.schema.field(index).data_type()
}

fn different(role: &str, (qrels, a): (&Source, &str), (run, b): (&Source, &str)) -> Error {
    Error::new(
        Class::IdType,
        format!(
            "{role} ids are {} in {} (column '{a}') and {} in {} (column '{b}'); cast one of them",
            dtype(qrels, a),
            qrels.name,
            dtype(run, b),
            run.name,
        ),
    )
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What is to be judged, how, and for whom.
struct Tables<'a, C> {
    qrels: &'a Source,
    run: &'a Source,
    choices: &'a Choices,
    /// What is kept of the top of each list.
    top: Option<Top<'a>>,
    /// Whether all queries are to be one part.
    whole: bool,
    cancelled: &'a AtomicBool,
    consume: &'a C,
}

/// Everything that the queries share.
struct Job<'a, Q, C> {
    tables: &'a Tables<'a, C>,
    qrels_queries: &'a Column<'a, Q>,
    run_queries: &'a Column<'a, Q>,
    queries: &'a Queries<Q>,
    judged: Arc<Groups>,
    /// Whether nothing is judged, and the queries are those of the results.
    alone: bool,
    /// Of a piece of a run the lists that are in it.
    found: Option<Found>,
}

/// The working memory of a thread.
struct QueryScratch<'a, K, S> {
    /// What is read of the judgements of a block.
    at_once: (Vec<K>, Vec<f64>),
    of_query: OfQuery<'a, K, S>,
}

/// The values of one query read from the columns, and what judges them.
struct OfQuery<'a, K, S> {
    judge: Judge<'a>,
    judged: Vec<K>,
    grades: Vec<f64>,
    items: Vec<K>,
    scores: Vec<S>,
    gathered: Gathered<K, S>,
}

/// What is left of some queries' lists when these have been handed on.
#[derive(Default)]
struct Leftover {
    judgements: Refused,
    results: Refused,
    unjudged_queries: usize,
    /// Whether a number was seen that is not accepted.
    bad_numbers: bool,
}

/// Repeated items: how many, and the first with its query.
#[derive(Default)]
struct Refused {
    count: usize,
    first: Option<(u32, Repeated)>,
}

impl<Q: Key, C: Consume> Job<'_, Q, C> {
    /// Judges the lists; gives the number of queries with results and without judgements.
    fn judge_items(self) -> Result<usize> {
        let Tables { qrels, run, choices, .. } = *self.tables;
        let run_item = run.item.clone().ok_or_else(|| Error::data("no column of items"))?;
        let of_run = ids(run, &run_item, "item")?;
        let &Choices { ties, duplicates, unjudged, .. } = choices;
        let rules = |unsigned| Rules { ties, duplicates, unjudged, unsigned };
        let Some(qrels_item) = &qrels.item else {
            return match &of_run {
                Ids::Integer(items) => self.judge(None, items, rules(is_u64(dtype(run, &run_item)))),
                Ids::Text(items) => match short_texts(&run.table, &run_item)? {
                    Some(items) => self.judge(None, &items, rules(false)),
                    None => self.judge(None, items, rules(false)),
                },
            };
        };
        let of_qrels = ids(qrels, qrels_item, "item")?;
        match (&of_qrels, &of_run) {
            (Ids::Integer(a), Ids::Integer(b)) => {
                let unsigned = unsigned(
                    (dtype(qrels, qrels_item), &of_qrels),
                    (dtype(run, &run_item), &of_run),
                    "item",
                )?;
                self.judge(Some(a), b, rules(unsigned))
            }
            (Ids::Text(a), Ids::Text(b)) => match both_short((qrels, qrels_item), (run, &run_item))? {
                Some((a, b)) => self.judge(Some(&a), &b, rules(false)),
                None => self.judge(Some(a), b, rules(false)),
            },
            (Ids::Integer(_), Ids::Text(_)) | (Ids::Text(_), Ids::Integer(_)) => {
                Err(different("item", (qrels, qrels_item), (run, &run_item)))
            }
        }
    }

    fn judge<K: Key>(
        self,
        judged: Option<&Column<'_, K>>,
        items: &Column<'_, K>,
        rules: Rules,
    ) -> Result<usize> {
        let Tables { run, choices, .. } = *self.tables;
        match run.has_float32(choices.scores) {
            true => self.judge_by::<K, f32>(judged, items, rules),
            false => self.judge_by::<K, f64>(judged, items, rules),
        }
    }

    /// The same, with scores of one width.
    fn judge_by<K: Key, S: Score>(
        self,
        judged: Option<&Column<'_, K>>,
        items: &Column<'_, K>,
        rules: Rules,
    ) -> Result<usize> {
        let Tables { qrels, run, .. } = *self.tables;
        let columns = ListColumns { judged, grades: qrels.grades()?, items, order: run.order::<S>()? };
        let (mut parts, mut unjudged_queries) = (Vec::new(), 0);
        let way = self.is_scattered().then(|| Way::of(&self.queries.keys, self.run_queries));
        let passes = way.as_ref().map_or(1, |way| self.passes(Partitions::<Q, K, S>::row(way)));
        for pass in 0..passes {
            let lists = Lists::new(&self, &columns, way.as_ref(), (pass, passes))?;
            let step = self.blocks_of_a_part(lists.blocks());
            parts.extend(pool::map_init(
                lists.blocks().div_ceil(step),
                || QueryScratch::new(rules, self.tables.top),
                |scratch, part| {
                    self.part(part * step..lists.blocks().min((part + 1) * step), &columns, &lists, scratch)
                },
            ));
            unjudged_queries += lists.unjudged_queries();
        }
        unjudged_queries += parts.iter().map(|part| part.unjudged_queries).sum::<usize>();
        // Each number was looked at where its query was judged; the first of those refused is still to be found.
        if unjudged_queries > 0 || parts.iter().any(|part| part.bad_numbers) {
            self.refuse_numbers(&columns)?;
        }
        self.refuse_repeated(&parts)?;
        self.refuse_unjudged(unjudged_queries)?;
        Ok(unjudged_queries)
    }

    /// Refuses grades, and scores or ranks, that are not accepted.
    fn refuse_numbers<K, S: Score>(&self, columns: &ListColumns<'_, K, S>) -> Result<()> {
        let Tables { qrels, run, .. } = *self.tables;
        if let (Some(column), Some(name)) = (&columns.grades, &qrels.value) {
            refuse_numbers(column, column_of(&qrels.name, GRADES, name), Accepted::Finite)?;
        }
        if let (Some(column), Some((role, name))) = (&columns.order, run.ordered_by()) {
            refuse_numbers(column, column_of(&run.name, role, name), Accepted::NotNan)?;
        }
        Ok(())
    }

    /// Whether the results of a query lie far apart.
    fn is_scattered(&self) -> bool {
        self.found.is_none() && !(self.alone && self.judged.are_whole()) && is_scattered(self.run_queries)
    }

    /// In how many passes scattered results are brought together, so that a copy of them takes no more memory than
    /// they do; so many bytes a row.
    fn passes(&self, row: usize) -> usize {
        let rows = self.run_queries.len();
        if self.tables.whole {
            return 1;
        }
        let own = self.tables.run.bytes().max(1);
        ((rows * row + own / 2) / own).min(rows / OF_A_PASS).clamp(1, MOST_PASSES)
    }

    /// Parts have about as many judgements as fit the cache with what measures make of them, but no thread
    /// is to be idle while another does a large one.
    fn blocks_of_a_part(&self, blocks: usize) -> usize {
        if self.tables.whole {
            return blocks.max(1);
        }
        // Of a piece not all queries are there.
        let all = if self.found.is_some() { self.queries.first_rows.len().div_ceil(BLOCK) } else { blocks };
        let judgements = self.qrels_queries.len() / all.max(1);
        let shared = if pool::threads() == 1 { blocks } else { blocks / (4 * pool::threads()) };
        (PART / judgements.max(1)).min(shared).max(1)
    }

    fn part<K: Key, S: Score>(
        &self,
        blocks: Range<usize>,
        columns: &ListColumns<'_, K, S>,
        lists: &Lists<Q, K, S>,
        scratch: &mut QueryScratch<'_, K, S>,
    ) -> Leftover {
        let mut left = Leftover::default();
        let Tables { choices, top, .. } = self.tables;
        let mut judged =
            JudgedLists::new(lists.queries(blocks.clone()), choices.ties.shares_ranks(), top.is_some());
        let whole =
            Whole { items: columns.items.whole(), scores: columns.order.as_ref().and_then(Column::whole) };
        let (queries, all) = (judged.queries.len(), self.queries.first_rows.len().max(1));
        judged.reserve(queries, self.qrels_queries.len() * queries / all);
        for block in blocks {
            let queries = lists.queries(block..block + 1);
            if let Lists::Partitioned(partitions) = lists {
                left.unjudged_queries += partitions.gather(block, &mut scratch.of_query.gathered);
                self.look_ahead(&queries, columns);
            }
            let QueryScratch { at_once, of_query } = &mut *scratch;
            let at_once = self.judgements(&queries, columns, at_once);
            if at_once.grades.is_some_and(|grades| any_refused(grades, Accepted::Finite)) {
                left.bad_numbers = true;
                return left;
            }
            for (place, query) in queries.iter().enumerate() {
                lists.prefetch(block * BLOCK + place + AHEAD, columns, &whole);
                let read = (columns, &at_once, &whole);
                let answered = self.query(query, (block, place), read, lists, of_query, &mut left);
                // A call that is cancelled or refused throws its lists away, so the rest need not be right.
                if left.bad_numbers || self.tables.cancelled.load(Ordering::Relaxed) {
                    return left;
                }
                judged.push(&of_query.judge, answered);
            }
        }
        (self.tables.consume)(judged);
        left
    }

    /// Reads a little of the judgements of queries that lie far apart: memory brings several at a time where none
    /// waits for what another is used for.
    fn look_ahead<K: Key, S>(&self, queries: &Numbers, columns: &ListColumns<'_, K, S>) {
        for row in queries.iter().filter_map(|query| Some(self.judged.ranges(query as usize).next()?.start)) {
            black_box(columns.judged.map(|column| column.value(row)));
            black_box(columns.grades.as_ref().map(|column| column.value(row)));
        }
    }

    /// The judgements of some queries, where these follow one another and have few: so all are read at once.
    fn judgements<'s, K: Key, S>(
        &self,
        queries: &Numbers,
        columns: &'s ListColumns<'_, K, S>,
        (items, grades): &'s mut (Vec<K>, Vec<f64>),
    ) -> AtOnce<'s, K> {
        let Numbers::Range(queries) = queries else { return AtOnce::default() };
        let rows = self.judged.in_turn(queries.start as usize..queries.end as usize);
        let Some(rows) = rows.filter(|rows| !rows.is_empty() && rows.len() <= FEW_ROWS) else {
            return AtOnce::default();
        };
        AtOnce {
            first: rows.start,
            items: columns.judged.map(|column| column.values(rows.clone(), items)),
            grades: columns.grades.as_ref().map(|column| column.values(rows, grades)),
        }
    }

    /// Judges one query, which is at a place in a block; whether it has results.
    fn query<K: Key, S: Score>(
        &self,
        query: u32,
        (block, place): (usize, usize),
        (columns, at_once, whole): (&ListColumns<'_, K, S>, &AtOnce<'_, K>, &Whole<'_, K, S>),
        lists: &Lists<Q, K, S>,
        scratch: &mut OfQuery<'_, K, S>,
        left: &mut Leftover,
    ) -> bool {
        let OfQuery { judge, judged, grades, items, scores, gathered } = scratch;
        let own = |groups: &Groups, query: usize, first: usize| {
            let rows = groups.in_turn(query..query + 1)?;
            Some(rows.start - first..rows.end - first)
        };
        let rows = own(&self.judged, query as usize, at_once.first);
        let judged = match (columns.judged, at_once.items, &rows) {
            (None, _, _) => &[][..],
            (_, Some(items), Some(rows)) => &items[rows.clone()],
            (Some(column), _, _) => self.judged.values(query as usize, column, judged),
        };
        let grades = match (&columns.grades, at_once.grades, rows) {
            (_, Some(grades), Some(rows)) => &grades[rows],
            (Some(column), _, _) => self.judged.values(query as usize, column, grades),
            (None, _, _) => {
                grades.clear();
                grades.resize(judged.len(), 1.0);
                grades
            }
        };
        let (items, scores) = match lists {
            Lists::InPlace(Found { groups, .. }) => {
                let list = block * BLOCK + place;
                let rows = own(groups, list, 0);
                let scores = match (&columns.order, whole.scores, &rows) {
                    (_, Some(scores), Some(rows)) => Some(&scores[rows.clone()]),
                    (Some(column), _, _) => Some(groups.values(list, column, scores)),
                    (None, _, _) => None,
                };
                let items = match (whole.items, rows) {
                    (Some(items), Some(rows)) => &items[rows],
                    _ => groups.values(list, columns.items, items),
                };
                (items, scores)
            }
            Lists::Partitioned(_) => {
                let (items, scores) = gathered.list(place);
                (items, columns.order.as_ref().map(|_| scores))
            }
        };
        // Where they fall from row to row, the rows have the order of the list.
        let scores = scores.filter(|scores| !descends(scores));
        let bad_scores = scores.is_some_and(|scores| any_refused(scores, Accepted::NotNan));
        let bad_grades = at_once.grades.is_none() && any_refused(grades, Accepted::Finite);
        if bad_scores || bad_grades {
            left.bad_numbers = true;
            return false;
        }
        // Made of the query's id alone, so that it is the same whatever else is evaluated.
        let &Choices { ties, seed, .. } = self.tables.choices;
        let seed = if ties.needs() == Needs::Lots { self.id(query).stable_hash(seed) } else { 0 };
        if let Some((judgements, results)) = judge.list(judged, grades, items, scores, seed) {
            left.judgements.add(query, judgements);
            left.results.add(query, results);
        }
        !items.is_empty()
    }

    /// The id of a judged query.
    fn id(&self, query: u32) -> Q {
        self.qrels_queries.value(self.queries.first_rows[query as usize] as usize)
    }

    fn refuse_repeated(&self, parts: &[Leftover]) -> Result<()> {
        let Tables { qrels, run, .. } = *self.tables;
        let judgements = parts.iter().map(|part| &part.judgements);
        refuse(qrels, |query, place| self.row(self.qrels_queries, query, place), judgements, "judged")?;
        let results = parts.iter().map(|part| &part.results);
        refuse(run, |query, place| self.row(self.run_queries, query, place), results, "returned")
    }

    /// The row of what stands at `position` among the rows of a query.
    fn row(&self, column: &Column<'_, Q>, query: u32, position: usize) -> usize {
        let id = self.id(query);
        let mut own = (0..column.len()).filter(|&row| column.value(row) == id);
        own.nth(position).expect("a position among the rows of its query")
    }

    fn refuse_unjudged(&self, count: usize) -> Result<()> {
        if count == 0 || self.tables.choices.unjudged_queries == UnjudgedQueries::Skip {
            return Ok(());
        }
        let run = self.tables.run;
        let unjudged = |&row: &usize| self.queries.find(self.run_queries.value(row)).is_none();
        let row = (0..self.run_queries.len()).find(unjudged).expect("they have been counted");
        let query = shown(run, &run.query, "query", row)?;
        Err(Error::data(format!(
            "{}: results for {} without judgements, the first is query {query} in row {row} (from 0); \
             remove them or choose unjudged_queries=\"skip\"",
            run.name,
            plural(count, "query", "queries"),
        )))
    }
}

fn refuse<'p>(
    source: &Source,
    row: impl Fn(u32, usize) -> usize,
    refused: impl Iterator<Item = &'p Refused> + Clone,
    verb: &str,
) -> Result<()> {
    let first = refused.clone().filter_map(|refused| refused.first).min_by_key(|&(query, _)| query);
    let Some((query, first)) = first else { return Ok(()) };
    let (earlier, later) = (row(query, first.earlier), row(query, first.later));
    let item = shown(source, source.item.as_deref().unwrap_or_default(), "item", later)?;
    let query = shown(source, &source.query, "query", later)?;
    Err(Error::data(format!(
        "{}: {} {verb} again for the same query; the first is item {item} of query {query} in row {later}, \
         already in row {earlier} (from 0); remove them or choose duplicates=\"first\" or \"best\"",
        source.name,
        plural(refused.map(|refused| refused.count).sum(), "item", "items"),
    )))
}

/// What messages call the column of grades.
const GRADES: &str = "relevance";
/// Rows checked by one task.
const CHECKED: usize = 1 << 16;
/// Rows converted and checked at once.
const PIECE: usize = 1 << 11;

/// The numbers that a column may hold.
#[derive(Clone, Copy, PartialEq)]
pub enum Accepted {
    /// Those that have an order: scores may be infinite.
    NotNan,
    /// Those that can be added up.
    Finite,
}

impl Accepted {
    fn refuses<N: Number>(self, number: N) -> bool {
        let number: f64 = number.into();
        number.is_nan() | ((self == Self::Finite) & number.is_infinite())
    }
}

/// Whether there is one among some numbers that is not accepted.
pub fn any_refused<N: Number>(numbers: &[N], accepted: Accepted) -> bool {
    // Without an early end, several at a time can be checked.
    numbers.iter().fold(false, |any, &number| any | accepted.refuses(number))
}

/// Refuses a column of numbers of which some are not accepted.
fn refuse_numbers<N: Number>(column: &Column<'_, N>, what: impl Display, accepted: Accepted) -> Result<()> {
    let blocks = pool::map_init(column.len().div_ceil(CHECKED), Vec::new, |scratch, block| {
        let begin = block * CHECKED;
        let pieces = (begin..column.len().min(begin + CHECKED)).step_by(PIECE);
        let mut found: (usize, Option<usize>) = (0, None);
        for start in pieces {
            let values = column.values(start..column.len().min(start + PIECE), scratch);
            if any_refused(values, accepted) {
                found.0 += values.iter().filter(|&&value| accepted.refuses(value)).count();
                let first = || values.iter().position(|&value| accepted.refuses(value));
                found.1 = found.1.or_else(|| Some(start + first()?));
            }
        }
        found
    });
    match blocks.iter().find_map(|&(_, first)| first) {
        None => Ok(()),
        Some(first) => Err(Error::data(format!(
            "{what} has {} {}, the first in row {first} (from 0); remove or replace those rows",
            blocks.iter().map(|&(count, _)| count).sum::<usize>(),
            if accepted == Accepted::Finite { "NaN or infinite" } else { "NaN" },
        ))),
    }
}

/// The lists of a run where their rows stand together, or are few.
#[derive(Clone)]
struct Found {
    /// The rows of each.
    groups: Arc<Groups>,
    /// The queries that they are of; None where there is one of each judged query.
    numbers: Option<Arc<[u32]>>,
    /// Number of queries in it that are not judged.
    unjudged_queries: usize,
}

/// Where the lists are read from: blocks of queries each.
enum Lists<Q: Key, K, S> {
    /// The run's own columns.
    InPlace(Found),
    /// A copy of them, dealt out by query.
    Partitioned(Partitions<Q, K, S>),
}

impl<Q: Key, K: Key, S: Score> Lists<Q, K, S> {
    fn new<C: Consume>(
        job: &Job<'_, Q, C>,
        columns: &ListColumns<'_, K, S>,
        way: Option<&Way<Q>>,
        pass: (usize, usize),
    ) -> Result<Self> {
        if let Some(found) = &job.found {
            return Ok(Self::InPlace(found.clone()));
        }
        check_rows(job.run_queries.len())?;
        let Some(way) = way else {
            let (groups, unjudged_queries) = match job.alone {
                true => (Arc::clone(&job.judged), 0),
                false => {
                    let (groups, unjudged_queries) = job.queries.group(job.run_queries)?;
                    (Arc::new(groups), unjudged_queries)
                }
            };
            return Ok(Self::InPlace(Found { groups, numbers: None, unjudged_queries }));
        };
        let results = (job.run_queries, columns.items, columns.order.as_ref());
        let cancelled = job.tables.cancelled;
        Partitions::new(way, pass, &job.queries.keys, results, cancelled).map(Self::Partitioned)
    }

    fn blocks(&self) -> usize {
        match self {
            Self::InPlace(found) => found.groups.len().div_ceil(BLOCK),
            Self::Partitioned(partitions) => partitions.len(),
        }
    }

    /// The queries of some blocks.
    fn queries(&self, blocks: Range<usize>) -> Numbers {
        match self {
            Self::InPlace(Found { groups, numbers, .. }) => {
                let first = |block: usize| groups.len().min(block * BLOCK);
                let (start, end) = (first(blocks.start), first(blocks.end));
                match numbers {
                    Some(numbers) => Numbers::Each(numbers[start..end].to_vec()),
                    None => Numbers::Range(start as u32..end as u32),
                }
            }
            Self::Partitioned(partitions) => {
                Numbers::Each(blocks.flat_map(|block| partitions.queries(block)).copied().collect())
            }
        }
    }

    /// Has the rows of a list brought into the cache while others are judged, if it has any and they lie together.
    fn prefetch(&self, list: usize, columns: &ListColumns<'_, K, S>, whole: &Whole<'_, K, S>) {
        let Self::InPlace(Found { groups, .. }) = self else { return };
        if list >= groups.len() {
            return;
        }
        let Some(rows) = groups.ranges(list).next() else { return };
        // Of long lists what follows is brought by the processor itself.
        let rows = rows.start..rows.end.min(rows.start + FETCHED);
        match whole.items {
            Some(items) => prefetch(&items[rows.clone()]),
            None => columns.items.prefetch(rows.clone()),
        }
        match (&columns.order, whole.scores) {
            (_, Some(scores)) => prefetch(&scores[rows]),
            (Some(column), None) => column.prefetch(rows),
            (None, None) => {}
        }
    }

    /// Queries that were seen not to be judged while grouping.
    fn unjudged_queries(&self) -> usize {
        match self {
            Self::InPlace(found) => found.unjudged_queries,
            Self::Partitioned(_) => 0,
        }
    }
}

/// The judgements of queries that follow one another, from a row on: items and grades, if they have been read.
struct AtOnce<'s, K> {
    first: usize,
    items: Option<&'s [K]>,
    grades: Option<&'s [f64]>,
}

impl<K> Default for AtOnce<'_, K> {
    fn default() -> Self {
        Self { first: 0, items: None, grades: None }
    }
}

/// The columns of a run, where each lies in memory in one piece as it is read.
struct Whole<'a, K, S> {
    items: Option<&'a [K]>,
    scores: Option<&'a [S]>,
}

/// The columns of both tables that the lists are made of.
struct ListColumns<'a, K, S> {
    judged: Option<&'a Column<'a, K>>,
    grades: Option<Column<'a, f64>>,
    items: &'a Column<'a, K>,
    /// What orders the lists: scores or ranks, if there are any.
    order: Option<Column<'a, S>>,
}

impl<'a, K: Key, S: Score> QueryScratch<'a, K, S> {
    fn new(rules: Rules, top: Option<Top<'a>>) -> Self {
        let of_query = OfQuery {
            judge: Judge::new(rules, top),
            judged: Vec::new(),
            grades: Vec::new(),
            items: Vec::new(),
            scores: Vec::new(),
            gathered: Gathered::default(),
        };
        Self { at_once: Default::default(), of_query }
    }
}

impl Refused {
    fn add(&mut self, query: u32, repeats: Repeats) {
        self.count += repeats.count;
        let first = repeats.first.map(|first| (query, first));
        self.first = [self.first, first].into_iter().flatten().min_by_key(|&(query, _)| query);
    }
}
