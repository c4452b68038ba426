"""The providers' side, and the comparison at the end."""

import http.client
import json
import socket
import subprocess
import time
import urllib.parse

from lab.processes import Process

ENDPOINTS = 5
# Number of on-demand inquiries about an order whose answer failed.
ROUNDS_MAX = 20
OPEN = ("pending", "authorized", "review")


def free_port():
    """A port that was just free: a restart must reuse it."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Simulator(Process):
    """A running `ipnd simulate`."""

    def __init__(self, sandbox, address, options, speed, seconds):
        count = max(1, round(options.rate * seconds / ENDPOINTS))
        super().__init__(
            [
                *(sandbox.ipnd, "simulate", "--config", sandbox.configuration),
                *("--listen", address, "--count", str(count), "--rate", str(options.rate)),
                *("--speed", str(speed), "--seed", str(options.seed), "--prefix", "SOAK"),
                *("--loss", "0.3", "--repeats", "0.3", "--delay", "7200", "--pause", "3600"),
                *("--outages", "0.02", "--forgeries", "0.02", "--expect", "604800"),
            ],
            f"{sandbox.folder}/simulate.log",
            output=subprocess.PIPE,
        )
        self.address = address
        self.read_line("ready ")

    def get(self, path):
        connection = http.client.HTTPConnection(self.address, timeout=600)
        connection.request("GET", path)
        body = connection.getresponse().read()
        connection.close()
        return body

    def counts(self):
        return json.loads(self.get("/simulate"))

    def is_over(self):
        return self.counts()["over"]

    def truths(self):
        return [json.loads(line) for line in self.get("/simulate/payments").splitlines()]


def await_schedule(truths, server, seconds):
    """The open orders that are settled in the providers' books, after the server has asked for long
    enough."""
    end = time.monotonic() + seconds
    books = {(truth["endpoint"], truth["reference"]): truth for truth in truths}
    while True:
        found = [
            f"{order['endpoint']}/{order['reference']}: {have(order)}, not {want(truth)}"
            for order in listed(server, f"?status={','.join(OPEN)}")
            for truth in [books.get((order["endpoint"], order["reference"]))]
            if truth and have(order) != want(truth)
        ]
        if not found or time.monotonic() > end:
            return found
        time.sleep(1)


def ask_about_settled(truths, server):
    """No schedule asks about orders that look settled, but a refund's notification may be lost.
    Returns the number of such orders that were inquired (`POST /orders/…/inquire`), and the final
    differences."""
    wrong = differences(truths, server)
    settled = len(wrong)
    for _ in range(ROUNDS_MAX):
        if not wrong:
            break
        for endpoint, reference in wrong:
            path = f"/orders/{endpoint}/{urllib.parse.quote(reference, safe='')}/inquire"
            server.post(path)
        # An outage, a forgery, or an order's own pause: asked again.
        time.sleep(1)
        wrong = differences(truths, server)
    return settled, list(wrong.values())


def listed(server, query=""):
    """The orders, read one by one because there are many."""
    server.await_index()
    status, body = server.get(f"/orders{query}", accept="application/x-ndjson", seconds=600)
    if status != 200:
        raise SystemExit(f"soak: no list of orders: {status}")
    return map(json.loads, body.splitlines())


def want(truth):
    return truth["status"], truth["authorized"], truth["captured"], truth["refunded"]


def have(order):
    sums = ("authorized", "captured", "refunded")
    return order["status"], *((order[name] or {}).get("minor", 0) for name in sums)


def differences(truths, server):
    """The orders that differ from the providers' books, with the difference."""
    orders = {(order["endpoint"], order["reference"]): have(order) for order in listed(server)}
    found = {}
    for truth in truths:
        name = truth["endpoint"], truth["reference"]
        if orders.get(name) != want(truth):
            found[name] = f"{'/'.join(name)}: {orders.get(name)}, not {want(truth)}"
    return found
