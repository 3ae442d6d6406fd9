//! The sequential sweep by the number of rows: Adult (45,222) and census_kdd (299,285 rows, occupation sensitive and
//! half of it one value, six quasi-identifiers that are kept or become `*`).

use throng::algorithms::local::{Measure, Mode, Outcome, Problem};
use throng::algorithms::sweep::{Settings, sweep};
use throng::metrics::{Asked, utility};
use throng::policy::{Quasi, Sensitive};
use throng::progress::{Progress, block_on};
use throng::release::{Release, Released};
use throng::table::Table;

use super::census_file::QUASI;
use super::clock::least_seconds;
use super::data::{Quiet, adult, arx, arx_quasi, census, chosen, flat, flat_quasi, group_by, place, quasi};
use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};
use super::tau_l::{ADULT, RUNS, SWEEPS};

const FIFTHS: usize = 5;
const TIMES: usize = 3;

struct Growth {
    name: &'static str,
    asked: Asked,
    /// For each number of rows, seconds and um of each run.
    points: Vec<(usize, [(f64, f64); SWEEPS.len()])>,
    unit: f64,
}

fn run(table: &Table, quasi: &[Quasi], sensitive: &[Sensitive], asked: &Asked, run: usize) -> Result<Release, String> {
    let problem = Problem {
        table,
        quasi,
        sensitive,
        requirements: &[],
        suppressible: 0,
        seed: 1,
        measure: Measure::Loss,
        mode: Mode::Generalization,
    };
    let settings = Settings { refine: SWEEPS[run], ..Settings::default() };
    match block_on(sweep(&problem, asked, &settings, &Progress::new(&Quiet))) {
        Ok(swept) => match swept.outcome {
            Outcome::Release(release) => Ok(release),
            other => Err(format!("{other:?}")),
        },
        Err(failure) => Err(failure.to_string()),
    }
}

fn grow(
    name: &'static str,
    table: &Table,
    quasi: &[Quasi],
    attribute: Quasi,
    tau: f64,
    l: u32,
) -> Result<Growth, String> {
    let asked = Asked { attribute: 0, tau, l, weights: None };
    let sensitive = [Sensitive::without_limits(attribute.column, attribute.tree, attribute.leaf_of_code)];
    // All before the first is measured: what an allocation costs depends on what lies around it. Every fifth row, so
    // that the parts are alike.
    let part = |fifths: usize| {
        let rows: Vec<u32> = (0..table.rows as u32).filter(|row| (*row as usize) % FIFTHS < fifths).collect();
        chosen(table, &rows)
    };
    let tables: Vec<Table> = (1..=FIFTHS).map(part).collect();
    let measure = |table: &Table| {
        let mut values = [(0.0, 0.0); SWEEPS.len()];
        for (place, value) in values.iter_mut().enumerate() {
            let release = run(table, quasi, &sensitive, &asked, place)?;
            let released = Released { table, quasi, sensitive: &sensitive, release: &release };
            let um = utility::of(&released, &release.sizes());
            *value = (least_seconds(TIMES, || run(table, quasi, &sensitive, &asked, place).is_ok()), um);
        }
        Ok((table.rows, values))
    };
    let points = tables.iter().map(measure).collect::<Result<_, String>>()?;
    Ok(Growth { name, asked, points, unit: group_by(table, quasi) })
}

pub fn growth() -> Result<(), String> {
    let (people, all) = (adult()?, census()?);
    let occupation = |table: &Table, name: &str| quasi(table, name, flat(&table.columns[place(table, name)?]));
    let arx_occupation = quasi(&people, "occupation", arx(&people.columns[place(&people, "occupation")?])?)?;
    let growths = [
        grow("Adult, occupation", &people, &arx_quasi(&people, &ADULT)?, arx_occupation, 0.2, 8)?,
        grow(
            "census_kdd, occupation",
            &all,
            &flat_quasi(&all, &QUASI)?,
            occupation(&all, "major_occupation_code")?,
            0.4,
            5,
        )?,
    ];
    let mut rows = Vec::new();
    let mut panels = Vec::new();
    let mut claims = Vec::new();
    for growth in &growths {
        let Growth { name, asked, points, unit } = growth;
        for (count, values) in points {
            let first = [(*name).to_owned(), format!("({}, {})", asked.tau, asked.l), count.to_string()];
            let times = values.iter().map(|(seconds, _)| format!("{:.2}", seconds / unit));
            let ums = values.iter().map(|(_, um)| format!("{um:.4}"));
            rows.push(first.into_iter().chain(times).chain(ums).collect());
        }
        let series = |(run, name): (usize, &&str)| Series {
            name: (*name).to_owned(),
            values: points.iter().map(|(_, values)| Some(values[run].0 / unit)).collect(),
        };
        panels.push(Panel {
            title: format!("{name}, ({}, {})", asked.tau, asked.l),
            across: "rows",
            up: "time, in hash group-bys of all rows",
            kind: Kind::Lines,
            places: points.iter().map(|(count, _)| format!("{}k", (count + 500) / 1000)).collect(),
            series: RUNS[..SWEEPS.len()].iter().enumerate().map(series).collect(),
        });
        let (first, last) = (points[0].1[0].0, points[FIFTHS - 1].1[0].0);
        claims.push(Claim {
            says: if claims.is_empty() {
                "time is linear in the rows (Theorem 3), Adult"
            } else {
                "the same, census_kdd"
            },
            shows: Shows::when(last < 1.5 * FIFTHS as f64 * first),
            because: format!(
                "five times the rows take {:.2} times as long; all {} take {:.2} s",
                last / first,
                points[FIFTHS - 1].0,
                last
            ),
        });
    }
    let units: Vec<String> =
        growths.iter().map(|growth| format!("{:.1} ms for {}", growth.unit * 1000.0, growth.name)).collect();
    Sheet {
        name: "tau-l-growth",
        title: "(τ,ℓ)-diversity: the sequential sweep by the number of rows".into(),
        header: ["table", "(τ, ℓ)", "rows"]
            .map(str::to_owned)
            .into_iter()
            .chain(
                ["time", "um"]
                    .iter()
                    .flat_map(|what| RUNS[..SWEEPS.len()].iter().map(move |run| format!("{what}, {run}"))),
            )
            .collect(),
        rows,
        columns: 2,
        panels,
        claims,
        notes: vec![format!("One group-by took {}. Times are the least of {TIMES}.", units.join(", "))],
    }
    .finish()
}
