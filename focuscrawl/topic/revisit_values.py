"""What the tables [revisit] and [revisit.CLASS] become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from focuscrawl.topic.revisit_kinds import Ignored


@dataclass(frozen=True, slots=True)
class RevisitTimes:
    """[revisit.CLASS]: seconds; ``until`` is inf for ever."""

    first: float
    min: float
    max: float
    until: float


@dataclass(frozen=True, slots=True)
class Revisit:
    """[revisit]: when to come again (B). ``budget`` is visits a second, None: what politeness allows.
    ``old`` is the share of it for pages past ``until``.

    ``times`` holds the table of each class by its name.
    """

    policy: Literal["index", "tx", "fixed", "off"]
    budget: float | None
    old: float
    objective: Literal["stale", "fresh", "delay"]
    continuous: bool
    ignore: Ignored
    signals: bool
    gone_after: int
    gone_within: float
    strict: bool
    times: dict[str, RevisitTimes]
