//! The way of every local recoding: regions, what must be suppressed, clusters in each region, refinement, release.

use super::clusters::{Clusters, Part};
use super::demands::Demands;
use super::draft::Draft;
use super::merging::merge_failing;
use super::problem::{Algorithm, Outcome, Problem};
use super::space::Space;
use crate::algorithms::refinement::{Effort, refine};
use crate::algorithms::{greedy_cka, greedy_generalize, k_member, mondrian, one_d};
use crate::classes::Keys;
use crate::failure::{Failure, FailureKind};
use crate::hierarchy::NodeId;
use crate::privacy::Monotone;
use crate::progress::Progress;
use crate::random::Random;
use crate::sorting::Sorting;
use crate::words::counted;

/// Recodes a table locally; `effort` says how long to refine, `None` not to.
pub async fn recode(
    problem: &Problem<'_>,
    algorithm: Algorithm,
    effort: Option<Effort>,
    progress: &Progress<'_>,
) -> Result<Outcome, Failure> {
    let (space, demands) = prepare(problem, &[], &[]);
    let mut kept: Vec<Vec<Part>> = Vec::new();
    for region in greedy_cka::regions(problem, &space) {
        kept.push(greedy_cka::keepable(&demands, region, progress).await?);
    }
    let rows = |parts: &Vec<Part>| parts.iter().map(|&(_, count)| u64::from(count)).sum::<u64>();
    let suppressed = problem.table.rows as u64 - kept.iter().map(rows).sum::<u64>();
    if suppressed > problem.suppressible {
        return Ok(refused(problem, demands.monotone, suppressed, kept.len()));
    }
    let mut random = Random::new(problem.seed);
    let mut draft = Draft::new(&space);
    let mut stopped = false;
    for region in kept.into_iter().filter(|region| !region.is_empty()) {
        let mut clusters = Clusters::new(&space, &demands);
        match algorithm {
            Algorithm::KMember | Algorithm::GreedyCka => {
                k_member::divide(&mut clusters, region, &mut random, progress).await?;
            }
            Algorithm::Mondrian => mondrian::divide(&mut clusters, region, progress).await?,
            Algorithm::GreedyGeneralize => greedy_generalize::divide(&mut clusters, region, progress).await?,
            Algorithm::OneD(curve) => one_d::divide(&mut clusters, region, curve, progress).await?,
            Algorithm::Merging => {
                clusters = k_member::points(&clusters, &region);
                merge_failing(&mut clusters, progress).await?;
            }
        }
        if let Some(effort) = effort.filter(|_| !stopped)
            && let Err(failure) = refine(&mut clusters, |_, _| true, effort, progress).await
        {
            // Refinement may stop at any time: what it has is a release.
            (failure.kind == FailureKind::Cancelled).then_some(()).ok_or(failure)?;
            progress.finish();
            stopped = true;
        }
        if demands.monotone == Monotone::Never {
            merge_same(&mut clusters, progress).await?;
        }
        draft.add(&clusters);
    }
    Ok(Outcome::Release(draft.finish(problem)))
}

/// The rows of a problem as items, and what every class of them must meet. `others` and `grouped` are [`Space::new`]'s.
pub fn prepare<'a>(problem: &Problem<'a>, others: &[Keys<'_>], grouped: &[usize]) -> (Space<'a>, Demands<'a>) {
    let columns = &problem.table.columns;
    let codes: Vec<_> = problem.sensitive.iter().map(|sensitive| columns[sensitive.column].class_codes()).collect();
    let keys = |(sensitive, codes): (&crate::policy::Sensitive, _)| {
        let size = columns[sensitive.column].dictionary.len() as u32;
        (sensitive.column, Keys { codes, size })
    };
    let sensitive: Vec<(usize, Keys<'_>)> =
        problem.sensitive.iter().zip(codes.iter().map(|codes| codes.as_ref())).map(keys).collect();
    let mut demands = Demands::new(problem.requirements, problem.table.rows);
    let looked_at = sensitive.iter().filter(|(place, _)| demands.looks_at(*place)).map(|(_, keys)| keys);
    let distinguishing: Vec<Keys<'_>> =
        looked_at.chain(others).map(|keys| Keys { codes: keys.codes, size: keys.size }).collect();
    let space = Space::new(problem, &distinguishing, grouped);
    demands.bind(&space, &sensitive);
    (space, demands)
}

/// Why more rows would have to go than may.
pub fn refused(problem: &Problem<'_>, monotone: Monotone, suppressed: u64, regions: usize) -> Outcome {
    let allowed = match problem.suppressible {
        0 => "none may be suppressed".to_owned(),
        rows => format!("at most {} may be suppressed", counted(rows, "row")),
    };
    let whom = if regions > 1 { "rows with the same limits" } else { "all rows together" };
    let rows = counted(suppressed, "row");
    match monotone {
        Monotone::Growing => Outcome::Impossible(format!(
            "Even as one class, {whom} do not meet the requirements: {rows} must go, and {allowed}."
        )),
        Monotone::Merging if problem.suppressible == 0 => {
            Outcome::Impossible(format!("Even as one class, {whom} do not meet the requirements, and {allowed}."))
        }
        _ => Outcome::NotFound(format!(
            "Even as one class, {whom} do not meet the requirements. A rest that does was found only without {rows}, \
             and {allowed}."
        )),
    }
}

/// A reader sees clusters with the same nodes as one class, which must hold, too, where merging may break it.
async fn merge_same(clusters: &mut Clusters<'_>, progress: &Progress<'_>) -> Result<(), Failure> {
    loop {
        let mut used: Vec<u32> = clusters.used().collect();
        let nodes = |cluster: u32| -> Vec<NodeId> { clusters.nodes(cluster).collect() };
        used.order_by_cached_key(|&cluster| (nodes(cluster), cluster));
        let same = used.windows(2).find(|pair| nodes(pair[0]) == nodes(pair[1])).map(|pair| (pair[0], pair[1]));
        let Some((into, from)) = same else { return Ok(()) };
        clusters.merge(into, from);
        merge_failing(clusters, progress).await?;
    }
}
