//! How a run recoded, as tables of values and what they become.
//!
//! Full-domain recoding has a map for every quasi-identifier. Local recoding has one map from the different tuples of the
//! sample, provided that rows with the same values became the same: then, and only then, it is a function that SQL can
//! join. Guarantee: no value is named that fewer rows of the sample have than the policy's k, and no leaf of a hierarchy
//! that the sample lacks: a leaf that alone were not there would be known to be rare. What is not named goes to the top of
//! its hierarchy, or is left out where a limit forbids that, or where tuples are mapped. Complexity: O(rows · columns).

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::policy::Quasi;
use crate::policy::Setup;
use crate::run::Run;
use crate::sorting::Sorting;
use crate::table::{Column, Table};
use crate::words::{counted, grouped};

/// What quasi-identifiers become.
pub enum Recoding {
    /// Each by itself, in the order of the table.
    FullDomain(Vec<Map>),
    /// The tuples of kept rows, and the tuples they became.
    Classes(Tuples),
}

/// Tuples of values, and what each becomes.
pub type Tuples = Vec<(Vec<String>, Vec<String>)>;

/// What the values of one quasi-identifier become.
pub enum Map {
    /// Every value the same, also one that was never seen.
    All(String),
    /// Those that enough rows have; and what all others become, if they may become anything.
    Values(BTreeMap<String, String>, Option<String>),
}

/// Values that fewer rows have are not named: the largest k that the policy demands, and never those of a single row.
pub fn least_rows(setup: &Setup) -> u32 {
    setup.demanded_k().unwrap_or(0).max(2)
}

pub fn recoding(table: &Table, run: &Run, quasi: &[usize]) -> Result<Recoding, Failure> {
    match &run.view.lattice {
        Some(lattice) => {
            let map = |(&place, &level): (&usize, &u16)| full_domain(table, &run.setup, place, usize::from(level));
            quasi.iter().zip(&lattice.best).map(map).collect::<Result<_, _>>().map(Recoding::FullDomain)
        }
        None => class_map(table, run, quasi).map(Recoding::Classes),
    }
}

fn full_domain(table: &Table, setup: &Setup, place: usize, level: usize) -> Result<Map, Failure> {
    let least = least_rows(setup);
    let (column, setup) = (&table.columns[place], &setup.columns[place]);
    let Quasi { tree, leaf_of_code, .. } = Quasi::new(place, setup, column)?;
    let template = setup.template.as_deref();
    let limited = template.is_some_and(|template| !template.limits.is_empty());
    if level + 1 >= tree.levels() && !limited {
        return Ok(Map::All(tree.label(ROOT).to_owned()));
    }
    let named = is_frequent(column, least);
    let mut map = BTreeMap::new();
    for (code, &leaf) in leaf_of_code.iter().enumerate().filter(|&(code, _)| named[code]) {
        let node: NodeId = tree.at_level(leaf, level);
        map.insert(column.dictionary.text(code as u32).to_owned(), tree.label(node).to_owned());
    }
    Ok(Map::Values(map, (!limited).then(|| tree.label(ROOT).to_owned())))
}

/// Whether at least so many rows have the value of each code. All missing tokens are one value.
fn is_frequent(column: &Column, least: u32) -> Vec<bool> {
    let missing = column.missing_rows();
    let is_missing = column.is_missing();
    let rows = |code: usize| match is_missing[code] {
        true => missing,
        false => u64::from(column.counts[code]),
    };
    (0..column.dictionary.len()).map(|code| rows(code) >= u64::from(least)).collect()
}

fn class_map(table: &Table, run: &Run, quasi: &[usize]) -> Result<Tuples, Failure> {
    let columns: Vec<&Column> = quasi.iter().map(|&place| &table.columns[place]).collect();
    let codes: Vec<Cow<'_, [u32]>> = columns.iter().map(|column| column.class_codes()).collect();
    let keys: Vec<Keys> = codes
        .iter()
        .zip(&columns)
        .map(|(codes, column)| Keys { codes, size: column.dictionary.len() as u32 })
        .collect();
    let tuples = Classes::group(table.rows, &keys);
    // Of each tuple, a row of the output; of a suppressed one, none.
    let mut shown: Vec<Option<u32>> = vec![None; table.rows];
    for (output, &row) in (0..).zip(&run.row_of) {
        shown[row as usize] = Some(output);
    }
    let class = |output: Option<u32>| output.map(|output| run.grouped.classes.of_row[output as usize]);
    let mut first: Vec<Option<usize>> = vec![None; tuples.sizes.len()];
    let mut split = vec![false; tuples.sizes.len()];
    for (row, &tuple) in tuples.of_row.iter().enumerate() {
        let first = *first[tuple as usize].get_or_insert(row);
        split[tuple as usize] |= class(shown[first]) != class(shown[row]);
    }
    let splits = split.iter().filter(|&&split| split).count();
    if splits > 0 {
        let what = format!(
            "Rows with the same quasi-identifiers were released differently ({} of {}), which no table of values can say.",
            grouped(splits as u64),
            counted(split.len() as u64, "tuple")
        );
        return Err(Failure::refused(what, "Use the algorithm “lattice”, or “mondrian” with “refine”: false."));
    }
    let released: Vec<&Column> = run.grouped.quasi.iter().map(|&place| &run.output.columns[place]).collect();
    let least = least_rows(&run.setup);
    let named: Vec<Vec<bool>> = columns.iter().map(|column| is_frequent(column, least)).collect();
    let entry = |row: &usize| {
        let output = shown[*row]? as usize;
        if codes.iter().zip(&named).any(|(codes, named)| !named[codes[*row] as usize]) {
            return None;
        }
        let value = |(codes, column): (&Cow<'_, [u32]>, &&Column)| column.dictionary.text(codes[*row]).to_owned();
        let values = codes.iter().zip(&columns).map(value).collect();
        Some((values, released.iter().map(|column| column.text(output).to_owned()).collect()))
    };
    // By their texts: the order of the sample's rows must not leak.
    let mut entries: Tuples = first.iter().flatten().filter_map(entry).collect();
    entries.order();
    Ok(entries)
}
