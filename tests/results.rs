//! What the Results page is told of a release (its classes, columns, and what an attacker makes of it) against naive
//! readings of the released file: cells are sets of values, classes are rows with the same texts.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::{ask, file, open_files};
use throng::attack::exposure::Exposure;
use throng::attack::target::{TargetView, Who};
use throng::audit::{ClassCard, ClassMap, ClassOrder, ClassesPage, ColumnChange, Listing};
use throng::engine::Engine;
use throng::policy::Distance;
use throng::protocol::{Request, Response, Subject};

/// Each value with its groups. “w” is a value and a group: to a reader the text may be either.
const TREE: [[&str; 4]; 8] = [
    ["u0", "A", "L", "*"],
    ["u1", "A", "L", "*"],
    ["u2", "B", "L", "*"],
    ["u3", "B", "L", "*"],
    ["u4", "C", "R", "*"],
    ["u5", "C", "R", "*"],
    ["w", "w", "R", "*"],
    ["u7", "w", "R", "*"],
];

struct Case {
    engine: Engine,
    /// Two quasi-identifiers and the secret.
    table: Vec<[String; 3]>,
    /// Released rows: the input's row and its cells.
    release: Vec<(usize, [String; 3])>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

fn covers(text: &str, value: &str) -> bool {
    TREE.iter().any(|path| path[0] == value && path.contains(&text))
}

/// Runs a policy on a made-up table; `None` if nothing meets it.
fn case(seed: u64, algorithm: &str, privacy: &str, secrets: usize) -> Option<Case> {
    let mut random = Random(seed);
    let rows = 14 + random.below(40);
    let table: Vec<[String; 3]> = (0..rows)
        .map(|_| {
            let mut value = || TREE[random.below(8).min(random.below(8))][0].to_owned();
            [value(), value(), random.below(secrets).min(random.below(secrets)).to_string()]
        })
        .collect();
    case_of(table, &format!(r#"{{"name": "{algorithm}"}}"#), privacy)
}

fn case_of(table: Vec<[String; 3]>, algorithm: &str, privacy: &str) -> Option<Case> {
    let lines: String = table.iter().map(|row| row.join(",") + "\n").collect();
    let tree = format!("{TREE:?}");
    let policy = format!(
        r#"{{"throng": 1, "columns": {{"name": {{"role": "identifier"}}, "q1": {{"role": "quasi", "hierarchy": {{"rows": {tree}}}}},
            "q2": {{"role": "quasi", "hierarchy": {{"rows": {tree}}}}}, "s": {{"role": "sensitive"}}}},
            "privacy": {privacy}, "suppression_limit": 0.2, "algorithm": {algorithm}}}"#
    );
    let named: String = lines.lines().enumerate().map(|(row, line)| format!("p{row},{line}\n")).collect();
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", format!("name,q1,q2,s\n{named}")), file("policy.json", policy)])
        .unwrap();
    ask(&engine, Request::Run, vec![]).ok()?;
    let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: true }, vec![])
    else {
        panic!("no file")
    };
    let text = String::from_utf8(bytes).unwrap();
    let row = |line: &str| {
        let mut cells = line.split(',').map(str::to_owned);
        let number: usize = cells.next().unwrap().parse().unwrap();
        (number - 1, [cells.next().unwrap(), cells.next().unwrap(), cells.next().unwrap()])
    };
    let release = text.lines().skip(1).map(row).collect();
    Some(Case { engine, table, release })
}

/// Every algorithm on some tables, with what is said of each release.
fn cases(privacy: &str, look: &mut dyn FnMut(&Case)) -> usize {
    let mut seen = 0;
    for algorithm in ["lattice", "k-member", "mondrian"] {
        for seed in 0..25 {
            if let Some(case) = case(seed * 7 + 1, algorithm, privacy, 2 + seed as usize % 5) {
                look(&case);
                seen += 1;
            }
        }
    }
    seen
}

type Cells = (String, String);

impl Case {
    fn classes(&self) -> BTreeMap<Cells, Vec<&str>> {
        let mut classes: BTreeMap<Cells, Vec<&str>> = BTreeMap::new();
        for (_, [q1, q2, s]) in &self.release {
            classes.entry((q1.clone(), q2.clone())).or_default().push(s);
        }
        classes
    }

