"""What was learnt of a site from its own pages, in words; hostile pages have written the lines that are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from focuscrawl.locale.messages import _, ngettext
from focuscrawl.output.explain.reasons import class_name
from focuscrawl.output.summary.lines import counted, listed_words
from focuscrawl.stores.results.columns import clean_line
from focuscrawl.values import Json

_INDENT = "  "

SaysMoment = Callable[[float | None], str]
"""Says a wall time in the topic's zone."""


def cut_place_lines(values: Json) -> Iterator[str]:
    """Say that lines of a text are its site's, and on how many pages such lines stand."""
    places = values["places"]
    told = ngettext(
        "what stood at {places} place at the ends of its text is its site's, so it was cut and not compared",
        "what stood at {places} places at the ends of its text is its site's, so it was cut and not compared",
        places,
    )
    yield told.format(places=places)
    yield from (_INDENT + _repeated(one) for one in values["lines"])


def design_lines(values: Json, moment: SaysMoment) -> Iterator[str]:
    """Say that a page is built otherwise since its site has a new design."""
    told = _(
        "it is built otherwise than before: a new design of its site, reported once and of no page"
    )
    if values["at"] is not None:
        told = _(
            "it is built otherwise than before: a new design of its site, reported once and of no page, on {moment}"
        )
    yield told.format(moment=moment(values["at"]))


def site_lines(learnt: Mapping[str, Any], moment: SaysMoment) -> Iterator[str]:
    """Say what the pages of a site have taught: layouts, boilerplate, redesigns, and what is withheld."""
    for number, layout in enumerate(learnt["layouts"], 1):
        yield from _layout(number, layout, moment)
    if not learnt["layouts"]:
        yield _("layouts: none was learnt yet")
    if learnt["redesigns"]:
        told = _("redesigns: reported on {moments}")
        yield told.format(moments=listed_words(map(moment, learnt["redesigns"])))
    else:
        yield _("redesigns: none reported")
    kinds = [f"{clean_line(kind)} {count:,}" for kind, count in learnt["withheld"].items()]
    told = _("withheld: {kinds}") if kinds else _("withheld: no page")
    yield told.format(kinds=listed_words(kinds))


def _layout(number: int, layout: Mapping[str, Any], moment: SaysMoment) -> Iterator[str]:
    classes = listed_words(
        f"{class_name(name)} {count:,}" for name, count in layout["classes"].items()
    )
    told = _("layout {number}: {pages}, not in the results")
    if layout["classes"]:
        told = _("layout {number}: {pages}, read as {classes}; such as {url}")
    url = clean_line(layout["url"])
    pages = counted(layout["pages"], "page")
    yield told.format(number=number, pages=pages, classes=classes, url=url)
    if layout["is_told"]:
        told = (
            _("a new design of the site, reported")
            if layout["told_at"] is None
            else _("a new design of the site, reported on {moment}")
        )
        yield _INDENT + told.format(moment=moment(layout["told_at"]))
    if layout["pages_moved"]:
        moved = counted(layout["pages_moved"], "page")
        yield _INDENT + _("{pages} of them were built otherwise before").format(pages=moved)
    yield from (_INDENT + line for line in _boilerplate(layout["boilerplate"]))
    if layout["texts_open"]:
        told = ngettext(
            "{count} stored text may still turn out to have some at its ends",
            "{count} stored texts may still turn out to have some at their ends",
            layout["texts_open"],
        )
        yield _INDENT + told.format(count=layout["texts_open"])


def _boilerplate(places: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    shown = [one for one in places if one["example"]]
    if places:
        yield _("boilerplate, cut from the ends of texts:")
    yield from (_INDENT + _repeated(one) for one in shown)
    if rest := len(places) - len(shown):
        told = ngettext(
            "at {count} place without an example",
            "at {count} places without an example",
            rest,
        )
        yield _INDENT + told.format(count=rest)


def _repeated(place: Mapping[str, Any]) -> str:
    """Say on how many pages of a layout something stands at a place."""
    told = _("on {pages} of {of} pages of its layout")
    if place["example"]:
        told = _("on {pages} of {of} pages of its layout, such as {line!r}")
    line = clean_line(place["example"])
    return told.format(pages=place["pages"], of=place["of"], line=line)
