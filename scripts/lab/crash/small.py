"""An ipnd whose journal has small segments and early snapshots, so that a short run covers
everything."""

import os

from lab.sandbox import JOURNAL, Sandbox


class SmallSandbox(Sandbox):
    def __init__(self, ipnd, folder, snapshot_records, journal="journal"):
        super().__init__(ipnd, folder)
        self.journal = os.path.join(folder, journal)
        small = f"directory: {journal}, segmentMiB: 2, snapshotRecords: {snapshot_records}"
        self.configuration = self.configure(
            "small",
            "limits: {bodyBytesMax: 65536}\nlog: {level: error}",
            [(JOURNAL, f"journal: {{{small}}}")],
        )

    def recorded(self):
        """The references of all records, in order."""
        return self.references(self.journal)
