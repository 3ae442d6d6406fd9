//! (τ,ℓ)-diversity, §IV: the sequential sweep beside 1DLD and CLD on Adult and Nursery, for requirements from weak to
//! strong. Excess (Fig. 5), utility (Fig. 6), decision trees (Fig. 7) and time (Fig. 8).
//!
//! Asserted for every release: all classes meet (τ,ℓ), recomputed here from the cells.

use std::collections::BTreeMap;

use throng::algorithms::local::{Measure, Mode, Outcome, Problem};
use throng::algorithms::one_d::{Curve, peers};
use throng::algorithms::sweep::{Refinement, Settings, sweep};
use throng::hierarchy::{Hierarchy, NodeId};
use throng::metrics::decision_tree::{Predicted, folds, right};
use throng::metrics::{Asked, excessive_protection, utility};
use throng::policy::{Quasi, Sensitive};
use throng::progress::{Progress, block_on};
use throng::release::{Release, Released, SUPPRESSED};
use throng::table::Table;

use super::clock::least_seconds;
use super::data::{Quiet, adult, arx, arx_quasi, chosen, flat, nursery, place, quasi};
use super::tau_l_sheets::sheets;

/// How often a time is taken.
pub const TIMES: usize = 7;
const FOLDS: u32 = 5;
const SEED: u64 = 1;

pub const RUNS: [&str; 5] = ["sweep", "sweep, quickly refined", "sweep, refined", "1DLD", "CLD"];
/// The sweeps among them come first.
pub const SWEEPS: [Refinement; 3] = [Refinement::None, Refinement::Quick, Refinement::Thorough];
pub const LINE: usize = 3;
pub const LATTICE: usize = 4;

/// A table with a sensitive column, and what is asked of it.
pub struct Case {
    pub name: &'static str,
    table: Table,
    quasi: Vec<Quasi>,
    sensitive: Vec<Sensitive>,
    /// What UCI says is to be predicted.
    label: Quasi,
    grid: &'static [(f64, u32)],
}

/// What one algorithm made of one (τ,ℓ).
#[derive(Clone, Copy)]
pub struct Made {
    pub excess: f64,
    pub um: f64,
    /// Accuracy of decision trees learned from releases over that of those learned from the original, for the label and
    /// for the sensitive column.
    pub trees: [f64; 2],
    /// Sensitive cells that are not as they were.
    pub generalized: usize,
}

pub struct Point {
    pub tau: f64,
    pub l: u32,
    /// In the order of [`RUNS`]; nothing where nothing can be published.
    pub made: [Option<Made>; RUNS.len()],
    pub seconds: [f64; RUNS.len()],
}

/// Columns of Nursery: two or three values next to each other are a group where that makes sense.
fn nursery_tree(name: &str) -> &'static [&'static [&'static str]] {
    match name {
        "parents" => &[&["usual", "*"], &["pretentious", "pretentious+", "*"], &["great_pret", "pretentious+", "*"]],
        "has_nurs" => &[
            &["proper", "good", "*"],
            &["less_proper", "good", "*"],
            &["improper", "bad", "*"],
            &["critical", "bad", "*"],
            &["very_crit", "bad", "*"],
        ],
        "form" => &[
            &["complete", "whole", "*"],
            &["completed", "whole", "*"],
            &["incomplete", "part", "*"],
            &["foster", "part", "*"],
        ],
        "children" => &[&["1", "1-2", "*"], &["2", "1-2", "*"], &["3", "3+", "*"], &["more", "3+", "*"]],
        "housing" => &[&["convenient", "*"], &["less_conv", "worse", "*"], &["critical", "worse", "*"]],
        "finance" => &[&["convenient", "*"], &["inconv", "*"]],
        "social" => &[&["nonprob", "fair", "*"], &["slightly_prob", "fair", "*"], &["problematic", "*"]],
        "health" => &[&["recommended", "well", "*"], &["priority", "well", "*"], &["not_recom", "*"]],
        _ => &[
            &["recommend", "recommended", "*"],
            &["very_recom", "recommended", "*"],
            &["priority", "considered", "*"],
            &["spec_prior", "considered", "*"],
            &["not_recom", "*"],
        ],
    }
}

fn tree(rows: &[&[&str]]) -> Result<Hierarchy, String> {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
    Hierarchy::from_rows(&rows).map_err(|error| error.to_string())
}

fn sensitive(table: &Table, name: &str, tree: Hierarchy) -> Result<Vec<Sensitive>, String> {
    let Quasi { column, tree, leaf_of_code, .. } = quasi(table, name, tree)?;
    Ok(vec![Sensitive::without_limits(column, tree, leaf_of_code)])
}

