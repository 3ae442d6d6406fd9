//! Cells of a sensitive column that are groups or unknown mean one thing: `docs/models.md`, statement by statement, against
//! every way to fill small classes in, written down naively. Each class is judged three times, by the verifier, by the models of the algorithms
//! and by the audit, which must say the same.
//!
//! `THRONG_CASES=20000 cargo test --release --test groups` tries more than the 600 random classes of each model.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use support::{Still, ask, file, open_files, text};
use throng::audit::Audit;
use throng::classes::{Classes, Keys};
use throng::engine::Engine;
use throng::failure::Failure;
use throng::io::csv_write::Written;
use throng::linkage::door::LinkQuestion;
use throng::policy::{PolicyFile, Setup};
use throng::privacy::check;
use throng::progress::{Progress, block_on};
use throng::protocol::{Request, Response};
use throng::report::Audience;
use throng::run::RunView;
use throng::table::{Column, DictionaryBuilder, Table};
use throng::verify::{Offence, Unverified, verify};

const TOKENS: [&str; 2] = ["?", "NA"];

/// Each value with its groups. “Other” is a value and a group.
const TREE: [&[&str]; 8] = [
    &["Flu", "Resp", "*"],
    &["Cough", "Resp", "*"],
    &["Asthma", "Resp", "*"],
    &["Ulcer", "Dig", "*"],
    &["Colic", "Dig", "*"],
    &["HIV", "*"],
    &["Other", "Other", "*"],
    &["Rash", "Other", "*"],
];

type Path = Vec<&'static str>;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// The cells of a sensitive column: the first few are one class of a release, the others were suppressed.
#[derive(Clone, Debug)]
struct World {
    cells: Vec<&'static str>,
    released: usize,
    unknown: bool,
}

fn class(cells: &[&'static str]) -> World {
    World { cells: cells.to_vec(), released: cells.len(), unknown: true }
}

fn random_world(random: &mut Random) -> World {
    let labels: Vec<&'static str> = TREE.iter().flat_map(|path| path.iter().copied()).chain(["*"]).collect();
    let values: Vec<&'static str> = TREE.iter().map(|path| path[0]).collect();
    let groups = random.below(10) < 7;
    let released = 1 + random.below(5);
    let rest = if random.below(2) == 0 { 0 } else { 1 + random.below(6) };
    let cells = (0..released + rest)
        .map(|_| match random.below(100) {
            0..12 => random.one_of(&TOKENS),
            12..50 if groups => random.one_of(&labels),
            _ => random.one_of(&values),
        })
        .collect();
    World { cells, released, unknown: random.below(2) == 0 }
}

impl World {
    fn is_missing(cell: &str) -> bool {
        TOKENS.contains(&cell)
    }

    /// The values that the column has, with what is above them; the missing one is among them unless it is unknown.
    fn paths(&self) -> Vec<Path> {
        let mut paths: Vec<Path> = TREE.iter().map(|path| path.to_vec()).collect();
        if !self.unknown && self.cells.iter().any(|cell| World::is_missing(cell)) {
            paths.push(vec!["(missing)", "*"]);
        }
        paths
    }

    /// The places of the values that a cell may be.
    fn possible(&self, cell: &str) -> Vec<usize> {
        let paths = self.paths();
        if World::is_missing(cell) {
            return if self.unknown { (0..paths.len()).collect() } else { vec![paths.len() - 1] };
        }
        // The highest node with the label is nearest to the end of a path.
        let ends = paths.iter().flat_map(|path| (0..path.len()).map(|from| path[from..].to_vec()));
        let node: Path = ends.filter(|end| end[0] == cell).min_by_key(Vec::len).unwrap();
        (0..paths.len()).filter(|&value| paths[value].ends_with(&node)).collect()
    }

    /// The fillings by values that the original has: only those have a place in order.
    fn is_of_original(&self, filling: &[usize]) -> bool {
        self.reference().is_none_or(|reference| filling.iter().all(|&value| reference[value] > 0.0))
    }

    fn fillings(&self) -> Option<Vec<Vec<usize>>> {
        let cells: Vec<Vec<usize>> = self.cells[..self.released].iter().map(|cell| self.possible(cell)).collect();
        if cells.iter().map(Vec::len).product::<usize>() > 4_000 {
            return None;
        }
        let mut fillings = vec![Vec::new()];
        for possible in cells {
            let with = |filling: &Vec<usize>| -> Vec<Vec<usize>> {
                possible.iter().map(|&value| [filling.as_slice(), &[value]].concat()).collect()
            };
            fillings = fillings.iter().flat_map(with).collect();
        }
        Some(fillings)
    }

    fn has_groups(&self) -> bool {
        self.cells[..self.released].iter().any(|cell| self.possible(cell).len() > 1)
    }

    /// Q: what is known of the original. `None` where nothing is.
    fn reference(&self) -> Option<Vec<f64>> {
        let paths = self.paths();
        let value = |cell: &&str| match World::is_missing(cell) {
            true if self.unknown => None,
            true => Some(paths.len() - 1),
            // A text that is a value is one in the original.
            false => paths.iter().position(|path| path[0] == *cell),
        };
        let known: Vec<usize> = self.cells.iter().filter_map(value).collect();
        (!known.is_empty()).then(|| shares(&known, paths.len()))
    }

    fn policy(&self, demands: &[Value]) -> Value {
        json!({
            "throng": 1, "privacy": demands, "suppression_limit": 1.0,
            "columns": {"q": {"role": "quasi"}, "s": {
                "role": "sensitive", "hierarchy": {"rows": TREE}, "missing": if self.unknown { "unknown" } else { "value" },
            }},
        })
    }

    /// What is achieved, where the class holds; nothing inside where it does not; the reason where it can't be asked.
    fn judged(&self, demand: &Value) -> Result<Option<f64>, Failure> {
        let (table, output) = (table(&self.cells), table(&self.cells[..self.released]));
        let policy = self.policy(std::slice::from_ref(demand));
        let setup = setup_of(&policy, &table)?;
        let row_of: Vec<u32> = (0..self.released as u32).collect();
        let verifier = match block_on(verify(&table, &setup, &output, &row_of, &Progress::new(&Still))) {
            Ok(verified) => Ok(Some(verified.requirements[0].achieved)),
            Err(Unverified::Offence(Offence::Class { .. })) => Ok(None),
            Err(Unverified::Stopped(failure)) => Err(failure),
            Err(other) => panic!("{other:?} {self:?}"),
        };
        let algorithms = setup.requirements_on(&table, &output).map(|(requirements, _)| {
            let column = &output.columns[1];
            let codes = column.class_codes();
            let keys = Keys { codes: &codes, size: column.dictionary.len() as u32 };
            let standing = check(&requirements[0], &Classes::one(output.rows), &[(1, keys)]);
            standing.holds.then_some(standing.achieved)
        });
        // What no policy may ask is refused before any run; the verifier, which asks nobody, finds that it does not hold.
        let verifier = match (verifier, &algorithms) {
            (Ok(None) | Err(_), Err(failure)) => Err(failure.clone()),
            (verifier, _) => verifier,
        };
        let context = || format!("{verifier:?} {algorithms:?} {self:?} {demand}");
        match (&verifier, &algorithms) {
            (Ok(Some(one)), Ok(Some(other))) => assert!(close(*one, *other), "{}", context()),
            (Ok(one), Ok(other)) => assert_eq!(one, other, "{}", context()),
            (one, other) => assert!(one.is_err() && other.is_err(), "{}", context()),
        }
        // The audit knows no original.
        if self.released == self.cells.len() {
            let demanded = audit(&csv(&self.cells), &policy).demands.remove(0).outcome;
            match (&verifier, demanded) {
                (Ok(one), Ok(standing)) => {
                    assert_eq!(one.is_some(), standing.holds, "{}", context());
                    assert!(one.is_none_or(|one| close(one, standing.achieved)), "{} {}", context(), standing.achieved);
                }
                (one, other) => assert_eq!(one.is_ok(), other.is_ok(), "{} {other:?}", context()),
            }
        }
        verifier
    }

    fn achieved(&self, demand: &Value) -> f64 {
        self.judged(demand).unwrap().unwrap_or(f64::NAN)
    }

    fn holds(&self, demand: &Value) -> bool {
        self.judged(demand).unwrap().is_some()
    }
}

fn csv(cells: &[&str]) -> String {
    let rows: String = cells.iter().map(|cell| format!("x,{cell}\n")).collect();
    format!("q,s\n{rows}")
}

fn table(cells: &[&str]) -> Table {
    let column = |name: &str, cells: &[&str]| {
        let mut builder = DictionaryBuilder::default();
        let codes = cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
        Column::new(name.to_owned(), builder.finish(), codes, &TOKENS.map(str::to_owned))
    };
    Table { columns: vec![column("q", &vec!["x"; cells.len()]), column("s", cells)], rows: cells.len() }
}

fn setup_of(policy: &Value, table: &Table) -> Result<Setup, Failure> {
    PolicyFile::parse(&policy.to_string())?.apply(table, &mut |_| unreachable!())
}

fn opened(csv: &str, policy: &Value) -> Result<Engine, Failure> {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())])?;
    Ok(engine)
}

