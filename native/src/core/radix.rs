//! Sorting by whole numbers, digit by digit: what has the same number stays in its order.

use crate::core::error::{Result, room};

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
}
