//! What an algorithm gives: every row's class or the mark of a suppressed row, and what each class shows.
//!
//! Cells are nodes of hierarchies; they become text only for the eye, the verifier and the export ([`Release::to_table`]).
//! Guarantee: the order of the output's rows is that of the released texts and of nothing else: neither the order of the
//! input's rows nor a seed, which whoever knows it could undo. Rows that show the same are interchangeable.
//! Complexity: O(rows · columns · log rows), and a text is looked at once a node, not once a cell, in columns of few texts.

use std::cmp::Ordering;

use crate::classes::Classes;
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId, ROOT};
use crate::policy::{Quasi, Sensitive};
use crate::sorting::Sorting;
use crate::table::{Column, Dictionary, DictionaryBuilder, Said, Table, TooManyValues};

/// The class of a suppressed row.
pub const SUPPRESSED: u32 = u32::MAX;

#[derive(Clone, Debug, PartialEq)]
pub struct Release {
    /// Each input row's class, or [`SUPPRESSED`].
    pub class_of_row: Vec<u32>,
    /// For every quasi-identifier (in the order of the policy's [`Quasi`] columns) the node of each class.
    pub quasi: Vec<Vec<NodeId>>,
    /// For every sensitive column (in the order of the policy's [`Sensitive`] columns) the node of each row, or `None`
    /// when it is released as it is.
    pub sensitive: Vec<Option<Vec<NodeId>>>,
}

/// A release beside what it was made from: what measures and attacks look at.
#[derive(Clone, Copy, Debug)]
pub struct Released<'a> {
    pub table: &'a Table,
    pub quasi: &'a [Quasi],
    pub sensitive: &'a [Sensitive],
    pub release: &'a Release,
}

impl Released<'_> {
    /// What each row shows in a sensitive column; of a suppressed row, the root.
    pub fn sensitive_nodes(&self, attribute: usize) -> Vec<NodeId> {
        let Sensitive { column, leaf_of_code, .. } = &self.sensitive[attribute];
        let shown = |(row, &code): (usize, &u32)| match &self.release.sensitive[attribute] {
            _ if self.release.class_of_row[row] == SUPPRESSED => ROOT,
            Some(nodes) => nodes[row],
            None => leaf_of_code[code as usize],
        };
        self.table.columns[*column].codes.iter().enumerate().map(shown).collect()
    }
}

