//! Measures of random releases against re-implementations that only follow the definitions: trees as lists of paths, cells
//! as texts, every pair of rows compared, the whole domain walked.
//!
//! `THRONG_CASES=100000 cargo test --release --test metrics` tries more than the 1,000 of each.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use support::Still;
use throng::hierarchy::{Hierarchy, NodeId, ROOT};
use throng::metrics::{Asked, Metrics, Settings, information_loss, loss};
use throng::policy::{Quasi, Sensitive};
use throng::progress::{Progress, block_on};
use throng::release::{Release, Released, SUPPRESSED};
use throng::table::{Column, DictionaryBuilder, Table};

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> TestCaseResult) {
    let wanted = std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    let mut config = Config { failure_persistence: None, cases: wanted.unwrap_or(1_000), ..Config::default() };
    if wanted.is_none() {
        config.rng_seed = RngSeed::Fixed(6);
    }
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

// --- random releases -------------------------------------------------------------------------

/// Paths `leaf, …, *`, as the files have them: ragged, some leaves straight below the root. Labels belong to one node.
type Paths = Vec<Vec<String>>;

fn paths() -> impl Strategy<Value = Paths> {
    let leaf = |(number, (kind, group)): (usize, (u8, u8))| {
        let mut path = vec![format!("v{number}")];
        path.extend((kind == 0).then(|| format!("g{group}")));
        path.extend((kind <= 1).then(|| format!("G{}", group / 2)));
        path.push("*".into());
        path
    };
    prop::collection::vec((0u8..3, 0u8..4), 1..6)
        .prop_map(move |leaves| leaves.into_iter().enumerate().map(leaf).collect())
}

/// A table, its trees and what became of every cell, all as text.
#[derive(Clone, Debug)]
struct Case {
    /// Quasi-identifiers, then one sensitive column.
    trees: Vec<Paths>,
    /// The leaf of each column, by row.
    rows: Vec<Vec<usize>>,
    /// `None` for a suppressed row.
    class_of_row: Vec<Option<usize>>,
    /// What each class shows of each quasi-identifier.
    shown: Vec<Vec<String>>,
    /// What each row shows of the sensitive column.
    sensitive: Option<Vec<String>>,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = (prop::collection::vec(paths(), 2..4), 0usize..14);
    sizes.prop_flat_map(|(trees, rows)| {
        let row: Vec<_> = trees.iter().map(|paths| 0..paths.len()).collect();
        let columns = trees.len();
        let choice = prop::collection::vec(any::<u8>(), columns);
        (
            Just(trees),
            prop::collection::vec(row, rows),
            prop::collection::vec(0usize..5, rows),
            prop::collection::vec(choice, 4),
            prop::option::of(prop::collection::vec(0u8..6, rows)),
            any::<bool>(),
        )
            .prop_map(|(trees, rows, classes, choices, sensitive, full_domain)| {
                build_case(trees, rows, &classes, &choices, sensitive, full_domain)
            })
    })
}

fn build_case(
    trees: Vec<Paths>,
    rows: Vec<Vec<usize>>,
    classes: &[usize],
    choices: &[Vec<u8>],
    sensitive: Option<Vec<u8>>,
    full_domain: bool,
) -> Case {
    let quasi = trees.len() - 1;
    let (class_of_row, shown) = if full_domain {
        // One level for each column; classes are whatever comes out, and one of them may be suppressed.
        let level = |column: usize| usize::from(choices[0][column]) % padded(&trees[column])[0].len();
        let recoded = |row: &Vec<usize>| -> Vec<String> {
            (0..quasi).map(|column| padded(&trees[column])[row[column]][level(column)].clone()).collect()
        };
        let all: Vec<Vec<String>> = rows.iter().map(recoded).collect();
        let shown: Vec<Vec<String>> = all.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let suppressed = usize::from(choices[1][0]) % 4;
        let class = |cells| shown.iter().position(|other| other == cells).filter(|&class| class != suppressed);
        (all.iter().map(class).collect(), shown)
    } else {
        // Some common ancestor for each class and column; two classes may come to show the same.
        let class_of_row: Vec<Option<usize>> = classes.iter().map(|&class| (class < 4).then_some(class)).collect();
        let cell = |class: usize, column: usize| {
            let members = rows.iter().zip(&class_of_row).filter(|(_, own)| **own == Some(class));
            let paths: Vec<&Vec<String>> = members.map(|(row, _)| &trees[column][row[column]]).collect();
            let common: Vec<&String> =
                trees[column].iter().flatten().filter(|label| paths.iter().all(|path| path.contains(label))).collect();
            common[usize::from(choices[class][column]) % common.len()].clone()
        };
        let shown = (0..4).map(|class| (0..quasi).map(|column| cell(class, column)).collect()).collect();
        (class_of_row, shown)
    };
    let sensitive = sensitive.map(|up| {
        let cell = |(row, up): (&Vec<usize>, u8)| {
            let path = &trees[quasi][row[quasi]];
            path[usize::from(up).saturating_sub(2).min(path.len() - 1)].clone()
        };
        rows.iter().zip(up).map(cell).collect()
    });
    Case { trees, rows, class_of_row, shown, sensitive }
}

/// Paths of one length: a leaf that is less deep repeats itself.
fn padded(paths: &Paths) -> Paths {
    let longest = paths.iter().map(Vec::len).max().unwrap();
    let pad = |path: &Vec<String>| {
        let mut padded = vec![path[0].clone(); longest - path.len()];
        padded.extend(path.iter().cloned());
        padded
    };
    paths.iter().map(pad).collect()
}

/// The same for the engine.
struct Engine {
    table: Table,
    quasi: Vec<Quasi>,
    sensitive: Vec<Sensitive>,
    release: Release,
}

fn column(name: &str, texts: impl Iterator<Item = String>, missing: &[&str]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = texts.map(|text| builder.code(text.as_bytes()).unwrap().code).collect();
    let missing: Vec<String> = missing.iter().map(|&token| token.to_owned()).collect();
    Column::new(name.into(), builder.finish(), codes, &missing)
}

fn leaves(tree: &Hierarchy, column: &Column) -> Vec<NodeId> {
    tree.bind(&column.dictionary).leaves.into_iter().map(Option::unwrap).collect()
}

fn engine(case: &Case) -> Engine {
    let quasi_count = case.trees.len() - 1;
    let texts = |place: usize| case.rows.iter().map(move |row| case.trees[place][row[place]][0].clone());
    let columns: Vec<Column> =
        (0..case.trees.len()).map(|place| column(&place.to_string(), texts(place), &[])).collect();
    let trees: Vec<Hierarchy> = case.trees.iter().map(|paths| Hierarchy::from_rows(paths).unwrap()).collect();
    let quasi = (0..quasi_count).map(|place| Quasi {
        column: place,
        leaf_of_code: leaves(&trees[place], &columns[place]),
        limit_of_code: vec![ROOT; columns[place].dictionary.len()],
        tree: trees[place].clone(),
    });
    let sensitive_leaves = leaves(&trees[quasi_count], &columns[quasi_count]);
    let sensitive = Sensitive::without_limits(quasi_count, trees[quasi_count].clone(), sensitive_leaves);
    let nodes = |place: usize| case.shown.iter().map(|class| trees[place].find(&class[place]).unwrap()).collect();
    let sensitive_nodes = case.sensitive.as_ref();
    let release = Release {
        class_of_row: case.class_of_row.iter().map(|class| class.map_or(SUPPRESSED, |class| class as u32)).collect(),
        quasi: (0..quasi_count).map(nodes).collect(),
        sensitive: vec![
            sensitive_nodes.map(|cells| cells.iter().map(|label| trees[quasi_count].find(label).unwrap()).collect()),
        ],
    };
    let quasi = quasi.collect();
    Engine { table: Table { columns, rows: case.rows.len() }, quasi, sensitive: vec![sensitive], release }
}

impl Engine {
    fn released(&self) -> Released<'_> {
        Released { table: &self.table, quasi: &self.quasi, sensitive: &self.sensitive, release: &self.release }
    }

    fn metrics(&self, settings: &Settings) -> Metrics {
        block_on(Metrics::of(&self.released(), settings, &Progress::new(&Still))).unwrap()
    }
}

