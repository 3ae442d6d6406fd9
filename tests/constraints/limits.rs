//! Where reasoning ends: many lines, hard questions, a used-up budget, mistaken demands, and tables that leave no choice.

use serde_json::{Value, json};
use throng::constraints::exact::{Decision, Implication, Reasoner};
use throng::constraints::generate::{Class, Wish};
use throng::constraints::program::Budget;
use throng::constraints::view::{Method, Scope, Verdict};
use throng::constraints::{Binder, Constraint, ConstraintsView, Target, World, axioms};
use throng::engine::Engine;
use throng::progress::{Progress, block_on};
use throng::protocol::{Request, Response};

use crate::reasoning::{Dice, implies, satisfiable};
use crate::support::{Still, ask, file, open_files};
use crate::told::{at, throng, told};
use crate::{bind, records, records_policy, setup_of, table_of};

fn opened(csv: &str, policy: &Value) -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    engine
}

/// What is told of lines on a table all of whose columns are quasi-identifiers.
fn of_quasi(csv: &str, k: u64, lines: &[String]) -> ConstraintsView {
    let names = csv.lines().next().unwrap().split(',');
    let columns: serde_json::Map<String, Value> =
        names.map(|name| (name.to_owned(), json!({"role": "quasi"}))).collect();
    let privacy = if k > 1 { json!([{"model": "k-anonymity", "k": k}]) } else { json!([]) };
    let engine = opened(csv, &json!({"throng": 1, "columns": columns, "privacy": privacy}));
    told(&engine, &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn by(view: &ConstraintsView, line: usize) -> Option<Vec<usize>> {
    at(view, line).implied.as_ref().map(|implied| implied.by.clone())
}

/// The question whether this table has a release is hard; what follows from what is not, and does not suffer from it.
#[test]
fn a_hard_table_takes_nothing_from_the_rest() {
    let lines = [
        "C3=v1: 39..40",
        "C2=v1: 50..55",
        "C3=v0: 56..59",
        "C2=v0: 50..51",
        "C3=v2: 60..65",
        "C0=v0 & C3=v0: 14..16",
        "C2=v2 & C3=v1: 9..14",
        "C0=v2: 49..49",
        "C1=v2: 51..52",
        "C1=v0 & C0=v0: 22..27",
        "C1=v0 & C0=v1: 20..25",
        "C1=v0 & C0=v2: 18..23",
        "C1=v0: 60..",
    ]
    .map(str::to_owned);
    let view = of_quasi(include_str!("three_values.csv"), 1, &lines);
    assert_eq!(by(&view, 12), Some(vec![9, 10, 11]));
    assert_eq!((view.cover, view.cover_proved), ((0..12).collect(), true));
}

/// Twelve values of one column are each the sum of ten tuples.
#[test]
fn sums_of_many_tuples_are_left_out_of_the_cover() {
    let (sums, tuples) = (12, 10);
    let pairs = || (0..sums).flat_map(|a| (0..tuples).map(move |b| (a, b)));
    let rows: String = pairs().map(|(a, b)| format!("a{a},b{b}\n").repeat(2)).collect();
    let tuple_lines = pairs().map(|(a, b)| format!("A=a{a} & B=b{b}: 1.."));
    let lines: Vec<String> = tuple_lines.chain((0..sums).map(|a| format!("A=a{a}: {tuples}.."))).collect();
    for k in [1, 2] {
        let view = of_quasi(&format!("A,B\n{rows}"), k, &lines);
        assert!(view.cover.iter().copied().eq(0..sums * tuples) && view.cover_proved, "{:?}", view.cover);
        for sum in 0..sums {
            let place = sums * tuples + sum;
            assert_eq!(by(&view, place), Some((sum * tuples..(sum + 1) * tuples).collect()));
            assert!(!at(&view, place).undecided);
        }
        assert_eq!((view.verdicts, view.proved), ([Verdict::Possible; 3], true));
    }
}

/// Many values of one column ask nothing of each other but that enough rows are left.
#[test]
fn many_lines_are_decided() {
    let lines: Vec<String> = (0..1500).map(|value| format!("Z=z{value}: 2..5")).collect();
    let rows: String = (0..9000).map(|row| format!("z{},s{}\n", row % 1500, row % 3)).collect();
    for k in [1, 2] {
        let view = of_quasi(&format!("Z,S\n{rows}"), k, &lines);
        assert_eq!((view.verdicts, view.proved), ([Verdict::Possible; 3], true));
        assert!(view.cover.len() == 1500 && view.cover_proved);
    }
    let engine = opened(
        &format!("Z,S\n{rows}"),
        &json!({"throng": 1, "columns": {"Z": {"role": "quasi"}, "S": {"role": "quasi"}}}),
    );
    // Tuples beside values: all are linked.
    let wish = Wish { class: Class::Average, on: vec![vec![0], vec![0, 1], vec![1]], count: None, seed: 1, k: 2 };
    let Ok(Response::Lines(made)) = ask(&engine, Request::GenerateConstraints { wish }, vec![]) else { panic!() };
    assert!(made.len() > 1500);
}

/// Rows that parts which have none in common leave over are too few to be a class: they can't be kept together.
#[test]
fn parts_without_a_common_row_compete_for_the_other_rows() {
    let csv = "A,B\na,1\na,2\na,3\nb,1\nb,2\nb,3\n";
    let lines = |a: &str, b: &str| [format!("A=a: {a}"), format!("A=b: {b}")];
    // Two and three of six: one row is left, which is no class of two.
    let view = of_quasi(csv, 2, &lines("2..2", "3..3"));
    assert_eq!(view.verdicts, [Verdict::Possible, Verdict::Possible, Verdict::Impossible]);
    assert_eq!((view.contradictions[0].lines.as_slice(), view.contradictions[0].minimal), (&[0, 1][..], true));
    for (a, b) in [("2..2", "2..2"), ("3..3", "3..3"), ("2..2", "2..3"), ("..2", "3..")] {
        assert_eq!(of_quasi(csv, 2, &lines(a, b)).verdicts, [Verdict::Possible; 3], "{a} {b}");
    }
}

/// With any budget: what is said to be minimal is, and what is not decided is said so.
#[test]
fn nothing_undecided_is_told_as_an_answer() {
    let target = |column, value: u64| Target { column, value: format!("v{value}") };
    let (mut proved, mut doubtful, mut undecided) = (0, 0, 0);
    for seed in 0..60 {
        let mut dice = Dice::new(seed + (1 << 40));
        let mut constraints: Vec<Constraint> = (0..3)
            .map(|value| Constraint {
                target: vec![target(0, 0), target(1, value)],
                least: 2 + dice.below(4),
                most: None,
            })
            .collect();
        let sum: u64 = constraints.iter().map(|constraint| constraint.least).sum();
        let other = |value| Constraint { target: vec![target(2, value)], least: 1, most: Some(9) };
        constraints.extend((0..3).map(other));
        constraints.push(Constraint { target: vec![target(0, 0)], least: 0, most: Some(sum - 1) });
        let wanted = Constraint { target: vec![target(0, 0)], least: sum, most: None };
        let (world, all) = (World { k: 2, ..World::default() }, (0..7).collect::<Vec<usize>>());
        let of = |places: &[usize]| places.iter().map(|&place| constraints[place].clone()).collect::<Vec<_>>();
        for entries in [0, 500, 2_000, 6_000, 15_000, 40_000, 100_000, 1_000_000] {
            let budget = Budget::of(entries);
            let reasoner = Reasoner::new(&constraints, &world, &budget);
            let progress = Progress::new(&Still);
            let (places, minimal) = block_on(reasoner.contradiction(&all, &progress)).unwrap();
            assert!(matches!(satisfiable(&of(&places), &world), Decision::No(_)));
            let fewer = |gone: usize| places.iter().copied().filter(|&place| place != gone).collect::<Vec<_>>();
            if minimal {
                assert!(places.iter().all(|&gone| matches!(satisfiable(&of(&fewer(gone)), &world), Decision::Yes(_))));
                assert_eq!(places, [0, 1, 2, 6]);
            }
            (proved, doubtful) = (proved + u64::from(minimal), doubtful + u64::from(!minimal));
            let budget = Budget::of(entries);
            let reasoner = Reasoner::new(&constraints, &world, &budget);
            match block_on(reasoner.implies(&all[..6], &wanted, &progress)).unwrap() {
                Implication::Implied => {
                    let (places, minimal) = block_on(reasoner.premises(&all[..6], &wanted, &progress)).unwrap();
                    assert_eq!(implies(&of(&places), &wanted, &world), Implication::Implied);
                    assert!(!minimal || places == [0, 1, 2]);
                }
                Implication::Undecided => undecided += 1,
                Implication::Counterexample(_) => panic!("seed {seed}"),
            }
        }
    }
    println!("minimal {proved}, perhaps not {doubtful}; implications not decided {undecided}");
    assert!(proved > 60 && doubtful > 60 && undecided > 60);
}

/// More cells than are listed: every combination of fourteen columns. What needs few lines is found all the same.
#[test]
fn what_is_too_large_is_told_so() {
    let names: Vec<String> = (0..15).map(|column| format!("C{column}")).collect();
    let columns: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"role": "quasi"}))).collect();
    let row = |value: &str| vec![value; 15].join(",") + "\n";
    let csv = names.join(",") + "\n" + &row("v").repeat(6) + &row("w").repeat(6);
    let mut lines: Vec<String> = (1..15).map(|column| format!("C0=v & C{column}=v: ..4")).collect();
    // By no axiom: the lower bounds of two groups of line 16's rows.
    lines.extend(["C1=v & C2=v: 2..", "C1=v & C2=*: 1..", "C1=v: 3.."].map(str::to_owned));
    let policy = json!({"throng": 1, "columns": columns, "diversity": lines}).to_string();
    let (code, out, complaint) = throng(&policy, &csv, &["constraints", "policy.json", "table.csv"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(out.contains("  alone: too large to decide\n"), "{out}");
    assert!(out.contains("    whether the others imply it is too large to decide\n"), "{out}");
    assert!(out.contains("; whether more can be left out is too large to decide\n"), "{out}");
    let (_, out, _) = throng(&policy, &csv, &["constraints", "policy.json", "table.csv", "--json"]);
    let view: ConstraintsView = serde_json::from_str(&out).unwrap();
    assert!(!view.cover_proved && at(&view, 0).undecided && view.verdicts == [Verdict::Undecided; 3]);
    let last = view.lines.len() - 1;
    assert!(!at(&view, last).undecided && at(&view, last).implied.is_some() && !view.cover.contains(&last));
}

/// Lines that only this k or this table contradicts say what they say: they are in the cover.
#[test]
fn the_cover_has_what_only_the_table_contradicts() {
    let lines = ["ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4"];
    let policy = records_policy(3, "lattice", &lines);
    let (code, out, _) = throng(&policy, &records(), &["constraints", "policy.json", "table.csv"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("  by the paper's axioms: [0] [1] [2]\n  exact: [0] [1] [2]\n"), "{out}");
    // That is about the two rows that this table has of it.
    assert!(out.contains("    no: in classes of 3 rows of this table it can't hold\n"), "{out}");
    assert!(out.contains("  [1] can't hold for this table (exact)\n"), "{out}");
}

/// No verdict is given on a policy that no run accepts, and it is told as a run tells it.
#[test]
fn a_mistaken_demand_proves_nothing() {
    let csv = "A,B\na,x\na,y\nb,x\nb,y\n";
    for demand in [
        json!({"model": "k-anonymity", "k": 9}),
        json!({"model": "k-anonymity", "k": 0}),
        json!({"model": "distinct-l-diversity", "attribute": "nope", "l": 2}),
        json!({"model": "distinct-l-diversity", "attribute": "B", "l": 9}),
    ] {
        let columns = json!({"A": {"role": "quasi"}, "B": {"role": "sensitive"}});
        let policy = json!({"throng": 1, "columns": columns, "privacy": [demand], "diversity": ["A=a: 1.."]});
        let told_by = |arguments: &[&str]| {
            let (code, out, complaint) = throng(&policy.to_string(), csv, arguments);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{policy}: {complaint}");
            complaint
        };
        let by_run = told_by(&["run", "policy.json", "table.csv", "-o", "out.csv"]);
        assert_eq!(told_by(&["constraints", "policy.json", "table.csv"]), by_run);
        assert_eq!(told_by(&["constraints", "policy.json", "table.csv", "--json"]), by_run);
        told_by(&["constraints", "policy.json", "table.csv", "--generate", "average"]);
        // As it is typed, the lines are still told, but nothing is proved of a release.
        let engine = Engine::default();
        let opened = open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]);
        if opened.is_ok() {
            let view = told(&engine, &["A=a: 1..", "A=a: ..4"]);
            assert!(view.mistake.is_some() && !view.proved, "{policy}");
            assert_eq!(at(&view, 0).today, 2);
        }
    }
}

