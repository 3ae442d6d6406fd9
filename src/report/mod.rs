//! The report that a data-protection office signs: one HTML file that needs nothing else and prints well.
//!
//! Two versions: *internal* tells everything; *external* is for readers of the release. No count of one to ten persons
//! stands in it or follows from what does, and no value of the table or the policy:
//! - what was demanded is told, and that nobody is where the demands allow nobody;
//! - how many records the release has, which readers can count, is told in two digits, and from 1,000 on only;
//! - of that many on, every other figure is a share in steps of ten percent of its table: *less than 5 %* (none, too),
//!   *about 10 %*, …, *95 % or more* (all, too). Whatever follows from sums and differences of such shares has its bounds
//!   at multiples of five percent, so that a count is either nothing or can be as large as five percent: fifty records;
//! - of smaller tables no such figure is told.
//!
//! Fields for a person's own words can be typed into in any browser (`contenteditable`, no script) and printed.
//! Guarantee: every text from outside is escaped; same run, context and version, same bytes.

mod page;

use page::{Page, Row, plain};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::{Audit, SensitiveAudit};
use crate::classes::Classes;
use crate::classes::risk::{IN_PRACTICE, PUBLIC, TAKEN_FOR_PUBLIC, smallest_class};
use crate::findings::Finding;
use crate::grouped::SizeBand;
use crate::io::csv::ReadOptions;
use crate::io::csv_write::Written;
use crate::metrics::Metrics;
use crate::policy::Decisions;
use crate::policy::{Algorithm, Missing, Setup};
use crate::run::Run;
use crate::table::{Role, Table};
use crate::words::{counted, figure, figure_at_least, figure_at_most, grouped, percent};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    Internal,
    External,
}

/// What is told beside the run itself.
pub struct Context<'a> {
    pub audience: Audience,
    /// The file that the table was read from.
    pub file: &'a str,
    pub digests: Digests,
    /// How the release is saved.
    pub written: Written,
    /// The day the report is made.
    pub date: &'a str,
    /// The policy's file.
    pub policy: &'a str,
    /// How the file was read.
    pub reading: &'a ReadOptions,
    /// What was found in the file, the table and the release, and what was decided on it.
    pub findings: &'a [Finding],
    pub decisions: &'a Decisions,
    /// The table and the release, audited under the same policy.
    pub before: &'a Audit,
    pub after: &'a Audit,
    pub classes_before: &'a Classes,
}

/// SHA-256 of the file, and of what is saved: the release and the policy.
pub struct Digests {
    pub input: String,
    pub release: String,
    pub policy: String,
}

/// Records whose risk (one by the size of their class) exceeds these are counted.
const THRESHOLDS: [f64; 4] = [0.05, 0.09, 0.2, 0.33];

pub fn html(table: &Table, run: &Run, context: &Context<'_>) -> String {
    let external = context.audience == Audience::External;
    let told = Told { external, released: run.output.rows as u64, original: table.rows as u64 };
    let mut page = Page::new(match context.audience {
        Audience::Internal => "Anonymization report, internal version",
        Audience::External => "Anonymization report, external version",
    });
    identity(&mut page, table, run, context, told);
    columns(&mut page, table, run, told);
    if !told.external {
        findings(&mut page, context);
    }
    surroundings(&mut page);
    risk(&mut page, run, context, told);
    demands(&mut page, run, context, told);
    for (before, after) in context.before.sensitive.iter().zip(&context.after.sensitive) {
        sensitive(&mut page, before, after, told);
    }
    opinions(&mut page, run, context, told);
    utility(&mut page, &run.view.metrics, told);
    limitations(&mut page, table, run, context);
    if !told.external {
        reproduction(&mut page, run, context);
    }
    page.fields("Signed", &["Name and office", "Date", "Signature", "To be reviewed on"]);
    page.finish()
}

/// How figures are told to the audience.
#[derive(Clone, Copy)]
struct Told {
    external: bool,
    /// Records of the release and of the table that it was made from.
    released: u64,
    original: u64,
}

/// Of fewer released records, figures are not for readers: a step of ten percent could be few persons.
const MANY: u64 = 1000;

impl Told {
    fn hides(self) -> bool {
        self.external && self.released < MANY
    }

    /// So many of so many records.
    fn records(self, part: u64, whole: u64) -> String {
        match self.external {
            false => grouped(part),
            true if self.hides() => NOT_TOLD.into(),
            true => step(tenths(part, whole)),
        }
    }

