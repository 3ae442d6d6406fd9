//! Full-domain recoding for a set-up: the lattice prepared once, searched again and again.

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::algorithms::lattice::{self, Budget, Found, Lattice, Map as NodeMap, Node, Outcome, Question, Stop};
use crate::failure::Failure;
use crate::policy::Quasi;
use crate::policy::{Algorithm, Demand, ModelDemand, Setup};
use crate::progress::Progress;
use crate::release::Release;
use crate::resolved_policy::ResolvedPolicy;
use crate::table::Table;
use crate::words::{counted, figure};

/// What a node of the lattice would release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// The quasi-identifiers.
    pub names: Vec<String>,
    pub levels: Vec<u16>,
    pub feasible: bool,
    pub value: f64,
    pub classes: u64,
    pub suppressed: u64,
    /// The first rows as it would show them, suppressed ones among them.
    pub rows: Vec<Vec<String>>,
}

/// What a search of the lattice found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatticeView {
    /// The quasi-identifiers with the chosen level and how many levels there are.
    pub columns: Vec<(String, u16, u16)>,
    /// What the chosen node costs under the metric.
    pub value: f64,
    pub best: Vec<u16>,
    /// Whether no other node can be better, and else what the best can cost at least.
    pub proved: bool,
    pub lower_bound: f64,
    pub stopped: Option<String>,
    pub nodes: u64,
    pub computed: u64,
    pub feasible: u64,
    pub by_suppression: u64,
    pub by_bound: u64,
    /// The state of every node in lexicographic order, for lattices small enough to draw.
    pub states: Vec<NodeState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeState {
    Open,
    Feasible,
    Infeasible,
    BySuppression,
    ByBound,
}

/// Lattices with more nodes are not drawn.
const MOST_DRAWN: usize = 60_000;
/// Rows that a node of the lattice is shown by.
const SHOWN_ROWS: usize = 8;
/// Nodes computed at most where there are too many to decide all.
const MOST_EXPLORED: u64 = 20_000;

/// A lattice that can be asked again: rows grouped once for a set-up.
#[derive(Debug)]
pub struct Prepared {
    setup: Rc<Setup>,
    lattice: Lattice,
    /// The best node of the last question: the next one is often near it.
    best: RefCell<Option<Node>>,
}

impl Prepared {
    /// Whether it answers for this set-up, too: the columns are the same and the models look at the same of them.
    fn fits(&self, setup: &Setup) -> bool {
        self.setup.columns == setup.columns && shape(&self.setup) == shape(setup)
    }
}

/// Of a demand: whether it only counts rows, its column, and whether the other sensitive columns are known.
type Looks<'a> = (bool, Option<&'a String>, bool);

/// What of the demands decides how rows are grouped, and whether KL-divergence does.
fn shape(setup: &Setup) -> (Vec<Looks<'_>>, bool) {
    let of_rows = |demand: &Demand| matches!(demand.model, ModelDemand::KAnonymity { .. });
    let demands = setup.privacy.iter().map(|demand| (of_rows(demand), demand.attribute.as_ref(), demand.jointly));
    let divergence = matches!(setup.algorithm, Algorithm::Lattice { metric: lattice::Metric::KlDivergence });
    (demands.collect(), divergence)
}

/// What a search of the lattice gave for a set-up, without making the release.
pub struct Searched {
    pub checked: ResolvedPolicy,
    pub prepared: Rc<Prepared>,
    pub outcome: Outcome,
    pub milliseconds: f64,
}

/// Where a search of the lattice starts. Its answer is the same; how many nodes it computes is not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// From nothing: the same steps every time.
    Fresh,
    /// From what the last search found.
    Near,
}

/// Searches the lattice for a set-up, with the rows grouped before if they fit.
pub async fn search(
    table: &Table,
    setup: &Rc<Setup>,
    before: Option<Rc<Prepared>>,
    start: Start,
    progress: &Progress<'_>,
) -> Result<Searched, Failure> {
    let started = progress.now();
    let checked = ResolvedPolicy::new(setup, table)?;
    let question = question(&checked, metric_of(setup)?);
    let prepared = prepared(table, setup, &checked, &question, before, progress).await?;
    let listed = prepared.lattice.nodes() <= lattice::MOST_LISTED;
    let budget = Budget { nodes: (!listed).then_some(MOST_EXPLORED), milliseconds: None };
    let near = prepared.best.borrow().clone().filter(|_| start == Start::Near);
    let outcome = match near {
        Some(near) => prepared.lattice.best_near(&question, budget, &near, progress).await?,
        None => prepared.lattice.best(&question, budget, progress).await?,
    };
    if let Some(best) = &outcome.best {
        prepared.best.replace(Some(best.node.clone()));
    }
    Ok(Searched { checked, prepared, outcome, milliseconds: progress.now() - started })
}

