//! Items drawn for each user from those that the user has not had.
//!
//! A user draws from a generator of its own, so that what is drawn depends neither on the number of threads nor on
//! other users. Drawing is by rejection where most items can be drawn, and from a list of them where few can: both
//! give every set of items the same chance.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::core::pool;
use crate::core::resample::Generator;

/// Users that are drawn for together.
const BLOCK: usize = 256;
/// Groups of weights by which chances are computed.
const GROUPS: usize = 64;
/// Draws in vain for each wanted item, after which the rest is drawn from a list of what is left.
const PATIENCE: usize = 16;
/// The place of an item that was drawn for its user.
pub const DRAWN: i32 = -1;
/// That of one that was drawn again, which has a row already.
pub const AGAIN: i32 = -2;

/// What is drawn from, and how.
pub struct Sampling<'a> {
    /// All items, stratum by stratum.
    members: &'a [i32],
    /// Where each stratum begins, and the end of the last.
    bounds: &'a [usize],
    /// How many items of each stratum are drawn.
    takes: &'a [usize],
    /// Whether an item can be drawn again.
    replacement: bool,
    /// The stratum of each item.
    stratum: Vec<u32>,
    /// How likely items are drawn, if not all alike.
    weighted: Option<Weighted<'a>>,
}

/// Items with weights, of which one is drawn at once by Vose's alias method (1991).
struct Weighted<'a> {
    weights: &'a [f64],
    keep: Vec<f64>,
    alias: Vec<u32>,
    total: f64,
    /// Items whose weight is above 0.
    possible: usize,
    /// The group of each item, and the mean weight of each group and how many items are in it.
    group: Vec<u8>,
    groups: Vec<(f64, f64)>,
}

/// The rows of all users one after the other.
pub struct Drawn {
    /// Where those of each user begin.
    pub offsets: Vec<i64>,
    /// The items, ascending within a user.
    pub items: Vec<i32>,
    /// Where an item stands among those held out, or [`DRAWN`] or [`AGAIN`].
    pub places: Vec<i32>,
    /// How likely it was that the item is there.
    pub chances: Vec<f64>,
}

/// Sets of items, one a user: where each begins, and the items, ascending in each.
#[derive(Clone, Copy)]
pub struct Sets<'a> {
    pub offsets: &'a [i64],
    pub items: &'a [i32],
}

impl<'a> Sets<'a> {
    fn of(self, user: usize) -> &'a [i32] {
        &self.items[self.offsets[user] as usize..self.offsets[user + 1] as usize]
    }
}

/// The rows of some users that are written together.
struct Rows<'a> {
    first: usize,
    items: &'a mut [i32],
    places: &'a mut [i32],
    chances: &'a mut [f64],
}

/// Working memory: what each item is to which user, the rows of one, and lists to draw from.
struct Scratch {
    seen: Vec<u32>,
    rows: Vec<(i32, i32, f64)>,
    left: Vec<i32>,
    keys: Vec<(f64, i32)>,
}

impl<'a> Sampling<'a> {
    /// Takes the items of strata, how many are drawn of each, and weights of all items, which go with one stratum.
    pub fn new(
        members: &'a [i32],
        bounds: &'a [usize],
        takes: &'a [usize],
        weights: Option<&'a [f64]>,
        replacement: bool,
    ) -> Self {
        let mut stratum = vec![0; members.len()];
        for (number, ends) in bounds.windows(2).enumerate() {
            for &item in &members[ends[0]..ends[1]] {
                stratum[item as usize] = number as u32;
            }
        }
        Self { members, bounds, takes, replacement, stratum, weighted: weights.map(Weighted::new) }
    }

