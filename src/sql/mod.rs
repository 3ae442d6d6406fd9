//! A release as SQL: what was decided on a sample here runs on a database there, for tables that don't fit a browser.
//!
//! [`script`] recodes a whole table as a [`Run`](crate::run::Run) recoded its sample ([`recoding`]), leaves out the classes
//! that fail a model ([`models`]), and then checks the models, the limit of suppression and the diversity constraints on
//! what came out. [`Dialect`] is what DuckDB, PostgreSQL and SQLite read alike, or Spark SQL.
//! Guarantee: on the table that the run was made from, the script's release has the rows of the run's, if every value of the
//! quasi-identifiers has at least as many rows as the policy's k. Rarer values are not named in the script, and are shown
//! as `*` or left out.

mod models;
mod recoding;
mod script;

pub use crate::constraints::Dialect;
pub use script::script;
