//! How often each class has each value of one column.
//!
//! All histograms lie in one array. Complexity: O(rows + values of the classes · log) to build, O(entries) to roll up.

use super::Classes;
use crate::privacy::Histogram;

#[derive(Clone, Debug, PartialEq)]
pub struct Histograms {
    /// Where each class's entries start, with one entry more for the end.
    starts: Vec<u32>,
    /// Value and count, ascending by value within a class.
    counts: Vec<(u32, u32)>,
    sizes: Vec<u32>,
}

impl Histograms {
    /// The histograms of `codes` (one a row) in each class.
    pub fn new(classes: &Classes, codes: &[u32]) -> Self {
        // Rows by class, by counting; then each class's codes in order.
        let mut at: Vec<u32> = Vec::with_capacity(classes.sizes.len());
        let mut sum = 0;
        for &size in &classes.sizes {
            at.push(sum);
            sum += size;
        }
        let mut sorted = vec![0; codes.len()];
        for (&class, &code) in classes.of_row.iter().zip(codes) {
            let place = &mut at[class as usize];
            sorted[*place as usize] = code;
            *place += 1;
        }
        let mut starts = Vec::with_capacity(classes.sizes.len() + 1);
        let mut counts: Vec<(u32, u32)> = Vec::new();
        let mut rest = sorted.as_mut_slice();
        for &size in &classes.sizes {
            starts.push(counts.len() as u32);
            let (class, later) = rest.split_at_mut(size as usize);
            class.sort_unstable();
            counts.extend(class.chunk_by(|one, other| one == other).map(|run| (run[0], run.len() as u32)));
            rest = later;
        }
        starts.push(counts.len() as u32);
        Histograms { starts, counts, sizes: classes.sizes.clone() }
    }

    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    pub fn class(&self, class: usize) -> Histogram<'_> {
        let range = self.starts[class] as usize..self.starts[class + 1] as usize;
        Histogram { size: self.sizes[class], counts: &self.counts[range] }
    }

    pub fn iter(&self) -> impl Iterator<Item = Histogram<'_>> {
        (0..self.len()).map(|class| self.class(class))
    }
}
