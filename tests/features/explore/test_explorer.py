"""What admission asks of exploration: which links lead into the unknown, and what they promise (E)."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.explore.explorer import Explorer, Novelty, explorer_for
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.readers.relevance.scores import LinkScorer
from focuscrawl.scheduler import Scheduler
from focuscrawl.template.load import load
from focuscrawl.values import LinkBatch, PageClass, Waiting

KNOWN = "known.cn"


def explorer(text: str = "") -> Explorer:
    template = load(
        'topic.name = "x"\ntopic.keywords = ["食品安全^3"]\n[search]\nengines = ["bing"]\n' + text
    ).template
    made = explorer_for(
        template.of(ExploreTable),
        template.once(LinkScorer.of),
        {KNOWN},
        partial(Scheduler.tunnel, random=random.Random(1)),
        template.of(FollowTable).sites.written,
    )
    assert made is not None
    return made


def at(site: str, path: str = "/a/1", **values: Any) -> Waiting:
    return Waiting(f"http://{site}{path}", b"k", site, 3, 3, **values)


def batch(page_class: PageClass = PageClass.ARTICLE, **values: Any) -> LinkBatch:
    return LinkBatch(page_class, **values)


def placed(one: Explorer, link: Waiting, parent: Waiting, page: LinkBatch) -> Waiting:
    waiting = one.in_lane(link, one.found_on(parent, page), 0.0)
    assert isinstance(waiting, Waiting)
    return waiting


def test_links_into_unknown_sites_wait_in_the_lane_and_others_do_not() -> None:
    one = explorer('[follow]\nsites = ["good.cn"]\n')
    for site, explores in (("new.cn", True), (KNOWN, False), ("www.good.cn", False)):
        assert placed(one, at(site), at("a.cn"), batch()).explore is explores


def test_a_link_that_its_page_marks_nofollow_promises_less_and_waits_all_the_same() -> None:
    link = at("new.cn", anchor="食品安全抽检")
    for text, share in (("", 0.5), ("[explore]\nstrict = true\n", 1.0)):
        one = explorer(text)
        found = one.found_on(at("a.cn"), batch(score=0.8))
        whole = one.in_lane(link, found, 0.0)
        marked = explorer(text).in_lane(link, found, 0.0, marked=True)
        assert isinstance(whole, Waiting)
        assert isinstance(marked, Waiting)
        assert marked.score == pytest.approx(share * whole.score)


def test_the_step_counts_irrelevant_pages_in_a_row() -> None:
    one = explorer()
    parent = at("a.cn", step=2)
    assert placed(one, at("new.cn"), parent, batch(relevant=True)).step == 0
    assert placed(one, at("new.cn"), parent, batch(relevant=False)).step == 3
    paging = at("new.cn", page_class=PageClass.PAGING)
    assert placed(one, paging, parent, batch(PageClass.BOARD)).step == 2


def test_links_of_a_further_part_are_no_deeper_than_those_of_its_article() -> None:
    part = at("a.cn", step=0, page_class=PageClass.ARTICLE_PAGING)
    assert placed(explorer(), at("new.cn"), part, batch(PageClass.ARTICLE_PAGING)).step == 0


def test_a_text_that_names_the_topic_promises_more_than_one_that_is_new_and_that_than_an_old_one() -> None:  # fmt: skip
    one = explorer()
    scores = [
        placed(one, at("new.cn", anchor=text), at("a.cn"), batch()).score
        for text in ("天气预报", "天气预报", "食品安全")
    ]
    assert scores[1] < scores[0] < 0.1 < scores[2]


def test_breadth_first_every_link_promises_the_same() -> None:
    one = explorer('[explore]\norder = "breadth-first"\n')
    for text in ("天气", "食品安全"):
        assert placed(one, at("new.cn", anchor=text), at("a.cn"), batch()).score == 0.5


@pytest.mark.parametrize(
    ("order", "next_one"), [("portfolio", 3), ("best-first", 1), ("breadth-first", 1)]
)
def test_of_equal_links_far_away_only_the_portfolio_takes_the_last_found_first(
    order: str, next_one: int
) -> None:
    one = explorer(f'[explore]\norder = "{order}"\n')
    for sequence in (1, 2, 3):
        one.order.add(sequence, 0, "new.cn", 7, 500, 2)
    assert one.order.pick(lambda site: True, 0.0) == (next_one, 0)


@pytest.mark.parametrize("site", ["bad.cn", "www.bad.cn"])
def test_sites_named_as_banned_are_refused(site: str) -> None:
    one = explorer('[explore]\nbanned = ["bad.cn"]\n')
    assert one.in_lane(at(site), one.found_on(at("a.cn"), batch()), 0.0) == "ban:hand"


def test_further_parts_of_an_irrelevant_article_wait_last_in_the_lane() -> None:
    one, part = explorer(), at("new.cn", page_class=PageClass.ARTICLE_PAGING)
    waits = one.further_part(part, at("new.cn"), batch(relevant=False))
    assert (waits.explore, waits.score, waits.step) == (True, 0.0, 1)
    assert not one.further_part(part, at("new.cn"), batch(relevant=True)).explore
    known = at(KNOWN, page_class=PageClass.ARTICLE_PAGING)
    assert not one.further_part(known, at(KNOWN), batch(relevant=False)).explore


def test_parts_of_parts_wait_as_their_article_does() -> None:
    one, part = explorer(), at("new.cn", page_class=PageClass.ARTICLE_PAGING)
    for step in (0, 2):
        waits = one.further_part(part, part._replace(step=step), batch(PageClass.ARTICLE_PAGING))
        assert (waits.explore, waits.step) == (step > 0, step)


def test_results_that_do_not_name_the_topic_wait_in_the_lane_by_their_rank() -> None:
    one, seed = explorer(), at("new.cn")
    assert not one.seed(seed, 1.0, [("食品安全通告", "")]).explore
    assert not one.seed(seed, 1.0, [("通告", "关于食品安全"), ("", "")]).explore
    first, later = (one.seed(seed, promise, [("天气", "晴")]) for promise in (1.0, 0.4))
    assert first.explore
    assert first.score > later.score > 0.0


def test_seeds_of_lists_and_on_known_sites_are_sources() -> None:
    one = explorer()
    assert not one.seed(at("new.cn"), 1.0, [("", "")]).explore
    assert not one.seed(at(KNOWN), 1.0, [("天气", "晴")]).explore


def test_the_strict_form_knows_nothing_of_this() -> None:
    one = explorer("[explore]\nstrict = true\n")
    part = at("new.cn", page_class=PageClass.ARTICLE_PAGING)
    assert one.further_part(part, at("new.cn"), batch()) == part
    assert one.seed(at("new.cn"), 1.0, [("天气", "晴")]) == at("new.cn")
    scores = [placed(one, at("new.cn", anchor="天气"), at("a.cn"), batch()).score for _ in "ab"]
    assert scores[0] == scores[1] == 0.0


def test_a_topic_that_does_not_explore_has_no_explorer() -> None:
    template = load('topic.name = "x"\n[[source]]\nurl = "http://a.cn/"\n').template
    assert (
        explorer_for(
            template.of(ExploreTable),
            template.once(LinkScorer.of),
            set(),
            partial(Scheduler.tunnel, random=random.Random(1)),
        )
        is None
    )


def test_what_was_said_before_is_not_new() -> None:
    novelty = Novelty()
    assert novelty.of("体育图集") == 1.0
    assert novelty.of("体育图集") == 0.0


def test_known_words_put_together_anew_are_newer_than_the_same_and_older_than_others() -> None:
    novelty = Novelty()
    for text in ("体育图集", "财经深度", "旅行百科"):
        novelty.of(text)
    mixed, other = novelty.of("体育百科"), novelty.of("舌尖守望")
    assert 0.0 < mixed < other == 1.0


def test_digits_and_signs_say_nothing() -> None:
    novelty = Novelty()
    assert [novelty.of(text) for text in ("", "23", "2026-06", "»", "下")] == [0.0] * 5


@given(st.lists(st.text(max_size=80), max_size=20))
def test_novelty_is_a_share_and_never_comes_twice(texts: list[str]) -> None:
    novelty = Novelty()
    assert all(0.0 <= novelty.of(text) <= 1.0 for text in texts)
    assert all(novelty.of(text) == 0.0 for text in texts)
