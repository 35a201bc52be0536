//! Labelled scores, row by row: what is wrong with them, and their sums.
//!
//! Rows are read in blocks of one size, whose results are put together in their order, so that no result
//! depends on the number of threads.

use std::ops::Range;

use crate::core::column::{AHEAD, Column, Number, are_float32, equal, numbers, prefetch_some};
use crate::core::error::{Error, Result};
use crate::core::ids::Ids;
use crate::core::pool;
use crate::core::sums::{STRIDE, Sum, TOGETHER, compensated_sum, total};
use crate::core::table::{Table, column_of};
use crate::core::wide::wide;

/// Rows of a block: what is read of them stays in the cache.
pub const BLOCK: usize = 1 << 14;
/// Different labels that are remembered, to be shown where they are too many.
const SHOWN: usize = 8;

/// A table of labelled scores, and the names of its columns.
#[derive(Clone)]
pub struct LabelledRows {
    /// The rows.
    pub table: Table,
    /// What messages call the table.
    pub name: String,
    /// The column of labels, numbers.
    pub label: String,
    /// The column of scores.
    pub score: String,
    /// The column of weights; all weigh 1 without one.
    pub weight: Option<String>,
    /// The label of the positive rows.
    pub positive: f64,
}

/// A label, as what it is read.
pub trait Label: Copy + Send + Sync {
    /// The column of labels.
    fn column(rows: &LabelledRows) -> Result<Column<'_, Self>>;
}

/// The number itself.
impl Label for f64 {
    fn column(rows: &LabelledRows) -> Result<Column<'_, Self>> {
        rows.column(&rows.label, "label")
    }
}

/// Whether the row is positive.
impl Label for bool {
    fn column(rows: &LabelledRows) -> Result<Column<'_, Self>> {
        equal(&rows.table, &rows.label, &rows.describe("label", &rows.label), rows.positive)
    }
}

/// The columns, open for reading.
pub struct RowColumns<'a, S = f64, L = bool> {
    labels: Column<'a, L>,
    scores: Column<'a, S>,
    weights: Option<Column<'a, f64>>,
}

/// Memory that the rows of a block are read into, where they cannot be used in place.
pub struct RowScratch<S = f64, L = bool> {
    labels: Vec<L>,
    scores: Vec<S>,
    weights: Vec<f64>,
}

impl<S, L> Default for RowScratch<S, L> {
    fn default() -> Self {
        Self { labels: Vec::new(), scores: Vec::new(), weights: Vec::new() }
    }
}

/// Some rows.
pub struct Block<'a, S = f64, L = bool> {
    /// Labels, or whether rows are positive.
    pub labels: &'a [L],
    /// Scores.
    pub scores: &'a [S],
    /// Weights, if there are any.
    pub weights: Option<&'a [f64]>,
}

impl<S: Number, L: Label> Block<'_, S, L> {
    /// Label, score and weight of each row.
    pub fn rows(&self) -> impl Iterator<Item = (L, S, f64)> + '_ {
        self.some(0..self.labels.len())
    }

    /// Some of the rows.
    pub fn part(&self, rows: Range<usize>) -> Self {
        Self {
            labels: &self.labels[rows.clone()],
            scores: &self.scores[rows.clone()],
            weights: self.weights.map(|weights| &weights[rows]),
        }
    }

    /// Those of some rows.
    pub fn some(&self, rows: Range<usize>) -> impl Iterator<Item = (L, S, f64)> + '_ {
        let weights = self.weights.map(|weights| &weights[rows.clone()]);
        let scored = self.labels[rows.clone()].iter().zip(&self.scores[rows]);
        scored
            .enumerate()
            .map(move |(at, (&label, &score))| (label, score, weights.map_or(1.0, |weights| weights[at])))
    }
}