    /// Draws for all users, of which each has a key that its draws depend on alone.
    pub fn drawn(&self, keys: &[u64], had: Sets<'_>, held_out: Sets<'_>, cancelled: &AtomicBool) -> Drawn {
        let lengths = pool::map(keys.len(), |user| {
            let drawn: usize = self.counts(had.of(user)).iter().map(|&(take, _)| take).sum();
            held_out.of(user).len() + drawn
        });
        let mut offsets = vec![0];
        for &length in &lengths {
            offsets.push(offsets[offsets.len() - 1] + length as i64);
        }
        let total = lengths.iter().sum();
        let (mut items, mut places, mut chances) = (vec![0; total], vec![AGAIN; total], vec![0.0; total]);
        let mut blocks = Vec::with_capacity(keys.len().div_ceil(BLOCK));
        let mut rest = (&mut items[..], &mut places[..], &mut chances[..]);
        for (number, block) in lengths.chunks(BLOCK).enumerate() {
            let size = block.iter().sum();
            let (own, others) = (rest.0.split_at_mut(size), rest.1.split_at_mut(size));
            let chances = rest.2.split_at_mut(size);
            blocks.push(Rows { first: number * BLOCK, items: own.0, places: others.0, chances: chances.0 });
            rest = (own.1, others.1, chances.1);
        }
        let scratch = || Scratch {
            seen: vec![0; self.members.len()],
            rows: Vec::new(),
            left: Vec::new(),
            keys: Vec::new(),
        };
        let write = |scratch: &mut Scratch, rows: Rows<'_>| {
            if !cancelled.load(Ordering::Relaxed) {
                self.write(scratch, rows, keys, had, held_out);
            }
        };
        if pool::threads() == 1 {
            let mut own = scratch();
            blocks.into_iter().for_each(|rows| write(&mut own, rows));
        } else {
            blocks.into_par_iter().for_each_init(scratch, write);
        }
        Drawn { offsets, items, places, chances }
    }

    /// Of each stratum how many are drawn for a user who had these items, and how many there are to draw from.
    fn counts(&self, had: &[i32]) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = match &self.weighted {
            Some(weighted) => vec![weighted.possible],
            None => self.bounds.windows(2).map(|ends| ends[1] - ends[0]).collect(),
        };
        for &item in had {
            if self.weighted.as_ref().is_none_or(|weighted| weighted.weights[item as usize] > 0.0) {
                left[self.stratum[item as usize] as usize] -= 1;
            }
        }
        let take = |wanted: usize, left: usize| match (self.replacement, left) {
            (true, 1..) => wanted,
            _ => wanted.min(left),
        };
        left.into_iter().zip(self.takes).map(|(left, &wanted)| (take(wanted, left), left)).collect()
    }

    /// Draws for the users of a block and writes their rows.
    fn write(&self, scratch: &mut Scratch, block: Rows<'_>, keys: &[u64], had: Sets<'_>, held_out: Sets<'_>) {
        let mut at = 0;
        for (user, &key) in keys.iter().enumerate().skip(block.first).take(BLOCK) {
            scratch.rows.clear();
            let own = held_out.of(user).iter().enumerate();
            scratch.rows.extend(own.map(|(place, &item)| (item, place as i32, 1.0)));
            let mut one = User { scratch, mark: 2 * user as u32 + 1, generator: Generator(key) };
            self.draw(&mut one, had.of(user));
            // By the items, so that their order does not tell which ones are relevant.
            scratch.rows.sort_unstable_by_key(|&(item, place, _)| (item, place == AGAIN));
            for &(item, place, chance) in &scratch.rows {
                (block.items[at], block.places[at], block.chances[at]) = (item, place, chance);
                at += 1;
            }
        }
    }

    /// Draws for one user.
    fn draw(&self, user: &mut User<'_>, had: &[i32]) {
        for &item in had {
            user.scratch.seen[item as usize] = user.mark;
        }
        for (number, (take, left)) in self.counts(had).into_iter().enumerate() {
            if take == 0 {
                continue;
            }
            let first = user.scratch.rows.len();
            if let Some(weighted) = &self.weighted {
                self.draw_weighted(user, weighted, take, take == left);
                let rows = &mut user.scratch.rows[first..];
                if self.replacement {
                    weighted.add_chances_of_draws(rows, had, take);
                } else {
                    weighted.add_chances(rows, had, take, take == left);
                }
            } else {
                let members = &self.members[self.bounds[number]..self.bounds[number + 1]];
                self.draw_alike(user, members, take, left);
                let (take, left) = (take as f64, left as f64);
                let chance = if self.replacement { 1.0 - (1.0 - 1.0 / left).powf(take) } else { take / left };
                user.scratch.rows[first..].iter_mut().for_each(|row| row.2 = chance);
            }
        }
    }

    /// Adds `take` of the members that are open to the user, of which there are `left`.
    fn draw_alike(&self, user: &mut User<'_>, members: &[i32], take: usize, left: usize) {
        let fewest = if self.replacement { left } else { left - take };
        if 2 * fewest >= members.len() {
            let mut drawn = 0;
            while drawn < take {
                let item = members[user.generator.below(members.len())];
                drawn += usize::from(user.adds(item, self.replacement));
            }
            return;
        }
        let mut open = std::mem::take(&mut user.scratch.left);
        open.clear();
        open.extend(members.iter().filter(|&&item| user.scratch.seen[item as usize] != user.mark));
        for drawn in 0..take {
            let first = if self.replacement { 0 } else { drawn };
            let at = first + user.generator.below(open.len() - first);
            user.adds(open[at], self.replacement);
            open.swap(first, at);
        }
        user.scratch.left = open;
    }

    /// The same by weights; `all` says that there are no more.
    fn draw_weighted(&self, user: &mut User<'_>, weighted: &Weighted<'_>, take: usize, all: bool) {
        let mut drawn = 0;
        if self.replacement || !all {
            for _ in 0..PATIENCE * (take + 1) {
                let item = weighted.one(&mut user.generator);
                if weighted.weights[item as usize] > 0.0 {
                    drawn += usize::from(user.adds(item, self.replacement));
                }
                if drawn == take {
                    return;
                }
            }
        }
        // What was drawn in vain says nothing of what comes next: the rest is drawn from what is open now.
        let mut keys = std::mem::take(&mut user.scratch.keys);
        keys.clear();
        let mut sum = 0.0;
        for (item, &weight) in weighted.weights.iter().enumerate() {
            let seen = user.scratch.seen[item];
            if weight > 0.0 && seen != user.mark && (self.replacement || seen != user.mark + 1) {
                sum += weight;
                // Exponential times with these rates come in the order of draws without replacement.
                let mut time = || -(1.0 - user.generator.unit()).ln() / weight;
                keys.push((if self.replacement { sum } else { time() }, item as i32));
            }
        }
        if self.replacement {
            for _ in drawn..take {
                let reached = user.generator.unit() * sum;
                let at = keys.partition_point(|&(sum, _)| sum <= reached).min(keys.len() - 1);
                user.adds(keys[at].1, true);
            }
        } else {
            keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, item) in &keys[..take - drawn] {
                user.adds(item, false);
            }
        }
        user.scratch.keys = keys;
    }
}

