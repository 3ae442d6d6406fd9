//! The columns as the HIPAA Safe Harbor rule (45 CFR 164.514(b)(2)) wants them: identifiers dropped, dates shown as
//! years, ages from 90 on as one, postcodes by their first three digits. And what a set-up makes of each of the rule's 18
//! kinds: done, not there, or not done, because.
//!
//! Which columns are of a kind is told by [`crate::table::guess`], and by the values where these are dates. A kind is
//! *done* only if all its columns are; a column in which a cell can't be read is never passed over.
//!
//! What the rule also asks and no table can tell: three-digit areas of 20,000 people or fewer become 000, a year of
//! birth that tells an age over 89 is pooled, too, and nobody may know a person by what is left (164.514(b)(2)(ii)).
//! Complexity: O(different values of columns that are nearly dates or ages).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::setup::{ColumnSetup, Setup};
use crate::failure::Failure;
use crate::hierarchy::{DateLevel, Hierarchy, NodeId, Recipe};
use crate::table::{Column, Kind, Role, Table, Topic, has_written_dates, nearly_dates, number};
use crate::words::counted;

/// The age from which on all are one.
const OLDEST: u32 = 90;
/// Digits of a postcode that may be shown.
const DIGITS: usize = 3;

/// One of the 18 kinds, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provision {
    /// `A` to `R`, as the rule has them.
    pub letter: char,
    pub kind: String,
    pub standing: Standing,
    /// A sentence for each column of the kind.
    pub columns: Vec<String>,
    /// What no table can tell.
    pub caution: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    Done,
    NotThere,
    NotDone,
}

impl Provision {
    /// `(C) dates and ages over 89: not done, because …`.
    pub fn sentence(&self) -> String {
        let said = match self.standing {
            Standing::Done => "done".to_owned(),
            Standing::NotThere => "not there".to_owned(),
            Standing::NotDone => "not done, because".to_owned(),
        };
        let columns = self.columns.join("; ");
        let caution = self.caution.as_ref().map(|caution| format!(" {caution}")).unwrap_or_default();
        match (columns.is_empty(), self.standing) {
            (true, _) => format!("({}) {}: {said}.{caution}", self.letter, self.kind),
            (_, Standing::NotDone) => format!("({}) {}: {said} {columns}.{caution}", self.letter, self.kind),
            _ => format!("({}) {}: {said}: {columns}.{caution}", self.letter, self.kind),
        }
    }
}

const KINDS: [(char, &str); 18] = [
    ('A', "names"),
    ('B', "places smaller than a state, postcodes among them"),
    ('C', "dates but for the year, and ages over 89"),
    ('D', "telephone numbers"),
    ('E', "fax numbers"),
    ('F', "e-mail addresses"),
    ('G', "social security numbers"),
    ('H', "medical record numbers"),
    ('I', "health plan beneficiary numbers"),
    ('J', "account numbers"),
    ('K', "certificate and license numbers"),
    ('L', "vehicle identifiers and license plates"),
    ('M', "device identifiers and serial numbers"),
    ('N', "web addresses"),
    ('O', "IP addresses"),
    ('P', "biometric identifiers"),
    ('Q', "full-face photographs and the like"),
    ('R', "any other unique number, characteristic or code"),
];

/// The kind that a column is of.
fn letter(column: &ColumnSetup, data: &Column) -> Option<char> {
    let identifier = column.guess.role == Role::Identifier;
    let letter = match column.guess.topic {
        Topic::Name => 'A',
        Topic::Address | Topic::Postcode => 'B',
        Topic::BirthDate | Topic::Date | Topic::Age => 'C',
        Topic::Phone => 'D',
        Topic::Fax => 'E',
        Topic::Email => 'F',
        Topic::SocialSecurity => 'G',
        Topic::MedicalRecordNumber => 'H',
        Topic::HealthPlanNumber => 'I',
        Topic::Account => 'J',
        Topic::Certificate => 'K',
        Topic::Vehicle => 'L',
        Topic::Device => 'M',
        Topic::Url => 'N',
        Topic::IpAddress => 'O',
        Topic::Biometric => 'P',
        Topic::Photo => 'Q',
        // Dates whose name says nothing, and those that some cells keep from being read as dates.
        _ if matches!(column.kind.kind, Kind::Date(_)) || nearly_dates(data).is_some() || has_written_dates(data) => {
            'C'
        }
        Topic::RecordNumber => 'R',
        _ if identifier || column.role == Role::Identifier => 'R',
        _ => return None,
    };
    Some(letter)
}

