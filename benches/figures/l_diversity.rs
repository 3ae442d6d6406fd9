//! ℓ-diversity, §6: how the lattice is asked, and the time for growing quasi-identifiers (Fig. 13). Nothing is suppressed.

use throng::algorithms::lattice::{Budget, Input, Lattice, Metric, Question, Values};
use throng::policy::Quasi;
use throng::privacy::{EntropyL, KAnonymity, Model, RecursiveCL, Requirement};
use throng::progress::{Progress, block_on};
use throng::table::Table;

use super::clock::least_seconds;
use super::data::{Quiet, adult, arx_quasi, group_by, place};
use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};

pub const MODELS: [&str; 3] = ["k-anonymity", "entropy ℓ-diversity", "recursive (3,ℓ)-diversity"];

fn requirement(model: usize, parameter: u32, occupation: usize) -> Requirement {
    let (attribute, model): (_, Box<dyn Model>) = match model {
        0 => (None, Box::new(KAnonymity { k: parameter })),
        1 => (Some(occupation), Box::new(EntropyL { l: f64::from(parameter), dont_care: Vec::new() })),
        _ => (Some(occupation), Box::new(RecursiveCL { c: 3.0, l: parameter })),
    };
    Requirement { attribute, jointly: false, model }
}

/// Asks a lattice made from the rows for a model and metric.
pub fn ask<T>(
    table: &Table,
    quasi: &[Quasi],
    model: usize,
    parameter: u32,
    metric: Metric,
    look: impl FnOnce(&Lattice, &Question<'_>) -> T,
) -> Result<T, String> {
    let occupation = place(table, "occupation")?;
    let requirements = [requirement(model, parameter, occupation)];
    let question = Question { requirements: &requirements, least_rows: parameter, suppression_limit: 0, metric };
    let codes: Vec<&[u32]> = quasi.iter().map(|quasi| table.columns[quasi.column].codes.as_slice()).collect();
    let leaves = table.columns[occupation].dictionary.len() as u32;
    let sensitive = [Values { column: occupation, codes: &table.columns[occupation].codes, leaves }];
    let input = Input { rows: table.rows, quasi, codes: &codes, sensitive: &sensitive };
    let lattice = block_on(Lattice::new(&input, &question, &Progress::new(&Quiet)));
    Ok(look(&lattice.map_err(|failure| format!("{failure:?}"))?, &question))
}

/// The least value of a metric over all nodes; `None` when no node is feasible.
pub fn least(
    table: &Table,
    quasi: &[Quasi],
    model: usize,
    parameter: u32,
    metric: Metric,
) -> Result<Option<f64>, String> {
    let best = ask(table, quasi, model, parameter, metric, |lattice, question| {
        block_on(lattice.best(question, Budget::default(), &Progress::new(&Quiet)))
    })?;
    let outcome = best.map_err(|failure| format!("{failure:?}"))?;
    assert!(outcome.proved, "the search has no budget");
    Ok(outcome.best.map(|found| found.value))
}

/// Fig. 13: the time to decide all nodes of the lattice of the first 3..8 attributes.
pub fn time() -> Result<(), String> {
    let table = adult()?;
    let names = ["age", "sex", "race", "marital_status", "education", "native_country", "workclass", "salary_class"];
    let all = arx_quasi(&table, &names)?;
    let mut rows = Vec::new();
    let mut times: [Vec<Option<f64>>; 2] = Default::default();
    let mut fewer = true;
    for size in 3..=names.len() {
        let quasi = &all[..size];
        let mut unit = f64::INFINITY;
        let mut least = [f64::INFINITY; 2];
        let mut counts = [None, None];
        // By turns, so that what disturbs them disturbs both.
        for _ in 0..5 {
            unit = unit.min(group_by(&table, quasi));
            for (model, least) in least.iter_mut().enumerate() {
                let seconds = least_seconds(1, || {
                    let minimal = ask(&table, quasi, model, 6, Metric::Height, |lattice, question| {
                        block_on(lattice.minimal(question, Budget::default(), &Progress::new(&Quiet)))
                    });
                    if let Ok(Ok(minimal)) = minimal {
                        counts[model] = Some((minimal.counts, minimal.nodes.len()));
                    }
                });
                *least = least.min(seconds);
            }
        }
        least.iter_mut().for_each(|seconds| *seconds /= unit);
        let [Some((anonymous, minimal)), Some((diverse, minimal_diverse))] = counts else {
            return Err("the lattice gave no answer".into());
        };
        fewer &= diverse.computed < anonymous.computed;
        let figures = [
            size.to_string(),
            anonymous.nodes.to_string(),
            anonymous.feasible.to_string(),
            diverse.feasible.to_string(),
            minimal.to_string(),
            minimal_diverse.to_string(),
            anonymous.computed.to_string(),
            diverse.computed.to_string(),
            format!("{:.2}", least[0]),
            format!("{:.2}", least[1]),
            format!("{:.2}", least[1] / least[0]),
        ];
        rows.push(figures.to_vec());
        times.iter_mut().zip(least).for_each(|(times, least)| times.push(Some(least)));
    }
    let ratio = |place: usize| times[1][place].unwrap_or(0.0) / times[0][place].unwrap_or(1.0);
    let ratios: Vec<f64> = (0..rows.len()).map(ratio).collect();
    let (low, high) =
        (ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max));
    let [anonymity, diversity] = times;
    let header = [
        "QIs",
        "nodes",
        "6-anonymous",
        "6-diverse",
        "minimal k",
        "minimal ℓ",
        "computed k",
        "computed ℓ",
        "time k",
        "time ℓ",
        "ℓ ÷ k",
    ];
    Sheet {
        name: "l-diversity-fig13",
        title: "ℓ-diversity, Fig. 13: all 6-anonymous and all entropy 6-diverse tables of Adult".into(),
        header: header.map(str::to_owned).to_vec(),
        rows,
        columns: 1,
        panels: vec![Panel {
            title: "Adult, 45,222 rows, occupation sensitive".into(),
            across: "size of the quasi-identifier",
            up: "time, in hash group-bys of the same rows",
            kind: Kind::Lines,
            places: (3..=names.len()).map(|size| size.to_string()).collect(),
            series: vec![
                Series { name: "entropy ℓ-diversity (ℓ=6)".into(), values: diversity },
                Series { name: "k-anonymity (k=6)".into(), values: anonymity },
            ],
        }],
        claims: vec![
            Claim {
                says: "“the running times for k-anonymity and ℓ-diversity were similar”",
                shows: match high.max(1.0 / low) {
                    factor if factor < 2.0 => Shows::Yes,
                    factor if factor < 4.0 => Shows::Partly,
                    _ => Shows::No,
                },
                because: format!("entropy takes {low:.2} to {high:.2} times as long"),
            },
            Claim {
                says: "“sometimes the running time for ℓ-diversity was faster”, as it prunes parts of the lattice earlier",
                shows: if low < 1.0 { Shows::Yes } else if fewer { Shows::Partly } else { Shows::No },
                because: format!(
                    "{} of {} times faster; it {} fewer nodes, but each costs a histogram",
                    ratios.iter().filter(|&&ratio| ratio < 1.0).count(),
                    ratios.len(),
                    if fewer { "always computes" } else { "does not always compute" }
                ),
            },
        ],
        notes: vec!["Times are the least of five tries, from the rows to the minimal nodes, processor time.".into()],
    }
    .finish()
}
