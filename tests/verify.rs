//! The verifier: an honest release passes, every corruption of it is refused by its name, and on random releases and
//! mutations it says what a re-implementation says that knows only lists of texts.
//!
//! `THRONG_CASES=100000 cargo test --release --test verify` tries more than the 2,000 random releases.

#![cfg(not(target_arch = "wasm32"))]

#[path = "verify/models.rs"]
mod models;
#[path = "verify/random.rs"]
mod random;
mod support;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::Still;
use throng::failure::{Failure, FailureKind};
use throng::policy::{PolicyFile, Setup};
use throng::progress::{Progress, Report, Sink, block_on};
use throng::release::{Release, SUPPRESSED};
use throng::resolved_policy::ResolvedPolicy;
use throng::table::{Column, DictionaryBuilder, Table};
use throng::verify::{Achieved, Offence, Unverified, Verified, verify};

const TOKENS: [&str; 2] = ["?", "NA"];

/// A table as texts, row by row.
#[derive(Clone, Debug, PartialEq)]
struct Texts {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Texts {
    fn parse(csv: &str) -> Texts {
        let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        Texts { names: lines.next().unwrap(), rows: lines.collect() }
    }

    fn of(table: &Table) -> Texts {
        let row = |row: usize| table.columns.iter().map(|column| column.text(row).to_owned()).collect();
        let names = table.columns.iter().map(|column| column.name.clone()).collect();
        Texts { names, rows: (0..table.rows).map(row).collect() }
    }

    fn table(&self) -> Table {
        let column = |(place, name): (usize, &String)| {
            let mut builder = DictionaryBuilder::default();
            let codes = self.rows.iter().map(|row| builder.code(row[place].as_bytes()).unwrap().code).collect();
            Column::new(name.clone(), builder.finish(), codes, &TOKENS.map(str::to_owned))
        };
        Table { columns: self.names.iter().enumerate().map(column).collect(), rows: self.rows.len() }
    }

    fn place(&self, name: &str) -> usize {
        self.names.iter().position(|other| other == name).unwrap()
    }

    fn values(&self, place: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[place].as_str())
    }
}

fn setup_of(policy: &Value, table: &Table) -> Result<Setup, Failure> {
    PolicyFile::parse(&policy.to_string())?.apply(table, &mut |_| unreachable!())
}

fn judge(original: &Table, setup: &Setup, output: &Table, row_of: &[u32]) -> Result<Verified, Unverified> {
    block_on(verify(original, setup, output, row_of, &Progress::new(&Still)))
}

// --- one honest release ----------------------------------------------------------------------

/// Four classes of four rows and one row to be suppressed. Missing values stand in every role.
const PEOPLE: &str = "\
name,age,zip,sex,diagnosis,income,ward
Ann,21,1011,f,Flu,low,north
Bea,22,1012,f,Flu,high,south
Cat,25,1011,f,Cough,low,north
Dia,28,1012,f,Cough,high,east
Eve,31,1021,f,Flu,low,north
Fay,22,1012,f,Cough,high,west
Gus,35,1011,m,Flu,high,south
Hal,31,1021,m,Cough,low,east
Ian,61,2011,m,Ulcer,low,north
Jon,65,2021,m,Ulcer,high,NA
Kim,65,2011,m,Flu,low,?
Leo,61,2021,m,Flu,high,west
Max,?,2011,NA,Flu,low,north
Ned,NA,2021,?,Flu,NA,south
Ola,NA,2011,?,Ulcer,low,north
Pam,?,2021,NA,Ulcer,?,east
Quin,65,1021,f,Rash,low,west";

/// What each class shows of age, zip and sex; the classes are the rows 0..4, 4..8, 8..12 and 12..16.
const SHOWN: [[&str; 3]; 4] =
    [["20-29", "101*", "f"], ["20-39", "1***", "*"], ["60-69", "2***", "m"], ["?", "2***", "?"]];

fn lines(paths: &[&str]) -> Vec<Vec<String>> {
    paths.iter().map(|path| path.split(' ').map(str::to_owned).collect()).collect()
}

fn policy() -> Value {
    let age = lines(&[
        "21 20-29 20-39 *",
        "22 20-29 20-39 *",
        "25 20-29 20-39 *",
        "28 20-29 20-39 *",
        "31 30-39 20-39 *",
        "35 30-39 20-39 *",
        "61 60-69 60-79 *",
        "65 60-69 60-79 *",
        "70 70-79 60-79 *",
    ]);
    let zip =
        lines(&["1011 101* 1*** *", "1012 101* 1*** *", "1021 102* 1*** *", "2011 201* 2*** *", "2021 202* 2*** *"]);
    let diagnosis = lines(&["Flu Respiratory *", "Cough Respiratory *", "Ulcer Digestive *", "Rash Skin *"]);
    json!({
        "throng": 1,
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi", "hierarchy": {"rows": age}, "limits": ["20-39", "60-69"]},
            "zip": {"role": "quasi", "hierarchy": {"rows": zip}, "from_level": 1},
            "sex": {"role": "quasi"},
            "diagnosis": {"role": "sensitive", "hierarchy": {"rows": diagnosis}},
            "income": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        "privacy": [
            {"model": "k-anonymity", "k": 4},
            {"model": "entropy-l-diversity", "attribute": "diagnosis", "l": 2.0},
            {"model": "distinct-l-diversity", "l": 2, "jointly": true},
        ],
        "suppression_limit": 0.06,
    })
}

