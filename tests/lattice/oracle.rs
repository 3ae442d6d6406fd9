//! An exhaustive search without any pruning, written from the definitions, on many small tables: ragged trees, limits,
//! sets of models (jointly, too), suppression limits and all metrics.

use std::collections::BTreeMap;

use throng::algorithms::lattice::{Budget, Found, Input, Lattice, Metric, Question, State, Values};
use throng::classes::Histogram;
use throng::hierarchy::{Hierarchy, Limits, NodeId, ROOT};
use throng::policy::Quasi;
use throng::privacy::Requirement;
use throng::progress::{NativeSink, Progress, block_on};
use throng::release::SUPPRESSED;

use crate::models::Kind;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % end.max(1) as u64) as usize
    }
    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

struct Case {
    rows: usize,
    quasi: Vec<Quasi>,
    codes: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
    /// Model, sensitive column, jointly.
    models: Vec<(Kind, usize, bool)>,
    limit: u64,
    metric: Metric,
}

/// Leaves of a sensitive column's hierarchy.
const SENSITIVE_LEAVES: u32 = 4;
/// The first sensitive column's place in the table.
const FIRST_SENSITIVE: usize = 10;

fn tree(dice: &mut Dice) -> Hierarchy {
    let leaves = 1 + dice.below(6);
    let rows: Vec<Vec<String>> = (0..leaves)
        .map(|leaf| {
            let mut row = vec![format!("v{leaf}")];
            // A group of a group, a group or nothing: ragged.
            let (small, large) = (leaf / 2, leaf / 4);
            match dice.below(3) {
                0 => row.extend([format!("s{small}of{large}"), format!("l{large}")]),
                1 => row.push(format!("only{large}")),
                _ => (),
            }
            row.push("*".to_owned());
            row
        })
        .collect();
    Hierarchy::from_rows(&rows).expect("a tree")
}

fn case(dice: &mut Dice) -> Case {
    let rows = dice.below(25);
    let mut quasi = Vec::new();
    let mut codes = Vec::new();
    for column in 0..dice.below(4) {
        let tree = tree(dice);
        let mut leaf_of_code: Vec<NodeId> = tree.leaves().iter().copied().filter(|_| !dice.one_in(4)).collect();
        if leaf_of_code.is_empty() || dice.one_in(4) {
            // Two codes of one leaf, as two missing-value tokens are.
            leaf_of_code.push(tree.leaves()[0]);
        }
        let marks: Vec<NodeId> = if dice.one_in(3) { vec![dice.below(tree.len()) as NodeId] } else { vec![] };
        let limits = Limits::new(&tree, &marks);
        let limit_of_code = leaf_of_code.iter().map(|&leaf| limits.of(&tree, leaf)).collect();
        let size = leaf_of_code.len();
        codes.push((0..rows).map(|_| dice.below(size) as u32).collect());
        quasi.push(Quasi { column, tree, leaf_of_code, limit_of_code });
    }
    let sensitive: Vec<Vec<u32>> = (0..1 + dice.below(2))
        .map(|_| (0..rows).map(|_| dice.below(SENSITIVE_LEAVES as usize) as u32).collect())
        .collect();
    let models = (0..1 + dice.below(3))
        .map(|_| {
            let kind = match dice.below(5) {
                0 => Kind::Size(1 + dice.below(5) as u32),
                1 => Kind::Distinct(1 + dice.below(4)),
                2 => Kind::Entropy(dice.of(&[1.0, 1.5, 2.0, 2.5, 3.0])),
                3 => Kind::Recursive(dice.of(&[0.5, 1.0, 2.0, 3.0]), 1 + dice.below(3)),
                _ => Kind::Few(dice.below(4) as u32),
            };
            (kind, FIRST_SENSITIVE + dice.below(sensitive.len()), dice.one_in(4))
        })
        .collect();
    let limit = if dice.one_in(2) { 0 } else { dice.below(rows + 2) as u64 };
    let metric = dice.of(&[
        Metric::Discernibility,
        Metric::Height,
        Metric::AverageClassSize,
        Metric::Loss,
        Metric::LossGeometric,
        Metric::KlDivergence,
    ]);
    Case { rows, quasi, codes, sensitive, models, limit, metric }
}

