//! Full-domain recoding of the Adult data, beside what ARX 3.9.2 takes on the JVM (warm, one thread, CPU time).

use std::collections::HashMap;

use throng::algorithms::lattice::{Budget, Input, Lattice, Metric, Question, Values};
use throng::hierarchy::{ROOT, arx};
use throng::io::MemorySource;
use throng::io::csv::{self, ReadOptions};
use throng::policy::Quasi;
use throng::privacy::{DistinctL, EntropyL, KAnonymity, Model, RecursiveCL, Requirement};
use throng::progress::{Progress, block_on};
use throng::table::Table;

use super::{Bytes, Figure, Quiet, Suite, copy, memory, size};

const QUASI: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"];
/// How often the table is repeated to be large.
const REPEATED: usize = 33;

/// The Adult table and its hierarchies as one file: for each, a line with its name and size, and its bytes.
/// From the folder `THRONG_DATA` names; if it is not there, a table drawn like it, which the figures then say.
#[cfg(not(target_arch = "wasm32"))]
pub fn adult() -> Vec<u8> {
    let folder = std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let file = |name: &str| std::fs::read(format!("{folder}/arx_adult/{name}")).ok();
    let hierarchy = |name: &&str| Some(((*name).to_owned(), file(&format!("adult_hierarchy_{name}.csv"))?));
    let hierarchies: Option<Vec<_>> = QUASI.iter().map(hierarchy).collect();
    let (source, table, hierarchies) = match (file("adult.csv"), hierarchies) {
        (Some(table), Some(hierarchies)) => ("real", table, hierarchies),
        _ => {
            let table = throng::samples::table("adult", 30_162, 1).map(|sample| sample.bytes).unwrap_or_default();
            let hierarchies = throng::samples::hierarchies("adult");
            ("drawn", table, hierarchies.into_iter().map(|(name, text)| (name, text.into_bytes())).collect())
        }
    };
    let mut all = Vec::new();
    for (name, bytes) in std::iter::once((source.to_owned(), table)).chain(hierarchies) {
        all.extend(format!("{name} {}\n", bytes.len()).into_bytes());
        all.extend(bytes);
    }
    all
}

pub struct Adult {
    pub real: bool,
    pub table: Table,
    pub quasi: Vec<Quasi>,
}

pub fn read(file: &Bytes) -> Option<Adult> {
    let mut bytes = vec![0; size(file) as usize];
    copy(file, 0, &mut bytes);
    let mut parts: Vec<(String, &[u8])> = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let (name, length) = head.rsplit_once(' ')?;
        let (part, later) = rest[end + 1..].split_at_checked(length.parse().ok()?)?;
        parts.push((name.to_owned(), part));
        rest = later;
    }
    let ((source, table), hierarchies) = parts.split_first()?;
    let mut source_file = MemorySource { name: "adult.csv".into(), bytes: table.to_vec() };
    let table = block_on(csv::read(&mut source_file, &ReadOptions::default(), &Progress::new(&Quiet))).ok()?.table;
    let plain = |name: &str| name.trim_end_matches(".csv").replace('_', "-");
    let quasi_of = |name: &&str| {
        let column = table.columns.iter().position(|column| plain(&column.name) == **name)?;
        let (_, text) = hierarchies.iter().find(|(other, _)| plain(other).ends_with(*name))?;
        let tree = arx::import(text, Some(&table.columns[column])).ok()?.tree;
        let leaf_of_code: Option<Vec<_>> = tree.bind(&table.columns[column].dictionary).leaves.into_iter().collect();
        let leaf_of_code = leaf_of_code?;
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Some(Quasi { column, tree, leaf_of_code, limit_of_code })
    };
    let quasi: Option<Vec<Quasi>> = QUASI.iter().map(quasi_of).collect();
    Some(Adult { real: source == "real", quasi: quasi?, table })
}

/// A plain hash group-by of the same rows.
fn unit(suite: &Suite, codes: &[&[u32]]) -> f64 {
    suite.least(3, || {
        let mut groups: HashMap<Vec<u32>, u32> = HashMap::new();
        for row in 0..codes[0].len() {
            *groups.entry(codes.iter().map(|codes| codes[row]).collect()).or_default() += 1;
        }
        groups.len()
    })
}

