//! The models of `docs/models.md`, of one column's cells in one class. A cell is a node of the column's tree; nothing is an
//! unknown one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::world::Column;

pub type Cells = [Option<usize>];

/// What the docs say of a class under a model.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub holds: bool,
    /// Nothing where the docs give no figure.
    pub achieved: Option<f64>,
}

fn at_most(figure: f64, bound: f64) -> bool {
    figure <= bound + 1e-9 * bound.abs().max(1.0)
}

fn at_least(figure: f64, bound: f64) -> bool {
    figure >= bound - 1e-9 * bound.abs().max(1.0)
}

/// Below by more than the tolerance, so that a strict bound stays strict.
fn below(figure: f64, bound: f64) -> bool {
    figure < bound - 1e-9 * bound.abs().max(1.0)
}

fn is_sure(column: &Column, cells: &Cells) -> bool {
    cells.iter().all(|cell| cell.is_some_and(|node| column.tree.is_leaf(node)))
}

/// The counts of heaviest paths.
pub fn worst_counts(column: &Column, cells: &Cells) -> Vec<f64> {
    let mut shown: Vec<usize> = cells.iter().map(|cell| cell.unwrap_or(0)).collect();
    let leaves = column.tree.leaves();
    let mut counts = Vec::new();
    while !shown.is_empty() {
        let weight = |&leaf: &usize| {
            let path = column.tree.path(leaf);
            shown.iter().filter(|node| path.contains(node)).count()
        };
        let heaviest = leaves.iter().copied().max_by_key(weight).expect("a tree has leaves");
        let path = column.tree.path(heaviest);
        let before = shown.len();
        shown.retain(|node| !path.contains(node));
        counts.push((before - shown.len()) as f64);
    }
    counts
}

/// Every way to fill a class in, as counts of leaves; nothing if there are too many.
pub fn fillings(column: &Column, cells: &Cells, most: usize) -> Option<Vec<BTreeMap<usize, u32>>> {
    let mut groups: BTreeMap<usize, u32> = BTreeMap::new();
    for cell in cells {
        *groups.entry(cell.unwrap_or(0)).or_default() += 1;
    }
    let mut all: std::collections::BTreeSet<BTreeMap<usize, u32>> = [BTreeMap::new()].into();
    for (node, count) in groups {
        for _ in 0..count {
            let leaves = column.tree.leaves_under(node);
            let mut next = std::collections::BTreeSet::new();
            for filling in &all {
                for &leaf in &leaves {
                    let mut filling = filling.clone();
                    *filling.entry(leaf).or_default() += 1;
                    next.insert(filling);
                }
            }
            if next.len() > most {
                return None;
            }
            all = next;
        }
    }
    Some(all.into_iter().collect())
}

fn descending(mut counts: Vec<f64>) -> Vec<f64> {
    counts.sort_by(|one, other| other.total_cmp(one));
    counts
}

fn e_to_entropy(counts: &[f64]) -> f64 {
    let n: f64 = counts.iter().sum();
    counts.iter().filter(|&&count| count > 0.0).map(|count| -count / n * (count / n).ln()).sum::<f64>().exp()
}

fn number(demand: &Value, key: &str) -> f64 {
    demand[key].as_f64().unwrap_or(0.0)
}

