//! l-diversity: the two attacks of §1.1 on the inpatients of Figs. 1–2, Theorem 3.1 and the counterexample of Theorem 5.1.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use throng::attack::belief::{Belief, Evidence, Knowledge, Thresholds, audit};
use throng::attack::{background, homogeneity};
use throng::classes::{Classes, Histograms, Keys};
use throng::hierarchy::{Hierarchy, ROOT};
use throng::policy::{Quasi, Sensitive};
use throng::release::{Release, Released};
use throng::samples;
use throng::table::{Column, DictionaryBuilder, Table};

/// Fig. 1 with the hierarchies that Figs. 2 and 4 use.
struct Inpatients {
    table: Table,
    quasi: Vec<Quasi>,
    sensitive: Vec<Sensitive>,
}

const CONDITION: usize = 3;

fn inpatients() -> Inpatients {
    let file = samples::table("inpatients", 0, 0).unwrap();
    let text = String::from_utf8(file.bytes).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |place: usize| {
        let mut builder = DictionaryBuilder::default();
        let codes = lines[1..].iter().map(|line| builder.code(line[place].as_bytes()).unwrap().code).collect();
        Column::new(lines[0][place].into(), builder.finish(), codes, &[])
    };
    let table = Table { columns: (0..4).map(column).collect(), rows: 12 };
    let quasi = |(place, (name, text)): (usize, (String, String))| {
        assert_eq!(table.columns[place].name, name);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
        let tree = Hierarchy::from_rows(&rows).unwrap();
        let dictionary = &table.columns[place].dictionary;
        let leaf_of_code = tree.bind(dictionary).leaves.into_iter().map(Option::unwrap).collect();
        Quasi { column: place, limit_of_code: vec![ROOT; dictionary.len()], tree, leaf_of_code }
    };
    let quasi = samples::hierarchies("inpatients").into_iter().enumerate().map(quasi).collect();
    let tree = Hierarchy::flat(table.columns[CONDITION].dictionary.iter());
    let leaf_of_code = tree.bind(&table.columns[CONDITION].dictionary).leaves.into_iter().map(Option::unwrap).collect();
    let sensitive = vec![Sensitive::without_limits(CONDITION, tree, leaf_of_code)];
    Inpatients { table, quasi, sensitive }
}

/// Fig. 2: records 1–4, 5–8 and 9–12.
fn fig2(inpatients: &Inpatients) -> Release {
    let shown = [["130**", "< 30", "*"], ["1485*", "≥ 40", "*"], ["130**", "3*", "*"]];
    let nodes =
        |place: usize| shown.iter().map(|class| inpatients.quasi[place].tree.find(class[place]).unwrap()).collect();
    let class_of_row = (0..12).map(|row| row / 4).collect();
    Release { class_of_row, quasi: (0..3).map(nodes).collect(), sensitive: vec![None] }
}

/// The released table alone, as Alice has it: its rows' input rows, its classes and its conditions.
fn seen(inpatients: &Inpatients) -> (Table, Vec<u32>, Classes, Histograms) {
    let (table, rows) =
        fig2(inpatients).to_table(&inpatients.table, &inpatients.quasi, &inpatients.sensitive, &[]).unwrap();
    let keys: Vec<Keys> = table.columns[..CONDITION]
        .iter()
        .map(|column| Keys { codes: &column.codes, size: column.dictionary.len() as u32 })
        .collect();
    let classes = Classes::group(table.rows, &keys);
    let histograms = Histograms::new(&classes, &table.columns[CONDITION].codes);
    (table, rows, classes, histograms)
}

/// Item 1. Bob is 31, American, 13053: one of records 9–12, and all of them have cancer.
#[test]
fn l_diversity_fig2_homogeneity_attack() {
    let (table, rows, classes, histograms) = seen(&inpatients());
    let found = homogeneity::of(&histograms).one_value;
    assert_eq!((found.classes.len(), found.rows), (1, 4));
    let exposed: Vec<usize> = (0..12).filter(|&row| found.classes.contains(&classes.of_row[row])).collect();
    let mut records: Vec<u32> = exposed.iter().map(|&row| rows[row] + 1).collect();
    records.sort_unstable();
    assert_eq!(records, [9, 10, 11, 12]);
    assert!(exposed.iter().all(|&row| table.columns[CONDITION].text(row) == "Cancer"));
}

/// Item 2. Umeko is 21, Japanese, 13068: one of records 1–4. Who rules out heart disease is sure of a viral infection.
#[test]
fn l_diversity_fig2_background_knowledge_attack() {
    let (table, rows, classes, histograms) = seen(&inpatients());
    let row = rows.iter().position(|&row| row + 1 == 3).unwrap();
    let class = histograms.class(classes.of_row[row] as usize);
    let text = |code: u32| table.columns[CONDITION].dictionary.text(code);
    let umeko = background::person(&class, table.columns[CONDITION].codes[row]).unwrap();
    assert_eq!((text(umeko.value), umeko.certainty), ("Viral Infection", 0.5));
    let [heart_disease] = umeko.others.as_slice() else { panic!("{umeko:?}") };
    assert_eq!((text(heart_disease.value), heart_disease.count), ("Heart Disease", 2));
    assert_eq!(heart_disease.certainty, 1.0);
    // Nobody needs to rule out anything for records 9–12, one value for 1–4, two for 5–8.
    let fallen: Vec<(u64, u64)> =
        background::fallen(&histograms).iter().map(|step| (step.classes, step.rows)).collect();
    assert_eq!(fallen, [(1, 4), (2, 8), (3, 12)]);
}

