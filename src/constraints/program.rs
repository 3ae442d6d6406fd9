//! Small integer programs, decided exactly: whole numbers within bounds whose sums are within bounds.
//!
//! Some numbers or sums may have a gap: they are 0 or at least k. The relaxation without gaps and fractions is decided by
//! the simplex method on bounded variables (Dutertre and de Moura, 2006), in whole numbers with one denominator a row; what
//! breaks a gap or is no whole number is branched on. What is farthest from its bounds is seen to first, which takes a
//! tenth of the pivots of Bland's rule; that one takes over where it would go on too long, as it always ends.
//! Guarantee: no floating point; a solution is checked against the program before it is given, "none" is proved, and what
//! grows beyond 64 bits or the budget is *undecided*. Complexity: rows · variables a pivot; the number of pivots and of
//! branches is bounded by the budget.

use std::cell::Cell;
use std::cmp::Reverse;

use crate::failure::Failure;
use crate::progress::{Progress, Report};

/// A whole number from `least` to `most`, 0 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub least: u64,
    pub most: Option<u64>,
}

impl Bounds {
    pub const ANY: Bounds = Bounds { least: 0, most: None };

    fn contains(self, value: u64) -> bool {
        self.least <= value && self.most.is_none_or(|most| value <= most)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub variables: Vec<Bounds>,
    /// Sums of different variables.
    pub sums: Vec<(Vec<usize>, Bounds)>,
    /// Variables, and sums (numbered behind the variables), that are 0 or at least as much.
    pub gaps: Vec<(usize, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// The value of every variable.
    Solution(Vec<u64>),
    /// There is none. Where no branch was needed: bounds that contradict each other, as (variable or sum, times, whether
    /// it is its lower bound); lower bounds that often add up to more than the upper ones.
    None(Option<Vec<(usize, u64, bool)>>),
    /// Numbers became too large, or the budget was used up.
    Undecided,
}

/// How many entries of tableaus may be computed, for all programs that share it.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
    /// What one program may have of it.
    share: u64,
}

impl Default for Budget {
    /// About half a second of work, of which one program may have a part.
    fn default() -> Self {
        Budget { left: Cell::new(1_000_000_000), share: 300_000_000 }
    }
}

impl Budget {
    pub fn of(entries: u64) -> Self {
        Budget { left: Cell::new(entries), share: entries }
    }

