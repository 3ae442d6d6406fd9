//! Random tables with everything around them, and the definitions written out once more: what a release must be, by its
//! texts, and the best there is, by trying everything.

use std::collections::BTreeMap;

use throng::algorithms::diva::{Settings, Solved, Strategy, solve};
use throng::algorithms::local::{Measure, Mode, Problem};
use throng::constraints::{Constraint, Target};
use throng::hierarchy::{Hierarchy, Limits, NodeId, ROOT};
use throng::policy::{Quasi, Sensitive};
use throng::privacy::{Alpha, DistinctL, EntropyL, KAnonymity, Model, RecursiveCL, Requirement};
use throng::progress::{Progress, block_on};
use throng::release::{Release, SUPPRESSED};
use throng::table::{Column, DictionaryBuilder, Table};

use crate::support::Still;

/// As many cases as `THRONG_CASES` says.
pub fn cases(usual: usize) -> usize {
    std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// A generator of its own, the same on every target.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }
}

/// A model by its definition, with the sensitive column that it is about.
#[derive(Clone, Debug)]
pub enum Demand {
    K(u32),
    Distinct(usize, u32),
    Entropy(usize, f64),
    Recursive(usize, f64, u32),
    Alpha(usize, f64),
}

impl Demand {
    fn requirement(&self) -> Requirement {
        let (attribute, model): (_, Box<dyn Model>) = match *self {
            Demand::K(k) => (None, Box::new(KAnonymity { k })),
            Demand::Distinct(attribute, l) => (Some(attribute), Box::new(DistinctL { l })),
            Demand::Entropy(attribute, l) => (Some(attribute), Box::new(EntropyL { l, dont_care: vec![] })),
            Demand::Recursive(attribute, c, l) => (Some(attribute), Box::new(RecursiveCL { c, l })),
            Demand::Alpha(attribute, alpha) => (Some(attribute), Box::new(Alpha { alpha, values: vec![] })),
        };
        Requirement { attribute, jointly: false, model }
    }

    fn holds(&self, table: &Table, rows: &[usize]) -> bool {
        let attribute = match *self {
            Demand::K(k) => return rows.len() >= k as usize,
            Demand::Distinct(attribute, _)
            | Demand::Entropy(attribute, _)
            | Demand::Recursive(attribute, ..)
            | Demand::Alpha(attribute, _) => attribute,
        };
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for &row in rows {
            *counts.entry(table.columns[attribute].text(row)).or_default() += 1;
        }
        let mut falling: Vec<usize> = counts.values().copied().collect();
        falling.sort_unstable_by(|one, other| other.cmp(one));
        let size = rows.len() as f64;
        match *self {
            Demand::K(_) => true,
            Demand::Distinct(_, l) => counts.len() >= l as usize,
            Demand::Entropy(_, l) => {
                let share = |&count: &usize| count as f64 / size;
                -falling.iter().map(|count| share(count) * share(count).ln()).sum::<f64>() >= l.ln() - 1e-9
            }
            Demand::Recursive(_, c, l) => {
                let rest: usize = falling.iter().skip(l as usize - 1).sum();
                l == 1 || (falling[0] as f64) < c * rest as f64 - 1e-9
            }
            Demand::Alpha(_, alpha) => falling[0] as f64 <= alpha * size + 1e-9,
        }
    }
}

/// A table with everything around it.
pub struct Case {
    pub table: Table,
    pub quasi: Vec<Quasi>,
    pub sensitive: Vec<Sensitive>,
    pub demands: Vec<Demand>,
    pub constraints: Vec<Constraint>,
    pub suppressible: u64,
    pub seed: u64,
    pub measure: Measure,
    pub mode: Mode,
}

pub fn column(name: String, texts: &[String]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = texts.iter().map(|text| builder.code(text.as_bytes()).unwrap().code).collect();
    Column::new(name, builder.finish(), codes, &[])
}

