"""Faults in random order, each under load, and the evidence afterwards."""

import hashlib
import random
import time

from lab.cluster.checks import Evidence, judge
from lab.cluster.feed import Follower, Reader
from lab.cluster.front import INTAKE, PORTS, SCHEMA
from lab.cluster.load import ENDPOINT, Load
from lab.cluster.network import NAMES
from lab.cluster.system import ClusterError, await_true

# Through the view that a merchant's own SQL may use.
EVENTS = f"SELECT sequence, reference FROM {SCHEMA}.events ORDER BY sequence"
ORDERS_ASKED_MAX = 300


# Kinds of faults and their variants.
KINDS = {
    # kill -9 of the primary's postmaster; together with Patroni, which would otherwise restart it;
    # or of everything on its node.
    "kill": ("postgres", "both", "node"),
    # Its network is cut off: silently, in one direction, or by its link. Or from the other nodes
    # only, while clients still reach it and commits wait for a standby: then the waits are
    # cancelled, the waiting sessions terminated, or one of them killed, which restarts PostgreSQL.
    # Each makes rows visible that the failover loses.
    "partition": ("silent", "out", "link", "cancel", "terminate", "crash"),
    # A planned switchover to the synchronous standby.
    "switchover": ("",),
    # Pauses all standbys, so that every commit waits; or only the synchronous one.
    "pause": ("all", "walreceiver", "node"),
    # kill -9 of one ipnd.
    "ipnd": tuple(PORTS),
}
STRANDED_SECONDS = 3


class Faults:
    """Each method injects a fault, waits for its effect, repairs it, and returns a description."""

    def __init__(self, cluster, front, generator):
        self.cluster, self.front, self.generator = cluster, front, generator

    def deck(self, count, only):
        """This number of faults, every kind about equally often, in random order. `only` names
        kinds, or a kind and a variant as in `partition:crash`."""
        wanted = [name.partition(":") for name in only or KINDS]
        while count > 0:
            for kind, _, way in self.generator.sample(wanted, min(count, len(wanted))):
                yield kind, way or self.generator.choice(KINDS[kind])
                count -= 1

    def cause(self, kind, way):
        return getattr(self, kind)(way)

    def kill(self, what):
        old = self.cluster.primary()
        self.cluster.nodes.kill(old, what)
        # A postmaster alone may return before another node has taken over.
        new = "" if what == "postgres" else f", then {self.cluster.primary(other_than=old)}"
        self.cluster.nodes.start(old)
        return f"kill -9 {what} of {old}{new}"

    def partition(self, way):
        old, is_stranded = self.cluster.primary(), way in ("cancel", "terminate", "crash")
        self.cluster.network.partition(old, "peers" if is_stranded else way)
        if is_stranded:
            way = f"peers, {way} {self.strand(old, way)}"
        new = self.cluster.primary(other_than=old)
        # The new primary acknowledges before the old one returns.
        time.sleep(2)
        self.cluster.heal()
        return f"cut off {old} ({way}), then {new}"

    def strand(self, node, way):
        """Ends the waits of a primary that has lost its standbys; returns their number."""
        waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        # Waits until every writer waits.
        time.sleep(0.5)
        count, end = 0, time.monotonic() + STRANDED_SECONDS
        nodes = self.cluster.nodes
        while time.monotonic() < end:
            try:
                if way == "crash":
                    pids = nodes.sql(node, f"SELECT pid {waits} LIMIT 1").split()
                    if any(nodes.kill_backend(node, int(pid)) for pid in pids):
                        return 1
                else:
                    ended = nodes.sql(node, f"SELECT pg_{way}_backend(pid) {waits}")
                    count += len(ended.split())
            except ClusterError:
                # Patroni was faster and has demoted it.
                break
            time.sleep(0.05)
        return count

    def switchover(self, _):
        old = self.cluster.primary()
        return f"switchover from {old} to {self.cluster.switchover()}"

    def pause(self, way):
        if way == "all":
            self.cluster.pause_standbys()
            time.sleep(3)
        else:
            # Patroni has to name the other standby.
            self.cluster.nodes.pause_standby(self.cluster.node_with_role("sync_standby"), way)
            time.sleep(6)
        self.cluster.heal()
        return f"paused standby ({way})"

    def ipnd(self, name):
        self.front.servers[name].kill()
        time.sleep(1)
        self.front.start(name)
        return f"kill -9 ipnd {name}"


