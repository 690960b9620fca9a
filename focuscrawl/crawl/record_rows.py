"""A record that was found on a page as the row that is stored of it (C7)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

from focuscrawl.records.rules import Found, FoundRecord, RecordRules
from focuscrawl.values import Json, Record, Waiting, record_class


def record_of(
    found: FoundRecord, rules: RecordRules, waiting: Waiting, at: float, number: int
) -> Record:
    """Return the ``number``-th record of a page, which was fetched ``at``."""
    data: Json = {}
    for rule in rules.fields:
        values = [one.value for one in found.values.get(rule.name, ())]
        if values:
            data[rule.name] = values if rule.many else values[0]
    missing = [rule.name for rule in rules.fields if rule.required and rule.name not in data]
    return record_class(rules.name)(
        record_type=rules.name,
        record_id=record_id(data, rules, waiting, number),
        host=waiting.site,
        url_key=waiting.key.hex(),
        url=waiting.url,
        data=data,
        evidence={
            name: _evidence(values, waiting.url, at) for name, values in found.values.items()
        },
        missing=missing,
        complete=not missing,
        fetched=at,
    )


def _evidence(values: Sequence[Found], url: str, at: float) -> Json:
    """Return where each value of a field is from; those after the first are ``others``."""
    said = [
        {"value": one.value, "raw": one.raw, "label": one.label, "url": url, "at": at}
        for one in values
    ]
    return {**said[0], **({"others": said[1:]} if said[1:] else {})}


def record_id(data: Json, rules: RecordRules, waiting: Waiting, number: int) -> str:
    """Return the MD5 of what tells a record from others: its key fields, or the host of its site.

    Spelling does not matter: width, case, white space. Without any key field it is the place: the
    page and, on it, the ``number`` of the block.
    """
    if rules.one_per == "site":
        told = [waiting.site]
    else:
        told = [_norm(data[name]) for name in rules.key if name in data]
        if not told:
            told = ["", waiting.key.hex(), "" if rules.one_per == "page" else str(number)]
    return hashlib.md5("\n".join(told).encode()).hexdigest()


def _norm(value: object) -> str:
    first = value[0] if isinstance(value, list) else value
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", str(first))).lower()