/// A ragged tree over v0, v1, …: runs of leaves are grouped, some runs of groups again, and some leaves not at all. A
/// group may be called as its first value.
fn random_tree(random: &mut Random, leaves: u32) -> Hierarchy {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let (mut group, mut above, mut first) = (0, 0, 0);
    let same_name = random.percent(30);
    for leaf in 0..leaves {
        if random.percent(45) {
            group += 1;
            first = leaf;
            above += u32::from(random.percent(50));
        }
        let mut line = vec![format!("v{leaf}")];
        if group % 3 != 2 {
            line.push(if same_name { format!("v{first}") } else { format!("g{group}") });
            if above % 3 != 1 {
                line.push(format!("h{above}"));
            }
        }
        line.push("*".into());
        lines.push(line);
    }
    Hierarchy::from_rows(&lines).unwrap_or_else(|_| Hierarchy::flat((0..leaves).map(|leaf| format!("v{leaf}"))))
}

fn random_constraints(random: &mut Random, columns: &[Column], quasi: &[Quasi], rows: u32) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for _ in 0..1 + random.below(4) {
        let mut target: Vec<Target> = Vec::new();
        for (column, data) in columns.iter().enumerate() {
            let chance = if column < quasi.len() { 45 } else { 12 };
            if !random.percent(chance) {
                continue;
            }
            let value = match quasi.get(column) {
                // Any label; mostly a value.
                Some(quasi) if random.percent(25) => quasi.tree.label(random.below(quasi.tree.len() as u32)).to_owned(),
                _ => data.text(random.below(rows) as usize).to_owned(),
            };
            target.push(Target { column, value });
        }
        if target.is_empty() {
            continue;
        }
        let shows = |row: usize| target.iter().all(|part| columns[part.column].text(row) == part.value);
        let count = (0..rows as usize).filter(|&row| shows(row)).count() as u32;
        let least = if random.percent(35) { 0 } else { random.below(count + 2) };
        let most = if random.percent(40) { None } else { Some(u64::from(least + random.below(count.max(2)))) };
        constraints.push(Constraint { target, least: u64::from(least), most });
    }
    constraints
}

pub fn random_case(random: &mut Random, most_rows: u32, plain: bool) -> Case {
    let rows = 1 + random.below(most_rows) as usize;
    let quasi_columns = 1 + random.below(if plain { 4 } else { 3 }) as usize;
    let mut columns = Vec::new();
    let mut quasi = Vec::new();
    for place in 0..quasi_columns {
        let leaves = 1 + random.below(if plain { 4 } else { 6 });
        let tree = if plain {
            Hierarchy::flat((0..leaves).map(|leaf| format!("v{leaf}")))
        } else {
            random_tree(random, leaves)
        };
        let texts: Vec<String> = (0..rows).map(|_| format!("v{}", random.below(leaves))).collect();
        let column = column(format!("q{place}"), &texts);
        let marks: Vec<NodeId> = (0..tree.len() as NodeId).filter(|_| !plain && random.percent(8)).collect();
        let limits = Limits::new(&tree, &marks);
        let leaf_of_code: Vec<NodeId> = tree.bind(&column.dictionary).leaves.into_iter().map(Option::unwrap).collect();
        let limit_of_code = leaf_of_code.iter().map(|&leaf| limits.of(&tree, leaf)).collect();
        quasi.push(Quasi { column: place, tree, leaf_of_code, limit_of_code });
        columns.push(column);
    }
    // A sensitive column and an insensitive one.
    let mut sensitive = Vec::new();
    for place in quasi_columns..quasi_columns + 2 {
        let values = 1 + random.below(4);
        let texts: Vec<String> =
            (0..rows).map(|_| format!("s{}", random.below(values).min(random.below(values)))).collect();
        let column = column(format!("s{place}"), &texts);
        if place == quasi_columns {
            let tree = Hierarchy::flat(column.dictionary.iter());
            let leaf_of_code = column.dictionary.iter().map(|text| tree.find(text).unwrap()).collect();
            sensitive.push(Sensitive::without_limits(place, tree, leaf_of_code));
        }
        columns.push(column);
    }
    let mut demands = vec![Demand::K(1 + random.below(3))];
    if !plain && random.percent(40) {
        demands.push(match random.below(4) {
            0 => Demand::Distinct(quasi_columns, 1 + random.below(3)),
            1 => Demand::Entropy(quasi_columns, [1.5, 1.8, 2.0][random.below(3) as usize]),
            2 => Demand::Recursive(quasi_columns, [1.0, 2.0, 3.0][random.below(3) as usize], 2),
            _ => Demand::Alpha(quasi_columns, [0.5, 0.75][random.below(2) as usize]),
        });
    }
    Case {
        constraints: random_constraints(random, &columns, &quasi, rows as u32),
        table: Table { columns, rows },
        quasi,
        sensitive,
        demands,
        suppressible: if plain || random.percent(60) { 0 } else { u64::from(random.below(rows as u32 + 1)) },
        seed: u64::from(random.below(1000)),
        measure: match random.below(4) {
            0 if !plain => Measure::Loss,
            1 if !plain => Measure::InformationLoss,
            _ => Measure::Stars,
        },
        mode: if plain || random.percent(30) { Mode::Suppression } else { Mode::Generalization },
    }
}

