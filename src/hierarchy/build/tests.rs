use proptest::prelude::*;

use super::*;
use crate::hierarchy::ROOT;
use crate::table::DictionaryBuilder;

fn column<S: AsRef<str>>(cells: &[S]) -> Column {
    let mut dictionary = DictionaryBuilder::default();
    let codes = cells.iter().map(|cell| dictionary.code(cell.as_ref().as_bytes()).unwrap().code).collect();
    Column::new("column".into(), dictionary.finish(), codes, &["".into(), "?".into()])
}

/// The tree as lines `leaf;group;…;*`.
fn lines<S: AsRef<str>>(recipe: &Recipe, cells: &[S]) -> Vec<String> {
    let tree = build(recipe, &column(cells)).unwrap();
    tree.rows().iter().map(|row| row.join(";")).collect()
}

fn figures(range: impl Iterator<Item = i64>) -> Vec<String> {
    range.map(|figure| figure.to_string()).collect()
}

#[test]
fn star_puts_missing_values_last() {
    assert_eq!(lines(&Recipe::Star, &["?", "b", "10", "9", "a", ""]), ["9;*", "10;*", "a;*", "b;*", ";*", "?;*"]);
}

#[test]
fn whole_intervals_nest() {
    let recipe = Recipe::Intervals { width: 5.0, origin: 0.0, factors: vec![2, 2] };
    assert_eq!(
        lines(&recipe, &["24", "20", "?", "-1", "39", "n.a.", "25"]),
        [
            "-1;-5 to -1;-10 to -1;-20 to -1;*",
            "20;20-24;20-29;20-39;*",
            "24;20-24;20-29;20-39;*",
            "25;25-29;20-29;20-39;*",
            "39;35-39;30-39;20-39;*",
            "n.a.;*",
            "?;*",
        ]
    );
}

#[test]
fn intervals_of_width_one_are_left_out() {
    let recipe = Recipe::Intervals { width: 1.0, origin: 0.0, factors: vec![2] };
    assert_eq!(lines(&recipe, &["2", "3", "4"]), ["2;2-3;*", "3;2-3;*", "4;4-5;*"]);
}

#[test]
fn decimal_intervals_hold_what_they_say() {
    let recipe = Recipe::Intervals { width: 2.5, origin: 0.0, factors: vec![] };
    assert_eq!(
        lines(&recipe, &["20", "22.5", "22.4"]),
        ["20;[20.0, 22.5[;*", "22.4;[20.0, 22.5[;*", "22.5;[22.5, 25.0[;*"]
    );
    let tenths = Recipe::Intervals { width: 0.1, origin: 0.0, factors: vec![] };
    for tenth in 0..1000 {
        let value = format!("{}.{}", tenth / 10, tenth % 10);
        let line = &lines(&tenths, &[&value])[0];
        assert!(line.starts_with(&format!("{value};[{value}, ")), "{line}");
    }
}

#[test]
fn cuts_have_open_ends() {
    let recipe = Recipe::Cuts { cuts: vec![65.0, 18.0] };
    assert_eq!(
        lines(&recipe, &["17", "18", "64", "65", "?"]),
        ["17;<18;*", "18;18-64;*", "64;18-64;*", "65;>=65;*", "?;*"]
    );
    let decimal = lines(&recipe, &["17.5", "18"]);
    assert_eq!(decimal, ["17.5;<18;*", "18;[18.0, 65.0[;*"]);
}

#[test]
fn quantiles_share_the_rows() {
    let mut cells = vec!["0".to_owned(); 50];
    cells.extend(figures(1..51));
    let recipe = Recipe::Quantiles { groups: 4, factors: vec![2] };
    let tree = build(&recipe, &column(&cells)).unwrap();
    let labels = |depth| -> Vec<&str> {
        (0..tree.len() as u32)
            .filter(|&node| tree.depth(node) == depth && !tree.is_leaf(node))
            .map(|node| tree.label(node))
            .collect()
    };
    // Half of the rows are 0 and fill two of the four groups.
    assert_eq!(labels(1), ["0-25", "26-50"]);
    assert_eq!(labels(2), ["1-25", "26-50"]);
    assert_eq!(
        lines(&Recipe::Quantiles { groups: 2, factors: vec![] }, &["1.5", "2.5", "3.5", "4"]),
        ["1.5;[1.5, 3.5[;*", "2.5;[1.5, 3.5[;*", "3.5;[3.5, 4];*", "4;[3.5, 4];*"]
    );
}

