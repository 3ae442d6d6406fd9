//! Decision-tree accuracy ((τ,ℓ)-diversity paper, §IV B): how well a tree learned from the release predicts a sensitive
//! column from the quasi-identifiers, beside one learned from the original; accuracy(release) ÷ accuracy(original).
//!
//! The paper names ID3 and this ratio and no more. Here both trees learn from the same two thirds of the rows, chosen by
//! the seed (the release's tree from those that were kept, as released), and both are asked about the *original* values
//! of the other third, suppressed rows included; or, for experiments, each row is asked of trees learned from the other
//! folds of a cross-validation. A tree without any row to learn from is never right.

use serde::{Deserialize, Serialize};

use super::first_rows;
use super::id3::{DecisionTree, Examples};
use crate::classes::{Classes, Histograms, Keys};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::privacy::Induced;
use crate::progress::{Progress, Report};
use crate::release::{Released, SUPPRESSED};
use crate::samples::random::Random;
use crate::words::counted;

/// Shares of test rows that were predicted right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Accuracy {
    /// The sensitive column.
    pub attribute: String,
    /// Of the tree learned from the original.
    pub original: f64,
    /// Of the tree learned from the release.
    pub release: f64,
    /// Release ÷ original; `None` when the original's tree is never right.
    pub ratio: Option<f64>,
}

/// `None` when there is nothing to learn from or to test on.
pub async fn of(
    released: &Released<'_>,
    attribute: usize,
    seed: u64,
    progress: &Progress<'_>,
) -> Result<Option<Accuracy>, Failure> {
    let (training, test) = split(released.table.rows, seed);
    if training.is_empty() || test.is_empty() {
        return Ok(None);
    }
    let right = right(released, attribute, training, &test, progress).await?;
    Ok(Some(accuracy(released, attribute, right, test.len())))
}

/// The same by cross-validation: rows are dealt into `folds` by the seed, and each fold is asked of trees learned from all
/// others. `None` when there are fewer than two folds, or one of them is empty.
pub async fn cross_validated(
    released: &Released<'_>,
    attribute: usize,
    folds: u32,
    seed: u64,
    progress: &Progress<'_>,
) -> Result<Option<Accuracy>, Failure> {
    let rows = released.table.rows;
    let mut random = Random::new(seed);
    let fold_of: Vec<u32> = (0..rows).map(|_| random.below(folds)).collect();
    let mut sum = [0; 2];
    for fold in 0..folds {
        let (test, training): (Vec<u32>, Vec<u32>) = (0..rows as u32).partition(|&row| fold_of[row as usize] == fold);
        if training.is_empty() || test.is_empty() {
            return Ok(None);
        }
        let right = right(released, attribute, training, &test, progress).await?;
        sum = [sum[0] + right[0], sum[1] + right[1]];
    }
    Ok((folds > 1).then(|| accuracy(released, attribute, sum, rows)))
}

fn accuracy(released: &Released<'_>, attribute: usize, right: [u64; 2], tested: usize) -> Accuracy {
    let [original, release] = right.map(|right| right as f64 / tested as f64);
    let ratio = (original > 0.0).then(|| release / original);
    let name = &released.table.columns[released.sensitive[attribute].column].name;
    Accuracy { attribute: name.clone(), original, release, ratio }
}

/// How many test rows the tree learned from the original and the one learned from the release predict right.
async fn right(
    released: &Released<'_>,
    attribute: usize,
    training: Vec<u32>,
    test: &[u32],
    progress: &Progress<'_>,
) -> Result<[u64; 2], Failure> {
    let sensitive = &released.sensitive[attribute];
    let column = &released.table.columns[sensitive.column];
    let weights = Induced::weights_of_occurring(&sensitive.tree, &sensitive.leaf_of_code, &column.counts);
    let induced = Induced::of_nodes(&sensitive.tree, &weights);
    let leaf = |row: u32, quasi: usize| {
        let quasi = &released.quasi[quasi];
        quasi.leaf_of_code[released.table.columns[quasi.column].codes[row as usize] as usize]
    };
    let sensitive_leaf = |row: u32| sensitive.leaf_of_code[column.codes[row as usize] as usize];
    let original = examples(released, &training, &induced, leaf, sensitive_leaf);
    let original = DecisionTree::learn(original, progress).await?;

    let class = |row: u32| released.release.class_of_row[row as usize];
    let kept: Vec<u32> = training.into_iter().filter(|&row| class(row) != SUPPRESSED).collect();
    let shown = released.sensitive_nodes(attribute);
    let node = |row: u32, quasi: usize| released.release.quasi[quasi][class(row) as usize];
    let recoded = examples(released, &kept, &induced, node, |row| shown[row as usize]);
    let recoded = DecisionTree::learn(recoded, progress).await?;

    let mut right = [0u64; 2];
    for (done, &row) in test.iter().enumerate() {
        if done % 4096 == 0 {
            let report = || Report {
                phase: "Testing decision trees".into(),
                fraction: Some(done as f64 / test.len() as f64),
                detail: counted(done as u64, "row"),
            };
            progress.checkpoint(report).await?;
        }
        let truth = sensitive.tree.leaves().partition_point(|&leaf| leaf < sensitive_leaf(row));
        let is_right = |tree: &DecisionTree<'_>| u64::from(tree.predict(|quasi| leaf(row, quasi)) == truth);
        right[0] += is_right(&original);
        right[1] += if kept.is_empty() { 0 } else { is_right(&recoded) };
    }
    Ok(right)
}

/// Two thirds of the rows to learn from, and the rest.
fn split(rows: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut random = Random::new(seed);
    (0..rows as u32).partition(|_| random.below(3) < 2)
}

/// The distinct tuples of some rows and what they show of the sensitive column.
fn examples<'a>(
    released: &Released<'a>,
    rows: &[u32],
    induced: &'a Induced,
    node: impl Fn(u32, usize) -> NodeId,
    sensitive: impl Fn(u32) -> NodeId,
) -> Examples<'a> {
    let of_column = |quasi: usize| rows.iter().map(|&row| node(row, quasi)).collect();
    let nodes: Vec<Vec<NodeId>> = (0..released.quasi.len()).map(of_column).collect();
    let sizes = released.quasi.iter().map(|quasi| quasi.tree.len() as u32);
    let keys: Vec<Keys> = nodes.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }).collect();
    let classes = Classes::group(rows.len(), &keys);
    let values: Vec<NodeId> = rows.iter().map(|&row| sensitive(row)).collect();
    let histograms = Histograms::new(&classes, &values);
    let first = first_rows(&classes);
    let tuples = nodes.iter().map(|nodes| first.iter().map(|&row| nodes[row as usize]).collect()).collect();
    Examples { trees: released.quasi.iter().map(|quasi| &quasi.tree).collect(), tuples, histograms, induced }
}
