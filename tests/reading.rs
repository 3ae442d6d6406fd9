//! How a file is read is part of the policy, and what is said of saved bytes is true: issue 20, points 10 to 13.
//!
//! At its heart a person's afternoon: a file from an old system is read wrongly, corrected on the page, released, and the
//! report goes to somebody who has the file and the report, nothing else. What the report says to run gives the same bytes.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use support::{ask, cells, edit, file, open_files, page, rows_of, text};
use throng::engine::Engine;
use throng::io::Encoding;
use throng::io::csv::{ColumnOptions, ReadOptions};
use throng::io::csv_write::Written;
use throng::policy::{Algorithm, Demand, Edit, ModelDemand};
use throng::protocol::{Opened, Request, Response};
use throng::report::Audience;
use throng::table::{DateOrder, Role, SaidKind, View};

const FILE: &str = "Kölner Fälle \"2024\" o'Neil $HOME.csv";

/// As Windows has it: one byte a sign.
fn windows_1252(text: &str) -> Vec<u8> {
    let byte = |sign: char| match sign {
        '€' => 0x80,
        '–' => 0x96,
        sign => u8::try_from(u32::from(sign)).unwrap(),
    };
    text.chars().map(byte).collect()
}

/// 240 people. In dates and diagnoses `k.A.` is missing, in heights `9999`; days can be read in two orders; wards look
/// like numbers, notes like formulas.
fn old_file() -> Vec<u8> {
    let mut lines = vec!["Versicherter;Straße;geboren am;Größe;Station;Diagnose €;=Notiz".to_owned()];
    let diagnoses = ["Grippe", "Asthma", "Gicht", "Röteln", "k.A."];
    for row in 0..240usize {
        let born = match row % 20 {
            7 => "k.A.".to_owned(),
            _ => format!("{:02}/{:02}/{}", 1 + row % 12, 1 + row * 5 % 12, 1950 + row % 30),
        };
        let tall = if row % 24 == 3 { "9999".to_owned() } else { format!("1,{}", 50 + row * 7 % 45) };
        let street = ["Mühlweg", "Am Rain", "Großer Ring; West", "k.A."][row / 7 % 4];
        let street = if street.contains(';') { format!("\"{street}\"") } else { street.to_owned() };
        let note = ["=1+1", "-5", "–", "+49 221", "ok"][row % 5];
        lines.push(format!(
            "V{row:04};{street};{born};{tall};{};{};{note}",
            101 + row % 3,
            diagnoses[(row * row / 3) % diagnoses.len()]
        ));
    }
    windows_1252(&(lines.join("\r\n") + "\r\n"))
}

/// What a person says of it on the page.
fn corrected() -> ReadOptions {
    let said = |missing: &[&str], kind: Option<SaidKind>| ColumnOptions {
        missing: missing.iter().map(|&token| token.to_owned()).collect(),
        kind,
    };
    let date = SaidKind::Date(Some(DateOrder::MonthDayYear));
    ReadOptions {
        delimiter: Some(b';'),
        encoding: Some(Encoding::Windows1252),
        header: Some(true),
        missing: Some(vec!["".into(), "NA".into(), "k.A.".into()]),
        columns: [
            ("geboren am".to_owned(), said(&[], Some(date))),
            ("Größe".to_owned(), said(&["9999"], None)),
            ("Station".to_owned(), said(&[], Some(SaidKind::Text))),
        ]
        .into(),
        ..ReadOptions::default()
    }
}

fn opened(engine: &Engine, request: Request) -> Opened {
    match ask(engine, request, vec![]) {
        Ok(Response::Opened(opened)) => opened,
        other => panic!("{other:?}"),
    }
}

const ROLES: [Role; 7] =
    [Role::Identifier, Role::Quasi, Role::Quasi, Role::Quasi, Role::Quasi, Role::Sensitive, Role::Insensitive];

fn set_up(engine: &Engine) {
    for (column, role) in ROLES.into_iter().enumerate() {
        edit(engine, Edit::Roles { columns: vec![column as u32], role }).unwrap();
    }
    let demand = |model| Demand { model, attribute: None, jointly: false };
    let demands = vec![demand(ModelDemand::KAnonymity { k: 5 }), demand(ModelDemand::DistinctL { l: 2 })];
    edit(engine, Edit::Privacy { demands, typing: false }).unwrap();
    edit(engine, Edit::SuppressionLimit { limit: 0.1, typing: false }).unwrap();
}

