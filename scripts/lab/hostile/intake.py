"""Phases about the intake: few descriptors, and one order with thousands of events."""

import glob
import os
import re
import socket
import threading
import time

from lab.notifications import signed, signed_antom
from lab.sandbox import JOURNAL
from lab.senders import connect, exchange, send_all

FEW = ["/bin/sh", "-c", 'ulimit -Sn 1024 && ulimit -Hn 1024 && exec "$0" "$@"']


def send_large(sandbox, server, count, size):
    """Genuine notifications with an additional member of `size` bytes."""
    for number in range(count):
        with connect(server.port) as connection:
            status = exchange(connection, signed_antom(sandbox, number, size))
            if status != 200:
                raise SystemExit(f"a large notification was refused: {status}")


def send_by_command(sandbox, server, count):
    """Sends genuine notifications with `ipnd send`; returns the number not answered 200."""
    text = sandbox.run(
        *("send", "--config", sandbox.configuration, "--endpoint", "antom"),
        *("--count", str(count), "--url", f"http://127.0.0.1:{server.port}/ipn/antom"),
        check=False,
    )
    return count - int((re.search(r"(\d+) × 200", text) or [0, 0])[1])


def descriptors(trial):
    """1,024 descriptors and more idle connections than that: the journal's segments must still
    rotate."""
    name, kept = "1,024 descriptors, idle connections", 60
    sandbox = trial.sandbox("descriptors")
    journal = "journal: {directory: journal, segmentMiB: 2}"
    limits = "limits: {bodyBytesMax: 262144, connectionsPerPeerMax: 100000}"
    server = sandbox.start(sandbox.configure("few", limits, [(JOURNAL, journal)]), FEW)
    segments = lambda: len(glob.glob(f"{sandbox.folder}/journal/*.segment"))
    idle = []
    for number in range(1500):
        try:
            source = (f"127.0.0.{2 + number % 8}", 0)
            idle.append(socket.create_connection(("127.0.0.1", server.port), 5, source))
        except OSError:
            pass
    time.sleep(1.5)  # a connection keeps its place for a second
    before = segments()
    try:
        send_large(sandbox, server, kept, 200_000)
    except (OSError, SystemExit) as error:
        status = server.popen.poll()
        return trial.row(name, False, f"{error}; the server's status is {status}")
    refused = send_by_command(sandbox, server, 100)
    held, rotations = len(os.listdir(f"/proc/{server.pid}/fd")), segments() - before
    answers = [server.get(path)[0] for path in ("/events?limit=1", "/orders?limit=1")]
    alive = server.is_running
    for connection in idle:
        connection.close()
    status = server.stop()
    return trial.row(
        name,
        alive and refused == 0 and rotations > 3 and answers == [200, 200] and status == 0,
        f"{len(idle)} connections tried, {held} descriptors open; {rotations} rotations, "
        f"{refused} of {kept + 100} notifications refused, "
        f"admin side {'/'.join(map(str, answers))}",
    )


class OneOrder:
    """Thousands of events for one reference, as with a static QR code: each must cost as much as
    any event."""

    STEP, RATE = 1000, 100

    def __init__(self, trial, name, options):
        self.trial, self.name, self.options = trial, name, options
        self.count = 4000 if trial.is_short else 14_000
        self.sandbox = trial.sandbox(f"one-order-{name}")
        self.failures = []

    def requests(self, count, prefix, *options):
        return signed(self.sandbox, "citcon", count, prefix, *options, *self.options)

    def send(self, server, requests):
        """CPU microseconds of each, and the rate."""
        before, outcome = server.cpu(), None
        outcome = send_all(server.port, requests)
        self.failures += outcome.failures
        return (server.cpu() - before) / len(requests) * 1e6, outcome.rate

    def another(self, server, prefix):
        """Another client, with its own orders."""
        requests = signed(self.sandbox, "antom", 5 * self.RATE, prefix)
        return lambda: send_all(server.port, requests, rate=self.RATE, source="127.0.1.1")

    def run(self):
        step, server = self.STEP, self.sandbox.start()
        self.send(server, self.requests(step, "WARM"))
        ordinary, _ = self.send(server, self.requests(2 * step, "ORDINARY"))
        alone, beside = self.another(server, "ALONE")(), self.another(server, "BESIDE")
        requests, before = self.requests(self.count, "ONE", "--orders", "1"), server.memory()
        first, _ = self.send(server, requests[:step])
        self.send(server, requests[step : self.count - step])
        last, rate = self.send(server, requests[self.count - step :])
        grown = (server.memory() - before) / 1024 / self.count
        more = self.requests(step, "MORE", "--orders", "1") + requests
        other = Later(beside)
        self.send(server, more)
        beside = other.result()
        self.failures += beside.failures
        status, page = server.get("/orders/citcon/ONE-0")
        server.kill()
        took, same = self.start_without_snapshot(page)
        held = (
            not self.failures
            and last <= 1.5 * ordinary + 10
            and beside.milliseconds(0.5) <= alone.milliseconds(0.5) + 10
            and status == 200
            and len(page) < 100_000
            and same
        )
        self.trial.row(
            f"one order, {self.count:,} {self.name}",
            held,
            f"CPU {ordinary:.0f} us an event of its own order, {first:.0f} us of the first {step}, "
            f"{last:.0f} us of the last; {rate:.0f} events/s at the end; RSS {grown:.2f} KiB an "
            f"event; another client alone {alone}, beside {beside}; answer about it {len(page)} "
            f"bytes; start without snapshot {took:.2f} s",
        )

    def start_without_snapshot(self, page):
        """The seconds, and whether the order is the same."""
        for file in glob.glob(f"{self.sandbox.folder}/journal/*.snapshot"):
            os.unlink(file)
        began = time.monotonic()
        with self.sandbox.start() as server:
            return time.monotonic() - began, server.get("/orders/citcon/ONE-0")[1] == page


class Later(threading.Thread):
    """Runs a function concurrently."""

    def __init__(self, action):
        super().__init__()
        self.action = action
        self.start()

    def run(self):
        self.outcome = self.action()

    def result(self):
        self.join()
        return self.outcome


def one_order(trial):
    for name, options in (("payments", []), ("refunds", ["--refunds"])):
        OneOrder(trial, name, options).run()
