//! The set-up of columns through the engine's door: guesses, edits, undo, hierarchies that come with a table, policies.

mod support;

use support::{ask, edit, file, open_files, page, rows_of, setup, text, tree};
use throng::engine::Engine;
use throng::failure::FailureKind;
use throng::policy::{Edit, Repair, TreeChange};
use throng::protocol::{Request, Response};
use throng::table::{Filter, Role, Sort, View};

const PEOPLE: &str = "id,age,sex,city\n1,34,m,Bonn\n2,35,f,Bonn\n3,61,m,Köln\n4,62,m,Köln\n";

fn people() -> Engine {
    let engine = Engine::default();
    open_files(&engine, vec![file("people.csv", PEOPLE)]).unwrap();
    engine
}

fn roles(engine: &Engine, roles: [Role; 4]) {
    for (column, role) in roles.into_iter().enumerate() {
        edit(engine, Edit::Roles { columns: vec![column as u32], role }).unwrap();
    }
}

#[test]
fn risk_counts_rows_by_the_size_of_their_class() {
    let engine = people();
    roles(&engine, [Role::Identifier, Role::Insensitive, Role::Quasi, Role::Quasi]);
    let view = setup(&engine, Request::Redo).unwrap();
    // (m, Bonn), (f, Bonn) and twice (m, Köln).
    assert_eq!(
        (view.risk.classes, view.risk.unique, view.risk.below_5, view.risk.below_11, view.risk.above_public),
        (3, 2, 4, 4, 4)
    );
}

#[test]
fn undo_and_redo_go_through_every_set_up() {
    let engine = people();
    let first = setup(&engine, Request::Undo).unwrap();
    assert!(!first.can_undo && !first.can_redo);
    let second = edit(&engine, Edit::Roles { columns: vec![1, 2], role: Role::Sensitive }).unwrap();
    assert!(second.can_undo);
    let back = setup(&engine, Request::Undo).unwrap();
    assert_eq!(back.columns, first.columns);
    assert_eq!(setup(&engine, Request::Redo).unwrap().columns, second.columns);
    // A refused edit is no step.
    edit(&engine, Edit::Roles { columns: vec![9], role: Role::Quasi }).unwrap_err();
    assert_eq!(setup(&engine, Request::Undo).unwrap().columns, first.columns);
}

#[test]
fn hierarchies_that_come_along_go_to_their_columns_and_say_what_does_not_fit() {
    let engine = Engine::default();
    let opened = open_files(
        &engine,
        vec![
            file("x_city.csv", "Bonn;NRW;*\nAachen;NRW;*\n"),
            file("people.csv", PEOPLE),
            file("x_nothing.csv", "a;*\n"),
        ],
    )
    .unwrap();
    assert_eq!(opened.taken[0].column.as_deref(), Some("city"));
    assert_eq!(opened.taken[1].column, None);
    let hierarchy = opened.setup.columns[3].hierarchy.clone().unwrap();
    assert_eq!((hierarchy.lacking, hierarchy.lacking_rows, hierarchy.unused), (1, 2, 1));
    edit(&engine, Edit::Repair { column: 3, repair: Repair::AddLacking }).unwrap();
    edit(&engine, Edit::Repair { column: 3, repair: Repair::RemoveUnused }).unwrap();
    assert_eq!(text(&engine, Request::ExportHierarchy { column: 3 }).replace('\r', ""), "Bonn;NRW;*\nKöln;Köln;*\n");
    let two = open_files(&engine, vec![file("a.csv", "x\n1\n"), file("b.csv", "y\n2\n")]).unwrap_err();
    assert!(two.what.contains("Two of the files are tables"));
}

#[test]
fn limits_follow_their_group_when_it_is_renamed_and_go_with_it() {
    let engine = Engine::default();
    open_files(&engine, vec![file("people.csv", PEOPLE), file("city.csv", "Bonn;NRW;*\nKöln;NRW;*\n")]).unwrap();
    roles(&engine, [Role::Identifier, Role::Insensitive, Role::Insensitive, Role::Quasi]);
    let node = |label: &str| tree(&engine, 3).nodes.iter().find(|node| node.label == label).unwrap().id;
    let limited = edit(&engine, Edit::Limit { column: 3, node: node("Bonn"), marked: true }).unwrap();
    // Bonn's two rows and Köln's two must stay apart: from k = 3 on all must go.
    assert_eq!(limited.forced[..3], [0, 4, 4]);
    edit(&engine, Edit::Limit { column: 3, node: node("Bonn"), marked: false }).unwrap();
    edit(&engine, Edit::Limit { column: 3, node: node("NRW"), marked: true }).unwrap();
    let rename = TreeChange::Rename { node: node("NRW"), label: "Rhineland".into() };
    let renamed = edit(&engine, Edit::Tree { column: 3, change: rename }).unwrap();
    assert_eq!(renamed.columns[3].hierarchy.as_ref().unwrap().limits, 1);
    assert!(tree(&engine, 3).nodes.iter().filter(|node| node.leaf).all(|node| node.limit == "Rhineland"));
    let dissolved =
        edit(&engine, Edit::Tree { column: 3, change: TreeChange::Ungroup { node: node("Rhineland") } }).unwrap();
    assert_eq!(dissolved.columns[3].hierarchy.as_ref().unwrap().limits, 0);
}

