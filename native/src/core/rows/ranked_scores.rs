//! Rows in the order of their scores, best first, and what curves over all thresholds come to.
//!
//! A score's bits are mapped to a whole number, its *code*, that rises as the score falls. Rows are dealt out by
//! the leading bits of their codes, so that what is left of a code fits into few bits beside the label; each
//! part is then sorted in the cache, by radix.

#[cfg(target_arch = "x86_64")]
use crate::core::chosen::{CHOSEN, UP_TO};
use crate::core::column::prefetch_some;
use crate::core::deal::{Dealt, Piles, pieces};
use crate::core::error::{Result, room};
use crate::core::group::check_rows;
use crate::core::pool;
use crate::core::radix::{ByCode, sort};
use crate::core::rows::bins::{Bin, BinSums, SCORES, bins, scores_up_to};
use crate::core::rows::labelled_rows::{LabelledRows, RowColumns, RowScratch};
use crate::core::scores::{Score, score_of};
use crate::core::sums::{STRIDE, Sum, strided_total, total};
use crate::core::wide::wide;

/// Parts at the most: each is written to at a place of its own, and more places than this miss the cache.
const PARTS_BITS: u32 = 11;

/// No row has this code that weighs 1.
const NO_CODE: u64 = u64::MAX;
/// Of fewer pairs every sum is exact, also of halves.
const COUNTED_PAIRS: f64 = (1_u64 << 52) as f64;
/// So many scores of 25 bits add up to 53 bits at the most, which no float rounds.
const FEW_SCORES: usize = 1 << 28;
/// So many codes of a part add up to 32 bits at the most, if scores are 32-bit floats.
const FEW_CODES: usize = 1 << PARTS_BITS;
/// 32-bit floats above it are whole multiples of 2⁻³⁹, so that so many up to 1 as a block has add up to 53 bits, too.
const LEAST_BORDER: f64 = 1.0 / 65_536.0;
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

    /// Adds the thresholds that begin with all but the first of some rows, of which the second has this number.
    fn begin(rows: &[Self], number: u32, begun: &mut Begun<Self>) {
        begin(rows, number, begun);
    }
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

    #[cfg(target_arch = "x86_64")]
    fn begin(rows: &[u32], number: u32, begun: &mut Begun<u32>) {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has just been asked whether it has both, all that the function needs.
            return unsafe { begin_avx2(rows, number, begun) };
        }
        begin(rows, number, begun);
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
    /// What is counted of each part, if rows weigh 1.
    counts: Vec<Counts>,
    lowest: u64,
    shift: u32,
    float32: bool,
}

/// Some rows that stand together, best first.
#[derive(Clone, Copy)]
pub struct Run<'a, E> {
    rows: &'a [E],
    /// What is counted of them, where it is known.
    counts: Option<Counts>,
    base: u64,
    float32: bool,
}

/// What is counted of rows that weigh 1.
#[derive(Clone, Copy, Default)]
struct Counts {
    positives: u64,
    /// The sum of the codes, if scores are 32-bit floats.
    codes: u64,
}

impl Counts {
    /// The weights of so many rows.
    fn weights(self, rows: usize) -> Weights {
        (self.positives as f64, (rows as u64 - self.positives) as f64)
    }
}

impl<'a, E: Element> Run<'a, E> {
    /// Rows whose codes are what those of their scores have beyond `base`.
    pub fn new(rows: &'a [E], base: u64, float32: bool) -> Self {
        Self { rows, counts: None, base, float32 }
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
        self.even_totals().unwrap_or_else(|| self.totals_in_order())
    }

    /// The same bits, where scores are as far apart as their codes, and so few that no sum of them is rounded.
    fn even_totals(self) -> Option<(f64, f64)> {
        let (first, last) = (*self.rows.first()?, *self.rows.last()?);
        let (high, low) = (self.score(first), self.score(last));
        let binade = |score: f64| (score as f32).to_bits() >> (f32::MANTISSA_DIGITS - 1);
        if !E::NARROW || binade(high) != binade(low) || self.rows.len() > FEW_SCORES {
            return None;
        }
        let (rows, begin, end) = (self.rows.len() as u64, first.code(), last.code());
        let Counts { positives, codes } = self.counts.unwrap_or_else(|| counts_of(self.rows));
        let step = if begin == end { 0.0 } else { (high - low) / (end - begin) as f64 };
        Some((positives as f64, rows as f64 * high - (codes - rows * begin) as f64 * step))
    }

