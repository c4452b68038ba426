"""What scripts/hostile runs: starts ipnd, attacks it, watches it with a probe, prints a table."""
import concurrent.futures, csv, os, re, resource, shutil, signal, socket, ssl, subprocess, sys, tempfile
import threading, time
import hostile_intake, hostile_reading

BINARY, SHORT = sys.argv[1], "--short" in sys.argv
WANTED = [word for word in sys.argv[2:] if word != "--short"]
WORK = tempfile.mkdtemp(prefix="ipnd-hostile-")
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
ROWS, PIECES = [], []


class Target:
    """An `ipnd echo` on a port of its own, on every loopback address."""

    def __init__(self, *arguments, tls=None):
        command = [BINARY, "echo", "--listen", "0.0.0.0:0", "--loops", "2", *arguments]
        if tls:
            command += ["--certificate", f"{WORK}/{tls}.pem", "--key", f"{WORK}/{tls}.key"]
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
                    "--limit", f"connectionsMax={count + 100}", tls="ec" if tls else None)
    context = ssl.create_default_context(cafile=f"{WORK}/authority.pem") if tls else None

    def connect(number):
        s = socket.create_connection((f"127.0.0.{1 + number % 8}", target.port), 20)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            s = context.wrap_socket(s, server_hostname="localhost")
        s.sendall(REQUEST)
        s.recv(4096)
        return s

    warm = [connect(n) for n in range(100)]
    before, began = target.rss(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(connect, range(count - 100)))
    each = (target.rss() - before) * 1024 / len(kept)
    took = time.monotonic() - began
    cpu = target.cpu()
    time.sleep(2)
    idle = (target.cpu() - cpu) / 2
    alive = all(s.sendall(REQUEST) is None and b" 200 " in s.recv(4096) for s in kept[:: 100] + warm[:1])
    bound = (40 if tls else 16) * 1024
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
        """A new connection when the server ends one: it does so after 10,000 requests."""
        end, bulk = time.monotonic() + seconds, REQUEST * 2000
        while time.monotonic() < end:
            with socket.create_connection(("127.0.0.1", target.port), 5) as s:
                s.setblocking(False)
                place, is_open = 0, True
                while is_open and time.monotonic() < end:
                    try:
                        # What follows goes on where this ends, or it would be no request.
                        place = (place + s.send(bulk[place:])) % len(bulk)
                    except BlockingIOError:
                        time.sleep(0.001)
                    except OSError:
                        is_open = False
                    try:
                        while reads and is_open:
                            data = s.recv(1 << 20)
                            is_open = bool(data)
                            action.answers += data.count(b"HTTP/1.1 200 ")
                    except BlockingIOError:
                        pass
                    except OSError:
                        is_open = False

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


def places():
    """Every place taken by idle connections: whoever comes then must get one all the same."""
    target = Target("--limit", "connectionsPerPeerMax=5000", "--limit", "connectionsMax=1000")

    def open_idle():
        s = socket.create_connection(("127.0.0.1", target.port), 5)
        s.sendall(REQUEST)
        s.recv(4096)
        return s

    idle = [open_idle() for _ in range(1000)]
    time.sleep(1.5)  # a connection keeps its place for a second
    seconds = 4 if SHORT else 10
    attack("1,000 of 1,000 connections idle", target, lambda: time.sleep(seconds))
    for s in idle:
        s.close()
    target.stop()


class Provider(threading.Thread):
    """Sends genuine notifications at a fixed rate; an answer's time counts from when its request was due."""

    def __init__(self, port, requests, rate, start):
        super().__init__(daemon=True)
        self.port, self.requests, self.gap, self.due = port, requests, 1 / rate, start
        self.times, self.others = [], []

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 5, ("127.0.1.1", 0)) as s:
                s.settimeout(15)
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for request in self.requests:
                    time.sleep(max(0, self.due - time.monotonic()))
                    s.sendall(request)
                    answer = s.recv(4096)
                    self.times.append(time.monotonic() - self.due)
                    if not answer.startswith(b"HTTP/1.1 200 "):
                        self.others.append(answer[:60])
                    self.due += self.gap
        except OSError as error:
            self.others.append(error)
        self.ended = time.monotonic()


def signed(folder, prefix, count):
    """Genuine Antom notifications, each another order."""
    subprocess.run([BINARY, "load", "--config", f"{folder}/ipnd.yaml", "--endpoint", "antom", "--prefix", prefix,
                    "--count", str(count), "--output", f"{folder}/requests"], check=True)
    data, place, requests = open(f"{folder}/requests", "rb").read(), 0, []
    while place < len(data):
        end = place + 8 + int(data[place : place + 8])
        requests.append(data[place + 8 : end])
        place = end
    return requests


