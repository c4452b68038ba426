"""A PostgreSQL cluster for trials and fault injection: three nodes, each in its own network
namespace.

A node is an etcd member, Patroni and PostgreSQL 15, from Debian's packages. The nodes are connected
to a bridge `ipndK` with 10.77.K.0/24: this machine is .1, the nodes are .11, .12 and .13. K is a
free number when a cluster starts, so several clusters can run at once. Only these names, addresses
and processes are used.

- `system`: commands, processes by id and start time
- `network`: bridge, namespaces, partitions
- `patroni`: the configuration of a node, and the reason for each setting
- `nodes`: the programs of a node: start, kill, pause
- `cluster`: up, down, health, faults
- `state`: what a cluster has created, and its removal; `reaper` removes it if the owner is dead
- `front`: two ipnd in database mode behind haproxy
- `load`, `feed`, `faults`, `checks`: scripts/cluster-faults

Findings with Debian 12's Patroni 3.0.2:

- Through etcd's v3 API this Patroni writes the leader key without comparing. A primary that was cut
  off with its etcd member overwrites the key of the new primary when the network heals, and is
  promoted without the rows acknowledged meanwhile: 5 of 5 heals lost 1,007 to 1,242 rows each. With
  the v2 API, which this cluster uses, none of 6; with Patroni 3.1.2 and v3, none of 6. (Fixed in
  3.0.3, pull request 2693.)
- kill -9 never loses the page cache, so this does not test fsync: scripts/power-cut does.
- Without netem in the kernel there is no packet loss rate and no jitter, only silence.
"""