    /// The secrets of all released rows that fit somebody.
    fn fitting(&self, q1: &str, q2: &str) -> Vec<&str> {
        let fits = |cells: &[String; 3]| covers(&cells[0], q1) && covers(&cells[1], q2);
        self.release.iter().filter(|(_, cells)| fits(cells)).map(|(_, cells)| cells[2].as_str()).collect()
    }

    fn ask(&self, request: Request) -> Response {
        ask(&self.engine, request, vec![]).unwrap()
    }

    fn target(&self, who: Who) -> TargetView {
        match self.ask(Request::Target { column: Some(2), who }) {
            Response::Target(target) => *target,
            other => panic!("{other:?}"),
        }
    }

    fn page(&self, listing: Listing) -> ClassesPage {
        match self.ask(Request::Classes { of: Subject::Release, column: 2, listing }) {
            Response::Classes(page) => page,
            other => panic!("{other:?}"),
        }
    }
}

fn counts<'a>(values: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    values.into_iter().for_each(|value| *counts.entry(value.to_owned()).or_default() += 1.0);
    counts
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

const TWO: &str = r#"[{"model": "k-anonymity", "k": 2}]"#;

#[test]
fn one_person_is_looked_for_in_every_class_that_covers_them() {
    let (mut left_out, mut several, mut nowhere) = (0, 0, 0);
    let seen = cases(TWO, &mut |case| {
        let kept: BTreeSet<usize> = case.release.iter().map(|row| row.0).collect();
        for (row, [q1, q2, s]) in case.table.iter().enumerate() {
            let target = case.target(Who::Row(row as u64 + 1));
            assert_eq!(target.known, [("q1".to_owned(), q1.clone()), ("q2".to_owned(), q2.clone())]);
            assert_eq!(target.value.as_ref(), Some(s));
            assert_eq!(target.left_out, !kept.contains(&row));
            let before: Vec<&str> = case
                .table
                .iter()
                .filter(|other| other[0] == *q1 && other[1] == *q2)
                .map(|other| other[2].as_str())
                .collect();
            assert_eq!(target.before.rows, before.len() as u64);
            assert_eq!(target.before.values.iter().cloned().collect::<BTreeMap<_, _>>(), counts(before));
            let after = case.fitting(q1, q2);
            assert_eq!(target.after.rows, after.len() as u64);
            assert_eq!(target.after.values.iter().cloned().collect::<BTreeMap<_, _>>(), counts(after));
            let classes = case.classes();
            let fits = |cells: &&Cells| covers(&cells.0, q1) && covers(&cells.1, q2);
            assert_eq!(target.fitting, classes.keys().filter(fits).count() as u64);
            for (_, size, cells) in &target.classes {
                assert_eq!(classes[&(cells[0].clone(), cells[1].clone())].len(), *size as usize);
            }
            left_out += usize::from(target.left_out);
            several += usize::from(target.fitting > 1);
            nowhere += usize::from(target.fitting == 0);
            // The same by what is known of them.
            let typed = case.target(Who::Known(vec![q1.clone(), q2.clone()]));
            assert_eq!((typed.after, typed.before, typed.value), (target.after, target.before, None));
        }
    });
    assert!(seen > 60 && left_out > 0 && several > 0 && nowhere > 0, "{seen} {left_out} {several} {nowhere}");
}

#[test]
fn what_is_known_may_be_a_group_or_nothing() {
    let members = |text: &str| TREE.iter().filter(|path| path.contains(&text)).map(|path| path[0]).collect::<Vec<_>>();
    cases(TWO, &mut |case| {
        for known in ["A", "R", "*", "u7", "C", ""] {
            let values = if known.is_empty() { members("*") } else { members(known) };
            let target = case.target(Who::Known(vec![known.into(), String::new()]));
            let before = case.table.iter().filter(|row| values.contains(&row[0].as_str())).count();
            let after =
                case.release.iter().filter(|(_, cells)| values.iter().any(|value| covers(&cells[0], value))).count();
            assert_eq!((target.before.rows, target.after.rows), (before as u64, after as u64), "{known}");
        }
        let wrong = Request::Target { column: Some(2), who: Who::Known(vec!["nobody".into()]) };
        let failure = ask(&case.engine, wrong, vec![]).unwrap_err();
        assert!(failure.what.contains("“q1”") && !failure.what.contains("nobody"));
    });
}

