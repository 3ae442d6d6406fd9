//! Applying a plan to a data owner's table ((ℓ,δ)-diversity, Algorithm 1, step 5).
//!
//! The release has the plan's class of each row, what that class shows of each quasi-identifier, and the sensitive column;
//! all other columns are dropped, since the plan says nothing of them. Classes come from the plan alone, never from this
//! table. Guarantee: before it is given, every cell is read back and held against the original value that it must cover.
//! Rows come out by class and, within one, by what they show; neither the table's order nor a seed is in it.
//! Complexity: O(rows · (columns + log rows)).

mod placed;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cells::Cell;
use super::order::OrderedColumn;
use super::plan::{CLASS_COLUMN, Plan};
use super::releases::{column, report};
use crate::failure::Failure;
use crate::findings::{self, Finding};
use crate::policy::Missing;
use crate::progress::Progress;
use crate::release::{Shown, Texts, sort_by_what_is_shown};
use crate::sorting::Sorting;
use crate::table::{Column, DictionaryBuilder, Table, TooManyValues};
use crate::words::counted;
use placed::{Placed, Truth, class_of_row, unseen_values};

/// What is done with values that the plan has never seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unseen {
    /// Nothing is released.
    #[default]
    Refuse,
    /// They are put where they belong in the order, if the class there covers them; else their rows are left out.
    Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApplySettings {
    pub unseen: Unseen,
    /// Release even when there are fewer rows than the plan asks for.
    pub early: bool,
    /// Release even though the file had to be repaired.
    pub accept_repairs: bool,
}

/// A table that a plan was applied to.
#[derive(Debug)]
pub struct Applied {
    pub output: Table,
    pub view: AppliedView,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppliedView {
    /// Rows of the table, and those that are released.
    pub rows: u64,
    pub released: u64,
    /// N, and how many rows are missing to it.
    pub needed: u64,
    pub missing: u64,
    /// Classes of the plan, and those that have rows.
    pub plan_classes: u64,
    pub classes: u64,
    pub asked_l: u32,
    pub delta: f64,
    /// The least number of different values in a class that has rows, and how many classes have fewer than ℓ.
    pub l: u32,
    pub below: u64,
    pub unseen: Vec<UnseenValues>,
    /// What has to be known of missing cells.
    pub findings: Vec<Finding>,
    /// Columns that the release lacks.
    pub dropped: Vec<String>,
    /// The first classes that have rows.
    pub shown: Vec<AppliedClass>,
}

/// A class of the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedClass {
    /// Its number in the plan, from 1.
    pub class: u64,
    pub rows: u64,
    /// Different values.
    pub l: u32,
}

/// Values of a column that the plan has never seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnseenValues {
    pub column: String,
    pub values: u64,
    pub rows: u64,
    /// Rows that had to be left out because no class at their place covers them.
    pub left_out: u64,
}

const SHOWN: usize = 1000;

/// Applies a plan. When rows are missing to N and it is too early, the failure says how many.
pub async fn apply(
    plan: &Plan,
    table: &Table,
    settings: &ApplySettings,
    progress: &Progress<'_>,
) -> Result<Applied, Failure> {
    let table = &*plan.read(table);
    let secret = columns_of(plan, table)?;
    let placed: Vec<Placed<'_>> = plan.columns.iter().filter_map(|ordered| placed(plan, table, ordered)).collect();
    let mut unseen = unseen_values(&placed);
    if settings.unseen == Unseen::Refuse && !unseen.is_empty() {
        let of = |unseen: &UnseenValues| {
            let (values, rows) = (counted(unseen.values, "value"), counted(unseen.rows, "row"));
            format!("{values} of column “{}” ({rows})", unseen.column)
        };
        let list = unseen.iter().map(of).collect::<Vec<_>>().join(", ");
        let what = format!("The plan has never seen {list}.");
        return Err(Failure::data(what, "Have them placed by the plan's order, or leave their rows out of the table."));
    }
    let cells = plan.cells();
    let shown: Vec<Vec<Option<Cell>>> = (0..placed.len())
        .map(|place| cells.iter().map(|cells| placed[place].reader.read(&cells[place])).collect())
        .collect();
    let mut truth = Truth::new(&placed, &shown);
    let mut classes: Vec<Option<u32>> = Vec::with_capacity(table.rows);
    let mut ranks = vec![0; placed.len()];
    for row in 0..table.rows {
        if row.is_multiple_of(4096) {
            progress.checkpoint(|| report("Applying the plan", Some(row as f64 / table.rows as f64))).await?;
        }
        classes.push(class_of_row(plan, &placed, &mut truth, &mut unseen, row, &mut ranks)?);
    }
    let released = classes.iter().flatten().count() as u64;
    let missing = plan.rows.saturating_sub(released);
    if missing > 0 && !settings.early {
        let what = format!(
            "The plan asks for {}, and there are {}: {} missing.",
            counted(plan.rows, "row"),
            counted(released, "row"),
            counted(missing, "row")
        );
        return Err(Failure::impossible(
            what,
            "Wait until there are as many, or release early, without the plan's promise.",
        ));
    }
    let order = output_order(&classes, plan.classes(), secret);
    let full =
        |_: TooManyValues| Failure::data("The released texts take more than 4 GB.", "Release fewer rows at once.");
    let output = output(plan, secret, &classes, &order, &cells).map_err(full)?;
    let view = view(plan, table, secret, &classes, unseen);
    Ok(Applied { output, view })
}

