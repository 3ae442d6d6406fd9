//! `throng columns`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{ask, open};
use crate::failure::Failure;
use crate::policy::{PolicyFile, SetupView};
use crate::protocol::{Request, Response, Summary};
use crate::words::grouped;

pub fn run(
    data: &Path,
    policy: Option<&Path>,
    hierarchies: &[PathBuf],
    save: Option<&Path>,
    json: bool,
) -> Result<String, Failure> {
    let mut others = hierarchies.to_vec();
    if let Some(policy) = policy {
        others.extend(named_files(policy)?);
        others.push(policy.to_owned());
    }
    let (engine, summary, setup) = open(data, &others)?;
    if let Some(path) = save {
        let Response::Text(text) = ask(&engine, Request::SavePolicy, Vec::new())? else {
            return Err(Failure::crashed("The engine gave an answer of another kind."));
        };
        std::fs::write(path, text).map_err(|_| {
            Failure::refused("The policy could not be written.", "Check the folder and your rights.")
                .in_file(&path.display().to_string())
        })?;
    }
    if json {
        // Serializing plain data to a string can't fail.
        return Ok(serde_json::to_string_pretty(&setup).unwrap_or_default() + "\n");
    }
    Ok(table(&summary, &setup))
}

/// The hierarchy files a policy names, relative to it.
fn named_files(policy: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = policy.display().to_string();
    let text = std::fs::read_to_string(policy).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => {
            Failure::policy("The policy is not text.", "Name a JSON file.").in_file(&shown)
        }
        _ => crate::io::ReadError::from(error).into_failure(&shown),
    })?;
    let file = PolicyFile::parse(&text).map_err(|failure| failure.in_file(&shown))?;
    let folder = policy.parent().unwrap_or(Path::new("."));
    let named = file.columns.values().filter_map(|column| column.hierarchy.as_ref()?.file.as_ref());
    Ok(named.map(|name| folder.join(name)).collect())
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
    for (rows, what) in
        [(risk.unique, "unique"), (risk.below_5, "in classes below 5"), (risk.below_11, "in classes below 11")]
    {
        let _ = writeln!(text, "  {:>12} rows {what} ({:.1} %)", grouped(rows), share(rows));
    }
    let forced: Vec<String> =
        setup.forced.iter().enumerate().map(|(place, rows)| format!("k={}: {}", place + 2, grouped(*rows))).collect();
    let _ = writeln!(text, "rows that the limits force out: {}", forced.join(", "));
    text
}
