//! The cells that constraints cut a table into: which values, of those that the constraints name, a row can show at once.
//!
//! Only cells that tell constraints apart are listed: each is a union of targets that can hold together, all other columns
//! showing something that no constraint names. Where a row more costs nothing (the number of rows is open), a row that
//! shows two targets without a column in common is as good as two rows, so that only *connected* unions count.
//! Complexity: O(cells · targets), with a cap on the cells.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::bind::{Binder, Shows};
use super::{Constraint, Target};
use crate::classes::{Classes, Keys};
use crate::failure::Failure;
use crate::policy::suppressible;
use crate::sorting::{Sorting, filled};
use crate::table::Role;

/// More cells are not listed.
pub const MOST_CELLS: usize = 4_000;
/// More kinds of rows are not told apart.
const MOST_GROUPS: usize = 1_000;

/// What is known of a table beside the constraints.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Rows of a class at least; up to 1 says nothing.
    pub k: u64,
    /// Whether each column is a quasi-identifier. Others may differ within a class.
    pub quasi: Vec<bool>,
    /// Rows at least and at most.
    pub rows: Option<(u64, u64)>,
    /// The rows of the table that is released, by what they can show.
    pub groups: Option<Rc<[Group]>>,
}

/// Rows that can show the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub rows: u64,
    /// The columns that constraints name.
    pub columns: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub column: usize,
    /// Named values that can be shown.
    pub values: Vec<String>,
    /// Whether something can be shown that no constraint names.
    pub other: bool,
}

/// Rows that show the same named values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// What of the quasi-identifiers' named values its class shows.
    pub class: Vec<u16>,
    /// The constraints whose values it shows.
    pub holds: Vec<usize>,
    /// The named values, by their numbers.
    pub shown: Vec<u16>,
}

/// The named values of some targets, numbered by column and text.
pub struct Named<'a> {
    pub values: Vec<&'a Target>,
    /// Each target as ascending numbers.
    targets: Vec<Vec<u16>>,
    /// The part of each target in the quasi-identifiers.
    quasi: Vec<Vec<u16>>,
    /// What cells are put together from.
    pieces: Vec<Vec<u16>>,
    connected: bool,
}