/// What a set-up makes of the 18 kinds.
pub fn provisions(setup: &Setup, table: &Table) -> Vec<Provision> {
    let letters: Vec<Option<char>> =
        setup.columns.iter().zip(&table.columns).map(|(column, data)| letter(column, data)).collect();
    let provision = |&(letter, kind): &(char, &str)| {
        let places = (0..letters.len()).filter(|&place| letters[place] == Some(letter));
        let told: Vec<(bool, String)> = places
            .map(|place| {
                let (column, data) = (&setup.columns[place], &table.columns[place]);
                let (done, what) = match treated(letter, column, data) {
                    Ok(what) => (true, what),
                    Err(why) => (false, why),
                };
                (done, format!("“{}” {what}", data.name))
            })
            .collect();
        let standing = match told.iter().all(|(done, _)| *done) {
            _ if told.is_empty() => Standing::NotThere,
            true => Standing::Done,
            false => Standing::NotDone,
        };
        // Of a kind that is not done, only what is not.
        let columns =
            told.into_iter().filter(|(done, _)| *done == (standing == Standing::Done)).map(|(_, what)| what).collect();
        let caution = (standing == Standing::Done).then(|| caution(letter)).flatten();
        Provision { letter, kind: kind.to_owned(), standing, columns, caution: caution.map(str::to_owned) }
    };
    KINDS.iter().map(provision).collect()
}

fn caution(letter: char) -> Option<&'static str> {
    match letter {
        'B' => Some("Three-digit areas of 20,000 people or fewer must become 000: no table tells them."),
        'C' => Some("A year of birth that tells an age over 89 must be pooled by you."),
        'R' => Some("What else is unique of a person, only a person can tell."),
        _ => None,
    }
}

/// What the set-up does to a column of a kind, or why that is not what the rule asks.
fn treated(letter: char, column: &ColumnSetup, data: &Column) -> Result<String, String> {
    if column.role == Role::Identifier {
        return Ok("is removed".into());
    }
    if column.role == Role::Sensitive {
        return Err("is sensitive and released as it is: make it an identifier or a quasi-identifier".into());
    }
    let guess = (column.guess.topic, column.kind.kind);
    let shown = shown_at_least(column, data).filter(|_| column.from_level > 0);
    if matches!(letter, 'B' | 'C') && shown.as_ref().is_some_and(|shown| shown.iter().all(|&label| label == "*")) {
        return Ok("shows nothing but *".into());
    }
    match letter {
        'B' if guess.0 == Topic::Postcode => postcode(column, data),
        'B' => place(data, shown),
        'C' if guess.0 == Topic::Age => age(column, data),
        'C' => dates(column, data),
        'R' if column.guess.role != Role::Identifier => {
            Err("numbers something that several rows share: remove it if it is unique to a person".into())
        }
        _ => Err("is not removed: make it an identifier".into()),
    }
}

fn recipe(column: &ColumnSetup) -> Option<&Recipe> {
    let template = column.template.as_ref().filter(|_| column.role == Role::Quasi)?;
    template.recipe.as_ref()
}

fn postcode(column: &ColumnSetup, data: &Column) -> Result<String, String> {
    let Some(Recipe::Mask { .. }) = recipe(column) else {
        return Err("is not masked: apply the Safe Harbor columns".into());
    };
    let template = column.template.as_ref().ok_or("has no hierarchy")?;
    let from = masked_from(&template.tree);
    if column.from_level < from {
        return Err(format!("may show more than {DIGITS} digits: show it from level {from} on"));
    }
    // What could not be masked stands right under the root, and its own text is shown on level 0 only.
    let top = template.tree.levels() - 1;
    let level = column.from_level as usize;
    let shown = |code: &u32| {
        let leaf = template.binding.leaves[*code as usize];
        let label = leaf.map(|leaf| template.tree.label(template.tree.at_level(leaf, level)).to_owned());
        label.is_none_or(|label| label.trim_end_matches('*').chars().count() > DIGITS)
    };
    let present = data.present();
    let rows: u64 = present.filter(shown).map(|code| u64::from(data.counts[code as usize])).sum();
    if rows > 0 && level < top {
        return Err(format!("has {} that can't be masked to {DIGITS} digits", counted(rows, "cell")));
    }
    Ok(format!("shows {DIGITS} digits at most"))
}

/// What is shown at least of a quasi-identifier: the labels of its values on the level that they are shown from.
fn shown_at_least<'a>(column: &'a ColumnSetup, data: &'a Column) -> Option<BTreeSet<&'a str>> {
    let template = column.template.as_ref().filter(|_| column.role == Role::Quasi)?;
    let (tree, level) = (&template.tree, column.from_level as usize);
    // What the tree lacks would be shown as it is.
    let label = |code: u32| template.binding.leaves[code as usize].map(|leaf| tree.label(tree.at_level(leaf, level)));
    data.present().map(label).collect()
}

/// The states of the rule's country, its district and its territories, by name and by postal code.
const STATES: &str = "alabama al alaska ak arizona az arkansas ar california ca colorado co connecticut ct delaware de florida fl \
    georgia ga hawaii hi idaho id illinois il indiana in iowa ia kansas ks kentucky ky louisiana la maine me maryland md \
    massachusetts ma michigan mi minnesota mn mississippi ms missouri mo montana mt nebraska ne nevada nv newhampshire nh \
    newjersey nj newmexico nm newyork ny northcarolina nc northdakota nd ohio oh oklahoma ok oregon or pennsylvania pa \
    rhodeisland ri southcarolina sc southdakota sd tennessee tn texas tx utah ut vermont vt virginia va washington wa \
    westvirginia wv wisconsin wi wyoming wy districtofcolumbia dc puertorico pr guam gu americansamoa as virginislands vi \
    northernmarianaislands mp";