#[test]
fn what_is_generated_can_be_asked_for() {
    let hierarchy = json!({"rows": [["a", "g", "*"], ["b", "h", "*"], ["c", "h", "*"]]});
    let limited = json!({"role": "quasi", "hierarchy": hierarchy, "limits": ["a"]});
    let plain = json!({"role": "quasi"});
    // Rows of `a` may not become anything else; a cell `*` is one already; a table may have no rows.
    let cases = [
        ("A,B\na,x\na,x\na,x\na,y\nb,y\nb,y\nc,y\n", limited),
        ("A,B\n*,x\n*,x\n*,y\na,x\na,y\nb,y\nb,y\n", plain.clone()),
        ("A,B\n", plain),
    ];
    let mut raised = 0;
    for ((csv, column), suppression) in cases.iter().flat_map(|case| [(case, 0.0), (case, 0.3)]) {
        let columns = json!({"A": column, "B": {"role": "quasi"}});
        let policy = json!({"throng": 1, "columns": columns, "suppression_limit": suppression}).to_string();
        let table = table_of(csv);
        let setup = setup_of(&policy, &table);
        let binder = Binder::new(&setup, &table);
        for (class, k) in Class::ALL.into_iter().flat_map(|class| [(class, 1), (class, 2)]) {
            for on in [vec![], vec![vec![0, 1]], vec![vec![0], vec![0, 1]]] {
                let wish = Wish { class, on, count: None, seed: 3, k };
                let made = block_on(throng::constraints::generate::generate(&binder, &wish, &Progress::new(&Still)));
                for constraint in made.unwrap() {
                    assert_eq!(bind(&constraint.text(&table), &setup, &table).as_ref(), Ok(&constraint), "{class:?}");
                    raised += 1;
                }
            }
        }
        let (code, _, complaint) =
            throng(&policy, csv, &["constraints", "policy.json", "table.csv", "--generate", "average"]);
        assert_eq!(code, Some(0), "{complaint}");
    }
    assert!(raised > 100, "{raised}");
}

