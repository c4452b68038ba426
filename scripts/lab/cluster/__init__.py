"""A PostgreSQL cluster to try and to break: three nodes, each in a network namespace of its own.

A node is an etcd member, Patroni and PostgreSQL 15, from Debian's packages. The nodes hang on a
bridge `ipndK` with 10.77.K.0/24: this machine is .1, the nodes are .11, .12 and .13. K is free when
a cluster takes it, so several clusters can run at once. Nothing outside of these names, addresses
and processes is touched.

- `system`: commands, processes by id and start time
- `network`: bridge, namespaces, partitions
- `patroni`: the configuration of a node, and why each setting
- `nodes`: the programs of a node: start, kill, pause
- `cluster`: up, down, health, faults
- `state`: what a cluster has made, and how it is removed; `reaper` does so when the owner is dead
- `front`: two ipnd in database mode behind haproxy
- `load`, `feed`, `faults`, `checks`: scripts/cluster-faults

What it showed, with Debian 12's Patroni 3.0.2:

- Through etcd's v3 API this Patroni writes the leader key without comparing. A primary that was cut
  off with its etcd member overwrites the key of the new primary when the network heals, and is
  promoted without the rows acknowledged meanwhile: 5 of 5 heals lost 1,007 to 1,242 rows each. By
  the v2 API, which this cluster uses, none of 6; by Patroni 3.1.2 and v3, none of 6. (Fixed in
  3.0.3, pull request 2693.)
- kill -9 never loses the page cache, so nothing here tests fsync: scripts/power-cut does that.
- Without netem in the kernel there is no loss rate and no jitter, only silence.
"""
