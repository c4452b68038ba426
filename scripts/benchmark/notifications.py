"""What a notification costs, of each system: in turns with its references."""

import references
from process import load
from sandbox import PORT
from turns import Turns

CONNECTIONS = 64
# A second's notifications of the fastest that is expected, so that none is sent twice unawares.
SECOND_MAX = {"antom": 34_000, "citcon": 60_000, "ecommpay": 60_000, "opp": 60_000}


def micros(value):
    return f"{value:.1f} µs"


def rate(value):
    return f"{value:,.0f}/s"


def p99(result):
    return result["milliseconds"]["99"]


def shares(result):
    """Which threads the CPU of a notification goes to; those that have ended by now prepared segments."""
    shares = {"loop": 0, "journal": 0, "index": 0, "log": 0, "other": 0}
    for name, spent in result["threads"].items():
        part = name.removeprefix("ipnd-").split("-")[0]
        shares[part if part in shares else "other"] += spent
    shares["ended"] = max(0, result["cpu"] - sum(shares.values()))
    return ", ".join(f"{part} {spent:.1f}" for part, spent in shares.items())


class Notifications:
    def __init__(self, sandbox, results, seconds, turns):
        self.sandbox, self.results, self.seconds, self.turns = sandbox, results, seconds, turns
        self.row = results.row

    def requests(self, endpoint, series=0):
        """Enough for one load."""
        return self.sandbox.load(endpoint, self.seconds * SECOND_MAX[endpoint], series)

    def fresh(self, endpoint, server, series=0, seconds=None, **options):
        """New notifications only, or a word that it was not so."""
        result = load(server, self.requests(endpoint, series), seconds or self.seconds, **options)
        if result["passes"] > 1:
            print(f"  the load of {endpoint} was sent {result['passes']} times: some were duplicates")
        return result

    def floor(self, pause=0.0):
        return references.floor(
            f"{self.sandbox.folder}/nginx", PORT, self.requests("antom"), self.seconds, pause)

    def antom(self):
        turns = Turns(self.antom_turns())
        middle, spread = turns.middle, turns.spread
        cpu = lambda turn: turn["full"]["cpu"]
        ratio = lambda turn: cpu(turn) / (turn["nginx"]["cpu"] + turn["verify"])
        again = lambda turn: turn["again"]["cpu"] / cpu(turn)
        pace = lambda turn: turn["full"]["persecond"]
        full, half = lambda turn: p99(turn["full"]), lambda turn: p99(turn["half"])
        typical = turns.typical(ratio)
        for name, part in (("nginx: bare answer", "nginx"),
                           ("nginx: bare answer, its load generator resting", "resting")):
            self.row(name, micros(middle(lambda turn: turn[part]["cpu"])),
                     rate(middle(lambda turn: turn[part]["persecond"])))
        self.row("openssl: one RSA-2048 verification", micros(middle(lambda turn: turn["verify"])))
        self.row("antom: CPU of a new notification", micros(middle(cpu)),
                 f"{middle(ratio):.2f} × (nginx + verification), {spread(ratio)}", "≤ 1.5 ×",
                 middle(ratio) <= 1.5)
        self.row("antom: where it goes", "", shares(typical["full"]) + " µs")
        self.row("antom: records of a batch", f"{middle(lambda turn: turn['batch']):.1f}",
                 f"mean fdatasync {middle(lambda turn: turn['sync']):.2f} ms")
        self.row("antom: CPU of a duplicate", micros(middle(lambda turn: turn["again"]["cpu"])),
                 f"{middle(again):.2f} × a new one, {spread(again)}", "≤ 1 ×", middle(again) <= 1)
        self.row("antom: rate", rate(middle(pace)), spread(pace, 0), "≥ 30,000/s", middle(pace) >= 30_000)
        if typical["node"]:
            node = lambda turn: turn["node"]["persecond"]
            beside = lambda turn: pace(turn) / node(turn)
            self.row("antom: rate beside Node", f"{middle(beside):.2f} ×",
                     f"{spread(beside)}; Node {rate(middle(node))}, "
                     f"{micros(middle(lambda turn: turn['node']['cpu']))}", "≥ 2 ×", middle(beside) >= 2)
        self.row("antom: p99 at full load", f"{middle(full):.2f} ms",
                 spread(full) + (f"; Node {middle(lambda turn: p99(turn['node'])):.2f} ms"
                                 if typical["node"] else ""), "≤ 5 ms", middle(full) <= 5)
        paced = turns.typical(half)["half"]
        self.row("antom: p99 at half load", f"{middle(half):.2f} ms",
                 f"{spread(half)}; {rate(paced['persecond'])}, {micros(paced['cpu'])}", "≤ 2 ms",
                 middle(half) <= 2)
        self.results.keep("latency", {
            name: result["milliseconds"] for name, result in
            (("ipnd, full load", turns.typical(full)["full"]), ("ipnd, half load", paced),
             ("Node, full load", typical["node"])) if result})
        self.results.keep("cpu", {"floor": typical["nginx"]["cpu"] + typical["verify"],
                                  "antom": cpu(typical), "node": typical["node"] and typical["node"]["cpu"]})

    def antom_turns(self):
        """ipnd between its references, as often as wanted."""
        pause = None
        for _ in range(self.turns):
            turn = {"verify": references.verify_microseconds(), "nginx": self.floor()}
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                turn["full"] = self.fresh("antom", server)
                turn["again"] = load(
                    server, self.requests("antom"), self.seconds, limit=turn["full"]["requests"])
                turn["batch"], turn["sync"] = self.batches()
            turn["half"], pause = self.half(turn["full"]["persecond"], pause)
            turn["node"] = self.node()
            turn["resting"] = self.floor(pause=pause)
            yield turn

    def batches(self):
        """The records of a batch and the milliseconds of a sync, both the mean."""
        value = lambda name: self.sandbox.metric(f"ipnd_{name}")
        return (value("batch_records_sum") / value("batch_records_count"),
                1000 * value("fdatasync_seconds_sum") / value("fdatasync_seconds_count"))

    def half(self, full_rate, pause):
        """Half of the full rate: each connection rests before each request. How long, is tried first; then the
        last turn's pause is near enough to begin with. Returns the pause of the next turn, too."""
        turn = 1000 * CONNECTIONS / (full_rate / 2)
        tries = (self.seconds,) if pause else (1, self.seconds)
        pause = pause or turn - 0.5
        for seconds in tries:
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                result = load(server, self.requests("antom"), seconds, pause=pause)
            pause -= 1000 * CONNECTIONS / result["persecond"] - turn
        return result, pause

    def node(self):
        server = references.node(self.sandbox.folder, PORT, f"{self.sandbox.ipnd}/keys/antom.pem")
        if not server:
            print("Node is not installed: its row is left out")
            return None
        with server:
            return self.fresh("antom", server)

    def systems(self):
        for endpoint, arithmetic in (
                ("citcon", "SHA-256"), ("ecommpay", "HMAC-SHA512"), ("opp", "AES-256-GCM")):
            turns = Turns(self.system_turns(endpoint))
            middle, spread = turns.middle, turns.spread
            ratio = lambda turn: turn["full"]["cpu"] / turn["reference"]
            again = lambda turn: turn["again"]["cpu"] / turn["full"]["cpu"]
            self.row(f"{endpoint}: CPU of a new notification", micros(middle(lambda turn: turn["full"]["cpu"])),
                     f"{middle(ratio):.2f} × (nginx + {arithmetic} of {self.sandbox.body_bytes(endpoint)} B: "
                     f"{micros(middle(lambda turn: turn['reference']))}), {spread(ratio)}", "≤ 1.5 ×",
                     middle(ratio) <= 1.5)
            self.row(f"{endpoint}: CPU of a duplicate", micros(middle(lambda turn: turn["again"]["cpu"])),
                     f"{middle(again):.2f} × a new one, {spread(again)}", "≤ 1 ×", middle(again) <= 1)
            self.row(f"{endpoint}: rate, p99", rate(middle(lambda turn: turn["full"]["persecond"])),
                     f"{middle(lambda turn: p99(turn['full'])):.2f} ms")

    def system_turns(self, endpoint):
        size = self.sandbox.body_bytes(endpoint)
        for _ in range(self.turns):
            reference = self.floor()["cpu"] + references.digest_microseconds(endpoint, size)
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                full = self.fresh(endpoint, server)
                again = load(server, self.requests(endpoint), self.seconds, limit=full["requests"])
            yield {"reference": reference, "full": full, "again": again}
