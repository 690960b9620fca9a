"""The searches of one cycle: what is asked, when it stops, what is said (C2)."""

import json
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.search.plan import MOST_PAGES, SearchPlan, SearchRequest, Step
from focuscrawl.features.search.result_page import SearchAnswer, SearchResult, SearchStatus
from focuscrawl.features.search.table import Query, SearchTable
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import Json

pytestmark = pytest.mark.C2

TEMPLATE = """[topic]
name = "t"
[search]
engines = {engines}
queries = ["a", "b"]
results = {results}
{more}
[search.engine.one]
url = "https://one.cn/?q={{query}}&p={{page}}"
results = "css:li"
within = "&w={{d|w|m|y}}"
[search.engine.two]
url = "https://two.cn/?q={{query}}&f={{first}}"
results = "css:li"
[search.engine.short]
url = "https://short.cn/?q={{query}}"
results = "css:li"
[search.engine.hand]
urls = ["https://a.cn/", "https://b.cn/"]
"""
Answering = Callable[[SearchRequest], SearchAnswer]


@cache
def template(engines: str = '["one"]', results: int = 20, more: str = "") -> Template:
    return load(TEMPLATE.format(engines=engines, results=results, more=more)).template


def plan_of(topic: Template, now: float, state: Json | None = None) -> SearchPlan:
    return SearchPlan(topic.of(SearchTable), topic.topic, now, state)


def plan(engines: str = '["one"]', results: int = 20, more: str = "") -> SearchPlan:
    return plan_of(template(engines, results, more), 1000.0)


def page_of(request: SearchRequest, count: int = 10) -> SearchAnswer:
    """An answer with results that no other page has."""
    names = (f"https://{request.query}.cn/{request.page}/{rank}" for rank in range(1, count + 1))
    results = [SearchResult(url, rank) for rank, url in enumerate(names, 1)]
    return SearchAnswer(SearchStatus.OK, tuple(results))


def silence(status: SearchStatus, reason: str = "because") -> SearchAnswer:
    return SearchAnswer(status, reason=reason)


def asked(plan: SearchPlan, answering: Answering, restart: bool = False) -> tuple[list[SearchRequest], list[Step]]:  # fmt: skip
    """Go through a plan as a crawl does; return all requests and steps."""
    step = plan.start()
    waiting, requests, steps = list(step.requests), [], [step]
    while waiting:
        request = waiting.pop(0)
        requests.append(request)
        step = plan.answered(request, answering(request))
        waiting += step.requests
        steps.append(step)
        if restart:
            state = json.loads(json.dumps(plan.to_plain()))
            plan.__init__(plan._search, template().topic, 0.0, state)  # type: ignore[misc]
    return requests, steps


def test_pages_are_asked_for_until_there_are_enough_results() -> None:
    cycle = plan()
    requests, steps = asked(cycle, page_of)
    assert [request.url for request in requests] == [
        "https://one.cn/?q=a&p=1",
        "https://one.cn/?q=a&p=2",
        "https://one.cn/?q=b&p=1",
        "https://one.cn/?q=b&p=2",
    ]
    ranks = [found.rank for step in steps for found in step.found]
    assert ranks == [*range(1, 21), *range(1, 21)]
    assert [step.ended for step in steps if step.ended] == [
        (Query("one", "a"),),
        (Query("one", "b"),),
    ]
    assert cycle.done
    assert (cycle.results, cycle.refused, cycle.stopped) == (40, False, {})


def test_more_results_than_wanted_are_not_taken() -> None:
    _, steps = asked(plan(results=15), page_of)
    assert [len(step.found) for step in steps] == [0, 10, 5, 10, 5]


def test_a_page_that_adds_nothing_ends_a_search() -> None:
    def first_page_again(request: SearchRequest) -> SearchAnswer:
        return page_of(request._replace(page=min(request.page, 2)))

    requests, _ = asked(plan(results=100), first_page_again)
    assert [request.page for request in requests] == [1, 2, 3, 1, 2, 3]


def test_a_page_with_something_new_does_not_end_it() -> None:
    def overlapping(request: SearchRequest) -> SearchAnswer:
        results = page_of(request).results
        if request.page > 1:
            results = (*page_of(request._replace(page=request.page - 1)).results[1:], results[0])
        return SearchAnswer(SearchStatus.OK, results)

    _, steps = asked(plan(results=12), overlapping)
    assert [len(step.found) for step in steps] == [0, 10, 1, 1, 10, 1, 1]


def test_no_search_is_longer_than_engines_answer() -> None:
    requests, _ = asked(plan(results=760), lambda request: page_of(request, 3))
    assert max(request.page for request in requests) == MOST_PAGES


def test_an_engine_without_pages_is_asked_once_for_each_query() -> None:
    requests, _ = asked(plan('["short"]', results=100), page_of)
    assert [(request.query, request.page) for request in requests] == [("a", 1), ("b", 1)]


def test_an_engine_that_knows_nothing_is_asked_the_next_query() -> None:
    cycle = plan()
    requests, steps = asked(cycle, lambda _: silence(SearchStatus.EMPTY, "没有找到"))
    assert [request.query for request in requests] == ["a", "b"]
    assert steps[1].said == "one knows nothing about a (没有找到)"
    assert cycle.done
    assert not cycle.refused


def test_an_empty_second_page_is_an_ordinary_end() -> None:
    def one_page(request: SearchRequest) -> SearchAnswer:
        return page_of(request) if request.page == 1 else silence(SearchStatus.EMPTY)

    _, steps = asked(plan(), one_page)
    assert not any(step.said for step in steps)


