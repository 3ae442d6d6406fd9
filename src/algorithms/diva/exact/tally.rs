//! Counts of rows in the bits of one number.

use crate::algorithms::diva::ground::Ground;
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::targets::Bounds;
use crate::hierarchy::NodeId;

/// How many rows show each target, and how many are suppressed, in one number.
pub struct Tally {
    /// For each constraint the highest count that is told apart, and whether higher ones are as good.
    digits: Vec<Digit>,
    /// Where suppressed rows are counted, above all digits, and how many there may be.
    suppressed: (u32, u64),
}

struct Digit {
    shift: u32,
    mask: u64,
    most: u64,
    /// Counts above `most` are too high, or as good as it.
    strict: bool,
    least: u64,
}

impl Tally {
    /// `None` if the counts do not fit into a number.
    pub fn new(ground: &Ground<'_>, bounds: &[Bounds]) -> Option<Self> {
        let rows = ground.problem.table.rows as u64;
        let mut shift = 0;
        let mut digits = Vec::with_capacity(bounds.len());
        for &Bounds { least, most } in bounds {
            // More rows than there are can't be asked for; one more than all says just that.
            let (least, strict) = (least.min(rows + 1), most < rows);
            let most = if strict { most } else { least };
            digits.push(Digit { shift, mask: (1 << width(most)) - 1, most, strict, least });
            shift += width(most);
            if shift >= u64::BITS {
                return None;
            }
        }
        let most = ground.problem.suppressible.min(rows);
        (shift + width(most) < u64::BITS).then_some(Tally { digits, suppressed: (shift, most) })
    }

    fn count(&self, key: u64, digit: &Digit) -> u64 {
        key >> digit.shift & digit.mask
    }

    /// `None` if a count is too high.
    pub fn key_of(&self, ground: &Ground<'_>, node: impl Fn(usize) -> NodeId, rows: &[Part]) -> Option<u64> {
        let mut key = 0;
        for (constraint, digit) in self.digits.iter().enumerate().filter(|(_, digit)| digit.most > 0 || digit.strict) {
            if ground.targets.shown_by(constraint, &node) {
                key |= digit.limited(ground.targets.rows_among(constraint, rows))? << digit.shift;
            }
        }
        Some(key)
    }

    pub fn add(&self, one: u64, other: u64) -> Option<u64> {
        let mut sum = one >> self.suppressed.0 << self.suppressed.0;
        for digit in &self.digits {
            sum |= digit.limited(self.count(one, digit) + self.count(other, digit))? << digit.shift;
        }
        Some(sum)
    }

    pub fn suppress(&self, key: u64) -> Option<u64> {
        let (shift, most) = self.suppressed;
        (key >> shift < most).then_some(key + (1 << shift))
    }

    pub fn is_met(&self, key: u64) -> bool {
        self.digits.iter().all(|digit| self.count(key, digit) >= digit.least)
    }
}

/// Bits that a number up to `most` takes.
fn width(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

impl Digit {
    #[inline]
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
