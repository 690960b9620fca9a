"""When to come again (B): the tables [revisit] and [revisit.CLASS], and the rules they make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal, Self

import regex

from focuscrawl import settings as ours
from focuscrawl.locale.messages import _
from focuscrawl.readers.text.expressions import compiled
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import (
    Invalid,
    KeyPlace,
    Kind,
    check_selector,
    checked,
    choice,
    either,
    flag,
    listed,
    share,
    whole,
)
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.kinds.words import WordError, expression_of, parse_group
from focuscrawl.template.merge import Entry, completed
from focuscrawl.template.toml import Problem, toml_text
from focuscrawl.values import Json, PageClass, Selector

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.template.template import Template

RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(s|min|h|d)")
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BUILT_IN = "built-in"
"""The entry that stands for clocks, counters and advertisements."""

_SELECTOR_LANGUAGES = ("css", "xpath")
_SELECTOR_START = re.compile(r"(?:css|xpath):")


def rate() -> Kind:
    """A rate such as ``3000/h``; built as requests a second."""

    def read(value: object) -> str:
        found = RATE.fullmatch(value.strip()) if isinstance(value, str) else None
        if found is None:
            raise Invalid(_('a rate looks like "2/s", "30/min", "3000/h" or "10000/d"'), value)
        if not float(found[1]):
            raise Invalid(_('above 0; nothing is visited twice with policy = "off"'), value)
        return f"{found[1]}/{found[2]}"

    def build(plain: str) -> float:
        count, _slash, unit = plain.partition("/")
        return float(count) / _SECONDS[unit]

    return Kind("rate", read, {"type": "string", "pattern": f"^{RATE.pattern}$"}, build)


@dataclass(frozen=True, slots=True)
class Ignored:
    """What never counts as a change: ``built_in`` parts, elements, matches in a line of text."""

    built_in: bool
    selectors: tuple[Selector, ...]
    expressions: tuple[regex.Pattern[str], ...]


def ignored() -> Kind:
    """Selectors and words, and ``built-in`` for what is known without being told."""
    entry = checked("selectors | words", _check)
    return replace(listed(entry, "selectors | words", _ignored), groups=False)


def _check(value: str) -> str:
    if value == _BUILT_IN:
        return value
    if _SELECTOR_START.match(value):
        return check_selector(value, _SELECTOR_LANGUAGES)
    try:
        group = parse_group(value)
    except WordError as error:
        raise ValueError(str(error)) from None
    if not group.expression and not group.synonyms:
        raise ValueError(_("words or a selector: {example}").format(example=toml_text("阅读*次")))
    return value


def _ignored(plain: list[str]) -> Ignored:
    selectors, expressions = [], []
    for entry in plain:
        if entry == _BUILT_IN:
            continue
        if _SELECTOR_START.match(entry):
            language, _, expression = entry.partition(":")
            selectors.append(Selector(language, expression.strip()))
            continue
        group = parse_group(entry)
        written = group.expression or "|".join(map(expression_of, group.synonyms))
        expressions.append(compiled(written, ignore_case=True))
    return Ignored(_BUILT_IN in plain, tuple(selectors), tuple(expressions))


# fmt: off
class RevisitTimes(Table):
    """[revisit.CLASS]: seconds; ``until`` is inf for ever."""

    first: float = key(duration(), None,
        "How long after its first fetch a page is visited again.")
    min: float = key(duration(), None,
        "No visit sooner after the last one.")
    max: float = key(duration(), None,
        "No visit later after the last one.")
    until: float = key(either("forever", duration(), float("inf")), None,
        "When a page is older, by its own date or else since it was found, it is only looked back at: see `old` in [revisit].")
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through times that contradict each other."""
        plain = {**cls.form.fixed, **entry.plain}
        seconds = {one.name: one.kind.build(plain[one.name]) for one in RevisitTimes.form.keys}
        if seconds["first"] <= 0:
            yield entry.problem("first", _(" = {first}: more than nothing").format(first=toml_text(plain['first'])))
        if seconds["min"] > seconds["max"]:
            given = "min" if entry.given("min") else "max"
            least, most = toml_text(plain["min"]), toml_text(plain["max"])
            reason = _("no visit is sooner than min, {least}, and later than max, {most}").format(least=least, most=most)
            yield entry.problem(given, f" = {toml_text(plain[given])}: {reason}")


