"""Traditional characters and their simplified ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import distribution
from types import MappingProxyType


@cache
def simplified() -> Mapping[str, str]:
    """Return traditional character → simplified, from zhconv's table.

    The table is read without importing zhconv, whose import needs pkg_resources.
    """
    table = distribution("zhconv").locate_file("zhconv/zhcdict.json")
    with open(str(table), encoding="utf-8") as file:  # noqa: PTH123 - no Path by its type
        pairs: dict[str, str] = json.load(file)["zh2Hans"]
    return MappingProxyType(
        {many: few for many, few in pairs.items() if len(many) == len(few) == 1}
    )


@cache
def to_simplified() -> dict[int, str]:
    """Return the same as ``str.translate`` takes it."""
    return str.maketrans(dict(simplified()))
