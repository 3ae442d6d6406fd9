//! (ℓ,δ)-diversity, Theorems 4.4 and 4.5 by simulation: what a plan promises holds, and what instance-dependent releases
//! of the same tables lose by linkage.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::engine::Engine;
use throng::linkage::mechanism::Wish;
use throng::linkage::plan::{PlanSettings, PlanView};
use throng::linkage::simulate::{Anonymizer, SimulateSettings, Simulated, SimulationView};
use throng::protocol::{Request, Response};

use super::l_delta_diversity::Draws;
use super::support::{ask, file, open_files};

const POLICY: &str = r#"{"throng": 1, "columns": {"sex": {"role": "quasi"}, "area": {"role": "quasi"}, "age":
    {"role": "quasi", "hierarchy": {"recipe": {"intervals": {"width": 5, "factors": [2, 2]}}}},
    "illness": {"role": "sensitive"}}}"#;

/// Past data with 360 quasi-identifiers, in which the illness depends on age.
fn engine() -> Engine {
    let mut draws = Draws(9);
    let mut text = String::from("sex,area,age,illness\n");
    for _ in 0..6000 {
        let (sex, area, age) = (draws.below(2), draws.below(3), draws.below(60));
        let illness = (draws.below(4) + draws.below(3) + age / 20) % 7;
        text += &format!("{},a{area},{age},i{illness}\n", ["F", "M"][sex as usize]);
    }
    let engine = Engine::default();
    open_files(&engine, vec![file("past.csv", text), file("policy.json", POLICY)]).unwrap();
    engine
}

fn plan(engine: &Engine, delta: f64) -> PlanView {
    let settings = PlanSettings {
        order: vec!["sex".into(), "area".into(), "age".into()],
        sensitive: None,
        l: 3,
        delta,
        wish: Some(Wish::Classes(7)),
        smoothing: 0.0,
    };
    match ask(engine, Request::MakePlan(settings), vec![]) {
        Ok(Response::Plan(plan)) => *plan,
        other => panic!("{other:?}"),
    }
}

fn simulate(engine: &Engine, rows: Option<u64>, trials: u32, anonymizers: &[Anonymizer]) -> SimulationView {
    let settings =
        SimulateSettings { releases: 3, trials, rows, common: 5, seed: 4, anonymizers: anonymizers.to_vec() };
    match ask(engine, Request::Simulate(settings), vec![]) {
        Ok(Response::Simulated(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// More failures than this are less likely than one in ten thousand if each trial fails with probability `rate`.
fn binomial_bound(trials: u64, rate: f64) -> u64 {
    let (mean, spread) = (trials as f64 * rate, (trials as f64 * rate * (1.0 - rate)).sqrt());
    (mean + 4.0 * spread).ceil() as u64 + 1
}

/// Theorem 4.4: a release of N rows by the plan is ℓ-diverse but for a probability of δ.
#[test]
fn l_delta_diversity_theorem_4_4_by_simulation() {
    let engine = engine();
    let plan = plan(&engine, 0.05);
    assert!(plan.classes >= 7 && plan.rows < 2000, "{} {}", plan.classes, plan.rows);
    let view = simulate(&engine, None, 1000, &[Anonymizer::Plan]);
    assert_eq!(view.rows, plan.rows);
    let Simulated { failed, allowed, .. } = view.results[0].by_releases[0];
    assert_eq!(allowed, 0.05);
    assert!(failed <= binomial_bound(1000, 0.05), "{failed}");
    // With a fraction of the rows the promise is broken: the simulation would see it.
    let early = simulate(&engine, Some(plan.rows / 6), 1000, &[Anonymizer::Plan]);
    assert!(early.results[0].by_releases[0].failed > binomial_bound(1000, 0.05), "{early:?}");
}

/// Theorem 4.5: t of them, linked, are but for tδ; instance-dependent ℓ-diverse releases of the same tables with classes
/// apart from each other, as the paper has them, fail nearly always.
#[test]
fn l_delta_diversity_theorem_4_5_by_simulation() {
    let engine = engine();
    plan(&engine, 0.05);
    let trials = 300;
    let view = simulate(&engine, None, trials, &Anonymizer::ALL);
    let [by_plan, contiguous, mondrian, k_member] = &view.results[..] else { panic!() };
    for tally in &by_plan.by_releases {
        let allowed = f64::from(tally.releases) * 0.05;
        assert!((tally.allowed - allowed).abs() < 1e-12);
        assert!(tally.failed <= binomial_bound(trials.into(), allowed), "{tally:?}");
        assert_eq!(tally.people, u64::from(trials) * 5);
    }
    for instance in [contiguous, mondrian, k_member] {
        // Alone each is ℓ-diverse, always.
        assert_eq!((instance.by_releases[0].failed, instance.by_releases[0].people_below), (0, 0), "{instance:?}");
    }
    // k-member's classes overlap, so that nobody knows which of several a person is in: linking takes less from it.
    assert!(k_member.by_releases[2].people_below < mondrian.by_releases[2].people_below);
    for instance in [contiguous, mondrian] {
        let linked = &instance.by_releases[2];
        let plan = &by_plan.by_releases[2];
        assert!(
            linked.failed > 5 * binomial_bound(trials.into(), plan.allowed).min(u64::from(trials) / 6),
            "{instance:?}"
        );
        assert!(linked.people_below > 3 * plan.people_below.max(20), "{instance:?}");
        assert!(linked.failed * 10 > u64::from(trials) * 9, "{instance:?}");
    }
}