pub fn run(case: &Case, strategy: Strategy, settings: Settings) -> Solved {
    let requirements: Vec<Requirement> = case.demands.iter().map(Demand::requirement).collect();
    let problem = Problem {
        table: &case.table,
        quasi: &case.quasi,
        sensitive: &case.sensitive,
        requirements: &requirements,
        suppressible: case.suppressible,
        seed: case.seed,
        measure: case.measure,
        mode: case.mode,
    };
    block_on(solve(&problem, &case.constraints, strategy, settings, &Progress::new(&Still))).unwrap()
}

impl Case {
    /// The nodes that a row may show: from its leaf up to its limit.
    fn allowed(&self, row: usize, quasi: &Quasi) -> Vec<NodeId> {
        let code = self.table.columns[quasi.column].codes[row] as usize;
        let (leaf, limit) = (quasi.leaf_of_code[code], quasi.limit_of_code[code]);
        let mut allowed = Vec::new();
        for node in quasi.tree.path(leaf) {
            allowed.push(node);
            if node == limit {
                break;
            }
        }
        if self.mode == Mode::Suppression {
            allowed.retain(|&node| node == leaf || node == ROOT);
        }
        allowed
    }

    fn cell_cost(&self, quasi: &Quasi, node: NodeId) -> f64 {
        let leaves = |node: NodeId| quasi.tree.leaves().iter().filter(|&&leaf| quasi.tree.covers(node, leaf)).count();
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        match self.measure {
            Measure::Stars => f64::from(u8::from(node == ROOT)),
            Measure::Loss => share(leaves(node) - 1, leaves(ROOT) - 1),
            Measure::InformationLoss => share(quasi.tree.height(node), quasi.tree.height(ROOT)),
            Measure::Utility => 1.0 - 1.0 / leaves(node).max(1) as f64,
        }
    }

    /// How many of the rows, in a class that shows these nodes, show a constraint's target, text by text.
    fn shown(&self, constraint: &Constraint, rows: &[usize], nodes: &[NodeId]) -> u64 {
        let shows = |&&row: &&usize| {
            constraint.target.iter().all(|part| match self.quasi.iter().position(|quasi| quasi.column == part.column) {
                Some(axis) => self.quasi[axis].tree.label(nodes[axis]) == part.value,
                None => self.table.columns[part.column].text(row) == part.value,
            })
        };
        rows.iter().filter(shows).count() as u64
    }

    /// The cost of a release, after everything that it must be was checked.
    pub fn verify(&self, release: &Release) -> f64 {
        assert_eq!(release.class_of_row.len(), self.table.rows);
        let mut seen: BTreeMap<Vec<&str>, (Vec<usize>, Vec<NodeId>)> = BTreeMap::new();
        let mut suppressed = 0;
        let mut cost = 0.0;
        for row in 0..self.table.rows {
            let class = release.class_of_row[row];
            if class == SUPPRESSED {
                suppressed += 1;
                cost += self.quasi.len() as f64;
                continue;
            }
            let nodes: Vec<NodeId> = release.quasi.iter().map(|nodes| nodes[class as usize]).collect();
            for (quasi, &node) in self.quasi.iter().zip(&nodes) {
                assert!(self.allowed(row, quasi).contains(&node), "beyond its limit or no generalization");
                cost += self.cell_cost(quasi, node);
            }
            let texts = self.quasi.iter().zip(&nodes).map(|(quasi, &node)| quasi.tree.label(node)).collect();
            seen.entry(texts).or_insert((Vec::new(), nodes)).0.push(row);
        }
        assert!(suppressed <= self.suppressible);
        for (rows, _) in seen.values() {
            for demand in &self.demands {
                assert!(demand.holds(&self.table, rows), "{demand:?} fails for {rows:?}");
            }
        }
        for constraint in &self.constraints {
            let count: u64 = seen.values().map(|(rows, nodes)| self.shown(constraint, rows, nodes)).sum();
            let most = constraint.most.unwrap_or(u64::MAX);
            assert!((constraint.least..=most).contains(&count), "{count} rows show {constraint:?}");
        }
        cost
    }

