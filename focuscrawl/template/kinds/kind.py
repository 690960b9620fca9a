"""The kinds of values a template holds: how each is read, checked and compiled.

``read`` takes a TOML value and returns the plain JSON value that is stored with a run (still in
the template's notation), or raises Invalid. ``build`` turns a plain value into what code uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import jmespath
from cssselect import SelectorError
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from focuscrawl.locale.messages import N_, _
from focuscrawl.template.files import Reach
from focuscrawl.template.toml import toml_text
from focuscrawl.values import Json, Selector

DECIMAL = re.compile(r"\d+(?:\.\d+)?")
NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
ONE_LINE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*"
ONE_LINE_ADVICE = N_("one line of plain text, without control characters")
"""What stands in subjects of mails, in terminals and file names: nothing may end a line or turn it around."""

NAME_ADVICE = N_("a name is made of a-z 0-9 - _, at most 64, and begins with a letter or digit")
"""Names of topics and engines."""

ELLIPSIS = "..."
"""An entry that stands for the inherited list."""


class Invalid(ValueError):
    """A value that cannot be used. ``value`` is the part of it that is wrong."""

    def __init__(self, message: str, value: object) -> None:
        super().__init__(message)
        self.value = value


def itself(plain: Any) -> Any:
    """Build nothing: the plain value is what code uses."""
    return plain


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """What values are built with besides themselves: the folder and timezone of the template.

    Without an ``environment`` secrets stay out; ``reach`` is where an inline template may read.
    """

    folder: Path = field(default_factory=Path)
    timezone: tzinfo = UTC
    environment: Mapping[str, str] | None = None
    reach: Reach | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value. ``words`` is what documentation calls it.

    ``entry`` is the kind of a list's entries (and ``build`` takes the list); ``groups`` tells that
    entries are word groups, in which files may stand for synonyms. ``table`` tells that values are
    tables that merge key by key when a template extends another. ``missing`` is what code gets when
    nothing is given. ``located`` builds what depends on more than the value, None included.
    ``secret`` tells that a value, or each entry of a table or list, may name a secret.
    """

    words: str
    read: Callable[[object], Any]
    schema: Json
    build: Callable[[Any], Any] = itself
    entry: Kind | None = None
    groups: bool = False
    table: bool = False
    missing: Any = None
    located: Callable[[Any, KeyPlace], Any] | None = None
    secret: bool = False

    def value(self, plain: Any, place: KeyPlace) -> Any:
        """Return what code uses for a plain value; None is ``missing``, or an empty list."""
        if self.located is not None:
            return self.located(plain, place)
        if plain is None:
            return self.missing if self.entry is None else self.build([])
        return self.build(plain)


def text(words: str = "text", pattern: str = "", advice: str = "") -> Kind:
    """A text; with ``pattern`` it must match all of it, else ``advice`` is the error."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise Invalid(_("a text in quotes: {value}").format(value=toml_text(str(value))), value)
        if pattern and not re.fullmatch(pattern, value):
            raise Invalid(_(advice), value)
        return value

    return Kind(
        words, read, {"type": "string", **({"pattern": pattern} if pattern else {})}, missing=""
    )


def beside() -> Kind:
    """A file named as it lies beside the template; built as its path, None when none is named."""

    def located(plain: str | None, place: KeyPlace) -> Path | None:
        return place.folder / Path(plain).expanduser() if plain else None

    return replace(text("path"), located=located)


def choice(*allowed: str) -> Kind:
    """One of several texts."""

    def read(value: object) -> str:
        if value in allowed:
            return str(value)
        near = get_close_matches(str(value).lower(), allowed, 1)
        hint = _('; nearest: "{name}"').format(name=near[0]) if near else ""
        names = ", ".join(f'"{name}"' for name in allowed)
        raise Invalid(_("one of {names}").format(names=names) + hint, value)

    return Kind("choice: " + ", ".join(allowed), read, {"enum": list(allowed)})


def flag() -> Kind:
    """true or false."""

    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise Invalid(_("true or false, without quotes"), value)
        return value

    return Kind("bool", read, {"type": "boolean"})


def whole(least: int = 0, most: int | None = None) -> Kind:
    """A whole number in a range."""
    span = f"{least}..{most}" if most is not None else f"from {least}"

    def read(value: object) -> int:
        told = _("a whole number {least}..{most}")
        if most is None:
            told = _("a whole number from {least}")
        if isinstance(value, bool) or not isinstance(value, int):
            told = _("{number}, without quotes").format(number=told)
            raise Invalid(told.format(least=least, most=most), value)
        if value < least or (most is not None and value > most):
            raise Invalid(told.format(least=least, most=most), value)
        return value

    limit = {} if most is None else {"maximum": most}
    words = "int" if most is None else f"int {span}"
    return Kind(words, read, {"type": "integer", "minimum": least, **limit})


def share() -> Kind:
    """A share from 0 to 1; never a percentage."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            found = DECIMAL.match(str(value))
            percent = float(found[0]) if found else 0.0
            hint = _(", such as 0.3")
            if 1 < percent <= 100:
                hint = f": {percent / 100:g}"
            raise Invalid(_("a share is a number from 0 to 1{hint}").format(hint=hint), value)
        return value

    return Kind("share", read, {"type": "number", "minimum": 0, "maximum": 1}, float)


