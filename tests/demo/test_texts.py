import re
import tomllib
from importlib.resources import files
from itertools import combinations

import pytest

from focuscrawl.demo.texts import (
    IRRELEVANT_THEMES,
    event_slots,
    is_relevant,
    patterns,
    say,
    update,
    write,
)

RELEVANT = ("food", "blog", "notice")


def topic() -> dict[str, list[str]]:
    text = files("focuscrawl.demo").joinpath("demo.toml").read_text("utf-8")
    table: dict[str, list[str]] = tomllib.loads(text)["topic"]
    return table


def words(groups: list[str]) -> list[str]:
    return [word for group in groups for word in re.sub(r"\^\d+$", "", group).split("|")]


def test_the_same_seed_writes_the_same_text_and_another_one_another() -> None:
    assert write("food", "a", 5, "e") == write("food", "a", 5, "e")
    assert write("food", "a", 5, "e").paragraphs != write("food", "b", 5, "e").paragraphs


@pytest.mark.parametrize("theme", [*IRRELEVANT_THEMES, *RELEVANT, "job"])
def test_every_slot_is_filled_and_every_paragraph_is_worth_reading(theme: str) -> None:
    for seed in range(60):
        text = write(theme, str(seed), 6, f"e{seed}" if is_relevant(theme) else "")
        assert len(text.paragraphs) == 6
        for piece in (text.title, *text.paragraphs, update(theme, str(seed))):
            assert "{" not in piece
            assert "}" not in piece
        assert min(map(len, text.paragraphs)) >= 20


@pytest.mark.parametrize("theme", IRRELEVANT_THEMES)
def test_an_irrelevant_text_has_no_word_of_the_topic(theme: str) -> None:
    keywords = words(topic()["keywords"])
    for seed in range(200):
        text = write(theme, str(seed), 8)
        whole = text.title + "".join(text.paragraphs)
        assert [word for word in keywords if word in whole] == []


@pytest.mark.parametrize("theme", RELEVANT)
def test_a_relevant_text_names_a_keyword_and_a_place_on_its_first_page(theme: str) -> None:
    keywords, places = words(topic()["keywords"]), words(topic()["require"])
    excluded = words(topic()["exclude"])
    for seed in range(200):
        text = write(theme, str(seed), 6, f"event{seed}")
        first_page = text.title + "".join(text.paragraphs[:3])
        assert any(word in first_page for word in keywords)
        assert any(word in first_page for word in places)
        assert not any(word in text.title + "".join(text.paragraphs) for word in excluded)


def test_a_job_advertisement_says_so_in_its_title() -> None:
    assert all("招聘" in write("job", str(seed), 4).title for seed in range(50))


def test_no_two_articles_are_alike() -> None:
    texts = [set(write("food", str(n), 6, f"e{n}").paragraphs) for n in range(120)]
    assert not any(first & second for first, second in combinations(texts, 2))


def test_articles_of_one_event_share_what_happened_where() -> None:
    slots = event_slots("e1")
    first, second = (write("food", seed, 6, "e1") for seed in ("a", "b"))
    assert first.paragraphs[0] != second.paragraphs[0]
    for name in ("city", "product"):
        assert slots[name] in "".join(first.paragraphs)
        assert slots[name] in "".join(second.paragraphs)


def test_an_article_does_not_repeat_a_sentence() -> None:
    for seed in range(30):
        text = write("food", f"long{seed}", 30, f"e{seed}")
        assert len(set(text.paragraphs)) == 30


def test_a_theme_borrows_the_lists_it_lacks() -> None:
    assert patterns("blog", "body") == patterns("food", "body")
    assert patterns("sport", "speak") == patterns("common", "speak")
    with pytest.raises(KeyError, match="no_such_list"):
        patterns("blog", "no_such_list")


@pytest.mark.parametrize("theme", ["forum_food", "forum_idle", "company"])
def test_all_patterns_of_a_theme_can_be_said(theme: str) -> None:
    from random import Random

    for symbol in ("title", "lead", "post") if theme != "company" else ("about", "product", "news"):
        for seed in range(40):
            assert "{" not in say(theme, symbol, Random(seed))
