//! The sequential sweep on a hospital of a million rows and on its first 10,000 and 100,000: time is linear in the rows.

use throng::algorithms::local::Outcome;
use throng::algorithms::sweep::{Refinement, Settings, Swept, sweep};
use throng::metrics::{Asked, utility};
use throng::policy::Setup;
use throng::progress::{Progress, block_on};
use throng::release::Released;
use throng::resolved_policy::ResolvedPolicy;

use super::local::{first_rows, problem};
use super::{Bytes, Figure, Quiet, Suite, group_by};

/// Harder than the most frequent diagnosis is, so that some are generalized.
const ASKED: Asked = Asked { attribute: 0, tau: 0.05, l: 30, weights: None };

pub fn sweep_growth(suite: &mut Suite, file: &Bytes) {
    let Some(ingested) = super::read(file) else { return };
    let setup = Setup::guessed(&ingested.table);
    let Ok(ResolvedPolicy { quasi, sensitive, .. }) = ResolvedPolicy::new(&setup, &ingested.table) else { return };
    let places: Vec<usize> = quasi.iter().map(|quasi| quasi.column).collect();
    let unit = group_by(suite, &ingested.table, &places);
    suite.time("sweep", "hash group-by of all rows (the unit)", unit, unit);
    for rows in [10_000, 100_000, ingested.table.rows] {
        let table = first_rows(&ingested.table, rows);
        let problem = problem(&table, &quasi, &sensitive, &[]);
        let ways =
            [("", Refinement::None), (", quickly refined", Refinement::Quick), (", refined", Refinement::Thorough)];
        for (name, refine) in ways {
            let settings = Settings { refine, ..Settings::default() };
            let once = || block_on(sweep(&problem, &ASKED, &settings, &Progress::new(&Quiet)));
            let mut last = None;
            let time = suite.least(1, || last = once().ok());
            suite.time("sweep", &format!("(0.05, 30){name}, {rows} rows"), time, unit);
            if let Some(Swept { outcome: Outcome::Release(release), .. }) = last {
                let released = Released { table: &table, quasi: &quasi, sensitive: &sensitive, release: &release };
                let um = utility::of(&released, &release.sizes());
                let what = format!("(0.05, 30){name}, {rows} rows: um");
                suite.figures.push(Figure { bench: "sweep", what, value: um * 1000.0, of: "thousandths", units: um });
            }
        }
    }
}
