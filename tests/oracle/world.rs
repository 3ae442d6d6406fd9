//! A case as the docs read it: the table's cells, the policy's columns, and the tree of each.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::csv;
use crate::make::Case;
use crate::tree::Tree;

const TOKENS: [&str; 9] = ["", "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan"];

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub role: String,
    pub cells: Vec<String>,
    tokens: BTreeSet<String>,
    pub tree: Tree,
    pub has_hierarchy: bool,
    /// Whether the tree has a label twice, so that a text has several nodes.
    pub has_labels_twice: bool,
    pub limits: Vec<usize>,
    pub from_level: usize,
    pub unknown: bool,
    pub kind: Option<String>,
    order: Option<String>,
    /// The leaf of missing cells, if they are a value.
    pub missing_leaf: Option<usize>,
    /// Values that the hierarchy lacks.
    pub lacking: Vec<String>,
}

#[derive(Debug)]
pub struct World {
    pub columns: Vec<Column>,
    pub rows: usize,
    pub policy: Value,
}

impl World {
    /// `recipes`: the hierarchies that recipes gave, as ARX files.
    pub fn read(case: &Case, recipes: &BTreeMap<String, String>) -> World {
        let policy: Value = serde_json::from_str(&case.policy).expect("a policy is JSON");
        let text = match case.encoding {
            "windows-1252" => case.csv.iter().map(|&byte| char::from(byte)).collect(),
            _ => String::from_utf8(case.csv.clone()).expect("the table is UTF-8"),
        };
        let mut records = csv::records(&text, case.delimiter);
        let names = records.remove(0);
        let said: Option<Vec<String>> = policy["reading"]["missing_tokens"].as_array().map(|tokens| list(tokens));
        let column = |(at, name): (usize, &String)| {
            let cells: Vec<String> = records.iter().map(|record| record[at].clone()).collect();
            let of_policy = &policy["columns"][name];
            let mut tokens: BTreeSet<String> = match &said {
                Some(tokens) => tokens.iter().cloned().collect(),
                None => TOKENS.iter().map(|&token| token.to_owned()).collect(),
            };
            tokens.extend(of_policy["missing_tokens"].as_array().map(|tokens| list(tokens)).unwrap_or_default());
            let hierarchy = &of_policy["hierarchy"];
            let rows: Option<Vec<Vec<String>>> = if let Some(rows) = hierarchy["rows"].as_array() {
                Some(rows.iter().map(|row| list(row.as_array().expect("a list"))).collect())
            } else if let Some(file) = hierarchy["file"].as_str() {
                let text = &case.files.iter().find(|(name, _)| name == file).expect("the file").1;
                Some(csv::records(text, ';'))
            } else if hierarchy.get("recipe").is_some() {
                recipes.get(name).map(|text| csv::records(text, ';'))
            } else {
                None
            };
            Column::new(name, of_policy, cells, tokens, rows)
        };
        let columns = names.iter().enumerate().map(column).collect();
        World { columns, rows: records.len(), policy }
    }

    pub fn of_role(&self, role: &str) -> Vec<&Column> {
        self.columns.iter().filter(|column| column.role == role).collect()
    }

    pub fn demands(&self) -> &[Value] {
        self.policy["privacy"].as_array().map_or(&[], Vec::as_slice)
    }

    pub fn algorithm(&self) -> &str {
        self.policy["algorithm"]["name"].as_str().unwrap_or("lattice")
    }

    /// ⌊share · rows⌋, for shares of whole hundredths.
    pub fn suppressible(&self) -> usize {
        let share = self.policy["suppression_limit"].as_f64().unwrap_or(0.0);
        (share * 100.0).round() as usize * self.rows / 100
    }

