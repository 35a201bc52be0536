//! Rank correlations of labels and scores: how many pairs of rows are in the same order in both, and what their
//! ranks come to. All sums are of whole numbers, and exact.

use crate::core::error::Result;
use crate::core::group::check_rows;
use crate::core::pool;
use crate::core::rows::labelled_rows::{Block, LabelledRows};
use crate::core::scores::{Coded, code_of};

/// Different labels up to which rows are not sorted by them.
const FEW: usize = 64;
/// Rows that are sorted by insertion.
const SHORT: usize = 16;

/// What pairs of rows, and the ranks of rows, come to.
#[derive(Debug, PartialEq)]
pub struct Correlation {
    /// Pairs in which the greater label has the greater score.
    pub concordant: u64,
    /// Pairs in which it has the smaller one.
    pub discordant: u64,
    /// Pairs of which only the labels are equal.
    pub tied_labels: u64,
    /// Pairs of which only the scores are.
    pub tied_scores: u64,
    /// Twice the distances of the labels' ranks from their mean, squared and added up.
    pub labels: i128,
    /// The same of the scores.
    pub scores: i128,
    /// The same, of the products of both.
    pub both: i128,
}

/// Correlates labels with scores; weights do not count.
pub fn correlation(rows: &LabelledRows) -> Result<Correlation> {
    let narrow = rows.blocks(|block: &Block<'_, f64, f64>, _| {
        let exact = |&number: &f64| f64::from(number as f32) == number;
        block.labels.iter().all(exact) && block.scores.iter().all(exact)
    })?;
    if narrow.into_iter().all(|exact| exact) { correlated::<u64>(rows) } else { correlated::<u128>(rows) }
}

fn correlated<C: Coded>(rows: &LabelledRows) -> Result<Correlation> {
    let blocks = rows.blocks(|block: &Block<'_, f64, f64>, _| {
        let pairs = block.scores.iter().zip(block.labels).map(|(&score, &label)| both::<C>(score, label));
        pairs.collect::<Vec<_>>()
    })?;
    let pairs = sorted(&blocks.concat());
    check_rows(pairs.len())?;
    Ok(of_sorted(&pairs))
}

/// A score and a label: rows are sorted by score, equal ones by label.
fn both<C: Coded>(score: f64, label: f64) -> C {
    C::new(score, code_of(label, C::FLOAT32))
}

/// All in order: sorted by stretches, which are merged.
fn sorted<C: Coded>(pairs: &[C]) -> Vec<C> {
    let length = pairs.len().div_ceil(pool::threads()).max(1);
    let stretches = pool::map(pairs.len().div_ceil(length), |stretch| {
        let mut own = pairs[stretch * length..pairs.len().min((stretch + 1) * length)].to_vec();
        own.sort_unstable();
        own
    });
    let merged = stretches.into_iter().reduce(|left, right| {
        let mut out = Vec::with_capacity(left.len() + right.len());
        merge(&left, &right, |&pair| pair, |pair, _| out.push(*pair));
        out
    });
    merged.unwrap_or_default()
}

/// Gives `see` each item of two sorted lists in order, of equal ones those on the left first, and with each from
/// the right how many on the left are greater, 0 with others.
fn merge<T, K: Ord>(left: &[T], right: &[T], key: impl Fn(&T) -> K, mut see: impl FnMut(&T, usize)) {
    let mut rest = left;
    for item in right {
        let own = key(item);
        while let Some((first, others)) = rest.split_first()
            && key(first) <= own
        {
            see(first, 0);
            rest = others;
        }
        see(item, rest.len());
    }
    rest.iter().for_each(|item| see(item, 0));
}

/// A row by its label, and twice the distance of its score's rank from the mean.
type ByLabel = (u64, i64);

fn of_sorted<C: Coded>(pairs: &[C]) -> Correlation {
    let (mut tied_scores, mut tied_both, mut scores) = (0, 0, 0_i128);
    let mut placed: Vec<ByLabel> = Vec::with_capacity(pairs.len());
    for tied in pairs.chunk_by(|a, b| a.code() == b.code()) {
        let distance = distance(placed.len(), tied.len(), pairs.len());
        scores += square(distance) * tied.len() as i128;
        tied_scores += two_of(tied.len());
        tied_both += tied.chunk_by(|a, b| a == b).map(|same| two_of(same.len())).sum::<u64>();
        placed.extend(tied.iter().map(|pair| (pair.other(), distance)));
    }
    let groups = few_labels(&placed).unwrap_or_else(|| many_labels(placed));
    let (mut before, mut tied_labels, mut labels, mut both) = (0, 0, 0_i128, 0_i128);
    for &(count, score) in &groups.labels {
        let distance = distance(before, count, pairs.len());
        before += count;
        labels += square(distance) * count as i128;
        both += i128::from(distance) * score;
        tied_labels += two_of(count);
    }
    let concordant = two_of(pairs.len()) + tied_both - groups.discordant - tied_scores - tied_labels;
    Correlation {
        concordant,
        discordant: groups.discordant,
        tied_labels: tied_labels - tied_both,
        tied_scores: tied_scores - tied_both,
        labels,
        scores,
        both,
    }
}

