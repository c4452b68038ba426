"""The cost of an idle ipnd: its start, size and idle activity."""

import collections
import os
import re
import shutil
import signal
import subprocess
import time

from lab.bench.turns import Turns
from lab.bench.wrk import settle
from lab.processes import Process
from lab.shell import ROOT, need

STARTS = 7
IDLE_SECONDS = 10
# After this time a started server has finished its start-up work.
QUIET_SECONDS = 8
ICU = re.compile(r"icu|^(u|ucal|udat|unum|uloc|ures|utext|ubrk|ucol|uset|uregex|umsg)[A-Za-z]*_")


class Footprint:
    """Rows of the sections `empty` and `idle`."""

    def __init__(self, sections):
        self.sandbox, self.row = sections.sandbox, sections.row

    def empty(self):
        need("binutils")
        self.starts()
        self.size()

    # A start with an empty journal

    def starts(self):
        command = [self.sandbox.ipnd, "serve", "--config", self.sandbox.variant("one-loop")]
        settle()
        bare = Turns(self.version() for _ in range(STARTS))
        new, again = [], []
        for _ in range(STARTS):
            self.sandbox.forget()
            new.append(self.start(command))
            again.append(self.start(command))
        for name, turns in (("first", Turns(new)), ("second", Turns(again))):
            middle = turns.middle(lambda turn: turn["ready"])
            self.row(
                f"{name} start with an empty journal",
                f"{middle:.0f} ms",
                f"to `ready`, {turns.spread(lambda turn: turn['ready'], 0)}; CPU "
                f"{turns.middle(lambda turn: turn['cpu']):.0f} ms; `ipnd --version` "
                f"{bare.middle(lambda seconds: seconds * 1000):.0f} ms",
                "≤ 50 ms",
                middle <= 50,
            )

    def version(self):
        began = time.monotonic()
        self.sandbox.run("--version")
        return time.monotonic() - began

    def start(self, command):
        began = time.monotonic()
        log = f"{self.sandbox.work}/start.log"
        with Process(command, log, output=subprocess.PIPE) as server:
            server.read_line("ready")
            ready = time.monotonic() - began
            return {"ready": ready * 1000, "cpu": server.cpu() * 1000}

    # The size of the program

    def size(self):
        stripped = f"{self.sandbox.work}/stripped"
        subprocess.run(["strip", "-o", stripped, self.sandbox.ipnd], check=True)
        whole = os.path.getsize(stripped)
        os.remove(stripped)
        parts = self.parts()
        text = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in parts.most_common(12))
        self.row("stripped program", f"{whole / 1e6:.1f} MB", f"of symbols: {text} MB")

    def parts(self):
        """Bytes of code and constants by module, from the symbols' names."""
        ours = set(os.listdir(f"{ROOT}/Sources"))
        listing = subprocess.run(
            ["nm", "-S", "--defined-only", self.sandbox.ipnd],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        parts, seen = collections.Counter(), set()
        for line in listing.splitlines():
            words = line.split(None, 3)
            # Merged symbols share an address; zero-initialised data takes no room in the file.
            if len(words) < 4 or words[0] in seen or words[2] in "bB":
                continue
            seen.add(words[0])
            parts[part(words[3], ours)] += int(words[1], 16)
        return parts

    # Idle

    def idle(self):
        need("strace")
        self.sandbox.forget()
        trace = f"{self.sandbox.work}/idle.trace"
        with self.sandbox.serve() as server:
            time.sleep(QUIET_SECONDS)
            names = {thread: name for _, thread, name in server.threads()}
            before = server.cpu()
            strace = shutil.which("strace")
            with Process([strace, "-f", "-ttt", "-o", trace, "-p", str(server.pid)]) as tracer:
                # Attaching interrupts every blocking call.
                time.sleep(1)
                began = time.time()
                time.sleep(IDLE_SECONDS)
                ended = time.time()
                tracer.stop(signal.SIGINT)
            spent = (server.cpu() - before) * 1000
        calls = collections.Counter()
        with open(trace) as file:
            for line in file:
                thread, moment, call = line.split(None, 2)
                if began <= float(moment) <= ended and call[0] not in "<+-":
                    calls[names.get(thread, "a new thread")] += 1
        count = sum(calls.values())
        self.row(
            f"idle: system calls in {IDLE_SECONDS} s",
            f"{count}",
            ", ".join(f"{name} {calls[name]}" for name in sorted(calls))
            + f"; CPU {spent:.1f} ms with strace",
            "0",
            count == 0,
        )


def part(symbol, ours):
    """The module or library that a symbol belongs to."""
    if found := re.match(r"\$s(\d+)(\w+)", symbol):
        module = found[2][: int(found[1])]
        return "ipnd" if module in ours else module.removeprefix("_")
    if symbol.startswith(("$ss", "$sS")):
        return "Swift"
    if ICU.search(symbol):
        return "ICU"
    if "5swift" in symbol or symbol.startswith("swift_"):
        return "Swift's runtime"
    if symbol.lstrip("_").startswith("CF"):
        return "CoreFoundation"
    return "others"
