//! The one verifier (docs/spec.md §7): no release is shown as done or exported before it has passed here.
//!
//! From the original table, the policy and the output's cells alone it recomputes that identifiers are gone, that no row
//! is there twice and not too many are missing, that every cell is true and within its limits, that every class meets
//! every model, and that every diversity constraint holds. It shares no code with what makes releases but the tree, the grammar
//! of diversity lines ([`crate::constraints::parse`]) and how numbers and dates are read (`tests/layers.rs` names each
//! import): the policy is read as data, never asked; rows are grouped here by the texts that a reader sees, and what the output
//! says of itself (which texts are missing values, how often each occurs) is not believed.
//! Guarantee: what passes is a release as the policy asks; what does not is told by the first offending column, row or
//! class, never by a cell's text. Complexity: O(rows · columns), with each pair of an original and a released value judged
//! once; for every demand the rows are sorted once.

mod cells;
mod classes;
mod diversity;
mod models;
mod offence;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::policy::{ColumnSetup, Missing, ModelDemand, Setup};
use crate::progress::{Progress, Report};
use crate::table::{Column, Role, Table};

use cells::Steps;
use classes::{Classes, Sensitive};
pub use offence::{Offence, Unverified};

/// What was found of a release that is as the policy asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    pub rows: u64,
    pub suppressed: u64,
    pub classes: u64,
    /// In the order of the policy's demands; one on every sensitive column is there once for each.
    pub requirements: Vec<Achieved>,
    /// Rows that show the values of each diversity constraint, in the order of the policy.
    pub diversity: Vec<u64>,
}

/// What the classes of a release achieve of one demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Achieved {
    /// The demand's place in the policy.
    pub demand: usize,
    /// The sensitive column; `None` for models that only count rows.
    pub attribute: Option<String>,
    /// The strictest parameter that every class would still meet.
    pub achieved: f64,
}

/// Rows between two looks at the clock.
const STRIDE: usize = 1 << 14;

/// Checks `output` as a release of `original` under the policy `setup`. `row_of` has the original's row (from 0) of each
/// row of the output.
pub async fn verify(
    original: &Table,
    setup: &Setup,
    output: &Table,
    row_of: &[u32],
    progress: &Progress<'_>,
) -> Result<Verified, Unverified> {
    check_fit(original, setup)?;
    let released = columns(original, setup, output)?;
    rows(original, setup, output, row_of)?;
    for &(place, column) in &released {
        progress.checkpoint(|| report("Verifying cells", place, original.columns.len())).await?;
        check_column(original, setup, place, column, row_of, progress).await?;
    }
    let of_role = |role: Role| released.iter().filter(move |&&(place, _)| setup.columns[place].role == role);
    let mut classes = Classes::one(output.rows);
    for &(place, column) in of_role(Role::Quasi) {
        let values = classes::value_of_code(&original.columns[place], column);
        classes.split(&column.codes, &values, progress).await?;
    }
    let sensitive =
        |&(place, column): &(usize, _)| Sensitive::new(&setup.columns[place], &original.columns[place], column);
    let sensitive: Vec<Sensitive<'_>> = of_role(Role::Sensitive).map(sensitive).collect::<Result<_, _>>()?;
    let requirements = classes::check(original, setup, &classes, &sensitive, progress).await?;
    let diversity = diversity::check(original, setup, &released, output.rows, progress).await?;
    Ok(Verified {
        rows: output.rows as u64,
        suppressed: (original.rows - output.rows) as u64,
        classes: classes.len() as u64,
        requirements,
        diversity,
    })
}

fn report(phase: &str, done: usize, of: usize) -> Report {
    Report { phase: phase.to_owned(), fraction: Some(done as f64 / of.max(1) as f64), detail: String::new() }
}

/// The policy must have been made for this table: a column that it does not describe could not be checked.
fn check_fit(original: &Table, setup: &Setup) -> Result<(), Failure> {
    let fits = |(column, setup): (&Column, &ColumnSetup)| {
        let bound = setup.template.as_ref().is_none_or(|tree| tree.binding.leaves.len() == column.dictionary.len());
        bound && column.codes.len() == original.rows
    };
    let all = original.columns.len() == setup.columns.len();
    if all && original.columns.iter().zip(&setup.columns).all(fits) {
        return Ok(());
    }
    Err(Failure::policy("The policy was made for another table.", "Apply it to this table again."))
}

