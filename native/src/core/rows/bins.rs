//! Scores beside what happened, in bins: sums over the rows between borders.

use crate::core::column::Number;
use crate::core::error::Result;
use crate::core::pool;
use crate::core::rows::labelled_rows::{BLOCK, Block, LabelledRows, RowScratch};
use crate::core::scores::Score;
use crate::core::sums::{STRIDE, Sum, compensated_sum};
use crate::core::wide::wide;

/// What the rows of a bin come to: how many they are, and the sums of weights, of those of positive rows, of
/// weighted scores, and of squared weights.
pub type Bin = [f64; 5];
/// Which of these is the sum of weighted scores.
pub const SCORES: usize = 3;

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

/// The sum of scores in the lowest bin of [`bins`], or in the only one, of 32-bit scores that weigh 1.
///
/// There are no more borders than a stride has rows.
pub fn scores_up_to(rows: &LabelledRows, border: Option<f64>) -> Result<f64> {
    let (columns, border) = (rows.open::<f32, bool>()?, border.map_or(f32::INFINITY, at_most));
    let all = columns.len();
    Ok(compensated_sum(pool::map_init(all.div_ceil(BLOCK), RowScratch::default, |scratch, block| {
        let own = block * BLOCK..all.min((block + 1) * BLOCK);
        sum_up_to(columns.scores(own, scratch), border)
    })))
}

wide! {
    /// That of a block.
    fn sum_up_to(scores: &[f32], border: f32) -> f64 = sum_up_to_any
}

