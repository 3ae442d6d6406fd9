"""Scripts of `throng sql` on real databases: `./x test sql`.

On the data that a policy was decided on, the script's release has exactly the rows of `throng run`, and its checks find
what the report claims, provided that every value has at least k rows: a script does not name rarer ones. On a table that is larger than the sample, a naive recoding in Python says what must come out.
Releases are audited again by pycanon and by a naive count.

Needs: the runner (THRONG, default target/debug/throng); what of tests/sql/requirements.txt is installed, PostgreSQL and
Java, each said to be skipped when it is not there; for the real tables the data folder (THRONG_DATA, default
../shared/data). THRONG_SQL_ROWS is the size of the large table (default 10,000,000).
"""

import atexit
import csv
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from engines import Engines

ROOT = Path(__file__).resolve().parents[2]
THRONG = os.environ.get("THRONG", str(ROOT / "target/debug/throng"))
DATA = Path(os.environ.get("THRONG_DATA", ROOT / "../shared/data"))
ROWS = int(os.environ.get("THRONG_SQL_ROWS", "10000000"))
ENGINES: Engines

K5 = {"model": "k-anonymity", "k": 5}
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]


def setUpModule():
    global ENGINES
    warnings.filterwarnings("ignore")
    # Whoever stops the tests stops the servers, too. unittest goes on after any other exception.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ENGINES = Engines()
    atexit.register(ENGINES.close)


