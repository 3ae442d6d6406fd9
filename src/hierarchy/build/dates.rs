//! Days under months, quarters, years and decades.

use serde::{Deserialize, Serialize};

use super::super::values::{self, Date};
use super::BuildError;
use super::assemble::{Plan, present, runs};
use crate::sorting::Sorting;
use crate::table::Column;

/// What days are grouped by, from fine to coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateLevel {
    /// Differs from the values only where one day is written in several ways or has times.
    Day,
    Month,
    Quarter,
    Year,
    Decade,
}

impl DateLevel {
    /// `2024-05-17`, `2024-05`, `2024-Q2`, `2024`, `2020-2029`.
    fn label(self, Date { year, month, day }: Date) -> String {
        match self {
            DateLevel::Day => format!("{year:04}-{month:02}-{day:02}"),
            DateLevel::Month => format!("{year:04}-{month:02}"),
            DateLevel::Quarter => format!("{year:04}-Q{}", month.div_ceil(3)),
            DateLevel::Year => format!("{year:04}"),
            DateLevel::Decade => format!("{:04}-{:04}", year / 10 * 10, year / 10 * 10 + 9),
        }
    }

    /// The same for all days of a group, and for no others. Not a day of the calendar.
    fn key(self, date: Date) -> Date {
        let Date { year, month, .. } = date;
        match self {
            DateLevel::Day => date,
            DateLevel::Month => Date { day: 1, ..date },
            DateLevel::Quarter => Date { year, month: month.div_ceil(3), day: 0 },
            DateLevel::Year => Date { year, month: 0, day: 0 },
            DateLevel::Decade => Date { year: year / 10, month: 0, day: 0 },
        }
    }
}

pub fn dates(column: &Column, levels: &[DateLevel]) -> Result<Plan, BuildError> {
    if levels.is_empty() {
        return Err(BuildError::NoDateLevels);
    }
    let text = |code: u32| column.dictionary.text(code);
    let mut dates: Vec<(Date, u32)> =
        present(column).filter_map(|code| Some((values::date_of(column, text(code))?, code))).collect();
    dates.order_by_key(|&(date, code)| (date, text(code)));
    let mut levels = levels.to_vec();
    levels.order();
    levels.dedup();
    let level = |level: &DateLevel| {
        runs(dates.len(), |place| level.key(dates[place].0), |first, _, _| level.label(dates[first].0))
    };
    Ok(Plan { levels: levels.iter().map(level).collect(), placed: dates.iter().map(|&(_, code)| code).collect() })
}
