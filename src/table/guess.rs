//! What a column is about and which role it should have, guessed from its name and its values.
//!
//! The guesses are a privacy officer's: in doubt they protect, and a person can correct each of them. Direct
//! identifiers are the eighteen kinds of the HIPAA Safe Harbor rule (45 CFR 164.514(b)(2)), except that dates, ages and
//! places larger than an address are quasi-identifiers, because recoding is what Throng does with them. Health, money
//! and belief are sensitive. A column that says nothing is a quasi-identifier: a needless one costs detail where a
//! person sees it, a missed one harms somebody in silence. Insensitive are only a column with a single value and
//! measures: numbers with many values that still repeat and a name that says nothing personal.
//!
//! Evidence in order: a name of a direct identifier (unless the values are a mere yes or no), values of one, free text,
//! other names, other values, how often values repeat. Each column is judged alone.
//!
//! A reason is made of fixed words: it contains neither a cell's value nor the column's name, which may be a value
//! where a header was guessed wrongly. Complexity: at most [`SAMPLE`] different values are looked at, all of them only
//! where a column numbers its rows.

mod names;
mod shapes;

use serde::{Deserialize, Serialize};

use super::Column;
use super::kind::{Kind, KindGuess, number, present};
use names::{Name, RULES, Rule, Weak};

/// What is done with a column.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Points to one person by itself; dropped.
    Identifier,
    /// May be known about a person and single them out together with others; recoded.
    Quasi,
    /// What nobody should learn about a person.
    Sensitive,
    /// Kept as it is.
    Insensitive,
}

/// What the column seems to be about.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    Name,
    RecordNumber,
    Email,
    Phone,
    Fax,
    SocialSecurity,
    MedicalRecordNumber,
    HealthPlanNumber,
    Account,
    Certificate,
    Vehicle,
    Device,
    Url,
    IpAddress,
    Biometric,
    Photo,
    Postcode,
    Address,
    BirthDate,
    Date,
    Age,
    Sex,
    Ethnicity,
    MaritalStatus,
    Nationality,
    Education,
    Occupation,
    Income,
    Religion,
    Diagnosis,
    Treatment,
    Cost,
    Ward,
    Other,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    pub role: Role,
    pub topic: Topic,
    /// One sentence for a person, without any cell's value.
    pub reason: String,
}

/// How many different values are looked at, spread evenly over all.
const SAMPLE: usize = 2_000;
/// Fewer rows than this are too few to conclude anything from their values being different.
const FEW_ROWS: usize = 20;
/// A number with more different values than this is a measure rather than a code for something.
const MEASURE_VALUES: usize = 20;

/// The role that a column should have until a person says otherwise.
///
/// # Arguments
/// - `kind`: what [`infer`](super::infer) says of the same column.
/// - `rows`: the rows of the table.
pub fn guess(column: &Column, kind: &KindGuess, rows: usize) -> Guess {
    let name = Name::new(&column.name);
    let values = Values::of(column, kind.kind, rows);
    let rule = RULES.iter().find(|rule| {
        let direct = rule.role == Role::Identifier;
        rule.fits(&name) && !(direct && (names::is_count(&name) || !values.allow(rule)))
    });
    let named = rule.map(|rule| because(rule.role, rule.topic, &format!("By its name this is {}", rule.what)));
    let weak = names::weak(&name);
    let direct = named.clone().filter(|guess| guess.role == Role::Identifier);
    direct
        .or_else(|| values.direct_identifier())
        .or_else(|| values.free_text(weak == Some(Weak::Note)))
        .or(named)
        .or_else(|| values.known_values())
        .or_else(|| values.numbering(weak))
        .unwrap_or_else(|| values.by_repetition())
}

