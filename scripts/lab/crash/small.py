"""An ipnd whose journal has small segments and early snapshots, so that a short run covers
everything."""

import os

from lab.sandbox import JOURNAL, Sandbox


class SmallSandbox(Sandbox):
    def __init__(self, ipnd, folder, snapshot_records, journal="journal", sealed=False):
        super().__init__(ipnd, folder)
        self.journal = os.path.join(folder, journal)
        small = f"directory: {journal}, segmentMiB: 2, snapshotRecords: {snapshot_records}"
        self.master = f"{folder}/secrets/master" if sealed else None
        more = "limits: {bodyBytesMax: 65536}\nlog: {level: error}"
        if sealed:
            private = lambda path, flags: os.open(path, flags, 0o600)
            with open(self.master, "w", opener=private) as file:
                file.write(os.urandom(32).hex())
            more += "\npersonal: {masterKeys: [{name: first, key: {file: %s}}]}" % self.master
        self.configuration = self.configure(
            "small",
            more,
            [(JOURNAL, f"journal: {{{small}}}")],
        )

    def recorded(self):
        """The references of all records, in order."""
        return self.references(self.journal)
