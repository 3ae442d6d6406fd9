//! What follows from constraints, held against the enumeration of small tables and of all releases of small tables.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use throng::constraints::exact::{Decision, Implication, Reasoner, Witness};
use throng::constraints::program::Budget;
use throng::constraints::{Binder, Constraint, Target, World, axioms};
use throng::progress::{Progress, block_on};

use crate::support::Still;
use crate::{setup_of, table_of};

pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        u64::from(self.0.next_u32()) % bound
    }

    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

pub fn cases(usual: u64) -> u64 {
    std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

pub fn satisfiable(constraints: &[Constraint], world: &World) -> Decision {
    let which: Vec<usize> = (0..constraints.len()).collect();
    block_on(Reasoner::new(constraints, world, &Budget::default()).satisfiable(&which, &Progress::new(&Still))).unwrap()
}

pub fn implies(constraints: &[Constraint], wanted: &Constraint, world: &World) -> Implication {
    let which: Vec<usize> = (0..constraints.len()).collect();
    block_on(Reasoner::new(constraints, world, &Budget::default()).implies(&which, wanted, &Progress::new(&Still)))
        .unwrap()
}

/// A constraint on columns `A`, `B`, … with one-letter values.
fn random_constraint(columns: u64, values: u64, largest: u64, dice: &mut Dice) -> Constraint {
    let mut target: Vec<Target> = Vec::new();
    while target.is_empty() {
        for column in 0..columns as usize {
            if dice.percent(100 / columns + 15) {
                target.push(Target { column, value: format!("v{}", dice.below(values)) });
            }
        }
    }
    let least = if dice.percent(35) { 0 } else { dice.below(largest + 1) };
    let most = dice.percent(60).then(|| least + dice.below(3));
    Constraint { target, least, most }
}

/// All combinations of values; value `values` is one that no constraint names.
fn all_cells(columns: u64, values: u64) -> Vec<Vec<u64>> {
    let mut cells: Vec<Vec<u64>> = vec![Vec::new()];
    for _ in 0..columns {
        cells = cells.iter().flat_map(|cell| (0..=values).map(|value| [cell.as_slice(), &[value]].concat())).collect();
    }
    cells
}

fn holds_in(constraint: &Constraint, cell: &[u64]) -> bool {
    constraint.target.iter().all(|target| target.value == format!("v{}", cell[target.column]))
}

/// Whether rows can be put into the cells so that all constraints hold, each tuple of the first `quasi` columns is shown
/// by none or at least k rows, and there are as many rows as `rows` says: all ways are tried, up to the most rows.
fn exists(constraints: &[Constraint], cells: &[Vec<u64>], k: u64, quasi: usize, rows: (u64, u64)) -> bool {
    let holds: Vec<Vec<usize>> = cells
        .iter()
        .map(|cell| (0..constraints.len()).filter(|&place| holds_in(&constraints[place], cell)).collect())
        .collect();
    fn go(
        at: usize,
        left: u64,
        counts: &mut Vec<u64>,
        given: &mut Vec<u64>,
        all: (&[Constraint], &[Vec<u64>], &[Vec<usize>]),
        demand: (u64, usize, (u64, u64)),
    ) -> bool {
        let (constraints, cells, holds) = all;
        let (k, quasi, rows) = demand;
        if at == cells.len() {
            let mut classes: BTreeMap<&[u64], u64> = BTreeMap::new();
            for (cell, given) in cells.iter().zip(given.iter()) {
                *classes.entry(&cell[..quasi]).or_default() += given;
            }
            return constraints.iter().zip(counts.iter()).all(|(constraint, &count)| constraint.holds(count))
                && classes.values().all(|&size| size == 0 || size >= k)
                && rows.1 - left >= rows.0;
        }
        for here in 0..=left {
            let too_many = |&place: &usize| constraints[place].most.is_some_and(|most| counts[place] + here > most);
            if holds[at].iter().any(too_many) {
                break;
            }
            holds[at].iter().for_each(|&place| counts[place] += here);
            given[at] = here;
            let found = go(at + 1, left - here, counts, given, all, demand);
            holds[at].iter().for_each(|&place| counts[place] -= here);
            given[at] = 0;
            if found {
                return true;
            }
        }
        false
    }
    let (mut counts, mut given) = (vec![0; constraints.len()], vec![0; cells.len()]);
    go(0, rows.1, &mut counts, &mut given, (constraints, cells, &holds), (k, quasi, rows))
}

/// A witness is a table that satisfies the constraints, in classes of k rows.
fn check_witness(witness: &Witness, constraints: &[Constraint], k: u64, quasi: usize) {
    let mut classes: BTreeMap<Vec<&Target>, u64> = BTreeMap::new();
    for (shown, rows) in witness {
        *classes.entry(shown.iter().filter(|target| target.column < quasi).collect()).or_default() += rows;
    }
    assert!(classes.values().all(|&size| size >= k), "{witness:?}");
    for constraint in constraints {
        let shows = |(shown, _): &&(Vec<Target>, u64)| constraint.target.iter().all(|target| shown.contains(target));
        let count = witness.iter().filter(shows).map(|(_, rows)| rows).sum();
        assert!(constraint.holds(count), "{constraint:?} has {count}: {witness:?}");
    }
}

/// What must be undecided of no small case.
fn decided(decision: Decision, constraints: &[Constraint], k: u64, quasi: usize) -> bool {
    match decision {
        Decision::Yes(witness) => {
            check_witness(&witness, constraints, k, quasi);
            true
        }
        Decision::No(_) => false,
        Decision::Undecided => panic!("{constraints:?}"),
    }
}

#[test]
fn the_exact_decision_agrees_with_enumeration() {
    let (mut yes, mut no, mut implied, mut not) = (0, 0, 0, 0);
    for seed in 0..cases(4_000) {
        let mut dice = Dice::new(seed);
        let (columns, values) = if dice.percent(80) { (2, 2) } else { (3, 1) };
        let cells = all_cells(columns, values);
        let constraints: Vec<Constraint> =
            (0..1 + dice.below(5)).map(|_| random_constraint(columns, values, 2, &mut dice)).collect();
        let world = World::default();
        // Of rows that no lower bound needs, none is needed: they only count against upper bounds.
        let enough = |constraints: &[Constraint]| constraints.iter().map(|constraint| constraint.least).sum::<u64>();
        let expected = exists(&constraints, &cells, 1, 0, (0, enough(&constraints)));
        assert_eq!(
            decided(satisfiable(&constraints, &world), &constraints, 1, 0),
            expected,
            "seed {seed}: {constraints:?}"
        );
        yes += u64::from(expected);
        no += u64::from(!expected);
        if enough(&constraints) > 4 {
            continue;
        }
        let wanted = random_constraint(columns, values, 2, &mut dice);
        let broken = |least, most| Constraint { target: wanted.target.clone(), least, most };
        let ways = [
            (wanted.least > 0).then(|| broken(0, Some(wanted.least - 1))),
            wanted.most.map(|most| broken(most + 1, None)),
        ];
        let counterexample = ways.into_iter().flatten().any(|broken| {
            let all = [constraints.as_slice(), &[broken]].concat();
            exists(&all, &cells, 1, 0, (0, enough(&all)))
        });
        match implies(&constraints, &wanted, &world) {
            Implication::Implied => assert!(!counterexample, "seed {seed}: {constraints:?} {wanted:?}"),
            Implication::Counterexample(witness) => {
                assert!(counterexample, "seed {seed}: {constraints:?} {wanted:?}");
                check_witness(&witness, &constraints, 1, 0);
            }
            Implication::Undecided => panic!("seed {seed}"),
        }
        implied += u64::from(!counterexample);
        not += u64::from(counterexample);
    }
    println!("satisfiable {yes}, not {no}; implied {implied}, not {not}");
    assert!(yes * 10 > no && no * 10 > yes && implied * 20 > not && not * 20 > implied);
}

#[test]
fn with_classes_of_k_rows_too() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..cases(3_000) {
        let mut dice = Dice::new(seed + (1 << 33));
        let k = 2 + dice.below(2);
        // The second column may be one that differs within classes.
        let quasi = if dice.percent(60) { 2 } else { 1 };
        let constraints: Vec<Constraint> =
            (0..1 + dice.below(3)).map(|_| random_constraint(2, 2, 3, &mut dice)).collect();
        let least: u64 = constraints.iter().map(|constraint| constraint.least).sum();
        // What no lower bound needs goes; of what is left every row or class is needed by one of the lower bounds.
        let enough = least + least.min(3) * (k - 1);
        if enough > 8 {
            continue;
        }
        let world = World { k, quasi: vec![true, quasi == 2], ..World::default() };
        let expected = exists(&constraints, &all_cells(2, 2), k, quasi, (0, enough));
        let found = decided(satisfiable(&constraints, &world), &constraints, k, quasi);
        assert_eq!(found, expected, "seed {seed}: k = {k}, {quasi} quasi: {constraints:?}");
        yes += u64::from(expected);
        no += u64::from(!expected);
    }
    println!("satisfiable {yes}, not {no}");
    assert!(yes > 100 && no > 100);
}

