//! One diversity constraint: its line as text or as a form, and how it stands.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::verdict::within;
use crate::app::components::{NumberField, TextField};
use crate::app::state::Loaded;
use crate::app::use_handle;
use crate::constraints::parse::{self, Fault};
use crate::constraints::view::{ConstraintView, LineView};
use crate::protocol::{Request, Response};
use crate::table::Role;
use crate::words::{counted, grouped, numbered};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub place: usize,
    pub text: String,
    /// What is known of the line; nothing while that is being found out.
    pub view: Option<LineView>,
    /// The lines that can't hold together, if this is one of them.
    pub against: Option<Vec<usize>>,
    pub k: u64,
    pub form: bool,
    pub loaded: Loaded,
    /// What stands in the place of the line from now on; `true` while it is still being typed.
    pub onchange: Callback<(Vec<String>, bool)>,
    /// Another line is wished for behind this one.
    pub onnext: Callback<()>,
}

#[component]
pub fn Line(props: &Props) -> Html {
    let statement = parse::parse(&props.text).ok();
    let name = format!("Constraint {}", props.place + 1);
    html! {
        <li>
            {
                match statement.filter(|_| props.form) {
                    Some(statement) => html! { <Form {name} parts={statement.parts.iter().map(|(column, value)| (column.text.clone(), value.text.clone())).collect::<Vec<_>>()} least={statement.least} most={statement.most} loaded={props.loaded.clone()} onchange={props.onchange.reform(|(line, typing)| (vec![line], typing))} /> },
                    None => html! { <Text {name} text={props.text.clone()} invalid={props.view.as_ref().is_some_and(|view| !view.faults.is_empty())} loaded={props.loaded.clone()} onchange={props.onchange.clone()} onnext={props.onnext.clone()} /> },
                }
            }
            <button class="btn small" aria-label={format!("Remove constraint {}", props.place + 1)} onclick={props.onchange.reform(|_: MouseEvent| (Vec::new(), false))}>{ "×" }</button>
            {
                match &props.view {
                    None => html! { <span class="stand faint">{ "…" }</span> },
                    Some(view) => match &view.constraint {
                        None => faults(&view.text, &view.faults),
                        Some(constraint) => standing(props, constraint),
                    }
                }
            }
        </li>
    }
}

/// What is wrong, under the place where it was typed.
fn faults(text: &str, faults: &[Fault]) -> Html {
    let fault = |fault: &Fault| {
        let characters: Vec<char> = text.chars().collect();
        let cut = |from: usize, to: usize| {
            characters[from.min(characters.len())..to.clamp(from, characters.len())].iter().collect::<String>()
        };
        let (start, end) = (fault.at.start.min(characters.len()), fault.at.end.min(characters.len()));
        html! {
            <div class="stand fault">
                <code aria-hidden="true">{ cut(0, start) }<mark>{ if start < end { cut(start, end) } else { "‸".to_owned() } }</mark>{ cut(end, characters.len()) }</code>
                <p class="note bad">{ &fault.what }{ " " }{ &fault.next }</p>
            </div>
        }
    };
    html! { <>{ for faults.iter().map(fault) }</> }
}