// --- the definitions, naively ----------------------------------------------------------------

fn leaves_of(paths: &Paths, label: &str) -> Vec<usize> {
    (0..paths.len()).filter(|&leaf| paths[leaf].iter().any(|other| other == label)).collect()
}

fn height_of(paths: &Paths, label: &str) -> usize {
    paths.iter().filter_map(|path| path.iter().position(|other| other == label)).max().unwrap()
}

impl Case {
    fn quasi(&self) -> usize {
        self.trees.len() - 1
    }

    /// What each row shows of the quasi-identifiers; nothing when suppressed.
    fn cells(&self) -> Vec<Option<&Vec<String>>> {
        self.class_of_row.iter().map(|class| class.map(|class| &self.shown[class])).collect()
    }

    fn sensitive_label(&self, row: usize) -> &str {
        let original = || &self.trees[self.quasi()][self.rows[row][self.quasi()]][0];
        self.sensitive.as_ref().map_or_else(original, |cells| &cells[row])
    }

    fn discernibility(&self) -> u64 {
        let cells = self.cells();
        let cost = |own: &Option<&Vec<String>>| match own {
            None => cells.len(),
            Some(_) => cells.iter().filter(|other| *other == own).count(),
        };
        cells.iter().map(cost).sum::<usize>() as u64
    }

