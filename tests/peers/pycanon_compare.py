"""Throng's audit beside PyPI's pycanon, on real data: `./x peers`.

k, distinct l and t-closeness (equal) must agree exactly, on several sets of quasi-identifiers and sensitive columns.
Where the two differ, the difference is shown on a table small enough to check by hand, and said who is right:
- entropy l: pycanon truncates to whole numbers after rounding (a uniform class of 10 values gives 9);
- recursive (c,l): pycanon sorts counts the wrong way round (9 : 1 gives c = 1; the definition gives c > 9);
- missing quasi-identifiers: pycanon drops their rows without a word.

Needs: the runner (THRONG, default target/release/throng), the data folder (THRONG_DATA, default ../shared/data), pycanon.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pandas
from pycanon import anonymity

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parents[2]
THRONG = os.environ.get("THRONG", str(ROOT / "target/release/throng"))
DATA = Path(os.environ.get("THRONG_DATA", ROOT / "../shared/data"))
CASES = [
    (["sex"], "occupation"),
    (["sex", "race"], "occupation"),
    (["sex", "race", "marital_status"], "salary_class"),
    (["age", "sex"], "occupation"),
    (["education", "workclass", "sex"], "marital_status"),
    (["age", "sex", "race", "education", "native_country"], "occupation"),
    (["workclass", "relationship"], "education"),
]


def check(table: Path, quasi: list[str], sensitive: str) -> dict:
    """What `throng check` says of a table."""
    columns = {name: {"role": "quasi"} for name in quasi} | {sensitive: {"role": "sensitive"}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as policy:
        json.dump({"throng": 1, "columns": columns, "others": "insensitive"}, policy)
        policy.flush()
        done = subprocess.run([THRONG, "check", policy.name, str(table), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def small(rows: list[str]) -> Path:
    path = Path(tempfile.mkdtemp()) / "small.csv"
    path.write_text("q,s\n" + "\n".join(rows) + "\n")
    return path


def compare() -> int:
    table = DATA / "adult_45222.csv"
    if not table.exists():
        print(f"skipped: {table} is not there (set THRONG_DATA)")
        return 0
    frame = pandas.read_csv(table, dtype=str)
    wrong = 0
    for quasi, sensitive in CASES:
        ours = check(table, quasi, sensitive)
        mine = ours["sensitive"][sensitive]
        theirs = (
            anonymity.k_anonymity(frame, quasi),
            anonymity.l_diversity(frame, quasi, [sensitive]),
            anonymity.t_closeness(frame, quasi, [sensitive]),
        )
        same = ours["k"] == theirs[0] and mine["distinct_l"] == theirs[1] and abs(mine["t_equal"] - theirs[2]) < 1e-9
        wrong += not same
        print(
            f"{'same ' if same else 'DIFFERS'}  {', '.join(quasi)} -> {sensitive}: "
            f"k {ours['k']} / {theirs[0]}, distinct l {mine['distinct_l']} / {theirs[1]}, "
            f"t {mine['t_equal']:.9f} / {theirs[2]:.9f}"
        )
    return wrong


def differences() -> int:
    wrong = 0

    def show(what: str, ours: object, theirs: object, right: object) -> None:
        nonlocal wrong
        wrong += ours != right
        print(f"{what}: throng {ours}, pycanon {theirs}; right is {right}")

    uniform = small([f"a,v{number}" for number in range(10)])
    frame = pandas.read_csv(uniform, dtype=str)
    show(
        "entropy l of ten values, once each",
        round(check(uniform, ["q"], "s")["sensitive"]["s"]["entropy_l"], 9),
        anonymity.entropy_l_diversity(frame, ["q"], ["s"]),
        10.0,
    )
    skewed = small(["a,x"] * 9 + ["a,y"])
    frame = pandas.read_csv(skewed, dtype=str)
    show(
        "recursive, l = 2: what c must exceed for nine x and one y",
        check(skewed, ["q"], "s")["sensitive"]["s"]["recursive_c"]["2"],
        anonymity.recursive_c_l_diversity(frame, ["q"], ["s"])[0],
        9.0,
    )
    missing = small(["a,x", "a,y", ",x"])
    frame = pandas.read_csv(missing, dtype=str)
    show(
        "k of two rows `a` and one whose quasi-identifier is missing",
        check(missing, ["q"], "s")["k"],
        anonymity.k_anonymity(frame, ["q"]),
        1,
    )
    return wrong


if __name__ == "__main__":
    sys.exit(1 if compare() + differences() else 0)
