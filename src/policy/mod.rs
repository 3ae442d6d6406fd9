//! What a person has set up: roles, hierarchies and limits of the columns, with undo; and the policy file of docs/spec.md §8.

mod algorithm;
mod carry;
mod decisions;
mod demand;
mod edit;
mod file;
mod history;
pub mod keys_once;
mod nearest;
mod reading;
mod recoding;
mod require;
mod safe_harbor;
mod setup;

pub use algorithm::{Algorithm, Attributes, Curve, Method, Metric, Refinement, Strategy};
pub use decisions::{Acceptance, Decisions, FindingKind};
pub use demand::{Demand, Distance, ModelDemand};
pub use edit::{Edit, Repair, TreeChange};
pub use file::{ColumnPolicy, PolicyFile};
pub use history::History;
pub use recoding::{Quasi, Sensitive, suppressible};
pub use require::Mistake;
pub use safe_harbor::{Provision, Standing, provisions};
pub use setup::{ColumnSetup, Missing, Setup, Template, with_sensitive};