    fn average_class_size(&self) -> f64 {
        let kept: Vec<&Vec<String>> = self.cells().into_iter().flatten().collect();
        let classes: BTreeSet<&Vec<String>> = kept.iter().copied().collect();
        if kept.is_empty() { 0.0 } else { kept.len() as f64 / classes.len() as f64 }
    }

    /// The mean over rows of what `cost` says of a column's cell, 1 for a suppressed row.
    fn mean(&self, column: usize, cost: impl Fn(&Paths, &str) -> f64) -> f64 {
        let cell = |cells: Option<&Vec<String>>| cells.map_or(1.0, |cells| cost(&self.trees[column], &cells[column]));
        let sum: f64 = self.cells().into_iter().map(cell).sum();
        if self.rows.is_empty() { 0.0 } else { sum / self.rows.len() as f64 }
    }

    fn height(&self, column: usize) -> f64 {
        let padded = padded(&self.trees[column]);
        let kept: Vec<(usize, &String)> = (0..self.rows.len())
            .filter_map(|row| self.cells()[row].map(|cells| (self.rows[row][column], &cells[column])))
            .collect();
        let levels = padded[0].len();
        if kept.is_empty() {
            return levels as f64 - 1.0;
        }
        let all_on = |level: &usize| kept.iter().all(|&(leaf, label)| &padded[leaf][*level] == label);
        if let Some(level) = (0..levels).find(all_on) {
            return level as f64;
        }
        let own = |label: &String| {
            let first = |path: &Vec<String>| path.iter().position(|other| other == label);
            padded.iter().filter_map(first).min().unwrap() as f64
        };
        kept.iter().map(|(_, label)| own(label)).sum::<f64>() / kept.len() as f64
    }

    fn stars(&self) -> u64 {
        let of_row = |cells: Option<&Vec<String>>| {
            cells.map_or(self.quasi(), |cells| cells.iter().filter(|cell| *cell == "*").count())
        };
        self.cells().into_iter().map(of_row).sum::<usize>() as u64
    }

    fn information_loss(&self) -> f64 {
        let cell = |column: usize, label: &str| {
            let paths = &self.trees[column];
            height_of(paths, label) as f64 / height_of(paths, "*") as f64
        };
        let of_row = |cells: Option<&Vec<String>>| match cells {
            None => self.quasi() as f64,
            Some(cells) => cells.iter().enumerate().map(|(column, label)| cell(column, label)).sum(),
        };
        self.cells().into_iter().map(of_row).sum()
    }

    fn utility(&self) -> f64 {
        let mut kept = 0.0;
        for (row, cells) in self.cells().into_iter().enumerate() {
            let Some(cells) = cells else { continue };
            for (paths, label) in
                self.trees.iter().zip(cells.iter().map(String::as_str).chain([self.sensitive_label(row)]))
            {
                kept += 1.0 / leaves_of(paths, label).len() as f64;
            }
        }
        if self.rows.is_empty() { 1.0 } else { kept / (self.rows.len() * self.trees.len()) as f64 }
    }

    /// The share of a row's sensitive value that each leaf gets: even over the values under it that occur in the data.
    fn induced(&self, row: usize) -> BTreeMap<usize, f64> {
        let occurring: BTreeSet<usize> = self.rows.iter().map(|row| row[self.quasi()]).collect();
        let mut under = leaves_of(&self.trees[self.quasi()], self.sensitive_label(row));
        under.retain(|leaf| occurring.contains(leaf));
        under.iter().map(|&leaf| (leaf, 1.0 / under.len() as f64)).collect()
    }

