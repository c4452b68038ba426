"""Checks the settings of an image. usage: image_settings.py FILE (of `buildah inspect`)"""

import json
import sys

CONFIGURATION = ["--config", "/etc/ipnd/ipnd.yaml"]
EXPECTED = {
    "User": "10001:10001",
    "Entrypoint": ["/usr/bin/ipnd"],
    "Cmd": ["serve", *CONFIGURATION],
    "Volumes": {"/var/lib/ipnd": {}},
    "StopSignal": "SIGTERM",
}
HEALTH = ["CMD", "/usr/bin/ipnd", "status", "--quiet", *CONFIGURATION]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)["Docker"]["config"]
    for name, value in EXPECTED.items():
        if settings.get(name) != value:
            sys.exit(f"scripts/package: the image's {name} is {settings.get(name)}, not {value}")
    health = settings.get("Healthcheck", {}).get("Test")
    if health != HEALTH:
        sys.exit(f"scripts/package: the image's health check is {health}, not {HEALTH}")


if __name__ == "__main__":
    main()
