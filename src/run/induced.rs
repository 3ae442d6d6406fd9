//! How a release stands against the (τ,ℓ) it was made for: F(k) of its classes, what their cells induce, and which
//! sensitive values were generalized ((τ,ℓ)-diversity, Definitions 2 to 4 and Figure 2).
//!
//! Read from the output's cells. Complexity: O(rows + classes · values · log).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Run;
use super::local_recoding::problem;
use crate::algorithms::sweep;
use crate::classes::lowest;
use crate::failure::Failure;
use crate::privacy::{cumulative_frequencies, smallest_tau};
use crate::progress::{Progress, Report};
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::Sorting;
use crate::table::{Table, shortened};

/// As many classes, values and changes as are listed.
const MOST_CLASSES: u32 = 40;
const MOST_VALUES: usize = 14;
const MOST_CHANGES: usize = 60;
/// F(k) is drawn up to this k.
const MOST_K: usize = 60;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InducedView {
    pub column: String,
    pub tau: f64,
    pub l: u32,
    /// Values that may occur.
    pub values: u32,
    /// Those nearest to what is allowed first.
    pub classes: Vec<InducedClass>,
    pub total: u64,
    pub shown: OneClass,
    /// Generalized values: what, to what, how many rows; the most frequent first.
    pub changes: Vec<(String, String, u64)>,
    /// Rows whose value was generalized.
    pub changed: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InducedClass {
    pub class: u32,
    pub size: u32,
    /// The smallest τ that it meets.
    pub tau: f64,
    /// What it shows in the quasi-identifiers.
    pub cells: Vec<String>,
}

/// A class as an adversary sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClass {
    pub class: InducedClass,
    /// F(1), F(2), ….
    pub cumulative: Vec<f64>,
    /// Values with their induced frequencies, highest first, and their shares of the original table.
    pub frequencies: Vec<(String, f64, f64)>,
    /// What its rows show, how many each, the most first, and whether it is a group of values.
    pub cells: Vec<(String, u32, bool)>,
}

impl InducedView {
    /// `class` is to be looked at closely, without it the one that is nearest to what is allowed.
    pub async fn of(
        table: &Table,
        run: &Run,
        class: Option<u32>,
        progress: &Progress<'_>,
    ) -> Result<InducedView, Failure> {
        let none = || Failure::refused("This release was not made for (τ,ℓ)-diversity.", "Add it to the policy.");
        let checked = ResolvedPolicy::new(&run.setup, table)?;
        let asked = sweep::asked(&problem(table, &checked)).ok_or_else(none)?;
        let sensitive = &checked.sensitive[asked.attribute];
        let (tree, original) = (&sensitive.tree, &table.columns[sensitive.column]);
        let place = run.output.columns.iter().position(|other| other.name == original.name).ok_or_else(none)?;
        let released = &run.output.columns[place];
        let (_, histograms) = run.grouped.sensitive.iter().find(|(other, _)| *other == place).ok_or_else(none)?;
        let nodes = sensitive.nodes_of(original, released);
        let induced = sensitive.induced_of(nodes.iter().copied(), &asked.weights.clone().unwrap_or_default());

        let mut keyed: Vec<(f64, u32)> = Vec::with_capacity(histograms.len());
        let mut frequencies = Vec::new();
        for (class, histogram) in (0..).zip(histograms.iter()) {
            if class % 4096 == 0 {
                let fraction = Some(f64::from(class) / histograms.len() as f64);
                let phase = "Looking at the classes".into();
                progress.checkpoint(|| Report { phase, fraction, detail: String::new() }).await?;
            }
            induced.frequencies_into(&histogram, &mut frequencies);
            keyed.push((-smallest_tau(&frequencies, asked.l), class));
        }
        let shown = class.and_then(|class| keyed.get(class as usize).copied());
        let (mut listed, total) = (lowest(&mut keyed, 0, MOST_CLASSES), histograms.len() as u64);
        let shown = shown.or(listed.first().copied()).ok_or_else(none)?;
        listed.push(shown);
        let numbers: Vec<u32> = listed.iter().map(|&(_, class)| class).collect();
        let examples = run.grouped.example_rows(&numbers);
        let describe = |(&(tau, class), &row): (&(f64, u32), &usize)| InducedClass {
            class,
            size: histograms.class(class as usize).size,
            tau: -tau,
            cells: run.grouped.quasi.iter().map(|&quasi| shortened(run.output.columns[quasi].text(row))).collect(),
        };
        let mut classes: Vec<InducedClass> = listed.iter().zip(&examples).map(describe).collect();
        let class = classes.pop().ok_or_else(none)?;

        let histogram = histograms.class(class.class as usize);
        induced.frequencies_into(&histogram, &mut frequencies);
        let mut rows_of_leaf = vec![0u64; tree.len()];
        for (&leaf, &count) in sensitive.leaf_of_code.iter().zip(&original.counts) {
            rows_of_leaf[leaf as usize] += u64::from(count);
        }
        let value = |&(leaf, frequency): &(u32, f64)| {
            let node = tree.leaves()[leaf as usize];
            let share = rows_of_leaf[node as usize] as f64 / table.rows.max(1) as f64;
            (shortened(tree.label(node)), frequency, share)
        };
        let mut counts: Vec<(u32, u32)> =
            histogram.counts.iter().map(|&(code, count)| (u32::MAX - count, code)).collect();
        counts.order();
        let cell = |(above, code): (u32, u32)| {
            let count = u32::MAX - above;
            (shortened(released.dictionary.text(code)), count, !tree.is_leaf(nodes[code as usize]))
        };
        let shown = OneClass {
            class,
            cumulative: cumulative_frequencies(&frequencies).take(MOST_K).collect(),
            frequencies: frequencies.iter().take(MOST_VALUES).map(value).collect(),
            cells: counts.into_iter().map(cell).collect(),
        };
        let (changes, changed) = changes(table, run, sensitive.column, place);
        Ok(InducedView {
            column: original.name.clone(),
            tau: asked.tau,
            l: asked.l,
            values: induced.values() as u32,
            classes,
            total,
            shown,
            changes,
            changed,
        })
    }
}

/// Sensitive cells that show something else than they were.
fn changes(table: &Table, run: &Run, column: usize, place: usize) -> (Vec<(String, String, u64)>, u64) {
    let (original, released) = (&table.columns[column], &run.output.columns[place]);
    let mut pairs: HashMap<(u32, u32), u64> = HashMap::new();
    for (&row, &cell) in run.row_of.iter().zip(&released.codes) {
        *pairs.entry((original.codes[row as usize], cell)).or_default() += 1;
    }
    let text = |code: u32, cell: u32| (original.dictionary.text(code), released.dictionary.text(cell));
    let mut changed: Vec<(u64, u32, u32)> = pairs
        .into_iter()
        .map(|((code, cell), rows)| (u64::MAX - rows, code, cell))
        .filter(|&(_, code, cell)| {
            let (was, is) = text(code, cell);
            was != is
        })
        .collect();
    changed.order();
    let rows = changed.iter().map(|&(rows, ..)| u64::MAX - rows).sum();
    changed.truncate(MOST_CHANGES);
    let told = |(rows, code, cell): (u64, u32, u32)| {
        let (was, is) = text(code, cell);
        (shortened(was), shortened(is), u64::MAX - rows)
    };
    (changed.into_iter().map(told).collect(), rows)
}
