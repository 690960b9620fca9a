"""Writing TOML: values as people type them, for messages and for ``scrapy topic show``."""

from __future__ import annotations

import json
import re
from datetime import date, time
from typing import Any

from focuscrawl.topic.secrets import masked_message

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_key(name: str) -> str:
    """Return a key, in quotes where TOML wants them."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def toml_text(value: Any) -> str:
    """Return a value in one line of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_text(entry) for entry in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{toml_key(str(key))} = {toml_text(entry)}" for key, entry in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def shortened(value: Any, most: int = 80) -> str:
    """Return a value in one line of TOML without passwords, cut so that a message stays readable."""
    line = masked_message(toml_text(value))
    return line if len(line) <= most else line[: most - 1] + "…"
