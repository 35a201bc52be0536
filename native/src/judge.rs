//! From the columns of judgements and results to judged lists: group, match, rank; every query for itself.

use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::DataType;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::group::{Assigned, Groups, Queries};
use crate::hash::Key;
use crate::ids::{Column, Ids, is_u64, numbers, unsigned};
use crate::list::{Hit, Judge, Repeated, Repeats, Rules, Ties, first_mattering_tie};
use crate::partition::{Gathered, Partitions};
use crate::table::Table;

/// Queries judged by one task.
const BLOCK: usize = 256;

/// A table and the names of its columns.
pub struct Source {
    /// The rows.
    pub table: Table,
    /// What messages call the table.
    pub name: String,
    /// The column of queries.
    pub query: String,
    /// The column of items.
    pub item: String,
    /// Grades or scores.
    pub value: Option<String>,
    /// In a run without scores, the column of ranks.
    pub rank: Option<String>,
}

/// What is to be done besides [`Rules`].
pub struct Plan {
    /// How lists are ordered.
    pub rules: Rules,
    /// Compare scores as 32-bit floats.
    pub float32: bool,
    /// Draws the order of ties.
    pub seed: u64,
    /// Whether results for unjudged queries are refused.
    pub refuse_unjudged_queries: bool,
}

/// The judged items of all queries, query after query.
#[derive(Default)]
pub struct JudgedLists {
    /// The judged items of each list in rank order.
    pub hits: Vec<Hit>,
    /// Where the hits of each query begin.
    pub hit_offsets: Vec<i64>,
    /// The grades of each query, best first.
    pub ideal: Vec<f64>,
    /// Where the grades of each query begin.
    pub ideal_offsets: Vec<i64>,
    /// Items in each list.
    pub retrieved: Vec<i64>,
    /// Whether a query has results.
    pub answered: Vec<bool>,
    /// The best rank at which tie-breaking decides between different grades; 0 where it nowhere does.
    pub tied_rank: Vec<i64>,
    /// The first row of each query in the judgements.
    pub first_rows: Vec<u32>,
    /// Queries with results and without judgements.
    pub unjudged_queries: usize,
}

/// Judges the lists of a run.
///
/// # Errors
/// Nulls and NaN, ids of different types, items that stand twice where that is refused.
pub fn judge(qrels: &Source, run: &Source, plan: &Plan, cancelled: &AtomicBool) -> Result<JudgedLists> {
    let (of_qrels, of_run) = (ids(qrels, &qrels.query, "query")?, ids(run, &run.query, "query")?);
    match (&of_qrels, &of_run) {
        (Ids::Integer(a), Ids::Integer(b)) => {
            unsigned((dtype(qrels, &qrels.query), &of_qrels), (dtype(run, &run.query), &of_run), "query")?;
            judge_items(qrels, run, plan, cancelled, a, b)
        }
        (Ids::Text(a), Ids::Text(b)) => judge_items(qrels, run, plan, cancelled, a, b),
        _ => Err(different("query", qrels, run)),
    }
}

fn judge_items<Q: Key>(
    qrels: &Source,
    run: &Source,
    plan: &Plan,
    cancelled: &AtomicBool,
    qrels_queries: &Column<'_, Q>,
    run_queries: &Column<'_, Q>,
) -> Result<JudgedLists> {
    let (of_qrels, of_run) = (ids(qrels, &qrels.item, "item")?, ids(run, &run.item, "item")?);
    let (queries, judged) = Queries::new(qrels_queries)?;
    let results = queries.assign(run_queries)?;
    let unjudged_queries = results.unjudged;
    if plan.refuse_unjudged_queries
        && let Some(row) = results.first_unjudged()
    {
        return Err(unjudged_query(run, row, unjudged_queries)?);
    }
    let seed = |&row: &u32| qrels_queries.value(row as usize).stable_hash(plan.seed);
    let random = plan.rules.ties == Ties::Random;
    let seeds = if random { queries.first_rows.iter().map(seed).collect() } else { Vec::new() };
    let job = Job { qrels, run, plan, cancelled, judged, results, seeds };
    let mut lists = match (&of_qrels, &of_run) {
        (Ids::Integer(a), Ids::Integer(b)) => {
            let unsigned =
                unsigned((dtype(qrels, &qrels.item), &of_qrels), (dtype(run, &run.item), &of_run), "item")?;
            job.judge(a, b, Rules { unsigned, ..plan.rules })
        }
        (Ids::Text(a), Ids::Text(b)) => job.judge(a, b, plan.rules),
        _ => Err(different("item", qrels, run)),
    }?;
    lists.first_rows = queries.first_rows;
    lists.unjudged_queries = unjudged_queries;
    Ok(lists)
}

