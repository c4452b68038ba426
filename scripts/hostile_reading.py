"""Phases of scripts/hostile about the admin side: an index that is damaged, readers who do not read."""
import base64, glob, json, os, re, shutil, socket, sqlite3, subprocess, time, urllib.error, urllib.parse, urllib.request


class Server:
    """An `ipnd serve` of its own, with its sandbox keys."""

    def __init__(self, binary, folder, pieces, limits="", journal=None, wrapper=()):
        self.binary, self.folder, self.pieces, self.wrapper = binary, folder, pieces, list(wrapper)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([binary, "init", folder, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(f"{folder}/ipnd.yaml") as file:
            text = file.read()
        if journal:
            text = text.replace("journal: {directory: journal}", f"journal: {journal}")
        with open(f"{folder}/ipnd.yaml", "w") as file:
            file.write(text + limits)
        self.token = open(f"{folder}/secrets/admin-token").read().strip()
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.wrapper + [self.binary, "serve", "--config", f"{self.folder}/ipnd.yaml"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.pieces.append(self.process)
        line = self.process.stdout.readline().decode()
        found = re.search(r"ready 127\.0\.0\.1:(\d+) admin=127\.0\.0\.1:(\d+)", line)
        self.port, self.admin = (int(found[1]), int(found[2])) if found else (0, 0)
        return bool(found)

    def stop(self):
        self.process.terminate()
        return self.process.wait(40)

    def memory(self, field="VmRSS"):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(field + r":\s+(\d+)", text)[1]) >> 10

    def get(self, path):
        request = urllib.request.Request(f"http://127.0.0.1:{self.admin}{path}",
                                         headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError as error:
            return 0, str(error).encode()

    def metric(self, name):
        found = re.search(rb"\n" + name.encode() + rb" (\d+)", self.get("/metrics")[1])
        return int(found[1]) if found else -1

    def send(self, count):
        """Genuine notifications; how many were not answered 200."""
        made = subprocess.run([self.binary, "send", "--config", f"{self.folder}/ipnd.yaml", "--endpoint", "antom",
                               "--count", str(count), "--url", f"http://127.0.0.1:{self.port}/ipn/antom"],
                              stdout=subprocess.PIPE, text=True)
        return count - int((re.search(r"(\d+) × 200", made.stdout) or [0, 0])[1])

    def send_large(self, count, size):
        """Genuine notifications with a member of `size` bytes more than they need."""
        for number in range(count):
            body = json.dumps({"notifyType": "PAYMENT_RESULT", "result": {"resultStatus": "S"}, "pad": "x" * size,
                               "paymentId": f"P{number}", "paymentRequestId": f"LARGE-{number}",
                               "paymentAmount": {"value": "4200", "currency": "MYR"}}).encode()
            client = re.search(r"clientID: (\S+?)[,}\s]", open(f"{self.folder}/ipnd.yaml").read())[1]
            when = "2026-11-21T07:00:00Z"
            with open(f"{self.folder}/content", "wb") as file:
                file.write(f"POST /ipn/antom\n{client}.{when}.".encode() + body)
            signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", f"{self.folder}/sandbox/antom.pem",
                                        f"{self.folder}/content"], stdout=subprocess.PIPE, check=True).stdout
            signature = urllib.parse.quote(base64.b64encode(signature).decode(), safe="")
            head = (f"POST /ipn/antom HTTP/1.1\r\nHost: a\r\nclient-id: {client}\r\nrequest-time: {when}\r\n"
                    f"signature: algorithm=RSA256,keyVersion=1,signature={signature}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
            with socket.create_connection(("127.0.0.1", self.port), 10) as s:
                s.sendall(head.encode() + body)
                answer = s.recv(4096)
                if not answer.startswith(b"HTTP/1.1 200 "):
                    raise SystemExit(f"a large notification was refused: {answer[:200]}")


def mishaps(server):
    """What is done to the index: name, whether the server runs meanwhile, action."""
    file = f"{server.folder}/index/orders.sqlite"
    files = lambda: glob.glob(file + "*")

    def types():
        connection = sqlite3.connect(file)
        with connection:
            connection.execute("UPDATE orders SET created = 'then', flags = x'ff' WHERE first = 7")
        connection.close()

    def garbled():
        with open(file, "r+b") as target:
            target.write(os.urandom(os.path.getsize(file)))

    def blocked():
        shutil.rmtree(f"{server.folder}/index")
        open(f"{server.folder}/index", "w").close()

    return [("values of other types", False, types), ("garbled while stopped", False, garbled),
            ("cut while stopped", False, lambda: os.truncate(file, 8000)),
            ("cut to nothing in use", True, lambda: [os.truncate(f, 0) for f in files()]),
            ("deleted in use", True, lambda: [os.unlink(f) for f in files()]),
            ("log deleted in use", True, lambda: os.unlink(file + "-wal")),
            ("garbled in use", True, garbled), ("no place to be opened", False, blocked)]


def index(binary, work, pieces, row):
    """Damages the index in every way that we know: no notification is refused, and lists come back."""
    server, sent = Server(binary, f"{work}/index-target", pieces), 300
    refused = server.send(sent)
    for name, runs, action in mishaps(server):
        if not runs:
            server.stop()
        action()
        started = runs or server.start()
        refused += server.send(20) if started else 20
        sent, absent, began = sent + 20, 0, time.monotonic()
        if name == "no place to be opened" and started:
            absent = server.get("/orders")[0]
            os.unlink(f"{server.folder}/index")
        healed = False
        while started and not healed and time.monotonic() - began < 30 and server.process.poll() is None:
            status, body = server.get("/orders?limit=1000")
            healed = status == 200 and len(json.loads(body)["orders"]) == sent
            time.sleep(0.02)
        row(f"index: {name}", healed and refused == 0 and server.process.poll() is None,
            "%d notifications refused, all %d orders listed after %.1f s%s" % (
                refused, sent, time.monotonic() - began, f", {absent} before" if absent else ""))
        if not healed:
            return
    server.stop()


def readers(binary, work, pieces, row):
    """200 clients that ask for 24 records of 1 MB each, and take nothing of them."""
    for way in ("streams held open", "streams begun late", "pages"):
        server = Server(binary, f"{work}/readers-target", pieces, "\nlimits: {connectionsPerPeerMax: 5000}\n")

        def client():
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.admin))
            accept = "application/json" if way == "pages" else "text/event-stream"
            s.sendall(f"GET /events?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {server.token}\r\n"
                      f"Accept: {accept}\r\n\r\n".encode())
            return s

        clients = [client() for _ in range(200)] if way == "streams held open" else []
        time.sleep(1)
        before = server.memory()
        server.send_large(24, 1_000_000)
        clients = clients or [client() for _ in range(200)]
        time.sleep(4)
        refused, dropped = server.send(50), server.metric("ipnd_readers_dropped_total")
        for s in clients:
            s.close()
        time.sleep(2)
        height, after = server.memory("VmHWM"), server.memory()
        row(f"200 readers who read nothing: {way}", height < before + 256 and after < before + 96 and refused == 0,
            f"RSS {before} MiB before, {height} at the height, {after} afterwards; {dropped} dropped")
        server.stop()
