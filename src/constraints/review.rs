//! The reasoning behind a [`ConstraintsView`]: contradictions, what follows from what, and minimal covers.
//!
//! It is done in three scopes, each with more that is known: the constraints alone, in classes of the policy's k rows, and
//! for releases of this table. A contradiction is told in the first scope that has it, by a minimal set of lines; what is
//! in one takes no part in that scope and the next; that a table has no release even without constraints is one of no
//! lines. So the cover, which is of the constraints alone, has what only k or
//! this table contradicts. Independent parts are looked at apart; for this table then together, if that is not too large.
//! Each kind of question has a budget of its own, and each integer program a share of it, so that a hard one costs the
//! others nothing; what stays undecided is told. Complexity: O(|Σ|²) comparisons, O(|part|²) integer programs for every
//! part, small ones.

use super::axioms::{self, Range};
use super::bind::Binder;
use super::cells::{World, components};
use super::count::accepted;
use super::exact::{Decision, Fewest, Implication, Reasoner, Witness};
use super::program::Budget;
use super::view::{ConstraintsView, Contradiction, Implied, Method, Scope, Verdict};
use super::{Constraint, Target, cover};
use crate::failure::Failure;
use crate::hierarchy::ROOT;
use crate::policy::ModelDemand;
use crate::progress::Progress;
use crate::sorting::Sorting;
use crate::table::Role;

