//! What any release of a table can reach, before one is made.
//!
//! The maximum allowed microdata (every value at its limit; without limits, one class of all rows) is the coarsest
//! release there is. Every class of any other release lies inside one of its classes, so a model that survives merging
//! and holds anywhere holds there: what fails there, fails everywhere, unless rows are suppressed.
//! Sensitive cells may be generalized too, for (τ,ℓ)-diversity: at most to the root.

use serde::{Deserialize, Serialize};

use super::demand::{Demand, ModelDemand};
use super::require::Mistake;
use super::setup::Setup;
use crate::classes::{Classes, Keys};
use crate::privacy::{Better, Histogram, Monotone, Requirement, Standing, check};
use crate::table::{Role, Table};
use crate::words::{counted, figure_at_least, figure_at_most};

/// How a demand stands before any run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Prospect {
    /// The demand itself is wrong.
    Mistaken(Mistake),
    /// The coarsest release meets it.
    Feasible { best: f64, sentence: String },
    /// No release meets it unless something more is given up: rows, or the exact sensitive values.
    Costly { best: f64, sentence: String },
}

impl Setup {
    /// The prospects of a demand, on the classes of the maximum allowed microdata.
    pub fn prospect(&self, demand: &Demand, table: &Table, coarsest: &Classes) -> Prospect {
        let requirements = match self.require(demand, table, table) {
            Ok(requirements) => requirements,
            Err(mistake) => return Prospect::Mistaken(mistake),
        };
        let mut standings: Vec<(Requirement, Standing)> = Vec::new();
        with_sensitive(self, table, |sensitive| {
            for requirement in requirements {
                let standing = check(&requirement, coarsest, sensitive);
                standings.push((requirement, standing));
            }
        });
        // The hardest of several sensitive columns decides.
        let worse = |one: &Standing, other: &Standing, better: Better| match better {
            Better::Higher => one.achieved < other.achieved,
            Better::Lower => one.achieved > other.achieved,
        };
        let hardest = standings.into_iter().reduce(|hardest, next| {
            let better = next.0.model.better();
            if worse(&next.1, &hardest.1, better) { next } else { hardest }
        });
        let Some((requirement, standing)) = hardest else {
            return Prospect::Feasible { best: 0.0, sentence: String::new() };
        };
        let best = standing.achieved;
        let limited = coarsest.sizes.len() > 1;
        if standing.holds {
            return Prospect::Feasible { best, sentence: allows(&demand.model, best, limited) };
        }
        let sentence = if matches!(demand.model, ModelDemand::TauL { .. }) && self.by_generalizing(&requirement, table)
        {
            "Only by generalizing some of the sensitive values.".to_owned()
        } else if requirement.model.monotone() == Monotone::Never {
            format!("The coarsest release misses it: {}", allows(&demand.model, best, limited))
        } else {
            let rows = match requirement.model.monotone() {
                // Rows of classes that fail even there can't be kept by anyone.
                Monotone::Growing => format!("at least {}", counted(standing.failing_rows, "row")),
                _ => "some rows".to_owned(),
            };
            format!("{} More only by suppressing {rows}.", allows(&demand.model, best, limited))
        };
        Prospect::Costly { best, sentence }
    }

    /// Whether a class in which every sensitive cell is `*` meets the requirement.
    fn by_generalizing(&self, requirement: &Requirement, table: &Table) -> bool {
        let Some(place) = requirement.attribute else { return false };
        // A code behind all others stands for the root.
        let star = table.columns[place].dictionary.len() as u32;
        requirement.model.holds(&Histogram { size: 1, counts: &[(star, 1)] })
    }
}

/// What the table allows, in words.
fn allows(model: &ModelDemand, best: f64, limited: bool) -> String {
    let who = if limited { "Within the limits, this table" } else { "This table" };
    let (most, least) = (figure_at_most(best), figure_at_least(best));
    match model {
        ModelDemand::KAnonymity { .. } => format!("{who} allows k up to {most}."),
        ModelDemand::DistinctL { .. } | ModelDemand::EntropyL { .. } => format!("{who} allows ℓ up to {most}."),
        ModelDemand::RecursiveCL { l, .. } if best.is_infinite() => format!("{who} allows no c with ℓ = {l}."),
        ModelDemand::RecursiveCL { l, .. } => format!("{who} allows any c above {least} with ℓ = {l}."),
        ModelDemand::TauL { l, .. } => {
            format!("{who} allows any τ from {least} on with ℓ = {l}, its values kept exact.")
        }
        ModelDemand::TCloseness { .. } => format!("{who} allows any t from {least} on."),
        ModelDemand::PSensitive { .. } => format!("{who} allows p up to {most}."),
        ModelDemand::AlphaK { .. } => format!("{who} allows any α from {least} on."),
    }
}

/// Lends the codes of all sensitive columns, missing tokens made one.
pub fn with_sensitive<T>(setup: &Setup, table: &Table, look: impl FnOnce(&[(usize, Keys<'_>)]) -> T) -> T {
    let places: Vec<usize> =
        (0..setup.columns.len()).filter(|&place| setup.columns[place].role == Role::Sensitive).collect();
    let codes: Vec<_> = places.iter().map(|&place| table.columns[place].class_codes()).collect();
    let keys: Vec<(usize, Keys<'_>)> = places
        .iter()
        .zip(&codes)
        .map(|(&place, codes)| (place, Keys { codes, size: table.columns[place].dictionary.len() as u32 }))
        .collect();
    look(&keys)
}
