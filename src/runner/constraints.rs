//! `throng constraints`: what can be told of a policy's diversity constraints, or of generated ones.

use std::fmt::Write;
use std::path::Path;

use clap::ValueEnum;

use super::{ask, open, policy_sources};
use crate::constraints::ConstraintsView;
use crate::constraints::generate::{self, Wish};
use crate::constraints::view::{ConstraintView, Contradiction, Implied, Method, Scope, Verdict};
use crate::failure::Failure;
use crate::io::csv::ReadOptions;
use crate::protocol::{Request, Response, Summary};
use crate::words::{counted, figure, grouped};

#[derive(Clone, Copy, ValueEnum)]
pub enum Class {
    Minimum,
    Average,
    Proportion,
}

/// Constraints to generate.
pub struct Wishes<'a> {
    pub class: Class,
    pub on: &'a [String],
    pub count: Option<u32>,
    pub seed: u64,
}

pub fn run(policy: &Path, data: &Path, wishes: Option<Wishes<'_>>, json: bool, spark: bool) -> Result<String, Failure> {
    let (engine, summary, setup) = open(data, policy_sources(policy)?, ReadOptions::default())?;
    let unexpected = || Failure::crashed("The engine gave an answer of another kind.");
    let lines = match wishes {
        None => setup.diversity,
        Some(wishes) => {
            let request = Request::GenerateConstraints { wish: wishes.wish(&summary)? };
            let Response::Lines(lines) = ask(&engine, request, Vec::new())? else { return Err(unexpected()) };
            lines
        }
    };
    let request = Request::Constraints { lines, faultless: true };
    let Response::Constraints(view) = ask(&engine, request, Vec::new())? else {
        return Err(unexpected());
    };
    for (place, line) in view.lines.iter().enumerate() {
        if let Some(fault) = line.faults.first() {
            return Err(fault.clone().into_failure(place).in_file(&policy.display().to_string()));
        }
    }
    if let Some(mistake) = view.mistake {
        return Err(mistake.in_file(&policy.display().to_string()));
    }
    // Serializing plain data to a string can't fail.
    Ok(if json { serde_json::to_string_pretty(&view).unwrap_or_default() + "\n" } else { text(&view, spark) })
}

impl Wishes<'_> {
    fn wish(&self, summary: &Summary) -> Result<Wish, Failure> {
        let place = |name: &str| {
            let found = summary.columns.iter().position(|column| column.name == name);
            let unknown = || Failure::refused("The table has no column of a name given with --on.", "Correct it.");
            found.map(|place| place as u32).ok_or_else(unknown)
        };
        let set = |names: &String| names.split(',').map(str::trim).map(place).collect();
        Ok(Wish {
            class: match self.class {
                Class::Minimum => generate::Class::Minimum,
                Class::Average => generate::Class::Average,
                Class::Proportion => generate::Class::Proportion,
            },
            on: self.on.iter().map(set).collect::<Result<_, Failure>>()?,
            count: self.count,
            seed: self.seed,
            k: 0,
        })
    }
}

fn name(line: usize) -> String {
    format!("[{line}]")
}

fn names(lines: &[usize]) -> String {
    lines.iter().map(|&line| name(line)).collect::<Vec<_>>().join(" ")
}

fn text(view: &ConstraintsView, spark: bool) -> String {
    let mut text = String::new();
    for (place, line) in view.lines.iter().enumerate() {
        let _ = writeln!(text, "{} {}", name(place), line.text);
        if let Some(first) = line.same_as {
            let _ = writeln!(text, "    says the same as {}: one constraint", name(first));
        } else if let Some(constraint) = &line.constraint {
            write_constraint(&mut text, constraint, view);
        }
    }
    let _ = writeln!(text, "\nsatisfiable");
    let scopes = ["alone".to_owned(), format!("in classes of {}", counted(view.k, "row")), "for this table".to_owned()];
    for (scope, verdict) in scopes.iter().zip(view.verdicts) {
        let verdict = match verdict {
            Verdict::Possible if scope == &scopes[2] && !view.proved => "nothing speaks against it",
            Verdict::Possible => "yes",
            Verdict::Impossible => "no",
            Verdict::Undecided => "too large to decide",
        };
        let _ = writeln!(text, "  {scope}: {verdict}");
    }
    for contradiction in &view.contradictions {
        write_contradiction(&mut text, contradiction, view);
    }
    let _ = writeln!(text, "\nminimal cover");
    let _ = writeln!(text, "  by the paper's axioms: {}", names(&view.cover_by_axioms));
    let proved = if view.cover_proved { "" } else { "; whether more can be left out is too large to decide" };
    let _ = writeln!(text, "  exact: {}{proved}", names(&view.cover));
    let _ = writeln!(text, "\nconflict rate {}", figure(view.conflict));
    for conflict in view.conflicts.iter().filter(|conflict| conflict.rate > 0.0) {
        let _ = writeln!(text, "  {} {}: {}", name(conflict.one), name(conflict.other), figure(conflict.rate));
    }
    let sql = if spark { &view.spark_sql } else { &view.sql };
    if !sql.is_empty() {
        let _ = write!(text, "\nSQL for a table “release”\n{sql}");
    }
    text
}

