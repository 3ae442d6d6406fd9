//! Classes: rows that agree in some columns, found by their codes.
//!
//! Codes are packed into one integer key as long as they fit; then one pass with a table (few possible keys) or a hash
//! index (many) numbers the classes in order of first appearance. Complexity: O(rows · columns).

mod histograms;
pub mod joint;
pub mod risk;
mod singling_out;

use hashbrown::HashTable;

use crate::sorting::Sorting;

pub use histograms::{Histogram, Histograms};
pub use risk::Risk;
pub use singling_out::{SinglingSet, singling_out};

/// One column of keys: codes below `size`.
pub struct Keys<'a> {
    pub codes: &'a [u32],
    pub size: u32,
}

/// Rows grouped into classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The class of each row.
    pub of_row: Vec<u32>,
    /// How many rows each class has.
    pub sizes: Vec<u32>,
}

/// Below this many possible keys a plain table beats a hash index.
const TABLE: u64 = 1 << 20;

impl Classes {
    /// All rows in one class.
    pub fn one(rows: usize) -> Self {
        Classes { of_row: vec![0; rows], sizes: if rows == 0 { Vec::new() } else { vec![rows as u32] } }
    }

    /// Groups `rows` rows by all of `columns`.
    pub fn group(rows: usize, columns: &[Keys<'_>]) -> Self {
        let mut classes = Classes::one(rows);
        let mut rest = columns;
        while !rest.is_empty() {
            // As many columns as fit into one key beside the classes so far.
            let mut range = classes.sizes.len().max(1) as u64;
            let mut taken = 0;
            while let Some(next) = rest.get(taken).and_then(|column| range.checked_mul(u64::from(column.size.max(1)))) {
                range = next;
                taken += 1;
            }
            // Classes (at most 2^32) and one column (at most 2^32) always fit, so at least one is taken.
            let (now, later) = rest.split_at(taken.max(1));
            classes = classes.split(now, range);
            rest = later;
        }
        classes
    }

    /// Splits each class by further columns; keys are below `range`.
    fn split(&self, columns: &[Keys<'_>], range: u64) -> Self {
        let key = |row: usize| {
            columns.iter().fold(u64::from(self.of_row[row]), |key, column| {
                key * u64::from(column.size.max(1)) + u64::from(column.codes[row])
            })
        };
        let rows = self.of_row.len();
        let mut of_row = Vec::with_capacity(rows);
        let mut sizes: Vec<u32> = Vec::new();
        if range <= TABLE {
            let mut table = vec![u32::MAX; range as usize];
            for row in 0..rows {
                let class = &mut table[key(row) as usize];
                if *class == u32::MAX {
                    *class = sizes.len() as u32;
                    sizes.push(0);
                }
                sizes[*class as usize] += 1;
                of_row.push(*class);
            }
        } else {
            let mut index: HashTable<(u64, u32)> = HashTable::with_capacity(1 << 12);
            for row in 0..rows {
                let key = key(row);
                let entry = index.entry(hash(key), |&(other, _)| other == key, |&(other, _)| hash(other));
                let class = entry.or_insert_with(|| {
                    sizes.push(0);
                    (key, sizes.len() as u32 - 1)
                });
                let class = class.get().1;
                sizes[class as usize] += 1;
                of_row.push(class);
            }
        }
        Classes { of_row, sizes }
    }

    /// The size of the smallest class; 0 when there is none.
    pub fn smallest(&self) -> u32 {
        self.sizes.iter().copied().min().unwrap_or(0)
    }

    /// The risk of the most exposed row to who knows that a person is in the table (prosecutor).
    pub fn highest_risk(&self) -> f64 {
        if self.sizes.is_empty() { 0.0 } else { 1.0 / f64::from(self.smallest()) }
    }

    /// The share of all rows that who wants to find many finds rightly (marketer): one a class.
    pub fn average_risk(&self) -> f64 {
        if self.sizes.is_empty() { 0.0 } else { self.sizes.len() as f64 / self.of_row.len() as f64 }
    }

    /// Number of rows whose risk is above a threshold.
    pub fn rows_above(&self, threshold: f64) -> u64 {
        self.rows_in_classes_below(risk::smallest_class(threshold))
    }

    /// Number of rows in classes smaller than `k`.
    pub fn rows_in_classes_below(&self, k: u32) -> u64 {
        self.sizes.iter().filter(|&&size| size < k).map(|&size| u64::from(size)).sum()
    }
}

fn hash(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 29)
}

/// As many classes as are listed at once.
const MOST_LISTED: usize = 500;

/// Some of the classes from `first` on, those with the lowest keys first.
pub fn lowest(keyed: &mut [(f64, u32)], first: u64, count: u32) -> Vec<(f64, u32)> {
    // Only the classes up to the last that is asked for need to be in order.
    let start = (first as usize).min(keyed.len());
    let end = (start + (count as usize).min(MOST_LISTED)).min(keyed.len());
    let by_key = |one: &(f64, u32), other: &(f64, u32)| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1));
    if end > 0 && end < keyed.len() {
        keyed.select_nth_unstable_by(end - 1, by_key);
    }
    keyed[..end].order_by(by_key);
    keyed[start..end].to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn agrees_with_a_map_of_tuples() {
        let mut state = 9u64;
        for sizes in [vec![3, 4], vec![1000, 3000, 7], vec![u32::MAX, 5, u32::MAX], vec![], vec![1]] {
            let columns: Vec<Vec<u32>> = sizes
                .iter()
                .map(|&size| {
                    let mut code = || {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        ((state >> 33) % u64::from(size.min(40))) as u32
                    };
                    (0..500).map(|_| code()).collect()
                })
                .collect();
            let keys: Vec<Keys> = columns.iter().zip(&sizes).map(|(codes, &size)| Keys { codes, size }).collect();
            let classes = Classes::group(500, &keys);
            let mut naive: HashMap<Vec<u32>, (u32, u32)> = HashMap::new();
            for row in 0..500 {
                let tuple: Vec<u32> = columns.iter().map(|column| column[row]).collect();
                let next = naive.len() as u32;
                naive.entry(tuple).or_insert((next, 0)).1 += 1;
            }
            assert_eq!(classes.sizes.len(), naive.len());
            for row in 0..500 {
                let tuple: Vec<u32> = columns.iter().map(|column| column[row]).collect();
                let (class, size) = naive[&tuple];
                assert_eq!((classes.of_row[row], classes.sizes[class as usize]), (class, size));
            }
        }
    }
}
