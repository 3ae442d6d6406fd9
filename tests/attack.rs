//! Attacks on random classes against their definitions, row by row.
//!
//! `THRONG_CASES=100000 cargo test --release --test attack` tries more than the 1,000 of each.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};
use throng::attack::belief::{Belief, Evidence, Knowledge, Thresholds, audit, beliefs};
use throng::attack::{background, homogeneity};
use throng::classes::{Classes, Histograms, Keys};

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> TestCaseResult) {
    let wanted = std::env::var("THRONG_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    let mut config = Config { failure_persistence: None, cases: wanted.unwrap_or(1_000), ..Config::default() };
    if wanted.is_none() {
        config.rng_seed = RngSeed::Fixed(8);
    }
    TestRunner::new(config).run(&strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

fn group(codes: &[u32]) -> Classes {
    Classes::group(codes.len(), &[Keys { codes, size: 64 }])
}

/// Each row's class and value.
fn rows() -> impl Strategy<Value = Vec<(u32, u32)>> {
    // Skewed, so that classes with nearly one value occur.
    let value = prop_oneof![9 => Just(0u32), 1 => 1u32..5];
    prop_oneof![prop::collection::vec((0u32..3, 0u32..5), 0..12), prop::collection::vec((0u32..2, value), 0..80)]
}

#[test]
fn homogeneity_and_background_knowledge_are_what_they_say() {
    check(rows(), |rows| {
        let classes = group(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        let values: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let histograms = Histograms::new(&classes, &values);
        let in_class = |class: usize| -> Vec<u32> {
            (0..rows.len()).filter(|&row| classes.of_row[row] as usize == class).map(|row| values[row]).collect()
        };
        let count = |values: &[u32], value: u32| values.iter().filter(|&&other| other == value).count();
        let (mut one, mut nearly) = (homogeneity::Exposed::default(), homogeneity::Exposed::default());
        for class in 0..classes.sizes.len() {
            let values = in_class(class);
            let share = values.iter().map(|&value| count(&values, value)).max().unwrap() as f64 / values.len() as f64;
            if share == 1.0 {
                one.classes.push(class as u32);
                one.rows += values.len() as u64;
            }
            if share >= 0.95 {
                nearly.classes.push(class as u32);
                nearly.rows += values.len() as u64;
            }
        }
        let found = homogeneity::of(&histograms);
        prop_assert_eq!((found.one_value, found.nearly_one_value), (one, nearly));

        // A class falls when some set of so many values, not the person's own, leaves only one.
        let distinct = |class: usize| in_class(class).into_iter().collect::<BTreeSet<_>>().len();
        let fallen = background::fallen(&histograms);
        for step in &fallen {
            let falls: Vec<usize> =
                (0..classes.sizes.len()).filter(|&class| distinct(class) - 1 <= step.ruled_out as usize).collect();
            prop_assert_eq!(step.classes, falls.len() as u64);
            prop_assert_eq!(step.rows, falls.iter().map(|&class| in_class(class).len() as u64).sum::<u64>());
        }
        prop_assert_eq!(fallen.last().map_or(0, |last| last.rows), rows.len() as u64);
        prop_assert!(fallen.len() < 2 || fallen[fallen.len() - 2].rows < rows.len() as u64);

        for (&value, &class) in values.iter().zip(&classes.of_row) {
            let class = class as usize;
            let mut left = in_class(class);
            let sure = |left: &[u32]| count(left, value) as f64 / left.len() as f64;
            let person = background::person(&histograms.class(class), value).unwrap();
            prop_assert_eq!(person.certainty, sure(&left));
            for step in &person.others {
                // No other value would have raised the certainty more.
                let best = left.iter().filter(|&&other| other != value).map(|&other| count(&left, other)).max();
                prop_assert_eq!(Some(step.count as usize), best);
                prop_assert_eq!(step.count as usize, count(&left, step.value));
                left.retain(|&other| other != step.value);
                prop_assert_eq!(step.certainty, sure(&left));
            }
            prop_assert_eq!(sure(&left), 1.0);
            prop_assert_eq!(background::values_to_rule_out(&histograms.class(class)) as usize, person.others.len());
        }
        Ok(())
    });
}

#[test]
fn no_one_has_a_value_that_the_class_lacks() {
    let histograms = Histograms::new(&Classes::one(2), &[1, 3]);
    assert_eq!(background::person(&histograms.class(0), 2), None);
}

/// People: class, kind and value, and what the attacker knows of each kind and value.
type People = (Vec<(u32, u32, u32)>, Vec<Vec<f64>>);

fn people() -> impl Strategy<Value = People> {
    let weight = prop_oneof![Just(0.0), Just(1.0), 0.0..3.0f64];
    (
        prop::collection::vec((0u32..2, 0u32..3, 0u32..3), 1..14),
        prop::collection::vec(prop::collection::vec(weight, 4), 3),
    )
}

/// Equation 1, with sums over all rows and all values; the class's share when it says 0 ÷ 0.
fn naive_belief(people: &People, class: u32, kind: u32, value: u32) -> f64 {
    let (rows, weights) = people;
    let n = |value: u32| rows.iter().filter(|row| row.0 == class && row.2 == value).count() as f64;
    let kinds: BTreeSet<u32> = rows.iter().filter(|row| row.0 == class).map(|row| row.1).collect();
    let of = |kind: u32, value: u32| weights[kind as usize][value as usize];
    let given_kind = |value: u32| of(kind, value) / (0..4).map(|value| of(kind, value)).sum::<f64>();
    let block = |value: u32| kinds.iter().map(|&kind| of(kind, value)).sum::<f64>();
    let given_block = |value: u32| block(value) / (0..4).map(block).sum::<f64>();
    let term =
        |value: u32| if of(kind, value) == 0.0 { 0.0 } else { n(value) * given_kind(value) / given_block(value) };
    let sum: f64 = (0..4).map(term).sum();
    if sum > 0.0 { term(value) / sum } else { n(value) / (0..4).map(n).sum::<f64>() }
}

#[test]
fn beliefs_and_breaches_are_those_of_equation_1() {
    let thresholds = (0.01..0.5f64, 0.01..0.5f64, 0.01..0.99f64, 0.01..0.99f64);
    check((people(), thresholds), |(people, (delta, epsilon, rho1, rho2))| {
        let rows = &people.0;
        let thresholds = Thresholds { delta, epsilon, rho1, rho2 };
        let classes = group(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        let values: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let sparse = |weights: &Vec<f64>| (0..).zip(weights.iter().copied()).filter(|known| known.1 > 0.0).collect();
        let knowledge = Knowledge::Joint(people.1.iter().map(sparse).collect());
        let kinds: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let evidence = Evidence { classes: classes.clone(), kinds, values };
        let audit = audit(&evidence, &knowledge, &thresholds, 1000);
        let (mut positive, mut negative, mut breaches) = ((0, 0), (0, 0), (0, 0));
        let mut worst: Vec<(f64, u32, u32, u32)> = Vec::new();
        let pairs: BTreeSet<(u32, u32)> = rows.iter().map(|row| (row.0, row.1)).collect();
        for &(class, kind) in &pairs {
            let of_pair: Vec<u32> =
                rows.iter().filter(|row| (row.0, row.1) == (class, kind)).map(|row| row.2).collect();
            let (mut any_negative, mut any_breach) = (false, false);
            for value in 0..4 {
                let weights = &people.1[kind as usize];
                let total: f64 = weights.iter().sum();
                let prior = if total > 0.0 { weights[value as usize] / total } else { 0.0 };
                if prior == 0.0 && !rows.iter().any(|row| row.0 == class && row.2 == value) {
                    continue;
                }
                let observed = naive_belief(&people, class, kind, value);
                // Rounding may decide what lies on a threshold.
                let limits = [1.0 - delta, epsilon, rho2, 1.0 - rho2];
                prop_assume!(limits.iter().all(|limit| (limit - observed).abs() > 1e-9));
                let having = of_pair.iter().filter(|&&other| other == value).count();
                if observed > 1.0 - delta && having > 0 {
                    positive = (positive.0 + 1, positive.1 + having as u64);
                }
                if observed < epsilon && having < of_pair.len() {
                    negative.0 += 1;
                    any_negative = true;
                }
                if prior < rho1 && observed > rho2 || prior > 1.0 - rho1 && observed < 1.0 - rho2 {
                    breaches.0 += 1;
                    any_breach = true;
                    worst.push(((observed - prior).abs(), class, kind, value));
                }
            }
            negative.1 += if any_negative { of_pair.len() as u64 } else { 0 };
            breaches.1 += if any_breach { of_pair.len() as u64 } else { 0 };
        }
        let pair = |count: throng::attack::belief::Count| (count.beliefs, count.rows);
        prop_assert_eq!((pair(audit.positive), pair(audit.negative)), (positive, negative));
        prop_assert_eq!((pair(audit.breaches), audit.looked_at.rows), (breaches, rows.len() as u64));
        prop_assert_eq!(audit.worst.len(), worst.len());
        let changes: Vec<f64> =
            audit.worst.iter().map(|breach| (breach.belief.observed - breach.belief.prior).abs()).collect();
        prop_assert!(changes.is_sorted_by(|one, other| one >= other));
        for breach in &audit.worst {
            let (class, kind, _) = rows[breach.example as usize];
            prop_assert_eq!(classes.of_row[breach.example as usize], breach.class);
            let observed = naive_belief(&people, class, kind, breach.belief.value);
            prop_assert!((breach.belief.observed - observed).abs() < 1e-9);
            prop_assert!(worst.iter().any(|&(_, c, k, v)| (c, k, v) == (class, breach.kind, breach.belief.value)));
            let same = rows.iter().filter(|row| (row.0, row.1) == (class, kind)).count();
            prop_assert_eq!(breach.rows as usize, same);
        }
        let fewer = throng::attack::belief::audit(&evidence, &knowledge, &thresholds, 2);
        prop_assert_eq!(&fewer.worst[..], &audit.worst[..audit.worst.len().min(2)]);
        Ok(())
    });
}

/// Who knows the table's own distribution learns nothing from classes that hold all rows of their kinds.
#[test]
fn the_tables_own_distribution_is_not_changed_by_its_release() {
    check(prop::collection::vec((0u32..6, 0u32..4), 1..30), |rows| {
        let kinds = group(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        let values: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let knowledge = Knowledge::of_rows(&kinds, &values);
        let classes = group(&rows.iter().map(|row| row.0 / 2).collect::<Vec<_>>());
        let evidence = Evidence { classes, kinds: kinds.of_row, values };
        let strict = Thresholds { delta: 0.0, epsilon: 0.0, rho1: 0.5, rho2: 0.5 + 1e-9 };
        prop_assert_eq!(audit(&evidence, &knowledge, &strict, 9).breaches.beliefs, 0);
        Ok(())
    });
}

/// Without the original: the prior is the table's distribution, the observed belief the class's.
#[test]
fn without_the_original() {
    let values = vec![0, 0, 1, 2, 2, 2];
    let classes = group(&[0, 0, 0, 1, 1, 1]);
    let knowledge = Knowledge::of_values(&values);
    let evidence = Evidence::without_original(classes, values);
    let thresholds = Thresholds { delta: 0.1, epsilon: 0.1, rho1: 0.6, rho2: 0.9 };
    let audit = audit(&evidence, &knowledge, &thresholds, 10);
    assert_eq!((audit.positive.beliefs, audit.positive.rows), (1, 3));
    // Value 2 in the first class, 0 and 1 in the second.
    assert_eq!((audit.negative.beliefs, audit.negative.rows), (3, 6));
    // Value 2 is suddenly impossible in the first class and certain in the second; both beliefs move by as much.
    let worst: Vec<(u32, Belief)> = audit.worst.iter().map(|breach| (breach.class, breach.belief)).collect();
    let belief = |observed| Belief { value: 2, prior: 0.5, observed };
    assert_eq!(worst, [(0, belief(0.0)), (1, belief(1.0))]);
}

/// A value that the attacker holds impossible stays so; where all are, the class's shares count.
#[test]
fn impossible_values() {
    let histograms = Histograms::new(&Classes::one(4), &[0, 0, 0, 1]);
    let class = histograms.class(0);
    let observed = |known: &[(u32, f64)]| -> Vec<f64> {
        beliefs(&class, known, |_| 1.0).into_iter().map(|belief| belief.observed).collect()
    };
    assert_eq!(observed(&[(1, 0.5)]), [0.0, 1.0]);
    assert_eq!(observed(&[(2, 0.5)]), [0.75, 0.25, 0.0]);
}
