//! The log odds of probabilities, and the likelihood of logistic models of them.

use crate::core::rows::bins::Cells;
use crate::core::rows::ranked_scores::{Element, RankedScores, Run, Threshold};
use crate::core::sums::{STRIDE, Sum};
use crate::core::wide::wide;

/// ln(p / (1 − p)), as far from 0 as `most` at most.
fn logit(p: f64, most: f64) -> f64 {
    (p / (1.0 - p)).ln().clamp(-most, most)
}

/// The log odds of a probability that is `clip` away from 1.
fn greatest(clip: f64) -> f64 {
    ((1.0 - clip) / clip).ln()
}

/// Cells that log odds are told apart by.
const CELLS: usize = 1 << 12;
/// Moments of a cell, from that of degree 0, the sum of weights.
const MOMENTS: usize = 8;
/// Strides whose moments are summed up side by side.
const LANES: usize = 4;
/// What the linear predictor may differ by from the middle of a cell to its border. The series of ln(1 + eˣ) has
/// the radius π, so that what is left out is (1/32 / π)⁸ of what is summed up: nothing that a float could hold.
const NEAR: f64 = 1.0 / 32.0;
/// Rows below which there are no cells: to look at each threshold is as quick then.
const FEW: usize = 1 << 14;

/// The weighted sums of the powers of what log odds differ by from the middle of their cell, in half widths.
type Moments = [f64; MOMENTS];

/// The log odds of all rows, in cells so narrow that moments tell what a logistic model makes of the rows in them.
pub struct LogOdds {
    /// The least and the greatest log odds of the positive rows that have a weight, and of the others.
    pub ranges: [f64; 4],
    clip: f64,
    /// The moments in each cell, of the rows that are not positive and of those that are; no cells where all rows
    /// are looked at.
    cells: Vec<[Moments; 2]>,
}

/// How cells lie: symmetrically about 0, so that a model of the opposite labels is the opposite one.
struct Grid {
    cells: Cells,
    clip: f64,
    most: f64,
    half: f64,
}

impl Grid {
    fn new(clip: f64) -> Self {
        let most = greatest(clip);
        Self { cells: Cells::new(-most, most, CELLS), clip, most, half: most / CELLS as f64 }
    }

    fn of(&self, p: f64) -> usize {
        self.cells.of(logit(p, self.most))
    }

    fn middle(&self, cell: usize) -> f64 {
        ((2 * cell + 1) as f64 - CELLS as f64) * self.half
    }

    /// The moments of rows that are all in one cell.
    fn moments<E: Element>(&self, cell: usize, rows: Run<'_, E>) -> [Moments; 2] {
        let cell = Cell::new(self, cell);
        let (mut moments, mut beside, mut alone) = ([Moments::default(); 2], Beside::new(), Beside::new());
        for strides in rows.strides(LANES * STRIDE) {
            if strides.elements().len() > STRIDE {
                add_lanes(&mut moments, moments_of(strides, &cell, &mut beside));
            } else {
                // Lanes that have no rows would take as long.
                add_lanes(&mut moments, moments_of_one(strides, &cell, &mut alone));
            }
        }
        moments
    }
}

/// Strides of rows side by side: none waits for the sum of another. As little of them as stays in the nearest cache.
struct Beside<E, const N: usize> {
    /// The rows; a default one where there is none.
    rows: [[E; N]; STRIDE],
    /// What their log odds differ by from the middle; nothing where there is no row.
    away: [[f64; N]; STRIDE],
}

impl<E: Element, const N: usize> Beside<E, N> {
    fn new() -> Self {
        Self { rows: [[E::default(); N]; STRIDE], away: [[0.0; N]; STRIDE] }
    }
}

/// The moments of several strides, of both classes.
type OfLanes<const N: usize> = [[[f64; N]; MOMENTS]; 2];

