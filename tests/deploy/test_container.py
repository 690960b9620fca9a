"""The container and compose files of examples/: right without an engine to run them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from focuscrawl.features.search.table import SearchTable
from focuscrawl.template.load import load

INSTRUCTIONS = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "ENTRYPOINT", "CMD"}
"""Instructions of a container file that ours needs; others are mistyped."""


@pytest.fixture(scope="module")
def folder(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.rootpath / "examples/container"


@pytest.fixture(scope="module")
def compose(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "compose.yaml").read_text("utf-8"))
    return found


def instructions(folder: Path) -> list[tuple[str, str]]:
    """Return the instructions of the container file, each with what it says."""
    text = (folder / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_container_file_says_what_it_builds_on_and_runs_as_nobody_important(
    folder: Path,
) -> None:
    found = instructions(folder)
    words = [word for word, _ in found]
    assert words[0] == "FROM"
    assert set(words) <= INSTRUCTIONS
    assert re.search(r":\d+\.\d+", found[0][1]), "no version"
    assert ("USER", "crawler") in found
    assert max(at for at, word in enumerate(words) if word == "RUN") < words.index("USER")
    assert words[-2:] == ["ENTRYPOINT", "CMD"]


def test_what_the_container_file_copies_is_in_a_checkout(folder: Path) -> None:
    root = folder.parent.parent
    copied = [
        name for word, rest in instructions(folder) if word == "COPY" for name in rest.split()[:-1]
    ]
    assert {"focuscrawl", "pyproject.toml", "constraints.txt"} <= set(copied)
    assert [name for name in copied if not (root / name).exists()] == []


def test_the_services_fit_each_other_and_the_files_beside_them(
    folder: Path, compose: dict[str, Any]
) -> None:
    crawl, searxng = compose["services"]["crawl"], compose["services"]["searxng"]
    build = crawl["build"]
    assert (folder / build["context"] / build["dockerfile"]).resolve() == folder / "Containerfile"
    assert crawl["depends_on"] == {"searxng": {"condition": "service_healthy"}}
    assert searxng["healthcheck"]["test"][0] == "CMD"
    environment = dict(rest.split("=") for rest in _environment(folder))
    for volume in (*crawl["volumes"], *searxng["volumes"]):
        source, target, *_ = volume.split(":")
        if source.startswith("./"):
            assert (folder / source).exists(), source
        else:
            assert source in compose["volumes"]
            assert target == environment["FOCUSCRAWL_DATA_DIR"]
    assert "ports" not in searxng, "nobody else's search engine"


def _environment(folder: Path) -> list[str]:
    (said,) = (rest for word, rest in instructions(folder) if word == "ENV")
    return said.split()


def test_the_topic_asks_the_engine_beside_it_in_the_form_it_answers_in(
    folder: Path, compose: dict[str, Any]
) -> None:
    (name,) = compose["services"]["crawl"]["command"][1:]
    template = load(folder / f"topics/{name}.toml").template
    engine = template.of(SearchTable).engine["searxng"]
    assert engine.host in compose["services"]
    settings = yaml.safe_load((folder / "searxng/settings.yml").read_text("utf-8"))
    assert engine.format in settings["search"]["formats"]
    assert settings["server"]["limiter"] is False
