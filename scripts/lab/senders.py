"""Connections that send signed requests and record the answers."""

import re
import socket
import threading
import time


def connect(port, address="127.0.0.1", source=None, seconds=20):
    """`source`: the address to connect from, if limits count clients."""
    connection = socket.create_connection((address, port), seconds, (source, 0) if source else None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def read_status(connection):
    """Reads one complete answer; returns its status."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    head, body = data.split(b"\r\n\r\n", 1)
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += received(connection)
    return int(head.split(b" ", 2)[1])


def received(connection):
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("closed")
    return data


def exchange(connection, request):
    """Sends a request; returns the status of the answer."""
    connection.sendall(request)
    return read_status(connection)


class Sender(threading.Thread):
    """One connection that sends its requests in order: pairs of a name and a request. With a `rate`
    each request has a due time, and its latency is measured from then."""

    def __init__(self, port, requests, rate=None, start=0, source=None):
        super().__init__(daemon=True)
        self.port, self.requests, self.source = port, requests, source
        self.gap, self.due = 1 / rate if rate else 0, start
        self.acknowledged, self.refused, self.times = [], [], []
        # The error that broke the connection.
        self.error = None
        self.ended = start

    def run(self):
        try:
            with connect(self.port, source=self.source, seconds=60) as connection:
                for name, request in self.requests:
                    self.send(connection, name, request)
        except OSError as error:
            # The server has gone, which an experiment may intend.
            self.error = error
        self.ended = time.monotonic()

    def send(self, connection, name, request):
        if self.gap:
            time.sleep(max(0, self.due - time.monotonic()))
        else:
            self.due = time.monotonic()
        status = exchange(connection, request)
        self.times.append(time.monotonic() - self.due)
        if 200 <= status < 300:
            self.acknowledged.append(name)
        else:
            self.refused.append((name, status))
        self.due += self.gap


def begin(port, requests, connections, twice=False):
    """Distributes the requests (name to bytes) to senders. With `twice` each is sent by two
    connections at about the same time, so that many a duplicate arrives while its original is not
    durable yet."""
    items = list(requests.items())
    shares = [items[index::connections] for index in range(connections)]
    if twice:
        shares = [share for share in shares for _ in range(2)]
    return started(Sender(port, share) for share in shares)


def started(senders):
    senders = list(senders)
    for sender in senders:
        sender.start()
    return senders


def send_all(port, requests, connections=8, rate=None, source=None):
    """Sends a list of requests at `rate` a second in total; returns the results."""
    pairs = list(enumerate(requests))
    start = time.monotonic() + 0.2
    senders = started(
        Sender(
            port,
            pairs[n::connections],
            rate and rate / connections,
            start + n / (rate or 1),
            source,
        )
        for n in range(connections)
    )
    for sender in senders:
        sender.join()
    return Outcome(senders, start)


class Outcome:
    """The results of several senders: rate, times and every failure."""

    def __init__(self, senders, start):
        self.seconds = max(sender.ended for sender in senders) - start
        self.times = sorted(time for sender in senders for time in sender.times) or [99]
        self.failures = [status for sender in senders for _, status in sender.refused]
        self.failures += [sender.error for sender in senders if sender.error]
        self.rate = len(self.times) / self.seconds

    def milliseconds(self, share):
        return self.times[min(len(self.times) - 1, int(len(self.times) * share))] * 1e3

    def __str__(self):
        return (
            f"{self.rate:.0f}/s, p50 {self.milliseconds(0.5):.1f} ms, "
            f"p99 {self.milliseconds(0.99):.1f} ms"
        )