impl LabelledRows {
    /// Opens the columns.
    ///
    /// # Errors
    /// A column that is not there, not of numbers, or has nulls.
    pub fn open<S: Number, L: Label>(&self) -> Result<RowColumns<'_, S, L>> {
        Ok(RowColumns {
            labels: L::column(self)?,
            scores: self.column(&self.score, "score")?,
            weights: self.weight.as_ref().map(|name| self.column(name, "weight")).transpose()?,
        })
    }

    fn column<N: Number>(&self, name: &str, role: &str) -> Result<Column<'_, N>> {
        numbers(&self.table, name, &self.describe(role, name))
    }

    /// The same rows, with another column for that of the scores.
    pub fn scored_by(&self, column: String) -> Self {
        Self { score: column, ..self.clone() }
    }

    /// Whether all scores are exact as 32-bit floats.
    pub fn float32(&self) -> bool {
        let dtype = self.table.schema.field_with_name(&self.score).map(|field| field.data_type());
        dtype.is_ok_and(are_float32)
    }

    fn describe(&self, role: &str, column: &str) -> String {
        column_of(&self.name, role, column).to_string()
    }

    /// The ids in a column of queries.
    ///
    /// # Errors
    /// A column that is not there, not of ids, or has nulls.
    pub fn query_ids<'a>(&'a self, column: &str) -> Result<Ids<'a>> {
        Ids::new(&self.table, column, &self.describe("query", column))
    }

    /// What `work` gives for each block, in the order of the blocks.
    pub fn blocks<S: Number, L: Label, T: Send>(
        &self,
        work: impl Fn(&Block<'_, S, L>, usize) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        let columns = self.open()?;
        let rows = columns.len();
        Ok(pool::map_init(rows.div_ceil(BLOCK), RowScratch::default, |scratch, block| {
            let first = block * BLOCK;
            work(&columns.read(first..rows.min(first + BLOCK), scratch), first)
        }))
    }
}

impl<S: Number, L: Label> RowColumns<'_, S, L> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Reads some rows.
    pub fn read<'s>(&'s self, rows: Range<usize>, scratch: &'s mut RowScratch<S, L>) -> Block<'s, S, L> {
        Block {
            labels: self.labels.values(rows.clone(), &mut scratch.labels),
            scores: self.scores.values(rows.clone(), &mut scratch.scores),
            weights: self.weights.as_ref().map(|weights| weights.values(rows, &mut scratch.weights)),
        }
    }

    /// Reads the scores of some rows alone.
    pub fn scores<'s>(&'s self, rows: Range<usize>, scratch: &'s mut RowScratch<S, L>) -> &'s [S] {
        self.scores.values(rows, &mut scratch.scores)
    }
}

/// Rows in which something is so: how many, and the first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// How many.
    pub count: usize,
    /// The first of them, where there are any.
    pub first: usize,
}

impl Faults {
    fn in_block<N: Number>(values: &[N], first: usize, wrong: impl Fn(N) -> bool) -> Self {
        // Mostly there is none, which is found without an early end for several at a time.
        if !values.iter().fold(false, |any, &value| any | wrong(value)) {
            return Self { count: 0, first };
        }
        let count = values.iter().filter(|&&value| wrong(value)).count();
        let at = values.iter().position(|&value| wrong(value)).unwrap_or(0);
        Self { count, first: first + at }
    }

    fn and(self, later: Self) -> Self {
        let first = if self.count > 0 { self.first } else { later.first };
        Self { count: self.count + later.count, first }
    }
}

/// What the columns hold.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// Number of rows.
    pub rows: usize,
    /// Number of positive rows.
    pub positives: usize,
    /// The different labels, ascending; of more than a few only some.
    pub labels: Vec<f64>,
    /// Scores outside of 0 to 1.
    pub no_probability: Faults,
    bad_labels: Faults,
    bad_scores: Faults,
    bad_weights: Faults,
    least_weight: f64,
}

impl LabelledRows {
    /// Looks at every row once.
    ///
    /// # Errors
    /// NaN in any column; infinite labels; weights that are negative, infinite, or all 0.
    pub fn content(&self) -> Result<Content> {
        let blocks = match self.float32() {
            true => self.blocks(|block, first| Content::of::<f32>(block, first, self.positive))?,
            false => self.blocks(|block, first| Content::of::<f64>(block, first, self.positive))?,
        };
        let all = blocks.into_iter().reduce(Content::and).unwrap_or_default();
        self.refuse(
            "label",
            &self.label,
            all.bad_labels,
            ["NaN or infinite value", "NaN or infinite values"],
        )?;
        self.refuse("score", &self.score, all.bad_scores, ["NaN value", "NaN values"])?;
        if let Some(weight) = &self.weight {
            let what =
                ["value that is NaN, infinite or negative", "values that are NaN, infinite or negative"];
            self.refuse("weight", weight, all.bad_weights, what)?;
            if all.least_weight == 0.0 {
                return Err(Error::data(format!("{} is 0 in every row", self.describe("weight", weight))));
            }
        }
        Ok(all)
    }

