"""What a real ipnd says of real notifications: pages of `/events`, orders and webhooks."""

import http.server
import json
import subprocess
import threading
import urllib.parse
import urllib.request

from lab.sandbox import OPENER, Sandbox

EXPECTED = {
    "X-1": {
        "amount": {"minor": 9900, "currency": "MYR"},
        "metadata": {"cart": {}, "items": [], "rate": 1.5, "none": None, "id": 12345678901},
    },
    "X-2": {"amount": {"minor": 9900, "currency": "MYR"}},
}
SCENARIOS = ["refund", "chargeback", "authorized-captured", "failed", "out-of-order"]
# What the values must contain for the check to be one.
CONTENT = [
    *('"type":"test"', '"type":"order.review"', '"type":"order.refunded"', '"type":"order.paid"'),
    *('"unjoined"', '"amount_unexpected"', '"reference":null', '"cart":{}', '"resolution":{'),
    *('"on":"refund"', '"on":"unclear_refund"', '"on":"dispute"', '"amount":null', '"claims":['),
    *('"repetitions":{', '"headers":[[', '"previous":', '"kind":"expectation"'),
]


class Shop:
    """A destination that keeps the bodies of the messages."""

    def __init__(self):
        self.messages, self.ids, self.changed = [], set(), threading.Condition()
        shop = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                with shop.changed:
                    shop.messages.append(body)
                    shop.ids.add(self.headers["webhook-id"].split("-", 1)[1])
                    shop.changed.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]

    def wait(self, condition):
        with self.changed:
            if not self.changed.wait_for(condition, timeout=60):
                raise SystemExit("check-openapi: messages are missing")


def values(ipnd, folder):
    """Pairs of a type's name and JSON."""
    sandbox, shop = Sandbox(ipnd, folder), Shop()
    with open(f"{folder}/secrets/shop", "w") as file:
        file.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    configuration = sandbox.configure(
        "clients",
        f'destinations:\n  - {{name: shop, url: "http://127.0.0.1:{shop.port}/",'
        " secrets: [{file: secrets/shop}]}",
    )
    with sandbox.start(configuration) as server:
        notify(sandbox, server, configuration)
        ask(server, "/destinations/shop/test", {})
        page = ask(server, "/events?after=0&limit=1000")
        events = json.loads(page)["events"]
        # The act itself, which asked for an example, is about no order.
        due = {str(event["sequence"]) for event in events if "order" in event}
        shop.wait(lambda: due <= shop.ids and any(id.startswith("test") for id in shop.ids))
        found = [("EventPage", page)]
        found += [("EventRecord", json.dumps(each, separators=(",", ":"))) for each in events]
        found += [("Message", message) for message in shop.messages]
        found += [("Order", order) for order in orders(server, events)]
    shop.server.shutdown()
    text = "\n".join(value for _, value in found)
    missing = [part for part in CONTENT if part not in text]
    if missing:
        raise SystemExit(f"check-openapi: the genuine events lack {missing}")
    return found


def ask(server, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.admin}{path}",
        headers={"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode(),
    )
    with OPENER.open(request, timeout=60) as answer:
        return answer.read().decode()


def notify(sandbox, server, configuration):
    """Notifications of all kinds."""

    def send(endpoint, *arguments):
        # Some providers send no notification of some events, which `send` refuses.
        subprocess.run(
            [
                *(sandbox.ipnd, "send", "--config", configuration, "--endpoint", endpoint),
                *("--url", f"http://127.0.0.1:{server.port}", *arguments),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    for reference, body in EXPECTED.items():
        ask(server, f"/orders/antom/{reference}", body)
    # Not the expected amount.
    send("antom", "--reference", "X-1")
    # Two amounts of one payment, decided by a person.
    for amount in ("42.00", "99.00"):
        send("antom", "--reference", "X-3", "--transaction", "T-3", "--amount", amount)
    last = json.loads(ask(server, "/orders/antom/X-3"))["last"]
    ask(server, "/orders/antom/X-3/resolve", {"reason": "asked them", "last": last})
    # A capture before its payment has no reference.
    send("antom", "--status", "captured", "--reference", "V-none")
    for endpoint in ("gocardless", "adyen", "citcon", "paypal", "opp"):
        send(endpoint, "--scenario", "refund", "--reference", f"V-{endpoint}")
    for scenario in SCENARIOS:
        send("antom", "--scenario", scenario, "--reference", f"V-{scenario}")


def orders(server, events):
    """The orders of the events, with their repetitions."""
    names = set()
    for event in events:
        if order := event.get("order"):
            name = order.get("reference") or "~" + order["transaction"]
            names.add((event["endpoint"], name))
    for endpoint, name in sorted(names):
        query = urllib.parse.urlencode({"repetitions": "true", "reference": name})
        yield ask(server, f"/orders/{endpoint}/-?{query}")
