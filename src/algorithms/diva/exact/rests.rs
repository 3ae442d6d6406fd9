//! What is left of the rows, as a number.

use crate::algorithms::diva::ground::Ground;
use crate::algorithms::local::clusters::Part;

/// Different rests at most.
const RESTS: usize = 1 << 17;

/// Sets of rows as numbers: so many rows of each item, in mixed radix.
pub struct Rests {
    pub counts: Vec<u32>,
    /// What one row of each item adds to a number.
    pub steps: Vec<usize>,
    pub len: usize,
}

impl Rests {
    pub fn new(ground: &Ground<'_>) -> Option<Self> {
        let counts = ground.space.counts.clone();
        let mut steps = Vec::with_capacity(counts.len());
        let mut len = 1usize;
        for &count in &counts {
            steps.push(len);
            len = len.checked_mul(count as usize + 1).filter(|&len| len <= RESTS)?;
        }
        Some(Rests { counts, steps, len })
    }

    fn count(&self, rest: usize, item: usize) -> u32 {
        (rest / self.steps[item] % (self.counts[item] as usize + 1)) as u32
    }

    pub fn rows(&self, rest: usize) -> Vec<Part> {
        let parts = (0..self.counts.len()).map(|item| (item as u32, self.count(rest, item)));
        parts.filter(|&(_, count)| count > 0).collect()
    }

    pub fn first_item(&self, rest: usize) -> usize {
        (0..self.counts.len()).find(|&item| self.count(rest, item) > 0).unwrap_or(0)
    }

    /// All sets of at most `largest` rows within a rest that have a row of its first item.
    pub fn within(&self, rest: usize, first: usize, largest: u32) -> impl Iterator<Item = usize> {
        let most = self.rows(rest);
        let mut taken: Vec<u32> = vec![0; most.len()];
        let (mut number, mut size) = (0, 0);
        std::iter::from_fn(move || {
            for (place, &(item, count)) in most.iter().enumerate() {
                let step = self.steps[item as usize];
                if taken[place] < count && size < largest {
                    taken[place] += 1;
                    size += 1;
                    number += step;
                    return Some(number);
                }
                size -= taken[place];
                number -= taken[place] as usize * step;
                taken[place] = 0;
            }
            None
        })
        .filter(move |&number| self.count(number, first) > 0)
    }
}
