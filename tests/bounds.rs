//! What takes how much (issue 20, point 16): hierarchical t-closeness with thousands of values, thousands of equal
//! constraints, a cell that never ends. No test measures against a clock on the wall: work is compared with a quarter of it.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/reference.rs"]
mod reference;
mod support;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};
use support::{Still, ask, file, open_files, text};
use throng::classes::Histogram;
use throng::engine::Engine;
use throng::hierarchy::{Hierarchy, NodeId};
use throng::io::csv::ReadOptions;
use throng::io::{ReadError, Source};
use throng::policy::{Edit, PolicyFile};
use throng::privacy::{Model, OnTree, Reference, Running, TCloseness};
use throng::progress::{Progress, block_on};
use throng::protocol::{Request, Response};
use throng::sql::Dialect;
use throng::table::{Column, DictionaryBuilder, Table};
use throng::verify::verify;

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// Nanoseconds that this thread has worked, without those that others took from it.
fn worked() -> u64 {
    thread_local! { static START: Instant = Instant::now(); }
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let of_thread = told.and_then(|told| told.split_whitespace().next()?.parse().ok());
    of_thread.unwrap_or_else(|| START.with(|start| start.elapsed().as_nanos() as u64))
}

/// How many times longer four times as much takes; the least of some tries, as disturbances only add. `THRONG_ROWS` starts
/// with more.
fn growth(mut work: impl FnMut(u64), from: u64) -> f64 {
    let from = std::env::var("THRONG_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(from);
    let mut time = |size: u64| {
        // The clock may tick in milliseconds.
        let (start, mut times) = (worked(), 0.0);
        loop {
            work(size);
            times += 1.0;
            let taken = worked() - start;
            if taken > 20_000_000 {
                return taken as f64 / times;
            }
        }
    };
    let mut once = f64::MAX;
    let mut ratio = f64::MAX;
    for _ in 0..3 {
        once = once.min(time(from));
        ratio = ratio.min(time(from * 4) / once);
        if ratio < QUADRATIC {
            break;
        }
    }
    eprintln!("from {from}: {:.2} s, four times as much: {ratio:.1} times that", once / 1e9);
    ratio
}

/// A quarter of what makes work that grows with the square, sixteen times as much, is four.
const QUADRATIC: f64 = 10.0;

// ---- t-closeness of classes that change ----

/// A tree over values, at random.
fn random_tree(dice: &mut Dice, values: u64) -> Hierarchy {
    let rows: Vec<Vec<String>> = (0..values)
        .map(|value| {
            let (small, large) = (value / 3, value / 12);
            match dice.below(4) {
                // Values that end higher up make a tree of uneven depth.
                0 => vec![format!("v{value}"), format!("L{large}"), "*".into()],
                _ => vec![format!("v{value}"), format!("S{small}.{large}"), format!("L{large}"), "*".into()],
            }
        })
        .collect();
    let paths: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    support_tree(&paths)
}

fn support_tree(rows: &[Vec<&str>]) -> Hierarchy {
    Hierarchy::from_rows(rows).expect("a tree")
}

/// The distance of a class that rows come to and leave is that of the class as it is then, by the definition over all of its
/// values; and the same to the last bit, whatever came and went before.
#[test]
fn t_closeness_is_measured_as_rows_come_and_go() {
    let mut dice = Dice(1);
    for case in 0..60 {
        let values = 3 + dice.below(40);
        let tree = random_tree(&mut dice, values);
        let all: Vec<NodeId> = (0..tree.len() as NodeId).collect();
        let mut counts: Vec<u32> =
            all.iter().map(|&node| if tree.is_leaf(node) { dice.below(6) as u32 } else { 0 }).collect();
        counts[tree.leaves()[0] as usize] += 1;
        let nodes: Vec<Option<NodeId>> = all.iter().map(|&node| (node != 0).then_some(node)).collect();
        let on = OnTree { tree: &tree, counts: &counts, no_value: None, nodes: &nodes };
        let references =
            [Reference::hierarchical_on(on), reference::hierarchical(&counts, &tree, &all), reference::equal(&counts)];
        for (number, reference) in references.into_iter().enumerate() {
            let model = TCloseness { t: 0.2, reference };
            let (ways, most) = model.running().expect("it can be measured so");
            assert_eq!(most, 0.2);
            // Groups and unknown cells only where they are read as such.
            let codes: Vec<u32> = all.iter().copied().filter(|&node| number == 0 || tree.is_leaf(node)).collect();
            let mut class: std::collections::BTreeMap<u32, u32> = Default::default();
            let mut running = Running::default();
            for step in 0..80 {
                let code = codes[dice.below(codes.len() as u64) as usize];
                let has = class.get(&code).copied().unwrap_or(0);
                let by = if has > 0 && dice.below(3) == 0 {
                    -(1 + dice.below(has.into()) as i64)
                } else {
                    1 + dice.below(5) as i64
                };
                let changed = |class: &std::collections::BTreeMap<u32, u32>| {
                    let mut class = class.clone();
                    let after = i64::from(has) + by;
                    class.insert(code, after as u32);
                    class.retain(|_, rows| *rows > 0);
                    class
                };
                let after = changed(&class);
                let counts: Vec<(u32, u32)> = after.iter().map(|(&code, &rows)| (code, rows)).collect();
                let size = counts.iter().map(|&(_, rows)| rows).sum();
                let expected = if size == 0 { 0.0 } else { model.achieved(&Histogram { size, counts: &counts }) };
                let foreseen = running.distance_changed(ways, &[(code, by)]);
                let in_parts = running.distance_changed(ways, &[(code, 7), (code, by), (code, -7)]);
                running.change(ways, (code, by));
                let found = running.distance(ways);
                assert!((found - expected).abs() < 1e-12, "case {case}.{number}, step {step}: {found} {expected}");
                assert_eq!(found, foreseen, "case {case}.{number}, step {step}");
                assert_eq!(found, in_parts, "case {case}.{number}, step {step}");
                assert_eq!(found, Running::new(ways, &counts).distance(ways), "case {case}.{number}, step {step}");
                class = after;
            }
        }
    }
}

/// Rows with half as many illnesses, which are in groups of groups.
fn patients(count: u64, areas: u64) -> (String, Value) {
    let mut dice = Dice(7);
    let values = count / 2;
    let mut csv = String::from("age,zip,illness\n");
    for _ in 0..count {
        csv += &format!("{},{},i{}\n", 20 + dice.below(60), dice.below(areas), dice.below(values));
    }
    let illnesses: Vec<Value> = (0..values)
        .map(|value| json!([format!("i{value}"), format!("g{}", value / 10), format!("G{}", value / 100), "*"]))
        .collect();
    (csv, json!({"rows": illnesses}))
}

fn t_close(algorithm: Value, count: u64, limits: bool) {
    let (csv, illness) = patients(count, 40);
    let areas: Vec<Value> = (0..40).map(|area| json!([area.to_string(), format!("R{}", area / 10), "*"])).collect();
    let mut zip = json!({"role": "quasi", "hierarchy": {"rows": areas}});
    let mut policy = json!({
        "throng": 1, "seed": 3, "algorithm": algorithm, "suppression_limit": 1.0,
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"recipe": {"intervals": {"width": 10, "factors": [2]}}}},
            "zip": {"role": "quasi"},
            "illness": {"role": "sensitive", "hierarchy": illness},
        },
        "privacy": [{"model": "k-anonymity", "k": 3},
            {"model": "t-closeness", "attribute": "illness", "t": 0.2, "distance": "hierarchical"}],
    });
    if limits {
        zip["limits"] = json!(["R0", "R1", "R2", "R3"]);
    }
    policy["columns"]["zip"] = zip;
    if algorithm["name"] == "diva" {
        policy["diversity"] = json!([format!("age=*: ..{count}")]);
    }
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    match ask(&engine, Request::Run, vec![]) {
        Ok(Response::Ran(view)) => assert_eq!(view.verified.rows + view.verified.suppressed, count),
        other => panic!("{algorithm}: {other:?}"),
    }
}