/// A guess whose reason is the clue and what follows from it.
fn because(role: Role, topic: Topic, clue: &str) -> Guess {
    let so = match role {
        Role::Identifier => "which points to one person",
        Role::Quasi => "which others may know and find a person by",
        Role::Sensitive => "which others should not learn",
        Role::Insensitive => "which tells nobody apart",
    };
    Guess { role, topic, reason: format!("{clue}, {so}.") }
}

/// What the guesses need to know of a column's values. Missing cells are not among them.
struct Values<'a> {
    column: &'a Column,
    kind: Kind,
    /// Rows that have a value.
    rows: usize,
    distinct: usize,
    sample: Vec<&'a str>,
}

impl<'a> Values<'a> {
    fn of(column: &'a Column, kind: Kind, rows: usize) -> Self {
        let distinct = column.dictionary.len().saturating_sub(column.missing.len());
        let rows = rows.saturating_sub(column.missing_rows() as usize);
        let step = distinct.div_ceil(SAMPLE).max(1);
        Values { column, kind, rows, distinct, sample: present(column).step_by(step).map(str::trim).collect() }
    }

    /// Whether more than `percent` of the sampled values are so.
    fn mostly(&self, percent: usize, is: impl Fn(&str) -> bool) -> bool {
        self.sample.iter().filter(|text| is(text)).count() * 100 > self.sample.len() * percent
    }

    /// Whether the values could be the direct identifiers that the name promises: "has phone" has no telephone numbers.
    fn allow(&self, rule: &Rule) -> bool {
        if self.sample.is_empty() {
            return true;
        }
        let flags = self.rows > self.distinct && shapes::are_flags(&self.sample);
        // Eight digits in a row may be a number all the same.
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let date = matches!(self.kind, Kind::Date(_)) && !self.mostly(0, number);
        !flags && !date && (!rule.digits || self.mostly(0, shapes::has_digit))
    }

    /// Values that are direct identifiers whatever their column is called.
    fn direct_identifier(&self) -> Option<Guess> {
        if self.kind != Kind::Text {
            return None;
        }
        let found = |topic, what: &str| Some(because(Role::Identifier, topic, what));
        // One address among many other texts is one too many, and nothing else looks like it.
        if self.mostly(2, shapes::has_email) {
            return found(Topic::Email, "Values have the shape of an e-mail address");
        }
        if self.mostly(2, shapes::is_url) {
            return found(Topic::Url, "Values have the shape of a web address");
        }
        if self.mostly(50, shapes::is_ip_address) {
            return found(Topic::IpAddress, "Values have the shape of a computer's address");
        }
        if self.mostly(80, shapes::is_social_security_number) {
            return found(Topic::SocialSecurity, "Values have the shape of a social security number");
        }
        if self.mostly(80, shapes::is_phone) {
            return found(Topic::Phone, "Values have the shape of a telephone number");
        }
        None
    }

    /// Long texts, most of them different; in a column called notes or comments also shorter ones that repeat.
    fn free_text(&self, note: bool) -> Option<Guess> {
        let words: usize = self.sample.iter().map(|text| shapes::words(text)).sum();
        let (least, different) = if note { (3, true) } else { (6, self.distinct * 2 > self.rows) };
        let free =
            self.kind == Kind::Text && !self.sample.is_empty() && words >= least * self.sample.len() && different;
        let reason = "The values are free text, which may name people or tell what only fits one of them.";
        free.then(|| Guess { role: Role::Identifier, topic: Topic::Other, reason: reason.into() })
    }

    /// Values that are known for what they are, though the name says nothing.
    fn known_values(&self) -> Option<Guess> {
        if let Kind::Date(_) = self.kind {
            return Some(because(Role::Quasi, Topic::Date, "Every value is a date"));
        }
        if self.kind != Kind::Text {
            return None;
        }
        if shapes::are_sexes(&self.sample) {
            return Some(because(Role::Quasi, Topic::Sex, "Every value is a word for a person's sex"));
        }
        if self.mostly(80, shapes::is_icd_code) && self.mostly(0, |text| text.contains('.')) {
            return Some(because(
                Role::Sensitive,
                Topic::Diagnosis,
                "Values have the shape of a disease's code (ICD-10)",
            ));
        }
        if self.mostly(80, shapes::is_postcode) {
            return Some(because(Role::Quasi, Topic::Postcode, "Values have the shape of a postcode"));
        }
        None
    }

