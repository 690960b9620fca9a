"""What says that it stands in front of a page, and what only tells of such things."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.withheld.walls import is_teaser, wall_in
from focuscrawl.readers.text.characters import shows
from tests.tables import each_row

CHALLENGE = "a.test\nVerifying you are human. This may take a few seconds.\na.test needs to review the security of your connection before proceeding."


@each_row(
    ("title", "text", "kind"),
    [
        ("Just a moment...", f"{CHALLENGE}\nRay ID: 8f00", "cloudflare"),
        ("Making sure you're not a bot!", "Loading...\nProtected by Anubis from Techaro.", "anubis"),
        ("a.test", "Checking your browser before accessing a.test", "challenge"),
        ("安全验证", "请拖动滑块完成验证", "challenge"),
        ("访问验证", "为了确认您是真人,请完成下面的操作。", "challenge"),
        ("提示", "您的访问过于频繁,请稍后再试", "challenge"),
        ("403", "很抱歉,由于您访问的URL有可能对网站造成安全威胁,您的访问被阻断。", "waf"),
        ("网站防火墙", "您的请求带有不合法参数,已被网站管理员设置拦截!", "waf"),
        ("Access Denied", "You don't have permission to access this. Reference #18.5", "waf"),
        ("Attention", "Sorry, you have been blocked\nYou are unable to access a.test\nCloudflare Ray ID: 9", "cloudflare"),
        ("系统维护", "系统正在升级维护,请稍后访问。", "maintenance"),
        ("维护中", "网站升级改造中,给您带来不便敬请谅解", "maintenance"),
        ("Maintenance", "Briefly unavailable for scheduled maintenance. Check back in a minute.", "maintenance"),
        ("We'll be back soon", "Sorry for the inconvenience.", "maintenance"),
        ("Before you continue to a.test", "We use cookies and data to\nReject all\nAccept all", "consent"),
        ("提示", "您已年满18周岁吗?\n是\n否", "consent"),
        ("用户登录", "用户名\n密码\n忘记密码", "log-in"),
        ("提示信息", "抱歉,您尚未登录,没有权限访问该版块", "log-in"),
        ("Sign in", "Please log in to view this page.", "log-in"),
        ("市水务局公布管网改造计划", "施工分三期进行,每期不超过四十天,夜间不停水。", ""),
        ("通知", "东湖片区的供水管道已经用了二十六年,今年要换掉的一段长四点二公里。", ""),
        ("Water works", "The old pipes are to be replaced in three steps, the office said.", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_wall_is_told_by_what_it_says(title: str, text: str, kind: str) -> None:
    assert wall_in(title, text) == kind


def test_a_page_that_says_more_has_nothing_in_front_of_it() -> None:
    assert not wall_in("Just a moment...", "水务局昨天公布了今年的管网改造计划,一共三期。" * 30)


@each_row(
    ("asked_for", "headings", "shown"),
    [
        ("系统维护公告", ["系统维护公告 - 东湖区"], True),
        ("系统维护公告", ["东湖区", "系统维护公告"], True),
        ("第三批抽检结果", ["Just a moment..."], False),
        ("", ["Just a moment..."], False),
    ],
)
def test_what_was_asked_for_is_shown(asked_for: str, headings: list[str], shown: bool) -> None:
    assert shows(asked_for, headings) is shown


@each_row(
    ("line", "is_one"),
    [
        ("登录后阅读全文", True),
        ("登录后可查看全部内容", True),
        ("开通会员,继续阅读全文", True),
        ("Subscribe to continue reading", True),
        ("Log in to read the full story", True),
        ("登录后发表评论", False),
        ("阅读全文", False),
    ],
)
def test_an_article_of_which_the_rest_is_offered_is_a_beginning(line: str, is_one: bool) -> None:
    assert is_teaser("施工分三期进行。", ["标题", "施工分三期进行。", line]) is is_one
    assert not is_teaser("施工分三期进行。" * 200, [line])


@given(st.text(max_size=300), st.text(max_size=700))
def test_any_text_is_looked_at(title: str, text: str) -> None:
    wall_in(title, text)


def test_hostile_words_cost_little() -> None:
    began = process_time()
    for word in ("系统正在", "access ", "verify check ", "请完成", "您的请求", "登录后,"):
        wall_in(word * 60, word * 140)
        is_teaser(word, [word * 40] * 50)
    assert process_time() - began < 0.5


def test_what_an_article_is_about_is_no_challenge() -> None:
    """A safety inspection has the words of a security check."""
    text = "市场监管部门对全市三百家餐饮单位开展食品安全检查。检查结果将于下周公布。"
    assert wall_in("全市开展节前食品安全检查", text) == ""
    assert wall_in("安全验证", "安全检查中") == "challenge"