#[test]
fn k_member_with_hierarchical_t_closeness_grows_with_the_rows() {
    let ratio = growth(|count| t_close(json!({"name": "k-member"}), count, false), 1000);
    assert!(ratio < QUADRATIC, "{ratio}");
}

#[test]
fn greedy_cka_with_hierarchical_t_closeness_grows_with_the_rows() {
    let ratio = growth(|count| t_close(json!({"name": "greedy-cka"}), count, true), 1000);
    assert!(ratio < QUADRATIC, "{ratio}");
}

#[test]
fn diva_with_hierarchical_t_closeness_grows_with_the_rows() {
    let ratio = growth(|count| t_close(json!({"name": "diva"}), count, false), 1000);
    assert!(ratio < QUADRATIC, "{ratio}");
}

// ---- equal constraints ----

const PEOPLE: &str = "name,sex,city,illness\n";

fn people(diversity: Vec<String>) -> Engine {
    let mut dice = Dice(3);
    let mut csv = PEOPLE.to_owned();
    for row in 0..120 {
        let sex = ["F", "M"][dice.below(2) as usize];
        let city = ["Bern", "Basel", "Chur"][dice.below(3) as usize];
        csv += &format!("p{row},{sex},{city},{}\n", ["Flu", "Cold", "Gout"][dice.below(3) as usize]);
    }
    let policy = json!({
        "throng": 1, "seed": 3, "algorithm": {"name": "diva"}, "diversity": diversity,
        "columns": {"name": {"role": "identifier"}, "sex": {"role": "quasi"}, "city": {"role": "quasi"},
            "illness": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 5}],
    });
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    engine
}

