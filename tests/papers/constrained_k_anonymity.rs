//! Constrained k-anonymity: the seven patients of Fig. 3 with the limits of Fig. 2.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::algorithms::local::{Algorithm, Measure, Mode, Outcome, Problem, recode};
use throng::algorithms::refinement::Effort;
use throng::classes::{Classes, Keys};
use throng::hierarchy::{Hierarchy, Limits, NodeId, ROOT};
use throng::policy::Quasi;
use throng::privacy::{KAnonymity, Requirement};
use throng::progress::{NativeSink, Progress, block_on};
use throng::release::{Release, SUPPRESSED};
use throng::table::{Column, DictionaryBuilder, Table};

/// Fig. 2, a line for each leaf.
const LOCATION: [[&str; 4]; 5] = [
    ["San Diego", "California", "West Coast", "United States"],
    ["Los Angeles", "California", "West Coast", "United States"],
    ["Wichita", "Kansas", "Midwest", "United States"],
    ["Kansas City", "Kansas", "Midwest", "United States"],
    ["Lincoln", "Nebraska", "Midwest", "United States"],
];

/// The nodes that Fig. 2 prints between asterisks.
const MARKS: [&str; 3] = ["California", "Midwest", "Kansas"];

/// Fig. 3, the quasi-identifiers Age, Location, Sex, Race of r1 to r7.
const PATIENTS: [[&str; 4]; 7] = [
    ["32", "San Diego", "M", "W"],
    ["30", "Los Angeles", "M", "W"],
    ["42", "Wichita", "M", "W"],
    ["30", "Kansas City", "M", "W"],
    ["35", "Lincoln", "F", "W"],
    ["20", "Lincoln", "M", "B"],
    ["25", "Wichita", "F", "B"],
];

/// Fig. 4 a, in the order of the records ("MidWest" there is Fig. 2's "Midwest").
const FIG_4A: [[&str; 4]; 7] = [
    ["30-32", "California", "M", "W"],
    ["30-32", "California", "M", "W"],
    ["30-42", "Midwest", "*", "W"],
    ["30-42", "Midwest", "*", "W"],
    ["30-42", "Midwest", "*", "W"],
    ["20-25", "Midwest", "*", "B"],
    ["20-25", "Midwest", "*", "B"],
];

/// Fig. 4 b.
const FIG_4B: [[&str; 4]; 7] = [
    ["30-32", "California", "M", "W"],
    ["30-32", "California", "M", "W"],
    ["25-42", "Kansas", "*", "*"],
    ["25-42", "Kansas", "*", "*"],
    ["20-35", "Lincoln", "*", "*"],
    ["20-35", "Lincoln", "*", "*"],
    ["25-42", "Kansas", "*", "*"],
];

const LOCATION_PLACE: usize = 1;

fn location() -> (Hierarchy, Limits) {
    let tree = Hierarchy::from_rows(&LOCATION.map(|row| row.to_vec())).unwrap();
    let marks = MARKS.map(|mark| tree.find(mark).unwrap());
    let limits = Limits::new(&tree, &marks);
    (tree, limits)
}

fn column(rows: &[[&str; 4]; 7], place: usize) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = rows.iter().map(|row| builder.code(row[place].as_bytes()).unwrap().code).collect();
    Column::new(place.to_string(), builder.finish(), codes, &[])
}

/// Classes of rows with the same four texts.
fn classes(rows: &[[&str; 4]; 7]) -> Classes {
    let columns: Vec<Column> = (0..4).map(|place| column(rows, place)).collect();
    let keys: Vec<Keys> =
        columns.iter().map(|column| Keys { codes: &column.codes, size: column.dictionary.len() as u32 }).collect();
    Classes::group(7, &keys)
}

/// Classes of the maximum allowed microdata: Location at its limits, the rest, which nothing limits, at their roots.
fn classes_at_limits() -> Classes {
    let mut columns: Vec<(Vec<NodeId>, u32)> = Vec::new();
    for place in 0..4 {
        let column = column(&PATIENTS, place);
        let (tree, limits) = if place == LOCATION_PLACE {
            location()
        } else {
            let tree = Hierarchy::flat(column.dictionary.iter());
            let unmarked = Limits::new(&tree, &[]);
            (tree, unmarked)
        };
        let leaves = tree.bind(&column.dictionary).leaves;
        let at_limit = column.codes.iter().map(|&code| limits.of(&tree, leaves[code as usize].unwrap())).collect();
        columns.push((at_limit, tree.len() as u32));
    }
    let keys: Vec<Keys> = columns.iter().map(|(codes, size)| Keys { codes, size: *size }).collect();
    Classes::group(7, &keys)
}

