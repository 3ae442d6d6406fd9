//! A census extract with the columns and values of the Adult data that the papers measure on, drawn, not copied.
//!
//! Education depends on age, occupation on education and sex, the class of work on occupation, the country on race,
//! marital status on age and sex, and the salary class on all of them. The marginals are as skewed as the real ones,
//! roughly: nine of ten were born in the United States, a quarter earns more than 50K.

use crate::random::{Pace, Random, Weighted, by_age, push_cell, push_number};

const HEADER: &str = "age,workclass,education,marital_status,occupation,race,sex,native_country,salary_class\n";

const AGES: &[(u32, u32)] = &[(17, 150), (20, 250), (36, 290), (46, 240), (60, 110), (75, 20), (90, 2)];
const YOUNGEST: u32 = 17;
const OLDEST: u32 = 90;

const SEXES: [&str; 2] = ["Female", "Male"];

const WORKCLASSES: [(&str, &str); 7] = [
    ("Private", "Company"),
    ("Self-emp-not-inc", "Self-employed"),
    ("Self-emp-inc", "Self-employed"),
    ("Federal-gov", "Government"),
    ("State-gov", "Government"),
    ("Local-gov", "Government"),
    ("Without-pay", "Unpaid"),
];

/// Name, group, the group's group, weight, and the age from which it can be had.
const EDUCATIONS: [(&str, &str, &str, u32, u32); 16] = [
    ("Preschool", "Elementary", "Without diploma", 2, 17),
    ("1st-4th", "Elementary", "Without diploma", 5, 17),
    ("5th-6th", "Elementary", "Without diploma", 10, 17),
    ("7th-8th", "Elementary", "Without diploma", 19, 17),
    ("9th", "Some high school", "Without diploma", 15, 17),
    ("10th", "Some high school", "Without diploma", 27, 17),
    ("11th", "Some high school", "Without diploma", 36, 17),
    ("12th", "Some high school", "Without diploma", 13, 17),
    ("HS-grad", "High school", "School diploma", 325, 18),
    ("Some-college", "High school", "School diploma", 218, 18),
    ("Assoc-voc", "Associate", "Academic degree", 43, 20),
    ("Assoc-acdm", "Associate", "Academic degree", 33, 20),
    ("Bachelors", "Bachelor", "Academic degree", 167, 21),
    ("Masters", "Graduate", "Academic degree", 56, 23),
    ("Prof-school", "Graduate", "Academic degree", 17, 25),
    ("Doctorate", "Graduate", "Academic degree", 12, 27),
];

const MARITAL: [(&str, &str); 7] = [
    ("Never-married", "Never married"),
    ("Married-civ-spouse", "Married"),
    ("Married-AF-spouse", "Married"),
    ("Married-spouse-absent", "Apart"),
    ("Separated", "Apart"),
    ("Divorced", "Was married"),
    ("Widowed", "Was married"),
];

/// Up to which age the weights of [`MARITAL`] hold, for women and for men.
const MARITAL_BY_AGE: [(u32, [[u32; MARITAL.len()]; 2]); 6] = [
    (21, [[915, 45, 3, 8, 14, 15, 0], [950, 40, 2, 4, 2, 2, 0]]),
    (27, [[715, 145, 3, 17, 40, 77, 3], [680, 275, 2, 10, 10, 23, 0]]),
    (36, [[420, 190, 1, 25, 80, 276, 8], [300, 580, 1, 12, 20, 86, 1]]),
    (49, [[215, 200, 1, 24, 75, 440, 45], [120, 725, 1, 12, 20, 120, 2]]),
    (62, [[125, 210, 0, 20, 50, 395, 200], [55, 810, 0, 10, 15, 102, 8]]),
    (u32::MAX, [[95, 130, 0, 15, 20, 190, 550], [45, 810, 0, 12, 10, 73, 50]]),
];

/// An occupation: weights by schooling (without diploma, school diploma, associate or bachelor, graduate), by sex,
/// and of [`WORKCLASSES`]; `pay` shifts the chance of the upper salary class, in percent of it.
struct Occupation {
    name: &'static str,
    group: &'static str,
    schooling: [u32; 4],
    sexes: [u32; 2],
    workclasses: [u32; WORKCLASSES.len()],
    pay: u32,
}

const fn occupation(
    name: &'static str,
    group: &'static str,
    schooling: [u32; 4],
    sexes: [u32; 2],
    workclasses: [u32; WORKCLASSES.len()],
    pay: u32,
) -> Occupation {
    Occupation { name, group, schooling, sexes, workclasses, pay }
}

