//! Scores: as they lie in memory, and as whole numbers that are sorted sooner.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::core::column::Number;

/// A score, in as many bits as its column or array has.
pub trait Score: Number + PartialOrd {
    /// Less than every other score: whoever has it is in no list.
    const NEVER: Self;
    /// A whole number of as many bits, so that several scores are compared, and counted, at once.
    type Count: Copy + Default + Add<Output = Self::Count> + AddAssign + Sum + From<bool> + Into<u64>;

    /// Its code: of a greater score a smaller one, of equal scores (also 0 and −0) the same.
    fn code(self) -> u64;

    /// The score of a code.
    fn of_code(code: u64) -> f64;

    /// Whether it is exact as a 32-bit float.
    fn is_float32(self) -> bool {
        let exact: f64 = self.into();
        f64::from(exact as f32) == exact
    }
}

impl Score for f32 {
    const NEVER: Self = f32::NEG_INFINITY;
    type Count = u32;

    fn code(self) -> u64 {
        u64::from(code32(self))
    }

    fn of_code(code: u64) -> f64 {
        score_of(code, true)
    }
}

impl Score for f64 {
    const NEVER: Self = f64::NEG_INFINITY;
    type Count = u64;

    fn code(self) -> u64 {
        code64(self)
    }

    fn of_code(code: u64) -> f64 {
        score_of(code, false)
    }
}

fn code32(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 0 { !(bits | 1 << 31) } else { bits }
}

fn code64(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { !(bits | 1 << 63) } else { bits }
}

/// The code of a score, which as a 32-bit float has half the bits.
pub fn code_of(score: f64, float32: bool) -> u64 {
    if float32 { u64::from(code32(score as f32)) } else { code64(score) }
}

/// The score of a code.
pub fn score_of(code: u64, float32: bool) -> f64 {
    if float32 {
        let code = code as u32;
        f64::from(f32::from_bits(if code >> 31 == 0 { !code & !(1 << 31) } else { code }))
    } else {
        f64::from_bits(if code >> 63 == 0 { !code & !(1 << 63) } else { code })
    }
}

/// The code of a score and another number in one, by which rows are sorted: by code, those of one code by the
/// number, which has as many bits.
pub trait Coded: Copy + Ord + Send + Sync {
    /// Whether scores are 32-bit floats: half as long, and sorted in half the time.
    const FLOAT32: bool;

    /// Both in one.
    fn new(score: f64, other: u64) -> Self;

    /// The code.
    fn code(self) -> u64;

    /// The other number.
    fn other(self) -> u64;
}

impl Coded for u64 {
    const FLOAT32: bool = true;

    fn new(score: f64, other: u64) -> Self {
        code_of(score, true) << 32 | other
    }

    fn code(self) -> u64 {
        self >> 32
    }

    fn other(self) -> u64 {
        self & u64::from(u32::MAX)
    }
}

impl Coded for u128 {
    const FLOAT32: bool = false;

    fn new(score: f64, other: u64) -> Self {
        Self::from(code_of(score, false)) << 64 | Self::from(other)
    }

    fn code(self) -> u64 {
        (self >> 64) as u64
    }

    fn other(self) -> u64 {
        self as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_fall_as_scores_rise_and_read_back() {
        let scores = [f64::INFINITY, 1.5, 1.0, 1e-40, 0.0, -1e-40, -1.0, f64::NEG_INFINITY];
        for float32 in [false, true] {
            let codes: Vec<_> = scores.iter().map(|&score| code_of(score, float32)).collect();
            assert!(codes.is_sorted());
            assert_eq!(code_of(-0.0, float32), code_of(0.0, float32));
            for (&score, &code) in scores.iter().zip(&codes) {
                let expected = if float32 { f64::from(score as f32) } else { score };
                assert_eq!(score_of(code, float32), expected);
            }
        }
    }

    #[test]
    fn a_code_and_a_number_are_in_the_order_of_the_scores_of_either_width() {
        fn check<C: Coded + std::fmt::Debug>() {
            let descending = [f64::INFINITY, 2.5, 1e-40, 0.0, -0.5, -2.5, f64::NEG_INFINITY];
            assert!(descending.map(|score| C::new(score, 7)).is_sorted());
            assert_eq!(C::new(-0.0, 7), C::new(0.0, 7));
            assert!(C::new(0.5, 7) < C::new(0.5, 8));
            let both = C::new(0.5, 7);
            assert_eq!((both.code(), both.other()), (code_of(0.5, C::FLOAT32), 7));
        }
        check::<u64>();
        check::<u128>();
    }
}
