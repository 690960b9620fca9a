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
from importlib.metadata import packages_distributions
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = {
    "export/forms.py": {"_store_workbook"},  # xlsxwriter: what a close writes
    "kernel/shared/connections.py": {"_newConnection", "_clientProtocol"},  # Twisted's pool
    "kernel/slots.py": {
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
    "notify/deadline.py": {"_create_connection"},  # http.client, for one deadline over an exchange
    "results/transactions.py": {"_sock"},  # pymysql
    "spiders/topic.py": {"_set_crawler"},  # Scrapy: what from_crawler of its spiders does
}
OF_LIBRARIES = frozenset(
    {"_replace", "_asdict", "_fields", "_Element"}
)  # NamedTuple's, and a type's name
UNDOCUMENTED = {"readability.cleaners.html_cleaner", "readability.readability.REGEXES"} | {
    f"readability.readability.{name}" for name in ("Unparseable", "text_length")
}


def files(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((root / "focuscrawl").rglob("*.py")):
        yield str(path.relative_to(root / "focuscrawl")), ast.parse(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def trees(pytestconfig: pytest.Config) -> dict[str, ast.Module]:
    return dict(files(pytestconfig.rootpath))


def imported(tree: ast.Module) -> Iterator[str]:
    """Go through what is imported, by its whole name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def declared(root: Path) -> dict[str, set[str]]:
    """Return the declared packages, those of the wheel under ""."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    some = {"": project["dependencies"], **project["optional-dependencies"]}
    return {
        extra: {re.sub(r"[-_.]+", "-", Requirement(one).name.lower()) for one in lines}
        for extra, lines in some.items()
    }


def test_what_is_imported_is_declared(
    trees: dict[str, ast.Module], pytestconfig: pytest.Config
) -> None:
    known, of_package = declared(pytestconfig.rootpath), packages_distributions()
    optional = set().union(*(names for extra, names in known.items() if extra and extra != "test"))
    missing = defaultdict(set)
    for file, tree in trees.items():
        for name in {one.partition(".")[0] for one in imported(tree)}:
            if name in sys.stdlib_module_names or name in {"focuscrawl", "_md5"}:
                continue
            names = {re.sub(r"[-_.]+", "-", one.lower()) for one in of_package.get(name, [name])}
            if not names & (known[""] | optional):
                missing[name].add(file)
    assert dict(missing) == {}


def private_names(tree: ast.Module) -> Iterator[str]:
    """Go through names with an underscore that are asked of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in {"self", "cls"}:
            yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"getattr", "hasattr"}:
            yield str(getattr(node.args[1], "value", ""))
        elif isinstance(node, ast.ImportFrom) and node.module:
            ours = node.module.startswith("focuscrawl")
            yield from () if ours else node.module.split(".")


def test_names_that_other_packages_keep_to_themselves_are_listed(
    trees: dict[str, ast.Module],
) -> None:
    own = {
        name
        for tree in trees.values()
        for node in ast.walk(tree)
        for name in (getattr(node, "name", None), getattr(node, "attr", None))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
        or (isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self")
        if name
    }
    listed = set().union(*PRIVATE.values())
    found = defaultdict(set)
    for file, tree in trees.items():
        for name in private_names(tree):
            is_private = re.match(r"_[^_]", name) and name not in OF_LIBRARIES
            if is_private and (name in PRIVATE.get(file, ()) or name not in own - listed):
                found[file].add(name)
    assert dict(found) == PRIVATE


def test_what_readability_does_not_document_is_listed(trees: dict[str, ast.Module]) -> None:
    found = {name for tree in trees.values() for name in imported(tree)}
    deep = {name for name in found if name.startswith("readability.") and name.count(".") > 1}
    assert deep == UNDOCUMENTED
