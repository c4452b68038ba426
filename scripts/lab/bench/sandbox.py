"""The benchmark's ipnd: fixed ports, cached signed loads, histories."""

import contextlib
import os
import shutil
import subprocess
import time

from lab.bench.wrk import Measured
from lab.notifications import read_load
from lab.sandbox import JOURNAL, Admin, Sandbox
from lab.shell import bench_program

PORT, TLS_PORT, ADMIN_PORT = 18931, 18933, 18932
# For a second server with the same keys and its own journal.
BESIDE, BESIDE_PORT, BESIDE_ADMIN_PORT = "beside", 18941, 18942
STATE = ("journal", "index", "rejections", "delivery")


class MeasuredServer(Measured, Admin):
    """An `ipnd serve` whose start is awaited by connecting, like its references'."""

    def __init__(self, command, log, port, admin, token, pin):
        super().__init__(command, log, port, admin, pin=pin)
        self.admin, self.token = admin, token


class BenchSandbox(Sandbox):
    """Kept from run to run, because loads are signed with its keys."""

    def __init__(self, ipnd, work):
        self.work = work
        os.makedirs(work, exist_ok=True)
        super().__init__(ipnd, f"{work}/ipnd", f"127.0.0.1:{PORT}", f"127.0.0.1:{ADMIN_PORT}")
        self.forget()

    def variant(self, name, loops=1, limits="", certificate=None, personal="", replace=()):
        """Writes a variant of the configuration; returns its path."""
        replace = list(replace)
        if certificate:
            tls = "{certificate: %s, key: %s}" % certificate
            listener = f'  - address: "127.0.0.1:{TLS_PORT}"\n    tls: {tls}\nadmin:'
            replace.append(("admin:", listener))
        more = f"loops: {loops}\nlimits: {{{limits}}}\n{personal}"
        return self.configure(name, more, replace)

    def serve(self, pin=True, name="one-loop", **variant):
        command = [self.ipnd, "serve", "--config", self.variant(name, **variant)]
        log = f"{self.work}/ipnd.log"
        return MeasuredServer(command, log, PORT, ADMIN_PORT, self.token, pin)

    def copy_beside(self):
        """Replaces the other server's journal and index by copies of this one's."""
        self.forget_beside()
        os.mkdir(f"{self.folder}/{BESIDE}")
        for name in ("journal", "index"):
            shutil.copytree(f"{self.folder}/{name}", f"{self.folder}/{BESIDE}/{name}")

    def serve_beside(self, keep=False):
        """Another server, with one loop on the same core. Without `keep` its journal is empty."""
        if not keep:
            self.forget_beside()
            os.mkdir(f"{self.folder}/{BESIDE}")
        other = [
            (f':{PORT}"', f':{BESIDE_PORT}"'),
            (f':{ADMIN_PORT}"', f':{BESIDE_ADMIN_PORT}"'),
            (JOURNAL, "journal: {directory: %s/journal}" % BESIDE),
        ]
        command = [self.ipnd, "serve", "--config", self.variant(BESIDE, replace=other)]
        log = f"{self.work}/{BESIDE}.log"
        return MeasuredServer(command, log, BESIDE_PORT, BESIDE_ADMIN_PORT, self.token, True)

    def load(self, endpoint, count, series=0):
        """A file of at least `count` signed requests, made by two processes at once. Another series
        has other notifications."""
        path = self.load_path(endpoint, series)
        sizes = f"{path}.count"
        if os.path.exists(sizes):
            with open(sizes) as file:
                if int(file.read()) >= count:
                    return path
        name = f"LOAD{series}" if series else "LOAD"
        parts = [f"{path}.{half}" for half in "ab"]
        command = [bench_program(self.ipnd), "load", "--config", self.variant("load")]
        command += ["--endpoint", endpoint, "--count", str(-(-count // 2))]
        signers = [
            subprocess.Popen([*command, "--prefix", f"{name}-{part[-1]}", "--output", part])
            for part in parts
        ]
        if any(signer.wait() for signer in signers):
            raise SystemExit(f"cannot sign a load for {endpoint}")
        with open(path, "wb") as whole:
            for part in parts:
                with open(part, "rb") as file:
                    shutil.copyfileobj(file, whole)
                os.remove(part)
        with open(sizes, "w") as file:
            file.write(str(count))
        return path

    def forget_load(self, endpoint):
        """Signs the endpoint's next load anew."""
        for ending in ("", ".count"):
            if os.path.exists(self.load_path(endpoint) + ending):
                os.remove(self.load_path(endpoint) + ending)

    def load_path(self, endpoint, series=0):
        return f"{self.work}/{endpoint}{series or ''}.load"

    def body_bytes(self, endpoint):
        """Size of the body of an endpoint's notification."""
        path = f"{self.work}/one.load"
        self.bench(
            *("load", "--config", self.variant("load"), "--endpoint", endpoint),
            *("--count", "1", "--output", path),
        )
        return len(read_load(path)[0].split(b"\r\n\r\n", 1)[1])

    def forget(self):
        """Removes journal, index and rejections, and the files that record the journal's use."""
        for name in STATE:
            shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)
        for name in os.listdir(self.folder):
            if name.endswith(".store"):
                os.remove(f"{self.folder}/{name}")
        self.forget_beside()

    def forget_beside(self):
        shutil.rmtree(f"{self.folder}/{BESIDE}", ignore_errors=True)
        # It names the journal that was there.
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{self.folder}/{BESIDE}.yaml.store")

    def fill(self, count):
        """A journal with `count` orders of one event each, and its index. Returns the seconds
        taken, and the bytes by which each order made the recording process grow."""
        self.forget()
        began = time.monotonic()
        growth = self.bench(
            *("fill", "--config", self.variant("fill"), "--endpoint", "citcon"),
            *("--count", str(count)),
        )
        seconds = time.monotonic() - began
        with self.serve(pin=False) as server:
            server.await_index()
        return seconds, float(growth)