fn ids<'a>(source: &'a Source, column: &str, role: &str) -> Result<Ids<'a>> {
    Ids::new(&source.table, column, &describe(source, role, column))
}

/// The id of one row, for messages.
fn shown(source: &Source, column: &str, role: &str, row: usize) -> Result<String> {
    Ok(ids(source, column, role)?.display(row, is_u64(dtype(source, column))))
}

fn dtype<'a>(source: &'a Source, column: &str) -> &'a DataType {
    let index = source.table.schema.index_of(column).expect("the column has been read");
    source.table.schema.field(index).data_type()
}

fn describe(source: &Source, role: &str, column: &str) -> String {
    format!("{}: the {role} column '{column}'", source.name)
}

fn different(role: &str, qrels: &Source, run: &Source) -> Error {
    let column = |source: &Source| if role == "query" { source.query.clone() } else { source.item.clone() };
    let (a, b) = (column(qrels), column(run));
    Error::id_type(format!(
        "{role} ids are {} in {} (column '{a}') and {} in {} (column '{b}'); cast one of them",
        dtype(qrels, &a),
        qrels.name,
        dtype(run, &b),
        run.name,
    ))
}

fn unjudged_query(run: &Source, row: usize, count: usize) -> Result<Error> {
    let query = shown(run, &run.query, "query", row)?;
    Ok(Error::data(format!(
        "{}: results for {} without judgements, the first is query {query} in row {row} (from 0); \
         remove them or choose unjudged_queries=\"skip\"",
        run.name,
        plural(count, "query", "queries"),
    )))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Everything that the queries share.
struct Job<'a> {
    qrels: &'a Source,
    run: &'a Source,
    plan: &'a Plan,
    cancelled: &'a AtomicBool,
    judged: Groups,
    results: Assigned,
    /// Under [`Ties::Random`] a seed for every query, made of its id alone.
    seeds: Vec<u64>,
}

/// The values of one query read from the columns.
struct Scratch<K> {
    judge: Judge,
    judged: Vec<K>,
    grades: Vec<f64>,
    items: Vec<K>,
    scores: Vec<f64>,
    compared: Vec<f64>,
    gathered: Gathered<K>,
}

/// The lists of some queries, and the rows refused in them.
#[derive(Default)]
struct Block {
    lists: JudgedLists,
    judgements: Refused,
    results: Refused,
}

/// Repeated items: how many, and the first with its query.
#[derive(Default)]
struct Refused {
    count: usize,
    first: Option<(usize, Repeated)>,
}

