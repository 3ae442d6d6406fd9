//! Hierarchies (taxonomies): a tree over a column's values, how it is built, read and edited, and its limits.

pub mod arx;
mod build;
mod edit;
mod limits;
mod range_minimum;
mod slips;
mod tree;
mod values;

pub use build::{BuildError, DateLevel, Recipe, build, suggest};
pub use edit::EditError;
pub use limits::Limits;
pub use slips::{Slip, SlipKind};
pub use tree::{Binding, Hierarchy, NodeId, ROOT, TreeError};
