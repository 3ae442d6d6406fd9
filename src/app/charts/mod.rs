//! Charts of our own, in SVG or as tables: titled, reachable by keyboard, with the figures behind each.

mod bars;
mod constraint_graph;
mod cumulative;
mod heat;
mod lattice;
mod line;
mod pair_bars;
mod picture;
mod plot;
mod risks;
mod scatter;
mod shares;
mod treemap;

pub use bars::BarChart;
pub use constraint_graph::{ConstraintGraph, Edge, MOST_NAMED, Node, circle};
pub use cumulative::{Cumulative, CumulativeChart, Moved};
pub use heat::{HeatMap, Pages};
pub use lattice::LatticePicture;
pub use line::LineChart;
pub use pair_bars::PairBars;
pub use picture::SavePicture;
pub use plot::{Plot, small};
pub use risks::RiskChart;
pub use scatter::{Scatter, ScatterPoint};
pub use shares::ShareChart;
pub use treemap::Treemap;
