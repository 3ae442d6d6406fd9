//! What readers of the external report can find out from it (issue 20, point 8).
//!
//! The attacker reads every figure of the report's text and asks which tables fit. A table is known by how many rows it has
//! (N) and how many of them are released (M); by how many rows are in classes smaller than t, before and after, for every t
//! that the report speaks of; by how many rows are in classes of one sensitive value, and of nearly one; and by how many
//! miss each demand. Between these is what always holds: counts for smaller t are no larger ones, unique rows are classes of
//! one value, N − M rows are left out and no more than the policy allows, and so on. All of it are bounds on differences of
//! two counts, so that for each N and M the values that fit are found exactly, by shortest paths; N and M are tried one by
//! one. A second attacker has the release, too, and so all that can be counted in it.
//!
//! A count of persons is *settled* if every value of it that fits is from 1 to 10. That must happen to none of: the rows left
//! out; the rows in classes of from a to b rows for all a and b (the unique ones among them); the rows in classes of one or
//! of nearly one value; those that miss a demand. That nobody is somewhere may be known. Not attacked are numbers of classes
//! (which are no persons, and no more than rows ÷ k whatever is said) and figures of the policy.
//!
//! The forms of text are those of the code before this test, too, so that it can be run against that: it fails there.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use support::{ask, file, open_files, text};
use throng::engine::Engine;
use throng::protocol::{Request, Response};
use throng::report::Audience;

/// What is said of a count that is part of a whole.
#[derive(Clone, Copy, Debug)]
enum Said {
    /// From, to.
    Between(i64, i64),
    /// The share in parts of two thousand: from, and below.
    Share(i64, i64),
}

impl Said {
    /// The least and the largest count that fit, of so many.
    fn bounds(self, whole: i64) -> (i64, i64) {
        match self {
            Said::Between(from, to) => (from, to),
            // 2000 · count ≥ from · whole, and 2000 · count < below · whole.
            Said::Share(from, below) => ((from * whole + 1999).div_euclid(2000), (below * whole - 1).div_euclid(2000)),
        }
    }
}

fn number(text: &str) -> i64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

/// All that a cell says; it panics where a cell has a figure of no known form.
fn said(cell: &str) -> Vec<Said> {
    let share = |text: &str| -> Said {
        if text == "less than 5 %" {
            Said::Share(0, 100)
        } else if text == "95 % or more" {
            Said::Share(1900, 2001)
        } else if let Some(tens) = text.strip_prefix("about ").and_then(|rest| rest.strip_suffix(" %")) {
            Said::Share(number(tens) * 20 - 100, number(tens) * 20 + 100)
        } else if text == "under 20 persons" {
            Said::Between(1, 19)
        } else if let Some(percent) = text.strip_suffix(" %") {
            match percent.split_once('.') {
                None => Said::Share(number(percent) * 20 - 10, number(percent) * 20 + 10),
                Some((whole, tenth)) => {
                    let at = number(whole) * 20 + number(tenth) * 2;
                    Said::Share(at - 1, at + 1)
                }
            }
        } else {
            panic!("what does this say? {text}")
        }
    };
    match cell {
        "not told" | "" => return vec![],
        "0 (demanded)" => return vec![Said::Between(0, 0)],
        "fewer than 20" | "under 20 persons" => return vec![Said::Between(1, 19)],
        cell if cell.ends_with('%') || cell.ends_with("or more") => return vec![share(cell)],
        _ => {}
    }
    let (count, rest) = cell.split_once(" (").unwrap_or((cell, ""));
    let mut all = match (count, count.strip_prefix("about ")) {
        ("fewer than 20", _) => vec![Said::Between(1, 19)],
        (_, Some(tens)) => vec![Said::Between(number(tens) - 5, number(tens) + 4)],
        (exact, None) => vec![Said::Between(number(exact), number(exact))],
    };
    all.extend(rest.strip_suffix(')').map(share));
    all
}