    fn excessive_protection(&self, tau: f64, l: u32) -> Option<f64> {
        let values = self.rows.iter().map(|row| row[self.quasi()]).collect::<BTreeSet<_>>().len();
        let cells = self.cells();
        let classes: BTreeSet<&Vec<String>> = cells.iter().copied().flatten().collect();
        let excess = |class: &Vec<String>| {
            let rows: Vec<usize> = (0..cells.len()).filter(|&row| cells[row] == Some(class)).collect();
            let mut frequencies = vec![0.0; self.trees[self.quasi()].len()];
            for &row in &rows {
                for (leaf, share) in self.induced(row) {
                    frequencies[leaf] += share / rows.len() as f64;
                }
            }
            frequencies.sort_by(|one: &f64, other| other.total_cmp(one));
            let psi = |k: usize| {
                if k as u32 > l || l == 1 { 1.0 } else { tau + (1.0 - tau) * (k as f64 - 1.0) / (f64::from(l) - 1.0) }
            };
            (1..=values).map(|k| (psi(k) - frequencies[..k].iter().sum::<f64>()).abs()).sum::<f64>()
        };
        classes.into_iter().map(excess).min_by(f64::total_cmp)
    }

    /// Over the whole domain, spreading row by row.
    fn kl_divergence(&self) -> f64 {
        let mut domain: Vec<Vec<usize>> = vec![Vec::new()];
        for paths in &self.trees {
            let extend = |tuple: Vec<usize>| (0..paths.len()).map(move |leaf| [tuple.clone(), vec![leaf]].concat());
            domain = domain.into_iter().flat_map(extend).collect();
        }
        let rows = self.rows.len() as f64;
        let mut estimate: BTreeMap<&[usize], f64> = domain.iter().map(|tuple| (tuple.as_slice(), 0.0)).collect();
        for (row, cells) in self.cells().into_iter().enumerate() {
            let labels: Vec<&str> = match cells {
                None => vec!["*"; self.trees.len()],
                Some(cells) => cells.iter().map(String::as_str).chain([self.sensitive_label(row)]).collect(),
            };
            let covered: Vec<Vec<usize>> =
                self.trees.iter().zip(labels).map(|(paths, label)| leaves_of(paths, label)).collect();
            let area: usize = covered.iter().map(Vec::len).product();
            for (tuple, mass) in &mut estimate {
                if tuple.iter().zip(&covered).all(|(leaf, covered)| covered.contains(leaf)) {
                    *mass += 1.0 / (rows * area as f64);
                }
            }
        }
        assert!(rows == 0.0 || (estimate.values().sum::<f64>() - 1.0).abs() < 1e-9, "not a distribution");
        let share = |tuple: &[usize]| self.rows.iter().filter(|row| *row == tuple).count() as f64 / rows;
        let term = |(tuple, mass): (&&[usize], &f64)| match share(tuple) {
            0.0 => 0.0,
            share => share * (share / mass).ln(),
        };
        if rows == 0.0 { 0.0 } else { estimate.iter().map(term).sum() }
    }
}

// --- ID3, naively ----------------------------------------------------------------------------

/// Labels of the quasi-identifiers and shares of base values.
type Example = (Vec<String>, BTreeMap<usize, f64>);

/// Examples by their label in one column.
type Parts<'a> = BTreeMap<String, Vec<&'a Example>>;

enum Naive {
    End(Vec<usize>),
    Split(usize, Vec<usize>, BTreeMap<String, Naive>),
}

fn shares(examples: &[&Example]) -> BTreeMap<usize, f64> {
    let mut sum = BTreeMap::new();
    for (leaf, share) in examples.iter().flat_map(|example| &example.1) {
        *sum.entry(*leaf).or_insert(0.0) += share;
    }
    sum
}

fn entropy(examples: &[&Example]) -> f64 {
    let sum = shares(examples);
    sum.values().map(|weight| weight / examples.len() as f64).map(|share| -share * share.ln()).sum()
}

