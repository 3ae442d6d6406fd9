//! The models in plain words, and the formula behind each.

use crate::policy::{Demand, Distance, ModelDemand};
use crate::words::counted;

/// What a model is called on its card, what it means, and how it is written down.
pub struct Words {
    pub title: &'static str,
    pub meaning: String,
    pub formula: &'static str,
}

/// `values` is what the sensitive column is called.
pub fn words(model: &ModelDemand, values: &str) -> Words {
    let (title, meaning, formula) = match model {
        ModelDemand::KAnonymity { k } => (
            "k-anonymity",
            format!("Every person looks like at least {}.", counted(u64::from(k.saturating_sub(1)), "other")),
            "|class| ≥ k",
        ),
        ModelDemand::DistinctL { l } => (
            "Distinct ℓ-diversity",
            format!("In every group at least {l} different values of {values}."),
            "m ≥ ℓ, m the number of different values in the class",
        ),
        ModelDemand::EntropyL { .. } => (
            "Entropy ℓ-diversity",
            format!("In every group {values} is spread as if ℓ values were equally likely."),
            "−Σ pᵢ ln pᵢ ≥ ln ℓ, with the entropy adjusted for values that may be known",
        ),
        ModelDemand::RecursiveCL { l, .. } => (
            "Recursive (c, ℓ)-diversity",
            format!("In every group at least {l} values of {values}, none overwhelming."),
            "r₁ < c · (r_ℓ + … + r_m), with counts r₁ ≥ r₂ ≥ … ≥ r_m; values that may be known are set apart (Def. 4.3), and each value nobody may be cleared of has at least c₂ % of every class (Def. 4.4)",
        ),
        ModelDemand::TauL { .. } => (
            "(τ, ℓ)-diversity",
            format!(
                "No value of {values} above share τ, and the most frequent together never above a line that reaches all only at ℓ values."
            ),
            "F(k) ≤ ψ(k) = τ + (1−τ)(k−1)/(ℓ−1) for k < ℓ; F(k) the k largest induced frequencies",
        ),
        ModelDemand::TCloseness { .. } => (
            "t-closeness",
            format!("In every group {values} is distributed almost as in the whole table."),
            "EMD(class, original table) ≤ t; equal: ½ Σ|p−q|; ordered: Σ|P−Q|/(m−1); hierarchical: by the height of the lowest common group",
        ),
        ModelDemand::PSensitive { p } => (
            "p-sensitive",
            format!("In every group at least {p} different values of {values}, beside k-anonymity."),
            "m ≥ p",
        ),
        ModelDemand::AlphaK { values: named, .. } => (
            "(α, k)-anonymity",
            if named.is_empty() {
                format!("No value of {values} has more than the share α of a group.")
            } else {
                format!("None of the chosen values of {values} has more than the share α of a group.")
            },
            "max rᵢ / |class| ≤ α",
        ),
    };
    Words { title, meaning, formula }
}

/// What can be added, each with numbers to begin with. `attribute` is the sensitive column it is put on.
pub fn catalogue(attribute: Option<&str>) -> Vec<Demand> {
    let on = |model: ModelDemand| Demand { model, attribute: attribute.map(str::to_owned), jointly: false };
    let none = Vec::new;
    vec![
        Demand::of_rows(5),
        on(ModelDemand::DistinctL { l: 3 }),
        on(ModelDemand::EntropyL { l: 2.0, dont_care: none() }),
        on(ModelDemand::RecursiveCL { c: 3.0, l: 2, dont_care: none(), no_negative: none(), c2: None }),
        on(ModelDemand::TauL { tau: 0.5, l: 3, weights: Default::default() }),
        on(ModelDemand::TCloseness { t: 0.3, distance: Distance::Equal }),
        on(ModelDemand::PSensitive { p: 2 }),
        on(ModelDemand::AlphaK { alpha: 0.5, values: none() }),
    ]
}

/// A preset of k, named for what it is used for.
pub struct Preset {
    pub k: u32,
    pub risk: &'static str,
    pub used_for: &'static str,
}

pub const PRESETS: [Preset; 4] = [
    Preset { k: 3, risk: "1/3", used_for: "sharing inside a trusted group" },
    Preset { k: 5, risk: "0.20", used_for: "research under an agreement" },
    Preset { k: 11, risk: "1/11", used_for: "clinical-trial data (taken for 0.09)" },
    Preset { k: 20, risk: "0.05", used_for: "public release of patient data" },
];
