"""What ``scrapy topic show`` and ``check`` print."""

from __future__ import annotations

import unicodedata
from typing import Any

from focuscrawl.search.table import all_queries
from focuscrawl.template.keys import TableForm
from focuscrawl.template.language import LANGUAGE
from focuscrawl.template.load import LoadedTemplate
from focuscrawl.template.merge import STRICT
from focuscrawl.template.problems import problem_lines
from focuscrawl.template.toml import toml_key, toml_text
from focuscrawl.values import Json

LONG = 88
EFFECT_OF_NONE = "-"


def shown_template(loaded: LoadedTemplate) -> str:
    """Return the resolved template as TOML, each value with where it comes from."""
    resolved = loaded.template.resolved
    blocks: list[str] = []
    for form in LANGUAGE.forms:
        values: Any = resolved
        for part in form.path if form.shape not in {"fields", "inside"} else form.path[:1]:
            values = values[part]
        if form.shape == "table":
            blocks.append(_block(loaded, form, form.title(), form.path, values))
        elif form.shape == "repeated":
            blocks += [
                _block(loaded, form, form.title(), (*form.path, number), one)
                for number, one in enumerate(values)
            ]
        elif form.shape == "named":
            for name, one in values.items():
                blocks.append(_block(loaded, form, form.title(name), (*form.path, name), one))
                for key, inner in LANGUAGE.inside(form).items():
                    place, title = (*form.path, name, key), inner.title(name)
                    if inner.shape == "fields":
                        blocks.append(_fields(loaded, title, place, one[key]))
                    elif key in one:
                        blocks.append(_block(loaded, inner, title, place, one[key]))
        elif form.shape == "open" and values:
            blocks.append(_block(loaded, form, form.title(), form.path, values))
    return "\n\n".join(block for block in blocks if block)


def _block(
    loaded: LoadedTemplate, form: TableForm, title: str, path: tuple[str | int, ...], values: Json
) -> str:
    rows = [title]
    for name, value in values.items():
        key = form.key(name)
        if key is None and form.shape != "open":
            continue  # a block of its own
        if value is None:
            otherwise = key.otherwise if key and key.otherwise else EFFECT_OF_NONE
            rows.append(_aligned(f"# {name} =", f"default: {otherwise}"))
        else:
            rows.append(_assignment(name, value, _origin(loaded, path, name)))
    return "\n".join(rows) if len(rows) > 1 or form.shape == "named" else ""


def _fields(loaded: LoadedTemplate, title: str, path: tuple[str, ...], fields: Json) -> str:
    """Return the fields of a record, each in a line of what is not as without it."""
    rows = [title]
    for one, keys in fields.items():
        given = {}
        for key, value in keys.items():
            known = LANGUAGE.key_of((*path, one, key))
            if known is not None and value not in (None, known.default):
                given[key] = value
        origin = str(loaded.merged.origins.get((*path, one), "default"))
        rows.append(_aligned(f"{toml_key(one)} = {toml_text(given)}", origin))
    return "\n".join(rows)


def _origin(loaded: LoadedTemplate, path: tuple[str | int, ...], name: str) -> str:
    origins = loaded.merged.origins
    names = (name, "url") if name == "urls" else (name,)
    for one in names:
        if (*path, one) in origins:
            return str(origins[(*path, one)])
    if name == STRICT[-1] and STRICT in origins:
        return f"{origins[STRICT]} [topic] strict"
    return "default"


def _assignment(name: str, value: Any, origin: str) -> str:
    line = f"{toml_key(name)} = {toml_text(value)}"
    if len(line) <= LONG or not isinstance(value, list):
        return _aligned(line, origin)
    rows = [_aligned(f"{toml_key(name)} = [", origin)]
    rows += [f"    {toml_text(entry)}," for entry in value]
    return "\n".join([*rows, "]"])


def _aligned(text: str, comment: str) -> str:
    """Put a comment at a column of its own; Chinese characters are two columns wide."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return f"{text}{' ' * max(1, 56 - len(text) - wide)} # {comment}"


def check_text(loaded: LoadedTemplate) -> str:
    """Return warnings, or one line that says what will be read."""
    template = loaded.template
    topic = template.topic
    addresses = sum(len(source.urls) for source in template.sources)
    groups = len(topic.keywords.groups)
    asked = [_counted(groups, "keyword group") if groups else "no keywords"]
    if topic.require:
        asked.append(f"{len(topic.require.groups)} required")
    if topic.exclude:
        asked.append(f"{len(topic.exclude.groups)} excluded")
    where = {
        "sources": "links of these sites",
        "listed": "links of follow.sites",
        "web": "links anywhere",
    }[template.follow.scope]
    if template.scope is not None:
        where += f" ({_counted(len(template.scope.written), 'host')})"
    starts = []
    if addresses or not template.search.engines:
        sources = _counted(len(template.sources), "source")
        starts.append(f"{_counted(addresses, 'address', 'es')} in {sources}")
    if template.search.engines:
        searches = len(all_queries(template.search, topic))
        engines = ", ".join(template.search.engines)
        starts.append(f"{_counted(searches, 'search', 'es')} of {engines}")
    summary = (
        f"{loaded.file}: topic {template.name} ({topic.title}): "
        f"{' and '.join(starts)}; {', '.join(asked)}; {where}, {template.follow.depth}"
        f" clicks deep; one request every {template.politeness.delay:g} s and site"
    )
    if not loaded.warnings:
        return summary
    count = len(loaded.warnings)
    title = f"{loaded.file}: {count} warning" + "s" * (count != 1)
    return "\n".join([title, *problem_lines(loaded.file, loaded.warnings), summary])


def _counted(count: int, name: str, plural: str = "s") -> str:
    return f"{count} {name}{plural if count != 1 else ''}"
