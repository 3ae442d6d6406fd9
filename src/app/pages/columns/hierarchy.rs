//! One column's hierarchy: build, import, export, repair, and the tree to edit.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::builder::Builder;
use super::tree::TreeEditor;
use crate::app::components::{DropZone, button, option};
use crate::app::pages::role_name;
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::hierarchy::Recipe;
use crate::policy::{Edit, Missing, Repair};
use crate::protocol::{Request, Response};
use crate::setup_view::{HierarchyView, TreeView};
use crate::table::Role;
use crate::words::counted;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub column: usize,
}

#[component]
pub fn HierarchyPanel(Props { loaded, column }: &Props) -> Html {
    let handle = use_handle();
    let column = *column;
    let building = use_state(|| false);
    let preview = use_state(|| None::<Recipe>);
    let tree = use_state(|| None::<Rc<TreeView>>);
    let failed = use_state(|| None::<String>);
    {
        let (building, preview) = (building.clone(), preview.clone());
        use_effect_with((column, loaded.generation), move |_| {
            building.set(false);
            preview.set(None);
        });
    }
    let (Some(summary), Some(setup)) = (loaded.summary.columns.get(column), loaded.setup.columns.get(column)) else {
        return Html::default();
    };
    {
        let (client, tree, failed) = (handle.client.clone(), tree.clone(), failed.clone());
        let has_tree = setup.hierarchy.is_some();
        let key = (column, loaded.generation, loaded.revision, (*preview).clone(), has_tree);
        use_effect_with(key, move |(column, _, _, preview, has_tree)| {
            let column = *column as u32;
            let request = match preview {
                Some(recipe) => Request::Preview { column, recipe: recipe.clone() },
                None if *has_tree => Request::Tree { column },
                None => {
                    tree.set(None);
                    return;
                }
            };
            let call = client.request(request, &[], |_, _| {});
            spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Tree(view)) => {
                        failed.set(None);
                        tree.set(Some(Rc::new(view)));
                    }
                    Ok(_) => {}
                    Err(failure) => failed.set(Some(failure.what)),
                }
            });
        });
    }
    let (onfiles, onfail) = handle.open_files();
    let use_it = {
        let (send, building, preview) = (handle.send.clone(), building.clone(), preview.clone());
        Callback::from(move |()| {
            if let Some(recipe) = (*preview).clone() {
                send.emit(Message::Edit(Edit::Build { column: column as u32, recipe }));
            }
            building.set(false);
            preview.set(None);
        })
    };
    let close = {
        let (building, preview) = (building.clone(), preview.clone());
        Callback::from(move |()| {
            building.set(false);
            preview.set(None);
        })
    };
    let open = {
        let building = building.clone();
        Callback::from(move |_| building.set(true))
    };
    let on_preview = {
        let preview = preview.clone();
        Callback::from(move |recipe| preview.set(Some(recipe)))
    };
    let dropped = setup.role == Role::Identifier;
    html! {
        <section class="panel hierarchy" aria-label={format!("Hierarchy of {}", summary.name)}>
            <div class="head">
                <h2>{ format!("{} · hierarchy", summary.name) }</h2>
                <span class="grow" />
                if !*building && !dropped {
                    { button("btn small", "Build…", open) }
                    <DropZone small=true {onfiles} {onfail} label="Import hierarchy files">
                        <span class="btn small" title="A file in the ARX format, named after its column">{ "Import" }</span>
                    </DropZone>
                    <button class="btn small" disabled={setup.hierarchy.is_none()} onclick={handle.send.reform(move |_| Message::SaveHierarchy(column))}>{ "Export" }</button>
                }
            </div>
            if dropped {
                <p>{ "Identifiers are dropped from the release, so this column needs no hierarchy." }</p>
            } else {
                if *building {
                    <Builder kind={setup.kind.kind} recipe={setup.hierarchy.as_ref().and_then(|hierarchy| hierarchy.recipe.clone())}
                        failed={(*failed).clone()} {on_preview} onuse={use_it} onclose={close} />
                }
                { notes(setup.hierarchy.as_ref(), &handle.send, column) }
                if let Some(hierarchy) = setup.hierarchy.as_ref().filter(|_| setup.role == Role::Quasi) {
                    { finest(hierarchy, setup.from_level, &handle.send, column) }
                }
                if setup.role == Role::Sensitive && summary.missing > 0 {
                    { missing_cells(setup.missing, summary.missing, &handle.send, column) }
                }
                if let Some(view) = &*tree {
                    <TreeEditor column={column as u32} view={view.clone()} editable={preview.is_none()} />
                } else if setup.hierarchy.is_none() {
                    <p>{ format!("No hierarchy: as {} column, a value is kept or becomes *.", article(role_name(setup.role))) }</p>
                }
            }
        </section>
    }
}