FLOOD = """local requests, place, wrong = {}, 0, 0
function setup(thread) worker = thread end
function init()
  others = 0
  local file = io.open("%s", "rb")
  while true do
    local length = file:read(8)
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
end
function request() place = place %% #requests + 1; return requests[place] end
function response(status) if status ~= 401 then others = others + 1 end end
function done(summary)
  io.write(string.format("flood %%d %%.0f %%d\\n", summary.requests, summary.requests / (summary.duration / 1e6),
    worker:get("others")))
end
"""


def genuine(port, requests, rate):
    """Sends them over 8 connections; how many a second came through, p50 and p99 in ms, and what was no 200."""
    start = time.monotonic() + 0.2
    senders = [Provider(port, requests[n::8], rate / 8, start + n / rate) for n in range(8)]
    [s.start() for s in senders]
    [s.join() for s in senders]
    times = sorted(t for s in senders for t in s.times) or [99]
    others = [o for s in senders for o in s.others]
    return (len(times) / (max(s.ended for s in senders) - start), times[len(times) // 2] * 1e3,
            times[len(times) * 99 // 100] * 1e3, others)


def serve(folder):
    """A sandbox of its own that serves; the process and its port."""
    subprocess.run([BINARY, "init", folder, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], check=True,
                   stdout=subprocess.DEVNULL)
    process = subprocess.Popen([BINARY, "serve", "--config", f"{folder}/ipnd.yaml"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    PIECES.append(process)
    return process, int(re.search(rb"ready 127\.0\.0\.1:(\d+)", process.stdout.readline())[1])


def signatures():
    """Genuine notifications at a fixed rate, alone and beside a flood of well-formed ones that nobody signed."""
    folder, rate, seconds = f"{WORK}/ipnd", 400, 5 if SHORT else 10
    process, port = serve(folder)
    # The signature stays one of RSA's form, so the full price of a verification is paid for each.
    forged = [r.replace(b"FORGED-", b"forged-") for r in signed(folder, "FORGED", 2000)]
    with open(f"{folder}/forged", "wb") as file:
        file.write(b"".join(b"%08d" % len(r) + r for r in forged))
    with open(f"{folder}/forged.lua", "w") as file:
        file.write(FLOOD % f"{folder}/forged")
    alone = genuine(port, signed(folder, "ALONE", rate * seconds), rate)
    requests = signed(folder, "BESIDE", rate * seconds)
    flood = subprocess.Popen(["wrk", "-t1", "-c64", f"-d{seconds + 2}s", "-s", f"{folder}/forged.lua",
                              f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    beside = genuine(port, requests, rate)
    count, each, others = re.search(r"flood (\d+) (\d+) (\d+)", flood.communicate(timeout=60)[0]).groups()
    held = (not alone[3] and not beside[3] and others == "0" and int(count) > 1000
            and beside[0] >= 0.9 * rate and beside[2] <= 1000)
    text = "%.0f/s, p50 %.1f ms, p99 %.1f ms"
    row("genuine notifications alone", not alone[3], text % alone[:3] + f" ({rate}/s sent over 8 connections)")
    row("genuine beside bad signatures", held, text % beside[:3] + "; %d answers other than 200 %s; flood of %s/s "
        "over 64 connections, all 401 but %s (bounds: 90 %% of the rate, p99 1 s)" % (
            len(alone[3]) + len(beside[3]), (alone[3] + beside[3])[:1] or "", each, others))
    process.terminate()
    process.wait(20)


def costly_bodies():
    """Unsigned bodies made so that finding it out costs as much as can be, each with its endpoint."""
    def elements(key, count, value):
        values = ",".join(value % n if "%" in value else value for n in range(count))
        return '{"signature":"AAAA","%s":[%s]}' % (key, values)

    names = ["z%d" % n for n in range(64)]
    escaped = ",".join('"\\u006e%d":1' % (100000 + n) for n in range(7900))
    listed = ",".join('"%s":1' % name for name in names)
    alike = ",".join('"%s%d%s":1' % ("k" * 15000, 1000 + n, "k" * 15000) for n in range(32))
    accents = "&".join("%s%d=1" % ("e%CC%81" * 500, n) for n in range(256))
    return [
        ("ecommpay: 1,000-byte key, 1,000 elements", "ecommpay", elements("k" * 1000, 1000, "1")),
        ("ecommpay: 1,000-byte key, 1,000 fractions", "ecommpay", elements("k" * 1000, 1000, "%d.50")),
        ("ecommpay: 7-byte key, 1,000 fractions", "ecommpay", elements("7777777", 1000, "%d.50")),
        ("ecommpay: 4-byte key, 200 fractions", "ecommpay", elements("kkkk", 200, "%d.50")),
        ("citcon: 64 names among 7,900 escaped", "citcon",
         '{%s,"sign":"a","fields":"%s",%s}' % (escaped, ",".join(names), listed)),
        ("citcon-pay: the same as JSON", "citcon-pay",
         '{%s,"sign":"a","fields":"%s",%s}' % (escaped, ",".join(names), listed)),
        ("citcon-pay: form of 256 names alike", "citcon-pay", accents),
        ("citcon: 32 names of 30 kB with one hint", "citcon", "{%s}" % alike),
    ]


def amplification():
    """What an unsigned body costs, and genuine notifications beside 60 a second of the worst ones."""
    folder, rate, seconds = f"{WORK}/amplification", 400, 5 if SHORT else 10
    process, port = serve(folder)

    def cpu():
        fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def request(endpoint, body):
        return (f"POST /ipn/{endpoint} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def post(connection, data):
        connection.sendall(data)
        return connection.recv(65536).split(b" ", 2)[1].decode()

    def connect():
        s = socket.create_connection(("127.0.0.1", port), 5)
        s.settimeout(15)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    worst = []
    for name, endpoint, body in costly_bodies():
        data, before, statuses = request(endpoint, body), cpu(), set()
        count = max(40, min(400, 16_000_000 // len(data)))
        with connect() as s:
            for _ in range(count):
                statuses.add(post(s, data))
        each = (cpu() - before) / count * 1e6
        # 16 bytes of work for each byte and 64 KiB, at less than 2.5 ns, and what any request costs.
        bound = (16 * len(data) + 65536) * 2.5e-3 + 150
        row(name, each <= bound and statuses <= {"400", "401"},
            "%.0f us of CPU for %d bytes, %s (bound %.0f us)" % (each, len(data), "/".join(sorted(statuses)), bound))
        if endpoint == "ecommpay":
            worst.append(data)

    def attack_ecommpay():
        """60 a second on connections of their own, as in the report that led to this phase."""
        with connect() as s:
            due = time.monotonic()
            while not attack_ecommpay.done:
                post(s, worst[attack_ecommpay.sent % len(worst)])
                attack_ecommpay.sent += 1
                due += 1 / 60
                time.sleep(max(0, due - time.monotonic()))

    attack_ecommpay.done, attack_ecommpay.sent = False, 0
    alone = genuine(port, signed(folder, "ALONE", rate * seconds), rate)
    requests = signed(folder, "BESIDE", rate * seconds)
    attacker = threading.Thread(target=attack_ecommpay, daemon=True)
    attacker.start()
    beside = genuine(port, requests, rate)
    attack_ecommpay.done = True
    attacker.join(20)
    held = not alone[3] and not beside[3] and beside[1] <= alone[1] + 10 and attack_ecommpay.sent > 30 * seconds
    text = "%.0f/s, p50 %.1f ms, p99 %.1f ms"
    row("genuine beside costly bodies", held, "alone " + text % alone[:3] + "; beside " + text % beside[:3]
        + "; %d costly bodies in between (bound: p50 10 ms above alone)" % attack_ecommpay.sent)
    process.terminate()
    process.wait(20)


# Properties of the test's certificate and its surroundings, which every scan of a test server would find.
EXPECTED = {
    "cert_revocation": "the test's authority publishes neither CRL nor OCSP",
    "DNS_CAArecord": "the scan goes to an address of the loopback, which has no DNS zone",
    "scanTime": "how long the scan took",
}


def sslscan():
    target = Target("--limit", "connectionsPerPeerMax=5000", tls="rsa")
    text = subprocess.run(["sslscan", "--no-colour", "--show-certificate", f"127.0.0.1:{target.port}"],
                          capture_output=True, text=True, timeout=60).stdout
    offered = re.findall(r"^(?:Preferred|Accepted)\s+(\S+)\s+(\d+) bits\s+(\S+)", text, re.M)
    groups = set(re.findall(r"^TLSv1\.[23]\s+\d+ bits\s+(\S+)", text, re.M))
    bad = [line for line in text.splitlines()
           if re.search(r"(SSLv[23]|TLSv1\.[01])\s+enabled|vulnerable|Insecure|[Cc]ompression enabled", line)
           and "not vulnerable" not in line]
    bad += [name for version, bits, name in offered
            if int(bits) < 128 or not re.match(r"TLS_(AES|CHACHA20)|ECDHE-RSA-(AES(128|256)-GCM|CHACHA20)", name)]
    bad += [group for group in groups if group not in ("x25519", "secp256r1", "secp384r1")]
    bad += [] if "Server supports TLS Fallback SCSV" in text else ["no TLS Fallback SCSV"]
    bad += [] if "Session renegotiation not supported" in text else ["renegotiation"]
    versions = sorted({version for version, _, _ in offered})
    row("sslscan", not bad and versions == ["TLSv1.2", "TLSv1.3"],
        "; ".join(bad) or "%d suites of %s, all ECDHE with AEAD; groups %s; no renegotiation, no compression" % (
            len(offered), " and ".join(versions), ", ".join(sorted(groups))))
    target.stop()


def testssl():
    target = Target("--limit", "connectionsPerPeerMax=5000", tls="rsa")
    report = f"{WORK}/testssl.csv"
    # -p protocols, -s cipher lists, -f forward secrecy, -P preferences, -S server defaults, -U vulnerabilities.
    subprocess.run(["testssl", "--quiet", "--color", "0", "--csvfile", report, "--add-ca", f"{WORK}/authority.pem",
                    "-p", "-s", "-f", "-P", "-S", "-U", "--warnings", "batch", "--ip", "127.0.0.1",
                    f"localhost:{target.port}"], stdout=subprocess.DEVNULL, timeout=240)
    findings = list(csv.DictReader(open(report)))
    bad = [f for f in findings if f["severity"] not in ("OK", "INFO", "DEBUG")]
    for f in bad:
        print(f"        testssl {f['severity']}: {f['id']}: {f['finding']}: {EXPECTED.get(f['id'], 'NOT EXPECTED')}")
    unexpected = [f"{f['id']} ({f['finding']})" for f in bad if f["id"] not in EXPECTED]
    asked = {"TLS1", "TLS1_3", "cipherlist_NULL", "PFS", "cipher_order", "secure_renego", "heartbleed", "ROBOT", "RC4"}
    missing = asked - {f["id"] for f in findings}
    row("testssl", not unexpected and not missing, "; ".join(unexpected + sorted(missing)) or
        "%d findings, %d of them OK; worse than INFO only what the test's certificate lacks: %s" % (
            len(findings), sum(f["severity"] == "OK" for f in findings), ", ".join(f["id"] for f in bad) or "nothing"))
    target.stop()


def certificates():
    """An authority, and what it signed for localhost: `ec` for the crowd, `rsa` for the scans, where more is tried."""
    make = lambda *arguments: subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=WORK)
    ec = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    make("req", "-x509", "-nodes", "-days", "90", *ec, "-subj", "/CN=ipnd test authority", "-addext",
         "keyUsage=critical,keyCertSign", "-keyout", "authority.key", "-out", "authority.pem")
    with open(f"{WORK}/extensions", "w") as file:
        file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
                   "keyUsage=critical,digitalSignature\nbasicConstraints=critical,CA:FALSE\n")
    for name, kind in (("ec", ec), ("rsa", ("-newkey", "rsa:2048"))):
        make("req", "-nodes", *kind, "-subj", "/CN=localhost", "-keyout", f"{name}.key", "-out", f"{name}.request")
        make("x509", "-req", "-in", f"{name}.request", "-days", "90", "-CA", "authority.pem", "-CAkey", "authority.key",
             "-CAcreateserial", "-extfile", "extensions", "-out", f"{name}.pem")


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    certificates()
    crowd_size = 1000 if SHORT else 10000
    phases = {
        "slow-heads": lambda: slow("-H"), "slow-bodies": lambda: slow("-B"), "slow-readers": lambda: slow("-X"),
        "half-open": half_open, "pipelining": pipelining, "bodies": bodies, "places": places,
        "signatures": signatures, "amplification": amplification,
        "index": lambda: hostile_reading.index(BINARY, WORK, PIECES, row),
        "readers": lambda: hostile_reading.readers(BINARY, WORK, PIECES, row),
        "descriptors": lambda: hostile_intake.descriptors(BINARY, WORK, PIECES, row),
        "one-order": lambda: hostile_intake.one_order(BINARY, WORK, PIECES, row, signed, genuine, SHORT),
        "plain-crowd": lambda: crowd(crowd_size, tls=False),
        "tls-crowd": lambda: crowd(crowd_size, tls=True), "sslscan": sslscan, "testssl": testssl}
    for name, phase in phases.items():
        if name in WANTED or (not WANTED and not (SHORT and phase in (sslscan, testssl))):
            phase()
    return 0 if all(held for _, held, _ in ROWS) else 1


try:
    sys.exit(main())
finally:
    for process in PIECES:
        process.poll() is None and process.kill()
    shutil.rmtree(WORK, ignore_errors=True)
