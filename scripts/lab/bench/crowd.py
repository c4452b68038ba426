"""Idle connections, and the server's memory for each."""

import ssl
import time

from lab import senders

COUNT, WARM = 10_000, 200
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def crowd(server, port, secure):
    """Opens many connections that make one request each; returns their number and the resident
    bytes of each."""
    context = None
    if secure:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def connect():
        connection = senders.connect(port)
        if context:
            connection = context.wrap_socket(connection, server_hostname="localhost")
        connection.sendall(REQUEST)
        if not connection.recv(4096).startswith(b"HTTP/1.1 404"):
            raise SystemExit("an idle connection was refused")
        return connection

    # The first ones allocate what all share: tables, pools, OpenSSL's own.
    warm = [connect() for _ in range(WARM)]
    before = server.memory()
    kept = [connect() for _ in range(COUNT - WARM)]
    time.sleep(1)
    each = (server.memory() - before) / len(kept)
    for connection in warm + kept:
        connection.close()
    return COUNT, each