/// The page: the file dropped, its reading corrected, columns set up, released.
fn by_the_page() -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file(FILE, old_file())]).unwrap();
    opened(&engine, Request::Read { options: corrected() });
    set_up(&engine);
    ask(&engine, Request::Run, vec![]).unwrap();
    engine
}

fn exported(engine: &Engine, written: Written) -> Vec<u8> {
    let request = Request::Export { protected: written.protected, row_numbers: written.row_numbers };
    match ask(engine, request, vec![]) {
        Ok(Response::File(bytes)) => bytes,
        other => panic!("{other:?}"),
    }
}

fn report(engine: &Engine, written: Written) -> String {
    text(engine, Request::Report { audience: Audience::Internal, date: "2026-11-19".into(), written })
}

/// The text of a `pre` of the report, as a browser shows it.
fn shown(html: &str, id: &str) -> String {
    let start = html.split_once(&format!("<pre id=\"{id}\">")).unwrap().1;
    unescaped(start.split_once("</pre>").unwrap().0)
}

/// What stands beside a heading of the report, without its marks.
fn fact(html: &str, name: &str) -> String {
    let start = html.split_once(&format!("<th scope=\"row\">{name}</th><td>")).expect(name).1;
    unescaped(&start.split_once("</td>").unwrap().0.replace("<code>", "").replace("</code>", ""))
}