impl ConstraintsView {
    /// Fills in all that the lines without a fault say together. `place_of` has the line of each constraint.
    pub(super) async fn reason(
        &mut self,
        binder: &Binder<'_>,
        constraints: &[Constraint],
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<(), Failure> {
        let quasi: Vec<bool> = binder.setup.columns.iter().map(|column| column.role == Role::Quasi).collect();
        let worlds = [World::default(), World { k: self.k, quasi, ..World::default() }];
        let mut rest: Vec<usize> = (0..constraints.len()).collect();
        let mut consistent = Vec::new();
        for (at, (scope, world)) in [Scope::Alone, Scope::Classes].into_iter().zip(&worlds).enumerate() {
            if at == 0 || self.k > 1 {
                let budget = Budget::default();
                let reasoner = Reasoner::new(constraints, world, &budget);
                for part in world.components(constraints, &rest) {
                    let (verdict, _) = self.settle(&reasoner, scope, part, &mut rest, place_of, progress).await?;
                    self.verdicts[at] = self.verdicts[at].and(verdict);
                }
                let budget = Budget::default();
                let reasoner = Reasoner::new(constraints, world, &budget);
                for part in world.components(constraints, &rest) {
                    self.find_implied(&reasoner, scope, &part, place_of, progress).await?;
                    if scope == Scope::Alone {
                        self.reduce(&reasoner, &part, place_of, progress).await?;
                        consistent.extend(part);
                    }
                }
            }
        }
        self.cover_by_axioms.order();
        self.cover.order();
        self.find_certain(constraints, &consistent, place_of);
        self.verdicts[2] = self.settle_table(binder, constraints, rest, place_of, progress).await?;
        if self.is_without_release() {
            // What holds in every release would only be true as there is none.
            for view in self.lines.iter_mut().filter_map(|line| line.constraint.as_mut()) {
                view.implied.take_if(|implied| implied.scope == Scope::Table);
            }
        }
        // What is impossible with less known stays so.
        self.verdicts[1] = self.verdicts[0].and(self.verdicts[1]);
        self.verdicts[2] = self.verdicts[1].and(self.verdicts[2]);
        let sharp = sharp(binder, constraints);
        self.proved = self.verdicts[2] == Verdict::Possible && self.mistake.is_none() && sharp;
        // That fewer lines contradict each other on the table may escape the program, too.
        let of_table = self.contradictions.iter_mut().filter(|contradiction| contradiction.scope == Scope::Table);
        of_table.for_each(|contradiction| contradiction.minimal &= sharp);
        Ok(())
    }

    /// Whether this table has a release that keeps the rest.
    async fn settle_table(
        &mut self,
        binder: &Binder<'_>,
        constraints: &[Constraint],
        mut rest: Vec<usize>,
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<Verdict, Failure> {
        let of = |part: &[usize]| -> Vec<Constraint> { part.iter().map(|&place| constraints[place].clone()).collect() };
        // The questions are few and large.
        let (k, budget) = (self.k, Budget::of(1_000_000_000));
        // One look at the rows is enough for all parts, if they are not of too many kinds.
        let all = World::of_table(binder, &of(&rest), k)?;
        let world_of = |part: &[usize]| match &all {
            Some(world) => Ok(Some(world.clone())),
            None => World::of_table(binder, &of(part), k),
        };
        let apart = self.without_common_rows(constraints.len(), &rest);
        let (mut verdict, mut shown) = (Verdict::Possible, Some(0));
        for part in &apart {
            let Some(world) = world_of(part)? else {
                (verdict, shown) = (verdict.and(Verdict::Undecided), None);
                continue;
            };
            let reasoner = Reasoner::new(constraints, &world, &budget);
            let (of_part, witness) =
                self.settle(&reasoner, Scope::Table, part.clone(), &mut rest, place_of, progress).await?;
            if self.is_without_release() {
                return Ok(of_part);
            }
            verdict = verdict.and(of_part);
            let kept: Vec<usize> = part.iter().copied().filter(|place| rest.contains(place)).collect();
            let rows = rows_alone(&reasoner, &kept, witness, progress).await?;
            shown = shown.zip(rows).map(|(before, rows)| before + rows);
        }
        // Together they leave a class for the other rows: what each has is a release. Where only a part of a target makes
        // a class, its rows are not counted that simply.
        let quasi = |target: &Target| binder.setup.columns[target.column].role == Role::Quasi;
        let simple = k < 2 || rest.iter().all(|&place| constraints[place].target.iter().all(quasi));
        let left = shown.and_then(|shown| (binder.table.rows as u64).checked_sub(shown));
        if simple && left.is_some_and(|left| left == 0 || left >= k) {
            return Ok(verdict);
        }
        // Otherwise they compete: those that have columns in common, and all, if that is not too large.
        let columns = |place: usize| constraints[place].target.iter().map(|target| target.column);
        let touch = |one: usize, other: usize| columns(one).any(|column| columns(other).any(|with| with == column));
        let mut parts = components(&rest, &touch);
        parts.extend((parts.len() > 1).then(|| rest.clone()));
        for mut part in parts.into_iter().filter(|part| !apart.contains(part)) {
            part.retain(|place| rest.contains(place));
            let of_part = match world_of(&part)? {
                None => Verdict::Undecided,
                Some(world) => {
                    let reasoner = Reasoner::new(constraints, &world, &budget);
                    self.settle(&reasoner, Scope::Table, part, &mut rest, place_of, progress).await?.0
                }
            };
            verdict = verdict.and(of_part);
        }
        Ok(verdict)
    }

    /// Parts of some constraints, no two of which speak of a common row.
    fn without_common_rows(&self, constraints: usize, which: &[usize]) -> Vec<Vec<usize>> {
        // Conflicts are in the order (0,1), (0,2), …, (1,2), ….
        let pair = |one: usize, other: usize| one * (2 * constraints - one - 1) / 2 + other - one - 1;
        components(which, &|one, other| self.conflicts[pair(one.min(other), one.max(other))].rate > 0.0)
    }

    /// Takes contradictions out of a part of the constraints until it has none; says how it was before, and what shows
    /// that it has none.
    async fn settle(
        &mut self,
        reasoner: &Reasoner<'_>,
        scope: Scope,
        mut part: Vec<usize>,
        rest: &mut Vec<usize>,
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<(Verdict, Option<Witness>), Failure> {
        let mut verdict = Verdict::Possible;
        loop {
            let sum = match reasoner.satisfiable(&part, progress).await? {
                Decision::Yes(witness) => return Ok((verdict, Some(witness))),
                Decision::Undecided => return Ok((verdict.and(Verdict::Undecided), None)),
                Decision::No(sum) => sum,
            };
            verdict = Verdict::Impossible;
            let from = sum.map_or_else(|| part.clone(), |sum| sum.places());
            let found = match scope {
                Scope::Table if !has_release(reasoner, &part, progress).await? => (Vec::new(), true),
                _ => reasoner.contradiction(&from, progress).await?,
            };
            part.retain(|place| !found.0.contains(place));
            rest.retain(|place| !found.0.contains(place));
            let told = contradiction(reasoner, scope, found, place_of, progress).await?;
            for &line in &told.lines {
                if let Some(view) = &mut self.lines[line].constraint {
                    view.contradiction = Some(self.contradictions.len());
                }
            }
            self.contradictions.push(told);
            if self.is_without_release() {
                rest.clear();
                return Ok((verdict, None));
            }
        }
    }

    /// Whether the table has no release, whatever the constraints.
    fn is_without_release(&self) -> bool {
        self.contradictions.last().is_some_and(|contradiction| contradiction.lines.is_empty())
    }

    /// Says of a part that has no contradiction which of it follows from the others, where less known did not say it.
    async fn find_implied(
        &mut self,
        reasoner: &Reasoner<'_>,
        scope: Scope,
        part: &[usize],
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<(), Failure> {
        for &place in part {
            let Some(view) = &mut self.lines[place_of[place]].constraint else { continue };
            if view.implied.is_none() {
                let others: Vec<usize> = part.iter().copied().filter(|&other| other != place).collect();
                let (implied, decided) = implied(reasoner, scope, place, &others, place_of, progress).await?;
                view.undecided = implied.is_none() && (view.undecided || !decided);
                view.implied = implied;
            }
        }
        Ok(())
    }

    /// Says of which constraints the rows of the table alone are enough.
    fn find_certain(&mut self, constraints: &[Constraint], which: &[usize], place_of: &[usize]) {
        for &place in which {
            let Some(view) = &mut self.lines[place_of[place]].constraint else { continue };
            let bounds = Range { least: view.certain, most: Some(view.possible) };
            if view.implied.is_none() && bounds.is_within(constraints[place].range()) {
                let (scope, method) = (Scope::Table, Method::Exact);
                view.implied = Some(Implied { by: Vec::new(), minimal: true, scope, method, derivation: None });
                view.undecided = false;
            }
        }
    }

    /// Leaves out of a part that has no contradiction what follows from the rest of it.
    async fn reduce(
        &mut self,
        reasoner: &Reasoner<'_>,
        part: &[usize],
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<(), Failure> {
        let kept: Vec<Constraint> = part.iter().map(|&place| reasoner.constraints[place].clone()).collect();
        let line = |place: usize| place_of[part[place]];
        self.cover_by_axioms.extend(cover::by_axioms(&kept).into_iter().map(line));
        let may_follow = |place: &usize| {
            let view = self.lines[line(*place)].constraint.as_ref();
            view.is_some_and(|view| view.implied.is_some() || view.undecided)
        };
        let asked: Vec<usize> = (0..part.len()).filter(may_follow).collect();
        let (found, proved) = cover::exact(&Reasoner { constraints: &kept, ..*reasoner }, &asked, progress).await?;
        self.cover.extend(found.into_iter().map(line));
        self.cover_proved &= proved;
        Ok(())
    }
}

impl Verdict {
    /// Of two parts of one question.
    fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Impossible, _) | (_, Verdict::Impossible) => Verdict::Impossible,
            (Verdict::Undecided, _) | (_, Verdict::Undecided) => Verdict::Undecided,
            _ => Verdict::Possible,
        }
    }
}

/// Whether a release is sure to be there when nothing speaks against one: only k is asked, there are quasi-identifiers that may all become
/// their roots, and no constraint names a root, so that each cell can be a class of its own.
fn sharp(binder: &Binder<'_>, constraints: &[Constraint]) -> bool {
    let only_k = binder.setup.privacy.iter().all(|demand| matches!(demand.model, ModelDemand::KAnonymity { .. }));
    let free = |place: usize| {
        let Ok(showing) = binder.showing(place) else { return false };
        let Some(recoded) = &showing.recoded else { return false };
        let named = constraints.iter().flat_map(|constraint| &constraint.target);
        let mut named = named.filter(|target| target.column == place);
        recoded.limit_of_code.iter().all(|&limit| limit == ROOT)
            && !named.any(|target| accepted(showing.column, &target.value).contains(recoded.tree.label(ROOT)))
    };
    let mut quasi = binder.setup.quasi_identifiers().peekable();
    only_k && quasi.peek().is_some() && quasi.all(free)
}

/// Whether the table has a release, as far as the values that constraints name tell, if the constraints ask for nothing.
async fn has_release(reasoner: &Reasoner<'_>, which: &[usize], progress: &Progress<'_>) -> Result<bool, Failure> {
    let any = |constraint: &Constraint| Constraint { least: 0, most: None, ..constraint.clone() };
    let constraints: Vec<Constraint> = reasoner.constraints.iter().map(any).collect();
    let decision = Reasoner { constraints: &constraints, ..*reasoner }.satisfiable(which, progress).await?;
    Ok(!matches!(decision, Decision::No(_)))
}

/// How many rows some of the constraints can do with, where none need be suppressed for them.
async fn rows_alone(
    reasoner: &Reasoner<'_>,
    which: &[usize],
    mut witness: Option<Witness>,
    progress: &Progress<'_>,
) -> Result<Option<u64>, Failure> {
    let rows = reasoner.world.rows.map(|(_, rows)| (rows, rows));
    if witness.is_some() && reasoner.world.rows != rows {
        let strict = World { rows, ..reasoner.world.clone() };
        witness = match (Reasoner { world: &strict, ..*reasoner }).satisfiable(which, progress).await? {
            Decision::Yes(witness) => Some(witness),
            _ => None,
        };
    }
    let asked = |shown: &[Target]| {
        let mut targets = which.iter().map(|&place| &reasoner.constraints[place].target);
        targets.any(|target| target.iter().all(|value| shown.contains(value)))
    };
    let count = |witness: Witness| witness.iter().filter(|(shown, _)| asked(shown)).map(|(_, rows)| rows).sum();
    Ok(witness.map(count))
}

async fn contradiction(
    reasoner: &Reasoner<'_>,
    scope: Scope,
    (lines, minimal): Fewest,
    place_of: &[usize],
    progress: &Progress<'_>,
) -> Result<Contradiction, Failure> {
    let subset: Vec<Constraint> = lines.iter().map(|&place| reasoner.constraints[place].clone()).collect();
    let line = |at: usize| place_of[lines[at]];
    let by_axioms = axioms::contradiction(&subset).filter(|_| scope == Scope::Alone);
    let sum = match reasoner.satisfiable(&lines, progress).await? {
        Decision::No(sum) => sum.filter(|sum| sum.whole),
        _ => None,
    };
    let terms = |terms: Vec<(usize, u64)>| terms.into_iter().map(|(place, times)| (place_of[place], times)).collect();
    let (least, most) = sum.map(|sum| (sum.least, sum.most)).unwrap_or_default();
    Ok(Contradiction {
        lines: (0..lines.len()).map(line).collect(),
        minimal,
        scope,
        method: if by_axioms.is_some() { Method::Axioms } else { Method::Exact },
        derivation: by_axioms.map(|(at, derivation)| (line(at), derivation.renumbered(line))),
        least: terms(least),
        most: terms(most),
    })
}

/// How a constraint follows from others, if it does, and whether that could be decided.
async fn implied(
    reasoner: &Reasoner<'_>,
    scope: Scope,
    place: usize,
    others: &[usize],
    place_of: &[usize],
    progress: &Progress<'_>,
) -> Result<(Option<Implied>, bool), Failure> {
    let wanted = &reasoner.constraints[place];
    let given = others.iter().map(|&other| (place_of[other], &reasoner.constraints[other]));
    if let Some(derivation) = axioms::implies(given, wanted) {
        let (by, scope, method) = (derivation.premises(), Scope::Alone, Method::Axioms);
        return Ok((Some(Implied { by, minimal: true, scope, method, derivation: Some(derivation) }), true));
    }
    match reasoner.implies(others, wanted, progress).await? {
        Implication::Counterexample(_) => Ok((None, true)),
        Implication::Undecided => Ok((None, false)),
        Implication::Implied => {
            let (by, minimal) = reasoner.premises(others, wanted, progress).await?;
            let by = by.into_iter().map(|place| place_of[place]).collect();
            Ok((Some(Implied { by, minimal, scope, method: Method::Exact, derivation: None }), true))
        }
    }
}
