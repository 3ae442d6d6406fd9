//! Tables of a hundred to some thousand rows, too large for exhaustive search: a release is found, and is one by the definitions.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use std::collections::BTreeMap;

use throng::algorithms::diva::{Settings, Strategy};
use throng::algorithms::local::{Measure, Mode, Outcome};
use throng::algorithms::refinement::Effort;
use throng::constraints::{Constraint, Target};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::Quasi;
use throng::release::{Release, SUPPRESSED};
use throng::table::Table;

use crate::case::{Case, Demand, Random, cases, column, run};

const STRATEGIES: [Strategy; 3] = [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut];

/// How many values each column has; low ones are frequent.
const VALUES: [u32; 5] = [2, 5, 7, 12, 9];

/// Columns whose values, or pairs of values, are constrained.
const ON: [&[usize]; 4] = [&[0], &[1], &[0, 1], &[2]];

fn table(random: &mut Random, rows: usize, values_of: &[u32]) -> Table {
    let values = |random: &mut Random, count: u32| -> Vec<String> {
        let drawn = |random: &mut Random| random.below(count).min(random.below(count)).min(random.below(count));
        (0..rows).map(|_| format!("v{}", drawn(random))).collect()
    };
    let columns =
        values_of.iter().enumerate().map(|(place, &count)| column(format!("q{place}"), &values(random, count)));
    Table { columns: columns.collect(), rows }
}

fn case(random: &mut Random, k: u32) -> Case {
    let rows = 1500 + random.below(3000) as usize;
    case_of(random, rows, &VALUES, k)
}

fn case_of(random: &mut Random, rows: usize, values: &[u32], k: u32) -> Case {
    let table = table(random, rows, values);
    let quasi = |place: usize| {
        let tree = Hierarchy::flat(table.columns[place].dictionary.iter());
        let leaf_of_code: Vec<u32> =
            table.columns[place].dictionary.iter().map(|text| tree.find(text).unwrap()).collect();
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column: place, tree, leaf_of_code, limit_of_code }
    };
    Case {
        quasi: (0..values.len()).map(quasi).collect(),
        table,
        sensitive: Vec::new(),
        demands: vec![Demand::K(k)],
        constraints: Vec::new(),
        suppressible: 0,
        seed: u64::from(random.below(1000)),
        measure: Measure::Stars,
        mode: Mode::Suppression,
    }
}

/// The values (or pairs of values) of some columns, and how many rows show each: of the table, or of a release of it.
fn counts(case: &Case, release: Option<&Release>) -> Vec<(Vec<Target>, u64)> {
    let text = |row: usize, column: usize| match release {
        None => case.table.columns[column].text(row),
        Some(release) => case.quasi[column].tree.label(release.quasi[column][release.class_of_row[row] as usize]),
    };
    let mut all = Vec::new();
    let kept = |row: usize| release.is_none_or(|release| release.class_of_row[row] != SUPPRESSED);
    for columns in ON {
        let mut counts: BTreeMap<Vec<Target>, u64> = BTreeMap::new();
        for row in (0..case.table.rows).filter(|&row| kept(row)) {
            let target = |&column: &usize| Target { column, value: text(row, column).to_owned() };
            *counts.entry(columns.iter().map(target).collect()).or_default() += 1;
        }
        all.extend(counts.into_iter().filter(|(target, _)| target.iter().all(|part| part.value != "*")));
    }
    all
}

/// Some of the targets, each with bounds.
fn constraints(
    random: &mut Random,
    targets: Vec<(Vec<Target>, u64)>,
    chance: u32,
    bounds: impl Fn(u64) -> (u64, u64),
) -> Vec<Constraint> {
    let chosen: Vec<(Vec<Target>, u64)> = targets.into_iter().filter(|_| random.percent(chance)).collect();
    let constraint = |(target, count): (Vec<Target>, u64)| {
        let (least, most) = bounds(count);
        Constraint { target, least, most: (most < u64::MAX).then_some(most) }
    };
    chosen.into_iter().map(constraint).collect()
}

fn solve(case: &Case, strategy: Strategy, refined: bool) -> Option<Release> {
    let refine = refined.then(Effort::default);
    match run(case, strategy, Settings { refine, ..Settings::default() }).outcome {
        Outcome::Release(release) => {
            case.verify(&release);
            Some(release)
        }
        Outcome::NotFound(_) => None,
        Outcome::Impossible(why) => panic!("there is a release, but: {why}"),
    }
}

/// Every value keeps its share, give or take a few rows: plain and refined, all strategies find a release.
#[test]
fn shares_are_kept() {
    let mut random = Random::new(7);
    for round in 0..cases(6) {
        let k = [3, 5, 10][round % 3];
        let mut case = case(&mut random, k);
        let share = |count: u64| (count * 90 / 100, (count * 94).div_ceil(100));
        let frequent = counts(&case, None).into_iter().filter(|&(_, count)| count >= 4 * u64::from(k)).collect();
        case.constraints = constraints(&mut random, frequent, 70, share);
        for strategy in STRATEGIES {
            assert!(solve(&case, strategy, round % 2 == 0).is_some(), "round {round}, {strategy:?}: none found");
        }
    }
}

