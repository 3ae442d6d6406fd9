//! The tables of the figures, from the folder that `THRONG_DATA` names.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::io::MemorySource;
use throng::io::csv::{self, ReadOptions};
use throng::policy::Quasi;
use throng::progress::{Progress, Report, Sink, block_on};
use throng::table::{Column, Table};

use super::clock::least_seconds;

/// A host that is never in a hurry.
pub struct Quiet;

impl Sink for Quiet {
    fn now(&self) -> f64 {
        0.0
    }
    fn report(&self, _: Report) {}
    fn cancelled(&self) -> bool {
        false
    }
    fn breathe(&self) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(std::future::ready(()))
    }
}

fn folder() -> String {
    std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned())
}

fn bytes(file: &str) -> Result<Vec<u8>, String> {
    let path = format!("{}/{file}", folder());
    std::fs::read(&path).map_err(|_| format!("{path} can't be read: set THRONG_DATA to the folder of the tables"))
}

fn table(bytes: Vec<u8>) -> Result<Table, String> {
    let mut source = MemorySource { name: "table.csv".into(), bytes };
    let read = block_on(csv::read(&mut source, &ReadOptions::default(), &Progress::new(&Quiet)));
    Ok(read.map_err(|failure| format!("{failure:?}"))?.table)
}

/// The Adult database of the ℓ-diversity paper: 45,222 rows.
pub fn adult() -> Result<Table, String> {
    table(bytes("adult_45222.csv")?)
}

/// The Nursery data: 12,960 rows, every combination of eight columns once.
pub fn nursery() -> Result<Table, String> {
    table(bytes("nursery.csv")?)
}

/// The census data: 299,285 rows.
pub fn census() -> Result<Table, String> {
    table(super::census_file::csv()?)
}

pub fn place(table: &Table, name: &str) -> Result<usize, String> {
    let found = table.columns.iter().position(|column| column.name == name);
    found.ok_or_else(|| format!("the table has no column {name}"))
}

/// `rows` different rows, drawn by a seed, in their order.
pub fn sample(table: &Table, rows: usize, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut all: Vec<u32> = (0..table.rows as u32).collect();
    for next in 0..rows.min(all.len()) {
        let left = (all.len() - next) as u64;
        let drawn = next + ((u64::from(random.next_u32()) * left) >> 32) as usize;
        all.swap(next, drawn);
    }
    all.truncate(rows);
    all.sort_unstable();
    chosen(table, &all)
}

pub fn chosen(table: &Table, rows: &[u32]) -> Table {
    let column = |column: &Column| {
        let codes = rows.iter().map(|&row| column.codes[row as usize]).collect();
        Column::new(column.name.clone(), column.dictionary.clone(), codes, &[])
    };
    Table { columns: table.columns.iter().map(column).collect(), rows: rows.len() }
}

/// Lines of ARX's hierarchy of an Adult column, of those values only that the column has: the domain is what occurs.
fn lines(column: &Column) -> Result<Vec<Vec<String>>, String> {
    let text = bytes(&format!("arx_adult/adult_hierarchy_{}.csv", column.name.replace('_', "-")))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.lines().map(|line| line.split(';').map(str::to_owned).collect::<Vec<String>>());
    Ok(lines.filter(|line| column.dictionary.iter().any(|value| *value == line[0])).collect())
}

/// ARX's hierarchy of an Adult column.
pub fn arx(column: &Column) -> Result<Hierarchy, String> {
    Hierarchy::from_rows(&lines(column)?).map_err(|error| error.to_string())
}

/// A column as a quasi-identifier without limits.
pub fn quasi(table: &Table, name: &str, tree: Hierarchy) -> Result<Quasi, String> {
    let column = place(table, name)?;
    let leaves: Option<Vec<_>> = tree.bind(&table.columns[column].dictionary).leaves.into_iter().collect();
    let leaf_of_code = leaves.ok_or_else(|| format!("the hierarchy of {name} lacks values"))?;
    let limit_of_code = vec![ROOT; leaf_of_code.len()];
    Ok(Quasi { column, tree, leaf_of_code, limit_of_code })
}

/// Columns of Adult with ARX's hierarchies.
pub fn arx_quasi(table: &Table, names: &[&str]) -> Result<Vec<Quasi>, String> {
    let make = |name: &&str| quasi(table, name, arx(&table.columns[place(table, name)?])?);
    names.iter().map(make).collect()
}

/// Columns whose values are kept or become `*`.
pub fn flat_quasi(table: &Table, names: &[&str]) -> Result<Vec<Quasi>, String> {
    let make = |name: &&str| quasi(table, name, flat(&table.columns[place(table, name)?]));
    names.iter().map(make).collect()
}

pub fn flat(column: &Column) -> Hierarchy {
    Hierarchy::flat(column.dictionary.iter())
}

/// The unit of all times: one plain hash group-by of the quasi-identifiers.
pub fn group_by(table: &Table, quasi: &[Quasi]) -> f64 {
    least_seconds(5, || {
        let mut groups: HashMap<Vec<u32>, u32> = HashMap::new();
        for row in 0..table.rows {
            let key = quasi.iter().map(|quasi| table.columns[quasi.column].codes[row]).collect();
            *groups.entry(key).or_default() += 1;
        }
        groups.len()
    })
}
