//! One diversity constraint: its line as text or as a form, and how it stands.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlInputElement};
use yew::prelude::*;

use super::form::{Form, usable};
use super::verdict::within;
use crate::app::state::Loaded;
use crate::app::use_handle;
use crate::constraints::parse::{self, Fault};
use crate::constraints::view::{ConstraintView, LineView};
use crate::protocol::{Request, Response};
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
                        Some(_) if view.same_as.is_some() => html! { <span class="stand note">{ for view.same_as.map(|first| format!("Says the same as {}: one constraint.", numbered("line", &[first]))) }</span> },
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
