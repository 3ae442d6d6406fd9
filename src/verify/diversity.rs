//! Whether a release keeps the policy's diversity constraints: recounted here on its texts.
//!
//! The grammar of a line ([`crate::constraints::parse`]) is the policy's own and shared; which columns and values its words
//! mean, and who shows them, is read and counted here.

use std::collections::{HashMap, HashSet};

use super::cells::missing_texts;
use super::{Offence, STRIDE, Unverified, report};
use crate::constraints::parse::{Fault, Statement, Word, parse};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::policy::{ColumnSetup, Setup};
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::table::{Column, Table};

/// What a line means: columns by their place, and the texts that each must show one of.
type Target<'a> = (usize, Vec<&'a str>);

/// The texts of a released cell that count for a word of a line: the word, or any missing token if it is one, be it one that
/// no cell has. `is_known`: whether it is a value or a group.
fn accepted<'a>(column: &'a Column, word: &'a str, is_known: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let tokens = missing_texts(column);
    let is_shown = tokens.iter().any(|token| *token == word || token.trim_ascii() == word);
    let is_declared = column.missing_tokens.iter().any(|token| token == word.trim_ascii());
    if is_shown || (is_declared && !is_known(word)) { tokens } else { vec![word] }
}

/// The columns and values that a line names. What neither the table nor a hierarchy has is a mistake of the policy.
fn targets<'a>(original: &'a Table, setup: &Setup, statement: &'a Statement) -> Result<Vec<Target<'a>>, Fault> {
    let target = |(name, value): &'a (Word, Word)| {
        let Some(place) = original.columns.iter().position(|column| column.name == name.text) else {
            return Err(Fault::new(name.at, "The table has no column of this name.", "Name a column of the table."));
        };
        let (column, policy): (&Column, &ColumnSetup) = (&original.columns[place], &setup.columns[place]);
        let tree = policy.template.as_ref().map(|template| &template.tree);
        let is_known = |text: &str| {
            let is_label = |node| tree.is_some_and(|tree| tree.label(node) == text);
            column.dictionary.iter().any(|other| other == text)
                || tree.map_or(text == "*", |tree| (0..tree.len() as NodeId).any(is_label))
        };
        let texts = accepted(column, &value.text, &is_known);
        if !texts.iter().any(|text| is_known(text)) {
            return Err(Fault::new(value.at, "No cell of the column can show this.", "Name a value or a group of it."));
        }
        Ok((place, texts))
    };
    let mut targets: Vec<Target<'_>> = statement.parts.iter().map(target).collect::<Result<_, _>>()?;
    targets.order();
    Ok(targets)
}

/// Rows that show each constraint's values, in the order of the policy. `released` has the output's columns with the
/// places of their originals.
pub(super) async fn check(
    original: &Table,
    setup: &Setup,
    released: &[(usize, &Column)],
    rows: usize,
    progress: &Progress<'_>,
) -> Result<Vec<u64>, Unverified> {
    let mut counts = Vec::with_capacity(setup.diversity.len());
    // Lines that name the same values count the same rows.
    let mut known: HashMap<Vec<(String, String)>, u64> = HashMap::new();
    for (place, line) in setup.diversity.iter().enumerate() {
        let stop = |fault: Fault| -> Failure { fault.into_failure(place) };
        let statement = parse(line).map_err(stop)?;
        let mut named: Vec<(String, String)> =
            statement.parts.iter().map(|(name, value)| (name.text.clone(), value.text.clone())).collect();
        named.order();
        if let Some(&count) = known.get(&named) {
            counts.push(within(place, &statement, count)?);
            continue;
        }
        let targets = targets(original, setup, &statement).map_err(stop)?;
        // Row by row, the columns that do not show their value yet; nothing but the text of a cell decides.
        let mut open = vec![targets.len(); rows];
        for (target, texts) in &targets {
            progress.checkpoint(|| report("Verifying constraints", place, setup.diversity.len())).await?;
            let Some((_, column)) = released.iter().find(|(place, _)| place == target) else { continue };
            let one_of: HashSet<&str> = texts.iter().copied().collect();
            let shows: Vec<bool> = column.dictionary.iter().map(|text| one_of.contains(text)).collect();
            for (open, codes) in open.chunks_mut(STRIDE).zip(column.codes.chunks(STRIDE)) {
                progress.checkpoint(|| report("Verifying constraints", place, setup.diversity.len())).await?;
                for (open, &code) in open.iter_mut().zip(codes) {
                    *open -= usize::from(shows[code as usize]);
                }
            }
        }
        let count = open.iter().filter(|&&open| open == 0).count() as u64;
        counts.push(within(place, &statement, count)?);
        known.insert(named, count);
    }
    Ok(counts)
}

/// The count, if the bounds allow it.
fn within(place: usize, asked: &Statement, count: u64) -> Result<u64, Unverified> {
    let (least, most) = (asked.least, asked.most);
    if count < least || most.is_some_and(|most| most < count) {
        return Err(Offence::Constraint { constraint: place, count, least, most }.into());
    }
    Ok(count)
}
