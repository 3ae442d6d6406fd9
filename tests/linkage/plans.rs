//! Plans: made, written, read back, applied; and those that are refused.

use std::collections::{BTreeMap, BTreeSet};

use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::linkage::apply::{AppliedView, ApplySettings, Unseen};
use throng::linkage::calculator::{MechanismQuestion, PGiven, Shape};
use throng::linkage::cells::Reader;
use throng::linkage::mechanism::Wish;
use throng::linkage::plan::{Plan, PlanSettings, PlanView};
use throng::linkage::simulate::{Anonymizer, SimulateSettings};
use throng::protocol::{Request, Response, decode, encode};

use super::naive::Draws;
use super::support::{ask, file, open_files};
use super::{link, person};

const POLICY: &str = r#"{"throng": 1, "columns": {
    "name": {"role": "identifier"},
    "sex": {"role": "quasi"},
    "zip": {"role": "quasi", "hierarchy": {"recipe": {"mask": {"keep_at_least": 2}}}},
    "age": {"role": "quasi", "hierarchy": {"recipe": {"intervals": {"width": 5, "factors": [2]}}}},
    "illness": {"role": "sensitive"}, "note": {"role": "insensitive"}}}"#;

fn table(rows: u32, seed: u64) -> String {
    let mut draws = Draws(seed);
    let row = |number: u32, draws: &mut Draws| {
        let (sex, zip, age) = (draws.below(2), 13_000 + 7 * draws.below(12), 20 + draws.below(20));
        let illness = (draws.below(5) + age / 10) % 6;
        let age = if draws.below(30) == 0 { "?".to_owned() } else { age.to_string() };
        format!("p{number},{},{zip},{age},i{illness},n\n", ["F", "M"][sex as usize])
    };
    let header = "name,sex,zip,age,illness,note\n".to_owned();
    std::iter::once(header).chain((0..rows).map(|number| row(number, &mut draws))).collect()
}

fn engine(rows: u32, seed: u64) -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file("past.csv", table(rows, seed)), file("policy.json", POLICY)]).unwrap();
    engine
}

fn settings(l: u32, wish: Option<Wish>) -> PlanSettings {
    PlanSettings { order: vec!["age".into(), "sex".into()], sensitive: None, l, delta: 0.05, wish, smoothing: 0.0 }
}

fn make(engine: &Engine, settings: PlanSettings) -> Result<PlanView, Failure> {
    match ask(engine, Request::MakePlan(settings), vec![])? {
        Response::Plan(plan) => Ok(*plan),
        other => panic!("{other:?}"),
    }
}

