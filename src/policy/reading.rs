//! How the policy says a file is read: its `reading`, and of each column `missing_tokens`, `kind` and `order`.
//!
//! ```json
//! "reading": {"delimiter": ";", "encoding": "windows-1252", "header": true, "decimal": ",", "missing_tokens": ["", "NA"]}
//! "columns": {"born": {"role": "quasi", "kind": "date", "order": "dmy", "missing_tokens": ["9999"]}}
//! ```
//!
//! In the program it is [`ReadOptions`]; this is its JSON, both ways. What a policy does not say is guessed from the file;
//! `decimal` alone is not: without it, each column's values tell (`crate::table::kind` says how). A mistake is told with
//! its key.

use serde_json::{Map, Value, json};

use super::file::{ColumnPolicy, PolicyFile};
use crate::failure::Failure;
use crate::io::Encoding;
use crate::io::csv::{ColumnOptions, ReadOptions};
use crate::table::{DateOrder, DecimalMark, SaidKind};

const ENCODINGS: [(Encoding, &str); 4] = [
    (Encoding::Utf8, "utf-8"),
    (Encoding::Utf16le, "utf-16le"),
    (Encoding::Utf16be, "utf-16be"),
    (Encoding::Windows1252, "windows-1252"),
];
const DECIMALS: [(DecimalMark, &str); 2] = [(DecimalMark::Point, "."), (DecimalMark::Comma, ",")];
const ORDERS: [(DateOrder, &str); 3] =
    [(DateOrder::DayMonthYear, "dmy"), (DateOrder::MonthDayYear, "mdy"), (DateOrder::YearMonthDay, "ymd")];
const KINDS: [(SaidKind, &str); 4] = [
    (SaidKind::Integer, "integer"),
    (SaidKind::Decimal, "decimal"),
    (SaidKind::Date(None), "date"),
    (SaidKind::Text, "text"),
];

impl PolicyFile {
    /// How its table is read. Every column that it names has an entry.
    pub fn reading(&self) -> Result<ReadOptions, Failure> {
        let mut options = match &self.reading {
            Some(reading) => table_options(reading)?,
            None => ReadOptions::default(),
        };
        for (name, column) in &self.columns {
            options.columns.insert(name.clone(), column.reading(name)?);
        }
        Ok(options)
    }

    /// Whether it says anything of how its table is read.
    pub fn says_reading(&self) -> bool {
        let says =
            |column: &ColumnPolicy| column.missing_tokens.is_some() || column.kind.is_some() || column.order.is_some();
        self.reading.is_some() || self.columns.values().any(says)
    }

    /// Writes down how the table was read.
    pub(super) fn say_reading(&mut self, options: &ReadOptions) {
        self.reading = Some(written(options));
        for (name, said) in &options.columns {
            if let Some(column) = self.columns.get_mut(name) {
                column.missing_tokens = (!said.missing.is_empty()).then(|| json!(said.missing));
                column.kind = said.kind.map(|kind| json!(kind_name(kind)));
                column.order = match said.kind {
                    Some(SaidKind::Date(Some(order))) => Some(json!(name_of(&ORDERS, &order))),
                    _ => None,
                };
            }
        }
    }
}

impl ColumnPolicy {
    fn reading(&self, column: &str) -> Result<ColumnOptions, Failure> {
        let key = |key: &str| format!("{key}” of column “{column}");
        let kind = self.kind.as_ref().map(|kind| one_of(&KINDS, kind, &key("kind"))).transpose()?;
        let order = self.order.as_ref().map(|order| one_of(&ORDERS, order, &key("order"))).transpose()?;
        let kind = match (kind, order) {
            (Some(SaidKind::Date(_)), order) => Some(SaidKind::Date(order)),
            (kind, None) => kind,
            _ => {
                let what = format!("“order” of column “{column}” is only for columns of the kind “date”.");
                return Err(Failure::policy(what, "Say \"kind\": \"date\" there, or leave the order out."));
            }
        };
        let missing = self.missing_tokens.as_ref().map(|tokens| texts(tokens, &key("missing_tokens"))).transpose()?;
        Ok(ColumnOptions { missing: missing.unwrap_or_default(), kind })
    }
}

/// What is said of the table as a whole.
fn table_options(reading: &Value) -> Result<ReadOptions, Failure> {
    let Value::Object(reading) = reading else { return Err(wrong("reading", "an object")) };
    let mut options = ReadOptions::default();
    for (key, value) in reading {
        let named = format!("reading.{key}");
        match key.as_str() {
            "delimiter" => options.delimiter = Some(delimiter(value, &named)?),
            "encoding" => options.encoding = Some(one_of(&ENCODINGS, value, &named)?),
            "header" => options.header = Some(value.as_bool().ok_or_else(|| wrong(&named, "true or false"))?),
            "decimal" => options.decimal = Some(one_of(&DECIMALS, value, &named)?),
            "missing_tokens" => options.missing = Some(texts(value, &named)?),
            _ => {
                let what = format!("The policy has an unknown key “{named}”.");
                let next = "Known are delimiter, encoding, header, decimal and missing_tokens.";
                return Err(Failure::policy(what, next));
            }
        }
    }
    Ok(options)
}

