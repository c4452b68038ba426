"""An ipnd in a folder of its own, and signed load for it over raw sockets."""

import hmac
import json
import os
import re
import signal
import socket
import subprocess
import threading


class Sandbox:
    """Made by `ipnd init`; small segments and early snapshots, so that a short run has all of it."""

    def __init__(self, ipnd, folder, segment_mib=2, snapshot_records=200, journal="journal"):
        self.ipnd, self.folder = ipnd, folder
        self.configuration = f"{folder}/ipnd.yaml"
        self.journal = os.path.join(folder, journal)
        self.process = None
        subprocess.run(
            [ipnd, "init", folder, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
            check=True, stdout=subprocess.DEVNULL)
        with open(self.configuration) as file:
            text = file.read()
        small = (f"journal: {{directory: {journal}, segmentMiB: {segment_mib}, "
                 f"snapshotRecords: {snapshot_records}}}\nlimits: {{bodyBytesMax: 65536}}\nlog: {{level: error}}")
        with open(self.configuration, "w") as file:
            file.write(text.replace("journal: {directory: journal}", small))

    def start(self, wrapper=(), environment=None, log=None):
        """Runs `serve` under `wrapper` until it says that it is ready. Raises when it does not."""
        errors = open(log or f"{self.folder}/log", "ab")
        self.process = subprocess.Popen(
            [*wrapper, self.ipnd, "serve", "--config", self.configuration],
            stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **(environment or {})})
        ready = self.process.stdout.readline().decode()
        if not ready.startswith("ready"):
            raise NotReady(self.process.wait(), errors.name)
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", ready)[1])
        self.pid = self._pid_of_server()

    def _pid_of_server(self):
        """Under a wrapper the server is its child."""
        with open(f"/proc/{self.process.pid}/comm") as file:
            if file.read().strip() == os.path.basename(self.ipnd)[:15]:
                return self.process.pid
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return int(file.read().split()[0])

    def stop(self, number=signal.SIGTERM):
        os.kill(self.pid, number)
        return self.process.wait()

    def signed(self, count, prefix, padding=0):
        """`count` signed requests by reference. `padding` bytes make the records as long as one
        likes, so that a short run fills several segments."""
        with open(f"{self.folder}/secrets/hmac") as file:
            secret = file.read().strip().encode()
        sample = self._sample()
        requests = {}
        for number in range(count):
            reference = f"{prefix}-{number}"
            body = json.dumps({
                **sample, "id": f"E-{reference}", "transaction": f"T-{reference}",
                "reference": reference, "padding": "0123456789" * (padding // 10)}).encode()
            code = hmac.new(secret, body, "sha256").hexdigest()
            requests[reference] = (
                f"POST /ipn/hmac HTTP/1.1\r\nHost: localhost\r\nX-Signature: {code}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        return requests

    def _sample(self):
        """The body of a payment as `ipnd load` signs it."""
        output = f"{self.folder}/sample"
        subprocess.run(
            [self.ipnd, "load", "--config", self.configuration, "--endpoint", "hmac", "--count",
             "1", "--output", output], check=True)
        with open(output, "rb") as file:
            return json.loads(file.read().split(b"\r\n\r\n", 1)[1])

    def references(self):
        """Of all records, in order, by `ipnd journal cat`."""
        lines = subprocess.run(
            [self.ipnd, "journal", "cat", self.journal], check=True, capture_output=True).stdout
        return re.findall(rb'"order":\{"reference":"([^"]*)"', lines)


class NotReady(Exception):
    """The server ended before it was ready."""

    def __init__(self, status, log):
        with open(log) as file:
            words = [line.strip() for line in file if line.startswith("ipnd:")]
        super().__init__(f"status {status}, {words[-1] if words else 'without a word'}")


class Load(threading.Thread):
    """One connection that sends its notifications one after the other, and keeps a book of what
    was acknowledged."""

    def __init__(self, port, requests):
        super().__init__(daemon=True)
        self.port, self.requests = port, requests
        self.acknowledged, self.refused = [], []

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for reference, request in self.requests:
                    connection.sendall(request)
                    status = read_status(connection)
                    book = self.acknowledged if 200 <= status < 300 else self.refused
                    book.append(reference)
        except OSError:
            # The server is gone, as the experiment wants it.
            pass


def read_status(connection):
    """Reads one whole answer; its status."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("closed")
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("closed")
        body += more
    return int(head.split(b" ", 2)[1])


def begin_load(port, requests, connections, twice=False):
    """Shares the requests out. With `twice` each is sent by two connections at about the same time,
    so that many a duplicate comes while its original is not durable yet."""
    items = list(requests.items())
    shares = [items[index::connections] for index in range(connections)]
    if twice:
        shares = [share for share in shares for _ in range(2)]
    loads = [Load(port, share) for share in shares]
    for load in loads:
        load.start()
    return loads