fn apply(engine: &Engine, unseen: Unseen, early: bool) -> Result<(AppliedView, String), Failure> {
    let view = match ask(engine, Request::ApplyPlan(ApplySettings { unseen, early, accept_repairs: false }), vec![])? {
        Response::Applied(view) => view,
        other => panic!("{other:?}"),
    };
    match ask(engine, Request::ExportApplied { protected: false }, vec![])? {
        Response::File(bytes) => Ok((view, String::from_utf8(bytes).unwrap())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_wish_decides_p() {
    let engine = engine(4000, 1);
    let by_rows = make(&engine, settings(3, Some(Wish::Rows(2500)))).unwrap();
    assert!(by_rows.rows <= 2500 && by_rows.rows > 1500, "{}", by_rows.rows);
    // No other p for so few rows gives more classes: any larger p gives no more, any smaller needs more rows.
    let smaller = make(&engine, settings(3, Some(Wish::P(by_rows.p * 0.95)))).unwrap();
    let larger = make(&engine, settings(3, Some(Wish::P(by_rows.p * 1.05)))).unwrap();
    assert!(larger.classes <= by_rows.classes && by_rows.classes <= smaller.classes);
    let by_classes = make(&engine, settings(3, Some(Wish::Classes(by_rows.classes)))).unwrap();
    assert!(by_classes.classes >= by_rows.classes && by_classes.rows <= by_rows.rows);
    // The largest p for so many classes: a hair more, beyond the three digits, gives fewer.
    let more = make(&engine, settings(3, Some(Wish::P(by_classes.p * 1.011)))).unwrap();
    assert!(more.classes < by_classes.classes, "{} {}", more.classes, by_classes.classes);
    // Without a wish: the table's own rows.
    assert!(make(&engine, settings(3, None)).unwrap().rows <= 4000);
    assert_eq!(make(&engine, settings(3, Some(Wish::Classes(1)))).unwrap().classes, 1);
    for (settings, expected) in [
        (settings(7, None), "6 values, fewer than"),
        (settings(3, Some(Wish::Rows(5))), "Even one class needs"),
        (settings(3, Some(Wish::Classes(100_000))), "at most"),
        (settings(3, Some(Wish::P(0.9))), "p may be at most"),
    ] {
        let failure = make(&engine, settings).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Impossible, "{failure}");
        assert!(failure.what.contains(expected), "{failure}");
    }
    let wrong = [
        settings(0, None),
        PlanSettings { delta: 0.0, ..settings(3, None) },
        PlanSettings { delta: f64::NAN, ..settings(3, None) },
        PlanSettings { order: vec!["shoe".into()], ..settings(3, None) },
        PlanSettings { sensitive: Some("age".into()), ..settings(3, None) },
        PlanSettings { smoothing: -1.0, ..settings(3, None) },
        settings(3, Some(Wish::P(0.0))),
    ];
    for settings in wrong {
        let failure = make(&engine, settings).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Policy, "{failure}");
    }
    // Drawn towards independence, the same rows give another plan.
    let smoothed = make(&engine, PlanSettings { smoothing: 4000.0, ..settings(3, Some(Wish::Rows(2500))) }).unwrap();
    assert!(smoothed.rows <= 2500 && smoothed.text != by_rows.text);
}

/// Every combination of values has one class, in order, and what the class shows covers it.
#[test]
fn classes_are_stretches_of_the_order() {
    let engine = engine(4000, 2);
    let view = make(&engine, settings(2, Some(Wish::Rows(3000)))).unwrap();
    let plan = Plan::parse(&view.text).unwrap();
    assert_eq!(plan.to_json(), view.text);
    assert_eq!(plan.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["age", "sex", "zip"]);
    let sizes: Vec<u32> = plan.columns.iter().map(|column| column.values.len() as u32).collect();
    let mut last = 0;
    let mut seen: Vec<[BTreeSet<u32>; 3]> = vec![Default::default(); plan.classes()];
    let tuples = (0..sizes[0]).flat_map(|a| (0..sizes[1]).flat_map(move |b| (0..12).map(move |c| [a, b, c])));
    let tuples: Vec<[u32; 3]> = tuples.filter(|tuple| tuple[2] < sizes[2]).collect();
    for tuple in &tuples {
        let class = plan.class_of(tuple);
        assert!(class == last || class == last + 1, "{tuple:?}");
        last = class;
        let (first, end) = plan.ends(class);
        assert!(first[..] <= tuple[..] && tuple[..] <= end[..]);
        seen[class].iter_mut().zip(tuple).for_each(|(seen, &rank)| seen.extend([rank]));
    }
    assert_eq!(last + 1, plan.classes());
    // The projections are exact, and read back they cover these values and no others.
    for (class, cells) in plan.cells().iter().enumerate() {
        for (place, column) in plan.columns.iter().enumerate() {
            let projected: BTreeSet<u32> =
                plan.projection(class)[place].iter().flat_map(|&(start, end)| start..end).collect();
            assert_eq!(projected, seen[class][place]);
            let reader = Reader::new(None, column.values.iter().map(String::as_str));
            let cell = reader.read(&cells[place]).expect("a notation of ours");
            let covered: BTreeSet<u32> = (0..)
                .zip(&column.values)
                .filter(|(_, text)| cell.covers(&reader.value(text)))
                .map(|(rank, _)| rank)
                .collect();
            assert_eq!(covered, projected, "{}", cells[place]);
        }
    }
    // The file has no counts: what it says beyond the columns is ℓ, δ, p and N.
    let json: serde_json::Value = serde_json::from_str(&view.text).unwrap();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    let expected = [
        "classes",
        "columns",
        "delta",
        "l",
        "least_rows",
        "missing",
        "missing_tokens",
        "p",
        "rows",
        "sensitive",
        "throng_plan",
        "warning",
    ];
    assert_eq!(keys, expected);
    assert!(json["p"].to_string().trim_start_matches(['0', '.']).len() <= 3 || json["p"].to_string().contains('e'));
    assert_eq!(decode::<PlanView>(&encode(&view)), Ok(view));
}

#[test]
fn a_plan_is_applied_to_other_tables() {
    let text = make(&engine(4000, 3), settings(3, Some(Wish::Rows(2000)))).unwrap().text;
    let plan = Plan::parse(&text).unwrap();
    let mut releases = Vec::new();
    for seed in [10, 11] {
        let other = engine(2500, seed);
        ask(&other, Request::LoadPlan { text: text.clone() }, vec![]).unwrap();
        let (view, csv) = apply(&other, Unseen::Refuse, false).unwrap();
        assert_eq!((view.rows, view.released, view.missing, view.unseen.len()), (2500, 2500, 0, 0));
        assert_eq!(view.dropped, ["name", "note"]);
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("_class,age,sex,zip,illness"));
        // By class, and for each class what the plan says it shows.
        let cells = plan.cells();
        let mut histogram: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut last = 0;
        for line in lines {
            let class: usize = line.split(',').next().unwrap().parse().unwrap();
            assert!(class >= last);
            last = class;
            let illness = line.rsplit(',').next().unwrap();
            histogram.entry(class).or_default().insert(illness.to_owned());
            assert!(line.contains(&cells[class - 1][0]) && line.contains(&cells[class - 1][2]));
        }
        assert_eq!(view.classes as usize, histogram.len());
        assert_eq!(view.l as usize, histogram.values().map(BTreeSet::len).min().unwrap());
        assert_eq!(view.below, 0);
        assert_eq!(apply(&other, Unseen::Refuse, false).unwrap().1, csv);
        releases.push(csv);
    }
    // Linked, the classes are the plan's: nobody falls below ℓ.
    let engine = Engine::default();
    let sources = releases.iter().map(|csv| file("release.csv", csv.clone()));
    let view = link(&engine, false, sources.chain([file("policy.json", POLICY)]).collect()).unwrap();
    assert_eq!((view.quasi[0].as_str(), view.population.linked), ("_class", plan.classes() as u64));
    assert_eq!(view.same_plan, Some(true));
    assert!(view.after.iter().all(|(l, _)| *l >= 3), "{:?}", view.after);
    assert!(person(&engine, &[("age", "25"), ("sex", "F"), ("zip", "13007")]).unwrap().l >= 3);
    // What classes show overlaps. Who has the plan knows everyone's class, and it is the one of the plan.
    let people = super::plans::engine(300, 10);
    let with = |plan: bool| {
        let sources = releases.iter().map(|csv| file("release.csv", csv.clone()));
        let plan = plan.then(|| file("plan.json", text.clone()));
        link(&people, true, sources.chain(plan).collect())
    };
    let cells = [("age", "25"), ("sex", "F"), ("zip", "13007")];
    let without = with(false).unwrap();
    let any = person(&people, &cells).unwrap();
    let knowing = with(true).unwrap();
    let one = person(&people, &cells).unwrap();
    assert!(!without.with_plan && knowing.with_plan);
    assert!(any.releases[0].classes > 1 && any.l >= one.l, "{any:?}");
    assert!(one.releases.iter().all(|release| release.classes == 1), "{one:?}");
    let numbers = plan.columns.iter().map(|column| {
        let (_, value) = cells.iter().find(|(name, _)| *name == column.name).unwrap();
        column.values.iter().position(|other| other == value).unwrap() as u32
    });
    let class = plan.class_of(&numbers.collect::<Vec<u32>>());
    assert_eq!(one.known[0], ("_class".to_owned(), Some((class + 1).to_string())));
    assert_eq!(one.releases[0].cells[0][0], (class + 1).to_string());
    // Counted for everyone: ℓ of each person's own class, which is no more than that of the union.
    let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
    for line in table(300, 10).lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let named = |name: &str| cells[["name", "sex", "zip", "age"].iter().position(|other| *other == name).unwrap()];
        let known: Vec<(&str, &str)> = ["age", "sex", "zip"].iter().map(|name| (*name, named(name))).collect();
        *expected.entry(person(&people, &known).unwrap().l).or_default() += 1;
    }
    assert_eq!(knowing.after, expected.into_iter().collect::<Vec<_>>());
    let sum = |spread: &[(u32, u64)]| spread.iter().map(|(l, people)| u64::from(*l) * people).sum::<u64>();
    assert!(sum(&knowing.after) < sum(&without.after), "{:?} {:?}", knowing.after, without.after);
    // Another plan is not theirs.
    let other_text = make(&super::plans::engine(2500, 12), settings(2, Some(Wish::Rows(2400)))).unwrap().text;
    let sources = releases.iter().map(|csv| file("release.csv", csv.clone()));
    let failure = link(&people, true, sources.chain([file("plan.json", other_text)]).collect()).unwrap_err();
    assert!(failure.what.contains("not the one"), "{failure}");
    // Applied to a table that comes along instead of the one there is.
    let settings_of = ApplySettings { unseen: Unseen::Refuse, early: false, accept_repairs: false };
    ask(&people, Request::LoadPlan { text: text.clone() }, vec![]).unwrap();
    let Ok(Response::Applied(view)) =
        ask(&people, Request::ApplyPlan(settings_of), vec![file("other.csv", table(2500, 10))])
    else {
        panic!()
    };
    assert_eq!(view.released, 2500);
    let Ok(Response::File(bytes)) = ask(&people, Request::ExportApplied { protected: false }, vec![]) else { panic!() };
    assert_eq!(bytes, releases[0].as_bytes());
    // Numbers of different plans mean nothing to each other.
    let other = super::plans::engine(2500, 12);
    make(&other, settings(2, Some(Wish::Rows(2400)))).unwrap();
    let (_, csv) = apply(&other, Unseen::Refuse, false).unwrap();
    let sources = vec![file("a.csv", releases[0].clone()), file("b.csv", csv), file("policy.json", POLICY)];
    let view = link(&Engine::default(), false, sources).unwrap();
    assert_eq!((view.same_plan, view.quasi.len()), (Some(false), 3));
    assert!(view.population.linked > plan.classes() as u64);
}