/// What the definitions say about a node.
struct Truth {
    node: Vec<u16>,
    cost: f64,
    /// The rows of each class that is kept.
    kept: Vec<Vec<usize>>,
    suppressed: usize,
}

impl Case {
    /// Levels up to the last before one on which a value passes its limit.
    fn levels(&self) -> Vec<u16> {
        let allowed = |quasi: &Quasi, level: usize| {
            quasi.leaf_of_code.iter().zip(&quasi.limit_of_code).all(|(&leaf, &limit)| {
                let node = quasi.tree.at_level(leaf, level);
                node == limit || quasi.tree.path(node).any(|above| above == limit)
            })
        };
        self.quasi
            .iter()
            .map(|quasi| (0..quasi.tree.levels()).take_while(|&level| allowed(quasi, level)).count() as u16)
            .collect()
    }

    fn nodes(&self) -> Vec<Vec<u16>> {
        self.levels().into_iter().fold(vec![vec![]], |nodes, levels| {
            let with = |node: &Vec<u16>, level: u16| [node.as_slice(), &[level]].concat();
            nodes.iter().flat_map(|node| (0..levels).map(move |level| with(node, level))).collect()
        })
    }

    fn cell(&self, column: usize, row: usize, node: &[u16]) -> NodeId {
        let quasi = &self.quasi[column];
        quasi.tree.at_level(quasi.leaf_of_code[self.codes[column][row] as usize], usize::from(node[column]))
    }

    fn holds(&self, rows: &[usize]) -> bool {
        self.models.iter().all(|&(kind, attribute, jointly)| {
            let requirement = kind.on(attribute, jointly);
            let place = attribute - FIRST_SENSITIVE;
            let mut blocks: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
            for &row in rows {
                let others = (0..self.sensitive.len()).filter(|&other| requirement.jointly && other != place);
                blocks.entry(others.map(|other| self.sensitive[other][row]).collect()).or_default().push(row);
            }
            blocks.values().all(|block| {
                let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
                block.iter().for_each(|&row| *counts.entry(self.sensitive[place][row]).or_default() += 1);
                let counts: Vec<(u32, u32)> = counts.into_iter().collect();
                requirement.model.holds(&Histogram { size: block.len() as u32, counts: &counts })
            })
        })
    }

    fn truth(&self, node: Vec<u16>) -> Truth {
        let mut classes: BTreeMap<Vec<NodeId>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.rows {
            let cells = (0..self.quasi.len()).map(|column| self.cell(column, row, &node)).collect();
            classes.entry(cells).or_default().push(row);
        }
        let (kept, gone): (Vec<_>, Vec<_>) = classes.into_values().partition(|rows| self.holds(rows));
        let suppressed = gone.iter().map(Vec::len).sum();
        let cost = self.cost(&node, &kept, suppressed);
        Truth { node, cost, kept, suppressed }
    }

    fn cost(&self, node: &[u16], kept: &[Vec<usize>], suppressed: usize) -> f64 {
        let n = self.rows as f64;
        let losses = || {
            self.quasi.iter().enumerate().map(move |(column, quasi)| {
                let root = quasi.tree.leaf_count(ROOT) as f64;
                let cell = |row: &usize| match quasi.tree.leaf_count(self.cell(column, *row, node)) as f64 {
                    1.0 => 0.0,
                    leaves => (leaves - 1.0) / (root - 1.0),
                };
                let sum: f64 = kept.iter().flatten().map(cell).sum();
                if n == 0.0 { 0.0 } else { (sum + suppressed as f64) / n }
            })
        };
        let columns = self.quasi.len().max(1) as f64;
        match self.metric {
            Metric::Discernibility => {
                kept.iter().map(|rows| rows.len() * rows.len()).sum::<usize>() as f64 + suppressed as f64 * n
            }
            Metric::Height => node.iter().map(|&level| f64::from(level)).sum(),
            Metric::AverageClassSize if kept.is_empty() => n,
            Metric::AverageClassSize => (self.rows - suppressed) as f64 / kept.len() as f64,
            Metric::Loss => losses().sum::<f64>() / columns,
            Metric::LossGeometric => losses().map(|loss| 1.0 + loss).product::<f64>().powf(1.0 / columns) - 1.0,
            Metric::KlDivergence => self.divergence(node, kept, suppressed),
        }
    }

