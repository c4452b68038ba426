"""Two ipnd in database mode behind haproxy, all on the cluster's address."""

import os
import shutil
import subprocess

from lab.cluster.system import ClusterError, await_true, http
from lab.processes import Process
from lab.sandbox import JOURNAL, Sandbox

INTAKE = 8080
# Ports of each ipnd: intake and admin API.
PORTS = {"a": (8081, 9081), "b": (8082, 9082)}
SCHEMA = "ipnd"
DATABASE = "database: {connection: {file: secrets/database}, schema: %s}" % SCHEMA
# Like config/haproxy.cfg with two servers: one that is not ready gets no requests. Only a failed
# connection is retried, at the other server; ipnd's own answers are passed on.
HAPROXY = """
global
    maxconn 4096
defaults
    mode http
    timeout connect 2s
    timeout client 40s
    timeout server 40s
    timeout http-request 10s
    timeout http-keep-alive 60s
    retries 2
    option redispatch
frontend notifications
    bind {address}:{port}
    default_backend ipnd
backend ipnd
    balance roundrobin
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host ipnd
    default-server check inter 500ms fall 2 rise 1
{servers}
"""


class Front:
    """A context manager inside that of its cluster."""

    def __init__(self, cluster, ipnd):
        self.cluster, self.ipnd = cluster, ipnd
        self.address, self.folder = cluster.address, cluster.state.folder
        self.sandboxes, self.servers, self.proxy = {}, {}, None

    def __enter__(self):
        first = None
        for name, (port, admin) in PORTS.items():
            folder = f"{self.folder}/{name}"
            if first:
                # The same keys and secrets, because the instances are one service.
                shutil.copytree(first.folder, folder)
            sandbox = Sandbox(self.ipnd, folder, self.at(port), self.at(admin))
            if first:
                ports = zip(PORTS["a"], (port, admin), strict=True)
                replace = [(self.at(old), self.at(new)) for old, new in ports]
                sandbox.configure(replace=replace)
            else:
                self.use_database(sandbox)
                first = sandbox
            self.sandboxes[name] = sandbox
        status, text = self.command("a", "database", "init")
        if status:
            raise ClusterError(f"ipnd database init: status {status}: {text.strip()}")
        for name in PORTS:
            self.start(name)
        self.start_proxy()
        return self

    def at(self, port):
        return f"{self.address}:{port}"

    def use_database(self, sandbox):
        path = f"{sandbox.folder}/secrets/database"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(self.cluster.dsn())
        sandbox.configure(replace=[(JOURNAL, DATABASE)])

    def start(self, name):
        sandbox = self.sandboxes[name]
        server = sandbox.start(log=f"{self.folder}/ipnd-{name}.log")
        self.cluster.adopt(server)
        self.servers[name] = server
        return server

    def start_proxy(self):
        servers = "\n".join(
            f"    server {name} {self.at(port)} check port {admin}"
            for name, (port, admin) in PORTS.items()
        )
        path = f"{self.folder}/haproxy.cfg"
        with open(path, "w") as file:
            file.write(HAPROXY.format(address=self.address, port=INTAKE, servers=servers))
        self.proxy = Process(["haproxy", "-f", path], f"{self.folder}/haproxy.log")
        self.cluster.adopt(self.proxy)
        url = f"http://{self.at(INTAKE)}/"
        # A 404 from ipnd, not haproxy's 503.
        await_true(lambda: http(url)[0] == 404, 60, "haproxy")

    def is_ready(self, name):
        _, admin = PORTS[name]
        return http(f"http://{self.at(admin)}/readyz")[0] == 200

    def await_ready(self, seconds=60):
        for name in PORTS:
            await_true(lambda name=name: self.is_ready(name), seconds, f"ipnd {name} ready")

    def command(self, name, *arguments):
        """Runs a command with an instance's configuration; returns its status and output."""
        done = subprocess.run(
            [self.ipnd, *arguments, "--config", self.sandboxes[name].configuration],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    def __exit__(self, *_):
        for process in (self.proxy, *self.servers.values()):
            if process:
                process.kill()
