//! The plan of (ℓ,δ)-diversity (Algorithm 1): classes, N and the order, as a file that every data owner loads and applies
//! to their own table.
//!
//! Classes are stretches of the lexicographic order of all combinations of values, whether somebody has them or not, so
//! that every person has a class. A stretch ends after all combinations that begin like its cut, which is moved to where
//! the largest group of a hierarchy ends between the two people it parts. No count of people, and no probability but p,
//! is in the file, and no value that few rows had: such values have one place together, behind those that are named, where
//! a class shows `*`, and so has any that is not named in the table that the plan is applied to. What is named still is the
//! table's, so that the file begins by saying how safe it must be kept. It says which cells are missing ones, and whether a
//! missing one of the sensitive column is a value; an unknown one is none, here and in the tables that it is applied to. Guarantee: reading what was written gives the same plan; unknown keys and contradictions are errors.
//! Complexity: finding a class is O(columns · log classes).

mod estimate;
mod file;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::describe::Describer;
use super::mechanism::{Bound, Chosen, Wish, choose, largest_useful, rows_needed, whole_rows};
use super::order::{OrderedColumn, Tuples};
use crate::failure::Failure;
use crate::policy::{Missing, Setup};
use crate::progress::Progress;
use crate::table::{Column, MISSING_TOKENS, Table};

pub use estimate::Estimate;

/// The column of a plan's release that has the number of a row's class in the plan, from 1.
pub const CLASS_COLUMN: &str = "_class";

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub columns: Vec<OrderedColumn>,
    pub sensitive: String,
    pub l: u32,
    pub delta: f64,
    pub p: f64,
    /// Rows that a data owner waits for: N.
    pub rows: u64,
    /// Values that fewer rows of the past data have are not named.
    pub least: u32,
    /// What missing cells of the sensitive column are.
    pub missing: Missing,
    /// Which cells are missing ones; a file without it is silent, and each table says it for itself.
    pub tokens: Option<Tokens>,
    /// Where classes end: the places of the first few values. The last is empty.
    cuts: Vec<Vec<u32>>,
}

/// Texts that are missing cells: in all columns, and which more in one (by its name).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tokens {
    pub everywhere: Vec<String>,
    pub of_column: BTreeMap<String, Vec<String>>,
}

impl Tokens {
    /// Those by which columns were read.
    fn of<'t>(columns: impl Iterator<Item = &'t Column> + Clone) -> Tokens {
        let first = columns.clone().next().map(|column| column.missing_tokens.clone()).unwrap_or_default();
        let mut everywhere: Vec<String> = Vec::new();
        for token in first {
            let is_new = !everywhere.contains(&token);
            if is_new && columns.clone().all(|column| column.missing_tokens.contains(&token)) {
                everywhere.push(token);
            }
        }
        let own = |column: &Column| {
            let own = column.missing_tokens.iter().filter(|token| !everywhere.contains(token)).cloned();
            (column.name.clone(), own.collect::<Vec<String>>())
        };
        let of_column = columns.map(own).filter(|(_, own)| !own.is_empty()).collect();
        Tokens { everywhere, of_column }
    }

    fn all(&self, column: &str) -> Vec<String> {
        self.everywhere.iter().chain(self.of_column.get(column).into_iter().flatten()).cloned().collect()
    }
}

/// What a plan is made by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanSettings {
    /// Quasi-identifiers from the most to the least significant; those not named follow as the table has them.
    pub order: Vec<String>,
    /// Which sensitive column, of several.
    pub sensitive: Option<String>,
    pub l: u32,
    pub delta: f64,
    /// `None`: as many classes as the table's own number of rows allows.
    pub wish: Option<Wish>,
    /// How many rows the independence of values and quasi-identifiers is worth in the estimate of P(Q,S).
    pub smoothing: f64,
}

