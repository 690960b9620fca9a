"""Why a source gives nothing, by what its page showed and what became of its links; and when it has given something."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from focuscrawl.values import Waiting

NO_TEXT = "no_text"
"""Its links were followed, and no page behind them has a text: reported when no URL waits any more."""

_FEWEST_FILES = 3
"""Links to files that make a list one of files: an article has one or two of its own."""


class SilentSource(NamedTuple):
    """What is known of a source's page: ``why`` it has given nothing ("" once it has), its address and site, and the
    id of its source, which several addresses may share.
    """

    why: str
    url: str
    site: str
    source_id: str


@dataclass(slots=True)
class SourcePage:
    """What is seen of a source's own page. ``refused`` counts its links by the rule that refused them,
    ``followed`` those that were not, known ones among them.
    """

    is_read: bool = False
    is_scripted: bool = False
    followed: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)


def why_silent(page: SourcePage) -> str:
    """Return why nothing comes of a page that was read: ``scripts``, ``files``, ``empty``, NO_TEXT, or the rule that
    refused most of its links.
    """
    if page.refused.get("suffix", 0) >= _FEWEST_FILES:
        return "files"
    if page.followed:
        return NO_TEXT
    if page.is_scripted:
        return "scripts"
    left = {rule: count for rule, count in page.refused.items() if rule != "repeated"}
    return max(left, key=lambda rule: left[rule]).partition(":")[0] if left else "empty"


class SilentSources:
    """The pages of sources by their keys, in hexadecimal."""

    def __init__(self) -> None:
        self.known: dict[str, SilentSource] = {}
        self._sites: Counter[str] = Counter()
        self._followed_at: defaultdict[str, set[str]] = defaultdict(set)
        self._followed_of: defaultdict[str, set[str]] = defaultdict(set)

    def put(self, key: str, source: SilentSource) -> None:
        """Keep what is known of one."""
        self.drop(key)
        self.known[key] = source
        self._sites[source.site] += 1
        if source.why == NO_TEXT:
            self._followed_at[source.site].add(key)
            self._followed_of[source.source_id].add(key)

    def drop(self, key: str) -> None:
        """Forget one."""
        if before := self.known.pop(key, None):
            self._sites[before.site] -= 1
            self._followed_at[before.site].discard(key)
            self._followed_of[before.source_id].discard(key)

    def given_by(self, waiting: Waiting) -> Iterator[str]:
        """Go through the silent sources that a page speaks for which has a text: the one that links to it, those on
        its site whose links were followed, for of several lists of a site each leads to what the others have not
        shown before; and where its site is no source's own, those under whose id it was found.
        """
        for key in (waiting.key.hex(), waiting.parent_key.hex()):
            if (found := self.known.get(key)) is not None and found.why:
                yield key
        if self._sites[waiting.site]:
            yield from [*self._followed_at.get(waiting.site, ())]
        else:
            yield from [*self._followed_of.get(waiting.source_id, ())]
