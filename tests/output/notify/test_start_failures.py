"""Who hears that a topic cannot begin: each once for a cause, and once more when it is over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.output.notify.start_failures import (
    LOCK_PATIENCE,
    FailureBook,
    FailureFile,
    StartFailure,
    mistakes_of,
)
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.template.load import load, readable_tables
from focuscrawl.template.template import language_of
from focuscrawl.template.toml import TemplateErrors
from tests.clock import NOON

SECRET = "hunter2secret"
BROKEN = f"""
[topic]
title = "地铁"
keyword = ["地铁"]
[[source]]
url = "http://a.cn/"
[site."a.cn".request]
cookies = "SESSION={SECRET}"
[[notify]]
to = "mailto:a@b.cn,c@d.cn"
colour = "red"
[[notify]]
to = "env:WECOM"
[[notify]]
to = "{SECRET}"
"""


def failed(
    book: FailureBook, why: str, topic: str = "metro", now: float = NOON
) -> list[str] | None:
    cause = book.fail(StartFailure.of(topic, why), now)
    return None if cause is None else cause.told


def test_a_cause_stays_the_same_where_its_lines_and_counts_move() -> None:
    book = FailureBook()
    told = failed(book, "metro.toml:3: [topic] keyword: unknown")
    assert told == []
    told.append("key")
    assert failed(book, "metro.toml:14: [topic] keyword: unknown") == ["key"]
    assert failed(book, "metro.toml:3: [topic] colour: unknown") == []


def test_topics_with_one_cause_share_it_until_the_last_of_them_has_begun() -> None:
    book = FailureBook()
    for topic in ("metro", "food"):
        told = failed(book, "the server is away", topic)
        assert told == ([] if topic == "metro" else ["key"])
        told[:] = ["key"]
    assert book.work("metro") == []
    (over,) = book.work("food")
    assert list(over.topics) == ["metro", "food"]
    over.told.clear()
    book.forget()
    assert book.plain_values() == {}


def test_what_no_receiver_has_heard_of_is_forgotten_when_it_is_over() -> None:
    book = FailureBook()
    failed(book, "locked")
    assert book.knows("metro")
    assert book.work("metro") == []
    assert book.plain_values() == {}


def test_a_locked_file_is_told_when_it_has_lasted() -> None:
    book = FailureBook()
    failure = StartFailure.of("metro", "locked by process 12", LOCK_PATIENCE)
    assert book.fail(failure, NOON) is None
    assert book.fail(failure, NOON + LOCK_PATIENCE - 1) is None
    assert book.fail(failure, NOON + LOCK_PATIENCE) is not None


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["x", "y", ""])), max_size=30)
)
def test_no_receiver_hears_twice_of_a_cause_that_has_not_ended(
    steps: list[tuple[str, str]],
) -> None:
    book, failing = FailureBook(), dict[str, set[str]]()
    for topic, why in steps:
        if why:
            told = failed(book, why, topic)
            assert told == (["key"] if why in failing else [])
            told[:] = ["key"]
            failing.setdefault(why, set()).add(topic)
        else:
            for cause in book.work(topic):
                cause.told.clear()
            book.forget()
            failing = {one: left for one, some in failing.items() if (left := some - {topic})}
        book = FailureBook(json.loads(json.dumps(book.plain_values())))


def test_the_file_is_there_as_long_as_something_fails_and_a_spoilt_one_is_empty(
    tmp_path: Path,
) -> None:
    file = FailureFile(tmp_path / "crawls")
    with file.opened() as book:
        failed(book, "locked")
    assert file.read().knows("metro")
    file.path.write_text('{"a": 3}')
    assert not file.read().knows("metro")
    with file.opened() as book:
        failed(book, "locked")
        book.work("metro")
    assert not file.path.exists()


def test_what_is_told_of_a_template_names_keys_and_no_value(tmp_path: Path) -> None:
    (tmp_path / "metro.toml").write_text(BROKEN)
    with pytest.raises(TemplateErrors) as raised:
        load(tmp_path / "metro.toml", {}, {})
    told = mistakes_of(raised.value)
    assert "[topic] keyword" in told
    assert mistakes_of(OSError(3, SECRET)) == ""
    assert SECRET not in told
    (tmp_path / "good.toml").write_text('[[source]]\nurl = "http://a.cn/"\n')
    with pytest.raises(TemplateErrors) as raised:
        load(tmp_path / "good.toml", {"limits.page": "3"}, {})
    assert mistakes_of(raised.value) == ""


@pytest.mark.parametrize("more", ["", "nonsense\n", '[relevance]\nthreshold = "a\n'])
def test_receivers_are_read_beside_mistakes_of_other_tables_and_keys(
    tmp_path: Path, more: str
) -> None:
    (tmp_path / "_house.toml").write_text('[[notify]]\nto = "mailto:house@b.cn"\n')
    text = f'extends = "_house.toml"\n{BROKEN}{more}'
    (tmp_path / "metro.toml").write_text(text)
    environment = {"WECOM": "wecombot://KEY"}
    found = readable_tables(tmp_path / "metro.toml", NotifyTable, environment, language_of())
    named = [one.to for one in found if one.to]
    assert named == ["mailto:house@b.cn", "mailto:a@b.cn,c@d.cn", "wecombot://KEY"]
    missing = readable_tables(tmp_path / "metro.toml", NotifyTable, {}, language_of())
    assert [one.to for one in missing if one.to] == ["mailto:house@b.cn", "mailto:a@b.cn,c@d.cn"]