/// What is shown of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanView {
    /// Names and numbers of values.
    pub columns: Vec<(String, u64)>,
    pub sensitive: String,
    pub l: u32,
    pub delta: f64,
    pub p: f64,
    pub rows: u64,
    pub classes: u64,
    /// What the first classes show in each column.
    pub shown: Vec<Vec<String>>,
    /// How it was made; nothing for one that was loaded.
    pub made: Option<MadeView>,
    /// The file.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeView {
    /// Rows and different quasi-identifiers of the table that P(Q,S) was estimated from.
    pub rows: u64,
    pub quasi: u64,
    pub values: u64,
    pub smoothing: f64,
    /// p_ℓ, m with its kind, N before it was rounded, and N by the number of classes that there are instead of m.
    pub largest_p: f64,
    pub classes_at_most: f64,
    pub by: Bound,
    pub needed: f64,
    pub needed_by_classes: f64,
    /// θ of Section 4.3.
    pub evenness: f64,
}

/// As many classes as are shown.
const SHOWN: usize = 500;

impl Plan {
    /// Makes a plan from past data.
    pub async fn make(
        table: &Table,
        setup: &Setup,
        settings: &PlanSettings,
        progress: &Progress<'_>,
    ) -> Result<(Plan, MadeView), Failure> {
        let (order, sensitive) = (&settings.order, settings.sensitive.as_deref());
        // A value of fewer than ℓ rows can't have ℓ sensitive values; one of a single row is a person.
        let least = setup.demanded_k().unwrap_or(settings.l).max(2);
        let estimate = Estimate::of(table, setup, order, sensitive, settings.smoothing, least)?;
        let wish = settings.wish.unwrap_or(Wish::Rows(table.rows as u64));
        let chosen = choose(&estimate.joint, settings.l, settings.delta, wish, progress).await?;
        let joint = &estimate.joint;
        let by_classes = rows_needed(chosen.ends.len() as f64, settings.l, settings.delta, chosen.p);
        let made = MadeView {
            rows: joint.rows(),
            quasi: joint.quasi() as u64,
            values: joint.marginal().len() as u64,
            smoothing: settings.smoothing,
            largest_p: largest_useful(&joint.marginal(), settings.l).unwrap_or(0.0),
            classes_at_most: chosen.bound,
            by: chosen.by,
            needed: chosen.needed,
            needed_by_classes: by_classes,
            evenness: joint.evenness(),
        };
        let secret = &table.columns[estimate.sensitive];
        let quasi = estimate.tuples.quasi.iter().map(|quasi| &table.columns[quasi.column]);
        let tokens = Tokens::of(quasi.chain([secret]));
        let missing = setup.columns[estimate.sensitive].missing;
        let plan = Plan::of(estimate.tuples, &chosen, secret.name.clone(), settings, least);
        Ok((Plan { missing, tokens: Some(tokens), ..plan }, made))
    }

    fn of(tuples: Tuples, chosen: &Chosen, sensitive: String, settings: &PlanSettings, least: u32) -> Plan {
        let cut = |&end: &u32| match (tuples.ranks.get(end as usize - 1), tuples.ranks.get(end as usize)) {
            (Some(last), Some(next)) => cut_between(last, next, &tuples.group_ends),
            _ => Vec::new(),
        };
        Plan {
            cuts: chosen.ends.iter().map(cut).collect(),
            columns: tuples.columns,
            sensitive,
            l: settings.l,
            delta: settings.delta,
            p: chosen.p,
            rows: whole_rows(chosen.needed),
            least,
            missing: Missing::default(),
            tokens: None,
        }
    }

    /// Texts that are missing cells in a column, as far as the plan says it.
    pub fn missing_tokens(&self, column: &str) -> Vec<String> {
        match &self.tokens {
            Some(tokens) => tokens.all(column),
            None => MISSING_TOKENS.map(str::to_owned).to_vec(),
        }
    }