fn audit(csv: &str, policy: &Value) -> Audit {
    match ask(&opened(csv, policy).unwrap(), Request::Audit, vec![]) {
        Ok(Response::Audit(audit)) => audit,
        other => panic!("{other:?}"),
    }
}

fn ran(engine: &Engine) -> Result<RunView, Failure> {
    match ask(engine, Request::Run, vec![])? {
        Response::Ran(view) => Ok(*view),
        other => panic!("{other:?}"),
    }
}

/// The released rows, each after the number of the input's row, from 1.
fn released(engine: &Engine) -> Vec<Vec<String>> {
    let Ok(Response::File(bytes)) = ask(engine, Request::Export { protected: false, row_numbers: true }, vec![]) else {
        panic!("no file")
    };
    let text = String::from_utf8(bytes).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() < 1e-9 * other.abs().max(1.0)
}

fn cases() -> u64 {
    std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(600)
}

// --- the models, of a class whose truth is known -----------------------------------------------

/// How often each value is there, the most frequent first.
fn counts(values: &[usize]) -> Vec<f64> {
    let mut of_value: BTreeMap<usize, f64> = BTreeMap::new();
    values.iter().for_each(|&value| *of_value.entry(value).or_default() += 1.0);
    let mut counts: Vec<f64> = of_value.into_values().collect();
    counts.sort_by(|one, other| other.total_cmp(one));
    counts
}

fn entropy_l(values: &[usize]) -> f64 {
    let rows = values.len() as f64;
    counts(values).iter().map(|count| -count / rows * (count / rows).ln()).sum::<f64>().exp()
}

/// What c must be above.
fn recursive_c(values: &[usize], l: usize) -> f64 {
    let counts = counts(values);
    let tail = counts.iter().skip(l - 1).fold(0.0, |sum, count| sum + count);
    counts[0] / tail
}

fn shares(values: &[usize], of: usize) -> Vec<f64> {
    (0..of).map(|value| values.iter().filter(|&&other| other == value).count() as f64 / values.len() as f64).collect()
}

fn equal_distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0
}

/// Texts in the order of the hierarchy, in which the missing value comes last.
fn ordered_distance(one: &[f64], other: &[f64]) -> f64 {
    let upto = |shares: &[f64], place: usize| shares[..=place].iter().sum::<f64>();
    let sum: f64 = (0..one.len()).map(|place| (upto(one, place) - upto(other, place)).abs()).sum();
    if one.len() < 2 { 0.0 } else { sum / (one.len() - 1) as f64 }
}

/// At every group, what its children have too much of meets what they have too little of, as far as the group is high.
fn hierarchical_distance(one: &[f64], other: &[f64], paths: &[Path]) -> f64 {
    let nodes: BTreeSet<Path> =
        paths.iter().flat_map(|path| (0..path.len()).map(|from| path[from..].to_vec())).collect();
    let extra = |node: &Path| -> f64 {
        (0..paths.len()).filter(|&value| paths[value].ends_with(node)).map(|value| one[value] - other[value]).sum()
    };
    let height = |node: &Path| {
        let below = paths.iter().filter(|path| path.ends_with(node));
        below.map(|path| path.len() - node.len()).max().unwrap() as f64
    };
    let highest = nodes.iter().map(height).fold(0.0, f64::max);
    let moved = |node: &Path| {
        let children = nodes.iter().filter(|child| child.len() == node.len() + 1 && child.ends_with(node));
        let extras: Vec<f64> = children.map(extra).collect();
        let more: f64 = extras.iter().filter(|extra| **extra > 0.0).sum();
        let less: f64 = -extras.iter().filter(|extra| **extra < 0.0).sum::<f64>();
        height(node) / highest * more.min(less)
    };
    nodes.iter().map(moved).sum()
}

/// Random classes under one demand: what is said of each is the worst of all fillings, or, of groups, no better where that
/// is all that is promised.
fn against_all_fillings(
    demand: &Value,
    more_is_better: bool,
    bound_only: bool,
    figure: &dyn Fn(&World, &[usize]) -> Option<f64>,
) {
    let (mut with_groups, mut without, mut above) = (0, 0, 0);
    for seed in 0..cases() {
        let world = random_world(&mut Random(seed * 31 + 7));
        let Some(mut fillings) = world.fillings() else { continue };
        if demand["distance"] == "ordered" {
            fillings.retain(|filling| world.is_of_original(filling));
            if fillings.is_empty() {
                // A group of which no value occurs.
                continue;
            }
        }
        let figures: Option<Vec<f64>> = fillings.iter().map(|filling| figure(&world, filling)).collect();
        let judged = world.judged(demand);
        let (Some(figures), Ok(achieved)) = (&figures, &judged) else {
            assert!(judged.is_err() || figures.is_some(), "{world:?}");
            continue;
        };
        let worst = if more_is_better {
            figures.iter().copied().fold(f64::INFINITY, f64::min)
        } else {
            figures.iter().copied().fold(0.0, f64::max)
        };
        let Some(achieved) = *achieved else {
            assert!(worst.is_infinite(), "seed {seed}: {worst} {world:?}");
            continue;
        };
        if bound_only && world.has_groups() {
            assert!(achieved >= worst - 1e-9 && achieved <= 1.0, "seed {seed}: {achieved} for {worst}: {world:?}");
            above += u64::from(achieved > worst + 1e-9);
        } else {
            assert!(close(achieved, worst), "seed {seed}: {achieved} for {worst}: {world:?}");
        }
        if world.has_groups() {
            with_groups += 1;
        } else {
            without += 1;
        }
    }
    println!("{with_groups} classes with groups ({above} of them with a bound above the worst), {without} without");
    assert!(with_groups > cases() / 8 && without > cases() / 8);
}

// --- one definition, statement by statement ----------------------------------------------------