fn learn(examples: &[&Example], left: &[usize]) -> Naive {
    let sum = shares(examples);
    let most = sum.values().copied().fold(0.0, f64::max);
    let majority: Vec<usize> = sum.iter().filter(|(_, weight)| **weight > most - 1e-9).map(|(leaf, _)| *leaf).collect();
    if sum.len() == 1 {
        return Naive::End(majority);
    }
    let mut best: Option<(usize, f64, Parts)> = None;
    for &attribute in left {
        let mut parts = Parts::new();
        for example in examples {
            parts.entry(example.0[attribute].clone()).or_default().push(example);
        }
        let rest: f64 = parts.values().map(|part| part.len() as f64 / examples.len() as f64 * entropy(part)).sum();
        if parts.len() > 1 && best.as_ref().is_none_or(|(_, least, _)| rest < least - 1e-8) {
            best = Some((attribute, rest, parts));
        }
    }
    let Some((attribute, _, parts)) = best else { return Naive::End(majority) };
    let left: Vec<usize> = left.iter().copied().filter(|&other| other != attribute).collect();
    let branches = parts.into_iter().map(|(label, part)| (label, learn(&part, &left))).collect();
    Naive::Split(attribute, majority, branches)
}

fn predict<'t>(tree: &'t Naive, paths: &[&Vec<String>]) -> &'t [usize] {
    match tree {
        Naive::End(values) => values,
        Naive::Split(attribute, majority, branches) => {
            // Labels from the leaf up: the first that is a branch is the most specific.
            let branch = paths[*attribute].iter().find_map(|label| branches.get(label));
            branch.map_or(majority, |branch| predict(branch, paths))
        }
    }
}

impl Case {
    /// What rows are put in order by before they are dealt into folds: column by column the way from the root to the value and
    /// to what is shown of it, children in the order of the hierarchy's lines; suppressed rows first.
    fn dealing_key(&self, row: usize) -> (Vec<[Vec<usize>; 2]>, bool) {
        let way = |column: usize, label: &str| -> Vec<usize> {
            let paths = &self.trees[column];
            let (path, at) =
                paths.iter().find_map(|path| Some((path, path.iter().position(|other| other == label)?))).unwrap();
            let line = |group: &String| paths.iter().position(|path| path.contains(group)).unwrap();
            path[at..].iter().rev().map(line).collect()
        };
        let cells = self.cells()[row];
        let of_column = |column: usize| {
            let own = self.trees[column][self.rows[row][column]][0].as_str();
            let shown = match cells {
                None if column == self.quasi() => "*",
                None => own,
                Some(_) if column == self.quasi() => self.sensitive_label(row),
                Some(cells) => &cells[column],
            };
            [way(column, own), way(column, shown)]
        };
        ((0..self.trees.len()).map(of_column).collect(), cells.is_some())
    }

    /// Accuracy of the original's tree and the release's: each of three folds is tested on trees learned from the others.
    fn accuracy(&self, seed: u64) -> Option<(f64, f64)> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_cached_key(|&row| self.dealing_key(row));
        let mut fold_of = vec![0; self.rows.len()];
        for row in order {
            fold_of[row] = (u64::from(random.next_u32()) * 3) >> 32;
        }
        let mut sum = (0.0, 0.0);
        for fold in 0..3 {
            let (test, training): (Vec<usize>, Vec<usize>) =
                (0..self.rows.len()).partition(|&row| fold_of[row] == fold);
            if training.is_empty() || test.is_empty() {
                return None;
            }
            let right = self.right(&training, &test);
            sum = (sum.0 + right.0, sum.1 + right.1);
        }
        Some((sum.0 / self.rows.len() as f64, sum.1 / self.rows.len() as f64))
    }

    /// Test rows that the tree learned from the original predicts right, and the release's; of several values that are
    /// equally likely each has its share.
    fn right(&self, training: &[usize], test: &[usize]) -> (f64, f64) {
        let paths = |row: usize| -> Vec<&Vec<String>> {
            (0..self.quasi()).map(|column| &self.trees[column][self.rows[row][column]]).collect()
        };
        let truth = |row: usize| self.rows[row][self.quasi()];
        let original: Vec<Example> = training
            .iter()
            .map(|&row| (paths(row).iter().map(|path| path[0].clone()).collect(), BTreeMap::from([(truth(row), 1.0)])))
            .collect();
        let recoded: Vec<Example> = training
            .iter()
            .filter_map(|&row| self.cells()[row].map(|cells| (cells.clone(), self.induced(row).into_iter().collect())))
            .collect();
        let right = |examples: &[Example]| -> f64 {
            if examples.is_empty() {
                return 0.0;
            }
            let tree = learn(&examples.iter().collect::<Vec<_>>(), &(0..self.quasi()).collect::<Vec<_>>());
            let share = |&row: &usize| {
                let likeliest = predict(&tree, &paths(row));
                if likeliest.contains(&truth(row)) { 1.0 / likeliest.len() as f64 } else { 0.0 }
            };
            test.iter().map(share).sum()
        };
        (right(&original), right(&recoded))
    }
}