/// Twice the distance from the mean rank, of the mean rank of so many of all, so many of which are before.
fn distance(before: usize, own: usize, all: usize) -> i64 {
    (2 * before + own) as i64 - all as i64
}

fn square(number: i64) -> i128 {
    i128::from(number) * i128::from(number)
}

/// How many pairs there are of so many.
fn two_of(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}

/// Rows by their labels.
struct LabelGroups {
    /// Of each label, in order, how many rows it has, and what their scores' distances sum up to.
    labels: Vec<(usize, i128)>,
    /// Pairs of rows that stand in the opposite order of their labels.
    discordant: u64,
}

/// By counting the rows of each label; None where there are too many.
fn few_labels(placed: &[ByLabel]) -> Option<LabelGroups> {
    let mut known: Vec<u64> = Vec::new();
    for &(label, _) in placed {
        if let Err(place) = known.binary_search(&label) {
            if known.len() == FEW {
                return None;
            }
            known.insert(place, label);
        }
    }
    let (mut counts, mut sums, mut discordant) = ([0_u64; FEW], [0_i128; FEW], 0);
    for &(label, distance) in placed {
        let own = known.partition_point(|&other| other < label);
        discordant += counts[own + 1..known.len()].iter().sum::<u64>();
        counts[own] += 1;
        sums[own] += i128::from(distance);
    }
    let labels = counts.iter().zip(sums).take(known.len()).map(|(&count, sum)| (count as usize, sum));
    Some(LabelGroups { labels: labels.collect(), discordant })
}

/// By sorting, which finds each pair in the opposite order.
fn many_labels(placed: Vec<ByLabel>) -> LabelGroups {
    let length = placed.len().div_ceil(pool::threads()).max(SHORT);
    let stretches = pool::map(placed.len().div_ceil(length), |stretch| {
        let mut own = placed[stretch * length..placed.len().min((stretch + 1) * length)].to_vec();
        let discordant = sort_counting(&mut own);
        (own, discordant)
    });
    drop(placed);
    let (rows, discordant) = stretches
        .into_iter()
        .reduce(|(left, known), (right, more)| {
            let (merged, across) = merged(&left, &right);
            (merged, known + more + across)
        })
        .unwrap_or_default();
    let group = |tied: &[ByLabel]| (tied.len(), tied.iter().map(|&(_, distance)| i128::from(distance)).sum());
    LabelGroups { labels: rows.chunk_by(|a, b| a.0 == b.0).map(group).collect(), discordant }
}

/// Sorts rows by their labels, and tells how many pairs were in the opposite order.
fn sort_counting(rows: &mut [ByLabel]) -> u64 {
    let mut discordant = 0;
    if rows.len() <= SHORT {
        for end in 1..rows.len() {
            let mut at = end;
            while at > 0 && rows[at - 1].0 > rows[at].0 {
                rows.swap(at - 1, at);
                at -= 1;
            }
            discordant += (end - at) as u64;
        }
        return discordant;
    }
    let (left, right) = rows.split_at_mut(rows.len() / 2);
    discordant += sort_counting(left) + sort_counting(right);
    if left[left.len() - 1].0 > right[0].0 {
        let (both, across) = merged(left, right);
        rows.copy_from_slice(&both);
        discordant += across;
    }
    discordant
}

fn merged(left: &[ByLabel], right: &[ByLabel]) -> (Vec<ByLabel>, u64) {
    let (mut out, mut discordant) = (Vec::with_capacity(left.len() + right.len()), 0);
    merge(
        left,
        right,
        |row| row.0,
        |row, greater| {
            out.push(*row);
            discordant += greater as u64;
        },
    );
    (out, discordant)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs_of(rows: &[(f64, f64)]) -> Correlation {
        let pairs: Vec<u128> = rows.iter().map(|&(score, label)| both(score, label)).collect();
        of_sorted(&sorted(&pairs))
    }

    #[test]
    fn every_pair_is_counted_once() {
        for labels in [3, 1_000] {
            let rows: Vec<(f64, f64)> = (0..300_u32)
                .map(|i| (f64::from(i * 7_919 % 211 % 97), f64::from(i * 104_729 % 1_009 % labels)))
                .collect();
            let found = pairs_of(&rows);
            let mut expected = [0; 4];
            for (at, one) in rows.iter().enumerate() {
                for two in &rows[at + 1..] {
                    let (score, label) = (one.0.total_cmp(&two.0), one.1.total_cmp(&two.1));
                    match (score.is_eq(), label.is_eq()) {
                        (false, false) => expected[usize::from(score != label)] += 1,
                        (false, true) => expected[2] += 1,
                        (true, false) => expected[3] += 1,
                        (true, true) => {}
                    }
                }
            }
            let Correlation { concordant, discordant, tied_labels, tied_scores, .. } = found;
            assert_eq!([concordant, discordant, tied_labels, tied_scores], expected);
        }
    }

    #[test]
    fn ranks_of_equal_ones_are_their_mean() {
        // Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3.5, 3.5 of the mean 2.5, by twice their distances.
        let found = pairs_of(&[(0.1, 0.0), (0.2, 0.0), (0.2, 1.0), (0.9, 1.0)]);
        assert_eq!((found.scores, found.labels, found.both), (9 + 9, 4 * 4, 6 + 6));
    }
}
