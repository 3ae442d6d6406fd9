//! Linking releases and applying plans, through the engine's door and the runner: against naive re-implementations of the
//! definitions, and with files that are not what they should be.
#![cfg(not(target_arch = "wasm32"))]

mod support;

#[path = "linkage/naive.rs"]
mod naive;
#[path = "linkage/plans.rs"]
mod plans;
#[path = "linkage/runner.rs"]
mod runner;

use std::collections::{BTreeMap, BTreeSet};

use naive::{Draws, NaiveRelease, partitioned, random_release};
use support::{ask, file, open_files};
use throng::engine::Engine;
use throng::failure::{Failure, FailureKind};
use throng::io::Source;
use throng::linkage::door::{LinkQuestion, SplitQuestion};
use throng::linkage::link::LinkView;
use throng::linkage::person::PersonLink;
use throng::protocol::{Request, Response, decode, encode};
use throng::table::Role;

fn link(engine: &Engine, original: bool, sources: Vec<Box<dyn Source>>) -> Result<LinkView, Failure> {
    let question = LinkQuestion { original, setup: original, ..LinkQuestion::default() };
    match ask(engine, Request::Link(question), sources)? {
        Response::Linked(view) => Ok(*view),
        other => panic!("{other:?}"),
    }
}

fn person(engine: &Engine, cells: &[(&str, &str)]) -> Result<PersonLink, Failure> {
    let cells = cells.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    match ask(engine, Request::LinkPerson { cells }, vec![])? {
        Response::LinkedPerson(person) => Ok(person),
        other => panic!("{other:?}"),
    }
}

const POLICY: &str = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "town": {"role": "quasi"},
    "illness": {"role": "sensitive"}}}"#;

/// Releases in many notations, with classes that overlap, against every row compared with every person.
#[test]
fn linking_is_what_comparing_all_rows_gives() {
    for seed in 0..60 {
        let mut draws = Draws(seed);
        let people: Vec<(u32, u32)> = (0..1 + draws.below(40)).map(|_| (1 + draws.below(12), draws.below(4))).collect();
        let releases: Vec<NaiveRelease> =
            (0..2 + draws.below(3)).map(|_| random_release(&mut draws, 5 + seed as u32)).collect();
        let original: String = std::iter::once("age,town,illness\n".to_owned())
            .chain(people.iter().map(|(age, town)| format!("{age},{},x\n", naive::TOWNS[*town as usize])))
            .collect();
        let engine = Engine::default();
        open_files(&engine, vec![file("original.csv", original), file("policy.json", POLICY)]).unwrap();
        let files = || releases.iter().map(|release| file("release.csv", release.text())).collect::<Vec<_>>();
        let view = link(&engine, true, files()).unwrap();
        assert_eq!(view.not_understood, []);
        let expected = naive::link(&releases, people.iter().copied());
        assert_eq!((view.population.linked, view.population.people), (expected.linked, people.len() as u64), "{seed}");
        assert_eq!(view.before, expected.before, "{seed}");
        assert_eq!(view.after, expected.by_releases.last().unwrap().clone(), "{seed}");
        for (growth, expected) in view.by_releases.iter().zip(&expected.by_releases) {
            assert_eq!(growth.spread, *expected);
            assert_eq!(growth.exposed, expected.iter().find(|(l, _)| *l == 1).map_or(0, |entry| entry.1));
        }
        let bytes = encode(&view);
        assert_eq!(decode::<LinkView>(&bytes).as_ref(), Ok(&view));
        // One person.
        let (age, town) = people[0];
        let found = person(&engine, &[("age", &age.to_string()), ("town", naive::TOWNS[town as usize])]);
        match naive::left(&releases, (age, town)) {
            Some(left) => {
                let mut counts = found.unwrap().left;
                counts.sort();
                assert_eq!(counts, left, "{seed}");
            }
            // In some release, or in none, there is no such person.
            None => assert!(found.is_err() || found.unwrap().releases.iter().any(|release| release.classes == 0)),
        }
        // The worst off are who they are said to be.
        for worst in &view.worst_off {
            let cells: Vec<(&str, &str)> = view
                .quasi
                .iter()
                .zip(&worst.cells)
                .map(|(name, cell)| (name.as_str(), cell.as_deref().unwrap()))
                .collect();
            assert_eq!(person(&engine, &cells).unwrap().l, worst.after, "{seed}");
        }
        let least = view.after.iter().map(|(l, _)| *l).find(|l| *l > 0);
        assert_eq!(view.worst_off.first().map(|worst| worst.after), least, "{seed}");
        // The order of the releases changes nothing at the end.
        let turned = link(&engine, true, files().into_iter().rev().collect()).unwrap();
        assert_eq!(turned.after, expected.by_releases.last().unwrap().clone());
    }
}

