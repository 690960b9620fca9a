import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.boilerplate import trimmed
from tests.tables import each_row

pytestmark = pytest.mark.advertisements

BODY = "四川省市场监管局昨天通报，本月抽检的一百二十批次食品中有三批次不合格，已经全部下架召回，涉事企业已被立案调查，处理结果将向社会公布。"


@each_row(
    "before",
    [
        "首页 > 四川 > 食品安全",
        "您的位置：首页 > 新闻",
        "三批次食品不合格",
        "来源：本报 2026-05-02 10:30",
        "2026年05月02日 10:30 来源：本报",
        "作者：本报评论员",
    ],
)
def test_lines_above_the_text_go(before: str) -> None:
    assert trimmed(f"{before}\n{BODY}", "三批次食品不合格") == BODY


@pytest.mark.parametrize(
    "last", ["评论员说，这样的处罚太轻", "分享会在明天举行", "全文收藏在县档案馆"]
)
def test_a_last_line_that_says_something_else_stays(last: str) -> None:
    assert trimmed(f"{BODY}\n{last}。", "标题").endswith(f"{last}。")


@each_row(
    "after",
    [
        "1 2 3 4 下一页",
        "第1页 共3页 下一页",
        "[1] [2] [3]\n全文阅读",
        "责任编辑：青禾",
        "（编辑：青禾）\n1 2",
        "版权所有 © 2004-2026 某某网 备案号 1234",
        "责任编辑：青禾\nCopyright 2026 某某网",
        "相关阅读\n某地开展专项检查\n又一批次不合格",
        "责任编辑：青禾\n相关新闻：\n某地开展专项检查",
        "责任编辑：青禾\n评论(18) 点赞 343 收藏 90 分享到：微信 微博",
        "分享到：QQ空间 新浪微博 朋友圈 | 打印 | 举报",
        "Share Facebook Twitter 12 comments",
        "平台声明：该文观点仅代表作者本人，某某号系信息发布平台，某某仅提供信息存储空间服务。",
        "特别声明：以上内容(如有图片或视频亦包括在内)为自媒体平台用户上传并发布，本平台仅提供信息存储服务。",
        "本文为某某号作者或机构在某某新闻上传并发布，仅代表该作者或机构观点，不代表某某新闻的观点或立场。",
        "免责声明：本文来自网络，不代表本站立场，如有侵权请联系删除。\n责任编辑：青禾",
        "Notice: The content above is uploaded and posted by a user of Some Hao, which is a social media platform and only provides information storage services.",
        "展开全文",
        "返回某某，查看更多",
        "点击展开剩余 62%",
    ],
)
def test_lines_below_the_text_go(after: str) -> None:
    assert trimmed(f"{BODY}\n{after}", "标题") == BODY


@each_row(
    "text",
    [
        f"{BODY}\n2026年，检查还将继续，{BODY}",
        f"{BODY}\n相关阅读\n{BODY}",
        "责任编辑：青禾",
        "1 2 3",
        f"作者：青禾说，{BODY}\n{BODY}",
        "",
    ],
)
def test_sentences_stay_and_a_text_is_never_emptied(text: str) -> None:
    assert trimmed(text, "标题") == text


@given(st.text(alphabet="首页>：责任编辑1 2\n下一相关阅读食品", max_size=200), st.text(max_size=10))
def test_what_is_left_is_a_run_of_the_lines(text: str, title: str) -> None:
    left = trimmed(text, title)
    assert f"\n{left}\n" in f"\n{text}\n"


def test_short_sentences_are_not_taken_for_what_stands_above_the_text() -> None:
    body = "三月，多款新品上市。\n拆开看，螺丝只有一种。"
    around = f"首页 > 民生\n标题\n2026年05月18日 22:28 来源：某报\n{body}\n1 2 下一页\n责任编辑：听雨\n相关阅读"
    assert trimmed(around, "标题") == body


@each_row(
    "after",
    [
        "版权所有 2005-2020 某县人民政府 备案号：00000000号 地址：某县人民路1号 电话：0555-1234567 传真：0555-1234568",
        "下一篇",
        "上一篇：渡口的班次调整\n下一篇：没有了",
        "来源：《江声》2011年第2期　作者：葛亮\n编辑：小陶\n2011-07-15",
        "上一条 下一条",
        "本文由 书虫 于 2003-07-08 22:10:05 发表在 读书",
    ],
)
def test_footers_and_ends_of_posts_go(after: str) -> None:
    assert trimmed(f"{BODY}\n{after}", "标题") == BODY


def test_the_day_that_signs_a_text_stays() -> None:
    assert trimmed(f"{BODY}\n某县教育局\n2011年7月15日", "标题").endswith("2011年7月15日")


@each_row("button", ["展开全文", "点击查看全文", "展开剩余30%", "Read more", "Show full article"])
def test_a_button_that_unfolds_the_rest_stands_in_no_text(button: str) -> None:
    assert trimmed(f"{BODY}\n{button}\n{BODY}", "标题") == f"{BODY}\n{BODY}"


@each_row(
    "last",
    [
        "这份声明不代表公司的立场，律师说，公司没有授权任何人发表意见。",
        "平台声明：明天起暂停接单，已经下单的照常送达。",
        "文章写得很好，编辑部决定明年继续刊登。",
        "读者可以在新馆查看全文，也可以复印。",
    ],
)
def test_a_sentence_about_statements_stays(last: str) -> None:
    assert trimmed(f"{BODY}\n{last}", "标题") == f"{BODY}\n{last}"
