//! Two lists of each query: the ranks of all their items, and which items are in both.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::core::choices::{Duplicates, Unjudged};
use crate::core::column::Column;
use crate::core::error::{Error, Result};
use crate::core::group::{Groups, Queries, UNJUDGED};
use crate::core::hash::Key;
use crate::core::lists::judge::{Accepted, Choices, SameIds, Source, any_refused, same_ids};
use crate::core::lists::list::{Judge, Rules, descends};
use crate::core::lists::matching::Matcher;
use crate::core::lists::order::rank_different;
use crate::core::pool;
use crate::core::scores::Score;
use crate::core::ties::Needs;

/// Rows of a part, about as many as stay in a cache with what is computed of them.
const PART: usize = 1 << 16;

/// The lists of some queries of one table.
pub struct Ranked {
    /// Where the items of each query begin, and at the end their number.
    pub offsets: Vec<i64>,
    /// Of each item, query after query in rank order, the first and the last rank of those with its score; kept where
    /// lists are tied.
    pub shared: Vec<(u32, u32)>,
}

/// The lists of some queries, and the items that are in both.
pub struct Pairs {
    /// The numbers of the queries among those of the first table.
    pub queries: Vec<u32>,
    /// Whether items have equal scores in a list of each of them, or in none.
    pub are_tied: bool,
    /// The lists of the first table.
    pub a: Ranked,
    /// Those of the second.
    pub b: Ranked,
    /// Where the common items of each query begin, and at the end their number.
    pub offsets: Vec<i64>,
    /// The rank of each in the first list, ascending.
    pub rank_a: Vec<u32>,
    /// Its rank in the second list.
    pub rank_b: Vec<u32>,
}

/// Which queries there are.
pub struct Account {
    /// The first rows in the first table of the queries of both, ascending.
    pub first_rows: Vec<u32>,
    /// How many each table has alone.
    pub alone: (usize, usize),
}

/// Ranks the lists of both tables, and hands those of the queries of both to `consume`, some at a time.
///
/// # Errors
/// As [`judge`](crate::core::lists::judge::judge) refuses each table; where in it is not told.
pub fn pair(
    a: &Source,
    b: &Source,
    choices: &Choices,
    cancelled: &AtomicBool,
    consume: &(impl Fn(Pairs) + Sync),
) -> Result<Account> {
    let queries = match same_ids((a, &a.query), (b, &b.query), "query")? {
        SameIds::Integer(of_a, of_b, _) => BothQueries::new(&of_a, &of_b, choices)?,
        SameIds::Short(of_a, of_b) => BothQueries::new(&of_a, &of_b, choices)?,
        SameIds::Text(of_a, of_b) => BothQueries::new(&of_a, &of_b, choices)?,
    };
    let item = |source: &Source| source.item.clone().ok_or_else(|| Error::data("no column of items"));
    let (item_a, item_b) = (item(a)?, item(b)?);
    let job = Job { a, b, choices, cancelled };
    match same_ids((a, &item_a), (b, &item_b), "item")? {
        SameIds::Integer(of_a, of_b, unsigned) => job.pair(queries, of_a, of_b, unsigned, consume),
        SameIds::Short(of_a, of_b) => job.pair(queries, of_a, of_b, false, consume),
        SameIds::Text(of_a, of_b) => job.pair(queries, of_a, of_b, false, consume),
    }
}

/// The queries of both tables.
struct BothQueries {
    a: Groups,
    b: Groups,
    /// The first rows of those of the first table.
    first_rows: Vec<u32>,
    /// The number in the second table of each query of the first, `UNJUDGED` where it has none.
    in_b: Vec<u32>,
    /// Those of the second table alone.
    only_b: Vec<u32>,
    /// What draws the order of ties of each query of the first table, where it needs lots.
    seeds: Vec<u64>,
}