#[test]
fn everyone_is_attacked_as_one_by_one() {
    let mut certain_after = 0;
    let mut attack = |case: &Case| {
        let Response::Exposure(exposure) = case.ask(Request::Exposure { column: Some(2) }) else { panic!() };
        let Exposure { before, after, .. } = &*exposure;
        let one = |values: &[&str]| values.iter().all(|value| *value == values[0]) && !values.is_empty();
        let mut expected = [0u64; 5];
        let classes = case.classes();
        for [q1, q2, s] in &case.table {
            let twins: Vec<&str> = case
                .table
                .iter()
                .filter(|other| other[0] == *q1 && other[1] == *q2)
                .map(|other| other[2].as_str())
                .collect();
            let fitting = case.fitting(q1, q2);
            let fit = classes.keys().filter(|cells| covers(&cells.0, q1) && covers(&cells.1, q2)).count();
            expected[0] += u64::from(one(&twins));
            expected[1] += u64::from(one(&fitting) && fitting[0] == s);
            expected[2] += u64::from(one(&fitting) && fitting[0] != s);
            expected[3] += u64::from(fitting.is_empty());
            expected[4] += u64::from(fit > 1);
        }
        let found = [before.certain, after.certain, exposure.mistaken, exposure.nowhere, exposure.several];
        assert_eq!(found, expected);
        certain_after += after.certain;
        assert_eq!((before.tried, after.tried), (case.table.len() as u64, case.table.len() as u64));
        assert_eq!(exposure.left_out, (case.table.len() - case.release.len()) as u64);
        // Prosecutor: the class; journalist: all of the original whom its cells fit; marketer: one a class.
        let persons = |cells: &Cells| {
            case.table.iter().filter(|row| covers(&cells.0, &row[0]) && covers(&cells.1, &row[1])).count()
        };
        let smallest = classes.values().map(Vec::len).min().unwrap();
        assert!(close(after.prosecutor.highest, 1.0 / smallest as f64));
        // 0.09 needs classes of 12; 11 are taken in practice.
        let of_fewer = |least: usize| classes.values().map(Vec::len).filter(|size| *size < least).sum::<usize>() as u64;
        assert_eq!((after.prosecutor.above, after.prosecutor.below_11), (of_fewer(12), of_fewer(11)));
        let least = classes.keys().map(persons).min().unwrap();
        assert!(close(after.journalist.highest, 1.0 / least as f64));
        let of_fewer = |least: usize| {
            let few = classes.iter().filter(|(cells, _)| persons(cells) < least);
            few.map(|(_, rows)| rows.len() as u64).sum::<u64>()
        };
        assert_eq!((after.journalist.above, after.journalist.below_11), (of_fewer(12), of_fewer(11)));
        assert!(close(after.marketer, classes.len() as f64 / case.release.len() as f64));
        assert!(after.journalist.highest <= after.prosecutor.highest);
        assert_eq!(exposure.fallen_after.last().unwrap().rows, case.release.len() as u64);
        assert_eq!(exposure.fallen_before[0].rows, before.certain);
        exposure.mistaken
    };
    // A person of the group “w” who is left out seems to be one of those who have the value “w”.
    let rows = [["w", "u0", "1"], ["u1", "u1", "0"], ["u2", "u2", "1"]];
    let mut table: Vec<[String; 3]> = rows.iter().flat_map(|row| vec![row.map(str::to_owned); 9]).collect();
    table.push(["u7", "u0", "0"].map(str::to_owned));
    let case = case_of(table, r#"{"name": "lattice", "metric": "height"}"#, TWO).unwrap();
    assert_eq!((case.release.len(), attack(&case)), (27, 1));
    cases(TWO, &mut |case| {
        attack(case);
    });
    assert!(certain_after > 0);
}

#[test]
fn classes_just_above_the_line_have_at_most_a_tenth_to_spare() {
    let privacy = r#"[{"model": "k-anonymity", "k": 3}, {"model": "entropy-l-diversity", "l": 1.3, "attribute": "s"},
        {"model": "t-closeness", "t": 0.45, "attribute": "s"}]"#;
    let (mut near_ones, mut far_ones) = (0, 0);
    let seen = cases(privacy, &mut |case| {
        let whole = counts(case.table.iter().map(|row| row[2].as_str()));
        let room = |values: &Vec<&str>| {
            let here = counts(values.iter().copied());
            let size = values.len() as f64;
            let entropy: f64 = here.values().map(|count| -(count / size) * (count / size).ln()).sum();
            let t: f64 = whole
                .iter()
                .map(|(value, count)| (here.get(value).unwrap_or(&0.0) / size - count / case.table.len() as f64).abs())
                .sum::<f64>()
                / 2.0;
            [(size - 3.0) / 3.0, (entropy.exp() - 1.3) / 1.3, (0.45 - t) / 0.45]
                .into_iter()
                .fold(f64::INFINITY, f64::min)
        };
        let classes = case.classes();
        let expected: BTreeSet<Vec<String>> = classes
            .iter()
            .filter(|(_, values)| room(values) <= 0.1 + 1e-9)
            .map(|(cells, _)| vec![cells.0.clone(), cells.1.clone()])
            .collect();
        let page = case.page(Listing { near: true, count: 500, ..Listing::default() });
        assert_eq!(page.total, expected.len() as u64);
        assert_eq!(page.rows.iter().map(|row| row.cells.clone()).collect::<BTreeSet<_>>(), expected);
        near_ones += expected.len();
        far_ones += classes.len() - expected.len();
        // By room, in pages of two.
        let mut rooms = Vec::new();
        for first in (0..classes.len() as u64).step_by(2) {
            let page = case.page(Listing { order: ClassOrder::LeastRoom, near: false, first, count: 2 });
            rooms.extend(page.rows.iter().map(|row| room(&classes[&(row.cells[0].clone(), row.cells[1].clone())])));
        }
        assert_eq!(rooms.len(), classes.len());
        assert!(rooms.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "{rooms:?}");
    });
    assert!(seen > 20 && near_ones > 0 && far_ones > 0, "{seen} {near_ones} {far_ones}");
}

