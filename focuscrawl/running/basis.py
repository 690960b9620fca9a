"""What all parts that visit pages stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock


class Basis(NamedTuple):
    """One topic's run. ``sources`` are the template's by their ids, those of earlier names, too."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    store: Store
    frontier: Frontier
    clock: Clock
