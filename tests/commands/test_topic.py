"""``scrapy topic``: what people see, and the exit status."""

import json
import os
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from focuscrawl.commands.options import OPTIONS, parser_of
from focuscrawl.commands.topic import AIMS, VERBS, TopicCommand
from tests.clock import NOON
from tests.in_process import Ended, JumpingTime, run_command
from tests.tables import each_row
from tests.web import Web

GOOD = '[topic]\nkeywords = ["地铁"]\n[[source]]\nurl = "https://a.example.cn/"\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOCUSCRAWL_TOPICS", raising=False)
    return tmp_path


def topic(*arguments: str) -> int:
    """Run the command in this process; returns its exit status."""
    command = TopicCommand()
    command.settings = Settings()
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, names = parser.parse_known_args(list(arguments))
    command.run(names, options)
    return command.exitcode


def program(folder: Path, *arguments: str) -> Ended:
    """Run ``scrapy topic`` in a folder from its words to its exit status."""
    return run_command(["topic", *arguments], folder, os.environ, Web(), JumpingTime(NOON))


@pytest.mark.parametrize("name", ["news", "topic"])
def test_a_new_topic_is_written_and_can_be_checked(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert topic("new", "metro", "--template", name) == 0
    assert "scrapy topic check metro" in capsys.readouterr().out
    assert (project / "topics/metro.toml").is_file()
    assert topic("check", "metro") == 0
    told = capsys.readouterr().out
    assert "topics/metro.toml: 1 warning\n  [politeness] contact: none" in told
    assert "topic metro (成都地铁" in told


def test_a_topic_that_is_there_is_not_written_over(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topic("new", "metro")
    (project / "topics/metro.toml").write_text(GOOD, "utf-8")
    assert topic("new", "metro") == 2
    assert "topics/metro.toml is already there" in capsys.readouterr().out
    assert (project / "topics/metro.toml").read_text("utf-8") == GOOD


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["new", "Metro!"], "a name is made of"),
        (["new", "../metro"], "a name is made of"),
        (["new", "topic"], "taken by scrapy crawl topic"),
        (["new", "metro", "--template", "none"], "shipped: directory, forum, news, topic"),
        (["check", "metor"], "no topic 'metor' (topics are in topics); nearest: metro"),
        (["check", "none/metro.toml"], "cannot be read: No such file"),
        (
            ["show", "metro", "-a", "limits.page=1"],
            "-a  [limits] page: unknown key; nearest: pages",
        ),
        (["check", "[topic]\nname = 'x'"], "nowhere to start"),
    ],
)
def test_what_cannot_be_done_is_said_with_status_2(
    arguments: list[str], part: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "topics").mkdir()
    (project / "topics/metro.toml").write_text(GOOD, "utf-8")
    assert topic(*arguments) == 2
    assert part in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["paint"], ["check"], ["check", "a", "b"], ["new"], ["show", "a", "-a", "b"]]
)
def test_what_is_not_understood_is_a_usage_error(arguments: list[str], project: Path) -> None:
    with pytest.raises(UsageError):
        topic(*arguments)


def test_missing_secrets_are_told_by_check_and_not_by_show(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "topics").mkdir()
    text = f"[request]\nproxy = ['env:METRO_A', 'env:METRO_B']\n{GOOD}"
    (project / "topics/metro.toml").write_text(text, "utf-8")
    assert topic("check", "metro") == 2
    told = capsys.readouterr().out
    assert "METRO_A is not set" in told
    assert "METRO_B is not set" in told
    assert topic("show", "metro", "-a", "limits.pages=3") == 0
    shown = capsys.readouterr().out
    assert 'proxy = ["env:METRO_A", "env:METRO_B"]' in shown
    assert "# -a" in shown


def test_a_file_elsewhere_can_be_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tram.toml").write_text(GOOD, "utf-8")
    assert topic("check", "tram.toml") == 0
    assert "tram.toml: topic tram (tram): 1 address in 1 source" in capsys.readouterr().out


def test_the_schema_is_printed_for_editors(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert topic("schema") == 0
    assert "politeness" in json.loads(capsys.readouterr().out)["properties"]


def test_mistakes_end_the_program_with_status_2_and_without_a_traceback(project: Path) -> None:
    (project / "topics").mkdir()
    (project / "topics/metro.toml").write_text("[topic]\nkeyword = 'x'\n", "utf-8")
    done = program(project, "check", "metro")
    assert done.status == 2
    assert done.said.startswith("topics/metro.toml: 1 problem\n  line 2  [topic] keyword")
    assert "Traceback" not in done.said


@each_row("verb", VERBS)
def test_each_verb_that_is_named_can_be_called(verb: str) -> None:
    assert callable(load_object(VERBS[verb].work))


def test_the_help_is_ordered_by_what_one_wants_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert topic() == 0
    told = capsys.readouterr().out
    places = [told.index(f"\n\n{title}\n") for title in AIMS.values()]
    assert places == sorted(places)
    assert told.index("  new NAME") < told.index("  check NAME") < told.index("  forget NAME")
    assert all(f"\n  {verb}" in told for verb in VERBS)
    assert {verb.aim for verb in VERBS.values()} | {"crawl"} == set(AIMS)


def test_a_verb_shows_its_own_options_and_no_others(project: Path) -> None:
    told = program(project, "forget", "--help").said
    assert told.startswith("usage: scrapy topic forget NAME --url URL")
    assert "--before DATE  what was last seen before" in told
    assert "-a KEY=VALUE" in told
    assert not {"--near", "--pin", "--to", "--fetch"} & set(told.split())


def test_every_option_is_of_verbs_there_are() -> None:
    assert {verb for option in OPTIONS for verb in option.verbs} <= set(VERBS)


@pytest.mark.parametrize("colon", [": ", "："])
def test_a_colon_in_a_translation_takes_no_option_from_its_verb(
    colon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.commands.options._", lambda words: f"forget{colon}{words}")
    assert "--near" in parser_of("score").format_help()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("check", "metro", "--refetch"), "--refetch is an option of scrapy topic rejudge, not of"),
        (("check", "metro", "-o", "a.csv"), "-o is an option of scrapy topic export"),
        (("check", "metro", "--wrong=1"), "no option --wrong: scrapy topic check --help"),
        (("export", "metro", "--lang", "fr"), "argument --lang: invalid choice"),
    ],
)
def test_an_option_that_a_verb_does_not_have_is_refused_with_whose_it_is(
    words: tuple[str, ...], told: str, project: Path
) -> None:
    with pytest.raises(UsageError, match=told):
        topic(*words)


def test_options_may_stand_before_the_verb(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert topic("new", "metro") == 0
    assert topic("-a", "limits.pages=7", "show", "metro") == 0
    assert "pages = 7" in capsys.readouterr().out


def test_a_verb_that_is_mistyped_is_told_with_the_nearest(project: Path) -> None:
    with pytest.raises(UsageError, match="no verb 'chek'; nearest: check"):
        topic("chek", "metro")
