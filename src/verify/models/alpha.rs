//! (α,k)-anonymity: no value (or none of those named) may have more than the share α of a class, whatever the truth is.

use super::worst_counts::worst_counts;
use super::{Class, Model, Verdict, at_most};
use crate::hierarchy::{Hierarchy, NodeId};

pub struct Alpha {
    pub alpha: f64,
    /// Empty: all values.
    pub named: Vec<NodeId>,
}

impl Model for Alpha {
    fn judge(&self, tree: &Hierarchy, class: &Class) -> Verdict {
        // Cells whose node is the value or has it below; of a named group, those that are below it, too.
        let cells = class.cells();
        let possibly = |named: NodeId| {
            let related = |node: NodeId| tree.covers(node, named) || tree.covers(named, node);
            cells.iter().filter(|cell| related(cell.0)).map(|cell| cell.1).sum::<u64>()
        };
        let most = if self.named.is_empty() {
            worst_counts(tree, class).first().copied()
        } else {
            self.named.iter().map(|&named| possibly(named)).max()
        };
        let achieved = class.share(most.unwrap_or(0));
        Verdict { holds: at_most(achieved, self.alpha), achieved }
    }

    fn more_is_better(&self) -> bool {
        false
    }
}
