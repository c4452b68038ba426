"""A node's configuration of Patroni, PostgreSQL and etcd."""

# These settings keep the promise: a commit returns when a second node has it, even while a node is
# away, and a primary that has lost its standby waits instead of continuing alone.
SYNCHRONOUS = {"synchronous_mode": True, "synchronous_mode_strict": True}
# Short, so that an experiment is short: a failover takes some 7 seconds.
TIMES = {"ttl": 5, "loop_wait": 1, "retry_timeout": 2, "primary_start_timeout": 0}


def parameters(folder):
    return {
        "max_connections": 200,
        "shared_buffers": "64MB",
        "dynamic_shared_memory_type": "mmap",
        "wal_level": "replica",
        "hot_standby": "on",
        "wal_log_hints": "on",
        "max_wal_senders": 10,
        "max_replication_slots": 10,
        # Each failover starts a timeline with new files; those of 100 must fit into memory.
        "wal_keep_size": "128MB",
        "max_wal_size": "256MB",
        "synchronous_commit": "on",
        "jit": "off",
        "lc_messages": "C",
        # A standby that is silent for this long is dropped.
        "wal_sender_timeout": "4s",
        "wal_receiver_timeout": "4s",
        "wal_receiver_status_interval": "1s",
        "wal_retrieve_retry_interval": "300ms",
        "tcp_user_timeout": 4000,
        "tcp_keepalives_idle": 1,
        "tcp_keepalives_interval": 1,
        "tcp_keepalives_count": 3,
        "log_line_prefix": "%m [%p] %u ",
        "log_checkpoints": "off",
        "unix_socket_directories": folder,
    }


def patroni(state, network, node):
    """Patroni's YAML, written as JSON."""
    address, folder = network.address(node), state.node_folder(node)
    method = "scram-sha-256"
    return {
        "scope": "ipnd",
        "name": node,
        "log": {"level": "INFO"},
        "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
        # etcd's v2 API: with v3, Patroni below 3.0.3 loses rows (see the package's page). Each
        # Patroni uses the member on its own node, so the loss of another node causes no timeout.
        "etcd": {"hosts": [f"{address}:2379"], "use_proxies": True, "protocol": "http"},
        "bootstrap": {
            "dcs": {
                **TIMES,
                **SYNCHRONOUS,
                "maximum_lag_on_failover": 1 << 20,
                "postgresql": {
                    "use_pg_rewind": True,
                    "use_slots": True,
                    "parameters": parameters(folder),
                },
            },
            "initdb": [
                {"encoding": "UTF8"},
                {"locale": "C.UTF-8"},
                "data-checksums",
                {"auth-host": method},
                {"auth-local": method},
            ],
        },
        "postgresql": {
            "listen": f"{address}:5432",
            "connect_address": f"{address}:5432",
            "data_dir": f"{folder}/data",
            "bin_dir": state.programs,
            "pgpass": f"{folder}/pgpass",
            "use_unix_socket": True,
            "use_unix_socket_repl": True,
            "parameters": {"unix_socket_directories": folder},
            "basebackup": [{"checkpoint": "fast"}],
            "authentication": {
                role: {"username": user, "password": state.passwords[user]}
                for role, user in (
                    ("superuser", "postgres"),
                    ("replication", "replicator"),
                    ("rewind", "rewind"),
                )
            },
            "pg_hba": [
                f"local all all {method}",
                f"local replication all {method}",
                f"host replication replicator {network.subnet} {method}",
                f"host all all {network.subnet} {method}",
            ],
        },
    }


def etcd(state, network, node, nodes):
    """The command of a node's etcd member."""
    clients, peers = (f"http://{network.address(node)}:{port}" for port in (2379, 2380))
    everyone = ",".join(f"{other}=http://{network.address(other)}:2380" for other in nodes)
    return [
        *("etcd", "--name", node, "--data-dir", f"{state.node_folder(node)}/etcd/data"),
        *("--listen-client-urls", clients, "--advertise-client-urls", clients),
        *("--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers),
        *("--initial-cluster", everyone, "--initial-cluster-state", "new"),
        *("--initial-cluster-token", network.bridge, "--enable-v2", "--pre-vote"),
        *("--heartbeat-interval", "100", "--election-timeout", "600"),
        *("--logger", "zap", "--log-outputs", "stderr", "--log-level", "warn"),
    ]
