"""The tools of the browser's experiments, and a start with them."""

import os
import sys

from lab.shell import need, python_tool

REQUIREMENTS = ("selenium>=4.38,<5", "axe-core-python>=0.1,<1")
# Set in the process that runs with the tools.
MARK = "IPND_PAGES_TOOLS"


def with_tools():
    """Continues in the Python that has Selenium and axe-core. Ends the program with a notice if
    PyPI is unreachable."""
    if os.environ.get(MARK):
        return
    need("chromium", "chromium-driver", "nginx-light")
    python = None
    for requirement in REQUIREMENTS:
        python = python_tool("python3", requirement)
        if not python:
            sys.exit(0)
    os.environ[MARK] = "1"
    os.execv(python, [python, "-B", *sys.argv])
