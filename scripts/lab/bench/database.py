"""The database mode beside what the same PostgreSQL does without ipnd."""

import concurrent.futures
import os
import pwd
import re
import shutil
import subprocess
import tempfile

from lab.bench.costs import CONNECTIONS, micros, p99, rate
from lab.bench.sandbox import ADMIN_PORT, BESIDE_ADMIN_PORT, BESIDE_PORT, PORT, MeasuredServer
from lab.bench.turns import Turns
from lab.bench.wrk import load
from lab.processes import Process
from lab.sandbox import JOURNAL

PROGRAMS = "/usr/lib/postgresql/15/bin"
DATABASE_PORT = 18951
# Bytes of a record of Antom's.
RECORD_BYTES = 1400
SETTINGS = {"shared_buffers": "256MB", "max_connections": 100, "max_wal_size": "4GB", "jit": "off"}
TABLES = f"""DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;
CREATE TABLE bare.row (id bigserial PRIMARY KEY, record text NOT NULL);
CREATE TABLE bare.head (sequence bigint NOT NULL); INSERT INTO bare.head VALUES (0);
CREATE TABLE bare.event (sequence bigint PRIMARY KEY, record text NOT NULL);
CREATE TABLE bare.identity (key uuid PRIMARY KEY, sequence bigint NOT NULL);
CREATE TABLE bare.state (key uuid PRIMARY KEY, facts text NOT NULL, last bigint NOT NULL);
CREATE FUNCTION bare.keys(size int) RETURNS TABLE (key uuid, sequence bigint)
LANGUAGE sql STABLE AS
$$ SELECT md5((head.sequence + n)::text)::uuid, head.sequence + n
   FROM bare.head, generate_series(1, size) n $$;
CREATE FUNCTION bare.record() RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT repeat('x', {RECORD_BYTES}) $$;"""
# One bare row for each transaction.
INSERT = "INSERT INTO bare.row (record) VALUES (bare.record());\n"
# What a batch needs at the least: lock the head row and look up, then write, in two round trips.
BATCH = """\\startpipeline
BEGIN;
SELECT sequence FROM bare.head FOR UPDATE;
SELECT key FROM bare.identity WHERE key = ANY (ARRAY(SELECT key FROM bare.keys(:size)));
SELECT facts FROM bare.state WHERE key = ANY (ARRAY(SELECT key FROM bare.keys(:size)));
\\endpipeline
\\startpipeline
INSERT INTO bare.event SELECT sequence, bare.record() FROM bare.keys(:size);
INSERT INTO bare.identity SELECT key, sequence FROM bare.keys(:size);
INSERT INTO bare.state SELECT key, repeat('y', 150), sequence FROM bare.keys(:size)
    ON CONFLICT (key) DO UPDATE SET facts = excluded.facts, last = excluded.last;
UPDATE bare.head SET sequence = sequence + :size;
COMMIT;
\\endpipeline
"""