impl Job<'_> {
    fn judge<K: Key>(
        &self,
        judged: &Column<'_, K>,
        items: &Column<'_, K>,
        rules: Rules,
    ) -> Result<JudgedLists> {
        let grades = read_numbers(self.qrels, self.qrels.value.as_ref(), "relevance", Accepted::Finite)?;
        let scores = read_numbers(self.run, self.run.value.as_ref(), "score", Accepted::NotNan)?;
        let ranks = read_numbers(self.run, self.run.rank.as_ref(), "rank", Accepted::NotNan)?;
        let columns = Columns { judged, grades, items, scores, ranks };
        let lists = if self.results.is_scattered() {
            Lists::Partitioned(Partitions::new(&self.results, items, columns.order()))
        } else {
            Lists::InPlace(self.results.groups())
        };
        let blocks: Vec<Block> = (0..self.judged.len().div_ceil(lists.queries()))
            .into_par_iter()
            .map_init(|| Scratch::new(rules), |scratch, block| self.block(block, &columns, &lists, scratch))
            .collect();
        self.refuse_repeated(&blocks)?;
        Ok(concat(blocks))
    }

    fn block<K: Key>(
        &self,
        number: usize,
        columns: &Columns<'_, K>,
        lists: &Lists<K>,
        scratch: &mut Scratch<K>,
    ) -> Block {
        let begin = number * lists.queries();
        if let Lists::Partitioned(partitions) = lists {
            partitions.gather(number, &mut scratch.gathered);
        }
        let mut block = Block::default();
        for query in begin..self.judged.len().min(begin + lists.queries()) {
            // A cancelled call throws its lists away, so the rest need not be right.
            if self.cancelled.load(Ordering::Relaxed) {
                break;
            }
            self.query(query, query - begin, columns, lists, scratch, &mut block);
        }
        block
    }

    /// Judges one query, which is at `place` in its block.
    fn query<K: Key>(
        &self,
        query: usize,
        place: usize,
        columns: &Columns<'_, K>,
        lists: &Lists<K>,
        scratch: &mut Scratch<K>,
        block: &mut Block,
    ) {
        let Scratch { judge, judged, grades, items, scores, compared, gathered } = scratch;
        let judged = self.judged.values(query, columns.judged, judged);
        let grades = match &columns.grades {
            Some(column) => self.judged.values(query, column, grades),
            None => {
                grades.clear();
                grades.resize(judged.len(), 1.0);
                grades
            }
        };
        let order = columns.order();
        let (items, scores) = match lists {
            Lists::InPlace(groups) => {
                let scores = order.map(|column| groups.values(query, column, scores));
                (groups.values(query, columns.items, items), scores)
            }
            Lists::Partitioned(_) => {
                let (items, scores) = gathered.list(place);
                (items, order.map(|_| scores))
            }
        };
        let scores = match (scores, &columns.scores) {
            (Some(scores), Some(_)) if !self.plan.float32 => Some(scores),
            (Some(scores), Some(_)) => Some(convert(scores, compared, |score| f64::from(score as f32))),
            (Some(ranks), None) => Some(convert(ranks, compared, |rank| -rank)),
            (None, _) => None,
        };
        let seed = self.seeds.get(query).copied().unwrap_or(0);
        let (judgements, results) = judge.list(judged, grades, items, scores, seed);
        block.judgements.add(query, judgements);
        block.results.add(query, results);
        block.lists.push(judge, !items.is_empty());
    }

    fn refuse_repeated(&self, blocks: &[Block]) -> Result<()> {
        let judgements = blocks.iter().map(|block| &block.judgements);
        refuse(self.qrels, |query, position| self.judged.row(query, position), judgements, "judged")?;
        let results = blocks.iter().map(|block| &block.results);
        refuse(self.run, |query, position| self.results.row(query, position), results, "returned")
    }
}

fn refuse<'b>(
    source: &Source,
    row: impl Fn(usize, usize) -> usize,
    refused: impl Iterator<Item = &'b Refused> + Clone,
    verb: &str,
) -> Result<()> {
    let Some((query, first)) = refused.clone().find_map(|refused| refused.first) else { return Ok(()) };
    let (earlier, later) = (row(query, first.earlier), row(query, first.later));
    let item = shown(source, &source.item, "item", later)?;
    let query = shown(source, &source.query, "query", later)?;
    Err(Error::data(format!(
        "{}: {} {verb} again for the same query; the first is item {item} of query {query} in row {later}, \
         already in row {earlier} (from 0); remove them or choose duplicates=\"first\" or \"best\"",
        source.name,
        plural(refused.map(|refused| refused.count).sum(), "item", "items"),
    )))
}

/// Rows checked by one task.
const CHECKED: usize = 1 << 16;

/// The numbers that a column may hold.
#[derive(Clone, Copy, PartialEq)]
enum Accepted {
    /// Those that have an order: scores may be infinite.
    NotNan,
    /// Those that can be added up.
    Finite,
}

