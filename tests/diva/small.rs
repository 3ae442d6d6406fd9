//! Tiny tables, against all ways to divide their rows and to show each part.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::algorithms::diva::{Settings, Strategy};
use throng::algorithms::local::Outcome;
use throng::algorithms::refinement::Effort;

use crate::case::{Case, Random, cases, random_case, run};

const STRATEGIES: [Strategy; 3] = [Strategy::Naive, Strategy::MinChoice, Strategy::MaxFanOut];

/// Without the exact search: what colouring and refinement find by themselves.
const BY_COLOURING: Settings = Settings {
    budget: 10_000,
    restarts: 16,
    exact: 0,
    refine: Some(Effort { passes: 8, steps: 10_000, least_gain: 250 }),
};

/// How often the cost was the optimum, and by how much it was above.
#[derive(Default)]
struct Comparison {
    releases: u32,
    optimal: u32,
    cost: f64,
    optimum: f64,
    missed: u32,
    impossible: u32,
    unproved: u32,
}

impl Comparison {
    fn note(&mut self, case: &Case, outcome: &Outcome, optimum: Option<f64>) {
        match (outcome, optimum) {
            (Outcome::Release(release), Some(optimum)) => {
                let cost = case.verify(release);
                assert!(cost >= optimum - 1e-5, "{cost} is better than the best, {optimum}");
                self.releases += 1;
                self.optimal += u32::from(cost <= optimum + 1e-5);
                self.cost += cost;
                self.optimum += optimum;
            }
            (Outcome::Release(release), None) => {
                case.verify(release);
                panic!("there is none, but: {release:?}");
            }
            (Outcome::Impossible(why), optimum) => {
                assert_eq!(optimum, None, "{why}");
                self.impossible += 1;
            }
            (Outcome::NotFound(_), Some(_)) => self.missed += 1,
            (Outcome::NotFound(_), None) => self.unproved += 1,
        }
    }

    fn share(&self) -> f64 {
        100.0 * f64::from(self.optimal) / f64::from(self.releases + self.missed).max(1.0)
    }

    fn print(&self, what: &str) {
        println!(
            "{what}: {} releases, {:.1} % of what there was optimal, {:.2} % above the optimum; {} not found; {} proved \
             impossible, {} impossible but not proved",
            self.releases,
            self.share(),
            100.0 * (self.cost / self.optimum.max(1e-9) - 1.0),
            self.missed,
            self.impossible,
            self.unproved
        );
    }
}

/// What colouring and refinement find by themselves, without the exact search: never wrong, mostly the best.
#[test]
fn colouring_against_all_ways_to_divide_the_rows() {
    let mut random = Random::new(2);
    let mut plain = [(); 3].map(|()| Comparison::default());
    let mut other = [(); 3].map(|()| Comparison::default());
    for round in 0..cases(2000) {
        let is_plain = round % 2 == 0;
        let case = random_case(&mut random, 7, is_plain);
        let optimum = case.optimum();
        for (place, strategy) in STRATEGIES.into_iter().enumerate() {
            let comparison = if is_plain { &mut plain[place] } else { &mut other[place] };
            comparison.note(&case, &run(&case, strategy, BY_COLOURING).outcome, optimum);
        }
    }
    for (place, strategy) in STRATEGIES.into_iter().enumerate() {
        plain[place].print(&format!("{strategy:?}, stars only"));
        other[place].print(&format!("{strategy:?}, hierarchies, limits, models, suppression"));
    }
    for comparison in plain.iter().chain(&other).filter(|comparison| comparison.releases > 100) {
        assert!(comparison.share() >= 90.0, "only {:.1} % optimal", comparison.share());
    }
}

/// Against all ways to divide a few rows: outcomes are never wrong, and the exact search leaves nothing open.
#[test]
fn against_all_ways_to_divide_the_rows() {
    let mut random = Random::new(1);
    let mut exact = Comparison::default();
    for round in 0..cases(3000) {
        let case = random_case(&mut random, 7, round % 2 == 0);
        let optimum = case.optimum();
        let solved = run(&case, STRATEGIES[round % 3], Settings::default());
        exact.note(&case, &solved.outcome, optimum);
    }
    exact.print("exact");
    assert_eq!((exact.optimal, exact.missed, exact.unproved), (exact.releases, 0, 0));
    assert!(exact.releases > 1000 && exact.impossible > 500);
}
