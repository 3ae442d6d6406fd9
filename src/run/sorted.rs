//! The rows of a table in an order of its texts, for algorithms that look at rows one after the other.
//!
//! What such an algorithm finds depends on the order it sees the rows in, and so would the release: from it, something of
//! the input's order, which may be that of arrival, could be guessed. Full-domain recoding does not: it decides by levels.
//! Guarantee: rows that show different texts in any column that is released stand in an order that the texts alone decide;
//! all others are interchangeable. Codes of quasi-identifiers and sensitive columns are in the order of their texts, too,
//! because ties are broken by them. Complexity: O(rows · columns · log rows), and a second copy of the codes.

use crate::failure::Failure;
use crate::policy::Setup;
use crate::release::{Release, Shown, Texts, sort_by_what_is_shown};
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::Sorting;
use crate::table::{Column, Dictionary, DictionaryBuilder, Table};

pub struct Sorted {
    /// Identifiers have no cells here.
    pub table: Table,
    /// The input's row of each row.
    pub row_of: Vec<u32>,
    /// The set-up for this table's codes, and that held against it.
    pub setup: Setup,
    pub checked: ResolvedPolicy,
}

impl Sorted {
    pub fn of(table: &Table, setup: &Setup, checked: &ResolvedPolicy) -> Result<Sorted, Failure> {
        // Columns of few texts first, so that those of many have little to decide.
        let quasi = checked.quasi.iter().map(|quasi| quasi.column);
        let sensitive = checked.sensitive.iter().map(|sensitive| sensitive.column);
        let columns: Vec<Shown<'_>> = quasi
            .chain(sensitive)
            .chain(checked.insensitive.iter().copied())
            .map(|place| &table.columns[place])
            .map(|column| Shown { cells: &column.codes, texts: Texts::Values(&column.dictionary) })
            .collect();
        let mut row_of: Vec<u32> = (0..table.rows as u32).collect();
        sort_by_what_is_shown(&mut row_of, &[table.rows as u32], &columns);
        let column = |(place, column): (usize, &Column)| match checked.identifiers.contains(&place) {
            true => Column {
                name: column.name.clone(),
                dictionary: Dictionary::default(),
                codes: Vec::new(),
                counts: Vec::new(),
                missing: Vec::new(),
                missing_tokens: Vec::new(),
                kind: column.kind,
            },
            false => {
                let codes = row_of.iter().map(|&row| column.codes[row as usize]).collect();
                let sorted = Column {
                    codes,
                    name: column.name.clone(),
                    dictionary: column.dictionary.clone(),
                    counts: column.counts.clone(),
                    missing: column.missing.clone(),
                    missing_tokens: column.missing_tokens.clone(),
                    kind: column.kind,
                };
                let is_insensitive = checked.insensitive.contains(&place);
                if is_insensitive { sorted } else { by_text(sorted) }
            }
        };
        let columns = table.columns.iter().enumerate().map(column).collect();
        let table = Table { columns, rows: table.rows };
        let setup = setup.clone().with_codes_of(&table);
        let checked = ResolvedPolicy::new(&setup, &table)?;
        Ok(Sorted { table, row_of, setup, checked })
    }

    /// A release of the sorted table as one of the input.
    pub fn back(&self, release: Release) -> Release {
        let of_input = |of_row: Vec<u32>| {
            let mut of_input = vec![0; of_row.len()];
            self.row_of.iter().zip(of_row).for_each(|(&row, what)| of_input[row as usize] = what);
            of_input
        };
        Release {
            class_of_row: of_input(release.class_of_row),
            quasi: release.quasi,
            sensitive: release.sensitive.into_iter().map(|nodes| nodes.map(of_input)).collect(),
        }
    }
}

/// The column with its codes in the order of their texts.
fn by_text(column: Column) -> Column {
    let mut order: Vec<u32> = (0..column.dictionary.len() as u32).collect();
    order.order_by(|&one, &other| column.dictionary.text(one).cmp(column.dictionary.text(other)));
    let mut builder = DictionaryBuilder::default();
    let mut code_of = vec![0; order.len()];
    for (new, &old) in (0..).zip(&order) {
        if builder.code(column.dictionary.text(old).as_bytes()).is_err() {
            // As many texts as there were always fit.
            return column;
        }
        code_of[old as usize] = new;
    }
    let new = |&old: &u32| code_of[old as usize];
    Column {
        dictionary: builder.finish(),
        codes: column.codes.iter().map(new).collect(),
        counts: order.iter().map(|&old| column.counts[old as usize]).collect(),
        missing: column.missing.iter().map(new).collect(),
        missing_tokens: column.missing_tokens,
        name: column.name,
        kind: column.kind,
    }
}
