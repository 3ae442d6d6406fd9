//! The paper's three classes of constraints (§5.1, after Stoyanovich et al.), made from a table.
//!
//! U = |R| − |Π_QI(R)| estimates the rows that are published unsuppressed, d is the number of values of the target
//! column(s), freq(a) the rows with value a.
//! - *minimum*: every value 1..1; what is left, w = U − d, is added to the upper bound of one value at random that has so
//!   many rows. If U < d, U values at random get 1..1 and the others 0..0.
//! - *average*: min(⌊U/d⌋, freq) .. min(⌈U/d⌉, freq); what is left, w = U − Σλr, is added as before. (The paper adds Σλr
//!   itself, by a slip.) If U < d, as in *minimum*.
//! - *proportion*: ⌊U·freq/|R|⌋ .. ⌈U·freq/|R|⌉. If U < d, as in *minimum*.
//!
//! Beyond the paper, which assumes λl ≥ k without seeing to it: for k > 1 a value that has no k rows gets no constraint,
//! and bounds between 0 and k become k; an upper bound below the rows that can't but show the value becomes as many.
//! Guarantee: deterministic by the seed, whatever order the rows are in; nothing speaks against the constraints together in classes of k rows of the table,
//! unless that is too large to decide. Complexity: O(rows · columns), and a small integer program a constraint.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::bind::{Binder, Shows};
use super::cells::World;
use super::exact::{Decision, Reasoner};
use super::program::{Budget, reasoning};
use super::{Constraint, Target};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::hierarchy::NodeId;
use crate::policy::Quasi;
use crate::policy::suppressible;
use crate::progress::Progress;
use crate::random::Random;
use crate::sorting::Sorting;
use crate::table::Role;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    Minimum,
    Average,
    Proportion,
}

impl Class {
    pub const ALL: [Class; 3] = [Class::Minimum, Class::Average, Class::Proportion];

    pub fn name(self) -> &'static str {
        match self {
            Class::Minimum => "minimum",
            Class::Average => "average",
            Class::Proportion => "proportion",
        }
    }
}

/// What to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    pub class: Class,
    /// Quasi-identifiers whose values (of several, whose tuples) get a constraint each; none is every quasi-identifier by itself.
    pub on: Vec<Vec<u32>>,
    /// As many of them, chosen at random; all if there are not more.
    pub count: Option<u32>,
    pub seed: u64,
    /// 1 is the paper's own.
    pub k: u64,
}

/// More values are no groups that anyone speaks of.
const MOST_VALUES: usize = 2_000;

/// Makes constraints that can hold together, in the order of the wish's columns and of the values' texts.
pub async fn generate(binder: &Binder<'_>, wish: &Wish, progress: &Progress<'_>) -> Result<Vec<Constraint>, Failure> {
    let quasi: Vec<usize> = binder.setup.quasi_identifiers().collect();
    let on: Vec<Vec<usize>> = match wish.on.is_empty() {
        true => quasi.iter().map(|&place| vec![place]).collect(),
        false => wish.on.iter().map(|set| set.iter().map(|&place| place as usize).collect()).collect(),
    };
    let rows = binder.table.rows as u64;
    let published = rows - distinct(binder, &quasi) as u64;
    let suppressed = suppressible(binder.setup.suppression_limit.unwrap_or(0.0), binder.table.rows);
    let mut random = Random::new(wish.seed);
    let mut made = Vec::new();
    for columns in &on {
        let values = values(binder, columns)?;
        let frequencies: Vec<u64> = values.iter().map(|(_, rows)| *rows).collect();
        let ranges = ranges(wish.class, &frequencies, published, rows, &mut random);
        for ((target, frequency), (least, most)) in values.into_iter().zip(ranges) {
            let raised = |bound: u64| if bound == 0 { 0 } else { bound.max(wish.k).min(frequency) };
            if frequency >= wish.k {
                let mut constraint = Constraint { target, least: raised(least), most: None };
                // Limits, and values that look like a root, leave some rows no choice.
                let certain = binder.rows_that(&constraint, Shows::Must).saturating_sub(suppressed);
                constraint.most = Some(raised(most.max(certain)));
                made.push(constraint);
            }
        }
    }
    let mut chosen = choose(binder, &made, wish, &mut random, progress).await?;
    chosen.order();
    Ok(chosen.into_iter().map(|place| made[place].clone()).collect())
}

/// As many as wished, at random. One that contradicts those before it is left out: values of `a` and tuples of `a` and `b`
/// are counted apart, but are not independent.
async fn choose(
    binder: &Binder<'_>,
    made: &[Constraint],
    wish: &Wish,
    random: &mut Random,
    progress: &Progress<'_>,
) -> Result<Vec<usize>, Failure> {
    let quasi = binder.setup.columns.iter().map(|column| column.role == Role::Quasi).collect();
    let world = World { k: wish.k, quasi, ..World::default() };
    let budget = Budget::default();
    let reasoner = Reasoner::new(made, &world, &budget);
    let count = wish.count.map_or(made.len(), |count| count as usize);
    let mut chosen: Vec<usize> = Vec::new();
    for place in shuffled(made.len(), random) {
        if chosen.len() == count {
            break;
        }
        progress.checkpoint(reasoning).await?;
        // By itself each can hold. To find what it must hold with costs, too.
        let asked = budget.spend(chosen.len() as u64);
        let part = if asked { world.component(made, place, &chosen) } else { Vec::new() };
        let asked = part.len() > 1 && budget.spend((part.len() * chosen.len()) as u64);
        if !asked || !matches!(reasoner.satisfiable(&part, progress).await?, Decision::No(_)) {
            chosen.push(place);
        }
    }
    // What the table's rows can't show together, the last go.
    let together: Vec<Constraint> = chosen.iter().map(|&place| made[place].clone()).collect();
    if let Some(world) = World::of_table(binder, &together, wish.k)? {
        let budget = Budget::default();
        let reasoner = Reasoner::new(made, &world, &budget);
        while let Decision::No(sum) = reasoner.satisfiable(&chosen, progress).await? {
            let among = sum.map_or_else(|| chosen.clone(), |sum| sum.places());
            let Some(last) = chosen.iter().rposition(|place| among.contains(place)) else { break };
            chosen.remove(last);
        }
    }
    Ok(chosen)
}

