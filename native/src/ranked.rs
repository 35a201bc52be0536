//! Rows in the order of their scores, best first, and what curves over all thresholds come to.
//!
//! A score's bits are mapped to a whole number, its *code*, that rises as the score falls. Rows are dealt out by
//! the leading bits of their codes, so that what is left of a code fits into few bits beside the label; each
//! part is then sorted in the cache, by radix.

use crate::error::Result;
use crate::group::check_rows;
use crate::pool;
use crate::rows::Rows;
use crate::values::Sum;

/// Parts at the most: each is written to at a place of its own, and more places than this miss the cache.
const PARTS_BITS: u32 = 11;
/// Bits of a code that one pass of the radix sort takes.
const DIGIT_BITS: u32 = 11;
/// Parts with fewer rows than this are sorted by comparing.
const FEW: usize = 1 << 10;
/// Thresholds whose plain sum is added to a compensated one.
const STRIDE: usize = 1 << 8;

/// The code of a score: of a greater score a smaller one, of equal scores (also 0 and −0) the same.
pub fn code_of(score: f64, float32: bool) -> u64 {
    if float32 {
        let bits = (score as f32 + 0.0).to_bits();
        u64::from(if bits >> 31 == 0 { !(bits | 1 << 31) } else { bits })
    } else {
        let bits = (score + 0.0).to_bits();
        if bits >> 63 == 0 { !(bits | 1 << 63) } else { bits }
    }
}

/// The score of a code.
pub fn score_of(code: u64, float32: bool) -> f64 {
    if float32 {
        let code = code as u32;
        f64::from(f32::from_bits(if code >> 31 == 0 { !code & !(1 << 31) } else { code }))
    } else {
        f64::from_bits(if code >> 63 == 0 { !code & !(1 << 63) } else { code })
    }
}

/// A row as it is sorted.
pub trait Element: Copy + Default + Send + Sync {
    /// A row; without a weight, `code` has a bit to spare.
    fn new(code: u64, positive: bool, weight: f64) -> Self;
    /// The code.
    fn code(self) -> u64;
    /// Whether the row is positive.
    fn positive(self) -> bool;
    /// The row's weight.
    fn weight(self) -> f64;
}

impl Element for u32 {
    fn new(code: u64, positive: bool, _: f64) -> Self {
        (code as u32) << 1 | u32::from(positive)
    }

    fn code(self) -> u64 {
        u64::from(self >> 1)
    }

    fn positive(self) -> bool {
        self & 1 == 1
    }

    fn weight(self) -> f64 {
        1.0
    }
}

impl Element for u64 {
    fn new(code: u64, positive: bool, _: f64) -> Self {
        code << 1 | u64::from(positive)
    }

    fn code(self) -> u64 {
        self >> 1
    }

    fn positive(self) -> bool {
        self & 1 == 1
    }

    fn weight(self) -> f64 {
        1.0
    }
}

/// A row with a weight, negative where the row is not positive; its code may take all 64 bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weighted {
    code: u64,
    weight: f64,
}

impl Element for Weighted {
    fn new(code: u64, positive: bool, weight: f64) -> Self {
        Self { code, weight: weight.abs().copysign(if positive { 1.0 } else { -1.0 }) }
    }

    fn code(self) -> u64 {
        self.code
    }

    fn positive(self) -> bool {
        self.weight.is_sign_positive()
    }

    fn weight(self) -> f64 {
        self.weight.abs()
    }
}

/// Rows from the best score to the worst.
pub struct Ranked<E> {
    parts: Vec<Vec<E>>,
    /// The weight of the positive rows in all parts before, and of the others; at the end of all rows.
    before: Vec<(f64, f64)>,
    lowest: u64,
    shift: u32,
    float32: bool,
}

/// One threshold: the weights of positive and other rows above it, and of those at it.
pub struct Threshold {
    above: (f64, f64),
    own: (f64, f64),
}

impl<E: Element> Ranked<E> {
    /// Sorts the rows.
    pub fn new(rows: &Rows) -> Result<Self> {
        let float32 = rows.float32();
        let ranges = rows.blocks(|block, _| {
            let codes = block.scores.iter().map(|&score| code_of(score, float32));
            codes.fold((u64::MAX, 0), |(low, high), code| (code.min(low), code.max(high)))
        })?;
        let (lowest, highest) = ranges
            .into_iter()
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .expect("a table without rows is refused");
        let shift = (u64::BITS - (highest - lowest).leading_zeros()).saturating_sub(PARTS_BITS);
        let count = ((highest - lowest) >> shift) as usize + 1;
        let dealt = Self::deal(rows, float32, lowest, shift, count)?;
        let parts = pool::map(count, |part| {
            let mut own: Vec<E> = Vec::with_capacity(dealt.iter().map(|stretch| stretch[part].len()).sum());
            dealt.iter().for_each(|stretch| own.extend_from_slice(&stretch[part]));
            sort(&mut own, shift);
            let weights = weights(&own);
            (own, weights)
        });
        let (parts, weights): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let mut totals = (Sum::default(), Sum::default());
        let mut before = vec![(0.0, 0.0)];
        for (positive, other) in weights {
            totals.0.add(positive);
            totals.1.add(other);
            before.push((totals.0.value(), totals.1.value()));
        }
        Ok(Self { parts, before, lowest, shift, float32 })
    }

