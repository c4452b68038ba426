"""An ipnd in its own folder."""

import http.client
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

from lab.processes import NotReady, Process
from lab.shell import bench_program

# Without a proxy: all servers are on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
ANY_PORT = "127.0.0.1:0"
JOURNAL = "journal: {directory: journal}"


class Sandbox:
    """The result of `ipnd init`: configuration, keys and secrets. An existing folder is used as it
    is. Inquiries are enabled if a `simulator` answers them."""

    def __init__(self, ipnd, folder, listen=ANY_PORT, admin=ANY_PORT, simulator=None):
        self.ipnd, self.folder = ipnd, folder
        self.configuration = f"{folder}/ipnd.yaml"
        if not os.path.exists(self.configuration):
            inquiry = ["--simulator", simulator] if simulator else ["--no-inquiry"]
            self.run("init", folder, "--listen", listen, "--admin", admin, *inquiry)
        with open(f"{folder}/secrets/admin-token") as file:
            self.token = file.read().strip()

    def run(self, *arguments, check=True):
        """What the command prints."""
        return self._output(self.ipnd, arguments, check)

    def bench(self, *arguments):
        """The output of a command of `ipnd-bench`."""
        return self._output(bench_program(self.ipnd), arguments, True)

    def _output(self, program, arguments, check):
        return subprocess.run(
            [program, *arguments], check=check, stdout=subprocess.PIPE, text=True
        ).stdout

    def configure(self, name="ipnd", more="", replace=()):
        """Writes a variant of the configuration with texts replaced and `more` appended; returns
        its path."""
        with open(self.configuration) as file:
            text = file.read()
        for old, new in replace:
            if old not in text:
                raise ValueError(f"the configuration has no {old!r}")
            text = text.replace(old, new, 1)
        path = f"{self.folder}/{name}.yaml"
        with open(path, "w") as file:
            file.write(f"{text}\n{more}\n")
        return path

    def start(self, configuration=None, wrapper=(), environment=None, log=None):
        """A server that has printed `ready`. Raises NotReady if it does not."""
        return Server(
            self, configuration or self.configuration, wrapper, environment, log or self.log
        )

    @property
    def log(self):
        return f"{self.folder}/log"

    def references(self, journal):
        """The references of all records, in order, from `ipnd journal cat`."""
        return re.findall(r'"order":\{"reference":"([^"]*)"', self.run("journal", "cat", journal))


class Admin:
    """A server's admin API: it has an `address`, a port `admin` and a `token`."""

    address = "127.0.0.1"

    def get(self, path, accept="application/json", seconds=60):
        """Status and body; status 0 and the reason without an answer."""
        request = urllib.request.Request(
            f"http://{self.address}:{self.admin}{path}",
            headers={"Authorization": f"Bearer {self.token}", "Accept": accept},
        )
        try:
            with OPENER.open(request, timeout=seconds) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error).encode()

    def post(self, path, body=None, seconds=60):
        """The answer's JSON; empty without an answer. `body` is sent as JSON."""
        kind = {"Content-Type": "application/json"} if body else {}
        request = urllib.request.Request(
            f"http://{self.address}:{self.admin}{path}",
            data=json.dumps(body).encode() if body else b"",
            headers={"Authorization": f"Bearer {self.token}", **kind},
        )
        try:
            with OPENER.open(request, timeout=seconds) as answer:
                return json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException):
            return {}

    def metric(self, name):
        """The metric, or None without it or without an answer."""
        found = re.search(rf"(?m)^{name} (\S+)$", self.get("/metrics")[1].decode())
        return float(found[1]) if found else None

    def await_index(self, seconds=900):
        """Waits until the list has every record."""
        end = time.monotonic() + seconds
        while not (
            self.metric("ipnd_index_available")
            and self.metric("ipnd_index_sequence") >= self.metric("ipnd_sequence")
        ):
            if time.monotonic() > end:
                raise SystemExit("the index does not catch up")
            time.sleep(0.05)


class Server(Process, Admin):
    """A running `ipnd serve`."""

    def __init__(self, sandbox, configuration, wrapper=(), environment=None, log=os.devnull):
        command = [*wrapper, sandbox.ipnd, "serve", "--config", configuration]
        super().__init__(command, log, environment, output=subprocess.PIPE)
        self.token = sandbox.token
        ready = self.read_line("ready ")
        intake = re.match(r"ready (\S+):(\d+)", ready)
        admin = re.search(r"admin=\S+:(\d+)", ready)
        self.address, self.port = intake[1], int(intake[2])
        self.admin = int(admin[1]) if admin else 0
        if wrapper:
            self.pid = self._pid_of(os.path.basename(sandbox.ipnd)[:15])

    def _pid_of(self, name):
        """A wrapper either becomes the program (exec) or is its parent (strace)."""
        for pid in self.family():
            with open(f"/proc/{pid}/comm") as file:
                if file.read().strip() == name:
                    return pid
        raise NotReady(name, None, self.log)
