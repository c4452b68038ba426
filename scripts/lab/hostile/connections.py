"""Phases about connections: slow clients, floods, idle crowds."""

import concurrent.futures
import socket
import ssl
import subprocess
import threading
import time

from lab.hostile.trial import MANY, REQUEST
from lab.senders import connect

SLOW = {
    "heads": ["-H", "-i", "2", "-x", "20"],
    "bodies": ["-B", "-i", "2", "-s", "65536", "-x", "20"],
    "readers": ["-X", "-w", "10", "-y", "20", "-n", "2", "-z", "10", "-k", "3"],
}
BODIES_MIB_MAX = 500


def slow(trial, what):
    """slowhttptest from one address."""
    with trial.target(*MANY) as target:
        command = ["slowhttptest", "-c", "1000", "-r", "500", "-p", "5", *SLOW[what]]
        command += [
            "-l",
            "12" if trial.is_short else "30",
            "-u",
            f"http://127.0.0.1:{target.port}/",
        ]
        trial.attack(
            f"slow {what}, 1,000 connections",
            target,
            lambda: subprocess.run(command, stdout=subprocess.DEVNULL),
        )


def half_open(trial):
    """Connects, sends nothing or half of something, and closes."""

    def action():
        end = time.monotonic() + (5 if trial.is_short else 15)
        sent = 0
        while time.monotonic() < end:
            connection = socket.create_connection(("127.0.0.1", target.port), 5)
            if sent % 3:
                connection.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Le"[: 5 * (sent % 8)])
            if sent % 2:
                # With a reset instead of an orderly end.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.close()
            sent += 1
        action.sent = sent

    with trial.target("--limit", "connectionsPerPeerMax=100000") as target:
        trial.attack("half-open flood", target, action, lambda: f"; {action.sent:,} connections")


class Flood:
    """A connection that sends requests as fast as it can, and reads the answers or not."""

    def __init__(self, port, reads, end):
        self.port, self.reads, self.end, self.answers = port, reads, end, 0

    def run(self):
        """Reconnects when the server closes, which it does after 10,000 requests."""
        bulk = REQUEST * 2000
        while time.monotonic() < self.end:
            with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                connection.setblocking(False)
                place, is_open = 0, True
                while is_open and time.monotonic() < self.end:
                    try:
                        # The next bytes must continue where these end, or they would not be a
                        # request.
                        place = (place + connection.send(bulk[place:])) % len(bulk)
                    except BlockingIOError:
                        time.sleep(0.001)
                    except OSError:
                        is_open = False
                    is_open = is_open and (not self.reads or self.read(connection))

    def read(self, connection):
        """Whether the connection is still open."""
        try:
            while True:
                data = connection.recv(1 << 20)
                self.answers += data.count(b"HTTP/1.1 200 ")
                if not data:
                    return False
        except BlockingIOError:
            return True
        except OSError:
            return False


def pipelining(trial):
    """Four connections that send requests as fast as they can, two of them reading nothing."""
    with trial.target() as target:

        def action():
            end = time.monotonic() + (5 if trial.is_short else 15)
            action.floods = [Flood(target.port, n % 2 == 0, end) for n in range(4)]
            threads = [threading.Thread(target=flood.run) for flood in action.floods]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        trial.attack(
            "pipelining flood",
            target,
            action,
            lambda: f"; {sum(flood.answers for flood in action.floods):,} answers",
        )


def bodies(trial):
    """600 connections that each send most of a large body and stop: more than memory may hold."""
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"

    def action():
        held = []
        for _ in range(600):
            connection = socket.create_connection(("127.0.0.1", target.port), 5)
            connection.settimeout(0.2)
            try:
                connection.sendall(head + b"x" * 1_000_000)
            except OSError:
                pass
            held.append(connection)
        action.rss = target.memory() >> 20

    with trial.target(*MANY) as target:
        trial.attack(
            "600 bodies of 1 MB, unfinished",
            target,
            action,
            lambda: f", {action.rss} MiB at the height",
        )
    if action.rss > BODIES_MIB_MAX:
        trial.row("memory for bodies", False, f"{action.rss} MiB")


def places(trial):
    """All places are taken by idle connections: a new client must still get one."""
    with trial.target(*MANY, "--limit", "connectionsMax=1000") as target:

        def idle_one():
            connection = socket.create_connection(("127.0.0.1", target.port), 5)
            connection.sendall(REQUEST)
            connection.recv(4096)
            return connection

        idle = [idle_one() for _ in range(1000)]
        time.sleep(1.5)  # a connection keeps its place for a second
        seconds = 4 if trial.is_short else 10
        trial.attack("1,000 of 1,000 connections idle", target, lambda: time.sleep(seconds))
        for connection in idle:
            connection.close()


