//! How values stand to each other: those of two systems, and those of one ranking.

use std::cmp::Reverse;
use std::mem::swap;

use crate::core::error::{Error, Result};
use crate::core::lists::segments::segments;
use crate::core::radix::{ByCode, sort};
use crate::core::scores::Score;
use crate::core::spread::mean;
use crate::core::wide::wide;

/// Values of a system in their order, for all others that they are compared with; none is NaN.
pub struct Ordered {
    /// The different ones, from the least to the greatest.
    rising: Vec<f64>,
    /// How many there are of each.
    counts: Vec<u32>,
    /// The place of each value among the different ones.
    places: Vec<u32>,
}

/// How values stand to others.
#[derive(Debug, PartialEq)]
pub struct Above {
    /// How many of the others are below each, less how many are above it, added up over all.
    pub total: i64,
    /// The mean over all of this as a share of the others; NaN where there are more or fewer of these.
    pub mean: f64,
    /// Of each query the share of its value, less that of its other, less the mean.
    pub apart: Vec<f64>,
}

/// A value as it is sorted, and where it was.
#[derive(Clone, Copy, Default)]
struct Placed {
    code: u64,
    row: u32,
}

impl ByCode for Placed {
    fn code(self) -> u64 {
        self.code
    }
}

impl Ordered {
    /// Puts values in order.
    pub fn of(values: &[f64]) -> Result<Self> {
        let rows = u32::try_from(values.len()).map_err(|_| Error::too_large())?;
        // The code of a greater score is the smaller one.
        let placed = (0..rows).zip(values).map(|(row, value)| Placed { code: !value.code(), row });
        let mut sorted: Vec<_> = placed.collect();
        sort(&mut sorted, u64::BITS)?;
        let mut own = Self { rising: Vec::new(), counts: Vec::new(), places: vec![0; values.len()] };
        for alike in sorted.chunk_by(|one, other| one.code == other.code) {
            alike.iter().for_each(|each| own.places[each.row as usize] = own.rising.len() as u32);
            own.rising.push(values[alike[0].row as usize]);
            own.counts.push(alike.len() as u32);
        }
        Ok(own)
    }

    /// How many these are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// How these values stand to others, which mostly are of the same queries.
    pub fn above(&self, others: &Self) -> Above {
        let (over, under) = self.standing(others);
        let total = over.iter().zip(&self.counts).map(|(over, &count)| over * i64::from(count)).sum();
        if self.len() != others.len() {
            return Above { total, mean: f64::NAN, apart: Vec::new() };
        }
        let share = |count: i64| count as f64 / self.len() as f64;
        let [over, under] = [over, under].map(|counts| counts.into_iter().map(share).collect::<Vec<_>>());
        let mean = mean(&self.places, |&place| over[place as usize]);
        let queries = self.places.iter().zip(&others.places);
        let apart = |(&one, &other): (&u32, &u32)| over[one as usize] - under[other as usize] - mean;
        Above { total, mean, apart: queries.map(apart).collect() }
    }

    /// Of each different value how many of the others are below it, less how many are above it; and of each different
    /// one of the others alike.
    fn standing(&self, others: &Self) -> (Vec<i64>, Vec<i64>) {
        let (mut over, mut under) = (vec![0; self.rising.len()], vec![0; others.rising.len()]);
        let (all, all_others) = (self.places.len() as i64, others.places.len() as i64);
        let (mut one, mut other, mut before, mut others_before) = (0, 0, 0, 0);
        // Which comes first is as good as random, so that nothing depends on a guess of it: both are written, and what is
        // not yet right once more.
        while let (Some(value), Some(other_value)) = (self.rising.get(one), others.rising.get(other)) {
            let (first, second) = (value <= other_value, other_value <= value);
            let (count, other_count) = (i64::from(self.counts[one]), i64::from(others.counts[other]));
            let both = i64::from(first & second);
            over[one] = 2 * others_before + both * other_count - all_others;
            under[other] = 2 * before + both * count - all;
            before += i64::from(first) * count;
            others_before += i64::from(second) * other_count;
            one += usize::from(first);
            other += usize::from(second);
        }
        over[one..].fill(all_others);
        under[other..].fill(all);
        (over, under)
    }
}

