//! What Python sees of labelled scores.

use std::sync::{Arc, OnceLock};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::core::error;
use crate::core::rows::labelled_rows::{self, Content};
use crate::core::rows::log_odds::{self, Model};
use crate::core::rows::query_errors::{relative, symmetric};
use crate::core::rows::ranked_scores::{self, Threshold, Weighted};
use crate::core::rows::{bins, correlation, query_errors, query_sums};
use crate::python::running::{self, FEW_ROWS, interruptible};
use crate::python::tables::Table;

/// Rows in the order of their scores, as small as they can be.
enum AnyWidth {
    Narrow(ranked_scores::RankedScores<u32>),
    Wide(ranked_scores::RankedScores<u64>),
    Weighted(ranked_scores::RankedScores<Weighted>),
}

macro_rules! of_any {
    ($ranked:expr, $rows:ident => $value:expr) => {
        match $ranked {
            AnyWidth::Narrow($rows) => $value,
            AnyWidth::Wide($rows) => $value,
            AnyWidth::Weighted($rows) => $value,
        }
    };
}

/// Labelled scores; `threads=0` means all cores.
#[pyclass(frozen, module = "rankmark._native")]
pub struct LabelledRows {
    rows: labelled_rows::LabelledRows,
    /// They in the order of their scores, once that was asked for: other sums are quicker then.
    ranked: OnceLock<Arc<AnyWidth>>,
    threads: usize,
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl LabelledRows {
    #[new]
    #[pyo3(signature = (table, name, label, score, weight, *, positive, threads))]
    fn new(
        table: &Bound<'_, Table>,
        name: String,
        label: String,
        score: String,
        weight: Option<String>,
        positive: f64,
        threads: usize,
    ) -> Self {
        let table = table.get().0.clone();
        let threads = running::threads(threads, table.num_rows() < FEW_ROWS);
        let rows = labelled_rows::LabelledRows { table, name, label, score, weight, positive };
        Self { rows, ranked: OnceLock::new(), threads }
    }

    /// Number of rows, that of positive ones, some of the different labels, and how many scores are no
    /// probabilities, with the first such row.
    fn content(&self, py: Python<'_>) -> PyResult<(usize, usize, Vec<f64>, usize, usize)> {
        let Content { rows, positives, labels, no_probability, .. } =
            self.run(py, labelled_rows::LabelledRows::content)?;
        Ok((rows, positives, labels, no_probability.count, no_probability.first))
    }

    /// Weighted sums over rows: of 1, of positive rows, of scores, and of the squares of score − positive; and
    /// the number of positive rows.
    fn binary_sums(&self, py: Python<'_>) -> PyResult<[f64; 5]> {
        self.run(py, labelled_rows::binary_sums)
    }

    /// Weighted sums over rows: of 1, of labels, of scores, and of the squares and sizes of score − label.
    fn number_sums(&self, py: Python<'_>) -> PyResult<[f64; 5]> {
        self.run(py, |rows| {
            rows.sums(|label: f64, score, weight| {
                let error = score - label;
                [weight, weight * label, weight * score, weight * error * error, weight * error.abs()]
            })
        })
    }

    /// Whether rows have weights of their own.
    #[getter]
    fn weighted(&self) -> bool {
        self.rows.weight.is_some()
    }

    /// Weights of rows by what a threshold makes of them: true and false positives, false and true negatives.
    ///
    /// A threshold has the precision of the scores: 0.7 finds what is 0.7 as a 32-bit float.
    fn confusion(&self, py: Python<'_>, threshold: f64) -> PyResult<[f64; 4]> {
        let ranked = self.ranked.get().cloned();
        self.run(py, move |rows| {
            let threshold = if rows.float32() { f64::from(threshold as f32) } else { threshold };
            let known = ranked.and_then(|ranked| of_any!(&*ranked, ranked => ranked.confusion(threshold)));
            known.map_or_else(|| labelled_rows::confusion(rows, threshold), Ok)
        })
    }

    /// Weighted sums over rows of the squares of labels and of scores, of their products, and of the squares of
    /// score − label, each less its mean.
    fn moments(&self, py: Python<'_>, mean_label: f64, mean_score: f64) -> PyResult<[f64; 4]> {
        self.run(py, move |rows| {
            rows.sums(|label: f64, score, weight| {
                let (y, s) = (label - mean_label, score - mean_score);
                [weight * y * y, weight * s * s, weight * y * s, weight * (s - y) * (s - y)]
            })
        })
    }

    /// Weighted sums over rows of the size of score − label over that of the label, and over the mean of the
    /// two sizes; and the number of rows with a weight and the label 0, which are left out of the first.
    fn relative_errors(&self, py: Python<'_>) -> PyResult<[f64; 3]> {
        self.run(py, |rows| {
            rows.sums(|label: f64, score, weight| match (weight == 0.0, label == 0.0) {
                (true, _) => [0.0; 3],
                (false, true) => [0.0, weight * symmetric(label, score), 1.0],
                (false, false) => [weight * relative(label, score), weight * symmetric(label, score), 0.0],
            })
        })
    }

    /// Pairs of rows that are in the same order by label and score, in the opposite one, and of which only the
    /// labels or only the scores are equal; and twice the distances of ranks from their mean: the sums of the
    /// squares of labels', of the squares of scores', and of their products.
    fn correlation(&self, py: Python<'_>) -> PyResult<([u64; 4], [f64; 3])> {
        let found = self.run(py, correlation::correlation)?;
        let pairs = [found.concordant, found.discordant, found.tied_labels, found.tied_scores];
        Ok((pairs, [found.labels, found.scores, found.both].map(|sum| sum as f64)))
    }

    /// What the errors of the rows of each query come to.
    fn query_errors(&self, py: Python<'_>, column: String) -> PyResult<QueryErrors> {
        let queries = self.run(py, move |rows| query_errors::errors(rows, &column))?;
        let floats = |value: fn(&query_errors::QueryErrors) -> f64| {
            queries.iter().map(|(_, query)| value(query)).collect::<Vec<_>>().into_pyarray(py).unbind()
        };
        let first_rows: Vec<u32> = queries.iter().map(|&(first_row, _)| first_row).collect();
        Ok(QueryErrors {
            first_rows: first_rows.into_pyarray(py).unbind(),
            rows: floats(|query| f64::from(query.rows)),
            weights: floats(|query| query.weight.value()),
            squared: floats(|query| query.squared.value()),
            absolute: floats(|query| query.absolute.value()),
            relative: floats(|query| query.relative.value()),
            symmetric: floats(|query| query.symmetric.value()),
        })
    }

    /// The weighted sum over the rows of each query of another column, in the order of their first rows.
    fn query_totals<'py>(&self, py: Python<'py>, query: String, column: String) -> PyResult<Floats<'py>> {
        let totals = self.run(py, move |rows| query_errors::totals(&rows.scored_by(column), &query))?;
        Ok(totals.into_pyarray(py))
    }

    /// The weighted sum over rows of the negative logarithm of the probability that was given to the label.
    fn log_loss(&self, py: Python<'_>, clip: f64) -> PyResult<f64> {
        self.run(py, move |rows| labelled_rows::log_loss(rows, clip))
    }

    /// The rows in the order of their scores.
    fn ranked(&self, py: Python<'_>) -> PyResult<RankedScores> {
        let ranked = self.run(py, |rows| {
            Ok(match (rows.weight.is_some(), rows.float32()) {
                (true, _) => AnyWidth::Weighted(ranked_scores::RankedScores::new(rows)?),
                (false, true) => AnyWidth::Narrow(ranked_scores::RankedScores::new(rows)?),
                (false, false) => AnyWidth::Wide(ranked_scores::RankedScores::new(rows)?),
            })
        })?;
        let ranked = Arc::clone(self.ranked.get_or_init(|| Arc::new(ranked)));
        Ok(RankedScores { ranked, pairs: OnceLock::new(), threads: self.threads })
    }

    /// What the rows of each query come to.
    fn queries(&self, py: Python<'_>, column: String) -> PyResult<QuerySums> {
        let queries = self.run(py, move |rows| query_sums::queries(rows, &column))?;
        let floats = |value: fn(&query_sums::QuerySums) -> f64| {
            queries.iter().map(value).collect::<Vec<_>>().into_pyarray(py).unbind()
        };
        let first_rows: Vec<u32> = queries.iter().map(|query| query.first_row).collect();
        Ok(QuerySums {
            first_rows: first_rows.into_pyarray(py).unbind(),
            rows: floats(|query| f64::from(query.rows)),
            pairs: floats(|query| query.pairs.ordered),
            positives: floats(|query| query.pairs.positives),
            negatives: floats(|query| query.pairs.others),
        })
    }

    /// Sums over the rows between rising borders, one bin more than borders, each with its upper border: of
    /// rows, weights, weights of positive rows, weighted scores and squared weights.
    fn bins<'py>(&self, py: Python<'py>, borders: Vec<f64>) -> PyResult<Vec<Floats<'py>>> {
        let ranked = self.ranked.get().cloned();
        let found = self.run(py, move |rows| match ranked.as_deref() {
            Some(ranked) => of_any!(ranked, ranked => ranked.bins_of(rows, &borders)),
            None => bins::bins(rows, &borders),
        })?;
        Ok(columns(py, &found))
    }
}

