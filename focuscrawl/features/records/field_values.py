"""Values of a field in a text, by the type of the field (C7): telephone numbers as people print them
(lists, extensions, second numbers written short), mail, web, codes, names, addresses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.records.names import EDGES, POST_CODE, find_address, organisation
from focuscrawl.readers.text.dates import find_dates
from focuscrawl.values import LARGEST_COUNT

if TYPE_CHECKING:
    from focuscrawl.features.records.table import RecordField

Value = str | float

NOT_WORDS = re.compile(r"[\W_]+")
LONGEST_VALUE = 200  # characters of a value; a longer text is prose
PATTERN_SECONDS = 0.2  # a user's pattern may try for ever

# Words that stand where a value is missing.
NOTHING = re.compile(
    r"[\W_]*(?:null|none|nil|undefined|n/?a|暂无|暫無|无|無|没有|待定|待补充|未填写|不详|保密|x{3,}|請?输入.*|请.{0,4}填写.*|点击.*|查看.*)?[\W_]*",
    re.IGNORECASE,
)

EMAIL = re.compile(
    r"(?<![\w.+-])([a-z0-9][\w.+-]{0,63})(?:@|\s+@(?=\s)|\s*\[at\]|\s*\(at\)|\s*@(?=[\w-]+\.(?:com|cn|net|org)\b)|\s*#(?=[a-z0-9-]+\.(?:com|cn|net)\b))\s*"
    r"((?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,24})(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
_WEB_VALUE = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'，。、；（）()【】《》\u4e00-\u9fff]+"
    r"|(?<![\w.@/-])(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:com|cn|net|org|gov|edu|cc|top|vip|info|hk|tw|example)(?:\.[a-z]{2})?(?![\w@.-])(?:/[^\s，。；（）]*)?",
    re.IGNORECASE | re.ASCII,
)
ZIP = re.compile(r"(?<![\d-])\d{6}(?![\d-])")
QQ = re.compile(r"(?<![\d-])[1-9]\d{4,11}(?![\d-])")
WECHAT = re.compile(
    r"(?<![\w-])(?:[a-z][\w-]{5,19}|1[3-9]\d{9})(?![\w-])", re.IGNORECASE | re.ASCII
)
_VALUE_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
MYRIADS = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3}
CODE = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)[0-9A-Z][0-9A-Z-]{3,39}(?![\w-])", re.IGNORECASE | re.ASCII
)


class Found(NamedTuple):
    """A value: normalised, as printed, and the label it was found by ("" without one)."""

    value: Value
    raw: str
    label: str = ""


def squeezed(value: Value) -> str:
    """Return what two spellings of one value have in common: letters and digits."""
    return NOT_WORDS.sub("", str(value).lower())


OWN_DIGITS = 9  # last digits of a number that its country does not share with others


def one_number(one: str, other: str) -> bool:
    """Whether two numbers, squeezed, differ in their codes only: +44 1865 722410 and 01865 722410."""
    whole = min(len(one), len(other)) >= OWN_DIGITS and (one + other).isdigit()
    return one == other or (whole and one[-OWN_DIGITS:] == other[-OWN_DIGITS:])


def find_values(
    rule: RecordField, text: str, *, labelled: bool, timezone: str = "UTC", now: float | None = None
) -> list[Found]:
    """Return the values of a field in a text, in their order, each once.

    ``text`` is what stands behind a label (``labelled``) or a line of a block. ``timezone`` and
    ``now`` (wall seconds) are for dates.
    """
    text = text.strip(EDGES)[:LONGEST_VALUE]
    if not text or NOTHING.fullmatch(text):
        return []
    if rule.type == "date":
        dates = find_dates(text, timezone=timezone, now=now)
        hits = [Found(date.as_printed(), date.raw) for date in dates]
    else:
        hits = READERS[rule.type](text, labelled)
    found: dict[Value, Found] = {}
    for hit in hits:
        value = _matched(rule, hit.value)
        if value is not None and value not in found:
            found[value] = Found(value, " ".join(hit.raw.replace("\u200b", "").split()))
    return list(found.values())


def _matched(rule: RecordField, value: Value) -> Value | None:
    """Return the value by the field's pattern, None when it does not match."""
    if rule.pattern is None:
        return value
    try:
        match = rule.pattern.search(str(value), timeout=PATTERN_SECONDS)
    except TimeoutError:
        return None
    return str(match[1] if match.re.groups else value) if match is not None else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _phones(text: str, labelled: bool) -> list[Found]:
    return [Found(one.number, one.raw) for one in find_phones(text, labelled=labelled)]


def _mobiles(text: str, labelled: bool) -> list[Found]:
    found = find_phones(text, labelled=labelled)
    return [Found(one.number, one.raw) for one in found if one.mobile]


