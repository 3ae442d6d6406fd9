//! `throng columns`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{ask, beside, check_outputs, open, policy_sources, source};
use crate::classes::risk::{IN_PRACTICE, PUBLIC, smallest_class};
use crate::failure::Failure;
use crate::io::Source;
use crate::io::csv::ReadOptions;
use crate::policy::{Edit, Provision};
use crate::protocol::{Request, Response, Summary};
use crate::setup_view::SetupView;
use crate::words::grouped;

pub struct Wishes<'a> {
    pub policy: Option<&'a Path>,
    pub hierarchies: &'a [PathBuf],
    pub safe_harbor: bool,
    pub save: Option<&'a Path>,
    pub json: bool,
}

pub fn run(data: &Path, wishes: &Wishes<'_>) -> Result<String, Failure> {
    let &Wishes { policy, hierarchies, safe_harbor, save, json } = wishes;
    let unexpected = || Failure::crashed("The engine gave an answer of another kind.");
    // A policy may be written over the one that it was made from.
    let read: Vec<&Path> = hierarchies.iter().map(PathBuf::as_path).chain([data]).collect();
    check_outputs(&read, None, save.as_slice())?;
    let mut others: Vec<Box<dyn Source>> = hierarchies.iter().map(|path| source(path)).collect::<Result<_, _>>()?;
    if let Some(policy) = policy {
        others.extend(policy_sources(policy)?);
    }
    let (engine, summary, mut setup) = open(data, others, ReadOptions::default())?;
    let mut provisions = Vec::new();
    if safe_harbor {
        let Response::Setup(view) = ask(&engine, Request::Edit(Edit::SafeHarbor), Vec::new())? else {
            return Err(unexpected());
        };
        setup = view;
        let Response::SafeHarbor(told) = ask(&engine, Request::SafeHarbor, Vec::new())? else {
            return Err(unexpected());
        };
        provisions = told;
    }
    let mut saved = String::new();
    if let Some(path) = save {
        let Response::Text(text) = ask(&engine, Request::SavePolicy, Vec::new())? else {
            return Err(unexpected());
        };
        saved = super::save(path, text.as_bytes())?;
    }
    if json {
        /// The set-up as it is without the wish, and the kinds behind.
        #[derive(Serialize)]
        struct Answer<'a> {
            #[serde(flatten)]
            setup: &'a SetupView,
            #[serde(skip_serializing_if = "<[Provision]>::is_empty")]
            safe_harbor: &'a [Provision],
        }
        let answer = Answer { setup: &setup, safe_harbor: &provisions };
        // Serializing plain data to a string can't fail.
        return Ok(beside(true, serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n", &saved));
    }
    let mut text = table(&summary, &setup);
    if safe_harbor {
        let _ = writeln!(text, "\nHIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)");
        for provision in &provisions {
            let _ = writeln!(text, "  {}", provision.sentence());
        }
    }
    Ok(beside(false, text, &saved))
}

fn table(summary: &Summary, setup: &SetupView) -> String {
    let mut text = String::new();
    let width = summary.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).max(6);
    let _ = writeln!(text, "{:width$}  {:<11}  {:>8}  {:>6}  reason", "column", "role", "levels", "limits");
    for (column, view) in summary.columns.iter().zip(&setup.columns) {
        let (levels, limits) = match &view.hierarchy {
            Some(hierarchy) => (hierarchy.levels.to_string(), hierarchy.limits.to_string()),
            None => (String::new(), String::new()),
        };
        let role = format!("{:?}", view.role).to_lowercase();
        let reason = &view.guess.reason;
        let _ = writeln!(text, "{:width$}  {role:<11}  {levels:>8}  {limits:>6}  {reason}", column.name);
    }
    let risk = &setup.risk;
    let share = |rows: u64| rows as f64 / risk.rows.max(1) as f64 * 100.0;
    let _ = writeln!(text, "\nclasses on the quasi-identifiers: {}", grouped(risk.classes));
    let above = format!("of a risk above {PUBLIC}, in classes below {}", smallest_class(PUBLIC));
    let counts = [
        (risk.unique, "unique"),
        (risk.below_5, "in classes below 5"),
        (risk.below_11, "in classes below 11"),
        (risk.above_public, above.as_str()),
    ];
    for (rows, what) in counts {
        let _ = writeln!(text, "  {:>12} rows {what} ({:.1} %)", grouped(rows), share(rows));
    }
    let _ = writeln!(text, "  {IN_PRACTICE}");
    let forced: Vec<String> =
        setup.forced.iter().enumerate().map(|(place, rows)| format!("k={}: {}", place + 2, grouped(*rows))).collect();
    let _ = writeln!(text, "rows that the limits force out: {}", forced.join(", "));
    text
}
