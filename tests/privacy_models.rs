//! Privacy models: bounds that are met exactly, classes at the edge, counterexamples to being kept, and the sentences.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "support/reference.rs"]
mod reference;

use throng::classes::Histogram;
use throng::classes::{Classes, Keys};
use throng::hierarchy::{Hierarchy, NodeId};
use throng::privacy::*;

fn with<T>(counts: &[u32], ask: impl Fn(&Histogram<'_>) -> T) -> T {
    let entries: Vec<(u32, u32)> =
        (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(value, &count)| (value, count)).collect();
    ask(&Histogram { size: counts.iter().sum(), counts: &entries })
}

fn holds(model: &dyn Model, counts: &[u32]) -> bool {
    with(counts, |class| model.holds(class))
}

fn achieved(model: &dyn Model, counts: &[u32]) -> f64 {
    with(counts, |class| model.achieved(class))
}

fn entropy(l: f64) -> EntropyL {
    EntropyL { l, dont_care: Vec::new() }
}

fn positive_disclosure(c: f64, l: u32, dont_care: &[u32]) -> NpdRecursiveCL {
    NpdRecursiveCL { c, l, dont_care: dont_care.to_vec(), no_negative: Vec::new(), c2: 0.0 }
}

// --- bounds that are met exactly ---------------------------------------------------------------

/// A class of ℓ equally frequent values is ℓ-diverse, whatever ln ℓ is rounded to.
#[test]
fn uniform_classes_meet_entropy() {
    for l in 1..=200u32 {
        for multiplicity in [1, 2, 3, 7, 10, 49, 1000, 12_345, 1_000_003] {
            let class = vec![multiplicity; l as usize];
            assert!(holds(&entropy(f64::from(l)), &class), "{l} values, {multiplicity} rows each");
            assert!(!holds(&entropy(f64::from(l) * (1.0 + 1e-8)), &class), "{l} values, {multiplicity} rows each");
        }
    }
}

/// Not uniform, but exactly 4: ln 8 − (4·ln 4)/8 = ln 4.
#[test]
fn an_uneven_class_meets_entropy_exactly() {
    for multiplicity in 1..=500 {
        let class = [4, 1, 1, 1, 1].map(|count| count * multiplicity);
        assert!(holds(&entropy(4.0), &class) && !holds(&entropy(4.000_001), &class));
    }
}

/// With don't-care values lowered to the sensitive ones, it is exactly uniform as well.
#[test]
fn lowered_classes_meet_entropy() {
    for l in 2..=50u32 {
        for (sensitive, dont_care) in [(1, 1), (3, 700), (300, 700), (7, 8)] {
            let mut class = vec![dont_care; l as usize];
            class[0] = sensitive;
            let model = EntropyL { l: f64::from(l), dont_care: (1..l).collect() };
            assert!(holds(&model, &class), "{l} {sensitive} {dont_care}");
            assert!(!holds(&EntropyL { l: f64::from(l) + 1e-6, ..model }, &class));
        }
    }
}

/// The bound is strict: at r1 = c·tail the class fails, although 1.1·110 is more than 121 in binary.
#[test]
fn recursive_is_strict() {
    assert!(!holds(&RecursiveCL { c: 1.1, l: 2 }, &[121, 110]));
    for tenths in 1..=40u32 {
        for tail in 1..=2_000u32 {
            let c = f64::from(tenths) / 10.0;
            let most = tenths * tail / 10;
            if most == 0 {
                continue;
            }
            // Values that share the tail, none more frequent than the first.
            let mut class = vec![most];
            class.extend(std::iter::repeat_n(most, (tail / most) as usize));
            class.push(tail % most);
            let equal = most * 10 == tenths * tail;
            assert_eq!(holds(&RecursiveCL { c, l: 2 }, &class), !equal, "{c} {tail}");
        }
    }
}

#[test]
fn bounds_pass_at_equality() {
    assert!(holds(&Alpha { alpha: 0.3, values: Vec::new() }, &[3, 3, 3, 1]));
    assert!(!holds(&Alpha { alpha: 0.299_999, values: Vec::new() }, &[3, 3, 3, 1]));
    let reference = reference::equal(&[7, 7, 7, 7, 7, 7, 7]);
    // 6/7 too much.
    assert!(holds(&TCloseness { t: 6.0 / 7.0, reference: reference.clone() }, &[1]));
    assert!(holds(&TCloseness { t: 0.0, reference: reference.clone() }, &[3, 3, 3, 3, 3, 3, 3]));
    assert!(!holds(&TCloseness { t: 0.857_142, reference }, &[1]));
    // 29 % of 100 rows: 0.29·100 is not 29 in binary.
    let model = NpdRecursiveCL { c: 9.0, l: 1, dont_care: Vec::new(), no_negative: vec![1], c2: 29.0 };
    assert!(holds(&model, &[71, 29]) && !holds(&model, &[72, 28]));
}

/// ℓ = 1 always holds; fewer values than ℓ never do.
#[test]
fn classes_at_the_edge() {
    assert!(holds(&RecursiveCL { c: 0.001, l: 1 }, &[1000]));
    for l in 4..8 {
        assert!(!holds(&RecursiveCL { c: 1e12, l }, &[1, 1, 1]));
        assert_eq!(achieved(&RecursiveCL { c: 1.0, l }, &[1, 1, 1]), f64::INFINITY);
    }
    // Only don't-care values: nothing to bound. Their adjusted entropy is that of as many equally frequent values.
    assert!(holds(&positive_disclosure(0.001, 5, &[0, 1]), &[900, 1]));
    assert_eq!(achieved(&positive_disclosure(0.001, 5, &[0, 1]), &[900, 1]), 0.0);
    let model = EntropyL { l: 2.0, dont_care: vec![0, 1] };
    assert_eq!([achieved(&model, &[900, 1]), achieved(&model, &[900])], [2.0, 1.0]);
    // Named values that a class lacks have no share of it.
    assert_eq!(achieved(&Alpha { alpha: 0.1, values: vec![5] }, &[4, 4]), 0.0);
}

/// "Lower the more frequent don't-care values, then check as usual" is not Definition 4.3 for c ≤ 1 and y > ℓ − 1.
#[test]
fn lowering_is_not_the_definition() {
    // 4 < 0.5·10, but lowered to 4 and 4 it is not less than 0.5·4.
    assert!(holds(&positive_disclosure(0.5, 2, &[0]), &[10, 4]));
    assert!(!holds(&RecursiveCL { c: 0.5, l: 2 }, &[4, 4]));
    // Nor at 1: 4 < 10, but not 4 < 4.
    assert!(holds(&positive_disclosure(1.0, 2, &[0]), &[10, 4]) && !holds(&RecursiveCL { c: 1.0, l: 2 }, &[4, 4]));
    // Above 1 they agree.
    assert!(holds(&positive_disclosure(1.5, 2, &[0]), &[10, 4]) && holds(&RecursiveCL { c: 1.5, l: 2 }, &[4, 4]));
}

// --- what does not keep a model ----------------------------------------------------------------

/// Models that merging keeps are not kept by any added rows: each holds for a class and fails after rows were added.
#[test]
fn merging_is_not_growing() {
    let tree = Hierarchy::flat(["a", "b", "c"]);
    let nodes: Vec<NodeId> = tree.leaves().to_vec();
    let closeness = |reference| TCloseness { t: 0.2, reference };
    let models: Vec<Box<dyn Model>> = vec![
        Box::new(entropy(2.0)),
        Box::new(EntropyL { l: 2.0, dont_care: vec![1] }),
        Box::new(RecursiveCL { c: 2.0, l: 2 }),
        Box::new(positive_disclosure(2.0, 2, &[1])),
        Box::new(NpdRecursiveCL { c: 1e9, l: 2, dont_care: Vec::new(), no_negative: vec![1], c2: 20.0 }),
        Box::new(TauL { tau: 0.5, l: 2, induced: Induced::new(&tree, &nodes, &[1.0; 3]) }),
        Box::new(closeness(reference::equal(&[1, 1]))),
        Box::new(closeness(reference::ordered(&[1, 1], &[0, 1]))),
        Box::new(closeness(reference::hierarchical(&[1, 1], &tree, &nodes))),
        Box::new(Alpha { alpha: 0.5, values: Vec::new() }),
        Box::new(Alpha { alpha: 0.5, values: vec![0] }),
    ];
    for model in &models {
        assert_eq!(model.monotone(), Monotone::Merging, "{model:?}");
        assert!(holds(&**model, &[5, 5]) && !holds(&**model, &[50, 5]), "{model:?}");
    }
}

/// Nor does merging a class that fails into one that holds: why suppression of failing classes is not monotone.
#[test]
fn a_failing_class_can_spoil_another() {
    assert!(holds(&RecursiveCL { c: 3.0, l: 2 }, &[2, 1]));
    assert!(!holds(&RecursiveCL { c: 3.0, l: 2 }, &[9, 0]));
    assert!(!holds(&RecursiveCL { c: 3.0, l: 2 }, &[11, 1]));
}

/// Jointly, a row can begin a block of its own, so that not even distinct values are kept by added rows.
#[test]
fn jointly_nothing_is_growing() {
    let requirement = |jointly| Requirement { attribute: Some(0), jointly, model: Box::new(DistinctL { l: 2 }) };
    assert_eq!(requirement(false).monotone(), Monotone::Growing);
    assert_eq!(requirement(true).monotone(), Monotone::Merging);
    let standing = |values: &[u32], others: &[u32]| {
        let classes = Classes::one(values.len());
        let sensitive = [(0, Keys { codes: values, size: 3 }), (1, Keys { codes: others, size: 3 })];
        check(&requirement(true), &classes, &sensitive)
    };
    assert!(standing(&[0, 1], &[0, 0]).holds);
    let grown = standing(&[0, 1, 2], &[0, 0, 1]);
    assert_eq!((grown.failing_classes, grown.failing_rows, grown.achieved), (vec![0], 3, 1.0));
    // Models of rows have no column to take jointly.
    let rows = Requirement { attribute: None, jointly: true, model: Box::new(KAnonymity { k: 2 }) };
    assert_eq!(rows.monotone(), Monotone::Growing);
}

// --- requirements ------------------------------------------------------------------------------

#[test]
fn a_requirement_on_rows_only() {
    let classes = Classes { of_row: vec![0, 0, 1, 2, 2, 2], sizes: vec![2, 1, 3] };
    let requirement = Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k: 3 }) };
    let standing = check(&requirement, &classes, &[]);
    let expected = Standing { holds: false, achieved: 1.0, failing_classes: vec![0, 1], failing_rows: 3 };
    assert_eq!(standing, expected);
}

