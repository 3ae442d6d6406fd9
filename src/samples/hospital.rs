//! A hospital with as many patients as one likes, for trying attacks and algorithms on something that looks real.
//!
//! A patient is drawn in one pass: postcode, then ethnicity and age by postcode, diagnosis by age, sex and ethnicity,
//! ward and cost by diagnosis, marital status by age, and dates that agree with the age. Row `n` depends on the seed
//! and `n` only, so a larger table begins with the smaller one. Time is linear in the rows; only the output grows.

use super::calendar::{Date, birth_days, date, day_number, push_date};
use super::diagnoses::{BANDS, Diagnosis, Profile, WARDS, Ward, diagnoses};
use super::people::{AGES, AREAS, Area, COMMUNITIES, ETHNICITIES, MARITAL, MARITAL_BY_AGE, OLDEST, SEXES, VILLAGES};
use crate::random::{Pace, Random, Weighted, by_age, push_cell, push_number};
use crate::sorting::Sorting;

const HEADER: &str = "name,record_number,birth_date,age,sex,postcode,ethnicity,marital_status,admission_date,ward,\
                      diagnosis,cost\n";

/// Admissions are of the years 2022 to 2024.
const FIRST_ADMISSION: Date = Date { year: 2022, month: 1, day: 1 };
const DAYS: u32 = 1096;

/// Record numbers have seven digits; the step shares no divisor with their count, so none comes twice.
const RECORD_NUMBERS: u64 = 9_000_000;
const RECORD_STEP: u64 = 5_561_827;

/// A postcode.
struct Place {
    postcode: u32,
    area: usize,
    /// Place in the diagnoses, and how many of a hundred patients have it.
    local: Option<(usize, u32)>,
}

/// Writes the table in pieces of any size, with the same bytes whatever the sizes.
pub struct Hospital {
    pace: Pace,
    random: Random,
    next_record: u64,
    diagnoses: Vec<Diagnosis>,
    /// Diagnoses by community, sex and age band.
    illnesses: Vec<[[Weighted; BANDS.len()]; 2]>,
    places: Vec<Place>,
    place: Weighted,
    /// Ethnicities by area.
    mixes: Vec<Weighted>,
    /// By population and sex.
    ages: [[Weighted; 2]; AGES.len()],
    /// By age group and sex.
    marital: [[Weighted; 2]; MARITAL_BY_AGE.len()],
}

impl Hospital {
    /// `rows` outside [`super::ROWS`] are brought inside.
    pub fn new(rows: u32, seed: u64) -> Self {
        let diagnoses = diagnoses();
        let (places, weights) = places(&diagnoses);
        let mut random = Random::new(seed);
        Hospital {
            pace: Pace::new(rows.clamp(*super::ROWS.start(), *super::ROWS.end())),
            next_record: u64::from(random.below(RECORD_NUMBERS as u32)),
            random,
            illnesses: (0..COMMUNITIES.len()).map(|community| illnesses(&diagnoses, community)).collect(),
            diagnoses,
            places,
            place: Weighted::new(weights),
            mixes: AREAS.iter().map(|area| Weighted::new(area.mix)).collect(),
            ages: AGES.map(|sexes| sexes.map(|corners| Weighted::new(by_age(corners)))),
            marital: MARITAL_BY_AGE.map(|(_, sexes)| sexes.map(Weighted::new)),
        }
    }

    /// Appends up to `rows` more rows, the header before the first, and returns how many; 0 when all are written.
    pub fn write(&mut self, rows: usize, out: &mut Vec<u8>) -> usize {
        let rows = self.pace.begin(rows, HEADER, out);
        for _ in 0..rows {
            self.write_patient(out);
        }
        rows
    }

