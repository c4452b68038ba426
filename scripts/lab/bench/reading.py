"""The cost of reading: the index, lists, exports, and long-polling readers."""

import os
import shutil
import subprocess
import time
import urllib.request

from lab.bench.costs import p99, rate
from lab.bench.wrk import load
from lab.processes import Process
from lab.sandbox import OPENER

STREAMS = HELD = 50
EXPORTS = ("text/csv", "application/x-ndjson")
QUERIES = (
    "limit=100",
    "status=paid&limit=100",
    "endpoint=citcon&reference=HISTORY-77",
    "text=HISTORY-7777",
    "currency=MYR&amountMin=4200&limit=100",
)


class Reading:
    """Measures a server with the history that the sandbox holds."""

    def __init__(self, sections, history):
        self.sections, self.sandbox, self.history = sections, sections.sandbox, history

    def rows(self):
        index = f"{self.sandbox.folder}/index"
        shutil.rmtree(index)
        with self.sandbox.serve(pin=False) as server:
            began = time.monotonic()
            server.await_index()
            seconds, count = time.monotonic() - began, server.metric("ipnd_index_sequence")
            size = sum(os.path.getsize(f"{index}/{name}") for name in os.listdir(index))
            yield (
                f"index of {self.history} events rebuilt",
                f"{seconds:.1f} s",
                f"while serving; {self.cpu_of_index(server) / count:.1f} µs of CPU a record, "
                f"{size >> 20} MiB",
            )
            for form in EXPORTS:
                yield self.export(server, form)
            for query in QUERIES:
                began = time.monotonic()
                status, _ = server.get(f"/orders?{query}")
                milliseconds = (time.monotonic() - began) * 1e3
                yield f"list: {query}", f"{milliseconds:.1f} ms", f"status {status}"
            yield from self.beside_readers(server)

    @staticmethod
    def cpu_of_index(server):
        """Microseconds."""
        return 1e6 * sum(
            spent for key, spent in server.threads().items() if key[-1].startswith("ipnd-index")
        )

    @staticmethod
    def export(server, form):
        # Resets the peak memory (proc(5)).
        with open(f"/proc/{server.pid}/clear_refs", "w") as file:
            file.write("5")
        before, began, size, lines = server.memory(), time.monotonic(), 0, 0
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.admin}/orders",
            headers={"Authorization": f"Bearer {server.token}", "Accept": form},
        )
        with OPENER.open(request) as answer:
            while data := answer.read(1 << 20):
                size, lines = size + len(data), lines + data.count(b"\n")
        return (
            f"export as {form}",
            f"{time.monotonic() - began:.1f} s",
            f"{lines:,} lines, {size >> 20} MiB; memory {before >> 20} MiB before, "
            f"{server.memory('VmHWM') >> 20} MiB at most",
        )

    def beside_readers(self, server):
        """The intake alone, and with readers: streams of all events, long-polling requests."""
        requests, seconds = self.sections.requests("antom"), self.sections.seconds
        alone = load(server, requests, seconds, connections=16, pin=False)
        after = int(server.metric("ipnd_sequence"))
        url, header = f"http://127.0.0.1:{server.admin}", f"Authorization: Bearer {server.token}"
        curl = ["curl", "-sN", "-H", header]
        streams = [*curl, "-H", "Accept: text/event-stream", f"{url}/events?after={after}"]
        commands = [streams] * STREAMS
        commands += [[*curl, f"{url}/orders/antom/HELD-{n}?wait=60"] for n in range(HELD)]
        readers = [Process(command, output=subprocess.DEVNULL) for command in commands]
        beside = load(
            server,
            requests,
            seconds,
            connections=16,
            skip=alone["requests"],
            limit=alone["requests"],
            pin=False,
        )
        for reader in readers:
            reader.stop()
        yield "intake alone, 16 connections", rate(alone["persecond"]), f"p99 {p99(alone):.2f} ms"
        yield (
            f"intake beside {STREAMS} streams and {HELD} held questions",
            rate(beside["persecond"]),
            f"{beside['persecond'] / alone['persecond']:.2f} × alone, p99 {p99(beside):.2f} ms",
        )