/// A release that is to be judged.
struct Case {
    original: Texts,
    policy: Value,
    output: Texts,
    row_of: Vec<u32>,
}

impl Case {
    fn honest() -> Case {
        let original = Texts::parse(PEOPLE);
        let table = original.table();
        let policy = policy();
        let checked = ResolvedPolicy::new(&setup_of(&policy, &table).unwrap(), &table).unwrap();
        let node = |place: usize, text: &str| {
            let quasi = &checked.quasi[place];
            let column = &table.columns[quasi.column];
            match column.missing.iter().find(|&&code| column.dictionary.text(code) == text) {
                Some(&code) => quasi.leaf_of_code[code as usize],
                None => quasi.tree.find(text).unwrap(),
            }
        };
        let release = Release {
            class_of_row: (0..16).map(|row| row / 4).chain([SUPPRESSED]).collect(),
            quasi: (0..3).map(|place| SHOWN.map(|shown| node(place, shown[place])).to_vec()).collect(),
            sensitive: vec![None, None],
        };
        let (output, row_of) =
            release.to_table(&table, &checked.quasi, &checked.sensitive, &checked.identifiers).unwrap();
        Case { original, policy, output: Texts::of(&output), row_of }
    }

    fn judge(&self) -> Result<Verified, Unverified> {
        let table = self.original.table();
        judge(&table, &setup_of(&self.policy, &table).unwrap(), &self.output.table(), &self.row_of)
    }

    /// The output's row of an input row, from 0.
    fn row(&self, input: u32) -> usize {
        self.row_of.iter().position(|&row| row == input).unwrap()
    }

    fn cell(&mut self, input: u32, column: &str) -> &mut String {
        let (row, place) = (self.row(input), self.output.place(column));
        &mut self.output.rows[row][place]
    }

    /// Sets a cell; gives its column and row as offences name them.
    fn set(&mut self, input: u32, column: &str, text: &str) -> (String, u64) {
        *self.cell(input, column) = text.to_owned();
        (column.to_owned(), self.row(input) as u64 + 1)
    }

    /// Shows a row as another class does.
    fn show(&mut self, input: u32, class: usize) {
        for (column, text) in ["age", "zip", "sex"].into_iter().zip(SHOWN[class]) {
            self.set(input, column, text);
        }
    }

    fn drop_row(&mut self, input: u32) {
        let row = self.row(input);
        self.output.rows.remove(row);
        self.row_of.remove(row);
    }

    fn demand(&mut self, demands: Value) {
        self.policy["privacy"] = demands;
    }

    /// The offence of the class that an input row is in.
    fn class_of(&self, input: u32, demand: usize, attribute: Option<&str>) -> Offence {
        let tuple = |row: &Vec<String>| [row[0].clone(), row[1].clone(), row[2].clone()];
        let mut classes: Vec<[String; 3]> = Vec::new();
        for row in &self.output.rows {
            if !classes.contains(&tuple(row)) {
                classes.push(tuple(row));
            }
        }
        let own = tuple(&self.output.rows[self.row(input)]);
        Offence::Class {
            class: classes.iter().position(|class| *class == own).unwrap() as u64 + 1,
            row: self.output.rows.iter().position(|row| tuple(row) == own).unwrap() as u64 + 1,
            size: self.output.rows.iter().filter(|row| tuple(row) == own).count() as u64,
            demand,
            attribute: attribute.map(str::to_owned),
        }
    }
}

#[test]
fn an_honest_release_passes() {
    let case = Case::honest();
    assert_eq!(case.row_of.len(), 16);
    let shown: BTreeSet<_> =
        case.output.rows.iter().map(|row| [&row[0], &row[1], &row[2]].map(String::as_str)).collect();
    assert_eq!(shown, SHOWN.into_iter().collect());
    let verified = case.judge().unwrap();
    assert_eq!((verified.rows, verified.suppressed, verified.classes), (16, 1, 4));
    let of = |demand, attribute: Option<&str>, achieved| Achieved {
        demand,
        attribute: attribute.map(str::to_owned),
        achieved,
    };
    let mut requirements = verified.requirements;
    // e^H of two equally frequent values, but for rounding.
    assert!((requirements[1].achieved - 2.0).abs() < 1e-12);
    requirements[1].achieved = 2.0;
    assert_eq!(
        requirements,
        [of(0, None, 4.0), of(1, Some("diagnosis"), 2.0), of(2, Some("diagnosis"), 2.0), of(2, Some("income"), 2.0)]
    );
}

