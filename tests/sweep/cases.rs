//! Random tables, ragged hierarchies, limits and policies; what a release of them must be, by the definitions.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use throng::algorithms::local::{Measure, Mode, Outcome, Problem};
use throng::algorithms::sweep::{Settings, Swept, asked, sweep};
use throng::hierarchy::{Hierarchy, NodeId};
use throng::metrics::{Asked, utility};
use throng::policy::{PolicyFile, Setup};
use throng::progress::{Progress, block_on};
use throng::release::{Release, Released, SUPPRESSED};
use throng::resolved_policy::ResolvedPolicy;
use throng::table::{Column, DictionaryBuilder, Table};
use throng::verify::verify;

use crate::naive::Naive;
use crate::support::Still;

/// A generator of its own, the same on every target.
#[derive(Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize].clone()
    }
}

type Paths = Vec<Vec<String>>;

/// A policy and its table.
pub struct Case {
    pub table: Table,
    pub setup: Setup,
    pub checked: ResolvedPolicy,
    pub policy: Value,
}

/// What to vary.
#[derive(Clone, Copy)]
pub struct Kind {
    pub rows: u32,
    pub limits: bool,
    pub sensitive_limits: bool,
    /// Missing values, labels that come again, weights, several sensitive columns, other requirements, suppression.
    pub anything: bool,
}

pub fn column(name: &str, texts: &[String]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = texts.iter().map(|text| builder.code(text.as_bytes()).unwrap().code).collect();
    Column::new(name.to_owned(), builder.finish(), codes, &["?".to_owned(), "NA".to_owned()])
}

/// Ragged: runs of leaves are grouped, some runs of groups again, and some leaves not at all.
fn random_tree(dice: &mut Dice, leaves: u32, repeats: bool) -> Paths {
    let (mut group, mut above) = (0, 0);
    let mut paths: Paths = Vec::new();
    for leaf in 0..leaves {
        if dice.percent(45) {
            group += 1;
            above += u32::from(dice.percent(50));
        }
        let mut path = vec![format!("v{leaf}")];
        if group % 3 != 2 {
            path.push(format!("g{group}"));
        }
        if group % 3 != 2 && above % 3 != 1 {
            path.push(format!("h{above}"));
        }
        // A value may have the name of its group.
        if repeats && path.len() > 1 && dice.percent(15) && !paths.iter().any(|other| other[0] == path[1]) {
            path[0] = path[1].clone();
        }
        path.push("*".into());
        paths.push(path);
    }
    if Hierarchy::from_rows(&paths).is_ok() {
        paths
    } else {
        (0..leaves).map(|leaf| vec![format!("v{leaf}"), "*".into()]).collect()
    }
}

fn marks(dice: &mut Dice, paths: &Paths) -> Vec<String> {
    let labels: BTreeSet<&String> = paths.iter().flatten().collect();
    labels.into_iter().filter(|_| dice.percent(12)).cloned().collect()
}

pub fn random_case(dice: &mut Dice, kind: Kind) -> Case {
    let rows = 1 + dice.below(kind.rows) as usize;
    let (mut columns, mut rules) = (Vec::new(), serde_json::Map::new());
    for place in 0..1 + dice.below(3) {
        let name = format!("q{place}");
        let leaves = 1 + dice.below(6);
        let paths = random_tree(dice, leaves, kind.anything);
        let cell = |dice: &mut Dice| {
            if kind.anything && dice.percent(5) {
                dice.one_of(&["?", "NA"]).to_owned()
            } else {
                dice.one_of(&paths)[0].clone()
            }
        };
        columns.push(column(&name, &(0..rows).map(|_| cell(dice)).collect::<Vec<_>>()));
        let limits = if kind.limits { marks(dice, &paths) } else { Vec::new() };
        rules.insert(name, json!({"role": "quasi", "hierarchy": {"rows": paths}, "limits": limits}));
    }
    let (mut demands, mut sensitive) = (Vec::new(), Vec::new());
    for place in 0..1 + u32::from(kind.anything && dice.percent(40)) {
        let name = format!("s{place}");
        let leaves = 2 + dice.below(5);
        let paths = random_tree(dice, leaves, kind.anything);
        // Skewed: the first values are the most frequent.
        let skewed = dice.percent(70);
        let cell = |dice: &mut Dice| {
            let value = dice.below(leaves);
            paths[if skewed { value.min(dice.below(leaves)).min(dice.below(leaves)) } else { value } as usize][0]
                .clone()
        };
        let column = column(&name, &(0..rows).map(|_| cell(dice)).collect::<Vec<_>>());
        if place == 0 {
            demands.push(tau_l(dice, &column, &paths, kind));
        }
        sensitive.push((name.clone(), values_apart(&column, &paths)));
        columns.push(column);
        let limits = if kind.sensitive_limits { marks(dice, &paths) } else { Vec::new() };
        rules.insert(name, json!({"role": "sensitive", "hierarchy": {"rows": paths}, "limits": limits}));
    }
    let mut suppression_limit = 0.0;
    if kind.anything {
        demands.extend((0..dice.below(3)).map(|_| other_demand(dice, &sensitive, rows)));
        suppression_limit = dice.one_of(&[0.0, 0.0, 0.2, 0.5]);
    }
    let policy = json!({"throng": 1, "columns": rules, "privacy": demands, "suppression_limit": suppression_limit,
        "algorithm": {"name": "sweep"}});
    Case::new(Table { columns, rows }, policy)
}

