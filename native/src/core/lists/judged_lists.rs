//! What comes out: the judged items of every list.

use std::ops::Range;

use crate::core::lists::list::{Judge, are_apart, first_mattering_tie};

/// The numbers of some queries.
pub enum Numbers {
    /// One after the other.
    Range(Range<u32>),
    /// In any order.
    Each(Vec<u32>),
}

impl Numbers {
    /// The first of them.
    pub fn first(&self) -> Option<u32> {
        match self {
            Self::Range(range) => (!range.is_empty()).then_some(range.start),
            Self::Each(numbers) => numbers.first().copied(),
        }
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::Each(numbers) => numbers.len(),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (range, numbers) = match self {
            Self::Range(range) => (range.clone(), &[][..]),
            Self::Each(numbers) => (0..0, &numbers[..]),
        };
        range.chain(numbers.iter().copied())
    }
}

/// The judged items of some queries' lists, query after query, as flat columns.
pub struct JudgedLists {
    /// The numbers of the queries.
    pub queries: Numbers,
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
    /// Whether each judged item has a score of its own in its list.
    pub apart: bool,
    /// The items at the top of each list: their numbers, and where those of each query begin.
    pub first: Option<First>,
}

/// The items at the top of some queries' lists, query after query, in rank order.
pub struct First {
    /// The number of each item, `UNKNOWN` where it has none.
    pub items: Vec<i32>,
    /// Whether the item after it, in the list or beyond what is kept of it, has an equal score.
    pub tied: Vec<bool>,
    /// Where the items of each query begin, and at the end their number.
    pub offsets: Vec<i64>,
}

impl JudgedLists {
    /// No lists yet of these queries; `ties` says whether the ranks that tied items share are kept, `first`
    /// whether the items at the top are.
    pub fn new(queries: Numbers, ties: bool, first: bool) -> Self {
        Self {
            queries,
            rank: Vec::new(),
            tied: ties.then(Default::default),
            relevance: Vec::new(),
            offsets: vec![0],
            ideal: Vec::new(),
            ideal_offsets: vec![0],
            retrieved: Vec::new(),
            answered: Vec::new(),
            tied_rank: Vec::new(),
            apart: true,
            first: first.then(|| First { items: Vec::new(), tied: Vec::new(), offsets: vec![0] }),
        }
    }

    /// Makes room for so many lists, which have so many judgements.
    pub fn reserve(&mut self, lists: usize, judgements: usize) {
        self.offsets.reserve(lists);
        self.ideal_offsets.reserve(lists);
        self.retrieved.reserve(lists);
        self.answered.reserve(lists);
        self.tied_rank.reserve(lists);
        self.rank.reserve(judgements);
        self.relevance.reserve(judgements);
        self.ideal.reserve(judgements);
    }

    /// Adds what the list of the next query came to.
    pub fn push(&mut self, judge: &Judge<'_>, answered: bool) {
        let labels = 1..=judge.labels.len() as i64;
        self.rank.extend(labels.clone());
        self.rank.extend(judge.hits.iter().map(|hit| i64::from(hit.rank)));
        self.relevance.extend_from_slice(&judge.labels);
        self.relevance.extend(judge.hits.iter().map(|hit| hit.relevance));
        if let Some((first, last)) = &mut self.tied {
            first.extend(labels.clone());
            first.extend(judge.hits.iter().map(|hit| i64::from(hit.tied.0)));
            last.extend(labels);
            last.extend(judge.hits.iter().map(|hit| i64::from(hit.tied.1)));
        }
        self.ideal.extend_from_slice(&judge.ideal);
        self.offsets.push(self.rank.len() as i64);
        self.ideal_offsets.push(self.ideal.len() as i64);
        self.retrieved.push(judge.retrieved as i64);
        self.answered.push(answered);
        let hits = if judge.untied { &[][..] } else { &judge.hits };
        self.apart &= are_apart(hits);
        self.tied_rank.push(first_mattering_tie(hits).map_or(0, i64::from));
        if let Some(first) = &mut self.first {
            first.items.extend(judge.first.iter().map(|&(item, _)| item));
            first.tied.extend(judge.first.iter().map(|&(_, tied)| tied));
            first.offsets.push(first.items.len() as i64);
        }
    }
}
