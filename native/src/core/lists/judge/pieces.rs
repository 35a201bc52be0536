//! A run that comes in pieces, each of which is judged before the next one is looked at.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hashbrown::HashTable;

use super::{Account, Choices, Consume, Found, Job, SameIds, Source, Tables, ids, same_ids};
use crate::core::column::Column;
use crate::core::error::{Error, Result};
use crate::core::group::{Groups, Queries, is_scattered};
use crate::core::hash::Key;
use crate::core::ids::Ids;
use crate::core::short_text::{ShortText, short_texts};

/// Judgements, and which queries of them have been seen in a run that comes in pieces.
///
/// Ids that can be longer than twelve bytes are not known from piece to piece.
pub struct Pieces {
    qrels: Source,
    seen: Seen,
}

/// The queries by the type of their ids.
enum Seen {
    Integer(Standing<i64>),
    Short(Standing<ShortText>),
}

impl Pieces {
    /// Groups judgements by query; None where their ids are of another type.
    ///
    /// # Errors
    /// Nulls among them.
    pub fn new(qrels: Source) -> Result<Option<Self>> {
        let seen = match ids(&qrels, &qrels.query, "query")? {
            Ids::Integer(column) => Some(Seen::Integer(Standing::new(&column)?)),
            Ids::Text(_) => match short_texts(&qrels.table, &qrels.query)? {
                Some(column) => Some(Seen::Short(Standing::new(&column)?)),
                None => None,
            },
        };
        Ok(seen.map(|seen| Self { qrels, seen }))
    }

    /// Judges the lists of the next piece of a run; whether its queries stand together there and in no other piece,
    /// without which nothing of what was judged is right.
    ///
    /// # Errors
    /// As [`judge`](super::judge), though with rows that are counted from the begin of the piece.
    pub fn add(
        &mut self,
        run: &Source,
        choices: &Choices,
        cancelled: &AtomicBool,
        consume: &impl Consume,
    ) -> Result<bool> {
        let Self { qrels, seen } = self;
        let tables = Tables { qrels, run, choices, top: None, whole: false, cancelled, consume };
        match (seen, same_ids((qrels, &qrels.query), (run, &run.query), "query")?) {
            (Seen::Integer(queries), SameIds::Integer(a, b, _)) => queries.judge(&tables, &a, &b),
            (Seen::Short(queries), SameIds::Short(a, b)) => queries.judge(&tables, &a, &b),
            _ => Ok(false),
        }
    }

    /// Judges the queries that no piece had results of, by columns like those of the pieces, without rows.
    ///
    /// # Errors
    /// As [`judge`](super::judge), of judgements.
    pub fn finish(
        self,
        run: &Source,
        choices: &Choices,
        cancelled: &AtomicBool,
        consume: &impl Consume,
    ) -> Result<Account> {
        let Self { qrels, seen } = &self;
        let tables = Tables { qrels, run, choices, top: None, whole: false, cancelled, consume };
        match (seen, same_ids((qrels, &qrels.query), (run, &run.query), "query")?) {
            (Seen::Integer(queries), SameIds::Integer(a, b, _)) => queries.judge_unseen(&tables, &a, &b),
            (Seen::Short(queries), SameIds::Short(a, b)) => queries.judge_unseen(&tables, &a, &b),
            _ => Err(Error::data("columns of another type than those of the pieces")),
        }
    }
}

/// Judged queries, and which others have been seen.
struct Standing<Q> {
    queries: Queries<Q>,
    judged: Arc<Groups>,
    /// Whether each judged query has been seen.
    answered: Vec<bool>,
    /// The ids of those without judgements.
    others: HashTable<Q>,
}

impl<Q: Key> Standing<Q> {
    fn new(column: &Column<'_, Q>) -> Result<Self> {
        let (queries, judged) = Queries::new(column)?;
        let answered = vec![false; queries.first_rows.len()];
        Ok(Self { queries, judged: Arc::new(judged), answered, others: HashTable::new() })
    }

    fn judge(
        &mut self,
        tables: &Tables<'_, impl Consume>,
        of_qrels: &Column<'_, Q>,
        of_run: &Column<'_, Q>,
    ) -> Result<bool> {
        if is_scattered(of_run) {
            return Ok(false);
        }
        let found = self.queries.standing(of_run, &mut self.answered, &mut self.others)?;
        let Some((groups, numbers, unjudged_queries)) = found else { return Ok(false) };
        self.judge_found(tables, of_qrels, of_run, (groups, numbers, unjudged_queries))?;
        Ok(true)
    }

    fn judge_unseen(
        &self,
        tables: &Tables<'_, impl Consume>,
        of_qrels: &Column<'_, Q>,
        of_run: &Column<'_, Q>,
    ) -> Result<Account> {
        let unseen = self.answered.iter().zip(0..).filter(|&(&answered, _)| !answered);
        let numbers: Vec<u32> = unseen.map(|(_, number)| number).collect();
        self.judge_found(tables, of_qrels, of_run, (Groups::empty(numbers.len()), numbers, 0))?;
        Ok(Account { first_rows: self.queries.first_rows.clone(), unjudged_queries: self.others.len() })
    }

    /// Judges lists by their rows, the numbers of their queries, and how many queries of the run are not judged.
    fn judge_found(
        &self,
        tables: &Tables<'_, impl Consume>,
        of_qrels: &Column<'_, Q>,
        of_run: &Column<'_, Q>,
        (groups, numbers, unjudged_queries): (Groups, Vec<u32>, usize),
    ) -> Result<usize> {
        let found = Found { groups: Arc::new(groups), numbers: Some(numbers.into()), unjudged_queries };
        let job = Job {
            tables,
            qrels_queries: of_qrels,
            run_queries: of_run,
            queries: &self.queries,
            judged: Arc::clone(&self.judged),
            alone: false,
            found: Some(found),
        };
        job.judge_items()
    }
}
