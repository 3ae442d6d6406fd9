//! Data: load a table and see what it is.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use crate::app::components::DropZone;
use crate::app::state::Loaded;
use crate::app::{Handle, Message, use_handle};
use crate::failure::Failure;
use crate::io::csv::ReadOptions;
use crate::protocol::{Opened, RowsPage};
use crate::words::{counted, grouped};

#[component]
pub fn DataPage() -> Html {
    let handle = use_handle();
    match &handle.state.loaded {
        Some(loaded) => html! { <Table loaded={loaded.clone()} /> },
        None => html! { <Empty /> },
    }
}

/// Opens the file of a drop or a choice.
fn open(handle: &Handle) -> (Callback<Vec<File>>, Callback<Failure>) {
    let files = handle.send.reform(|files: Vec<File>| match <[File; 1]>::try_from(files) {
        Ok([file]) => Message::Open { file, options: ReadOptions::default() },
        Err(files) => Message::Fail(Failure::data(
            format!("{} came at once.", counted(files.len() as u64, "file")),
            "Load one table at a time.",
        )),
    });
    (files, handle.send.reform(Message::Fail))
}

#[component]
fn Empty() -> Html {
    let handle = use_handle();
    let (onfiles, onfail) = open(&handle);
    html! {
        <>
            <h1>{ "Data" }</h1>
            <p class="lead">{ "Start with the table you want to release. It stays in this tab." }</p>
            <DropZone {onfiles} {onfail} disabled={handle.state.task.is_some()} label="Choose a CSV file">
                <svg width="44" height="44" viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">
                    <path d="M22 29V9m0 0-8 8m8-8 8 8M8 27v6a3 3 0 0 0 3 3h22a3 3 0 0 0 3-3v-6" stroke-linecap="round" stroke-linejoin="round" />
                </svg>
                <b>{ "Drop a CSV file here" }</b>
                <span>{ "or " }<span class="btn p">{ "Choose a file" }</span></span>
                <small>{ "Comma, semicolon, tab or bar; any common encoding; found out for you." }</small>
            </DropZone>
            <div class="row c3 promises">
                { promise("It stays here", "The file is read inside this tab. No server, no upload, no copy in storage.") }
                { promise("Nothing gets lost", "Every row is read or named with its line. What is repaired is counted and shown.") }
                { promise("You can stop", "Anything that takes longer than a moment shows how far it is and can be cancelled.") }
            </div>
        </>
    }
}

fn promise(title: &str, text: &str) -> Html {
    html! { <div class="panel"><h2>{ title }</h2><p>{ text }</p></div> }
}

#[derive(Properties, PartialEq)]
struct TableProps {
    loaded: Loaded,
}

#[component]
fn Table(TableProps { loaded }: &TableProps) -> Html {
    let handle = use_handle();
    let (onfiles, onfail) = open(&handle);
    let opened = &loaded.opened;
    html! {
        <>
            <div class="head">
                <div>
                    <h1>{ "Data" }</h1>
                    <p class="lead">{ lead(opened) }</p>
                </div>
                <span class="grow" />
                <button class="btn" onclick={handle.send.reform(|_| Message::SaveSummary)}>{ "Save summary" }</button>
                <DropZone small=true {onfiles} {onfail} disabled={handle.state.task.is_some()} label="Load another table">
                    <span class="btn">{ "Load another…" }</span>
                </DropZone>
            </div>
            if !opened.repairs.is_empty() {
                <ul class="note warn repairs" aria-label="What was repaired while reading">
                    { for opened.repairs.iter().map(|repair| html! { <li>{ repair.sentence() }</li> }) }
                </ul>
            }
            <FirstRows opened={opened.clone()} rows={loaded.rows.clone()} />
        </>
    }
}

fn lead(opened: &Opened) -> String {
    let delimiter = match opened.dialect.delimiter {
        b',' => "comma",
        b';' => "semicolon",
        b'\t' => "tab",
        b'|' => "bar",
        _ => "other",
    };
    let header = if opened.dialect.header { "with a header" } else { "without a header" };
    let (rows, columns) = (counted(opened.rows, "row"), counted(opened.columns.len() as u64, "column"));
    format!("{rows} and {columns}, read as {}, separated by {delimiter}, {header}.", opened.dialect.encoding.name())
}

#[derive(Properties, PartialEq)]
struct FirstRowsProps {
    opened: Rc<Opened>,
    rows: Option<Rc<RowsPage>>,
}

#[component]
fn FirstRows(FirstRowsProps { opened, rows }: &FirstRowsProps) -> Html {
    let heading = |column: &crate::table::ColumnSummary| {
        let missing =
            if column.missing > 0 { format!(" · {} missing", grouped(column.missing)) } else { String::new() };
        html! {
            <th scope="col">{ &column.name }<small>{ format!("{} distinct{missing}", grouped(column.distinct)) }</small></th>
        }
    };
    let row = |cells: &Vec<String>| html! { <tr>{ for cells.iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> };
    let shown = rows.as_ref().map_or(0, |page| page.rows.len() as u64);
    html! {
        <section class="panel flush" aria-label="The table">
            <div class="scroll" tabindex="0" role="region" aria-label="First rows of the table">
                <table class="data">
                    <thead><tr>{ for opened.columns.iter().map(heading) }</tr></thead>
                    <tbody>
                        if let Some(page) = rows { { for page.rows.iter().map(row) } }
                    </tbody>
                </table>
            </div>
            <p class="foot">{ format!("The first {} of {}.", counted(shown, "row"), grouped(opened.rows)) }</p>
        </section>
    }
}
