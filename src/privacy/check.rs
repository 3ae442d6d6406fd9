//! Where classes stand with a requirement.
//!
//! Complexity: that of the histograms and of the model, once for every class.

use super::{Histogram, Requirement};
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
    let Some(place) = requirement.attribute else {
        let sizes = classes.sizes.iter().map(|&size| Histogram { size, counts: &[] });
        return standing(requirement, classes, sizes.enumerate());
    };
    let Some((_, column)) = sensitive.iter().find(|(other, _)| *other == place) else {
        let failing_classes: Vec<u32> = (0..classes.sizes.len() as u32).collect();
        let achieved = requirement.model.better().worst();
        let failing_rows = classes.of_row.len() as u64;
        return Standing { holds: failing_classes.is_empty(), achieved, failing_classes, failing_rows };
    };
    if !requirement.jointly {
        return standing(requirement, classes, Histograms::new(classes, column.codes).iter().enumerate());
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
    let histograms = Histograms::new(&blocks, column.codes);
    standing(requirement, classes, class_of_block.into_iter().zip(histograms.iter()))
}

/// The standing of classes, each given by one or more of its parts.
fn standing<'a>(
    requirement: &Requirement,
    classes: &Classes,
    parts: impl Iterator<Item = (usize, Histogram<'a>)>,
) -> Standing {
    let better = requirement.model.better();
    let mut achieved = better.best();
    let mut failing_classes = Vec::new();
    for (class, part) in parts {
        let figure = requirement.model.achieved(&part);
        if better.is_worse(figure, achieved) {
            achieved = figure;
        }
        if !requirement.model.holds(&part) {
            failing_classes.push(class as u32);
        }
    }
    failing_classes.sort_unstable();
    failing_classes.dedup();
    let failing_rows = failing_classes.iter().map(|&class| u64::from(classes.sizes[class as usize])).sum();
    Standing { holds: failing_classes.is_empty(), achieved, failing_classes, failing_rows }
}
