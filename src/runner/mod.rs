//! The command line of the headless runner (native only).
//!
//! Exit codes, as in docs/spec.md §10: 0 done (of `run`: a verified release), 2 an error in the data, the policy or the call
//! (clap uses 2 as well), 3 no release is possible, none was found, or one is held back until somebody decides on what
//! was found.

mod check;
mod columns;
mod compare;
mod constraints;
mod link;
mod plan;
mod run;
mod sql;
mod stats;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::engine::{Engine, digest};
use crate::failure::{Failure, FailureKind};
use crate::findings::Finding;
use crate::io::csv::ReadOptions;
use crate::io::csv_write::Written;
use crate::io::{FileSource, Source};
use crate::policy::PolicyFile;
use crate::progress::{NativeSink, block_on};
use crate::protocol::{Opened, Request, Response, Summary};
use crate::report::Audience;
use crate::samples;
use crate::setup_view::SetupView;
use crate::words::{counted, grouped};

/// Anonymizes tables; this is the headless runner of the same engine that runs in the browser.
#[derive(Parser)]
#[command(name = "throng", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Rows, columns, different and missing values of a CSV file
    Stats {
        data: PathBuf,
        /// Print JSON, the same bytes as the page saves
        #[arg(long)]
        json: bool,
    },
    /// What each column is taken for, its hierarchy and limits, the risk, and the rows that the limits force out
    Columns {
        data: PathBuf,
        /// A policy whose roles, hierarchies and limits to use instead of the guesses
        #[arg(long)]
        policy: Option<PathBuf>,
        /// Hierarchy files (ARX format), matched to columns by their names
        #[arg(long, num_args = 1..)]
        hierarchies: Vec<PathBuf>,
        /// Set the columns as the HIPAA Safe Harbor rule wants them, and tell what became of each of its 18 kinds
        #[arg(long)]
        safe_harbor: bool,
        /// Write the set-up as a policy file
        #[arg(long)]
        save: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Anonymize a table as a policy says
    Run {
        policy: PathBuf,
        data: PathBuf,
        /// Where the verified release goes
        #[arg(short, long)]
        output: PathBuf,
        /// Where the report goes (JSON)
        #[arg(long)]
        report: Option<PathBuf>,
        /// Where the report for a data-protection office goes (one HTML file)
        #[arg(long)]
        report_page: Option<PathBuf>,
        /// Make that page for readers of the release: no small counts, no values
        #[arg(long, requires = "report_page")]
        external: bool,
        /// The day that the page bears; today, if none is given
        #[arg(long, requires = "report_page")]
        date: Option<String>,
        /// Add a first column `_row` with the input's row numbers: for audits, never for publishing
        #[arg(long)]
        row_numbers: bool,
        /// Leave cells as they are that a spreadsheet would take for formulas; else an apostrophe is put before them
        #[arg(long)]
        no_protect_formulas: bool,
        /// What is done anyway
        #[arg(long, hide = true, conflicts_with = "no_protect_formulas")]
        protect_formulas: bool,
        /// Release nothing while findings are open, as "findings": "stop" in the policy does
        #[arg(long)]
        strict: bool,
    },
    /// Audit a table that is anonymized already: what it achieves, and whether it meets the policy
    Check {
        policy: PathBuf,
        table: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// End with 3 while findings are open, repairs among them
        #[arg(long)]
        strict: bool,
    },
    /// All algorithms on one policy, or a number of it changed step by step: a line of figures each, as CSV
    Compare {
        policy: PathBuf,
        data: PathBuf,
        /// Only these algorithms: lattice, k-member, greedy-cka, mondrian, diva, sweep, one-d, greedy-generalize
        #[arg(long, value_delimiter = ',')]
        algorithms: Vec<String>,
        /// A number and its values: k=2..50, k=2..50:4, l=2..8, tau=0.2..0.8:0.1, suppression_limit=0..0.1:0.01
        #[arg(long)]
        sweep: Option<String>,
    },
    /// What a policy's diversity constraints count, imply and contradict, and the SQL that checks them
    Constraints {
        policy: PathBuf,
        data: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Look at generated constraints instead of the policy's
        #[arg(long, value_enum)]
        generate: Option<constraints::Class>,
        /// Columns whose values get a constraint each, several with commas for their tuples; else every quasi-identifier
        #[arg(long, requires = "generate")]
        on: Vec<String>,
        /// As many generated constraints, chosen at random
        #[arg(long, requires = "generate")]
        count: Option<u32>,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// SQL for Spark instead of DuckDB, PostgreSQL and SQLite
        #[arg(long)]
        spark: bool,
    },
    /// A script that anonymizes a whole table in a database as the policy's release of this sample of it, and checks it
    Sql {
        policy: PathBuf,
        data: PathBuf,
        #[arg(long, value_enum, default_value = "standard")]
        dialect: sql::Dialect,
        /// The table's name in the database
        #[arg(long, default_value = "data")]
        table: String,
    },
    /// Link releases: what they tell together of the people who are in all of them
    Link {
        #[arg(required = true, num_args = 2..)]
        releases: Vec<PathBuf>,
        /// A policy whose roles and hierarchies the releases have
        #[arg(long)]
        policy: Option<PathBuf>,
        /// The table that they were made from: its people are linked
        #[arg(long)]
        original: Option<PathBuf>,
        /// The plan that they were made by: the attacker has it and knows people's classes
        #[arg(long)]
        plan: Option<PathBuf>,
        /// A person to look at: "sex=Female,zip=560010"
        #[arg(long)]
        person: Option<String>,
        /// The sensitive column, of several
        #[arg(long)]
        sensitive: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Plans of (l,delta)-diversity, whose releases can be linked without harm
    #[command(subcommand)]
    Plan(plan::Plan),
    /// Print a built-in sample as CSV: inpatients, medical-records, seven-patients, hospital, adult-like, …
    Sample {
        id: String,
        #[arg(long, default_value_t = 10_000)]
        rows: u32,
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print the hierarchy of this column instead
        #[arg(long)]
        hierarchy: Option<String>,
    },
}

pub fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Stats { data, json } => stats::run(&data, json).map(String::into_bytes),
        Command::Columns { data, policy, hierarchies, safe_harbor, save, json } => {
            let (policy, save) = (policy.as_deref(), save.as_deref());
            let wishes = columns::Wishes { policy, hierarchies: &hierarchies, safe_harbor, save, json };
            columns::run(&data, &wishes).map(String::into_bytes)
        }
        Command::Run {
            policy,
            data,
            output,
            report,
            report_page,
            external,
            date,
            row_numbers,
            no_protect_formulas,
            strict,
            ..
        } => {
            let audience = if external { Audience::External } else { Audience::Internal };
            let wishes = run::Wishes {
                output: &output,
                report: report.as_deref(),
                page: report_page.as_deref().map(|page| (page, audience)),
                date: &date.unwrap_or_else(run::today),
                written: Written { protected: !no_protect_formulas, row_numbers },
                strict,
            };
            run::run(&policy, &data, &wishes).map(String::into_bytes)
        }
        Command::Check { policy, table, json, strict } => {
            check::run(&policy, &table, json, strict).map(String::into_bytes)
        }
        Command::Compare { policy, data, algorithms, sweep } => {
            let wishes = compare::Wishes { algorithms: &algorithms, sweep: sweep.as_deref() };
            compare::run(&policy, &data, &wishes).map(String::into_bytes)
        }
        Command::Constraints { policy, data, json, generate, on, count, seed, spark } => {
            let wish = generate.map(|class| constraints::Wishes { class, on: &on, count, seed });
            constraints::run(&policy, &data, wish, json, spark).map(String::into_bytes)
        }
        Command::Sql { policy, data, dialect, table } => {
            sql::run(&policy, &data, dialect, table).map(String::into_bytes)
        }
        Command::Link { releases, policy, original, plan, person, sensitive, json } => {
            let (policy, original, plan) = (policy.as_deref(), original.as_deref(), plan.as_deref());
            let wishes = link::Wishes { policy, original, plan, person: person.as_deref(), sensitive, json };
            link::run(&releases, wishes).map(String::into_bytes)
        }
        Command::Plan(plan) => plan::run(&plan).map(String::into_bytes),
        Command::Sample { id, rows, seed, hierarchy } => sample(&id, rows, seed, hierarchy.as_deref()),
    };
    match done {
        Ok(bytes) => {
            // A closed pipe (`| head`) is not our failure.
            let _ = std::io::stdout().write_all(&bytes);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("throng: {failure}");
            ExitCode::from(match failure.kind {
                FailureKind::Impossible | FailureKind::Held => 3,
                _ => 2,
            })
        }
    }
}