fn is_state(label: &str) -> bool {
    let plain: String = label.chars().filter(|sign| !sign.is_whitespace()).flat_map(char::to_lowercase).collect();
    STATES.split_whitespace().any(|state| state == plain)
}

/// A state or more is no place that the rule is about. What is shown is judged, and the name only where all is.
fn place(data: &Column, shown: Option<BTreeSet<&str>>) -> Result<String, String> {
    const LARGE: [&str; 9] =
        ["state", "states", "us state", "country", "nation", "bundesland", "pays", "país", "continent"];
    let name: String = data.name.trim().to_lowercase().replace(['_', '-', '.'], " ");
    if LARGE.contains(&name.as_str()) {
        return Ok("names a state or a country, which may stay".into());
    }
    match shown {
        Some(shown) if shown.iter().all(|&label| label == "*" || is_state(label)) => Ok("shows states at most".into()),
        _ => Err("may show a place smaller than a state: make it an identifier, or give it a hierarchy and show it from the \
                  level on that has nothing but US states (by name or postal code) or *"
            .into()),
    }
}

fn age(column: &ColumnSetup, data: &Column) -> Result<String, String> {
    if !matches!(column.kind.kind, Kind::Integer | Kind::Decimal) {
        return Err(unread(data, "an age", |text| number(text).is_some()));
    }
    match recipe(column) {
        Some(Recipe::PooledAges { from }) if *from <= OLDEST && column.from_level >= 1 => {
            Ok(format!("shows ages from {from} on as one"))
        }
        _ => Err(format!("may show ages over {}: apply the Safe Harbor columns", OLDEST - 1)),
    }
}

fn dates(column: &ColumnSetup, data: &Column) -> Result<String, String> {
    let Kind::Date(_) = column.kind.kind else {
        let year =
            |text: &str| number(text).is_some_and(|year| (1000.0..3000.0).contains(&year) && year.fract() == 0.0);
        let mut present = data.present();
        if present.all(|code| year(data.dictionary.text(code))) {
            return Ok("has years only, which may stay".into());
        }
        return Err(match nearly_dates(data) {
            Some(dates) => cells_unread(dates.unread, "a date"),
            None => unread(data, "a date", |_| false),
        });
    };
    let level = column.from_level as usize;
    let finer = |levels: &[DateLevel]| levels.iter().filter(|level| **level < DateLevel::Year).count();
    match recipe(column) {
        // Level 0 is the values; a level each follows.
        Some(Recipe::Dates { levels }) if level > finer(levels) => Ok("shows years at most".into()),
        _ => Err("may show more than the year: apply the Safe Harbor columns".into()),
    }
}

/// How many cells are not what they should be.
fn unread(data: &Column, what: &str, reads: impl Fn(&str) -> bool) -> String {
    let fails = |code: &u32| !reads(data.dictionary.text(*code));
    let rows = data.present().filter(fails).map(|code| u64::from(data.counts[code as usize]));
    cells_unread(rows.sum(), what)
}

fn cells_unread(cells: u64, what: &str) -> String {
    format!(
        "has {} that can't be read as {what}: name what stands for a missing cell (\"missing_tokens\"), correct the file, \
         or make it an identifier",
        counted(cells, "cell")
    )
}

pub fn safe_harbor(setup: &mut Setup, table: &Table) -> Result<(), Failure> {
    for (column, data) in setup.columns.iter_mut().zip(&table.columns) {
        if column.guess.role == Role::Identifier {
            column.role = Role::Identifier;
        }
        if matches!(column.role, Role::Identifier | Role::Sensitive) {
            continue;
        }
        let recipe = match (column.guess.topic, column.kind.kind) {
            (Topic::Age, Kind::Integer | Kind::Decimal) => Recipe::PooledAges { from: OLDEST },
            (Topic::Postcode, _) => Recipe::Mask { keep_at_least: 1 },
            (_, Kind::Date(_)) => Recipe::Dates { levels: vec![DateLevel::Year, DateLevel::Decade] },
            // Told by `provisions` where it should have been one of these.
            _ => continue,
        };
        column.role = Role::Quasi;
        column.build(&recipe, data)?;
        let Some(template) = &column.template else { continue };
        column.from_level = match recipe {
            Recipe::Mask { .. } => masked_from(&template.tree),
            _ => 1.min(template.tree.levels() as u32 - 1),
        };
    }
    Ok(())
}

/// The lowest level on which no masked value shows more digits than it may.
fn masked_from(tree: &Hierarchy) -> u32 {
    // Values that could not be masked stand right under the root and would ask for too much.
    let masked = tree.leaves().iter().filter(|&&leaf| tree.depth(leaf) > 1);
    let shown = |node: NodeId| tree.label(node).trim_end_matches('*').chars().count();
    let long = |level: usize| masked.clone().any(|&leaf| shown(tree.at_level(leaf, level)) > DIGITS);
    (0..tree.levels()).find(|&level| !long(level)).unwrap_or(0) as u32
}