fn texts(demand: &Value, key: &str) -> Vec<String> {
    demand[key].as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Holds and achieves of plain counts, the most frequent first: the models that worst counts are worst for.
fn of_counts(demand: &Value, counts: &[f64]) -> Option<Verdict> {
    let n: f64 = counts.iter().sum();
    let verdict = |holds, achieved| Some(Verdict { holds, achieved: Some(achieved) });
    match demand["model"].as_str()? {
        "distinct-l-diversity" => verdict(at_least(counts.len() as f64, number(demand, "l")), counts.len() as f64),
        "p-sensitive" => verdict(at_least(counts.len() as f64, number(demand, "p")), counts.len() as f64),
        "entropy-l-diversity" if texts(demand, "dont_care").is_empty() => {
            let achieved = e_to_entropy(counts);
            verdict(at_least(achieved, number(demand, "l")), achieved)
        }
        "recursive-cl-diversity" if texts(demand, "dont_care").is_empty() => {
            let l = number(demand, "l") as usize;
            let tail: f64 = counts.iter().skip(l - 1).sum();
            let achieved = if l == 1 { 0.0 } else { counts[0] / tail };
            verdict(l == 1 || below(counts[0], number(demand, "c") * tail), achieved)
        }
        "alpha-k" if texts(demand, "values").is_empty() => {
            verdict(at_most(counts[0] / n, number(demand, "alpha")), counts[0] / n)
        }
        _ => None,
    }
}

pub fn k_anonymity(demand: &Value, rows: usize) -> Verdict {
    Verdict { holds: rows as f64 >= number(demand, "k"), achieved: Some(rows as f64) }
}

/// What the docs say of a class of cells. Where few ways to fill it in exist, all of them are held against it.
pub fn judge(demand: &Value, column: &Column, cells: &Cells, fault: &mut Vec<String>) -> Verdict {
    let model = demand["model"].as_str().unwrap_or_default();
    let sure = is_sure(column, cells);
    let counts = worst_counts(column, cells);
    let verdict = match (of_counts(demand, &counts), model) {
        (Some(verdict), "recursive-cl-diversity") => {
            let rare = rare_enough(demand, column, cells);
            let achieved = verdict.achieved.filter(|_| texts(demand, "no_negative").is_empty());
            Verdict { holds: verdict.holds && rare, achieved }
        }
        (Some(verdict), _) => verdict,
        (None, "entropy-l-diversity" | "recursive-cl-diversity") if !sure => Verdict { holds: false, achieved: None },
        (None, "entropy-l-diversity") => {
            let achieved = adjusted(demand, column, cells);
            Verdict { holds: at_least(achieved, number(demand, "l")), achieved: None }
        }
        (None, "recursive-cl-diversity") => {
            let holds = pd_recursive(demand, column, cells) && rare_enough(demand, column, cells);
            Verdict { holds, achieved: None }
        }
        (None, "alpha-k") => {
            let share = |name: &String| {
                let Some(named) = column.named(name) else { return 0.0 };
                let may = |cell: &&Option<usize>| match cell {
                    None => true,
                    Some(node) => column.tree.covers(*node, named) || column.tree.covers(named, *node),
                };
                cells.iter().filter(may).count() as f64 / cells.len() as f64
            };
            let achieved = texts(demand, "values").iter().map(share).fold(0.0, f64::max);
            Verdict { holds: at_most(achieved, number(demand, "alpha")), achieved: Some(achieved) }
        }
        (None, "tau-l-diversity") => tau_l(demand, column, cells),
        (None, "t-closeness") => {
            let achieved = distance(demand, column, cells);
            Verdict { holds: at_most(achieved, number(demand, "t")), achieved: Some(achieved) }
        }
        _ => unreachable!("{model}"),
    };
    if !sure && model != "tau-l-diversity" {
        hold_against_fillings(demand, column, cells, &verdict, fault);
    }
    verdict
}

/// A class meets a model only if every filling does; what is reported is the worst, or a bound no better than it.
fn hold_against_fillings(demand: &Value, column: &Column, cells: &Cells, verdict: &Verdict, fault: &mut Vec<String>) {
    let Some(mut fillings) = fillings(column, cells, 1500) else { return };
    let model = demand["model"].as_str().unwrap_or_default();
    if demand["distance"] == "ordered" {
        // Only values that occur have a place in order.
        let reference = column.reference();
        fillings.retain(|filling| filling.keys().all(|&leaf| reference[leaf] > 0.0));
    }
    let is_bound = model == "t-closeness" && demand["distance"].as_str().is_some_and(|name| name != "equal");
    let higher_is_worse = !matches!(model, "distinct-l-diversity" | "p-sensitive" | "entropy-l-diversity");
    let (mut all_hold, mut worst) = (true, None::<f64>);
    for filling in &fillings {
        let filled: Vec<Option<usize>> =
            filling.iter().flat_map(|(&leaf, &count)| vec![Some(leaf); count as usize]).collect();
        let of_filling = judge(demand, column, &filled, fault);
        all_hold &= of_filling.holds;
        if let Some(figure) = of_filling.achieved {
            worst =
                Some(worst.map_or(figure, |worst| if higher_is_worse { worst.max(figure) } else { worst.min(figure) }));
        }
    }
    let refused = model.ends_with("diversity") && !texts(demand, "dont_care").is_empty();
    if verdict.holds && !all_hold {
        fault.push(format!("a filling does not meet {model}"));
    }
    if !verdict.holds && all_hold && !is_bound && !refused {
        fault.push(format!("every filling meets {model}, and the docs' formula does not"));
    }
    if let (Some(said), Some(worst)) = (verdict.achieved, worst) {
        let differs = (said - worst).abs() > 1e-9 * worst.abs().max(1.0) && said.is_finite() != worst.is_infinite();
        if if is_bound { said < worst - 1e-9 } else { differs } {
            fault.push(format!("{model}: the docs' formula gives {said}, the worst filling {worst}"));
        }
    }
}

/// Each of the no-negative values has at least c2 % of the class in every filling.
fn rare_enough(demand: &Value, column: &Column, cells: &Cells) -> bool {
    texts(demand, "no_negative").iter().all(|name| {
        let Some(named) = column.named(name) else { return true };
        let under = column.tree.leaves_under(named);
        let surely = |cell: &&Option<usize>| {
            cell.is_some_and(|node| column.tree.leaves_under(node).iter().all(|leaf| under.contains(leaf)))
        };
        let share = cells.iter().filter(surely).count() as f64;
        at_least(share, number(demand, "c2") / 100.0 * cells.len() as f64)
    })
}

/// Counts of leaves, and of each whether it is a don't-care value.
fn with_dont_care(demand: &Value, column: &Column, cells: &Cells) -> Vec<(f64, bool)> {
    let named: Vec<usize> = texts(demand, "dont_care").iter().filter_map(|name| column.named(name)).collect();
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    for node in cells.iter().flatten() {
        *counts.entry(*node).or_default() += 1.0;
    }
    let in_set = |leaf: usize| named.iter().any(|&named| column.tree.covers(named, leaf));
    let mut counts: Vec<(f64, bool)> = counts.into_iter().map(|(leaf, count)| (count, in_set(leaf))).collect();
    counts.sort_by(|one, other| other.0.total_cmp(&one.0));
    counts
}

/// Definition 4.3 of the ℓ-diversity paper.
fn pd_recursive(demand: &Value, column: &Column, cells: &Cells) -> bool {
    let counts = with_dont_care(demand, column, cells);
    let (c, l) = (number(demand, "c"), number(demand, "l") as usize);
    let Some(y) = counts.iter().position(|&(_, any)| !any).map(|at| at + 1) else { return true };
    let sum = |from: usize, to: usize| (from..=to).filter_map(|j| counts.get(j - 1)).map(|entry| entry.0).sum::<f64>();
    let (r_y, m) = (counts[y - 1].0, counts.len());
    l == 1
        || match y < l {
            true => below(r_y, c * sum(l, m)),
            false => below(r_y, c * (sum(l - 1, y - 1) + sum(y + 1, m))),
        }
}

/// e^H of the best lowering of don't-care counts, which cuts them at one height (Definition 4.5, Theorem 4.1).
fn adjusted(demand: &Value, column: &Column, cells: &Cells) -> f64 {
    let counts = with_dont_care(demand, column, cells);
    let cut = |height: f64| {
        let cut: Vec<f64> = counts.iter().map(|&(count, any)| if any { count.min(height) } else { count }).collect();
        e_to_entropy(&cut)
    };
    let (mut low, mut high) = (1e-9, counts[0].0);
    for _ in 0..200 {
        let (third, two_thirds) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if cut(third) < cut(two_thirds) { low = third } else { high = two_thirds }
    }
    cut(low)
}

/// F(j) ≤ ψ(j) for every j.
fn tau_l(demand: &Value, column: &Column, cells: &Cells) -> Verdict {
    let weights = column.weights(&demand["weights"]);
    let n = cells.len() as f64;
    let mut induced: BTreeMap<usize, f64> = BTreeMap::new();
    for node in cells.iter().flatten() {
        let under = column.tree.leaves_under(*node);
        let total: f64 = under.iter().map(|leaf| weights[leaf]).sum();
        // Without weights all alike.
        for leaf in under.iter().filter(|leaf| total == 0.0 || weights[leaf] > 0.0) {
            let part = if total == 0.0 { 1.0 / under.len() as f64 } else { weights[leaf] / total };
            *induced.entry(*leaf).or_default() += part / n;
        }
    }
    let unknown = cells.iter().filter(|cell| cell.is_none()).count() as f64 / n;
    let frequencies = descending(induced.into_values().collect());
    let (tau, l) = (number(demand, "tau"), number(demand, "l") as usize);
    let (mut holds, mut least) = (true, 0.0f64);
    for j in 1..=frequencies.len().max(l) {
        let covered = unknown + frequencies.iter().take(j).sum::<f64>();
        let share = if j < l { (j - 1) as f64 / (l - 1) as f64 } else { 1.0 };
        let allowed = if j < l { tau + (1.0 - tau) * share } else { 1.0 };
        holds &= at_most(covered, allowed);
        if j < l {
            least = least.max((covered - share) / (1.0 - share));
        }
    }
    Verdict { holds, achieved: Some(least) }
}

/// How far the class is from the table, in the worst filling or by the docs' bound.
fn distance(demand: &Value, column: &Column, cells: &Cells) -> f64 {
    let n = cells.len() as f64;
    let reference = column.reference();
    let tree = &column.tree;
    let shown: Vec<usize> = cells.iter().map(|cell| cell.unwrap_or(0)).collect();
    let share_at = |node: usize| shown.iter().filter(|&&other| other == node).count() as f64 / n;
    match demand["distance"].as_str().unwrap_or("equal") {
        "equal" => {
            fn most(column: &Column, node: usize, reference: &[f64], share_at: &dyn Fn(usize) -> f64) -> f64 {
                let children = column.tree.children(node);
                if children.is_empty() {
                    return share_at(node) - reference[node];
                }
                let below: Vec<f64> =
                    children.into_iter().map(|child| most(column, child, reference, share_at)).collect();
                let positive: f64 = below.iter().filter(|figure| **figure > 0.0).sum();
                let largest = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                share_at(node) + if positive > 0.0 { positive } else { largest }
            }
            most(column, 0, &reference, &share_at).max(0.0)
        }
        "ordered" => {
            let places = column.places(&reference);
            let last = places.values().copied().max().unwrap_or(0);
            if last == 0 {
                return 0.0;
            }
            let mut bound = 0.0;
            for i in 0..=last {
                let up_to = |sure: bool| {
                    let lies = |&&node: &&usize| {
                        let under: Vec<usize> =
                            tree.leaves_under(node).iter().filter_map(|leaf| places.get(leaf).copied()).collect();
                        // Where no value under a node occurs, it may be anywhere.
                        let (first, end) = match (under.iter().min(), under.iter().max()) {
                            (Some(&first), Some(&end)) => (first, end),
                            _ => (0, last),
                        };
                        if sure { end <= i } else { first <= i }
                    };
                    shown.iter().filter(lies).count() as f64 / n
                };
                let q: f64 = places.iter().filter(|(_, place)| **place <= i).map(|(leaf, _)| reference[*leaf]).sum();
                bound += (up_to(true) - q).abs().max((up_to(false) - q).abs());
            }
            (bound / last as f64).min(1.0)
        }
        _ => {
            let height = tree.height(0) as f64;
            // Bottom up: what a subtree has too much of leaves it at its root, where it meets what others have too little of.
            fn surplus(column: &Column, node: usize, extra: &dyn Fn(usize) -> f64, cost: &mut f64) -> f64 {
                let below: Vec<f64> =
                    column.tree.children(node).into_iter().map(|child| surplus(column, child, extra, cost)).collect();
                let own = [extra(node)];
                let all = || below.iter().chain(&own);
                let plus: f64 = all().filter(|figure| **figure > 0.0).sum();
                let minus: f64 = -all().filter(|figure| **figure < 0.0).sum::<f64>();
                *cost += column.tree.height(node) as f64 * plus.min(minus);
                all().sum()
            }
            let extra = |node: usize| share_at(node) - reference[node];
            let mut cost = 0.0;
            surplus(column, 0, &extra, &mut cost);
            let groups = shown.iter().filter(|&&node| !tree.is_leaf(node));
            let more: f64 = groups.map(|&node| tree.height(node) as f64 / height / n).sum();
            (cost / height + more).min(1.0)
        }
    }
}
