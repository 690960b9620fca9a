"""One word for each thing that people read of, in each language: what was decided, and the variants that are out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from focuscrawl.output.export.sheets import SHEETS
from focuscrawl.output.notify.messages import MESSAGE_WORDS
from focuscrawl.output.report.forms.words import catalogue
from focuscrawl.template.show import reference
from focuscrawl.template.template import language_of
from tests.locale.catalogue import PACKAGE, messages_in_code, strings_of, translated

IN_CHINESE = {
    "网页": "页面",
    "网站": "站点",
    "不相关": "(?<!不)无关",
    "回访": "复访|重访",
    "事件": "故事",
    "无变化": "未变",
    "小改动": "小改(?!动)",
    "暂缓": "搁置|暂存",
    "识别为": "读作",
    "无法访问": "不可达|无法连接",
    "您": "你",
    "帖子": "主题帖",
    "心跳": "报一?次?平安",
    "小型网站群": "小网络",
    "流量": "兆字节",
}
"""What is said, and what is not."""

IN_ENGLISH = {
    "no one, no receiver, no worker": "nobody",
    "a user, a worker": "somebody",
    "the person who, the worker that": "whoever",
    "says, reports, sends": r"(?:is|are|was|were) told",
    "resumes": "gone on with",
    "could not be fetched": "(?:could|can)(?: ?not) be had",
}

CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def chinese() -> Iterator[str]:
    """Go through all Chinese that people read."""
    for message in translated():
        yield from strings_of(message) if message.id else ()
    yield from (said[1] for words in catalogue().values() for said in words.values())
    yield from MESSAGE_WORDS["zh"].values()
    for sheet in SHEETS:
        yield from (sheet.zh, *(one.zh for one in sheet.columns))
    for path in sorted((PACKAGE / "template" / "presets" / "zh").glob("*.toml")):
        yield from re.findall(r"#.*", path.read_text("utf-8"))


def english() -> Iterator[str]:
    """Go through all English of messages, reports, mails and keys of templates."""
    for message in messages_in_code():
        yield from [message] if isinstance(message, str) else message
    yield from (said[0] for words in catalogue().values() for said in words.values())
    yield from MESSAGE_WORDS["en"].values()
    yield from reference(language_of()).splitlines()


@pytest.mark.parametrize(("word", "variants"), IN_CHINESE.items(), ids=[*IN_CHINESE])
def test_each_thing_has_one_word_in_chinese(
    pytestconfig: pytest.Config, word: str, variants: str
) -> None:
    out = re.compile(variants)
    readme = CODE.sub("", (pytestconfig.rootpath / "README.zh.md").read_text("utf-8"))
    found = [said for said in [*chinese(), *readme.splitlines()] if out.search(said)]
    assert not found, f"write {word}"


@pytest.mark.parametrize(("word", "variants"), IN_ENGLISH.items(), ids=[*IN_ENGLISH])
def test_messages_say_who_does_what(word: str, variants: str) -> None:
    out = re.compile(rf"\b(?:{variants})\b", re.IGNORECASE)
    found = [said for said in english() if out.search(said)]
    assert not found, f"write {word}"


def test_the_glossary_has_the_words_that_were_decided(pytestconfig: pytest.Config) -> None:
    glossary = (
        (pytestconfig.rootpath / "docs" / "methods.md")
        .read_text("utf-8")
        .partition("## Glossary")[2]
    )
    rows = dict(re.findall(r"^\| ([\w ν]+) \| ([^|]+) \|", glossary, re.MULTILINE))
    decided = {"site": "网站", "revisit": "回访", "story": "事件", "copy": "转载", "thread": "帖子"}
    assert {term: rows[term] for term in decided} == decided
    assert not [one for one in rows.values() if re.search("|".join(IN_CHINESE.values()), one)]
