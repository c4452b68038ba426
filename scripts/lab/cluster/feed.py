"""A consumer: follows the events of an instance throughout all faults."""

import hashlib
import json
import threading
import time
from typing import NamedTuple

from lab.sandbox import Admin

PAGE = 1000


class Entry(NamedTuple):
    sequence: int
    # Digest of the whole record, so that two versions of one record can be distinguished.
    digest: str
    reference: str


def entry(event):
    text = json.dumps(event, sort_keys=True).encode()
    reference = (event.get("order") or {}).get("reference", "")
    return Entry(event["sequence"], hashlib.sha256(text).hexdigest()[:16], reference)


class Reader(Admin):
    """Reads an instance that may be unavailable. It keeps its position, as a consumer does."""

    def __init__(self, server):
        self.address, self.admin, self.token = server.address, server.admin, server.token
        self.entries, self.position, self.store = [], 0, None
        # Answers that no consumer must get: another store, a position beyond the end.
        self.wrong = []

    def read(self, wait=0):
        """Reads one page; returns whether there was an answer, and its number of events."""
        path = f"/events?after={self.position}&limit={PAGE}&wait={wait}"
        if self.store:
            path += f"&store={self.store}"
        status, body = self.get(path, seconds=wait + 15)
        if status == 409:
            self.wrong.append(body.decode(errors="replace")[:200])
        if status != 200:
            return False, 0
        page = json.loads(body)
        self.store = page["store"]
        self.entries += map(entry, page["events"])
        self.position = page["next"]
        return True, len(page["events"])

    def read_all(self, seconds=60):
        """Reads everything available."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            is_answered, count = self.read()
            if is_answered and not count:
                break
            if not is_answered:
                time.sleep(0.2)
        return self.entries


class Follower(threading.Thread):
    """Follows an instance's feed until it is stopped and has reached the end."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.reader, self.last = Reader(server), None
        self.start()

    def run(self):
        while self.last is None or self.reader.position < self.last:
            is_answered, _ = self.reader.read(wait=1)
            if not is_answered:
                time.sleep(0.2)

    def finish(self, last, seconds=60):
        """Reads up to the last sequence; returns what was read."""
        self.last = last
        self.join(seconds)
        return self.reader.entries
