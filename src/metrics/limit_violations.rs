//! Constraint violations (constrained k-anonymity, §5 and Table 1): what a run that knows no limits does to them.
//!
//! A kept cell violates its limit when it shows a node above the most general one that its value may become
//! (Definition 3). Suppressed rows show nothing and violate nothing. The limits are given beside the release, which was
//! made without them. Complexity: O(rows · columns).

use crate::hierarchy::NodeId;
use crate::release::{Released, SUPPRESSED};

/// The violations in each quasi-identifier. `limits` has, for every quasi-identifier in the order of the release, the
/// limit of each code of its column; a column or code without one has no limit.
pub fn of(released: &Released<'_>, limits: &[Vec<NodeId>]) -> Vec<u64> {
    let Released { table, quasi, release, .. } = *released;
    let mut violations = vec![0; quasi.len()];
    let columns = quasi.iter().zip(&release.quasi).zip(limits);
    for (((quasi, nodes), limits), violations) in columns.zip(&mut violations) {
        let depth = |limit: &NodeId| quasi.tree.depth(*limit);
        let depth_of_limit: Vec<usize> = limits.iter().map(depth).collect();
        let depth_of_class: Vec<usize> = nodes.iter().map(depth).collect();
        let cells = release.class_of_row.iter().zip(&table.columns[quasi.column].codes);
        // Both lie on the way from the value to the root: what is less deep is above.
        let violates = |(class, code): (u32, u32)| match depth_of_limit.get(code as usize) {
            Some(&limit) => class != SUPPRESSED && depth_of_class[class as usize] < limit,
            None => false,
        };
        *violations = cells.filter(|&(&class, &code)| violates((class, code))).count() as u64;
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{Hierarchy, Limits, ROOT};
    use crate::policy::Quasi;
    use crate::random::Random;
    use crate::release::Release;
    use crate::table::{Column, DictionaryBuilder, Table};

    /// Fig. 2's locations, a level short: a state may be limited to itself or to its region.
    fn locations() -> Hierarchy {
        let lines =
            [["San Diego", "California", "West"], ["Wichita", "Kansas", "Midwest"], ["Lincoln", "Nebraska", "Midwest"]];
        let rows: Vec<Vec<&str>> = lines.iter().map(|line| line.iter().copied().chain(["*"]).collect()).collect();
        Hierarchy::from_rows(&rows).expect("a tree")
    }

    fn column(name: &str, values: &[&str]) -> Column {
        let mut builder = DictionaryBuilder::default();
        let codes = values.iter().map(|value| builder.code(value.as_bytes()).expect("a code").code).collect();
        Column::new(name.into(), builder.finish(), codes, &[])
    }

    fn quasi(place: usize, column: &Column, tree: &Hierarchy) -> Quasi {
        let leaf_of_code: Vec<NodeId> = column.dictionary.iter().map(|text| tree.find(text).expect("a leaf")).collect();
        let limit_of_code = vec![ROOT; leaf_of_code.len()];
        Quasi { column: place, tree: tree.clone(), leaf_of_code, limit_of_code }
    }

    #[test]
    fn counts_cells_above_their_limits() {
        let tree = locations();
        let place = column("place", &["San Diego", "Wichita", "Lincoln", "Lincoln", "Wichita"]);
        let quasi = [quasi(0, &place, &tree)];
        let table = Table { rows: 5, columns: vec![place] };
        let node = |label| tree.find(label).expect("a node");
        // Wichita may become Kansas at most, the others their region.
        let limits = [vec![node("West"), node("Kansas"), node("Midwest")]];
        let of = |class_of_row: [u32; 5], shown: &[NodeId]| {
            let release =
                Release { class_of_row: class_of_row.to_vec(), quasi: vec![shown.to_vec()], sensitive: vec![] };
            super::of(&Released { table: &table, quasi: &quasi, sensitive: &[], release: &release }, &limits)
        };
        assert_eq!(of([0; 5], &[ROOT]), [5]);
        assert_eq!(of([0, 1, 1, 1, 1], &[node("West"), node("Midwest")]), [2]);
        assert_eq!(of([0, 1, 2, 2, 1], &[node("California"), node("Kansas"), node("Midwest")]), [0]);
        assert_eq!(of([SUPPRESSED, 0, 1, SUPPRESSED, SUPPRESSED], &[node("Midwest"), node("Lincoln")]), [1]);
    }

    #[test]
    fn agrees_with_walking_up_from_every_cell() {
        let tree = locations();
        let names = ["San Diego", "Wichita", "Lincoln"];
        let mut random = Random::new(3);
        for _ in 0..500 {
            let rows = 1 + random.below(12) as usize;
            let mut draw = || (0..rows).map(|_| names[random.below(3) as usize]).collect::<Vec<_>>();
            let columns = vec![column("from", &draw()), column("to", &draw())];
            let quasi = [quasi(0, &columns[0], &tree), quasi(1, &columns[1], &tree)];
            let marks: Vec<NodeId> = (0..3).map(|_| random.below(tree.len() as u32)).collect();
            let marked = Limits::new(&tree, &marks);
            let limit = |leaf: &NodeId| marked.of(&tree, *leaf);
            let limits: Vec<Vec<NodeId>> =
                quasi.iter().map(|quasi| quasi.leaf_of_code.iter().map(limit).collect()).collect();
            // Every row is a class of its own, or suppressed; its cells are anything above its values.
            let class_of_row: Vec<u32> =
                (0..rows as u32).map(|row| if random.percent(20) { SUPPRESSED } else { row }).collect();
            let mut shown: Vec<Vec<NodeId>> = Vec::new();
            let mut expected = Vec::new();
            for (column, quasi) in columns.iter().zip(&quasi) {
                let leaf = |row: usize| quasi.leaf_of_code[column.codes[row] as usize];
                let path = |row: usize| tree.path(leaf(row)).collect::<Vec<NodeId>>();
                let nodes: Vec<NodeId> = (0..rows).map(|row| path(row)[random.below(4) as usize]).collect();
                let allowed = |row: &usize| marked.allow(&tree, leaf(*row), nodes[*row]);
                let kept = (0..rows).filter(|&row| class_of_row[row] != SUPPRESSED);
                expected.push(kept.filter(|row| !allowed(row)).count() as u64);
                shown.push(nodes);
            }
            let table = Table { rows, columns };
            let release = Release { class_of_row, quasi: shown, sensitive: vec![] };
            let released = Released { table: &table, quasi: &quasi, sensitive: &[], release: &release };
            assert_eq!(of(&released, &limits), expected);
            assert_eq!(of(&released, &[]), [0, 0]);
        }
    }
}
