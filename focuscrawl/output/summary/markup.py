"""Markup for pages, mails, feeds and drawings: what comes from the web is text in it, and leads to the web alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from markupsafe import Markup

LONGEST_LINK = 2_000
"""Characters of an address that leads somewhere: Excel takes 2,079."""

TURNING = re.compile(
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Characters that are not seen and change how others are read."""

LINE_BREAK = Markup("<br>")


def element(name: str, *inside: str, **attributes: object) -> Markup:
    """Return an element; texts in it are escaped, those with nothing in them are closed at once.

    Names of attributes have _ for -, and one behind what is a word of Python; "" leaves one out.
    """
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value != ""
    )
    if not inside:
        return Markup("<{}{}/>").format(name, given)
    return Markup("<{}{}>{}</{}>").format(name, given, Markup("").join(inside), name)


def apart(text: str) -> Markup:
    """Return a text that stands apart from what is around it, whichever way it is read."""
    return element("bdi", text)


def is_link(url: str, longest: int = LONGEST_LINK) -> bool:
    """Whether an address may be clicked: pages write javascript: and file: into theirs."""
    if len(url) > longest or not url.isprintable() or " " in url or TURNING.search(url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


# Drawings -----------------------------------------------------------------------------------------


def drawing(
    width: int, height: int, title: str, *shapes: str, name: str, **attributes: object
) -> Markup:
    """Return an SVG with a title that says in words what it shows, by which it is called in its page.

    ``name`` is the title's, which nothing else there has; how large it is drawn, the page says.
    """
    box = f"0 0 {width} {height}"
    head = element("title", title, id=name)
    return element(
        "svg", head, *shapes, viewBox=box, role="img", aria_labelledby=name, **attributes
    )


def polyline(points: Iterable[tuple[float, float]], digits: int, **attributes: object) -> Markup:
    """Return a line through points, whose places have so many digits behind the point."""
    places = " ".join(f"{x:.{digits}f},{y:.{digits}f}" for x, y in points)
    return element("polyline", points=places, **attributes)