#[test]
fn too_early_unseen_and_other_tables() {
    let past = engine(4000, 3);
    let by_sex = PlanSettings { order: vec!["sex".into(), "age".into()], ..settings(3, Some(Wish::Rows(2000))) };
    let text = make(&past, by_sex).unwrap().text;
    let load = |engine: &Engine| ask(engine, Request::LoadPlan { text: text.clone() }, vec![]).unwrap();
    let few = engine(100, 4);
    load(&few);
    let failure = apply(&few, Unseen::Refuse, false).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Impossible);
    assert!(failure.what.contains("there are 100 rows") && failure.what.contains("missing"), "{failure}");
    assert!(ask(&few, Request::ExportApplied { protected: true }, vec![]).is_err());
    let (view, _) = apply(&few, Unseen::Refuse, true).unwrap();
    assert!(view.missing > 1000 && view.missing == view.needed - 100);
    // A zip that the plan has never seen has a place in the order of the numbers; a third sex does so among texts, but no
    // class covers it, and so its row is left out.
    let open = |extra: &str| {
        let engine = Engine::default();
        open_files(&engine, vec![file("t.csv", table(100, 4) + extra)]).unwrap();
        load(&engine);
        engine
    };
    let between = open("px,F,13010,25,i1,n\n");
    let failure = apply(&between, Unseen::Refuse, true).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Data);
    assert!(failure.what.contains("1 value of column “zip” (1 row)") && !failure.to_string().contains("13010"));
    let (view, csv) = apply(&between, Unseen::Order, true).unwrap();
    assert_eq!(view.released + view.unseen[0].left_out, 101);
    assert_eq!((view.unseen[0].values, view.unseen[0].rows), (1, 1));
    assert!(!csv.contains("13010"), "a class shows what the plan says");
    let (view, _) = apply(&open("px,X,13000,25,i1,n\n"), Unseen::Order, true).unwrap();
    assert_eq!((view.released, view.unseen[0].column.as_str(), view.unseen[0].left_out), (100, "sex", 1));
    // A missing value is a value that the plan knows, however it is written.
    assert_eq!(apply(&open("px,F,13000,NA,i1,n\n"), Unseen::Refuse, true).unwrap().0.released, 101);
    let other = Engine::default();
    open_files(&other, vec![file("t.csv", "sex,zip,colour\nF,1,red\n")]).unwrap();
    assert!(apply(&other, Unseen::Refuse, true).unwrap_err().what.contains("no plan"));
    load(&other);
    let failure = apply(&other, Unseen::Refuse, true).unwrap_err();
    assert!(failure.what.contains("lacks “age”, “illness”"), "{failure}");
    assert!(apply(&Engine::default(), Unseen::Refuse, true).is_err());
    // Limits can't be kept.
    let limited =
        POLICY.replace(r#""mask": {"keep_at_least": 2}}}"#, r#""mask": {"keep_at_least": 2}}}, "from_level": 1"#);
    let engine = Engine::default();
    open_files(&engine, vec![file("t.csv", table(100, 4)), file("policy.json", limited)]).unwrap();
    assert!(make(&engine, settings(2, None)).unwrap_err().what.contains("“zip”"));
}

