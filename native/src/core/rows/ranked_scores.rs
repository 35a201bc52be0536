//! Rows in the order of their scores, best first, and what curves over all thresholds come to.
//!
//! A score's bits are mapped to a whole number, its *code*, that rises as the score falls. Rows are dealt out by
//! the leading bits of their codes, so that what is left of a code fits into few bits beside the label; each
//! part is then sorted in the cache, by radix.

use crate::core::column::{AHEAD, prefetch_some};
use crate::core::deal::{Dealt, Piles, pieces};
use crate::core::error::{Result, room};
use crate::core::group::check_rows;
use crate::core::pool;
use crate::core::radix::{ByCode, sort};
use crate::core::rows::bins::{Bin, BinSums};
use crate::core::rows::labelled_rows::{LabelledRows, RowColumns, RowScratch};
use crate::core::scores::{Score, score_of};
use crate::core::sums::{STRIDE, Sum, TOGETHER, strided_total, total};
use crate::core::wide::wide;

/// Parts at the most: each is written to at a place of its own, and more places than this miss the cache.
const PARTS_BITS: u32 = 11;

/// No row has this code that weighs 1.
const NO_CODE: u64 = u64::MAX;
/// Of fewer pairs every sum is exact, also of halves.
const COUNTED_PAIRS: f64 = (1_u64 << 52) as f64;
/// What a distance of shares is off by at most that is computed without divisions, and much more.
const MARGIN: f64 = 1e-12;

/// A row as it is sorted.
pub trait Element: ByCode + Send + Sync {
    /// Whether every row weighs 1.
    const EQUAL: bool = true;
    /// Whether scores are 32-bit floats, so that nobody has to ask.
    const NARROW: bool = false;

    /// A row; without a weight, `code` has a bit to spare.
    fn new(code: u64, positive: bool, weight: f64) -> Self;
    /// Whether the row is positive.
    fn positive(self) -> bool;
    /// The row's weight.
    fn weight(self) -> f64;
}

impl ByCode for u32 {
    fn code(self) -> u64 {
        u64::from(self >> 1)
    }
}

impl Element for u32 {
    const NARROW: bool = true;

    fn new(code: u64, positive: bool, _: f64) -> Self {
        (code as u32) << 1 | u32::from(positive)
    }

    fn positive(self) -> bool {
        self & 1 == 1
    }

    fn weight(self) -> f64 {
        1.0
    }
}

impl ByCode for u64 {
    fn code(self) -> u64 {
        self >> 1
    }
}

impl Element for u64 {
    fn new(code: u64, positive: bool, _: f64) -> Self {
        code << 1 | u64::from(positive)
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

impl ByCode for Weighted {
    fn code(self) -> u64 {
        self.code
    }
}

impl Element for Weighted {
    const EQUAL: bool = false;

    fn new(code: u64, positive: bool, weight: f64) -> Self {
        Self { code, weight: weight.abs().copysign(if positive { 1.0 } else { -1.0 }) }
    }

    fn positive(self) -> bool {
        self.weight.is_sign_positive()
    }

    fn weight(self) -> f64 {
        self.weight.abs()
    }
}

/// Rows from the best score to the worst.
pub struct RankedScores<E> {
    parts: Vec<Vec<E>>,
    /// The weight of the positive rows in all parts before, and of the others; at the end of all rows.
    before: Vec<Weights>,
    lowest: u64,
    shift: u32,
    float32: bool,
}

/// Some rows that stand together, best first.
#[derive(Clone, Copy)]
pub struct Run<'a, E> {
    rows: &'a [E],
    base: u64,
    float32: bool,
}

impl<'a, E: Element> Run<'a, E> {
    /// Rows whose codes are what those of their scores have beyond `base`.
    pub fn new(rows: &'a [E], base: u64, float32: bool) -> Self {
        Self { rows, base, float32 }
    }

    /// They as they are sorted.
    pub fn elements(&self) -> &'a [E] {
        self.rows
    }

