//! How far the values of one quasi-identifier were generalized, on its hierarchy.
//!
//! Read from the output's cells, as the verifier does: a cell stands for the node of that text above its original.
//! Complexity: O(rows) and O(nodes).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Run;
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::Sorting;
use crate::table::Table;

/// As many nodes as are drawn.
const MOST_NODES: usize = 400;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub column: String,
    /// Nodes that rows are shown as, and those above them, in pre-order.
    pub nodes: Vec<SpreadNode>,
    /// Values with few rows that are not listed, and their rows.
    pub left_out: (u64, u64),
    /// Rows whose value went up by 0, 1, 2, … steps.
    pub steps: Vec<u64>,
    pub suppressed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadNode {
    pub label: String,
    pub depth: u32,
    /// Rows of the input under it, suppressed ones among them.
    pub rows: u64,
    /// Rows that are released as just this.
    pub shown: u64,
    /// Some value may go no further than this.
    pub limit: bool,
}

impl Spread {
    /// `column` is a quasi-identifier's place in the table.
    pub fn of(table: &Table, run: &Run, column: usize) -> Result<Spread, Failure> {
        let none = || Failure::refused("This column is not a quasi-identifier.", "Choose one that was recoded.");
        let checked = ResolvedPolicy::new(&run.setup, table)?;
        let quasi = checked.quasi.iter().find(|quasi| quasi.column == column).ok_or_else(none)?;
        let original = &table.columns[column];
        let released = run.output.columns.iter().find(|other| other.name == original.name).ok_or_else(none)?;
        let tree = &quasi.tree;
        let mut pairs: HashMap<(u32, u32), u64> = HashMap::new();
        for (&row, &cell) in run.row_of.iter().zip(&released.codes) {
            *pairs.entry((original.codes[row as usize], cell)).or_default() += 1;
        }
        let (mut shown, mut rows) = (vec![0u64; tree.len()], vec![0u64; tree.len()]);
        let mut steps: Vec<u64> = vec![0; tree.levels()];
        for ((code, cell), count) in pairs {
            let text = released.dictionary.text(cell);
            let above =
                tree.path(quasi.leaf_of_code[code as usize]).enumerate().find(|(_, at)| tree.label(*at) == text);
            if let Some((step, node)) = above {
                shown[node as usize] += count;
                steps[step.min(tree.levels() - 1)] += count;
            }
        }
        for (&leaf, &count) in quasi.leaf_of_code.iter().zip(&original.counts) {
            tree.path(leaf).for_each(|node| rows[node as usize] += u64::from(count));
        }
        while steps.len() > 1 && steps.last() == Some(&0) {
            steps.pop();
        }
        let mut limits = vec![false; tree.len()];
        quasi.limit_of_code.iter().for_each(|&limit| limits[limit as usize] = tree.parent(limit).is_some());
        let listed = listed(tree.len(), &shown, |node| tree.parent(node));
        let left_out = (0..tree.len())
            .filter(|&node| shown[node] > 0 && !listed[node])
            .fold((0, 0), |sum, node| (sum.0 + 1, sum.1 + shown[node]));
        let node = |node: NodeId| SpreadNode {
            label: tree.label(node).to_owned(),
            depth: tree.depth(node) as u32,
            rows: rows[node as usize],
            shown: shown[node as usize],
            limit: limits[node as usize],
        };
        let nodes = (0..tree.len() as NodeId).filter(|&node| listed[node as usize]).map(node).collect();
        let suppressed = (table.rows - run.output.rows) as u64;
        Ok(Spread { column: original.name.clone(), nodes, left_out, steps, suppressed })
    }
}

/// The nodes with the most rows and all above them.
fn listed(nodes: usize, shown: &[u64], parent: impl Fn(NodeId) -> Option<NodeId>) -> Vec<bool> {
    let mut order: Vec<NodeId> = (0..nodes as NodeId).filter(|&node| shown[node as usize] > 0).collect();
    order.order_by_key(|&node| (std::cmp::Reverse(shown[node as usize]), node));
    let mut listed = vec![false; nodes];
    let mut count = 0;
    for node in order {
        if count >= MOST_NODES {
            break;
        }
        let mut next = Some(node);
        while let Some(at) = next.filter(|&at| !listed[at as usize]) {
            listed[at as usize] = true;
            count += 1;
            next = parent(at);
        }
    }
    listed
}
