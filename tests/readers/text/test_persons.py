"""Names of persons are told from the everyday words that begin as they do."""

from __future__ import annotations

from focuscrawl.readers.text.persons import are_persons, unspread
from tests.tables import each_row


@each_row(
    ("spread", "text"),
    [
        ("张 三", "张三"),
        ("张 三 丰", "张三丰"),
        ("张 三 李 四", "张三 李四"),
        ("文/图 韦 一 唐小满", "文/图 韦一 唐小满"),
        ("作 者：张 三", "作者：张三"),
        ("张三丰 李四光", "张三丰 李四光"),
        ("a b 张 c", "a b 张 c"),
    ],
)
def test_characters_that_stand_apart_are_put_together(spread: str, text: str) -> None:
    assert unspread(spread) == text


@each_row(
    "text", ["张三", "张三丰", "欧阳三丰", "张三丰 李四", "张三、风四娘", "李四，韦一", "任大为"]
)
def test_surnames_begin_names(text: str) -> None:
    assert are_persons(text)


@each_row(
    "text",
    ["", "高考", "文化", "万元", "石家庄", "张家口", "江苏省", "王国", "周报", "任何人", "吴先生", "李经理", "读书", "张三丰来了", "中国·沿江", "黄河路", "张"],
)  # fmt: skip
def test_everyday_words_and_places_are_no_names(text: str) -> None:
    assert not are_persons(text)
