//! Rows of dense scores: how many items stand before each judged one.
//!
//! Nothing is sorted and no top is selected. A judged item's rank is one more than the number of items before
//! it, and a list has few judged items: one pass over the row compares each score with theirs.

use std::cmp::Ordering;
use std::ops::Range;

use crate::core::hash::Key;
use crate::core::pool;
use crate::core::scores::Score;
use crate::core::ties::{Needs, Tied, Ties};
use crate::core::wide::wide;

/// Flat numbers of items, row after row: those of row `i` are `items[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Copy)]
pub struct Sparse<'a> {
    /// Where each row begins, and at the end the number of all.
    pub offsets: &'a [i64],
    /// Columns; one that is not among those of the scores is in no list.
    pub items: &'a [i64],
}

impl<'a> Sparse<'a> {
    fn row(&self, row: usize) -> &'a [i64] {
        &self.items[self.range(row)]
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }
}

/// What is to be counted besides the scores.
pub struct Counting<'a> {
    /// The judged items of each row.
    pub judged: Sparse<'a>,
    /// Items that are in no list; ascending and distinct in each row.
    pub excluded: Option<Sparse<'a>>,
    /// The order of equal scores.
    pub ties: Ties,
    /// One a row, where the order of ties needs lots.
    pub seeds: &'a [u64],
    /// A judged item with so many greater scores is taken to be in no list, and counted no further.
    pub limit: Option<usize>,
}

/// How many items stand before a judged one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Items with a greater score; -1 if the judged one is in no list, or beyond the limit.
    pub greater: i64,
    /// Items with its score, itself included.
    pub equal: i64,
    /// Of these, the ones that the order of ties puts before it.
    pub before: i64,
}

const ABSENT: Place = Place { greater: -1, equal: 0, before: 0 };

/// What is known when all rows have been counted.
#[derive(Default)]
pub struct Counted {
    /// The places of the judged items, row after row.
    pub places: Vec<Place>,
    /// Items in the list of each row.
    pub retrieved: Vec<i64>,
    /// How many scores are NaN.
    pub undefined: usize,
    /// The row and the column of the first of them.
    pub first_undefined: Option<(usize, usize)>,
}

