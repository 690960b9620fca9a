"""The one answer among all that is known of an address."""

from __future__ import annotations

from hashlib import md5
from typing import Any

from focuscrawl.output.explain.facts import Fact, KnownAddress, ListSeen, Question
from focuscrawl.output.explain.verdict import find_verdict
from focuscrawl.output.explain.words import VERDICTS
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING, QueuePlace, Row
from focuscrawl.values import Waiting
from tests.tables import each_row

URL = "http://a.cn/news/1.html"
KEY = md5(URL.encode()).digest()
NOW = 1_780_000_000.0


def row(state: int = WAITING, reason: str = "", **more: Any) -> Row:
    waiting = Waiting(URL, KEY, "a.cn", 3, 3, **more)
    return Row(7, waiting, state, 1 if reason else 0, NOW - 60, None, reason)


def page(
    outcome: str, reason: str = "", page_class: str = "article", **more: Any
) -> dict[str, Any]:
    return {
        "url": URL,
        "page_class": page_class,
        "outcome": outcome,
        "reason": reason,
        "status": 200,
        "first_seen": NOW,
        "last_fetched": NOW,
        "score": None,
        "title": "",
        "anchor": "",
        "parent_key": "",
        **more,
    }


def known(*facts: Fact, **about: Any) -> KnownAddress:
    of_address = {
        name: about.pop(name) for name in ("row", "stored", "is_source", "place") if name in about
    }
    if (one := about.pop("page", None)) is not None:
        of_address["stored"] = {**of_address.get("stored", {}), "pages": [one]}
    question = Question(URL, KEY, 1, "a.cn", NOW, **of_address)
    return KnownAddress(question, [*facts], **about)


REFUSED = Fact("rule", {"reason": "deny", "because": "/news/"}, stops=True)
FATES = {
    "stored": known(stored={"articles": [{"found": NOW, "title": "x"}]}, page=page("unchanged")),
    "stored_gone": known(stored={"articles": [{"found": NOW, "gone_at": NOW}]}),
    "stored_copy": known(stored={"articles": [{"found": NOW, "is_copy": True}]}),
    "left_copy": known(page=page("copy")),
    "lost": known(page=page("stored")),
    "part": known(page=page("part", page_class="article_paging")),
    "list": known(page=page("list", page_class="board")),
    "irrelevant": known(page=page("irrelevant", "keywords")),
    "old": known(page=page("old", "article.since")),
    "short": known(page=page("short", "article.min_length")),
    "dropped": known(page=page("dropped", "mine")),
    "gone": known(page=page("gone", "http 404", status=404)),
    "alias": known(page=page("alias", status=0)),
    "refused": known(page=page("refused", "robots", status=0)),
    "given_up": known(page=page("error", "given up: http 500", status=500)),
    "failed": known(page=page("error", "http 500", status=500), row=row(FAILED, "http 500")),
    "parked": known(page=page("parked", "rule:deny", status=0), row=row(PARKED, "rule:deny")),
    "held_back": known(REFUSED, row=row()),
    "in_flight": known(row=row(), runs=True, place=QueuePlace(9, 3, 0)),
    "waits": known(row=row(), runs=True, place=QueuePlace(9, 3, 1)),
    "sent": known(is_sent=True, has_seen=True),
    "known_only": known(REFUSED, has_seen=True),
    "would_be_refused": known(REFUSED),
    "source_to_come": known(is_source=True),
    "not_followed": known(lists=[ListSeen("http://a.cn/", "board", "list", NOW, None, True)]),
    "not_linked": known(lists=[ListSeen("http://a.cn/", "board", "list", NOW, None, False)]),
}


@each_row("fate", FATES)
def test_each_fate_is_told_from_what_is_known(fate: str) -> None:
    assert find_verdict(FATES[fate]).fate == fate


def test_every_fate_has_its_sentence() -> None:
    assert FATES.keys() | {"no_address"} == VERDICTS.keys()


def test_a_page_that_fails_now_but_is_stored_is_stored() -> None:
    both = known(
        stored={"articles": [{"found": NOW}]},
        page=page("error", "http 500", status=500),
        row=row(FAILED, "http 500"),
    )
    assert find_verdict(both).fate == "stored"


def test_a_link_beyond_the_steps_of_exploration_is_parked() -> None:
    lane = Fact("parked_lane", {"score": 0.2, "step": 12, "steps": 10})
    told = find_verdict(known(lane, row=row(explore=True)))
    assert (told.fate, told.values["reason"], told.values["step"]) == ("parked", "steps", 12)


def test_a_link_behind_the_quota_of_an_unknown_site_is_parked() -> None:
    told = find_verdict(known(Fact("site_quota", {"ahead": 20, "most": 15}), row=row(explore=True)))
    assert (told.fate, told.values["reason"]) == ("parked", "site_quota")


def test_the_reason_of_what_is_set_aside_is_the_rules_own() -> None:
    assert find_verdict(FATES["parked"]).values["reason"] == "deny"
    assert find_verdict(FATES["given_up"]).values["reason"] == "http 500"
