//! Sums with Neumaier's compensation, so that the order hardly matters: A. Neumaier, "Rundungsfehleranalyse einiger
//! Verfahren zur Summation endlicher Summen", 1974.

/// Rows whose plain sum is added to a compensated one.
pub const STRIDE: usize = 1 << 8;
/// Strides that are summed up at a time.
pub const TOGETHER: usize = 4;

/// A compensated sum.
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

    /// Adds a term of each row, stride by stride, of which several are summed up at a time: none waits for another.
    #[inline(always)]
    pub fn add_strides<T>(&mut self, rows: &[T], term: impl Fn(&T) -> f64) {
        let (strides, _) = rows.as_chunks::<STRIDE>().0.as_chunks::<TOGETHER>();
        for strides in strides {
            let mut plain = [0.0; TOGETHER];
            for row in 0..STRIDE {
                plain.iter_mut().zip(strides).for_each(|(plain, stride)| *plain += term(&stride[row]));
            }
            plain.into_iter().for_each(|plain| self.add(plain));
        }
        for stride in rows[strides.len() * TOGETHER * STRIDE..].chunks(STRIDE) {
            self.add(stride.iter().fold(0.0, |plain, row| plain + term(row)));
        }
    }

    /// Adds scores, stride by stride, those above `most` as nothing; to the same bits as by [`Sum::add_strides`].
    #[inline(always)]
    pub fn add_scores(&mut self, scores: &[f32], most: f32) {
        let term = |&score: &f32| if score > most { 0.0 } else { f64::from(score) };
        for scores in scores.chunks(TOGETHER * STRIDE) {
            if are_exact(scores) {
                scores.chunks(STRIDE).for_each(|stride| self.add(exact_sum(stride, term)));
            } else {
                self.add_strides(scores, term);
            }
        }
    }

    /// What has been added up.
    pub fn value(&self) -> f64 {
        if self.lost.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// Whether scores are whole multiples of 2⁻⁴⁵ and 1 at the most: those of a stride add up to 53 bits, which no float
/// rounds, so that they may be added up in any order.
#[inline(always)]
fn are_exact(scores: &[f32]) -> bool {
    const { assert!(STRIDE <= 1 << 8) };
    let (least, mut all) = (1.0 / (1 << 22) as f32, true);
    for &score in scores {
        all &= (score >= least) & (score <= 1.0);
    }
    all
}

/// Values that are added up side by side.
const LANES: usize = 16;

/// The sum of terms of which no sum is rounded.
#[inline(always)]
fn exact_sum<T>(rows: &[T], term: impl Fn(&T) -> f64) -> f64 {
    let (whole, rest) = rows.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for rows in whole {
        for lane in 0..LANES {
            sums[lane] += term(&rows[lane]);
        }
    }
    let mut total = 0.0;
    for sum in sums {
        total += sum;
    }
    for row in rest {
        total += term(row);
    }
    total
}

/// The compensated sum of all values.
pub fn compensated_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let [sum] = total(values.into_iter().map(|value| [value]));
    sum
}

/// Compensated sums of several terms.
struct Sums<const N: usize>([Sum; N]);

impl<const N: usize> Sums<N> {
    fn new() -> Self {
        Self(std::array::from_fn(|_| Sum::default()))
    }

    fn add(&mut self, terms: [f64; N]) {
        self.0.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
    }

    fn values(self) -> [f64; N] {
        self.0.map(|sum| sum.value())
    }
}

/// What several terms add up to, each compensated.
pub fn total<const N: usize>(parts: impl IntoIterator<Item = [f64; N]>) -> [f64; N] {
    let mut sums = Sums::new();
    parts.into_iter().for_each(|terms| sums.add(terms));
    sums.values()
}

/// The same of very many terms, compensated from stride to stride.
pub fn strided_total<const N: usize>(mut rows: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    let mut sums = Sums::new();
    loop {
        let (mut plain, mut left) = ([0.0; N], STRIDE);
        for terms in rows.by_ref().take(STRIDE) {
            plain = std::array::from_fn(|at| plain[at] + terms[at]);
            left -= 1;
        }
        sums.add(plain);
        if left > 0 {
            return sums.values();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compensated_sum_keeps_what_a_plain_one_loses() {
        assert_eq!(compensated_sum([1.0, 1e100, 1.0, -1e100]), 2.0);
    }

    #[test]
    fn strides_are_added_up_to_the_last() {
        for rows in [0, 1, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE] {
            assert_eq!(strided_total((0..rows).map(|_| [1.0, 0.5])), [rows as f64, rows as f64 / 2.0]);
        }
    }

    #[test]
    fn scores_come_to_the_same_bits_in_any_order() {
        let least = 1.0 / (1 << 22) as f32;
        for low in [0.0, least.next_down(), least, 1e-3] {
            for rows in [1, 15, STRIDE + 17, 9 * STRIDE + 7] {
                let scores: Vec<f32> = (0..rows).map(|row| low + row as f32 / 3e3 % 0.9).collect();
                for most in [0.05, f32::INFINITY] {
                    let term = |&score: &f32| if score > most { 0.0 } else { f64::from(score) };
                    let (mut sum, mut in_order) = (Sum::default(), Sum::default());
                    sum.add_scores(&scores, most);
                    in_order.add_strides(&scores, term);
                    assert_eq!(sum.value().to_bits(), in_order.value().to_bits());
                }
            }
        }
    }

    #[test]
    fn strides_side_by_side_come_to_the_same_bits() {
        for rows in [0, 1, STRIDE, 4 * STRIDE - 1, 4 * STRIDE, 9 * STRIDE + 7] {
            let terms: Vec<f64> = (0..rows).map(|row| 1.0 / (row as f64 + 0.3)).collect();
            let [expected] = strided_total(terms.iter().map(|&term| [term]));
            let mut sum = Sum::default();
            sum.add_strides(&terms, |&term| term);
            assert_eq!(sum.value().to_bits(), expected.to_bits());
        }
    }
}
