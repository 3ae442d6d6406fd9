//! What can be saved of a verified release beside the release itself.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::components::{button, option, saved_file};
use crate::app::{Message, use_handle};
use crate::compare::{Line, csv};
use crate::io::csv_write::Written;
use crate::protocol::Request;
use crate::report::Audience;
use crate::sql::Dialect;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// How the release is saved: digests and the command are of that.
    pub written: Written,
}

#[component]
pub fn SavePanel(Props { written }: &Props) -> Html {
    let written = *written;
    let handle = use_handle();
    let name = use_state(|| "patients".to_owned());
    let dialect = use_state(Dialect::default);
    let report = |audience: Audience, ending: &'static str| {
        handle.send.reform(move |_: MouseEvent| {
            // The day alone: when it was is nobody's business.
            let date: String = js_sys::Date::new_0().to_iso_string().into();
            let request = Request::Report { audience, date: date.chars().take(10).collect(), written };
            Message::Fetch { title: "Writing the report", ending, request }
        })
    };
    let script = {
        let (table, dialect) = ((*name).clone(), *dialect);
        handle.send.reform(move |_: MouseEvent| {
            let request = Request::Sql { table: table.clone(), dialect };
            Message::Fetch { title: "Writing the script", ending: "release.sql", request }
        })
    };
    let figures = {
        let run =
            handle.state.loaded.as_ref().and_then(|loaded| Some((loaded.summary.name.clone(), loaded.run.clone()?)));
        handle.send.reform(move |_: MouseEvent| {
            let (name, text) = run
                .as_ref()
                .map(|(name, run)| {
                    let line = Line { name: run.view.algorithm.name(), at: None, outcome: Ok(&*run.view) };
                    (format!("{}.measures.csv", name.trim_end_matches(".csv")), csv(&[line]))
                })
                .unwrap_or_default();
            Message::Save { name, text }
        })
    };
    let typed = {
        let name = name.clone();
        Callback::from(move |event: InputEvent| name.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let chosen = {
        let dialect = dialect.clone();
        Callback::from(move |event: Event| {
            let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            dialect.set(if place == 1 { Dialect::Spark } else { Dialect::Standard });
        })
    };
    html! {
        <section class="panel save">
            <h2>{ "Save beside the release" }</h2>
            <dl>
                <dt>{ button("btn small", "Report, internal", report(Audience::Internal, "report.html")) }</dt>
                <dd>{ "One page for the data-protection office: everything, with fields for reasons and a signature." }</dd>
                <dt>{ button("btn small", "Report, external", report(Audience::External, "report.external.html")) }</dt>
                <dd>{ "The same for readers of the release: no small counts, no values." }</dd>
                <dt>{ button("btn small", "Figures as JSON", handle.send.reform(move |_| Message::Fetch { title: "Writing the figures", ending: "report.json", request: Request::SaveFigures { written, read_milliseconds: None } })) }</dt>
                <dd>{ "What the runner’s --report writes." }</dd>
                <dt>{ button("btn small", "Figures as CSV", figures) }</dt>
                <dd>{ "The measures in one line, for a spreadsheet." }</dd>
                <dt>{ button("btn small", "Policy", handle.send.reform(|_| Message::SavePolicy)) }</dt>
                <dd>{ "Columns, hierarchies, demands as they are set up now." }</dd>
                <dt><button class="btn small" onclick={script} disabled={name.trim().is_empty()}>{ "SQL script" }</button></dt>
                <dd>{ "Recodes and checks the whole table in a database." }
                    <span class="fields">
                        <label class="field">{ "table" }<input size="10" value={(*name).clone()} oninput={typed} /></label>
                        <label class="field">{ "for" }<select onchange={chosen}>
                            { option(*dialect == Dialect::Standard, "DuckDB, PostgreSQL") }
                            { option(*dialect == Dialect::Spark, "Spark") }
                        </select></label>
                    </span>
                </dd>
            </dl>
            if !handle.state.saved.is_empty() {
                <h3>{ "Saved from this tab" }</h3>
                <ul class="saved-files">{ for handle.state.saved.iter().map(|saved| html! { <li key={saved.number}>{ saved_file(saved) }</li> }) }</ul>
            }
        </section>
    }
}