fn written(options: &ReadOptions) -> Value {
    let mut reading = Map::new();
    let mut say = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            reading.insert(key.to_owned(), value);
        }
    };
    say("delimiter", options.delimiter.map(|delimiter| json!(char::from(delimiter).to_string())));
    say("encoding", options.encoding.map(|encoding| json!(name_of(&ENCODINGS, &encoding))));
    say("header", options.header.map(Value::Bool));
    say("decimal", options.decimal.map(|mark| json!(name_of(&DECIMALS, &mark))));
    say("missing_tokens", options.missing.as_ref().map(|tokens| json!(tokens)));
    Value::Object(reading)
}

fn delimiter(value: &Value, key: &str) -> Result<u8, Failure> {
    let expected = "one ASCII character that is no letter, figure, quote or line break";
    match value.as_str().map(str::as_bytes) {
        Some(&[byte])
            if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\r' | b'\n' | 0) =>
        {
            Ok(byte)
        }
        _ => Err(wrong(key, expected)),
    }
}

fn texts(value: &Value, key: &str) -> Result<Vec<String>, Failure> {
    let texts =
        || value.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect::<Option<Vec<String>>>();
    texts().ok_or_else(|| wrong(key, "a list of texts"))
}

fn one_of<T: Copy>(names: &[(T, &str)], value: &Value, key: &str) -> Result<T, Failure> {
    let named = value.as_str().and_then(|text| names.iter().find(|(_, name)| *name == text));
    let known = || names.iter().map(|(_, name)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    named.map(|&(thing, _)| thing).ok_or_else(|| wrong(key, &format!("one of {}", known())))
}

fn name_of<'a, T: PartialEq>(names: &[(T, &'a str)], thing: &T) -> &'a str {
    names.iter().find(|(other, _)| other == thing).map_or("", |(_, name)| name)
}

fn kind_name(kind: SaidKind) -> &'static str {
    let kind = if let SaidKind::Date(_) = kind { SaidKind::Date(None) } else { kind };
    name_of(&KINDS, &kind)
}

/// The value itself is not quoted: it may be one of the data.
fn wrong(key: &str, expected: &str) -> Failure {
    Failure::policy(format!("The policy's “{key}” must be {expected}."), "Correct it there, or leave it out.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(reading: &str, column: &str) -> PolicyFile {
        let text =
            format!(r#"{{"throng": 1, "reading": {reading}, "columns": {{"born": {{"role": "quasi"{column}}}}}}}"#);
        PolicyFile::parse(&text).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let reading = r#"{"delimiter": ";", "encoding": "windows-1252", "header": false, "decimal": ",", "missing_tokens": ["", "k.A."]}"#;
        let mut policy = policy(reading, r#", "missing_tokens": ["9999"], "kind": "date", "order": "mdy""#);
        let options = policy.reading().unwrap();
        let born =
            ColumnOptions { missing: vec!["9999".into()], kind: Some(SaidKind::Date(Some(DateOrder::MonthDayYear))) };
        let expected = ReadOptions {
            delimiter: Some(b';'),
            encoding: Some(Encoding::Windows1252),
            header: Some(false),
            decimal: Some(DecimalMark::Comma),
            missing: Some(vec!["".into(), "k.A.".into()]),
            columns: [("born".to_owned(), born)].into(),
            released: false,
        };
        assert_eq!(options, expected);
        let before = policy.clone();
        policy.say_reading(&options);
        assert_eq!(policy, before);
        for (kind, name) in KINDS {
            policy.say_reading(&ReadOptions {
                columns: [("born".to_owned(), ColumnOptions { missing: Vec::new(), kind: Some(kind) })].into(),
                ..ReadOptions::default()
            });
            assert_eq!(policy.columns["born"].kind, Some(json!(name)));
            assert_eq!(policy.reading().unwrap().columns["born"].kind, Some(kind));
        }
    }

    #[test]
    fn mistakes_name_their_key() {
        let cases = [
            ("[]", "", "“reading”"),
            (r#"{"sheet": "x"}"#, "", "“reading.sheet”"),
            (r#"{"delimiter": ";;"}"#, "", "“reading.delimiter”"),
            (r#"{"delimiter": "\""}"#, "", "“reading.delimiter”"),
            (r#"{"delimiter": "a"}"#, "", "“reading.delimiter”"),
            (r#"{"encoding": "ebcdic"}"#, "", "“reading.encoding”"),
            (r#"{"header": "yes"}"#, "", "“reading.header”"),
            (r#"{"decimal": 1}"#, "", "“reading.decimal”"),
            (r#"{"missing_tokens": "NA"}"#, "", "“reading.missing_tokens”"),
            (r#"{"missing_tokens": [1]}"#, "", "“reading.missing_tokens”"),
            ("{}", r#", "kind": "number""#, "“kind” of column “born”"),
            ("{}", r#", "kind": "date", "order": "ydm""#, "“order” of column “born”"),
            ("{}", r#", "order": "dmy""#, "“order” of column “born”"),
            ("{}", r#", "kind": "text", "order": "dmy""#, "“order” of column “born”"),
            ("{}", r#", "missing_tokens": [null]"#, "“missing_tokens” of column “born”"),
        ];
        for (reading, column, key) in cases {
            let failure = policy(reading, column).reading().unwrap_err();
            assert!(failure.what.contains(key), "{reading} {column}: {}", failure.what);
            assert!(!failure.what.contains("ebcdic"), "{}", failure.what);
        }
    }
}
