//! What the docs refuse, and what they let pass: a release held against its table and its policy, the report's figures
//! computed again, and proofs of impossibility tried by search.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::csv;
use crate::make::Case;
use crate::models::{self, Verdict};
use crate::world::{Column, World, place};

/// Why a policy is refused, and whether the docs say that it must be.
pub fn refusals(world: &World, case: &Case) -> Vec<(bool, String)> {
    let mut reasons: Vec<(bool, String)> = Vec::new();
    let mut may = |reason: &str| reasons.push((false, reason.to_owned()));
    if world.policy["diversity"].as_array().is_some_and(|lines| !lines.is_empty()) {
        may("diversity[");
    }
    let mut must = |holds: bool, reason: String| {
        if holds {
            reasons.push((true, reason));
        }
    };
    must(case.mistake.is_some(), case.mistake.unwrap_or_default().to_owned());
    for column in &world.columns {
        must(!column.fits_its_kind(), "a value that is not of the column's kind".into());
    }
    let quasi = world.of_role("quasi");
    for column in &quasi {
        must(column.has_hierarchy && !column.lacking.is_empty(), "the hierarchy lacks values".into());
        let levels = column.tree.height(0) + 1;
        must(column.from_level >= levels && column.from_level > 0, "from_level is too high".into());
        let nowhere = |row: usize| column.original(row).is_some_and(|leaf| column.allowed(leaf).is_empty());
        must((0..world.rows).any(nowhere), "a limit lies below from_level".into());
    }
    let tau = |demand: &Value| demand["model"] == "tau-l-diversity" && demand["jointly"] != true;
    must(world.algorithm() == "sweep" && !world.demands().iter().any(tau), "the sweep needs tau-l".into());
    for demand in world.demands() {
        let model = demand["model"].as_str().unwrap_or_default();
        if model == "k-anonymity" {
            must(demand["k"].as_f64().unwrap_or(0.0) > world.rows.max(1) as f64, "k above the rows".into());
            continue;
        }
        let columns = world.about(demand);
        must(columns.is_empty(), "no column is sensitive".into());
        for column in columns {
            for key in ["dont_care", "no_negative", "values"] {
                let names = demand[key].as_array().into_iter().flatten().filter_map(Value::as_str);
                for name in names {
                    let is_unknown = column.is_missing(name) && column.has_missing() && column.unknown;
                    must(column.named(name).is_none() || is_unknown, format!("{key} names no value"));
                }
            }
            let dont_care = demand["dont_care"].as_array().is_some_and(|names| !names.is_empty());
            let open = world.is_generalized(column) || column.unknown && column.has_missing();
            must(dont_care && open, "dont_care where cells may be groups or unknown".into());
            let asked = demand["l"].as_f64().or(demand["p"].as_f64()).unwrap_or(0.0);
            let values = different_at_least(column);
            must(model != "tau-l-diversity" && asked > values as f64, "more than the different values".into());
            if model == "tau-l-diversity" {
                let weights = demand["weights"].as_object().into_iter().flatten();
                for (name, _) in weights {
                    let leaf = column.tree.lowest(name).filter(|&node| column.tree.is_leaf(node));
                    must(leaf.is_none(), "weights name no value".into());
                }
                let possible = column.weights(&demand["weights"]).values().filter(|weight| **weight > 0.0).count();
                must(asked > possible as f64, "more than the values that may occur".into());
            }
            if model == "t-closeness" {
                must(!column.reference().iter().any(|share| *share > 0.0), "no original value is known".into());
                let distance = demand["distance"].as_str().unwrap_or("equal");
                must(distance == "hierarchical" && !column.has_hierarchy, "no hierarchy".into());
                let ordered = column.kind.as_deref() != Some("text") || column.has_hierarchy;
                must(distance == "ordered" && !ordered, "no order".into());
            }
        }
    }
    reasons
}

