"""The schemas of config/openapi.yaml as plain objects with members of simple types.

What cannot be expressed is an error, not a guess: a new keyword in a schema ends the generator.
"""

import re
from dataclasses import dataclass, field

# What a shop reads: a webhook's body, a page of `/events`, an answer of `/orders/…`.
ROOTS = ["Message", "EventPage", "Order"]
# `Record` is a type of TypeScript's own.
NAMES = {"Record": "EventRecord"}
KNOWN = {
    *("type", "description", "title", "required", "properties", "additionalProperties", "items"),
    *("enum", "const", "anyOf", "oneOf", "allOf", "$ref", "format", "pattern", "minimum"),
    *("maximum", "minItems", "maxItems", "minLength", "maxLength", "example"),
}
# Keywords that give a value's type without `type`.
VALUES = {"enum", "const"}


class Unsupported(Exception):
    """A schema that the models cannot express."""


@dataclass
class Type:
    """`text`, `integer`, `boolean`, `anything` (a free-form object), `list` and `map` of `item`,
    or the `object` or `words` called `name`."""

    kind: str
    item: "Type | None" = None
    name: str = ""
    # The only value of an integer.
    constant: int | None = None


@dataclass
class Member:
    name: str
    type: Type
    required: bool
    nullable: bool
    text: str


@dataclass
class Object:
    name: str
    text: str
    members: list[Member] = field(default_factory=list)


@dataclass
class Words:
    """An enumeration: each word with its description, which may be empty."""

    name: str
    text: str
    words: dict[str, str]


class Model:
    """All types that the roots need, each before the types of its members."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.types = {}
        for root in ROOTS:
            self.named(root)

    @property
    def objects(self):
        return [each for each in self.types.values() if isinstance(each, Object)]

    @property
    def enumerations(self):
        return [each for each in self.types.values() if isinstance(each, Words)]

    def named(self, name):
        """The type of a schema of the document."""
        return self.type_of(self.schemas[name], NAMES.get(name, name))[0]

    def type_of(self, schema, name):
        """The type of a schema, which is called `name` if it needs one, and whether it may be
        null."""
        if unknown := schema.keys() - KNOWN:
            raise Unsupported(f"{name}: {', '.join(sorted(unknown))}")
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return self.type_of(self.schemas[target], NAMES.get(target, target))
        if "anyOf" in schema:
            choices = [each for each in schema["anyOf"] if each != {"type": "null"}]
            if len(choices) != 1:
                raise Unsupported(f"{name}: anyOf")
            found, nullable = self.type_of(choices[0], name)
            return found, nullable or len(choices) < len(schema["anyOf"])
        is_object = schema.keys() & {"properties", "allOf", "oneOf"}
        kinds = schema.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if not kinds:
            kinds = ["object"] * bool(is_object) + ["string"] * bool(schema.keys() & VALUES)
        plain = [kind for kind in kinds if kind != "null"]
        if len(plain) != 1:
            raise Unsupported(f"{name}: type {kinds}")
        return self.plain(plain[0], schema, name), "null" in kinds

    def plain(self, kind, schema, name):
        if "const" in schema:
            if type(schema["const"]) is not int:
                raise Unsupported(f"{name}: const {schema['const']!r}")
            return Type("integer", constant=schema["const"])
        if "enum" in schema:
            return self.words(schema, name)
        match kind:
            case "string":
                return Type("text")
            case "integer":
                return Type("integer")
            case "boolean":
                return Type("boolean")
            case "array":
                return Type("list", item=self.item(schema["items"], name.removesuffix("s")))
            case "object" if "additionalProperties" in schema and "properties" not in schema:
                return Type("map", item=self.item(schema["additionalProperties"], name))
            case "object" if not schema.keys() & {"properties", "allOf", "oneOf"}:
                return Type("anything")
            case "object":
                return self.object(schema, name)
        # `number` among them: a sum must not become a floating point number.
        raise Unsupported(f"{name}: type {kind}")

    def item(self, schema, name):
        found, nullable = self.type_of(schema, name)
        if nullable:
            raise Unsupported(f"{name}: items that may be null")
        return found

    def words(self, schema, name):
        words = [word for word in schema["enum"] if word is not None]
        text, rows = table(schema.get("description", ""))
        # The description of one without a name of its own is that of its member.
        text = text if name in self.schemas else ""
        self.types.setdefault(name, Words(name, text, {word: rows.get(word, "") for word in words}))
        return Type("words", name=name)

    def object(self, schema, name):
        if name not in self.types:
            made = self.types[name] = Object(name, one_line(schema.get("description", "")))
            variants = schema.get("oneOf")
            properties, required = (
                merged([(each["title"], *self.flat(each)) for each in variants])
                if variants
                else self.flat(schema)
            )
            for key, value in properties.items():
                kind, nullable = self.type_of(value, name + key[0].upper() + key[1:])
                if nullable and key not in required:
                    raise Unsupported(f"{name}.{key}: left out or null")
                text, _ = table(self.text(value))
                made.members.append(Member(key, kind, key in required, nullable, text))
            made.members.sort(key=lambda member: not member.required)
        return Type("object", name=name)

    def flat(self, schema):
        """The properties of an object with those of its parts, and the required ones."""
        if "$ref" in schema:
            return self.flat(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        properties, required = dict(schema.get("properties", {})), set(schema.get("required", []))
        for part in schema.get("allOf", []):
            more, needed = self.flat(part)
            properties.update(more)
            required |= needed
        return properties, required

    def text(self, schema):
        """A member's description. A scalar that is described once has it there."""
        if "description" in schema or "$ref" not in schema:
            return schema.get("description", "")
        target = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        is_named = "properties" in target or "enum" in target or "allOf" in target
        is_named = is_named or "oneOf" in target
        return "" if is_named else target.get("description", "")


def merged(variants):
    """One object that can hold each variant: the members of all, required where all require them.
    Enumerations are joined; `on`, which tells the variants apart, describes its words by their
    titles."""
    properties = {}
    for title, members, _ in variants:
        for key, value in members.items():
            words = value.get("enum") or ([value["const"]] if "const" in value else None)
            text = value.get("description", "")
            if key == "on":
                text = "\n".join(f"| `{word}` | {title} |" for word in words)
            known = properties.setdefault(key, {**value, "description": ""})
            # What one variant says of a member does not hold for the others.
            is_shared = sum(key in members for _, members, _ in variants) > 1
            if key == "on" or not is_shared:
                known["description"] = "\n".join(filter(None, [known["description"], text]))
            if words:
                known.pop("const", None)
                known["type"] = "string"
                known["enum"] = list(dict.fromkeys([*known.get("enum", []), *words]))
    return properties, set.intersection(*(required for _, _, required in variants))


def table(text):
    """The text before a table, and the table's rows: a word in backticks and its meaning."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|$", text, re.M))
    return one_line(re.sub(r"^\|.*$", "", text, flags=re.M)), rows


def one_line(text):
    return " ".join(text.split()).removesuffix(".")