    fn of_original(self, part: u64) -> String {
        self.records(part, self.original)
    }

    fn of_released(self, part: u64) -> String {
        self.records(part, self.released)
    }

    /// The same with its share.
    fn with_share(self, part: u64, whole: u64) -> String {
        match self.external {
            false => format!("{} ({})", grouped(part), share(part, whole)),
            true => self.records(part, whole),
        }
    }

    /// A share that depends on the records left out, or on few records.
    fn share(self, share: f64) -> String {
        match self.external {
            false => percent(share),
            true if self.hides() => NOT_TOLD.into(),
            true => step(libm::round(share * 10.0) as u64),
        }
    }

    /// The shape of the release, which its readers know.
    fn released_rows(self) -> String {
        match self.external {
            false => format!("{} rows", grouped(self.released)),
            true if self.hides() => format!("fewer than {} rows", grouped(MANY)),
            true => {
                let mut unit = 100;
                while self.released >= 100 * unit {
                    unit *= 10;
                }
                format!("about {} rows", grouped((self.released + unit / 2) / unit * unit))
            }
        }
    }
}

const NOT_TOLD: &str = "not told";

fn share(part: u64, whole: u64) -> String {
    percent(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}

/// A part in tenths of the whole, rounded half up.
fn tenths(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { ((20 * u128::from(part) + u128::from(whole)) / (2 * u128::from(whole))) as u64 }
}

fn step(tenths: u64) -> String {
    match tenths {
        0 => "less than 5 %".into(),
        1..10 => format!("about {} %", tenths * 10),
        _ => "95 % or more".into(),
    }
}

fn identity(page: &mut Page, table: &Table, run: &Run, context: &Context<'_>, told: Told) {
    let Digests { input, release, policy } = &context.digests;
    let columns = table.columns.len();
    let before = match told.external {
        true => format!("{columns} columns"),
        false => format!("{} rows, {columns} columns", grouped(told.original)),
    };
    let after = format!("{}, {} columns", told.released_rows(), run.output.columns.len());
    page.section("What was released");
    let mut facts = vec![("File", plain(context.file))];
    if !told.external {
        // Who guesses a small table could check the guess by it.
        facts.push(("SHA-256 of the file", code(input)));
    }
    facts.extend([
        ("Shape before", plain(&before)),
        ("Shape after", plain(&after)),
        ("SHA-256 of the release", code(release)),
        ("How it is written", plain(&writing(context.written))),
        ("Records left out", plain(&told.of_original(run.view.verified.suppressed))),
        ("Made on", plain(context.date)),
        ("Made with", plain(&format!("Throng {}", env!("CARGO_PKG_VERSION")))),
        ("Algorithm", plain(&algorithm(&run.view.algorithm, told))),
        ("Seed", plain(&run.setup.seed().to_string())),
        (
            "Verified",
            plain(
                "Yes: a program apart from the algorithms recomputed every demand from the released cells, the input and the \
                 policy before the release could be saved.",
            ),
        ),
    ]);
    if !told.external {
        facts.insert(5, ("SHA-256 of the policy", code(policy)));
    }
    page.facts(&facts);
}

/// What somebody who compares digests must know of the file.
fn writing(written: Written) -> String {
    let formulas = match written.protected {
        true => {
            "cells and names that a spreadsheet would take for formulas have an apostrophe before them, which is not part of \
             the value"
        }
        false => "cells that a spreadsheet would take for formulas are not protected",
    };
    let numbers =
        if written.row_numbers { "; with the input's row numbers: for audits, not for publishing" } else { "" };
    format!("As CSV in UTF-8, with commas; {formulas}{numbers}.")
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", plain(text))
}

fn algorithm(algorithm: &Algorithm, told: Told) -> String {
    let keys = match algorithm.to_json() {
        Value::Object(keys) => keys,
        _ => return algorithm.name().to_owned(),
    };
    // Only words of a fixed list are for readers: importance and weights name columns and their values.
    let shown = |value: &Value| !told.external || value.is_string() || value.is_boolean();
    let setting = |(key, value): (&String, &Value)| {
        (key != "name" && shown(value)).then(|| format!("{key} {value}").replace('"', ""))
    };
    let settings: Vec<String> = keys.iter().filter_map(setting).collect();
    if settings.is_empty() {
        algorithm.name().to_owned()
    } else {
        format!("{} ({})", algorithm.name(), settings.join(", "))
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier: removed",
        Role::Quasi => "quasi-identifier: recoded",
        Role::Sensitive => "sensitive: protected",
        Role::Insensitive => "insensitive: unchanged",
    }
}

fn columns(page: &mut Page, table: &Table, run: &Run, told: Told) {
    page.section("Columns");
    let lattice = run.view.lattice.as_ref();
    let level = |name: &str| {
        let levels = lattice.and_then(|lattice| lattice.columns.iter().find(|(other, ..)| other == name));
        levels.map_or(String::new(), |(_, level, levels)| format!("{level} of {}", levels - 1))
    };
    let loss = |name: &str| {
        let column = run.view.metrics.columns.iter().find(|column| column.column == name);
        // On the lowest level that is the share of the records left out.
        column.filter(|_| !told.external).map_or(String::new(), |column| percent(column.loss))
    };
    let limits = |setup: &Setup, place: usize| {
        let template = setup.columns[place].template.as_ref().filter(|template| !template.limits.is_empty());
        template.map_or(String::new(), |template| match told.external {
            true => counted(template.limits.len() as u64, "limit"),
            false => template.limits.join(", "),
        })
    };
    let row = |(place, column): (usize, &crate::table::Column)| {
        let setup = run.setup.columns.get(place)?;
        let mut cells = vec![plain(&column.name), plain(role(setup.role)), short(&level(&column.name))];
        if !told.external {
            cells.push(short(&loss(&column.name)));
        }
        cells.extend([plain(&limits(&run.setup, place)), field()]);
        Some(Row(cells))
    };
    let rows: Vec<Row> = table.columns.iter().enumerate().filter_map(row).collect();
    let mut heads = vec!["column", "role", "level", "loss", "limits of generalization", "reason for the role"];
    heads.retain(|head| !told.external || *head != "loss");
    page.table(&heads, &rows);
    if !told.external {
        page.paragraph("Loss is 0 % for untouched data and 100 % where nothing but * is left.");
    }
}

/// What a person had to decide on; its counts are not for readers of the release.
fn findings(page: &mut Page, context: &Context<'_>) {
    page.section("Findings");
    if context.findings.is_empty() {
        page.paragraph("Nothing was found in the file, the table or the release that somebody must know or decide on.");
        return;
    }
    let row = |finding: &Finding| {
        let decision = match &finding.accepted {
            Some(why) => format!("Accepted: {why}"),
            None if finding.open(context.decisions) => "Open: nobody decided on it.".to_owned(),
            None => "Needs no decision.".to_owned(),
        };
        Row(vec![plain(finding.title()), plain(&finding.sentence), plain(&decision)])
    };
    let rows: Vec<Row> = context.findings.iter().map(row).collect();
    page.table(&["finding", "what was found", "decision"], &rows);
}

/// A text that is not broken.
fn short(text: &str) -> String {
    format!("<span class=\"short\">{}</span>", plain(text))
}

fn field() -> String {
    "<div class=\"field\" contenteditable=\"true\" role=\"textbox\" aria-label=\"To be filled in\"></div>".into()
}

fn surroundings(page: &mut Page) {
    page.fields(
        "Release context and threshold",
        &[
            "Who will have the data, and under which terms",
            "What else these readers may know or hold",
            "Chosen threshold of risk, and why",
        ],
    );
    page.paragraph(&format!(
        "For orientation: {PUBLIC} is the threshold usual for public release of health data; 0.33 and 0.2 are usual between \
         parties that are bound by contract (classes of at least {} and {}; for 0.33, 3 is taken in practice). {IN_PRACTICE}",
        smallest_class(0.33),
        smallest_class(0.2)
    ));
}

fn risk(page: &mut Page, run: &Run, context: &Context<'_>, told: Told) {
    page.section("Risk of being found");
    let (before, after) = (context.classes_before, &run.grouped.classes);
    let demanded = run.setup.demanded_k();
    let mut rows = Vec::new();
    let mut row = |name: &str, before: String, after: String| {
        rows.push(Row(vec![plain(name), plain(&before), plain(&after)]));
    };
    if told.external {
        let at_least = |k: u32| format!("at least {k} (demanded)");
        row("k: size of the smallest class", "not told".into(), demanded.map_or("not demanded".into(), at_least));
        let at_most = |k: u32| format!("at most {}", figure_at_least(1.0 / f64::from(k.max(1))));
        row("highest risk", "not told".into(), demanded.map_or("not demanded".into(), at_most));
    } else {
        row("k: size of the smallest class", before.smallest().to_string(), after.smallest().to_string());
        row("highest risk (prosecutor)", figure(before.highest_risk()), figure(after.highest_risk()));
        row("average risk (marketer)", figure(before.average_risk()), figure(after.average_risk()));
        row("classes", grouped(before.sizes.len() as u64), grouped(after.sizes.len() as u64));
    }
    let mut below = |name: &str, least: u32| {
        let [exposed, left] = [before, after].map(|classes| classes.rows_in_classes_below(least));
        let nobody = told.external && demanded.is_some_and(|k| least <= k);
        let left = if nobody { "0 (demanded)".to_owned() } else { told.with_share(left, told.released) };
        row(name, told.with_share(exposed, told.original), left);
    };
    below("records that are unique", 2);
    if let Some(k) = demanded {
        below(&format!("records in classes below k = {k}"), k);
    }
    for threshold in THRESHOLDS {
        let least = smallest_class(threshold);
        below(&format!("records of a risk above {threshold} (in classes below {least})"), least);
        if threshold == PUBLIC {
            below(&format!("records in classes below {TAKEN_FOR_PUBLIC} (taken for {PUBLIC})"), TAKEN_FOR_PUBLIC);
        }
    }
    page.table(&["", "before", "after"], &rows);
    page.paragraph(IN_PRACTICE);
    page.paragraph(
        "The risk of a record is 1 ÷ the size of its class: that of who knows that a person is in the table (prosecutor). \
         Whoever does not know that (journalist) has at most this risk. The average is that of who wants to find many \
         (marketer).",
    );
    page.section("Records by the size of their class");
    if told.hides() {
        page.paragraph(NOT_TOLD);
        return;
    }
    let bars = |bands: &[SizeBand], whole: u64| -> Vec<(String, u64, String)> {
        let label = |band: &SizeBand| match band.to {
            Some(to) if to == band.from => band.from.to_string(),
            Some(to) => format!("{}–{to}", band.from),
            None => format!("{} and more", band.from),
        };
        // What is drawn is what is told: a bar must not say more than its label.
        let drawn = |rows: u64| if told.external { tenths(rows, whole) } else { rows };
        bands.iter().map(|band| (label(band), drawn(band.rows), told.records(band.rows, whole))).collect()
    };
    page.bars("before", &bars(&context.before.sizes, told.original));
    page.bars("after", &bars(&context.after.sizes, told.released));
}

fn demands(page: &mut Page, run: &Run, context: &Context<'_>, told: Told) {
    page.section("What was demanded, and what was achieved");
    let mut rows = Vec::new();
    for achieved in &run.view.verified.requirements {
        let Some(demand) = run.view.demands.get(achieved.demand) else { continue };
        let Value::Object(keys) = demand.to_json() else { continue };
        let setting = |(key, value): (&String, &Value)| match key.as_str() {
            "model" | "attribute" => None,
            // Lists and weights name values of the sensitive column.
            _ if told.external && !(value.is_number() || value.is_boolean() || key == "distance") => None,
            _ => Some(format!("{key} = {value}").replace('"', "")),
        };
        let settings: Vec<String> = keys.iter().filter_map(setting).collect();
        let violating = context.before.demands.get(achieved.demand).and_then(|before| before.outcome.as_ref().ok());
        rows.push(Row(vec![
            plain(demand.model.name()),
            plain(achieved.attribute.as_deref().unwrap_or("")),
            plain(&settings.join(", ")),
            plain(&if told.external { "met".to_owned() } else { figure(achieved.achieved) }),
            plain(&violating.map_or(String::new(), |standing| told.of_original(standing.violating_rows))),
        ]));
    }
    page.table(&["model", "column", "required", "achieved", "records that missed it before"], &rows);
    if told.external && !run.view.diversity.is_empty() {
        // Their names are values, and their bounds may be counts of few persons.
        page.paragraph(
            "Groups were demanded to stay visible, each with as many records as were asked; all of them are.",
        );
    } else if !run.view.diversity.is_empty() {
        let row = |constraint: &crate::run::ConstraintRun| {
            let bounds = match (constraint.least, constraint.most) {
                (least, Some(most)) => format!("{} to {}", grouped(least), grouped(most)),
                (least, None) => format!("at least {}", grouped(least)),
            };
            let name = constraint.text.rsplit_once(':').map_or(constraint.text.as_str(), |(group, _)| group);
            Row(vec![
                plain(name),
                plain(&bounds),
                plain(&grouped(constraint.before)),
                plain(&grouped(constraint.after)),
            ])
        };
        let rows: Vec<Row> = run.view.diversity.iter().map(row).collect();
        page.table(&["group that must stay visible", "required", "before", "after"], &rows);
    }
    let limit = run.setup.suppression_limit.map_or("not set".to_owned(), percent);
    page.paragraph(&format!(
        "Records that may be left out: {limit}; left out: {}.",
        told.share(run.view.verified.suppressed as f64 / told.original.max(1) as f64)
    ));
}

fn sensitive(page: &mut Page, before: &SensitiveAudit, after: &SensitiveAudit, told: Told) {
    page.section(&format!("Sensitive column: {}", before.name));
    let c = |audit: &SensitiveAudit| match audit.recursive_c.first() {
        Some(&c) => format!("c above {}", figure_at_least(c)),
        None => "none".to_owned(),
    };
    let mut rows = Vec::new();
    let mut row = |name: &str, figure: &dyn Fn(&SensitiveAudit) -> String| {
        rows.push(Row(vec![plain(name), plain(&figure(before)), plain(&figure(after))]));
    };
    if !told.external {
        row("distinct ℓ", &|audit| audit.distinct_l.to_string());
        row("entropy ℓ", &|audit| figure_at_most(audit.entropy_l));
        row("recursive (c,2)", &c);
        row("t (equal distance)", &|audit| figure_at_least(audit.t_equal));
        row("largest share of one value in a class", &|audit| percent(audit.largest_share));
    }
    type Rows = fn(&SensitiveAudit) -> u64;
    let exposed: [(&str, Rows); 2] = [
        ("records in classes of one value", |audit| audit.homogeneous.rows),
        ("records in classes of which one value has 95 %", |audit| audit.nearly_homogeneous.rows),
    ];
    for (name, of) in exposed {
        rows.push(Row(vec![plain(name), plain(&told.of_original(of(before))), plain(&told.of_released(of(after)))]));
    }
    page.table(&["", "before", "after"], &rows);
}

fn opinions(page: &mut Page, run: &Run, context: &Context<'_>, told: Told) {
    page.section("Singling out, linkability, inference");
    let smallest = run.grouped.classes.sizes.iter().copied().min().unwrap_or(0);
    let singled = if smallest > 1 {
        let size = if told.external { String::new() } else { format!(" Every class has at least {smallest} records.") };
        format!(
            "On the quasi-identifiers named above no record stands alone.{size} Columns that are insensitive were left \
                 as they are: whoever knows them may still single out."
        )
    } else {
        "Records stand alone on the quasi-identifiers: singling out is possible.".to_owned()
    };
    let worst = context.after.sensitive.iter().map(|audit| audit.largest_share).fold(0.0, f64::max);
    let homogeneous: u64 = context.after.sensitive.iter().map(|audit| audit.homogeneous.rows).sum();
    let inferred = if context.after.sensitive.is_empty() {
        "No column was named sensitive, so nothing protects what the table tells of a class as a whole.".to_owned()
    } else if homogeneous > 0 {
        "There are classes in which all records have the same sensitive value: whoever knows that a person is among them \
         knows the value. Ask for ℓ-diversity if that matters."
            .to_owned()
    } else if told.external {
        "No class has only one sensitive value.".to_owned()
    } else {
        format!(
            "Whoever finds a person's class guesses a sensitive value rightly with a probability of at most {} from the \
             release alone; background knowledge can raise it.",
            percent(worst)
        )
    };
    page.facts(&[
        ("Singling out", plain(&singled)),
        (
            "Linkability",
            plain(
                "The release was judged by itself. Another release with some of the same persons can be linked with it, and \
                 the intersection of classes may be smaller than each: see Linkage in Throng before a second release.",
            ),
        ),
        ("Inference", plain(&inferred)),
    ]);
}

fn utility(page: &mut Page, metrics: &Metrics, told: Told) {
    page.section("What the data are still good for");
    if told.external {
        // From the other measures' digits, the records left out or the sizes of classes may follow.
        // Of the records that are released: readers can measure that themselves, so that the number left out does not follow.
        let (all, left_out) = (told.original as f64, (told.original - told.released) as f64);
        let of_released = if told.released == 0 { 0.0 } else { (metrics.loss * all - left_out) / (all - left_out) };
        page.facts(&[("Information loss of the released records", plain(&told.share(of_released)))]);
    } else {
        page.facts(&[
            ("Information loss", plain(&figure(metrics.loss))),
            ("Information loss, geometric", plain(&figure(metrics.loss_geometric))),
            ("NCP", plain(&figure(metrics.ncp))),
            ("Average class size", plain(&figure(metrics.average_class_size))),
            ("KL-divergence", plain(&figure(metrics.kl_divergence))),
            ("Utility um", plain(&figure(metrics.utility))),
            ("Discernibility", plain(&grouped(metrics.discernibility))),
            ("Cells that are *", plain(&grouped(metrics.stars))),
        ]);
    }
    let row = |accuracy: &crate::metrics::Accuracy| {
        let [before, after] = [accuracy.original, accuracy.release].map(|share| plain(&told.share(share)));
        Row(vec![plain(&accuracy.attribute), before, after])
    };
    let rows: Vec<Row> = metrics.decision_trees.iter().map(row).collect();
    if !rows.is_empty() {
        page.table(&["a decision tree that predicts", "is right before", "and after"], &rows);
    }
}

fn limitations(page: &mut Page, table: &Table, run: &Run, context: &Context<'_>) {
    page.section("Rules and limitations");
    let quoted = |tokens: &[String]| tokens.iter().map(|token| format!("“{token}”")).collect::<Vec<_>>().join(", ");
    let everywhere = context.reading.missing.as_deref().unwrap_or_default();
    let mut names = if everywhere.is_empty() { "none in all columns".to_owned() } else { quoted(everywhere) };
    for (column, said) in context.reading.columns.iter().filter(|(_, said)| !said.missing.is_empty()) {
        names += &format!("; in column {column} also {}", quoted(&said.missing));
    }
    if context.audience == Audience::External {
        names = "marked as the policy says".to_owned();
    }
    page.list(&[
        format!(
            "Missing values ({names}) of quasi-identifiers are one value of their own: records that miss a value are in a \
             class with others that miss it, or generalized with them.{}",
            missing_sensitive(table, &run.setup)
        ),
        "The figures hold for the quasi-identifiers named above. Whether they are all that a reader may know is a \
         judgement of the office that signs."
            .into(),
        "k-anonymity, ℓ-diversity and their kin bound what follows from the classes of one release; they give no \
         guarantee against every background knowledge, as differential privacy does."
            .into(),
        "Rows come out sorted by what they show, so that a row's place says nothing that the row does not.".into(),
        match run.setup.diversity.is_empty() {
            true => "No group was demanded to stay visible.".into(),
            false => "Groups that must stay visible are counted in the release as a reader would count them.".into(),
        },
    ]);
}

/// What a missing cell of each sensitive column was taken for.
fn missing_sensitive(table: &Table, setup: &Setup) -> String {
    let columns = || setup.columns.iter().zip(&table.columns).filter(|(column, _)| column.role == Role::Sensitive);
    let named = |missing: Missing| -> Vec<String> {
        columns().filter(|(column, _)| column.missing == missing).map(|(_, data)| format!("“{}”", data.name)).collect()
    };
    let sentence = |names: Vec<String>, what: &str| match names.is_empty() {
        true => String::new(),
        false => format!(" In the sensitive {} a missing cell {what}.", names.join(", ")),
    };
    sentence(named(Missing::Unknown), "is not known: it was taken for whichever value is worst for what was demanded")
        + &sentence(named(Missing::Value), "counts as one value of its own, which hides what the others have")
}

fn reproduction(page: &mut Page, run: &Run, context: &Context<'_>) {
    page.section("How to reproduce");
    page.paragraph(&format!(
        "Save the policy below as policy.json beside the file (it says how the file is read, and the seed, {}) and run this \
         with Throng {}; release.csv then has the SHA-256 given above. A search that somebody ended early may find more when \
         it is run to its end.",
        run.setup.seed(),
        env!("CARGO_PKG_VERSION")
    ));
    page.preformatted("command", &command(context));
    page.preformatted("policy", context.policy);
}

/// What makes the same bytes: every choice that changes them and is not in the policy is in it.
fn command(context: &Context<'_>) -> String {
    let mut command = format!("throng run policy.json {} -o release.csv", quoted(context.file));
    if !context.written.protected {
        command += " --no-protect-formulas";
    }
    if context.written.row_numbers {
        command += " --row-numbers";
    }
    command
}

/// A file's name as a shell takes it.
fn quoted(name: &str) -> String {
    let name = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
    let plain = |sign: char| sign.is_alphanumeric() || matches!(sign, '.' | '_' | '-' | '/');
    if !name.is_empty() && name.chars().all(plain) { name } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