/// Nothing is said to hold for a column that was not given.
#[test]
fn a_requirement_on_an_absent_column_fails() {
    let requirement = Requirement { attribute: Some(3), jointly: false, model: Box::new(DistinctL { l: 1 }) };
    let standing = check(&requirement, &Classes::one(2), &[(2, Keys { codes: &[0, 1], size: 2 })]);
    let expected = Standing { holds: false, achieved: 0.0, failing_classes: vec![0], failing_rows: 2 };
    assert_eq!(standing, expected);
    let standing = check(&requirement, &Classes::one(0), &[]);
    assert!(standing.holds);
}

// --- sentences ---------------------------------------------------------------------------------

#[test]
fn sentences() {
    let name = |value: u32| ["Flu", "HIV", "Cough", "Ulcer", "Asthma"][value as usize].to_owned();
    let tree = Hierarchy::from_rows(&[
        vec!["Flu", "Lung", "*"],
        vec!["HIV", "Virus", "*"],
        vec!["Cough", "Lung", "*"],
        vec!["Ulcer", "*"],
    ])
    .unwrap();
    let nodes = ["Flu", "HIV", "Cough", "Ulcer", "Lung"].map(|label| tree.find(label).unwrap());
    let tau = |tau, l| TauL { tau, l, induced: Induced::new(&tree, &nodes, &[1.0; 4]) };
    let npd = NpdRecursiveCL { c: 2.0, l: 2, dont_care: vec![0], no_negative: vec![3], c2: 10.0 };
    let cases: Vec<(Box<dyn Model>, &[u32], &str)> = vec![
        (Box::new(DistinctL { l: 2 }), &[5], "All its rows have Flu; 2 different values are needed."),
        (
            Box::new(PSensitive { p: 5 }),
            &[1, 1, 1, 1],
            "It has only 4 different values, Flu, HIV, Cough and 1 more; 5 are needed.",
        ),
        (Box::new(entropy(2.5)), &[1, 1], "It has only 2 different values, Flu and HIV; at least 2.5 are needed."),
        (
            Box::new(entropy(2.0)),
            &[9, 1],
            "Flu is too frequent (90 % of its rows): its values hide a person only as well as 1.3841 equally frequent \
             ones would; 2 are needed.",
        ),
        (
            Box::new(RecursiveCL { c: 3.0, l: 2 }),
            &[9, 1],
            "Flu is too frequent: it has 9 of 10 rows, which must be less than 3 times the 1 that have another value.",
        ),
        (
            Box::new(RecursiveCL { c: 1.5, l: 3 }),
            &[1, 9, 5],
            "HIV is too frequent: it has 9 of 15 rows, which must be less than 1.5 times the 1 left without it and the \
             most frequent other value.",
        ),
        (
            Box::new(RecursiveCL { c: 1.5, l: 4 }),
            &[4, 9, 5, 2],
            "HIV is too frequent: it has 9 of 20 rows, which must be less than 1.5 times the 2 left without it and the \
             2 most frequent other values.",
        ),
        (
            Box::new(RecursiveCL { c: 3.0, l: 3 }),
            &[1, 1],
            "It has only 2 different values, Flu and HIV; at least 3 are needed.",
        ),
        (Box::new(npd.clone()), &[30, 1, 1, 1], "Ulcer is too rare: it has 1 of 33 rows; at least 10 % are needed."),
        (
            Box::new(npd),
            &[1, 9, 0, 2],
            "HIV is too frequent: it has 9 of 12 rows, which must be less than 2 times the 3 that have another value.",
        ),
        (
            Box::new(tau(0.5, 3)),
            &[6, 2, 2],
            "The chance that a person in it has Flu is 60 %; at most 50 % are allowed.",
        ),
        (
            Box::new(tau(0.5, 4)),
            &[5, 5],
            "The chance that a person in it has one of 2 values (Flu and HIV) is 100 %; at most 66.67 % are allowed.",
        ),
        (
            Box::new(Alpha { alpha: 0.2, values: vec![1] }),
            &[6, 4],
            "HIV is too frequent: it has 4 of 10 rows; at most 20 % are allowed.",
        ),
        (
            Box::new(TCloseness { t: 0.25, reference: reference::equal(&[2, 2]) }),
            &[9, 1],
            "Its values are spread too differently from the whole table's, by 0.4 where 0.25 is allowed: most of all, \
             Flu has 90 % of its rows and 50 % of the table's.",
        ),
    ];
    for (model, class, sentence) in cases {
        let found = with(class, |class| model.explain(class, &name));
        assert_eq!(found.as_deref(), Some(sentence), "{model:?}");
    }
    assert_eq!(with(&[1, 1], |class| entropy(2.0).explain(class, &name)), None);
}