def half_requests(trial):
    """More requests than places, each incomplete and held, from many addresses: a new client must
    still get a place, and the memory must be released."""
    count, seconds = (1500, 4) if trial.is_short else (10_500, 15)
    parts = (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Le",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
    )
    places = min(10_000, count - 500)
    with trial.target("--limit", f"connectionsMax={places}") as target:
        before, held = target.memory(), []

        def hold(numbers):
            for number in numbers:
                source = f"127.0.0.{2 + number % 53}"
                connection = connect(target.port, source=source, seconds=5)
                connection.send(parts[number % 2])
                held.append(connection)

        def action():
            hold(range(places, count))
            action.rss = target.memory()
            time.sleep(seconds)
            for connection in held:
                connection.close()
            time.sleep(1)

        hold(range(places))
        time.sleep(1.5)  # a connection keeps its place for a second
        trial.attack(
            f"{count:,} half requests, {places:,} places",
            target,
            action,
            lambda: f", {action.rss >> 20} MiB at the height",
        )
        kept = target.memory() - before
        trial.row(
            "memory after them",
            kept < 16 << 20 or kept < (action.rss - before) / 4,
            f"{before >> 20} MiB before, {action.rss >> 20} at the height, "
            f"{target.memory() >> 20} afterwards",
        )


def half_handshakes(trial):
    """TLS handshakes that are started and not finished: nothing sent, half a message, a whole
    one."""
    count, bound = (1000 if trial.is_short else 5000), 16 * 1024
    hello = client_hello()
    options = ("--limit", "connectionsPerPeerMax=100000", "--limit", "handshakeSecondsMax=60")
    options += ("--limit", f"handshakesMax={count // 10}")
    for name, bytes in (("nothing", b""), ("half", hello[: len(hello) // 2]), ("whole", hello)):
        with trial.target(*options, tls="ec") as target:
            before, held = target.memory(), []
            for number in range(count):
                connection = connect(target.port, f"127.0.0.{2 + number % 53}", seconds=5)
                connection.send(bytes)
                held.append(connection)
            time.sleep(2)
            grown = target.memory() - before
            served = tls_request(trial, target)
            for connection in held:
                connection.close()
            time.sleep(1)
            trial.row(
                f"{count:,} handshakes begun: {name}",
                served and grown / count <= bound,
                f"{grown / count / 1024:.1f} KiB each (bound {bound >> 10}); "
                f"RSS {before >> 20} MiB before, {before + grown >> 20} at the height, "
                f"{target.memory() >> 20} afterwards; "
                f"another client is {'served' if served else 'NOT served'}",
            )


def client_hello():
    """A TLS client's first message."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def tls_request(trial, target):
    """Whether a well-behaved TLS client is answered."""
    context = ssl.create_default_context(cafile=f"{trial.work}/authority.pem")
    try:
        with connect(target.port, seconds=5) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as connection:
                connection.sendall(REQUEST)
                return b" 200 " in connection.recv(4096)
    except OSError:
        return False


def crowd(trial, tls):
    """Idle connections from many loopback addresses, and the memory for each."""
    count, bound = (1000 if trial.is_short else 10_000), (40 if tls else 16) * 1024
    options = ("--limit", "connectionsPerPeerMax=100000", "--limit", "keepAliveSecondsMax=600")
    options += ("--limit", f"connectionsMax={count + 100}")
    context = ssl.create_default_context(cafile=f"{trial.work}/authority.pem") if tls else None

    def open_one(number):
        connection = connect(target.port, f"127.0.0.{1 + number % 8}")
        if tls:
            connection = context.wrap_socket(connection, server_hostname="localhost")
        connection.sendall(REQUEST)
        connection.recv(4096)
        return connection

    with trial.target(*options, tls="ec" if tls else None) as target:
        warm = [open_one(number) for number in range(100)]
        before, began = target.memory(), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            kept = list(pool.map(open_one, range(count - 100)))
        each = (target.memory() - before) / len(kept)
        took, cpu = time.monotonic() - began, target.cpu()
        time.sleep(2)
        idle = (target.cpu() - cpu) / 2
        alive = all(
            connection.sendall(REQUEST) is None and b" 200 " in connection.recv(4096)
            for connection in kept[::100] + warm[:1]
        )
        trial.row(
            f"{count:,} idle {'TLS' if tls else 'plain'} connections",
            alive and each <= bound and idle < 0.1,
            f"{each / 1024:.1f} KiB each (bound {bound >> 10}), opened in {took:.1f} s, "
            f"idle CPU {idle:.1%}",
        )
        for connection in warm + kept:
            connection.close()