    fn refuse(&self, role: &str, column: &str, found: Faults, what: [&str; 2]) -> Result<()> {
        if found.count == 0 {
            return Ok(());
        }
        let (what, rows) = if found.count == 1 { (what[0], "that row") } else { (what[1], "those rows") };
        let first = if found.count == 1 { "" } else { "the first " };
        Err(Error::data(format!(
            "{} has {} {what}, {first}in row {} (from 0); correct or remove {rows}",
            self.describe(role, column),
            found.count,
            found.first,
        )))
    }
}

impl Content {
    /// What a block holds, whose first row is told.
    fn of<S: Number>(block: &Block<'_, S, f64>, first: usize, positive: f64) -> Self {
        let bad = |weight: f64| !(0.0..f64::INFINITY).contains(&weight);
        let (scores, none) = (block.scores, Faults { count: 0, first });
        let (labels, positives) = different(block.labels, positive);
        // Where all labels are known they tell of all rows, and no probability is NaN.
        let good_labels = labels.len() < SHOWN && labels.iter().all(|label| label.is_finite());
        let probabilities = are_probabilities(scores);
        let all = |good: bool, faults: &dyn Fn() -> Faults| if good { none } else { faults() };
        Self {
            rows: block.labels.len(),
            positives,
            no_probability: all(probabilities, &|| Faults::in_block(scores, first, is_no_probability)),
            bad_labels: all(good_labels, &|| {
                Faults::in_block(block.labels, first, |label: f64| !label.is_finite())
            }),
            bad_scores: all(probabilities, &|| {
                Faults::in_block(scores, first, |score: S| score.into().is_nan())
            }),
            labels,
            bad_weights: block.weights.map_or(Faults::default(), |own| Faults::in_block(own, first, bad)),
            least_weight: block.weights.map_or(1.0, |own| own.iter().copied().fold(0.0, f64::max)),
        }
    }

    fn and(mut self, later: Self) -> Self {
        self.rows += later.rows;
        self.positives += later.positives;
        later.labels.iter().for_each(|&label| remember(&mut self.labels, label));
        self.no_probability = self.no_probability.and(later.no_probability);
        self.bad_labels = self.bad_labels.and(later.bad_labels);
        self.bad_scores = self.bad_scores.and(later.bad_scores);
        self.bad_weights = self.bad_weights.and(later.bad_weights);
        self.least_weight = self.least_weight.max(later.least_weight);
        self
    }
}

/// The different values, ascending; of more than [`SHOWN`] the first ones. And how many are the `sought` one.
fn different(values: &[f64], sought: f64) -> (Vec<f64>, usize) {
    let mut found = Vec::new();
    let Some(&one) = values.first() else { return (found, 0) };
    let other = values.iter().copied().find(|&value| value != one).unwrap_or(one);
    let (others, count) = strangers(values, [one, other], sought);
    if others == 0 {
        remember(&mut found, one);
        remember(&mut found, other);
    } else {
        values.iter().for_each(|&value| remember(&mut found, value));
    }
    (found, count)
}

// Loops without a way out, which would have to be looked for at every value.
wide! {
    /// How many values are neither of two, and how many the `sought` one.
    fn strangers(values: &[f64], known: [f64; 2], sought: f64) -> (usize, usize) = strangers_any
}
wide! {
    /// Whether all scores are within 0 and 1.
    fn are_probabilities<S: Number>(scores: &[S]) -> bool = are_probabilities_any
}

#[inline(always)]
fn strangers_any(values: &[f64], [one, other]: [f64; 2], sought: f64) -> (usize, usize) {
    let (mut others, mut count) = (0, 0);
    for &value in values {
        others += usize::from((value != one) & (value != other));
        count += usize::from(value == sought);
    }
    (others, count)
}

#[inline(always)]
fn are_probabilities_any<S: Number>(scores: &[S]) -> bool {
    let mut all = true;
    for (begin, own) in (0..).step_by(STRIDE).zip(scores.chunks(STRIDE)) {
        prefetch_some(scores, begin + AHEAD..begin + AHEAD + STRIDE);
        for &score in own {
            all &= !is_no_probability(score);
        }
    }
    all
}