/// The measure that the lattice is searched by; other algorithms have no lattice.
fn metric_of(setup: &Setup) -> Result<lattice::Metric, Failure> {
    match setup.algorithm {
        Algorithm::Lattice { metric } => Ok(metric),
        Algorithm::Local { .. } | Algorithm::Diva { .. } | Algorithm::Sweep { .. } => {
            Err(Failure::refused("This algorithm has no lattice.", "Choose the lattice on the Run page."))
        }
    }
}

fn question(checked: &ResolvedPolicy, metric: lattice::Metric) -> Question<'_> {
    let least_rows = checked.requirements.iter().map(|requirement| requirement.model.least_rows()).max().unwrap_or(1);
    Question { requirements: &checked.requirements, least_rows, suppression_limit: checked.suppressible, metric }
}

async fn prepare(
    table: &Table,
    checked: &ResolvedPolicy,
    question: &Question<'_>,
    progress: &Progress<'_>,
) -> Result<Lattice, Failure> {
    let codes: Vec<&[u32]> = checked.quasi.iter().map(|quasi| table.columns[quasi.column].codes.as_slice()).collect();
    let sensitive: Vec<_> =
        checked.sensitive.iter().map(|sensitive| table.columns[sensitive.column].class_codes()).collect();
    let values: Vec<lattice::Values<'_>> = checked
        .sensitive
        .iter()
        .zip(&sensitive)
        .map(|(sensitive, codes)| lattice::Values {
            column: sensitive.column,
            codes,
            leaves: sensitive.tree.leaves().len() as u32,
        })
        .collect();
    let input = lattice::Input { rows: table.rows, quasi: &checked.quasi, codes: &codes, sensitive: &values };
    Lattice::new(&input, question, progress).await
}

/// What a node of the lattice would release, whether it keeps the policy or not.
pub async fn node(
    table: &Table,
    setup: &Rc<Setup>,
    before: Option<Rc<Prepared>>,
    levels: &[u16],
    progress: &Progress<'_>,
) -> Result<NodeView, Failure> {
    let checked = ResolvedPolicy::new(setup, table)?;
    let question = question(&checked, metric_of(setup)?);
    let prepared = prepared(table, setup, &checked, &question, before, progress).await?;
    let found = prepared.lattice.evaluate(&question, levels, progress).await?;
    let shown = |row: usize| {
        let cell = |(quasi, &level): (&Quasi, &u16)| {
            let leaf = quasi.leaf_of_code[table.columns[quasi.column].codes[row] as usize];
            quasi.tree.label(quasi.tree.at_level(leaf, usize::from(level))).to_owned()
        };
        checked.quasi.iter().zip(levels).map(cell).collect()
    };
    Ok(NodeView {
        names: checked.quasi.iter().map(|quasi| table.columns[quasi.column].name.clone()).collect(),
        levels: levels.to_vec(),
        feasible: found.suppressed <= checked.suppressible,
        value: found.value,
        classes: found.classes,
        suppressed: found.suppressed,
        rows: (0..table.rows.min(SHOWN_ROWS)).map(shown).collect(),
    })
}

async fn prepared(
    table: &Table,
    setup: &Rc<Setup>,
    checked: &ResolvedPolicy,
    question: &Question<'_>,
    before: Option<Rc<Prepared>>,
    progress: &Progress<'_>,
) -> Result<Rc<Prepared>, Failure> {
    match before.filter(|before| before.fits(setup)) {
        Some(before) => Ok(before),
        None => {
            let lattice = prepare(table, checked, question, progress).await?;
            Ok(Rc::new(Prepared { setup: setup.clone(), lattice, best: RefCell::new(None) }))
        }
    }
}

