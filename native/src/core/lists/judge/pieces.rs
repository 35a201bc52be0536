//! A run that comes in pieces, each of which is judged before the next one is looked at.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Account, Choices, Consume, Found, Job, SameIds, Source, Tables, ids, same_ids};
use crate::core::column::Column;
use crate::core::error::{Error, Result};
use crate::core::group::{self, Groups, Queries};
use crate::core::hash::Key;
use crate::core::ids::Ids;
use crate::core::short_text::{ShortText, short_texts};

/// Judgements, and which queries of them have been seen in a run that comes in pieces.
///
/// Ids that can be longer than twelve bytes are not known from piece to piece.
pub struct Pieces {
    qrels: Source,
    seen: Seen,
    /// The rows that are not judged yet, in the memory of their pieces: the last query may go on in the next one.
    rest: Option<Source>,
    /// How many of them have come since it was last looked where that query begins.
    fresh: usize,
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
        Ok(seen.map(|seen| Self { qrels, seen, rest: None, fresh: 0 }))
    }

    /// Judges the lists that end in the next piece of a run; whether the queries of all pieces stand together so far,
    /// without which nothing of what was judged is right.
    ///
    /// # Errors
    /// As [`judge`](super::judge), though with rows that are counted from the begin of what was not judged yet.
    pub fn add(
        &mut self,
        mut run: Source,
        choices: &Choices,
        cancelled: &AtomicBool,
        consume: &impl Consume,
    ) -> Result<bool> {
        self.fresh += run.table.num_rows();
        if let Some(rest) = self.rest.take() {
            run.table.batches.splice(..0, rest.table.batches);
        }
        // A list longer than what is new is not looked through again for each piece of it.
        if self.fresh < run.table.num_rows() - self.fresh {
            self.rest = Some(run);
            return Ok(true);
        }
        let judged = self.judge(&run, false, choices, cancelled, consume)?;
        self.rest = judged.map(|rows| Source { table: run.table.rows_from(rows), ..run });
        self.fresh = 0;
        Ok(judged.is_some())
    }

    /// Judges the last list, and the queries that no piece had results of; None where the last one has come before.
    ///
    /// # Errors
    /// As [`judge`](super::judge); no piece was added.
    pub fn finish(
        mut self,
        choices: &Choices,
        cancelled: &AtomicBool,
        consume: &impl Consume,
    ) -> Result<Option<Account>> {
        let run = self.rest.take().ok_or_else(|| Error::data("no piece of a run"))?;
        let Some(rows) = self.judge(&run, true, choices, cancelled, consume)? else { return Ok(None) };
        let run = Source { table: run.table.rows_from(rows), ..run };
        let Self { qrels, seen, .. } = &self;
        let tables = Tables { qrels, run: &run, choices, top: None, whole: false, cancelled, consume };
        match (seen, same_ids((qrels, &qrels.query), (&run, &run.query), "query")?) {
            (Seen::Integer(queries), SameIds::Integer(a, b, _)) => queries.judge_unseen(&tables, &a, &b),
            (Seen::Short(queries), SameIds::Short(a, b)) => queries.judge_unseen(&tables, &a, &b),
            _ => Err(Error::data("columns of another type than those of the pieces")),
        }
        .map(Some)
    }

    /// Judges lists, the last one only if it has `ended`; how many rows they have, if their queries stand together.
    fn judge(
        &mut self,
        run: &Source,
        ended: bool,
        choices: &Choices,
        cancelled: &AtomicBool,
        consume: &impl Consume,
    ) -> Result<Option<usize>> {
        let Self { qrels, seen, .. } = self;
        let tables = Tables { qrels, run, choices, top: None, whole: false, cancelled, consume };
        match (seen, same_ids((qrels, &qrels.query), (run, &run.query), "query")?) {
            (Seen::Integer(queries), SameIds::Integer(a, b, _)) => queries.judge(&tables, &a, &b, ended),
            (Seen::Short(queries), SameIds::Short(a, b)) => queries.judge(&tables, &a, &b, ended),
            _ => Ok(None),
        }
    }
}

/// Judged queries, and which others have been seen.
struct Standing<Q> {
    queries: Queries<Q>,
    judged: Arc<Groups>,
    seen: group::Seen<Q>,
}

impl<Q: Key> Standing<Q> {
    fn new(column: &Column<'_, Q>) -> Result<Self> {
        let (queries, judged) = Queries::new(column)?;
        let seen = group::Seen::new(queries.first_rows.len());
        Ok(Self { queries, judged: Arc::new(judged), seen })
    }

    /// As [`Pieces::judge`].
    fn judge(
        &mut self,
        tables: &Tables<'_, impl Consume>,
        of_qrels: &Column<'_, Q>,
        of_run: &Column<'_, Q>,
        ended: bool,
    ) -> Result<Option<usize>> {
        let found = self.queries.standing(of_run, ended, &mut self.seen)?;
        let Some(group::Standing { groups, numbers, unjudged_queries, rows }) = found else {
            return Ok(None);
        };
        self.judge_found(tables, of_qrels, of_run, (groups, numbers, unjudged_queries))?;
        Ok(Some(rows))
    }

    fn judge_unseen(
        &self,
        tables: &Tables<'_, impl Consume>,
        of_qrels: &Column<'_, Q>,
        of_run: &Column<'_, Q>,
    ) -> Result<Account> {
        let unseen = self.seen.judged.iter().zip(0..).filter(|&(&answered, _)| !answered);
        let numbers: Vec<u32> = unseen.map(|(_, number)| number).collect();
        self.judge_found(tables, of_qrels, of_run, (Groups::empty(numbers.len()), numbers, 0))?;
        Ok(Account { first_rows: self.queries.first_rows.clone(), unjudged_queries: self.seen.others.len() })
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
