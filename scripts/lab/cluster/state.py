"""Everything that a cluster has created, recorded in a file so that any process can remove it."""

import dataclasses
import fcntl
import glob
import json
import os
import pwd
import random
import secrets
import shutil
import tempfile
import time

from lab.cluster.network import NAMES, Network
from lab.cluster.system import ClusterError, identity, is_alive, run, send, succeeds

LOCKS = "/run/lock"
USERS = ("postgres", "replicator", "rewind", "ipnd")


@dataclasses.dataclass
class State:
    number: int
    folder: str
    programs: str
    uid: int
    gid: int
    passwords: dict
    # Processes of each node, and in this machine's own namespace: ipnd, haproxy.
    etcd: dict = dataclasses.field(default_factory=dict)
    patroni: dict = dataclasses.field(default_factory=dict)
    here: list = dataclasses.field(default_factory=list)
    # System V segments as [id, creating process]: a killed postmaster leaves one.
    memory: list = dataclasses.field(default_factory=list)
    # The folder that the logs are copied to before removal.
    logs: str = ""

    def node_folder(self, node):
        return f"{self.folder}/{node}"

    def save(self):
        path = f"{self.folder}/.state"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(dataclasses.asdict(self), file)
        os.replace(path, f"{self.folder}/state.json")

    @staticmethod
    def load(folder):
        with open(f"{folder}/state.json") as file:
            return State(**json.load(file))


def allocate(programs):
    """Takes a free number under a lock, and creates the folder. Returns the state and the lock."""
    sweep()
    for number in random.sample(range(1, 255), 254):
        lock = take_lock(lock_path(number))
        if lock is None:
            continue
        if not Network(number).is_free():
            drop_lock(lock)
            continue
        folder = tempfile.mkdtemp(prefix=f"ipnd-cluster-{number}-")
        os.ftruncate(lock, 0)
        os.pwrite(lock, folder.encode(), 0)
        # In memory: kill -9 makes no difference, and a failover does not test disks.
        run("mount", "-t", "tmpfs", "-o", "size=8g,mode=0711", f"ipnd{number}", folder)
        user = pwd.getpwnam("postgres")
        words = {name: secrets.token_hex(12) for name in USERS}
        state = State(number, folder, programs, user.pw_uid, user.pw_gid, words)
        for node in NAMES:
            for path in (state.node_folder(node), f"{state.node_folder(node)}/etcd"):
                os.mkdir(path, 0o700)
                os.chown(path, user.pw_uid, user.pw_gid)
        state.save()
        return state, lock
    raise ClusterError("no free 10.77.x.0/24")


# Locks: the holder owns the number; the file names the folder.


def lock_path(number):
    return f"{LOCKS}/ipnd-cluster-{number}.lock"


def take_lock(path):
    """None if the lock is held."""
    os.makedirs(LOCKS, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    if not os.fstat(descriptor).st_nlink:
        # The previous holder has removed the file meanwhile.
        os.close(descriptor)
        return None
    return descriptor


def drop_lock(descriptor):
    try:
        os.unlink(os.readlink(f"/proc/self/fd/{descriptor}"))
    except OSError:
        pass
    os.close(descriptor)


def sweep():
    """Removes clusters whose owner and reaper are both dead."""
    for path in glob.glob(lock_path("*")):
        lock = take_lock(path)
        if lock is None:
            continue
        folder = os.pread(lock, 4096, 0).decode()
        try:
            destroy(State.load(folder))
        except (OSError, ValueError, TypeError):
            pass
        drop_lock(lock)


# Removal, from any state and more than once.


def destroy(state):
    network = Network(state.number)
    for process in state.here:
        send(process)
    for _ in range(100):
        # All processes in the cluster's own namespaces belong to the cluster.
        left = [process for node in NAMES for process in processes(network, node)]
        if not left:
            break
        for process in left:
            send(process)
        time.sleep(0.05)
    network.down()
    for node in NAMES:
        note_memory(state, node)
    remove_memory(state)
    if state.logs:
        os.makedirs(state.logs, exist_ok=True)
        for log in glob.glob(f"{state.folder}/*.log"):
            shutil.copy(log, state.logs)
    remove_folder(state.folder)


def processes(network, node):
    """The identities of all processes in a node's namespace."""
    if not os.path.exists(network.namespace_file(node)):
        return []
    ids = run("ip", "netns", "pids", network.namespace(node), check=False).split()
    return [process for process in map(identity, map(int, ids)) if is_alive(process)]


def note_memory(state, node):
    """Records the shared memory of the node's postmaster. Returns True if it was new."""
    try:
        with open(f"{state.node_folder(node)}/data/postmaster.pid") as file:
            lines = file.read().split("\n")
        segment = [int(lines[6].split()[1]), int(lines[0])]
    except (OSError, ValueError, IndexError):
        return False
    if segment in state.memory:
        return False
    state.memory.append(segment)
    return True


def remove_memory(state):
    try:
        with open("/proc/sysvipc/shm") as file:
            head, *rows = [line.split() for line in file]
    except OSError:
        return
    for row in (dict(zip(head, row, strict=False)) for row in rows):
        is_ours = [int(row["shmid"]), int(row["cpid"])] in state.memory
        if is_ours and row["nattch"] == "0" and int(row["uid"]) == state.uid:
            run("ipcrm", "-m", row["shmid"], check=False)


def remove_folder(folder):
    for _ in range(20):
        if not os.path.ismount(folder) or succeeds("umount", folder):
            break
        time.sleep(0.1)  # The last process is ending
    else:
        run("umount", "-l", folder, check=False)
    shutil.rmtree(folder, ignore_errors=True)
