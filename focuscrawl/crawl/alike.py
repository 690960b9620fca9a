"""Learn from what pages show which addresses are one page, and which are a trap of copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.crawl.admit import Add
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.values import Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.fetched import Fetched, Judged


HTTP_OK = 200


def learn_likeness(
    judged: Judged, fetched: Fetched, waiting: Waiting, rules: AdmissionRules
) -> str:
    """Learn from a page that came for the first time; returns a sentence when it tells a trap.

    What scripts are to fill looks alike everywhere and says nothing.
    """
    same, site = rules.same, waiting.site
    if fetched.status == HTTP_OK and same.may_have_twin(fetched.url):
        same.note_read(rules.look(fetched.url).address.number)
    if not judged.shown or judged.is_scripted:
        return ""
    dropped, files = same.dropped.get(site), same.files.get(site)
    same.note(fetched.url, site, judged.shown)
    if same.dropped.get(site) != dropped:
        rules.starts.clear()  # addresses of this site have other keys from now on
        rules.known.clear()  # a link that was held for another page is looked at again
    elif same.files.get(site) != files:
        rules.known.clear()
    return rules.copies.note(fetched.url, waiting.site, judged.shown)


def unless_twin(add: Add, rules: AdmissionRules) -> Add:
    """Return what adds a link unless its page was read by its other address: X/ and X/index.html."""

    def add_one(waiting: Waiting, number: int) -> bool:
        return not is_twin_of_read(waiting, rules) and add(waiting, number)

    return add_one


def is_twin_of_read(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a URL is the other address of a page that this run has read.

    That the other one is known, or waits, is not enough: it may be a stale link, be refused by
    robots.txt, or lead back here, and then nobody would read the page.
    """
    if not waiting.first_walk or waiting.first_key:
        return False
    return any(map(rules.same.is_read, twin_numbers(waiting, rules)))


def twin_numbers(waiting: Waiting, rules: AdmissionRules) -> list[int]:
    """Return the key numbers of the other addresses of a URL's page."""
    twins = rules.same.twins(waiting.url, waiting.site)
    return [rules.look(twin).address.number for twin in twins]