const OCCUPATIONS: [Occupation; 14] = [
    occupation("Exec-managerial", "Office", [25, 85, 260, 190], [4, 5], [690, 95, 95, 45, 30, 45, 0], 150),
    occupation("Prof-specialty", "Office", [8, 40, 230, 680], [5, 4], [560, 90, 40, 40, 100, 170, 0], 140),
    occupation("Adm-clerical", "Office", [60, 160, 110, 30], [8, 2], [740, 13, 8, 85, 66, 85, 3], 75),
    occupation("Sales", "Office", [75, 120, 140, 40], [4, 6], [815, 105, 75, 1, 2, 1, 1], 110),
    occupation("Tech-support", "Office", [5, 28, 50, 15], [4, 6], [790, 28, 5, 70, 60, 47, 0], 115),
    occupation("Craft-repair", "Manual", [190, 165, 55, 8], [1, 9], [785, 130, 25, 16, 14, 28, 2], 95),
    occupation("Machine-op-inspct", "Manual", [140, 80, 15, 3], [3, 7], [965, 18, 5, 6, 3, 2, 1], 70),
    occupation("Transport-moving", "Manual", [85, 65, 15, 3], [1, 9], [800, 75, 17, 15, 25, 67, 1], 85),
    occupation("Handlers-cleaners", "Manual", [95, 52, 10, 1], [2, 8], [930, 11, 2, 17, 7, 32, 1], 45),
    occupation("Farming-fishing", "Manual", [75, 30, 18, 5], [1, 8], [455, 435, 50, 8, 15, 29, 8], 60),
    occupation("Other-service", "Service", [205, 110, 40, 8], [6, 5], [835, 53, 8, 10, 38, 55, 1], 30),
    occupation("Protective-serv", "Service", [10, 27, 20, 6], [1, 7], [290, 9, 8, 43, 180, 470, 0], 115),
    occupation("Priv-house-serv", "Service", [18, 4, 1, 0], [20, 1], [1, 0, 0, 0, 0, 0, 0], 10),
    occupation("Armed-Forces", "Service", [0, 1, 1, 0], [0, 1], [0, 0, 0, 1, 0, 0, 0], 60),
];

