"""How layers become one: defaults, extended files, the template, its sites, arguments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from focuscrawl.search.engines import built_in
from focuscrawl.template.keys import Form, Key, table_at
from focuscrawl.template.kinds.kind import ELLIPSIS
from focuscrawl.template.problems import DEFAULT, Origin
from focuscrawl.template.toml import KeyPath
from focuscrawl.topic.output import format_of
from focuscrawl.topic.tables import ENGINES, RECORD, RECORD_FIELDS, TABLES
from focuscrawl.topic.template_layer import Layer
from focuscrawl.values import Json

FEEDS = ("output", "feeds")
STRICT = ("topic", "strict")
STANDARD = {
    "html": {"link": "css:a::attr(href)", "title": "css:a"},
    "json": {"link": "json:url", "title": "json:title"},
}
"""Where an engine's results have link and title, by its format."""


class Merged:
    """Values and origins of all layers together, by path, without defaults."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        self.values: dict[KeyPath, Any] = {}
        self.origins: dict[KeyPath, Origin] = {}
        sources = 0
        for layer in layers:
            highest = sources
            for path, origin in layer.origins.items():
                if path[0] == "source":
                    path = ("source", int(path[1]) + sources, *path[2:])
                    highest = max(highest, int(path[1]) + 1)
                self.origins[path] = origin
            for path, value in layer.values.items():
                if path[0] == "source":
                    path = ("source", int(path[1]) + sources, *path[2:])
                self.values[path] = self._joined(path, value)
            sources = highest
        self.sources = sources
        for path, value in self.values.items():
            if path[0] == "site" and isinstance(value, list) and ELLIPSIS in value:
                self.values[path] = _spliced(value, self._general(str(path[-1])))

    def origin(self, *path: str | int) -> Origin:
        """Return where a value comes from; the nearest table's place for what is not given."""
        return self.origins.get(path, DEFAULT)

    def get(self, *path: str | int) -> Any:
        """Return a value as given, else its default: of every ``strict`` it is that of [topic]."""
        if path in self.values:
            return self.values[path]
        key = key_of(path)
        if path[-1] == STRICT[-1] and STRICT in self.values:
            return self.values[STRICT]
        return key.default if key else None

    def names(self, *path: str) -> list[str]:
        """Return the names of the named tables below a path, in order."""
        depth = len(path)
        return list(
            dict.fromkeys(
                str(one[depth]) for one in self.origins if one[:depth] == path and len(one) > depth
            )
        )

    def _joined(self, path: KeyPath, value: Any) -> Any:
        """Join a value with the weaker one it meets."""
        weaker = self.values.get(path)
        if isinstance(value, dict) and isinstance(weaker, dict):
            key = key_of(path)
            return weaker | value if key and key.kind.table else value
        if isinstance(value, list) and ELLIPSIS in value:
            if weaker is None and path[0] == "site":
                return value  # stands for the general list, which is known at the end
            return _spliced(value, self.get(*path) if weaker is None else weaker)
        return value

    def _general(self, name: str) -> Any:
        for table in (("follow",), ("url",), ("revisit",), ("politeness",), ("request",)):
            found = table_at(TABLES, table)
            if found and found.key(name):
                return self.get(*table, name)
        return None


def _spliced(value: list[Any], inherited: Any) -> list[Any]:
    """Put the inherited list in the place of "..."."""
    around = inherited if isinstance(inherited, list) else []
    joined: list[Any] = []
    for entry in value:
        joined += around if entry == ELLIPSIS else [entry]
    return joined


def key_of(path: KeyPath) -> Key | None:
    """Return the description of the key at a path."""
    if path[:1] == RECORD and path[2:3] == ("fields",):
        return _table(*RECORD_FIELDS).key(str(path[4])) if len(path) == 5 else None
    names = tuple(part for part in path if isinstance(part, str))
    for table in TABLES:
        depth = len(table.path) + (table.shape == "named")
        if names[: len(table.path)] == table.path and len(names) == depth + 1:
            key = table.key(names[-1])
            if key:
                return key
    return None


