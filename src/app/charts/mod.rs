//! Charts of our own, in SVG or as tables: titled, reachable by keyboard, with the figures behind each.

mod bars;
mod heat;
mod line;
mod shares;

pub use bars::BarChart;
pub use heat::HeatMap;
pub use line::LineChart;
pub use shares::ShareChart;
