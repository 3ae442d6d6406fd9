//! DIVA.

pub mod exact;
pub mod ground;

use crate::algorithms::local::clusters::Clusters;
use crate::algorithms::local::draft::Draft;
use crate::algorithms::local::{Outcome, Problem};
use crate::algorithms::refinement::Effort;
use crate::constraints::Constraint;
use crate::failure::Failure;
use crate::progress::Progress;
use exact::{Exact, Search};
use ground::{Class, Ground};

/// In which order constraints are coloured, and with what (§4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// By chance.
    Naive,
    /// Those with the fewest candidates first.
    #[default]
    MinChoice,
    /// Those with the most neighbours that are not coloured yet first.
    MaxFanOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub budget: u64,
    pub exact: u64,
    pub refine: Option<Effort>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { budget: 100_000, exact: 20_000_000, refine: Some(Effort::default()) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    pub outcome: Outcome,
}

pub async fn solve(
    problem: &Problem<'_>,
    constraints: &[Constraint],
    _strategy: Strategy,
    settings: Settings,
    progress: &Progress<'_>,
) -> Result<Solved, Failure> {
    let ground = Ground::new(problem, constraints);
    let mut search = Search { bounds: &ground.targets.bounds, work: settings.exact, below: None };
    let outcome = match exact::best(&ground, &mut search, progress).await? {
        Exact::Best(_, classes) => Outcome::Release(release(&ground, &classes)),
        Exact::None => Outcome::Impossible("no".into()),
        Exact::TooLarge => Outcome::NotFound("large".into()),
    };
    Ok(Solved { outcome })
}

fn release(ground: &Ground<'_>, classes: &[Class]) -> crate::release::Release {
    let mut clusters = Clusters::new(&ground.space, &ground.demands);
    for class in classes {
        ground.open(&mut clusters, class);
    }
    let mut draft = Draft::new(&ground.space);
    draft.add(&clusters);
    draft.finish(ground.problem)
}