#[test]
fn with_a_number_of_rows_too() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..cases(3_000) {
        let mut dice = Dice::new(seed + (1 << 34));
        let k = 1 + dice.below(3);
        let quasi = if dice.percent(60) { 2 } else { 1 };
        let constraints: Vec<Constraint> =
            (0..1 + dice.below(4)).map(|_| random_constraint(2, 2, 4, &mut dice)).collect();
        let most = 1 + dice.below(6);
        let rows = (most - dice.below(most.min(2) + 1), most);
        let world = World { k, quasi: vec![true, quasi == 2], rows: Some(rows), ..World::default() };
        let expected = exists(&constraints, &all_cells(2, 2), k, quasi, rows);
        let found = decided(satisfiable(&constraints, &world), &constraints, k, quasi);
        assert_eq!(found, expected, "seed {seed}: k = {k}, {quasi} quasi, {rows:?} rows: {constraints:?}");
        yes += u64::from(expected);
        no += u64::from(!expected);
    }
    println!("satisfiable {yes}, not {no}");
    assert!(yes > 100 && no > 100);
}

/// All releases of a table of two quasi-identifiers, a sensitive and an insensitive column are tried.
#[test]
fn with_the_rows_of_a_table_too() {
    let (mut yes, mut no, mut weak) = (0, 0, 0);
    for seed in 0..cases(1_500) {
        let mut dice = Dice::new(seed + (1 << 35));
        let rows: Vec<[String; 4]> = (0..2 + dice.below(4))
            .map(|_| {
                [
                    format!("a{}", dice.below(3)),
                    format!("b{}", dice.below(2)),
                    format!("s{}", dice.below(2)),
                    "i".into(),
                ]
            })
            .collect();
        let csv = rows.iter().fold("a,b,s,i".to_owned(), |csv, row| csv + "\n" + &row.join(","));
        let (limited, hierarchy) = (dice.percent(25), dice.percent(50));
        let tree = r#", "hierarchy": {"rows": [["a0","a01","*"],["a1","a01","*"],["a2","a2+","*"]]}"#;
        let limits = if hierarchy && limited { r#", "limits": ["a01"]"# } else { "" };
        let suppressed = dice.below(2) as usize;
        let policy = format!(
            r#"{{"throng": 1, "columns": {{"a": {{"role": "quasi"{}{limits}}}, "b": {{"role": "quasi"}}, "s": {{"role": "sensitive"}},
                "i": {{"role": "insensitive"}}}}, "suppression_limit": {}}}"#,
            if hierarchy { tree } else { "" },
            (suppressed as f64 + 0.01) / rows.len() as f64
        );
        let (table, k) = (table_of(&csv), 1 + dice.below(3));
        let setup = setup_of(&policy, &table);
        let binder = Binder::new(&setup, &table);
        let labels = |column: usize, value: &str| -> Vec<String> {
            let above: &[&str] = match (column, value) {
                (0, "a0" | "a1") if hierarchy && limited => &["a01"],
                (0, "a0" | "a1") if hierarchy => &["a01", "*"],
                (0, _) if hierarchy => &["a2+", "*"],
                (0 | 1, _) => &["*"],
                _ => &[],
            };
            std::iter::once(value).chain(above.iter().copied()).map(str::to_owned).collect()
        };
        let constraints: Vec<Constraint> = (0..1 + dice.below(3))
            .map(|_| {
                let row = &rows[dice.below(rows.len() as u64) as usize];
                let mut target: Vec<Target> = Vec::new();
                while target.is_empty() {
                    for (column, cell) in row[..3].iter().enumerate() {
                        let labels = labels(column, cell);
                        let value = labels[dice.below(labels.len() as u64) as usize].clone();
                        if dice.percent(45) && (value != "*" || dice.percent(30)) {
                            target.push(Target { column, value });
                        }
                    }
                }
                let least = dice.below(4);
                Constraint { target, least, most: dice.percent(50).then(|| least + dice.below(2)) }
            })
            .collect();
        // What every row can show, or nothing at all.
        let options: Vec<Vec<Option<[String; 3]>>> = rows
            .iter()
            .map(|row| {
                let mut options = vec![None];
                for a in labels(0, &row[0]) {
                    for b in labels(1, &row[1]) {
                        options.push(Some([a.clone(), b, row[2].clone()]));
                    }
                }
                options
            })
            .collect();
        let mut release: Vec<Option<[String; 3]>> = Vec::new();
        let expected = some_release(&options, &mut release, &constraints, k, suppressed);
        let world = World::of_table(&binder, &constraints, k).unwrap().unwrap();
        let star_named = constraints.iter().flat_map(|constraint| &constraint.target).any(|target| target.value == "*");
        let which: Vec<usize> = (0..constraints.len()).collect();
        let budget = Budget::default();
        let reasoner = Reasoner::new(&constraints, &world, &budget);
        match block_on(reasoner.satisfiable(&which, &Progress::new(&Still))).unwrap() {
            Decision::No(_) => assert!(!expected, "seed {seed}: k = {k}: {constraints:?}\n{csv}\n{policy}"),
            Decision::Yes(_) if expected => yes += 1,
            // Without limits, and with `*` for anything else, every answer is sharp.
            Decision::Yes(_) if limited && hierarchy || star_named => weak += 1,
            other => panic!("seed {seed}: k = {k}: {constraints:?} {other:?}\n{csv}\n{policy}"),
        }
        no += u64::from(!expected);
    }
    println!("possible {yes}, impossible {no}, of those not seen {weak}");
    assert!(yes > 100 && no > 100 && weak * 20 < no);
}

