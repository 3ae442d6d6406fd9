//! Releases as linking sees them: the columns they have in common, their cells read, their rows in classes, and how
//! often each class has each sensitive value.
//!
//! Rows with a cell that is not understood are left out and counted. A sensitive cell that names a group of the column's
//! hierarchy stands for every value under it: any of them may be the person's. Complexity: O(rows · columns), and each
//! different cell is read once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::cells::{Cell, Cover, Reader, Value};
use super::index::Index;
use super::plan::{CLASS_COLUMN, Plan};
use crate::classes::{Classes, Histograms, Keys};
use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::policy::Missing;
use crate::privacy::{Cells, worst_histograms};
use crate::progress::{Progress, Report};
use crate::sorting::Sorting;
use crate::table::{Column, MISSING_TOKENS, Role, Table, guess};

/// The name of missing sensitive values, which are one in all releases.
const MISSING: &str = "(missing)";

/// What is known of columns, by their names.
#[derive(Debug, Default)]
pub struct Known {
    /// What they are; without any, roles are guessed.
    pub roles: BTreeMap<String, Role>,
    pub trees: BTreeMap<String, Hierarchy>,
    /// What missing cells of sensitive columns are taken for; a value of their own where nothing is said.
    pub missing: BTreeMap<String, Missing>,
    /// Which sensitive column to look at, of several.
    pub sensitive: Option<String>,
}

/// Cells of a column that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotUnderstood {
    pub release: String,
    pub column: String,
    /// Different cells, and rows that have them.
    pub cells: u64,
    pub rows: u64,
    /// The first of these rows, from 1.
    pub first: Vec<u64>,
}

/// One release.
#[derive(Debug)]
pub struct Release {
    pub name: String,
    /// Rows that are linked.
    pub rows: u64,
    /// Rows with a cell that was not understood.
    pub left_out: u64,
    /// The different cells of each column.
    pub cells: Vec<Vec<Cell>>,
    /// For each column the cell of every class.
    pub class_cells: Vec<Vec<u32>>,
    /// Rows of every class.
    pub sizes: Vec<u32>,
    /// How often each class may have each value.
    pub histograms: Histograms,
    /// How many different values every class has at least, whatever its groups are (docs/models.md).
    pub l: u32,
    pub index: Index,
}

/// Releases that can be linked.
#[derive(Debug)]
pub struct Releases {
    /// Quasi-identifiers that all of them have, and how their cells are read.
    pub quasi: Vec<String>,
    pub readers: Vec<Reader>,
    pub sensitive: String,
    /// The sensitive values of all of them, by number.
    pub values: Vec<String>,
    pub releases: Vec<Release>,
    pub not_understood: Vec<NotUnderstood>,
    /// Columns that only some releases have.
    pub only_in_some: Vec<String>,
    /// Whether the class numbers of plans mean the same in all releases, if they have any: only then are they linked by.
    pub same_plan: Option<bool>,
    /// All columns that they have in common, with what they are to the attack.
    pub common: Vec<(String, Role)>,
    /// The plan that they are of, if the attacker has it: then people's class numbers are known, too.
    pub plan: Option<Rc<Plan>>,
}