    /// Deals the rows out by the leading bits of their codes: for each stretch, for each part, its rows.
    fn deal(rows: &Rows, float32: bool, lowest: u64, shift: u32, count: usize) -> Result<Vec<Vec<Vec<E>>>> {
        const READ: usize = 1 << 12;
        let columns = rows.open()?;
        let total = columns.len();
        check_rows(total)?;
        let length = total.div_ceil(pool::threads()).max(READ);
        let rest = (1 << shift) - 1;
        Ok(pool::map(total.div_ceil(length), |stretch| {
            let stretch = stretch * length..total.min((stretch + 1) * length);
            let pieces = || stretch.clone().step_by(READ).map(|begin| begin..stretch.end.min(begin + READ));
            let mut scratch = crate::rows::Scratch::default();
            let mut sizes = vec![0; count];
            for piece in pieces() {
                for &score in columns.read(piece, &mut scratch).scores {
                    sizes[((code_of(score, float32) - lowest) >> shift) as usize] += 1;
                }
            }
            let mut dealt: Vec<Vec<E>> = sizes.into_iter().map(Vec::with_capacity).collect();
            for piece in pieces() {
                for (positive, score, weight) in columns.read(piece, &mut scratch).rows() {
                    let code = code_of(score, float32) - lowest;
                    dealt[(code >> shift) as usize].push(E::new(code & rest, positive, weight));
                }
            }
            dealt
        }))
    }

    /// The weight of the positive rows, and of the others.
    pub fn totals(&self) -> (f64, f64) {
        self.before[self.parts.len()]
    }

    /// Calls `see` with each threshold of a part, best first.
    fn thresholds(&self, part: usize, mut see: impl FnMut(u64, Threshold)) {
        let mut above = self.before[part];
        let mut rows = self.parts[part].iter().copied().peekable();
        while let Some(row) = rows.next() {
            let code = row.code();
            let mut own = split(row);
            while let Some(next) = rows.next_if(|next| next.code() == code) {
                let next = split(next);
                own = (own.0 + next.0, own.1 + next.1);
            }
            see(code, Threshold { above, own });
            above = (above.0 + own.0, above.1 + own.1);
        }
    }

    /// The sum of a term over all thresholds.
    fn sum(&self, term: impl Fn(Threshold) -> f64 + Sync + Send) -> f64 {
        let sums = pool::map(self.parts.len(), |part| {
            let (mut total, mut plain, mut number) = (Sum::default(), 0.0, 0);
            self.thresholds(part, |_, threshold| {
                plain += term(threshold);
                number += 1;
                if number % STRIDE == 0 {
                    total.add(std::mem::take(&mut plain));
                }
            });
            total.add(plain);
            total.value()
        });
        let mut total = Sum::default();
        sums.into_iter().for_each(|sum| total.add(sum));
        total.value()
    }

    /// Pairs of a positive and another row in which the positive has the greater score; half of those with
    /// equal scores.
    pub fn pairs(&self) -> f64 {
        let others = self.totals().1;
        self.sum(|Threshold { above, own }| own.0 * ((others - above.1 - own.1) + own.1 / 2.0))
    }

    /// The sum over the positive rows of the precision at their threshold.
    pub fn precisions(&self) -> f64 {
        self.sum(|Threshold { above, own }| match own.0 {
            0.0 => 0.0,
            positive => positive * precision(above.0 + own.0, above.1 + own.1),
        })
    }

    /// The same, of the mean of the precisions at their threshold and at the one above it.
    pub fn mean_precisions(&self) -> f64 {
        self.sum(|Threshold { above, own }| match own.0 {
            0.0 => 0.0,
            positive => {
                let own = precision(above.0 + own.0, above.1 + own.1);
                positive * (precision(above.0, above.1) + own) / 2.0
            }
        })
    }

    /// The greatest distance between the shares of positive and of other rows that a threshold finds.
    pub fn gap(&self) -> f64 {
        let (positives, others) = self.totals();
        let gaps = pool::map(self.parts.len(), |part| {
            let mut greatest = 0.0_f64;
            self.thresholds(part, |_, Threshold { above, own }| {
                let shares = ((above.0 + own.0) / positives, (above.1 + own.1) / others);
                greatest = greatest.max((shares.0 - shares.1).abs());
            });
            greatest
        });
        gaps.into_iter().fold(0.0, f64::max)
    }

