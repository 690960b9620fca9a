"""The kinds of values that have to do with addresses and what is sent there."""

from __future__ import annotations

import re

from focuscrawl.template.kinds.kind import Invalid, Kind


def suffix() -> Kind:
    """The ending of a file name, with or without its dot; ``image`` stands for all images."""

    def read(value: object) -> str:
        found = str(value).strip().lower().removeprefix(".") if isinstance(value, str) else ""
        if not re.fullmatch(r"[a-z0-9]{1,10}", found):
            raise Invalid('the ending of a file name, like "pdf", or "image"', value)
        return found

    return Kind("text", read, {"type": "string"})
