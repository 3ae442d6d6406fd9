//! Pieces that know nothing of the feature they are used in.

mod drop_zone;
mod failure_box;
mod help;
mod spark;
mod task_bar;
mod virtual_table;

pub use drop_zone::DropZone;
pub use failure_box::FailureBox;
pub use help::Help;
pub use spark::Spark;
pub use task_bar::TaskBar;
pub use virtual_table::{ColumnHead, VirtualTable};