    fn write_patient(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        let place = &self.places[self.place.draw(random)];
        let ethnicity = self.mixes[place.area].draw(random);
        let community = ETHNICITIES[ethnicity].2;
        let sex = random.below(2) as usize;
        let age = self.ages[AREAS[place.area].ages][sex].draw(random) as u32;
        let band = BANDS.partition_point(|&first| first <= age) - 1;
        let usual = self.illnesses[community][sex][band].draw(random);
        let diagnosis = &self.diagnoses[match place.local {
            Some((local, share)) if can_have(&self.diagnoses[local], sex, band) && random.percent(share) => local,
            _ => usual,
        }];
        let admission = admission_day(diagnosis, random);
        let birth = birth_day(diagnosis, admission, age, random);
        let age_group = MARITAL_BY_AGE.partition_point(|&(until, _)| until < age);
        let marital = self.marital[age_group][sex].draw(random);

        let names = &COMMUNITIES[community];
        let first = random.early(if sex == 0 { names.women } else { names.men });
        out.extend_from_slice(first.as_bytes());
        out.extend_from_slice(&[b' ', b'A' + random.below(26) as u8, b'.', b' ']);
        push_cell(random.early(names.families), out);
        push_number((1_000_000 + self.next_record) as u32, 7, out);
        self.next_record = (self.next_record + RECORD_STEP) % RECORD_NUMBERS;
        out.push(b',');
        push_date(date(birth), out);
        out.push(b',');
        push_number(age, 1, out);
        out.push(b',');
        push_cell(SEXES[sex], out);
        push_number(place.postcode, 5, out);
        out.push(b',');
        push_cell(ETHNICITIES[ethnicity].0, out);
        push_cell(MARITAL[marital].0, out);
        push_date(date(admission), out);
        out.push(b',');
        let ward = ward(diagnosis, age, random);
        push_cell(WARDS[ward as usize].0, out);
        push_cell(&diagnosis.code, out);
        push_number(cost(diagnosis, age, ward, random), 1, out);
        out.push(b'\n');
    }
}

/// The postcodes and how many patients each has. An area's first postcode is the largest, its last by far smaller.
fn places(diagnoses: &[Diagnosis]) -> (Vec<Place>, Vec<u32>) {
    let mut places = Vec::new();
    let mut weights: Vec<u32> = Vec::new();
    for (place, Area { prefix, postcodes, weight, .. }) in AREAS.iter().enumerate() {
        for rank in 0..*postcodes {
            // 377 and 900 share no divisor, so an area's postcodes differ; 900 and above are left to the villages.
            let postcode = prefix * 1000 + (rank * 377 + prefix * 7) % 900;
            places.push(Place { postcode, area: place, local: None });
            weights.push(weight * 4000 / ((rank + 2) * (rank + 6)) + 1);
        }
    }
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    // Scaled so that the smallest hamlet is still a whole number.
    let scale = 1_000_000_000 / total;
    for weight in &mut weights {
        *weight *= scale as u32;
    }
    for village in &VILLAGES {
        let local = diagnoses.iter().position(|diagnosis| diagnosis.code == village.diagnosis);
        places.push(Place {
            postcode: village.postcode,
            area: village.area,
            local: local.map(|place| (place, village.share)),
        });
        weights.push((total * scale * u64::from(village.per_million) / 1_000_000) as u32);
    }
    (places, weights)
}

/// What a community's women and men are admitted for, by age band.
fn illnesses(diagnoses: &[Diagnosis], community: usize) -> [[Weighted; BANDS.len()]; 2] {
    let factor = |code: &str| {
        let special = COMMUNITIES[community].illnesses.iter().find(|(start, _)| code.starts_with(start));
        special.map_or(4, |&(_, quarters)| quarters)
    };
    [0, 1].map(|sex| {
        std::array::from_fn(|band| {
            Weighted::new(diagnoses.iter().map(|Diagnosis { code, category, weight }| {
                weight * category.profile.weights()[band] * category.sexes[sex] * factor(code) / 4
            }))
        })
    })
}

