//! What differs between engines: quotes, and the names of types and functions.
//!
//! Guarantee: names and values can't end the text or identifier they stand in.

use serde::{Deserialize, Serialize};

use super::count::accepted;
use crate::table::Column;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// DuckDB, PostgreSQL, SQLite.
    #[default]
    Standard,
    Spark,
}

impl Dialect {
    pub fn identifier(self, name: &str) -> String {
        match self {
            Dialect::Standard => format!("\"{}\"", name.replace('"', "\"\"")),
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
        }
    }

    pub fn text(self, value: &str) -> String {
        match self {
            Dialect::Standard => format!("'{}'", value.replace('\'', "''")),
            // Spark reads two neighbouring texts as one, so that '' would be lost.
            Dialect::Spark => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    }

    pub fn texts<'a>(self, values: impl IntoIterator<Item = &'a str>) -> String {
        values.into_iter().map(|value| self.text(value)).collect::<Vec<_>>().join(", ")
    }

    /// A column's cell as text.
    pub fn as_text(self, column: &str) -> String {
        let kind = match self {
            Dialect::Standard => "VARCHAR",
            Dialect::Spark => "STRING",
        };
        format!("CAST({column} AS {kind})")
    }

    /// A figure as a binary floating-point number.
    pub fn as_double(self, figure: &str) -> String {
        let kind = match self {
            Dialect::Standard => "DOUBLE PRECISION",
            Dialect::Spark => "DOUBLE",
        };
        format!("CAST({figure} AS {kind})")
    }

    /// Exactly this number: as a plain literal, engines would take it for a decimal of a length of their own.
    pub fn number(self, number: f64) -> String {
        self.as_double(&format!("'{number:e}'"))
    }

    /// The cell of a column as models see it: of all missing tokens, and of NULL, the first.
    pub fn value(self, cell: &str, column: &Column) -> String {
        let text = self.as_text(cell);
        match column.missing.first() {
            None => text,
            Some(&first) => {
                let first = column.dictionary.text(first);
                let tokens = self.texts(accepted(column, first).iter());
                format!("CASE WHEN {cell} IS NULL OR {text} IN ({tokens}) THEN {} ELSE {text} END", self.text(first))
            }
        }
    }

    /// `CREATE TABLE name AS`.
    pub fn create(self, name: &str) -> String {
        match self {
            Dialect::Standard => format!("CREATE TABLE {name} AS"),
            Dialect::Spark => format!("CREATE TABLE {name} USING PARQUET AS"),
        }
    }
}