    /// The score of one of them.
    #[inline(always)]
    pub fn score(&self, row: E) -> f64 {
        if E::NARROW {
            // In 32 bits more are added at once.
            score_of(u64::from((self.base as u32).wrapping_add(row.code() as u32)), true)
        } else {
            score_of(self.base + row.code(), self.float32)
        }
    }

    /// How many are positive, and the sum of the scores, where each weighs 1.
    fn totals(self) -> (f64, f64) {
        let (mut positives, mut sum, mut scores) = (0, Sum::default(), [0.0; TOGETHER * STRIDE]);
        for piece in self.strides(scores.len()) {
            let own = &mut scores[..piece.rows.len()];
            positives += scores_of(piece, own);
            sum.add_strides(own, |&score| score);
        }
        (f64::from(positives), sum.value())
    }

    /// The same in pieces of so many rows, the last of what is left.
    pub fn strides(self, length: usize) -> impl Iterator<Item = Self> {
        self.rows.chunks(length).map(move |rows| Self { rows, ..self })
    }

    /// Whether each is positive, its score and its weight.
    pub fn rows(self) -> impl DoubleEndedIterator<Item = (bool, f64, f64)> + 'a
    where
        E: 'a,
    {
        self.rows.iter().map(move |&row| (row.positive(), self.score(row), row.weight()))
    }
}

/// Weights of positive rows, and of others.
type Weights = (f64, f64);

wide! {
    /// Reads the scores of rows, and gives how many of these are positive.
    fn scores_of<E: Element>(run: Run<'_, E>, scores: &mut [f64]) -> u32 = scores_of_any
}

#[inline(always)]
fn scores_of_any<E: Element>(run: Run<'_, E>, scores: &mut [f64]) -> u32 {
    for (score, &row) in scores.iter_mut().zip(run.rows) {
        *score = run.score(row);
    }
    let mut positives = 0;
    for row in run.rows {
        positives += u32::from(row.positive());
    }
    positives
}

/// What the thresholds come to besides pairs.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The sum over the positive rows of the precision at their threshold.
    pub precisions: f64,
    /// The same, of the mean of the precisions at their threshold and at the one above it.
    pub mean_precisions: f64,
    /// The greatest distance between the shares of positive and of other rows that a threshold finds.
    pub gap: f64,
    /// The sum over all rows of the squared distance from their score to the share of positive rows at it.
    pub reliability: f64,
    /// The sum over all rows of the squared distance from the share of positive rows at their score to that of
    /// all.
    pub resolution: f64,
}

/// One threshold.
#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    /// The score.
    pub score: f64,
    /// The weights of the rows above it.
    pub above: Weights,
    /// Those of the rows at it.
    pub own: Weights,
}

impl Threshold {
    /// The weights of the rows that reach it.
    fn found(&self) -> Weights {
        plus(self.above, self.own)
    }
}

/// Thresholds whose sums are plain, best first.
struct Stride {
    count: usize,
    /// The weights of the rows above the first.
    above: Weights,
    /// Of each the code of its score, and how many of the next rows reach it, positive ones and all; what comes before
    /// the first is reached by none.
    codes: [u64; STRIDE + 1],
    positives: [u32; STRIDE + 1],
    rows: [u32; STRIDE + 1],
    /// Those that find something positive.
    finding: [u16; STRIDE],
}

/// What each threshold of a stride adds to the sums of reliability and resolution of [`Shape`].
type Terms = [[f64; STRIDE]; 2];

impl Stride {
    fn new(above: Weights) -> Self {
        Self {
            count: 0,
            above,
            codes: [0; STRIDE + 1],
            positives: [0; STRIDE + 1],
            rows: [0; STRIDE + 1],
            finding: [0; STRIDE],
        }
    }

