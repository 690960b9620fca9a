"""What a crawl has read and could not make out, for the end of its log: how much, where, what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.report.wording import counted

MOST_EXAMPLES = 2
MOST_OF_A_KIND = 3
"""Findings of one kind that are told each; the others are counted."""


class Finding(NamedTuple):
    """``number`` addresses of one ``kind`` (a key of KINDS), ``examples`` of them.

    ``where`` is what they have in common: the pattern of their addresses, their site. ``of`` counts
    all pages of that pattern or site, ``right`` those that were as expected.
    """

    kind: str
    number: int
    examples: Sequence[str]
    where: str = ""
    of: int = 0
    right: int = 0


class _Words(NamedTuple):
    says: Callable[[Finding], str]
    advice: Callable[[Finding, str], str]


def _lists(found: Finding) -> str:
    return (
        f"{counted(found.number, 'page')} read as lists, though {found.right:,} of {found.of:,} pages"
        f" of such an address are articles ({found.where})"
    )


KINDS: Mapping[str, _Words] = {
    "sources": _Words(
        lambda found: f"{counted(found.number, 'source')} answered {found.where}",
        lambda found, topic: "correct their addresses in [[source]], or take them out",
    ),
    "lists": _Words(
        _lists,
        lambda found, topic: (
            f"if they are, too: follow.articles = ['{found.where}'];"
            f" what speaks for it: scrapy topic score {topic} URL"
        ),
    ),
    "boards": _Words(
        lambda found: (
            f"{counted(found.number, 'source')} of kind forum without a thread that is counted"
        ),
        lambda found, topic: (
            f'[site."{found.where}"] thread and replies say where the threads stand in the board'
        ),
    ),
    "threads": _Words(
        lambda found: (
            f"{counted(found.number, 'address')[:-1] + 'es' if found.number > 1 else '1 address'}"
            f" listed as {'threads' if found.number > 1 else 'a thread'} without a post"
        ),
        lambda found, topic: (
            f'[site."{found.where}"] post, posted, poster and post_text say where the posts stand'
        ),
    ),
    "scripts": _Words(
        lambda found: (
            f"{found.where}: {found.number:,} of {counted(found.of, 'page')} without text, for it comes"
            " by JavaScript, which is not run"
        ),
        lambda found, topic: (
            f"look for its feed, sitemap or mobile pages as a source; else"
            f' [site."{found.where}"] parser = "module:function", or skip = true'
        ),
    ),
}
"""In the order they are told in."""


def unrecognised_lines(findings: Sequence[Finding], topic: str) -> list[str]:
    """Return the lines of a summary; none when there is nothing to tell."""
    lines: list[str] = []
    for kind, words in KINDS.items():
        own = sorted(
            (one for one in findings if one.kind == kind), key=lambda one: (-one.number, one.where)
        )
        for found in own[:MOST_OF_A_KIND]:
            lines.append(f"    - {words.says(found)}")
            lines += [f"        {url}" for url in found.examples[:MOST_EXAMPLES]]
            lines.append(f"      {words.advice(found, topic)}")
        if rest := own[MOST_OF_A_KIND:]:
            others = sum(one.number for one in rest)
            lines.append(f"    - and {others:,} more of that kind at {len(rest):,} other places")
    return ["  not recognised:", *lines] if lines else []
