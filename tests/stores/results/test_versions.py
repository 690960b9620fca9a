"""Earlier versions of articles and records: every one can be read again, whatever happens to texts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.stores.results.columns import text_md5
from focuscrawl.stores.results.database import ResultsError
from focuscrawl.stores.results.kinds.history import (
    ARTICLE,
    DIFFERENCE,
    MOST_COMPARED_LINES,
    WHOLE_TEXT,
    pack,
    read_versions,
    unpack_text,
)
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, Record
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

    MakeArticle = Callable[..., Article]

pytestmark = pytest.mark.versions

KEY = "0123456789abcdef0123456789abcdef"
NOON = 1_795_147_200.0
LONG = "\n".join(
    f"第{number}段：市场监管部门公布抽检结果第{number * 37}号。" for number in range(40)
)
LINES = st.lists(st.sampled_from(["甲", "乙", "丙 ", "", "-", "+丁", "@@ -1 +1 @@"]), max_size=9)
Mode = Literal["diff", "full", "none"]


def opened(database: Database, history: Mode = "diff", text: Literal["full", "lead"] = "full") -> Results:  # fmt: skip
    return Results.open(
        database.url, "food", kinds=KINDS, clock=database.clock, history=history, text=text
    )


def record(address: str, at: float = NOON) -> Record:
    said = {"value": address, "raw": address, "label": "地址", "url": "http://a.cn/", "at": at}
    return Record(
        record_type="company",
        record_id="c" * 32,
        host="a.cn",
        url_key=KEY,
        url="http://a.cn/",
        data={"name": "甲公司", "address": address},
        evidence={"name": {**said, "value": "甲公司"}, "address": said},
        fetched=at,
    )


@given(LINES, LINES)
def test_a_text_comes_back_from_its_difference(older: list[str], newer: list[str]) -> None:
    was, now = "\n".join(older), "\n".join(newer)
    assert unpack_text(*pack(was, now), now) == was
    assert unpack_text(*pack(was, None), None) == was


def test_a_small_change_of_a_long_text_takes_little_room() -> None:
    body, encoding = pack(LONG, LONG.replace("第7段", "第七段"))
    assert encoding == DIFFERENCE
    assert len(body) < len(pack(LONG, None)[0]) / 3


def test_texts_with_hostile_numbers_of_lines_are_kept_whole() -> None:
    many = "甲\n" * (MOST_COMPARED_LINES + 1)
    assert pack(many, many + "乙")[1] == WHOLE_TEXT


def test_a_difference_is_never_applied_to_another_text() -> None:
    body, encoding = pack(LONG, LONG + "\n又一段。")
    with pytest.raises(ValueError, match="does not fit"):
        unpack_text(body, encoding, LONG)


def test_a_changed_article_leaves_its_earlier_version(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(text=LONG)]))
        changed = make_article(text=LONG + "\n更正。", title="更正", fetched=NOON + 60)
        results.write(ResultBatch(articles=[changed]))
        rows = database.ask("SELECT version, kind, title, encoding, text_md5, at FROM versions")
        assert rows == [(1, "article", "成都抽检食品", "diff+zlib", text_md5(LONG), NOON)]
        results.write(ResultBatch(articles=[changed]))
        assert database.ask("SELECT count(*) FROM versions") == [(1,)], "written twice after a kill"
        results.write(ResultBatch(articles=[make_article(text="第三", fetched=NOON + 90)]))
        found = results.ask(read_versions, KEY, ARTICLE, ARTICLES)
    assert [(one.version, one.text, one.at) for one in found] == [
        (2, LONG + "\n更正。", NOON + 60),
        (1, LONG, NOON),
    ]


def test_a_text_laid_out_anew_is_no_version_and_breaks_none(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        for text in (LONG, LONG + "\n二", (LONG + "\n二").replace("：", ": "), LONG + "\n三"):
            results.write(ResultBatch(articles=[make_article(text=text)]))
        assert [one.text for one in results.ask(read_versions, KEY, ARTICLE, ARTICLES)] == [
            (LONG + "\n二").replace("：", ": "),
            LONG,
        ]


def test_an_article_that_was_completed_has_no_earlier_version(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(complete=False)]))
        results.write(ResultBatch(articles=[make_article(text="第一段。\n第二段。\n第三段。")]))
        assert results.ask(read_versions, KEY, ARTICLE, ARTICLES) == []


def test_history_full_keeps_texts_and_none_keeps_nothing(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database, "full") as results:
        results.write(ResultBatch(articles=[make_article(text=LONG)]))
        results.write(ResultBatch(articles=[make_article(text=LONG + "\n二")]))
    with opened(database, "none") as results:
        results.write(ResultBatch(articles=[make_article(text=LONG + "\n三")]))
        assert [one.version for one in results.ask(read_versions, KEY, ARTICLE, ARTICLES)] == [1]
    assert database.ask("SELECT encoding FROM versions") == [("zlib",)]


def test_what_is_not_stored_of_a_text_is_not_in_its_history(
    database: Database, make_article: MakeArticle
) -> None:
    with opened(database) as results:
        results.write(ResultBatch(articles=[make_article(text=LONG)]))
        results.write(ResultBatch(articles=[make_article(text=LONG + "\n二")]))
    with opened(database, text="lead") as results:
        results.write(ResultBatch(articles=[make_article(text="新文。")]))
        results.write(ResultBatch(articles=[make_article(text="又新。")]))
        assert [one.text for one in results.ask(read_versions, KEY, ARTICLE, ARTICLES)] == [
            "新文。",
            LONG + "\n二",
            LONG,
        ]


def test_a_changed_record_leaves_its_earlier_version(database: Database) -> None:
    with opened(database) as results:
        results.write(ResultBatch(records=[record("成都一路")]))
        results.write(ResultBatch(records=[record("成都二路", NOON + 9)]))
        results.write(ResultBatch(records=[record("成都二路", NOON + 9)]))
        (found,) = results.ask(read_versions, "c" * 32, "company")
    assert (found.version, found.at) == (1, NOON)
    assert '"address":"成都一路"' in found.text


def test_a_version_that_is_damaged_is_told(
    sqlite_database: Database, make_article: MakeArticle
) -> None:
    with opened(sqlite_database) as results:
        results.write(ResultBatch(articles=[make_article(text=LONG)]))
        results.write(ResultBatch(articles=[make_article(text=LONG + "\n二")]))
        broken = zlib.compress("@@ -1 +1 @@\n-别的\n+甲".encode()).hex()
        sqlite_database.tell(f"UPDATE versions SET body = x'{broken}'")
        with pytest.raises(ResultsError, match=f"version 1 of article {KEY}: .* does not fit"):
            results.ask(read_versions, KEY, ARTICLE, ARTICLES)


WRITES = st.lists(
    st.tuples(
        st.sampled_from(["diff", "full", "none"]),
        st.lists(st.tuples(LINES, st.booleans()), min_size=1, max_size=3),
    ),
    max_size=7,
)


def test_every_version_is_read_as_it_last_was(
    sqlite_database: Database, make_article: MakeArticle
) -> None:
    """Against a plain list of texts by version number, over runs with other settings."""
    modes: tuple[Mode, ...] = ("diff", "full", "none")
    runs = {mode: opened(sqlite_database, mode) for mode in modes}
    numbers = count()

    @settings(max_examples=60, deadline=None)
    @given(WRITES)
    def check(writes: list[tuple[Mode, list[tuple[list[str], bool]]]]) -> None:
        key = f"{next(numbers):032x}"
        texts: dict[int, str] = {}
        version, whole, kept = 0, False, set[int]()
        for mode, batch in writes:
            articles = []
            before = whole
            for lines, complete in batch:
                text = "\n".join(lines)
                articles.append(make_article(url_key=key, text=text, complete=complete))
                if before and not complete:
                    continue  # never replaces one that was stored whole
                if not version:
                    version = 1
                elif whole and text_md5(text) != text_md5(texts[version]):
                    kept |= {version} if mode != "none" else set()
                    version += 1
                texts[version], whole = text, complete
            runs[mode].write(ResultBatch(articles=articles))
            found = {
                one.version: one.text
                for one in runs[mode].ask(read_versions, key, ARTICLE, ARTICLES)
            }
            assert found == {number: texts[number] for number in kept}

    check()
    for run in runs.values():
        run.close()
