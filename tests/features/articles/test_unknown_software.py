"""Pages of software nobody wrote a rule for: what they print is found, what they state is doubted."""

from __future__ import annotations

import pytest

from focuscrawl.features.articles import read
from focuscrawl.features.articles.article import ArticleText
from tests.tables import each_row

PROSE = "\n".join(
    f"<p>第{one}天，渔民们把新织的网搬到码头，一边补网一边说起去年的台风，谁也没有急着出海。</p>"
    for one in "一二三四"
)
FOOT = "<div class=foot>版权所有 海边小学 备案号 0000</div>"


def page(body: str, *, title: str = "渔民补网忙", head: str = "") -> ArticleText:
    markup = f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}{FOOT}</body></html>"
    return read(markup.encode(), "http://a.example/n/1.html")


def news(line: str, *, head: str = "", title: str = "渔民补网忙") -> ArticleText:
    body = (
        f"<div><h1>渔民补网忙</h1><div class=info>{line}</div><div class=text>{PROSE}</div></div>"
    )
    return page(body, title=title, head=head)


def test_the_minute_printed_beats_the_day_stated() -> None:
    found = news("2021-03-04 10:20", head='<meta name="publishdate" content="2021-03-04">')
    assert found.date.startswith("2021-03-04T10:20")


def test_another_day_printed_does_not_beat_the_day_stated() -> None:
    found = news("2021-03-09 10:20", head='<meta name="publishdate" content="2021-03-04">')
    assert found.date == "2021-03-04"


@each_row("site", ["海边小学", "浅海水产研究所", "-海边网", "海边考试网-要闻"])
@each_row("tag", ["h5", "h3", "p class=title", "div class=tit"])
def test_the_heading_above_the_byline_beats_the_name_of_the_site(site: str, tag: str) -> None:
    heading = f"<{tag}>渔民们在码头补了四天的网没有出海</{tag.split(maxsplit=1)[0]}>"
    found = page(
        f"<h2>相关链接</h2><div>{heading}<p>发布时间：2021年4月2日</p>{PROSE}</div>", title=site
    )
    assert found.title == "渔民们在码头补了四天的网没有出海"


@each_row("tag", ["span class=title", "div class=entry-title"])
@each_row("title", ["一段渡口的往事 -- 从前的摆渡人们", "Harbour checklist :: A printable list of nets", "Brains are not needed--simple nets do it"])  # fmt: skip
def test_a_title_that_the_page_prints_in_one_piece_names_no_site(tag: str, title: str) -> None:
    heading = f"<{tag}>{title}</{tag.split(maxsplit=1)[0]}>"
    trail = "<span class=trail><a href=/>wiki</a>/ <a href=/harbour/>harbour</a>/</span>"
    for above in (heading, f"<div><span>{trail} {heading}</span></div>"):
        assert page(f"{above}{PROSE}", title=title).title == title


def test_a_title_that_the_page_prints_as_its_heading_stays() -> None:
    found = page(
        f"<h1>渔民补网忙</h1><h3>台风过后的第一个月里码头上的故事</h3><p>2021-04-02</p>{PROSE}"
    )
    assert found.title == "渔民补网忙"


@each_row(
    ("line", "author"),
    [
        ("本报记者 王乐山 方 敏", "王乐山 方敏"),
        ("作者：宋小怡 杨志远", "宋小怡 杨志远"),
        ("海报·浪花社记者 徐小翔", "徐小翔"),
        ("文丨浪花特约评论员 韩小涵", "韩小涵"),
        ("作者 <strong>王小言 高小然</strong>", "王小言 高小然"),
        ("作者：中国渔业研究中心世界渔业研究部部长、研究员徐小忱）", "徐小忱"),
    ],
)
def test_authors_are_read_in_the_ways_they_are_printed(line: str, author: str) -> None:
    assert news(line).author == author


@each_row(
    ("end", "author"),
    [
        ("（海边电大 江小勇报道）", "江小勇"),
        ("<p align=right>（袁小源）</p>", "袁小源"),
        ("<p>赵小豪 文/图</p>", "赵小豪"),
        ("（海边电大张小初 报道）", "张小初"),
        ("（作者韩小涵系渔业智库研究员）", "韩小涵"),
    ],
)
def test_authors_are_read_in_brackets_at_the_end(end: str, author: str) -> None:
    assert (
        page(f"<h1>渔民补网忙</h1><div>{PROSE}<p>他们说明天再看。{end}</p></div>").author == author
    )


