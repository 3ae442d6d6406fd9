//! Tables and policies from a seed: every key of `docs/spec.md` §8, every model, every algorithm.

use serde_json::{Map, Value, json};

use crate::csv::line;
use crate::dice::Dice;

#[derive(Clone, Debug)]
pub struct Case {
    pub csv: Vec<u8>,
    pub delimiter: char,
    pub encoding: &'static str,
    pub policy: String,
    pub files: Vec<(String, String)>,
    /// What the docs refuse, if something.
    pub mistake: Option<&'static str>,
    /// A word that is said to be in no failure: some cell's value.
    pub secret: Vec<String>,
}

impl Case {
    /// The same table with its rows from last to first, every other one before the rest.
    pub fn with_rows_turned(&self) -> Vec<u8> {
        let lines: Vec<&[u8]> = self.csv.split_inclusive(|&byte| byte == b'\n').collect();
        let mut rows: Vec<&[u8]> = lines[1..].iter().copied().rev().collect();
        let rest: Vec<&[u8]> = rows.iter().skip(1).step_by(2).copied().collect();
        rows = rows.into_iter().step_by(2).chain(rest).collect();
        [&[lines[0]], &rows[..]].concat().concat()
    }
}

/// A column while it is made.
struct Sketch {
    name: String,
    role: &'static str,
    policy: Map<String, Value>,
    /// Its different values, and their paths if it has a tree.
    pool: Vec<String>,
    tree: Option<Vec<Vec<String>>>,
    tokens: Vec<String>,
    skew: usize,
    missing: usize,
    kind: &'static str,
}

const WORDS: [&str; 12] = [
    "Fluzq", "Coldzq", "Asthmazq", "Goutzq", "Ulcerzq", "Hivzq", "Anginazq", "Mumpszq", "Zosterzq", "Ticzq", "Rashzq",
    "Acnezq",
];
const NUMBERS: [&str; 12] = ["1", "1.0", "2", "10", "2.50", "-3", "01", "7", "2.5", "100", "0", "12"];

fn pool(kind: &str, dice: &mut Dice, role: &str) -> Vec<String> {
    let many = 1 + dice.below(if role == "sensitive" { 7 } else { 9 });
    let mut values: Vec<String> = match kind {
        "number" => NUMBERS.iter().take(many.max(2)).map(|&text| text.into()).collect(),
        "age" => (0..many + dice.below(12)).map(|_| (18 + dice.below(70)).to_string()).collect(),
        "date" => (0..many)
            .map(|_| format!("20{:02}-{:02}-{:02}", 20 + dice.below(3), 1 + dice.below(12), 1 + dice.below(28)))
            .collect(),
        "dmy" => (0..many)
            .map(|_| format!("{:02}.{:02}.20{:02}", 1 + dice.below(28), 1 + dice.below(12), 20 + dice.below(3)))
            .collect(),
        "zip" => (0..many).map(|_| format!("13{:03}", dice.below(120))).collect(),
        "hard" => ["a,b;c", "say \"x\"", "=1+1", "  led", "käse", "*x", "a&b=c:1", "'tis"]
            .iter()
            .take(many)
            .map(|&text| text.into())
            .collect(),
        _ => WORDS.iter().take(many).map(|&text| text.into()).collect(),
    };
    values.sort();
    values.dedup();
    values
}