    fn totals_in_order(self) -> (f64, f64) {
        let (mut positives, mut sum, mut scores) = (0, Sum::default(), [0.0; MANY]);
        for piece in self.strides(scores.len()) {
            let own = &mut scores[..piece.rows.len()];
            positives += scores_of(piece, own);
            sum.add_strides(own, |&score| score);
        }
        (f64::from(positives), sum.value())
    }

    /// The same in pieces of so many rows, the last of what is left.
    pub fn strides(self, length: usize) -> impl Iterator<Item = Self> {
        self.rows.chunks(length).map(move |rows| Self { rows, counts: None, ..self })
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

wide! {
    /// Counts rows of a part.
    fn counts_of<E: Element>(rows: &[E]) -> Counts = counts_of_any
}

#[inline(always)]
fn counts_of_any<E: Element>(rows: &[E]) -> Counts {
    let mut all = Counts::default();
    for rows in rows.chunks(FEW_CODES) {
        // In 32 bits more are added at once.
        let (mut positives, mut codes) = (0_u32, 0_u32);
        for row in rows {
            positives += u32::from(row.positive());
            codes = codes.wrapping_add(row.code() as u32);
        }
        all.positives += u64::from(positives);
        all.codes += u64::from(codes);
    }
    all
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
    /// What [`RankedScores::pairs`] gives, where it is known without another look at the rows.
    pub pairs: Option<f64>,
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

/// Strides of thresholds that are looked at together, and how many thresholds these are.
const STRIDES: usize = 4;
const MANY: usize = STRIDES * STRIDE;
/// Rows that are looked at at once.
const EIGHT: usize = 8;
/// Room for what is written at once where only some of it counts.
const ROOM: usize = MANY + EIGHT;

/// Thresholds by the rows that they begin with.
pub struct Begun<E> {
    count: usize,
    /// The number of the first row of each, and behind them that of the row after the last threshold.
    starts: [u32; ROOM],
    /// These first rows themselves.
    rows: [E; ROOM],
    /// Of each positive row among those that were added last its threshold, counted from 1.
    positives: [u32; ROOM],
    positive_count: usize,
}

impl<E: Element> Begun<E> {
    fn new() -> Self {
        Self {
            count: 0,
            starts: [0; ROOM],
            rows: [E::default(); ROOM],
            positives: [0; ROOM],
            positive_count: 0,
        }
    }

    /// Begins anew with the first of some rows.
    fn begin(&mut self, first: E) {
        (self.count, self.positive_count) = (1, usize::from(first.positive()));
        (self.starts[0], self.rows[0], self.positives[0]) = (0, first, 1);
    }

    /// Adds some of the rows from the next one on; gives how many, 0 where none is left or they need more thresholds.
    fn add(&mut self, own: &[E], next: usize) -> usize {
        self.positive_count = 0;
        if self.count == MANY {
            return self.add_tied(own, next);
        }
        // A row begins one threshold at most: so many are looked at without asking whether there is room.
        let end = own.len().min(next + MANY - self.count);
        prefetch_some(own, end..end + MANY);
        E::begin(&own[next - 1..end], next as u32, self);
        end - next
    }

    /// The same where there is room for no other threshold: rows at the last one.
    fn add_tied(&mut self, own: &[E], next: usize) -> usize {
        let code = own[next - 1].code();
        let mut count = 0;
        for row in own[next..].iter().take(MANY).take_while(|row| row.code() == code) {
            self.positives[self.positive_count] = MANY as u32;
            self.positive_count += usize::from(row.positive());
            count += 1;
        }
        count
    }
}

/// As [`Element::begin`], row by row.
fn begin<E: Element>(rows: &[E], number: u32, begun: &mut Begun<E>) {
    let (mut count, mut positives) = (begun.count, begun.positive_count);
    assert!(count.max(positives) + rows.len() <= ROOM);
    // Each row is written and stays where the next is not written over it: equal scores and labels in no order would be
    // branches that cannot be foreseen.
    for (pair, number) in rows.windows(2).zip(number..) {
        // SAFETY: both counts grow by 1 at most for each row, and are below `ROOM` for that many.
        unsafe {
            *begun.starts.get_unchecked_mut(count) = number;
            *begun.rows.get_unchecked_mut(count) = pair[1];
            count += usize::from(pair[0].code() != pair[1].code());
            *begun.positives.get_unchecked_mut(positives) = count as u32;
        }
        positives += usize::from(pair[1].positive());
    }
    (begun.count, begun.positive_count) = (count, positives);
}

/// The same of rows of 32 bits, eight at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn begin_avx2(rows: &[u32], number: u32, begun: &mut Begun<u32>) {
    use std::arch::x86_64::*;

    let whole = (rows.len() - 1) / EIGHT * EIGHT;
    let (mut count, mut positives) = (begun.count, begun.positive_count);
    assert!(count.max(positives) + whole <= MANY);
    let ones = _mm256_set1_epi32(1);
    let mut numbers =
        _mm256_add_epi32(_mm256_set1_epi32(number as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    for at in (0..whole).step_by(EIGHT) {
        // SAFETY: `at + EIGHT` is below the number of rows. No more than a threshold and a positive row are added for
        // each row, so that both counts are `MANY` at most, and there is room for eight more. All tables have 2⁸ rows
        // of as many bytes as are read.
        unsafe {
            let before = _mm256_loadu_si256(rows.as_ptr().add(at).cast());
            let own = _mm256_loadu_si256(rows.as_ptr().add(at + 1).cast());
            // They differ in more than the last bit, the label, and none has the first one.
            let differ = _mm256_cmpgt_epi32(_mm256_xor_si256(before, own), ones);
            let first = _mm256_movemask_ps(_mm256_castsi256_ps(differ)) as usize;
            let positive = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(own))) as usize;
            let places = _mm256_loadu_si256(CHOSEN[first].as_ptr().cast());
            let starts = _mm256_permutevar8x32_epi32(numbers, places);
            _mm256_storeu_si256(begun.starts.as_mut_ptr().add(count).cast(), starts);
            let firsts = _mm256_permutevar8x32_epi32(own, places);
            _mm256_storeu_si256(begun.rows.as_mut_ptr().add(count).cast(), firsts);
            let up_to = _mm256_cvtepu8_epi32(_mm_loadl_epi64(UP_TO[first].as_ptr().cast()));
            let thresholds = _mm256_add_epi32(up_to, _mm256_set1_epi32(count as i32));
            let places = _mm256_loadu_si256(CHOSEN[positive].as_ptr().cast());
            let of_positives = _mm256_permutevar8x32_epi32(thresholds, places);
            _mm256_storeu_si256(begun.positives.as_mut_ptr().add(positives).cast(), of_positives);
            count += first.count_ones() as usize;
            positives += positive.count_ones() as usize;
        }
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(EIGHT as i32));
    }
    (begun.count, begun.positive_count) = (count, positives);
    begin(&rows[whole..], number + whole as u32, begun);
}

/// The thresholds that follow in a part, several strides of them, best first.
struct Thresholds<E> {
    begun: Begun<E>,
    /// Those that find something positive, counted from 1, and how many positive rows reach each; first of all 0 and 0.
    finding: [u32; MANY + 1],
    found: [u32; MANY + 1],
    /// How many find something.
    finding_count: usize,
    /// The weights of the rows above the first.
    above: Weights,
    /// What each adds to the sums of reliability and resolution of [`Shape`].
    terms: [[f64; MANY]; 2],
    /// What those that find something add to all four sums.
    finding_terms: [[f64; MANY]; 4],
}

/// What thresholds come to besides the terms of their sums.
#[derive(Clone, Copy, Default)]
struct Extremes {
    /// About the greatest gap.
    gap: f64,
    /// Twice the pairs in order, where these are few enough to be counted.
    twice: f64,
}

impl<E: Element> Thresholds<E> {
    /// None yet; what they are written to, which is more than a stack should have.
    fn boxed() -> Box<Self> {
        Box::new(Self {
            begun: Begun::new(),
            finding: [0; MANY + 1],
            found: [0; MANY + 1],
            finding_count: 0,
            above: (0.0, 0.0),
            terms: [[0.0; MANY]; 2],
            finding_terms: [[0.0; MANY]; 4],
        })
    }

