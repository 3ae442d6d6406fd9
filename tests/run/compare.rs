//! Variants of a policy, and `throng compare` against one `throng run` for each of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use throng::compare::{Axis, measures, variants};
use throng::engine::Engine;
use throng::policy::{Algorithm, Demand, PolicyFile};
use throng::protocol::Request;

use crate::support::{ask, file, open_files};
use crate::{TABLE, policy};

#[test]
fn steps_are_what_was_meant_or_refused() {
    assert_eq!(Axis::K.values(2.0, 50.0, 4.0).unwrap().len(), 13);
    assert_eq!(Axis::L.values(2.0, 2.0, 1.0).unwrap(), [2.0]);
    assert_eq!(Axis::Tau.values(0.1, 0.7, 0.1).unwrap(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    // The end is met only if a step leads there.
    assert_eq!(Axis::K.values(2.0, 7.0, 2.0).unwrap(), [2.0, 4.0, 6.0]);
    for (axis, (from, to, by)) in [
        (Axis::K, (5.0, 2.0, 1.0)),
        (Axis::K, (0.0, 2.0, 1.0)),
        (Axis::K, (2.0, 5.0, 0.5)),
        (Axis::K, (2.0, 5.0, 0.0)),
        (Axis::K, (2.0, 5.0, -1.0)),
        (Axis::K, (f64::NAN, 5.0, 1.0)),
        (Axis::K, (2.0, f64::INFINITY, 1.0)),
        (Axis::K, (2.0, 1000.0, 1.0)),
        (Axis::Tau, (0.5, 1.5, 0.1)),
        (Axis::SuppressionLimit, (-0.1, 0.5, 0.1)),
    ] {
        assert!(axis.values(from, to, by).is_err(), "{axis:?} {from} {to} {by}");
    }
}

#[test]
fn a_variant_differs_in_its_algorithm_and_its_number_alone() {
    let text = policy(
        r#""privacy": [{"model": "k-anonymity", "k": 2}, {"model": "entropy-l-diversity", "l": 1.5},
            {"model": "tau-l-diversity", "tau": 0.9, "l": 2}], "suppression_limit": 0.25, "seed": 3"#,
    );
    let engine = Engine::default();
    open_files(&engine, vec![file("table.csv", TABLE), file("policy.json", text)]).unwrap();
    let saved = || crate::support::text(&engine, Request::SavePolicy);
    let base_text = saved();
    let base = PolicyFile::parse(&base_text).unwrap();
    let demands: Vec<Demand> =
        base.privacy.iter().enumerate().map(|(place, value)| Demand::parse(value, place).unwrap()).collect();
    assert!(Axis::ALL.iter().all(|axis| axis.applies(&demands)));
    let number = |policy: &PolicyFile, axis: Axis| match axis {
        Axis::K => policy.privacy[0]["k"].clone(),
        Axis::L => policy.privacy[2]["l"].clone(),
        Axis::Tau => policy.privacy[2]["tau"].clone(),
        Axis::SuppressionLimit => policy.suppression_limit.into(),
    };
    for axis in Axis::ALL {
        let values = if axis.whole() { [3.0, 4.0] } else { [0.25, 0.5] };
        let made = variants(&Algorithm::all(), Some((axis, &values)));
        assert_eq!(made.len(), 16);
        for variant in made {
            ask(&engine, Request::LoadPolicy { text: base_text.clone() }, vec![]).unwrap();
            ask(&engine, Request::Vary(variant.clone()), vec![]).unwrap();
            let mut policy = PolicyFile::parse(&saved()).unwrap();
            let algorithm = policy.algorithm.as_ref().map_or(Ok(Algorithm::default()), Algorithm::parse);
            assert_eq!(algorithm, Ok(variant.algorithm));
            assert_eq!(number(&policy, axis).as_f64(), variant.at.map(|(_, value)| value));
            policy.algorithm = None;
            policy.suppression_limit = base.suppression_limit;
            for (demand, before) in policy.privacy.iter_mut().zip(&base.privacy) {
                for key in ["k", "l", "tau"].iter().filter(|key| axis.name() == **key) {
                    if let Some(value) = before.get(key) {
                        demand[*key] = value.clone();
                    }
                }
            }
            assert_eq!(policy, base);
        }
    }
    assert!(!Axis::K.applies(&[]) && !Axis::L.applies(&[]) && !Axis::Tau.applies(&[]));
    assert!(!Axis::Tau.applies(&demands[..2]) && !Axis::L.applies(&demands[..1]));
}

fn throng(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn compare_prints_what_each_run_reports() {
    let folder = folder("compare");
    let at = |name: &str| folder.join(name).display().to_string();
    let (data, out, report) = (at("table.csv"), at("out.csv"), at("report.json"));
    std::fs::write(&data, TABLE).unwrap();
    let demands = |k: u64| {
        format!(
            r#""privacy": [{{"model": "k-anonymity", "k": {k}}}, {{"model": "distinct-l-diversity", "l": 2}}], "suppression_limit": 0.25"#
        )
    };
    let rules = at("policy.json");
    std::fs::write(&rules, policy(&demands(2))).unwrap();
    let (code, table, error) =
        throng(&["compare", &rules, &data, "--sweep", "k=2..9:1", "--algorithms", "lattice,k-member,mondrian"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().unwrap().clone();
    assert_eq!(heads.iter().take(3).collect::<Vec<_>>(), ["run", "k", "rows"]);
    assert_eq!(heads.len(), 3 + measures().count() + 1);
    let (mut released, mut refused) = (0, 0);
    for (place, line) in reader.records().enumerate() {
        let line = line.unwrap();
        let (name, k) = (["lattice", "k-member", "mondrian"][place / 8], place as u64 % 8 + 2);
        assert_eq!((&line[0], &line[1]), (name, k.to_string().as_str()));
        let own = policy(&format!(r#"{}, "algorithm": {{"name": "{name}"}}"#, demands(k)));
        let one = at("one.json");
        std::fs::write(&one, own).unwrap();
        let (code, ..) = throng(&["run", &one, &data, "-o", &out, "--report", &report]);
        let why_not = &line[line.len() - 1];
        if code != Some(0) {
            assert!(!why_not.is_empty() && line[2].is_empty());
            refused += 1;
            continue;
        }
        released += 1;
        assert_eq!(why_not, "");
        let told: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        let figure = |name: &str| {
            let place = heads.iter().position(|head| head == name).unwrap();
            line[place].parse::<f64>().unwrap()
        };
        assert_eq!(figure("rows"), told["rows"].as_f64().unwrap());
        assert_eq!(figure("suppressed"), told["suppressed"].as_f64().unwrap());
        assert_eq!(figure("classes"), told["classes"].as_f64().unwrap());
        for name in ["loss", "discernibility", "ncp", "utility", "kl_divergence", "stars", "information_loss"] {
            assert_eq!(figure(name), told["metrics"][name].as_f64().unwrap(), "{name}");
        }
        assert_eq!(figure("average_risk"), figure("classes") / figure("rows"));
        let smallest = told["privacy"][0]["achieved"].as_f64().unwrap();
        assert_eq!(figure("highest_risk"), 1.0 / smallest);
        assert_eq!(figure("smallest_class"), smallest);
    }
    assert!(released > 0 && refused > 0 && released + refused == 24, "{released} {refused}");
}

#[test]
fn without_a_sweep_every_algorithm_has_a_line_and_mistakes_are_told() {
    let folder = folder("compare-all");
    let at = |name: &str| folder.join(name).display().to_string();
    let (data, rules) = (at("table.csv"), at("policy.json"));
    std::fs::write(&data, TABLE).unwrap();
    std::fs::write(&rules, policy(r#""privacy": [{"model": "k-anonymity", "k": 2}]"#)).unwrap();
    let (code, table, _) = throng(&["compare", &rules, &data]);
    assert_eq!(code, Some(0));
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, Algorithm::all().map(|algorithm| algorithm.name()));
    for sweep in ["k", "k=2", "k=2..x", "m=2..4", "tau=0.1..0.5", "k=9..2", "k=2..3:0"] {
        let (code, out, error) = throng(&["compare", &rules, &data, "--sweep", sweep]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{sweep}");
        assert!(error.starts_with("throng: "), "{error}");
    }
    assert_eq!(throng(&["compare", &rules, &data, "--algorithms", "magic"]).0, Some(2));
}
