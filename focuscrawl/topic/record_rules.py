"""What must hold between the keys of [record.NAME], its fields and the feeds that hold it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from focuscrawl.template.problems import Problem
from focuscrawl.template.toml import toml_text
from focuscrawl.topic.merge import FEEDS, Merged
from focuscrawl.topic.output import ITEMS
from focuscrawl.values import Json


def problems(merged: Merged, resolved: Json, *, whole: bool) -> Iterator[Problem]:
    """Go through what is wrong; ``whole`` is false when lines were left out."""
    for name, record in resolved["record"].items():
        if whole:
            yield from _record(merged, name, record)
    known = [*ITEMS, *resolved["record"]]
    for uri, feed in resolved["output"]["feeds"].items():
        for item in feed["items"] if whole else ():
            if item not in known:
                near = get_close_matches(item, known, 1)
                advice = "one of " + ", ".join(f'"{one}"' for one in known)
                advice += f'; nearest: "{near[0]}"' if near else ""
                where = f"[output.feeds.{toml_text(uri)}] items = {toml_text(item)}"
                yield Problem(merged.origin(*FEEDS, uri, "items"), f"{where}: {advice}")


def _record(merged: Merged, name: str, record: Json) -> Iterator[Problem]:
    title, fields = f"[record.{name}]", record["fields"]
    origin = merged.origin("record", name)
    if not fields:
        advice = f'write [record.{name}.fields] with lines such as phone = "电话|热线"'
        yield Problem(origin, f"{title}: no fields; {advice}")
        return
    for one in record["key"]:
        if one not in fields:
            where = f"{title} key = {toml_text(one)}"
            known = ", ".join(fields)
            yield Problem(
                merged.origin("record", name, "key"), f"{where}: one of the fields: {known}"
            )
    if not record["key"] and record["one_per"] != "site":
        advice = 'write key = ["name"], or required = true at a field'
        yield Problem(origin, f"{title} key: nothing tells two records apart; {advice}")
    for one, keys in fields.items():
        if not keys["labels"] and "labels" in keys["from"]:
            place = merged.origin("record", name, "fields", one)
            advice = f'write {one} = "…", or from = ["title"] without labels'
            yield Problem(place, f"[record.{name}.fields] {one}: labels are missing; {advice}")
