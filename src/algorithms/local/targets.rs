//! Diversity constraints as clusters see them: which of a class's rows show a constraint's target.
//!
//! A target names quasi-identifiers, which a class shows or does not, and other columns, which are released as they are
//! and so are a matter of each row. A row shows the target if its class shows the first part and its own cells the rest.
//! Texts are compared, since a reader sees nothing else: of several nodes with the target's text each will do, and of a
//! column's missing values each token.
//! Complexity: O(axes of the target) a class and constraint, O(members) more where other columns are named.

use super::clusters::Part;
use super::problem::Problem;
use super::space::{Item, Space};
use crate::classes::Keys;
use crate::constraints::Constraint;
use crate::constraints::count::{Texts, accepted};
use crate::hierarchy::NodeId;
use crate::sorting::Sorting;

/// How many rows must, and may, show a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub least: u64,
    pub most: u64,
}

impl Bounds {
    /// By how many rows a count misses the bounds.
    #[inline]
    pub fn missed_by(self, count: u64) -> u64 {
        self.least.saturating_sub(count) + count.saturating_sub(self.most)
    }
}

/// The targets of all constraints.
pub struct Targets {
    targets: Vec<Target>,
    pub bounds: Vec<Bounds>,
    /// Codes of other columns, by which rows must be told apart: 0, or the number of the value that a target names.
    others: Vec<(Vec<u32>, u32)>,
}

struct Target {
    /// The axes named, and the nodes on each that show the text.
    axes: Vec<(usize, Vec<NodeId>)>,
    /// Of other columns, the place in [`Targets::others`] and the number of the text there.
    named: Vec<(usize, u32)>,
    /// Whether each item's own cells show the rest of the target; empty if no other column is named.
    own: Vec<bool>,
}

impl Targets {
    pub fn new(problem: &Problem<'_>, constraints: &[Constraint]) -> Self {
        let mut columns: Vec<(usize, Vec<&str>)> = Vec::new();
        let mut targets = Vec::with_capacity(constraints.len());
        for constraint in constraints {
            let mut target = Target { axes: Vec::new(), named: Vec::new(), own: Vec::new() };
            for part in &constraint.target {
                if let Some(axis) = problem.quasi.iter().position(|quasi| quasi.column == part.column) {
                    let texts = problem.table.columns.get(part.column).map(|column| accepted(column, &part.value));
                    let nodes = texts.map(|texts| texts.nodes(&problem.quasi[axis].tree)).unwrap_or_default();
                    target.axes.push((axis, nodes));
                    continue;
                }
                let place = columns.iter().position(|&(column, _)| column == part.column).unwrap_or_else(|| {
                    columns.push((part.column, Vec::new()));
                    columns.len() - 1
                });
                let values = &mut columns[place].1;
                let value = values.iter().position(|&value| value == part.value).unwrap_or_else(|| {
                    values.push(&part.value);
                    values.len() - 1
                });
                target.named.push((place, value as u32 + 1));
            }
            targets.push(target);
        }
        let numbers = |(column, values): &(usize, Vec<&str>)| {
            let Some(column) = problem.table.columns.get(*column) else { return (vec![0; problem.table.rows], 1) };
            let texts: Vec<Texts<'_>> = values.iter().map(|value| accepted(column, value)).collect();
            let number =
                |text: &str| texts.iter().position(|texts| texts.contains(text)).map_or(0, |place| place as u32 + 1);
            let of_code: Vec<u32> = column.dictionary.iter().map(number).collect();
            (column.codes.iter().map(|&code| of_code[code as usize]).collect(), values.len() as u32 + 1)
        };
        let others = columns.iter().map(numbers).collect();
        let bounds =
            |constraint: &Constraint| Bounds { least: constraint.least, most: constraint.most.unwrap_or(u64::MAX) };
        Targets { targets, bounds: constraints.iter().map(bounds).collect(), others }
    }

    /// What must distinguish items beside quasi-identifiers and what requirements look at.
    pub fn keys(&self) -> Vec<Keys<'_>> {
        self.others.iter().map(|(codes, size)| Keys { codes, size: *size }).collect()
    }

    /// The axes that some target names.
    pub fn axes(&self) -> Vec<usize> {
        let mut axes: Vec<usize> = self.targets.iter().flat_map(|target| &target.axes).map(|&(axis, _)| axis).collect();
        axes.order();
        axes.dedup();
        axes
    }

    /// Notes what each item's own cells show.
    pub fn bind(&mut self, space: &Space<'_>) {
        for target in self.targets.iter_mut().filter(|target| !target.named.is_empty()) {
            let shows =
                |&row: &u32| target.named.iter().all(|&(place, number)| self.others[place].0[row as usize] == number);
            target.own = space.row_of_item.iter().map(shows).collect();
        }
    }

    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The axes that a constraint names, and the nodes on each that show its text.
    pub fn axes_of(&self, constraint: usize) -> &[(usize, Vec<NodeId>)] {
        &self.targets[constraint].axes
    }

    /// Whether all columns that a constraint names are quasi-identifiers: then whole classes count.
    pub fn counts_classes(&self, constraint: usize) -> bool {
        self.targets[constraint].named.is_empty()
    }

    /// Whether an item's own cells show what a constraint asks of columns that are released as they are.
    pub fn own_cells_show(&self, constraint: usize, item: Item) -> bool {
        self.targets[constraint].own.get(item as usize).copied().unwrap_or(true)
    }

    /// Whether a class that shows these nodes shows a constraint's quasi-identifiers.
    pub fn shown_by(&self, constraint: usize, node: impl Fn(usize) -> NodeId) -> bool {
        self.targets[constraint].axes.iter().all(|(axis, nodes)| nodes.contains(&node(*axis)))
    }

    /// The constraints that name an axis and are shown there by a node.
    pub fn shown_on(&self, axis: usize, node: NodeId) -> Vec<usize> {
        let shows = |target: &Target| target.axes.iter().any(|(other, nodes)| *other == axis && nodes.contains(&node));
        (0..self.targets.len()).filter(|&constraint| shows(&self.targets[constraint])).collect()
    }

    /// Rows among some that count for a constraint if their class shows its quasi-identifiers.
    pub fn rows_among(&self, constraint: usize, rows: &[Part]) -> u64 {
        let counts = rows.iter().filter(|&&(item, _)| self.own_cells_show(constraint, item));
        counts.map(|&(_, count)| u64::from(count)).sum()
    }

    /// Writes how many rows of a class show each target. The class has these rows and this box.
    pub fn count(&self, space: &Space<'_>, lows: &[u32], highs: &[u32], rows: &[Part], counts: &mut [u64]) {
        let size = rows.iter().map(|&(_, count)| u64::from(count)).sum();
        for (constraint, count) in counts.iter_mut().enumerate() {
            *count = match self.shown_by(constraint, |axis| space.node(axis, lows[axis], highs[axis])) {
                true if self.counts_classes(constraint) => size,
                true => self.rows_among(constraint, rows),
                false => 0,
            };
        }
    }

    /// By how many rows the counts miss the bounds, all together.
    pub fn missed_by(&self, counts: &[u64]) -> u64 {
        self.bounds.iter().zip(counts).map(|(bounds, &count)| bounds.missed_by(count)).sum()
    }
}
