"""What a topic says about coming again: the template's tables [revisit] and [revisit.CLASS]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from focuscrawl.template.merge import translated
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.template.template import Template

PolicyName = Literal["index", "tx", "fixed", "off"]

_MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

SOONEST_SHARE = 0.5
"""Share of a longest interval after which the first page comes: those that were read in one run do not
all come back in one. Of a forum of 45 threads 55 pages came on the seventh day and three on the days
before, of a blog of 216 lists 31 % on the eleventh."""


SAME_AS = {
    PageClass.PAGING: PageClass.BOARD,
    PageClass.SITEMAP: PageClass.FEED,
    PageClass.SEARCH: PageClass.BOARD,
}
"""Classes without a table of their own; those not named here go by the article's."""


def scattered(longest: float, key: bytes, visits: int) -> float:
    """Return a page's own part of a longest interval, from half of it to all.

    Each visit takes another byte of the key, since intervals of 4 and of 6 days meet on the twelfth.
    """
    return longest * (SOONEST_SHARE + (1 - SOONEST_SHARE) * key[visits % len(key)] / 255)


class ClassTimes(NamedTuple):
    """Bounds of one class of pages, in seconds; ``until`` is an age, inf for no end."""

    first: float
    shortest: float
    longest: float
    until: float = inf


CLASS_TIMES: Mapping[PageClass, ClassTimes] = {
    PageClass.BOARD: ClassTimes(HOUR, 5 * _MINUTE, DAY),
    PageClass.FEED: ClassTimes(30 * _MINUTE, 10 * _MINUTE, DAY),
    PageClass.ARTICLE: ClassTimes(DAY, HOUR, 14 * DAY, 30 * DAY),
    PageClass.RECORD: ClassTimes(7 * DAY, DAY, 60 * DAY),
    PageClass.THREAD: ClassTimes(6 * HOUR, 15 * _MINUTE, 7 * DAY, 60 * DAY),
}


@dataclass(frozen=True, slots=True)
class RevisitRules:
    """When pages are visited again; durations in seconds.

    ``budget`` is requests a second for coming again, None for what politeness allows. ``lease`` is
    how long a queued page may stay unanswered before it is queued again; it must exceed the
    download timeout times the tries. ``candidates`` is m of B4: how many pages are looked at to
    choose from, at least (and four times as many as may be taken). ``memory`` is how much of the past
    counts after a visit at least (g), ``half_life`` after how long only half of it would (H);
    ``price_step`` how fast the price follows the worst page taken. ``strict`` is method B as
    published: policy tx without bounds, SimHash distance over 5, the hash stored at every visit.

    Raises ValueError when a number makes no sense.
    """

    policy: PolicyName = "index"
    classes: Mapping[PageClass, ClassTimes] = field(default_factory=lambda: CLASS_TIMES)
    budget: float | None = None
    signals: bool = True
    gone_after: int = 3
    gone_within: float = 3 * DAY
    strict: bool = False
    # With a date out of reach, as published, 1 % of unanswered requests lost 41 % of 4,000 URLs in sixty
    # simulated days; with a lease none, and the others were as fresh.
    lease: float = 2 * HOUR
    # 1,000 gave no more, as long as pages of sites that must wait are passed over.
    candidates: int = 200
    # Forgetting costs steady pages next to nothing (freshness .948 instead of .950) and lets pages that
    # have become five times as fast be followed (.67 instead of .64; the published form has .46).
    memory: float = 0.9
    half_life: float = 14 * DAY
    price_step: float = 0.02

    def __post_init__(self) -> None:
        for page_class in CLASS_TIMES:
            if page_class not in self.classes:
                raise ValueError(f"revisit: no times for the class {page_class}")
        for page_class, times in self.classes.items():
            if not 0 < times.first < inf or not 0 <= times.shortest <= times.longest:
                raise ValueError(
                    f"revisit.{page_class}: 0 < first and 0 <= min <= max, not {times}"
                )
        if self.lease <= 0 or self.candidates < 1 or self.gone_after < 1:
            raise ValueError("revisit: lease, candidates and gone_after must be above 0")
        if not 0 < self.memory <= 1 or self.half_life <= 0:
            raise ValueError("revisit: memory is above 0 and at most 1, half_life above 0")

    @property
    def name(self) -> PolicyName:
        """The policy in force; strict is always tx."""
        return "tx" if self.strict else self.policy

    def times(self, page_class: PageClass) -> ClassTimes:
        """Return the bounds of a class."""
        found = self.classes.get(page_class)
        return found or self.classes[SAME_AS.get(page_class, PageClass.ARTICLE)]

    @property
    def horizon(self) -> float:
        """No page is planned later than so many seconds from now; strict knows no such bound."""
        if self.strict:
            return inf
        longest = max(max(times.longest, times.first) for times in self.classes.values())
        return max(longest, self.lease, self.gone_within)


# Rules of an earlier run --------------------------------------------------------------------------

TEMPLATE = "template"
"""The kind of facts in which these stand, beside what the kernel knows of the last template."""

PLANNED_BY = "planned_by"
"""The fact that holds the rules by which the dates of pages were worked out."""

SINCE = "read_since"
NOT_READING = frozenset(
    {"revisit", "limits", "politeness", "queues", "output", "request", "search", "source"}
)
"""Tables that say when and how pages are fetched, not what is read of them."""


def has_other_dates(template: Template, facts: Json, before: Json) -> bool:
    """Whether the dates of pages are of other rules than the template's.

    ``facts`` are those of TEMPLATE, ``before`` is the last run's template; {}: this is the first.
    """
    if not facts.get(PLANNED_BY):
        return bool(before) and _dates(before) != _dates(template.resolved)
    revisit, every = facts[PLANNED_BY]
    planned_by = [translated(template.language, {"revisit": revisit})["revisit"], every]
    return planned_by != _dates(template.resolved)


def note_planned(template: Template, frontier: Frontier) -> None:
    """Note that all dates are of the template's rules: only now, for a kill may come before."""
    frontier.note_fact(TEMPLATE, PLANNED_BY, _dates(template.resolved))


def _dates(resolved: Json) -> list[object]:
    every = [[one["urls"], one.get("every")] for one in resolved.get("source", ())]
    return [resolved.get("revisit"), every]


def read_since(
    template: Template, facts: Json, before: Json, frontier: Frontier, now: float
) -> float:
    """Return since when (wall time) pages are read by the present rules: ``now``, if these are others.

    A page that was read before may hold links and fields that were left then: a 304 would hide them.
    """
    if not before or _reading(before) == _reading(template.resolved):
        return float(facts.get(SINCE, 0.0))
    frontier.note_fact(TEMPLATE, SINCE, now)
    return now


def _reading(resolved: Json) -> Json:
    return {name: table for name, table in resolved.items() if name not in NOT_READING}