    /// The sensitive columns that a demand is about.
    pub fn about<'a>(&'a self, demand: &Value) -> Vec<&'a Column> {
        let named = demand["attribute"].as_str();
        self.of_role("sensitive").into_iter().filter(|column| named.is_none_or(|name| name == column.name)).collect()
    }

    /// Whether the sweep may generalize the column's cells.
    pub fn is_generalized(&self, column: &Column) -> bool {
        let about = |demand: &Value| {
            demand["model"] == "tau-l-diversity" && demand["attribute"].as_str().is_none_or(|name| name == column.name)
        };
        column.role == "sensitive" && self.algorithm() == "sweep" && self.demands().iter().any(about)
    }
}

fn list(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

impl Column {
    fn new(
        name: &str,
        policy: &Value,
        cells: Vec<String>,
        tokens: BTreeSet<String>,
        rows: Option<Vec<Vec<String>>>,
    ) -> Column {
        let role = policy["role"].as_str().unwrap_or("insensitive").to_owned();
        let unknown = role == "sensitive" && policy["missing"] == "unknown";
        let has_hierarchy = rows.is_some();
        let mut tree = rows.map_or_else(Tree::flat, |rows| Tree::from_rows(&rows));
        let values: BTreeSet<&String> = cells.iter().filter(|cell| !tokens.contains(*cell)).collect();
        let lacking: Vec<String> = values.into_iter().filter(|value| tree.read(value).is_none()).cloned().collect();
        let in_order: Vec<&String> = lacking.iter().collect();
        for value in in_order {
            tree.add(value, 0);
        }
        let missing: BTreeSet<&String> = cells.iter().filter(|cell| tokens.contains(*cell)).collect();
        let mut missing_leaf = None;
        if !missing.is_empty() {
            let known = missing.iter().find_map(|token| tree.lowest(token).filter(|&node| tree.is_leaf(node)));
            missing_leaf = match known {
                Some(leaf) => Some(leaf),
                None if unknown => None,
                None => Some(tree.add(missing.iter().next().expect("a token"), 0)),
            };
        }
        let limits = policy["limits"].as_array().into_iter().flatten();
        let limits = limits.filter_map(|label| tree.read(label.as_str()?)).collect();
        let text = |key: &str| policy[key].as_str().map(str::to_owned);
        Column {
            name: name.to_owned(),
            role,
            has_labels_twice: tree.has_labels_twice(),
            limits,
            from_level: policy["from_level"].as_u64().unwrap_or(0) as usize,
            unknown,
            kind: text("kind"),
            order: text("order"),
            missing_leaf: missing_leaf.filter(|_| !unknown),
            lacking,
            cells,
            tokens,
            tree,
            has_hierarchy,
        }
    }

    pub fn is_missing(&self, text: &str) -> bool {
        self.tokens.contains(text)
    }

    pub fn has_missing(&self) -> bool {
        self.cells.iter().any(|cell| self.is_missing(cell))
    }

    /// What a reader sees: missing tokens are one text.
    pub fn seen<'a>(&self, text: &'a str) -> Option<&'a str> {
        Some(text).filter(|text| !self.is_missing(text))
    }

    /// The node that a released text stands for; nothing for an unknown cell.
    pub fn read(&self, text: &str) -> Option<usize> {
        if self.is_missing(text) { self.missing_leaf } else { Some(self.tree.read(text).unwrap_or(0)) }
    }

    /// Where an original cell stands: a value at its leaf.
    pub fn original(&self, row: usize) -> Option<usize> {
        let text = &self.cells[row];
        if self.is_missing(text) { self.missing_leaf } else { self.tree.lowest(text) }
    }

    /// The node of a value or group that a demand names.
    pub fn named(&self, name: &str) -> Option<usize> {
        if self.is_missing(name) && self.has_missing() { self.missing_leaf } else { self.tree.read(name) }
    }

    /// Most general node that an original may become.
    pub fn limit(&self, leaf: usize) -> usize {
        self.tree.path(leaf).into_iter().find(|node| self.limits.contains(node)).unwrap_or(0)
    }

    /// The nodes that a quasi-identifier's cell may show, from its leaf up.
    pub fn allowed(&self, leaf: usize) -> Vec<usize> {
        let path = self.tree.path(leaf);
        let first = self.tree.at_level(leaf, self.from_level);
        let limit = self.limit(leaf);
        let (from, to) = (place(&path, first), place(&path, limit));
        if from > to { Vec::new() } else { path[from..=to].to_vec() }
    }

    /// Whether all values can be read as what the policy says that they are.
    pub fn fits_its_kind(&self) -> bool {
        let fits = |text: &str| match self.kind.as_deref() {
            Some("integer") => text.parse::<i64>().is_ok(),
            Some("decimal") => text.parse::<f64>().is_ok(),
            Some("date") => text.len() == 10 && text.split(['-', '.']).all(|part| part.parse::<u32>().is_ok()),
            _ => true,
        };
        self.cells.iter().filter(|cell| !self.is_missing(cell)).all(|cell| fits(cell))
    }

    /// Q: of every node the share of the original's rows whose value it is.
    pub fn reference(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.tree.labels.len()];
        let leaves = (0..self.cells.len()).filter_map(|row| self.original(row));
        leaves.filter(|&leaf| self.tree.is_leaf(leaf)).for_each(|leaf| shares[leaf] += 1.0);
        let all: f64 = shares.iter().sum();
        shares.iter().map(|share| share / all).collect()
    }

    /// Where each value that occurs stands in order; values of equal rank are one place. Missing ones come first, but where
    /// the hierarchy gives the order.
    pub fn places(&self, reference: &[f64]) -> BTreeMap<usize, usize> {
        let leaves: Vec<usize> =
            self.tree.leaves_in_order().into_iter().filter(|&leaf| reference[leaf] > 0.0).collect();
        let rank = |at: usize, leaf: usize| -> f64 {
            let text = &self.tree.labels[leaf];
            let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NEG_INFINITY);
            match self.kind.as_deref() {
                _ if self.missing_leaf == Some(leaf) && self.kind.as_deref() != Some("text") => f64::NEG_INFINITY,
                Some("integer" | "decimal") => number(text),
                Some("date") => {
                    let parts: Vec<f64> = text.split(['-', '.', '/']).map(number).collect();
                    let (year, month, day) = match self.order.as_deref() {
                        Some("dmy") => (parts[2], parts[1], parts[0]),
                        Some("mdy") => (parts[2], parts[0], parts[1]),
                        _ => (parts[0], parts[1], parts[2]),
                    };
                    year * 400.0 + month * 32.0 + day
                }
                _ => at as f64,
            }
        };
        let ranks: Vec<f64> = leaves.iter().enumerate().map(|(at, &leaf)| rank(at, leaf)).collect();
        let mut different = ranks.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let place_of = |rank: f64| different.iter().position(|&other| other == rank).expect("a rank");
        leaves.iter().zip(&ranks).map(|(&leaf, &rank)| (leaf, place_of(rank))).collect()
    }

    /// The weight of each leaf in (τ,ℓ)-diversity.
    pub fn weights(&self, given: &Value) -> BTreeMap<usize, f64> {
        let occurring: BTreeSet<usize> = (0..self.cells.len()).filter_map(|row| self.original(row)).collect();
        let weight = |leaf: usize| {
            let own = given[self.tree.labels[leaf].as_str()].as_f64();
            own.unwrap_or(if occurring.contains(&leaf) { 1.0 } else { 0.0 })
        };
        self.tree.leaves().into_iter().map(|leaf| (leaf, weight(leaf))).collect()
    }

    /// The leaves of measures: with `from_level`, the values of that level.
    pub fn measured_leaves(&self, node: usize) -> usize {
        let under = self.tree.leaves_under(node);
        let starts: BTreeSet<usize> = under.iter().map(|&leaf| self.tree.at_level(leaf, self.from_level)).collect();
        if starts.iter().any(|&start| !self.tree.covers(node, start)) { 1 } else { starts.len() }
    }
}

pub fn place(path: &[usize], node: usize) -> usize {
    path.iter().position(|&other| other == node).unwrap_or(0)
}
