"""Judges the stories of a crawl of the demo web: copies joined, events told as one (D)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from focuscrawl.demo.report import Finding, Kept, plain
from focuscrawl.demo.truth import ArticleTruth

Articles = Mapping[str, ArticleTruth]
"""Relevant articles by plain address."""


def origin(truth: ArticleTruth) -> str:
    """Return the address of the article that this one is a copy of, or its own."""
    return plain(truth.copy_of or truth.url)


def rightly_joined(articles: Articles, kept: Kept) -> set[str]:
    """Return the copies that became members of a story in which their text is stored already."""
    found = set()
    for url, truth in articles.items():
        member = kept.members.get(url)
        like = plain(str(member["like_url"])) if member and member["like_url"] else ""
        if member and member["relation"] == "copy" and like in articles:
            found |= {url} if origin(articles[like]) == origin(truth) else set()
    return found


def telling(articles: Articles, kept: Kept) -> list[Finding]:
    """Judge copies and events. Of some copies the first one found is stored."""
    joined = rightly_joined(articles, kept)
    groups: dict[str, list[str]] = defaultdict(list)
    for url, truth in articles.items():
        groups[origin(truth)].append(url)
    planted = sum(len(group) - 1 for group in groups.values())
    missed = [
        url
        for group in groups.values()
        if len(group) > 1
        for url in sorted(set(group) - joined)[1:]  # one of them is stored
    ]
    wrong = sorted(
        f"{url} (like {kept.members[url]['like_url']})"
        for url in (articles.keys() - joined) & kept.members.keys()
        if kept.members[url]["relation"] == "copy"
    )
    return [
        Finding("copies joined", planted - len(missed), planted, tuple(missed)),
        Finding("no copies, not joined", len(articles) - planted - len(wrong), len(articles) - planted, tuple(wrong)),
        *_events({url: truth for url, truth in articles.items() if url not in joined}, kept),
    ]  # fmt: skip


def _events(told: Articles, kept: Kept) -> list[Finding]:
    """Judge whether different texts about one event are one story, and others are not in it."""
    stories: dict[str, Counter[str]] = defaultdict(Counter)
    events: dict[str, set[str]] = defaultdict(set)
    numbers: Counter[str] = Counter()
    for url, truth in told.items():
        event = truth.event or url
        member = kept.members.get(url)
        story = str(member["story_id"]) if member else url
        stories[story][event] += 1
        events[event].add(story)
        numbers[event] += 1
    further = sum(numbers.values()) - len(numbers)
    together = sum(numbers[event] - len(found) for event, found in events.items())
    strangers = sum(counted.total() - max(counted.values()) for counted in stories.values())
    return [
        Finding("further texts of an event in its story", together, further, note="texts share little but names"),
        Finding("in a story of their event", len(told) - strangers, len(told)),
    ]  # fmt: skip