class PostgreSQL:
    """One server with the settings of its package but for memory, on the disk. A context."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ipnd-bench-", dir="/var/tmp")
        # PostgreSQL refuses to run as root.
        self.wrapper = ()
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            ids = (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
            self.wrapper = ("setpriv", *ids)
        data = f"{self.folder}/data"
        initdb = (f"{PROGRAMS}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        subprocess.run(
            [*self.wrapper, *initdb, "--locale=C.UTF-8"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )
        options = [f"-c{name}={value}" for name, value in SETTINGS.items()]
        options += [f"-cport={DATABASE_PORT}", f"-cunix_socket_directories={self.folder}"]
        command = [*self.wrapper, f"{PROGRAMS}/postgres", "-D", data, *options]
        self.process = Process(command, f"{self.folder}/log")
        self.process.await_ports(DATABASE_PORT)
        return self

    @property
    def dsn(self):
        return f"host=127.0.0.1 port={DATABASE_PORT} user=postgres dbname=postgres"

    def sql(self, text):
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.dsn, "-c", text]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def pgbench(self, script, clients, seconds, size=1):
        """Rows a second."""
        self.sql(TABLES)
        path = f"{self.folder}/script"
        with open(path, "w") as file:
            file.write(script)
        text = subprocess.run(
            [
                *(f"{PROGRAMS}/pgbench", "-n", "-M", "prepared", "-D", f"size={size}"),
                *("-c", str(clients), "-j", "1", "-T", str(seconds), "-f", path, self.dsn),
            ],
            check=True,
            capture_output=True,
            text=True,
            # Plans are made while the tables are empty, and a scan of all would be kept.
            env={**os.environ, "PGOPTIONS": "-c enable_seqscan=off"},
        ).stdout
        return float(re.search(r"tps = ([\d.]+)", text)[1]) * size

    def __exit__(self, *_):
        self.process.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Database:
    """Rows of the section `database`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row
        self.seconds = sections.seconds

    def measure(self):
        with PostgreSQL() as server:
            turns = Turns(self.turn(server) for _ in range(self.sections.turns))
        middle, spread = turns.middle, turns.spread
        references = (
            ("pgbench: one bare row each, 64 clients", "insert"),
            ("bare batch writer, 64 rows a batch", "batch"),
            ("bare batch writer, 1 row a batch", "single"),
        )
        for name, part in references:
            figure = lambda turn, part=part: turn[part]
            self.row(name, rate(middle(figure)), spread(figure, 0))
        beside = lambda turn: turn["one"]["persecond"] / turn["insert"]
        both = lambda turn: turn["two"] / turn["one"]["persecond"]
        cpu = lambda turn: turn["one"]["cpu"] / turn["journal"]["cpu"]
        latency = lambda turn: p99(turn["one"])
        self.row(
            "antom: rate through one ipnd",
            rate(middle(lambda turn: turn["one"]["persecond"])),
            f"{middle(beside):.2f} × the bare row, {spread(beside)}",
            "≥ 1 ×",
            middle(beside) >= 1,
        )
        self.row(
            "antom: p99 at 64 connections",
            f"{middle(latency):.2f} ms",
            spread(latency),
            "≤ 20 ms",
            middle(latency) <= 20,
        )
        self.row(
            "antom: ipnd's own CPU",
            micros(middle(lambda turn: turn["one"]["cpu"])),
            f"{middle(cpu):.2f} × with a journal, {spread(cpu)}",
            "≤ 1.25 ×",
            middle(cpu) <= 1.25,
        )
        self.row(
            "antom: rate through two ipnd together",
            rate(middle(lambda turn: turn["two"])),
            f"{middle(both):.2f} × one, {spread(both)}",
            "≥ 0.8 ×",
            middle(both) >= 0.8,
        )

    def turn(self, server):
        found = {
            "insert": server.pgbench(INSERT, CONNECTIONS, self.seconds),
            "batch": server.pgbench(BATCH, 1, self.seconds, size=64),
            "single": server.pgbench(BATCH, 1, self.seconds),
        }
        self.sandbox.forget()
        with self.sandbox.serve(pin=False) as ipnd:
            found["journal"] = self.sections.fresh("antom", ipnd, pin=False)
        self.empty(server)
        with self.serve("database", PORT, ADMIN_PORT) as ipnd:
            found["one"] = self.sections.fresh("antom", ipnd, pin=False)
        self.empty(server)
        found["two"] = self.two_together()
        return found

    def two_together(self):
        """Each with its own notifications and half of the connections: the sum of their rates."""
        for series in (0, 1):
            self.sections.requests("antom", series)
        with (
            self.serve("database", PORT, ADMIN_PORT) as one,
            self.serve("database-2", BESIDE_PORT, BESIDE_ADMIN_PORT) as other,
            concurrent.futures.ThreadPoolExecutor(2) as pool,
        ):
            fresh = lambda pair: load(
                pair[0],
                self.sections.requests("antom", pair[1]),
                self.seconds,
                connections=CONNECTIONS // 2,
                pin=False,
            )
            return sum(result["persecond"] for result in pool.map(fresh, ((one, 0), (other, 1))))

    def empty(self, server):
        """New tables: each load begins with none."""
        server.sql("DROP SCHEMA IF EXISTS ipnd CASCADE")
        path = f"{self.sandbox.folder}/secrets/database"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(server.dsn)
        self.sandbox.run("database", "init", "--config", self.variant("database", PORT, ADMIN_PORT))

    def variant(self, name, port, admin):
        replace = [
            (JOURNAL, "database: {connection: {file: secrets/database}, schema: ipnd}"),
            (f':{PORT}"', f':{port}"'),
            (f':{ADMIN_PORT}"', f':{admin}"'),
        ]
        return self.sandbox.variant(name, replace=replace)

    def serve(self, name, port, admin):
        command = [self.sandbox.ipnd, "serve", "--config", self.variant(name, port, admin)]
        log = f"{self.sandbox.work}/{name}.log"
        return MeasuredServer(command, log, port, admin, self.sandbox.token, False)
