"""The sections that need no history: each measures, and says what it found beside its reference."""

import re
import subprocess
import time

import references
from crowd import crowd
from process import CORES, load, pinned
from sandbox import PORT, TLS_PORT

CONNECTIONS = 64


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


class Sections:
    def __init__(self, sandbox, results, seconds):
        self.sandbox, self.results, self.seconds = sandbox, results, seconds
        self.row = results.row

    def requests(self, endpoint):
        """Enough for the fastest that is expected, so that none is sent twice unawares."""
        return self.sandbox.load(endpoint, self.seconds * (34_000 if endpoint == "antom" else 60_000))

    def fresh(self, endpoint, server, **options):
        """New notifications only, or a word that it was not so."""
        result = load(server, self.requests(endpoint), self.seconds, **options)
        if result["passes"] > 1:
            print(f"  the load of {endpoint} was sent {result['passes']} times: some were duplicates")
        return result

    def floor(self, pause=0.0):
        return references.floor(
            f"{self.sandbox.folder}/nginx", PORT, self.requests("antom"), self.seconds, pause)

    def antom(self):
        verify = references.verify_microseconds()
        nginx = self.floor()
        floor = nginx["cpu"] + verify
        self.sandbox.forget()
        with self.sandbox.serve() as server:
            full = self.fresh("antom", server)
            again = load(server, self.requests("antom"), self.seconds, limit=full["requests"])
            batches = {name: self.sandbox.metric(f"ipnd_{name}") for name in (
                "batch_records_sum", "batch_records_count", "fdatasync_seconds_sum", "fdatasync_seconds_count")}
        half = self.half(full["persecond"])
        node = self.node()
        slow = self.floor(pause=half["pause"])
        self.row("nginx: bare answer", micros(nginx["cpu"]), rate(nginx["persecond"]))
        self.row("nginx: bare answer, its load generator resting", micros(slow["cpu"]), rate(slow["persecond"]))
        self.row("openssl: one RSA-2048 verification", micros(verify))
        self.row("antom: CPU of a new notification", micros(full["cpu"]),
                 f"{full['cpu'] / floor:.2f} × (nginx + verification)", "≤ 1.5 ×", full["cpu"] <= 1.5 * floor)
        self.row("antom: where it goes", "", shares(full) + " µs")
        self.row("antom: records of a batch",
                 f"{batches['batch_records_sum'] / batches['batch_records_count']:.1f}", "mean fdatasync "
                 f"{1000 * batches['fdatasync_seconds_sum'] / batches['fdatasync_seconds_count']:.2f} ms")
        self.row("antom: CPU of a duplicate", micros(again["cpu"]),
                 f"{again['cpu'] / full['cpu']:.2f} × a new one", "≤ 1 ×", again["cpu"] <= full["cpu"])
        self.row("antom: rate", rate(full["persecond"]), "", "≥ 30,000/s", full["persecond"] >= 30_000)
        if node:
            self.row("antom: rate beside Node", rate(full["persecond"]),
                     f"{full['persecond'] / node['persecond']:.2f} × Node ({rate(node['persecond'])}, "
                     f"{micros(node['cpu'])})", "≥ 2 ×", full["persecond"] >= 2 * node["persecond"])
        self.row("antom: p99 at full load", f"{p99(full):.2f} ms",
                 f"Node {p99(node):.2f} ms" if node else "", "≤ 5 ms", p99(full) <= 5)
        self.row("antom: p99 at half load", f"{p99(half):.2f} ms",
                 f"{rate(half['persecond'])}, {half['persecond'] / full['persecond']:.0%} of full load, "
                 f"{micros(half['cpu'])}", "≤ 2 ms", p99(half) <= 2)
        self.results.keep("latency", {
            name: result["milliseconds"] for name, result in
            (("ipnd, full load", full), ("ipnd, half load", half), ("Node, full load", node)) if result})
        self.results.keep("cpu", {"floor": floor, "antom": full["cpu"], "node": node and node["cpu"]})

    def half(self, full_rate):
        """Half of the full rate: each connection rests before each request. How long, is tried first."""
        turn = 1000 * CONNECTIONS / (full_rate / 2)
        pause = turn - 0.5
        for seconds in (1, self.seconds):
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                result = load(server, self.requests("antom"), seconds, pause=pause)
            result["pause"] = pause
            pause -= 1000 * CONNECTIONS / result["persecond"] - turn
        return result

    def node(self):
        server = references.node(self.sandbox.folder, PORT, f"{self.sandbox.ipnd}/keys/antom.pem")
        if not server:
            print("Node is not installed: its row is left out")
            return None
        with server:
            return self.fresh("antom", server)

    def systems(self):
        floor = self.floor()["cpu"]
        for endpoint, arithmetic in (
                ("citcon", "SHA-256"), ("ecommpay", "HMAC-SHA512"), ("opp", "AES-256-GCM")):
            self.sandbox.forget()
            with self.sandbox.serve() as server:
                new = self.fresh(endpoint, server)
                again = load(server, self.requests(endpoint), self.seconds, limit=new["requests"])
            size = self.sandbox.body_bytes(endpoint)
            reference = floor + references.digest_microseconds(endpoint, size)
            self.row(f"{endpoint}: CPU of a new notification", micros(new["cpu"]),
                     f"{new['cpu'] / reference:.2f} × (nginx + {arithmetic} of {size} B: "
                     f"{micros(reference)})", "≤ 1.5 ×", new["cpu"] <= 1.5 * reference)
            self.row(f"{endpoint}: CPU of a duplicate", micros(again["cpu"]),
                     f"{again['cpu'] / new['cpu']:.2f} × a new one", "≤ 1 ×", again["cpu"] <= new["cpu"])
            self.row(f"{endpoint}: rate, p99", rate(new["persecond"]), f"{p99(new):.2f} ms")

    def loops(self):
        """Server and load generator share all cores: what a second loop brings there."""
        found = {}
        # In turns, and the better of two, as for the handshakes.
        for loops in (1, 2, 1, 2):
            self.sandbox.forget()
            with self.sandbox.serve(pin=False, name=f"loops-{loops}", loops=loops) as server:
                result = self.fresh("antom", server, pin=False)
            if loops not in found or found[loops]["persecond"] < result["persecond"]:
                found[loops] = result
        for loops, result in found.items():
            self.row(f"{loops} loop{'s' if loops > 1 else ''} on {len(CORES)} cores, wrk beside",
                     rate(result["persecond"]),
                     f"{result['persecond'] / found[1]['persecond']:.2f} × one loop, {micros(result['cpu'])}, "
                     f"p99 {p99(result):.2f} ms")

    def tls(self):
        for name, algorithm in (("ECDSA P-256", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
                                ("RSA-2048", ["rsa:2048"])):
            certificate = self.certificate(algorithm)
            nginx = ipnd = 0
            # In turns, and the better of two: what disturbs a machine only ever makes it slower.
            for _ in range(2):
                with references.nginx(f"{self.sandbox.folder}/nginx", TLS_PORT, certificate) as server:
                    nginx = max(nginx, self.handshakes(server))
                with self.sandbox.serve(name="tls", certificate=certificate) as server:
                    ipnd = max(ipnd, self.handshakes(server))
            self.row(f"full handshakes per CPU second, {name}", f"{ipnd:,.0f}",
                     f"{ipnd / nginx:.2f} × nginx ({nginx:,.0f})", "≥ 0.8 ×", ipnd >= 0.8 * nginx)

    def certificate(self, algorithm):
        files = f"{self.sandbox.folder}/cert.pem", f"{self.sandbox.folder}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-days", "30", "-out", files[0], "-keyout", files[1]],
            check=True, capture_output=True)
        return files

    def handshakes(self, server):
        """TLS 1.3, per CPU second of the server; two clients, since one cannot keep it busy."""
        before = server.cpu()
        client = [*pinned(CORES[0]), "openssl", "s_time", "-new", "-tls1_3", "-connect",
                  f"127.0.0.1:{TLS_PORT}", "-time", str(max(2, self.seconds // 2))]
        clients = [subprocess.Popen(client, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                   for _ in range(2)]
        texts = [client.communicate()[0] for client in clients]
        done = sum(int(re.findall(r"(\d+) connections in", text)[-1]) for text in texts)
        return done / (server.cpu() - before)

    def memory(self):
        self.sandbox.forget()
        with self.sandbox.serve() as server:
            time.sleep(1)
            idle = server.rss() / 2**20
        self.row("idle server", f"{idle:.1f} MiB", "resident", "≤ 30 MiB", idle <= 30)
        limits = "connectionsPerPeerMax: 100000, connectionsMax: 11000, keepAliveSecondsMax: 600"
        certificate = self.certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        for kind, port, bound in (("plain", PORT, 8), ("TLS", TLS_PORT, 40)):
            with self.sandbox.serve(name="crowd", limits=limits, certificate=certificate) as server:
                count, each = crowd(server, port, kind == "TLS")
            self.row(f"idle {kind} connection", f"{each / 1024:.1f} KiB", f"mean of {count:,}, after one request",
                     f"≤ {bound} KiB", each <= bound * 1024)
