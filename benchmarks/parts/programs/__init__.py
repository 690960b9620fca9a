"""Web sites of ten real site programs, each in two designs: a site before and after a redesign.

A post has the same address in both designs; the pages differ by theme or layout alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.parts.programs.debian_programs import build_jekyll
from benchmarks.parts.programs.node_programs import build_eleventy, build_hexo, build_vitepress
from benchmarks.parts.programs.posts import Language, Post, draw_posts
from benchmarks.parts.programs.python_programs import (
    build_ablog,
    build_material,
    build_mkdocs,
    build_nikola,
    build_pelican,
    build_sphinx,
)
from benchmarks.parts.programs.tools import ProgramMissing, Tools

__all__ = [
    "PROGRAMS",
    "Language",
    "Post",
    "Program",
    "ProgramMissing",
    "Tools",
    "address_of",
    "draw_posts",
]


class Program(NamedTuple):
    """A program that makes sites, and whether its pages print a post's date.

    ``build`` takes the tools, an empty folder to work in, the posts and the design, 0 or 1. It returns the folder
    of the site's files.
    """

    name: str
    is_dated: bool
    build: Callable[[Tools, Path, Sequence[Post], int], Path]


PROGRAMS: Final = (
    Program("pelican", True, build_pelican),
    Program("nikola", True, build_nikola),
    Program("mkdocs", False, build_mkdocs),
    Program("material", False, build_material),
    Program("sphinx", False, build_sphinx),
    Program("ablog", True, build_ablog),
    Program("hexo", True, build_hexo),
    Program("eleventy", True, build_eleventy),
    Program("vitepress", False, build_vitepress),
    Program("jekyll", True, build_jekyll),
)


def address_of(site: Path, post: Post) -> str:
    """Return the path of a post's page in a built site: of ``slug.html``, or of the folder ``slug``."""
    pages = [*site.rglob(f"{post.slug}.html"), *site.rglob(f"{post.slug}/index.html")]
    if len(pages) != 1:
        raise ValueError(f"{len(pages)} pages of {post.slug} in the site")
    return "/" + pages[0].relative_to(site).as_posix().removesuffix("index.html")
