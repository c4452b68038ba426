"""Calls as providers make them: a connection for each notification, a handshake for each, one at a
time."""

import os
import shutil
import subprocess
import time

from lab.bench import references
from lab.bench.costs import micros, p99, rate
from lab.bench.sandbox import PORT, TLS_PORT
from lab.bench.turns import Turns
from lab.bench.wrk import CORES, HERE, pinned
from lab.processes import Process

PROXY_PORT = 18963
# nginx in front of ipnd: by default with HTTP/1.0 and a connection for each request, and with
# keep-alive connections.
PROXY = """
worker_processes 1; daemon off; error_log error.log; pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; client_body_buffer_size 64k;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream ipnd { server 127.0.0.1:%d; %s }
  server { listen 127.0.0.1:%d; location / { proxy_pass http://ipnd; %s } }
}
"""
KEPT = ("keepalive 64;", 'proxy_http_version 1.1; proxy_set_header Connection "";')


class Calls:
    """Rows of the section `calls`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row
        self.seconds = sections.seconds

    def measure(self):
        every = range(self.sections.turns)
        self.report_close(Turns(self.close_turn() for _ in every))
        self.report_proxy(Turns(self.proxy_turn() for _ in every))
        self.report_handshakes(Turns(self.handshake_turn() for _ in every))
        self.report_alone(Turns(self.alone_turn() for _ in every))

    def load(self, server, **options):
        return self.sections.fresh("antom", server, **options)

    def fresh_ipnd(self, **variant):
        self.sandbox.forget()
        return self.sandbox.serve(**variant)

    def nginx(self, certificate=None):
        port = TLS_PORT if certificate else PORT
        return references.nginx(f"{self.sandbox.work}/nginx", port, certificate, resumes=True)

    # A connection for each

    def close_turn(self):
        turn = {"verify": references.verify_microseconds()}
        with self.nginx() as nginx:
            turn["nginx"] = self.load(nginx, close=True)
        with self.fresh_ipnd() as ipnd:
            turn["ipnd"] = self.load(ipnd, close=True)
        key = f"{self.sandbox.folder}/keys/antom.pem"
        if node := references.node(self.sandbox.work, PORT, key):
            with node:
                turn["node"] = self.load(node, close=True)
        return turn

    def report_close(self, turns):
        middle, spread = turns.middle, turns.spread
        cost = lambda turn: turn["ipnd"]["cpu"]
        floor = lambda turn: turn["nginx"]["cpu"] + turn["verify"]
        ratio = lambda turn: cost(turn) / floor(turn)
        self.row(
            "a connection each: nginx's bare answer",
            micros(middle(lambda turn: turn["nginx"]["cpu"])),
            f"a verification {micros(middle(lambda turn: turn['verify']))}",
        )
        self.row(
            "a connection each: CPU of a notification",
            micros(middle(cost)),
            f"{middle(ratio):.2f} × (nginx + verification), {spread(ratio)}",
            "≤ 1.25 ×",
            middle(ratio) <= 1.25,
        )
        typical = turns.typical(ratio)["ipnd"]
        self.row("a connection each: p99", f"{p99(typical):.2f} ms", rate(typical["persecond"]))
        if "node" not in turns.turns[0]:
            return
        beside = lambda turn: turn["ipnd"]["persecond"] / turn["node"]["persecond"]
        node = rate(middle(lambda turn: turn["node"]["persecond"]))
        self.row(
            "a connection each: rate beside Node",
            f"{middle(beside):.2f} ×",
            f"{spread(beside)}; Node {node}",
            "≥ 2 ×",
            middle(beside) >= 2,
        )

    # Behind nginx

    def proxy_turn(self):
        """The CPU of nginx and ipnd together, on one core."""
        turn = {}
        for name, settings in (("default", ("", "")), ("kept", KEPT)):
            folder = f"{self.sandbox.work}/proxy"
            os.makedirs(folder, exist_ok=True)
            with open(f"{folder}/nginx.conf", "w") as file:
                file.write(PROXY % (PORT, settings[0], PROXY_PORT, settings[1]))
            program = shutil.which("nginx") or "/usr/sbin/nginx"
            with self.fresh_ipnd() as ipnd:
                command = [program, "-p", folder, "-c", f"{folder}/nginx.conf"]
                with Process([*pinned(CORES[-1]), *command], f"{folder}/output") as nginx:
                    nginx.await_ports(PROXY_PORT)
                    before = nginx.cpu()
                    found = self.load(ipnd, url=f"http://127.0.0.1:{PROXY_PORT}/")
                    spent = (nginx.cpu() - before) * 1e6 / found["requests"]
            turn[name] = found["cpu"] + spent
        return turn

    def report_proxy(self, turns):
        default = turns.middle(lambda turn: turn["default"])
        kept = lambda turn: turn["kept"] / turn["default"]
        self.row("behind nginx as it comes: CPU of both", micros(default))
        self.row(
            "behind nginx with `keepalive`: CPU of both",
            micros(turns.middle(lambda turn: turn["kept"])),
            f"{turns.middle(kept):.2f} × as it comes, {turns.spread(kept)}",
        )

    # A handshake for each

    def handshake_turn(self):
        certificate = self.sections.certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        url = f"https://127.0.0.1:{TLS_PORT}/"
        turn = {"verify": references.verify_microseconds()}
        with self.nginx(certificate) as nginx:
            turn["nginx"] = self.load(nginx, close=True, url=url)
        with self.fresh_ipnd(name="tls", certificate=certificate) as ipnd:
            turn["ipnd"] = self.load(ipnd, close=True, url=url)
        return turn

    def report_handshakes(self, turns):
        cost = lambda turn: turn["ipnd"]["cpu"]
        ratio = lambda turn: cost(turn) / (turn["nginx"]["cpu"] + turn["verify"])
        self.row(
            "a handshake each: CPU of a notification",
            micros(turns.middle(cost)),
            f"{turns.middle(ratio):.2f} × (nginx + verification), {turns.spread(ratio)}",
            "≤ 1.2 ×",
            turns.middle(ratio) <= 1.2,
        )

    # One at a time

    def alone_turn(self):
        turn = {"verify": references.verify_microseconds()}
        with self.nginx() as nginx:
            turn["nginx"] = self.load(nginx, connections=1)
        turn["sync"], turn["syncs"] = self.sync()
        with self.fresh_ipnd() as ipnd:
            turn["ipnd"] = self.load(ipnd, connections=1)
        return turn

    def sync(self):
        """CPU and clock time of a bare pwrite and fdatasync, in microseconds."""
        program = f"{self.sandbox.work}/sync"
        subprocess.run(["cc", "-O2", "-o", program, f"{HERE}/sync.c"], check=True)
        command = [*pinned(CORES[-1]), program, f"{self.sandbox.folder}/sync", "4000", "2048"]
        time.sleep(1)
        return map(float, subprocess.run(command, check=True, capture_output=True).stdout.split())

    def report_alone(self, turns):
        middle, spread = turns.middle, turns.spread
        half = lambda found: found["milliseconds"]["50"]
        cost = lambda turn: turn["ipnd"]["cpu"]
        parts = lambda turn: turn["nginx"]["cpu"] + turn["verify"] + turn["sync"]
        ratio = lambda turn: cost(turn) / parts(turn)
        wait = lambda turn: half(turn["nginx"]) + (turn["verify"] + turn["syncs"]) / 1000
        more = lambda turn: half(turn["ipnd"]) - wait(turn)
        self.row(
            "one at a time: nginx, verification, pwrite and fdatasync",
            micros(middle(parts)),
            ", ".join(
                micros(middle(part))
                for part in (
                    lambda turn: turn["nginx"]["cpu"],
                    lambda turn: turn["verify"],
                    lambda turn: turn["sync"],
                )
            ),
        )
        self.row(
            "one at a time: CPU of a notification",
            micros(middle(cost)),
            f"{middle(ratio):.2f} × its parts, {spread(ratio)}",
            "≤ 1.5 ×",
            middle(ratio) <= 1.5,
        )
        self.row(
            "one at a time: p50",
            f"{middle(lambda turn: half(turn['ipnd'])):.3f} ms",
            f"{middle(more):+.3f} ms beside its parts ({middle(wait):.3f} ms), {spread(more)}",
            "≤ + 0.1 ms",
            middle(more) <= 0.1,
        )
