//! Decision-tree accuracy ((τ,ℓ)-diversity paper, §IV B): how well a tree learned from the release predicts a sensitive
//! column from the quasi-identifiers, beside one learned from the original; accuracy(release) ÷ accuracy(original).
//!
//! The paper names ID3 and this ratio and no more. Here rows, in the order of their values, are dealt into folds by the
//! seed, so that the order in which the table has them does not matter, and each is asked of two
//! trees learned from the rows of the other folds: one from them as they were, one from those that were kept, as
//! released. Both are asked about the *original* values, suppressed rows included. Of values that are equally likely
//! to a tree, each counts for its share. A tree without any row to learn from is never right.

use serde::{Deserialize, Serialize};

use super::first_rows;
use super::id3::{DecisionTree, Examples};
use crate::classes::{Classes, Histograms, Keys};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::policy::Quasi;
use crate::privacy::Induced;
use crate::progress::{Progress, Report};
use crate::random::Random;
use crate::release::{Released, SUPPRESSED};
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

/// What trees predict.
#[derive(Clone, Copy)]
pub enum Predicted<'a> {
    /// A sensitive column, by its place, from the quasi-identifiers.
    Sensitive(usize),
    /// Any column, from all quasi-identifiers and sensitive columns but itself. It is learned as released where the
    /// release says something of it, else as it is.
    Label(&'a Quasi),
}

/// Rows are dealt into so many folds.
const FOLDS: u32 = 3;

/// `None` when there is nothing to learn from or to test on.
pub async fn of(
    released: &Released<'_>,
    attribute: usize,
    seed: u64,
    progress: &Progress<'_>,
) -> Result<Option<Accuracy>, Failure> {
    let question = Question::of_sensitive(released, attribute);
    let mut sum = [0.0; 2];
    let order = question.order();
    for (training, test) in folds(released.table.rows, FOLDS, seed) {
        let [training, test] =
            [training, test].map(|rows| -> Vec<u32> { rows.into_iter().map(|place| order[place as usize]).collect() });
        if training.is_empty() || test.is_empty() {
            return Ok(None);
        }
        let right = question.right(training, &test, progress).await?;
        sum = [sum[0] + right[0], sum[1] + right[1]];
    }
    let [original, release] = sum.map(|right| right / released.table.rows as f64);
    let attribute = released.table.columns[released.sensitive[attribute].column].name.clone();
    Ok(Some(Accuracy { attribute, original, release, ratio: (original > 0.0).then(|| release / original) }))
}

/// For each fold the rows of the others, to learn from, and its own, to test on.
pub fn folds(rows: usize, folds: u32, seed: u64) -> impl Iterator<Item = (Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(seed);
    let fold_of: Vec<u32> = (0..rows).map(|_| random.below(folds)).collect();
    (0..folds).map(move |fold| (0..rows as u32).partition(|&row| fold_of[row as usize] != fold))
}

/// How many test rows the tree learned from the original training rows and the one learned from those of them that were
/// released predict right.
pub async fn right(
    released: &Released<'_>,
    predicted: Predicted<'_>,
    training: Vec<u32>,
    test: &[u32],
    progress: &Progress<'_>,
) -> Result<[f64; 2], Failure> {
    let question = match predicted {
        Predicted::Sensitive(attribute) => Question::of_sensitive(released, attribute),
        Predicted::Label(label) => Question::of_label(released, label),
    };
    question.right(training, test, progress).await
}

/// A column that trees look at or predict.
struct Column<'a> {
    tree: &'a Hierarchy,
    /// What each row has, and what it shows in the release (suppressed rows: anything).
    leaves: Vec<NodeId>,
    shown: Vec<NodeId>,
}

/// What is predicted from what.
struct Question<'a> {
    released: &'a Released<'a>,
    from: Vec<Column<'a>>,
    target: Column<'a>,
    induced: Induced,
}

impl<'a> Question<'a> {
    fn of_sensitive(released: &'a Released<'a>, attribute: usize) -> Self {
        let sensitive = &released.sensitive[attribute];
        let from = (0..released.quasi.len()).map(|place| quasi_column(released, place)).collect();
        let target = sensitive_column(released, attribute);
        Question::new(released, sensitive.column, &sensitive.leaf_of_code, from, target)
    }

    fn of_label(released: &'a Released<'a>, label: &'a Quasi) -> Self {
        let others = (0..released.quasi.len()).filter(|&place| released.quasi[place].column != label.column);
        let mut from: Vec<Column<'a>> = others.map(|place| quasi_column(released, place)).collect();
        let sensitive = (0..released.sensitive.len()).filter(|&place| released.sensitive[place].column != label.column);
        from.extend(sensitive.map(|place| sensitive_column(released, place)));
        let quasi = released.quasi.iter().position(|quasi| quasi.column == label.column);
        let sensitive = released.sensitive.iter().position(|sensitive| sensitive.column == label.column);
        let target = match (quasi, sensitive) {
            (Some(place), _) => quasi_column(released, place),
            (_, Some(place)) => sensitive_column(released, place),
            _ => {
                let leaves = leaves(released, label.column, &label.leaf_of_code);
                Column { tree: &label.tree, shown: leaves.clone(), leaves }
            }
        };
        Question::new(released, label.column, &label.leaf_of_code, from, target)
    }

