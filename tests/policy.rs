//! What a policy may ask, told with the place of the key when it is wrong, and what a table can give at best.

mod support;

use std::fmt::Write;

use support::{ask, edit, file, open_files, setup};
use throng::engine::Engine;
use throng::failure::FailureKind;
use throng::policy::{Demand, Edit, ModelDemand};
use throng::protocol::{Request, Response};
use throng::setup_view::Prospect;
use throng::table::Role;

const TABLE: &str = "name,age,sex,disease,ward\n\
    Ann,21,F,flu,1\nBob,23,M,flu,1\nCid,35,M,cold,2\nDot,38,F,cancer,2\nEve,52,F,cold,1\nFay,57,F,flu,3\n";

fn policy(privacy: &str) -> String {
    format!(
        r#"{{"throng": 1, "columns": {{"name": {{"role": "identifier"}}, "age": {{"role": "quasi"}},
           "sex": {{"role": "quasi"}}, "disease": {{"role": "sensitive"}}, "ward": {{"role": "insensitive"}}}},
           "privacy": [{privacy}]}}"#
    )
}

/// What the engine says to a policy with these demands: the failure at reading it, or what the first card says.
fn said(privacy: &str) -> String {
    let engine = Engine::default();
    match open_files(&engine, vec![file("table.csv", TABLE), file("policy.json", policy(privacy))]) {
        Err(failure) => {
            assert_eq!(failure.kind, FailureKind::Policy);
            failure.to_string()
        }
        Ok(opened) => match &opened.setup.privacy[0].prospect {
            Prospect::Mistaken(mistake) => mistake.clone().into_failure(0).to_string(),
            Prospect::Feasible { sentence, .. } | Prospect::Costly { sentence, .. } => sentence.clone(),
        },
    }
}