/// Without an original table: the cells of the finest common refinement, where classes are apart.
#[test]
fn common_cells_are_those_of_all_possible_people() {
    for seed in 0..60 {
        let mut draws = Draws(1000 + seed);
        let releases: Vec<NaiveRelease> = (0..2 + draws.below(2)).map(|_| partitioned(&mut draws)).collect();
        let files = releases.iter().map(|release| file("release.csv", release.text()));
        let sources = files.chain([file("policy.json", POLICY)]).collect();
        let view = link(&Engine::default(), false, sources).unwrap();
        let everyone = (1..=12).flat_map(|age| (0..4).map(move |town| (age, town)));
        // People who are in the same classes of all releases are one cell.
        let mut seen = BTreeSet::new();
        let cells = everyone.filter(|&who| seen.insert(naive::classes(&releases, who)));
        let expected = naive::link(&releases, cells);
        assert!(view.population.complete && !view.population.original);
        assert_eq!(view.population.linked, expected.linked, "{seed}");
        assert_eq!(view.after, expected.by_releases.last().unwrap().clone(), "{seed}");
        assert_eq!(view.before, expected.before, "{seed}");
        let engine = Engine::default();
        let files = releases.iter().map(|release| file("release.csv", release.text()));
        link(&engine, false, files.chain([file("policy.json", POLICY)]).collect()).unwrap();
        for worst in &view.worst_off {
            let cells: Vec<(&str, &str)> = view
                .quasi
                .iter()
                .zip(&worst.cells)
                .map(|(name, cell)| (name.as_str(), cell.as_deref().unwrap()))
                .collect();
            assert_eq!(person(&engine, &cells).unwrap().l, worst.after, "{seed} {cells:?}");
        }
        assert!(view.offers.iter().all(|offers| !offers.is_empty()) || view.population.linked == 0);
    }
}

/// Roles that a person gives, dates, masks and values to pick from.
#[test]
fn people_can_be_picked() {
    let a = "born,zip,job,illness\n2001-05-01..2001-06-30,AB1*,clerk,flu\n2001-05-01..2001-06-30,AB1*,clerk,cold\n";
    let b = "born,zip,job,illness\n2001-06,AB**,clerk,flu\n2001-06,AB**,clerk,gout\n";
    let engine = Engine::default();
    let ask_with = |roles: &[(&str, Role)]| {
        let roles = roles.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
        let question = LinkQuestion { roles, ..LinkQuestion::default() };
        match ask(&engine, Request::Link(question), vec![file("a.csv", a), file("b.csv", b)]) {
            Ok(Response::Linked(view)) => *view,
            other => panic!("{other:?}"),
        }
    };
    let roles = [("born", Role::Quasi), ("zip", Role::Quasi), ("illness", Role::Sensitive)];
    let view = ask_with(&roles);
    let mut expected = roles.map(|(name, role)| (name.to_owned(), role)).to_vec();
    expected.insert(2, ("job".to_owned(), Role::Insensitive));
    assert_eq!(view.common, expected);
    assert!(view.offers[0].iter().any(|born| born == "2001-06-30"), "{:?}", view.offers);
    assert!(view.offers[0].iter().all(|born| born.starts_with("2001-06")), "{:?}", view.offers);
    assert_eq!(view.offers[1], ["AB1…"]);
    let worst = &view.worst_off[0];
    assert_eq!((worst.before, worst.after), (2, 1));
    let (born, zip) = (worst.cells[0].clone().unwrap(), worst.cells[1].clone().unwrap());
    let found = person(&engine, &[("born", &born), ("zip", &zip)]).unwrap();
    assert_eq!(found.left, [("flu".to_owned(), 1)]);
    let view = ask_with(&[("job", Role::Quasi), ("illness", Role::Sensitive)]);
    assert_eq!((view.quasi, view.offers), (vec!["job".to_owned()], vec![vec!["clerk".to_owned()]]));
}

const PEOPLE: &str = "age,town,illness\n21,Rome,flu\n23,Rome,cold\n25,Oslo,flu\n29,Oslo,gout\n32,Rome,flu\n34,Rome,gout\n\
    37,Oslo,cold\n38,Oslo,flu\n21,Oslo,cold\n33,Rome,cold\n";

