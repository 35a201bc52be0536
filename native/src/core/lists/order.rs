//! The rows of a list in the order of their scores.

use crate::core::scores::{Coded, Score};
use crate::core::wide::wide;

/// Rows of a list up to which comparing each with every other, several at once, is faster than sorting.
const COUNTED: usize = 128;
/// Rows that others are compared with in one go: with their counts they fit the registers.
const GROUP: usize = 8;
/// The same where they have short codes.
const CODES: usize = 64;

/// How many rows of a list are better than each, and beyond the list anything, unless it is long or has scores that are
/// equal or nearly so; no score is NaN.
pub fn count_better<S: Score>(scores: &[S]) -> Option<[u16; COUNTED]> {
    let (mut codes, mut better) = ([0; COUNTED], [0; COUNTED]);
    if !encode(scores, codes.get_mut(..scores.len())?) {
        return None;
    }
    count_greater_codes(&codes, scores.len(), &mut better);
    // Each of two different codes is greater than the other or less, but neither of two equal ones.
    let all: usize = better[..scores.len()].iter().map(|&count| usize::from(count)).sum();
    (2 * all == scores.len() * scores.len().saturating_sub(1)).then_some(better)
}

wide! {
    /// Codes of as many scores, of which several more are compared at once: a score of a greater code is greater. False
    /// where these are too near each other or too far apart.
    fn encode<S: Score>(scores: &[S], codes: &mut [i16]) -> bool = encode_any
}

#[inline(always)]
fn encode_any<S: Score>(scores: &[S], codes: &mut [i16]) -> bool {
    /// How far codes are apart at the most, with room for what is rounded.
    const APART: f64 = 65_534.0;
    /// Whose last bits, when a number up to 2¹⁶ has been added, are that number less 2¹⁵, rounded.
    const WHOLE: f32 = (3_u32 << 22) as f32 - 32_768.0;
    // Whole numbers, of which the least is found several at a time.
    let (mut best, mut worst) = (u64::MAX, 0);
    for score in scores {
        best = best.min(score.code());
        worst = worst.max(score.code());
    }
    let (best, worst) = (S::of_code(best), S::of_code(worst));
    let scale = APART / (best - worst);
    for (code, &score) in codes.iter_mut().zip(scores) {
        let score: f64 = score.into();
        // Each step keeps the order, or makes one of different ones.
        *code = (((score - worst) * scale) as f32 + WHOLE).to_bits() as i16;
    }
    scale.is_normal()
}

wide! {
    /// How many of so many codes are greater than each of them.
    fn count_greater_codes(codes: &[i16; COUNTED], length: usize, greater: &mut [u16; COUNTED]) -> () = count_greater_codes_any
}

#[inline(always)]
fn count_greater_codes_any(codes: &[i16; COUNTED], length: usize, greater: &mut [u16; COUNTED]) {
    let groups = codes.as_chunks::<CODES>().0.iter().zip(greater.as_chunks_mut::<CODES>().0);
    for (own, greater) in groups.take(length.div_ceil(CODES)) {
        let mut counts = [0; CODES];
        for &other in &codes[..length] {
            for at in 0..CODES {
                counts[at] += u16::from(other > own[at]);
            }
        }
        *greater = counts;
    }
}

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

    fn check_counted<S: Score>(scores: &[S]) -> bool {
        let Some(better) = count_better(scores) else { return false };
        for (row, score) in scores.iter().enumerate() {
            let expected = scores.iter().filter(|&other| other > score).count();
            assert_eq!(usize::from(better[row]), expected, "{row} of {}", scores.len());
        }
        true
    }

    #[test]
    fn better_rows_are_counted_where_codes_tell_scores_apart_and_never_wrongly() {
        let extremes =
            [f64::INFINITY, f64::MAX, 1e300, 1.0, 5e-324, 0.0, -0.0, -1.0, f64::MIN, f64::NEG_INFINITY];
        for length in [0, 1, 2, 63, 64, 65, 100, COUNTED] {
            let scores: Vec<f64> = (0..length).map(|row| (row * 7919 % 131) as f64 - 60.5).collect();
            assert!(length < 2 || check_counted(&scores), "{length}");
            let narrow: Vec<f32> = scores.iter().map(|&score| score as f32).collect();
            assert!(length < 2 || check_counted(&narrow), "{length}");
            for scale in [5e-324, 1e-300, 1e-20, 1e306] {
                check_counted(&scores.iter().map(|&score| score * scale).collect::<Vec<_>>());
                check_counted(&scores.iter().map(|&score| 1.0 + score * scale).collect::<Vec<_>>());
            }
            for (row, &extreme) in (0..length).zip(&extremes) {
                let mut scores = scores.clone();
                scores[row] = extreme;
                check_counted(&scores);
                scores[length - 1 - row] = extreme;
                check_counted(&scores);
                check_counted(&scores.iter().map(|&score| score as f32).collect::<Vec<_>>());
                assert!(!check_counted(&vec![extreme; length]) || length < 2);
            }
        }
        assert!(!check_counted(&(0..=COUNTED).map(|row| row as f64).collect::<Vec<_>>()));
    }
}
