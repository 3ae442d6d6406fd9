//! What an audit of a million rows takes, against one plain hash group-by of the same codes.

use throng::audit::Audit;
use throng::grouped::Grouped;
use throng::policy::{Demand, Distance, ModelDemand, Setup};
use throng::progress::{Progress, block_on};
use throng::table::Role;

use super::{Bytes, Quiet, Suite, group_by, read};

/// Eight quasi-identifiers and two sensitive columns of the hospital, by their names.
const QUASI: [&str; 8] =
    ["birth_date", "age", "sex", "postcode", "ethnicity", "marital_status", "admission_date", "ward"];
/// The same, but such that rows form classes: an audit of a table that somebody anonymized.
const COARSE: [&str; 4] = ["age", "sex", "ethnicity", "marital_status"];
const SENSITIVE: [&str; 2] = ["diagnosis", "cost"];

pub fn audit(suite: &mut Suite, file: &Bytes) {
    let Some(ingested) = read(file) else { return };
    let table = ingested.table;
    for (what, quasi) in [("8 QIs, 2 SAs", &QUASI[..]), ("4 QIs, 2 SAs", &COARSE[..])] {
        let mut setup = Setup::guessed(&table);
        for (column, data) in setup.columns.iter_mut().zip(&table.columns) {
            column.role = match data.name.as_str() {
                name if quasi.contains(&name) => Role::Quasi,
                name if SENSITIVE.contains(&name) => Role::Sensitive,
                _ => Role::Insensitive,
            };
        }
        setup.privacy = demands();
        let places: Vec<usize> = setup.quasi_identifiers().collect();
        let group_by = group_by(suite, &table, &places);
        let audit = suite.least(3, || {
            let grouped = Grouped::new(&table, &setup);
            block_on(Audit::of(&table, &setup, &grouped, &Progress::new(&Quiet))).is_ok()
        });
        suite.time("audit", &format!("{what}: plain hash group-by (the unit)"), group_by, group_by);
        suite.time("audit", &format!("{what}: all models (aim: at most 6 units)"), audit, group_by);
    }
}

/// One demand of every model, beside what an audit tells anyway.
fn demands() -> Vec<Demand> {
    let on = |model| Demand { model, attribute: Some("diagnosis".into()), jointly: false };
    let none = Vec::new;
    vec![
        Demand::of_rows(5),
        on(ModelDemand::DistinctL { l: 3 }),
        on(ModelDemand::EntropyL { l: 2.5, dont_care: none() }),
        on(ModelDemand::RecursiveCL { c: 3.0, l: 3, dont_care: none(), no_negative: none(), c2: None }),
        on(ModelDemand::TauL { tau: 0.5, l: 3, weights: Default::default() }),
        on(ModelDemand::TCloseness { t: 0.3, distance: Distance::Equal }),
        on(ModelDemand::PSensitive { p: 2 }),
        on(ModelDemand::AlphaK { alpha: 0.5, values: none() }),
    ]
}
