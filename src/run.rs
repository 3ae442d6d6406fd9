//! From a table and a policy to a verified release: the one way, whichever algorithm makes it.
//!
//! Policy checked → release searched → output made → verified → measured. Nothing that the verifier has not accepted
//! leaves this module. Guarantee: same table, policy and seed, same bytes, native and wasm.

mod spread;
mod unconstrained;

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::algorithms::lattice::{self, Budget, Found, Lattice, Map as NodeMap, Node, Outcome, Question, Stop};
use crate::algorithms::local;
use crate::algorithms::refinement::Effort;
use crate::audit::{Grouped, SizeBand, bands};
use crate::classes::Risk;
use crate::failure::Failure;
use crate::metrics::{Asked, Metrics, Settings};
use crate::policy::{Algorithm, Checked, Demand, Method, ModelDemand, Setup};
use crate::progress::Progress;
use crate::protocol::NodeView;
use crate::release::{Quasi, Release, Released};
use crate::table::{Column, DictionaryBuilder, Role, Table};
use crate::verify::{Offence, Unverified, Verified, verify};
use crate::words::{counted, figure};

pub use spread::{Spread, SpreadNode};
pub use unconstrained::{Unconstrained, unconstrained};

/// A release that the verifier accepted, and all that is told of it.
#[derive(Debug)]
pub struct Run {
    pub setup: Rc<Setup>,
    pub output: Rc<Table>,
    /// The input's row of each row of the output.
    pub row_of: Vec<u32>,
    /// The output's rows by their classes.
    pub grouped: Rc<Grouped>,
    pub view: RunView,
}

/// What is shown and reported of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    pub algorithm: Algorithm,
    pub demands: Vec<Demand>,
    /// The policy's diversity constraints, as typed.
    pub diversity: Vec<String>,
    pub verified: Verified,
    /// The size of the smallest class.
    pub smallest: u32,
    pub sizes: Vec<SizeBand>,
    pub metrics: Metrics,
    pub risk_before: Risk,
    pub risk_after: Risk,
    /// The sensitive columns, by their places in the output.
    pub sensitive: Vec<(u32, String)>,
    pub lattice: Option<LatticeView>,
    /// Milliseconds of the search, the verifier and the measures.
    pub milliseconds: [f64; 3],
}

impl Run {
    /// The output with the input's row numbers, from 1, as a first column.
    pub fn numbered(&self) -> Result<Table, Failure> {
        let mut builder = DictionaryBuilder::default();
        let mut codes = Vec::with_capacity(self.row_of.len());
        for &row in &self.row_of {
            let coded = builder.code((u64::from(row) + 1).to_string().as_bytes());
            let full = |_| Failure::refused("There are too many rows to number.", "Leave the row numbers out.");
            codes.push(coded.map_err(full)?.code);
        }
        let numbers = Column::new("_row".into(), builder.finish(), codes, &[]);
        let columns = std::iter::once(numbers).chain(self.output.columns.iter().cloned()).collect();
        Ok(Table { columns, rows: self.output.rows })
    }
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
    pub checked: Checked,
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
    let checked = Checked::new(setup, table)?;
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
        Algorithm::Local { .. } => {
            Err(Failure::refused("This algorithm has no lattice.", "Choose the lattice on the Run page."))
        }
    }
}

fn question(checked: &Checked, metric: lattice::Metric) -> Question<'_> {
    let least_rows = checked.requirements.iter().map(|requirement| requirement.model.least_rows()).max().unwrap_or(1);
    Question { requirements: &checked.requirements, least_rows, suppression_limit: checked.suppressible, metric }
}

