"""Builds and installs, by the rules of scripts/common.sh."""

import os
import subprocess
import sys

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(SCRIPTS)
# The exit status of an experiment that this machine cannot run: EX_UNAVAILABLE.
IMPOSSIBLE = 69


def common(function, *arguments):
    """Calls a function of common.sh and returns its output. Ends this program if the function
    fails."""
    text = f'set -euo pipefail; source "{SCRIPTS}/common.sh"; "$@"'
    done = subprocess.run(
        ["bash", "-c", text, "bash", function, *arguments], stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout.strip()


def need(*packages):
    """Installs the Debian packages that are missing."""
    common("need", *packages)


def python_tool(name, requirement):
    """The path of a program from PyPI, or None if it is unavailable."""
    return common("python_tool", name, requirement) or None


def binary():
    """The ipnd to use: $IPND_BINARY, otherwise a release build."""
    given = os.environ.get("IPND_BINARY")
    return os.path.abspath(given) if given else built("ipnd")


def bench_program(ipnd):
    """The path of `ipnd-bench`: the program beside `ipnd`, else a release build."""
    folder = os.path.dirname(os.path.abspath(ipnd))
    beside = os.path.join(folder, "ipnd-bench")
    # Beside our own release build it may be an older one; the tests' build makes both.
    is_own_release = folder.startswith(ROOT) and os.path.basename(folder) == "release"
    is_own_release = is_own_release and "/.build/tests/" not in folder
    return beside if os.path.exists(beside) and not is_own_release else built("ipnd-bench")


def built(product, *options, environment=None):
    """Builds a product, as a release build unless `options` say otherwise; returns its path."""
    if not options:
        common("need_build")
        return common("release", product)
    command = ["swift", "build", "--package-path", ROOT, *options]
    environment = {**os.environ, **(environment or {})}
    subprocess.run([*command, "--product", product], check=True, stdout=sys.stderr, env=environment)
    folder = subprocess.run(
        [*command, "--show-bin-path"], check=True, capture_output=True, env=environment
    )
    return os.path.join(folder.stdout.decode().strip(), product)
