//! Models as conditions on the classes of a table in a database.
//!
//! A class's histogram of a sensitive column is a row for each of its values: the value `v`, its count `n`, the rows `size`
//! of the class, the `place` of the value among them by count, and where it is asked for the value's `share` of the whole
//! table. The conditions are those of [`crate::privacy`], with the same tolerance, for cells that are values. Groups and
//! unknown cells (docs/models.md) are not told: where the sample has them, the script is refused, and a class of the database
//! that shows one fails.

use super::Dialect;
use crate::failure::Failure;
use crate::hierarchy::Hierarchy;
use crate::policy::{Demand, Distance, Missing, ModelDemand, Setup};
use crate::privacy::TOLERANCE;
use crate::table::MISSING_TOKENS;
use crate::table::{Role, Table};

/// A demand on one column (or on the rows alone).
pub struct Condition {
    /// Its place in the policy.
    pub demand: usize,
    pub model: &'static str,
    pub looks: Looks,
    /// What a class achieves, and whether it holds, as expressions over its histogram.
    pub figure: String,
    pub holds: String,
    /// The worst of the classes' figures.
    pub worst: &'static str,
}

/// What of a class conditions look at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Looks {
    /// The sensitive column; `None` where only the rows are counted.
    pub column: Option<usize>,
    /// Whether the other sensitive columns are known.
    pub jointly: bool,
    /// Whether the histogram needs the shares of the whole table.
    pub shares: bool,
}

impl Looks {
    pub const AT_ROWS: Looks = Looks { column: None, jointly: false, shares: false };
}

/// The policy's demands, each on each of its columns.
pub fn conditions(setup: &Setup, table: &Table, dialect: Dialect) -> Result<Vec<Condition>, Failure> {
    let mut conditions = Vec::new();
    for (place, demand) in setup.privacy.iter().enumerate() {
        let is_asked = |column: &usize| {
            let named = demand.attribute.as_ref().is_none_or(|name| table.columns[*column].name == *name);
            setup.columns[*column].role == Role::Sensitive && named
        };
        let columns: Vec<Option<usize>> = match demand.model {
            ModelDemand::KAnonymity { .. } => vec![None],
            _ => (0..table.columns.len()).filter(is_asked).map(Some).collect(),
        };
        for column in columns {
            if let Some(column) = column.filter(|&column| setup.cells(table, column).is_some()) {
                let name = &table.columns[column].name;
                return Err(Failure::refused(
                    format!(
                        "Column “{name}” has cells that are groups or unknown, for which the policy's privacy[{place}] ({}) \
                         is not told in SQL.",
                        demand.model.name()
                    ),
                    "Use `throng run` on the whole table, or set \"missing\": \"value\" if missing is a value of its own.",
                ));
            }
            let condition = condition(demand, place, column.map(|column| Asked { column, setup, table }), dialect);
            conditions.push(condition.ok_or_else(|| not_told(demand, place))?);
        }
    }
    Ok(conditions)
}

fn not_told(demand: &Demand, place: usize) -> Failure {
    Failure::refused(
        format!("The policy's privacy[{place}] ({} of this kind) is not told in SQL.", demand.model.name()),
        "Leave it out of this policy, or use `throng run` on the whole table.",
    )
}

/// The sensitive column that is asked about.
#[derive(Clone, Copy)]
struct Asked<'a> {
    column: usize,
    setup: &'a Setup,
    table: &'a Table,
}

impl Asked<'_> {
    /// The values that a demand names, as the histogram has them; `None` if one is a group.
    fn named(&self, values: &[String]) -> Option<Vec<String>> {
        let column = &self.table.columns[self.column];
        let missing: Vec<&str> = column.missing.iter().map(|&code| column.dictionary.text(code)).collect();
        let groups = groups(self.setup, self.table, self.column);
        let named = |value: &String| match missing.first() {
            Some(&first) if missing.contains(&value.as_str()) => Some(first.to_owned()),
            _ => Some(value.clone()).filter(|value| !groups.contains(value)),
        };
        values.iter().map(named).collect()
    }
}

