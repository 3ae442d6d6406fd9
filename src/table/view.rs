//! Rows in another order, or only some of them, without touching the table: a list of row numbers.
//!
//! Sorting ranks the column's different values once and then counts rows into place: O(rows + values · log values).

use serde::{Deserialize, Serialize};

use super::{Column, Kind, Table};
use crate::sorting::Sorting;

/// How a person wants to look at the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    pub sort: Option<Sort>,
    pub filter: Option<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    pub column: u32,
    pub descending: bool,
}

/// Keeps the rows whose cell contains a text, upper and lower case alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    pub column: u32,
    pub contains: String,
}

impl View {
    pub fn is_plain(&self) -> bool {
        *self == View::default()
    }

    /// The rows to show, in their order. A column that does not exist neither sorts nor filters.
    pub fn rows(&self, table: &Table) -> Vec<u32> {
        let kept: Vec<u32> =
            match self.filter.as_ref().and_then(|filter| Some((filter, table.columns.get(filter.column as usize)?))) {
                Some((filter, column)) => filter.rows(column),
                None => (0..table.rows as u32).collect(),
            };
        match self.sort.as_ref().and_then(|sort| Some((sort, table.columns.get(sort.column as usize)?))) {
            Some((sort, column)) => sort.order(column, &kept),
            None => kept,
        }
    }
}

impl Filter {
    fn rows(&self, column: &Column) -> Vec<u32> {
        let wanted = self.contains.to_lowercase();
        let matches: Vec<bool> = column.dictionary.iter().map(|text| text.to_lowercase().contains(&wanted)).collect();
        (0..column.codes.len() as u32).filter(|&row| matches[column.codes[row as usize] as usize]).collect()
    }
}

impl Sort {
    fn order(&self, column: &Column, rows: &[u32]) -> Vec<u32> {
        let ranks = ranks(column, self.descending);
        let rank = |row: u32| ranks[column.codes[row as usize] as usize] as usize;
        let mut starts = vec![0u32; ranks.len() + 1];
        for &row in rows {
            starts[rank(row) + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut ordered = vec![0; rows.len()];
        for &row in rows {
            let start = &mut starts[rank(row)];
            ordered[*start as usize] = row;
            *start += 1;
        }
        ordered
    }
}

/// Place of each code among the column's values; missing values come last either way.
fn ranks(column: &Column, descending: bool) -> Vec<u32> {
    let texts: Vec<&str> = column.dictionary.iter().collect();
    let numbers: Vec<f64> = match column.kind.kind {
        Kind::Integer | Kind::Decimal => {
            texts.iter().map(|text| column.kind.number(text).unwrap_or(f64::NAN)).collect()
        }
        Kind::Date(_) => texts.iter().map(|text| column.kind.date(text).map_or(f64::NAN, |days| days as f64)).collect(),
        Kind::Text => vec![0.0; texts.len()],
    };
    let mut codes: Vec<u32> = column.present().collect();
    codes.order_by(|&one, &other| {
        let (one, other) = (one as usize, other as usize);
        let order = numbers[one].total_cmp(&numbers[other]).then_with(|| texts[one].cmp(texts[other]));
        if descending { order.reverse() } else { order }
    });
    codes.extend(&column.missing);
    let mut ranks = vec![0; texts.len()];
    for (rank, &code) in codes.iter().enumerate() {
        ranks[code as usize] = rank as u32;
    }
    ranks
}