/// The different values of a column, whatever its groups and unknown cells are: its texts as one class.
fn different_at_least(column: &Column) -> usize {
    let texts: BTreeSet<Option<&str>> = column.cells.iter().map(|cell| column.seen(cell)).collect();
    let known = texts.iter().filter(|text| text.is_some() || !column.unknown);
    let cells: Vec<Option<usize>> =
        known.map(|text| text.map_or(column.missing_leaf, |text| column.read(text))).collect();
    // Texts that are all unknown are one value at least.
    if cells.is_empty() { 1 } else { models::worst_counts(column, &cells).len() }
}

/// What a class's sensitive cells show: for each sensitive column a text for each row.
pub type Shown = Vec<Vec<String>>;

/// Whether a class meets a demand about a column, block by block where the other sensitive columns are known.
fn class_meets(
    world: &World,
    demand: &Value,
    at: usize,
    class: &Shown,
    rows: usize,
    faults: &mut Vec<String>,
) -> Verdict {
    if demand["model"] == "k-anonymity" {
        return models::k_anonymity(demand, rows);
    }
    let sensitive = world.of_role("sensitive");
    let column = sensitive[at];
    let mut blocks: BTreeMap<Vec<Option<&str>>, Vec<Option<usize>>> = BTreeMap::new();
    for (row, cell) in class[at].iter().enumerate().take(rows) {
        let mut key = Vec::new();
        if demand["jointly"] == true {
            let others = (0..sensitive.len()).filter(|&other| other != at);
            key.extend(others.map(|other| sensitive[other].seen(&class[other][row])));
        }
        blocks.entry(key).or_default().push(column.read(cell));
    }
    let verdicts = blocks.values().map(|cells| models::judge(demand, column, cells, faults));
    verdicts.reduce(|one, other| worse(demand, one, other)).expect("a class has rows")
}

fn worse(demand: &Value, one: Verdict, other: Verdict) -> Verdict {
    let model = demand["model"].as_str().unwrap_or_default();
    let low = matches!(model, "k-anonymity" | "distinct-l-diversity" | "p-sensitive" | "entropy-l-diversity");
    let both = one.achieved.zip(other.achieved);
    Verdict {
        holds: one.holds && other.holds,
        achieved: both.map(|(one, other)| if low { one.min(other) } else { one.max(other) }),
    }
}

/// Demands with the sensitive column that each is about, one for every column.
fn demands(world: &World) -> Vec<(Value, usize)> {
    let sensitive = world.of_role("sensitive");
    let mut all = Vec::new();
    for demand in world.demands() {
        if demand["model"] == "k-anonymity" {
            all.push((demand.clone(), 0));
            continue;
        }
        for column in world.about(demand) {
            let at = sensitive.iter().position(|other| other.name == column.name).expect("a sensitive column");
            all.push((demand.clone(), at));
        }
    }
    all
}

fn meets_all(world: &World, class: &Shown, rows: usize, faults: &mut Vec<String>) -> bool {
    demands(world).iter().all(|(demand, at)| class_meets(world, demand, *at, class, rows, faults).holds)
}

/// A release as texts: each row with the table's row that it stands for.
struct Released {
    /// Places of the table's columns, in the order of the release.
    row_of: Vec<usize>,
    /// By the name of the column.
    cells: BTreeMap<String, Vec<String>>,
}

pub struct Answer<'a> {
    pub release: &'a str,
    pub numbered: &'a str,
    pub report: &'a Value,
}

fn near(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-7 * one.abs().max(other.abs()).max(1.0)
}