/// A demand that the policy accepts: no more values than the table has.
fn tau_l(dice: &mut Dice, column: &Column, paths: &Paths, kind: Kind) -> Value {
    let most = column.distinct() as u32;
    let l = 2 + dice.below(most.max(2) - 1);
    let mut demand = json!({"model": "tau-l-diversity", "attribute": column.name,
        "tau": dice.one_of(&[0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9]), "l": l});
    if most < 2 {
        // One value: nothing but ℓ = 2 can be asked, and its weights must make up another.
        demand["weights"] = [&paths[0][0], &paths[1][0]].map(|value| (value.clone(), json!(1))).into_iter().collect();
    } else if kind.anything && dice.percent(30) {
        let weight = |(place, text): (usize, &str)| (text.to_owned(), json!(1 + (place as u32 * 7 + l) % 4));
        demand["weights"] = column.dictionary.iter().enumerate().map(weight).collect::<serde_json::Map<_, _>>().into();
    }
    demand
}

/// How many different values the rows have at least: a text that is also the name of a group means the group, which may be
/// any other value under it.
fn values_apart(column: &Column, paths: &Paths) -> u32 {
    let texts: Vec<&str> = column.dictionary.iter().collect();
    let is_under = |text: &str, group: &str| {
        text != group && paths.iter().any(|path| path[0] == text && path.iter().any(|label| label == group))
    };
    texts.iter().filter(|group| !texts.iter().any(|text| is_under(text, group))).count() as u32
}

/// On one of the sensitive columns, which have so many values.
fn other_demand(dice: &mut Dice, sensitive: &[(String, u32)], rows: usize) -> Value {
    let (name, distinct) = dice.one_of(sensitive);
    let jointly = sensitive.len() > 1 && dice.percent(30);
    match dice.below(4) {
        0 | 1 => json!({"model": "k-anonymity", "k": (1 + dice.below(4)).min(rows as u32)}),
        2 => json!({"model": "distinct-l-diversity", "attribute": name, "jointly": jointly,
            "l": 1 + dice.below(distinct.min(3))}),
        _ => json!({"model": "entropy-l-diversity", "attribute": name, "jointly": jointly,
            "l": f64::min(dice.one_of(&[1.0, 1.3, 1.8]), f64::from(distinct))}),
    }
}

impl Case {
    pub fn new(table: Table, policy: Value) -> Case {
        let setup = PolicyFile::parse(&policy.to_string()).unwrap().apply(&table, &mut |_| unreachable!()).unwrap();
        let checked = ResolvedPolicy::new(&setup, &table).unwrap_or_else(|failure| panic!("{failure}: {policy}"));
        Case { table, setup, checked, policy }
    }

    /// The same with another (τ,ℓ).
    pub fn asking(&self, tau: f64, l: u32) -> Case {
        let mut policy = self.policy.clone();
        (policy["privacy"][0]["tau"], policy["privacy"][0]["l"]) = (json!(tau), json!(l));
        Case::new(self.table.clone(), policy)
    }

