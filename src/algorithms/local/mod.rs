//! Local recoding: rows are divided into classes, and each class shows the lowest nodes above its values.
pub mod clusters;
pub mod demands;
pub mod merging;
pub mod nearby;
pub mod problem;
pub mod space;
mod recode;
pub use recode::recode;