#[test]
fn malformed_plans_are_refused() {
    let good = make(&engine(4000, 3), settings(3, Some(Wish::Classes(6)))).unwrap().text;
    let engine = Engine::default();
    let load = |text: String| ask(&engine, Request::LoadPlan { text }, vec![]);
    assert!(load(good.clone()).is_ok());
    let json: serde_json::Value = serde_json::from_str(&good).unwrap();
    let changed = |key: &str, value: serde_json::Value| {
        let mut json = json.clone();
        json[key] = value;
        json.to_string()
    };
    use serde_json::json;
    let classes = json["classes"].as_array().unwrap().clone();
    let swapped: Vec<_> = classes.iter().rev().cloned().collect();
    let without_end = classes[..classes.len() - 1].to_vec();
    let columns = json["columns"].as_array().unwrap().clone();
    for (text, expected) in [
        (String::new(), "not JSON"),
        ("{".into(), "not JSON"),
        ("[]".into(), "wrong kind"),
        ("{}".into(), "missing field"),
        (changed("counts", json!([1, 2])), "unknown field `counts`"),
        (changed("throng_plan", json!(2)), "version 2"),
        (changed("l", json!(0)), "ℓ must be"),
        (changed("l", json!("secretvalue")), "wrong kind"),
        (changed("delta", json!(1.5)), "δ must be"),
        (changed("p", json!(0.0)), "no probability"),
        (changed("rows", json!(0)), "no probability, or its rows"),
        (changed("rows", json!(-3)), "wrong kind"),
        (changed("columns", json!([])), "no columns"),
        (changed("columns", json!([columns[0], columns[0]])), "“age” is there twice"),
        (changed("columns", json!([{"name": "age", "values": []}])), "has no values"),
        (changed("columns", json!([{"name": "age", "values": ["1", "1"]}])), "one of them twice"),
        (changed("columns", json!([{"name": "age", "values": ["1"], "counts": [3]}])), "unknown field `counts`"),
        (changed("sensitive", json!("age")), "“age”"),
        (changed("classes", json!([])), "classes are not"),
        (changed("classes", json!(swapped)), "classes are not"),
        (changed("classes", json!(without_end)), "classes are not"),
        (changed("classes", json!([["secretvalue"], []])), "classes are not"),
        (changed("classes", json!([["20", "F", "13000", "x"], []])), "classes are not"),
        (changed("classes", json!([[], []])), "classes are not"),
    ] {
        let failure = load(text.clone()).expect_err(&text);
        assert_eq!(failure.kind, FailureKind::Policy);
        assert!(failure.what.contains(expected), "{text}: {failure}");
        assert!(!failure.to_string().contains("secretvalue"));
    }
    // Any damage is refused or gives a plan that works.
    let mut draws = Draws(77);
    for _ in 0..2000 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..1 + draws.below(3) {
            let place = draws.below(bytes.len() as u32) as usize;
            bytes[place] = b"0129\"[]{},aF?."[draws.below(14) as usize];
        }
        if let Ok(plan) = Plan::parse(&String::from_utf8_lossy(&bytes)) {
            assert_eq!(plan.cells().len(), plan.classes());
            assert_eq!(Plan::parse(&plan.to_json()), Ok(plan));
        }
    }
}

