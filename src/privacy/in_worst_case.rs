//! A model judged whatever the truth is: groups and unknown cells of a class are taken as what is worst for it
//! (docs/models.md).
//!
//! The model itself sees an ordinary histogram, made for it:
//! - by [`worst_counts`], for figures that only get worse when rows move to more frequent values (distinct values, entropy,
//!   recursion, the largest share). The worst counts majorize those of every filling, so the figure is exact;
//! - by *possible* rows, for values that may not be frequent: all rows whose node is at, above or below the value's;
//! - by *sure* rows, for values that may not be rare: rows that are the value in every filling;
//! - as it is, for don't-care sets, of which no worst filling is known: a class with groups fails.
//!
//! A class without groups is judged as ever. What may be done to classes that hold ([`Monotone`]) stays what it is: every
//! filling of a merged (or larger) class is made of a filling of each part, and of those every one holds.
//! Complexity: that of the model, and O(n · log n) for n shown values, or O(n · log) for each named value.

use super::cells::Cells;
use super::{Better, Model, Monotone, worst_counts};
use crate::classes::Histogram;
use crate::table::shortened;

/// How a model is shown a class.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// By worst counts.
    Worst,
    /// As it is, where it has no group.
    Never,
    /// By the rows that count for each of some named values. The model knows them by their places here.
    Named(Vec<Named>),
}

/// A value or group that a demand names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub label: String,
    /// Codes whose rows count for it, ascending.
    pub codes: Vec<u32>,
}

/// Models of one demand, all of which must hold, each with how it is shown a class. They have one direction.
#[derive(Debug)]
pub struct InWorstCase {
    pub first: (Taken, Box<dyn Model>),
    pub second: Option<(Taken, Box<dyn Model>)>,
    /// What codes stand for; without it all are values.
    pub cells: Option<Cells>,
}

impl InWorstCase {
    fn parts(&self) -> impl Iterator<Item = &(Taken, Box<dyn Model>)> {
        std::iter::once(&self.first).chain(&self.second)
    }

    fn is_open(&self, class: &Histogram<'_>) -> bool {
        self.cells.as_ref().is_some_and(|cells| cells.are_open_in(class))
    }

    /// Lets `look` see a class as it is to be taken; `None` where it can't be.
    fn seen<T>(&self, taken: &Taken, class: &Histogram<'_>, look: impl FnOnce(&Histogram<'_>) -> T) -> Option<T> {
        match (taken, &self.cells) {
            (Taken::Named(named), _) => {
                let rows = |named: &Named| -> u32 {
                    let counts = class.counts.iter().filter(|(code, _)| named.codes.binary_search(code).is_ok());
                    counts.map(|&(_, rows)| rows).sum()
                };
                let counts: Vec<(u32, u32)> = (0..).zip(named.iter().map(rows)).filter(|&(_, rows)| rows > 0).collect();
                Some(look(&Histogram { size: class.size, counts: &counts }))
            }
            (Taken::Worst, Some(cells)) if cells.are_open_in(class) => {
                Some(look(&Histogram { size: class.size, counts: &worst_counts(cells, class) }))
            }
            (Taken::Never, Some(cells)) if cells.are_open_in(class) => None,
            (Taken::Worst | Taken::Never, _) => Some(look(class)),
        }
    }
}

impl Model for InWorstCase {
    fn holds(&self, class: &Histogram<'_>) -> bool {
        self.parts().all(|(taken, model)| self.seen(taken, class, |seen| model.holds(seen)).unwrap_or(false))
    }

    fn monotone(&self) -> Monotone {
        let second = self.second.as_ref().map_or(Monotone::Growing, |(_, model)| model.monotone());
        match (self.first.1.monotone(), second) {
            (Monotone::Never, _) | (_, Monotone::Never) => Monotone::Never,
            (Monotone::Growing, Monotone::Growing) => Monotone::Growing,
            _ => Monotone::Merging,
        }
    }

    fn achieved(&self, class: &Histogram<'_>) -> f64 {
        let better = self.better();
        let figures = self
            .parts()
            .map(|(taken, model)| self.seen(taken, class, |seen| model.achieved(seen)).unwrap_or(better.worst()));
        figures.fold(better.best(), |worst, figure| if better.is_worse(figure, worst) { figure } else { worst })
    }

    fn better(&self) -> Better {
        self.first.1.better()
    }

    fn least_rows(&self) -> u32 {
        self.parts().map(|(_, model)| model.least_rows()).max().unwrap_or(1)
    }

    fn explain(&self, class: &Histogram<'_>, name: &dyn Fn(u32) -> String) -> Option<String> {
        let (taken, model) =
            self.parts().find(|(taken, model)| !self.seen(taken, class, |seen| model.holds(seen)).unwrap_or(false))?;
        let named = |place: u32| match taken {
            Taken::Named(named) => {
                named.get(place as usize).map_or_else(String::new, |named| format!("“{}”", shortened(&named.label)))
            }
            Taken::Worst | Taken::Never => name(place),
        };
        let Some(sentence) = self.seen(taken, class, |seen| model.explain(seen, &named)) else {
            return Some(
                "It shows groups or missing values that may be any value, for which this model with a don't-care set \
                 can't be told to hold."
                    .to_owned(),
            );
        };
        let open = if self.is_open(class) {
            " Groups and missing values that may be any value are counted as what is worst."
        } else {
            ""
        };
        sentence.map(|sentence| sentence + open)
    }
}