#[test]
fn other_honest_releases_pass() {
    type Change = fn(&mut Case);
    let changes: [(&str, Change); 10] = [
        ("one missing token for another", |case| {
            case.set(12, "age", "NA");
            case.set(14, "sex", "?");
        }),
        ("rows in another order", |case| {
            case.output.rows.reverse();
            case.row_of.reverse();
        }),
        ("a row suppressed within the limit", |case| {
            case.policy["suppression_limit"] = json!(0.12);
            case.demand(json!([{"model": "k-anonymity", "k": 3}]));
            case.drop_row(0);
        }),
        ("a row in a wider class", |case| {
            case.demand(json!([{"model": "k-anonymity", "k": 3}]));
            case.show(0, 1);
        }),
        ("* without a hierarchy and without a limit", |case| {
            for row in 8..12 {
                case.set(row, "zip", "*");
                case.set(row, "sex", "*");
            }
        }),
        ("the root's label for missing values that the tree lacks", |case| {
            for row in 12..16 {
                case.set(row, "age", "*");
            }
        }),
        ("sensitive values generalized for a (τ,ℓ) demand", |case| {
            case.demand(json!([{"model": "tau-l-diversity", "attribute": "diagnosis", "tau": 0.7, "l": 2}]));
            case.set(0, "diagnosis", "Respiratory");
            case.set(9, "diagnosis", "*");
        }),
        ("sensitive values without a hierarchy suppressed for one on all columns", |case| {
            case.demand(json!([{"model": "tau-l-diversity", "tau": 0.7, "l": 2}]));
            case.set(0, "income", "*");
            case.set(13, "income", "?");
        }),
        ("a bound for a value that only the suppressed row has", |case| {
            case.demand(json!([{"model": "alpha-k", "attribute": "diagnosis", "alpha": 0.1, "values": ["Rash"]}]));
        }),
        ("all rows suppressed", |case| {
            case.policy["suppression_limit"] = json!(1.0);
            case.output.rows.clear();
            case.row_of.clear();
        }),
    ];
    for (name, change) in changes {
        let mut case = Case::honest();
        change(&mut case);
        case.judge().unwrap_or_else(|refused| panic!("{name}: {refused}"));
    }
}

// --- corruptions -----------------------------------------------------------------------------

/// Corrupts an honest release and says what must be found.
type Corruption = fn(&mut Case) -> Offence;

fn untrue((column, row): (String, u64)) -> Offence {
    Offence::Untrue { column, row }
}

fn above((column, row): (String, u64)) -> Offence {
    Offence::AboveLimit { column, row }
}

fn below((column, row): (String, u64)) -> Offence {
    Offence::BelowLevel { column, row }
}

fn changed((column, row): (String, u64)) -> Offence {
    Offence::Changed { column, row }
}

/// Swaps two cells of a column; the first of them in the output is the one that is named.
fn swapped(case: &mut Case, column: &str, one: u32, other: u32) -> (String, u64) {
    let (first, second) = (case.cell(one, column).clone(), case.cell(other, column).clone());
    assert_ne!(first, second);
    let (column, row) = case.set(one, column, &second);
    (column.clone(), row.min(case.set(other, &column, &first).1))
}

fn named(column: &str) -> String {
    column.to_owned()
}

const CELLS: [(&str, Corruption); 32] = [
    ("a value that is not the original's", |case| untrue(case.set(0, "age", "22"))),
    ("a sibling group", |case| untrue(case.set(0, "age", "30-39"))),
    ("a group of another branch", |case| untrue(case.set(4, "zip", "2***"))),
    ("a group next to the one above", |case| untrue(case.set(8, "zip", "202*"))),
    ("a generalization of another column's value", |case| untrue(case.set(0, "age", "101*"))),
    ("the right label in the wrong column", |case| untrue(case.set(8, "zip", "60-69"))),
    ("a made-up label", |case| untrue(case.set(0, "age", "20-28"))),
    ("an empty text instead of a value", |case| untrue(case.set(0, "sex", ""))),
    ("an empty text instead of a group", |case| untrue(case.set(3, "age", ""))),
    ("a blank behind a label", |case| untrue(case.set(0, "age", "20-29 "))),
    ("a blank before a value", |case| untrue(case.set(0, "sex", " f"))),
    ("a blank around a missing token", |case| untrue(case.set(12, "sex", "NA "))),
    ("upper case for lower", |case| untrue(case.set(0, "sex", "F"))),
    ("lower case for upper", |case| untrue(case.set(12, "sex", "na"))),
    ("a missing token replaced by a value", |case| untrue(case.set(12, "sex", "m"))),
    ("a missing token replaced by a group", |case| untrue(case.set(12, "age", "60-69"))),
    ("a value replaced by a missing token", |case| untrue(case.set(8, "sex", "NA"))),
    ("another value of a column without a hierarchy", |case| untrue(case.set(8, "sex", "f"))),
    ("a label of a tree for a column without one", |case| untrue(case.set(8, "sex", "20-39"))),
    ("a limit exceeded by one level", |case| above(case.set(8, "age", "60-79"))),
    ("a limit exceeded by two levels", |case| above(case.set(9, "age", "*"))),
    ("the root above a limit", |case| above(case.set(0, "age", "*"))),
    ("a value below the level from which values are shown", |case| below(case.set(0, "zip", "1011"))),
    ("a changed insensitive cell", |case| changed(case.set(0, "ward", "south"))),
    ("an insensitive cell suppressed", |case| changed(case.set(0, "ward", "*"))),
    ("an insensitive missing token exchanged", |case| changed(case.set(9, "ward", "?"))),
    ("insensitive cells of two rows swapped", |case| changed(swapped(case, "ward", 0, 3))),
    ("a changed sensitive cell", |case| changed(case.set(0, "diagnosis", "Cough"))),
    ("sensitive cells swapped within a class", |case| changed(swapped(case, "diagnosis", 0, 2))),
    ("sensitive cells swapped between two classes", |case| changed(swapped(case, "diagnosis", 0, 8))),
    ("a sensitive cell generalized without a (τ,ℓ) demand", |case| changed(case.set(0, "diagnosis", "Respiratory"))),
    ("a sensitive missing token exchanged", |case| changed(case.set(13, "income", "?"))),
];