#[test]
fn the_calculator() {
    let engine = engine(4000, 3);
    let question = MechanismQuestion {
        shape: Shape::Uniform,
        sensitive: None,
        values: 50,
        quasi: 3000,
        l: 10,
        delta: 0.01,
        p: PGiven::Share(0.01),
        shares: vec![0.01, 0.02],
        ls: vec![10, 30],
        deltas: vec![0.01, 0.001],
    };
    let calculate = |question: &MechanismQuestion| match ask(&engine, Request::Mechanism(question.clone()), vec![]) {
        Ok(Response::Mechanism(view)) => Ok(*view),
        Ok(other) => panic!("{other:?}"),
        Err(failure) => Err(failure),
    };
    let view = calculate(&question).unwrap();
    assert_eq!((view.rows, view.corollary, view.independent), (65_606, 100, 100));
    assert_eq!((view.by_delta.len(), view.by_p.len(), view.by_l.len()), (4, 4, 4));
    for curve in view.by_delta.iter().chain(&view.by_p) {
        assert!(curve.points.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{}", curve.name);
    }
    assert_eq!(
        decode::<Result<Response, Failure>>(&encode(&Ok::<Response, Failure>(Response::Mechanism(Box::new(
            view.clone()
        ))))),
        Ok(Ok(Response::Mechanism(Box::new(view))))
    );
    let by_table = calculate(&MechanismQuestion { shape: Shape::Table, l: 3, ..question.clone() }).unwrap();
    assert_eq!(by_table.values, 6);
    assert!(by_table.quasi > 300 && (by_table.marginal.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    for wrong in [
        MechanismQuestion { l: 51, ..question.clone() },
        MechanismQuestion { l: 0, ..question.clone() },
        MechanismQuestion { values: 0, ..question.clone() },
        MechanismQuestion { quasi: 0, ..question.clone() },
        MechanismQuestion { p: PGiven::Share(1.1), ..question.clone() },
        MechanismQuestion { p: PGiven::Exactly(f64::NAN), ..question.clone() },
        MechanismQuestion { delta: 1.0, ..question.clone() },
        MechanismQuestion { shape: Shape::Geometric { ratio: 0.0 }, ..question.clone() },
    ] {
        assert!(calculate(&wrong).is_err(), "{wrong:?}");
    }
    assert!(
        ask(&Engine::default(), Request::Mechanism(MechanismQuestion { shape: Shape::Table, ..question }), vec![])
            .is_err()
    );
}

#[test]
fn simulations_need_a_plan_that_fits() {
    let engine = engine(4000, 3);
    let settings_of = |releases: u32, trials: u32| SimulateSettings {
        releases,
        trials,
        rows: Some(500),
        common: 3,
        seed: 1,
        anonymizers: Anonymizer::ALL.to_vec(),
    };
    let simulate = |engine: &Engine, settings: SimulateSettings| ask(engine, Request::Simulate(settings), vec![]);
    assert!(simulate(&engine, settings_of(2, 2)).unwrap_err().what.contains("no plan"));
    let text = make(&engine, settings(3, Some(Wish::Rows(2000)))).unwrap().text;
    let Ok(Response::Simulated(view)) = simulate(&engine, settings_of(2, 3)) else { panic!() };
    assert_eq!((view.results.len(), view.results[0].by_releases.len(), view.trials), (4, 2, 3));
    // The same seed, the same figures.
    assert_eq!(simulate(&engine, settings_of(2, 3)), Ok(Response::Simulated(view)));
    for settings in [settings_of(0, 3), settings_of(17, 3), settings_of(2, 0)] {
        assert_eq!(simulate(&engine, settings).unwrap_err().kind, FailureKind::Policy);
    }
    let other = super::plans::engine(50, 9);
    ask(&other, Request::LoadPlan { text }, vec![]).unwrap();
    assert_eq!(simulate(&other, settings_of(2, 2)).unwrap_err().kind, FailureKind::Data);
}

/// The text of a table in which some values are rare: a town and an age of one row, a town of two, a sex that only the
/// hierarchy has.
fn with_rare_values() -> (String, String) {
    let mut draws = Draws(4);
    let mut csv = String::from("age,town,sex,illness\n");
    for _ in 0..600 {
        let (age, town, sex) = (30 + draws.below(4), draws.below(3), draws.below(2));
        csv += &format!("{age},t{town},{},i{}\n", ["F", "M"][sex as usize], draws.below(6));
    }
    csv += "31,Quonx,F,i0\n97,t1,M,i1\n32,Vembo,M,i2\n33,Vembo,F,i3\n";
    let policy = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "town": {"role": "quasi"},
        "sex": {"role": "quasi", "hierarchy": {"rows": [["F", "*"], ["M", "*"], ["Zrox", "*"]]}},
        "illness": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 3}]}"#;
    (csv, policy.to_owned())
}

