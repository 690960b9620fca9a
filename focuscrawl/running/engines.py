"""How search engines are asked: what is special about a request, and how long to pause between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.kernel.requests import Ask
from focuscrawl.search.table import SearchTable
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.pages.content import Fetched
    from focuscrawl.running.searching import Searching
    from focuscrawl.search.plan import SearchRequest
    from focuscrawl.template.template import Template


def asked_of(searching: Searching, template: Template, asked: SearchRequest) -> Ask:
    """Return the request to an engine; its answer is read and leads to the next requests."""
    meta: Json = {} if template.of(SearchTable).robots else {"dont_obey_robotstxt": True}

    def answered(fetched: Fetched) -> list[Ask]:
        following = searching.answered(
            asked, fetched.url, fetched.status, fetched.body, fetched.content_type
        )
        return [asked_of(searching, template, one) for one in following]

    def failed(reason: str) -> None:
        searching.failed(asked, reason)

    return Ask(asked.url, PageClass.SEARCH, answered, failed, meta)


def hosts_of(template: Template | None) -> Mapping[str, float]:
    """Return the hosts of the engines that are asked, with the pause between two requests."""
    if template is None:
        return {}
    search = template.of(SearchTable)
    return {
        search.engine[name].host: search.delay for name in search.engines if name in search.engine
    }
