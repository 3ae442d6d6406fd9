//! Orders of tuples on a line: along a Hilbert curve, or column by column.
//!
//! Tuples near each other on the curve are near in all columns. A column's places are the ranks of its values in their
//! hierarchy, stretched to the whole width of the curve, so that all columns count alike. The curve's place is computed
//! by Skilling's transform (AIP Conf. Proc. 707, 2004). Complexity: O(columns · bits) for a tuple, and a sort.

use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::space::Space;
use crate::policy::Curve;
use crate::sorting::Sorting;

/// More bits of a column's place than this make no difference that matters.
const MOST_BITS: u32 = 16;

impl Curve {
    /// Puts rows in order; of equal tuples, those that appear first come first.
    pub fn sort(self, space: &Space<'_>, rows: &mut [Part]) {
        match self {
            Curve::Lexicographic => {
                rows.order_by(|one, other| space.places(one.0).cmp(space.places(other.0)).then(one.0.cmp(&other.0)));
            }
            Curve::Hilbert => {
                let axes = space.axes();
                let mut widths = vec![1u64; axes];
                for &(item, _) in rows.iter() {
                    for (width, &place) in widths.iter_mut().zip(space.places(item)) {
                        *width = (*width).max(u64::from(place) + 1);
                    }
                }
                let widest = widths.iter().copied().max().unwrap_or(1);
                let bits = (u64::BITS - (widest - 1).leading_zeros()).clamp(1, MOST_BITS);
                let stretched = |item: u32| -> Vec<u32> {
                    let places = space.places(item).iter().zip(&widths);
                    places.map(|(&place, &width)| ((u64::from(place) << bits) / width) as u32).collect()
                };
                rows.order_by_cached_key(|&(item, _)| (hilbert_place(stretched(item), bits), item));
            }
        }
    }
}

/// Where a point of a cube of 2^bits points a side lies on the Hilbert curve through it: a number, in words of 64 bits,
/// the highest first.
pub fn hilbert_place(mut point: Vec<u32>, bits: u32) -> Vec<u64> {
    transpose(&mut point, bits);
    let mut words = Vec::with_capacity((point.len() * bits as usize).div_ceil(64));
    let (mut word, mut filled) = (0u64, 0);
    for bit in (0..bits).rev() {
        for coordinate in &point {
            word = word << 1 | u64::from(coordinate >> bit & 1);
            filled += 1;
            if filled == 64 {
                words.push(word);
                (word, filled) = (0, 0);
            }
        }
    }
    if filled > 0 {
        words.push(word << (64 - filled));
    }
    words
}

/// Turns the coordinates of a point into those whose bits, taken in turn, are its place on the curve.
fn transpose(point: &mut [u32], bits: u32) {
    let Some(last) = point.len().checked_sub(1) else { return };
    // Undo the reflections and exchanges of every scale, the largest first.
    for bit in (1..bits).rev() {
        let side = 1u32 << bit;
        let below = side - 1;
        for place in 0..point.len() {
            if point[place] & side != 0 {
                point[0] ^= below;
            } else {
                let differing = (point[0] ^ point[place]) & below;
                point[0] ^= differing;
                point[place] ^= differing;
            }
        }
    }
    // Gray code.
    for place in 1..point.len() {
        point[place] ^= point[place - 1];
    }
    let mut flips = 0;
    for bit in (1..bits).rev() {
        if point[last] & 1 << bit != 0 {
            flips ^= (1u32 << bit) - 1;
        }
    }
    point.iter_mut().for_each(|coordinate| *coordinate ^= flips);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walking along the curve, each step changes one coordinate by one, and every point is met once.
    #[test]
    fn neighbours_on_the_curve_are_neighbours() {
        for (dimensions, bits) in [(1, 4), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2)] {
            let points = 1u32 << (dimensions * bits);
            let point = |number: u32| -> Vec<u32> {
                (0..dimensions).map(|place| number >> (place * bits) & ((1 << bits) - 1)).collect()
            };
            let mut walk: Vec<(Vec<u64>, Vec<u32>)> =
                (0..points).map(|number| (hilbert_place(point(number), bits), point(number))).collect();
            walk.order();
            assert!(walk[0].1.iter().all(|&coordinate| coordinate == 0));
            for pair in walk.windows(2) {
                assert_ne!(pair[0].0, pair[1].0);
                let steps = pair[0].1.iter().zip(&pair[1].1).map(|(&one, &other)| one.abs_diff(other));
                assert_eq!(steps.sum::<u32>(), 1, "{dimensions} dimensions, {bits} bits: {pair:?}");
            }
        }
    }
}
