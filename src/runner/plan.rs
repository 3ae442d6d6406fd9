//! `throng plan make` and `throng plan apply`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ask, beside, check_outputs, open, open_quietly, policy_sources, save, tell};
use crate::failure::Failure;
use crate::findings::Finding;
use crate::io::csv::ReadOptions;
use crate::linkage::apply::{AppliedView, ApplySettings, Unseen};
use crate::linkage::mechanism::Wish;
use crate::linkage::plan::{PlanSettings, PlanView};
use crate::protocol::{Request, Response};
use crate::words::{counted, figure, grouped};

#[derive(Subcommand)]
pub enum Plan {
    /// Make a plan from past data
    Make(Make),
    /// Apply a plan to a table
    Apply(Apply),
}

#[derive(Args)]
pub struct Make {
    policy: PathBuf,
    data: PathBuf,
    /// Where the plan goes (JSON)
    #[arg(short, long)]
    output: PathBuf,
    /// Different sensitive values that each class shall have
    #[arg(long)]
    l: u32,
    /// Probability that a release may have a class with fewer
    #[arg(long)]
    delta: f64,
    /// Probability that ℓ values of each class have at least
    #[arg(long, conflicts_with_all = ["classes", "rows"])]
    p: Option<f64>,
    /// At least so many classes, with as few rows as possible
    #[arg(long, conflicts_with = "rows")]
    classes: Option<u64>,
    /// As many classes as so many rows allow (without any of the three: the rows of the data)
    #[arg(long)]
    rows: Option<u64>,
    /// Quasi-identifiers in the order that classes follow, the most significant first: sex,zip,age
    #[arg(long, value_delimiter = ',')]
    order: Vec<String>,
    /// The sensitive column, of several
    #[arg(long)]
    sensitive: Option<String>,
    /// How many rows the independence of sensitive values and quasi-identifiers is worth in the estimate
    #[arg(long, default_value_t = 0.0)]
    smoothing: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct Apply {
    plan: PathBuf,
    data: PathBuf,
    /// Where the release goes
    #[arg(short, long)]
    output: PathBuf,
    /// What to do with values that the plan has never seen
    #[arg(long, value_enum, default_value = "refuse")]
    unseen: OnUnseen,
    /// Release even when rows are missing to the number that the plan asks for: without its promise
    #[arg(long)]
    early: bool,
    /// Release even though the file had to be repaired while it was read
    #[arg(long)]
    accept_repairs: bool,
    /// Leave cells as they are that a spreadsheet would take for formulas; else an apostrophe is put before them
    #[arg(long)]
    no_protect_formulas: bool,
    /// What is done anyway
    #[arg(long, hide = true, conflicts_with = "no_protect_formulas")]
    protect_formulas: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum OnUnseen {
    /// Release nothing
    Refuse,
    /// Put them where they belong in the plan's order
    Order,
}

pub fn run(plan: &Plan) -> Result<String, Failure> {
    match plan {
        Plan::Make(make) => make.run(),
        Plan::Apply(apply) => apply.run(),
    }
}

fn unexpected() -> Failure {
    Failure::crashed("The engine gave an answer of another kind.")
}

impl Make {
    fn run(&self) -> Result<String, Failure> {
        check_outputs(&[&self.data], Some(&self.policy), &[&self.output])?;
        let (engine, ..) = open(&self.data, policy_sources(&self.policy)?, ReadOptions::default())?;
        let wish = match (self.p, self.classes, self.rows) {
            (Some(p), ..) => Some(Wish::P(p)),
            (_, Some(classes), _) => Some(Wish::Classes(classes)),
            (.., rows) => rows.map(Wish::Rows),
        };
        let settings = PlanSettings {
            order: self.order.clone(),
            sensitive: self.sensitive.clone(),
            l: self.l,
            delta: self.delta,
            wish,
            smoothing: self.smoothing,
        };
        let Response::Plan(view) = ask(&engine, Request::MakePlan(settings), Vec::new())? else {
            return Err(unexpected());
        };
        let saved = save(&self.output, view.text.as_bytes())?;
        Ok(beside(self.json, if self.json { made_json(&view) } else { made_text(&view) }, &saved))
    }
}

fn made_json(view: &PlanView) -> String {
    let mut answer = serde_json::json!({
        "l": view.l, "delta": view.delta, "p": view.p, "rows": view.rows, "classes": view.classes,
        "order": view.columns.iter().map(|(name, _)| name).collect::<Vec<_>>(), "sensitive": view.sensitive,
    });
    if let Some(made) = &view.made {
        answer["estimate"] = serde_json::json!({
            "rows": made.rows, "quasi": made.quasi, "values": made.values, "smoothing": made.smoothing,
            "p_l": made.largest_p, "m": made.classes_at_most, "needed": made.needed,
            "needed_by_classes": made.needed_by_classes, "theta": made.evenness,
        });
    }
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}

fn made_text(view: &PlanView) -> String {
    let order: Vec<&str> = view.columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut text = format!(
        "plan: {} in the order {}; sensitive: {}\nl = {}, delta = {}, p = {}: {} are needed\n",
        counted(view.classes, "class"),
        order.join(", "),
        view.sensitive,
        view.l,
        figure(view.delta),
        view.p,
        counted(view.rows, "row")
    );
    if let Some(made) = &view.made {
        let _ = writeln!(
            text,
            "estimated from {} with {} and {}; at most {} classes are possible for this p",
            counted(made.rows, "row"),
            counted(made.quasi, "quasi-identifier"),
            counted(made.values, "sensitive value"),
            grouped(libm::floor(made.classes_at_most) as u64)
        );
    }
    let _ = writeln!(text, "t releases by this plan, linked, fail with a probability of at most t times delta");
    text
}

impl Apply {
    fn run(&self) -> Result<String, Failure> {
        check_outputs(&[&self.data, &self.plan], None, &[&self.output])?;
        // The plan names columns.
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        let (engine, _, setup) = open_quietly(&self.data, Vec::new(), options)?;
        // Roles are the plan's here, so that only what was repaired is to be told.
        tell(&setup.findings.into_iter().filter(Finding::is_repair).collect::<Vec<Finding>>());
        let shown = self.plan.display().to_string();
        let text = std::fs::read_to_string(&self.plan).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => {
                Failure::policy("The plan is not text.", "Name a JSON file.").in_file(&shown)
            }
            _ => crate::io::ReadError::from(error).into_failure(&shown),
        })?;
        ask(&engine, Request::LoadPlan { text }, Vec::new()).map_err(|failure| failure.in_file(&shown))?;
        let unseen = match self.unseen {
            OnUnseen::Refuse => Unseen::Refuse,
            OnUnseen::Order => Unseen::Order,
        };
        let settings = ApplySettings { unseen, early: self.early, accept_repairs: self.accept_repairs };
        let Response::Applied(view) = ask(&engine, Request::ApplyPlan(settings), Vec::new())? else {
            return Err(unexpected());
        };
        let request = Request::ExportApplied { protected: !self.no_protect_formulas };
        let Response::File(bytes) = ask(&engine, request, Vec::new())? else { return Err(unexpected()) };
        let saved = save(&self.output, &bytes)?;
        tell(&view.findings);
        let text = match self.json {
            true => applied_json(&view),
            false => applied_text(&view),
        };
        Ok(beside(self.json, text, &saved))
    }
}