    /// Those of the next rows, which weigh 1 each; gives the rows that are left.
    fn count<'a, E: Element>(&mut self, own: &'a [E]) -> &'a [E] {
        let (mut count, mut last, mut positives, mut rows) = (0, NO_CODE, 0, 0);
        // A row begins one threshold at most: so many are looked at without asking whether there is room.
        while count < STRIDE && rows < own.len() {
            // The rows at a threshold are written over one another, since the last of them tells what it finds: equal
            // scores in no order would be branches that cannot be foreseen.
            for &row in &own[rows..own.len().min(rows + STRIDE - count)] {
                count += usize::from(row.code() != last);
                last = row.code();
                positives += u32::from(row.positive());
                rows += 1;
                (self.codes[count], self.positives[count], self.rows[count]) = (last, positives, rows as u32);
            }
        }
        for &row in own[rows..].iter().take_while(|row| row.code() == last) {
            positives += u32::from(row.positive());
            rows += 1;
        }
        (self.positives[count], self.rows[count]) = (positives, rows as u32);
        self.count = count;
        &own[rows..]
    }

    /// The weights of the rows that reach one, counted from 1.
    #[inline(always)]
    fn found(&self, at: usize) -> Weights {
        let (positives, rows) = (self.positives[at], self.rows[at]);
        (self.above.0 + f64::from(positives), self.above.1 + f64::from(rows - positives))
    }
}

wide! {
    /// What thresholds add to the other sums of [`Shape`], and about the greatest gap at them.
    fn shape_of(stride: &mut Stride, terms: &mut Terms, base: u64, float32: bool, totals: Weights) -> ([f64; 2], f64)
        = shape_of_any
}

#[inline(always)]
fn shape_of_any(
    stride: &mut Stride,
    [reliability, resolution]: &mut Terms,
    base: u64,
    float32: bool,
    (positives, others): Weights,
) -> ([f64; 2], f64) {
    let count = stride.count.min(STRIDE);
    let (all, inverse) = (positives / (positives + others), (1.0 / positives, 1.0 / others));
    // At first as if nothing were positive, which takes no divisions.
    for at in 0..count {
        let weight = f64::from(stride.rows[at + 1] - stride.rows[at]);
        let score = score_of(base + stride.codes[at + 1], float32);
        reliability[at] = weight * score * score;
        resolution[at] = weight * all * all;
    }
    reliability[count..].fill(0.0);
    resolution[count..].fill(0.0);
    let mut finding = 0;
    for at in 0..count {
        stride.finding[finding] = at as u16;
        finding += usize::from(stride.positives[at] != stride.positives[at + 1]);
    }
    let (mut sums, mut greatest) = ([0.0; 2], 0.0);
    for &at in &stride.finding[..finding] {
        let at = usize::from(at);
        let (above, found) = (stride.found(at), stride.found(at + 1));
        let (before, here) = (precision(above), precision(found));
        let own = f64::from(stride.positives[at + 1] - stride.positives[at]);
        let weight = f64::from(stride.rows[at + 1] - stride.rows[at]);
        let (rate, score) = (own / weight, score_of(base + stride.codes[at + 1], float32));
        sums[0] += own * here;
        sums[1] += own * (before + here) / 2.0;
        reliability[at] = weight * (score - rate) * (score - rate);
        resolution[at] = weight * (rate - all) * (rate - all);
        let gap = |(positives, others): Weights| (positives * inverse.0 - others * inverse.1).abs();
        greatest = greater(greater(gap(above), gap(found)), greatest);
    }
    stride.above = stride.found(count);
    (sums, greatest)
}

/// The sums of the terms of so many thresholds of each stride, side by side: none waits for the one of another.
fn sums_of(strides: &[Terms; TOGETHER], count: usize) -> [[f64; 2]; TOGETHER] {
    let mut sums = [[0.0; 2]; TOGETHER];
    for at in 0..count {
        for (sums, terms) in sums.iter_mut().zip(strides) {
            sums.iter_mut().zip(terms).for_each(|(sum, terms)| *sum += terms[at]);
        }
    }
    sums
}

impl<E: Element> RankedScores<E> {
    /// Sorts the rows.
    pub fn new(rows: &LabelledRows) -> Result<Self> {
        if rows.float32() { Self::of::<f32>(rows) } else { Self::of::<f64>(rows) }
    }