/// Everything that the docs find wrong with a release.
pub fn faults_of(world: &World, answer: &Answer<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(released) = read(world, answer, &mut faults) else { return faults };
    check_cells(world, &released, &mut faults);
    check_matching(world, &released, &mut faults);
    if !faults.is_empty() {
        return faults;
    }
    let rows = released.row_of.len();
    let left_out = world.rows - rows;
    if left_out > world.suppressible() {
        faults.push(format!("{left_out} rows left out, {} allowed", world.suppressible()));
    }
    let quasi = world.of_role("quasi");
    let mut classes: BTreeMap<Vec<Option<&str>>, Vec<usize>> = BTreeMap::new();
    let mut begun: Vec<Vec<Option<&str>>> = Vec::new();
    for row in 0..rows {
        let key: Vec<Option<&str>> =
            quasi.iter().map(|column| column.seen(&released.cells[&column.name][row])).collect();
        if begun.last() != Some(&key) {
            if begun.contains(&key) {
                faults.push("the rows of a class do not stand together".into());
            }
            begun.push(key.clone());
        }
        classes.entry(key).or_default().push(row);
    }
    let report = answer.report;
    let mut figure = |key: &str, said: &Value, right: f64| {
        if !said.as_f64().is_some_and(|said| near(said, right)) {
            faults.push(format!("the report says {key} = {said}, the docs {right}"));
        }
    };
    figure("rows", &report["rows"], rows as f64);
    figure("suppressed", &report["suppressed"], left_out as f64);
    figure("classes", &report["classes"], classes.len() as f64);
    if report["seed"] != *world.policy.get("seed").unwrap_or(&Value::from(1)) {
        faults.push("the report says another seed".into());
    }
    check_privacy(world, &released, &classes, report, &mut faults);
    check_diversity(world, &released, report, &mut faults);
    check_metrics(world, &released, &classes, report, &mut faults);
    faults
}

fn read(world: &World, answer: &Answer<'_>, faults: &mut Vec<String>) -> Option<Released> {
    let mut records = csv::records(answer.numbered, ',');
    let plain = csv::records(answer.release, ',');
    let names: Vec<String> = records.remove(0);
    let expected: Vec<&str> =
        world.columns.iter().filter(|column| column.role != "identifier").map(|column| column.name.as_str()).collect();
    if names[0] != "_row" || names[1..] != expected {
        faults.push("the release has other columns".into());
        return None;
    }
    if plain.len() != records.len() + 1 || plain[1..].iter().zip(&records).any(|(plain, row)| plain[..] != row[1..]) {
        faults.push("row numbers change the release".into());
        return None;
    }
    let row_of: Vec<usize> =
        records.iter().map(|record| record[0].parse::<usize>().unwrap_or(0).wrapping_sub(1)).collect();
    let different: BTreeSet<usize> = row_of.iter().copied().collect();
    if different.len() < row_of.len() || row_of.iter().any(|&row| row >= world.rows) {
        faults.push("a row stands for none of the table, or two stand for one".into());
        return None;
    }
    let cells = |at: usize| records.iter().map(|record| record[at + 1].clone()).collect();
    let cells = expected.iter().enumerate().map(|(at, name)| (name.to_string(), cells(at))).collect();
    Some(Released { row_of, cells })
}

/// Whether a cell of the table may be released as a text.
fn may_show(world: &World, column: &Column, row: usize, shown: &str) -> bool {
    let generalized = world.is_generalized(column);
    if column.role != "quasi" && !generalized || column.role == "sensitive" && column.cells[row] == shown {
        return column.cells[row] == shown;
    }
    let Some(leaf) = column.original(row) else { return column.is_missing(shown) };
    let nodes = if column.role == "quasi" {
        column.allowed(leaf)
    } else {
        let path = column.tree.path(leaf);
        path[..=place(&path, column.limit(leaf))].to_vec()
    };
    let is_missing = column.is_missing(&column.cells[row]);
    nodes
        .iter()
        .any(|&node| column.tree.labels[node] == shown || is_missing && node == leaf && column.is_missing(shown))
}

