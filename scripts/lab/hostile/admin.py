"""Phases about authentication: guessed tokens, and the explanation of unsigned requests."""

import http.client
import re
import time
import urllib.parse

from lab.notifications import signed_antom
from lab.senders import connect, exchange

GUESSES = 4000
EXPLAIN_CPU_SECONDS_MAX = 3
EXPLAIN_MIB_MAX = 128
FORM_BYTES = 1 << 20
FORM_MILLISECONDS_MAX = 25


def tokens(trial):
    """Thousands of wrong tokens from one address are noticed and throttled, and correct tokens
    still work."""
    sandbox = trial.sandbox("tokens")
    server = sandbox.start()
    statuses, others, began = {}, 0, time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", server.admin, timeout=20)
    for number in range(GUESSES):
        connection.request("GET", "/orders", headers={"Authorization": f"Bearer guess-{number}"})
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        if answer.getheader("Connection") == "close":
            connection.close()
        if number % 400 == 0:
            others += server.get("/orders")[0] == 200
    took = time.monotonic() - began
    counted = server.metric(r'ipnd_admin_wrong_tokens_total\{way="bearer"\}')
    server.stop()
    with open(sandbox.log) as log:
        lines = [line for line in log if "token_wrong" in line]
    trial.row(
        f"{GUESSES:,} guessed tokens",
        counted == GUESSES
        and others == GUESSES // 400
        and statuses.get(429, 0) > GUESSES - 300
        and 0 < len(lines) < 20,
        f"{statuses} in {took:.1f} s; counted {counted:.0f}, {len(lines)} lines of the log; "
        f"the right token passed {others} of {GUESSES // 400} times",
    )


def explanations(trial):
    """An unsigned request whose path has thousands of slashes, explained by the serving process."""
    sandbox = trial.sandbox("explanations")
    server = sandbox.start()
    genuine = signed_antom(sandbox, 1, 1)
    with connect(server.port) as connection:
        exchange(connection, genuine.replace(b"/ipn/antom", b"/ipn/antom" + b"/a" * 3900, 1))
    time.sleep(0.5)
    cookie = sign_in(server)
    found = re.search(rb'id=([^"&]+)', ask(server, "/ui/rejections", cookie)[1])
    before, cpu, began = server.memory() >> 20, server.cpu(), time.monotonic()
    status, page, _ = ask(server, f"/ui/rejections?id={found[1].decode()}", cookie)
    took, cpu = time.monotonic() - began, server.cpu() - cpu
    height = server.memory("VmHWM") >> 20
    server.stop()
    trial.row(
        "a path of 3,900 slashes explained",
        status == 200
        and b"/a/a/a/a" in page
        and cpu <= EXPLAIN_CPU_SECONDS_MAX
        and height <= before + EXPLAIN_MIB_MAX,
        f"status {status}, {cpu:.2f} s of CPU in {took:.2f} s; RSS {before} MiB before, "
        f"{height} at the height",
    )


def forms(trial):
    """Unauthenticated forms of 1 MiB: refused before anything is read."""
    sandbox, count = trial.sandbox("forms"), 40
    server = sandbox.start()
    form = b"&".join(b"a%d=%%41" % number for number in range(130_000))[:FORM_BYTES]
    cpu, statuses = server.cpu(), set()
    for _ in range(count):
        statuses.add(ask(server, "/ui/session", body=form)[0])
    each = (server.cpu() - cpu) / count * 1e3
    server.stop()
    trial.row(
        f"{count} page forms of 1 MiB",
        statuses == {413} and each <= FORM_MILLISECONDS_MAX,
        f"status {', '.join(map(str, statuses))}, {each:.1f} ms of CPU each",
    )


def sign_in(server):
    """The session cookie of the pages."""
    body = urllib.parse.urlencode({"token": server.token}).encode()
    return ask(server, "/ui/session", body=body)[2]["Set-Cookie"].split(";")[0]


def ask(server, path, cookie=None, body=None):
    """Status, body and fields of a browser-like request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.admin, timeout=60)
    fields = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
    if cookie:
        fields["Cookie"] = cookie
    connection.request("POST" if body else "GET", path, body, fields)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text, answer.headers
