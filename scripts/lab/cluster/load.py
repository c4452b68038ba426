"""Signed senders that behave like providers: they retry until they receive an acknowledgement."""

import queue
import random
import threading
import time

from lab.notifications import signed
from lab.senders import connect, exchange

ENDPOINT = "citcon"
WRITERS, SHADOWS = 4, 2
# Pause of each writer. Faults are measured, not speed.
REQUESTS_PER_SECOND = 25
CHUNK = 2000
# Maximum time for an answer; ipnd's own limit is shorter.
ANSWER_SECONDS = 30


class Load:
    """Notifications, each about its own order, and a record of the answers to clients."""

    def __init__(self, sandbox, address, port, seed):
        self.sandbox, self.address, self.port = sandbox, address, port
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.made, self.waiting = 0, []
        # Time of the first acknowledgement by reference.
        self.acknowledged, self.refusals = {}, {}
        self.copies = queue.Queue(100)
        self.writers = [Writer(self, random.Random(seed + n)) for n in range(WRITERS)]
        self.shadows = [Shadow(self) for _ in range(SHADOWS)]

    def __enter__(self):
        for thread in (*self.writers, *self.shadows):
            thread.start()
        return self

    def take(self):
        """The next notification: its reference and request."""
        with self.lock:
            if not self.waiting:
                prefix = f"FAULT{self.made}"
                requests = signed(self.sandbox, ENDPOINT, CHUNK, prefix)
                self.waiting = [(f"{prefix}-{n}", one) for n, one in enumerate(requests)][::-1]
                self.made += 1
            return self.waiting.pop()

    def note(self, reference, status):
        with self.lock:
            if 200 <= status < 300:
                self.acknowledged.setdefault(reference, time.monotonic())
            else:
                self.refusals[status] = self.refusals.get(status, 0) + 1

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def longest_pause(self, since):
        """The longest time without an acknowledgement, in seconds."""
        with self.lock:
            moments = sorted(moment for moment in self.acknowledged.values() if moment >= since)
        moments = [since, *moments, time.monotonic()]
        return max(later - earlier for earlier, later in zip(moments, moments[1:], strict=False))

    def await_progress(self, count, seconds=60):
        """Waits for this many more acknowledgements. Returns False if they do not arrive in
        time."""
        end, wanted = time.monotonic() + seconds, self.count() + count
        while self.count() < wanted:
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def finish(self, seconds=90):
        """Lets each writer finish its current notification; returns the references that were never
        acknowledged."""
        self.stopping.set()
        end = time.monotonic() + seconds
        for writer in self.writers:
            writer.join(max(0, end - time.monotonic()))
        return [writer.current for writer in self.writers if writer.current]

    def __exit__(self, *_):
        self.stopping.set()


class Client(threading.Thread):
    """A connection that is reopened when it breaks."""

    def __init__(self, load):
        super().__init__(daemon=True)
        self.load, self.connection = load, None

    def send(self, reference, request):
        """Sends a request; returns whether it was acknowledged."""
        try:
            if not self.connection:
                self.connection = connect(self.load.port, self.load.address, seconds=ANSWER_SECONDS)
            status = exchange(self.connection, request)
        except OSError:
            status, self.connection = 0, None
        self.load.note(reference, status)
        return 200 <= status < 300


class Writer(Client):
    def __init__(self, load, generator):
        super().__init__(load)
        self.generator, self.current = generator, None

    def run(self):
        while not self.load.stopping.is_set():
            reference, request = self.load.take()
            self.current = reference
            if self.generator.random() < 0.3 and not self.load.copies.full():
                # Another client sends the same at the same time: its duplicate may arrive while the
                # original is not durable.
                self.load.copies.put((reference, request))
            while not self.send(reference, request):
                time.sleep(0.1)
            self.current = None
            time.sleep(self.generator.expovariate(REQUESTS_PER_SECOND))


class Shadow(Client):
    """Sends copies of the writers' requests, once each."""

    def run(self):
        while not self.load.stopping.is_set():
            try:
                reference, request = self.load.copies.get(timeout=0.5)
            except queue.Empty:
                continue
            self.send(reference, request)
