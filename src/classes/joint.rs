//! The joint distribution P(Q,S) of quasi-identifiers and sensitive values, as a table's counts estimate it.
//!
//! Quasi-identifiers are numbered by a total order, so that a class of neighbours is a range. The estimate is
//! P(q,s) = (n(q,s) + a·P(q)·P(s)) / (n + a), with P(q) and P(s) the shares of rows: relative frequencies for the
//! smoothing a = 0, and for larger ones drawn towards independence as if a more rows had been seen in which the value
//! says nothing of the quasi-identifier. A row whose value is unknown is a row without a value: P(q,s) has it in n and in P(q)
//! only. Marginals are the shares of rows whatever a is. Nothing outside the table gets
//! any probability. Complexity: O(rows · log rows) to count.

use crate::random::Random;
use crate::sorting::Sorting;

/// The value of rows whose value is unknown.
pub const UNKNOWN: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Where the entries of each quasi-identifier start, with one more for the end.
    starts: Vec<u32>,
    /// Sensitive value and count, ascending by value within a quasi-identifier; the unknown ones last.
    entries: Vec<(u32, u32)>,
    /// Rows of each quasi-identifier and of each sensitive value, and of all.
    quasi_rows: Vec<u32>,
    value_rows: Vec<u32>,
    rows: u64,
    /// How many rows the independence of the two is worth.
    smoothing: f64,
}

impl Joint {
    /// Counts rows of (quasi-identifier, value), which may be [`UNKNOWN`]; `quasi` and `values` say how many there are of
    /// each. Those without rows have the probability 0.
    pub fn count(rows: impl Iterator<Item = (u32, u32)>, quasi: usize, values: usize, smoothing: f64) -> Joint {
        Joint::weigh(rows.map(|(quasi, value)| (quasi, value, 1)), quasi, values, smoothing)
    }

    /// The same from weights.
    pub fn weigh(weights: impl Iterator<Item = (u32, u32, u32)>, quasi: usize, values: usize, smoothing: f64) -> Joint {
        let in_range = |&(place, value, weight): &(u32, u32, u32)| {
            (place as usize) < quasi && ((value as usize) < values || value == UNKNOWN) && weight > 0
        };
        let mut sorted: Vec<(u32, u32, u32)> = weights.filter(in_range).collect();
        sorted.order();
        let (mut quasi_rows, mut value_rows, mut rows) = (vec![0u32; quasi], vec![0u32; values], 0u64);
        let (mut entries, mut ends): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), vec![0; quasi]);
        for same in sorted.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (place, value, weight) = (same[0].0, same[0].1, same.iter().map(|entry| entry.2).sum::<u32>());
            quasi_rows[place as usize] += weight;
            if let Some(rows) = value_rows.get_mut(value as usize) {
                *rows += weight;
            }
            rows += u64::from(weight);
            entries.push((value, weight));
            ends[place as usize] = entries.len() as u32;
        }
        let starts = ends.iter().scan(0, |last, &end| {
            *last = end.max(*last);
            Some(*last)
        });
        let starts = std::iter::once(0).chain(starts).collect();
        Joint { starts, entries, quasi_rows, value_rows, rows, smoothing: smoothing.max(0.0) }
    }

    /// Number of quasi-identifiers.
    pub fn quasi(&self) -> usize {
        self.quasi_rows.len()
    }

    /// Number of sensitive values.
    pub fn values(&self) -> usize {
        self.value_rows.len()
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Counts of the values with a quasi-identifier.
    pub fn of_quasi(&self, quasi: usize) -> &[(u32, u32)] {
        let entries = &self.entries[self.starts[quasi] as usize..self.starts[quasi + 1] as usize];
        match entries.split_last() {
            Some((&(UNKNOWN, _), known)) => known,
            _ => entries,
        }
    }

    pub fn rows_of_quasi(&self, quasi: usize) -> u32 {
        self.quasi_rows[quasi]
    }

    pub fn rows_of_value(&self, value: usize) -> u32 {
        self.value_rows[value]
    }

    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    /// P(q̄,s) for a class with so many rows, so many of which have a value with `value_rows` rows in all.
    pub fn probability(&self, count: u32, class_rows: u64, value_rows: u32) -> f64 {
        let rows = self.rows.max(1) as f64;
        let independent = self.smoothing * (class_rows as f64 / rows) * (f64::from(value_rows) / rows);
        (f64::from(count) + independent) / (rows + self.smoothing)
    }

    /// P(S) from the largest to the least; the values that occur.
    pub fn marginal(&self) -> Vec<f64> {
        let mut rows: Vec<u32> = self.value_rows.iter().copied().filter(|&rows| rows > 0).collect();
        rows.order_by(|one, other| other.cmp(one));
        rows.into_iter().map(|rows| f64::from(rows) / self.rows.max(1) as f64).collect()
    }

    /// θ = |Q| · min P(q) of Section 4.3, over the quasi-identifiers that occur.
    pub fn evenness(&self) -> f64 {
        let present = || self.quasi_rows.iter().copied().filter(|&rows| rows > 0);
        present().min().map_or(0.0, |least| present().count() as f64 * f64::from(least) / self.rows as f64)
    }

    /// Draws pairs of quasi-identifier and value.
    pub fn draw(&self) -> Draw<'_> {
        let ends = |counts: &mut dyn Iterator<Item = u32>| -> Vec<u64> {
            counts
                .scan(0u64, |sum, count| {
                    *sum += u64::from(count);
                    Some(*sum)
                })
                .collect()
        };
        Draw {
            joint: self,
            of_entries: ends(&mut self.entries.iter().map(|&(_, count)| count)),
            of_quasi: ends(&mut self.quasi_rows.iter().copied()),
            of_values: ends(&mut self.value_rows.iter().copied()),
        }
    }
}