    /// The same of scores of one width.
    fn of<S: Score>(rows: &LabelledRows) -> Result<Self> {
        let columns = rows.open::<S, bool>()?;
        check_rows(columns.len())?;
        let (lowest, highest) = codes(&columns);
        let shift = (u64::BITS - (highest - lowest).leading_zeros()).saturating_sub(PARTS_BITS);
        let count = ((highest - lowest) >> shift) as usize + 1;
        let dealt = Self::deal(&columns, lowest, shift, count)?;
        let parts = pool::map(count, |part| {
            let mut own: Vec<E> = room(dealt.slices(part).map(<[E]>::len).sum())?;
            dealt.slices(part).for_each(|rows| own.extend_from_slice(rows));
            sort(&mut own, shift)?;
            let weights = weights(&own);
            Ok((own, weights))
        });
        let (parts, weights): (Vec<_>, Vec<_>) =
            parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let mut totals = (Sum::default(), Sum::default());
        let mut before = vec![(0.0, 0.0)];
        for (positive, other) in weights {
            totals.0.add(positive);
            totals.1.add(other);
            before.push((totals.0.value(), totals.1.value()));
        }
        Ok(Self { parts, before, lowest, shift, float32: rows.float32() })
    }

    /// Deals the rows out by the leading bits of their codes.
    fn deal<S: Score>(
        columns: &RowColumns<'_, S>,
        lowest: u64,
        shift: u32,
        count: usize,
    ) -> Result<Dealt<E>> {
        let rest = (1 << shift) - 1;
        let sizes = |stretch| {
            let (mut sizes, mut scratch) = (vec![0; count], RowScratch::default());
            for piece in pieces(stretch) {
                for &score in columns.scores(piece, &mut scratch) {
                    sizes[((score.code() - lowest) >> shift) as usize] += 1;
                }
            }
            sizes
        };
        let fill = |stretch, dealt: &mut Piles<E>| {
            let mut scratch = RowScratch::default();
            for piece in pieces(stretch) {
                for (positive, score, weight) in columns.read(piece, &mut scratch).rows() {
                    let code = score.code() - lowest;
                    dealt.push((code >> shift) as usize, E::new(code & rest, positive, weight));
                }
            }
        };
        Dealt::new(columns.len(), sizes, fill)
    }

    /// The weight of the positive rows, and of the others.
    pub fn totals(&self) -> Weights {
        self.before[self.parts.len()]
    }

    /// The thresholds of a part, best first.
    fn thresholds(&self, part: usize) -> impl Iterator<Item = Threshold> {
        let mut above = self.before[part];
        let part = self.part(part);
        part.rows.chunk_by(|a, b| a.code() == b.code()).map(move |tied| {
            let own = tied.iter().map(|&row| split(row)).fold((0.0, 0.0), plus);
            let score = part.score(tied[0]);
            let found = plus(above, own);
            Threshold { score, above: std::mem::replace(&mut above, found), own }
        })
    }

    /// Pairs of a positive and another row in which the positive has the greater score; half of those with
    /// equal scores.
    pub fn pairs(&self) -> f64 {
        let (positives, others) = self.totals();
        if E::EQUAL && positives * others < COUNTED_PAIRS {
            let twice: i64 =
                pool::map(self.parts.len(), |part| ordered(&self.parts[part], self.before[part]))
                    .iter()
                    .sum();
            return (positives * others + twice as f64) / 2.0;
        }
        let term = |Threshold { above, own, .. }| [own.0 * ((others - above.1 - own.1) + own.1 / 2.0)];
        let [pairs] = self.sums(term);
        pairs
    }

    /// Sums of several terms over all thresholds.
    pub fn sums<const N: usize>(&self, terms: impl Fn(Threshold) -> [f64; N] + Sync + Send) -> [f64; N] {
        total(pool::map(self.parts.len(), |part| strided_total(self.thresholds(part).map(&terms))))
    }

    /// What the thresholds come to besides pairs.
    pub fn shape(&self) -> Shape {
        let part = |part| if E::EQUAL { self.shape_at_once(part) } else { self.shape_one_by_one(part) };
        let (sums, gaps): (Vec<_>, Vec<_>) = pool::map(self.parts.len(), part).into_iter().unzip();
        let [precisions, mean_precisions, reliability, resolution] = total(sums);
        // Where the gap is greatest it is computed anew, by divisions that would take long for all.
        let most = gaps.iter().copied().fold(0.0, f64::max);
        let near: Vec<_> = (0..gaps.len()).filter(|&part| gaps[part] >= most - MARGIN).collect();
        let gap = pool::map(near.len(), |at| self.gap(near[at])).into_iter().fold(0.0, f64::max);
        Shape { precisions, mean_precisions, gap, reliability, resolution }
    }

