//! One person: their class in each release, and what is left, release by release.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use web_sys::{Element, HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use crate::app::components::{button, failed, says};
use crate::app::use_handle;
use crate::failure::Failure;
use crate::linkage::link::LinkView;
use crate::linkage::person::{PersonInRelease, PersonLink};
use crate::linkage::plan::CLASS_COLUMN;
use crate::protocol::{Request, Response};
use crate::words::{counted, grouped};

/// Time between two releases, in milliseconds.
const PACE: u32 = 800;
/// Values shown of a class.
const SHOWN: usize = 12;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub view: Rc<LinkView>,
    /// The place of somebody among the worst off, and a number that changes with every choice.
    pub picked: (usize, u32),
}

/// What is known of the person, and what came of it.
#[derive(Clone, PartialEq)]
struct Asked {
    cells: Vec<Option<String>>,
    /// Changes with every attack.
    number: u32,
}

#[component]
pub fn PersonPanel(Props { view, picked }: &Props) -> Html {
    let handle = use_handle();
    let worst = |place: usize| view.worst_off.get(place).map(|worst| worst.cells.clone());
    let start = || worst(0).unwrap_or_else(|| vec![None; view.quasi.len()]);
    let panel = use_node_ref();
    let typed = use_state(start);
    let asked = use_state(|| Asked { cells: start(), number: 0 });
    let found = use_state(|| None::<Result<PersonLink, Failure>>);
    // How many releases were seen, and whether more are shown by themselves.
    let at = use_state(|| (0usize, true));
    let chosen = use_state(|| 0usize);
    {
        let (client, found, at, view) = (handle.client.clone(), found.clone(), at.clone(), view.clone());
        use_effect_with((*asked).clone(), move |asked| {
            let cells: Vec<(String, String)> = view
                .quasi
                .iter()
                .zip(&asked.cells)
                .filter_map(|(name, cell)| {
                    Some((name.clone(), cell.as_deref().map(str::trim).filter(|cell| !cell.is_empty())?.to_owned()))
                })
                .filter(|(name, _)| name != CLASS_COLUMN)
                .collect();
            let call = client.request(Request::LinkPerson { cells }, &[], |_, _| {});
            // All at once for those who want no motion.
            let first = if calm() { view.releases.len() } else { 0 };
            wasm_bindgen_futures::spawn_local(async move {
                let outcome = call.outcome().await.and_then(|response| match response {
                    Response::LinkedPerson(person) => Ok(person),
                    other => Err(super::state::failure_of(Ok(other))),
                });
                at.set((first, true));
                found.set(Some(outcome));
            });
        });
    }
    {
        let (asked, typed, worst, shown) = (asked.clone(), typed.clone(), worst(picked.0), panel.clone());
        let first = use_mut_ref(|| true);
        use_effect_with(*picked, move |_| {
            // What was picked before these releases were linked is not for them.
            if let Some(cells) = worst.filter(|_| !first.replace(false)) {
                typed.set(cells.clone());
                asked.set(Asked { cells, number: asked.number + 1 });
                if let Some(panel) = shown.cast::<Element>() {
                    panel.scroll_into_view();
                }
            }
        });
    }
    let releases = view.releases.len();
    // One release after the other, as long as nobody steps by hand.
    {
        let at = at.clone();
        let going = found.as_ref().is_some_and(Result::is_ok) && at.1 && at.0 < releases;
        use_effect_with((at.0, asked.number, going), move |(now, _, going)| {
            let next = *now + 1;
            let timer =
                going.then(|| Timeout::new(if *now == 0 { PACE / 2 } else { PACE }, move || at.set((next, true))));
            move || drop(timer)
        });
    }
    let attack = {
        let (asked, typed) = (asked.clone(), typed.clone());
        Callback::from(move |()| asked.set(Asked { cells: (*typed).clone(), number: asked.number + 1 }))
    };
    let field = |(place, name): (usize, &String)| {
        if name == CLASS_COLUMN {
            return Html::default();
        }
        let list = format!("offers-{place}");
        let value = typed.get(place).cloned().flatten().unwrap_or_default();
        let oninput = {
            let typed = typed.clone();
            Callback::from(move |event: InputEvent| {
                let text = event.target_unchecked_into::<HtmlInputElement>().value();
                let mut cells = (*typed).clone();
                if let Some(cell) = cells.get_mut(place) {
                    *cell = Some(text);
                }
                typed.set(cells);
            })
        };
        let onchange = attack.reform(|_: Event| ());
        let offers = view.offers.get(place).into_iter().flatten();
        html! {
            <label class="field">{ name }<input class="long" list={list.clone()} {value} placeholder="not known" {oninput} {onchange} />
                <datalist id={list}>{ for offers.map(|offer| html! { <option value={offer.clone()} /> }) }</datalist></label>
        }
    };
    let again = attack.reform(|event: SubmitEvent| event.prevent_default());
    let next_worst = {
        let (asked, typed, chosen, view) = (asked.clone(), typed.clone(), chosen.clone(), view.clone());
        Callback::from(move |_: MouseEvent| {
            let next = (*chosen + 1) % view.worst_off.len().max(1);
            if let Some(worst) = view.worst_off.get(next) {
                typed.set(worst.cells.clone());
                asked.set(Asked { cells: worst.cells.clone(), number: asked.number + 1 });
            }
            chosen.set(next);
        })
    };
    html! {
        <section ref={panel} class="panel person" aria-label="One person">
            <div class="with-button"><h2>{ "One person, as the attacker knows them" }</h2>
                if view.worst_off.len() > 1 { { button("btn small", "Somebody else who is badly off", next_worst) } }</div>
            <form class="fields" novalidate=true onsubmit={again}>
                { for view.quasi.iter().enumerate().map(field) }
                <button class="btn small p">{ "Attack" }</button>
            </form>
            { match &*found {
                None => Html::default(),
                Some(Err(failure)) => failed("warn", failure),
                Some(Ok(person)) => steps(person, view, at.0.min(releases), &at),
            } }
        </section>
    }
}

