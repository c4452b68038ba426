"""Phases about unsigned requests: floods of them, and bodies that are expensive to check."""

import re
import subprocess
import threading
import time

from lab.notifications import post, signed, write_load
from lab.senders import connect, exchange, read_status, send_all

RATE = 400
SOURCE = "127.0.1.1"
FLOOD = """local requests, place, wrong = {}, 0, 0
function setup(thread) worker = thread end
function init()
  others = 0
  local file = io.open("%s", "rb")
  while true do
    local length = file:read(8)
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
end
function request() place = place %% #requests + 1; return requests[place] end
function response(status) if status ~= 401 then others = others + 1 end end
function done(summary)
  io.write(string.format("flood %%d %%.0f %%d\\n", summary.requests,
    summary.requests / (summary.duration / 1e6), worker:get("others")))
end
"""


def genuine(trial, sandbox, server, prefix):
    """Sends genuine notifications at a fixed rate; returns the results."""
    count = RATE * (5 if trial.is_short else 10)
    requests = signed(sandbox, "antom", count, prefix)
    return lambda: send_all(server.port, requests, rate=RATE, source=SOURCE)


def signatures(trial):
    """Genuine notifications, alone and during a flood of well-formed unsigned ones."""
    sandbox = trial.sandbox("signatures")
    with sandbox.start() as server:
        # The signature keeps RSA's form, so each costs a complete verification.
        forged = [
            r.replace(b"FORGED-", b"forged-") for r in signed(sandbox, "antom", 2000, "FORGED")
        ]
        write_load(f"{sandbox.folder}/forged", forged)
        with open(f"{sandbox.folder}/forged.lua", "w") as file:
            file.write(FLOOD % f"{sandbox.folder}/forged")
        alone = genuine(trial, sandbox, server, "ALONE")()
        beside = genuine(trial, sandbox, server, "BESIDE")
        seconds = 7 if trial.is_short else 12
        flood = subprocess.Popen(
            [
                *("wrk", "-t1", "-c64", f"-d{seconds}s", "-s", f"{sandbox.folder}/forged.lua"),
                f"http://127.0.0.1:{server.port}/",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(1)
        beside = beside()
        text = flood.communicate(timeout=60)[0]
    count, each, others = re.search(r"flood (\d+) (\d+) (\d+)", text).groups()
    failures = alone.failures + beside.failures
    held = (
        not failures
        and others == "0"
        and int(count) > 1000
        and beside.rate >= 0.9 * RATE
        and beside.milliseconds(0.99) <= 1000
    )
    trial.row(
        "genuine notifications alone",
        not alone.failures,
        f"{alone} ({RATE}/s sent over 8 connections)",
    )
    trial.row(
        "genuine beside bad signatures",
        held,
        f"{beside}; {len(failures)} failures {failures[:1] or ''}; flood of {each}/s over 64 "
        f"connections, all 401 but {others} (bounds: 90 % of the rate, p99 1 s)",
    )


def costly_bodies():
    """Unsigned bodies designed to maximise the cost of refusing them, each with its endpoint."""

    def elements(key, count, value):
        values = ",".join(value % n if "%" in value else value for n in range(count))
        return '{"signature":"AAAA","%s":[%s]}' % (key, values)

    names = [f"z{n}" for n in range(64)]
    escaped = ",".join(f'"\\u006e{100000 + n}":1' for n in range(7900))
    listed = ",".join(f'"{name}":1' for name in names)
    among = '{%s,"sign":"a","fields":"%s",%s}' % (escaped, ",".join(names), listed)
    alike = ",".join('"%s%d%s":1' % ("k" * 15000, 1000 + n, "k" * 15000) for n in range(32))
    accents = "&".join("%s%d=1" % ("e%CC%81" * 500, n) for n in range(256))
    long = "k" * 1000
    return [
        ("ecommpay: 1,000-byte key, 1,000 elements", "ecommpay", elements(long, 1000, "1")),
        ("ecommpay: 1,000-byte key, 1,000 fractions", "ecommpay", elements(long, 1000, "%d.50")),
        ("ecommpay: 7-byte key, 1,000 fractions", "ecommpay", elements("7777777", 1000, "%d.50")),
        ("ecommpay: 4-byte key, 200 fractions", "ecommpay", elements("kkkk", 200, "%d.50")),
        ("citcon: 64 names among 7,900 escaped", "citcon", among),
        ("citcon-pay: the same as JSON", "citcon-pay", among),
        ("citcon-pay: form of 256 names alike", "citcon-pay", accents),
        ("citcon: 32 names of 30 kB with one hint", "citcon", "{%s}" % alike),
    ]


class Attacker(threading.Thread):
    """Sends costly bodies on a separate connection, 60 a second."""

    def __init__(self, port, requests):
        super().__init__(daemon=True)
        self.port, self.requests, self.sent, self.done = port, requests, 0, False

    def run(self):
        with connect(self.port) as connection:
            due = time.monotonic()
            while not self.done:
                exchange(connection, self.requests[self.sent % len(self.requests)])
                self.sent += 1
                due += 1 / 60
                time.sleep(max(0, due - time.monotonic()))


def amplification(trial):
    """The cost of an unsigned body, and genuine notifications during 60 of the worst per second."""
    sandbox = trial.sandbox("amplification")
    with sandbox.start() as server:
        worst = []
        for name, endpoint, body in costly_bodies():
            request = post(endpoint, body.encode())
            cost_of(trial, server, name, request)
            if endpoint == "ecommpay":
                worst.append(request)
        alone = genuine(trial, sandbox, server, "ALONE")()
        beside = genuine(trial, sandbox, server, "BESIDE")
        attacker = Attacker(server.port, worst)
        attacker.start()
        beside = beside()
        attacker.done = True
        attacker.join(20)
    held = (
        not alone.failures
        and not beside.failures
        and beside.milliseconds(0.5) <= alone.milliseconds(0.5) + 10
        and attacker.sent > 30 * (5 if trial.is_short else 10)
    )
    trial.row(
        "genuine beside costly bodies",
        held,
        f"alone {alone}; beside {beside}; {attacker.sent} costly bodies in between "
        "(bound: p50 10 ms above alone)",
    )


def cost_of(trial, server, name, request):
    """The CPU time for one costly body."""
    before, statuses = server.cpu(), set()
    count = max(40, min(400, 16_000_000 // len(request)))
    with connect(server.port) as connection:
        for _ in range(count):
            connection.sendall(request)
            statuses.add(read_status(connection))
    each = (server.cpu() - before) / count * 1e6
    # 16 bytes of work for each byte and 64 KiB, at less than 2.5 ns, plus the cost of any request.
    bound = (16 * len(request) + 65536) * 2.5e-3 + 150
    trial.row(
        name,
        each <= bound and statuses <= {400, 401},
        f"{each:.0f} us of CPU for {len(request)} bytes, "
        f"{'/'.join(map(str, sorted(statuses)))} (bound {bound:.0f} us)",
    )