# fmt: off
class RevisitTable(Table, path="revisit", doc="when to come again"):
    """[revisit]: when to come again (B). ``budget`` is visits a second, None: what politeness allows.
    ``old`` is the share of it for pages past ``until``.

    ``times`` holds the table of each class by its name.
    """

    policy: Literal["index", "tx", "fixed", "off"] = key(choice("index", "tx", "fixed", "off"), "index",
        "`index`: when the copy is expected to be out of date long enough; `tx`: as published, the time watched divided by the changes seen; `fixed`: always after `first`; `off`: no page twice, lists neither. May be changed between any two runs.",
        'policy = "fixed"')
    budget: float | None = key(either("auto", rate()), "auto",
        "Visits for coming again in a topic that stays (`continuous`): the pages that are worth most get them. `auto` takes what is due, as fast as politeness allows.",
        'budget = "2000/h"')
    old: float = key(share(), 0.1,
        "Share of the budget for pages past `until`, the longest unseen first and none twice in a week. Where `budget` is auto it is one visit a day for each of them, 5,000 a day at most: 0.1 sees each page of a site within ten days, or somewhat later where few pages have many lists, for what these cost is part of it. 0: they are never visited again.",
        "old = 0.2")
    continuous: bool = key(flag(), False,
        "Whether the crawl stays and waits for what becomes due. Otherwise it reads every list once more (while sources, sitemaps and a feed of a site show nothing new, its other lists rest for days), visits what is due or nearly so (a tenth of its interval, three hours at most), and ends.",
        "continuous = true")
    ignore: Ignored = key(ignored(), [_BUILT_IN],
        "What never counts as a change: elements by a selector, words (`*` for what varies), and `built-in` for clocks, counters and advertisements. What changes at every visit is left out by learning.",
        'ignore = ["...", "css:.page-views", "浏览*次"]', site=True)
    signals: bool = key(flag(), True,
        "Whether dates in sitemaps and feeds and reply counts say when to come; threads whose replies a board counts are visited without a new reply only when `revisit.thread.max` has passed, articles that a feed shows whole and as they were (with the policy `index`) only when `revisit.article.max` has. Sitemaps of robots.txt and of the head of a list, and its first feed, are read for that alone where pages of the site are kept.",
        "signals = false")
    gone_after: int = key(whole(1), 3,
        "A page is gone after so many visits that found it missing …",
        "gone_after = 2")
    gone_within: float = key(duration(), "3d",
        "… over at least this time.",
        'gone_within = "7d"')
    strict: bool = key(flag(), False,
        "The published form: policy `tx` without bounds, a change is a SimHash more than 5 bits away, the hash is stored at every visit.",
        "strict = false")
    times: dict[str, RevisitTimes]
# fmt: on

    @property
    def is_off(self) -> bool:
        """Whether no page is visited twice."""
        return self.policy == "off" and not self.strict

    @property
    def hears_signals(self) -> bool:
        """Whether a topic goes by signals: its form of method B knows them, and it wants them."""
        return self.signals and not self.strict and self.policy != "off"

    @classmethod
    def built(cls, plain: Json, place: KeyPlace, **others: Any) -> Self:
        """Build the tables of the classes, too."""
        times = {name: one.built(plain[name], place) for one in CLASSES for name in one.form.path[1:]}
        return super().built(plain, place, times=times, **others)


# fmt: off
class BoardTimes(RevisitTimes, path="revisit.board", doc="lists", defaults={"first": "1h"}, fixed={"min": "5m", "max": "1d", "until": "forever"}):
    """[revisit.board]."""


class FeedTimes(RevisitTimes, path="revisit.feed", doc="feeds and sitemaps", defaults={"first": "30m"}, fixed={"min": "10m", "max": "1d", "until": "forever"}):
    """[revisit.feed]."""


class ArticleTimes(RevisitTimes, path="revisit.article", doc="articles and all that has no table here", defaults={"first": "1d", "min": "1h", "max": "14d", "until": "30d"}):
    """[revisit.article]."""


class RecordTimes(RevisitTimes, path="revisit.record", doc="pages with records", defaults={"first": "7d", "max": "60d", "until": "forever"}, fixed={"min": "1d"}):
    """[revisit.record]."""


