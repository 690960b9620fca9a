"""No expression of ours takes time with the square of a text, but those that are known to."""

from __future__ import annotations

import re

import pytest

from tests.expressions import TOO_STEEP, Expression, expressions, steepness

pytestmark = pytest.mark.timed

PARTS = 4
"""Of the expressions, for several processes of tests."""

STEEP = frozenset(
    [
        "focuscrawl.articles.boilerplate.DAY_ALONE",
        "focuscrawl.articles.boilerplate._BYLINE",
        "focuscrawl.articles.boilerplate._IN_BRACKETS",
        "focuscrawl.articles.contents.images._ADDRESS",
        "focuscrawl.articles.dates.lines.THEN_LABELLED",
        "focuscrawl.articles.parts.PAGE_OF_TITLE",
        "focuscrawl.articles.statements._ADDRESS",
        "focuscrawl.articles.statements._AND",
        "focuscrawl.articles.titles.WIKI_PATH",
        "focuscrawl.articles.titles._LARGE_STYLE",
        "focuscrawl.articles.titles._SEPARATORS",
        "focuscrawl.forums.board.SLUG",
        "focuscrawl.forums.reader.TO_A_POST",
        "focuscrawl.forums.threads.authors._TITLE",
        "focuscrawl.forums.threads.outline._NUMBERED",
        "focuscrawl.forums.threads.page.TITLE_END",
        "focuscrawl.forums.threads.wordings._NEAR",
        "focuscrawl.forums.threads.wordings._YEARLESS",
        "focuscrawl.pages.feeds.feeds.SITEMAP_LINE",
        "focuscrawl.pages.feeds.feeds._MARKUP",
        "focuscrawl.pages.feeds.json_lists._ADDRESS",
        "focuscrawl.pages.json_ld._COMMENTS",
        "focuscrawl.pages.kind.ARTICLE_PATH",
        "focuscrawl.pages.paging.AFTER_NAME",
        "focuscrawl.pages.paging.AFTER_WORD",
        "focuscrawl.pages.paging.OWN_SEGMENT",
        "focuscrawl.records.entries._CODE_AT_END",
        "focuscrawl.records.field_values.SHORT_SECOND",
        "focuscrawl.records.layouts.tables.EXTENSION",
        "focuscrawl.records.lines._ICON_SAID",
        "focuscrawl.records.names.AFTER_ADDRESS",
        "focuscrawl.records.names.HOUSE_NUMBER",
        "focuscrawl.records.names.STREET",
        "focuscrawl.records.names.TITLE_SPLIT",
        "focuscrawl.records.names.TOWN",
        "focuscrawl.records.names._ADDRESS",
        "focuscrawl.records.names._OF_PICTURE",
        "focuscrawl.records.names._OWNER",
        "focuscrawl.records.segments._BETWEEN",
        "focuscrawl.revisit.change.volatile._WITH_DIGITS",
        "focuscrawl.revisit.missing.notices.CHINESE",
        "focuscrawl.template.files.ANY_PASSWORD",
        "focuscrawl.template.kinds.addresses.LOOKS_LIKE_EXPRESSION",
        "focuscrawl.template.kinds.times.DURATION",
        "focuscrawl.template.kinds.words._SEPARATORS",
        "focuscrawl.template.toml.FOREIGN_KEY",
        "focuscrawl.text.dates.AGO",
        "focuscrawl.text.dates.CLOCK_AFTER",
        "focuscrawl.text.dates.DAY_FIRST",
        "focuscrawl.text.dates.MONTH_FIRST",
        "focuscrawl.text.dates.NAMED_LAST",
        "focuscrawl.text.dates.NEAR_DAY",
        "focuscrawl.text.furniture._BUILT_IN",
        "focuscrawl.text.furniture._SAYS_OF_ITSELF",
        "focuscrawl.text.words.ENTRY",
        "focuscrawl.urls.actions._ADDRESS",
        "focuscrawl.verbs.explain.address._ADDRESS",
        "focuscrawl.verbs.explain.address._HOST",
    ]
)
"""Those that are steep, when the test began: they read one line, one name or one address, which is cut before. The
list becomes shorter, never longer: what is mended leaves it, and a new one is mended before it comes."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_expression_but_those_known_takes_time_with_the_square_of_a_text(part: int) -> None:
    found = {}
    for one in expressions()[part::PARTS]:
        if one.place in STEEP:
            continue
        worst, of = steepness(one)
        if worst > TOO_STEEP:
            found[one.place] = f"{worst:.1f} times the work for four times the text: {of}"
    assert found == {}, "\n".join(f"{place}: {how}" for place, how in found.items())


def test_the_list_of_steep_expressions_names_no_other() -> None:
    assert {one.place for one in expressions()} >= STEEP


@pytest.mark.parametrize(
    ("written", "is_steep"),
    [
        (r"a\s*,?\s*b", True),
        (r"a\s*+,?\s*+b", False),
        (r"<a[^>]*>", True),
        (r"<a[^<>]{0,200}>", False),
        (r"(?:x+)+y", True),
        (r"日期\s*[:：]?\s*\d", True),
    ],
)
def test_what_grows_with_the_square_is_found(written: str, *, is_steep: bool) -> None:
    one = Expression("here", re.compile(written), frozenset({"search"}))
    assert (steepness(one)[0] > TOO_STEEP) == is_steep
