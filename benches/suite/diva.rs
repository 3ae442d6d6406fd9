//! DIVA beside k-member on all 299,285 rows of the census, plain (the paper compares the plain algorithms) and refined:
//! k = 10 and 50, 4, 12 and 20 constraints of the class *proportion*; and on one and three fifths of the rows. The paper
//! took minutes on 32 cores, 32 % to 44 % longer than k-member.

use throng::algorithms::diva::Strategy;
use throng::constraints::generate::Class;
use throng::progress::Progress;
use throng::table::{Column, Table};

use super::diva_case::{Ask, BUDGET, Case, ON};
use super::{Bytes, Figure, Quiet, Suite, group_by};

/// Runs of each, plain and refined, of which the least counts.
const TIMES: [usize; 2] = [9, 3];

const STRATEGIES: [(&str, Option<Strategy>); 4] = [
    ("k-member", None),
    ("naive", Some(Strategy::Naive)),
    ("MinChoice", Some(Strategy::MinChoice)),
    ("MaxFanOut", Some(Strategy::MaxFanOut)),
];

pub fn diva(suite: &mut Suite, file: &Bytes) {
    let Some(ingested) = super::read(file) else { return };
    let Ok(case) = Case::new(first(&ingested.table, 5)) else { return };
    let places: Vec<usize> = (0..case.table.columns.len()).collect();
    let unit = group_by(suite, &case.table, &places);
    suite.time("diva", "hash group-by, 6 QIs (the unit)", unit, unit);
    for (k, count) in [10, 50].into_iter().flat_map(|k| [4, 12, 20].map(|count| (k, count))) {
        measure(suite, &case, k, count, &format!("k={k}, |Σ|={count}"), unit);
    }
    // How it grows with the rows: the whole is above.
    for fifths in [1, 3] {
        let Ok(case) = Case::new(first(&ingested.table, fifths)) else { return };
        measure(suite, &case, 10, 12, &format!("{} rows, k=10, |Σ|=12", case.table.rows), unit);
    }
}

/// The first rows.
fn first(table: &Table, fifths: usize) -> Table {
    let rows = table.rows * fifths / 5;
    let column = |column: &Column| {
        Column::new(column.name.clone(), column.dictionary.clone(), column.codes[..rows].to_vec(), &[])
    };
    Table { columns: table.columns.iter().map(column).collect(), rows }
}

/// Times k-member and DIVA with each strategy, plain and refined.
fn measure(suite: &mut Suite, case: &Case, k: u32, count: u32, place: &str, unit: f64) {
    let Ok(constraints) = case.constraints(Class::Proportion, &ON, Some(count), k, 1) else { return };
    for refined in [false, true] {
        let mut least = [f64::INFINITY; STRATEGIES.len()];
        let mut found = [true; STRATEGIES.len()];
        // By turns, so that what disturbs them disturbs all.
        for _ in 0..TIMES[usize::from(refined)] {
            for (place, (_, strategy)) in STRATEGIES.iter().enumerate() {
                let ask = Ask { k, strategy: *strategy, refined, seed: 1, budget: BUDGET };
                let work = || found[place] &= case.solve(ask, &constraints, &Progress::new(&Quiet)).is_ok();
                least[place] = least[place].min(suite.least(1, work));
            }
        }
        let how = if refined { ", refined" } else { "" };
        for (number, (name, _)) in STRATEGIES.iter().enumerate() {
            let none = if found[number] { "" } else { ", NO RELEASE" };
            suite.time("diva", &format!("{place}, {name}{how}{none}"), least[number], unit);
        }
        // Beside k-member instead of a group-by.
        let what = format!("{place}, MinChoice over k-member{how}");
        suite.figures.push(Figure { bench: "diva", what, value: least[2], of: "ms", units: least[2] / least[0] });
    }
}
