"""TypeScript: interfaces, and readers that check what they promise."""

from .model import ROOTS, Words
from .words import NOTICE, block

HEAD = """/**
 * The events and orders of ipnd, typed. TypeScript 4.5 or later, no dependencies.
 *
 *     const message = readMessage(JSON.parse(body));     // a webhook
 *     const page = readEventPage(JSON.parse(answer));    // GET /events
 *     const order = readOrder(JSON.parse(answer));       // GET /orders/{endpoint}/{reference}
 *
 * Members that this version does not know are skipped, and unknown words of an enumeration stay
 * text. A missing member, one of another type, and an integer that a number cannot hold exactly
 * throw `Malformed`. `JSON.stringify` writes what was read.
 *
 * %(notice)s.
 */

/** The input is not of this model: the message names the member. */
export class Malformed extends Error {}

/** A word that this version does not know. */
export type OtherWord = string & {};
"""

READERS = """
type Reader<T> = (value: unknown, place: string) => T;
type Readers<T> = { [K in keyof T]-?: Reader<T[K]> };

function plain<T>(name: string, isOne: (value: unknown) => boolean): Reader<T> {
  return (value, place) => {
    if (value === undefined) throw new Malformed(`${place} is missing`);
    if (!isOne(value)) throw new Malformed(`${place} is not ${name}`);
    return value as T;
  };
}

const text = plain<string>("text", (value) => typeof value === "string");
const boolean = plain<boolean>("a boolean", (value) => typeof value === "boolean");
const integer = plain<number>("an exact integer", Number.isSafeInteger);
const array = plain<unknown[]>("a list", Array.isArray);
const anything = plain<{ [name: string]: unknown }>(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

function constant<T extends number>(only: T): Reader<T> {
  return plain<T>(`${only}`, (value) => value === only);
}

function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, place) =>
    value === undefined || value === null ? undefined : read(value, place);
}

function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null ? null : read(value, place));
}

function list<T>(read: Reader<T>): Reader<T[]> {
  return (value, place) =>
    array(value, place).map((item, number) => read(item, `${place}[${number}]`));
}

function map<T>(read: Reader<T>): Reader<{ [name: string]: T }> {
  return (value, place) => {
    const items = Object.entries(anything(value, place));
    return Object.fromEntries(items.map(([name, item]) => [name, read(item, `${place}.${name}`)]));
  };
}

function object<T extends object>(readers: Readers<T>): Reader<T> {
  return (value, place) => {
    const given = anything(value, place);
    const found: Partial<T> = {};
    for (const name of Object.keys(readers) as (keyof T & string)[]) {
      const isGiven = Object.prototype.hasOwnProperty.call(given, name);
      const member = readers[name](isGiven ? given[name] : undefined, `${place}.${name}`);
      if (member !== undefined) found[name] = member;
    }
    return found as T;
  };
}
"""


def written(model):
    lines = [HEAD % {"notice": NOTICE}]
    for each in model.types.values():
        lines += [*(words if isinstance(each, Words) else interface)(each), ""]
    for name in [*ROOTS, "EventRecord"]:
        lines += [
            f"/** Reads a parsed {name}. */",
            f"export function read{name}(value: unknown): {name} {{",
            f'  return {lower(name)}(value, "{name}");',
            "}",
            "",
        ]
    lines.append(READERS.strip())
    # A reader is made of those of its members.
    for each in ordered(model):
        lines += ["", f"const {lower(each.name)} = object<{each.name}>({{"]
        lines += [f"  {member.name}: {reader(member)}," for member in each.members]
        lines.append("});")
    return "\n".join(lines) + "\n"


def words(each):
    yield from block(each.text, "")
    yield f"export type {each.name} ="
    for word, text in each.words.items():
        yield from block(text, "  ")
        yield f'  | "{word}"'
    yield "  | OtherWord;"


def interface(each):
    yield from block(each.text, "")
    yield f"export interface {each.name} {{"
    for member in each.members:
        yield from block(member.text, "  ")
        mark = "" if member.required else "?"
        null = " | null" if member.nullable else ""
        yield f"  {member.name}{mark}: {annotation(member.type)}{null};"
    yield "}"


def annotation(kind):
    match kind.kind:
        case "list":
            return f"{annotation(kind.item)}[]"
        case "map":
            return f"{{ [name: string]: {annotation(kind.item)} }}"
        case "words" | "object":
            return kind.name
        case "integer" if kind.constant is not None:
            return f"{kind.constant}"
    plain = {"text": "string", "integer": "number", "boolean": "boolean"}
    return {**plain, "anything": "{ [name: string]: unknown }"}[kind.kind]


def reader(member):
    read = plain_reader(member.type)
    if not member.required:
        return f"optional({read})"
    return f"nullable({read})" if member.nullable else read


def plain_reader(kind):
    match kind.kind:
        case "list" | "map":
            return f"{kind.kind}({plain_reader(kind.item)})"
        case "object":
            return lower(kind.name)
        case "integer" if kind.constant is not None:
            return f"constant({kind.constant})"
    return {"words": "text"}.get(kind.kind, kind.kind)


def lower(name):
    return name[0].lower() + name[1:]


def ordered(model):
    """Each object behind those of its members."""
    done = {}

    def add(name):
        each = model.types[name]
        if name in done or isinstance(each, Words):
            return
        for member in each.members:
            kind = member.type
            while kind.item:
                kind = kind.item
            if kind.kind == "object":
                add(kind.name)
        done[name] = each

    for name in model.types:
        add(name)
    return done.values()
