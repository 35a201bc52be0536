//! One value a query: quotients, and what becomes of them over all queries.

/// Each numerator over its denominator: NaN where nothing is relevant, else 0 where the denominator is 0.
pub fn ratio(above: &[f64], below: impl Iterator<Item = f64>, relevant: &[f64]) -> Vec<f64> {
    let quotient = |((&above, below), &relevant): ((&f64, f64), &f64)| match (relevant > 0.0, below != 0.0) {
        (false, _) => f64::NAN,
        (true, false) => 0.0,
        (true, true) => above / below,
    };
    above.iter().zip(below).zip(relevant).map(quotient).collect()
}

/// What the values of all queries come to.
#[derive(Debug, Default, PartialEq)]
pub struct Total {
    /// The sum of the values.
    pub sum: f64,
    /// How many there are.
    pub count: usize,
    /// How many were undefined.
    pub undefined: usize,
}

/// Puts `filler` in the place of undefined values (NaN) and NaN where a query does not count, and adds up.
/// All count where nothing is said.
///
/// The sum has Neumaier's compensation, so that the order hardly matters: A. Neumaier, "Rundungsfehleranalyse
/// einiger Verfahren zur Summation endlicher Summen", 1974.
pub fn settle(values: &mut [f64], counted: Option<&[bool]>, filler: f64) -> Total {
    let mut total = Total::default();
    let mut sum = Sum::default();
    for (query, value) in values.iter_mut().enumerate() {
        if counted.is_some_and(|counted| !counted[query]) {
            *value = f64::NAN;
        } else if value.is_nan() {
            *value = filler;
            total.undefined += 1;
        }
        if !value.is_nan() {
            sum.add(*value);
            total.count += 1;
        }
    }
    total.sum = sum.value();
    total
}

/// The sum of all values, with the compensation of [`settle`].
pub fn compensated_sum(values: &[f64]) -> f64 {
    let mut sum = Sum::default();
    values.iter().for_each(|&value| sum.add(value));
    sum.value()
}

/// A sum with the compensation of [`settle`].
#[derive(Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        let next = self.sum + value;
        let (large, small) =
            if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - next) + small;
        self.sum = next;
    }

    /// What has been added up.
    pub fn value(&self) -> f64 {
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Rows whose plain sum is added to a compensated one.
const STRIDE: usize = 1 << 8;

/// Sums of several terms over rows, compensated from stride to stride.
pub fn sums<const N: usize>(mut rows: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    let mut totals: [Sum; N] = std::array::from_fn(|_| Sum::default());
    loop {
        let (mut plain, mut left) = ([0.0; N], STRIDE);
        for terms in rows.by_ref().take(STRIDE) {
            plain = std::array::from_fn(|at| plain[at] + terms[at]);
            left -= 1;
        }
        totals.iter_mut().zip(plain).for_each(|(total, sum)| total.add(sum));
        if left > 0 {
            return totals.map(|total| total.value());
        }
    }
}

/// What sums over parts add up to, compensated.
pub fn total<const N: usize>(parts: &[[f64; N]]) -> [f64; N] {
    let mut totals: [Sum; N] = std::array::from_fn(|_| Sum::default());
    parts.iter().for_each(|sums| totals.iter_mut().zip(sums).for_each(|(total, &sum)| total.add(sum)));
    totals.map(|total| total.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compensated_sum_keeps_what_a_plain_one_loses() {
        assert_eq!(compensated_sum(&[1.0, 1e100, 1.0, -1e100]), 2.0);
    }

    #[test]
    fn a_quotient_is_undefined_where_nothing_is_relevant() {
        let quotients = ratio(&[1.0, 1.0, 1.0], [2.0, 0.0, 2.0].into_iter(), &[1.0, 1.0, 0.0]);
        assert_eq!(quotients[..2], [0.5, 0.0]);
        assert!(quotients[2].is_nan());
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
