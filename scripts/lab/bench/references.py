"""The references: nginx's bare answer, OpenSSL's bare arithmetic, a receiver in Node."""

import os
import shutil
import subprocess

from lab.bench.wrk import HERE, Measured, load

ANSWER = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}'
CONFIGURATION = """
worker_processes 1; daemon off; error_log error.log; pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server { %s location / { default_type application/json; return 200 '%s'; } }
}
"""
TLS = """listen 127.0.0.1:%d ssl; ssl_certificate %s; ssl_certificate_key %s;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache off; %s"""
NO_TICKETS = "ssl_session_tickets off; ssl_conf_command NumTickets 0;"


def nginx(folder, port, certificate=None, resumes=False):
    """nginx's single worker on the last core; over TLS with a (certificate, key). `resumes`:
    whether it issues tickets."""
    os.makedirs(folder, exist_ok=True)
    tickets = "" if resumes else NO_TICKETS
    listen = TLS % (port, *certificate, tickets) if certificate else f"listen 127.0.0.1:{port};"
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(CONFIGURATION % (listen, ANSWER))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    command = [program, "-p", folder, "-c", f"{folder}/nginx.conf"]
    return Measured(command, f"{folder}/output", port)


def node(folder, port, key):
    """None if Node is not installed."""
    program = shutil.which("node") or shutil.which("nodejs")
    if not program:
        return None
    journal = f"{folder}/node-journal"
    if os.path.exists(journal):
        os.remove(journal)
    command = [program, f"{HERE}/node-receiver.js", key, journal, str(port)]
    return Measured(command, f"{folder}/node.log", port)


def openssl_speed(*options):
    """The last line of `openssl speed -mr`, split at its colons."""
    text = subprocess.run(
        ["openssl", "speed", "-mr", "-seconds", "1", *options],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return text.strip().splitlines()[-1].split(":")


def verify_microseconds():
    """One RSA-2048 signature verified."""
    return 1e6 / float(openssl_speed("rsa2048")[-1])


def digest_microseconds(kind, size):
    """One run of an endpoint's arithmetic over `size` bytes."""
    if kind == "paypal":
        return verify_microseconds()
    options = {
        "citcon": ["-evp", "sha256"],
        "ecommpay": ["-hmac", "sha512"],
        "opp": ["-decrypt", "-evp", "aes-256-gcm"],
        "hmac": ["-hmac", "sha256"],
        "stripe": ["-hmac", "sha256"],
        "adyen": ["-hmac", "sha256"],
    }[kind]
    return size * 1e6 / float(openssl_speed("-bytes", str(size), *options)[-1])


def floor(folder, port, requests, seconds, pause):
    """nginx answering the load's requests without processing them."""
    with nginx(folder, port) as server:
        return load(server, requests, seconds, pause=pause)
