//! Resamples of the rows of a table: drawn with replacement, with random signs, and permuted within rows.
//!
//! Resample `r` draws from a generator of its own, seeded by the seed and `r`, and adds up in one order, so
//! that the sums depend neither on the number of threads nor on what else is in the table. All columns share
//! the resamples. No fused multiplication is used: every machine gives the same bits.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::core::hash::{GOLDEN, mix};
use crate::core::pool;
use crate::core::wide::wide;

/// Columns that are summed together.
const LANES: usize = 8;
/// Rows whose values stay in the first cache while the resamples of a group are summed.
const CHUNK: usize = 128;
/// Resamples that are summed in one pass over the values, which may not fit a cache.
const GROUP: usize = 32;
/// Resamples that share tables of sums of signs.
const BLOCK: usize = 2048;
/// Rows whose signs are the bits of one number.
const WORD: usize = 64;

/// What is resampled, and how often.
pub struct Resamples<'a> {
    /// The values, row by row; fewer than 2³² rows.
    pub values: &'a [f64],
    /// How many values a row has.
    pub columns: usize,
    /// The number of the first resample; earlier ones were drawn before.
    pub first: usize,
    /// How many resamples are drawn.
    pub resamples: usize,
    /// Draws them.
    pub seed: u64,
    /// Ends the work early; what has been made then is not right.
    pub cancelled: &'a AtomicBool,
}

/// Numbers that depend on the seed and the resample alone: SplitMix64 (Steele, Lea, Flood 2014).
pub struct Generator(pub u64);

impl Generator {
    fn new(seed: u64, resample: usize) -> Self {
        Self(mix(mix(seed) ^ resample as u64))
    }

    /// The number at a place.
    fn at(&self, place: usize) -> u64 {
        mix(self.0.wrapping_add(GOLDEN.wrapping_mul(place as u64)))
    }

    pub fn next(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        number
    }

    /// A number below `bound`; that some come up more often by `bound` / 2⁶⁴ shows in no sum.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 on and below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The sums of each column over as many rows as there are, drawn with replacement: `columns` a resample.
pub fn bootstrap_sums(
    &Resamples { values, columns, first, resamples, seed, cancelled }: &Resamples<'_>,
) -> Vec<f64> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    let tiles = tiles(values, columns);
    let groups = pool::map_init(
        resamples.div_ceil(GROUP),
        || vec![0; GROUP * rows],
        |counts: &mut Vec<u8>, group| {
            let numbers = first + group * GROUP..first + resamples.min((group + 1) * GROUP);
            let mut sums = vec![0.0; numbers.len() * columns];
            if rows == 0 || cancelled.load(Ordering::Relaxed) {
                return sums;
            }
            for (counts, number) in counts.chunks_exact_mut(rows).zip(numbers) {
                draw(&mut Generator::new(seed, number), counts);
            }
            add_counted(&tiles, counts, rows, columns, &mut sums);
            sums
        },
    );
    groups.concat()
}

/// The columns in tiles of [`LANES`], each row by row; what is missing in the last tile is 0.
fn tiles(values: &[f64], columns: usize) -> Vec<Vec<[f64; LANES]>> {
    let tile = |first: usize| {
        let row = |row: &[f64]| {
            let mut lanes = [0.0; LANES];
            let own = &row[first..columns.min(first + LANES)];
            lanes[..own.len()].copy_from_slice(own);
            lanes
        };
        values.chunks_exact(columns).map(row).collect()
    };
    (0..columns).step_by(LANES).map(tile).collect()
}

/// How often each row is drawn.
///
/// A count ends at 255, which more than 255 rows have with a probability below 1/256! < 10⁻⁵⁰⁶, and fewer
/// never.
fn draw(generator: &mut Generator, counts: &mut [u8]) {
    counts.fill(0);
    let rows = counts.len() as u64;
    // Without the rejected products every row has the same share of the 2³² halves: D. Lemire, "Fast random
    // integer generation in an interval", 2019.
    let rejected = (1 << 32) % rows;
    let mut left = counts.len();
    while left > 0 {
        let bits = generator.next();
        for half in [bits & 0xffff_ffff, bits >> 32] {
            let product = half * rows;
            if product & 0xffff_ffff >= rejected && left > 0 {
                let count = &mut counts[(product >> 32) as usize];
                *count = count.saturating_add(1);
                left -= 1;
            }
        }
    }
}