/// Reads a column of numbers and refuses those that are not accepted.
fn read_numbers<'a>(
    source: &'a Source,
    column: Option<&String>,
    role: &str,
    accepted: Accepted,
) -> Result<Option<Column<'a, f64>>> {
    let Some(name) = column else { return Ok(None) };
    let what = describe(source, role, name);
    let column = numbers(&source.table, name, &what)?;
    let refused = |&value: &f64| value.is_nan() || accepted == Accepted::Finite && value.is_infinite();
    let blocks: Vec<(usize, Option<usize>)> = (0..column.len().div_ceil(CHECKED))
        .into_par_iter()
        .map_init(Vec::new, |scratch, block| {
            let begin = block * CHECKED;
            let values = column.values(begin..column.len().min(begin + CHECKED), scratch);
            let count = values.iter().filter(|value| refused(value)).count();
            let first = if count > 0 { values.iter().position(refused) } else { None };
            (count, first.map(|at| begin + at))
        })
        .collect();
    match blocks.iter().find_map(|&(_, first)| first) {
        None => Ok(Some(column)),
        Some(first) => Err(Error::data(format!(
            "{what} has {} {}, the first in row {first} (from 0); remove or replace those rows",
            blocks.iter().map(|&(count, _)| count).sum::<usize>(),
            if accepted == Accepted::Finite { "NaN or infinite" } else { "NaN" },
        ))),
    }
}

fn convert<'s>(values: &[f64], out: &'s mut Vec<f64>, rule: impl Fn(f64) -> f64) -> &'s [f64] {
    out.clear();
    out.extend(values.iter().map(|&value| rule(value)));
    out
}

/// Where the lists are read from.
enum Lists<K> {
    /// The run's own columns.
    InPlace(Groups),
    /// A copy of them, dealt out by query.
    Partitioned(Partitions<K>),
}

impl<K: Key> Lists<K> {
    /// Queries judged by one task.
    fn queries(&self) -> usize {
        match self {
            Self::InPlace(_) => BLOCK,
            Self::Partitioned(partitions) => partitions.queries(),
        }
    }
}

/// The columns of both tables that the lists are made of.
struct Columns<'a, K> {
    judged: &'a Column<'a, K>,
    grades: Option<Column<'a, f64>>,
    items: &'a Column<'a, K>,
    scores: Option<Column<'a, f64>>,
    ranks: Option<Column<'a, f64>>,
}

impl<'a, K> Columns<'a, K> {
    /// What orders the lists: scores or ranks, if there are any.
    fn order(&self) -> Option<&Column<'a, f64>> {
        self.scores.as_ref().or(self.ranks.as_ref())
    }
}

impl<K: Key> Scratch<K> {
    fn new(rules: Rules) -> Self {
        Self {
            judge: Judge::new(rules),
            judged: Vec::new(),
            grades: Vec::new(),
            items: Vec::new(),
            scores: Vec::new(),
            compared: Vec::new(),
            gathered: Gathered::default(),
        }
    }
}

impl Refused {
    fn add(&mut self, query: usize, repeats: Repeats) {
        self.count += repeats.count;
        self.first = self.first.or(repeats.first.map(|first| (query, first)));
    }
}

impl JudgedLists {
    fn push(&mut self, judge: &Judge, answered: bool) {
        self.tied_rank.push(first_mattering_tie(&judge.hits).map_or(0, i64::from));
        self.hit_offsets.push(judge.hits.len() as i64);
        self.ideal_offsets.push(judge.ideal.len() as i64);
        self.hits.extend_from_slice(&judge.hits);
        self.ideal.extend_from_slice(&judge.ideal);
        self.retrieved.push(judge.retrieved as i64);
        self.answered.push(answered);
    }
}

/// Joins blocks, whose offsets are still the lengths of their lists.
fn concat(blocks: Vec<Block>) -> JudgedLists {
    let mut all = JudgedLists { hit_offsets: vec![0], ideal_offsets: vec![0], ..JudgedLists::default() };
    for Block { lists, .. } in blocks {
        all.hits.extend(lists.hits);
        all.ideal.extend(lists.ideal);
        all.retrieved.extend(lists.retrieved);
        all.answered.extend(lists.answered);
        all.tied_rank.extend(lists.tied_rank);
        append_lengths(&mut all.hit_offsets, &lists.hit_offsets);
        append_lengths(&mut all.ideal_offsets, &lists.ideal_offsets);
    }
    all
}

fn append_lengths(offsets: &mut Vec<i64>, lengths: &[i64]) {
    let mut end = offsets[offsets.len() - 1];
    for length in lengths {
        end += length;
        offsets.push(end);
    }
}