/// The output's columns, each with the place of its original: all but the identifiers, in the same order, none other, and
/// every cell of them has a text.
fn columns<'a>(original: &Table, setup: &Setup, output: &'a Table) -> Result<Vec<(usize, &'a Column)>, Offence> {
    let is_kept = |&place: &usize| setup.columns[place].role != Role::Identifier;
    let kept: Vec<usize> = (0..original.columns.len()).filter(is_kept).collect();
    let name = |place: usize| original.columns[place].name.as_str();
    for (at, column) in output.columns.iter().enumerate() {
        let column = &column.name;
        let expected = kept.get(at).map(|&place| name(place));
        if expected == Some(column) {
            continue;
        }
        let named = column.clone();
        let in_output = |name: &str| output.columns.iter().any(|other| other.name == name);
        return Err(if !kept.iter().any(|&place| name(place) == column) {
            if original.columns.iter().any(|other| other.name == *column) {
                Offence::Identifier { column: named }
            } else {
                Offence::UnknownColumn { column: named }
            }
        } else if output.columns[..at].iter().any(|other| other.name == *column) {
            Offence::ColumnTwice { column: named }
        } else {
            match expected.filter(|expected| !in_output(expected)) {
                Some(missing) => Offence::MissingColumn { column: missing.to_owned() },
                None => Offence::ColumnMoved { column: named },
            }
        });
    }
    if let Some(&place) = kept.get(output.columns.len()) {
        return Err(Offence::MissingColumn { column: name(place).to_owned() });
    }
    for column in &output.columns {
        let named = || column.name.clone();
        if column.codes.len() != output.rows {
            return Err(Offence::CellCount {
                column: named(),
                cells: column.codes.len() as u64,
                rows: output.rows as u64,
            });
        }
        if let Some(row) = column.codes.iter().position(|&code| code as usize >= column.dictionary.len()) {
            return Err(Offence::NoText { column: named(), row: row as u64 + 1 });
        }
    }
    Ok(kept.into_iter().zip(&output.columns).collect())
}

/// Whole rows within a share of all. 0.04 · 25 may come out a hair below 1 and is 1.
fn suppressible(limit: f64, rows: usize) -> u64 {
    let share = limit * rows as f64;
    let next = share.ceil();
    let whole = if next - share <= 1e-9 * share { next } else { share.floor() };
    whole as u64
}

/// Every row of the output is one of the original, none is there twice, and no more are missing than may be.
fn rows(original: &Table, setup: &Setup, output: &Table, row_of: &[u32]) -> Result<(), Offence> {
    if row_of.len() != output.rows {
        return Err(Offence::RowNumbers { numbers: row_of.len() as u64, rows: output.rows as u64 });
    }
    let mut shown_in = vec![0; original.rows];
    for (row, &input) in (1..).zip(row_of) {
        match shown_in.get_mut(input as usize) {
            None => return Err(Offence::NoSuchRow { row }),
            Some(shown @ 0) => *shown = row,
            Some(&mut first) => return Err(Offence::RowTwice { row, first }),
        }
    }
    // No row is there twice, so the output has at most as many as the original.
    let suppressed = (original.rows - output.rows) as u64;
    let allowed = suppressible(setup.suppression_limit.unwrap_or(0.0), original.rows);
    if suppressed > allowed { Err(Offence::Suppressed { suppressed, allowed }) } else { Ok(()) }
}

/// Every cell of one column is what its role allows.
async fn check_column(
    original: &Table,
    setup: &Setup,
    place: usize,
    released: &Column,
    row_of: &[u32],
    progress: &Progress<'_>,
) -> Result<(), Unverified> {
    let (column, policy) = (&original.columns[place], &setup.columns[place]);
    let is_about = |attribute: &Option<String>| attribute.as_ref().is_none_or(|name| *name == column.name);
    let may_generalize = setup
        .privacy
        .iter()
        .any(|demand| matches!(demand.model, ModelDemand::TauL { .. }) && is_about(&demand.attribute));
    match policy.role {
        Role::Quasi => {
            let steps = Steps::new(policy, column, policy.from_level);
            cells::check(column, released, row_of, |code, text| steps.judge(code, text), progress).await
        }
        // Only (τ,ℓ)-diversity generalizes sensitive values.
        Role::Sensitive if may_generalize => {
            let steps = Steps::new(policy, column, 0);
            let unknown = policy.missing == Missing::Unknown;
            let judge = |code, text: &str| steps.missing_stays(code, text, unknown).or_else(|| steps.judge(code, text));
            cells::check(column, released, row_of, judge, progress).await
        }
        Role::Sensitive | Role::Insensitive | Role::Identifier => {
            let judge = |code, text: &str| cells::unchanged(column.dictionary.text(code), text);
            cells::check(column, released, row_of, judge, progress).await
        }
    }
}
