"""What of a text never counts as a change: clocks, counters, advertisements, and what was ignored.

Only short lines that are no sentences are looked at: a number in a sentence is news. The lines that
are left are compared without white space, so that a page that is only set anew has not changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import md5
from typing import NamedTuple, Protocol
from zlib import crc32

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


class Expression(Protocol):
    """A compiled pattern, of ``re`` or ``regex``."""

    @property
    def pattern(self) -> str:
        """What it was compiled from."""

    def sub(self, repl: str, string: str, /) -> str:
        """Replace all matches."""


class Line(NamedTuple):
    """A line that counts. ``shape`` is that of the text with all numbers alike."""

    text: str
    exact: int
    shape: int
    is_furniture: bool


@dataclass(frozen=True, slots=True)
class TextRules:
    """What is left out: built-in parts and ``ignore``, whose matches are cut out of every line.

    ``shapes`` are lines of a site that were learnt to be volatile (revisit.learning).
    """

    ignore: tuple[Expression, ...] = ()
    built_in: bool = True
    shapes: Collection[int] = ()

    @property
    def version(self) -> bytes:
        """Two bytes that differ between rules: texts read by other rules cannot be compared."""
        said = "\n".join([str(_VERSION), str(self.built_in), *(one.pattern for one in self.ignore)])
        return md5(said.encode("utf-8", "replace")).digest()[:2]


_VERSION = 1
"""Raised when the built-in rules change, so that no page seems to have changed then."""


def lines_of(text: str, rules: TextRules) -> list[Line]:
    """Return the lines of a text that count, in order; a text has one paragraph a line."""
    lines = unicodedata.normalize("NFKC", text).splitlines()[:_MOST_LINES]
    return [read for line in lines if (read := read_line(line, rules)) is not None]


def read_line(line: str, rules: TextRules) -> Line | None:
    """Return what counts of a line (NFKC); None for nothing."""
    for expression in rules.ignore:
        line = expression.sub("", line)
    line = line.strip()
    is_furniture = len(line) <= LONGEST_FURNITURE and not _SENTENCE.search(line)
    if is_furniture and rules.built_in:
        for pattern in _BUILT_IN:
            line = pattern.sub("", line)
    text = _SPACE.sub("", line)
    if not text:
        return None
    shape = _number_of(_DIGITS.sub("0", text))
    if is_furniture and shape in rules.shapes:
        return None
    return Line(text, _number_of(text), shape, is_furniture)


def _number_of(text: str) -> int:
    """Return a text's 32-bit number."""
    return crc32(text.encode("utf-8", "replace"))


def digest_of(lines: Sequence[Line], rules: TextRules) -> bytes:
    """Return the MD5 of what counts, behind the version of the rules: 18 bytes."""
    text = "".join([line.text for line in lines])
    return rules.version + md5(text.encode("utf-8", "replace")).digest()
