"""Text is cut into pairs of characters so that an index finds Chinese words of any length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.text.characters import pairs, phrases, simplified
from tests.tables import each_row


@each_row(
    ("text", "cut"),
    [
        ("四川成都", "四川 川成 成都 都"),
        ("成", "成"),
        ("四川。成都", "四川 川 成都 都"),
        ("ＡＢＣ食品ABC", "abc 食品 品 abc"),
        ("ラーメン", "ラー ーメ メン ン"),
        ("price 12,5", "price 12 5"),
        (" \n。！", ""),
    ],
)
def test_runs_of_characters_become_pairs_and_words_stay_whole(text: str, cut: str) -> None:
    assert pairs(text) == cut


def test_each_word_of_a_query_is_a_phrase() -> None:
    assert phrases("食品安全 成都 X") == [["食品", "品安", "安全"], ["成都"], ["x"]]
    assert phrases("川") == [["川"]]
    assert phrases("…  ！") == []


@given(st.text("四川成都食品安全a1 ，", max_size=12), st.text("四川成都食品安全a1 ，", max_size=12))
def test_what_stands_in_a_text_is_found_as_a_row_of_its_pairs(before: str, after: str) -> None:
    found = pairs(f"{before}，抽检不合格，{after}").split()
    (phrase,) = phrases("抽检不合格")
    starts = [at for at, word in enumerate(found) if word == phrase[0]]
    assert any(found[at : at + len(phrase)] == phrase for at in starts)


@each_row(
    ("written", "folded"),
    [
        ("發髮后後裡裏", "发发后后里里"),
        ("衞敍糭", "卫叙粽"),  # as Hong Kong writes them
        ("著名什么", "著名什么"),  # of GB 2312: words of the mainland, whatever Taiwan writes
    ],
)
def test_characters_of_every_region_have_their_simplified_one(written: str, folded: str) -> None:
    assert "".join(simplified().get(character, character) for character in written) == folded
