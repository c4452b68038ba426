"""The cluster's network: a bridge, a namespace for each node, and partitions.

A node is silenced by `tc qdisc … blackhole` on both ends of its link. Single peers are silenced by
a permanent neighbour entry with an unused hardware address. Neither returns an error, like a broken
switch.
"""

import os

from lab.cluster.system import ClusterError, run

NAMES = ("n1", "n2", "n3")
# This machine, where ipnd runs.
CLIENTS = "clients"
NETNS = "/run/netns"
NOWHERE = "02:de:ad:00:00:01"


class Network:
    def __init__(self, number):
        self.number = number
        # Nodes that are cut off, and pairs that cannot reach each other.
        self.cut, self.pairs = set(), set()

    # Names

    @property
    def bridge(self):
        return f"ipnd{self.number}"

    @property
    def prefix(self):
        return f"10.77.{self.number}."

    @property
    def subnet(self):
        return f"{self.prefix}0/24"

    def address(self, name):
        return f"{self.prefix}{self.host(name)}"

    @staticmethod
    def host(name):
        return 1 if name == CLIENTS else 11 + NAMES.index(name)

    def namespace(self, node):
        return f"ipnd{self.number}-{node}"

    def namespace_file(self, node):
        return f"{NETNS}/{self.namespace(node)}"

    def link(self, node):
        """This machine's end of the node's link."""
        return f"ipnd{self.number}{node}"

    def hardware(self, name):
        return f"02:77:00:{self.number:02x}:00:{self.host(name):02x}"

    # Up and down

    def is_free(self):
        used = run("ip", "-4", "-o", "addr") + run("ip", "-4", "route")
        return f" {self.prefix}" not in used and not os.path.exists(f"/sys/class/net/{self.bridge}")

    def up(self):
        bridge = ("ip", "link", "add", self.bridge, "address", self.hardware(CLIENTS))
        run(*bridge, "type", "bridge", "mcast_snooping", 0)
        without_ipv6(self.bridge)
        run("ip", "addr", "add", f"{self.address(CLIENTS)}/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for node in NAMES:
            inside, link = ("ip", "-n", self.namespace(node)), self.link(node)
            run("ip", "netns", "add", self.namespace(node))
            peer = ("peer", "name", "eth0", "netns", self.namespace(node))
            run("ip", "link", "add", link, "type", "veth", *peer)
            without_ipv6(link)
            run("ip", "link", "set", link, "master", self.bridge, "up")
            run(*inside, "link", "set", "lo", "up")
            run(*inside, "link", "set", "eth0", "address", self.hardware(node), "up")
            run(*inside, "addr", "add", f"{self.address(node)}/24", "dev", "eth0")
        self.pin()

    def down(self):
        """Removes the network from any state."""
        for node in NAMES:
            if os.path.exists(self.namespace_file(node)):
                run("ip", "netns", "del", self.namespace(node), check=False)
        for device in (*map(self.link, NAMES), self.bridge):
            if os.path.exists(f"/sys/class/net/{device}"):
                run("ip", "link", "del", device, check=False)

    def pin(self):
        """Fixes all hardware addresses at all nodes: without ARP, a cut stays silent."""
        everyone = (*NAMES, CLIENTS)
        for here in everyone:
            for there in everyone:
                if here != there:
                    deaf = frozenset((here, there)) in self.pairs
                    self.pin_one(here, there, NOWHERE if deaf else self.hardware(there))

    def pin_one(self, here, there, hardware):
        inside = ("ip",) if here == CLIENTS else ("ip", "-n", self.namespace(here))
        device = self.bridge if here == CLIENTS else "eth0"
        entry = ("neigh", "replace", self.address(there), "lladdr", hardware)
        run(*inside, *entry, "dev", device, "nud", "permanent")

    # Partitions

    def partition(self, node, way="silent"):
        """Cuts a node off. `silent`: packets are dropped both ways. `out`: it receives packets
        but cannot send. `link`: its link is down, which it notices. `peers`: from the other
        nodes only."""
        if way == "peers":
            self.pairs |= {frozenset((node, other)) for other in NAMES if other != node}
            self.pin()
            return
        if way == "link":
            run("ip", "link", "set", self.link(node), "down")
        elif way in ("silent", "out"):
            hole = ("root", "handle", "1:", "blackhole")
            tc = ("qdisc", "replace", "dev")
            run("tc", "-n", self.namespace(node), *tc, "eth0", *hole)
            if way == "silent":
                run("tc", *tc, self.link(node), *hole)
        else:
            raise ClusterError(f"no such partition: {way}")
        self.cut.add(node)

    def heal(self):
        for node in NAMES:
            delete = ("qdisc", "del", "dev")
            run("tc", "-n", self.namespace(node), *delete, "eth0", "root", check=False)
            run("tc", *delete, self.link(node), "root", check=False)
            run("ip", "link", "set", self.link(node), "up")
        self.cut, self.pairs = set(), set()
        self.pin()

    def reachable(self):
        """The nodes that this machine can reach."""
        return [node for node in NAMES if node not in self.cut]


def without_ipv6(device):
    try:
        with open(f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6", "w") as file:
            file.write("1")
    except OSError:
        pass
