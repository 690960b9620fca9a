"""The notation of word groups: ``地铁|城轨^2`` is two synonyms of weight 2."""

from __future__ import annotations

import re
from typing import NamedTuple

import regex

from focuscrawl.topic.variants import fold_text

EXPRESSION = "re:"
WEIGHT = re.compile(r"(?<!\^)(?:\^\^)*\^(\d+(?:\.\d+)?)$")
TOKEN = re.compile(r"\|\||\^\^|\*\*|\||\^|\*|[^|^*]+")


class WordError(ValueError):
    """A word group that cannot be read; the message says why and what to write."""


class Synonym(NamedTuple):
    """One way to say it. ``parts`` are literal texts; between two of them stands a ``*``."""

    written: str
    parts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The form in which two spellings of the same synonym are equal."""
        return "*".join(fold_text(part) for part in self.parts)


class Group(NamedTuple):
    """Synonyms that mean the same, or one regular expression, with a common weight."""

    written: str
    weight: float
    synonyms: tuple[Synonym, ...]
    expression: str = ""

    @property
    def name(self) -> str:
        """The first synonym, which stands for the group in reports."""
        return self.synonyms[0].written if self.synonyms else self.written


def parse_group(entry: str) -> Group:
    """Read one group; raises WordError."""
    body, weight = split_weight(entry.strip())
    if body.startswith(EXPRESSION):
        expression = body.removeprefix(EXPRESSION)
        try:
            regex.compile(expression)
        except regex.error as error:
            raise WordError(f"not a regular expression: {error}") from error
        return Group(body, weight, (), expression)
    return Group(body, weight, tuple(_synonym(text) for text in split_synonyms(body)))


def split_weight(entry: str) -> tuple[str, float]:
    """Take the weight off the end of a group; without one it is 1."""
    found = WEIGHT.search(entry)
    if not found:
        return entry, 1.0
    return entry[: found.start(1) - 1].strip(), float(found[1])


def split_synonyms(body: str) -> list[str]:
    """Split at each single ``|``; doubled signs stay as written."""
    synonyms = [""]
    for token in TOKEN.findall(body):
        if token == "|":  # noqa: S105 - a sign, not a password
            synonyms.append("")
        else:
            synonyms[-1] += token
    return [synonym.strip() for synonym in synonyms]


def _synonym(written: str) -> Synonym:
    if written.startswith(EXPRESSION):
        raise WordError("re: stands for a whole group; make it an entry of its own")
    parts = [""]
    for token in TOKEN.findall(written.removeprefix("@") if written[:2] == "@@" else written):
        if token == "*":  # noqa: S105
            parts.append("")
        elif token == "^":  # noqa: S105
            raise WordError(
                "the weight is one number at the end of the group, as in 地铁|城轨^2;"
                " a literal ^ is written ^^"
            )
        else:
            parts[-1] += token[0] if token in {"||", "^^", "**"} else token
    if not any(fold_text(part) for part in parts):
        raise WordError("an empty synonym; a literal | is written ||")
    if not all(fold_text(part) for part in parts[1:-1]):
        raise WordError("two * in a row; a literal * is written **")
    return Synonym(written, tuple(parts))
