"""Counts on how many pages of a run each word group of its topic was found, over all its workers; and the articles that
rest on one mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Self

from focuscrawl.kernel.feature import Feature, SharedNumber
from focuscrawl.readers.relevance.groups import EXCLUDE, GroupCounts, GroupPages
from focuscrawl.values import MOST_EXAMPLES, Finding

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.pages.content import Judged

_MANY_PAGES = 50
"""Pages that were looked through before a word is missed: a quiet morning reads some ten."""

_FEW_ARTICLES = 3
"""Articles that rest on one mention each, and a fifth of all: fewer the user notices while reading."""


class WordGroups(Feature):
    """The word groups of one run and the pages that have them."""

    name = "words"

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a topic that has words."""
        topic = kernel.template.topic
        return cls(kernel) if topic.keywords or topic.require else None

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._counts = GroupCounts(kernel.template.topic)
        self._articles = 0
        self._once = 0
        self._examples: list[str] = []

    def judged(self, flight: Flight | None, judged: Judged) -> tuple[()]:
        """Count a page whose text was looked through; a list has none."""
        if flight is not None and judged.groups is not None:
            self._counts.add(judged.groups)
            if (article := judged.article) is not None and article.hits and judged.page.relevant:
                self._articles += 1
                if sum(article.hits.values()) == 1:
                    self._once += 1
                    if len(self._examples) < MOST_EXAMPLES:
                        self._examples.append(article.url)
        return ()

    def shared_numbers(self) -> Iterator[SharedNumber]:
        """Return the counts, each by the number of its group: names may be long."""
        yield SharedNumber("words_judged", lambda: self._counts.judged, self._hear_judged)
        for number in range(len(self._counts.groups)):
            own = partial(self._counts.pages.__getitem__, number)
            yield SharedNumber(f"words_{number}", own, partial(self._hear, number))

    def _hear_judged(self, others: int) -> None:
        self._counts.others_judged = others

    def _hear(self, number: int, others: int) -> None:
        self._counts.others[number] = others

    def groups(self) -> Iterable[GroupPages]:
        """Return the word groups, each with the number of pages that have it."""
        return self._counts.sums()

    def findings(self) -> Iterator[Finding]:
        """Return words of which no page has one, and that many articles rest on one mention."""
        for group in self._counts.sums():
            if group.key != EXCLUDE and not group.pages and group.judged >= _MANY_PAGES:
                yield Finding("words", group.judged, (), f"{group.name} ({group.key})")
        if self._once >= max(_FEW_ARTICLES, self._articles / 5):
            yield Finding("mentions", self._once, self._examples, of=self._articles)
