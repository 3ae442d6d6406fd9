//! What the search is asked, and what it answers.

use super::map::Map;
use super::{Metric, Node, Stop};
use crate::policy::Quasi;
use crate::privacy::Requirement;

/// The table.
pub struct Input<'a> {
    pub rows: usize,
    pub quasi: &'a [Quasi],
    /// The codes of each quasi-identifier, in the order of `quasi`.
    pub codes: &'a [&'a [u32]],
    /// All sensitive columns.
    pub sensitive: &'a [Values<'a>],
}

/// A sensitive column.
pub struct Values<'a> {
    /// Its place in the table.
    pub column: usize,
    /// Missing-value tokens are one code ([`crate::table::Column::class_codes`]).
    pub codes: &'a [u32],
    /// Leaves of its hierarchy.
    pub leaves: u32,
}

/// What is asked of a lattice; may change from one call to the next.
pub struct Question<'a> {
    pub requirements: &'a [Requirement],
    /// No class with fewer rows meets the requirements, whatever it holds (distinct, entropy and recursive ℓ need at
    /// least ℓ rows). Only speed depends on it; 1 says nothing.
    pub least_rows: u32,
    /// The most rows that may be suppressed.
    pub suppression_limit: u64,
    pub metric: Metric,
}

/// When to stop before everything is decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// Nodes to compute at most. The result depends on nothing else.
    pub nodes: Option<u64>,
    /// Milliseconds to take at most: what is found then depends on the machine.
    pub milliseconds: Option<f64>,
}

/// A feasible node.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub node: Node,
    /// What it costs.
    pub value: f64,
    pub classes: u64,
    pub suppressed: u64,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best node found; `None` when none is feasible, or none was found yet.
    pub best: Option<Found>,
    /// Whether no other node can be better (or, without a best one, feasible).
    pub proved: bool,
    /// No feasible node costs less. What `best` costs, if proved.
    pub lower_bound: f64,
    /// What ended the search, if not the last node.
    pub stopped: Option<Stop>,
    pub counts: Counts,
    /// The state of every node, for lattices that are listed.
    pub map: Option<Map>,
}

/// How many nodes came to which end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub nodes: u64,
    /// Nodes whose classes were computed.
    pub computed: u64,
    /// Known to be feasible. Exact when all nodes were decided.
    pub feasible: u64,
    pub infeasible: u64,
    /// Those of the infeasible ones that follow from a coarser node, which needs too much suppression already.
    pub by_suppression: u64,
    /// Left alone, because they can't be better than the best.
    pub by_bound: u64,
}

/// All minimal nodes.
#[derive(Clone, Debug)]
pub struct Minimal {
    /// Feasible nodes without a feasible one below (finer), in lexicographic order.
    pub nodes: Vec<Found>,
    /// Whether everything above a minimal node is feasible, so that they say it all.
    pub monotone: bool,
    pub stopped: Option<Stop>,
    pub counts: Counts,
    pub map: Map,
}
