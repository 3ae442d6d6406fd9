//! (τ,ℓ)-diversity: Examples 1 to 4 and Theorem 1.
//!
//! The tables of Fig. 2 are drawings that the text does not repeat. What it says of the class <[20,29], 1000*> (rows 1,
//! 2, 4 and 5) fixes what is needed: two rows induce hepatitis by a half, one entirely and one not at all, and F is
//! 0.5, 0.75, 1, 1 over four base values.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::classes::Histogram;
use throng::hierarchy::{Hierarchy, NodeId};
use throng::privacy::{Induced, Model, TauL, cumulative_frequencies, cumulative_limit, smallest_tau};

/// Four base values, each two under a group.
fn taxonomy() -> Hierarchy {
    let rows = [
        vec!["hepatitis", "digestive", "*"],
        vec!["gastritis", "digestive", "*"],
        vec!["phthisis", "respiratory", "*"],
        vec!["asthma", "respiratory", "*"],
    ];
    Hierarchy::from_rows(&rows).unwrap()
}

/// Every node is its own code.
fn induced(tree: &Hierarchy, weights: &[f64]) -> Induced {
    let nodes: Vec<NodeId> = (0..tree.len() as NodeId).collect();
    Induced::new(tree, &nodes, weights)
}

fn class(tree: &Hierarchy, cells: &[&str]) -> Vec<(u32, u32)> {
    let mut counts: Vec<(u32, u32)> = Vec::new();
    let mut codes: Vec<NodeId> = cells.iter().map(|cell| tree.find(cell).unwrap()).collect();
    codes.sort_unstable();
    for code in codes {
        match counts.last_mut() {
            Some(last) if last.0 == code => last.1 += 1,
            _ => counts.push((code, 1)),
        }
    }
    counts
}

const CLASS_1: [&str; 4] = ["digestive", "digestive", "hepatitis", "phthisis"];

/// Example 1: (0.5 + 0.5 + 1 + 0) / 4 = 0.5.
#[test]
fn tau_l_diversity_example1_induced_frequency() {
    let tree = taxonomy();
    let counts = class(&tree, &CLASS_1);
    let frequencies = induced(&tree, &[1.0; 4]).frequencies(&Histogram { size: 4, counts: &counts });
    // Hepatitis, gastritis, phthisis.
    assert_eq!(frequencies, [(0, 0.5), (1, 0.25), (2, 0.25)]);
}

/// With a weight of 0 for gastritis, which then does not occur, every digestive illness is hepatitis.
#[test]
fn tau_l_diversity_example1_weights() {
    let tree = taxonomy();
    let counts = class(&tree, &CLASS_1);
    let class = Histogram { size: 4, counts: &counts };
    assert_eq!(induced(&tree, &[1.0, 0.0, 1.0, 1.0]).frequencies(&class), [(0, 0.75), (2, 0.25)]);
    assert_eq!(induced(&tree, &[3.0, 1.0, 1.0, 1.0]).frequencies(&class)[0], (0, 0.625));
    // The weights where nothing is known: 1 for what occurs.
    let leaves = tree.leaves();
    let weights = Induced::weights_of_occurring(&tree, leaves, &[5, 0, 1, 2]);
    assert_eq!(weights, [1.0, 0.0, 1.0, 1.0]);
}

/// Examples 2 and 3: F = 0.5, 0.75, 1, 1 meets ψ = 0.5, 0.75, 1, 1 of (0.5,3) and nothing stricter.
#[test]
fn tau_l_diversity_examples2_3_cumulative() {
    let tree = taxonomy();
    let counts = class(&tree, &CLASS_1);
    let class = Histogram { size: 4, counts: &counts };
    let induced = induced(&tree, &[1.0; 4]);
    let frequencies = induced.frequencies(&class);
    let cumulative: Vec<f64> = cumulative_frequencies(&frequencies).collect();
    // The fourth value has none: F(4) = F(3).
    assert_eq!(cumulative, [0.5, 0.75, 1.0]);
    let limits: Vec<f64> = (1..=4).map(|k| cumulative_limit(0.5, 3, k)).collect();
    assert_eq!(limits, [0.5, 0.75, 1.0, 1.0]);
    let model = |tau, l| TauL { tau, l, induced: induced.clone() };
    assert!(model(0.5, 3).holds(&class));
    assert!(!model(0.499, 3).holds(&class) && !model(0.5, 4).holds(&class));
    assert_eq!(smallest_tau(&frequencies, 3), 0.5);
    assert_eq!(model(0.5, 3).achieved(&class), 0.5);
}

/// Example 4: a row with 10 leaves in each of two quasi-identifiers and 2 in the sensitive column keeps
/// 1/10 + 1/10 + 1/2 = 0.7.
#[test]
fn tau_l_diversity_example4_information() {
    let wide = Hierarchy::flat((0..10).map(|leaf| leaf.to_string()));
    let tree = taxonomy();
    let information = |tree: &Hierarchy, label: &str| 1.0 / tree.leaf_count(tree.find(label).unwrap()) as f64;
    let kept = information(&wide, "*") + information(&wide, "*") + information(&tree, "digestive");
    assert!((kept - 0.7).abs() < 1e-12);
}

/// Theorem 1: in no way of choosing k values is the chance that a person of the class has one of them above ψ(k). The
/// chance is computed from the rows: each row is as likely the person's, and each leaf of its cell, by weight, the value.
#[test]
fn tau_l_diversity_theorem1() {
    let tree = taxonomy();
    let weights = [2.0, 1.0, 1.0, 0.5];
    let induced = induced(&tree, &weights);
    let size = tree.len() as u32;
    let (tau, l) = (0.6, 3);
    let (mut holding, mut failing) = (0, 0);
    // All classes of four rows over the seven nodes.
    for code in 0..size.pow(4) {
        let mut rows: Vec<NodeId> = (0..4).map(|place| code / size.pow(place) % size).collect();
        if rows.windows(2).any(|pair| pair[0] > pair[1]) {
            continue;
        }
        let chance = |values: u32| -> f64 {
            let of_row = |&node: &NodeId| {
                let leaves: Vec<usize> = (0..4).filter(|&leaf| tree.covers(node, tree.leaves()[leaf])).collect();
                let total: f64 = leaves.iter().map(|&leaf| weights[leaf]).sum();
                leaves.iter().filter(|&&leaf| values >> leaf & 1 == 1).map(|&leaf| weights[leaf] / total).sum::<f64>()
            };
            rows.iter().map(of_row).sum::<f64>() / 4.0
        };
        let within = (1..16u32).all(|values| chance(values) <= cumulative_limit(tau, l, values.count_ones()) + 1e-9);
        rows.sort_unstable();
        let counts: Vec<(u32, u32)> =
            rows.chunk_by(|one, other| one == other).map(|run| (run[0], run.len() as u32)).collect();
        let model = TauL { tau, l, induced: induced.clone() };
        assert_eq!(model.holds(&Histogram { size: 4, counts: &counts }), within, "{rows:?}");
        if within { holding += 1 } else { failing += 1 }
    }
    assert!(holding > 20 && failing > 20, "{holding} {failing}");
}