// --- properties ------------------------------------------------------------------------------

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9 * (1.0 + other.abs())
}

#[test]
fn measures_are_what_their_definitions_say() {
    // ψ is not defined for ℓ = 1, which a policy can not ask for.
    check((case(), 1u32..4, 0.0..1.0f64, 2u32..5), |(case, k, tau, l)| {
        let engine = engine(&case);
        let tau_l = Some(Asked { attribute: 0, tau, l, weights: None });
        let metrics = engine.metrics(&Settings { k: Some(k), tau_l, seed: 1 });
        let rows = case.rows.len() as f64;
        prop_assert_eq!(metrics.discernibility, case.discernibility());
        let normalized = if rows == 0.0 { 0.0 } else { case.discernibility() as f64 / rows / rows };
        prop_assert!(close(metrics.discernibility_normalized, normalized));
        prop_assert_eq!(metrics.stars, case.stars());
        prop_assert!(close(metrics.average_class_size, case.average_class_size()));
        prop_assert!(close(metrics.c_avg.unwrap(), case.average_class_size() / f64::from(k)));
        prop_assert!(close(metrics.information_loss, case.information_loss()));
        prop_assert!(close(metrics.utility, case.utility()));
        let mut losses = Vec::new();
        let mut ncps = Vec::new();
        for (place, column) in metrics.columns.iter().enumerate() {
            let share = |paths: &Paths, label: &str| leaves_of(paths, label).len() as f64 / paths.len() as f64;
            // Rescaled: what an untouched cell has becomes 0, what `*` has stays 1.
            let loss = case.mean(place, |paths, label| {
                let least = 1.0 / paths.len() as f64;
                if paths.len() == 1 { 0.0 } else { (share(paths, label) - least) / (1.0 - least) }
            });
            let ncp = case.mean(
                place,
                |paths, label| {
                    if leaves_of(paths, label).len() == 1 { 0.0 } else { share(paths, label) }
                },
            );
            prop_assert!(close(column.loss, loss), "loss {} for {}", column.loss, loss);
            prop_assert!(close(column.ncp, ncp));
            prop_assert!(close(column.height, case.height(place)), "{} for {}", column.height, case.height(place));
            losses.push(loss);
            ncps.push(ncp);
        }
        let count = losses.len() as f64;
        prop_assert!(close(metrics.height, (0..losses.len()).map(|place| case.height(place)).sum()));
        prop_assert!(close(metrics.loss, losses.iter().sum::<f64>() / count));
        prop_assert!(close(metrics.ncp, ncps.iter().sum::<f64>() / count));
        let geometric = losses.iter().map(|loss| 1.0 + loss).product::<f64>().powf(1.0 / count) - 1.0;
        prop_assert!(close(metrics.loss_geometric, geometric));
        match (metrics.excessive_protection, case.excessive_protection(tau, l)) {
            (Some(one), Some(other)) => prop_assert!(close(one, other), "excess {one} for {other}"),
            (one, other) => prop_assert_eq!(one, other),
        }
        Ok(())
    });
}

#[test]
fn costs_of_classes_add_up_to_the_totals() {
    check(case(), |case| {
        let engine = engine(&case);
        let metrics = engine.metrics(&Settings::default());
        let sizes = engine.release.sizes();
        let cells = |class: usize| {
            engine.quasi.iter().zip(&engine.release.quasi).map(move |(quasi, nodes)| (&quasi.tree, nodes[class]))
        };
        let suppressed = engine.release.suppressed();
        let gone = (suppressed * engine.quasi.len()) as f64;
        let total: f64 = (0..sizes.len()).map(|class| loss::of_class(sizes[class], cells(class))).sum();
        let all_cells = (case.rows.len() * engine.quasi.len()).max(1) as f64;
        prop_assert!(close(metrics.loss, (total + gone) / all_cells));
        let total: f64 = (0..sizes.len()).map(|class| information_loss::of_class(sizes[class], cells(class))).sum();
        prop_assert!(close(metrics.information_loss, total + gone));
        Ok(())
    });
}

