//! All that is told of a policy's constraints, as they are typed: for the page, and for `throng constraints`.
//!
//! Lines with a fault are told so and left out of the reasoning ([`super::review`]). Complexity: O(rows · lines), and that
//! of the reasoning.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Dialect;
use super::axioms::Derivation;
use super::bind::{Binder, Shows};
use super::distinct::repeats;
use super::parse::{Fault, parse, text};
use super::program::reasoning;
use super::sql::{validation, validations};
use super::{Constraint, conflict, count};
use crate::failure::Failure;
use crate::policy::{Setup, suppressible};
use crate::progress::Progress;
use crate::table::{Role, Table};
use crate::words::{capital, counted, numbered};

/// What the released table is called in the SQL.
const RELEASE: &str = "release";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintsView {
    pub lines: Vec<LineView>,
    /// Rows that a class must have, by the policy.
    pub k: u64,
    /// What is wrong with the privacy demands: no release can be made, and nothing of one is proved.
    pub mistake: Option<Failure>,
    /// What the lines without a fault are in each scope: alone, in classes, for this table.
    pub verdicts: [Verdict; 3],
    /// Whether *possible* for this table is proved: k is all that is asked, and every value may become `*`.
    pub proved: bool,
    pub contradictions: Vec<Contradiction>,
    /// Lines that say as much as all: by the axioms, and exactly.
    pub cover_by_axioms: Vec<usize>,
    pub cover: Vec<usize>,
    /// Whether it is proved that none of the exact cover can be left out; else that was too large to decide.
    pub cover_proved: bool,
    /// cf(Σ), and cf of each pair of lines without a fault.
    pub conflict: f64,
    pub conflicts: Vec<Conflict>,
    /// One query for all lines: for DuckDB, PostgreSQL and SQLite, and for Spark.
    pub sql: String,
    pub spark_sql: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineView {
    pub text: String,
    pub faults: Vec<Fault>,
    /// The line before that says the same, however it is written: this one adds nothing, and takes no part in the
    /// reasoning.
    pub same_as: Option<usize>,
    /// `None` with faults.
    pub constraint: Option<ConstraintView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintView {
    pub least: u64,
    pub most: Option<u64>,
    /// Rows of the table as it is that show the values.
    pub today: u64,
    pub holds_today: bool,
    /// Rows that can show them in a release: the most that any can count.
    pub possible: u64,
    /// The fewest that any release can count, as far as single rows tell.
    pub certain: u64,
    /// Whether classes of k rows leave a count within the bounds.
    pub k_allows: bool,
    pub implied: Option<Implied>,
    /// Whether it is too large to decide if it is implied.
    pub undecided: bool,
    /// The place of the contradiction that the line is part of.
    pub contradiction: Option<usize>,
    pub sql: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    Possible,
    Impossible,
    /// Too large to decide.
    Undecided,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    Alone,
    Classes,
    Table,
}

/// Which method an answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// The paper's axioms.
    Axioms,
    /// Integer programming over the cells that the constraints cut.
    Exact,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Implied {
    /// A minimal set of other lines that imply it; empty if it holds in every release anyway.
    pub by: Vec<usize>,
    /// Whether it is proved that the set is minimal; else that was too large to decide.
    pub minimal: bool,
    pub scope: Scope,
    pub method: Method,
    /// By the axioms.
    pub derivation: Option<Derivation>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// A minimal set of lines that can't hold together; none if the table has no release whatever the lines.
    pub lines: Vec<usize>,
    /// Whether it is proved that the set is minimal; else that was too large to decide.
    pub minimal: bool,
    pub scope: Scope,
    pub method: Method,
    /// By the axioms: the line whose values no number of rows can show, and why.
    pub derivation: Option<(usize, Derivation)>,
    /// Where bounds add up: lower ones (line, how often) that together are more than the upper ones.
    pub least: Vec<(usize, u64)>,
    pub most: Vec<(usize, u64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    pub one: usize,
    pub other: usize,
    pub rate: f64,
}

impl Constraint {
    /// The text form, with the names of its table.
    pub fn text(&self, table: &Table) -> String {
        let part = |target: &super::Target| (table.columns[target.column].name.clone(), target.value.clone());
        let parts: Vec<(String, String)> = self.target.iter().map(part).collect();
        text(parts.iter().map(|(column, value)| (column.as_str(), value.as_str())), self.least, self.most)
    }

    /// Whether a count within the bounds is possible when `certain` rows must and `possible` rows can show the values and,
    /// where only quasi-identifiers are named, none or at least k do.
    pub fn allowed(&self, k: u64, certain: u64, possible: u64) -> bool {
        let most = self.most.map_or(possible, |most| most.min(possible));
        let least = self.least.max(certain);
        least == 0 || least.max(k) <= most
    }
}

/// Rows that a class must have, by the policy's demands.
pub fn least_rows(setup: &Setup, table: &Table) -> Result<u64, Failure> {
    let (requirements, _) = setup.requirements(table)?;
    let least = requirements.iter().map(|requirement| requirement.model.least_rows());
    Ok(least.max().unwrap_or(1).max(1).into())
}

impl ConstraintsView {
    /// If all lines are to be `faultless` and one is not, there is no reasoning about the others.
    pub async fn of(
        setup: &Setup,
        table: &Table,
        lines: &[String],
        faultless: bool,
        progress: &Progress<'_>,
    ) -> Result<ConstraintsView, Failure> {
        let mut binder = Binder::new(setup, table);
        let (k, mistake) = match least_rows(setup, table) {
            Ok(k) => (k, None),
            Err(failure) => (1, Some(failure)),
        };
        let from = RELEASE;
        let (mut constraints, mut place_of): (Vec<Constraint>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut views = Vec::with_capacity(lines.len());
        let mut line_of: HashMap<Constraint, usize> = HashMap::new();
        let mut faulty = false;
        for (place, line) in lines.iter().enumerate() {
            progress.checkpoint(reasoning).await?;
            let read = parse(line).map_err(|fault| vec![fault]).and_then(|statement| binder.bind_again(&statement));
            let same_as = read.as_ref().ok().and_then(|constraint| line_of.get(constraint).copied());
            let (faults, constraint) = match read {
                Err(faults) => (faults, None),
                // It is told of the line before, and told here once that is done.
                Ok(_) if same_as.is_some() => (Vec::new(), None),
                Ok(constraint) => {
                    line_of.insert(constraint.clone(), place);
                    let mut view = standing(&binder, &constraint, k);
                    view.sql = validation(place, &constraint, table, from, Dialect::Standard) + ";\n";
                    constraints.push(constraint);
                    place_of.push(place);
                    (Vec::new(), Some(view))
                }
            };
            faulty |= !faults.is_empty();
            views.push(LineView { text: line.clone(), faults, same_as, constraint });
        }
        let sql = |dialect| validations(place_of.iter().copied().zip(&constraints), table, from, dialect);
        let mut view = ConstraintsView {
            lines: views,
            k,
            mistake,
            verdicts: [Verdict::Possible; 3],
            proved: false,
            contradictions: Vec::new(),
            cover_by_axioms: Vec::new(),
            cover: Vec::new(),
            cover_proved: true,
            conflict: 0.0,
            conflicts: Vec::new(),
            sql: sql(Dialect::Standard),
            spark_sql: sql(Dialect::Spark),
        };
        if faultless && faulty {
            return Ok(view.repeated());
        }
        let sets = conflict::relevant(&binder, &constraints, progress).await?;
        let rates = conflict::rates(&sets);
        let pairs = (0..sets.len()).flat_map(|one| (one + 1..sets.len()).map(move |other| (one, other)));
        let conflicts = pairs.zip(&rates).map(|((one, other), &rate)| Conflict {
            one: place_of[one],
            other: place_of[other],
            rate,
        });
        view.conflict = conflict::total(&rates);
        view.conflicts = conflicts.collect();
        view.reason(&binder, &constraints, &place_of, progress).await?;
        Ok(view.repeated())
    }

    /// Says of lines that say the same as one before what was said of that.
    fn repeated(mut self) -> Self {
        for place in 0..self.lines.len() {
            if let Some(first) = self.lines[place].same_as {
                self.lines[place].constraint = self.lines[first].constraint.clone();
            }
        }
        self
    }

    /// Which lines say the same as one before: a sentence for each of those that are said again.
    pub fn repeats(&self) -> Vec<String> {
        repeats(self.lines.iter().map(|line| line.same_as))
    }

    /// What is said of a table that has no release whatever the lines.
    pub fn without_release(&self) -> String {
        let classes = counted(self.k, "row");
        format!("even without constraints, this table has no release in classes of at least {classes}")
    }

    /// Why no release of the table keeps all of them, if that is proved.
    pub fn impossible(&self) -> Option<String> {
        let Contradiction { lines, scope, .. } = self.contradictions.first()?;
        if lines.is_empty() {
            return Some(format!("{}.", capital(&self.without_release())));
        }
        let scope = match scope {
            Scope::Alone => "whatever the table".to_owned(),
            Scope::Classes => format!("in classes of at least {}", counted(self.k, "row")),
            Scope::Table => {
                format!("in classes of at least {}, however this table's rows are divided", counted(self.k, "row"))
            }
        };
        let them = capital(&numbered("constraint", lines));
        let together = if lines.len() > 1 { " together" } else { "" };
        Some(format!("{them} can't be met{together} {scope}: the integer program of their counts has no solution."))
    }
}

/// What the table alone says of a constraint.
fn standing(binder: &Binder<'_>, constraint: &Constraint, k: u64) -> ConstraintView {
    let (possible, forced) = (binder.rows_that(constraint, Shows::May), binder.rows_that(constraint, Shows::Must));
    let suppressed = suppressible(binder.setup.suppression_limit.unwrap_or(0.0), binder.table.rows);
    let certain = forced.saturating_sub(suppressed);
    let of_classes = constraint.target.iter().all(|target| binder.setup.columns[target.column].role == Role::Quasi);
    let today = count::count(constraint, binder.table, binder.table);
    ConstraintView {
        least: constraint.least,
        most: constraint.most,
        today,
        holds_today: constraint.holds(today),
        possible,
        certain,
        k_allows: constraint.allowed(if of_classes { k } else { 1 }, certain, possible),
        implied: None,
        undecided: false,
        contradiction: None,
        sql: String::new(),
    }
}
