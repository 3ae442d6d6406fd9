//! Algorithms that make a release; each says in its own file what it guarantees.

pub mod greedy_generalize;
pub mod diva;
pub mod greedy_cka;
pub mod k_member;
pub mod lattice;
pub mod local;
pub mod mondrian;
pub mod one_d;
pub mod refinement;
pub mod sweep;
