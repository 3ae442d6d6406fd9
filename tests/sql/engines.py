"""The databases that scripts are run on: one class each, all with the same four methods.

load(name, header, rows)   makes a table of text columns; None is NULL
run(script)                runs a whole script and gives the rows of its last statement, as texts
rows(table)                the rows of a table as a Counter of tuples of texts; None is NULL
close()
Every engine has a fresh database of its own, so that nothing is left behind.
"""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


def standard(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Skipped(Exception):
    """Why an engine is not there."""


def statements(script: str, escapes: bool) -> list[str]:
    """The statements of a script: apart by semicolons outside quotes and comments."""
    found, start, at = [], 0, 0
    while at < len(script):
        character = script[at]
        if script.startswith("--", at):
            at = script.index("\n", at)
        elif character in "'\"`":
            at += 1
            while script[at] != character:
                at += 2 if escapes and script[at] == "\\" else 1
        elif character == ";":
            found.append(script[start:at])
            start = at + 1
        at += 1
    assert script[start:].strip() == "", "a script ends with a semicolon"
    return found


def text(cell) -> str | None:
    return cell if cell is None or isinstance(cell, str) else str(cell)


class Connected:
    """What SQLite and DuckDB share: Python's database interface."""

    dialect = "standard"

    def load(self, name, header, rows):
        columns = ", ".join(f"{standard(column)} VARCHAR" for column in header)
        self.connection.execute(f"CREATE TABLE {standard(name)} ({columns})")
        self.insert(name, header, rows)

    def insert(self, name, header, rows):
        marks = ", ".join("?" for _ in header)
        self.connection.executemany(f"INSERT INTO {standard(name)} VALUES ({marks})", rows)

    def run(self, script):
        last = []
        for statement in statements(script, escapes=False):
            last = self.connection.execute(statement).fetchall()
        return [[text(cell) for cell in row] for row in last]

    def rows(self, table):
        found = self.connection.execute(f"SELECT * FROM {standard(table)}").fetchall()
        return Counter(tuple(text(cell) for cell in row) for row in found)

    def close(self):
        self.connection.close()


class SQLite(Connected):
    name = "SQLite"

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        functions = {row[0] for row in self.connection.execute("SELECT name FROM pragma_function_list")}
        if not {"ln", "exp"} <= functions:
            raise Skipped("Python's SQLite has no ln and exp")


class DuckDB(Connected):
    name = "DuckDB"

    def __init__(self):
        try:
            import duckdb
        except ImportError:
            raise Skipped("the module duckdb is not installed") from None
        self.connection = duckdb.connect(":memory:")

    def insert(self, name, header, rows):
        import pandas

        # Row by row is slow.
        frame = pandas.DataFrame(rows, columns=header, dtype=object)
        self.connection.register("throng_rows", frame)
        self.connection.execute(f"INSERT INTO {standard(name)} SELECT * FROM throng_rows")
        self.connection.unregister("throng_rows")


class PostgreSQL:
    """A server of its own, in a folder of its own, on a socket there: it listens to nobody else."""

    name = "PostgreSQL"
    dialect = "standard"

    def __init__(self):
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not programs:
            raise Skipped("PostgreSQL is not installed (apt-get install postgresql needs root)")
        self.programs = programs[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="throng-pg-"))
        # PostgreSQL refuses to be run by root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder / "data"
        self.call("initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "throng", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_wal_size=4GB"
        self.call("pg_ctl", "-D", data, "-o", options, "-l", self.folder / "log", "-w", "start")
        self.databases = 0
        self.fresh()

    def call(self, program, *arguments):
        command = [*self.user, str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr or done.stdout}")

    def fresh(self):
        self.databases += 1
        self.database = "postgres"
        self.psql(f"CREATE DATABASE throng{self.databases}")
        self.database = f"throng{self.databases}"

    def psql(self, script, *more):
        command = [str(self.programs / "psql"), "-h", str(self.folder), "-U", "throng", "-d", self.database]
        command += ["-X", "-q", "--csv", "-v", "ON_ERROR_STOP=1", *more]
        done = subprocess.run(command, input=script.encode(), capture_output=True, cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode()[:2000])
        return done.stdout.decode()

    def load(self, name, header, rows):
        columns = ", ".join(f"{standard(column)} VARCHAR" for column in header)
        written = io.StringIO()
        for row in rows:
            # COPY's CSV: what is quoted is text, a bare nothing is NULL.
            cells = ("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row)
            written.write(",".join(cells) + "\n")
        self.psql(f"CREATE TABLE {standard(name)} ({columns});\n")
        self.psql(f"COPY {standard(name)} FROM STDIN WITH (FORMAT csv);\n{written.getvalue()}\\.\n")

    def run(self, script):
        return [[cell or None for cell in row] for row in list(csv.reader(io.StringIO(self.psql(script))))[1:]]

    def rows(self, table):
        copied = self.psql(f"COPY (SELECT * FROM {standard(table)}) TO STDOUT WITH (FORMAT csv, NULL 'throng NULL');\n")
        rows = csv.reader(io.StringIO(copied, newline=""))
        return Counter(tuple(None if cell == "throng NULL" else cell for cell in row) for row in rows)

    def close(self):
        self.call("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Spark:
    """Spark in local mode, with its tables in a temporary folder."""

    name = "Spark"
    dialect = "spark"

    def __init__(self):
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise Skipped("the module pyspark is not installed") from None
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            raise Skipped("Java is not installed (apt-get install openjdk-17-jre-headless needs root)")
        self.folder = Path(tempfile.mkdtemp(prefix="throng-spark-"))
        # Nothing looks for a network: the driver talks to itself.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.memory": os.environ.get("THRONG_SPARK_MEMORY", "3g"),
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": str(self.folder / "local"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.master("local[2]").appName("throng")
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def compile(self, queries):
        """Whether queries are compiled before they run, which pays for large tables only."""
        self.session.conf.set("spark.sql.codegen.wholeStage", str(queries).lower())

    def fresh(self):
        self.compile(False)
        for table in self.session.catalog.listTables():
            self.session.sql(f"DROP {'VIEW' if table.isTemporary else 'TABLE'} `{table.name}`")

    def load(self, name, header, rows):
        from pyspark.sql.types import StringType, StructField, StructType

        schema = StructType([StructField(column, StringType()) for column in header])
        # Lines of JSON keep every character, and NULL; rows from Python would need a second Python.
        path = Path(tempfile.mkdtemp(dir=self.folder)) / "rows.json"
        path.write_text("".join(json.dumps(dict(zip(header, row))) + "\n" for row in rows))
        self.session.read.schema(schema).json(str(path)).createOrReplaceTempView(name)

    def run(self, script):
        last = []
        for statement in statements(script, escapes=True):
            last = self.session.sql(statement).collect()
        return [[text(cell) for cell in row] for row in last]

    def rows(self, table):
        return Counter(tuple(text(cell) for cell in row) for row in self.session.sql(f"SELECT * FROM `{table}`").collect())

    def close(self):
        self.session.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Engines:
    """All engines there are. The slow ones are started once."""

    def __init__(self):
        self.started = {}
        self.missing = {}
        wanted = os.environ.get("THRONG_SQL_ENGINES", "SQLite,DuckDB,PostgreSQL,Spark").split(",")
        for kind in (SQLite, DuckDB, PostgreSQL, Spark):
            if kind.name not in wanted:
                self.missing[kind.name] = "THRONG_SQL_ENGINES does not name it"
                continue
            try:
                self.started[kind.name] = kind()
            except Skipped as why:
                self.missing[kind.name] = str(why)
        for name, why in self.missing.items():
            print(f"SKIPPED: nothing is run on {name}: {why}")

    def each(self, slow=True):
        """Every engine with a fresh database, or only those that need no start of a job for each statement."""
        for name in self.started:
            if slow or name != Spark.name:
                yield self.one(name)

    def one(self, name):
        """An engine with a fresh database, if it is there."""
        engine = self.started.get(name)
        if isinstance(engine, Connected):
            engine.close()
            engine = self.started[name] = type(engine)()
        elif engine is not None:
            engine.fresh()
        return engine

    def close(self):
        for engine in self.started.values():
            engine.close()