const RUN_POLICY: &str = r#"{"throng": 1, "columns": {
    "age": {"role": "quasi", "hierarchy": {"recipe": {"intervals": {"width": 5, "factors": [2]}}}},
    "town": {"role": "quasi", "hierarchy": {"rows": [["Rome", "south", "*"], ["Oslo", "north", "*"]]}},
    "illness": {"role": "sensitive"}},
    "privacy": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}],
    "algorithm": {"name": "ALGORITHM"}}"#;

/// Releases of Throng's own algorithms and one in another tool's notation, linked with the policy's hierarchies: every
/// person is found in every release, with their own illness among those that are left.
#[test]
fn own_releases_and_those_of_another_tool() {
    let other = "town;age;illness\n{Rome};[20-29];flu\n{Rome};[20-29];cold\n{Oslo};[20, 30[;flu\n{Oslo};[20, 30[;gout\n\
        {Oslo};[20, 30[;cold\nRome or Paris;3*;flu\nRome or Paris;3*;gout\nRome or Paris;3*;cold\n*;>=35;cold\n*;>=35;flu\n";
    for algorithm in ["lattice", "k-member", "mondrian", "greedy-cka"] {
        let policy = RUN_POLICY.replace("ALGORITHM", algorithm);
        let engine = Engine::default();
        open_files(&engine, vec![file("people.csv", PEOPLE), file("policy.json", policy.clone())]).unwrap();
        ask(&engine, Request::Run, vec![]).unwrap();
        let export = Request::Export { protected: false, row_numbers: false };
        let Ok(Response::File(own)) = ask(&engine, export, vec![]) else { panic!() };
        let sources = || vec![file("own.csv", own.clone()), file("other.csv", other)];
        let view = link(&engine, true, sources()).unwrap();
        assert_eq!((view.not_understood.len(), view.population.linked), (0, 10), "{algorithm}: {view:?}");
        assert!(view.after.iter().all(|(l, _)| *l > 0));
        for line in PEOPLE.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let found = person(&engine, &[("age", cells[0]), ("town", cells[1])]).unwrap();
            assert!(found.left.iter().any(|(illness, _)| illness == cells[2]), "{algorithm}: {line}: {found:?}");
        }
        // The same from the policy alone, without the original.
        let mut with_policy = sources();
        with_policy.push(file("policy.json", policy.clone()));
        let alone = Engine::default();
        let view = link(&alone, false, with_policy).unwrap();
        assert_eq!(view.not_understood, []);
        assert!(view.population.linked > 0 && !view.population.original);
        let found = person(&alone, &[("age", "25"), ("town", "Oslo")]).unwrap();
        assert!(found.releases.iter().all(|release| release.classes >= 1));
        // Nothing known of the town: both towns' classes.
        let vague = person(&alone, &[("age", "25")]).unwrap();
        assert!(vague.l >= found.l);
    }
}

/// A sensitive cell that is generalized stands for all it may be.
#[test]
fn generalized_sensitive_cells_are_any_of_their_values() {
    let policy = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "illness": {"role": "sensitive", "hierarchy":
        {"rows": [["flu", "lungs", "*"], ["asthma", "lungs", "*"], ["gout", "feet", "*"]]}}}}"#;
    let sources = vec![
        file("a.csv", "age,illness\n20-29,lungs\n20-29,gout\n"),
        file("b.csv", "age,illness\n25,flu\n25,NA\n"),
        file("c.csv", "age,illness\n20..30,*\n"),
        file("policy.json", policy),
    ];
    let engine = Engine::default();
    let view = link(&engine, false, sources).unwrap();
    assert_eq!(
        view.by_releases.iter().map(|growth| growth.spread.clone()).collect::<Vec<_>>(),
        [vec![(3, 1)], vec![(1, 1)], vec![(1, 1)]]
    );
    assert_eq!(person(&engine, &[("age", "25")]).unwrap().left, [("flu".to_owned(), 1)]);
}

