//! From the columns of judgements and results to judged lists: group, match, rank; every query for itself.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::DataType;

use crate::core::choices::{Duplicates, Scores, Unjudged, UnjudgedQueries};
use crate::core::column::{Column, numbers};
use crate::core::error::{Class, Error, Result};
use crate::core::group::{Groups, Queries, check_rows, is_scattered};
use crate::core::hash::Key;
use crate::core::ids::{Ids, is_u64, unsigned};
use crate::core::lists::judged_lists::{JudgedLists, Numbers};
use crate::core::lists::list::{Judge, Rules, Top};
use crate::core::lists::matching::{Repeated, Repeats};
use crate::core::lists::partition::{Gathered, Partitions};
use crate::core::pool;
use crate::core::table::{Table, column_of};
use crate::core::ties::{Needs, Ties};

/// Queries of a block.
const BLOCK: usize = 256;
/// Judgements of a part.
const PART: usize = 1 << 16;
/// Scattered results that are brought together at once, as far as there are not too many passes over them.
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
    let (of_qrels, of_run) = (ids(qrels, &qrels.query, "query")?, ids(run, &run.query, "query")?);
    match (&of_qrels, &of_run) {
        (Ids::Integer(a), Ids::Integer(b)) => {
            unsigned((dtype(qrels, &qrels.query), &of_qrels), (dtype(run, &run.query), &of_run), "query")?;
            judge_items(&tables, a, b)
        }
        (Ids::Text(a), Ids::Text(b)) => judge_items(&tables, a, b),
        (Ids::Integer(_), Ids::Text(_)) | (Ids::Text(_), Ids::Integer(_)) => {
            Err(different("query", (qrels, &qrels.query), (run, &run.query)))
        }
    }
}

fn judge_items<Q: Key>(
    tables: &Tables<'_, impl Consume>,
    qrels_queries: &Column<'_, Q>,
    run_queries: &Column<'_, Q>,
) -> Result<Account> {
    let Tables { qrels, run, .. } = *tables;
    let item = |source: &Source| source.item.clone().ok_or_else(|| Error::data("no column of items"));
    let run_item = item(run)?;
    let of_run = ids(run, &run_item, "item")?;
    let (queries, judged) = Queries::new(qrels_queries)?;
    let job = Job { tables, qrels_queries, run_queries, queries, judged };
    let &Choices { ties, duplicates, unjudged, .. } = tables.choices;
    let rules = |unsigned| Rules { ties, duplicates, unjudged, unsigned };
    let Some(qrels_item) = &qrels.item else {
        return match &of_run {
            Ids::Integer(items) => job.judge(None, items, rules(is_u64(dtype(run, &run_item)))),
            Ids::Text(items) => job.judge(None, items, rules(false)),
        };
    };
    let of_qrels = ids(qrels, qrels_item, "item")?;
    match (&of_qrels, &of_run) {
        (Ids::Integer(a), Ids::Integer(b)) => {
            let unsigned =
                unsigned((dtype(qrels, qrels_item), &of_qrels), (dtype(run, &run_item), &of_run), "item")?;
            job.judge(Some(a), b, rules(unsigned))
        }
        (Ids::Text(a), Ids::Text(b)) => job.judge(Some(a), b, rules(false)),
        (Ids::Integer(_), Ids::Text(_)) | (Ids::Text(_), Ids::Integer(_)) => {
            Err(different("item", (qrels, qrels_item), (run, &run_item)))
        }
    }
}

fn ids<'a>(source: &'a Source, column: &str, role: &str) -> Result<Ids<'a>> {
    Ids::new(&source.table, column, &column_of(&source.name, role, column))
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
    queries: Queries<Q>,
    judged: Groups,
}

/// The values of one query read from the columns, and the working memory of a thread.
struct QueryScratch<'a, K> {
    judge: Judge<'a>,
    judged: Vec<K>,
    grades: Vec<f64>,
    items: Vec<K>,
    scores: Vec<f64>,
    compared: Vec<f64>,
    gathered: Gathered<K>,
}

/// What is left of some queries' lists when these have been handed on.
#[derive(Default)]
struct Leftover {
    judgements: Refused,
    results: Refused,
    unjudged_queries: usize,
}

/// Repeated items: how many, and the first with its query.
#[derive(Default)]
struct Refused {
    count: usize,
    first: Option<(u32, Repeated)>,
}