#[test]
fn a_saved_policy_gives_the_same_set_up_again() {
    let engine = people();
    roles(&engine, [Role::Identifier, Role::Quasi, Role::Sensitive, Role::Quasi]);
    let group = TreeChange::Group { nodes: vec![1, 2], label: "Rhine".into() };
    edit(&engine, Edit::Tree { column: 3, change: group }).ok();
    let policy = text(&engine, Request::SavePolicy);
    let other = people();
    let restored = setup(&other, Request::LoadPolicy { text: policy.clone() }).unwrap();
    assert_eq!(restored.columns, setup(&engine, Request::Redo).unwrap().columns);
    assert_eq!(text(&other, Request::SavePolicy), policy);
    // As a file beside the table it does the same.
    let third = Engine::default();
    open_files(&third, vec![file("people.csv", PEOPLE), file("p.json", policy.clone())]).unwrap();
    assert_eq!(text(&third, Request::SavePolicy), policy);
}

#[test]
fn bad_policies_name_what_is_wrong_and_change_nothing() {
    let engine = people();
    let before = setup(&engine, Request::Redo).unwrap();
    let cases = [
        ("{", "not JSON"),
        (r#"{"throng": 1}"#, "missing field `columns`"),
        (r#"{"throng": 2, "columns": {}}"#, "version 2"),
        (r#"{"throng": 1, "columns": {}, "colour": 1}"#, "unknown field `colour`"),
        (r#"{"throng": 1, "columns": {"age": {"role": "nobody"}}}"#, "unknown variant `nobody`"),
        (r#"{"throng": 1, "columns": {"age": {"role": "quasi", "limit": []}}}"#, "unknown field `limit`"),
        (r#"{"throng": 1, "columns": {"zip": {"role": "quasi"}}, "others": "insensitive"}"#, "“zip”"),
        (r#"{"throng": 1, "columns": {"age": {"role": "quasi"}}}"#, "“id”, “sex”, “city”"),
        (
            r#"{"throng": 1, "columns": {"age": {"role": "quasi", "limits": ["x"]}}, "others": "insensitive"}"#,
            "no hierarchy",
        ),
        (
            r#"{"throng": 1, "columns": {"sex": {"role": "quasi", "hierarchy": {"rows": [["m","*"],["f","*"]]}, "limits": ["x"]}}, "others": "insensitive"}"#,
            "Limit 1 of column “sex”",
        ),
        (
            r#"{"throng": 1, "columns": {"sex": {"role": "quasi", "hierarchy": {}}}, "others": "insensitive"}"#,
            "exactly one",
        ),
        (
            r#"{"throng": 1, "columns": {"sex": {"role": "quasi", "hierarchy": {"file": "s.csv"}}}, "others": "insensitive"}"#,
            "“s.csv”",
        ),
    ];
    for (policy, words) in cases {
        let failure = setup(&engine, Request::LoadPolicy { text: policy.into() }).unwrap_err();
        assert!(failure.what.contains(words), "{policy}: {failure}");
        assert_eq!(failure.kind, FailureKind::Policy);
    }
    assert_eq!(setup(&engine, Request::Redo).unwrap(), before);
}

#[test]
fn views_sort_by_kind_and_filter_by_text() {
    let engine = Engine::default();
    open_files(&engine, vec![file("v.csv", "n,s\n10,b\n9,a\nNA,B\n100,c\n9,b\n")]).unwrap();
    let numbers = |sort: Option<Sort>, filter: Option<Filter>| -> Vec<u64> {
        page(&engine, rows_of(View { sort, filter })).rows.iter().map(|row| row.number).collect()
    };
    assert_eq!(numbers(Some(Sort { column: 0, descending: false }), None), [2, 5, 1, 4, 3], "missing last");
    assert_eq!(numbers(Some(Sort { column: 0, descending: true }), None), [4, 1, 2, 5, 3], "missing last still");
    assert_eq!(numbers(None, Some(Filter { column: 1, contains: "b".into() })), [1, 3, 5], "upper and lower case");
    assert_eq!(numbers(Some(Sort { column: 7, descending: true }), None), [1, 2, 3, 4, 5], "no such column");
}

#[test]
fn columns_that_single_out_rows_are_found() {
    let engine = people();
    roles(&engine, [Role::Identifier, Role::Insensitive, Role::Quasi, Role::Quasi]);
    match ask(&engine, Request::SinglingOut, vec![]).unwrap() {
        Response::SinglingOut(sets) => {
            assert_eq!((sets[0].columns.clone(), sets[0].unique, sets.len()), (vec!["age".to_owned()], 4, 1));
        }
        other => panic!("{other:?}"),
    }
}
