use super::*;
use crate::progress::{NativeSink, block_on};
use crate::table::{Column, DictionaryBuilder};

fn column(cells: &[&str]) -> Column {
    let mut builder = DictionaryBuilder::default();
    let codes = cells.iter().map(|cell| builder.code(cell.as_bytes()).unwrap().code).collect();
    Column::new("c".into(), builder.finish(), codes, &[])
}

fn plain() -> Reader {
    Reader::new(None, std::iter::empty())
}

/// Which of the values a cell covers.
fn covered<'v>(reader: &Reader, cell: &str, values: &[&'v str]) -> Vec<&'v str> {
    let cell = reader.read(cell).expect(cell);
    values.iter().copied().filter(|value| cell.covers(&reader.value(value))).collect()
}

#[test]
fn intervals_in_all_notations() {
    let reader = plain();
    let ages = ["19", "20", "24.5", "29", "29.9", "30", "31", "?", "old"];
    let closed = ["20", "24.5", "29"];
    for cell in
        ["[20-29]", "20-29", "[20,29]", "20..29", "20 to 29", "20 – 29", "[20;29]", "20~29", " [20, 29] ", "[20..29]"]
    {
        assert_eq!(covered(&reader, cell, &ages), closed, "{cell}");
    }
    for cell in ["[20, 30[", "[20,30)", "2*"] {
        assert_eq!(covered(&reader, cell, &ages), ["20", "24.5", "29", "29.9"], "{cell}");
    }
    for cell in ["(20,30]", "]20-30]"] {
        assert_eq!(covered(&reader, cell, &ages), ["24.5", "29", "29.9", "30"], "{cell}");
    }
    assert_eq!(covered(&reader, "(20,30)", &ages), ["24.5", "29", "29.9"]);
    for cell in [">=30", "≥ 30", "30+"] {
        assert_eq!(covered(&reader, cell, &ages), ["30", "31"], "{cell}");
    }
    assert_eq!(covered(&reader, "> 30", &ages), ["31"]);
    assert_eq!(covered(&reader, "<20", &ages), ["19"]);
    assert_eq!(covered(&reader, "<= 20", &ages), ["19", "20"]);
    assert_eq!(covered(&reader, "-10 to -6", &["-11", "-10", "-6", "-5", "8"]), ["-10", "-6"]);
    assert_eq!(covered(&reader, "-10--6", &["-11", "-10", "-6", "-5", "8"]), ["-10", "-6"]);
    assert_eq!(covered(&reader, "24.5", &ages), ["24.5"]);
    assert_eq!(covered(&reader, "NA", &ages), ["?"]);
    for all in ["*", "*****"] {
        assert_eq!(covered(&reader, all, &ages), ages);
    }
}

#[test]
fn masks_and_sets() {
    let reader = plain();
    let codes = ["13053", "13059", "13060", "01305", "1305", "A01", "A01.1", "A0199", "A1", "An", "a,b", "Zoë"];
    assert_eq!(covered(&reader, "1305*", &codes), ["13053", "13059"]);
    assert_eq!(covered(&reader, "130**", &codes), ["13053", "13059", "13060"]);
    assert_eq!(covered(&reader, "013**", &codes), ["01305", "1305"]);
    assert_eq!(covered(&reader, "A01**", &codes), ["A01", "A01.1", "A0199"]);
    assert_eq!(covered(&reader, "A0**", &codes), ["A01"]);
    assert_eq!(covered(&reader, "A*", &codes), ["A01", "A01.1", "A0199", "A1", "An"]);
    assert_eq!(covered(&reader, "{An, A1}", &codes), ["A1", "An"]);
    assert_eq!(covered(&reader, "{\"a,b\",13050-13059}", &codes), ["13053", "13059", "a,b"]);
    assert_eq!(
        covered(&reader, "{\"A*\",\"13*\",\"a \"\"b\"\"\"}", &["A1", "A*", "13*", "130", "a \"b\""]),
        ["A*", "13*", "a \"b\""]
    );
    assert_eq!(covered(&reader, "13053 or 13060", &codes), ["13053", "13060"]);
    assert_eq!(covered(&reader, "An~Zoë", &codes), ["An", "Zoë"]);
    assert_eq!(covered(&reader, "A1 … An", &codes), ["A1", "An"]);
}