/// Records whose Location became something beyond its MAGVal (Definition 5); all others are not limited.
fn violations(masked: &[[&str; 4]; 7]) -> Vec<&'static str> {
    let (tree, limits) = location();
    let mut violating = Vec::new();
    for ((name, before), after) in ["r1", "r2", "r3", "r4", "r5", "r6", "r7"].into_iter().zip(&PATIENTS).zip(masked) {
        let (leaf, node) = (tree.find(before[LOCATION_PLACE]).unwrap(), tree.find(after[LOCATION_PLACE]).unwrap());
        assert!(tree.covers(node, leaf), "every figure is truthful");
        if !limits.allow(&tree, leaf, node) {
            violating.push(name);
        }
    }
    violating
}

fn smallest(classes: &Classes) -> u32 {
    classes.sizes.iter().copied().min().unwrap()
}

/// Definition 3 on Fig. 2, with the paper's own two sentences about San Diego and Lincoln.
#[test]
fn constrained_k_anonymity_fig2_magvals() {
    let (tree, limits) = location();
    let all = limits.of_all(&tree);
    let expected = [
        ("San Diego", "California"),
        ("Los Angeles", "California"),
        // Two marks on the path, Kansas and Midwest: the first from below counts.
        ("Wichita", "Kansas"),
        ("Kansas City", "Kansas"),
        // Nebraska is not marked.
        ("Lincoln", "Midwest"),
    ];
    for (leaf, limit) in expected {
        let leaf = tree.find(leaf).unwrap();
        assert_eq!(tree.label(limits.of(&tree, leaf)), limit);
        assert_eq!(tree.label(all[leaf as usize]), limit);
    }
    // "San Diego may be generalized to itself or California, but not to West Coast or United States. Lincoln may be
    // generalized to itself, Nebraska, or Midwest, but not to United States."
    let allowed = |leaf: &str| -> Vec<&str> {
        let leaf = tree.find(leaf).unwrap();
        tree.path(leaf).filter(|&node| limits.allow(&tree, leaf, node)).map(|node| tree.label(node)).collect()
    };
    assert_eq!(allowed("San Diego"), ["San Diego", "California"]);
    assert_eq!(allowed("Lincoln"), ["Lincoln", "Nebraska", "Midwest"]);
    assert_eq!(allowed("Wichita"), ["Wichita", "Kansas"]);
}

/// Definition 4: MAGSet(Location) = {California, Kansas, Midwest}.
#[test]
fn constrained_k_anonymity_fig2_magset() {
    let (tree, limits) = location();
    let mut set: Vec<&str> = tree.leaves().iter().map(|&leaf| tree.label(limits.of(&tree, leaf))).collect();
    set.sort_unstable();
    set.dedup();
    assert_eq!(set, ["California", "Kansas", "Midwest"]);
    // Without restrictions, every leaf's MAGVal is the root.
    let unmarked = Limits::new(&tree, &[]);
    assert!(tree.leaves().iter().all(|&leaf| tree.label(unmarked.of(&tree, leaf)) == "United States"));
}