    /// Numbers, codes and names of something, which the name alone does not say to be a person.
    fn numbering(&self, weak: Option<Weak>) -> Option<Guess> {
        let unique = self.distinct == self.rows && self.rows > 1;
        let shared_by_few = self.rows < FEW_ROWS || (self.distinct > FEW_ROWS && self.distinct * FEW_ROWS >= self.rows);
        let code = self.kind != Kind::Decimal && self.distinct > 1;
        let found = |topic, clue| Some(because(Role::Identifier, topic, clue));
        match weak {
            Some(Weak::Name) if self.kind == Kind::Text && shared_by_few => {
                found(Topic::Name, "By its name this is a name")
            }
            Some(Weak::Id) if code && shared_by_few => {
                found(Topic::RecordNumber, "By its name this numbers people or records")
            }
            Some(Weak::Id) if code => {
                let clue = "By its name this numbers something that many rows share";
                Some(because(Role::Quasi, Topic::RecordNumber, clue))
            }
            Some(Weak::Number) if code && unique => {
                found(Topic::RecordNumber, "This is a number or code that is different in every row")
            }
            _ if unique && self.numbers_rows() => found(Topic::RecordNumber, "This numbers the rows one by one"),
            _ => None,
        }
    }

    /// Whether the values are all the whole numbers from the least to the greatest.
    fn numbers_rows(&self) -> bool {
        if self.kind != Kind::Integer || self.rows < FEW_ROWS {
            return false;
        }
        let bounds = present(self.column).filter_map(number).fold(None, |bounds: Option<(f64, f64)>, value| {
            let (least, greatest) = bounds.unwrap_or((value, value));
            Some((least.min(value), greatest.max(value)))
        });
        bounds.is_some_and(|(least, greatest)| greatest - least == (self.distinct - 1) as f64)
    }

