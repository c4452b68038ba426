"""The database mode, compared with the same PostgreSQL without ipnd."""

import concurrent.futures
import os

from lab.bench.costs import CONNECTIONS, count_text, micros, p99, rate
from lab.bench.postgresql import BATCH, INSERT, PostgreSQL
from lab.bench.sandbox import ADMIN_PORT, BESIDE_ADMIN_PORT, BESIDE_PORT, PORT, MeasuredServer
from lab.bench.turns import Turns
from lab.bench.wrk import load
from lab.sandbox import JOURNAL

SCHEMA, FULL = "ipnd", "ipnd_full"


class Database:
    """Rows of the section `database`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row
        self.seconds = sections.seconds

    def measure(self):
        with PostgreSQL() as server:
            self.report(Turns(self.turn(server) for _ in range(self.sections.turns)))
            for count in self.sections.history:
                self.report_flat(count, Turns(self.flat_turns(server, count)))

    def report(self, turns):
        middle, spread = turns.middle, turns.spread
        references = (
            ("pgbench: one bare row each, 64 clients", "insert"),
            ("bare batch writer, 64 rows a batch", "batch"),
            ("bare batch writer, 1 row a batch", "single"),
        )
        for name, part in references:
            figure = lambda turn, part=part: turn[part]
            self.row(name, rate(middle(figure)), spread(figure, 0))
        self.report_writing(turns)
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

    def report_writing(self, turns):
        """The CPU of what writes: the committer's thread, and all of PostgreSQL."""
        middle, spread = turns.middle, turns.spread
        both = lambda part: lambda turn: turn[part]["own"] + turn[part]["server"]
        ratio = lambda turn: both("writing")(turn) / both("same")(turn)

        def parts(part, program):
            own = middle(lambda turn: turn[part]["own"])
            return f"{program} {own:.1f}, PostgreSQL {middle(lambda t: t[part]['server']):.1f} µs"

        size = middle(lambda turn: turn["same"]["size"])
        self.row(
            "the same bytes in the same batches, in C: one table, one index",
            micros(middle(both("same"))),
            f"{parts('same', 'program')}; {size:.1f} rows a batch",
        )
        self.row(
            "antom: CPU of writing",
            micros(middle(both("writing"))),
            f"{middle(ratio):.2f} ×, {spread(ratio)}; {parts('writing', 'committer')}",
            "≤ 1.5 ×",
            middle(ratio) <= 1.5,
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
            before = server.process.cpu()
            found["one"] = self.sections.fresh("antom", ipnd, pin=False)
            spent = (server.process.cpu() - before) * 1e6 / found["one"]["requests"]
            found["writing"] = {"server": spent, "own": found["one"]["threads"]["ipnd-database"]}
        found["same"] = server.same_batches(SCHEMA)
        self.empty(server)
        found["two"] = self.two_together()
        return found

    def two_together(self):
        """Loads each instance with its own notifications and half of the connections; returns the
        sum of the rates."""
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

    def flat_turns(self, server, count):
        """Two instances on the same server: one whose tables hold a history, one whose tables hold
        only what it received. Each is loaded for a second in turn."""
        self.empty(server, FULL)
        self.sandbox.bench(
            *("fill", "--config", self.variant("database-full", PORT, ADMIN_PORT, FULL)),
            *("--endpoint", "citcon", "--count", str(count)),
        )
        server.sql("VACUUM ANALYZE")
        for series in range(self.sections.turns):
            self.sections.requests("antom", series)
        with self.serve("database-full", PORT, ADMIN_PORT, FULL) as full:
            for series in range(self.sections.turns):
                self.empty(server)
                with self.serve("database", BESIDE_PORT, BESIDE_ADMIN_PORT) as none:
                    servers = {"with": full, "none": none}
                    yield from self.sections.in_turn(servers, series, pin=False)

    def report_flat(self, count, turns):
        pace = lambda turn: turn["none"]["persecond"] / turn["with"]["persecond"]
        cpu = lambda turn: turn["with"]["cpu"] / turn["none"]["cpu"]
        self.row(
            f"antom: time of a notification with {count_text(count)} events",
            f"{turns.middle(pace):.2f} × with none",
            f"{turns.middle_half(pace)}; ipnd's own CPU {turns.middle(cpu):.2f} ×",
            "≤ 1.2 ×",
            turns.middle(pace) <= 1.2,
        )

    def empty(self, server, schema=SCHEMA):
        """New tables, so that each load begins with empty ones."""
        server.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        path = f"{self.sandbox.folder}/secrets/database"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(server.dsn)
        configuration = self.variant("database", PORT, ADMIN_PORT, schema)
        self.sandbox.run("database", "init", "--config", configuration)
        server.settle()

    def variant(self, name, port, admin, schema=SCHEMA):
        replace = [
            (JOURNAL, "database: {connection: {file: secrets/database}, schema: %s}" % schema),
            (f':{PORT}"', f':{port}"'),
            (f':{ADMIN_PORT}"', f':{admin}"'),
        ]
        return self.sandbox.variant(name, replace=replace)

    def serve(self, name, port, admin, schema=SCHEMA):
        configuration = self.variant(name, port, admin, schema)
        command = [self.sandbox.ipnd, "serve", "--config", configuration]
        log = f"{self.sandbox.work}/{name}.log"
        return MeasuredServer(command, log, port, admin, self.sandbox.token, False)