fn sample(id: &str, rows: u32, seed: u64, hierarchy: Option<&str>) -> Result<Vec<u8>, Failure> {
    let known = samples::ALL.iter().map(|sample| sample.id).collect::<Vec<_>>().join(", ");
    let unknown = || Failure::refused("There is no such sample.", format!("Choose one of: {known}."));
    match hierarchy {
        None if !samples::ROWS.contains(&rows) && samples::is_generated(id) => {
            let (least, most) = (grouped((*samples::ROWS.start()).into()), grouped((*samples::ROWS.end()).into()));
            let next = format!("Give a number from {least} to {most}.");
            Err(Failure::refused(format!("The sample can't have {}.", counted(rows.into(), "row")), next))
        }
        None => samples::table(id, rows, seed).map(|sample| sample.bytes).ok_or_else(unknown),
        Some(column) => {
            let found = samples::hierarchies(id).into_iter().find(|(name, _)| name == column);
            found.map(|(_, text)| text.into_bytes()).ok_or_else(|| {
                Failure::refused(
                    "The sample has no hierarchy for that column.",
                    "Name another column, or leave it out.",
                )
            })
        }
    }
}

fn source(path: &Path) -> Result<Box<dyn Source>, Failure> {
    let source = FileSource::open(path).map_err(|error| error.into_failure(&path.display().to_string()))?;
    Ok(Box::new(source))
}

