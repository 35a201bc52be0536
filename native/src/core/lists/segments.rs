//! What is computed within the segments of a flat array; one segment a query.

use std::ops::Range;

use crate::core::scores::code_of;

/// The rows of each segment: segment `i` is `offsets[i]..offsets[i + 1]`.
pub fn segments(offsets: &[i64]) -> impl Iterator<Item = Range<usize>> + '_ {
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

/// The same of values that share the ranks from `first` to `last`, each of which weighs their mean.
pub fn shared_weighted_sum(
    values: &[f64],
    (first, last): (&[i64], &[i64]),
    weights: &[f64],
    offsets: &[i64],
) -> Vec<f64> {
    let sums = sums_to(weights.iter().copied());
    let before = |rank: i64| sums[(rank as usize - 1).min(weights.len())];
    // One rank's weight is taken as it is: a difference of sums would blur its last digit.
    let weight = |(first, last): (i64, i64)| match weights.get(first as usize - 1) {
        Some(&own) if first == last => own,
        _ => (before(last + 1) - before(first)) / (last - first + 1) as f64,
    };
    let sum = |rows: Range<usize>| {
        let ranks = first[rows.clone()].iter().copied().zip(last[rows.clone()].iter().copied());
        let weighing =
            values[rows].iter().zip(ranks).filter(|&(_, (first, _))| first <= weights.len() as i64);
        weighing.fold(0.0, |sum, (value, ranks)| sum + value * weight(ranks))
    };
    segments(offsets).map(sum).collect()
}

/// The sums of the first 0, 1, 2 … numbers.
pub fn sums_to(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let sums = numbers.scan(0.0, |sum, number| {
        *sum += number;
        Some(*sum)
    });
    std::iter::once(0.0).chain(sums).collect()
}

/// For each item, which shares the ranks from `first` to `last`, the mean over all orders of how many items of its
/// segment stand among the first as many as its rank, for each of them; 0 for ranks beyond the cutoff.
///
/// Of s items that share ranks from f, r are here, and c of those here stand above. Each is at rank p with
/// probability 1/s, and then (p−f)(r−1)/(s−1) of the others are expected above it.
pub fn shared_precision((first, last): (&[i64], &[i64]), cutoff: Option<i64>, offsets: &[i64]) -> Vec<f64> {
    let deepest = last.iter().copied().max().unwrap_or(0);
    let inverse_ranks = sums_to((1..=deepest).map(|rank| 1.0 / rank as f64));
    let mut out = Vec::with_capacity(first.len());
    for rows in segments(offsets) {
        let mut above = 0;
        for group in first[rows.clone()].chunk_by(|a, b| a == b) {
            let (start, end) = (group[0], last[rows.start + above]);
            let precision = if start == end {
                (above + 1) as f64 / start as f64
            } else {
                let within = end.min(cutoff.unwrap_or(end)).max(start - 1);
                let inverse = inverse_ranks[within as usize] - inverse_ranks[start as usize - 1];
                let size = (end - start + 1) as f64;
                let others = (group.len() - 1) as f64 / (size - 1.0);
                let places = (within - start + 1) as f64;
                ((above + 1) as f64 * inverse + others * (places - start as f64 * inverse)) / size
            };
            out.extend(group.iter().map(|_| precision));
            above += group.len();
        }
    }
    out
}

/// The rows of each segment by falling score, none of which is NaN; those of equal scores as they are in `rows`.
pub fn by_falling(scores: &[f64], rows: &[i64], offsets: &[i64]) -> Vec<i64> {
    let score = |row: i64| scores[row as usize];
    let mut order = Vec::with_capacity(rows.len());
    let mut keys: Vec<u64> = Vec::new();
    for segment in segments(offsets) {
        let own = &rows[segment.clone()];
        let code = |place: u64| code_of(score(own[place as usize]), false);
        // A score's code and a row's place in one number, which is sorted sooner than two. The place takes the code's
        // last bits; where scores differ in these alone, they are sorted again.
        let places = own.len().next_power_of_two() as u64 - 1;
        keys.clear();
        keys.extend((0..own.len() as u64).map(|place| code(place) & !places | place));
        keys.sort_unstable();
        order.extend(keys.iter().map(|key| own[(key & places) as usize]));
        // No early end, so that several are compared at a time.
        if !order[segment.clone()].windows(2).fold(true, |falls, at| falls & (score(at[0]) >= score(at[1]))) {
            keys.sort_unstable_by_key(|key| (code(key & places), key & places));
            let sorted = keys.iter().map(|key| own[(key & places) as usize]);
            order[segment].iter_mut().zip(sorted).for_each(|(at, row)| *at = row);
        }
    }
    order
}

