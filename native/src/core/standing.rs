//! How the values of two systems stand to each other.

/// Of each value how many of the others are below it, less how many are above it; both rise and have no NaN.
pub fn above(values: &[f64], others: &[f64]) -> Vec<i64> {
    let (mut below, mut up_to) = (0, 0);
    let count = |&value: &f64| {
        while others.get(below).is_some_and(|&other| other < value) {
            below += 1;
        }
        up_to = up_to.max(below);
        while others.get(up_to).is_some_and(|&other| other <= value) {
            up_to += 1;
        }
        (below + up_to) as i64 - others.len() as i64
    };
    values.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_neither_above_nor_below() {
        let others = [-1.0, 0.0, 0.0, 2.0];
        assert_eq!(above(&[-2.0, -0.0, 1.0, 1.0, 2.0, 3.0], &others), [-4, 0, 2, 2, 3, 4]);
        assert_eq!(above(&[1.0], &[]), [0]);
        assert_eq!(above(&[], &others), [0; 0]);
    }
}
