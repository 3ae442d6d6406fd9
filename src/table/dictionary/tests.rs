//! The builder against a plain map from text to code.

use std::collections::HashMap;

use super::*;

/// What a dictionary of these cells must be: codes, texts, and the places of cells that were not UTF-8.
fn naive(cells: &[Vec<u8>]) -> (Vec<u32>, Vec<String>, Vec<usize>) {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut texts = Vec::new();
    let mut code = |cell: &Vec<u8>| {
        let text = String::from_utf8_lossy(cell).into_owned();
        *known.entry(text.clone()).or_insert_with(|| {
            texts.push(text);
            texts.len() as u32 - 1
        })
    };
    let codes = cells.iter().map(&mut code).collect();
    let broken = (0..cells.len()).filter(|&place| String::from_utf8(cells[place].clone()).is_err()).collect();
    (codes, texts, broken)
}

/// As in a file.
fn side_by_side(batch: &[Vec<u8>]) -> (Vec<u8>, Vec<Cell>) {
    let mut text = batch.concat();
    let mut start = 0;
    let mut cell = |bytes: &Vec<u8>| {
        start += bytes.len();
        Cell { start: start - bytes.len(), length: bytes.len() }
    };
    let cells = batch.iter().map(&mut cell).collect();
    text.extend([0xEE; PADDING]);
    (text, cells)
}

fn texts(dictionary: &Dictionary) -> Vec<String> {
    dictionary.iter().map(str::to_owned).collect()
}

/// Texts of up to a length that depends on the case, `values` different ones over and over, zeros among their bytes;
/// in some cases some are not UTF-8, and longer when they are repaired.
fn cells(case: u32, values: u32) -> Vec<Vec<u8>> {
    let scattered = |i: u32| i.wrapping_mul(2_654_435_761) >> 7;
    let longest = [7, 8, 15, 16, 23, 31, 32, 70][case as usize % 8];
    let cell = |i: u32| {
        let value = scattered(i) % values;
        let mut text = format!("{:0width$}", value, width = scattered(value) as usize % (longest + 1)).into_bytes();
        if value % 11 == 5 {
            text = vec![0; value as usize % (longest + 1)];
        }
        if case.is_multiple_of(3) && i % 97 == 96 {
            text.truncate(longest - 1);
            text.push(0xFF);
        }
        text
    };
    (0..1500).map(cell).collect()
}

#[test]
fn one_by_one_codes_follow_first_appearance() {
    for case in 0..200 {
        let cells = cells(case, 1 + 5 * case);
        let (codes, values, broken) = naive(&cells);
        let mut builder = DictionaryBuilder::default();
        for (place, cell) in cells.iter().enumerate() {
            let expected = Coded { code: codes[place], repaired: broken.binary_search(&place).is_ok() };
            assert_eq!(builder.code(cell), Ok(expected), "case {case}, cell {place}");
        }
        assert_eq!(texts(&builder.finish()), values);
    }
}

#[test]
fn batches_give_the_codes_of_single_cells_seen_or_unseen() {
    for case in 0..1200 {
        let (unseen, settled_between) = (case % 5 > 1, case % 5 > 2);
        let cells = cells(case / 5, 1 + 2 * case);
        let (expected, values, broken) = naive(&cells);
        let mut builder = DictionaryBuilder::default();
        let (mut codes, mut repaired) = (Vec::new(), Vec::new());
        for (number, batch) in cells.chunks(100).enumerate() {
            if unseen && number == case as usize % 4 {
                builder.expect_new(1000);
            }
            if settled_between && number == 8 {
                builder.settle(&mut codes);
                assert_eq!(codes, expected[..codes.len()], "case {case}");
            }
            let (text, cells) = side_by_side(batch);
            builder.code_all(&text, &cells, &mut codes, |place| repaired.push(number * 100 + place)).unwrap();
        }
        builder.settle(&mut codes);
        assert_eq!((codes, repaired), (expected, broken), "case {case}");
        assert_eq!(builder.length, values.iter().map(String::len).sum::<usize>());
        assert_eq!(texts(&builder.finish()), values);
    }
}

#[test]
fn many_unseen_values_are_settled_on_the_way() {
    let batch: Vec<Vec<u8>> = (0..BATCH).map(|i| vec![b'a' + (i % 20) as u8]).collect();
    let (text, cells) = side_by_side(&batch);
    let mut builder = DictionaryBuilder::default();
    let mut codes = Vec::new();
    builder.expect_new(0);
    for _ in 0..1200 {
        builder.code_all(&text, &cells, &mut codes, |_| {}).unwrap();
        assert!(builder.len() <= UNSETTLED + BATCH);
    }
    assert_eq!(builder.len(), 20);
    assert!((0..).zip(&codes).all(|(row, &code): (u32, &u32)| code == row % BATCH as u32 % 20));
}

#[test]
fn invalid_bytes_become_one_repaired_value() {
    let mut builder = DictionaryBuilder::default();
    let plain = builder.code("a\u{FFFD}".as_bytes()).unwrap();
    let broken = builder.code(b"a\xff").unwrap();
    assert_eq!((plain.code, plain.repaired), (0, false));
    assert_eq!((broken.code, broken.repaired), (0, true));
}