#[test]
fn bad_policies_name_the_field() {
    let cases = [
        (r#"{"model": "k-anonymity", "k": 0}"#, "privacy[0].k must be a number of at least 1"),
        (r#"{"model": "k-anonymity", "k": 7}"#, "privacy[0].k is 7, but the table has 6 rows. Use at most 6."),
        (r#"{"model": "k-anonymity", "k": "5"}"#, "privacy[0].k must be a whole number"),
        (r#"{"model": "k-anonymity", "k": 2, "l": 2}"#, "privacy[0] has a key that its model lacks: “l”"),
        (r#"{"model": "k-anonymity"}"#, "privacy[0].k is missing"),
        (r#"{"model": "k", "k": 2}"#, "privacy[0].model must be one of"),
        (
            r#"{"model": "distinct-l-diversity", "l": 4}"#,
            "privacy[0].l is more than the 3 different values of column “disease”. Use at most 3.",
        ),
        (r#"{"model": "distinct-l-diversity", "l": 2.5}"#, "privacy[0].l must be a whole number"),
        (r#"{"model": "entropy-l-diversity", "l": 0.5}"#, "privacy[0].l must be a number of at least 1"),
        (r#"{"model": "entropy-l-diversity", "l": 3.5}"#, "privacy[0].l is more than the 3 different values"),
        (
            r#"{"model": "entropy-l-diversity", "l": 2, "dont_care": ["plague"]}"#,
            "privacy[0].dont_care[0] is not a value of column “disease”",
        ),
        (r#"{"model": "recursive-cl-diversity", "c": 0, "l": 2}"#, "privacy[0].c must be a number above 0"),
        (r#"{"model": "recursive-cl-diversity", "c": -1, "l": 2}"#, "privacy[0].c must be a number above 0"),
        (r#"{"model": "recursive-cl-diversity", "c": 2, "l": 4}"#, "privacy[0].l is more than the 3"),
        (
            r#"{"model": "recursive-cl-diversity", "c": 2, "l": 2, "no_negative": ["flu"]}"#,
            "privacy[0].c2 must be there",
        ),
        (
            r#"{"model": "recursive-cl-diversity", "c": 2, "l": 2, "no_negative": ["flu", "x"], "c2": 1}"#,
            "privacy[0].no_negative[1] is not",
        ),
        (
            r#"{"model": "recursive-cl-diversity", "c": 2, "l": 2, "no_negative": ["flu"], "c2": 101}"#,
            "privacy[0].c2 must be a percentage",
        ),
        (
            r#"{"model": "tau-l-diversity", "tau": 1.5, "l": 2}"#,
            "privacy[0].tau must be a number above 0 and at most 1",
        ),
        (r#"{"model": "tau-l-diversity", "tau": 0, "l": 2}"#, "privacy[0].tau must be"),
        (r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 1}"#, "privacy[0].l must be a number of at least 2"),
        (r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 4}"#, "privacy[0].l is more than the 3"),
        (
            r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 2, "weights": {"x": 1}}"#,
            "privacy[0].weights has an entry (1 in order)",
        ),
        (
            r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 2, "weights": {"flu": -1}}"#,
            "privacy[0].weights must be numbers",
        ),
        (
            r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 2, "weights": {"flu": 1.7e308, "cold": 1.7e308}}"#,
            "privacy[0].weights must be numbers of at least 0, with a finite sum",
        ),
        (
            r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 2, "weights": {"flu": 0}}"#,
            "privacy[0].weights gives 0 to a value that occurs",
        ),
        (r#"{"model": "t-closeness", "t": 1.1}"#, "privacy[0].t must be a number from 0 to 1"),
        (r#"{"model": "t-closeness", "t": 0.5, "distance": "ordered"}"#, "privacy[0].distance needs an order"),
        (r#"{"model": "t-closeness", "t": 0.5, "distance": "hierarchical"}"#, "privacy[0].distance needs a hierarchy"),
        (r#"{"model": "p-sensitive", "p": 4}"#, "privacy[0].p is more than the 3"),
        (r#"{"model": "alpha-k", "alpha": 0}"#, "privacy[0].alpha must be"),
        (r#"{"model": "alpha-k", "alpha": 0.5, "values": ["x"]}"#, "privacy[0].values[0] is not a value"),
        (
            r#"{"model": "p-sensitive", "p": 2, "attribute": "illness"}"#,
            "privacy[0].attribute is not a column of the table",
        ),
        (
            r#"{"model": "p-sensitive", "p": 2, "attribute": "age"}"#,
            "privacy[0].attribute is column “age”, whose role is a quasi-identifier",
        ),
        (
            r#"{"model": "p-sensitive", "p": 2, "attribute": "name"}"#,
            "privacy[0].attribute is column “name”, whose role is an identifier",
        ),
        (
            r#"{"model": "p-sensitive", "p": 2, "attribute": "ward"}"#,
            "privacy[0].attribute is column “ward”, whose role is insensitive",
        ),
        ("7", "privacy[0] is not an object"),
    ];
    for (privacy, expected) in cases {
        let said = said(privacy);
        assert!(said.contains(expected), "{privacy}\n  said: {said}");
        for value in ["flu", "cold", "cancer", "plague", "Ann"] {
            assert!(!said.contains(value), "a value in: {said}");
        }
    }
}

#[test]
fn other_keys_are_named_too() {
    let whole = |text: &str| {
        let engine = Engine::default();
        let sources = vec![file("table.csv", TABLE), file("policy.json", text)];
        open_files(&engine, sources).unwrap_err().to_string()
    };
    let roles = r#""name": {"role": "identifier"}, "sex": {"role": "quasi"}, "disease": {"role": "sensitive"}"#;
    let with = |rest: &str| format!(r#"{{"throng": 1, "others": "insensitive", "columns": {{{roles}}}, {rest}}}"#);
    for (text, expected) in [
        (with(r#""suppression_limit": 1.5"#), "suppression_limit is not a share"),
        (with(r#""suppression_limit": -0.1"#), "suppression_limit is not a share"),
        (with(r#""privcy": []"#), "unknown field `privcy`"),
        (with(r#""privacy": {}"#), "wrong kind"),
        (
            r#"{"throng": 1, "others": "insensitive", "columns": {"age": {"role": "quasi"}, "age": {"role": "sensitive"}}}"#.into(),
            "a key stands twice: “columns.age”",
        ),
        (
            r#"{"throng": 1, "others": "insensitive", "columns": {"age": {"role": "quasi", "from_level": 3}}}"#.into(),
            "“from_level” of column “age” is above its hierarchy. Use at most 0.",
        ),
    ] {
        let said = whole(&text);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn prospects_say_what_would_be_feasible() {
    for (privacy, expected) in [
        (r#"{"model": "k-anonymity", "k": 6}"#, "This table allows k up to 6."),
        (r#"{"model": "distinct-l-diversity", "l": 3}"#, "This table allows ℓ up to 3."),
        // Counts 3, 2, 1: e^H = 6 / (3^(1/2) · 2^(1/3)) = 2.7495…
        (r#"{"model": "entropy-l-diversity", "l": 2.7}"#, "This table allows ℓ up to 2.7494."),
        (
            r#"{"model": "entropy-l-diversity", "l": 2.8}"#,
            "This table allows ℓ up to 2.7494. More only by suppressing some rows.",
        ),
        // 3 < c · (2 + 1) and 3 < c · 1.
        (r#"{"model": "recursive-cl-diversity", "c": 1.1, "l": 2}"#, "This table allows any c above 1 with ℓ = 2."),
        (
            r#"{"model": "recursive-cl-diversity", "c": 3, "l": 3}"#,
            "This table allows any c above 3 with ℓ = 3. More only by suppressing some rows.",
        ),
        (r#"{"model": "t-closeness", "t": 0}"#, "This table allows any t from 0 on."),
        (
            r#"{"model": "alpha-k", "alpha": 0.4}"#,
            "This table allows any α from 0.5 on. More only by suppressing some rows.",
        ),
        // F(1) = 1/2 > 0.4; all at `*` gives 1/3, 2/3, 1 against 0.4, 0.7, 1.
        (r#"{"model": "tau-l-diversity", "tau": 0.4, "l": 3}"#, "Only by generalizing some of the sensitive values."),
        (
            r#"{"model": "tau-l-diversity", "tau": 0.5, "l": 2}"#,
            "This table allows any τ from 0.5 on with ℓ = 2, its values kept exact.",
        ),
    ] {
        assert_eq!(said(privacy), expected, "{privacy}");
    }
}

#[test]
fn limits_bound_what_is_feasible() {
    // Within the limit 20-39 the four younger rows are one class, the two older another.
    let text = r#"{"throng": 1, "others": "insensitive", "columns": {
        "age": {"role": "quasi", "hierarchy": {"rows": [["21","20-39","*"],["23","20-39","*"],["35","20-39","*"],["38","20-39","*"],
            ["52","40-59","*"],["57","40-59","*"]]}, "limits": ["20-39", "40-59"]},
        "disease": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2}]}"#;
    let engine = Engine::default();
    let opened = open_files(&engine, vec![file("table.csv", TABLE), file("policy.json", text)]).unwrap();
    let sentences: Vec<&str> = opened
        .setup
        .privacy
        .iter()
        .map(|view| match &view.prospect {
            Prospect::Feasible { sentence, .. } | Prospect::Costly { sentence, .. } => sentence.as_str(),
            Prospect::Mistaken(mistake) => panic!("{mistake:?}"),
        })
        .collect();
    assert_eq!(
        sentences,
        [
            "Within the limits, this table allows k up to 2. More only by suppressing at least 2 rows.",
            "Within the limits, this table allows ℓ up to 2."
        ]
    );
}

/// The 14 occupations of the Adult table of 45,222 rows.
const OCCUPATIONS: [u32; 14] = [6020, 6008, 5984, 5540, 5408, 4808, 2970, 2316, 2046, 1480, 1420, 976, 232, 14];

#[test]
fn adult_occupation_allows_entropy_10_5669() {
    let mut table = String::from("age,occupation\n");
    for (occupation, &count) in OCCUPATIONS.iter().enumerate() {
        for row in 0..count {
            let _ = writeln!(table, "{},o{occupation}", 17 + row % 70);
        }
    }
    let text = r#"{"throng": 1, "columns": {"age": {"role": "quasi"}, "occupation": {"role": "sensitive"}},
        "privacy": [{"model": "entropy-l-diversity", "l": 10.5669}, {"model": "entropy-l-diversity", "l": 10.567},
                    {"model": "recursive-cl-diversity", "c": 3, "l": 12}]}"#;
    let engine = Engine::default();
    let opened = open_files(&engine, vec![file("adult.csv", table), file("policy.json", text)]).unwrap();
    let prospects: Vec<&Prospect> = opened.setup.privacy.iter().map(|view| &view.prospect).collect();
    let Prospect::Feasible { sentence, .. } = prospects[0] else { panic!("{prospects:?}") };
    assert_eq!(sentence, "This table allows ℓ up to 10.5669.");
    assert!(matches!(prospects[1], Prospect::Costly { .. }));
    // The paper, section 6: no recursive (3, 12).
    assert!(matches!(prospects[2], Prospect::Costly { .. }));
}

#[test]
fn demands_survive_saving_and_undo() {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", TABLE)]).unwrap();
    edit(&engine, Edit::Roles { columns: vec![3], role: Role::Sensitive }).unwrap();
    let demands = vec![
        Demand::of_rows(2),
        Demand {
            model: ModelDemand::RecursiveCL {
                c: 2.5,
                l: 2,
                dont_care: vec!["flu".into()],
                no_negative: vec!["cold".into()],
                c2: Some(10.0),
            },
            attribute: Some("disease".into()),
            jointly: true,
        },
    ];
    let view = edit(&engine, Edit::Privacy { demands: demands.clone(), typing: false }).unwrap();
    assert_eq!(view.privacy.iter().map(|view| view.demand.clone()).collect::<Vec<_>>(), demands);
    edit(&engine, Edit::SuppressionLimit { limit: 0.25, typing: false }).unwrap();
    assert!(edit(&engine, Edit::SuppressionLimit { limit: 25.0, typing: false }).is_err());
    let text = support::text(&engine, Request::SavePolicy);
    assert!(setup(&engine, Request::Undo).unwrap().suppression_limit == 0.0);
    assert!(setup(&engine, Request::Undo).unwrap().privacy.is_empty());
    let again = setup(&engine, Request::LoadPolicy { text: text.clone() }).unwrap();
    assert_eq!(again.privacy.iter().map(|view| view.demand.clone()).collect::<Vec<_>>(), demands);
    assert_eq!(again.suppression_limit, 0.25);
    assert_eq!(support::text(&engine, Request::SavePolicy), text);
}

#[test]
fn values_are_offered_from_the_data() {
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", TABLE)]).unwrap();
    let values = |contains: &str| match ask(&engine, Request::Values { column: 3, contains: contains.into() }, vec![]) {
        Ok(Response::Values(values)) => values.into_iter().map(|value| (value.value, value.count)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(values(""), [("flu".into(), 3), ("cold".into(), 2), ("cancer".into(), 1)]);
    assert_eq!(values("C"), [("cold".into(), 2), ("cancer".into(), 1)]);
    assert!(values("x").is_empty());
}

#[test]
fn safe_harbor_shows_years_pooled_ages_and_three_digits() {
    let table = "patient name,birth date,age,zip,disease\nAnn,1931-02-03,93,13053,flu\nBob,1990-05-06,34,13068,cold\n\
        Cid,1930-01-01,94,14850,flu\nDot,1985-07-08,39,13053,cold\n";
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", table)]).unwrap();
    let view = edit(&engine, Edit::SafeHarbor).unwrap();
    assert_eq!(view.columns[0].role, Role::Identifier);
    let from = |column: usize| view.columns[column].from_level;
    assert_eq!((from(1), from(2), from(3)), (1, 1, 2));
    let shown = |column: u32, leaf: &str| {
        let tree = support::tree(&engine, column);
        let place = tree.nodes.iter().position(|node| node.label == leaf && node.leaf).unwrap();
        // The nodes are in pre-order: the way up is the last node before of each lesser depth.
        let mut path = vec![&tree.nodes[place]];
        for node in tree.nodes[..place].iter().rev() {
            if node.depth < path.last().unwrap().depth {
                path.push(node);
            }
        }
        let height = tree.nodes.iter().map(|node| node.depth).max().unwrap();
        let deepest = height - view.columns[column as usize].from_level;
        path.into_iter().find(|node| node.depth <= deepest).unwrap().label.clone()
    };
    assert_eq!([shown(1, "1931-02-03"), shown(1, "1990-05-06")], ["1931", "1990"]);
    assert_eq!([shown(2, "93"), shown(2, "94"), shown(2, "39")], ["90+", "90+", "39"]);
    assert_eq!([shown(3, "13053"), shown(3, "14850")], ["130**", "148**"]);
    let text = support::text(&engine, Request::SavePolicy);
    assert!(setup(&engine, Request::Undo).unwrap().columns.iter().all(|column| column.from_level == 0));
    let again = setup(&engine, Request::LoadPolicy { text }).unwrap();
    assert_eq!(again.columns.iter().map(|column| column.from_level).collect::<Vec<_>>(), [0, 1, 1, 2, 0]);
}
