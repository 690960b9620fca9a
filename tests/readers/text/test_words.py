"""Words are cut the same by both engines, and what both break to pieces stays whole."""

import logging
import subprocess
import sys
import time
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.readers.text.words import EngineName, Name, Splitter, narrowed, read_entry, splitter
from tests.tables import each_row

pytestmark = pytest.mark.D2

FAST, PLAIN = Splitter(), Splitter(engine="jieba")
ENGINES: dict[EngineName, Splitter] = {"rjieba": FAST, "jieba": PLAIN}

NEWS = """成都地铁18号线三期工程昨日全线贯通。记者从市住建局获悉，该工程全长约13公里，共设8座车站，预计明年年底开通试运营。
盾构机“天府一号”在复杂的砂卵石地层中掘进了四百多天，项目负责人表示，施工期间沉降控制在三毫米以内，沿线居民的生活没有受到影响。
市民张女士告诉记者，线路开通以后，她从天府新区到火车南站只要二十分钟，比现在坐公交车节省一半以上的时间。"""


@each_row("engine", ["rjieba", "jieba"])
@each_row(
    ("text", "words"),
    [
        ("我来到北京清华大学", ["我", "来到", "北京", "清华大学"]),
        ("他买了C++和C#的书", ["他", "买", "了", "c++", "和", "c#", "的", "书"]),
        ("GDP增长3.5%，达1,000.50亿元", ["gdp", "增长", "3.5%", "达", "1,000.50", "亿元"]),
        ("ＧＤＰ增长３．５％", ["gdp", "增长", "3.5%"]),
        ("歼击机F-35与AT&T公司", ["歼击机", "f-35", "与", "at&t", "公司"]),
        ("China’s café doesn't close", ["china", "café", "doesn't", "close"]),
        ("记者在Москва和Zürich采访", ["记者", "在", "москва", "和", "zürich", "采访"]),
        ("iPhone15于2026年发布", ["iphone15", "于", "2026", "年", "发布"]),
        ("见 www.example.cn/a", ["见", "www.example.cn", "a"]),
        ("—— “”，。 \n\t…", []),
        ("", []),
        ("a\x00b\x00", ["a", "b"]),
        ("成都\ud83d地铁\udc00", ["成都", "地铁"]),
        ("𠮷野家", ["𠮷", "野家"]),
    ],
)
def test_mixed_text_becomes_the_words_a_reader_sees(
    engine: EngineName, text: str, words: list[str]
) -> None:
    assert ENGINES[engine].cut(text) == words


def test_both_engines_cut_news_alike() -> None:
    assert FAST.cut(NEWS) == PLAIN.cut(NEWS)
    assert len(FAST.cut(NEWS)) > 80


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="成都地铁的新线C+#1,.%-'_&aé Ж，\n\x00３\ud800", max_size=60))
def test_whatever_the_text_no_letter_is_lost_and_the_engines_agree_on_the_rest(text: str) -> None:
    fast, plain = FAST.cut(text), PLAIN.cut(text)

    def letters(words: list[str] | str) -> str:
        return "".join(filter(str.isalnum, "".join(words)))

    whole = letters(narrowed(text).lower())
    assert letters(fast) == letters(plain) == whole
    assert all(word == word.lower() and word for word in fast)


@pytest.mark.parametrize("engine", ["rjieba", "jieba"])
def test_names_of_the_topic_stay_whole(engine: EngineName) -> None:
    text = "主播张鱼哥在B站和New York看node.js"
    assert not {"b站", "new york"} & set(ENGINES[engine].cut(text))
    own = Splitter(["张鱼哥", "B站", "New York", "区块链金融 1"], engine)
    assert own.cut(text) == ["主播", "张鱼哥", "在", "b站", "和", "new york", "看", "node.js"]
    assert own.cut("AB站") == ["ab", "站"]  # no part of a longer Latin word
    assert own.cut("发展区块链金融业务") == ["发展", "区块链金融", "业务"]


HOSTILE = [
    "1" + ",000" * 50_000 + ",00",
    "a+" * 90_000,
    "1%" * 90_000,
    "a" * 200_000 + "é",
    "aé" * 90_000,
]


@pytest.mark.timed
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:4])
def test_a_text_made_to_take_long_is_cut_in_one_pass(text: str) -> None:
    own = Splitter(["New York", "F-35"])
    own.cut("")
    started = process_time()
    FAST.cut(text)
    own.cut(text)
    assert process_time() - started < 3  # looked through again and again it takes minutes


def test_a_dictionary_of_one_topic_is_not_anothers() -> None:
    Splitter(["摇钱树下"]).cut("摇钱树下")
    assert FAST.cut("摇钱树下") == ["摇钱树", "下"]


@each_row(
    ("line", "name"),
    [
        ("张鱼哥", Name("张鱼哥")),
        ("云计算 5", Name("云计算", 5)),
        ("云计算 5 n", Name("云计算", 5)),
        ("凱特琳 nz", Name("凱特琳")),
        ("open source", Name("open source")),
        ("Model 3", Name("Model", 3)),  # as jieba reads it
    ],
)
def test_lines_of_a_jieba_user_dictionary_are_read(line: str, name: Name) -> None:
    assert read_entry(line) == name


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        read_entry("  ")


def test_the_engine_names_what_words_depend_on() -> None:
    assert Splitter().engine == "words 1, rjieba 0.2.2"
    assert Splitter(engine="jieba").engine == "words 1, jieba 0.42.1"
    one, same, other = Splitter(["甲", "乙 3"]), Splitter(["乙 3", "甲"]), Splitter(["甲", "乙"])
    assert one.engine == same.engine != other.engine


def test_a_splitter_is_made_once() -> None:
    assert splitter(("张鱼哥",)) is splitter(("张鱼哥",)) is not splitter()


LATE = """
import sys
from focuscrawl.readers.text.words import Splitter
assert not {"jieba", "rjieba"} & set(sys.modules)
assert Splitter().cut("成都地铁") == ["成都", "地铁"]
assert "jieba" not in sys.modules
"""
WITHOUT_THE_FAST_ENGINE = """
import sys
sys.modules["rjieba"] = None
from focuscrawl.readers.text.words import Splitter
one = Splitter()
assert one.engine.startswith("words 1, jieba "), one.engine
assert one.cut("成都地铁") == ["成都", "地铁"]
"""


@pytest.mark.program
@pytest.mark.parametrize("program", [LATE, WITHOUT_THE_FAST_ENGINE])
def test_engines_are_loaded_late_say_nothing_and_leave_no_file(
    program: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        env={"TMPDIR": str(tmp_path), "PATH": ""},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_jieba_writes_no_lines_of_its_own() -> None:
    PLAIN.cut("成都")
    assert logging.getLogger("jieba").handlers == []


@pytest.mark.timed
@pytest.mark.parametrize("run", ["a", "1", "a1", "1.", "a'", "1,", "é"])
@pytest.mark.parametrize("foreign", ["", "é"])
def test_a_hostile_run_of_letters_is_cut_in_no_time(run: str, foreign: str) -> None:
    begun = time.process_time()
    splitter().cut(run * 10_000 + foreign)
    assert time.process_time() - begun < 1.0


def test_a_long_text_is_cut_anew_when_it_is_another_one() -> None:
    splitter = Splitter()
    one, other = "四川食品安全抽检。" * 20, "成都地铁开通运营。" * 20
    first = splitter.cut(one)
    first.append("changed by its owner")
    assert splitter.cut(one) == first[:-1]
    assert splitter.cut(other) == Splitter().cut(other) != first
