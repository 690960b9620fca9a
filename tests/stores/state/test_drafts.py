"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.stores.state.drafts import draft_of


def test_a_file_has_what_was_written_once_all_of_it_was(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text("before")
    with draft_of(path) as draft:
        draft.write_text("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after"
    assert [*tmp_path.iterdir()] == [path]


def test_of_a_draft_that_fails_nothing_is_left_and_the_file_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text("before")

    def fail() -> None:
        with draft_of(path) as draft:
            draft.write_text("a part")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "before"
    assert [*tmp_path.iterdir()] == [path]


def test_a_name_as_long_as_names_may_be_has_a_draft_and_two_drafts_at_once_are_two_files(
    tmp_path: Path,
) -> None:
    path = tmp_path / f"{'闻' * 83}.xlsx"
    with draft_of(path) as one, draft_of(path) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one", "the last that was finished"
