"""The web of ``benchmarks.kill9 --revisit``: sites whose pages change from one day to the next.

Served as a proxy, so that every site has a name of its own. A site is a list of two pages and a feed
over twelve articles, and one more with every day. Two in twelve come in two pages, of which the second
changes; one is gone on the first day and back on the second, one is gone from the second on; of the
others four in ten are changed on a day. The feed tells when.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime
from functools import cache

from benchmarks.parts.tree import WORDS
from benchmarks.parts.web import NOT_FOUND, answer

ARTICLES = 12
SHOWN = 8
"""Links on the first page of a list."""

CHANGED = 0.4
AWAY, LEFT, PARTED = 7, 8, (4, 10)
"""Articles that are gone for a day, gone for good, and in two pages; by their number modulo 12."""

GONE = -1
"""What stands for the version of a page that is not there."""


class ChangingWeb:
    """The pages of the day, and what was answered.

    ``day`` is counted from 0; set it between two crawls. ``dates`` are the wall times at which the
    pages of a day changed. ``served`` is by day and address the version that was answered last, GONE for 404;
    ``answered`` counts answers by day and address. Both are of addresses that are or were there.
    """

    def __init__(self, sites: int) -> None:
        self.sites = sites
        self.day = 0
        self.dates: list[float] = []
        self.served: dict[tuple[int, str], int] = {}
        self.answered: Counter[tuple[int, str]] = Counter()

    # What is where ------------------------------------------------------------------------------

    def homes(self) -> list[str]:
        """Return the addresses of the sites."""
        return [f"http://site{number}.example/" for number in range(self.sites)]

    def feeds(self) -> list[str]:
        """Return the addresses of the feeds."""
        return [f"{home}feed.xml" for home in self.homes()]

    def articles(self) -> set[str]:
        """Return the addresses of all articles there have been, of those in parts the first page."""
        return {_at(home, number) for home in self.homes() for number in range(self._numbers())}

    def lists(self) -> set[str]:
        """Return the addresses of feeds and first pages of lists."""
        return {*self.homes(), *self.feeds()}

    def answers(self) -> int:
        """Return how many different addresses were answered on this day."""
        return sum(day == self.day for day, _ in self.answered)

    def visits(self) -> int:
        """Return how many different articles were answered on this day."""
        lists = self.lists()
        return sum(day == self.day and url not in lists for day, url in self.answered)

    def version(self, url: str) -> int:
        """Return the version of an article on this day, GONE when it is not there."""
        return _version(url, self.day)

    def _numbers(self) -> int:
        return ARTICLES + self.day

    # Answering ----------------------------------------------------------------------------------

    def __call__(self, asked: str) -> bytes | None:
        """Answer a request as a proxy does: ``asked`` is the whole address."""
        home, _, path = asked.partition(".example/")
        home = f"{home}.example/"
        if home not in self.homes():
            return NOT_FOUND
        version = 0
        if path in ("", "list_2.html"):
            made = answer(self._list(home, path).encode())
        elif path == "feed.xml":
            made = answer(self._feed(home).encode(), "application/atom+xml; charset=utf-8")
        else:
            number, _, part = path.partition("/")[2].removesuffix(".html").partition("_")
            if not number.isdigit() or int(number) >= self._numbers():
                return NOT_FOUND
            version = self.version(_at(home, int(number)))
            made = NOT_FOUND if version == GONE else self._article(home, int(number), part)
        self.served[self.day, asked] = version
        self.answered[self.day, asked] += 1
        return made

    def _list(self, home: str, path: str) -> str:
        numbers = range(self._numbers())[::-1]
        shown = numbers[SHOWN:] if path else numbers[:SHOWN]
        links = "".join(
            f'<li><a href="{_at(home, number)}">食品抽检第{number}号通告</a></li>'
            for number in shown
        )
        more = "" if path else f'<a href="{home}list_2.html">下一页</a>'
        return (
            f"<html><head><title>食品通告</title></head><body><ul>{links}</ul>{more}</body></html>"
        )

    def _feed(self, home: str) -> str:
        entries = "".join(
            f'<entry><title>食品</title><link href="{url}"/><updated>{_stamp(date)}</updated></entry>'
            for url, date in map(self._dated, (_at(home, each) for each in range(self._numbers())))
        )
        return f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'

    def _dated(self, url: str) -> tuple[str, float]:
        """Return when an article changed last, with its address."""
        version = self.version(url)
        days = [day for day in range(self.day + 1) if _version(url, day) == version]
        return url, self.dates[days[0]]

    def _article(self, home: str, number: int, part: str) -> bytes:
        url = _at(home, number)
        version = self.version(url)
        is_parted = number % ARTICLES in PARTED
        more = f'<a href="{home}news/{number}_2.html">下一页</a>' if is_parted and not part else ""
        luck = random.Random(f"{url} {part} {0 if is_parted and not part else version}")
        text = "".join(
            f"<p>{''.join(luck.choices(WORDS, k=24))}，{''.join(luck.choices(WORDS, k=20))}。</p>"
            for _ in range(6)
        )
        if bool(part) == is_parted:
            text += f"<p>{said(version)}</p>"
        title = f"食品抽检第{number}号通告"
        return answer(
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
            f"<p>发布时间：2026-11-18 08:00</p><div>{text}</div>{more}</body></html>".encode()
        )


def said(version: int) -> str:
    """Return the sentence by which an article's text names its version."""
    return f"这是本局公布的第{version}稿。"


def _at(home: str, number: int) -> str:
    return f"{home}news/{number}.html"


@cache
def _version(url: str, day: int) -> int:
    number = int(url.rpartition("/")[2].removesuffix(".html")) % ARTICLES
    if (number == AWAY and day == 1) or (number == LEFT and day >= 2):
        return GONE
    return sum(random.Random(f"{url} {one}").random() < CHANGED for one in range(1, day + 1))


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
