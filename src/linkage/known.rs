//! What is known of releases before they are read: roles and hierarchies, from a policy that came with them or from the
//! session's set-up.

use crate::failure::Failure;
use crate::hierarchy::{Hierarchy, arx, build};
use crate::io::Source;
use crate::policy::{PolicyFile, Setup};
use crate::table::{Role, Table};

pub use super::releases::Known;
use super::releases::column;

/// Files that came with a request.
#[derive(Default)]
pub struct Arrived {
    pub tables: Vec<Box<dyn Source>>,
    /// A policy's name and text.
    pub policy: Option<(String, Vec<u8>)>,
    pub hierarchies: Vec<(String, Vec<u8>)>,
    /// A plan's name and text: the attacker has it.
    pub plan: Option<(String, Vec<u8>)>,
}

/// Roles and hierarchies of a set-up.
pub fn of_setup(table: &Table, setup: &Setup) -> Known {
    let mut known = Known::default();
    for (column, data) in setup.columns.iter().zip(&table.columns) {
        known.roles.insert(data.name.clone(), column.role);
        known.missing.insert(data.name.clone(), column.missing);
        let used = matches!(column.role, Role::Quasi | Role::Sensitive);
        if let Some(template) = column.template.as_ref().filter(|_| used) {
            known.trees.insert(data.name.clone(), template.tree.clone());
        }
    }
    known
}

/// What the policy says. A hierarchy that is built by a recipe needs the values of the original table: without it, cells
/// are read by their notation, which is what recipes write.
pub fn known_of(arrived: &Arrived, original: Option<&Table>) -> Result<Known, Failure> {
    let mut known = Known::default();
    let (Some((name, _)), Some(policy)) = (&arrived.policy, policy_of(arrived)?) else {
        return match arrived.hierarchies.first() {
            None => Ok(known),
            Some((file, _)) => {
                let what = "A hierarchy came without a policy that says which column it is for.";
                Err(Failure::refused(what, "Give the policy, too.").in_file(file))
            }
        };
    };
    let in_policy = |failure: Failure| if failure.place.file.is_none() { failure.in_file(name) } else { failure };
    for (column_name, entry) in &policy.columns {
        known.roles.insert(column_name.clone(), entry.role);
        known.missing.insert(column_name.clone(), entry.missing.unwrap_or_default());
        let Some(hierarchy) = &entry.hierarchy else { continue };
        let of = |what: String| {
            let what = format!("The hierarchy of column “{column_name}” {what}.");
            in_policy(Failure::policy(what, "Correct the policy."))
        };
        let tree = match (&hierarchy.file, &hierarchy.rows, &hierarchy.recipe) {
            (Some(file), None, None) => Some(file_of(arrived, file)?),
            (None, Some(rows), None) => {
                Some(Hierarchy::from_rows(rows).map_err(|error| of(format!("is no tree: {error}")))?)
            }
            (None, None, Some(recipe)) => match original.and_then(|table| column(table, column_name)) {
                Some(data) => Some(build(recipe, data).map_err(|error| of(format!("can't be built: {error}")))?),
                None => None,
            },
            _ => return Err(of("must have exactly one of \"file\", \"rows\" and \"recipe\"".into())),
        };
        known.trees.extend(tree.map(|tree| (column_name.clone(), tree)));
    }
    Ok(known)
}

/// The policy that came.
pub fn policy_of(arrived: &Arrived) -> Result<Option<PolicyFile>, Failure> {
    let Some((name, bytes)) = &arrived.policy else { return Ok(None) };
    PolicyFile::parse(&String::from_utf8_lossy(bytes)).map(Some).map_err(|failure| failure.in_file(name))
}

fn file_of(arrived: &Arrived, file: &str) -> Result<Hierarchy, Failure> {
    // A browser knows no folders.
    let short = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let named = |name: &str| arrived.hierarchies.iter().find(|(other, _)| other == name);
    let missing = || {
        let what = format!("The policy refers to the file “{file}”.");
        Failure::policy(what, "Give the policy and its hierarchy files together.")
    };
    let (_, bytes) = named(file).or_else(|| named(short)).ok_or_else(missing)?;
    Ok(arx::import(bytes, None).map_err(|failure| failure.in_file(file))?.tree)
}
