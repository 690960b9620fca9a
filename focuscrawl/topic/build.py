"""From a resolved template, plain JSON, to the frozen values code works with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from focuscrawl.template.files import Reach
from focuscrawl.template.kinds.kind import itself
from focuscrawl.template.kinds.times import Hours
from focuscrawl.template.secrets import is_secret, masked, read_cookies, reveal
from focuscrawl.topic.content_values import Article, Feed, Output, Record, RecordField, Stories
from focuscrawl.topic.fetch_values import Limits, Politeness, Queues, Request
from focuscrawl.topic.link_scoring import LinkScorer
from focuscrawl.topic.link_values import Explore, Follow, Url
from focuscrawl.topic.merge import hash_of, key_of
from focuscrawl.topic.revisit_values import Revisit, RevisitTimes
from focuscrawl.topic.schema import table_at
from focuscrawl.topic.search_values import Engine, Search
from focuscrawl.topic.site_values import Site
from focuscrawl.topic.source_names import source_ids
from focuscrawl.topic.tables import TABLES
from focuscrawl.topic.template import Template
from focuscrawl.topic.topic_values import Relevance, Source, Topic
from focuscrawl.values import Json


class _Builder:
    """Compiles plain values; without an environment secrets stay out (see ``sent``)."""

    def __init__(
        self,
        resolved: Json,
        environment: Mapping[str, str] | None,
        folder: Path,
        reach: Reach | None = None,
    ) -> None:
        self.reach = reach
        self.resolved = resolved
        self.environment = environment
        self.folder = folder
        self.timezone = self.value(("topic", "timezone"), resolved["topic"]["timezone"])

    def value(self, path: tuple[str, ...], plain: Any) -> Any:
        """Compile the plain value of one key; None stays None, unless the kind is a list."""
        key = key_of(path)
        assert key is not None, path
        name = path[-1]
        if name in {"headers", "cookies", "proxy"}:
            return self.sent(name, plain)
        if plain is None and key.kind.entry is not None:
            plain = []
        if name == "rewrite":
            plain = plain or {}
        if path == ("relevance", "model"):
            return self.folder / Path(plain).expanduser() if plain else None
        if plain is None:
            return "" if key.kind.build is itself else None
        built = key.kind.build(plain)
        if name == "hours":
            return Hours(built, self.timezone)
        if name == "since" and isinstance(built, datetime) and built.tzinfo is None:
            return built.replace(tzinfo=self.timezone)
        return built

    def sent(self, name: str, plain: Any) -> Any:
        """Compile headers, cookies or proxies. Secrets are read only with an environment."""
        if self.environment is None:
            plain, environment = _without_secrets(plain), {}
        else:
            environment = dict(self.environment)
        if name == "cookies":
            return read_cookies(plain or {}, environment, self.folder, self.reach)
        if name == "proxy":
            return tuple(reveal(one, environment, self.folder, self.reach) for one in plain or ())
        return {
            key: reveal(value, environment, self.folder, self.reach)
            for key, value in (plain or {}).items()
        }

    def table(self, name: str) -> dict[str, Any]:
        """Compile all keys of a table."""
        plain = self.resolved[name]
        return {
            key: self.value((name, key), plain[key])
            for key in plain
            if key not in {"feeds", "engine"} and not table_at(TABLES, (name, key))
        }


def _without_secrets(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {name: value for name, value in plain.items() if not is_secret(value)}
    return [one for one in plain if not is_secret(one)] if isinstance(plain, list) else None


def build(
    resolved: Json,
    path: Path | None,
    environment: Mapping[str, str] | None,
    folder: Path,
    reach: Reach | None = None,
) -> Template:
    """Compile a resolved template that has no problems; raises SecretError."""
    builder = _Builder(resolved, environment, folder, reach)
    shown = masked(resolved)
    table = builder.table
    topic, queues = Topic(**table("topic")), Queues(**table("queues"))
    sites = {
        host: Site(
            host, {key: builder.value(("site", host, key), one) for key, one in site.items()}
        )
        for host, site in resolved["site"].items()
    }
    return Template(
        topic=topic,
        sources=tuple(_sources(builder, queues.levels)),
        search=Search(**table("search"), engine=_engines(builder)),
        follow=Follow(**table("follow")),
        url=Url(**table("url")),
        relevance=Relevance(**table("relevance")),
        explore=Explore(**table("explore")),
        article=Article(**table("article")),
        stories=Stories(**table("stories")),
        revisit=_revisit(builder),
        queues=queues,
        politeness=Politeness(**table("politeness")),
        request=Request(**table("request")),
        limits=Limits(**table("limits")),
        output=Output(
            **table("output"),
            feeds=tuple(_feed(uri, one) for uri, one in resolved["output"]["feeds"].items()),
        ),
        record={name: _record(builder, name) for name in resolved["record"]},
        sites=sites,
        settings=dict(resolved["settings"]),
        name=topic.name,
        path=path,
        resolved=shown,
        hash=hash_of(shown),
    )


def _revisit(builder: _Builder) -> Revisit:
    times = {
        name: RevisitTimes(
            **{key: builder.value(("revisit", name, key), one) for key, one in plain.items()}
        )
        for name, plain in builder.resolved["revisit"].items()
        if table_at(TABLES, ("revisit", name))
    }
    return Revisit(**builder.table("revisit"), times=times)


def link_scorer_of(resolved: Json) -> LinkScorer | None:
    """Return what scored links by a template of an earlier run; None when it cannot be read any more.

    Only its tables topic and relevance are needed.
    """
    try:
        builder = _Builder(resolved, None, Path())
        return LinkScorer(Topic(**builder.table("topic")), Relevance(**builder.table("relevance")))
    except (KeyError, TypeError, ValueError):  # of a version with other keys
        return None


def _sources(builder: _Builder, levels: int) -> Iterator[Source]:
    sources = builder.resolved["source"]
    for name, plain in zip(source_ids(sources), sources, strict=True):
        values = {key: builder.value(("source", key), one) for key, one in plain.items()}
        values["level"] = plain["level"] or max(1, levels - 1)
        yield Source(**values, source_id=name)


def _engines(builder: _Builder) -> dict[str, Engine]:
    return {
        name: Engine(
            name=name,
            **{
                key: builder.value(("search", "engine", name, key), one)
                for key, one in plain.items()
            },
        )
        for name, plain in builder.resolved["search"]["engine"].items()
    }


def _record(builder: _Builder, name: str) -> Record:
    plain = builder.resolved["record"][name]
    values = {
        key: builder.value(("record", name, key), plain[key]) for key in plain if key != "fields"
    }
    fields = []
    for one, keys in plain["fields"].items():
        place = ("record", name, "fields", one)
        built = {key: builder.value((*place, key), value) for key, value in keys.items()}
        fields.append(RecordField(name=one, places=built.pop("from"), **built))
    return Record(name=name, fields=tuple(fields), **values)


def _feed(uri: str, plain: Json) -> Feed:
    fields = plain["fields"]
    if isinstance(fields, list):
        fields = {name: name for name in fields}
    return Feed(
        uri,
        plain["format"],
        tuple(plain["items"]),
        fields,
        plain["encoding"],
        plain["overwrite"],
        plain["batch_item_count"],
    )
