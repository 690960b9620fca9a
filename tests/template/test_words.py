"""Word groups: what is found in a page, whatever the spelling."""

import logging
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.template.kinds import words as words_module
from focuscrawl.template.kinds.words import (
    Group,
    WordError,
    Words,
    fold,
    fold_text,
    parse_group,
    several_words,
    spellings,
    with_bars,
)
from tests.tables import each_row

pytestmark = pytest.mark.C1


@each_row(
    "text",
    [
        "地铁建设", "地 铁 建 设", "地鐵建設", "地　鐵\u00a0建設", "在地铁建设中", "地\u200b铁建设",
    ],
)  # fmt: skip
def test_script_and_inner_spaces_do_not_matter(text: str) -> None:
    assert Words(["地铁建设"]).count(text) == {"地铁建设": 1}
    assert Words(["地鐵 建設"]).count(text) == {"地鐵 建設": 1}


@each_row("text", ["bim", "BIM", "ＢＩＭ", "用bim建模", "(Bim)", "BIM-5", "BIM："])
def test_case_and_width_do_not_matter_and_chinese_ends_a_latin_word(text: str) -> None:
    assert Words(["BIM"]).count(text) == {"BIM": 1}


@each_row("text", ["bims", "abim", "5bim", "bim5", "ｂｉｍｓ", "b im", "bímbim"])
def test_latin_words_are_found_whole(text: str) -> None:
    assert not Words(["bim"]).count(text)


def test_spaces_between_latin_words_are_needed_but_their_number_is_not() -> None:
    words = Words(["tunnel boring"])
    assert words.count("Tunnel   boring, tunnel\u3000boring") == {"tunnel boring": 2}
    assert not words.count("tunnelboring")


@each_row("text", ["地铁\n建设", "地铁。建设", "地         铁建设", "地铁建", ""])
def test_a_line_break_or_another_sign_ends_a_word(text: str) -> None:
    assert not Words(["地铁建设"]).count(text)


def test_synonyms_are_counted_each_also_where_they_overlap() -> None:
    words = Words(["地铁|地铁建设^2", "建设", "铁建"])
    assert words.count("地铁建设，地铁") == {"地铁": 2, "地铁建设": 1, "建设": 1, "铁建": 1}
    assert words.groups_found("中铁建") == {2}
    assert words.groups_found("地铁", "建设") == {0, 1}


def test_a_latin_synonym_inside_a_longer_one_counts_only_as_a_whole_word() -> None:
    words = Words(["metro", "metro line", "metro 2号线"])
    assert words.count("metro line") == {"metro": 1, "metro line": 1}
    assert words.count("metro2号线") == {}
    assert words.count("metro 2号线") == {"metro": 1, "metro 2号线": 1}


def test_one_synonym_in_two_groups_finds_both_and_counts_once() -> None:
    words = Words(["成都|绵阳", "成都|地铁"])
    assert words.groups_found("成都") == {0, 1}
    assert words.count("成都成都") == {"成都": 2}


def test_a_single_character_is_found_in_each_spelling() -> None:
    assert Words(["铁"]).count("鐵铁铁") == {"铁": 3}
    assert Words(["5"]).count("5 15 ５") == {"5": 2}


def test_a_star_stands_for_up_to_twenty_characters_of_a_line() -> None:
    words = Words(["邮*箱"])
    assert words.count("邮箱 邮 箱 邮政的信箱") == {"邮*箱": 3}
    assert words.count(f"邮{'一' * 20}箱")
    assert not words.count(f"邮{'一' * 21}箱")
    assert not words.count("邮\n箱")


def test_a_star_at_the_end_finds_longer_latin_words() -> None:
    assert Words(["metro*"]).count("metropolis") == {"metro*": 1}
    assert not Words(["metro*"]).count("ametro")


def test_doubled_signs_are_themselves() -> None:
    assert Words(["C**||^^^3"]).count("c*|^") == {"C**||^^": 1}
    assert Words(["@@地铁"]).count("@地铁") == {"@@地铁": 1}
    assert Words(["@地铁"]).count("@地铁，地铁") == {"@地铁": 1}


def test_a_regular_expression_is_a_group() -> None:
    words = Words([r"re:第\d+号线^2.5", "地铁"])
    assert words.groups[0].weight == 2.5
    assert words.groups[1].weight == 1.0, "which says nothing of its weight"
    assert words.count("第6号线和第17号线") == {r"re:第\d+号线": 2}


def test_an_endless_regular_expression_is_switched_off_with_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words_module, "TIME_LIMIT", 0.05)
    words = Words(["re:(a|aa)+$", "地铁"])
    hostile = "a" * 40 + "b 地铁"
    assert words.count("地铁 aa") == {"re:(a|aa)+$": 1, "地铁": 1}
    with caplog.at_level(logging.WARNING):
        assert words.count(hostile) == {"地铁": 1}
        assert words.count("地铁 aa") == {"地铁": 1}, "what was switched off finds nothing any more"
        assert words.count(hostile) == {"地铁": 1}
    assert [one.getMessage() for one in caplog.records if "re:(a|aa)+$" in one.getMessage()] == [
        "re:(a|aa)+$ took more than 0.05 s for one text of 44 characters: switched off for this run"
    ]


@pytest.mark.timed
@pytest.mark.parametrize(
    "hostile", ["邮" * 20_000, "邮 " * 20_000, "地" + " " * 100_000, "a" * 50_000]
)
def test_hostile_pages_take_no_time(hostile: str) -> None:
    words = Words(["邮*箱", "地铁", "邮*政*信*箱", "aaaa"])
    started = time.process_time()
    words.count(hostile)
    assert time.process_time() - started < 2