const COLUMNS_AND_ROWS: [(&str, Corruption); 17] = [
    ("an identifier left in", |case| {
        case.output.names.insert(0, "name".into());
        let original = &case.original.rows;
        for (row, &input) in case.output.rows.iter_mut().zip(&case.row_of) {
            row.insert(0, original[input as usize][0].clone());
        }
        Offence::Identifier { column: named("name") }
    }),
    ("an identifier renamed and left in", |case| {
        case.output.names.push("Name".into());
        let original = &case.original.rows;
        for (row, &input) in case.output.rows.iter_mut().zip(&case.row_of) {
            row.push(original[input as usize][0].clone());
        }
        Offence::UnknownColumn { column: named("Name") }
    }),
    ("an identifier in the place of another column", |case| {
        case.output.names[5] = "name".into();
        Offence::Identifier { column: named("name") }
    }),
    ("a column renamed", |case| {
        case.output.names[1] = "postcode".into();
        Offence::UnknownColumn { column: named("postcode") }
    }),
    ("a column missing", |case| {
        case.output.names.remove(1);
        case.output.rows.iter_mut().for_each(|row| drop(row.remove(1)));
        Offence::MissingColumn { column: named("zip") }
    }),
    ("the last column missing", |case| {
        case.output.names.pop();
        case.output.rows.iter_mut().for_each(|row| drop(row.pop()));
        Offence::MissingColumn { column: named("ward") }
    }),
    ("a column twice", |case| {
        case.output.names.insert(3, "sex".into());
        case.output.rows.iter_mut().for_each(|row| row.insert(3, row[2].clone()));
        Offence::ColumnTwice { column: named("sex") }
    }),
    ("the last column twice", |case| {
        case.output.names.push("ward".into());
        case.output.rows.iter_mut().for_each(|row| row.push(row[5].clone()));
        Offence::ColumnTwice { column: named("ward") }
    }),
    ("columns swapped", |case| {
        case.output.names.swap(0, 1);
        case.output.rows.iter_mut().for_each(|row| row.swap(0, 1));
        Offence::ColumnMoved { column: named("zip") }
    }),
    ("one suppressed row over the limit", |case| {
        case.drop_row(5);
        Offence::Suppressed { suppressed: 2, allowed: 1 }
    }),
    ("a suppressed row without any limit", |case| {
        case.policy.as_object_mut().unwrap().remove("suppression_limit");
        Offence::Suppressed { suppressed: 1, allowed: 0 }
    }),
    ("a share that falls short of a row", |case| {
        case.policy["suppression_limit"] = json!(0.058);
        Offence::Suppressed { suppressed: 1, allowed: 0 }
    }),
    ("a row twice", |case| {
        let row = case.row(3);
        case.output.rows.push(case.output.rows[row].clone());
        case.row_of.push(3);
        Offence::RowTwice { row: 17, first: row as u64 + 1 }
    }),
    ("a row that stands for another one too", |case| {
        let (one, other) = (case.row(0), case.row(2));
        case.row_of[one.max(other)] = case.row_of[one.min(other)];
        Offence::RowTwice { row: one.max(other) as u64 + 1, first: one.min(other) as u64 + 1 }
    }),
    ("a row number out of range", |case| {
        case.row_of[4] = 17;
        Offence::NoSuchRow { row: 5 }
    }),
    ("too few row numbers", |case| {
        case.row_of.pop();
        Offence::RowNumbers { numbers: 15, rows: 16 }
    }),
    ("too many row numbers", |case| {
        case.row_of.push(16);
        Offence::RowNumbers { numbers: 17, rows: 16 }
    }),
];

