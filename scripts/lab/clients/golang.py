"""Go: structs whose UnmarshalJSON checks them."""

from .model import Words
from .words import NOTICE, comment, parts, pascal

HEAD = """// Package ipnd has the events and orders of ipnd, typed. Go 1.18, no dependencies.
//
//	var message ipnd.Message                    // a webhook
//	err := json.Unmarshal(body, &message)
//	var page ipnd.EventPage                     // GET /events
//	var order ipnd.Order                        // GET /orders/{endpoint}/{reference}
//
// Members that this version does not know are skipped, and unknown words of an enumeration stay
// text. A missing member or one of another type is a *Malformed. json.Marshal writes what was read.
//
// %(notice)s.
package ipnd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Malformed says that the input is not of this model, and names the member.
type Malformed struct{ Place, Problem string }

func (e *Malformed) Error() string { return e.Place + " " + e.Problem }
"""

READER = """
// read decodes a struct like encoding/json, but a member without omitempty must be there, only a
// pointer may be null, and a name must have the exact case.
func read(data []byte, to any) error {
	value := reflect.ValueOf(to).Elem()
	return decode(data, value, value.Type().Name())
}

func decode(data []byte, to reflect.Value, place string) error {
	if to.Type() == reflect.TypeOf(json.RawMessage{}) {
		var object map[string]json.RawMessage
		if err := plain(data, &object, place); err != nil {
			return err
		}
		to.SetBytes(append([]byte{}, data...))
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		if string(data) == "null" {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return decode(data, to.Elem(), place)
	case reflect.Struct:
		return decodeStruct(data, to, place)
	case reflect.Slice:
		var items []json.RawMessage
		if err := plain(data, &items, place); err != nil {
			return err
		}
		to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
		for i, item := range items {
			if err := decode(item, to.Index(i), fmt.Sprintf("%s[%d]", place, i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		var items map[string]json.RawMessage
		if err := plain(data, &items, place); err != nil {
			return err
		}
		to.Set(reflect.MakeMap(to.Type()))
		for name, item := range items {
			value := reflect.New(to.Type().Elem()).Elem()
			if err := decode(item, value, place+"."+name); err != nil {
				return err
			}
			to.SetMapIndex(reflect.ValueOf(name), value)
		}
		return nil
	}
	return plain(data, to.Addr().Interface(), place)
}

func decodeStruct(data []byte, to reflect.Value, place string) error {
	var members map[string]json.RawMessage
	if err := plain(data, &members, place); err != nil {
		return err
	}
	to.Set(reflect.Zero(to.Type()))
	for i := 0; i < to.NumField(); i++ {
		field := to.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member, isGiven := members[name]
		isOptional := options == "omitempty"
		if isOptional && (!isGiven || string(member) == "null") {
			continue
		}
		if !isGiven {
			return &Malformed{place + "." + name, "is missing"}
		}
		if err := decode(member, to.Field(i), place+"."+name); err != nil {
			return err
		}
		only := field.Tag.Get("only")
		if only != "" && fmt.Sprint(to.Field(i).Interface()) != only {
			return &Malformed{place + "." + name, "is not " + only}
		}
	}
	return nil
}

func plain(data []byte, to any, place string) error {
	if string(data) == "null" {
		return &Malformed{place, "is null"}
	}
	if err := json.Unmarshal(data, to); err != nil {
		return &Malformed{place, fmt.Sprintf("is not of its type: %v", err)}
	}
	return nil
}
"""


def written(model):
    lines = [HEAD % {"notice": NOTICE}]
    for each in model.types.values():
        lines += [*(words if isinstance(each, Words) else struct)(each), ""]
    lines.append(READER.strip())
    return "\n".join(lines) + "\n"


def words(each):
    yield from documentation(each)
    yield f"type {each.name} string"
    yield ""
    yield "const ("
    yield from aligned(
        [
            (each.name + pascal(word), each.name, f'= "{word}"', text)
            for word, text in each.words.items()
        ]
    )
    yield ")"


def struct(each):
    yield from documentation(each)
    yield f"type {each.name} struct {{"
    yield from aligned(
        [(name(each.name), annotation(each), tag(each), each.text) for each in each.members]
    )
    yield "}"
    yield ""
    yield "// UnmarshalJSON reads the object and checks its members."
    function = f"func (value *{each.name}) UnmarshalJSON(data []byte) error"
    yield f"{function} {{ return read(data, value) }}"


def documentation(each):
    """A comment that begins with the name, as Go's do."""
    text = each.text and f"{each.name}: {each.text[0].lower()}{each.text[1:]}"
    return comment(text, "// ")


def aligned(rows):
    """Lines in columns, as gofmt sets them: a comment begins a new block."""
    block = []
    for row in rows:
        if row[3]:
            yield from columns(block)
            yield from comment(row[3], "\t// ", 97)
            block = []
        block.append(row[:3])
    yield from columns(block)


def columns(rows):
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    for first, second, third in rows:
        yield f"\t{first:{widths[0]}} {second:{widths[1]}} {third}"


def name(member):
    """`absorbedIDs` and `ids` in Go's way: AbsorbedIDs, IDs."""
    initials = {"id": "ID", "ids": "IDs"}
    return "".join(initials.get(part, part.capitalize()) for part in parts(member))


def tag(member):
    options = "" if member.required else ",omitempty"
    only = member.type.constant
    return f'`json:"{member.name}{options}"' + (f' only:"{only}"`' if only is not None else "`")


def annotation(member):
    kind = plain(member.type)
    # Nothing is a nil slice or map; for other types a pointer says it.
    has_nothing = member.type.kind in ("list", "map", "anything")
    is_pointer = member.nullable or not (member.required or has_nothing)
    return f"*{kind}" if is_pointer else kind


def plain(kind):
    match kind.kind:
        case "list":
            return f"[]{plain(kind.item)}"
        case "map":
            return f"map[string]{plain(kind.item)}"
        case "words" | "object":
            return kind.name
    names = {"text": "string", "integer": "int64", "boolean": "bool"}
    return {**names, "anything": "json.RawMessage"}[kind.kind]