/// The release of the best node of a search.
pub async fn release_of(
    table: &Table,
    setup: &Setup,
    searched: &Searched,
    progress: &Progress<'_>,
) -> Result<(Release, LatticeView), Failure> {
    let Searched { checked, prepared, outcome, .. } = searched;
    let Some(found) = &outcome.best else { return Err(none_found(outcome, setup)) };
    let question = question(checked, metric_of(setup)?);
    let release = prepared.lattice.release(&question, &found.node, progress).await?;
    Ok((release, LatticeView::of(table, checked, &prepared.lattice, outcome, found)))
}

fn none_found(outcome: &Outcome, setup: &Setup) -> Failure {
    if outcome.stopped == Some(Stop::Cancelled) {
        return Failure::cancelled();
    }
    let limit = setup.suppression_limit.unwrap_or(0.0) * 100.0;
    if outcome.proved {
        let what = format!(
            "Proved impossible: no generalization by levels meets this policy with at most {} % of the rows suppressed; all {} were decided.",
            figure(limit),
            counted(outcome.counts.nodes, "node")
        );
        Failure::impossible(what, "Allow more rows to be suppressed, ask for less, or mark fewer limits.")
    } else {
        let what = format!(
            "Not found: none of the {} tried meets this policy; not all could be tried.",
            counted(outcome.counts.computed, "node")
        );
        Failure::impossible(what, "Use fewer quasi-identifiers, allow more suppression, or ask for less.")
    }
}

impl LatticeView {
    fn of(table: &Table, checked: &ResolvedPolicy, lattice: &Lattice, outcome: &Outcome, found: &Found) -> LatticeView {
        let levels = lattice.levels();
        let column = |(place, quasi): (usize, &Quasi)| {
            (table.columns[quasi.column].name.clone(), found.node[place], levels[place] as u16)
        };
        let states = outcome.map.as_ref().filter(|map| map.states.len() <= MOST_DRAWN);
        LatticeView {
            columns: checked.quasi.iter().enumerate().map(column).collect(),
            value: found.value,
            best: found.node.clone(),
            proved: outcome.proved,
            lower_bound: outcome.lower_bound,
            stopped: outcome.stopped.map(|stop| match stop {
                Stop::Cancelled => "it was cancelled".to_owned(),
                Stop::Nodes => "as many nodes as allowed were computed".to_owned(),
                Stop::Time => "the time was up".to_owned(),
                Stop::Memory => "there are more nodes than can be remembered".to_owned(),
            }),
            nodes: outcome.counts.nodes,
            computed: outcome.counts.computed,
            feasible: outcome.counts.feasible,
            by_suppression: outcome.counts.by_suppression,
            by_bound: outcome.counts.by_bound,
            states: states.map(states_of).unwrap_or_default(),
        }
    }
}

fn states_of(map: &NodeMap) -> Vec<NodeState> {
    let state = |state: &lattice::State| match state {
        lattice::State::Open => NodeState::Open,
        lattice::State::Feasible => NodeState::Feasible,
        lattice::State::Infeasible => NodeState::Infeasible,
        lattice::State::BySuppression => NodeState::BySuppression,
        lattice::State::ByBound => NodeState::ByBound,
    };
    map.states.iter().map(state).collect()
}

/// What would come out, without the release itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Names and levels of the best node; `None` when no node is feasible.
    pub best: Option<BestNode>,
    pub proved: bool,
    pub feasible: u64,
    pub nodes: u64,
    pub milliseconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestNode {
    pub levels: Vec<(String, u16)>,
    pub value: f64,
    pub classes: u64,
    pub suppressed: u64,
}

impl WhatIf {
    pub fn of(table: &Table, searched: &Searched) -> WhatIf {
        let name = |place: usize| table.columns[searched.checked.quasi[place].column].name.clone();
        let best = searched.outcome.best.as_ref().map(|found| BestNode {
            levels: found.node.iter().enumerate().map(|(place, &level)| (name(place), level)).collect(),
            value: found.value,
            classes: found.classes,
            suppressed: found.suppressed,
        });
        WhatIf {
            best,
            proved: searched.outcome.proved,
            feasible: searched.outcome.counts.feasible,
            nodes: searched.outcome.counts.nodes,
            milliseconds: searched.milliseconds,
        }
    }
}
