//! A line held against the table and its set-up: names become columns, and every value is one that a release can show.
//!
//! A row *can show* a value if its original has it, or if the value is a group above it that neither the limits forbid nor
//! `from_level` hides. As many rows as can show all values of a constraint is the most that any release can count.
//! Of a column's missing values all tokens are one: whichever is typed, the constraint has the one that a release shows.
//! Complexity: O(nodes + different values) a named column, O(rows) a constraint of several columns.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::count::{Texts, accepted};
use super::parse::{Fault, Said, Statement, Word, parse};
use super::{Constraint, Target};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::policy::Quasi;
use crate::policy::{ModelDemand, Setup, suppressible};
use crate::sorting::Sorting;
use crate::table::{Column, Role, Table};
use crate::words::{counted, grouped};

/// All constraints of a policy.
pub fn all(setup: &Setup, table: &Table) -> Result<Vec<Constraint>, Failure> {
    let mut binder = Binder::new(setup, table);
    let constraint = |(place, line): (usize, &String)| {
        let bound = parse(line).and_then(|statement| binder.bind_again(&statement).map_err(first));
        bound.map_err(|fault| fault.into_failure(place))
    };
    setup.diversity.iter().enumerate().map(constraint).collect()
}

fn first(faults: Vec<Fault>) -> Fault {
    faults.into_iter().next().unwrap_or_else(|| Fault::new(Default::default(), "", ""))
}

/// Whether the rows with some value can show, or can't but show, the value of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shows {
    Never,
    May,
    Must,
}

/// What the cells of a column can show.
pub struct Showing<'a> {
    pub column: &'a Column,
    /// Values on their way from leaf to limit; `None` if cells are released as they are.
    pub recoded: Option<Quasi>,
}

impl Showing<'_> {
    /// What the rows of each code make of a value.
    pub fn of(&self, value: &str) -> Vec<Shows> {
        let texts = accepted(self.column, value);
        let Some(Quasi { tree, leaf_of_code, limit_of_code, .. }) = &self.recoded else {
            let same = |text| if texts.contains(text) { Shows::Must } else { Shows::Never };
            return self.column.dictionary.iter().map(same).collect();
        };
        let nodes = texts.nodes(tree);
        let on_way = |leaf: NodeId, limit: NodeId| {
            let between = |&node: &NodeId| tree.covers(node, leaf) && tree.depth(node) >= tree.depth(limit);
            match nodes.iter().copied().filter(between).count() {
                0 => Shows::Never,
                // Every label on the way may be accepted: a chain of one text, or several tokens of missing values.
                met if met == tree.depth(leaf) + 1 - tree.depth(limit) => Shows::Must,
                _ => Shows::May,
            }
        };
        leaf_of_code.iter().zip(limit_of_code).map(|(&leaf, &limit)| on_way(leaf, limit)).collect()
    }
}

impl Showing<'_> {
    /// Whether the rows of each code can show something that is none of the values.
    pub fn others(&self, values: &std::collections::BTreeSet<&str>) -> Vec<bool> {
        let texts: Vec<Texts<'_>> = values.iter().map(|value| accepted(self.column, value)).collect();
        let is_other = |text: &str| !texts.iter().any(|texts| texts.contains(text));
        let Some(Quasi { tree, leaf_of_code, limit_of_code, .. }) = &self.recoded else {
            return self.column.dictionary.iter().map(is_other).collect();
        };
        let others: Vec<bool> = (0..tree.len() as NodeId).map(|node| is_other(tree.label(node))).collect();
        let can = |(&leaf, &limit): (&NodeId, &NodeId)| {
            tree.path(leaf).take_while(|&node| tree.depth(node) >= tree.depth(limit)).any(|node| others[node as usize])
        };
        leaf_of_code.iter().zip(limit_of_code).map(can).collect()
    }
}

/// Finds the columns and values of lines.
pub struct Binder<'a> {
    pub setup: &'a Setup,
    pub table: &'a Table,
    showing: Vec<OnceCell<Result<Showing<'a>, Failure>>>,
    /// What lines without a fault were found to mean.
    bound: HashMap<Said, Constraint>,
}

impl<'a> Binder<'a> {
    pub fn new(setup: &'a Setup, table: &'a Table) -> Self {
        Binder { setup, table, showing: table.columns.iter().map(|_| OnceCell::new()).collect(), bound: HashMap::new() }
    }

    /// As [`Binder::bind`], for many lines: one that says what another said costs no second look at the table.
    pub fn bind_again(&mut self, statement: &Statement) -> Result<Constraint, Vec<Fault>> {
        let said = statement.said();
        if let Some(constraint) = self.bound.get(&said) {
            return Ok(constraint.clone());
        }
        let constraint = self.bind(statement)?;
        self.bound.insert(said, constraint.clone());
        Ok(constraint)
    }

