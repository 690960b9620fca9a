"""What of a text never counts as a change: clocks, counters, advertisements, what was ignored or learnt.

Only short lines that are no sentences are looked at: a number in a sentence is news, but in one in which a page
speaks of itself, as when it was made and how often it was read. The lines that
are left are compared without white space, so that a page that is only set anew has not changed.

Lines of a page that differ at every visit stop counting. Learning begins when a page has changed, and
only what differed at three visits in a row after that is learnt: a line whose numbers differ, or one line
between two that stay. Inserted lines are never learnt, so a page that grows keeps being news. What was
learnt on several pages of a site holds for all its pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import md5
from typing import NamedTuple
from zlib import crc32

import msgspec
import regex

from focuscrawl.values import Json

LONGEST_FURNITURE = 60
"""Characters of a line that may be a clock or a counter."""

_MOST_LINES = 5_000
_SENTENCE = re.compile(r"[。!?;…]|[.!?] |[.!?]$|,.*,|、.*、")
_SPACE = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad]+")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_NUMBER = r"\d[\d,.]*\s*(?:万|亿|k|w|m)?\+?"
_COUNTED = (
    "阅读|浏览|点击|访问|查看|围观|人气|热度|点赞|赞|转发|分享|收藏|评论|回复|跟帖|参与|关注|下载"
    "|播放|在线|在线人数|访客"
)
COUNTED_EN = "views?|reads?|hits?|clicks?|visits?|visitors?|comments?|replies|likes?|shares?|online"
UNIT = "秒钟?|分钟|个?小时|天|日|周|个?星期|个?月|年"
UNIT_EN = "sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?"
DATE = r"\d{2,4}\s*[年/.-]\s*\d{1,2}\s*[月/.-]\s*\d{1,2}\s*日?"
_CLOCK = r"\d{1,2}\s*[::时]\s*\d{2}(?:\s*[::分]\s*\d{2}\s*秒?)?"
_WEEKDAY = r"(?:星期|周)[一二三四五六日天]"
_BUILT_IN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:{_COUNTED})(?:总)?(?:量|数|次数|人数|人次)?\s*[::=(\[]?\s*{_NUMBER}\s*(?:次|人|条|篇)?[)\]]?",
        rf"(?:已有|共有?|共计)?\s*{_NUMBER}\s*(?:次|人次|人|条|个)?\s*(?:{_COUNTED})",
        rf"\b(?:{COUNTED_EN})\s*[:=(\[]\s*{_NUMBER}[)\]]?",
        rf"\b{_NUMBER}\s*(?:{COUNTED_EN})\b",
        rf"(?:现在|当前|系统|北京|服务器)时间\s*[::是]?\s*(?:{DATE})?\s*(?:{_WEEKDAY})?\s*(?:{_CLOCK})?",
        rf"今天是?\s*[::]?\s*{DATE}\s*(?:{_WEEKDAY})?\s*(?:{_CLOCK})?",
        r"\b(?:current time|time now|now)\s*:\s*[\d/: .-]+(?:am|pm)?",
        rf"\d+\s*(?:{UNIT})(?:以|之)?前",
        rf"\b(?:\d+|an?)\s*(?:{UNIT_EN})\s+ago\b",
        r"\b\d{1,2}:\d{2}:\d{2}\b",
        r"(?:页面|本页)?(?:执行|加载|生成|处理)(?:时间|用时|耗时)\s*[::]?\s*[\d.]+\s*(?:ms|毫秒|s|秒)?",
        r"\bprocessed in [\d.]+\s*[\w()]*(?:, \d+ queries)?",
        r"(?:©|\(c\)|copyright|版权所有)[^\d]{0,20}(?:\d{4}\s*[-~至]\s*)?\d{4}",
        r"^(?:广告|推广|赞助(?:内容)?|advertisements?|sponsored(?: content)?|ad|promoted)$",
    )
)

# Sentences in which a page speaks of itself, and what they must say of it: by NFKC, as all lines here.
LONGEST_OF_ITSELF = 120
OF_ITSELF = re.compile(
    r"\W*(?:(?:截[至止](?:目前)?|到?目前(?:为止)?|至今)\W*)?(?:(?:[本该此这](?:页面?|网页|文章?|帖子?|站|网站|主题)|页面|[您你]是(?:本站)?(?:的)?第|(?:累计|总)(?:访问|浏览))"
    r"|this (?:page|article|site|post|document)\b|page (?:generated|rendered|created|served|loaded|viewed)\b|(?:generated|rendered) (?:on|at|in)\b|you are (?:the )?visitor\b)",
    re.IGNORECASE,
)
_SAYS_OF_ITSELF = re.compile(
    rf"(?:生成|更新|刷新|渲染|缓存|加载|执行|处理)(?:于|在|时间|用时|耗时)?\s*:?\s*\d|第\s*{_NUMBER}\s*(?:位|名|个)?(?:访客|访问者|读者|来访)"
    rf"|(?:阅读|浏览|点击|访问|查看|围观|人气|在线)(?:总)?(?:量|数|次数|人数|人次)?(?:了|达|为|已达)?\s*:?\s*{_NUMBER}|{_NUMBER}\s*(?:次|人次|人|位)?(?:的)?(?:阅读|浏览|点击|访问|查看|围观|访客)"
    rf"|\b(?:generated|rendered|created|served|loaded|viewed|read|visited|updated|visitor)\b[^.]{{0,20}}\d",
    re.IGNORECASE,
)
_WITH_DIGITS = re.compile(r"[A-Za-z]*\d[\w:./-]*")

VISITS_NEEDED = 3  # in a row: an article may well be edited at two
PAGES_NEEDED = 2  # of a site, before what one page taught holds for all
MOST_LEARNT = 64  # places a page, the latest: a few hundred bytes of its state
_MOST_COMPARED = 200
"""Lines of a page that are compared; learning is for pages, not for books."""

NO_LINE = 0  # the neighbour of a first and of a last line


_VERSION = 2
"""Raised when the built-in rules change, so that no page seems to have changed then."""


class TextLine(NamedTuple):
    """A line that counts. ``shape`` is that of the text with all numbers alike."""

    text: str
    exact: int
    shape: int
    is_furniture: bool


@dataclass(frozen=True, slots=True)
class TextRules:
    """What is left out: built-in parts and ``ignore``, whose matches are cut out of every line.

    ``shapes`` are lines of a site that were learnt to be volatile.
    """

    ignore: tuple[re.Pattern[str] | regex.Pattern[str], ...] = ()
    built_in: bool = True
    shapes: Collection[int] = ()

    @property
    def version(self) -> bytes:
        """Two bytes that differ between rules: texts read by other rules cannot be compared."""
        said = "\n".join([str(_VERSION), str(self.built_in), *(one.pattern for one in self.ignore)])
        return md5(said.encode("utf-8", "replace")).digest()[:2]


def lines_of(text: str, rules: TextRules) -> list[TextLine]:
    """Return the lines of a text that count, in order; a text has one paragraph a line."""
    lines = unicodedata.normalize("NFKC", text).splitlines()[:_MOST_LINES]
    return [read for line in lines if (read := read_line(line, rules)) is not None]


def read_line(line: str, rules: TextRules) -> TextLine | None:
    """Return what counts of a line (NFKC); None for nothing."""
    for expression in rules.ignore:
        line = expression.sub("", line)
    line = line.strip()
    is_furniture = len(line) <= LONGEST_FURNITURE and not _SENTENCE.search(line)
    if is_furniture and rules.built_in:
        for pattern in _BUILT_IN:
            line = pattern.sub("", line)
    elif rules.built_in and _speaks_of_itself(line):
        line = _WITH_DIGITS.sub("", line)
    text = _SPACE.sub("", line)
    if not text:
        return None
    shape = _number_of(_DIGITS.sub("0", text))
    if is_furniture and shape in rules.shapes:
        return None
    return TextLine(text, _number_of(text), shape, is_furniture)


def _speaks_of_itself(line: str) -> bool:
    """Whether a sentence says of its page when it was made, or how often it was read."""
    return (
        len(line) <= LONGEST_OF_ITSELF
        and OF_ITSELF.match(line) is not None
        and _SAYS_OF_ITSELF.search(line) is not None
    )


def _number_of(text: str) -> int:
    """Return a text's 32-bit number."""
    return crc32(text.encode("utf-8", "replace"))