    /// Those of the next rows, which weigh 1 each; gives the rows that are left.
    fn begin<'a>(&mut self, own: &'a [E]) -> &'a [E] {
        self.begun.begin(own[0]);
        self.finding_count = 0;
        let (mut rows, mut more) = (0, 1);
        while more > 0 {
            rows += more;
            self.find();
            more = self.begun.add(own, rows);
        }
        self.begun.starts[self.begun.count] = rows as u32;
        &own[rows..]
    }

    /// Finds the positive rows that were added last.
    fn find(&mut self) {
        let mut count = self.finding_count;
        let (mut last, mut positives) = (self.finding[count], self.found[count]);
        for &threshold in &self.begun.positives[..self.begun.positive_count] {
            count += usize::from(threshold != last);
            last = threshold;
            positives += 1;
            (self.finding[count], self.found[count]) = (threshold, positives);
        }
        self.finding_count = count;
    }

    /// How many rows reach the last one, positive ones and others.
    fn all(&self) -> Weights {
        let (rows, positives) = (self.begun.starts[self.begun.count], self.found[self.finding_count]);
        (f64::from(positives), f64::from(rows - positives))
    }
}

wide! {
    /// What thresholds add to the sums of [`Shape`].
    fn shape_of<E: Element>(thresholds: &mut Thresholds<E>, base: u64, float32: bool, totals: Weights) -> Extremes
        = shape_of_any
}