#[test]
fn ages_are_labelled_as_in_arx() {
    assert_eq!(
        lines(&Recipe::Ages, &["20", "39", "100", "999", "-3", "?"]),
        ["20;20-24;20-29;20-39;*", "39;35-39;30-39;20-39;*", "100;100-104;100-109;100-119;*", "-3;*", "999;*", "?;*",]
    );
}

#[test]
fn the_oldest_are_pooled_from_the_first_level_on() {
    let recipe = Recipe::PooledAges { from: 90 };
    let texts = ["34", "89", "90", "101", "?"];
    assert_eq!(
        lines(&recipe, &texts),
        ["34;30-34;30-39;20-39;*", "89;85-89;80-89;80+;*", "90;90+;90+;90+;80+;*", "101;90+;90+;90+;80+;*", "?;*"]
    );
    let tree = build(&recipe, &column(&texts)).unwrap();
    let shown = |text: &str, level| tree.label(tree.at_level(tree.find(text).unwrap(), level));
    assert_eq!(["34", "89", "90", "101", "?"].map(|text| shown(text, 1)), ["34", "89", "90+", "90+", "?"]);
    let (coarser, numbers) = tree.from_level(1);
    for text in texts {
        let leaf = tree.find(text).unwrap();
        let became = numbers[leaf as usize];
        assert!(coarser.is_leaf(became));
        let labels =
            |tree: &Hierarchy, node| tree.path(node).map(|node| tree.label(node).to_owned()).collect::<Vec<_>>();
        assert_eq!(labels(&coarser, became), labels(&tree, tree.at_level(leaf, 1)));
    }
}

#[test]
fn masks() {
    let recipe = Recipe::Mask { keep_at_least: 3 };
    assert_eq!(
        lines(&recipe, &["13068", "13053", "14850", "2139"]),
        ["2139;0213*;021**;*", "13053;1305*;130**;*", "13068;1306*;130**;*", "14850;1485*;148**;*",]
    );
    assert_eq!(
        lines(&recipe, &["A01.1", "A01", "J45.0", "?"]),
        ["A01;A01**;*", "A01.1;A01.*;A01**;*", "J45.0;J45.*;J45**;*", "?;*"]
    );
    // Characters, not bytes; a value that looks like a mask does not share its label.
    assert_eq!(
        lines(&Recipe::Mask { keep_at_least: 0 }, &["äöü", "äö*"]),
        ["äö*;äö* (group);ä**;*", "äöü;äö* (group);ä**;*"]
    );
}

#[test]
fn masks_of_long_values_have_few_levels() {
    let cells: Vec<String> = (0..50).map(|i| format!("{i:0200}")).collect();
    let tree = build(&Recipe::Mask { keep_at_least: 1 }, &column(&cells)).unwrap();
    assert!(tree.levels() <= 18);
}

#[test]
fn dates() {
    let levels = vec![DateLevel::Decade, DateLevel::Year, DateLevel::Quarter, DateLevel::Month];
    assert_eq!(
        lines(&Recipe::Dates { levels }, &["2024-05-17", "2024-04-01", "1999-12-31", "soon", ""]),
        [
            "1999-12-31;1999-12;1999-Q4;1999;1990-1999;*",
            "2024-04-01;2024-04;2024-Q2;2024;2020-2029;*",
            "2024-05-17;2024-05;2024-Q2;2024;2020-2029;*",
            "soon;*",
            ";*",
        ]
    );
    let days = Recipe::Dates { levels: vec![DateLevel::Day] };
    assert_eq!(
        lines(&days, &["2024-05-17 10:00", "17.5.2024", "2024-05-18"]),
        ["17.5.2024;2024-05-17;*", "2024-05-17 10:00;2024-05-17;*", "2024-05-18;*"]
    );
}

#[test]
fn neighbours_in_order() {
    let recipe = Recipe::OrderedGroups { sizes: vec![2, 2, 2] };
    assert_eq!(
        lines(&recipe, &["e", "b", "a", "d", "c"]),
        ["a;a … b;a … d;*", "b;a … b;a … d;*", "c;c … d;a … d;*", "d;c … d;a … d;*", "e;*",]
    );
    assert_eq!(lines(&Recipe::OrderedGroups { sizes: vec![2] }, &["10", "9", "1"]), ["1;1-9;*", "9;1-9;*", "10;*"]);
}