#[test]
fn derivations_by_the_axioms_have_no_premise_too_many() {
    let of = |least, most| Constraint { target: vec![Target { column: 0, value: "a".into() }], least, most };
    let premises = |given: &[Constraint], wanted: &Constraint| {
        axioms::implies(given.iter().enumerate(), wanted).map(|derivation| derivation.premises())
    };
    let wanted = of(2, Some(4));
    assert_eq!(premises(&[of(3, Some(3)), of(2, Some(3))], &wanted), Some(vec![0]));
    assert_eq!(premises(&[of(0, Some(3)), of(3, Some(4))], &wanted), Some(vec![1]));
    assert_eq!(premises(&[of(3, None), of(0, Some(4))], &wanted), Some(vec![0, 1]));
    // Every set of premises is one of which none can be left out.
    for seed in 0..2_000 {
        let mut dice = Dice::new(seed + (1 << 41));
        let mut some = |parts: u64| {
            let target = (0..1 + dice.below(parts)).map(|column| Target { column: column as usize, value: "v".into() });
            let (target, least) = (target.collect(), dice.below(5));
            Constraint { target, least, most: dice.percent(60).then(|| least + dice.below(3)) }
        };
        let given: Vec<Constraint> = (0..4).map(|_| some(3)).collect();
        let wanted = some(3);
        let Some(premises) = premises(&given, &wanted) else { continue };
        for gone in &premises {
            let fewer = premises.iter().filter(|place| *place != gone).map(|&place| (place, &given[place]));
            assert_eq!(axioms::implies(fewer, &wanted), None, "seed {seed}: {given:?} {wanted:?}");
        }
    }
}