/// The number of the class of each row by the plan, as a column of its own; empty where it has none.
pub fn with_class_column(plan: &Plan, table: &Table) -> Table {
    let mut table = table.clone();
    let numbers: Vec<String> = classes_by_order(plan, &table);
    let mut builder = DictionaryBuilder::default();
    let codes: Result<Vec<u32>, TooManyValues> =
        numbers.iter().map(|number| Ok(builder.code(number.as_bytes())?.code)).collect();
    if let Ok(codes) = codes {
        table.columns.retain(|column| column.name != CLASS_COLUMN);
        table.columns.push(Column::new(CLASS_COLUMN.to_owned(), builder.finish(), codes, &[]));
    }
    table
}

/// The number of the class of a person all of whose values are given, by column.
pub fn class_of_person(plan: &Plan, cells: &[(String, String)]) -> Option<String> {
    let column = |name: &str| {
        let (_, text) = cells.iter().find(|(other, _)| other == name)?;
        let mut builder = DictionaryBuilder::default();
        let code = builder.code(text.as_bytes()).ok()?.code;
        Some(Column::new(name.to_owned(), builder.finish(), vec![code], &plan.missing_tokens(name)))
    };
    let columns: Option<Vec<Column>> = plan.columns.iter().map(|ordered| column(&ordered.name)).collect();
    classes_by_order(plan, &Table { columns: columns?, rows: 1 }).pop().filter(|number| !number.is_empty())
}

/// One of the plan's columns in a table.
fn placed<'t>(plan: &Plan, table: &'t Table, ordered: &OrderedColumn) -> Option<Placed<'t>> {
    Some(Placed::new(ordered, column(table, &ordered.name)?, &plan.missing_tokens(&ordered.name)))
}

/// Nothing for rows that the plan's order has no place for, or where the table lacks a column.
fn classes_by_order(plan: &Plan, table: &Table) -> Vec<String> {
    let table = &*plan.read(table);
    let placed: Option<Vec<Placed<'_>>> = plan.columns.iter().map(|ordered| placed(plan, table, ordered)).collect();
    let number = |row: usize| {
        let ranks: Option<Vec<u32>> = placed.as_ref()?.iter().map(|placed| placed.rank(row)).collect();
        Some((plan.class_of(&ranks?) + 1).to_string())
    };
    (0..table.rows).map(|row| number(row).unwrap_or_default()).collect()
}

/// The sensitive column; all columns of the plan must be there.
fn columns_of<'t>(plan: &Plan, table: &'t Table) -> Result<&'t Column, Failure> {
    let wanted = plan.columns.iter().map(|column| &column.name).chain([&plan.sensitive]);
    let missing: Vec<String> =
        wanted.filter(|name| column(table, name).is_none()).map(|name| format!("“{name}”")).collect();
    match column(table, &plan.sensitive) {
        Some(secret) if missing.is_empty() => Ok(secret),
        _ => {
            let what = format!("The plan is for other tables: this one lacks {}.", missing.join(", "));
            Err(Failure::data(what, "Load a table with the plan's columns, or rename them."))
        }
    }
}

/// The input's rows by class and, within one, by the sensitive value, which is all that tells them apart.
fn output_order(class_of_row: &[Option<u32>], classes: usize, secret: &Column) -> Vec<u32> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes];
    for (row, class) in class_of_row.iter().enumerate() {
        if let Some(class) = class {
            members[*class as usize].push(row as u32);
        }
    }
    let sizes: Vec<u32> = members.iter().map(|class| class.len() as u32).collect();
    let mut rows = members.concat();
    let shown = Shown { cells: &secret.codes, texts: Texts::Values(&secret.dictionary) };
    sort_by_what_is_shown(&mut rows, &sizes, &[shown]);
    rows
}

