"""Results on a server: written in a thread, committed before any URL is acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.databases import Database
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.program


def test_a_crawl_that_is_killed_stores_every_article_once_on_a_server(
    project: Project, web: Web, postgresql_database: Database
) -> None:
    urls = web.news(60)
    web.board("http://a.test/", *urls)
    results = postgresql_database.url
    project.topic()
    project.crawl_killed(25, FOCUSCRAWL_RESULTS=results)
    ended = project.crawl(FOCUSCRAWL_RESULTS=results)
    assert ended.status == 0, ended.said
    assert sorted(postgresql_database.ask("SELECT url FROM articles")) == [
        (url,) for url in sorted(urls)
    ]
