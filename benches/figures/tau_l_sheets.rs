//! Tables, pictures and claims of (τ,ℓ)-diversity's Figures 5 to 8.

use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};
use super::tau_l::{Case, LATTICE, LINE, Made, Point, RUNS, SWEEPS, TIMES};

type Points = [Vec<Point>];

fn all(points: &Points) -> impl Iterator<Item = &Point> {
    points.iter().flatten()
}

/// What is drawn of a run at a point.
type Value = Box<dyn Fn(&Point, usize) -> Option<f64>>;

/// A figure of one value for each run.
struct Figure {
    name: &'static str,
    title: &'static str,
    up: &'static str,
    digits: usize,
    value: Value,
    claims: Vec<Claim>,
    notes: Vec<String>,
}

impl Figure {
    fn finish(self, cases: &[Case], points: &Points) -> Result<(), String> {
        let mut rows = Vec::new();
        let mut panels = Vec::new();
        for (case, points) in cases.iter().zip(points) {
            for point in points {
                let cell = |run: usize| match (self.value)(point, run) {
                    Some(value) => format!("{value:.digits$}", digits = self.digits),
                    None => "none".to_owned(),
                };
                let first = [case.name.to_owned(), point.tau.to_string(), point.l.to_string()];
                rows.push(first.into_iter().chain((0..RUNS.len()).map(cell)).collect());
            }
            let series = |(run, name): (usize, &&str)| Series {
                name: (*name).to_owned(),
                values: points.iter().map(|point| (self.value)(point, run)).collect(),
            };
            panels.push(Panel {
                title: case.name.to_owned(),
                across: "(τ, ℓ), from weak to strong",
                up: self.up,
                kind: Kind::Lines,
                places: points.iter().map(|point| format!("{}, {}", &point.tau.to_string()[1..], point.l)).collect(),
                series: RUNS.iter().enumerate().map(series).collect(),
            });
        }
        Sheet {
            name: self.name,
            title: self.title.to_owned(),
            header: ["table", "τ", "ℓ"].iter().chain(&RUNS).map(|text| (*text).to_owned()).collect(),
            rows,
            columns: 2,
            panels,
            claims: self.claims,
            notes: self.notes,
        }
        .finish()
    }
}

/// Of the points where all runs have a value: how each of the sweeps compares with each peer, and all means.
struct Compared {
    count: usize,
    /// Of each sweep, against 1DLD and CLD: points where it is better, and where it is worse.
    better: [[usize; 2]; SWEEPS.len()],
    worse: [[usize; 2]; SWEEPS.len()],
    means: [f64; RUNS.len()],
}

/// What differs by less is the same.
const SAME: f64 = 1e-9;