#[test]
fn distinct_and_p_sensitive_count_the_values_that_there_are_at_least() {
    let distinct = json!({"model": "distinct-l-diversity", "attribute": "s", "l": 1});
    let sensitive = json!({"model": "p-sensitive", "attribute": "s", "p": 1});
    for (cells, values) in [
        (&["Resp", "Flu"][..], 1.0),
        (&["Flu", "*"], 1.0),
        (&["Resp", "Resp"], 1.0),
        (&["Resp", "Flu", "Cough"], 2.0),
        (&["Resp", "Dig"], 2.0),
        (&["Resp", "Dig", "*", "NA"], 2.0),
        (&["Resp", "Ulcer", "HIV"], 3.0),
        (&["Other", "Rash"], 1.0),
    ] {
        assert_eq!(class(cells).achieved(&distinct), values, "{cells:?}");
        assert_eq!(class(cells).achieved(&sensitive), values, "{cells:?}");
    }
    against_all_fillings(&distinct, true, false, &|_, values| Some(counts(values).len() as f64));
    against_all_fillings(&sensitive, true, false, &|_, values| Some(counts(values).len() as f64));
}

#[test]
fn a_class_of_a_group_and_a_value_in_it_is_not_two_diverse() {
    let rest = ["Ulcer", "HIV", "Flu", "Cough"];
    let world = World { cells: [&["Resp", "Flu"][..], &rest].concat(), released: 2, unknown: true };
    assert!(!world.holds(&json!({"model": "distinct-l-diversity", "attribute": "s", "l": 2})));
    assert!(!world.holds(&json!({"model": "p-sensitive", "attribute": "s", "p": 2})));
    assert!(!world.holds(&json!({"model": "entropy-l-diversity", "attribute": "s", "l": 1.01})));
    assert!(!world.holds(&json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 100, "l": 2})));
}

#[test]
fn entropy_is_that_of_the_worst_filling() {
    let demand = json!({"model": "entropy-l-diversity", "attribute": "s", "l": 1.0});
    against_all_fillings(&demand, true, false, &|_, values| Some(entropy_l(values)));
}

#[test]
fn recursive_is_that_of_the_worst_filling() {
    for l in [2, 3] {
        let demand = json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 1e6, "l": l});
        let figure = |_: &World, values: &[usize]| Some(recursive_c(values, l));
        let (mut met, mut missed) = (0, 0);
        for seed in 0..cases() {
            let world = random_world(&mut Random(seed * 31 + 7));
            let (Some(fillings), Ok(judged)) = (world.fillings(), world.judged(&demand)) else { continue };
            let worst = fillings.iter().filter_map(|filling| figure(&world, filling)).fold(0.0, f64::max);
            match judged {
                Some(achieved) => assert!(close(achieved, worst), "seed {seed}: {achieved} for {worst}: {world:?}"),
                None => assert!(worst.is_infinite(), "seed {seed}: {worst}: {world:?}"),
            }
            *(if judged.is_some() { &mut met } else { &mut missed }) += 1;
        }
        println!("ℓ = {l}: {met} classes that meet it for some c, {missed} that do not");
        assert!(met > cases() / 20 && missed > cases() / 20);
    }
}

/// A named value with three groups that may be it: 0.25 was reported where the truth may be 1.
#[test]
fn alpha_of_a_named_value_counts_every_group_that_covers_it() {
    let world = class(&["Flu", "Resp", "Resp", "*"]);
    let named = |values: &[&str]| json!({"model": "alpha-k", "attribute": "s", "alpha": 1, "values": values});
    assert_eq!(world.achieved(&named(&["Flu"])), 1.0);
    assert_eq!(world.achieved(&named(&["Ulcer"])), 0.25);
    assert_eq!(world.achieved(&named(&["Resp"])), 1.0);
    assert!(!world.holds(&json!({"model": "alpha-k", "attribute": "s", "alpha": 0.25, "values": ["Flu"]})));
    let labels = ["Flu", "Ulcer", "HIV", "Resp", "Dig", "Other", "Rash"];
    for named in [&labels[..1], &labels[1..3], &labels[3..4], &labels[4..6], &labels[6..]] {
        let demand = json!({"model": "alpha-k", "attribute": "s", "alpha": 1, "values": named});
        against_all_fillings(&demand, false, false, &|world, values| {
            let share = |label: &&str| {
                let under = world.possible(label);
                values.iter().filter(|value| under.contains(value)).count() as f64 / values.len() as f64
            };
            Some(named.iter().map(share).fold(0.0, f64::max))
        });
    }
}

#[test]
fn alpha_of_all_values_is_that_of_the_worst_filling() {
    let demand = json!({"model": "alpha-k", "attribute": "s", "alpha": 1});
    assert_eq!(class(&["Flu", "Resp", "Resp", "*"]).achieved(&demand), 1.0);
    assert_eq!(class(&["Flu", "Resp", "Cough", "Ulcer"]).achieved(&demand), 0.5);
    against_all_fillings(&demand, false, false, &|_, values| Some(counts(values)[0] / values.len() as f64));
}

#[test]
fn t_closeness_of_equal_distance_is_that_of_the_worst_filling() {
    let demand = json!({"model": "t-closeness", "attribute": "s", "t": 1, "distance": "equal"});
    against_all_fillings(&demand, false, false, &|world, values| {
        let reference = world.reference()?;
        Some(equal_distance(&shares(values, reference.len()), &reference))
    });
}

#[test]
fn t_closeness_in_order_is_no_better_than_any_filling_and_exact_without_groups() {
    let demand = json!({"model": "t-closeness", "attribute": "s", "t": 1, "distance": "ordered"});
    against_all_fillings(&demand, false, true, &|world, values| {
        let reference = world.reference()?;
        // Values that the original lacks have no place.
        let occurring: Vec<usize> = (0..reference.len()).filter(|&value| reference[value] > 0.0).collect();
        let shares = shares(values, reference.len());
        let of_occurring = |shares: &[f64]| occurring.iter().map(|&value| shares[value]).collect::<Vec<f64>>();
        Some(ordered_distance(&of_occurring(&shares), &of_occurring(&reference)))
    });
}

#[test]
fn t_closeness_on_the_hierarchy_is_no_better_than_any_filling_and_exact_without_groups() {
    let demand = json!({"model": "t-closeness", "attribute": "s", "t": 1, "distance": "hierarchical"});
    against_all_fillings(&demand, false, true, &|world, values| {
        let reference = world.reference()?;
        Some(hierarchical_distance(&shares(values, reference.len()), &reference, &world.paths()))
    });
}

/// What is surely there: a group does not count for a value that must not be rare.
#[test]
fn a_value_that_must_not_be_rare_counts_only_where_it_is_sure() {
    let demand = |c2: f64| json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 100, "l": 1, "no_negative": ["Flu"], "c2": c2});
    let world = class(&["Flu", "Resp", "Resp", "Ulcer"]);
    assert!(world.holds(&demand(25.0)) && !world.holds(&demand(26.0)));
    let whole_group = json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 100, "l": 1,
        "no_negative": ["Resp"], "c2": 75.0});
    assert!(world.holds(&whole_group));
}