impl BothQueries {
    fn new<Q: Key>(a: &Column<'_, Q>, b: &Column<'_, Q>, choices: &Choices) -> Result<Self> {
        let (of_a, groups_a) = Queries::new(a)?;
        let (of_b, groups_b) = Queries::new(b)?;
        let mut expected = 0;
        let find = |&key: &Q| {
            let found = of_b.find_near(key, expected);
            expected = found.map_or(expected, |number| number as usize + 1);
            found.unwrap_or(UNJUDGED)
        };
        let in_b: Vec<u32> = of_a.keys.iter().map(find).collect();
        let mut is_common = vec![false; groups_b.len()];
        in_b.iter()
            .filter(|&&number| number != UNJUDGED)
            .for_each(|&number| is_common[number as usize] = true);
        let only_b = (0..groups_b.len() as u32).filter(|&number| !is_common[number as usize]).collect();
        let drawn = choices.ties.needs() == Needs::Lots;
        let seed = |key: &Q| key.stable_hash(choices.seed);
        let seeds = if drawn { of_a.keys.iter().map(seed).collect() } else { Vec::new() };
        Ok(Self { a: groups_a, b: groups_b, first_rows: of_a.first_rows, in_b, only_b, seeds })
    }

    /// The queries of the first table in parts of about so many rows of both tables.
    fn parts(&self, rows: usize) -> Vec<Range<usize>> {
        let (mut parts, mut begin, mut filled) = (Vec::new(), 0, 0);
        for (query, &other) in self.in_b.iter().enumerate() {
            filled += rows_of(&self.a, query);
            filled += if other == UNJUDGED { 0 } else { rows_of(&self.b, other as usize) };
            if filled >= rows || query + 1 == self.in_b.len() {
                parts.push(begin..query + 1);
                (begin, filled) = (query + 1, 0);
            }
        }
        parts
    }
}

fn rows_of(groups: &Groups, query: usize) -> usize {
    groups.ranges(query).map(|rows| rows.len()).sum()
}

/// What is to be paired, and how.
struct Job<'a> {
    a: &'a Source,
    b: &'a Source,
    choices: &'a Choices,
    cancelled: &'a AtomicBool,
}

impl Job<'_> {
    fn pair<K: Key>(
        &self,
        queries: BothQueries,
        items_a: Column<'_, K>,
        items_b: Column<'_, K>,
        unsigned: bool,
        consume: &(impl Fn(Pairs) + Sync),
    ) -> Result<Account> {
        let &Choices { ties, duplicates, .. } = self.choices;
        let rules = Rules { ties, duplicates, unjudged: Unjudged::Keep, unsigned };
        let a = Side { groups: &queries.a, items: items_a, order: Order::of(self.a, self.choices)? };
        let b = Side { groups: &queries.b, items: items_b, order: Order::of(self.b, self.choices)? };
        let parts = queries.parts(match pool::threads() {
            1 => PART,
            // No thread is to be idle while another does a large part.
            threads => PART.min((a.items.len() + b.items.len()) / (4 * threads)),
        });
        let done = pool::map_init(
            parts.len(),
            || Scratch::new(rules),
            |scratch, part| self.part(&queries, parts[part].clone(), (&a, &b), scratch, consume),
        );
        let mut scratch = Scratch::new(rules);
        let mut check = |&query: &u32| b.check(query as usize, &mut scratch);
        if done.contains(&false) || !queries.only_b.iter().all(&mut check) {
            return Err(Error::data(format!(
                "{} or {} has scores that are NaN, or items that stand twice in a list",
                self.a.name, self.b.name
            )));
        }
        let common = queries.first_rows.iter().zip(&queries.in_b).filter(|&(_, &other)| other != UNJUDGED);
        let first_rows: Vec<u32> = common.map(|(&row, _)| row).collect();
        let alone = (queries.a.len() - first_rows.len(), queries.only_b.len());
        Ok(Account { first_rows, alone })
    }

    /// Pairs the lists of some queries; false where one is refused.
    fn part<K: Key>(
        &self,
        queries: &BothQueries,
        part: Range<usize>,
        (a, b): (&Side<'_, K>, &Side<'_, K>),
        scratch: &mut Scratch<K>,
        consume: &impl Fn(Pairs),
    ) -> bool {
        let mut pairs = [Pairs::new(false), Pairs::new(true)];
        for query in part {
            // A call that is cancelled or refused throws its pairs away, so the rest need not be right.
            if self.cancelled.load(Ordering::Relaxed) {
                return true;
            }
            let seed = queries.seeds.get(query).copied().unwrap_or_default();
            let accepted = match queries.in_b[query] {
                UNJUDGED => a.check(query, scratch),
                other => scratch.pair((a, query), (b, other as usize), seed, &mut pairs),
            };
            if !accepted {
                return false;
            }
        }
        pairs.into_iter().filter(|pairs| !pairs.queries.is_empty()).for_each(consume);
        true
    }
}

