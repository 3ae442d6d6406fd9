//! Tables, pictures and claims of (τ,ℓ)-diversity's Figures 5 to 8.

use super::plot::{Kind, Panel, Series};
use super::sheet::{Claim, Sheet, Shows};
use super::tau_l::{Case, Made, Point, RUNS, TIMES};

type Points = [Vec<Point>];

fn all(points: &Points) -> impl Iterator<Item = &Point> {
    points.iter().flatten()
}

/// A figure of one value for each run.
struct Figure {
    name: &'static str,
    title: &'static str,
    up: &'static str,
    digits: usize,
    value: fn(&Point, usize) -> Option<f64>,
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

/// Of the points that all runs publish, in how many the sweep is better than each peer, and the mean of all four.
fn compare(points: &Points, value: fn(&Made) -> f64, better: fn(f64, f64) -> bool) -> (usize, [usize; 2], [f64; 4]) {
    let (mut count, mut wins, mut sums) = (0, [0; 2], [0.0; 4]);
    for point in all(points) {
        let [Some(sweep), Some(refined), Some(line), Some(lattice)] = point.made else { continue };
        let values = [sweep, refined, line, lattice].map(|made| value(&made));
        count += 1;
        wins[0] += usize::from(better(values[0], values[2]));
        wins[1] += usize::from(better(values[0], values[3]));
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    (count, wins, sums.map(|sum| sum / count.max(1) as f64))
}

fn comparison((count, wins, means): (usize, [usize; 2], [f64; 4])) -> String {
    format!(
        "better than 1DLD at {} and than CLD at {} of the {count} (τ,ℓ) that all publish; on average {:.3} (refined {:.3}) \
         beside {:.3} and {:.3}",
        wins[0], wins[1], means[0], means[1], means[2], means[3]
    )
}

fn judged((count, wins, _): &(usize, [usize; 2], [f64; 4])) -> Shows {
    match wins.iter().min() {
        Some(wins) if wins == count => Shows::Yes,
        Some(&wins) if wins * 2 > *count => Shows::Partly,
        _ => Shows::No,
    }
}

pub fn sheets(cases: &[Case], points: &Points) -> Result<(), String> {
    let quasi = "Quasi-identifiers: Adult age, sex, race, marital status, education with ARX's hierarchies; Nursery the other \
                 columns (with class sensitive, health too; with health sensitive, not class), with hierarchies of our own";
    let published = |run: usize| all(points).filter(|point| point.made[run].is_some()).count();
    let only_sweep = all(points).filter(|point| point.made[2].is_none() && point.made[3].is_none()).count();
    let count = all(points).count();
    let excess = compare(points, |made| made.excess, |one, other| one < other);
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
        value: |point, run| point.made[run].map(|made| made.excess),
        claims: vec![
            Claim {
                says: "all requirements are eligible for the sweep, some not for CLD and 1DLD",
                shows: Shows::when(published(0) == count && only_sweep > 0),
                because: format!(
                    "of {count} (τ,ℓ) the sweep publishes {}, 1DLD {}, CLD {}; at {only_sweep} only the sweep",
                    published(0),
                    published(2),
                    published(3)
                ),
            },
            Claim {
                says: "for those eligible to all, the sweep protects much less in excess",
                shows: judged(&excess),
                because: comparison(excess),
            },
        ],
        notes: vec![format!("{quasi}."), cld],
    }
    .finish(cases, points)?;
    let um = compare(points, |made| made.um, |one, other| one > other);
    let line_over_lattice =
        all(points).filter(|point| matches!(point.made, [_, _, Some(line), Some(lattice)] if line.um > lattice.um));
    let line_over_lattice = line_over_lattice.count();
    let cells: usize = all(points).filter_map(|point| point.made[0]).map(|made| made.generalized).max().unwrap_or(0);
    Figure {
        name: "tau-l-fig6",
        title: "(τ,ℓ)-diversity, Fig. 6: utility um",
        up: "um",
        digits: 4,
        value: |point, run| point.made[run].map(|made| made.um),
        claims: vec![
            Claim {
                says: "the sweep often achieves much higher utility than 1DLD and CLD",
                shows: judged(&um),
                because: comparison(um),
            },
            Claim {
                says: "1DLD achieves higher utility than CLD",
                shows: if line_over_lattice == um.0 { Shows::Yes } else { Shows::Partly },
                because: format!("at {line_over_lattice} of {}", um.0),
            },
        ],
        notes: vec![format!(
            "The sweep generalizes at most {cells} sensitive cells; refining never lowers um. {quasi}."
        )],
    }
    .finish(cases, points)?;
    let trees = compare(points, |made| made.ratio, |one, other| one > other);
    let refined = all(points).filter(|point| {
        matches!(point.made, [_, Some(refined), Some(line), Some(lattice)] if refined.ratio > line.ratio.max(lattice.ratio))
    });
    let refined = refined.count();
    Figure {
        name: "tau-l-fig7",
        title: "(τ,ℓ)-diversity, Fig. 7: accuracy of decision trees, release over original",
        up: "accuracy ratio (ID3, 5 folds)",
        digits: 4,
        value: |point, run| point.made[run].map(|made| made.ratio),
        claims: vec![Claim {
            says: "the sweep exhibits better utility than CLD and 1DLD",
            shows: judged(&trees),
            because: format!("{}; refined, better than both at {refined}", comparison(trees)),
        }],
        notes: vec![
            "Trees predict the sensitive column from the quasi-identifiers. The paper does not name its target.".into(),
        ],
    }
    .finish(cases, points)?;
    let relative = |point: &Point, run: usize| {
        (point.made[2].is_some() && point.made[run].is_some()).then(|| point.seconds[run] / point.seconds[2])
    };
    let slowest = all(points).filter_map(|point| relative(point, 0)).fold(0.0, f64::max);
    let below_cld = all(points).filter(|point| point.made[3].is_some() && point.seconds[0] < point.seconds[3]).count();
    let with_cld = published(3);
    Figure {
        name: "tau-l-fig8",
        title: "(τ,ℓ)-diversity, Fig. 8: time relative to 1DLD",
        up: "time ÷ 1DLD's",
        digits: 3,
        value: |point, run| {
            (point.made[2].is_some() && point.made[run].is_some()).then(|| point.seconds[run] / point.seconds[2])
        },
        claims: vec![
            Claim {
                says: "the sweep takes less than three times as long as 1DLD",
                shows: Shows::when(slowest < 3.0),
                because: format!("at most {slowest:.2} times"),
            },
            Claim {
                says: "and always less than CLD",
                shows: if below_cld == with_cld { Shows::Yes } else { Shows::Partly },
                because: format!("at {below_cld} of {with_cld} (τ,ℓ)"),
            },
        ],
        notes: vec![format!(
            "1DLD and CLD search from the weakest requirement until a release meets (τ,ℓ). Processor time, the least of \
             {TIMES}. Refining is no part of the paper's algorithm."
        )],
    }
    .finish(cases, points)
}
