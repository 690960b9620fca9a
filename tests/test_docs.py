"""The documentation says what the code does: settings, defaults, dependencies, commands, links."""

from __future__ import annotations

import dataclasses
import importlib
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from scrapy.settings import Settings, default_settings

from focuscrawl.config import Config, read_config
from focuscrawl.stores.results.results import Results
from focuscrawl.values import SystemClock
from tests.console import run_script
from tests.kinds import KINDS

GIVEN = {"scrapy", "scrapy-redis", "jieba", "simhash", "w3lib", "parsel"}
"""Dependencies that came with the task; decision 2 gives reasons for the others."""

READ_BY_OTHERS = {"tzdata"}
"""Data that zoneinfo looks for by itself."""

SETTING = re.compile(r"\bFOCUSCRAWL_[A-Z]+(?:_[A-Z]+)*\b")
HEADING = re.compile(r"^### (FOCUSCRAWL_\w+)$(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
OF_A_USER = frozenset(
    {"crawls/", "topics/", "settings.py", "news/settings.py", "mine.py", "utils.py"}
)
"""Files and folders of a user's own project, and one that nobody is to make."""

TABLE_ROW = re.compile(r"^\| `?([\w-]+(?:, [\w-]+)*)`? \| (.*?) \|", re.MULTILINE)


@pytest.fixture(scope="session")
def root(pytestconfig: pytest.Config) -> Path:
    """The checkout."""
    return pytestconfig.rootpath


def text(root: Path, name: str) -> str:
    """Read one page."""
    return (root / name).read_text(encoding="utf-8")


def pages(root: Path) -> Iterator[Path]:
    """Every page for people."""
    yield from root.glob("*.md")
    yield from (root / "docs").rglob("*.md")


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return [code for found, code in BLOCK.findall(page) if found == language]


def commands(root: Path) -> Iterator[list[str]]:
    """Every command line of the docs, as words, without comments and prompts."""
    for page in pages(root):
        for block in blocks(page.read_text(encoding="utf-8"), "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = line.split("#")[0].split()
                if words:
                    yield words


# Settings


def described(root: Path) -> dict[str, str]:
    """Our settings in docs/settings.md: name → what is said."""
    return dict(HEADING.findall(text(root, "docs/settings.md")))


def test_every_setting_of_ours_is_described_and_no_other(root: Path) -> None:
    used = {
        name
        for file in (root / "focuscrawl").rglob("*.py")
        if file.parent.name != "demo"  # its own variable is between it and its child processes
        for name in SETTING.findall(file.read_text(encoding="utf-8"))
    }
    assert set(described(root)) == used


def test_every_described_setting_names_its_default(root: Path) -> None:
    without = [name for name, said in described(root).items() if "\nDefault: " not in said]
    assert without == []


def plain(read: Config) -> dict[str, Any]:
    """Fields of a configuration; objects without equality by their type."""
    return {
        field.name: type(value) if field.name == "clock" else value
        for field in dataclasses.fields(read)
        for value in [getattr(read, field.name)]
    }


def test_the_described_defaults_are_the_defaults(root: Path) -> None:
    defaults = {
        name: value.group(1)
        for name, said in described(root).items()
        if (value := re.search(r"^Default: `(.*?)`", said, re.MULTILINE))
    }
    assert len(defaults) >= 6
    unset = read_config(Settings(), {}, root)
    assert plain(read_config(Settings(), defaults, root)) == plain(unset)


def changed_settings() -> dict[str, object]:
    """What focuscrawl.settings changes of Scrapy's defaults."""
    ours = vars(importlib.import_module("focuscrawl.settings"))
    return {
        name: value
        for name, value in ours.items()
        if name.isupper()
        and not SETTING.fullmatch(name)
        and value != getattr(default_settings, name, None)
    }


def test_every_scrapy_setting_we_change_is_in_the_table_with_its_value(root: Path) -> None:
    table = dict(TABLE_ROW.findall(text(root, "docs/settings.md").split("\n## What we change")[1]))
    changed = changed_settings()
    assert set(table) - {"setting"} == set(changed)
    scalars = {n: v for n, v in changed.items() if isinstance(v, str | int | float | bool)}
    wrong = {name: value for name, value in scalars.items() if table[name].strip("`") != str(value)}
    assert wrong == {}


# The README


def test_the_topic_of_the_readme_has_eight_lines_and_loads(root: Path, tmp_path: Path) -> None:
    (topic,) = blocks(text(root, "README.md"), "toml")
    assert len(topic.splitlines()) == 8
    (tmp_path / "metro.toml").write_text(topic, encoding="utf-8")
    folder = f"FOCUSCRAWL_TOPICS={tmp_path}"

    listed = run_script(root, "list", "-s", folder)
    assert (listed.status, "metro" in listed.said.split()) == (0, True), listed.said
    checked = run_script(root, "topic", "check", "metro", "-s", folder)
    assert checked.status == 0, checked.said


@pytest.mark.parametrize("name", ["tutorial.md", "tutorial.zh.md"])
def test_the_topics_of_the_tutorial_are_right(name: str, root: Path, tmp_path: Path) -> None:
    topics = blocks(text(root, f"docs/{name}"), "toml")
    assert len(topics) == 3
    for number, topic in enumerate(topics):
        file = tmp_path / f"t{number}.toml"
        file.write_text(topic, encoding="utf-8")
        checked = run_script(root, "topic", "check", str(file))
        assert checked.status == 0, checked.said


@pytest.mark.parametrize("name", ["first-crawl.md", "results.zh.md"])
def test_queries_in_the_docs_run_on_a_results_database(
    name: str, root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "metro.db"
    Results.open(file, "metro", kinds=KINDS, clock=SystemClock()).close()
    queries = [
        query
        for sql in blocks(text(root, f"docs/{name}"), "sql")
        for query in sql.split(";\n")
        if query
    ]
    assert queries
    with closing(sqlite3.connect(file)) as database:
        for query in queries:
            assert database.execute(query).fetchall() == []


@pytest.mark.parametrize("name", ["README", "docs/first-crawl", "docs/tutorial", "docs/questions"])
def test_the_chinese_page_has_what_the_english_one_has(name: str, root: Path) -> None:
    english, chinese = text(root, f"{name}.md"), text(root, f"{name}.zh.md")

    def said(page: str) -> tuple[list[tuple[str, list[str]]], list[str], list[int]]:
        """The code without its comments, where links lead, and how deep headings are."""
        code = [
            (language, [line.split(" #")[0].rstrip() for line in lines.splitlines()])
            for language, lines in BLOCK.findall(page)
        ]
        leading = re.findall(r"\]\(([^)]+)\)", page)
        links = [one.replace(".zh.md", ".md") for one in leading]
        headings = [len(one) for one in re.findall(r"^(#+) ", page, re.MULTILINE)]
        return code, links, headings

    assert said(chinese) == said(english)
    for page in (english, chinese):
        statuses = len(re.findall(r"^\| \d \|", page, re.MULTILINE))
        assert statuses == (6 if name == "docs/first-crawl" else 0)


def test_the_chinese_cookbook_has_topics_of_the_english_one(root: Path) -> None:
    def topics(name: str) -> list[list[str]]:
        """The topics of a page, without comments."""
        found = blocks(text(root, f"docs/{name}"), "toml")
        return [[line.split(" #")[0].rstrip() for line in one.splitlines()] for one in found]

    english, chinese = topics("template.md"), topics("template.zh.md")
    assert len(chinese) == 11
    assert [one for one in chinese if one not in english] == []


def test_the_chinese_page_of_results_names_tables_and_columns_that_there_are(root: Path) -> None:
    english = text(root, "docs/results.md")
    tables = dict(re.findall(r"^## (\w+)$(.*?)(?=^#|\Z)", english, re.MULTILINE | re.DOTALL))
    told = re.findall(
        r"^\| `(\w+)` \| [^|]* \| (`.*) \|$", text(root, "docs/results.zh.md"), re.MULTILINE
    )
    assert len(told) == 17
    missing = [
        (table, column)
        for table, columns in told
        for column in re.findall(r"`(\w+)`", columns)
        if not re.search(rf"^\| (?:\*\*)?{column}(?:\*\*)? \|", tables[table], re.MULTILINE)
    ]
    assert missing == []


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_readme_is_read_in_two_minutes(name: str, root: Path) -> None:
    assert len(text(root, name).splitlines()) <= 90


def test_commands_in_the_docs_exist(root: Path) -> None:
    ours = [words for words in commands(root) if words[0] in {"scrapy", "focuscrawl"}]
    known = run_script(root).said.split("Available commands:")[1]
    verbs = run_script(root, "topic", "-h").said
    missing = [words for words in ours if not re.search(rf"^  {words[1]} ", known, re.MULTILINE)]
    assert missing == []
    topic_verbs = {words[2] for words in ours if words[1] == "topic"}
    assert topic_verbs
    assert {verb for verb in topic_verbs if not re.search(rf"\b{verb}\b", verbs)} == set()


def test_make_targets_in_the_docs_exist(root: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", text(root, "Makefile"), re.MULTILINE))
    named = {words[1] for words in commands(root) if words[0] == "make"}
    in_prose = {
        name
        for page in pages(root)
        for name in re.findall(r"`make ([\w-]+)`", page.read_text("utf-8"))
    }
    assert {"demo", "test"} <= named
    assert (named | in_prose) - targets == set()


def test_links_between_pages_lead_somewhere(root: Path) -> None:
    broken = [
        f"{page.relative_to(root)}: {target}"
        for page in pages(root)
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_decisions_are_short(root: Path) -> None:
    lengths = {
        page.name: len(page.read_text(encoding="utf-8").splitlines())
        for page in (root / "docs/decisions").glob("*.md")
    }
    assert {name: length for name, length in lengths.items() if length > 25} == {}


# Dependencies


def dependencies(root: Path) -> dict[NormalizedName, Requirement]:
    """Dependencies of the package and of its tests."""
    project = tomllib.loads(text(root, "pyproject.toml"))["project"]
    every = project["dependencies"] + project["optional-dependencies"]["test"]
    return {canonicalize_name(one.name): one for one in map(Requirement, every)}


def package_dependencies(root: Path) -> set[NormalizedName]:
    """Names of what the package itself needs."""
    project = tomllib.loads(text(root, "pyproject.toml"))["project"]
    return {canonicalize_name(Requirement(one).name) for one in project["dependencies"]}


def test_every_dependency_has_its_reason(root: Path) -> None:
    table = dict(TABLE_ROW.findall(text(root, "docs/decisions/0002-dependencies.md")))
    named = {name for names in table for name in names.split(", ")}
    assert named - {"package"} == package_dependencies(root) - GIVEN


def modules_of(name: str) -> set[str]:
    """Top-level modules a distribution installs, compiled ones too."""
    return {file.parts[0].split(".")[0] for file in distribution(name).files or ()}


def test_every_dependency_we_chose_is_imported(root: Path) -> None:
    imported = {
        module
        for file in (root / "focuscrawl").rglob("*.py")
        for module in re.findall(
            r"^\s*(?:from|import) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    chosen = package_dependencies(root) - GIVEN - READ_BY_OTHERS
    assert {name for name in chosen if not modules_of(name) & imported} == set()


def test_every_dependency_is_pinned_within_its_range(root: Path) -> None:
    lines = [line for line in text(root, "constraints.txt").splitlines() if line[0] != "#"]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    pins = {canonicalize_name(name): version for name, version in (n.split("==") for n in lines)}
    unpinned = {
        name
        for name, wanted in dependencies(root).items()
        if name not in pins or pins[name] not in wanted.specifier
    }
    assert unpinned == set()


# What the docs name of the code


NAMED = re.compile(r"`([\w./-]+/|(?:[\w.-]+/)*[\w-]+\.py)`")
CLASS = re.compile(r"`([A-Z][a-z]+\w*)`")
MARKER = re.compile(r"pytest\.mark\.(\w+)")


def test_every_file_and_folder_that_the_docs_name_exists(root: Path) -> None:
    """A file by its path below the checkout or any folder of the package; decisions tell of their own day."""
    ours = {path.relative_to(root).as_posix() for path in (root / "focuscrawl").rglob("*.py")}
    folders = {f"{path.rpartition('/')[0]}/" for path in ours} | {
        f"{path.relative_to(root).as_posix()}/" for path in root.glob("*/") if path.name[0] != "."
    }
    missing = [
        f"{page.name}: {name}"
        for page in [*root.glob("*.md"), *(root / "docs").glob("*.md")]
        if page.name != "CHANGELOG.md"
        for name in NAMED.findall(page.read_text("utf-8"))
        if not (root / name).exists()
        and not any(f"/{path}".endswith(f"/{name}") for path in ours | folders)
        and name not in OF_A_USER
    ]
    assert missing == []


def test_every_class_that_the_methods_name_exists(root: Path) -> None:
    code = "\n".join(path.read_text("utf-8") for path in (root / "focuscrawl").rglob("*.py"))
    named = set(CLASS.findall(text(root, "docs/methods.md")))
    assert len(named) > 10
    assert {
        name for name in named if not re.search(rf"^class {name}\b", code, re.MULTILINE)
    } == set()


def test_every_claim_and_rule_of_the_methods_has_its_tests(root: Path) -> None:
    """The markers of pyproject.toml are the claims; ids that methods.md names are among them."""
    options = tomllib.loads(text(root, "pyproject.toml"))["tool"]["pytest"]["ini_options"]
    claims = {line.partition(":")[0] for line in options["markers"] if line[0].isupper()}
    carried = {
        marker
        for path in (root / "tests").rglob("test_*.py")
        for marker in MARKER.findall(path.read_text("utf-8"))
    }
    assert claims - carried == set()
    page = text(root, "docs/methods.md")
    not_tested = {"D1", "D6"}  # what a parser gives, and that a link is followed once: A2 and A8
    assert set(re.findall(r"\b[A-E]\d\b", page)) - not_tested <= claims
