//! The sequential sweep: against Figure 4 written out row by row, on random tables, hierarchies and limits; every release
//! is checked by the verifier and by the definitions.
//!
//! `THRONG_CASES=20000 cargo test --release --test sweep` tries more.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "sweep/by_hand.rs"]
mod by_hand;
#[path = "sweep/cases.rs"]
mod cases;
#[path = "sweep/naive.rs"]
mod naive;
mod support;

use cases::{Case, Dice, Kind, random_case};
use naive::Shown;
use throng::algorithms::local::Outcome;
use throng::algorithms::sweep::{Refinement, Settings};
use throng::hierarchy::NodeId;
use throng::release::Release;

const PLAIN: Kind = Kind { rows: 24, limits: false, sensitive_limits: false, anything: false };

fn cases(usual: u32) -> u32 {
    std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn refined() -> Settings {
    Settings { refine: Refinement::Thorough, ..Settings::default() }
}

fn quickly_refined() -> Settings {
    Settings { refine: Refinement::Quick, ..Settings::default() }
}

/// What rows show: the quasi-identifiers of each, and of each such class the sensitive values in order.
fn shown(case: &Case, release: &Release) -> Shown {
    let row = |row: usize| {
        let class = release.class_of_row[row] as usize;
        (release.quasi.iter().map(|nodes| nodes[class]).collect(), case.value(release, 0, row))
    };
    (0..case.table.rows).map(row).collect()
}

/// The same with the sensitive values of each class in ascending order: which rows of the last class show which is open.
fn in_order(mut shown: Shown) -> Shown {
    let classes: Vec<Vec<NodeId>> = shown.iter().map(|(class, _)| class.clone()).collect();
    for class in &classes {
        let mut values: Vec<NodeId> =
            shown.iter().filter(|(other, _)| other == class).map(|&(_, value)| value).collect();
        values.sort_unstable();
        let mut values = values.into_iter();
        for row in shown.iter_mut().filter(|(other, _)| other == class) {
            row.1 = values.next().unwrap();
        }
    }
    shown
}

/// The same without saying which of equal rows is which: the classes of all rows by their cells, and what classes show.
#[expect(clippy::type_complexity)]
fn by_cells(case: &Case, shown: &Shown) -> (Vec<(Vec<u32>, Vec<NodeId>)>, Shown) {
    let cells = |row: usize| case.table.columns.iter().map(|column| column.codes[row]).collect();
    let mut rows: Vec<_> = shown.iter().enumerate().map(|(row, (class, _))| (cells(row), class.clone())).collect();
    rows.sort_unstable();
    let mut values = shown.clone();
    values.sort_unstable();
    (rows, values)
}

/// Figure 4 in each set of limits, and whether a choice was open.
fn figure_4(case: &Case, dice: Option<Dice>) -> Option<(Shown, bool)> {
    let mut open = false;
    let mut all: Shown = vec![(Vec::new(), 0); case.table.rows];
    for rows in case.regions() {
        let naive = case.naive(&rows);
        let shown = naive.figure_4(dice.clone())?;
        open |= naive.open.get();
        rows.into_iter().zip(shown).for_each(|(row, shown)| all[row] = shown);
    }
    Some((in_order(all), open))
}

fn um_of(case: &Case, shown: &Shown) -> f64 {
    let leaves = |tree: &throng::hierarchy::Hierarchy, node: NodeId| tree.leaf_count(node) as f64;
    let row = |(nodes, value): &(Vec<NodeId>, NodeId)| {
        let quasi = case.checked.quasi.iter().zip(nodes).map(|(quasi, &node)| 1.0 / leaves(&quasi.tree, node));
        quasi.sum::<f64>() + 1.0 / leaves(&case.checked.sensitive[0].tree, *value)
    };
    shown.iter().map(row).sum::<f64>() / (shown.len() * (case.checked.quasi.len() + 1)) as f64
}

/// The release of Figure 4, where the choices that the paper leaves open are made as documented; and so the same as any
/// choices make where they make no difference.
#[test]
fn it_is_figure_4() {
    let mut dice = Dice(1);
    let (mut releases, mut determined, mut generalized, mut better) = (0, 0, 0, 0);
    let (mut ums, mut their_ums) = (0.0, 0.0);
    for round in 0..cases(1500) {
        let case = random_case(&mut dice, Kind { limits: round % 3 == 0, ..PLAIN });
        let expected = figure_4(&case, None);
        let swept = case.sweep(&Settings::default());
        let Outcome::Release(release) = swept.outcome else {
            assert_eq!(expected, None, "{:?}", swept.outcome);
            continue;
        };
        releases += 1;
        generalized += u32::from(release.sensitive[0].is_some());
        assert!(!swept.thinned);
        let found = in_order(shown(&case, &release));
        let (expected, open) = expected.expect("a release");
        assert_eq!(found, expected, "{:?}", case.policy);
        let um = case.um(&release);
        assert!((um - um_of(&case, &found)).abs() < 1e-9);
        // Any other choices.
        let others: Vec<Shown> = (0..3).filter_map(|seed| Some(figure_4(&case, Some(Dice(seed)))?.0)).collect();
        if !open {
            determined += 1;
            assert!(others.len() == 3 && others.iter().all(|other| by_cells(&case, other) == by_cells(&case, &found)));
        }
        let Outcome::Release(best) = case.sweep(&refined()).outcome else { panic!("refining lost the release") };
        for other in others {
            better += 1;
            (ums, their_ums) = (ums + case.um(&best), their_ums + um_of(&case, &other));
        }
    }
    println!("{releases} releases, {determined} determined, {generalized} generalize; um {ums} to {their_ums}");
    assert!(releases > 1000 && determined > 200 && generalized > 200 && better > 1000);
    assert!(ums > their_ums);
}

/// Whatever is asked: what comes out is verified, the same each time, and refining never lowers um.
#[test]
fn every_release_is_verified() {
    let mut dice = Dice(2);
    let (mut releases, mut impossible, mut not_found, mut raised, mut quickly) = (0, 0, 0, 0, 0);
    for round in 0..cases(3000) {
        let kind = Kind { rows: 30, limits: round % 2 == 0, sensitive_limits: round % 3 == 0, anything: true };
        let case = random_case(&mut dice, kind);
        let plain = case.sweep(&Settings::default());
        assert_eq!(plain, case.sweep(&Settings::default()), "not deterministic");
        let refined = case.sweep(&refined());
        let quick = case.sweep(&quickly_refined());
        match (plain.outcome, quick.outcome, refined.outcome) {
            (Outcome::Release(plain), Outcome::Release(quick), Outcome::Release(refined)) => {
                let [plain, quick, refined] = [plain, quick, refined].map(|release| case.um(&release));
                assert!(refined > plain - 1e-9, "um fell from {plain} to {refined}");
                assert!(quick > plain - 1e-9, "um fell from {plain} to {quick}");
                raised += u32::from(refined > plain + 1e-9);
                quickly += u32::from(quick > plain + 1e-9);
                releases += 1;
            }
            (Outcome::Impossible(_), Outcome::Impossible(_), Outcome::Impossible(_)) => impossible += 1,
            (Outcome::NotFound(_), Outcome::NotFound(_), Outcome::NotFound(_)) => not_found += 1,
            other => panic!("{other:?}"),
        }
    }
    println!("{releases} releases, {raised} raised, {quickly} quickly, {impossible} impossible, {not_found} not found");
    assert!(releases > 1000 && raised > 500 && quickly > 200 && impossible > 100 && not_found > 50);
}

/// All ways to show the rows' sensitive values: whether some way makes all rows of the same limits meet (τ,ℓ).
fn some_way(case: &Case, rows: &[usize]) -> bool {
    let naive = case.naive(rows);
    let ways: Vec<Vec<NodeId>> = naive
        .values
        .iter()
        .map(|&value| std::iter::successors(Some(value), |&node| naive.up[node as usize]).collect())
        .collect();
    let mut at = vec![0; rows.len()];
    loop {
        let shown: Vec<NodeId> = ways.iter().zip(&at).map(|(way, &step)| way[step]).collect();
        if naive.holds(&shown) {
            return true;
        }
        let Some(row) = (0..at.len()).find(|&row| at[row] + 1 < ways[row].len()) else { return false };
        at[..row].fill(0);
        at[row] += 1;
    }
}

/// The same with unequal weights.
fn weighted(case: &Case, dice: &mut Dice) -> Case {
    let mut policy = case.policy.clone();
    let column = &case.table.columns[case.checked.sensitive[0].column];
    for value in column.dictionary.iter() {
        policy["privacy"][0]["weights"][value] = (1 + dice.below(4)).into();
    }
    Case::new(case.table.clone(), policy)
}

/// What is said to be impossible is: no way to generalize makes the rows hold as one class, and merging keeps (τ,ℓ).
#[test]
fn impossible_is_impossible() {
    let mut dice = Dice(3);
    let (mut impossible, mut missed, mut releases, mut proved, mut unproved) = (0, 0, 0, 0, 0);
    for round in 0..cases(1500) {
        let kind = Kind { rows: 6, limits: round % 2 == 0, sensitive_limits: round % 2 == 1, anything: false };
        let mut case = random_case(&mut dice, kind);
        let is_weighted = round % 3 == 0;
        if is_weighted {
            case = weighted(&case, &mut dice);
        }
        let can_be_met = |case: &Case| case.regions().iter().all(|rows| some_way(case, rows));
        let feasible = can_be_met(&case);
        let swept = case.sweep(&Settings::default());
        match swept.outcome {
            Outcome::Release(_) => {
                assert!(feasible);
                releases += 1;
            }
            Outcome::Impossible(why) => {
                assert!(!feasible && why.starts_with("Even with"), "{why}");
                impossible += 1;
            }
            Outcome::NotFound(why) => {
                assert!(why.starts_with("No way was found"), "{why}");
                missed += u32::from(feasible);
            }
        }
        let Some(nearest) = swept.nearest else { continue };
        let asked = case.asked();
        assert!(nearest.tau > asked.tau && nearest.l.is_none_or(|l| l < asked.l));
        // What is nearest can be had, and nothing nearer is; where that is said to be proved, by no way at all.
        let plain = !kind.sensitive_limits && !is_weighted;
        let proof = nearest.proved;
        assert!(proof || !plain);
        (proved, unproved) = (proved + u32::from(proof && !plain), unproved + u32::from(!proof));
        assert!(!proof || !can_be_met(&case.asking(nearest.tau - 1e-3, asked.l)), "{nearest:?}");
        assert!(!proof || !can_be_met(&case.asking(asked.tau, nearest.l.unwrap_or(1) + 1)), "{nearest:?}");
        let found =
            |tau: f64, l: u32| matches!(case.asking(tau, l).sweep(&Settings::default()).outcome, Outcome::Release(_));
        assert!(found(nearest.tau, asked.l) && !found(nearest.tau - 1e-3, asked.l), "{nearest:?}");
        match nearest.l {
            Some(l) => assert!(found(asked.tau, l) && !found(asked.tau, l + 1), "{nearest:?}"),
            None => assert!(!found(asked.tau, 2)),
        }
    }
    println!(
        "{releases} releases, {impossible} impossible, {missed} missed; nearest proved {proved}, unproved {unproved}"
    );
    assert!(impossible > 100 && releases > 300 && missed * 50 < releases && proved > 100 && unproved > 10);
}
