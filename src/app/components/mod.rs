//! Pieces that know nothing of the feature they are used in.

mod drop_zone;
mod failure_box;
mod help;
mod no_table;
mod number_field;
mod saved;
mod short;
mod slider;
mod spark;
mod tabs;
mod task_bar;
mod text_field;
mod value_picker;
mod virtual_table;

pub use drop_zone::DropZone;
pub use failure_box::FailureBox;
pub use help::Help;
pub use no_table::NoTable;
pub use number_field::NumberField;
pub use saved::saved_file;
pub use short::{button, failed, heads, option, says};
pub use slider::Slider;
pub use spark::Spark;
pub use tabs::{TAB_PANEL, Tabs, tab_id};
pub use task_bar::TaskBar;
pub use text_field::TextField;
pub use value_picker::ValuePicker;
pub use virtual_table::{ColumnHead, VirtualTable};
