//! Probabilities beside what happened: sums over bins, and one step of logistic regression.

use crate::error::Result;
use crate::rows::{Rows, sums};
use crate::values::Sum;

/// What the rows of a bin come to: how many they are, and the sums of weights, of those of positive rows, of
/// weighted scores, and of squared weights.
pub type Bin = [f64; 5];

/// The rows between borders, which rise: a bin ends with its upper border, and begins above its lower one.
///
/// There is one bin more than there are borders.
pub fn bins(rows: &Rows, borders: &[f64]) -> Result<Vec<Bin>> {
    let empty = || -> Vec<[Sum; 5]> { (0..=borders.len()).map(|_| Default::default()).collect() };
    let blocks = rows.blocks(|block, _| {
        let mut bins = empty();
        for (positive, score, weight) in block.rows() {
            let bin = &mut bins[borders.partition_point(|&border| border < score)];
            let terms = [1.0, weight, if positive { weight } else { 0.0 }, weight * score, weight * weight];
            bin.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
        }
        bins.iter().map(|sums| std::array::from_fn(|at| sums[at].value())).collect::<Vec<Bin>>()
    })?;
    let mut all = empty();
    for block in &blocks {
        for (bin, own) in all.iter_mut().zip(block) {
            bin.iter_mut().zip(own).for_each(|(sum, &term)| sum.add(term));
        }
    }
    Ok(all.iter().map(|sums| std::array::from_fn(|at| sums[at].value())).collect())
}

/// ln(p / (1 − p)), as far from 0 as `most` at most.
fn logit(p: f64, most: f64) -> f64 {
    (p / (1.0 - p)).ln().clamp(-most, most)
}

/// The log odds of a probability that is `clip` away from 1.
fn greatest(clip: f64) -> f64 {
    ((1.0 - clip) / clip).ln()
}

/// The least and the greatest log odds of the positive rows that have a weight, and of the others.
pub fn ranges(rows: &Rows, clip: f64) -> Result<[f64; 4]> {
    let none = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    let blocks = rows.blocks(|block, _| {
        block.rows().filter(|&(_, _, weight)| weight > 0.0).fold(none, |mut range, (positive, p, _)| {
            let own = if positive { &mut range[..2] } else { &mut range[2..] };
            own[0] = own[0].min(p);
            own[1] = own[1].max(p);
            range
        })
    })?;
    let all = blocks
        .into_iter()
        .fold(none, |a, b| [a[0].min(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].max(b[3])]);
    Ok(all.map(|p| logit(p, greatest(clip))))
}

/// Of the model logit(q) = intercept + slope · (logit(p) − center), weighted: the log-likelihood of the labels,
/// its derivatives by intercept and slope, and those of second order, with their signs changed.
pub fn logistic(rows: &Rows, intercept: f64, slope: f64, center: f64, clip: f64) -> Result<[f64; 6]> {
    let most = greatest(clip);
    sums(rows, |positive, _, p, weight| {
        let odds = logit(p, most) - center;
        let linear = intercept + slope * odds;
        // e^−|x| cannot overflow, and keeps the digits of a small q or 1 − q.
        let small = (-linear.abs()).exp();
        let (likely, unlikely) = (1.0 / (1.0 + small), small / (1.0 + small));
        let (q, other) = if linear >= 0.0 { (likely, unlikely) } else { (unlikely, likely) };
        let given = if positive { linear } else { -linear };
        let log = given.min(0.0) - small.ln_1p();
        let error = weight * if positive { other } else { -q };
        let bend = weight * q * other;
        [weight * log, error, error * odds, bend, bend * odds, bend * odds * odds]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_are_kept_finite() {
        assert_eq!(logit(0.5, 2.0), 0.0);
        assert_eq!((logit(0.0, 2.0), logit(1.0, 2.0)), (-2.0, 2.0));
        assert!((greatest(1e-3) - logit(0.999, f64::INFINITY)).abs() < 1e-12);
    }
}