#[test]
fn a_table_cut_in_parts_that_share_people() {
    let engine = Engine::default();
    let policy = RUN_POLICY.replace("ALGORITHM", "mondrian");
    let mut draws = Draws(5);
    let rows = (0..400).map(|_| {
        let illness = ["flu", "cold", "gout", "acne"][draws.below(4) as usize];
        format!("{},{},{illness}\n", 20 + draws.below(20), ["Rome", "Oslo"][draws.below(2) as usize])
    });
    let table: String = std::iter::once("age,town,illness\n".to_owned()).chain(rows).collect();
    open_files(&engine, vec![file("people.csv", table), file("policy.json", policy)]).unwrap();
    let split =
        |parts: u32, overlap: f64| ask(&engine, Request::LinkSplit(SplitQuestion { parts, overlap, seed: 3 }), vec![]);
    let Ok(Response::Linked(view)) = split(3, 0.2) else { panic!() };
    // Everyone in common is in a class of each part and keeps their own illness.
    assert_eq!((view.population.people, view.population.linked), (80, 80));
    assert_eq!(view.releases.iter().map(|release| release.rows).sum::<u64>(), 3 * 80 + 320);
    assert!(view.releases.iter().all(|release| release.l >= 2) && view.after.iter().all(|(l, _)| *l >= 1));
    assert!(view.exposed_after > 0 && view.exposed_before == 0, "{view:?}");
    for (parts, overlap) in [(1, 0.2), (2, 0.0), (2, 1.5), (17, 0.2), (2, f64::NAN)] {
        assert_eq!(split(parts, overlap).unwrap_err().kind, FailureKind::Policy);
    }
}