fn ask(engine: &Engine, request: Request, sources: Vec<Box<dyn Source>>) -> Result<Response, Failure> {
    block_on(engine.handle(request, sources, &NativeSink::new(|_| {})))
}

/// A policy and the hierarchy files it names, which are relative to it.
fn policy_sources(policy: &Path) -> Result<Vec<Box<dyn Source>>, Failure> {
    let shown = policy.display().to_string();
    let text = std::fs::read_to_string(policy).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => {
            Failure::policy("The policy is not text.", "Name a JSON file.").in_file(&shown)
        }
        _ => crate::io::ReadError::from(error).into_failure(&shown),
    })?;
    let file = PolicyFile::parse(&text).map_err(|failure| failure.in_file(&shown))?;
    let mut sources = vec![source(policy)?];
    for (name, path) in hierarchies_of(&file, policy) {
        let source = FileSource::open(&path).map_err(|error| error.into_failure(&path.display().to_string()))?;
        sources.push(Box::new(source.renamed(&name)));
    }
    Ok(sources)
}

/// The files that a policy names as hierarchies, and where they are: beside it, unless it says otherwise.
fn hierarchies_of(file: &PolicyFile, policy: &Path) -> BTreeMap<String, PathBuf> {
    let folder = policy.parent().unwrap_or(Path::new("."));
    let names = file.columns.values().filter_map(|column| column.hierarchy.as_ref()?.file.clone());
    names.map(|name| (name.clone(), folder.join(name))).collect()
}

