//! How much of a table a release keeps: one file per measure (docs/spec.md §6), for any release of any algorithm.
//!
//! What a class costs is a small function of its size and nodes, for the inner loops of algorithms; the totals add it up.
//! A class here is what a reader sees as one ([`Release::seen`](crate::release::Release::seen)): an algorithm's classes
//! that show the same count as one where sizes matter. Complexity: O(rows + classes · columns), except for
//! [`kl_divergence`] and [`decision_tree`], which say theirs.

pub mod class_size;
pub mod decision_tree;
pub mod discernibility;
pub mod excessive_protection;
pub mod height;
mod id3;
pub mod information_loss;
pub mod kl_divergence;
pub mod limit_violations;
pub mod loss;
pub mod ncp;
pub mod stars;
pub mod utility;

use serde::{Deserialize, Serialize};

pub use decision_tree::Accuracy;
pub use excessive_protection::Asked;

use crate::classes::Classes;
use crate::failure::Failure;
use crate::policy::Quasi;
use crate::progress::Progress;
use crate::release::Released;

/// What some measures need to know beside the release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The k that was asked for; without it there is no C_AVG.
    pub k: Option<u32>,
    /// The (τ,ℓ)-diversity that was asked for; without it there is no excessive protection.
    pub tau_l: Option<Asked>,
    /// Chooses the rows that decision trees are tested on.
    pub seed: u64,
}

/// All measures of a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Metrics {
    pub height: f64,
    pub average_class_size: f64,
    pub c_avg: Option<f64>,
    pub discernibility: u64,
    pub discernibility_normalized: f64,
    pub stars: u64,
    pub columns: Vec<ColumnMetrics>,
    pub loss: f64,
    pub loss_geometric: f64,
    pub ncp: f64,
    pub information_loss: f64,
    pub utility: f64,
    pub excessive_protection: Option<f64>,
    pub kl_divergence: f64,
    /// One for each sensitive column of a table large enough to split.
    pub decision_trees: Vec<Accuracy>,
}

/// What one quasi-identifier lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct ColumnMetrics {
    pub column: String,
    pub height: f64,
    pub loss: f64,
    pub ncp: f64,
}

impl Metrics {
    pub async fn of(released: &Released<'_>, settings: &Settings, progress: &Progress<'_>) -> Result<Metrics, Failure> {
        let Released { table, quasi, sensitive, release } = *released;
        let rows = table.rows as u64;
        let sizes = release.sizes();
        let suppressed = release.suppressed() as u64;
        let (_, seen) = release.seen(quasi);
        let discernibility = discernibility::of(&seen.sizes, suppressed, rows);
        let average_class_size = class_size::average(&seen.sizes);
        let column = |(quasi, nodes): (&Quasi, &Vec<_>)| ColumnMetrics {
            column: table.columns[quasi.column].name.clone(),
            height: height::of_column(&quasi.tree, nodes, &sizes),
            loss: loss::of_column(&quasi.tree, nodes, &sizes, suppressed),
            ncp: ncp::of_column(&quasi.tree, nodes, &sizes, suppressed),
        };
        let columns: Vec<ColumnMetrics> = quasi.iter().zip(&release.quasi).map(column).collect();
        let losses: Vec<f64> = columns.iter().map(|column| column.loss).collect();
        let ncps: Vec<f64> = columns.iter().map(|column| column.ncp).collect();
        let mut decision_trees = Vec::new();
        for attribute in 0..sensitive.len() {
            decision_trees.extend(decision_tree::of(released, attribute, settings.seed, progress).await?);
        }
        Ok(Metrics {
            height: columns.iter().map(|column| column.height).sum(),
            average_class_size,
            c_avg: settings.k.map(|k| class_size::c_avg(average_class_size, k)),
            discernibility,
            discernibility_normalized: discernibility::normalized(discernibility, rows),
            stars: stars::of(&release.quasi, &sizes, suppressed),
            loss: loss::arithmetic(&losses),
            loss_geometric: loss::geometric(&losses),
            ncp: loss::arithmetic(&ncps),
            columns,
            information_loss: information_loss::of(quasi, &release.quasi, &sizes, suppressed),
            utility: utility::of(released, &sizes),
            excessive_protection: settings.tau_l.as_ref().and_then(|asked| excessive_protection::of(released, asked)),
            kl_divergence: kl_divergence::of(released, progress).await?,
            decision_trees,
        })
    }
}

/// The first row of each class. Classes are numbered by first appearance, so it is the row that has the next number.
fn first_rows(classes: &Classes) -> Vec<u32> {
    let mut first = Vec::with_capacity(classes.sizes.len());
    for (row, &class) in classes.of_row.iter().enumerate() {
        if class as usize == first.len() {
            first.push(row as u32);
        }
    }
    first
}
