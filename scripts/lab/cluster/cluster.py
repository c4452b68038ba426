"""The cluster as a whole: up, down, health, faults."""

import concurrent.futures
import glob
import json
import os
import signal
import subprocess
import sys
import time

from lab.cluster.network import CLIENTS, NAMES, Network
from lab.cluster.nodes import Nodes
from lab.cluster.state import allocate, destroy, drop_lock
from lab.cluster.system import ClusterError, await_true, http, identity
from lab.shell import SCRIPTS, need

PACKAGES = ("postgresql-15", "patroni", "etcd-server", "iproute2", "haproxy")
PROGRAMS = "/usr/lib/postgresql/15/bin"
# The kernel features that a cluster needs.
ATTEMPT = """PATH=$PATH:/usr/sbin:/sbin
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip netns add ipndtry
ip link add ipndtry0 type bridge
ip link add ipndtry1 type veth peer name eth0 netns ipndtry
tc -n ipndtry qdisc replace dev eth0 root handle 1: blackhole"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def impossible():
    """The reason why this machine cannot run a cluster, or None."""
    if os.geteuid() != 0:
        return "not root"
    need("iproute2")
    # In new namespaces, so that the attempt leaves nothing.
    tried = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-ec", ATTEMPT], capture_output=True, text=True
    )
    if tried.returncode:
        return f"no network namespaces: {tried.stderr.strip()}"
    return None


class Cluster:
    """A context manager: the cluster is up inside, and removed at the end in any case."""

    def __init__(self, logs=""):
        self.logs = logs

    def __enter__(self):
        began = time.monotonic()
        self.state, self.lock = allocate(PROGRAMS)
        self.state.logs = os.path.abspath(self.logs) if self.logs else ""
        self.state.save()
        self.network = Network(self.state.number)
        self.nodes = Nodes(self.state, self.network)
        self.reaper = self.start_reaper()
        try:
            self.network.up()
            self.nodes.start_all()
            self.await_healthy(90)
            self.create_database()
        except BaseException as error:
            tail = "" if isinstance(error, KeyboardInterrupt) else self.tail_of_logs()
            self.__exit__()
            if isinstance(error, ClusterError):
                raise ClusterError(f"{error}\n{tail}") from None
            raise
        self.seconds = time.monotonic() - began
        return self

    def create_database(self):
        """The administrator's one-time setup; `ipnd database init` does the rest."""
        primary, password = self.primary(), self.state.passwords["ipnd"]
        for statement in (
            "CREATE ROLE ipnd_writer NOLOGIN",
            "CREATE ROLE ipnd_reader NOLOGIN",
            f"CREATE ROLE ipnd LOGIN PASSWORD '{password}'",
            # Lets `ipnd database check` see whether there is a synchronous standby.
            "GRANT pg_read_all_stats TO ipnd",
            "CREATE DATABASE ipnd OWNER ipnd",
        ):
            self.nodes.sql(primary, statement)

    def start_reaper(self):
        """Starts the process that removes the cluster when this one ends for any reason. It
        inherits the lock."""
        return subprocess.Popen(
            [sys.executable, "-B", "-m", "lab.cluster.reaper", self.state.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[self.lock],
            cwd=SCRIPTS,
        )

    def __exit__(self, *_):
        # A second Ctrl-C must not leave half of it; if removal hangs, the reaper finishes it.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            destroy(self.state)
            for child in self.nodes.children:
                child.wait(5)
            self.reaper.communicate(b"q", timeout=20)
            drop_lock(self.lock)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def tail_of_logs(self, lines=6):
        parts = []
        for path in sorted(glob.glob(f"{self.state.folder}/*.log")):
            with open(path, errors="replace") as file:
                parts.append(f"== {os.path.basename(path)}\n{''.join(file.readlines()[-lines:])}")
        return "\n".join(parts)

    def adopt(self, process):
        """A process in this machine's own namespace that ends with the cluster."""
        self.state.here.append(identity(process.pid))
        self.state.save()

    # Addresses

    @property
    def address(self):
        """The address of this machine, on which ipnd listens."""
        return self.network.address(CLIENTS)

    def dsn(self):
        """libpq's connection string: all nodes, of which the one that takes writes is used."""
        hosts = ",".join(map(self.network.address, NAMES))
        return (
            f"host={hosts} port=5432,5432,5432 dbname=ipnd user=ipnd "
            f"password={self.state.passwords['ipnd']} target_session_attrs=read-write"
        )

    # Health

    def ask(self, path):
        """The answers of the reachable nodes' Patroni."""
        nodes = self.network.reachable()
        ask = lambda node: http(f"http://{self.network.address(node)}:8008{path}")
        with concurrent.futures.ThreadPoolExecutor(len(NAMES)) as pool:
            return dict(zip(nodes, pool.map(ask, nodes), strict=True))

    def primary(self, other_than=None, seconds=60):
        """The node that holds the leader key and runs as primary; waits until there is one."""

        def look():
            answers = self.ask("/primary").items()
            return [node for node, (code, _) in answers if code == 200 and node != other_than]

        name = f"a primary other than {other_than}" if other_than else "a primary"
        return await_true(look, seconds, name, 0.2)[0]

    def members(self):
        """Role, state and timeline of each node, as reported by the first that answers."""
        for code, text in self.ask("/cluster").values():
            if code == 200:
                return {member["name"]: member for member in json.loads(text)["members"]}
        return {}

    def node_with_role(self, role):
        return next((name for name, m in self.members().items() if m["role"] == role), None)

    def await_healthy(self, seconds=60):
        """Waits for one primary, one synchronous standby by name in Patroni and in PostgreSQL, and
        all standbys streaming on the primary's timeline. Heal first; after a kill await the
        failover first."""
        why = ["no answer"]

        def look():
            why[0] = self.illness()
            return not why[0]

        try:
            await_true(look, seconds, "healthy", 0.25)
        except ClusterError as error:
            raise ClusterError(f"{error}: {why[0]}") from None
        for node in NAMES:
            self.nodes.postmaster(node)  # Records its shared memory

    def illness(self):
        """Describes what is wrong; empty if nothing is."""
        members = self.members()
        text = "; ".join(
            f"{name} {m['role']} {m['state']} timeline {m.get('timeline')}"
            for name, m in members.items()
        )
        if sorted(m["role"] for m in members.values()) != ["leader", "replica", "sync_standby"]:
            return text or "no answer"
        if any(m["state"] not in ("running", "streaming") for m in members.values()):
            return text
        if len({m.get("timeline") for m in members.values()}) != 1:
            return text
        role = {m["role"]: name for name, m in members.items()}
        try:
            found = self.nodes.sql(
                role["leader"],
                "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names'), "
                "string_agg(application_name || ':' || state || ':' || sync_state, ' ') "
                "FROM pg_stat_replication",
                seconds=5,
            )
        except ClusterError as error:
            return f"{text}; {error}"
        recovery, names, standbys = found.split("|")
        standby = role["sync_standby"]
        is_well = (
            recovery == "f"
            and names.strip('"') == standby
            and standbys.count(":streaming:") == 2
            and f"{standby}:streaming:sync" in standbys
        )
        return "" if is_well else f"{text}; {found}"

    # Faults

    def heal(self):
        self.network.heal()
        self.nodes.resume()

    def switchover(self):
        """A switchover to the synchronous standby, as in planned maintenance."""
        old, new = self.primary(), self.node_with_role("sync_standby")
        url = f"http://{self.network.address(old)}:8008/switchover"
        code, text = http(url, {"leader": old, "candidate": new}, 30)
        if code != 200:
            raise ClusterError(f"switchover from {old} to {new}: {code} {text}")
        return self.primary(other_than=old)

    def pause_standbys(self):
        """Pauses all standbys, so that every commit waits."""
        primary = self.primary()
        for node in NAMES:
            if node != primary:
                self.nodes.pause_standby(node)