def digest_of(lines: Sequence[TextLine], rules: TextRules) -> bytes:
    """Return the MD5 of what counts, behind the version of the rules: 18 bytes."""
    text = "".join([line.text for line in lines])
    return rules.version + md5(text.encode("utf-8", "replace")).digest()


class Lesson(NamedTuple):
    """What is known of a page's lines; empty for most pages.

    ``shapes`` and ``exacts`` are its lines at the last visit (32-bit numbers), kept only while it
    changes visit after visit. ``suspects`` says at how many visits in a row a place differed,
    ``learnt`` are the places that no longer count.
    """

    shapes: list[int]
    exacts: list[int]
    suspects: dict[int, int]
    learnt: list[int]

    def packed(self) -> bytes:
        """Return everything as bytes; none for the empty lesson."""
        return msgspec.msgpack.encode(self) if self.shapes or self.learnt else b""


def unpacked(details: bytes) -> Lesson:
    """Return what ``packed`` wrote; an empty lesson for what it cannot read."""
    try:
        return msgspec.msgpack.decode(details, type=Lesson)
    except msgspec.MsgspecError:
        return Lesson([], [], {}, [])


def line_places(shapes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the two numbers of each line's place: its shape, and what is between its neighbours."""
    around = [NO_LINE, *shapes, NO_LINE]
    return [
        (shape, between(around[index], around[index + 2])) for index, shape in enumerate(shapes)
    ]


def between(before: int, after: int) -> int:
    """Return the number of the place between two lines, other than any shape's by chance only."""
    return crc32(before.to_bytes(4, "big") + after.to_bytes(4, "big"), 0x5EED)


def without_learnt(lines: Sequence[TextLine], learnt: Sequence[int]) -> list[TextLine]:
    """Return the lines that count."""
    if not learnt:
        return list(lines)
    known = set(learnt)
    return [
        line
        for line, place in zip(lines, line_places([line.shape for line in lines]), strict=True)
        if not (line.is_furniture and known.intersection(place))
    ]


def changed_places(lesson: Lesson, lines: Sequence[TextLine]) -> set[int]:
    """Return the places whose short line differs from the last visit's."""
    lines = lines[:_MOST_COMPARED]
    shapes = [line.shape for line in lines]
    found = set()
    matcher = SequenceMatcher(None, lesson.shapes, shapes, autojunk=False)
    for tag, old, old_end, new, new_end in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(range(old, old_end), range(new, new_end), strict=True):
                if lesson.exacts[one] != lines[other].exact and lines[other].is_furniture:
                    found.add(lines[other].shape)
        elif tag == "replace" and old_end - old == new_end - new == 1 and lines[new].is_furniture:
            found.add(line_places(shapes)[new][1])
    return found


def learn_lines(lesson: Lesson, lines: Sequence[TextLine]) -> Lesson:
    """Return what is known after a visit at which the page had changed."""
    compared = lines[:_MOST_COMPARED]
    shapes, exacts = [line.shape for line in compared], [line.exact for line in compared]
    if not lesson.shapes:
        return Lesson(shapes, exacts, {}, lesson.learnt)
    suspects = {place: lesson.suspects.get(place, 0) + 1 for place in changed_places(lesson, lines)}
    new = [place for place, times in suspects.items() if times >= VISITS_NEEDED]
    learnt = list(dict.fromkeys([*lesson.learnt, *new]))[-MOST_LEARNT:]
    suspects = {place: times for place, times in suspects.items() if times < VISITS_NEEDED}
    return Lesson(shapes, exacts, suspects, learnt)


def calm(lesson: Lesson) -> Lesson:
    """Return what is known after a visit at which nothing that counts had changed."""
    return Lesson([], [], {}, lesson.learnt)


def shapes_of_site(kept: Mapping[str, int]) -> frozenset[int]:
    """Return the shapes learnt on enough pages of a site (its part ``volatile``)."""
    return frozenset(int(shape) for shape, pages in kept.items() if pages >= PAGES_NEEDED)


def noted(kept: Mapping[str, int], new: Sequence[int]) -> Json:
    """Return a site's part ``volatile`` after a page has learnt places: in how many pages each."""
    counted = {**kept}
    for place in new:
        counted[str(place)] = counted.get(str(place), 0) + 1
    often = sorted(counted.items(), key=lambda item: -item[1])
    return dict(often[: 4 * MOST_LEARNT])