fn check_cells(world: &World, released: &Released, faults: &mut Vec<String>) {
    for column in world.columns.iter().filter(|column| column.role != "identifier") {
        for (shown, &row) in released.cells[&column.name].iter().zip(&released.row_of) {
            if !may_show(world, column, row, shown) {
                faults.push(format!("column {} shows what it may not in row {}", column.name, row + 1));
                return;
            }
        }
    }
}

/// The release alone, without row numbers: its rows can be given to different rows of the table.
fn check_matching(world: &World, released: &Released, faults: &mut Vec<String>) {
    let columns: Vec<&Column> = world.columns.iter().filter(|column| column.role != "identifier").collect();
    if world.rows > 45 {
        return;
    }
    let fits: Vec<Vec<usize>> = (0..released.row_of.len())
        .map(|at| {
            let may = |&row: &usize| {
                columns.iter().all(|column| may_show(world, column, row, &released.cells[&column.name][at]))
            };
            (0..world.rows).filter(may).collect()
        })
        .collect();
    fn give(at: usize, fits: &[Vec<usize>], taken: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for &row in &fits[at] {
            if !std::mem::replace(&mut seen[row], true) && taken[row].is_none_or(|other| give(other, fits, taken, seen))
            {
                taken[row] = Some(at);
                return true;
            }
        }
        false
    }
    let mut taken = vec![None; world.rows];
    for at in 0..fits.len() {
        if !give(at, &fits, &mut taken, &mut vec![false; world.rows]) {
            faults.push("the rows can't be given to different rows of the table".into());
            return;
        }
    }
}

fn check_privacy(
    world: &World,
    released: &Released,
    classes: &BTreeMap<Vec<Option<&str>>, Vec<usize>>,
    report: &Value,
    faults: &mut Vec<String>,
) {
    let sensitive = world.of_role("sensitive");
    let demands = demands(world);
    let told = report["privacy"].as_array().map_or(&[][..], Vec::as_slice);
    if told.len() != demands.len() {
        faults.push("the report has another number of demands".into());
        return;
    }
    for ((demand, at), told) in demands.iter().zip(told) {
        let mut all: Option<Verdict> = None;
        for rows in classes.values() {
            let cells = |column: &&Column| rows.iter().map(|&row| released.cells[&column.name][row].clone()).collect();
            let class: Shown = sensitive.iter().map(cells).collect();
            let verdict = class_meets(world, demand, *at, &class, rows.len(), faults);
            all = Some(match all {
                Some(before) => worse(demand, before, verdict),
                None => verdict,
            });
        }
        let model = &demand["model"];
        if told["model"] != *model || model != "k-anonymity" && told["attribute"] != sensitive[*at].name {
            faults.push(format!("the report tells of {} instead of {model}", told["model"]));
        }
        let Some(all) = all else { continue };
        if !all.holds || told["holds"] != true {
            faults.push(format!("{model} does not hold (achieved {:?}): {demand}", all.achieved));
        }
        if let (Some(right), Some(said)) = (all.achieved, told["achieved"].as_f64())
            && right.is_finite()
            && !near(right, said)
        {
            faults.push(format!("the report says {model} achieves {said}, the docs {right}: {demand}"));
        }
    }
}

fn check_diversity(world: &World, released: &Released, report: &Value, faults: &mut Vec<String>) {
    let lines = world.policy["diversity"].as_array().map_or(&[][..], Vec::as_slice);
    for (line, told) in lines.iter().zip(report["diversity"].as_array().map_or(&[][..], Vec::as_slice)) {
        let line = line.as_str().unwrap_or_default();
        let (name, rest) = line.split_once("=\"").unwrap_or_default();
        let (value, bounds) = rest.rsplit_once("\": ").unwrap_or_default();
        let (name, value) = (name.trim_matches('"'), value.replace("\"\"", "\""));
        let Some(column) = world.columns.iter().find(|column| column.name == name) else { continue };
        let shows = |shown: &&String| column.seen(shown) == column.seen(&value);
        let count = released.cells[name].iter().filter(shows).count();
        let (least, most) = bounds.split_once("..").unwrap_or_default();
        let within = count >= least.parse().unwrap_or(0) && count <= most.parse().unwrap_or(usize::MAX);
        if !within || told["count"].as_u64() != Some(count as u64) {
            faults.push(format!("a constraint counts {count}, the report says {}", told["count"]));
        }
    }
}