/// Counts the rows on the threads of the pool that this is called in.
pub fn count<'s, S: Score + 's>(
    rows: &(impl Fn(usize) -> &'s [S] + Sync),
    number: usize,
    counting: &Counting<'_>,
) -> Counted {
    let step = number.div_ceil(8 * pool::threads()).clamp(1, 64);
    let parts = pool::map_init(number.div_ceil(step), Counter::default, |scratch, part| {
        let mut counted = Counted::default();
        for row in part * step..number.min((part + 1) * step) {
            scratch.row(row, rows(row), counting, &mut counted);
        }
        counted
    });
    let mut whole = Counted::default();
    for part in parts {
        whole.places.extend(part.places);
        whole.retrieved.extend(part.retrieved);
        whole.undefined += part.undefined;
        whole.first_undefined = whole.first_undefined.or(part.first_undefined);
    }
    whole
}

/// A score that others are compared with.
#[derive(Clone, Copy)]
struct Asked<S> {
    score: S,
    /// Its judgement's number in the row.
    number: usize,
    /// Greater scores so far; those of excluded items are counted off beforehand.
    greater: i64,
    /// Scores so far that are not less.
    reached: i64,
}

/// The working memory of a thread.
struct Counter<S> {
    /// For each column the judgement's number in the row, [`NONE`] if it is not judged.
    numbers: Vec<u32>,
    /// Columns in the order of the list.
    order: Vec<u32>,
    asked: Vec<Asked<S>>,
    /// The scores of the excluded items.
    excluded: Vec<S>,
}

impl<S> Default for Counter<S> {
    fn default() -> Self {
        Self { numbers: Vec::new(), order: Vec::new(), asked: Vec::new(), excluded: Vec::new() }
    }
}

/// Scores compared with one group of others before the next: they stay in the nearest cache.
const CHUNK: usize = 2048;

impl<S: Score> Counter<S> {
    fn row(&mut self, row: usize, scores: &[S], counting: &Counting<'_>, counted: &mut Counted) {
        let list = ScoreRow {
            scores,
            judged: counting.judged.row(row),
            excluded: counting.excluded.map_or(&[][..], |excluded| excluded.row(row)),
            ties: counting.ties,
            seed: counting.seeds.get(row).copied().unwrap_or_default(),
        };
        let places = counted.places.len();
        counted.places.resize(places + list.judged.len(), ABSENT);
        let places = &mut counted.places[places..];
        self.ask(&list);
        let (retrieved, undefined) = if self.is_sorted_sooner(scores.len(), counting.limit) {
            self.sort(&list, places)
        } else {
            self.count(&list, counting.limit, places)
        };
        counted.retrieved.push(retrieved);
        counted.undefined += undefined;
        if undefined > 0 && counted.first_undefined.is_none() {
            counted.first_undefined = scores.iter().position(is_undefined).map(|column| (row, column));
        }
    }

    /// Takes the scores of the judged items that are in the list, best first.
    fn ask(&mut self, list: &ScoreRow<'_, S>) {
        self.excluded.clear();
        self.excluded.extend(list.excluded.iter().filter_map(|&item| list.scores.get(item as usize)));
        self.asked.clear();
        let listed = list.judged.iter().enumerate().filter(|&(_, &item)| list.has(item));
        self.asked.extend(listed.map(|(number, &item)| {
            let score = list.scores[item as usize];
            let above = self.excluded.iter().filter(|&&other| other > score).count() as i64;
            let reached = self.excluded.iter().filter(|&&other| other >= score).count() as i64;
            Asked { score, number, greater: -above, reached: -reached }
        }));
        self.asked.sort_unstable_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
    }

    /// Whether so many items are judged that it takes longer to compare all with each of them than to sort.
    fn is_sorted_sooner(&self, columns: usize, limit: Option<usize>) -> bool {
        // With a limit most of the judged items are out of it after the first of the scores.
        let compared = if limit.is_some() { columns.min(CHUNK) } else { columns };
        self.asked.len() * compared > SORTING * columns * columns.ilog2().max(1) as usize
    }

    /// Counts for each judged item; gives the length of the list and the number of undefined scores.
    fn count(&mut self, list: &ScoreRow<'_, S>, limit: Option<usize>, places: &mut [Place]) -> (i64, usize) {
        let mut possible = 0;
        for chunk in list.scores.chunks(CHUNK) {
            possible += compare(chunk, &mut self.asked);
            if let Some(limit) = limit {
                self.asked.retain(|asked| asked.greater < limit as i64);
            }
        }
        for asked in &self.asked {
            let equal = asked.reached - asked.greater;
            let before = if equal > 1 { list.tied_before(list.judged[asked.number]) } else { 0 };
            places[asked.number] = Place { greater: asked.greater, equal, before };
        }
        let excluded = self.excluded.iter().filter(|&&score| score > S::NEVER).count();
        (possible as i64 - excluded as i64, list.undefined(possible))
    }

    /// The same by sorting the list.
    fn sort(&mut self, list: &ScoreRow<'_, S>, places: &mut [Place]) -> (i64, usize) {
        let Self { numbers, order, .. } = self;
        numbers.clear();
        numbers.resize(list.scores.len(), NONE);
        for (number, &item) in list.judged.iter().enumerate().filter(|&(_, &item)| list.has(item)) {
            numbers[item as usize] = number as u32;
        }
        order.clear();
        order.extend((0..list.scores.len() as u32).filter(|&item| list.has(i64::from(item))));
        let score = |item: u32| list.scores[item as usize];
        order.sort_unstable_by(|&a, &b| {
            let by_score = score(b).partial_cmp(&score(a)).unwrap_or(Ordering::Equal);
            by_score.then_with(|| list.tie_order(a as usize, b as usize))
        });
        let mut greater = 0;
        for group in order.chunk_by(|&a, &b| score(a) == score(b)) {
            for (&item, before) in group.iter().zip(0..) {
                if let Some(place) = places.get_mut(numbers[item as usize] as usize) {
                    *place = Place { greater, equal: group.len() as i64, before };
                }
            }
            greater += group.len() as i64;
        }
        (greater, list.undefined(0))
    }
}

/// One row.
struct ScoreRow<'a, S> {
    scores: &'a [S],
    judged: &'a [i64],
    excluded: &'a [i64],
    ties: Ties,
    seed: u64,
}