/// `sign`: 1 where more is better, −1 where less is.
fn compare(points: &Points, value: fn(&Made) -> f64, sign: f64) -> Compared {
    let none = [[0; 2]; SWEEPS.len()];
    let mut compared = Compared { count: 0, better: none, worse: none, means: [0.0; RUNS.len()] };
    for point in all(points) {
        let values = point.made.map(|made| made.map_or(f64::NAN, |made| value(&made)));
        if values.iter().any(|value| value.is_nan()) {
            continue;
        }
        compared.count += 1;
        for own in 0..SWEEPS.len() {
            for peer in 0..2 {
                let gain = sign * (values[own] - values[LINE + peer]);
                compared.better[own][peer] += usize::from(gain > SAME);
                compared.worse[own][peer] += usize::from(gain < -SAME);
            }
        }
        compared.means.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    compared.means.iter_mut().for_each(|sum| *sum /= compared.count.max(1) as f64);
    compared
}

impl Compared {
    /// What shows for one of the sweeps.
    fn claim(&self, own: usize, says: &'static str) -> Claim {
        let Compared { count, better, worse, means } = self;
        let ([one, two], [fewer, less]) = (better[own], worse[own]);
        let shows = match (one.min(two), fewer.max(less)) {
            (better, 0) if better == *count => Shows::Yes,
            (better, _) if better * 2 > *count => Shows::Partly,
            (_, 0) => Shows::Partly,
            _ => Shows::No,
        };
        let because = format!(
            "of the {count} (τ,ℓ) that all publish better than 1DLD at {one} and worse at {fewer}, better than CLD at {two} \
             and worse at {less}; on average {:.3} beside {:.3} and {:.3}",
            means[own], means[LINE], means[LATTICE]
        );
        Claim { says, shows, because }
    }
}

/// One reading of Fig. 7.
struct Trees {
    name: &'static str,
    title: &'static str,
    ratio: fn(&Made) -> f64,
    note: &'static str,
}

impl Trees {
    fn figure(self, points: &Points) -> Figure {
        let Trees { name, title, ratio, note } = self;
        let trees = compare(points, ratio, 1.0);
        Figure {
            name,
            title,
            up: "accuracy ratio (ID3, 5 folds)",
            digits: 4,
            value: Box::new(move |point, run| point.made[run].as_ref().map(ratio).filter(|ratio| !ratio.is_nan())),
            claims: vec![
                trees.claim(0, "the sweep exhibits better utility than CLD and 1DLD"),
                trees.claim(1, "the same of the sweep, quickly refined"),
                trees.claim(2, "the same of the sweep, refined"),
            ],
            notes: vec![note.into()],
        }
    }
}

pub fn sheets(cases: &[Case], points: &Points) -> Result<(), String> {
    let quasi = "Quasi-identifiers: Adult age, sex, race, marital status, education with ARX's hierarchies; Nursery all \
                 other columns, with hierarchies of our own";
    let published = |run: usize| all(points).filter(|point| point.made[run].is_some()).count();
    let only_sweep = all(points).filter(|point| point.made[LINE].is_none() && point.made[LATTICE].is_none()).count();
    let count = all(points).count();
    let excess = compare(points, |made| made.excess, -1.0);
    let cld = format!(
        "The peers' best is sought over ℓ from 2 on, for CLD with c of {:?}; of the releases that meet (τ,ℓ), the one with the \
         least excess.",
        throng::algorithms::one_d::peers::C
    );
    Figure {
        name: "tau-l-fig5",
        title: "(τ,ℓ)-diversity, Fig. 5: excessive protection",
        up: "excess e(P)",
        digits: 4,
        value: Box::new(|point, run| point.made[run].map(|made| made.excess)),
        claims: vec![
            Claim {
                says: "all requirements are eligible for the sweep, some not for CLD and 1DLD",
                shows: Shows::when(published(0) == count && only_sweep > 0),
                because: format!(
                    "of {count} (τ,ℓ) the sweep publishes {}, 1DLD {}, CLD {}; at {only_sweep} only the sweep",
                    published(0),
                    published(LINE),
                    published(LATTICE)
                ),
            },
            excess.claim(0, "for those eligible to all, the sweep protects much less in excess"),
        ],
        notes: vec![format!("{quasi}."), cld],
    }
    .finish(cases, points)?;
    let um = compare(points, |made| made.um, 1.0);
    let um_of = |point: &Point, run: usize| point.made[run].map(|made| made.um);
    let peers = all(points).map(|point| um_of(point, LINE).zip(um_of(point, LATTICE)));
    let line_over_lattice = peers.filter(|ums| ums.is_some_and(|(line, lattice)| line > lattice)).count();
    let cells: usize = all(points).filter_map(|point| point.made[0]).map(|made| made.generalized).max().unwrap_or(0);
    Figure {
        name: "tau-l-fig6",
        title: "(τ,ℓ)-diversity, Fig. 6: utility um",
        up: "um",
        digits: 4,
        value: Box::new(|point, run| point.made[run].map(|made| made.um)),
        claims: vec![
            um.claim(0, "the sweep often achieves much higher utility than 1DLD and CLD"),
            um.claim(1, "the same of the sweep, quickly refined"),
            um.claim(2, "the same of the sweep, refined"),
            Claim {
                says: "1DLD achieves higher utility than CLD",
                shows: if line_over_lattice == um.count { Shows::Yes } else { Shows::Partly },
                because: format!("at {line_over_lattice} of {}", um.count),
            },
        ],
        notes: vec![format!(
            "The sweep generalizes at most {cells} sensitive cells; refining never lowers um. {quasi}."
        )],
    }
    .finish(cases, points)?;
    let trees = [
        Trees {
            name: "tau-l-fig7",
            title: "(τ,ℓ)-diversity, Fig. 7: accuracy of decision trees for UCI's label, release over original",
            ratio: |made| made.trees[0],
            note: "The paper does not name what its trees predict. Here it is the label of the data: of Adult the salary class, \
                   released as it is; of Nursery the class, from all other columns. The rows to learn from are released by \
                   themselves, and trees are asked about original rows; values equally likely count for their share.",
        },
        Trees {
            name: "tau-l-fig7-sensitive",
            title: "(τ,ℓ)-diversity, Fig. 7 for the sensitive column: accuracy of decision trees, release over original",
            ratio: |made| made.trees[1],
            note: "As Fig. 7, but trees predict the sensitive column from the quasi-identifiers: what (τ,ℓ) is there to prevent \
                   for single rows.",
        },
    ];
    for reading in trees {
        reading.figure(points).finish(cases, points)?;
    }
    let relative = |point: &Point, run: usize| {
        (point.made[LINE].is_some() && point.made[run].is_some()).then(|| point.seconds[run] / point.seconds[LINE])
    };
    let slowest = |run: usize| all(points).filter_map(|point| relative(point, run)).fold(0.0, f64::max);
    let with_cld = all(points).filter(|point| point.made[LATTICE].is_some());
    let below_cld = with_cld.filter(|point| point.seconds[0] < point.seconds[LATTICE]).count();
    let with_cld = published(LATTICE);
    Figure {
        name: "tau-l-fig8",
        title: "(τ,ℓ)-diversity, Fig. 8: time relative to 1DLD",
        up: "time ÷ 1DLD's",
        digits: 3,
        value: Box::new(relative),
        claims: vec![
            Claim {
                says: "the sweep takes less than three times as long as 1DLD",
                shows: Shows::when(slowest(0) < 3.0),
                because: format!("at most {:.2} times", slowest(0)),
            },
            Claim {
                says: "the same of the sweep, quickly refined",
                shows: Shows::when(slowest(1) < 3.0),
                because: format!("at most {:.2} times; refined, {:.1} times", slowest(1), slowest(2)),
            },
            Claim {
                says: "and always less than CLD",
                shows: if below_cld == with_cld { Shows::Yes } else { Shows::Partly },
                because: format!("at {below_cld} of {with_cld} (τ,ℓ)"),
            },
        ],
        notes: vec![format!(
            "1DLD and CLD search from the weakest requirement until a release meets (τ,ℓ). Processor time, the median of \
             {TIMES} (refined and CLD: of one). Refining is no part of the paper's algorithm."
        )],
    }
    .finish(cases, points)
}
