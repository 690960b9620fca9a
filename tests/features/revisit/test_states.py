"""Which pages are watched, and how they are queued again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.table import RevisitTable, visit_rules
from focuscrawl.features.revisit.visit_queue import facts_of, is_watched, refused_visit, visit_of
from focuscrawl.frontier.rows import is_list
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import (
    Page,
    PageClass,
    PageState,
    Waiting,
)
from tests.tables import each_row

pytestmark = pytest.mark.watched

NOON = 1_795_147_200.0
HOME = "http://a.cn/"
WAITING = Waiting(HOME, b"k" * 16, "a.cn", 3, 3, source_id="a", parent_key=b"p" * 16)


def topic(text: str = "") -> Template:
    given = f'topic.name = "x"\n{text}\n[[source]]\nurl = "{HOME}"\nname = "a"\nlevel = 2\n'
    return load(given, {}, {}).template


def rules(template: Template | None = None) -> AdmissionRules:
    return AdmissionRules.from_template(template or topic(), NOON)


def sources(template: Template) -> dict[str, Any]:
    return {one.source_id: one for one in template.sources}


def page(page_class: PageClass, outcome: str) -> Page:
    return Page("", HOME, "a.cn", page_class, outcome)


def state(page_class: PageClass = PageClass.ARTICLE, **more: Any) -> PageState:
    made = PageState(b"k" * 16, HOME, "a.cn", page_class, 3, NOON, NOON, NOON, 1, "a")
    return made._replace(**more)


def test_the_rules_are_those_of_the_template() -> None:
    text = '[revisit]\nbudget = "3600/h"\ngone_after = 5\n[revisit.thread]\nmax = "20m"\n[settings]\nDOWNLOAD_TIMEOUT = 300\nRETRY_TIMES = 9'
    found = visit_rules(topic(text))
    assert (found.budget, found.gone_after, found.name) == (1.0, 5, "index")
    assert found.times(PageClass.THREAD).max == 1200
    assert found.times(PageClass.ARTICLE).until == 30 * 86400
    assert found.reservation > 300 * 10, "longer than all tries of a fetch"
    assert visit_rules(topic("revisit.strict = true")).name == "tx"
    for policy, kept in (("index", "index"), ("tx", "tx"), ("fixed", "fixed"), ("off", "index")):
        assert visit_rules(topic(f'revisit.policy = "{policy}"')).name == kept
    assert topic('revisit.policy = "off"').of(RevisitTable).is_off
    strict = topic('topic.strict = true\nrevisit.policy = "off"')
    assert not strict.of(RevisitTable).is_off, "published: tx"


@each_row(
    ("page_class", "outcome", "expected"),
    [
        (PageClass.BOARD, "list", True),
        (PageClass.FEED, "list", True),
        (PageClass.PAGING, "list", False),
        (PageClass.ARTICLE, "stored", True),
        (PageClass.RECORD, "stored", True),
        (PageClass.ARTICLE, "irrelevant", False),
        (PageClass.ARTICLE, "copy", False),
        (PageClass.ARTICLE_PAGING, "part", False),
        (PageClass.OTHER, "list", False),
        (PageClass.BOARD, "error", False),
    ],
)
def test_lists_and_what_is_stored_is_watched(
    page_class: PageClass, outcome: str, expected: bool
) -> None:
    known = sources(topic())
    assert is_watched(page(page_class, outcome), WAITING, known) is expected
    source = WAITING._replace(parent_key=b"")
    assert is_watched(page(PageClass.OTHER, "list"), source, known), "a source, whatever it is"
    article = source._replace(page_class=PageClass.ARTICLE)
    assert not is_watched(page(PageClass.ARTICLE, "irrelevant"), article, known)


@given(st.integers(1, 10), st.integers(1, 10))
def test_no_page_is_queued_above_the_top(levels: int, before: int) -> None:
    low = load(f'topic.name = "x"\nqueues.levels = {levels}\n[[source]]\nurl = "{HOME}"', {}, {})
    found = visit_of(state(level=before), {}, rules(low.template))
    assert found.level == min(before, levels)
    assert not found.first_walk


def test_a_source_is_queued_at_the_level_its_template_gives_it_now() -> None:
    template = topic()
    facts = facts_of(WAITING._replace(parent_key=b""), sources(template))
    found = visit_of(state(PageClass.BOARD, facts=facts), sources(template), rules())
    assert (found.level, found.parent_key, found.depth) == (2, b"", 0)
    assert is_list(state(PageClass.OTHER, facts=facts))


def test_pages_the_template_no_longer_wants_are_not_visited() -> None:
    template = topic('follow.deny = ["/secret/"]')
    known, admission = sources(template), rules(template)

    def refused(one: PageState) -> str | None:
        return refused_visit(one, visit_of(one, known, admission), known, admission)

    denied = state(url=f"{HOME}secret/1.html", facts={"parent": b"p" * 16})
    assert refused(denied) == "deny"
    removed = state(PageClass.BOARD, source_id="taken out", facts={"parent": b"p" * 16})
    assert refused(removed) == "source"
    assert refused(removed._replace(page_class=PageClass.ARTICLE)) is None
    assert refused(removed._replace(source_id="seed:abc")) is None