fn unescaped(html: &str) -> String {
    let quotes = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    quotes.replace("&amp;", "&")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("throng reading {name} {}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    fn throng(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// A command as somebody types it into a shell.
    fn shell(&self, command: &str) -> Output {
        let programs = Path::new(env!("CARGO_BIN_EXE_throng")).parent().unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        Command::new("sh").args(["-c", command]).env("PATH", path).current_dir(&self.0).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn succeeds(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Who has the file and a report does what the report says; the bytes are what it says they are.
fn reproduce(name: &str, html: &str) -> Vec<u8> {
    let elsewhere = Folder::new(&format!("{name} elsewhere"));
    elsewhere.put(&fact(html, "File"), old_file());
    elsewhere.put("policy.json", shown(html, "policy"));
    assert_eq!(fact(html, "SHA-256 of the file"), sha256(&old_file()));
    assert_eq!(fact(html, "SHA-256 of the policy"), sha256(&elsewhere.bytes("policy.json")));
    let said = succeeds(elsewhere.shell(&shown(html, "command")));
    let bytes = elsewhere.bytes("release.csv");
    assert_eq!(fact(html, "SHA-256 of the release"), sha256(&bytes));
    assert!(said.contains(&sha256(&bytes)), "the runner says the digest of what it saved: {said}");
    bytes
}

const WRITTEN: [Written; 4] = [
    Written { protected: true, row_numbers: false },
    Written { protected: false, row_numbers: false },
    Written { protected: true, row_numbers: true },
    Written { protected: false, row_numbers: true },
];

#[test]
fn point_11_the_command_in_the_pages_report_gives_the_same_bytes_elsewhere() {
    let engine = by_the_page();
    let mut seen = Vec::new();
    for (place, written) in WRITTEN.into_iter().enumerate() {
        let bytes = exported(&engine, written);
        let html = report(&engine, written);
        assert_eq!(reproduce(&format!("page {place}"), &html), bytes, "{written:?}");
        assert!(!seen.contains(&bytes), "each choice changes the bytes");
        seen.push(bytes);
    }
    // The file was read as it was meant: else the same bytes would prove little.
    let text = String::from_utf8(seen.swap_remove(1)).unwrap();
    assert!(text.starts_with("Straße,geboren am,Größe,Station,Diagnose €,=Notiz\n"), "{}", &text[..80]);
    assert!(text.contains("Röteln") && text.contains('–') && !text.contains('\u{FFFD}'));
}

#[test]
fn point_11_the_command_in_the_runners_report_gives_the_same_bytes_elsewhere() {
    let here = Folder::new("runner");
    here.put(&format!("a folder/{FILE}"), old_file());
    // A hierarchy of its own, in a file that only this machine has.
    here.put("policies/trees/station.csv", "101;Nord;*\n102;Nord;*\n103;Süd;*\n");
    here.put(
        "policies/p.json",
        r#"{"throng": 1, "reading": {"delimiter": ";", "encoding": "windows-1252", "missing_tokens": ["", "k.A."]},
            "columns": {"Versicherter": {"role": "identifier"}, "Straße": {"role": "quasi"},
            "geboren am": {"role": "quasi", "kind": "date", "order": "mdy", "hierarchy": {"recipe": {"dates": {"levels": ["month", "year"]}}}},
            "Größe": {"role": "quasi", "missing_tokens": ["9999"]},
            "Station": {"role": "quasi", "kind": "text", "hierarchy": {"file": "trees/station.csv"}},
            "Diagnose €": {"role": "sensitive"}, "=Notiz": {"role": "insensitive"}},
            "privacy": [{"model": "k-anonymity", "k": 5}], "suppression_limit": 0.1, "seed": 12}"#,
    );
    let data = format!("a folder/{FILE}");
    let run = ["run", "policies/p.json", &data, "-o", "out.csv", "--report-page", "report.html"];
    for (place, options) in
        [&[][..], &["--no-protect-formulas"], &["--row-numbers"], &["--row-numbers", "--no-protect-formulas"]]
            .into_iter()
            .enumerate()
    {
        succeeds(here.throng(&[&run[..], options].concat()));
        assert_eq!(reproduce(&format!("runner {place}"), &here.text("report.html")), here.bytes("out.csv"));
    }
}

#[test]
fn point_11_the_reading_is_in_the_policy_and_every_way_to_load_it_applies_it() {
    let engine = by_the_page();
    let policy = text(&engine, Request::SavePolicy);
    let json: serde_json::Value = serde_json::from_str(&policy).unwrap();
    assert_eq!(json["reading"]["delimiter"], ";");
    assert_eq!(json["reading"]["encoding"], "windows-1252");
    assert_eq!(json["reading"]["header"], true);
    assert_eq!(json["reading"]["missing_tokens"], serde_json::json!(["", "NA", "k.A."]));
    assert_eq!(json["columns"]["Größe"]["missing_tokens"], serde_json::json!(["9999"]));
    assert_eq!(
        (&json["columns"]["geboren am"]["kind"], &json["columns"]["geboren am"]["order"]),
        (&"date".into(), &"mdy".into())
    );
    assert_eq!(json["columns"]["Station"]["kind"], "text");
    // What nobody said is written down as it was guessed.
    assert_eq!(json["columns"]["Größe"]["kind"], "decimal");
    let bytes = exported(&engine, Written::default());
    type Load = fn(&Engine, &str);
    let ways: [(&str, Load); 4] = [
        ("with the table", |engine, policy| {
            open_files(engine, vec![file(FILE, old_file()), file("p.json", policy)]).unwrap();
        }),
        ("dropped on the table", |engine, policy| {
            open_files(engine, vec![file(FILE, old_file())]).unwrap();
            let opened = open_files(engine, vec![file("p.json", policy)]).unwrap();
            assert!(opened.again && opened.table.is_some());
        }),
        ("loaded", |engine, policy| {
            open_files(engine, vec![file(FILE, old_file())]).unwrap();
            assert!(opened(engine, Request::LoadPolicy { text: policy.into() }).again);
        }),
        ("kept in the browser", |engine, policy| {
            open_files(engine, vec![file(FILE, old_file())]).unwrap();
            assert!(opened(engine, Request::RestorePolicy { text: policy.into() }).again);
        }),
    ];
    for (name, load) in ways {
        let other = Engine::default();
        load(&other, &policy);
        assert_eq!(text(&other, Request::SavePolicy), policy, "{name}");
        ask(&other, Request::Run, vec![]).unwrap();
        assert_eq!(exported(&other, Written::default()), bytes, "{name}");
    }
}

/// Changing the reading keeps what a person set up, and going back gives the same as before.
#[test]
fn point_11_reading_again_keeps_the_set_up_and_can_be_taken_back() {
    let engine = by_the_page();
    let before = text(&engine, Request::SavePolicy);
    let table = cells(page(&engine, rows_of(View::default())));
    let roles = |opened: &Opened| opened.setup.columns.iter().map(|column| column.role).collect::<Vec<_>>();
    // More missing tokens, for one column, with a blank in them.
    let mut options = corrected();
    options.columns.entry("=Notiz".into()).or_default().missing = vec!["+49 221".into()];
    let again = opened(&engine, Request::Read { options });
    assert!(again.again);
    assert!(!again.setup.can_undo, "one step back is the reading before, not another set-up");
    assert_eq!(roles(&again), ROLES);
    assert_eq!(again.table.as_ref().unwrap().columns[6].missing, 48);
    let now = text(&engine, Request::SavePolicy);
    assert!(now.contains("+49 221") && now.contains("k-anonymity") && now != before);
    let back = opened(&engine, Request::LoadPolicy { text: before.clone() });
    assert_eq!(roles(&back), ROLES);
    assert_eq!(text(&engine, Request::SavePolicy), before);
    assert_eq!(cells(page(&engine, rows_of(View::default()))), table);
    // A delimiter that makes other columns: those of another name are guessed, what was demanded stays.
    let wrong = ReadOptions { delimiter: Some(b'|'), ..back.reading.clone() };
    let other = opened(&engine, Request::Read { options: wrong });
    assert_eq!(other.setup.columns.len(), 1);
    assert_eq!(other.setup.privacy.len(), 2);
    opened(&engine, Request::LoadPolicy { text: before.clone() });
    assert_eq!(text(&engine, Request::SavePolicy), before);
    // A reading that can't be leaves everything as it is.
    let mut impossible = corrected();
    impossible.columns.entry("Straße".into()).or_default().kind = Some(SaidKind::Integer);
    let failure = ask(&engine, Request::Read { options: impossible }, vec![]).unwrap_err();
    assert!(failure.what.contains("Straße") && !failure.what.contains("Mühlweg"), "{}", failure.what);
    assert_eq!(text(&engine, Request::SavePolicy), before);
    assert_eq!(cells(page(&engine, rows_of(View::default()))), table);
}

/// A policy says the kind of every column; what only repeats the guess must not hold a later correction up.
#[test]
fn point_11_kinds_that_nobody_corrected_are_guessed_again() {
    let engine = by_the_page();
    let policy = text(&engine, Request::SavePolicy);
    let other = Engine::default();
    open_files(&other, vec![file(FILE, old_file()), file("p.json", policy.as_str())]).unwrap();
    let asked = opened(&other, Request::Read { options: corrected() }).reading;
    // Without k.A. the dates are dates no longer: said to be, they can't be read; the height's kind is its own affair.
    let without = ReadOptions { missing: Some(vec!["".into()]), ..asked.clone() };
    let failure = ask(&other, Request::Read { options: without.clone() }, vec![]).unwrap_err();
    assert!(failure.what.contains("geboren am"), "{}", failure.what);
    let mut without = without;
    without.columns.remove("geboren am");
    without.columns.remove("Größe");
    let read = opened(&other, Request::Read { options: without });
    let kind = |opened: &Opened, place: usize| format!("{:?}", opened.table.as_ref().unwrap().columns[place].kind.kind);
    assert_eq!((kind(&read, 2).as_str(), kind(&read, 4).as_str()), ("Text", "Text"), "the ward's correction stays");
    // And with them all is as it was, though a policy had said every kind.
    opened(&other, Request::LoadPolicy { text: policy.clone() });
    let mut more = corrected().or(ReadOptions::default());
    more.missing = Some(vec!["".into(), "NA".into(), "k.A.".into(), "ok".into()]);
    let all_kinds: serde_json::Value = serde_json::from_str(&policy).unwrap();
    assert_eq!(all_kinds["columns"]["=Notiz"]["kind"], "text");
    let read = opened(&other, Request::Read { options: more });
    assert_eq!((kind(&read, 2).as_str(), kind(&read, 3).as_str()), ("Date(MonthDayYear)", "Decimal"));
}

/// The same for files of every make, also where what is said is not what would be guessed.
#[test]
fn point_11_files_of_every_make_are_released_again_by_the_reports_command() {
    let rows = |delimiter: &str, header: bool, end: &str| {
        let mut lines = if header { vec![["alter", "größe", "ort", "befund"].join(delimiter)] } else { Vec::new() };
        for row in 0..60usize {
            let age = if row % 9 == 4 { "-1".to_owned() } else { format!("0{}", 20 + row % 7) };
            let tall = ["1.250", "2.500", "3.750", "not known"][row % 4];
            lines.push(
                [age.as_str(), tall, ["Köln", "-", " x "][row % 3], ["a, b", "=c", "d"][row / 2 % 3]].join(delimiter),
            );
        }
        lines.join(end) + end
    };
    let utf16 = |text: &str| [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let texts = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    let none = ReadOptions::default;
    let columns = |names: [&str; 2]| {
        [
            (names[0].to_owned(), ColumnOptions { missing: vec!["-1".into()], kind: Some(SaidKind::Integer) }),
            (names[1].to_owned(), ColumnOptions { missing: vec!["not known".into()], kind: Some(SaidKind::Decimal) }),
        ]
    };
    let named = columns(["alter", "größe"]);
    let numbered = columns(["column 1", "column 2"]);
    let files: [(&str, Vec<u8>, ReadOptions); 8] = [
        (
            "a.csv",
            rows(
                ";", true, "
",
            )
            .into_bytes(),
            none(),
        ),
        (
            "-o.csv",
            windows_1252(&rows(
                "	", true, "
",
            )),
            ReadOptions { columns: named.clone().into(), ..none() },
        ),
        (
            "zwei
Zeilen & <mehr>.csv",
            utf16(&rows(
                "|", true, "
",
            )),
            ReadOptions { columns: named.clone().into(), ..none() },
        ),
        (
            "ohne Namen.csv",
            rows(
                ";", false, "
",
            )
            .into_bytes(),
            ReadOptions { header: Some(false), columns: numbered.into(), ..none() },
        ),
        (
            "tilde.txt",
            rows(
                "~", true, "
",
            )
            .into_bytes(),
            ReadOptions { delimiter: Some(b'~'), header: Some(true), columns: named.clone().into(), ..none() },
        ),
        (
            "komma.csv",
            windows_1252(
                &rows(
                    ";", true, "
",
                )
                .replace(".250", ",250")
                .replace(".500", ",500")
                .replace(".750", ",750"),
            ),
            ReadOptions { decimal: Some(throng::table::DecimalMark::Comma), columns: named.clone().into(), ..none() },
        ),
        (
            "point.csv",
            rows(
                ";", true, "
",
            )
            .into_bytes(),
            ReadOptions { decimal: Some(throng::table::DecimalMark::Point), columns: named.into(), ..none() },
        ),
        // Empty cells and those of a blank are no missing ones here; the file is said to be of another encoding.
        (
            "so gesagt.csv",
            rows(
                ";", true, "
",
            )
            .into_bytes(),
            ReadOptions { encoding: Some(Encoding::Windows1252), missing: texts(&["-", "x", "not known"]), ..none() },
        ),
    ];
    for (name, bytes, options) in files {
        let engine = Engine::default();
        open_files(&engine, vec![file(name, bytes.clone())]).unwrap();
        let read = opened(&engine, Request::Read { options });
        assert_eq!(read.setup.columns.len(), 4, "{name}");
        for (column, role) in [Role::Quasi, Role::Quasi, Role::Quasi, Role::Sensitive].into_iter().enumerate() {
            edit(&engine, Edit::Roles { columns: vec![column as u32], role }).unwrap();
        }
        let demand = Demand { model: ModelDemand::KAnonymity { k: 3 }, attribute: None, jointly: false };
        edit(&engine, Edit::Privacy { demands: vec![demand], typing: false }).unwrap();
        ask(&engine, Request::Run, vec![]).unwrap();
        let html = report(&engine, Written::default());
        let elsewhere = Folder::new("every make");
        assert_eq!(fact(&html, "File"), name);
        elsewhere.put(name, &bytes);
        elsewhere.put("policy.json", shown(&html, "policy"));
        succeeds(elsewhere.shell(&shown(&html, "command")));
        let release = elsewhere.bytes("release.csv");
        assert_eq!(release, exported(&engine, Written::default()), "{name}");
        assert_eq!(fact(&html, "SHA-256 of the release"), sha256(&release), "{name}");
    }
}

/// What a spreadsheet may take for a formula, by its naive definition: what shows first is a sign, and it is no number.
fn looks_like_a_formula(cell: &str) -> bool {
    let unseen = |sign: char| {
        sign.is_whitespace() || sign.is_control() || "\u{AD}\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}".contains(sign)
    };
    let shown: String = cell.chars().skip_while(|&sign| unseen(sign)).collect();
    shown.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        && shown.trim().replace(',', ".").parse::<f64>().is_err()
}

/// Every sign behind everything that does not show.
fn formulas() -> Vec<String> {
    let before = [
        "",
        " ",
        "  ",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\n \t",
        "\u{A0}",
        "\u{2003}",
        "\u{3000}",
        "\u{200B}",
        "\u{200D}",
        "\u{2060}",
        "\u{FEFF}",
        "\u{AD}",
        " \u{200B} ",
    ];
    let signs = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "＝1+1", "＋x", "－x", "＠x"];
    before.iter().flat_map(|before| signs.iter().map(move |sign| format!("{before}{sign}"))).collect()
}

fn csv_of(records: &[Vec<String>]) -> Vec<u8> {
    let mut text = String::new();
    for record in records {
        let cells: Vec<String> = record.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
        text += &(cells.join(",") + "\n");
    }
    text.into_bytes()
}

fn records(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The town is always the same, so the release has every row.
fn formula_folder(name: &str) -> (Folder, Vec<Vec<String>>) {
    let folder = Folder::new(name);
    let harmless = ["a=b", "-5", "+3.5", "-1,5", "x", "'quoted", "'=1", "''=1", "5", "", "(=1)"];
    let mut table = vec![vec!["town".to_owned(), " =note".to_owned()]];
    let all = formulas().into_iter().chain(harmless.map(str::to_owned));
    table.extend(all.map(|note| vec!["Ulm".to_owned(), note]));
    folder.put("data.csv", csv_of(&table));
    folder.put(
        "policy.json",
        r#"{"throng": 1, "columns": {"town": {"role": "quasi"}, " =note": {"role": "insensitive"}},
            "privacy": [{"model": "k-anonymity", "k": 2}], "repairs": "accept"}"#,
    );
    (folder, table)
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

#[test]
fn point_10_the_runner_protects_every_formula_unless_it_is_told_not_to() {
    let (folder, table) = formula_folder("formulas");
    let run = ["run", "policy.json", "data.csv", "-o", "out.csv", "--report", "r.json", "--report-page", "r.html"];
    succeeds(folder.throng(&run));
    let protected = records(&folder.bytes("out.csv"));
    for cell in protected.iter().flatten() {
        assert!(!looks_like_a_formula(cell), "{cell:?}");
        assert!(!cell.starts_with(['\t', '\r', '\n']), "{cell:?}");
    }
    assert_eq!(protected[0], ["town", "' =note"], "names of columns, too");
    // An apostrophe, and nothing else: different cells stay different.
    let bare = |cell: &str| match cell.strip_prefix('\'') {
        Some(rest) if looks_like_a_formula(rest.trim_start_matches('\'')) => rest.to_owned(),
        _ => cell.to_owned(),
    };
    let as_it_was: Vec<Vec<String>> = protected.iter().map(|row| row.iter().map(|cell| bare(cell)).collect()).collect();
    assert_eq!(as_it_was[0], table[0]);
    assert_eq!(sorted(as_it_was[1..].to_vec()), sorted(table[1..].to_vec()));
    let numbers = ["-5", "+3.5", "-1,5"].map(str::to_owned);
    assert!(numbers.iter().all(|number| protected.iter().any(|row| row[1] == *number)), "numbers stay numbers");
    // It is told, with every word's opposite.
    assert!(fact(&folder.text("r.html"), "How it is written").contains("have an apostrophe before them"));
    let json: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(json["files"]["release"]["formulas_protected"], true);
    succeeds(folder.throng(&[&run[..], &["--no-protect-formulas"]].concat()));
    let plain = records(&folder.bytes("out.csv"));
    assert_eq!((plain[0].clone(), sorted(plain[1..].to_vec())), (table[0].clone(), sorted(table[1..].to_vec())));
    assert!(fact(&folder.text("r.html"), "How it is written").contains("are not protected"));
    assert!(shown(&folder.text("r.html"), "command").contains("--no-protect-formulas"));
    let json: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
    assert_eq!(json["files"]["release"]["formulas_protected"], false);
}

#[test]
fn point_10_a_protected_release_read_back_has_the_values_it_was_made_of() {
    let (folder, table) = formula_folder("back");
    succeeds(folder.throng(&["run", "policy.json", "data.csv", "-o", "out.csv"]));
    let engine = Engine::default();
    let options = ReadOptions { released: true, ..ReadOptions::default() };
    ask(&engine, Request::Open { options }, vec![file("out.csv", folder.bytes("out.csv"))]).unwrap();
    let rows = cells(page(&engine, rows_of(View::default())));
    assert_eq!(sorted(rows), sorted(table[1..].to_vec()));
    // The policy's columns are found in it by their own names.
    let checked = folder.throng(&["check", "policy.json", "out.csv"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn point_10_an_applied_plan_is_protected_too() {
    let folder = Folder::new("plan");
    let mut table = vec![vec!["sex".to_owned(), "ill".to_owned()]];
    let ill = [" =1+1", "＝x", "flu", "\u{A0}@x"];
    table.extend((0..400).map(|row| vec![["f", "m"][row % 2].to_owned(), ill[row / 2 % 4].to_owned()]));
    folder.put("data.csv", csv_of(&table));
    folder.put("policy.json", r#"{"throng": 1, "columns": {"sex": {"role": "quasi"}, "ill": {"role": "sensitive"}}}"#);
    let made = succeeds(folder.throng(&[
        "plan",
        "make",
        "policy.json",
        "data.csv",
        "-o",
        "plan.json",
        "--l",
        "2",
        "--delta",
        "0.1",
    ]));
    assert!(made.contains(&sha256(&folder.bytes("plan.json"))), "point 12: {made}");
    let apply = ["plan", "apply", "plan.json", "data.csv", "-o", "out.csv", "--early"];
    let said = succeeds(folder.throng(&apply));
    assert!(said.contains(&sha256(&folder.bytes("out.csv"))), "point 12: {said}");
    let protected = records(&folder.bytes("out.csv"));
    assert!(protected.iter().flatten().all(|cell| !looks_like_a_formula(cell)), "{protected:?}");
    succeeds(folder.throng(&[&apply[..], &["--no-protect-formulas"]].concat()));
    assert!(records(&folder.bytes("out.csv")).iter().flatten().any(|cell| looks_like_a_formula(cell)));
}

/// Every file that the runner saves, and every digest that is told of one.
#[test]
fn point_12_the_runner_says_the_digest_of_each_file_that_it_saves() {
    let (folder, _) = formula_folder("digests");
    let saving: [(&[&str], &[&str]); 7] = [
        (&["run", "policy.json", "data.csv", "-o", "out.csv"], &["out.csv"]),
        (&["run", "policy.json", "data.csv", "-o", "out.csv", "--row-numbers"], &["out.csv"]),
        (&["run", "policy.json", "data.csv", "-o", "out.csv", "--no-protect-formulas"], &["out.csv"]),
        (
            &["run", "policy.json", "data.csv", "-o", "out.csv", "--report", "r.json", "--report-page", "r.html"],
            &["out.csv", "r.json", "r.html"],
        ),
        (
            &["run", "policy.json", "data.csv", "-o", "out.csv", "--report-page", "r.html", "--external"],
            &["out.csv", "r.html"],
        ),
        (&["columns", "data.csv", "--save", "saved.json"], &["saved.json"]),
        (&["columns", "data.csv", "--json", "--save", "saved.json"], &["saved.json"]),
    ];
    for (arguments, files) in saving {
        let output = folder.throng(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &succeeds(output);
        for file in files {
            let line = format!("SHA-256 {}  {file}\n", sha256(&folder.bytes(file)));
            assert!(said.contains(&line), "{arguments:?}: {said}");
        }
        if arguments.contains(&"--json") {
            assert!(serde_json::from_slice::<serde_json::Value>(&folder.throng(arguments).stdout).is_ok());
        }
        let release = sha256(&folder.bytes("out.csv"));
        if files.contains(&"r.json") {
            let json: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
            assert_eq!(json["files"]["release"]["sha256"], release.as_str());
            assert_eq!(json["files"]["input"]["sha256"], sha256(&folder.bytes("data.csv")).as_str());
        }
        if files.contains(&"r.html") {
            assert_eq!(fact(&folder.text("r.html"), "SHA-256 of the release"), release);
        }
    }
}

/// The engine's digests, as page and runner tell them, are of the bytes that are saved with the same choice.
#[test]
fn point_12_digests_are_of_the_saved_bytes_whatever_was_chosen() {
    let engine = by_the_page();
    let policy = text(&engine, Request::SavePolicy);
    let digest = |bytes: Vec<u8>| match ask(&engine, Request::Digest, vec![file("saved", bytes)]) {
        Ok(Response::Text(digest)) => digest,
        other => panic!("{other:?}"),
    };
    for written in WRITTEN {
        let bytes = exported(&engine, written);
        let html = report(&engine, written);
        let figures = text(&engine, Request::SaveFigures { written, read_milliseconds: None });
        let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
        let release = sha256(&bytes);
        assert_eq!(fact(&html, "SHA-256 of the release"), release);
        assert_eq!(figures["files"]["release"]["sha256"], release.as_str());
        assert_eq!(digest(bytes), release, "what the page shows after saving");
        assert_eq!(fact(&html, "SHA-256 of the policy"), sha256(policy.as_bytes()));
        assert_eq!(figures["files"]["policy"]["sha256"], sha256(policy.as_bytes()).as_str());
        assert_eq!(shown(&html, "policy"), policy, "the policy in the report is the saved one");
        let external = text(&engine, Request::Report { audience: Audience::External, date: "x".into(), written });
        assert_eq!(fact(&external, "SHA-256 of the release"), release);
    }
}

#[test]
fn point_13_the_seed_that_is_told_is_the_one_that_was_used() {
    let folder = Folder::new("seed");
    folder.put("data.csv", old_file());
    let policy = |seed: &str| {
        format!(
            r#"{{"throng": 1, "reading": {{"missing_tokens": ["", "k.A.", "9999"]}}, "others": "insensitive", "columns":
            {{"Versicherter": {{"role": "identifier"}}, "geboren am": {{"role": "quasi"}}, "Größe": {{"role": "quasi"}},
            "Station": {{"role": "quasi"}}, "Straße": {{"role": "quasi"}}}}, "privacy": [{{"model": "k-anonymity", "k": 4}}],
            "algorithm": {{"name": "k-member"}}{seed}}}"#
        )
    };
    let run = ["run", "policy.json", "data.csv", "-o", "out.csv", "--report", "r.json", "--report-page", "r.html"];
    let mut releases = Vec::new();
    for (said, seed) in
        [("", 1u64), (r#", "seed": 1"#, 1), (r#", "seed": 2"#, 2), (r#", "seed": 987654321"#, 987_654_321)]
    {
        folder.put("policy.json", policy(said));
        succeeds(folder.throng(&run));
        let html = folder.text("r.html");
        let json: serde_json::Value = serde_json::from_slice(&folder.bytes("r.json")).unwrap();
        let inside: serde_json::Value = serde_json::from_str(&shown(&html, "policy")).unwrap();
        assert_eq!(
            (fact(&html, "Seed"), json["seed"].as_u64(), inside["seed"].as_u64()),
            (seed.to_string(), Some(seed), Some(seed))
        );
        let release = folder.bytes("out.csv");
        // Given to the same data, that seed makes that release.
        folder.put("policy.json", shown(&html, "policy"));
        succeeds(folder.throng(&run));
        assert_eq!(folder.bytes("out.csv"), release);
        releases.push(release);
    }
    assert_eq!(releases[0], releases[1]);
    releases.dedup();
    assert_eq!(releases.len(), 3, "another seed, another release: else the seed would not be what is used");
}

/// On the page the policy may have changed since the run.
#[test]
fn point_13_the_report_has_the_seed_of_the_run_not_of_the_policy_as_it_is_now() {
    let engine = by_the_page();
    let policy = text(&engine, Request::SavePolicy);
    let with = |seed: &str| policy.replace("\"seed\": 1", seed);
    ask(&engine, Request::LoadPolicy { text: with("\"seed\": 77") }, vec![]).unwrap();
    edit(&engine, Edit::Algorithm(Algorithm::parse(&serde_json::json!({"name": "k-member"})).unwrap())).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let bytes = exported(&engine, Written::default());
    ask(&engine, Request::LoadPolicy { text: with("\"seed\": 5") }, vec![]).unwrap();
    assert!(text(&engine, Request::SavePolicy).contains("\"seed\": 5"));
    let html = report(&engine, Written::default());
    let figures = text(&engine, Request::SaveFigures { written: Written::default(), read_milliseconds: None });
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!((fact(&html, "Seed").as_str(), figures["seed"].as_u64()), ("77", Some(77)));
    assert!(shown(&html, "policy").contains("\"seed\": 77"));
    assert_eq!(exported(&engine, Written::default()), bytes);
    assert_eq!(reproduce("seed", &html), bytes);
}
