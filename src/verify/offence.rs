//! What is wrong with a release: the first offending column, row or class, never a cell's text.

use crate::failure::Failure;
use crate::words::{counted, grouped};

/// Why a release was refused. Rows and classes are those of the output, counted from 1; classes in the order in which
/// they begin there. Demands and constraints are counted from 0, as in `privacy[0]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Offence {
    #[error("Column “{column}” is an identifier and is still in the release.")]
    Identifier { column: String },
    #[error("Column “{column}” of the release is not one of the original table.")]
    UnknownColumn { column: String },
    #[error("Column “{column}” is missing from the release.")]
    MissingColumn { column: String },
    #[error("Column “{column}” is in the release twice.")]
    ColumnTwice { column: String },
    #[error("Column “{column}” does not stand where it stood in the original table.")]
    ColumnMoved { column: String },
    #[error("Column “{column}” of the release has {}, but the release has {}.", counted(*cells, "cell"), counted(*rows, "row"))]
    CellCount { column: String, cells: u64, rows: u64 },
    #[error("Row {} of the release has no text in column “{column}”.", grouped(*row))]
    NoText { column: String, row: u64 },
    #[error("There are {} for the {} of the release.", counted(*numbers, "row number"), counted(*rows, "row"))]
    RowNumbers { numbers: u64, rows: u64 },
    #[error("Row {} of the release stands for a row that the original table lacks.", grouped(*row))]
    NoSuchRow { row: u64 },
    #[error("Row {} of the release stands for the same original row as row {}.", grouped(*row), grouped(*first))]
    RowTwice { row: u64, first: u64 },
    #[error("{} suppressed; the policy allows {}.", were(*suppressed), grouped(*allowed))]
    Suppressed { suppressed: u64, allowed: u64 },
    #[error("Row {} of the release shows in column “{column}” neither the original value nor a group above it.", grouped(*row))]
    Untrue { column: String, row: u64 },
    #[error("Row {} of the release is generalized in column “{column}” beyond its limit.", grouped(*row))]
    AboveLimit { column: String, row: u64 },
    #[error("Row {} of the release is less general in column “{column}” than the policy's from_level.", grouped(*row))]
    BelowLevel { column: String, row: u64 },
    #[error("Row {} of the release does not show the original value in column “{column}”.", grouped(*row))]
    Changed { column: String, row: u64 },
    #[error("Row {} of the release shows an unknown cell of column “{column}” as something else than missing.", grouped(*row))]
    Unknown { column: String, row: u64 },
    /// `row` is the class's first.
    #[error("Class {} of the release ({} from row {} on) does not meet the policy's privacy[{demand}]{}.",
        grouped(*class), counted(*size, "row"), grouped(*row), in_column(attribute))]
    Class { class: u64, row: u64, size: u64, demand: usize, attribute: Option<String> },
    #[error("{} the values of the policy's diversity[{constraint}], which asks for {}.", show(*count), asked(*least, *most))]
    Constraint { constraint: usize, count: u64, least: u64, most: Option<u64> },
}

fn were(rows: u64) -> String {
    format!("{} {}", counted(rows, "row"), if rows == 1 { "was" } else { "were" })
}

fn show(rows: u64) -> String {
    format!("{} of the release {}", counted(rows, "row"), if rows == 1 { "shows" } else { "show" })
}

fn asked(least: u64, most: Option<u64>) -> String {
    match (least, most) {
        (least, None) => format!("at least {}", grouped(least)),
        (least, Some(most)) if least == most => format!("exactly {}", grouped(least)),
        (0, Some(most)) => format!("at most {}", grouped(most)),
        (least, Some(most)) => format!("{} to {}", grouped(least), grouped(most)),
    }
}

fn in_column(attribute: &Option<String>) -> String {
    attribute.as_ref().map(|name| format!(" in column “{name}”")).unwrap_or_default()
}

impl From<Offence> for Failure {
    fn from(offence: Offence) -> Failure {
        let next = "The release is withheld. Use another algorithm, and report this: it is a mistake of the program.";
        Failure::refused(offence.to_string(), next)
    }
}

/// Why there is no verified release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// The release is not as the policy asks.
    #[error(transparent)]
    Offence(#[from] Offence),
    /// It could not be checked to the end: a person cancelled, or the policy has a mistake.
    #[error(transparent)]
    Stopped(#[from] Failure),
}

impl From<Unverified> for Failure {
    fn from(unverified: Unverified) -> Failure {
        match unverified {
            Unverified::Offence(offence) => offence.into(),
            Unverified::Stopped(failure) => failure,
        }
    }
}