fn some_release(
    options: &[Vec<Option<[String; 3]>>],
    release: &mut Vec<Option<[String; 3]>>,
    constraints: &[Constraint],
    k: u64,
    suppressed: usize,
) -> bool {
    if release.len() < options.len() {
        let gone = release.iter().filter(|row| row.is_none()).count();
        return options[release.len()].iter().any(|option| {
            if option.is_none() && gone == suppressed {
                return false;
            }
            release.push(option.clone());
            let found = some_release(options, release, constraints, k, suppressed);
            release.pop();
            found
        });
    }
    let shown = || release.iter().flatten();
    let mut classes: BTreeMap<&[String], u64> = BTreeMap::new();
    shown().for_each(|row| *classes.entry(&row[..2]).or_default() += 1);
    let holds = |constraint: &Constraint| {
        let shows = |row: &&[String; 3]| constraint.target.iter().all(|target| row[target.column] == target.value);
        constraint.holds(shown().filter(shows).count() as u64)
    };
    classes.values().all(|&size| size >= k) && constraints.iter().all(holds)
}

#[test]
fn the_axioms_never_contradict_the_exact_decision() {
    let (mut by_axioms, mut exact_only, mut contradictions, mut missed) = (0, 0, 0, 0);
    for seed in 0..cases(4_000) {
        let mut dice = Dice::new(seed + (1 << 36));
        let (columns, values) = (1 + dice.below(4), 1 + dice.below(3));
        let mut constraints: Vec<Constraint> =
            (0..1 + dice.below(7)).map(|_| random_constraint(columns, values, 8, &mut dice)).collect();
        let mut wanted = random_constraint(columns, values, 8, &mut dice);
        // In random sets values of one column seldom add up: in a part of the cases they are made to.
        if dice.percent(20) {
            let target = |column, value: u64| Target { column, value: format!("v{value}") };
            let part = |value, dice: &mut Dice| Constraint {
                target: vec![target(0, 0), target(1, value)],
                least: 1 + dice.below(4),
                most: None,
            };
            constraints.truncate(2);
            constraints.extend([part(0, &mut dice), part(1, &mut dice)]);
            wanted = Constraint { target: vec![target(0, 0)], least: 1 + dice.below(8), most: None };
            if dice.percent(30) {
                constraints.push(Constraint { most: Some(dice.below(8)), least: 0, ..wanted.clone() });
            }
        }
        let world = World::default();
        let sat = decided(satisfiable(&constraints, &world), &constraints, 1, 0);
        match axioms::contradiction(&constraints) {
            Some((place, derivation)) => {
                assert!(!sat, "seed {seed}: {constraints:?}");
                // The derivation's premises alone contradict each other.
                let premises: Vec<Constraint> =
                    derivation.premises().iter().map(|&at| constraints[at].clone()).collect();
                assert!(
                    !decided(satisfiable(&premises, &world), &premises, 1, 0),
                    "seed {seed}: {place} {derivation:?}"
                );
                contradictions += 1;
            }
            None => missed += u64::from(!sat),
        }
        let exact = implies(&constraints, &wanted, &world);
        match axioms::implies(constraints.iter().enumerate(), &wanted) {
            Some(derivation) => {
                assert_eq!(exact, Implication::Implied, "seed {seed}: {constraints:?} {wanted:?} {derivation:?}");
                let premises: Vec<Constraint> =
                    derivation.premises().iter().map(|&at| constraints[at].clone()).collect();
                assert_eq!(implies(&premises, &wanted, &world), Implication::Implied, "seed {seed}: {derivation:?}");
                by_axioms += 1;
            }
            None => exact_only += u64::from(exact == Implication::Implied && sat),
        }
    }
    println!(
        "implied by axioms {by_axioms}, only exactly {exact_only}; contradictions by axioms {contradictions}, only exactly {missed}"
    );
    assert!(by_axioms > 100 && exact_only > 20 && contradictions > 100 && missed > 20);
}

