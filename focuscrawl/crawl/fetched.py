"""What pages are judged by in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.forums.walks import Walk
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template


@dataclass(frozen=True, slots=True)
class Judging:
    """What pages are judged by in one run. ``walks`` are threads being read, by key (A9)."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    walks: Mapping[bytes, Walk] = field(default_factory=dict)
