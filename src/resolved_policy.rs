//! A policy that can run: a [`Setup`] compared with its table once, after which every name is a column, every value a
//! code, and every number within its range.
//!
//! What is wrong is told with the place of the key in the policy file (`privacy[1].l`), and never with a cell's value.

use crate::constraints::{Constraint, bind};
use crate::failure::Failure;
use crate::policy::{Quasi, Sensitive, Setup, suppressible};
use crate::privacy::Requirement;
use crate::table::{Role, Table};

/// What a release must satisfy, in terms of the table's columns and codes.
#[derive(Debug)]
pub struct ResolvedPolicy {
    pub identifiers: Vec<usize>,
    pub quasi: Vec<Quasi>,
    pub sensitive: Vec<Sensitive>,
    pub insensitive: Vec<usize>,
    pub requirements: Vec<Requirement>,
    /// Which of the policy's demands each requirement came from: one on every sensitive column gives several.
    pub demand_of: Vec<usize>,
    /// In the order of the policy's lines.
    pub constraints: Vec<Constraint>,
    /// Rows that may be suppressed.
    pub suppressible: u64,
    pub seed: u64,
}

impl ResolvedPolicy {
    pub fn new(setup: &Setup, table: &Table) -> Result<ResolvedPolicy, Failure> {
        let of_role = |role: Role| -> Vec<usize> {
            (0..setup.columns.len()).filter(|&place| setup.columns[place].role == role).collect()
        };
        let quasi: Vec<Quasi> = of_role(Role::Quasi)
            .into_iter()
            .map(|place| Quasi::new(place, &setup.columns[place], &table.columns[place]))
            .collect::<Result<_, _>>()?;
        if quasi.is_empty() {
            return Err(Failure::policy(
                "No column is a quasi-identifier, so there is nothing to recode.",
                "Give at least one column the role “quasi”.",
            ));
        }
        let sensitive = of_role(Role::Sensitive)
            .into_iter()
            .map(|place| Sensitive::new(place, &setup.columns[place], &table.columns[place]))
            .collect();
        let (requirements, demand_of) = setup.requirements(table)?;
        let constraints = bind::all(setup, table)?;
        let limit = setup.suppression_limit.unwrap_or(0.0);
        Ok(ResolvedPolicy {
            identifiers: of_role(Role::Identifier),
            quasi,
            sensitive,
            insensitive: of_role(Role::Insensitive),
            requirements,
            demand_of,
            constraints,
            suppressible: suppressible(limit, table.rows),
            seed: setup.seed(),
        })
    }
}