#[inline(always)]
fn sum_up_to_any(scores: &[f32], border: f32) -> f64 {
    let mut sum = Sum::default();
    sum.add_scores(scores, border);
    sum.value()
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
fn equally_weighted<S: Score>(block: &Block<'_, S>, finder: &BinFinder<'_>) -> Vec<Bin> {
    counted(block, finder).unwrap_or_else(|| in_order(block, finder))
}

/// Bits of a whole number that hold a score of 1, if scores are added up as such numbers, in units.
const UNIT_BITS: u32 = 45;
const UNITS: f64 = (1_u64 << UNIT_BITS) as f64;
/// From here on floats are whole numbers, so that what is added to it loses its fraction.
const WHOLE: f64 = (1_u64 << 52) as f64;
/// One row, counted above all units that a stride comes to.
const ROW: u64 = 1 << (UNIT_BITS + STRIDE.ilog2() + 1);
/// Tables that rows are added to in turn: in one they would wait for the row before, which is mostly in the same bin.
const TABLES: usize = 4;
/// Borders up to which each is compared with each score.
const FEW: usize = 31;
/// Where rows of either class are added up: for each bin first the others, then the positive ones.
const PLACES: usize = 2 * (FEW + 1);
/// Borders that a score is compared with at once.
const LANES: usize = 4;

/// The same as [`in_order`], where borders are few, and scores no more than 1 and whole numbers of units. Then no sum is
/// rounded before the last one of a block: a stride comes to 2⁵³ units at the most, and what the strides of a block lose
/// to fewer still. So scores may be added up in any order, and as whole numbers.
fn counted<S: Score>(block: &Block<'_, S>, finder: &BinFinder<'_>) -> Option<Vec<Bin>> {
    const { assert!(UNIT_BITS + BLOCK.ilog2() < u64::BITS && UNIT_BITS + STRIDE.ilog2() <= f64::MANTISSA_DIGITS) };
    if finder.borders.len() > FEW {
        return None;
    }
    let mut borders: Vec<S> = finder.borders.iter().map(|&border| at_most(border)).collect();
    borders.resize(borders.len().next_multiple_of(LANES), S::of(f64::INFINITY));
    let (mut units, mut places) = ([0; STRIDE], [0; STRIDE]);
    let (mut tables, mut sums) = ([[0; 1 << u8::BITS]; TABLES], [[0; PLACES]; 2]);
    for (labels, scores) in block.labels.chunks(STRIDE).zip(block.scores.chunks(STRIDE)) {
        if !units_of(scores, &mut units) {
            return None;
        }
        places_of(scores, &borders, &mut places);
        let rows = places.chunks(TABLES).zip(units.chunks(TABLES)).zip(labels.chunks(TABLES));
        for ((places, units), labels) in rows {
            for (at, &positive) in labels.iter().enumerate() {
                tables[at][usize::from(2 * places[at] + u8::from(positive))] += ROW + units[at];
            }
        }
        settle(&mut tables, &mut sums);
    }
    let [units, rows] = sums;
    let values = (0..=finder.borders.len()).map(|bin| {
        let [other, positive] = [2 * bin, 2 * bin + 1];
        let (all, positives) = ((rows[other] + rows[positive]) as f64, rows[positive] as f64);
        [all, all, positives, (units[other] + units[positive]) as f64 / UNITS, all]
    });
    Some(values.collect())
}

wide! {
    /// Takes what tables hold into sums of units and of rows.
    fn settle(tables: &mut [[u64; 1 << u8::BITS]; TABLES], sums: &mut [[u64; PLACES]; 2]) -> () = settle_any
}

#[inline(always)]
fn settle_any(tables: &mut [[u64; 1 << u8::BITS]; TABLES], [units, rows]: &mut [[u64; PLACES]; 2]) {
    for place in 0..PLACES {
        let mut own = 0;
        for table in tables.iter_mut() {
            own += table[place];
            table[place] = 0;
        }
        units[place] += own % ROW;
        rows[place] += own / ROW;
    }
}

/// The greatest number of scores' width that is no greater than a border: the same scores are above both.
fn at_most<S: Number>(border: f64) -> S {
    let near = S::of(border);
    if near.into() > border { S::of(f64::from((border as f32).next_down())) } else { near }
}

wide! {
    /// How many units each score comes to, and whether these are whole numbers, none below 0 and none above 1.
    fn units_of<S: Number>(scores: &[S], units: &mut [u64; STRIDE]) -> bool = units_of_any
}

#[inline(always)]
fn units_of_any<S: Number>(scores: &[S], units: &mut [u64; STRIDE]) -> bool {
    // What is wrong is gathered in bits, of which several are looked at at once.
    let (mut lost, mut beyond) = (0, 0);
    for (units, &score) in units.iter_mut().zip(scores) {
        let scaled = score.into() * UNITS;
        let whole = scaled + WHOLE;
        *units = whole.to_bits().wrapping_sub(WHOLE.to_bits());
        lost |= (whole - WHOLE - scaled).to_bits();
        beyond |= *units | (1_u64 << UNIT_BITS).wrapping_sub(*units);
    }
    lost == 0 && beyond >> 63 == 0
}

wide! {
    /// How many borders are less than each score.
    fn places_of<S: Score>(scores: &[S], borders: &[S], places: &mut [u8; STRIDE]) -> () = places_of_any
}

#[inline(always)]
fn places_of_any<S: Score>(scores: &[S], borders: &[S], places: &mut [u8; STRIDE]) {
    let mut below = [S::Count::default(); STRIDE];
    for &[a, b, c, d] in borders.as_chunks::<LANES>().0 {
        for (below, &score) in below.iter_mut().zip(scores) {
            let first = S::Count::from(a < score) + S::Count::from(b < score);
            *below += first + (S::Count::from(c < score) + S::Count::from(d < score));
        }
    }
    for (place, below) in places.iter_mut().zip(below) {
        let count: u64 = below.into();
        *place = count as u8;
    }
}

/// The same of scores in their order, stride by stride.
fn in_order<S: Number>(block: &Block<'_, S>, finder: &BinFinder<'_>) -> Vec<Bin> {
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
    fn scores_that_are_whole_numbers_of_units_come_to_the_same_bits_in_any_order() {
        fn check<S: Score>(scores: &[S], borders: &[f64], are_whole: bool) {
            let finder = BinFinder::new(borders);
            for rows in [1, STRIDE - 1, STRIDE, 3 * STRIDE + 2, scores.len()] {
                let labels: Vec<bool> = (0..rows).map(|row| row * row % 7 == 2).collect();
                let block = Block { labels: &labels, scores: &scores[..rows], weights: None };
                let bits =
                    |bins: Vec<Bin>| bins.into_iter().map(|bin| bin.map(f64::to_bits)).collect::<Vec<_>>();
                let expected = are_whole.then(|| bits(in_order(&block, &finder)));
                assert_eq!(counted(&block, &finder).map(bits), expected);
            }
        }
        let narrow = |row: usize| ((row * 7_919 % 10_007) as f32 / 10_006.0).powi(2);
        let scores: Vec<f32> = (0..BLOCK).map(|row| narrow(row).max(1e-6)).collect();
        let wide: Vec<f64> = scores.iter().map(|&score| f64::from(score)).collect();
        let even: Vec<_> = (1..FEW + 1).map(|i| i as f64 / (FEW + 1) as f64).collect();
        for borders in
            [&[], &[0.1][..], &even[..FEW - 1], &even, &[0.0, 0.5, 0.5, 1.0], &[f64::from(scores[3])]]
        {
            check(&scores, borders, true);
            check(&wide, borders, true);
        }
        check(&[1.0_f32; BLOCK], &even, true);
        check(&[[0.0_f32, -0.0]; BLOCK / 2].concat(), &even, true);
        let borders = [&even[..], &[1.0]].concat();
        check(&scores, &borders, false);
        for odd in [1e-9, -0.5, 1.25, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30] {
            let odd = [&[odd], &scores[..]].concat();
            check(&odd[..BLOCK], &even, false);
        }
        check(&[0.1; BLOCK], &even, false);
    }

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
