//! (ℓ,δ)-diversity, Section 5: the rows that the mechanism needs (Figs. 1 and 2), from the calculator that the page has.

use throng::linkage::calculator::{Curve, MechanismQuestion, MechanismView, PGiven, Shape, assumed, calculate};
use throng::linkage::mechanism::{class_bound, geometric, rows_needed, uniform};

use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};

const SHARES: [f64; 2] = [0.01, 0.02];
const LS: [u32; 2] = [10, 30];
const DELTAS: [f64; 2] = [0.01, 0.001];

fn calculated(shape: Shape) -> Result<MechanismView, String> {
    let question = MechanismQuestion {
        shape,
        sensitive: None,
        values: 50,
        quasi: 3000,
        l: LS[0],
        delta: DELTAS[0],
        p: PGiven::Share(SHARES[0]),
        shares: SHARES.to_vec(),
        ls: LS.to_vec(),
        deltas: DELTAS.to_vec(),
    };
    let failed = |failure: throng::failure::Failure| failure.to_string();
    let (marginal, quasi) = assumed(&question).map_err(failed)?;
    calculate(&question, marginal, quasi).map_err(failed)
}

/// Every so many points of some curves: a header, lines and the series of a panel.
fn thinned(curves: &[Curve], keep: impl Fn(usize) -> bool) -> (Vec<f64>, Vec<Series>) {
    let places = curves.first().map(|curve| curve.points.as_slice()).unwrap_or_default();
    let kept: Vec<usize> = (0..places.len()).filter(|&place| keep(place)).collect();
    let series = curves.iter().map(|curve| Series {
        name: curve.name.clone(),
        values: kept.iter().map(|&place| curve.points.get(place).map(|point| point.1)).collect(),
    });
    (kept.iter().map(|&place| places[place].0).collect(), series.collect())
}

fn lines(figure: &str, places: &[f64], series: &[Series]) -> Vec<Vec<String>> {
    let line = |(place, at): (usize, &f64)| {
        let value = |series: &Series| series.values[place].map_or(String::new(), |value| format!("{value:.2}"));
        [figure.to_owned(), label(at)].into_iter().chain(series.iter().map(value)).collect()
    };
    places.iter().enumerate().map(line).collect()
}

fn header(at: &str, series: &[Series]) -> Vec<String> {
    ["figure", at].into_iter().map(str::to_owned).chain(series.iter().map(|series| series.name.clone())).collect()
}

fn label(place: &f64) -> String {
    format!("{place:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn labels(places: &[f64]) -> Vec<String> {
    places.iter().map(label).collect()
}

fn same(one: &Series, other: &Series) -> bool {
    one.values.iter().zip(&other.values).all(|(one, other)| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-6 * one,
        _ => one == other,
    })
}

fn falls(series: &Series) -> bool {
    series.values.windows(2).all(|pair| pair[0] >= pair[1])
}

