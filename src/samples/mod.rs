//! Tables to start from without a file: those printed in the papers, and two generated ones of any size.
//!
//! A generated table depends on its rows and its seed only, byte for byte and on every target: it is drawn from
//! ChaCha8 with integer arithmetic. Generating takes time linear in the rows, about a second for a million.

mod adult;
mod calendar;
mod diagnoses;
mod hospital;
mod papers;
mod people;

use std::ops::RangeInclusive;

pub use adult::Adult;
pub use hospital::Hospital;

/// How many rows a generated table can have.
pub const ROWS: RangeInclusive<u32> = 1_000..=1_000_000;

/// A built-in table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub id: &'static str,
    pub title: &'static str,
    /// What it is, where it comes from and what it teaches.
    pub about: &'static str,
    /// Takes rows and a seed.
    pub generated: bool,
}

pub const ALL: [Sample; 8] = [
    Sample {
        id: "inpatients",
        title: "Twelve inpatients",
        about: "Figure 1 of the l-diversity paper. Its 4-anonymous form still tells that everyone in their thirties \
                has cancer: the homogeneity attack.",
        generated: false,
    },
    Sample {
        id: "medical-records",
        title: "Ten medical records",
        about: "Relation R, Table 1 of the diversity constraints (DIVA) paper. Plain k-anonymity erases whole groups; \
                constraints such as ETH=Asian: 2..5 keep them visible.",
        generated: false,
    },
    Sample {
        id: "seven-patients",
        title: "Seven patients with a location",
        about: "Figure 3 of the constrained k-anonymity paper, with the Location tree of Figure 2. With the limits \
                California, Midwest and Kansas a 2-anonymous table must respect where generalization stops.",
        generated: false,
    },
    Sample {
        id: "five-patients",
        title: "Five patients with a postal code",
        about: "The raw records of Table 1(a) in the (l,delta)-diversity paper. Merging two postal codes makes them \
                2-anonymous and 2-diverse.",
        generated: false,
    },
    Sample {
        id: "hospital-a",
        title: "Hospital A's release",
        about: "The first release of Table 2 in the (l,delta)-diversity paper, already 2-diverse. Link it with \
                hospital B's and one woman's diagnosis is certain.",
        generated: false,
    },
    Sample {
        id: "hospital-b",
        title: "Hospital B's release",
        about: "The second release of Table 2 in the (l,delta)-diversity paper, already 2-diverse. It shares the \
                class (Female, 560010) with hospital A's, and only cervical cancer is in both.",
        generated: false,
    },
    Sample {
        id: "adult-like",
        title: "Census extract",
        about: "Generated in the likeness of the Adult data that the papers measure on; no row is a real one. Skewed \
                values and nine columns to compare algorithms on.",
        generated: true,
    },
    Sample {
        id: "hospital",
        title: "Hospital",
        about: "Generated admissions with names, dates, postcodes and ICD-10-like diagnoses. Rare postcodes, villages \
                with an illness of their own and values that depend on each other make attacks on it succeed.",
        generated: true,
    },
];

/// A CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleFile {
    /// For instance `hospital-1000.csv`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Whether a sample has as many rows as one asks for.
pub fn is_generated(id: &str) -> bool {
    ALL.iter().any(|sample| sample.id == id && sample.generated)
}

/// The table `id`, or nothing when there is none. Only generated ones regard `rows`, brought into [`ROWS`], and `seed`.
pub fn table(id: &str, rows: u32, seed: u64) -> Option<SampleFile> {
    let rows = rows.clamp(*ROWS.start(), *ROWS.end());
    let printed = |text: &str| SampleFile { name: format!("{id}.csv"), bytes: text.as_bytes().to_vec() };
    let generated = |row_length: usize, write: &mut dyn FnMut(usize, &mut Vec<u8>) -> usize| {
        let mut bytes = Vec::with_capacity((rows as usize + 1) * row_length);
        write(rows as usize, &mut bytes);
        SampleFile { name: format!("{id}-{rows}.csv"), bytes }
    };
    let file = match id {
        "inpatients" => printed(papers::INPATIENTS),
        "medical-records" => printed(papers::MEDICAL_RECORDS),
        "seven-patients" => printed(papers::SEVEN_PATIENTS),
        "five-patients" => printed(papers::FIVE_PATIENTS),
        "hospital-a" => printed(papers::HOSPITAL_A),
        "hospital-b" => printed(papers::HOSPITAL_B),
        "adult-like" => {
            let mut adult = Adult::new(rows, seed);
            generated(90, &mut |rows, bytes| adult.write(rows, bytes))
        }
        "hospital" => {
            let mut hospital = Hospital::new(rows, seed);
            generated(115, &mut |rows, bytes| hospital.write(rows, bytes))
        }
        _ => return None,
    };
    Some(file)
}

/// The hierarchies that go with the table `id`: a column's name and its tree in the format of ARX,
/// `leaf;level1;…;*`, with a line for every value that the column can have.
pub fn hierarchies(id: &str) -> Vec<(String, String)> {
    let printed =
        |columns: &[(&str, &str)]| columns.iter().map(|&(column, text)| (column.to_owned(), text.to_owned())).collect();
    match id {
        "inpatients" => printed(&papers::INPATIENTS_HIERARCHIES),
        "seven-patients" => printed(&papers::SEVEN_PATIENTS_HIERARCHIES),
        "five-patients" => printed(&papers::FIVE_PATIENTS_HIERARCHIES),
        "adult-like" => adult::hierarchies(),
        "hospital" => hospital::hierarchies(),
        _ => Vec::new(),
    }
}

/// Ages in intervals of 5, 10, 20 and 40 years: `37;35-39;30-39;20-39;0-39;*`.
fn age_hierarchy(youngest: u32, oldest: u32) -> String {
    let line = |age: u32| {
        let interval = |width: u32| format!("{}-{}", age / width * width, age / width * width + width - 1);
        format!("{age};{};{};{};{};*\n", interval(5), interval(10), interval(20), interval(40))
    };
    (youngest..=oldest).map(line).collect()
}

#[cfg(test)]
mod tests;
