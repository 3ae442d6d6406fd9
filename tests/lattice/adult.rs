//! docs/spec.md §12 on the Adult tables.

use std::collections::HashMap;
use std::path::PathBuf;

use throng::algorithms::lattice::{Budget, Found, Input, Lattice, Metric, Question, State, Values};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::Quasi;
use throng::privacy::Requirement;
use throng::progress::{NativeSink, Progress, block_on};
use throng::release::SUPPRESSED;

use crate::models::Kind;

/// A table with one hierarchy for each quasi-identifier.
struct Adult {
    names: Vec<String>,
    values: Vec<HashMap<String, u32>>,
    codes: Vec<Vec<u32>>,
    quasi: Vec<Quasi>,
}

/// The folder of the data; `None` when it is not there, which the test says.
fn data() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var("THRONG_DATA").unwrap_or_else(|_| "../shared/data".to_owned()));
    if folder.join("arx_adult/adult.csv").exists() {
        return Some(folder);
    }
    eprintln!("skipped: there is no data in {} (set THRONG_DATA)", folder.display());
    None
}

fn adult(file: &str, delimiter: char, quasi: &[(&str, &str)]) -> Option<Adult> {
    let folder = data()?;
    let text = std::fs::read_to_string(folder.join(file)).expect("the table");
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().expect("a header").split(delimiter).map(str::to_owned).collect();
    let mut values: Vec<HashMap<String, u32>> = vec![HashMap::new(); names.len()];
    let mut codes = vec![Vec::new(); names.len()];
    for line in lines {
        for (place, cell) in line.split(delimiter).enumerate() {
            let next = values[place].len() as u32;
            codes[place].push(*values[place].entry(cell.to_owned()).or_insert(next));
        }
    }
    let make = |&(name, hierarchy): &(&str, &str)| {
        let text = std::fs::read_to_string(folder.join(format!("arx_adult/adult_hierarchy_{hierarchy}.csv")));
        let rows: Vec<Vec<String>> =
            text.expect("a hierarchy").lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        let tree = Hierarchy::from_rows(&rows).expect("a tree");
        let column = names.iter().position(|other| other == name).expect("the column");
        let mut leaf_of_code = vec![ROOT; values[column].len()];
        for (value, &code) in &values[column] {
            leaf_of_code[code as usize] = tree.find(value).filter(|&leaf| tree.is_leaf(leaf)).expect("a leaf");
        }
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column, tree, leaf_of_code, limit_of_code }
    };
    let quasi = quasi.iter().map(make).collect();
    Some(Adult { names, values, codes, quasi })
}

const QUASI: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];

fn arx_adult() -> Option<Adult> {
    adult("arx_adult/adult.csv", ';', &QUASI.map(|name| (name, name)))
}

impl Adult {
    fn rows(&self) -> usize {
        self.codes[0].len()
    }

    fn place(&self, name: &str) -> usize {
        self.names.iter().position(|other| other == name).expect("the column")
    }

    fn lattice(&self, sensitive: usize, requirements: &[Requirement]) -> Lattice {
        let metric = Metric::Discernibility;
        let question = Question { requirements, least_rows: 1, suppression_limit: 0, metric };
        let codes: Vec<&[u32]> = self.quasi.iter().map(|quasi| self.codes[quasi.column].as_slice()).collect();
        let sensitive = [Values { column: sensitive, codes: &self.codes[sensitive], leaves: 1 }];
        let input = Input { rows: self.rows(), quasi: &self.quasi, codes: &codes, sensitive: &sensitive };
        block_on(Lattice::new(&input, &question, &Progress::new(&NativeSink::new(|_| ())))).expect("a lattice")
    }
}

#[test]
fn the_table_of_the_specification() {
    let Some(adult) = arx_adult() else { return };
    assert_eq!(adult.rows(), 30_162);
    let sink = NativeSink::new(|_| ());
    let progress = Progress::new(&sink);
    // Suppressed at most 4 % of the rows: 1,206.48, so 1,206.
    let some = (0.04 * adult.rows() as f64).floor() as u64;
    let none_best = ([1, 1, 1, 1, 3, 2, 2], 55_170_356.0, 30, 0);
    let low = [0, 0, 1, 1, 3, 2, 2];
    let cases = [
        (Kind::Size(5), 0, none_best, 44),
        (Kind::Size(5), some, (low, 9_800_845.0, 233, 85), 1_234),
        (Kind::Distinct(5), 0, none_best, 38),
        (Kind::Distinct(5), some, (low, 12_122_714.0, 222, 162), 880),
        (Kind::Entropy(4.0), 0, none_best, 30),
        (Kind::Entropy(4.0), some, (low, 12_182_890.0, 224, 164), 579),
        (Kind::Recursive(3.0, 4), 0, none_best, 31),
        (Kind::Recursive(3.0, 4), some, ([1, 0, 1, 1, 3, 2, 2], 12_281_896.0, 131, 30), 547),
    ];
    let occupation = adult.place("occupation");
    for (kind, limit, (node, value, classes, suppressed), feasible) in cases {
        let requirements = [kind.on(occupation, false)];
        let lattice = adult.lattice(occupation, &requirements);
        assert_eq!(lattice.nodes(), 2_160);
        let expected = Found { node: node.to_vec(), value, classes, suppressed };
        for least_rows in [1, kind.least_rows()] {
            let question = Question {
                requirements: &requirements,
                least_rows,
                suppression_limit: limit,
                metric: Metric::Discernibility,
            };
            let all = block_on(lattice.decide_all(&question, Budget::default(), &progress)).expect("an outcome");
            assert_eq!(all.best.as_ref(), Some(&expected), "{kind:?}, {limit}");
            assert_eq!(all.counts.feasible, feasible, "{kind:?}, {limit}");
            assert_eq!(all.counts.feasible + all.counts.infeasible, 2_160);
            let best = block_on(lattice.best(&question, Budget::default(), &progress)).expect("an outcome");
            assert_eq!(best.best.as_ref(), Some(&expected), "{kind:?}, {limit}");
            assert!(best.proved && best.stopped.is_none() && best.lower_bound == value);
            assert!(best.counts.computed < 2_000, "{kind:?}, {limit}");

            let release = block_on(lattice.release(&question, &expected.node, &progress)).expect("a release");
            assert_eq!((release.classes() as u64, release.suppressed() as u64), (classes, suppressed));
            for (column, quasi) in adult.quasi.iter().enumerate() {
                for (row, &class) in release.class_of_row.iter().enumerate().filter(|(_, class)| **class != SUPPRESSED)
                {
                    let leaf = quasi.leaf_of_code[adult.codes[quasi.column][row] as usize];
                    let shown = quasi.tree.at_level(leaf, usize::from(expected.node[column]));
                    assert_eq!(release.quasi[column][class as usize], shown);
                }
            }
        }
    }
}

