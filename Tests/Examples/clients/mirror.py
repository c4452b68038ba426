"""Reads the value of each line by the model, and writes what it read, or why it cannot."""

import json
import sys

import ipnd

for line in sys.stdin:
    task = json.loads(line)
    try:
        answer = {"value": getattr(ipnd, task["type"]).read(task["value"]).write()}
    except ipnd.Malformed as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