/// Name, weight, how many of a hundred are born in the United States, and weights of [`COUNTRIES`] for the others.
const RACES: [(&str, u32, u32, [u32; COUNTRIES.len()]); 5] = [
    ("White", 855, 93, [430, 60, 45, 55, 50, 40, 75, 62, 35, 30, 28, 26, 15, 20, 24, 2, 1, 1, 5, 1, 1]),
    ("Black", 94, 94, [3, 10, 1, 10, 2, 6, 1, 10, 0, 0, 0, 0, 85, 60, 1, 1, 0, 0, 2, 0, 0]),
    ("Asian-Pac-Islander", 32, 27, [1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 190, 75, 70, 85, 50, 20]),
    ("Amer-Indian-Eskimo", 10, 97, [10, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    ("Other", 9, 50, [40, 30, 3, 8, 10, 25, 0, 0, 0, 0, 0, 0, 1, 1, 6, 2, 0, 0, 12, 0, 0]),
];

const HOME: (&str, &str) = ("United-States", "North America");

const COUNTRIES: [(&str, &str); 21] = [
    ("Mexico", "North America"),
    ("Puerto-Rico", "Caribbean"),
    ("El-Salvador", "Central America"),
    ("Cuba", "Caribbean"),
    ("Guatemala", "Central America"),
    ("Dominican-Republic", "Caribbean"),
    ("Canada", "North America"),
    ("Germany", "Europe"),
    ("England", "Europe"),
    ("Italy", "Europe"),
    ("Poland", "Europe"),
    ("Portugal", "Europe"),
    ("Jamaica", "Caribbean"),
    ("Haiti", "Caribbean"),
    ("Peru", "South America"),
    ("Philippines", "Asia"),
    ("China", "Asia"),
    ("Vietnam", "Asia"),
    ("India", "Asia"),
    ("Japan", "Asia"),
    ("Cambodia", "Asia"),
];

const SALARIES: [&str; 2] = ["<=50K", ">50K"];

/// Writes the table in pieces of any size, with the same bytes whatever the sizes.
pub struct Adult {
    pace: Pace,
    random: Random,
    age: Weighted,
    /// Educations by age, up to 27, from which on all can be had.
    educations: Vec<Weighted>,
    /// By age group and sex.
    marital: [[Weighted; 2]; MARITAL_BY_AGE.len()],
    /// Occupations by sex and schooling.
    occupations: [[Weighted; 4]; 2],
    workclasses: [Weighted; OCCUPATIONS.len()],
    race: Weighted,
    countries: [Weighted; RACES.len()],
}

impl Adult {
    /// `rows` outside [`super::ROWS`] are brought inside.
    pub fn new(rows: u32, seed: u64) -> Self {
        let educations =
            |age: u32| Weighted::new(EDUCATIONS.map(|(.., weight, from)| if from <= age { weight } else { 0 }));
        let occupations = |sex: usize, schooling: usize| {
            Weighted::new(OCCUPATIONS.iter().map(|work| work.schooling[schooling] * work.sexes[sex]))
        };
        Adult {
            pace: Pace::new(rows.clamp(*super::ROWS.start(), *super::ROWS.end())),
            random: Random::new(seed),
            age: Weighted::new(by_age(AGES)),
            educations: (YOUNGEST..=27).map(educations).collect(),
            marital: MARITAL_BY_AGE.map(|(_, sexes)| sexes.map(Weighted::new)),
            occupations: [0, 1].map(|sex| [0, 1, 2, 3].map(|schooling| occupations(sex, schooling))),
            workclasses: OCCUPATIONS.map(|work| Weighted::new(work.workclasses)),
            race: Weighted::new(RACES.iter().map(|&(_, weight, ..)| weight)),
            countries: RACES.map(|(.., countries)| Weighted::new(countries)),
        }
    }

    /// Appends up to `rows` more rows, the header before the first, and returns how many; 0 when all are written.
    pub fn write(&mut self, rows: usize, out: &mut Vec<u8>) -> usize {
        let rows = self.pace.begin(rows, HEADER, out);
        for _ in 0..rows {
            self.write_person(out);
        }
        rows
    }

    fn write_person(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        let age = YOUNGEST + self.age.draw(random) as u32;
        let sex = usize::from(random.percent(67));
        let race = self.race.draw(random);
        let country = match random.percent(RACES[race].2) {
            true => HOME.0,
            false => COUNTRIES[self.countries[race].draw(random)].0,
        };
        let education = self.educations[(age.min(27) - YOUNGEST) as usize].draw(random);
        let schooling = match education {
            0..8 => 0,
            8..10 => 1,
            10..13 => 2,
            _ => 3,
        };
        let age_group = MARITAL_BY_AGE.partition_point(|&(until, _)| until < age);
        let marital = self.marital[age_group][sex].draw(random);
        let occupation = self.occupations[sex][schooling].draw(random);
        let workclass = self.workclasses[occupation].draw(random);
        let well_paid = random.below(1000) < upper_salary(age, sex, schooling, marital, occupation, workclass);

        push_number(age, 1, out);
        out.push(b',');
        push_cell(WORKCLASSES[workclass].0, out);
        push_cell(EDUCATIONS[education].0, out);
        push_cell(MARITAL[marital].0, out);
        push_cell(OCCUPATIONS[occupation].name, out);
        push_cell(RACES[race].0, out);
        push_cell(SEXES[sex], out);
        push_cell(country, out);
        out.extend_from_slice(SALARIES[usize::from(well_paid)].as_bytes());
        out.push(b'\n');
    }
}

/// The chance of the upper salary class, in thousandths: schooling sets it, marriage and age multiply it.
fn upper_salary(age: u32, sex: usize, schooling: usize, marital: usize, occupation: usize, workclass: usize) -> u32 {
    let schooled = [130, 360, 590, 760][schooling];
    let married = if (1..=2).contains(&marital) { 115 } else { [16, 24][sex] };
    let grown = match age {
        ..25 => 12,
        25..30 => 60,
        30..37 => 95,
        37..60 => 115,
        _ => 80,
    };
    let work = match workclass {
        2 => 130,
        6 => 0,
        _ => OCCUPATIONS[occupation].pay,
    };
    (schooled * married / 100 * grown / 100 * work / 100).min(960)
}

pub fn hierarchies() -> Vec<(String, String)> {
    let grouped = |(name, group): &(&str, &str)| format!("{name};{group};*\n");
    let flat = |name: &str| format!("{name};*\n");
    let education = |(name, group, wider, ..): &(&str, &str, &str, u32, u32)| format!("{name};{group};{wider};*\n");
    let column = |name: &str, text: String| (name.to_owned(), text);
    vec![
        column("age", super::age_hierarchy(YOUNGEST, OLDEST)),
        column("workclass", WORKCLASSES.iter().map(grouped).collect()),
        column("education", EDUCATIONS.iter().map(education).collect()),
        column("marital_status", MARITAL.iter().map(grouped).collect()),
        column("occupation", OCCUPATIONS.iter().map(|work| grouped(&(work.name, work.group))).collect()),
        column("race", RACES.iter().map(|(name, ..)| flat(name)).collect()),
        column("sex", SEXES.map(flat).concat()),
        column("native_country", std::iter::once(&HOME).chain(&COUNTRIES).map(grouped).collect()),
        column("salary_class", SALARIES.map(flat).concat()),
    ]
}