const CLASSES: [(&str, Corruption); 13] = [
    ("a class one row short of k", |case| {
        case.show(0, 1);
        case.class_of(1, 0, None)
    }),
    ("a class that one cell splits", |case| {
        for row in 4..8 {
            case.set(row, "zip", "*");
        }
        case.set(4, "zip", "1***");
        case.class_of(4, 0, None).min_row(case.class_of(5, 0, None))
    }),
    ("missing values that show apart from each other", |case| {
        case.set(12, "age", "*");
        case.class_of(12, 0, None).min_row(case.class_of(13, 0, None))
    }),
    ("entropy just missed by a row of five", |case| {
        case.demand(json!([
            {"model": "k-anonymity", "k": 3},
            {"model": "entropy-l-diversity", "attribute": "income", "l": 1.89},
            {"model": "entropy-l-diversity", "attribute": "diagnosis", "l": 1.9},
        ]));
        // Two and one of a value: e^H = 1.8899; three and two: 1.96.
        case.show(0, 1);
        case.class_of(1, 1, Some("income"))
    }),
    ("entropy missed by a hair", |case| {
        case.demand(json!([{"model": "entropy-l-diversity", "attribute": "diagnosis", "l": 2.0000001}]));
        first_class(case, 0, Some("diagnosis"))
    }),
    ("a class one value short", |case| {
        case.demand(json!([
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "attribute": "diagnosis", "l": 2},
        ]));
        case.show(0, 1);
        case.show(1, 1);
        case.class_of(2, 1, Some("diagnosis"))
    }),
    ("one value more than any class has", |case| {
        case.demand(json!([{"model": "p-sensitive", "attribute": "income", "p": 3}]));
        first_class(case, 0, Some("income"))
    }),
    ("a demand on all sensitive columns that the second one misses", |case| {
        case.demand(json!([{"model": "distinct-l-diversity", "l": 2}]));
        // Bea and Dia have different diagnoses, both high incomes.
        case.show(0, 1);
        case.show(2, 1);
        case.class_of(1, 0, Some("income"))
    }),
    ("jointly broken while each alone holds", |case| {
        case.demand(json!([
            {"model": "k-anonymity", "k": 4},
            {"model": "distinct-l-diversity", "l": 2},
            {"model": "distinct-l-diversity", "l": 2, "jointly": true},
        ]));
        // Fay, (Cough, high), and Ann, (Flu, low), change places: of the low incomes only a Cough is left.
        case.show(0, 1);
        case.show(5, 0);
        case.class_of(1, 2, Some("diagnosis"))
    }),
    ("the share of one value too high", |case| {
        case.demand(json!([{"model": "alpha-k", "attribute": "diagnosis", "alpha": 0.5}]));
        case.show(0, 1);
        case.class_of(1, 0, Some("diagnosis")).min_row(case.class_of(4, 0, Some("diagnosis")))
    }),
    ("(τ,ℓ) broken by what generalization hides nothing of", |case| {
        case.demand(json!([{"model": "tau-l-diversity", "attribute": "diagnosis", "tau": 0.5, "l": 2}]));
        // Flu twice, Cough once, and a group of the two: Flu has 5/8.
        case.set(2, "diagnosis", "Respiratory");
        case.class_of(2, 0, Some("diagnosis"))
    }),
    ("a value that every class must have, and only the suppressed row has", |case| {
        case.demand(json!([{"model": "recursive-cl-diversity", "attribute": "diagnosis", "c": 9.0, "l": 2,
            "no_negative": ["Rash"], "c2": 1.0}]));
        first_class(case, 0, Some("diagnosis"))
    }),
    ("a recursive demand", |case| {
        case.demand(json!([{"model": "recursive-cl-diversity", "attribute": "diagnosis", "c": 1.0, "l": 2}]));
        first_class(case, 0, Some("diagnosis"))
    }),
];

/// Constraints that the honest release keeps, every one without slack where it has a bound.
const KEPT: [(&str, u64); 12] = [
    ("sex=f: 4..4", 4),
    ("sex=?: 4", 4),
    ("sex = \"NA\" : 4..", 4),
    ("sex=*: 4..4", 4),
    ("sex=m & age=60-69: 4..", 4),
    ("age=20-39 & sex=*: ..4", 4),
    ("age=20-39 & sex=f: ..0", 0),
    ("zip=2***: 8..8", 8),
    ("diagnosis=Flu: 8..8", 8),
    ("diagnosis=Flu & zip=2***: 4..4", 4),
    ("ward=?: 2..2", 2),
    ("income=? & age=NA & ward=east: 1..1", 1),
];

/// Puts constraints into the policy.
fn ask(case: &mut Case, lines: &[&str]) {
    case.policy["diversity"] = json!(lines);
}

fn broken(constraint: usize, count: u64, least: u64, most: Option<u64>) -> Offence {
    Offence::Constraint { constraint, count, least, most }
}

