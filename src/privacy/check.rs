//! Where classes stand with a requirement.
//!
//! Complexity: that of the histograms and of the model, once for every class.

use super::Requirement;
use crate::classes::Histogram;
use crate::classes::{Classes, Histograms, Keys};

/// How a requirement is met.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub holds: bool,
    /// The strictest parameter that every class would still meet.
    pub achieved: f64,
    /// In ascending order.
    pub failing_classes: Vec<u32>,
    /// Rows of the failing classes.
    pub failing_rows: u64,
}

/// Checks every class. `sensitive` lists the place in the table and the codes of all sensitive columns; when the
/// requirement's own is not among them, nothing can be said for it and every class fails.
pub fn check(requirement: &Requirement, classes: &Classes, sensitive: &[(usize, Keys<'_>)]) -> Standing {
    let better = requirement.model.better();
    let mut achieved = better.best();
    let mut failing_classes = Vec::new();
    let seen = see(requirement, classes, sensitive, &mut |class, part| {
        let figure = requirement.model.achieved(part);
        if better.is_worse(figure, achieved) {
            achieved = figure;
        }
        if !requirement.model.holds(part) {
            failing_classes.push(class as u32);
        }
    });
    if !seen {
        achieved = better.worst();
        failing_classes = (0..classes.sizes.len() as u32).collect();
    }
    failing_classes.sort_unstable();
    failing_classes.dedup();
    let failing_rows = failing_classes.iter().map(|&class| u64::from(classes.sizes[class as usize])).sum();
    Standing { holds: failing_classes.is_empty(), achieved, failing_classes, failing_rows }
}

/// What each class achieves by itself; jointly, what the worst of its blocks does.
pub fn achieved_by_class(requirement: &Requirement, classes: &Classes, sensitive: &[(usize, Keys<'_>)]) -> Vec<f64> {
    let better = requirement.model.better();
    let mut achieved = vec![better.best(); classes.sizes.len()];
    let seen = see(requirement, classes, sensitive, &mut |class, part| {
        let figure = requirement.model.achieved(part);
        if better.is_worse(figure, achieved[class]) {
            achieved[class] = figure;
        }
    });
    if !seen {
        achieved.fill(better.worst());
    }
    achieved
}

/// Lets `look` see each class as the model does: itself, or jointly each of its blocks. Says whether it could be.
fn see(
    requirement: &Requirement,
    classes: &Classes,
    sensitive: &[(usize, Keys<'_>)],
    look: &mut dyn FnMut(usize, &Histogram<'_>),
) -> bool {
    let Some(place) = requirement.attribute else {
        for (class, &size) in classes.sizes.iter().enumerate() {
            look(class, &Histogram { size, counts: &[] });
        }
        return true;
    };
    let Some((_, column)) = sensitive.iter().find(|(other, _)| *other == place) else { return false };
    if !requirement.jointly {
        for (class, histogram) in Histograms::new(classes, column.codes).iter().enumerate() {
            look(class, &histogram);
        }
        return true;
    }
    let others = sensitive.iter().filter(|(other, _)| *other != place);
    let of_class = Keys { codes: &classes.of_row, size: classes.sizes.len() as u32 };
    let columns: Vec<Keys> =
        std::iter::once(of_class).chain(others.map(|(_, keys)| Keys { codes: keys.codes, size: keys.size })).collect();
    let blocks = Classes::group(classes.of_row.len(), &columns);
    let mut class_of_block = vec![0; blocks.sizes.len()];
    for (&block, &class) in blocks.of_row.iter().zip(&classes.of_row) {
        class_of_block[block as usize] = class as usize;
    }
    for (class, histogram) in class_of_block.into_iter().zip(Histograms::new(&blocks, column.codes).iter()) {
        look(class, &histogram);
    }
    true
}
