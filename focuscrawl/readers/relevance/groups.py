"""On how many pages each word group of a topic was found: what an empty crawl says of its words.

A group that was found nowhere is misspelt, or the sources are about something else; one that was found
everywhere decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.locale.messages import _

if TYPE_CHECKING:
    from focuscrawl.template.table import Topic

KEYWORDS, REQUIRE, EXCLUDE = "keywords", "require", "exclude"
"""The keys of [topic] that hold word groups, in the order in which a page's score numbers them."""

MOST_GROUPS = 50
"""Groups that are counted: each worker tells the others of each with every window, and a person reads them.
Topics with more take them from a file, where one says little.
"""


class GroupPages(NamedTuple):
    """A word group of the key ``key``, by its first word, was found on ``pages`` of ``judged`` pages."""

    key: str
    name: str
    pages: int
    judged: int

    def __str__(self) -> str:
        return _("{name}: {pages:,} of {judged:,} pages").format(
            name=self.name, pages=self.pages, judged=self.judged
        )


class GroupCounts:
    """Counts pages by the groups found on them; those of other workers are heard of, and added."""

    def __init__(self, topic: Topic) -> None:
        named = ((KEYWORDS, topic.keywords), (REQUIRE, topic.require), (EXCLUDE, topic.exclude))
        self.groups = [(key, group.name) for key, words in named for group in words.groups]
        del self.groups[MOST_GROUPS:]
        self.judged = self.others_judged = 0
        self.pages = [0] * len(self.groups)
        self.others = [0] * len(self.groups)

    def add(self, found: frozenset[int]) -> None:
        """Count a page by the numbers of the groups found on it."""
        self.judged += 1
        for group in found:
            if group < MOST_GROUPS:
                self.pages[group] += 1

    def sums(self) -> Iterator[GroupPages]:
        """Go through the groups, as all workers together have found them."""
        judged = self.judged + self.others_judged
        counts = zip(self.groups, self.pages, self.others, strict=True)
        for (key, name), own, others in counts:
            yield GroupPages(key, name, own + others, judged)
