"""Learned address patterns of sites (D5): what a link leads to, before it is fetched.

Every page that was judged teaches the patterns of its site. A pattern is checked against the pages: it
is dropped when it is wrong too often. People may pin patterns, which then hold like the
template's, and veto addresses, which then are never classed by what was learnt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from focuscrawl.urls.patterns.forms import (
    Form,
    Pattern,
    example_of,
    learn_patterns,
    promised,
    rest_of,
)
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.values import Json, PageClass

FORMS_KEPT = 400
"""Forms of a site that are counted; the oldest of those met once are forgotten first."""

REMEMBERED = 64
"""A form or pattern met so often has its counts halved, so that what is new counts more."""

DROPPED_UNDER = 0.7
"""The share of right answers under which a pattern is dropped."""

SELDOM, OFTEN = 8, 64
"""Patterns are learnt anew after an eighth more pages, but at least 8 and at most 64."""

LEARNT_AS = {PageClass.PAGING: PageClass.BOARD, PageClass.SEARCH: PageClass.OTHER}
"""Classes that look like others from outside."""

PATTERNS = "patterns"
"""The part of a site's record in the store that is written here."""


class Expected(NamedTuple):
    """What a link leads to (None: unknown); ``by_hand``: a person has set it."""

    page_class: PageClass | None = None
    by_hand: bool = False


@dataclass(slots=True)
class Known:
    """A pattern in use and how it has done."""

    pattern: Pattern
    seen: int = 0
    right: int = 0
    expected: Expected = field(init=False)

    def __post_init__(self) -> None:
        self.expected = Expected(PageClass(self.pattern.page_class))

    def answered(self, rightly: bool) -> None:
        """Count an answer, the latest ones above all."""
        if self.seen >= REMEMBERED:
            self.seen, self.right = self.seen // 2, self.right // 2
        self.seen += 1
        self.right += rightly

    @property
    def pays(self) -> bool:
        """Whether it is right often enough, what it stands on counted in while that is little."""
        return promised(self.right, self.seen) >= DROPPED_UNDER or (
            self.seen < SELDOM and self.seen - self.right < 2
        )