fn article(role: &str) -> String {
    if role.starts_with('i') { format!("an {role}") } else { format!("a {role}") }
}

/// From which level on values are shown; nothing finer leaves, whatever the algorithm.
fn finest(hierarchy: &HierarchyView, from_level: u32, send: &Callback<Message>, column: usize) -> Html {
    let onchange = send.reform(move |event: Event| {
        let level = event.target_unchecked_into::<web_sys::HtmlSelectElement>().selected_index().max(0) as u32;
        Message::Edit(Edit::FromLevel { column: column as u32, level })
    });
    let name = |level: u32| match level {
        0 => "as they are".to_owned(),
        level if level + 1 == hierarchy.levels => "only as *".to_owned(),
        level => format!("from level {level} on"),
    };
    html! {
        <label class="field">{ "Values are shown" }
            <select {onchange}>{ for (0..hierarchy.levels).map(|level| option(level == from_level, &name(level))) }</select>
        </label>
    }
}

/// What missing cells of a sensitive column are, and what that does.
fn missing_cells(missing: Missing, rows: u64, send: &Callback<Message>, column: usize) -> Html {
    const CHOICES: [(Missing, &str, &str); 2] = [
        (
            Missing::Unknown,
            "unknown",
            "A missing cell may be any of the column's values, so it makes no class more diverse: HIV and empty cells \
             together are not two values.",
        ),
        (
            Missing::Value,
            "a value of their own",
            "Missing is counted as one more value of the column. Choose this only if it says something of the person, \
             such as “not tested”.",
        ),
    ];
    let onchange = send.reform(move |event: Event| {
        let chosen = event.target_unchecked_into::<web_sys::HtmlSelectElement>().selected_index().max(0) as usize;
        let missing = CHOICES.get(chosen).map_or(Missing::Unknown, |choice| choice.0);
        Message::Edit(Edit::Missing { column: column as u32, missing })
    });
    let said = CHOICES.iter().find(|choice| choice.0 == missing).map_or("", |choice| choice.2);
    html! {
        <>
            <label class="field">{ format!("Missing cells ({}) are", counted(rows, "row")) }
                <select {onchange}>{ for CHOICES.iter().map(|choice| option(choice.0 == missing, choice.1)) }</select>
            </label>
            <p class="missing-cells">{ said }</p>
        </>
    }
}

/// What does not fit between tree and data, each with its repair.
fn notes(hierarchy: Option<&HierarchyView>, send: &Callback<Message>, column: usize) -> Html {
    let Some(hierarchy) = hierarchy else { return Html::default() };
    let repair = |repair: Repair| send.reform(move |_| Message::Edit(Edit::Repair { column: column as u32, repair }));
    html! {
        <>
            if hierarchy.lacking > 0 {
                <div class="note bad with-button">
                    <span>{ format!(
    "Not in the tree: {} of the data ({}).", counted(u64::from(hierarchy.lacking), "value"), counted(hierarchy.lacking_rows, "row")) }</span>
                    { button("btn small", "Add them under *", repair(Repair::AddLacking)) }
                </div>
            }
            if hierarchy.unused > 0 {
                <div class="note warn with-button">
                    <span>{ format!("Not in the data: {} of the tree.", counted(u64::from(hierarchy.unused), "value")) }</span>
                    { button("btn small", "Remove them", repair(Repair::RemoveUnused)) }
                </div>
            }
        </>
    }
}
