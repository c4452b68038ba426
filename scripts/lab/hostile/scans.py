"""Phases about TLS: the findings of sslscan and testssl.sh."""

import csv
import re
import subprocess

from lab.hostile.trial import MANY

EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
GROUPS = ("x25519", "secp256r1", "secp384r1")
SUITES = r"TLS_(AES|CHACHA20)|ECDHE-RSA-(AES(128|256)-GCM|CHACHA20)"
WRONG = r"(SSLv[23]|TLSv1\.[01])\s+enabled|vulnerable|Insecure|[Cc]ompression enabled"
# Findings about the test's certificate and environment, which any test server would get.
EXPECTED = {
    "cert_revocation": "the test's authority publishes neither CRL nor OCSP",
    "DNS_CAArecord": "the scan goes to an address of the loopback, which has no DNS zone",
    "scanTime": "how long the scan took",
}
ASKED = {
    *("TLS1", "TLS1_3", "cipherlist_NULL", "PFS", "cipher_order", "secure_renego", "heartbleed"),
    *("ROBOT", "RC4"),
}


def certificates(trial):
    """An authority, and its certificates for localhost: `ec` for the crowd, `rsa` for the scans,
    which try more with it."""

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=trial.work)

    openssl(
        *("req", "-x509", "-nodes", "-days", "90", *EC, "-subj", "/CN=ipnd test authority"),
        *("-addext", "keyUsage=critical,keyCertSign"),
        *("-keyout", "authority.key", "-out", "authority.pem"),
    )
    with open(f"{trial.work}/extensions", "w") as file:
        file.write(
            "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"
            "keyUsage=critical,digitalSignature\nbasicConstraints=critical,CA:FALSE\n"
        )
    for name, kind in (("ec", EC), ("rsa", ("-newkey", "rsa:2048"))):
        openssl(
            *("req", "-nodes", *kind, "-subj", "/CN=localhost"),
            *("-keyout", f"{name}.key", "-out", f"{name}.request"),
        )
        openssl(
            *("x509", "-req", "-in", f"{name}.request", "-days", "90", "-CA", "authority.pem"),
            *("-CAkey", "authority.key", "-CAcreateserial"),
            *("-extfile", "extensions", "-out", f"{name}.pem"),
        )


def sslscan(trial):
    with trial.target(*MANY, tls="rsa") as target:
        text = subprocess.run(
            ["sslscan", "--no-colour", "--show-certificate", f"127.0.0.1:{target.port}"],
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
    offered = re.findall(r"^(?:Preferred|Accepted)\s+(\S+)\s+(\d+) bits\s+(\S+)", text, re.M)
    groups = set(re.findall(r"^TLSv1\.[23]\s+\d+ bits\s+(\S+)", text, re.M))
    bad = [
        line
        for line in text.splitlines()
        if re.search(WRONG, line) and "not vulnerable" not in line
    ]
    bad += [name for _, bits, name in offered if int(bits) < 128 or not re.match(SUITES, name)]
    bad += [group for group in groups if group not in GROUPS]
    bad += [] if "Server supports TLS Fallback SCSV" in text else ["no TLS Fallback SCSV"]
    bad += [] if "Session renegotiation not supported" in text else ["renegotiation"]
    versions = sorted({version for version, _, _ in offered})
    trial.row(
        "sslscan",
        not bad and versions == ["TLSv1.2", "TLSv1.3"],
        "; ".join(bad)
        or f"{len(offered)} suites of {' and '.join(versions)}, all ECDHE with AEAD; groups "
        f"{', '.join(sorted(groups))}; no renegotiation, no compression",
    )


def testssl(trial):
    report = f"{trial.work}/testssl.csv"
    with trial.target(*MANY, tls="rsa") as target:
        # -p protocols, -s cipher lists, -f forward secrecy, -P preferences, -S server defaults,
        # -U vulnerabilities.
        subprocess.run(
            [
                *("testssl", "--quiet", "--color", "0", "--csvfile", report),
                *("--add-ca", f"{trial.work}/authority.pem", "-p", "-s", "-f", "-P", "-S", "-U"),
                *("--warnings", "batch", "--ip", "127.0.0.1", f"localhost:{target.port}"),
            ],
            stdout=subprocess.DEVNULL,
            timeout=240,
        )
    with open(report) as file:
        findings = list(csv.DictReader(file))
    bad = [f for f in findings if f["severity"] not in ("OK", "INFO", "DEBUG")]
    for f in bad:
        reason = EXPECTED.get(f["id"], "NOT EXPECTED")
        print(f"        testssl {f['severity']}: {f['id']}: {f['finding']}: {reason}")
    unexpected = [f"{f['id']} ({f['finding']})" for f in bad if f["id"] not in EXPECTED]
    missing = ASKED - {f["id"] for f in findings}
    trial.row(
        "testssl",
        not unexpected and not missing,
        "; ".join(unexpected + sorted(missing))
        or f"{len(findings)} findings, {sum(f['severity'] == 'OK' for f in findings)} of them OK; "
        "worse than INFO only what the test's certificate lacks: "
        + (", ".join(f["id"] for f in bad) or "nothing"),
    )
