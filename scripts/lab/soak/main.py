"""The run: a server, the simulator, and a monitor."""

import argparse
import sys
import tempfile
import time

from lab.processes import end_with_signals
from lab.sandbox import Sandbox
from lab.shell import binary
from lab.soak.watch import Watch
from lab.soak.world import Simulator, ask_about_settled, await_schedule, free_port

SIMULATED_DAYS = 30
# Any faster, the providers' retries would end before a killed server is back; short runs cover
# fewer days.
SPEED_MAX = 5000
# Times of inquiries about an order, in seconds of the provider's clock: the default schedule with
# its repetitions, which cannot be accelerated. Inquiries within STEP_SECONDS_MIN of real time are
# left out.
SCHEDULE = [60, 120, 300, 900, 3600, 21_600, *(86_400 * day for day in range(1, 31))]
STEP_SECONDS_MIN = 2


def main(about):
    options = parse(about)
    end_with_signals()
    with tempfile.TemporaryDirectory(prefix="ipnd-soak-", dir=options.folder) as work:
        sys.exit(run(options, work))


def parse(about):
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60, help="of load")
    parser.add_argument("--rate", type=float, default=40, help="orders that begin in a second")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="where the journal lies, instead of the system's own")
    parser.add_argument("--ipnd", help="the program, instead of $IPND_BINARY or a build")
    options = parser.parse_args()
    if not (0 < options.minutes <= 24 * 60 and 0 < options.rate <= 10_000):
        parser.error("--minutes must be at most a day, --rate at most 10,000")
    return options


def run(options, work):
    address = f"127.0.0.1:{free_port()}"
    ports = free_port(), free_port()
    sandbox = Sandbox(
        options.ipnd or binary(),
        f"{work}/sandbox",
        *(f"127.0.0.1:{port}" for port in ports),
        simulator=address,
    )
    seconds = options.minutes * 60
    speed = min(SPEED_MAX, SIMULATED_DAYS * 86_400 / seconds)
    configuration = sandbox.configure("soak", replace=asked_fast(sandbox, speed))
    server = sandbox.start(configuration)
    simulator = Simulator(sandbox, address, options, speed=speed, seconds=seconds)
    watch = Watch(seconds)
    start = time.monotonic()
    # Late deliveries and retries follow the last order's start.
    end = start + 2 * seconds + 600
    has_crashed = False
    while not simulator.is_over():
        if time.monotonic() > end:
            sys.exit("soak: the simulator does not come to its end")
        if not has_crashed and time.monotonic() - start > seconds / 2:
            has_crashed = True
            server.kill()
            server = sandbox.start(configuration)
            watch.restarted()
        watch.look(server, simulator)
        time.sleep(min(1, seconds / 100))
    watch.look(server, simulator, always=True)
    truths = simulator.truths()
    open_ones = await_schedule(truths, server, seconds=120 + seconds / 10)
    by_itself = simulator.counts()
    settled, wrong = ask_about_settled(truths, server)
    watch.report(len(truths))
    print(f"asked by itself: {by_itself}")
    print(f"looked settled, was not, and was asked about on demand: {settled} orders")
    for line in (open_ones + wrong)[:20]:
        print(f"DIFFERS {line}")
    print(
        f"{len(truths)} orders, {len(open_ones)} not found by the schedule, {len(wrong)} differ,"
        f" {by_itself['throttled']} questions throttled"
    )
    failures = watch.failures(len(truths))
    for failure in failures:
        print(f"NOT FLAT {failure}")
    server.stop()
    simulator.stop()
    return 1 if open_ones or wrong or failures or by_itself["throttled"] else 0


def asked_fast(sandbox, speed):
    """The endpoints with ipnd's own schedule and limits, accelerated like the providers' clock."""
    steps = [second / speed for second in SCHEDULE if second / speed >= STEP_SECONDS_MIN]
    fast = (
        f"schedule: [{', '.join(f'{step:.3f}' for step in steps)}], "
        f"secondsPerQuestion: 0.005, secondsPerOrder: {max(0.05, 60 / speed):.3f}, "
        f"breakerSeconds: {max(0.5, 60 / speed):.3f}, retryAfterSecondsMax: 5"
    )
    with open(sandbox.configuration) as file:
        lines = [line for line in file.read().splitlines() if "inquiry: {" in line]
    return [(line, line.replace("{", f"{{{fast}, ", 1)) for line in lines]
