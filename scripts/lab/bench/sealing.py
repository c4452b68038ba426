"""The cost of sealed records, compared with records that are stored as they are."""

import glob
import os
import shutil

from lab.bench.costs import count_text, micros
from lab.bench.sandbox import BESIDE
from lab.bench.turns import Turns
from lab.sandbox import JOURNAL

# Records of the journals that are started.
RECORDS = 300_000


class Sealing:
    """Rows of the section `sealed`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row

    def measure(self):
        key = f"{self.sandbox.folder}/secrets/master"
        with open(key, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(os.urandom(32).hex())
        personal = "personal: {masterKeys: [{name: bench, key: {file: %s}}]}" % key
        self.costs(personal)
        self.starts(personal)

    def costs(self, personal):
        turns = Turns(self.turn(personal) for _ in range(self.sections.turns))
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

    def turn(self, personal):
        found = {}
        for name, section in (("plain", ""), ("sealed", personal)):
            self.sandbox.forget()
            with self.sandbox.serve(name=name, personal=section) as server:
                found[name] = self.sections.fresh("antom", server)
            found[name]["bytes"] = self.record_bytes()
        return found

    def record_bytes(self):
        """Mean size of the journal's first records."""
        command = ("journal", "cat", f"{self.sandbox.folder}/journal", "--limit", "1000")
        records = self.sandbox.run(*command).splitlines()
        return sum(map(len, records)) / len(records)

    def starts(self, personal):
        """Starts of one journal and of its sealed copy, in turns."""
        self.sandbox.forget()
        self.sandbox.fill(RECORDS)
        folder = self.sandbox.folder
        target = f"{folder}/{BESIDE}/journal"
        os.makedirs(f"{folder}/{BESIDE}")
        configuration = self.sandbox.variant("seal", personal=personal)
        self.sandbox.run(
            *("journal", "seal", f"{folder}/journal", "--to", target, "--config", configuration)
        )
        # Neither start has to read the records for the index.
        shutil.copytree(f"{folder}/index", f"{folder}/{BESIDE}/index")
        turns = Turns(self.starts_turn(personal) for _ in range(self.sections.turns))
        for kind in ("without a snapshot", "from a snapshot"):
            ratio = lambda turn, kind=kind: turn["sealed"][kind] / turn["plain"][kind]
            self.row(
                f"start {kind}, {count_text(RECORDS)} sealed records",
                f"{turns.middle(lambda turn, kind=kind: turn['sealed'][kind]) * 1000:.0f} ms",
                f"{turns.middle(ratio):.2f} × as they are, {turns.spread(ratio)}",
                "≤ 1.05 ×",
                turns.middle(ratio) <= 1.05,
            )
        self.sandbox.forget()

    def starts_turn(self, personal):
        found = {}
        for name, section, replace in (
            ("plain", "", ()),
            ("sealed", personal, [(JOURNAL, "journal: {directory: %s/journal}" % BESIDE)]),
        ):
            folder = self.sandbox.folder if name == "plain" else f"{self.sandbox.folder}/{BESIDE}"
            for snapshot in glob.glob(f"{folder}/journal/*.snapshot"):
                os.remove(snapshot)
            found[name] = {}
            for kind in ("without a snapshot", "from a snapshot"):
                options = {"pin": False, "name": name, "personal": section, "replace": replace}
                with self.sandbox.serve(**options) as server:
                    found[name][kind] = server.startup
        return found
