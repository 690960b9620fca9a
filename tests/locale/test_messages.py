"""People are told in the language of their environment; without one, and in tests, in English."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import focuscrawl
from focuscrawl.commands.topic import help_text
from focuscrawl.config import ConfigError, seconds
from focuscrawl.locale.messages import (
    IN_CHINESE,
    IN_ENGLISH,
    _,
    language_in,
    message_language,
    ngettext,
    set_message_language,
)
from focuscrawl.output.summary.lines import counted, duration_text
from focuscrawl.output.summary.summary import (
    END_SENTENCES,
    FoundRows,
    SiteLine,
    Summary,
    summary_text,
)
from focuscrawl.readers.text.characters import padded, width_of
from focuscrawl.template.load import load
from focuscrawl.template.toml import TemplateErrors
from tests.clock import NOON
from tests.in_process import JumpingTime, run_command
from tests.tables import each_row
from tests.web import Web


@pytest.fixture
def in_chinese() -> Iterator[None]:
    set_message_language(IN_CHINESE)
    yield
    set_message_language(IN_ENGLISH)


@each_row(
    ("environment", "language"),
    [
        ({}, IN_ENGLISH),
        ({"LANG": "C.UTF-8"}, IN_ENGLISH),
        ({"LANG": "de_DE.UTF-8"}, IN_ENGLISH),
        ({"LANG": "zh_CN.UTF-8"}, IN_CHINESE),
        ({"LANG": "zh_CN.GBK"}, IN_CHINESE),
        ({"LANG": "zh-Hans"}, IN_CHINESE),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, IN_CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, IN_ENGLISH),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, IN_ENGLISH),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, IN_CHINESE),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, IN_CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh"}, IN_ENGLISH),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "de:zh"}, IN_CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "zh", "LC_ALL": "C"}, IN_ENGLISH),
    ],
)
def test_the_language_is_the_one_that_the_environment_asks_for(
    environment: dict[str, str], language: str
) -> None:
    assert language_in(environment) == language


def test_nothing_is_said_of_nothing(in_chinese: None) -> None:
    assert _("") == ""  # and not the head of the catalogue


def test_english_is_told_as_it_stands_in_the_code() -> None:
    assert message_language() == IN_ENGLISH
    assert _("Crashed.") == "Crashed."
    assert [counted(number, "address") for number in (0, 1, 2)] == [
        "0 addresses",
        "1 address",
        "2 addresses",
    ]
    assert counted(2, "fish", "es") == "2 fishes"  # a noun of somebody else's


def test_chinese_has_one_form_for_all_numbers(in_chinese: None) -> None:
    assert [counted(number, "page") for number in (1, 1234)] == ["1 个网页", "1,234 个网页"]
    assert duration_text(725) == "12 分 5 秒"
    assert ngettext("{number} unheard of", "{number} all unheard of", 1) == "{number} unheard of"


def test_a_summary_is_told_in_chinese(in_chinese: None) -> None:
    run = Summary(
        topic="metro",
        end_reason="finished",
        title="成都地铁",
        seconds=65.0,
        requests=520,
        pages=500,
        found=[FoundRows("articles", {"new": 40, "changed": 2}, always=True)],
        outcomes={"stored": 42, "list": 30, "irrelevant": 428},
        waiting=7,
        sites=[SiteLine("news.example.cn", 500, 42, 1, "relevant", 2.0)],
        results="/data/metro.db",
    )
    assert summary_text(run).splitlines() == [
        "成都地铁（metro）：已完成：没有待抓取的网页。",
        "  520 次请求，得到 500 个网页，用时 1 分 5 秒，0 B",
        "  文章       新增 40，有变化 2",
        "  网页       不相关 428，已存 42，列表页 30",
        "  剩余       等待 7；下次运行接着抓",
        "  网站       1",
        "    news.example.cn  500 个网页，42 篇文章，1 个错误，间隔 2 秒",
        "  结果       /data/metro.db",
    ]


def test_an_empty_crawl_names_its_cause_in_chinese(in_chinese: None) -> None:
    run = Summary("metro", "empty", pages=54, ever_found=False, outcomes={"irrelevant": 54})
    told = summary_text(run._replace() if hasattr(run, "_replace") else run)
    assert "已结束：没有得到任何文章、记录或帖子。" in told
    assert "    - 54 个网页判为不相关：" in told


def test_every_end_of_a_run_has_its_chinese_sentence(in_chinese: None) -> None:
    assert all(_(sentence) != sentence for sentence in END_SENTENCES.values())


def test_mistakes_of_a_template_are_told_in_chinese(in_chinese: None) -> None:
    with pytest.raises(TemplateErrors) as caught:
        load('[topic]\nname = "x"\nkeywords = ["地铁"]\n[limits]\npagse = 3\n[folow]\ndepth = 3\n')
    told = str(caught.value).splitlines()
    assert told[0] == "inline template: 2 处错误"
    assert "[limits] pagse: 没有这个键；最接近的是 pages" in told[1]
    assert "没有这个表；最接近的是 [follow]" in told[2]
    assert told[1].startswith("  第 5 行  ")


def test_mistakes_of_settings_are_told_in_chinese(in_chinese: None) -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_LINGER = 'soon': 请写时长，例如"):
        seconds("soon", "FOCUSCRAWL_LINGER")


def test_the_help_of_the_verbs_is_chinese(in_chinese: None) -> None:
    assert "写主题\n  new NAME\n        把自带模板复制到主题文件夹" in help_text()


def test_columns_stand_below_each_other_in_both_languages() -> None:
    assert padded("pages", 10) == "pages     "
    assert padded("网页", 10) == "网页      "
    assert width_of(padded("未能识别abc", 20)) == 20
    assert padded("全部工作进程合计", 10) == "全部工作进程合计"


def test_a_command_speaks_the_language_of_its_environment(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "LANGUAGE"}
    environment |= {"LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    command = ["topic", "check", "nosuch"]
    done = run_command(command, tmp_path, environment, Web(), JumpingTime(NOON))
    assert done.status == 2
    assert done.said.startswith("没有主题 'nosuch'（主题放在 ")


@pytest.mark.program
def test_the_catalogue_is_read_from_a_zip(tmp_path: Path) -> None:
    package = Path(focuscrawl.__path__[0])
    archive = tmp_path / "focuscrawl.egg"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in [package / "__init__.py", *sorted((package / "locale").rglob("*"))]:
            if path.is_file() and path.suffix != ".pyc":
                packed.write(path, path.relative_to(package.parent))
    program = "from focuscrawl.locale import messages as m; print(m.__file__, m._('Crashed.'))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(archive), "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.startswith(str(archive))
    assert done.stdout.endswith("异常中止。\n")
