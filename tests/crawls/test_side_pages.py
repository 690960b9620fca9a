"""A wiki that has views of each of its pages: they are not asked for once some have given nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.refused_links

PAGES, VIEWS = 30, ("_raw", "_dir", "_plugin/files")


def wiki(web: Web, *, comments: bool = False) -> set[str]:
    """Put a wiki whose pages have views without anything new, and perhaps a page of comments with a text of its own."""
    urls = {f"{HOME}topic/page-{number}/" for number in range(PAGES)}
    for number, url in enumerate(sorted(urls)):
        views = [*VIEWS, *(["comments"] if comments else [])]
        links = "".join(f'<a href="{view}/">{view}</a>' for view in views)
        web.article(url, number + 1, more=links)
        body = web.body(url)
        web.answers[f"{url}_raw/"] = web.page(body.replace("<h1>", "<h1>Source of "))
        web.redirect(f"{url}_dir/", f"{HOME}login?next={number}")
        web.answers[f"{url}_plugin/files/"] = web.page(
            f"<html><body><h1>Files of page {number}</h1><a href='{url}'>back</a></body></html>"
        )
        web.article(f"{url}comments/", number + 500)
    web.board(HOME, *sorted(urls))
    return urls


def test_views_that_give_nothing_are_read_beside_a_few_pages_only(
    project: Project, web: Web
) -> None:
    urls = wiki(web)
    project.topic()
    assert project.crawl().status == 0
    assert urls <= project.articles()
    assert len(web.asked()) < 2 * PAGES, "1 + 30 pages, and 90 views"
    assert ("parked", "rule:trap:views") in project.outcomes().values()


def test_views_that_give_something_are_all_read(project: Project, web: Web) -> None:
    urls = wiki(web, comments=True)
    project.topic()
    assert project.crawl().status == 0
    assert urls | {f"{url}comments/" for url in urls} <= project.articles()
