"""Removes a cluster after its owner has gone: the owner holds the other end of standard input."""

import os
import signal
import sys

from lab.cluster.state import State, destroy, lock_path


def main(folder):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.read(0, 1):
        # The owner has removed it.
        return
    try:
        state = State.load(folder)
    except OSError:
        return
    destroy(state)
    # The lock was inherited, so the number has not been reused.
    if os.path.exists(lock_path(state.number)):
        os.unlink(lock_path(state.number))


if __name__ == "__main__":
    main(sys.argv[1])