/// Whether the diagnosis is nothing odd at that sex and age.
fn can_have(diagnosis: &Diagnosis, sex: usize, band: usize) -> bool {
    diagnosis.category.sexes[sex] > 0 && diagnosis.category.profile.weights()[band] >= 4
}

/// Any day, but airways are infected in winter.
fn admission_day(diagnosis: &Diagnosis, random: &mut Random) -> i32 {
    let first = day_number(FIRST_ADMISSION);
    let mut day = first + random.below(DAYS) as i32;
    if matches!(diagnosis.category.id, "J10" | "J12" | "J18" | "J20" | "J21") {
        for _ in 0..2 {
            if (4..=10).contains(&date(day).month) {
                day = first + random.below(DAYS) as i32;
            }
        }
    }
    day
}

/// A day that makes the patient `age` years old at admission; newborns are days old.
fn birth_day(diagnosis: &Diagnosis, admission: i32, age: u32, random: &mut Random) -> i32 {
    if diagnosis.category.profile == Profile::Newborn {
        return admission - random.below(4) as i32;
    }
    let (first, last) = birth_days(date(admission), age);
    first + random.below((last - first + 1) as u32) as i32
}

fn ward(diagnosis: &Diagnosis, age: u32, random: &mut Random) -> Ward {
    let usual = diagnosis.category.ward;
    let chance = random.below(100);
    match usual {
        Ward::Neonatology | Ward::Obstetrics | Ward::Psychiatry if chance < 97 => usual,
        Ward::Paediatrics if age >= 16 => Ward::Medicine,
        _ if chance >= 96 => Ward::Intensive,
        _ if age < 16 && chance < 80 => Ward::Paediatrics,
        Ward::Surgery | Ward::Orthopaedics | Ward::Urology | Ward::HeadNeck | Ward::Gynaecology => usual,
        _ if age >= 80 && chance < 25 => Ward::Geriatrics,
        _ if age >= 16 && chance < 32 => Ward::Medicine,
        _ => usual,
    }
}

/// Around the diagnosis's cost, more for the old and in intensive care, and a few stays that run away.
fn cost(diagnosis: &Diagnosis, age: u32, ward: Ward, random: &mut Random) -> u32 {
    let spread = 55 + random.below(46) + random.below(46);
    let ageing = 100 + age.saturating_sub(50);
    let care = if ward == Ward::Intensive && diagnosis.category.ward != Ward::Intensive { 3 } else { 1 };
    let stay = if random.percent(4) { 2 + random.below(5) } else { 1 };
    diagnosis.category.cost * spread / 100 * ageing / 100 * care * stay
}

/// Hierarchies of the columns that want some knowledge; dates and costs are cut by the hierarchy editor.
pub fn hierarchies() -> Vec<(String, String)> {
    let diagnoses = diagnoses();
    let mut postcodes: Vec<u32> = places(&diagnoses).0.iter().map(|place| place.postcode).collect();
    postcodes.order();
    let postcode = |postcode: &u32| {
        let text = format!("{postcode:05}");
        format!("{text};{}*;{}**;{}***;{}****;*\n", &text[..4], &text[..3], &text[..2], &text[..1])
    };
    let grouped = |(name, group): &(&str, &str)| format!("{name};{group};*\n");
    let column = |name: &str, text: String| (name.to_owned(), text);
    vec![
        column("age", super::age_hierarchy(0, OLDEST)),
        column("sex", SEXES.map(|sex| format!("{sex};*\n")).concat()),
        column("postcode", postcodes.iter().map(postcode).collect()),
        column("ethnicity", ETHNICITIES.iter().map(|&(name, group, _)| grouped(&(name, group))).collect()),
        column("marital_status", MARITAL.iter().map(grouped).collect()),
        column("ward", WARDS.iter().map(grouped).collect()),
        column("diagnosis", super::diagnoses::hierarchy()),
    ]
}
