"""The report of the demo's days: what was found and told, what was not, and what it cost (B)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean, median
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.demo.entries import Entry
from focuscrawl.demo.forum import Thread
from focuscrawl.demo.report import Finding, Kept, Request, plain
from focuscrawl.demo.stories import rightly_joined
from focuscrawl.demo.threads import Threads, posting
from focuscrawl.demo.told import Match, Must, Told, match_all
from focuscrawl.demo.truth import ChangeTruth, Page
from focuscrawl.demo.verdicts import recording, storing
from focuscrawl.demo.web import DemoWeb

A_DAY = 1.0
MOST_HOURS = 24
UNCHANGED_STATUS = 304

AT_LAST = frozenset(
    {
        "relevant articles stored",
        "text right and whole",
        "company records equal to their truth",
        "threads with all posts right",
    }
)
"""What must be as it is on the last day, of the findings of one crawl."""

CHANGES_TOLD = {
    ("new", "article"): "new articles told",
    ("new", "thread"): "new threads told",
    ("major", "article"): "large edits told as such",
    ("minor", "article"): "small edits told as such",
    ("gone", "article"): "removals told",
    ("back", "article"): "returns told",
    ("major", "record"): "changed records told",
}


class Days(NamedTuple):
    """What the crawls of some days were to see, from the truth alone.

    What was planted until the day ``until`` must be told. ``steps`` are the days of the crawls,
    ``pages`` says how many pages were in reach on each of them, ``last`` are those of the last.
    A page must be away for ``patience`` days before it is surely told as gone.
    """

    web: DemoWeb
    until: float
    steps: Sequence[float]
    pages: Sequence[int]
    last: Mapping[str, Page]
    patience: float

    def articles(self) -> list[Entry]:
        """Return the articles of all days that are in reach."""
        hosts = {urlsplit(url).hostname for url in self.last}
        return [entry for entry in self.web.entries() if urlsplit(entry.url).hostname in hosts]

    def is_to_be_had(self, entry: Entry) -> bool:
        """Whether an article ever comes whole."""
        page = self.web.page(entry.url, max(entry.posted, 0.0))
        return page is not None and (page.trouble is None or page.trouble.times is not None)

    def threads(self) -> list[Thread]:
        """Return the threads about the topic that are opened until the last crawl."""
        last = self.steps[-1]
        threads = (thread for thread in self.web.forum.threads if thread.written(last))
        return [thread for thread in threads if thread.truth(last).relevant]

    def step_of_first(self, thread: Thread) -> float:
        """Return the day of the first crawl that sees a thread."""
        return next(step for step in self.steps if thread.written(step))

    def step_of(self, day: float) -> float:
        """Return the day of the crawl that was under way at a moment."""
        return max((step for step in self.steps if step <= day), default=0.0)


def reporting(
    days: Days, log: Sequence[Request], kept: Kept, threads: Threads, told: Sequence[Told]
) -> list[Finding]:
    """Judge the crawls of some days; every miss of what must be told makes the demo fail."""
    articles = {plain(entry.url): entry for entry in days.articles() if entry.relevant}
    last = days.steps[-1]
    copies = rightly_joined({url: entry.article(last) for url, entry in articles.items()}, kept)
    originals = {url: entry for url, entry in articles.items() if url not in copies}
    replies = [row for row in told if row.kind == "reply"]
    rows = [row for row in told if row.kind != "reply"]
    must = _must(days)
    matches = {
        what: match_all(planted, [row for row in rows if row.what == what], must)
        for what, planted in _planted(days, originals).items()
    }
    odd = [row for row in rows if row.what not in matches]
    return [
        _found(days, log),
        *(_told(kind, what, matches[what]) for kind, what in CHANGES_TOLD),
        _replied(days, replies),
        *_too_much(matches, odd, len(rows)),
        _unwatched(days, [articles[url] for url in copies], len(articles)),
        *_at_last(days, copies, log, kept, threads),
        _cost(days, log),
    ]


def _planted(days: Days, articles: Mapping[str, Entry]) -> dict[str, list[ChangeTruth]]:
    """Return all there was to tell, by what it is about; replies are judged by their number.

    What stood there at the first crawl is known, and no news.
    """
    return {
        "article": [change for entry in articles.values() for change in entry.planted()],
        "record": [change for owner in days.web.companies for change in owner.planted()],
        "thread": [
            ChangeTruth(thread.address(1), thread.times[0], "new")
            for thread in days.threads()
            if thread.times[0] > 0
        ],
    }


def _must(days: Days) -> Must:
    """Return the test whether a crawl must tell a change: it is early enough, of a page that comes whole,
    and no short absence. It may tell others.
    """
    free: set[ChangeTruth] = set()
    for entry in days.articles():
        if not days.is_to_be_had(entry):
            free.update(entry.planted())
        for change, following in pairwise(entry.planted()):
            if following.kind == "back" and following.day - change.day < days.patience:
                free |= {change, following}
    return lambda change: change.day <= days.until and change not in free


def _found(days: Days, log: Iterable[Request]) -> Finding:
    """Judge whether every new article was fetched within a day, about the topic or not."""
    first: dict[str, float] = {}
    for request in log:
        if request.good:
            first.setdefault(plain(request.url), request.day)
    new = {
        plain(entry.url): entry.posted
        for entry in days.articles()
        if 0 < entry.posted <= days.until and days.is_to_be_had(entry)
    }
    waits = {url: first[url] - posted for url, posted in new.items() if url in first}
    late = [f"{url} (never)" for url in new if url not in waits]
    late += [f"{url} (after {wait:.1f} days)" for url, wait in waits.items() if wait > A_DAY]
    hours = sorted(wait * MOST_HOURS for wait in waits.values())
    note = f"half within {median(hours):.0f} h, the last after {hours[-1]:.0f} h" if hours else ""
    return Finding("new articles found within a day", len(new) - len(late), len(new), tuple(late), fatal=True, note=note)  # fmt: skip


def _told(kind: str, what: str, match: Match) -> Finding:
    """Judge the planted changes of one kind."""
    right = [pair for pair in match.right if pair.planted.kind == kind]
    missed = [change for change in match.missed if change.kind == kind]
    wrong = [pair for pair in match.wrong if pair.planted.kind == kind]
    misses = [f"{change.url} (of day {change.day:g}, not told)" for change in missed]
    misses += [f"{pair.told}, is {kind} since day {pair.planted.day:g}" for pair in wrong]
    total = len(right) + len(misses)
    hours = [(pair.told.day - pair.planted.day) * MOST_HOURS for pair in right]
    note = f"after {mean(hours):.0f} h, {max(hours):.0f} at most" if hours else ""
    return Finding(
        CHANGES_TOLD[kind, what], len(right), total, tuple(misses), fatal=True, note=note
    )


def _replied(days: Days, rows: Sequence[Told]) -> Finding:
    """Judge whether each reply was told in one row, with the numbers before and after."""
    told: dict[str, list[Told]] = defaultdict(list)
    for row in rows:
        told[row.url].append(row)
    right = total = 0
    misses = []
    for thread in days.threads():
        url, known = plain(thread.address(1)), thread.truth(days.step_of_first(thread)).replies
        total += max(0, thread.truth(days.until).replies - known)
        for row in told.pop(url, ()):
            now = thread.truth(days.step_of(row.day)).replies
            if row.fields.get("replies") != [known, now]:
                misses.append(f"{row}: {row.fields.get('replies')}, is {[known, now]}")
            known, right = now, right + now - known
    total = max(total, right)
    misses += [str(row) for rows in told.values() for row in rows]
    if right < total:
        misses.append(f"{total - right} replies that no row tells of")
    return Finding("replies told", right, total, tuple(misses), fatal=True, note=f"by {len(rows)} rows")  # fmt: skip


def _too_much(matches: Mapping[str, Match], odd: Iterable[Told], number: int) -> list[Finding]:
    """Judge what was told twice, and what was told though it has not happened."""
    again = [str(row) for match in matches.values() for row in match.again]
    false = [str(row) for match in matches.values() for row in match.odd]
    false += [str(row) for row in odd]
    return [
        Finding("rows that tell nothing twice", number - len(again), number, tuple(again), fatal=True),
        Finding("rows that tell of what has happened", number - len(false), number, tuple(false), fatal=True),
    ]  # fmt: skip


def _unwatched(days: Days, copies: Collection[Entry], number: int) -> Finding:
    """Count what is not judged: a copy is joined to its original, and not visited again."""
    changes = [
        change
        for entry in copies
        for change in entry.planted()
        if change.kind != "new" and change.day <= days.until
    ]
    note = f"not watched; {len(changes)} edits and removals of them are not told"
    return Finding("articles that are copies", len(copies), number, note=note)


def _at_last(
    days: Days, copies: Collection[str], log: Sequence[Request], kept: Kept, threads: Threads
) -> Iterator[Finding]:
    """Judge whether what is stored is what was there on the last day.

    ``copies`` are left out here: what they were copied from may have gone since; and pages that have
    changed too late to be visited for sure.
    """
    late = {plain(change.url) for change in days.web.changes() if change.day > days.until}
    late -= {plain(thread.address(1)) for thread in days.threads()}
    left_out = late.union(copies)
    last = {url: page for url, page in days.last.items() if plain(url) not in left_out}
    findings = (
        *storing(last, list(log), kept),
        *recording(last, kept),
        *posting(last, threads),
    )
    for finding in findings:
        if finding.name in AT_LAST:
            yield replace(finding, name=f"at last: {finding.name}", fatal=True)


def _cost(days: Days, log: Iterable[Request]) -> Finding:
    """Count all requests since the first crawl, against every page once in each of the others."""
    asked = Counter(request.status for request in log if request.day > days.steps[0])
    every = sum(days.pages[1:])
    share = f"{asked.total() / every:.0%} of reading everything each time" if every else ""
    note = f"{share}, {asked[UNCHANGED_STATUS]} answered 304"
    return Finding("requests after the first crawl", asked.total(), every, note=note)
