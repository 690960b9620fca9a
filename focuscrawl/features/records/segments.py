"""Labels and values inside one line: ``电话：028-85550000 传真：028-85550001`` has two of each (C7)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.records.field_values import find_values
from focuscrawl.features.records.labels import Label
from focuscrawl.features.records.lines import CUES, INPUT, JOINT
from focuscrawl.features.records.names import DIGIT, SENTENCE
from focuscrawl.readers.text.characters import to_simplified

if TYPE_CHECKING:
    from focuscrawl.features.records.table import FieldType, RecordTable

LONGEST_QUALIFIER = 8  # Han characters before a label that still belong to it: 全国招聘热线
LONGEST_BESIDE = 24  # characters of a text that only a blank parts from its label: 联系人 王女士
LONGEST_BARE = 18  # characters of a line that is a label and nothing else
_AFTER = re.compile(
    r"(?:番?号码?|番?號碼?|[一二三四五1-5](?=\s*[:：]))?"
    r"(?:[\s\u200b]*[（(【\[][^（()）】\]:：]{0,14}[）)】\]](?!\s*[\w]))?"
    r"(?P<blank>[\s\u200b*]*)(?P<sign>[:：﹕∶︰]|[】\]〕」>»]\s*[:：]?|[|｜]|[-–—=_.…/]{1,6}(?=[\s\u200b\d(（+])|$)?"
)
QUALIFIER = re.compile(
    rf"(?:\d{{1,2}}\s?小时|7\s?[*x×]\s?24)?[\u4e00-\u9fff]{{1,{LONGEST_QUALIFIER}}}[-·]?$"
)
LATIN_QUALIFIER = re.compile(r"(?:(?<=^)|(?<=[\s\u200b/|]))(?:[A-Za-z]+ ){1,2}$")
OWN_NAME = re.compile(r"(?:本|我|总|分|子|公司|单位|企业|机构|商家|店|厂|客户)+$")
_JOINING = re.compile(r"[\s\u200b/／|&、和及与（(*]*$")
_UNKNOWN_LABEL = re.compile(
    r"(?:(?<=^)|(?<=[\s\u200b、，,;；|）)/。])|(?<=\d[.．])|(?<=\d\u200b[.．]))"
    r"(?P<label>(?:[（(][\u4e00-\u9fff]{2,8}[）)])?[^\W\d_](?:[^\W_]|[ ·/（）()-]){0,17}?)[\s\u200b]*[:：](?!//|\d\d\b)"
)
COLON = re.compile("[:：]")
_NUMBERED = re.compile(
    r"[（(]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})[、.．）)]?"
)  # the number of an entry in a list
# Names the makers of the site; what follows is about them.
_WORDS_OF_OTHERS = re.compile(
    r"(?:技术支持|网站建设|网站制作|网站设计|网页设计|设计制作|制作维护|网络支持|建站|友情链接|powered\s*by|designed?\s*by)"
    r"[\s\u200b]*[:：][\s\u200b]*(?=[^\d\s+(（])(?!qq)",
    re.IGNORECASE,
)

_BEFORE_LABEL = re.compile(
    rf"[\s{JOINT},，;；:：、|（(【]$"
)  # what a label without a sign stands behind

CUE_TYPES = {mark: kind for kind, mark in CUES.items()}
CUE = re.compile(f"[{''.join(CUE_TYPES)}][\\s{JOINT}]*[:：]?")


class Segment(NamedTuple):
    """A label with what stands behind it, or text before the first one.

    ``fields`` are those the label stands for; none for a label we do not know (its ``label`` is
    then given) and for plain text. ``open``: the label stands alone, its value may be near.
    """

    fields: tuple[str, ...]
    label: str
    text: str
    open: bool = False


class _Mark(NamedTuple):
    start: int
    end: int
    fields: tuple[str, ...]
    label: str


def segments(text: str, rules: RecordTable) -> list[Segment]:
    """Cut a line at its labels."""
    if found := _WORDS_OF_OTHERS.search(text.translate(to_simplified())):
        text = text[: found.start()]
    marks = sorted(_marks(text, rules))
    if not marks:
        return [Segment((), "", text)]
    cut = []
    before = text[: marks[0].start].strip(f" {JOINT}")
    if before and not _NUMBERED.fullmatch(before.replace(JOINT, "")):
        cut.append(Segment((), "", before))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start if number + 1 < len(marks) else len(text)
        value, box, _ = text[mark.end : end].partition(INPUT)
        is_last = number + 1 == len(marks)
        is_open = is_last and not box and not value.strip(f" {JOINT}*")
        cut.append(Segment(mark.fields, mark.label, value, is_open))
    return cut


def after_maker(text: str) -> str:
    """Return what stands in a line behind the name of who made the site."""
    found = _WORDS_OF_OTHERS.search(text.translate(to_simplified()))
    return text[found.end() :].partition(JOINT)[2] if found else ""


def _marks(text: str, rules: RecordTable) -> Iterator[_Mark]:
    taken: list[tuple[int, int]] = []
    for place in _joined(text, list(rules.find_labels(text))):
        mark = _known(text, place, taken[-1][1] if taken else 0, rules)
        if mark is not None:
            taken.append((mark.start, mark.end))
            yield mark
    for cue in CUE.finditer(text):
        rule = rules.of_type(*CUE_FIELDS[CUE_TYPES[cue[0][0]]])
        follows = any(start <= cue.end() + 1 and cue.start() < end for start, end in taken)
        if rule is not None and not follows:
            taken.append(cue.span())
            yield _Mark(*cue.span(), (rule.name,), "")
    for match in _UNKNOWN_LABEL.finditer(text) if COLON.search(text) else ():
        start, end = match.start("label"), match.end()
        free = all(end <= one or start >= other for one, other in taken)
        before = any(not text[end:one].strip(f" {JOINT}") for one, _ in taken if one >= end)
        if _OF_HOUSE.match(text, start):
            continue
        if free and not (before and DIGIT.search(match["label"])):  # 城南路9号：电话：
            yield _Mark(start, end, (), match["label"])


_OF_HOUSE = re.compile(r"(?:no|nr|num)\s?[:：]\s?\d", re.IGNORECASE)  # Göl Sk. No:9


CUE_FIELDS: dict[str, tuple[FieldType, ...]] = {
    "phone": ("phone", "mobile"),
    "email": ("email",),
    "address": ("address",),
    "fax": ("fax",),
    "qq": ("qq",),
    "url": ("url",),
}


def _joined(text: str, places: list[Label]) -> list[Label]:
    """Join labels that follow each other: 地址 Address：, 电话/传真：."""
    joined: list[Label] = []
    for place in places:
        last = joined[-1] if joined else None
        if last is not None and _JOINING.fullmatch(text, last.end, place.start):
            fields = tuple(dict.fromkeys((*last.fields, *place.fields)))
            if last.end == place.start:  # 公司邮箱: the first word only says whose
                fields = place.fields
            joined[-1] = Label(fields, last.start, place.end)
        else:
            joined.append(place)
    return joined


def _known(text: str, place: Label, begins: int, rules: RecordTable) -> _Mark | None:
    """Return a label's mark when it is one here, not a word of a sentence."""
    after = _AFTER.match(text, place.end)
    assert after is not None
    written = after["sign"] or ""
    start = _with_qualifier(text, place.start, begins)
    is_end = start == place.start and _is_within_word(text, start)
    if is_end:
        if not written.startswith((":", "：")):
            return None  # the end of a longer word
        shorter = next(_inside(text, place, rules), None)
        if shorter is not None:  # 有限公司地址：, which is no 公司地址
            return _known(text, shorter, begins, rules)
    fields, qualifier = place.fields, text[start : place.start]
    if is_end or (qualifier and not OWN_NAME.fullmatch(qualifier)):
        fields = tuple(name for name in fields if rules.by_name[name].type != "text")
    if not fields or (place.end - place.start == 1 and written.startswith(".")):
        return None  # an initial is no label: 12 E. Elm Road, P.O. Box
    label = text[start : after.start("blank")].replace(JOINT, "").strip()
    sign, end = _sign_behind(after, text[begins : place.start])
    mark = _Mark(start, end, fields, label)
    if sign:
        return mark
    before, rest = text[begins:start], text[end:]
    if sign == "" or not rest.strip(f" {JOINT}"):
        is_label = _is_bare(before, label)
    elif rest.startswith(INPUT):
        is_label = True
    elif before and not _BEFORE_LABEL.search(before):
        is_label = False
    elif any(rules.by_name[name].type == "text" for name in fields):
        is_label = _has_text_beside(before, after["blank"], rest)
    else:
        is_label = _begins_with_value(rest, fields, rules)
    return mark if is_label else None


