//! Coefficients that most people ask for, of lists without equal scores, computed as their pages in Python compute them,
//! to the last bit.

use crate::core::lists::pairs::Pairs;
use crate::core::lists::segments::segments;
use crate::core::standing::lower_before;

/// A coefficient of the first items of two lists, without equal scores.
pub struct Coefficient {
    /// What is computed.
    pub kind: Kind,
    /// How many items of each list are looked at.
    pub cutoff: Option<i64>,
}

/// What is computed of two lists.
pub enum Kind {
    /// The common items as a share of those of either list.
    Jaccard,
    /// The same as a share of the longer list, or of the `shorter`.
    Overlap {
        /// Of which.
        shorter: bool,
    },
    /// Kendall's τ of the common items.
    Tau,
    /// AP correlation of the common items, the first list being the reference.
    TauAp,
    /// Rank-biased overlap, extrapolated.
    Rbo {
        /// The weight of each depth from 1 on.
        weights: Vec<f64>,
        /// The chance to go on beyond each depth from 1 on; of lists with more depths nothing is computed.
        beyond: Vec<f64>,
    },
}

/// The values of coefficients, each of each query, or None of those that are not computed of these lists; for None
/// among the coefficients there is None.
pub fn compute(coefficients: &[Option<&Coefficient>], pairs: &Pairs) -> Vec<Option<Vec<f64>>> {
    if pairs.are_tied {
        return coefficients.iter().map(|_| None).collect();
    }
    let longest = longest(&pairs.a.offsets).max(longest(&pairs.b.offsets));
    let mut tops = tops(coefficients);
    let mut values: Vec<_> = coefficients
        .iter()
        .map(|each| each.filter(|each| each.reaches(longest)).map(|each| (each, Vec::new())))
        .collect();
    let mut working = Working::default();
    let lengths = lengths(&pairs.a.offsets).zip(lengths(&pairs.b.offsets));
    for (rows, lengths) in segments(&pairs.offsets).zip(lengths) {
        let (rank_a, rank_b) = (&pairs.rank_a[rows.clone()], &pairs.rank_b[rows]);
        tops.iter_mut().for_each(|top| top.take(rank_a, rank_b, lengths));
        for (each, values) in values.iter_mut().flatten() {
            let top = tops.iter().find(|top| top.cutoff == each.cutoff).expect("one of each cutoff");
            values.push(each.kind.of(top, &mut working));
        }
    }
    values.into_iter().map(|each| each.map(|(_, values)| values)).collect()
}

fn lengths(offsets: &[i64]) -> impl Iterator<Item = i64> {
    offsets.windows(2).map(|border| border[1] - border[0])
}

fn longest(offsets: &[i64]) -> i64 {
    lengths(offsets).max().unwrap_or(0)
}

impl Coefficient {
    /// Whether it is computed of lists that are this long.
    fn reaches(&self, longest: i64) -> bool {
        match &self.kind {
            Kind::Rbo { beyond, .. } => {
                self.cutoff.map_or(longest, |cutoff| cutoff.min(longest)) <= beyond.len() as i64
            }
            _ => true,
        }
    }

    fn counts(&self) -> bool {
        matches!(self.kind, Kind::Tau | Kind::TauAp)
    }
}

/// The first items of the lists of a query.
struct Top {
    cutoff: Option<i64>,
    /// Whether the common items are counted that stand before others in both.
    is_counted: bool,
    /// How many items each list has.
    a: usize,
    b: usize,
    /// The ranks of the common items, by the first.
    rank_a: Vec<u32>,
    rank_b: Vec<u32>,
    /// How many other common items are better than each in both.
    better: Vec<u32>,
}

/// Those that some coefficients look at, one of each cutoff.
fn tops(coefficients: &[Option<&Coefficient>]) -> Vec<Top> {
    let mut tops: Vec<Top> = Vec::new();
    for each in coefficients.iter().flatten() {
        match tops.iter_mut().find(|top| top.cutoff == each.cutoff) {
            Some(top) => top.is_counted |= each.counts(),
            None => tops.push(Top {
                cutoff: each.cutoff,
                is_counted: each.counts(),
                a: 0,
                b: 0,
                rank_a: Vec::new(),
                rank_b: Vec::new(),
                better: Vec::new(),
            }),
        }
    }
    tops
}