/// The texts that name groups of a sensitive column.
fn groups(setup: &Setup, table: &Table, place: usize) -> Vec<String> {
    let column = &table.columns[place];
    let is_missing = |text: &str| column.missing.iter().any(|&code| column.dictionary.text(code) == text);
    let labels = |tree: &Hierarchy| {
        let inner = (0..tree.len() as u32).filter(|&node| !tree.is_leaf(node));
        inner.map(|node| tree.label(node).to_owned()).collect()
    };
    let mut texts: Vec<String> = match &setup.columns[place].template {
        Some(template) => labels(&template.tree),
        None => vec!["*".to_owned()],
    };
    texts.retain(|text| !is_missing(text));
    texts
}

/// Whether `v` is the text of a group or of an unknown cell, which no histogram may have. The sample has none of them.
fn is_open(setup: &Setup, table: &Table, place: usize, dialect: Dialect, v: &str) -> String {
    let mut texts = groups(setup, table, place);
    if setup.columns[place].missing == Missing::Unknown {
        // NULL is one of them.
        let values = &table.columns[place].dictionary;
        let is_value = |token: &&str| values.iter().any(|value| value == *token);
        texts.extend(MISSING_TOKENS.iter().filter(|token| !is_value(token)).map(|&token| token.to_owned()));
    }
    match texts.as_slice() {
        [] => "1 = 0".to_owned(),
        texts => format!("{v} IN ({})", dialect.texts(texts.iter().map(String::as_str))),
    }
}

/// `None` where the model is not told in SQL.
fn condition(demand: &Demand, place: usize, asked: Option<Asked<'_>>, dialect: Dialect) -> Option<Condition> {
    let number = |number: f64| dialect.number(number);
    let double = |figure: &str| dialect.as_double(figure);
    let size = double("MAX(size)");
    let tolerated = |bound: f64| if bound > 1.0 { bound * TOLERANCE } else { TOLERANCE };
    let at_least = |figure: &str, bound: f64| format!("{figure} >= {}", number(bound - tolerated(bound)));
    let at_most = |figure: &str, bound: f64| format!("{figure} <= {}", number(bound + tolerated(bound)));
    let mut shares = false;
    let (figure, holds, worst) = match &demand.model {
        // Counted from the rows of the class, which need no histogram.
        ModelDemand::KAnonymity { k } => ("COUNT(*)".to_owned(), format!("COUNT(*) >= {k}"), "MIN"),
        ModelDemand::DistinctL { l: least } | ModelDemand::PSensitive { p: least } => {
            ("COUNT(*)".to_owned(), format!("COUNT(*) >= {least}"), "MIN")
        }
        ModelDemand::EntropyL { l, dont_care } if dont_care.is_empty() => {
            // e^H, the same way as in the engine.
            let figure = format!("{size} / EXP(SUM({n} * LN({n})) / {size})", n = double("n"));
            let holds = at_least(&figure, *l);
            (figure, holds, "MIN")
        }
        ModelDemand::RecursiveCL { l: 0 | 1, dont_care, no_negative, .. }
            if dont_care.is_empty() && no_negative.is_empty() =>
        {
            ("0".to_owned(), "1 = 1".to_owned(), "MAX")
        }
        ModelDemand::RecursiveCL { c, l, dont_care, no_negative, .. }
            if dont_care.is_empty() && no_negative.is_empty() =>
        {
            let tail = double(&format!("SUM(CASE WHEN place >= {l} THEN n ELSE 0 END)"));
            let count = double("MAX(n)");
            let holds = format!("{count} * {} < {} * {tail}", number(1.0 + TOLERANCE), number(*c));
            (format!("{count} / NULLIF({tail}, 0)"), holds, "MAX")
        }
        ModelDemand::AlphaK { alpha, values } => {
            let counted = match values.as_slice() {
                [] => "n".to_owned(),
                values => {
                    let values = asked?.named(values)?;
                    let values = dialect.texts(values.iter().map(String::as_str));
                    format!("CASE WHEN v IN ({values}) THEN n ELSE 0 END")
                }
            };
            let figure = format!("{} / {size}", double(&format!("MAX({counted})")));
            let holds = at_most(&figure, *alpha);
            (figure, holds, "MAX")
        }
        ModelDemand::TCloseness { t, distance: Distance::Equal } => {
            shares = true;
            // Half of the differences, which is what the more frequent values have too much.
            let more = format!("{} / size - share", double("n"));
            let figure = format!("SUM(CASE WHEN {more} > 0 THEN {more} ELSE 0 END)");
            let holds = at_most(&figure, *t);
            (figure, holds, "MAX")
        }
        _ => return None,
    };
    let model = demand.model.name();
    let holds = match asked.map(|Asked { column, setup, table }| is_open(setup, table, column, dialect, "v")) {
        None => holds,
        Some(is_open) => format!("{holds} AND MAX(CASE WHEN {is_open} THEN 1 ELSE 0 END) = 0"),
    };
    let looks = Looks { column: asked.map(|asked| asked.column), jointly: demand.jointly, shares };
    Some(Condition { demand: place, model, looks, figure, holds, worst })
}

