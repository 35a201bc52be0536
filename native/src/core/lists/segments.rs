//! What is computed within the segments of a flat array; one segment a query.

use std::ops::Range;

/// The rows of each segment: segment `i` is `offsets[i]..offsets[i + 1]`.
fn segments(offsets: &[i64]) -> impl Iterator<Item = Range<usize>> + '_ {
    offsets.windows(2).map(|border| border[0] as usize..border[1] as usize)
}

/// The sum of each segment, added from left to right.
pub fn sum(values: &[f64], offsets: &[i64]) -> Vec<f64> {
    segments(offsets).map(|rows| values[rows].iter().fold(0.0, |sum, value| sum + value)).collect()
}

/// The sum of each segment, each value times the weight of its rank; ranks without a weight weigh nothing.
pub fn weighted_sum(values: &[f64], ranks: &[i64], weights: &[f64], offsets: &[i64]) -> Vec<f64> {
    let weight = |&rank: &i64| weights.get(rank as usize - 1).copied().unwrap_or(0.0);
    let sum = |rows: Range<usize>| {
        let own = values[rows.clone()].iter().zip(&ranks[rows]);
        own.fold(0.0, |sum, (value, rank)| sum + value * weight(rank))
    };
    segments(offsets).map(sum).collect()
}

/// How many of each segment are true.
pub fn count(values: &[bool], offsets: &[i64]) -> Vec<f64> {
    counts(values, offsets).map(|count| count as f64).collect()
}

/// The offsets of the segments when only what is `kept` stays in them, and the places of what stays.
pub fn kept(kept: &[bool], offsets: &[i64]) -> (Vec<i64>, Vec<u32>) {
    let mut places = vec![0; kept.len()];
    let mut count = 0;
    for (&kept, place) in kept.iter().zip(0..) {
        // Written in any case: without a branch there is none to mispredict.
        places[count] = place;
        count += usize::from(kept);
    }
    places.truncate(count);
    let ends = counts(kept, offsets).scan(0, |end, count| {
        *end += count;
        Some(*end)
    });
    (std::iter::once(0).chain(ends).collect(), places)
}

/// The values at some places.
pub fn at<T: Copy>(values: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|&place| values[place as usize]).collect()
}

fn counts(values: &[bool], offsets: &[i64]) -> impl Iterator<Item = i64> {
    segments(offsets).map(|rows| values[rows].iter().map(|&value| i64::from(value)).sum())
}

/// The place of each value in its segment, from 1.
pub fn ranks(offsets: &[i64]) -> Vec<i64> {
    let mut out = Vec::with_capacity(offsets.last().map_or(0, |&end| end as usize));
    segments(offsets).for_each(|rows| out.extend(1..=rows.len() as i64));
    out
}

/// The first value of each segment, infinity for an empty one.
pub fn first(values: &[i64], offsets: &[i64]) -> Vec<f64> {
    segments(offsets).map(|rows| values[rows].first().map_or(f64::INFINITY, |&value| value as f64)).collect()
}

/// The values, in each segment from the greatest to the least.
pub fn descending(values: &[f64], offsets: &[i64]) -> Vec<f64> {
    let mut out = values.to_vec();
    for rows in segments(offsets) {
        let own = &mut out[rows];
        if !own.is_sorted_by(|a, b| a >= b) {
            own.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }
    out
}

/// For each value, the sum of its segment up to and including it.
pub fn running_sum(values: &[f64], offsets: &[i64]) -> Vec<f64> {
    running(values, offsets, 0.0, |sum, value| sum + value)
}

/// For each value, the product of its segment up to and including it.
pub fn running_product(values: &[f64], offsets: &[i64]) -> Vec<f64> {
    running(values, offsets, 1.0, |product, value| product * value)
}

fn running(values: &[f64], offsets: &[i64], start: f64, step: fn(f64, f64) -> f64) -> Vec<f64> {
    let mut out = Vec::with_capacity(values.len());
    for rows in segments(offsets) {
        out.extend(values[rows].iter().scan(start, |state, &value| {
            *state = step(*state, value);
            Some(*state)
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_segments_sum_to_zero() {
        assert_eq!(sum(&[1.0, 2.0, 4.0], &[0, 0, 2, 2, 3]), [0.0, 3.0, 0.0, 4.0]);
    }

    #[test]
    fn what_is_true_is_counted_and_kept() {
        let values = [true, false, true];
        assert_eq!(count(&values, &[0, 0, 2, 3]), [0.0, 1.0, 1.0]);
        assert_eq!(kept(&values, &[0, 0, 2, 3]), (vec![0, 0, 1, 2], vec![0, 2]));
        assert_eq!(at(&[5, 6, 7], &[0, 2]), [5, 7]);
    }

    #[test]
    fn ranks_and_orders_start_anew_in_each_segment() {
        assert_eq!(ranks(&[0, 2, 2, 5]), [1, 2, 1, 2, 3]);
        assert_eq!(first(&[5, 6, 7], &[0, 2, 2, 3]), [5.0, f64::INFINITY, 7.0]);
        assert_eq!(descending(&[1.0, 2.0, 0.0, 4.0, 3.0], &[0, 2, 2, 5]), [2.0, 1.0, 4.0, 3.0, 0.0]);
    }

    #[test]
    fn ranks_beyond_the_weights_weigh_nothing() {
        let (values, ranks) = ([1.0, 2.0, 4.0], [1, 3, 2]);
        assert_eq!(weighted_sum(&values, &ranks, &[1.0, 0.5], &[0, 2, 3]), [1.0, 2.0]);
    }

    #[test]
    fn running_values_start_anew_in_each_segment() {
        assert_eq!(running_sum(&[1.0, 2.0, 4.0], &[0, 2, 3]), [1.0, 3.0, 4.0]);
        assert_eq!(running_product(&[0.5, 0.5, 0.25], &[0, 2, 3]), [0.5, 0.25, 0.25]);
    }
}
