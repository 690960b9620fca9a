"""The project's own pages: enough of every kind, and labels that name what stands on them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.parts.scores import plain
from benchmarks.quality import OWN_KINDS, OWN_PAGES, sets_of
from focuscrawl.readers.pages.document import Document

LEAST = 3


def labels(kind: str) -> dict[str, dict[str, Any]]:
    """Return the labels of a folder of pages by their names."""
    found: dict[str, dict[str, Any]] = json.loads(
        (OWN_PAGES / kind / "labels.json").read_text(encoding="utf-8")
    )
    return found


@pytest.mark.parametrize("kind", OWN_KINDS)
def test_every_kind_of_page_is_there_thrice_in_markup_of_its_own(kind: str) -> None:
    assert len(labels(kind)) >= LEAST
    written = {one["file"] for one in labels(kind).values()}
    assert written == {path.name for path in (OWN_PAGES / kind).glob("*.html")}
    assert len(sets_of(None)[f"own {kind}"].rows) >= len(written)


def test_there_are_three_pages_of_one_record_and_three_of_several() -> None:
    several = [len(one["records"]) > 1 for one in labels("records").values()]
    assert min(several.count(True), several.count(False)) >= LEAST


@pytest.mark.parametrize("kind", ["articles", "notices", "short", "threads"])
def test_what_a_label_says_stands_on_the_page(kind: str) -> None:
    for label in labels(kind).values():
        body = (OWN_PAGES / kind / label["file"]).read_bytes()
        shown = plain("".join(map(str, Document.read(body, url="http://a.example/").root.itertext())))  # fmt: skip
        posts = label.get("posts", [])
        lines = [*label.get("text", "").split("\n"), *(one["text"] for one in posts)]
        names = [label.get("title"), label.get("author"), *(one["author"] for one in posts)]
        assert all(plain(one) in shown for one in (*lines, *names)), label["file"]