#[inline(always)]
fn is_no_probability<S: Number>(score: S) -> bool {
    !((score >= S::of(0.0)) & (score <= S::of(1.0)))
}

fn remember(found: &mut Vec<f64>, value: f64) {
    let at = found.partition_point(|&known| known < value);
    if found.get(at) != Some(&value) && found.len() < SHOWN {
        found.insert(at, value);
    }
}

impl LabelledRows {
    /// Sums over rows of several terms of label, score and weight, each compensated.
    pub fn sums<L: Label, const N: usize>(
        &self,
        term: impl Fn(L, f64, f64) -> [f64; N] + Sync + Send,
    ) -> Result<[f64; N]> {
        let stride = |block: &Block<'_, f64, L>, rows: Range<usize>| {
            let (labels, scores) = (&block.labels[rows.clone()], &block.scores[rows.clone()]);
            let mut plain = [0.0; N];
            let mut add = |label: L, score: f64, weight: f64| {
                let terms = term(label, score, weight);
                plain = std::array::from_fn(|at| plain[at] + terms[at]);
            };
            match block.weights {
                None => labels.iter().zip(scores).for_each(|(&label, &score)| add(label, score, 1.0)),
                Some(weights) => {
                    let rows = labels.iter().zip(scores).zip(&weights[rows]);
                    rows.for_each(|((&label, &score), &weight)| add(label, score, weight));
                }
            }
            plain
        };
        let blocks = self.blocks(|block: &Block<'_, f64, L>, _| {
            let rows = block.labels.len();
            let strides = (0..rows).step_by(STRIDE).map(|begin| begin..rows.min(begin + STRIDE));
            total(strides.map(|rows| stride(block, rows)))
        })?;
        Ok(total(blocks))
    }
}

/// Weights of the rows that score at least `threshold`, positive and other, and of the rest.
pub fn confusion(rows: &LabelledRows, threshold: f64) -> Result<[f64; 4]> {
    if rows.weight.is_some() {
        return rows.sums(|positive: bool, score, weight| {
            let is = |finds: bool, outcome: bool| {
                if (score >= threshold, positive) == (finds, outcome) { weight } else { 0.0 }
            };
            [is(true, true), is(true, false), is(false, true), is(false, false)]
        });
    }
    let blocks = match rows.float32() {
        true => rows.blocks(|block, _| confusion_of(block, threshold as f32))?,
        false => rows.blocks(|block, _| confusion_of(block, threshold))?,
    };
    Ok(std::array::from_fn(|at| blocks.iter().map(|counts| u64::from(counts[at])).sum::<u64>() as f64))
}