#[test]
fn groups_by_hand() {
    let group = |name: &str, values: &[&str]| (name.to_owned(), values.iter().map(|&value| value.to_owned()).collect());
    let recipe = |groups| Recipe::Groups { groups };
    let cells = ["Widowed", "Divorced", "Married", "?"];
    let alone = group("alone", &["Divorced", "Widowed", "Separated"]);
    assert_eq!(
        lines(&recipe(vec![alone.clone(), group("none", &["x"])]), &cells),
        ["Divorced;alone;*", "Widowed;alone;*", "Married;*", "?;*"]
    );
    let error = |groups| build(&recipe(groups), &column(&cells)).unwrap_err();
    assert_eq!(error(vec![alone.clone(), group("b", &["Widowed"])]), BuildError::ValueTwice { first: 1, second: 2 });
    assert_eq!(error(vec![alone.clone(), group("alone", &[])]), BuildError::NameTwice { first: 1, second: 2 });
    assert_eq!(error(vec![group("Married", &["Widowed"])]), BuildError::NameOfValue { group: 1 });
    assert_eq!(error(vec![group(" ", &["Widowed"])]), BuildError::NoName { group: 1 });
}

#[test]
fn first_letters() {
    assert_eq!(
        lines(&Recipe::Alphabetic { letters: 2 }, &["Émile", "anna", "Anton", "Elsa", "A", "?"]),
        ["A;A*;*", "Anton;AN*;A*;*", "anna;AN*;A*;*", "Elsa;EL*;E*;*", "Émile;EM*;E*;*", "?;*",]
    );
}

#[test]
fn a_label_is_never_a_values_text() {
    assert_eq!(
        lines(&Recipe::Ages, &["20", "20-24", "*"]),
        ["20;20-24 (group);20-29;20-39;* (group)", "*;* (group)", "20-24;* (group)",]
    );
}

#[test]
fn suggestions() {
    let suggested = |cells: &[String]| suggest(&column(cells));
    let strings = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    assert_eq!(suggested(&strings(&["Male", "Female", "?"])), Recipe::Star);
    assert_eq!(suggested(&figures(17..91)), Recipe::Ages);
    assert_eq!(suggested(&figures((13001..14000).step_by(7))), Recipe::Mask { keep_at_least: 1 });
    assert_eq!(suggested(&(1..99).map(|i| format!("{i:05}")).collect::<Vec<_>>()), Recipe::Mask { keep_at_least: 1 });
    assert_eq!(
        suggested(&(0..60).map(|i| format!("J{:02}.{}", i, i % 10)).collect::<Vec<_>>()),
        Recipe::Mask { keep_at_least: 1 }
    );
    assert_eq!(suggested(&figures(1950..2020)), Recipe::Intervals { width: 5.0, origin: 0.0, factors: vec![2, 2] });
    assert_eq!(
        suggested(&(0..100).map(|i| format!("{:.2}", f64::from(i) / 50.0)).collect::<Vec<_>>()),
        Recipe::Intervals { width: 0.1, origin: 0.0, factors: vec![5, 2] }
    );
    let days: Vec<String> = (1..28).map(|day| format!("{}-03-{day:02}", 1980 + day)).collect();
    assert_eq!(suggested(&days), Recipe::Dates { levels: vec![DateLevel::Month, DateLevel::Year, DateLevel::Decade] });
    let names: Vec<String> = (0..26u8).map(|i| format!("{}nna", char::from(b'A' + i))).collect();
    assert_eq!(suggested(&names), Recipe::Alphabetic { letters: 1 });
    let mut gains = vec!["0".to_owned(); 1000];
    gains.extend(figures((100..99999).step_by(1000)));
    assert_eq!(suggested(&gains), Recipe::Quantiles { groups: 16, factors: vec![2, 2] });
}

