//! Point 4: a key given twice anywhere in a policy is refused, and so it is in a plan.

use super::*;

#[test]
fn a_key_given_twice_is_refused_wherever_it_stands() {
    let folder = Folder::new("twice");
    let age = r#""age": {"role": "quasi"}"#;
    let cases = [
        // The last would win: the name is published.
        (
            r#""name": {"role": "identifier"}"#,
            r#""name": {"role": "identifier"}, "name": {"role": "insensitive"}"#,
            "columns.name",
        ),
        (
            r#""name": {"role": "identifier"}"#,
            r#""name": {"role": "identifier", "role": "insensitive"}"#,
            "columns.name.role",
        ),
        // Escaped, a key is the same.
        (
            r#""name": {"role": "identifier"}"#,
            r#""name": {"role": "identifier"}, "na\u006de": {"role": "insensitive"}"#,
            "columns.name",
        ),
        (r#""role": "identifier""#, r#""role": "identifier", "r\u006fle": "insensitive""#, "columns.name.role"),
        // In an object of an array, and in an object of that.
        (r#""k": 3}"#, r#""k": 3, "k": 1}"#, "privacy[0].k"),
        (
            r#""k": 3}"#,
            r#""k": 3}, {"model": "tau-l-diversity", "attribute": "ill", "tau": 0.5, "l": 2, "weights": {"flu": 1, "flu": 2}}"#,
            "privacy[1].weights.…",
        ),
        (
            age,
            r#""age": {"role": "quasi", "hierarchy": {"recipe": {"mask": {"keep_at_least": 2, "keep_at_least": 0}}}}"#,
            "keep_at_least",
        ),
        // At the top, and where one is null.
        (r#""throng": 1"#, r#""throng": 1, "seed": 1, "seed": 2"#, "seed"),
        (r#""throng": 1"#, r#""throng": 1, "seed": null, "seed": null"#, "seed"),
        (
            r#""throng": 1"#,
            r#""throng": 1, "algorithm": {"name": "lattice", "metric": "loss", "metric": "height"}"#,
            "algorithm.metric",
        ),
        (r#""throng": 1"#, r#""throng": 1, "reading": {"header": true, "header": false}"#, "reading.header"),
        (
            r#""throng": 1"#,
            r#""throng": 1, "accept": [{"finding": "singles-out", "why": "x", "why": "y"}]"#,
            "accept[0].why",
        ),
    ];
    for (once, twice, told) in cases {
        let doubled = policy("").replacen(once, twice, 1);
        assert_ne!(doubled, policy(""), "{twice}");
        let (said, out) = folder.release(plain_table(), &doubled, &[]);
        assert_eq!((said.code, out), (2, None), "{twice}: {}", said.err);
        assert!(said.err.contains("a key stands twice") && said.err.contains(told), "{told}: {}", said.err);
        assert!(!said.err.contains("flu"), "{}", said.err);
        let failure = opened(&plain_table(), &doubled).err().unwrap();
        assert!(failure.what.contains("a key stands twice"), "{failure}");
    }
    // The same key in two objects is none given twice.
    let fine = policy(r#", "diversity": []"#);
    assert_eq!(folder.release(plain_table(), &fine, &[]).0.code, 0);
}

#[test]
fn a_key_given_twice_in_a_plan_is_refused() {
    let folder = Folder::new("twice-plan");
    folder.put("table.csv", plain_table());
    folder.put("policy.json", policy(""));
    let made =
        folder.throng(&["plan", "make", "policy.json", "table.csv", "-o", "plan.json", "--l", "2", "--delta", "0.1"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let plan = folder.read("plan.json").unwrap();
    folder.put("plan.json", plan.replacen("\"warning\"", "\"warn\\u0069ng\": \"\", \"warning\"", 1));
    let said = folder.throng(&["plan", "apply", "plan.json", "table.csv", "-o", "out.csv", "--early"]);
    assert!(said.code == 2 && said.err.contains("a key stands twice: “warning”"), "{}", said.err);
    assert_eq!(folder.read("out.csv"), None);
}