/// What a count is of: its name, and of which table it is a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Count {
    Zero,
    /// Rows in classes smaller than this.
    Below(i64),
    LeftOut,
    /// In classes of one value of a column, or of nearly one.
    OneValue(String),
    NearlyOne(String),
    Misses(usize),
}

/// What is said of the second count less the first.
type Fact = (Count, Count, Said);

struct Report {
    before: Vec<Fact>,
    after: Vec<Fact>,
    /// The bounds of N and M that the text gives.
    rows_before: (i64, i64),
    rows_after: (i64, i64),
    /// The share that may be left out, in parts of 2,000.
    limit: i64,
}

fn unescaped(html: &str) -> String {
    let quotes = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    quotes.replace("&amp;", "&")
}

/// The text of each cell of each row of a stretch of HTML.
fn cells(html: &str) -> Vec<Vec<String>> {
    let plain = |cell: &str| {
        let mut text = String::new();
        cell.split('<').for_each(|part| text += part.split_once('>').map_or(part, |(_, text)| text));
        unescaped(&text)
    };
    let row = |row: &str| {
        let row = row.split("</tr>").next().unwrap();
        let cells = row.split("</td>").flat_map(|cell| cell.split("</th>")).filter(|cell| !cell.trim().is_empty());
        cells.map(plain).collect()
    };
    html.split("<tr>").skip(1).map(row).collect()
}

fn section<'a>(html: &'a str, title: &str) -> Vec<(&'a str, &'a str)> {
    let all = html.split("<section><h2>").skip(1).filter_map(|part| part.split_once("</h2>"));
    all.filter(|(name, _)| name.starts_with(title)).collect()
}

fn rows_said(shape: &str) -> (i64, i64) {
    let Some((rows, _)) = shape.split_once(" rows") else { return (1, 100_000) };
    if let Some(below) = rows.strip_prefix("fewer than ") {
        return (1, number(below) - 1);
    }
    let told = number(rows.strip_prefix("about ").unwrap_or(rows));
    // Two digits; of smaller tables all but the last.
    let mut unit = 10;
    while told >= 100 * unit {
        unit *= 10;
    }
    (told - unit / 2, told + unit / 2 - 1)
}

