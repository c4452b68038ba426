"""The cost of a notification for each provider, measured in turns with its references."""

from lab.bench import references
from lab.bench.sandbox import PORT
from lab.bench.turns import Turns
from lab.bench.wrk import load

CONNECTIONS = 64
# A slow server does not use up a load.
IN_TURN_MAX = 8
# A second's notifications of the fastest expected server, so that none is sent twice by accident.
SECOND_MAX = {
    "antom": 34_000,
    "citcon": 60_000,
    "ecommpay": 60_000,
    "opp": 60_000,
    "hmac": 60_000,
    "stripe": 60_000,
    "adyen": 60_000,
    "paypal": 34_000,
}


def micros(value):
    return f"{value:.1f} µs"


def rate(value):
    return f"{value:,.0f}/s"


def count_text(count):
    return f"{count / 1e6:g} million" if count >= 1_000_000 else f"{count:,}"


def p99(result):
    return result["milliseconds"]["99"]


# The figures of a turn.


def cost(turn):
    return turn["full"]["cpu"]


def floor_of(turn):
    return turn["nginx"]["cpu"] + turn["verify"]


def above_floor(turn):
    return cost(turn) / floor_of(turn)


def p99_full(turn):
    return p99(turn["full"])


def p99_half(turn):
    return p99(turn["half"])


def shares(result):
    """CPU of a notification by thread; threads that have ended prepared segments."""
    shares = {"loop": 0, "journal": 0, "index": 0, "log": 0, "other": 0}
    for name, spent in result["threads"].items():
        part = name.removeprefix("ipnd-").split("-")[0]
        shares[part if part in shares else "other"] += spent
    shares["ended"] = max(0, result["cpu"] - sum(shares.values()))
    return ", ".join(f"{part} {spent:.1f}" for part, spent in shares.items())


