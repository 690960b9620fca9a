"""What must hold between the keys of [revisit.CLASS]."""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.revisit.table import CLASSES
from focuscrawl.template.problems import Problem
from focuscrawl.template.toml import toml_text
from focuscrawl.topic.merge import Merged
from focuscrawl.values import Json


def problems(merged: Merged, resolved: Json) -> Iterator[Problem]:
    """Go through what is wrong between keys."""
    for table in CLASSES:
        outer, name = table.path
        plain = resolved[outer][name]
        seconds = {key.name: key.kind.build(plain[key.name]) for key in table.keys}
        if seconds["first"] <= 0:
            where = f"{table.title()} first = {toml_text(plain['first'])}"
            yield Problem(merged.origin(*table.path, "first"), f"{where}: more than nothing")
        if seconds["min"] > seconds["max"]:
            given = "min" if (*table.path, "min") in merged.values else "max"
            least, most = toml_text(plain["min"]), toml_text(plain["max"])
            where = f"{table.title()} {given} = {toml_text(plain[given])}"
            reason = f"no visit is sooner than min, {least}, and later than max, {most}"
            yield Problem(merged.origin(*table.path, given), f"{where}: {reason}")