/// Fig. 3 at the limits of Fig. 2 and how many rows each k forces out, worked out by hand.
#[test]
fn constrained_k_anonymity_fig3_forced_suppression() {
    // Age, Sex and Race have no limits, so in the maximum allowed microdata they are `*` for all seven, and the classes
    // are those of Location's limits alone:
    //   California  r1 (San Diego), r2 (Los Angeles)              2 rows
    //   Kansas      r3 (Wichita), r4 (Kansas City), r7 (Wichita)  3 rows
    //   Midwest     r5 (Lincoln), r6 (Lincoln)                    2 rows
    // The Kansas rows do not help the two of Midwest, though Midwest covers Kansas: their own limit keeps them below.
    let classes = classes_at_limits();
    assert_eq!(classes.of_row, [0, 0, 1, 1, 2, 2, 1]);
    assert_eq!(classes.sizes, [2, 3, 2]);
    // k = 1, 2: every class is large enough.
    assert_eq!(classes.rows_in_classes_below(1), 0);
    assert_eq!(classes.rows_in_classes_below(2), 0);
    // k = 3: California and Midwest are one short each; 2 + 2 = 4 rows (r1, r2, r5, r6) must go, Kansas stays.
    assert_eq!(classes.rows_in_classes_below(3), 4);
    // k = 4 and more: Kansas is too small as well.
    assert_eq!(classes.rows_in_classes_below(4), 7);
    assert_eq!(classes.rows_in_classes_below(100), 7);
}

/// The same counts without classes or limits: over all 877 ways to divide seven rows, the fewest that can't be released.
#[test]
fn constrained_k_anonymity_fig3_no_masking_suppresses_less() {
    /// How far each city may go, read off Fig. 2.
    fn may_become(city: &str) -> &'static [&'static str] {
        match city {
            "San Diego" => &["San Diego", "California"],
            "Los Angeles" => &["Los Angeles", "California"],
            "Wichita" => &["Wichita", "Kansas"],
            "Kansas City" => &["Kansas City", "Kansas"],
            _ => &["Lincoln", "Nebraska", "Midwest"],
        }
    }
    // A row joins one of the clusters so far or opens another; the last row closes a way.
    fn ways(row: usize, clusters: &mut Vec<Vec<usize>>, visit: &mut dyn FnMut(&[Vec<usize>])) {
        if row == PATIENTS.len() {
            return visit(clusters);
        }
        for cluster in 0..clusters.len() {
            clusters[cluster].push(row);
            ways(row + 1, clusters, visit);
            clusters[cluster].pop();
        }
        clusters.push(vec![row]);
        ways(row + 1, clusters, visit);
        clusters.pop();
    }
    // Age, Sex and Race can always become `*`; Location needs a value that all rows of the cluster may have.
    let releasable = |cluster: &[usize]| {
        let cities: Vec<&[&str]> = cluster.iter().map(|&row| may_become(PATIENTS[row][LOCATION_PLACE])).collect();
        cities[0].iter().any(|value| cities.iter().all(|values| values.contains(value)))
    };
    let mut count = 0;
    let mut least = [usize::MAX; 9];
    ways(0, &mut Vec::new(), &mut |clusters| {
        count += 1;
        for (k, least) in least.iter_mut().enumerate() {
            let lost = |cluster: &&Vec<usize>| cluster.len() < k || !releasable(cluster);
            *least = (*least).min(clusters.iter().filter(lost).map(Vec::len).sum());
        }
    });
    assert_eq!(count, 877);
    assert_eq!(least, [0, 0, 0, 4, 7, 7, 7, 7, 7]);
    let classes = classes_at_limits();
    for (k, &least) in least.iter().enumerate() {
        assert_eq!(classes.rows_in_classes_below(k as u32), least as u64, "k = {k}");
    }
}

/// Fig. 4: both are 2-anonymous; a) breaks the limits and b) keeps them, with no row suppressed.
#[test]
fn constrained_k_anonymity_fig4_violations() {
    for masked in [&FIG_4A, &FIG_4B] {
        let classes = classes(masked);
        let mut sizes = classes.sizes.clone();
        sizes.sort_unstable();
        assert_eq!((smallest(&classes), sizes), (2, vec![2, 2, 3]));
    }
    // a) has the two of Wichita and the one of Kansas City at Midwest, beyond Kansas; Lincoln may be there.
    assert_eq!(violations(&FIG_4A), ["r3", "r4", "r7"]);
    assert!(violations(&FIG_4B).is_empty());
    // b)'s clusters are the classes of the maximum allowed microdata. None can be divided into two of 2 rows or more, so
    // for k = 2 they are the only feasible ones without suppression.
    assert_eq!(classes(&FIG_4B).of_row, classes_at_limits().of_row);
    // Every printed interval holds its ages and every printed Sex or Race its letter: both figures are truthful.
    for (before, after) in PATIENTS.iter().zip(&FIG_4A).chain(PATIENTS.iter().zip(&FIG_4B)) {
        let (low, high) = after[0].split_once('-').unwrap();
        let age = |text: &str| text.parse::<u32>().unwrap();
        assert!((age(low)..=age(high)).contains(&age(before[0])));
        assert!([2, 3].iter().all(|&place| after[place] == "*" || after[place] == before[place]));
    }
}