/// Issue 20, point 9: a plan says how safe it must be kept, and names no value of fewer than k rows.
#[test]
fn a_plan_names_no_rare_value() {
    let (csv, policy) = with_rare_values();
    let engine = Engine::default();
    open_files(&engine, vec![file("past.csv", csv.clone()), file("policy.json", policy)]).unwrap();
    let order = vec!["town".to_owned(), "age".to_owned(), "sex".to_owned()];
    let view = make(&engine, PlanSettings { order, ..settings(3, Some(Wish::Rows(400))) }).unwrap();
    assert!(view.classes > 3, "{}", view.classes);
    for value in ["Quonx", "97", "Vembo", "Zrox"] {
        assert!(!view.text.contains(value), "{value}");
        assert!(!view.shown.iter().flatten().any(|cell| cell.contains(value)), "{value}");
    }
    let first = view.text.lines().nth(1).unwrap();
    assert!(first.contains("\"warning\": \"Keep this plan as safe as the data"), "{first}");
    let plan = Plan::parse(&view.text).unwrap();
    assert_eq!((plan.least, plan.to_json()), (3, view.text.clone()));
    assert!(plan.columns.iter().all(|column| column.others));
    // Applied to the same table and to another one, nobody is refused; what is not named shows * there, and what is shown
    // covers what the row has.
    let other = csv.replace("Quonx", "Elsewhere").replace("97,", "17,");
    for csv in [csv, other] {
        let engine = Engine::default();
        open_files(&engine, vec![file("new.csv", csv.clone())]).unwrap();
        ask(&engine, Request::LoadPlan { text: view.text.clone() }, vec![]).unwrap();
        let (applied, release) = apply(&engine, Unseen::Refuse, true).unwrap();
        assert_eq!((applied.released, applied.unseen.len()), (604, 0));
        let cells = plan.cells();
        let mut shown: BTreeMap<(String, String, String, String), u64> = BTreeMap::new();
        for line in csv.lines().skip(1) {
            let row: Vec<&str> = line.split(',').collect();
            let place = |column: usize, text: &str| {
                let values = &plan.columns[column].values;
                values.iter().position(|value| value == text).unwrap_or(values.len()) as u32
            };
            let class = plan.class_of(&[place(0, row[1]), place(1, row[0]), place(2, row[2])]);
            for (column, text) in [row[1], row[0], row[2]].into_iter().enumerate() {
                let named = plan.columns[column].values.iter().any(|value| value == text);
                assert!(named || cells[class][column] == "*", "{line}: {:?}", cells[class]);
                let reader = Reader::new(None, plan.columns[column].values.iter().map(String::as_str).chain([text]));
                assert!(reader.read(&cells[class][column]).unwrap().covers(&reader.value(text)), "{line}");
            }
            let [town, age, sex] = &cells[class][..] else { panic!() };
            *shown.entry((town.clone(), age.clone(), sex.clone(), row[3].to_owned())).or_default() += 1;
        }
        let mut released = BTreeMap::new();
        let mut reader = csv::ReaderBuilder::new().from_reader(release.as_bytes());
        for row in reader.records().map(Result::unwrap) {
            let cells = (row[1].to_owned(), row[2].to_owned(), row[3].to_owned(), row[4].to_owned());
            *released.entry(cells).or_default() += 1;
        }
        assert_eq!(released, shown);
    }
    // Without a k, values of fewer rows than ℓ are not named.
    let (csv, policy) = with_rare_values();
    let policy = policy.replace(r#", "privacy": [{"model": "k-anonymity", "k": 3}]"#, "");
    let engine = Engine::default();
    open_files(&engine, vec![file("past.csv", csv), file("policy.json", policy)]).unwrap();
    let view = make(&engine, settings(2, Some(Wish::Rows(400)))).unwrap();
    assert!(!view.text.contains("Quonx") && view.text.contains("Vembo"));
}

/// Plans that were made before this are read as they are.
#[test]
fn a_plan_without_a_warning_is_read() {
    let text = make(&engine(2000, 1), settings(3, Some(Wish::Rows(1500)))).unwrap().text;
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = json.as_object_mut().unwrap();
    assert!(keys.remove("warning").is_some() && keys.remove("least_rows").is_some());
    let old = Plan::parse(&json.to_string()).unwrap();
    let new = Plan::parse(&text).unwrap();
    assert_eq!((old.least, old.cells(), &old.columns), (0, new.cells(), &new.columns));
    json["warning"] = serde_json::json!(5);
    assert!(Plan::parse(&json.to_string()).is_err());
}

/// Who has v0 has HIV or a cell that `missing` stands for, who has v1 has Flu or HIV.
fn with_missing(header: &str, missing: &str) -> String {
    let rows = format!("v0,{missing}\nv1,Flu\nv0,HIV\nv1,HIV\n");
    format!("{header}\n{}", rows.repeat(80))
}

/// A policy whose table has missing cells by a token of its own and by two in the columns.
fn policy_of_missing(missing: &str) -> String {
    format!(
        r#"{{"throng": 1, "reading": {{"missing_tokens": ["", "k.A."]}}, "columns": {{
            "q": {{"role": "quasi", "missing_tokens": ["none"]}},
            "d": {{"role": "sensitive", "missing": "{missing}", "missing_tokens": ["9"]}}}}}}"#
    )
}