#[test]
fn combinations_without_a_known_worst_case_are_refused_with_the_reason() {
    let entropy = json!({"model": "entropy-l-diversity", "attribute": "s", "l": 1.5, "dont_care": ["Flu"]});
    let recursive = json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 3, "l": 2, "dont_care": ["Flu"]});
    let cells = ["Flu", "Cough", "Ulcer", "HIV", "Flu", "Ulcer"];
    for demand in [entropy, recursive] {
        // Unknown cells.
        let with_missing = class(&[&cells[..], &["NA"]].concat());
        let refused = with_missing.judged(&demand).unwrap_err();
        assert!(refused.what.contains("dont_care") && refused.what.contains("no worst case is known"), "{refused}");
        assert!(refused.what.contains("unknown") && refused.next.contains("\"missing\": \"value\""), "{refused}");
        let as_value = World { unknown: false, ..with_missing };
        assert!(as_value.judged(&demand).is_ok());
        assert!(class(&cells).judged(&demand).is_ok(), "nothing is missing");
        // Cells that sweep may generalize.
        let mut policy = class(&cells)
            .policy(&[json!({"model": "tau-l-diversity", "attribute": "s", "tau": 0.9, "l": 2}), demand.clone()]);
        policy["algorithm"] = json!({"name": "sweep"});
        let refused = ran(&opened(&csv(&cells), &policy).unwrap()).unwrap_err();
        assert!(refused.what.contains("privacy[1].dont_care") && refused.what.contains("“sweep”"), "{refused}");
        assert!(refused.what.contains("no worst case is known"), "{refused}");
        // Groups that the table came with: the class does not hold, and the audit says why.
        let came = class(&[&cells[..], &["Resp"]].concat());
        assert!(!came.holds(&demand));
        let audit = audit(&csv(&came.cells), &came.policy(std::slice::from_ref(&demand)));
        let (_, why) = audit.demands[0].outcome.as_ref().unwrap().example.clone().unwrap();
        assert!(why.contains("groups") && why.contains("don't-care set"), "{why}");
    }
    // Nothing to compare with.
    let demand = json!({"model": "t-closeness", "attribute": "s", "t": 0.5});
    let refused = class(&["Resp", "*", "NA"]).judged(&demand).unwrap_err();
    assert!(refused.what.contains("known"), "{refused}");
    // An unknown cell is no value that can be named.
    let demand = json!({"model": "alpha-k", "attribute": "s", "alpha": 0.5, "values": ["NA"]});
    let refused = class(&["Flu", "NA"]).judged(&demand).unwrap_err();
    assert!(refused.what.contains("unknown and no value"), "{refused}");
}

// --- releases of sweep -------------------------------------------------------------------------

/// Whatever the second model is, a release of sweep meets it with the values behind its groups.
#[test]
fn releases_of_sweep_hold_on_the_values_behind() {
    let quasi = [["v0", "g", "*"], ["v1", "g", "*"], ["v2", "h", "*"], ["v3", "h", "*"]];
    type Holds = dyn Fn(&[usize], &[f64]) -> bool;
    let second: Vec<(Value, Box<Holds>)> = vec![
        (json!({"model": "distinct-l-diversity", "l": 3}), Box::new(|values, _| counts(values).len() >= 3)),
        (json!({"model": "p-sensitive", "p": 2}), Box::new(|values, _| counts(values).len() >= 2)),
        (json!({"model": "entropy-l-diversity", "l": 1.8}), Box::new(|values, _| entropy_l(values) >= 1.8 - 1e-6)),
        (
            json!({"model": "recursive-cl-diversity", "c": 3, "l": 2}),
            Box::new(|values, _| recursive_c(values, 2) < 3.0),
        ),
        (
            json!({"model": "alpha-k", "alpha": 0.6}),
            Box::new(|values, _| counts(values)[0] <= 0.6 * values.len() as f64 + 1e-6),
        ),
        (
            json!({"model": "alpha-k", "alpha": 0.5, "values": ["Flu", "HIV"]}),
            Box::new(|values, _| {
                let share =
                    |value: usize| values.iter().filter(|&&other| other == value).count() as f64 / values.len() as f64;
                share(0) <= 0.5 + 1e-6 && share(5) <= 0.5 + 1e-6
            }),
        ),
        (
            json!({"model": "t-closeness", "t": 0.35}),
            Box::new(|values, table| equal_distance(&shares(values, 8), table) <= 0.35 + 1e-6),
        ),
        (
            json!({"model": "t-closeness", "t": 0.3, "distance": "ordered"}),
            Box::new(|values, table| ordered_distance(&shares(values, 8), table) <= 0.3 + 1e-6),
        ),
        (
            json!({"model": "t-closeness", "t": 0.4, "distance": "hierarchical"}),
            Box::new(|values, table| {
                let paths: Vec<Path> = TREE.iter().map(|path| path.to_vec()).collect();
                hierarchical_distance(&shares(values, 8), table, &paths) <= 0.4 + 1e-6
            }),
        ),
    ];
    let (mut releases, mut with_groups) = (vec![0; second.len()], 0);
    for seed in 0..cases().min(2_000) / 2 {
        let mut random = Random(seed * 17 + 3);
        let rows = 12 + random.below(30);
        // Skewed: the first values are frequent.
        let value = |random: &mut Random| (0..3).map(|_| random.below(8)).min().unwrap();
        let table: Vec<(usize, usize, usize)> =
            (0..rows).map(|_| (random.below(4), random.below(4), value(&mut random))).collect();
        let lines: String = table.iter().map(|(a, b, s)| format!("v{a},v{b},{}\n", TREE[*s][0])).collect();
        let csv = format!("a,b,s\n{lines}");
        let all: Vec<usize> = table.iter().map(|row| row.2).collect();
        let whole = shares(&all, 8);
        for (place, (demand, holds)) in second.iter().enumerate() {
            let mut demand = demand.clone();
            demand["attribute"] = json!("s");
            let quasi = json!({"role": "quasi", "hierarchy": {"rows": quasi}});
            let tau = 0.4 + random.below(5) as f64 / 10.0;
            let policy = json!({
                "throng": 1, "algorithm": {"name": "sweep"}, "suppression_limit": 0.2,
                "columns": {"a": quasi, "b": quasi, "s": {"role": "sensitive", "hierarchy": {"rows": TREE}}},
                "privacy": [{"model": "tau-l-diversity", "attribute": "s", "tau": tau, "l": 2}, demand],
            });
            let Ok(engine) = opened(&csv, &policy) else { continue };
            if ran(&engine).is_err() {
                continue;
            }
            releases[place] += 1;
            let mut classes: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
            let mut generalized = false;
            for row in released(&engine) {
                let original = table[row[0].parse::<usize>().unwrap() - 1].2;
                generalized |= row[3] != TREE[original][0];
                classes.entry((row[1].clone(), row[2].clone())).or_default().push(original);
            }
            with_groups += u64::from(generalized);
            for values in classes.values() {
                assert!(holds(values, &whole), "seed {seed}: {demand}, {values:?} of {all:?}");
            }
        }
    }
    println!("{releases:?} releases, {with_groups} with groups");
    assert!(releases.iter().all(|&releases| releases >= 10) && with_groups >= 20, "{releases:?} {with_groups}");
}

