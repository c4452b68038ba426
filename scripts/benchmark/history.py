"""What a long history costs: memory, start-up, and each further notification."""

import glob
import os
import time

from sections import micros


def count_text(count):
    return f"{count / 1e6:g} million" if count >= 1_000_000 else f"{count:,}"


class History:
    """Rows of `flat`, `memory` and `start`, as far as `wanted`; one filled journal serves all."""

    def __init__(self, sections, wanted):
        self.sections, self.sandbox, self.results = sections, sections.sandbox, sections.results
        self.wanted, self.cpu = wanted, {}
        self.rows = {"flat": [], "memory": [], "start": []}

    def measure(self, counts):
        empty, before = self._without()
        for count in counts:
            self._fill(count)
            records = self._with(count, empty)
            if "start" in self.wanted:
                self._start_without_snapshot(count, records)
        if "flat" in self.wanted:
            # Once before and once after, because the machine's own pace drifts.
            self._compare((before + self._without()[1]) / 2)
        self.sandbox.forget()
        self._report()

    def _without(self):
        """An empty server: resident bytes, and CPU µs of a notification where that is wanted."""
        self.sandbox.forget()
        with self.sandbox.serve() as server:
            time.sleep(1)
            return server.rss(), self._cpu(server)

    def _cpu(self, server):
        return self.sections.fresh("antom", server)["cpu"] if "flat" in self.wanted else None

    def _fill(self, count):
        seconds, growth = self.sandbox.fill(count)
        print(f"  {count:,} events recorded in {seconds:.0f} s", flush=True)
        self.rows["memory"].append((
            "remembered order with one event", f"{growth:.0f} B",
            f"resident growth, mean up to {count_text(count)}", "≤ 160 B", growth <= 160))

    def _with(self, count, empty):
        """Starts from the snapshot; how many records there are in the end."""
        with self.sandbox.serve() as server:
            # A second is what a million may take; more have no target.
            target = ("≤ 1 s", server.startup <= 1) if count <= 1_000_000 else ()
            self.rows["start"].append((
                f"from a snapshot, {count_text(count)} events", f"{server.startup * 1000:.0f} ms",
                "until it accepts connections", *target))
            time.sleep(1)
            each = (server.rss() - empty) / self.sandbox.metric("ipnd_events_remembered")
            self.rows["memory"].append((
                "the same after a restart", f"{each:.0f} B", "", "≤ 160 B", each <= 160))
            self.cpu[count] = self._cpu(server)
            return self.sandbox.metric("ipnd_sequence")

    def _start_without_snapshot(self, count, records):
        for snapshot in glob.glob(f"{self.sandbox.ipnd}/journal/*.snapshot"):
            os.remove(snapshot)
        # On all cores: reading and applying are two threads.
        with self.sandbox.serve(pin=False) as server:
            pace = records / server.startup
            self.rows["start"].append((
                f"without a snapshot, {count_text(count)} events", f"{server.startup:.1f} s",
                f"{pace:,.0f} records/s, all cores", "≥ 300,000/s", pace >= 300_000))

    def _compare(self, none):
        for count, cpu in self.cpu.items():
            self.rows["flat"].append((
                f"antom: CPU with {count_text(count)} events", micros(cpu),
                f"{cpu / none:.2f} × with none ({micros(none)})", "≤ 1.1 ×", cpu <= 1.1 * none))
        self.cpu = {0: none, **self.cpu}

    def _report(self):
        for name in self.wanted:
            if name == "memory":
                # It has rows already: those that need no history.
                self.results.resume(name)
            else:
                self.results.begin(name)
            for row in self.rows[name]:
                self.results.row(*row)
            if name == "flat":
                self.results.keep("cpu", list(self.cpu.items()))
