//! Findings: what a person has to know, and mostly to decide, before a release leaves.
//!
//! A finding is a fact about the file, the table under its set-up, or the release; never a guess about a person's
//! intention. There are two sorts. *Repairs* are what reading did to the file: those that [`RepairKind::stops`] hold every
//! release back until the policy has `"repairs": "accept"`, the others are only told. All other findings
//! ([`FindingKind`]) are told, and hold a release back where the policy has `"findings": "stop"`; one that is accepted
//! stands in the policy with a reason (`"accept"`).
//!
//! What makes a finding, and why there:
//! - *nearly unique*: a kept column in which at least half of the rows ([`OWN_SHARE`]) have a value that no other row has.
//!   From there on somebody who knows one cell more likely finds its row than not. Tables of fewer than [`FEW_ROWS`]
//!   rows have such columns by chance; there only what follows counts.
//! - *identifier pattern*: a column that is released as it is though its name or its values are those of an identifier,
//!   by the guesses of [`crate::table::guess`]: page and findings judge by one set of patterns.
//! - *singles out*: rows of the release that are the only ones of their class with their kept value: who knows the value
//!   beside the quasi-identifiers finds them, so that k is 1 for them. One row is enough: a class has k rows for its
//!   sake. Rows alone in their class are the model's concern and not counted.
//! - *shown unchanged*: a quasi-identifier of which the release shows values as they are that no other of its rows shows:
//!   nearly unique as above, or any such row if the column looks like an identifier. What the policy asks says nothing of
//!   that (k = 1, t = 1); a release in which no row is alone in its class has no such values.
//! - *no model*: the policy demands no privacy model at all.
//! - *missing token*: cells that look like a missing one but are read as a value ([`tokens`]).
//! - *missing value*: missing cells of a sensitive column that count as a value of their own, so that a class of one
//!   diagnosis and empty cells passes for diverse.
//!
//! Sentences name columns and counts and are made of fixed words, so they contain no cell's value. What concerns the
//! table alone ([`Traits`]) is looked up once a table. Complexity: O(different values) once; O(rows) for each kept column
//! of a release.

mod release;
mod tokens;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::{Failure, FailureKind};
use crate::io::csv::{Repair, RepairKind};
use crate::policy::{Acceptance, ColumnSetup, Decisions, FindingKind, Missing, Setup};
use crate::sorting::filled;
use crate::table::{Column, Role, Table};
use crate::words::counted;

pub use release::of_release;
pub use tokens::Token;

/// The share of rows with a value of their own from which on a column is nearly unique.
pub const OWN_SHARE: f64 = 0.5;
/// Fewer rows than this are too few to conclude anything from their values being different.
pub const FEW_ROWS: usize = 20;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    Repair(RepairKind),
    Column(FindingKind),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub subject: Subject,
    /// `None`: the file, or several columns together.
    pub column: Option<String>,
    /// Rows, cells, lines or columns that it is about.
    pub count: u64,
    pub first_line: Option<u64>,
    /// One sentence for a person, without any cell's value.
    pub sentence: String,
    /// Why it was accepted.
    pub accepted: Option<String>,
}

impl Decisions {
    /// Why a finding is accepted, if it is.
    pub fn accepted(&self, finding: &Finding) -> Option<String> {
        match finding.subject {
            Subject::Repair(kind) => {
                (kind.stops() && self.repairs_accepted).then(|| "the policy accepts repairs".to_owned())
            }
            Subject::Column(kind) => {
                let fits = |entry: &&Acceptance| entry.finding == kind && entry.column == finding.column;
                self.accept.iter().find(fits).map(|entry| entry.why.clone())
            }
        }
    }