impl Releases {
    /// Reads releases; `original` is a table that they may have been made from.
    pub async fn read(
        tables: &[(String, Table)],
        known: &Known,
        original: Option<&Table>,
        progress: &Progress<'_>,
    ) -> Result<Releases, Failure> {
        if tables.len() < 2 {
            return Err(Failure::refused("Linking needs at least two releases.", "Add another release."));
        }
        let (mut quasi, sensitive) = columns_in_common(tables, known)?;
        let same_plan = quasi.iter().any(|name| name == CLASS_COLUMN).then(|| same_classes(tables, &quasi));
        quasi.retain(|name| name != CLASS_COLUMN || same_plan == Some(true));
        let of_original = |name: &str| original.and_then(|table| column(table, name));
        let mut readers = Vec::with_capacity(quasi.len());
        for name in &quasi {
            let columns = tables.iter().filter_map(|(_, table)| column(table, name)).chain(of_original(name));
            let texts = columns.flat_map(|column| column.dictionary.iter());
            readers.push(Reader::new(known.trees.get(name).cloned(), texts));
            progress.checkpoint(|| report("Reading cells", None)).await?;
        }
        let mut values =
            Values::new(known.trees.get(&sensitive), known.missing.get(&sensitive).copied().unwrap_or_default());
        let mut not_understood = Vec::new();
        let mut releases = Vec::with_capacity(tables.len());
        for (place, (name, table)) in tables.iter().enumerate() {
            progress.checkpoint(|| report("Grouping rows", Some(place as f64 / tables.len() as f64))).await?;
            let mut read = Vec::with_capacity(quasi.len());
            for (reader, column_name) in readers.iter().zip(&quasi) {
                let Some(column) = column(table, column_name) else { continue };
                let known_values: Option<HashSet<&str>> =
                    of_original(column_name).map(|column| column.dictionary.iter().map(str::trim).collect());
                let known_text = |value: &Value| match value {
                    Value::Text(text) => known_values.as_ref().is_some_and(|known| known.contains(text.as_str())),
                    _ => false,
                };
                let cells = reader.read_column(column, known_text, progress).await?;
                if cells.rows > 0 {
                    not_understood.push(NotUnderstood {
                        release: name.clone(),
                        column: column_name.clone(),
                        cells: cells.different,
                        rows: cells.rows,
                        first: cells.first,
                    });
                }
                read.push((column, Numbered::new(cells.cells)));
            }
            let Some(secret) = column(table, &sensitive) else { continue };
            releases.push(Release::new(name.clone(), table.rows, read, secret, &mut values));
        }
        let in_all = |name: &String| tables.iter().all(|(_, table)| column(table, name).is_some());
        let mut only_in_some: Vec<String> =
            tables.iter().flat_map(|(_, table)| table.columns.iter().map(|column| column.name.clone())).collect();
        only_in_some.order();
        only_in_some.dedup();
        only_in_some.retain(|name| !in_all(name));
        let values = values.names;
        let role = |name: &String| match name {
            name if quasi.contains(name) => Role::Quasi,
            name if *name == sensitive => Role::Sensitive,
            _ => Role::Insensitive,
        };
        let common = tables[0].1.columns.iter().map(|column| &column.name);
        let common = common.filter(|name| *name != CLASS_COLUMN && in_all(name));
        let common = common.map(|name| (name.clone(), role(name))).collect();
        Ok(Releases {
            quasi,
            readers,
            sensitive,
            values,
            releases,
            not_understood,
            only_in_some,
            same_plan,
            common,
            plan: None,
        })
    }
}

impl Releases {
    /// Whether every class number shows what it does by the plan.
    pub fn are_of(&self, plan: &Plan) -> bool {
        let place = |name: &str| self.quasi.iter().position(|other| other == name);
        let columns: Option<Vec<usize>> = plan.columns.iter().map(|column| place(&column.name)).collect();
        let (Some(numbers), Some(columns)) = (place(CLASS_COLUMN), columns) else { return false };
        let shown = plan.cells();
        self.releases.iter().all(|release| {
            let text = |column: usize, class: usize| {
                release.cells[column][release.class_cells[column][class] as usize].text.as_str()
            };
            (0..release.sizes.len()).all(|class| {
                let number: Option<usize> = text(numbers, class).parse().ok();
                let cells = number.and_then(|number| shown.get(number.checked_sub(1)?));
                cells.is_some_and(|cells| {
                    columns.iter().zip(cells).all(|(&column, cell)| text(column, class) == cell.trim())
                })
            })
        })
    }
}

impl Release {
    fn new(
        name: String,
        rows: usize,
        read: Vec<(&Column, Numbered)>,
        secret: &Column,
        values: &mut Values<'_>,
    ) -> Release {
        let understood = |row: usize| {
            read.iter().all(|(column, cells)| cells.number_of_code[column.codes[row] as usize] != u32::MAX)
        };
        let kept: Vec<u32> = (0..rows as u32).filter(|&row| understood(row as usize)).collect();
        let codes: Vec<Vec<u32>> = read
            .iter()
            .map(|(column, cells)| {
                kept.iter().map(|&row| cells.number_of_code[column.codes[row as usize] as usize]).collect()
            })
            .collect();
        let keys: Vec<Keys<'_>> =
            codes.iter().zip(&read).map(|(codes, (_, cells))| Keys { codes, size: cells.cells.len() as u32 }).collect();
        let classes = Classes::group(kept.len(), &keys);
        let mut class_cells = vec![vec![0; classes.sizes.len()]; codes.len()];
        for (row, &class) in classes.of_row.iter().enumerate() {
            for (cells, codes) in class_cells.iter_mut().zip(&codes) {
                cells[class as usize] = codes[row];
            }
        }
        let secrets: Vec<u32> = kept.iter().map(|&row| secret.codes[row as usize]).collect();
        let histograms = values.count(&classes, secret, &secrets);
        let l = values.least(&classes, secret, &secrets);
        Release {
            name,
            rows: kept.len() as u64,
            left_out: (rows - kept.len()) as u64,
            cells: read.into_iter().map(|(_, cells)| cells.cells).collect(),
            index: Index::new(&class_cells),
            class_cells,
            sizes: classes.sizes,
            histograms,
            l,
        }
    }
}

