"""Delivery to the merchant's systems, compared with nginx forwarding the same request."""

import os
import re
import shutil
import socket
import time

from lab.bench.costs import CONNECTIONS, SECOND_MAX, count_text, micros, p99, rate
from lab.bench.turns import Turns
from lab.bench.wrk import CORES, Measured, load, pinned
from lab.processes import Process

SHOP_PORT, PROXY_PORT = 18961, 18962
# Requests per second that a slow destination accepts.
SLOW_RATE = 1500
# Threads that serve the intake; all others deliver, or do neither.
INTAKE = ("ipnd-loop", "ipnd-journal", "ipnd-segment", "ipnd-snapshot", "ipnd-index", "ipnd-log")
HEAD = """
worker_processes 1; daemon off; error_log error.log; pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; client_body_buffer_size 64k;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
"""
# The merchant's system: as cheap as possible, on the load generator's core.
SHOP = f"""{HEAD}
  server {{ listen 127.0.0.1:{SHOP_PORT}; location / {{ return 204; }} }}
}}
"""
# limit_req delays requests that arrive too soon. It does not count requests with an empty key.
SLOW_SHOP = f"""{HEAD}
  limit_req_zone $server_port zone=all:1m rate={SLOW_RATE}r/s;
  server {{
    listen 127.0.0.1:{SHOP_PORT};
    location / {{ limit_req zone=all burst=100000; try_files /nothing @taken; }}
    location @taken {{ return 204; }}
  }}
}}
"""
PROXY = f"""{HEAD}
  upstream shop {{ server 127.0.0.1:{SHOP_PORT}; keepalive {CONNECTIONS}; }}
  server {{
    listen 127.0.0.1:{PROXY_PORT};
    location / {{
      proxy_pass http://shop; proxy_http_version 1.1; proxy_set_header Connection "";
    }}
  }}
}}
"""


