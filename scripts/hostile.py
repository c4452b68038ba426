"""What scripts/hostile runs: starts ipnd, attacks it, watches it with a probe, prints a table."""
import os, re, resource, shutil, signal, socket, ssl, subprocess, sys, tempfile, threading, time

BINARY, SHORT = sys.argv[1], sys.argv[2] == "1"
WORK = tempfile.mkdtemp(prefix="ipnd-hostile-")
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
ROWS, PIECES = [], []


class Target:
    """An `ipnd echo` on a port of its own, on every loopback address."""

    def __init__(self, *arguments, tls=False):
        command = [BINARY, "echo", "--listen", "0.0.0.0:0", "--loops", "2", *arguments]
        if tls:
            command += ["--certificate", f"{WORK}/cert.pem", "--key", f"{WORK}/key.pem"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[-1].rsplit(b":", 1)[1])
        PIECES.append(self.process)

    def rss(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


class Probe(threading.Thread):
    """A well-behaved client from an address of its own: a fresh connection for each request."""

    def __init__(self, port, source="127.0.1.1"):
        super().__init__(daemon=True)
        self.port, self.source, self.times, self.failures, self.done = port, source, [], 0, False
        self.start()

    def run(self):
        while not self.done:
            began = time.monotonic()
            try:
                with socket.create_connection(("127.0.0.1", self.port), 5, (self.source, 0)) as s:
                    s.settimeout(5)
                    s.sendall(REQUEST)
                    self.failures += b" 200 " not in s.recv(4096)
            except OSError:
                self.failures += 1
            self.times.append(time.monotonic() - began)
            time.sleep(0.05)

    def verdict(self):
        self.done = True
        self.join()
        times = sorted(self.times) or [9]
        text = "probe %d answers, %d failures, median %.1f ms, worst %.0f ms" % (
            len(self.times), self.failures, times[len(times) // 2] * 1e3, times[-1] * 1e3)
        return self.failures == 0 and len(self.times) > 3, text


def row(name, held, text):
    ROWS.append((name, held, text))
    print("%-7s %-34s %s" % ("held" if held else "FAILED", name, text), flush=True)


def attack(name, target, action, note=lambda: ""):
    probe, before = Probe(target.port), target.cpu()
    began = time.monotonic()
    action()
    spent = (target.cpu() - before) / max(0.1, time.monotonic() - began)
    held, text = probe.verdict()
    row(name, held and target.process.poll() is None,
        "%s; %.0f %% of a core; RSS %d MiB%s" % (text, spent * 100, target.rss() >> 10, note()))


def slow(mode):
    """slowhttptest from one address; its 1,000 connections need the peer limit out of the way."""
    seconds = "12" if SHORT else "30"
    target = Target("--limit", "connectionsPerPeerMax=5000")
    more = {"-H": ["-i", "2", "-x", "20"], "-B": ["-i", "2", "-s", "65536", "-x", "20"],
            "-X": ["-w", "10", "-y", "20", "-n", "2", "-z", "10", "-k", "3"]}[mode]
    url = f"http://127.0.0.1:{target.port}/"
    command = ["slowhttptest", mode, "-c", "1000", "-r", "500", "-l", seconds, "-p", "5", "-u", url, *more]
    name = {"-H": "slow heads", "-B": "slow bodies", "-X": "slow readers"}[mode]
    attack(f"{name}, 1,000 connections", target, lambda: subprocess.run(command, stdout=subprocess.DEVNULL))
    target.stop()


def crowd(count, tls):
    """Idle connections from many loopback addresses, and what each costs."""
    target = Target("--limit", "connectionsPerPeerMax=100000", "--limit", "keepAliveSecondsMax=600",
                    "--limit", f"connectionsMax={count + 100}", tls=tls)
    context = ssl.create_default_context(cafile=f"{WORK}/cert.pem") if tls else None

    def connect(number):
        s = socket.create_connection((f"127.0.0.{1 + number % 8}", target.port), 20)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            s = context.wrap_socket(s, server_hostname="localhost")
        s.sendall(REQUEST)
        s.recv(4096)
        return s

    warm = [connect(n) for n in range(100)]
    before, kept, began = target.rss(), [], time.monotonic()
    for number in range(count - 100):
        kept.append(connect(number))
    each = (target.rss() - before) * 1024 / len(kept)
    took = time.monotonic() - began
    cpu = target.cpu()
    time.sleep(2)
    idle = (target.cpu() - cpu) / 2
    alive = all(s.sendall(REQUEST) is None and b" 200 " in s.recv(4096) for s in kept[:: 100] + warm[:1])
    bound = (40 if tls else 8) * 1024
    row(f"{count:,} idle {'TLS' if tls else 'plain'} connections", alive and each <= bound and idle < 0.1,
        "%.1f KiB each (bound %d), opened in %.1f s, idle CPU %.1f %%" % (each / 1024, bound >> 10, took, idle * 100))
    for s in warm + kept:
        s.close()
    target.stop()


def half_open():
    """Connects, says nothing or half of something, and goes away."""
    target = Target("--limit", "connectionsPerPeerMax=100000")

    def action():
        end = time.monotonic() + (5 if SHORT else 15)
        sent = 0
        while time.monotonic() < end:
            s = socket.create_connection(("127.0.0.1", target.port), 5)
            if sent % 3:
                s.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Le"[: 5 * (sent % 8)])
            if sent % 2:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            s.close()
            sent += 1
        action.sent = sent

    attack("half-open flood", target, action, lambda: f"; {action.sent:,} connections")
    target.stop()


def pipelining():
    """Four connections that send requests as fast as they can, two of them reading nothing."""
    target = Target()
    seconds = 5 if SHORT else 15

    def flood(reads):
        end, bulk, got = time.monotonic() + seconds, REQUEST * 2000, 0
        with socket.create_connection(("127.0.0.1", target.port), 5) as s:
            s.setblocking(False)
            while time.monotonic() < end:
                try:
                    s.send(bulk[: len(REQUEST) * 2000])
                except OSError:
                    time.sleep(0.001)
                try:
                    while reads and (data := s.recv(1 << 20)):
                        got += data.count(b"HTTP/1.1 ")
                except OSError:
                    pass
        action.answers += got

    def action():
        threads = [threading.Thread(target=flood, args=(n % 2 == 0,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]

    action.answers = 0
    attack("pipelining flood", target, action, lambda: f"; {action.answers:,} answers")
    target.stop()


def bodies():
    """600 connections that each send most of a large body and stop: more than memory may hold."""
    target = Target("--limit", "connectionsPerPeerMax=5000")
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"

    def action():
        held = []
        for _ in range(600):
            s = socket.create_connection(("127.0.0.1", target.port), 5)
            s.settimeout(0.2)
            try:
                s.sendall(head + b"x" * 1_000_000)
            except OSError:
                pass
            held.append(s)
        action.rss = target.rss() >> 10

    attack("600 bodies of 1 MB, unfinished", target, action, lambda: f", {action.rss} MiB at the height")
    if action.rss > 500:
        row("memory for bodies", False, f"{action.rss} MiB")
    target.stop()


def scans():
    target = Target(tls=True, *("--limit", "connectionsPerPeerMax=5000"))
    name = f"127.0.0.1:{target.port}"
    text = subprocess.run(["sslscan", "--no-colour", name], capture_output=True, text=True).stdout
    offered = re.findall(r"^(?:Preferred|Accepted)\s+(\S+)\s+\d+ bits\s+(\S+)", text, re.M)
    bad = [line for line in text.splitlines()
           if re.search(r"(SSLv[23]|TLSv1\.[01])\s+enabled|vulnerable|CBC|RC4", line)
           and "not vulnerable" not in line]
    row("sslscan", not bad and bool(offered), "; ".join(bad) or f"{len(offered)} suites, AEAD with ECDHE only")
    report = f"{WORK}/testssl.csv"
    command = ["testssl", "--quiet", "--color", "0", "--severity", "LOW", "--csvfile", report, "-p", "-s", "-f",
               "-U", "-S", "--warnings", "batch", name]
    subprocess.run(command, stdout=subprocess.DEVNULL, timeout=400)
    # The certificate is self-signed and names no revocation service: of this test's making, not the server's.
    ours = ("cert_", "DNS_CAA", "OCSP", "CRL", "engine", "scanTime", "cert")
    found = [line.strip() for line in open(report).read().splitlines()[1:]
             if not line.strip('"').startswith(ours)] if os.path.exists(report) else ["no report"]
    row("testssl", not found, "; ".join(found)[:300] or "nothing of severity LOW or higher")
    target.stop()


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "30", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", f"{WORK}/key.pem", "-out", f"{WORK}/cert.pem"], check=True, capture_output=True)
    for mode in ("-H", "-B", "-X"):
        slow(mode)
    half_open()
    pipelining()
    bodies()
    crowd(1000 if SHORT else 10000, tls=False)
    crowd(1000 if SHORT else 10000, tls=True)
    if not SHORT:
        scans()
    return 0 if all(held for _, held, _ in ROWS) else 1


try:
    sys.exit(main())
finally:
    for process in PIECES:
        process.poll() is None and process.kill()
    shutil.rmtree(WORK, ignore_errors=True)