/// Ragged; with groups named like a value, leaves that no row has, a missing token as a leaf, or a root to be added.
fn tree(values: &[String], dice: &mut Dice) -> Vec<Vec<String>> {
    let groups = 1 + dice.below(4);
    let ragged = dice.percent(50);
    let with_root = dice.percent(85);
    let mut all: Vec<String> = values.to_vec();
    all.extend((0..dice.below(3)).map(|number| format!("unused{number}")));
    let deep = 1 + dice.below(3);
    let mut paths: Vec<Vec<String>> = all
        .iter()
        .map(|value| {
            let group = dice.below(groups);
            let kind = if ragged { dice.below(4) } else { deep.min(2) };
            let mut path = vec![value.clone()];
            path.extend((kind >= 2).then(|| format!("g{group}")));
            path.extend((kind >= 1).then(|| format!("G{}", group / 2)));
            path.extend(with_root.then(|| "*".to_owned()));
            path
        })
        .collect();
    // A group called like one of its values.
    if dice.percent(20) {
        let chosen = dice.below(paths.len());
        let (value, group) = (paths[chosen][0].clone(), paths[chosen].get(1).cloned().unwrap_or_default());
        let members = paths.iter().filter(|path| path.get(1) == Some(&group)).count();
        if group.starts_with(['g', 'G']) && members > 1 {
            paths.iter_mut().flatten().filter(|label| **label == group).for_each(|label| label.clone_from(&value));
        }
    }
    if dice.percent(15) {
        let mut path = paths[0].clone();
        path[0] = dice.one_of(&["?", "NA"]).to_string();
        if path.len() > 1 {
            paths.push(path);
        }
    }
    paths
}

fn recipe(kind: &str, values: &[String], dice: &mut Dice) -> Value {
    match (kind, dice.below(5)) {
        ("age", 0) => json!("ages"),
        ("age", 1) => json!({"pooled-ages": {"from": 60}}),
        ("age" | "number", 2) => json!({"intervals": {"width": 5, "origin": 0, "factors": [2, 2]}}),
        ("age" | "number", 3) => json!({"cuts": {"cuts": [2, 40, 65]}}),
        ("age" | "number", _) => json!({"quantiles": {"groups": 4, "factors": [2]}}),
        ("date" | "dmy", _) => json!({"dates": {"levels": ["month", "year"]}}),
        ("zip", 0..=2) => json!({"mask": {"keep_at_least": 2}}),
        (_, 0) => json!("star"),
        (_, 1) => json!({"alphabetic": {"letters": 1}}),
        (_, 2) if values.len() > 1 => json!({"groups": {"groups": [["North", [values[0], values[1]]]]}}),
        _ => json!({"ordered-groups": {"sizes": [2, 2]}}),
    }
}

fn column(
    name: &str,
    role: &'static str,
    few_tokens: bool,
    dice: &mut Dice,
    files: &mut Vec<(String, String)>,
) -> Sketch {
    let kinds: &[&str] = match role {
        "quasi" => &["word", "word", "age", "date", "dmy", "zip", "number", "hard"],
        _ => &["word", "word", "word", "number", "date", "hard"],
    };
    let kind = *dice.one_of(kinds);
    let pool = pool(kind, dice, role);
    let mut policy = Map::new();
    policy.insert("role".into(), json!(role));
    let mut tokens: Vec<String> = vec!["NA".into(), "".into()];
    if !few_tokens || dice.percent(5) {
        tokens.push("?".into());
    }
    if dice.percent(15) {
        policy.insert("missing_tokens".into(), json!(["k.A.", "9999"]));
        tokens.extend(["k.A.".into(), "9999".into()]);
    }
    match kind {
        "number" => _ = policy.insert("kind".into(), json!("decimal")),
        "age" => _ = policy.insert("kind".into(), json!("integer")),
        "date" | "dmy" => {
            policy.insert("kind".into(), json!("date"));
            policy.insert("order".into(), json!(if kind == "date" { "ymd" } else { "dmy" }));
        }
        _ => _ = policy.insert("kind".into(), json!("text")),
    }
    let mut own = None;
    if matches!(role, "quasi" | "sensitive") && dice.percent(75) {
        let paths = tree(&pool, dice);
        let hierarchy = match dice.below(10) {
            0..=4 => {
                own = Some(paths.clone());
                json!({"rows": paths})
            }
            // Which delimiter a file has is guessed, which signs of all kinds can mislead.
            5..=6 if kind != "hard" => {
                let file = format!("{name}.csv");
                let longest = paths.iter().map(Vec::len).max().unwrap_or(1);
                let padded = dice.percent(50);
                let written = |path: &Vec<String>| {
                    let mut path = path.clone();
                    while padded && path.len() < longest {
                        path.insert(0, path[0].clone());
                    }
                    line(&path, ';')
                };
                files.push((file.clone(), paths.iter().map(written).collect()));
                own = Some(paths);
                json!({"file": file})
            }
            _ => json!({"recipe": recipe(kind, &pool, dice)}),
        };
        policy.insert("hierarchy".into(), hierarchy);
    }
    if let Some(paths) = &own {
        let labels: Vec<&String> = paths.iter().flatten().collect();
        if dice.percent(30) {
            let limits: Vec<&String> = (0..1 + dice.below(2)).map(|_| *dice.one_of(&labels)).collect();
            policy.insert("limits".into(), json!(limits));
        }
        let levels = paths.iter().map(Vec::len).max().unwrap_or(1);
        if role == "quasi" && dice.percent(20) && levels > 1 {
            policy.insert("from_level".into(), json!(dice.below(levels.min(3))));
        }
    }
    if role == "sensitive" && dice.percent(65) {
        policy.insert("missing".into(), json!(dice.one_of(&["unknown", "unknown", "value"])));
    }
    let missing = *dice.one_of(&[0, 0, 0, 8, 25]);
    Sketch { name: name.into(), role, policy, pool, tree: own, tokens, skew: dice.below(5), missing, kind }
}