/// Whether the person asked for no motion.
fn calm() -> bool {
    let query =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|query| query.matches())
}

fn steps(person: &PersonLink, view: &LinkView, at: usize, set: &UseStateHandle<(usize, bool)>) -> Html {
    let releases = person.releases.len();
    let go = |to: usize| {
        let set = set.clone();
        Callback::from(move |_: MouseEvent| set.set((to, false)))
    };
    let left: &[(String, u64)] = match at {
        0 => &[],
        at => person.releases.get(at - 1).map_or(&[], |release| &release.left),
    };
    html! {
        <>
            <div class="classes-of">
                { for person.releases.iter().enumerate().map(|(place, release)| class_card(release, place < at, left, at > 0)) }
                { answer(person, view, at, left) }
            </div>
            <div class="replay">
                <button class="btn small" disabled={at <= 1} onclick={go(at.saturating_sub(1))} aria-label="One release less">{ "‹" }</button>
                <span>{ format!("{} of {releases} releases", at.max(1)) }</span>
                <button class="btn small" disabled={at >= releases} onclick={go(at + 1)} aria-label="One release more">{ "›" }</button>
            </div>
        </>
    }
}

fn class_card(release: &PersonInRelease, seen: bool, left: &[(String, u64)], judged: bool) -> Html {
    let cells = release.cells.first().map(|cells| cells.join(" · ")).unwrap_or_default();
    let value = |(value, count): &(String, u64)| {
        let gone = judged && !left.iter().any(|(other, _)| other == value);
        html! { <li class={classes!(gone.then_some("gone"))}><span>{ value }</span>if *count > 1 { <em>{ format!("× {}", grouped(*count)) }</em> }</li> }
    };
    html! {
        <div class={classes!("class-of", (!seen).then_some("later"))}>
            <h3>{ &release.name }</h3>
            <div class="seen">
                { match release.classes {
                    0 => says("faint", "No class for such a person: this release rules out nothing."),
                    1 => html! { <p class="faint mono" title={cells.clone()}>{ cells }</p> },
                    classes => says("faint", &format!("{} may be theirs", counted(classes, "class"))),
                } }
                <ul class="values">{ for release.values.iter().take(SHOWN).map(value) }</ul>
                if release.values.len() > SHOWN { { says("faint", &format!("and {} more", release.values.len() - SHOWN)) } }
                if release.classes > 0 { <p class="ell">{ format!("ℓ = {} in {}", release.l, counted(release.rows, "row")) }</p> }
            </div>
        </div>
    }
}

/// What is left by now.
fn answer(person: &PersonLink, view: &LinkView, at: usize, left: &[(String, u64)]) -> Html {
    let before =
        person.releases.iter().filter(|release| release.classes > 0).map(|release| release.l).min().unwrap_or(0);
    let now = at.checked_sub(1).and_then(|place| person.releases.get(place)).map_or(before, |release| release.left_l);
    let done = at >= person.releases.len();
    let class = match now {
        _ if at == 0 => "",
        1 => "bad",
        now if now < before => "warn",
        _ => "ok",
    };
    let words = match (done, now) {
        (false, _) => format!("ℓ = {now} so far"),
        (true, 0) => "No value is in all of them: nobody like this is in all releases.".into(),
        (true, 1) if before == 1 => format!("ℓ = 1 already in one release: {} is exposed", view.sensitive),
        (true, 1) => format!("ℓ falls from {before} to 1: exposed"),
        (true, now) if now < before => format!("ℓ falls from {before} to {now}"),
        (true, now) => format!("ℓ stays {now}"),
    };
    let value = |(value, _): &(String, u64)| html! { <li><span>{ value }</span></li> };
    html! {
        <div class={classes!("class-of", "answer", class)} aria-live="polite">
            <h3>{ if done { "In all of them" } else { "Left so far" } }</h3>
            <ul class="values">{ for left.iter().take(SHOWN).map(value) }</ul>
            if left.len() > SHOWN { { says("faint", &format!("and {} more", left.len() - SHOWN)) } }
            if at > 0 { <p class={classes!("note", class)}>{ words }</p> }
        </div>
    }
}