impl<Q: Key, C: Consume> Job<'_, Q, C> {
    fn judge<K: Key>(
        self,
        judged: Option<&Column<'_, K>>,
        items: &Column<'_, K>,
        rules: Rules,
    ) -> Result<Account> {
        let Tables { qrels, run, .. } = *self.tables;
        let grades = read_numbers(qrels, qrels.value.as_ref(), "relevance", Accepted::Finite)?;
        let scores = read_numbers(run, run.value.as_ref(), "score", Accepted::NotNan)?;
        let ranks = read_numbers(run, run.rank.as_ref(), "rank", Accepted::NotNan)?;
        let columns = ListColumns { judged, grades, items, scores, ranks };
        let (mut parts, mut unjudged_queries) = (Vec::new(), 0);
        let passes = self.passes();
        for pass in 0..passes {
            let lists = Lists::new(&self, &columns, (pass, passes))?;
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
        self.refuse_repeated(&parts)?;
        unjudged_queries += parts.iter().map(|part| part.unjudged_queries).sum::<usize>();
        self.refuse_unjudged(unjudged_queries)?;
        Ok(Account { first_rows: self.queries.first_rows, unjudged_queries })
    }

    /// In how many passes scattered results are brought together: a copy of them all can take more than they do.
    fn passes(&self) -> usize {
        match self.tables.whole || !is_scattered(self.run_queries) {
            true => 1,
            false => (self.run_queries.len() / OF_A_PASS).clamp(1, MOST_PASSES),
        }
    }

    /// Parts have about as many judgements as fit the cache with what measures make of them, but no thread
    /// is to be idle while another does a large one.
    fn blocks_of_a_part(&self, blocks: usize) -> usize {
        if self.tables.whole {
            return blocks.max(1);
        }
        let judgements = self.qrels_queries.len() / blocks.max(1);
        let shared = if pool::threads() == 1 { blocks } else { blocks / (4 * pool::threads()) };
        (PART / judgements.max(1)).min(shared).max(1)
    }

    fn part<K: Key>(
        &self,
        blocks: Range<usize>,
        columns: &ListColumns<'_, K>,
        lists: &Lists<Q, K>,
        scratch: &mut QueryScratch<'_, K>,
    ) -> Leftover {
        let mut left = Leftover::default();
        let Tables { choices, top, .. } = self.tables;
        let mut judged =
            JudgedLists::new(lists.queries(blocks.clone()), choices.ties.shares_ranks(), top.is_some());
        for block in blocks {
            if let Lists::Partitioned(partitions) = lists {
                left.unjudged_queries += partitions.gather(block, &mut scratch.gathered);
            }
            for (place, query) in lists.queries(block..block + 1).iter().enumerate() {
                // A cancelled call throws its lists away, so the rest need not be right.
                if self.tables.cancelled.load(Ordering::Relaxed) {
                    return left;
                }
                let answered = self.query(query, place, columns, lists, scratch, &mut left);
                judged.push(&scratch.judge, answered);
            }
        }
        (self.tables.consume)(judged);
        left
    }

    /// Judges one query, which is at `place` in its block; whether it has results.
    fn query<K: Key>(
        &self,
        query: u32,
        place: usize,
        columns: &ListColumns<'_, K>,
        lists: &Lists<Q, K>,
        scratch: &mut QueryScratch<'_, K>,
        left: &mut Leftover,
    ) -> bool {
        let QueryScratch { judge, judged, grades, items, scores, compared, gathered } = scratch;
        let judged =
            columns.judged.map_or(&[][..], |column| self.judged.values(query as usize, column, judged));
        let grades = match &columns.grades {
            Some(column) => self.judged.values(query as usize, column, grades),
            None => {
                grades.clear();
                grades.resize(judged.len(), 1.0);
                grades
            }
        };
        let order = columns.order();
        let (items, scores) = match lists {
            Lists::InPlace(groups, _) => {
                let scores = order.map(|column| groups.values(query as usize, column, scores));
                (groups.values(query as usize, columns.items, items), scores)
            }
            Lists::Partitioned(_) => {
                let (items, scores) = gathered.list(place);
                (items, order.map(|_| scores))
            }
        };
        let choices = self.tables.choices;
        let scores = match (scores, &columns.scores, choices.scores) {
            (Some(scores), Some(_), Scores::Float64) => Some(scores),
            (Some(scores), Some(_), Scores::Float32) => {
                Some(convert(scores, compared, |score| f64::from(score as f32)))
            }
            (Some(ranks), None, _) => Some(convert(ranks, compared, |rank| -rank)),
            (None, ..) => None,
        };
        // Made of the query's id alone, so that it is the same whatever else is evaluated.
        let drawn = choices.ties.needs() == Needs::Lots;
        let seed = if drawn { self.id(query).stable_hash(choices.seed) } else { 0 };
        let (judgements, results) = judge.list(judged, grades, items, scores, seed);
        left.judgements.add(query, judgements);
        left.results.add(query, results);
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

/// Rows checked by one task.
const CHECKED: usize = 1 << 16;
/// Rows converted and checked at once.
const PIECE: usize = 1 << 11;

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
    let what = column_of(&source.name, role, name);
    let column = numbers(&source.table, name, &what)?;
    let finite = accepted == Accepted::Finite;
    let refused = |&value: &f64| value.is_nan() | (finite & value.is_infinite());
    let blocks = pool::map_init(column.len().div_ceil(CHECKED), Vec::new, |scratch, block| {
        let begin = block * CHECKED;
        let pieces = (begin..column.len().min(begin + CHECKED)).step_by(PIECE);
        let mut found: (usize, Option<usize>) = (0, None);
        for start in pieces {
            let values = column.values(start..column.len().min(start + PIECE), scratch);
            // Without an early end, several at a time can be checked.
            if values.iter().fold(false, |any, value| any | refused(value)) {
                found.0 += values.iter().filter(|value| refused(value)).count();
                found.1 = found.1.or_else(|| Some(start + values.iter().position(refused)?));
            }
        }
        found
    });
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

/// Where the lists are read from: blocks of queries each.
enum Lists<Q, K> {
    /// The run's own columns, and the number of queries in them that are not judged.
    InPlace(Groups, usize),
    /// A copy of them, dealt out by query.
    Partitioned(Partitions<Q, K>),
}

impl<Q: Key, K: Key> Lists<Q, K> {
    fn new<C: Consume>(
        job: &Job<'_, Q, C>,
        columns: &ListColumns<'_, K>,
        pass: (usize, usize),
    ) -> Result<Self> {
        check_rows(job.run_queries.len())?;
        if !is_scattered(job.run_queries) {
            let (groups, unjudged_queries) = job.queries.group(job.run_queries)?;
            return Ok(Self::InPlace(groups, unjudged_queries));
        }
        let ids = (0..job.judged.len()).map(|query| job.id(query as u32));
        let Tables { cancelled, .. } = *job.tables;
        let dealt = Partitions::new(pass, ids, job.run_queries, columns.items, columns.order(), cancelled)?;
        Ok(Self::Partitioned(dealt))
    }

    fn blocks(&self) -> usize {
        match self {
            Self::InPlace(groups, _) => groups.len().div_ceil(BLOCK),
            Self::Partitioned(partitions) => partitions.len(),
        }
    }

    /// The queries of some blocks.
    fn queries(&self, blocks: Range<usize>) -> Numbers {
        match self {
            Self::InPlace(groups, _) => {
                let first = |block: usize| groups.len().min(block * BLOCK) as u32;
                Numbers::Range(first(blocks.start)..first(blocks.end))
            }
            Self::Partitioned(partitions) => {
                Numbers::Each(blocks.flat_map(|block| partitions.queries(block)).collect())
            }
        }
    }

    /// Queries that were seen not to be judged while grouping.
    fn unjudged_queries(&self) -> usize {
        match self {
            Self::InPlace(_, unjudged) => *unjudged,
            Self::Partitioned(_) => 0,
        }
    }
}

/// The columns of both tables that the lists are made of.
struct ListColumns<'a, K> {
    judged: Option<&'a Column<'a, K>>,
    grades: Option<Column<'a, f64>>,
    items: &'a Column<'a, K>,
    scores: Option<Column<'a, f64>>,
    ranks: Option<Column<'a, f64>>,
}

impl<'a, K> ListColumns<'a, K> {
    /// What orders the lists: scores or ranks, if there are any.
    fn order(&self) -> Option<&Column<'a, f64>> {
        self.scores.as_ref().or(self.ranks.as_ref())
    }
}

impl<'a, K: Key> QueryScratch<'a, K> {
    fn new(rules: Rules, top: Option<Top<'a>>) -> Self {
        Self {
            judge: Judge::new(rules, top),
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
    fn add(&mut self, query: u32, repeats: Repeats) {
        self.count += repeats.count;
        let first = repeats.first.map(|first| (query, first));
        self.first = [self.first, first].into_iter().flatten().min_by_key(|&(query, _)| query);
    }
}
