"""How search engines are asked: what is special about a request, and how long to pause between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.search.plan import SearchRequest
    from focuscrawl.template.template import Template


def search_meta(template: Template, asked: SearchRequest, level: int) -> Json:
    """Return the meta of a request to an engine."""
    meta: Json = {
        "focuscrawl": {"level": level, "class": PageClass.SEARCH, "volatile": True},
        "handle_httpstatus_all": True,
    }
    if not template.search.robots:
        meta["dont_obey_robotstxt"] = True
    return meta


def hosts_of(template: Template | None) -> Mapping[str, float]:
    """Return the hosts of the engines that are asked, with the pause between two requests."""
    if template is None:
        return {}
    search = template.search
    return {
        search.engine[name].host: search.delay for name in search.engines if name in search.engine
    }
