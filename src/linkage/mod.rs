//! Linkage (SPEC 5, after (ℓ,δ)-diversity): what several releases tell together, and a plan that survives it.

pub mod cells;
pub mod distribution;
pub mod domain;
pub mod index;
pub mod worst_case;
