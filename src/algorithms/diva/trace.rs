//! What the colouring did, step by step, to be watched again on small tables; of large ones, how much it did.

use serde::{Deserialize, Serialize};

use super::ground::{Class, Ground, rows};
use crate::constraints::Distinct;
use crate::sorting::Sorting;

/// Steps that are kept at most.
const STEPS: usize = 2000;

/// Rows of a table at most, of which clusters are listed row by row.
const ROWS: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    pub steps: Vec<Step>,
    /// Steps that were taken and are not in `steps`.
    pub more: u64,
    /// For each constraint, how many candidate clusterings it has; `None` where they were not listed.
    pub candidates: Vec<Option<u64>>,
    /// For each constraint those whose rows overlap with its own.
    pub neighbours: Vec<Vec<usize>>,
    /// Candidates that were looked at.
    pub tried: u64,
    pub backtracks: u64,
    pub led_to: LedTo,
}

/// What a colouring was good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LedTo {
    /// The release grew from its clusters.
    #[default]
    Release,
    /// None was found or could be completed: the release grew from clusters that come near to one.
    NearColouring,
    /// None was found or could be completed: the release grew from a plan of how many rows hide what.
    Plan,
    /// The exact search found a release of less cost, or the first.
    ExactSearch,
}

/// How large a clustering is; there are no clusters where none is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub clusters: u64,
    pub rows: u64,
}

/// Constraints are named by their place; clusters are listed by the rows of the table if that is small, else not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A constraint got a clustering, consistent with those of its neighbours.
    Coloured { constraint: usize, clusters: Vec<Vec<u32>>, size: Size },
    /// A clustering was tried and is not consistent with that of a neighbour.
    Rejected { constraint: usize, clusters: Vec<Vec<u32>>, size: Size, because: Option<usize> },
    /// No candidate was left, so the constraint before it gets another one.
    Backtracked { constraint: usize },
}

impl Trace {
    pub(super) fn coloured(&mut self, ground: &Ground<'_>, constraint: usize, classes: &[Class]) {
        self.tried += 1;
        self.push(|| Step::Coloured { constraint, clusters: listed(ground, classes), size: size(classes) });
    }

    pub(super) fn rejected(
        &mut self,
        ground: &Ground<'_>,
        constraint: usize,
        classes: &[Class],
        because: Option<usize>,
    ) {
        self.tried += 1;
        self.push(|| Step::Rejected { constraint, clusters: listed(ground, classes), size: size(classes), because });
    }

    pub(super) fn backtracked(&mut self, constraint: usize) {
        self.backtracks += 1;
        self.push(|| Step::Backtracked { constraint });
    }

    /// The same of all constraints, where it was found with each different one once.
    pub(super) fn renumbered(mut self, distinct: &Distinct) -> Trace {
        let number = |constraint: &mut usize| *constraint = distinct.first[*constraint];
        for step in &mut self.steps {
            match step {
                Step::Coloured { constraint, .. } | Step::Backtracked { constraint } => number(constraint),
                Step::Rejected { constraint, because, .. } => {
                    number(constraint);
                    because.iter_mut().for_each(number);
                }
            }
        }
        self.neighbours.iter_mut().flatten().for_each(number);
        self.candidates = distinct.spread(&self.candidates);
        self.neighbours = distinct.spread(&self.neighbours);
        self
    }

    fn push(&mut self, step: impl FnOnce() -> Step) {
        if self.steps.len() < STEPS {
            self.steps.push(step());
        } else {
            self.more += 1;
        }
    }
}

fn size(classes: &[Class]) -> Size {
    Size { clusters: classes.len() as u64, rows: classes.iter().map(|class| rows(&class.rows)).sum() }
}

/// The rows of each cluster, of a small table; rows that nothing distinguishes are taken in their order.
fn listed(ground: &Ground<'_>, classes: &[Class]) -> Vec<Vec<u32>> {
    let all = ground.problem.table.rows;
    if all > ROWS {
        return Vec::new();
    }
    let mut taken = vec![false; all];
    let mut list = |class: &Class| {
        let mut listed = Vec::new();
        for &(item, count) in &class.rows {
            let of_item = |&row: &usize| ground.space.item_of_row[row] == item && !taken[row];
            let found: Vec<usize> = (0..all).filter(of_item).take(count as usize).collect();
            for row in found {
                taken[row] = true;
                listed.push(row as u32);
            }
        }
        listed.order();
        listed
    };
    classes.iter().map(&mut list).collect()
}
