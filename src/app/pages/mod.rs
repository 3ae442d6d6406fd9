//! One file a step.

mod data;

pub use data::DataPage;