    /// The sums of a part, and about the greatest gap.
    fn shape_at_once(&self, part: usize) -> ([f64; 4], f64) {
        let (mut run, mut stride) = (self.part(part), Stride::new(self.before[part]));
        let mut strides = [[[0.0; STRIDE]; 2]; TOGETHER];
        let (mut sums, mut greatest) = (Vec::new(), 0.0_f64);
        while !run.rows.is_empty() {
            let (begin, mut most) = (sums.len(), 0);
            for terms in &mut strides {
                prefetch_some(run.rows, AHEAD..AHEAD + STRIDE);
                run.rows = stride.count(run.rows);
                let ([precisions, mean_precisions], gap) =
                    shape_of(&mut stride, terms, run.base, run.float32, self.totals());
                sums.push([precisions, mean_precisions, 0.0, 0.0]);
                (greatest, most) = (greatest.max(gap), stride.count.max(most));
                if run.rows.is_empty() {
                    break;
                }
            }
            for (sums, own) in sums[begin..].iter_mut().zip(sums_of(&strides, most)) {
                sums[2..].copy_from_slice(&own);
            }
        }
        (total(sums), greatest)
    }

    /// The same of rows that have weights.
    fn shape_one_by_one(&self, part: usize) -> ([f64; 4], f64) {
        let (totals, mut greatest) = (self.totals(), 0.0);
        let base = totals.0 / (totals.0 + totals.1);
        let terms = self.thresholds(part).map(|threshold| {
            let (Threshold { score, above, own }, found) = (threshold, threshold.found());
            let weight = own.0 + own.1;
            if own.0 == 0.0 {
                return [0.0, 0.0, weight * score * score, weight * base * base];
            }
            greatest = gap(threshold, totals).max(greatest);
            let (before, here, rate) = (precision(above), precision(found), own.0 / weight);
            [
                own.0 * here,
                own.0 * (before + here) / 2.0,
                weight * (score - rate) * (score - rate),
                weight * (rate - base) * (rate - base),
            ]
        });
        (strided_total(terms), greatest)
    }

    /// The greatest distance between the shares of positive and of other rows that a threshold of a part finds.
    fn gap(&self, part: usize) -> f64 {
        let positive = self.thresholds(part).filter(|threshold| threshold.own.0 != 0.0);
        positive.map(|threshold| gap(threshold, self.totals())).fold(0.0, f64::max)
    }

    /// For each weight the highest threshold that finds more; the lowest of all where none does.
    pub fn beyond(&self, weights: &[f64]) -> Vec<Threshold> {
        let threshold = |number: usize| {
            let weight = weights[number];
            let reached = self.before[1..].partition_point(|before| before.0 + before.1 <= weight);
            // The last part is not empty: it holds the lowest score.
            let mut thresholds = self.thresholds(reached.min(self.parts.len() - 1));
            let first = thresholds.next().expect("a part in which weights grow has rows");
            let above = |threshold: &Threshold| threshold.above.0 + threshold.above.1;
            thresholds.take_while(|threshold| above(threshold) <= weight).last().unwrap_or(first)
        };
        pool::map(weights.len(), threshold)
    }

