//! The nodes of a lattice in a list, and what is known about each.

use super::Node;

/// What is known about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not decided when the search stopped.
    Open,
    Feasible,
    Infeasible,
    /// Infeasible, because a coarser node needs too much suppression already.
    BySuppression,
    /// Not better than the best: its cost is bounded from below, or a coarser node needs more suppression than the best
    /// could afford.
    ByBound,
}

/// The state of every node, in lexicographic order.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Levels of each column.
    pub levels: Vec<usize>,
    pub states: Vec<State>,
}

impl Map {
    pub fn node(&self, mut index: usize) -> Node {
        let mut node = vec![0; self.levels.len()];
        for (level, &levels) in node.iter_mut().zip(&self.levels).rev() {
            *level = (index % levels) as u16;
            index /= levels;
        }
        node
    }

    pub fn index(&self, node: &[u16]) -> usize {
        node.iter().zip(&self.levels).fold(0, |index, (&level, &levels)| index * levels + usize::from(level))
    }

    /// Differences of the indexes of neighbours.
    pub(super) fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.levels.len()];
        for place in (1..strides.len()).rev() {
            strides[place - 1] = strides[place] * self.levels[place];
        }
        strides
    }
}