/// The release stays honest in everything but the constraints.
const CONSTRAINTS: [(&str, Corruption); 10] = [
    ("a group that is shown no more", |case| {
        ask(case, &["sex=f: 4.."]);
        (0..4).for_each(|row| case.show(row, 1));
        broken(0, 0, 4, None)
    }),
    ("too many in a wider group", |case| {
        ask(case, &["age=20-39: 1..", "sex=*: ..4"]);
        (0..4).for_each(|row| case.show(row, 1));
        broken(1, 8, 0, Some(4))
    }),
    ("too many in two columns together", |case| {
        ask(case, &["zip=1*** & sex=*: 4..7"]);
        (0..4).for_each(|row| case.show(row, 1));
        broken(0, 8, 4, Some(7))
    }),
    ("one row too few", |case| {
        case.demand(json!([{"model": "k-anonymity", "k": 3}]));
        ask(case, &["sex=f & zip=101*: 4"]);
        case.show(3, 1);
        broken(0, 3, 4, Some(4))
    }),
    ("one column of two too few", |case| {
        case.demand(json!([{"model": "k-anonymity", "k": 1}]));
        ask(case, &["age=20-29 & sex=f: 4.."]);
        case.set(0, "sex", "*");
        broken(0, 3, 4, None)
    }),
    ("missing values hidden, whichever token they had", |case| {
        ask(case, &["sex=?: 4.."]);
        (12..16).for_each(|row| drop(case.set(row, "sex", "*")));
        broken(0, 0, 4, None)
    }),
    ("a suppressed row that had to be there", |case| {
        case.demand(json!([{"model": "k-anonymity", "k": 3}]));
        case.policy["suppression_limit"] = json!(0.12);
        ask(case, &["diagnosis=Flu: 8.."]);
        case.drop_row(0);
        broken(0, 7, 8, None)
    }),
    ("a sensitive value generalized away", |case| {
        case.demand(json!([{"model": "tau-l-diversity", "attribute": "diagnosis", "tau": 0.7, "l": 2}]));
        ask(case, &["diagnosis=Respiratory: ..0", "diagnosis=Flu: 8.."]);
        case.set(0, "diagnosis", "Respiratory");
        broken(0, 1, 0, Some(0))
    }),
    ("the last of several", |case| {
        ask(case, &["sex=f: 4", "sex=m: 4", "ward=west: 3.."]);
        broken(2, 2, 3, None)
    }),
    ("a release without rows", |case| {
        case.policy["suppression_limit"] = json!(1.0);
        ask(case, &["ward=north: ..5", "ward=west & sex=m: 1.."]);
        case.output.rows.clear();
        case.row_of.clear();
        broken(1, 0, 1, None)
    }),
];

#[test]
fn kept_constraints_are_counted() {
    let mut case = Case::honest();
    ask(&mut case, &KEPT.map(|(line, _)| line));
    assert_eq!(case.judge().unwrap().diversity, KEPT.map(|(_, count)| count));
    // A token for another is the same value.
    case.set(12, "sex", "?");
    case.set(13, "age", "?");
    assert_eq!(case.judge().unwrap().diversity, KEPT.map(|(_, count)| count));
}

#[test]
fn a_bad_constraint_stops_the_verifier_at_its_place() {
    let mut case = Case::honest();
    ask(&mut case, &["sex=f: 4", "sex=x: 4"]);
    let Err(Unverified::Stopped(failure)) = case.judge() else { panic!() };
    assert_eq!(failure.kind, FailureKind::Policy);
    assert!(failure.what.starts_with("The policy's diversity[1], character 5:"), "{failure}");
}

fn first_class(case: &Case, demand: usize, attribute: Option<&str>) -> Offence {
    case.class_of(case.row_of[0], demand, attribute)
}

trait Earlier {
    fn min_row(self, other: Offence) -> Offence;
}

impl Earlier for Offence {
    /// Of two classes that fail, the one that begins first.
    fn min_row(self, other: Offence) -> Offence {
        match (&self, &other) {
            (Offence::Class { row: one, .. }, Offence::Class { row, .. }) if row < one => other,
            _ => self,
        }
    }
}

#[test]
fn every_corruption_is_named() {
    for (name, corrupt) in CELLS.iter().chain(&COLUMNS_AND_ROWS).chain(&CLASSES).chain(&CONSTRAINTS) {
        let mut case = Case::honest();
        let expected = corrupt(&mut case);
        assert_eq!(case.judge(), Err(Unverified::Offence(expected)), "{name}");
    }
}

#[test]
fn sensitive_cells_are_true_under_a_tau_l_demand_too() {
    let corruptions: [(&str, Corruption); 6] = [
        ("another group", |case| untrue(case.set(0, "diagnosis", "Digestive"))),
        ("another value", |case| untrue(case.set(0, "diagnosis", "Cough"))),
        ("a missing token", |case| untrue(case.set(0, "diagnosis", "NA"))),
        ("a column that the demand is not about", |case| changed(case.set(0, "income", "*"))),
        ("an insensitive column", |case| changed(case.set(0, "ward", "*"))),
        ("a limit of the sensitive column", |case| {
            case.policy["columns"]["diagnosis"]["limits"] = json!(["Respiratory"]);
            above(case.set(0, "diagnosis", "*"))
        }),
    ];
    for (name, corrupt) in corruptions {
        let mut case = Case::honest();
        case.demand(json!([{"model": "tau-l-diversity", "attribute": "diagnosis", "tau": 0.9, "l": 2}]));
        let expected = corrupt(&mut case);
        assert_eq!(case.judge(), Err(Unverified::Offence(expected)), "{name}");
    }
}