/// A row's cells as nodes: of quasi-identifiers as they are shown.
fn shown_nodes(column: &Column, row: usize, shown: &str) -> usize {
    let leaf = column.original(row).unwrap_or(0);
    let path = column.tree.path(leaf);
    let named = path.iter().rev().copied().find(|&node| column.tree.labels[node] == shown);
    named.unwrap_or(leaf)
}

fn check_metrics(
    world: &World,
    released: &Released,
    classes: &BTreeMap<Vec<Option<&str>>, Vec<usize>>,
    report: &Value,
    faults: &mut Vec<String>,
) {
    let quasi = world.of_role("quasi");
    let told = &report["metrics"];
    let (all, kept) = (world.rows as f64, released.row_of.len() as f64);
    let left_out = all - kept;
    let q = quasi.len() as f64;
    let mut expected: Vec<(&str, f64)> = Vec::new();
    let squares: f64 = classes.values().map(|rows| (rows.len() * rows.len()) as f64).sum();
    expected.push(("discernibility", squares + left_out * all));
    expected.push(("discernibility_normalized", (squares + left_out * all) / all / all));
    if !classes.is_empty() {
        let average = kept / classes.len() as f64;
        expected.push(("average_class_size", average));
        let demands = world.demands();
        let ks =
            demands.iter().filter(|demand| demand["model"] == "k-anonymity").filter_map(|demand| demand["k"].as_f64());
        // Of several, the largest.
        if let Some(k) = ks.reduce(f64::max) {
            expected.push(("c_avg", average / k));
        }
    }
    if quasi.iter().all(|column| !column.has_labels_twice && column.tree.height(0) > 0) {
        let (mut stars, mut information) = (left_out * q, left_out * q);
        let (mut losses, mut ncps) = (Vec::new(), Vec::new());
        for column in &quasi {
            let root = column.measured_leaves(0) as f64;
            let height = (column.tree.height(0) - column.from_level.min(column.tree.height(0))) as f64;
            let (mut loss, mut ncp) = (left_out, left_out);
            for (at, &row) in released.row_of.iter().enumerate() {
                let node = shown_nodes(column, row, &released.cells[&column.name][at]);
                let leaves = column.measured_leaves(node) as f64;
                stars += f64::from(u8::from(node == 0));
                loss += if root > 1.0 { (leaves - 1.0) / (root - 1.0) } else { 0.0 };
                ncp += if leaves > 1.0 { leaves / root } else { 0.0 };
                let own = column.tree.height(node).saturating_sub(column.from_level) as f64;
                information += if height > 0.0 { own / height } else { 0.0 };
            }
            losses.push(loss / all);
            ncps.push(ncp / all);
        }
        expected.push(("stars", stars));
        if quasi.iter().all(|column| column.from_level == 0) {
            expected.push(("information_loss", information));
        }
        expected.push(("loss", losses.iter().sum::<f64>() / q));
        expected.push(("ncp", ncps.iter().sum::<f64>() / q));
        let product: f64 = losses.iter().map(|loss| 1.0 + loss).product();
        expected.push(("loss_geometric", product.powf(1.0 / q) - 1.0));
        if is_plain(world) {
            let sensitive = world.of_role("sensitive");
            let mut utility = 0.0;
            let mut cells: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
            for (at, &row) in released.row_of.iter().enumerate() {
                let mut cell = Vec::new();
                for column in quasi.iter().chain(&sensitive) {
                    let shown = &released.cells[&column.name][at];
                    let node = match column.role.as_str() {
                        "quasi" => shown_nodes(column, row, shown),
                        _ => column.read(shown).unwrap_or(0),
                    };
                    utility += 1.0 / column.measured_leaves(node) as f64;
                    cell.push(node);
                }
                *cells.entry(cell).or_default() += 1.0;
            }
            expected.push(("utility", utility / all / (quasi.len() + sensitive.len()) as f64));
            expected.push(("kl_divergence", divergence(world, cells, left_out)));
        }
    }
    for (key, right) in expected {
        if !told[key].as_f64().is_some_and(|said| near(said, right)) {
            faults.push(format!("the report says {key} = {}, the docs {right}", told[key]));
        }
    }
}