@pytest.mark.timed
def test_a_page_is_read_in_microseconds() -> None:
    words = Words(["地铁^3", "轨道交通|城轨|盾构", "换乘站|延长线", "成都|绵阳", "metro|subway"])
    # Words of other topics, a word of this one now and then, and bait: first characters alone.
    page = (
        "市民走进公园看花，地上铺满落叶；孩子们在广场放风筝。交警提醒车辆绕行，成群的鸟飞过。" * 148
    )
    page = (page + "成都地铁换乘站今天开通。")[-6000:]
    best = min(timed(words, page) for _ in range(20))
    assert best < 0.0005, "ten times what is aimed at, for busy machines"


def timed(words: Words, page: str) -> float:
    """CPU seconds of one page, in which what else runs here is not."""
    started = time.process_time()
    assert words.count(page) == {"成都": 1, "地铁": 1, "换乘站": 1}
    return time.process_time() - started


@each_row(
    ("entry", "part"),
    [
        ("地铁||", ""), ("地铁|", "empty synonym"), ("|地铁", "empty synonym"), ("", "empty synonym"),
        ("^2", "empty synonym"), ("地铁^2|城轨", "at the end of the group"), ("地铁^", "weight"),
        ("地铁|re:城轨", "a whole group"), ("re:(", "not a regular expression"), ("*", "empty"),
        ("地铁* *城轨", "two \\* in a row"),
    ],
)  # fmt: skip
def test_groups_that_cannot_be_read_are_refused_with_advice(entry: str, part: str) -> None:
    if not part:
        assert parse_group(entry).synonyms[0].parts == ("地铁|",)
        return
    with pytest.raises(WordError, match=part):
        parse_group(entry)


def test_a_group_is_split_into_synonyms_and_weight() -> None:
    group = parse_group(" 地铁 | 城轨 ^1.5")
    assert isinstance(group, Group)
    assert [synonym.written for synonym in group.synonyms] == ["地铁", "城轨"]
    assert group.weight == 1.5
    assert group.name == "地铁"


def test_no_groups_are_false_and_find_nothing() -> None:
    assert not Words()
    assert Words().count("地铁") == {}
    assert Words(["地铁"])


# Rules

CHARACTERS = "地铁鐵成都建設设发發髮ａA1 后後后"
TEXTS = st.text(CHARACTERS, max_size=30)
CHINESE = st.text("地铁鐵成都建設设发發后後", min_size=1, max_size=4)


@given(st.lists(CHINESE, min_size=1, max_size=5, unique=True), TEXTS)
def test_chinese_words_are_counted_as_a_plain_search_would(words: list[str], text: str) -> None:
    plain = fold_text(text)
    expected = {
        word: times
        for word in words
        if (times := len(re.findall(f"(?={re.escape(fold_text(word))})", plain)))
    }
    found = Words(words).count(text)
    assert {fold_text(word): times for word, times in found.items()} == {
        fold_text(word): times for word, times in expected.items()
    }


@given(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]))
def test_every_spelling_of_a_character_folds_to_the_same(character: str) -> None:
    same = spellings(character)
    assert character in same or fold(character) == " "
    assert {fold(one) for one in same} <= {fold(character)}


def test_traditional_and_simplified_are_one() -> None:
    assert fold("發") == fold("髮") == fold("发") == "发"
    assert set("发發髮") <= set(spellings("發"))
    assert spellings("a") == "AaＡａ"


@given(TEXTS)
def test_a_quick_look_misses_nothing(text: str) -> None:
    for words in (Words(["地铁建设|成都", "铁"]), Words(["后*发", "A1", "a a"]), Words()):
        assert words.may_hit(text) or not words.hits(text)


def test_a_quick_look_passes_over_what_holds_no_word() -> None:
    words = Words(["食品安全", "BIM"])
    assert not words.may_hit("第12条消息 http://a.cn/album/1.html")
    assert words.may_hit("食 品安全")
    assert words.may_hit("ＢＩＭ")
    assert not Words().may_hit("食品安全")


@each_row(
    ("written", "meant"),
    [
        ("流计祘，软件", "流计祘|软件"),
        ("地铁、城轨；轻轨^2", "地铁|城轨|轻轨^2"),
        ("地铁 城轨　轻轨 ^1.5", "地铁|城轨|轻轨^1.5"),
        ("地铁,城轨; 轻轨", "地铁|城轨|轻轨"),
        ("盾构|地铁 城轨", "盾构|地铁|城轨"),
        ("subway，metro", "subway|metro"),
    ],
)
def test_words_separated_by_signs_of_a_text_are_written_with_bars(written: str, meant: str) -> None:
    assert with_bars(written) == meant
    assert several_words(written) == meant.partition("^")[0].split("|")


@each_row(
    "right",
    [
        "地铁|城轨^2",
        "food safety",
        "1,000",
        "iPhone 手机",
        "电　话",
        "公 司 名 称|单位",
        "re:地铁 城轨",
        "subway, metro",
        "C++",
        "，",
        "",
    ],
)
def test_phrases_with_spaces_are_left_as_they_are(right: str) -> None:
    assert several_words(right) == []
    assert with_bars(right) == right


@given(st.text("地铁ab ，、；,|^2", max_size=20))
def test_what_is_written_as_it_is_meant_is_asked_about_no_more(entry: str) -> None:
    once = with_bars(entry)
    assert with_bars(once) == once
