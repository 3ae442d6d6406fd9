//! Sees before a level vector is looked at closely which tuples have a chance to stay there.
//!
//! Of a class that has fewer than ℓ values no row can stay, whichever leave. Most classes of most vectors are like that,
//! so it is seen to for all tuples at once: each class is a set of values, in a table by the classes' codes.
//! Complexity: O(tuples on their way · blocks) for a vector, a few nanoseconds each.

use super::classes::{Ground, Piece};
use super::levels::{Blocks, Codes, NONE};
use crate::hierarchy::NodeId;
use crate::sorting::Sorting;

/// Tables have at most so many entries for each tuple, or so many at all; where classes could be more, nothing is seen.
const SPARSE: usize = 16;
const SMALL: usize = 1 << 12;

pub struct Scout {
    /// No class with fewer values holds.
    least_values: u32,
    /// The values that a row of each node counts for, one bit each.
    values_of_node: Vec<u64>,
    /// The tuples on their way, in the order of their combinations.
    tuples: Vec<u32>,
    /// Combinations in the first block, and where the entries of each end.
    runs: Vec<(u32, usize)>,
    /// The combinations in the other blocks and the values of distinct entries.
    rest: Vec<u32>,
    values: Vec<u64>,
    /// The values of each class of the vector last looked at.
    table: Vec<u64>,
}

/// What a scout sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// No row can stay.
    Nobody,
    /// Some may; [`Scout::may_stay`] says which.
    Some,
    Unknown,
}

impl Scout {
    /// Nothing where values are too many, or where one is enough. Knows tuples only after [`Scout::forget`].
    pub fn new(ground: &Ground<'_>, blocks: &Blocks, pieces: &[Piece]) -> Option<Scout> {
        let least_values = ground.shares.least_values();
        if ground.sensitive.leaves().len() > u64::BITS as usize || least_values < 2 || blocks.len() == 0 {
            return None;
        }
        let bits = |node: NodeId| ground.shares.values(node).fold(0, |bits, leaf| bits | 1u64 << leaf);
        let mut tuples: Vec<u32> = (0..pieces.len() as u32).collect();
        tuples.order_by(|&one, &other| blocks.places(one).cmp(blocks.places(other)).then(one.cmp(&other)));
        Some(Scout {
            least_values,
            values_of_node: (0..ground.sensitive.len() as NodeId).map(bits).collect(),
            tuples,
            runs: Vec::new(),
            rest: Vec::new(),
            values: Vec::new(),
            table: Vec::new(),
        })
    }

    /// Forgets tuples that are not on their way any more.
    pub fn forget(&mut self, ground: &Ground<'_>, blocks: &Blocks, pieces: &[Piece]) {
        let Scout { values_of_node, tuples, runs, rest, values, .. } = self;
        tuples.retain(|&tuple| pieces[tuple as usize].count > 0);
        runs.clear();
        rest.clear();
        values.clear();
        for same in tuples.chunk_by(|&one, &other| blocks.places(one) == blocks.places(other)) {
            let node = |&tuple: &u32| ground.node_of_item[pieces[tuple as usize].item as usize];
            let places = blocks.places(same[0]);
            values.push(same.iter().map(node).fold(0, |all, node| all | values_of_node[node as usize]));
            rest.extend(&places[1..]);
            match runs.last_mut() {
                Some((first, end)) if *first == places[0] => *end = values.len(),
                _ => runs.push((places[0], values.len())),
            }
        }
    }

    /// Looks at all classes of a vector.
    pub fn look(&mut self, at: &[&Codes]) -> Sight {
        let classes = at.iter().try_fold(1usize, |classes, codes| classes.checked_mul(codes.size as usize));
        let most = self.values.len().saturating_mul(SPARSE).max(SMALL);
        let Some(classes) = classes.filter(|&classes| classes <= most) else { return Sight::Unknown };
        let Scout { runs, rest, values, table, .. } = self;
        table.clear();
        table.resize(classes, 0);
        let (first, others) = (at[0], &at[1..]);
        let mut start = 0;
        for &(place, end) in runs.iter() {
            let code = first.codes[place as usize];
            if code != NONE {
                let width = others.len();
                for (entry, &values) in (start..end).zip(&values[start..end]) {
                    if let Some(class) = class(code, others, &rest[entry * width..][..width]) {
                        table[class] |= values;
                    }
                }
            }
            start = end;
        }
        let some = table.iter().any(|values| values.count_ones() >= self.least_values);
        if some { Sight::Some } else { Sight::Nobody }
    }

    /// Whether a tuple of the vector last looked at may stay there.
    pub fn may_stay(&self, at: &[&Codes], places: &[u32]) -> bool {
        let first = at[0].codes[places[0] as usize];
        let class = if first == NONE { None } else { class(first, &at[1..], &places[1..]) };
        class.is_some_and(|class| self.table[class].count_ones() >= self.least_values)
    }
}

/// The class of a tuple, by its code in the first block and its places in the others.
#[inline]
fn class(first: u32, others: &[&Codes], places: &[u32]) -> Option<usize> {
    let mut class = first as usize;
    for (codes, &place) in others.iter().zip(places) {
        let code = codes.codes[place as usize];
        if code == NONE {
            return None;
        }
        class = class * codes.size as usize + code as usize;
    }
    Some(class)
}
