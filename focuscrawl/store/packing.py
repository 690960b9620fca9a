"""Values packed for a crawl file (MessagePack), whatever pages and users put into them."""

from __future__ import annotations

import re
from typing import Any

import msgspec

SURROGATES = re.compile(r"[\ud800-\udfff]")

_encode = msgspec.msgpack.Encoder().encode


def packed(value: Any) -> bytes:
    """Return a value as MessagePack; halves of surrogate pairs go, numbers above 64 bits are texts.

    Raises TypeError for what is no plain value.
    """
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _encode(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATES.sub("", value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return value
