//! The papers' examples, figures and theorems, one function for each item of the checklist; README.md lists them.

mod constrained_k_anonymity;
mod diva;
mod diversity_constraints;
mod l_delta_diversity;
mod l_delta_diversity_simulation;
mod l_diversity;
mod l_diversity_attacks;
mod tau_l_diversity;
mod tau_l_sweep;

#[path = "../support/mod.rs"]
mod support;
