//! What the generated tables draw from: a ChaCha8 stream and integer arithmetic, so that a seed gives the same bytes
//! on every target. A draw costs O(1), a weighted one O(log n) in the number of weights.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of `0..bound`, or 0 for a bound of 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    /// One of `items`, the earlier the likelier.
    pub fn early<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let bound = items.len() as u32;
        let place = self.below(bound).min(self.below(bound));
        items.get(place as usize).copied().unwrap_or_default()
    }
}

/// Places drawn in proportion to their weights.
pub struct Weighted {
    /// `ends[place]` is the sum of the weights up to and including that place's.
    ends: Vec<u32>,
}

impl Weighted {
    /// The weights must sum to less than 2³².
    pub fn new(weights: impl IntoIterator<Item = u32>) -> Self {
        let sum = |total: &mut u32, weight: u32| {
            *total += weight;
            Some(*total)
        };
        Weighted { ends: weights.into_iter().scan(0, sum).collect() }
    }

    pub fn draw(&self, random: &mut Random) -> usize {
        let drawn = random.below(self.ends.last().copied().unwrap_or(0));
        self.ends.partition_point(|&end| end <= drawn)
    }
}

/// Piecewise linear through `corners` (age, weight), which ascend: the weight of every age from the first to the last.
pub fn by_age(corners: &[(u32, u32)]) -> Vec<u32> {
    let mut weights: Vec<u32> = corners.first().map(|&(_, weight)| weight).into_iter().collect();
    for pair in corners.windows(2) {
        let ((left, from), (right, to)) = (pair[0], pair[1]);
        weights.extend((left + 1..=right).map(|age| (from * (right - age) + to * (age - left)) / (right - left)));
    }
    weights
}

/// Appends a number in decimal, with zeros in front up to `digits`.
pub fn push_number(number: u32, digits: usize, out: &mut Vec<u8>) {
    let mut text = [b'0'; 10];
    let mut start = text.len();
    let mut rest = number;
    while start > 0 && (rest > 0 || text.len() - start < digits.max(1)) {
        start -= 1;
        text[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&text[start..]);
}

/// Appends a text that needs no quotes, and the comma after it.
pub fn push_cell(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
    out.push(b',');
}

/// How far a table written in pieces has come.
pub struct Pace {
    left: usize,
    started: bool,
}

impl Pace {
    pub fn new(rows: u32) -> Self {
        Pace { left: rows as usize, started: false }
    }

    /// How many of the `wanted` rows are still to be written; the first piece begins with the header.
    pub fn begin(&mut self, wanted: usize, header: &str, out: &mut Vec<u8>) -> usize {
        if !self.started {
            self.started = true;
            out.extend_from_slice(header.as_bytes());
        }
        let rows = wanted.min(self.left);
        self.left -= rows;
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded() {
        for (number, digits, text) in [(0, 1, "0"), (7, 2, "07"), (1234, 2, "1234"), (u32::MAX, 1, "4294967295")] {
            let mut out = Vec::new();
            push_number(number, digits, &mut out);
            assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn ages_are_interpolated() {
        assert_eq!(by_age(&[(7, 10), (9, 20), (10, 0)]), [10, 15, 20, 0]);
    }

    #[test]
    fn a_weight_of_zero_is_never_drawn() {
        let weighted = Weighted::new([0, 3, 0, 1, 0]);
        let mut random = Random::new(5);
        let mut seen = [0; 5];
        for _ in 0..4000 {
            seen[weighted.draw(&mut random)] += 1;
        }
        assert_eq!((seen[0], seen[2], seen[4]), (0, 0, 0));
        assert!((2800..3200).contains(&seen[1]), "{seen:?}");
    }
}
