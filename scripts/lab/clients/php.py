"""PHP 8.2: readonly classes and backed enumerations."""

from .model import Words
from .words import NOTICE, block, comment, pascal

HEAD = r"""<?php

/**
 * The events and orders of ipnd, typed. PHP 8.2 or later, no dependencies.
 *
 *     $message = Ipnd\Message::parse($body);      // a webhook
 *     $page = Ipnd\EventPage::parse($answer);     // GET /events
 *     $order = Ipnd\Order::parse($answer);        // GET /orders/{endpoint}/{reference}
 *
 * Members that this version does not know are skipped, and unknown words of an enumeration stay
 * strings. A missing member or one of another type throws `Ipnd\Malformed`. `json_encode` writes
 * what was read.
 *
 * %(notice)s.
 */

declare(strict_types=1);

namespace Ipnd;

/** The input is not of this model: the message names the member. */
final class Malformed extends \UnexpectedValueException
{
}

/** Reads the values of members. */
final class Read
{
    /** Parses JSON. An integer that PHP cannot hold becomes a string, so it is never rounded. */
    public static function json(string $text): mixed
    {
        try {
            return json_decode($text, false, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException $error) {
            throw new Malformed($error->getMessage(), 0, $error);
        }
    }

    public static function text(mixed $value, string $place): string
    {
        return is_string($value) ? $value : throw new Malformed("$place is not a string");
    }

    public static function integer(mixed $value, string $place): int
    {
        return is_int($value) ? $value : throw new Malformed("$place is not an integer");
    }

    public static function boolean(mixed $value, string $place): bool
    {
        return is_bool($value) ? $value : throw new Malformed("$place is not a boolean");
    }

    /** An object of JSON, also one that was parsed to an array. */
    public static function anything(mixed $value, string $place): \stdClass
    {
        if (is_array($value) && ($value === [] || !array_is_list($value))) {
            return (object) $value;
        }
        return $value instanceof \stdClass
            ? $value
            : throw new Malformed("$place is not an object");
    }

    /** @param class-string<\BackedEnum> $enum */
    public static function word(string $enum): \Closure
    {
        return static function (mixed $value, string $place) use ($enum): \BackedEnum|string {
            $text = self::text($value, $place);
            return $enum::tryFrom($text) ?? $text;
        };
    }

    public static function constant(int $only): \Closure
    {
        return static fn (mixed $value, string $place): int => $value === $only
            ? $only
            : throw new Malformed("$place is not $only");
    }

    public static function list(\Closure $read): \Closure
    {
        return static function (mixed $value, string $place) use ($read): array {
            if (!is_array($value) || !array_is_list($value)) {
                throw new Malformed("$place is not a list");
            }
            $items = [];
            foreach ($value as $number => $item) {
                $items[] = $read($item, "{$place}[$number]");
            }
            return $items;
        };
    }

    public static function map(\Closure $read): \Closure
    {
        return static function (mixed $value, string $place) use ($read): \stdClass {
            $items = new \stdClass();
            foreach (get_object_vars(self::anything($value, $place)) as $name => $item) {
                $items->{$name} = $read($item, "$place.$name");
            }
            return $items;
        };
    }
}

/** The members of one object of JSON. */
final readonly class Members
{
    private \stdClass $members;

    public function __construct(mixed $value, private string $place)
    {
        $this->members = Read::anything($value, $place);
    }

    public function required(string $name, \Closure $read): mixed
    {
        if (!property_exists($this->members, $name)) {
            throw new Malformed("{$this->place}.$name is missing");
        }
        return $read($this->members->{$name}, "{$this->place}.$name");
    }

    public function nullable(string $name, \Closure $read): mixed
    {
        return $this->required(
            $name,
            static fn (mixed $value, string $at) => $value === null ? null : $read($value, $at),
        );
    }

    public function optional(string $name, \Closure $read): mixed
    {
        return isset($this->members->{$name}) ? $this->required($name, $read) : null;
    }

    /** The members to write: all but those that are null and left out then. */
    public static function written(object $value, string ...$nullable): object
    {
        $isWritten = static fn (mixed $member, string $name): bool =>
            $member !== null || in_array($name, $nullable, true);
        return (object) array_filter(get_object_vars($value), $isWritten, ARRAY_FILTER_USE_BOTH);
    }
}

/** Common to the classes below. */
abstract readonly class Value implements \JsonSerializable
{
    abstract public static function read(mixed $value, string $place = ''): static;

    /** Reads the text of JSON. */
    public static function parse(string $json): static
    {
        return static::read(Read::json($json));
    }
}
"""


def written(model):
    lines = [HEAD % {"notice": NOTICE}]
    for each in model.types.values():
        lines += [*(words if isinstance(each, Words) else value)(each), ""]
    return "\n".join(lines[:-1]) + "\n"


def words(each):
    yield from block(each.text, "")
    yield f"enum {each.name}: string"
    yield "{"
    for word, text in each.words.items():
        yield from block(text, "    ")
        yield f"    case {pascal(word)} = '{word}';"
    yield "}"


def value(each):
    yield from block(each.text, "")
    yield f"final readonly class {each.name} extends Value"
    yield "{"
    yield "    public function __construct("
    for member in each.members:
        yield from documentation(member)
        mark = " = null" if not member.required else ""
        yield f"        public {annotation(member)} ${member.name}{mark},"
    yield "    ) {"
    yield "    }"
    yield ""
    yield f"    public static function read(mixed $value, string $place = '{each.name}'): static"
    yield "    {"
    yield "        $in = new Members($value, $place);"
    yield "        return new self("
    for member in each.members:
        how = "optional" if not member.required else "nullable" if member.nullable else "required"
        yield f"            {member.name}: $in->{how}('{member.name}', {reader(member.type)}),"
    yield "        );"
    yield "    }"
    yield ""
    yield "    public function jsonSerialize(): object"
    yield "    {"
    nullable = [repr(member.name) for member in each.members if member.nullable]
    yield f"        return Members::written({', '.join(['$this', *nullable])});"
    yield "    }"
    yield "}"


def documentation(member):
    """A member's description, and the type of a list's items."""
    kind = f"@var {items(member.type)}" if member.type.kind == "list" else ""
    if not kind:
        yield from block(member.text, "        ")
    elif not member.text:
        yield f"        /** {kind} */"
    else:
        yield "        /**"
        yield from comment(member.text, "         * ")
        yield f"         * {kind}"
        yield "         */"


def items(kind):
    match kind.kind:
        case "list":
            return f"list<{items(kind.item)}>"
        case "words":
            return f"{kind.name}|string"
        case "object":
            return kind.name
    return {"text": "string", "integer": "int"}[kind.kind]


def annotation(member):
    kind = member.type
    plain = {"text": "string", "integer": "int", "boolean": "bool", "list": "array"}
    plain |= {"map": "\\stdClass", "anything": "\\stdClass", "object": kind.name}
    can_be_null = member.nullable or not member.required
    if kind.kind == "words":
        return f"{kind.name}|string{'|null' if can_be_null else ''}"
    return f"{'?' if can_be_null else ''}{plain[kind.kind]}"


def reader(kind):
    match kind.kind:
        case "list" | "map":
            return f"Read::{kind.kind}({reader(kind.item)})"
        case "words":
            return f"Read::word({kind.name}::class)"
        case "object":
            return f"{kind.name}::read(...)"
        case "integer" if kind.constant is not None:
            return f"Read::constant({kind.constant})"
    return f"Read::{kind.kind}(...)"
