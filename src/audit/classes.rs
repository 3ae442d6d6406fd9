//! Classes one by one: what they show, and how a sensitive column is spread in them.

use serde::{Deserialize, Serialize};

use super::Grouped;
use super::room::is_near;
use crate::classes::Histogram;
use crate::classes::lowest;
use crate::privacy::{distinct, entropy_diversity, largest_share};
use crate::table::{Table, ValueCount, most_frequent, shortened};

/// Values that have a column of their own; the rest share one.
const MOST_VALUES: usize = 14;

/// What classes are listed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClassOrder {
    #[default]
    LeastDiverse,
    LargestShare,
    Smallest,
    Largest,
    /// Those that keep the policy's demands with the least room.
    LeastRoom,
}

/// Which classes are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    pub order: ClassOrder,
    /// Only those just above the line: that keep some demand with at most a tenth of its bound to spare.
    pub near: bool,
    pub first: u64,
    pub count: u32,
}

/// Some classes, in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassesPage {
    pub total: u64,
    pub first: u64,
    /// The values that counts are given for, most frequent first, with their rows in the whole table.
    pub values: Vec<ValueCount>,
    /// Rows of all other values.
    pub others: u64,
    pub rows: Vec<ClassRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    pub class: u32,
    pub size: u32,
    /// What the class shows in the quasi-identifiers.
    pub cells: Vec<String>,
    /// Rows with each of the page's values.
    pub counts: Vec<u32>,
    pub others: u32,
    pub distinct: u32,
    pub entropy_l: f64,
    pub largest_share: f64,
}

impl ClassesPage {
    /// `place` is one of the grouped sensitive columns; `None` if it is not. `rooms` are what
    /// [`Rooms`](super::Rooms) found of each class, if that is asked for; with `near` only classes just above the line
    /// are listed.
    pub fn of(
        table: &Table,
        grouped: &Grouped,
        place: usize,
        listing: &Listing,
        rooms: Option<&[f64]>,
    ) -> Option<ClassesPage> {
        let &Listing { order, near, first, count } = listing;
        let (histograms, worst) = grouped.histograms(place)?;
        let column = &table.columns[place];
        let key = |class: u32| -> f64 {
            let histogram = worst.class(class as usize);
            match order {
                ClassOrder::LeastDiverse => entropy_diversity(&histogram),
                ClassOrder::LargestShare => -largest_share(&histogram),
                ClassOrder::Smallest => f64::from(histogram.size),
                ClassOrder::Largest => -f64::from(histogram.size),
                ClassOrder::LeastRoom => rooms.map_or(0.0, |rooms| rooms[class as usize]),
            }
        };
        let listed = |class: &u32| !near || rooms.is_some_and(|rooms| is_near(rooms[*class as usize]));
        let mut keyed: Vec<(f64, u32)> =
            (0..histograms.len() as u32).filter(listed).map(|class| (key(class), class)).collect();
        let codes = most_frequent(column, MOST_VALUES);
        let start = (first as usize).min(keyed.len());
        let listed = lowest(&mut keyed, first, count);
        let shown: Vec<u32> = listed.into_iter().map(|(_, class)| class).collect();
        let examples = grouped.example_rows(&shown);
        let row = |(&class, &example): (&u32, &usize)| {
            let histogram = histograms.class(class as usize);
            let cell = |&quasi: &usize| shortened(table.columns[quasi].text(example));
            class_row(
                class,
                (&histogram, &worst.class(class as usize)),
                &codes,
                grouped.quasi.iter().map(cell).collect(),
            )
        };
        let value = |&code: &u32| ValueCount {
            value: shortened(column.dictionary.text(code)),
            count: u64::from(column.counts[code as usize]),
        };
        let values: Vec<ValueCount> = codes.iter().map(value).collect();
        let named: u64 = values.iter().map(|value| value.count).sum();
        Some(ClassesPage {
            total: keyed.len() as u64,
            first: start as u64,
            values,
            others: table.rows as u64 - named,
            rows: shown.iter().zip(&examples).map(row).collect(),
        })
    }
}

/// `histogram` is of what cells show, `worst` of the worst filling.
fn class_row(
    class: u32,
    (histogram, worst): (&Histogram<'_>, &Histogram<'_>),
    codes: &[u32],
    cells: Vec<String>,
) -> ClassRow {
    let count = |code: &u32| {
        let place = histogram.counts.binary_search_by_key(code, |&(value, _)| value);
        place.map_or(0, |place| histogram.counts[place].1)
    };
    let counts: Vec<u32> = codes.iter().map(count).collect();
    ClassRow {
        class,
        size: histogram.size,
        cells,
        others: histogram.size - counts.iter().sum::<u32>(),
        counts,
        distinct: distinct(worst),
        entropy_l: entropy_diversity(worst),
        largest_share: largest_share(worst),
    }
}

impl Grouped {
    /// The first row of each of some classes.
    pub fn example_rows(&self, classes: &[u32]) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.classes.sizes.len()];
        let mut wanted = vec![false; self.classes.sizes.len()];
        for &class in classes {
            wanted[class as usize] = true;
        }
        let mut left = classes.len();
        for (row, &class) in self.classes.of_row.iter().enumerate() {
            if wanted[class as usize] && first[class as usize] == usize::MAX {
                first[class as usize] = row;
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        classes.iter().map(|&class| first[class as usize]).collect()
    }
}
