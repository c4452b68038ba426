"""A program that is started, watched and ended."""

import atexit
import os
import re
import signal
import socket
import subprocess
import sys
import time

RUNNING = set()


class NotReady(Exception):
    """The program ended, or printed nothing in time, before it was ready."""

    def __init__(self, name, status, log):
        with open(log, errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        last = lines[-1] if lines else "no message"
        super().__init__(f"{name} is not ready (status {status}): {last}")


class Process:
    """A program with its CPU and memory. It ends with this script, however that ends (except by
    SIGKILL)."""

    def __init__(self, command, log=os.devnull, environment=None, output=None):
        """Standard error goes to `log`, and so does standard output unless `output` is given."""
        self.name, self.log = os.path.basename(command[0]), log
        with open(log, "ab") as file:
            self.popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file if output is None else output,
                stderr=file,
                env={**os.environ, **(environment or {})},
            )
        # If a wrapper (strace, a shell) starts the program, a process other than `popen`.
        self.pid = self.popen.pid
        RUNNING.add(self)

    # Start

    def read_line(self, beginning):
        """The first line of output, which must begin with this text."""
        line = self.popen.stdout.readline().decode()
        if not line.startswith(beginning):
            raise NotReady(self.name, self.popen.wait(), self.log)
        return line

    def await_ports(self, *ports, seconds=120):
        """Waits until each address accepts connections, so that all programs are awaited alike."""
        end = time.monotonic() + seconds
        for port in ports:
            while not accepts(port):
                if self.popen.poll() is not None or time.monotonic() > end:
                    self.kill()
                    raise NotReady(self.name, self.popen.returncode, self.log)
                time.sleep(0.002)

    # End

    @property
    def is_running(self):
        return self.popen.poll() is None

    def send_signal(self, number):
        """Signals the program itself, not its wrapper."""
        if self.is_running:
            os.kill(self.pid, number)

    def stop(self, number=signal.SIGTERM, seconds=60):
        """Its exit status. A program that does not stop in time is killed."""
        self.send_signal(number)
        try:
            status = self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            status = self.kill()
        self.forget()
        return status

    def kill(self):
        self.send_signal(signal.SIGKILL)
        status = self.popen.wait()
        self.forget()
        return status

    def forget(self):
        RUNNING.discard(self)
        if self.popen.stdout:
            self.popen.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # Figures

    def family(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as file:
            return [self.pid, *map(int, file.read().split())]

    def cpu(self):
        """CPU seconds of the program and its children so far, including ended threads."""
        # A process's CPU clock as clock_getcpuclockid(3) names it: complement of its id, type 2.
        return sum(time.clock_gettime(~process << 3 | 2) for process in self.family())

    def threads(self):
        """CPU seconds of each live thread by (process, thread, name)."""
        used = {}
        for process in self.family():
            for thread in os.listdir(f"/proc/{process}/task"):
                folder = f"/proc/{process}/task/{thread}"
                try:
                    with open(f"{folder}/comm") as name, open(f"{folder}/schedstat") as spent:
                        key = process, thread, name.read().strip()
                        used[key] = int(spent.read().split()[0]) / 1e9
                except OSError:
                    continue
        return used

    def memory(self, field="VmRSS"):
        """Resident bytes now, or at the peak (`VmHWM`)."""
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(rf"{field}:\s+(\d+)", file.read())[1]) * 1024


def free_port():
    """A free port of 127.0.0.1."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts(port):
    """Whether the port of 127.0.0.1 accepts connections."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def end_with_signals():
    """Makes SIGTERM and SIGHUP end this script like an exception, so that everything is cleaned
    up."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


@atexit.register
def kill_all():
    for process in list(RUNNING):
        process.kill()