    /// All that is left to go by is how often values repeat.
    fn by_repetition(&self) -> Guess {
        let guess = |role, reason: &str| Guess { role, topic: Topic::Other, reason: reason.into() };
        let enough = self.rows >= FEW_ROWS;
        if self.distinct <= 1 {
            return guess(Role::Insensitive, "All rows have the same value or none, which tells nobody apart.");
        }
        if self.kind == Kind::Text && enough && self.distinct * 10 >= self.rows * 9 {
            return guess(
                Role::Identifier,
                "Nearly every row has a text of its own, which may name a person or record.",
            );
        }
        if self.kind == Kind::Text {
            return guess(
                Role::Quasi,
                "Nothing says what this is, so it is taken for something that others may know about a person.",
            );
        }
        if enough && self.distinct * 2 >= self.rows {
            return guess(
                Role::Quasi,
                "Most rows have a number of their own, so who has it from another table finds the row.",
            );
        }
        if self.distinct > MEASURE_VALUES {
            return guess(
                Role::Insensitive,
                "A measure with nothing personal in its name; change this if others may know it about a person.",
            );
        }
        guess(
            Role::Quasi,
            "A number with few values, perhaps a code for something that others may know about a person.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::infer;
    use crate::table::kind::tests::column;
    use Role::{Identifier, Insensitive, Quasi, Sensitive};

    fn guess_of<T: AsRef<str>>(name: &str, cells: &[T]) -> Guess {
        let column = column(name, cells);
        let guess = guess(&column, &infer(&column), cells.len());
        assert!(guess.reason.ends_with('.') && guess.reason.matches(". ").count() == 0, "{}", guess.reason);
        guess
    }

    fn seen<T: AsRef<str>>(name: &str, cells: &[T]) -> (Role, Topic) {
        let guess = guess_of(name, cells);
        (guess.role, guess.topic)
    }

    /// Values that say nothing: they repeat, have figures, and are no numbers.
    fn codes() -> Vec<String> {
        (0..100).map(|row| format!("v{}", row % 30)).collect()
    }

    fn rows(count: usize, cell: impl Fn(usize) -> String) -> Vec<String> {
        (0..count).map(cell).collect()
    }

    #[test]
    fn names_of_the_eighteen_kinds_of_safe_harbor() {
        let cases: [(&[&str], Role, Topic); 21] = [
            (
                &[
                    "Name",
                    "first_name",
                    "LastName",
                    "surname",
                    "Patient's name",
                    "Nachname",
                    "Vorname",
                    "prénom",
                    "Apellidos",
                ],
                Identifier,
                Topic::Name,
            ),
            (
                &["address", "Street", "Adresse", "home_address_2", "Straße", "lat", "Wohnstrasse"],
                Identifier,
                Topic::Address,
            ),
            (
                &["city", "County", "Wohnort", "ville", "census_tract", "birthplace", "state", "location"],
                Quasi,
                Topic::Address,
            ),
            (
                &["zip", "ZIPCode", "zip_code", "postcode", "PLZ", "code postal", "Código Postal"],
                Quasi,
                Topic::Postcode,
            ),
            (
                &["dob", "DateOfBirth", "birth-date", "Geburtsdatum", "date de naissance", "birth_year"],
                Quasi,
                Topic::BirthDate,
            ),
            (
                &[
                    "admission_date",
                    "Discharge Date",
                    "date_of_death",
                    "Aufnahmedatum",
                    "diagnosis date",
                    "year",
                    "fecha",
                ],
                Quasi,
                Topic::Date,
            ),
            (&["phone", "Telephone No", "tel", "mobileNumber", "Telefonnummer", "teléfono"], Identifier, Topic::Phone),
            (&["fax", "Fax_Number", "Telefax"], Identifier, Topic::Fax),
            (&["email", "E-Mail", "eMail", "email_address", "Courriel"], Identifier, Topic::Email),
            (
                &["ssn", "SSN", "social security number", "Sozialversicherungsnummer", "DNI"],
                Identifier,
                Topic::SocialSecurity,
            ),
            (&["mrn", "MRN", "medical_record_number", "Fallnummer"], Identifier, Topic::MedicalRecordNumber),
            (
                &["health_plan_beneficiary_number", "insurance_id", "memberId", "Versichertennummer"],
                Identifier,
                Topic::HealthPlanNumber,
            ),
            (&["account", "account_number", "acct_no", "IBAN", "Kontonummer"], Identifier, Topic::Account),
            (&["license_number", "certificate no", "passport", "driversLicense"], Identifier, Topic::Certificate),
            (&["vin", "license_plate", "Vehicle ID", "KFZ-Kennzeichen"], Identifier, Topic::Vehicle),
            (&["device_id", "serialNumber", "IMEI", "MAC address", "Seriennummer"], Identifier, Topic::Device),
            (&["url", "website", "Home Page"], Identifier, Topic::Url),
            (&["ip", "IPAddress", "ip_addr", "ipv4"], Identifier, Topic::IpAddress),
            (&["fingerprint", "voice_print", "biometric_hash", "iris scan"], Identifier, Topic::Biometric),
            (&["photo", "face_image", "Portrait", "Lichtbild"], Identifier, Topic::Photo),
            (
                &["patient_id", "pat_id", "PatientID", "record number", "Patientennummer", "subject_id", "UUID"],
                Identifier,
                Topic::RecordNumber,
            ),
        ];
        for (names, role, topic) in cases {
            for name in names {
                assert_eq!(seen(name, &codes()), (role, topic), "{name}");
                assert_eq!(seen::<&str>(name, &[]), (role, topic), "{name}");
            }
        }
    }

    #[test]
    fn other_names() {
        let cases: [(&[&str], Role, Topic); 13] = [
            (&["age", "Age", "patientAge", "Alter", "âge", "edad", "age_group", "participant_age"], Quasi, Topic::Age),
            (&["sex", "Gender", "beneficiary sex", "subject_sex", "Geschlecht", "sexe", "sexo"], Quasi, Topic::Sex),
            (&["race", "ethnicity", "Ethnic Group"], Quasi, Topic::Ethnicity),
            (
                &["marital-status", "maritalStatus", "Familienstand", "état civil", "relationship"],
                Quasi,
                Topic::MaritalStatus,
            ),
            (
                &["native-country", "nationality", "Staatsangehörigkeit", "country_of_birth_self"],
                Quasi,
                Topic::Nationality,
            ),
            (&["education", "education_num", "Schulabschluss"], Quasi, Topic::Education),
            (
                &["occupation", "workclass", "Beruf", "job", "hours_per_week", "class_of_worker"],
                Quasi,
                Topic::Occupation,
            ),
            (
                &[
                    "salary-class",
                    "income",
                    "Einkommen",
                    "salaire",
                    "capital_gain",
                    "account balance",
                    "salary_per_year",
                ],
                Sensitive,
                Topic::Income,
            ),
            (&["religion", "Konfession"], Sensitive, Topic::Religion),
            (
                &[
                    "diagnosis",
                    "Disease",
                    "icd10",
                    "ICD-10",
                    "condition",
                    "Diagnose",
                    "dx1",
                    "hiv_status",
                    "tumor_location",
                ],
                Sensitive,
                Topic::Diagnosis,
            ),
            (&["treatment", "medication", "drug_name", "Therapie", "procedure"], Sensitive, Topic::Treatment),
            (&["cost", "total_charges", "treatment cost", "Kosten"], Sensitive, Topic::Cost),
            (&["ward", "department", "Hospital", "Station", "hospital_id"], Quasi, Topic::Ward),
        ];
        for (names, role, topic) in cases {
            for name in names {
                assert_eq!(seen(name, &codes()), (role, topic), "{name}");
            }
        }
    }

    #[test]
    fn only_whole_words_count() {
        let names = "average page message stage usage percentage storage telemetry hotel paid valid recipe hip zipper \
             update mandate racetrack traceability sextant essex diagram warden forward discount capacity velocity";
        for name in names.split(' ').chain(["", "…", "x", "column 7"]) {
            assert_eq!(seen(name, &codes()), (Quasi, Topic::Other), "{name}");
        }
        assert_eq!(seen("sexual_history", &codes()), (Sensitive, Topic::Other));
        assert_eq!(seen("age at diagnosis", &codes()), (Quasi, Topic::Age));
        assert_eq!(seen("years_at_company", &codes()), (Quasi, Topic::Occupation));
    }

    #[test]
    fn a_yes_or_a_word_is_no_number() {
        let flag = |row: usize| ["yes", "no"][row % 2].to_owned();
        for name in ["has_phone", "email", "photo", "ssn", "name"] {
            assert_ne!(seen(name, &rows(50, flag)).0, Identifier, "{name}");
        }
        for name in ["phone_count", "number of images", "Anzahl Geräte"] {
            assert_ne!(seen(name, &rows(50, |row| (row % 4).to_string())).0, Identifier, "{name}");
        }
        let wealth = |row: usize| ["little", "moderate", "rich"][row % 3].to_owned();
        assert_eq!(seen("Checking account", &rows(50, wealth)), (Sensitive, Topic::Income));
        assert_eq!(
            seen("license", &rows(50, |row| format!("202401{:02}", row % 28 + 1))),
            (Identifier, Topic::Certificate)
        );
        assert_eq!(seen("license", &rows(50, |row| format!("2024-01-{:02}", row % 28 + 1))), (Quasi, Topic::Date));
    }

    #[test]
    fn values_say_what_names_do_not() {
        type Cell = fn(usize) -> String;
        let cases: [(Cell, Role, Topic); 12] = [
            (|row| format!("user{row}@example.org"), Identifier, Topic::Email),
            (|row| if row % 10 == 0 { format!("call u{row}@x.org") } else { "none".into() }, Identifier, Topic::Email),
            (|row| format!("https://example.org/{row}"), Identifier, Topic::Url),
            (|row| format!("10.0.0.{}", row % 50), Identifier, Topic::IpAddress),
            (|row| format!("123-45-{:04}", row % 70), Identifier, Topic::SocialSecurity),
            (|row| format!("+49 30 12345{:02}", row % 60), Identifier, Topic::Phone),
            (|row| ["M", "F", "?"][row % 3].into(), Quasi, Topic::Sex),
            (|row| ["E11.9", "I10", "J45.0"][row % 3].into(), Sensitive, Topic::Diagnosis),
            (|row| format!("2024-01-{:02}", row % 28 + 1), Quasi, Topic::Date),
            (|row| format!("{:05}", 1067 + row % 40 * 900), Quasi, Topic::Postcode),
            (|row| format!("{row} came in with pain and left without after two days"), Identifier, Topic::Other),
            (|row| (row + 1000).to_string(), Identifier, Topic::RecordNumber),
        ];
        for (cell, role, topic) in cases {
            assert_eq!(seen("x", &rows(100, cell)), (role, topic), "{}", cell(0));
        }
        // A telling name does not hide what the values are.
        assert_eq!(seen("diagnosis", &rows(100, cases[0].0)), (Identifier, Topic::Email));
        assert_eq!(seen("diagnosis", &rows(100, cases[10].0)), (Identifier, Topic::Other));
    }

    #[test]
    fn numbers_and_names_of_something() {
        let unique = |row: usize| (row * 7919 % 100_003).to_string();
        assert_eq!(seen("id", &rows(100, unique)), (Identifier, Topic::RecordNumber));
        assert_eq!(seen("Number", &rows(100, unique)), (Identifier, Topic::RecordNumber));
        assert_eq!(seen("id", &["4", "5", "9"]), (Identifier, Topic::RecordNumber));
        // Several visits of each patient, and a handful of rooms.
        assert_eq!(seen("id", &rows(200, |row| (row / 4 * 3).to_string())), (Identifier, Topic::RecordNumber));
        assert_eq!(seen("type_id", &rows(200, |row| (row % 4).to_string())), (Quasi, Topic::RecordNumber));
        assert_eq!(seen("number", &rows(200, |row| (row % 4).to_string())), (Quasi, Topic::Other));
        assert_eq!(seen("number of visits", &rows(30, |row| (row * 3).to_string())), (Quasi, Topic::Other));
        assert_eq!(seen("contact name", &rows(100, |row| format!("n {}", row / 2))), (Identifier, Topic::Name));
        assert_eq!(seen("product name", &rows(100, |row| format!("n {}", row % 4))), (Quasi, Topic::Other));
    }

    #[test]
    fn the_rest_goes_by_repetition() {
        let cases = [
            (rows(100, |row| format!("t{row}")), Identifier),
            (rows(100, |row| format!("t{}", row / 2)), Quasi),
            (rows(10, |row| format!("t{row}")), Quasi),
            (rows(100, |_| "same".into()), Insensitive),
            (rows(100, |_| "?".into()), Insensitive),
            (rows(0, |_| String::new()), Insensitive),
            (rows(100, |row| format!("{}.5", row * row)), Quasi),
            (rows(100, |row| format!("{}.5", row % 30)), Insensitive),
            (rows(100, |row| (row % 30).to_string()), Insensitive),
            (rows(100, |row| (row % 5).to_string()), Quasi),
        ];
        for (cells, role) in cases {
            assert_eq!(seen("x", &cells), (role, Topic::Other), "{:?}", cells.first());
        }
        // Missing cells are not a value.
        let half_missing = rows(100, |row| if row % 2 == 0 { "NA".into() } else { format!("t{row}") });
        assert_eq!(seen("x", &half_missing).0, Identifier);
    }

    #[test]
    fn tables_that_are_often_used() {
        type Case<'a> = (&'a str, &'a [&'a str], Role);
        let adult: [Case; 12] = [
            ("age", &["39", "50", "38"], Quasi),
            ("workclass", &["State-gov", "Private"], Quasi),
            ("education", &["Bachelors", "HS-grad"], Quasi),
            ("education_num", &["13", "9"], Quasi),
            ("marital_status", &["Never-married", "Divorced"], Quasi),
            ("occupation", &["Adm-clerical", "Sales"], Quasi),
            ("relationship", &["Not-in-family", "Husband"], Quasi),
            ("race", &["White", "Black"], Quasi),
            ("sex", &["Male", "Female"], Quasi),
            ("hours_per_week", &["40", "13"], Quasi),
            ("native_country", &["United-States", "Cuba"], Quasi),
            ("salary_class", &["<=50K", ">50K"], Sensitive),
        ];
        let credit: [Case; 9] = [
            ("id", &["0", "1", "2"], Identifier),
            ("Job", &["2", "1"], Quasi),
            ("Housing", &["own", "rent"], Quasi),
            ("Saving accounts", &["NA", "little", "rich"], Sensitive),
            ("Checking account", &["little", "moderate"], Sensitive),
            ("Credit amount", &["1169", "5951"], Sensitive),
            ("Purpose", &["radio/TV", "education"], Quasi),
            ("Risk", &["good", "bad"], Sensitive),
            ("Sex", &["male", "female"], Quasi),
        ];
        let nursery_and_census: [Case; 8] = [
            ("parents", &["usual", "pretentious"], Quasi),
            ("children", &["1", "2", "more"], Quasi),
            ("finance", &["convenient", "inconv"], Sensitive),
            ("health", &["recommended", "priority"], Sensitive),
            ("class", &["recommend", "priority"], Quasi),
            ("detailed_household_and_family_stat", &["Householder", "Spouse of householder"], Quasi),
            ("major_industry_code", &["Construction", "Retail trade"], Quasi),
            ("income", &["<50K", ">=50K"], Sensitive),
        ];
        for (name, cells, role) in adult.into_iter().chain(credit).chain(nursery_and_census) {
            let cells: Vec<&str> = cells.iter().copied().cycle().take(60).collect();
            let cells =
                if name == "id" { rows(60, |row| row.to_string()) } else { cells.iter().map(|&c| c.into()).collect() };
            assert_eq!(seen(name, &cells).0, role, "{name}");
        }
    }

    #[test]
    fn a_reason_quotes_neither_cells_nor_names() {
        let cells = rows(50, |row| format!("Zebulon{row}@quux.org"));
        for name in ["quuxname", "quux email", "quux diagnosis", "quux"] {
            let reason = guess_of(name, &cells).reason.to_lowercase();
            assert!(!reason.contains("quux") && !reason.contains("zebulon"), "{reason}");
        }
        let sentence = "By its name this is a postcode, which others may know and find a person by.";
        assert_eq!(guess_of("PLZ", &codes()).reason, sentence);
    }

    #[test]
    fn guesses_are_written_in_words() {
        let guess = Guess { role: Quasi, topic: Topic::MaritalStatus, reason: "So.".into() };
        let json = r#"{"role":"quasi","topic":"marital-status","reason":"So."}"#;
        assert_eq!(serde_json::to_string(&guess).unwrap(), json);
        assert_eq!(serde_json::from_str::<Guess>(json).unwrap(), guess);
    }
}
