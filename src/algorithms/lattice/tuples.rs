//! The distinct tuples of the table, and what they become on a coarser node.
//!
//! Rows are grouped once. From then on a node's classes come from the tuples of any finer node: their packed codes are
//! lifted column by column and grouped again. Complexity: O(tuples · columns) for a node.

use super::grouping::{Grouping, Part};
use super::levels::{Columns, Field, Lift};
use super::pace::{Pace, Stop};
use super::{Input, Node};

/// The classes of a node, as source for coarser ones.
#[derive(Clone, Debug)]
pub(super) struct Tuples {
    pub node: Node,
    /// Packed codes: for each word, that of each tuple.
    pub keys: Vec<Vec<u64>>,
    /// Rows of each tuple.
    pub sizes: Vec<u32>,
    /// How often each tuple has each value, one entry for each feature.
    pub features: Vec<Entries>,
}

/// Values and counts of one feature, tuple by tuple.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    /// Where each tuple's entries start, with one more for the end.
    pub starts: Vec<u32>,
    /// Ascending by value within a tuple.
    pub counts: Vec<(u32, u32)>,
}

impl Entries {
    pub fn of(&self, tuple: u32) -> &[(u32, u32)] {
        &self.counts[self.starts[tuple as usize] as usize..self.starts[tuple as usize + 1] as usize]
    }
}

/// A column of the table.
struct Rows<'a> {
    codes: &'a [u32],
    of_table: &'a [u32],
    bits: u32,
}

impl Part for Rows<'_> {
    fn bits(&self) -> u32 {
        self.bits
    }
    fn append(&self, first: usize, keys: &mut [u64]) {
        for (key, &code) in keys.iter_mut().zip(&self.codes[first..]) {
            *key = *key << self.bits | u64::from(self.of_table[code as usize]);
        }
    }
}

/// A column of packed tuples, lifted.
struct Lifted<'a> {
    keys: &'a [u64],
    field: Field,
    lift: Lift<'a>,
    bits: u32,
}

impl Part for Lifted<'_> {
    fn bits(&self) -> u32 {
        self.bits
    }
    fn append(&self, first: usize, keys: &mut [u64]) {
        let Field { shift, mask, .. } = self.field;
        let tuples = &self.keys[first..];
        match self.lift.table() {
            None => {
                for (key, tuple) in keys.iter_mut().zip(tuples) {
                    *key = *key << self.bits | tuple >> shift & mask;
                }
            }
            Some(table) => {
                for (key, tuple) in keys.iter_mut().zip(tuples) {
                    *key = *key << self.bits | u64::from(table[(tuple >> shift & mask) as usize]);
                }
            }
        }
    }
}

/// The tuples on the finest node, and the tuple of each row.
pub(super) async fn of_rows(
    columns: &Columns,
    input: &Input<'_>,
    grouping: &mut Grouping,
    pace: &Pace<'_>,
) -> Result<(Tuples, Vec<u32>), Stop> {
    let parts: Vec<Rows> = columns
        .columns
        .iter()
        .zip(input.codes)
        .map(|(column, codes)| Rows { codes, of_table: &column.of_table, bits: column.levels[0].bits() })
        .collect();
    grouping.group(input.rows, None, &parts, pace).await?;
    let mut keys = vec![vec![0; grouping.first.len()]; columns.words];
    for (column, codes) in columns.columns.iter().zip(input.codes) {
        for (key, &row) in keys[column.field.word].iter_mut().zip(&grouping.first) {
            *key |= u64::from(column.of_table[codes[row as usize] as usize]) << column.field.shift;
        }
    }
    let node = vec![0; columns.columns.len()];
    let sizes = grouping.sizes.clone();
    Ok((Tuples { node, keys, sizes, features: Vec::new() }, std::mem::take(&mut grouping.class_of)))
}

impl Tuples {
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Groups the tuples into the classes of a coarser node.
    pub async fn classes(
        &self,
        columns: &Columns,
        node: &[u16],
        grouping: &mut Grouping,
        pace: &Pace<'_>,
    ) -> Result<(), Stop> {
        let parts: Vec<Lifted> = (0..columns.columns.len())
            .filter(|&place| columns.level(place, node).size() > 1)
            .map(|place| {
                let column = &columns.columns[place];
                Lifted {
                    keys: &self.keys[column.field.word],
                    field: column.field,
                    lift: column.lift(self.node[place], node[place]),
                    bits: columns.level(place, node).bits(),
                }
            })
            .collect();
        grouping.group(self.len(), Some(&self.sizes), &parts, pace).await
    }

