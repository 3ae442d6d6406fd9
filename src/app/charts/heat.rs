//! Classes × values of a sensitive column as a heat map; a class is opened by click or Enter.

use yew::prelude::*;

use crate::audit::ClassesPage;
use crate::words::{grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    pub page: ClassesPage,
    pub chosen: Option<u32>,
    pub onchoose: Callback<u32>,
}

/// A table, not a picture: rows are classes, so that screen readers and keys have the same as the eye.
#[component]
pub fn HeatMap(Props { title, page, chosen, onchoose }: &Props) -> Html {
    let others = page.others > 0;
    let cell = |count: u32, size: u32, name: &str| {
        let share = f64::from(count) / f64::from(size.max(1));
        // Five steps are told apart at a glance; a share above 95 % has its own.
        let step = match share {
            0.0 => "s0",
            share if share < 0.1 => "s1",
            share if share < 0.25 => "s2",
            share if share < 0.5 => "s3",
            share if share < 0.95 => "s4",
            _ => "s5",
        };
        html! { <td class={step} title={format!("{name}: {} ({})", grouped(count.into()), percent(share))}>{ if count > 0 { grouped(count.into()) } else { String::new() } }</td> }
    };
    let row = |row: &crate::audit::ClassRow| {
        let class = row.class;
        let on = *chosen == Some(class);
        let shown = if row.cells.is_empty() { "all rows".to_owned() } else { row.cells.join(", ") };
        let counts = row.counts.iter().zip(&page.values).map(|(&count, value)| cell(count, row.size, &value.value));
        html! {
            <tr key={class} class={classes!(on.then_some("on"))}>
                <th scope="row"><button class="link" aria-pressed={on.to_string()} title={shown.clone()} onclick={onchoose.reform(move |_| class)}>{ shown.clone() }</button></th>
                <td class="n">{ grouped(row.size.into()) }</td>
                { for counts }
                if others { { cell(row.others, row.size, "other values") } }
            </tr>
        }
    };
    html! {
        <div class="scroll heat" tabindex="0" role="region" aria-label={title.clone()}>
            <table>
                <thead><tr>
                    <th scope="col">{ "class" }</th><th scope="col" class="n">{ "rows" }</th>
                    { for page.values.iter().map(|value| html! { <th scope="col" class="value" title={value.value.clone()}><span>{ &value.value }</span></th> }) }
                    if others { <th scope="col" class="value"><span>{ "others" }</span></th> }
                </tr></thead>
                <tbody>{ for page.rows.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
