//! Local recoding of the census data: k = 10..50 by k-member and Mondrian, and growth with the rows. A value is kept or
//! becomes `*`. The DIVA paper's k-member took minutes on 32 cores.

use throng::algorithms::refinement::Effort;
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::Quasi;
use throng::table::Table;

use super::local::{ALGORITHMS, first_rows, k_anonymity, problem, solve};
use super::{Bytes, Suite, group_by};

/// The six columns with numbers for values, a tenth as long as the file. Nothing when the data is not there.
#[cfg(not(target_arch = "wasm32"))]
pub fn text() -> Vec<u8> {
    use super::census_file::{QUASI, csv};
    let table = match csv().map(|bytes| super::read(&bytes)) {
        Ok(Some(ingested)) => ingested.table,
        Ok(None) => return Vec::new(),
        Err(reason) => {
            eprintln!("{reason}");
            return Vec::new();
        }
    };
    let of = |name: &&str| table.columns.iter().find(|column| column.name == **name);
    let columns: Vec<_> = QUASI.iter().filter_map(of).collect();
    let mut text = QUASI.join(",") + "\n";
    for row in 0..table.rows {
        let cells: Vec<String> = columns.iter().map(|column| column.codes[row].to_string()).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    text.into_bytes()
}

fn quasi(table: &Table) -> Vec<Quasi> {
    let make = |(column, values): (usize, &throng::table::Column)| {
        let tree = Hierarchy::flat(values.dictionary.iter());
        let leaf_of_code: Vec<_> =
            tree.bind(&values.dictionary).leaves.into_iter().map(|leaf| leaf.unwrap_or(ROOT)).collect();
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column, tree, leaf_of_code, limit_of_code }
    };
    table.columns.iter().enumerate().map(make).collect()
}

pub fn census(suite: &mut Suite, file: &Bytes) {
    let Some(ingested) = super::read(file) else { return };
    let all = ingested.table;
    let quasi = quasi(&all);
    let places: Vec<usize> = (0..all.columns.len()).collect();
    let unit = group_by(suite, &all, &places);
    suite.time("census", "hash group-by, 6 QIs (the unit)", unit, unit);
    let whole = [10, 30, 50].map(|k| (k, all.rows));
    for (k, rows) in whole.into_iter().chain((1..5).map(|fifths| (10, all.rows / 5 * fifths))) {
        let table = first_rows(&all, rows);
        let requirements = [k_anonymity(k)];
        let problem = problem(&table, &quasi, &[], &requirements);
        for (name, algorithm) in &ALGORITHMS[..2] {
            let time = suite.least(2, || solve(&problem, *algorithm, None));
            suite.time("census", &format!("k={k}, {name}, {rows} rows"), time, unit);
            if (k, rows) == (10, all.rows) {
                let time = suite.least(2, || solve(&problem, *algorithm, Some(Effort::default())));
                suite.time("census", &format!("k={k}, {name}, refined, {rows} rows"), time, unit);
            }
        }
    }
}
