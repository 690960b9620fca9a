"""By how much two texts differ, and in which sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.change.comparison import LARGEST_DIFF, is_much, sentence_diff
from tests.tables import each_row


@each_row(
    ("after", "much"),
    [
        ("甲店昨日被查出问题,罚款五万元。乙店的抽检结果全部合格,没有发现问题。", False),
        ("乙店的抽检结果全部合格,没有发现问题。甲店昨日被查出问题,罚款三万元。", False),
        ("甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。责任编辑:南星。来源:晚报。", False),
        ("甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。另有三人因食物中毒住院观察。", False),
        ("甲店昨日被查出问题,罚款三万元。", False),
        ("今天凌晨全市范围内突降大雨。地铁一号线因此停运了两个小时。", True),
    ],
)  # fmt: skip
def test_edited_moved_and_short_lines_are_not_much_but_two_whole_sentences_are(
    after: str, much: bool
) -> None:
    before = "甲店昨日被查出问题,罚款三万元。乙店的抽检结果全部合格,没有发现问题。"
    assert is_much(before, after) is much
    assert is_much(after, before) is much
    assert not is_much(after, after)


def test_texts_that_have_little_in_common_are_told_apart_at_once() -> None:
    one, other = (
        "".join(f"第{n}段{letter * 40}。" for n in range(1_000)) for letter in ("甲", "乙")
    )
    assert is_much(one, other)


@given(st.text(max_size=200), st.text(max_size=200))
def test_differences_are_by_sentence(before: str, after: str) -> None:
    assert not sentence_diff(before, before)
    lines = sentence_diff(before, after).split("\n")
    assert all(line[:1] in {"", "+", "-", " ", "@"} for line in lines)


def test_differences_are_bounded() -> None:
    many = "".join(f"第{n}句在这里。" for n in range(3_000))
    assert sentence_diff(many, many + "再一句。") == "", "too many to compare"
    long = "\n".join(f"{n}" + "长" * 900 for n in range(100))
    assert 0 < len(sentence_diff(long, "").encode()) <= LARGEST_DIFF
