//! What a person has set up: roles, hierarchies and limits of the columns, with undo; and the policy file of SPEC 8.

mod algorithm;
mod carry;
mod checked;
mod demand;
mod edit;
mod feasible;
mod file;
mod history;
pub mod keys_once;
mod nearest;
mod reading;
mod require;
mod safe_harbor;
mod setup;
mod view;

pub use algorithm::{Algorithm, Attributes, Method};
pub use checked::{Checked, suppressible};
pub use demand::{Demand, Distance, ModelDemand};
pub use edit::{Edit, Repair, TreeChange};
pub use feasible::{Prospect, TauLRange, with_sensitive};
pub use file::{ColumnPolicy, PolicyFile};
pub use history::History;
pub use require::Mistake;
pub use safe_harbor::{Provision, Standing, provisions};
pub use setup::{ColumnSetup, Missing, Setup, Template};
pub use view::{ColumnView, DemandView, HierarchyView, NodeView, SetupView, TreeView};
