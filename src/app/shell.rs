//! The frame around every page: header, rail, the place for failures and progress, help, and the keys.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use super::components::{FailureBox, Help, TaskBar, button, saved_file};
use super::pages::findings::of_reading;
use super::pages::{
    AuditPage, ColumnsPage, DataPage, LinkagePage, PolicyPage, ResultsPage, RunPage, audit, linkage, policy, results,
    run,
};
use super::state::{Loaded, Step};
use super::{Handle, Message, use_handle};
use crate::table::Role;
use crate::words::counted;

#[component]
pub fn Shell() -> Html {
    let handle = use_handle();
    use_keys(&handle);
    let main = use_node_ref();
    use_focus_on_step(handle.state.step, main.clone());
    let state = &handle.state;
    html! {
        <div class="app">
            <a class="skip" href="#main" onclick={focus(main.clone())}>{ "Skip to the page" }</a>
            <Header />
            <Rail />
            <main id="main" tabindex="-1" ref={main}>
                if let Some(failure) = state.failure.clone().filter(|_| state.not_failed != Some(state.step)) {
                    <FailureBox {failure} ondismiss={handle.send.reform(|()| Message::DismissFailure)} />
                }
                if let Some(task) = state.task.clone() {
                    <TaskBar {task} oncancel={handle.send.reform(|()| Message::Cancel)} />
                }
                if let Some(saved) = state.saved.first().filter(|_| state.tell_saved) {
                    <div class="saved" role="group" aria-label="Saved">
                        { saved_file(saved) }
                        { button("btn small", "Hide", handle.send.reform(|_| Message::HideSaved)) }
                    </div>
                }
                { page(state.step) }
            </main>
            <div class="sr-only" role="status" aria-live="polite">{ &state.announcement }</div>
            if state.help {
                <Help onclose={handle.send.reform(|()| Message::ToggleHelp)} onforget={handle.send.reform(|()| Message::Forget)} />
            }
        </div>
    }
}

fn page(step: Step) -> Html {
    match step {
        Step::Data => html! { <DataPage /> },
        Step::Columns => html! { <ColumnsPage /> },
        Step::Policy => html! { <PolicyPage /> },
        Step::Run => html! { <RunPage /> },
        Step::Results => html! { <ResultsPage /> },
        Step::Audit => html! { <AuditPage /> },
        Step::Linkage => html! { <LinkagePage /> },
        // Steps that this version lacks can't be reached.
    }
}

fn focus(node: NodeRef) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        event.prevent_default();
        if let Some(element) = node.cast::<HtmlElement>() {
            let _ = element.focus();
        }
    })
}

/// Moves the focus to the page when another one is shown, so that keyboard and screen reader start there.
#[hook]
fn use_focus_on_step(step: Step, main: NodeRef) {
    let first = use_mut_ref(|| true);
    use_effect_with(step, move |_| {
        if !first.replace(false)
            && let Some(main) = main.cast::<HtmlElement>()
        {
            let _ = main.focus();
            main.set_scroll_top(0);
        }
    });
}

#[hook]
fn use_keys(handle: &Handle) {
    let latest = use_mut_ref(|| handle.clone());
    latest.replace(handle.clone());
    use_effect_with((), move |()| {
        // Else the browser undoes, too, in a field that was typed into before.
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&gloo::utils::window(), "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                press(&latest.borrow(), event);
            }
        });
        move || drop(listener)
    });
}

fn press(handle: &Handle, event: &KeyboardEvent) {
    let typing = event.target().is_some_and(|target| takes_text(&target));
    let number = event.code().strip_prefix("Digit").and_then(|digit| digit.parse::<usize>().ok());
    let control = event.ctrl_key() || event.meta_key();
    match (event.key().as_str(), number) {
        ("z" | "Z", _) if control && !typing && handle.state.loaded.is_some() => {
            event.prevent_default();
            handle.send.emit(if event.shift_key() { Message::Redo } else { Message::Undo });
        }
        ("y", _) if control && !typing && handle.state.loaded.is_some() => {
            event.prevent_default();
            handle.send.emit(Message::Redo);
        }
        (_, Some(number)) if event.alt_key() => {
            if let Some(&step) = number.checked_sub(1).and_then(|place| Step::ALL.get(place)) {
                event.prevent_default();
                handle.send.emit(Message::Go(step));
            }
        }
        ("?", _) if !typing => handle.send.emit(Message::ToggleHelp),
        ("Escape", _) if handle.state.help => handle.send.emit(Message::ToggleHelp),
        ("Escape", _) if handle.state.task.is_some() => handle.send.emit(Message::Cancel),
        _ => {}
    }
}

