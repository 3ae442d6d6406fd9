//! What a person has set up: roles, hierarchies and limits of the columns, with undo; and the policy file of SPEC 8.

mod edit;
mod file;
mod history;
mod setup;
mod view;

pub use edit::{Edit, Repair, TreeChange};
pub use file::PolicyFile;
pub use history::History;
pub use setup::{ColumnSetup, Setup, Template};
pub use view::{ColumnView, HierarchyView, NodeView, SetupView, TreeView};