#[test]
fn a_label_that_comes_twice_on_a_path_is_one_text() {
    let original = Texts::parse("q,s\nOther,a\nCat,b\nOther,b\nCat,a\nDog,a\nDog,b");
    let tree = lines(&["Other Other *", "Cat Other *", "Dog Pet *"]);
    let policy = |limits: &[&str], from_level: u32| {
        let q = json!({"role": "quasi", "hierarchy": {"rows": tree}, "limits": limits, "from_level": from_level});
        json!({"throng": 1, "columns": {"q": q, "s": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 2}]})
    };
    let case = |policy: Value, shown: [&str; 3]| {
        let mut output = original.clone();
        for row in &mut output.rows {
            let place = ["Other", "Cat", "Dog"].iter().position(|value| *value == row[0]).unwrap();
            row[0] = shown[place].to_owned();
        }
        Case { original: original.clone(), policy, output, row_of: (0..6).collect() }.judge().map(|found| found.classes)
    };
    let refused = |offence: Offence| Err(Unverified::Offence(offence));
    let q = || named("q");
    // Two values and a group of one text are one class to a reader.
    assert_eq!(case(policy(&[], 0), ["Other", "Other", "Dog"]), Ok(2));
    assert_eq!(case(policy(&[], 0), ["Other", "Cat", "Dog"]), Ok(3));
    // The value's text is also that of the group on level 1.
    assert_eq!(case(policy(&[], 1), ["Other", "Other", "Pet"]), Ok(2));
    assert_eq!(case(policy(&[], 1), ["Other", "Cat", "Pet"]), refused(Offence::BelowLevel { column: q(), row: 2 }));
    assert_eq!(case(policy(&[], 2), ["Other", "*", "*"]), refused(Offence::BelowLevel { column: q(), row: 1 }));
    // A limit is a label: it holds for the value and for what is in the group of that name.
    assert_eq!(case(policy(&["Other"], 0), ["Other", "Other", "*"]), Ok(2));
    assert_eq!(case(policy(&["Other"], 0), ["Other", "*", "*"]), refused(Offence::AboveLimit { column: q(), row: 2 }));
    assert_eq!(case(policy(&["Other"], 0), ["*", "Other", "*"]), refused(Offence::AboveLimit { column: q(), row: 1 }));
}

#[test]
fn missing_values_stand_where_the_tree_has_them() {
    let original = Texts::parse("q\nNA\n?\na\nb");
    let judge = |from_level: u32, shown: [&str; 4]| {
        let tree = lines(&["? Unknown *", "a Known *", "b Known *"]);
        let q = json!({"role": "quasi", "hierarchy": {"rows": tree}, "from_level": from_level});
        let policy = json!({"throng": 1, "columns": {"q": q}, "privacy": [{"model": "k-anonymity", "k": 2}]});
        let output = Texts { names: vec!["q".into()], rows: shown.map(|text| vec![text.to_owned()]).to_vec() };
        Case { original: original.clone(), policy, output, row_of: (0..4).collect() }.judge().map(|found| found.classes)
    };
    let refused = |offence: Offence| Err(Unverified::Offence(offence));
    assert_eq!(judge(0, ["NA", "?", "Known", "Known"]), Ok(2));
    assert_eq!(judge(0, ["?", "NA", "Known", "Known"]), Ok(2));
    assert_eq!(judge(1, ["Unknown", "Unknown", "Known", "Known"]), Ok(2));
    assert_eq!(
        judge(1, ["Unknown", "?", "Known", "Known"]),
        refused(Offence::BelowLevel { column: named("q"), row: 2 })
    );
    assert_eq!(judge(0, ["Known", "?", "Known", "Known"]), refused(Offence::Untrue { column: named("q"), row: 1 }));
    assert_eq!(judge(0, ["NA", "?", "Known", "Unknown"]), refused(Offence::Untrue { column: named("q"), row: 4 }));
}

#[test]
fn closeness_is_measured_against_the_original() {
    // Both classes have what the output has; the original had a value more.
    let original = Texts::parse("q,s\na,x\na,y\nb,x\nb,y\nc,z");
    let output = Texts { names: original.names.clone(), rows: original.rows[..4].to_vec() };
    let judge = |t: f64| {
        let policy = json!({
            "throng": 1,
            "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
            "privacy": [{"model": "t-closeness", "attribute": "s", "t": t}],
            "suppression_limit": 0.2,
        });
        Case { original: original.clone(), policy, output: output.clone(), row_of: (0..4).collect() }.judge()
    };
    let verified = judge(0.2).unwrap();
    assert!((verified.requirements[0].achieved - 0.2).abs() < 1e-12);
    let class = Offence::Class { class: 1, row: 1, size: 2, demand: 0, attribute: Some(named("s")) };
    assert_eq!(judge(0.199), Err(Unverified::Offence(class)));
}