fn takes_text(target: &EventTarget) -> bool {
    let text_like =
        |input: &HtmlInputElement| !matches!(input.type_().as_str(), "file" | "checkbox" | "radio" | "button");
    target.dyn_ref().is_some_and(text_like)
        || target
            .dyn_ref::<HtmlElement>()
            .is_some_and(|element| matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT"))
}

#[component]
fn Header() -> Html {
    let handle = use_handle();
    let theme = handle.state.theme;
    let label = format!("Theme: {}. Change it", theme.name());
    html! {
        <header>
            <span class="brand">{ logo() }{ "Throng" }</span>
            if let Some(loaded) = &handle.state.loaded {
                <span class="chip file">
                    <b>{ &loaded.summary.name }</b>
                    { format!("{} · {}", counted(loaded.summary.rows, "row"), counted(loaded.summary.columns.len() as u64, "column")) }
                </span>
            }
            <span class="grow" />
            <button class="chip lock" onclick={handle.send.reform(|_| Message::ToggleHelp)} title="How to convince yourself">
                { lock() }{ "Nothing leaves this tab" }
            </button>
            <button class="chip round" aria-label="Help and keys" title="Help and keys (?)"
                onclick={handle.send.reform(|_| Message::ToggleHelp)}>{ "?" }</button>
            <button class="chip round" aria-label={label.clone()} title={label}
                onclick={handle.send.reform(|_| Message::NextTheme)}>{ "◐" }</button>
        </header>
    }
}

#[component]
fn Rail() -> Html {
    let handle = use_handle();
    let entry = |(place, &step): (usize, &Step)| {
        let number = if place < 5 { (place + 1).to_string() } else { "·".to_owned() };
        let (note, dot) = standing(&handle, step);
        let inside = html! {
            <>
                <span class="number" aria-hidden="true">{ number }</span>
                <b>{ step.name() }</b>
                <span class={classes!("dot", dot)} aria-hidden="true" />
                <small>{ note }</small>
            </>
        };
        let here = handle.state.step == step;
        html! {
            <li class={classes!((place == 5).then_some("apart"))}>
                <button class={classes!("step", here.then_some("on"))} aria-current={here.then_some("page")}
                    onclick={handle.send.reform(move |_| Message::Go(step))}>{ inside }</button>
            </li>
        }
    };
    html! { <nav aria-label="Steps"><ol>{ for Step::ALL.iter().enumerate().map(entry) }</ol></nav> }
}

/// How far a step is: a few words and the colour of its dot.
fn standing(handle: &Handle, step: Step) -> (String, Option<&'static str>) {
    if step == Step::Linkage {
        return linkage::standing(&handle.state);
    }
    let Some(loaded) = &handle.state.loaded else {
        return match step {
            Step::Data if handle.state.task.is_some() => ("reading…".into(), Some("warn")),
            Step::Data => ("load a table".into(), Some("warn")),
            Step::Audit => ("any table, as it is".into(), None),
            _ => ("needs a table".into(), None),
        };
    };
    match step {
        Step::Data => {
            let open = of_reading(loaded).iter().any(|finding| finding.open(&loaded.setup.decisions));
            (counted(loaded.summary.rows, "row"), Some(if open { "warn" } else { "ok" }))
        }
        Step::Policy => policy::standing(loaded),
        Step::Run => run::standing(loaded),
        Step::Results => results::standing(loaded),
        Step::Audit => audit::standing(loaded),
        _ => columns_standing(loaded),
    }
}

fn columns_standing(loaded: &Loaded) -> (String, Option<&'static str>) {
    let count = |role: Role| loaded.setup.columns.iter().filter(|column| column.role == role).count();
    let lacking = loaded.setup.columns.iter().any(|column| {
        column.role == Role::Quasi && column.hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.lacking > 0)
    });
    let quasi = count(Role::Quasi);
    match (quasi, lacking) {
        (0, _) => ("no quasi-identifier".into(), Some("warn")),
        (_, true) => ("a hierarchy is incomplete".into(), Some("warn")),
        _ => (format!("{quasi} QI · {} sensitive", count(Role::Sensitive)), Some("ok")),
    }
}

fn logo() -> Html {
    html! {
        <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
            <g fill="var(--accent)">
                <circle cx="7" cy="8" r="3" opacity=".35" /><circle cx="17" cy="8" r="3" opacity=".35" />
                <circle cx="12" cy="6" r="3" opacity=".6" /><circle cx="8" cy="15" r="3.4" opacity=".6" />
                <circle cx="16" cy="15" r="3.4" />
            </g>
        </svg>
    }
}

fn lock() -> Html {
    html! {
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <rect x="2" y="5" width="8" height="6" rx="1.2" fill="currentColor" />
            <path d="M4 5V3.6a2 2 0 0 1 4 0V5" fill="none" stroke="currentColor" stroke-width="1.4" />
        </svg>
    }
}
