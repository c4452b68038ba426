"""Replays a trace on the model of a disk, and stops at every point where a crash leaves a new
state."""

import os
import re

from lab.crash.disk import Directory, File

REFERENCE = re.compile(rb"CRASH-\d+")
# For the calls that change names: the directory arguments of each of their paths.
NAMES = {
    "mkdir": (None,),
    "unlink": (None,),
    "rename": (None, None),
    "link": (None, None),
    "mkdirat": (0,),
    "unlinkat": (0,),
    "renameat": (0, 2),
    "renameat2": (0, 2),
    "linkat": (0, 2),
}


class Replay:
    """The disk and the acknowledgements at one point of the trace."""

    def __init__(self, journal):
        self.parent = os.path.dirname(journal)
        self.root = Directory()
        self.directories = {self.parent: self.root}
        self.descriptors = {}  # of files and directories
        self.requests = {}  # socket: references that were sent and not answered
        self.open_calls = {}  # Changes that a call in progress will complete
        self.acknowledged = []
        self.points = 0

    def run(self, traces):
        """Yields before each change of the disk: all earlier points since the last change have the
        same disk and fewer acknowledgements, so this one requires the most."""
        for trace in traces:
            # A new process has its own descriptors; the kernel's memory is kept.
            self.descriptors, self.requests, self.open_calls = {}, {}, {}
            for kind, call, result in trace:
                if kind == "exit" and result is None:
                    continue
                self.points += 1
                if self.changes_disk(kind, call):
                    yield
                if kind == "enter":
                    getattr(self, f"enter_{call.name}", self.ignore)(call)
                else:
                    getattr(self, f"exit_{call.name}", self.ignore)(call, result)
        yield

    def changes_disk(self, kind, call):
        if call.name in ("pwrite64", "fdatasync", "fsync", "fallocate"):
            return call.descriptor() in self.descriptors and (kind == "enter") == (
                call.name == "pwrite64"
            )
        if call.name in NAMES:
            return kind == "enter" and self.places(call)[0] is not None
        return False

    def ignore(self, call, result=None):
        """Not about the journal."""

    def refuse(self, call):
        """The journal does not use this call, and the model does not support it."""
        if call.descriptor() in self.descriptors:
            raise NotImplementedError(f"{call.name} on a file of the journal")

    enter_write = enter_writev = enter_pwritev = enter_pwritev2 = refuse
    enter_ftruncate = enter_sync_file_range = refuse

    def places(self, call):
        """The targets of the paths of a call that changes names."""
        return [
            self.place(call.path(index), self.base(call, argument))
            for index, argument in enumerate(NAMES[call.name])
        ]

    def base(self, call, argument):
        """The directory that a path is relative to; False if it is not the journal's."""
        word = "AT_FDCWD" if argument is None else call.numbers()[argument]
        return None if word == "AT_FDCWD" else self.descriptors.get(int(word), False)

    def place(self, path, base=None):
        """The directory and name of a path below the journal's parent directory."""
        parent, name = os.path.split(os.path.normpath(path))
        if base is not None and not os.path.isabs(path):
            directory = base.current.get(parent) if base and parent else base
            return (directory, name) if directory else None
        directory = self.directories.get(parent)
        if directory is None or (directory is self.root and name != self.journal_name):
            return None
        return directory, name

    @property
    def journal_name(self):
        return "journal"

    # Names

    def exit_openat(self, call, result):
        if result < 0:
            return
        path, flags = os.path.normpath(call.path()), call.rest
        base = self.base(call, 0)
        self.descriptors.pop(result, None)
        if base and path == ".":
            self.descriptors[result] = base
            return
        if path in self.directories:
            self.descriptors[result] = self.directories[path]
            return
        found = self.place(path, base)
        if found is None:
            return
        directory, name = found
        if "O_CREAT" in flags and ("O_TRUNC" in flags or name not in directory.current):
            # Emptying an existing file is modelled as a new file of that name.
            directory.change({name: File()})[1] = True
        # The program may look at the journal's directory before it ensures that it exists.
        if name in directory.current:
            self.descriptors[result] = directory.current[name]

    def exit_close(self, call, result):
        self.descriptors.pop(call.descriptor(), None)
        self.requests.pop(call.descriptor(), None)

    def change(self, call, directory, names):
        self.open_calls[id(call)] = directory.change(names)

    def complete(self, call, result):
        change = self.open_calls.pop(id(call), None)
        if change:
            change[-1] = True

    def enter_mkdir(self, call):
        (found,) = self.places(call)
        if found and found[1] not in found[0].current:
            made = Directory()
            above = next(path for path, node in self.directories.items() if node is found[0])
            self.directories[os.path.join(above, found[1])] = made
            self.change(call, found[0], {found[1]: made})

    def enter_rename(self, call):
        old, new = self.places(call)
        if old is None and new is None:
            return
        if old is None or new is None or old[0] is not new[0]:
            raise NotImplementedError("a rename from one directory into another")
        self.change(call, old[0], {old[1]: None, new[1]: old[0].current[old[1]]})

    def enter_unlink(self, call):
        (found,) = self.places(call)
        if found and found[1] in found[0].current:
            self.change(call, found[0], {found[1]: None})

    def enter_link(self, call):
        old, new = self.places(call)
        if old and new:
            self.change(call, new[0], {new[1]: old[0].current[old[1]]})

    enter_mkdirat, enter_unlinkat, enter_linkat = enter_mkdir, enter_unlink, enter_link
    enter_renameat = enter_renameat2 = enter_rename
    exit_mkdir = exit_rename = exit_unlink = exit_link = complete
    exit_mkdirat = exit_renameat = exit_renameat2 = exit_unlinkat = exit_linkat = complete

    # Content

    def enter_pwrite64(self, call):
        file = self.descriptors.get(call.descriptor())
        if file is None:
            return
        data = call.strings[0]
        *_, length, offset = call.numbers()
        if len(data) != int(length):
            raise ValueError("strace has cut a write short")
        write = [int(offset), data, False]
        file.pending.append(write)
        self.open_calls[id(call)] = write

    exit_pwrite64 = complete

    def enter_fdatasync(self, call):
        node = self.descriptors.get(call.descriptor())
        if node is not None:
            # A sync makes everything durable that was done before it began.
            self.open_calls[id(call)] = [item for item in node.pending if item[-1]]

    def exit_fdatasync(self, call, result):
        covered = self.open_calls.pop(id(call), None)
        node = self.descriptors.get(call.descriptor())
        if covered is not None and node is not None and result == 0:
            node.sync(covered)

    enter_fsync, exit_fsync = enter_fdatasync, exit_fdatasync

    def exit_fallocate(self, call, result):
        # Only the size: the journal relies only on it being kept after the next sync.
        file = self.descriptors.get(call.descriptor())
        if file is not None and result == 0:
            size = sum(int(number) for number in call.numbers()[-2:])
            file.pending.append([size - 1, b"\0", True])

    # Sockets

    def exit_recvfrom(self, call, result):
        if result > 0:
            for data in call.strings[:1]:
                found = dict.fromkeys(REFERENCE.findall(data))
                self.requests.setdefault(call.descriptor(), []).extend(found)

    def enter_sendto(self, call):
        answer = call.strings[0]
        waiting = self.requests.get(call.descriptor())
        if not waiting or not answer.startswith(b"HTTP/1.1 "):
            return
        reference = waiting.pop(0)
        # An answer counts from the moment at which the kernel could first have sent it.
        if answer.startswith(b"HTTP/1.1 2"):
            self.acknowledged.append(reference.decode())

    def pending_sectors(self):
        """Number of unsynced sectors in files that may be visible after a crash, and number of
        changed names."""
        directories = list(self.directories.values())
        files = {
            id(node): node
            for directory in directories
            for names in (directory.durable, directory.current)
            for node in names.values()
            if isinstance(node, File)
        }
        return (
            sum(len(data) // 512 + 1 for file in files.values() for _, data, _ in file.pending),
            sum(len(directory.pending) for directory in directories),
        )