impl LabelledRows {
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&labelled_rows::LabelledRows) -> error::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let rows = self.rows.clone();
        interruptible(py, self.threads, move |_| work(&rows))
    }
}

/// The log odds of labelled scores.
#[pyclass(frozen, module = "rankmark._native")]
pub struct LogOdds {
    ranked: Arc<AnyWidth>,
    odds: Arc<log_odds::LogOdds>,
    threads: usize,
}

#[pymethods]
impl LogOdds {
    /// The least and the greatest of the positive rows that have a weight, and of the others.
    #[getter]
    fn ranges(&self) -> [f64; 4] {
        self.odds.ranges
    }

    /// The log-likelihood of a logistic model of the log odds less a center, its two derivatives, and its three
    /// of second order with their signs changed.
    fn logistic(&self, py: Python<'_>, intercept: f64, slope: f64, center: f64) -> PyResult<[f64; 6]> {
        let (ranked, odds) = (Arc::clone(&self.ranked), Arc::clone(&self.odds));
        let model = Model { intercept, slope, center };
        interruptible(py, self.threads, move |_| Ok(of_any!(&*ranked, rows => odds.logistic(rows, model))))
    }
}

/// Sums over the rows of each query, in the order of their first rows.
#[pyclass(frozen, get_all, module = "rankmark._native")]
pub struct QuerySums {
    first_rows: Py<PyArray1<u32>>,
    rows: Py<PyArray1<f64>>,
    pairs: Py<PyArray1<f64>>,
    positives: Py<PyArray1<f64>>,
    negatives: Py<PyArray1<f64>>,
}