#[inline(always)]
fn shape_of_any<E: Element>(
    thresholds: &mut Thresholds<E>,
    base: u64,
    float32: bool,
    (positives, others): Weights,
) -> Extremes {
    let all = positives / (positives + others);
    let Thresholds { begun: Begun { count, starts, rows, .. }, terms: [reliability, resolution], .. } =
        thresholds;
    let (count, run) = ((*count).min(MANY), Run::new(&[], base, float32));
    // At first as if nothing were positive, which takes no divisions.
    for at in 0..count {
        let weight = f64::from((starts[at + 1] - starts[at]) as i32);
        let score = run.score(rows[at]);
        reliability[at] = weight * score * score;
        resolution[at] = weight * all * all;
    }
    reliability[count..].fill(0.0);
    resolution[count..].fill(0.0);
    let mut extremes = [[0.0; LANES]; 2];
    for begin in (0..thresholds.finding_count.min(MANY)).step_by(LANES) {
        finding_of(thresholds, begin, run, (positives, others), &mut extremes);
    }
    let [gap, twice] = extremes;
    Extremes { gap: gap.into_iter().fold(0.0, greater), twice: twice.into_iter().sum() }
}

/// Thresholds that find something positive of which the terms are computed at once.
const LANES: usize = 4;

/// The terms of those from the one with this number among them on, and the greatest gaps and twice the pairs so far.
#[inline(always)]
fn finding_of<E: Element>(
    thresholds: &mut Thresholds<E>,
    begin: usize,
    run: Run<'_, E>,
    (positives, others): Weights,
    [gaps, twice]: &mut [[f64; LANES]; 2],
) {
    let (all, inverse) = (positives / (positives + others), (1.0 / positives, 1.0 / others));
    let Thresholds { begun: Begun { starts, rows, .. }, finding, found, above, .. } = thresholds;
    let (mut first, mut counts) = ([E::default(); LANES], [[0; LANES]; 4]);
    for lane in 0..LANES {
        // What fills up the last lanes is the last one again.
        let at = (begin + lane).min(thresholds.finding_count - 1).min(MANY - 1);
        let threshold = (finding[at + 1] as usize).clamp(1, MANY) - 1;
        first[lane] = rows[threshold];
        counts[0][lane] = found[at];
        counts[1][lane] = starts[threshold];
        counts[2][lane] = found[at + 1] - found[at];
        counts[3][lane] = starts[threshold + 1] - starts[threshold];
    }
    let (mut scores, mut weights) = ([0.0; LANES], [[0.0; LANES]; 4]);
    for lane in 0..LANES {
        scores[lane] = run.score(first[lane]);
    }
    for (weights, counts) in weights.iter_mut().zip(counts) {
        for lane in 0..LANES {
            // All are below 2³¹, and of numbers with a sign vectors make floats.
            weights[lane] = f64::from(counts[lane] as i32);
        }
    }
    let (above, mut terms, mut pairs) = ((above.0, above.0 + above.1), [[0.0; LANES]; 4], [0.0; LANES]);
    for lane in 0..LANES {
        let (own, weight, score) = (weights[2][lane], weights[3][lane], scores[lane]);
        // Weights of positive rows, and of all.
        let above = (above.0 + weights[0][lane], above.1 + weights[1][lane]);
        let reached = (above.0 + own, above.1 + weight);
        let (share, here, rate) = (above.0 / above.1, reached.0 / reached.1, own / weight);
        // It is 1 where the curve of precision begins.
        let before = if above.1 == 0.0 { 1.0 } else { share };
        terms[0][lane] = own * here;
        terms[1][lane] = own * (before + here) / 2.0;
        terms[2][lane] = weight * (score - rate) * (score - rate);
        terms[3][lane] = weight * (rate - all) * (rate - all);
        let gap_above = (above.0 * inverse.0 - (above.1 - above.0) * inverse.1).abs();
        let gap = (reached.0 * inverse.0 - (reached.1 - reached.0) * inverse.1).abs();
        gaps[lane] = greater(greater(gap_above, gap), gaps[lane]);
        // Others below it count twice for each of its positive rows, and those at it once.
        pairs[lane] = own * (2.0 * (others - (reached.1 - reached.0)) + (weight - own));
    }
    for lane in 0..LANES {
        twice[lane] += if begin + lane < thresholds.finding_count { pairs[lane] } else { 0.0 };
    }
    for (all, own) in thresholds.finding_terms.iter_mut().zip(terms) {
        all[begin..begin + LANES].copy_from_slice(&own);
    }
}

