"""From a resolved template, plain JSON, to the frozen values code works with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from focuscrawl.articles.table import ArticleTable
from focuscrawl.explore.table import Explore
from focuscrawl.frontier.table import Queues
from focuscrawl.links.table import Follow, Url
from focuscrawl.politeness.table import PolitenessTable, Request
from focuscrawl.records.table import RecordField, RecordTable
from focuscrawl.relevance.link_score import LinkScorer
from focuscrawl.relevance.table import Relevance
from focuscrawl.revisit.table import CLASSES, Revisit, RevisitTimes
from focuscrawl.search.table import EngineTable, Search
from focuscrawl.stories.table import StoryRules
from focuscrawl.template.changes import source_ids
from focuscrawl.template.files import Reach
from focuscrawl.template.kinds.kind import KeyPlace
from focuscrawl.template.merge import hash_of
from focuscrawl.template.output import FeedTable, Output
from focuscrawl.template.secrets import masked
from focuscrawl.template.site import Select, SiteTable
from focuscrawl.template.table import Limits, Source, Topic
from focuscrawl.template.template import Template
from focuscrawl.values import Json


def build(
    resolved: Json,
    path: Path | None,
    environment: Mapping[str, str] | None,
    folder: Path,
    reach: Reach | None = None,
) -> Template:
    """Compile a resolved template that has no problems; without an environment secrets stay out.

    Raises SecretError.
    """
    place = _place(resolved, folder, environment, reach)
    shown = masked(resolved)
    output, search = resolved["output"], resolved["search"]
    feeds = tuple(FeedTable.built(one, place, uri=uri) for uri, one in output["feeds"].items())
    engines = {
        name: EngineTable.built(one, place, name=name) for name, one in search["engine"].items()
    }
    times = {
        table.form.path[1]: table.built(resolved["revisit"][table.form.path[1]], place)
        for table in CLASSES
    }
    return Template(
        topic=Topic.built(resolved["topic"], place),
        sources=tuple(_sources(resolved, place)),
        search=Search.built(search, place, engine=engines),
        follow=Follow.built(resolved["follow"], place),
        url=Url.built(resolved["url"], place),
        relevance=Relevance.built(resolved["relevance"], place),
        explore=Explore.built(resolved["explore"], place),
        article=ArticleTable.built(resolved["article"], place),
        stories=StoryRules.built(resolved["stories"], place),
        revisit=Revisit.built(resolved["revisit"], place, times=times),
        queues=Queues.built(resolved["queues"], place),
        politeness=PolitenessTable.built(resolved["politeness"], place),
        request=Request.built(resolved["request"], place),
        limits=Limits.built(resolved["limits"], place),
        output=Output.built(output, place, feeds=feeds),
        record={name: _record(name, one, place) for name, one in resolved["record"].items()},
        sites={host: _site(resolved, host, times, place) for host in resolved["site"]},
        elsewhere=_site(resolved, "", times, place),
        settings=dict(resolved["settings"]),
        name=resolved["topic"]["name"],
        path=path,
        resolved=shown,
        hash=hash_of(shown),
    )


def link_scorer_of(resolved: Json) -> LinkScorer | None:
    """Return what scored links by a template of an earlier run; None when it cannot be read any more.

    Only its tables topic and relevance are needed.
    """
    try:
        place = _place(resolved, Path())
        topic = Topic.built(resolved["topic"], place)
        return LinkScorer(topic)
    except (KeyError, TypeError, ValueError):  # of a version with other keys
        return None


def _place(
    resolved: Json,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    reach: Reach | None = None,
) -> KeyPlace:
    """Return what values are built with; ``hours`` and dates are of the topic's timezone."""
    kinds = {one.name: one.kind for one in Topic.form.keys}
    zone = kinds["timezone"].build(resolved["topic"]["timezone"])
    return KeyPlace(folder, zone, environment, reach)


def _sources(resolved: Json, place: KeyPlace) -> Iterator[Source]:
    """Build all sources; one without a level stands below the top."""
    below_top = max(1, resolved["queues"]["levels"] - 1)
    sources = resolved["source"]
    for name, plain in zip(source_ids(sources), sources, strict=True):
        yield Source.built(plain, place, source_id=name, level=plain["level"] or below_top)


def _record(name: str, plain: Json, place: KeyPlace) -> RecordTable:
    fields = tuple(
        RecordField.built(one, place, name=field) for field, one in plain["fields"].items()
    )
    return RecordTable.built(plain, place, name=name, fields=fields)


def _site(resolved: Json, host: str, times: dict[str, RevisitTimes], place: KeyPlace) -> SiteTable:
    """Build what holds for a site, "" for those without a table: the general tables with its own."""
    given: Json = resolved["site"].get(host, {})

    def both(name: str) -> Json:
        return {**resolved[name], **given.get(name, {})}

    own = {key.name: given.get(key.name, key.default) for key in SiteTable.form.keys}
    own["quota"] = resolved["limits"]["per_site"] if own["quota"] is None else own["quota"]
    request = both("request")
    request["headers"] = {
        **(resolved["request"]["headers"] or {}),
        **given.get("request", {}).get("headers", {}),
    }
    where = {key.name: given.get("select", {}).get(key.name) for key in Select.form.keys}
    return SiteTable.built(
        own,
        place,
        host=host,
        politeness=PolitenessTable.built(both("politeness"), place),
        request=Request.built(request, place),
        follow=Follow.built(both("follow"), place),
        url=Url.built(both("url"), place),
        revisit=Revisit.built(both("revisit"), place, times=times),
        select=Select.built(where, place),
    )