    /// The classes that `grouping` holds, as tuples of `node`, without features.
    pub fn rolled_up(&self, columns: &Columns, node: &[u16], grouping: &Grouping) -> Tuples {
        let mut keys = vec![vec![0; grouping.first.len()]; columns.words];
        for (place, column) in columns.columns.iter().enumerate() {
            let Field { word, shift, mask } = column.field;
            let lift = column.lift(self.node[place], node[place]);
            for (key, &tuple) in keys[word].iter_mut().zip(&grouping.first) {
                *key |= u64::from(lift.of((self.keys[word][tuple as usize] >> shift & mask) as u32)) << shift;
            }
        }
        Tuples { node: node.to_vec(), keys, sizes: grouping.sizes.clone(), features: Vec::new() }
    }

    /// The features of the classes into which these tuples go.
    pub fn merged_features(&self, class_of: &[u32], classes: usize) -> Vec<Entries> {
        let mut members = Members::default();
        members.sort(class_of, classes);
        self.features.iter().map(|entries| merge(entries, &members)).collect()
    }

    /// The code of a tuple in a column.
    pub fn code(&self, columns: &Columns, place: usize, tuple: usize) -> u32 {
        let Field { word, shift, mask } = columns.columns[place].field;
        (self.keys[word][tuple] >> shift & mask) as u32
    }
}

/// The tuples of each class.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub starts: Vec<u32>,
    pub tuples: Vec<u32>,
}

impl Members {
    /// By counting.
    pub fn sort(&mut self, class_of: &[u32], classes: usize) {
        self.starts.clear();
        self.starts.resize(classes + 1, 0);
        for &class in class_of {
            self.starts[class as usize + 1] += 1;
        }
        for class in 0..classes {
            self.starts[class + 1] += self.starts[class];
        }
        self.tuples.clear();
        self.tuples.resize(class_of.len(), 0);
        for (tuple, &class) in class_of.iter().enumerate() {
            let at = &mut self.starts[class as usize];
            self.tuples[*at as usize] = tuple as u32;
            *at += 1;
        }
        // Each start has moved to the next one's place.
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    pub fn of(&self, class: usize) -> &[u32] {
        &self.tuples[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Adds up the entries of each class's members.
fn merge(entries: &Entries, members: &Members) -> Entries {
    let mut sum = Sum::default();
    let mut merged = Entries { starts: vec![0], counts: Vec::new() };
    for class in 0..members.classes() {
        for &tuple in members.of(class) {
            entries.of(tuple).iter().for_each(|&(value, count)| sum.add(value, count));
        }
        merged.counts.extend_from_slice(sum.take());
        merged.starts.push(merged.counts.len() as u32);
    }
    merged
}

/// The entries of one feature, which has a code for each row.
pub(super) fn entries(codes: &[u32], tuple_of_row: &[u32], tuples: usize) -> Entries {
    let mut members = Members::default();
    members.sort(tuple_of_row, tuples);
    let mut sum = Sum::default();
    let mut entries = Entries { starts: vec![0], counts: Vec::new() };
    for tuple in 0..tuples {
        for &row in members.of(tuple) {
            sum.add(codes[row as usize], 1);
        }
        entries.counts.extend_from_slice(sum.take());
        entries.starts.push(entries.counts.len() as u32);
    }
    entries
}

/// A histogram being added up, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// The count of each value; all zero between two uses.
    counts: Vec<u32>,
    values: Vec<u32>,
    result: Vec<(u32, u32)>,
}

impl Sum {
    pub fn add(&mut self, value: u32, count: u32) {
        if value as usize >= self.counts.len() {
            self.counts.resize(value as usize + 1, 0);
        }
        let sum = &mut self.counts[value as usize];
        if *sum == 0 {
            self.values.push(value);
        }
        *sum += count;
    }

    /// The histogram, ascending by value; the next one starts empty.
    pub fn take(&mut self) -> &[(u32, u32)] {
        self.values.sort_unstable();
        self.result.clear();
        for value in self.values.drain(..) {
            self.result.push((value, std::mem::take(&mut self.counts[value as usize])));
        }
        &self.result
    }
}