/// The figures of a release with groups and unknown cells stand in four places.
#[test]
fn audit_report_class_card_and_verifier_give_the_same_figures() {
    let quasi = json!({"role": "quasi", "hierarchy": {"rows": [["v0", "g", "*"], ["v1", "g", "*"], ["v2", "h", "*"]]}});
    let mut looked = 0;
    for seed in 0..60 {
        let mut random = Random(seed + 11);
        let value = |random: &mut Random| match random.below(8) {
            0 => "NA",
            _ => TREE[random.below(8).min(random.below(8))][0],
        };
        let lines: String = (0..24).map(|_| format!("v{},{}\n", random.below(3), value(&mut random))).collect();
        let policy = json!({
            "throng": 1, "algorithm": {"name": "sweep"}, "suppression_limit": 0.2,
            "columns": {"a": quasi, "s": {"role": "sensitive", "missing": "unknown", "hierarchy": {"rows": TREE}}},
            "privacy": [{"model": "tau-l-diversity", "attribute": "s", "tau": 0.6, "l": 2},
                {"model": "distinct-l-diversity", "attribute": "s", "l": 2},
                {"model": "entropy-l-diversity", "attribute": "s", "l": 1.3},
                {"model": "alpha-k", "attribute": "s", "alpha": 0.8}],
        });
        let engine = opened(&format!("a,s\n{lines}"), &policy).unwrap();
        let Ok(view) = ran(&engine) else { continue };
        looked += 1;
        let rows = released(&engine);
        let achieved = |demand: usize| view.verified.requirements[demand].achieved;
        // Naively, of every class.
        let mut classes: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
        let label = |cell: &str| {
            let known = TREE.iter().flat_map(|path| path.iter().copied()).chain(TOKENS);
            known.into_iter().find(|label| *label == cell).unwrap()
        };
        rows.iter().for_each(|row| classes.entry(&row[1]).or_default().push(label(&row[2])));
        let mut least = (f64::INFINITY, f64::INFINITY, 0.0f64);
        for cells in classes.values() {
            // The heaviest path takes its cells, until none is left.
            let world = class(cells);
            let mut left: Vec<Vec<usize>> = cells.iter().map(|cell| world.possible(cell)).collect();
            let mut filled: Vec<usize> = Vec::new();
            while !left.is_empty() {
                let on = |value: usize| left.iter().filter(|possible| possible.contains(&value)).count();
                let heaviest = (0..8).max_by_key(|&value| on(value)).unwrap();
                filled.extend(std::iter::repeat_n(heaviest, on(heaviest)));
                left.retain(|possible| !possible.contains(&heaviest));
            }
            least.0 = least.0.min(counts(&filled).len() as f64);
            least.1 = least.1.min(entropy_l(&filled));
            least.2 = least.2.max(counts(&filled)[0] / filled.len() as f64);
        }
        assert!(
            close(achieved(1), least.0) && close(achieved(2), least.1) && close(achieved(3), least.2),
            "seed {seed}"
        );
        // The audit of the release.
        let lines: String = rows.iter().map(|row| format!("{},{}\n", row[1], row[2])).collect();
        let audit = audit(&format!("a,s\n{lines}"), &policy);
        let after = &audit.sensitive[0];
        assert_eq!(f64::from(after.distinct_l), least.0, "seed {seed}");
        assert!(close(after.entropy_l, least.1) && close(after.largest_share, least.2), "seed {seed}");
        for (place, demand) in audit.demands.iter().enumerate().skip(1) {
            let standing = demand.outcome.as_ref().unwrap();
            assert!(standing.holds && close(standing.achieved, achieved(place)), "seed {seed}: {place}");
        }
        // Class by class.
        let cards = (0..classes.len() as u32).map(|class| {
            match ask(&engine, Request::ClassCard { column: 1, class }, vec![]) {
                Ok(Response::ClassCard(card)) => card,
                other => panic!("{other:?}"),
            }
        });
        let cards: Vec<_> = cards.collect();
        assert_eq!(cards.iter().map(|card| f64::from(card.distinct)).fold(f64::INFINITY, f64::min), least.0);
        for demand in 1..4 {
            let standings = cards.iter().map(|card| card.standings[demand].achieved);
            let worst =
                if demand == 3 { standings.fold(0.0, f64::max) } else { standings.fold(f64::INFINITY, f64::min) };
            assert!(close(worst, achieved(demand)), "seed {seed}: {demand}");
        }
        // In words.
        let request =
            Request::Report { audience: Audience::Internal, date: "today".into(), written: Written::default() };
        let report = text(&engine, request);
        for demand in 1..4 {
            let figure = throng::words::figure(achieved(demand));
            assert!(report.contains(&figure), "seed {seed}: {figure}");
        }
    }
    assert!(looked >= 10, "{looked}");
}

// --- missing is not a secret -------------------------------------------------------------------

#[test]
fn hiv_and_empty_cells_are_not_two_values_unless_missing_is_one() {
    let cells = ["HIV", "HIV", "NA", "?"];
    let rest = ["Flu", "Ulcer"];
    let unknown = World { cells: [&cells[..], &rest].concat(), released: 4, unknown: true };
    let value = World { unknown: false, ..unknown.clone() };
    for demand in [
        json!({"model": "distinct-l-diversity", "attribute": "s", "l": 2}),
        json!({"model": "p-sensitive", "attribute": "s", "p": 2}),
        json!({"model": "entropy-l-diversity", "attribute": "s", "l": 2}),
        json!({"model": "recursive-cl-diversity", "attribute": "s", "c": 1.5, "l": 2}),
        json!({"model": "alpha-k", "attribute": "s", "alpha": 0.5}),
        json!({"model": "alpha-k", "attribute": "s", "alpha": 0.5, "values": ["HIV"]}),
    ] {
        assert!(!unknown.holds(&demand), "{demand}");
        assert!(value.holds(&demand), "{demand}");
    }
    // (τ,ℓ): unknown cells may not dilute.
    let demand = json!({"model": "tau-l-diversity", "attribute": "s", "tau": 0.6, "l": 2});
    assert!(!unknown.holds(&demand));
    assert_eq!(unknown.achieved(&json!({"model": "tau-l-diversity", "attribute": "s", "tau": 1, "l": 2})), 1.0);
    assert!(value.holds(&demand));
    // They count in the class's size, and hide none of its values.
    assert!(unknown.holds(&json!({"model": "k-anonymity", "k": 4})));
    let two = World { cells: [&["HIV", "Flu", "NA"][..], &rest].concat(), released: 3, unknown: true };
    assert!(two.holds(&json!({"model": "distinct-l-diversity", "attribute": "s", "l": 2})));
}

/// Runs of algorithms, not only the judges: with "unknown" no released class is HIV and empty cells.
#[test]
fn algorithms_make_no_class_of_hiv_and_empty_cells() {
    let csv = "a,s\n1,HIV\n1,NA\n2,Flu\n2,HIV\n3,Flu\n3,?\n4,Flu\n4,HIV\n";
    for algorithm in ["lattice", "mondrian", "k-member", "greedy-cka"] {
        for (missing, fails) in [("unknown", true), ("value", false)] {
            let policy = json!({
                "throng": 1, "algorithm": {"name": algorithm}, "suppression_limit": 0.0,
                "columns": {"a": {"role": "quasi", "limits": ["1-4"], "hierarchy": {"rows": [
                    ["1", "1", "1-4", "*"], ["2", "2", "1-4", "*"], ["3", "3", "1-4", "*"], ["4", "4", "1-4", "*"]]}},
                    "s": {"role": "sensitive", "missing": missing}},
                "privacy": [{"model": "distinct-l-diversity", "attribute": "s", "l": 2}],
            });
            let engine = opened(csv, &policy).unwrap();
            let Ok(view) = ran(&engine) else { panic!("{algorithm}, {missing}") };
            let mut classes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for row in released(&engine) {
                let value = if TOKENS.contains(&row[2].as_str()) { "" } else { &row[2] };
                classes.entry(row[1].clone()).or_default().insert(value.to_owned());
            }
            let known = |values: &BTreeSet<String>| values.iter().filter(|value| !value.is_empty()).count();
            let least = if fails { known } else { |values: &BTreeSet<String>| values.len() };
            assert!(classes.values().all(|values| least(values) >= 2), "{algorithm}, {missing}: {classes:?}");
            assert_eq!(view.verified.requirements[0].achieved, 2.0);
        }
    }
}

