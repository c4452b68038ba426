"""Signed requests: by `ipnd-bench load`, which plays the provider, or signed here where a body of a
certain size or form is wanted."""

import base64
import hmac
import json
import re
import subprocess
import urllib.parse

ANTOM_TIME = "2026-11-21T07:00:00Z"


def read_load(path):
    """The requests of a file that `ipnd-bench load` wrote: 8 digits of length before each."""
    requests = []
    with open(path, "rb") as file:
        while length := file.read(8):
            requests.append(file.read(int(length)))
    return requests


def write_load(path, requests):
    with open(path, "wb") as file:
        for request in requests:
            file.write(b"%08d" % len(request) + request)


def signed(sandbox, endpoint, count, prefix, *options):
    """Genuine notifications, each about its own order unless `options` say otherwise."""
    path = f"{sandbox.folder}/{prefix}.load"
    sandbox.bench(
        *("load", "--config", sandbox.configuration, "--endpoint", endpoint, "--prefix", prefix),
        *("--count", str(count), "--output", path, *options),
    )
    return read_load(path)


def signed_hmac(sandbox, count, prefix, padding=0):
    """Requests of the endpoint `hmac` by reference. `padding` bytes make the records long, so that
    a short run fills several segments."""
    with open(f"{sandbox.folder}/secrets/hmac") as file:
        secret = file.read().strip().encode()
    sample = json.loads(signed(sandbox, "hmac", 1, "SAMPLE")[0].split(b"\r\n\r\n", 1)[1])
    requests = {}
    for number in range(count):
        reference = f"{prefix}-{number}"
        ids = {"id": f"E-{reference}", "transaction": f"T-{reference}", "reference": reference}
        body = json.dumps({**sample, **ids, "padding": "0123456789" * (padding // 10)}).encode()
        code = hmac.new(secret, body, "sha256").hexdigest()
        requests[reference] = post("hmac", body, f"X-Signature: {code}\r\n")
    return requests


def signed_antom(sandbox, number, size):
    """One payment with an additional member of `size` bytes."""
    with open(sandbox.configuration) as file:
        client = re.search(r"clientID: (\S+?)[,}\s]", file.read())[1]
    payment = {
        "notifyType": "PAYMENT_RESULT",
        "result": {"resultStatus": "S"},
        "pad": "x" * size,
        "paymentId": f"P{number}",
        "paymentRequestId": f"LARGE-{number}",
        "paymentAmount": {"value": "4200", "currency": "MYR"},
    }
    body = json.dumps(payment).encode()
    key = f"{sandbox.folder}/sandbox/antom.pem"
    signature = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", key],
        input=f"POST /ipn/antom\n{client}.{ANTOM_TIME}.".encode() + body,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    text = urllib.parse.quote(base64.b64encode(signature).decode(), safe="")
    return post(
        "antom",
        body,
        f"client-id: {client}\r\nrequest-time: {ANTOM_TIME}\r\n"
        f"signature: algorithm=RSA256,keyVersion=1,signature={text}\r\n"
        "Content-Type: application/json\r\n",
    )


def post(endpoint, body, headers=""):
    """A complete request to an endpoint of the sandbox."""
    return (
        f"POST /ipn/{endpoint} HTTP/1.1\r\nHost: localhost\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body