/// Whether all sensitive cells of the original are values, each with one node.
fn is_plain(world: &World) -> bool {
    world.of_role("sensitive").iter().all(|column| {
        let known = |row| column.original(row).is_some_and(|node| column.tree.is_leaf(node));
        !column.has_labels_twice && column.tree.height(0) > 0 && (0..world.rows).all(known)
    })
}

/// KL-divergence of §6; `cells`: released rows by their nodes.
fn divergence(world: &World, mut cells: BTreeMap<Vec<usize>, f64>, left_out: f64) -> f64 {
    let columns: Vec<&Column> = [world.of_role("quasi"), world.of_role("sensitive")].concat();
    if left_out > 0.0 {
        *cells.entry(vec![0; columns.len()]).or_default() += left_out;
    }
    let mut tuples: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    for row in 0..world.rows {
        let start = |column: &&Column| column.tree.at_level(column.original(row).unwrap_or(0), column.from_level);
        *tuples.entry(columns.iter().map(start).collect()).or_default() += 1.0;
    }
    let all = world.rows as f64;
    let mut sum = 0.0;
    for (tuple, count) in &tuples {
        let mut spread = 0.0;
        for (cell, n) in &cells {
            let covers =
                columns.iter().zip(cell).zip(tuple).all(|((column, &cell), &leaf)| column.tree.covers(cell, leaf));
            if covers {
                let area: f64 =
                    columns.iter().zip(cell).map(|(column, &cell)| column.measured_leaves(cell) as f64).product();
                spread += n / area / all;
            }
        }
        sum += count / all * (count / all / spread).ln();
    }
    sum
}

/// What exhaustive search says of the lattice: the nodes that can be released, with their costs.
pub struct Lattice {
    /// Levels of each quasi-identifier and the cost; nothing where it means nothing.
    pub feasible: Vec<(Vec<usize>, Option<f64>)>,
}

/// Nothing if there are too many nodes.
pub fn lattice(world: &World, faults: &mut Vec<String>) -> Option<Lattice> {
    let quasi = world.of_role("quasi");
    let levels: Vec<Vec<usize>> = quasi
        .iter()
        .map(|column| {
            let leaves: BTreeSet<usize> = (0..world.rows).filter_map(|row| column.original(row)).collect();
            let within = |&level: &usize| {
                leaves.iter().all(|&leaf| column.allowed(leaf).contains(&column.tree.at_level(leaf, level)))
            };
            (column.from_level..=column.tree.height(0)).take_while(within).collect()
        })
        .collect();
    let nodes: usize = levels.iter().map(Vec::len).product();
    if nodes * world.rows > 3000 {
        return None;
    }
    let metric = world.policy["algorithm"]["metric"].as_str().unwrap_or("discernibility");
    let sensitive = world.of_role("sensitive");
    let mut feasible = Vec::new();
    let mut node: Vec<usize> = vec![0; quasi.len()];
    if nodes == 0 {
        return Some(Lattice { feasible });
    }
    loop {
        let chosen: Vec<usize> = node.iter().zip(&levels).map(|(&at, levels)| levels[at]).collect();
        let mut classes: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
        for row in 0..world.rows {
            let shown = |(column, &level): (&&Column, &usize)| {
                let leaf = column.original(row).unwrap_or(0);
                let shown = column.tree.at_level(leaf, level);
                if shown == leaf && column.is_missing(&column.cells[row]) {
                    return None;
                }
                Some(column.tree.labels[shown].clone())
            };
            classes.entry(quasi.iter().zip(&chosen).map(shown).collect()).or_default().push(row);
        }
        classes.retain(|_, rows| {
            let cells = |column: &&Column| rows.iter().map(|&row| column.cells[row].clone()).collect();
            let class: Shown = sensitive.iter().map(cells).collect();
            meets_all(world, &class, rows.len(), faults)
        });
        let kept: usize = classes.values().map(Vec::len).sum();
        if world.rows - kept <= world.suppressible() {
            let relative: Vec<usize> =
                chosen.iter().zip(&quasi).map(|(level, column)| level - column.from_level).collect();
            let cost = cost(world, metric, &chosen, &classes.into_values().collect::<Vec<_>>());
            feasible.push((relative, cost));
        }
        let Some(at) = (0..node.len()).rev().find(|&at| node[at] + 1 < levels[at].len()) else { break };
        node[at] += 1;
        node[at + 1..].fill(0);
    }
    Some(Lattice { feasible })
}

