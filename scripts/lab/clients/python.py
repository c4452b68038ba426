"""Python: frozen dataclasses, and enumerations that are text."""

import keyword

from .model import Words
from .words import NOTICE, block_quotes, comment, snake

HEAD = '''"""The events and orders of ipnd, typed. Python 3.10 or later, standard library only.

    message = ipnd.Message.read(json.loads(body))       # a webhook
    page = ipnd.EventPage.read(json.loads(answer))      # GET /events
    order = ipnd.Order.read(json.loads(answer))         # GET /orders/{endpoint}/{reference}

Members that this version does not know are skipped, and unknown words of an enumeration stay text.
A missing member or one of another type raises `Malformed`.

%(notice)s.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T", bound="Value")


class Malformed(ValueError):
    """The input is not of this model: the message names the member."""


class Word(str, enum.Enum):
    """A known word of an enumeration. It is equal to its text."""

    __str__ = str.__str__


class Value:
    """Base of the types below."""

    @classmethod
    def read(cls: type[T], value: Any) -> T:
        """Reads parsed JSON."""
        return _read(cls, value, cls.__name__)

    def write(self) -> dict[str, Any]:
        """Returns what `json.dumps` writes: the members that were read."""
        members = ((each, getattr(self, each.name)) for each in _members(type(self)))
        return {
            each.json: _written(value)
            for each, value in members
            if each.required or value is not None
        }


class _Member(typing.NamedTuple):
    name: str
    json: str
    type: Any
    required: bool


@functools.cache
def _members(kind: type) -> list[_Member]:
    hints = typing.get_type_hints(kind)
    return [
        _Member(
            each.name,
            each.metadata.get("json", each.name),
            hints[each.name],
            each.default is dataclasses.MISSING,
        )
        for each in dataclasses.fields(kind)
    ]


def _read(kind: Any, value: Any, place: str) -> Any:
    choices = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        if value is None and type(None) in choices:
            return None
        # A word of an enumeration, or text.
        kind, choices = choices[0], typing.get_args(choices[0])
    if isinstance(kind, type) and issubclass(kind, Word):
        text = _plain(str, value, place)
        return next((word for word in kind if word.value == text), text)
    if isinstance(kind, type) and issubclass(kind, Value):
        return _read_object(kind, value, place)
    if typing.get_origin(kind) is list:
        items = enumerate(_plain(list, value, place))
        return [_read(choices[0], item, f"{place}[{number}]") for number, item in items]
    if typing.get_origin(kind) is dict:
        items = _plain(dict, value, place).items()
        return {key: _read(choices[1], item, f"{place}.{key}") for key, item in items}
    return value if kind is Any else _plain(kind, value, place)


def _read_object(kind: Any, value: Any, place: str) -> Any:
    _plain(dict, value, place)
    found = {}
    for name, key, member, required in _members(kind):
        if key in value:
            found[name] = _read(member, value[key], f"{place}.{key}")
        elif required:
            raise Malformed(f"{place}.{key} is missing")
    return kind(**found)


_NAMES = {dict: "an object", list: "a list", str: "text", int: "an integer", bool: "a boolean"}


def _plain(kind: type, value: Any, place: str) -> Any:
    # `True` is an `int` of Python's, and 42.0 is none.
    if type(value) is not kind or (kind is int and not -(2**63) <= value < 2**63):
        raise Malformed(f"{place} is not {_NAMES[kind]}")
    return value


def _is(value: int, only: int, name: str) -> None:
    if value != only:
        raise Malformed(f"{name} is {value}, not {only}")


def _written(value: Any) -> Any:
    if isinstance(value, Value):
        return value.write()
    if isinstance(value, Word):
        return value.value
    if isinstance(value, list):
        return [_written(item) for item in value]
    return value
'''


def written(model):
    lines = [(HEAD % {"notice": NOTICE}).rstrip()]
    for each in model.types.values():
        lines += ["", "", *(words if isinstance(each, Words) else dataclass)(each)]
    return "\n".join(lines) + "\n"


def words(enumeration):
    yield f"class {enumeration.name}(Word):"
    yield from block_quotes(enumeration.text, "    ")
    if enumeration.text:
        yield ""
    for word, text in enumeration.words.items():
        yield from comment(text, "    # ")
        yield f'    {word.upper()} = "{word}"'


def dataclass(each):
    yield "@dataclass(frozen=True, kw_only=True)"
    yield f"class {each.name}(Value):"
    yield from block_quotes(each.text, "    ")
    if each.text:
        yield ""
    for member in each.members:
        yield from comment(member.text, "    # ")
        yield f"    {declaration(member)}"
    constants = [each for each in each.members if each.type.constant is not None]
    if constants:
        yield ""
        yield "    def __post_init__(self) -> None:"
        for member in constants:
            place = f"{each.name}.{member.name}"
            name = field_name(member)
            yield f'        _is(self.{name}, {member.type.constant}, "{place}")'


def field_name(member):
    name = snake(member.name)
    return f"{name}_" if keyword.iskeyword(name) else name


def declaration(member):
    name, options = field_name(member), []
    if name != member.name:
        options.append(f'metadata={{"json": "{member.name}"}}')
    if not member.required:
        options.insert(0, "default=None")
    kind = annotation(member.type)
    if member.nullable or not member.required:
        kind += " | None"
    if options == ["default=None"]:
        return f"{name}: {kind} = None"
    return f"{name}: {kind}" + (f" = field({', '.join(options)})" if options else "")


def annotation(kind):
    match kind.kind:
        case "list":
            return f"list[{annotation(kind.item)}]"
        case "map":
            return f"dict[str, {annotation(kind.item)}]"
        case "words":
            return f"{kind.name} | str"
        case "object":
            return kind.name
    plain = {"text": "str", "integer": "int", "boolean": "bool", "anything": "dict[str, Any]"}
    return plain[kind.kind]
