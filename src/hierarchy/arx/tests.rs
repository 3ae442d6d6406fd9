use proptest::prelude::*;

use super::super::SlipKind;
use super::*;
use crate::table::DictionaryBuilder;

const MARITAL: &str = "\
Married-civ-spouse;spouse present;*
Divorced;spouse not present;*
Never-married;spouse not present;*
Separated;spouse not present;*
Widowed;spouse not present;*
Married-spouse-absent;spouse not present;*
Married-AF-spouse;spouse present;*
";

const RACE: &str = "White;*\nAsian-Pac-Islander;*\nAmer-Indian-Eskimo;*\nOther;*\nBlack;*\n";

fn column(cells: &[&str]) -> Column {
    let mut dictionary = DictionaryBuilder::default();
    let codes = cells.iter().map(|cell| dictionary.code(cell.as_bytes()).unwrap().code).collect();
    Column::new("column".into(), dictionary.finish(), codes, &["".into()])
}

fn imported(text: &str) -> Imported {
    import(text.as_bytes(), None).unwrap()
}

fn lines(tree: &Hierarchy) -> Vec<String> {
    tree.rows().iter().map(|row| row.join(";")).collect()
}

/// What each leaf is on each level.
fn levels(tree: &Hierarchy) -> Vec<Vec<String>> {
    let on = |leaf, level| tree.label(tree.at_level(leaf, level)).to_owned();
    tree.leaves().iter().map(|&leaf| (0..tree.levels()).map(|level| on(leaf, level)).collect()).collect()
}

#[test]
fn files_of_adult() {
    let Imported { tree, report } = imported(MARITAL);
    assert_eq!((tree.levels(), tree.leaves().len(), tree.children(ROOT).count()), (3, 7, 2));
    assert_eq!(report, ImportReport { lines: 7, ..ImportReport::default() });
    let race = imported(RACE);
    assert_eq!(race.tree.levels(), 2);
    assert_eq!(export(&race.tree), RACE);
}

#[test]
fn what_the_data_and_the_file_lack() {
    let data = column(&["White", "white ", "White", "Martian", "Martian", "Black"]);
    let report = import(RACE.as_bytes(), Some(&data)).unwrap().report;
    assert_eq!((report.lacking, report.lacking_rows, report.unused), (vec![1, 2], 3, 3));
    let slip = Slip { kind: SlipKind::ValueAlmostLeaf, lines: (1, 1), labels: ("white ".into(), "White".into()) };
    assert_eq!(report.slips, [slip]);
}

#[test]
fn other_dialects() {
    let same = lines(&imported("a;x;*\nb;x;*\n").tree);
    for text in ["a,x,*\r\nb,x,*\r\n", "\u{FEFF}a\tx\t*\nb\tx\t*", "a|x|*\n\nb|x|*\n", "\"a\";\"x\";*\nb;x;*;;\n"] {
        assert_eq!(lines(&imported(text).tree), same, "{text}");
    }
    let latin = import(b"Z\xfcrich;Schweiz;*\nBern;Schweiz;*\n", None).unwrap();
    assert_eq!(lines(&latin.tree), ["Zürich;Schweiz;*", "Bern;Schweiz;*"]);
    let wide: Vec<u8> = "a;x;*\nb;x;*\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(lines(&import(&wide, None).unwrap().tree), same);
}

#[test]
fn ragged_and_padded_lines_and_roots() {
    assert_eq!(lines(&imported("a;x;*\nNA;NA;*\n;;*\n").tree), ["a;x;*", "NA;*", ";*"]);
    let bare = imported("a;x;*\nb\nc;y\n");
    assert_eq!(lines(&bare.tree), ["a;x;*", "b;*", "c;y;*"]);
    assert!(bare.report.root_added);
    let none = imported("a;x\nb;y\n");
    assert_eq!((lines(&none.tree), none.report.root_added), (vec!["a;x;*".into(), "b;y;*".into()], true));
    let named = imported("a;x;All\nb;y;All\n");
    assert_eq!((named.tree.label(ROOT), named.report.root_added), ("All", false));
    assert_eq!(imported("a;x;*\na;x;*\nb;x;*\n*;*;*\n").report.repeated_lines, [2, 4]);
}

#[test]
fn slips_of_groups() {
    let text = "fr;Europe;*\nde;Europa;*\nus;North America;*\nbr;South America;*\nin;Asia;*\ncn;asia;*\n";
    let report = imported(text).report;
    let found: Vec<_> = report
        .slips
        .iter()
        .map(|slip| (slip.kind, slip.lines, slip.labels.0.as_str(), slip.labels.1.as_str()))
        .collect();
    assert_eq!(
        found,
        [(SlipKind::CaseOrBlanks, (5, 6), "Asia", "asia"), (SlipKind::AlmostEqualGroups, (1, 2), "Europe", "Europa"),]
    );
    let tree = imported(text).tree;
    let merged = tree.merge_groups(tree.find("Europe").unwrap(), tree.find("Europa").unwrap()).unwrap();
    assert_eq!(lines(&merged)[..2], ["fr;Europe;*", "de;Europe;*"]);
    assert_eq!(imported("20;20-24;*\n25;25-29;*\n13053;1305*;*\n13060;1306*;*\n").report.slips, []);
}

