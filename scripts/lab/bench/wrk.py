"""A measured server, and wrk."""

import json
import os
import subprocess
import time

from lab.processes import Process

CORES = sorted(os.sched_getaffinity(0))
HERE = os.path.dirname(os.path.abspath(__file__))


def pinned(core):
    return ["taskset", "-c", str(core)]


def settle():
    """Waits until earlier programs' writes are done and their memory is free, so that no load pays
    for the one before."""
    os.sync()
    time.sleep(1)


class Measured(Process):
    """A program on the last core, or on all. taskset becomes the program, so its id is the same."""

    def __init__(self, command, log, *ports, pin=True):
        settle()
        began = time.monotonic()
        open(log, "wb").close()
        super().__init__([*(pinned(CORES[-1]) if pin else []), *command], log)
        self.port = ports[0]
        self.await_ports(*ports)
        self.startup = time.monotonic() - began


def load(
    server,
    requests,
    seconds,
    connections=64,
    limit=0,
    pause=0.0,
    skip=0,
    pin=True,
    rest=0.0,
    close=False,
    url=None,
):
    """Runs wrk and returns its script's output with the server's CPU microseconds per request:
    `cpu`, and `threads` by name. Work within `rest` seconds after the last request is included.
    `close`: each request uses a new connection. `url`: another way to the server."""
    before, began = server.threads(), server.cpu()
    wrk = subprocess.run(
        [
            *(pinned(CORES[0]) if pin else []),
            *("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", f"{HERE}/load.lua"),
            *(url or f"http://127.0.0.1:{server.port}/", "--", requests, str(limit)),
            *(f"{pause:.3f}", str(skip), str(int(close))),
        ],
        stdout=subprocess.PIPE,
        check=True,
    )
    time.sleep(rest)
    result = json.loads(wrk.stdout.splitlines()[-1])
    requests = max(1, result["requests"])
    result["cpu"] = (server.cpu() - began) * 1e6 / requests
    result["threads"] = {}
    for key, spent in server.threads().items():
        name, used = key[-1], (spent - before.get(key, 0)) * 1e6 / requests
        result["threads"][name] = result["threads"].get(name, 0) + used
    if result["bad"] or result["errors"]:
        raise SystemExit(
            f"{result['bad']} answers other than 200 and 204, {result['errors']} errors: no valid "
            f"measurement; see {server.log}"
        )
    return result