    /// The constraint that a line means, or everything that is wrong with it.
    pub fn bind(&self, statement: &Statement) -> Result<Constraint, Vec<Fault>> {
        let (mut target, mut faults) = (Vec::new(), Vec::new());
        for (column, value) in &statement.parts {
            match self.target(column, value) {
                Ok(found) => target.push(found),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        target.order();
        let constraint = Constraint { target, least: statement.least, most: statement.most };
        self.check_bounds(&constraint, statement).map(|()| constraint).map_err(|fault| vec![fault])
    }

    /// What the cells of a column can show.
    pub fn showing(&self, place: usize) -> Result<&Showing<'a>, Failure> {
        let none = || Failure::refused("There is no such column.", "Name a column of the table.");
        let cell = self.showing.get(place).ok_or_else(none)?;
        cell.get_or_init(|| self.look(place)).as_ref().map_err(Failure::clone)
    }

    fn look(&self, place: usize) -> Result<Showing<'a>, Failure> {
        let (setup, column) = (&self.setup.columns[place], &self.table.columns[place]);
        let is_about = |attribute: &Option<String>| attribute.as_ref().is_none_or(|name| *name == column.name);
        let generalized = |demand: &crate::policy::Demand| {
            matches!(demand.model, ModelDemand::TauL { .. }) && is_about(&demand.attribute)
        };
        let recoded = match setup.role {
            Role::Quasi => Some(Quasi::new(place, setup, column)?),
            // Only (τ,ℓ)-diversity generalizes sensitive values.
            Role::Sensitive if self.setup.privacy.iter().any(generalized) => {
                Some(Quasi::of_sensitive(place, setup, column))
            }
            Role::Sensitive | Role::Insensitive | Role::Identifier => None,
        };
        Ok(Showing { column, recoded })
    }

    fn target(&self, name: &Word, value: &Word) -> Result<Target, Fault> {
        let columns = &self.table.columns;
        let Some(place) = columns.iter().position(|column| column.name == name.text) else {
            let alike = columns.iter().find(|column| alike(&column.name, &name.text));
            let next = match alike {
                Some(column) => format!("The table has a column “{}”: write it like that.", column.name),
                None => "Name a column of the table as it is spelled there.".to_owned(),
            };
            return Err(Fault::new(name.at, "The table has no column of this name.", next));
        };
        let column = &columns[place];
        if self.setup.columns[place].role == Role::Identifier {
            let what = format!("Column “{}” is an identifier and will be dropped.", column.name);
            return Err(Fault::new(name.at, what, "Name a column that is released, or give this one another role."));
        }
        let showing =
            self.showing(place).map_err(|failure| Fault::new(name.at, failure.what.clone(), failure.next.clone()))?;
        let text = released_as(showing, &value.text);
        self.check_value(place, showing, &text, value)?;
        Ok(Target { column: place, value: text })
    }

    /// A release can show the value, or at least no row has it.
    fn check_value(&self, place: usize, showing: &Showing<'_>, text: &str, typed: &Word) -> Result<(), Fault> {
        let fault = |what: String, next: &str| Err(Fault::new(typed.at, what, next));
        let name = &showing.column.name;
        let template = self.setup.columns[place].template.as_deref();
        let in_data = showing.column.dictionary.iter().any(|other| other == text);
        let in_tree = template.is_some_and(|template| template.tree.find(text).is_some());
        let released = showing.recoded.as_ref().map(|recoded| accepted(showing.column, text).nodes(&recoded.tree));
        match released {
            None if in_data => Ok(()),
            None if in_tree => fault(
                format!("Column “{name}” is released as it is and never shows a group of its hierarchy."),
                "Name a value of the data.",
            ),
            Some(nodes) if nodes.is_empty() && (in_data || in_tree) => fault(
                format!("Column “{name}” hides this: its values are shown from a higher level on (from_level)."),
                "Name a group that is shown, or lower the level.",
            ),
            None => self.unknown(showing, typed),
            Some(nodes) if nodes.is_empty() => self.unknown(showing, typed),
            Some(nodes) => {
                let Some(Quasi { tree, leaf_of_code, .. }) = &showing.recoded else { return Ok(()) };
                let under = leaf_of_code.iter().any(|&leaf| nodes.iter().any(|&node| tree.covers(node, leaf)));
                if under && showing.of(text).iter().all(|&shows| shows == Shows::Never) {
                    return fault(
                        format!("The limits of column “{name}” forbid this group: no row may become it."),
                        "Name a group within the limits, or change them.",
                    );
                }
                Ok(())
            }
        }
    }

