//! The tree: fold, choose, rename, group, move, mark limits; by mouse and by keyboard.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use crate::app::components::says;
use crate::app::{Message, use_handle};
use crate::hierarchy::{NodeId, ROOT};
use crate::policy::{Edit, TreeChange};
use crate::setup_view::{NodeView, TreeView};
use crate::words::grouped;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub column: u32,
    pub view: Rc<TreeView>,
    pub editable: bool,
}

/// As many nodes as are shown unfolded at first.
const AT_ONCE: usize = 60;

/// What a name is being asked for.
#[derive(Clone, Copy, PartialEq)]
enum Naming {
    Rename(NodeId),
    Group,
    /// The chosen children of this group go into a new one beside it.
    Split(NodeId),
}

#[component]
pub fn TreeEditor(Props { column, view, editable }: &Props) -> Html {
    let handle = use_handle();
    let column = *column;
    let folded = use_state(|| initially_folded(view));
    let chosen = use_state(BTreeSet::<NodeId>::new);
    let cursor = use_state(|| ROOT);
    let naming = use_state(|| None::<Naming>);
    let list = use_node_ref();
    {
        let (folded, chosen, cursor, naming) = (folded.clone(), chosen.clone(), cursor.clone(), naming.clone());
        let labels = view.nodes.len();
        let view = view.clone();
        use_effect_with((column, labels), move |_| {
            folded.set(initially_folded(&view));
            chosen.set(BTreeSet::new());
            cursor.set(ROOT);
            naming.set(None);
        });
    }
    let visible = visible(view, &folded);
    let change = {
        let (send, chosen) = (handle.send.clone(), chosen.clone());
        Callback::from(move |change: TreeChange| {
            chosen.set(BTreeSet::new());
            send.emit(Message::Edit(Edit::Tree { column, change }));
        })
    };
    let limit =
        handle.send.reform(move |(node, marked): (NodeId, bool)| Message::Edit(Edit::Limit { column, node, marked }));
    let fold = {
        let folded = folded.clone();
        Callback::from(move |(node, fold): (NodeId, bool)| {
            let mut now = (*folded).clone();
            if fold {
                now.insert(node)
            } else {
                now.remove(&node)
            };
            folded.set(now);
        })
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |node: NodeId| {
            let mut now = (*chosen).clone();
            if !now.remove(&node) {
                now.insert(node);
            }
            chosen.set(now);
        })
    };
    let onkeydown = {
        let (view, visible, cursor, naming, list) =
            (view.clone(), visible.clone(), cursor.clone(), naming.clone(), list.clone());
        let (fold, choose, limit, change, folded) =
            (fold.clone(), choose.clone(), limit.clone(), change.clone(), folded.clone());
        let editable = *editable;
        Callback::from(move |event: KeyboardEvent| {
            let Some(place) = visible.iter().position(|&index| view.nodes[index].id == *cursor) else { return };
            let node = &view.nodes[visible[place]];
            let go = |place: usize| {
                if let Some(&index) = visible.get(place) {
                    cursor.set(view.nodes[index].id);
                    focus_row(&list, view.nodes[index].id);
                }
            };
            match event.key().as_str() {
                "ArrowDown" => go(place + 1),
                "ArrowUp" => go(place.saturating_sub(1)),
                "Home" => go(0),
                "End" => go(visible.len() - 1),
                "ArrowRight" if !node.leaf && folded.contains(&node.id) => fold.emit((node.id, false)),
                "ArrowLeft" if !node.leaf && !folded.contains(&node.id) => fold.emit((node.id, true)),
                " " if editable => choose.emit(node.id),
                "l" | "L" if editable => limit.emit((node.id, !node.marked)),
                "F2" if editable && !node.leaf => naming.set(Some(Naming::Rename(node.id))),
                "Delete" if editable && !node.leaf => change.emit(TreeChange::Ungroup { node: node.id }),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let row = |&index: &usize| {
        let node = &view.nodes[index];
        let id = node.id;
        let share = node.rows as f64 / view.rows.max(1) as f64;
        let open = !node.leaf && !folded.contains(&id);
        let class = classes!(
            "node",
            node.marked.then_some("limit"),
            chosen.contains(&id).then_some("chosen"),
            (*cursor == id).then_some("cursor")
        );
        let onclick = {
            let (cursor, choose) = (cursor.clone(), choose.clone());
            let editable = *editable;
            Callback::from(move |_| {
                cursor.set(id);
                if editable {
                    choose.emit(id);
                }
            })
        };
        let twist = fold.reform(move |event: MouseEvent| {
            event.stop_propagation();
            (id, open)
        });
        let mark = {
            let marked = node.marked;
            limit.reform(move |event: MouseEvent| {
                event.stop_propagation();
                (id, !marked)
            })
        };
        let marking = if node.marked { "no limit" } else { "limit here" };
        let onfocus = {
            let cursor = cursor.clone();
            Callback::from(move |_: FocusEvent| cursor.set(id))
        };
        let title = if node.leaf { format!("May become at most “{}”", node.limit) } else { String::new() };
        html! {
            <li key={id} data-node={id.to_string()} {class} role="treeitem" aria-level={(node.depth + 1).to_string()} aria-selected={chosen.contains(&id).to_string()}
                aria-expanded={(!node.leaf).then(|| open.to_string())} tabindex={if *cursor == id { "0" } else { "-1" }} {onclick} {onfocus} {title}
                style={format!("padding-left:{}px", 6 + node.depth.min(12) * 18)}>
                if node.leaf { <span class="twist" /> } else {
                    <span class="twist" onclick={twist} aria-hidden="true">{ if open { "▾" } else { "▸" } }</span>
                }
                <span class="label">{ if node.label.is_empty() { "(empty)" } else { &node.label } }</span>
                if node.hidden_children > 0 { <em>{ format!("{} more not shown", grouped(u64::from(node.hidden_children))) }</em> }
                if node.marked { <em class="mark">{ "limit" }</em> }
                <span class="grow" />
                if *editable {
                    <button class="mark-button" tabindex="-1" onclick={mark} aria-label={format!("{marking}: {}", node.label)}>
                        { marking }
                    </button>
                }
                <em class="n">{ grouped(node.rows) }</em>
                <svg class="bar" width="72" height="6" aria-hidden="true"><rect class="back" width="72" height="6" rx="3" /><rect width={format!("{:.1}", (share.sqrt() * 72.0).max(if node.rows > 0 { 2.0 } else { 0.0 }))} height="6" rx="3" /></svg>
            </li>
        }
    };
    html! {
        <>
            if *editable {
                <Tools view={view.clone()} chosen={chosen.clone()} naming={naming.clone()} change={change.clone()} />
            } else {
                { says("note warn", "A preview. Nothing is changed until you use it.") }
            }
            <ul class="tree" role="tree" aria-label="Hierarchy" aria-multiselectable="true" ref={list} {onkeydown}>
                { for visible.iter().map(row) }
            </ul>
            if *editable {
                <p class="faint keys-line">{ "Arrows move and fold, Space chooses, L marks a limit, F2 renames, Del dissolves a group." }</p>
            }
        </>
    }
}

fn focus_row(list: &NodeRef, node: NodeId) {
    let row = list
        .cast::<HtmlElement>()
        .and_then(|list| list.query_selector(&format!("[data-node='{node}']")).ok().flatten());
    if let Some(row) = row.and_then(|row| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(row).ok()) {
        let _ = row.focus();
    }
}

/// Folds the groups so deep that all above them fit on a screen.
fn initially_folded(view: &TreeView) -> BTreeSet<NodeId> {
    let down_to = |depth: u32| view.nodes.iter().filter(|node| node.depth <= depth).count();
    let deepest = view.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let shown = (1..=deepest).take_while(|&depth| down_to(depth) <= AT_ONCE).last().unwrap_or(1);
    view.nodes.iter().filter(|node| !node.leaf && node.depth >= shown).map(|node| node.id).collect()
}

/// Places in the view of the nodes that no folded group hides.
fn visible(view: &TreeView, folded: &BTreeSet<NodeId>) -> Vec<usize> {
    let mut visible = Vec::new();
    let mut hidden_below = u32::MAX;
    for (index, node) in view.nodes.iter().enumerate() {
        if node.depth > hidden_below {
            continue;
        }
        hidden_below = if folded.contains(&node.id) { node.depth } else { u32::MAX };
        visible.push(index);
    }
    visible
}

#[derive(Properties, PartialEq)]
struct ToolsProps {
    view: Rc<TreeView>,
    chosen: UseStateHandle<BTreeSet<NodeId>>,
    naming: UseStateHandle<Option<Naming>>,
    change: Callback<TreeChange>,
}

#[component]
fn Tools(ToolsProps { view, chosen, naming, change }: &ToolsProps) -> Html {
    let nodes: Vec<NodeId> = chosen.iter().copied().collect();
    let node = |id: NodeId| view.nodes.iter().find(|node| node.id == id);
    let one_group: Option<&NodeView> = match nodes.as_slice() {
        [one] => node(*one).filter(|node| !node.leaf),
        _ => None,
    };
    let ask = |what: Naming| {
        let naming = naming.clone();
        Callback::from(move |_: MouseEvent| naming.set(Some(what)))
    };
    let onsubmit = {
        let (naming, change, nodes) = (naming.clone(), change.clone(), nodes.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                naming.set(None);
            }
            if event.key() != "Enter" {
                return;
            }
            let label = event.target_unchecked_into::<HtmlInputElement>().value();
            match *naming {
                Some(Naming::Rename(node)) => change.emit(TreeChange::Rename { node, label }),
                Some(Naming::Group) => change.emit(TreeChange::Group { nodes: nodes.clone(), label }),
                Some(Naming::Split(node)) => change.emit(TreeChange::Split { node, taken: nodes.clone(), label }),
                None => {}
            }
            naming.set(None);
        })
    };
    let targets = view.nodes.iter().filter(|node| !node.leaf && !nodes.contains(&node.id));
    let groups: Vec<NodeId> = targets.clone().map(|node| node.id).collect();
    let onmove = {
        let (change, nodes) = (change.clone(), nodes.clone());
        Callback::from(move |event: Event| {
            let choice = event.target_unchecked_into::<web_sys::HtmlSelectElement>().selected_index();
            if let Some(&target) = usize::try_from(choice - 1).ok().and_then(|choice| groups.get(choice)) {
                change.emit(TreeChange::Move { nodes: nodes.clone(), target });
            }
        })
    };
    let two_groups = match nodes.as_slice() {
        [one, other] if [*one, *other].iter().all(|&id| node(id).is_some_and(|node| !node.leaf)) => {
            Some((*one, *other))
        }
        _ => None,
    };
    let merge = change.reform(move |_| {
        let (kept, merged) = two_groups.unwrap_or((ROOT, ROOT));
        TreeChange::Merge { kept, merged }
    });
    let common_parent = common_parent(view, &nodes).filter(|&parent| parent != ROOT);
    let ungroup = one_group.map(|node| node.id).filter(|&id| id != ROOT);
    let current = match **naming {
        Some(Naming::Rename(id)) => node(id).map(|node| node.label.clone()).unwrap_or_default(),
        _ => String::new(),
    };
    html! {
        <div class="tree-tools" role="group" aria-label="Change the tree">
            if naming.is_some() {
                <label class="field">{ "name " }<input class="long" value={current} onkeydown={onsubmit} aria-label="Name of the group, Enter to take it" autofocus=true ref={focused()} /></label>
                <span class="faint">{ "Enter takes it, Esc leaves it" }</span>
            } else {
                <button class="btn small" disabled={nodes.is_empty()} onclick={ask(Naming::Group)}>{ "Group chosen" }</button>
                <button class="btn small" disabled={one_group.is_none()} onclick={ask(Naming::Rename(one_group.map_or(ROOT, |node| node.id)))}>{ "Rename" }</button>
                <button class="btn small" disabled={ungroup.is_none()} onclick={change.reform(move |_| TreeChange::Ungroup { node: ungroup.unwrap_or(ROOT) })}>{ "Dissolve" }</button>
                <button class="btn small" disabled={common_parent.is_none()} onclick={ask(Naming::Split(common_parent.unwrap_or(ROOT)))} title="Into a new group beside their own">{ "Split off" }</button>
                <button class="btn small" disabled={two_groups.is_none()} onclick={merge} title="Two groups become one">{ "Merge" }</button>
                <select class="small" disabled={nodes.is_empty()} onchange={onmove} aria-label="Move chosen into">
                    <option selected=true>{ "Move into…" }</option>
                    { for targets.map(|node| html! { <option>{ &node.label }</option> }) }
                </select>
                <span class="grow" />
                <span class="faint">{ if nodes.is_empty() { String::new() } else { format!("{} chosen", nodes.len()) } }</span>
            }
        </div>
    }
}

/// The group that all of these nodes are children of.
fn common_parent(view: &TreeView, nodes: &[NodeId]) -> Option<NodeId> {
    let parent = |id: NodeId| {
        let place = view.nodes.iter().position(|node| node.id == id)?;
        let depth = view.nodes[place].depth.checked_sub(1)?;
        view.nodes[..place].iter().rev().find(|node| node.depth == depth).map(|node| node.id)
    };
    let first = parent(*nodes.first()?)?;
    nodes.iter().all(|&node| parent(node) == Some(first)).then_some(first)
}

/// A node reference that takes the focus as soon as its element is there.
fn focused() -> NodeRef {
    let node = NodeRef::default();
    let later = node.clone();
    gloo::timers::callback::Timeout::new(0, move || {
        if let Some(input) = later.cast::<HtmlInputElement>() {
            let _ = input.focus();
        }
    })
    .forget();
    node
}
