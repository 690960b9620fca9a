"""Where things are: FOCUSCRAWL_* settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from focuscrawl.config import (
    Config,
    ConfigError,
    beside_reports,
    feature_named,
    http_handler,
    log_style,
    prometheus_place,
    read_config,
    seconds,
    topics_folders,
)
from focuscrawl.values import SystemClock
from tests.tables import each_row

HERE = Path("/projects/food")
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def config(project: Path | None = HERE, **by_hand: Any) -> Config:
    settings = Settings()
    for name, value in by_hand.items():
        settings.set(f"FOCUSCRAWL_{name}", value, "cmdline")
    return read_config(settings, {}, project)


def test_without_settings_everything_lies_beside_scrapy_cfg() -> None:
    found = config()
    assert found.data_dir == HERE / "crawls"
    assert found.topics == (HERE / "topics",)
    assert found.results == ""
    assert isinstance(found.clock, SystemClock)
    assert found.retry_waits == (60.0, 600.0, 3600.0)
    assert found.linger == 120.0
    assert found.synchronous == "NORMAL"
    assert not found.text_index


def test_the_command_line_beats_the_environment_which_beats_settings_py() -> None:
    settings = Settings()
    settings.set("FOCUSCRAWL_LINGER", "1s", "project")
    assert read_config(settings, {}, HERE).linger == 1.0
    environment = {"FOCUSCRAWL_LINGER": "2s"}
    assert read_config(settings, environment, HERE).linger == 2.0
    settings.set("FOCUSCRAWL_LINGER", "3s", "cmdline")
    assert read_config(settings, environment, HERE).linger == 3.0


def test_relative_folders_lie_beside_scrapy_cfg_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = config(DATA_DIR="data/here", TOPICS="mine, /shared/topics")
    assert found.data_dir == HERE / "data/here"
    assert found.topics == (HERE / "mine", Path("/shared/topics"))
    assert config(DATA_DIR="/var/crawls").data_dir == Path("/var/crawls")
    assert config(None, DATA_DIR="data").data_dir == tmp_path / "data"
    assert topics_folders(Settings(), {}, None) == (tmp_path / "topics",)
    assert config(TOPICS=["a", "b"]).topics == (HERE / "a", HERE / "b")


def test_outside_a_project_the_data_folder_must_be_named() -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_DATA_DIR is not set"):
        config(None)


@given(
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from(list(UNITS))), min_size=1, max_size=3)
)
def test_durations_are_sums_of_numbers_with_units(parts: list[tuple[int, str]]) -> None:
    text = "".join(f"{number}{unit}" for number, unit in parts)
    assert seconds(text, "X") == pytest.approx(sum(number * UNITS[unit] for number, unit in parts))


@each_row(
    ("name", "value", "words"),
    [
        ("LINGER", "120", 'write a duration such as "90s"'),
        ("LINGER", "-1s", "FOCUSCRAWL_LINGER"),
        ("RETRY_WAITS", "1m,soon", "FOCUSCRAWL_RETRY_WAITS = 'soon'"),
        ("SYNCHRONOUS", "off", "write NORMAL or FULL"),
        ("TEXT_INDEX", "perhaps", "write true or false"),
        ("CLOCK", "no.such.module:clock", "write module:object"),
        ("CLOCK", "focuscrawl.values:no_clock", "write module:object"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_what_is_allowed(
    name: str, value: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        config(HERE, **{name: value})


def test_settings_are_read_as_people_write_them() -> None:
    found = config(
        TEXT_INDEX="True", SYNCHRONOUS="full", RETRY_WAITS="500ms, 1h30m", RESULTS="sqlite:///x.db"
    )
    assert found.text_index
    assert found.synchronous == "FULL"
    assert found.retry_waits == (0.5, 5400.0)
    assert found.results == "sqlite:///x.db"
    assert config(TEXT_INDEX=True).text_index
    assert not config(TEXT_INDEX="0").text_index


def test_another_clock_is_taken_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_clock.py").write_text(
        "class Slow:\n    def wall(self): return 5.0\n    def steady(self): return 6.0\nslow = Slow()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = config(CLOCK="slow_clock:slow").clock
    assert (found.wall(), found.steady()) == (5.0, 6.0)


def test_names_of_fields_are_pairs_or_a_dictionary_and_the_others_stay() -> None:
    usual = {"key": "url", "text": "text", "title": "title", "mark": "copy_of"}
    assert config().near_duplicate_fields == usual
    for value in ("text=body, key = link", {"text": "body", "key": "link"}):
        found = config(NEAR_DUPLICATE_FIELDS=value).near_duplicate_fields
        assert found == usual | {"text": "body", "key": "link"}
    for wrong in ("text", "text=", "words=body", {"text": ""}):
        with pytest.raises(ConfigError, match="write some of key=FIELD"):
            config(NEAR_DUPLICATE_FIELDS=wrong)
    with pytest.raises(ConfigError, match="write one of drop, mark, keep"):
        config(NEAR_DUPLICATES="delete")


def test_a_seed_is_a_whole_number_and_none_is_given_by_itself() -> None:
    assert (config().seed, config(SEED="7").seed, config(SEED=7).seed) == (0, 7, 7)
    for wrong in ("0", "-1", "x", "1.5", "٣"):
        with pytest.raises(ConfigError, match="FOCUSCRAWL_SEED"):
            config(SEED=wrong)


def test_a_lease_has_room_for_three_beats_at_least() -> None:
    assert config(LEASE="1500ms").lease == 1.5
    assert config().lease == 15.0
    with pytest.raises(ConfigError, match=r"FOCUSCRAWL_LEASE = 1.4s: write 1.5s or more; a worker"):
        config(LEASE="1400ms")
    with pytest.raises(ConfigError, match=r"FOCUSCRAWL_LEASE.*write a duration"):
        config(LEASE="soon")


@each_row(
    ("value", "place"),
    [
        ("", None),
        ("9410", ("127.0.0.1", 9410)),
        ("0.0.0.0:9410", ("0.0.0.0", 9410)),
        ("[::1]:9410", ("::1", 9410)),
        ("/var/lib/node/%(name)s.prom", Path("/var/lib/node/%(name)s.prom")),
    ],
)
def test_numbers_are_shown_on_a_port_or_in_a_file(value: str, place: object) -> None:
    assert prometheus_place(Settings(), {"FOCUSCRAWL_PROMETHEUS": value}) == place


@each_row("value", ["0", "99999", "here", "host:", "numbers.txt"])
def test_what_is_neither_port_nor_file_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"write a port \(9410\)"):
        prometheus_place(Settings(), {"FOCUSCRAWL_PROMETHEUS": value})


def test_the_log_is_text_unless_it_is_to_be_json() -> None:
    assert log_style(Settings(), {}) == "text"
    assert log_style(Settings(), {"FOCUSCRAWL_LOG": "json"}) == "json"
    with pytest.raises(ConfigError, match="write one of text, json"):
        log_style(Settings(), {"FOCUSCRAWL_LOG": "xml"})


@each_row(
    ("name", "place"),
    [
        ("a.csv", "/data/a.csv"),
        ("日报-{date}.xlsx", "/data/日报-{date}.xlsx"),
        ("out/a.csv", "out/a.csv"),
        ("./a.csv", "./a.csv"),
        ("/tmp/a.csv", "/tmp/a.csv"),
        ("ftp://h/a.csv", "ftp://h/a.csv"),
        ("stdout:", "stdout:"),
    ],
)
def test_a_name_alone_lies_beside_the_reports_and_a_path_where_it_says(
    name: str, place: str
) -> None:
    assert beside_reports(name, Path("/data")) == place


def test_pages_are_fetched_by_twisted_unless_another_library_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert http_handler(Settings(), {}) == ""
    assert http_handler(Settings({"FOCUSCRAWL_HTTP": "aiohttp"}), {}).endswith(".AiohttpHandler")
    with pytest.raises(ConfigError, match="'httpx': write one of twisted, aiohttp"):
        http_handler(Settings(), {"FOCUSCRAWL_HTTP": "httpx"})
    monkeypatch.setattr("focuscrawl.config.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'pip install "focuscrawl\[aiohttp\]"'):
        http_handler(Settings(), {"FOCUSCRAWL_HTTP": "aiohttp"})


def test_a_feature_without_a_name_is_refused_with_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "from focuscrawl.kernel.feature import Feature\nclass Plain(Feature):\n    pass\nclass Named(Plain):\n    name = 'named'\n"
    (tmp_path / "features_of_mine.py").write_text(lines, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert feature_named("features_of_mine.Named").name == "named"
    with pytest.raises(ConfigError, match=r"'features_of_mine\.Plain' has no name: write name"):
        feature_named("features_of_mine.Plain")
