//! One diversity constraint as fields.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::components::{NumberField, TextField, option};
use crate::app::state::Loaded;
use crate::constraints::parse;
use crate::table::Role;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub name: String,
    pub parts: Vec<(String, String)>,
    pub least: u64,
    pub most: Option<u64>,
    pub loaded: Loaded,
    /// What the line is from now on; `true` while it is still being typed.
    pub onchange: Callback<(String, bool)>,
}

/// What the fields say: columns with their values, rows at least, and at most.
type Fields = (Vec<(String, String)>, u64, Option<u64>);

#[component]
pub fn Form(props: &Props) -> Html {
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
                <select aria-label={format!("{}, column {}", props.name, place + 1)} onchange={onselect}>{ for usable(&props.loaded).map(|name| option(name == column, name)) }</select>
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

/// The columns that constraints may name.
pub fn usable(loaded: &Loaded) -> impl Iterator<Item = &str> {
    let columns = loaded.summary.columns.iter().zip(&loaded.setup.columns);
    columns.filter(|(_, setup)| setup.role != Role::Identifier).map(|(summary, _)| summary.name.as_str())
}