#[test]
fn a_class_stands_against_the_original_table() {
    cases(TWO, &mut |case| {
        let classes = case.classes();
        let Response::ClassMap(map) = case.ask(Request::ClassMap { column: 2 }) else { panic!() };
        let ClassMap { rows, classes: number, sizes, largest, rest } = *map;
        assert_eq!((rows, number, rest.0), (case.release.len() as u64, classes.len() as u64, 0));
        for band in &sizes {
            let within = |values: &&Vec<&str>| {
                values.len() >= band.from as usize && band.to.is_none_or(|to| values.len() <= to as usize)
            };
            assert_eq!(band.classes, classes.values().filter(within).count() as u64);
        }
        assert_eq!(sizes.iter().map(|band| band.rows).sum::<u64>(), case.release.len() as u64);
        assert!(largest.windows(2).all(|pair| pair[0].size >= pair[1].size));
        let all = case.table.len() as f64;
        let whole = counts(case.table.iter().map(|row| row[2].as_str()));
        for drawn in &largest {
            let Response::ClassCard(card) = case.ask(Request::ClassCard { column: 2, class: drawn.class }) else {
                panic!()
            };
            let ClassCard { size, cells, values, others, distances, divergence, standings, .. } = *card;
            let of_class = &classes[&(cells[0].1.clone(), cells[1].1.clone())];
            assert_eq!((size as usize, drawn.size), (of_class.len(), size));
            let here = counts(of_class.iter().copied());
            let share = |value: &str| here.get(value).unwrap_or(&0.0) / f64::from(size);
            let shares: BTreeMap<String, (f64, f64)> =
                values.into_iter().map(|(value, one, other)| (value, (one, other))).collect();
            // Values that only suppressed rows have are not in the release.
            let listed: f64 = shares.values().map(|share| share.1).sum();
            assert!(close(listed + others.1, 1.0) && close(others.0, 0.0));
            for (value, (one, other)) in &shares {
                assert!(close(*one, share(value)) && close(*other, whole[value] / all), "{value}");
            }
            // Numbers have an order: the work of moving shares from rank to rank.
            let mut ordered: Vec<(i64, f64)> =
                whole.iter().map(|(value, count)| (value.parse().unwrap(), share(value) - count / all)).collect();
            ordered.sort_by_key(|entry| entry.0);
            let equal: f64 = ordered.iter().map(|entry| entry.1.abs()).sum::<f64>() / 2.0;
            let mut sum = 0.0;
            let moved: f64 = ordered
                .iter()
                .map(|entry| {
                    sum += entry.1;
                    f64::abs(sum)
                })
                .sum();
            let moved = if ordered.len() > 1 { moved / (ordered.len() - 1) as f64 } else { 0.0 };
            assert_eq!(distances.len(), 2, "the column has no hierarchy");
            assert!(distances[0].0 == Distance::Equal && close(distances[0].1, equal));
            assert!(distances[1].0 == Distance::Ordered && close(distances[1].1, moved));
            let kl: f64 = here.keys().map(|value| share(value) * (share(value) / (whole[value] / all)).ln()).sum();
            assert!(close(divergence.unwrap(), kl));
            assert_eq!((standings.len(), standings[0].achieved), (1, f64::from(size)));
            assert!(close(standings[0].room, (f64::from(size) - 2.0) / 2.0));
        }
    });
}

