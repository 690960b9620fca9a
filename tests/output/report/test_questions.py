"""What a report asks of its databases, in SQLite and PostgreSQL."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings
from sqlalchemy import create_engine, text

from focuscrawl.config import read_config
from focuscrawl.output.report.contents import (
    Bar,
    BarChart,
    Cells,
    Hits,
    LineChart,
    Listing,
    Share,
    Span,
    Term,
    TopicReport,
    chapters_of,
    plain_value,
)
from focuscrawl.output.report.forms.text import document_json, document_lines, listing_lines
from focuscrawl.output.report.forms.words import Vocabulary
from focuscrawl.output.report.output import listing_named
from focuscrawl.output.report.questions.topics import TopicLine
from focuscrawl.stores.results.kinds.last_run import NEVER
from focuscrawl.stores.results.news import SinceError
from tests.clock import NOON
from tests.output.report.conftest import Stored


def listings(report: TopicReport) -> dict[str, Listing]:
    chapters = [*report.news, *report.course]
    return {
        f"{one.name}.{one.term.word}" if one.term else one.name: one
        for chapter in chapters
        for one in chapter.listings
    }


@pytest.fixture(params=["sqlite", "postgresql"])
def topics(request: pytest.FixtureRequest, tmp_path: Path) -> Stored:
    """Topics in a file each, or all in a database on a server."""
    place = ""
    if request.param == "postgresql":
        place = request.getfixturevalue("postgresql_database").url
    settings = {"FOCUSCRAWL_DATA_DIR": str(tmp_path), "FOCUSCRAWL_RESULTS": place}
    return Stored(read_config(Settings(settings), {}, tmp_path))


def test_a_report_tells_what_is_new_and_how_it_went(topics: Stored) -> None:
    (report,) = topics.report(topics.topic(articles=200)).topics
    told = listings(report)
    counts = {name: one.total for name, one in told.items()}
    assert counts["articles"] == 20  # a tenth; those of yesterday are known
    assert counts["stories"] == 4
    assert counts["changed"] == counts["gone"] == counts["replies"] == counts["threads"] == 3
    assert counts["records"] == 2
    assert counts["records_changed"] == 3
    assert counts["runs"] == 2
    assert counts["sites"] == 40
    assert counts["sites_trouble"] == 4
    assert (counts["failed"], counts["parked"]) == (3, 3)
    assert told["levels"].number == 44
    assert sum(n for name, n in counts.items() if name.startswith("pages.")) == 60
    assert told["needs"].total == 2
    story: Any = told["stories"].rows[0]
    assert isinstance(story[1], Cells)
    assert len(story[1].cells) == 5
    assert story[2] == Hits((("不合格", 1), ("抽检", 1), ("食品安全", 1)))
    assert story[3] == 5
    visits = {plain_value(row[0]): row[4:] for row in told["visits"].rows}
    assert visits["article"] == (420, 31, 27)
    fields = {(row[0], row[1]): row[2] for row in told["fields"].rows}
    assert fields["company", "address"] == Share(2, 3)
    assert report.verdict[0] == Term("end", "but_needed")


def test_a_first_report_shows_all_that_is_known(stored: Stored) -> None:
    template = stored.first()
    (report,) = stored.report(template).topics
    told = listings(report)
    assert report.is_first
    assert "gone" in told  # it has some; of what has none nothing is said
    assert not [one for one in report.news[-1].listings if not one.total]
    assert told["baseline"].total == 180
    assert told["records_known"].total == 1
    assert "threads_known" not in told  # all of them came behind the baseline
    document = stored.report(template, stored.topic("later"))
    (rows,) = [one.listings[0].rows for one in document.overview]
    assert [plain_value(row)[4] for row in rows] == [181, 1]
    assert not stored.report(template, span="3d").topics[0].is_first


def test_a_site_stands_beside_the_source_that_its_page_names(stored: Stored) -> None:
    (report,) = stored.report(stored.topic(articles=20)).topics
    articles = listings(report)["articles"]
    at = articles.columns.index("medium")
    named = {str(row[at]) for row in articles.rows}
    assert "site18.example" in named  # 19 says its 来源, 18 does not
    assert any(one.endswith(" (site19.example)") for one in named)
    story: Any = listings(stored.report(stored.topic("more", articles=200)).topics[0])["stories"]
    words = [one.words for one in story.rows[0][1].cells]
    assert any(one.endswith(".example)") for one in words)
    assert any(one.endswith(".example") for one in words)


def test_an_empty_run_tells_its_reasons_as_the_summary_does(stored: Stored) -> None:
    template = stored.topic()
    why = "robots.txt forbids them"
    with closing(sqlite3.connect(stored.folder / "food.db")) as connection, connection:
        connection.execute(
            "UPDATE crawl_runs SET counters = ?", (json.dumps({"empty_reasons": [why, why, "b"]}),)
        )
    (report,) = stored.report(template).topics
    assert report.news[0].name == "reasons"
    assert listings(report)["reasons"].rows == [(why,), ("b",)]
    document = stored.report(template, stored.template("other"))
    assert plain_value(document.overview[0].listings[0].rows[0])[-1] == why


def test_charts_show_the_harvest_of_all_minutes_and_the_weights_of_levels(topics: Stored) -> None:
    (report,) = topics.report(topics.topic()).topics
    charts = {chart.name: chart for chapter in report.course for chart in chapter.charts}
    harvest = charts["harvest"]
    assert isinstance(harvest, LineChart)
    assert harvest.lines[0].points[-1][1] == 31 * 59
    queues = charts["queues"]
    assert isinstance(queues, BarChart)
    levels = {bar.label: bar for bar in queues.bars}
    waiting = levels[4].parts[0][1]
    assert levels[4] == Bar(4, (("waiting", waiting),), round(waiting / 2.4, 1))


def test_since_says_what_is_new(topics: Stored) -> None:
    template = topics.topic()
    for span, new in (("10m", 0), ("2h", 20), ("2026-11-01", 20)):
        (report,) = topics.report(template, span=span).topics
        assert listings(report)["articles"].total == new
        command = listings(report)["articles"].command
        assert command == (f"scrapy report food --list articles --since {span}" if new else "")
    with pytest.raises(SinceError, match="yesterday"):
        topics.report(template, span="yesterday")


@pytest.mark.parametrize("name", ["articles", "pages.stored", "errors", "failed", "changed", "due"])
def test_a_listing_is_read_whole_when_it_is_asked_for_alone(topics: Stored, name: str) -> None:
    document = topics.report(topics.topic(articles=1_000, pages=500), span="2h", only=name)
    found = listing_named(document, name)
    assert found is not None
    assert len(found.rows) == found.total > 0
    lines = listing_lines(found, Vocabulary("en", "UTC", NOON)).split("\n")
    assert len(lines) == found.total + 1
    assert {line.count("\t") for line in lines} == {len(found.columns) - 1}


def test_several_topics_begin_with_a_table_those_in_trouble_first(topics: Stored) -> None:
    templates = [
        topics.topic("aaa", articles=40),
        topics.topic("bbb", articles=90),
        topics.template("ccc"),
    ]
    why = "the file is no SQLite database"
    damaged = TopicLine("ddd", "四川食品安全", NEVER, why=why)
    document = topics.source("last", "").document(templates, [damaged])
    assert [report.topic for report in document.topics] == ["aaa", "bbb"]
    assert not any(report.course for report in document.topics)
    (overview,) = document.overview
    rows = [plain_value(row) for row in overview.listings[0].rows]
    names = [row[0].rpartition("(")[2] for row in rows]
    assert names == ["ddd)", "bbb)", "aaa)", "ccc)"]
    assert [row[2] for row in rows] == ["never", "finished", "finished", "never"]
    assert [row[3] for row in rows] == [0, 14, 9, 0]
    assert [row[4] for row in rows] == [0, 1, 1, 0]
    assert [row[5] for row in rows] == [0, 2, 2, 0]
    assert rows[1][6] > 0
    assert [row[7] for row in rows] == [why, "", "", ""]
    counts = {name: value for name, value in overview.facts if name.startswith("topics_")}
    assert counts == {"topics_well": 2, "topics_trouble": 1, "topics_never": 1}


def test_text_and_json_tell_the_same(topics: Stored) -> None:
    document = topics.report(topics.topic())
    said = document_lines(document, Vocabulary("zh", "Asia/Shanghai", NOON))
    assert "新文章: 20" in said
    assert "四川食品安全: 已完成" in said
    assert '"articles": {\n' in document_json(document)


def test_a_topic_that_was_never_crawled_is_told_to_be_so(stored: Stored) -> None:
    document = stored.report(stored.template("food"))
    assert document.topics == []
    (row,) = document.overview[0].listings[0].rows
    assert plain_value(row)[2] == "never"


def test_a_database_of_an_earlier_version_has_a_report_without_news(stored: Stored) -> None:
    template = stored.topic()
    engine = create_engine(f"sqlite:///{stored.folder / 'food.db'}")
    with engine.begin() as connection:
        for view in (
            connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'view'"))
            .scalars()
            .all()
        ):
            connection.execute(text(f'DROP VIEW "{view}"'))
        for table in ("articles", "records", "threads"):
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN known"))
        connection.execute(text("DROP TABLE series"))
    engine.dispose()
    (report,) = stored.report(template).topics
    told = listings(report)
    assert told["articles"].total == 0
    assert told["changed"].total == 3
    assert len([*chapters_of(stored.report(template))]) > 5


def test_a_crawl_that_never_ended_has_crashed_or_runs(stored: Stored) -> None:
    template = stored.topic()
    engine = create_engine(f"sqlite:///{stored.folder / 'food.db'}")
    for heartbeat, state in (
        ("2026-11-20T03:59:00.000Z", "running"),
        ("2026-11-20T01:00:00.000Z", "crashed"),
    ):
        with engine.begin() as connection:
            connection.execute(
                text(
                    f"UPDATE crawl_runs SET ended = NULL, end_reason = NULL, heartbeat = '{heartbeat}' WHERE run_id = 'food-2'"
                )
            )
        (report,) = stored.report(template).topics
        assert report.verdict[0] == Term("end", state)
    engine.dispose()


def test_the_file_of_a_crawl_that_is_missing_is_no_reason_to_tell_nothing(stored: Stored) -> None:
    template = stored.topic()
    (stored.folder / "food.crawl.db").unlink()
    (report,) = stored.report(template).topics
    told = listings(report)
    assert "failed" not in told
    assert told["levels"].number == 1500  # as the crawl itself has noted each minute
    assert isinstance(told["runs"].rows[0][1], Span)