fn number(dice: &mut Dice, figures: &[f64]) -> Value {
    json!(*dice.one_of(figures))
}

fn demand(sensitive: &[&Sketch], rows: usize, dice: &mut Dice) -> Value {
    if sensitive.is_empty() || dice.percent(30) {
        return json!({"model": "k-anonymity", "k": 1 + dice.below(5.min(rows))});
    }
    let column = *dice.one_of(sensitive);
    let mut names: Vec<&String> = column.pool.iter().collect();
    names.extend(column.tree.iter().flatten().flatten());
    let some = |dice: &mut Dice| -> Value {
        let names: Vec<&String> = (0..1 + dice.below(2)).map(|_| *dice.one_of(&names)).collect();
        json!(names)
    };
    let mut named = false;
    let mut demand = match dice.below(9) {
        0 => json!({"model": "distinct-l-diversity", "l": 1 + dice.below(3)}),
        1 => json!({"model": "p-sensitive", "p": 1 + dice.below(3)}),
        2 => {
            let mut demand =
                json!({"model": "entropy-l-diversity", "l": number(dice, &[1.0, 1.3, 1.7, 2.0, 2.5, 3.0])});
            if dice.percent(30) {
                named = true;
                demand["dont_care"] = some(dice);
            }
            demand
        }
        3 => {
            let c = number(dice, &[0.5, 1.0, 2.0, 3.0, 8.0]);
            let mut demand = json!({"model": "recursive-cl-diversity", "c": c, "l": 1 + dice.below(3)});
            if dice.percent(30) {
                named = true;
                demand["dont_care"] = some(dice);
            }
            if dice.percent(25) {
                named = true;
                demand["no_negative"] = some(dice);
                demand["c2"] = number(dice, &[1.0, 10.0, 25.0]);
            }
            demand
        }
        4 | 5 => {
            let mut demand =
                json!({"model": "tau-l-diversity", "tau": number(dice, &[0.3, 0.5, 0.7, 1.0]), "l": 2 + dice.below(2)});
            if dice.percent(25) {
                named = true;
                let name = dice.one_of(&column.pool).clone();
                demand["weights"] = json!({name: number(dice, &[0.5, 2.0, 7.0])});
            }
            demand
        }
        6 | 7 => {
            let mut distances = vec!["equal"];
            if matches!(column.kind, "number" | "date") || column.policy.contains_key("hierarchy") {
                distances.push("ordered");
            }
            if column.policy.contains_key("hierarchy") {
                distances.push("hierarchical");
            }
            let distance = *dice.one_of(&distances);
            named = distance != "equal";
            let t = number(dice, &[0.1, 0.2, 0.35, 0.5, 0.7, 1.0]);
            if distance == "equal" && dice.percent(50) {
                json!({"model": "t-closeness", "t": t})
            } else {
                json!({"model": "t-closeness", "t": t, "distance": distance})
            }
        }
        _ => {
            let mut demand = json!({"model": "alpha-k", "alpha": number(dice, &[0.3, 0.5, 0.67, 0.8, 1.0])});
            if dice.percent(50) {
                named = true;
                demand["values"] = some(dice);
            }
            demand
        }
    };
    if named || dice.percent(60) {
        demand["attribute"] = json!(column.name);
    }
    if dice.percent(15) {
        demand["jointly"] = json!(true);
    }
    demand
}

