"""Learn from what pages show which addresses are one page, and which are a trap of copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from focuscrawl.crawl.admit import Add
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.values import Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.fetched import Fetched, Judged


class Known(Protocol):
    """The key numbers of the URLs that the frontier has had."""

    def __contains__(self, number: int, /) -> bool: ...


def learn_likeness(
    judged: Judged, fetched: Fetched, waiting: Waiting, rules: AdmissionRules
) -> str:
    """Learn from a page that came for the first time; returns a sentence when it tells a trap.

    What scripts are to fill looks alike everywhere and says nothing.
    """
    if not judged.shown or judged.is_scripted:
        return ""
    before = rules.same.dropped.get(waiting.site)
    rules.same.note(fetched.url, waiting.site, judged.shown)
    if rules.same.dropped.get(waiting.site) != before:
        rules.starts.clear()  # addresses of this site have other keys from now on
    return rules.copies.note(fetched.url, waiting.site, judged.shown)


def unless_twin(add: Add, rules: AdmissionRules, seen: Known) -> Add:
    """Return what adds a link unless the other address of its page is known: X/ and X/index.html."""

    def add_one(waiting: Waiting, number: int) -> bool:
        for twin in rules.same.twins(waiting.url, waiting.site):
            if rules.look(twin).address.number in seen:
                return False
        return add(waiting, number)

    return add_one


def is_twin_of_known(waiting: Waiting, rules: AdmissionRules, seen: Known) -> bool:
    """Whether a new URL, found before its site had shown it, is the index file of a known folder.

    Only the file gives way here: both may be waiting.
    """
    if waiting.url.endswith("/") or not waiting.first_walk or waiting.first_key:
        return False
    twins = rules.same.twins(waiting.url, waiting.site)
    return any(rules.look(twin).address.number in seen for twin in twins)