def throng(*arguments, code=0):
    done = subprocess.run([THRONG, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"throng {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def read(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return header, rows


class Case:
    """A policy and a table in a folder of their own, and what `throng run` makes of them."""

    def __init__(self, header, rows, policy, hierarchies=()):
        self.folder = tempfile.TemporaryDirectory(prefix="throng-sql-")
        self.header, self.table, self.policy = header, list(rows), policy
        folder = Path(self.folder.name)
        self.policy_path, self.data_path = folder / "policy.json", folder / "data.csv"
        self.out, self.report_path = folder / "out.csv", folder / "report.json"
        for name, text in dict(hierarchies).items():
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        self.policy_path.write_text(json.dumps({"throng": 1, **policy}), encoding="utf-8")
        self.write()

    def write(self):
        with open(self.data_path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([self.header, *self.table])

    def rare(self):
        """For each quasi-identifier its place and the values that fewer than k rows have. Both tokens are one value."""
        k = max([demand["k"] for demand in self.policy["privacy"] if demand["model"] == "k-anonymity"], default=2)
        for place in (self.header.index(name) for name in self.names("quasi")):
            counts = Counter("?" if row[place] == "NA" else row[place] for row in self.table)
            rare = {value for value, count in counts.items() if count < k}
            yield place, rare | ({"NA"} if "?" in rare else set())

    def without_rare_values(self):
        """Leaves out the rows that have one, until there is none."""
        while rare := [(place, values) for place, values in self.rare() if values]:
            self.table = [row for row in self.table if not any(row[place] in values for place, values in rare)]
        self.write()
        return self

    def run(self):
        throng("run", self.policy_path, self.data_path, "-o", self.out, "--report", self.report_path, "--no-protect-formulas")
        self.released_header, released = read(self.out)
        self.released = Counter(map(tuple, released))
        self.report = json.loads(self.report_path.read_text())
        return self

    def script(self, dialect, table="data"):
        return throng("sql", self.policy_path, self.data_path, "--dialect", dialect, "--table", table)

    def names(self, role):
        return [name for name in self.header if self.policy["columns"].get(name, {}).get("role") == role]


class Adult:
    """The built-in table like Adult, with cells missing by two tokens."""

    def __init__(self, rows, seed=7):
        text = throng("sample", "adult-like", "--rows", rows, "--seed", seed)
        self.header, *self.rows = csv.reader(text.splitlines())
        dice = random.Random(seed)
        for row in self.rows:
            for name in ("workclass", "occupation"):
                if dice.random() < 0.05:
                    row[self.header.index(name)] = dice.choice(["?", "NA"])
        names = ["age", "education", "marital_status", "race", "sex", "workclass", "native_country"]
        self.hierarchies = {name: throng("sample", "adult-like", "--hierarchy", name) for name in names}

    def policy(self, quasi, privacy, algorithm, **more):
        columns = {name: {"role": "quasi", "hierarchy": {"file": f"{name}.csv"}} for name in quasi}
        columns |= {"occupation": {"role": "sensitive"}, "salary_class": {"role": "sensitive"}}
        return {"columns": columns, "others": "insensitive", "privacy": privacy, "algorithm": algorithm} | more

    def case(self, quasi, privacy, algorithm, **more):
        return Case(self.header, self.rows, self.policy(quasi, privacy, algorithm, **more), self.hierarchies)


def of(attribute, model, **parameters):
    return {"model": model, "attribute": attribute, **parameters}


def expected_checks(case):
    """What the script must say, from the report: (asked, found, holds)."""
    report = case.report
    released = sum(case.released.values())
    checks = [("rows", len(case.table), 1), ("rows released", released, 1), ("rows with unknown values", None, 1)]
    checks.append(("rows suppressed", report["suppressed"], 1))
    demands = iter(report["privacy"])
    for place, demand in enumerate(case.policy["privacy"]):
        about_rows = demand["model"] == "k-anonymity"
        for _ in [None] if about_rows or "attribute" in demand else case.names("sensitive"):
            told = next(demands)
            assert told["model"] == demand["model"]
            column = "" if about_rows else f" of {told['attribute']}"
            checks.append((f"privacy[{place}] {demand['model']}{column}", told["achieved"], 1))
    checks += [(f"diversity[{place}]", told["count"], 1) for place, told in enumerate(report["diversity"])]
    return checks


class SameRelease(unittest.TestCase):
    def same(self, case, null_for=(), slow=True):
        """The script gives the rows of `throng run`, and finds what the report claims, on every engine."""
        case.without_rare_values().run()
        self.assertGreater(sum(case.released.values()), 0)
        checks = expected_checks(case)
        rows = [[None if cell in null_for else cell for cell in row] for row in case.table]
        shown = lambda row: tuple("throng missing" if cell is None or cell in null_for else cell for cell in row)
        expected = Counter()
        for row, count in case.released.items():
            expected[shown(row)] += count
        for engine in ENGINES.each(slow):
            with self.subTest(engine=engine.name):
                started = time.monotonic()
                engine.load("data", case.header, rows)
                found = engine.run(case.script(engine.dialect))
                released = Counter()
                for row, count in engine.rows("release").items():
                    released[shown(row)] += count
                self.assertEqual(released, expected)
                self.assertEqual([row[1] for row in found], [asked for asked, _, _ in checks])
                for row, (asked, value, holds) in zip(found, checks):
                    if value is not None:
                        self.assertAlmostEqual(float(row[2]), value, delta=1e-9 * max(1, abs(value)), msg=asked)
                    self.assertEqual((int(row[3]), int(row[4])), (0, holds), asked)
                print(f"  {engine.name}: {sum(released.values())} rows, {len(checks)} checks, {time.monotonic() - started:.1f} s")

    def test_full_domain(self):
        """Levels, suppression of classes, every model that is told in SQL, missing values, constraints."""
        adult = Adult(4000)
        privacy = [
            K5,
            of("occupation", "distinct-l-diversity", l=3),
            of("occupation", "entropy-l-diversity", l=2.5),
            of("occupation", "recursive-cl-diversity", c=3, l=2),
            of("occupation", "p-sensitive", p=2),
            of("occupation", "t-closeness", t=0.6),
            of("occupation", "alpha-k", alpha=0.6),
            of("salary_class", "alpha-k", alpha=0.99, values=["<=50K"]),
            {"model": "recursive-cl-diversity", "c": 0.5, "l": 1},
        ]
        diversity = ["race=White: ..3999", "race=*: 0..", "sex=Female & salary_class=<=50K: ..4000", "occupation=?: 1.."]
        case = adult.case(
            ["age", "sex", "race", "workclass"],
            privacy,
            {"name": "lattice"},
            suppression_limit=0.2,
            diversity=diversity,
        )
        self.same(case)
        self.assertGreater(case.report["suppressed"], 0)
        self.assertGreater(len(set(case.report["levels"].values())), 1)
        # A database that reads one token as NULL has the same classes.
        self.same(case, null_for=["NA"], slow=False)

    def test_class_map(self):
        adult = Adult(1500, seed=3)
        privacy = [{"model": "k-anonymity", "k": 8}, of("occupation", "distinct-l-diversity", l=2)]
        algorithm = {"name": "mondrian", "refine": False}
        self.same(adult.case(["age", "sex", "race", "education", "workclass"], privacy, algorithm))

    def test_several_sensitive_columns_jointly(self):
        adult = Adult(3000, seed=5)
        privacy = [K5, {"model": "distinct-l-diversity", "l": 2, "jointly": True}]
        case = adult.case(["sex", "race", "age"], privacy, {"name": "lattice"}, suppression_limit=0.9)
        self.same(case)
        self.assertGreater(case.report["suppressed"], 0)

    def test_nasty_names_and_values(self):
        dice = random.Random(11)
        pieces = ["'", '"', "\\", "`", ";", "--", "x", " ", "é", "''", "\\'", "%", "/*", "*/", "\n", "$1", "{q}", "\\n", "''';"]
        word = lambda: "".join(dice.choice(pieces) for _ in range(dice.randint(1, 4)))
        header = [f"{word()}{place}" for place in range(4)]
        # Spaces at the ends are kept; a value of spaces alone may be a missing one.
        values = [sorted({f"{word()}x{place}" for place in range(6)}) for _ in header]
        rows = [[dice.choice(values) for values in values] for _ in range(300)]
        columns = {name: {"role": "quasi"} for name in header[:2]} | {header[2]: {"role": "sensitive"}}
        columns[header[0]]["hierarchy"] = {"rows": [[value, f"{place // 3}'\\\"`", "*"] for place, value in enumerate(values[0])]}
        policy = {
            "columns": columns,
            "others": "insensitive",
            "privacy": [{"model": "k-anonymity", "k": 4}, of(header[2], "alpha-k", alpha=0.9, values=[values[2][0]])],
            "suppression_limit": 0.5,
        }
        for algorithm in ({"name": "lattice"}, {"name": "mondrian", "refine": False}):
            self.same(Case(header, rows, policy | {"algorithm": algorithm}))

    def test_the_papers_records(self):
        """DIVA: a class map of tuples that the table has once each. Those with a value of one row are not in it."""
        header, *rows = csv.reader(throng("sample", "medical-records").splitlines())
        columns = {name: {"role": "quasi"} for name in header[:-1]} | {header[-1]: {"role": "sensitive"}}
        policy = {
            "columns": columns,
            "privacy": [{"model": "k-anonymity", "k": 2}],
            "diversity": ["ETH=Asian: 2..5", "ETH=African: 1..3", "CTY=Vancouver: 2..4"],
            "algorithm": {"name": "diva"},
        }
        case = Case(header, rows, policy)
        throng("run", case.policy_path, case.data_path, "-o", case.out, "--row-numbers", "--no-protect-formulas")
        rare = list(case.rare())
        named = lambda row: not any(row[place] in values for place, values in rare)
        released = [row[1:] for row in read(case.out)[1] if named(rows[int(row[0]) - 1])]
        classes = Counter(tuple(row[:-1]) for row in released)
        expected = Counter(tuple(row) for row in released if classes[tuple(row[:-1])] >= 2)
        self.assertLess(sum(expected.values()), len(rows))
        for engine in ENGINES.each():
            with self.subTest(engine=engine.name):
                engine.load("data", header, rows)
                script = case.script(engine.dialect)
                body = script[script.index("CREATE") : script.index("CREATE TABLE throng_checks")]
                for value in set().union(*(values for _, values in rare)):
                    self.assertNotIn(f"'{value}'", body)
                engine.run(script)
                self.assertEqual(engine.rows("release"), expected)

    def test_real_adult(self):
        folder = DATA / "arx_adult"
        if not folder.exists():
            self.skipTest(f"SKIPPED: {folder} is not there (set THRONG_DATA)")
        header, rows = read(folder / "adult.csv", ";")
        names = QUASI
        hierarchies = {name: (folder / f"adult_hierarchy_{name}.csv").read_text() for name in names}
        columns = {name: {"role": "quasi", "hierarchy": {"file": f"{name}.csv"}} for name in names}
        columns |= {"occupation": {"role": "sensitive"}}
        diversity = ["sex=Female: 0..", "race=White & sex=Male: ..30162", "marital-status=spouse present: 0..", "salary-class=>50K: 5000.."]
        # The values of docs/spec.md §12: rows suppressed.
        fixtures = [
            (K5, 85),
            (of("occupation", "distinct-l-diversity", l=5), 162),
            (of("occupation", "entropy-l-diversity", l=4), 164),
            (of("occupation", "recursive-cl-diversity", c=3, l=4), 30),
        ]
        for demands, suppressed in [([demand], rows) for demand, rows in fixtures] + [([demand for demand, _ in fixtures], None)]:
            policy = {
                "columns": columns,
                "others": "insensitive",
                "privacy": demands,
                "suppression_limit": 0.04,
                "diversity": diversity,
                "algorithm": {"name": "lattice"},
            }
            case = Case(header, rows, policy, hierarchies)
            if suppressed is not None:
                self.assertEqual(case.run().report["suppressed"], suppressed)
            self.same(case, slow=suppressed is None)


class Refusals(unittest.TestCase):
    def test_what_sql_can_not_say(self):
        adult = Adult(1000, seed=2)
        # Many rows of few tuples: k-member cuts through rows that look alike.
        split = adult.case(["sex", "race"], [K5], {"name": "k-member"})
        told = throng("sql", split.policy_path, split.data_path, code=2)
        self.assertIn("were released differently", told)
        privacy = [K5, of("salary_class", "entropy-l-diversity", l=1.1, dont_care=["<=50K"])]
        adjusted = adult.case(["sex"], privacy, {"name": "lattice"}, suppression_limit=0.5)
        told = throng("sql", adjusted.policy_path, adjusted.data_path, code=2)
        self.assertIn("privacy[1] (entropy-l-diversity of this kind) is not told in SQL", told)
        # What has no release has no script either.
        none = adult.case(["age", "sex"], [of("occupation", "recursive-cl-diversity", c=0.01, l=2)], {"name": "lattice"})
        throng("sql", none.policy_path, none.data_path, code=3)


class Constraints(unittest.TestCase):
    """The SQL that `throng constraints` prints counts as the engine does."""

    def counted(self, case):
        views = json.loads(throng("constraints", case.policy_path, case.data_path, "--json"))
        today = [line["constraint"]["today"] for line in views["lines"]]
        after = [told["count"] for told in case.report["diversity"]]
        for engine in ENGINES.each():
            sql = views["sql" if engine.dialect == "standard" else "spark_sql"]
            for header, rows, counts in [
                (case.header, case.table, today),
                (case.released_header, [list(row) for row in case.released.elements()], after),
            ]:
                with self.subTest(engine=engine.name, rows=len(rows)):
                    engine = ENGINES.one(engine.name)
                    engine.load("release", header, rows)
                    self.assertEqual([int(row[1]) for row in engine.run(sql)], counts)

    def test_generated(self):
        adult = Adult(3000)
        lines = ["sex=Female & race=Black: 1..", "occupation=?: 1..", "salary_class=<=50K: 100..", "age=*: ..3000"]
        case = adult.case(["age", "sex", "race"], [K5], {"name": "mondrian"}, diversity=lines)
        self.counted(case.run())

    def test_real_adult(self):
        path = DATA / "adult_45222.csv"
        if not path.exists():
            self.skipTest(f"SKIPPED: {path} is not there (set THRONG_DATA)")
        header, rows = read(path)
        names = {"age": "age", "sex": "sex", "race": "race", "marital_status": "marital-status"}
        hierarchies = {name: (DATA / f"arx_adult/adult_hierarchy_{of}.csv").read_text() for name, of in names.items()}
        columns = {name: {"role": "quasi", "hierarchy": {"file": f"{name}.csv"}} for name in names}
        policy = {
            "columns": columns | {"occupation": {"role": "sensitive"}},
            "others": "insensitive",
            "privacy": [K5],
            "suppression_limit": 0.04,
            "diversity": ["sex=Female & race=Black: 0..", "race=White: 0..", "age=20-39: 0..", "salary_class=>50K & sex=Male: 0..", "occupation=Sales: 100.."],
        }
        self.counted(Case(header, rows, policy, hierarchies).run())


class LargerTable(unittest.TestCase):
    """What was decided on a sample runs on a table with values and tuples that the sample lacks."""

    def naive(self, case, rows, maps, k):
        """The classes of the whole table with at least k rows, recoded value by value; and the rows unknown to it."""
        quasi = [case.header.index(name) for name in case.names("quasi")]
        recoded, unknown = defaultdict(list), 0
        for row in rows:
            labels = maps(tuple(row[place] for place in quasi))
            if labels is None:
                unknown += 1
                continue
            shown = list(row)
            for place, label in zip(quasi, labels):
                shown[place] = label
            recoded[labels].append(tuple(shown))
        kept = [row for group in recoded.values() if len(group) >= k for row in group]
        return Counter(kept), unknown

    def compare(self, case, rows, maps, k=5):
        expected, unknown = self.naive(case, rows, maps, k)
        for engine in ENGINES.each():
            with self.subTest(engine=engine.name):
                engine.load("people", case.header, rows)
                found = {row[1]: row for row in engine.run(case.script(engine.dialect, "people"))}
                self.assertEqual(engine.rows("release"), expected)
                self.assertEqual(float(found["rows with unknown values"][2]), unknown)
                suppressed = len(rows) - sum(expected.values())
                self.assertEqual(float(found["rows suppressed"][2]), suppressed)
                self.assertEqual(int(found["rows suppressed"][4]), int(suppressed <= 0.1 * len(rows)))
                self.assertEqual(int(found["privacy[0] k-anonymity"][4]), 1)

    def test_full_domain_covers_every_value(self):
        """Values that the sample has not, or of fewer than k rows, show the top of the hierarchy."""
        dice = random.Random(4)
        ages = [str(dice.randint(20, 59)) for _ in range(2000)]
        rows = [[age, dice.choice("abc"), dice.choice("xyz")] for age in ages]
        # Ages above 59 are in the hierarchy alone; 70 is nowhere, nor is town d. Town e has four rows of the sample.
        rows += [["30", "e", "x"]] * 4
        hierarchy = "\n".join(f"{age};{age // 10}0s;*" for age in range(20, 70)) + "\n"
        columns = {"age": {"role": "quasi", "hierarchy": {"file": "age.csv"}}, "town": {"role": "quasi"}}
        columns["illness"] = {"role": "sensitive"}
        policy = {"columns": columns, "privacy": [K5], "suppression_limit": 0.1, "algorithm": {"name": "lattice"}}
        label = lambda value, known: value if value in known else "*"
        case = Case(["age", "town", "illness"], rows, policy, {"age": hierarchy}).run()
        self.assertEqual(case.report["levels"], {"age": 0, "town": 0})
        more = rows + [["65", "a", "x"]] * 9 + [["66", "b", "x"]] * 2 + [["70", "a", "x"]] * 7 + [["30", "d", "x"]] * 7
        known = {str(age) for age in range(20, 60)}
        self.compare(case, more, lambda q: (label(q[0], known), label(q[1], "abc")))
        # On the top level every value is covered.
        case.policy["privacy"] = [{"model": "k-anonymity", "k": 600}]
        coarse = Case(case.header, rows, case.policy, {"age": hierarchy}).run()
        self.assertEqual(coarse.report["levels"], {"age": 2, "town": 0})
        self.compare(coarse, more, lambda q: ("*", label(q[1], "abc")), k=600)

    def test_class_map_leaves_out_other_tuples(self):
        adult = Adult(1000, seed=9)
        sample = adult.case(["age", "sex", "race"], [K5], {"name": "mondrian", "refine": False}, suppression_limit=0.1)
        throng("run", sample.policy_path, sample.data_path, "-o", sample.out, "--row-numbers", "--no-protect-formulas")
        header, released = read(sample.out)
        quasi = [header.index(name) for name in sample.names("quasi")]
        before = [sample.header.index(name) for name in sample.names("quasi")]
        maps = {}
        for row in released:
            original = sample.table[int(row[0]) - 1]
            maps[tuple(original[place] for place in before)] = tuple(row[place] for place in quasi)
        # Nor are tuples named that have a rare value.
        for place, (_, values) in enumerate(sample.rare()):
            maps = {tuple_: shown for tuple_, shown in maps.items() if tuple_[place] not in values}
        self.assertLess(len(maps), len({tuple(row[place] for place in before) for row in sample.table}))
        self.compare(sample, sample.table + Adult(1000, seed=10).rows, maps.get)


class Audited(unittest.TestCase):
    """Others find the k and the distinct ℓ that are claimed."""

    def test_pycanon_and_a_naive_count(self):
        adult = Adult(3000, seed=13)
        cases = [
            adult.case(["age", "sex", "race", "workclass"], [K5, of("occupation", "distinct-l-diversity", l=3)], {"name": name})
            for name in ("lattice", "mondrian", "k-member")
        ]
        if (DATA / "adult_45222.csv").exists():
            header, rows = read(DATA / "adult_45222.csv")
            columns = {name: {"role": "quasi"} for name in ("sex", "race", "age", "workclass")} | {"occupation": {"role": "sensitive"}}
            policy = {"columns": columns, "others": "insensitive", "privacy": [K5], "suppression_limit": 0.04}
            cases.append(Case(header, rows, policy | {"algorithm": {"name": "lattice"}}))
        else:
            print(f"SKIPPED: no release of the real Adult is audited: {DATA} is not there (set THRONG_DATA)")
        try:
            import pandas
            from pycanon import anonymity
        except ImportError:
            anonymity = None
            print("SKIPPED: pycanon is not installed; only the naive count audits")
        for case in cases:
            case.run()
            quasi = case.names("quasi")
            audit = json.loads(throng("check", case.policy_path, case.out, "--json"))
            claimed = audit["k"], audit["sensitive"]["occupation"]["distinct_l"]
            places = [case.released_header.index(name) for name in quasi]
            sensitive = case.released_header.index("occupation")
            classes = defaultdict(list)
            for row in case.released.elements():
                # Both tokens are one missing value.
                classes[tuple(row[place] for place in places)].append(row[sensitive].replace("NA", "?"))
            naive = min(map(len, classes.values())), min(len(set(values)) for values in classes.values())
            self.assertEqual(claimed, naive)
            self.assertEqual(claimed[0], min(told["achieved"] for told in case.report["privacy"] if told["model"] == "k-anonymity"))
            if anonymity:
                # Texts alone: pycanon would drop rows whose cells it takes for missing.
                frame = pandas.DataFrame(list(case.released.elements()), columns=case.released_header)
                frame["occupation"] = frame["occupation"].replace("NA", "?")
                theirs = anonymity.k_anonymity(frame, quasi), anonymity.l_diversity(frame, quasi, ["occupation"])
                self.assertEqual(claimed, tuple(map(int, theirs)))


class Large(unittest.TestCase):
    """A table that no browser holds, made by the engine itself."""

    def table(self, ids, kind):
        """Whole numbers only, so that all engines make the same rows: x is a step of a random-number generator."""
        return f"""SELECT CAST(17 + x % 61 % 53 + x % 7 AS {kind}) AS age,
            CASE WHEN x % 5 < 3 THEN 'Male' ELSE 'Female' END AS sex,
            CAST(10000 + 137 * (x % 83 % 71) AS {kind}) AS zip,
            CASE x % 11 % 7 WHEN 0 THEN 'flu' WHEN 1 THEN 'cancer' WHEN 2 THEN 'ulcer' WHEN 3 THEN 'asthma'
            WHEN 4 THEN 'angina' ELSE 'none' END AS illness, id AS ward
            FROM (SELECT id, (id * 1103515245 + 12345) % 2147483647 AS x FROM {ids}) i"""

    def test_ten_million_rows(self):
        duckdb, spark = ENGINES.one("DuckDB"), ENGINES.one("Spark")
        if duckdb is None:
            self.skipTest("SKIPPED: the large table needs DuckDB")
        # The sample: each 500th row.
        every = max(1, ROWS // 20000)
        made = self.table(f"(SELECT range AS id FROM range(0, {ROWS})) g", "VARCHAR")
        sample = duckdb.connection.execute(f"SELECT * FROM ({made}) t WHERE ward % {every} = 0").fetchall()
        rows = [[str(cell) for cell in row] for row in sample]
        ages = "\n".join(f"{age};{age // 5 * 5}-{age // 5 * 5 + 4};{age // 10}0s;*" for age in range(17, 80)) + "\n"
        zips = "\n".join(f"{z};{str(z)[:3]}**;{str(z)[:2]}***;*" for z in (10000 + 137 * step for step in range(83))) + "\n"
        policy = {
            "columns": {
                "age": {"role": "quasi", "hierarchy": {"file": "age.csv"}},
                "sex": {"role": "quasi"},
                "zip": {"role": "quasi", "hierarchy": {"file": "zip.csv"}},
                "illness": {"role": "sensitive"},
                "ward": {"role": "identifier"},
            },
            "privacy": [{"model": "k-anonymity", "k": 20}, of("illness", "entropy-l-diversity", l=2)],
            "suppression_limit": 0.05,
            "diversity": ["sex=Female: 1000.."],
        }
        case = Case(["age", "sex", "zip", "illness", "ward"], rows, policy, {"age": ages, "zip": zips}).run()
        print(f"  decided on {len(rows)} rows: levels {case.report['levels']}")
        found = {}
        for engine in filter(None, (duckdb, spark)):
            started = time.monotonic()
            if engine is duckdb:
                engine.connection.execute(f"CREATE TABLE data AS {made}")
            else:
                engine.compile(True)
                made = self.table(f"range(0, {ROWS})", "STRING")
                engine.session.sql(f"CREATE TEMPORARY VIEW data AS {made}")
            loaded = time.monotonic()
            found[engine.name] = engine.run(case.script(engine.dialect))
            print(f"  {engine.name}: {ROWS} rows made in {loaded - started:.1f} s, recoded and checked in {time.monotonic() - loaded:.1f} s")
            checks = {row[1]: row for row in found[engine.name]}
            self.assertEqual(float(checks["rows"][2]), ROWS)
            self.assertTrue(all(int(row[4]) == 1 for row in checks.values()), checks)
            self.assertGreaterEqual(float(checks["rows released"][2]), 0.95 * ROWS)
            self.assertGreaterEqual(float(checks["privacy[0] k-anonymity"][2]), 20)
            # The release, counted by other means than the script's own.
            count = "SELECT COUNT(*), MIN(n) FROM (SELECT COUNT(*) AS n FROM release GROUP BY age, sex, zip) c"
            (_, smallest), = engine.connection.execute(count).fetchall() if engine is duckdb else engine.session.sql(count).collect()
            self.assertEqual(float(checks["privacy[0] k-anonymity"][2]), smallest)
        if len(found) == 2:
            for one, other in zip(found["DuckDB"], found["Spark"]):
                self.assertEqual((one[1], one[3:]), (other[1], other[3:]))
                self.assertAlmostEqual(float(one[2]), float(other[2]), delta=1e-9 * max(1, float(one[2])))


if __name__ == "__main__":
    unittest.main(verbosity=2)