#[test]
fn a_line_that_says_nothing_holds_in_every_table() {
    let policy = records_policy(2, "lattice", &["ETH=Asian: 0..", "ETH=African: ..2"]);
    // Some editors put a byte-order mark before the policy.
    let (code, out, _) = throng(&format!("\u{feff}{policy}"), &records(), &["constraints", "policy.json", "table.csv"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("    holds in every table\n") && !out.contains("implied by  "), "{out}");
    let view = told(&opened(&records(), &serde_json::from_str(&policy).unwrap()), &["ETH=Asian: 0.."]);
    let implied = at(&view, 0).implied.as_ref().unwrap();
    assert_eq!((implied.by.len(), implied.scope, implied.method), (0, Scope::Alone, Method::Axioms));
}

/// A root that looks like a missing value counts as one, whichever token a line names: reasoning and run agree.
#[test]
fn a_root_may_be_a_token_of_missing_values() {
    let csv = "a,s\nx,1\ny,2\nNA,3\nNA,4\n?,5\n";
    let tree = json!({"rows": [["x", "?"], ["y", "?"]]});
    let columns = json!({"a": {"role": "quasi", "hierarchy": tree}, "s": {"role": "insensitive"}});
    let policy = |line: &str| {
        json!({"throng": 1, "columns": columns, "privacy": [{"model": "k-anonymity", "k": 2}], "diversity": [line],
            "algorithm": {"name": "diva"}})
    };
    // x and y can only be shown as the root.
    let all = policy("a=NA: ..3");
    let view = told(&opened(csv, &all), &["a=NA: ..3"]);
    assert!(!view.proved, "{view:?}");
    let release = ["run", "policy.json", "table.csv", "-o", "out.csv"];
    let (code, _, complaint) = throng(&all.to_string(), csv, &release);
    assert_eq!(code, Some(3), "{complaint}");
    assert!(complaint.contains("Proved impossible"), "{complaint}");
    let (code, ..) = throng(&policy("a=NA: 5").to_string(), csv, &release);
    assert_eq!(code, Some(0));
}

/// Where limits leave no release at all, no line is blamed for it, nor said to hold in every release.
#[test]
fn a_table_without_a_release_is_told_as_that() {
    let csv = "a,s\nx,1\ny,2\ny,3\n";
    let tree = json!({"rows": [["x", "G", "*"], ["y", "H", "*"]]});
    let columns = json!({"a": {"role": "quasi", "hierarchy": tree, "limits": ["x"]}, "s": {"role": "insensitive"}});
    let privacy = json!([{"model": "k-anonymity", "k": 2}]);
    let policy = |line: &str| json!({"throng": 1, "columns": columns, "privacy": privacy, "diversity": [line]});
    let view = told(&opened(csv, &policy("a=x: 0..1")), &["a=x: 0..1"]);
    assert_eq!(view.verdicts[2], Verdict::Impossible);
    assert!(view.contradictions.iter().all(|contradiction| contradiction.lines.is_empty()), "{view:?}");
    let line = at(&view, 0);
    assert!(line.contradiction.is_none() && line.implied.is_none(), "{line:?}");
    assert!(!line.k_allows, "the one row that must be shown is no class of two");
    let (code, out, _) = throng(&policy("a=x: 0..1").to_string(), csv, &["constraints", "policy.json", "table.csv"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("even without constraints, this table has no release in classes of at least 2 rows"), "{out}");
    // With a row more of it the limit can be kept.
    let view = told(&opened(&format!("{csv}x,4\n"), &policy("a=x: 0..2")), &["a=x: 0..2"]);
    assert_eq!(view.verdicts[2], Verdict::Possible);
    assert!(at(&view, 0).k_allows);
}

/// A release of a table without quasi-identifiers is never proved, as no run makes one.
#[test]
fn nothing_is_proved_without_quasi_identifiers() {
    let columns = json!({"s": {"role": "sensitive"}, "i": {"role": "identifier"}});
    let policy = json!({"throng": 1, "columns": columns, "privacy": [{"model": "k-anonymity", "k": 2}]});
    let view = told(&opened("s,i\nx,1\ny,2\nx,3\n", &policy), &["s=x: 2"]);
    assert!(!view.proved);
    assert_eq!(at(&view, 0).today, 2);
}

/// The runner tells a fault without reasoning about the other lines first, which may take seconds.
#[test]
fn faults_are_told_before_anything_is_reasoned() {
    let csv = "a,b\n".to_owned() + &"x,1\ny,2\n".repeat(3);
    let columns = json!({"a": {"role": "quasi"}, "b": {"role": "quasi"}});
    let engine = opened(&csv, &json!({"throng": 1, "columns": columns}));
    let lines = ["a=x: 1..", "a=z: 1..", "a=x: 2.."].map(str::to_owned).to_vec();
    let reviewed = |faultless: bool| {
        let request = Request::Constraints { lines: lines.clone(), faultless };
        let Ok(Response::Constraints(view)) = ask(&engine, request, vec![]) else { panic!("no view") };
        view
    };
    let (quick, whole) = (reviewed(true), reviewed(false));
    assert_eq!(quick.lines[1], whole.lines[1]);
    assert!(at(&quick, 0).implied.is_none() && quick.cover.is_empty() && quick.conflicts.is_empty());
    assert!(at(&whole, 0).implied.is_some() && !whole.conflicts.is_empty());
}
