//! Our own charts: SVG coloured by the page's variables, each with its figures as a table for those who can't see it.

mod line;

pub use line::LineChart;