fn cost(world: &World, metric: &str, levels: &[usize], classes: &[Vec<usize>]) -> Option<f64> {
    let quasi = world.of_role("quasi");
    let all = world.rows as f64;
    let kept: f64 = classes.iter().map(|rows| rows.len() as f64).sum();
    let plain = quasi.iter().all(|column| !column.has_labels_twice && column.tree.height(0) > 0);
    let losses = || -> Vec<f64> {
        let of_column = |(column, &level): (&&Column, &usize)| {
            let root = column.measured_leaves(0) as f64;
            let of_row = |&row: &usize| {
                let shown = column.tree.at_level(column.original(row).unwrap_or(0), level);
                if root > 1.0 { (column.measured_leaves(shown) as f64 - 1.0) / (root - 1.0) } else { 0.0 }
            };
            (classes.iter().flatten().map(of_row).sum::<f64>() + all - kept) / all
        };
        quasi.iter().zip(levels).map(of_column).collect()
    };
    match metric {
        "discernibility" => {
            Some(classes.iter().map(|rows| (rows.len() * rows.len()) as f64).sum::<f64>() + (all - kept) * all)
        }
        "height" => Some(levels.iter().zip(&quasi).map(|(level, column)| (level - column.from_level) as f64).sum()),
        "average-class-size" => (!classes.is_empty()).then(|| kept / classes.len() as f64),
        "loss" if plain => Some(losses().iter().sum::<f64>() / quasi.len() as f64),
        "loss-geometric" if plain => {
            let product: f64 = losses().iter().map(|loss| 1.0 + loss).product();
            Some(product.powf(1.0 / quasi.len() as f64) - 1.0)
        }
        "kl-divergence" if plain && is_plain(world) => {
            let mut cells: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
            for &row in classes.iter().flatten() {
                let shown = quasi.iter().zip(levels);
                let shown =
                    shown.map(|(column, &level)| column.tree.at_level(column.original(row).unwrap_or(0), level));
                let known = world.of_role("sensitive").into_iter().map(|column| column.original(row).unwrap_or(0));
                *cells.entry(shown.chain(known).collect()).or_default() += 1.0;
            }
            Some(divergence(world, cells, all - kept))
        }
        _ => None,
    }
}

