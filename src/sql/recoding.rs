//! How a run recoded, as tables of values and what they become.
//!
//! Full-domain recoding has a map for every quasi-identifier, which covers its whole hierarchy, also what the sample lacks.
//! Local recoding has one map from the different tuples of the sample, provided that rows with the same values became the
//! same: then, and only then, it is a function that SQL can join. Complexity: O(rows · columns).

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{Limits, NodeId, ROOT};
use crate::policy::Setup;
use crate::release::Quasi;
use crate::run::Run;
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
    Values(BTreeMap<String, String>),
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
    let (column, setup) = (&table.columns[place], &setup.columns[place]);
    let Quasi { tree, leaf_of_code, .. } = Quasi::new(place, setup, column)?;
    let template = setup.template.as_deref();
    let limited = template.is_some_and(|template| !template.limits.is_empty());
    if level + 1 >= tree.levels() && !limited {
        return Ok(Map::All(tree.label(ROOT).to_owned()));
    }
    let mut map = BTreeMap::new();
    // Of the hierarchy, also what the sample lacks, unless a limit forbids what it would become.
    if let Some(template) = template {
        let full = &template.tree;
        let (cut, numbers) = full.from_level(setup.from_level as usize);
        let limits = Limits::new(full, &template.marks()).of_all(full);
        for &leaf in full.leaves() {
            let node = cut.at_level(numbers[leaf as usize], level);
            if cut.depth(node) >= full.depth(limits[leaf as usize]) {
                map.insert(full.label(leaf).to_owned(), cut.label(node).to_owned());
            }
        }
    }
    for (&leaf, text) in leaf_of_code.iter().zip(column.dictionary.iter()) {
        let node: NodeId = tree.at_level(leaf, level);
        map.insert(text.to_owned(), tree.label(node).to_owned());
    }
    Ok(Map::Values(map))
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
    let entry = |row: &usize| {
        let output = shown[*row]? as usize;
        let value = |(codes, column): (&Cow<'_, [u32]>, &&Column)| column.dictionary.text(codes[*row]).to_owned();
        let values = codes.iter().zip(&columns).map(value).collect();
        Some((values, released.iter().map(|column| column.text(output).to_owned()).collect()))
    };
    Ok(first.iter().flatten().filter_map(entry).collect())
}
