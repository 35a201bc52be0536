//! Scores beside what happened, in bins: sums over the rows between borders.

use crate::core::error::Result;
use crate::core::rows::labelled_rows::{Block, LabelledRows};
use crate::core::sums::{STRIDE, Sum};

/// What the rows of a bin come to: how many they are, and the sums of weights, of those of positive rows, of
/// weighted scores, and of squared weights.
pub type Bin = [f64; 5];

/// The rows between borders, which rise: a bin ends with its upper border, and begins above its lower one.
///
/// There is one bin more than there are borders.
pub fn bins(rows: &LabelledRows, borders: &[f64]) -> Result<Vec<Bin>> {
    let finder = BinFinder::new(borders);
    // Adding up the bins of a stride takes no longer than its rows.
    let stride = STRIDE.max(borders.len());
    let blocks = rows.blocks(|block: &Block<'_>, _| {
        let (rows, mut bins) = (block.labels.len(), BinSums::new(borders));
        let mut plain = vec![Bin::default(); borders.len() + 1];
        for begin in (0..rows).step_by(stride) {
            for (positive, score, weight) in block.some(begin..rows.min(begin + stride)) {
                let outcome = if positive { weight } else { 0.0 };
                let terms = [1.0, weight, outcome, weight * score, weight * weight];
                let bin = &mut plain[finder.of(score)];
                *bin = std::array::from_fn(|at| bin[at] + terms[at]);
            }
            plain.iter().enumerate().for_each(|(bin, own)| bins.add(bin, own));
            plain.fill(Bin::default());
        }
        bins.values()
    })?;
    let mut bins = BinSums::new(borders);
    blocks.iter().for_each(|block| block.iter().enumerate().for_each(|(bin, own)| bins.add(bin, own)));
    Ok(bins.values())
}

/// Compensated sums in bins.
pub struct BinSums(Vec<[Sum; 5]>);

impl BinSums {
    /// The bins between borders, empty.
    pub fn new(borders: &[f64]) -> Self {
        Self((0..=borders.len()).map(|_| Default::default()).collect())
    }

    /// Adds what some rows of a bin come to.
    pub fn add(&mut self, bin: usize, rows: &Bin) {
        self.0[bin].iter_mut().zip(rows).for_each(|(sum, &term)| sum.add(term));
    }

    /// What has been added up.
    pub fn values(&self) -> Vec<Bin> {
        self.0.iter().map(|sums| std::array::from_fn(|at| sums[at].value())).collect()
    }
}

/// Where scores lie between borders. A table of narrow cells has the first bin of each, so that hardly any
/// borders are compared.
struct BinFinder<'a> {
    borders: &'a [f64],
    cells: Cells,
    firsts: Vec<u32>,
}

impl<'a> BinFinder<'a> {
    fn new(borders: &'a [f64]) -> Self {
        let (low, high) = (borders.first().copied().unwrap_or(0.0), borders.last().copied().unwrap_or(0.0));
        let cells = Cells::new(low, high, (64 * borders.len()).clamp(1, 1 << 16));
        // The cell of a greater number is no lower one, so that borders in lower cells are less than a score.
        let first = |cell: usize| borders.partition_point(|&border| cells.of(border) < cell) as u32;
        let firsts = (0..cells.count).map(first).collect();
        Self { borders, cells, firsts }
    }

    /// How many borders are less than the score.
    fn of(&self, score: f64) -> usize {
        let mut bin = self.firsts[self.cells.of(score)] as usize;
        while self.borders.get(bin).is_some_and(|&border| border < score) {
            bin += 1;
        }
        bin
    }
}

/// Cells of equal width; what lies outside of them is in the first or in the last.
pub struct Cells {
    low: f64,
    scale: f64,
    count: usize,
}

impl Cells {
    /// So many cells from `low` to `high`.
    pub fn new(low: f64, high: f64, count: usize) -> Self {
        let scale = count as f64 / (high - low);
        Self { low, scale: if scale.is_finite() { scale } else { 0.0 }, count }
    }

    /// The cell of a number.
    pub fn of(&self, number: f64) -> usize {
        (((number - self.low) * self.scale) as i32).clamp(0, self.count as i32 - 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_placed_below_the_first_border_that_it_does_not_pass() {
        let even: Vec<_> = (1..15).map(|i| f64::from(i) / 15.0).collect();
        for borders in [vec![], vec![0.3], vec![0.2; 3], vec![0.0, 1e-300, 0.1, 0.1, 0.9, 1.0], even] {
            for score in borders.iter().flat_map(|&b| [b - 1e-16, b, b + 1e-16]).chain([-1.0, 0.5, 2.0]) {
                let expected = borders.partition_point(|&border| border < score);
                assert_eq!(BinFinder::new(&borders).of(score), expected, "{score} in {borders:?}");
            }
        }
    }
}
