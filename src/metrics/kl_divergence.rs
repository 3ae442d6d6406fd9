//! KL-divergence of the ℓ-diversity paper, §6: how far the distribution that a release lets one estimate is from the table's.
//!
//! KL = Σ_x F(x) ln(F(x) ÷ F*(x)) over quasi-identifiers and sensitive columns together. F(x) is the share of rows that
//! are x. F*(x) spreads every released row evenly over its cell: Σ over cells c that cover x of n(c) ÷ (|D| · area(c)),
//! where area(c) = Π leaves(c_j). With full-domain recoding one cell covers x, as in the paper; with local recoding
//! cells overlap, and all that cover x count. A suppressed row says nothing and is spread over the whole domain, so that
//! F* is a distribution and KL finite.
//! Only tuples x that occur add to the sum, so the domain is never walked. Complexity: O(distinct tuples · cells covering
//! one · columns · log cells), which is one cell each for full-domain recoding.

use std::ops::Range;

use super::first_rows;
use crate::classes::{Classes, Keys};
use crate::exact_sum::ExactSum;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::progress::{Progress, Report};
use crate::release::{Released, SUPPRESSED};
use crate::words::grouped;

pub async fn of(released: &Released<'_>, progress: &Progress<'_>) -> Result<f64, Failure> {
    let rows = released.table.rows;
    let cells = Cells::of(released);
    let (tuples, counts) = distinct_tuples(released);
    let mut divergence = ExactSum::default();
    let mut leaves = Vec::with_capacity(cells.trees.len());
    for (done, (&row, &count)) in tuples.iter().zip(&counts).enumerate() {
        if done % 1024 == 0 {
            let report = || Report {
                phase: "Measuring the KL-divergence".into(),
                fraction: Some(done as f64 / tuples.len() as f64),
                detail: format!("{} of {} tuples", grouped(done as u64), grouped(tuples.len() as u64)),
            };
            progress.checkpoint(report).await?;
        }
        leaves.clear();
        leaves.extend(columns(released).map(|(column, leaf_of_code, _)| {
            leaf_of_code[released.table.columns[column].codes[row as usize] as usize]
        }));
        let spread = cells.mass(&leaves, 0, 0..cells.densities.len());
        divergence.add(f64::from(count) / rows as f64 * libm::log(f64::from(count) / spread));
    }
    Ok(divergence.total())
}

/// Quasi-identifiers, then sensitive columns: place in the table, leaves, tree.
fn columns<'a>(released: &Released<'a>) -> impl Iterator<Item = (usize, &'a [NodeId], &'a Hierarchy)> {
    let quasi = released.quasi.iter().map(|quasi| (quasi.column, quasi.leaf_of_code.as_slice(), &quasi.tree));
    let sensitive = released.sensitive.iter();
    quasi.chain(sensitive.map(|sensitive| (sensitive.column, sensitive.leaf_of_code.as_slice(), &sensitive.tree)))
}

/// A row for each different original tuple, and how many rows have it.
fn distinct_tuples(released: &Released<'_>) -> (Vec<u32>, Vec<u32>) {
    let table = released.table;
    // Values that share a leaf, by `from_level` or as missing ones, are one.
    let leaves: Vec<(Vec<NodeId>, u32)> = columns(released)
        .map(|(column, leaf_of_code, tree)| {
            let codes = &table.columns[column].codes;
            (codes.iter().map(|&code| leaf_of_code[code as usize]).collect(), tree.len() as u32)
        })
        .collect();
    let keys: Vec<Keys> = leaves.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
    let classes = Classes::group(table.rows, &keys);
    (first_rows(&classes), classes.sizes)
}

/// The different released tuples, sorted, so that those with the same first nodes are a range.
struct Cells<'a> {
    trees: Vec<&'a Hierarchy>,
    /// For each column the node of each cell.
    nodes: Vec<Vec<NodeId>>,
    /// Whether some cell has the node, for each column.
    used: Vec<Vec<bool>>,
    /// Rows of the cell ÷ its area.
    densities: Vec<f64>,
}

impl<'a> Cells<'a> {
    fn of(released: &Released<'a>) -> Self {
        let release = released.release;
        let trees: Vec<&Hierarchy> = columns(released).map(|(_, _, tree)| tree).collect();
        let no_class = release.classes() as u32;
        let class_of_row: Vec<u32> = release.class_of_row.iter().map(|&class| class.min(no_class)).collect();
        let sensitive: Vec<Vec<NodeId>> =
            (0..released.sensitive.len()).map(|attribute| released.sensitive_nodes(attribute)).collect();
        let mut keys = vec![Keys { codes: &class_of_row, size: no_class + 1 }];
        let sizes = released.sensitive.iter().map(|sensitive| sensitive.tree.len() as u32);
        keys.extend(sensitive.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }));
        let grouped = Classes::group(released.table.rows, &keys);
        let of_quasi = |nodes: &Vec<NodeId>, row: u32| match release.class_of_row[row as usize] {
            SUPPRESSED => ROOT,
            class => nodes[class as usize],
        };
        let mut cells: Vec<(Vec<NodeId>, u32)> = Vec::with_capacity(grouped.sizes.len());
        for (row, &size) in first_rows(&grouped).into_iter().zip(&grouped.sizes) {
            let quasi = release.quasi.iter().map(|nodes| of_quasi(nodes, row));
            cells.push((quasi.chain(sensitive.iter().map(|nodes| nodes[row as usize])).collect(), size));
        }
        cells.sort_unstable();
        let mut sorted = Cells {
            nodes: vec![Vec::with_capacity(cells.len()); trees.len()],
            used: trees.iter().map(|tree| vec![false; tree.len()]).collect(),
            densities: Vec::with_capacity(cells.len()),
            trees,
        };
        for (nodes, size) in &cells {
            let mut density = f64::from(*size);
            for (column, &node) in nodes.iter().enumerate() {
                density /= sorted.trees[column].leaf_count(node) as f64;
                sorted.nodes[column].push(node);
                sorted.used[column][node as usize] = true;
            }
            sorted.densities.push(density);
        }
        sorted
    }

    /// The rows that the cells in a range, which agree with each other before `column`, give to the tuple of leaves.
    fn mass(&self, leaves: &[NodeId], column: usize, range: Range<usize>) -> f64 {
        let (Some(&leaf), Some(nodes)) = (leaves.get(column), self.nodes.get(column)) else {
            return self.densities[range].iter().sum();
        };
        let mut mass = 0.0;
        for node in self.trees[column].path(leaf).filter(|&node| self.used[column][node as usize]) {
            let within = &nodes[range.clone()];
            let start = range.start + within.partition_point(|&other| other < node);
            let end = range.start + within.partition_point(|&other| other <= node);
            if start < end {
                mass += self.mass(leaves, column + 1, start..end);
            }
        }
        mass
    }
}
