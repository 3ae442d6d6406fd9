//! (ℓ,δ)-diversity, Theorem 4.5: releases by a plan and instance-dependent ones of the same tables, linked; tables are
//! drawn from the distribution of Adult.

use throng::linkage::mechanism::Wish;
use throng::linkage::plan::{Estimate, Plan, PlanSettings};
use throng::linkage::simulate::{Anonymizer, SimulateSettings, Simulated, simulate};
use throng::policy::PolicyFile;
use throng::progress::{Progress, block_on};

use super::data::{Quiet, adult};
use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};

const POLICY: &str = r#"{"throng": 1, "others": "insensitive", "columns": {"sex": {"role": "quasi"}, "race":
    {"role": "quasi"}, "age": {"role": "quasi", "hierarchy": {"recipe": "ages"}}, "occupation": {"role": "sensitive"}}}"#;
const RELEASES: u32 = 5;
const TRIALS: u32 = 200;

pub fn simulation() -> Result<(), String> {
    let failed = |failure: throng::failure::Failure| failure.to_string();
    let table = adult()?;
    let policy = PolicyFile::parse(POLICY).map_err(failed)?;
    let setup = policy.apply(&table, &mut |_| unreachable!("no files")).map_err(failed)?;
    let order = ["sex", "race", "age"].map(str::to_owned).to_vec();
    let settings = PlanSettings {
        order: order.clone(),
        sensitive: None,
        l: 3,
        delta: 0.05,
        wish: Some(Wish::Rows(2000)),
        smoothing: 0.0,
    };
    let progress = Progress::new(&Quiet);
    let (plan, made) = block_on(Plan::make(&table, &setup, &settings, &progress)).map_err(failed)?;
    let estimate = Estimate::of(&table, &setup, &order, None, 0.0, plan.least).map_err(failed)?;
    let asked = SimulateSettings {
        releases: RELEASES,
        trials: TRIALS,
        rows: None,
        common: 20,
        seed: 1,
        anonymizers: Anonymizer::ALL.to_vec(),
    };
    let view = block_on(simulate(&table, &estimate, &plan, &asked, &progress)).map_err(failed)?;
    let name = |anonymizer: Anonymizer| match anonymizer {
        Anonymizer::Plan => "plan",
        Anonymizer::Contiguous => "contiguous, each table by itself",
        Anonymizer::Mondrian => "Mondrian",
        Anonymizer::KMember => "k-member",
    };
    let trials = |tally: &Simulated| tally.failed as f64 / f64::from(TRIALS);
    let people = |tally: &Simulated| tally.people_below as f64 / tally.people.max(1) as f64;
    let series = |figure: &dyn Fn(&Simulated) -> f64| -> Vec<Series> {
        let of = |result: &throng::linkage::simulate::SimulatedView| Series {
            name: name(result.anonymizer).to_owned(),
            values: result.by_releases.iter().map(|tally| Some(figure(tally))).collect(),
        };
        view.results.iter().map(of).collect()
    };
    let allowed = Series {
        name: "tδ".into(),
        values: view.results[0].by_releases.iter().map(|tally| Some(tally.allowed)).collect(),
    };
    let mut rows = Vec::new();
    for result in &view.results {
        for tally in &result.by_releases {
            rows.push(vec![
                name(result.anonymizer).to_owned(),
                tally.releases.to_string(),
                format!("{:.2}", tally.allowed),
                format!("{:.4}", trials(tally)),
                format!("{:.4}", tally.exposed as f64 / f64::from(TRIALS)),
                format!("{:.4}", people(tally)),
                format!("{:.4}", tally.people_exposed as f64 / tally.people.max(1) as f64),
            ]);
        }
    }
    let of = |place: usize| &view.results[place].by_releases;
    let kept = of(0).iter().all(|tally| trials(tally) <= tally.allowed);
    let last = RELEASES as usize - 1;
    let worst = |place: usize| trials(&of(place)[last]);
    let places: Vec<String> = (1..=RELEASES).map(|releases| releases.to_string()).collect();
    let panel = |title: &str, up: &'static str, series: Vec<Series>| Panel {
        title: title.to_owned(),
        across: "releases linked, t",
        up,
        kind: Kind::Lines,
        places: places.clone(),
        series,
    };
    let mut of_trials = series(&trials);
    of_trials.push(allowed);
    let header = ["anonymizer", "t", "tδ", "failed", "exposing", "people below ℓ", "people exposed"];
    Sheet {
        name: "l-delta-simulation",
        title: "(ℓ,δ)-diversity, Theorem 4.5: releases of tables drawn like Adult, linked; ℓ = 3, δ = 0.05".into(),
        header: header.map(str::to_owned).to_vec(),
        rows,
        columns: 2,
        panels: vec![
            panel("Somebody is left with fewer than ℓ values", "share of trials", of_trials),
            panel("People who are in all tables, below ℓ", "share of people", series(&people)),
        ],
        claims: vec![
            Claim {
                says: "Theorem 4.5: t releases by the plan fail with a probability of at most tδ",
                shows: Shows::when(kept),
                because: format!("{:.3} for t = {RELEASES}, where {:.2} are allowed", worst(0), of(0)[last].allowed),
            },
            Claim {
                says: "Section 3: instance-dependent ℓ-diverse releases can lose nearly everything by linkage",
                shows: Shows::when(worst(1) > 2.0 * of(0)[last].allowed && worst(2) > 2.0 * of(0)[last].allowed),
                because: format!(
                    "{:.2} of the trials fail for contiguous classes, {:.2} for Mondrian, {:.2} for k-member",
                    worst(1),
                    worst(2),
                    worst(3)
                ),
            },
        ],
        notes: vec![format!(
            "{} trials with tables of {} rows, 20 people in all of them. QI sex, race, age ({} different); sensitive: occupation \
             ({} values); {} classes in the plan. Each release alone is 3-diverse, always, but for the plan's. k-member's classes \
             overlap, so that a person may be in several.",
            TRIALS,
            plan.rows,
            made.quasi,
            made.values,
            plan.classes()
        )],
    }
    .finish()
}
