//! What a table says of P(Q,S), over the order of its quasi-identifiers.

use crate::classes::joint::{Joint, UNKNOWN};
use crate::failure::Failure;
use crate::linkage::order::Tuples;
use crate::policy::Setup;
use crate::privacy::Cells;
use crate::resolved_policy::ResolvedPolicy;
use crate::sorting::Sorting;
use crate::table::{Role, Table};

/// A table's quasi-identifiers in order, and the distribution that it gives.
pub struct Estimate {
    pub tuples: Tuples,
    pub joint: Joint,
    /// Place of the sensitive column.
    pub sensitive: usize,
    /// The code of each of its values, which are numbered by their texts: drawn tables must not depend on which value the
    /// file has first.
    pub code_of_value: Vec<u32>,
    /// What its cells stand for, if some are groups or unknown, and the code that stands for all that are.
    pub cells: Option<Cells>,
    pub open: Option<u32>,
}

impl Estimate {
    /// Values of quasi-identifiers that fewer than `least` rows have are told together. Sensitive cells that are unknown or
    /// groups are no values.
    pub fn of(
        table: &Table,
        setup: &Setup,
        order: &[String],
        sensitive: Option<&str>,
        smoothing: f64,
        least: u32,
    ) -> Result<Estimate, Failure> {
        if !(0.0..=1e12).contains(&smoothing) {
            return Err(Failure::policy("The smoothing must be a number of rows.", "Give 0 or more."));
        }
        let secret = |&place: &usize| setup.columns[place].role == Role::Sensitive;
        let secrets: Vec<usize> = (0..setup.columns.len()).filter(secret).collect();
        let named = |place: &usize| sensitive.is_none_or(|name| table.columns[*place].name == name);
        let sensitive = match secrets.iter().copied().filter(named).collect::<Vec<usize>>()[..] {
            [one] => one,
            [] => {
                return Err(Failure::policy(
                    "A plan needs a sensitive column.",
                    "Give one column the role “sensitive”.",
                ));
            }
            _ => {
                let what = "The policy has several sensitive columns, and a plan is for one.";
                return Err(Failure::policy(what, "Name the one that it is for."));
            }
        };
        let tuples = Tuples::new(table, setup, ResolvedPolicy::new(setup, table)?, order, least)?;
        let column = &table.columns[sensitive];
        let codes = column.class_codes();
        let mut code_of_value: Vec<u32> = (0..column.dictionary.len() as u32).collect();
        code_of_value.order_by(|&one, &other| column.dictionary.text(one).cmp(column.dictionary.text(other)));
        let mut value_of_code = vec![0; code_of_value.len()];
        (0..).zip(&code_of_value).for_each(|(value, &code)| value_of_code[code as usize] = value);
        let cells = setup.cells(table, sensitive);
        let is_open = |code: u32| cells.as_ref().is_some_and(|cells| cells.of(code).is_open);
        let values = codes.iter().map(|&code| if is_open(code) { UNKNOWN } else { value_of_code[code as usize] });
        let pairs = tuples.of_row.iter().copied().zip(values);
        let joint = Joint::count(pairs, tuples.ranks.len(), column.dictionary.len(), smoothing);
        let of_missing = column.missing.first().copied().filter(|&code| is_open(code));
        let open = of_missing.or_else(|| code_of_value.iter().copied().find(|&code| is_open(code)));
        Ok(Estimate { tuples, joint, sensitive, code_of_value, cells, open })
    }
}