async fn prepare(
    table: &Table,
    checked: &Checked,
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

/// Runs the policy's algorithm; gives the verified run, and rows grouped for the next question to the lattice.
pub async fn run(
    table: &Table,
    setup: &Rc<Setup>,
    before: Option<Rc<Prepared>>,
    progress: &Progress<'_>,
) -> Result<(Run, Option<Rc<Prepared>>), Failure> {
    if let Algorithm::Local { method, refine } = setup.algorithm {
        return Ok((recode_locally(table, setup, method, refine, progress).await?, before));
    }
    let Searched { checked, prepared, outcome, milliseconds } =
        search(table, setup, before, Start::Fresh, progress).await?;
    let metric = metric_of(setup)?;
    let Some(found) = &outcome.best else { return Err(none_found(&outcome, setup)) };
    // What was found until a cancel is released; only the search stops.
    progress.finish();
    let release = prepared.lattice.release(&question(&checked, metric), &found.node, progress).await?;
    let lattice = LatticeView::of(table, &checked, &prepared.lattice, &outcome, found);
    let run = finish(table, setup, &checked, release, Some(lattice), milliseconds, progress).await?;
    Ok((run, Some(prepared)))
}

async fn recode_locally(
    table: &Table,
    setup: &Rc<Setup>,
    method: Method,
    refine: bool,
    progress: &Progress<'_>,
) -> Result<Run, Failure> {
    let started = progress.now();
    let checked = Checked::new(setup, table)?;
    let release = local_release(table, &checked, method, refine, progress).await?;
    let searched = progress.now() - started;
    finish(table, setup, &checked, release, None, searched, progress).await
}

async fn local_release(
    table: &Table,
    checked: &Checked,
    method: Method,
    refine: bool,
    progress: &Progress<'_>,
) -> Result<Release, Failure> {
    let problem = local::Problem {
        table,
        quasi: &checked.quasi,
        sensitive: &checked.sensitive,
        requirements: &checked.requirements,
        suppressible: checked.suppressible,
        seed: checked.seed,
        measure: local::Measure::Loss,
        mode: local::Mode::Generalization,
    };
    let algorithm = match method {
        Method::KMember => local::Algorithm::KMember,
        Method::GreedyCka => local::Algorithm::GreedyCka,
        Method::Mondrian => local::Algorithm::Mondrian,
    };
    let next = "Allow more rows to be suppressed, ask for less, or mark fewer limits.";
    match local::recode(&problem, algorithm, refine.then(Effort::default), progress).await? {
        local::Outcome::Release(release) => Ok(release),
        local::Outcome::Impossible(why) | local::Outcome::NotFound(why) => Err(Failure::impossible(why, next)),
    }
}

/// What a node of the lattice would release, whether it keeps the policy or not.
pub async fn node(
    table: &Table,
    setup: &Rc<Setup>,
    before: Option<Rc<Prepared>>,
    levels: &[u16],
    progress: &Progress<'_>,
) -> Result<NodeView, Failure> {
    let checked = Checked::new(setup, table)?;
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
    checked: &Checked,
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

fn none_found(outcome: &Outcome, setup: &Setup) -> Failure {
    if outcome.stopped == Some(Stop::Cancelled) {
        return Failure::cancelled();
    }
    let limit = setup.suppression_limit.unwrap_or(0.0) * 100.0;
    if outcome.proved {
        let what = format!(
            "No generalization by levels meets this policy with at most {} % of the rows suppressed; all {} were decided.",
            figure(limit),
            counted(outcome.counts.nodes, "node")
        );
        Failure::impossible(what, "Allow more rows to be suppressed, ask for less, or mark fewer limits.")
    } else {
        let what = format!(
            "None of the {} tried meets this policy; not all could be tried.",
            counted(outcome.counts.computed, "node")
        );
        Failure::impossible(what, "Use fewer quasi-identifiers, allow more suppression, or ask for less.")
    }
}

/// Makes the output of a release, has it verified and measures it.
async fn finish(
    table: &Table,
    setup: &Rc<Setup>,
    checked: &Checked,
    release: Release,
    lattice: Option<LatticeView>,
    searched: f64,
    progress: &Progress<'_>,
) -> Result<Run, Failure> {
    let started = progress.now();
    let (output, row_of) =
        release.to_table(table, &checked.quasi, &checked.sensitive, &checked.identifiers, checked.seed)?;
    let verified = verify(table, setup, &output, &row_of, progress).await;
    let verified = verified.map_err(|unverified| told(unverified, setup.algorithm))?;
    let checked_at = progress.now();
    let released = Released { table, quasi: &checked.quasi, sensitive: &checked.sensitive, release: &release };
    let metrics = Metrics::of(&released, &settings(setup, checked, &verified), progress).await?;
    let output_setup = setup.of_release();
    let grouped = Grouped::new(&output, &output_setup);
    let view = RunView {
        algorithm: setup.algorithm,
        demands: setup.privacy.clone(),
        diversity: setup.diversity.clone(),
        smallest: grouped.classes.sizes.iter().copied().min().unwrap_or(0),
        sizes: bands(&grouped.classes),
        metrics,
        risk_before: setup.risk(table),
        risk_after: Risk::of(&grouped.classes),
        sensitive: (0..output.columns.len())
            .filter(|&place| output_setup.columns[place].role == Role::Sensitive)
            .map(|place| (place as u32, output.columns[place].name.clone()))
            .collect(),
        lattice,
        milliseconds: [searched, checked_at - started, progress.now() - checked_at],
        verified,
    };
    Ok(Run { setup: setup.clone(), output: Rc::new(output), row_of, grouped: Rc::new(grouped), view })
}

/// What is told of a release that is not as the policy asks: of algorithms that never look at the constraints, only that
/// they did not happen to keep them.
fn told(unverified: Unverified, algorithm: Algorithm) -> Failure {
    match (&unverified, algorithm) {
        (
            Unverified::Offence(offence @ Offence::Constraint { .. }),
            Algorithm::Lattice { .. } | Algorithm::Local { .. },
        ) => {
            let what = format!("Not found: {} does not aim at diversity constraints. {offence}", algorithm.name());
            Failure::impossible(what, "Use the algorithm “diva”, which does, or change the constraint.")
        }
        _ => unverified.into(),
    }
}

fn settings(setup: &Setup, checked: &Checked, verified: &Verified) -> Settings {
    let k = setup.privacy.iter().find_map(|demand| match demand.model {
        ModelDemand::KAnonymity { k } => Some(k),
        _ => None,
    });
    let tau_l = checked.requirements.iter().zip(&checked.demand_of).find_map(|(requirement, &demand)| {
        let ModelDemand::TauL { tau, l, .. } = setup.privacy[demand].model else { return None };
        let attribute = checked.sensitive.iter().position(|other| Some(other.column) == requirement.attribute)?;
        Some(Asked { attribute, tau, l, weights: None })
    });
    debug_assert_eq!(verified.requirements.len(), checked.requirements.len());
    Settings { k, tau_l, seed: checked.seed }
}

impl LatticeView {
    fn of(table: &Table, checked: &Checked, lattice: &Lattice, outcome: &Outcome, found: &Found) -> LatticeView {
        let levels = lattice.levels();
        let column = |(place, quasi): (usize, &crate::release::Quasi)| {
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

impl RunView {
    /// The report of SPEC 8.
    pub fn to_json(&self, read_milliseconds: Option<f64>) -> String {
        let demand = |achieved: &crate::verify::Achieved| {
            let mut entry = self.demands.get(achieved.demand).map(Demand::to_json).unwrap_or_default();
            if let Some(attribute) = &achieved.attribute {
                entry["attribute"] = json!(attribute);
            }
            // The verifier lets nothing pass that does not hold.
            entry["holds"] = json!(true);
            entry["achieved"] = json!(achieved.achieved);
            entry
        };
        let constraint = |(text, count): (&String, &u64)| json!({"constraint": text, "count": count, "holds": true});
        let levels: Map<String, Value> = self
            .lattice
            .iter()
            .flat_map(|lattice| &lattice.columns)
            .map(|(name, level, _)| (name.clone(), json!(level)))
            .collect();
        let [search, verify, measure] = self.milliseconds.map(|milliseconds| milliseconds / 1000.0);
        let mut seconds = json!({"search": search, "verify": verify, "measure": measure});
        if let Some(read) = read_milliseconds {
            seconds["read"] = json!(read / 1000.0);
        }
        let mut report = json!({
            "verified": true,
            "rows": self.verified.rows,
            "suppressed": self.verified.suppressed,
            "classes": self.verified.classes,
            "algorithm": self.algorithm.to_json(),
            "levels": levels,
            "metrics": self.metrics,
            "privacy": self.verified.requirements.iter().map(demand).collect::<Vec<_>>(),
            "diversity": self.diversity.iter().zip(&self.verified.diversity).map(constraint).collect::<Vec<_>>(),
            "seconds": seconds,
        });
        if let Some(lattice) = &self.lattice {
            report["search"] = json!({
                "nodes": lattice.nodes,
                "computed": lattice.computed,
                "proved": lattice.proved,
                "value": lattice.value,
                "lower_bound": lattice.lower_bound,
            });
        }
        // Serializing plain data to a string can't fail.
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    }
}