/// Refuses, before anything is done, what could not be written at the end, and what would overwrite a file that is read or
/// one that is written as well. `policy`: the hierarchies that it names are read, too.
fn check_outputs(inputs: &[&Path], policy: Option<&Path>, outputs: &[&Path]) -> Result<(), Failure> {
    let parsed = policy.and_then(|policy| {
        let text = std::fs::read_to_string(policy).ok()?;
        Some(hierarchies_of(&PolicyFile::parse(&text).ok()?, policy).into_values().collect::<Vec<_>>())
    });
    let hierarchies = parsed.unwrap_or_default();
    let inputs = inputs.iter().copied().chain(policy).chain(hierarchies.iter().map(PathBuf::as_path));
    // A file that is not there yet is known by its folder.
    let known = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::canonicalize(path).or_else(|_| {
            Ok::<_, std::io::Error>(std::fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default()))
        })
    };
    let refused =
        |path: &Path, what: &str, next: &str| Err(Failure::refused(what, next).in_file(&path.display().to_string()));
    let read: Vec<PathBuf> = inputs.filter_map(|path| known(path).ok()).collect();
    let mut written: Vec<PathBuf> = Vec::new();
    for path in outputs {
        let Ok(place) = known(path) else {
            return refused(
                path,
                "The file can't be written: its folder is not there.",
                "Name a folder that is there.",
            );
        };
        if place.is_dir() {
            return refused(path, "The file can't be written: this is a folder.", "Name a file.");
        }
        if read.contains(&place) {
            return refused(path, "This file would overwrite one that is read.", "Write to another file.");
        }
        if written.contains(&place) {
            return refused(path, "Two files would be written to this one.", "Name another file for one of them.");
        }
        // Devices and pipes take as many as come.
        if !place.exists() || place.is_file() {
            written.push(place);
        }
    }
    Ok(())
}

/// Writes a file, and says its digest as `sha256sum` does. Every file is written here, so that every one has a digest.
fn save(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    std::fs::write(path, bytes).map_err(|_| {
        Failure::refused("The file could not be written.", "Check the folder and your rights.")
            .in_file(&path.display().to_string())
    })?;
    Ok(format!("SHA-256 {}  {}\n", digest(bytes), path.display()))
}

/// What a command that was asked for JSON says beside it.
fn beside(json: bool, text: String, saved: &str) -> String {
    if json {
        eprint!("{saved}");
        text
    } else {
        text + saved
    }
}

/// Findings go where errors go: what a command prints stays what it was asked for.
fn tell(findings: &[Finding]) {
    for finding in findings {
        let accepted = finding.accepted.as_ref().map(|why| format!(" Accepted: {why}")).unwrap_or_default();
        eprintln!("finding: {}{accepted}", finding.named());
    }
}

/// Opens a table as [`open_quietly`] does, and tells what was found.
fn open(
    table: &Path,
    others: Vec<Box<dyn Source>>,
    options: ReadOptions,
) -> Result<(Engine, Summary, SetupView), Failure> {
    let opened = open_quietly(table, others, options)?;
    tell(&opened.2.findings);
    Ok(opened)
}

/// Opens a table, and the files that come with it, in a fresh engine. What the options leave open is as a policy among the
/// files says.
fn open_quietly(
    table: &Path,
    others: Vec<Box<dyn Source>>,
    options: ReadOptions,
) -> Result<(Engine, Summary, SetupView), Failure> {
    let mut sources = vec![source(table)?];
    sources.extend(others);
    let engine = Engine::default();
    match ask(&engine, Request::Open { options }, sources)? {
        Response::Opened(Opened { table: Some(summary), setup, taken, .. }) => {
            for file in taken {
                for note in file.notes {
                    eprintln!("note: {}: {note}", file.file);
                }
            }
            Ok((engine, summary, setup))
        }
        _ => Err(Failure::data("The file is a hierarchy or a policy.", "Name a table.")
            .in_file(&table.display().to_string())),
    }
}