    /// The ways to show a class of rows: how many count for each constraint, and the least cost of that.
    fn ways(&self, rows: &[usize]) -> BTreeMap<Vec<u64>, f64> {
        let mut ways = BTreeMap::new();
        if !self.demands.iter().all(|demand| demand.holds(&self.table, rows)) {
            return ways;
        }
        let mut all_nodes: Vec<Vec<NodeId>> = vec![Vec::new()];
        for quasi in &self.quasi {
            let mut common = self.allowed(rows[0], quasi);
            for &row in rows {
                let allowed = self.allowed(row, quasi);
                common.retain(|node| allowed.contains(node));
            }
            let with = |nodes: &Vec<NodeId>, node| nodes.iter().copied().chain([node]).collect();
            all_nodes = all_nodes.iter().flat_map(|nodes| common.iter().map(move |&node| with(nodes, node))).collect();
        }
        for nodes in all_nodes {
            let counts = self.constraints.iter().map(|constraint| self.shown(constraint, rows, &nodes)).collect();
            let cells: f64 = self.quasi.iter().zip(&nodes).map(|(quasi, &node)| self.cell_cost(quasi, node)).sum();
            let cost = cells * rows.len() as f64;
            let best = ways.entry(counts).or_insert(f64::INFINITY);
            *best = best.min(cost);
        }
        ways
    }

    /// The least cost over all ways to divide the rows, of which some are suppressed, and to show the classes; `None` if
    /// there is no way.
    pub fn optimum(&self) -> Option<f64> {
        type Known = BTreeMap<Vec<usize>, BTreeMap<Vec<u64>, f64>>;
        fn go(
            case: &Case,
            row: usize,
            out: u64,
            classes: &mut Vec<Vec<usize>>,
            known: &mut Known,
            best: &mut Option<f64>,
        ) {
            if row == case.table.rows {
                let nothing = vec![0; case.constraints.len()];
                let mut sums = BTreeMap::from([(nothing, (out * case.quasi.len() as u64) as f64)]);
                for class in classes.iter() {
                    let ways = known.entry(class.clone()).or_insert_with(|| case.ways(class));
                    let mut next: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
                    for (counts, cost) in &sums {
                        for (more, dearer) in &*ways {
                            let counts = counts.iter().zip(more).map(|(one, other)| one + other).collect();
                            let least = next.entry(counts).or_insert(f64::INFINITY);
                            *least = least.min(cost + dearer);
                        }
                    }
                    sums = next;
                }
                for (counts, cost) in sums {
                    let met = case.constraints.iter().zip(counts).all(|(constraint, count)| {
                        count >= constraint.least && constraint.most.is_none_or(|most| count <= most)
                    });
                    if met {
                        *best = Some(best.map_or(cost, |best: f64| best.min(cost)));
                    }
                }
                return;
            }
            if out < case.suppressible {
                go(case, row + 1, out + 1, classes, known, best);
            }
            for class in 0..classes.len() {
                classes[class].push(row);
                go(case, row + 1, out, classes, known, best);
                classes[class].pop();
            }
            classes.push(vec![row]);
            go(case, row + 1, out, classes, known, best);
            classes.pop();
        }
        let mut best = None;
        go(self, 0, 0, &mut Vec::new(), &mut BTreeMap::new(), &mut best);
        best
    }
}
