"""A shipped template in Chinese is the English one with other comments."""

from __future__ import annotations

import re
import tomllib
from argparse import Namespace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focuscrawl.locale.messages import IN_CHINESE, IN_ENGLISH, MessageLanguage, set_message_language
from focuscrawl.template.load import shipped_names, shipped_text
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.template import new

SWITCHED_OFF = re.compile(r"# *(\[.+\]|[\w.\"]+ +=.*?)(?: +#.*)?")
HAN = re.compile(r"[\u4e00-\u9fff]")


def examples(text: str) -> list[str]:
    """Return the keys and tables that a person switches on by taking the # away."""
    found = (SWITCHED_OFF.fullmatch(line) for line in text.splitlines())
    return [one[1] for one in found if one]


def comments(text: str) -> list[str]:
    """Return the lines that say something to people, and what stands behind a value."""
    texts = (line.partition("#")[2] for line in text.splitlines() if "#" in line)
    return [line for line in texts if not SWITCHED_OFF.fullmatch(f"#{line}")]


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_template_means_the_same_in_both_languages(name: str) -> None:
    english, chinese = shipped_text(name), shipped_text(name, IN_CHINESE)
    assert chinese != english
    assert tomllib.loads(chinese) == tomllib.loads(english)
    assert examples(chinese) == examples(english)
    assert examples(english)


@pytest.mark.parametrize("name", shipped_names())
def test_no_comment_of_a_chinese_template_is_left_in_english(name: str) -> None:
    words = [
        line
        for line in comments(shipped_text(name, IN_CHINESE))
        if re.search("[a-z]{3} [a-z]{2}", line)
    ]
    left = [line for line in words if not HAN.search(line) and "scrapy" not in line]
    assert left == []


def test_a_language_without_templates_of_its_own_has_the_english_ones() -> None:
    assert shipped_text("news", "fr") == shipped_text("news")


@pytest.mark.parametrize("language", [IN_ENGLISH, IN_CHINESE])
def test_a_new_topic_has_comments_in_the_language_that_is_spoken(
    language: MessageLanguage, tmp_path: Path
) -> None:
    settings = Settings({"FOCUSCRAWL_TOPICS": str(tmp_path)})
    set_message_language(language)
    try:
        new(Call(settings, Namespace(template="news")), ["metro"])
    finally:
        set_message_language(IN_ENGLISH)
    assert (tmp_path / "metro.toml").read_text("utf-8") == shipped_text("news", language)