impl<'a> Named<'a> {
    /// `None` if there are more values than can be numbered.
    pub fn new(constraints: &[&'a Constraint], world: &World) -> Option<Named<'a>> {
        let all = constraints.iter().flat_map(|constraint| &constraint.target);
        let values: Vec<&Target> = filled::<_, BTreeSet<_>>(all).into_iter().collect();
        u16::try_from(values.len()).ok()?;
        let number = |target: &Target| values.partition_point(|&other| other < target) as u16;
        let numbers = |constraint: &&Constraint| constraint.target.iter().map(number).collect();
        let targets: Vec<Vec<u16>> = constraints.iter().map(numbers).collect();
        let is_quasi = |number: &u16| {
            let column = values[usize::from(*number)].column;
            world.quasi.get(column).copied().unwrap_or(true)
        };
        let part = |target: &Vec<u16>, of_class: bool| -> Vec<u16> {
            target.iter().copied().filter(|number| is_quasi(number) == of_class).collect()
        };
        let quasi: Vec<Vec<u16>> = targets.iter().map(|target| part(target, true)).collect();
        // Classes show all of their quasi-identifiers, whatever is beside: with columns of both kinds they are apart.
        let apart = world.k > 1 && quasi != targets;
        let mut pieces: Vec<Vec<u16>> = if apart {
            quasi.iter().cloned().chain(targets.iter().map(|target| part(target, false))).collect()
        } else {
            targets.clone()
        };
        pieces.retain(|piece| !piece.is_empty());
        pieces.order();
        pieces.dedup();
        let connected = !apart && world.rows.is_none() && world.groups.is_none();
        Some(Named { values, targets, quasi, pieces, connected })
    }

    fn column(&self, number: u16) -> usize {
        self.values[usize::from(number)].column
    }

    /// The cells that any row can be in; `None` if there are too many.
    pub fn cells(&self) -> Option<Vec<Cell>> {
        let shown = self.unions(vec![Vec::new()], |_| true)?;
        // Rows that show nothing named matter only where rows are counted.
        Some(self.told_apart(shown.into_iter().filter(|shown| !self.connected || !shown.is_empty())))
    }

    /// The cells that the rows of a group can be in.
    pub fn cells_of(&self, group: &Group) -> Option<Vec<Cell>> {
        let can_show = |number: u16| {
            let Target { column, value } = self.values[usize::from(number)];
            let choice = group.columns.iter().find(|choice| choice.column == *column);
            choice.is_none_or(|choice| choice.values.contains(value))
        };
        // Columns that can show nothing but named values show one of them in every cell.
        let mut starts: Vec<Vec<u16>> = vec![Vec::new()];
        for choice in &group.columns {
            let number = |value: &String| {
                let found =
                    self.values.iter().position(|target| target.column == choice.column && target.value == *value);
                found.map(|place| place as u16)
            };
            let numbers: Option<Vec<u16>> = choice.values.iter().map(number).collect();
            let Some(numbers) = numbers.filter(|_| !choice.other) else { continue };
            let with = |start: &Vec<u16>| {
                let start = start.clone();
                numbers.iter().map(move |&number| union(&start, &[number])).collect::<Vec<_>>()
            };
            starts = starts.iter().flat_map(with).collect();
            if starts.len() > MOST_CELLS {
                return None;
            }
        }
        Some(self.told_apart(self.unions(starts, can_show)?.into_iter()))
    }

    /// All consistent unions of pieces with one of the starts.
    fn unions(&self, starts: Vec<Vec<u16>>, can_show: impl Fn(u16) -> bool) -> Option<BTreeSet<Vec<u16>>> {
        let pieces: Vec<&Vec<u16>> =
            self.pieces.iter().filter(|piece| piece.iter().all(|&number| can_show(number))).collect();
        let mut found: BTreeSet<Vec<u16>> = filled(starts.iter().cloned());
        let mut open = starts;
        while let Some(shown) = open.pop() {
            for piece in &pieces {
                let column_taken =
                    |number: &&u16| shown.iter().any(|&other| self.column(other) == self.column(**number));
                let new: Vec<u16> = piece.iter().copied().filter(|number| !shown.contains(number)).collect();
                let clashes = new.iter().any(|number| column_taken(&number));
                let apart = self.connected && !shown.is_empty() && !piece.iter().any(|number| column_taken(&number));
                if new.is_empty() || clashes || apart {
                    continue;
                }
                let union = union(&shown, &new);
                if found.insert(union.clone()) {
                    if found.len() > MOST_CELLS {
                        return None;
                    }
                    open.push(union);
                }
            }
        }
        Some(found)
    }

    /// One cell for all that are the same to the constraints and to the classes.
    fn told_apart(&self, shown: impl Iterator<Item = Vec<u16>>) -> Vec<Cell> {
        let mut cells: BTreeMap<(Vec<u16>, Vec<usize>), Vec<u16>> = BTreeMap::new();
        for shown in shown {
            let is_shown = |part: &Vec<u16>| part.iter().all(|number| shown.contains(number));
            let holds = (0..self.targets.len()).filter(|&place| is_shown(&self.targets[place])).collect();
            let class =
                self.quasi.iter().filter(|part| is_shown(part)).fold(Vec::new(), |class, part| union(&class, part));
            cells.entry((class, holds)).or_insert(shown);
        }
        cells.into_iter().map(|((class, holds), shown)| Cell { class, holds, shown }).collect()
    }
}

/// Both, in ascending order.
fn union(one: &[u16], other: &[u16]) -> Vec<u16> {
    let mut both = [one, other].concat();
    both.order();
    both.dedup();
    both
}

/// Some of the places in parts that nothing links, in ascending order. O(|places|²).
pub fn components(which: &[usize], linked: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let (mut rest, mut parts) = (which.to_vec(), Vec::new());
    while let Some(&first) = rest.first() {
        rest.remove(0);
        parts.push(taken(first, &mut rest, linked));
    }
    parts
}

/// Takes out of the rest what is linked to the first, directly or by others.
fn taken(first: usize, rest: &mut Vec<usize>, linked: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let (mut part, mut at) = (vec![first], 0);
    while at < part.len() {
        let before = part[at];
        let (with, without): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&other| linked(before, other));
        part.extend(with);
        *rest = without;
        at += 1;
    }
    part.order();
    part
}

impl World {
    /// Constraints (by their places) in parts that are independent of each other, as long as rows are not counted: no cell
    /// of one part ([`Named::cells`]) shows the target of another.
    pub fn components(&self, constraints: &[Constraint], which: &[usize]) -> Vec<Vec<usize>> {
        components(which, &|one, other| self.links(&constraints[one].target, &constraints[other].target))
    }

