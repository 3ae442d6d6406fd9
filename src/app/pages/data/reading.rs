//! How the file was read, what was repaired, what came with it; all of it correctable.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::components::{DropZone, TextField, button, option};
use crate::app::state::{Loaded, Origin};
use crate::app::{Message, use_handle};
use crate::io::Encoding;
use crate::io::csv::ReadOptions;
use crate::protocol::Request;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

const DELIMITERS: [(u8, &str); 4] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab"), (b'|', "bar")];

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
                if let Origin::Files { .. } = loaded.origin { <Dialect loaded={loaded.clone()} /> }
                { button("btn", "Save summary", handle.send.reform(|_| Message::Fetch { title: "Writing the summary", ending: "summary.json", request: Request::SaveSummary })) }
                <DropZone small=true {onfiles} {onfail} {disabled} label="Load another table">
                    <span class="btn">{ "Load another…" }</span>
                </DropZone>
            </div>
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
    if loaded.taken.is_empty() {
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
            { format!("{} matched to columns by name.", counted(placed, "hierarchy file")) }
            <ul class="list">{ for noted.map(note) }</ul>
        </div>
    }
}

#[component]
fn Dialect(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let Origin::Files { files, options } = loaded.origin.clone() else { return Html::default() };
    let dialect = loaded.summary.dialect.clone();
    let missing = options.missing_tokens().into_iter().filter(|token| !token.is_empty()).collect::<Vec<_>>().join(" ");
    let on_missing = {
        let (files, options) = (files.clone(), options.clone());
        handle.send.reform(move |text: String| {
            let missing = Some(std::iter::once("").chain(text.split_whitespace()).map(str::to_owned).collect());
            Message::Open(Origin::Files { files: files.clone(), options: ReadOptions { missing, ..options.clone() } })
        })
    };
    let again = move |change: fn(&mut ReadOptions, usize)| {
        let (files, options) = (files.clone(), options.clone());
        handle.send.reform(move |event: Event| {
            let mut options = options.clone();
            change(&mut options, event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize);
            Message::Open(Origin::Files { files: files.clone(), options })
        })
    };

    html! {
        <div class="dialect" role="group" aria-label="How the file was read">
            <select aria-label="Delimiter" onchange={again(|options, choice| options.delimiter = DELIMITERS.get(choice).map(|(delimiter, _)| *delimiter))}>
                { for DELIMITERS.iter().map(|(delimiter, name)| option(*delimiter == dialect.delimiter, name)) }
            </select>
            <select aria-label="Encoding" onchange={again(|options, choice| options.encoding = Encoding::ALL.get(choice).copied())}>
                { for Encoding::ALL.iter().map(|encoding| option(*encoding == dialect.encoding, encoding.name())) }
            </select>
            <select aria-label="First line" onchange={again(|options, choice| options.header = Some(choice == 0))}>
                { option(dialect.header, "first line: names") }
                { option(!dialect.header, "first line: data") }
            </select>
            <label class="field" title="Texts that stand for a missing cell, separated by blanks; an empty cell always does">{ "missing " }
                <TextField value={missing} onchange={on_missing} name="missing: texts that stand for a missing cell" />
            </label>
        </div>
    }
}