def _is_within_word(text: str, start: int) -> bool:
    """Whether the letter before a place belongs to the word that goes on there."""
    before = text[start - 1] if start else ""
    return before.isalnum() and not before.isdigit()


def _sign_behind(after: re.Match[str], before: str) -> tuple[str | None, int]:
    """Return the sign behind a label ("" at the end of a line, None without) and where its value begins.

    A bracket that closes is a sign only where one was opened before the label.
    """
    sign = after["sign"]
    if sign and sign[0] in "】]〕」>»" and not re.search(r"[【\[〔「<«]", before):
        return None, after.end("blank")
    return sign, after.end()


def _is_bare(before: str, label: str) -> bool:
    """Whether a label is all that a line, or the rest of one, has: its value may stand below."""
    return not before.strip(f" {JOINT}{''.join(CUE_TYPES)}*") and len(label) <= LONGEST_BARE


def _has_text_beside(before: str, blank: str, rest: str) -> bool:
    """Whether a label begins its line and a text without a sentence stands beside it: 联系人 王女士."""
    is_first = not before.strip(f" {JOINT}")
    is_beside = JOINT in blank or (bool(blank) and len(rest) <= LONGEST_BESIDE)
    return is_first and is_beside and not SENTENCE.search(rest)


def _inside(text: str, place: Label, rules: RecordTable) -> Iterator[Label]:
    """Go through the shorter labels with which a label ends."""
    begin = place.start + 1
    for inner in rules.find_labels(text[begin : place.end]):
        if begin + inner.end == place.end:
            yield Label(inner.fields, begin + inner.start, place.end)


def _begins_with_value(rest: str, fields: tuple[str, ...], rules: RecordTable) -> bool:
    for name in fields:
        rule = rules.by_name[name]
        strict = rule.type == "address"
        found = find_values(rule, rest, labelled=not strict)
        if found:
            plain = unicodedata.normalize("NFKC", rest.replace(JOINT, " ")).replace(" ", "")
            begin = unicodedata.normalize("NFKC", found[0].raw).replace(" ", "")[:4]
            return plain.strip("(+").startswith(begin.strip("(+"))
    return False


def _with_qualifier(text: str, start: int, begins: int) -> int:
    """Return where a label begins, with what stands before it: 全国招聘热线, 总部地址."""
    around = text[max(begins, start - 4 * LONGEST_QUALIFIER) : start]
    found = QUALIFIER.search(around)
    if found is None and text[start].isascii():
        found = LATIN_QUALIFIER.search(around)
    if found is None:
        return start
    position = start - len(around) + found.start()
    before = text[position - 1] if position > begins else ""
    if before.isalnum() or (begins and not text[begins:position].strip(f" {JOINT}")):
        return start  # a sentence, a value without an end, the value of the label before
    return position