    /// Σ F(x) ln(F(x) ÷ F*(x)), x being the values of a row in all columns.
    fn divergence(&self, node: &[u16], kept: &[Vec<usize>], suppressed: usize) -> f64 {
        let n = self.rows as f64;
        let values = |row: usize| self.sensitive.iter().map(move |codes| codes[row]);
        let tuple = |row: usize| -> Vec<u32> {
            let leaf = |column: usize| self.quasi[column].leaf_of_code[self.codes[column][row] as usize];
            (0..self.quasi.len()).map(leaf).chain(values(row)).collect()
        };
        let mut domain = f64::from(SENSITIVE_LEAVES).powi(self.sensitive.len() as i32);
        domain *= self.quasi.iter().map(|quasi| quasi.tree.leaf_count(ROOT) as f64).product::<f64>();
        let mut sum = 0.0;
        for row in 0..self.rows {
            let same = (0..self.rows).filter(|&other| tuple(other) == tuple(row)).count() as f64;
            let mut estimate = suppressed as f64 / n / domain;
            if let Some(class) = kept.iter().find(|class| class.contains(&row)) {
                let alike = class.iter().filter(|&&other| values(other).eq(values(row))).count() as f64;
                let leaves = |column: usize| self.quasi[column].tree.leaf_count(self.cell(column, row, node)) as f64;
                estimate += alike / n / (0..self.quasi.len()).map(leaves).product::<f64>();
            }
            // Each of the rows with this tuple adds its share.
            sum += (same / n / estimate).ln() / n;
        }
        sum
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs())
}

fn finer(one: &[u16], other: &[u16]) -> bool {
    one != other && one.iter().zip(other).all(|(one, other)| one <= other)
}