/// Sums of errors over the rows of each query, in the order of their first rows.
#[pyclass(frozen, get_all, module = "rankmark._native")]
pub struct QueryErrors {
    first_rows: Py<PyArray1<u32>>,
    rows: Py<PyArray1<f64>>,
    weights: Py<PyArray1<f64>>,
    squared: Py<PyArray1<f64>>,
    absolute: Py<PyArray1<f64>>,
    relative: Py<PyArray1<f64>>,
    symmetric: Py<PyArray1<f64>>,
}

/// Rows in the order of their scores, best first.
#[pyclass(frozen, module = "rankmark._native")]
pub struct RankedScores {
    ranked: Arc<AnyWidth>,
    /// The pairs, once the shape has told them.
    pairs: OnceLock<f64>,
    threads: usize,
}

#[pymethods]
impl RankedScores {
    /// The weight of the positive rows, and of the others.
    fn totals(&self) -> (f64, f64) {
        of_any!(&*self.ranked, rows => rows.totals())
    }

    /// Pairs of a positive and another row with the positive ahead, those with equal scores counted half; known at once
    /// after the shape.
    fn pairs(&self, py: Python<'_>) -> PyResult<f64> {
        if let Some(&pairs) = self.pairs.get() {
            return Ok(pairs);
        }
        self.run(py, |ranked| of_any!(ranked, rows => rows.pairs()))
    }

    /// What else the thresholds come to: over the positive rows the sum of the precision at their threshold, and
    /// that of the mean of it and the precision at the one above; the greatest distance between the shares of
    /// positive and of other rows that are found; and over all rows the sums of the squared distances from
    /// their score to the rate at it, and from that to the rate of all rows.
    fn shape(&self, py: Python<'_>) -> PyResult<[f64; 5]> {
        let shape = self.run(py, |ranked| of_any!(ranked, rows => rows.shape()))?;
        if let Some(pairs) = shape.pairs {
            self.pairs.get_or_init(|| pairs);
        }
        Ok([shape.precisions, shape.mean_precisions, shape.gap, shape.reliability, shape.resolution])
    }

    /// For each weight the highest threshold that finds more, the lowest of all where none does: the score, and
    /// the weights of the positive and of the other rows above it, and of those at it.
    fn beyond<'py>(&self, py: Python<'py>, weights: Vec<f64>) -> PyResult<Vec<Floats<'py>>> {
        let found = self.run(py, move |ranked| of_any!(ranked, rows => rows.beyond(&weights)))?;
        let numbers = |Threshold { score, above, own }| [score, above.0, above.1, own.0, own.1];
        Ok(columns(py, &found.into_iter().map(numbers).collect::<Vec<_>>()))
    }

    /// As [`LabelledRows::bins`], to within rounding.
    fn bins<'py>(&self, py: Python<'py>, borders: Vec<f64>) -> PyResult<Vec<Floats<'py>>> {
        Ok(columns(py, &self.run(py, move |ranked| of_any!(ranked, rows => rows.bins(&borders)))?))
    }

    /// The log odds of all rows, for logistic models; probabilities are kept `clip` away from 0 and 1.
    fn log_odds(&self, py: Python<'_>, clip: f64) -> PyResult<LogOdds> {
        let odds = self.run(py, move |ranked| of_any!(ranked, rows => log_odds::LogOdds::new(rows, clip)))?;
        Ok(LogOdds { ranked: Arc::clone(&self.ranked), odds: Arc::new(odds), threads: self.threads })
    }

    /// Each threshold, best first, and the weights of the positive and of the other rows that reach it.
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<(Floats<'py>, Floats<'py>, Floats<'py>)> {
        let (scores, positives, others) = self.run(py, |ranked| of_any!(ranked, rows => rows.curve()))?;
        Ok((scores.into_pyarray(py), positives.into_pyarray(py), others.into_pyarray(py)))
    }
}

/// The first numbers of all, the second …
fn columns<'py, const N: usize>(py: Python<'py>, rows: &[[f64; N]]) -> Vec<Floats<'py>> {
    (0..N).map(|at| rows.iter().map(|row| row[at]).collect::<Vec<_>>().into_pyarray(py)).collect()
}

impl RankedScores {
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&AnyWidth) -> T + Send + 'static,
    ) -> PyResult<T> {
        let ranked = Arc::clone(&self.ranked);
        interruptible(py, self.threads, move |_| Ok(work(&ranked)))
    }
}
