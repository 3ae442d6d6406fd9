//! Pieces that know nothing of the feature they are used in.

mod drop_zone;
mod failure_box;
mod help;
mod task_bar;

pub use drop_zone::DropZone;
pub use failure_box::FailureBox;
pub use help::Help;
pub use task_bar::TaskBar;