/// The seven patients, recoded within the limits, or without any.
fn recoded(k: u32, suppressible: u64, limited: bool, algorithm: Algorithm, seed: u64) -> (Vec<Quasi>, Outcome) {
    let table = Table { columns: (0..4).map(|place| column(&PATIENTS, place)).collect(), rows: 7 };
    let quasi = |place: usize| {
        let (tree, limits) = if place == LOCATION_PLACE {
            location()
        } else {
            let tree = Hierarchy::flat(table.columns[place].dictionary.iter());
            let unmarked = Limits::new(&tree, &[]);
            (tree, unmarked)
        };
        let leaf_of_code: Vec<NodeId> =
            tree.bind(&table.columns[place].dictionary).leaves.into_iter().map(Option::unwrap).collect();
        let limit = |&leaf: &NodeId| if limited { limits.of(&tree, leaf) } else { ROOT };
        let limit_of_code = leaf_of_code.iter().map(limit).collect();
        Quasi { column: place, tree, leaf_of_code, limit_of_code }
    };
    let quasi: Vec<Quasi> = (0..4).map(quasi).collect();
    let requirements = [Requirement { attribute: None, jointly: false, model: Box::new(KAnonymity { k }) }];
    let problem = Problem {
        table: &table,
        quasi: &quasi,
        sensitive: &[],
        requirements: &requirements,
        suppressible,
        seed,
        measure: Measure::InformationLoss,
        mode: Mode::Generalization,
    };
    let sink = NativeSink::new(|_| {});
    let outcome = block_on(recode(&problem, algorithm, Some(Effort::default()), &Progress::new(&sink))).unwrap();
    (quasi, outcome)
}

/// Rows of the same class, in the order of the records.
fn clusters(release: &Release) -> Vec<Vec<usize>> {
    let mut classes: Vec<u32> = release.class_of_row.iter().copied().filter(|&class| class != SUPPRESSED).collect();
    classes.sort_unstable();
    classes.dedup();
    let of = |&class: &u32| (0..7).filter(|&row| release.class_of_row[row] == class).collect();
    let mut clusters: Vec<Vec<usize>> = classes.iter().map(of).collect();
    clusters.sort();
    clusters
}

/// GreedyCKA (Fig. 5) finds the clusters of Fig. 4 b for k = 2, with every seed, and so does each algorithm that keeps
/// limits. Without the limits, clusters that break them are cheaper: what Fig. 4 a shows.
#[test]
fn constrained_k_anonymity_fig4_greedy_cka_finds_b() {
    for algorithm in [Algorithm::GreedyCka, Algorithm::KMember, Algorithm::Mondrian, Algorithm::Merging] {
        for seed in 0..20 {
            let (quasi, Outcome::Release(release)) = recoded(2, 0, true, algorithm, seed) else { panic!("feasible") };
            assert_eq!(clusters(&release), [vec![0, 1], vec![2, 3, 6], vec![4, 5]]);
            for (row, masked) in FIG_4B.iter().enumerate() {
                let class = release.class_of_row[row] as usize;
                let shown = |place: usize| quasi[place].tree.label(release.quasi[place][class]);
                // Ages have no hierarchy here, so what the figure prints as a range is `*`.
                assert_eq!([shown(1), shown(2), shown(3)], masked[1..], "row {row}");
                assert_eq!(shown(0), "*");
            }
        }
        let mut violating = 0;
        for seed in 0..20 {
            let (quasi, Outcome::Release(release)) = recoded(2, 0, false, algorithm, seed) else { panic!("feasible") };
            let (tree, limits) = location();
            let beyond = |row: usize| {
                let node = release.quasi[LOCATION_PLACE][release.class_of_row[row] as usize];
                assert_eq!(quasi[LOCATION_PLACE].tree, tree);
                !limits.allow(&tree, tree.find(PATIENTS[row][LOCATION_PLACE]).unwrap(), node)
            };
            violating += usize::from((0..7).any(beyond));
        }
        assert_eq!(violating, 20, "{algorithm:?}");
    }
}