pub const ADULT: [&str; 5] = ["age", "sex", "race", "marital_status", "education"];
/// All columns: those that are not sensitive are quasi-identifiers, as the paper divides them (§I).
const NURSERY: [&str; 9] =
    ["parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "class"];

fn adult_case(name: &'static str, attribute: &str, grid: &'static [(f64, u32)]) -> Result<Case, String> {
    let table = adult()?;
    let quasi = arx_quasi(&table, &ADULT)?;
    let values = arx(&table.columns[place(&table, attribute)?])?;
    let salary = self::quasi(&table, "salary_class", flat(&table.columns[place(&table, "salary_class")?]))?;
    Ok(Case { name, quasi, sensitive: sensitive(&table, attribute, values)?, label: salary, table, grid })
}

fn nursery_case(name: &'static str, attribute: &str, grid: &'static [(f64, u32)]) -> Result<Case, String> {
    let table = nursery()?;
    let names = NURSERY.iter().filter(|name| **name != attribute);
    let quasi = names.map(|name| quasi(&table, name, tree(nursery_tree(name))?)).collect::<Result<_, String>>()?;
    let label = self::quasi(&table, "class", tree(nursery_tree("class"))?)?;
    let sensitive = sensitive(&table, attribute, tree(nursery_tree(attribute))?)?;
    Ok(Case { name, quasi, sensitive, label, table, grid })
}

/// From weak to strong; the last ones ask for more than the distribution of the values allows as it is.
pub fn cases() -> Result<Vec<Case>, String> {
    Ok(vec![
        adult_case(
            "Adult, occupation",
            "occupation",
            &[(0.6, 2), (0.5, 3), (0.4, 4), (0.35, 5), (0.3, 6), (0.25, 7), (0.2, 8), (0.15, 9), (0.12, 10), (0.1, 12)],
        )?,
        adult_case(
            "Adult, native country",
            "native_country",
            &[(0.95, 2), (0.92, 3), (0.9, 3), (0.8, 4), (0.7, 5), (0.6, 6), (0.5, 8), (0.4, 10), (0.3, 12), (0.2, 15)],
        )?,
        nursery_case(
            "Nursery, class",
            "class",
            &[(0.7, 2), (0.6, 3), (0.5, 3), (0.45, 3), (0.4, 3), (0.5, 4), (0.4, 4), (0.35, 4), (0.3, 5), (0.25, 5)],
        )?,
        nursery_case(
            "Nursery, health",
            "health",
            &[(0.8, 2), (0.7, 2), (0.6, 2), (0.5, 2), (0.6, 3), (0.5, 3), (0.4, 3), (0.35, 3)],
        )?,
    ])
}

impl Case {
    fn problem(&self) -> Problem<'_> {
        Problem {
            table: &self.table,
            quasi: &self.quasi,
            sensitive: &self.sensitive,
            requirements: &[],
            suppressible: 0,
            seed: SEED,
            measure: Measure::Loss,
            mode: Mode::Generalization,
        }
    }

    /// The same of some of its rows.
    fn with(&self, table: Table) -> Case {
        Case { table, quasi: self.quasi.clone(), sensitive: self.sensitive.clone(), label: self.label.clone(), ..*self }
    }

    fn run(&self, run: usize, asked: &Asked, until: peers::Until) -> Result<Option<Release>, String> {
        let progress = Progress::new(&Quiet);
        let problem = self.problem();
        let failed = |failure| format!("{failure:?}");
        let found = |found: Option<peers::Found>| found.map(|found| found.release);
        match run {
            0..LINE => {
                let refine = SWEEPS[run];
                let settings = Settings { refine, ..Settings::default() };
                match block_on(sweep(&problem, asked, &settings, &progress)).map_err(failed)?.outcome {
                    Outcome::Release(release) => Ok(Some(release)),
                    _ => Ok(None),
                }
            }
            LINE => {
                block_on(peers::one_d(&problem, asked, Curve::Hilbert, until, &progress)).map(found).map_err(failed)
            }
            _ => block_on(peers::lattice(&problem, asked, until, &progress)).map(found).map_err(failed),
        }
    }

    fn released<'a>(&'a self, release: &'a Release) -> Released<'a> {
        Released { table: &self.table, quasi: &self.quasi, sensitive: &self.sensitive, release }
    }

    fn measure(&self, release: &Release, asked: &Asked) -> Made {
        self.check(release, asked);
        let released = self.released(release);
        let originals = |row: usize| {
            let codes = &self.table.columns[self.sensitive[0].column].codes;
            self.sensitive[0].leaf_of_code[codes[row] as usize]
        };
        let shown = released.sensitive_nodes(0);
        Made {
            excess: excessive_protection::of(&released, asked).unwrap_or(f64::NAN),
            um: utility::of(&released, &release.sizes()),
            trees: [f64::NAN; 2],
            generalized: (0..shown.len()).filter(|&row| shown[row] != originals(row)).count(),
        }
    }

    /// The rows to learn from are released by themselves, so that a row that is asked about had no part in the classes of
    /// the others; NaN where they can't be.
    fn trees(&self, run: usize, asked: &Asked) -> Result<[f64; 2], String> {
        let progress = Progress::new(&Quiet);
        let mut sum = [[0.0; 2]; 2];
        for (training, test) in folds(self.table.rows, FOLDS, SEED) {
            let part = self.with(chosen(&self.table, &training));
            let Some(release) = part.run(run, asked, peers::Until::Best)? else { return Ok([f64::NAN; 2]) };
            // As a release of all rows that suppresses those to be asked about.
            let nodes = part.released(&release).sensitive_nodes(0);
            let mut class_of_row = vec![SUPPRESSED; self.table.rows];
            let mut shown = vec![0; self.table.rows];
            for (nth, &row) in training.iter().enumerate() {
                class_of_row[row as usize] = release.class_of_row[nth];
                shown[row as usize] = nodes[nth];
            }
            let release = Release { class_of_row, quasi: release.quasi, sensitive: vec![Some(shown)] };
            let released = self.released(&release);
            for (sum, predicted) in sum.iter_mut().zip([Predicted::Label(&self.label), Predicted::Sensitive(0)]) {
                let found = block_on(right(&released, predicted, training.clone(), &test, &progress));
                let [original, recoded] = found.map_err(|failure| failure.to_string())?;
                *sum = [sum[0] + original, sum[1] + recoded];
            }
        }
        Ok(sum.map(|[original, recoded]| recoded / original))
    }

    /// Every class meets (τ,ℓ), by Definitions 2 to 4 from the cells.
    fn check(&self, release: &Release, asked: &Asked) {
        let tree = &self.sensitive[0].tree;
        let codes = &self.table.columns[self.sensitive[0].column];
        let occurs = |leaf: NodeId| {
            let counts = self.sensitive[0].leaf_of_code.iter().zip(&codes.counts);
            counts.filter(|&(&other, _)| other == leaf).any(|(_, &count)| count > 0)
        };
        let occurring: Vec<NodeId> = tree.leaves().iter().copied().filter(|&leaf| occurs(leaf)).collect();
        let shown = self.released(release).sensitive_nodes(0);
        let mut classes: BTreeMap<Vec<NodeId>, Vec<NodeId>> = BTreeMap::new();
        for (row, &class) in release.class_of_row.iter().enumerate() {
            assert_ne!(class, SUPPRESSED);
            let nodes = release.quasi.iter().map(|nodes| nodes[class as usize]).collect();
            classes.entry(nodes).or_default().push(shown[row]);
        }
        for rows in classes.values() {
            let mut frequencies: BTreeMap<NodeId, f64> = BTreeMap::new();
            for &node in rows {
                let covered: Vec<NodeId> = occurring.iter().copied().filter(|&leaf| tree.covers(node, leaf)).collect();
                for &leaf in &covered {
                    *frequencies.entry(leaf).or_default() += 1.0 / (covered.len() * rows.len()) as f64;
                }
            }
            let mut falling: Vec<f64> = frequencies.into_values().collect();
            falling.sort_by(|one, other| other.total_cmp(one));
            let mut sum = 0.0;
            for (before, frequency) in (0..asked.l - 1).zip(falling) {
                sum += frequency;
                let limit = asked.tau + (1.0 - asked.tau) * f64::from(before) / f64::from(asked.l - 1);
                assert!(sum <= limit + 1e-9, "{}: {sum} is more than {limit}", self.name);
            }
        }
    }

    pub fn points(&self) -> Result<Vec<Point>, String> {
        let point = |&(tau, l): &(f64, u32)| {
            let asked = Asked { attribute: 0, tau, l, weights: None };
            let mut point = Point { tau, l, made: [None; RUNS.len()], seconds: [f64::NAN; RUNS.len()] };
            for run in 0..RUNS.len() {
                if let Some(release) = self.run(run, &asked, peers::Until::Best)? {
                    let trees = self.trees(run, &asked)?;
                    point.made[run] = Some(Made { trees, ..self.measure(&release, &asked) });
                }
            }
            // In turn, so that what else the machine does meets all alike.
            let mut seconds: [Vec<f64>; RUNS.len()] = Default::default();
            for nth in 0..TIMES {
                // What takes long, once.
                let again = |run: usize| nth == 0 || run == LINE || run < 2;
                for run in (0..RUNS.len()).filter(|&run| point.made[run].is_some() && again(run)) {
                    seconds[run].push(least_seconds(1, || self.run(run, &asked, peers::Until::First).is_ok()));
                }
            }
            for (seconds, all) in point.seconds.iter_mut().zip(&mut seconds) {
                all.sort_by(f64::total_cmp);
                *seconds = all.get(all.len() / 2).copied().unwrap_or(f64::NAN);
            }
            Ok(point)
        };
        self.grid.iter().map(point).collect()
    }
}

pub fn figures() -> Result<(), String> {
    let cases = cases()?;
    let points = cases.iter().map(Case::points).collect::<Result<Vec<_>, String>>()?;
    sheets(&cases, &points)
}