/// The first and the last rank that each of some falling scores shares with its equals, if any has some.
pub fn shared_ranks(scores: &[f64], offsets: &[i64]) -> Option<(Vec<i64>, Vec<i64>)> {
    let (mut first, mut last) = (vec![0; scores.len()], vec![0; scores.len()]);
    let mut any = false;
    for rows in segments(offsets) {
        let (mut before, mut rank) = (f64::NAN, 0);
        for ((&score, first), own) in scores[rows.clone()].iter().zip(&mut first[rows.clone()]).zip(1..) {
            any |= score == before;
            rank = if score == before { rank } else { own };
            (*first, before) = (rank, score);
        }
        let mut following = 0;
        for at in rows.clone().rev() {
            rank = if first[at] == following { rank } else { (at - rows.start + 1) as i64 };
            (last[at], following) = (rank, first[at]);
        }
    }
    any.then_some((first, last))
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
    fn shared_ranks_weigh_their_mean_and_one_rank_its_own_weight() {
        let (values, ranks) = ([1.0, 2.0, 4.0, 8.0], ([1, 2, 2, 4], [1, 3, 3, 4]));
        let ranks = (&ranks.0[..], &ranks.1[..]);
        assert_eq!(
            shared_weighted_sum(&values, ranks, &[1.0, 0.5], &[0, 3, 3, 4]),
            [1.0 + 6.0 / 4.0, 0.0, 0.0]
        );
        let undefined = [1.0, 2.0, 4.0, f64::NAN];
        assert_eq!(shared_weighted_sum(&undefined, ranks, &[1.0, 0.5, 0.0], &[0, 4]), [2.5]);
    }

    #[test]
    fn precision_at_shared_ranks_is_the_mean_over_orders() {
        // Ranks 1 and 2 shared by one that is here and another: 1/1 or 1/2. Then one of three items at rank 3.
        let (first, last) = ([1, 3, 1], [2, 3, 1]);
        assert_eq!(shared_precision((&first, &last), None, &[0, 2, 2, 3]), [0.75, 2.0 / 3.0, 1.0]);
        assert_eq!(shared_precision((&first[..1], &last[..1]), Some(1), &[0, 1]), [0.5]);
        // Both of two: the first of them sees 1/1, the second 2/2.
        assert_eq!(shared_precision((&[1, 1], &[2, 2]), None, &[0, 2]), [1.0, 1.0]);
    }

    #[test]
    fn rows_fall_by_score_and_equal_ones_stay_in_order() {
        let scores = [0.5, -0.0, 0.0, 0.5, f64::INFINITY, 1.0, 1.0 + f64::EPSILON, 1.0];
        let order = by_falling(&scores, &[3, 2, 1, 0, 5, 6, 4, 7], &[0, 4, 4, 8]);
        assert_eq!(order, [3, 0, 2, 1, 4, 6, 5, 7]);
    }

    #[test]
    fn equal_scores_share_their_ranks() {
        let shared = (vec![1, 1, 3, 1, 1], vec![2, 2, 3, 2, 2]);
        assert_eq!(shared_ranks(&[1.0, 1.0, 0.5, 0.0, -0.0], &[0, 3, 3, 5]), Some(shared));
        assert_eq!(shared_ranks(&[2.0, 1.0, 1.0], &[0, 2, 3]), None);
    }

    #[test]
    fn running_values_start_anew_in_each_segment() {
        assert_eq!(running_sum(&[1.0, 2.0, 4.0], &[0, 2, 3]), [1.0, 3.0, 4.0]);
        assert_eq!(running_product(&[0.5, 0.5, 0.25], &[0, 2, 3]), [0.5, 0.25, 0.25]);
    }
}
