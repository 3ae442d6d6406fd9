//! What people's values are called: as a cell, a leaf or the original table writes them, else a value that stands for all
//! of its stretch. Complexity: O(different cells · log values).

use super::covered::Covered;
use crate::linkage::cells::Cover;
use crate::linkage::plan::CLASS_COLUMN;
use crate::linkage::releases::{Releases, column};
use crate::sorting::Sorting;
use crate::table::Table;

/// As many values as are offered of a column.
const OFFERED: usize = 200;

pub struct Names<'a> {
    releases: &'a Releases,
    covered: &'a Covered,
    /// How each value of each column is written, where it is.
    written: Vec<Vec<Option<&'a str>>>,
}

impl<'a> Names<'a> {
    pub fn new(releases: &'a Releases, covered: &'a Covered, original: Option<&'a Table>) -> Self {
        let of_column = |place: usize| {
            let (reader, domain) = (&releases.readers[place], &covered.domains[place]);
            let mut written = vec![None; domain.len()];
            let mut write = |text: &'a str| {
                if let Some(at) = domain.place(&reader.value(text)) {
                    written[at as usize].get_or_insert(text);
                }
            };
            if let Some(column) = original.and_then(|table| column(table, &releases.quasi[place])) {
                column.dictionary.iter().for_each(&mut write);
            }
            reader.leaf_labels().for_each(&mut write);
            let cells = releases.releases.iter().flat_map(|release| &release.cells[place]);
            let cells = cells.filter(|cell| matches!(cell.cover, Cover::Exactly(_))).map(|cell| cell.text.as_str());
            // One value may be written in several ways, and the first row must not say in which.
            let mut texts: Vec<&str> = cells.collect();
            texts.order();
            texts.into_iter().for_each(&mut write);
            written
        };
        Names { releases, covered, written: (0..releases.quasi.len()).map(of_column).collect() }
    }

    pub fn cells(&self, places: &[Option<u32>]) -> Vec<Option<String>> {
        places.iter().enumerate().map(|(column, place)| self.name(column, (*place)?)).collect()
    }

    fn name(&self, column: usize, place: u32) -> Option<String> {
        match self.written[column].get(place as usize)? {
            Some(text) => Some((*text).to_owned()),
            None => self.covered.domains[column].value(place).map(|value| self.releases.readers[column].written(value)),
        }
    }

    /// For each column the first values that all releases have a cell for.
    pub fn offers(&self) -> Vec<Vec<String>> {
        let of_column = |column: usize| {
            if self.releases.quasi[column] == CLASS_COLUMN {
                return Vec::new();
            }
            let everywhere =
                |place: &u32| self.covered.covering.iter().all(|lists| !lists[column].get(*place).is_empty());
            let places = (0..self.covered.domains[column].len() as u32).filter(everywhere);
            places.filter_map(|place| self.name(column, place)).take(OFFERED).collect()
        };
        (0..self.releases.quasi.len()).map(of_column).collect()
    }
}
