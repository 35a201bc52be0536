//! Sets and lists of numbers, flat, with offsets.

use crate::core::pool;

/// Lists looked at by a thread at once.
const PIECE: usize = 1 << 10;

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
        self.offsets.len() - 1
    }

    /// Whether the offsets are such.
    pub fn is_whole(&self) -> bool {
        self.offsets.first() == Some(&0)
            && self.offsets.last() == Some(&(self.members.len() as i64))
            && self.offsets.is_sorted()
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

/// The set of each owner, whose numbers are below `count`.
pub fn sets_of(owners: &[i32], members: &[i32], count: usize) -> Made {
    let mut ends = vec![0_usize; count + 1];
    owners.iter().for_each(|&owner| ends[owner as usize + 1] += 1);
    (0..count).for_each(|owner| ends[owner + 1] += ends[owner]);
    let mut places = ends[..count].to_vec();
    let mut grouped = vec![0; members.len()];
    for (&owner, &member) in owners.iter().zip(members) {
        let place = &mut places[owner as usize];
        grouped[*place] = member;
        *place += 1;
    }
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
    fn numbers_are_looked_for_in_the_set_of_their_list() {
        let sets = Sets { offsets: &[0, 2, 2], members: &[1, 4] };
        let lists = Sets { offsets: &[0, 3, 4, 5], members: &[4, 2, 1, 4, 1] };
        assert_eq!(in_sets(sets, &[0, 1, -1], lists), [true, false, true, false, false]);
    }

    #[test]
    fn the_square_of_a_sum_of_vectors() {
        let lists = Sets { offsets: &[0, 2, 2, 3], members: &[0, 1, 1] };
        assert_eq!(squared_sums(&[1.0, 2.0, 3.0, -2.0], 2, lists), [16.0, 0.0, 13.0]);
    }
}
