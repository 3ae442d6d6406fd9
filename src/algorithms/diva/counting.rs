//! Proofs by counting that no release meets the constraints: quick, for tables of any size.
//!
//! Each argument holds for every release. A class that shows a target has only rows that can show it, and at least k; so
//! too few such rows, or an upper bound below k, can't be met. What rows must show whatever their class (limits, other
//! columns) counts unless they are suppressed. And rows that show different values in one column are different rows, so
//! lower bounds add up. Where all rows that can show a target must, each is in a class of rows that can show all such
//! targets that it can itself.
//! Complexity: O(items · constraints + constraints²).

use super::ground::{Ground, rows};
use crate::algorithms::local::clusters::Part;
use crate::algorithms::local::space::Item;
use crate::constraints::Constraint;
use crate::privacy::Monotone;
use crate::sorting::Sorting;
use crate::words::{capital, counted, grouped, numbered};

/// Why there is no release, if counting gives a proof.
pub fn prove(ground: &Ground<'_>) -> Option<String> {
    let constraints = ground.constraints;
    let one = (0..constraints.len()).find_map(|constraint| {
        contradiction(ground, constraint)
            .or_else(|| too_few(ground, constraint))
            .or_else(|| below_a_class(ground, constraint))
            .or_else(|| too_many(ground, constraint))
    });
    one.or_else(|| (0..constraints.len()).find_map(|constraint| parts_add_up(ground, constraint)))
        .or_else(|| rows_add_up(ground, constraints))
        .or_else(|| alone(ground))
}

fn name(ground: &Ground<'_>, constraint: usize) -> String {
    names(ground, &[constraint])
}

/// `constraint 2`, `constraints 1 and 3`, `constraints 1, 2 and 4`.
pub fn names(ground: &Ground<'_>, constraints: &[usize]) -> String {
    let numbers: Vec<usize> = constraints.iter().map(|&constraint| ground.numbers[constraint]).collect();
    numbered("constraint", &numbers)
}

/// `constraint 2`, `constraints 1 and 3 together`.
pub fn together(ground: &Ground<'_>, constraints: &[usize]) -> String {
    names(ground, constraints) + if constraints.len() > 1 { " together" } else { "" }
}

/// `constraint 2 can't be met`, `constraints 1 and 3 can't be met together`.
pub fn cannot_be_met(ground: &Ground<'_>, constraints: &[usize]) -> String {
    format!("{} can't be met{}", names(ground, constraints), if constraints.len() > 1 { " together" } else { "" })
}

fn contradiction(ground: &Ground<'_>, constraint: usize) -> Option<String> {
    let bounds = ground.targets.bounds[constraint];
    (bounds.least > bounds.most).then(|| {
        format!(
            "{} asks for at least {} and at most {}.",
            capital(&name(ground, constraint)),
            counted(bounds.least, "row"),
            grouped(bounds.most)
        )
    })
}

/// Of each region, the rows that can be in a class that shows a constraint, where such a class is possible at all.
fn able(ground: &Ground<'_>, constraint: usize) -> impl Iterator<Item = Vec<Part>> {
    let growing = ground.demands.monotone == Monotone::Growing;
    ground.regions.iter().filter_map(move |region| {
        let able = region.rows.iter().filter(|&&(item, _)| ground.can_show(item, constraint));
        let able: Vec<Part> = able.copied().collect();
        // A class that holds would still hold with all of them, if requirements survive more rows.
        let possible = rows(&able) >= u64::from(ground.demands.least_size);
        (possible && (!growing || ground.demands.hold_for(&able))).then_some(able)
    })
}

fn too_few(ground: &Ground<'_>, constraint: usize) -> Option<String> {
    let least = ground.targets.bounds[constraint].least;
    if least == 0 {
        return None;
    }
    let most: u64 = able(ground, constraint).map(|able| ground.targets.rows_among(constraint, &able)).sum();
    let showing = ground
        .regions
        .iter()
        .flat_map(|region| &region.rows)
        .filter(|&&(item, _)| ground.targets.own_cells_show(constraint, item) && ground.can_show(item, constraint));
    let all: u64 = showing.map(|&(_, count)| u64::from(count)).sum();
    (most < least).then(|| {
        let needs = format!("{} asks for at least {}", capital(&name(ground, constraint)), counted(least, "row"));
        match all < least {
            true => format!("{needs}, but only {} can show it.", grouped(all)),
            false => format!(
                "{needs}. {} could show it, but only {} of them in classes that meet the requirements.",
                capital(&counted(all, "row")),
                grouped(most)
            ),
        }
    })
}

fn below_a_class(ground: &Ground<'_>, constraint: usize) -> Option<String> {
    let bounds = ground.targets.bounds[constraint];
    let size = u64::from(ground.demands.least_size);
    (bounds.least > 0 && bounds.most < size && ground.targets.counts_classes(constraint)).then(|| {
        format!(
            "{} allows at most {}, but a class that shows it has at least {}.",
            capital(&name(ground, constraint)),
            counted(bounds.most, "row"),
            grouped(size)
        )
    })
}