/// §3.2 on the same tables: Bob's cancer is a positive disclosure, that Umeko has no cancer a negative one.
#[test]
fn l_diversity_fig2_disclosures() {
    let inpatients = inpatients();
    let release = fig2(&inpatients);
    let Inpatients { table, quasi, sensitive } = &inpatients;
    let (evidence, _) = Evidence::of(&Released { table, quasi, sensitive, release: &release }, 0);
    let knowledge = Knowledge::of_values(&table.columns[CONDITION].codes);
    let thresholds = Thresholds { delta: 0.05, epsilon: 0.05, rho1: 0.5, rho2: 0.9 };
    let audit = audit(&evidence, &knowledge, &thresholds, 20);
    assert_eq!((audit.positive.beliefs, audit.positive.rows), (4, 4));
    // Cancer for records 1–4, both other conditions for 9–12; nothing for 5–8.
    assert_eq!((audit.negative.beliefs, audit.negative.rows), (4 + 8, 8));
    // α(cancer) = 5/12 and β = 1 for the four kinds of people of records 9–12.
    assert_eq!((audit.breaches.beliefs, audit.worst.len()), (4, 4));
    for breach in &audit.worst {
        assert_eq!(table.columns[CONDITION].dictionary.text(breach.belief.value), "Cancer");
        assert_eq!((breach.belief.prior, breach.belief.observed), (5.0 / 12.0, 1.0));
    }
}

/// Fig. 5: q1 and q2 (kinds 0 and 1), s1 and s2 (values 0 and 1), with f and n.
fn fig5() -> (Vec<u32>, Vec<u32>, Knowledge) {
    let counts = [(0, 0, 1), (0, 1, 1), (1, 0, 35), (1, 1, 15)];
    let people = counts.iter().flat_map(|&(kind, value, count)| std::iter::repeat_n((kind, value), count));
    let (kinds, values) = people.unzip();
    let knowledge = Knowledge::Joint(vec![vec![(0, 0.15), (1, 0.35)], vec![(0, 0.25), (1, 0.25)]]);
    (kinds, values, knowledge)
}

/// Every α and β of Fig. 5 or 6, by kind and value, and whether (0.31, 0.58)-privacy is breached.
fn figures(classes: Classes) -> (Vec<(u32, Belief)>, u64) {
    let (kinds, values, knowledge) = fig5();
    let evidence = Evidence { classes, kinds, values };
    let breached = audit(&evidence, &knowledge, &Thresholds { delta: 0.0, epsilon: 0.0, rho1: 0.31, rho2: 0.58 }, 9);
    // With ρ1 = 1 and ρ2 = 0 every belief that is neither 0 nor 1 is listed.
    let all = audit(&evidence, &knowledge, &Thresholds { delta: 0.0, epsilon: 0.0, rho1: 1.0, rho2: 0.0 }, 9);
    let mut beliefs: Vec<(u32, Belief)> = all.worst.iter().map(|breach| (breach.kind, breach.belief)).collect();
    beliefs.sort_by_key(|&(kind, belief)| (kind, belief.value));
    (beliefs, breached.breaches.beliefs)
}

fn check(beliefs: &[(u32, Belief)], expected: [(u32, u32, f64, f64); 4]) {
    assert_eq!(beliefs.len(), 4);
    for (&(kind, Belief { value, prior, observed }), (q, s, alpha, beta)) in beliefs.iter().zip(expected) {
        assert_eq!((kind, value), (q, s));
        assert!((prior - alpha).abs() < 1e-9 && (observed - beta).abs() < 5e-7, "α {prior}, β {observed}");
    }
}

/// Item 3. Theorem 3.1 on Fig. 5, as the proof of Theorem 5.1 prints it, and on Fig. 6: β(q1,s1) = 0.591241.
#[test]
fn l_diversity_theorem_3_1_beliefs() {
    let (kinds, ..) = fig5();
    let (beliefs, _) = figures(Classes::group(52, &[Keys { codes: &kinds, size: 2 }]));
    check(&beliefs, [(0, 0, 0.3, 0.5), (0, 1, 0.7, 0.5), (1, 0, 0.5, 0.7), (1, 1, 0.5, 0.3)]);
    let (beliefs, _) = figures(Classes::one(52));
    // For q2: 36·.25/.4 = 22.5 against 16·.25/.6 = 6.667.
    check(&beliefs, [(0, 0, 0.3, 0.591241), (0, 1, 0.7, 0.408759), (1, 0, 0.5, 0.771429), (1, 1, 0.5, 0.228571)]);
}

/// Item 11. Theorem 5.1: T keeps (0.31, 0.58)-privacy, its generalization T* does not.
#[test]
fn l_diversity_theorem_5_1_counterexample() {
    let (kinds, ..) = fig5();
    let (_, breaches) = figures(Classes::group(52, &[Keys { codes: &kinds, size: 2 }]));
    assert_eq!(breaches, 0);
    let (_, breaches) = figures(Classes::one(52));
    // α(q1,s1) = .3 < .31 and β = .591 > .58; its mirror α(q1,s2) = .7 > .69 and β = .409 < .42.
    assert_eq!(breaches, 2);
}