impl<E: Element> Thresholds<E> {
    /// The four sums of each stride, whose terms are known.
    fn sums(&mut self, sums: &mut Vec<[f64; 4]>) {
        let (mut at, begin) = (0, sums.len());
        let finding = &self.finding[1..self.finding_count + 1];
        for stride in 1..=self.begun.count.div_ceil(STRIDE) {
            let (mut precisions, mut mean_precisions) = (0.0, 0.0);
            while at < finding.len() && finding[at] as usize <= stride * STRIDE {
                let threshold = finding[at] as usize - 1;
                precisions += self.finding_terms[0][at];
                mean_precisions += self.finding_terms[1][at];
                self.terms[0][threshold] = self.finding_terms[2][at];
                self.terms[1][threshold] = self.finding_terms[3][at];
                at += 1;
            }
            sums.push([precisions, mean_precisions, 0.0, 0.0]);
        }
        let both = sums_of(&self.terms, self.begun.count.min(STRIDE));
        for (sums, own) in sums[begin..].iter_mut().zip(both) {
            sums[2..].copy_from_slice(&own);
        }
    }
}

wide! {
    /// The sums of the terms of so many thresholds of each stride, side by side: none waits for the one of another.
    fn sums_of(terms: &[[f64; MANY]; 2], count: usize) -> [[f64; 2]; STRIDES] = sums_of_any
}