def test_a_captcha_stops_an_engine_and_no_other() -> None:
    def answering(request: SearchRequest) -> SearchAnswer:
        blocks = request.engine == "one"
        return silence(SearchStatus.BLOCKED, "安全验证") if blocks else page_of(request)

    cycle = plan('["one", "two"]')
    requests, steps = asked(cycle, answering)
    assert [request.engine for request in requests] == ["one", "two", "two", "two", "two"]
    assert cycle.stopped == {"one": "安全验证"}
    assert "one is not asked any more in this cycle: 安全验证" in [step.said for step in steps]
    assert cycle.results == 40
    assert not cycle.refused


@pytest.mark.parametrize("status", [SearchStatus.BLOCKED, SearchStatus.UNREADABLE])
def test_a_cycle_without_an_answer_is_refused(status: SearchStatus) -> None:
    cycle = plan('["one", "two"]')
    asked(cycle, lambda _: silence(status))
    assert cycle.done
    assert cycle.refused
    assert set(cycle.stopped) == {"one", "two"}


def test_what_ended_unreadable_counts_as_not_searched() -> None:
    def changed_html(request: SearchRequest) -> SearchAnswer:
        return silence(SearchStatus.UNREADABLE, "results finds none") if request.page > 1 else page_of(request)  # fmt: skip

    requests, steps = asked(plan(results=50), changed_html)
    assert [(request.query, request.page) for request in requests] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
    ]
    assert not [step.ended for step in steps if step.ended]
    assert [step.said for step in steps if step.said] == [
        "one, a, page 2: results finds none",
        "one, b, page 2: results finds none",
    ]


def test_an_engine_that_cannot_be_read_twice_in_a_row_is_given_up() -> None:
    text = '["one"]'
    cycle = plan_of(template(text, more='areas = ["x", "y", "z"]'), 0.0)
    requests, _ = asked(cycle, lambda _: silence(SearchStatus.UNREADABLE))
    assert len(requests) == 2
    assert cycle.stopped == {"one": "because"}


def test_an_engine_can_be_stopped_from_outside() -> None:
    cycle = plan('["one", "two"]')
    first, _ = cycle.start().requests
    said = cycle.stop("one", "robots.txt forbids https://one.cn/").said
    assert "robots.txt forbids" in said
    assert cycle.stop("one", "again") == Step()
    assert cycle.answered(first, page_of(first)) == Step()
    assert cycle.stopped == {"one": "robots.txt forbids https://one.cn/"}


def test_an_answer_that_comes_twice_changes_nothing() -> None:
    cycle = plan()
    (request,) = cycle.start().requests
    cycle.answered(request, page_of(request))
    assert cycle.answered(request, page_of(request)) == Step()
    assert cycle.results == 10


def test_a_list_answers_at_once_and_without_requests() -> None:
    cycle = plan('["hand"]')
    step = cycle.start()
    assert [(found.rank, found.result.url) for found in step.found] == [
        (1, "https://a.cn/"),
        (2, "https://b.cn/"),
    ]
    assert (step.requests, step.ended) == ((), (Query("hand", ""),))
    assert cycle.done
    assert cycle.results == 2


def test_an_age_is_part_of_every_address() -> None:
    (first, second) = plan('["one", "two"]', more='within = "3d"').start().requests
    assert first.url == "https://one.cn/?q=a&p=1&w=w"
    assert second.url == "https://two.cn/?q=a&f=0"  # cannot be asked for it


def test_numbers_are_places_among_all_searches() -> None:
    requests, _ = asked(plan('["one", "two"]', results=10), page_of)
    assert {request.number: (request.engine, request.query) for request in requests} == {
        1: ("one", "a"),
        2: ("one", "b"),
        3: ("two", "a"),
        4: ("two", "b"),
    }


def test_other_searches_begin_anew_and_the_same_ones_go_on() -> None:
    cycle = plan()
    (request,) = cycle.start().requests
    cycle.answered(request, page_of(request))
    state = cycle.to_plain()
    same = plan_of(template(), 2000.0, state)
    assert same.begun == 1000.0
    assert same.start().requests[0].page == 2
    other = plan_of(template('["two"]'), 2000.0, state)
    assert other.begun == 2000.0
    assert other.start().requests[0].engine == "two"


STATUSES = st.sampled_from([*SearchStatus])


@given(st.data(), st.integers(0, 12))
def test_every_cycle_ends_and_a_restart_after_any_answer_changes_nothing(
    data: st.DataObject, fewest: int
) -> None:
    """Each page is asked for once, in order, whatever the engines answer."""
    answers: dict[SearchRequest, SearchAnswer] = {}

    def answering(request: SearchRequest) -> SearchAnswer:
        if request not in answers:
            status = data.draw(STATUSES)
            count = data.draw(st.integers(min(1, fewest), 12))
            results = page_of(request, count).results if status is SearchStatus.OK else ()
            answers[request] = SearchAnswer(status, results, "why")
        return answers[request]

    text = '["one", "hand", "two", "short"]'
    plain, restarted = plan(text), plan(text)
    requests, steps = asked(plain, answering)
    assert len(requests) == len(set(requests))
    assert plain.done
    again, steps_again = asked(restarted, answering, restart=True)
    assert (again, steps_again) == (requests, steps)
    assert restarted.to_plain() == plain.to_plain()
    for engine in ("one", "two", "short"):
        pages = [(one.number, one.page) for one in requests if one.engine == engine]
        assert pages == sorted(pages)
        blocked = [
            number
            for number, one in enumerate(pages)
            for request in requests
            if request.engine == engine
            and (request.number, request.page) == one
            and answers[request].status is SearchStatus.BLOCKED
        ]
        assert not blocked or blocked == [len(pages) - 1]