/// The user for whom is drawn.
struct User<'a> {
    scratch: &'a mut Scratch,
    /// What items have that the user had; the next number, those that were drawn.
    mark: u32,
    generator: Generator,
}

impl User<'_> {
    /// Adds the row of an item, unless it is not open; says whether it did.
    fn adds(&mut self, item: i32, replacement: bool) -> bool {
        let seen = &mut self.scratch.seen[item as usize];
        let again = *seen == self.mark + 1;
        if *seen == self.mark || (again && !replacement) {
            return false;
        }
        *seen = self.mark + 1;
        self.scratch.rows.push((item, if again { AGAIN } else { DRAWN }, 0.0));
        true
    }
}

impl<'a> Weighted<'a> {
    /// Takes the weights of all items, which are finite and 0 or more.
    fn new(weights: &'a [f64]) -> Self {
        let count = weights.len();
        let total: f64 = weights.iter().sum();
        let mut keep: Vec<f64> = weights.iter().map(|weight| weight * count as f64 / total).collect();
        let mut alias: Vec<u32> = (0..count as u32).collect();
        let (mut small, mut large): (Vec<_>, Vec<_>) = (0..count).partition(|&item| keep[item] < 1.0);
        while let (Some(&low), Some(&high)) = (small.last(), large.last()) {
            small.pop();
            alias[low] = high as u32;
            keep[high] -= 1.0 - keep[low];
            if keep[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        for item in small.into_iter().chain(large) {
            keep[item] = 1.0;
        }
        let (group, groups) = grouped(weights);
        let possible = weights.iter().filter(|&&weight| weight > 0.0).count();
        Self { weights, keep, alias, total, possible, group, groups }
    }

    /// An item.
    fn one(&self, generator: &mut Generator) -> i32 {
        let item = generator.below(self.weights.len());
        if generator.unit() < self.keep[item] { item as i32 } else { self.alias[item] as i32 }
    }

    /// How likely each of the items was to be among `take` that are drawn with replacement.
    fn add_chances_of_draws(&self, rows: &mut [(i32, i32, f64)], had: &[i32], take: usize) {
        let left = self.total - had.iter().map(|&item| self.weights[item as usize]).sum::<f64>();
        for (item, _, chance) in rows {
            *chance = 1.0 - (1.0 - self.weights[*item as usize] / left).max(0.0).powf(take as f64);
        }
    }

    /// The same without replacement: 1 − exp(−w·t), for which t makes their sum `take` (Rosén 1997), to the means of
    /// groups of weights.
    fn add_chances(&self, rows: &mut [(i32, i32, f64)], had: &[i32], take: usize, all: bool) {
        let mut counts: Vec<f64> = self.groups.iter().map(|&(_, count)| count).collect();
        for &item in had {
            counts[self.group[item as usize] as usize] -= 1.0;
        }
        let mut time = 0.0;
        for _ in 0..if all { 0 } else { STEPS } {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (&(weight, _), count) in self.groups.iter().zip(&counts) {
                let missed = (-weight * time).exp();
                sum += count * (1.0 - missed);
                slope += count * weight * missed;
            }
            // From 0 on Newton's steps reach the root of a concave function from below.
            let step = (take as f64 - sum) / slope;
            time += step;
            if step.abs() <= 1e-9 * time {
                break;
            }
        }
        for (item, _, chance) in rows {
            let weight = self.weights[*item as usize];
            *chance = if all { 1.0 } else { 1.0 - (-weight * time).exp() };
        }
    }
}

/// Steps of Newton's method at the most.
const STEPS: usize = 100;

/// Weights in groups of about the same: the group of each item, and the mean and the number of items of each group.
fn grouped(weights: &[f64]) -> (Vec<u8>, Vec<(f64, f64)>) {
    let mut known: Vec<f64> = weights.iter().copied().filter(|&weight| weight > 0.0).collect();
    known.sort_unstable_by(f64::total_cmp);
    known.dedup();
    let (low, high) = (known.first().map_or(0.0, |low| low.ln()), known.last().map_or(0.0, |high| high.ln()));
    let few = known.len() < GROUPS;
    let group_of = |weight: f64| match weight {
        0.0 => 0,
        weight if few => 1 + known.partition_point(|&other| other < weight),
        weight => 1 + (((weight.ln() - low) / (high - low)) * (GROUPS - 2) as f64) as usize,
    };
    let group: Vec<u8> = weights.iter().map(|&weight| group_of(weight) as u8).collect();
    let mut groups = vec![(0.0, 0.0); GROUPS + 1];
    for (&group, &weight) in group.iter().zip(weights) {
        let (sum, count) = &mut groups[group as usize];
        *sum += weight;
        *count += 1.0;
    }
    (
        group,
        groups.into_iter().map(|(sum, count)| (if count > 0.0 { sum / count } else { 0.0 }, count)).collect(),
    )
}
