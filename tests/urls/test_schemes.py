"""By which of http and https a site can be reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import same_pages
from focuscrawl.urls.canonical import Canonicalizer, UrlRules
from focuscrawl.urls.same_pages import SCHEMES, Schemes, other_address, other_scheme

pytestmark = pytest.mark.A8

HTTP, HTTPS = "http://a.test/1", "https://a.test/1"
URLS = st.sampled_from([HTTP, HTTPS])
STEPS = st.lists(st.tuples(st.sampled_from(["written", "answered", "refused"]), URLS), max_size=8)


def learnt(steps: list[tuple[str, str]]) -> Schemes:
    made = Schemes()
    for verb, url in steps:
        getattr(made, verb)("a.test", url)
    return made


@given(URLS)
def test_the_other_of_the_other_is_the_one(url: str) -> None:
    assert {url, other_scheme(url)} == {HTTP, HTTPS}
    assert other_scheme(other_scheme(url)) == url


@given(STEPS, URLS)
def test_only_what_was_written_or_answered_is_ever_tried(
    steps: list[tuple[str, str]], url: str
) -> None:
    known = learnt(steps)
    seen = any(verb != "refused" and other_scheme(one) == url for verb, one in steps)
    assert known.may_be_other("a.test", url, failed_before=True) == seen
    answered = ("answered", url) in steps
    assert known.may_be_other("a.test", url, failed_before=False) == (seen and not answered)
    assert not known.may_be_other("b.test", url, failed_before=True)


@given(STEPS, URLS)
def test_what_answers_is_refused_no_more(steps: list[tuple[str, str]], url: str) -> None:
    known = learnt(steps)
    known.refused("a.test", url)
    assert known.is_refused("a.test", url)
    assert not known.is_refused("b.test", url)
    known.answered("a.test", url)
    assert not known.is_refused("a.test", url)


@given(STEPS)
def test_what_was_learnt_holds_over_a_restart(steps: list[tuple[str, str]]) -> None:
    known, after = learnt(steps), Schemes()
    changed = known.changed()
    assert not known.changed(), "each change is told once"
    after.load({"a.test": {SCHEMES: changed.get("a.test", 0)}, "b.test": {}})
    for url in (HTTP, HTTPS):
        assert after.is_refused("a.test", url) == known.is_refused("a.test", url)
        for failed_before in (True, False):
            options = {"failed_before": failed_before}
            assert after.may_be_other("a.test", url, **options) == known.may_be_other(
                "a.test", url, **options
            )


def test_of_very_many_sites_only_those_that_were_asked_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(same_pages, "MOST_SITES", 3)
    known = Schemes()
    for number in range(9):
        known.written(f"{number}.test", HTTP)
    known.answered("asked.test", HTTP)
    assert known.may_be_other("2.test", HTTPS, failed_before=False)
    assert not known.may_be_other("3.test", HTTPS, failed_before=False)
    assert known.may_be_other("asked.test", HTTPS, failed_before=False)
    assert set(known.changed()) == {"0.test", "1.test", "2.test", "asked.test"}


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://a.test/x?b=1&a=2", "http://a.test/x?b=1&a=2"),
        ("http://a.test:8080/x", "https://a.test:8080/x"),
        ("https://a.test/%E4%B8%AD%b0%a1", "http://a.test/%E4%B8%AD%b0%a1"),
    ],
)
def test_the_other_address_of_a_page_differs_in_nothing_else(url: str, other: str) -> None:
    canonicalizer = Canonicalizer()
    assert other_address(canonicalizer, url) == other
    assert other_address(canonicalizer, other) == url


def test_where_both_are_two_pages_or_one_is_rewritten_there_is_no_other() -> None:
    distinct = Canonicalizer(UrlRules(scheme_same=False))
    assert other_address(distinct, HTTP) == ""
    rewritten = Canonicalizer(UrlRules(rewrite=(("^http:", "https:"),)))
    assert other_address(rewritten, HTTPS) == ""
