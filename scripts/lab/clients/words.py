"""Names and comments in the style of each language."""

import re
import textwrap


def parts(name):
    """The words of a name: `absorbedIDs` is absorbed, ids."""
    return [part.lower() for part in re.findall(r"[A-Z]+s?$|[A-Z]?[a-z]+\d*|[A-Z]+|\d+", name)]


def snake(name):
    return "_".join(parts(name))


def pascal(name):
    """`not_understood` is NotUnderstood."""
    return "".join(part[0].upper() + part[1:] for part in re.split("[_ ]", name))


def sentence(text):
    """A description as a sentence."""
    return text and text[0].upper() + text[1:].removesuffix(".") + "."


def comment(text, prefix, width=100):
    """The lines of a comment, each behind a prefix."""
    if not text:
        return []
    return textwrap.wrap(
        sentence(text),
        width=width,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def block(text, indent, width=100):
    """A comment of TypeScript and PHP: in one line if it fits."""
    if not text:
        return []
    text = text.replace("*/", "* /")
    single = f"{indent}/** {sentence(text)} */"
    if len(single) <= width:
        return [single]
    return [f"{indent}/**", *comment(text, f"{indent} * ", width), f"{indent} */"]


# The first lines of every file.
NOTICE = "Generated from config/openapi.yaml by scripts/generate-clients. Do not edit"


def block_quotes(text, indent, width=100):
    """A comment of Python: in one line if it fits."""
    if not text:
        return []
    single = f'{indent}"""{sentence(text)}"""'
    if len(single) <= width:
        return [single]
    lines = comment(f'"""{text}', indent, width)
    return [*lines, f'{indent}"""']
