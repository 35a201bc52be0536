//! What Python sees of labelled scores.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::ranked::{Ranked as RankedRows, Weighted};
use crate::rows::{Content, Rows};
use crate::{Table, error, interruptible, per_query, pool, rows};

/// Rows below which the calling thread does the work: waking others costs more.
const SMALL: usize = 20_000;

/// Labelled scores; `threads=0` means all cores.
#[pyclass(frozen, module = "rankmark._native")]
pub struct LabelledRows {
    rows: Rows,
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
        let threads = match threads {
            _ if table.get().0.num_rows() < SMALL => 0,
            0 => pool::cores(),
            threads => threads,
        };
        Self { rows: Rows { table: table.get().0.clone(), name, label, score, weight, positive }, threads }
    }

    /// Number of rows, some of the different labels, and how many scores are no probabilities, with the first
    /// such row.
    fn content(&self, py: Python<'_>) -> PyResult<(usize, Vec<f64>, usize, usize)> {
        let Content { rows, labels, no_probability, .. } = self.run(py, Rows::content)?;
        Ok((rows, labels, no_probability.count, no_probability.first))
    }

    /// Weighted sums over rows: of 1, of positive rows, of scores, and of the squares of score − positive; and
    /// the number of positive rows.
    fn binary_sums(&self, py: Python<'_>) -> PyResult<[f64; 5]> {
        self.run(py, |rows| {
            rows::sums(rows, |positive, _, score, weight| {
                let outcome = f64::from(u8::from(positive));
                let error = score - outcome;
                [weight, weight * outcome, weight * score, weight * error * error, outcome]
            })
        })
    }

    /// Weighted sums over rows: of 1, of labels, of scores, and of the squares and sizes of score − label.
    fn number_sums(&self, py: Python<'_>) -> PyResult<[f64; 5]> {
        self.run(py, |rows| {
            rows::sums(rows, |_, label, score, weight| {
                let error = score - label;
                [weight, weight * label, weight * score, weight * error * error, weight * error.abs()]
            })
        })
    }

    /// The weighted sum over rows of the negative logarithm of the probability that was given to the label.
    fn log_loss(&self, py: Python<'_>, clip: f64) -> PyResult<f64> {
        self.run(py, move |rows| rows::log_loss(rows, clip))
    }

    /// The rows in the order of their scores.
    fn ranked(&self, py: Python<'_>) -> PyResult<RankedScores> {
        let ranked = self.run(py, |rows| {
            Ok(match (rows.weight.is_some(), rows.float32()) {
                (true, _) => Ranked::Weighted(RankedRows::new(rows)?),
                (false, true) => Ranked::Narrow(RankedRows::new(rows)?),
                (false, false) => Ranked::Wide(RankedRows::new(rows)?),
            })
        })?;
        Ok(RankedScores { ranked: std::sync::Arc::new(ranked), threads: self.threads })
    }

    /// What the rows of each query come to.
    fn queries(&self, py: Python<'_>, column: String) -> PyResult<QuerySums> {
        let queries = self.run(py, move |rows| per_query::queries(rows, &column))?;
        let floats = |value: fn(&per_query::Query) -> f64| {
            queries.iter().map(value).collect::<Vec<_>>().into_pyarray(py).unbind()
        };
        let first_rows: Vec<u32> = queries.iter().map(|query| query.first_row).collect();
        Ok(QuerySums {
            first_rows: first_rows.into_pyarray(py).unbind(),
            rows: floats(|query| f64::from(query.rows)),
            pairs: floats(|query| query.pairs),
            positives: floats(|query| query.positives),
            negatives: floats(|query| query.others),
            scores: floats(|query| query.score),
        })
    }
}

impl LabelledRows {
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Rows) -> error::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let rows = self.rows.clone();
        interruptible(py, self.threads, move |_| work(&rows))
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
    scores: Py<PyArray1<f64>>,
}

/// Rows in the order of their scores, as small as they can be.
enum Ranked {
    Narrow(RankedRows<u32>),
    Wide(RankedRows<u64>),
    Weighted(RankedRows<Weighted>),
}

macro_rules! of_any {
    ($ranked:expr, $rows:ident => $value:expr) => {
        match $ranked {
            Ranked::Narrow($rows) => $value,
            Ranked::Wide($rows) => $value,
            Ranked::Weighted($rows) => $value,
        }
    };
}

/// Rows in the order of their scores, best first.
#[pyclass(frozen, module = "rankmark._native")]
pub struct RankedScores {
    ranked: std::sync::Arc<Ranked>,
    threads: usize,
}

#[pymethods]
impl RankedScores {
    /// The weight of the positive rows, and of the others.
    fn totals(&self) -> (f64, f64) {
        of_any!(&*self.ranked, rows => rows.totals())
    }

    /// Pairs of a positive and another row with the positive ahead, those with equal scores counted half.
    fn pairs(&self, py: Python<'_>) -> PyResult<f64> {
        self.run(py, |ranked| of_any!(ranked, rows => rows.pairs()))
    }

    /// The sum over the positive rows of the precision at their threshold.
    fn precisions(&self, py: Python<'_>) -> PyResult<f64> {
        self.run(py, |ranked| of_any!(ranked, rows => rows.precisions()))
    }

    /// The same, of the mean of the precisions at their threshold and at the one above it.
    fn mean_precisions(&self, py: Python<'_>) -> PyResult<f64> {
        self.run(py, |ranked| of_any!(ranked, rows => rows.mean_precisions()))
    }

    /// The greatest distance between the shares of positive and of other rows that a threshold finds.
    fn gap(&self, py: Python<'_>) -> PyResult<f64> {
        self.run(py, |ranked| of_any!(ranked, rows => rows.gap()))
    }

    /// Each threshold, best first, and the weights of the positive and of the other rows that reach it.
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<(Floats<'py>, Floats<'py>, Floats<'py>)> {
        let (scores, positives, others) = self.run(py, |ranked| of_any!(ranked, rows => rows.curve()))?;
        Ok((scores.into_pyarray(py), positives.into_pyarray(py), others.into_pyarray(py)))
    }
}

impl RankedScores {
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Ranked) -> T + Send + 'static,
    ) -> PyResult<T> {
        let ranked = std::sync::Arc::clone(&self.ranked);
        interruptible(py, self.threads, move |_| Ok(work(&ranked)))
    }
}