class Delivery:
    """Rows of the section `delivery`."""

    def __init__(self, sections):
        self.sections, self.sandbox, self.row = sections, sections.sandbox, sections.row
        self.seconds, self.turns = sections.seconds, sections.turns
        self.events = 12_000 * self.seconds

    def measure(self):
        self.request = self.captured()
        self.report_cost(Turns(self.cost_turn() for _ in range(self.turns)))
        self.report_slow(self.catch_up(SLOW_SHOP, 3 * SLOW_RATE * self.seconds))
        self.report_intake(
            Turns(turn for series in range(self.turns) for turn in self.intake_turns(series))
        )
        for count in self.sections.history:
            self.report_down(count, *self.down(count))

    # The cost of a delivery

    def cost_turn(self):
        with self.shop(SHOP), self.nginx("proxy", PROXY, PROXY_PORT) as proxy:
            nginx = load(proxy, self.request, self.seconds)
        return {"nginx": nginx, "ipnd": self.catch_up(SHOP, self.events)}

    def catch_up(self, shop, count):
        """A destination that receives `count` events: deliveries per second, and the CPU of each.
        The first and the last tenth are excluded."""
        self.fill(count)
        with self.shop(shop), self.serve() as server:
            self.await_told(server, count // 10)
            sent, cpu, began = self.sent(server), server.cpu(), time.monotonic()
            self.await_told(server, count * 9 // 10)
            sent = self.sent(server) - sent
            seconds, cpu = time.monotonic() - began, server.cpu() - cpu
            threads = self.by_thread(server)
        return {"persecond": sent / seconds, "cpu": cpu * 1e6 / sent, "threads": threads}

    def report_cost(self, turns):
        middle, spread = turns.middle, turns.spread
        nginx = lambda turn: turn["nginx"]["cpu"]
        pace = lambda turn: turn["ipnd"]["persecond"]
        cpu = lambda turn: turn["ipnd"]["cpu"]
        beside = lambda turn: cpu(turn) / nginx(turn)
        self.row(
            "nginx: proxy_pass of the same request",
            micros(middle(nginx)),
            rate(middle(lambda turn: turn["nginx"]["persecond"])),
        )
        self.row(
            f"deliveries, {CONNECTIONS} in flight",
            rate(middle(pace)),
            spread(pace, 0),
            "≥ 5,000/s",
            middle(pace) >= 5000,
        )
        self.row(
            "CPU of a delivery",
            micros(middle(cpu)),
            f"{middle(beside):.2f} × nginx, {spread(beside)}",
            "≤ 4 ×",
            middle(beside) <= 4,
        )
        self.row("where it goes", "", turns.typical(cpu)["ipnd"]["threads"])

    def report_slow(self, found):
        share = found["persecond"] / SLOW_RATE
        self.row(
            f"destination that takes {SLOW_RATE:,} a second",
            rate(found["persecond"]),
            f"{share:.2f} × what it takes",
            "≥ 0.95 ×",
            share >= 0.95,
        )

    # The effect on the intake

    def intake_turns(self, series):
        """One server, for a second each in turn with its destination paused and active, so that the
        cost of the history and the machine is nearly the same for both. At full load, and at a
        quarter."""
        count = 3 * self.events
        self.fill(count)
        names, place = ["alone", "beside"], 0
        with self.shop(SHOP), self.serve() as server:
            server.await_index()
            self.await_told(server, 1000)
            while place < (self.seconds - 1) * SECOND_MAX["antom"]:
                turn = {}
                for pace, pause in (("full", 0.0), ("paced", 4000 * CONNECTIONS / 20_000)):
                    for name in names:
                        found = self.intake(server, name == "beside", series, place, pause)
                        turn[name, pace] = found
                        place += found["requests"] + CONNECTIONS
                # The second measurement finds the processor's cache as the first one left it.
                names.reverse()
                if self.sent(server) >= count:
                    print("  all was delivered before the load ended")
                yield turn

    def intake(self, server, delivers, series, place, pause):
        server.post(f"/destinations/shop/{'resume' if delivers else 'pause'}")
        # Waits until requests in flight are answered, or deliveries have resumed.
        time.sleep(0.3)
        sent, before = self.sent(server), self.others(server)
        began = time.monotonic()
        found = self.sections.second(server, series, place, pause=pause, rest=0.0)
        found["seconds"] = time.monotonic() - began
        found["left"] = found["seconds"] - (self.others(server) - before)
        found["sent"] = (self.sent(server) - sent) / found["seconds"]
        return found

    def report_intake(self, turns):
        middle, half = turns.middle, turns.middle_half
        each = lambda found: found["persecond"] * found["seconds"] / found["left"]
        share = lambda turn: each(turn["beside", "full"]) / each(turn["alone", "full"])
        slower = lambda turn: p99(turn["beside", "paced"]) / p99(turn["alone", "paced"])
        typical = turns.typical(share)["beside", "full"]
        self.row(
            "intake while delivering, per CPU second left",
            f"{middle(share):.2f} × alone",
            f"{half(share)}; {rate(typical['persecond'])} beside {rate(typical['sent'])}",
            "≥ 0.8 ×",
            middle(share) >= 0.8,
        )
        typical = turns.typical(slower)
        self.row(
            "p99 of the intake while delivering",
            f"{middle(slower):.2f} × alone",
            f"{half(slower)}; {p99(typical['beside', 'paced']):.2f} ms beside "
            f"{rate(typical['beside', 'paced']['sent'])}, {p99(typical['alone', 'paced']):.2f} ms "
            f"alone, at {rate(typical['alone', 'paced']['persecond'])}",
            "≤ 1.5 ×",
            middle(slower) <= 1.5,
        )

    # A destination that is down

    def down(self, count):
        """Memory with the destination down and without it, and the intake's CPU: two servers on one
        core over equal journals, each loaded for a second in turn."""
        self.fill(count)
        for series in range(self.turns):
            self.sections.requests("antom", series)
        self.sandbox.copy_beside()
        with self.serve() as down, self.sandbox.serve_beside(keep=True) as none:
            for server in (down, none):
                server.await_index()
            # Waits until the breaker is open and the queue is full.
            time.sleep(10)
            growth = down.memory() - none.memory()
            turns = [
                turn
                for series in range(self.turns)
                for turn in self.sections.in_turn({True: down, False: none}, series)
            ]
        return growth, Turns(turns)

    def report_down(self, count, growth, turns):
        self.row(
            f"destination down for {count_text(count)} events: memory",
            f"{growth / 2**20:.1f} MiB",
            "beside none",
            "≤ 64 MiB",
            growth <= 64 << 20,
        )
        ratio = lambda turn: turn[True]["cpu"] / turn[False]["cpu"]
        self.row(
            "the same: CPU of a notification",
            f"{turns.middle(ratio):.2f} × without",
            turns.middle_half(ratio),
            "≤ 1.05 ×",
            turns.middle(ratio) <= 1.05,
        )

    # Shared helpers

    def fill(self, count):
        """A journal with `count` events of one order each, indexed; nothing was delivered."""
        self.sandbox.forget()
        if count:
            self.sandbox.fill(count)

    def serve(self, delivers=True):
        """ipnd on the last core, with one destination or none."""
        more = (
            f'destinations: [{{name: shop, url: "http://127.0.0.1:{SHOP_PORT}/payments", '
            "secrets: [{file: secrets/shop}], proxy: direct, from: beginning}]"
        )
        path = f"{self.sandbox.folder}/secrets/shop"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        replace = [("endpoints:", f"{more}\nendpoints:")] if delivers else []
        name = "delivering" if delivers else "not-delivering"
        return self.sandbox.serve(name=name, replace=replace)

    def shop(self, configuration):
        return self.nginx("shop", configuration, SHOP_PORT, CORES[0])

    def nginx(self, name, configuration, port, core=None):
        """Runs on the last core and is measured, or on another core."""
        folder = f"{self.sandbox.work}/{name}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(configuration)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        command = [program, "-p", folder, "-c", f"{folder}/nginx.conf"]
        if core is None:
            return Measured(command, f"{folder}/output", port)
        server = Process([*pinned(core), *command], f"{folder}/output")
        server.await_ports(port)
        return server

    def captured(self):
        """A file with the request of one delivery, as ipnd sends it."""
        self.fill(1)
        with socket.create_server(("127.0.0.1", SHOP_PORT)) as listener, self.serve():
            connection, _ = listener.accept()
            data = b""
            while True:
                head, found, body = data.partition(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                if found and length and len(body) >= int(length[1]):
                    break
                data += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 204 X\r\n\r\n")
            connection.close()
        data = data.replace(b"Host: 127.0.0.1:%d" % SHOP_PORT, b"Host: localhost")
        path = f"{self.sandbox.work}/delivery.load"
        with open(path, "wb") as file:
            file.write(b"%8d" % len(data) + data)
        return path

    @staticmethod
    def sent(server):
        pattern = r'ipnd_delivery_attempts_total{destination="shop",outcome="delivered"}'
        return server.metric(pattern) or 0

    def await_told(self, server, count, seconds=300):
        end = time.monotonic() + seconds
        while self.sent(server) < count:
            if time.monotonic() > end:
                raise SystemExit(f"{self.sent(server):.0f} of {count} were delivered; {server.log}")
            time.sleep(0.1)

    @staticmethod
    def others(server):
        """CPU seconds of all threads but those of the intake."""
        return sum(
            spent for key, spent in server.threads().items() if not key[-1].startswith(INTAKE)
        )

    @staticmethod
    def by_thread(server):
        spent = {}
        for key, used in server.threads().items():
            spent[key[-1]] = spent.get(key[-1], 0) + used
        whole = sum(spent.values())
        shares = sorted(spent.items(), key=lambda item: -item[1])[:4]
        return ", ".join(f"{name} {used / whole:.0%}" for name, used in shares)