#[test]
fn dates_in_periods() {
    let days = ["2023-12-31", "2024-01-01", "2024-05-17", "2024-06-30", "2024-07-01", "2031-01-01"];
    let reader = Reader::new(None, days.into_iter());
    for (cell, expected) in [
        ("2024-05", &days[2..3]),
        ("2024-Q2", &days[2..4]),
        ("2024", &days[1..5]),
        ("2020-2029", &days[..5]),
        ("2024-01-01..2024-06-30", &days[1..4]),
        ("[2024-01, 2024-06]", &days[1..4]),
        (">2024", &days[5..]),
        ("<2024", &days[..1]),
        ("2024-05-17", &days[2..3]),
    ] {
        assert_eq!(covered(&reader, cell, &days), expected, "{cell}");
    }
    let turned = Reader::new(None, ["17.05.2024", "01.02.2024"].into_iter());
    assert_eq!(covered(&turned, "2024-05", &["17.05.2024", "01.02.2024"]), ["17.05.2024"]);
    // Years alone are numbers.
    assert_eq!(covered(&plain(), "2020-2029", &["2024", "2030"]), ["2024"]);
}

#[test]
fn a_hierarchy_comes_first() {
    let rows = [
        ["San Diego", "California", "*"],
        ["Los Angeles", "California", "*"],
        ["Wichita", "Kansas", "*"],
        ["30", "3*", "*"],
        ["39", "3*", "*"],
        ["7", "20-29", "*"],
        ["90+", "90+", "*"],
    ];
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
    let tree = Hierarchy::from_rows(&rows).unwrap();
    let reader = Reader::new(Some(tree), std::iter::empty());
    let values = ["San Diego", "Los Angeles", "Wichita", "30", "35", "39", "7", "25", "90+", "95"];
    assert_eq!(covered(&reader, "California", &values), ["San Diego", "Los Angeles"]);
    assert_eq!(covered(&reader, "*", &values), values);
    // It says what the label says, also for values that the tree lacks, unless the tree has another opinion.
    assert_eq!(covered(&reader, "3*", &values), ["30", "35", "39"]);
    assert_eq!(covered(&reader, "20-29", &values), ["7"]);
    assert_eq!(covered(&reader, "90+", &values), ["90+", "95"]);
    assert_eq!(covered(&reader, "Wichita", &values), ["Wichita"]);
    // Another tool's notation is read all the same.
    assert_eq!(covered(&reader, "{Wichita,California}", &values), ["San Diego", "Los Angeles", "Wichita"]);
    assert_eq!(covered(&reader, "[30-39]", &values), ["30", "35", "39"]);
}

#[test]
fn what_is_not_understood() {
    let reader = plain();
    for broken in [
        "[20-", "[20", "20-", "20..", "{a", "a}", "{}", "{a,{b}}", ">=x", "<", "[a-b]", "(20,", "[20,20[", "13*5*",
        "1*3", "{\"a", "[]", "[", "≥", "[30-20]", "{[20-,5}", "(20)",
    ] {
        assert_eq!(reader.read(broken), None, "{broken}");
    }
    // Values, though they have signs in them.
    for value in ["555-0100-1", "13053-1234", "(unknown)", "a-b", "C++", "", "x", "-", "…", "ab… cd", "12E4", "a, b"]
    {
        let cell = reader.read(value).expect(value);
        assert!(matches!(cell.cover, Cover::Exactly(_)), "{value}: {cell:?}");
    }
    // Any text is read or refused.
    let signs: Vec<char> = "0129[](){}<>=≥+-–.,;:* oré…~\"".chars().collect();
    let mut state = 5u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..100_000 {
        let text: String = (0..next(10)).map(|_| signs[next(signs.len())]).collect();
        if let Some(cell) = reader.read(&text) {
            assert!(cell.covers(&reader.value(&text)), "{text}");
        }
    }
}

#[test]
fn words_among_numbers_and_outside_the_tree() {
    let sink = NativeSink::new(|_| {});
    let read = |reader: &Reader, cells: &[&str], known: &str| {
        let is_known = |value: &Value| *value == Value::Text(known.into());
        let read = block_on(reader.read_column(&column(cells), is_known, &Progress::new(&sink))).unwrap();
        (read.different, read.rows)
    };
    let ages = ["20-29", "30", "31", "twenties", "?", "[40", "twenties"];
    assert_eq!(read(&plain(), &ages, ""), (2, 3));
    assert_eq!(read(&plain(), &ages, "twenties"), (1, 1));
    assert_eq!(read(&plain(), &["Rome", "Oslo", "7", "{Rome,Oslo}"], ""), (0, 0));
    let reader = Reader::new(Some(Hierarchy::flat(["Rome", "Oslo"])), std::iter::empty());
    assert_eq!(read(&reader, &["Rome", "Paris", "*"], ""), (1, 1));
}
