"""Writes the demo web's Chinese: sentence patterns and word lists in, the same text for a seed out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

IRRELEVANT_THEMES = ("sport", "stage", "money", "travel", "digital", "home")
EVENT_SLOTS = ("city", "area", "shop", "product", "problem", "agency")
"""What all articles about one food event have in common."""

SLOT = re.compile(r"\{(?:(\w+)|(\d+)-(\d+))\}")

Slots = Mapping[str, str]
Patterns = Mapping[str, tuple[str, ...]]


class Text(NamedTuple):
    """A title and its paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


class Theme(NamedTuple):
    """One table of the word lists: ``like`` names the table that has what this one lacks."""

    lists: Patterns
    relevant: bool
    like: str


@cache
def _themes() -> dict[str, Theme]:
    folder = files("focuscrawl.demo")
    themes: dict[str, Theme] = {}
    for name in ("words.toml", "voices.toml"):
        for theme, table in tomllib.loads(folder.joinpath(name).read_text("utf-8")).items():
            relevant, like = table.pop("_relevant", False), table.pop("_like", "common")
            lists = {symbol: tuple(entries) for symbol, entries in table.items()}
            themes[theme] = Theme(lists, relevant, like)
    return themes


def is_relevant(theme: str) -> bool:
    """Whether texts of this theme belong to the demo's topic, food safety in Sichuan."""
    return _themes()[theme].relevant


def patterns(theme: str, symbol: str) -> tuple[str, ...]:
    """Return the list ``symbol`` of a theme, of the one it is like, or of the common table.

    Raises KeyError when none of them has it.
    """
    table = _themes()[theme]
    if symbol in table.lists:
        return table.lists[symbol]
    if theme == "common":
        raise KeyError(symbol)
    return patterns(table.like if table.like != theme else "common", symbol)


def say(theme: str, symbol: str, random: Random, slots: Slots | None = None) -> str:
    """Write one sentence or phrase: an entry of ``symbol`` with its slots filled.

    A slot named in ``slots`` takes that value, another one a random entry of its list.
    """
    fixed = slots or {}

    def fill(match: re.Match[str]) -> str:
        name, low, high = match.groups()
        if low is not None:
            return str(random.randint(int(low), int(high)))
        if name in fixed:
            return fixed[name]
        return say(theme, name, random, fixed)

    return SLOT.sub(fill, random.choice(patterns(theme, symbol)))


def event_slots(seed: str) -> dict[str, str]:
    """Return what happened where: the slots that all articles about one food event share."""
    random = Random(f"event/{seed}")
    return {name: random.choice(patterns("food", name)) for name in EVENT_SLOTS}


@lru_cache(maxsize=4096)
def write(theme: str, seed: str, paragraphs: int, event: str = "") -> Text:
    """Write an article of so many paragraphs (at least 2); ``event`` names the food event it tells."""
    random = Random(f"text/{theme}/{seed}")
    slots = event_slots(event) if event else {}
    title = say(theme, "title", random, slots)
    first = say(theme, "lead", random, slots) + say(theme, "lead_more", random, slots)
    written, said = [first], {first}
    while len(written) < paragraphs - 1:
        sentences = [_unsaid(theme, random, slots, said) for _ in range(random.randint(2, 3))]
        written.append("".join(sentences))
    written.append(_unsaid(theme, random, slots, said) + say(theme, "close", random, slots))
    return Text(title, tuple(written))


def _unsaid(theme: str, random: Random, slots: Slots, said: set[str]) -> str:
    """A body sentence that the article does not have yet; the subject stays, the details vary."""
    place = {name: slots[name] for name in ("city", "area") if name in slots}
    for _ in range(20):
        sentence = say(theme, "body", random, slots if random.random() < 0.4 else place)
        if sentence not in said:
            break
    said.add(sentence)
    return sentence


def update(theme: str, seed: str, event: str = "") -> str:
    """Write the paragraph that a major change adds to an article."""
    slots = event_slots(event) if event else {}
    return say(theme, "update", Random(f"update/{theme}/{seed}"), slots)
