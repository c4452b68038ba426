"""A model of a disk and of the kernel's memory, with POSIX's guarantees only.

- Data written before a sync of the file was entered is present after the sync has returned.
- Of any other data, any 512-byte sector may be present or not, in any order.
- A change of a name is durable after a sync of its directory, entered after the change, has
  returned; any other change may be present or not.
"""

import os

SECTOR = 512


class File:
    def __init__(self):
        # Zeros after `durable` are counted but not stored.
        self.durable, self.size = bytearray(), 0
        self.pending = []  # [offset, bytes, whether the call has returned]
        self.kept = None  # The path where `materialize` has written the present state before

    def put(self, target, offset, data):
        """Zeros after all other data need only the size."""
        end = offset + len(data)
        if offset >= len(target) and not data.strip(b"\0"):
            return end
        if len(target) < end:
            target.extend(bytes(end - len(target)))
        target[offset:end] = data
        return end

    def sync(self, covered):
        self.kept = None
        for write in covered:
            self.size = max(self.size, self.put(self.durable, write[0], write[1]))
        gone = set(map(id, covered))
        self.pending = [write for write in self.pending if id(write) not in gone]

    def pieces(self):
        for offset, data, _ in self.pending:
            place = 0
            while place < len(data):
                room = SECTOR - (offset + place) % SECTOR
                yield offset + place, data[place : place + room]
                place += room

    def after(self, keeps):
        """The content and the size after a power cut. `keeps(index, count)` decides for each sector
        that was not synced."""
        if not self.pending:
            return self.durable, self.size
        content, size = bytearray(self.durable), self.size
        pieces = list(self.pieces())
        for index, (offset, data) in enumerate(pieces):
            if keeps(index, len(pieces)):
                size = max(size, self.put(content, offset, data))
        return content, size


class Directory:
    def __init__(self):
        self.durable, self.current = {}, {}
        self.pending = []  # [{name: node or None}, whether the call has returned]

    def change(self, names):
        change = [names, False]
        self.pending.append(change)
        apply(names, self.current)
        return change

    def sync(self, covered):
        for change in covered:
            apply(change[0], self.durable)
        gone = set(map(id, covered))
        self.pending = [change for change in self.pending if id(change) not in gone]

    def after(self, keeps):
        names = dict(self.durable)
        for index, (change, _) in enumerate(self.pending):
            if keeps(index, len(self.pending)):
                apply(change, names)
        return names


def apply(change, names):
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


class Choice:
    """The unsynced part that a power cut keeps: `sectors` and `names` are each "none", "all", a
    fraction (the first part of each file), or "random"."""

    def __init__(self, sectors, names, generator):
        self.sectors, self.names, self.generator = sectors, names, generator

    def keeps(self, kind, index, count):
        if kind == "none":
            return False
        if kind == "all":
            return True
        if kind == "random":
            return self.generator.random() < 0.5
        return index < kind * count

    def sector(self, index, count):
        return self.keeps(self.sectors, index, count)

    def name(self, index, count):
        return self.keeps(self.names, index, count)


class Builder:
    """Creates real directories of the state after a power cut. Files that recovery only reads
    (snapshots, and segments followed by a later one) are written once into `store`, and linked."""

    def __init__(self, store):
        self.store, self.count = store, 0
        os.mkdir(store)

    def build(self, directory, path, choice):
        os.mkdir(path)
        names = directory.after(choice.name)
        last = max((name for name in names if name.endswith(".segment")), default=None)
        for name, node in names.items():
            place = f"{path}/{name}"
            if isinstance(node, Directory):
                self.build(node, place, choice)
            elif node.pending or name == last or not name.endswith((".segment", ".snapshot")):
                write(place, *node.after(choice.sector))
            else:
                os.link(node.kept or self.keep(node), place)

    def keep(self, node):
        self.count += 1
        node.kept = f"{self.store}/{self.count}"
        write(node.kept, node.durable, node.size)
        return node.kept


def write(path, content, size):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o640)
    os.write(descriptor, content)
    if size > len(content):
        os.ftruncate(descriptor, size)
    os.close(descriptor)
