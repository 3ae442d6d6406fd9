//! Releases by the algorithms that recode locally: each class as it needs.

use crate::algorithms::diva::{self, Solved};
use crate::algorithms::local::{self, Outcome};
use crate::algorithms::refinement::Effort;
use crate::constraints::ConstraintsView;
use crate::failure::Failure;
use crate::policy::{Method, Setup};
use crate::progress::Progress;
use crate::release::Release;
use crate::resolved_policy::ResolvedPolicy;
use crate::table::Table;

/// What to do when there is no release.
const NEXT: &str = "Allow more rows to be suppressed, ask for less, or mark fewer limits.";

pub fn problem<'a>(table: &'a Table, checked: &'a ResolvedPolicy) -> local::Problem<'a> {
    local::Problem {
        table,
        quasi: &checked.quasi,
        sensitive: &checked.sensitive,
        requirements: &checked.requirements,
        suppressible: checked.suppressible,
        seed: checked.seed,
        measure: local::Measure::Loss,
        mode: local::Mode::Generalization,
    }
}

/// The release of one of the methods that know no constraints.
pub async fn clustered(
    table: &Table,
    checked: &ResolvedPolicy,
    method: Method,
    refine: bool,
    progress: &Progress<'_>,
) -> Result<Release, Failure> {
    let algorithm = match method {
        Method::KMember => local::Algorithm::KMember,
        Method::GreedyCka => local::Algorithm::GreedyCka,
        Method::Mondrian => local::Algorithm::Mondrian,
        Method::GreedyGeneralize => local::Algorithm::GreedyGeneralize,
        Method::OneD(curve) => local::Algorithm::OneD(curve),
    };
    let outcome = local::recode(&problem(table, checked), algorithm, refine.then(Effort::default), progress).await?;
    released(with_values_as_they_are(outcome, checked), NEXT)
}

/// The release of DIVA, with how it was found. Where it finds none, reasoning about the constraints may prove that there
/// is none.
pub async fn diverse(
    table: &Table,
    setup: &Setup,
    checked: &ResolvedPolicy,
    strategy: diva::Strategy,
    refine: bool,
    progress: &Progress<'_>,
) -> Result<(Release, diva::Trace, bool), Failure> {
    let settings = diva::Settings { refine: refine.then(Effort::default), ..diva::Settings::default() };
    let solved = diva::solve(&problem(table, checked), &checked.constraints, strategy, settings, progress).await?;
    let Solved { outcome, optimal, trace } = solved;
    let mut outcome = with_values_as_they_are(outcome, checked);
    if matches!(outcome, Outcome::NotFound(_)) {
        let view = ConstraintsView::of(setup, table, &setup.diversity, true, progress).await?;
        outcome = view.impossible().map_or(outcome, Outcome::Impossible);
    }
    let next = "Widen a constraint, lower k, or allow more rows to be suppressed.";
    Ok((released(outcome, next)?, trace, optimal && !may_generalize_values(checked)))
}

/// (τ,ℓ)-diversity lets sensitive values be generalized.
fn may_generalize_values(checked: &ResolvedPolicy) -> bool {
    checked.requirements.iter().any(|requirement| requirement.model.as_tau_l().is_some())
}

/// These algorithms keep sensitive values as they are: that they find no release proves nothing where others need not.
fn with_values_as_they_are(outcome: Outcome, checked: &ResolvedPolicy) -> Outcome {
    match outcome {
        Outcome::Impossible(why) if may_generalize_values(checked) => Outcome::NotFound(format!(
            "{why} That is so with sensitive values as they are; the algorithm “sweep” may generalize them."
        )),
        outcome => outcome,
    }
}

/// The release, or which of the two other outcomes it is: there is none, or none was found.
pub fn released(outcome: Outcome, next: &str) -> Result<Release, Failure> {
    match outcome {
        Outcome::Release(release) => Ok(release),
        Outcome::Impossible(why) => Err(Failure::impossible(format!("Proved impossible: {why}"), next)),
        Outcome::NotFound(why) => Err(Failure::impossible(format!("Not found: {why}"), next)),
    }
}