/// λl and λr of every value.
fn ranges(class: Class, frequencies: &[u64], published: u64, rows: u64, random: &mut Random) -> Vec<(u64, u64)> {
    // A table without rows has no values.
    let values = (frequencies.len() as u64).max(1);
    if class == Class::Minimum || published < values {
        if published < values {
            let mut ranges = vec![(0, 0); frequencies.len()];
            shuffled(frequencies.len(), random).into_iter().take(published as usize).for_each(|at| ranges[at] = (1, 1));
            return ranges;
        }
        return with_rest(vec![(1, 1); frequencies.len()], frequencies, published, random);
    }
    match class {
        Class::Average => {
            let (down, up) = (published / values, published.div_ceil(values));
            let ranges = frequencies.iter().map(|&frequency| (down.min(frequency), up.min(frequency))).collect();
            with_rest(ranges, frequencies, published, random)
        }
        _ => {
            // Rows are below 2^32: their products fit.
            let range = |&frequency: &u64| ((published * frequency) / rows, (published * frequency).div_ceil(rows));
            frequencies.iter().map(range).collect()
        }
    }
}

/// Adds what the upper bounds leave of the published rows to one of them, if one value has so many rows.
fn with_rest(mut ranges: Vec<(u64, u64)>, frequencies: &[u64], published: u64, random: &mut Random) -> Vec<(u64, u64)> {
    let rest = published.saturating_sub(ranges.iter().map(|(_, most)| most).sum());
    let fits = |&at: &usize| frequencies[at] >= ranges[at].1 + rest;
    let fitting: Vec<usize> = (0..ranges.len()).filter(fits).collect();
    if let Some(&at) = fitting.get(random.below(fitting.len() as u32) as usize)
        && rest > 0
    {
        ranges[at].1 += rest;
    }
    ranges
}

fn shuffled(length: usize, random: &mut Random) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    for last in (1..length).rev() {
        places.swap(last, random.below(last as u32 + 1) as usize);
    }
    places
}

/// |Π(R)| on some columns.
fn distinct(binder: &Binder<'_>, columns: &[usize]) -> usize {
    let codes: Vec<_> = columns.iter().map(|&place| binder.table.columns[place].class_codes()).collect();
    let size = |place: &usize| binder.table.columns[*place].dictionary.len() as u32;
    let keys: Vec<Keys<'_>> =
        columns.iter().zip(&codes).map(|(place, codes)| Keys { codes, size: size(place) }).collect();
    Classes::group(binder.table.rows, &keys).sizes.len()
}

/// The different values of some columns as the least general release shows them, and their rows; by their texts, for the draws must not depend
/// on which row is first.
fn values(binder: &Binder<'_>, columns: &[usize]) -> Result<Vec<(Vec<Target>, u64)>, Failure> {
    let mut columns = columns.to_vec();
    columns.order();
    columns.dedup();
    let refused = |what: String| Failure::refused(what, "Choose other columns.");
    if columns.is_empty() {
        return Err(refused("No column is named to make constraints on.".into()));
    }
    let mut shown: Vec<(usize, Vec<String>, Vec<u32>)> = Vec::new();
    for place in columns {
        let showing = binder.showing(place)?;
        let quasi = showing.recoded.as_ref().filter(|_| binder.setup.columns[place].role == Role::Quasi);
        let Some(Quasi { tree, leaf_of_code, .. }) = quasi else {
            // What is released as it is has the counts that it has.
            return Err(refused(format!("Column “{}” is no quasi-identifier.", showing.column.name)));
        };
        let texts = (0..tree.len() as NodeId).map(|node| tree.label(node).to_owned()).collect();
        let codes = showing.column.codes.iter().map(|&code| leaf_of_code[code as usize]).collect();
        shown.push((place, texts, codes));
    }
    let keys: Vec<Keys<'_>> = shown.iter().map(|(_, texts, codes)| Keys { codes, size: texts.len() as u32 }).collect();
    let classes = Classes::group(binder.table.rows, &keys);
    if classes.sizes.len() > MOST_VALUES {
        return Err(refused(format!("The columns have more than {MOST_VALUES} different values.")));
    }
    let mut values: Vec<(Vec<Target>, u64)> = Vec::new();
    // Classes are numbered in order of appearance.
    for (row, &class) in classes.of_row.iter().enumerate() {
        if class as usize == values.len() {
            let target = |(column, texts, codes): &(usize, Vec<String>, Vec<u32>)| Target {
                column: *column,
                value: texts[codes[row] as usize].clone(),
            };
            values.push((shown.iter().map(target).collect(), classes.sizes[class as usize].into()));
        }
    }
    values.order_by(|(one, _), (other, _)| {
        let texts = one.iter().zip(other).map(|(one, other)| one.value.cmp(&other.value));
        texts.fold(Ordering::Equal, Ordering::then)
    });
    Ok(values)
}
