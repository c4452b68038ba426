"""The cost of sealed records, compared with records that are stored as they are."""

import os

from lab.bench.costs import micros
from lab.bench.turns import Turns


class Sealing:
    """Rows of the section `sealed`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row

    def measure(self):
        key = f"{self.sandbox.folder}/secrets/master"
        with open(key, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(os.urandom(32).hex())
        turns = Turns(self.turn(key) for _ in range(self.sections.turns))
        cpu = lambda turn: turn["sealed"]["cpu"] / turn["plain"]["cpu"]
        size = lambda turn: turn["sealed"]["bytes"] / turn["plain"]["bytes"]
        self.row(
            "antom: CPU with sealed records",
            micros(turns.middle(lambda turn: turn["sealed"]["cpu"])),
            f"{turns.middle(cpu):.2f} × as they are, {turns.spread(cpu)}",
            "≤ 1.15 ×",
            turns.middle(cpu) <= 1.15,
        )
        self.row(
            "antom: a sealed record",
            f"{turns.middle(lambda turn: turn['sealed']['bytes']):,.0f} bytes",
            f"{turns.middle(size):.2f} × as it is",
        )

    def turn(self, key):
        found = {}
        for name, personal in (
            ("plain", ""),
            ("sealed", "personal: {masterKeys: [{name: bench, key: {file: %s}}]}" % key),
        ):
            self.sandbox.forget()
            with self.sandbox.serve(name=name, personal=personal) as server:
                found[name] = self.sections.fresh("antom", server)
            found[name]["bytes"] = self.record_bytes()
        return found

    def record_bytes(self):
        """Mean size of the journal's first records."""
        command = ("journal", "cat", f"{self.sandbox.folder}/journal", "--limit", "1000")
        records = self.sandbox.run(*command).splitlines()
        return sum(map(len, records)) / len(records)