#[test]
fn recipes_are_part_of_the_policy_file() {
    let recipe: Recipe = serde_json::from_str(r#"{"intervals":{"width":5,"factors":[2,2]}}"#).unwrap();
    assert_eq!(recipe, Recipe::Intervals { width: 5.0, origin: 0.0, factors: vec![2, 2] });
    let text = serde_json::to_string(&Recipe::Dates { levels: vec![DateLevel::Month] }).unwrap();
    assert_eq!(text, r#"{"dates":{"levels":["month"]}}"#);
    assert!(serde_json::from_str::<Recipe>(r#"{"alphabetic":{"letters":1,"wide":5}}"#).is_err());
}

#[test]
fn a_million_values() {
    let cells = figures(0..1_000_000);
    let column = column(&cells);
    for recipe in [
        Recipe::Intervals { width: 5.0, origin: 0.0, factors: vec![2, 2] },
        Recipe::Mask { keep_at_least: 1 },
        Recipe::Quantiles { groups: 1000, factors: vec![10] },
        Recipe::Alphabetic { letters: 2 },
        Recipe::OrderedGroups { sizes: vec![10, 10] },
    ] {
        assert_eq!(build(&recipe, &column).unwrap().leaves().len(), 1_000_000);
    }
}

fn any_recipe() -> impl Strategy<Value = Recipe> {
    let number = prop_oneof![-1e3..1e3, Just(0.1), Just(1.0), Just(5.0), any::<f64>()];
    let factors = prop::collection::vec(0u32..6, 0..3);
    let level = prop::sample::select(vec![
        DateLevel::Day,
        DateLevel::Month,
        DateLevel::Quarter,
        DateLevel::Year,
        DateLevel::Decade,
    ]);
    let group = (any_cell(), prop::collection::vec(any_cell(), 0..4));
    prop_oneof![
        Just(Recipe::Star),
        Just(Recipe::Ages),
        (0u32..130).prop_map(|from| Recipe::PooledAges { from }),
        (number.clone(), number.clone(), factors.clone()).prop_map(|(width, origin, factors)| Recipe::Intervals {
            width,
            origin,
            factors
        }),
        prop::collection::vec(number, 0..5).prop_map(|cuts| Recipe::Cuts { cuts }),
        (0u32..9, factors.clone()).prop_map(|(groups, factors)| Recipe::Quantiles { groups, factors }),
        (0u32..9).prop_map(|keep_at_least| Recipe::Mask { keep_at_least }),
        prop::collection::vec(level, 0..4).prop_map(|levels| Recipe::Dates { levels }),
        factors.prop_map(|sizes| Recipe::OrderedGroups { sizes }),
        prop::collection::vec(group, 0..4).prop_map(|groups| Recipe::Groups { groups }),
        (0u32..4).prop_map(|letters| Recipe::Alphabetic { letters }),
    ]
}

fn any_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}",
        "-?[0-9]{1,2}(\\.[0-9])?",
        "[0-9]{1,2}-[0-9]{1,2}",
        "[0-9*]{0,4}",
        "[aAéÉß]{0,3}(\\*| \\(group\\))?",
        "20[0-2][0-9]-0[1-9]-[0-2][0-9]( 10:00)?",
        "[0-9]{1,2}\\.[0-9]{1,2}\\.19[0-9]{2}",
        any::<f64>().prop_map(|number| number.to_string()),
        ".{0,5}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn leaves_are_the_values_and_labels_are_unambiguous(
        cells in prop::collection::vec(any_cell(), 1..30),
        recipe in any_recipe(),
    ) {
        let column = column(&cells);
        let suggested = build(&suggest(&column), &column);
        prop_assert!(suggested.is_ok());
        for tree in suggested.into_iter().chain(build(&recipe, &column).ok()) {
            let mut leaves: Vec<&str> = tree.leaves().iter().map(|&leaf| tree.label(leaf)).collect();
            let mut texts: Vec<&str> = column.dictionary.iter().collect();
            leaves.sort_unstable();
            texts.sort_unstable();
            prop_assert_eq!(leaves, texts);
            // What a file could hold: from_rows refuses a label that stands for two sets of leaves.
            let again = Hierarchy::from_rows(&tree.rows());
            prop_assert!(again.is_ok(), "{:?} {:?}", again, tree.rows());
            prop_assert_eq!(again.unwrap().rows(), tree.rows());
            for &code in &column.missing {
                let leaf = tree.find(column.dictionary.text(code)).unwrap();
                let by_hand = matches!(recipe, Recipe::Groups { .. });
                prop_assert!(by_hand || tree.parent(leaf) == Some(ROOT));
            }
        }
    }
}
