//! Finds steps that help together.

use super::{Changes, Sight, Step};

/// The search for a chain.
pub struct Chains<'c, 's, 'a> {
    pub sight: &'c Sight<'s, 'a>,
    pub steps: &'c [(Step, Changes)],
    /// The steps that lower, and those that raise, each count.
    pub changing: &'c [[Vec<usize>; 2]],
    /// What the chain so far changes in the number of rows by which the constraints are missed.
    pub change: i64,
    pub looked_at: u32,
    pub chain: Vec<usize>,
    /// The counts with the chain so far.
    pub counts: Vec<i64>,
}

impl Chains<'_, '_, '_> {
    /// Adds up to `longest` steps, the first of which helps a constraint, so that all together help.
    pub fn extend(&mut self, constraint: usize, longest: usize) -> bool {
        let (sight, steps, changing) = (self.sight, self.steps, self.changing);
        let bounds = sight.ground.targets.bounds[constraint];
        let too_few = self.counts[constraint] < bounds.least.min(i64::MAX as u64) as i64;
        for &number in &changing[constraint][usize::from(too_few)] {
            if self.looked_at == 0 {
                return false;
            }
            self.looked_at -= 1;
            let changes = &steps[number].1;
            let before = self.change;
            // What this step breaks is the next to help.
            let mut broken = None;
            for &(one, change) in changes {
                let old = sight.miss(one, self.counts[one]);
                self.counts[one] += change;
                let new = sight.miss(one, self.counts[one]);
                self.change += new - old;
                if new > old && broken.is_none() {
                    broken = Some(one);
                }
            }
            self.chain.push(number);
            if self.change < 0 {
                return true;
            }
            // A step mends a few at most.
            if let Some(broken) = broken.filter(|_| longest > 1 && self.change < 2 * longest as i64)
                && self.extend(broken, longest - 1)
            {
                return true;
            }
            self.chain.pop();
            self.change = before;
            changes.iter().for_each(|&(one, change)| self.counts[one] -= change);
        }
        false
    }
}