fn made_of(csv: &str, policy: &str, l: u32) -> Result<PlanView, Failure> {
    let engine = Engine::default();
    open_files(&engine, vec![file("past.csv", csv), file("policy.json", policy)]).unwrap();
    make(&engine, PlanSettings { order: vec![], ..settings(l, None) })
}

fn applied_to(plan: &str, csv: &str) -> AppliedView {
    let engine = Engine::default();
    open_files(&engine, vec![file("new.csv", csv)]).unwrap();
    ask(&engine, Request::LoadPlan { text: plan.to_owned() }, vec![]).unwrap();
    apply(&engine, Unseen::Refuse, false).unwrap().0
}

/// An unknown cell is never one more value (docs/models.md): neither in the table that a plan is made from, nor in those that
/// it is applied to.
#[test]
fn unknown_cells_are_no_value_of_a_plan() {
    for token in ["", "k.A.", "9"] {
        let past = with_missing("q,d", token);
        // The class v0 alone would be admissible with the missing cell as a value, and is not without.
        let (value, unknown) = (policy_of_missing("value"), policy_of_missing("unknown"));
        assert_eq!(made_of(&past, &value, 2).unwrap().classes, 2);
        let made = made_of(&past, &unknown, 2).unwrap();
        assert_eq!(made.classes, 1, "{token}");
        assert_eq!(made.made.unwrap().values, 2);
        // With HIV and missing cells only there are no two values.
        let hiv = past.replace("Flu", token);
        assert!(made_of(&hiv, &value, 2).is_ok());
        assert_eq!(made_of(&hiv, &unknown, 2).unwrap_err().kind, FailureKind::Impossible);
    }
    // A plan of complete data, applied where cells are missing.
    let past = with_missing("q,d", "Flu");
    for (missing, l, below) in [("value", 2, 0), ("unknown", 1, 1)] {
        let plan = made_of(&past, &policy_of_missing(missing), 2).unwrap();
        assert_eq!(plan.classes, 2);
        for token in ["", "k.A.", "9"] {
            let view = applied_to(&plan.text, &with_missing("q,d", token));
            assert_eq!((view.l, view.below, view.classes), (l, below, 2), "{missing} {token}");
            let told: Vec<&str> = view.findings.iter().map(|finding| finding.name()).collect();
            assert_eq!(told, if missing == "value" { &["missing-value"][..] } else { &[] });
        }
        // What the plan does not call missing is a value, and told where it looks like none.
        let view = applied_to(&plan.text, &with_missing("q,d", "n/a"));
        assert_eq!((view.l, view.below), (2, 0));
        assert_eq!(view.findings.iter().map(|finding| finding.name()).collect::<Vec<_>>(), ["missing-token"]);
        // `*` is any value.
        assert_eq!(applied_to(&plan.text, &with_missing("q,d", "*")).l, 1);
    }
    // Only missing cells: one value, whatever it is.
    let plan = made_of(&past, &policy_of_missing("unknown"), 2).unwrap();
    let view = applied_to(&plan.text, &with_missing("q,d", "").replace("HIV", "k.A.").replace("Flu", "9"));
    assert_eq!((view.l, view.below), (1, 2));
}