fn too_many(ground: &Ground<'_>, constraint: usize) -> Option<String> {
    let most = ground.targets.bounds[constraint].most;
    let shown =
        ground.regions.iter().flat_map(|region| &region.rows).filter(|&&(item, _)| {
            ground.targets.own_cells_show(constraint, item) && ground.must_show(item, constraint)
        });
    let shown: u64 = shown.map(|&(_, count)| u64::from(count)).sum();
    let may_go = ground.problem.suppressible;
    (shown > most.saturating_add(may_go)).then(|| {
        let rest = match may_go {
            0 => "none may be suppressed".to_owned(),
            _ => format!("at most {} may be suppressed", counted(may_go, "row")),
        };
        format!(
            "{} allows at most {}, but {} show it whatever their class, and {rest}.",
            capital(&name(ground, constraint)),
            counted(most, "row"),
            grouped(shown)
        )
    })
}

/// Constraints that ask for more than one does, each for another value of the same column, and so for other rows.
fn parts_add_up(ground: &Ground<'_>, whole: usize) -> Option<String> {
    let constraints = ground.constraints;
    let most = constraints[whole].most?;
    let contains = |one: &Constraint| constraints[whole].target.iter().all(|part| one.target.contains(part));
    let parts: Vec<usize> = (0..constraints.len()).filter(|&one| contains(&constraints[one])).collect();
    best_sums(constraints, &parts).find(|(sum, _)| *sum > most).map(|(sum, chosen)| {
        format!(
            "The rows that {} must have, at least {}, all count for {}, which allows at most {}.",
            names(ground, &chosen),
            grouped(sum),
            name(ground, whole),
            grouped(most)
        )
    })
}

/// Constraints for different values of one column that together ask for more rows than can show any of them.
fn rows_add_up(ground: &Ground<'_>, constraints: &[Constraint]) -> Option<String> {
    let all: Vec<usize> = (0..constraints.len()).collect();
    best_sums(constraints, &all).find_map(|(sum, chosen)| {
        let can_show = |&&(item, _): &&Part| {
            let counts = |&one: &usize| ground.targets.own_cells_show(one, item) && ground.can_show(item, one);
            chosen.iter().any(counts)
        };
        let items = ground.regions.iter().flat_map(|region| &region.rows);
        let able: u64 = items.filter(can_show).map(|&(_, count)| u64::from(count)).sum();
        (sum > able).then(|| {
            format!(
                "{} ask for different rows, at least {} together, but only {} can show any of them.",
                capital(&names(ground, &chosen)),
                grouped(sum),
                grouped(able)
            )
        })
    })
}

/// Constraints that all rows which can show them must show, and a row whose class would have to show several of them: too
/// few rows can.
fn alone(ground: &Ground<'_>) -> Option<String> {
    let items = || ground.regions.iter().flat_map(|region| &region.rows);
    let counts = |item: Item, one: usize| ground.targets.own_cells_show(one, item) && ground.can_show(item, one);
    let needs_all = |&one: &usize| {
        let able: u64 = items().filter(|&&(item, _)| counts(item, one)).map(|&(_, count)| u64::from(count)).sum();
        able == ground.targets.bounds[one].least && !ground.targets.axes_of(one).is_empty()
    };
    let needing: Vec<usize> = (0..ground.targets.len()).filter(needs_all).collect();
    // The constraints that some row's class must show, by region.
    let mut together: Vec<(u32, Vec<usize>)> = Vec::new();
    if needing.len() > 1 {
        let shown = |&(item, _): &Part| {
            let own = needing.iter().copied().filter(|&one| counts(item, one)).collect();
            (ground.region_of_item[item as usize], own)
        };
        together.extend(items().map(shown));
    }
    together.order();
    together.dedup();
    together.into_iter().filter(|(_, chosen)| chosen.len() > 1).find_map(|(region, chosen)| {
        let can_show = |&&(item, _): &&Part| chosen.iter().all(|&one| ground.can_show(item, one));
        let rows: u64 =
            ground.regions[region as usize].rows.iter().filter(can_show).map(|&(_, count)| u64::from(count)).sum();
        let least = u64::from(ground.demands.least_size);
        (rows < least).then(|| {
            format!(
                "{} ask for all rows that can show them, and some can show all of these, but only {} can, and a class \
                 has at least {}.",
                capital(&names(ground, &chosen)),
                grouped(rows),
                grouped(least)
            )
        })
    })
}

/// For every column: of the constraints on each of its values the one that asks for most, and what they ask for together.
fn best_sums(constraints: &[Constraint], among: &[usize]) -> impl Iterator<Item = (u64, Vec<usize>)> {
    let columns = among.iter().flat_map(|&one| &constraints[one].target).map(|part| part.column);
    let mut columns: Vec<usize> = columns.collect();
    columns.order();
    columns.dedup();
    columns.into_iter().map(move |column| {
        let value =
            |one: usize| constraints[one].target.iter().find(|part| part.column == column).map(|part| &part.value);
        let mut chosen: Vec<usize> = Vec::new();
        for &one in among.iter().filter(|&&one| value(one).is_some() && constraints[one].least > 0) {
            match chosen.iter_mut().find(|other| value(**other) == value(one)) {
                Some(other) if constraints[*other].least < constraints[one].least => *other = one,
                Some(_) => {}
                None => chosen.push(one),
            }
        }
        (chosen.iter().map(|&one| constraints[one].least).fold(0, u64::saturating_add), chosen)
    })
}
