"""What is imported is declared, and names that other packages keep to themselves are listed.

Scrapy and readability-lxml have an upper bound in pyproject.toml for these names: a new minor version is tried with
this list at hand.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = {
    "output/export/forms.py": {"_store_workbook"},  # xlsxwriter: what a close writes
    "kernel/shared/connections.py": {"_newConnection", "_clientProtocol"},  # Twisted's pool
    "kernel/transport/aiohttp_handler.py": {
        "_aiohttp",  # Scrapy's handler, of which ours is one
        "_retry_connection",  # aiohttp's session, which sends again by itself
    },
    "kernel/transport/slots.py": {
        "_check_if_closing",  # Scrapy's scraper, told that work beside it has ended
        "_cookies",  # http.cookiejar: the cookies of a host, which are bounded
        "_get_handler",  # Scrapy's download handlers, for the pool of connections
        "_get_slot",  # Scrapy's downloader: the slot of a request
        "_newclient",  # Twisted: names of headers that it refuses
        "_parsers",  # Scrapy's robots.txt middleware: what it has read
        "_pool",
        "_slot",  # Scrapy's engine: requests in progress
        "_split_domain",  # Scrapy's cookies: suffixes without a look at the network
    },
    "output/notify/deadline.py": {
        "_create_connection"
    },  # http.client, for one deadline over an exchange
    "stores/results/transactions.py": {"_sock"},  # pymysql
    "spiders/topic.py": {"_set_crawler"},  # Scrapy: what from_crawler of its spiders does
}
OF_LIBRARIES = frozenset(
    {"_replace", "_asdict", "_fields", "_Element"}
)  # NamedTuple's, and a type's name
UNDOCUMENTED = {"readability.cleaners.html_cleaner", "readability.readability.REGEXES"} | {
    f"readability.readability.{name}" for name in ("Unparseable", "text_length")
}
DECLARED_AS = {
    "pythonjsonlogger": "python-json-logger",
    "readability": "readability-lxml",
    "sklearn": "scikit-learn",
}
"""Packages whose name is another than that of what they are installed by."""

# By expressions: to parse all files takes 4 s.
IMPORTED = re.compile(
    r"^ *(?:from ([\w.]+) import|import ([\w.]+)(?: as \w+)?(?:  #.*)?$)", re.MULTILINE
)
DEFINED = re.compile(r"(?:\bdef|\bclass|\bself\.) ?(\w+)")
ASKED_FOR = re.compile(
    r"(?<!\bself)(?<!\bcls)\.(_[A-Za-z]\w*)|(?:getattr|hasattr)\([^\"]*\"(_[A-Za-z]\w*)\""
)


@pytest.fixture(scope="module")
def texts(pytestconfig: pytest.Config) -> dict[str, str]:
    package = pytestconfig.rootpath / "focuscrawl"
    paths = sorted(package.rglob("*.py"))
    return {str(path.relative_to(package)): path.read_text("utf-8") for path in paths}


def declared(root: Path) -> set[str]:
    """Return the declared packages but those of tests."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *(line for name in extras if name != "test" for line in extras[name]),
    ]
    return {re.sub(r"[-_.]+", "-", Requirement(one).name.lower()) for one in lines}


def test_what_is_imported_is_declared(texts: dict[str, str], pytestconfig: pytest.Config) -> None:
    known, missing = declared(pytestconfig.rootpath), defaultdict(set)
    for file, text in texts.items():
        for whole in IMPORTED.findall(text):
            name = "".join(whole).partition(".")[0]
            package = DECLARED_AS.get(name, re.sub(r"[-_.]+", "-", name.lower()))
            if (
                name not in sys.stdlib_module_names | {"focuscrawl", "_md5"}
                and package not in known
            ):
                missing[name].add(file)
    assert dict(missing) == {}


def private_names(tree: ast.Module) -> Iterator[str]:
    """Go through names with an underscore that are asked of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in {"self", "cls"}:
            yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"getattr", "hasattr"}:
            yield str(getattr(node.args[1], "value", ""))
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("focuscrawl"):
            yield from (node.module or "").split(".")


def test_names_that_other_packages_keep_to_themselves_are_listed(texts: dict[str, str]) -> None:
    listed = set().union(*PRIVATE.values())
    ours = {name for text in texts.values() for name in DEFINED.findall(text)} - listed
    found = defaultdict(set)
    for file, text in texts.items():
        asked = {"".join(names) for names in ASKED_FOR.findall(text)} - OF_LIBRARIES - ours
        if not asked and file not in PRIVATE:
            continue
        for name in private_names(ast.parse(text)):
            if re.match(r"_[^_]", name) and name not in OF_LIBRARIES | ours:
                found[file].add(name)
    assert dict(found) == PRIVATE


def test_what_readability_does_not_document_is_listed(texts: dict[str, str]) -> None:
    asking = [ast.parse(text) for text in texts.values() if "from readability." in text]
    found = {
        f"{node.module}.{alias.name}"
        for tree in asking
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("readability.")
        for alias in node.names
    }
    assert found == UNDOCUMENTED