#[test]
fn a_value_beside_its_interval() {
    // The age hierarchy that comes with ARX is so.
    let report = imported("4;0-4;0-9;*\n5;0-4;0-9;*\n6;5-9;0-9;*\n").report;
    let slip = Slip { kind: SlipKind::ValueOutsideInterval, lines: (2, 2), labels: ("5".into(), "0-4".into()) };
    assert_eq!(report.slips, [slip]);
}

#[test]
fn contradictions_name_their_lines_and_no_values() {
    let failure = |text: &str| import(text.as_bytes(), None).unwrap_err();
    let cases = [
        ("kansas;x;*\n\nohio;y;*\nkansas;y;*\n", 4, "under different groups"),
        ("kansas;midwest;USA;*\nohio;midwest;US A;*\n", 2, "two places"),
        ("kansas;midwest;America;*\nohio;midwest;Amerika;*\n", 2, "two places"),
        ("kansas;*\nohio;kansas;*\n", 2, "two places"),
        ("kansas;x;*\n\"ohio;x;*\n", 2, "never closed"),
    ];
    for (text, line, what) in cases {
        let failure = failure(text);
        assert_eq!(failure.place.line, Some(line), "{text}");
        assert!(failure.what.contains(what), "{failure}");
        for word in ["kansas", "ohio", "midwest", "US"] {
            assert!(!failure.to_string().contains(word));
        }
    }
    assert!(failure(cases[2].0).next.contains("two spellings"));
    assert!(failure("").what.contains("empty"));
    assert!(failure("\n\n").what.contains("empty"));
    assert!(import(b"PK\x03\x04\x00\x00", None).unwrap_err().what.contains("Excel"));
}

#[test]
fn exports_are_padded_and_quoted() {
    let rows = [vec!["a;b", "x \"y\"", "*"], vec!["NA", "*"]];
    let tree = Hierarchy::from_rows(&rows).unwrap();
    assert_eq!(export(&tree), "\"a;b\";\"x \"\"y\"\"\";*\nNA;NA;*\n");
    assert_eq!(imported(&export(&tree)).tree, tree);
}

#[test]
fn large_files() {
    let text: String = (0..200_000).map(|i| format!("{i};group {};*\n", i / 3)).collect();
    assert_eq!(imported(&text).tree.leaves().len(), 200_000);
    let letter = |number: usize, place: u32| char::from(b'a' + (number / 26usize.pow(place) % 26) as u8);
    let text: String = (0..50_000)
        .map(|i| format!("{i};{};*\n", (0..8).map(|place| letter(i / 2 * 7919, place)).collect::<String>()))
        .collect();
    assert_eq!(imported(&text).tree.leaves().len(), 50_000);
}

fn any_tree() -> impl Strategy<Value = Hierarchy> {
    let label = prop_oneof!["[a-c]{1,2}", "[a-c;,\"|\t \n\r*\u{FEFF}\0]{1,3}", ".{0,4}"];
    let row = prop::collection::vec(label, 1..4);
    prop::collection::vec(row, 1..12).prop_filter_map("not a tree", |mut rows| {
        // Labels below a group carry its name, so that most drafts are trees.
        for row in &mut rows {
            for place in (0..row.len() - 1).rev() {
                row[place] = format!("{}{}", row[place], row[place + 1]);
            }
            // An empty cell is no group, and a star the root.
            row.iter_mut().skip(1).filter(|label| label.is_empty()).for_each(|label| label.push('x'));
            row.iter_mut().filter(|label| label.trim() == "*").for_each(|label| label.push('x'));
            row.push("*".to_owned());
        }
        Hierarchy::from_rows(&rows).ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_export_imports_as_the_same_levels(tree in any_tree()) {
        let again = import(export(&tree).as_bytes(), None);
        prop_assert!(again.is_ok(), "{:?} {:?}", again, export(&tree));
        let again = again.unwrap();
        prop_assert_eq!(levels(&again.tree), levels(&tree));
        prop_assert!(!again.report.root_added && again.report.repeated_lines.is_empty());
    }

    #[test]
    fn any_bytes_are_a_tree_or_a_failure(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        "[ab*;,\"\n]{0,40}".prop_map(String::into_bytes),
    ]) {
        let data = column(&["a", "b", "*", ""]);
        if let Ok(Imported { tree, report }) = import(&bytes, Some(&data)) {
            prop_assert!(tree.leaves().len() <= report.lines);
            prop_assert_eq!(report.lacking.len() + tree.leaves().len() - report.unused, data.dictionary.len());
        }
    }
}
