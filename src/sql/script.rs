//! The script: maps, the recoded table, the classes that hold, the release, the checks.
//!
//! It leaves two tables behind, `release` and `throng_checks`; what it needs on the way are views of the session and one
//! table that it drops. It never drops a table that it did not make itself, so that it stops where `release` is there
//! already. The release is sorted by what its rows show, as the engine's own: its order says nothing that they do not.

use std::fmt::Write;

use super::Dialect;
use super::models::{Condition, Looks, Source, conditions};
use super::recoding::{Map, Recoding, least_rows, recoding};
use crate::constraints::sql::validation;
use crate::constraints::{Distinct, repeats};
use crate::failure::Failure;
use crate::policy::Setup;
use crate::privacy::TOLERANCE;
use crate::resolved_policy::ResolvedPolicy;
use crate::run::Run;
use crate::table::{Role, Table};

/// The table that the script makes.
const RELEASE: &str = "release";

/// A script that does to the table `from` of a database what `run` did to its sample `table`.
pub fn script(table: &Table, run: &Run, from: &str, dialect: Dialect) -> Result<String, Failure> {
    let setup: &Setup = &run.setup;
    let quasi: Vec<usize> = setup.quasi_identifiers().collect();
    if !sensitive_as_they_were(table, run) {
        let what = "A sensitive column was generalized row by row, which no table of values can say.";
        return Err(Failure::refused(what, "Use an algorithm that leaves sensitive columns as they are."));
    }
    let constraints = ResolvedPolicy::new(setup, table)?.constraints;
    let recoding = recoding(table, run, &quasi)?;
    let original = dialect.identifier(from);
    let source = Source { dialect, table, setup, keys: keys(&quasi, &recoding), original: &original };
    let conditions = conditions(setup, table, dialect)?;
    let mut script = Script { source, quasi: &quasi, text: String::new() };
    script.header(&recoding);
    script.recoded(&recoding);
    script.released(&conditions);
    let distinct = Distinct::new(&constraints);
    let constraint = |&place: &usize| (place, validation(place, &constraints[place], table, RELEASE, dialect));
    let validations: Vec<(usize, String)> = distinct.first.iter().map(constraint).collect();
    script.repeated(&distinct);
    script.checks(&conditions, &validations);
    Ok(script.text)
}

/// The quasi-identifiers that tell classes apart: not those that show the same everywhere, unless all do.
fn keys(quasi: &[usize], recoding: &Recoding) -> Vec<usize> {
    let Recoding::FullDomain(maps) = recoding else { return quasi.to_vec() };
    let varies = |(_, map): &(&usize, &Map)| matches!(map, Map::Values(..));
    let keys: Vec<usize> = quasi.iter().zip(maps).filter(varies).map(|(&place, _)| place).collect();
    if keys.is_empty() { quasi.iter().take(1).copied().collect() } else { keys }
}

/// Whether no sensitive cell was generalized.
fn sensitive_as_they_were(table: &Table, run: &Run) -> bool {
    let released = |name: &str| run.output.columns.iter().find(|column| column.name == name);
    run.setup.columns.iter().zip(&table.columns).filter(|(setup, _)| setup.role == Role::Sensitive).all(
        |(_, column)| {
            released(&column.name).is_some_and(|released| {
                run.row_of.iter().enumerate().all(|(output, &row)| released.text(output) == column.text(row as usize))
            })
        },
    )
}

struct Script<'a> {
    source: Source<'a>,
    /// The quasi-identifiers, by their places.
    quasi: &'a [usize],
    text: String,
}