    fn new(
        released: &'a Released<'a>,
        column: usize,
        leaf_of_code: &[NodeId],
        from: Vec<Column<'a>>,
        target: Column<'a>,
    ) -> Self {
        let weights = Induced::weights_of_occurring(target.tree, leaf_of_code, &released.table.columns[column].counts);
        let induced = Induced::of_nodes(target.tree, &weights);
        Question { released, from, target, induced }
    }

    /// All rows by what they have, and then by what they show: those that agree in all of it are the same to a tree.
    fn order(&self) -> Vec<u32> {
        let class_of_row = &self.released.release.class_of_row;
        let kept: Vec<u32> = class_of_row.iter().map(|&class| u32::from(class != SUPPRESSED)).collect();
        let mut columns: Vec<&[u32]> = Vec::new();
        for column in self.from.iter().chain([&self.target]) {
            columns.extend([column.leaves.as_slice(), column.shown.as_slice()]);
        }
        columns.push(&kept);
        let mut order: Vec<u32> = (0..self.released.table.rows as u32).collect();
        let numbers = |column: &&[u32]| column.iter().max().map_or(0, |&most| most as usize + 1);
        // From the last column to the first, each time by counting: what was in order stays so among equals.
        for column in columns.into_iter().rev() {
            let mut starts = vec![0usize; numbers(&column) + 1];
            column.iter().for_each(|&number| starts[number as usize + 1] += 1);
            for number in 1..starts.len() {
                starts[number] += starts[number - 1];
            }
            let mut next = vec![0; order.len()];
            for &row in &order {
                let place = &mut starts[column[row as usize] as usize];
                next[*place] = row;
                *place += 1;
            }
            order = next;
        }
        order
    }

    async fn right(&self, training: Vec<u32>, test: &[u32], progress: &Progress<'_>) -> Result<[f64; 2], Failure> {
        let original = DecisionTree::learn(self.examples(&training, |column| &column.leaves), progress).await?;
        let class_of_row = &self.released.release.class_of_row;
        let kept: Vec<u32> = training.into_iter().filter(|&row| class_of_row[row as usize] != SUPPRESSED).collect();
        let recoded = DecisionTree::learn(self.examples(&kept, |column| &column.shown), progress).await?;
        let mut right = [0.0; 2];
        for (done, &row) in test.iter().enumerate() {
            if done % 4096 == 0 {
                let report = || Report {
                    phase: "Testing decision trees".into(),
                    fraction: Some(done as f64 / test.len() as f64),
                    detail: counted(done as u64, "row"),
                };
                progress.checkpoint(report).await?;
            }
            let own = self.target.leaves[row as usize];
            let truth = self.target.tree.leaves().partition_point(|&leaf| leaf < own);
            let leaf = |place: usize| self.from[place].leaves[row as usize];
            let share = |likeliest: &[usize]| {
                if likeliest.contains(&truth) { 1.0 / likeliest.len() as f64 } else { 0.0 }
            };
            right[0] += share(original.predict(leaf));
            right[1] += if kept.is_empty() { 0.0 } else { share(recoded.predict(leaf)) };
        }
        Ok(right)
    }

    /// The distinct tuples of some rows and what they show of the predicted column.
    fn examples(&self, rows: &[u32], of: for<'c> fn(&'c Column<'a>) -> &'c [NodeId]) -> Examples<'_> {
        let of_rows = |column: &Column<'a>| rows.iter().map(|&row| of(column)[row as usize]).collect();
        let nodes: Vec<Vec<NodeId>> = self.from.iter().map(of_rows).collect();
        let sizes = self.from.iter().map(|column| column.tree.len() as u32);
        let keys: Vec<Keys> = nodes.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }).collect();
        let classes = Classes::group(rows.len(), &keys);
        let values: Vec<NodeId> = of_rows(&self.target);
        let histograms = Histograms::new(&classes, &values);
        let first = first_rows(&classes);
        let tuples = nodes.iter().map(|nodes| first.iter().map(|&row| nodes[row as usize]).collect()).collect();
        let trees = self.from.iter().map(|column| column.tree).collect();
        Examples { trees, tuples, histograms, induced: &self.induced }
    }
}

fn leaves(released: &Released<'_>, column: usize, leaf_of_code: &[NodeId]) -> Vec<NodeId> {
    released.table.columns[column].codes.iter().map(|&code| leaf_of_code[code as usize]).collect()
}

fn quasi_column<'a>(released: &'a Released<'_>, place: usize) -> Column<'a> {
    let quasi = &released.quasi[place];
    let leaves = leaves(released, quasi.column, &quasi.leaf_of_code);
    let nodes = &released.release.quasi[place];
    let shown = |(&class, &leaf): (&u32, &NodeId)| if class == SUPPRESSED { leaf } else { nodes[class as usize] };
    let shown = released.release.class_of_row.iter().zip(&leaves).map(shown).collect();
    Column { tree: &quasi.tree, leaves, shown }
}

fn sensitive_column<'a>(released: &'a Released<'_>, attribute: usize) -> Column<'a> {
    let sensitive = &released.sensitive[attribute];
    let leaves = leaves(released, sensitive.column, &sensitive.leaf_of_code);
    Column { tree: &sensitive.tree, leaves, shown: released.sensitive_nodes(attribute) }
}