wide! {
    /// That of a block of rows without weights.
    fn confusion_of<S: Number>(block: &Block<'_, S>, threshold: S) -> [u32; 4] = confusion_of_any
}

#[inline(always)]
fn confusion_of_any<S: Number>(block: &Block<'_, S>, threshold: S) -> [u32; 4] {
    let (mut positives, mut found, mut both) = (0, 0, 0);
    for (&positive, &score) in block.labels.iter().zip(block.scores) {
        let finds = score >= threshold;
        positives += u32::from(positive);
        found += u32::from(finds);
        both += u32::from(positive & finds);
    }
    let all = block.labels.len() as u32;
    [both, found - both, positives - both, all + both - positives - found]
}

/// Weighted sums over rows: of 1, of positive rows, of scores, and of the squares of score − positive; and the number of
/// positive rows.
pub fn binary_sums(rows: &LabelledRows) -> Result<[f64; 5]> {
    match (rows.weight.is_some(), rows.float32()) {
        (true, _) => rows.sums(|positive: bool, score, weight| {
            let outcome = f64::from(u8::from(positive));
            let error = score - outcome;
            [weight, weight * outcome, weight * score, weight * error * error, outcome]
        }),
        (false, true) => Ok(total(rows.blocks(|block, _| binary_sums_of::<f32>(block))?)),
        (false, false) => Ok(total(rows.blocks(|block, _| binary_sums_of::<f64>(block))?)),
    }
}

wide! {
    /// Those of a block of rows without weights.
    fn binary_sums_of<S: Number>(block: &Block<'_, S>) -> [f64; 5] = binary_sums_of_any
}

#[inline(always)]
fn binary_sums_of_any<S: Number>(block: &Block<'_, S>) -> [f64; 5] {
    const PIECE: usize = TOGETHER * STRIDE;
    let (mut positives, mut scores, mut errors) = (0_u32, Sum::default(), Sum::default());
    let mut squares = [0.0; PIECE];
    for (labels, own) in block.labels.chunks(PIECE).zip(block.scores.chunks(PIECE)) {
        for ((square, &positive), &score) in squares.iter_mut().zip(labels).zip(own) {
            let error = score.into() - f64::from(u8::from(positive));
            *square = error * error;
        }
        for &positive in labels {
            positives += u32::from(positive);
        }
        scores.add_strides(own, |&score| score.into());
        errors.add_strides(&squares[..own.len()], |&square| square);
    }
    let (rows, positives) = (block.labels.len() as f64, f64::from(positives));
    [rows, positives, scores.value(), errors.value(), positives]
}

/// Σ −w·ln(the probability that was given to the label), in nats, probabilities kept `clip` away from 0 and 1.
pub fn log_loss(rows: &LabelledRows, clip: f64) -> Result<f64> {
    if rows.weight.is_some() {
        let [loss] = rows.sums(|positive: bool, score, weight| {
            let given = likelihood(positive, score, clip);
            // Nothing of a row without weight counts, not even infinity.
            [if weight == 0.0 { 0.0 } else { -weight * given.ln() }]
        })?;
        return Ok(loss);
    }
    Ok(compensated_sum(match rows.float32() {
        true => rows.blocks(|block, _| log_loss_of::<f32>(block, clip))?,
        false => rows.blocks(|block, _| log_loss_of::<f64>(block, clip))?,
    }))
}

wide! {
    /// That of a block of rows without weights.
    fn log_loss_of<S: Number>(block: &Block<'_, S>, clip: f64) -> f64 = log_loss_of_any
}

#[inline(always)]
fn log_loss_of_any<S: Number>(block: &Block<'_, S>, clip: f64) -> f64 {
    let (mut total, mut products, mut given) = (Sum::default(), [1.0; LANES], [1.0; STRIDE]);
    let strides = block.labels.chunks(STRIDE).zip(block.scores.chunks(STRIDE));
    for (begin, (labels, scores)) in (0..).step_by(STRIDE).zip(strides) {
        prefetch_some(block.scores, begin + AHEAD..begin + AHEAD + STRIDE);
        for ((given, &positive), &score) in given.iter_mut().zip(labels).zip(scores) {
            *given = likelihood(positive, score.into(), clip);
        }
        // What fills up the last lanes is certain.
        given[labels.len()..].fill(1.0);
        let given = &given.as_chunks::<LANES>().0[..labels.len().div_ceil(LANES)];
        // No product grows: where those of all hold, those of some did.
        let next = multiplied(products, given);
        if next.iter().all(|&product| product > LEAST_PRODUCT) {
            products = next;
        } else {
            given.iter().for_each(|given| multiply(&mut products, given, &mut total));
        }
    }
    products.iter().for_each(|product| total.add(-product.ln()));
    total.value()
}

/// Products times all of some probabilities.
#[inline(always)]
fn multiplied(mut products: [f64; LANES], given: &[[f64; LANES]]) -> [f64; LANES] {
    for given in given {
        for lane in 0..LANES {
            products[lane] *= given[lane];
        }
    }
    products
}

/// Multiplies products by the next probabilities, unless one of them became too small.
fn multiply(products: &mut [f64; LANES], given: &[f64; LANES], total: &mut Sum) {
    let next = multiplied(*products, std::slice::from_ref(given));
    if next.iter().all(|&product| product > LEAST_PRODUCT) {
        *products = next;
        return;
    }
    products.iter().chain(given).for_each(|probability| total.add(-probability.ln()));
    *products = [1.0; LANES];
}

/// Products of probabilities that grow side by side: one logarithm for many rows.
const LANES: usize = 8;
/// A product below this loses digits.
const LEAST_PRODUCT: f64 = 1e-280;

#[inline(always)]
fn likelihood(positive: bool, score: f64, clip: f64) -> f64 {
    // Not by `max` and `min`, which look for NaN first.
    let p = if score > clip { score } else { clip };
    let p = if p < 1.0 - clip { p } else { 1.0 - clip };
    if positive { p } else { 1.0 - p }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, UInt8Array,
    };

    use super::*;

    impl LabelledRows {
        /// Rows that weigh 1, of columns of which one is `label` and one `score`.
        pub fn of_columns(columns: Vec<(&str, ArrayRef)>) -> Self {
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            Self {
                table: Table { schema: batch.schema(), batches: vec![batch] },
                name: "predictions".into(),
                label: "label".into(),
                score: "score".into(),
                weight: None,
                positive: 1.0,
            }
        }
    }

    /// Rows with scores of either width, that weigh 1 without saying so or by a column.
    fn table(rows: usize, narrow: bool, weighted: bool) -> LabelledRows {
        let scores = (0..rows).map(|row| 1.0 / (1.3 + (row * 7_919 % 1_009) as f64));
        let scores: ArrayRef = match narrow {
            true => Arc::new(scores.map(|score| score as f32).collect::<Float32Array>()),
            false => Arc::new(scores.collect::<Float64Array>()),
        };
        let labels: Float64Array = (0..rows).map(|row| f64::from(u8::from(row * row % 5 == 1))).collect();
        let weights = Float64Array::from(vec![1.0; rows]);
        let columns: Vec<(&str, ArrayRef)> =
            vec![("label", Arc::new(labels)), ("score", scores), ("weight", Arc::new(weights))];
        let weight = weighted.then(|| "weight".into());
        LabelledRows { weight, ..LabelledRows::of_columns(columns) }
    }

    #[test]
    fn rows_without_weights_come_to_the_same_bits_as_rows_that_weigh_1() {
        for rows in [1, STRIDE - 1, 4 * STRIDE + 1, BLOCK, 2 * BLOCK + 5 * STRIDE + 3] {
            for narrow in [false, true] {
                let [plain, weighted] = [false, true].map(|weighted| {
                    let rows = table(rows, narrow, weighted);
                    let sums = binary_sums(&rows).unwrap().map(f64::to_bits);
                    let threshold = if narrow { f64::from(0.01_f32) } else { 0.01 };
                    (sums, confusion(&rows, threshold).unwrap())
                });
                assert_eq!(plain, weighted);
            }
        }
    }

    #[test]
    fn rows_are_positive_whose_label_is_the_same_float_whatever_its_type() {
        let whole = 1_i64 << 53;
        let labels: [ArrayRef; 5] = [
            Arc::new(Int64Array::from(vec![0, 1, -1, whole, whole + 1, whole - 1])),
            Arc::new(UInt8Array::from(vec![0, 1, 44, 255])),
            Arc::new(Int32Array::from(vec![0, 1, -1, i32::MAX])),
            Arc::new(Float32Array::from(vec![0.0, -0.0, 0.5, 1.0])),
            Arc::new(BooleanArray::from(vec![true, false])),
        ];
        for labels in labels {
            let scores = Arc::new(Float64Array::from(vec![0.0; labels.len()]));
            let rows = LabelledRows::of_columns(vec![("label", labels), ("score", scores)]);
            for positive in [0.0, -0.0, 1.0, -1.0, 0.5, 255.0, 300.0, whole as f64, f64::NAN] {
                let rows = LabelledRows { positive, ..rows.clone() };
                let numbers = f64::column(&rows).unwrap();
                let positives = bool::column(&rows).unwrap();
                let mut read = Vec::new();
                positives.read(0..numbers.len(), &mut read);
                for (row, read) in read.into_iter().enumerate() {
                    assert_eq!(read, numbers.value(row) == positive);
                    assert_eq!(positives.value(row), read);
                }
            }
        }
    }

    #[test]
    fn labels_are_told_apart_and_counted_wherever_others_stand() {
        assert_eq!(different(&[], 1.0), (vec![], 0));
        assert_eq!(different(&[0.0; 20], 1.0), (vec![0.0], 0));
        let (mut two, mut more) = ([0.0; 20], [0.0; 20]);
        two[0] = 1.0;
        more[..3].copy_from_slice(&[2.0, -1.0, 1.0]);
        for _ in 0..20 {
            two.rotate_right(1);
            more.rotate_right(1);
            assert_eq!(different(&two, 1.0), (vec![0.0, 1.0], 1));
            assert_eq!(different(&more, 0.0), (vec![-1.0, 0.0, 1.0, 2.0], 17));
        }
    }
}
