"""Phases of scripts/hostile about the intake: few descriptors, and one order that gets thousands of events."""
import glob, os, socket, subprocess, threading, time
from hostile_reading import Server

CONNECTIONS = 8


def cpu(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(binary, work, pieces, row):
    """1,024 descriptors and more idle connections than that: segments end and begin all the same."""
    folder = f"{work}/descriptors"
    server = Server(binary, folder, pieces, "\nlimits: {bodyBytesMax: 262144, connectionsPerPeerMax: 100000}\n",
                    journal="{directory: journal, segmentMiB: 2}",
                    wrapper=["/bin/sh", "-c", 'ulimit -Sn 1024 && ulimit -Hn 1024 && exec "$0" "$@"'])
    idle = []
    for number in range(1500):
        try:
            idle.append(socket.create_connection(("127.0.0.1", server.port), 5, (f"127.0.0.{2 + number % 8}", 0)))
        except OSError:
            pass
    time.sleep(1.5)  # a connection keeps its place for a second
    before, kept = len(glob.glob(f"{folder}/journal/*.segment")), 60
    try:
        server.send_large(kept, 200_000)
    except (OSError, SystemExit) as error:
        row("1,024 descriptors, idle connections", False, f"{error}; the server's status is {server.process.poll()}")
        return
    refused, held = server.send(100), len(os.listdir(f"/proc/{server.process.pid}/fd"))
    rotations = len(glob.glob(f"{folder}/journal/*.segment")) - before
    answers = [server.get(path)[0] for path in ("/events?limit=1", "/orders?limit=1")]
    alive = server.process.poll() is None
    for s in idle:
        s.close()
    status = server.stop()
    row("1,024 descriptors, idle connections", alive and refused == 0 and rotations > 3 and answers == [200, 200]
        and status == 0, "%d connections tried, %d descriptors open; %d rotations, %d of %d notifications refused, "
        "admin side %s" % (len(idle), held, rotations, refused, kept + 100, "/".join(map(str, answers))))


def load(server, count, prefix, *more):
    """Signed requests of Citcon UPI, which cost little to sign."""
    file = f"{server.folder}/{prefix}"
    subprocess.run([server.binary, "load", "--config", f"{server.folder}/ipnd.yaml", "--endpoint", "citcon", "--prefix",
                    prefix, "--count", str(count), "--output", file, *more], check=True)
    data, place, requests = open(file, "rb").read(), 0, []
    while place < len(data):
        end = place + 8 + int(data[place : place + 8])
        requests.append(data[place + 8 : end])
        place = end
    return requests


def send(server, requests):
    """Over a few connections, one after the other on each: seconds, the server's CPU, and what was no 200."""
    others = []

    def run(part):
        with socket.create_connection(("127.0.0.1", server.port), 10) as s:
            s.settimeout(20)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for request in part:
                s.sendall(request)
                answer = s.recv(4096)
                if not answer.startswith(b"HTTP/1.1 200 "):
                    others.append(answer[:60])

    threads = [threading.Thread(target=run, args=(requests[n::CONNECTIONS],)) for n in range(CONNECTIONS)]
    before, began = cpu(server.process), time.monotonic()
    [t.start() for t in threads]
    [t.join() for t in threads]
    return time.monotonic() - began, cpu(server.process) - before, others


def one_order(binary, work, pieces, row, signed, genuine, short):
    """Thousands of events on one reference, as a static QR code gets them: each costs what any event costs."""
    for name, more in (("payments", []), ("refunds", ["--refunds"])):
        server = Server(binary, f"{work}/one-order", pieces)
        count, step, rate = 4000 if short else 14000, 1000, 100
        send(server, load(server, step, "WARM", *more))
        _, ordinary, _ = send(server, load(server, 2 * step, "ORDINARY", *more))
        ordinary /= 2 * step
        alone = genuine(server.port, signed(server.folder, "ALONE", 5 * rate), rate)
        requests, before = load(server, count, "ONE", "--orders", "1", *more), server.memory()
        beside = []
        other = threading.Thread(target=lambda requests: beside.append(genuine(server.port, requests, rate)),
                                 args=(signed(server.folder, "BESIDE", 5 * rate),))
        first = send(server, requests[:step])
        middle = send(server, requests[step : count - step])
        last = send(server, requests[count - step :])
        grown = (server.memory() - before) * 1024 / count
        other.start()
        send(server, load(server, step, "MORE", "--orders", "1", *more) + requests)
        other.join()
        status, page = server.get("/orders/citcon/ONE-0")
        server.process.kill()
        server.process.wait()
        for file in glob.glob(f"{server.folder}/journal/*.snapshot"):
            os.unlink(file)
        began = time.monotonic()
        started, took = server.start(), time.monotonic() - began
        same = server.get("/orders/citcon/ONE-0")[1] == page
        costs = [ordinary * 1e6] + [part[1] / n * 1e6 for part, n in ((first, step), (last, step))]
        held = (not (first[2] or middle[2] or last[2] or beside[0][3]) and costs[2] <= 1.5 * costs[0] + 10
                and beside[0][1] <= alone[1] + 10 and status == 200 and len(page) < 100_000 and started and same)
        row(f"one order, {count:,} {name}", held,
            "CPU %.0f us an event of its own order, %.0f us of the first %d, %.0f us of the last; %.0f events/s at the "
            "end; RSS %.2f KiB an event; another client p50 %.1f ms, p99 %.1f ms alone, %.1f and %.1f beside; "
            "answer about it %d bytes; start without snapshot %.2f s" % (
                costs[0], costs[1], step, costs[2], step / last[0], grown, *alone[1:3], *beside[0][1:3], len(page),
                took))
        server.stop()
