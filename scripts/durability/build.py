"""The programs that the experiments run."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def built(product, *options, environment=None):
    """Builds a product, in release unless `options` say something else; its path."""
    command = ["swift", "build", "--package-path", ROOT, *(options or ("-c", "release", "--static-swift-stdlib"))]
    environment = {**os.environ, **(environment or {})}
    subprocess.run([*command, "--product", product], check=True, stdout=sys.stderr, env=environment)
    folder = subprocess.run(
        [*command, "--show-bin-path"], check=True, capture_output=True, env=environment)
    return os.path.join(folder.stdout.decode().strip(), product)
