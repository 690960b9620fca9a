"""What is known and what is news: the moments of a topic, and what follows from them for a URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.baseline.moments import Moments, admits_otherwise
from focuscrawl.readers.links.admission import admit
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.template.load import load
from focuscrawl.values import SIGNALS, Json, Link, LinkBatch, PageClass, PageState, Waiting
from tests.clock import NOON
from tests.tables import each_row

pytestmark = pytest.mark.baseline

START, CHANGED, UPGRADED = NOON, NOON + 5_000, NOON + 9_000
MOMENTS = Moments(START, CHANGED, before=100, upgraded=UPGRADED)
TOPIC = '[topic]\nname = "food"\nkeywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
FOUND = Waiting("http://a.cn/1", b"k" * 16, "a.cn", 3, 3, parent_key=b"p" * 16)
VISIT = FOUND._replace(first_walk=False)


def state(last_fetched: float) -> PageState:
    return PageState(b"k" * 16, FOUND.url, "a.cn", PageClass.BOARD, 3, NOON, last_fetched, None, 1)


@each_row(
    ("waiting", "sequence", "visited", "baseline"),
    [
        (FOUND, 500, None, 0),
        (FOUND._replace(baseline=7), 5, None, 7),
        (FOUND, 99, None, UPGRADED),
        (FOUND, 100, None, 0),
        (FOUND, 0, None, 0),
        (VISIT, 99, None, 0),
        (VISIT, 500, CHANGED - 1, CHANGED - 1),
        (VISIT, 500, CHANGED, 0),
        (FOUND._replace(source_id=f"{SIGNALS}a.cn"), 500, None, START),
        (VISIT._replace(source_id=f"{SIGNALS}a.cn"), 500, CHANGED + 1, 0),
    ],
)
def test_a_url_gets_its_baseline_when_its_row_does_not_bear_it(
    waiting: Waiting, sequence: int, visited: float | None, baseline: float
) -> None:
    before = None if visited is None else state(visited)
    assert MOMENTS.baseline_of(waiting, sequence, before) == int(baseline)


def test_a_topic_whose_template_never_changed_reads_nothing_under_other_rules() -> None:
    assert not Moments(START).is_under_other_rules(state(NOON))
    assert Moments(START).baseline_of(VISIT, 5, state(NOON)) == 0


@given(st.floats(-1e11, 1e11) | st.none(), st.integers(0, 2**33))
def test_what_is_dated_behind_the_baseline_is_news_and_what_has_no_date_is_not(
    dated: float | None, baseline: int
) -> None:
    known = FOUND._replace(baseline=baseline).knows(dated)
    assert known == (baseline != 0 and not (dated is not None and dated > baseline))


def test_links_and_further_pages_inherit_the_baseline_of_their_page() -> None:
    batch = LinkBatch(
        PageClass.BOARD,
        (
            Link("http://a.cn/2"),
            Link("http://a.cn/3", published=START - 1),
            Link("http://a.cn/4", published=START + 1),
        ),
        continuations=(Link("http://a.cn/list_2.html", "下一页", PageClass.PAGING),),
    )
    for baseline in (0, int(START)):
        rules = AdmissionRules.from_template(load(TOPIC, {}, {}).template, NOON)
        found: dict[str, Waiting] = {}

        def add(waiting: Waiting, number: int, found: dict[str, Waiting] = found) -> bool:
            found[waiting.url.removeprefix("http://a.cn/")] = waiting
            return True

        parent = FOUND._replace(baseline=baseline, page_class=PageClass.BOARD)
        admit(batch, parent, rules, add, lambda waiting: None)
        inherited = {name: waiting.baseline for name, waiting in found.items()}
        assert inherited == {"2": baseline, "3": baseline, "4": 0, "list_2.html": baseline}
        assert all(one.exploring(1, 0.5, 3).baseline == one.baseline for one in found.values())


RESOLVED: Json = {
    "topic": {"keywords": ["食品"], "require": None, "exclude": None, "title": "一"},
    "relevance": {"threshold": 0.2},
    "article": {"min_length": 50},
    "follow": {"scope": "sources"},
    "url": {},
    "record": {},
    "site": {"a.cn": {"politeness": {"delay": 3}, "select": {"title": "h1"}}},
    "politeness": {"delay": 1},
}


@each_row(
    ("path", "value", "differs"),
    [
        ("topic keywords", ["地铁"], True),
        ("topic exclude", ["招聘"], True),
        ("topic title", "二", False),
        ("relevance threshold", 0.1, True),
        ("relevance new_key", 0.1, False),
        ("article min_length", 10, True),
        ("follow scope", "all", True),
        ("record company", {"fields": {}}, True),
        ("politeness delay", 9, False),
        ("revisit every", 9, False),
        ("site a.cn politeness", {"delay": 9}, False),
        ("site a.cn select", {"title": "h2"}, True),
        ("site b.cn follow", {"deny": []}, True),
        ("site b.cn quota", 3, False),
    ],
)
def test_a_template_admits_otherwise_by_what_decides_over_pages(
    path: str, value: object, differs: bool
) -> None:
    now: Json = {name: dict(table) for name, table in RESOLVED.items()}
    now["site"] = {host: dict(site) for host, site in RESOLVED["site"].items()}
    *tables, key = path.split()
    inner = now
    for name in tables:
        inner = inner.setdefault(name, {})
    inner[key] = value
    assert admits_otherwise(RESOLVED, now) == differs
    assert not admits_otherwise(RESOLVED, RESOLVED)
