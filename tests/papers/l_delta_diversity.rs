//! (ℓ,δ)-diversity: Tables 1 and 2, the worst case, the bounds of Section 4 and the figures of Section 5.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::algorithms::greedy_generalize::{generalize_independent, greedy_generalize, largest_p};
use throng::classes::joint::Joint;
use throng::engine::Engine;
use throng::linkage::door::LinkQuestion;
use throng::linkage::mechanism::{Bound, class_bound, geometric, rows_needed, uniform, whole_rows};
use throng::linkage::worst_case::worst_case;
use throng::policy::{Algorithm, Demand, Edit, Method, ModelDemand};
use throng::protocol::{Request, Response};

use super::support::ask;

/// A generator of its own, so that every target draws the same.
pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// Weights of up to `quasi` quasi-identifiers and `values` values, each quasi-identifier with some.
    fn joint(&mut self, quasi: u32, values: u32, smoothing: f64) -> Joint {
        let mut weights = Vec::new();
        for place in 0..quasi {
            for value in 0..values {
                if self.below(3) > 0 {
                    weights.push((place, value, self.below(6)));
                }
            }
            weights.push((place, self.below(values), 1));
        }
        Joint::weigh(weights.into_iter(), quasi as usize, values as usize, smoothing)
    }
}

/// P(q̄,s) by the definition, for a set of quasi-identifiers.
fn probability(joint: &Joint, class: &[usize], value: usize) -> f64 {
    let n = joint.rows() as f64;
    let a = joint.smoothing();
    let each = |&quasi: &usize| {
        let count = joint.of_quasi(quasi).iter().find(|entry| entry.0 as usize == value).map_or(0, |entry| entry.1);
        let independent = f64::from(joint.rows_of_quasi(quasi)) / n * f64::from(joint.rows_of_value(value)) / n;
        (f64::from(count) + a * independent) / (n + a)
    };
    class.iter().map(each).sum()
}

/// |S_q̄| ≥ ℓ.
fn admissible(joint: &Joint, class: &[usize], l: u32, p: f64) -> bool {
    let likely = (0..joint.values()).filter(|&value| probability(joint, class, value) >= p * (1.0 - 1e-9));
    likely.count() as u32 >= l
}

/// Table 1: with the one generalization of (b), the five patients are 2-anonymous and 2-diverse.
#[test]
fn l_delta_diversity_table1() {
    let engine = Engine::default();
    ask(&engine, Request::OpenSample { id: "five-patients".into(), rows: 0, seed: 1 }, vec![]).unwrap();
    let diverse = Demand { model: ModelDemand::DistinctL { l: 2 }, attribute: None, jointly: false };
    let demands = vec![Demand::of_rows(2), diverse];
    let algorithm = Algorithm::Local { method: Method::KMember, refine: true };
    for edit in [Edit::Privacy { demands, typing: false }, Edit::Algorithm(algorithm)] {
        ask(&engine, Request::Edit(edit), vec![]).unwrap();
    }
    ask(&engine, Request::Run, vec![]).unwrap();
    let Ok(Response::File(bytes)) = ask(&engine, Request::Export { protected: false, row_numbers: false }, vec![])
    else {
        panic!()
    };
    let text = String::from_utf8(bytes).unwrap();
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            "Female,560010,Cervical cancer",
            "Female,560010,Osteoporosis",
            "Female,560010,Osteoporosis",
            "Male,560012 or 560011,Heart disease",
            "Male,560012 or 560011,Lung infection",
        ]
    );
}

