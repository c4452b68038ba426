"""The program scripts/bench."""

import argparse
import os
import resource
import shutil
import time

from lab.bench.history import History
from lab.bench.report import publish, write
from lab.bench.results import Results
from lab.bench.sandbox import BenchSandbox
from lab.bench.sections import Sections
from lab.processes import end_with_signals
from lab.shell import ROOT, SCRIPTS, binary, need

ALONE = (
    *("antom", "systems", "calls", "loops", "tls", "memory", "empty", "idle"),
    *("snapshot", "sealed", "database", "delivery"),
)
WITH_HISTORY = ("memory", "start", "flat", "reading")
ALL = (
    *(
        "antom",
        "systems",
        "calls",
        "flat",
        "memory",
        "tls",
        "loops",
        "start",
        "reading",
    ),
    *("empty", "idle", "snapshot", "sealed", "database", "delivery"),
)


def options(description):
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=int, default=4, help="how long each load runs")
    parser.add_argument(
        "--turns",
        type=int,
        default=3,
        help="how often `antom` and `systems` are measured, each time beside their references, and "
        "for how many loads `flat` goes on (some six turns each); a row shows the middle turn",
    )
    parser.add_argument(
        "--history",
        default="1000000",
        metavar="N[,N...]",
        help="how many events are remembered in `flat`, `memory`, `start`, `reading`, "
        "`snapshot`, `database` and `delivery`; with 5000000 too it takes 20 minutes and 20 GB of "
        "disk more (default 1000000)",
    )
    parser.add_argument(
        "--only",
        default=",".join(ALL),
        metavar="SECTION[,SECTION...]",
        help=f"some of {' '.join(ALL)}; `none` measures nothing",
    )
    parser.add_argument(
        "--compare",
        nargs="?",
        metavar="DIR",
        const=f"{ROOT}/.build/bench-report",
        help="write a report of these and earlier rows of the same binary: table and plots",
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="the same in scripts/bench-report, and the table in scripts/README.md",
    )
    given = parser.parse_args()
    given.only = [] if given.only == "none" else given.only.split(",")
    given.history = [int(count) for count in given.history.split(",") if int(count) > 0]
    unknown = set(given.only) - set(ALL)
    if unknown:
        parser.error(f"no section is named {', '.join(unknown)}; there are {', '.join(ALL)}")
    return given


def main(description):
    given, began = options(description), time.monotonic()
    end_with_signals()
    need("openssl", "nginx-light", "wrk", "curl", "postgresql-15")
    if not shutil.which("node") and not shutil.which("nodejs"):
        print("Node is not installed (apt-get install nodejs): its rows are left out")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ipnd, work = binary(), f"{ROOT}/.build/bench"
    os.makedirs(work, exist_ok=True)
    results = Results(work, ipnd)
    print("{cores} cores, {model}, Linux {kernel}, {date}".format(**results.all["machine"]))
    sandbox, turns = BenchSandbox(ipnd, work), max(1, given.turns)
    sections = Sections(sandbox, results, given.seconds, turns, given.history)
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
        publish(results.all, SCRIPTS)
