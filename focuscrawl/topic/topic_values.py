"""What the tables [topic], [[source]] and [relevance] become."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from focuscrawl.template.kinds.words import Words


@dataclass(frozen=True, slots=True)
class Topic:
    """[topic]: what we look for."""

    name: str
    title: str
    keywords: Words
    require: Words
    exclude: Words
    language: Literal["zh", "en", "auto"]
    timezone: ZoneInfo
    dictionary: tuple[str, ...]
    tags: tuple[str, ...]
    strict: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One [[source]]. ``level`` is filled in; ``source_id`` names it in the results."""

    urls: tuple[str, ...]
    kind: Literal["auto", "board", "article", "feed", "sitemap", "forum"]
    level: int
    every: float | None
    relevant: Literal["judge", "all"]
    tags: tuple[str, ...]
    name: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Relevance:
    """[relevance]: when a page belongs to the topic. ``model`` is where the file is."""

    threshold: float
    title_weight: float
    hints: tuple[str, ...]
    model: Path | None