wide! {
    /// The moments of several strides of some rows.
    fn moments_of<E: Element>(run: Run<'_, E>, cell: &Cell, own: &mut Beside<E, LANES>) -> OfLanes<LANES>
        = moments_of_any
}
wide! {
    /// The same of one stride.
    fn moments_of_one<E: Element>(run: Run<'_, E>, cell: &Cell, own: &mut Beside<E, 1>) -> OfLanes<1>
        = moments_of_any
}

#[inline(always)]
fn moments_of_any<E: Element, const N: usize>(
    run: Run<'_, E>,
    cell: &Cell,
    own: &mut Beside<E, N>,
) -> OfLanes<N> {
    let elements = run.elements();
    let length = elements.len().min(STRIDE);
    let in_lane = |lane: usize| elements.len().saturating_sub(lane * STRIDE).min(STRIDE);
    let (rows, away) = (&mut own.rows[..length], &mut own.away[..length]);
    for (lane, stride) in elements.chunks(STRIDE).take(N).enumerate() {
        for (places, &row) in rows.iter_mut().zip(stride) {
            places[lane] = row;
        }
    }
    for lane in 0..N {
        for places in &mut rows[in_lane(lane).min(length)..] {
            places[lane] = E::default();
        }
    }
    // Loops are sure to become part of this function, which may use all that the processor has.
    match (cell.upper, cell.inner) {
        (false, false) => away_of::<E, N, false, false>(run, cell, rows, away),
        (false, true) => away_of::<E, N, false, true>(run, cell, rows, away),
        (true, false) => away_of::<E, N, true, false>(run, cell, rows, away),
        (true, true) => away_of::<E, N, true, true>(run, cell, rows, away),
    }
    for lane in 0..N {
        for places in &mut away[in_lane(lane).min(length)..] {
            places[lane] = 0.0;
        }
    }
    let [mut others, positives] = [sums_of::<E, N, false>(rows, away), sums_of::<E, N, true>(rows, away)];
    if E::EQUAL {
        for (lane, (others, positives)) in others[0].iter_mut().zip(positives[0]).enumerate() {
            *others = in_lane(lane) as f64 - positives;
        }
    }
    [others, positives]
}

#[inline(always)]
fn away_of<E: Element, const N: usize, const UPPER: bool, const INNER: bool>(
    run: Run<'_, E>,
    cell: &Cell,
    rows: &[[E; N]],
    away: &mut [[f64; N]],
) {
    for (away, &row) in away.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
        *away = cell.tangent::<UPPER, INNER>(run.score(row));
    }
    // In a loop of its own: one chain of all that a row takes would be too long for others to be begun meanwhile.
    for away in away.as_flattened_mut() {
        *away = cell.away(*away);
    }
}

/// The sums of one class; where rows weigh 1 that of degree 0 counts what is no row, too, unless the class is positive.
#[inline(always)]
fn sums_of<E: Element, const N: usize, const POSITIVE: bool>(
    rows: &[[E; N]],
    away: &[[f64; N]],
) -> [[f64; N]; MOMENTS] {
    let mut sums = [[0.0; N]; MOMENTS];
    for (rows, away) in rows.iter().zip(away) {
        for lane in 0..N {
            let weight = if rows[lane].positive() == POSITIVE { rows[lane].weight() } else { 0.0 };
            // Weights of 1 and 0 are the same as their powers, and weigh all of them at once.
            let first = if E::EQUAL { weight * away[lane] } else { away[lane] };
            let (second, fourth) = (first * first, first * first * (first * first));
            let third = second * first;
            let powers = [1.0, first, second, third, fourth, fourth * first, fourth * second, fourth * third];
            for degree in 0..MOMENTS {
                let weighed = E::EQUAL && degree > 0;
                sums[degree][lane] += if weighed { powers[degree] } else { weight * powers[degree] };
            }
        }
    }
    sums
}

/// Where log odds of a cell are taken from.
struct Cell {
    clip: f64,
    upper: bool,
    /// Whether it is so far from both ends that no probability in it has to be kept away from these.
    inner: bool,
    /// The probability at the middle, and 1 less it: of probabilities near 1 the digits are in 1 − p.
    center: f64,
    unlikely: f64,
    halves: f64,
}

impl Cell {
    fn new(grid: &Grid, cell: usize) -> Self {
        let middle = grid.middle(cell);
        let (center, unlikely) = (1.0 / (1.0 + (-middle).exp()), 1.0 / (1.0 + middle.exp()));
        let (upper, inner) = (middle > 0.0, middle.abs() < grid.most / 2.0);
        Self { clip: grid.clip, upper, inner, center, unlikely, halves: 2.0 / grid.half }
    }

    /// The hyperbolic tangent of half of what the log odds of a probability differ by from the middle.
    #[inline(always)]
    fn tangent<const UPPER: bool, const INNER: bool>(&self, score: f64) -> f64 {
        let kept = |p: f64| if INNER { p } else { p.clamp(self.clip, 1.0 - self.clip) };
        let (p, other) = (kept(score), kept(1.0 - score));
        let apart = if UPPER { self.unlikely - other } else { p - self.center };
        apart / (p * self.unlikely + self.center * other)
    }

    /// What log odds differ by from the middle, in half widths, by that tangent.
    #[inline(always)]
    fn away(&self, tangent: f64) -> f64 {
        // The difference is 2 · artanh of it, which is so small that four terms do.
        let square = tangent * tangent;
        self.halves * tangent * (1.0 + square * (1.0 / 3.0 + square * (0.2 + seventh(square))))
    }
}

/// A seventh of a number that is 0 or far from the least that there are, to the same bits as divided by 7, in less time.
///
/// What the product lacks times 7 is exact, since both differences are of numbers of which neither is more than twice the
/// other. It is a whole number of units in the product's last place, so that a seventh of it is not near half of one.
#[inline(always)]
fn seventh(number: f64) -> f64 {
    const SEVENTH: f64 = 1.0 / 7.0;
    let near = number * SEVENTH;
    let lacking = (number - 8.0 * near) + near;
    near + lacking * SEVENTH
}

fn add_lanes<const N: usize>(moments: &mut [Moments; 2], lanes: OfLanes<N>) {
    for lane in 0..N {
        add(moments, &lanes.map(|of_class| of_class.map(|sums| sums[lane])));
    }
}

fn add(moments: &mut [Moments; 2], others: &[Moments; 2]) {
    moments.as_flattened_mut().iter_mut().zip(others.as_flattened()).for_each(|(sum, moment)| *sum += moment);
}

impl LogOdds {
    /// Looks at all rows once.
    pub fn new<E: Element>(ranked: &RankedScores<E>, clip: f64) -> Self {
        let grid = Grid::new(clip);
        let rows = || ranked.rows().filter(|&(_, _, weight)| weight > 0.0);
        let odds = |row: Option<(bool, f64, f64)>, none| row.map_or(none, |(_, p, _)| logit(p, grid.most));
        let range = |class: bool| {
            let of_class = |&(positive, ..): &(bool, f64, f64)| positive == class;
            [odds(rows().rfind(of_class), f64::INFINITY), odds(rows().find(of_class), f64::NEG_INFINITY)]
        };
        let ([a, b], [c, d]) = (range(true), range(false));
        let mut cells = Vec::new();
        // In cells that are too wide four terms are too few, and in cells that are too narrow rounding decides.
        if ranked.len() >= FEW && (1e-9..NEAR).contains(&grid.half) {
            cells = vec![Default::default(); CELLS];
            let runs = ranked.runs(|p| grid.of(p), |cell, rows| grid.moments(cell, rows));
            runs.iter().for_each(|(cell, own)| add(&mut cells[*cell], own));
        }
        Self { ranges: [a, b, c, d], clip, cells }
    }

    /// Of the model logit(q) = intercept + slope · (logit(p) − center), weighted: the log-likelihood of the
    /// labels, its derivatives by intercept and slope, and those of second order, with their signs changed.
    ///
    /// It is made of the cells, or of all thresholds where there are no cells or the slope is too steep.
    pub fn logistic<E: Element>(&self, ranked: &RankedScores<E>, model: Model) -> [f64; 6] {
        let grid = Grid::new(self.clip);
        if self.cells.is_empty() || (model.slope * grid.half).abs() > NEAR {
            return logistic(ranked, model, grid.most);
        }
        let mut sums: [Sum; 6] = Default::default();
        for (cell, moments) in self.cells.iter().enumerate() {
            let odds = grid.middle(cell) - model.center;
            for (moments, sign) in moments.iter().zip([1.0, -1.0]) {
                if moments[0] == 0.0 {
                    continue;
                }
                let linear = model.intercept + model.slope * odds;
                let [loss, error, error_away, bend, bend_away, bend_away2] =
                    of_cell(moments, sign * linear, sign * model.slope * grid.half);
                let terms = [
                    -loss,
                    -sign * error,
                    -sign * (error * odds + error_away * grid.half),
                    bend,
                    bend * odds + bend_away * grid.half,
                    (bend * odds + 2.0 * bend_away * grid.half) * odds + bend_away2 * grid.half * grid.half,
                ];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
            }
        }
        sums.map(|sum| sum.value())
    }
}

/// A logistic model of log odds.
#[derive(Clone, Copy)]
pub struct Model {
    /// The log odds that it gives to the center.
    pub intercept: f64,
    /// What it multiplies what is beyond the center by.
    pub slope: f64,
    /// What log odds are taken from.
    pub center: f64,
}

/// Of x = middle + step · t, for the moments of t: the sums of ln(1 + eˣ), of its derivative and that times t, and
/// of its second derivative and that times t and t².
fn of_cell(moments: &[f64; MOMENTS], middle: f64, step: f64) -> [f64; 6] {
    // The series of q = 1 / (1 + e⁻ˣ), of which q′ = q · (1 − q), so that each coefficient gives the next.
    let small = (-middle.abs()).exp();
    let (likely, unlikely) = (1.0 / (1.0 + small), small / (1.0 + small));
    let (q, other) = if middle >= 0.0 { (likely, unlikely) } else { (unlikely, likely) };
    let mut series = [q; MOMENTS + 1];
    series[1] = q * other;
    for n in 1..MOMENTS {
        let products: f64 = (1..n).map(|i| series[i] * series[n - i]).sum();
        series[n + 1] = (series[n] * (other - q) - products) / (n + 1) as f64;
    }
    let mut sums = [moments[0] * (middle.max(0.0) + small.ln_1p()), 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut power = 1.0;
    for n in 0..MOMENTS {
        let (q, bend) = (power * series[n], power * (n + 1) as f64 * series[n + 1]);
        let moment = |degree: usize| moments.get(degree).copied().unwrap_or(0.0);
        power *= step;
        sums[0] += q * step / (n + 1) as f64 * moment(n + 1);
        sums[1] += q * moment(n);
        sums[2] += q * moment(n + 1);
        sums[3] += bend * moment(n);
        sums[4] += bend * moment(n + 1);
        sums[5] += bend * moment(n + 2);
    }
    sums
}

/// The same as [`LogOdds::logistic`], of all thresholds one by one.
fn logistic<E: Element>(ranked: &RankedScores<E>, model: Model, most: f64) -> [f64; 6] {
    ranked.sums(|Threshold { score, own: (positives, others), .. }| {
        let odds = logit(score, most) - model.center;
        let linear = model.intercept + model.slope * odds;
        // e^−|x| cannot overflow, and keeps the digits of a small q or 1 − q.
        let small = (-linear.abs()).exp();
        let (likely, unlikely) = (1.0 / (1.0 + small), small / (1.0 + small));
        let (q, other) = if linear >= 0.0 { (likely, unlikely) } else { (unlikely, likely) };
        let log =
            positives * linear.min(0.0) + others * (-linear).min(0.0) - (positives + others) * small.ln_1p();
        let error = positives * other - others * q;
        let bend = (positives + others) * q * other;
        [log, error, error * odds, bend, bend * odds, bend * odds * odds]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::rows::ranked_scores::Weighted;
    use crate::core::scores::Score;

    #[test]
    fn a_seventh_is_what_division_by_7_gives() {
        let mut bits = 1_u64;
        for _ in 0..1_000_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let fraction = f64::from_bits(1.0_f64.to_bits() | bits >> 12);
            for number in [fraction, fraction * 1e-30, (fraction * 1e15).floor() * 7.0] {
                for near in [number.next_down(), number, number.next_up()] {
                    assert_eq!(seventh(near).to_bits(), (near / 7.0).to_bits(), "{near:e}");
                }
            }
        }
        for exponent in -400..400 {
            let power = 2.0_f64.powi(exponent);
            for number in [power, 7.0 * power, (7.0 * power).next_down(), (7.0 * power).next_up()] {
                assert_eq!(seventh(number).to_bits(), (number / 7.0).to_bits());
            }
        }
        assert_eq!(seventh(0.0).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn log_odds_are_kept_finite() {
        assert_eq!(logit(0.5, 2.0), 0.0);
        assert_eq!((logit(0.0, 2.0), logit(1.0, 2.0)), (-2.0, 2.0));
        assert!((greatest(1e-3) - logit(0.999, f64::INFINITY)).abs() < 1e-12);
    }

    #[test]
    fn strides_side_by_side_come_to_the_same_bits() {
        fn check<E: Element>(count: usize) {
            let (grid, p) = (Grid::new(1e-15), 0.21);
            let code = |row: usize| p.code() + row as u64 * (1 << 30);
            let elements: Vec<E> = (0..count)
                .map(|row| E::new(code(row) - p.code(), row * row % 7 == 3, 1.0 / (row % 5 + 1) as f64))
                .collect();
            let (run, own) = (Run::new(&elements, p.code(), false), grid.of(p));
            let (cell, mut expected) = (Cell::new(&grid, own), [Moments::default(); 2]);
            for stride in run.strides(STRIDE) {
                let mut plain = [Moments::default(); 2];
                for (positive, score, weight) in stride.rows() {
                    let tangent = if cell.upper {
                        cell.tangent::<true, false>(score)
                    } else {
                        cell.tangent::<false, false>(score)
                    };
                    let first = cell.away(tangent);
                    let (second, fourth) = (first * first, first * first * (first * first));
                    let third = second * first;
                    let powers =
                        [1.0, first, second, third, fourth, fourth * first, fourth * second, fourth * third];
                    let sums = plain[usize::from(positive)].iter_mut();
                    sums.zip(powers).for_each(|(sum, power)| *sum += weight * power);
                }
                add(&mut expected, &plain);
            }
            assert_eq!(
                grid.moments(own, run).map(|of| of.map(f64::to_bits)),
                expected.map(|of| of.map(f64::to_bits))
            );
        }
        for count in [1, 7, 255, 256, 257, 1_023, 1_024, 1_025, 2_500] {
            check::<u64>(count);
            check::<Weighted>(count);
        }
    }

    #[test]
    fn moments_of_a_cell_tell_what_its_rows_come_to() {
        let rows = [(1.0, -1.0), (0.5, -0.3), (2.0, 0.7), (3.0, 1.0)];
        let moments = std::array::from_fn(|degree| {
            rows.iter().map(|&(weight, away): &(f64, f64)| weight * away.powi(degree as i32)).sum()
        });
        for middle in [-40.0, -3.0, 0.0, 0.5, 40.0] {
            for step in [NEAR, -NEAR, NEAR / 100.0] {
                let (mut expected, mut sizes) = ([0.0; 6], [0.0; 6]);
                for (weight, away) in rows {
                    let x: f64 = middle + step * away;
                    let (q, other) = (1.0 / (1.0 + (-x).exp()), 1.0 / (1.0 + x.exp()));
                    let loss = x.max(0.0) + (-x.abs()).exp().ln_1p();
                    let terms = [loss, q, q * away, q * other, q * other * away, q * other * away * away];
                    expected.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
                    sizes.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term.abs());
                }
                // Of second derivatives fewer terms of the series are there; they only lead to the solution.
                let tolerances = [1e-14, 1e-14, 1e-13, 1e-13, 1e-12, 1e-11];
                let found = of_cell(&moments, middle, step);
                for degree in 0..6 {
                    let difference = (found[degree] - expected[degree]).abs() / sizes[degree];
                    assert!(difference < tolerances[degree], "{middle} {step} {degree}: {difference}");
                }
            }
        }
    }
}
