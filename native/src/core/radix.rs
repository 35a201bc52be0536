//! Sorting by whole numbers, digit by digit: what has the same number stays in its order.

use crate::core::error::{Result, room};
use crate::core::scores::Score;

/// Bits of a number that one pass takes.
const DIGIT_BITS: u32 = 11;
/// Fewer rows than this are sorted by comparing.
const FEW: usize = 1 << 10;

/// What is sorted by a whole number, its code.
pub trait ByCode: Copy + Default {
    /// The code.
    fn code(self) -> u64;
}

/// Sorts rows by codes of so many bits; rows of the same code stay in their order.
pub fn sort<R: ByCode>(rows: &mut Vec<R>, bits: u32) -> Result<()> {
    if rows.len() < FEW {
        rows.sort_by_key(|row| row.code());
        return Ok(());
    }
    let passes = bits.div_ceil(DIGIT_BITS);
    let digit = |row: R, pass: u32| (row.code() >> (pass * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1);
    let mut counts = vec![[0_u32; 1 << DIGIT_BITS]; passes as usize];
    for &row in rows.iter() {
        (0..passes).for_each(|pass| counts[pass as usize][digit(row, pass)] += 1);
    }
    let mut sorted = room(rows.len())?;
    sorted.resize(rows.len(), R::default());
    for (pass, counts) in (0..passes).zip(&mut counts) {
        if counts[digit(rows[0], pass)] as usize == rows.len() {
            continue; // all have this digit
        }
        let mut place = 0;
        for count in counts.iter_mut() {
            place += std::mem::replace(count, place);
        }
        for &row in rows.iter() {
            let place = &mut counts[digit(row, pass)];
            sorted[*place as usize] = row;
            *place += 1;
        }
        std::mem::swap(rows, &mut sorted);
    }
    Ok(())
}

/// A number's code, and where it stands.
#[derive(Clone, Copy, Default)]
struct Placed {
    code: u64,
    place: u32,
}

impl ByCode for Placed {
    fn code(self) -> u64 {
        self.code
    }
}

/// The places of some numbers, none of which is NaN, from the least to the greatest; equal ones as they stand.
///
/// # Errors
/// There is no room for a copy.
pub fn rising(values: &[f64]) -> Result<Vec<i64>> {
    let mut rows = room(values.len())?;
    rows.extend(values.iter().zip(0..).map(|(value, place)| Placed { code: !value.code(), place }));
    sort(&mut rows, u64::BITS)?;
    Ok(rows.iter().map(|row| row.place.into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ByCode for (u64, usize) {
        fn code(self) -> u64 {
            self.0
        }
    }

    #[test]
    fn the_radix_sort_sorts() {
        let mut rows: Vec<_> = (0..5_000).map(|i| ((i as u64 * 7_919 % 1_003) << 20, i)).collect();
        let mut expected = rows.clone();
        expected.sort();
        sort(&mut rows, 30).unwrap();
        assert_eq!(rows, expected);
    }

    #[test]
    fn numbers_rise_and_equal_ones_stay_in_order() {
        assert_eq!(rising(&[0.5, -0.0, 0.0, f64::NEG_INFINITY, -1.0, 0.5]).unwrap(), [3, 4, 1, 2, 0, 5]);
        let values: Vec<f64> = (0..3_000).map(|i| f64::from(i * 7_919 % 1_003 - 500) / 3.0).collect();
        let mut expected: Vec<i64> = (0..3_000).collect();
        expected.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
        assert_eq!(rising(&values).unwrap(), expected);
    }
}