#[test]
fn columns_before_and_after_are_counted_from_the_files() {
    cases(TWO, &mut |case| {
        for column in 0..4u32 {
            let Response::ColumnChange(change) = case.ask(Request::ColumnChange { column }) else { panic!() };
            let ColumnChange { rows_before, rows_after, distinct_after, changed, before, after, .. } = *change;
            assert_eq!(rows_before, case.table.len() as u64);
            if column == 0 {
                assert_eq!((rows_after, after.bars.len()), (0, 0), "identifiers are removed");
                assert_eq!(before.bars.iter().map(|bar| bar.rows).sum::<u64>() + before.others.1, rows_before);
                continue;
            }
            let at = column as usize - 1;
            let of = |bars: &[throng::audit::Bar]| -> BTreeMap<String, f64> {
                bars.iter().map(|bar| (bar.label.clone(), bar.rows as f64)).collect()
            };
            assert_eq!(of(&before.bars), counts(case.table.iter().map(|row| row[at].as_str())));
            let released = counts(case.release.iter().map(|(_, cells)| cells[at].as_str()));
            assert_eq!(of(&after.bars), released);
            assert_eq!((rows_after, distinct_after), (case.release.len() as u64, released.len() as u64));
            let differs = |(row, cells): &&(usize, [String; 3])| case.table[*row][at] != cells[at];
            assert_eq!(changed, case.release.iter().filter(differs).count() as u64);
            // What a reader expects: each cell's rows shared by the values of the input that it stands for.
            let values: BTreeSet<&str> = case.table.iter().map(|row| row[at].as_str()).collect();
            for bar in before.bars.iter().filter(|_| at < 2) {
                let part = |(_, cells): &(usize, [String; 3])| {
                    let covered = values.iter().filter(|value| covers(&cells[at], value)).count();
                    if covers(&cells[at], &bar.label) { 1.0 / covered as f64 } else { 0.0 }
                };
                assert!(close(bar.other, case.release.iter().map(part).sum()), "{}", bar.label);
            }
            for bar in &after.bars {
                let stands_for =
                    |row: &&[String; 3]| if at < 2 { covers(&bar.label, &row[at]) } else { row[at] == bar.label };
                assert_eq!(bar.other, case.table.iter().filter(stands_for).count() as f64, "{}", bar.label);
            }
        }
    });
}