#[test]
fn kl_divergence_is_that_of_the_whole_domain() {
    check(case(), |case| {
        let divergence = engine(&case).metrics(&Settings::default()).kl_divergence;
        prop_assert!(close(divergence, case.kl_divergence()), "{} for {}", divergence, case.kl_divergence());
        prop_assert!(divergence > -1e-12);
        Ok(())
    });
}

#[test]
fn decision_trees_are_those_of_id3() {
    check((case(), 0u64..50), |(case, seed)| {
        let metrics = engine(&case).metrics(&Settings { seed, ..Settings::default() });
        match (metrics.decision_trees.first(), case.accuracy(seed)) {
            (Some(found), Some((original, release))) => {
                prop_assert!(close(found.original, original), "{} for {original}", found.original);
                prop_assert!(close(found.release, release), "{} for {release}", found.release);
                prop_assert_eq!(found.ratio, (found.original > 0.0).then(|| found.release / found.original));
            }
            (found, expected) => prop_assert!(found.is_none() && expected.is_none()),
        }
        Ok(())
    });
}

/// Left as it is, a table has lost nothing; with nothing kept, everything.
#[test]
fn the_ends_of_the_scales() {
    check(case(), |case| {
        if case.rows.is_empty() {
            return Ok(());
        }
        let mut same = case.clone();
        same.class_of_row = (0..case.rows.len()).map(Some).collect();
        let leaf = |row: &Vec<usize>| -> Vec<String> {
            (0..case.quasi()).map(|column| case.trees[column][row[column]][0].clone()).collect()
        };
        same.shown = case.rows.iter().map(leaf).collect();
        same.sensitive = None;
        let metrics = engine(&same).metrics(&Settings::default());
        prop_assert_eq!((metrics.height, metrics.loss, metrics.ncp, metrics.information_loss), (0.0, 0.0, 0.0, 0.0));
        prop_assert_eq!((metrics.utility, metrics.stars), (1.0, 0));
        prop_assert!(metrics.kl_divergence.abs() < 1e-12);
        for accuracy in metrics.decision_trees {
            prop_assert_eq!(accuracy.original, accuracy.release);
        }
        let mut nothing = case.clone();
        nothing.class_of_row = vec![None; case.rows.len()];
        let metrics = engine(&nothing).metrics(&Settings::default());
        prop_assert_eq!((metrics.loss, metrics.ncp, metrics.utility), (1.0, 1.0, 0.0));
        prop_assert_eq!(metrics.discernibility_normalized, 1.0);
        Ok(())
    });
}

#[test]
fn weights_replace_the_values_that_occur() {
    let tree = Hierarchy::flat(["a", "b", "c"]);
    let rows = ["a", "b"].map(str::to_owned);
    let columns = vec![column("s", rows.into_iter(), &[])];
    let of_codes = leaves(&tree, &columns[0]);
    let sensitive = [Sensitive::without_limits(0, tree, of_codes)];
    let table = Table { columns, rows: 2 };
    let release = Release { class_of_row: vec![0, 0], quasi: vec![], sensitive: vec![Some(vec![ROOT, 1])] };
    let released = Released { table: &table, quasi: &[], sensitive: &sensitive, release: &release };
    let excess = |weights: Option<Vec<f64>>| {
        let tau_l = Asked { attribute: 0, tau: 0.5, l: 2, weights };
        let settings = Settings { tau_l: Some(tau_l), ..Settings::default() };
        block_on(Metrics::of(&released, &settings, &Progress::new(&Still))).unwrap().excessive_protection.unwrap()
    };
    // Values that occur: a has 0.75. Weights 1, 1, 2: a has 0.625, c 0.25, b 0.125.
    assert!(close(excess(None), 0.25));
    assert!(close(excess(Some(vec![1.0, 1.0, 2.0])), 0.125 + 0.125));
}

#[test]
fn reports_have_plain_names_and_can_be_read_again() {
    let case = build_case(
        vec![vec![vec!["a".into(), "*".into()]], vec![vec!["s".into(), "*".into()]]],
        vec![vec![0, 0]; 30],
        &[0; 30],
        &vec![vec![0, 0]; 4],
        None,
        false,
    );
    let metrics = engine(&case).metrics(&Settings { k: Some(5), ..Settings::default() });
    let json = serde_json::to_value(&metrics).unwrap();
    for name in
        ["height", "c_avg", "discernibility", "loss_geometric", "information_loss", "kl_divergence", "decision_trees"]
    {
        assert!(json.get(name).is_some(), "{name}");
    }
    assert_eq!(json["c_avg"], 6.0);
    assert_eq!(serde_json::from_value::<Metrics>(json).unwrap(), metrics);
}