/// The count today against the bounds, and what k and the other lines make of it.
fn standing(props: &Props, constraint: &ConstraintView) -> Html {
    let bounds = match (constraint.least, constraint.most) {
        (0, Some(most)) => format!("at most {}", grouped(most)),
        (least, Some(most)) if least == most => format!("exactly {}", grouped(least)),
        (least, Some(most)) => format!("{} to {}", grouped(least), grouped(most)),
        (least, None) => format!("at least {}", grouped(least)),
    };
    let can = if constraint.possible < constraint.today {
        format!(", {} can show it", grouped(constraint.possible))
    } else {
        String::new()
    };
    let scale = constraint.today.max(constraint.least).max(constraint.most.unwrap_or(0)).max(1) as f64 * 1.08;
    let at = |rows: u64| format!("{:.1}", rows as f64 / scale * 120.0);
    let (low, high) =
        (constraint.least as f64 / scale * 120.0, constraint.most.map_or(120.0, |most| most as f64 / scale * 120.0));
    html! {
        <div class="stand">
            <svg class="bounds" width="124" height="14" viewBox="-2 0 124 14" aria-hidden="true">
                <rect class="back" y="5" width="120" height="4" rx="2" />
                <rect class="allowed" x={format!("{low:.1}")} y="3" width={format!("{:.1}", (high - low).max(2.0))} height="8" rx="2" />
                <circle class={classes!((!constraint.holds_today).then_some("out"))} cx={at(constraint.today)} cy="7" r="4" />
            </svg>
            <span>{ format!("{} today{can}; {bounds} asked", counted(constraint.today, "row")) }</span>
            if !constraint.k_allows {
                <span class="note bad">{ format!("With classes of {} rows no count within the bounds is possible in this table.", props.k) }</span>
            }
            if let Some(lines) = &props.against { <span class="note bad">{ contradicted(lines, props.place) }</span> }
            if let Some(implied) = &constraint.implied {
                <span class="note warn">{ if implied.by.is_empty() { "Holds in every release anyway".to_owned() } else { format!("Follows from {}", numbered("line", &implied.by)) } }{ within(implied.scope, props.k) }{ "." }</span>
            }
            if constraint.undecided { <span class="note warn">{ "Too large to decide if it follows from the others." }</span> }
        </div>
    }
}

fn contradicted(lines: &[usize], own: usize) -> String {
    let others: Vec<usize> = lines.iter().copied().filter(|&line| line != own).collect();
    if others.is_empty() {
        return "Can't be kept, even by itself.".into();
    }
    format!("Can't hold together with {}.", numbered("line", &others))
}

/// A line separator, which no value contains that was typed.
const BREAK: &str = "\u{2028}";

#[derive(Properties, PartialEq)]
struct TextProps {
    name: String,
    text: String,
    invalid: bool,
    loaded: Loaded,
    onchange: Callback<(Vec<String>, bool)>,
    onnext: Callback<()>,
}

