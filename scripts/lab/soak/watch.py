"""Memory, descriptors and threads of the server over time."""

import os
import time

ROWS = 30
MIB = 1 << 20
# Bytes of memory that an order and its events may keep: tables and the allocator's overhead.
ORDER_BYTES_MAX = 4096
# Memory that may vary: buffers, the index's cache.
SLACK_BYTES = 32 * MIB
DESCRIPTORS_SLACK = 16


class Watch:
    """Samples the server regularly, and judges at the end."""

    def __init__(self, seconds):
        self.start = time.monotonic()
        self.pause = seconds / ROWS
        self.rows = []
        self._next = 0
        self._life = 0

    def restarted(self):
        """A new process from here on: it is compared only with itself."""
        self._life += 1

    def look(self, server, simulator, always=False):
        now = time.monotonic() - self.start
        if now < self._next and not always:
            return
        self._next = now + self.pause
        self.rows.append(
            {
                "life": self._life,
                "seconds": now,
                "orders": simulator.counts()["begun"],
                "memory": server.memory(),
                "descriptors": len(os.listdir(f"/proc/{server.pid}/fd")),
                "threads": len(os.listdir(f"/proc/{server.pid}/task")),
                "cpu": server.cpu(),
            }
        )

    def report(self, orders):
        print(f"{'minute':>7} {'orders':>8} {'MiB':>7} {'files':>6} {'threads':>8} {'CPU s':>8}")
        for row in self.rows:
            print(
                f"{row['seconds'] / 60:7.1f} {row['orders']:8} {row['memory'] / MIB:7.1f}"
                f" {row['descriptors']:6} {row['threads']:8} {row['cpu']:8.1f}"
            )

    def failures(self, orders):
        """Growth beyond what the orders of the time explain, in each life of the process."""
        found = []
        for life in range(self._life + 1):
            rows = [row for row in self.rows if row["life"] == life]
            # The first rows are the start-up: buffers, the index, the first connections.
            rows = rows[len(rows) // 4 :]
            if len(rows) < 2:
                continue
            first, last = rows[0], rows[-1]
            allowed = ORDER_BYTES_MAX * (last["orders"] - first["orders"]) + SLACK_BYTES
            grown = last["memory"] - first["memory"]
            if grown > allowed:
                found.append(f"memory grew by {grown / MIB:.1f} MiB, allowed {allowed / MIB:.1f}")
            for what in ("descriptors", "threads"):
                if last[what] > first[what] + DESCRIPTORS_SLACK:
                    found.append(f"{what}: {first[what]}, then {last[what]}")
        return found
