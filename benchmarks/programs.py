"""Sites of real programs over nine days with what happens to posts: is all read right, each change told once, little asked for?

Method. Each of ``parts.programs`` makes a site of ``POSTS`` drawn posts; it is crawled once a day by a clock that is moved,
with the shortest topic, from a proxy on loopback in this process. Before day 1 of the youngest ten posts one is edited, one
removed, one moved to another address without a redirect, and one is written; before day 7 another one is edited and one is
written. Nothing happens on the days 2 to 6 and 8.

``texts``, ``titles`` and ``dates`` count posts that are stored as they are (dates where the program prints them) on day 0,
``lists`` stored articles that are no posts. ``requests`` are those of day 0 for each post, ``quiet`` those of a quiet day
(mean of the days 2 to 6) as a share of them. ``told`` counts of the seven changes those told once in their class by day 8
(new, edited, moved; a removed one as gone), ``false`` what else was told. ``--programs a,b``, ``--tools FOLDER`` as in
``benchmarks.sites``; ``--quick``: two programs, 24 posts each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.programs import PROGRAMS, Post, Program, Tools, address_of, draw_posts
from benchmarks.parts.web import Web
from benchmarks.sites import HOST, Files, begin, crawl_on, rows_of, shown_by

POSTS = 70
DAYS = 9
QUIET = range(2, 7)
SECOND = 7
"""The day before which posts change again."""

LINES = {
    "en": (
        "The opening was put off by seven weeks, since the pumps did not pass the second test.",
        "Tickets for the first day are drawn by lot, two for each household in the district.",
    ),
    "zh": (
        "开通的日子推迟七个星期，因为水泵没有通过第二次检验。",
        "首日的门票由抽签决定，每户最多两张。",
    ),
}


class Change(NamedTuple):
    """What happens to a post: the kinds that tell it, its slug by then."""

    kinds: tuple[str, ...]
    slug: str


EDITED = ("minor", "major")


def after(posts: Sequence[Post], language: str, spare: Post) -> tuple[list[Post], list[Change]]:
    """Return the posts after the first changes, and what is to be told of them."""
    first, _ = LINES[language]
    edited, removed, moved = posts[-2], posts[-4], posts[-6]
    left = [one for one in posts if one.slug not in {edited.slug, removed.slug, moved.slug}]
    elsewhere = moved._replace(slug=f"{moved.slug}-two")
    shown = [*left, edited._replace(blocks=(*edited.blocks, first)), elsewhere, spare]
    told = [
        Change(EDITED, edited.slug),
        Change(("gone",), removed.slug),
        Change(("moved",), elsewhere.slug),
        Change(("new",), spare.slug),
    ]
    return sorted(shown, key=lambda post: post.day), told


def later(posts: Sequence[Post], language: str, spare: Post, edited: str) -> tuple[list[Post], list[Change]]:  # fmt: skip
    """Return the posts after the second changes, and what is to be told of them."""
    _, second = LINES[language]
    shown = [
        one._replace(blocks=(*one.blocks, second)) if one.slug == edited else one for one in posts
    ]
    return [*shown, spare], [Change(EDITED, edited), Change(("new",), spare.slug)]


def measure(program: Program, count: int, tools_in: Path, number: int) -> dict[str, Any]:
    """Build a site in its three states, and crawl it on all days."""
    language = "en" if number % 2 == 0 else "zh"
    tools = Tools(tools_in, language=language, host=HOST)
    *posts, spare, other = draw_posts(count + 2, language, seed=100 + number)
    changed, told = after(posts, language, spare)
    last, told_later = later(changed, language, other, posts[-3].slug)
    with tempfile.TemporaryDirectory() as name:
        built = []
        for state, shown in enumerate((posts, changed, last)):
            folder = Path(name) / str(state)
            folder.mkdir()
            built.append(program.build(tools, folder, shown, 0))
        return crawl(program, built, posts, [*told, *told_later], language)


def crawl(program: Program, built: Sequence[Path], posts: Sequence[Post], expected: Sequence[Change], language: str) -> dict[str, Any]:  # fmt: skip
    """Crawl a site on all days; returns its figures."""
    addresses = {f"http://{HOST}{address_of(built[0], post)}": post for post in posts}
    files, asked = Files(), list[int]()
    first: dict[str, tuple[Any, ...]] = {}
    with tempfile.TemporaryDirectory() as name, Web(files) as web:
        folder = Path(name)
        begin(folder, language)
        for day in range(DAYS):
            files.folder, files.asked = built[(day >= 1) + (day >= SECOND)], 0
            crawl_on(folder, web.port, max(post.day for post in posts), day, {})
            asked.append(files.asked)
            if day == 0:
                query = "SELECT url, title, text, published_date FROM articles"
                first = {url: tuple(rest) for url, *rest in rows_of(folder, query)}
        changes = rows_of(folder, "SELECT url, kind FROM changes")
    told = [(url, kind) for url, kind in changes if url not in addresses or kind != "new"]
    found = [
        [one for one in told if change.slug in one[0] and one[1] in change.kinds] for change in expected
    ]  # fmt: skip
    right = [one for times in found for one in times[:1]]
    none = ("", "", "")
    kept = {url: first.get(url, none) for url in addresses}
    return {
        "texts": sum(kept[url][1].split() == shown_by(post).split() for url, post in addresses.items()),
        "titles": sum(kept[url][0] == post.title for url, post in addresses.items()),
        "dates": sum(kept[url][2][:10] == post.day.isoformat() for url, post in addresses.items()) if program.is_dated else None,
        "lists": len(first.keys() - addresses.keys()),
        "requests": asked[0] / len(posts),
        "quiet": fmean(asked[day] for day in QUIET) / asked[0],
        "told": len(right),
        "false": [one for one in told if one not in right] or "",
        "untold": [change for change, times in zip(expected, found, strict=True) if not times] or "",
    }  # fmt: skip


COLUMNS = ("texts", "titles", "dates", "lists", "requests", "quiet", "told", "false", "untold")


def main() -> None:
    """Crawl all programs."""
    given = arguments(__doc__, "programs", "tools")
    wanted = given.programs.split(",") if given.programs else [one.name for one in PROGRAMS]
    wanted = wanted[:2] if given.quick else wanted
    found: list[Mapping[str, Any]] = []
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for number, program in enumerate(PROGRAMS):
            if program.name in wanted:
                tools = Path(given.tools or name)
                found.append(measure(program, 24 if given.quick else POSTS, tools, number))
                rows.append((program.name, *(found[-1][one] for one in COLUMNS)))
                print(*rows[-1], flush=True)
    table(("program", *COLUMNS), rows)
    finish(
        {
            "sites": len(found),
            "texts": sum(one["texts"] for one in found),
            "titles": sum(one["titles"] for one in found),
            "lists": sum(one["lists"] for one in found),
            "requests": round(fmean(one["requests"] for one in found), 2),
            "quiet": round(fmean(one["quiet"] for one in found), 3),
            "told": sum(one["told"] for one in found),
            "false": sum(len(one["false"]) for one in found),
        }
    )


if __name__ == "__main__":
    main()
