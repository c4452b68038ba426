"""Phases about the admin API: a damaged index, and readers that do not read."""

import glob
import json
import os
import shutil
import socket
import sqlite3
import time

from lab.hostile.intake import send_by_command, send_large
from lab.processes import NotReady

READERS = 200


def mishaps(folder):
    """The damages of the index: name, whether the server runs meanwhile, action."""
    file = f"{folder}/index/orders.sqlite"

    def types():
        connection = sqlite3.connect(file)
        with connection:
            connection.execute("UPDATE orders SET created = 'then', flags = x'ff' WHERE first = 7")
        connection.close()

    def garbled():
        with open(file, "r+b") as target:
            target.write(os.urandom(os.path.getsize(file)))

    def blocked():
        shutil.rmtree(f"{folder}/index")
        open(f"{folder}/index", "w").close()

    def each(action):
        for name in glob.glob(file + "*"):
            action(name)

    return [
        ("values of other types", False, types),
        ("garbled while stopped", False, garbled),
        ("cut while stopped", False, lambda: os.truncate(file, 8000)),
        ("cut to nothing in use", True, lambda: each(lambda name: os.truncate(name, 0))),
        ("deleted in use", True, lambda: each(os.unlink)),
        ("log deleted in use", True, lambda: os.unlink(file + "-wal")),
        ("garbled in use", True, garbled),
        ("no place to be opened", False, blocked),
    ]


def index(trial):
    """Damages the index in every known way: no notification is refused, and lists recover."""
    sandbox, sent = trial.sandbox("index"), 300
    server = sandbox.start()
    refused = send_by_command(sandbox, server, sent)
    for name, runs, action in mishaps(sandbox.folder):
        if not runs:
            server.stop()
        action()
        if not runs:
            try:
                server = sandbox.start()
            except NotReady as error:
                return trial.row(f"index: {name}", False, str(error))
        refused += send_by_command(sandbox, server, 20)
        sent, absent, began = sent + 20, 0, time.monotonic()
        if name == "no place to be opened":
            absent = server.get("/orders")[0]
            os.unlink(f"{sandbox.folder}/index")
        healed = await_list(server, sent)
        trial.row(
            f"index: {name}",
            healed and refused == 0 and server.is_running,
            f"{refused} notifications refused, all {sent} orders listed after "
            f"{time.monotonic() - began:.1f} s{f', {absent} before' if absent else ''}",
        )
        if not healed:
            break
    return server.stop()


def await_list(server, count, seconds=30):
    """Whether all orders are listed in time."""
    end = time.monotonic() + seconds
    while server.is_running and time.monotonic() < end:
        status, body = server.get("/orders?limit=1000")
        if status == 200 and len(json.loads(body)["orders"]) == count:
            return True
        time.sleep(0.02)
    return False


def readers(trial):
    """Clients that request 24 records of 1 MB each, and read nothing."""
    for way in ("streams held open", "streams begun late", "pages"):
        sandbox = trial.sandbox(f"readers-{way.split()[-1]}")
        path = sandbox.configure("readers", "limits: {connectionsPerPeerMax: 5000}")
        with sandbox.start(path) as server:
            readers_of(trial, sandbox, server, way)


def readers_of(trial, sandbox, server, way):
    def client():
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.admin))
        accept = "application/json" if way == "pages" else "text/event-stream"
        connection.sendall(
            f"GET /events?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {server.token}"
            f"\r\nAccept: {accept}\r\n\r\n".encode()
        )
        return connection

    clients = [client() for _ in range(READERS)] if way == "streams held open" else []
    time.sleep(1)
    before = server.memory() >> 20
    send_large(sandbox, server, 24, 1_000_000)
    clients = clients or [client() for _ in range(READERS)]
    time.sleep(4)
    refused = send_by_command(sandbox, server, 50)
    dropped = server.metric("ipnd_readers_dropped_total")
    for connection in clients:
        connection.close()
    time.sleep(2)
    height, after = server.memory("VmHWM") >> 20, server.memory() >> 20
    trial.row(
        f"{READERS} readers who read nothing: {way}",
        height < before + 256 and after < before + 96 and refused == 0,
        f"RSS {before} MiB before, {height} at the height, {after} afterwards; "
        f"{dropped:.0f} dropped",
    )