class Experiment:
    def __init__(self, cluster, front, count, seed, only):
        self.cluster, self.front, self.count, self.seed = cluster, front, count, seed
        self.only = only
        self.faults = Faults(cluster, front, random.Random(seed))
        self.violations = []

    def run(self):
        sandbox = self.front.sandboxes["a"]
        followers = {name: Follower(server) for name, server in self.front.servers.items()}
        with Load(sandbox, self.cluster.address, INTAKE, self.seed) as load:
            if not load.await_progress(50):
                raise ClusterError("nothing is acknowledged, though nothing is broken")
            print(f"{'fault':44} {'no answer for':>14} {'healthy after':>14} {'acknowledged':>13}")
            for kind, way in self.faults.deck(self.count, self.only):
                self.one(kind, way, load)
            for reference in load.finish():
                self.violations.append(f"never acknowledged, though all is healthy: {reference}")
            evidence = self.gather(load, followers)
        self.violations += judge(evidence)
        self.verify()
        self.summarize(load, evidence)

    def one(self, kind, way, load):
        began = time.monotonic()
        text = self.faults.cause(kind, way)
        self.cluster.await_healthy(90)
        self.front.await_ready()
        healthy = time.monotonic() - began
        if not load.await_progress(30):
            self.violations.append(f"no progress after {text}")
        print(
            f"{text:44} {load.longest_pause(began):12.1f} s {healthy:12.1f} s {load.count():13,}",
            flush=True,
        )

    def gather(self, load, followers):
        acknowledged = list(load.acknowledged)
        rows = self.rows(self.cluster.primary())
        last = rows[-1][0]
        # Collects the followed feeds first, so that they are compared with later answers.
        feeds = {name: follower.finish(last) for name, follower in followers.items()}
        return Evidence(
            acknowledged=acknowledged,
            rows=rows,
            nodes={node: self.references(node, len(rows)) for node in NAMES},
            events={name: Reader(one).read_all() for name, one in self.front.servers.items()},
            feeds=feeds,
            wrong={name: follower.reader.wrong for name, follower in followers.items()},
            orders={name: self.orders(one, acknowledged) for name, one in self.servers()},
        )

    def servers(self):
        return self.front.servers.items()

    def rows(self, node):
        lines = self.cluster.nodes.sql(node, EVENTS, database="ipnd", seconds=120).splitlines()
        pairs = (line.split("|", 1) for line in lines)
        return [(int(sequence), reference) for sequence, reference in pairs]

    def references(self, node, count, seconds=60):
        """The rows of a node after it has replayed what it has received."""
        query = f"SELECT count(*) FROM {SCHEMA}.events"
        try:
            await_true(
                lambda: int(self.cluster.nodes.sql(node, query, database="ipnd")) >= count,
                seconds,
                f"{count} rows at {node}",
                0.3,
            )
        except ClusterError:
            pass  # The check names what is missing
        return {reference for _, reference in self.rows(node)}

    def orders(self, server, acknowledged):
        chosen = random.Random(self.seed).sample(
            acknowledged, min(ORDERS_ASKED_MAX, len(acknowledged))
        )
        found = {}
        for reference in chosen:
            status, body = server.get(f"/orders/{ENDPOINT}/{reference}")
            found[reference] = f"{status} {hashlib.sha256(body).hexdigest()[:16]}"
            if status != 200:
                self.violations.append(f"order {reference}: status {status}")
        return found

    def verify(self):
        """The program's own check of sequences, chain and signatures."""
        for name in ("check", "verify"):
            status, text = self.front.command("a", "database", name)
            if status:
                last = (text.strip().splitlines() or ["no message"])[-1]
                self.violations.append(f"ipnd database {name}: status {status}: {last}")

    def summarize(self, load, evidence):
        followed = ", ".join(
            f"{len(entries):,} by {name}" for name, entries in evidence.feeds.items()
        )
        refusals = ", ".join(
            f"{count} × {status or 'no answer'}" for status, count in sorted(load.refusals.items())
        )
        for violation in self.violations[:10]:
            print(f"  {violation}")
        print(
            f"cluster-faults: {self.count} faults, seed {self.seed}, "
            f"{len(evidence.acknowledged):,} acknowledgements, {len(evidence.rows):,} rows, "
            f"events followed {followed}; retried after {refusals or 'nothing'}; "
            f"{len(self.violations)} violations"
        )