def either(literal: str, other: Kind, built: object = None) -> Kind:
    """One fixed text (built as ``built``), or another kind."""

    def read(value: object) -> Any:
        if value == literal:
            return value
        try:
            return other.read(value)
        except Invalid as error:
            raise Invalid(
                _('"{literal}" or {error}').format(literal=literal, error=error), error.value
            ) from None

    def build(plain: Any) -> Any:
        return built if plain == literal else other.build(plain)

    schema = {"anyOf": [{"const": literal}, other.schema]}
    return Kind(f'"{literal}" | {other.words}', read, schema, build)


def listed(entry: Kind, words: str, build: Callable[[Any], Any] = tuple) -> Kind:
    """A list of an entry kind; a single value may stand alone, ``"..."`` is kept for merging."""

    def read(value: object) -> list[Any]:
        entries = value if isinstance(value, list) else [value]
        return [one if one == ELLIPSIS else entry.read(one) for one in entries]

    def unescaped(plain: list[Any]) -> Any:
        return build([one[1:] if str(one)[:2] == "@@" else one for one in plain])

    schema = {"anyOf": [entry.schema, {"type": "array", "items": entry.schema}]}
    return Kind(words, read, schema, unescaped, entry)


def checked(words: str, check: Callable[[str], str], build: Callable[[Any], Any] = itself) -> Kind:
    """A text that ``check`` returns in its normal form, or raises ValueError."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise Invalid(_("a text in quotes ({words})").format(words=words), value)
        try:
            return check(value.strip())
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(str(error), value) from None

    missing = "" if build is itself else None
    return Kind(words, read, {"type": "string"}, build, missing=missing)


def as_written(parse: Callable[[str], object]) -> Callable[[str], str]:
    """Return a check that keeps a text as it is written, when ``parse`` raises no ValueError."""

    def check(value: str) -> str:
        parse(value)
        return value

    return check


def encoding() -> Kind:
    """The name of an encoding Python knows."""

    def read(value: object) -> str:
        try:
            "".encode(str(value))  # rot13 and zip are codecs, too, but of no text
        except (LookupError, ValueError):
            raise Invalid(_('an encoding: "utf-8", "utf-8-sig" or "gb18030"'), value) from None
        return str(value)

    return Kind("text", read, {"type": "string"}, missing="")


LANGUAGES = ("css", "xpath", "json")


_EXAMPLES = {"css": "css:h3 a::attr(href)", "xpath": "xpath://h3/a/@href", "json": "json:results"}


def selector(languages: Sequence[str] = LANGUAGES) -> Kind:
    """A place in an answer, compiled once to see that it can be; built as values.Selector."""
    return checked("selector", lambda value: check_selector(value, languages), _selector)


def check_selector(value: str, languages: Sequence[str] = LANGUAGES) -> str:
    """Return a selector as written, in one of the languages; raises ValueError."""
    language, mark, expression = value.partition(":")
    expression = expression.strip()
    if not mark or language not in languages or not expression:
        forms = " or ".join(f'"{_EXAMPLES[one]}"' for one in languages)
        raise ValueError(_("a selector says its language: {forms}").format(forms=forms))
    try:
        if language == "css":
            HTMLTranslator().css_to_xpath(expression)
        elif language == "xpath":
            etree.XPath(expression)
        else:
            jmespath.compile(expression)
    except (SelectorError, etree.XPathError, JMESPathError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            _("not {kind}: {reason}").format(kind=_(_names[language]), reason=reason)
        ) from None
    return value


_names = {"css": N_("a CSS selector"), "xpath": "XPath", "json": "JMESPath"}


def _selector(plain: str) -> Selector:
    language, _, expression = plain.partition(":")
    return Selector(language, expression.strip())
