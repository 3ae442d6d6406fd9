//! The one error a person meets: what happened, where, and what to do next.
//!
//! Every error of the engine ends as a [`Failure`] at the engine's door. Its texts name files, lines, columns and
//! counts, and never a cell's value: they may be logged or sent to a colleague.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of failure it is; the runner's exit code and the page's tone follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// The data or its file is not what was expected.
    Data,
    /// The policy has a mistake.
    Policy,
    /// A person asked to stop.
    Cancelled,
    /// The engine itself broke; its state is lost.
    Crashed,
    /// The engine understood the request and will not do it.
    Refused,
    /// No release meets the policy, or none was found.
    Impossible,
    /// A release is held back until a person has decided on what was found.
    Held,
}

/// Where it happened, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: Option<String>,
    /// From 1, as editors count.
    pub line: Option<u64>,
    /// Number of the cell in its row, from 1.
    pub cell: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Failure {
    pub kind: FailureKind,
    /// What happened: one sentence.
    pub what: String,
    pub place: Place,
    /// What to do next: one sentence.
    pub next: String,
}

impl Failure {
    pub fn new(kind: FailureKind, what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure { kind, what: what.into(), place: Place::default(), next: next.into() }
    }

    pub fn data(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure::new(FailureKind::Data, what, next)
    }

    pub fn policy(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure::new(FailureKind::Policy, what, next)
    }

    pub fn refused(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure::new(FailureKind::Refused, what, next)
    }

    pub fn impossible(what: impl Into<String>, next: impl Into<String>) -> Self {
        Failure::new(FailureKind::Impossible, what, next)
    }

    pub fn cancelled() -> Self {
        Failure::new(FailureKind::Cancelled, "Cancelled.", "Start again whenever you like; nothing was changed.")
    }

    pub fn crashed(what: impl Into<String>) -> Self {
        Failure::new(
            FailureKind::Crashed,
            what,
            "The engine was started again and your settings are kept. Load the file again.",
        )
    }

    pub fn in_file(mut self, file: &str) -> Self {
        self.place.file = Some(file.to_owned());
        self
    }

    pub fn at_line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }

    pub fn at_cell(mut self, cell: u64) -> Self {
        self.place.cell = Some(cell);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.file.clone(),
            self.line.map(|line| format!("line {line}")),
            self.cell.map(|cell| format!("cell {cell}")),
        ];
        write!(out, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Place::default() {
            write!(out, "{}: ", self.place)?;
        }
        write!(out, "{} {}", self.what, self.next)
    }
}