fn write_constraint(text: &mut String, constraint: &ConstraintView, view: &ConstraintsView) {
    let classes = format!("classes of {}", counted(view.k, "row"));
    let holds = if constraint.holds_today { "holds" } else { "does not hold" };
    let _ = writeln!(
        text,
        "    now {} ({holds}); a release can show {} to {}",
        grouped(constraint.today),
        grouped(constraint.certain),
        grouped(constraint.possible)
    );
    if !constraint.k_allows {
        let _ = writeln!(text, "    no: in {classes} of this table it can't hold");
    }
    if constraint.undecided {
        let _ = writeln!(text, "    whether the others imply it is too large to decide");
    }
    if let Some(Implied { by, minimal, scope, method, derivation }) = &constraint.implied {
        let method = method_name(*method);
        let fewer = if *minimal { "" } else { ", perhaps by fewer" };
        let _ = match (by.is_empty(), scope) {
            (true, Scope::Alone) => writeln!(text, "    holds in every table"),
            (true, Scope::Classes) => writeln!(text, "    holds in every table in {classes}"),
            (true, Scope::Table) => writeln!(text, "    holds in every release of this table"),
            (_, Scope::Classes) => writeln!(text, "    implied by {} and k ({method}{fewer})", names(by)),
            _ => writeln!(text, "    implied by {} ({method}{fewer})", names(by)),
        };
        for sentence in derivation.iter().flat_map(|derivation| derivation.sentences(name)) {
            let _ = writeln!(text, "      {sentence}");
        }
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Axioms => "by the paper's axioms",
        Method::Exact => "exact",
    }
}

fn write_contradiction(text: &mut String, contradiction: &Contradiction, view: &ConstraintsView) {
    let scope = match contradiction.scope {
        Scope::Alone => String::new(),
        Scope::Classes => format!(" in classes of {}", counted(view.k, "row")),
        Scope::Table => " for this table".to_owned(),
    };
    if contradiction.lines.is_empty() {
        let _ = writeln!(text, "  {}", view.without_release());
        return;
    }
    let (lines, method) = (names(&contradiction.lines), method_name(contradiction.method));
    let together = if contradiction.lines.len() > 1 { " together" } else { "" };
    let fewer = if contradiction.minimal { "" } else { ", perhaps fewer of them" };
    let _ = writeln!(text, "  {lines} can't hold{together}{scope} ({method}{fewer})");
    if let Some((line, derivation)) = &contradiction.derivation {
        for sentence in derivation.sentences(name) {
            let _ = writeln!(text, "    {sentence}");
        }
        let _ = writeln!(text, "    So no number of rows can show the values of {}.", name(*line));
    } else if !contradiction.least.is_empty() && !contradiction.most.is_empty() {
        let bound = |line: usize, lower: bool| {
            let constraint = view.lines[line].constraint.as_ref();
            constraint.map_or(0, |of| if lower { of.least } else { of.most.unwrap_or(0) })
        };
        let terms = |terms: &[(usize, u64)], lower: bool| {
            let term = |&(line, times): &(usize, u64)| match times {
                1 => format!("{} of {}", grouped(bound(line, lower)), name(line)),
                _ => format!("{times} × {} of {}", grouped(bound(line, lower)), name(line)),
            };
            terms.iter().map(term).collect::<Vec<_>>().join(" + ")
        };
        let (least, most) = (terms(&contradiction.least, true), terms(&contradiction.most, false));
        let _ = writeln!(text, "    At least {least} is more than at most {most}.");
    }
}