    /// The rows between rising borders, as of [`crate::core::rows::bins::bins`].
    pub fn bins(&self, borders: &[f64]) -> Vec<Bin> {
        let terms = |(positive, score, weight)| {
            [1.0, weight, if positive { weight } else { 0.0 }, weight * score, weight * weight]
        };
        let of_run = |run: Run<'_, E>| {
            if !E::EQUAL {
                return strided_total(run.rows().map(terms));
            }
            let (rows, (positives, scores)) = (run.rows.len() as f64, run.totals());
            [rows, rows, positives, scores, rows]
        };
        let mut bins = BinSums::new(borders);
        let place = |score| borders.partition_point(|&border| border < score);
        for (bin, own) in self.runs(place, |_, run| of_run(run)) {
            bins.add(bin, &own);
        }
        bins.values()
    }

    /// The rows in runs that have one place, which never rises from a score to a lower one: the place of each, and
    /// what `work` gives for it. Runs end with their part at the latest.
    pub fn runs<T: Send>(
        &self,
        place: impl Fn(f64) -> usize + Sync + Send,
        work: impl Fn(usize, Run<'_, E>) -> T + Sync + Send,
    ) -> Vec<(usize, T)> {
        let parts = pool::map(self.parts.len(), |part| {
            let (mut rest, mut found) = (self.part(part), Vec::new());
            while let Some(&first) = rest.rows.first() {
                let own = place(rest.score(first));
                let end = rest.rows.partition_point(|&row| place(rest.score(row)) == own);
                let (rows, others) = rest.rows.split_at(end);
                found.push((own, work(own, Run { rows, ..rest })));
                rest.rows = others;
            }
            found
        });
        parts.into_iter().flatten().collect()
    }

    fn part(&self, part: usize) -> Run<'_, E> {
        let base = self.lowest + ((part as u64) << self.shift);
        Run::new(&self.parts[part], base, self.float32)
    }

    /// All rows, best first: whether they are positive, their scores and weights.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (bool, f64, f64)> {
        (0..self.parts.len()).flat_map(|part| self.part(part).rows())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Each threshold's score, and the weights of the positive and of the other rows that reach it.
    pub fn curve(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let parts = pool::map(self.parts.len(), |part| {
            let (mut scores, mut positives, mut others) = (Vec::new(), Vec::new(), Vec::new());
            for threshold in self.thresholds(part) {
                let found = threshold.found();
                scores.push(threshold.score);
                positives.push(found.0);
                others.push(found.1);
            }
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
fn precision((positives, others): Weights) -> f64 {
    if positives + others == 0.0 { 1.0 } else { positives / (positives + others) }
}

/// What twice the pairs in order among rows that weigh 1 have over all pairs of a positive and another row, and
/// these below so many `above`.
fn ordered(rows: &[impl Element], above: Weights) -> i64 {
    let (mut positives, mut all, mut last) = (above.0 as i64, (above.0 + above.1) as i64, NO_CODE);
    let (mut positives_above, mut others_above, mut twice) = (0, 0, 0);
    for &row in rows {
        // Neither ties nor labels are branches, which could not be foreseen.
        let is_tied = row.code() == last;
        last = row.code();
        positives_above = if is_tied { positives_above } else { positives };
        others_above = if is_tied { others_above } else { all - positives };
        twice += if row.positive() { -others_above } else { positives_above };
        positives += i64::from(row.positive());
        all += 1;
    }
    twice
}

/// The greater distance of shares above and at a threshold that finds something positive: where one finds nothing,
/// the next that does looks at the gap above it.
fn gap(threshold: Threshold, (positives, others): Weights) -> f64 {
    let gap = |found: Weights| (found.0 / positives - found.1 / others).abs();
    gap(threshold.above).max(gap(threshold.found()))
}

fn split(row: impl Element) -> Weights {
    if row.positive() { (row.weight(), 0.0) } else { (0.0, row.weight()) }
}

fn plus(a: Weights, b: Weights) -> Weights {
    (a.0 + b.0, a.1 + b.1)
}

fn weights<E: Element>(rows: &[E]) -> Weights {
    if E::EQUAL {
        let positives: usize = rows.iter().map(|row| usize::from(row.positive())).sum();
        return (positives as f64, (rows.len() - positives) as f64);
    }
    strided_total(rows.iter().map(|&row| split(row).into())).into()
}

/// The least and the greatest code of all scores, none of which is NaN.
fn codes<S: Score>(columns: &RowColumns<'_, S>) -> (u64, u64) {
    let pieces: Vec<_> = pieces(0..columns.len()).collect();
    let found = pool::map_init(pieces.len(), RowScratch::default, |scratch, piece| {
        extremes(columns.scores(pieces[piece].clone(), scratch))
    });
    let all = found.into_iter().reduce(|a, b| (lesser(a.0, b.0), greater(a.1, b.1)));
    let (least, greatest) = all.expect("a table without rows is refused");
    (greatest.code(), least.code())
}

/// The least and the greatest of some scores.
#[inline(always)]
fn extremes<S: Score>(scores: &[S]) -> (S, S) {
    // Side by side, so that none waits for the one before.
    let (low, high) = (S::of(f64::INFINITY), S::of(f64::NEG_INFINITY));
    let (mut least, mut greatest) = ([low; 8], [high; 8]);
    let (eights, rest) = scores.as_chunks::<8>();
    for eight in eights {
        least = std::array::from_fn(|at| lesser(eight[at], least[at]));
        greatest = std::array::from_fn(|at| greater(eight[at], greatest[at]));
    }
    let all = |of: [S; 8]| of.into_iter().chain(rest.iter().copied());
    (all(least).fold(low, lesser), all(greatest).fold(high, greater))
}

/// As `f64::min`, but an instruction for several, where there is no NaN.
fn lesser<S: Score>(a: S, b: S) -> S {
    if a < b { a } else { b }
}

/// The same of `f64::max`; `b` where one is NaN.
fn greater<S: Score>(a: S, b: S) -> S {
    if a > b { a } else { b }
}

/// Pairs in order among the rows of one query, which this sorts, and the weights of its positive and other rows.
pub fn pairs_of(rows: &mut [impl Element]) -> (f64, f64, f64) {
    rows.sort_unstable_by_key(|row| row.code());
    let (mut pairs, mut positives, mut others) = (0.0, 0.0, 0.0);
    for tied in rows.chunk_by(|a, b| a.code() == b.code()) {
        let own = tied.iter().map(|&row| split(row)).fold((0.0, 0.0), plus);
        pairs += own.1 * (positives + own.0 / 2.0);
        positives += own.0;
        others += own.1;
    }
    (pairs, positives, others)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float32Array, UInt8Array};

    use super::*;

    #[test]
    fn extremes_are_found_wherever_they_are() {
        for rows in 1..20 {
            for at in 0..rows {
                let mut scores = vec![0.5; rows];
                scores[at] = -2.0;
                scores[rows - 1 - at] = 3.0;
                let expected =
                    if 2 * at + 1 == rows { scores.iter().copied().fold(3.0, f64::min) } else { -2.0 };
                assert_eq!(extremes(&scores), (expected, 3.0));
            }
        }
        assert_eq!(extremes(&[f64::NEG_INFINITY, f64::INFINITY]), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn thresholds_at_once_come_to_the_same_bits_as_one_by_one() {
        for (rows, scores) in [(1, 1), (700, 1), (255, 997), (3_000, 300), (3_000, 997), (20_000, 9_973)] {
            let labels: UInt8Array = (0..rows).map(|row| u8::from(row * row % 7 == 2)).collect();
            let scores: Float32Array =
                (0..rows).map(|row| (row * 7_919 % scores) as f32 / scores as f32).collect();
            let columns: [(&str, ArrayRef); 2] = [("label", Arc::new(labels)), ("score", Arc::new(scores))];
            let ranked = RankedScores::<u32>::new(&LabelledRows::of_columns(columns.into())).unwrap();
            for part in 0..ranked.parts.len() {
                let (sums, gap) = ranked.shape_at_once(part);
                let (expected, expected_gap) = ranked.shape_one_by_one(part);
                assert_eq!(sums.map(f64::to_bits), expected.map(f64::to_bits));
                assert!((gap - expected_gap).abs() < MARGIN || expected_gap.is_nan());
            }
        }
    }

    #[test]
    fn equal_scores_count_half() {
        let row = |code, positive| u32::new(code, positive, 1.0);
        let mut rows = [row(2, true), row(1, false), row(1, true), row(3, false)];
        assert_eq!(pairs_of(&mut rows), (0.5 + 1.0 + 1.0, 2.0, 2.0));
    }
}