impl Script<'_> {
    fn say(&mut self, statement: &str) {
        self.text.push_str(statement);
        self.text.push_str(";\n\n");
    }

    /// Lines of the policy that have no check of their own.
    fn repeated(&mut self, distinct: &Distinct) {
        let same_as = (0..distinct.of.len()).map(|place| distinct.same_as(place));
        let sentences = repeats(same_as);
        for sentence in &sentences {
            let _ = writeln!(self.text, "-- Diversity constraints: {sentence} They are checked once.");
        }
        if !sentences.is_empty() {
            self.text.push('\n');
        }
    }

    /// No names or values of the data: a line break in one would end the comment. No quotes or semicolons either, which
    /// some tools read in comments.
    fn header(&mut self, recoding: &Recoding) {
        let (rows, least) = (self.source.table.rows, least_rows(self.source.setup));
        let _ = writeln!(
            self.text,
            "-- Made by Throng from a sample of {rows} rows. It lists values of the sample: keep it as safe as the data itself.\n\
             -- Values that fewer than {least} rows of the sample have are not listed, unless the policy itself names them;\n\
             -- texts that stand for missing cells are, however few have them."
        );
        let lines: &[&str] = match recoding {
            Recoding::FullDomain(_) => &[
                "-- Full-domain recoding: each quasi-identifier is shown on one level of its hierarchy.",
                "-- Values that are not listed, and those that the sample has not, are shown as the top of the hierarchy.",
                "-- In columns with limits, that may not be: there, their rows are left out.",
            ],
            Recoding::Classes(_) => &[
                "-- Local recoding: each tuple of quasi-identifiers becomes what its class in the sample became.",
                "-- Tuples that the sample has not, that were suppressed there, or that have a value that is not listed,",
                "-- are unknown: their rows are left out.",
            ],
        };
        for line in lines {
            let _ = writeln!(self.text, "{line}");
        }
        self.text.push_str(
            "-- So even of the sample itself, this release may show less, and have fewer rows, than the one it was made with.\n",
        );
        self.text.push_str(
            "-- Classes of the whole table that fail the privacy models are left out as well.\n\
             -- Columns are compared as text, so that numbers must look as they did in the sample. NULL is a missing value.\n\
             -- Publish the table release only if every row of throng_checks has holds = 1.\n\n",
        );
    }

    /// The whole table with its quasi-identifiers recoded; where one is unknown, they are NULL.
    fn recoded(&mut self, recoding: &Recoding) {
        let dialect = self.source.dialect;
        let (table, quasi) = (self.source.table, self.quasi);
        let key = |place: usize| dialect.value(&self.source.cell("d", place), &table.columns[place]);
        let mut joins = String::new();
        let mut views: Vec<String> = Vec::new();
        let mut label: Vec<String> = Vec::new();
        match recoding {
            Recoding::FullDomain(maps) => {
                for (number, (&place, map)) in (1..).zip(quasi.iter().zip(maps)) {
                    match map {
                        Map::All(text) => label.push(dialect.text(text)),
                        Map::Values(map, otherwise) => {
                            let rows = map.iter().map(|(value, label)| [value.as_str(), label.as_str()]);
                            views.push(view(dialect, number, "v1, l1", rows));
                            let _ = write!(joins, "\nLEFT JOIN throng_map_{number} m{number} ON m{number}.v1 = ");
                            joins.push_str(&key(place));
                            label.push(match otherwise {
                                Some(text) => format!("COALESCE(m{number}.l1, {})", dialect.text(text)),
                                None => format!("m{number}.l1"),
                            });
                        }
                    }
                }
            }
            Recoding::Classes(tuples) => {
                let names = |letter: char| (1..=quasi.len()).map(move |number| format!("{letter}{number}"));
                let columns = names('v').chain(names('l')).collect::<Vec<_>>().join(", ");
                let row = |(values, labels): &'_ (Vec<String>, Vec<String>)| -> Vec<String> {
                    values.iter().chain(labels).cloned().collect()
                };
                views.push(view(dialect, 1, &columns, tuples.iter().map(row)));
                let equal = |(number, &place): (usize, &usize)| format!("m1.v{number} = {}", key(place));
                let equal: Vec<String> = (1..).zip(quasi).map(equal).collect();
                let _ = write!(joins, "\nLEFT JOIN throng_map_1 m1 ON {}", equal.join(" AND "));
                label.extend((1..=quasi.len()).map(|number| format!("m1.l{number}")));
            }
        }
        let column = |place: usize| {
            let cell = match quasi.iter().position(|&other| other == place) {
                Some(number) => label[number].clone(),
                None => self.source.cell("d", place),
            };
            format!("{cell} AS {}", dialect.identifier(&table.columns[place].name))
        };
        let columns: Vec<String> = self.columns().map(column).collect();
        let recoded = format!(
            "CREATE TEMPORARY VIEW throng_recoded AS\nSELECT {}\nFROM {} d{joins}",
            columns.join(", "),
            self.source.original
        );
        views.iter().for_each(|view| self.say(view));
        self.say(&recoded);
    }

    /// The columns that are released.
    fn columns(&self) -> impl Iterator<Item = usize> + use<'_> {
        let setup = self.source.setup;
        (0..setup.columns.len()).filter(|&place| setup.columns[place].role != Role::Identifier)
    }

    /// The classes that hold, and their rows.
    fn released(&mut self, conditions: &[Condition]) {
        let dialect = self.source.dialect;
        // Conditions that look at the same are asked at once: each question reads the whole table.
        let mut looked: Vec<(Looks, Vec<&str>)> = vec![(Looks::AT_ROWS, Vec::new())];
        for Condition { looks, holds, .. } in conditions {
            match looked.iter_mut().find(|(other, _)| other == looks) {
                Some((_, all)) => all.push(holds),
                None => looked.push((*looks, vec![holds])),
            }
        }
        let mut kept = String::new();
        for (looks, holds) in looked {
            let classes = self.source.classes("throng_recoded", looks);
            let _ = match looks == Looks::AT_ROWS {
                true if holds.is_empty() => write!(kept, "SELECT {} {}", classes.quasi, classes.of),
                true => write!(kept, "SELECT {} {} HAVING {}", classes.quasi, classes.of, holds.join(" AND ")),
                false => write!(
                    kept,
                    "\nEXCEPT\nSELECT {} {} HAVING NOT ({})",
                    classes.quasi,
                    classes.of,
                    holds.join(" AND ")
                ),
            };
        }
        self.say(&format!("{}\n{kept}", dialect.create("throng_kept")));
        if dialect == Dialect::Standard {
            // Else PostgreSQL guesses that there is one class, and reads the whole table anew for each.
            self.say("ANALYZE throng_kept");
        }
        let name = |place: usize| {
            let cell = self.source.cell("r", place);
            format!("{cell} AS {}", dialect.identifier(&self.source.table.columns[place].name))
        };
        let columns: Vec<String> = self.columns().map(name).collect();
        let same = |(number, &place): (usize, &usize)| format!("k.q{number} = {}", self.source.cell("r", place));
        let same: Vec<String> = (1..).zip(&self.source.keys).map(same).collect();
        // Of the quasi-identifiers those that tell classes apart, then the rest: all that a row shows, so that it does not
        // matter in which order the database found rows that show the same.
        let classes = (1..=self.source.keys.len()).map(|number| format!("k.q{number}"));
        let others = self.columns().filter(|place| !self.quasi.contains(place));
        let order: Vec<String> =
            classes.chain(others.map(|place| dialect.as_text(&self.source.cell("r", place)))).collect();
        let release = format!(
            "{}\nSELECT {}\nFROM throng_recoded r JOIN throng_kept k ON {}\nORDER BY {}",
            dialect.create(&dialect.identifier(RELEASE)),
            columns.join(", "),
            same.join(" AND "),
            order.join(", ")
        );
        self.say(&release);
    }

    /// One row for each thing that is asked, counted again on the release: `place` for the order, `asked`, what was
    /// `found`, how many classes (or other things) `fail`, and whether it `holds`.
    fn checks(&mut self, conditions: &[Condition], validations: &[(usize, String)]) {
        let dialect = self.source.dialect;
        let (release, original) = (dialect.identifier(RELEASE), self.source.original);
        let double = |figure: &str| dialect.as_double(figure);
        let unknown = |&place: &usize| format!("{} IS NULL", self.source.cell("r", place));
        let unknown: Vec<String> = self.source.keys.iter().map(unknown).collect();
        let limit = self.source.setup.suppression_limit.unwrap_or(0.0) * (1.0 + TOLERANCE);
        let mut checks = vec![
            format!(
                "SELECT 1 AS place, 'rows' AS asked, {} AS found, 0 AS fail, 1 AS holds FROM {original}",
                double("COUNT(*)")
            ),
            format!("SELECT 2, 'rows released', {}, 0, 1 FROM {release}", double("COUNT(*)")),
            format!(
                "SELECT 3, 'rows with unknown values', {}, 0, 1 FROM throng_recoded r WHERE {}",
                double("COUNT(*)"),
                unknown.join(" OR ")
            ),
            format!(
                "SELECT 4, 'rows suppressed', {}, 0, CASE WHEN s <= {} * t THEN 1 ELSE 0 END\nFROM (SELECT t.t, t.t - r.r AS s \
                 FROM (SELECT COUNT(*) AS t FROM {original}) t CROSS JOIN (SELECT COUNT(*) AS r FROM {release}) r) x",
                double("s"),
                dialect.number(limit)
            ),
        ];
        for condition in conditions {
            let asked = match condition.looks.column {
                None => format!("privacy[{}] {}", condition.demand, condition.model),
                Some(column) => format!(
                    "privacy[{}] {} of {}",
                    condition.demand, condition.model, self.source.table.columns[column].name
                ),
            };
            let classes = self.source.classes(&release, condition.looks).of;
            checks.push(format!(
                "SELECT {}, {}, {}, COUNT(CASE WHEN ok = 0 THEN 1 END), \
                 CASE WHEN COUNT(CASE WHEN ok = 0 THEN 1 END) = 0 THEN 1 ELSE 0 END\n\
                 FROM (SELECT {} AS figure, CASE WHEN {} THEN 1 ELSE 0 END AS ok {classes}) b",
                checks.len() + 1,
                dialect.text(&asked),
                double(&format!("{}(figure)", condition.worst)),
                condition.figure,
                condition.holds,
            ));
        }
        for (place, validation) in validations {
            checks.push(format!(
                "SELECT {}, 'diversity[{place}]', {}, 1 - holds, holds FROM ({validation}) c",
                checks.len() + 1,
                double("shown")
            ));
        }
        self.say(&format!("{}\n{}", dialect.create("throng_checks"), checks.join("\nUNION ALL\n")));
        self.say("DROP TABLE throng_kept");
        self.say("SELECT * FROM throng_checks ORDER BY place");
    }
}

/// A map as a view of the session.
fn view<R: IntoIterator<Item = S>, S: AsRef<str>>(
    dialect: Dialect,
    number: usize,
    columns: &str,
    rows: impl Iterator<Item = R>,
) -> String {
    let row = |cells: R| {
        let cells: Vec<String> = cells.into_iter().map(|cell| dialect.text(cell.as_ref())).collect();
        format!("({})", cells.join(", "))
    };
    let rows: Vec<String> = rows.map(row).collect();
    if rows.is_empty() {
        // Nothing was kept.
        let nothing: Vec<String> = columns.split(", ").map(|name| format!("'' AS {name}")).collect();
        return format!("CREATE TEMPORARY VIEW throng_map_{number} AS SELECT {} WHERE 1 = 0", nothing.join(", "));
    }
    format!("CREATE TEMPORARY VIEW throng_map_{number} ({columns}) AS VALUES\n{}", rows.join(",\n"))
}
