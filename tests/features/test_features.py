"""Features of a user's own (FOCUSCRAWL_FEATURES): their places, and kinds of rows nobody of us knows."""

from __future__ import annotations

import json
from typing import ClassVar

import pytest
from scrapy.settings import Settings

from focuscrawl.config import ConfigError, own_features
from focuscrawl.features import FEATURES, ROWS, STEP, features_in_use, rows_in_use
from focuscrawl.stores.results.columns import KEY_COLUMN, Time, key_column, may, table
from focuscrawl.stores.results.kind import Kinds, RowKind
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import flag
from focuscrawl.template.template import language_of
from tests.kinds import KINDS
from tests.tables import each_row

HERE = __name__
PRICES = RowKind(table("prices", key_column("url_key", KEY_COLUMN), may("seen", Time), about=""))


class Prices:
    name = "prices"
    rows: ClassVar[tuple[RowKind, ...]] = (PRICES,)


class OwnArticle(Table, path="article", doc="how long articles are"):
    """A table whose name one of ours has."""

    words: bool = key(flag(), True, "Whether words are counted.", "words = false")


class Lengths:
    name = "lengths"
    tables: ClassVar[tuple[type[Table], ...]] = (OwnArticle,)


class Silent:
    """A feature without rows."""

    name = "silent"


def short(name: str) -> str:
    return "focuscrawl." + name.replace(".feature.", ".").split(".", 2)[2]


def test_a_feature_takes_its_place_and_one_of_ours_is_switched_off() -> None:
    assert features_in_use({}) == list(FEATURES)
    given = {"mine.Prices": STEP + 1, "mine.Last": 10**6, short(FEATURES[1]): None}
    assert features_in_use(given) == [FEATURES[0], "mine.Prices", *FEATURES[2:], "mine.Last"]
    assert features_in_use({FEATURES[-1]: 1})[0] == FEATURES[-1]
    assert features_in_use({"mine.Prices": None}) == list(FEATURES)


def test_what_ours_have_stored_stays_and_changes_are_written_last() -> None:
    found = rows_in_use({"mine.Prices": 5, FEATURES[0]: None})
    assert found == [*ROWS[:-1], "mine.Prices", ROWS[-1]]


def test_kinds_are_read_from_the_class_of_a_feature() -> None:
    kinds = Kinds.load(rows_in_use({f"{HERE}.Prices": 5, f"{HERE}.Silent": 6}))
    assert [*kinds] == [*KINDS[:-2], PRICES, *KINDS[-2:]]


@pytest.mark.parametrize("name", ["no_such_module.Prices", f"{HERE}.NoSuch", "not a name"])
def test_a_feature_that_cannot_be_loaded_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=f"FOCUSCRAWL_FEATURES: '{name}' cannot be loaded"):
        Kinds.load(rows_in_use({name: 5}))


def test_a_table_of_the_template_that_one_of_ours_has_is_refused_by_the_names_of_both() -> None:
    with pytest.raises(ConfigError, match=rf"\[article\] of {HERE}.OwnArticle .*ArticleTable"):
        language_of((f"{HERE}.Lengths",))


def test_features_are_written_as_a_dictionary_or_as_json() -> None:
    given = {"mine.Prices": 5, "focuscrawl.forums.Forums": None}
    settings = Settings({"FOCUSCRAWL_FEATURES": given})
    assert own_features(settings, {}) == given
    assert own_features(Settings(), {"FOCUSCRAWL_FEATURES": json.dumps(given)}) == given
    assert own_features(Settings(), {}) == {}


@each_row("written", ["[1]", "{", '{"mine.Prices": "5"}', '{"mine.Prices": true}', "5"])
def test_what_says_no_places_is_refused(written: str) -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_FEATURES = "):
        own_features(Settings(), {"FOCUSCRAWL_FEATURES": written})
