//! Loops that do more at once on the processors that can.

/// A function that calls another, translated for any processor and once more for those with AVX2 and POPCNT. The other is
/// to be `#[inline(always)]`, and to have loops rather than closures for iterators, which need not become part of it;
/// both give the same bits.
macro_rules! wide {
    ($(#[$about:meta])* $vis:vis fn $name:ident $(<$($of:ident: $bound:path),+>)? ($($value:ident: $kind:ty),*) -> $out:ty = $any:path) => {
        $(#[$about])*
        $vis fn $name $(<$($of: $bound),+>)? ($($value: $kind),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2 $(<$($of: $bound),+>)? ($($value: $kind),*) -> $out {
                $any($($value),*)
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the processor has just been asked whether it has both, all that the function needs.
                return unsafe { avx2($($value),*) };
            }
            $any($($value),*)
        }
    };
}

pub(crate) use wide;
