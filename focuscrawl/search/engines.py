"""The search engines that are built in, as data (engines.toml)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from focuscrawl.values import Json

SEARXNG_ADDRESS = "https://searx.example.cn/search?q={query}&format=json&pageno={page}"
"""What the address of an instance looks like; there is none that would do for everybody."""


@cache
def _data() -> Json:
    return tomllib.loads((files("focuscrawl.search") / "engines.toml").read_text("utf-8"))


def built_in() -> dict[str, Json]:
    """Return the built-in engines: name → keys of [search.engine.NAME], in its notation."""
    engines: dict[str, Json] = _data()["engine"]
    return engines


def standard_words(name: str) -> list[str]:
    """Return word groups for every engine: "blocked" (refusals), "empty" (nothing is known)."""
    return list(_data()["words"][name])
