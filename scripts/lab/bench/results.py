"""The results of a run: rows for people, data for the plots; kept between runs of the same
binary."""

import hashlib
import json
import os
import platform
import re
import subprocess
import time

from lab.bench.wrk import CORES


class Results:
    def __init__(self, folder, binary):
        self.path = f"{folder}/results.json"
        with open(binary, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:12]
        self.all = {"binary": digest, "sections": {}}
        if os.path.exists(self.path):
            with open(self.path) as file:
                earlier = json.load(file)
            # Rows of another binary are dropped.
            if earlier["binary"] == digest:
                self.all = earlier
        self.all["machine"] = machine(folder)
        self.section = None

    @property
    def sections(self):
        return self.all["sections"]

    def begin(self, section):
        self.section = self.sections[section] = {"rows": [], "data": {}}

    def resume(self, section):
        """Adds rows to a section that this run began."""
        self.section = self.sections[section]

    def row(self, what, measured, reference="", target="", met=None):
        """`met`: whether the target is reached; None without a target."""
        verdict = {None: "", True: "met", False: "MISSED"}[met if met is None else bool(met)]
        self.section["rows"].append([what, measured, reference, target, verdict])
        print(f"{what:45} {measured:>14}  {reference:44} {target:14} {verdict}", flush=True)

    def keep(self, name, data):
        self.section["data"][name] = data

    def save(self):
        with open(self.path, "w") as file:
            json.dump(self.all, file, indent=1)


# Their versions can explain a difference.
PROGRAMS = {
    "Swift": ("swift", "--version"),
    "OpenSSL": ("openssl", "version"),
    "nginx": ("/usr/sbin/nginx", "-v"),
    "Node": ("node", "--version"),
    "PostgreSQL": ("psql", "--version"),
}


def version(command):
    """The first number with a dot that the program prints."""
    try:
        made = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "?"
    found = re.search(r"\d+\.[\d.]*\d", made.stdout + made.stderr)
    return found[0] if found else "?"


def file_system(folder):
    made = subprocess.run(
        ["stat", "-f", "-c", "%T", folder], check=True, capture_output=True, text=True
    )
    return made.stdout.strip().replace("ext2/ext3", "ext4")


def machine(folder):
    with open("/proc/cpuinfo") as file:
        models = [line.split(": ")[1].strip() for line in file if "model name" in line]
    return {
        "cores": len(CORES),
        "model": models[0] if models else "?",
        "kernel": ".".join(platform.release().split(".")[:2]),
        "disk": file_system(folder),
        "programs": ", ".join(f"{name} {version(command)}" for name, command in PROGRAMS.items()),
        "date": time.strftime("%F"),
    }
