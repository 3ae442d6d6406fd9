//! The exact decision of satisfiability and implication: an integer program over the cells that the constraints cut.
//!
//! Every cell ([`super::cells`]) is a number of rows; every constraint bounds the sum of those in which it holds. Without
//! more, the tables are any; a [`World`] adds classes of k rows (what a class shows, at least k rows show), the number of
//! rows, or the rows of one table, each with what it can show. σ follows from Σ if no table satisfies Σ and breaks σ.
//! Guarantee: answers are proved, "yes" by a table that is checked in whole numbers, "no" by an exact simplex. What is too
//! large is undecided. For the rows of one table "yes" means that nothing found here speaks against a release.

use std::collections::BTreeMap;

use super::cells::{Cell, MOST_CELLS, Named, World};
use super::program::{Bounds, Budget, Program, Solved, reasoning};
use super::{Constraint, Target};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::sorting::Sorting;

/// A table, as far as constraints see it: rows that show some values, and in other columns something else.
pub type Witness = Vec<(Vec<Target>, u64)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Such a table.
    Yes(Witness),
    No(Option<Sum>),
    /// The question is too large.
    Undecided,
}

/// Bounds that contradict each other: the lower ones, each as often as said, add up to more than the upper ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Constraints (by their places) and how often.
    pub least: Vec<(usize, u64)>,
    pub most: Vec<(usize, u64)>,
    /// Whether that is all: not so where the table's rows take part in it.
    pub whole: bool,
}

impl Sum {
    /// The constraints in it, in ascending order.
    pub fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> = self.least.iter().chain(&self.most).map(|&(place, _)| place).collect();
        places.order();
        places.dedup();
        places
    }
}

/// Some of the constraints, and whether it is proved that none of them can be left out.
pub type Fewest = (Vec<usize>, bool);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Implication {
    Implied,
    /// A table that satisfies all but the one.
    Counterexample(Witness),
    Undecided,
}

/// Entries of a program's first tableau at most, and its variables.
const LARGEST: usize = 1_000_000;
const MOST_VARIABLES: usize = 10_000;
/// To tell whether a cell holds a constraint takes as long as so many entries of a tableau.
const BUILDING: u64 = 64;

/// Rows (how many, if that is known) and the cells they can be in.
struct Part {
    rows: Option<u64>,
    cells: Vec<Cell>,
}

/// Constraints in a world.
#[derive(Clone, Copy)]
pub struct Reasoner<'a> {
    pub constraints: &'a [Constraint],
    pub world: &'a World,
    pub(super) budget: &'a Budget,
}

impl<'a> Reasoner<'a> {
    pub fn new(constraints: &'a [Constraint], world: &'a World, budget: &'a Budget) -> Self {
        Reasoner { constraints, world, budget }
    }

    /// Whether some table satisfies those of the constraints that are named by their places.
    pub async fn satisfiable(&self, which: &[usize], progress: &Progress<'_>) -> Result<Decision, Failure> {
        let chosen: Vec<&Constraint> = which.iter().map(|&place| &self.constraints[place]).collect();
        let decision = self.decide(&chosen, progress).await?;
        let place = |terms: Vec<(usize, u64)>| terms.into_iter().map(|(at, times)| (which[at], times)).collect();
        Ok(match decision {
            Decision::No(Some(Sum { least, most, whole })) => {
                Decision::No(Some(Sum { least: place(least), most: place(most), whole }))
            }
            decided => decided,
        })
    }

    /// Whether every table that satisfies those constraints satisfies `wanted`.
    pub async fn implies(
        &self,
        which: &[usize],
        wanted: &Constraint,
        progress: &Progress<'_>,
    ) -> Result<Implication, Failure> {
        Ok(self.follows(which, wanted, progress).await?.0)
    }

    /// The same, and if it is so, constraints that are enough for it. Often those are that a row shows together with
    /// `wanted`; all may be too many.
    async fn follows(
        &self,
        which: &[usize],
        wanted: &Constraint,
        progress: &Progress<'_>,
    ) -> Result<(Implication, Vec<usize>), Failure> {
        let near = |place: &usize| self.world.links(&self.constraints[*place].target, &wanted.target);
        let near: Vec<usize> = which.iter().copied().filter(near).collect();
        if near.len() < which.len() {
            let found = self.follows_from(&near, wanted, progress).await?;
            if found.0 == Implication::Implied {
                return Ok(found);
            }
        }
        self.follows_from(which, wanted, progress).await
    }

