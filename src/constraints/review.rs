//! The reasoning behind a [`ConstraintsView`]: contradictions, what follows from what, and minimal covers.
//!
//! It is done in three scopes, each with more that is known: the constraints alone, in classes of the policy's k rows, and
//! for releases of this table. A contradiction is told in the first scope that has it, by a minimal set of lines; what is
//! in one takes no part in the rest. Parts that have no column in common are looked at apart, and for this table then
//! together, if that is not too large. Complexity: O(|part|²) integer programs for every part, small ones.

use super::axioms;
use super::bind::Binder;
use super::cells::{World, components};
use super::exact::{Decision, Implication, Reasoner};
use super::program::Budget;
use super::view::{ConstraintsView, Contradiction, Implied, Method, Scope, Verdict};
use super::{Constraint, cover};
use crate::failure::Failure;
use crate::hierarchy::ROOT;
use crate::policy::{ModelDemand, suppressible};
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
        let budget = Budget::default();
        let worlds = [World::default(), World { k: self.k, quasi, ..World::default() }];
        let mut rest: Vec<usize> = (0..constraints.len()).collect();
        for (at, (scope, world)) in [Scope::Alone, Scope::Classes].into_iter().zip(&worlds).enumerate() {
            for part in components(constraints, &rest) {
                let reasoner = Reasoner::new(constraints, world, &budget);
                let verdict = self.settle(&reasoner, scope, part, &mut rest, place_of, progress).await?;
                self.verdicts[at] = self.verdicts[at].and(verdict);
            }
        }
        // Parts that have no column in common compete for rows, too: first each part, then all, if that is not too large.
        let mut parts = components(constraints, &rest);
        let suppressed = suppressible(binder.setup.suppression_limit.unwrap_or(0.0), binder.table.rows);
        let compete = self.k > 1 || suppressed > 0;
        parts.extend((parts.len() > 1 && compete).then(|| rest.clone()));
        for mut part in parts {
            part.retain(|place| rest.contains(place));
            let of_part: Vec<Constraint> = part.iter().map(|&place| constraints[place].clone()).collect();
            let verdict = match World::of_table(binder, &of_part, self.k)? {
                None => Verdict::Undecided,
                Some(world) => {
                    let reasoner = Reasoner::new(constraints, &world, &budget);
                    self.settle(&reasoner, Scope::Table, part, &mut rest, place_of, progress).await?
                }
            };
            self.verdicts[2] = self.verdicts[2].and(verdict);
        }
        // What is impossible with less known stays so.
        self.verdicts[1] = self.verdicts[0].and(self.verdicts[1]);
        self.verdicts[2] = self.verdicts[1].and(self.verdicts[2]);
        self.proved = self.verdicts[2] == Verdict::Possible && sharp(binder, constraints);
        for part in components(constraints, &rest) {
            self.reduce(constraints, &part, ([&worlds[0], &worlds[1]], &budget), place_of, progress).await?;
        }
        self.cover_by_axioms.order();
        self.cover.order();
        Ok(())
    }

    /// Takes contradictions out of a part of the constraints until it has none; says how it was before.
    async fn settle(
        &mut self,
        reasoner: &Reasoner<'_>,
        scope: Scope,
        mut part: Vec<usize>,
        rest: &mut Vec<usize>,
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<Verdict, Failure> {
        let mut verdict = Verdict::Possible;
        loop {
            match reasoner.satisfiable(&part, progress).await? {
                Decision::Yes(_) => return Ok(verdict),
                Decision::Undecided => return Ok(verdict.and(Verdict::Undecided)),
                Decision::No(_) => {
                    verdict = Verdict::Impossible;
                    let lines = reasoner.contradiction(&part, progress).await?;
                    part.retain(|place| !lines.contains(place));
                    rest.retain(|place| !lines.contains(place));
                    let told = contradiction(reasoner, scope, &lines, place_of, progress).await?;
                    for &line in &told.lines {
                        if let Some(view) = &mut self.lines[line].constraint {
                            view.contradiction = Some(self.contradictions.len());
                        }
                    }
                    self.contradictions.push(told);
                }
            }
        }
    }

    /// Says of a part that has no contradiction which of it follows from the others.
    async fn reduce(
        &mut self,
        constraints: &[Constraint],
        part: &[usize],
        (worlds, budget): ([&World; 2], &Budget),
        place_of: &[usize],
        progress: &Progress<'_>,
    ) -> Result<(), Failure> {
        for &place in part {
            let implied = implied(constraints, place, part, (worlds, budget), place_of, progress).await?;
            if let Some(view) = &mut self.lines[place_of[place]].constraint {
                let bounds = axioms::Range { least: view.certain, most: Some(view.possible) };
                let always = bounds.is_within(constraints[place].range());
                let anyway = Implied { by: Vec::new(), scope: Scope::Table, method: Method::Exact, derivation: None };
                view.implied = implied.or(always.then_some(anyway));
            }
        }
        let kept: Vec<Constraint> = part.iter().map(|&place| constraints[place].clone()).collect();
        let line = |place: usize| place_of[part[place]];
        self.cover_by_axioms.extend(cover::by_axioms(&kept).into_iter().map(line));
        let reasoner = Reasoner::new(&kept, worlds[0], budget);
        self.cover.extend(cover::exact(&reasoner, progress).await?.into_iter().map(line));
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

/// Whether a release is sure to be there when nothing speaks against one: only k is asked, every quasi-identifier may become
/// its root, and no constraint names a root, so that each cell can be a class of its own.
fn sharp(binder: &Binder<'_>, constraints: &[Constraint]) -> bool {
    let only_k = binder.setup.privacy.iter().all(|demand| matches!(demand.model, ModelDemand::KAnonymity { .. }));
    let free = |place: usize| {
        let Ok(showing) = binder.showing(place) else { return false };
        let Some(recoded) = &showing.recoded else { return false };
        let named = constraints.iter().flat_map(|constraint| &constraint.target);
        let mut named = named.filter(|target| target.column == place);
        recoded.limit_of_code.iter().all(|&limit| limit == ROOT)
            && !named.any(|target| target.value == recoded.tree.label(ROOT))
    };
    only_k && binder.setup.quasi_identifiers().all(free)
}

async fn contradiction(
    reasoner: &Reasoner<'_>,
    scope: Scope,
    lines: &[usize],
    place_of: &[usize],
    progress: &Progress<'_>,
) -> Result<Contradiction, Failure> {
    let subset: Vec<Constraint> = lines.iter().map(|&place| reasoner.constraints[place].clone()).collect();
    let line = |at: usize| place_of[lines[at]];
    let by_axioms = axioms::contradiction(&subset).filter(|_| scope == Scope::Alone);
    let sum = match reasoner.satisfiable(lines, progress).await? {
        Decision::No(sum) => sum,
        _ => None,
    };
    let terms = |terms: Vec<(usize, u64)>| terms.into_iter().map(|(place, times)| (place_of[place], times)).collect();
    let (least, most) = sum.map(|sum| (sum.least, sum.most)).unwrap_or_default();
    Ok(Contradiction {
        lines: (0..lines.len()).map(line).collect(),
        scope,
        method: if by_axioms.is_some() { Method::Axioms } else { Method::Exact },
        derivation: by_axioms.map(|(at, derivation)| (line(at), derivation.renumbered(line))),
        least: terms(least),
        most: terms(most),
    })
}

/// How a constraint follows from the others, in the first world in which it does.
async fn implied(
    constraints: &[Constraint],
    place: usize,
    of: &[usize],
    (worlds, budget): ([&World; 2], &Budget),
    place_of: &[usize],
    progress: &Progress<'_>,
) -> Result<Option<Implied>, Failure> {
    let wanted = &constraints[place];
    let others: Vec<usize> = of.iter().copied().filter(|&other| other != place).collect();
    let given = others.iter().map(|&other| (other, &constraints[other]));
    if let Some(derivation) = axioms::implies(given, wanted) {
        let derivation = derivation.renumbered(|place| place_of[place]);
        return Ok(Some(Implied {
            by: derivation.premises(),
            scope: Scope::Alone,
            method: Method::Axioms,
            derivation: Some(derivation),
        }));
    }
    for (world, scope) in worlds.into_iter().zip([Scope::Alone, Scope::Classes]) {
        let reasoner = Reasoner::new(constraints, world, budget);
        if (scope == Scope::Alone || world.k > 1)
            && reasoner.implies(&others, wanted, progress).await? == Implication::Implied
        {
            let by = reasoner.premises(&others, wanted, progress).await?;
            let by = by.into_iter().map(|place| place_of[place]).collect();
            return Ok(Some(Implied { by, scope, method: Method::Exact, derivation: None }));
        }
    }
    Ok(None)
}