impl Release {
    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.quasi.first().map_or(usize::from(self.kept() > 0), Vec::len)
    }

    /// Number of rows that are not suppressed.
    pub fn kept(&self) -> usize {
        self.class_of_row.iter().filter(|&&class| class != SUPPRESSED).count()
    }

    pub fn suppressed(&self) -> usize {
        self.class_of_row.len() - self.kept()
    }

    /// Rows of each class.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.classes()];
        for &class in self.class_of_row.iter().filter(|&&class| class != SUPPRESSED) {
            sizes[class as usize] += 1;
        }
        sizes
    }

    /// The kept rows of the input, and the classes that a reader of the release sees them in: rows whose
    /// quasi-identifiers show the same texts, even if an algorithm made several classes of them. Classes are in the
    /// order of their texts.
    pub fn seen(&self, quasi: &[Quasi]) -> (Vec<u32>, Classes) {
        let seen_as = self.seen_as(quasi);
        let is_kept = |&row: &u32| self.class_of_row[row as usize] != SUPPRESSED;
        let kept: Vec<u32> = (0..self.class_of_row.len() as u32).filter(is_kept).collect();
        let seen = |&row: &u32| seen_as[self.class_of_row[row as usize] as usize];
        let of_row: Vec<u32> = kept.iter().map(seen).collect();
        let mut sizes = vec![0; of_row.iter().max().map_or(0, |&last| last as usize + 1)];
        for &class in &of_row {
            sizes[class as usize] += 1;
        }
        (kept, Classes { of_row, sizes })
    }

    /// The number of each class among the different tuples of texts, in their order. Classes without rows have none.
    fn seen_as(&self, quasi: &[Quasi]) -> Vec<u32> {
        let sizes = self.sizes();
        let ranks: Vec<Vec<u32>> = self.quasi.iter().zip(quasi).map(|(nodes, quasi)| ranks(nodes, quasi)).collect();
        let compare = |one: u32, other: u32| {
            let mut by_column = ranks.iter().map(|ranks| ranks[one as usize].cmp(&ranks[other as usize]));
            by_column.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut order: Vec<u32> = (0..sizes.len() as u32).filter(|&class| sizes[class as usize] > 0).collect();
        order.sort_unstable_by(|&one, &other| compare(one, other));
        let mut seen_as = vec![SUPPRESSED; sizes.len()];
        for (number, same) in order.chunk_by(|&one, &other| compare(one, other).is_eq()).enumerate() {
            for &class in same {
                seen_as[class as usize] = number as u32;
            }
        }
        seen_as
    }

    /// The released table, and the input's row of each of its rows. Identifiers and suppressed rows are gone; rows are
    /// sorted by class and, within one, by what they show, column by column. `quasi` and `sensitive` are those that the
    /// release is of.
    pub fn to_table(
        &self,
        input: &Table,
        quasi: &[Quasi],
        sensitive: &[Sensitive],
        identifiers: &[usize],
    ) -> Result<(Table, Vec<u32>), Failure> {
        let rows = self.output_order(input, quasi, sensitive, identifiers);
        let mut columns = Vec::with_capacity(input.columns.len());
        for (place, column) in input.columns.iter().enumerate().filter(|(place, _)| !identifiers.contains(place)) {
            let is_quasi = quasi.iter().zip(&self.quasi).find(|(quasi, _)| quasi.column == place);
            let is_sensitive = sensitive.iter().zip(&self.sensitive).find(|(sensitive, _)| sensitive.column == place);
            let released = match (is_quasi, is_sensitive) {
                (Some((quasi, nodes)), _) => {
                    let node = |&row: &u32| nodes[self.class_of_row[row as usize] as usize];
                    let text = |node| quasi.tree.label(node);
                    released(column, rows.iter().map(node), quasi.tree.len(), text)
                }
                (None, Some((sensitive, Some(nodes)))) => {
                    let text = |node| sensitive.tree.label(node);
                    released(column, rows.iter().map(|&row| nodes[row as usize]), sensitive.tree.len(), text)
                }
                _ => {
                    let codes = rows.iter().map(|&row| column.codes[row as usize]);
                    released(column, codes, column.dictionary.len(), |code| column.dictionary.text(code))
                }
            };
            columns.push(released.map_err(|_: TooManyValues| too_many(place))?);
        }
        Ok((Table { columns, rows: rows.len() }, rows))
    }

    /// The input's rows in the order of the output.
    fn output_order(&self, input: &Table, quasi: &[Quasi], sensitive: &[Sensitive], identifiers: &[usize]) -> Vec<u32> {
        let (kept, classes) = self.seen(quasi);
        let starts = classes.sizes.iter().scan(0, |next, &size| {
            *next += size;
            Some((*next - size) as usize)
        });
        let mut places: Vec<usize> = starts.collect();
        let mut rows = vec![0; kept.len()];
        for (&row, &class) in kept.iter().zip(&classes.of_row) {
            rows[places[class as usize]] = row;
            places[class as usize] += 1;
        }
        // Of rows of one class, the quasi-identifiers show the same.
        let is_shown = |place: &usize| !identifiers.contains(place) && quasi.iter().all(|quasi| quasi.column != *place);
        let shown = |place: usize| {
            let nodes = sensitive.iter().zip(&self.sensitive).find(|(sensitive, _)| sensitive.column == place);
            match nodes {
                Some((sensitive, Some(nodes))) => Shown { cells: nodes, texts: Texts::Labels(&sensitive.tree) },
                _ => {
                    let Column { codes, dictionary, .. } = &input.columns[place];
                    Shown { cells: codes, texts: Texts::Values(dictionary) }
                }
            }
        };
        let columns: Vec<Shown<'_>> = (0..input.columns.len()).filter(is_shown).map(shown).collect();
        // Each class begins where the one before it ends.
        sort_by_what_is_shown(&mut rows, &classes.sizes, &columns);
        rows
    }
}

/// A column as a reader sees it: a number for each row of the input, and the text of each number.
pub(crate) struct Shown<'a> {
    pub cells: &'a [u32],
    pub texts: Texts<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Texts<'a> {
    Values(&'a Dictionary),
    Labels(&'a Hierarchy),
}

/// Columns of more different texts are compared text by text: sorting all of them would take longer than sorting the few
/// that meet in a class.
const MOST_RANKED: usize = 1 << 16;

impl Shown<'_> {
    fn text(&self, row: u32) -> &str {
        self.text_of(self.cells[row as usize])
    }

    fn text_of(&self, number: u32) -> &str {
        match self.texts {
            Texts::Values(dictionary) => dictionary.text(number),
            Texts::Labels(tree) => tree.label(number),
        }
    }

    fn numbers(&self) -> usize {
        match self.texts {
            Texts::Values(dictionary) => dictionary.len(),
            Texts::Labels(tree) => tree.len(),
        }
    }

    /// Where the text of each number stands among all; the same text has the same rank. Not of columns of too many texts.
    fn ranks(&self) -> Option<Vec<u32>> {
        if self.numbers() > MOST_RANKED {
            return None;
        }
        let mut sorted: Vec<u32> = (0..self.numbers() as u32).collect();
        sorted.order_by(|&one, &other| self.text_of(one).cmp(self.text_of(other)));
        let mut ranks = vec![0; sorted.len()];
        for (rank, same) in sorted.chunk_by(|&one, &other| self.text_of(one) == self.text_of(other)).enumerate() {
            same.iter().for_each(|&number| ranks[number as usize] = rank as u32);
        }
        Some(ranks)
    }
}

