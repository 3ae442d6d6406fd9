//! The policy file of docs/spec.md §8: what the app saves and the runner reads. Unknown keys are errors that name them.
//!
//! Beside `file` and `rows`, a hierarchy may be given by the `recipe` it is built by: that is how the app saves one that
//! nobody edited, so that a saved policy need not contain a column's values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::algorithm::Algorithm;
use super::decisions::{Acceptance, Decisions};
use super::demand::Demand;
use super::keys_once;
use super::nearest::{essence, nearest};
use super::setup::{Missing, Setup, Template};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, Recipe, TreeError, arx, build};
use crate::io::csv::ReadOptions;
use crate::sorting::filled;
use crate::table::{Column, DateOrder, Role, Table, date, number, shortened};
use crate::words::{counted, grouped};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyFile {
    /// Version of the format.
    pub throng: u32,
    /// How the table is read, see `reading.rs`; what it does not say is guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<serde_json::Value>,
    pub columns: BTreeMap<String, ColumnPolicy>,
    /// `insensitive`: columns not named are kept as they are. Without it an unnamed column is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
    /// Read by [`Demand::parse`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub privacy: Vec<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diversity: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression_limit: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// `accept`: a file that had to be repaired may be released all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repairs: Option<OnRepairs>,
    /// `stop`: findings that are not accepted hold a release back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<OnFindings>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<Acceptance>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnRepairs {
    Accept,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFindings {
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Others {
    Insensitive,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPolicy {
    pub role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchyPolicy>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Values are shown at least as general as on this level of the hierarchy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from_level: u32,
    /// What missing cells of a sensitive column are; left out, a value of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// More texts that are missing values in this column; these three are read by `reading.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_tokens: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<serde_json::Value>,
    /// Whether a table may lack the column.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(level: &u32) -> bool {
    *level == 0
}

/// Exactly one of the three.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HierarchyPolicy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<String>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// Gives the bytes of a file that a policy names.
pub type Files<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, Failure>;

impl PolicyFile {
    pub const VERSION: u32 = 1;

    pub fn parse(text: &str) -> Result<PolicyFile, Failure> {
        // Some editors put a byte-order mark before JSON, too.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let read = || {
            // Some keys are read into values that would let the last of equal ones win.
            keys_once::check(text)?;
            serde_json::from_str(text)
        };
        let policy: PolicyFile = read().map_err(|error: serde_json::Error| {
            let message = error.to_string();
            // These messages name keys; others may quote values.
            let naming = ["unknown field", "missing field", "unknown variant", keys_once::TWICE];
            let said = naming.iter().any(|start| message.starts_with(start));
            let what = match message.split(" at line ").next() {
                Some(words) if said => format!("The policy has a mistake: {words}."),
                _ if error.is_syntax() || error.is_eof() => "The policy is not JSON.".to_owned(),
                _ => "The policy has a value of the wrong kind.".to_owned(),
            };
            Failure::policy(what, "Correct it there, or start from a policy that Throng saved.")
                .at_line(error.line() as u64)
        })?;
        if policy.throng != PolicyFile::VERSION {
            let what = format!("The policy is of version {}; this program reads version 1.", policy.throng);
            return Err(Failure::policy(what, "Set \"throng\" to 1, or use a program of that version."));
        }
        Ok(policy)
    }

    pub fn to_json(&self) -> String {
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The policy of a set-up and of how its table was read, guesses and all; a hierarchy that nobody edited is saved as
    /// its recipe.
    pub fn of(setup: &Setup, table: &Table, reading: &ReadOptions) -> PolicyFile {
        let column = |(column, data): (&super::ColumnSetup, &Column)| {
            let hierarchy = column.template.as_ref().map(|template| match &template.recipe {
                Some(recipe) => HierarchyPolicy { recipe: Some(recipe.clone()), ..HierarchyPolicy::default() },
                None => HierarchyPolicy { rows: Some(template.tree.rows()), ..HierarchyPolicy::default() },
            });
            let limits = column.template.as_ref().map(|template| template.limits.clone()).unwrap_or_default();
            let from_level = if column.role == Role::Quasi { column.from_level } else { 0 };
            let missing = (column.role == Role::Sensitive).then_some(column.missing);
            let optional = setup.optional.contains(&data.name);
            let policy = ColumnPolicy {
                role: column.role,
                hierarchy,
                limits,
                from_level,
                missing,
                optional,
                missing_tokens: None,
                kind: None,
                order: None,
            };
            (data.name.clone(), policy)
        };
        let absent = setup.absent.iter().map(|(name, column)| (name.clone(), column.clone()));
        let mut policy = PolicyFile {
            throng: PolicyFile::VERSION,
            reading: None,
            columns: filled(setup.columns.iter().zip(&table.columns).map(column).chain(absent)),
            others: None,
            privacy: setup.privacy.iter().map(Demand::to_json).collect(),
            diversity: setup.diversity.clone(),
            suppression_limit: setup.suppression_limit,
            algorithm: (setup.algorithm != Algorithm::default()).then(|| setup.algorithm.to_json()),
            seed: Some(setup.seed()),
            repairs: setup.decisions.repairs_accepted.then_some(OnRepairs::Accept),
            findings: setup.decisions.stop.then_some(OnFindings::Stop),
            accept: setup.decisions.accept.clone(),
        };
        policy.say_reading(reading);
        policy
    }

    /// The set-up this policy means for a table.
    pub fn apply(&self, table: &Table, files: Files<'_>) -> Result<Setup, Failure> {
        self.check_names(table)?;
        let mut setup = Setup::guessed(table);
        for (column, data) in setup.columns.iter_mut().zip(&table.columns) {
            column.template = None;
            let Some(policy) = self.columns.get(&data.name) else {
                column.role = Role::Insensitive;
                continue;
            };
            column.role = policy.role;
            if let Some(hierarchy) = &policy.hierarchy {
                let (tree, recipe) = hierarchy.tree(data, files)?;
                if let Some(label) = policy.limits.iter().find(|label| tree.find(label).is_none()) {
                    let place = policy.limits.iter().position(|other| other == label).unwrap_or(0) + 1;
                    let what = format!("Limit {place} of column “{}” is not in its hierarchy.", data.name);
                    return Err(Failure::policy(what, "Name a group or value of the hierarchy."));
                }
                column.template = Some(Rc::new(Template::new(tree, recipe, data, policy.limits.clone())));
            } else if !policy.limits.is_empty() {
                let what = format!("Column “{}” has limits but no hierarchy.", data.name);
                return Err(Failure::policy(what, "Give it a hierarchy, or leave the limits out."));
            }
            if policy.from_level > 0 && policy.role != Role::Quasi {
                let what = format!("“from_level” of column “{}” is only for quasi-identifiers.", data.name);
                return Err(Failure::policy(what, "Leave it out there."));
            }
            let levels = column.template.as_ref().map_or(1, |template| template.tree.levels());
            if policy.from_level as usize >= levels {
                let what = format!("“from_level” of column “{}” is above its hierarchy.", data.name);
                return Err(Failure::policy(what, format!("Use at most {}.", levels - 1)));
            }
            column.from_level = policy.from_level;
            if policy.missing.is_some() && policy.role != Role::Sensitive {
                let what = format!("“missing” of column “{}” is only for sensitive columns.", data.name);
                return Err(Failure::policy(what, "Leave it out there."));
            }
            if policy.role == Role::Sensitive {
                column.missing = policy.missing.unwrap_or_default();
            }
        }
        setup.privacy = self
            .privacy
            .iter()
            .enumerate()
            .map(|(place, value)| Demand::parse(value, place))
            .collect::<Result<_, _>>()?;
        setup.name_missing_as(table);
        if self.suppression_limit.is_some_and(|limit| !(0.0..=1.0).contains(&limit)) {
            let what = "The policy's suppression_limit is not a share of the rows.";
            return Err(Failure::policy(what, "Give a number from 0 to 1: 0.04 is 4 %."));
        }
        setup.suppression_limit = self.suppression_limit;
        setup.diversity.clone_from(&self.diversity);
        setup.algorithm = self.algorithm.as_ref().map(Algorithm::parse).transpose()?.unwrap_or_default();
        setup.seed = self.seed;
        setup.decisions = self.decisions(table)?;
        let optional = self.columns.iter().filter(|(_, column)| column.optional);
        setup.optional = filled::<_, BTreeSet<_>>(optional.map(|(name, _)| name.clone()));
        let known = names(table);
        let absent = self.columns.iter().filter(|(name, _)| !known.contains(name.as_str()));
        setup.absent = filled(absent.map(|(name, column)| (name.clone(), column.clone())));
        Ok(setup)
    }

    /// What the policy says of findings.
    fn decisions(&self, table: &Table) -> Result<Decisions, Failure> {
        let decisions = Decisions {
            repairs_accepted: self.repairs.is_some(),
            stop: self.findings.is_some(),
            accept: self.accept.clone(),
        };
        decisions.check()?;
        let known = names(table);
        for (place, acceptance) in self.accept.iter().enumerate() {
            let Some(name) = &acceptance.column else { continue };
            let optional = self.columns.get(name).is_some_and(|column| column.optional);
            if !optional && !known.contains(name.as_str()) {
                let what =
                    format!("The policy's accept[{place}] names a column that the table lacks: {}.", quoted(&[name]));
                return Err(Failure::policy(what, correct_to(&[name], table)));
            }
        }
        Ok(decisions)
    }

    fn check_names(&self, table: &Table) -> Result<(), Failure> {
        let known = names(table);
        // An identifier, too: it may be there under a name that differs by a letter, and would then be published.
        let needed = self.columns.iter().filter(|(name, column)| !column.optional && !known.contains(name.as_str()));
        let missing: Vec<&str> = needed.map(|(name, _)| name.as_str()).collect();
        if !missing.is_empty() {
            let next = correct_to(&missing, table);
            let what = format!("The policy names columns that the table lacks: {}.", quoted(&missing));
            return Err(Failure::policy(what, next));
        }
        let unnamed: Vec<&str> = table
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .filter(|name| !self.columns.contains_key(*name))
            .collect();
        // What is not named is published: not a column that the policy means to drop or recode, under a name that only looks
        // like its own.
        let mut protected: HashMap<String, &str> = HashMap::new();
        for (name, _) in self.columns.iter().filter(|(_, column)| column.role != Role::Insensitive) {
            // Of several that are alike, the first.
            essence(name).map(|essence| protected.entry(essence).or_insert(name));
        }
        let double = |name: &str| protected.get(&essence(name)?).copied();
        if let Some((known, name)) = unnamed.iter().find_map(|name| Some((double(name)?, *name))) {
            let what = format!(
                "The policy says nothing of the column {}, whose name is that of {} but for capitals, blanks, signs or accents.",
                quoted(&[name]),
                quoted(&[known])
            );
            return Err(Failure::policy(what, "Say what it is, too, or correct the name."));
        }
        if !unnamed.is_empty() && self.others.is_none() && unnamed.len() == table.columns.len() {
            // Perhaps they are a row's cells.
            let what = format!("The policy names none of the {}.", counted(unnamed.len() as u64, "column"));
            let next = "Check that the file's first line has the columns' names; then name them in the policy.";
            return Err(Failure::policy(what, next));
        }
        if !unnamed.is_empty() && self.others.is_none() {
            let what = format!("The policy does not say what these columns are: {}.", quoted(&unnamed));
            return Err(Failure::policy(what, "Name them, or add \"others\": \"insensitive\"."));
        }
        Ok(())
    }
}

fn names(table: &Table) -> HashSet<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

/// So many names are told; the others are counted.
const TOLD: usize = 5;

/// Names of columns for a message, which stays short.
fn quoted(names: &[&str]) -> String {
    let told: Vec<String> = names.iter().take(TOLD).map(|name| format!("“{}”", shortened(name))).collect();
    match names.len().saturating_sub(TOLD) {
        0 => told.join(", "),
        more => format!("{} and {} more", told.join(", "), grouped(more as u64)),
    }
}

/// Whether a name is rather a cell of a file without a line of names.
fn is_data(name: &str) -> bool {
    let orders = [DateOrder::YearMonthDay, DateOrder::DayMonthYear, DateOrder::MonthDayYear];
    number(name).is_some() || orders.iter().any(|&order| date(name, order).is_some())
}

/// What to do about names that a table lacks.
fn correct_to(missing: &[&str], table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    if names.iter().any(|name| is_data(name)) {
        // Then the names are a row's cells.
        return "Check that the file's first line has the columns' names; one looks like a number or a date.".into();
    }
    // Each is compared with every column.
    let near = |name: &&str| {
        let near = nearest(name, &names);
        (!near.is_empty()).then(|| format!("for {}: {}", quoted(&[name]), quoted(&near)))
    };
    let near: Vec<String> = missing.iter().take(TOLD).filter_map(near).collect();
    let or = "or write \"optional\": true for a column that may be missing.";
    match near.is_empty() {
        true => format!("Load the table that the policy was made for, correct the names, {or}"),
        false => format!("Correct the names (the nearest of the table's column names are, {}), {or}", near.join("; ")),
    }
}

impl HierarchyPolicy {
    fn tree(&self, column: &Column, files: Files<'_>) -> Result<(Hierarchy, Option<Recipe>), Failure> {
        let of = |what: String| {
            Failure::policy(format!("The hierarchy of column “{}” {what}.", column.name), "Correct the policy.")
        };
        match (&self.file, &self.rows, &self.recipe) {
            (Some(file), None, None) => {
                Ok((arx::import(&files(file)?, Some(column)).map_err(|error| error.in_file(file))?.tree, None))
            }
            (None, Some(rows), None) => {
                let tree = Hierarchy::from_rows(rows).map_err(|error: TreeError| of(format!("is no tree: {error}")))?;
                Ok((tree, None))
            }
            (None, None, Some(recipe)) => {
                let tree = build(recipe, column).map_err(|error| of(format!("can't be built: {error}")))?;
                Ok((tree, Some(recipe.clone())))
            }
            _ => Err(of("must have exactly one of \"file\", \"rows\" and \"recipe\"".into())),
        }
    }
}
