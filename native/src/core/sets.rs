//! Sets and lists of numbers, flat, with offsets.

use std::borrow::Cow;

use crate::core::pool;

/// Lists looked at by a thread at once.
const PIECE: usize = 1 << 10;
/// Members whose pairs are looked at by a thread at once: few, as some have most of all pairs.
const FEW: usize = 1 << 5;
/// How many numbers are counted in the time that looking for one takes.
const SEARCH: usize = 8;

/// Some numbers each, one after the other.
#[derive(Clone, Copy)]
pub struct Sets<'a> {
    /// Where those of each begin, and at the end their number.
    pub offsets: &'a [i64],
    /// The numbers.
    pub members: &'a [i32],
}

impl<'a> Sets<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether the offsets are such.
    pub fn is_whole(&self) -> bool {
        self.offsets.first() == Some(&0)
            && self.offsets.last() == Some(&(self.members.len() as i64))
            && self.offsets.is_sorted()
    }

    /// Whether these are such, of which each number is one of the others.
    pub fn all_below(&self, others: Sets<'_>) -> bool {
        self.is_whole() && self.members.iter().all(|&member| (member as usize) < others.count())
    }

    fn of(&self, set: usize) -> &'a [i32] {
        &self.members[self.offsets[set] as usize..self.offsets[set + 1] as usize]
    }
}

/// Sets that were made.
pub struct Made {
    /// As of [`Sets`].
    pub offsets: Vec<i64>,
    /// As of [`Sets`], in each set ascending and once.
    pub members: Vec<i32>,
}

/// The members by their owners, whose numbers are below `count`, and where those of each begin, and the last end.
fn grouped<'a>(owners: &[i32], members: &'a [i32], count: usize) -> (Vec<usize>, Cow<'a, [i32]>) {
    let mut ends = vec![0_usize; count + 1];
    owners.iter().for_each(|&owner| ends[owner as usize + 1] += 1);
    (0..count).for_each(|owner| ends[owner + 1] += ends[owner]);
    if owners.is_sorted() {
        return (ends, Cow::Borrowed(members));
    }
    let mut places = ends[..count].to_vec();
    let mut grouped = vec![0; members.len()];
    for (&owner, &member) in owners.iter().zip(members) {
        let place = &mut places[owner as usize];
        grouped[*place] = member;
        *place += 1;
    }
    (ends, Cow::Owned(grouped))
}

/// How many different owners, whose numbers are below `count`, each of so many members has.
pub fn owners_of(owners: &[i32], members: &[i32], count: usize, among: usize) -> Vec<f64> {
    const NOBODY: u32 = u32::MAX;
    let (ends, grouped) = grouped(owners, members, count);
    let mut seen = vec![(NOBODY, 0_u32); among];
    for (owner, bounds) in (0..).zip(ends.windows(2)) {
        for &member in &grouped[bounds[0]..bounds[1]] {
            let (last, found) = &mut seen[member as usize];
            *found += u32::from(*last != owner);
            *last = owner;
        }
    }
    seen.into_iter().map(|(_, found)| f64::from(found)).collect()
}

/// The set of each owner, whose numbers are below `count`.
pub fn sets_of(owners: &[i32], members: &[i32], count: usize) -> Made {
    let (ends, grouped) = grouped(owners, members, count);
    let pieces = pool::map(count.div_ceil(PIECE), |piece| {
        let (mut own, mut lengths) = (Vec::new(), Vec::new());
        for owner in piece * PIECE..count.min((piece + 1) * PIECE) {
            let start = own.len();
            own.extend_from_slice(&grouped[ends[owner]..ends[owner + 1]]);
            own[start..].sort_unstable();
            let mut kept = start;
            for place in start..own.len() {
                if place == start || own[place] != own[kept - 1] {
                    own[kept] = own[place];
                    kept += 1;
                }
            }
            own.truncate(kept);
            lengths.push((kept - start) as i64);
        }
        (own, lengths)
    });
    let mut made = Made { offsets: vec![0], members: Vec::with_capacity(members.len()) };
    let mut end = 0;
    for (own, lengths) in pieces {
        made.members.extend(own);
        made.offsets.extend(lengths.iter().map(|length| {
            end += length;
            end
        }));
    }
    made
}

