//! The rows of a table by their classes, with the histograms of the sensitive columns: what findings, run, attacks, audit and
//! report read their figures off.
//!
//! Where cells are groups or unknown, figures are those of the worst filling (docs/models.md).
//! Complexity: O(rows · columns + values of the classes · log).

use serde::{Deserialize, Serialize};

use crate::classes::{Classes, Histograms, Keys};
use crate::policy::{Setup, with_sensitive};
use crate::privacy::worst_histograms;
use crate::table::Table;

/// Lower ends of the bands that class sizes are counted in.
const BANDS: [u32; 9] = [1, 2, 3, 5, 11, 20, 50, 100, 1000];

/// The rows of a table by their classes.
#[derive(Debug)]
pub struct Grouped {
    pub classes: Classes,
    /// The columns that the classes agree in.
    pub quasi: Vec<usize>,
    /// The sensitive columns with the histogram of every class.
    pub sensitive: Vec<(usize, Histograms)>,
    /// For each of them the histograms of the worst filling, where some cells are groups or unknown.
    worst: Vec<Option<Histograms>>,
}

/// Classes of about a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeBand {
    pub from: u32,
    /// `None` for the last band, which has no upper end.
    pub to: Option<u32>,
    pub classes: u64,
    pub rows: u64,
}

impl Grouped {
    pub fn new(table: &Table, setup: &Setup) -> Grouped {
        let quasi: Vec<usize> = setup.quasi_identifiers().collect();
        let codes: Vec<_> = quasi.iter().map(|&place| table.columns[place].class_codes()).collect();
        let sizes = quasi.iter().map(|&place| table.columns[place].dictionary.len() as u32);
        let keys: Vec<Keys> = codes.iter().zip(sizes).map(|(codes, size)| Keys { codes, size }).collect();
        let classes = Classes::group(table.rows, &keys);
        let sensitive: Vec<(usize, Histograms)> = with_sensitive(setup, table, |columns| {
            columns.iter().map(|(place, keys)| (*place, Histograms::new(&classes, keys.codes))).collect()
        });
        let worst = |(place, histograms): &(usize, Histograms)| {
            setup.cells(table, *place).map(|cells| worst_histograms(histograms, &cells))
        };
        let worst = sensitive.iter().map(worst).collect();
        Grouped { classes, quasi, sensitive, worst }
    }

    /// The histograms of a sensitive column as they are shown, and those that figures are read off: of the worst filling of
    /// groups and unknown cells. `None` if the column is none of the grouped.
    pub fn histograms(&self, place: usize) -> Option<(&Histograms, &Histograms)> {
        let at = self.sensitive.iter().position(|(other, _)| *other == place)?;
        let shown = &self.sensitive[at].1;
        Some((shown, self.worst[at].as_ref().unwrap_or(shown)))
    }
}

/// The classes by their sizes.
pub fn bands(classes: &Classes) -> Vec<SizeBand> {
    let mut bands: Vec<SizeBand> = BANDS
        .iter()
        .enumerate()
        .map(|(place, &from)| SizeBand { from, to: BANDS.get(place + 1).map(|next| next - 1), classes: 0, rows: 0 })
        .collect();
    for &size in &classes.sizes {
        let band = &mut bands[BANDS.partition_point(|&from| from <= size).saturating_sub(1)];
        band.classes += 1;
        band.rows += u64::from(size);
    }
    bands
}
