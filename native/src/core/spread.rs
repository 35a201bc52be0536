//! How values spread. What is added up here is added up in the order in which NumPy does, and comes to the same bits.

/// What is smaller than this share of the values it was made of is rounding.
const ROUNDING: f64 = 1e-12;
/// Sums of a block that do not wait for each other.
const LANES: usize = 8;
/// The most values that are a block.
const BLOCK: usize = 128;

/// The sums of terms of the values: those of a block in lanes, of blocks by halves.
pub fn sums<T, const N: usize>(values: &[T], terms: &impl Fn(&T) -> [f64; N]) -> [f64; N] {
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (first, last) = values.split_at(half - half % LANES);
        let (first, last) = (sums(first, terms), sums(last, terms));
        return std::array::from_fn(|at| first[at] + last[at]);
    }
    let (rows, rest) = values.as_chunks::<LANES>();
    let mut found = [0.0; N];
    if let Some((first, rows)) = rows.split_first() {
        let mut lanes = first.each_ref().map(terms);
        for row in rows {
            for (lane, value) in lanes.iter_mut().zip(row) {
                let own = terms(value);
                (0..N).for_each(|at| lane[at] += own[at]);
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        found = std::array::from_fn(|at| {
            ((a[at] + b[at]) + (c[at] + d[at])) + ((e[at] + f[at]) + (g[at] + h[at]))
        });
    }
    for value in rest {
        let own = terms(value);
        (0..N).for_each(|at| found[at] += own[at]);
    }
    found
}

/// The mean of a term of the values.
pub fn mean<T>(values: &[T], term: impl Fn(&T) -> f64) -> f64 {
    let [sum] = sums(values, &|value| [term(value)]);
    sum / values.len() as f64
}

/// The greatest magnitude of a term of the values; 0 of none, and of NaN.
fn greatest(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let longer = |longest: f64, value: f64| if value > longest { value } else { longest };
    let (rows, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for row in rows {
        (0..LANES).for_each(|at| lanes[at] = longer(lanes[at], term(row[at]).abs()));
    }
    lanes.into_iter().chain(rest.iter().map(|&value| term(value).abs())).fold(0.0, longer)
}

/// Sums of powers of what values are off their mean by.
#[derive(Debug, PartialEq)]
pub struct AroundMean {
    /// A power of two near the greatest, in which they are: so squares neither overflow nor vanish.
    pub unit: f64,
    /// 0 where values are alike but for rounding.
    pub squares: f64,
    pub cubes: f64,
}

impl AroundMean {
    /// Those of values in a unit, a power of two.
    pub fn of(values: &[f64], unit: f64) -> Self {
        let times = 1.0 / unit;
        let mean = mean(values, |value| value * times);
        let left = |value: f64| value * times - mean;
        let farthest = greatest(values, left);
        if farthest <= ROUNDING * greatest(values, |value| value * times) {
            return Self { unit: 1.0, squares: 0.0, cubes: 0.0 };
        }
        let unit = unit_near(farthest);
        let times = 1.0 / unit;
        let [squares, cubes] = sums(values, &|&value| {
            let own = left(value) * times;
            [own * own, own * own * own]
        });
        Self { unit, squares, cubes }
    }
}

/// A power of two near a magnitude, of which 1 divided by it is one, too.
fn unit_near(greatest: f64) -> f64 {
    if greatest == f64::INFINITY {
        return 0.5;
    }
    let exponent = f64::from_bits(greatest.to_bits() & f64::INFINITY.to_bits());
    exponent.max(f64::MIN_POSITIVE)
}

/// Each value less the other; 0 where that is no more than their rounding, NaN where one is.
pub fn apart(values: &[f64], others: &[f64]) -> Vec<f64> {
    let left = |(&value, &other): (&f64, &f64)| {
        let (left, size, other_size) = (value - other, value.abs(), other.abs());
        let most = if size > other_size { size } else { other_size };
        if left.abs() <= ROUNDING * most { 0.0 } else { left }
    };
    values.iter().zip(others).map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_whole_numbers_are_those_of_any_order() {
        for length in [0, 1, 7, 8, 9, 127, 128, 129, 136, 1_000, 4_099] {
            let values: Vec<f64> = (0..length).map(|i| f64::from(i * 7_919 % 1_003)).collect();
            let squares = values.iter().map(|value| value * value).sum::<f64>();
            assert_eq!(sums(&values, &|&value| [value, value * value]), [values.iter().sum(), squares]);
        }
    }

    #[test]
    fn a_block_is_added_up_in_lanes() {
        let mut values = [0.0; 9];
        (values[0], values[1], values[2], values[8]) = (1e16, 1.0, -1e16, 1.0);
        // (1e16 + 1) + (−1e16 + 0) is 0, and the last is added to it.
        assert_eq!(sums(&values, &|&value| [value]), [1.0]);
    }

    #[test]
    fn powers_are_in_units_of_the_greatest() {
        for scale in [1.0, 2_f64.powi(900), 2_f64.powi(-900)] {
            let values = [0.0, 0.0, 0.0, 4.0].map(|value| value * scale);
            let expected = AroundMean { unit: 2.0 * scale, squares: 3.0, cubes: 3.0 };
            assert_eq!(AroundMean::of(&values, 1.0), expected);
            assert_eq!(AroundMean::of(&values, scale), AroundMean { unit: 2.0, ..expected });
        }
    }

    #[test]
    fn what_is_alike_but_for_rounding_does_not_spread() {
        let none = AroundMean { unit: 1.0, squares: 0.0, cubes: 0.0 };
        for values in [&[][..], &[3.0], &[0.1 + 0.2, 0.3, 0.3], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
            assert_eq!(AroundMean::of(values, 1.0), none);
        }
    }

    #[test]
    fn what_is_apart_by_rounding_is_not() {
        let (values, others) = ([0.1 + 0.2, 1.0, -0.0, 1.0, -1e-300], [0.3, 0.5, 0.0, f64::NAN, -1e-300]);
        let left = apart(&values, &others);
        assert_eq!(left[..3], [0.0, 0.5, 0.0]);
        assert!(left[3].is_nan() && left[4] == 0.0);
    }
}
