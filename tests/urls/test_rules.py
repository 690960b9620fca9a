from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.canonical import DROPPED, Canonicalizer, ParameterNames, UrlRules
from tests.tables import each_row

TRACKING = ParameterNames(DROPPED)


@each_row(
    "field",
    [
        "utm_source=weibo",
        "UTM_Medium=x",
        "utm_",
        "spm=a2c4e.1",
        "spm_id_from=333.999",
        "from=timeline",
        "from=",
        "from",
        "share_token=8f3c-11",
        "isappinstalled=0",
        "PHPSESSID=0a1b2c",
        "ASPSESSIONIDQCSRT=ABC",
        "sid=2B0635435F516601223922E15E7B67EC",
        "bbs_session=0123456789abcdef0123",
    ],
)
def test_tracking_and_sessions_do_not_matter(field: str) -> None:
    assert TRACKING.holds(field)


@each_row(
    "field",
    [
        "id=1",
        "from=20",  # the first row of a result page
        "from=2026-01-01",
        "sid=12345",  # a section
        "sid=abcdefghijklmnopqrstuvwxyz",  # a word, however long
        "s=2B0635435F516601223922E15E7B67EC",  # more often a signature than a session
        "session=morning",
        "fromage=brie",
        "my_utm_source=x",
        "spmx=1",
        "ref=main",
        "page=2",
        "",
    ],
)
def test_what_may_choose_the_page_matters(field: str) -> None:
    assert not TRACKING.holds(field)


def test_a_name_covers_the_whole_name() -> None:
    names = ParameterNames(["t", "random*", "*_rnd"])
    assert [names.holds(field) for field in ("t=1", "random2=1", "a_rnd=1", "T=1")] == [True] * 4
    assert not any(names.holds(field) for field in ("tid=1", "xrandom=1", "a_rnd_b=1"))


def test_an_expression_is_searched_in_the_name_only() -> None:
    names = ParameterNames([r"re:^t\d+$", "re:rand"])
    assert names.holds("t12=x")
    assert names.holds("xrandx=1")
    assert not names.holds("a=t12")
    assert not names.holds("t=rand")


def test_an_entry_may_name_the_value_too() -> None:
    names = ParameterNames(["view=print", "order=*desc", r"re:^v$=^\d+$"])
    assert [names.holds(f) for f in ("view=print", "order=date_desc", "v=20")] == [True] * 3
    assert not any(names.holds(f) for f in ("view=full", "order=asc", "v=x", "view", "v="))


def test_signs_of_expressions_are_themselves_in_a_name() -> None:
    names = ParameterNames(["a.b", "c[]"])
    assert names.holds("a.b=1")
    assert names.holds("c[]=1")
    assert not names.holds("axb=1")


def test_an_endless_expression_is_switched_off_and_named() -> None:
    names = ParameterNames(["re:(a|aa)+$", "b"])
    assert not names.holds("a" * 60 + "!=1")
    assert names.too_slow == ["(a|aa)+$"]
    assert not names.holds("a=1")
    assert names.holds("b=1")


def test_what_is_no_expression_is_told() -> None:
    with pytest.raises(ValueError, match=r"no regular expression"):
        ParameterNames(["re:("])


def test_no_entries_hold_nothing() -> None:
    assert not ParameterNames(()).holds("utm_source=1")


@given(st.text(max_size=40))
def test_no_field_raises(field: str) -> None:
    assert TRACKING.holds(field) in (True, False)


def test_keep_wins_and_the_rest_stays_in_order() -> None:
    canonicalizer = Canonicalizer(UrlRules(drop=(*DROPPED, "t"), keep=("spm",)))
    assert canonicalizer.canonical("http://a.cn/?z=1&t=5&spm=2&utm_x=3&a=4&%E4=1") == (
        "http://a.cn/?z=1&spm=2&a=4&%E4=1"
    )
