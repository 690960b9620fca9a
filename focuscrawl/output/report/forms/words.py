"""The words of a report in two languages (words.toml), and how numbers and times are written in each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from focuscrawl.locale.messages import IN_CHINESE, MESSAGE_LANGUAGES, MessageLanguage

if TYPE_CHECKING:
    from focuscrawl.output.report.contents import Moment
    from focuscrawl.values import Finding

_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS = ((86400.0, "d", "天"), (3600.0, "h", "小时"), (60.0, "min", "分"), (1.0, "s", "秒"))
"""Seconds of a unit, and what it is called in English and Chinese."""

_SHORT_SPAN = 10
"""Seconds below which a span has tenths."""


@cache
def catalogue() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """Return group → word → its translations, in the order of MESSAGE_LANGUAGES."""
    text = files("focuscrawl.output.report.forms").joinpath("words.toml").read_text("utf-8")
    return {
        group: {word: (said[0], said[1]) for word, said in words.items()}
        for group, words in tomllib.loads(text).items()
    }


def needs_in_short(findings: Iterable[Finding], language: MessageLanguage) -> list[str]:
    """Return a line for each thing that needs a topic's user, for messages whose reader may speak another language
    than the crawl."""
    place = MESSAGE_LANGUAGES.index(language)
    page, reasons = catalogue()["page"], catalogue()["reason"]
    lines = []
    for found in findings:
        why = reasons[cause][place] if (cause := cause_of(found)) in reasons else cause
        pages = page["between"][place].join(found.examples)
        if pages and found.number > len(found.examples):
            pages += " " + page["more"][place].format(more=found.number - len(found.examples))
        said = pages or why
        if pages and why:
            said = page["for_reason"][place].format(pages=pages, why=why)
        advice = catalogue()["advice"][advise_on(found)][place]
        what = catalogue()["needs"][found.kind][place]
        lines.append(page["need"][place].format(what=what, said=said, advice=advice))
    return lines


def cause_of(found: Finding) -> str:
    """Return the word of the catalogue that says what findings have in common; what it does not have stays as it is."""
    if found.kind == "withheld":  # "HOST (what stands in front)"
        return found.where.partition(" (")[2].removesuffix(")").partition(",")[0] or found.where
    return "" if any(found.where == urlsplit(url).netloc for url in found.examples) else found.where


def advise_on(found: Finding) -> str:
    """Return the word of the catalogue that says what helps: that of the cause, where it has one."""
    own = f"{found.kind}_{cause_of(found)}"
    return own if own in catalogue()["advice"] else found.kind


class Vocabulary:
    """Says things in one language, with times of one zone. ``now`` is when the report is made."""

    def __init__(self, language: MessageLanguage, zone: str, now: float) -> None:
        self.language = language
        self.zone = zone
        self._place = MESSAGE_LANGUAGES.index(language)
        try:
            self._zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError):
            self._zone = ZoneInfo("UTC")
        self._year = datetime.fromtimestamp(now, self._zone).year

    def say(self, group: str, word: str, **values: object) -> str:
        """Return a word of the catalogue with values in it; one that it does not have as it is."""
        found = catalogue().get(group, {}).get(word)
        return word if found is None else found[self._place].format(**values)

    def has(self, group: str, word: str) -> bool:
        """Whether the catalogue has a word."""
        return word in catalogue().get(group, {})

    def moment(self, at: float) -> str:
        """Return a time to the minute, with its year where that is another one."""
        try:
            time = datetime.fromtimestamp(at, self._zone)
        except (ValueError, OverflowError, OSError):
            return "–"
        clock = f"{time:%H:%M}"
        if self.language == IN_CHINESE:
            year = f"{time.year}年" if time.year != self._year else ""
            return f"{year}{time.month}月{time.day}日 {clock}"
        year = f" {time.year}" if time.year != self._year else ""
        return f"{time.day} {_MONTH_NAMES[time.month - 1]}{year} {clock}"

    def moment_of(self, cell: Moment) -> str:
        """Return a time of a report, with what says that a page was found then."""
        said = self.moment(cell.at)
        return self.say("page", "found", moment=said) if cell.is_found else said

    def iso(self, at: float) -> str:
        """Return a time as machines read it."""
        try:
            return datetime.fromtimestamp(at, self._zone).isoformat(timespec="seconds")
        except (ValueError, OverflowError, OSError):
            return ""

    def span(self, seconds: float) -> str:
        """Return a length of time in its two largest units; below ten seconds with tenths."""
        if seconds < _SHORT_SPAN:
            return f"{seconds:.2g} {_UNITS[3][1 + self._place]}"
        left, said = round(seconds), list[str]()
        for size, *names in _UNITS:
            number, rest = divmod(left, int(size))
            if number or said:
                if number:
                    said.append(f"{number} {names[self._place]}")
                left = rest
            if len(said) == 2 or (said and not number):
                break
        return " ".join(said)

    def number(self, value: float) -> str:
        """Return a number, its thousands apart."""
        if isinstance(value, int) or float(value).is_integer():
            return f"{int(value):,}"
        return f"{value:,.2f}".rstrip("0").rstrip(".")