impl<S: Score> ScoreRow<'_, S> {
    /// Whether an item is in the list.
    fn has(&self, item: i64) -> bool {
        let score = usize::try_from(item).ok().and_then(|item| self.scores.get(item));
        score.is_some_and(|&score| score > S::NEVER) && self.excluded.binary_search(&item).is_err()
    }

    /// How many scores are NaN, if so many are greater than the least.
    fn undefined(&self, possible: usize) -> usize {
        if possible == self.scores.len() {
            return 0;
        }
        self.scores.iter().filter(|&score| is_undefined(score)).count()
    }

    /// Items with the score of `item` that come before it.
    fn tied_before(&self, item: i64) -> i64 {
        let place = item as usize;
        let score = self.scores[place];
        let tied = |items: Range<usize>| {
            let all: i64 = self.scores[items.clone()].iter().map(|&other| i64::from(other == score)).sum();
            let excluded = self.excluded.iter().map(|&item| item as usize);
            all - excluded.filter(|item| items.contains(item) && self.scores[*item] == score).count() as i64
        };
        match self.ties.needs() {
            // Such an order goes through the columns from one end to the other.
            Needs::Nothing if self.tie_order(0, 1) == Ordering::Less => tied(0..place),
            Needs::Nothing => tied(place + 1..self.scores.len()),
            Needs::Lots => {
                let tied = (0..self.scores.len()).filter(|&other| self.scores[other] == score);
                let earlier = tied.filter(|&other| self.tie_order(other, place) == Ordering::Less);
                earlier.filter(|&other| self.has(other as i64)).count() as i64
            }
            // Which of them is first is not known before the grades are.
            Needs::Grades => 0,
        }
    }

    /// Which of two items with equal scores comes first.
    fn tie_order(&self, a: usize, b: usize) -> Ordering {
        self.ties.order(&TiedColumns { a: a as i64, b: b as i64, seed: self.seed })
    }
}

/// Two columns with equal scores, whose grades are not known.
struct TiedColumns {
    a: i64,
    b: i64,
    seed: u64,
}

impl Tied for TiedColumns {
    fn by_item(&self) -> Ordering {
        self.b.cmp(&self.a)
    }

    fn by_row(&self) -> Ordering {
        self.a.cmp(&self.b)
    }

    fn by_grade(&self) -> Ordering {
        Ordering::Equal
    }

    fn by_lot(&self) -> Ordering {
        self.a.stable_hash(self.seed).cmp(&self.b.stable_hash(self.seed))
    }
}

/// The cost of a step of sorting, in comparisons with a judged item's score.
const SORTING: usize = 24;

/// In the place of a judgement's number: the column is not judged.
const NONE: u32 = u32::MAX;

#[expect(clippy::eq_op, reason = "NaN alone is not itself")]
fn is_undefined<S: Score>(score: &S) -> bool {
    score != score
}

/// Scores that are compared with in one go: with their counts they fit the registers.
const GROUP: usize = 4;

wide! {
    /// Counts how many of `scores` are greater than each of the `asked`, and how many reach it; gives the number of
    /// those that can be in a list.
    fn compare<S: Score>(scores: &[S], asked: &mut [Asked<S>]) -> usize = compare_any
}

#[inline(always)]
fn compare_any<S: Score>(scores: &[S], asked: &mut [Asked<S>]) -> usize {
    let (groups, rest) = asked.as_chunks_mut::<GROUP>();
    groups.iter_mut().for_each(|group| compare_group(scores, group));
    rest.iter_mut().for_each(|asked| compare_group(scores, std::array::from_mut(asked)));
    let mut possible = S::Count::default();
    scores.iter().for_each(|&score| possible += S::Count::from(score > S::NEVER));
    let possible: u64 = possible.into();
    possible as usize
}

#[inline(always)]
fn compare_group<S: Score, const N: usize>(scores: &[S], asked: &mut [Asked<S>; N]) {
    let limits = asked.map(|asked| asked.score);
    let lowest = limits[N - 1];
    for piece in scores.chunks(PIECE) {
        // Few scores reach a judged item near the top, and no piece of them is looked at more than once.
        if !piece.iter().fold(false, |any, &score| any | (score >= lowest)) {
            continue;
        }
        let (mut greater, mut reached) = ([S::Count::default(); N], [S::Count::default(); N]);
        for &score in piece {
            for at in 0..N {
                greater[at] += S::Count::from(score > limits[at]);
                reached[at] += S::Count::from(score >= limits[at]);
            }
        }
        for (at, asked) in asked.iter_mut().enumerate() {
            let (greater, reached): (u64, u64) = (greater[at].into(), reached[at].into());
            asked.greater += greater as i64;
            asked.reached += reached as i64;
        }
    }
}