fn read(html: &str) -> Report {
    let fact = |name: &str| {
        let rest = html.split_once(&format!("<th scope=\"row\">{name}</th><td>")).unwrap_or_else(|| panic!("{name}")).1;
        rest.split_once("</td>").unwrap().0
    };
    let mut told: [Vec<Fact>; 2] = [Vec::new(), Vec::new()];
    let mut both = |from: Count, to: Count, cells: &[String]| {
        for (side, cell) in told.iter_mut().zip(cells) {
            side.extend(said(cell).into_iter().map(|said| (from.clone(), to.clone(), said)));
        }
    };
    let mut of_k = Vec::new();
    for row in cells(section(html, "Risk of being found")[0].1) {
        let Some(name) = row.first().filter(|name| name.starts_with("records ")) else { continue };
        let least = if name == "records that are unique" {
            2
        } else if let Some(rest) = name.strip_prefix("records of a risk above 0.") {
            let digits = rest.split(' ').next().unwrap();
            (10i64.pow(digits.len() as u32) as u64).div_ceil(digits.parse().unwrap()) as i64
        } else {
            let rest = name.strip_prefix("records in classes below ").unwrap_or_else(|| panic!("{name}"));
            number(rest.trim_start_matches("k = ").split(' ').next().unwrap())
        };
        both(Count::Zero, Count::Below(least), &row[1..]);
    }
    let mut drawn = cells(section(html, "Records by the size")[0].1);
    let half = drawn.len() / 2;
    let later = drawn.split_off(half);
    for (row, other) in drawn.iter().zip(&later) {
        let label = row[0].replace(" and more", "–1000000").replace(',', "");
        let (from, to) = label.split_once('–').unwrap_or((&label, &label));
        let pair = [row.last().unwrap().clone(), other.last().unwrap().clone()];
        both(Count::Below(number(from)), Count::Below(number(to) + 1), &pair);
    }
    for (title, part) in section(html, "Sensitive column: ") {
        for row in cells(part).iter().skip(1) {
            let count = match row[0].as_str() {
                "records in classes of one value" => Count::OneValue(title.to_owned()),
                "records in classes of which one value has 95 %" => Count::NearlyOne(title.to_owned()),
                other => panic!("an attacker does not know what {other} says"),
            };
            both(Count::Zero, count, &row[1..]);
        }
    }
    let demanded = section(html, "What was demanded")[0].1;
    let (table, rest) = demanded.split_once("</table>").unwrap();
    for (place, row) in cells(table).iter().skip(1).enumerate() {
        let cell = row.last().unwrap();
        assert!(cell != "met", "no cell of records");
        both(Count::Zero, Count::Misses(place), std::slice::from_ref(cell));
        if row[0] == "k-anonymity" {
            let k = number(row[2].strip_prefix("k = ").unwrap());
            of_k.push((Count::Below(k), Count::Misses(place), Said::Between(0, 0)));
        }
    }
    assert!(!rest.contains("<table>"), "groups that stay visible are told with their values and counts");
    let limits = rest.split_once("Records that may be left out: ").unwrap().1;
    let (limit, left_out) = limits.split_once("; left out: ").unwrap();
    let limit = if limit == "not set" {
        0
    } else {
        let (whole, tenths) =
            limit.strip_suffix(" %").unwrap().split_once('.').unwrap_or((&limit[..limit.len() - 2], "0"));
        number(whole) * 20 + number(&tenths[..1]) * 2
    };
    let mut left_outs = said(left_out.split_once(".</p>").unwrap().0);
    left_outs.extend(said(fact("Records left out")));
    // On the lowest level, a column's loss is the share of what is left out; on others it is at least that.
    let columns = cells(section(html, "Columns")[0].1);
    if let Some(place) = columns[0].iter().position(|head| head == "loss") {
        let on_lowest = columns[1..].iter().filter(|row| row[place - 1].starts_with("0 of"));
        on_lowest.for_each(|row| left_outs.extend(said(&row[place])));
    }
    let useful = cells(section(html, "What the data are still good for")[0].1);
    for row in &useful {
        match row[0].as_str() {
            "Information loss" => {
                for said in row[1].ends_with('%').then(|| said(&row[1])).into_iter().flatten() {
                    let Said::Share(_, below) = said else { panic!() };
                    left_outs.push(Said::Share(0, below));
                }
            }
            // Whoever has the release measures that without the report.
            "Information loss of the released records" => {}
            // Shares of tests that were right: in steps, or they are counts of few.
            name if row.len() == 3 && name != "a decision tree that predicts" => {
                for cell in &row[1..] {
                    let coarse = cell == "not told" || cell.starts_with("about ") || cell.contains("95 % or more");
                    assert!(coarse || cell == "less than 5 %", "unrounded: {row:?}");
                }
            }
            "a decision tree that predicts" => {}
            name => assert!(row[1] == "not told", "{name} tells of records left out and of sizes of classes"),
        }
    }
    let [mut before, after] = told;
    before.extend(of_k);
    before.extend(left_outs.into_iter().map(|said| (Count::Zero, Count::LeftOut, said)));
    // No other percentage is in it.
    let shares = html.matches(" %").count();
    let known: usize = cells(html).iter().flatten().map(|cell| cell.matches(" %").count()).sum();
    assert!(shares <= known + 2, "there are shares beside the tables");
    Report {
        before,
        after,
        rows_before: rows_said(fact("Shape before")),
        rows_after: rows_said(fact("Shape after")),
        limit,
    }
}