/// Figs. 1a and 2a: N by δ.
pub fn by_delta() -> Result<(), String> {
    let mut rows = Vec::new();
    let mut panels = Vec::new();
    let mut all: Vec<Vec<Series>> = Vec::new();
    let shapes = [("1a", "uniform", Shape::Uniform), ("2a", "geometric, ρ = 0.95", Shape::Geometric { ratio: 0.95 })];
    let mut head = Vec::new();
    for (figure, name, shape) in shapes {
        let view = calculated(shape)?;
        let (places, series) = thinned(&view.by_delta, |place| place == 0 || place % 10 == 9);
        rows.extend(lines(figure, &places, &series));
        head = header("δ", &series);
        let (_, kept) = thinned(&view.by_delta, |_| true);
        all.push(kept);
        panels.push(Panel {
            title: format!("Fig. {figure}: {name}"),
            across: "δ",
            up: "rows N",
            kind: Kind::Lines,
            places: labels(&places),
            series,
        });
    }
    let independent = same(&all[0][0], &all[0][1]) && same(&all[0][2], &all[0][3]);
    let falling = all.iter().flatten().all(falls);
    let at = |series: &Series| series.values[0].unwrap_or(0.0);
    Sheet {
        name: "l-delta-fig1a-2a",
        title: "(ℓ,δ)-diversity, Figs. 1a and 2a: rows needed by δ; |Q| = 3,000, |S| = 50, p = β·p_ℓ".into(),
        header: head,
        rows,
        columns: 2,
        panels,
        claims: vec![
            Claim {
                says: "uniform: “do not vary with ℓ”",
                shows: Shows::when(independent),
                because: format!(
                    "{:.2} for ℓ = 10 and {:.2} for ℓ = 30 at β = 0.01, δ = 0.01",
                    at(&all[0][0]),
                    at(&all[0][1])
                ),
            },
            Claim {
                says: "“the number of samples required decreases as δ increases”",
                shows: Shows::when(falling),
                because: "so do all eight curves".into(),
            },
            Claim {
                says: "“smaller values of p … requiring more samples”",
                shows: Shows::when(at(&all[0][0]) > at(&all[0][2]) && at(&all[1][0]) > at(&all[1][2])),
                because: format!("{:.2} for β = 0.01, {:.2} for β = 0.02", at(&all[0][0]), at(&all[0][2])),
            },
        ],
        notes: Vec::new(),
    }
    .finish()
}

/// Fig. 1b: N by p, from 10⁻³ to 1/|S|.
pub fn by_p() -> Result<(), String> {
    let view = calculated(Shape::Uniform)?;
    let (places, series) = thinned(&view.by_p, |place| place % 5 == 4);
    let claims = vec![Claim {
        says: "“do not vary with ℓ”",
        shows: Shows::when(same(&series[0], &series[1]) && same(&series[2], &series[3])),
        because: "both curves of each δ are one".into(),
    }];
    Sheet {
        name: "l-delta-fig1b",
        title: "(ℓ,δ)-diversity, Fig. 1b: rows needed by p; uniform, |Q| = 3,000, |S| = 50".into(),
        header: header("p", &series),
        rows: lines("1b", &places, &series),
        columns: 1,
        panels: vec![Panel {
            title: "Fig. 1b: p up to 1/|S|".into(),
            across: "p",
            up: "rows N",
            kind: Kind::Lines,
            places: labels(&places),
            series,
        }],
        claims,
        notes: Vec::new(),
    }
    .finish()
}

/// Fig. 2b: N by ℓ, from 5 to 40.
pub fn by_l() -> Result<(), String> {
    let view = calculated(Shape::Geometric { ratio: 0.95 })?;
    let (places, series) = thinned(&view.by_l, |place| (4..40).contains(&place) && (place % 5 == 4));
    let (_, all) = thinned(&view.by_l, |place| (4..40).contains(&place));
    let grows = all.iter().all(|series| series.values.windows(2).all(|pair| pair[0] <= pair[1]));
    let skewed = geometric(50, 0.95);
    let at = |marginal: &[f64], l: u32| {
        let p = 0.01 * marginal[l as usize - 1];
        rows_needed(class_bound(3000.0, marginal, l, p).0, l, 0.01, p)
    };
    Sheet {
        name: "l-delta-fig2b",
        title: "(ℓ,δ)-diversity, Fig. 2b: rows needed by ℓ; geometric, ρ = 0.95, |Q| = 3,000, |S| = 50".into(),
        header: header("ℓ", &series),
        rows: lines("2b", &places, &series),
        columns: 1,
        panels: vec![Panel {
            title: "Fig. 2b".into(),
            across: "ℓ",
            up: "rows N",
            kind: Kind::Lines,
            places: labels(&places),
            series,
        }],
        claims: vec![Claim {
            says: "“larger values of ℓ requiring more samples”",
            shows: Shows::when(grows),
            because: format!(
                "{:.2} for ℓ = 10 and {:.2} for ℓ = 30 at β = δ = 0.01 (uniform: {:.2} for both)",
                at(&skewed, 10),
                at(&skewed, 30),
                at(&uniform(50), 10)
            ),
        }],
        notes: Vec::new(),
    }
    .finish()
}
