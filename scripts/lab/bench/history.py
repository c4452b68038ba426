"""The cost of a long history: memory, start-up, and each further notification."""

import glob
import os
import time

from lab.bench.costs import count_text, micros
from lab.bench.reading import Reading
from lab.bench.turns import Turns


class History:
    """Rows of `flat`, `memory`, `start` and `reading`, if `wanted`; one filled journal serves
    all."""

    def __init__(self, sections, wanted):
        self.sections, self.sandbox, self.results = sections, sections.sandbox, sections.results
        self.wanted, self.cpu = wanted, {}
        self.rows = {"flat": [], "memory": [], "start": [], "reading": []}

    def measure(self, counts):
        self.sandbox.forget()
        with self.sandbox.serve() as server:
            time.sleep(1)
            empty = server.memory()
        for count in counts:
            self._fill(count)
            self._start(count, empty)
            if "flat" in self.wanted:
                self._compare(count, Turns(self._turns()))
            if "reading" in self.wanted:
                self.rows["reading"] += Reading(self.sections, count_text(count)).rows()
            if "start" in self.wanted:
                self._start_without_snapshot(count)
        self.sandbox.forget()
        self._report()

    def _fill(self, count):
        seconds, growth = self.sandbox.fill(count)
        print(f"  {count:,} events recorded in {seconds:.0f} s", flush=True)
        self.rows["memory"].append(
            (
                "remembered order with one event",
                f"{growth:.0f} B",
                f"resident growth, mean up to {count_text(count)}",
                "≤ 160 B",
                growth <= 160,
            )
        )

    def _start(self, count, empty):
        """From the snapshot."""
        with self.sandbox.serve() as server:
            # The target for a million is one second; larger histories have none.
            target = ("≤ 1 s", server.startup <= 1) if count <= 1_000_000 else ()
            self.rows["start"].append(
                (
                    f"from a snapshot, {count_text(count)} events",
                    f"{server.startup * 1000:.0f} ms",
                    "until it accepts connections",
                    *target,
                )
            )
            time.sleep(1)
            each = (server.memory() - empty) / server.metric("ipnd_events_remembered")
            self.rows["memory"].append(
                ("the same after a restart", f"{each:.0f} B", "", "≤ 160 B", each <= 160)
            )

    def _turns(self):
        """CPU µs of a notification with the history and without: two servers on one core, each
        loaded for a second in turn, so that the machine's pace is nearly the same for both."""
        for series in range(self.sections.turns):
            self.sections.requests("antom", series)
        with self.sandbox.serve() as full:
            for series in range(self.sections.turns):
                # A new server for each load: events remembered from a load are not the history
                # under test.
                with self.sandbox.serve_beside() as empty:
                    # Work left over from the start must not be counted for notifications.
                    time.sleep(1)
                    for turn in self.sections.in_turn({"with": full, "none": empty}, series):
                        yield {name: result["cpu"] for name, result in turn.items()}

    def _start_without_snapshot(self, count):
        times = []
        # The better of two: disturbances only make a machine slower.
        for _ in range(2):
            for snapshot in glob.glob(f"{self.sandbox.folder}/journal/*.snapshot"):
                os.remove(snapshot)
            # On all cores: reading and applying are two threads.
            with self.sandbox.serve(pin=False) as server:
                times.append(server.startup)
                pace = server.metric("ipnd_sequence") / min(times)
        self.rows["start"].append(
            (
                f"without a snapshot, {count_text(count)} events",
                f"{min(times):.1f} s",
                f"{pace:,.0f} records/s, all cores",
                "≥ 300,000/s",
                pace >= 300_000,
            )
        )

    def _compare(self, count, turns):
        ratio = lambda turn: turn["with"] / turn["none"]
        none = turns.middle(lambda turn: turn["none"])
        self.cpu[count] = turns.middle(lambda turn: turn["with"])
        self.cpu.setdefault(0, none)
        self.rows["flat"].append(
            (
                f"antom: CPU with {count_text(count)} events",
                micros(self.cpu[count]),
                f"{turns.middle(ratio):.2f} × with none ({micros(none)}), "
                f"{turns.middle_half(ratio)}",
                "≤ 1.1 ×",
                turns.middle(ratio) <= 1.1,
            )
        )

    def _report(self):
        for name in self.wanted:
            if name == "memory":
                # Rows that need no history already exist.
                self.results.resume(name)
            else:
                self.results.begin(name)
            for row in self.rows[name]:
                self.results.row(*row)
            if name == "flat":
                self.results.keep("cpu", sorted(self.cpu.items()))