def resolve(merged: Merged, fallback_name: str) -> Json:
    """Return the whole template as plain JSON, defaults filled in, in the template's notation."""
    resolved: Json = {}
    for table in TABLES:
        if table.shape == "table" and len(table.path) == 1:
            resolved[table.path[0]] = _filled(merged, table, table.path)
        elif table.shape == "table":
            outer, inner = table.path
            resolved[outer][inner] = _filled(merged, table, table.path)
    topic = resolved["topic"]
    topic["name"] = topic["name"] or fallback_name
    topic["title"] = topic["title"] or topic["name"]
    if topic["timezone"] is None:
        topic["timezone"] = "Asia/Shanghai" if topic["language"] == "zh" else "UTC"
    source = _table("source")
    resolved["source"] = [
        _one_list_of_urls(_filled(merged, source, ("source", number)))
        for number in range(merged.sources)
    ]
    resolved["output"]["feeds"] = {
        uri: _feed(_filled(merged, _table(*FEEDS), (*FEEDS, uri)), uri)
        for uri in merged.names(*FEEDS)
    }
    _search(merged, resolved)
    resolved["record"] = {name: _record(merged, name, resolved) for name in merged.names(*RECORD)}
    resolved["site"] = {
        host: {
            str(path[2]): value
            for path, value in merged.values.items()
            if path[:2] == ("site", host) and len(path) == 3
        }
        for host in merged.names("site")
    }
    resolved["settings"] = {
        str(path[1]): value for path, value in merged.values.items() if path[0] == "settings"
    }
    return resolved


def _record(merged: Merged, name: str, resolved: Json) -> Json:
    """Return the keys of a record, and its fields in their order."""
    record = _filled(merged, _table(*RECORD), (*RECORD, name))
    if record["pages"] is None:
        record["pages"] = "last-layer" if resolved["follow"]["layers"] else "relevant"
    inner = _table(*RECORD_FIELDS)
    place = (*RECORD, name, "fields")
    record["fields"] = {one: _filled(merged, inner, (*place, one)) for one in merged.names(*place)}
    if record["key"] is None:
        record["key"] = [one for one, keys in record["fields"].items() if keys["required"]]
    return record


def _search(merged: Merged, resolved: Json) -> None:
    """Fill in what depends on other keys; engines hold built-in ones that are asked, too."""
    search = resolved["search"]
    if search["robots"] is None:
        search["robots"] = resolved["politeness"]["robots"]
    if resolved["follow"]["scope"] is None:
        explores = resolved["explore"]["enabled"]
        if explores is None:
            explores = any(path[0] == "explore" for path in merged.values)
        resolved["follow"]["scope"] = "web" if search["engines"] or explores else "sources"
    if resolved["explore"]["enabled"] is None:
        resolved["explore"]["enabled"] = resolved["follow"]["scope"] == "web"
    known = built_in()
    asked = [name for name in search["engines"] or [] if name in known]
    search["engine"] = {
        name: _engine(merged, name, known.get(name, {}))
        for name in dict.fromkeys([*merged.names(*ENGINES), *asked])
    }


def _engine(merged: Merged, name: str, known: Json) -> Json:
    """Return the keys of an engine: as given, as built in, else their defaults."""
    filled: Json = {}
    for key in _table(*ENGINES).keys:
        given = merged.values.get((*ENGINES, name, key.name))
        filled[key.name] = known.get(key.name, key.default) if given is None else given
    if not filled["urls"]:
        form = filled["format"]
        filled |= {key: filled[key] or STANDARD[form][key] for key in STANDARD[form]}
    return filled


def _table(*path: str) -> Form:
    table = table_at(TABLES, path)
    assert table is not None
    return table


def _filled(merged: Merged, table: Form, path: KeyPath) -> Json:
    return {key.name: merged.get(*path, key.name) for key in table.keys}


def _one_list_of_urls(source: Json) -> Json:
    """A source has ``urls``, however they were written."""
    first = source.pop("url")
    urls = [one for one in source["urls"] or [] if one != ELLIPSIS]
    return source | {"urls": ([first] if first else []) + urls}


def _feed(feed: Json, uri: str) -> Json:
    feed["format"] = feed["format"] or format_of(uri)
    if feed["encoding"] is None:
        feed["encoding"] = "utf-8-sig" if feed["format"] == "csv" else "utf-8"
    return feed


def hash_of(resolved: Json) -> str:
    """Return the MD5 of a resolved template, in hexadecimal."""
    text = json.dumps(resolved, sort_keys=True, ensure_ascii=False)
    return hashlib.md5(text.encode()).hexdigest()
