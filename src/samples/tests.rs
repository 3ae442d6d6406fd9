//! What the papers print, and what the generated tables promise: the same bytes, dependent columns, skewed values.

use std::collections::{HashMap, HashSet};

use super::*;

struct Cells {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Cells {
    fn of(bytes: &[u8]) -> Self {
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
        Cells { header, rows }
    }

    fn place(&self, column: &str) -> usize {
        self.header.iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"))
    }

    fn column(&self, column: &str) -> impl Iterator<Item = &str> {
        let place = self.place(column);
        self.rows.iter().map(move |row| row[place].as_str())
    }

    fn counts(&self, column: &str) -> HashMap<&str, usize> {
        let mut counts = HashMap::new();
        for value in self.column(column) {
            *counts.entry(value).or_default() += 1;
        }
        counts
    }

    /// Of the rows that `chosen` picks by one column, how many of a hundred have another column's cell as `wanted`.
    fn share(&self, by: &str, chosen: impl Fn(&str) -> bool, of: &str, wanted: impl Fn(&str) -> bool) -> f64 {
        let cells: Vec<&str> =
            self.column(by).zip(self.column(of)).filter(|(value, _)| chosen(value)).map(|(_, cell)| cell).collect();
        assert!(!cells.is_empty(), "no rows to take a share of");
        100.0 * cells.iter().filter(|cell| wanted(cell)).count() as f64 / cells.len() as f64
    }

    fn mean(&self, by: &str, chosen: impl Fn(&str) -> bool, of: &str) -> f64 {
        let numbers: Vec<f64> = self
            .column(by)
            .zip(self.column(of))
            .filter(|(value, _)| chosen(value))
            .map(|(_, cell)| cell.parse().unwrap())
            .collect();
        assert!(!numbers.is_empty(), "no rows to take a mean of");
        numbers.iter().sum::<f64>() / numbers.len() as f64
    }
}

fn cells(id: &str, rows: u32) -> Cells {
    Cells::of(&table(id, rows, 1).unwrap().bytes)
}

/// FNV-1a.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn every_sample_is_there_under_its_own_id() {
    let ids: HashSet<&str> = ALL.iter().map(|sample| sample.id).collect();
    assert_eq!(ids.len(), ALL.len());
    for Sample { id, generated, .. } in ALL {
        let file = table(id, 0, 1).unwrap();
        assert_eq!(file.name, if generated { format!("{id}-1000.csv") } else { format!("{id}.csv") });
        assert_eq!(table(id, 0, 2).unwrap() != file, generated, "{id}");
    }
    assert_eq!(table("nobody", 1000, 1), None);
    assert!(hierarchies("nobody").is_empty());
}

#[test]
fn the_papers_tables_are_as_printed() {
    let sizes = [
        ("inpatients", 12, 4),
        ("medical-records", 10, 7),
        ("seven-patients", 7, 9),
        ("five-patients", 5, 3),
        ("hospital-a", 4, 3),
        ("hospital-b", 4, 3),
    ];
    for (id, rows, columns) in sizes {
        let cells = cells(id, 0);
        assert_eq!((cells.rows.len(), cells.header.len()), (rows, columns), "{id}");
    }
    assert_eq!(cells("inpatients", 0).rows[10], ["13068", "36", "Japanese", "Cancer"]);
    assert_eq!(cells("inpatients", 0).counts("Condition")["Cancer"], 5);
    assert_eq!(cells("medical-records", 0).rows[8], ["t9", "Female", "Asian", "47", "MB", "Winnipeg", "Influenza"]);
    assert_eq!(cells("seven-patients", 0).rows[0][7..], ["AIDS", "17,000"]);
    assert_eq!(cells("seven-patients", 0).counts("Location")["Lincoln"], 2);
    let diseases = |id: &str| -> HashSet<String> {
        let rows = cells(id, 0).rows;
        rows.into_iter().filter(|row| row[..2] == ["Female", "560010"]).map(|row| row[2].clone()).collect()
    };
    let linked: Vec<String> = diseases("hospital-a").intersection(&diseases("hospital-b")).cloned().collect();
    assert_eq!(linked, ["Cervical cancer"]);
}