/// Table 2: both releases are 2-diverse, and linked they tell the disease of (Female, 560010).
#[test]
fn l_delta_diversity_table2_linkage() {
    let engine = Engine::default();
    let samples = vec!["hospital-a".to_owned(), "hospital-b".to_owned()];
    let question = LinkQuestion { samples, ..LinkQuestion::default() };
    let Ok(Response::Linked(view)) = ask(&engine, Request::Link(question), vec![]) else { panic!() };
    assert_eq!((view.quasi.join("+"), view.sensitive.as_str()), ("Gender+Postal Code".into(), "Disease"));
    assert!(view.releases.iter().all(|release| (release.k, release.l, release.classes) == (2, 2, 2)));
    // (Female, 560010) is the only class in common.
    assert_eq!((view.population.linked, &view.before, &view.after), (1, &vec![(2, 1)], &vec![(1, 1)]));
    assert_eq!((view.exposed_before, view.exposed_after), (0, 1));
    let person = |gender: &str, code: &str| {
        let cells = vec![("Gender".to_owned(), gender.to_owned()), ("Postal Code".to_owned(), code.to_owned())];
        match ask(&engine, Request::LinkPerson { cells }, vec![]) {
            Ok(Response::LinkedPerson(person)) => person,
            other => panic!("{other:?}"),
        }
    };
    let woman = person("Female", "560010");
    assert_eq!((woman.l, woman.left), (1, vec![("Cervical cancer".to_owned(), 1)]));
    assert_eq!(woman.releases.iter().map(|release| (release.l, release.left_l)).collect::<Vec<_>>(), [(2, 2), (2, 1)]);
    // A man of either postal code is in hospital A's class of both, and not in hospital B.
    for code in ["560011", "560012"] {
        let man = person("Male", code);
        assert_eq!(man.releases.iter().map(|release| release.classes).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(man.l, 2);
    }
}

/// ℓ_[t] by trying everything: which sets of values can be left after t classes with at least ℓ values each and one value
/// in common.
fn worst_by_search(values: u32, l: u32, releases: u32) -> u32 {
    let classes: Vec<u32> = (1u32..1 << values).filter(|class| class.count_ones() >= l && class & 1 == 1).collect();
    let mut left = vec![false; 1 << values];
    left[(1 << values) - 1] = true;
    for _ in 0..releases {
        let mut next = vec![false; 1 << values];
        for set in (0..left.len()).filter(|&set| left[set]) {
            classes.iter().for_each(|&class| next[set & class as usize] = true);
        }
        left = next;
    }
    (0..left.len() as u32).filter(|&set| left[set as usize]).map(u32::count_ones).min().unwrap()
}

/// Proposition 3.1 and Corollary 3.3 where t divides |S| − 1, and max(1, |S| − t(|S| − ℓ)) for all |S| ≤ 7, t ≤ 4.
#[test]
fn l_delta_diversity_proposition_3_1() {
    for values in 1..=7u32 {
        for (l, t) in (1..=values).flat_map(|l| (1..=4).map(move |t| (l, t))) {
            let found = worst_by_search(values, l, t);
            assert_eq!(worst_case(values, l, t), found, "|S| = {values}, ℓ = {l}, t = {t}");
            let others = values - 1;
            if t >= 2 && others > 0 && others.is_multiple_of(t) {
                let bound = others * (t - 1) / t + 1;
                let printed = if l <= bound { 1 } else { others + 1 - (others + 1 - l) * t };
                assert_eq!(printed, found, "Proposition 3.1: |S| = {values}, ℓ = {l}, t = {t}");
                if t == 2 {
                    let printed = if l <= others / 2 + 1 { 1 } else { 2 * l - others - 1 };
                    assert_eq!(printed, found, "Corollary 3.3: |S| = {values}, ℓ = {l}");
                }
            }
        }
    }
    assert_eq!((worst_case(50, 40, 2), worst_case(50, 40, 5), worst_case(50, 48, 3)), (30, 1, 44));
}

/// All partitions of 0..count, by restricted growth.
fn partitions(count: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![vec![]];
    for item in 0..count {
        let mut next = Vec::new();
        for partition in all {
            for place in 0..=partition.len() {
                let mut grown = partition.clone();
                match grown.get_mut(place) {
                    Some(class) => class.push(item),
                    None => grown.push(vec![item]),
                }
                next.push(grown);
            }
        }
        all = next;
    }
    all
}

/// Lemma 4.3: no admissible collection of classes, contiguous or not, has more than m. Remark 1: none of the bounds is
/// always the least.
#[test]
fn l_delta_diversity_lemma_4_3() {
    let mut draws = Draws(43);
    let mut seen = [0; 3];
    for case in 0..60 {
        let quasi = 1 + draws.below(6);
        let joint = draws.joint(quasi, 5, f64::from(case % 3));
        let marginal = joint.marginal();
        let all = partitions(quasi as usize);
        for l in 1..=marginal.len() as u32 {
            for share in [1.0, 0.5, 0.2, 0.05] {
                let p = marginal[l as usize - 1] * share;
                let (bound, by) = class_bound(f64::from(quasi), &marginal, l, p);
                seen[by as usize] += 1;
                let fits = |partition: &&Vec<Vec<usize>>| partition.iter().all(|class| admissible(&joint, class, l, p));
                let most = all.iter().filter(fits).map(Vec::len).max();
                // Lemma 4.2: there is one, all in one class.
                let most = most.expect("p is at most p_ℓ");
                assert!(most as f64 <= bound * (1.0 + 1e-9), "{most} classes, m = {bound}");
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    let (p, third) = (0.1, 1.0 / 3.0);
    assert_eq!(class_bound(1e9, &[third; 3], 2, p).1, Bound::Mass);
    assert_eq!(class_bound(1e9, &[0.99, 0.009, 0.001], 3, 0.001).1, Bound::Rest);
    assert_eq!(class_bound(2.0, &[third; 3], 2, p).1, Bound::Quasi);
}

/// Proposition 4.6: GREEDY-GENERALIZE has the most classes of all contiguous partitions, and never loses the last
/// quasi-identifier.
#[test]
fn l_delta_diversity_proposition_4_6() {
    let mut draws = Draws(46);
    let (mut alone, mut joined) = (0, 0);
    for case in 0..1500 {
        let quasi = 1 + draws.below(9);
        let joint = draws.joint(quasi, 4, [0.0, 0.0, 3.0][case % 3]);
        let l = 1 + draws.below(4);
        // Useful values of p, and others.
        let p = match draws.below(3) {
            0 => probability(&joint, &[draws.below(quasi) as usize], draws.below(4) as usize).max(1e-6),
            _ => f64::from(1 + draws.below(400)) / 1000.0,
        };
        // By dynamic programming over all contiguous partitions: the most classes of the first `end` quasi-identifiers.
        let mut most: Vec<Option<u32>> = vec![Some(0)];
        for end in 1..=quasi as usize {
            let fits = |start: &usize| admissible(&joint, &(*start..end).collect::<Vec<_>>(), l, p);
            most.push((0..end).filter(fits).filter_map(|start| most[start].map(|most| most + 1)).max());
        }
        let found = greedy_generalize(&joint, l, p);
        assert_eq!(found.as_ref().map(|ends| ends.len() as u32), most[quasi as usize], "case {case}");
        let Some(ends) = found else { continue };
        assert_eq!(ends.last(), Some(&quasi), "the last quasi-identifier is lost");
        let starts = std::iter::once(0).chain(ends.iter().copied());
        for (start, &end) in starts.zip(&ends) {
            let class: Vec<usize> = (start as usize..end as usize).collect();
            assert!(!class.is_empty() && admissible(&joint, &class, l, p));
            // The largest p of the same classes is at least this one.
            assert!(largest_p(&joint, l, &ends) >= p * (1.0 - 1e-9));
        }
        let last = ends.len().checked_sub(2).map_or(0, |before| ends[before]);
        let last_alone = admissible(&joint, &[quasi as usize - 1], l, p);
        alone += u32::from(last + 1 == quasi && quasi > 1);
        joined += u32::from(ends.len() > 1 && !last_alone);
    }
    // As printed, the loop ends before a last quasi-identifier that is a class of its own.
    assert!(alone > 20 && joined > 20, "{alone} {joined}");
}

/// Lemma 4.7 and Corollary 4.8. As printed they fail where ⌊θ·p_ℓ/p⌋ does not divide |Q|: the size T is rounded down, so
/// that classes are too small.
#[test]
fn l_delta_diversity_lemma_4_7_corollary_4_8() {
    let independent = |quasi: &[u32], values: &[u32]| {
        let pairs = (0..).zip(quasi).flat_map(|(place, &weight)| {
            (0..).zip(values).map(move |(value, &other)| (place, value, weight * other)).collect::<Vec<_>>()
        });
        Joint::weigh(pairs.collect::<Vec<_>>().into_iter(), quasi.len(), values.len(), 0.0)
    };
    // Where it divides, the corollary holds: ⌊p_ℓ/p⌋ classes, and no contiguous partition has more.
    let values = [5, 4, 3, 2, 1];
    let even = independent(&[2; 12], &values);
    let marginal = even.marginal();
    for (l, classes) in [(2, 1), (2, 3), (3, 4), (3, 6), (5, 12)] {
        let p = marginal[l as usize - 1] / f64::from(classes);
        let ends = generalize_independent(&even, l, p).unwrap();
        assert_eq!(ends.len() as u32, classes);
        assert_eq!(greedy_generalize(&even, l, p).unwrap().len() as u32, classes);
    }
    // |Q| = 10, p_ℓ/p = 3: T = ⌊10/3⌋ = 3 gives classes with 0.9·p, and no admissible algorithm has 3 classes.
    let ten = independent(&[1; 10], &values);
    let p = ten.marginal()[1] / 3.0;
    assert!(!admissible(&ten, &[0, 1, 2], 2, p) && admissible(&ten, &[0, 1, 2, 3], 2, p));
    assert_eq!(generalize_independent(&ten, 2, p).unwrap(), [4, 10]);
    assert_eq!(greedy_generalize(&ten, 2, p).unwrap().len(), 2);
    // What is left of the lemma: classes of one size that are admissible for any P_Q, as many as ⌊|Q|/T⌋.
    let mut draws = Draws(47);
    for _ in 0..300 {
        let quasi: Vec<u32> = (0..1 + draws.below(30)).map(|_| 1 + draws.below(5)).collect();
        let joint = independent(&quasi, &values);
        let l = 1 + draws.below(5);
        let (p_l, theta) = (joint.marginal()[l as usize - 1], joint.evenness());
        let p = theta * p_l / (1.0 + f64::from(draws.below(400)) / 20.0);
        let ends = generalize_independent(&joint, l, p).unwrap();
        let mut start = 0;
        for &end in &ends {
            assert!(admissible(&joint, &(start..end as usize).collect::<Vec<_>>(), l, p));
            start = end as usize;
        }
        assert_eq!(start, quasi.len());
        assert!(ends.len() <= greedy_generalize(&joint, l, p).unwrap().len());
        let promised = (theta * p_l / p + 1e-9).floor() as usize;
        if quasi.len().is_multiple_of(promised.max(1)) {
            assert!(ends.len() >= promised);
        }
        // Else as many as classes of the size ⌈|Q|/⌊θ·p_ℓ/p⌋⌉ allow.
        let size = quasi.len().div_ceil(promised.max(1));
        assert!(ends.len() >= quasi.len() / size, "{} of {promised}", ends.len());
    }
    assert_eq!(generalize_independent(&ten, 2, ten.marginal()[1] * 1.01), None);
}

/// Section 5: N for |Q| = 3000, |S| = 50.
#[test]
fn l_delta_diversity_section5_rows_needed() {
    let needed = |marginal: &[f64], share: f64, l: u32, delta: f64| {
        let p = share * marginal[l as usize - 1];
        let (classes, _) = class_bound(3000.0, marginal, l, p);
        (rows_needed(classes, l, delta, p), classes)
    };
    let even = uniform(50);
    for l in [10, 30] {
        let (rows, _) = needed(&even, 0.01, l, 0.01);
        assert!((rows - 65_605.26).abs() < 0.005, "{rows}");
        assert_eq!(whole_rows(rows), 65_606);
        let (rows, _) = needed(&even, 0.02, l, 0.01);
        assert!((rows - 31_066.83).abs() < 0.005, "{rows}");
    }
    let skewed = geometric(50, 0.95);
    assert!((skewed[0] - 0.054168).abs() < 5e-7, "{}", skewed[0]);
    assert!((skewed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let (rows, classes) = needed(&skewed, 0.01, 10, 0.01);
    assert!((rows - 36_865.11).abs() < 0.005 && (classes - 292.917).abs() < 5e-4, "{rows} {classes}");
    let (rows, _) = needed(&skewed, 0.01, 30, 0.01);
    assert!((rows - 111_228.64).abs() < 0.005, "{rows}");
    assert_eq!((whole_rows(7.0), whole_rows(7.2), whole_rows(7.0 + 1e-12)), (7, 8, 7));
}
