//! One value a query: quotients, and what becomes of them over all queries.

use crate::core::sums::Sum;

/// Each numerator over its denominator: NaN where nothing is relevant, else 0 where the denominator is 0.
pub fn ratio(above: &[f64], below: impl Iterator<Item = f64>, relevant: &[f64]) -> Vec<f64> {
    let each = above.iter().zip(below).zip(relevant);
    each.map(|((&above, below), &relevant)| quotient(above, below, relevant)).collect()
}

/// One of them.
pub fn quotient(above: f64, below: f64, relevant: f64) -> f64 {
    match (relevant > 0.0, below != 0.0) {
        (false, _) => f64::NAN,
        (true, false) => 0.0,
        (true, true) => above / below,
    }
}

/// What the values of all queries come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// The sum of the values.
    pub sum: f64,
    /// How many there are.
    pub count: usize,
    /// How many others are undefined, or were.
    pub undefined: usize,
}

/// What the defined values (not NaN) come to.
// Where a panic is caught around it, what it adds up would be kept in memory, which takes three times as long.
#[inline(never)]
pub fn total(values: &[f64]) -> Total {
    let (mut sum, mut count) = (Sum::default(), 0);
    for &value in values.iter().filter(|value| !value.is_nan()) {
        sum.add(value);
        count += 1;
    }
    Total { sum: sum.value(), count, undefined: values.len() - count }
}

impl Total {
    /// What [`settle`] gives for the values that this is the [`total`] of, all of which count, where that is known
    /// without adding them up again: nothing is filled in, or zeros, which change no sum.
    pub fn settled(&self, values: &mut [f64], filler: f64) -> Option<Self> {
        if self.undefined > 0 {
            if filler != 0.0 {
                return None;
            }
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = filler);
        }
        Some(Self { count: values.len(), ..self.clone() })
    }
}

/// Puts `filler` in the place of undefined values and NaN where a query does not count, and adds up.
/// All count where nothing is said.
pub fn settle(values: &mut [f64], counted: Option<&[bool]>, filler: f64) -> Total {
    let mut undefined = 0;
    for (query, value) in values.iter_mut().enumerate() {
        if counted.is_some_and(|counted| !counted[query]) {
            *value = f64::NAN;
        } else if value.is_nan() {
            *value = filler;
            undefined += 1;
        }
    }
    Total { undefined, ..total(values) }
}

/// Values that differ by no more, as a share of one of them, are the same but for the rounding of their sums.
const ROUNDED: f64 = 1e-12;

/// How many queries have not the same value each time, but for rounding.
pub fn count_unlike(first: &[f64], others: &[&[f64]]) -> usize {
    let like = |a: f64, b: f64| {
        let rounded = b.is_finite() & ((a - b).abs() <= ROUNDED * b.abs());
        rounded | (a == b) | (a.is_nan() & b.is_nan())
    };
    let mut unlike = vec![false; first.len()];
    for other in others {
        for ((unlike, &a), &b) in unlike.iter_mut().zip(first).zip(*other) {
            *unlike |= !like(a, b);
        }
    }
    unlike.into_iter().filter(|&unlike| unlike).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_undefined_where_nothing_is_relevant() {
        let quotients = ratio(&[1.0, 1.0, 1.0], [2.0, 0.0, 2.0].into_iter(), &[1.0, 1.0, 0.0]);
        assert_eq!(quotients[..2], [0.5, 0.0]);
        assert!(quotients[2].is_nan());
    }

    #[test]
    fn values_are_unlike_where_they_differ_by_more_than_rounding() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        let first = [1.0, 1.0, nan, nan, infinity, infinity, 1.0, 0.0];
        let other = [1.0 + 1e-13, 1.0 + 1e-11, nan, 1.0, infinity, -infinity, infinity, 1e-300];
        assert_eq!(count_unlike(&first, &[&other]), 5);
        assert_eq!(count_unlike(&first, &[&first, &other]), 5);
        assert_eq!(count_unlike(&first, &[]), 0);
    }

    #[test]
    fn what_is_settled_by_a_total_is_as_if_all_were_added_up() {
        let nan = f64::NAN;
        for values in [&[][..], &[0.1, 0.7, 1e17, 0.3], &[nan, 0.1, 0.2, nan, 0.3], &[nan], &[-0.5, nan, 0.5]]
        {
            for filler in [0.0, -0.0, 1.0, nan] {
                let (mut own, mut expected) = (values.to_vec(), values.to_vec());
                let by_total = total(values).settled(&mut own, filler);
                let all = settle(&mut expected, None, filler);
                if let Some(settled) = by_total {
                    assert_eq!((settled.sum.to_bits(), settled), (all.sum.to_bits(), all));
                    assert_eq!(own, expected);
                } else {
                    assert!(filler != 0.0 && values.iter().any(|value| value.is_nan()));
                }
            }
        }
    }

    #[test]
    fn undefined_values_are_counted_and_not_added() {
        assert_eq!(total(&[1.0, f64::NAN, 4.0]), Total { sum: 5.0, count: 2, undefined: 1 });
    }

    #[test]
    fn undefined_values_are_filled_and_those_that_do_not_count_left_out() {
        let mut values = [1.0, f64::NAN, 4.0];
        let total = settle(&mut values, Some(&[true, true, false]), 0.5);
        assert_eq!(total, Total { sum: 1.5, count: 2, undefined: 1 });
        assert_eq!(values[..2], [1.0, 0.5]);
        assert!(values[2].is_nan());
    }
}