@each_row(
    "name", ["name", "Some! Team and Others UI Team", "品牌策划:某某互动", "wave_mobile", "海边"]
)
def test_what_software_and_sites_state_as_author_is_none(name: str) -> None:
    found = news(
        "2021-03-04", head=f'<meta name=author content="{name}">', title="渔民补网忙_海边网"
    )
    assert found.author == ""


@each_row(
    ("line", "source"),
    [
        (
            '本文来源于<span><a href="/s">渔业统计局</a></span>　<span>2021-03-04</span>',
            "渔业统计局",
        ),
        ("来源：<a href=/s>海光网-《海光日报》</a>", "海光网-《海光日报》"),
        ("<span>2021-03-04 10:20</span><span>·</span><a href=/s>海边日报</a>", "海边日报"),
        ("<span>2021-03-04 10:20</span><a href=/s>海边互联网</a>", ""),
        ("2021-03-04 10:20 海边日报 记者 江小晚", "海边日报"),
        ("转载请注明来源：http://a.example/n/1.html", ""),
    ],
)
def test_sources_are_read_in_the_ways_they_are_printed(line: str, source: str) -> None:
    assert news(line).source_name == source


def test_a_text_that_a_script_shows_is_read() -> None:
    found = page(f'<h1>渔民补网忙</h1><div style="visibility: hidden;"><div>{PROSE}</div></div>')
    assert found.text.count("第") == 4


def test_paragraphs_right_inside_a_list_are_read() -> None:
    found = page(f"<h1>渔民补网忙</h1><div><ul class=nav>{PROSE}</ul></div>")
    assert found.text.count("第") == 4


def test_a_page_of_programs_is_read_as_one_without_them() -> None:
    program = f"<script>var a = '{'x' * 1_600_000}';</script>"
    found = page(f"{program}<div><h1>渔民补网忙</h1><p>2021-03-04</p>{PROSE}</div>")
    assert found.text.startswith("第一天")
    assert "版权" not in found.text


@pytest.mark.parametrize(
    "first",
    [
        "<p>2021年3月4日，渔民们把新织的网搬到码头，一边补网一边说起去年的台风。</p>",
        "<p>时间：2021年3月4日上午九点</p><p>地点：东山码头二号仓库</p>",
    ],
)
def test_a_first_paragraph_that_begins_with_a_date_is_text(first: str) -> None:
    found = page(f"<h1>渔民补网忙</h1><div class=content>{first}{PROSE}</div>")
    assert "2021年3月4日" in found.text.split("\n")[0]


def test_a_byline_above_the_text_is_no_text() -> None:
    found = page(f"<h1>渔民补网忙</h1><div><p>时间：2021-03-04 来源：码头报</p>{PROSE}</div>")
    assert "码头报" not in found.text


def test_a_paragraph_of_links_keeps_the_words_between_them() -> None:
    links = '台风将于明天经过<a href="/a">东山县</a>和<a href="/b">云霄县</a>，<a href="/c">漳浦</a>与<a href="/d">诏安</a>也有大雨，渔民都已经接到了通知。'
    found = page(f"<h1>渔民补网忙</h1><article>{PROSE}<div>{links}</div></article>")
    assert "东山县和云霄县，漳浦与诏安也有大雨" in found.text


def test_an_announcement_with_nothing_but_its_file_names_it() -> None:
    found = page(
        '<h1>码头管理办法的公告</h1><div><p>附件：<a href="/f/a.pdf">码头管理办法.pdf</a></p></div>',
        title="码头管理办法的公告",
    )
    assert "码头管理办法.pdf" in found.text


def test_a_bare_list_is_a_text() -> None:
    terms = ("补网", "竹梭", "缆绳", "浮子", "铅坠", "网眼", "线头", "船灯", "鱼篓", "码头")
    items = "".join(f"<li>{term}：渔村里每天都要用到的一样东西</li>" for term in terms)
    found = page(f"<h1>渔民补网忙</h1><div class=content><ul>{items}</ul></div>")
    assert all(f"{term}：" in found.text for term in terms)


def test_a_date_in_two_boxes_is_put_together() -> None:
    boxes = "<div class=box><div class=day>21</div><div class=year>2024年02月</div></div>"
    assert page(f"<h1>渔民补网忙</h1>{boxes}<div>{PROSE}</div>").date == "2024-02-21"


