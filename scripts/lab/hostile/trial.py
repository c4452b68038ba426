"""Shared by the phases: targets, a probe that must be served meanwhile, and the table of
verdicts."""

import subprocess
import threading
import time

from lab.processes import Process
from lab.sandbox import Sandbox
from lab.senders import connect
from lab.shell import bench_program

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
# The limit per client, disabled for attacks that come from one address.
MANY = ("--limit", "connectionsPerPeerMax=5000")


class Trial:
    def __init__(self, ipnd, work, is_short):
        self.ipnd, self.work, self.is_short = ipnd, work, is_short
        self.has_failed = False

    def row(self, name, held, text):
        self.has_failed = self.has_failed or not held
        print(f"{'held' if held else 'FAILED':7} {name:34} {text}", flush=True)

    def target(self, *options, tls=None):
        return Target(self, options, tls)

    def sandbox(self, name):
        return Sandbox(self.ipnd, f"{self.work}/{name}")

    def attack(self, name, target, action, note=lambda: ""):
        """Passed if the probe was served throughout and the target is alive."""
        probe, before = Probe(target.port), target.cpu()
        began = time.monotonic()
        action()
        spent = (target.cpu() - before) / max(0.1, time.monotonic() - began)
        held, text = probe.verdict()
        self.row(
            name,
            held and target.is_running,
            f"{text}; {spent:.0%} of a core; RSS {target.memory() >> 20} MiB{note()}",
        )


class Target(Process):
    """An `ipnd-bench echo` on its own port, on every loopback address."""

    def __init__(self, trial, options, tls):
        command = [bench_program(trial.ipnd), "echo", "--listen", "0.0.0.0:0", "--loops", "2"]
        command += options
        if tls:
            command += ["--certificate", f"{trial.work}/{tls}.pem"]
            command += ["--key", f"{trial.work}/{tls}.key"]
        super().__init__(command, f"{trial.work}/echo.log", output=subprocess.PIPE)
        self.port = int(self.read_line("").split()[-1].rsplit(":", 1)[1])


class Probe(threading.Thread):
    """A well-behaved client from its own address: a new connection for each request."""

    def __init__(self, port, source="127.0.1.1"):
        super().__init__(daemon=True)
        self.port, self.source = port, source
        self.times, self.failures, self.done = [], 0, False
        self.start()

    def run(self):
        while not self.done:
            began = time.monotonic()
            try:
                with connect(self.port, source=self.source, seconds=5) as connection:
                    connection.sendall(REQUEST)
                    self.failures += b" 200 " not in connection.recv(4096)
            except OSError:
                self.failures += 1
            self.times.append(time.monotonic() - began)
            time.sleep(0.05)

    def verdict(self):
        self.done = True
        self.join()
        times = sorted(self.times) or [9]
        text = (
            f"probe {len(self.times)} answers, {self.failures} failures, "
            f"median {times[len(times) // 2] * 1e3:.1f} ms, worst {times[-1] * 1e3:.0f} ms"
        )
        return self.failures == 0 and len(self.times) > 3, text
