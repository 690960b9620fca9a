"""Lines that are cut from the ends of stored texts: a correction is no version, and no change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.rows.articles import cut_ends
from focuscrawl.readers.text.lines import line_number
from focuscrawl.stores.results.columns import text_md5
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, CutLines
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

MakeArticle = Callable[..., Article]
KEY, OTHER = "a" * 32, "b" * 32
BODY = "昨天有一批食品抽检不合格。\n有关部门已经通报。"
SHOWN = f"归在水产一栏\n{BODY}\n上一篇\n首页"
SELECTED = "SELECT text, lead, length, text_md5, version FROM articles WHERE url_key = 'KEY'"


def opened(database: Database) -> Results:
    return Results.open(database.url, "food", kinds=KINDS, clock=database.clock, text_index=True)


def cut(*before: str, behind: tuple[str, ...] = ()) -> CutLines:
    return tuple(map(line_number, before)), tuple(map(line_number, behind))


def correction(**ends: CutLines) -> ResultBatch:
    batch = ResultBatch()
    batch.cut.update({{"key": KEY, "other": OTHER}[name]: lines for name, lines in ends.items()})
    return batch


def test_lines_are_cut_from_both_ends_and_leave_no_version_and_no_word(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(url_key=KEY, text=SHOWN)]))
        written = results.write(
            correction(key=cut("归在水产一栏", behind=("首页", "上一篇")), other=cut("x"))
        )
        assert not written.of("articles").changed
        expected = (BODY, BODY.replace("\n", " "), len(BODY), text_md5(BODY), 1)
        assert database.ask(SELECTED.replace("KEY", KEY)) == [expected]
        assert not database.ask("SELECT * FROM versions")
        assert not results.search("水产")
        assert len(results.search("通报")) == 1


@pytest.mark.parametrize("first", ["别的一行", "昨天有一批食品抽检不合格。"])
def test_a_text_that_begins_otherwise_by_now_is_left(
    database: Database, make_article: MakeArticle, first: str
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(url_key=KEY, text=f"{first}\n{BODY}")]))
        results.write(correction(key=cut("归在水产一栏", behind=("首页",))))
        assert database.ask(SELECTED.replace("KEY", KEY))[0][0] == f"{first}\n{BODY}"


def test_a_text_with_earlier_versions_is_left(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(url_key=KEY, text=BODY)]))
        results.write(ResultBatch(articles=[make_article(url_key=KEY, text=SHOWN)]))
        results.write(correction(key=cut("归在水产一栏")))
        assert database.ask(SELECTED.replace("KEY", KEY))[0][0] == SHOWN


@given(st.text("甲乙\n", max_size=12), st.lists(st.sampled_from(["甲", "乙", ""]), max_size=6))
def test_what_is_left_of_a_text_is_a_part_of_it(text: str, lines: list[str]) -> None:
    left = cut_ends(text, cut(*lines, behind=(*lines,)))
    assert left in text
