"""What has become of an address: the one answer among all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from focuscrawl.output.explain.facts import KnownAddress, Verdict
from focuscrawl.stores.state.protocol import FAILED, PARKED
from focuscrawl.values import Json, PageClass

GIVEN_UP = "given up: "
"""How the reason of a page begins whose fetch has failed for good."""

_RULE = "rule:"
"""How the reason of a URL begins that a rule set aside when it was to be asked for."""

_AS_THEY_ARE = frozenset({"irrelevant", "old", "short", "dropped", "gone", "alias"})
"""Outcomes of the log book that are answers themselves."""

_KINDS = (("articles", "article"), ("threads", "thread"), ("records", "record"))


def find_verdict(known: KnownAddress) -> Verdict:
    """Return what has become of an address."""
    return _stored(known) or _asked_for(known) or _waits(known) or _not_there(known)


def _stored(known: KnownAddress) -> Verdict | None:
    stored = known.question.stored
    for table, kind in _KINDS:
        if not (row := next(iter(stored.get(table, ())), None)):
            continue
        gone = row.get("gone_at")
        told: Json = {"kind": kind, "since": row.get("found"), "title": row.get("title") or ""}
        if gone is not None:
            return Verdict("stored_gone", {**told, "gone": gone})
        if row.get("is_copy"):
            of = known.fact("story")
            return Verdict("stored_copy", {**told, "of": of.values["like"] if of else ""})
        return Verdict("stored", told)
    return None


def _asked_for(known: KnownAddress) -> Verdict | None:
    """Return what an address was that was asked for and is not stored."""
    page = known.question.page
    if not page or _is_tried_again(known):
        return None
    outcome, reason = page["outcome"], page.get("reason") or ""
    told: Json = {"reason": reason, "at": page["last_fetched"] or page["first_seen"]}
    if outcome == "error":
        why = reason.removeprefix(GIVEN_UP)
        is_over = reason.startswith(GIVEN_UP) or not known.question.row
        return Verdict("given_up" if is_over else "failed", {**told, "reason": why})
    if outcome == "parked" or (known.question.row and known.question.row.state == PARKED):
        return Verdict("parked", {**told, "reason": reason.removeprefix(_RULE)})
    if outcome == "part":
        of = known.fact("part")
        return Verdict("part", {**told, "of": of.values["of"] if of else ""})
    if outcome == "copy":
        of = known.fact("story")
        return Verdict("left_copy", {**told, "of": of.values["like"] if of else ""})
    if outcome == "refused":
        return Verdict("refused", told)
    if outcome in _AS_THEY_ARE:
        return Verdict(outcome, {**told, "status": page["status"]})
    return _read(page, told)


def _read(page: Mapping[str, Any], told: Json) -> Verdict:
    """Return what a page is that was read and holds nothing of its own: mostly a list."""
    told = {**told, "class": page["page_class"]}
    if page["page_class"] in {PageClass.ARTICLE, PageClass.THREAD} and page["outcome"] != "list":
        return Verdict("lost", told)
    return Verdict("list", told)


def _is_tried_again(known: KnownAddress) -> bool:
    row = known.question.row
    return row is not None and row.state == FAILED


def _waits(known: KnownAddress) -> Verdict | None:
    row = known.question.row
    if row is None:
        return Verdict("sent", {}) if known.is_sent else None
    if row.state == FAILED:
        return Verdict("failed", {"reason": row.reason, "next_try": row.next_try})
    if row.state == PARKED:
        return Verdict("parked", {"reason": row.reason.removeprefix(_RULE)})
    for kind, reason in (("parked_lane", "steps"), ("site_quota", "site_quota")):
        if (parked := known.fact(kind)) is not None:
            return Verdict("parked", {"reason": reason, **parked.values})
    if known.stops is not None:
        return Verdict("held_back", {"kind": known.stops.kind, **known.stops.values})
    place = known.question.place
    if known.runs and place is not None and not place.before_in_site:
        return Verdict("in_flight", {})
    return Verdict("waits", {"level": row.waiting.level})


def _not_there(known: KnownAddress) -> Verdict:
    """Return why an address is not there of which nothing is stored."""
    if known.has_seen:
        return Verdict("known_only", {})
    if known.stops is not None:
        return Verdict("would_be_refused", {"kind": known.stops.kind, **known.stops.values})
    if known.question.is_source:
        return Verdict("source_to_come", {})
    linking = [one.url for one in known.lists if one.links]
    if linking:
        return Verdict("not_followed", {"lists": linking})
    return Verdict("not_linked", {"lists": [one.url for one in known.lists]})
