//! How much room the classes of a release have above what the policy demands.
//!
//! A class's room under a demand is how far what it achieves ([`Model::achieved`]) is on the good side of the demand's
//! bound, as a share of the bound: a class of 6 under k = 5 has 0.2, one with t = 0.18 under t = 0.2 has 0.1. Its room is
//! the least over all demands. Complexity: that of checking every demand once.
//!
//! [`Model::achieved`]: crate::privacy::Model::achieved

use crate::failure::Failure;
use crate::policy::with_sensitive;
use crate::privacy::{Better, TOLERANCE, achieved_by_class};
use crate::progress::{Progress, Report};
use crate::run::Run;
use crate::table::Table;

/// A class with at most this room is just above the line.
pub const NEAR: f64 = 0.1;

pub fn is_near(room: f64) -> bool {
    room <= NEAR + TOLERANCE
}

/// What every class of a release achieves of every demand.
pub struct Rooms {
    /// In the order of the policy's demands; one on every sensitive column is there once for each.
    pub demands: Vec<DemandRooms>,
}

pub struct DemandRooms {
    /// The demand's place in the policy, its bound, and the output's column that it is about.
    pub demand: usize,
    pub bound: f64,
    pub better: Better,
    pub attribute: Option<usize>,
    /// What each class achieves.
    pub achieved: Vec<f64>,
}

impl DemandRooms {
    pub fn room(&self, class: usize) -> f64 {
        let (achieved, bound) = (self.achieved[class], self.bound);
        let above = match self.better {
            Better::Higher => achieved - bound,
            Better::Lower => bound - achieved,
        };
        // Only t may be 0: then who keeps it has no room at all.
        if bound > 0.0 { above / bound } else { 0.0 }
    }
}

impl Rooms {
    pub async fn of(table: &Table, run: &Run, progress: &Progress<'_>) -> Result<Rooms, Failure> {
        let (requirements, demand_of) = run.setup.requirements_on(table, &run.output)?;
        let setup = run.setup.of_release(&run.output);
        let mut demands = Vec::with_capacity(requirements.len());
        for (requirement, &demand) in requirements.iter().zip(&demand_of) {
            let report = || Report { phase: "Looking at the classes".into(), fraction: None, detail: String::new() };
            progress.checkpoint(report).await?;
            let achieved = with_sensitive(&setup, &run.output, |sensitive| {
                achieved_by_class(requirement, &run.grouped.classes, sensitive)
            });
            let bound = run.setup.privacy[demand].model.bound();
            let better = requirement.model.better();
            demands.push(DemandRooms { demand, bound, better, attribute: requirement.attribute, achieved });
        }
        Ok(Rooms { demands })
    }

    /// The least room of each class; of a release that nothing was demanded of, without end.
    pub fn least(&self, classes: usize) -> Vec<f64> {
        let of_class = |class: usize| {
            let rooms = self.demands.iter().map(|demand| demand.room(class));
            rooms.fold(f64::INFINITY, |least, room| if room < least { room } else { least })
        };
        (0..classes).map(of_class).collect()
    }
}
