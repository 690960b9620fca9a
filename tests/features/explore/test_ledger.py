"""What is known of sites, and their bans."""

import json
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.explore.ledger import (
    BAN,
    MOST_EVIDENCE,
    MOST_FOLDERS,
    SITE_PATIENCE,
    BanRules,
    Ledger,
)
from focuscrawl.urls.sites import folder_number
from focuscrawl.values import MOST_STEPS

pytestmark = pytest.mark.E2

DAY = 86400.0
SITE = "a.example"
BAD, GOOD = folder_number("/bad"), folder_number("/good")


def pages(ledger: Ledger, folder: str, relevant: int, irrelevant: int, wall: float = 0.0) -> None:
    for number in range(relevant + irrelevant):
        url = f"http://{SITE}/{folder}/{number}.html"
        ledger.judged(url, SITE, number < relevant, wall)


def lucky() -> Ledger:
    """A ledger of a crawl half of whose pages are relevant."""
    ledger = Ledger(BanRules())
    pages(ledger, "good", 300, 200)
    return ledger


def test_a_folder_is_banned_by_its_rate_and_the_rest_of_the_site_is_not() -> None:
    ledger = lucky()
    pages(ledger, "bad", 0, 20)
    assert ledger.ban_of(SITE, BAD, 0.0) is None
    pages(ledger, "bad", 0, 1)
    ban = ledger.ban_of(SITE, BAD, 0.0)
    assert ban is not None
    assert (ban.why, ban.pages, ban.relevant) == ("rate", 21, 0)
    assert ledger.ban_of(SITE, GOOD, 0.0) is None
    assert ledger.why_not(f"http://{SITE}/bad/x", SITE, 0.0) == "ban:rate"
    assert ledger.why_not(f"http://{SITE}/good/x", SITE, 0.0) is None


def test_what_others_have_found_counts_for_the_rate_of_the_crawl() -> None:
    """A third of the pages are relevant here, and next to none elsewhere: the folder is not poor."""
    alone, shared = Ledger(BanRules()), Ledger(BanRules())
    for ledger in (alone, shared):
        pages(ledger, "good", 300, 200)
    shared.hear(pages=20_000)
    shared.hear(relevant=200)
    assert alone.rate == 0.6
    assert shared.rate == 500 / 20_500
    for ledger in (alone, shared):
        pages(ledger, "bad", 1, 21)
    assert alone.ban_of(SITE, BAD, 0.0)
    assert not shared.ban_of(SITE, BAD, 0.0)


def test_a_rich_folder_may_have_any_number_of_irrelevant_pages() -> None:
    ledger = lucky()
    assert ledger.counts(SITE, GOOD) == (500, 300)
    assert ledger.ban_of(SITE, GOOD, 0.0) is None


def test_a_ban_names_the_last_irrelevant_pages() -> None:
    ledger = lucky()
    pages(ledger, "bad", 0, 21)
    ban = ledger.ban_of(SITE, BAD, 0.0)
    assert ban is not None
    assert ban.evidence == tuple(
        f"http://{SITE}/bad/{number}.html" for number in range(21 - MOST_EVIDENCE, 21)
    )


def test_a_ban_ends_and_the_folder_has_its_whole_patience_again() -> None:
    ledger = lucky()
    pages(ledger, "bad", 0, 21, wall=5 * DAY)
    assert ledger.ban_of(SITE, BAD, 34 * DAY) is not None
    assert ledger.ban_of(SITE, BAD, 35 * DAY) is None
    assert ledger.counts(SITE, BAD) == (0, 0)
    pages(ledger, "bad", 0, 20, wall=36 * DAY)
    assert ledger.ban_of(SITE, BAD, 36 * DAY) is None


def test_a_ban_by_rate_is_taken_back_when_a_probe_is_relevant() -> None:
    ledger = Ledger(BanRules())
    for number in range(200):
        ledger.judged(f"http://b.example/{number}", "b.example", number % 5 == 0, 0.0)
    pages(ledger, "bad", 0, 21)
    assert ledger.ban_of(SITE, BAD, 0.0) is not None
    ledger.judged(f"http://{SITE}/bad/found", SITE, True, 0.0)
    assert ledger.ban_of(SITE, BAD, 0.0) is None


def test_a_crawl_without_any_luck_leaves_traps_too() -> None:
    ledger = Ledger(BanRules())
    pages(ledger, "bad", 0, 100)
    assert ledger.ban_of(SITE, BAD, 0.0) is not None


def test_a_site_that_spreads_its_trap_over_folders_is_banned_as_a_whole() -> None:
    ledger = Ledger(BanRules())
    for number in range(200):
        ledger.judged(f"http://b.example/{number}", "b.example", number % 2 == 0, 0.0)
    for number in range(SITE_PATIENCE * 20 + 1):
        ledger.judged(f"http://{SITE}/day{number}/", SITE, False, 0.0)
    ban = ledger.ban_of(SITE, folder_number("/day999"), 0.0)
    assert ban is not None
    assert ban.pages == SITE_PATIENCE * 20 + 1


