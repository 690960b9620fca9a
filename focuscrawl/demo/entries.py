"""Articles before they are written out: what they tell, when they appear, change and vanish."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from focuscrawl.demo.texts import is_relevant, patterns, update, write
from focuscrawl.demo.truth import PART_BREAK, ArticleTruth, ChangeTruth, moment

LAST_DAY = 14
"""Articles appear, change and vanish up to this virtual day."""

PARAGRAPHS_OF_ONE_PAGE = (4, 7)
PARAGRAPHS_OF_A_PART = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One article of a site. Equal ``theme``, ``text_seed`` and ``event`` give the same text.

    ``part_urls`` are the addresses of its pages, the first is the article's. ``posted`` is the
    virtual day of publication (0 or earlier: it is there from the start). ``dropped`` paragraphs
    are left out at the end (a trimmed copy). ``full_url`` shows all parts on one page.
    """

    part_urls: tuple[str, ...]
    theme: str
    text_seed: str
    length: int
    posted: float
    source_name: str
    author: str
    event: str = ""
    copy_of: str = ""
    dropped: int = 0
    pager: str = "both"
    full_url: str = ""
    dated: bool = True
    changes: tuple[tuple[float, str], ...] = field(default=())

    @property
    def url(self) -> str:
        """The article's address: its first page."""
        return self.part_urls[0]

    @property
    def relevant(self) -> bool:
        """Whether it belongs to the topic."""
        return is_relevant(self.theme)

    def there(self, day: float) -> bool:
        """Whether the article can be read on this day."""
        state = self.posted <= max(day, 0.0)
        for when, kind in self.changes:
            if when <= day and kind in {"gone", "back"}:
                state = kind == "back"
        return state

    def version(self, day: float) -> int:
        """How often its text has changed by this day, plus one."""
        return 1 + sum(when <= day and kind in {"minor", "major"} for when, kind in self.changes)

    def last_change(self, day: float) -> float:
        """The day of the newest change so far, or of publication."""
        return max([self.posted, *(when for when, _ in self.changes if when <= day)])

    def title(self) -> str:
        """The headline; the same on every day."""
        return write(self.theme, self.text_seed, self.length, self.event).title

    def article(self, day: float) -> ArticleTruth:
        """Write the article as it is on this day."""
        return _article(self, self.version(day))

    def planted(self) -> tuple[ChangeTruth, ...]:
        """Every change of this article that a crawl should tell."""
        new = [(self.posted, "new")] if self.posted > 0 else []
        return tuple(ChangeTruth(self.url, when, kind) for when, kind in [*new, *self.changes])


@lru_cache(maxsize=8192)
def _article(entry: Entry, version: int) -> ArticleTruth:
    text = write(entry.theme, entry.text_seed, entry.length, entry.event)
    paragraphs = list(text.paragraphs[: len(text.paragraphs) - entry.dropped])
    edits = [kind for _, kind in entry.changes if kind in {"minor", "major"}]
    for number, kind in enumerate(edits[: version - 1]):
        if kind == "minor":
            paragraphs[1] = paragraphs[1].replace("。", f"（第{number + 1}次更正）。", 1)
        else:
            for place in (1, 2):
                seed = f"{entry.text_seed}/{number}/{place}"
                paragraphs.insert(place, update(entry.theme, seed, entry.event))
    parts = _parts(paragraphs, len(entry.part_urls))
    return ArticleTruth(
        url=entry.url,
        title=text.title,
        parts=tuple(PART_BREAK.join(part) for part in parts),
        part_urls=entry.part_urls,
        relevant=entry.relevant,
        published=moment(entry.posted) if entry.dated else None,
        source_name=entry.source_name,
        author=entry.author,
        event=entry.event,
        copy_of=entry.copy_of,
        version=version,
    )


def _parts(paragraphs: list[str], count: int) -> list[list[str]]:
    """Cut into ``count`` parts whose lengths differ by one at most, longer ones first."""
    size, more = divmod(len(paragraphs), count)
    parts, start = [], 0
    for number in range(count):
        end = start + size + (number < more)
        parts.append(paragraphs[start:end])
        start = end
    return parts


def draw_length(random: Random, parts: int) -> int:
    """Draw how many paragraphs an article of so many parts has."""
    if parts > 1:
        return parts * PARAGRAPHS_OF_A_PART
    return random.randint(*PARAGRAPHS_OF_ONE_PAGE)


def draw_parts(random: Random, number: int, multi: bool) -> int:
    """Draw how many pages an article has; number 3 of every board with long articles has ten."""
    if not multi:
        return 1
    if number == 3:
        return 10
    return random.choices((1, 2, 3, 4, 6), (66, 16, 9, 6, 3))[0]


def draw_changes(random: Random, posted: float) -> tuple[tuple[float, str], ...]:
    """Draw what will happen to an article: most stay as they are, some change, a few vanish."""
    first = int(max(posted, 0)) + 1
    if first >= LAST_DAY:
        return ()
    day = random.randint(first, LAST_DAY - 1) + 0.25
    kind = random.choices(("", "minor", "major", "gone", "twice", "away"), (82, 6, 5, 4, 2, 1))[0]
    if kind in {"", "minor", "major", "gone"}:
        return ((day, kind),) if kind else ()
    if kind == "twice":
        return ((day, "major"), (min(day + 3, LAST_DAY + 0.25), "minor"))
    return ((day, "gone"), (min(day + 4, LAST_DAY + 0.25), "back"))


def draw_author(random: Random) -> str:
    """Draw a pen name."""
    return random.choice(patterns("food", "reporter"))