fn check(case: &Case, dice: &mut Dice, about: &str) {
    let sink = NativeSink::new(|_| ());
    let progress = Progress::new(&sink);
    let requirements: Vec<Requirement> =
        case.models.iter().map(|&(kind, column, jointly)| kind.on(column, jointly)).collect();
    // Sometimes the search is told the smallest class that can hold, sometimes not.
    let least_rows =
        if dice.one_in(2) { 1 } else { case.models.iter().map(|model| model.0.least_rows()).max().unwrap_or(1) };
    let question =
        Question { requirements: &requirements, least_rows, suppression_limit: case.limit, metric: case.metric };
    let codes: Vec<&[u32]> = case.codes.iter().map(Vec::as_slice).collect();
    let sensitive: Vec<Values> = case
        .sensitive
        .iter()
        .enumerate()
        .map(|(place, codes)| Values { column: FIRST_SENSITIVE + place, codes, leaves: SENSITIVE_LEAVES })
        .collect();
    let input = Input { rows: case.rows, quasi: &case.quasi, codes: &codes, sensitive: &sensitive };
    let lattice = block_on(Lattice::new(&input, &question, &progress)).expect("a lattice");

    let truths: Vec<Truth> = case.nodes().into_iter().map(|node| case.truth(node)).collect();
    let feasible: Vec<&Truth> = truths.iter().filter(|truth| truth.suppressed as u64 <= case.limit).collect();
    let least = feasible.iter().map(|truth| truth.cost).fold(f64::INFINITY, f64::min);
    let of = |node: &[u16]| truths.iter().find(|truth| truth.node == node).expect("a node of the lattice");
    let is_true = |found: &Found| {
        let truth = of(&found.node);
        close(found.value, truth.cost)
            && (found.classes, found.suppressed) == (truth.kept.len() as u64, truth.suppressed as u64)
    };
    let is_best = |found: &Option<Found>| match found {
        None => feasible.is_empty(),
        Some(found) => {
            let first = feasible.iter().find(|truth| truth.cost == least).map(|truth| &truth.node);
            let exact = matches!(case.metric, Metric::Discernibility | Metric::Height | Metric::AverageClassSize);
            is_true(found)
                && (found.suppressed <= case.limit && close(found.value, least))
                && (!exact || Some(&found.node) == first)
        }
    };

    assert_eq!(lattice.nodes(), truths.len() as u64, "{about}");
    let all = block_on(lattice.decide_all(&question, Budget::default(), &progress)).expect("an outcome");
    assert!(is_best(&all.best) && all.proved, "decided all, {about}: {:?}", all.best);
    let map = all.map.expect("a map");
    for (index, truth) in truths.iter().enumerate() {
        assert_eq!((map.node(index), map.index(&truth.node)), (truth.node.clone(), index));
        let is_feasible = map.states[index] == State::Feasible;
        assert_eq!(is_feasible, truth.suppressed as u64 <= case.limit, "{about}: {:?}", truth.node);
    }
    assert_eq!(all.counts.feasible, feasible.len() as u64);

    let best = block_on(lattice.best(&question, Budget::default(), &progress)).expect("an outcome");
    assert!(is_best(&best.best) && best.proved, "best, {about}: {:?}, not {:?}", best.best, all.best);
    let near = &truths[dice.below(truths.len())].node;
    let from_near = block_on(lattice.best_near(&question, Budget::default(), near, &progress)).expect("an outcome");
    assert!(is_best(&from_near.best) && from_near.proved, "near {near:?}, {about}: {:?}", from_near.best);
    let explored = block_on(lattice.explore(&question, Budget::default(), &progress)).expect("an outcome");
    assert!(is_best(&explored.best) && explored.proved, "explored, {about}: {:?}, not {:?}", explored.best, all.best);

    let budget = Budget { nodes: Some(dice.below(6) as u64), milliseconds: None };
    let hurried =
        [block_on(lattice.best(&question, budget, &progress)), block_on(lattice.explore(&question, budget, &progress))];
    for hurried in hurried {
        let hurried = hurried.expect("an outcome");
        assert!(hurried.counts.computed <= budget.nodes.unwrap_or(0));
        assert!(hurried.lower_bound <= least + 1e-9 * (1.0 + least), "{about}: {} > {least}", hurried.lower_bound);
        assert!(hurried.best.as_ref().is_none_or(|found| is_true(found) && found.suppressed <= case.limit));
        assert!(!hurried.proved || is_best(&hurried.best), "hurried, {about}");
    }

    let minimal = block_on(lattice.minimal(&question, Budget::default(), &progress)).expect("minimal nodes");
    let is_minimal = |truth: &&&Truth| !feasible.iter().any(|other| finer(&other.node, &truth.node));
    let expected: Vec<&Vec<u16>> = feasible.iter().filter(is_minimal).map(|truth| &truth.node).collect();
    assert_eq!(minimal.nodes.iter().map(|found| &found.node).collect::<Vec<_>>(), expected, "{about}");
    assert!(minimal.nodes.iter().all(is_true));
    let above = |truth: &&Truth| {
        truths.iter().filter(|other| finer(&truth.node, &other.node)).all(|other| other.suppressed as u64 <= case.limit)
    };
    assert!(!minimal.monotone || feasible.iter().all(above), "not monotone, {about}");

    let node = &truths[dice.below(truths.len())].node;
    let release = block_on(lattice.release(&question, node, &progress)).expect("a release");
    let truth = of(node);
    assert_eq!(release.suppressed(), truth.suppressed, "{about}");
    assert_eq!(release.sensitive, vec![None; case.sensitive.len()]);
    for rows in &truth.kept {
        let class = release.class_of_row[rows[0]];
        assert!(class != SUPPRESSED && rows.iter().all(|&row| release.class_of_row[row] == class), "{about}");
        for column in 0..case.quasi.len() {
            assert_eq!(release.quasi[column][class as usize], case.cell(column, rows[0], node), "{about}");
        }
    }
}

#[test]
fn agrees_with_an_exhaustive_search() {
    for seed in 0..10_000 {
        let mut dice = Dice(seed * 7919 + 1);
        dice.below(2);
        let case = case(&mut dice);
        let about = format!("seed {seed}: {:?}, limit {} of {}, {:?}", case.models, case.limit, case.rows, case.metric);
        check(&case, &mut dice, &about);
    }
}