    /// A table as the plan reads its missing cells.
    pub fn read<'t>(&self, table: &'t Table) -> Cow<'t, Table> {
        let Some(tokens) = &self.tokens else { return Cow::Borrowed(table) };
        let is_own = |name: &str| name == self.sensitive || self.columns.iter().any(|column| column.name == name);
        let mut read = Cow::Borrowed(table);
        for (place, column) in table.columns.iter().enumerate().filter(|(_, column)| is_own(&column.name)) {
            let wanted = tokens.all(&column.name);
            let differs = |one: &[String], other: &[String]| one.iter().any(|token| !other.contains(token));
            if differs(&wanted, &column.missing_tokens) || differs(&column.missing_tokens, &wanted) {
                read.to_mut().columns[place] = column.with_missing_tokens(&wanted);
            }
        }
        read
    }

    pub fn classes(&self) -> usize {
        self.cuts.len()
    }

    /// The class of a combination of values, by their places.
    pub fn class_of(&self, ranks: &[u32]) -> usize {
        let before = |cut: &Vec<u32>| ranks[..cut.len()].cmp(cut) == Ordering::Greater;
        self.cuts.partition_point(before).min(self.cuts.len().saturating_sub(1))
    }

    /// The first and last combination of a class.
    pub fn ends(&self, class: usize) -> (Vec<u32>, Vec<u32>) {
        let last_value = |column: usize| self.columns[column].places() - 1;
        let mut first = vec![0; self.columns.len()];
        if let Some(before) = class.checked_sub(1).and_then(|before| self.cuts.get(before)) {
            first[..before.len()].copy_from_slice(before);
            // A cut never ends with the last value of its column.
            if let Some(place) = before.len().checked_sub(1) {
                first[place] += 1;
            }
        }
        let mut last = self.cuts.get(class).cloned().unwrap_or_default();
        last.extend((last.len()..self.columns.len()).map(last_value));
        (first, last)
    }

    /// The places of each column's values in a class, as half-open ranges.
    pub fn projection(&self, class: usize) -> Vec<Vec<(u32, u32)>> {
        let (first, last) = self.ends(class);
        let count = |column: usize| self.columns[column].places();
        let parted = (0..first.len()).find(|&column| first[column] != last[column]).unwrap_or(first.len());
        let of_column = |column: usize| {
            if column <= parted {
                return vec![(first[column], last[column] + 1)];
            }
            let between = parted + 1..column;
            // With the first value of the column that parts them, only what is not before the class; with the last, only
            // what is not behind it; with those between, everything.
            let above = between.clone().all(|column| first[column] + 1 == count(column));
            let below = between.clone().all(|column| last[column] == 0);
            let from = if above { first[column] } else { 0 };
            let to = if below { last[column] + 1 } else { count(column) };
            let all = last[parted] - first[parted] > 1 || from <= to;
            if all { vec![(0, count(column))] } else { vec![(0, to), (from, count(column))] }
        };
        (0..first.len()).map(of_column).collect()
    }

    /// What each class shows in each column.
    pub fn cells(&self) -> Vec<Vec<String>> {
        self.described(self.classes())
    }

    fn described(&self, classes: usize) -> Vec<Vec<String>> {
        let describers: Vec<Describer> = self.columns.iter().map(|column| Describer::new(&column.values)).collect();
        let of_class = |class: usize| {
            let ranges = self.projection(class);
            describers.iter().zip(&ranges).map(|(describer, ranges)| describer.describe(ranges)).collect()
        };
        (0..classes).map(of_class).collect()
    }

    pub fn view(&self, made: Option<MadeView>) -> PlanView {
        PlanView {
            columns: self.columns.iter().map(|column| (column.name.clone(), column.values.len() as u64)).collect(),
            sensitive: self.sensitive.clone(),
            l: self.l,
            delta: self.delta,
            p: self.p,
            rows: self.rows,
            classes: self.classes() as u64,
            shown: self.described(self.classes().min(SHOWN)),
            made,
            text: self.to_json(),
        }
    }
}

/// A cut after `last` and before `next`: the shortest beginning that parts them, moved on to where the largest group ends.
fn cut_between(last: &[u32], next: &[u32], group_ends: &[Vec<u32>]) -> Vec<u32> {
    let Some(column) = (0..last.len()).find(|&column| last[column] != next[column]) else { return Vec::new() };
    let mut cut = last[..=column].to_vec();
    let size = |value: u32| group_ends[column][value as usize];
    // Among equals the first.
    let best = (last[column]..next[column]).reduce(|best, other| if size(other) > size(best) { other } else { best });
    cut[column] = best.unwrap_or(last[column]);
    cut
}
