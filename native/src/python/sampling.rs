//! Items drawn for users.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::sample::{Sampling, Sets};
use crate::python::running::{self, interruptible};

/// The rows of users: where those of each begin, items, places, chances.
type Rows<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
);

/// Lists of ascending numbers: where those of each begin, and the numbers.
type Lists<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>);

/// Rows that users are marked by.
const MOST_USERS: usize = 1 << 30;

/// The items held out for each user, with others drawn that the user had not: items ascending, the place of each among
/// those held out, -1 of a drawn one and -2 of one drawn again, and how likely it was to be there.
///
/// The strata are all items, those of each together, where each begins, and how many are drawn of each; `how` has the
/// weights of items, which go with one stratum, and whether an item can be drawn again.
#[pyfunction]
pub fn sample_negatives<'py>(
    py: Python<'py>,
    keys: PyReadonlyArray1<'py, u64>,
    had: Lists<'py>,
    held_out: Lists<'py>,
    strata: (PyReadonlyArray1<'py, i32>, Vec<usize>, Vec<usize>),
    how: (Option<PyReadonlyArray1<'py, f64>>, bool),
    threads: usize,
) -> PyResult<Rows<'py>> {
    let keys = keys.as_slice()?.to_vec();
    let had = owned(&had, keys.len())?;
    let held_out = owned(&held_out, keys.len())?;
    let (members, bounds, takes) = (strata.0.as_slice()?.to_vec(), strata.1, strata.2);
    let (weights, replacement) = how;
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let count = members.len();
    let mut there = vec![false; count];
    members.iter().for_each(|&item| there.get_mut(item as usize).into_iter().for_each(|each| *each = true));
    let known = |items: &[i32]| items.iter().all(|&item| (item as usize) < count);
    let ends = bounds.first() == Some(&0) && bounds.last() == Some(&count) && bounds.is_sorted();
    let weighed = weights.as_ref().is_none_or(|weights| {
        weights.len() == count
            && takes.len() == 1
            && weights.iter().all(|&each| each.is_finite() && each >= 0.0)
    });
    if !(known(&had.1) && known(&held_out.1) && there.iter().all(|&each| each) && ends && weighed)
        || bounds.len() != takes.len() + 1
        || keys.len() > MOST_USERS
    {
        return Err(PyValueError::new_err(
            "items by their numbers, each in one stratum, and weights of one stratum",
        ));
    }
    let threads = running::threads(threads, had.1.len() + keys.len() < running::FEW_ROWS);
    let drawn = interruptible(py, threads, move |cancelled| {
        let sampling = Sampling::new(&members, &bounds, &takes, weights.as_deref(), replacement);
        let had = Sets { offsets: &had.0, items: &had.1 };
        let held_out = Sets { offsets: &held_out.0, items: &held_out.1 };
        Ok(sampling.drawn(&keys, had, held_out, cancelled))
    })?;
    Ok((
        drawn.offsets.into_pyarray(py),
        drawn.items.into_pyarray(py),
        drawn.places.into_pyarray(py),
        drawn.chances.into_pyarray(py),
    ))
}

/// Lists of their own, one a user, in each of which numbers ascend.
fn owned(lists: &Lists<'_>, users: usize) -> PyResult<(Vec<i64>, Vec<i32>)> {
    let (offsets, items) = (lists.0.as_slice()?.to_vec(), lists.1.as_slice()?.to_vec());
    let ends = offsets.first() == Some(&0) && offsets.last() == Some(&(items.len() as i64));
    let ascend = |ends: &[i64]| items[ends[0] as usize..ends[1] as usize].is_sorted_by(|a, b| a < b);
    if !ends || offsets.len() != users + 1 || !offsets.is_sorted() || !offsets.windows(2).all(ascend) {
        return Err(PyValueError::new_err("a list of ascending numbers for each user"));
    }
    Ok((offsets, items))
}