/// The lists of one table.
struct Side<'a, K> {
    groups: &'a Groups,
    items: Column<'a, K>,
    order: Order<'a>,
}

/// The column that orders lists.
enum Order<'a> {
    /// None: they stand in their order.
    Rows,
    Float32(Column<'a, f32>),
    Float64(Column<'a, f64>),
}

impl<'a> Order<'a> {
    fn of(source: &'a Source, choices: &Choices) -> Result<Self> {
        Ok(match source.has_float32(choices.scores) {
            true => source.order()?.map_or(Self::Rows, Self::Float32),
            false => source.order()?.map_or(Self::Rows, Self::Float64),
        })
    }
}

/// What orders the rows of a list.
#[derive(Clone, Copy)]
enum Scores<'a> {
    /// They stand in their order, none with the score of another.
    Rows,
    Float32(&'a [f32]),
    Float64(&'a [f64]),
}

impl Scores<'_> {
    /// Those of a list that has been read, unless some are NaN.
    fn of<'s, S: Score>(scores: &'s [S], some: fn(&'s [S]) -> Scores<'s>) -> Option<Scores<'s>> {
        if descends(scores) {
            return Some(Scores::Rows);
        }
        (!any_refused(scores, Accepted::NotNan)).then(|| some(scores))
    }

    /// Those of some rows; as 64-bit floats they have the same order.
    fn pick(self, rows: &[usize]) -> Option<Vec<f64>> {
        match self {
            Self::Rows => None,
            Self::Float32(scores) => Some(rows.iter().map(|&row| scores[row].into()).collect()),
            Self::Float64(scores) => Some(rows.iter().map(|&row| scores[row]).collect()),
        }
    }

    /// Whether the score of a row is greater than that of another, further up.
    fn better(self, row: usize, other: usize) -> bool {
        match self {
            Self::Rows => false,
            Self::Float32(scores) => scores[row] > scores[other],
            Self::Float64(scores) => scores[row] > scores[other],
        }
    }
}

/// A list as it came.
#[derive(Clone, Copy)]
struct List<'a, K> {
    items: &'a [K],
    scores: Scores<'a>,
}

/// The values of a list that are read from columns.
struct Read<K> {
    items: Vec<K>,
    float32: Vec<f32>,
    float64: Vec<f64>,
}

impl<K> Default for Read<K> {
    fn default() -> Self {
        Self { items: Vec::new(), float32: Vec::new(), float64: Vec::new() }
    }
}

/// The working memory of a thread.
struct Scratch<K> {
    a: Read<K>,
    b: Read<K>,
    ranking: Ranking,
}

impl<K> Scratch<K> {
    fn new(rules: Rules) -> Self {
        Self { a: Read::default(), b: Read::default(), ranking: Ranking::new(rules) }
    }
}

/// What ranks and matches the lists of one query after the other.
struct Ranking {
    rules: Rules,
    judge: Judge<'static>,
    matcher: Matcher,
    /// The rank of the item in each row.
    ranks_a: Vec<u32>,
    ranks_b: Vec<u32>,
    /// By its rank in the first list, from 0, the rank of each item in the second; 0 for none.
    matched: Vec<u32>,
}

