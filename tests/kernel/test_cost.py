"""No page costs more than two seconds of CPU, whatever is on it a hundred thousand times.

Whole pages are judged with all readers on: articles, lists, forums, records, and as an engine's
answer. A cost that grows faster than the page is found at any speed of the machine.
"""

from __future__ import annotations

import time
from functools import cache

import pytest

from focuscrawl.features.search.result_page import read_results
from focuscrawl.features.search.table import SearchTable
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.template.load import load
from focuscrawl.values import PageClass
from tests.cost import LIMIT, holds
from tests.judging import judge_page
from tests.markup import PROSE, TOPIC, UNITS, page_of

pytestmark = pytest.mark.timed

HALF, FEWER = 50_000, 5_000
MOST_OF_HALF = 1.5
"""Seconds. Half of a hundred thousand units cost the same with bounds of work that a page of any size has, and half
of the rest: 1.0 at most, seen on an idle machine. That the other half costs no more is what the growth says."""

COSTLIEST = (
    "properties",
    "labelled values",
    "bylines",
    "names and numbers",
    "labels in cells",
    "companies",
    "links to phones",
    "posts",
    "dates of joining",
    "postcodes",
    "days above months",
    "advertisements",
)
"""What costs most a hundred thousand times."""

MOST_GROWTH = 15
"""Times as much as a page of a tenth of it may a page cost."""

NOTHING = 0.15
"""Seconds that say nothing about growth: words are loaded, expressions made."""


def cost(name: str, times: int) -> float:
    """Return the CPU seconds of judging a page."""
    body = page_of(UNITS[name], times).encode()
    begun = time.process_time()
    judge_page(TOPIC, "http://b.example/list/x_2.html", body, source_id="b")
    return time.process_time() - begun


@cache
def warm() -> None:
    """Load words and expressions, which the first page would pay for."""
    for name in ("posts", "labelled values", "paragraphs", "threads"):
        cost(name, 50)


@pytest.mark.parametrize("name", sorted(UNITS.keys() - {*COSTLIEST}))
def test_a_unit_of_markup_five_thousand_times_costs_three_quarters_of_a_second(name: str) -> None:
    warm()
    holds(lambda: cost(name, FEWER), MOST_OF_HALF / 2)


@pytest.mark.parametrize("name", COSTLIEST)
def test_a_unit_of_markup_fifty_thousand_times_costs_a_second_and_a_half_at_most(name: str) -> None:
    warm()
    spent = holds(lambda: cost(name, HALF), MOST_OF_HALF)
    if spent > MOST_OF_HALF / 2:
        before = cost(name, HALF // 10)
        assert spent <= MOST_GROWTH * before + NOTHING, f"{before:.2f} s, then {spent:.2f} s"


@pytest.mark.parametrize(
    "name",
    ["results", "links", "headings", "divs and text", "headings that lead out", "blocks of links"],
)
def test_an_answer_of_an_engine_costs_a_second_at_most(name: str) -> None:
    template = load(TOPIC, {}, {}).template
    engine = template.of(SearchTable).engine[next(iter(template.of(SearchTable).engine))]
    body = page_of(UNITS[name], HALF).encode()
    answer = Fetched("http://www.baidu.com/s?wd=x", 200, body, "", 0.0)
    holds(lambda: read_results(answer, engine), LIMIT / 2)


def test_a_row_of_a_board_that_never_ends_costs_two_seconds_at_most() -> None:
    """Found by ``make fuzz``: each number of a deep row was compared with all neighbours of it."""
    rows = "".join(
        f'<h3><a href="/thread-{n}.html">食品主题第{n}个</a></h3><b>{n}</b>' for n in range(9)
    )
    deep = "<span>" * 1_500 + "<i>1</i>" * 400 + "</span>" * 1_500
    body = f"<html><body><div>{rows}{'<b></b>' * 3_000}{deep}</div>".encode()
    holds(lambda: judge_page(TOPIC, "http://b.example/list/x_2.html", body, source_id="b"))


def test_blocks_of_text_that_never_end_cost_two_seconds_at_most() -> None:
    """Found by ``make fuzz``: readability compared each with all others for every one above them."""
    unit = (
        "</a></li> <li><a href=/about/>公司简介</a></li> </ul> <h1>豆瓣酱出口订单增长</h1> "
        f"<div class='content'><p>本月，公司组团参加博览会，展位前人头攒动。{PROSE}"
    )
    body = f"<html><body><ul>{unit * 1_760}".encode()
    holds(
        lambda: judge_page(TOPIC, "http://b.example/x_2.html", body, page_class=PageClass.ARTICLE)
    )


def test_a_board_in_tables_without_end_costs_two_seconds_at_most() -> None:
    """Found by ``make fuzz``: for each number of a row all elements above it were gone through."""
    rows = "".join(
        f"<tr><td><a href=/thread-{n}.html>食品主题第{n}个</a></td><td>{n % 7}</td><td>{n * 9}</td></tr>"
        for n in range(150)
    )
    body = f"<html><body>{'<table><tr><td>' * 660}<table>{rows}</table>".encode()
    holds(lambda: judge_page(TOPIC, "http://b.example/list/x_2.html", body, source_id="b"))


IN_A_BOX = "<div class=box><p>本月，食品公司组团参加博览会，展位前人头攒动，订单增长了两成。</p>"
SPOILT = {
    # readability read each link anew for every block around it: 2.2 s for 36 kB
    "links in blocks within blocks": IN_A_BOX * 200 + "<a href=/x>公司简介 展位</a> " * 800,
    # //*[@style] goes by the square of what stands side by side: 2.3 s
    "links side by side": IN_A_BOX
    + "<a href=/x style='color:red'>公司</a>，<a href=/y style=top:0>展位</a></p></div></div>。"
    * 4_600,
    # what holds two numbers was looked for through 2,048 elements: 5.4 s
    "numbers deep inside": "".join(
        f"<div><p>食品公司第{n}分公司</p><p>电话：028-8555{n:04}</p>" for n in range(2_000)
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_pages_that_fuzz_has_found_cost_two_thirds_of_a_second_at_most(name: str) -> None:
    body = f"<html><body>{SPOILT[name]}{PROSE * 40}".encode()
    warm()
    holds(
        lambda: judge_page(TOPIC, "http://b.example/x_2.html", body, page_class=PageClass.ARTICLE),
        LIMIT / 3,
    )
