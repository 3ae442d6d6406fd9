//! Local recoding: rows are divided into classes, and each class shows the lowest nodes above its values.
//!
//! [`recode`] is the entry. It works on [`space::Space`], the distinct tuples with counts, and makes
//! [`clusters::Clusters`] of them by one of the algorithms beside this module; [`demands::Demands`] says which clusters
//! hold, [`nearby::Nearby`] finds clusters near each other, and [`merging`] mends what fails.
//! Guarantee: every class of a release meets every requirement and every limit, and no more rows are suppressed than
//! allowed; the same problem and seed give the same release on every target. Where all rows of the same limits hold
//! together, there always is a release.

pub mod clusters;
pub mod demands;
pub mod draft;
pub mod merging;
pub mod nearby;
mod problem;
mod recode;
pub mod space;
pub mod targets;

pub use problem::{Algorithm, Measure, Mode, Outcome, Problem};
pub use recode::{prepare, recode, refused};