#[inline(always)]
fn sums_of_any(terms: &[[f64; MANY]; 2], count: usize) -> [[f64; 2]; STRIDES] {
    let mut sums = [[0.0; 2]; STRIDES];
    for at in 0..count.min(STRIDE) {
        for stride in 0..STRIDES {
            sums[stride][0] += terms[0][stride * STRIDE + at];
            sums[stride][1] += terms[1][stride * STRIDE + at];
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
            let counts = if E::EQUAL { counts_of(&own) } else { Counts::default() };
            let weights = if E::EQUAL { counts.weights(own.len()) } else { weights(&own) };
            Ok((own, (weights, counts)))
        });
        let (parts, found): (Vec<_>, Vec<_>) =
            parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let (weights, counts): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let mut totals = (Sum::default(), Sum::default());
        let mut before = vec![(0.0, 0.0)];
        for (positive, other) in weights {
            totals.0.add(positive);
            totals.1.add(other);
            before.push((totals.0.value(), totals.1.value()));
        }
        Ok(Self { parts, before, counts, lowest, shift, float32: rows.float32() })
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
        if self.are_counted() {
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
        let at_once = self.are_at_once();
        let parts = pool::map_init(self.parts.len(), Thresholds::boxed, |thresholds, part| {
            if at_once { self.shape_at_once(part, thresholds) } else { self.shape_one_by_one(part) }
        });
        let (sums, extremes): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let [precisions, mean_precisions, reliability, resolution] = total(sums);
        // Where the gap is greatest it is computed anew, by divisions that would take long for all.
        let most = extremes.iter().map(|own| own.gap).fold(0.0, f64::max);
        let near: Vec<_> = (0..extremes.len()).filter(|&part| extremes[part].gap >= most - MARGIN).collect();
        let gap = pool::map(near.len(), |at| self.gap(near[at])).into_iter().fold(0.0, f64::max);
        let twice: f64 = extremes.iter().map(|own| own.twice).sum();
        let pairs = (at_once && self.are_counted()).then_some(twice / 2.0);
        Shape { precisions, mean_precisions, gap, reliability, resolution, pairs }
    }

    /// Whether thresholds are looked at together: rows weigh the same, and their numbers have a sign to spare.
    fn are_at_once(&self) -> bool {
        E::EQUAL && self.parts.iter().all(|part| i32::try_from(part.len()).is_ok())
    }

    /// Whether all numbers of pairs are so small that none is rounded.
    fn are_counted(&self) -> bool {
        let (positives, others) = self.totals();
        E::EQUAL && positives * others < COUNTED_PAIRS
    }

    /// The sums of a part, and about the greatest gap.
    fn shape_at_once(&self, part: usize, thresholds: &mut Thresholds<E>) -> ([f64; 4], Extremes) {
        let (mut run, mut sums, mut all) = (self.part(part), Vec::new(), Extremes::default());
        thresholds.above = self.before[part];
        while !run.rows.is_empty() {
            run.rows = thresholds.begin(run.rows);
            let own = shape_of(thresholds, run.base, run.float32, self.totals());
            thresholds.sums(&mut sums);
            all = Extremes { gap: all.gap.max(own.gap), twice: all.twice + own.twice };
            thresholds.above = plus(thresholds.above, thresholds.all());
        }
        (total(sums), all)
    }

    /// The same of rows that have weights.
    fn shape_one_by_one(&self, part: usize) -> ([f64; 4], Extremes) {
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
        (strided_total(terms), Extremes { gap: greatest, twice: 0.0 })
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

    /// As [`bins`] of these rows, to the same bits.
    ///
    /// Where no sum of scores above the lowest border is rounded before the last one, their order does not matter.
    pub fn bins_of(&self, rows: &LabelledRows, borders: &[f64]) -> Result<Vec<Bin>> {
        let are_exact = E::NARROW
            && self.len() <= FEW_SCORES
            && score_of(self.lowest, self.float32) <= 1.0
            && borders.len() <= STRIDE
            && borders.first().is_none_or(|&border| border >= LEAST_BORDER);
        if !are_exact {
            return bins(rows, borders);
        }
        let mut found = self.bins(borders);
        found[0][SCORES] = scores_up_to(rows, borders.first().copied())?;
        Ok(found)
    }

    /// As [`confusion`](super::labelled_rows::confusion), where each row weighs 1.
    pub fn confusion(&self, threshold: f64) -> Option<[f64; 4]> {
        if !E::EQUAL {
            return None;
        }
        let reach = |part: usize| {
            self.part(part).rows.partition_point(|&row| self.part(part).score(row) >= threshold)
        };
        let whole = (0..self.parts.len()).take_while(|&part| reach(part) == self.parts[part].len()).count();
        let more = self.parts.get(whole).map_or((0.0, 0.0), |rows| weights(&rows[..reach(whole)]));
        let (found, all) = (plus(self.before[whole], more), self.totals());
        Some([found.0, found.1, all.0 - found.0, all.1 - found.1])
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
                if end < rest.rows.len() {
                    rest.counts = None;
                }
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
        let counts = E::EQUAL.then(|| self.counts[part]);
        Run { counts, ..Run::new(&self.parts[part], base, self.float32) }
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
        return counts_of(rows).weights(rows.len());
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

    use arrow_array::{ArrayRef, Float32Array, Float64Array, UInt8Array};

    use super::*;
    use crate::core::rows::labelled_rows::confusion;

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
        fn check<E: Element>(labels: &UInt8Array, scores: ArrayRef) {
            let columns: [(&str, ArrayRef); 2] = [("label", Arc::new(labels.clone())), ("score", scores)];
            let ranked = RankedScores::<E>::new(&LabelledRows::of_columns(columns.into())).unwrap();
            for part in 0..ranked.parts.len() {
                let (sums, Extremes { gap, .. }) = ranked.shape_at_once(part, &mut Thresholds::boxed());
                let (expected, Extremes { gap: expected_gap, .. }) = ranked.shape_one_by_one(part);
                assert_eq!(sums.map(f64::to_bits), expected.map(f64::to_bits));
                assert!((gap - expected_gap).abs() < MARGIN || expected_gap.is_nan());
            }
            assert_eq!(ranked.shape().pairs, Some(ranked.pairs()));
        }
        for (rows, scores) in [
            (1, 1),
            (700, 1),
            (3_000, 1),
            (255, 997),
            (3_000, 300),
            (3_000, 997),
            (20_000, 1_500),
            (20_000, 9_973),
        ] {
            for seldom in [2, 7, 50, 20_000] {
                let labels: UInt8Array = (0..rows).map(|row| u8::from(row * row % seldom == 1)).collect();
                let score = |row| f64::from(row * 7_919 % scores) / f64::from(scores);
                // The last ones lie in one part.
                for narrowed in [1.0, 1e-4] {
                    let scores = || (0..rows).map(|row| 0.5 + narrowed * score(row) / 2.0);
                    let narrow: Float32Array = scores().map(|score| score as f32).collect();
                    check::<u32>(&labels, Arc::new(narrow));
                    check::<u64>(&labels, Arc::new(scores().collect::<Float64Array>()));
                }
            }
        }
    }

    #[test]
    fn thresholds_begin_where_scores_differ_however_many_are_looked_at() {
        for (count, ties) in [(1, 1), (2, 1), (9, 3), (500, 1), (500, 2), (1_000, 7)] {
            let row = |at: usize| u32::new((at / ties) as u64, at * at % 5 == 1, 1.0);
            let rows: Vec<u32> = (0..count).map(row).collect();
            let [mut one, mut other] = [Begun::new(), Begun::new()];
            [&mut one, &mut other].into_iter().for_each(|begun| begun.begin(rows[0]));
            begin(&rows, 1, &mut one);
            u32::begin(&rows, 1, &mut other);
            let told = |begun: &Begun<u32>| {
                let Begun { count, starts, rows, positives, positive_count } = begun;
                (starts[..*count].to_vec(), rows[..*count].to_vec(), positives[..*positive_count].to_vec())
            };
            assert_eq!(told(&one), told(&other));
            assert_eq!(one.count, count.div_ceil(ties));
        }
    }

    #[test]
    fn ranked_rows_come_to_the_same_bins_and_are_found_by_the_same_thresholds() {
        fn check<E: Element>(rows: &LabelledRows) {
            let ranked = RankedScores::<E>::new(rows).unwrap();
            let even = |count: usize| (1..count).map(|i| i as f64 / count as f64).collect();
            for borders in [even(1), even(2), even(15), even(256), even(300), vec![1e-6, 0.3]] {
                let bits =
                    |bins: Vec<Bin>| bins.into_iter().map(|bin| bin.map(f64::to_bits)).collect::<Vec<_>>();
                assert_eq!(
                    bits(ranked.bins_of(rows, &borders).unwrap()),
                    bits(bins(rows, &borders).unwrap())
                );
            }
            for threshold in [-1.0, 0.0, 0.125, f64::from(0.7_f32), 1.0, 2.0] {
                assert_eq!(ranked.confusion(threshold), Some(confusion(rows, threshold).unwrap()));
            }
        }
        for rows in [1, 700, 40_000] {
            for (power, most) in [(0, 1.0), (1, 1.0), (1, 0.001), (4, 1.0), (9, 1.0), (2, 1.5), (3, -1.0)] {
                let labels: UInt8Array = (0..rows).map(|row| u8::from(row * row % 7 == 2)).collect();
                let scores =
                    || (0..rows).map(|row| most * (f64::from(row * 7_919 % 10_007) / 10_006.0).powi(power));
                let narrow: Float32Array = scores().map(|score| score as f32).collect();
                let wide: Float64Array = scores().collect();
                let of = |scores: ArrayRef| {
                    let labels: ArrayRef = Arc::new(labels.clone());
                    LabelledRows::of_columns(vec![("label", labels), ("score", scores)])
                };
                check::<u32>(&of(Arc::new(narrow)));
                check::<u64>(&of(Arc::new(wide)));
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
