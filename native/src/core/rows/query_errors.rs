//! Sums over the rows of each query: of errors of predicted numbers, and of a column.

use crate::core::column::Column;
use crate::core::deal::pieces;
use crate::core::error::Result;
use crate::core::group::{Numbering, check_rows};
use crate::core::hash::Key;
use crate::core::ids::Ids;
use crate::core::rows::labelled_rows::{LabelledRows, RowScratch};
use crate::core::sums::Sum;

/// What the errors of the rows of one query come to, in weighted sums.
#[derive(Default)]
pub struct QueryErrors {
    /// How many rows there are.
    pub rows: u32,
    /// Of 1.
    pub weight: Sum,
    /// Of the squares of score − label.
    pub squared: Sum,
    /// Of the sizes of score − label.
    pub absolute: Sum,
    /// Of these over the size of the label; NaN if one is 0.
    pub relative: Sum,
    /// Of these over the mean size of label and score.
    pub symmetric: Sum,
}

/// The size of score − label over that of the label; NaN for a label of 0.
pub fn relative(label: f64, score: f64) -> f64 {
    if label == 0.0 { f64::NAN } else { (score - label).abs() / label.abs() }
}

/// The size of score − label over the mean of their sizes: 0 where both are 0, at most 2.
pub fn symmetric(label: f64, score: f64) -> f64 {
    match label.abs() + score.abs() {
        0.0 => 0.0,
        f64::INFINITY => 2.0,
        both => 2.0 * (score - label).abs() / both,
    }
}

/// The errors of each query, with its first row.
pub fn errors(rows: &LabelledRows, query: &str) -> Result<Vec<(u32, QueryErrors)>> {
    of_queries(rows, query, QueryErrors::add)
}

/// The weighted sum of the scores of each query.
pub fn totals(rows: &LabelledRows, query: &str) -> Result<Vec<f64>> {
    let add = |total: &mut Sum, _, score, weight| total.add(weight * score);
    Ok(of_queries(rows, query, add)?.into_iter().map(|(_, total)| total.value()).collect())
}

/// What adding label, score and weight of each of its rows makes of each query, in the order of their first
/// rows, which stand beside it.
fn of_queries<T: Default>(
    rows: &LabelledRows,
    query: &str,
    add: impl Fn(&mut T, f64, f64, f64),
) -> Result<Vec<(u32, T)>> {
    match rows.query_ids(query)? {
        Ids::Integer(column) => of_column(rows, &column, add),
        Ids::Text(column) => of_column(rows, &column, add),
    }
}

/// One thread goes over the rows in their order: a hash and a few additions for each.
fn of_column<K: Key, T: Default>(
    rows: &LabelledRows,
    column: &Column<'_, K>,
    add: impl Fn(&mut T, f64, f64, f64),
) -> Result<Vec<(u32, T)>> {
    let columns = rows.open::<f64, f64>()?;
    check_rows(columns.len())?;
    let mut queries = Numbering::with_capacity(0);
    let mut all: Vec<(u32, T)> = Vec::new();
    let mut last: Option<(K, usize)> = None;
    let (mut keys, mut scratch) = (Vec::new(), RowScratch::default());
    for piece in pieces(0..columns.len()) {
        let block = columns.read(piece.clone(), &mut scratch);
        let ids = column.values(piece.clone(), &mut keys);
        for (at, &query) in ids.iter().enumerate() {
            let place = match last {
                Some((same, place)) if same == query => place,
                Some(_) | None => queries.number(query, all.len() as u32) as usize,
            };
            last = Some((query, place));
            if place == all.len() {
                all.push(((piece.start + at) as u32, T::default()));
            }
            let weight = block.weights.map_or(1.0, |weights| weights[at]);
            add(&mut all[place].1, block.labels[at], block.scores[at], weight);
        }
    }
    Ok(all)
}

impl QueryErrors {
    fn add(&mut self, label: f64, score: f64, weight: f64) {
        self.rows += 1;
        if weight == 0.0 {
            return; // Nothing of a row without weight counts, not even infinity.
        }
        let error = score - label;
        self.weight.add(weight);
        self.squared.add(weight * error * error);
        self.absolute.add(weight * error.abs());
        self.relative.add(weight * relative(label, score));
        self.symmetric.add(weight * symmetric(label, score));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_errors_at_their_ends() {
        assert_eq!(relative(-2.0, 1.0), 1.5);
        assert!(relative(0.0, 1.0).is_nan());
        assert_eq!(symmetric(1.0, 3.0), 1.0);
        assert_eq!(symmetric(0.0, 0.0), 0.0);
        assert_eq!(symmetric(0.0, 5.0), 2.0);
        assert_eq!(symmetric(1.0, f64::INFINITY), 2.0);
    }
}