#[test]
fn subsets_are_minimal() {
    let mut looked = 0;
    for seed in 0..cases(400) {
        let mut dice = Dice::new(seed + (1 << 37));
        let constraints: Vec<Constraint> = (0..6).map(|_| random_constraint(2, 2, 4, &mut dice)).collect();
        let (world, budget) = (World::default(), Budget::default());
        let reasoner = Reasoner::new(&constraints, &world, &budget);
        let progress = Progress::new(&Still);
        let all: Vec<usize> = (0..6).collect();
        let without = |places: &[usize], gone: usize| -> Vec<Constraint> {
            places.iter().filter(|&&place| place != gone).map(|&place| constraints[place].clone()).collect()
        };
        if satisfiable(&constraints, &world) == Decision::No(None)
            || matches!(satisfiable(&constraints, &world), Decision::No(_))
        {
            let (least, proved) = block_on(reasoner.contradiction(&all, &progress)).unwrap();
            assert!(proved);
            assert!(matches!(satisfiable(&without(&least, 9), &world), Decision::No(_)));
            for &gone in &least {
                assert!(matches!(satisfiable(&without(&least, gone), &world), Decision::Yes(_)), "seed {seed}");
            }
            looked += 1;
            continue;
        }
        let others: Vec<usize> = (1..6).collect();
        if implies(&constraints[1..], &constraints[0], &world) == Implication::Implied {
            let (least, proved) = block_on(reasoner.premises(&others, &constraints[0], &progress)).unwrap();
            assert!(proved);
            assert_eq!(implies(&without(&least, 9), &constraints[0], &world), Implication::Implied);
            for &gone in &least {
                assert_ne!(
                    implies(&without(&least, gone), &constraints[0], &world),
                    Implication::Implied,
                    "seed {seed}"
                );
            }
            looked += 1;
        }
    }
    assert!(looked > 100, "{looked}");
}
