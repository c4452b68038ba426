"""What scripts/bench runs, once the binary is built."""

import argparse
import os
import signal
import sys
import time

sys.dont_write_bytecode = True

from history import History
from process import HERE
from report import publish, write
from results import Results
from sandbox import Sandbox
from sections import Sections

ROOT = os.path.dirname(os.path.dirname(HERE))
ALONE = ("antom", "systems", "loops", "tls", "memory")
WITH_HISTORY = ("memory", "start", "flat")
ALL = ("antom", "systems", "flat", "memory", "tls", "loops", "start")


def options():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--history", default="1000000")
    parser.add_argument("--only", default=",".join(ALL))
    parser.add_argument("--compare", nargs="?", const=f"{ROOT}/.build/bench-report")
    parser.add_argument("--publish", action="store_true")
    given = parser.parse_args()
    given.only = [] if given.only == "none" else given.only.split(",")
    given.history = [int(count) for count in given.history.split(",") if int(count) > 0]
    unknown = set(given.only) - set(ALL)
    if unknown:
        parser.error(f"no section is named {', '.join(unknown)}; there are {', '.join(ALL)}")
    return given


def main():
    given, began = options(), time.monotonic()
    # Ends as an exception does, so that no server stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = f"{ROOT}/.build/bench"
    os.makedirs(folder, exist_ok=True)
    results = Results(folder, given.binary)
    print("{cores} cores, {model}, Linux {kernel}, {date}".format(**results.all["machine"]))
    sections = Sections(Sandbox(given.binary, folder), results, given.seconds, max(1, given.turns))
    for name in (name for name in ALONE if name in given.only):
        results.begin(name)
        getattr(sections, name)()
        results.save()
    wanted = [name for name in WITH_HISTORY if name in given.only]
    if wanted and given.history:
        History(sections, wanted).measure(given.history)
        results.save()
    print(f"took {time.monotonic() - began:.0f} s")
    if given.compare:
        write(results.all, given.compare)
    if given.publish:
        publish(results.all, ROOT)


main()