/// Properties 4 to 6 by the algorithm: it suppresses the rows of the classes at the limits that are smaller than k, and
/// refuses when one row fewer may go.
#[test]
fn constrained_k_anonymity_properties_4_to_6_by_greedy_cka() {
    for (k, forced) in [(1, vec![]), (2, vec![]), (3, vec![0, 1, 4, 5]), (4, (0..7).collect()), (8, (0..7).collect())] {
        let (_, outcome) = recoded(k, forced.len() as u64, true, Algorithm::GreedyCka, 1);
        let Outcome::Release(release) = outcome else { panic!("k = {k}: {outcome:?}") };
        let gone: Vec<usize> = (0..7).filter(|&row| release.class_of_row[row] == SUPPRESSED).collect();
        assert_eq!(gone, forced, "k = {k}");
        if let Some(fewer) = forced.len().checked_sub(1) {
            let (_, outcome) = recoded(k, fewer as u64, true, Algorithm::GreedyCka, 1);
            assert!(matches!(outcome, Outcome::Impossible(_)), "k = {k}");
        }
    }
}

/// Properties 1 to 3 on every set of the seven records: generalizing a set to its lowest common ancestor breaks a limit
/// exactly if two of its records have different MAGVals (1); the maximum allowed microdata itself never does, so it is
/// constrained k-anonymous as soon as it is k-anonymous (3), and if it is not, no division of the records is (2).
#[test]
fn constrained_k_anonymity_properties_1_to_3() {
    let (tree, limits) = location();
    let leaf = |row: usize| tree.find(PATIENTS[row][LOCATION_PLACE]).unwrap();
    for set in 1u32..1 << 7 {
        let rows: Vec<usize> = (0..7).filter(|row| set >> row & 1 == 1).collect();
        let shown = rows.iter().map(|&row| leaf(row)).reduce(|one, other| tree.lowest_common_ancestor(one, other));
        let violated = rows.iter().any(|&row| !limits.allow(&tree, leaf(row), shown.unwrap()));
        let magvals: Vec<NodeId> = rows.iter().map(|&row| limits.of(&tree, leaf(row))).collect();
        let differ = magvals.iter().any(|&magval| magval != magvals[0]);
        assert_eq!(violated, differ, "{rows:?}");
    }
    assert!((0..7).all(|row| limits.allow(&tree, leaf(row), limits.of(&tree, leaf(row)))));
    for k in 1..=8 {
        let at_limits = smallest(&classes_at_limits()) >= k;
        let (_, outcome) = recoded(k, 0, true, Algorithm::GreedyCka, 1);
        assert_eq!(matches!(outcome, Outcome::Release(_)), at_limits, "k = {k}");
        // Property 2: no division into classes of k within the limits, whoever makes it.
        assert_eq!(least_suppressed(k as usize) == 0, at_limits, "k = {k}");
    }
}

/// The fewest rows that any division of the seven leaves without a class of k within the limits.
fn least_suppressed(k: usize) -> usize {
    let (tree, limits) = location();
    let leaf = |row: usize| tree.find(PATIENTS[row][LOCATION_PLACE]).unwrap();
    let mut least = usize::MAX;
    // Every division, as the number of each row's part: a part is at most one above those before.
    for code in 0..7usize.pow(7) {
        let parts: Vec<usize> = (0..7).map(|row| code / 7usize.pow(row) % 7).collect();
        if parts
            .iter()
            .enumerate()
            .any(|(row, &part)| part > parts[..row].iter().map(|part| part + 1).max().unwrap_or(0))
        {
            continue;
        }
        let lost = |part: usize| {
            let rows: Vec<usize> = (0..7).filter(|&row| parts[row] == part).collect();
            let shown = rows.iter().map(|&row| leaf(row)).reduce(|one, other| tree.lowest_common_ancestor(one, other));
            let kept = rows.len() >= k && rows.iter().all(|&row| limits.allow(&tree, leaf(row), shown.unwrap()));
            if kept { 0 } else { rows.len() }
        };
        least = least.min((0..7).map(lost).sum());
    }
    least
}