/// Whether each number of some lists is in the set of its list; one below 0 has none.
pub fn in_sets(sets: Sets<'_>, of_list: &[i64], lists: Sets<'_>) -> Vec<bool> {
    let pieces = pool::map(lists.count().div_ceil(PIECE), |piece| {
        let mut found = Vec::new();
        let these = piece * PIECE..lists.count().min((piece + 1) * PIECE);
        for (list, &set) in these.clone().zip(&of_list[these]) {
            let own = usize::try_from(set).map_or(&[][..], |set| sets.of(set));
            found.extend(lists.of(list).iter().map(|member| own.binary_search(member).is_ok()));
        }
        found
    });
    pieces.concat()
}

/// How many owners have both members of each pair, by the members of each owner and the owners of each member; a
/// member without such has none.
pub fn owners_of_both(members: Sets<'_>, owners: Sets<'_>, x: &[i32], y: &[i32]) -> Vec<f64> {
    let among = owners.count();
    let size = |member: i32| owners.of(member as usize).len();
    // Of each pair the member with fewer owners, whose other members are counted once for all its pairs.
    let (mut rare, mut other, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (pair, (&x, &y)) in (0..).zip(x.iter().zip(y)) {
        if (x.max(y) as usize) < among {
            let (few, many) = if size(x) < size(y) { (x, y) } else { (y, x) };
            rare.push(few);
            other.push(many);
            pairs.push(pair);
        }
    }
    let (ends, other) = grouped(&rare, &other, among);
    let (_, pairs) = grouped(&rare, &pairs, among);
    let pieces = pool::map_init(
        among.div_ceil(FEW),
        || vec![0_u32; among],
        |seen, piece| {
            let mut found = Vec::new();
            for member in piece * FEW..among.min((piece + 1) * FEW) {
                let (own, asked) = (owners.of(member), &other[ends[member]..ends[member + 1]]);
                let theirs = own.iter().map(|&owner| members.of(owner as usize).len()).sum::<usize>();
                if asked.is_empty() || theirs > own.len() * asked.len() * SEARCH {
                    let has = |owner: i32, one: &i32| members.of(owner as usize).binary_search(one).is_ok();
                    let count = |one| own.iter().filter(|&&owner| has(owner, one)).count();
                    found.extend(asked.iter().map(|one| count(one) as f64));
                    continue;
                }
                let each = || own.iter().flat_map(|&owner| members.of(owner as usize));
                each().for_each(|&one| seen[one as usize] += 1);
                found.extend(asked.iter().map(|&one| f64::from(seen[one as usize])));
                each().for_each(|&one| seen[one as usize] = 0);
            }
            found
        },
    );
    let mut found = vec![0.0; x.len()];
    for (&pair, count) in pairs.iter().zip(pieces.into_iter().flatten()) {
        found[pair as usize] = count;
    }
    found
}

/// How many different members the sets of the numbers of each list have together, of so many that there are.
pub fn different_of(sets: Sets<'_>, lists: Sets<'_>, among: usize) -> Vec<f64> {
    let pieces = pool::map(lists.count().div_ceil(PIECE), |piece| {
        let mut last = vec![usize::MAX; among];
        (piece * PIECE..lists.count().min((piece + 1) * PIECE))
            .map(|list| {
                let mut found = 0_u32;
                for &member in lists.of(list).iter().flat_map(|&number| sets.of(number as usize)) {
                    let last = &mut last[member as usize];
                    found += u32::from(*last != list);
                    *last = list;
                }
                f64::from(found)
            })
            .collect::<Vec<f64>>()
    });
    pieces.concat()
}

/// For each list the sum of what its items are, a number each, added from left to right.
pub fn sums_of(numbers: &[f64], lists: Sets<'_>) -> Vec<f64> {
    let pieces = pool::map(lists.count().div_ceil(PIECE), |piece| {
        (piece * PIECE..lists.count().min((piece + 1) * PIECE))
            .map(|list| lists.of(list).iter().fold(0.0, |sum, &item| sum + numbers[item as usize]))
            .collect::<Vec<f64>>()
    });
    pieces.concat()
}

/// How often each number below `count` is among these.
pub fn counts_of(numbers: &[i32], count: usize) -> Vec<f64> {
    let mut counts = vec![0_u32; count];
    numbers.iter().for_each(|&number| counts[number as usize] += 1);
    counts.into_iter().map(f64::from).collect()
}

/// For each list the square of the sum of the vectors of its items, so many numbers each.
pub fn squared_sums(vectors: &[f64], columns: usize, lists: Sets<'_>) -> Vec<f64> {
    let pieces = pool::map(lists.count().div_ceil(PIECE), |piece| {
        let mut sum = vec![0.0; columns];
        (piece * PIECE..lists.count().min((piece + 1) * PIECE))
            .map(|list| {
                sum.fill(0.0);
                for &item in lists.of(list) {
                    let vector = &vectors[item as usize * columns..][..columns];
                    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
                }
                sum.iter().map(|x| x * x).sum()
            })
            .collect::<Vec<f64>>()
    });
    pieces.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_each_member_once_and_in_order() {
        let made = sets_of(&[2, 0, 2, 2, 0], &[5, 1, 3, 5, 0], 4);
        assert_eq!((made.offsets, made.members), (vec![0, 2, 2, 4, 4], vec![0, 1, 3, 5]));
    }

    #[test]
    fn owners_count_once_whether_they_come_in_order_or_not() {
        assert_eq!(owners_of(&[2, 0, 2, 2, 0], &[1, 1, 3, 1, 0], 3, 5), [1.0, 2.0, 0.0, 1.0, 0.0]);
        assert_eq!(owners_of(&[0, 0, 2, 2, 2], &[1, 0, 1, 3, 1], 3, 5), [1.0, 2.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn owners_of_pairs_are_counted_and_looked_for() {
        // Owner 0 has all of many members, owners 1 and 2 have 0 and 1, owner 3 has 1 and 2.
        let many = 100;
        let mut rows: Vec<(i32, i32)> = (0..many).map(|member| (0, member)).collect();
        rows.extend([(1, 0), (1, 1), (2, 0), (2, 1), (3, 1), (3, 2)]);
        let (owner, member): (Vec<i32>, Vec<i32>) = rows.into_iter().unzip();
        let (sets, of) = (sets_of(&owner, &member, 4), sets_of(&member, &owner, many as usize));
        let sets = Sets { offsets: &sets.offsets, members: &sets.members };
        let of = Sets { offsets: &of.offsets, members: &of.members };
        let count = |x: &[i32], y: &[i32]| owners_of_both(sets, of, x, y);
        assert_eq!(count(&[0, 1, 2, 0, 7, 100], &[1, 0, 1, 2, 9, 1]), [3.0, 3.0, 2.0, 1.0, 1.0, 0.0]);
        assert_eq!(count(&[2; 200], &[1; 200]), [2.0; 200]);
    }

    #[test]
    fn different_members_of_the_sets_of_a_list() {
        let sets = Sets { offsets: &[0, 2, 3, 4], members: &[0, 2, 2, 1] };
        let lists = Sets { offsets: &[0, 2, 2, 4], members: &[0, 1, 1, 2] };
        assert_eq!(different_of(sets, lists, 3), [2.0, 0.0, 2.0]);
    }

    #[test]
    fn numbers_are_looked_for_in_the_set_of_their_list() {
        let sets = Sets { offsets: &[0, 2, 2], members: &[1, 4] };
        let lists = Sets { offsets: &[0, 3, 4, 5], members: &[4, 2, 1, 4, 1] };
        assert_eq!(in_sets(sets, &[0, 1, -1], lists), [true, false, true, false, false]);
    }

    #[test]
    fn sums_and_counts_of_items() {
        let lists = Sets { offsets: &[0, 2, 2, 3], members: &[0, 1, 1] };
        assert_eq!(sums_of(&[1.5, 2.0, 9.0], lists), [3.5, 0.0, 2.0]);
        assert_eq!(counts_of(lists.members, 3), [1.0, 2.0, 0.0]);
    }

    #[test]
    fn the_square_of_a_sum_of_vectors() {
        let lists = Sets { offsets: &[0, 2, 2, 3], members: &[0, 1, 1] };
        assert_eq!(squared_sums(&[1.0, 2.0, 3.0, -2.0], 2, lists), [16.0, 0.0, 13.0]);
    }
}
