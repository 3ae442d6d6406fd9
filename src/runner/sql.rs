//! `throng sql`: what a policy decides on a sample, as a script for the database that has the whole table.

use std::path::Path;

use clap::ValueEnum;

use super::{ask, open, policy_sources};
use crate::failure::Failure;
use crate::io::csv::ReadOptions;
use crate::protocol::{Request, Response};

#[derive(Clone, Copy, ValueEnum)]
pub enum Dialect {
    /// DuckDB, PostgreSQL, SQLite
    Standard,
    /// Spark SQL
    Spark,
}

pub fn run(policy: &Path, data: &Path, dialect: Dialect, table: String) -> Result<String, Failure> {
    let (engine, ..) = open(data, policy_sources(policy)?, ReadOptions::default())?;
    let in_policy = |failure: Failure| {
        if failure.place.file.is_none() { failure.in_file(&policy.display().to_string()) } else { failure }
    };
    ask(&engine, Request::Run, Vec::new()).map_err(in_policy)?;
    let dialect = match dialect {
        Dialect::Standard => crate::sql::Dialect::Standard,
        Dialect::Spark => crate::sql::Dialect::Spark,
    };
    match ask(&engine, Request::Sql { table, dialect }, Vec::new()).map_err(in_policy)? {
        Response::Text(script) => Ok(script),
        _ => Err(Failure::crashed("The engine gave an answer of another kind.")),
    }
}
