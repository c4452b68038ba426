"""The sections that need no history; each measures ipnd and its reference."""

import re
import subprocess
import time

from lab.bench import references
from lab.bench.calls import Calls
from lab.bench.costs import Costs, micros, p99, rate
from lab.bench.crowd import crowd
from lab.bench.database import Database
from lab.bench.delivery import Delivery
from lab.bench.footprint import Footprint
from lab.bench.sandbox import PORT, TLS_PORT
from lab.bench.sealing import Sealing
from lab.bench.snapshot import Snapshot
from lab.bench.wrk import CORES, pinned


class Sections(Costs):
    def loops(self):
        """Server and load generator share all cores: the gain of a second loop."""
        found = {}
        # In turns, and the better of two, as for the handshakes.
        for loops in (1, 2, 1, 2):
            self.sandbox.forget()
            with self.sandbox.serve(pin=False, name=f"loops-{loops}", loops=loops) as server:
                result = self.fresh("antom", server, pin=False)
            if loops not in found or found[loops]["persecond"] < result["persecond"]:
                found[loops] = result
        for loops, result in found.items():
            self.row(
                f"{loops} loop{'s' if loops > 1 else ''} on {len(CORES)} cores, wrk beside",
                rate(result["persecond"]),
                f"{result['persecond'] / found[1]['persecond']:.2f} × one loop, "
                f"{micros(result['cpu'])}, "
                f"p99 {p99(result):.2f} ms",
            )

    def tls(self):
        for name, algorithm in (
            ("ECDSA P-256", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
            ("RSA-2048", ["rsa:2048"]),
        ):
            certificate = self.certificate(algorithm)
            nginx = ipnd = 0
            # In turns, and the better of two: disturbances only make a machine slower.
            for _ in range(2):
                with references.nginx(
                    f"{self.sandbox.work}/nginx", TLS_PORT, certificate
                ) as server:
                    nginx = max(nginx, self.handshakes(server))
                with self.sandbox.serve(name="tls", certificate=certificate) as server:
                    ipnd = max(ipnd, self.handshakes(server))
            self.row(
                f"full handshakes per CPU second, {name}",
                f"{ipnd:,.0f}",
                f"{ipnd / nginx:.2f} × nginx ({nginx:,.0f})",
                "≥ 0.8 ×",
                ipnd >= 0.8 * nginx,
            )

    def certificate(self, algorithm):
        files = f"{self.sandbox.work}/cert.pem", f"{self.sandbox.work}/key.pem"
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                *algorithm,
                "-nodes",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-days",
                "30",
                "-out",
                files[0],
                "-keyout",
                files[1],
            ],
            check=True,
            capture_output=True,
        )
        return files

    def handshakes(self, server):
        """TLS 1.3 handshakes per CPU second of the server; two clients, because one cannot saturate
        it."""
        before = server.cpu()
        client = [
            *pinned(CORES[0]),
            "openssl",
            "s_time",
            "-new",
            "-tls1_3",
            "-connect",
            f"127.0.0.1:{TLS_PORT}",
            "-time",
            str(max(2, self.seconds // 2)),
        ]
        clients = [
            subprocess.Popen(client, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(2)
        ]
        texts = [client.communicate()[0] for client in clients]
        done = sum(int(re.findall(r"(\d+) connections in", text)[-1]) for text in texts)
        return done / (server.cpu() - before)

    def calls(self):
        Calls(self).measure()

    def empty(self):
        Footprint(self).empty()

    def idle(self):
        Footprint(self).idle()

    def snapshot(self):
        Snapshot(self).measure()

    def sealed(self):
        Sealing(self).measure()

    def database(self):
        Database(self).measure()

    def delivery(self):
        Delivery(self).measure()

    def memory(self):
        self.sandbox.forget()
        with self.sandbox.serve() as server:
            time.sleep(1)
            idle = server.memory() / 2**20
        self.row("idle server", f"{idle:.1f} MiB", "resident", "≤ 30 MiB", idle <= 30)
        limits = "connectionsPerPeerMax: 100000, connectionsMax: 11000, keepAliveSecondsMax: 600"
        certificate = self.certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        for kind, port, bound in (("plain", PORT, 8), ("TLS", TLS_PORT, 40)):
            with self.sandbox.serve(name="crowd", limits=limits, certificate=certificate) as server:
                count, each = crowd(server, port, kind == "TLS")
            self.row(
                f"idle {kind} connection",
                f"{each / 1024:.1f} KiB",
                f"mean of {count:,}, after one request",
                f"≤ {bound} KiB",
                each <= bound * 1024,
            )