class Costs:
    def __init__(self, sandbox, results, seconds, turns, history=()):
        self.sandbox, self.results, self.seconds, self.turns = sandbox, results, seconds, turns
        # Number of remembered events in the sections that measure it.
        self.history = history
        self.row = results.row

    def requests(self, endpoint, series=0):
        """Enough notifications for one load."""
        return self.sandbox.load(endpoint, self.seconds * SECOND_MAX[endpoint], series)

    def fresh(self, endpoint, server, series=0, seconds=None, **options):
        """Loads new notifications only, or warns if some were repeated."""
        result = load(server, self.requests(endpoint, series), seconds or self.seconds, **options)
        if result["passes"] > 1:
            print(
                f"  the load of {endpoint} was sent {result['passes']} times: some were duplicates"
            )
        return result

    def in_turn(self, servers, series, **options):
        """Loads several servers for a second each in turn until the load is used up, so that the
        machine's pace is nearly the same for all. Returns the result of each turn by server."""
        place, order = 0, list(servers)
        for _ in range(IN_TURN_MAX):
            if place > (self.seconds - 1) * SECOND_MAX["antom"]:
                return
            turn = {}
            for name in order:
                turn[name] = self.second(servers[name], series, place, **options)
            # After all notifications that were sent, answered or not.
            place += max(result["requests"] for result in turn.values()) + CONNECTIONS
            # The second server finds the processor's cache as the first one left it.
            order.reverse()
            yield turn

    def second(self, server, series, place, **options):
        """A second's load of notifications from this offset of a series."""
        return self.fresh(
            *("antom", server, series, 1),
            **{"limit": SECOND_MAX["antom"], "skip": place, "rest": 0.2, **options},
        )

    def floor(self, pause=0.0):
        return references.floor(
            f"{self.sandbox.work}/nginx", PORT, self.requests("antom"), self.seconds, pause
        )

    def antom(self):
        turns = Turns(self.antom_turns())
        self.antom_references(turns)
        self.antom_costs(turns)
        self.antom_pace(turns)
        self.antom_plots(turns)

    def antom_references(self, turns):
        for name, part in (
            ("nginx: bare answer", "nginx"),
            ("nginx: bare answer, its load generator resting", "resting"),
        ):
            self.row(
                name,
                micros(turns.middle(lambda turn, part=part: turn[part]["cpu"])),
                rate(turns.middle(lambda turn, part=part: turn[part]["persecond"])),
            )
        verify = turns.middle(lambda turn: turn["verify"])
        self.row("openssl: one RSA-2048 verification", micros(verify))

    def antom_costs(self, turns):
        middle, spread = turns.middle, turns.spread
        again = lambda turn: turn["again"]["cpu"] / cost(turn)
        self.row(
            "antom: CPU of a new notification",
            micros(middle(cost)),
            f"{middle(above_floor):.2f} × (nginx + verification), {spread(above_floor)}",
            "≤ 1.5 ×",
            middle(above_floor) <= 1.5,
        )
        typical = turns.typical(above_floor)
        self.row("antom: where it goes", "", shares(typical["full"]) + " µs")
        self.row(
            "antom: records of a batch",
            f"{middle(lambda turn: turn['batch']):.1f}",
            f"mean fdatasync {middle(lambda turn: turn['sync']):.2f} ms",
        )
        self.row(
            "antom: CPU of a duplicate",
            micros(middle(lambda turn: turn["again"]["cpu"])),
            f"{middle(again):.2f} × a new one, {spread(again)}",
            "≤ 1 ×",
            middle(again) <= 1,
        )

    def antom_pace(self, turns):
        middle, spread, has_node = turns.middle, turns.spread, turns.turns[0]["node"]
        pace = lambda turn: turn["full"]["persecond"]
        node = lambda turn: turn["node"]["persecond"]
        beside = lambda turn: pace(turn) / node(turn)
        self.row(
            "antom: rate", rate(middle(pace)), spread(pace, 0), "≥ 30,000/s", middle(pace) >= 30_000
        )
        if has_node:
            self.row(
                "antom: rate beside Node",
                f"{middle(beside):.2f} ×",
                f"{spread(beside)}; Node {rate(middle(node))}, "
                f"{micros(middle(lambda turn: turn['node']['cpu']))}",
                "≥ 2 ×",
                middle(beside) >= 2,
            )
        full = middle(p99_full)
        beside_it = f"; Node {middle(lambda turn: p99(turn['node'])):.2f} ms" if has_node else ""
        self.row(
            "antom: p99 at full load",
            f"{full:.2f} ms",
            spread(p99_full) + beside_it,
            "≤ 5 ms",
            full <= 5,
        )
        half, paced = middle(p99_half), turns.typical(p99_half)["half"]
        self.row(
            "antom: p99 at half load",
            f"{half:.2f} ms",
            f"{spread(p99_half)}; {rate(paced['persecond'])}, {micros(paced['cpu'])}",
            "≤ 2 ms",
            half <= 2,
        )

    def antom_plots(self, turns):
        typical = turns.typical(above_floor)
        curves = {
            "ipnd, full load": turns.typical(p99_full)["full"],
            "ipnd, half load": turns.typical(p99_half)["half"],
            "Node, full load": typical["node"],
        }
        self.results.keep(
            "latency", {name: found["milliseconds"] for name, found in curves.items() if found}
        )
        cpu = {"floor": floor_of(typical), "antom": cost(typical)}
        self.results.keep("cpu", {**cpu, "node": typical["node"] and typical["node"]["cpu"]})

    def antom_turns(self):
        """Measures ipnd between its references, this many times."""
        pause = None
        for _ in range(self.turns):
            turn = {"verify": references.verify_microseconds(), "nginx": self.floor()}
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                turn["full"] = self.fresh("antom", server)
                turn["again"] = load(
                    server, self.requests("antom"), self.seconds, limit=turn["full"]["requests"]
                )
                turn["batch"], turn["sync"] = self.batches(server)
            turn["half"], pause = self.half(turn["full"]["persecond"], pause)
            turn["node"] = self.node()
            turn["resting"] = self.floor(pause=pause)
            yield turn

    def batches(self, server):
        """Mean number of records per batch and mean milliseconds per sync."""
        value = lambda name: server.metric(f"ipnd_{name}")
        return (
            value("batch_records_sum") / value("batch_records_count"),
            1000 * value("fdatasync_seconds_sum") / value("fdatasync_seconds_count"),
        )

    def half(self, full_rate, pause):
        """Half of the full rate: each connection pauses before each request. The length is searched
        for the first time; afterwards the last turn's pause is a good start. Also returns the pause
        for the next turn."""
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
        server = references.node(self.sandbox.work, PORT, f"{self.sandbox.folder}/keys/antom.pem")
        if not server:
            print("Node is not installed: its row is left out")
            return None
        with server:
            return self.fresh("antom", server)

    def systems(self):
        for endpoint, arithmetic in (
            ("citcon", "SHA-256"),
            ("ecommpay", "HMAC-SHA512"),
            ("opp", "AES-256-GCM"),
            ("hmac", "HMAC-SHA256"),
            ("stripe", "HMAC-SHA256"),
            ("adyen", "HMAC-SHA256"),
            ("paypal", "RSA"),
        ):
            # Some signatures are too old after minutes.
            self.sandbox.forget_load(endpoint)
            turns = Turns(self.system_turns(endpoint))
            middle, spread = turns.middle, turns.spread
            ratio = lambda turn: turn["full"]["cpu"] / turn["reference"]
            again = lambda turn: turn["again"]["cpu"] / turn["full"]["cpu"]
            self.row(
                f"{endpoint}: CPU of a new notification",
                micros(middle(lambda turn: turn["full"]["cpu"])),
                f"{middle(ratio):.2f} × (nginx + {arithmetic} of "
                f"{self.sandbox.body_bytes(endpoint)} B: "
                f"{micros(middle(lambda turn: turn['reference']))}), {spread(ratio)}",
                "≤ 1.5 ×",
                middle(ratio) <= 1.5,
            )
            self.row(
                f"{endpoint}: CPU of a duplicate",
                micros(middle(lambda turn: turn["again"]["cpu"])),
                f"{middle(again):.2f} × a new one, {spread(again)}",
                "≤ 1 ×",
                middle(again) <= 1,
            )
            self.row(
                f"{endpoint}: rate, p99",
                rate(middle(lambda turn: turn["full"]["persecond"])),
                f"{middle(lambda turn: p99(turn['full'])):.2f} ms",
            )

    def system_turns(self, endpoint):
        size = self.sandbox.body_bytes(endpoint)
        for _ in range(self.turns):
            reference = self.floor()["cpu"] + references.digest_microseconds(endpoint, size)
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                full = self.fresh(endpoint, server)
                again = load(server, self.requests(endpoint), self.seconds, limit=full["requests"])
            yield {"reference": reference, "full": full, "again": again}
