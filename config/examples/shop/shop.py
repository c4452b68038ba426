#!/usr/bin/env python3
"""A complete shop behind ipnd: Python's standard library and SQLite, nothing else.

  shop.py sell REFERENCE MINOR CURRENCY   takes an order, and tells ipnd which payment to expect
  shop.py run                             follows the events and decides about each order
  shop.py ship                            ships what is paid, once, and prints it
  shop.py list                            prints all orders

The database is shop.db in the current folder. IPND_ADMIN is the address of the admin listener,
IPND_TOKEN_FILE the file with its token, ENDPOINT the endpoint to sell through (default: antom).
The rules are those of config/fulfilment.md.
"""
import json, os, pathlib, sqlite3, sys, time, urllib.error, urllib.parse, urllib.request

ADMIN = os.environ.get("IPND_ADMIN", "http://127.0.0.1:9090")
TOKEN_FILE = os.environ.get("IPND_TOKEN_FILE", "/etc/ipnd/secrets/admin-token")
ENDPOINT = os.environ.get("ENDPOINT", "antom")

NOTHING = {"pending", "authorized", "failed", "canceled", "expired"}
DOUBTS = {"provider_review", "paid_twice", "contradicted", "unconfirmed", "not_understood"}

db = sqlite3.connect("shop.db", timeout=30, isolation_level=None)
db.executescript("""
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS orders (endpoint text, reference text, minor integer, currency text,
  PRIMARY KEY (endpoint, reference));
CREATE TABLE IF NOT EXISTS decisions (endpoint text, name text, action text, why text,
  shipped boolean DEFAULT false, PRIMARY KEY (endpoint, name));
CREATE TABLE IF NOT EXISTS position (one integer PRIMARY KEY CHECK (one = 1), store text, after integer);
""")


class Refused(Exception):
    """An answer of ipnd that is not a success."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status = status


def call(method, path, query=None, body=None):
    url = f"{ADMIN}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    token = pathlib.Path(TOKEN_FILE).read_text().strip()
    request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {token}"})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        try: problem = json.load(error)
        except ValueError: problem = {}
        raise Refused(error.code, problem) from None


def sell(reference, minor, currency):
    """The order is stored before ipnd is told: a payment never meets an unknown order."""
    db.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", [ENDPOINT, reference, int(minor), currency])
    path = f"/orders/{urllib.parse.quote(ENDPOINT, safe='')}/-"
    call("POST", path, {"reference": reference}, {"amount": {"minor": int(minor), "currency": currency}})
    print(f"sold {ENDPOINT}/{reference}")


def total(endpoint, reference):
    row = db.execute("SELECT minor, currency FROM orders WHERE endpoint = ? AND reference = ?",
                     [endpoint, reference]).fetchone()
    return row and f"{row[0]} {row[1]}"


def decide(event):
    """Returns `ship` or `hold`, the order's name and the cause; None if there is nothing to do."""
    order, flags = event.get("order"), set(event.get("flags", []))
    if not order or order["status"] in NOTHING: return None
    reference, amount = order.get("reference"), order.get("amount")
    name = reference if reference is not None else "~" + order.get("transaction", "")
    paid = f'{amount["minor"]} {amount["currency"]}' if amount else "an unknown amount"
    doubt = flags & {"test_mode"} or ("resolved" not in flags and flags & DOUBTS)
    if order["status"] != "paid": return "hold", name, order["status"]
    if doubt: return "hold", name, min(doubt)
    if reference is None: return "hold", name, "no reference"
    if paid != total(event["endpoint"], reference): return "hold", name, paid
    return "ship", name, paid


def apply(page):
    """One transaction: the decisions of a page, and the position after it."""
    db.execute("BEGIN IMMEDIATE")
    for event in page["events"]:
        if effect := decide(event):
            action, name, why = effect
            db.execute("INSERT INTO decisions (endpoint, name, action, why) VALUES (?, ?, ?, ?)"
                       " ON CONFLICT (endpoint, name) DO UPDATE SET action = excluded.action, why = excluded.why",
                       [event["endpoint"], name, action, why])
    db.execute("INSERT OR REPLACE INTO position VALUES (1, ?, ?)", [page["store"], page["next"]])
    db.execute("COMMIT")


def run():
    while True:
        row = db.execute("SELECT store, after FROM position").fetchone()
        query = {"store": row[0], "after": row[1]} if row else {"after": 0}
        try:
            page = call("GET", "/events", {**query, "wait": 25})
        except Refused as refused:
            if refused.status in (401, 403): sys.exit(str(refused))
            if refused.status == 409: db.execute("DELETE FROM position")     # another store
            else: time.sleep(1)
            continue
        except (OSError, ValueError):                                        # unreachable, or not ready
            time.sleep(1)
            continue
        if "gap" in page: print("events were deleted; compare `shop.py list`:", page["gap"], file=sys.stderr)
        apply(page)


def ship():
    """Marks an order as shipped before it is, after asking whether it still is paid."""
    for endpoint, name in db.execute(
            "SELECT endpoint, name FROM decisions WHERE action = 'ship' AND NOT shipped").fetchall():
        path = f"/orders/{urllib.parse.quote(endpoint, safe='')}/-"
        if call("GET", path, {"reference": name})["status"] != "paid": continue
        marked = db.execute("UPDATE decisions SET shipped = true WHERE endpoint = ? AND name = ?"
                            " AND action = 'ship' AND NOT shipped", [endpoint, name])
        if marked.rowcount: print(f"shipped {endpoint}/{name}")


def show():
    for row in db.execute("SELECT endpoint, name, action, why, shipped FROM decisions ORDER BY endpoint, name"):
        print(f"{row[0]}/{row[1]}\t{row[2]}\t{row[3]}" + ("\tshipped" if row[4] else ""))


if __name__ == "__main__":
    commands = {"sell": sell, "run": run, "ship": ship, "list": show}
    if len(sys.argv) < 2 or sys.argv[1] not in commands: sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