/// The line as text. Columns and then values are offered as it is typed.
#[component]
fn Text(props: &TextProps) -> Html {
    let handle = use_handle();
    // Kept while typing: the engine's answer must not move the cursor.
    let typed = use_state(|| None::<String>);
    let offered = use_state(Vec::<String>::new);
    let offer = {
        let (client, offered, loaded) = (handle.client.clone(), offered.clone(), props.loaded.clone());
        move |text: &str| {
            // Behind the last & stands what is being typed: a column, or behind its = a value.
            let start = unquoted(text, '&').last().map_or(0, |at| at + 1);
            let (before, part) = (text[..start].to_owned(), &text[start..]);
            if !unquoted(part, ':').is_empty() {
                return offered.set(Vec::new());
            }
            let space = if start > 0 { " " } else { "" };
            let Some(&equals) = unquoted(part, '=').first() else {
                let names = usable(&loaded).map(|name| format!("{before}{space}{}=", quoted(name)));
                return offered.set(names.collect());
            };
            let (column, value) = (part[..equals].trim(), part[equals + 1..].trim().trim_matches('"'));
            let named = |name: &str| column == name || column == quoted(name);
            let Some(place) = loaded.summary.columns.iter().position(|other| named(&other.name)) else { return };
            let request = Request::Values { column: place as u32, contains: value.to_owned() };
            let (call, offered) = (client.request(request, &[], |_, _| {}), offered.clone());
            let column = column.to_owned();
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::Values(values)) = call.outcome().await {
                    let line = |value: &crate::table::ValueCount| {
                        // How many rows show it together with other values is not known here.
                        let bound = if start == 0 { format!(": {}..", value.count / 2) } else { String::new() };
                        format!("{before}{space}{column}={}{bound}", quoted(&value.value))
                    };
                    offered.set(values.iter().map(line).collect());
                }
            });
        }
    };
    let oninput = {
        let (typed, onchange, offer) = (typed.clone(), props.onchange.clone(), offer.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            offer(&text);
            onchange.emit((vec![text.clone()], true));
            typed.set(Some(text));
        })
    };
    let onfocus =
        Callback::from(move |event: FocusEvent| offer(&event.target_unchecked_into::<HtmlInputElement>().value()));
    let onblur = {
        let (typed, onchange) = (typed.clone(), props.onchange.clone());
        Callback::from(move |_: FocusEvent| {
            if let Some(text) = &*typed {
                onchange.emit((vec![text.clone()], false));
            }
            typed.set(None);
        })
    };
    let onkeydown = {
        let onnext = props.onnext.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                onnext.emit(());
            }
        })
    };
    let onpaste = {
        let (typed, onchange) = (typed.clone(), props.onchange.clone());
        Callback::from(move |event: Event| {
            let pasted = event.dyn_ref::<ClipboardEvent>().and_then(|event| event.clipboard_data());
            let text = pasted.and_then(|data| data.get_data("text").ok()).unwrap_or_default();
            if text.trim().contains('\n') {
                event.prevent_default();
                // A field takes no line breaks: another sign stands for them in it.
                let input = event.target_unchecked_into::<HtmlInputElement>();
                let _ = input.set_range_text(&text.replace('\n', BREAK));
                let lines = input.value();
                let lines = lines.split(BREAK).map(str::trim).filter(|line| !line.is_empty());
                onchange.emit((lines.map(str::to_owned).collect(), false));
                typed.set(None);
            }
        })
    };
    let list = format!("offered-{}", props.name.replace(' ', "-"));
    html! {
        <>
            <input class={classes!("line", typed.is_some().then_some("typing"))} spellcheck="false" autocomplete="off" aria-label={props.name.clone()} list={list.clone()} value={(*typed).clone().unwrap_or_else(|| props.text.clone())}
                aria-invalid={props.invalid.then_some("true")} placeholder="column=value & column=value: 2..5" {oninput} {onfocus} {onblur} {onkeydown} {onpaste} />
            <datalist id={list}>{ for offered.iter().map(|line| html! { <option value={line.clone()} /> }) }</datalist>
        </>
    }
}

/// The columns that constraints may name.
fn usable(loaded: &Loaded) -> impl Iterator<Item = &str> {
    let columns = loaded.summary.columns.iter().zip(&loaded.setup.columns);
    columns.filter(|(_, setup)| setup.role != Role::Identifier).map(|(summary, _)| summary.name.as_str())
}

/// Where a character stands outside quotation marks.
fn unquoted(text: &str, wanted: char) -> Vec<usize> {
    let mut quoted = false;
    let mut outside = |&(_, character): &(usize, char)| {
        quoted ^= character == '"';
        character == wanted && !quoted
    };
    text.char_indices().filter(&mut outside).map(|(at, _)| at).collect()
}

/// A name or value as it must be written.
fn quoted(text: &str) -> String {
    let line = parse::text([(text, "")], 0, None);
    line.strip_suffix("=\"\": 0..").unwrap_or(text).to_owned()
}

#[derive(Properties, PartialEq)]
struct FormProps {
    name: String,
    parts: Vec<(String, String)>,
    least: u64,
    most: Option<u64>,
    loaded: Loaded,
    onchange: Callback<(String, bool)>,
}

/// What the fields say: columns with their values, rows at least, and at most.
type Fields = (Vec<(String, String)>, u64, Option<u64>);

