//! A release while clusters are added: rows that end in none are suppressed.
//! Complexity: O(rows + clusters · axes).

use super::clusters::Clusters;
use super::problem::Problem;
use super::space::Space;
use crate::hierarchy::NodeId;
use crate::release::{Release, SUPPRESSED};

/// A release while clusters are added.
pub struct Draft<'s> {
    space: &'s Space<'s>,
    quasi: Vec<Vec<NodeId>>,
    /// The classes of each item's rows, with how many are in each.
    classes_of_item: Vec<Vec<(u32, u32)>>,
    classes: u32,
}

impl<'s> Draft<'s> {
    pub fn new(space: &'s Space<'s>) -> Self {
        let classes_of_item = vec![Vec::new(); space.items()];
        Draft { space, quasi: vec![Vec::new(); space.axes()], classes_of_item, classes: 0 }
    }

    pub fn add(&mut self, clusters: &Clusters<'_>) {
        for cluster in clusters.used() {
            for (column, node) in self.quasi.iter_mut().zip(clusters.nodes(cluster)) {
                column.push(node);
            }
            for &(item, count) in clusters.members(cluster) {
                self.classes_of_item[item as usize].push((self.classes, count));
            }
            self.classes += 1;
        }
    }

    pub fn finish(mut self, problem: &Problem<'_>) -> Release {
        let class = |&item: &u32| {
            let classes = &mut self.classes_of_item[item as usize];
            let Some((class, left)) = classes.last_mut() else { return SUPPRESSED };
            let class = *class;
            *left -= 1;
            if *left == 0 {
                classes.pop();
            }
            class
        };
        let class_of_row = self.space.item_of_row.iter().map(class).collect();
        Release { class_of_row, quasi: self.quasi, sensitive: vec![None; problem.sensitive.len()] }
    }
}
