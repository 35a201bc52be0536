//! What Python computes with arrays: one value an item or one a query.

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::lists::{segments, values};
use crate::core::spread::{self, AroundMean};
use crate::core::standing::{self, Above};
use crate::core::sums::compensated_sum;
use crate::python::errors::raise;
use crate::python::running::unlocked;

/// A new array.
pub type Array<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

fn array<T: Element>(py: Python<'_>, work: impl FnOnce() -> Vec<T> + Send) -> Array<'_, T> {
    Ok(unlocked(py, work)?.into_pyarray(py))
}

/// The sum of each segment; segment `i` is `values[offsets[i]:offsets[i + 1]]`.
#[pyfunction]
pub fn segment_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::sum(values, offsets))
}

/// The sum of each segment, each value times `weights[rank - 1]`; later ranks weigh nothing.
#[pyfunction]
pub fn segment_weighted_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    ranks: PyReadonlyArray1<'py, i64>,
    weights: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, ranks, weights, offsets) =
        (values.as_slice()?, ranks.as_slice()?, weights.as_slice()?, offsets.as_slice()?);
    array(py, || segments::weighted_sum(values, ranks, weights, offsets))
}

/// The first and the last of the ranks that each item shares with those of its score.
type Ties<T> = (T, T);

/// The sum of each segment, each value times the mean weight of its ranks; ranks beyond the weights weigh nothing.
#[pyfunction]
pub fn segment_shared_weighted_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    ties: Ties<PyReadonlyArray1<'py, i64>>,
    weights: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, ties) = (values.as_slice()?, (ties.0.as_slice()?, ties.1.as_slice()?));
    let (weights, offsets) = (weights.as_slice()?, offsets.as_slice()?);
    array(py, || segments::shared_weighted_sum(values, ties, weights, offsets))
}

/// For each item its precision, counting the items that are here, as the mean over all orders of equal scores.
#[pyfunction]
pub fn segment_shared_precision<'py>(
    py: Python<'py>,
    ties: Ties<PyReadonlyArray1<'py, i64>>,
    cutoff: Option<i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (ties, offsets) = ((ties.0.as_slice()?, ties.1.as_slice()?), offsets.as_slice()?);
    array(py, || segments::shared_precision(ties, cutoff, offsets))
}

/// The grades of each segment's rows by falling score, and the ranks that they share if `shares` asks for them and
/// any are shared. Rows of equal scores are in the order of `rows`.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "three arrays")]
pub fn segment_ranked<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    rows: PyReadonlyArray1<'py, i64>,
    grades: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
    shares: bool,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Option<Ties<Bound<'py, PyArray1<i64>>>>)> {
    let (scores, rows) = (scores.as_slice()?, rows.as_slice()?);
    let (grades, offsets) = (grades.as_slice()?, offsets.as_slice()?);
    let (ranked, ties) = unlocked(py, || {
        let order = segments::by_falling(scores, rows, offsets);
        let at = |values: &[f64]| order.iter().map(|&row| values[row as usize]).collect::<Vec<_>>();
        (at(grades), if shares { segments::shared_ranks(&at(scores), offsets) } else { None })
    })?;
    let ties = ties.map(|(first, last)| (first.into_pyarray(py), last.into_pyarray(py)));
    Ok((ranked.into_pyarray(py), ties))
}

/// Values of a system in their order.
#[pyclass(frozen, module = "rankmark._native")]
pub struct Ordered(standing::Ordered);

#[pymethods]
impl Ordered {
    #[new]
    fn new(py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let values = values.as_slice()?;
        unlocked(py, || standing::Ordered::of(values))?.map(Self).map_err(|error| raise(py, &error))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// How many of the others are below each value, less how many are above it: in all, the mean as a share, and what
    /// of this is of each query, less the mean.
    fn above<'py>(&self, py: Python<'py>, others: &Bound<'py, Self>) -> PyResult<(i64, f64, Floats<'py>)> {
        let others = &others.get().0;
        let Above { total, mean, apart } = unlocked(py, || self.0.above(others))?;
        Ok((total, mean, apart.into_pyarray(py)))
    }
}

/// Each value less the other; 0 where that is no more than their rounding.
#[pyfunction]
pub fn apart<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    others: PyReadonlyArray1<'py, f64>,
) -> Array<'py, f64> {
    let (values, others) = (values.as_slice()?, others.as_slice()?);
    if values.len() != others.len() {
        return Err(PyValueError::new_err("there are not as many others"));
    }
    array(py, || spread::apart(values, others))
}

/// A unit, and the sums of the squares and the cubes of what values in another unit are off their mean by, in it.
#[pyfunction]
pub fn around_mean(
    py: Python<'_>,
    values: PyReadonlyArray1<'_, f64>,
    unit: f64,
) -> PyResult<(f64, f64, f64)> {
    let values = values.as_slice()?;
    let AroundMean { unit, squares, cubes } = unlocked(py, || AroundMean::of(values, unit))?;
    Ok((unit, squares, cubes))
}

/// Of each value how many of its segment are below it, and how many equal it, itself among them.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
pub fn segment_below_and_equal<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    let (below, equal) = unlocked(py, || standing::below_and_equal(values, offsets))?;
    Ok((below.into_pyarray(py), equal.into_pyarray(py)))
}

