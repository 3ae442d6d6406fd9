//! (τ,ℓ)-diversity: Examples 5 to 7 and Theorem 2, the order that the sequential sweep follows.
//!
//! Fig. 3 is a drawing; the text of Example 5 says what is in it: a0 and b0 are roots, each with two leaves.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::algorithms::sweep::order::{Order, Span, retained};
use throng::hierarchy::{Hierarchy, NodeId};

fn taxonomy(name: &str) -> Hierarchy {
    let row = |leaf: u32| vec![format!("{name}{leaf}"), format!("{name}0")];
    Hierarchy::from_rows(&[row(1), row(2)]).unwrap()
}

/// The order over two or more trees, all leaves with the weight 1.
fn order(trees: &[&Hierarchy]) -> Order {
    let information: Vec<Vec<f64>> = trees.iter().map(|tree| retained(tree, &vec![1.0; tree.leaves().len()])).collect();
    let span = |tree: &&Hierarchy| Span { least: 0, deepest: tree.levels() as u16 - 1 };
    let spans: Vec<Span> = trees.iter().map(span).collect();
    Order::new(&information, &spans, &(0..trees.len()).collect::<Vec<_>>(), false, 1 << 16)
}

fn named(trees: &[&Hierarchy], nodes: &[NodeId]) -> String {
    trees.iter().zip(nodes).map(|(tree, &node)| tree.label(node)).collect()
}

/// Example 5: the level vectors <1,1,1>, <0.75,1,0>, <0.75,0,1>, <0.5,0,0>, in this order.
#[test]
fn tau_l_diversity_example5_level_vectors() {
    let (a, b) = (taxonomy("a"), taxonomy("b"));
    let order = order(&[&a, &b]);
    let vectors: Vec<(f64, &[u16])> = (0..order.len()).map(|at| (order.information(at), order.levels(at))).collect();
    assert_eq!(vectors, [(1.0, &[1, 1][..]), (0.75, &[1, 0]), (0.75, &[0, 1]), (0.5, &[0, 0])]);
}

/// Examples 5 and 6: a1b1, a1b0, a0b1, a0b0; all of them cover a1b1.
#[test]
fn tau_l_diversity_examples5_6_order() {
    let (a, b) = (taxonomy("a"), taxonomy("b"));
    let trees = [&a, &b];
    let order = order(&trees);
    let tuple = [a.find("a1").unwrap(), b.find("b1").unwrap()];
    let mut classes = Vec::new();
    let mut at = None;
    while let Some((vector, nodes)) = order.next(&trees, &tuple, at) {
        classes.push(named(&trees, &nodes));
        at = Some(vector);
    }
    assert_eq!(classes, ["a1b1", "a1b0", "a0b1", "a0b0"]);
}

/// Example 7: of two rows in the class a1b0, a1b1 goes to a0b1 and a1b2 to a0b2.
#[test]
fn tau_l_diversity_example7_next_class() {
    let (a, b) = (taxonomy("a"), taxonomy("b"));
    let trees = [&a, &b];
    let order = order(&trees);
    let next = |second: &str| {
        let tuple = [a.find("a1").unwrap(), b.find(second).unwrap()];
        let (here, nodes) = order.next(&trees, &tuple, Some(0)).unwrap();
        assert_eq!(named(&trees, &nodes), "a1b0");
        named(&trees, &order.next(&trees, &tuple, Some(here)).unwrap().1)
    };
    assert_eq!([next("b1"), next("b2")], ["a0b1", "a0b2"]);
}

/// Theorem 2: any two QI values that cover one tuple are ordered, so each has a place of its own on the tuple's way, on
/// which what is more general never comes earlier. For every tuple of two ragged trees and an even one.
#[test]
fn tau_l_diversity_theorem2() {
    let rows = |rows: &[&[&str]]| {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
        Hierarchy::from_rows(&rows).unwrap()
    };
    let deep = rows(&[&["1", "1-2", "1-4", "*"], &["2", "1-2", "1-4", "*"], &["3", "1-4", "*"], &["5", "*"]]);
    let wide = rows(&[&["x", "g", "*"], &["y", "g", "*"], &["z", "*"], &["w", "*"], &["v", "h", "*"]]);
    let even = taxonomy("a");
    let trees = [&deep, &wide, &even];
    let order = order(&trees);
    let mut tuples = 0;
    for &one in deep.leaves() {
        for &two in wide.leaves() {
            for &three in even.leaves() {
                let tuple = [one, two, three];
                let mut way: Vec<Vec<NodeId>> = Vec::new();
                let mut at = None;
                while let Some((vector, nodes)) = order.next(&trees, &tuple, at) {
                    way.push(nodes);
                    at = Some(vector);
                }
                let covering: usize = trees.iter().zip(tuple).map(|(tree, leaf)| tree.path(leaf).count()).product();
                assert_eq!(way.len(), covering, "each QI value that covers the tuple once");
                let covers = |one: &[NodeId], other: &[NodeId]| {
                    trees.iter().zip(one.iter().zip(other)).all(|(tree, (&one, &other))| tree.covers(one, other))
                };
                for (place, later) in way.iter().enumerate() {
                    assert!(!way[..place].contains(later));
                    assert!(way[..place].iter().all(|earlier| !covers(earlier, later)), "more general and earlier");
                }
                assert_eq!(way[0], tuple);
                tuples += 1;
            }
        }
    }
    assert_eq!(tuples, 40);
}