#[test]
fn new_policies_say_unknown_and_files_without_the_key_mean_value() {
    let csv = "age,zip,diagnosis\n30,1011,HIV\n31,1012,\n32,1013,Flu\n33,1014,NA\n";
    let engine = Engine::default();
    open_files(&engine, vec![file("people.csv", csv)]).unwrap();
    support::edit(&engine, throng::policy::Edit::Roles { columns: vec![2], role: throng::table::Role::Sensitive })
        .unwrap();
    let saved: Value = serde_json::from_str(&text(&engine, Request::SavePolicy)).unwrap();
    assert_eq!(saved["columns"]["diagnosis"]["missing"], "unknown");
    let mut policy = json!({
        "throng": 1, "others": "insensitive", "columns": {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}},
        "privacy": [{"model": "distinct-l-diversity", "l": 3}],
    });
    let distinct = |policy: &Value| audit(csv, policy).demands[0].outcome.clone();
    // HIV, Flu and missing are three values.
    assert!(distinct(&policy).is_ok());
    policy["columns"]["diagnosis"]["missing"] = json!("unknown");
    let mistake = distinct(&policy).unwrap_err();
    assert!(mistake.what.contains("missing ones are unknown"), "{mistake:?}");
    // It is said of sensitive columns, and stays what it was.
    policy["privacy"][0]["l"] = json!(2);
    let engine = opened(csv, &policy).unwrap();
    let saved: Value = serde_json::from_str(&text(&engine, Request::SavePolicy)).unwrap();
    assert_eq!(saved["columns"]["diagnosis"]["missing"], "unknown");
    assert_eq!(saved["columns"]["age"].get("missing"), None);
    // The page's choice.
    for missing in [throng::policy::Missing::Value, throng::policy::Missing::Unknown] {
        let view = support::edit(&engine, throng::policy::Edit::Missing { column: 2, missing }).unwrap();
        assert_eq!(view.columns[2].missing, missing);
    }
}

// --- what the verifier could not see -----------------------------------------------------------

/// One class that is the whole table, under a policy for a column of numbers.
fn of_numbers(cells: &[&str], demand: &Value) -> Result<f64, Failure> {
    let table = table(cells);
    let policy =
        json!({"throng": 1, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}}, "privacy": [demand]});
    let setup = setup_of(&policy, &table)?;
    let row_of: Vec<u32> = (0..table.rows as u32).collect();
    match block_on(verify(&table, &setup, &table, &row_of, &Progress::new(&Still))) {
        Ok(verified) => Ok(verified.requirements[0].achieved),
        Err(Unverified::Stopped(failure)) => Err(failure),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn values_of_equal_rank_are_one_place() {
    let demand = json!({"model": "t-closeness", "attribute": "s", "t": 0, "distance": "ordered"});
    assert_eq!(of_numbers(&["1", "1.0", "2"], &demand).unwrap(), 0.0);
    assert_eq!(of_numbers(&["1", "1.0"], &demand).unwrap(), 0.0);
    // And a run finds what there is.
    let policy = json!({"throng": 1, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "privacy": [{"model": "t-closeness", "attribute": "s", "t": 0.1, "distance": "ordered"}]});
    let engine = opened("q,s\na,1\na,1.0\nb,1.0\nb,1\n", &policy).unwrap();
    assert_eq!(ran(&engine).unwrap().verified.requirements[0].achieved, 0.0);
    let engine = opened("q,s\na,1\na,2\nb,1.0\nb,2.00\n", &policy).unwrap();
    let view = ran(&engine).unwrap();
    assert_eq!((view.verified.classes, view.verified.requirements[0].achieved), (2, 0.0));
}

/// The verifier reads numbers as the column does.
#[test]
fn ordered_distances_of_numbers_with_a_decimal_comma_are_alike() {
    let policy = json!({"throng": 1, "reading": {"delimiter": ";", "decimal": ","},
        "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}}, "suppression_limit": 0,
        "privacy": [{"model": "t-closeness", "attribute": "s", "t": 1, "distance": "ordered"}]});
    let engine = opened("q;s\na;1,250\na;2,500\nb;3,750\nb;10,125\n", &policy).unwrap();
    let view = ran(&engine).unwrap();
    // {1, 2} against {1, 2, 3, 4}: ¼ + ½ + ¼ of three steps.
    let verifier = view.verified.requirements[0].achieved;
    assert!(close(verifier, 1.0 / 3.0) && view.verified.classes == 2, "{verifier} {}", view.verified.classes);
}

#[test]
fn a_missing_value_may_be_named_by_any_of_its_tokens() {
    let world = World { unknown: false, ..class(&["NA", "NA", "Flu"]) };
    let demand = |token: &str| json!({"model": "alpha-k", "attribute": "s", "alpha": 1, "values": [token]});
    assert!(close(world.achieved(&demand("NA")), 2.0 / 3.0));
    let both = World { unknown: false, ..class(&["NA", "?", "Flu"]) };
    for token in TOKENS {
        assert!(close(both.achieved(&demand(token)), 2.0 / 3.0), "{token}");
    }
    let named = World { cells: vec!["NA", "NA", "Flu", "?"], released: 3, unknown: false };
    assert!(close(named.achieved(&demand("?")), 2.0 / 3.0));
}

// --- a label of a value and its group ----------------------------------------------------------

const JOBS: [[&str; 3]; 4] = [["Other", "Other", "*"], ["Cat", "Other", "*"], ["Dog", "Pet", "*"], ["Cow", "Pet", "*"]];

/// `Other` in `Other` is the group, to whoever reads it: linking finds all four people that may be meant, where it found
/// two; a limit on it lets its values become it; from level 1 on it is shown.
#[test]
fn a_label_of_a_value_and_its_group_is_the_group_everywhere() {
    let original = "name,job,s\nA,Other,a\nB,Other,b\nC,Cat,a\nD,Cat,b\nE,Dog,a\nF,Dog,b\n";
    let policy = |column: Value| {
        let mut job = json!({"role": "quasi", "hierarchy": {"rows": JOBS}});
        job.as_object_mut().unwrap().extend(column.as_object().unwrap().clone());
        json!({"throng": 1, "columns": {"name": {"role": "identifier"}, "job": job, "s": {"role": "sensitive"}},
            "privacy": [{"model": "k-anonymity", "k": 2}], "algorithm": {"name": "lattice"}})
    };
    let shown = |policy: &Value| -> Vec<String> {
        let engine = opened(original, policy).unwrap();
        ran(&engine).unwrap();
        released(&engine).into_iter().map(|row| row[1].clone()).collect()
    };
    // Finest: the values. The two readings of Other are one class to a reader.
    assert_eq!(shown(&policy(json!({}))).iter().filter(|cell| *cell == "Other").count(), 2);
    let grouped = shown(&policy(json!({"from_level": 1})));
    assert_eq!(grouped.iter().filter(|cell| *cell == "Other").count(), 4, "{grouped:?}");
    let limited = shown(&policy(json!({"limits": ["Other"], "from_level": 1})));
    assert_eq!(limited.iter().filter(|cell| *cell == "Other").count(), 4, "{limited:?}");
    // Two releases that show Other, once for the group.
    let release = "job,s\nOther,a\nOther,b\nOther,a\nOther,b\nDog,a\nDog,b\n";
    let engine = opened(original, &policy(json!({}))).unwrap();
    let question = LinkQuestion { original: true, setup: true, ..LinkQuestion::default() };
    let sources = vec![file("one.csv", release), file("two.csv", release)];
    let view = match ask(&engine, Request::Link(question), sources).unwrap() {
        Response::Linked(view) => *view,
        other => panic!("{other:?}"),
    };
    let linked: u64 = view.releases[0].spread.iter().map(|(_, people)| *people).sum();
    assert_eq!(linked, 6, "all people are found, the two cats among them: {view:?}");
}

/// A release shows the group `Other`: it is one of several values, for every judge.
#[test]
fn a_sensitive_label_of_a_value_and_its_group_is_the_group() {
    let world = class(&["Other", "Rash", "Other", "Rash"]);
    assert_eq!(world.achieved(&json!({"model": "distinct-l-diversity", "attribute": "s", "l": 1})), 1.0);
    assert_eq!(world.achieved(&json!({"model": "alpha-k", "attribute": "s", "alpha": 1, "values": ["Rash"]})), 1.0);
    // Linking says no more of a release's ℓ.
    let policy = json!({"throng": 1, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive",
        "hierarchy": {"rows": TREE}}}});
    let engine = opened("q,s\nx,Flu\nx,Rash\n", &policy).unwrap();
    let question = LinkQuestion { setup: true, ..LinkQuestion::default() };
    let release = |cells: &[&str]| file("release.csv", csv(cells));
    let sources = vec![release(&["Resp", "Flu", "Flu"]), release(&["Flu", "Rash", "Other"])];
    let view = match ask(&engine, Request::Link(question), sources).unwrap() {
        Response::Linked(view) => *view,
        other => panic!("{other:?}"),
    };
    assert_eq!(view.releases.iter().map(|release| release.l).collect::<Vec<_>>(), [1, 2]);
}

