"""An ipnd of the benchmark's own: its folder, its signed loads, its histories."""

import os
import shutil
import subprocess
import time
import urllib.request

from process import Server

PORT, TLS_PORT, ADMIN_PORT = 18931, 18933, 18932
# Of a second server, which has the same keys and a journal of its own.
BESIDE, BESIDE_PORT, BESIDE_ADMIN_PORT = "beside", 18941, 18942
ENDPOINTS = ("antom", "citcon", "ecommpay", "opp")
STATE = ("journal", "index", "rejections")


class Sandbox:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.ipnd = f"{folder}/ipnd"
        if not os.path.exists(f"{self.ipnd}/ipnd.yaml"):
            # Kept from run to run, because a load is signed with its keys.
            os.makedirs(folder, exist_ok=True)
            self._run("init", self.ipnd, "--listen", f"127.0.0.1:{PORT}", "--admin", f"127.0.0.1:{ADMIN_PORT}")
        self.forget()

    def _run(self, *arguments):
        """What the command prints."""
        return subprocess.run([self.binary, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def configure(self, name, loops=1, limits="", certificate=None):
        """A variant of the configuration; its path."""
        text = open(f"{self.ipnd}/ipnd.yaml").read()
        if certificate:
            tls = "{certificate: %s, key: %s}" % certificate
            text = text.replace("admin:", f'  - address: "127.0.0.1:{TLS_PORT}"\n    tls: {tls}\nadmin:', 1)
        path = f"{self.ipnd}/{name}.yaml"
        with open(path, "w") as file:
            file.write(f"loops: {loops}\nlimits: {{{limits}}}\n{text}")
        return path

    def serve(self, pin=True, name="one-loop", **variant):
        path = self.configure(name, **variant)
        return Server([self.binary, "serve", "--config", path], PORT, f"{self.folder}/ipnd.log", pin, ADMIN_PORT)

    def serve_beside(self):
        """Another server, one loop on the same core, that remembers nothing yet."""
        self.forget_beside()
        os.mkdir(f"{self.ipnd}/{BESIDE}")
        with open(self.configure("one-loop")) as file:
            text = file.read()
        for own, other in ((f":{PORT}\"", f":{BESIDE_PORT}\""), (f":{ADMIN_PORT}\"", f":{BESIDE_ADMIN_PORT}\""),
                           ("{directory: journal}", "{directory: %s/journal}" % BESIDE)):
            text = text.replace(own, other)
        path = f"{self.ipnd}/{BESIDE}.yaml"
        with open(path, "w") as file:
            file.write(text)
        return Server([self.binary, "serve", "--config", path], BESIDE_PORT, f"{self.folder}/{BESIDE}.log",
                      admin=BESIDE_ADMIN_PORT)

    def load(self, endpoint, count, series=0):
        """A file of at least `count` signed requests, made by two processes at once. Those of another series are
        other notifications."""
        name = f"LOAD{series}" if series else "LOAD"
        path = f"{self.folder}/{endpoint}{series or ''}.load"
        sizes = f"{path}.count"
        if os.path.exists(sizes) and int(open(sizes).read()) >= count:
            return path
        config = self.configure("load")
        parts = [f"{path}.{half}" for half in "ab"]
        signers = [
            subprocess.Popen(
                [self.binary, "load", "--config", config, "--endpoint", endpoint, "--count",
                 str(-(-count // 2)), "--prefix", f"{name}-{part[-1]}", "--output", part])
            for part in parts]
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

    def body_bytes(self, endpoint):
        """The body of the load's first request."""
        with open(f"{self.folder}/{endpoint}.load", "rb") as file:
            return len(file.read(int(file.read(8))).split(b"\r\n\r\n", 1)[1])

    def forget(self):
        """Removes journal, index and rejections."""
        for name in STATE:
            shutil.rmtree(f"{self.ipnd}/{name}", ignore_errors=True)
        # What remembers that a journal was used here.
        if os.path.exists(f"{self.ipnd}/journal.store"):
            os.remove(f"{self.ipnd}/journal.store")
        self.forget_beside()

    def forget_beside(self):
        shutil.rmtree(f"{self.ipnd}/{BESIDE}", ignore_errors=True)

    def fill(self, count):
        """A journal with `count` orders of one event each, and the index over it. The seconds taken,
        and by how many bytes each order made the recording process grow."""
        self.forget()
        began = time.monotonic()
        growth = self._run(
            "fill", "--config", self.configure("fill"), "--endpoint", "citcon", "--count", str(count))
        seconds = time.monotonic() - began
        with self.serve(pin=False):
            self.await_index()
        return seconds, float(growth)

    def await_index(self):
        end = time.monotonic() + 900
        while self.metric("ipnd_index_sequence") < self.metric("ipnd_sequence"):
            if time.monotonic() > end:
                raise SystemExit("the index does not catch up")
            time.sleep(0.1)

    def metric(self, name):
        token = open(f"{self.ipnd}/secrets/admin-token").read().strip()
        request = urllib.request.Request(
            f"http://127.0.0.1:{ADMIN_PORT}/metrics", headers={"Authorization": f"Bearer {token}"})
        for line in urllib.request.urlopen(request).read().decode().splitlines():
            if line.split(" ")[0] == name:
                return float(line.split()[1])
        raise SystemExit(f"no metric {name}")
