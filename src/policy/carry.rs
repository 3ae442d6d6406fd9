//! A set-up carried over to the same file read otherwise.
//!
//! Guarantee: a column that is there under the same name keeps its role and all that a person chose for it; a hierarchy
//! that was built and is of another kind of values than the column has now is suggested anew, without the limits and the
//! least level of the other tree, which is told; columns of other names are as they are guessed. What is demanded stays as
//! it is, and what it says of columns that are gone is told where it is used. That repairs are accepted is said of one
//! reading of one file, and is not carried.
//! Complexity: that of binding the hierarchies.

use std::rc::Rc;

use super::decisions::Decisions;
use super::setup::{ColumnSetup, Setup, Template};
use crate::hierarchy::build;
use crate::table::{Column, Table};

impl Setup {
    /// This set-up of `from`, for `to`; and what could not be carried: columns, each with a sentence.
    pub fn carried(&self, from: &Table, to: &Table) -> (Setup, Vec<(String, String)>) {
        let mut setup = Setup {
            privacy: self.privacy.clone(),
            suppression_limit: self.suppression_limit,
            algorithm: self.algorithm.clone(),
            seed: self.seed,
            diversity: self.diversity.clone(),
            decisions: Decisions { repairs_accepted: false, ..self.decisions.clone() },
            optional: self.optional.clone(),
            absent: self.absent.clone(),
            ..Setup::guessed(to)
        };
        let mut notes = Vec::new();
        for (column, now) in setup.columns.iter_mut().zip(&to.columns) {
            if let Some(place) = from.columns.iter().position(|before| before.name == now.name) {
                let dropped = column.take(&self.columns[place], &from.columns[place], now);
                notes.extend(dropped.map(|sentence| (now.name.clone(), sentence)));
            }
        }
        let there = |name: &String| to.columns.iter().any(|column| column.name == *name);
        setup.absent.retain(|name, _| !there(name));
        // A policy that accepts a finding of a column that is not there is refused.
        setup.decisions.accept.retain(|acceptance| acceptance.column.as_ref().is_none_or(there));
        (setup, notes)
    }
}

impl ColumnSetup {
    /// Takes what was chosen for the column; tells what of it is gone.
    fn take(&mut self, before: &ColumnSetup, was: &Column, now: &Column) -> Option<String> {
        let same = was.kind.kind == now.kind.kind;
        (self.role, self.missing) = (before.role, before.missing);
        let limits = |template: &Template| template.limits.clone();
        let kept = before.template.as_ref().and_then(|template| {
            let tree = match &template.recipe {
                None => Some(template.tree.clone()),
                Some(recipe) if same => build(recipe, now).ok(),
                Some(_) => None,
            }?;
            Some(Rc::new(Template::new(tree, template.recipe.clone(), now, limits(template))))
        });
        let same_tree = kept.is_some();
        match kept {
            Some(template) => self.template = Some(template),
            // Somebody took it away.
            None if before.template.is_none() && same => self.template = None,
            None => self.complete(now),
        }
        let levels = self.template.as_ref().map_or(1, |template| template.tree.levels());
        // Levels of another tree mean something else.
        let fits = same_tree && (before.from_level as usize) < levels;
        self.from_level = if fits { before.from_level } else { 0 };
        let limits = |column: &ColumnSetup| column.template.as_ref().map_or(0, |template| template.limits.len());
        let gone = match (limits(self) < limits(before), self.from_level < before.from_level) {
            (false, false) => return None,
            (true, false) => "limits of generalization that its hierarchy lacks are",
            (false, true) => "the level that values had to be shown at is",
            (true, true) => "limits of generalization and the level that values had to be shown at are",
        };
        Some(format!("The column has another hierarchy, read in this way; {gone} no longer set."))
    }
}