// --- the Adult data --------------------------------------------------------------------------

/// The file of ARX's Adult data, or `None` with a message when it is not there (`THRONG_DATA` says where).
fn adult_file(name: &str) -> Option<String> {
    let folder = std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".into());
    let path = format!("{folder}/arx_adult/{name}");
    let text = std::fs::read_to_string(&path);
    text.inspect_err(|error| eprintln!("skipped: {path}: {error}")).ok()
}

/// Full-domain recoding of the seven quasi-identifiers to `levels`, classes smaller than 5 suppressed.
fn adult(levels: [usize; 7]) -> Option<Engine> {
    let text = adult_file("adult.csv")?;
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let lines: Vec<Vec<&str>> = lines.collect();
    let columns: Vec<Column> =
        (0..8).map(|place| column(names[place], lines.iter().map(|line| line[place].to_owned()), &[])).collect();
    let tree = |place: usize| {
        let file = adult_file(&format!("adult_hierarchy_{}.csv", names[place]))?;
        let rows: Vec<Vec<&str>> = file.lines().map(|line| line.split(';').collect()).collect();
        Some(Hierarchy::from_rows(&rows).unwrap())
    };
    let mut quasi = Vec::new();
    for (place, column) in columns[..7].iter().enumerate() {
        let tree = tree(place)?;
        let limit_of_code = vec![ROOT; column.dictionary.len()];
        quasi.push(Quasi { column: place, leaf_of_code: leaves(&tree, column), limit_of_code, tree });
    }
    let occupation = tree(7)?;
    let of_codes = leaves(&occupation, &columns[7]);
    let sensitive = vec![Sensitive::without_limits(7, occupation, of_codes)];
    let mut classes: BTreeMap<Vec<NodeId>, Vec<usize>> = BTreeMap::new();
    for row in 0..lines.len() {
        let node = |(quasi, level): (&Quasi, usize)| {
            quasi.tree.at_level(quasi.leaf_of_code[columns[quasi.column].codes[row] as usize], level)
        };
        classes.entry(quasi.iter().zip(levels).map(node).collect()).or_default().push(row);
    }
    classes.retain(|_, rows| rows.len() >= 5);
    let mut class_of_row = vec![SUPPRESSED; lines.len()];
    for (class, rows) in classes.values().enumerate() {
        rows.iter().for_each(|&row| class_of_row[row] = class as u32);
    }
    let nodes = |place: usize| classes.keys().map(|nodes| nodes[place]).collect();
    let release = Release { class_of_row, quasi: (0..7).map(nodes).collect(), sensitive: vec![None] };
    Some(Engine { table: Table { columns, rows: lines.len() }, quasi, sensitive, release })
}

/// docs/spec.md §12: the best node under discernibility for k = 5 with at most 4 % suppressed.
#[test]
fn adult_discernibility() {
    let Some(engine) = adult([0, 0, 1, 1, 3, 2, 2]) else { return };
    let metrics = engine.metrics(&Settings { k: Some(5), ..Settings::default() });
    assert_eq!(metrics.discernibility, 9_800_845);
    assert_eq!((engine.release.classes(), engine.release.suppressed()), (233, 85));
    assert!(close(metrics.average_class_size, (30_162.0 - 85.0) / 233.0));
    assert_eq!(metrics.height, 9.0);
    let accuracy = &metrics.decision_trees[0];
    // A seventh of the rows have the most frequent occupation: guessing it is worse than either tree.
    let most = *engine.table.columns[7].counts.iter().max().unwrap() as f64 / 30_162.0;
    assert!(accuracy.original > accuracy.release && accuracy.release > most, "{accuracy:?}");
}

/// docs/spec.md §12: the best node under loss for the same.
#[test]
fn adult_loss() {
    let Some(engine) = adult([0, 3, 0, 0, 2, 1, 1]) else { return };
    let metrics = engine.metrics(&Settings::default());
    assert_eq!(format!("{:.6}", metrics.loss), "0.188850");
    assert_eq!(format!("{:.6}", metrics.loss_geometric), "0.180413");
    assert_eq!(metrics.height, 7.0);
}