fn reviewed(engine: &Engine, lines: Vec<String>) -> throng::constraints::ConstraintsView {
    match ask(engine, Request::Constraints { lines, faultless: true }, vec![]) {
        Ok(Response::Constraints(view)) => *view,
        other => panic!("{other:?}"),
    }
}

/// Lines that say the same in other words, twice each: spaces, the order of columns, quotes, one number for two.
fn same_in_other_words() -> Vec<String> {
    [
        "sex=F & city=Bern: 5..60",
        "city = Bern  &  sex=F:5 .. 60",
        "\"sex\"=\"F\" & city=Bern: 5..60",
        "sex=M: 10..",
        "sex=M:10..",
        "illness=Flu: ..100",
        "illness=Flu: 0..100",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn once() -> Vec<String> {
    ["sex=F & city=Bern: 5..60", "sex=M: 10..", "illness=Flu: ..100"].map(str::to_owned).to_vec()
}

fn released(engine: &Engine) -> (Vec<u8>, throng::run::RunView) {
    let view = match ask(engine, Request::Run, vec![]) {
        Ok(Response::Ran(view)) => *view,
        other => panic!("{other:?}"),
    };
    match ask(engine, Request::Export { protected: false, row_numbers: true }, vec![]) {
        Ok(Response::File(bytes)) => (bytes, view),
        other => panic!("{other:?}"),
    }
}

#[test]
fn equal_lines_are_one_constraint() {
    let (lines, firsts) = (same_in_other_words(), [0, 0, 0, 3, 3, 5, 5]);
    let engine = people(lines.clone());
    let view = reviewed(&engine, lines.clone());
    for (place, (line, first)) in view.lines.iter().zip(firsts).enumerate() {
        assert_eq!(line.same_as, (place != first).then_some(first), "{}", line.text);
        assert_eq!(line.constraint, view.lines[first].constraint);
        // What it follows from is not itself in other words.
        let implied = line.constraint.as_ref().unwrap().implied.as_ref();
        assert!(implied.is_none_or(|implied| implied.by.is_empty()), "{}", line.text);
    }
    assert_eq!(view.cover, [0, 3, 5]);
    assert_eq!(view.conflicts.len(), 3);
    let told =
        ["Lines 2 and 3 say the same as line 1.", "Line 5 says the same as line 4.", "Line 7 says the same as line 6."];
    assert_eq!(view.repeats(), told);
    // The release is that of each line once, and every line is told with its count.
    let (bytes, run) = released(&engine);
    let (expected, run_of_once) = released(&people(once()));
    assert_eq!(String::from_utf8(bytes), String::from_utf8(expected));
    for (told, first) in run.diversity.iter().zip([0, 0, 0, 1, 1, 2, 2]) {
        let of_once = &run_of_once.diversity[first];
        assert_eq!(
            (told.least, told.most, told.before, told.after),
            (of_once.least, of_once.most, of_once.before, of_once.after)
        );
    }
    let report: Value = run.to_value(&run.findings, None);
    let same: Vec<Option<u64>> = (0..7).map(|place| report["diversity"][place]["same_as"].as_u64()).collect();
    assert_eq!(same, [None, Some(0), Some(0), None, Some(3), None, Some(5)]);
    // A script checks each once, and says so.
    let sql = text(&engine, Request::Sql { table: "data".into(), dialect: Dialect::Standard });
    for place in 0..7 {
        assert_eq!(sql.contains(&format!("'diversity[{place}]'")), [0, 3, 5].contains(&place), "{place}");
    }
    told.iter().for_each(|sentence| assert!(sql.contains(sentence), "{sentence}"));
}

/// What is said of constraints names the lines as they are numbered in the policy.
#[test]
fn equal_lines_do_not_shift_the_numbers_of_others() {
    let (one, other, whole) = ("sex=F: 1..", "sex=F & city=Bern: 15..", "sex=F: ..10");
    let lines = [one, "sex=F : 1 ..", other, "city=Bern&sex=F: 15..", whole];
    let engine = people(lines.map(str::to_owned).to_vec());
    let failure = ask(&engine, Request::Run, vec![]).unwrap_err();
    let of_once = ask(&people([one, other, whole].map(str::to_owned).to_vec()), Request::Run, vec![]).unwrap_err();
    let renumbered = of_once.what.replace("onstraint 2", "onstraint #").replace("onstraint 3", "onstraint 5");
    let renumbered = renumbered.replace("onstraints 2 and 3", "onstraints 3 and 5");
    assert!(of_once.what.contains("onstraint"), "{of_once}");
    assert_eq!(failure.what, renumbered.replace("onstraint #", "onstraint 3"));
}

#[test]
fn twenty_thousand_equal_lines_are_one() {
    let line = |number: u64| ["sex=F & city=Bern: 5..60", "city=Bern&sex=F: 5..60"][(number % 2) as usize].to_owned();
    let lines = |count: u64| (0..count).map(line).collect::<Vec<String>>();
    let engine = people(once());
    let ratio = growth(|count| drop(reviewed(&engine, lines(count))), 5000);
    assert!(ratio < QUADRATIC, "{ratio}");
    let view = reviewed(&engine, lines(20_000));
    assert_eq!((view.conflicts.len(), &view.cover[..]), (0, &[0][..]));
    let told = view.repeats().concat();
    assert!(
        told.starts_with("Lines 2, 3, 4,") && told.ends_with("and 19,979 others say the same as line 1."),
        "{told}"
    );
    // And to be released with.
    let engine = people(lines(20_000));
    let (bytes, _) = released(&engine);
    assert_eq!(bytes, released(&people(vec![line(0)])).0);
    let edited = ask(&engine, Request::Edit(Edit::Diversity { lines: lines(20_001), typing: false }), vec![]);
    assert!(edited.is_ok(), "{edited:?}");
}

// ---- cells without end ----

/// A file that is never in memory: its beginning, then one text again and again.
struct Endless {
    beginning: Vec<u8>,
    again: &'static [u8],
    size: u64,
    read: Rc<Cell<u64>>,
}

impl Source for Endless {
    fn name(&self) -> &str {
        "endless.csv"
    }
    fn size(&self) -> u64 {
        self.size
    }
    fn read(&mut self, offset: u64, count: usize, buffer: &mut Vec<u8>) -> Result<usize, ReadError> {
        let end = (offset + count as u64).min(self.size);
        for place in offset..end {
            let byte = self.beginning.get(place as usize).copied();
            let after = place.saturating_sub(self.beginning.len() as u64) as usize;
            buffer.push(byte.unwrap_or_else(|| self.again[after % self.again.len()]));
        }
        self.read.set(self.read.get().max(end));
        Ok((end - offset.min(end)) as usize)
    }
}

/// What is told of a file, and how much of it was read.
fn refused(beginning: &str, again: &'static [u8], size: u64) -> (String, u64) {
    let read = Rc::new(Cell::new(0));
    let mut source = Endless { beginning: beginning.into(), again, size, read: read.clone() };
    let options = ReadOptions { delimiter: Some(b','), header: Some(true), ..ReadOptions::default() };
    let progress = throng::progress::Progress::new(&Still);
    let failure = block_on(throng::io::csv::read(&mut source, &options, &progress)).unwrap_err();
    assert!(!failure.to_string().contains("never closed"), "{failure}");
    (failure.to_string(), read.get())
}

#[test]
fn a_cell_of_70_megabytes_is_refused_as_what_it_is() {
    let (size, most) = (70 << 20, (64 << 20) + (2 << 20));
    let (told, read) = refused("a,b,c\n1,2,3\n4,5,", b"x", size);
    assert!(
        told.starts_with("endless.csv, line 3, cell 3: This cell has more than 64 MB; a row may have 64 MB."),
        "{told}"
    );
    assert!(read <= most, "{read}");
    let (told, read) = refused("a,b,c\n1,2,3\n4,\"5", b"xy z\n", size);
    assert!(told.starts_with("endless.csv, line 3, cell 2: This cell has more than 64 MB"), "{told}");
    assert!(told.contains("Close the quote that it begins with, shorten the cell"), "{told}");
    assert!(read <= most, "{read}");
    // A row of many cells, none of them the culprit.
    let (told, _) = refused("a,b,c\n", b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,", size);
    assert!(told.starts_with("endless.csv, line 2, cell "), "{told}");
}

#[test]
fn no_line_is_kept_for_long_however_large_the_file() {
    // A terabyte that says nothing but x, or nothing but commas.
    for (beginning, again) in [("a,b\n1,", &b"x"[..]), ("a,b\n1,\"", b"x,"), ("a,b\n1", b",")] {
        let (told, read) = refused(beginning, again, 1 << 40);
        assert!(told.contains("line 2, cell "), "{told}");
        assert!(read <= 70 << 20, "{read}: {told}");
    }
}

// ---- many names, tokens and values ----

fn column(name: String, cells: impl Iterator<Item = String>, tokens: &[String]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = cells.map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
    Column::new(name, builder.finish(), codes, tokens)
}

#[test]
fn wrong_names_are_told_few_and_cost_no_more_than_they_are() {
    let refused = |count: u64, others: bool| {
        let names = (0..count).map(|number| column(format!("measure_{number}"), ["x".to_owned()].into_iter(), &[]));
        let table = Table { columns: names.collect(), rows: 1 };
        let columns: serde_json::Map<String, Value> = (0..count)
            .map(|number| (format!("messure_{number}"), json!({"role": "quasi", "optional": others})))
            .collect();
        let policy = json!({"throng": 1, "columns": columns}).to_string();
        PolicyFile::parse(&policy).unwrap().apply(&table, &mut |_| unreachable!()).unwrap_err()
    };
    for others in [false, true] {
        let ratio = growth(|count| drop(refused(count, others)), 1_000);
        assert!(ratio < QUADRATIC, "{ratio}");
    }
    let failure = refused(16_000, false);
    assert!(failure.what.contains("“messure_0”") && failure.what.ends_with("and 15,995 more."), "{failure}");
    assert!(failure.next.contains("for “messure_0”: “measure_0”"), "{failure}");
    assert_eq!(failure.what.matches('“').count(), 5);
    assert!(failure.to_string().len() < 2_000, "{}", failure.to_string().len());
}

#[test]
fn many_missing_tokens_cost_no_more_than_values_and_rows() {
    let ratio = growth(
        |count| {
            let tokens: Vec<String> = (0..count).map(|number| format!("none{number}")).collect();
            let cells = (0..count * 4).map(|number| format!("none{}", number % (count * 2)));
            let column = column("a".into(), cells, &tokens);
            assert_eq!((column.missing.len() as u64, column.missing_rows()), (count, count * 2));
            let codes = column.class_codes();
            assert_eq!(codes.iter().collect::<std::collections::BTreeSet<_>>().len() as u64, count + 1);
            let policy = r#"{"throng": 1, "columns": {"a": {"role": "quasi"}, "s": {"role": "sensitive"}}}"#;
            let mut sensitive = column.clone();
            sensitive.name = "s".into();
            let rows = column.codes.len();
            let table = Table { columns: vec![column, sensitive], rows };
            let setup = PolicyFile::parse(policy).unwrap().apply(&table, &mut |_| unreachable!()).unwrap();
            let row_of: Vec<u32> = (0..rows as u32).collect();
            block_on(verify(&table, &setup, &table, &row_of, &Progress::new(&Still))).unwrap();
        },
        2_000,
    );
    assert!(ratio < QUADRATIC, "{ratio}");
}

/// Each class shows `*` and is judged without a look at every value under it.
#[test]
fn the_verifier_grows_with_the_rows_where_classes_show_everything() {
    let demands = [
        json!({"model": "recursive-cl-diversity", "c": 1e9, "l": 1, "no_negative": ["v0"], "c2": 1e-9}),
        json!({"model": "alpha-k", "alpha": 1, "values": ["v0"]}),
    ];
    // (τ,ℓ) counts each cell for all values under it, by its definition: the verifier does so, plainly.
    for demand in demands {
        let ratio = growth(
            |count| {
                // Two rows a class: a value and all values.
                let cells = (0..count * 2).map(|row| if row % 2 == 0 { "*".into() } else { format!("v{row}") });
                let sensitive = column("s".into(), cells.chain(["v0".to_owned()]), &[]);
                let quasi = column("q".into(), (0..count * 2 + 1).map(|row| format!("c{}", row / 2)), &[]);
                let rows = sensitive.codes.len();
                let table = Table { columns: vec![quasi, sensitive], rows };
                let policy = json!({"throng": 1, "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
                    "privacy": [demand]});
                let setup =
                    PolicyFile::parse(&policy.to_string()).unwrap().apply(&table, &mut |_| unreachable!()).unwrap();
                let row_of: Vec<u32> = (0..rows as u32).collect();
                // Whether the classes hold does not matter.
                drop(block_on(verify(&table, &setup, &table, &row_of, &Progress::new(&Still))));
            },
            5_000,
        );
        assert!(ratio < QUADRATIC, "{demand}: {ratio}");
    }
}