#[test]
fn many_numbers_are_counted_in_bands() {
    let engine = Engine::default();
    let lines: String = (0..200).map(|row| format!("{},{}\n", (row * 37) % 91 - 5, row % 3)).collect();
    let policy = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "s": {"role": "sensitive"}}, "privacy": [{"model": "k-anonymity", "k": 5}]}"#;
    open_files(&engine, vec![file("t.csv", format!("age,s\n{lines}")), file("p.json", policy)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let Ok(Response::ColumnChange(change)) = ask(&engine, Request::ColumnChange { column: 0 }, vec![]) else {
        panic!()
    };
    let bars = &change.before.bars;
    assert!(bars.len() <= 20 && bars[0].label.starts_with("-5–"), "{bars:?}");
    assert_eq!(bars.iter().map(|bar| bar.rows).sum::<u64>(), 200);
    assert!(close(bars.iter().map(|bar| bar.other).sum(), change.rows_after as f64));
    for bar in bars {
        let (from, to) = bar.label.rsplit_once('–').unwrap();
        let (from, to): (i32, i32) = (from.parse().unwrap(), to.parse().unwrap());
        let within = (0..200).map(|row| (row * 37) % 91 - 5).filter(|age| (from..=to).contains(age)).count();
        assert_eq!(bar.rows, within as u64, "{}", bar.label);
    }
}

#[test]
fn a_group_of_values_counts_for_each_of_them_alike() {
    let tree = r#"[["a","X","*"],["b","X","*"],["c","Y","*"],["d","Y","*"],["never","Y","*"]]"#;
    let policy = format!(
        r#"{{"throng": 1, "columns": {{"q": {{"role": "quasi"}}, "s": {{"role": "sensitive", "hierarchy": {{"rows": {tree}}}}}}},
            "privacy": [{{"model": "tau-l-diversity", "tau": 0.4, "l": 2, "attribute": "s"}}], "algorithm": {{"name": "sweep"}}}}"#
    );
    let secrets = ["a", "a", "a", "b", "c", "a", "a", "d", "c", "a", "a", "a"];
    let lines: String = secrets.iter().enumerate().map(|(row, s)| format!("z{},{s}\n", row / 4)).collect();
    let engine = Engine::default();
    open_files(&engine, vec![file("t.csv", format!("q,s\n{lines}")), file("p.json", policy)]).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: false }, vec![])
    else {
        panic!()
    };
    let text = String::from_utf8(bytes).unwrap();
    let mut expected: BTreeMap<String, f64> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let shown = line.split(',').nth(1).unwrap();
        let values: &[&str] = match shown {
            "X" => &["a", "b"],
            "Y" => &["c", "d"],
            "*" => &["a", "b", "c", "d"],
            value => &[value],
        };
        values.iter().for_each(|value| *expected.entry((*value).to_owned()).or_default() += 1.0 / values.len() as f64);
    }
    assert!(text.contains("X\n") || text.contains("*\n"), "some are generalized: {text}");
    let everyone = Request::Target { column: Some(1), who: Who::Known(vec![]) };
    let Ok(Response::Target(target)) = ask(&engine, everyone, vec![]) else { panic!() };
    assert_eq!(target.after.rows, 12);
    for (value, rows) in &target.after.values {
        assert!(close(*rows, expected[value]), "{value} {rows}");
    }
    assert_eq!(target.after.values.len(), expected.len());
}

#[test]
fn wrong_questions_are_refused_and_nothing_needs_a_sensitive_column() {
    let case = case(3, "lattice", TWO, 3).unwrap();
    for request in [
        Request::ClassMap { column: 0 },
        Request::ClassCard { column: 2, class: 9999 },
        Request::ClassCard { column: 0, class: 0 },
        Request::ColumnChange { column: 9 },
        Request::Target { column: Some(0), who: Who::Row(1) },
        Request::Target { column: Some(2), who: Who::Row(0) },
        Request::Target { column: Some(2), who: Who::Row(u64::MAX) },
        Request::Exposure { column: Some(7) },
    ] {
        assert!(ask(&case.engine, request.clone(), vec![]).is_err(), "{request:?}");
    }
    let Response::Exposure(exposure) = case.ask(Request::Exposure { column: None }) else { panic!() };
    assert_eq!((exposure.after.certain, exposure.fallen_after.len()), (0, 0));
    let Response::Target(target) = case.ask(Request::Target { column: None, who: Who::Row(1) }) else { panic!() };
    assert!(target.value.is_none() && target.after.values.is_empty());
    let engine = Engine::default();
    assert!(ask(&engine, Request::Exposure { column: None }, vec![]).is_err());
}