/// Of each item how many of its segment are below it by x, equal ones by y, and how many equal it in both.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
pub fn segment_below_and_equal_in_turn<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'py, i64>,
    y: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
    let (x, y, offsets) = (x.as_slice()?, y.as_slice()?, offsets.as_slice()?);
    let (below, equal) = unlocked(py, || standing::below_and_equal_in_turn(x, y, offsets))?;
    Ok((below.into_pyarray(py), equal.into_pyarray(py)))
}

/// Of each item how many of its segment are below it in both x and y.
#[pyfunction]
pub fn segment_below_in_both<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'py, i64>,
    y: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, i64> {
    let (x, y, offsets) = (x.as_slice()?, y.as_slice()?, offsets.as_slice()?);
    array(py, || standing::below_in_both(x, y, offsets))
}

/// How many pairs of items of each segment are in the same order in x and y, tied in x, in y, and in both.
#[pyfunction]
pub fn segment_pair_counts<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'py, i64>,
    y: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> PyResult<[Bound<'py, PyArray1<f64>>; 4]> {
    let (x, y, offsets) = (x.as_slice()?, y.as_slice()?, offsets.as_slice()?);
    let counts = unlocked(py, || standing::pair_counts(x, y, offsets))?;
    let numbers = [counts.concordant, counts.tied_x, counts.tied_y, counts.tied_both];
    Ok(numbers.map(|each| each.into_pyarray(py)))
}

/// How many of each segment are true.
#[pyfunction]
pub fn segment_count<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, bool>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::count(values, offsets))
}

/// What is left of ranks, grades, shared ranks and offsets when only what is `kept` stays in the segments.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "five arrays")]
pub fn segment_kept<'py>(
    py: Python<'py>,
    kept: PyReadonlyArray1<'py, bool>,
    rank: PyReadonlyArray1<'py, i64>,
    relevance: PyReadonlyArray1<'py, f64>,
    ties: Option<Ties<PyReadonlyArray1<'py, i64>>>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> PyResult<(
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Ties<Bound<'py, PyArray1<i64>>>>,
    Bound<'py, PyArray1<i64>>,
)> {
    let (kept, offsets) = (kept.as_slice()?, offsets.as_slice()?);
    let (rank, relevance) = (rank.as_slice()?, relevance.as_slice()?);
    let ties = match &ties {
        Some((first, last)) => Some((first.as_slice()?, last.as_slice()?)),
        None => None,
    };
    let (rank, relevance, ties, offsets) = unlocked(py, || {
        let (offsets, places) = segments::kept(kept, offsets);
        let ties = ties.map(|(first, last)| (segments::at(first, &places), segments::at(last, &places)));
        (segments::at(rank, &places), segments::at(relevance, &places), ties, offsets)
    })?;
    let ties = ties.map(|(first, last)| (first.into_pyarray(py), last.into_pyarray(py)));
    Ok((rank.into_pyarray(py), relevance.into_pyarray(py), ties, offsets.into_pyarray(py)))
}

/// The place of each value in its segment, from 1.
#[pyfunction]
pub fn segment_ranks<'py>(py: Python<'py>, offsets: PyReadonlyArray1<'py, i64>) -> Array<'py, i64> {
    let offsets = offsets.as_slice()?;
    array(py, || segments::ranks(offsets))
}

/// The first value of each segment, infinity for an empty one.
#[pyfunction]
pub fn segment_first<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::first(values, offsets))
}

/// The values, in each segment from the greatest to the least.
#[pyfunction]
pub fn segment_descending<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::descending(values, offsets))
}

/// Running sums that start anew in each segment.
#[pyfunction]
pub fn segment_running_sum<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::running_sum(values, offsets))
}

/// Running products that start anew in each segment.
#[pyfunction]
pub fn segment_running_product<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    offsets: PyReadonlyArray1<'py, i64>,
) -> Array<'py, f64> {
    let (values, offsets) = (values.as_slice()?, offsets.as_slice()?);
    array(py, || segments::running_product(values, offsets))
}

/// One number for all queries, or one a query.
#[derive(FromPyObject)]
pub enum Denominator<'py> {
    One(f64),
    Each(PyReadonlyArray1<'py, f64>),
}

/// Each numerator over its denominator: NaN where nothing is relevant, else 0 where the denominator is 0.
#[pyfunction]
pub fn ratio<'py>(
    py: Python<'py>,
    numerator: PyReadonlyArray1<'py, f64>,
    denominator: Denominator<'py>,
    relevant: PyReadonlyArray1<'py, f64>,
) -> Array<'py, f64> {
    let (above, relevant) = (numerator.as_slice()?, relevant.as_slice()?);
    match denominator {
        Denominator::One(below) => array(py, || values::ratio(above, std::iter::repeat(below), relevant)),
        Denominator::Each(below) => {
            let below = below.as_slice()?;
            array(py, || values::ratio(above, below.iter().copied(), relevant))
        }
    }
}

/// How many queries have not the same value in all arrays, but for rounding.
#[pyfunction]
pub fn count_unlike(
    py: Python<'_>,
    first: PyReadonlyArray1<'_, f64>,
    others: Vec<PyReadonlyArray1<'_, f64>>,
) -> PyResult<usize> {
    let first = first.as_slice()?;
    let others = others.iter().map(|other| Ok(other.as_slice()?)).collect::<PyResult<Vec<_>>>()?;
    unlocked(py, || values::count_unlike(first, &others))
}

/// The compensated sum of all values.
#[pyfunction]
pub fn exact_sum(py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
    let values = values.as_slice()?;
    unlocked(py, || compensated_sum(values.iter().copied()))
}
