"""Makes a page of the argument parser's generator one that man(1) and whatis(1) take.

usage: manual.py PAGE NAME

The generator writes `.Nm "ipnd send"` and refers to `ipnd.send 1`; the name of a page is one word,
`ipnd-send`, as git has it. Paragraphs and lists of the help are empty and indented lines there,
which mdoc(7) has requests for.
"""

import re
import sys

# `help` has no page.
HIDDEN = ("help",)


def main():
    path, name = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^\.Dt \S+ 1$", f".Dt {name.upper()} 1", text, flags=re.MULTILINE)
    # Only the name's own section; the synopsis shows the command as it is typed.
    text = re.sub(r'^\.Nm "?ipnd[^"\n]*"?$', f".Nm {name}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^\.Nm$", f'.Nm "{name.replace("-", " ")}"', text, flags=re.MULTILINE)
    sys.stdout.write("\n".join(lines(text.split("\n"))))


def lines(source):
    """The page's lines, with mdoc's requests for what is laid out by spaces."""
    references = []
    literal = False
    for line in source[:-1]:
        reference = re.match(r"\.Xr ipnd\.([\w.]+)", line)
        if reference:
            references.append(reference[1].replace(".", "-"))
            continue
        if literal and not line.startswith("  "):
            literal = False
            yield ".Ed"
        if line.startswith("  ") and not literal:
            literal = True
            yield ".Bd -literal -offset indent"
        yield line if line else ".Pp"
    shown = [name for name in references if name not in HIDDEN]
    for number, name in enumerate(shown):
        yield f".Xr ipnd-{name} 1" + (" ," if number + 1 < len(shown) else "")
    yield ""


if __name__ == "__main__":
    main()
