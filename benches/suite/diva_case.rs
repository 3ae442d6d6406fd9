//! A table of which k-member and DIVA make releases by suppression alone, and the constraints that §5.1 of the DIVA paper
//! makes for it. Shared by the suite and the figures.

use std::rc::Rc;

use throng::algorithms::diva::{self, Settings, Strategy};
use throng::algorithms::local::{Algorithm, Measure, Mode, Outcome, Problem, recode};
use throng::algorithms::refinement::Effort;
use throng::constraints::generate::{Class, Wish, generate};
use throng::constraints::{Binder, Constraint};
use throng::hierarchy::Hierarchy;
use throng::policy::Quasi;
use throng::policy::{Setup, Template};
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{Progress, block_on};
use throng::release::Release;
use throng::table::{Role, Table};

/// Of the census: sex, race, both, and marital status, as the paper's 21 constraints are more than sex and race have.
pub const ON: [&[u32]; 4] = [&[0], &[4], &[0, 4], &[2]];

/// How the reason starts if it is proved that there is no release.
pub const IMPOSSIBLE: &str = "impossible";

pub struct Case {
    pub table: Table,
    pub quasi: Vec<Quasi>,
    pub setup: Setup,
}

/// What to make of the rows.
#[derive(Clone, Copy)]
pub struct Ask {
    pub k: u32,
    /// `None` for k-member.
    pub strategy: Option<Strategy>,
    pub refined: bool,
    pub seed: u64,
    /// Candidates that DIVA tries at most.
    pub budget: u64,
}

/// A search that finds something finds it soon.
pub const BUDGET: u64 = 200;

impl Case {
    /// Every column is a quasi-identifier whose values are kept or become `*`.
    pub fn new(table: Table) -> Result<Case, String> {
        let mut setup = Setup::guessed(&table);
        for (setup, column) in setup.columns.iter_mut().zip(&table.columns) {
            let tree = Hierarchy::flat(column.dictionary.iter());
            setup.role = Role::Quasi;
            setup.template = Some(Rc::new(Template::new(tree, None, column, Vec::new())));
        }
        let quasi = |place: usize| Quasi::new(place, &setup.columns[place], &table.columns[place]);
        let quasi: Result<Vec<Quasi>, _> = (0..table.columns.len()).map(quasi).collect();
        Ok(Case { quasi: quasi.map_err(|failure| failure.to_string())?, table, setup })
    }

    /// Constraints on the values of some sets of columns, `count` of them; the same seed gives fewer or more of the same.
    pub fn constraints(
        &self,
        class: Class,
        on: &[&[u32]],
        count: Option<u32>,
        k: u32,
        seed: u64,
    ) -> Result<Vec<Constraint>, String> {
        let on = on.iter().map(|columns| columns.to_vec()).collect();
        let wish = Wish { class, on, count, seed, k: u64::from(k) };
        let made = block_on(generate(&Binder::new(&self.setup, &self.table), &wish, &Progress::new(&super::Quiet)));
        made.map_err(|failure| failure.to_string())
    }

    pub fn solve(&self, ask: Ask, constraints: &[Constraint], progress: &Progress<'_>) -> Result<Release, String> {
        let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k: ask.k }) }];
        let problem = Problem {
            table: &self.table,
            quasi: &self.quasi,
            sensitive: &[],
            requirements: &requirements,
            suppressible: 0,
            seed: ask.seed,
            measure: Measure::Stars,
            mode: Mode::Suppression,
        };
        let refine = ask.refined.then(Effort::default);
        let outcome = match ask.strategy {
            None => block_on(recode(&problem, Algorithm::KMember, refine, progress)),
            Some(strategy) => {
                let settings = Settings { budget: ask.budget, refine, ..Settings::default() };
                let solved = block_on(diva::solve(&problem, constraints, strategy, settings, progress));
                solved.map(|solved| solved.outcome)
            }
        };
        match outcome {
            Ok(Outcome::Release(release)) => Ok(release),
            Ok(Outcome::Impossible(why)) => Err(format!("{IMPOSSIBLE}: {why}")),
            Ok(Outcome::NotFound(why)) => Err(format!("not found: {why}")),
            Err(failure) => Err(failure.to_string()),
        }
    }
}