#[test]
fn the_loss_of_the_specification() {
    let Some(adult) = arx_adult() else { return };
    let sink = NativeSink::new(|_| ());
    let progress = Progress::new(&sink);
    let requirements = [Kind::Size(5).on(0, false)];
    let lattice = adult.lattice(adult.place("occupation"), &requirements);
    let ask = |metric| Question { requirements: &requirements, least_rows: 1, suppression_limit: 1_206, metric };
    let node = vec![0, 3, 0, 0, 2, 1, 1];
    let geometric = block_on(lattice.evaluate(&ask(Metric::LossGeometric), &node, &progress)).expect("a node").value;
    let arithmetic = block_on(lattice.evaluate(&ask(Metric::Loss), &node, &progress)).expect("a node").value;
    assert_eq!((format!("{arithmetic:.6}"), format!("{geometric:.6}")), ("0.188850".into(), "0.180413".into()));
    for metric in [Metric::Loss, Metric::LossGeometric] {
        let outcome = block_on(lattice.best(&ask(metric), Budget::default(), &progress)).expect("an outcome");
        assert_eq!(outcome.best.map(|best| best.node), Some(node.clone()));
        assert!(outcome.proved);
    }
}

#[test]
fn homogeneity_of_all_minimal_nodes() {
    let columns = ["age", "sex", "race", "marital_status", "education"];
    let hierarchies = ["age", "sex", "race", "marital-status", "education"];
    let pairs: Vec<(&str, &str)> = columns.into_iter().zip(hierarchies).collect();
    let Some(adult) = adult("adult_45222.csv", ',', &pairs) else { return };
    let sink = NativeSink::new(|_| ());
    let progress = Progress::new(&sink);
    let salary = adult.place("salary_class");
    assert_eq!(adult.values[salary].len(), 2);
    let lattice = adult.lattice(salary, &[]);
    let expected = [
        (2, 9, 10, "5.10", "158.40"),
        (5, 9, 10, "2.50", "91.10"),
        (10, 6, 8, "1.25", "73.50"),
        (15, 4, 7, "0.86", "62.71"),
        (20, 4, 7, "0.86", "62.71"),
        (30, 2, 8, "0.25", "28.88"),
        (50, 1, 8, "0.12", "9.62"),
    ];
    for (k, affected, tables, classes, rows) in expected {
        let requirements = [Kind::Size(k).on(salary, false)];
        let question =
            Question { requirements: &requirements, least_rows: 1, suppression_limit: 0, metric: Metric::Height };
        let minimal = block_on(lattice.minimal(&question, Budget::default(), &progress)).expect("minimal nodes");
        assert!(minimal.monotone);
        let mut homogeneous: Vec<(u32, u32)> = Vec::new();
        for found in &minimal.nodes {
            assert_eq!(minimal.map.states[minimal.map.index(&found.node)], State::Feasible);
            let release = block_on(lattice.release(&question, &found.node, &progress)).expect("a release");
            let mut seen = vec![[0u32; 2]; release.classes()];
            for (&class, &code) in release.class_of_row.iter().zip(&adult.codes[salary]) {
                seen[class as usize][code as usize] += 1;
            }
            let single: Vec<&[u32; 2]> = seen.iter().filter(|counts| counts.contains(&0)).collect();
            homogeneous.push((single.len() as u32, single.iter().map(|counts| counts[0] + counts[1]).sum()));
        }
        let mean = |sum: u32| format!("{:.2}", f64::from(sum) / homogeneous.len() as f64);
        assert_eq!(homogeneous.len(), tables, "k = {k}");
        assert_eq!(homogeneous.iter().filter(|(classes, _)| *classes > 0).count(), affected, "k = {k}");
        assert_eq!(mean(homogeneous.iter().map(|(classes, _)| classes).sum()), classes, "k = {k}");
        assert_eq!(mean(homogeneous.iter().map(|(_, rows)| rows).sum()), rows, "k = {k}");
    }
}
