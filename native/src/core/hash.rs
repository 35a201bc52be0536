//! Ids as keys of hash tables.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::core::items::Items;
use crate::core::wide::wide;

/// An id: hashed, compared, and ordered for ties.
pub trait Key: Copy + Eq + Ord + Send + Sync {
    /// A hash for tables within one call.
    fn hash(self) -> u64;

    /// Short hashes of some, which equal keys share, for tables of few.
    fn short_hashes(keys: &[Self], hashes: &mut Vec<u32>);

    /// Whether one of some differs from this key.
    fn differs_from_any(self, others: &[Self]) -> bool;

    /// By how much an integer is greater than another; of strings None.
    fn above(self, least: Self) -> Option<u64>;

    /// The order of integers read as unsigned; the plain order for strings.
    fn unsigned_cmp(self, other: Self) -> Ordering;

    /// The order of numbers that stand behind one text in all strings, as in "q9" and "q10": shorter ones first; the
    /// plain order of integers.
    fn counted_cmp(self, other: Self) -> Ordering {
        self.cmp(&other)
    }

    /// A hash that is the same in every release and on every machine, for `ties="random"`.
    fn stable_hash(self, seed: u64) -> u64;

    /// A hash for tables of items, which has nothing to do with how the column of an id is laid out.
    fn hash_in_items(self) -> u64 {
        self.hash()
    }

    /// Its number among items, if it has one, by its hash there.
    fn number_in(self, hash: u64, items: &Items) -> Option<u32>;

    /// Its number among items, the next if it has none, by its hash there.
    fn added_to(self, hash: u64, items: &mut Items) -> u32;
}

impl Key for i64 {
    fn hash(self) -> u64 {
        folded(self as u64, 0)
    }

    fn short_hashes(keys: &[Self], hashes: &mut Vec<u32>) {
        hashes.resize(keys.len(), 0);
        multiply(keys, hashes);
    }

    #[inline(always)]
    fn differs_from_any(self, others: &[Self]) -> bool {
        // Several at a time, and no call for the few that these are.
        let mut bits = 0;
        for other in others {
            bits |= self ^ other;
        }
        bits != 0
    }

    fn above(self, least: Self) -> Option<u64> {
        Some(self.wrapping_sub(least) as u64)
    }

    fn unsigned_cmp(self, other: Self) -> Ordering {
        (self as u64).cmp(&(other as u64))
    }

    fn stable_hash(self, seed: u64) -> u64 {
        mix(seed ^ mix(self as u64))
    }

    fn number_in(self, hash: u64, items: &Items) -> Option<u32> {
        items.of_integer(self, hash)
    }

    fn added_to(self, hash: u64, items: &mut Items) -> u32 {
        items.integer(self, hash)
    }
}

impl Key for &[u8] {
    fn hash(self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(self);
        hasher.finish()
    }

    fn short_hashes(keys: &[Self], hashes: &mut Vec<u32>) {
        hashes.clear();
        hashes.extend(keys.iter().map(|key| (key.hash() >> 32) as u32));
    }

    fn differs_from_any(self, others: &[Self]) -> bool {
        others.iter().any(|&other| self != other)
    }

    fn above(self, _least: Self) -> Option<u64> {
        None
    }

    fn unsigned_cmp(self, other: Self) -> Ordering {
        self.cmp(other)
    }

    fn counted_cmp(self, other: Self) -> Ordering {
        self.len().cmp(&other.len()).then_with(|| self.cmp(other))
    }

    fn stable_hash(self, seed: u64) -> u64 {
        // FNV-1a, then mixed.
        let bytes = self.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        mix(seed ^ mix(bytes))
    }

    fn number_in(self, hash: u64, items: &Items) -> Option<u32> {
        items.of_text(self, hash)
    }

    fn added_to(self, hash: u64, items: &mut Items) -> u32 {
        items.text(self, hash)
    }
}

wide! {
    /// Hashes integers into as many places.
    fn multiply(keys: &[i64], hashes: &mut [u32]) -> () = multiply_any
}

#[inline(always)]
fn multiply_any(keys: &[i64], hashes: &mut [u32]) {
    // Products of 32 bits, of which several are computed at once. The upper bits depend on all of both halves.
    for (&key, hash) in keys.iter().zip(hashes) {
        let (low, high) = (key as u32, (key >> 32) as u32);
        *hash = low.wrapping_mul(0x9e37_79b1).wrapping_add(high.wrapping_mul(0x85eb_ca77));
    }
}

/// A hash of two numbers.
#[inline(always)]
pub fn folded(a: u64, b: u64) -> u64 {
    // The product's high half depends on every bit of both; tables use both ends of a hash.
    let product = u128::from(a ^ GOLDEN) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product >> 64) as u64 ^ product as u64
}

/// What SplitMix64 adds to its state from number to number: 2⁶⁴ over the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(GOLDEN);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
