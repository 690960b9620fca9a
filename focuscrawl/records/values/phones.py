"""Telephone numbers as people print them: lists, extensions, second numbers written short (C7)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST = 240
"""Characters of a text in which numbers are looked for."""

REGION = "CN"
ENOUGH_DIGITS = re.compile(r"(?:\d[\s()./*-]*){5}")
DASHES = re.compile(r"[‐-―−_~\u200b\ufe63]")
_EXTENSION = re.compile(
    r"\s*(?:转|轉|分机|ext\.?|#|-|－)\s*[:：]?\s*(\d{1,5})(?!\d|-\d)", re.IGNORECASE
)
SHORT_SECOND = re.compile(r"\s*[/、,，;；或和及 ]\s*(\d{7,8})(?![\d-])")
LAST_DIGITS = re.compile(r"\s*/\s*(\d{1,4})(?!\s?[\d-])")
GLUED = re.compile(r"(0\d{2,3}-?\d{7,8})(?=1[3-9]\d)")
BEFORE_NEXT = re.compile(
    r"(?<=\d)(?<!\b86)(?<!\b1[3-9]\d)(?<!\b[48]00)\s+(?=\(?0[1-9]\d{1,2}\)?[ -]?\d{4}|1[3-9]\d[ -]?\d{4}|[48]00\d?[ -]?\d{2,3})"
)
"""A blank before what begins another number."""

BARE = re.compile(r"(?<![\d-])[2-8]\d{6,7}(?![\d-])")
SERVICE = re.compile(r"(?<![\d-])(?:95\d{3}|96\d{3,4}|123\d\d|12580|10086|10010|10000)(?![\d-])")
ABROAD = re.compile(
    r"(?<![\d-])(?:\+\s*0?|00)?(\d{1,3}[ -]\(?\d{1,4}\)?(?:[ -]\d{2,5}){1,3})(?![\d-])"
)
IN_WRITING = re.compile(r"(?<!\d)\d{3,4}[ -]\d{3,4}[ -]\d{3,4}(?!\d)")


AS_PHONE = re.compile(r"[(+]|00?\d\d|(?:86)?[ -]?1[3-9]\d|[48]00")
NAMED_NUMBER = re.compile(r"\s?[号號]")


class Phone(NamedTuple):
    """A number: ``028-85556666-8001``, ``13812345678``, ``400-123-4567``, ``+1 416-330-3117``."""

    number: str
    raw: str
    mobile: bool
    start: int
    end: int


def find_phones(text: str, *, labelled: bool) -> list[Phone]:
    """Return the numbers in a text, in their order.

    Only valid ones; where a label says that it is a number, also those that are valid nowhere
    since something is left out or added: local numbers, service numbers, odd country codes.
    """
    plain = DASHES.sub(_blank, unicodedata.normalize("NFKC", text[:_LONGEST]))
    if not ENOUGH_DIGITS.search(plain):
        return []
    plain = BEFORE_NEXT.sub(";", GLUED.sub(r"\1 ", plain))
    found = list(_valid(plain))
    if not labelled:
        return [phone for phone in found if _is_written_as_one(plain, phone)]
    taken = [(phone.start, phone.end) for phone in found]
    for pattern in (ABROAD, BARE, SERVICE, IN_WRITING):
        for match in pattern.finditer(plain):
            if all(match.end() <= start or match.start() >= end for start, end in taken):
                phone = _odd(match, pattern)
                found.append(phone)
                taken.append((phone.start, phone.end))
    return sorted(found, key=lambda phone: phone.start)


def _blank(match: re.Match[str]) -> str:
    return " " if match[0] == "\u200b" else "-"


def _is_written_as_one(plain: str, phone: Phone) -> bool:
    """Whether a number shows by itself what it is: an order number may be valid by chance."""
    if phone.raw != plain[phone.start : phone.end] or NAMED_NUMBER.match(plain, phone.end):
        return phone.raw != plain[phone.start : phone.end]  # a second one: the first was judged
    return AS_PHONE.match(phone.raw) is not None


def _valid(plain: str) -> Iterator[Phone]:
    import phonenumbers  # noqa: PLC0415 - its tables take a while to load, few crawls need them

    numbers = phonenumbers.PhoneNumberMatcher(
        _without_extensions(plain), REGION, leniency=phonenumbers.Leniency.VALID
    )
    for match in numbers:
        number, kind = match.number, phonenumbers.number_type(match.number)
        mobile = kind == phonenumbers.PhoneNumberType.MOBILE
        end = match.end
        national = phonenumbers.national_significant_number(number)
        area = phonenumbers.length_of_geographical_area_code(number)
        written = _written(number.country_code or 0, national, area, mobile=mobile)
        extension = number.extension or ""
        if not extension and not mobile and (more := _EXTENSION.match(plain, end)):
            extension, end = more[1], more.end()
        if extension:
            written = f"{written}-{extension}"
        yield Phone(written, plain[match.start : end], mobile, match.start, end)
        yield from _seconds(plain, written, national[:area], end)


def _without_extensions(plain: str) -> str:
    """Blank out ``-8001`` after a whole number: the library takes none of it then."""
    return re.sub(
        r"(?<!\d)(\(?0\d{2,3}\)?[- ]?\d{7,8})(-\d{1,5})(?!\d|-)",
        lambda match: match[1] + " " * len(match[2]),
        plain,
    )


def _written(country: int, national: str, area: int, *, mobile: bool) -> str:
    if country != 86:
        import phonenumbers  # noqa: PLC0415

        parsed = phonenumbers.parse(f"+{country}{national}")
        return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    if area:
        return f"0{national[:area]}-{national[area:]}"
    if mobile or len(national) != 10:
        return national
    return f"{national[:3]}-{national[3:6]}-{national[6:]}"


def _seconds(plain: str, written: str, area: str, end: int) -> Iterator[Phone]:
    """Further numbers of the same place without its code: ``028-85551111 85552222``, ``…11/12``."""
    while area:
        if match := SHORT_SECOND.match(plain, end):
            written = f"0{area}-{match[1]}"
        elif match := LAST_DIGITS.match(plain, end):
            written = written[: -len(match[1])] + match[1]
        else:
            return
        end = match.end()
        yield Phone(written, match[1], False, match.start(1), end)


def _odd(match: re.Match[str], pattern: re.Pattern[str]) -> Phone:
    raw = match[0].strip()
    digits = re.sub(r"\D+", "-", match[1] if pattern is ABROAD else raw).strip("-")
    first, _, rest = digits.partition("-")
    abroad = pattern is ABROAD and (raw.startswith(("+", "00")) or len(first) == 1)
    number = f"+{first} {rest}" if abroad else digits
    return Phone(number, raw, False, match.start(), match.end())