fn algorithm(quasi: &[String], has_sensitive: bool, dice: &mut Dice) -> Option<Value> {
    let metrics = ["discernibility", "height", "average-class-size", "loss", "loss-geometric", "kl-divergence"];
    let choices = if has_sensitive || dice.percent(5) { 22 } else { 16 };
    let mut algorithm = match dice.below(choices) {
        0 => return None,
        1..=7 => json!({"name": "lattice", "metric": dice.one_of(&metrics)}),
        8 => json!({"name": "k-member"}),
        9 => json!({"name": "greedy-cka"}),
        10 | 11 => json!({"name": "mondrian"}),
        12 => json!({"name": "one-d", "curve": dice.one_of(&["hilbert", "lexicographic"])}),
        13 => json!({"name": "greedy-generalize"}),
        14 | 15 => json!({"name": "diva", "strategy": dice.one_of(&["naive", "min-choice", "max-fan-out"])}),
        _ => {
            let mut sweep = json!({"name": "sweep"});
            if dice.percent(30) {
                sweep["importance"] = json!({quasi[0].clone(): 2});
            }
            if dice.percent(30) {
                sweep["refine"] = json!("quick");
            }
            sweep
        }
    };
    if algorithm["name"] != "lattice" && algorithm.get("refine").is_none() && dice.percent(40) {
        algorithm["refine"] = json!(dice.percent(20));
    }
    Some(algorithm)
}

