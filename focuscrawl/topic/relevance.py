"""When a page belongs to the topic: the plain test by words."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.topic.template import Topic


class Verdict(NamedTuple):
    """Whether a page belongs to the topic.

    ``reason`` says why not: "keywords", "require:四川" (the first synonym of the missing group) or
    "exclude:招聘"; "" for a relevant page. ``hits`` are the keywords and required words found in
    title and text, with their counts.
    """

    relevant: bool
    reason: str
    hits: dict[str, int]


def judge(topic: Topic, title: str, text: str) -> Verdict:
    """Judge a page by its title and main text.

    It is relevant when a keyword group is found or none is asked, each ``require`` group is found
    in title or text, no ``exclude`` word is in the title, and none is in the text at least as
    often as all keywords together.
    """
    in_text = topic.keywords.count(text)
    hits = dict(in_text)
    for word, times in topic.keywords.count(title).items():
        hits[word] = hits.get(word, 0) + times
    found = bool(hits) or not topic.keywords
    missing, required = _required(topic, title, text)
    hits = required | hits
    if not found:
        return Verdict(False, "keywords", hits)
    if missing:
        return Verdict(False, f"require:{missing}", hits)
    excluded = _excluded(topic, title, text, sum(in_text.values()))
    return Verdict(not excluded, f"exclude:{excluded}" if excluded else "", hits)


def _required(topic: Topic, title: str, text: str) -> tuple[str, dict[str, int]]:
    """Return the name of a required group that is missing, or "", and the words found."""
    if not topic.require:
        return "", {}
    hits: dict[str, int] = {}
    groups = set()
    for part in (title, text):
        words: dict[str, int] = {}
        for hit, times in topic.require.hits(part).items():
            groups.add(hit.group)
            words[hit.written] = max(times, words.get(hit.written, 0))
        for word, times in words.items():
            hits[word] = hits.get(word, 0) + times
    for number, group in enumerate(topic.require.groups):
        if number not in groups:
            return group.name, hits
    return "", hits


def _excluded(topic: Topic, title: str, text: str, keywords: int) -> str:
    """Return the word that excludes a page, or ""."""
    if not topic.exclude:
        return ""
    for word in topic.exclude.count(title):
        return word
    by_group: dict[int, int] = {}
    first: dict[int, str] = {}
    for hit, times in topic.exclude.hits(text).items():
        by_group[hit.group] = by_group.get(hit.group, 0) + times
        first.setdefault(hit.group, hit.written)
    return next((first[group] for group, times in by_group.items() if times >= keywords), "")