impl Top {
    /// Takes the next query.
    fn take(&mut self, rank_a: &[u32], rank_b: &[u32], (a, b): (i64, i64)) {
        let cutoff = self.cutoff.unwrap_or(i64::MAX);
        (self.a, self.b) = (a.min(cutoff) as usize, b.min(cutoff) as usize);
        self.rank_a.clear();
        self.rank_b.clear();
        if a.max(b) <= cutoff {
            self.rank_a.extend_from_slice(rank_a);
            self.rank_b.extend_from_slice(rank_b);
        } else {
            let is_here = |&rank: &u32| i64::from(rank) <= cutoff;
            let first = rank_a.iter().zip(rank_b).take_while(|(rank, _)| is_here(rank));
            for (&rank_a, &rank_b) in first.filter(|(_, rank)| is_here(rank)) {
                self.rank_a.push(rank_a);
                self.rank_b.push(rank_b);
            }
        }
        if self.is_counted {
            lower_before(&self.rank_b, &mut self.better);
        }
    }
}

/// The working memory of all coefficients.
#[derive(Default)]
struct Working {
    /// Of each depth, from 0, how many common items there are down to it.
    items: Vec<u32>,
    /// The differences of the harmonic numbers, from the 0th and 1st on.
    inverse: Vec<f64>,
    /// The last harmonic number of these.
    harmonic: f64,
}

impl Working {
    /// Of each depth to the last how many of some items are found down to it.
    fn count_to(&mut self, depths: impl Iterator<Item = u32>, last: usize) {
        self.items.clear();
        self.items.resize(last + 1, 0);
        depths.for_each(|depth| self.items[depth as usize] += 1);
        let mut found = 0;
        for count in &mut self.items {
            found += *count;
            *count = found;
        }
    }

    /// Makes the differences of the first harmonic numbers, so many.
    fn reach(&mut self, count: usize) {
        for rank in self.inverse.len()..count {
            // 0, of none, comes twice; each difference is one of sums, which have been rounded.
            let next = if rank == 0 { 0.0 } else { self.harmonic + 1.0 / rank as f64 };
            self.inverse.push(next - self.harmonic);
            self.harmonic = next;
        }
    }
}

/// NaN where the divisor is 0.
fn quotient(above: f64, below: f64) -> f64 {
    if below == 0.0 { f64::NAN } else { above / below }
}

impl Kind {
    fn of(&self, top: &Top, working: &mut Working) -> f64 {
        let common = top.rank_a.len();
        match self {
            Self::Jaccard => quotient(common as f64, (top.a + top.b - common) as f64),
            Self::Overlap { shorter: false } => quotient(common as f64, top.a.max(top.b) as f64),
            Self::Overlap { shorter: true } => quotient(common as f64, top.a.min(top.b) as f64),
            Self::Tau => tau(top),
            Self::TauAp => tau_ap(top, working),
            Self::Rbo { weights, beyond } => rbo(top, weights, beyond, working),
        }
    }
}

fn tau(top: &Top) -> f64 {
    let n = top.better.len() as f64;
    let pairs = n * (n - 1.0) / 2.0;
    let concordant = top.better.iter().map(|&better| u64::from(better)).sum::<u64>() as f64;
    quotient(2.0 * concordant - pairs, pairs.sqrt() * pairs.sqrt()).clamp(-1.0, 1.0)
}

fn tau_ap(top: &Top, working: &mut Working) -> f64 {
    working.reach(top.better.len() + 1);
    working.count_to(top.rank_b.iter().copied(), top.b);
    let mut sum = 0.0;
    for (&better, &rank) in top.better.iter().zip(&top.rank_b) {
        let above = working.items[rank as usize - 1] as usize;
        sum += if above > 0 { f64::from(better) * working.inverse[above] } else { 0.0 };
    }
    quotient(2.0 * sum, top.better.len() as f64 - 1.0) - 1.0
}

fn rbo(top: &Top, weights: &[f64], beyond: &[f64], working: &mut Working) -> f64 {
    let (shorter, longer) = (top.a.min(top.b), top.a.max(top.b));
    if longer == 0 {
        return f64::NAN;
    }
    working.count_to(top.rank_a.iter().zip(&top.rank_b).map(|(&a, &b)| a.max(b)), longer);
    // They are so few that they are read as signed numbers, which processors make floats of sooner.
    let found = working.items[1..].iter().map(|&count| f64::from(count as i32));
    let agreement = if shorter > 0 { f64::from(working.items[shorter]) / shorter as f64 } else { 0.0 };
    let (mut sum, mut last, mut depth, mut missing) = (0.0, 0.0, 0.0, -(shorter as f64));
    for (found, weight) in found.zip(weights) {
        depth += 1.0;
        missing += 1.0;
        last = found + agreement * f64::max(missing, 0.0);
        sum += weight * last / depth;
    }
    (sum + beyond[longer - 1] * last / longer as f64).clamp(0.0, 1.0)
}
