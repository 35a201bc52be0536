//! Scores beside what happened, in bins: sums over the rows between borders.

use crate::core::column::Number;
use crate::core::error::Result;
use crate::core::rows::labelled_rows::{Block, LabelledRows};
use crate::core::sums::{STRIDE, Sum};
use crate::core::wide::wide;

/// What the rows of a bin come to: how many they are, and the sums of weights, of those of positive rows, of
/// weighted scores, and of squared weights.
pub type Bin = [f64; 5];

/// The rows between borders, which rise: a bin ends with its upper border, and begins above its lower one.
///
/// There is one bin more than there are borders.
pub fn bins(rows: &LabelledRows, borders: &[f64]) -> Result<Vec<Bin>> {
    let finder = BinFinder::new(borders);
    let blocks = match (rows.weight.is_some(), rows.float32()) {
        (true, _) => rows.blocks(|block, _| weighted(block, &finder))?,
        (false, true) => rows.blocks(|block, _| equally_weighted::<f32>(block, &finder))?,
        (false, false) => rows.blocks(|block, _| equally_weighted::<f64>(block, &finder))?,
    };
    let mut bins = BinSums::new(borders);
    blocks.iter().for_each(|block| block.iter().enumerate().for_each(|(bin, own)| bins.add(bin, own)));
    Ok(bins.values())
}

/// Rows of a stride: adding up the bins takes no longer than its rows.
fn stride(finder: &BinFinder<'_>) -> usize {
    STRIDE.max(finder.borders.len())
}

/// What the rows of a block come to.
fn weighted(block: &Block<'_>, finder: &BinFinder<'_>) -> Vec<Bin> {
    let (rows, stride, mut bins) = (block.labels.len(), stride(finder), BinSums::new(finder.borders));
    let mut plain = vec![Bin::default(); finder.borders.len() + 1];
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
}

/// The same of rows that weigh 1, of which all but the scores is counted.
fn equally_weighted<S: Number>(block: &Block<'_, S>, finder: &BinFinder<'_>) -> Vec<Bin> {
    let (rows, stride, bins) = (block.labels.len(), stride(finder), finder.borders.len() + 1);
    let (mut counts, mut plain) = (vec![[0_u32; 2]; bins], vec![0.0; bins]);
    let mut sums: Vec<Sum> = (0..bins).map(|_| Sum::default()).collect();
    let mut cells = vec![0; rows];
    cells_of(&finder.cells, block.scores, &mut cells);
    for begin in (0..rows).step_by(stride) {
        let own = begin..rows.min(begin + stride);
        for ((positive, score, _), &cell) in block.some(own.clone()).zip(&cells[own]) {
            let score = score.into();
            let bin = finder.in_cell(cell, score);
            plain[bin] += score;
            counts[bin][usize::from(positive)] += 1;
        }
        sums.iter_mut().zip(&mut plain).for_each(|(sum, plain)| sum.add(std::mem::take(plain)));
    }
    let values = counts.into_iter().zip(sums).map(|([others, positives], sum)| {
        let all = f64::from(others + positives);
        [all, all, f64::from(positives), sum.value(), all]
    });
    values.collect()
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
        self.in_cell(self.cells.of(score) as u32, score)
    }

    /// The same of a score whose cell is known.
    fn in_cell(&self, cell: u32, score: f64) -> usize {
        let mut bin = self.firsts[cell as usize] as usize;
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
    #[inline(always)]
    pub fn of(&self, number: f64) -> usize {
        (((number - self.low) * self.scale) as i32).clamp(0, self.count as i32 - 1) as usize
    }
}

wide! {
    /// The cells of several numbers.
    fn cells_of<N: Number>(all: &Cells, numbers: &[N], cells: &mut [u32]) -> () = cells_of_any
}

#[inline(always)]
fn cells_of_any<N: Number>(all: &Cells, numbers: &[N], cells: &mut [u32]) {
    let last = (all.count - 1) as f64;
    for (cell, &number) in cells.iter_mut().zip(numbers) {
        let place = (number.into() - all.low) * all.scale;
        let kept = if place > 0.0 { place } else { 0.0 };
        let kept = if kept < last { kept } else { last };
        // SAFETY: it is from 0 to `last`, some ten thousand at most, and no NaN, which is not above 0.
        *cell = unsafe { kept.to_int_unchecked::<i32>() } as u32;
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
