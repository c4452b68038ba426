"""The cost of a snapshot for clients that send while it is written."""

import glob
import os
import time

from lab.bench.costs import CONNECTIONS, count_text, rate
from lab.bench.wrk import load

# Half of one core's capacity, so that requests do not wait for the processor alone.
PACED = 10_000
WAIT_SECONDS = 120


class Snapshot:
    """Rows of the section `snapshot`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row
        self.seconds = sections.seconds

    def measure(self):
        for count in self.sections.history:
            self.sandbox.fill(count)
            for name, pause in (("paced", 1000 * CONNECTIONS / PACED), ("full load", 0.0)):
                self.report(f"{count_text(count)} orders, {name}", *self.turn(name, pause))
        self.sandbox.forget()

    def turn(self, name, pause):
        """One load while a snapshot is written, and one while none is. A server that starts without
        a snapshot writes one at the first notification."""
        for file in self.snapshots():
            os.remove(file)
        count = 2 * (self.seconds + 1) * 60_000
        # Cheap to sign and quick to verify, so that the journal gets the largest load.
        requests = self.sandbox.load("citcon", count, "snapshot-" + name.split()[0])
        with self.sandbox.serve() as server:
            server.await_index()
            with_one = load(server, requests, self.seconds, pause=pause)
            began = time.monotonic()
            while not self.snapshots() and time.monotonic() < began + WAIT_SECONDS:
                time.sleep(0.1)
            wrote = time.monotonic() - began + self.seconds
            time.sleep(1)
            skip = with_one["requests"] + CONNECTIONS
            without = load(server, requests, self.seconds, pause=pause, skip=skip)
            return with_one, without, wrote, server.memory("VmHWM") / server.memory()

    def snapshots(self):
        return glob.glob(f"{self.sandbox.folder}/journal/*.snapshot")

    def report(self, name, with_one, without, wrote, height):
        worst = with_one["worst"]
        self.row(
            f"{name}: worst answer",
            f"{worst:.1f} ms",
            f"without a snapshot {without['worst']:.1f} ms; "
            f"p99.9 {with_one['milliseconds']['99.9']:.1f} and "
            f"{without['milliseconds']['99.9']:.1f} ms",
            "≤ 20 ms",
            worst <= 20,
        )
        self.row(
            f"{name}: CPU of the journal's thread",
            f"{with_one['threads']['ipnd-journal']:.1f} µs",
            f"without {without['threads']['ipnd-journal']:.1f} µs; "
            f"{rate(with_one['persecond'])} and {rate(without['persecond'])}; written within "
            f"{wrote:.0f} s; most memory {height:.2f} × afterwards",
        )
