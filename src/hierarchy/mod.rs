//! Hierarchies (taxonomies): a tree over a column's values, what may be built of it, and its limits.

mod edit;
mod limits;
mod range_minimum;
mod tree;

pub use edit::EditError;
pub use limits::Limits;
pub use tree::{Binding, Hierarchy, NodeId, ROOT, TreeError};