/// Of each value how many of its segment are below it, and how many equal it, itself among them.
pub fn below_and_equal(values: &[i64], offsets: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let (mut below, mut equal) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    let mut counted = Counted::default();
    for rows in segments(offsets) {
        counted.count(&values[rows]);
        below.extend(counted.codes.iter().map(|&code| counted.below[code] as i64));
        equal.extend(counted.codes.iter().map(|&code| counted.equal(code) as i64));
    }
    (below, equal)
}

/// Of each item how many of its segment are below it by x, equal ones by y, and how many equal it in both, itself among
/// them.
pub fn below_and_equal_in_turn(x: &[i64], y: &[i64], offsets: &[i64]) -> (Vec<i64>, Vec<i64>) {
    let (mut below, mut equal) = (vec![0; x.len()], vec![0; x.len()]);
    let (mut by_x, mut by_y) = (Counted::default(), Counted::default());
    let (mut order, mut next) = (Vec::new(), Vec::new());
    for rows in segments(offsets) {
        by_x.count(&x[rows.clone()]);
        by_y.count(&y[rows.clone()]);
        by_y.sort(0..rows.len(), &mut next);
        by_x.sort(next.iter().copied(), &mut order);
        let codes = |&place: &usize| (by_x.codes[place], by_y.codes[place]);
        let mut before = 0;
        for group in order.chunk_by(|a, b| codes(a) == codes(b)) {
            for place in group {
                (below[rows.start + place], equal[rows.start + place]) = (before, group.len() as i64);
            }
            before += group.len() as i64;
        }
    }
    (below, equal)
}

/// Of each item how many of its segment are below it in both x and y.
pub fn below_in_both(x: &[i64], y: &[i64], offsets: &[i64]) -> Vec<i64> {
    let mut below = vec![0; x.len()];
    let mut ranked = Ranked::default();
    for rows in segments(offsets) {
        ranked.rank(&x[rows.clone()], &y[rows.clone()]);
        for (item, &count) in ranked.items.iter().zip(&ranked.below) {
            below[rows.start + item.place] = count.into();
        }
    }
    below
}

/// Of each of some different places how many of those before it are lower.
pub fn lower_before(places: &[u32], counts: &mut Vec<u32>) {
    counts.clear();
    counts.resize(places.len(), 0);
    // As most lists they are short, and nothing has to be made of the places first.
    if places.iter().all(|&place| (place as usize) < MANY) {
        return marked(places, counts);
    }
    let values: Vec<i64> = places.iter().map(|&place| place.into()).collect();
    merged(&values, counts);
}

/// Pairs of items, one number a segment.
#[derive(Default)]
pub struct PairCounts {
    /// Those in the same order in x and y.
    pub concordant: Vec<f64>,
    pub tied_x: Vec<f64>,
    pub tied_y: Vec<f64>,
    pub tied_both: Vec<f64>,
}

/// How many pairs of items of each segment are of which kinds.
pub fn pair_counts(x: &[i64], y: &[i64], offsets: &[i64]) -> PairCounts {
    let mut counts = PairCounts::default();
    let mut ranked = Ranked::default();
    for rows in segments(offsets) {
        ranked.rank(&x[rows.clone()], &y[rows]);
        let items = &ranked.items;
        counts.concordant.push(ranked.below.iter().map(|&below| u64::from(below)).sum::<u64>() as f64);
        counts.tied_x.push(pairs(items.chunk_by(|a, b| a.x == b.x).map(<[_]>::len)));
        counts.tied_y.push(pairs(ranked.y.below.windows(2).map(|border| border[1] - border[0])));
        counts.tied_both.push(pairs(items.chunk_by(|a, b| (a.x, a.y) == (b.x, b.y)).map(<[_]>::len)));
    }
    counts
}

/// How many pairs there are within groups of these sizes.
fn pairs(sizes: impl Iterator<Item = usize>) -> f64 {
    sizes.map(|size| size * size.saturating_sub(1) / 2).sum::<usize>() as f64
}

/// The values of a segment, counted.
#[derive(Default)]
struct Counted {
    /// The values as numbers from 0 on, in the same order.
    codes: Vec<usize>,
    /// How many of the values are below each number, and at the end all.
    below: Vec<usize>,
}

