//! The columns as the HIPAA Safe Harbor rule (45 CFR 164.514(b)(2)) wants them: identifiers dropped, dates shown as
//! years, ages from 90 on as one, postcodes by their first three digits.
//!
//! What the rule also asks and no table can tell: three-digit areas of 20,000 people or fewer become 000, and a year of
//! birth that tells an age over 89 is pooled, too.

use super::setup::Setup;
use crate::failure::Failure;
use crate::hierarchy::{DateLevel, Hierarchy, NodeId, Recipe};
use crate::table::{Kind, Role, Table, Topic};

/// The age from which on all are one.
const OLDEST: u32 = 90;
/// Digits of a postcode that may be shown.
const DIGITS: usize = 3;

pub fn safe_harbor(setup: &mut Setup, table: &Table) -> Result<(), Failure> {
    for (column, data) in setup.columns.iter_mut().zip(&table.columns) {
        if column.guess.role == Role::Identifier {
            column.role = Role::Identifier;
        }
        if matches!(column.role, Role::Identifier | Role::Sensitive) {
            continue;
        }
        let recipe = match (column.guess.topic, column.kind.kind) {
            (Topic::Age, Kind::Integer | Kind::Decimal) => Recipe::PooledAges { from: OLDEST },
            (Topic::Postcode, _) => Recipe::Mask { keep_at_least: 1 },
            (_, Kind::Date(_)) => Recipe::Dates { levels: vec![DateLevel::Year, DateLevel::Decade] },
            _ => continue,
        };
        column.role = Role::Quasi;
        column.build(&recipe, data)?;
        let Some(template) = &column.template else { continue };
        column.from_level = match recipe {
            Recipe::Mask { .. } => masked_from(&template.tree),
            _ => 1.min(template.tree.levels() as u32 - 1),
        };
    }
    Ok(())
}

/// The lowest level on which no masked value shows more digits than it may.
fn masked_from(tree: &Hierarchy) -> u32 {
    // Values that could not be masked stand right under the root and would ask for too much.
    let masked = tree.leaves().iter().filter(|&&leaf| tree.depth(leaf) > 1);
    let shown = |node: NodeId| tree.label(node).trim_end_matches('*').chars().count();
    let long = |level: usize| masked.clone().any(|&leaf| shown(tree.at_level(leaf, level)) > DIGITS);
    (0..tree.levels()).find(|&level| !long(level)).unwrap_or(0) as u32
}
