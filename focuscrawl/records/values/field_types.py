"""Values of a field in a text, by the type of the field (C7)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from focuscrawl.records.rules import FieldRule, Found, Value
from focuscrawl.records.values.addresses import POST_CODE, find_address
from focuscrawl.records.values.names import EDGES, organisation
from focuscrawl.records.values.phones import find_phones
from focuscrawl.text.dates import find_dates
from focuscrawl.values import LARGEST_COUNT

LONGEST_VALUE = 200
"""Characters of a value; a longer text is prose."""

PATTERN_SECONDS = 0.2

NOTHING = re.compile(
    r"[\W_]*(?:null|none|nil|undefined|n/?a|暂无|暫無|无|無|没有|待定|待补充|未填写|不详|保密|x{3,}|請?输入.*|请.{0,4}填写.*|点击.*|查看.*)?[\W_]*",
    re.IGNORECASE,
)
"""Words that stand where a value is missing."""

EMAIL = re.compile(
    r"(?<![\w.+-])([a-z0-9][\w.+-]{0,63})\s*(?:@|\[at\]|\(at\)|#(?=[a-z0-9-]+\.(?:com|cn|net)\b))\s*"
    r"((?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,24})(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
_WEB = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'，。、；（）()【】《》\u4e00-\u9fff]+"
    r"|(?<![\w.@/-])(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:com|cn|net|org|gov|edu|cc|top|vip|info|hk|tw|example)(?:\.[a-z]{2})?(?![\w@.-])(?:/[^\s，。；（）]*)?",
    re.IGNORECASE | re.ASCII,
)
ZIP = re.compile(r"(?<![\d-])\d{6}(?![\d-])")
QQ = re.compile(r"(?<![\d-])[1-9]\d{4,11}(?![\d-])")
WECHAT = re.compile(
    r"(?<![\w-])(?:[a-z][\w-]{5,19}|1[3-9]\d{9})(?![\w-])", re.IGNORECASE | re.ASCII
)
_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
MYRIADS = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3}
CODE = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)[0-9A-Z][0-9A-Z-]{3,39}(?![\w-])", re.IGNORECASE | re.ASCII
)


class _Hit(NamedTuple):
    """A value in a text: normalised, as printed, and its span."""

    value: Value
    raw: str
    start: int
    end: int


def find_values(
    rule: FieldRule, text: str, *, labelled: bool, timezone: str = "UTC", now: float | None = None
) -> list[Found]:
    """Return the values of a field in a text, in their order; one is enough unless ``many``.

    ``text`` is what stands behind a label (``labelled``) or a line of a block. ``timezone`` and
    ``now`` are for dates.
    """
    text = text.strip(EDGES)[:LONGEST_VALUE]
    if not text or NOTHING.fullmatch(text):
        return []
    if rule.type == "date":
        dates = find_dates(text, timezone=timezone, now=now)
        hits = [_Hit(date.as_printed(), date.raw, date.start, date.start) for date in dates]
    else:
        hits = READERS[rule.type](text, labelled)
    found: list[Found] = []
    for hit in hits:
        value = _matched(rule, hit)
        if value is not None and all(value != one.value for one in found):
            found.append(Found(value, " ".join(hit.raw.replace("\u200b", "").split())))
    return found


def _matched(rule: FieldRule, hit: _Hit) -> Value | None:
    """Return the value by the field's pattern, None when it does not match."""
    if rule.pattern is None:
        return hit.value
    try:
        match = rule.pattern.search(str(hit.value), timeout=PATTERN_SECONDS)
    except TimeoutError:
        return None
    if match is None:
        return None
    return str(match[1] if match.re.groups else hit.value)


def _phones(text: str, labelled: bool) -> list[_Hit]:
    return [
        _Hit(one.number, one.raw, one.start, one.end)
        for one in find_phones(text, labelled=labelled)
    ]


def _mobiles(text: str, labelled: bool) -> list[_Hit]:
    found = find_phones(text, labelled=labelled)
    return [_Hit(one.number, one.raw, one.start, one.end) for one in found if one.mobile]


def _emails(text: str, labelled: bool) -> list[_Hit]:
    plain = unicodedata.normalize("NFKC", text.replace("\u200b", " "))
    return [
        _Hit(f"{match[1]}@{match[2]}".replace(" ", "").lower(), match[0], *match.span())
        for match in EMAIL.finditer(plain)
    ]


def _urls(text: str, labelled: bool) -> list[_Hit]:
    found = []
    for match in _WEB.finditer(unicodedata.normalize("NFKC", text)):
        raw = match[0].rstrip(".,;:/'\"")
        value = raw if "://" in raw else f"http://{raw}"
        scheme, _, rest = value.partition("://")
        host, slash, path = rest.partition("/")
        found.append(
            _Hit(f"{scheme.lower()}://{host.lower()}{slash or '/'}{path}", raw, *match.span())
        )
    return found


def _zips(text: str, labelled: bool) -> list[_Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    found = _all(ZIP, plain) or _all(POST_CODE, plain)
    return found[:1]


def _qqs(text: str, labelled: bool) -> list[_Hit]:
    return _all(QQ, unicodedata.normalize("NFKC", text)) if labelled else []


def _wechats(text: str, labelled: bool) -> list[_Hit]:
    return _all(WECHAT, unicodedata.normalize("NFKC", text)) if labelled else []


def _numbers(text: str, labelled: bool) -> list[_Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    found = []
    for match in _NUMBER.finditer(plain):
        value = float(match[0].replace(",", ""))
        value *= MYRIADS.get(plain[match.end() :].lstrip()[:1], 1.0)
        if abs(value) > LARGEST_COUNT:
            continue  # unknown: what it counts nobody has so many of
        found.append(_Hit(int(value) if value.is_integer() else value, match[0], *match.span()))
    return found


def _codes(text: str, labelled: bool) -> list[_Hit]:
    if not labelled:
        return []
    plain = unicodedata.normalize("NFKC", text)
    return [hit._replace(value=str(hit.value).upper()) for hit in _all(CODE, plain)]


def _addresses(text: str, labelled: bool) -> list[_Hit]:
    address = find_address(text, labelled=labelled)
    return [_Hit(address, address, 0, len(address))] if address else []


def _texts(text: str, labelled: bool) -> list[_Hit]:
    plain = " ".join(text.replace("\u200b", " ").split())
    if labelled:
        plain = re.split(r"[|｜;；。]|\s[-–—]\s", plain)[0].strip(EDGES)
        if not plain or not any(character.isalnum() for character in plain):
            return []
        return [_Hit(plain, plain, 0, len(plain))]
    name = organisation(plain)
    return [_Hit(name, name, 0, len(name))] if name else []


def _all(pattern: re.Pattern[str], plain: str) -> list[_Hit]:
    return [_Hit(match[0], match[0], *match.span()) for match in pattern.finditer(plain)]


READERS: dict[str, Callable[[str, bool], list[_Hit]]] = {
    "text": _texts,
    "phone": _phones,
    "mobile": _mobiles,
    "fax": _phones,
    "email": _emails,
    "url": _urls,
    "zip": _zips,
    "qq": _qqs,
    "wechat": _wechats,
    "address": _addresses,
    "number": _numbers,
    "code": _codes,
}