impl<K: Key> Side<'_, K> {
    /// The list of a query, unless some scores are NaN.
    fn list<'s>(&'s self, query: usize, read: &'s mut Read<K>) -> Option<List<'s, K>> {
        let scores = match &self.order {
            Order::Rows => Scores::Rows,
            Order::Float32(column) => {
                Scores::of(self.groups.values(query, column, &mut read.float32), Scores::Float32)?
            }
            Order::Float64(column) => {
                Scores::of(self.groups.values(query, column, &mut read.float64), Scores::Float64)?
            }
        };
        Some(List { items: self.groups.values(query, &self.items, &mut read.items), scores })
    }

    /// Whether the list of a query is accepted.
    fn check(&self, query: usize, scratch: &mut Scratch<K>) -> bool {
        let Scratch { a: read, ranking, .. } = scratch;
        self.list(query, read).is_some_and(|list| {
            ranking.matcher.take_judged(list.items).count == 0
                || ranking.rules.duplicates != Duplicates::Error
        })
    }
}

impl Ranked {
    fn new() -> Self {
        Self { offsets: vec![0], shared: Vec::new() }
    }

    /// Adds the length of a list.
    fn push(&mut self, length: usize) {
        self.offsets.push(self.offsets[self.offsets.len() - 1] + length as i64);
    }
}

impl Pairs {
    fn new(are_tied: bool) -> Self {
        let (a, b) = (Ranked::new(), Ranked::new());
        Self { queries: Vec::new(), are_tied, a, b, offsets: vec![0], rank_a: Vec::new(), rank_b: Vec::new() }
    }
}

