"""The words of a report, in both languages."""

from __future__ import annotations

import re
from importlib.resources import files

from focuscrawl.features.withheld.walls import WALLS
from focuscrawl.output.report.forms.words import Vocabulary, catalogue, needs_in_short
from focuscrawl.output.summary.advice import KINDS, WHY_SILENT
from focuscrawl.output.summary.summary import END_SENTENCES
from focuscrawl.values import Finding, PageClass
from tests.clock import NOON
from tests.tables import each_row


def test_each_word_is_there_in_both_languages_and_takes_the_same_values() -> None:
    for group, words in catalogue().items():
        for word, said in words.items():
            assert len(said) == 2, f"{group}.{word}"
            assert all(one.strip() for one in said), f"{group}.{word}"
            fields = [sorted(re.findall(r"\{(\w+)\}", one)) for one in said]
            assert fields[0] == fields[1], f"{group}.{word}"


def test_no_word_that_a_crawl_may_say_is_missing() -> None:
    assert {one.value for one in PageClass} <= catalogue()["class"].keys()
    assert END_SENTENCES.keys() <= catalogue()["end"].keys() & catalogue()["ended"].keys()
    advice, reasons = catalogue()["advice"], catalogue()["reason"]
    assert KINDS.keys() == catalogue()["needs"].keys() <= advice.keys()
    own = {name.partition("_")[2] for name in advice.keys() - KINDS.keys() if "_" in name}
    assert own <= reasons.keys(), "what helps of a cause goes with the words of that cause"
    assert WHY_SILENT.keys() <= reasons.keys()
    assert {kind for kind, _ in WALLS} | {"log-in"} <= reasons.keys()


def test_a_message_says_of_each_thing_where_it_is_why_and_what_helps() -> None:
    found = [
        Finding("dead", 5, ["http://a.cn/", "http://b.cn/"], "robots.txt: no answer"),
        Finding("silent", 1, ["http://c.cn/"], "robots"),
        Finding("withheld", 1, ["http://d.cn/"], "d.cn (challenge)"),
        Finding("words", 310, [], "盾构"),
    ]
    assert needs_in_short(found, "zh") == [
        "未能取得的来源：http://a.cn/、http://b.cn/ 等，另有 3 项（网站没有应答） → 下次运行会再试；若一直如此，请改正地址",
        "没有任何收获的来源：http://c.cn/（robots.txt 禁止抓取） → 征得网站同意；在允许的情况下可设 politeness.robots = false",
        "需要登录或验证的网页：http://d.cn/（验证码或安全验证） → 下次运行会再试；可延长 politeness.delay，或改用其订阅源",
        "任何网页都没有的词：盾构 → 对照文章的实际写法",
    ]
    assert needs_in_short(found, "en")[0] == (
        "sources that could not be fetched: http://a.cn/, http://b.cn/ and 3 more (the site does not answer)"
        " → asked again with the next run; if it stays so, correct the address"
    )


def test_all_words_that_code_asks_for_are_there() -> None:
    root = files("focuscrawl.output.report")
    texts = [
        one.read_text("utf-8")
        for folder in (root, root / "forms", root / "questions")
        for one in folder.iterdir()
        if one.name.endswith((".py", ".html"))
    ]
    asked = {
        pair
        for text in texts
        for pair in re.findall(r"""(?:say|Term)\(\s*["'](\w+)["'],\s*["'](\w+)["']""", text)
    }
    assert len(asked) > 12
    missing = [pair for pair in asked if pair[1] not in catalogue().get(pair[0], {})]
    assert not missing


@each_row(
    ("seconds", "said"),
    [
        (0.05, "0.05 s"),
        (2, "2 s"),
        (75, "1 min 15 s"),
        (7200, "2 h"),
        (90_061, "1 d 1 h"),
        (86_400 * 3 + 5, "3 d"),
    ],
)
def test_a_length_of_time_is_told_in_its_two_largest_units(seconds: float, said: str) -> None:
    assert Vocabulary("en", "UTC", NOON).span(seconds) == said


def test_times_are_those_of_the_topics_zone_and_have_a_year_only_when_it_is_another() -> None:
    chinese, english = Vocabulary("zh", "Asia/Shanghai", NOON), Vocabulary("en", "UTC", NOON)
    assert chinese.moment(NOON) == "11月20日 12:00"
    assert english.moment(NOON) == "20 Nov 04:00"
    assert english.moment(NOON - 400 * 86400) == "16 Oct 2025 04:00"
    assert english.moment(1e18) == "–"
    assert Vocabulary("en", "No/Where", NOON).moment(NOON) == "20 Nov 04:00"


def test_a_word_that_the_catalogue_does_not_have_is_shown_as_it_is() -> None:
    assert Vocabulary("zh", "UTC", NOON).say("outcome", "mine") == "mine"