/// Codes have their numbers by who came first in the file. Of a class with groups, too, the distance is the same to the last bit.
#[test]
fn hierarchical_distances_of_groups_do_not_depend_on_the_numbers_of_codes() {
    let line = |leaf: u32| {
        [("v", 1), ("a", 2), ("b", 6), ("c", 12), ("d", 24)]
            .map(|(level, size)| format!("{level}{}", leaf / size))
            .to_vec()
    };
    let tree = Hierarchy::from_rows(&(0..48).map(|leaf| [line(leaf), vec!["*".into()]].concat()).collect::<Vec<_>>());
    let tree = tree.unwrap();
    let counts: Vec<u32> = (0..tree.len() as u32).map(|node| u32::from(tree.is_leaf(node)) * (1 + node % 7)).collect();
    // Few of them are groups: below 1 the bound is not cut.
    let rows = |node: u32| if tree.is_leaf(node) { 200 + node } else { 1 + node * 37 % 11 };
    // Each node is a code and a cell of the class, whatever its number.
    let distance = |nodes: &[NodeId]| {
        let of_code: Vec<Option<NodeId>> = nodes.iter().copied().map(Some).collect();
        let on = OnTree { tree: &tree, counts: &counts, no_value: None, nodes: &of_code };
        let cells: Vec<(u32, u32)> = (0..).zip(nodes).map(|(code, &node)| (code, rows(node))).collect();
        let class = Histogram { size: cells.iter().map(|&(_, rows)| rows).sum(), counts: &cells };
        Reference::hierarchical_on(on).distance(&class)
    };
    for picked in 1..40u32 {
        let mut nodes: Vec<NodeId> =
            (0..tree.len() as NodeId).filter(|&node| tree.is_leaf(node) || node * picked % 3 != 1).collect();
        let expected = distance(&nodes);
        assert!(expected < 1.0);
        for _ in 0..20 {
            let middle = nodes.len() / 3;
            nodes.rotate_left(middle);
            nodes.chunks_mut(2).for_each(<[NodeId]>::reverse);
            assert_eq!(distance(&nodes).to_bits(), expected.to_bits(), "{picked}");
        }
    }
}