fn applied_json(view: &AppliedView) -> String {
    let mut answer = serde_json::json!(view);
    answer["findings"] = view.findings.iter().map(Finding::to_json).collect();
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}

fn applied_text(view: &AppliedView) -> String {
    let mut text = format!(
        "released: {} in {} of {}; distinct l = {}\n",
        counted(view.released, "row"),
        counted(view.classes, "class"),
        grouped(view.plan_classes),
        view.l
    );
    if view.missing > 0 {
        let (missing, needed) = (counted(view.missing, "row"), counted(view.needed, "row"));
        let _ = writeln!(text, "early: {missing} missing to {needed}; the plan's promise does not hold");
    }
    if view.below > 0 {
        let _ = writeln!(text, "note: {} have fewer than l = {} values", counted(view.below, "class"), view.asked_l);
    }
    for unseen in &view.unseen {
        let (values, rows) = (counted(unseen.values, "value"), counted(unseen.rows, "row"));
        let left_out = match unseen.left_out {
            0 => String::new(),
            rows => format!(", {} left out", counted(rows, "row")),
        };
        let _ = writeln!(text, "placed by the order: {values} of column {} ({rows}{left_out})", unseen.column);
    }
    if !view.dropped.is_empty() {
        let _ = writeln!(text, "columns not released: {}", view.dropped.join(", "));
    }
    text
}