/// For one number of rows: the least and largest difference of every two counts; nothing if no table fits.
fn fitting(facts: &[Fact], whole: i64) -> Option<BTreeMap<(Count, Count), (i64, i64)>> {
    let mut counts: Vec<Count> = vec![Count::Zero, Count::LeftOut, Count::Below(2)];
    facts.iter().for_each(|(from, to, _)| counts.extend([from.clone(), to.clone()]));
    counts.sort();
    counts.dedup();
    // `most[i][j]`: how much larger the count j can be than i.
    let size = counts.len();
    let mut most = vec![vec![whole; size]; size];
    let place = |count: &Count| counts.binary_search(count).unwrap();
    let mut at_most = |from: &Count, to: &Count, bound: i64| {
        let cell = &mut most[place(from)][place(to)];
        *cell = (*cell).min(bound);
    };
    for count in &counts {
        at_most(count, count, 0);
        at_most(count, &Count::Zero, 0);
        match count {
            Count::Below(1) => at_most(&Count::Zero, count, 0),
            Count::Below(bound) if *bound > 1_000_000 => at_most(count, &Count::Zero, -whole),
            // Unique rows are classes of one value, and those are classes of nearly one.
            Count::OneValue(_) => at_most(count, &Count::Below(2), 0),
            Count::NearlyOne(name) => at_most(count, &Count::OneValue(name.clone()), 0),
            _ => {}
        }
        let larger = counts
            .iter()
            .filter(|other| matches!((count, other), (Count::Below(one), Count::Below(other)) if one < other));
        larger.for_each(|other| at_most(other, count, 0));
    }
    for (from, to, said) in facts {
        let (least, largest) = said.bounds(whole);
        at_most(from, to, largest);
        at_most(to, from, -least);
    }
    for by in 0..size {
        for from in 0..size {
            for to in 0..size {
                most[from][to] = most[from][to].min(most[from][by] + most[by][to]);
            }
        }
    }
    if (0..size).any(|count| most[count][count] < 0) {
        return None;
    }
    let mut found = BTreeMap::new();
    for (from, one) in counts.iter().enumerate() {
        for (to, other) in counts.iter().enumerate().filter(|&(to, _)| to != from) {
            // Differences that are counts: of nobody, or of classes between two sizes.
            if *one == Count::Zero || matches!((one, other), (Count::Below(one), Count::Below(other)) if one < other) {
                found.insert((one.clone(), other.clone()), (-most[to][from], most[from][to]));
            }
        }
    }
    Some(found)
}

type Ranges = BTreeMap<(Count, Count), (i64, i64)>;

fn widen(all: &mut Ranges, found: Ranges) {
    for (count, (least, most)) in found {
        let range = all.entry(count).or_insert((i64::MAX, i64::MIN));
        *range = (range.0.min(least), range.1.max(most));
    }
}

/// The counts that are settled. `released`: whoever has the release knows M.
fn settled(report: &Report, released: Option<i64>) -> Vec<String> {
    let mut named = Vec::new();
    let (from, to) = released.map_or(report.rows_after, |rows| (rows, rows));
    let (mut before, mut after) = (Ranges::new(), Ranges::new());
    // N is no more than M and what may be left out of N.
    let most =
        |released: i64| if report.limit >= 2000 { released * 3 } else { released * 2000 / (2000 - report.limit) };
    // Where nothing is told beyond this, larger tables say nothing new.
    let to = to.min(from.max(1) + 400);
    for rows in from.max(report.rows_before.0)..=most(to).min(report.rows_before.1).min(from + 900) {
        let mut facts = report.before.clone();
        let left_out = ((rows - to).max(0), (rows - from).min((rows * report.limit) / 2000));
        facts.push((Count::Zero, Count::LeftOut, Said::Between(left_out.0, left_out.1)));
        fitting(&facts, rows).into_iter().for_each(|found| widen(&mut before, found));
    }
    assert!(!before.is_empty(), "no table fits: the attacker misreads the report");
    if released.is_none() {
        for rows in from..=to {
            fitting(&report.after, rows).into_iter().for_each(|found| {
                widen(&mut after, found.into_iter().filter(|(count, _)| count.1 != Count::LeftOut).collect());
            });
        }
        assert!(!after.is_empty(), "no release fits: the attacker misreads the report");
    }
    for (side, ranges) in [("before", before), ("after", after)] {
        for (count, (least, most)) in ranges {
            if least >= 1 && most <= 10 {
                named.push(format!("{side}: {count:?} is from {least} to {most}"));
            }
        }
    }
    named
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// A few common kinds of people, and so many others who are alone with what they are.
fn table(rows: u64, odd: u64, kinds: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut csv = String::from("a,b,s,n\n");
    for row in 0..rows {
        let (a, b) = match row < odd {
            true => (1000 + row, 2000 + row),
            false => (dice.below(kinds), dice.below(2)),
        };
        csv += &format!("v{a},w{b},s{},n{}\n", dice.below(4), dice.below(7));
    }
    csv
}

fn policy(k: u64, limit: f64, algorithm: &str) -> Value {
    json!({"throng": 1, "suppression_limit": limit, "algorithm": {"name": algorithm},
        "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi"}, "s": {"role": "sensitive"}, "n": {"role": "insensitive"}},
        "privacy": [{"model": "k-anonymity", "k": k}]})
}

