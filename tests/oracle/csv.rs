//! CSV read as RFC 4180 says.

/// All records of a text; every line has its cells.
pub fn records(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut any) = (false, false);
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                cell.push('"');
                signs.next();
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => (quoted, any) = (true, true),
            _ if quoted => cell.push(sign),
            _ if sign == delimiter => {
                record.push(std::mem::take(&mut cell));
                any = true;
            }
            '\r' if signs.peek() == Some(&'\n') => {}
            '\n' => {
                if any || !cell.is_empty() {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                any = false;
            }
            _ => cell.push(sign),
        }
    }
    if any || !cell.is_empty() {
        record.push(cell);
        records.push(record);
    }
    records
}

/// A record as it is written.
pub fn line(cells: &[String], delimiter: char) -> String {
    let cell = |cell: &String| match cell.contains([delimiter, '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    match cells {
        [only] if only.is_empty() => "\"\"\n".to_owned(),
        _ => cells.iter().map(cell).collect::<Vec<_>>().join(&delimiter.to_string()) + "\n",
    }
}
