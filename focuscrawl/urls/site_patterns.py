"""The patterns of one site (D5): pages counted by form, patterns in use, and a person's word."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.urls.clusters import Pattern, learn, promised
from focuscrawl.urls.forms import Form, example_of, rest_of
from focuscrawl.values import Json, PageClass

FORMS_KEPT = 400
"""Forms of a site that are counted; the oldest of those met once are forgotten first."""

REMEMBERED = 64
"""A form or pattern met so often has its counts halved, so that what is new counts more."""

DROPPED_UNDER = 0.7
"""The share of right answers under which a pattern is dropped."""

SELDOM, OFTEN = 8, 64
"""Patterns are learnt anew after an eighth more pages, but at least 8 and at most 64."""

LEARNT_AS = {
    PageClass.PAGING: PageClass.BOARD,
    PageClass.SEARCH: PageClass.OTHER,
}
"""Classes that look like others from outside."""


class Expected(NamedTuple):
    """What a link leads to (None: nobody knows); ``by_hand``: a person has said so."""

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
                classes[pattern.page_class] //= 4
                if not any(classes.values()):
                    del self.forms[form]

    def learn(self) -> None:
        """Find the patterns anew; those that stay keep what is known of them."""
        before = {(one.pattern.expression, one.pattern.page_class): one for one in self.known}
        self.known = []
        for pattern in learn(self.forms):
            known = before.get((pattern.expression, pattern.page_class), Known(pattern))
            known.pattern = pattern
            self.known.append(known)
        self.fresh = 0
        self.changed = True
        self.compile()

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
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
