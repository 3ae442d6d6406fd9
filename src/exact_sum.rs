//! Sums of fractions that are the same in every order: what a figure of a table is must not depend on the order of its rows.
//!
//! Shewchuk's adaptive sums (1997), rounded once at the end as Python's `fsum` does: the result is the number nearest to the
//! true sum, whatever came first. Complexity: O(1) a term for terms of similar size.

/// The parts of a sum, each smaller than the last bit of the next.
#[derive(Clone, Debug, Default)]
pub struct ExactSum {
    parts: Vec<f64>,
    /// What can't be split: infinite terms and such that are no numbers.
    other: f64,
}

impl ExactSum {
    pub fn add(&mut self, mut term: f64) {
        if !term.is_finite() {
            self.other += term;
            return;
        }
        let mut kept = 0;
        for place in 0..self.parts.len() {
            let part = self.parts[place];
            let (large, small) = if term.abs() < part.abs() { (part, term) } else { (term, part) };
            let sum = large + small;
            let rest = small - (sum - large);
            if rest != 0.0 {
                self.parts[kept] = rest;
                kept += 1;
            }
            term = sum;
        }
        self.parts.truncate(kept);
        self.parts.push(term);
    }

    pub fn total(&self) -> f64 {
        let mut parts = self.parts.iter().rev().copied();
        let (mut sum, mut rest) = (parts.next().unwrap_or(0.0), 0.0);
        for part in parts.by_ref() {
            let before = sum;
            sum += part;
            rest = part - (sum - before);
            if rest != 0.0 {
                break;
            }
        }
        // Halfway between two numbers, what is left decides.
        if let Some(next) = parts.next()
            && ((rest < 0.0 && next < 0.0) || (rest > 0.0 && next > 0.0))
        {
            let twice = rest * 2.0;
            let other = sum + twice;
            if other - sum == twice {
                sum = other;
            }
        }
        sum + self.other
    }
}

/// The same for inner loops: with twice the digits, so that the order of some thousand positive terms is not seen in the sum
/// that is rounded at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompensatedSum {
    sum: f64,
    rest: f64,
}

impl CompensatedSum {
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let own = sum - self.sum;
        self.rest += (self.sum - (sum - own)) + (term - own);
        self.sum = sum;
    }

    #[inline]
    pub fn total(self) -> f64 {
        self.sum + self.rest
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        // Two sums that do not wait for each other.
        let (mut sum, mut other) = (CompensatedSum::default(), CompensatedSum::default());
        let mut terms = terms.into_iter();
        while let Some(term) = terms.next() {
            sum.add(term);
            match terms.next() {
                Some(term) => other.add(term),
                None => break,
            }
        }
        sum.add(other.sum);
        sum.rest += other.rest;
        sum
    }
}

pub trait ExactSums: Iterator<Item = f64> + Sized {
    fn exact_sum(self) -> f64 {
        let mut sum = ExactSum::default();
        self.for_each(|term| sum.add(term));
        sum.total()
    }
}

impl<I: Iterator<Item = f64>> ExactSums for I {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_terms_does_not_matter() {
        assert_eq!([1e100, 1.0, -1e100, 1e-100].into_iter().exact_sum(), 1.0);
        assert_eq!([0.1; 10].into_iter().exact_sum(), 1.0);
        assert_eq!([f64::INFINITY, 1.0].into_iter().exact_sum(), f64::INFINITY);
        assert_eq!([1.0, f64::EPSILON / 2.0, f64::MIN_POSITIVE].into_iter().exact_sum(), 1.0 + f64::EPSILON);
        assert_eq!(std::iter::empty().exact_sum(), 0.0);
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for _ in 0..200 {
            let mut terms: Vec<f64> = (0..50).map(|_| next() as f64 / (1.0 + next() as f64)).collect();
            let sum = terms.iter().copied().exact_sum();
            for last in (1..terms.len()).rev() {
                terms.swap(last, next() as usize % (last + 1));
            }
            assert_eq!(terms.iter().copied().exact_sum(), sum);
            assert_eq!(CompensatedSum::from_iter(terms.iter().copied()).total(), sum);
        }
    }
}
