"""The documentation of the language is that of the loader, and its examples work."""

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.features.search.table import SearchTable
from focuscrawl.output.export.table import ExportTable
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.template.keys import Key, Table, TableForm
from focuscrawl.template.load import load, shipped_names, shipped_text
from focuscrawl.template.show import json_schema, reference
from focuscrawl.template.template import language_of
from tests.tables import each_row

KEYS = [(table, key) for table in language_of().forms for key in table.keys]
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="session")
def page(pytestconfig: pytest.Config) -> str:
    return (pytestconfig.rootpath / "docs/template.md").read_text("utf-8")


def test_the_page_lists_every_table_and_key_as_the_loader_knows_them(page: str) -> None:
    assert reference(language_of()) in page


@pytest.mark.parametrize("number", [0, 1])
def test_the_topics_of_the_page_load(page: str, number: int, tmp_path: Path) -> None:
    path = tmp_path / "metro.toml"
    blocks = [one for one in BLOCK.findall(page) if '"成都地铁建设"' in one]
    path.write_text(blocks[number], "utf-8")
    template = load(path).template
    assert template.topic.title == "成都地铁建设"
    assert template.sources


def test_the_recipes_of_the_page_load_without_a_warning(page: str, tmp_path: Path) -> None:
    recipes = page.partition("### Short recipes")[2].partition("\n### ")[0]
    blocks = BLOCK.findall(recipes)
    assert len(blocks) >= 6
    path = tmp_path / "recipe.toml"
    for block in blocks:
        path.write_text(block, "utf-8")
        loaded = load(path)
        assert loaded.template.sources
        assert not [one for one in loaded.warnings if "contact" not in str(one)], block


def test_the_ten_keys_are_of_the_language_as_they_are_written(page: str) -> None:
    rows = re.findall(
        r"^\| `(\[+[a-z.]+\]+) (\w+)` \|.*\| `(.*)` \|$",
        page.partition("## Commands")[0],
        re.MULTILINE,
    )
    assert len(rows) == 10
    keys = {
        (".".join(form.path), key.name): key for form in language_of().forms for key in form.keys
    }
    for table, name, example in rows:
        key = keys[table.strip("[]"), name]
        value = tomllib.loads(example.replace(r"\|", "|"))[name]
        key.kind.read(value)


def test_the_search_of_the_page_loads(page: str, tmp_path: Path) -> None:
    path = tmp_path / "companies.toml"
    (block,) = (one for one in BLOCK.findall(page) if "[search.engine.mine]" in one)
    path.write_text(block, "utf-8")
    template = load(path).template
    assert [engine.host for engine in template.of(SearchTable).engine.values()] == [
        "s.example.com",
        "www.baidu.com",
    ]
    assert len(template.of(FollowTable).layers.groups) == 2


def test_the_files_and_receivers_of_the_page_load(page: str, tmp_path: Path) -> None:
    (block,) = (one for one in BLOCK.findall(page) if "[[notify]]" in one)
    path = tmp_path / "news.toml"
    path.write_text(f'{block}\n[[source]]\nurl = "https://a.example.cn/"\n', "utf-8")
    template = load(path).template
    assert len(template.named(ExportTable)) == 2
    assert [one.sites for one in template.each(NotifyTable)] == [1, 2]


@each_row(("table", "key"), KEYS, ids=lambda one: getattr(one, "name", ""))
def test_every_key_has_an_example_that_its_kind_reads(table: TableForm, key: Key) -> None:
    example = tomllib.loads(key.example)
    assert list(example) == [key.name]
    value = example[key.name]
    entries = value if isinstance(value, list) else [value]
    if not any(str(entry).startswith("@") for entry in entries):
        key.kind.read(value)


@each_row(("table", "key"), KEYS, ids=lambda one: getattr(one, "name", ""))
def test_every_key_says_what_it_means_and_what_holds_without_it(table: TableForm, key: Key) -> None:
    assert key.doc
    assert key.default is not None or key.otherwise
    if key.default is not None:
        assert key.kind.read(key.default) == key.default


@each_row("table", language_of().tables, ids=lambda one: one.__name__)
def test_values_have_the_names_of_their_keys(table: type[Table]) -> None:
    names = {one.name for one in dataclasses.fields(cast(Any, table))}
    keys = {key.name for key in table.form.keys}
    renamed = {"extends": "", "url": "", "from": "places", "key": "identity"}
    assert {renamed.get(one, one) for one in keys if one not in names} <= names | {""}


def test_a_site_may_give_what_its_tables_say_and_nothing_else() -> None:
    inside = language_of().inside(language_of().at("site"))
    assert set(inside) == {"follow", "url", "revisit", "politeness", "request", "select"}
    assert set(inside) == {table.form.path[-1] for table in language_of().of_sites}
    assert language_of().key_of(("site", "a.cn", "politeness", "delay")) is not None
    assert language_of().key_of(("site", "a.cn", "politeness", "contact")) is None


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_template_loads_as_a_topic_of_ones_own(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(shipped_text(name), "utf-8")
    loaded = load(path)
    assert loaded.template.name == "mine"
    assert [warning.text.split(":")[0] for warning in loaded.warnings] == ["[politeness] contact"]


@pytest.mark.parametrize("name", shipped_names())
def test_what_a_shipped_template_has_switched_off_works_when_switched_on(
    name: str, tmp_path: Path
) -> None:
    on = re.sub(r"^# (?=[a-z_]+ *=|\[)", "", shipped_text(name), flags=re.MULTILINE)
    path = tmp_path / "mine.toml"
    path.write_text(on, "utf-8")
    template = load(path).template
    assert template.of(PolitenessTable).contact
    assert [feed.format for feed in template.output.feeds] == ["csv"]


def test_the_schema_is_json_and_allows_nothing_unknown() -> None:
    schema = json.loads(json.dumps(json_schema(language_of())))
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {
        table.path[0] for table in language_of().forms if table.path
    } | {"extends"}
    assert schema["properties"]["politeness"]["properties"]["delay"]["default"] == "2s"
    assert schema["properties"]["source"]["items"]["properties"]["level"]["maximum"] == 10
    feeds = schema["properties"]["output"]["properties"]["feeds"]
    assert feeds["additionalProperties"]["properties"]["options"]["type"] == "object"
