//! The plan as a file (JSON).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Plan, Tokens};
use crate::failure::Failure;
use crate::linkage::mechanism::check;
use crate::linkage::order::OrderedColumn;
use crate::policy::{Missing, keys_once};
use crate::sorting::Sorting;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    /// For whoever opens the file; not read.
    #[serde(default)]
    warning: String,
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
    /// Values that fewer rows of the past data have are not named.
    #[serde(default)]
    least_rows: u32,
    /// Texts that are missing cells in every column; a file without it says it of no column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing_tokens: Option<Vec<String>>,
    /// Which more there are in the sensitive column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sensitive_missing_tokens: Vec<String>,
    /// What missing cells of the sensitive column are; left out, a value of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
    /// Each class ends with all combinations that begin like this, or earlier in the order; the last has no end. `null`
    /// stands for all values that are not named.
    classes: Vec<Vec<Option<String>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanColumn {
    name: String,
    values: Vec<String>,
    /// Whether all others have a place behind these.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    others: bool,
    /// Texts that are missing cells in this column, beside those in every column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing_tokens: Vec<String>,
}

impl Plan {
    pub const VERSION: u32 = 1;

    pub fn to_json(&self) -> String {
        let cut = |cut: &Vec<u32>| {
            let text = |(column, &rank): (&OrderedColumn, &u32)| column.values.get(rank as usize).cloned();
            self.columns.iter().zip(cut).map(text).collect()
        };
        let own_tokens = |column: &str| {
            let own = self.tokens.as_ref().and_then(|tokens| tokens.of_column.get(column));
            own.cloned().unwrap_or_default()
        };
        let column = |column: &OrderedColumn| {
            let OrderedColumn { name, values, others } = column.clone();
            let missing_tokens = own_tokens(&name);
            PlanColumn { name, values, others, missing_tokens }
        };
        let mut warning =
            "Keep this plan as safe as the data it was made from: it lists values of that table.".to_owned();
        if self.least > 0 {
            warning += &format!(" Values that fewer than {} of its rows have are not listed.", self.least);
        }
        let file = PlanFile {
            warning,
            throng_plan: Plan::VERSION,
            columns: self.columns.iter().map(column).collect(),
            sensitive: self.sensitive.clone(),
            l: self.l,
            delta: self.delta,
            p: self.p,
            rows: self.rows,
            least_rows: self.least,
            missing_tokens: self.tokens.as_ref().map(|tokens| tokens.everywhere.clone()),
            sensitive_missing_tokens: own_tokens(&self.sensitive),
            missing: self.tokens.as_ref().map(|_| self.missing),
            classes: self.cuts.iter().map(cut).collect(),
        };
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    pub fn parse(text: &str) -> Result<Plan, Failure> {
        let read = || {
            keys_once::check(text)?;
            serde_json::from_str(text)
        };
        let file: PlanFile = read().map_err(|error: serde_json::Error| {
            let message = error.to_string();
            // These messages name keys; others may quote values.
            let naming = ["unknown field", "missing field", keys_once::TWICE];
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
        check(file.l, file.delta)?;
        if !(file.p > 0.0 && file.p <= 1.0) || file.rows == 0 {
            return Err(wrong("The plan's p is no probability, or its rows are 0.".into()));
        }
        if file.columns.is_empty() {
            return Err(wrong("The plan has no columns.".into()));
        }
        let mut of_column: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if !file.sensitive_missing_tokens.is_empty() {
            of_column.insert(file.sensitive.clone(), file.sensitive_missing_tokens);
        }
        let mut columns: Vec<OrderedColumn> = Vec::with_capacity(file.columns.len());
        for PlanColumn { name, values, others, missing_tokens } in file.columns {
            let mut sorted: Vec<&String> = values.iter().collect();
            sorted.order();
            let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            if (values.is_empty() && !others)
                || twice
                || name == file.sensitive
                || columns.iter().any(|other| other.name == name)
            {
                let what = format!("The plan's column “{name}” is there twice, has no values, or one of them twice.");
                return Err(wrong(what));
            }
            if !missing_tokens.is_empty() {
                of_column.insert(name.clone(), missing_tokens);
            }
            columns.push(OrderedColumn { name, values, others });
        }
        let cuts = cuts(&file.classes, &columns).ok_or_else(|| {
            wrong("The plan's classes are not in order, or name values that its columns lack.".to_owned())
        })?;
        if file.missing_tokens.is_none() && !of_column.is_empty() {
            return Err(wrong("The plan has missing_tokens of a column, but none of its table.".to_owned()));
        }
        let tokens = file.missing_tokens.map(|everywhere| Tokens { everywhere, of_column });
        let missing = file.missing.unwrap_or_default();
        let PlanFile { sensitive, l, delta, p, rows, least_rows: least, .. } = file;
        Ok(Plan { columns, sensitive, l, delta, p, rows, least, missing, tokens, cuts })
    }
}

/// The cuts of a file by places; `None` unless they ascend, each in its shortest form, and the last is empty.
fn cuts(classes: &[Vec<Option<String>>], columns: &[OrderedColumn]) -> Option<Vec<Vec<u32>>> {
    let ranks: Vec<HashMap<&str, u32>> =
        columns.iter().map(|column| column.values.iter().map(String::as_str).zip(0..).collect()).collect();
    let cut = |class: &Vec<Option<String>>| {
        let fits = class.len() <= columns.len();
        let place = |((text, ranks), column): ((&Option<String>, &HashMap<&str, u32>), &OrderedColumn)| match text {
            Some(text) => ranks.get(text.as_str()).copied(),
            None => column.place_of_others(),
        };
        let places: Option<Vec<u32>> = class.iter().zip(&ranks).zip(columns).map(place).collect();
        places.filter(|_| fits)
    };
    let cuts: Vec<Vec<u32>> = classes.iter().map(cut).collect::<Option<_>>()?;
    let shortest = |cut: &Vec<u32>| match cut.last() {
        Some(&last) => last + 1 < columns[cut.len() - 1].places(),
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
