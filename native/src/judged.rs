//! What comes out: the judged items of every list.

use crate::list::{Judge, first_mattering_tie};

/// The judged items of some queries' lists, query after query, as flat columns.
#[derive(Default)]
pub struct JudgedLists {
    /// The numbers of the queries.
    pub queries: Vec<u32>,
    /// The ranks of the judged items of each list, ascending.
    pub rank: Vec<i64>,
    /// Where ties are averaged over, the first and the last rank of the items with each one's score.
    pub tied: Option<(Vec<i64>, Vec<i64>)>,
    /// Their grades.
    pub relevance: Vec<f64>,
    /// Where the items of each query begin, and at the end their number.
    pub offsets: Vec<i64>,
    /// The grades of all judged items of each query, best first.
    pub ideal: Vec<f64>,
    /// Where the grades of each query begin, and at the end their number.
    pub ideal_offsets: Vec<i64>,
    /// Items in each list.
    pub retrieved: Vec<i64>,
    /// Whether a query has results.
    pub answered: Vec<bool>,
    /// The best rank at which tie-breaking decides between different grades; 0 where it nowhere does.
    pub tied_rank: Vec<i64>,
}

impl JudgedLists {
    /// No lists yet; `ties` says whether tied ranks are kept.
    pub fn new(ties: bool) -> Self {
        let tied = ties.then(Default::default);
        Self { tied, offsets: vec![0], ideal_offsets: vec![0], ..Self::default() }
    }

    /// Adds what a list came to.
    pub fn push(&mut self, query: u32, judge: &Judge, answered: bool) {
        self.queries.push(query);
        self.rank.extend(judge.hits.iter().map(|hit| i64::from(hit.rank)));
        self.relevance.extend(judge.hits.iter().map(|hit| hit.relevance));
        if let Some((first, last)) = &mut self.tied {
            first.extend(judge.hits.iter().map(|hit| i64::from(hit.tied.0)));
            last.extend(judge.hits.iter().map(|hit| i64::from(hit.tied.1)));
        }
        self.ideal.extend_from_slice(&judge.ideal);
        self.offsets.push(self.rank.len() as i64);
        self.ideal_offsets.push(self.ideal.len() as i64);
        self.retrieved.push(judge.retrieved as i64);
        self.answered.push(answered);
        self.tied_rank.push(first_mattering_tie(&judge.hits).map_or(0, i64::from));
    }
}