pub fn case(seed: u64) -> Case {
    let mut dice = Dice::new(seed);
    let dice = &mut dice;
    let rows = match dice.below(40) {
        0 => 100 + dice.below(150),
        1..=8 => 2 + dice.below(5),
        _ => 3 + dice.below(38),
    };
    let few_tokens = dice.percent(15);
    let mut files = Vec::new();
    let mut columns: Vec<Sketch> = Vec::new();
    if dice.percent(40) {
        let policy = [("role".to_owned(), json!("identifier"))].into_iter().collect();
        let pool = (0..rows).map(|number| format!("person{number}")).collect();
        columns.push(Sketch {
            name: "name".into(),
            role: "identifier",
            policy,
            pool,
            tree: None,
            tokens: vec![],
            skew: 0,
            missing: 0,
            kind: "word",
        });
    }
    for number in 0..*dice.one_of(&[1, 1, 2, 2, 2, 3, 4]) {
        columns.push(column(&format!("q{number}"), "quasi", few_tokens, dice, &mut files));
    }
    for number in 0..*dice.one_of(&[0, 1, 1, 1, 2, 3]) {
        columns.push(column(&format!("s{number}"), "sensitive", few_tokens, dice, &mut files));
    }
    for number in 0..dice.below(3) {
        columns.push(column(&format!("kept {number}"), "insensitive", few_tokens, dice, &mut files));
    }
    for at in (1..columns.len()).rev() {
        columns.swap(at, dice.below(at + 1));
    }
    // A few rows are copied, so that there are ties.
    let mut table: Vec<Vec<String>> = Vec::new();
    for number in 0..rows {
        if number > 0 && dice.percent(15) {
            table.push(dice.one_of(&table).clone());
            continue;
        }
        let cell = |column: &Sketch, dice: &mut Dice| {
            if column.role == "identifier" {
                column.pool[number].clone()
            } else if dice.percent(column.missing) {
                dice.one_of(&column.tokens).clone()
            } else if column.skew == 4 && dice.percent(85) {
                column.pool[0].clone()
            } else {
                column.pool[dice.skewed(column.pool.len(), column.skew)].clone()
            }
        };
        table.push(columns.iter().map(|column| cell(column, dice)).collect());
    }
    // Sensitive cells that come as groups, and values that the hierarchy lacks.
    for (at, column) in columns.iter().enumerate().filter(|(_, column)| column.role == "sensitive") {
        let Some(paths) = &column.tree else { continue };
        if dice.percent(12) && column.kind == "word" {
            for row in &mut table {
                let path = paths.iter().find(|path| path[0] == row[at]);
                if let Some(path) = path.filter(|path| path.len() > 2 && dice.percent(25)) {
                    row[at].clone_from(&path[1]);
                }
            }
        } else if dice.percent(10) && column.kind == "word" {
            let row = dice.below(rows);
            table[row][at] = "Strangezq".into();
        }
    }
    let delimiter = *dice.one_of(&[',', ',', ';', '\t']);
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut text = line(&names, delimiter);
    text.extend(table.iter().map(|row| line(row, delimiter)));
    let mut encoding = "utf-8";
    let mut csv = text.clone().into_bytes();
    let mut reading = json!({"header": true});
    if dice.percent(15) {
        encoding = "windows-1252";
        reading["encoding"] = json!(encoding);
        csv = text.chars().map(|sign| sign as u32 as u8).collect();
    }
    if dice.percent(70) || delimiter != ',' || rows < 8 {
        reading["delimiter"] = json!(delimiter.to_string());
    }
    if few_tokens {
        reading["missing_tokens"] = json!(["", "NA"]);
    }
    let tokens_said = reading.get("missing_tokens").is_some();
    let sensitive: Vec<&Sketch> = columns.iter().filter(|column| column.role == "sensitive").collect();
    let quasi: Vec<String> =
        columns.iter().filter(|column| column.role == "quasi").map(|column| column.name.clone()).collect();
    let mut privacy: Vec<Value> = (0..dice.below(4)).map(|_| demand(&sensitive, rows, dice)).collect();
    let algorithm = algorithm(&quasi, !sensitive.is_empty(), dice);
    let is_sweep = algorithm.as_ref().is_some_and(|algorithm| algorithm["name"] == "sweep");
    let has_tau = |privacy: &[Value]| privacy.iter().any(|demand| demand["model"] == "tau-l-diversity");
    if is_sweep && !has_tau(&privacy) && !sensitive.is_empty() {
        let column = dice.one_of(&sensitive).name.clone();
        privacy.push(json!({"model": "tau-l-diversity", "attribute": column, "tau": number(dice, &[0.3, 0.5, 0.7]), "l": 2 + dice.below(2)}));
    }
    let is_diva = algorithm.as_ref().is_some_and(|algorithm| algorithm["name"] == "diva");
    let mut diversity: Vec<String> = Vec::new();
    if is_diva || dice.percent(5) {
        for _ in 0..dice.below(3) {
            let at = dice.below(columns.len());
            let value = &table[dice.below(rows)][at];
            if columns[at].role == "identifier" || value.is_empty() || columns[at].policy.contains_key("from_level") {
                continue;
            }
            let count = table.iter().filter(|row| row[at] == *value).count();
            let least = dice.below(count + 1);
            let name = if columns[at].name.contains(' ') {
                format!("\"{}\"", columns[at].name)
            } else {
                columns[at].name.clone()
            };
            let bounds = match dice.below(3) {
                0 => format!("{least}.."),
                1 => format!("..{}", count.max(1)),
                _ => format!("{least}..{}", count + dice.below(3)),
            };
            let line = format!("{name}=\"{}\": {bounds}", value.replace('"', "\"\""));
            if !diversity.iter().any(|other: &String| other.split(':').next() == line.split(':').next()) {
                diversity.push(line);
            }
        }
    }
    let mut policy = json!({"throng": 1, "reading": reading, "columns": {}});
    let others = dice.percent(15);
    for column in &columns {
        if others && column.role == "insensitive" && !tokens_said {
            continue;
        }
        policy["columns"][column.name.clone()] = Value::Object(column.policy.clone());
    }
    if others {
        policy["others"] = json!("insensitive");
    }
    if !privacy.is_empty() {
        policy["privacy"] = json!(privacy);
    }
    if !diversity.is_empty() {
        policy["diversity"] = json!(diversity);
    }
    if dice.percent(70) {
        policy["suppression_limit"] = number(dice, &[0.0, 0.04, 0.1, 0.25, 0.5, 0.5, 0.75, 1.0]);
    }
    if let Some(algorithm) = algorithm {
        policy["algorithm"] = algorithm;
    }
    if dice.percent(60) {
        policy["seed"] = json!(dice.below(1000));
    }
    if dice.percent(20) {
        policy["columns"]["absent"] = json!({"role": "identifier", "optional": true});
    }
    if dice.percent(3) {
        policy["findings"] = json!("stop");
    }
    if dice.percent(5) {
        policy["repairs"] = json!("accept");
    }
    let mut text = String::new();
    let mistake = if dice.percent(8) { Some(spoil(&mut policy, &mut text, &names, rows, dice)) } else { None };
    let policy = if text.is_empty() { policy.to_string() } else { text };
    let secret = WORDS.iter().map(|&word| word.to_owned()).collect();
    Case { csv, delimiter, encoding, policy, files, mistake, secret }
}

