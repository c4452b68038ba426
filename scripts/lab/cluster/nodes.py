"""The programs of a node: etcd, Patroni and the PostgreSQL that Patroni starts."""

import json
import os
import signal
import subprocess

from lab.cluster import patroni
from lab.cluster.network import NAMES
from lab.cluster.state import note_memory, processes
from lab.cluster.system import (
    ENVIRONMENT,
    ClusterError,
    await_true,
    http,
    identity,
    is_alive,
    run,
    send,
    status_of,
)


class Nodes:
    def __init__(self, state, network):
        self.state, self.network = state, network
        self.children, self.paused = [], []

    # Start

    def start_all(self):
        for node in NAMES:
            self.start_etcd(node)
        await_true(lambda: all(map(self.is_etcd_healthy, NAMES)), 60, "etcd")
        for node in NAMES:
            self.start_patroni(node)

    def is_etcd_healthy(self, node):
        return '"true"' in http(f"http://{self.network.address(node)}:2379/health")[1]

    def start(self, node):
        """Starts programs that are not running, and continues those that are stopped."""
        for process in processes(self.network, node):
            status = status_of(process[0])
            if status and status[0] == "T":
                send(process, signal.SIGCONT)
        if not is_alive(self.state.etcd.get(node)):
            self.start_etcd(node)
        if not is_alive(self.state.patroni.get(node)):
            health = f"http://{self.network.address(node)}:2379/health"
            await_true(lambda: http(health)[0], 60, f"etcd of {node}")
            self.start_patroni(node)

    def start_etcd(self, node):
        self.spawn(node, "etcd", patroni.etcd(self.state, self.network, node, NAMES))

    def start_patroni(self, node):
        path = f"{self.state.node_folder(node)}/patroni.yml"
        if not os.path.exists(path):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                json.dump(patroni.patroni(self.state, self.network, node), file, indent=1)
            os.chown(path, self.state.uid, self.state.gid)
        self.spawn(node, "patroni", ["patroni", path])

    def spawn(self, node, name, command):
        """Runs in the node's namespace as user postgres. nsenter and setpriv become the program."""
        state, folder = self.state, self.state.node_folder(node)
        with open(f"{state.folder}/{node}-{name}.log", "ab") as log:
            child = subprocess.Popen(
                [
                    *("nsenter", f"--net={self.network.namespace_file(node)}", "--"),
                    *("setpriv", "--reuid", str(state.uid), "--regid", str(state.gid)),
                    *("--clear-groups", "--", *command),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=folder,
                env={**ENVIRONMENT, "HOME": folder, "PYTHONUNBUFFERED": "1"},
            )
        # Reaps those that have ended.
        self.children = [one for one in self.children if one.poll() is None] + [child]
        getattr(state, name)[node] = identity(child.pid)
        state.save()

    # Kill and pause

    def postmaster(self, node):
        """The process, verified to be this node's, or None."""
        data = f"{self.state.node_folder(node)}/data"
        try:
            with open(f"{data}/postmaster.pid") as file:
                pid = int(file.readline())
            if os.readlink(f"/proc/{pid}/cwd") != os.path.realpath(data):
                return None
        except (OSError, ValueError):
            return None
        if note_memory(self.state, node):
            self.state.save()
        return identity(pid)

    def kill(self, node, what="both", number=signal.SIGKILL):
        """`postgres`: the postmaster. `both`: also Patroni, which would otherwise restart it.
        `node`: all processes, like a power failure."""
        found = {
            "postgres": lambda: [self.postmaster(node)],
            "both": lambda: [self.state.patroni.get(node), self.postmaster(node)],
            "node": lambda: processes(self.network, node),
        }
        for _ in range(10 if what == "node" else 1):
            if not [process for process in found[what]() if send(process, number)]:
                break

    def kill_backend(self, node, pid):
        """kill -9 of one session of a node, which restarts its PostgreSQL."""
        backend, postmaster = identity(pid), self.postmaster(node)
        is_ours = backend and postmaster and (status_of(pid) or (0, 0))[1] == postmaster[0]
        return bool(is_ours and send(backend))

    def pause_standby(self, node, what="walreceiver"):
        """SIGSTOP for the walreceiver, or for all of the node."""
        if what == "node":
            targets = processes(self.network, node)
        else:
            pid = self.sql(node, "SELECT pid FROM pg_stat_wal_receiver")
            target = identity(int(pid)) if pid else None
            postmaster = self.postmaster(node)
            if not target or not postmaster or status_of(target[0])[1] != postmaster[0]:
                raise ClusterError(f"no walreceiver on {node}")
            targets = [target]
        self.paused += [process for process in targets if send(process, signal.SIGSTOP)]

    def resume(self):
        for process in self.paused:
            send(process, signal.SIGCONT)
        self.paused = []

    # SQL

    def sql(self, node, query, database="postgres", seconds=15):
        """Runs SQL as superuser over the node's Unix socket, which also works in a partition."""
        return run(
            *("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.state.node_folder(node)),
            *("-U", "postgres", "-d", database, "-c", query),
            seconds=seconds,
            environment={
                "PGPASSWORD": self.state.passwords["postgres"],
                "PGCONNECT_TIMEOUT": "3",
            },
        ).strip()
