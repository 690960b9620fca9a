"""``scrapy topic new|check|show|schema``: write a template and see what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from scrapy.exceptions import UsageError

from focuscrawl.template.kinds.kind import NAME, NAME_ADVICE
from focuscrawl.template.load import shipped_names, shipped_text, shown
from focuscrawl.template.reference import json_schema
from focuscrawl.template.show import check_text, shown_template
from focuscrawl.verbs.call import Call, CannotDo


def choices_text() -> str:
    """Name the shipped templates."""
    return ", ".join(shipped_names())


def new(call: Call, args: Sequence[str]) -> str:
    """Copy a shipped template into the topics folder."""
    if len(args) != 1:
        raise UsageError("name the new topic: scrapy topic new my-topic")
    name, wanted = args[0].removesuffix(".toml"), call.options.template
    if not re.fullmatch(NAME, name) or name == "topic":
        reserved = "; topic itself is taken by scrapy crawl topic" if name == "topic" else ""
        raise CannotDo(f"{name!r}: {NAME_ADVICE}{reserved}")
    if wanted not in shipped_names():
        raise CannotDo(f"no shipped template {wanted!r}; shipped: {choices_text()}")
    path = call.folders()[0] / f"{name}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(shipped_text(wanted))
    except FileExistsError:
        raise CannotDo(f"{shown(path)} is already there; choose another name") from None
    except OSError as error:
        raise CannotDo(f"{shown(path)} cannot be written: {error.strerror}") from None
    return (
        f"{shown(path)} written. Put your own words and addresses into it, then:\n"
        f"  scrapy topic check {name}\n"
        f"  scrapy crawl {name}"
    )


def check(call: Call, args: Sequence[str]) -> str:
    """Return what a topic will read; its mistakes are raised."""
    return check_text(call.loaded(args, secrets=True))


def show(call: Call, args: Sequence[str]) -> str:
    """Return the topic that results, each value with where it comes from."""
    return shown_template(call.loaded(args, secrets=False))


def schema(call: Call, args: Sequence[str]) -> str:
    """Return a JSON Schema of the language."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False)
