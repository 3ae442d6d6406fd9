//! A set-up carried over to the same file read otherwise.
//!
//! Guarantee: a column that is there under the same name keeps its role and all that a person chose for it; a hierarchy
//! that was built and is of another kind of values than the column has now is suggested anew; columns of other names are
//! as they are guessed. What is demanded stays as it is, and what it says of columns that are gone is told where it is used.
//! Complexity: that of binding the hierarchies.

use std::rc::Rc;

use super::setup::{ColumnSetup, Setup, Template};
use crate::hierarchy::build;
use crate::table::{Column, Table};

impl Setup {
    /// This set-up of `from`, for `to`.
    pub fn carried(&self, from: &Table, to: &Table) -> Setup {
        let mut setup = Setup {
            privacy: self.privacy.clone(),
            suppression_limit: self.suppression_limit,
            algorithm: self.algorithm.clone(),
            seed: self.seed,
            diversity: self.diversity.clone(),
            decisions: self.decisions.clone(),
            optional: self.optional.clone(),
            absent: self.absent.clone(),
            ..Setup::guessed(to)
        };
        for (column, now) in setup.columns.iter_mut().zip(&to.columns) {
            if let Some(place) = from.columns.iter().position(|before| before.name == now.name) {
                column.take(&self.columns[place], &from.columns[place], now);
            }
        }
        let there = |name: &String| to.columns.iter().any(|column| column.name == *name);
        setup.absent.retain(|name, _| !there(name));
        // A policy that accepts a finding of a column that is not there is refused.
        setup.decisions.accept.retain(|acceptance| acceptance.column.as_ref().is_none_or(there));
        setup
    }
}

impl ColumnSetup {
    fn take(&mut self, before: &ColumnSetup, was: &Column, now: &Column) {
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
        match kept {
            Some(template) => self.template = Some(template),
            // Somebody took it away.
            None if before.template.is_none() && same => self.template = None,
            None => self.complete(now),
        }
        let levels = self.template.as_ref().map_or(1, |template| template.tree.levels());
        self.from_level = if (before.from_level as usize) < levels { before.from_level } else { 0 };
    }
}
