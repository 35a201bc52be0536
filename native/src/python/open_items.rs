//! Lists with items that nobody judged, for the bounds of what they could be.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::core::lists::open_items::{self, Adding, From, Graded, Lists, Seen, Segments};
use crate::python::running::unlocked;

type Ints<'py> = PyReadonlyArray1<'py, i64>;
type Floats<'py> = PyReadonlyArray1<'py, f64>;
type NewInts<'py> = Bound<'py, PyArray1<i64>>;
type NewFloats<'py> = Bound<'py, PyArray1<f64>>;

/// The ranks of judged items, a number of each, the offsets of the lists, and their lengths.
type JudgedItems<'py> = (Ints<'py>, Floats<'py>, Ints<'py>, Ints<'py>);

fn lists<'a>((rank, value, offsets, retrieved): &'a JudgedItems<'_>) -> PyResult<Lists<'a>> {
    Ok(Lists {
        rank: rank.as_slice()?,
        value: value.as_slice()?,
        offsets: offsets.as_slice()?,
        retrieved: retrieved.as_slice()?,
    })
}

fn segments<'a>((values, offsets): &'a (Floats<'_>, Ints<'_>)) -> PyResult<Segments<'a>> {
    Ok(Segments { values: values.as_slice()?, offsets: offsets.as_slice()? })
}

fn from(top: bool) -> From {
    if top { From::Top } else { From::End }
}

/// Lists with grades in the places of open items: ranks, grades, offsets, all grades and their offsets.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is another thing")]
pub fn open_filled<'py>(
    py: Python<'py>,
    judged: JudgedItems<'py>,
    ideal: (Floats<'py>, Ints<'py>),
    queries: Ints<'py>,
    fills: (Floats<'py>, Ints<'py>),
    top: bool,
    last: i64,
    zeros: bool,
    best: usize,
) -> PyResult<(NewInts<'py>, NewFloats<'py>, NewInts<'py>, NewFloats<'py>, NewInts<'py>)> {
    let (lists, ideal, fills) = (lists(&judged)?, segments(&ideal)?, segments(&fills)?);
    let queries = queries.as_slice()?;
    let seen = Seen { from: from(top), last, zeros, best };
    let found = unlocked(py, || open_items::filled(&lists, ideal, queries, fills, seen))?;
    Ok((
        found.rank.into_pyarray(py),
        found.grade.into_pyarray(py),
        found.offsets.into_pyarray(py),
        found.ideal.into_pyarray(py),
        found.ideal_offsets.into_pyarray(py),
    ))
}

/// What items add up to for each number of relevant open ones, and the offsets; without weights their precisions.
#[pyfunction]
pub fn open_totals<'py>(
    py: Python<'py>,
    judged: JudgedItems<'py>,
    gain: Floats<'py>,
    weights: Option<Floats<'py>>,
    first_alone: bool,
    top: bool,
    last: i64,
) -> PyResult<(NewFloats<'py>, NewInts<'py>)> {
    let (lists, gain) = (lists(&judged)?, gain.as_slice()?);
    let adding = match &weights {
        None => Adding::Precision,
        Some(weights) if first_alone => Adding::First(weights.as_slice()?),
        Some(weights) => Adding::Weights(weights.as_slice()?),
    };
    let (totals, offsets) = unlocked(py, || open_items::totals(&lists, gain, adding, from(top), last))?;
    Ok((totals.into_pyarray(py), offsets.into_pyarray(py)))
}

/// What the best order is worth for each number of relevant open items, from `first` on.
#[pyfunction]
pub fn open_best_totals<'py>(
    py: Python<'py>,
    known: (Floats<'py>, Ints<'py>),
    gain: Floats<'py>,
    first: Ints<'py>,
    offsets: Ints<'py>,
    weights: Floats<'py>,
) -> PyResult<NewFloats<'py>> {
    let (known, gain, first) = (segments(&known)?, gain.as_slice()?, first.as_slice()?);
    let (offsets, weights) = (offsets.as_slice()?, weights.as_slice()?);
    let found = unlocked(py, || open_items::best_totals(known, gain, first, offsets, weights))?;
    Ok(found.into_pyarray(py))
}

/// The grades of open items by which a quotient of gains is highest, and their offsets; `known` and `highest` are
/// grades and their gains.
#[pyfunction]
pub fn open_best_grades<'py>(
    py: Python<'py>,
    judged: JudgedItems<'py>,
    known: (Floats<'py>, Floats<'py>),
    known_offsets: Ints<'py>,
    highest: (Floats<'py>, Floats<'py>),
    weights: Floats<'py>,
    last: i64,
) -> PyResult<(NewFloats<'py>, NewInts<'py>)> {
    let lists = lists(&judged)?;
    let known = Graded { grades: known.0.as_slice()?, gains: known.1.as_slice()? };
    let highest = Graded { grades: highest.0.as_slice()?, gains: highest.1.as_slice()? };
    let (offsets, weights) = (known_offsets.as_slice()?, weights.as_slice()?);
    let (grades, offsets) =
        unlocked(py, || open_items::best_grades(&lists, known, offsets, highest, weights, last))?;
    Ok((grades.into_pyarray(py), offsets.into_pyarray(py)))
}