    pub fn problem(&self) -> Problem<'_> {
        let ResolvedPolicy { quasi, sensitive, requirements, suppressible, seed, .. } = &self.checked;
        Problem {
            table: &self.table,
            quasi,
            sensitive,
            requirements,
            suppressible: *suppressible,
            seed: *seed,
            measure: Measure::Loss,
            mode: Mode::Generalization,
        }
    }

    pub fn asked(&self) -> Asked {
        asked(&self.problem()).unwrap()
    }

    pub fn sweep(&self, settings: &Settings) -> Swept {
        let swept = block_on(sweep(&self.problem(), &self.asked(), settings, &Progress::new(&Still))).unwrap();
        if let Outcome::Release(release) = &swept.outcome {
            self.check(release);
        }
        swept
    }

    pub fn um(&self, release: &Release) -> f64 {
        let ResolvedPolicy { quasi, sensitive, .. } = &self.checked;
        utility::of(&Released { table: &self.table, quasi, sensitive, release }, &release.sizes())
    }

    /// What a row shows in a sensitive column.
    pub fn value(&self, release: &Release, place: usize, row: usize) -> NodeId {
        let sensitive = &self.checked.sensitive[place];
        match &release.sensitive[place] {
            Some(nodes) => nodes[row],
            None => sensitive.leaf_of_code[self.table.columns[sensitive.column].codes[row] as usize],
        }
    }

    /// The verifier accepts the release, and so do the definitions.
    pub fn check(&self, release: &Release) {
        let ResolvedPolicy { quasi, sensitive, identifiers, .. } = &self.checked;
        let (output, row_of) = release.to_table(&self.table, quasi, sensitive, identifiers).unwrap();
        let verified = block_on(verify(&self.table, &self.setup, &output, &row_of, &Progress::new(&Still)));
        verified.unwrap_or_else(|offence| panic!("{offence:?} {:?}", self.policy));
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.table.rows {
            let class = release.class_of_row[row];
            if class == SUPPRESSED {
                continue;
            }
            let mut texts = Vec::new();
            for (quasi, nodes) in quasi.iter().zip(&release.quasi) {
                let code = self.table.columns[quasi.column].codes[row] as usize;
                let node = nodes[class as usize];
                assert!(quasi.tree.covers(node, quasi.leaf_of_code[code]), "untrue");
                assert!(quasi.tree.covers(quasi.limit_of_code[code], node), "above its limit");
                texts.push(quasi.tree.label(node));
            }
            for (place, sensitive) in sensitive.iter().enumerate() {
                let code = self.table.columns[sensitive.column].codes[row] as usize;
                let node = self.value(release, place, row);
                assert!(sensitive.tree.covers(node, sensitive.leaf_of_code[code]), "untrue");
                assert!(sensitive.tree.covers(sensitive.limit_of_code[code], node), "above its limit");
                assert!(place == 0 || node == sensitive.leaf_of_code[code], "generalized in vain");
            }
            classes.entry(texts).or_default().push(row);
        }
        for rows in classes.values() {
            let shown: Vec<NodeId> = rows.iter().map(|&row| self.read_as(self.value(release, 0, row))).collect();
            assert!(self.naive(&[0]).holds(&shown), "{:?} fails", self.policy);
        }
        assert!(release.suppressed() as u64 <= self.checked.suppressible);
    }

    /// The highest node with the label that a node shows: what a reader takes it for.
    fn read_as(&self, node: NodeId) -> NodeId {
        let tree = &self.checked.sensitive[0].tree;
        tree.path(node).filter(|&above| tree.label(above) == tree.label(node)).last().unwrap()
    }

    /// The rows of each set of limits.
    pub fn regions(&self) -> Vec<Vec<usize>> {
        let mut regions: BTreeMap<Vec<NodeId>, Vec<usize>> = BTreeMap::new();
        (0..self.table.rows).for_each(|row| regions.entry(self.limits(row)).or_default().push(row));
        regions.into_values().collect()
    }

    fn limits(&self, row: usize) -> Vec<NodeId> {
        let code = |column: usize| self.table.columns[column].codes[row] as usize;
        self.checked.quasi.iter().map(|quasi| quasi.limit_of_code[code(quasi.column)]).collect()
    }

    /// Some rows, which have the same limits, for the algorithm written out.
    pub fn naive(&self, rows: &[usize]) -> Naive<'_> {
        let ResolvedPolicy { quasi, sensitive, .. } = &self.checked;
        let code = |column: usize, row: usize| self.table.columns[column].codes[row] as usize;
        let occurring = quasi.iter().map(|quasi| {
            let leaves: BTreeSet<NodeId> =
                (0..self.table.rows).map(|row| quasi.leaf_of_code[code(quasi.column, row)]).collect();
            leaves.into_iter().collect()
        });
        let tuple = |&row: &usize| {
            quasi.iter().map(|quasi| quasi.leaf_of_code[code(quasi.column, row)]).collect::<Vec<NodeId>>()
        };
        let first = &sensitive[0];
        let mut up = vec![None; first.tree.len()];
        for (&leaf, &limit) in first.leaf_of_code.iter().zip(&first.limit_of_code) {
            let way: Vec<NodeId> = first.tree.path(leaf).take_while(|&node| first.tree.covers(limit, node)).collect();
            way.windows(2).for_each(|pair| up[pair[0] as usize] = Some(pair[1]));
        }
        let asked = self.asked();
        Naive {
            trees: quasi.iter().map(|quasi| &quasi.tree).collect(),
            occurring: occurring.collect(),
            importance: (0..quasi.len()).collect(),
            tuples: rows.iter().map(tuple).collect(),
            limits: rows.first().map_or(Vec::new(), |&row| self.limits(row)),
            taxonomy: &first.tree,
            up,
            values: rows.iter().map(|&row| first.leaf_of_code[code(first.column, row)]).collect(),
            weights: asked.weights.unwrap().iter().map(|&weight| weight as i128).collect(),
            tau: asked.tau,
            l: asked.l as usize,
            open: Cell::new(false),
        }
    }
}