/// Sorts the rows of each class, which lie one after the other in `rows`, by their texts in the first column, those of the
/// same text by the next, and so on. Rows that show the same stay in the order of their numbers.
pub(crate) fn sort_by_what_is_shown(rows: &mut [u32], sizes: &[u32], columns: &[Shown<'_>]) {
    // Stretches of rows that show the same so far.
    let mut same: Vec<(usize, usize)> = Vec::new();
    let mut next = 0;
    for &size in sizes {
        same.push((next, next + size as usize));
        next += size as usize;
    }
    let mut keys: Vec<u64> = Vec::new();
    for column in columns {
        same.retain(|&(start, end)| end - start > 1);
        if same.is_empty() {
            return;
        }
        let ranks = column.ranks();
        let mut finer = Vec::with_capacity(same.len());
        for &(start, end) in &same {
            let stretch = &mut rows[start..end];
            let first = column.cells[stretch[0] as usize];
            if stretch.iter().all(|&row| column.cells[row as usize] == first) {
                finer.push((start, end));
                continue;
            }
            let mut part = |length: usize| {
                let start = finer.last().map_or(start, |&(_, end): &(usize, usize)| end.max(start));
                finer.push((start, start + length));
            };
            match &ranks {
                Some(ranks) => {
                    let key = |&row: &u32| u64::from(ranks[column.cells[row as usize] as usize]) << 32 | u64::from(row);
                    keys.clear();
                    keys.extend(stretch.iter().map(key));
                    keys.sort_unstable();
                    stretch.iter_mut().zip(&keys).for_each(|(row, &key)| *row = key as u32);
                    keys.chunk_by(|one, other| one >> 32 == other >> 32).for_each(|chunk| part(chunk.len()));
                }
                None => {
                    let text = |row: u32| column.text(row);
                    stretch.sort_unstable_by(|&one, &other| text(one).cmp(text(other)).then(one.cmp(&other)));
                    stretch.chunk_by(|&one, &other| text(one) == text(other)).for_each(|chunk| part(chunk.len()));
                }
            }
        }
        same = finer;
    }
}

/// Where each class's text stands among the texts of one quasi-identifier; the same text has the same rank.
fn ranks(nodes: &[NodeId], quasi: &Quasi) -> Vec<u32> {
    let text = |node| quasi.tree.label(node);
    let mut rank_of_node = vec![0; quasi.tree.len()];
    let mut used = vec![false; quasi.tree.len()];
    for &node in nodes {
        used[node as usize] = true;
    }
    let mut texts: Vec<(&str, NodeId)> =
        (0..quasi.tree.len() as NodeId).filter(|&node| used[node as usize]).map(|node| (text(node), node)).collect();
    texts.order();
    for (rank, same) in texts.chunk_by(|one, other| one.0 == other.0).enumerate() {
        for &(_, node) in same {
            rank_of_node[node as usize] = rank as u32;
        }
    }
    nodes.iter().map(|&node| rank_of_node[node as usize]).collect()
}

/// A column of the output: `cells` are numbers below `numbers`, each of which has a text; numbers of one text get one
/// code.
fn released<'a>(
    column: &Column,
    cells: impl Iterator<Item = u32>,
    numbers: usize,
    text: impl Fn(u32) -> &'a str,
) -> Result<Column, TooManyValues> {
    let mut builder = DictionaryBuilder::default();
    let mut code_of_number = vec![u32::MAX; numbers];
    let code = |number: u32| {
        let code = &mut code_of_number[number as usize];
        if *code == u32::MAX {
            *code = builder.code(text(number).as_bytes())?.code;
        }
        Ok(*code)
    };
    let codes = cells.map(code).collect::<Result<Vec<u32>, TooManyValues>>()?;
    let missing = column.missing.iter().map(|&code| column.dictionary.text(code).trim_ascii().to_owned());
    // What is said of the input's column holds for what still shows its values.
    let said = Said { kind: Some(column.kind.kind.into()), decimal: column.kind.decimal };
    Ok(Column::read(column.name.clone(), builder.finish(), codes, &missing.collect::<Vec<_>>(), said).0)
}

fn too_many(place: usize) -> Failure {
    Failure::data(
        format!("The released texts of column {} take more than 4 GB.", place + 1),
        "Give its hierarchy shorter labels.",
    )
}
