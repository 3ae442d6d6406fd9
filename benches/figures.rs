//! The papers' experiments, in kind: each figure writes a table and a picture under `benches/results` and says whether
//! what its paper concludes shows here. `./x figures [NAME]` runs those whose name contains NAME.
//!
//! Tables come from the folder that `THRONG_DATA` names (default `../shared/data`). Times are shown in units measured
//! in the same run, one plain hash group-by of the rows; everything else is the same in every run.

// Beside this file they would be taken for benches of their own.
#[path = "figures/census.rs"]
mod census;
#[path = "suite/census_file.rs"]
mod census_file;
#[path = "figures/clock.rs"]
mod clock;
#[path = "figures/constrained.rs"]
mod constrained;
#[path = "figures/constrained_sheets.rs"]
mod constrained_sheets;
#[path = "figures/data.rs"]
mod data;
#[path = "figures/diva.rs"]
mod diva;
#[path = "suite/diva_case.rs"]
mod diva_case;
#[path = "figures/diva_claims.rs"]
mod diva_claims;
#[path = "figures/diva_inputs.rs"]
mod diva_inputs;
#[path = "figures/diva_sheets.rs"]
mod diva_sheets;
#[path = "figures/l_delta.rs"]
mod l_delta;
#[path = "figures/l_delta_simulation.rs"]
mod l_delta_simulation;
#[path = "figures/l_diversity.rs"]
mod l_diversity;
#[path = "figures/plot.rs"]
mod plot;
#[path = "figures/sheet.rs"]
mod sheet;
#[path = "figures/tau_l.rs"]
mod tau_l;
#[path = "figures/tau_l_growth.rs"]
mod tau_l_growth;
#[path = "figures/tau_l_sheets.rs"]
mod tau_l_sheets;
#[path = "figures/utility.rs"]
mod utility;

use data::Quiet;

type Figure = (&'static str, fn() -> Result<(), String>);

const FIGURES: [Figure; 12] = [
    ("l-diversity-fig13", l_diversity::time),
    ("l-diversity-fig15-18", utility::utility),
    ("l-diversity-fig19-20", utility::divergence),
    ("constrained", constrained::constrained),
    ("tau-l-fig5-8", tau_l::figures),
    ("tau-l-growth", tau_l_growth::growth),
    ("census", census::scale),
    ("diva", diva_sheets::diva),
    ("l-delta-fig1a-2a", l_delta::by_delta),
    ("l-delta-fig1b", l_delta::by_p),
    ("l-delta-fig2b", l_delta::by_l),
    ("l-delta-simulation", l_delta_simulation::simulation),
];

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let chosen: Vec<Figure> = FIGURES.into_iter().filter(|(name, _)| name.contains(&filter)).collect();
    if chosen.is_empty() {
        eprintln!("no figure is called {filter}: {}", FIGURES.map(|(name, _)| name).join(", "));
        std::process::exit(2);
    }
    for (name, figure) in chosen {
        if let Err(reason) = figure() {
            eprintln!("{name}: {reason}");
            std::process::exit(1);
        }
    }
}
