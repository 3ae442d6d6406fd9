//! Everyone under attack: of how many persons a sensitive value is certain to who knows their quasi-identifiers, and how
//! large the risks of being found are, before and after.
//!
//! A person is looked for in every class that fits them ([`super::reach`]); their value is certain when all of these have
//! one and the same. Risks are the usual three: *prosecutor*, who knows that a person is in the table (1 ÷ the size of
//! their class), *journalist*, who does not (1 ÷ the persons of the population whom the class's cells fit; the original
//! table is taken as the population), *marketer*, who wants many (one a class). Which records are above the threshold says
//! [`crate::classes::risk`], and beside them stand those of fewer than eleven.
//! Complexity: O(kinds of persons · classes that agree in one column · columns); with too many of them every so many-th
//! kind is tried, and the answer says so.

use serde::{Deserialize, Serialize};

use super::background::{self, Fallen};
use super::homogeneity::has_one_value;
use super::reach::{Reach, original_codes};
use super::target::Secret;
use crate::classes::Histogram;
use crate::classes::risk::{PUBLIC, TAKEN_FOR_PUBLIC, smallest_class};
use crate::classes::{Classes, Histograms};
use crate::failure::Failure;
use crate::grouped::Grouped;
use crate::policy::Missing;
use crate::progress::{Progress, Report};
use crate::run::Run;
use crate::table::Table;

/// Pairs of a kind of persons and a class that are tried at most, before one column rules most out.
const MOST_PAIRS: u64 = 4_000_000_000;
/// Pairs between two looks at the clock.
const STRIDE: u64 = 1 << 18;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposure {
    pub before: Exposed,
    pub after: Exposed,
    /// Rows that are certain to who rules out 0, 1, 2, … values of the person's own class.
    pub fallen_before: Vec<Fallen>,
    pub fallen_after: Vec<Fallen>,
    /// Persons not in the release.
    pub left_out: u64,
    /// Persons of whom certainty is wrong: they were left out, and others fit.
    pub mistaken: u64,
    /// Persons whom no class fits.
    pub nowhere: u64,
    /// Persons whom several classes fit.
    pub several: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exposed {
    /// Persons whose value is certain, rightly, of so many that were tried.
    pub certain: u64,
    pub tried: u64,
    /// Records in the table.
    pub rows: u64,
    pub prosecutor: Risk,
    pub journalist: Risk,
    pub marketer: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Risk {
    pub highest: f64,
    /// Records whose risk is above the threshold usual for public release, 0.09.
    pub above: u64,
    /// Records of fewer persons than are taken for 0.09 in practice.
    pub below_11: u64,
}

impl Risk {
    /// `persons` are those that may be meant by a record of each class.
    fn of(classes: &Classes, persons: &[u64]) -> Risk {
        let least = persons.iter().copied().min().unwrap_or(0);
        let of_fewer_than = |least: u32| -> u64 {
            let few = classes.sizes.iter().zip(persons).filter(|(_, persons)| **persons < u64::from(least));
            few.map(|(&size, _)| u64::from(size)).sum()
        };
        Risk {
            highest: if least > 0 { 1.0 / least as f64 } else { 0.0 },
            above: of_fewer_than(smallest_class(PUBLIC)),
            below_11: of_fewer_than(TAKEN_FOR_PUBLIC),
        }
    }

    fn prosecutor(classes: &Classes) -> Risk {
        Risk {
            highest: classes.highest_risk(),
            above: classes.rows_above(PUBLIC),
            below_11: classes.rows_in_classes_below(TAKEN_FOR_PUBLIC),
        }
    }
}

/// What the classes that fit a person say.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    Nothing,
    /// One value, by the original's code.
    One(u32),
    Several,
}

impl Exposure {
    /// `place` is a sensitive column of the output; without one nothing can be certain.
    pub async fn of(
        table: &Table,
        run: &Run,
        place: Option<usize>,
        progress: &Progress<'_>,
    ) -> Result<Exposure, Failure> {
        // The set-up may have changed since the run.
        let kinds = Grouped::new(table, &run.setup);
        let (persons, classes) = (&kinds.classes, &run.grouped.classes);
        let secret = place.map(|place| Secret::new(table, run, place)).transpose()?;
        let values = secret.as_ref().map(|secret| Histograms::new(persons, &secret.original.class_codes()));
        let original =
            secret.as_ref().and_then(|secret| table.columns.iter().position(|one| one.name == secret.original.name));
        // What is told is told rightly: of a cell that is unknown there is nothing to be certain of.
        let unknown = original.is_some_and(|place| run.setup.columns[place].missing == Missing::Unknown);
        let is_missing = secret.as_ref().map(|secret| secret.original.is_missing()).unwrap_or_default();
        let tells = |code: u32| !unknown || is_missing.get(code as usize).is_none_or(|is_missing| !is_missing);
        let one_value = |values: &Histograms| {
            let certain =
                |kind: &Histogram<'_>| has_one_value(kind) && kind.counts.iter().all(|&(code, _)| tells(code));
            values.iter().filter(certain).map(|kind| u64::from(kind.size)).sum()
        };
        let before_worst = original.and_then(|place| kinds.histograms(place)).map(|(_, worst)| worst);
        let certain_before = values.as_ref().map_or(0, one_value);

        // What each class says.
        let said: Vec<Said> = match &secret {
            None => vec![Said::Several; classes.sizes.len()],
            Some(secret) => {
                let setup = original.and_then(|place| run.setup.columns.get(place));
                let codes = setup.map(|setup| original_codes(setup, secret.original, secret.released));
                let codes = codes.unwrap_or_default();
                let one = |class: Histogram<'_>| match class.counts {
                    [(code, _)] => {
                        let code = codes.get(*code as usize).copied().flatten().filter(|&code| tells(code));
                        code.map_or(Said::Several, Said::One)
                    }
                    _ => Said::Several,
                };
                secret.histograms.iter().map(one).collect()
            }
        };
        let reach = Reach::all(table, run)?;
        let fitting = Fitting::new(&reach, run);
        let all: Vec<u32> = (0..persons.sizes.len() as u32).collect();
        let examples = kinds.example_rows(&all);
        let step = (persons.sizes.len() as u64 * classes.sizes.len() as u64).div_ceil(MOST_PAIRS).max(1) as usize;
        let mut covered = vec![0u64; classes.sizes.len()];
        let (mut certain, mut tried, mut mistaken, mut nowhere, mut several) = (0, 0, 0, 0, 0);
        let (mut pairs, mut looked) = (0, 0);
        for kind in (0..persons.sizes.len()).step_by(step) {
            let size = u64::from(persons.sizes[kind]);
            let mut answer = Said::Nothing;
            let mut fit = 0;
            pairs += fitting.each(&reach, examples[kind], &mut |class| {
                covered[class] += size;
                fit += 1;
                answer = match answer {
                    Said::Nothing => said[class],
                    answer if answer == said[class] => answer,
                    _ => Said::Several,
                };
            });
            tried += size;
            several += if fit > 1 { size } else { 0 };
            match answer {
                Said::Nothing => nowhere += size,
                Said::Several => {}
                Said::One(value) => {
                    let of_kind = values.as_ref().map(|values| values.class(kind).counts).unwrap_or_default();
                    let having = of_kind.iter().find(|(other, _)| *other == value);
                    let right = having.map_or(0, |&(_, count)| u64::from(count));
                    certain += right;
                    mistaken += size - right;
                }
            }
            if pairs / STRIDE > looked {
                looked = pairs / STRIDE;
                let report = || Report {
                    phase: "Attacking everyone".into(),
                    fraction: Some(kind as f64 / persons.sizes.len() as f64),
                    detail: String::new(),
                };
                progress.checkpoint(report).await?;
            }
        }
        let (before, prosecutor) = (Risk::prosecutor(persons), Risk::prosecutor(classes));
        // Of a part of the persons it is not known whom else a class fits; no risk is above the prosecutor's.
        let journalist = if step == 1 { Risk::of(classes, &covered) } else { prosecutor };
        Ok(Exposure {
            before: Exposed {
                certain: certain_before,
                tried: table.rows as u64,
                rows: table.rows as u64,
                prosecutor: before,
                journalist: before,
                marketer: persons.average_risk(),
            },
            after: Exposed {
                certain,
                tried,
                rows: run.output.rows as u64,
                prosecutor,
                journalist,
                marketer: classes.average_risk(),
            },
            fallen_before: before_worst.map(background::fallen).unwrap_or_default(),
            fallen_after: secret.map(|secret| background::fallen(secret.worst)).unwrap_or_default(),
            left_out: (table.rows - run.output.rows) as u64,
            mistaken,
            nowhere,
            several,
        })
    }
}

