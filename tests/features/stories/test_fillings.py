"""Two fillings of one form: each differs from the other by a word, and both are kept."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.stories.copies import PieceCounts
from focuscrawl.features.stories.events import DocumentCounts
from focuscrawl.features.stories.fillings import MOST_UNITS, are_two_fillings, filled_form
from focuscrawl.features.stories.matches import Drawn, copy_among, draw_words
from focuscrawl.stores.state.protocol import StoryArticle
from tests.features.stories.desk import CUT, NOW, RULES
from tests.tables import each_row

pytestmark = pytest.mark.D2

WATER = (
    "供水管道检修停水公告\n因供水管道检修,定于{day}22时至次日6时对{place}小区停水,影响范围为小区内全部住宅和商铺。\n"
    "请广大用户提前做好储水准备,恢复供水初期水质可能发黄,{may}直接饮用,由此带来不便敬请谅解。\n"
    "联系人:{name}"
)
FIRST = {"day": "11月21日", "place": "江心里", "may": "不可", "name": "陈立"}
TEXT = WATER.format(**FIRST)


def filled(**other: str) -> str:
    return WATER.format(**(FIRST | other))


@each_row(
    ("other", "are_two"),
    [
        (filled(day="11月28日"), True),
        (filled(day="12月3日"), True),
        (filled(place="滨江花园三期"), True),
        (filled(name="欧阳建国"), True),
        (filled(may="可以"), True),
        (filled(may="可"), True),
        (filled(day="11月28日", place="湖滨", name="周舟"), True),
        (TEXT, False),
        (TEXT.replace(",", "、 "), False),
        (TEXT + "\n相关新闻:市水务局昨天公布了今年的管网改造计划,一共三期。", False),
        (
            TEXT.replace("\n请广大用户", "\n据本报了解,这已经是本月的第三次检修。\n请广大用户"),
            False,
        ),
        (filled(day="11月28日") + "\n另外,本周末的检修改在下周进行,具体时间另行通知。", False),
        (TEXT + "\n阅读:1325次", False),
        (TEXT.replace("因供水", "记者获悉,因供水"), False),
    ],
)
def test_a_word_in_the_place_of_another_makes_two_and_a_passage_more_does_not(
    other: str, are_two: bool
) -> None:
    one, two = filled_form("a.test", "", TEXT), filled_form("a.test", "", other)
    assert are_two_fillings(one, two) is are_two
    assert are_two_fillings(two, one) is are_two


RULES_OF_TENDERS = "\n".join(
    f"第{number}条 投标人应当在开标前第{number + 3}日提交第{number}类材料,逾期不予受理,由此产生的后果自行承担;"
    f"采购人可以要求投标人说明材料{number}的来源,并在{number + 9}日内答复。"
    for number in range(1, 80)
)
LONG = f"采购项目名称:{{name}}\n{RULES_OF_TENDERS}\n本项目预算金额为{{sum}}万元,{{may}}联合体投标。"
BRIDGE = {"name": "江心大桥照明", "sum": "48", "may": "不接受"}


@each_row(
    ("other", "are_two"),
    [
        (LONG.format(**BRIDGE | {"name": "滨江公园绿化养护"}), True),
        (LONG.format(**BRIDGE | {"sum": "52"}), True),
        (LONG.format(**BRIDGE | {"may": "接受"}), True),
        (LONG.format(**BRIDGE).replace(",", "，"), False),
        (LONG.format(**BRIDGE) + "\n相关阅读:市里公布了今年的采购计划,一共三批。", False),
        (
            LONG.format(**BRIDGE | {"sum": "52"})
            + "\n记者从市里获悉,采购计划已经公布,一共三批,明年还有两批。",
            False,
        ),
        (LONG.format(**BRIDGE) + "\n阅读:1325次", False),
    ],
)
def test_long_notices_of_one_form_are_told_apart_as_short_ones_are(
    other: str, are_two: bool
) -> None:
    text = LONG.format(**BRIDGE)
    assert len(text) > 1.5 * MOST_UNITS
    one, two = filled_form("a.test", "", text), filled_form("a.test", "", other)
    assert are_two_fillings(one, two) is are_two
    assert are_two_fillings(two, one) is are_two


@each_row("text", [TEXT, LONG.format(**BRIDGE)])
@each_row(
    ("title", "are_two"),
    [
        ("关于江心里小区停水的公告", False),
        ("关于滨江花园停水的公告", True),
        ("关于江心里小区不停水的公告", True),
        ("【公告】关于江心里小区停水的公告", False),
        ("关于江心里小区停水的公告 阅读:1325次", False),
        ("市水务局网站", False),
        ("", False),
    ],
)
def test_notices_whose_titles_alone_differ_are_two(text: str, title: str, are_two: bool) -> None:
    one = filled_form("a.test", "关于江心里小区停水的公告", text)
    two = filled_form("a.test", title, text)
    assert are_two_fillings(one, two) is are_two
    assert are_two_fillings(two, one) is are_two


def test_what_a_page_says_of_itself_is_no_filling() -> None:
    one = filled_form("a.test", "", f"{TEXT}\n阅读:1325次\n发布时间:2026-11-18 08:00\n3小时前")
    other = filled_form("a.test", "", f"{TEXT}\n阅读:7次\n发布时间:2026-11-19 09:30\n1天前")
    assert not are_two_fillings(one, other)


def test_texts_of_two_sites_are_no_fillings_of_one_form() -> None:
    other = filled(day="11月28日")
    assert not are_two_fillings(filled_form("a.test", "", TEXT), filled_form("b.test", "", other))
    assert not are_two_fillings(filled_form("", "", TEXT), filled_form("", "", other))


@given(st.text("不一二三四\n", max_size=200), st.text("不一二三四\n", max_size=200))
def test_it_does_not_matter_which_comes_first_for_a_text_and_itself(one: str, other: str) -> None:
    first, second = filled_form("a.test", "", one), filled_form("a.test", "", other)
    assert not are_two_fillings(first, first)
    are_two_fillings(first, second)
    are_two_fillings(second, first)


def test_of_two_fillings_neither_is_a_copy_and_what_another_site_makes_of_one_is() -> None:
    def drawn(site: str, text: str) -> Drawn:
        return draw_words("停水公告", text, RULES, DocumentCounts(), CUT, site)

    def is_copy(one: Drawn, other: Drawn) -> bool:
        article = StoryArticle(1, b"", NOW, "", "", "", 0.0, "", other.sketch.packed())
        return copy_among(one, [article], PieceCounts(), RULES) is not None

    more = TEXT + "\n相关新闻:市水务局昨天公布了今年的管网改造计划,一共三期。"
    assert not is_copy(drawn("a.test", TEXT), drawn("a.test", filled(day="11月28日")))
    assert is_copy(drawn("a.test", TEXT), drawn("b.test", filled(day="11月28日")))
    assert is_copy(drawn("a.test", TEXT), drawn("a.test", more))
    assert is_copy(drawn("a.test", TEXT), drawn("a.test", TEXT))


def test_hostile_texts_cost_little() -> None:
    one = filled_form("a.test", "", "".join("甲乙丙"[n % 3] for n in range(2_900)))
    other = filled_form("a.test", "", "".join("甲丙乙"[n % 3] for n in range(2_900)))
    began = process_time()
    are_two_fillings(one, other)
    assert process_time() - began < 0.5
