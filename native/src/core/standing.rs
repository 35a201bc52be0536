//! How values stand to each other: those of two systems, and those of one ranking.

use std::mem::swap;

use crate::core::lists::segments::segments;
use crate::core::wide::wide;

/// Of each value how many of the others are below it, less how many are above it; both rise and have no NaN.
pub fn above(values: &[f64], others: &[f64]) -> Vec<i64> {
    let (mut below, mut up_to) = (0, 0);
    let count = |&value: &f64| {
        while others.get(below).is_some_and(|&other| other < value) {
            below += 1;
        }
        up_to = up_to.max(below);
        while others.get(up_to).is_some_and(|&other| other <= value) {
            up_to += 1;
        }
        (below + up_to) as i64 - others.len() as i64
    };
    values.iter().map(count).collect()
}

/// Values of a segment from which on they are sorted, which is slower for few.
const MANY: usize = 1 << 10;

/// Of each value how many of those before it in its segment are below it.
pub fn smaller_before(values: &[i64], offsets: &[i64]) -> Vec<i64> {
    let mut counts = vec![0; values.len()];
    for rows in segments(offsets) {
        let (own, counts) = (&values[rows.clone()], &mut counts[rows]);
        if own.len() < MANY { counted(own, counts) } else { merged(own, counts) }
    }
    counts
}

wide! {
    /// Each is compared with all before it.
    fn counted(values: &[i64], counts: &mut [i64]) -> () = counted_any
}

#[inline(always)]
fn counted_any(values: &[i64], counts: &mut [i64]) {
    for (at, (&value, count)) in values.iter().zip(counts).enumerate() {
        *count = values[..at].iter().map(|&before| i64::from(before < value)).sum();
    }
}

/// The values are sorted by merging; whoever comes from a later part passes all that are smaller in the one before.
fn merged(values: &[i64], counts: &mut [i64]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let mut next = order.clone();
    let mut width = 1;
    while width < values.len() {
        for (parts, out) in order.chunks(2 * width).zip(next.chunks_mut(2 * width)) {
            let (mut earlier, mut later) = parts.split_at(width.min(parts.len()));
            let mut smaller = 0;
            for place in out {
                *place = match (earlier, later) {
                    ([first, rest @ ..], [other, ..]) if values[*first] < values[*other] => {
                        (earlier, smaller) = (rest, smaller + 1);
                        *first
                    }
                    (_, [first, rest @ ..]) => {
                        later = rest;
                        counts[*first] += smaller;
                        *first
                    }
                    ([first, rest @ ..], []) => {
                        earlier = rest;
                        *first
                    }
                    ([], []) => unreachable!("there are as many places as values"),
                };
            }
        }
        swap(&mut order, &mut next);
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_values_before_are_the_same_compared_or_merged() {
        for length in [0, 1, 2, 3, 7, 64, 100] {
            for different in [1, 2, 7, 1_000] {
                let values: Vec<i64> = (0..length).map(|i| i * 7_919 % 101 % different - 3).collect();
                let (mut one, mut other) = (vec![0; values.len()], vec![0; values.len()]);
                counted(&values, &mut one);
                merged(&values, &mut other);
                assert_eq!(one, other);
            }
        }
        assert_eq!(smaller_before(&[1, 2, 2, 0, 3, 1, 5], &[0, 5, 5, 7]), [0, 1, 1, 0, 4, 0, 1]);
    }

    #[test]
    fn equal_values_are_neither_above_nor_below() {
        let others = [-1.0, 0.0, 0.0, 2.0];
        assert_eq!(above(&[-2.0, -0.0, 1.0, 1.0, 2.0, 3.0], &others), [-4, 0, 2, 2, 3, 4]);
        assert_eq!(above(&[1.0], &[]), [0]);
        assert_eq!(above(&[], &others), [0; 0]);
    }
}
