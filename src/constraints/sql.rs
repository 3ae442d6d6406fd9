//! Validation in a database (§3.1): SQL that counts a constraint's rows and says whether it holds.
//!
//! Standard SQL as DuckDB, PostgreSQL and SQLite take it: "identifiers" and 'texts' with their quotes doubled. Spark SQL
//! takes identifiers in backticks, escapes with \ inside texts, and calls text STRING. Cells are compared as text, so that
//! a column that the database took for numbers can be held against a group such as 20-29. A missing value is any token
//! that the original has for it, or NULL, as databases read empty cells.
//! Guarantee: names and values can't end the text or identifier they stand in.

use super::Dialect;
use super::count::accepted;
use super::{Constraint, Target};
use crate::table::Table;

/// Queries in one UNION at most; SQLite takes 500.
const MOST_TERMS: usize = 250;

/// The condition of the rows that show a constraint's values. `original` is the table that it is bound to.
fn condition(constraint: &Constraint, original: &Table, dialect: Dialect) -> String {
    let target = |Target { column, value }: &Target| {
        let original = &original.columns[*column];
        let name = dialect.identifier(&original.name);
        let texts = accepted(original, value);
        let quoted = dialect.texts(texts.iter());
        let cell = dialect.as_text(&name);
        match texts.is_missing() {
            true => format!("({name} IS NULL OR {cell} IN ({quoted}))"),
            false => format!("{cell} = {quoted}"),
        }
    };
    constraint.target.iter().map(target).collect::<Vec<_>>().join(" AND ")
}

/// A query with one row: the constraint's place in the policy, its count in the table `from`, and whether (1 or 0) it holds.
pub fn validation(place: usize, constraint: &Constraint, original: &Table, from: &str, dialect: Dialect) -> String {
    let least = format!("COUNT(*) >= {}", constraint.least);
    let most = constraint.most.map(|most| format!(" AND COUNT(*) <= {most}")).unwrap_or_default();
    format!(
        "SELECT {place} AS diversity, COUNT(*) AS shown, CASE WHEN {least}{most} THEN 1 ELSE 0 END AS holds\n\
         FROM {}\nWHERE {}",
        dialect.identifier(from),
        condition(constraint, original, dialect)
    )
}

/// One query with a row for every constraint, by its place in the policy.
pub fn validations<'a>(
    constraints: impl Iterator<Item = (usize, &'a Constraint)>,
    original: &Table,
    from: &str,
    dialect: Dialect,
) -> String {
    let one = |(place, constraint)| validation(place, constraint, original, from, dialect);
    let all: Vec<String> = constraints.map(one).collect();
    let together = |queries: &[String]| queries.join("\nUNION ALL\n");
    match all.len() {
        0 => String::new(),
        1 => together(&all) + ";\n",
        2..=MOST_TERMS => together(&all) + "\nORDER BY diversity;\n",
        _ => {
            let part = |(number, queries): (usize, &[String])| {
                format!("SELECT * FROM (\n{}\n) AS part{number}", together(queries))
            };
            let parts: Vec<String> = all.chunks(MOST_TERMS).enumerate().map(part).collect();
            together(&parts) + "\nORDER BY diversity;\n"
        }
    }
}
