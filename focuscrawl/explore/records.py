"""The record of one site: what its pages were, folder by folder, and its bans with evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from focuscrawl.explore.steps import MOST_STEPS
from focuscrawl.urls.folders import folder_number
from focuscrawl.values import Json

MOST_EVIDENCE = 5
"""Irrelevant pages that are named behind a ban: the latest."""


class Ban(NamedTuple):
    """A ban in force until wall time ``until`` (inf: until lifted by hand).

    ``why`` is "hand", "rate" or "count"; ``pages`` and ``relevant`` are what it was founded on,
    ``evidence`` are addresses of irrelevant pages.
    """

    until: float
    why: str
    pages: int = 0
    relevant: int = 0
    evidence: tuple[str, ...] = ()


@dataclass(slots=True)
class Counts:
    """Judged pages of a site or of one folder (``name``); ``latest`` are irrelevant addresses.

    ``step`` is the least at which one of its pages was found: 0 when a relevant page links to it.
    """

    name: str = ""
    pages: int = 0
    relevant: int = 0
    ban: Ban | None = None
    latest: list[str] = field(default_factory=list)
    step: int = MOST_STEPS

    @property
    def irrelevant(self) -> int:
        """How many pages did not belong to the topic."""
        return self.pages - self.relevant

    def count(self, url: str, relevant: bool, step: int) -> None:
        """Count a page that was found at a step."""
        self.pages += 1
        self.step = min(self.step, step)
        if relevant:
            self.relevant += 1
            return
        self.latest.append(url)
        if len(self.latest) > MOST_EVIDENCE:
            del self.latest[0]

    def to_json(self) -> list[Any]:
        """Return everything as plain JSON."""
        ban = _ban_to_json(self.ban)
        return [self.name, self.pages, self.relevant, ban, self.latest, self.step]

    @classmethod
    def from_json(cls, kept: list[Any]) -> Counts:
        """Read what ``to_json`` wrote."""
        name, pages, relevant, ban, latest, *step = kept  # older files say no step
        known = int(step[0]) if step else MOST_STEPS
        return cls(str(name), int(pages), int(relevant), _ban_from_json(ban), [*latest], known)


@dataclass(slots=True)
class SiteRecord:
    """A site as a whole and its folders by number; ``has_bans`` spares most sites the look."""

    whole: Counts = field(default_factory=Counts)
    folders: dict[int, Counts] = field(default_factory=dict)
    has_bans: bool = False

    def ban(self, counts: Counts, until: float, why: str) -> Ban:
        """Ban the site (``counts`` is ``whole``) or a folder, with what speaks against it."""
        counts.ban = Ban(until, why, counts.pages, counts.relevant, tuple(counts.latest))
        self.has_bans = True
        return counts.ban

    def lift(self, counts: Counts, *, forget: bool = False) -> None:
        """End a ban; ``forget`` also sets its counts to nought."""
        counts.ban = None
        if forget:
            counts.pages = counts.relevant = 0
            counts.latest = []
        self.has_bans = any(one.ban for one in [self.whole, *self.folders.values()])

    def forget_folder(self) -> None:
        """Forget the folder that says least: no ban, no relevant page, fewest pages."""
        folders = self.folders
        least = min(
            folders,
            key=lambda number: (
                folders[number].ban is not None,
                folders[number].relevant,
                folders[number].pages,
            ),
        )
        del folders[least]

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        folders = [counts.to_json() for counts in self.folders.values()]
        return {"whole": self.whole.to_json(), "folders": folders}

    @classmethod
    def from_json(cls, kept: Json) -> SiteRecord:
        """Read what ``to_json`` wrote."""
        counts = [Counts.from_json(one) for one in kept.get("folders", ())]
        record = cls(
            Counts.from_json(kept["whole"]), {folder_number(one.name): one for one in counts}
        )
        record.has_bans = any(one.ban for one in [record.whole, *counts])
        return record


def _ban_to_json(ban: Ban | None) -> Any:
    if ban is None:
        return None
    until = None if ban.until == inf else ban.until
    return [until, ban.why, ban.pages, ban.relevant, [*ban.evidence]]


def _ban_from_json(kept: Any) -> Ban | None:
    if kept is None:
        return None
    until, why, pages, relevant, evidence = kept
    return Ban(inf if until is None else float(until), why, pages, relevant, tuple(evidence))