/// Classes, to be asked for their quasi-identifiers `q1, q2, …` or for figures of their histograms.
pub struct Grouping {
    /// The quasi-identifiers, to be selected.
    pub quasi: String,
    /// `FROM … GROUP BY …`.
    pub of: String,
}

/// Where histograms are taken: the table of the database, what of it, and the names there.
pub struct Source<'a> {
    pub dialect: Dialect,
    pub table: &'a Table,
    pub setup: &'a Setup,
    /// The quasi-identifiers that tell classes apart, by their places.
    pub keys: Vec<usize>,
    /// The table as it came, in which shares are counted.
    pub original: &'a str,
}

impl Source<'_> {
    /// A column of the table named `of`.
    pub fn cell(&self, of: &str, place: usize) -> String {
        format!("{of}.{}", self.dialect.identifier(&self.table.columns[place].name))
    }

    /// The value of a column as models see it.
    fn value(&self, of: &str, place: usize) -> String {
        let cell = self.cell(of, place);
        let value = self.dialect.value(&cell, &self.table.columns[place]);
        // A database may have NULL where the sample has nothing missing.
        format!("COALESCE({value}, '')")
    }

    /// Rows that have a class.
    fn known(&self) -> String {
        let known = |&place: &usize| format!("{} IS NOT NULL", self.cell("r", place));
        self.keys.iter().map(known).collect::<Vec<_>>().join(" AND ")
    }

    /// The classes of the table `from`, as conditions look at them.
    pub fn classes(&self, from: &str, looks: Looks) -> Grouping {
        let mut keys: Vec<String> = self.keys.iter().map(|&place| self.cell("r", place)).collect();
        let mut names: Vec<String> = (1..=keys.len()).map(|number| format!("q{number}")).collect();
        let named = |keys: &[String], names: &[String]| {
            let named: Vec<String> = keys.iter().zip(names).map(|(key, name)| format!("{key} AS {name}")).collect();
            named.join(", ")
        };
        let known = self.known();
        let Some(column) = looks.column else {
            let of = format!("FROM {from} r WHERE {known} GROUP BY {}", keys.join(", "));
            return Grouping { quasi: named(&keys, &names), of };
        };
        let quasi = names.join(", ");
        if looks.jointly {
            // Definition 4.6: the other sensitive columns are known, too.
            let other = |&place: &usize| self.setup.columns[place].role == Role::Sensitive && place != column;
            for (number, place) in (1..).zip((0..self.table.columns.len()).filter(other)) {
                keys.push(self.value("r", place));
                names.push(format!("o{number}"));
            }
        }
        let (value, by) = (self.value("r", column), names.join(", "));
        let (shares, share) = match looks.shares {
            false => (String::new(), ""),
            true => (self.shares(column), ", t.share"),
        };
        let of = format!(
            "FROM (\n  SELECT c.*{share}, SUM(n) OVER (PARTITION BY {by}) AS size,\n    \
             ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY n DESC, c.v) AS place\n  \
             FROM (SELECT {}, {value} AS v, COUNT(*) AS n FROM {from} r WHERE {known} GROUP BY {}, {value}) c{shares}\n\
             ) h GROUP BY {by}",
            named(&keys, &names),
            keys.join(", ")
        );
        Grouping { quasi, of }
    }

    /// The share of each value in the table as it came.
    fn shares(&self, column: usize) -> String {
        let (value, original) = (self.value("d", column), self.original);
        // Groups and unknown cells are left out of the table's distribution.
        let is_open = is_open(self.setup, self.table, column, self.dialect, &value);
        let all = format!("NULLIF(COUNT(CASE WHEN NOT ({is_open}) THEN 1 END), 0)");
        let share = format!(
            "{} / (SELECT {} FROM {original} d)",
            self.dialect.as_double("COUNT(*)"),
            self.dialect.as_double(&all)
        );
        format!("\n  JOIN (SELECT {value} AS v, {share} AS share FROM {original} d GROUP BY {value}) t ON t.v = c.v")
    }
}