@dataclass(slots=True)
class SitePatterns:
    """What is known of one site. ``forms`` count classes by form; ``pins`` are written → class."""

    forms: dict[str, dict[str, int]] = field(default_factory=dict)
    known: list[Known] = field(default_factory=list)
    pins: dict[str, PageClass] = field(default_factory=dict)
    vetoes: list[str] = field(default_factory=list)
    pages: int = 0
    asked: int = 0
    right: int = 0
    fresh: int = 0
    changed: bool = False
    expression: re.Pattern[str] | None = None
    has_news: bool = False

    def compile(self) -> None:
        """Put the patterns in use into one expression, with a group for each."""
        alternatives = "|".join(f"({one.pattern.expression})" for one in self.known)
        self.expression = re.compile(alternatives) if alternatives else None
        self.has_news = any(
            one.expected.page_class is PageClass.ARTICLE for one in self.known
        ) or any(page_class is PageClass.ARTICLE for page_class in self.pins.values())

    def match(self, url: str) -> Known | None:
        """Return the pattern in use that an address matches."""
        if self.expression is None:
            return None
        found = self.expression.fullmatch(rest_of(url))
        return self.known[found.lastindex - 1] if found and found.lastindex else None

    def judged(self, url: str, page_class: PageClass) -> None:
        """Hold what is known to a page that was judged, then learn from it."""
        form = Form.of(url)
        if form is None:
            return
        page_class = LEARNT_AS.get(page_class, page_class)
        answer = self.match(url)
        if answer is not None:
            rightly = answer.expected.page_class is page_class
            answer.answered(rightly)
            self.asked += 1
            self.right += rightly
        self.count(form.expression, page_class.value)
        self.pages += 1
        self.fresh += 1
        if answer is not None and not answer.pays:
            self.known.remove(answer)
            self.doubt(answer.pattern)
            self.learn()
        elif self.fresh >= min(max(SELDOM, self.pages // 8), OFTEN):
            self.learn()

    def count(self, expression: str, page_class: str) -> None:
        """Count a page of a class under its form."""
        classes = self.forms.pop(expression, {})  # the latest stands last
        if sum(classes.values()) >= REMEMBERED:
            # so that a site that puts other things under its addresses is learnt anew
            classes = {name: n // 2 for name, n in classes.items() if n > 1}
        classes[page_class] = classes.get(page_class, 0) + 1
        self.forms[expression] = classes
        if len(self.forms) > FORMS_KEPT:
            once = (form for form, seen in self.forms.items() if sum(seen.values()) == 1)
            del self.forms[next(once, next(iter(self.forms)))]

    def doubt(self, pattern: Pattern) -> None:
        """Take most of what speaks for a pattern back: it was true once."""
        matches = re.compile(pattern.expression).fullmatch
        for form, classes in list(self.forms.items()):
            if pattern.page_class in classes and matches(example_of(form)):
                classes[pattern.page_class] //= 4  # what comes now outweighs it after a few pages
                if not any(classes.values()):
                    del self.forms[form]

    def learn(self) -> None:
        """Find the patterns anew; those that stay keep what is known of them."""
        before = {(one.pattern.expression, one.pattern.page_class): one for one in self.known}
        self.known = []
        for pattern in learn_patterns(self.forms):
            known = before.get((pattern.expression, pattern.page_class), Known(pattern))
            known.pattern = pattern
            self.known.append(known)
        self.fresh = 0
        self.changed = True
        self.compile()

    def to_json(self) -> Json:
        """Return everything as plain JSON, to be stored."""
        self.changed = False
        return {
            "forms": {form: {**classes} for form, classes in self.forms.items()},
            "known": [[*one.pattern, one.seen, one.right] for one in self.known],
            "pins": {written: page_class.value for written, page_class in self.pins.items()},
            "vetoes": [*self.vetoes],
            "answers": [self.pages, self.asked, self.right],
        }

    @classmethod
    def from_json(cls, kept: Json) -> SitePatterns:
        """Read what ``to_json`` wrote."""
        site = cls(
            forms={form: dict(classes) for form, classes in kept["forms"].items()},
            known=[Known(Pattern(*one[:4]), *one[4:]) for one in kept["known"]],
            pins={written: PageClass(name) for written, name in kept["pins"].items()},
            vetoes=[*kept["vetoes"]],
        )
        site.pages, site.asked, site.right = kept["answers"]
        site.compile()
        return site


class _Matcher(Protocol):
    """An address pattern of the template's language."""

    def search(self, text: str, /) -> bool:
        """Whether it is found in an address."""


UNKNOWN = Expected()


class Learnt(NamedTuple):
    """A pattern for people: ``written`` is in the template's language.

    ``support`` pages have taught it, ``precision`` is the share of them it is right about; ``seen``
    links were fetched since, and it was right about ``right`` of them.
    """

    written: str
    page_class: PageClass
    support: int
    precision: float
    seen: int
    right: int


class UrlPatterns(SiteValues[SitePatterns]):
    """The patterns of all sites of a topic. ``read_match`` compiles an entry of the kind *match*. A site is written when
    its patterns were learnt anew, and at the end of a run: pages judged since then are few.
    """

    def __init__(self, read_match: Callable[[str], _Matcher]) -> None:
        super().__init__(PATTERNS, SitePatterns.from_json, SitePatterns.to_json)
        self._read_match = read_match
        self._matchers: dict[str, _Matcher] = {}

    def class_of(self, url: str, site: str) -> Expected:
        """Return what a link leads to; UNKNOWN itself where nothing is known."""
        known = self.get(site)
        if known is None or (known.expression is None and not known.pins):
            return UNKNOWN
        for written, page_class in known.pins.items():
            if self._found(written, url):
                return Expected(page_class, by_hand=True)
        found = known.match(url)
        if found is None:
            return UNKNOWN
        if known.vetoes and any(self._found(written, url) for written in known.vetoes):
            return UNKNOWN
        return found.expected

    def knows_news(self, site: str) -> bool:
        """Whether there are patterns of articles on a site (what strict following waits for)."""
        known = self.get(site)
        return known is not None and known.has_news

    def judged(self, url: str, site: str, page_class: PageClass) -> None:
        """Learn from a page that was judged, once for each page."""
        known = self.get(site) or self.add(site, SitePatterns())
        known.judged(url, page_class)
        self.touch(site, can_wait=not known.changed)

    def pin(self, site: str, written: str, page_class: PageClass) -> None:
        """Let a pattern hold on a site whatever is learnt."""
        known = self._for_hand(site)
        known.pins[written] = page_class
        known.compile()

    def veto(self, site: str, written: str) -> None:
        """Never class addresses of a site that match a pattern by what is learnt."""
        known = self._for_hand(site)
        if written not in known.vetoes:
            known.vetoes.append(written)

    def forget(self, site: str, written: str) -> bool:
        """Take a pin or veto back; False: there was none."""
        known = self._for_hand(site)
        was = known.pins.pop(written, None) is not None or written in known.vetoes
        known.vetoes = [one for one in known.vetoes if one != written]
        known.compile()
        return was

    def sites(self) -> Iterator[str]:
        """Go through the sites of which something is known."""
        yield from sorted(self)

    def learnt(self, site: str) -> list[Learnt]:
        """Return the patterns in use on a site, for people."""
        known = self.get(site)
        return [_learnt(one) for one in (known.known if known else ())]

    def pattern_of(self, url: str, site: str) -> Learnt | None:
        """Return the pattern in use that an address matches, for people."""
        known = self.get(site)
        found = known.match(url) if known is not None else None
        return _learnt(found) if found is not None else None

    def by_hand(self, site: str) -> tuple[dict[str, PageClass], list[str]]:
        """Return the pins and vetoes of a site."""
        known = self.get(site)
        return (dict(known.pins), list(known.vetoes)) if known else ({}, [])

    def answers(self, site: str) -> tuple[int, int]:
        """Return how many links were classed before they were fetched, and how many rightly."""
        known = self.get(site)
        return (known.asked, known.right) if known else (0, 0)

    def _for_hand(self, site: str) -> SitePatterns:
        known = self.get(site) or SitePatterns()
        self.put(site, known)
        return known

    def _found(self, written: str, url: str) -> bool:
        matcher = self._matchers.get(written)
        if matcher is None:
            matcher = self._matchers[written] = self._read_match(written)
        return matcher.search(url)


def _learnt(known: Known) -> Learnt:
    pattern = known.pattern
    return Learnt(
        f"re:://[^/]+{pattern.expression}$",
        PageClass(pattern.page_class),
        pattern.support,
        pattern.right / pattern.support,
        known.seen,
        known.right,
    )
