//! Counts of rows as digits of one number.

use crate::algorithms::diva::ground::Ground;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::targets::Bounds;
use crate::hierarchy::NodeId;

/// How many rows show each target, and how many are suppressed, in one number.
pub struct Tally {
    /// For each constraint the highest count that is told apart, and whether higher ones are as good.
    digits: Vec<Digit>,
    /// What one suppressed row adds, and how many there may be.
    suppressed: (u64, u64),
}

struct Digit {
    step: u64,
    most: u64,
    /// Counts above `most` are too high, or as good as it.
    strict: bool,
    least: u64,
}

impl Tally {
    /// `None` if the counts do not fit into a number.
    pub fn new(ground: &Ground<'_>, bounds: &[Bounds]) -> Option<Self> {
        let rows = ground.problem.table.rows as u64;
        let mut step = 1u64;
        let mut digits = Vec::with_capacity(bounds.len());
        for &Bounds { least, most } in bounds {
            // More rows than there are can't be asked for; one more than all says just that.
            let (least, strict) = (least.min(rows + 1), most < rows);
            let most = if strict { most } else { least };
            digits.push(Digit { step, most, strict, least });
            step = step.checked_mul(most + 1)?;
        }
        let most = ground.problem.suppressible.min(rows);
        step.checked_mul(most + 1)?;
        Some(Tally { digits, suppressed: (step, most) })
    }

    fn count(&self, key: u64, digit: &Digit) -> u64 {
        key / digit.step % (digit.most + 1)
    }

    /// `None` if a count is too high.
    pub fn key_of(&self, ground: &Ground<'_>, node: impl Fn(usize) -> NodeId, rows: &[Part]) -> Option<u64> {
        let mut key = 0;
        for (constraint, digit) in self.digits.iter().enumerate().filter(|(_, digit)| digit.most > 0 || digit.strict) {
            if ground.targets.shown_by(constraint, &node) {
                key += digit.step * digit.limited(ground.targets.rows_among(constraint, rows))?;
            }
        }
        Some(key)
    }

    pub fn add(&self, one: u64, other: u64) -> Option<u64> {
        let mut sum = one / self.suppressed.0 * self.suppressed.0;
        for digit in self.digits.iter().filter(|digit| digit.most > 0) {
            sum += digit.step * digit.limited(self.count(one, digit) + self.count(other, digit))?;
        }
        Some(sum)
    }

    pub fn suppress(&self, key: u64) -> Option<u64> {
        let (step, most) = self.suppressed;
        (key / step < most).then_some(key + step)
    }

    pub fn is_met(&self, key: u64) -> bool {
        self.digits.iter().all(|digit| self.count(key, digit) >= digit.least)
    }
}

impl Digit {
    fn limited(&self, count: u64) -> Option<u64> {
        if count <= self.most {
            Some(count)
        } else if self.strict {
            None
        } else {
            Some(self.most)
        }
    }
}
