//! The plan of (ℓ,δ)-diversity (Algorithm 1): classes, N and the order, as a file that every data owner loads and applies
//! to their own table.
//!
//! Classes are stretches of the lexicographic order of all combinations of values, whether somebody has them or not, so
//! that every person has a class. A stretch ends after all combinations that begin like its cut, which is moved to where
//! the largest group of a hierarchy ends between the two people it parts. No count of people, and no probability but p,
//! is in the file. Guarantee: reading what was written gives the same plan; unknown keys and contradictions are errors.
//! Complexity: finding a class is O(columns · log classes).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::describe::Describer;
use super::distribution::Joint;
use super::mechanism::{Bound, Chosen, Wish, choose, whole_rows};
use super::order::{OrderedColumn, Tuples};
use crate::failure::Failure;
use crate::policy::{Checked, Setup};
use crate::progress::Progress;
use crate::table::{Role, Table};

/// The column of a plan's release that has the number of a row's class in the plan, from 1.
pub const CLASS_COLUMN: &str = "_class";

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    /// Version of the format.
    throng_plan: u32,
    /// Quasi-identifiers, the most significant first, with their values in order.
    columns: Vec<PlanColumn>,
    sensitive: String,
    l: u32,
    delta: f64,
    p: f64,
    /// N.
    rows: u64,
    /// Each class ends with all combinations that begin like this, or earlier in the order; the last has no end.
    classes: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanColumn {
    name: String,
    values: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub columns: Vec<OrderedColumn>,
    pub sensitive: String,
    pub l: u32,
    pub delta: f64,
    pub p: f64,
    /// Rows that a data owner waits for: N.
    pub rows: u64,
    /// Where classes end: the places of the first few values. The last is empty.
    cuts: Vec<Vec<u32>>,
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

/// A table's quasi-identifiers in order, and the distribution that it gives.
pub struct Estimate {
    pub tuples: Tuples,
    pub joint: Joint,
    /// Place of the sensitive column.
    pub sensitive: usize,
}

impl Estimate {
    pub fn of(
        table: &Table,
        setup: &Setup,
        order: &[String],
        sensitive: Option<&str>,
        smoothing: f64,
    ) -> Result<Estimate, Failure> {
        if !(0.0..=1e12).contains(&smoothing) {
            return Err(Failure::policy("The smoothing must be a number of rows.", "Give 0 or more."));
        }
        let secret = |&place: &usize| setup.columns[place].role == Role::Sensitive;
        let secrets: Vec<usize> = (0..setup.columns.len()).filter(secret).collect();
        let named = |place: &usize| sensitive.is_none_or(|name| table.columns[*place].name == name);
        let sensitive = match secrets.iter().copied().filter(named).collect::<Vec<usize>>()[..] {
            [one] => one,
            [] => {
                return Err(Failure::policy(
                    "A plan needs a sensitive column.",
                    "Give one column the role “sensitive”.",
                ));
            }
            _ => {
                let what = "The policy has several sensitive columns, and a plan is for one.";
                return Err(Failure::policy(what, "Name the one that it is for."));
            }
        };
        let tuples = Tuples::new(table, setup, Checked::new(setup, table)?, order)?;
        let column = &table.columns[sensitive];
        let codes = column.class_codes();
        let pairs = tuples.of_row.iter().copied().zip(codes.iter().copied());
        let joint = Joint::count(pairs, tuples.ranks.len(), column.dictionary.len(), smoothing);
        Ok(Estimate { tuples, joint, sensitive })
    }
}

impl Plan {
    pub const VERSION: u32 = 1;

    /// Makes a plan from past data.
    pub async fn make(
        table: &Table,
        setup: &Setup,
        settings: &PlanSettings,
        progress: &Progress<'_>,
    ) -> Result<(Plan, MadeView), Failure> {
        let estimate = Estimate::of(table, setup, &settings.order, settings.sensitive.as_deref(), settings.smoothing)?;
        let wish = settings.wish.unwrap_or(Wish::Rows(table.rows as u64));
        let chosen = choose(&estimate.joint, settings.l, settings.delta, wish, progress).await?;
        let joint = &estimate.joint;
        let by_classes = super::mechanism::rows_needed(chosen.ends.len() as f64, settings.l, settings.delta, chosen.p);
        let made = MadeView {
            rows: joint.rows(),
            quasi: joint.quasi() as u64,
            values: joint.marginal().len() as u64,
            smoothing: settings.smoothing,
            largest_p: super::mechanism::largest_useful(&joint.marginal(), settings.l).unwrap_or(0.0),
            classes_at_most: chosen.bound,
            by: chosen.by,
            needed: chosen.needed,
            needed_by_classes: by_classes,
            evenness: joint.evenness(),
        };
        let sensitive = table.columns[estimate.sensitive].name.clone();
        Ok((Plan::of(estimate.tuples, &chosen, sensitive, settings), made))
    }

    fn of(tuples: Tuples, chosen: &Chosen, sensitive: String, settings: &PlanSettings) -> Plan {
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
        }
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
        let last_value = |column: usize| self.columns[column].values.len() as u32 - 1;
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
        let count = |column: usize| self.columns[column].values.len() as u32;
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

    pub fn to_json(&self) -> String {
        let cut = |cut: &Vec<u32>| {
            let text = |(column, &rank): (&OrderedColumn, &u32)| column.values[rank as usize].clone();
            self.columns.iter().zip(cut).map(text).collect()
        };
        let column = |column: &OrderedColumn| PlanColumn { name: column.name.clone(), values: column.values.clone() };
        let file = PlanFile {
            throng_plan: Plan::VERSION,
            columns: self.columns.iter().map(column).collect(),
            sensitive: self.sensitive.clone(),
            l: self.l,
            delta: self.delta,
            p: self.p,
            rows: self.rows,
            classes: self.cuts.iter().map(cut).collect(),
        };
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    pub fn parse(text: &str) -> Result<Plan, Failure> {
        let file: PlanFile = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            // These messages name keys; others may quote values.
            let naming = ["unknown field", "missing field", "duplicate field"];
            let said = naming.iter().any(|start| message.starts_with(start));
            let what = match message.split(" at line ").next() {
                Some(words) if said => format!("The plan has a mistake: {words}."),
                _ if error.is_syntax() || error.is_eof() => "The plan is not JSON.".to_owned(),
                _ => "The plan has a value of the wrong kind.".to_owned(),
            };
            Failure::policy(what, "Ask for the plan again, or make one.").at_line(error.line() as u64)
        })?;
        let wrong = |what: String| Failure::policy(what, "Ask for the plan again, or make one.");
        if file.throng_plan != Plan::VERSION {
            return Err(wrong(format!("The plan is of version {}; this program reads version 1.", file.throng_plan)));
        }
        super::mechanism::check(file.l, file.delta)?;
        if !(file.p > 0.0 && file.p <= 1.0) || file.rows == 0 {
            return Err(wrong("The plan's p is no probability, or its rows are 0.".into()));
        }
        if file.columns.is_empty() {
            return Err(wrong("The plan has no columns.".into()));
        }
        let mut columns: Vec<OrderedColumn> = Vec::with_capacity(file.columns.len());
        for PlanColumn { name, values } in file.columns {
            let mut sorted: Vec<&String> = values.iter().collect();
            sorted.sort_unstable();
            let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            if values.is_empty() || twice || name == file.sensitive || columns.iter().any(|other| other.name == name) {
                let what = format!("The plan's column “{name}” is there twice, has no values, or one of them twice.");
                return Err(wrong(what));
            }
            columns.push(OrderedColumn { name, values });
        }
        let cuts = cuts(&file.classes, &columns).ok_or_else(|| {
            wrong("The plan's classes are not in order, or name values that its columns lack.".to_owned())
        })?;
        let PlanFile { sensitive, l, delta, p, rows, .. } = file;
        Ok(Plan { columns, sensitive, l, delta, p, rows, cuts })
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

/// The cuts of a file by places; `None` unless they ascend, each in its shortest form, and the last is empty.
fn cuts(classes: &[Vec<String>], columns: &[OrderedColumn]) -> Option<Vec<Vec<u32>>> {
    let ranks: Vec<std::collections::HashMap<&str, u32>> =
        columns.iter().map(|column| column.values.iter().map(String::as_str).zip(0..).collect()).collect();
    let cut = |class: &Vec<String>| {
        let fits = class.len() <= columns.len();
        let places: Option<Vec<u32>> =
            class.iter().zip(&ranks).map(|(text, ranks)| ranks.get(text.as_str()).copied()).collect();
        places.filter(|_| fits)
    };
    let cuts: Vec<Vec<u32>> = classes.iter().map(cut).collect::<Option<_>>()?;
    let shortest = |cut: &Vec<u32>| match cut.last() {
        Some(&last) => (last as usize) + 1 < columns[cut.len() - 1].values.len(),
        None => false,
    };
    let (last, others) = cuts.split_last()?;
    // A beginning comes after all that begin like it and go on.
    let padded = |cut: &Vec<u32>| -> Vec<u32> {
        cut.iter().copied().chain(std::iter::repeat(u32::MAX)).take(columns.len()).collect()
    };
    let ascending = cuts.windows(2).all(|pair| padded(&pair[0]) < padded(&pair[1]));
    (last.is_empty() && others.iter().all(shortest) && ascending).then_some(cuts)
}