    fn unknown(&self, showing: &Showing<'_>, typed: &Word) -> Result<(), Fault> {
        let column = showing.column;
        let labels = showing.recoded.iter().flat_map(|recoded| {
            let tree = &recoded.tree;
            (0..tree.len() as NodeId).map(|node| tree.label(node))
        });
        let near: Vec<&str> =
            column.dictionary.iter().chain(labels).filter(|text| alike(text, &typed.text)).take(20).collect();
        let next = if near.iter().any(|text| text.trim() == typed.text) {
            "It is there with spaces at its ends: write it in double quotes, with them."
        } else if !near.is_empty() {
            "It is there in other letters, upper or lower case: write it like that."
        } else {
            "Write a value as it stands in the table, or a group that the release can show."
        };
        Err(Fault::new(typed.at, format!("Column “{}” has no such value, nor has its hierarchy.", column.name), next))
    }

    /// Bounds that some release can meet, as far as counting shows it.
    fn check_bounds(&self, constraint: &Constraint, statement: &Statement) -> Result<(), Fault> {
        if constraint.least > 0 {
            let possible = self.rows_that(constraint, Shows::May);
            if possible < constraint.least {
                let what = format!("The table has only {} that can show this.", counted(possible, "row"));
                let next = format!("Ask for at most {}.", grouped(possible));
                return Err(Fault::new(statement.least_at, what, next));
            }
        }
        if let Some(most) = constraint.most {
            let forced = self.rows_that(constraint, Shows::Must);
            let allowed = suppressible(self.setup.suppression_limit.unwrap_or(0.0), self.table.rows);
            if forced.saturating_sub(allowed) > most {
                let what = format!(
                    "{} can't but show this in every release; only {} may be suppressed.",
                    counted(forced, "row"),
                    grouped(allowed)
                );
                let next = "Raise the upper bound, or let a column of it be recoded.";
                return Err(Fault::new(statement.most_at, what, next));
            }
        }
        Ok(())
    }

    /// Rows that can show (or must show) all values of a constraint whose columns are known.
    pub fn rows_that(&self, constraint: &Constraint, show: Shows) -> u64 {
        let showing: Vec<(&Column, Vec<bool>)> =
            constraint.target.iter().map(|target| self.codes(target, show)).collect();
        match showing.as_slice() {
            [(column, codes)] => {
                column.counts.iter().zip(codes).map(|(&count, &shows)| u64::from(count * u32::from(shows))).sum()
            }
            several => {
                let shows = |row: usize| several.iter().all(|(column, codes)| codes[column.codes[row] as usize]);
                (0..self.table.rows).filter(|&row| shows(row)).count() as u64
            }
        }
    }

    /// The codes of a target's column whose rows can (or must) show its value.
    pub fn codes(&self, target: &Target, show: Shows) -> (&'a Column, Vec<bool>) {
        let column = &self.table.columns[target.column];
        let shows = match self.showing(target.column) {
            Ok(showing) => showing.of(&target.value).into_iter().map(|shows| shows >= show).collect(),
            // A column that can't be released shows nothing.
            Err(_) => vec![false; column.dictionary.len()],
        };
        (column, shows)
    }
}

/// The text by which a release shows what was typed: of missing values, the token that has a place in the tree.
fn released_as(showing: &Showing<'_>, typed: &str) -> String {
    let column = showing.column;
    let token = |&code: &u32| {
        let text = column.dictionary.text(code);
        text == typed || text.trim_ascii() == typed
    };
    // A value of the data that is no missing one may look like a token only with other spaces around it. A token that no cell
    // shows names those that show another.
    let is_label = || showing.recoded.as_ref().is_some_and(|recoded| recoded.tree.find(typed).is_some());
    if !column.missing.iter().any(token) && (!column.is_missing_token(typed) || is_label()) {
        return typed.to_owned();
    }
    let Some(&code) = column.missing.first() else { return typed.to_owned() };
    match &showing.recoded {
        None => column.dictionary.text(code).to_owned(),
        Some(recoded) => {
            let shown = recoded.tree.label(recoded.leaf_of_code[code as usize]);
            // Behind `from_level` missing values may only be shown in a group: then the token is hidden.
            if accepted(column, typed).contains(shown) {
                shown.to_owned()
            } else {
                column.dictionary.text(code).to_owned()
            }
        }
    }
}

/// Texts that differ only in letter case and in spaces at their ends.
fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    one == other || one.to_lowercase() == other.to_lowercase()
}