def test_trusted_sites_are_never_banned_and_count_as_known() -> None:
    ledger = Ledger(BanRules(trusted=("example",)))
    pages(ledger, "bad", 0, 500)
    assert ledger.ban_of(SITE, BAD, 0.0) is None
    assert ledger.is_known("www.other.example:8080")
    assert not ledger.is_known("example.cn")


def test_hosts_named_in_the_template_mean_their_subdomains_unless_they_say_only() -> None:
    ledger = Ledger(BanRules(banned=("ads.example", "=b.example")))
    for site, is_banned in [
        ("ads.example", True),
        ("x.ads.example:81", True),
        ("nads.example", False),
        ("b.example", True),
        ("x.b.example", False),
    ]:
        assert ledger.is_named(site) == is_banned
        assert (ledger.why_not(f"http://{site}/", site, 0.0) == "ban:hand") == is_banned


def test_a_ban_by_hand_lasts_until_it_is_lifted_by_hand() -> None:
    ledger = lucky()
    ledger.ban(SITE)
    assert ledger.why_not(f"http://{SITE}/good/1", SITE, 1e12) == "ban:hand"
    pages(ledger, "good", 50, 0)
    assert ledger.why_not(f"http://{SITE}/good/1", SITE, 1e12) == "ban:hand"
    assert ledger.lift(SITE)
    assert ledger.why_not(f"http://{SITE}/good/1", SITE, 1e12) is None
    assert not ledger.lift(SITE)
    assert not ledger.lift("never-seen.example")


def test_one_folder_may_be_lifted_alone() -> None:
    ledger = lucky()
    pages(ledger, "bad", 0, 21)
    pages(ledger, "worse", 0, 25)
    assert ledger.lift(SITE, "/bad")
    assert ledger.ban_of(SITE, BAD, 0.0) is None
    assert ledger.ban_of(SITE, folder_number("/worse"), 0.0) is not None
    assert not ledger.lift(SITE, "/bad")


def test_of_a_site_with_endless_folders_only_some_are_remembered() -> None:
    ledger = Ledger(BanRules(trusted=(SITE,)))
    pages(ledger, "good", 5, 0)
    for number in range(2 * MOST_FOLDERS):
        ledger.judged(f"http://{SITE}/f{number}/", SITE, False, 0.0)
    ((_, record),) = ledger.records()
    assert len(record.folders) == MOST_FOLDERS
    assert ledger.counts(SITE, GOOD) == (5, 5)
    assert ledger.counts(SITE) == (2 * MOST_FOLDERS + 5, 5)


def test_the_nearest_page_says_how_near_a_folder_is() -> None:
    ledger = Ledger(BanRules())
    assert ledger.step(SITE, BAD) == MOST_STEPS
    for folder, step in (("bad", 7), ("bad", 4), ("bad", 6), ("good", 2)):
        ledger.judged(f"http://{SITE}/{folder}/1", SITE, False, 0.0, step)
    ledger.judged(f"http://{SITE}/new/1", SITE, False, 0.0)
    assert (ledger.step(SITE, BAD), ledger.step(SITE, GOOD)) == (4, 2)
    assert ledger.step(SITE, folder_number("/new")) == MOST_STEPS


def test_records_of_earlier_versions_say_nothing_about_steps() -> None:
    ledger = Ledger(BanRules())
    counts = [["", 3, 1, None, []], ["/bad", 3, 1, None, []]]
    ledger.load({SITE: {BAN: {"whole": counts[0], "folders": counts[1:]}}})
    assert ledger.counts(SITE, BAD) == (3, 1)
    assert ledger.step(SITE, BAD) == MOST_STEPS


JUDGED = st.tuples(
    st.sampled_from(["a.example", "b.example", "c.example:8080"]),
    st.sampled_from(["/x/1", "/y/1", "/1", "/新闻/1"]),
    st.booleans(),
    st.integers(0, MOST_STEPS),
)


@given(st.lists(JUDGED, max_size=200), st.booleans(), st.sampled_from([None, "a.example"]))
def test_records_go_through_json_and_say_the_same(
    judged: list[tuple[str, str, bool, int]], strict: bool, by_hand: str | None
) -> None:
    rules = BanRules(after=3, strict=strict, lasting=inf if strict else DAY)
    ledger = Ledger(rules)
    for site, path, relevant, step in judged:
        ledger.judged(f"http://{site}{path}", site, relevant, 7.0, step)
    if by_hand:
        ledger.ban(by_hand)
    stored = {site: {BAN: json.loads(json.dumps(kept))} for site, kept in ledger.changed().items()}
    assert ledger.changed() == {}
    again = Ledger(rules)
    again.load({**stored, "other.example": {"pages": 3}})
    assert (again.pages, again.relevant) == (ledger.pages, ledger.relevant)
    assert dict(again.records()) == dict(ledger.records())
    for site, path, _, _ in judged:
        url = f"http://{site}{path}"
        assert again.why_not(url, site, 8.0) == ledger.why_not(url, site, 8.0)