fn output(
    plan: &Plan,
    secret: &Column,
    class_of_row: &[Option<u32>],
    order: &[u32],
    cells: &[Vec<String>],
) -> Result<Table, TooManyValues> {
    let class = |row: &u32| class_of_row[*row as usize].unwrap_or(0) as usize;
    let by_class = |name: &str, text: &dyn Fn(usize) -> String| {
        let mut builder = DictionaryBuilder::default();
        let mut code_of_class = vec![u32::MAX; cells.len()];
        let mut codes = Vec::with_capacity(order.len());
        for class in order.iter().map(class) {
            if code_of_class[class] == u32::MAX {
                code_of_class[class] = builder.code(text(class).as_bytes())?.code;
            }
            codes.push(code_of_class[class]);
        }
        Ok(Column::new(name.to_owned(), builder.finish(), codes, &[]))
    };
    let mut columns = vec![by_class(CLASS_COLUMN, &|class| (class + 1).to_string())?];
    for (place, column) in plan.columns.iter().enumerate() {
        columns.push(by_class(&column.name, &|class| cells[class][place].clone())?);
    }
    let mut builder = DictionaryBuilder::default();
    let mut codes = Vec::with_capacity(order.len());
    for &row in order {
        codes.push(builder.code(secret.text(row as usize).as_bytes())?.code);
    }
    columns.push(Column::new(secret.name.clone(), builder.finish(), codes, &[]));
    Ok(Table { columns, rows: order.len() })
}

/// The codes of the sensitive column that are no value: unknown cells, and `*`, which is any value.
fn open_codes(plan: &Plan, secret: &Column) -> Vec<bool> {
    let is_open = |(code, text): (u32, &str)| match secret.missing.contains(&code) {
        true => plan.missing == Missing::Unknown,
        false => text == "*",
    };
    (0..).zip(secret.dictionary.iter()).map(is_open).collect()
}

/// What has to be known of missing cells in the plan's columns.
fn findings_of(plan: &Plan, table: &Table) -> Vec<Finding> {
    let quasi = plan.columns.iter().filter_map(|ordered| column(table, &ordered.name));
    let secret = column(table, &plan.sensitive);
    let as_value = secret.filter(|_| plan.missing == Missing::Value);
    let tokens = quasi.chain(secret).filter_map(findings::of_tokens);
    tokens.chain(as_value.and_then(findings::of_missing_values)).collect()
}

fn view(
    plan: &Plan,
    table: &Table,
    secret: &Column,
    class_of_row: &[Option<u32>],
    unseen: Vec<UnseenValues>,
) -> AppliedView {
    let codes = secret.class_codes();
    let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (class, &code) in class_of_row.iter().zip(codes.iter()) {
        if let Some(class) = class {
            *rows.entry(*class).or_default() += 1;
            pairs.push((*class, code));
        }
    }
    pairs.order();
    pairs.dedup();
    // A class has as many values as it shows; one that shows none has one, whatever the truth is (docs/models.md).
    let is_open = open_codes(plan, secret);
    let known = |same: &[(u32, u32)]| same.iter().filter(|&&(_, code)| !is_open[code as usize]).count() as u32;
    let values: Vec<u32> = pairs.chunk_by(|one, other| one.0 == other.0).map(|same| known(same).max(1)).collect();
    let released = rows.values().sum::<u64>();
    let kept = |name: &String| plan.columns.iter().any(|column| column.name == *name) || *name == plan.sensitive;
    AppliedView {
        rows: table.rows as u64,
        released,
        needed: plan.rows,
        missing: plan.rows.saturating_sub(released),
        plan_classes: plan.classes() as u64,
        classes: rows.len() as u64,
        asked_l: plan.l,
        delta: plan.delta,
        l: values.iter().copied().min().unwrap_or(0),
        below: values.iter().filter(|&&values| values < plan.l).count() as u64,
        unseen,
        findings: findings_of(plan, table),
        dropped: table.columns.iter().map(|column| column.name.clone()).filter(|name| !kept(name)).collect(),
        shown: rows
            .iter()
            .zip(&values)
            .take(SHOWN)
            .map(|((&class, &rows), &l)| AppliedClass { class: u64::from(class) + 1, rows, l })
            .collect(),
    }
}
