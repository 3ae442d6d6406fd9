//! Why a small table has no release, once all ways to divide its rows were tried: constraints of which none can be left
//! out, and the count that can't be met.
//!
//! Guarantee: what is told is proved. Complexity: that of the exact search, about once a constraint and a few times more,
//! but at most [`SEARCHES`] times the work that one may take: where that is not enough, more constraints may be named than
//! needed, and no count is told.

use super::counting::{cannot_be_met, names};
use super::exact::{self, Exact, Search};
use super::ground::Ground;
use crate::algorithms::local::targets::Bounds;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::words::{capital, counted, grouped};

const SEARCHES: u64 = 2;

const ANY: Bounds = Bounds { least: 0, most: u64::MAX };

/// What keeps a table from having a release that meets some constraints, of which it is known that there is none.
pub async fn explain(
    ground: &Ground<'_>,
    among: &[usize],
    work: u64,
    progress: &Progress<'_>,
) -> Result<String, Failure> {
    let asked = &ground.targets.bounds;
    let mut question = Question { ground, bounds: vec![ANY; asked.len()], work: work.saturating_mul(SEARCHES) };
    among.iter().for_each(|&constraint| question.bounds[constraint] = asked[constraint]);
    let mut needed: Vec<usize> = Vec::new();
    for &constraint in among.iter().filter(|&&constraint| asked[constraint] != ANY) {
        question.bounds[constraint] = ANY;
        if question.is_possible(progress).await? != Some(false) {
            question.bounds[constraint] = asked[constraint];
            needed.push(constraint);
        }
    }
    let Some((&last, others)) = needed.split_last() else {
        return Ok("Even without constraints, no way to divide the rows meets the requirements; all were tried.".into());
    };
    let count = match question.count(last, others, progress).await? {
        Some(count) => format!(": {count}"),
        None => String::new(),
    };
    Ok(format!("{}{count}. All ways were tried.", capital(&cannot_be_met(ground, &needed))))
}

/// Bounds to ask about, and how much may still be done for that.
struct Question<'g, 'a> {
    ground: &'g Ground<'a>,
    bounds: Vec<Bounds>,
    work: u64,
}

impl Question<'_, '_> {
    /// Whether there is a release; `None` if that could not be decided.
    async fn is_possible(&mut self, progress: &Progress<'_>) -> Result<Option<bool>, Failure> {
        let mut search = Search { bounds: &self.bounds, work: self.work, below: None };
        let found = exact::best(self.ground, &mut search, progress).await?;
        self.work = search.work;
        Ok(match found {
            Exact::Best(_) => Some(true),
            Exact::None => Some(false),
            Exact::TooLarge => None,
        })
    }

    /// How many rows can show the last constraint, with the others met.
    async fn count(
        &mut self,
        last: usize,
        others: &[usize],
        progress: &Progress<'_>,
    ) -> Result<Option<String>, Failure> {
        let Bounds { least, most } = self.ground.targets.bounds[last];
        // The highest count up to the lower bound.
        let mut reached = None;
        let (mut below, mut from) = (0, least);
        while below < from {
            let middle = below + (from - below) / 2;
            self.bounds[last] = Bounds { least: middle, most: u64::MAX };
            match self.is_possible(progress).await? {
                Some(true) => (reached, below) = (Some(middle), middle + 1),
                Some(false) => from = middle,
                None => return Ok(None),
            }
        }
        // Whether there are too many rows instead.
        self.bounds[last] = Bounds { least, most: u64::MAX };
        let Some(too_many) = self.is_possible(progress).await? else { return Ok(None) };
        let given = match others {
            [] => "whatever the classes".to_owned(),
            others => format!("with {} met", names(self.ground, others)),
        };
        let name = names(self.ground, &[last]);
        let count = match reached.filter(|_| !too_many) {
            Some(reached) => {
                format!("at most {} can show {name}, which asks for {}", counted(reached, "row"), grouped(least))
            }
            None if most == u64::MAX => return Ok(None),
            None if least == 0 => format!("more than {} must show {name}", counted(most, "row")),
            None => format!("no number of rows from {} to {} can show {name}", grouped(least), grouped(most)),
        };
        Ok(Some(format!("{given}, {count}")))
    }
}