    async fn follows_from(
        &self,
        which: &[usize],
        wanted: &Constraint,
        progress: &Progress<'_>,
    ) -> Result<(Implication, Vec<usize>), Failure> {
        let below = wanted.least.checked_sub(1).map(|most| (0, Some(most)));
        let above = wanted.most.and_then(|most| Some((most.checked_add(1)?, None)));
        let (mut implication, mut needed) = (Implication::Implied, Vec::new());
        for (least, most) in below.into_iter().chain(above) {
            let broken = Constraint { target: wanted.target.clone(), least, most };
            let mut chosen: Vec<&Constraint> = which.iter().map(|&place| &self.constraints[place]).collect();
            chosen.push(&broken);
            match self.decide(&chosen, progress).await? {
                Decision::Yes(witness) => return Ok((Implication::Counterexample(witness), Vec::new())),
                Decision::Undecided => implication = Implication::Undecided,
                Decision::No(None) => needed.extend(which),
                Decision::No(Some(sum)) => needed.extend(sum.places().into_iter().filter_map(|at| which.get(at))),
            }
        }
        needed.order();
        needed.dedup();
        Ok((implication, needed))
    }

    /// Of constraints that contradict each other, some of which none can be left out.
    pub async fn contradiction(&self, which: &[usize], progress: &Progress<'_>) -> Result<Fewest, Failure> {
        let mut fewer = Fewer::of(which);
        while let Some(without) = fewer.next() {
            let enough = match self.satisfiable(&without, progress).await? {
                Decision::Yes(_) => Some(None),
                Decision::No(sum) => Some(Some(sum.map_or(without, |sum| sum.places()))),
                Decision::Undecided => None,
            };
            fewer.learn(enough);
        }
        Ok(fewer.found())
    }

    /// Of constraints that imply `wanted`, some of which none can be left out.
    pub async fn premises(
        &self,
        which: &[usize],
        wanted: &Constraint,
        progress: &Progress<'_>,
    ) -> Result<Fewest, Failure> {
        let mut fewer = Fewer::of(which);
        while let Some(without) = fewer.next() {
            let enough = match self.follows(&without, wanted, progress).await? {
                (Implication::Counterexample(_), _) => Some(None),
                (Implication::Implied, needed) => Some(Some(needed)),
                (Implication::Undecided, _) => None,
            };
            fewer.learn(enough);
        }
        Ok(fewer.found())
    }

    async fn decide(&self, chosen: &[&Constraint], progress: &Progress<'_>) -> Result<Decision, Failure> {
        // What is built for a program costs, too, and is not begun when nothing is left.
        let building = |cells: usize| self.budget.spend((cells * chosen.len()) as u64 * BUILDING);
        if !building(self.world.groups.as_ref().map_or(1, |groups| groups.len())) {
            return Ok(Decision::Undecided);
        }
        let Some(named) = Named::new(chosen, self.world) else { return Ok(Decision::Undecided) };
        let Some(parts) = self.parts(&named, progress).await? else {
            building(MOST_CELLS);
            return Ok(Decision::Undecided);
        };
        let cells: Vec<&Cell> = parts.iter().flat_map(|part| &part.cells).collect();
        building(cells.len());
        let program = self.program(chosen, &parts, &cells);
        let size = program.variables.len() * program.sums.len();
        if size > LARGEST || !self.budget.spend(size as u64) {
            return Ok(Decision::Undecided);
        }
        Ok(match program.solve(self.budget, progress).await? {
            Solved::Solution(rows) => {
                let shown =
                    |cell: &Cell| cell.shown.iter().map(|&number| named.values[usize::from(number)].clone()).collect();
                let part = |(cell, rows): (&&Cell, u64)| (shown(cell), rows);
                Decision::Yes(cells.iter().zip(rows).filter(|(_, rows)| *rows > 0).map(part).collect())
            }
            Solved::None(conflict) => Decision::No(conflict.and_then(|conflict| sum(&program, chosen, &conflict))),
            Solved::Undecided => Decision::Undecided,
        })
    }