/// The external report of a run, and the rows of its release.
fn reported(csv: &str, policy: &Value, audience: Audience) -> Option<(String, i64)> {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", csv), file("policy.json", policy.to_string())]).unwrap();
    let Ok(Response::Ran(view)) = ask(&engine, Request::Run, vec![]) else { return None };
    let html = text(&engine, Request::Report { audience, date: "2026-11-19".into(), written: Default::default() });
    Some((html, view.verified.rows as i64))
}

#[test]
fn no_small_count_is_settled() {
    let mut attacked = 0;
    for (rows, odd) in
        [(20, 1), (60, 3), (64, 9), (104, 4), (300, 7), (994, 5), (1003, 3), (1049, 10), (1500, 12), (3000, 1)]
    {
        for (k, kinds, seed) in [(2, 3, 1), (3, 8, 2), (5, 4, 3), (11, 2, 4), (12, 30, 5)] {
            for (algorithm, limit) in [("lattice", 0.1), ("lattice", 0.0), ("mondrian", 0.01)] {
                let csv = table(rows, odd, kinds, seed);
                let Some((html, released)) = reported(&csv, &policy(k, limit, algorithm), Audience::External) else {
                    continue;
                };
                let report = read(&html);
                for released in [None, Some(released)] {
                    let named = settled(&report, released);
                    assert_eq!(
                        named,
                        Vec::<String>::new(),
                        "{rows} rows, {odd} odd, k = {k}, {algorithm}, {released:?}"
                    );
                }
                attacked += 1;
            }
        }
    }
    assert!(attacked > 60, "{attacked}");
}

/// The attacker is one who would find out what a report must not say.
#[test]
fn the_attacker_finds_what_rounded_counts_settle() {
    let (html, released) = reported(&table(1500, 12, 3, 1), &policy(2, 0.1, "lattice"), Audience::External).unwrap();
    assert!(settled(&read(&html), Some(released)).is_empty());
    // Rounded to tens, and below twenty, beside a table's size to tens.
    let shapes = html
        .replacen("about 1,500 rows", "about 1,490 rows", 1)
        .replacen(
            "<th scope=\"row\">Shape before</th><td>",
            "<th scope=\"row\">Shape before</th><td>about 1500 rows, ",
            1,
        )
        .replacen("Records left out</th><td>less than 5 %", "Records left out</th><td>3", 1);
    let named = settled(&read(&shapes), Some(released));
    assert!(named.iter().any(|name| name.contains("LeftOut) is from 3 to 3")), "{named:?}");
    // A share of the unique ones in thousandths.
    let unique = "records that are unique</th><td>";
    let (start, rest) = html.split_once(unique).unwrap();
    let (_, rest) = rest.split_once("</td>").unwrap();
    let named = settled(&read(&format!("{start}{unique}0.4 %</td>{rest}")), None);
    assert!(named.iter().any(|name| name.contains("(Zero, Below(2)) is from")), "{named:?}");
}