    /// Keeps a release back while there is something to decide.
    pub fn hold(&self, findings: &[Finding], file: &str) -> Result<(), Failure> {
        let open: Vec<&Finding> = findings.iter().filter(|finding| finding.open(self)).collect();
        let repaired: Vec<&Finding> = open.iter().copied().filter(|finding| finding.is_repair()).collect();
        if !repaired.is_empty() {
            let sentences: Vec<&str> = repaired.iter().map(|finding| finding.sentence.trim_end_matches('.')).collect();
            let what = format!("Nothing is released, because the file was repaired: {}.", sentences.join("; "));
            let next = "Correct the file, or accept the repairs (in the policy: \"repairs\": \"accept\").";
            let held = Failure::new(FailureKind::Held, what, next).in_file(file);
            let line = repaired
                .iter()
                .filter_map(|finding| finding.first_line)
                .fold(None, |least: Option<u64>, line| Some(least.map_or(line, |least| least.min(line))));
            return Err(line.into_iter().fold(held, Failure::at_line));
        }
        if self.stop && !open.is_empty() {
            let sentences: Vec<String> = open.iter().map(|finding| finding.named()).collect();
            let number = counted(open.len() as u64, "finding");
            let verb = if open.len() == 1 { "is" } else { "are" };
            let what = format!("Nothing is released, because {number} {verb} open: {}", sentences.join(" "));
            let next = "Mend the column, or accept the finding with a reason (in the policy: \"accept\": [{\"finding\": …, \
                        \"column\": …, \"why\": …}]).";
            return Err(Failure::new(FailureKind::Held, what, next).in_file(file));
        }
        Ok(())
    }
}

impl Finding {
    fn of_column(kind: FindingKind, column: &str, count: u64, sentence: String) -> Finding {
        let column = Some(column.to_owned());
        Finding { subject: Subject::Column(kind), column, count, first_line: None, sentence, accepted: None }
    }

    fn of_repair(repair: &Repair) -> Finding {
        Finding {
            subject: Subject::Repair(repair.kind),
            column: None,
            count: repair.count,
            first_line: repair.first_line,
            sentence: repair.sentence(),
            accepted: None,
        }
    }

    /// Whether it is about the release, and not about the file or the table it is made of.
    pub fn is_of_release(&self) -> bool {
        matches!(self.subject, Subject::Column(FindingKind::SinglesOut | FindingKind::ShownUnchanged))
    }

    pub fn is_repair(&self) -> bool {
        matches!(self.subject, Subject::Repair(_))
    }

    pub fn name(&self) -> &'static str {
        match self.subject {
            Subject::Repair(kind) => kind.name(),
            Subject::Column(kind) => kind.name(),
        }
    }

    /// For a heading, without figures.
    pub fn title(&self) -> &'static str {
        match self.subject {
            Subject::Repair(_) => "repaired while the file was read",
            Subject::Column(kind) => kind.title(),
        }
    }

    /// Whether somebody has to decide on it.
    pub fn open(&self, decisions: &Decisions) -> bool {
        let asks = match self.subject {
            Subject::Repair(kind) => kind.stops(),
            Subject::Column(_) => true,
        };
        asks && decisions.accepted(self).is_none()
    }

    /// The sentence with the name to accept it by.
    pub fn named(&self) -> String {
        format!("[{}] {}", self.name(), self.sentence)
    }

    pub fn to_json(&self) -> Value {
        json!({
            "finding": self.name(),
            "column": self.column,
            "count": self.count,
            "sentence": self.sentence,
            "accepted": self.accepted,
        })
    }
}

/// What findings need to know of a column whatever its role is.
#[derive(Clone, Debug, PartialEq)]
pub struct Traits {
    /// Rows with a value that no other row has.
    own: u64,
    /// What looks like a missing cell and is none, with its rows.
    tokens: Vec<(Token, u64)>,
}

impl Traits {
    pub fn of_all(table: &Table) -> Vec<Traits> {
        table.columns.iter().map(Traits::of).collect()
    }

    fn of(column: &Column) -> Traits {
        Traits { own: own(column), tokens: tokens::tokens(column) }
    }
}

/// Rows with a value that no other row has; a missing cell is none.
fn own(column: &Column) -> u64 {
    let own = column.counts.iter().filter(|&&count| count == 1).count();
    let missing = column.missing.iter().filter(|&&code| column.counts[code as usize] == 1).count();
    own.saturating_sub(missing) as u64
}

/// What was repaired while a file was read.
pub fn of_repairs(repairs: &[Repair]) -> Vec<Finding> {
    repairs.iter().map(Finding::of_repair).collect()
}

