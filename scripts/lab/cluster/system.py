"""Commands, and processes by id and start time, because an id alone may have been reused."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

from lab.sandbox import OPENER

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}


class ClusterError(RuntimeError):
    pass


def run(*arguments, check=True, seconds=30, environment=None):
    """Returns a command's output. Raises ClusterError with the reason of a failure."""
    command = [str(argument) for argument in arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**ENVIRONMENT, **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise ClusterError(str(error)) from None
    if check and done.returncode:
        reason = (done.stderr or done.stdout).strip()
        raise ClusterError(f"{' '.join(command)}: {reason}")
    return done.stdout


def succeeds(*arguments):
    try:
        run(*arguments)
        return True
    except ClusterError:
        return False


def http(url, data=None, seconds=1.5):
    """Status and text; status 0 and the reason without an answer."""
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with OPENER.open(request, timeout=seconds) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except (OSError, ValueError) as error:
        return 0, str(error)


def await_true(question, seconds, name, pause=0.1):
    """Waits for the first true result."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise ClusterError(f"timeout after {seconds:g} s: {name}")
        time.sleep(pause)


# Processes. An identity is [id, start time], as JSON keeps it.


def status_of(pid):
    """State, parent and start time (proc(5), stat), or None."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[1]), int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def identity(pid):
    status = status_of(pid)
    return [pid, status[2]] if status else None


def is_alive(process):
    status = status_of(process[0]) if process else None
    return bool(status and status[2] == process[1] and status[0] not in "ZX")


def send(process, number=signal.SIGKILL):
    """Signals exactly the recorded process. Returns False if it has ended."""
    if not process:
        return False
    try:
        descriptor = os.pidfd_open(process[0])
    except OSError:
        return False
    try:
        if not is_alive(process):
            return False
        signal.pidfd_send_signal(descriptor, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(descriptor)
