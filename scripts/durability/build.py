"""The programs that the experiments run."""

import os
import subprocess
import sys

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(SCRIPTS)


def built(product, *options, environment=None):
    """Builds a product, as the scripts do for use unless `options` say something else; its path."""
    if not options:
        command = ["bash", "-c", f'source "{SCRIPTS}/common.sh"; release {product}']
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    command = ["swift", "build", "--package-path", ROOT, *options]
    environment = {**os.environ, **(environment or {})}
    subprocess.run([*command, "--product", product], check=True, stdout=sys.stderr, env=environment)
    folder = subprocess.run(
        [*command, "--show-bin-path"], check=True, capture_output=True, env=environment)
    return os.path.join(folder.stdout.decode().strip(), product)
