//! The rows of a list in the order of their scores.

use crate::core::scores::{Coded, Score};
use crate::core::wide::wide;

/// Rows of a list up to which comparing each with every other, several at once, is faster than sorting.
const COUNTED: usize = 128;
/// Rows that others are compared with in one go: with their counts they fit the registers.
const GROUP: usize = 8;

/// The rows by falling score, those of equal scores as they stand, into `order`; no score is NaN.
pub fn by_falling<S: Score>(scores: &[S], order: &mut Vec<u32>) {
    order.clear();
    if scores.len() <= COUNTED {
        count(scores, order);
    } else if scores.iter().fold(true, |short, &score| short & score.is_float32()) {
        sort::<u64, S>(scores, order);
    } else {
        sort::<u128, S>(scores, order);
    }
}

fn sort<C: Coded, S: Score>(scores: &[S], order: &mut Vec<u32>) {
    let mut coded: Vec<C> = scores.iter().zip(0..).map(|(&score, row)| C::new(score.into(), row)).collect();
    coded.sort_unstable();
    order.extend(coded.iter().map(|coded| coded.other() as u32));
}

/// The same by the number of rows that have a greater score.
fn count<S: Score>(scores: &[S], order: &mut Vec<u32>) {
    let greater = greater(scores);
    let mut equal = [0_u8; COUNTED];
    order.resize(scores.len(), 0);
    for (&greater, row) in greater[..scores.len()].iter().zip(0..) {
        let greater: u64 = greater.into();
        let before = &mut equal[greater as usize];
        order[greater as usize + usize::from(*before)] = row;
        *before += 1;
    }
}

/// The rank of each row of a short list whose scores are all different, into `ranks`; whether it is such a list.
pub fn rank_different<S: Score>(scores: &[S], ranks: &mut Vec<u32>) -> bool {
    if scores.len() > COUNTED {
        return false;
    }
    let greater = greater(scores);
    ranks.clear();
    let mut seen = 0_u128;
    for &greater in &greater[..scores.len()] {
        let greater: u64 = greater.into();
        ranks.push(greater as u32 + 1);
        seen |= 1 << greater;
    }
    seen.count_ones() as usize == scores.len()
}

/// How many rows of a short list have a greater score than each.
fn greater<S: Score>(scores: &[S]) -> [S::Count; COUNTED] {
    // Whole groups, in which what is beyond the list is greater than nothing.
    let mut padded = [S::NEVER; COUNTED];
    padded[..scores.len()].copy_from_slice(scores);
    let mut greater = [S::Count::default(); COUNTED];
    count_greater(&padded[..scores.len().next_multiple_of(GROUP)], &mut greater);
    greater
}

wide! {
    /// How many of the scores, whole groups, are greater than each of them.
    fn count_greater<S: Score>(scores: &[S], greater: &mut [S::Count; COUNTED]) -> () = count_greater_any
}

#[inline(always)]
fn count_greater_any<S: Score>(scores: &[S], greater: &mut [S::Count; COUNTED]) {
    let groups = scores.as_chunks::<GROUP>().0;
    for (own, greater) in groups.iter().zip(greater.as_chunks_mut::<GROUP>().0) {
        let mut counts = [S::Count::default(); GROUP];
        for &other in groups.as_flattened() {
            for at in 0..GROUP {
                counts[at] += S::Count::from(other > own[at]);
            }
        }
        *greater = counts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<S: Score>(scores: &[S]) {
        let mut expected: Vec<u32> = (0..scores.len() as u32).collect();
        expected.sort_by(|&a, &b| scores[b as usize].partial_cmp(&scores[a as usize]).unwrap());
        let mut order = vec![9];
        by_falling(scores, &mut order);
        assert_eq!(order, expected);
        let mut ranks = vec![9];
        let different = expected.windows(2).all(|rows| scores[rows[0] as usize] != scores[rows[1] as usize]);
        assert_eq!(rank_different(scores, &mut ranks), different && scores.len() <= COUNTED);
        if different && scores.len() <= COUNTED {
            assert!(expected.iter().zip(1..).all(|(&row, rank)| ranks[row as usize] == rank));
        }
    }

    #[test]
    fn rows_fall_by_score_and_equal_ones_stay_as_they_are_whether_counted_or_sorted() {
        for length in [0, 1, 15, 16, 17, 100, COUNTED, COUNTED + 1, 1_000] {
            for different in [1, 3, 1_000_003] {
                let scores = (0..length).map(|row| (row * row * 7919 % different) as f32 - 1.5);
                let mut scores: Vec<f32> = scores.collect();
                for (row, odd) in [(3, f32::INFINITY), (5, -0.0), (8, 0.0), (12, f32::NEG_INFINITY)] {
                    scores.get_mut(row).into_iter().for_each(|score| *score = odd);
                }
                check(&scores);
                check(&scores.iter().map(|&score| f64::from(score) / 3.0).collect::<Vec<_>>());
            }
        }
    }
}