@pytest.mark.parametrize(("headings", "date"), [(1, "2019-10-28"), (4, "")])
def test_a_date_repeated_by_a_list_of_links_stays_the_articles(headings: int, date: str) -> None:
    item = "<li><a href=/{0}>补网的第{0}天</a><span>2019-10-28</span></li>"
    lists = [item.format(number) for number in range(4)]
    if headings == 1:
        below = f"<div><h2>看一看</h2><ul>{''.join(lists)}</ul></div>"
    else:
        below = "".join(f"<div><h2>第{n}天</h2><ul>{one}</ul></div>" for n, one in enumerate(lists))
    head = "<div><h2>渔民补网忙</h2><p><i class=icon></i><span>2019-10-28</span></p></div>"
    assert page(f"{head}<div>{PROSE}</div><hr><hr>{below}").date == date


LONG = "渔民们在码头补了四天的网没有出海"


@each_row(
    "site",
    ["海边小学", "海边渔业有限公司", "浅海县人民政府", "欢迎访问浅海图书馆", "《海边》2009年第5期"],
)
@each_row(
    "heading",
    ["<h1>{}</h1>", "<h5>{}</h5>", "<div class=bt align=center><strong>{}</strong></div>"],
)
def test_what_all_pages_of_a_body_are_called_is_no_title(site: str, heading: str) -> None:
    beside = "<h3>最新文章</h3><ul><li><a href=/2>台风要来了</a></li></ul>"
    body = f"{heading.format(LONG)}<div>{PROSE}</div><p align=right>{site}</p>{beside}"
    assert page(body, title=site).title == LONG


def test_a_bodys_own_page_is_called_by_its_name() -> None:
    assert (
        page("<h3>友情链接</h3><p>电话：1234</p>", title="海边渔业有限公司").title
        == "海边渔业有限公司"
    )


def test_a_title_that_ends_as_the_name_of_a_body_is_one_where_it_is_the_heading() -> None:
    name = "渔民参观海边小学"
    assert page(f"<h3>{name}</h3>{PROSE}", title=name).title == name


@pytest.mark.parametrize("rest", ["海边县交通运输局", "海边日报数字报", "海边渔业股份有限公司"])
def test_the_name_of_a_body_is_no_title_though_it_is_the_longer_part(rest: str) -> None:
    assert page(f"<p>渔民换新船</p>{PROSE}", title=f"渔民换新船-{rest}").title == "渔民换新船"
    assert page(f"<p>渔民换新船</p>{PROSE}", title=f"{rest}_渔民换新船").title == "渔民换新船"


@pytest.mark.parametrize(
    "title", ["过江时间减半", "作者们来到海边", "新网发布会热闹", "位置最好的码头"]
)
def test_a_title_may_hold_the_words_of_a_byline(title: str) -> None:
    body = f"<div align=center><b>{title}</b></div><p>2006年4月12日 点击：31</p>{PROSE}"
    assert page(body, title="海边小学").title == title


def test_the_day_of_an_issue_is_its_articles() -> None:
    top = "<div><a href=1>第01版：要闻</a> <a href=2>第02版：综合</a> 2018年5月7日 星期一</div>"
    found = page(f"{top}<h1>渔民补网忙</h1>{PROSE}", title="海边日报数字报-渔民补网忙")
    assert found.date == "2018-05-07"


def test_a_short_text_that_a_script_shows_is_read() -> None:
    text = "<p>台风过后第一天，渔民们在码头补网，谁也没有出海，船都拴着。</p>" * 2
    found = page(f'<h1>渔民补网忙</h1><div style="visibility:hidden;opacity:0">{text}</div>')
    assert found.text.count("台风") >= 1


@pytest.mark.parametrize(
    "title", ["渔民补网忙 [海边维基]", "guide:nets [海边维基]", "nets [海边维基]"]
)
def test_the_name_of_a_wiki_in_brackets_is_not_of_the_title(title: str) -> None:
    assert page(f"<h1>渔民补网忙</h1>{PROSE}", title=title).title == "渔民补网忙"


@each_row("title", ["新闻详情", "新闻详情｜东山渔业发展联盟", "News Detail - Dongshan Fishery"])
@each_row("tag", ["h1", "h2"])
def test_a_heading_is_the_title_where_a_template_calls_every_page_alike(
    title: str, tag: str
) -> None:
    assert page(f"<{tag}>渔民补网忙</{tag}>{PROSE}", title=title).title == "渔民补网忙"