#[test]
fn a_broken_table_is_an_offence_and_no_panic() {
    type Break = fn(&mut Table) -> Offence;
    let breaks: [(&str, Break); 4] = [
        ("a code without a text", |table| {
            table.columns[3].codes[2] = 900;
            Offence::NoText { column: named("diagnosis"), row: 3 }
        }),
        ("the largest code", |table| {
            table.columns[5].codes[0] = u32::MAX;
            Offence::NoText { column: named("ward"), row: 1 }
        }),
        ("a cell too few", |table| {
            table.columns[1].codes.pop();
            Offence::CellCount { column: named("zip"), cells: 15, rows: 16 }
        }),
        ("a cell too many", |table| {
            table.columns[1].codes.push(0);
            Offence::CellCount { column: named("zip"), cells: 17, rows: 16 }
        }),
    ];
    let case = Case::honest();
    let original = case.original.table();
    let setup = setup_of(&case.policy, &original).unwrap();
    for (name, damage) in breaks {
        let mut output = case.output.table();
        let expected = damage(&mut output);
        assert_eq!(judge(&original, &setup, &output, &case.row_of), Err(Unverified::Offence(expected)), "{name}");
    }
    let mut other = case.original.table();
    other.columns.pop();
    let refused = judge(&other, &setup, &case.output.table(), &case.row_of);
    assert!(matches!(refused, Err(Unverified::Stopped(failure)) if failure.kind == FailureKind::Policy));
}

#[test]
fn what_the_output_says_of_itself_is_not_believed() {
    let mut case = Case::honest();
    case.show(0, 1);
    let expected = Err(Unverified::Offence(case.class_of(1, 0, None)));
    let original = case.original.table();
    let setup = setup_of(&case.policy, &original).unwrap();
    let mut output = case.output.table();
    for column in &mut output.columns {
        // If all were missing, all were one class.
        column.missing = (0..column.dictionary.len() as u32).collect();
        column.counts = Vec::new();
    }
    assert_eq!(judge(&original, &setup, &output, &case.row_of), expected);
    // Nor where models compare with the original's missing values.
    let mut case = Case::honest();
    case.demand(json!([{"model": "t-closeness", "attribute": "income", "t": 1.0}]));
    let setup = setup_of(&case.policy, &original).unwrap();
    let achieved = |missing: fn(&Column) -> Vec<u32>| {
        let mut output = case.output.table();
        for column in &mut output.columns {
            column.missing = missing(column);
        }
        judge(&original, &setup, &output, &case.row_of).unwrap().requirements[0].achieved
    };
    // Nine low, six high and two missing incomes; the last class has half low and half missing ones.
    let expected = 0.5 - 2.0 / 17.0;
    for missing in [|_: &Column| Vec::new(), |column: &Column| (0..column.dictionary.len() as u32).collect()] {
        assert!((achieved(missing) - expected).abs() < 1e-12, "{}", achieved(missing));
    }
}

#[test]
fn a_mistake_of_the_policy_stops_the_verifier() {
    let mut case = Case::honest();
    case.demand(json!([{"model": "k-anonymity", "k": 18}]));
    let refused = case.judge().unwrap_err();
    assert!(matches!(&refused, Unverified::Stopped(failure) if failure.kind == FailureKind::Policy), "{refused:?}");
}

#[test]
fn offences_become_failures_without_cells() {
    for (name, corrupt) in CELLS.iter().chain(&COLUMNS_AND_ROWS).chain(&CLASSES).chain(&CONSTRAINTS) {
        let mut case = Case::honest();
        let sentence = corrupt(&mut case).to_string();
        let failure = Failure::from(case.judge().unwrap_err());
        assert_eq!((failure.kind, &failure.what), (FailureKind::Refused, &sentence), "{name}");
        assert!(!failure.next.is_empty() && sentence.ends_with('.'), "{name}: {sentence}");
        for value in ["21", "22", "20-29", "1011", "101*", "Flu", "Cough", "Respiratory", "Ann", "north", "south"] {
            assert!(!sentence.contains(value), "{name}: {sentence}");
        }
    }
}

/// A host that wants to stop after some looks at its clock.
struct Impatient(std::cell::Cell<u32>);

impl Sink for Impatient {
    fn now(&self) -> f64 {
        0.0
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
    fn breathe(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn can_be_cancelled_at_every_checkpoint() {
    let case = Case::honest();
    let original = case.original.table();
    let setup = setup_of(&case.policy, &original).unwrap();
    let output = case.output.table();
    let mut looks = 0;
    loop {
        let sink = Impatient(std::cell::Cell::new(looks));
        match block_on(verify(&original, &setup, &output, &case.row_of, &Progress::new(&sink))) {
            Err(Unverified::Stopped(failure)) => assert_eq!(failure.kind, FailureKind::Cancelled),
            Err(refused) => panic!("{refused}"),
            Ok(_) => break,
        }
        looks += 1;
    }
    // Six columns of cells, three of classes and four requirements at least.
    assert!(looks >= 13, "{looks}");
}