impl Counted {
    fn count(&mut self, values: &[i64]) {
        self.codes.clear();
        self.below.clear();
        let (Some(&least), Some(&greatest)) = (values.iter().min(), values.iter().max()) else { return };
        if greatest.abs_diff(least) <= 4 * values.len() as u64 {
            self.codes.extend(values.iter().map(|value| value.abs_diff(least) as usize));
        } else {
            let mut different = values.to_vec();
            different.sort_unstable();
            different.dedup();
            self.codes.extend(values.iter().map(|value| different.partition_point(|other| other < value)));
        }
        let numbers = self.codes.iter().max().map_or(0, |most| most + 1);
        self.below.resize(numbers + 1, 0);
        for &code in &self.codes {
            self.below[code + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut self.below {
            sum += *count;
            *count = sum;
        }
    }

    /// Puts places into the order of their numbers, those of one number as they come.
    fn sort(&self, places: impl Iterator<Item = usize>, order: &mut Vec<usize>) {
        order.clear();
        order.resize(self.codes.len(), 0);
        let mut next = self.below.clone();
        for place in places {
            let at = &mut next[self.codes[place]];
            order[*at] = place;
            *at += 1;
        }
    }

    fn equal(&self, code: usize) -> usize {
        self.below[code + 1] - self.below[code]
    }
}

/// An item of a segment, at this place in it.
struct Item {
    x: i64,
    y: i64,
    place: usize,
}

/// The items of a segment by x, those with the same from the greatest y to the least: whoever is below one of them in
/// both stands before it.
#[derive(Default)]
struct Ranked {
    items: Vec<Item>,
    y: Counted,
    /// How many are below each in both.
    below: Vec<u32>,
    places: Vec<u32>,
}

impl Ranked {
    fn rank(&mut self, x: &[i64], y: &[i64]) {
        self.items.clear();
        self.items.extend(x.iter().zip(y).enumerate().map(|(place, (&x, &y))| Item { x, y, place }));
        let key = |item: &Item| (item.x, Reverse(item.y));
        if !self.items.is_sorted_by_key(key) {
            self.items.sort_unstable_by_key(key);
        }
        let values: Vec<i64> = self.items.iter().map(|item| item.y).collect();
        self.y.count(&values);
        self.below.clear();
        self.below.resize(values.len(), 0);
        if values.len() >= MANY {
            return merged(&values, &mut self.below);
        }
        // A place of its own for each: of equal ones the later has the earlier place, so that it counts none of them.
        self.places.clear();
        self.places.resize(values.len(), 0);
        let mut next = self.y.below.clone();
        for (place, &code) in self.places.iter_mut().zip(&self.y.codes).rev() {
            *place = next[code] as u32;
            next[code] += 1;
        }
        marked(&self.places, &mut self.below);
    }
}

/// Values of a segment from which on they are sorted, which is slower for few.
const MANY: usize = 1 << 12;

wide! {
    /// Of each place how many of those before it are lower: places are marked, and the marks below it counted.
    fn marked(places: &[u32], counts: &mut [u32]) -> () = marked_any
}

#[inline(always)]
fn marked_any(places: &[u32], counts: &mut [u32]) {
    let mut marks = [0_u64; MANY / 64];
    for (&place, count) in places.iter().zip(counts) {
        let (word, bit) = (place as usize / 64, place % 64);
        let mut below = (marks[word] & ((1 << bit) - 1)).count_ones();
        for mark in &marks[..word] {
            below += mark.count_ones();
        }
        *count = below;
        marks[word] |= 1 << bit;
    }
}

/// The values are sorted by merging; whoever comes from a later part passes all that are smaller in the one before.
fn merged(values: &[i64], counts: &mut [u32]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let mut next = order.clone();
    let mut width = 1;
    while width < values.len() {
        for (parts, out) in order.chunks(2 * width).zip(next.chunks_mut(2 * width)) {
            let (mut earlier, mut later) = parts.split_at(width.min(parts.len()));
            let mut smaller = 0;
            for place in out {
                *place = match (earlier, later) {
                    ([first, rest @ ..], [other, ..]) if values[*first] < values[*other] => {
                        (earlier, smaller) = (rest, smaller + 1);
                        *first
                    }
                    (_, [first, rest @ ..]) => {
                        later = rest;
                        counts[*first] += smaller;
                        *first
                    }
                    ([first, rest @ ..], []) => {
                        earlier = rest;
                        *first
                    }
                    ([], []) => unreachable!("there are as many places as values"),
                };
            }
        }
        swap(&mut order, &mut next);
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_ones_before_are_the_same_marked_or_merged() {
        for length in [0, 1, 2, 3, 7, 64, 100, 1_000] {
            let places: Vec<u32> = (0..length).map(|i| i * 7_919 % length).collect();
            let values: Vec<i64> = places.iter().map(|&place| place.into()).collect();
            let (mut one, mut other) = (vec![0; places.len()], vec![0; places.len()]);
            marked(&places, &mut one);
            merged(&values, &mut other);
            assert_eq!(one, other);
            let far: Vec<u32> = places.iter().map(|&place| place * MANY as u32).collect();
            for places in [&places, &far] {
                let mut counts = vec![7];
                lower_before(places, &mut counts);
                assert_eq!(counts, one);
            }
        }
    }

    #[test]
    fn items_stand_to_others_as_pair_by_pair() {
        for length in [0, 1, 2, 5, 64, 130, MANY + 3] {
            for (of_x, of_y, apart) in
                [(1, 1, 1), (3, 5, 1), (10_000, 10_000, 1), (10_000, 7, i64::MAX / 10_000)]
            {
                let value = |i: usize, step: usize, of: i64| (i * step % 5_003) as i64 % of * apart - 7;
                let x: Vec<i64> = (0..length).map(|i| value(i, 7_919, of_x)).collect();
                let y: Vec<i64> = (0..length).map(|i| value(i, 1_237, of_y)).collect();
                let offsets = [0, 0, length as i64];
                let how_many =
                    |is: &dyn Fn(usize, usize) -> bool, at| (0..length).filter(|&i| is(i, at)).count() as i64;
                let (below, equal) = below_and_equal(&x, &offsets);
                let both = below_in_both(&x, &y, &offsets);
                let (below_in_turn, same) = below_and_equal_in_turn(&x, &y, &offsets);
                for at in (0..length).step_by(length / 50 + 1) {
                    assert_eq!(below[at], how_many(&|i, at| x[i] < x[at], at));
                    assert_eq!(equal[at], how_many(&|i, at| x[i] == x[at], at));
                    assert_eq!(both[at], how_many(&|i, at| x[i] < x[at] && y[i] < y[at], at));
                    assert_eq!(below_in_turn[at], how_many(&|i, at| (x[i], y[i]) < (x[at], y[at]), at));
                    assert_eq!(same[at], how_many(&|i, at| (x[i], y[i]) == (x[at], y[at]), at));
                }
                let tied = |equal: &[i64]| equal.iter().map(|count| (count - 1) as f64 / 2.0).sum::<f64>();
                let counts = pair_counts(&x, &y, &offsets);
                let same: Vec<i64> =
                    x.iter().zip(&y).map(|(x, y)| (x + 7) / apart * 20_000 + (y + 7) / apart).collect();
                assert_eq!(counts.concordant, [0.0, both.iter().sum::<i64>() as f64]);
                assert_eq!(counts.tied_x, [0.0, tied(&equal)]);
                assert_eq!(counts.tied_y, [0.0, tied(&below_and_equal(&y, &offsets).1)]);
                assert_eq!(counts.tied_both, [0.0, tied(&below_and_equal(&same, &offsets).1)]);
            }
        }
    }

    #[test]
    fn equal_values_are_neither_above_nor_below() {
        let above = |values: &[f64], others: &[f64]| {
            Ordered::of(values).unwrap().above(&Ordered::of(others).unwrap())
        };
        let others = [2.0, 0.0, -1.0, 0.0];
        let (values, expected) = ([3.0, 1.0, -2.0, -0.0, 1.0, 2.0], [4_i64, 2, -4, 0, 2, 3]);
        assert_eq!(above(&values, &others).total, expected.iter().sum::<i64>());
        for (&value, &expected) in values.iter().zip(&expected) {
            assert_eq!(above(&[value], &others).total, expected);
            assert_eq!(above(&others, &[value]).total, -expected);
        }
        assert_eq!(above(&[1.0], &[]).total, 0);
        let half = |apart: [f64; 2]| Above { total: 2, mean: 0.5, apart: apart.to_vec() };
        assert_eq!(above(&[2.0, 0.0], &[1.0, -1.0]), half([0.5, 0.5]));
        assert_eq!(above(&[2.0, 0.0], &[-1.0, 1.0]), half([1.5, -0.5]));
    }
}
