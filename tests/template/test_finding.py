"""Which topics there are."""

import os
from pathlib import Path

import pytest

from focuscrawl.template.load import NoSuchTopic, find_topics, load
from focuscrawl.template.toml import TemplateErrors


def write(folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, "utf-8")


def test_every_file_is_a_topic_but_parts_and_other_files(tmp_path: Path) -> None:
    write(tmp_path / "a", metro="", _house="", bus="\ufeff[topic]\nname = 'buses'\n")
    write(tmp_path / "b", tram="[topic\n", ferry="[topic]\ntitle = “x”\nname = 'boats'\n[limits]")
    (tmp_path / "a/notes.txt").write_text("")
    found = find_topics([tmp_path / "a", tmp_path / "b", tmp_path / "none"])
    assert {name: path.name for name, path in found.topics.items()} == {
        "metro": "metro.toml",
        "buses": "bus.toml",
        "tram": "tram.toml",
        "boats": "ferry.toml",
    }
    assert found.refused == {}


@pytest.mark.parametrize("name", ["''", "5", "['metro']", "true"])
def test_a_file_whose_name_is_none_is_called_as_its_file_until_it_is_read(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path / "a", metro=f"[topic]\nname = {name}\n", tram="topic = 5\n")
    assert list(find_topics([tmp_path / "a"]).topics) == ["metro", "tram"]


def test_two_files_with_one_name_are_both_refused_naming_each_other(tmp_path: Path) -> None:
    write(tmp_path / "a", metro="", bus="[topic]\nname = 'metro'\n", tram="")
    found = find_topics([tmp_path / "a"])
    assert list(found.topics) == ["tram"]
    with pytest.raises(TemplateErrors) as caught:
        found.path_of("metro")
    assert "bus.toml" in str(caught.value)
    assert "metro.toml" in str(caught.value)


def test_one_folder_given_twice_holds_its_topics_once(tmp_path: Path) -> None:
    write(tmp_path / "a", metro="")
    assert list(find_topics([tmp_path / "a", tmp_path / "a"]).topics) == ["metro"]


def test_the_name_topic_is_taken(tmp_path: Path) -> None:
    write(tmp_path / "a", topic="")
    found = find_topics([tmp_path / "a"])
    assert found.topics == {}
    assert "scrapy crawl topic" in str(found.refused["topic"])


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "a", metro="")
    with pytest.raises(
        NoSuchTopic, match=r"no topic 'metor' \(topics are in .*a\); nearest: metro"
    ):
        find_topics([tmp_path / "a"]).path_of("metor")
    with pytest.raises(NoSuchTopic, match="nearest: quotes"):
        find_topics([]).path_of("quote", ["quotes"])


def test_what_is_no_regular_file_is_a_topic_that_cannot_be_read_and_waits_for_nobody(
    tmp_path: Path,
) -> None:
    write(tmp_path / "a", metro="")
    os.mkfifo(tmp_path / "a" / "pipe.toml")
    (tmp_path / "a" / "folder.toml").mkdir()
    found = find_topics([tmp_path / "a"])
    assert sorted(found.topics) == ["folder", "metro", "pipe"]
    for name in ("folder", "pipe"):
        with pytest.raises(TemplateErrors, match="cannot be read: "):
            load(found.topics[name])