/// The plan's tokens are those of its columns, whatever is missing where it is applied; all are one value, which has a class.
#[test]
fn a_plan_says_which_cells_are_missing() {
    let past = with_missing("q,d", "Flu").replace("v1", "none");
    let policy = policy_of_missing("unknown");
    let plan = made_of(&past, &policy, 2).unwrap();
    let json: serde_json::Value = serde_json::from_str(&plan.text).unwrap();
    assert_eq!(json["missing_tokens"], serde_json::json!(["", "k.A."]));
    assert_eq!(json["columns"][0]["missing_tokens"], serde_json::json!(["none"]));
    assert_eq!(json["sensitive_missing_tokens"], serde_json::json!(["9"]));
    assert_eq!(json["missing"], "unknown");
    assert_eq!(Plan::parse(&plan.text).unwrap().to_json(), plan.text);
    let expected = applied_to(&plan.text, &past).shown;
    for token in ["", "k.A.", " k.A. "] {
        assert_eq!(applied_to(&plan.text, &past.replace("none", token)).shown, expected, "{token}");
    }
    // Among other words for "not known" they are values that the plan has never seen.
    let engine = Engine::default();
    open_files(&engine, vec![file("new.csv", past.replace("none", "NA"))]).unwrap();
    ask(&engine, Request::LoadPlan { text: plan.text.clone() }, vec![]).unwrap();
    assert!(apply(&engine, Unseen::Refuse, false).is_err());
    // An older file says nothing of it: missing cells are what the table calls so, and a value.
    let mut old = json;
    let keys = old.as_object_mut().unwrap();
    for key in ["missing_tokens", "sensitive_missing_tokens", "missing"] {
        assert!(keys.remove(key).is_some());
    }
    assert!(Plan::parse(&old.to_string()).is_err(), "tokens of a column without those of the table");
    old["columns"][0].as_object_mut().unwrap().remove("missing_tokens");
    let view = applied_to(&old.to_string(), &past.replace("Flu", ""));
    assert_eq!((view.l, view.below), (2, 0));
    let parsed = Plan::parse(&old.to_string()).unwrap();
    assert_eq!(Plan::parse(&parsed.to_json()).unwrap(), parsed);
}

/// In simulations an unknown cell is no value that protects.
#[test]
fn simulations_know_unknown_cells() {
    let engine = Engine::default();
    let past = with_missing("q,d", "").replacen("v0,HIV", "v0,Flu", 40);
    open_files(&engine, vec![file("past.csv", past), file("policy.json", policy_of_missing("unknown"))]).unwrap();
    let plan = make(&engine, PlanSettings { order: vec![], ..settings(2, None) }).unwrap();
    assert_eq!(plan.classes, 2);
    let simulated = SimulateSettings {
        releases: 2,
        trials: 5,
        rows: Some(100),
        common: 3,
        seed: 1,
        anonymizers: Anonymizer::ALL.to_vec(),
    };
    let Ok(Response::Simulated(view)) = ask(&engine, Request::Simulate(simulated), vec![]) else { panic!() };
    assert!(view.results.iter().all(|result| result.by_releases[0].people == 15));
    // All have HIV, Flu or nothing that is known.
    assert_eq!(view.results[0].by_releases[0].failed, 0, "{view:?}");
}
