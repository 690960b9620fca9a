"""Two readings of a page correct each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.readings import corrected, letter_runs, supported

pytestmark = pytest.mark.article_text

STORY = [
    "昨天下午，市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室，三楼可以借阅外文期刊。",
    "“我们等了五年，”一位退休教师说，“现在走路十分钟就能到，周末可以带着孩子来看书，真是方便多了。”",
    "图书馆每周二闭馆，其余时间从早上九点开到晚上八点，读者凭身份证就可以办理借书证，不收押金和年费。",
    "据馆长介绍，新馆的建设用了三年，屋顶的太阳能板可以供给全馆三分之一的用电，雨水用来浇灌院子里的树。",
    "新馆的一楼还有一间小小的展览室，现在展出的是本地画家六十年来的水彩画，展览到年底为止，不收门票。",
]
BESIDE = "订阅我们的晨报，每天六点送到您的邮箱，随时可以退订，我们绝不把地址交给别人，请放心填写。"
REPLY = "三楼回复：我昨天也去了，人太多，排了一个小时的队才进去，椅子也不够坐，希望以后能预约。"


def text(*lines: str) -> str:
    return "\n".join(lines)


def test_a_line_that_only_one_reading_has_is_not_of_the_text() -> None:
    careful, complete = text(*STORY[:2], BESIDE, *STORY[2:]), text(*STORY, REPLY)
    assert corrected(careful, complete) == text(*STORY)


def test_lines_that_are_broken_differently_are_the_same() -> None:
    halves = [part for line in STORY for part in (line[:20], line[20:])]
    assert corrected(text(*STORY), text(*halves)) == text(*STORY)
    assert corrected(text(*halves), text(*STORY)) == text(*halves)


def test_short_lines_stay_where_they_are() -> None:
    careful = text("一、开放", *STORY, "（完）")
    assert corrected(careful, text(*STORY)) == careful


def test_an_article_begins_with_its_first_prose_not_with_a_reply_below_it() -> None:
    complete = text("首页 论坛", "第一帖", *STORY, REPLY, "版权所有")
    assert corrected(REPLY, complete) == text(*STORY, REPLY)


def test_a_reading_that_has_nothing_in_common_with_the_prose_of_a_page_is_left() -> None:
    assert corrected("登录 注册 找回密码 这里是一个表单", text("首页", *STORY)) == text(*STORY)


def test_what_follows_an_article_does_not_make_it_late() -> None:
    complete = text("标题", *STORY[:2], *[f"{REPLY}{number}" for number in range(30)])
    assert corrected(text(*STORY[:2]), complete) == text(*STORY[:2])


def test_a_little_prose_before_a_text_is_its_surroundings() -> None:
    assert corrected(text(*STORY), text(BESIDE, *STORY)) == text(*STORY)


@given(st.text(), st.text())
def test_nothing_is_made_up_and_nothing_is_lost_to_an_empty_reading(one: str, other: str) -> None:
    careful, complete = "\n".join(one.split()), "\n".join(other.split())
    assert corrected(careful, "") == careful
    assert corrected("", complete) == complete
    lines = set(careful.split("\n")) | set(complete.split("\n"))
    assert set(corrected(careful, complete).split("\n")) <= lines | {""}
    assert supported(careful, letter_runs(careful)) == careful