/// The different cells of a column; texts of one meaning (missing values, blanks around) are one.
struct Numbered {
    cells: Vec<Cell>,
    /// `u32::MAX` where it was not understood.
    number_of_code: Vec<u32>,
}

impl Numbered {
    fn new(read: Vec<Option<Cell>>) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut cells: Vec<Cell> = Vec::new();
        let mut number_of_code = Vec::with_capacity(read.len());
        for cell in read {
            let Some(cell) = cell else {
                number_of_code.push(u32::MAX);
                continue;
            };
            let missing = cell.cover == Cover::Exactly(Value::Missing);
            let key = if missing { String::new() } else { cell.text.clone() };
            let number = *numbers.entry(key).or_insert(cells.len() as u32);
            if number as usize == cells.len() {
                cells.push(cell);
            }
            number_of_code.push(number);
        }
        Numbered { cells, number_of_code }
    }
}

/// Sensitive values of all releases, numbered in the order they are met.
struct Values<'a> {
    tree: Option<&'a Hierarchy>,
    missing: Missing,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl<'a> Values<'a> {
    fn new(tree: Option<&'a Hierarchy>, missing: Missing) -> Self {
        Values { tree, missing, names: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.names.push(text.to_owned());
        number
    }

    /// The leaf that missing cells stand at, where the hierarchy has one: a missing cell is never a group.
    fn missing_leaf(&self, column: &Column) -> Option<NodeId> {
        let tree = self.tree?;
        let leaves = tree.leaves_of_values();
        let own = column.missing.iter().map(|&code| column.dictionary.text(code).trim());
        own.chain(MISSING_TOKENS).find_map(|token| leaves.get(token).copied())
    }

    /// The values that a cell may stand for.
    fn of_cell(&mut self, text: &str, missing: Option<NodeId>) -> Vec<u32> {
        let node = self
            .tree
            .and_then(|tree| tree.node_of_label(text).filter(|&node| !tree.is_leaf(node)).map(|node| (tree, node)));
        let Some((tree, node)) = node else { return vec![self.number(text)] };
        let name = |&leaf: &NodeId| if missing == Some(leaf) { MISSING } else { tree.label(leaf) };
        tree.leaves_under(node).iter().map(|leaf| self.number(name(leaf))).collect()
    }

    /// How many different values every class has at least, for one sensitive code a row. Missing ones are one value, unless
    /// they are unknown.
    fn least(&self, classes: &Classes, column: &Column, codes: &[u32]) -> u32 {
        let values = column.dictionary.iter().map(str::trim).filter(|&text| text != "*").collect::<BTreeSet<_>>();
        let flat;
        let tree = match self.tree {
            Some(tree) => tree,
            None => {
                flat = Hierarchy::flat(values);
                &flat
            }
        };
        let (nodes, missing_leaf) = (tree.nodes_of_labels(), self.missing_leaf(column));
        let is_missing = column.is_missing();
        let node = |(code, text): (u32, &str)| match is_missing[code as usize] {
            true if self.missing == Missing::Unknown => None,
            // A number that no node has is a value that the tree lacks.
            true => Some(missing_leaf.unwrap_or(tree.len() as NodeId)),
            false => Some(nodes.get(text.trim()).copied().unwrap_or(tree.len() as NodeId + 1 + code)),
        };
        let nodes: Vec<Option<NodeId>> = (0..).zip(column.dictionary.iter()).map(node).collect();
        // Blanks around a text are no other value, and missing tokens are one.
        let mut first_with: HashMap<Option<NodeId>, u32> = HashMap::new();
        let same: Vec<u32> = (0..).zip(&nodes).map(|(code, &node)| *first_with.entry(node).or_insert(code)).collect();
        let codes: Vec<u32> = codes.iter().map(|&code| same[code as usize]).collect();
        let shown = Histograms::new(classes, &codes);
        let worst = Cells::new(tree, &nodes).map(|cells| worst_histograms(&shown, &cells));
        worst.unwrap_or(shown).iter().map(|class| class.counts.len() as u32).min().unwrap_or(0)
    }

    /// How often each class may have each value, for one sensitive code a row.
    fn count(&mut self, classes: &Classes, column: &Column, codes: &[u32]) -> Histograms {
        let mut of_code: Vec<Vec<u32>> = Vec::with_capacity(column.dictionary.len());
        let missing_leaf = self.missing_leaf(column);
        let is_missing = column.is_missing();
        for (code, text) in (0..).zip(column.dictionary.iter()) {
            of_code.push(match is_missing[code as usize] {
                true => vec![self.number(MISSING)],
                false => self.of_cell(text.trim(), missing_leaf),
            });
        }
        let (mut of_row, mut values) = (Vec::with_capacity(codes.len()), Vec::with_capacity(codes.len()));
        let mut sizes = vec![0; classes.sizes.len()];
        for (&class, &code) in classes.of_row.iter().zip(codes) {
            for &value in &of_code[code as usize] {
                of_row.push(class);
                values.push(value);
                sizes[class as usize] += 1;
            }
        }
        Histograms::new(&Classes { of_row, sizes }, &values)
    }
}

/// The quasi-identifiers and the sensitive column that all releases have.
fn columns_in_common(tables: &[(String, Table)], known: &Known) -> Result<(Vec<String>, String), Failure> {
    let (_, first) = &tables[0];
    let in_all = |column: &&Column| tables.iter().all(|(_, table)| self::column(table, &column.name).is_some());
    let common: Vec<&Column> = first.columns.iter().filter(in_all).collect();
    if common.is_empty() {
        return Err(Failure::data(
            "The releases have no column in common, so nothing can be linked.",
            "Give releases of the same kind, with the same names in their first lines.",
        ));
    }
    let role = |column: &Column| {
        if column.name == CLASS_COLUMN {
            return Role::Quasi;
        }
        match known.roles.get(&column.name) {
            Some(&role) => role,
            None if known.roles.is_empty() => guess(column, &column.kind, first.rows).role,
            None => Role::Insensitive,
        }
    };
    let roles: Vec<Role> = common.iter().map(|column| role(column)).collect();
    let of_role = |wanted: Role| common.iter().zip(&roles).filter(move |(_, role)| **role == wanted);
    let names = || common.iter().map(|column| format!("“{}”", column.name)).collect::<Vec<_>>().join(", ");
    let sensitive = match &known.sensitive {
        Some(name) => common.iter().find(|column| column.name == *name).copied(),
        None => of_role(Role::Sensitive).next().map(|(column, _)| *column),
    };
    let Some(sensitive) = sensitive else {
        let what = format!("No sensitive column is in all releases; they have in common: {}.", names());
        return Err(Failure::data(what, "Say which column is sensitive, in a policy or by its name."));
    };
    let quasi: Vec<String> =
        of_role(Role::Quasi).map(|(column, _)| column.name.clone()).filter(|name| *name != sensitive.name).collect();
    if quasi.iter().all(|name| name == CLASS_COLUMN) {
        let what = format!("No quasi-identifier is in all releases; they have in common: {}.", names());
        return Err(Failure::data(what, "Say in a policy which columns are quasi-identifiers."));
    }
    Ok((quasi, sensitive.name.clone()))
}

/// Whether a class number never shows different cells: then the releases are of one plan.
fn same_classes(tables: &[(String, Table)], quasi: &[String]) -> bool {
    let mut shown: HashMap<&str, Vec<&str>> = HashMap::new();
    for (_, table) in tables {
        let Some(numbers) = column(table, CLASS_COLUMN) else { return false };
        let columns: Vec<&Column> =
            quasi.iter().filter(|name| *name != CLASS_COLUMN).filter_map(|name| column(table, name)).collect();
        for row in 0..table.rows {
            let same = |known: &Vec<&str>| columns.iter().zip(known).all(|(column, text)| column.text(row) == *text);
            match shown.get(numbers.text(row)) {
                Some(known) if same(known) => {}
                Some(_) => return false,
                None => {
                    shown.insert(numbers.text(row), columns.iter().map(|column| column.text(row)).collect());
                }
            }
        }
    }
    true
}

pub fn column<'t>(table: &'t Table, name: &str) -> Option<&'t Column> {
    table.columns.iter().find(|column| column.name == name)
}

pub fn report(phase: &str, fraction: Option<f64>) -> Report {
    Report { phase: phase.into(), fraction, detail: String::new() }
}