/// Adds to the sums of each resample every row's values, as often as they were drawn.
fn add_counted(tiles: &[Vec<[f64; LANES]>], counts: &[u8], rows: usize, columns: usize, sums: &mut [f64]) {
    let mut weights = [0.0; CHUNK];
    for start in (0..rows).step_by(CHUNK) {
        let chunk = start..rows.min(start + CHUNK);
        let weights = &mut weights[..chunk.len()];
        for (sums, counts) in sums.chunks_exact_mut(columns).zip(counts.chunks_exact(rows)) {
            let own = counts[chunk.clone()].iter();
            weights.iter_mut().zip(own).for_each(|(weight, &count)| *weight = f64::from(count));
            for (tile, sums) in tiles.iter().zip(sums.chunks_mut(LANES)) {
                let part = product(weights, &tile[chunk.clone()]);
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
    }
}

wide! {
    /// The sum of the values, each times its row's weight.
    fn product(weights: &[f64], values: &[[f64; LANES]]) -> [f64; LANES] = any_product
}

#[inline(always)]
fn any_product(weights: &[f64], values: &[[f64; LANES]]) -> [f64; LANES] {
    /// Sums that do not wait for each other.
    const SUMS: usize = 4;
    let mut sums = [[0.0; LANES]; SUMS];
    let (weights, last_weights) = weights.as_chunks::<SUMS>();
    let (values, last_values) = values.as_chunks::<SUMS>();
    for (weights, values) in weights.iter().zip(values) {
        for ((sum, weight), values) in sums.iter_mut().zip(weights).zip(values) {
            add(sum, *weight, values);
        }
    }
    for ((sum, weight), values) in sums.iter_mut().zip(last_weights).zip(last_values) {
        add(sum, *weight, values);
    }
    let [a, b, c, d] = sums;
    std::array::from_fn(|lane| (a[lane] + b[lane]) + (c[lane] + d[lane]))
}

#[inline(always)]
fn add(sums: &mut [f64; LANES], weight: f64, values: &[f64; LANES]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
}

/// How many sums of each column, when each row has a random sign, are at most `low` or at least `high`.
pub fn signed_counts(
    &Resamples { values, columns, first, resamples, seed, cancelled }: &Resamples<'_>,
    low: &[f64],
    high: &[f64],
) -> Vec<u64> {
    let blocks = resamples.div_ceil(BLOCK);
    let by_column: Vec<Vec<f64>> =
        (0..columns).map(|column| values.iter().skip(column).step_by(columns).copied().collect()).collect();
    let tasks = pool::map(columns * blocks, |task| {
        let (column, block) = (task / blocks, task % blocks);
        let numbers = first + block * BLOCK..first + resamples.min((block + 1) * BLOCK);
        let generators: Vec<Generator> = numbers.map(|number| Generator::new(seed, number)).collect();
        let sums = signed_block(&by_column[column], &generators, cancelled);
        sums.iter().filter(|&&sum| sum <= low[column] || sum >= high[column]).count() as u64
    });
    tasks.chunks(blocks.max(1)).map(|own| own.iter().sum()).collect()
}

/// The chance that the whole numbers with a plus sum up to `least` or more, if each has one with a half.
///
/// Every sum's chance is added up number by number; all that is added is positive, so that small chances are
/// as exact as great ones.
pub fn chance_of_sum(steps: &[u32], least: u64, cancelled: &AtomicBool) -> f64 {
    let mut steps = steps.to_vec();
    // Small ones first keep the range of sums small for long.
    steps.sort_unstable();
    let total: usize = steps.iter().map(|&step| step as usize).sum();
    let (mut chances, mut next) = (vec![0.0; total + 1], vec![0.0; total + 1]);
    chances[0] = 1.0;
    let mut reached = 0;
    for step in steps.into_iter().map(|step| step as usize) {
        if cancelled.load(Ordering::Relaxed) {
            break;
        }
        // Those with a minus stay, those with a plus move up by the step; beyond `reached` all is still 0.
        let stay = &chances[..=reached + step];
        next[..step].iter_mut().zip(stay).for_each(|(next, stay)| *next = 0.5 * stay);
        let moved = next[step..=reached + step].iter_mut().zip(&stay[step..]).zip(stay);
        moved.for_each(|((next, stay), moved)| *next = 0.5 * (stay + moved));
        reached += step;
        std::mem::swap(&mut chances, &mut next);
    }
    let least = usize::try_from(least).unwrap_or(usize::MAX).min(chances.len());
    chances[least..].iter().rev().sum()
}

/// The sums of one column in some resamples. Eight signs are one of 256 sums that a table has ready.
fn signed_block(column: &[f64], generators: &[Generator], cancelled: &AtomicBool) -> Vec<f64> {
    let mut sums = vec![0.0; generators.len()];
    let mut tables = [[0.0; 256]; WORD / 8];
    for (word, values) in column.chunks(WORD).enumerate() {
        if cancelled.load(Ordering::Relaxed) {
            break;
        }
        tables.fill([0.0; 256]);
        tables.iter_mut().zip(values.chunks(8)).for_each(|(table, values)| fill_signs(table, values));
        for (sum, generator) in sums.iter_mut().zip(generators) {
            let signs = generator.at(word).to_le_bytes();
            let parts = tables.iter().zip(signs).map(|(table, signs)| table[usize::from(signs)]);
            *sum += parts.fold(0.0, |sum, part| sum + part);
        }
    }
    sums
}

/// The sum of up to eight values for every choice of signs; bit `i` is the sign of value `i`.
fn fill_signs(table: &mut [f64; 256], values: &[f64]) {
    for (bit, value) in values.iter().enumerate() {
        let (minus, plus) = table.split_at_mut(1 << bit);
        for (minus, plus) in minus.iter_mut().zip(plus) {
            *plus = *minus + value;
            *minus -= value;
        }
    }
    // Bits beyond the last value change nothing.
    let filled = 1 << values.len();
    for place in filled..table.len() {
        table[place] = table[place % filled];
    }
}

/// How far apart the greatest and the least column sum are when each row is permuted: one value a resample.
pub fn permuted_ranges(
    &Resamples { values, columns, first, resamples, seed, cancelled }: &Resamples<'_>,
) -> Vec<f64> {
    pool::map_init(
        resamples,
        || (vec![0.0; columns], vec![0.0; columns]),
        |(sums, row), number| {
            if cancelled.load(Ordering::Relaxed) {
                return 0.0;
            }
            let mut generator = Generator::new(seed, first + number);
            sums.fill(0.0);
            for values in values.chunks_exact(columns.max(1)) {
                row.copy_from_slice(values);
                for last in (1..columns).rev() {
                    row.swap(last, generator.below(last + 1));
                }
                sums.iter_mut().zip(row.iter()).for_each(|(sum, value)| *sum += value);
            }
            let greatest = sums.iter().fold(f64::NEG_INFINITY, |greatest, &sum| sum.max(greatest));
            greatest - sums.iter().fold(f64::INFINITY, |least, &sum| sum.min(least))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    static ON: AtomicBool = AtomicBool::new(false);

    fn of(values: &[f64], columns: usize, resamples: usize, seed: u64) -> Resamples<'_> {
        Resamples { values, columns, first: 0, resamples, seed, cancelled: &ON }
    }

    #[test]
    fn as_many_rows_are_drawn_as_there_are() {
        for rows in [1, 2, 3, 255, 256, 257, 1000] {
            let mut counts = vec![9; rows];
            draw(&mut Generator::new(7, 3), &mut counts);
            assert_eq!(counts.iter().map(|&count| usize::from(count)).sum::<usize>(), rows);
        }
    }

    #[test]
    fn sums_are_of_the_rows_drawn() {
        let (rows, columns, resamples) = (601, 11, 19);
        let values: Vec<f64> = (0..rows * columns).map(|i| (i * i % 97) as f64).collect();
        let sums = bootstrap_sums(&of(&values, columns, resamples, 5));
        assert_eq!(sums.len(), resamples * columns);
        for number in 0..resamples {
            let mut counts = vec![0; rows];
            draw(&mut Generator::new(5, number), &mut counts);
            for column in 0..columns {
                let expected: f64 =
                    (0..rows).map(|row| f64::from(counts[row]) * values[row * columns + column]).sum();
                assert_eq!(sums[number * columns + column], expected);
            }
        }
    }

    #[test]
    fn every_row_has_its_sign() {
        let (rows, columns) = (131, 3);
        let values: Vec<f64> = (0..rows * columns).map(|i| (i * i % 97) as f64).collect();
        for number in [0, 1, BLOCK - 1, BLOCK, BLOCK + 4] {
            let generator = Generator::new(5, number);
            for column in 0..columns {
                let signed = |row: usize| {
                    let plus = generator.at(row / WORD) >> (row % WORD) & 1 == 1;
                    let value = values[row * columns + column];
                    if plus { value } else { -value }
                };
                let own: Vec<f64> = (0..rows).map(|row| values[row * columns + column]).collect();
                let sums = signed_block(&own, &[Generator::new(5, number)], &ON);
                assert_eq!(sums, [(0..rows).map(signed).sum::<f64>()]);
            }
        }
    }

    #[test]
    fn what_is_drawn_on_is_what_would_be_drawn_at_once() {
        let (columns, resamples) = (3, 2 * BLOCK + 5);
        let values: Vec<f64> = (0..70 * columns).map(|i| (i * i % 97) as f64).collect();
        let (low, high) = (vec![f64::NEG_INFINITY, -50.0, -300.0], vec![100.0, f64::INFINITY, 300.0]);
        let whole = of(&values, columns, resamples, 5);
        let some = |first, resamples| {
            signed_counts(&Resamples { first, resamples, ..of(&values, columns, 0, 5) }, &low, &high)
        };
        let (before, after) = (some(0, 100), some(100, resamples - 100));
        let added: Vec<u64> = before.iter().zip(&after).map(|(one, other)| one + other).collect();
        assert_eq!(signed_counts(&whole, &low, &high), added);
        assert!(added.iter().all(|&count| 0 < count && count < resamples as u64));
    }

    #[test]
    fn chances_of_sums_are_those_of_all_signs() {
        let steps = [3, 0, 1, 7, 3, 2];
        for least in 0..18 {
            let sums = (0..64_u32)
                .map(|signs| steps.iter().enumerate().map(|(i, step)| (signs >> i & 1) * step).sum::<u32>());
            let expected = sums.filter(|&sum| sum >= least).count() as f64 / 64.0;
            assert_eq!(chance_of_sum(&steps, u64::from(least), &ON), expected);
        }
        assert_eq!(chance_of_sum(&[], 0, &ON), 1.0);
        assert_eq!(chance_of_sum(&[], 1, &ON), 0.0);
    }

    #[test]
    fn a_permutation_keeps_the_rows() {
        // Two columns: each row adds its difference with a sign to that of the sums.
        let ranges = permuted_ranges(&of(&[1.0, 0.0, 2.0, 0.0, 4.0, 0.0], 2, 200, 1));
        assert!(ranges.iter().all(|range| [1.0, 3.0, 5.0, 7.0].contains(range)));
        assert!([1.0, 3.0, 5.0, 7.0].iter().all(|range| ranges.contains(range)));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let values: Vec<f64> = (0..900).map(|i| f64::from(i * 7 % 31) / 3.0).collect();
        let all = || {
            let sums = bootstrap_sums(&of(&values, 3, 100, 2));
            let counts = signed_counts(&of(&values, 3, 5000, 2), &[-1.0; 3], &[1.0; 3]);
            let counts = counts.into_iter().map(|count| count as f64).collect();
            [sums, counts, permuted_ranges(&of(&values, 3, 100, 2))].concat()
        };
        assert_eq!(pool::pool(1).unwrap().install(all), pool::pool(3).unwrap().install(all));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(bootstrap_sums(&of(&[], 2, 3, 0)), [0.0; 6]);
        assert!(bootstrap_sums(&of(&[], 0, 3, 0)).is_empty());
        assert_eq!(signed_counts(&of(&[], 2, 3, 0), &[-1.0, 0.0], &[1.0; 2]), [0, 3]);
    }
}