    /// Kinds of rows; `None` if there are too many.
    async fn parts(&self, named: &Named<'_>, progress: &Progress<'_>) -> Result<Option<Vec<Part>>, Failure> {
        let Some(groups) = &self.world.groups else {
            return Ok(named.cells().map(|cells| vec![Part { rows: None, cells }]));
        };
        // Groups that can do the same are one.
        let mut parts: BTreeMap<Vec<Cell>, u64> = BTreeMap::new();
        let mut size = 0;
        for group in groups.iter() {
            progress.checkpoint(reasoning).await?;
            let Some(cells) = named.cells_of(group) else { return Ok(None) };
            let cells_of_group = cells.len();
            let rows = parts.entry(cells).or_default();
            size += if *rows == 0 { cells_of_group } else { 0 };
            *rows += group.rows;
            if size > MOST_VARIABLES {
                return Ok(None);
            }
        }
        Ok(Some(parts.into_iter().map(|(cells, rows)| Part { rows: Some(rows), cells }).collect()))
    }

    fn program(&self, chosen: &[&Constraint], parts: &[Part], cells: &[&Cell]) -> Program {
        let holding = |place: usize| (0..cells.len()).filter(|&cell| cells[cell].holds.contains(&place)).collect();
        let bounds = |constraint: &Constraint| Bounds { least: constraint.least, most: constraint.most };
        let mut sums: Vec<(Vec<usize>, Bounds)> =
            chosen.iter().enumerate().map(|(place, constraint)| (holding(place), bounds(constraint))).collect();
        let all = || (0..cells.len()).collect::<Vec<usize>>();
        if let Some((least, most)) = self.world.rows {
            sums.push((all(), Bounds { least, most: Some(most) }));
            let suppressed = most - least.min(most);
            let mut first = 0;
            for Part { rows, cells } in parts {
                if let Some(rows) = *rows {
                    let bounds = Bounds { least: rows.saturating_sub(suppressed), most: Some(rows) };
                    sums.push(((first..first + cells.len()).collect(), bounds));
                }
                first += cells.len();
            }
        }
        let mut gaps = Vec::new();
        if self.world.k > 1 {
            let mut classes: BTreeMap<&[u16], Vec<usize>> = BTreeMap::new();
            for (place, cell) in cells.iter().enumerate() {
                classes.entry(&cell.class).or_default().push(place);
            }
            for members in classes.into_values() {
                if let [only] = members[..] {
                    gaps.push((only, self.world.k));
                } else {
                    gaps.push((cells.len() + sums.len(), self.world.k));
                    sums.push((members, Bounds::ANY));
                }
            }
        }
        Program { variables: vec![Bounds::ANY; cells.len()], sums, gaps }
    }
}

/// Leaves out one constraint after the other.
struct Fewer {
    kept: Vec<usize>,
    tried: Vec<usize>,
    /// Those of which it could not be decided.
    doubtful: Vec<usize>,
}

impl Fewer {
    fn of(which: &[usize]) -> Fewer {
        Fewer { kept: which.to_vec(), tried: Vec::new(), doubtful: Vec::new() }
    }

    /// All but the one to try next.
    fn next(&mut self) -> Option<Vec<usize>> {
        let place = *self.kept.iter().find(|place| !self.tried.contains(place))?;
        self.tried.push(place);
        Some(self.kept.iter().copied().filter(|&other| other != place).collect())
    }

    /// Whether that is decided, and what is enough without it, if it is not needed.
    fn learn(&mut self, enough: Option<Option<Vec<usize>>>) {
        match enough {
            Some(Some(enough)) => self.kept = enough,
            Some(None) => {}
            None => self.doubtful.extend(self.tried.last()),
        }
    }

    fn found(self) -> Fewest {
        let proved = !self.kept.iter().any(|place| self.doubtful.contains(place));
        (self.kept, proved)
    }
}

/// The conflict as bounds of constraints.
fn sum(program: &Program, chosen: &[&Constraint], conflict: &[(usize, u64, bool)]) -> Option<Sum> {
    let mut sum = Sum { least: Vec::new(), most: Vec::new(), whole: true };
    for &(place, times, lower) in conflict {
        let Some(row) = place.checked_sub(program.variables.len()) else { continue };
        let (_, bounds) = program.sums.get(row)?;
        let is_constraint = row < chosen.len();
        match lower {
            true if bounds.least == 0 => {}
            true if is_constraint => sum.least.push((row, times)),
            false if is_constraint => sum.most.push((row, times)),
            _ => sum.whole = false,
        }
    }
    sum.least.order();
    sum.most.order();
    Some(sum)
}