// --- SQL ---------------------------------------------------------------------------------------

#[test]
fn scripts_refuse_groups_and_unknown_cells() {
    let policy = |missing: &str| {
        json!({
            "throng": 1, "suppression_limit": 1.0, "algorithm": {"name": "lattice"},
            "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive", "missing": missing, "hierarchy": {"rows": TREE}}},
            "privacy": [{"model": "distinct-l-diversity", "attribute": "s", "l": 2}],
        })
    };
    let script = |cells: &[&str], policy: &Value| {
        let engine = opened(&csv(cells), policy).unwrap();
        ran(&engine).unwrap();
        ask(&engine, Request::Sql { table: "t".into(), dialect: throng::sql::Dialect::Standard }, vec![])
    };
    let refused = script(&["Flu", "HIV", "NA"], &policy("unknown")).unwrap_err();
    assert!(refused.what.contains("groups or unknown") && refused.what.contains("privacy[0]"), "{refused}");
    let refused = script(&["Flu", "HIV", "Resp"], &policy("value")).unwrap_err();
    assert!(refused.what.contains("groups or unknown"), "{refused}");
    assert!(script(&["Flu", "HIV", "NA"], &policy("value")).is_ok());
    // A class of the database that shows one fails.
    let Ok(Response::Text(text)) = script(&["Flu", "HIV", "Ulcer"], &policy("unknown")) else { panic!() };
    let open = text.lines().find(|line| line.contains("v IN (")).unwrap();
    assert!(["'*'", "'Resp'", "'Other'", "''", "'NA'"].iter().all(|text| open.contains(text)), "{open}");
    // A named group is not a text that could be looked for.
    let mut named = policy("value");
    named["privacy"] = json!([{"model": "alpha-k", "attribute": "s", "alpha": 0.9, "values": ["Resp"]}]);
    let refused = script(&["Flu", "HIV", "Ulcer"], &named).unwrap_err();
    assert!(refused.what.contains("not told in SQL"), "{refused}");
}

/// (τ,ℓ): the weights under a group may all be 0. Such a cell counts for each leaf under it alike, as if the weights were
/// equal: a policy that is valid must not end with “a mistake of the program”.
#[test]
fn a_group_none_of_whose_values_occurs_counts_for_all_of_them_alike() {
    let tau_l = |tau: f64, l: u32| json!({"model": "tau-l-diversity", "attribute": "s", "tau": tau, "l": l});
    // Resp (a third each for its three leaves) and Ulcer; HIV is suppressed.
    let one = World { cells: vec!["Resp", "Ulcer", "HIV", "Colic"], released: 2, unknown: true };
    assert!(close(one.achieved(&tau_l(1.0, 2)), 0.5));
    assert!(one.holds(&tau_l(0.5, 2)) && !one.holds(&tau_l(0.49, 2)));
    // F(2) = 1/2 + 1/6 of ψ(2) = τ + (1 − τ)/2.
    assert!(close(one.achieved(&tau_l(1.0, 3)), 0.5));
    let two = World { cells: vec!["Resp", "Resp", "Ulcer", "HIV", "Colic"], released: 3, unknown: true };
    assert!(close(two.achieved(&tau_l(1.0, 3)), 1.0 / 3.0));
    // With an unknown cell, which may be the most frequent of them.
    let three = World { cells: vec!["Resp", "Ulcer", "NA", "HIV"], released: 3, unknown: true };
    assert!(close(three.achieved(&tau_l(1.0, 2)), 2.0 / 3.0));
    // The policy of the reviewer, by the algorithms that it stopped.
    let tree = json!([["Flu", "R", "*"], ["HIV", "I", "*"], ["Hep", "I", "*"], ["Ulcer", "D", "*"]]);
    for algorithm in [json!({"name": "k-member"}), json!({"name": "sweep", "refine": true}), json!({"name": "lattice"})]
    {
        let policy = json!({"throng": 1, "algorithm": algorithm, "columns": {"q": {"role": "quasi"},
            "s": {"role": "sensitive", "hierarchy": {"rows": tree}}},
            "privacy": [{"model": "k-anonymity", "k": 2}, tau_l(0.7, 2)]});
        let engine = opened("q,s\na,R\na,Ulcer\nb,HIV\nb,Ulcer\n", &policy).unwrap();
        let view = ran(&engine).unwrap_or_else(|failure| panic!("{algorithm}: {failure}"));
        assert_eq!(view.verified.rows, 4, "{algorithm}");
    }
}

/// Missing cells of a column are one value, named by any of its tokens: also by one that no cell shows.
#[test]
fn missing_cells_are_named_by_any_token() {
    let csv = "q,s\n".to_owned() + &"a,\na,\na,Flu\nb,\nb,Flu\nb,HIV\n".repeat(3);
    let policy = |named: &str, algorithm: &str| {
        json!({"throng": 1, "algorithm": {"name": algorithm}, "suppression_limit": 1.0,
            "reading": {"missing_tokens": ["", "NA"]},
            "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive", "missing": "value", "missing_tokens": ["k.A."]}},
            "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "alpha-k", "alpha": 0.4, "values": [named]}]})
    };
    let run = |policy: &Value| ran(&opened(&csv, policy).unwrap());
    for algorithm in ["lattice", "mondrian"] {
        let expected = run(&policy("", algorithm)).unwrap();
        for token in ["NA", "k.A.", " NA "] {
            let view = run(&policy(token, algorithm)).unwrap_or_else(|failure| panic!("{token}: {failure}"));
            assert_eq!(view.verified, expected.verified, "{token}");
        }
        // A text that is no token and no value still is a mistake.
        assert!(run(&policy("?", algorithm)).is_err());
    }
    // Diversity constraints as well, on columns that are released as they are.
    for token in ["\"\"", "NA", "k.A."] {
        let mut policy = policy("", "diva");
        policy["privacy"] = json!([{"model": "k-anonymity", "k": 3}]);
        policy["diversity"] = json!([format!("s={token}: 2..9")]);
        let view = run(&policy).unwrap_or_else(|failure| panic!("{token}: {failure}"));
        assert_eq!(view.verified.rows, 18, "{token}");
    }
}

