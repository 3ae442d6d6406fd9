//! How one column is read: its kind, the order of its dates, the texts that stand for a missing cell in it.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::components::{TextField, option};
use crate::app::pages::kind_name;
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::io::csv::ColumnOptions;
use crate::io::tokens;
use crate::table::{DateOrder, Kind, SaidKind};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub column: usize,
}

const KINDS: [(SaidKind, &str); 6] = [
    (SaidKind::Integer, "whole numbers"),
    (SaidKind::Decimal, "numbers"),
    (SaidKind::Date(Some(DateOrder::DayMonthYear)), "dates, day first"),
    (SaidKind::Date(Some(DateOrder::MonthDayYear)), "dates, month first"),
    (SaidKind::Date(Some(DateOrder::YearMonthDay)), "dates, year first"),
    (SaidKind::Text, "text"),
];

#[component]
pub fn ColumnReading(Props { loaded, column }: &Props) -> Html {
    let handle = use_handle();
    let Some(summary) = loaded.summary.columns.get(*column) else { return Html::default() };
    let name = &summary.name;
    let said = loaded.reading.columns.get(name).cloned().unwrap_or_default();
    let change = {
        let (reading, name) = (loaded.reading.clone(), name.clone());
        handle.send.reform(move |said: ColumnOptions| {
            let mut options = reading.clone();
            options.columns.insert(name.clone(), said);
            Message::Read(options)
        })
    };
    let on_kind = {
        let said = said.clone();
        change.reform(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let kind = choice.checked_sub(1).and_then(|choice| KINDS.get(choice)).map(|(kind, _)| *kind);
            ColumnOptions { kind, ..said.clone() }
        })
    };
    let on_missing = {
        let said = said.clone();
        change.reform(move |text: String| ColumnOptions { missing: tokens::typed(&text), ..said.clone() })
    };
    let now = SaidKind::from(summary.kind.kind);
    let guess = match summary.kind.kind {
        Kind::Date(order) if said.kind.is_none() => {
            let named = KINDS.iter().find(|(kind, _)| *kind == SaidKind::Date(Some(order)));
            format!("as guessed: {}", named.map_or("dates", |(_, name)| name))
        }
        kind if said.kind.is_none() => format!("as guessed: {}", kind_name(kind)),
        _ => "as guessed".to_owned(),
    };
    let disabled = handle.state.task.is_some();
    html! {
        <section class="panel column-reading" key={format!("{column} {} {}", loaded.generation, loaded.misread)} aria-label={format!("How {name} is read")}>
            <div class="dialect">
                <label class="field">{ "values are " }
                    <select aria-label={format!("Kind of {name}")} onchange={on_kind} {disabled}>
                        { option(said.kind.is_none(), &guess) }
                        { for KINDS.iter().map(|(kind, words)| option(said.kind.is_some() && *kind == now, words)) }
                    </select>
                </label>
                <label class="field" title="Texts that stand for a missing cell in this column only, separated by commas">{ "also missing " }
                    <TextField value={tokens::shown(&said.missing)} onchange={on_missing} name={format!("Missing in {name}: texts that stand for a missing cell in this column only")} />
                </label>
            </div>
            if summary.kind.ambiguous_date {
                <p class="note warn">{ "Its dates fit both orders of day and month. Say which is meant." }</p>
            }
        </section>
    }
}