    /// Whether there was enough.
    pub fn spend(&self, work: u64) -> bool {
        let left = self.left.get().checked_sub(work);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Branches of one program that may be looked at.
const MOST_NODES: u32 = 20_000;
/// Pivots for each row of a tableau before Bland's rule.
const HASTY: usize = 4;
/// Entries between two looks at the clock.
const STRIDE: u64 = 1 << 20;

impl Program {
    /// One hard program leaves the others of the budget their share.
    pub async fn solve(&self, budget: &Budget, progress: &Progress<'_>) -> Result<Solved, Failure> {
        let share = budget.share.min(budget.left.get());
        let own = Budget::of(share);
        let solved = self.solve_within(&own, progress).await;
        budget.spend(share - own.left.get());
        solved
    }

    async fn solve_within(&self, budget: &Budget, progress: &Progress<'_>) -> Result<Solved, Failure> {
        let mut simplex = Simplex::new(self);
        // Bounds that a branch adds, as (variable or sum, least, most).
        let mut open: Vec<Vec<(usize, Limits)>> = vec![Vec::new()];
        let mut nodes = 0;
        while let Some(branch) = open.pop() {
            nodes += 1;
            if nodes > MOST_NODES {
                return Ok(Solved::Undecided);
            }
            simplex.restart(self, &branch);
            match simplex.settle(budget, progress).await? {
                Settled::Undecided => return Ok(Solved::Undecided),
                Settled::Conflict(conflict) if branch.is_empty() => return Ok(Solved::None(Some(conflict))),
                Settled::Conflict(_) => {}
                Settled::Feasible => match simplex.offence(self) {
                    None => return Ok(self.checked(simplex.solution(self.variables.len()))),
                    Some((variable, below, above)) => {
                        let limits = simplex.limits[variable];
                        let with = |limits: Limits| {
                            let mut branch = branch.clone();
                            branch.push((variable, limits));
                            branch
                        };
                        open.push(with(Limits { most: Some(below), ..limits }));
                        open.push(with(Limits { least: above, ..limits }));
                    }
                },
            }
        }
        Ok(Solved::None(None))
    }

    /// The solution, if it is one.
    fn checked(&self, solution: Option<Vec<u64>>) -> Solved {
        let Some(solution) = solution else { return Solved::Undecided };
        let sum = |(variables, _): &(Vec<usize>, Bounds)| variables.iter().map(|&variable| solution[variable]).sum();
        let sums: Vec<u64> = self.sums.iter().map(sum).collect();
        let within = solution.iter().zip(&self.variables).all(|(&value, bounds)| bounds.contains(value))
            && sums.iter().zip(&self.sums).all(|(&value, (_, bounds))| bounds.contains(value));
        let value = |place: usize| solution.iter().chain(&sums).nth(place).copied().unwrap_or(0);
        let gaps = self.gaps.iter().all(|&(place, k)| value(place) == 0 || value(place) >= k);
        if within && gaps { Solved::Solution(solution) } else { Solved::Undecided }
    }
}

#[derive(Clone, Copy)]
struct Limits {
    least: i128,
    most: Option<i128>,
}

impl From<Bounds> for Limits {
    fn from(bounds: Bounds) -> Limits {
        Limits { least: bounds.least.into(), most: bounds.most.map(i128::from) }
    }
}

enum Settled {
    Feasible,
    Conflict(Vec<(usize, u64, bool)>),
    Undecided,
}

/// The rows say `denominator · basic = Σ entry · nonbasic`. Variables are followed by the program's sums.
struct Simplex {
    rows: Vec<Vec<i64>>,
    denominators: Vec<i64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    limits: Vec<Limits>,
    /// Of nonbasic variables; always at one of their bounds, so whole.
    values: Vec<i128>,
    /// The value of each row's basic variable, times its denominator, since [`Simplex::violated`] looked last.
    numerators: Vec<i128>,
    /// Entries computed since the budget was asked, and since the last look at the clock.
    work: u64,
    unseen: u64,
}

impl Simplex {
    fn new(program: &Program) -> Simplex {
        let variables = program.variables.len();
        let row = |(members, _): &(Vec<usize>, Bounds)| {
            let mut row = vec![0; variables];
            members.iter().for_each(|&member| row[member] = 1);
            row
        };
        Simplex {
            rows: program.sums.iter().map(row).collect(),
            denominators: vec![1; program.sums.len()],
            basic: (variables..variables + program.sums.len()).collect(),
            nonbasic: (0..variables).collect(),
            limits: Vec::new(),
            values: vec![0; variables + program.sums.len()],
            numerators: vec![0; program.sums.len()],
            work: 0,
            unseen: 0,
        }
    }

    /// Takes the program's bounds with those of a branch.
    fn restart(&mut self, program: &Program, branch: &[(usize, Limits)]) {
        let bounds = program.variables.iter().chain(program.sums.iter().map(|(_, bounds)| bounds));
        self.limits = bounds.map(|&bounds| bounds.into()).collect();
        for &(variable, limits) in branch {
            self.limits[variable] = limits;
        }
        for &variable in &self.nonbasic {
            let Limits { least, most } = self.limits[variable];
            let value = &mut self.values[variable];
            *value = (*value).max(least);
            *value = most.map_or(*value, |most| (*value).min(most));
        }
    }

    /// Moves to values within all bounds, or to a row that proves that there are none.
    async fn settle(&mut self, budget: &Budget, progress: &Progress<'_>) -> Result<Settled, Failure> {
        // A variable whose own bounds contradict each other is in no row's conflict.
        let crossed = |limits: &Limits| limits.most.is_some_and(|most| most < limits.least);
        if let Some(variable) = self.limits.iter().position(crossed) {
            return Ok(Settled::Conflict(vec![(variable, 1, true), (variable, 1, false)]));
        }
        let mut hasty = HASTY * self.rows.len();
        loop {
            self.unseen += self.work;
            if !budget.spend(std::mem::take(&mut self.work)) {
                return Ok(Settled::Undecided);
            }
            if self.unseen >= STRIDE {
                self.unseen = 0;
                progress.checkpoint(reasoning).await?;
            }
            let Some((row, rising)) = self.violated(hasty > 0) else { return Ok(Settled::Feasible) };
            let Some(column) = self.entering(row, rising) else {
                return Ok(Settled::Conflict(self.conflict(row, rising)));
            };
            hasty = hasty.saturating_sub(1);
            let leaving = self.basic[row];
            let Limits { least, most } = self.limits[leaving];
            self.values[leaving] = if rising { least } else { most.unwrap_or(least) };
            if self.pivot(row, column).is_none() {
                return Ok(Settled::Undecided);
            }
        }
    }

    /// The row of the basic variable that is farthest out of its bounds if `hasty`, else of the first; and whether it must
    /// rise.
    fn violated(&mut self, hasty: bool) -> Option<(usize, bool)> {
        let mut found: Option<((i128, Reverse<usize>), usize, bool)> = None;
        // Most nonbasic variables are 0.
        let values = self.nonbasic.iter().map(|&variable| self.values[variable]).enumerate();
        let values: Vec<(usize, i128)> = values.filter(|&(_, value)| value != 0).collect();
        let narrow = |&(column, value): &(usize, i128)| Some((column, i64::try_from(value).ok()?));
        let narrow: Option<Vec<(usize, i64)>> = values.iter().map(narrow).collect();
        for row in 0..self.rows.len() {
            self.work += self.nonbasic.len() as u64;
            let Limits { least, most } = self.limits[self.basic[row]];
            let entries = &self.rows[row];
            let small = narrow.as_ref().and_then(|values| small_sum(entries, values));
            let numerator =
                small.unwrap_or_else(|| values.iter().map(|&(column, value)| product(entries[column], value)).sum());
            self.numerators[row] = numerator;
            let bound = |bound: i128| match self.denominators[row] {
                1 => bound,
                denominator => product(denominator, bound),
            };
            let low = bound(least) - numerator;
            let out = low.max(most.map_or(0, |most| numerator - bound(most)));
            if out <= 0 {
                continue;
            }
            let far = match self.denominators[row] {
                _ if !hasty => 0,
                1 => out,
                denominator => out / i128::from(denominator),
            };
            let urgency = (far, Reverse(self.basic[row]));
            if found.is_none_or(|(most, ..)| urgency > most) {
                found = Some((urgency, row, low > 0));
            }
        }
        found.map(|(_, row, rising)| (row, rising))
    }

    /// The column of the first nonbasic variable that can move the row's.
    fn entering(&self, row: usize, rising: bool) -> Option<usize> {
        let can_move = |&column: &usize| {
            let (entry, variable) = (self.rows[row][column], self.nonbasic[column]);
            let Limits { least, most } = self.limits[variable];
            match (entry > 0) == rising {
                _ if entry == 0 => false,
                true => most.is_none_or(|most| self.values[variable] < most),
                false => self.values[variable] > least,
            }
        };
        (0..self.nonbasic.len()).filter(can_move).min_by_key(|&column| self.nonbasic[column])
    }

    /// The bounds that keep a row's variable out of its own.
    fn conflict(&self, row: usize, rising: bool) -> Vec<(usize, u64, bool)> {
        let own = (self.basic[row], self.denominators[row].unsigned_abs(), rising);
        let others = self.rows[row].iter().zip(&self.nonbasic).filter(|(entry, _)| **entry != 0);
        let other = |(&entry, &variable): (&i64, &usize)| (variable, entry.unsigned_abs(), (entry > 0) != rising);
        std::iter::once(own).chain(others.map(other)).collect()
    }

    /// Exchanges a basic and a nonbasic variable; `None` if a number grows beyond 64 bits.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        // denominator · leaving = pivot · entering + rest becomes pivot · entering = denominator · leaving − rest.
        let pivot = self.rows[row][column];
        if pivot > 0 {
            for entry in &mut self.rows[row] {
                *entry = entry.checked_neg()?;
            }
        }
        let denominator = self.denominators[row];
        self.rows[row][column] = if pivot > 0 { denominator } else { denominator.checked_neg()? };
        self.denominators[row] = pivot.checked_abs()?;
        let (entering, divisor) = (self.rows[row].clone(), i128::from(self.denominators[row]));
        for other in (0..self.rows.len()).filter(|&other| other != row) {
            let times = std::mem::take(&mut self.rows[other][column]);
            if times == 0 {
                continue;
            }
            self.work += entering.len() as u64;
            if divisor == 1 && self.denominators[other] == 1 {
                let entries = self.rows[other].iter_mut().zip(&entering).filter(|(_, with)| **with != 0);
                for (entry, &with) in entries {
                    *entry = i64::try_from(i128::from(*entry) + product(with, times.into())).ok()?;
                }
                continue;
            }
            let combine = |(&entry, &with): (&i64, &i64)| product(entry, divisor) + product(with, times.into());
            let combined: Vec<i128> = self.rows[other].iter().zip(&entering).map(combine).collect();
            let denominator = i128::from(self.denominators[other]) * divisor;
            let mut common = denominator;
            for &entry in combined.iter().filter(|&&entry| entry != 0) {
                if common == 1 {
                    break;
                }
                common = greatest_common_divisor(common, entry);
            }
            for (entry, combined) in self.rows[other].iter_mut().zip(combined) {
                *entry = i64::try_from(combined / common).ok()?;
            }
            self.denominators[other] = i64::try_from(denominator / common).ok()?;
        }
        Some(())
    }

    /// The first gap that is broken or variable that is no whole number, and the numbers below and above to go on with.
    fn offence(&self, program: &Program) -> Option<(usize, i128, i128)> {
        let mut fractions: Vec<(i128, i128)> = self.values.iter().map(|&value| (value, 1)).collect();
        for (row, &variable) in self.basic.iter().enumerate() {
            fractions[variable] = (self.numerators[row], self.denominators[row].into());
        }
        let broken = program.gaps.iter().find(|&&(place, k)| {
            let (numerator, denominator) = fractions[place];
            numerator > 0 && numerator < i128::from(k) * denominator
        });
        if let Some(&(place, k)) = broken {
            return Some((place, 0, k.into()));
        }
        let split = |&variable: &usize| {
            let (numerator, denominator) = fractions[variable];
            denominator != 1 && numerator.rem_euclid(denominator) != 0
        };
        let variable = (0..program.variables.len()).find(split)?;
        let (numerator, denominator) = fractions[variable];
        let below = numerator.div_euclid(denominator);
        Some((variable, below, below + 1))
    }

    fn solution(&self, variables: usize) -> Option<Vec<u64>> {
        let mut values = self.values.clone();
        for (row, &variable) in self.basic.iter().enumerate() {
            values[variable] = self.numerators[row] / i128::from(self.denominators[row]);
        }
        values.into_iter().take(variables).map(|value| u64::try_from(value).ok()).collect()
    }
}

pub fn reasoning() -> Report {
    Report { phase: "Reasoning about the constraints".into(), fraction: None, detail: String::new() }
}

/// What the values add up to, each times its entry, if all of them are small: as most are, and wasm adds wide ones slowly.
fn small_sum(entries: &[i64], values: &[(usize, i64)]) -> Option<i128> {
    // 2²⁰ · 2³² for each of 2¹⁰ at most stays below 2⁶³.
    let mut small = values.len() <= 1 << 10;
    let mut sum = 0i64;
    for &(column, value) in values {
        let entry = entries[column];
        small &= entry.unsigned_abs() < 1 << 20 && value.unsigned_abs() < 1 << 32;
        sum = sum.wrapping_add(entry.wrapping_mul(value));
    }
    small.then_some(sum.into())
}

/// The product of two numbers. Most are small, and wasm multiplies wide ones by a call.
#[inline]
fn product(one: i64, other: i128) -> i128 {
    match (i32::try_from(one), i32::try_from(other)) {
        (Ok(one), Ok(other)) => i128::from(i64::from(one) * i64::from(other)),
        _ => i128::from(one) * other,
    }
}

fn greatest_common_divisor(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.unsigned_abs(), other.unsigned_abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1) as i128
}
