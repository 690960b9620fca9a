"""Patterns of addresses are learnt from judged pages, held to what they say, and dropped."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.urls.patterns.forms import (
    FEWEST_ADDRESSES,
    LEAST_PRECISION,
    Pattern,
    example_of,
    learn_patterns,
)
from focuscrawl.urls.patterns.url_patterns import PATTERNS, REMEMBERED, Known, UrlPatterns
from focuscrawl.values import PageClass

ARTICLE, BOARD, OTHER = PageClass.ARTICLE, PageClass.BOARD, PageClass.OTHER
SITE = "a.cn"


def patterns() -> UrlPatterns:
    return UrlPatterns(lambda written: Matches([written]))


def teach(known: UrlPatterns, form: str, page_class: PageClass, first: int, most: int = 40) -> None:
    """Judge pages whose addresses differ in a number."""
    for number in range(first, first + most):
        known.judged(f"http://{SITE}{form.format(number)}", SITE, page_class)


def taught() -> UrlPatterns:
    """A site with articles, lists and pages that are nothing to read."""
    known = patterns()
    teach(known, "/news/2026/t{}.html", ARTICLE, 10_000)
    teach(known, "/list_{}.html", BOARD, 1)
    teach(known, "/user/{}", OTHER, 10_000)
    return known


def expected(known: UrlPatterns, path: str) -> PageClass | None:
    return known.class_of(f"http://{SITE}{path}", SITE).page_class


def test_links_are_classed_before_they_are_fetched() -> None:
    known = taught()
    assert expected(known, "/news/2025/t99999.html") is ARTICLE
    assert expected(known, "/list_77.html") is BOARD
    assert expected(known, "/user/54321") is OTHER
    assert expected(known, "/contact.html") is None
    assert known.class_of("http://b.cn/list_77.html", "b.cn").page_class is None


def test_patterns_are_written_in_the_language_of_the_template() -> None:
    written = {one.written: one for one in taught().learnt(SITE)}
    news = written[r"re:://[^/]+/news/\d{4}/t\d{5,}\.html$"]
    assert news.page_class is ARTICLE
    assert news.precision == 1.0
    assert news.support >= 32
    assert news.right == news.seen > 20
    for one in written:
        assert Matches([one])
    assert Matches([news.written]).search("https://www.a.cn/news/2025/t99999.html")
    assert not Matches([news.written]).search("https://www.a.cn/en/news/2025/t99999.html")


def test_few_pages_teach_nothing() -> None:
    known = patterns()
    teach(known, "/news/{}.html", ARTICLE, 1, most=FEWEST_ADDRESSES - 1)
    assert known.learnt(SITE) == []


def test_a_small_site_is_learnt_at_each_eighth_page_and_a_large_one_at_each_sixtyfourth() -> None:
    known, learnt = patterns(), []
    for number in range(1, 1200):
        known.judged(f"http://{SITE}/news/{number}.html", SITE, ARTICLE)
        if known.changed():
            learnt.append(number)
    apart = [later - earlier for earlier, later in pairwise([0, *learnt])]
    assert apart[:8] == [8] * 8
    assert apart == sorted(apart)
    assert apart[-1] == 64


def test_one_folder_of_many_sections_is_one_pattern() -> None:
    known = patterns()
    for section in ("food", "sport", "city", "world"):
        teach(known, f"/{section}/{{}}.html", ARTICLE, 10_000, most=10)
        known.judged(f"http://{SITE}/{section}/", SITE, BOARD)
    assert [one.written for one in known.learnt(SITE)] == [r"re:://[^/]+/[^/?]+/\d{5,}\.html$"]
    assert expected(known, "/health/20261.html") is ARTICLE


def test_a_cluster_is_divided_by_the_part_that_tells_the_class() -> None:
    known = patterns()
    for section in ("food", "sport", "city", "world"):
        teach(known, f"/{section}/show/{{}}.html", ARTICLE, 100, most=10)
        teach(known, f"/{section}/list/{{}}.html", BOARD, 100, most=10)
    assert expected(known, "/health/show/101.html") is ARTICLE
    assert expected(known, "/health/list/101.html") is BOARD


def test_the_length_of_a_number_tells_lists_from_articles() -> None:
    known = patterns()
    teach(known, "/x/{}.html", BOARD, 1, most=30)
    teach(known, "/x/{}.html", ARTICLE, 2_026_001, most=30)
    assert expected(known, "/x/2.html") is BOARD
    assert expected(known, "/x/2026777.html") is ARTICLE


def test_first_pages_are_told_from_further_ones() -> None:
    known = patterns()
    teach(known, "/thread-{}-1-1.html", PageClass.THREAD, 100)
    teach(known, "/thread-{}-2-1.html", PageClass.ARTICLE_PAGING, 100)
    assert expected(known, "/thread-77-1-1.html") is PageClass.THREAD
    assert expected(known, "/thread-77-3-1.html") is PageClass.ARTICLE_PAGING


def test_a_pattern_that_stops_paying_is_dropped_and_what_is_true_now_is_learnt() -> None:
    known = patterns()
    teach(known, "/p/{}.html", ARTICLE, 10_000, most=200)
    assert expected(known, "/p/70000.html") is ARTICLE
    for number in range(20_000, 20_040):
        known.judged(f"http://{SITE}/p/{number}.html", SITE, OTHER)
        if expected(known, "/p/70000.html") is not ARTICLE:
            break
    assert number < 20_030
    teach(known, "/p/{}.html", OTHER, 30_000, most=40)
    assert expected(known, "/p/70000.html") is OTHER


def test_a_new_pattern_may_be_wrong_once_but_not_twice_while_little_is_known() -> None:
    def after(*answers: bool) -> bool:
        known = Known(Pattern(r"/p/\d+", ARTICLE.value, 20, 20))
        for rightly in answers:
            known.answered(rightly)
        return known.pays

    assert after()
    assert after(False)
    assert after(True, True, False)
    assert not after(False, False)
    assert not after(True, False, False)
    assert not after(True, True, False, False)
    assert not after(*[True] * 3, *[False] * 3, *[True] * 3), "more than a third was wrong"
    assert after(*[False] * 2, *[True] * 20)


def test_a_form_that_leads_elsewhere_now_is_known_by_what_it_leads_to_now() -> None:
    known = patterns()
    teach(known, "/p/{}.html", ARTICLE, 10_000, most=400)
    teach(known, "/p/{}.html", OTHER, 20_000, most=1)
    (record,) = known.changed(all_of_it=True).values()
    (counts,) = record["forms"].values()
    assert counts[ARTICLE.value] <= REMEMBERED, "old ones are halved again and again"
    assert counts[OTHER.value] == 1
    teach(known, "/p/{}.html", OTHER, 30_000, most=2 * REMEMBERED)
    (record,) = known.changed(all_of_it=True).values()
    (counts,) = record["forms"].values()
    left = counts.get(ARTICLE.value, 0)
    assert left < counts[OTHER.value] / 4, "each time the old ones are half as many"


def test_pages_of_no_order_give_no_pattern() -> None:
    known = patterns()
    for number in range(200):
        page_class = (ARTICLE, BOARD, OTHER)[number % 3]
        known.judged(f"http://{SITE}/{number:05}", SITE, page_class)
    assert known.learnt(SITE) == []


def test_many_forms_of_a_site_do_not_pile_up() -> None:
    known = patterns()
    for number in range(3_000):
        name = "".join(chr(97 + number // 26**place % 26) for place in range(3))
        known.judged(f"http://{SITE}/tag/{name}", SITE, BOARD)
    (record,) = known.changed(all_of_it=True).values()
    assert len(record["forms"]) <= 400
    assert expected(known, "/tag/food") is BOARD


def test_a_person_has_the_last_word() -> None:
    known = taught()
    known.pin(SITE, "/news/*/t*.html", BOARD)
    known.veto(SITE, "re:/user/[0-9]+$")
    pinned = known.class_of(f"http://{SITE}/news/2025/t99999.html", SITE)
    assert pinned.page_class is BOARD
    assert pinned.by_hand
    assert expected(known, "/user/54321") is None
    assert known.by_hand(SITE) == ({"/news/*/t*.html": BOARD}, ["re:/user/[0-9]+$"])
    assert known.forget(SITE, "/news/*/t*.html")
    assert known.forget(SITE, "re:/user/[0-9]+$")
    assert not known.forget(SITE, "/other/")
    assert expected(known, "/news/2025/t99999.html") is ARTICLE
    assert expected(known, "/user/54321") is OTHER


def test_strict_following_waits_for_a_pattern_of_news() -> None:
    known = patterns()
    assert not known.knows_news(SITE)
    teach(known, "/list_{}.html", BOARD, 1)
    assert not known.knows_news(SITE)
    teach(known, "/news/{}.html", ARTICLE, 10_000)
    assert known.knows_news(SITE)
    by_hand = patterns()
    by_hand.pin(SITE, "/news/", ARTICLE)
    assert by_hand.knows_news(SITE)


def test_what_was_learnt_survives_a_restart() -> None:
    known = taught()
    known.pin(SITE, "/special/", ARTICLE)
    records = json.loads(json.dumps(known.changed(all_of_it=True)))
    assert known.changed(all_of_it=True) == {}
    again = patterns()
    again.load({site: {PATTERNS: record} for site, record in records.items()})
    assert list(again.sites()) == [SITE]
    assert again.learnt(SITE) == known.learnt(SITE)
    assert again.answers(SITE) == known.answers(SITE)
    assert again.answers("nobody.example") == (0, 0)
    assert again.by_hand(SITE) == known.by_hand(SITE)
    assert expected(again, "/news/2025/t99999.html") is ARTICLE
    teach(again, "/news/2026/t{}.html", ARTICLE, 20_000, most=3)
    assert again.answers(SITE)[0] == known.answers(SITE)[0] + 3


def test_a_site_is_written_when_its_patterns_change_and_at_the_end() -> None:
    known = patterns()
    teach(known, "/news/{}.html", ARTICLE, 1, most=3)
    assert known.changed() == {}
    assert list(known.changed(all_of_it=True)) == [SITE]
    teach(known, "/news/{}.html", ARTICLE, 4, most=8)
    assert list(known.changed()) == [SITE]
    assert known.changed() == {}


FORMS = st.dictionaries(
    st.sampled_from(
        [
            f"/{folder}/{name}"
            for folder in ("news", "food", "[^/?]+", r"\d{4}")
            for name in (r"\d{1,3}\.html", r"\d{5,}\.html", r"list\.html", r"x\?p=\d{1,3}")
        ]
    ),
    st.dictionaries(st.sampled_from(["article", "board"]), st.integers(1, 9), min_size=1),
)


@given(FORMS)
def test_every_pattern_is_as_good_as_it_says(pages: dict[str, dict[str, int]]) -> None:
    found = learn_patterns(pages)
    for pattern in found:
        assert pattern.support >= FEWEST_ADDRESSES
        assert LEAST_PRECISION <= pattern.precision < 1
    # What a pattern stands on: the pages that no narrower one has taken.
    for pattern in found:
        matching = {
            form: classes
            for form, classes in pages.items()
            if re.fullmatch(pattern.expression, example_of(form))
        }
        assert sum(sum(classes.values()) for classes in matching.values()) >= pattern.support


@pytest.mark.parametrize("url", ["http://a.cn/" + "a-" * 900, "http://a.cn/" + "/" * 900])
def test_addresses_of_no_form_are_left(url: str) -> None:
    known = taught()
    before = known.learnt(SITE)
    known.judged(url, SITE, ARTICLE)
    assert known.learnt(SITE) == before
    assert known.class_of(url, SITE).page_class is None