#[test]
fn what_can_not_be_linked_is_said() {
    let a = "age,town,illness\n20-29,Rome,flu\n20-29,Rome,cold\n";
    let refused = |sources: Vec<Box<dyn Source>>, expected: &str| {
        let failure = link(&Engine::default(), false, sources).unwrap_err();
        assert!(failure.what.contains(expected), "{failure}");
        for value in ["20-29", "Rome", "flu", "twenty"] {
            assert!(!failure.to_string().contains(value), "{failure}");
        }
        failure
    };
    refused(vec![file("a.csv", a)], "at least two");
    refused(vec![], "at least two");
    refused(vec![file("a.csv", a), file("b.csv", "colour,size\nred,1\n")], "no column in common");
    refused(vec![file("a.csv", a), file("b.csv", "age,town\n25,Rome\n")], "“age”, “town”");
    refused(vec![file("a.csv", a), file("b.csv", "illness,size\nflu,1\n")], "No quasi-identifier");
    let policy = |text: &str| file("policy.json", text.to_owned());
    let two = || vec![file("a.csv", a), file("b.csv", a)];
    let with = |text: &str| two().into_iter().chain([policy(text)]).collect::<Vec<_>>();
    refused(with(r#"{"throng": 1, "columns": {}, "rows": 3}"#), "unknown field `rows`");
    let failure = refused(with("{"), "not JSON");
    assert_eq!(failure.place.file.as_deref(), Some("policy.json"));
    refused(
        with(r#"{"throng": 1, "columns": {"age": {"role": "quasi", "hierarchy": {"file": "age.csv"}}}}"#),
        "“age.csv”",
    );
    refused(
        with(r#"{"throng": 1, "columns": {"age": {"role": "quasi", "hierarchy": {"rows": []}}}}"#),
        "hierarchy of column “age” is no tree",
    );
    refused(with(r#"{"throng": 1, "columns": {"age": {"role": "sensitive"}}}"#), "No quasi-identifier");
    let alone = two().into_iter().chain([file("age.csv", "1;*\n2;*\n")]).collect();
    refused(alone, "without a policy");
    // Cells that are not understood are left out with their rows, and named by column and count.
    let broken = "age,town,illness\n20-29,Rome,flu\ntwenty,Rome,cold\n[30,Rome,cold\n20-29,Rome,gout\n25,{Rome,cold\n";
    let sources = vec![file("a.csv", a), file("b.csv", broken), policy(POLICY)];
    let view = link(&Engine::default(), false, sources).unwrap();
    let lost: Vec<_> = view.not_understood.iter().map(|lost| (lost.column.as_str(), lost.cells, lost.rows)).collect();
    assert_eq!(lost, [("age", 2, 2), ("town", 1, 1)]);
    assert_eq!((&view.not_understood[0].first, &view.not_understood[1].first), (&vec![2, 3], &vec![5]));
    assert_eq!((view.releases[1].rows, view.releases[1].left_out), (2, 3));
    // Persons.
    let engine = Engine::default();
    assert_eq!(person(&engine, &[("age", "25")]).unwrap_err().kind, FailureKind::Refused);
    link(&engine, false, with(POLICY)).unwrap();
    assert!(person(&engine, &[("shoe", "25")]).unwrap_err().what.contains("“shoe”"));
    assert!(person(&engine, &[("age", "60")]).unwrap_err().what.contains("No release"));
    assert_eq!(person(&engine, &[]).unwrap().l, 2);
    // An empty release has nobody.
    let view =
        link(&engine, false, vec![file("a.csv", a), file("b.csv", "age,town,illness\n"), policy(POLICY)]).unwrap();
    assert_eq!((view.population.linked, view.after), (0, vec![]));
}

/// Many classes in both, told apart by one column: found without trying all pairs.
#[test]
fn large_releases() {
    let release = |mask: bool| -> String {
        let row = |number: u32| {
            let code = 10_000 + number / 3 % 20_000;
            let code = if mask { format!("{}*", code / 10) } else { code.to_string() };
            format!("{code},{},i{}\n", ["F", "M"][(number / 7 % 2) as usize], number * 7 % 11)
        };
        std::iter::once("code,sex,illness\n".to_owned()).chain((0..60_000).map(row)).collect()
    };
    let policy = r#"{"throng": 1, "columns": {"code": {"role": "quasi"}, "sex": {"role": "quasi"},
        "illness": {"role": "sensitive"}}}"#;
    let sources = vec![file("a.csv", release(false)), file("b.csv", release(true)), file("policy.json", policy)];
    let view = link(&Engine::default(), false, sources).unwrap();
    assert!(view.population.complete);
    // Every class of the finer release lies in one of the coarser.
    assert_eq!(view.population.linked, view.releases[0].classes);
    assert!(view.releases[0].classes > 20_000 && view.releases[1].classes > 3_000, "{:?}", view.releases);
}

/// GREEDY-GENERALIZE as a policy's algorithm: the classes of a naive sweep over the ordered quasi-identifiers.
#[test]
fn greedy_generalize_from_a_policy() {
    for seed in 0..20 {
        let mut draws = Draws(7000 + seed);
        let l = 2 + draws.below(3) as usize;
        let rows: Vec<(u32, usize, u32)> = (0..40 + draws.below(200))
            .map(|_| (20 + draws.below(20), draws.below(4) as usize, draws.below(6)))
            .collect();
        let lines = rows.iter().map(|(age, town, illness)| format!("{age},{},i{illness}\n", naive::TOWNS[*town]));
        let table: String = std::iter::once("age,town,illness\n".to_owned()).chain(lines).collect();
        let policy = format!(
            r#"{{"throng": 1, "columns": {{
                "age": {{"role": "quasi", "hierarchy": {{"recipe": {{"intervals": {{"width": 5, "factors": [2]}}}}}}}},
                "town": {{"role": "quasi", "hierarchy": {{"rows": [{}]}}}}, "illness": {{"role": "sensitive"}}}},
                "privacy": [{{"model": "distinct-l-diversity", "l": {l}}}],
                "algorithm": {{"name": "greedy-generalize", "refine": false}}}}"#,
            naive::TOWNS.map(|town| format!(r#"["{town}", "*"]"#)).join(",")
        );
        let engine = Engine::default();
        open_files(&engine, vec![file("people.csv", table), file("policy.json", policy)]).unwrap();
        let outcome = ask(&engine, Request::Run, vec![]);
        // The same by hand.
        let mut groups: BTreeMap<(u32, usize), Vec<u32>> = BTreeMap::new();
        rows.iter().for_each(|&(age, town, illness)| groups.entry((age, town)).or_default().push(illness));
        let mut classes: Vec<Vec<u32>> = vec![Vec::new()];
        let distinct = |class: &[u32]| class.iter().collect::<BTreeSet<_>>().len();
        for group in groups.into_values() {
            if classes.last().is_some_and(|class| distinct(class) >= l) {
                classes.push(Vec::new());
            }
            classes.last_mut().unwrap().extend(group);
        }
        if distinct(classes.last().unwrap()) < l {
            let short = classes.pop().unwrap();
            match classes.last_mut() {
                Some(before) => before.extend(short),
                None => {
                    assert!(outcome.is_err(), "{seed}");
                    continue;
                }
            }
        }
        let Ok(Response::Ran(view)) = outcome else { panic!("{seed} {outcome:?}") };
        assert!(view.verified.requirements[0].achieved >= l as f64);
        assert_eq!((view.verified.rows, view.verified.suppressed), (rows.len() as u64, 0));
        // Classes that show the same are one to a reader.
        assert!(view.verified.classes <= classes.len() as u64 && view.verified.classes > 0, "{seed}");
        let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: true }, vec![])
        else {
            panic!()
        };
        let text = String::from_utf8(bytes).unwrap();
        let mut shown: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let (start, illness) = line.rsplit_once(',').unwrap();
            shown.entry(start.split_once(',').unwrap().1).or_default().insert(illness);
        }
        assert!(shown.values().all(|values| values.len() >= l), "{seed}");
    }
}
