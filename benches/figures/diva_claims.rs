//! What the DIVA paper concludes from its experiments (§5.3–5.5), held against ours.

use throng::constraints::generate::Class;

use super::diva::{K_MEMBER, K_MEMBER_REFINED, MAX_FAN_OUT, MIN_CHOICE, NAIVE, Point, REFINED, RUNS};
use super::diva_sheets::Experiments;
use super::sheet::{Claim, Shows};

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { f64::NAN } else { sum / f64::from(count) }
}

/// By how many percent the accuracy of one is above that of another, as a mean over places where both are known.
fn ahead<'p>(points: impl Iterator<Item = &'p Point>, one: usize, other: usize) -> f64 {
    mean(points.filter_map(|point| Some((point.accuracy(one)? / point.accuracy(other)? - 1.0) * 100.0)))
}

/// The accuracies at the first and the last place that have one.
fn ends(points: &[Point], run: usize) -> Option<(f64, f64)> {
    let known: Vec<f64> = points.iter().filter_map(|point| point.accuracy(run)).collect();
    Some((*known.first()?, *known.last()?))
}

/// How accuracy goes along a series: at its ends, and how many of its pairs of places rise more than fall, as a share of
/// all (Kendall's τ).
struct Trend {
    class: Class,
    ends: (f64, f64),
    rising: f64,
}

fn trends(series: &[(Class, Vec<Point>)]) -> Vec<Trend> {
    let trend = |(class, points): &(Class, Vec<Point>)| {
        let known: Vec<f64> = points.iter().filter_map(|point| point.accuracy(MIN_CHOICE)).collect();
        let pairs = (0..known.len()).flat_map(|one| (0..one).map(move |before| (before, one)));
        let rising = mean(pairs.map(|(before, one)| if known[one] > known[before] { 1.0 } else { -1.0 }));
        Some(Trend { class: *class, ends: ends(points, MIN_CHOICE)?, rising })
    };
    series.iter().filter_map(trend).collect()
}

/// Whether the series rise (or fall, by a `sign` of −1): most pairs of places, and the ends.
fn go(trends: &[Trend], sign: f64) -> Shows {
    let goes = |trend: &&Trend| trend.rising * sign >= 0.5 && (trend.ends.1 - trend.ends.0) * sign > 0.0;
    all_or_some(trends.iter().filter(goes).count(), trends.len())
}

/// Yes if all that is known shows it, in part if some does.
fn all_or_some(shown: usize, of: usize) -> Shows {
    match shown {
        0 => Shows::No,
        shown if shown == of => Shows::Yes,
        _ => Shows::Partly,
    }
}

/// What a percentage near to none is called.
const SAME: f64 = 0.5;

fn judged(percents: &[f64]) -> Shows {
    let shown = percents.iter().filter(|&&percent| percent > SAME).count();
    all_or_some(shown, percents.len())
}

fn plain_mean<'p>(points: impl Iterator<Item = &'p Point> + Clone) -> f64 {
    let of = |run| points.clone().filter_map(move |point: &Point| point.accuracy(run));
    mean([NAIVE, MIN_CHOICE, MAX_FAN_OUT].into_iter().flat_map(of))
}

