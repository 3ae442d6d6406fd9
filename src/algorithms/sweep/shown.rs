//! What rows show in the sensitive column that is generalized, as models see it.
//!
//! A cell that is as it was has its code; a generalized one has a code behind all of the column's, by its node. So all
//! requirements on the column look at one histogram and know what its codes stand for: those on (τ,ℓ)-diversity are made for
//! it here; all others come from the policy with the codes behind the column's own
//! ([`crate::policy::Setup::requirements`]) and judge groups whatever the truth is. Nodes of one label have one code, as
//! they are one text to a reader.

use std::borrow::Cow;

use crate::algorithms::local::Problem;
use crate::algorithms::local::demands::Demands;
use crate::algorithms::local::space::Space;
use crate::classes::Keys;
use crate::hierarchy::NodeId;
use crate::metrics::Asked;
use crate::policy::Sensitive;
use crate::privacy::{Requirement, TauL};

/// The sensitive column that is generalized, and what is asked of it.
pub struct Shown<'a> {
    problem: &'a Problem<'a>,
    pub sensitive: &'a Sensitive,
    /// (τ,ℓ)-diversity as asked and all others on this column, by the codes of what is shown.
    own: Vec<Requirement>,
    /// Codes of all sensitive columns, missing tokens made one.
    codes: Vec<Cow<'a, [u32]>>,
    attribute: usize,
    /// The code of what a generalized cell shows.
    code_of_node: Vec<u32>,
}

impl<'a> Shown<'a> {
    /// `asked.attribute` must be one of the problem's sensitive columns.
    pub fn new(problem: &'a Problem<'a>, asked: &Asked, weights: &[f64]) -> Self {
        let sensitive = &problem.sensitive[asked.attribute];
        let columns = &problem.table.columns;
        let (tree, values) = (&sensitive.tree, sensitive.leaf_of_code.len() as u32);
        let nodes = || sensitive.leaf_of_code.iter().copied().chain(0..tree.len() as NodeId);
        let on_shown = |tau: f64, l: u32, weights: &[f64], jointly: bool| Requirement {
            attribute: Some(sensitive.column),
            jointly,
            model: Box::new(TauL { tau, l, induced: sensitive.induced_of(nodes(), weights) }),
        };
        let mut own = vec![on_shown(asked.tau, asked.l, weights, false)];
        for requirement in problem.requirements.iter().filter(|requirement| is_own(requirement, sensitive)) {
            let Some(TauL { tau, l, induced }) = requirement.model.as_tau_l() else { continue };
            let again = (*tau, *l, induced.weights(), requirement.jointly) == (asked.tau, asked.l, weights, false);
            if !again {
                own.push(on_shown(*tau, *l, induced.weights(), requirement.jointly));
            }
        }
        let codes = problem.sensitive.iter().map(|sensitive| columns[sensitive.column].class_codes()).collect();
        let read = |node: NodeId| sensitive.read_as[node as usize] as usize;
        let mut code_of_read: Vec<u32> = (values..values + tree.len() as u32).collect();
        // A group that came as a cell is the value that it came as.
        for (code, &node) in sensitive.leaf_of_code.iter().enumerate().rev() {
            code_of_read[read(node)] = code as u32;
        }
        let code_of_node: Vec<u32> = (0..tree.len() as NodeId).map(|node| code_of_read[read(node)]).collect();
        Shown { problem, sensitive, own, codes, attribute: asked.attribute, code_of_node }
    }

    /// The node that a row shows as it is.
    pub fn original(&self, row: u32) -> NodeId {
        let code = self.problem.table.columns[self.sensitive.column].codes[row as usize];
        self.sensitive.leaf_of_code[code as usize]
    }

    /// The code of a row that shows a node.
    pub fn code(&self, row: u32, node: NodeId) -> u32 {
        let as_it_was = self.original(row) == node;
        if as_it_was { self.codes[self.attribute][row as usize] } else { self.code_of_node[node as usize] }
    }

    /// The requirements, and the rows grouped as far as these distinguish them, where each row shows a node of `nodes`.
    pub fn look(&self, nodes: &[NodeId]) -> (Space<'_>, Demands<'_>) {
        let others = self.problem.requirements.iter().filter(|requirement| !is_own(requirement, self.sensitive));
        let mut demands = Demands::new(self.own.iter().chain(others), self.problem.table.rows);
        let shown: Vec<u32> = (0..).zip(nodes).map(|(row, &node)| self.code(row, node)).collect();
        let keys = |(place, sensitive): (usize, &Sensitive)| {
            let values = sensitive.leaf_of_code.len() as u32;
            let keys = if place == self.attribute {
                Keys { codes: &shown, size: values + sensitive.tree.len() as u32 }
            } else {
                Keys { codes: &self.codes[place], size: values }
            };
            (sensitive.column, keys)
        };
        let sensitive: Vec<(usize, Keys<'_>)> = self.problem.sensitive.iter().enumerate().map(keys).collect();
        let looked_at = sensitive.iter().filter(|(place, _)| demands.looks_at(*place));
        let looked_at: Vec<Keys<'_>> = looked_at.map(|(_, keys)| Keys { codes: keys.codes, size: keys.size }).collect();
        let space = Space::new(self.problem, &looked_at, &[]);
        demands.bind(&space, &sensitive);
        (space, demands)
    }
}

/// Whether a requirement is (τ,ℓ)-diversity of the column, whose codes must be those of what is shown.
fn is_own(requirement: &Requirement, sensitive: &Sensitive) -> bool {
    requirement.attribute == Some(sensitive.column) && requirement.model.as_tau_l().is_some()
}
