"""A server under measurement: where it runs, what CPU and memory it uses, and wrk against it."""

import json
import os
import re
import socket
import subprocess
import time

CORES = sorted(os.sched_getaffinity(0))
HERE = os.path.dirname(os.path.abspath(__file__))


def pinned(core):
    return ["taskset", "-c", str(core)]


def settle():
    """What ran before has written everything and given its memory back: no load pays for the one before it."""
    os.sync()
    time.sleep(1)


class Server:
    """A process on the last core (or on all), with the CPU of all its threads and children."""

    def __init__(self, command, port, log, pin=True, admin=None):
        settle()
        began = time.monotonic()
        self.port = port
        self.log = open(log, "wb")
        self.process = subprocess.Popen(
            (pinned(CORES[-1]) if pin else []) + command, stdout=self.log, stderr=self.log)
        # Connecting, and not a line of output: so all servers are awaited alike.
        for expected in (port, admin or port):
            while not self._accepts(expected):
                if self.process.poll() is not None or time.monotonic() - began > 120:
                    self.process.kill()
                    raise SystemExit(f"{command[0]} does not serve; see {log}")
                time.sleep(0.002)
        self.startup = time.monotonic() - began

    @staticmethod
    def _accepts(port):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return False

    def _family(self):
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [self.process.pid, *map(int, open(children).read().split())]

    def cpu(self):
        """CPU seconds so far, those of threads that have ended too."""
        # A process's CPU clock as clock_getcpuclockid(3) names it: complement of its id, type 2.
        return sum(time.clock_gettime(~process << 3 | 2) for process in self._family())

    def threads(self):
        """CPU seconds of each thread that lives: (process, thread, name) to seconds."""
        used = {}
        for process in self._family():
            for thread in os.listdir(f"/proc/{process}/task"):
                folder = f"/proc/{process}/task/{thread}"
                try:
                    name = open(f"{folder}/comm").read().strip()
                    used[process, thread, name] = int(open(f"{folder}/schedstat").read().split()[0]) / 1e9
                except OSError:
                    continue
        return used

    def rss(self):
        """Resident bytes."""
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def load(server, requests, seconds, connections=64, limit=0, pause=0.0, skip=0, pin=True, rest=0.0):
    """Runs wrk; what its script prints, with the server's CPU microseconds for each request: `cpu`, and
    `threads` by name. What it does in `rest` seconds after the last request counts, too."""
    before, began = server.threads(), server.cpu()
    wrk = subprocess.run(
        [*(pinned(CORES[0]) if pin else []), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s",
         "-s", f"{HERE}/load.lua", f"http://127.0.0.1:{server.port}/", "--", requests, str(limit),
         f"{pause:.3f}", str(skip)], stdout=subprocess.PIPE, check=True)
    time.sleep(rest)
    result = json.loads(wrk.stdout.splitlines()[-1])
    requests = max(1, result["requests"])
    result["cpu"] = (server.cpu() - began) * 1e6 / requests
    result["threads"] = {}
    for key, spent in server.threads().items():
        name, used = key[-1], (spent - before.get(key, 0)) * 1e6 / requests
        result["threads"][name] = result["threads"].get(name, 0) + used
    if result["bad"] or result["errors"]:
        raise SystemExit(f"{result['bad']} answers other than 200, {result['errors']} errors: no valid "
                         f"measurement; see {server.log.name}")
    return result