/// Scores that are passed over at once if none of them reaches any of a group.
const PIECE: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::choices::Choice;

    /// A row with ties, some never and some excluded, and its judged items.
    fn row(columns: usize) -> (Vec<f32>, Vec<i64>, Vec<i64>) {
        let scores = (0..columns).map(|item| (item * 7919 % 13) as f32 - 6.0);
        let scores = scores.map(|score| if score == -6.0 { f32::NEG_INFINITY } else { score }).collect();
        let every = |step: usize| (0..columns as i64).step_by(step).collect();
        (scores, every(3), every(5))
    }

    #[test]
    fn counting_and_sorting_find_the_same_places() {
        let (scores, judged, excluded) = row(5000);
        for &(_, ties) in Ties::WORDS {
            let list = ScoreRow { scores: &scores, judged: &judged, excluded: &excluded, ties, seed: 7 };
            let mut scratch = Counter::default();
            let mut places = [vec![ABSENT; judged.len()], vec![ABSENT; judged.len()]];
            scratch.ask(&list);
            let counted = scratch.count(&list, None, &mut places[0]);
            assert_eq!(scratch.sort(&list, &mut places[1]), counted, "{ties:?}");
            if ties.needs() == Needs::Grades {
                places[1].iter_mut().for_each(|place| place.before = 0);
            }
            assert_eq!(places[0], places[1], "{ties:?}");
            assert!(places[0].iter().any(|place| place.greater > 0 && place.equal > 1), "{ties:?}");
        }
    }

    #[test]
    fn what_is_beyond_the_limit_is_not_told_apart() {
        let scores: Vec<f64> = (0..10_000).map(f64::from).collect();
        let judged = [0, 9_990, 9_999];
        let items = Sparse { offsets: &[0, 3], items: &judged };
        let counting = Counting {
            judged: items,
            excluded: Some(Sparse { offsets: &[0, 1], items: &[9_999] }),
            ties: Ties::ItemDescending,
            seeds: &[],
            limit: Some(20),
        };
        let counted = count(&|_| &scores[..], 1, &counting);
        assert_eq!(counted.places, [ABSENT, Place { greater: 8, equal: 1, before: 0 }, ABSENT]);
        assert_eq!(counted.retrieved, [9_999]);
    }

    #[test]
    fn undefined_scores_are_counted_wherever_they_are() {
        let scores = [1.0, f32::NAN, 0.5, f32::NAN];
        let counting = Counting {
            judged: Sparse { offsets: &[0, 0, 1], items: &[2] },
            excluded: Some(Sparse { offsets: &[0, 0, 1], items: &[3] }),
            ties: Ties::ItemDescending,
            seeds: &[],
            limit: None,
        };
        let counted = count(&|row| if row == 0 { &scores[..1] } else { &scores[..] }, 2, &counting);
        assert_eq!((counted.undefined, counted.first_undefined), (2, Some((1, 1))));
    }

    #[test]
    fn every_way_to_compare_counts_alike() {
        let (scores, judged, _) = row(777);
        let wide: Vec<f64> = scores.iter().map(|&score| f64::from(score)).collect();
        fn counts<S: Score>(
            scores: &[S],
            judged: &[i64],
            with: fn(&[S], &mut [Asked<S>]) -> usize,
        ) -> (usize, Vec<(i64, i64)>) {
            let ask = |&item: &i64| Asked { score: scores[item as usize], number: 0, greater: 0, reached: 0 };
            let mut asked: Vec<_> = judged.iter().map(ask).collect();
            asked.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap());
            let possible = with(scores, &mut asked);
            (possible, asked.iter().map(|asked| (asked.greater, asked.reached)).collect())
        }
        let plain = counts(&scores, &judged, compare_any);
        assert_eq!(counts(&scores, &judged, compare), plain);
        assert_eq!(counts(&wide, &judged, compare), plain);
    }
}
