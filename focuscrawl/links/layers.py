"""Filter keywords in layers (C6): which links lead from a seed to the pages that are read."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.template.kinds.words import Words


def layer_of_link(
    text: str, title: str, parent_layer: int, layers: Words, *, strict: bool = False
) -> int | None:
    """Return the layer a link leads to, None when it is not followed.

    Seeds are layer 0, the first group of follow.layers is layer 1.
    ``text`` is the link's text and ``title`` its title attribute; case, width, inner spaces and
    script do not matter. Published (strict) is the layer after the parent's; by default a link that
    matches a later one leads there, since many sites show 联系我们 on their first page.
    """
    found = layers.groups_found(text, title)
    last = parent_layer + 1 if strict else len(layers.groups)
    for layer in range(parent_layer + 1, last + 1):
        if layer - 1 in found:
            return layer
    return None


def is_last(layer: int, layers: Words) -> bool:
    """Whether pages of a layer are the ones to read; without layers every page is."""
    return layer >= len(layers.groups)


def goes_on(layer: int, title: str, links: Iterable[tuple[str, str]], layers: Words) -> bool:
    """Whether a page's next page (下一页) is followed; it belongs to the page's own layer.

    It is while the page matches: its title has a word of its layer, or one of its ``links``, pairs
    of text and title attribute, leads to the next.
    """
    own = layer - 1
    if own >= 0 and own in layers.groups_found(title):
        return True
    return any(layer in layers.groups_found(text, hint) for text, hint in links)