/// Name, quasi-identifiers, times the table, whether rows may be suppressed, ARX's milliseconds.
type Case = (&'static str, usize, usize, bool, u32);

const CASES: [Case; 14] = [
    ("k=5", 7, 1, false, 17),
    ("k=5", 7, 1, true, 178),
    ("distinct 5", 7, 1, false, 25),
    ("distinct 5", 7, 1, true, 286),
    ("entropy 4", 7, 1, false, 24),
    ("entropy 4", 7, 1, true, 468),
    ("recursive (3,4)", 7, 1, false, 25),
    ("recursive (3,4)", 7, 1, true, 468),
    ("k=5", 8, 1, false, 28),
    ("k=5", 8, 1, true, 534),
    ("k=5", 9, 1, false, 34),
    ("k=5", 9, 1, true, 1_121),
    ("k=5", 7, REPEATED, false, 203),
    ("k=5", 7, REPEATED, true, 1_451),
];

/// The model and the smallest class that can meet it.
fn model(name: &str) -> (Box<dyn Model>, u32) {
    match name {
        "distinct 5" => (Box::new(DistinctL { l: 5 }), 5),
        "entropy 4" => (Box::new(EntropyL { l: 4.0, dont_care: Vec::new() }), 4),
        "recursive (3,4)" => (Box::new(RecursiveCL { c: 3.0, l: 4 }), 4),
        _ => (Box::new(KAnonymity { k: 5 }), 5),
    }
}

/// The best node under discernibility, from the codes of the rows: grouping them is part of it.
pub fn lattice(suite: &mut Suite, file: &Bytes) {
    let Some(adult) = read(file) else { return };
    let drawn = if adult.real { "" } else { ", drawn data" };
    let occupation = adult.quasi[7].column;
    for repeated in [1, REPEATED] {
        let codes: Vec<Vec<u32>> =
            adult.quasi.iter().map(|quasi| adult.table.columns[quasi.column].codes.repeat(repeated)).collect();
        let rows = codes[0].len();
        for quasi in [7, 8, 9] {
            let columns: Vec<&[u32]> = codes[..quasi].iter().map(Vec::as_slice).collect();
            let group_by = unit(suite, &columns);
            for (name, _, _, suppress, arx) in CASES.into_iter().filter(|case| (case.1, case.2) == (quasi, repeated)) {
                let (model, least_rows) = model(name);
                let attribute = (name != "k=5").then_some(occupation);
                let requirements = [Requirement { attribute, jointly: false, model }];
                let suppression_limit = if suppress { rows as u64 * 4 / 100 } else { 0 };
                let metric = Metric::Discernibility;
                let question = Question { requirements: &requirements, least_rows, suppression_limit, metric };
                let sensitive = [Values { column: occupation, codes: &codes[7], leaves: 14 }];
                let input = Input { rows, quasi: &adult.quasi[..quasi], codes: &columns, sensitive: &sensitive };
                let time = suite.least(if repeated == 1 { 25 } else { 7 }, || {
                    let progress = Progress::new(&Quiet);
                    let lattice = block_on(Lattice::new(&input, &question, &progress)).ok()?;
                    block_on(lattice.best(&question, Budget::default(), &progress)).ok()
                });
                let share = if suppress { 4 } else { 0 };
                let what = format!("{name}, {share} %, {quasi} QIs{drawn} x{repeated} (ARX {arx})");
                suite.time("lattice", &what, time, group_by);
            }
            suite.time("lattice", &format!("hash group-by, {quasi} QIs x{repeated} (the unit)"), group_by, group_by);
        }
    }
    hardly_a_row_twice(&adult);
    if let Some(memory) = memory() {
        let what = "memory for a million rows, of 600 MB (aim: at most 1)".to_owned();
        suite.figures.push(Figure { bench: "lattice", what, value: memory / 1e6, of: "MB", units: memory / 6e8 });
    }
}

/// Some hundred nodes of a million rows in nine columns, with values moved so that there are many more tuples than in
/// the data: what needs the most memory.
fn hardly_a_row_twice(adult: &Adult) {
    let codes: Vec<Vec<u32>> = adult
        .quasi
        .iter()
        .map(|quasi| {
            let codes = &adult.table.columns[quasi.column].codes;
            let values = quasi.leaf_of_code.len() as u32;
            (0..REPEATED as u32).flat_map(|moved| codes.iter().map(move |code| (code + moved) % values)).collect()
        })
        .collect();
    let columns: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k: 5 }) }];
    let rows = codes[0].len();
    let suppression_limit = rows as u64 * 4 / 100;
    let question =
        Question { requirements: &requirements, least_rows: 5, suppression_limit, metric: Metric::Discernibility };
    let input = Input { rows, quasi: &adult.quasi, codes: &columns, sensitive: &[] };
    let progress = Progress::new(&Quiet);
    if let Ok(lattice) = block_on(Lattice::new(&input, &question, &progress)) {
        let budget = Budget { nodes: Some(300), milliseconds: None };
        std::hint::black_box(block_on(lattice.best(&question, budget, &progress)).is_ok());
    }
}
