//! One class of a release, closely: how a sensitive column is spread in it against the original table, how far that is
//! apart, and how much room each demand leaves it.
//!
//! Distances are those of t-closeness (earth mover's, docs/models.md; with equally distant values it is the total variation) and
//! the Kullback-Leibler divergence of the class from the table, in nats. Complexity: O(values + classes) a demand.

use serde::{Deserialize, Serialize};

use super::Rooms;
use crate::attack::reach::original_codes;
use crate::policy::{ColumnSetup, Distance, Missing};
use crate::privacy::{distinct, entropy_diversity, largest_share};
use crate::run::Run;
use crate::sorting::Sorting;
use crate::table::{Column, Table, shortened};

/// Values that are listed.
const MOST_VALUES: usize = 12;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassCard {
    pub class: u32,
    pub size: u32,
    /// What it shows: column and cell.
    pub cells: Vec<(String, String)>,
    pub distinct: u32,
    pub entropy_l: f64,
    pub largest_share: f64,
    /// Values with their shares of the class and of the original table; those with the largest share of either.
    pub values: Vec<(String, f64, f64)>,
    /// The shares of all other values.
    pub others: (f64, f64),
    /// Distances from the original table that mean something for the column.
    pub distances: Vec<(Distance, f64)>,
    /// `None` where cells show groups, which the original does not have, or are unknown.
    pub divergence: Option<f64>,
    pub standings: Vec<ClassStanding>,
}

/// How a class stands with a demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassStanding {
    /// The demand's place in the policy.
    pub demand: u32,
    pub attribute: Option<String>,
    pub achieved: f64,
    /// As a share of the bound.
    pub room: f64,
}

impl ClassCard {
    /// `place` is a sensitive column of the output; `None` if it is not, or there is no such class.
    pub fn of(table: &Table, run: &Run, rooms: &Rooms, place: usize, class: u32) -> Option<ClassCard> {
        let (histograms, worst) = run.grouped.histograms(place)?;
        if class as usize >= histograms.len() {
            return None;
        }
        let histogram = histograms.class(class as usize);
        // What the class surely has, whatever its groups are.
        let worst = worst.class(class as usize);
        let released = &run.output.columns[place];
        let original = table.columns.iter().position(|other| other.name == released.name)?;
        let whole = original_shares(&run.setup.columns[original], &table.columns[original], released);
        let share = |count: u32| f64::from(count) / f64::from(histogram.size);
        let mut here = vec![0.0; whole.len()];
        for &(code, count) in histogram.counts {
            here[code as usize] = share(count);
        }
        let mut values: Vec<usize> = (0..whole.len()).filter(|&code| here[code] > 0.0 || whole[code] > 0.0).collect();
        let larger = |code: usize| if here[code] > whole[code] { here[code] } else { whole[code] };
        values.order_by(|&one, &other| larger(other).total_cmp(&larger(one)).then(one.cmp(&other)));
        values.truncate(MOST_VALUES);
        values.order_by(|&one, &other| here[other].total_cmp(&here[one]).then(whole[other].total_cmp(&whole[one])));
        let value = |&code: &usize| (shortened(released.dictionary.text(code as u32)), here[code], whole[code]);
        let values: Vec<(String, f64, f64)> = values.iter().map(value).collect();
        let listed = values.iter().fold((0.0, 0.0), |sum, value| (sum.0 + value.1, sum.1 + value.2));
        let left = |listed: f64| if 1.0 - listed > 1e-9 { 1.0 - listed } else { 0.0 };
        let unknown = run.setup.columns[original].missing == Missing::Unknown;
        let is_missing = released.is_missing();
        let is_known = |code: u32| whole[code as usize] > 0.0 && !(unknown && is_missing[code as usize]);
        let known = histogram.counts.iter().all(|&(code, _)| is_known(code));
        let term = |&(code, count): &(u32, u32)| share(count) * libm::log(share(count) / whole[code as usize]);
        let example = run.grouped.example_rows(&[class])[0];
        let cell = |&quasi: &usize| {
            let column = &run.output.columns[quasi];
            (column.name.clone(), shortened(column.text(example)))
        };
        let standing = |demand: &super::room::DemandRooms| ClassStanding {
            demand: demand.demand as u32,
            attribute: demand.attribute.map(|place| run.output.columns[place].name.clone()),
            achieved: demand.achieved[class as usize],
            room: demand.room(class as usize),
        };
        let distance = |&distance: &Distance| {
            let reference = run.setup.reference_on(table, original, released, distance)?;
            Some((distance, reference.distance(&histogram)))
        };
        Some(ClassCard {
            class,
            size: histogram.size,
            cells: run.grouped.quasi.iter().map(cell).collect(),
            distinct: distinct(&worst),
            entropy_l: entropy_diversity(&worst),
            largest_share: largest_share(&worst),
            others: (left(listed.0), left(listed.1)),
            values,
            distances: Distance::ALL.iter().filter_map(distance).collect(),
            divergence: known.then(|| histogram.counts.iter().map(term).sum()),
            standings: rooms.demands.iter().map(standing).collect(),
        })
    }
}

/// The share that each of the released column's codes has of the original's rows. All missing tokens are one value, that of
/// the first.
fn original_shares(setup: &ColumnSetup, original: &Column, released: &Column) -> Vec<f64> {
    let rows = original.codes.len().max(1) as f64;
    let (is_missing, mut is_folded) = (original.is_missing(), released.is_missing());
    if let Some(&first) = released.missing.first() {
        is_folded[first as usize] = false;
    }
    let share = |(code, same): (u32, Option<u32>)| match same {
        Some(same) if is_missing[same as usize] && !is_folded[code as usize] => original.missing_rows() as f64 / rows,
        Some(same) if !is_missing[same as usize] => f64::from(original.counts[same as usize]) / rows,
        _ => 0.0,
    };
    (0..).zip(original_codes(setup, original, released)).map(share).collect()
}
