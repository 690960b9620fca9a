"""One file, or the arguments of a run, checked against the tables of the language.

What can be read goes into a layer by its path, what cannot becomes a problem at its line with what
is allowed instead. Nothing here knows what a key is about.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.locale.messages import N_, _
from focuscrawl.template.files import FileError, ListError, Reach, read_file
from focuscrawl.template.keys import Key, Language, TableForm
from focuscrawl.template.kinds.kind import ELLIPSIS, Invalid
from focuscrawl.template.kinds.words import EXPRESSION, WEIGHT, split_synonyms
from focuscrawl.template.toml import (
    KeyPath,
    Origin,
    Problem,
    TomlLines,
    decode,
    shortened,
    toml_text,
)
from focuscrawl.values import Json

SETTING = re.compile(r"[A-Z][A-Z0-9_]*")
OURS = "FOCUSCRAWL_"

_CALLED = (N_("a file"), N_("a host name"), N_("a name with dots"), N_("an address"))
"""What names of tables are called where they are declared."""


@dataclass(slots=True)
class Layer:
    """What one file (or the arguments) says: plain values and origins by path.

    Paths: ("topic", "title"), ("source", 0, "urls"), ("site", HOST, "politeness", "delay"),
    ("output", "feeds", URI, "format"), ("settings", NAME). ``reach`` is where it may read files.
    """

    language: Language
    file: str
    folder: Path
    lines: TomlLines = field(default_factory=TomlLines)
    values: dict[KeyPath, Any] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    reach: Reach | None = None

    def complain(self, path: KeyPath, text: str) -> None:
        """Note a problem at the line of a path."""
        self.problems.append(Problem(self.origin(path), text))

    def origin(self, path: KeyPath) -> Origin:
        """Return where a path stands."""
        return Origin(self.file, self.lines.of(path))


def check_tree(layer: Layer, tree: Json) -> None:
    """Check everything a file holds; values and problems go into the layer."""
    _check_unquoted_names(layer, tree)
    language = layer.language
    top = language.at()
    for name, value in tree.items():
        if top.key(name):
            check_key(layer, top, name, value, (name,))
        elif form := language.find(name):
            _check_table(layer, form, value, (name,))
        elif isinstance(value, dict | list) and not (name,) in layer.lines.keys:
            layer.complain((name,), f"[{name}]: {_unknown_table(language, name)}")
        else:
            layer.complain((name,), f"{name}: {unknown(language, top, name)}")


def _check_table(layer: Layer, form: TableForm, value: Any, path: KeyPath) -> None:
    """Check a table in the form it must have."""
    if form.shape == "repeated":
        entries = value if isinstance(value, list) else [value]
        if not all(isinstance(entry, dict) for entry in entries):
            layer.complain(
                path, _("{path}: repeatable: {title}").format(path=path[0], title=form.title())
            )
            return
        number = 0
        for written, entry in enumerate(entries):
            for one in _spread(layer, form, entry, (*path, written)):
                layer.origins[(*path, number)] = layer.origin((*path, written))
                for name, content in one.items():
                    check_key(
                        layer, form, name, content, (*path, written, name), (*path, number, name)
                    )
                number += 1
        return
    if not isinstance(value, dict):
        title = form.title()
        wrong = (
            _("[[{path}]]: once only: {title}").format(path=path[0], title=title)
            if isinstance(value, list)
            else _("{path}: a table: {title}").format(path=path[0], title=title)
        )
        layer.complain((*path, 0) if isinstance(value, list) else path, wrong)
        return
    for name, content in value.items():
        inner = layer.language.find(*form.path, name)
        if form.shape == "named":
            _check_named(layer, form, name, content, path)
        elif form.shape == "open":
            _check_setting(layer, form, name, content)
        elif inner:
            _check_table(layer, inner, content, inner.path)
        else:
            check_key(layer, form, name, content, (*path, name))


def _spread(layer: Layer, form: TableForm, entry: Json, path: KeyPath) -> list[Json]:
    """Return the tables that one stands for."""
    if form.spread is None:
        return [entry]
    try:
        return form.spread(entry, lambda name: _file(name, layer.folder, layer.reach))
    except ListError as error:
        layer.complain(path, f"{form.title()}: {error}")
        return []


def _check_named(layer: Layer, form: TableForm, name: str, content: Any, path: KeyPath) -> None:
    """Check one of the tables with names, [site."HOST"] or [record.NAME], and what is inside."""
    given, inside = (*path, name), layer.language.inside(form)
    if not isinstance(content, dict):
        holding = [one for one in (form, *inside.values()) if one.key(name)]
        dotted = ".".join(form.path)
        if holding:
            layer.complain(
                given,
                _("[{dotted}] {name}: it belongs into {heading}").format(
                    dotted=dotted, name=name, heading=holding[0].heading
                ),
            )
        else:
            layer.complain(
                given,
                _("{dotted}.{name}: a table: {title}").format(
                    dotted=dotted, name=name, title=form.title(name)
                ),
            )
        return
    try:
        known = form.names(name)
    except ValueError as error:
        layer.complain(given, f"{form.title(name)}: {error}")
        return
    for key, value in content.items():
        where, place = (*given, key), (*form.path, known, key)
        inner = inside.get(key)
        holding = [] if form.key(key) else [one for one in inside.values() if one.key(key)]
        if inner is None and holding and holding[0].shape == "inside":
            title = holding[0].title(known)
            layer.complain(
                where,
                _("{title} {key}: it belongs into {home}").format(
                    title=form.title(known), key=key, home=title
                ),
            )
        elif inner is None:
            check_key(layer, form, key, value, where, place, form.title(known))
        elif not isinstance(value, dict):
            layer.complain(
                where,
                _("{title} {key}: a table: {right}").format(
                    title=form.title(known), key=key, right=inner.title(known)
                ),
            )
        elif inner.shape == "fields":
            _check_fields(layer, inner, inner.title(known), value, where)
        else:
            for one, plain in value.items():
                check_key(
                    layer, inner, one, plain, (*where, one), (*place, one), inner.title(known)
                )
    layer.origins.setdefault((*form.path, known), layer.origin(given))


def _check_fields(layer: Layer, form: TableForm, title: str, fields: Json, path: KeyPath) -> None:
    """Check tables by field, each of which may be its first key alone."""
    for one, value in fields.items():
        here = (*path, one)
        try:
            form.names(one)
        except ValueError as error:
            layer.complain(here, f"{title} {one}: {error}")
            continue
        layer.origins[here] = layer.origin(here)
        keys = value if isinstance(value, dict) else {form.keys[0].name: value}
        for key, plain in keys.items():
            at = (*here, key) if keys is value else here
            check_key(layer, form, key, plain, at, (*here, key), f"{title} {one}")


def check_key(
    layer: Layer,
    form: TableForm,
    name: str,
    value: Any,
    path: KeyPath,
    known: KeyPath | None = None,
    title: str = "",
) -> None:
    """Check one key; ``path`` is where it stands, ``known`` the path in normal form.

    ``title`` is how messages call the table, when its own heading does not say enough.
    """
    where = f"{title or form.title()} {name}".strip()
    key = form.key(name)
    if key is None:
        layer.complain(path, f"{where}: {unknown(layer.language, form, name)}")
        return
    try:
        plain = _read(layer, key, value, layer.origin(path), where)
    except (Invalid, ListError) as error:
        wrong = error.value if isinstance(error, Invalid) else value
        layer.complain(path, f"{where} = {shortened(wrong)}: {error}")
        return
    layer.values[known or path] = plain
    layer.origins[known or path] = layer.origin(path)


def _read(layer: Layer, key: Key, value: Any, origin: Origin, where: str) -> Any:
    kind = key.kind
    if kind.entry is None:
        return kind.read(value)
    plain = []
    for entry, place in expand(value, layer.folder, origin, groups=kind.groups, reach=layer.reach):
        try:
            plain.append(entry if entry == ELLIPSIS else kind.entry.read(entry))
        except Invalid as error:
            layer.problems.append(Problem(place, f"{where} = {shortened(error.value)}: {error}"))
    return plain


def _check_setting(layer: Layer, form: TableForm, name: str, value: Any) -> None:
    """Check one key of [settings]."""
    language, path = layer.language, (*form.path, name)
    where = f"{form.title()} {name}"
    if not SETTING.fullmatch(name):
        layer.complain(path, f"{where}: {unknown(language, form, name)}")
    elif name in language.refused:
        layer.complain(
            path,
            _("{where}: not here: {reason}").format(where=where, reason=_(language.refused[name])),
        )
    elif name in language.set_by:
        layer.complain(
            path,
            _("{where}: not here: write {advice}").format(
                where=where, advice=language.set_by[name]
            ),
        )
    elif name.startswith(OURS):
        reason = _("it says where, not what; set it in settings.py, the environment or with -s")
        layer.complain(path, _("{where}: not here: {reason}").format(where=where, reason=reason))
    else:
        layer.values[path] = _plain(value)
        layer.origins[path] = layer.origin(path)


def _plain(value: Any) -> Any:
    """Return a TOML value as JSON: dates become text."""
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _check_unquoted_names(layer: Layer, tree: Json) -> None:
    """Tell [site.example.cn], which TOML reads as tables inside tables, and read what was meant."""
    for heading in layer.lines.headings:
        for form in layer.language.forms:
            names, depth = heading.names, len(form.path)
            if form.shape != "named" or not form.called or names[:depth] != form.path:
                continue
            inner = layer.language.inside(form).get(names[-1])
            name = ".".join(names[depth : -1 if inner else None])
            if len(names) - (inner is not None) <= depth + 1:
                continue
            title = "[" + ".".join(names) + "]"
            written = (inner or form).title(name)
            message = _("{title}: {called} needs quotes: {written}").format(
                title=title, called=_(form.called), written=written
            )
            layer.problems.append(Problem(Origin(layer.file, heading.line), message))
            layer.lines.tables[(*names[:depth], name)] = heading.line
            content = _take(tree, names)
            content = {names[-1]: content} if inner else content
            _check_named(layer, form, name, content, names[:depth])


def _take(tree: Json, names: tuple[str, ...]) -> Any:
    """Take a nested table out of the tree, with the tables around it that are then empty."""
    around = [tree]
    for name in names[:-1]:
        inner = around[-1].get(name, {})
        around.append(inner if isinstance(inner, dict) else {})
    taken = around[-1].pop(names[-1], {})
    for table, name in zip(reversed(around[:-1]), reversed(names[:-1]), strict=True):
        if not table.get(name):
            table.pop(name, None)
    return taken


def unknown(language: Language, form: TableForm, name: str) -> str:
    """Say what is known instead of a key: the table it is in, the nearest, or all."""
    if name in form.fixed:
        return _("no key here: always {value}").format(value=toml_text(form.fixed[name]))
    if name in form.elsewhere:
        return _("unknown key; {instead}").format(instead=_(form.elsewhere[name]))
    forms = [one for one in language.forms if one.general is None]
    if places := _places_of_key(forms, name):
        return _("unknown key here; it exists in {places}").format(places=_(" and ").join(places))
    own, others = [key.name for key in form.keys], _places_of_keys(forms)
    near = get_close_matches(name.lower(), own, 1)
    far = get_close_matches(name.lower(), others, 1, 0.75)
    if near and not (far and _likeness(name, far[0]) > _likeness(name, near[0]) + 0.1):
        return _("unknown key; nearest: {name}").format(name=near[0])
    if far:
        places = [place for place in others[far[0]] if '"' not in place]
        return _("unknown key; nearest: {far} in {place}").format(
            far=far[0], place=_(" or ").join(places or others[far[0]])
        )
    if form.shape == "open":
        return _("unknown key; here stand settings of Scrapy, in capitals")
    tables = [] if form.path else [_("the tables")]
    return _("unknown key; allowed: {keys}").format(keys=", ".join([*own, *tables]))


def _places_of_key(forms: Sequence[TableForm], name: str) -> list[str]:
    """Return which tables have a key: those that a topic gives a name only where no other has it."""
    holding = [one for one in forms if one.key(name)]
    plain = [one.heading for one in holding if one.shape not in {"named", "inside"}]
    return plain or [one.heading for one in holding]


def _places_of_keys(forms: Sequence[TableForm]) -> dict[str, list[str]]:
    """Return in which tables each key stands; those that a topic gives a name come last."""
    places: dict[str, list[str]] = {}
    for form in sorted(forms, key=lambda one: one.shape in {"named", "inside"}):
        for key in form.keys:
            places.setdefault(key.name, []).append(form.heading or _("the top of the file"))
    return places


def _likeness(name: str, other: str) -> float:
    return SequenceMatcher(None, name.lower(), other).ratio()


def _unknown_table(language: Language, name: str) -> str:
    """Say which table comes nearest."""
    headings = {one.path[0]: one.heading for one in language.forms if len(one.path) == 1}
    near = get_close_matches(name.lower(), headings, 1)
    if near:
        return _("unknown table; nearest: {name}").format(name=headings[near[0]])
    known = [one for one in language.forms if one.path and one.shape != "inside"]
    return _("unknown table; allowed: {known}").format(
        known=", ".join(one.heading for one in known)
    )


MARK = "@"


class _Entry(NamedTuple):
    """One entry of a list and where it stands."""

    value: Any
    origin: Origin


def is_file(entry: object) -> bool:
    """Whether an entry stands for the lines of a file; ``@@`` is a literal @."""
    return isinstance(entry, str) and entry[:1] == MARK and entry[:2] != MARK * 2


def expand(
    value: Any, folder: Path, origin: Origin, *, groups: bool, reach: Reach | None = None
) -> Iterator[_Entry]:
    """Go through the entries of a list, files replaced by their lines; raises ListError.

    ``reach`` is where an inline template may read.

    With ``groups`` entries are word groups: a file beside a ``|`` or with a weight gives synonyms,
    one alone gives a group for each line.
    """
    for entry in value if isinstance(value, list) else [value]:
        if groups and isinstance(entry, str) and not entry.startswith(EXPRESSION):
            weight = WEIGHT.search(entry)
            body = entry[: weight.start(1) - 1] if weight else entry
            synonyms = split_synonyms(body)
            if any(map(is_file, synonyms)) and (weight or len(synonyms) > 1):
                joined = "|".join(_synonyms(synonyms, folder, reach))
                yield _Entry(joined + (f"^{weight[1]}" if weight else ""), origin)
                continue
        if is_file(entry):
            yield from read_list(entry[1:].strip(), folder, reach)
        else:
            yield _Entry(entry, origin)


def _synonyms(synonyms: list[str], folder: Path, reach: Reach | None) -> Iterator[str]:
    for synonym in synonyms:
        if is_file(synonym):
            yield from (line.value for line in read_list(synonym[1:].strip(), folder, reach))
        else:
            yield synonym


def read_list(name: str, folder: Path, reach: Reach | None = None) -> Iterator[_Entry]:
    """Go through the lines of a file, of a .csv the first column, without comments."""
    text, problems = decode(_file(name, folder, reach), name)
    if problems:
        raise ListError(_("the file {name} is {what}").format(name=name, what=problems[0].text))
    rows = text.splitlines()
    if name.lower().endswith(".csv"):
        try:
            rows = [row[0] if row else "" for row in csv.reader(rows)]
        except csv.Error as error:
            raise ListError(
                _("the file {name} is no CSV: {error}").format(name=name, error=error)
            ) from None
    for number, row in enumerate(rows, 1):
        entry = row.strip() if row.lstrip().startswith("#") else row.split(" #")[0].strip()
        if entry and not entry.startswith("#"):
            yield _Entry(MARK + entry if entry[:1] == MARK else entry, Origin(name, number))


def _file(name: str, folder: Path, reach: Reach | None) -> bytes:
    """Return what is in a file that a list names. Raises ListError."""
    try:
        return read_file(folder / name, reach)
    except FileError as error:
        raise ListError(
            _("the file {name} cannot be used: {error}").format(name=name, error=error)
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ListError(
            _("the file {name} cannot be read in {folder}: {why}").format(
                name=name, folder=folder, why=why
            )
        ) from None
