"""An ipnd with orders of every kind, destinations and refusals, to look at."""

import contextlib
import hmac
import json
import os

from lab.processes import Process, free_port
from lab.sandbox import Sandbox
from lab.senders import connect, exchange

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class World:
    """A sandbox whose destination `warehouse` is reachable and whose destination `shop` is not,
    until `open_shop`."""

    def __init__(self, ipnd, folder, history=0):
        self.sandbox = Sandbox(ipnd, f"{folder}/sandbox")
        self.ipnd = ipnd
        self.history = history
        self.is_timed = False
        self.shop_port, self.warehouse_port = free_port(), free_port()
        secret = f"{self.sandbox.folder}/secrets/shop"
        with open(secret, "w") as file:
            file.write(f"{SECRET}\n")
        os.chmod(secret, 0o600)
        # Few attempts in quick succession, so that there are dead letters at once.
        ways = "secrets: [{file: secrets/shop}], endpoints: [antom]"
        with open(self.sandbox.configuration, "a") as file:
            file.write(
                "destinations:\n"
                f'  - {{name: shop, url: "http://127.0.0.1:{self.shop_port}/hook", {ways}, '
                "retrySeconds: [0.2], breakerSeconds: 1}\n"
                f'  - {{name: warehouse, url: "http://127.0.0.1:{self.warehouse_port}/hook", '
                f"{ways}}}\n"
            )
        self.allow_viewers("a-token-of-those-who-only-look")
        self.sandbox.run("check", "--config", self.sandbox.configuration)
        if history:
            self.fill(history)
        self.programs = contextlib.ExitStack()
        self.programs.enter_context(self.receiver(self.warehouse_port))
        self.server = self.programs.enter_context(self.sandbox.start())
        self.server.await_index()
        with open(f"{self.sandbox.folder}/secrets/hmac") as file:
            self.key = file.read().strip().encode()

    def allow_viewers(self, token):
        self.viewer_token = token
        with open(f"{self.sandbox.folder}/secrets/viewer-token", "w") as file:
            file.write(f"{token}\n")
        os.chmod(file.name, 0o600)
        with open(self.sandbox.configuration) as file:
            text = file.read()
        full = "token: {file: secrets/admin-token}"
        with open(self.sandbox.configuration, "w") as file:
            file.write(text.replace(full, f"{full}, viewerToken: {{file: secrets/viewer-token}}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.programs.close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.admin}/ui/"

    @property
    def token(self):
        return self.sandbox.token

    def fill(self, count):
        """Many orders, recorded before the server runs."""
        self.sandbox.bench(
            *("fill", "--config", self.sandbox.configuration, "--endpoint", "hmac"),
            *("--count", str(count)),
        )

    def receiver(self, port):
        command = [self.ipnd, "receive", "--listen", f"127.0.0.1:{port}", "--secret", SECRET]
        receiver = Process(command, f"{self.sandbox.folder}/receiver.log")
        receiver.await_ports(port)
        return receiver

    def open_shop(self):
        self.programs.enter_context(self.receiver(self.shop_port))

    def send(self, endpoint, *options, check=True):
        """Sends as the provider, with `ipnd send`."""
        return self.sandbox.run(
            *("send", "--config", self.sandbox.configuration, "--endpoint", endpoint),
            *("--url", f"http://127.0.0.1:{self.server.port}", *options),
            check=check,
        )

    def notify(self, endpoint="hmac", headers=(), **members):
        """Sends a notification with these members, signed here; returns the status."""
        body = json.dumps(members).encode()
        code = hmac.new(self.key, body, "sha256").hexdigest()
        lines = [
            f"POST /ipn/{endpoint} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"X-Signature: {code}",
            *headers,
            f"Content-Length: {len(body)}",
        ]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        with connect(self.server.port) as connection:
            return exchange(connection, request)

    def expect(self, endpoint, reference, minor, currency="MYR", **members):
        """Registers the merchant's expectation of an order; returns the status."""
        amount = {"minor": minor, "currency": currency}
        body = json.dumps({"amount": amount, **members}).encode()
        request = (
            f"POST /orders/{endpoint}/{reference} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        with connect(self.server.admin) as connection:
            return exchange(connection, request)

    def play(self):
        """Creates orders of every kind."""
        self.send("opp", "--scenario", "authorized-captured", "--reference", "SHOP-10412")
        self.send("citcon", "--status", "pending", "--reference", "SHOP-10413")
        self.send("antom", "--scenario", "refund", "--reference", "SHOP-10414", "--amount", "89.90")
        self.send("antom", "--scenario", "partial-refunds", "--reference", "SHOP-10415")
        self.expect("antom", "SHOP-10416", 12900)
        self.send(
            *("antom", "--status", "paid", "--reference", "SHOP-10416"),
            *("--amount", "12.90", "--repeat", "3"),
        )
        self.send(
            *("antom", "--scenario", "failed-then-paid", "--reference", "SHOP-10417"),
            *("--amount", "1249.00"),
        )
        self.send("hmac", "--reference", "SHOP-10418", "--amount", "15800", "--currency", "JPY")
        self.send("antom", "--status", "failed", "--reference", "SHOP-10419")
        self.send(
            *("antom", "--scenario", "chargeback", "--reference", "SHOP-10420"),
            *("--amount", "310.00"),
        )
        self.send("hmac", "--reference", "SHOP-10421", "--amount", "42.500", "--currency", "KWD")
        self.send("antom", "--reference", "SHOP-10422", "--amount", "64.00")
        self.send("antom", "--scenario", "bad-signature", check=False)
        self.send("ecommpay", "--scenario", "wrong-key", check=False)
        self.server.await_index()