#[test]
fn every_hierarchy_is_a_tree_over_every_value_of_its_column() {
    for Sample { id, generated, .. } in ALL {
        let cells = cells(id, if generated { 60_000 } else { 0 });
        for (column, text) in hierarchies(id) {
            let mut parents: HashMap<(usize, &str), &str> = HashMap::new();
            let mut leaves = HashSet::new();
            let mut widths = HashSet::new();
            for line in text.lines() {
                let path: Vec<&str> = line.split(';').collect();
                assert_eq!(path.last(), Some(&"*"), "{id} {column} {line}");
                assert!(path.len() >= 2 && path.iter().all(|value| !value.is_empty()), "{id} {column} {line}");
                assert!(leaves.insert(path[0]), "{id} {column} {line}");
                widths.insert(path.len());
                for (level, pair) in path.windows(2).enumerate() {
                    assert_eq!(*parents.entry((level, pair[0])).or_insert(pair[1]), pair[1], "{id} {column} {line}");
                }
            }
            assert_eq!(widths.len(), 1, "{id} {column}");
            for value in cells.column(&column) {
                assert!(leaves.contains(value), "{id} {column} lacks {value}");
            }
        }
    }
}

#[test]
fn a_hierarchy_has_all_codes_even_the_rare_ones() {
    let (_, text) = hierarchies("hospital").into_iter().find(|(column, _)| column == "diagnosis").unwrap();
    let codes = diagnoses::diagnoses();
    assert_eq!(text.lines().count(), codes.len());
    for code in codes {
        assert!(text.lines().any(|line| line.split(';').next() == Some(&code.code)), "{}", code.code);
    }
    let infarction = "I21.4;I21 Acute myocardial infarction;I20-I25 Ischaemic heart disease;IX Circulatory system;*";
    assert!(text.lines().any(|line| line == infarction));
}

#[test]
fn villages_are_sick_of_diagnoses_that_exist() {
    let codes = diagnoses::diagnoses();
    for village in &people::VILLAGES {
        assert!(codes.iter().any(|code| code.code == village.diagnosis), "{}", village.diagnosis);
        assert_eq!(village.postcode / 1000, people::AREAS[village.area].prefix);
    }
}

#[test]
fn the_bytes_never_change() {
    assert_eq!(fingerprint(&table("hospital", 2000, 1).unwrap().bytes), 947_592_018_656_450_178);
    assert_eq!(fingerprint(&table("adult-like", 2000, 1).unwrap().bytes), 16_726_829_059_954_881_732);
}

#[test]
fn pieces_make_the_same_bytes_as_the_whole() {
    let mut hospital = Hospital::new(2000, 7);
    let mut bytes = Vec::new();
    let sizes: Vec<usize> = [1, 999, 700, 700, 700].map(|rows| hospital.write(rows, &mut bytes)).to_vec();
    assert_eq!(sizes, [1, 999, 700, 300, 0]);
    assert_eq!(bytes, table("hospital", 2000, 7).unwrap().bytes);
    let smaller = table("hospital", 1000, 7).unwrap().bytes;
    assert!(bytes.starts_with(&smaller));
}

#[test]
fn a_patients_age_is_the_years_from_birth_to_admission() {
    let cells = cells("hospital", 30_000);
    assert_eq!((cells.rows.len(), cells.header.len()), (30_000, 12));
    let numbers = |date: &str| -> (i32, i32, i32) {
        let parts: Vec<i32> = date.split('-').map(|part| part.parse().unwrap()).collect();
        (parts[0], parts[1], parts[2])
    };
    for ((birth, admission), age) in
        cells.column("birth_date").zip(cells.column("admission_date")).zip(cells.column("age"))
    {
        let (born, admitted) = (numbers(birth), numbers(admission));
        let before_birthday = (admitted.1, admitted.2) < (born.1, born.2);
        assert!(birth <= admission);
        assert_eq!(
            admitted.0 - born.0 - i32::from(before_birthday),
            age.parse::<i32>().unwrap(),
            "{birth} {admission}"
        );
    }
    assert_eq!(cells.counts("record_number").len(), 30_000);
}