/// Of a large table, readers are told something, and it is true.
#[test]
fn what_is_told_of_large_tables_is_true() {
    let csv = table(3000, 900, 3, 1);
    let (html, _) = reported(&csv, &policy(5, 0.4, "lattice"), Audience::External).unwrap();
    assert!(
        html.contains("<th scope=\"row\">records that are unique</th><td>about 30 %</td><td>0 (demanded)</td>"),
        "{html}"
    );
    assert!(html.contains("<th scope=\"row\">Records left out</th><td>about 30 %</td>"));
    assert!(html.contains("<th scope=\"row\">Shape after</th><td>about 2,100 rows, 4 columns</td>"));
    assert!(html.contains("0.09") && html.contains(throng::classes::risk::IN_PRACTICE));
}

/// No value of the table or of the policy is in it: planted words that the internal version has.
#[test]
fn no_value_is_quoted() {
    let planted = |number: u64| format!("Qz{number}xv");
    let mut dice = Dice(7);
    let mut csv = String::from("id,town,job,illness,note\n");
    for row in 0..1200u64 {
        let (town, job, illness) = (dice.below(4), 4 + dice.below(4), 8 + dice.below(5));
        csv += &format!(
            "id{row},{},{},{},{}\n",
            planted(town),
            planted(job),
            planted(illness),
            planted(20 + dice.below(4))
        );
    }
    let groups: Vec<Value> = (0..4).map(|town| json!([planted(town), planted(30 + town / 2), "*"])).collect();
    let columns = json!({
        "id": {"role": "identifier"},
        "town": {"role": "quasi", "hierarchy": {"rows": groups}, "limits": [planted(30), planted(31)]},
        "job": {"role": "quasi"},
        "illness": {"role": "sensitive", "hierarchy": {"rows":
            (8..13).map(|value| json!([planted(value), planted(40 + value / 3), "*"])).collect::<Vec<_>>()}},
        "note": {"role": "insensitive"}
    });
    let lattice = json!({"throng": 1, "suppression_limit": 0.5, "columns": columns, "algorithm": {"name": "lattice"},
        "privacy": [{"model": "k-anonymity", "k": 3},
            {"model": "alpha-k", "attribute": "illness", "alpha": 0.9, "values": [planted(8), planted(9)]},
            {"model": "recursive-cl-diversity", "attribute": "illness", "c": 9, "l": 2, "dont_care": [planted(10)]}],
        "diversity": [format!("town={}: ..1200", planted(1)), format!("job={}: ..1200", planted(5))]});
    let sweep = json!({"throng": 1, "suppression_limit": 0.5, "columns": columns, "algorithm": {"name": "sweep"},
        "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "tau-l-diversity", "attribute": "illness", "tau": 0.8, "l": 2,
            "weights": {planted(8): 2.0, planted(9): 1.0, planted(10): 1.0, planted(11): 1.0, planted(12): 1.0}}]});
    let mut weighed = sweep.clone();
    weighed["algorithm"] = json!({"name": "sweep", "refine": "quick", "importance": {"town": 0.625},
        "weights": {"town": {planted(1): 0.375}}});
    for policy in [lattice, sweep, weighed.clone()] {
        let (external, _) = reported(&csv, &policy, Audience::External).expect("a release");
        let (internal, _) = reported(&csv, &policy, Audience::Internal).unwrap();
        let quoted = |html: &str| (0..60).map(planted).filter(|word| html.contains(word.as_str())).collect::<Vec<_>>();
        assert!(quoted(&internal).len() >= 5, "{:?}", quoted(&internal));
        assert_eq!(quoted(&external), Vec::<String>::new());
        assert!(!external.contains("Qz"));
        if policy == weighed {
            assert!(internal.contains("importance") && internal.contains("0.375") && internal.contains("0.625"));
            assert!(["importance", "weights", "0.375", "0.625"].iter().all(|word| !external.contains(word)));
            assert!(external.contains("sweep (refine quick)"));
        }
    }
}
