//! Linkage (docs/spec.md §5, after (ℓ,δ)-diversity): what several releases tell together, and a plan that survives it.
//!
//! The attack: [`cells`] reads what releases of any tool show, [`releases`] puts their rows into classes, [`link`] links
//! everyone and [`person`] one person; [`worst_case`] says how bad it can be. The mechanism: [`crate::classes::joint`] estimates
//! P(Q,S), [`mechanism`] chooses p and N, [`calculator`] answers for assumed shapes, [`plan`] is the file, [`apply`] makes a release by it, and [`simulate`] shows the
//! promise beside what happens. [`door`] is where the engine asks.

pub mod apply;
pub mod calculator;
pub mod cells;
pub mod describe;
pub mod domain;
pub mod door;
pub mod index;
pub mod known;
pub mod link;
pub mod mechanism;
pub mod order;
pub mod person;
pub mod plan;
pub mod releases;
pub mod simulate;
pub mod worst_case;
