//! What is decided on findings: in a policy, by an edit, with `--strict`; and what no decision is.

use super::*;

const KEPT: &str = r#", "accept": [{"finding": "singles-out", "column": "note", "why": "It is a lab code."}]"#;

/// One row of a class has a note of its own.
fn singled() -> String {
    let line = |row: usize| format!("{},{}", plain_line(row), if row == 3 { "Zorg" } else { "usual" });
    "name,age,ill,ward,note\n".to_owned() + &rows(line)
}

#[test]
fn an_open_finding_stops_where_the_policy_says_so_and_not_when_accepted() {
    let folder = Folder::new("stop");
    let (table, stop) = (singled(), r#", "findings": "stop""#);
    assert_eq!(folder.release(&table, &policy(""), &[]).0.code, 0);
    for (rest, more) in [(stop, &[][..]), ("", &["--strict"]), (stop, &["--strict"])] {
        let (said, _) = folder.release(&table, &policy(rest), more);
        assert!(said.code == 3 && said.err.contains("1 finding is open: [singles-out] 1 row is the only one"));
        assert!(said.err.contains("\"accept\"") && !said.err.contains("Zorg"), "{}", said.err);
        assert_eq!(folder.throng(&[&["sql", "policy.json", "table.csv"], &[][..]].concat()).code == 3, rest == stop);
        let (said, _) = folder.release(&table, &policy(&format!("{rest}{KEPT}")), more);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.err.contains("Accepted: It is a lab code."), "{}", said.err);
    }
    // A reason for one column is none for another.
    let other = KEPT.replace("note", "ward");
    assert_eq!(folder.release(&table, &policy(&format!("{stop}{other}")), &[]).0.code, 3);
}

#[test]
fn the_report_has_the_reason_and_its_policy_makes_the_release_again() {
    let (engine, view) = opened(&singled(), &policy(r#", "findings": "stop""#)).unwrap();
    ask(&engine, Request::Run, vec![]).unwrap();
    let held = ask(&engine, export(), vec![]).unwrap_err();
    assert_eq!(held.kind, FailureKind::Held, "what is found in the release is known only then");
    let accept = vec![throng::policy::Acceptance {
        finding: throng::policy::FindingKind::SinglesOut,
        column: Some("note".into()),
        why: "It is <b>a lab</b> code.".into(),
    }];
    edit(&engine, Edit::Decisions(Decisions { accept, ..view.decisions })).unwrap();
    // Nothing has to be run again for it.
    let Ok(Response::File(release)) = ask(&engine, export(), vec![]) else { panic!() };
    let html = text(
        &engine,
        Request::Report { audience: Audience::Internal, date: "2026-11-19".into(), written: Written::default() },
    );
    assert!(html.contains("Accepted: It is &lt;b&gt;a lab&lt;/b&gt; code.") && !html.contains("Open: nobody"));
    let saved = text(&engine, Request::SavePolicy);
    let digest = throng::engine::digest(saved.as_bytes());
    assert!(html.contains(&digest), "the digest of the policy as it is saved");
    let folder = Folder::new("again");
    let (said, out) = folder.release(singled(), &saved, &[]);
    assert_eq!((said.code, out.unwrap().into_bytes()), (0, release), "{}", said.err);
}

#[test]
fn what_is_no_decision_is_refused() {
    let cases = [
        (r#"[{"finding": "singles-out", "column": "note", "why": " "}]"#, "accept[0].why is empty"),
        (r#"[{"finding": "nearly-unique", "why": "x"}]"#, "accept[0].column is missing"),
        (r#"[{"finding": "nearly-unique", "column": "Note", "why": "x"}]"#, "“Note”"),
        (
            r#"[{"finding": "singles-out", "why": "x"}, {"finding": "singles-out", "why": "y"}]"#,
            "accept[1] is there twice",
        ),
        (r#"[{"finding": "doubled", "column": "note", "why": "x"}]"#, "unknown variant"),
        (r#"[{"finding": "singles-out", "column": "note"}]"#, "missing field"),
        (r#"[{"finding": "singles-out", "column": "note", "why": "x", "by": "me"}]"#, "unknown field"),
    ];
    for (accept, told) in cases {
        let failure = opened(&singled(), &policy(&format!(r#", "accept": {accept}"#))).err().unwrap();
        assert_eq!(failure.kind, FailureKind::Policy);
        assert!(failure.what.contains(told), "{failure}");
    }
    for rest in [r#", "repairs": "ignore""#, r#", "repairs": true"#, r#", "findings": "go""#] {
        assert_eq!(opened(&singled(), &policy(rest)).err().unwrap().kind, FailureKind::Policy, "{rest}");
    }
    let (engine, view) = opened(&singled(), &policy("")).unwrap();
    let accept = vec![throng::policy::Acceptance {
        finding: throng::policy::FindingKind::NearlyUnique,
        column: None,
        why: "x".into(),
    }];
    edit(&engine, Edit::Decisions(Decisions { accept, ..view.decisions })).unwrap_err();
}

#[test]
fn decisions_are_saved_with_the_policy_and_undone_as_one_step() {
    let (engine, view) = opened(&singled(), &policy("")).unwrap();
    let decisions = Decisions { repairs_accepted: true, stop: true, accept: vec![] };
    let after = edit(&engine, Edit::Decisions(decisions.clone())).unwrap();
    assert_eq!(after.decisions, decisions);
    let saved = text(&engine, Request::SavePolicy);
    assert!(saved.contains(r#""repairs": "accept""#) && saved.contains(r#""findings": "stop""#));
    assert_eq!(opened(&singled(), &saved).unwrap().1.decisions, decisions);
    assert_eq!(setup(&engine, Request::Undo).unwrap().decisions, view.decisions);
    assert_eq!(setup(&engine, Request::Redo).unwrap().decisions, decisions);
}
