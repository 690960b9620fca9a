"""What one file, or the arguments of a run, says: the layers a template is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focuscrawl.template.files import Reach
from focuscrawl.template.problems import Origin, Problem
from focuscrawl.template.toml import KeyPath, Lines


@dataclass(slots=True)
class Layer:
    """What one file (or the arguments) says: plain values and origins by path.

    Paths: ("topic", "title"), ("source", 0, "urls"), ("site", HOST, "delay"),
    ("output", "feeds", URI, "format"), ("settings", NAME). ``reach`` is where it may read files.
    """

    file: str
    folder: Path
    lines: Lines = field(default_factory=Lines)
    values: dict[KeyPath, Any] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    reach: Reach | None = None

    def complain(self, path: KeyPath, text: str) -> None:
        """Note a problem at the line of a path."""
        self.problems.append(Problem(self.origin(path), text))

    def origin(self, path: KeyPath) -> Origin:
        """Return where a path stands."""
        return Origin(self.file, self.lines.of(path))