/// What is found in a table under a set-up, before any run.
pub fn of_table(table: &Table, setup: &Setup, traits: &[Traits], repairs: &[Repair]) -> Vec<Finding> {
    let mut findings = of_repairs(repairs);
    for ((column, data), traits) in setup.columns.iter().zip(&table.columns).zip(traits) {
        let name = &data.name;
        let mut found = |kind, count: u64, sentence: String| {
            findings.push(Finding::of_column(kind, name, count, sentence));
        };
        let present = table.rows as u64 - data.missing_rows().min(table.rows as u64);
        if looks_like_identifier(column, setup) && present > 0 {
            let reason = &column.guess.reason;
            let sentence =
                format!("Column “{name}” is released as it is, though it looks like an identifier: {reason}");
            found(FindingKind::IdentifierPattern, present, sentence);
        }
        if is_nearly_unique(column.role, traits.own, table.rows) {
            let own = counted(traits.own, "row");
            let sentence =
                format!("Column “{name}” is kept as it is, though {own} have a value that no other row has.");
            found(FindingKind::NearlyUnique, traits.own, sentence);
        }
        if column.role != Role::Identifier {
            // What the hierarchy has is one of its values or groups, such as `*` in a release.
            let tree = column.template.as_ref().map(|template| &template.tree);
            let is_label = |token: &Token| tree.is_some_and(|tree| tree.find(token.words()).is_some());
            let tokens: Vec<(Token, u64)> =
                traits.tokens.iter().filter(|(token, _)| !is_label(token)).copied().collect();
            findings.extend(of_found_tokens(name, &tokens));
        }
        if column.role == Role::Sensitive && column.missing == Missing::Value {
            findings.extend(of_missing_values(data));
        }
    }
    if setup.privacy.is_empty() {
        let sentence = "No privacy model is demanded: nothing bounds what a release tells of a person.".to_owned();
        let (subject, count) = (Subject::Column(FindingKind::NoModel), table.rows as u64);
        findings.push(Finding { subject, column: None, count, first_line: None, sentence, accepted: None });
    }
    judged(findings, &setup.decisions)
}

/// Cells of a column that look like a missing one but were read as a value.
pub fn of_tokens(column: &Column) -> Option<Finding> {
    of_found_tokens(&column.name, &tokens::tokens(column))
}

fn of_found_tokens(name: &str, tokens: &[(Token, u64)]) -> Option<Finding> {
    let cells: u64 = tokens.iter().map(|(_, rows)| rows).sum();
    let words: Vec<&str> = tokens.iter().map(|(token, _)| token.words()).collect();
    let sentence = format!(
        "Column “{name}” has {} read as a value that may stand for a missing one ({}).",
        counted(cells, "cell"),
        words.join(", ")
    );
    (!tokens.is_empty()).then(|| Finding::of_column(FindingKind::MissingToken, name, cells, sentence))
}

/// Missing cells of a sensitive column, where they count as a value.
pub fn of_missing_values(column: &Column) -> Option<Finding> {
    let (name, missing) = (&column.name, column.missing_rows());
    let verb = if missing == 1 { "counts as a value" } else { "count as values" };
    let cells = counted(missing, "missing cell");
    let sentence = format!("{cells} of the sensitive column “{name}” {verb}, so that they hide what others have.");
    (missing > 0).then(|| Finding::of_column(FindingKind::MissingValue, name, missing, sentence))
}

/// Whether cells of a column leave as they are though they look like an identifier. Of a quasi-identifier that is known
/// before a run only where nothing at all is asked; else the release shows it.
fn looks_like_identifier(column: &ColumnSetup, setup: &Setup) -> bool {
    let kept = match column.role {
        Role::Insensitive | Role::Sensitive => true,
        Role::Quasi => setup.privacy.is_empty() && column.from_level == 0,
        Role::Identifier => false,
    };
    kept && column.guess.role == Role::Identifier
}

fn is_nearly_unique(role: Role, own: u64, rows: usize) -> bool {
    role == Role::Insensitive && is_most_of(own, rows)
}

fn is_most_of(own: u64, rows: usize) -> bool {
    rows >= FEW_ROWS && own as f64 >= OWN_SHARE * rows as f64
}

/// The columns that [`of_table`] tells of as nearly unique or as identifiers: that they single out rows follows.
pub fn told_alone(table: &Table, setup: &Setup) -> BTreeSet<String> {
    let told = |(column, data): &(&ColumnSetup, &Column)| {
        looks_like_identifier(column, setup) || is_nearly_unique(column.role, own(data), table.rows)
    };
    filled(setup.columns.iter().zip(&table.columns).filter(told).map(|(_, data)| data.name.clone()))
}

/// The findings with what the policy says of each.
pub fn judged(mut findings: Vec<Finding>, decisions: &Decisions) -> Vec<Finding> {
    for finding in &mut findings {
        finding.accepted = decisions.accepted(finding);
    }
    findings
}
