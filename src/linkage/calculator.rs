//! The mechanism's calculator: N for assumed shapes of P(S), and the curves of the paper's Figures 1 and 2.

use serde::{Deserialize, Serialize};

use super::mechanism::{Bound, check, class_bound, geometric, largest_useful, rows_needed, shown, uniform, whole_rows};
use crate::algorithms::greedy_generalize::independent_classes;
use crate::failure::Failure;
use crate::words::{counted, figure, grouped};

/// The calculator's question: no table, only the shape of P(S), or the session's table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MechanismQuestion {
    pub shape: Shape,
    /// Of the session's table: which sensitive column, of several.
    pub sensitive: Option<String>,
    /// |S| and |Q|; not regarded when the shape is the table's.
    pub values: u32,
    pub quasi: u64,
    pub l: u32,
    pub delta: f64,
    pub p: PGiven,
    /// What the plots compare: p as shares of p_ℓ, ℓ and δ.
    pub shares: Vec<f64>,
    pub ls: Vec<u32>,
    pub deltas: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Uniform,
    Geometric { ratio: f64 },
    Table,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PGiven {
    Exactly(f64),
    /// p = β·p_ℓ.
    Share(f64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MechanismView {
    pub values: u64,
    pub quasi: u64,
    /// P(S), the largest first.
    pub marginal: Vec<f64>,
    /// p_ℓ.
    pub largest_p: f64,
    pub p: f64,
    /// m, and which of the bounds it is.
    pub classes_at_most: f64,
    pub by: Bound,
    /// N as the formula gives it, and rounded up.
    pub needed: f64,
    pub rows: u64,
    /// ⌊p_ℓ/p⌋ of Corollary 4.8, and the classes that GENERALIZE-IND really makes of |Q| equally likely quasi-identifiers.
    pub corollary: u64,
    pub independent: u64,
    /// N by δ (Figures 1a, 2a), by p (Figure 1b) and by ℓ (Figure 2b).
    pub by_delta: Vec<Curve>,
    pub by_p: Vec<Curve>,
    pub by_l: Vec<Curve>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// As many curves as a plot has, and as many sensitive values as are calculated with.
const MOST_CURVES: usize = 8;
const MOST_VALUES: u32 = 100_000;

/// Answers the calculator, for P(S) from the largest to the least and |Q|.
pub fn calculate(question: &MechanismQuestion, marginal: Vec<f64>, quasi: u64) -> Result<MechanismView, Failure> {
    check(question.l, question.delta)?;
    let Some(largest) = largest_useful(&marginal, question.l) else {
        let what = format!("There are only {}, fewer than ℓ.", counted(marginal.len() as u64, "sensitive value"));
        return Err(Failure::impossible(what, "Ask for a smaller ℓ."));
    };
    let p = match question.p {
        PGiven::Exactly(p) => p,
        PGiven::Share(share) => share * largest,
    };
    if !(p > 0.0 && p <= largest * (1.0 + 1e-12)) {
        let what = format!("p must be above 0 and at most p_ℓ = {}.", shown(largest));
        return Err(Failure::impossible(what, "Choose another p or ℓ."));
    }
    let rows = |l: u32, delta: f64, p: f64| rows_needed(class_bound(quasi as f64, &marginal, l, p).0, l, delta, p);
    let (classes_at_most, by) = class_bound(quasi as f64, &marginal, question.l, p);
    let needed = rows(question.l, question.delta, p);
    let independent = independent_classes(quasi, 1.0, largest, p);
    let shares = || question.shares.iter().copied().filter(|share| *share > 0.0 && *share <= 1.0);
    let ls = || question.ls.iter().copied().filter(|&l| largest_useful(&marginal, l).is_some());
    let deltas = || question.deltas.iter().copied().filter(|delta| *delta > 0.0 && *delta < 1.0);
    let least = |l: u32| largest_useful(&marginal, l).unwrap_or(0.0);
    let curves = |curves: Vec<Curve>| curves.into_iter().take(MOST_CURVES).collect();
    let by_delta = shares().flat_map(|share| ls().map(move |l| (share, l))).map(|(share, l)| Curve {
        name: format!("β = {}, ℓ = {l}", figure(share)),
        points: (1..100).map(|step| f64::from(step) / 100.0).map(|at| (at, rows(l, at, share * least(l)))).collect(),
    });
    let by_p = deltas().flat_map(|delta| ls().map(move |l| (delta, l))).map(|(delta, l)| Curve {
        name: format!("δ = {}, ℓ = {l}", figure(delta)),
        points: (1..=100).map(|step| least(l) * f64::from(step) / 100.0).map(|at| (at, rows(l, delta, at))).collect(),
    });
    let by_l = shares().flat_map(|share| deltas().map(move |delta| (share, delta))).map(|(share, delta)| Curve {
        name: format!("β = {}, δ = {}", figure(share), figure(delta)),
        points: (1..=marginal.len().min(100) as u32)
            .filter(|&l| least(l) > 0.0)
            .map(|l| (f64::from(l), rows(l, delta, share * least(l))))
            .collect(),
    });
    let (by_delta, by_p, by_l) = (curves(by_delta.collect()), curves(by_p.collect()), curves(by_l.collect()));
    Ok(MechanismView {
        values: marginal.len() as u64,
        quasi,
        largest_p: largest,
        p,
        classes_at_most,
        by,
        needed,
        rows: whole_rows(needed),
        corollary: libm::floor(largest / p * (1.0 + 1e-12)) as u64,
        independent: independent.map_or(0, |(_, classes)| classes),
        by_delta,
        by_p,
        by_l,
        marginal,
    })
}

/// P(S) and |Q| of a question that names no table.
pub fn assumed(question: &MechanismQuestion) -> Result<(Vec<f64>, u64), Failure> {
    if !(1..=MOST_VALUES).contains(&question.values) || question.quasi == 0 || question.quasi > u64::from(u32::MAX) {
        let what = format!("|S| must be from 1 to {}, and |Q| at least 1.", grouped(MOST_VALUES.into()));
        return Err(Failure::policy(what, "Give how many sensitive values and quasi-identifiers there are."));
    }
    let marginal = match question.shape {
        Shape::Geometric { ratio } if !(ratio > 0.0 && ratio <= 1.0) => {
            return Err(Failure::policy(
                "ρ must be above 0 and at most 1.",
                "Give the ratio of two neighbours, like 0.95.",
            ));
        }
        Shape::Geometric { ratio } => geometric(question.values, ratio),
        Shape::Uniform | Shape::Table => uniform(question.values),
    };
    Ok((marginal, question.quasi))
}