/// One thing that the docs refuse.
fn spoil(policy: &mut Value, text: &mut String, names: &[String], rows: usize, dice: &mut Dice) -> &'static str {
    let quasi = names.iter().find(|name| name.starts_with('q')).expect("a quasi-identifier").clone();
    let (what, set): (&'static str, Value) = match dice.below(22) {
        0 => ("unknown key", json!({"surprise": 1})),
        1 => ("share above 1", json!({"suppression_limit": 1.5})),
        2 => ("share below 0", json!({"suppression_limit": -0.1})),
        3 => ("unknown algorithm", json!({"algorithm": {"name": "magic"}})),
        4 => ("unknown key of an algorithm", json!({"algorithm": {"name": "mondrian", "metric": "loss"}})),
        5 => ("k above the rows", json!({"privacy": [{"model": "k-anonymity", "k": rows + 1}]})),
        6 => ("k of 0", json!({"privacy": [{"model": "k-anonymity", "k": 0}]})),
        7 => ("unknown model", json!({"privacy": [{"model": "secrecy", "k": 1}]})),
        8 => ("unknown key of a demand", json!({"privacy": [{"model": "k-anonymity", "k": 1, "l": 2}]})),
        9 => (
            "a demand about a quasi-identifier",
            json!({"privacy": [{"model": "p-sensitive", "p": 1, "attribute": quasi}]}),
        ),
        10 => ("tau of 0", json!({"privacy": [{"model": "tau-l-diversity", "tau": 0, "l": 2}]})),
        11 => ("t above 1", json!({"privacy": [{"model": "t-closeness", "t": 1.1}]})),
        12 => ("alpha of 0", json!({"privacy": [{"model": "alpha-k", "alpha": 0.0}]})),
        13 => ("unknown key of reading", json!({"reading": {"header": true, "sheets": 2}})),
        14 => ("another version", json!({"throng": 2})),
        15 => ("a constraint that is none", json!({"diversity": ["q0 is 3"]})),
        16 => {
            policy["columns"]["lacking"] = json!({"role": "identifier"});
            return "a column that the table lacks";
        }
        17 => {
            policy["columns"][quasi]["limits"] = json!(["nowhere"]);
            return "a limit that the hierarchy lacks";
        }
        18 => {
            policy["columns"][quasi]["missing"] = json!("unknown");
            return "missing of a quasi-identifier";
        }
        19 => {
            policy["columns"][quasi]["from_level"] = json!(9);
            return "from_level above the hierarchy";
        }
        20 => {
            policy["columns"][quasi]["hierarchy"] = json!({"rows": [["a", "b", "*"]], "recipe": "star"});
            return "two hierarchies of a column";
        }
        _ => {
            *text = policy.to_string().replacen("\"throng\":1", "\"throng\":1,\"throng\":1", 1);
            return "a key given twice";
        }
    };
    for (key, value) in set.as_object().expect("keys") {
        policy[key.clone()] = value.clone();
    }
    what
}