class ThreadTimes(RevisitTimes, path="revisit.thread", doc="threads of forums", defaults={"first": "6h", "max": "7d", "until": "60d"}, fixed={"min": "15m"}):
    """[revisit.thread]."""


CLASSES: tuple[type[RevisitTimes], ...] = (BoardTimes, FeedTimes, ArticleTimes, RecordTimes, ThreadTimes)
# fmt: on
"""The tables [revisit.CLASS]."""


PolicyName = Literal["index", "tx", "fixed", "off"]

HOUR, DAY = 3600.0, 86400.0

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


CLASS_TIMES: Mapping[PageClass, RevisitTimes] = {
    PageClass(one.form.path[-1]): one.built(
        {key.name: key.default for key in one.form.keys}, KeyPlace()
    )
    for one in CLASSES
}
"""What the tables say of themselves."""


@dataclass(frozen=True, slots=True)
class RevisitRules:
    """When pages are visited again; durations in seconds.

    ``budget`` is requests a second for coming again, None for what politeness allows. ``reservation`` is
    how long a queued page may stay unanswered before it is queued again; it must exceed the
    download timeout times the tries. ``candidates`` is m of B4: how many pages are looked at to
    choose from, at least (and four times as many as may be taken). ``memory`` is how much of the past
    counts after a visit at least (g), ``half_life`` after how long only half of it would (H);
    ``price_step`` how fast the price follows the worst page taken. ``strict`` is method B as
    published: policy tx without bounds, SimHash distance over 5, the hash stored at every visit.

    Raises ValueError when a number makes no sense.
    """

    policy: PolicyName = "index"
    classes: Mapping[PageClass, RevisitTimes] = field(default_factory=lambda: CLASS_TIMES)
    budget: float | None = None
    signals: bool = True
    gone_after: int = 3
    gone_within: float = 3 * DAY
    strict: bool = False
    # With a date out of reach, as published, 1 % of unanswered requests lost 41 % of 4,000 URLs in sixty
    # simulated days; with a reservation none, and the others were as fresh.
    reservation: float = 2 * HOUR
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
            if not 0 < times.first < inf or not 0 <= times.min <= times.max:
                raise ValueError(
                    f"revisit.{page_class}: 0 < first and 0 <= min <= max, not {times}"
                )
        if self.reservation <= 0 or self.candidates < 1 or self.gone_after < 1:
            raise ValueError("revisit: reservation, candidates and gone_after must be above 0")
        if not 0 < self.memory <= 1 or self.half_life <= 0:
            raise ValueError("revisit: memory is above 0 and at most 1, half_life above 0")

    @property
    def name(self) -> PolicyName:
        """The policy in force; strict is always tx."""
        return "tx" if self.strict else self.policy

    def times(self, page_class: PageClass) -> RevisitTimes:
        """Return the bounds of a class."""
        found = self.classes.get(page_class)
        return found or self.classes[SAME_AS.get(page_class, PageClass.ARTICLE)]

    @property
    def horizon(self) -> float:
        """No page is planned later than so many seconds from now; strict knows no such bound."""
        if self.strict:
            return inf
        longest = max(max(times.max, times.first) for times in self.classes.values())
        return max(longest, self.reservation, self.gone_within)


SHORTEST_RESERVATION = 7200.0  # of a crawl whose time-outs are short, too: its queues may be long

TRIES_FACTOR = 4
"""A reservation is so many times as long as all tries of a fetch may take."""


def visit_rules(template: Template) -> RevisitRules:
    """Return the rules of [revisit]. Of a topic with policy off states are kept as with index, so
    that another policy can go on from them; nothing is visited.
    """
    table = template.of(RevisitTable)
    timeout = float(template.settings.get("DOWNLOAD_TIMEOUT", ours.DOWNLOAD_TIMEOUT))
    tries = 1 + int(template.settings.get("RETRY_TIMES", ours.RETRY_TIMES))
    return RevisitRules(
        policy="index" if table.policy == "off" else table.policy,
        classes={PageClass(name): times for name, times in table.times.items()},
        budget=table.budget,
        signals=table.signals,
        gone_after=table.gone_after,
        gone_within=table.gone_within,
        strict=table.strict,
        reservation=max(SHORTEST_RESERVATION, TRIES_FACTOR * timeout * tries),
    )


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
    planned_by = [completed(template.language, {"revisit": revisit})["revisit"], every]
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
