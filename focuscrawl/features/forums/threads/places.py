"""Who wrote each post of a page and when: by the place at which all of its posts say it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from lxml import etree

from focuscrawl.features.forums.elements import BoardRow, RowPath, path_in
from focuscrawl.features.forums.threads.authors import PersonName
from focuscrawl.features.forums.threads.outline import Outline
from focuscrawl.features.forums.threads.times import Stamp, rises_or_falls, with_zone
from focuscrawl.readers.text.dates import FoundDate

T = TypeVar("T")
_FAR_AWAY = 8.0  # what a sequence that rises or falls is worth, for each post
# Share of its worth that a place loses which comes several times in each post: remarks, reactions.
_AGAIN = 0.25
FEWEST_IN_ORDER = 3  # moments that show an order


class Clue(NamedTuple, Generic[T]):
    """Something that may be the author or the time of a post, and where it stands in it."""

    element: etree._Element
    place: RowPath
    value: T


def clues_in(
    outline: Outline, rows: Sequence[BoardRow], owners: Sequence[int], found: dict[int, T]
) -> list[list[Clue[T]]]:
    """Return for each row what was found in it, in order."""
    clues: list[list[Clue[T]]] = [[] for _ in rows]
    for place in sorted(found):
        owner = owners[place]
        if owner >= 0:
            element = outline.elements[place]
            clues[owner].append(Clue(element, path_in(element, rows[owner]), found[place]))
    return clues


def authors_of(clues: Sequence[Sequence[Clue[PersonName]]]) -> list[Clue[PersonName] | None]:
    """Return the author of each post: at the place where most speaks for it, else the likeliest name."""

    def worth(said: Sequence[PersonName]) -> float:
        weight = float(sum(name.weight for name in said))
        several = len({name.text for name in said}) > 1
        return weight if several or len(said) < FEWEST_IN_ORDER else 0.6 * weight

    return _chosen(clues, worth, lambda name: name.weight, least=1)


def times_of(clues: Sequence[Sequence[Clue[Stamp]]]) -> list[Clue[Stamp] | None]:
    """Return the time of each post: at the place where most speaks for it, above all an order."""

    def worth(said: Sequence[Stamp]) -> float:
        weight = float(sum(stamp.weight + 1 for stamp in said))
        moments = [stamp.date.seconds for stamp in said]
        if len(set(moments)) >= FEWEST_IN_ORDER and rises_or_falls(moments):
            weight += _FAR_AWAY * len(said) / 4
        return weight

    chosen = _chosen(clues, worth, lambda stamp: stamp.weight, least=0)
    return [
        one and one._replace(value=one.value._replace(date=with_zone(one.value.date, _dates(own))))
        for one, own in zip(chosen, clues, strict=True)
    ]


def _dates(clues: Iterable[Clue[Stamp]]) -> list[FoundDate]:
    return [clue.value.date for clue in clues]


def most_common(places: Iterable[RowPath | None]) -> RowPath | None:
    """Return the place that comes most often, None: each comes once, or none is known."""
    counts = Counter(place for place in places if place is not None)
    place, times = next(iter(counts.most_common(1)), (None, 0))
    return place if times > 1 else None


def _chosen(
    clues: Sequence[Sequence[Clue[T]]],
    worth: Callable[[Sequence[T]], float],
    weight: Callable[[T], int],
    least: int,
) -> list[Clue[T] | None]:
    by_place: dict[RowPath, list[T]] = defaultdict(list)
    again: Counter[RowPath] = Counter()
    for own in clues:
        places = Counter(clue.place for clue in own)
        again.update(place for place, times in places.items() if times > 1)
        for clue in own:
            if places.pop(clue.place, 0):
                by_place[clue.place].append(clue.value)
    likely = {
        place: worth(said) * (1 - _AGAIN * again[place] / len(said))
        for place, said in by_place.items()
        if max(map(weight, said)) >= least
    }
    best = max(likely, key=likely.__getitem__, default=None)
    chosen: list[Clue[T] | None] = []
    for own in clues:
        at_place = next((one for one in own if one.place == best), None)
        if at_place is None or weight(at_place.value) < least:
            others = [one for one in own if weight(one.value) >= least]
            at_place = max(others, key=lambda one: weight(one.value), default=None)
        chosen.append(at_place)
    return chosen
