//! What any release of a table can reach, before one is made.
//!
//! The maximum allowed microdata (every value at its limit; without limits, one class of all rows) is the coarsest
//! release there is. Every class of any other release lies inside one of its classes, so a model that survives merging
//! and holds anywhere holds there: what fails there, fails everywhere, unless rows are suppressed.
//! Sensitive cells may be generalized too, for (τ,ℓ)-diversity: at most to the root.

use serde::{Deserialize, Serialize};

use crate::algorithms::sweep::feasible::ranges;
use crate::classes::{Classes, Histograms};
use crate::policy::{Demand, Mistake, ModelDemand, Sensitive, Setup, with_sensitive};
use crate::privacy::{Better, Monotone, Requirement, Standing, TOLERANCE, check, smallest_tau_for};
use crate::table::Table;
use crate::words::{counted, figure_at_least, figure_at_most, figure_of_tau};

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
        let range = requirement.model.as_tau_l().and_then(|model| Some((model, self.range(demand, table, coarsest)?)));
        if let Some((model, range)) = range {
            let sentence = range.sentence(model.tau, model.l);
            return match standing.holds {
                true => Prospect::Feasible { best, sentence },
                false => Prospect::Costly { best, sentence },
            };
        }
        if standing.holds {
            return Prospect::Feasible { best, sentence: allows(&demand.model, best, limited) };
        }
        let sentence = if requirement.monotone() == Monotone::Never {
            format!("The coarsest release misses it: {}", allows(&demand.model, best, limited))
        } else {
            let rows = match requirement.monotone() {
                // Rows of classes that fail even there can't be kept by anyone.
                Monotone::Growing => format!("at least {}", counted(standing.failing_rows, "row")),
                _ => "some rows".to_owned(),
            };
            format!("{} More only by suppressing {rows}.", allows(&demand.model, best, limited))
        };
        Prospect::Costly { best, sentence }
    }

    /// Which (τ,ℓ) the classes of the maximum allowed microdata can meet; nothing for other demands.
    pub fn range(&self, demand: &Demand, table: &Table, coarsest: &Classes) -> Option<TauLRange> {
        if demand.jointly || !matches!(demand.model, ModelDemand::TauL { .. }) {
            return None;
        }
        let mut range = TauLRange { limited: coarsest.sizes.len() > 1, ..TauLRange::default() };
        for requirement in self.require(demand, table, table).ok()? {
            let (model, place) = (requirement.model.as_tau_l()?, requirement.attribute?);
            let column = &table.columns[place];
            let sensitive = Sensitive::new(place, &self.columns[place], column);
            let mut add = |counts: &[(u32, u32)]| {
                let mut of_nodes = vec![0u64; sensitive.tree.len()];
                for &(code, count) in counts {
                    of_nodes[sensitive.leaf_of_code[code as usize] as usize] += u64::from(count);
                }
                let [exact, even] = ranges(&sensitive, &column.counts, model.induced.weights(), &of_nodes);
                raise(&mut range.exact, exact);
                raise(&mut range.generalized, even);
            };
            match coarsest.sizes.len() {
                1 => add(&(0..).zip(column.counts.iter().copied()).filter(|one| one.1 > 0).collect::<Vec<_>>()),
                _ => Histograms::new(coarsest, &column.codes).iter().for_each(|class| add(class.counts)),
            }
            range.values = range.values.max(model.induced.values() as u32);
        }
        Some(range)
    }
}

/// Which (τ,ℓ) a table allows ((τ,ℓ)-diversity, §I: its eligible range). Of several classes and columns, the highest F of
/// any at each k: what is asked holds where it is at least that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TauLRange {
    /// F(1), F(2), … with the sensitive values as they are.
    pub exact: Vec<f64>,
    /// The lowest that generalizing sensitive values can bring them to.
    pub generalized: Vec<f64>,
    /// Values that may occur.
    pub values: u32,
    /// Whether limits keep rows apart.
    pub limited: bool,
}

/// F is kept up to this k.
const MOST_K: usize = 200;

/// Raises F(1), F(2), … to others where those are higher; after the last, F is 1.
fn raise(all: &mut Vec<f64>, other: Vec<f64>) {
    if all.is_empty() {
        *all = other;
    } else {
        all.truncate(other.len());
        all.iter_mut().zip(other).for_each(|(one, other)| *one = one.max(other));
    }
    all.truncate(MOST_K);
}

impl TauLRange {
    /// The smallest τ for an ℓ.
    pub fn tau(cumulative: &[f64], l: u32) -> f64 {
        smallest_tau_for(cumulative.iter().copied(), l)
    }

    /// The largest ℓ for a τ.
    pub fn l(&self, cumulative: &[f64], tau: f64) -> Option<u32> {
        let most = self.values.min(MOST_K as u32);
        (2..=most).rev().find(|&l| TauLRange::tau(cumulative, l) <= tau + TOLERANCE)
    }

    /// Whether F keeps under ψ.
    pub fn allows(cumulative: &[f64], tau: f64, l: u32) -> bool {
        TauLRange::tau(cumulative, l) <= tau + TOLERANCE
    }

    /// How a (τ,ℓ) stands, in words.
    pub fn sentence(&self, tau: f64, l: u32) -> String {
        if TauLRange::allows(&self.exact, tau, l) {
            let least = figure_at_least(TauLRange::tau(&self.exact, l));
            let who = if self.limited { "Within the limits, this table" } else { "This table" };
            return format!("{who} allows any τ from {least} on with ℓ = {l}, its values kept exact.");
        }
        if TauLRange::allows(&self.generalized, tau, l) {
            return "Only by generalizing some of the sensitive values.".to_owned();
        }
        let least = figure_at_least(TauLRange::tau(&self.generalized, l));
        let instead = match self.l(&self.generalized, tau) {
            Some(most) => format!("with τ = {}, ℓ can be at most {most}", figure_of_tau(tau)),
            None => format!("with τ = {}, no ℓ can be met", figure_of_tau(tau)),
        };
        let whom = if self.limited { "within the limits" } else { "on this table" };
        format!("Not {whom}, however its values are generalized: with ℓ = {l}, τ must be at least {least}; {instead}.")
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
