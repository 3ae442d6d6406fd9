//! How the file was read, what was repaired, what came with it; all of it correctable.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{DropZone, TextField, button, option};
use crate::app::state::{Loaded, Step};
use crate::app::{Message, go, use_handle};
use crate::io::csv::ReadOptions;
use crate::io::{Encoding, tokens};
use crate::protocol::Request;
use crate::table::{ColumnSummary, DecimalMark};
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

const DELIMITERS: [(u8, &str); 4] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab"), (b'|', "bar")];
const DECIMALS: [(Option<DecimalMark>, &str); 3] = [
    (None, "numbers: as each column has them"),
    (Some(DecimalMark::Point), "numbers: 1.5"),
    (Some(DecimalMark::Comma), "numbers: 1,5"),
];

#[component]
pub fn Reading(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let (onfiles, onfail) = handle.open_files();
    let summary = &loaded.summary;
    let disabled = handle.state.task.is_some();
    let rows = counted(summary.rows, "row");
    html! {
        <>
            <div class="head">
                <div>
                    <h1>{ "Data" }</h1>
                    <p class="lead">{ format!("{rows} and {} in {}.", counted(summary.columns.len() as u64, "column"), summary.name) }</p>
                </div>
                <span class="grow" />
                { button("btn", "Save summary", handle.send.reform(|_| Message::Fetch { title: "Writing the summary", ending: "summary.json", request: Request::SaveSummary })) }
                <DropZone small=true {onfiles} {onfail} {disabled} label="Load another table">
                    <span class="btn">{ "Load another…" }</span>
                </DropZone>
            </div>
            <Dialect loaded={loaded.clone()} />
            if !summary.repairs.is_empty() {
                <ul class="note warn list" aria-label="What was repaired while reading">
                    { for summary.repairs.iter().map(|repair| html! { <li>{ repair.sentence() }</li> }) }
                </ul>
            }
            { taken(loaded) }
        </>
    }
}

/// What became of the files that came along: only what is worth a look.
fn taken(loaded: &Loaded) -> Html {
    let told = |file: &crate::protocol::Taken| file.column.is_some() || !file.notes.is_empty();
    if !loaded.taken.iter().any(told) {
        return Html::default();
    }
    let placed = loaded.taken.iter().filter(|file| file.column.is_some()).count() as u64;
    let noted = loaded.taken.iter().filter(|file| !file.notes.is_empty());
    let note = |file: &crate::protocol::Taken| {
        let slips = file.slips.iter().map(|slip| html! { <li>{ slip }</li> });
        html! {
            <li>
                <b>{ &file.file }</b>{ ": " }{ file.notes.join(" ") }
                if !file.slips.is_empty() {
                    <details><summary>{ "Show the slips" }</summary><ul class="list">{ for slips }</ul></details>
                }
            </li>
        }
    };
    html! {
        <div class="note ok list-box">
            if placed > 0 { { format!("{} matched to columns by name.", counted(placed, "hierarchy file")) } }
            <ul class="list">{ for noted.map(note) }</ul>
        </div>
    }
}

/// Everything that is said of the file as a whole; what is said of a column stands with the column.
#[component]
fn Dialect(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let (reading, dialect) = (&loaded.reading, &loaded.summary.dialect);
    let disabled = handle.state.task.is_some();
    let tokens = reading.missing_tokens();
    let empty = tokens.iter().any(|token| token.trim_ascii().is_empty());
    let change = |change: fn(&mut ReadOptions, usize)| {
        let reading = reading.clone();
        handle.send.reform(move |event: Event| {
            let mut options = reading.clone();
            change(&mut options, event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
            Message::Read(options)
        })
    };
    let missing = {
        let reading = reading.clone();
        handle.send.reform(move |(texts, empty): (Vec<String>, bool)| {
            let missing = empty.then(String::new).into_iter().chain(texts).collect();
            Message::Read(ReadOptions { missing: Some(missing), ..reading.clone() })
        })
    };
    let on_missing = missing.reform(move |text: String| (tokens::typed(&text), empty));
    let on_empty = {
        let shown = tokens::shown(&tokens);
        missing.reform(move |event: Event| {
            (tokens::typed(&shown), event.target_unchecked_into::<HtmlInputElement>().checked())
        })
    };
    let other = DELIMITERS.iter().all(|(delimiter, _)| *delimiter != dialect.delimiter);
    let decimal = DECIMALS.iter().position(|(mark, _)| *mark == reading.decimal);
    html! {
        <section class="panel" aria-label="How the file was read" key={format!("{} {}", loaded.generation, loaded.misread)}>
            <div class="dialect">
                <select aria-label="Delimiter" {disabled} onchange={change(|options, choice| options.delimiter = DELIMITERS.get(choice).map(|(delimiter, _)| *delimiter))}>
                    { for DELIMITERS.iter().map(|(delimiter, name)| option(*delimiter == dialect.delimiter, name)) }
                    if other { { option(true, &char::from(dialect.delimiter).to_string()) } }
                </select>
                <select aria-label="Encoding" {disabled} onchange={change(|options, choice| options.encoding = Encoding::ALL.get(choice).copied())}>
                    { for Encoding::ALL.iter().map(|encoding| option(*encoding == dialect.encoding, encoding.name())) }
                </select>
                <select aria-label="First line" {disabled} onchange={change(|options, choice| options.header = Some(choice == 0))}>
                    { option(dialect.header, "first line: names") }
                    { option(!dialect.header, "first line: data") }
                </select>
                <select aria-label="Numbers" {disabled} onchange={change(|options, choice| options.decimal = DECIMALS.get(choice).and_then(|(mark, _)| *mark))}>
                    { for DECIMALS.iter().enumerate().map(|(place, (_, name))| option(decimal == Some(place), name)) }
                </select>
                <label class="field"><input type="checkbox" checked={empty} onchange={on_empty} {disabled} />{ "empty cells are missing, " }</label>
                <label class="field wide" title="Texts that stand for a missing cell in every column, separated by commas: NA, k.A., not known">{ "and " }
                    <TextField value={tokens::shown(&tokens)} onchange={on_missing} name="Missing: texts that stand for a missing cell in every column" />
                </label>
                if loaded.before.is_some() {
                    <button class="btn small" {disabled} onclick={handle.send.reform(|_| Message::ReadAsBefore)} title="With the set-up of then">{ "Read as before" }</button>
                }
            </div>
            <p class="faint">{ said(loaded) }{ button("link", "Correct a column", go(&handle.send, Step::Columns)) }{ ". It is part of the policy." }</p>
        </section>
    }
}

/// What is said of single columns, in a few words.
fn said(loaded: &Loaded) -> String {
    let corrected = |column: &&ColumnSummary| {
        let said = loaded.reading.columns.get(&column.name);
        column.kind.said || said.is_some_and(|said| !said.missing.is_empty())
    };
    match loaded.summary.columns.iter().filter(corrected).count() as u64 {
        0 => "What each column’s values are was guessed. ".to_owned(),
        columns => format!("What is said of {} goes before the guesses. ", counted(columns, "column")),
    }
}