impl<K: Key> Scratch<K> {
    /// Adds the lists of a query to the pairs of those without equal scores or to those with them; false where one is
    /// refused.
    fn pair(
        &mut self,
        (a, query): (&Side<'_, K>, usize),
        (b, other): (&Side<'_, K>, usize),
        seed: u64,
        pairs: &mut [Pairs; 2],
    ) -> bool {
        let Self { a: read_a, b: read_b, ranking } = self;
        match (a.list(query, read_a), b.list(other, read_b)) {
            (Some(a), Some(b)) => ranking.pair(query as u32, (a, b), seed, pairs),
            _ => false,
        }
    }
}

impl Ranking {
    fn new(rules: Rules) -> Self {
        Self {
            rules,
            judge: Judge::new(rules, None),
            matcher: Matcher::default(),
            ranks_a: Vec::new(),
            ranks_b: Vec::new(),
            matched: Vec::new(),
        }
    }

    /// Adds two lists; false where an item stands twice and that is refused.
    fn pair<K: Key>(
        &mut self,
        query: u32,
        (a, b): (List<'_, K>, List<'_, K>),
        seed: u64,
        pairs: &mut [Pairs; 2],
    ) -> bool {
        let matcher = &mut self.matcher;
        if matcher.take_judged(a.items).count > 0 || matcher.find(a.items, b.items).count > 0 {
            return self.rules.duplicates != Duplicates::Error
                && self.pair_distinct(query, (a, b), seed, pairs);
        }
        let a_is_tied = rank(&mut self.judge, a, seed, &mut self.ranks_a);
        let b_is_tied = rank(&mut self.judge, b, seed, &mut self.ranks_b);
        let pairs = &mut pairs[usize::from(a_is_tied || b_is_tied)];
        if pairs.are_tied {
            a.share_ranks(&self.ranks_a, &mut pairs.a.shared);
            b.share_ranks(&self.ranks_b, &mut pairs.b.shared);
        }
        pairs.queries.push(query);
        pairs.a.push(a.items.len());
        pairs.b.push(b.items.len());
        self.add_common(pairs, a.items.len());
        true
    }

    /// Adds the ranks of the items that have been found in both lists, of which the first has so many.
    fn add_common(&mut self, pairs: &mut Pairs, length: usize) {
        self.matched.clear();
        self.matched.resize(length, 0);
        for found in &self.matcher.found {
            let rank_a = self.ranks_a[found.judgement as usize];
            self.matched[rank_a as usize - 1] = self.ranks_b[found.position as usize];
        }
        let mut count = pairs.rank_a.len();
        pairs.rank_a.resize(count + length, 0);
        pairs.rank_b.resize(count + length, 0);
        for (rank_a, &rank_b) in (1..).zip(&self.matched) {
            // Written in any case: without a branch there is none to mispredict.
            (pairs.rank_a[count], pairs.rank_b[count]) = (rank_a, rank_b);
            count += usize::from(rank_b > 0);
        }
        pairs.rank_a.truncate(count);
        pairs.rank_b.truncate(count);
        pairs.offsets.push(count as i64);
    }

    /// The same with one row an item.
    fn pair_distinct<K: Key>(
        &mut self,
        query: u32,
        (a, b): (List<'_, K>, List<'_, K>),
        seed: u64,
        pairs: &mut [Pairs; 2],
    ) -> bool {
        let ((items_a, scores_a), (items_b, scores_b)) = (self.distinct(a), self.distinct(b));
        let scores_a = scores_a.as_deref().map_or(Scores::Rows, Scores::Float64);
        let scores_b = scores_b.as_deref().map_or(Scores::Rows, Scores::Float64);
        let a = List { items: &items_a, scores: scores_a };
        let b = List { items: &items_b, scores: scores_b };
        self.pair(query, (a, b), seed, pairs)
    }

    fn distinct<K: Key>(&mut self, list: List<'_, K>) -> (Vec<K>, Option<Vec<f64>>) {
        let best = self.rules.duplicates == Duplicates::Best;
        let better = |row: usize, kept: usize| best && list.scores.better(row, kept);
        let kept = self.matcher.distinct(list.items, better);
        (kept.iter().map(|&row| list.items[row]).collect(), list.scores.pick(&kept))
    }
}

impl<K: Key> List<'_, K> {
    /// Adds in rank order the first and the last rank of the items with each one's score; `ranks` are those of the rows.
    fn share_ranks(self, ranks: &[u32], shared: &mut Vec<(u32, u32)>) {
        match self.scores {
            Scores::Rows => shared.extend((1..=ranks.len() as u32).map(|rank| (rank, rank))),
            Scores::Float32(scores) => share_ranks_by(scores, ranks, shared),
            Scores::Float64(scores) => share_ranks_by(scores, ranks, shared),
        }
    }
}

fn share_ranks_by<S: Score>(scores: &[S], ranks: &[u32], shared: &mut Vec<(u32, u32)>) {
    let mut falling = vec![S::NEVER; scores.len()];
    ranks.iter().zip(scores).for_each(|(&rank, &score)| falling[rank as usize - 1] = score);
    let mut first = 1;
    for group in falling.chunk_by(|a, b| a == b) {
        let next = first + group.len() as u32;
        shared.extend(group.iter().map(|_| (first, next - 1)));
        first = next;
    }
}

/// The rank of the item in each row of a list, and whether some have equal scores.
fn rank<K: Key>(judge: &mut Judge<'_>, list: List<'_, K>, seed: u64, ranks: &mut Vec<u32>) -> bool {
    match list.scores {
        Scores::Rows => {
            ranks.clear();
            ranks.extend(1..=list.items.len() as u32);
            false
        }
        Scores::Float32(scores) => rank_by(judge, list.items, scores, seed, ranks),
        Scores::Float64(scores) => rank_by(judge, list.items, scores, seed, ranks),
    }
}

fn rank_by<K: Key, S: Score>(
    judge: &mut Judge<'_>,
    items: &[K],
    scores: &[S],
    seed: u64,
    ranks: &mut Vec<u32>,
) -> bool {
    if rank_different(scores, ranks) {
        return false;
    }
    let mut tied = false;
    ranks.resize(items.len(), 0);
    judge.rank_whole(items, scores, seed, |row, rank, (first, last)| {
        ranks[row as usize] = rank;
        tied |= first < last;
    });
    tied
}
