"""The program scripts/hostile."""

import argparse
import resource
import sys
import tempfile

from lab.hostile import admin, connections, intake, reading, scans, signatures
from lab.hostile.trial import Trial
from lab.processes import end_with_signals, kill_all
from lab.shell import binary, need

PHASES = {
    "slow-heads": lambda trial: connections.slow(trial, "heads"),
    "slow-bodies": lambda trial: connections.slow(trial, "bodies"),
    "slow-readers": lambda trial: connections.slow(trial, "readers"),
    "half-open": connections.half_open,
    "pipelining": connections.pipelining,
    "bodies": connections.bodies,
    "places": connections.places,
    "half-requests": connections.half_requests,
    "half-handshakes": connections.half_handshakes,
    "tokens": admin.tokens,
    "explanations": admin.explanations,
    "forms": admin.forms,
    "signatures": signatures.signatures,
    "amplification": signatures.amplification,
    "index": reading.index,
    "readers": reading.readers,
    "descriptors": intake.descriptors,
    "one-order": intake.one_order,
    "plain-crowd": lambda trial: connections.crowd(trial, tls=False),
    "tls-crowd": lambda trial: connections.crowd(trial, tls=True),
    "sslscan": scans.sslscan,
    "testssl": scans.testssl,
}
# Skipped with --short.
LONG = ("sslscan", "testssl")


def main(description):
    parser = argparse.ArgumentParser(
        prog="scripts/hostile",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="about two minutes: shorter attacks, 1,000 idle connections, no TLS scans",
    )
    parser.add_argument("phases", nargs="*", metavar="PHASE", help=f"some of {' '.join(PHASES)}")
    given = parser.parse_args()
    unknown = set(given.phases) - set(PHASES)
    if unknown:
        parser.error(f"no phase is named {', '.join(unknown)}; there are {', '.join(PHASES)}")
    wanted = given.phases or [name for name in PHASES if not (given.short and name in LONG)]
    need("openssl", "slowhttptest", "wrk", "sslscan", "testssl.sh")
    ipnd = binary()
    end_with_signals()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="ipnd-hostile-", ignore_cleanup_errors=True) as work:
        trial = Trial(ipnd, work, given.short)
        try:
            scans.certificates(trial)
            for name in PHASES:
                if name in wanted:
                    PHASES[name](trial)
        finally:
            kill_all()
    sys.exit(1 if trial.has_failed else 0)