/// The same as fields.
#[component]
fn Form(props: &FormProps) -> Html {
    let change = {
        let (told, onchange): (Fields, _) = ((props.parts.clone(), props.least, props.most), props.onchange.clone());
        move |typing: bool, how: &dyn Fn(&mut Fields)| {
            let mut fields = told.clone();
            how(&mut fields);
            let (parts, least, most) = fields;
            let line = parse::text(parts.iter().map(|(column, value)| (column.as_str(), value.as_str())), least, most);
            onchange.emit((line, typing));
        }
    };
    let part = |(place, (column, value)): (usize, &(String, String))| {
        let set = |with: fn(&mut (String, String), String)| {
            let change = change.clone();
            Callback::from(move |text: String| {
                change(false, &|fields| {
                    if let Some(part) = fields.0.get_mut(place) {
                        with(part, text.clone());
                    }
                });
            })
        };
        let top = props
            .loaded
            .summary
            .columns
            .iter()
            .find(|other| other.name == *column)
            .map(|other| other.top.clone())
            .unwrap_or_default();
        let list = format!("top-{}-{place}", props.name.replace(' ', "-"));
        let onselect = set(|part, text| part.0 = text)
            .reform(|event: Event| event.target_unchecked_into::<HtmlSelectElement>().value());
        let onvalue = set(|part, text| part.1 = text);
        let drop = {
            let change = change.clone();
            let without = move |fields: &mut Fields| {
                if place < fields.0.len() {
                    fields.0.remove(place);
                }
            };
            Callback::from(move |_: MouseEvent| change(false, &without))
        };
        html! {
            <span class="part">
                if place > 0 { <span class="faint">{ "and" }</span> }
                <select aria-label={format!("{}, column {}", props.name, place + 1)} onchange={onselect}>{ for usable(&props.loaded).map(|name| html! { <option selected={name == column}>{ name }</option> }) }</select>
                { "=" }
                <TextField name={format!("{}, value {}", props.name, place + 1)} list={list.clone()} value={value.clone()} onchange={onvalue} />
                <datalist id={list}>{ for top.iter().map(|value| html! { <option value={value.value.clone()}>{ counted(value.count, "row") }</option> }) }</datalist>
                if props.parts.len() > 1 { <button class="link" aria-label={format!("{}, drop {column}", props.name)} onclick={drop}>{ "×" }</button> }
            </span>
        }
    };
    let unused = usable(&props.loaded).find(|name| props.parts.iter().all(|(column, _)| column != name));
    let and = unused.map(|column| {
        let value = props.loaded.summary.columns.iter().find(|other| other.name == column).and_then(|other| other.top.first()).map(|value| value.value.clone());
        let (change, part) = (change.clone(), (column.to_owned(), value.unwrap_or_default()));
        html! { <button class="link" onclick={move |_: MouseEvent| change(false, &|fields| fields.0.push(part.clone()))}>{ "and…" }</button> }
    });
    let bound = |set: fn(&mut Fields, u64)| {
        let change = change.clone();
        Callback::from(move |number: f64| change(true, &|fields| set(fields, number.max(0.0) as u64)))
    };
    let onleave = {
        let change = change.clone();
        Callback::from(move |()| change(false, &|_| {}))
    };
    let unbounded = {
        let change = change.clone();
        let toggle = |fields: &mut Fields| fields.2 = if fields.2.is_some() { None } else { Some(fields.1.max(1) * 2) };
        Callback::from(move |_: Event| change(false, &toggle))
    };
    html! {
        <span class="line-form" role="group" aria-label={props.name.clone()}>
            { for props.parts.iter().enumerate().map(part) }
            { and }
            <NumberField label="at least" name={format!("{}, at least", props.name)} value={props.least as f64} empty={0.0} ontype={bound(|fields, number| (fields.1, fields.2) = (number, fields.2.map(|most| most.max(number))))} onleave={onleave.clone()} />
            <span class="part">
                <label class="field"><input type="checkbox" checked={props.most.is_some()} onchange={unbounded} />{ "at most" }</label>
                if let Some(most) = props.most { <NumberField label="" name={format!("{}, at most", props.name)} value={most as f64} ontype={bound(|fields, number| (fields.1, fields.2) = (fields.1.min(number), Some(number)))} {onleave} /> }
            </span>
        </span>
    }
}