    /// The part that a constraint is in, together with others.
    pub fn component(&self, constraints: &[Constraint], place: usize, others: &[usize]) -> Vec<usize> {
        let linked = |one: usize, other: usize| self.links(&constraints[one].target, &constraints[other].target);
        taken(place, &mut others.to_vec(), &linked)
    }

    /// Whether they have a value in common that a row can show for both.
    pub fn links(&self, one: &[Target], other: &[Target]) -> bool {
        let clash =
            |target: &Target| other.iter().any(|with| with.column == target.column && with.value != target.value);
        // Where a class may show a part of a target only, what it shows may be put together from targets that clash.
        let apart = |target: &Target| self.k > 1 && !self.quasi.get(target.column).copied().unwrap_or(true);
        one.iter().any(|target| other.contains(target))
            && (!one.iter().any(clash) || one.iter().chain(other).any(apart))
    }

    /// Releases of the binder's table in classes of at least k rows; `None` if its rows are of too many kinds. The
    /// constraints are all that will be asked about.
    pub fn of_table(binder: &Binder<'_>, constraints: &[Constraint], k: u64) -> Result<Option<World>, Failure> {
        let Some(groups) = binder.groups(constraints)? else { return Ok(None) };
        let rows = binder.table.rows as u64;
        let suppressed = suppressible(binder.setup.suppression_limit.unwrap_or(0.0), binder.table.rows);
        let quasi = binder.setup.columns.iter().map(|column| column.role == Role::Quasi).collect();
        Ok(Some(World { k, quasi, rows: Some((rows.saturating_sub(suppressed), rows)), groups: Some(groups.into()) }))
    }
}

impl Binder<'_> {
    /// The rows of the table by what they can show of the values that constraints name; `None` if there are too many
    /// kinds of them. O(rows · named columns).
    pub fn groups(&self, constraints: &[Constraint]) -> Result<Option<Vec<Group>>, Failure> {
        let mut named: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for Target { column, value } in constraints.iter().flat_map(|constraint| &constraint.target) {
            named.entry(*column).or_default().insert(value);
        }
        // For every column: the different choices, and which of them each row has.
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        let mut codes: Vec<Vec<u32>> = Vec::new();
        for (column, values) in named {
            let showing = self.showing(column)?;
            let shows: Vec<(&str, Vec<Shows>)> = values.iter().map(|&value| (value, showing.of(value))).collect();
            let other = showing.others(&values);
            let mut different: BTreeMap<(Vec<bool>, bool), u32> = BTreeMap::new();
            let mut of_column = Vec::new();
            let choice_of_code: Vec<u32> = (0..showing.column.dictionary.len())
                .map(|code| {
                    let can: Vec<bool> = shows.iter().map(|(_, shows)| shows[code] > Shows::Never).collect();
                    *different.entry((can, other[code])).or_insert_with_key(|(can, other)| {
                        let values =
                            shows.iter().zip(can).filter(|(_, can)| **can).map(|((value, _), _)| value.to_string());
                        of_column.push(Choice { column, values: values.collect(), other: *other });
                        of_column.len() as u32 - 1
                    })
                })
                .collect();
            codes.push(showing.column.codes.iter().map(|&code| choice_of_code[code as usize]).collect());
            choices.push(of_column);
        }
        let keys: Vec<Keys<'_>> =
            codes.iter().zip(&choices).map(|(codes, choices)| Keys { codes, size: choices.len() as u32 }).collect();
        let classes = Classes::group(self.table.rows, &keys);
        if classes.sizes.len() > MOST_GROUPS {
            return Ok(None);
        }
        let mut groups: Vec<Option<Group>> = vec![None; classes.sizes.len()];
        for (row, &class) in classes.of_row.iter().enumerate() {
            let rows = u64::from(classes.sizes[class as usize]);
            let choice = |(codes, choices): (&Vec<u32>, &Vec<Choice>)| choices[codes[row] as usize].clone();
            groups[class as usize]
                .get_or_insert_with(|| Group { rows, columns: codes.iter().zip(&choices).map(choice).collect() });
        }
        Ok(Some(groups.into_iter().flatten().collect()))
    }
}
