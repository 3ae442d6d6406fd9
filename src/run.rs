//! From a table and a policy to a verified release: the one way, whichever algorithm makes it.
//!
//! Policy checked → release searched → output made → verified → measured. Nothing that the verifier has not accepted
//! leaves this module. Guarantee: same table, policy and seed, same bytes, native and wasm, in whatever order the rows of
//! the table come.

mod full_domain;
mod induced;
mod local_recoding;
mod peers;
mod sorted;
mod spread;
mod sweep;
mod unconstrained;

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::algorithms::diva::Trace;
use crate::algorithms::sweep::asked;
use crate::classes::Risk;
use crate::constraints::{Constraint, count, said_before};
use crate::failure::Failure;
use crate::findings::{self, Finding};
use crate::grouped::{Grouped, SizeBand, bands};
use crate::io::csv_write::{self, Written};
use crate::metrics::{Metrics, Settings};
use crate::policy::{Algorithm, ColumnSetup, Demand, Setup};
use crate::progress::Progress;
use crate::release::{Release, Released};
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::filled;
use crate::table::{Column, DictionaryBuilder, Role, Table};
use crate::verify::{Offence, Unverified, Verified, verify};

use full_domain::release_of;
pub use full_domain::{LatticeView, NodeState, NodeView, Prepared, Searched, Start, WhatIf, node, search};
pub use induced::{InducedClass, InducedView, OneClass};
pub use peers::{Peer, PeerRelease, compare};
use sorted::Sorted;
pub use spread::{Spread, SpreadNode};
pub use sweep::{Happened, Step as SweepStep, Steps as SweepSteps, SweepView};
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
    pub diversity: Vec<ConstraintRun>,
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
    pub colouring: Option<Colouring>,
    pub sweep: Option<SweepView>,
    /// What a person has to know and decide; the engine puts before them what it found in the file and the table.
    pub findings: Vec<Finding>,
    /// Milliseconds of the search, the verifier and the measures.
    pub milliseconds: [f64; 3],
}

impl Run {
    /// Whether a column's cells may show something else than they were.
    pub fn recodes(&self, column: &ColumnSetup, name: &str) -> bool {
        column.role == Role::Quasi || self.view.sweep.as_ref().is_some_and(|sweep| sweep.column == name)
    }

    /// The release as it is saved.
    pub fn file(&self, written: Written) -> Result<Vec<u8>, Failure> {
        let numbered = written.row_numbers.then(|| self.numbered()).transpose()?;
        let write = if written.protected { csv_write::write_protected } else { csv_write::write };
        Ok(write(numbered.as_ref().unwrap_or(&self.output), b','))
    }

    /// The output with the input's row numbers, from 1, as a first column.
    fn numbered(&self) -> Result<Table, Failure> {
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

/// What a diversity constraint asks, and the rows that showed its values before and do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintRun {
    /// As typed.
    pub text: String,
    pub least: u64,
    pub most: Option<u64>,
    pub before: u64,
    pub after: u64,
}

/// How DIVA found its clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Colouring {
    pub trace: Trace,
    /// Whether no release costs less, proved.
    pub optimal: bool,
}

/// How a release was found.
#[derive(Default)]
struct How {
    lattice: Option<LatticeView>,
    colouring: Option<Colouring>,
    sweep: Option<SweepView>,
    milliseconds: f64,
}

/// Runs the policy's algorithm; gives the verified run, and rows grouped for the next question to the lattice.
pub async fn run(
    table: &Table,
    setup: &Rc<Setup>,
    before: Option<Rc<Prepared>>,
    progress: &Progress<'_>,
) -> Result<(Run, Option<Rc<Prepared>>), Failure> {
    let started = progress.now();
    let mut how = How::default();
    let (release, checked, prepared) = match &setup.algorithm {
        Algorithm::Lattice { .. } => {
            let searched = search(table, setup, before, Start::Fresh, progress).await?;
            how.milliseconds = searched.milliseconds;
            // What was found until a cancel is released; only the search stops.
            progress.finish();
            let (release, lattice) = release_of(table, setup, &searched, progress).await?;
            how.lattice = Some(lattice);
            (release, searched.checked, Some(searched.prepared))
        }
        Algorithm::Local { method, refine } => {
            let checked = ResolvedPolicy::new(setup, table)?;
            let sorted = Sorted::of(table, setup, &checked)?;
            let release = local_recoding::clustered(&sorted.table, &sorted.checked, *method, *refine, progress).await?;
            let release = sorted.back(release);
            how.milliseconds = progress.now() - started;
            (release, checked, before)
        }
        Algorithm::Diva { strategy, refine } => {
            let checked = ResolvedPolicy::new(setup, table)?;
            let sorted = Sorted::of(table, setup, &checked)?;
            let (release, trace, optimal) =
                local_recoding::diverse(&sorted.table, &sorted.setup, &sorted.checked, *strategy, *refine, progress)
                    .await?;
            let release = sorted.back(release);
            how.milliseconds = progress.now() - started;
            how.colouring = Some(Colouring { trace, optimal });
            (release, checked, before)
        }
        Algorithm::Sweep { refine, attributes } => {
            let checked = ResolvedPolicy::new(setup, table)?;
            let sorted = Sorted::of(table, setup, &checked)?;
            let (release, mut view) =
                sweep::swept(&sorted.table, &sorted.checked, attributes, *refine, progress).await?;
            let release = sorted.back(release);
            view.steps.iter_mut().for_each(|steps| steps.of_input(&sorted.row_of));
            how.milliseconds = progress.now() - started;
            how.sweep = Some(view);
            (release, checked, before)
        }
    };
    Ok((finish(table, setup, &checked, release, how, progress).await?, prepared))
}