/// What exhaustive search says against a lattice's release.
pub fn faults_of_optimum(world: &World, report: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(Lattice { feasible }) = lattice(world, &mut faults) else { return faults };
    let levels: Vec<usize> = world
        .of_role("quasi")
        .iter()
        .map(|column| report["levels"][&column.name].as_u64().unwrap_or(99) as usize)
        .collect();
    let Some((_, own)) = feasible.iter().find(|(node, _)| *node == levels) else {
        faults.push(format!("the levels {levels:?} can't be released; {} can", feasible.len()));
        return faults;
    };
    let costs: Option<Vec<f64>> = feasible.iter().map(|(_, cost)| *cost).collect();
    let (Some(costs), Some(own)) = (costs, *own) else { return faults };
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    if !near(own, least) || !report["search"]["value"].as_f64().is_some_and(|said| near(said, least)) {
        faults.push(format!(
            "the best costs {least}, {levels:?} costs {own}, the report says {}",
            report["search"]["value"]
        ));
    }
    // Whole numbers tie exactly.
    let first = feasible.iter().filter(|(_, cost)| *cost == Some(least)).map(|(node, _)| node).min();
    let metric = world.policy["algorithm"]["metric"].as_str().unwrap_or("discernibility");
    if matches!(metric, "discernibility" | "height") && first != Some(&levels) {
        faults.push(format!("of equal nodes {first:?} is the first, not {levels:?}"));
    }
    faults
}

/// A release that exists though it was proved that none does: all rows at their limits, or any way to part few rows.
pub fn exists(world: &World) -> Option<&'static str> {
    if world.policy["diversity"].as_array().is_some_and(|lines| !lines.is_empty()) {
        return None;
    }
    let mut faults = Vec::new();
    if world.algorithm() == "lattice" {
        return lattice(world, &mut faults).filter(|found| !found.feasible.is_empty()).map(|_| "a node of the lattice");
    }
    let mut regions: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    let quasi = world.of_role("quasi");
    for row in 0..world.rows {
        let limit = |column: &&Column| column.limit(column.original(row).unwrap_or(0));
        regions.entry(quasi.iter().map(limit).collect()).or_default().push(row);
    }
    if regions.len() > 40 {
        return None;
    }
    let most = world.suppressible();
    let fails = |rows: &Vec<usize>, faults: &mut Vec<String>| !rows.is_empty() && !class_is_good(world, rows, faults);
    let left_out: usize = regions.values().filter(|rows| fails(rows, &mut faults)).map(Vec::len).sum();
    if left_out <= most {
        return Some("every value at its limit");
    }
    if world.rows > 6 {
        return None;
    }
    // Every row goes into a class there is, into a new one, or nowhere.
    fn part(world: &World, row: usize, parts: &mut Vec<Vec<usize>>, left_out: usize) -> bool {
        if left_out > world.suppressible() {
            return false;
        }
        if row == world.rows {
            let mut faults = Vec::new();
            return parts.iter().all(|rows| shows_together(world, rows) && class_is_good(world, rows, &mut faults));
        }
        if part(world, row + 1, parts, left_out + 1) {
            return true;
        }
        for at in 0..parts.len() {
            parts[at].push(row);
            let found = part(world, row + 1, parts, left_out);
            parts[at].pop();
            if found {
                return true;
            }
        }
        parts.push(vec![row]);
        let found = part(world, row + 1, parts, left_out);
        parts.pop();
        found
    }
    part(world, 0, &mut Vec::new(), 0).then_some("a way to part the rows")
}

fn class_is_good(world: &World, rows: &[usize], faults: &mut Vec<String>) -> bool {
    let cells = |column: &Column| rows.iter().map(|&row| column.cells[row].clone()).collect();
    let class: Shown = world.of_role("sensitive").into_iter().map(cells).collect();
    meets_all(world, &class, rows.len(), faults)
}

fn shows_together(world: &World, rows: &[usize]) -> bool {
    world.of_role("quasi").iter().all(|column| {
        let mut allowed = rows.iter().map(|&row| column.allowed(column.original(row).unwrap_or(0)));
        let first = allowed.next().unwrap_or_default();
        let rest: Vec<Vec<usize>> = allowed.collect();
        first.iter().any(|node| rest.iter().all(|nodes| nodes.contains(node)))
    })
}
