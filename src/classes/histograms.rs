//! How often each class has each value of one column.
//!
//! All histograms lie in one array. They are counted in a table of classes × values while that is no larger than what
//! is counted, and sorted class by class otherwise. Complexity: O(rows) or O(rows · log of a class's size) to build,
//! the same in entries to roll up.

use super::Classes;

/// A class as models see it: how often it has each value of one sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Histogram<'a> {
    /// Rows of the class: the sum of the counts.
    pub size: u32,
    /// Values (codes of the column) in ascending order with their counts, none of which is 0.
    pub counts: &'a [(u32, u32)],
}

#[derive(Clone, Debug, PartialEq)]
pub struct Histograms {
    /// Where each class's entries start, with one entry more for the end.
    starts: Vec<u32>,
    /// Value and count, ascending by value within a class.
    counts: Vec<(u32, u32)>,
    sizes: Vec<u32>,
}

/// What is counted: that a class has a value in so many rows.
type Item = (u32, u32, u32);

impl Histograms {
    /// The histograms of `codes` (one a row) in each class.
    pub fn new(classes: &Classes, codes: &[u32]) -> Self {
        let items = classes.of_row.iter().zip(codes).map(|(&class, &code)| (class, code, 1));
        count(items, &classes.sizes, classes.sizes.clone())
    }

    /// The histograms of a coarser recoding, each of whose classes is made of some of these: `class_of` says of which
    /// of the `classes` new ones each is a part.
    pub fn roll_up(&self, class_of: &[u32], classes: usize) -> Self {
        let mut sizes = vec![0; classes];
        let mut entries = vec![0; classes];
        for (part, &class) in class_of.iter().enumerate() {
            sizes[class as usize] += self.sizes[part];
            entries[class as usize] += self.starts[part + 1] - self.starts[part];
        }
        let of_part = |(part, &class): (usize, &u32)| {
            self.class(part).counts.iter().map(move |&(value, count)| (class, value, count))
        };
        count(class_of.iter().enumerate().flat_map(of_part), &entries, sizes)
    }

    /// The same classes with their counts as `change` gives them; a class's size stays.
    pub fn map(&self, mut change: impl FnMut(&Histogram<'_>, &mut Vec<(u32, u32)>)) -> Histograms {
        let (mut starts, mut counts) = (vec![0], Vec::with_capacity(self.counts.len()));
        for class in self.iter() {
            change(&class, &mut counts);
            starts.push(counts.len() as u32);
        }
        Histograms { starts, counts, sizes: self.sizes.clone() }
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

/// The histograms of `items`, of which each class has as many as `items_of` says.
fn count(items: impl Iterator<Item = Item> + Clone, items_of: &[u32], sizes: Vec<u32>) -> Histograms {
    let total: u64 = items_of.iter().map(|&items| u64::from(items)).sum();
    let values = items.clone().map(|(_, value, _)| value).max().map_or(0, |last| u64::from(last) + 1);
    let (starts, counts) = if values * items_of.len() as u64 <= total {
        count_in_table(items, items_of.len(), values as usize)
    } else {
        sort_in_classes(items, items_of)
    };
    Histograms { starts, counts, sizes }
}

fn count_in_table(items: impl Iterator<Item = Item>, classes: usize, values: usize) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut table = vec![0u32; classes * values];
    for (class, value, count) in items {
        table[class as usize * values + value as usize] += count;
    }
    let mut starts = vec![0];
    let mut counts = Vec::new();
    for class in (0..classes).map(|class| &table[class * values..][..values]) {
        counts.extend((0..).zip(class).filter(|&(_, &count)| count > 0).map(|(value, &count)| (value, count)));
        starts.push(counts.len() as u32);
    }
    (starts, counts)
}

fn sort_in_classes(items: impl Iterator<Item = Item>, items_of: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut at: Vec<u32> = Vec::with_capacity(items_of.len());
    let mut sum = 0;
    for &items in items_of {
        at.push(sum);
        sum += items;
    }
    // Value and count in one number, which sorts faster than a pair.
    let mut sorted = vec![0u64; sum as usize];
    for (class, value, count) in items {
        let place = &mut at[class as usize];
        sorted[*place as usize] = u64::from(value) << 32 | u64::from(count);
        *place += 1;
    }
    let mut starts = Vec::with_capacity(items_of.len() + 1);
    starts.push(0);
    let mut counts: Vec<(u32, u32)> = Vec::with_capacity(sum as usize);
    let mut rest = sorted.as_mut_slice();
    for &items in items_of {
        let (class, later) = rest.split_at_mut(items as usize);
        class.sort_unstable();
        let first = counts.len();
        for &item in class.iter() {
            let (value, count) = ((item >> 32) as u32, item as u32);
            match counts[first..].last_mut() {
                Some(last) if last.0 == value => last.1 += count,
                _ => counts.push((value, count)),
            }
        }
        starts.push(counts.len() as u32);
        rest = later;
    }
    (starts, counts)
}
