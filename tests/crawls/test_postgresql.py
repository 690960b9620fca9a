"""Results on a server: written in a thread, committed before any URL is acknowledged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlalchemy import create_engine, text

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web


def test_a_crawl_that_is_killed_stores_every_article_once_on_a_server(
    project: Project, web: Web, postgresql_socket: Path
) -> None:
    urls = web.news(60)
    web.board("http://a.test/", *urls)
    server = f"postgresql+psycopg://crawl@/postgres?host={postgresql_socket}"
    schema = f"crawl_{uuid4().hex}"
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    results = f"{server}&options=-csearch_path%3D{schema}"
    project.topic()
    project.crawl_killed(25, FOCUSCRAWL_RESULTS=results)
    ended = project.crawl(FOCUSCRAWL_RESULTS=results)
    assert ended.status == 0, ended.said
    with engine.connect() as connection:
        found = connection.execute(text(f"SELECT url FROM {schema}.articles")).scalars().all()
    engine.dispose()
    assert sorted(found) == sorted(urls)