def _emails(text: str, labelled: bool) -> list[Found]:
    return [
        Found(f"{match[1]}@{match[2]}".replace(" ", "").lower(), match[0])
        for match in EMAIL.finditer(_plain(text.replace("\u200b", " ")))
    ]


def _urls(text: str, labelled: bool) -> list[Found]:
    found = []
    for match in _WEB_VALUE.finditer(_plain(text)):
        raw = match[0].rstrip(".,;:/'\"")
        scheme, _, rest = (raw if "://" in raw else f"http://{raw}").partition("://")
        host, slash, path = rest.partition("/")
        found.append(Found(f"{scheme.lower()}://{host.lower()}{slash or '/'}{path}", raw))
    return found


def _zips(text: str, labelled: bool) -> list[Found]:
    plain = _plain(text)
    return (_all(ZIP, plain) or _all(POST_CODE, plain))[:1] if labelled else []


def _qqs(text: str, labelled: bool) -> list[Found]:
    return _all(QQ, _plain(text)) if labelled else []


def _wechats(text: str, labelled: bool) -> list[Found]:
    return _all(WECHAT, _plain(text)) if labelled else []


def _numbers(text: str, labelled: bool) -> list[Found]:
    found = []
    plain = _plain(text) if labelled else ""
    for match in _VALUE_NUMBER.finditer(plain):
        value = float(match[0].replace(",", ""))
        value *= MYRIADS.get(plain[match.end() :].lstrip()[:1], 1.0)
        if abs(value) > LARGEST_COUNT:
            continue  # unknown: too many for a count
        found.append(Found(int(value) if value.is_integer() else value, match[0]))
    return found


def _codes(text: str, labelled: bool) -> list[Found]:
    found = _all(CODE, _plain(text)) if labelled else []
    return [Found(one.raw.upper(), one.raw) for one in found]


def _addresses(text: str, labelled: bool) -> list[Found]:
    address = find_address(text, labelled=labelled)
    return [Found(address, address)] if address else []


def _texts(text: str, labelled: bool) -> list[Found]:
    plain = " ".join(text.replace("\u200b", " ").split())
    if labelled:
        plain = re.split(r"[|｜;；。]|\s[-–—]\s", plain)[0].strip(EDGES)
        name = plain if any(map(str.isalnum, plain)) else ""
    else:
        name = organisation(plain)
    return [Found(name, name)] if name else []


def _all(pattern: re.Pattern[str], plain: str) -> list[Found]:
    return [Found(match[0], match[0]) for match in pattern.finditer(plain)]


