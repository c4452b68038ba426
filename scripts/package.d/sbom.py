"""Writes the bill of materials of a package as SPDX 2.3 (JSON).

usage: sbom.py --version V --package DEB --pins Package.resolved --created SECONDS

What is linked in: Swift's runtime and the packages of Package.resolved but plugins, each with its
version and commit. What is needed beside it: the Debian packages of the package's Depends, as
installed on the machine that built it.
"""

import argparse
import hashlib
import json
import re
import subprocess
import time

NOTHING_SAID = "NOASSERTION"
LICENSES = {
    "grdb.swift": "MIT",
    "yams": "MIT",
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
    "swift-mustache": "Apache-2.0",
    "swift-log": "Apache-2.0 WITH Swift-exception",
    "swift-system": "Apache-2.0 WITH Swift-exception",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--pins", required=True)
    parser.add_argument("--created", required=True, type=int)
    options = parser.parse_args()
    with open(options.package, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    ipnd = package("ipnd", options.version, "Apache-2.0", purpose="APPLICATION")
    ipnd["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    ipnd["packageFileName"] = options.package.rsplit("/", 1)[-1]
    linked = [swift()] + pins(options.pins)
    beside = dependencies(options.package)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"ipnd-{options.version}",
        # Unique by content, and so the same for the same bytes.
        "documentNamespace": f"https://ipnd.invalid/spdx/{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(options.created)),
            "creators": ["Tool: scripts/package"],
        },
        "packages": [ipnd] + linked + beside,
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", ipnd["SPDXID"])]
        + [relation(ipnd["SPDXID"], "STATIC_LINK", each["SPDXID"]) for each in linked]
        + [relation(ipnd["SPDXID"], "DEPENDS_ON", each["SPDXID"]) for each in beside],
    }
    print(json.dumps(document, indent=2, ensure_ascii=False))


def package(name, version, license=NOTHING_SAID, purpose="LIBRARY"):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": NOTHING_SAID,
        "filesAnalyzed": False,
        "licenseConcluded": NOTHING_SAID,
        "licenseDeclared": license,
        "copyrightText": NOTHING_SAID,
        "primaryPackagePurpose": purpose,
    }


def purl(entry, locator):
    entry["externalRefs"] = [
        {
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": locator,
        }
    ]
    return entry


def swift():
    text = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", text)[1]
    return package("swift-runtime", version, "Apache-2.0 WITH Swift-exception")


def pins(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)["pins"]
    entries = []
    for pin in sorted(found, key=lambda pin: pin["identity"]):
        identity, state = pin["identity"], pin["state"]
        entry = package(identity, state["version"], LICENSES.get(identity, NOTHING_SAID))
        entry["downloadLocation"] = f"git+{pin['location']}@{state['revision']}"
        place = re.sub(r"^https://|\.git$", "", pin["location"])
        entries.append(purl(entry, f"pkg:swift/{place}@{state['version']}"))
    return entries


def dependencies(path):
    depends = subprocess.run(
        ["dpkg-deb", "--field", path, "Depends"], check=True, capture_output=True, text=True
    ).stdout
    names = sorted({re.match(r"[a-z0-9.+-]+", part.strip())[0] for part in depends.split(",")})
    entries = []
    for name in names:
        found = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version} ${Architecture}", name],
            capture_output=True,
            text=True,
        )
        version, _, machine = found.stdout.partition(" ")
        entry = package(name, version or NOTHING_SAID)
        entries.append(purl(entry, f"pkg:deb/debian/{name}@{version}?arch={machine}"))
    return entries


def relation(one, kind, other):
    return {
        "spdxElementId": one,
        "relationshipType": kind,
        "relatedSpdxElement": other,
    }


if __name__ == "__main__":
    main()