/// Running sums of a distribution's counts.
pub struct Draw<'a> {
    joint: &'a Joint,
    of_entries: Vec<u64>,
    of_quasi: Vec<u64>,
    of_values: Vec<u64>,
}

impl Draw<'_> {
    /// One pair, whose value may be [`UNKNOWN`]; of an empty distribution (0, 0).
    pub fn next(&self, random: &mut Random) -> (u32, u32) {
        let rows = self.joint.rows;
        let place = |ends: &[u64], random: &mut Random| {
            let drawn = u64::from(random.below(rows.min(u32::MAX.into()) as u32));
            ends.partition_point(|&end| end <= drawn) as u32
        };
        let smoothed = self.joint.smoothing > 0.0 && {
            let share = self.joint.smoothing / (rows as f64 + self.joint.smoothing);
            f64::from(random.below(u32::MAX)) < share * f64::from(u32::MAX)
        };
        if smoothed {
            let (quasi, value) = (place(&self.of_quasi, random), place(&self.of_values, random));
            // Behind the last value are the rows without one.
            return (quasi, if (value as usize) < self.of_values.len() { value } else { UNKNOWN });
        }
        let entry = place(&self.of_entries, random);
        let quasi = self.joint.starts.partition_point(|&start| start <= entry).saturating_sub(1) as u32;
        (quasi, self.joint.entries.get(entry as usize).map_or(0, |&(value, _)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_probabilities() {
        let rows = [(0, 1), (2, 0), (0, 1), (0, 0), (2, 2)];
        let joint = Joint::count(rows.into_iter(), 4, 3, 0.0);
        assert_eq!(joint.of_quasi(0), [(0, 1), (1, 2)]);
        assert_eq!((joint.of_quasi(1), joint.of_quasi(3)), (&[][..], &[][..]));
        assert_eq!(joint.of_quasi(2), [(0, 1), (2, 1)]);
        assert_eq!(joint.marginal(), [0.4, 0.4, 0.2]);
        assert_eq!(joint.probability(2, 3, 2), 0.4);
        assert_eq!(joint.evenness(), 2.0 * 0.4);
        let smoothed = Joint::count(rows.into_iter(), 4, 3, 5.0);
        // (2 + 5 · 3/5 · 2/5) / 10.
        assert!((smoothed.probability(2, 3, 2) - 0.32).abs() < 1e-15);
        // Marginals stay.
        let of_value: f64 =
            [(1, 3), (0, 0), (1, 2), (0, 0)].map(|(n, rows)| smoothed.probability(n, rows, 2)).iter().sum();
        assert!((of_value - 0.4).abs() < 1e-15);
    }

    #[test]
    fn unknown_values_are_rows_without_a_value() {
        let rows = [(0, 1), (0, UNKNOWN), (1, UNKNOWN), (1, 0), (1, UNKNOWN)];
        for smoothing in [0.0, 4.0] {
            let joint = Joint::count(rows.into_iter(), 2, 2, smoothing);
            assert_eq!((joint.of_quasi(0), joint.of_quasi(1)), (&[(1, 1)][..], &[(0, 1)][..]));
            assert_eq!((joint.rows(), joint.rows_of_quasi(1), joint.values()), (5, 3, 2));
            assert_eq!(joint.marginal(), [0.2, 0.2]);
            let (draw, mut random) = (joint.draw(), Random::new(1));
            let unknown = (0..20_000).filter(|_| draw.next(&mut random).1 == UNKNOWN).count();
            assert!((unknown as f64 / 20_000.0 - 0.6).abs() < 0.02, "{unknown}");
        }
    }

    #[test]
    fn draws_follow_the_probabilities() {
        for smoothing in [0.0, 10.0] {
            let joint = Joint::weigh([(0, 0, 1), (0, 1, 3), (1, 1, 2), (3, 0, 4)].into_iter(), 4, 2, smoothing);
            let (draw, mut random) = (joint.draw(), Random::new(3));
            let mut seen = [[0u32; 2]; 4];
            for _ in 0..40_000 {
                let (quasi, value) = draw.next(&mut random);
                seen[quasi as usize][value as usize] += 1;
            }
            for (quasi, seen) in seen.iter().enumerate() {
                for value in 0..2 {
                    let count = joint.of_quasi(quasi).iter().find(|entry| entry.0 == value).map_or(0, |entry| entry.1);
                    let rows = u64::from(joint.rows_of_quasi(quasi));
                    let expected = joint.probability(count, rows, joint.rows_of_value(value as usize));
                    let share = f64::from(seen[value as usize]) / 40_000.0;
                    assert!((share - expected).abs() < 0.015, "{quasi} {value}: {share} for {expected}");
                }
            }
        }
    }
}