// --- a missing cell is never a group ------------------------------------------------------------

/// What verifier, algorithms and audit say alike of a table that is one class; nothing if it does not hold.
fn of_table(tree: &[&[&str]], cells: &[&str], missing: &str, demand: &Value) -> Option<f64> {
    let (table, policy) = (table(cells), of_tree(tree, missing, demand, "lattice"));
    let setup = setup_of(&policy, &table).unwrap();
    let row_of: Vec<u32> = (0..table.rows as u32).collect();
    let verifier = match block_on(verify(&table, &setup, &table, &row_of, &Progress::new(&Still))) {
        Ok(verified) => Some(verified.requirements[0].achieved),
        Err(Unverified::Offence(Offence::Class { .. })) => None,
        Err(other) => panic!("{other:?}"),
    };
    let (requirements, _) = setup.requirements(&table).unwrap();
    let column = &table.columns[1];
    let codes = column.class_codes();
    let keys = Keys { codes: &codes, size: column.dictionary.len() as u32 };
    let standing = check(&requirements[0], &Classes::one(table.rows), &[(1, keys)]);
    let audited = audit(&csv(cells), &policy).demands.remove(0).outcome.unwrap();
    assert_eq!(verifier.is_some(), standing.holds, "{verifier:?} {standing:?} {demand}");
    assert_eq!(verifier.is_some(), audited.holds, "{verifier:?} {audited:?} {demand}");
    let same = |one: f64| close(one, standing.achieved) && close(one, audited.achieved);
    assert!(verifier.is_none_or(same), "{verifier:?} {} {} {demand}", standing.achieved, audited.achieved);
    verifier
}

fn of_tree(tree: &[&[&str]], missing: &str, demand: &Value, algorithm: &str) -> Value {
    json!({"throng": 1, "privacy": [demand], "algorithm": {"name": algorithm}, "columns": {
        "q": {"role": "quasi"}, "s": {"role": "sensitive", "missing": missing, "hierarchy": {"rows": tree}},
    }})
}

/// In the first tree a missing token is a value in a group of its name; in the second only groups have the name of one.
const OWN_GROUP: [&[&str]; 4] = [&["Flu", "Resp", "*"], &["Cold", "Resp", "*"], &["HIV", "*"], &["NA", "NA", "*"]];
const NAMED_GROUP: [&[&str]; 4] =
    [&["Flu", "?", "*"], &["Cold", "?", "*"], &["HIV", "Rare", "*"], &["Rash", "Rare", "*"]];

#[test]
fn a_missing_cell_is_the_missing_leaf_whatever_groups_have_its_label() {
    let close_to = |distance: &str| json!({"model": "t-closeness", "attribute": "s", "t": 1, "distance": distance});
    let alpha = |value: &str| json!({"model": "alpha-k", "attribute": "s", "alpha": 1, "values": [value]});
    let distinct = json!({"model": "distinct-l-diversity", "attribute": "s", "l": 1});
    let tau = json!({"model": "tau-l-diversity", "attribute": "s", "tau": 1, "l": 2});
    for (tree, token) in [(&OWN_GROUP, "NA"), (&NAMED_GROUP, "?")] {
        let cells = ["Flu", token, "HIV", token];
        for missing in ["value", "unknown"] {
            let value = missing == "value";
            let of = |demand: &Value| of_table(tree, &cells, missing, demand).unwrap();
            // The table is as far from itself as its unknown cells may be from the others.
            for distance in ["equal", "ordered", "hierarchical"] {
                assert_eq!(close(of(&close_to(distance)), 0.0), value, "{token} {missing} {distance}");
            }
            assert!(close(of(&distinct), if value { 3.0 } else { 2.0 }), "{token} {missing}");
            assert!(close(of(&alpha("Flu")), if value { 0.25 } else { 0.75 }), "{token} {missing}");
            assert!(close(of(&tau), if value { 0.5 } else { 0.75 }), "{token} {missing}");
            if value {
                assert!(close(of(&alpha(token)), 0.5), "{token}");
            }
            // Linking counts as many different values in the class.
            let engine = opened(&csv(&cells), &of_tree(tree, missing, &distinct, "lattice")).unwrap();
            let question = LinkQuestion { setup: true, ..LinkQuestion::default() };
            let release = || file("release.csv", csv(&cells));
            let view = match ask(&engine, Request::Link(question), vec![release(), release()]).unwrap() {
                Response::Linked(view) => *view,
                other => panic!("{other:?}"),
            };
            assert_eq!(view.releases[0].l, if value { 3 } else { 2 }, "{token} {missing}");
        }
    }
}

/// Every algorithm's release passes: what they take a missing cell for is what the verifier does.
#[test]
fn releases_with_missing_tokens_that_are_groups_are_not_withheld() {
    let demands = [
        (json!({"model": "t-closeness", "attribute": "s", "t": 0.6, "distance": "hierarchical"}), "lattice"),
        (json!({"model": "tau-l-diversity", "attribute": "s", "tau": 0.9, "l": 3}), "sweep"),
    ];
    let text = |token: &str| {
        let cells = ["Flu", token, "HIV", "Cold", token, "Flu", "HIV", "HIV", "Flu", "Cold", "Flu", token];
        let row = |(row, cell): (usize, &&str)| format!("{},{cell}\n", row / 2);
        "q,s\n".to_owned() + &cells.iter().enumerate().map(row).collect::<String>()
    };
    for (tree, token) in [(&OWN_GROUP, "NA"), (&NAMED_GROUP, "?")] {
        for missing in ["value", "unknown"] {
            for (demand, algorithm) in &demands {
                let engine = opened(&text(token), &of_tree(tree, missing, demand, algorithm)).unwrap();
                let view = ran(&engine).unwrap_or_else(|failure| panic!("{token} {missing} {algorithm}: {failure}"));
                assert!(view.verified.rows > 0);
            }
        }
    }
}

/// (τ,ℓ)-diversity may generalize values, not what is unknown: shown as a group it would count as known, and dilute. Nor may a
/// value pass as missing.
#[test]
fn unknown_cells_are_shown_as_missing_and_nothing_else() {
    let demand = json!({"model": "tau-l-diversity", "attribute": "s", "tau": 1, "l": 2});
    let original = table(&["Flu", "NA", "HIV", "Cold"]);
    let judged = |missing: &str, cells: &[&str]| {
        let setup = setup_of(&of_tree(&NAMED_GROUP, missing, &demand, "sweep"), &original).unwrap();
        block_on(verify(&original, &setup, &table(cells), &[0, 1, 2, 3], &Progress::new(&Still))).map(|_| ())
    };
    let unknown = || Err(Unverified::Offence(Offence::Unknown { column: "s".into(), row: 2 }));
    assert_eq!(judged("unknown", &["Flu", "NA", "Rare", "*"]), Ok(()));
    assert_eq!(judged("unknown", &["Flu", "*", "HIV", "Cold"]), unknown());
    assert_eq!(judged("value", &["Flu", "*", "HIV", "Cold"]), Ok(()));
    let original = table(&["Flu", "?", "HIV", "Cold"]);
    for missing in ["value", "unknown"] {
        let setup = setup_of(&of_tree(&NAMED_GROUP, missing, &demand, "sweep"), &original).unwrap();
        let output = table(&["?", "?", "HIV", "Cold"]);
        let found = block_on(verify(&original, &setup, &output, &[0, 1, 2, 3], &Progress::new(&Still)));
        assert_eq!(found, Err(Unverified::Offence(Offence::Untrue { column: "s".into(), row: 1 })), "{missing}");
    }
}
