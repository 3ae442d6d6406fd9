//! What a person can do to the set-up. An edit gives a new set-up or a failure; it never changes the old one.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::algorithm::Algorithm;
use super::decisions::Decisions;
use super::demand::Demand;
use super::safe_harbor::safe_harbor;
use super::setup::{ColumnSetup, Missing, Setup, Template};
use crate::failure::Failure;
use crate::hierarchy::{EditError, Hierarchy, NodeId, ROOT, Recipe, build};
use crate::sorting::Sorting;
use crate::table::{Column, Role, Table};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    Roles {
        columns: Vec<u32>,
        role: Role,
    },
    Build {
        column: u32,
        recipe: Recipe,
    },
    Tree {
        column: u32,
        change: TreeChange,
    },
    /// Marks or unmarks a node as a limit.
    Limit {
        column: u32,
        node: NodeId,
        marked: bool,
    },
    Repair {
        column: u32,
        repair: Repair,
    },
    /// No hierarchy: a value is kept or becomes `*`.
    RemoveHierarchy {
        column: u32,
    },
    /// Values are shown at least as general as on this level.
    FromLevel {
        column: u32,
        level: u32,
    },
    /// What missing cells of a sensitive column are taken for.
    Missing {
        column: u32,
        missing: Missing,
    },
    /// All that is asked of the classes. While a number is being typed, its versions are one step of the history.
    Privacy {
        demands: Vec<Demand>,
        typing: bool,
    },
    /// The share of rows that may be suppressed.
    SuppressionLimit {
        limit: f64,
        typing: bool,
    },
    /// The diversity constraints, one a line, as typed: a line with a fault stays until someone corrects it.
    Diversity {
        lines: Vec<String>,
        typing: bool,
    },
    /// What is said of findings, all of it.
    Decisions(Decisions),
    /// Which algorithm makes the release.
    Algorithm(Algorithm),
    /// What the HIPAA Safe Harbor rule asks of dates, ages, postcodes and identifiers.
    SafeHarbor,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TreeChange {
    Rename {
        node: NodeId,
        label: String,
    },
    Move {
        nodes: Vec<NodeId>,
        target: NodeId,
    },
    Group {
        nodes: Vec<NodeId>,
        label: String,
    },
    Ungroup {
        node: NodeId,
    },
    Split {
        node: NodeId,
        taken: Vec<NodeId>,
        label: String,
    },
    /// Puts what is in one group into another: two spellings become one.
    Merge {
        kept: NodeId,
        merged: NodeId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Repair {
    /// Values of the data that the tree lacks go under the root.
    AddLacking,
    /// Leaves that no row has go.
    RemoveUnused,
}

impl Edit {
    /// Whether more of the same change is likely to follow.
    pub fn typing(&self) -> bool {
        matches!(
            self,
            Edit::Privacy { typing: true, .. }
                | Edit::SuppressionLimit { typing: true, .. }
                | Edit::Diversity { typing: true, .. }
        )
    }

    pub fn apply(&self, setup: &Setup, table: &Table) -> Result<Setup, Failure> {
        let mut setup = setup.clone();
        match self {
            Edit::Roles { columns, role } => {
                for &index in columns {
                    let (column, data) = at(&mut setup, table, index)?;
                    column.role = *role;
                    column.complete(data);
                }
            }
            Edit::Build { column, recipe } => {
                let (column, data) = at(&mut setup, table, *column)?;
                column.build(recipe, data)?;
            }
            Edit::Tree { column, change } => {
                let (column, data) = at(&mut setup, table, *column)?;
                let tree = change.apply(&column.template()?.tree).map_err(refused)?;
                let renamed = match change {
                    TreeChange::Rename { node, label } => {
                        Some((column.template()?.tree.label(*node).to_owned(), label))
                    }
                    _ => None,
                };
                let mut limits = column.template()?.limits.clone();
                for limit in &mut limits {
                    if let Some((_, new)) = renamed.as_ref().filter(|(old, _)| old == limit) {
                        limit.clone_from(new);
                    }
                }
                column.template = Some(Rc::new(Template::new(tree, None, data, limits)));
            }
            Edit::Limit { column, node, marked } => {
                let (column, _) = at(&mut setup, table, *column)?;
                let template = column.template()?;
                if *node as usize >= template.tree.len() {
                    return Err(refused(EditError::Unknown));
                }
                let mut template = Template::clone(template);
                let label = template.tree.label(*node).to_owned();
                template.limits.retain(|limit| *limit != label);
                if *marked {
                    template.limits.push(label);
                }
                column.template = Some(Rc::new(template));
            }
            Edit::Repair { column, repair } => {
                let (column, data) = at(&mut setup, table, *column)?;
                let template = column.template()?;
                let tree = match repair {
                    Repair::AddLacking => {
                        let lacking = template.binding.lacking.iter().map(|&code| data.dictionary.text(code));
                        let mut lacking: Vec<&str> = lacking.collect();
                        lacking.order();
                        template.tree.add_leaves(lacking, ROOT)
                    }
                    Repair::RemoveUnused => template.tree.remove_leaves(&template.binding.unused),
                };
                column.put(tree.map_err(refused)?, None, data);
            }
            Edit::RemoveHierarchy { column } => {
                let (column, data) = at(&mut setup, table, *column)?;
                column.build(&Recipe::Star, data)?;
            }
            Edit::FromLevel { column, level } => {
                let (column, _) = at(&mut setup, table, *column)?;
                if *level as usize >= column.template()?.tree.levels() {
                    return Err(refused(EditError::Unknown));
                }
                column.from_level = *level;
            }
            Edit::Missing { column, missing } => at(&mut setup, table, *column)?.0.missing = *missing,
            Edit::Privacy { demands, .. } => setup.privacy.clone_from(demands),
            Edit::SuppressionLimit { limit, .. } => {
                if !(0.0..=1.0).contains(limit) {
                    return Err(Failure::refused("This is not a share of the rows.", "Give a share from 0 to 100 %."));
                }
                setup.suppression_limit = Some(*limit).filter(|&limit| limit > 0.0);
            }
            Edit::Diversity { lines, .. } => setup.diversity.clone_from(lines),
            Edit::Decisions(decisions) => {
                decisions.check()?;
                setup.decisions.clone_from(decisions);
            }
            Edit::Algorithm(algorithm) => setup.algorithm.clone_from(algorithm),
            Edit::SafeHarbor => safe_harbor(&mut setup, table)?,
        }
        Ok(setup)
    }
}

impl TreeChange {
    fn apply(&self, tree: &Hierarchy) -> Result<Hierarchy, EditError> {
        match self {
            TreeChange::Rename { node, label } => tree.rename(*node, label),
            TreeChange::Move { nodes, target } => tree.move_to(nodes, *target),
            TreeChange::Group { nodes, label } => tree.group(nodes, label),
            TreeChange::Ungroup { node } => tree.ungroup(*node),
            TreeChange::Split { node, taken, label } => tree.split(*node, taken, label),
            TreeChange::Merge { kept, merged } => tree.merge_groups(*kept, *merged),
        }
    }
}

impl ColumnSetup {
    fn template(&self) -> Result<&Template, Failure> {
        self.template
            .as_deref()
            .ok_or_else(|| Failure::refused("This column has no hierarchy.", "Build or import one first."))
    }

    pub(super) fn build(&mut self, recipe: &Recipe, data: &Column) -> Result<(), Failure> {
        let tree = build(recipe, data).map_err(|error| {
            Failure::data(format!("This hierarchy can't be built: {error}."), "Change its settings.")
        })?;
        self.put(tree, Some(recipe.clone()), data);
        Ok(())
    }

    /// Puts another tree on the column; limits whose label it still has are kept.
    pub fn put(&mut self, tree: Hierarchy, recipe: Option<Recipe>, data: &Column) {
        // Another tree's levels mean something else.
        self.from_level = 0;
        let limits = self.template.as_ref().map(|template| template.limits.clone()).unwrap_or_default();
        self.template = Some(Rc::new(Template::new(tree, recipe, data, limits)));
    }
}

fn at<'a>(setup: &'a mut Setup, table: &'a Table, index: u32) -> Result<(&'a mut ColumnSetup, &'a Column), Failure> {
    match (setup.columns.get_mut(index as usize), table.columns.get(index as usize)) {
        (Some(setup), Some(column)) => Ok((setup, column)),
        _ => Err(Failure::refused("There is no such column.", "Choose a column of the table.")),
    }
}

fn refused(error: EditError) -> Failure {
    Failure::refused(format!("The tree was not changed: {error}."), "Choose other values or another name.")
}