#[test]
fn the_hospitals_columns_depend_on_each_other() {
    let cells = cells("hospital", 60_000);
    let dementia = cells.mean("diagnosis", |code| code.starts_with("F01") || code.starts_with("G30"), "age");
    let childhood = cells.mean("diagnosis", |code| code.starts_with("J35") || code.starts_with("J21"), "age");
    assert!(dementia > 75.0 && childhood < 25.0, "{dementia} {childhood}");
    let births = cells.share("diagnosis", |code| code.starts_with('O'), "sex", |sex| sex == "Female");
    assert_eq!(births, 100.0);

    let harbour = cells.share("postcode", |code| code.starts_with("11"), "ethnicity", |name| name.starts_with("Black"));
    let country = cells.share("postcode", |code| code.starts_with("53"), "ethnicity", |name| name.starts_with("Black"));
    assert!(harbour > 40.0 && country < 3.0, "{harbour} {country}");

    let widowed = |from: u32, to: u32| {
        let of_age = |age: &str| (from..=to).contains(&age.parse().unwrap());
        cells.share("age", of_age, "marital_status", |status| status == "Widowed")
    };
    assert!(widowed(80, 104) > 30.0 && widowed(30, 39) < 2.0);
    let cardiology = cells.share("diagnosis", |code| code.starts_with("I50"), "ward", |ward| ward == "Cardiology");
    assert!(cardiology > 50.0, "{cardiology}");
    let valves = cells.mean("diagnosis", |code| code.starts_with("I35"), "cost");
    let headaches = cells.mean("diagnosis", |code| code.starts_with("G43"), "cost");
    assert!(valves > 5.0 * headaches, "{valves} {headaches}");
}

#[test]
fn the_hospital_can_be_attacked() {
    let cells = cells("hospital", 60_000);
    let mut counts: Vec<usize> = cells.counts("diagnosis").into_values().collect();
    counts.sort_unstable();
    assert!(counts[counts.len() - 1] > 8 * counts[counts.len() / 2], "{counts:?}");
    assert!(counts.len() > 300);
    // A homogeneous village, and a value that background knowledge rules out.
    let asbestosis = cells.share("postcode", |code| code == "48991", "diagnosis", |code| code == "J61.0");
    assert!(asbestosis > 50.0, "{asbestosis}");
    let heart = |name: &'static str| {
        cells.share("ethnicity", move |value| value == name, "diagnosis", |code| code.starts_with("I21"))
    };
    assert!(heart("Japanese") == 0.0 && heart("White") > 1.0);
    let postcodes = cells.counts("postcode");
    let rare = postcodes.values().filter(|&&count| count < 10).count();
    assert!(rare > 50 && postcodes.values().max() > Some(&2000), "{rare}");
}

#[test]
fn the_census_is_skewed_and_correlated() {
    let cells = cells("adult-like", 40_000);
    assert_eq!(cells.header.len(), 9);
    let well_paid = |by: &str, value: &'static str| {
        cells.share(by, move |cell| cell == value, "salary_class", |salary| salary == ">50K")
    };
    let overall = cells.share("sex", |_| true, "salary_class", |salary| salary == ">50K");
    assert!((20.0..30.0).contains(&overall), "{overall}");
    assert!(well_paid("education", "Doctorate") > 5.0 * well_paid("education", "9th"));
    assert!(well_paid("marital_status", "Married-civ-spouse") > 4.0 * well_paid("marital_status", "Never-married"));
    assert!(well_paid("sex", "Male") > 2.0 * well_paid("sex", "Female"));
    let home = cells.share("sex", |_| true, "native_country", |country| country == "United-States");
    assert!((88.0..94.0).contains(&home), "{home}");
}