pub fn accuracy_claims(made: &Experiments) -> Vec<Claim> {
    let by_k = || made.by_class_and_k.iter().flat_map(|(_, points)| points);
    let by_rate = || made.by_class_and_rate.iter().flat_map(|(_, points)| points);
    let places = || {
        by_k()
            .chain(by_rate())
            .chain(&made.by_count)
            .chain(&made.by_k)
            .chain(&made.by_rows)
            .chain(&made.by_distribution)
    };
    let (by_larger_k, by_higher_rate) = (trends(&made.by_class_and_k), trends(&made.by_class_and_rate));
    let told = |trends: &[Trend]| {
        let one = |Trend { class, ends: (first, last), rising }: &Trend| {
            format!("{} {first:.3} to {last:.3} (τ = {rising:+.2})", class.name())
        };
        trends.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let over_naive = [ahead(by_k(), MIN_CHOICE, NAIVE), ahead(by_k(), MAX_FAN_OUT, NAIVE)];
    let over_min_choice = ahead(by_k(), MAX_FAN_OUT, MIN_CHOICE);
    let in_conflict = [ahead(by_rate(), MIN_CHOICE, NAIVE), ahead(by_rate(), MAX_FAN_OUT, NAIVE)];
    let with_count =
        [ahead(made.by_count.iter(), MAX_FAN_OUT, NAIVE), ahead(made.by_count.iter(), MAX_FAN_OUT, MIN_CHOICE)];
    let (few, many) = ends(&made.by_count, MIN_CHOICE).unwrap_or((f64::NAN, f64::NAN));
    let drawn: Vec<f64> = made.by_distribution.iter().map(|point| plain_mean([point].into_iter())).collect();
    let drawn_ahead = [
        ahead(made.by_distribution.iter(), MAX_FAN_OUT, MIN_CHOICE),
        ahead(made.by_distribution.iter(), MAX_FAN_OUT, NAIVE),
    ];
    let of_class = |wanted: Class| {
        let of = |points: &'_ [(Class, Vec<Point>)]| {
            let found = points.iter().find(|(class, _)| *class == wanted);
            found.map_or(f64::NAN, |(_, points)| plain_mean(points.iter()))
        };
        of(&made.by_class_and_k)
    };
    let classes = Class::ALL.map(of_class);
    vec![
        Claim {
            says: "Exp 1: “accuracy increases for larger k”",
            shows: go(&by_larger_k, 1.0),
            because: format!("MinChoice from k = 10 to 50: {}", told(&by_larger_k)),
        },
        Claim {
            says: "Exp 1: Naive leads to the lowest accuracy, MaxFanOut outperforms MinChoice by 9 % on average",
            shows: judged(&[over_naive[0], over_naive[1], over_min_choice]),
            because: format!(
                "over Naive MinChoice {:+.1} %, MaxFanOut {:+.1} %; MaxFanOut over MinChoice {over_min_choice:+.1} %",
                over_naive[0], over_naive[1]
            ),
        },
        Claim {
            says: "Exp 1: the classes differ little, “minimum” is more accurate in some cases",
            shows: Shows::when(classes[0] > classes[1].min(classes[2])),
            because: format!(
                "mean accuracy: minimum {:.3}, average {:.3}, proportion {:.3}",
                classes[0], classes[1], classes[2]
            ),
        },
        Claim {
            says: "Exp 2 and 4: “accuracy declines for increasing cf”",
            shows: go(&by_higher_rate, -1.0),
            because: format!("MinChoice from the lowest to the highest rate: {}", told(&by_higher_rate)),
        },
        Claim {
            says: "Exp 2 and 4: MaxFanOut and MinChoice outperform Naive by 17 % and 9 %",
            shows: judged(&in_conflict),
            because: format!("MaxFanOut {:+.1} %, MinChoice {:+.1} %", in_conflict[1], in_conflict[0]),
        },
        Claim {
            says: "Exp 3: MaxFanOut outperforms Naive by 30 % and MinChoice by 7 %",
            shows: judged(&with_count),
            because: format!("{:+.1} % and {:+.1} %", with_count[0], with_count[1]),
        },
        Claim {
            says: "Exp 3: accuracy declines slowly as |Σ| increases",
            shows: Shows::when(many < few),
            because: format!("MinChoice {few:.3} with 4 constraints, {many:.3} with 20"),
        },
        Claim {
            says: "Exp 5: uniform does best, then Gaussian, then Zipfian",
            shows: match drawn[..] {
                [zipfian, gaussian, uniform] if uniform > gaussian && gaussian > zipfian => Shows::Yes,
                [zipfian, gaussian, uniform] if uniform > gaussian || uniform > zipfian => Shows::Partly,
                _ => Shows::No,
            },
            because: format!(
                "mean accuracy: {}",
                made.by_distribution
                    .iter()
                    .zip(&drawn)
                    .map(|(point, mean)| format!("{} {mean:.3}", point.place))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        },
        Claim {
            says: "DIVA meets constraints that can be met",
            shows: all_or_some(places().filter(|point| point.refused == 0).count(), places().count()),
            because: format!(
                "at {} of {} places no set was given up; {} sets were given up without a proof that they can't be met, and at {} places none was met",
                places().filter(|point| point.refused == 0).count(),
                places().count(),
                places().map(|point| point.refused).sum::<u64>(),
                places().filter(|point| point.best.is_none()).count()
            ),
        },
        Claim {
            says: "Exp 5: MaxFanOut is best, by 8 % over MinChoice and 17 % over Naive",
            shows: judged(&drawn_ahead),
            because: format!("{:+.1} % and {:+.1} %", drawn_ahead[0], drawn_ahead[1]),
        },
    ]
}

/// By how many percent one takes less time than another, as a mean.
fn faster(points: &[Point], one: usize, other: usize) -> f64 {
    mean(points.iter().filter_map(|point| Some((1.0 - point.seconds(one)? / point.seconds(other)?) * 100.0)))
}

/// Time at the last place over time at the first.
fn growth(points: &[Point], run: usize) -> f64 {
    let known: Vec<f64> = points.iter().filter_map(|point| point.seconds(run)).collect();
    known.last().unwrap_or(&f64::NAN) / known.first().unwrap_or(&f64::NAN)
}

fn slowest(points: &[&[Point]], runs: &[usize]) -> f64 {
    let all = points.iter().flat_map(|points| points.iter());
    all.flat_map(|point| runs.iter().filter_map(|&run| point.seconds(run))).fold(0.0, f64::max)
}

pub fn time_claims(made: &Experiments) -> Vec<Claim> {
    let conflicting = &made.by_class_and_rate[2].1;
    let growths = [NAIVE, MIN_CHOICE, MAX_FAN_OUT].map(|run| growth(&made.by_count, run));
    let reduced = [faster(&made.by_count, MIN_CHOICE, NAIVE), faster(&made.by_count, MAX_FAN_OUT, NAIVE)];
    let in_conflict = [faster(conflicting, MIN_CHOICE, MAX_FAN_OUT), faster(conflicting, MIN_CHOICE, NAIVE)];
    let all: [&[Point]; 4] = [&made.by_count, conflicting, &made.by_k, &made.by_rows];
    let plain = slowest(&all, &[NAIVE, MIN_CHOICE, MAX_FAN_OUT]);
    let refined = slowest(&all, &[REFINED]);
    vec![
        Claim {
            says: "Exp 6: MinChoice and MaxFanOut show linear scale-up with |Σ|",
            shows: Shows::when(growths[1].max(growths[2]) <= 5.0),
            because: format!(
                "five times the constraints take MinChoice {:.2} and MaxFanOut {:.2} times as long",
                growths[1], growths[2]
            ),
        },
        Claim {
            says: "Exp 6: Naive shows exponential growth",
            shows: Shows::when(growths[0] > 10.0),
            because: format!("Naive {:.2} times: candidates are made lazily, the best first", growths[0]),
        },
        Claim {
            says: "Exp 6: MinChoice and MaxFanOut reduce Naive's time by 29 % and 18 %",
            shows: judged(&reduced),
            because: format!("by {:.1} % and {:.1} %", reduced[0], reduced[1]),
        },
        Claim {
            says: "Exp 7: MinChoice outperforms MaxFanOut by 16 % and Naive by 23 %",
            shows: judged(&in_conflict),
            because: format!("by {:.1} % and {:.1} %", in_conflict[0], in_conflict[1]),
        },
        Claim {
            says: "seconds, where the paper takes minutes on a server of 32 cores",
            shows: Shows::when(plain.max(refined) < 10.0),
            because: format!("at most {plain:.2} s of one core over Exp 6–9, {refined:.2} s refined"),
        },
    ]
}

pub fn overhead_claims(made: &Experiments) -> Vec<Claim> {
    let over = |points: &[Point], run: usize| mean(points.iter().filter_map(|point| point.overhead(run))) * 100.0;
    let most = |points: &[Point], run: usize| {
        points.iter().filter_map(|point| point.overhead(run)).fold(f64::NEG_INFINITY, f64::max) * 100.0
    };
    let all_overheads = |points: &[Point]| {
        let one =
            |run: usize| format!("{} {:+.0} % (at most {:+.0} %)", RUNS[run].0, over(points, run), most(points, run));
        [NAIVE, MIN_CHOICE, MAX_FAN_OUT, REFINED].map(one).join(", ")
    };
    let discs = |run: usize| {
        let known: Vec<f64> = made.by_k.iter().filter_map(|point| point.disc(run)).collect();
        (known.first().copied().unwrap_or(f64::NAN), known.last().copied().unwrap_or(f64::NAN))
    };
    let rises = [MIN_CHOICE, K_MEMBER].map(discs);
    let under = |points: &[Point]| {
        let worst = [MIN_CHOICE, MAX_FAN_OUT].map(|run| over(points, run));
        let shown = worst.iter().filter(|&&overhead| overhead < 30.0).count();
        all_or_some(shown, worst.len())
    };
    let falls: Vec<f64> = made.by_rows.iter().filter_map(|point| point.disc(MIN_CHOICE)).collect();
    let growths = [MIN_CHOICE, MAX_FAN_OUT, REFINED, K_MEMBER, K_MEMBER_REFINED].map(|run| growth(&made.by_rows, run));
    let pays = mean(made.by_k.iter().filter_map(|point| Some(point.disc(MIN_CHOICE)? / point.disc(K_MEMBER)?)));
    let series = made.by_class_and_k.iter().map(|series| (1, series));
    let series = series.chain(made.by_class_and_rate.iter().map(|series| (2, series)));
    let others: Vec<(String, &[Point])> =
        series.map(|(number, (class, points))| (format!("Exp {number}, {}", class.name()), &points[..])).collect();
    vec![
        Claim {
            says: "Exp 8: DIVA takes 32 % (MinChoice) and 44 % (MaxFanOut) longer than k-member; our aim is less than 30 %",
            shows: under(&made.by_k),
            because: format!("on average {}", all_overheads(&made.by_k)),
        },
        Claim {
            says: "Exp 8: disc rises with k",
            shows: all_or_some(rises.iter().filter(|(first, last)| last > first).count(), rises.len()),
            because: format!(
                "from k = 10 to 50 MinChoice {:.4} to {:.4}, k-member {:.4} to {:.4}",
                rises[0].0, rises[0].1, rises[1].0, rises[1].1
            ),
        },
        Claim {
            says: "Exp 8: diversity has its price in disc",
            shows: Shows::when(pays > 1.0),
            because: format!("MinChoice's disc is {pays:.3} times k-member's on average"),
        },
        Claim {
            says: "Exp 9: disc slightly improves as |R| increases",
            shows: Shows::when(falls.last() < falls.first()),
            because: format!(
                "MinChoice {}",
                falls.iter().map(|disc| format!("{disc:.4}")).collect::<Vec<_>>().join(", ")
            ),
        },
        Claim {
            says: "Exp 9: time increases linearly with |R|",
            shows: Shows::when(growths.iter().all(|&growth| growth < 6.0)),
            because: format!(
                "five times the rows take MinChoice {:.2}, MaxFanOut {:.2}, refined {:.2}, k-member {:.2} and, refined, {:.2} times as long",
                growths[0], growths[1], growths[2], growths[3], growths[4]
            ),
        },
        Claim {
            says: "Exp 9: an overhead of 36 % on average; our aim is less than 30 %",
            shows: under(&made.by_rows),
            because: format!("on average {}", all_overheads(&made.by_rows)),
        },
        Claim {
            says: "our aim, with the classes and conflict rates of Exp 1 and 2",
            shows: all_or_some(others.iter().filter(|(_, points)| under(points) == Shows::Yes).count(), others.len()),
            because: others
                .iter()
                .map(|(name, points)| format!("{name}: {}", all_overheads(points)))
                .collect::<Vec<_>>()
                .join("; "),
        },
    ]
}