/// The classes of a release by their cells in the column that tells most of them apart.
struct Fitting {
    /// That column's place among the quasi-identifiers.
    column: usize,
    /// For each of its cells the classes that show it, and an example row of each class.
    classes_of_cell: Vec<Vec<u32>>,
    examples: Vec<usize>,
}

impl Fitting {
    fn new(reach: &[Reach<'_>], run: &Run) -> Fitting {
        let classes: Vec<u32> = (0..run.grouped.classes.sizes.len() as u32).collect();
        let examples = run.grouped.example_rows(&classes);
        let cells = |place: &usize| (reach[*place].released.dictionary.len(), usize::MAX - place);
        let column = (0..reach.len()).max_by_key(cells).unwrap_or(0);
        let mut classes_of_cell = vec![Vec::new(); reach.get(column).map_or(0, |column| column.node_of_cell.len())];
        if let Some(column) = reach.get(column) {
            for (class, &row) in (0..).zip(&examples) {
                classes_of_cell[column.released.codes[row] as usize].push(class);
            }
        }
        Fitting { column, classes_of_cell, examples }
    }

    /// Calls `found` with each class that fits the person of a row; gives the number of classes that were looked at.
    fn each(&self, reach: &[Reach<'_>], row: usize, found: &mut dyn FnMut(usize)) -> u64 {
        let Some(first) = reach.get(self.column) else { return 0 };
        let mut looked = self.classes_of_cell.len() as u64;
        for (cell, classes) in (0..).zip(&self.classes_of_cell) {
            if !first.fits(cell, first.original.codes[row]) {
                continue;
            }
            looked += classes.len() as u64;
            for &class in classes {
                let example = self.examples[class as usize];
                if reach.iter().all(|column| column.fits(column.released.codes[example], column.original.codes[row])) {
                    found(class as usize);
                }
            }
        }
        looked
    }
}
