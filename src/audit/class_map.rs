//! All classes at a glance: how many there are of each size, and the largest ones with how diverse they are, for a map in
//! which each has the area of its rows.
//!
//! Complexity: O(classes · log + entries of the histograms).

use serde::{Deserialize, Serialize};

use super::{Grouped, SizeBand};
use crate::classes::lowest;
use crate::privacy::{entropy_diversity, largest_share};
use crate::sorting::Sorting;
use crate::table::{Table, shortened};

/// As many classes as have a place of their own on the map.
const MOST_CLASSES: u32 = 500;
/// As many bars as sizes are counted in.
const MOST_BARS: u32 = 24;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMap {
    pub rows: u64,
    pub classes: u64,
    /// Bands of one width from the smallest class on; the last has no upper end and takes the few largest.
    pub sizes: Vec<SizeBand>,
    /// The largest first.
    pub largest: Vec<MapClass>,
    /// All other classes: how many, their rows, and how diverse the least diverse of them is.
    pub rest: (u64, u64, f64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapClass {
    pub class: u32,
    pub size: u32,
    /// How many equally likely values it is as diverse as.
    pub entropy_l: f64,
    pub largest_share: f64,
    pub cells: Vec<String>,
}

impl ClassMap {
    /// `place` is one of the grouped sensitive columns; `None` if it is not.
    pub fn of(table: &Table, grouped: &Grouped, place: usize) -> Option<ClassMap> {
        let (_, histograms) = grouped.histograms(place)?;
        let mut keyed: Vec<(f64, u32)> =
            (0..).zip(&grouped.classes.sizes).map(|(class, &size)| (-f64::from(size), class)).collect();
        let shown: Vec<u32> = lowest(&mut keyed, 0, MOST_CLASSES).into_iter().map(|(_, class)| class).collect();
        let mut rest = (0, 0, f64::INFINITY);
        for &(size, class) in keyed.iter().skip(shown.len()) {
            let diversity = entropy_diversity(&histograms.class(class as usize));
            rest = (rest.0 + 1, rest.1 + -size as u64, if diversity < rest.2 { diversity } else { rest.2 });
        }
        let examples = grouped.example_rows(&shown);
        let class = |(&class, &row): (&u32, &usize)| {
            let histogram = histograms.class(class as usize);
            MapClass {
                class,
                size: histogram.size,
                entropy_l: entropy_diversity(&histogram),
                largest_share: largest_share(&histogram),
                cells: grouped.quasi.iter().map(|&quasi| shortened(table.columns[quasi].text(row))).collect(),
            }
        };
        Some(ClassMap {
            rows: table.rows as u64,
            classes: grouped.classes.sizes.len() as u64,
            sizes: bands(&grouped.classes.sizes),
            largest: shown.iter().zip(&examples).map(class).collect(),
            rest,
        })
    }
}

/// Sizes in bands of one width, so many that nearly all classes (19 of 20) are in those with an upper end.
fn bands(sizes: &[u32]) -> Vec<SizeBand> {
    let mut sorted = sizes.to_vec();
    sorted.order();
    let (Some(&least), Some(&last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let usual = sorted[(sorted.len() - 1) * 19 / 20];
    let width = (usual - least + 1).div_ceil(MOST_BARS - 1);
    let bars = (last - least) / width + 1;
    let bars = bars.min(MOST_BARS);
    let band = |bar: u32| {
        let from = least + bar * width;
        SizeBand { from, to: (bar + 1 < bars).then_some(from + width - 1), classes: 0, rows: 0 }
    };
    let mut bands: Vec<SizeBand> = (0..bars).map(band).collect();
    if let Some(end) = bands.last_mut().filter(|band| last < band.from + width) {
        end.to = Some(end.from + width - 1);
    }
    for &size in sizes {
        let band = &mut bands[((size - least) / width).min(bars - 1) as usize];
        band.classes += 1;
        band.rows += u64::from(size);
    }
    bands
}