/// Every count must be just what some release shows, so there is one: it is found nearly always.
#[test]
fn counts_of_a_release_are_met() {
    let mut random = Random::new(8);
    let (mut found, mut all) = (0, 0);
    for round in 0..cases(12) {
        let k = [3, 5, 10][round % 3];
        let mut case = case(&mut random, k);
        let shown = solve(&case, Strategy::MinChoice, false).expect("nothing is asked for");
        let exact = counts(&case, Some(&shown)).into_iter().filter(|&(_, count)| count > 0).collect();
        case.constraints = constraints(&mut random, exact, 70, |count| (count, count));
        all += 1;
        found += u32::from(solve(&case, STRATEGIES[round % 3], false).is_some());
    }
    println!("{found} of {all} found");
    assert!(found * 10 >= all * 9, "{found} of {all} found");
}

/// Every count must be just what some release of fewer rows shows: it is found nearly always, and mostly only because
/// rows may be suppressed.
#[test]
fn counts_of_a_release_without_some_rows_are_met() {
    let mut random = Random::new(9);
    let (mut found, mut needed, mut all) = (0, 0, 0);
    for round in 0..cases(200) {
        let k = [3, 5, 10][round % 3];
        let rows = 60 + random.below(140) as usize;
        let mut case = case_of(&mut random, rows, &[2, 3, 3], k);
        let mut shown = solve(&case, Strategy::MinChoice, false).expect("nothing is asked for");
        case.suppressible = 1 + u64::from(random.below(4));
        for _ in 0..case.suppressible {
            // A row whose class is larger than it must be.
            let sizes = |class: u32| shown.class_of_row.iter().filter(|&&other| other == class).count();
            let spare = |&row: &usize| {
                let class = shown.class_of_row[row];
                class != SUPPRESSED && sizes(class) > k as usize
            };
            let spare: Vec<usize> = (0..rows).filter(spare).collect();
            if !spare.is_empty() {
                shown.class_of_row[spare[random.below(spare.len() as u32) as usize]] = SUPPRESSED;
            }
        }
        let exact = counts(&case, Some(&shown)).into_iter().filter(|&(_, count)| count > 0).collect();
        case.constraints = constraints(&mut random, exact, 100, |count| (count, count));
        all += 1;
        found += u32::from(solve(&case, STRATEGIES[round % 3], false).is_some());
        case.suppressible = 0;
        let outcome = run(&case, STRATEGIES[round % 3], Settings::default()).outcome;
        needed += u32::from(!matches!(outcome, Outcome::Release(_)));
    }
    println!("{found} of {all} found, {needed} not without suppressing rows");
    assert!(found * 10 >= all * 9 && needed * 4 >= all, "{found} of {all} found, {needed} not without suppressing");
}

/// Bounds on values and pairs of values of all columns, around the counts of a release by sorting the rows: nearly all are
/// met, some of them only when colouring starts anew in other orders.
#[test]
fn bounds_that_some_other_release_keeps_are_met() {
    let mut random = Random::new(10);
    let (mut found, mut at_once, mut all) = (0, 0, 0);
    for round in 0..cases(14) {
        let k = [10, 25][round % 2];
        let case = case_of(&mut random, 300, &[3, 4, 3, 3, 5, 2, 3, 4], k);
        // Rows in the order of a column and then the others, cut into classes of k.
        let first = random.below(8) as usize;
        let texts = |row: usize| (0..8).map(move |place| ((place + first) % 8, row));
        let mut rows: Vec<usize> = (0..300).collect();
        rows.sort_by_key(|&row| {
            texts(row).map(|(column, row)| case.table.columns[column].text(row).to_owned()).collect::<Vec<_>>()
        });
        let mut shown: BTreeMap<Vec<Target>, u64> = BTreeMap::new();
        for class in rows.chunks_exact(k as usize) {
            let text = |column: usize, row: usize| case.table.columns[column].text(row);
            let agrees = |&column: &usize| class.iter().all(|&row| text(column, row) == text(column, class[0]));
            let values: Vec<Target> = (0..8)
                .filter(agrees)
                .map(|column| Target { column, value: text(column, class[0]).to_owned() })
                .collect();
            for (place, one) in values.iter().enumerate() {
                *shown.entry(vec![one.clone()]).or_default() += u64::from(k);
                for other in &values[place + 1..] {
                    *shown.entry(vec![one.clone(), other.clone()]).or_default() += u64::from(k);
                }
            }
        }
        let asked =
            constraints(&mut random, shown.into_iter().collect(), 12, |count| (count * 97 / 100, count * 11 / 10));
        let case = Case { constraints: asked, ..case };
        all += 1;
        found += u32::from(solve(&case, STRATEGIES[round % 3], false).is_some());
        let once = Settings { restarts: 0, refine: None, ..Settings::default() };
        at_once += u32::from(matches!(run(&case, STRATEGIES[round % 3], once).outcome, Outcome::Release(_)));
    }
    println!("{found} of {all} found, {at_once} at once");
    assert!(found * 10 >= all * 9 && found > at_once, "{found} of {all} found, {at_once} at once");
}