/// Makes the output of a release, has it verified and measures it.
async fn finish(
    table: &Table,
    setup: &Rc<Setup>,
    checked: &ResolvedPolicy,
    release: Release,
    how: How,
    progress: &Progress<'_>,
) -> Result<Run, Failure> {
    let started = progress.now();
    let (output, row_of) = release.to_table(table, &checked.quasi, &checked.sensitive, &checked.identifiers)?;
    let verified = verify(table, setup, &output, &row_of, progress).await;
    let verified = verified.map_err(|unverified| told(unverified, &setup.algorithm))?;
    let checked_at = progress.now();
    let released = Released { table, quasi: &checked.quasi, sensitive: &checked.sensitive, release: &release };
    let metrics = Metrics::of(&released, &settings(table, setup, checked), progress).await?;
    let output_setup = setup.of_release(&output);
    let grouped = Grouped::new(&output, &output_setup);
    let view = RunView {
        algorithm: setup.algorithm.clone(),
        demands: setup.privacy.clone(),
        diversity: constraints(table, setup, checked, &verified),
        smallest: grouped.classes.sizes.iter().copied().min().unwrap_or(0),
        sizes: bands(&grouped.classes),
        metrics,
        risk_before: setup.risk(table),
        risk_after: Risk::of(&grouped.classes),
        sensitive: (0..output.columns.len())
            .filter(|&place| output_setup.columns[place].role == Role::Sensitive)
            .map(|place| (place as u32, output.columns[place].name.clone()))
            .collect(),
        lattice: how.lattice,
        colouring: how.colouring,
        sweep: how.sweep,
        findings: findings::of_release(&output, &output_setup, &grouped, &findings::told_alone(table, setup)),
        milliseconds: [how.milliseconds, checked_at - started, progress.now() - checked_at],
        verified,
    };
    Ok(Run { setup: setup.clone(), output: Rc::new(output), row_of, grouped: Rc::new(grouped), view })
}

fn constraints(table: &Table, setup: &Setup, checked: &ResolvedPolicy, verified: &Verified) -> Vec<ConstraintRun> {
    let before = count::of_all(&checked.constraints, table, table);
    let counts = setup.diversity.iter().zip(&checked.constraints).zip(before).zip(&verified.diversity);
    let told = |(((text, constraint), before), &after): (((&String, &Constraint), u64), &u64)| ConstraintRun {
        text: text.clone(),
        least: constraint.least,
        most: constraint.most,
        before,
        after,
    };
    counts.map(told).collect()
}

/// What is told of a release that is not as the policy asks: of algorithms that never look at the constraints, only that
/// they did not happen to keep them.
fn told(unverified: Unverified, algorithm: &Algorithm) -> Failure {
    match (&unverified, algorithm) {
        (
            Unverified::Offence(offence @ Offence::Constraint { .. }),
            Algorithm::Lattice { .. } | Algorithm::Local { .. } | Algorithm::Sweep { .. },
        ) => {
            let what = format!("Not found: {} does not aim at diversity constraints. {offence}", algorithm.name());
            Failure::impossible(what, "Use the algorithm “diva”, which does, or change the constraint.")
        }
        _ => unverified.into(),
    }
}

fn settings(table: &Table, setup: &Setup, checked: &ResolvedPolicy) -> Settings {
    let tau_l = asked(&local_recoding::problem(table, checked));
    Settings { k: setup.demanded_k(), tau_l, seed: checked.seed }
}

impl RunView {
    /// The report of docs/spec.md §10.
    pub fn to_value(&self, findings: &[Finding], read_milliseconds: Option<f64>) -> Value {
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
        let same_as = said_before(self.diversity.iter().map(|run| &run.text));
        let constraint = |(run, same_as): (&ConstraintRun, Option<usize>)| {
            let mut entry = json!({"constraint": run.text, "count": run.after, "holds": true});
            if let Some(first) = same_as {
                entry["same_as"] = json!(first);
            }
            entry
        };
        let columns = self.lattice.iter().flat_map(|lattice| &lattice.columns);
        let levels: Map<String, Value> = filled(columns.map(|(name, level, _)| (name.clone(), json!(level))));
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
            "diversity": self.diversity.iter().zip(same_as).map(constraint).collect::<Vec<_>>(),
            "findings": findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
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
        report
    }
}