READERS: dict[str, Callable[[str, bool], list[Found]]] = {
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


# Telephone numbers -----------------------------------------------------------------------------

_LONGEST_NUMBERS = 240  # characters of a text in which numbers are looked for
REGION = "CN"
ENOUGH_DIGITS = re.compile(r"(?:\d[\s()./*-]*){5}")
DASHES = re.compile(r"[‐-―−_~\u200b\ufe63]")
EXTENSION = re.compile(
    r"\s*(?:转|轉|分机|分機|ext\.?|#|-|－)\s*[:：]?\s*(\d{1,5})(?!\d|-\d)", re.IGNORECASE
)
SHORT_SECOND = re.compile(r"\s*[/、,，;；或和及 ]\s*(\d{7,8})(?![\d-])")
LAST_DIGITS = re.compile(r"\s*/\s*(\d{1,4})(?!\s?[\d-])")
GLUED = re.compile(r"(0\d{2,3}-?\d{7,8})(?=1[3-9]\d)")
# A blank before what begins another number.
BEFORE_NEXT = re.compile(
    r"(?<=\d)(?<!\b86)(?<!\b1[3-9]\d)(?<!\b[48]00)\s+(?=\(?0[1-9]\d{1,2}\)?[ -]?\d{4}|1[3-9]\d[ -]?\d{4}|[48]00\d?[ -]?\d{2,3}[ -]?\d{3})"
)

# A dash with blanks before a whole number: +39 02 48714236 - 0323 569627.
DASHED_APART = re.compile(r"(?<=\d{4})\s+[-/]\s+(?=\+\d|0\d{1,4}[ /-]?\d{5})")

BARE = re.compile(r"(?<![\d-])[2-8]\d{6,7}(?![\d-])")
SERVICE = re.compile(r"(?<![\d-])(?:95\d{3}|96\d{3,4}|123\d\d|12580|10086|10010|10000)(?![\d-])")
ABROAD = re.compile(
    r"(?<![\d-])(?:\+\s*0?|00)?(\d{1,3}[ -]\(?\d{1,4}\)?(?:[ -]\d{2,5}){1,3})(?![\d-])"
)
IN_WRITING = re.compile(r"(?<![\d.])\(?\d{3,4}\)?[ .-]{1,2}\d{3,4}[ .-]\d{3,4}(?![\d.])")
# As other countries group them behind a label: 03 88 36 22 17, 8 (495) 789-11-22, 02-862-4410.
GROUPED = re.compile(
    r"(?<![\w.)-])(?:\+|00)?\(?\d{1,5}\)?(?:(?:[ ./-]{1,3}|(?<=\)))\(?\d{2,7}\)?){1,6}(?![\w-]|\.\d)"
)
# As German printers space them, in twos from the end: (0 72 22) 9 14 99 - 00.
SPACED = re.compile(r"\(0\d{0,3}(?: \d{1,3}){1,3}\)(?: ?\d{1,3}){2,6}(?: ?- ?\d{1,4})?(?![\d-])")
FEWEST_DIGITS, MOST_DIGITS = 7, 15  # of a number with its code; no plan of numbers (E.164) has more
DATE_LIKE = re.compile(
    r"\b(?:19|20)\d\d[-./ ](?:\d{1,2}|(?:19|20)\d\d)\b|\b\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d\b|\b\d{1,2}\.\d\d ?- ?\d{1,2}\.\d\d\b"
)
COUNTRIES = frozenset("17")  # codes of one digit; 8 is what Russians dial before a number
WITHOUT_CODE = re.compile(
    r"(?<=\d)[ -]?\(0\)[ -]?"
)  # +49 (0) 7031: the zero is not dialled from abroad
# As North America writes them; the library would take the code of its area for one of China's.
_AMERICAN = re.compile(r"\(?(?![48]00)[2-9]\d\d\)?[ .-]{1,2}\d{3}[.-]\d{4}")
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
    plain = DASHES.sub(
        lambda match: " " if match[0] == "\u200b" else "-", _plain(text[:_LONGEST_NUMBERS])
    )
    if not ENOUGH_DIGITS.search(plain):
        return []
    plain = DASHED_APART.sub(";", plain)
    plain = BEFORE_NEXT.sub(";", GLUED.sub(r"\1 ", WITHOUT_CODE.sub(" ", plain)))
    if labelled:
        plain = SPACED.sub(lambda match: match[0].replace(" ", ""), plain)
    found = list(_valid(plain))
    if not labelled:
        return list(_written_as_ones(plain, found))
    taken = [(phone.start, phone.end) for phone in found]
    for pattern in (ABROAD, BARE, SERVICE, IN_WRITING, GROUPED):
        for match in pattern.finditer(plain):
            if pattern is GROUPED and not _is_number(match[0]):
                continue
            if all(match.end() <= start or match.start() >= end for start, end in taken):
                phone = _odd(match, pattern)
                if pattern is GROUPED and (more := EXTENSION.match(plain, match.end())):
                    phone = phone._replace(number=f"{phone.number}-{more[1]}", end=more.end())
                found.append(phone)
                taken.append((phone.start, phone.end))
    return sorted(found, key=lambda phone: phone.start)


def _written_as_ones(plain: str, found: Sequence[Phone]) -> Iterator[Phone]:
    """Go through the numbers that show by themselves what they are: an order number may be valid by
    chance. Of a second one, printed without its code, the first is judged.
    """
    good = False
    for phone in found:
        if len(NOT_WORDS.sub("", phone.raw)) > len(NOT_WORDS.sub("", phone.number)) - 3:
            named = NAMED_NUMBER.match(plain, phone.end)
            good = not named and AS_PHONE.match(phone.raw) is not None
        if good:
            yield phone


def _is_number(raw: str) -> bool:
    """Whether groups of digits are as many as a number abroad has, and no date."""
    digits = sum(map(str.isdigit, raw))
    return FEWEST_DIGITS <= digits <= MOST_DIGITS and not DATE_LIKE.search(raw)


@lru_cache(maxsize=4_096)
def _valid(plain: str) -> tuple[Phone, ...]:
    """Return the numbers that the library takes; a number stands in several rows and fields of a page."""
    return tuple(_numbers_in(plain))


def _numbers_in(plain: str) -> Iterator[Phone]:
    import phonenumbers  # noqa: PLC0415 - its tables take a while to load, few crawls need them

    numbers = phonenumbers.PhoneNumberMatcher(
        _without_extensions(plain), REGION, leniency=phonenumbers.Leniency.VALID
    )
    for match in numbers:
        if _AMERICAN.fullmatch(match.raw_string):
            continue
        number, kind = match.number, phonenumbers.number_type(match.number)
        mobile = kind == phonenumbers.PhoneNumberType.MOBILE
        end = match.end
        national = phonenumbers.national_significant_number(number)
        area = phonenumbers.length_of_geographical_area_code(number)
        written = _written(number.country_code or 0, national, area, mobile=mobile)
        extension = number.extension or ""
        if not extension and not mobile and (more := EXTENSION.match(plain, end)):
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
    abroad = pattern is ABROAD and (raw.startswith(("+", "00")) or first in COUNTRIES)
    number = f"+{first} {rest}" if abroad else digits
    return Phone(number, raw, False, match.start(), match.end())
