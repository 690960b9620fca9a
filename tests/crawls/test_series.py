"""Numbers by minute for charts: also a run of seconds leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.crawls.conftest import Project


def test_a_run_leaves_its_numbers_of_the_last_minute(crawled: Project) -> None:
    rows = crawled.rows("SELECT minute, name, value FROM series")
    figures = {row["name"]: row["value"] for row in rows}
    assert (figures["pages"], figures["articles"], figures["waiting"]) == (4, 3, 0)
    assert {"relevant", "in_flight", "errors", "level_1_len", "level_5_len"} <= figures.keys()
    assert all(row["minute"].endswith(":00.000Z") for row in rows)
