"""Runs the models of config/clients on genuine and on hostile input."""

import copy
import json
import re
import tempfile

from . import genuine
from .languages import Defect, Workshop, installed

# What takes the place of the amount 4200 in a message. A reader of it says `error`, or reads
# exactly this; TypeScript cannot hold the last one.
SUMS = {
    **dict.fromkeys(
        [
            *('"minor":"4200"', '"minor":4200.5', '"minor":true', '"minor":null', '"minor":[4200]'),
            *('"Minor":4200', '"minor":9223372036854775808', '"minor":1e400', '"minors":4200'),
        ],
        "error",
    ),
    **dict.fromkeys(['"minor":0', '"minor":-4200', '"minor":9007199254740991'], "value"),
    '"minor":9007199254740993': "either",
}
KEPT = {
    '"status":"paid"': '"status":"settled"',
    '"on":"attempt"': '"on":"wish"',
    '"flags":[]': '"flags":["new_flag","paid_twice"]',
    '"outcome":"recorded"': '"outcome":"\\u0000"',
}
SKIPPED = {
    '"schema":1': '"schema":1,"new":{"minor":1}',
    '"minor":4200': '"minor":4200,"Minor":1',
    '"currency":"MYR"': '"currency":"MYR","__proto__":{"minor":1},"":[]',
    '"order":{': '"order":{"absorbed":null,',
}
# Members without which a message is none; of each amount both.
REQUIRED = {
    *("type", "timestamp", "data", "data.schema", "data.sequence", "data.received"),
    *("data.endpoint", "data.provider", "data.outcome", "data.flags", "data.event"),
    *("data.event.id", "data.event.kind", "data.event.status", "data.event.effect.on"),
    *("data.order.status", "data.order.amount.minor", "data.order.amount.currency"),
}
OTHERS = {str: "x", int: 7, bool: True, list: [], dict: {}}


def check(ipnd):
    """Prints each defect, and returns their number."""
    defects = 0
    with tempfile.TemporaryDirectory(prefix="ipnd-clients-") as folder:
        values = genuine.values(ipnd, f"{folder}/sandbox")
        for language in installed():
            try:
                workshop = Workshop(language, f"{folder}/{language.name}")
                for part in (mirrors, sums, words, members, example):
                    part(workshop, values)
            except Defect as defect:
                print(f"config/clients, {language.name}: {defect}")
                defects += 1
    return defects


def read(workshop, values, *arguments):
    """What the model makes of each: `value` and JSON, or `error` and a text."""
    lines = "".join(f'{{"type":"{kind}","value":{value}}}\n' for kind, value in values)
    answers = workshop.output([*workshop.language.mirror, *arguments], lines)
    expect(len(answers) == len(values), f"{len(answers)} answers to {len(values)} values")
    return [next(iter(json.loads(answer).items())) for answer in answers]


def expect(condition, text):
    if not condition:
        raise Defect(text)


def same(one, other):
    """Whether two documents are equal, also in the types that Python takes for one."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def paid(values):
    """The webhook of a paid order."""
    for kind, value in values:
        if kind == "Message" and '"type":"order.paid"' in value and '"V-refund"' in value:
            return value
    raise SystemExit("check-openapi: no message of a paid order")


def mirrors(workshop, values):
    """What is read is written again, member by member."""
    for (kind, value), answer in zip(values, read(workshop, values), strict=True):
        expect(answer[0] == "value", f"{kind}: {answer[1]}")
        expect(same(answer[1], json.loads(value)), f"{kind}: {value}\nbecame {answer[1]}")
    if workshop.language.name != "php":
        return
    # json_decode(…, true) does not tell an empty object of the metadata from a list.
    for (kind, value), answer in zip(values, read(workshop, values, "arrays"), strict=True):
        known = json.loads(value.replace('"cart":{}', '"cart":[]'))
        expect(answer[0] == "value" and same(answer[1], known), f"arrays, {kind}: {answer[1]}")


def sums(workshop, values):
    """No sum is silently another one."""
    message = paid(values)
    texts = [message.replace('"minor":4200', part) for part in SUMS]
    answers = read(workshop, [("Message", text) for text in texts])
    for (part, expected), text, (result, found) in zip(SUMS.items(), texts, answers, strict=True):
        expect(expected in (result, "either"), f"{part}: {found}")
        if result == "error":
            expect("amount.minor" in found, f"{part}: {found}")
        else:
            expect(same(found, json.loads(text)), f"{part} became {found}")


def words(workshop, values):
    """Unknown words are kept and unknown members skipped; another schema is an error."""
    message = paid(values)
    for part in [*KEPT, *SKIPPED]:
        expect(part in message, f"the message has no {part}")
    edited = {part: message.replace(part, other) for part, other in {**KEPT, **SKIPPED}.items()}
    for (part, text), answer in zip(
        edited.items(), read(workshop, [("Message", text) for text in edited.values()]), strict=True
    ):
        known = json.loads(text if part in KEPT else message)
        expect(answer[0] == "value" and same(answer[1], known), f"{part}: {answer[1]}")
    none = [message.replace('"schema":1', '"schema":2'), "[]", "null", "7", '"x"', "{}"]
    answers = read(workshop, [("Message", text) for text in none])
    for text, answer in zip(none, answers, strict=True):
        expect(answer[0] == "error", f"{text[:60]} was read")


def edits(document, part=None, place=""):
    """The document without each member, and with each other type: its place, whether it is
    removed, and the text."""
    part = document if part is None else part
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in list(items):
        path = f"{place}[{key}]" if isinstance(part, list) else f"{place}.{key}".lstrip(".")
        if isinstance(part, dict):
            del part[key]
            yield path, True, copy.deepcopy(document)
        for kind, other in OTHERS.items():
            if type(value) is not kind:
                part[key] = other
                yield path, False, copy.deepcopy(document)
        part[key] = value
        if isinstance(value, (dict, list)):
            yield from edits(document, value, path)


def members(workshop, values):
    """Each member that is missing or of another type is named."""
    all_edits = list(edits(json.loads(paid(values))))
    removed = {path for path, is_removed, _ in all_edits if is_removed}
    expect(REQUIRED <= removed, f"the message has no {REQUIRED - removed}")
    tasks = [("Message", json.dumps(document)) for *_, document in all_edits]
    for (path, is_removed, document), (result, found) in zip(
        all_edits, read(workshop, tasks), strict=True
    ):
        is_required = path in REQUIRED or path.endswith((".minor", ".currency"))
        if is_removed and not is_required:
            expect(result == "value" and same(found, document), f"without {path}: {found}")
        else:
            expect(result == "error", f"{path} of another type was read")
            expect(path in found, f"{path}: {found}")


def example(workshop, values):
    """The page's example prints what is paid, and what a person must look at."""
    event = json.dumps(json.loads(paid(values))["data"], separators=(",", ":"))
    hostile = event.replace('"minor":4200', '"minor":"4200"')
    command = workshop.language.run_example
    lines = workshop.output(command, f'{{"store":"s","next":9,"events":[{hostile},{event}]}}')
    expect(len(lines) == 2 and lines[1] == "antom/V-refund 4200 MYR", f"example: {lines}")
    expect(re.match(r"hold [0-9]+: EventRecord\.\S+\.minor ", lines[0]), f"example: {lines}")
    # A real page has every kind of event.
    lines = workshop.output(command, values[0][1])
    expect("antom/V-refund 4200 MYR" in lines, f"example: {lines}")
    expect(not any(line.startswith("hold") for line in lines), f"example: {lines}")