    /// Each threshold's score, and the weights of the positive and of the other rows that reach it.
    pub fn curve(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let parts = pool::map(self.parts.len(), |part| {
            let (mut scores, mut positives, mut others) = (Vec::new(), Vec::new(), Vec::new());
            let base = self.lowest + ((part as u64) << self.shift);
            self.thresholds(part, |code, Threshold { above, own }| {
                scores.push(score_of(base + code, self.float32));
                positives.push(above.0 + own.0);
                others.push(above.1 + own.1);
            });
            (scores, positives, others)
        });
        let mut all = (Vec::new(), Vec::new(), Vec::new());
        for (scores, positives, others) in parts {
            all.0.extend(scores);
            all.1.extend(positives);
            all.2.extend(others);
        }
        all
    }
}

/// The share of positive weight; 1 where there is no weight yet, as where the curve of precision begins.
fn precision(positives: f64, others: f64) -> f64 {
    if positives + others == 0.0 { 1.0 } else { positives / (positives + others) }
}

fn split(row: impl Element) -> (f64, f64) {
    if row.positive() { (row.weight(), 0.0) } else { (0.0, row.weight()) }
}

fn weights(rows: &[impl Element]) -> (f64, f64) {
    let mut totals = (Sum::default(), Sum::default());
    for stride in rows.chunks(STRIDE) {
        let (positives, others) =
            stride.iter().map(|&row| split(row)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        totals.0.add(positives);
        totals.1.add(others);
    }
    (totals.0.value(), totals.1.value())
}

/// Sorts rows by codes of so many bits; rows of the same code stay in their order.
fn sort<E: Element>(rows: &mut Vec<E>, bits: u32) {
    if rows.len() < FEW {
        rows.sort_by_key(|row| row.code());
        return;
    }
    let passes = bits.div_ceil(DIGIT_BITS);
    let digit = |row: E, pass: u32| (row.code() >> (pass * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1);
    let mut counts = vec![[0_u32; 1 << DIGIT_BITS]; passes as usize];
    for &row in rows.iter() {
        (0..passes).for_each(|pass| counts[pass as usize][digit(row, pass)] += 1);
    }
    let mut sorted = vec![E::default(); rows.len()];
    for (pass, counts) in (0..passes).zip(&mut counts) {
        let mut place = 0;
        for count in counts.iter_mut() {
            place += std::mem::replace(count, place);
        }
        for &row in rows.iter() {
            let place = &mut counts[digit(row, pass)];
            sorted[*place as usize] = row;
            *place += 1;
        }
        std::mem::swap(rows, &mut sorted);
    }
}

/// Pairs in order among the rows of one query, which this sorts, and the weights of its positive and other rows.
pub fn pairs_of(rows: &mut [impl Element]) -> (f64, f64, f64) {
    rows.sort_unstable_by_key(|row| row.code());
    let (mut pairs, mut positives, mut others) = (0.0, 0.0, 0.0);
    for tied in rows.chunk_by(|a, b| a.code() == b.code()) {
        let own = tied.iter().map(|&row| split(row)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        pairs += own.1 * (positives + own.0 / 2.0);
        positives += own.0;
        others += own.1;
    }
    (pairs, positives, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_fall_as_scores_rise_and_read_back() {
        let scores = [f64::INFINITY, 1.5, 1.0, 1e-40, 0.0, -1e-40, -1.0, f64::NEG_INFINITY];
        for float32 in [false, true] {
            let codes: Vec<_> = scores.iter().map(|&score| code_of(score, float32)).collect();
            assert!(codes.is_sorted());
            assert_eq!(code_of(-0.0, float32), code_of(0.0, float32));
            for (&score, &code) in scores.iter().zip(&codes) {
                let expected = if float32 { f64::from(score as f32) } else { score };
                assert_eq!(score_of(code, float32), expected);
            }
        }
    }

    #[test]
    fn the_radix_sort_sorts() {
        let mut rows: Vec<u64> =
            (0..5_000_u64).map(|i| u64::new(i * 7_919 % 100_003, i % 3 == 0, 1.0)).collect();
        let mut expected = rows.clone();
        expected.sort_by_key(|row| row.code());
        sort(&mut rows, 17);
        assert_eq!(rows, expected);
    }

    #[test]
    fn equal_scores_count_half() {
        let row = |code, positive| u32::new(code, positive, 1.0);
        let mut rows = [row(2, true), row(1, false), row(1, true), row(3, false)];
        assert_eq!(pairs_of(&mut rows), (0.5 + 1.0 + 1.0, 2.0, 2.0));
    }
}
