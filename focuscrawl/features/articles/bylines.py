"""Who wrote an article and where it was taken from, as printed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, cast

from lxml import etree

from focuscrawl.features.articles.statements import (
    LATIN_NAME,
    NO_NAME,
    OF_NO_PERSON,
    ORGANISATION,
    Line,
    Statements,
    Surroundings,
    cleaned_name,
    comparable,
    elements_behind,
    is_elsewhere,
    is_the_sites,
    names_at_beginning,
    names_in,
)
from focuscrawl.readers.pages.texts import names_of, short_text, text_before, top_headings
from focuscrawl.readers.text.dates import PRINTED_CLOCK, PRINTED_DAY
from focuscrawl.readers.text.lines import is_prose
from focuscrawl.readers.text.persons import FOREIGNER, PERSONS, SURNAMES, are_persons, unspread

LONGEST_BYLINE = 80  # characters of a line in which an author is looked for
_MOST_REPORTERS = 100  # pieces of text with such a word that are looked at
_MOST_MARKED_AUTHORS = 20  # elements marked as an author's name that are looked at
AUTHOR_NAMES = (
    "author", "article:author", "byl", "dc.creator", "dcterms.creator", "parsely-author",
    "sailthru.author", "citation_author",
)  # fmt: skip
SOURCE_NAMES = ("source", "article:source", "mediaid", "copyrightsource")
_OF_SOMETHING = (
    "图片", "数据", "资金", "资料", "收入", "经费", "视频", "音频", "线索", "主要", "能量", "热量", "食物", "营养", "能源", "电力",
    "注明", "标明", "客户", "流量", "病毒", "感染", "污染", "噪声", "圖片", "數據", "資金", "資料", "題圖", "题图", "供图",
)  # fmt: skip
OTHER_SOURCES = "".join(f"(?<!{word})" for word in _OF_SOMETHING)
_SOURCE = re.compile(
    rf"(?i)(?:{OTHER_SOURCES}(?<!的)(?:来源|來源|稿源|出处|出處|文章来自|转载自|转自|轉自|原[载載]于?)"
    r"(?:(?:于|於)?\s*[:：|｜丨/／]\s*[《“\"]?|】\s*|(?<=[自載载于])《|(?<=本文[来來]源)[于於] )|(?<![a-z] )source\s*[:：]\s*)"
    r"(?P<name>https?://[^\s，。）)]{4,100}"
    r"|[^\s|<>《》（）()\[\]【】,，;；:：=\"']{2,40}+(?![=\"':：])(?:《[^《》\s]{2,20}》)?(?: [A-Za-z][\w.&-]*){0,4})"
)
NO_SOURCE = re.compile(r"未知|不详|不詳|暂无|无|[\W\d_]+")
HAN_NAME = rf"(?:{FOREIGNER}|[\u4e00-\u9fff]{{2,5}})"
_OTHER_LABELS = (
    r"编辑|責編|责编|编审|审核|校对|通讯员|通訊員|摄影|摄像|攝影|实习|见习|报道|報導|来源|图|摄|文"
)
# What may stand between a label and its name; what introduces one, be it an office and a paper.
BARS = r"[:：|｜丨/／]"
_NAMED_AUTHOR = re.compile(
    r"(?:^|[\s（(【〔|｜丨:：□■◎●·》])(?:(?:[\u4e00-\u9fff]{1,8}(?:报|社|网|台)|特约|本报|本网|央视|[\u4e00-\u9fff]{2,4}讯)?(?:首席|实习|见习|特派)?"
    rf"[记記]者|[\u4e00-\u9fff]{{1,12}}[记記]者(?=\s*+{BARS}?\s*+[{SURNAMES}])|通[讯訊][员員]|撰文|采写|撰稿人?|原创|[图圖]?文\s*+(?={BARS})|文\s*+[/／、]?\s*+[图圖](?=\s|{BARS}))\s*+{BARS}?\s*+"
    r"(?:[\u4e00-\u9fff]{2,10}(?:[评評][论論][员員]|撰稿人|研究[员員])\s+)?"
    rf"(?P<name>(?!{_OTHER_LABELS}){HAN_NAME}(?:(?:[、,，]{HAN_NAME}| (?!{_OTHER_LABELS})[\u4e00-\u9fff]{{2,3}}(?![\u4e00-\u9fff]))){{0,5}})"
    r"(?!\s*+[摄攝](?!影?(?:报道|報導|\s*+[:：/／|｜])))(?=$|[|｜丨,，;；:：）)】〕\]/／]|\s)"
)
LABELLED_AUTHOR = re.compile(
    rf"(?i)(?:作\s*+者|撰文|采写|author|著者|執筆者?|筆者|글쓴이|작성자)(?:\s*+[】\]]?\s*+{BARS}|】)\s*+(?:[［\[（(〔][\u4e00-\u9fff]{{1,3}}[］\])）〕]\s*+)?(?:[^（）()]{{4,40}}(?:研究员|教授|主任|部长|院长|评论员)(?=[\u4e00-\u9fff]{{2,3}}[）)]))?(?P<name>[\u4e00-\u9fff]{{2,3}}(?:[、 ](?!{_OTHER_LABELS})[\u4e00-\u9fff]{{2,3}}(?![\u4e00-\u9fff:：]))+"
    r"|[^\s|｜丨,，。;；:：（）()\[\]【】<>=\"'/／]{2,20}+(?![=\"':：])(?: [A-Z][\w.]+){0,2}(?: ?[（(][A-Z][\w.]*(?: [A-Z][\w.]*){0,3}[）)])?)"
)
ENDS_NAME = r"\s*(?:$|[,|·•–—/-]|\b(?:on|at|in|for)\b|\d)"
_BY_NAME = re.compile(
    rf"^\s*[Bb][Yy]:?\s+(?P<name>{LATIN_NAME}{{1,3}}(?:, {LATIN_NAME}{{1,3}})*,? and {LATIN_NAME}{{1,3}}|{LATIN_NAME}{{1,5}}){ENDS_NAME}"
    rf"|^\s*(?i:posted|written|published|reported|story|words|text|review(?:ed)?)\s+by:?\s+(?P<named>{LATIN_NAME}{{0,5}}|{HAN_NAME}){ENDS_NAME}"
)
COUNTRY = r"[［\[（(〔][\u4e00-\u9fff]{1,3}[］\])）〕]\s*"  # of a foreigner
# Names that what follows tells: 著, 文/图; or their label in an element of its own.
_ALONE = re.compile(
    r"(?:^|[\s=(\[])(?P<reports>[가-힣]{2,4}) ?(?:기자|특파원)(?=$|[\s)\]=/|]|[\w.]+@)"
    rf"|^(?i:authors?)\s+(?P<latin>{LATIN_NAME}{{1,3}})$"
    rf"|^(?:作者|撰文)\s+(?P<said>{HAN_NAME}(?:[ 、]{HAN_NAME}){{0,3}})$"
    rf"|^(?:{COUNTRY})?(?P<wrote>{FOREIGNER}|{PERSONS})\s*+(?:著|撰文?|/?\s*+文(?:\s*+/\s*+[图圖])?)(?=$|\s)"
    rf"|^{COUNTRY}(?P<foreign>{FOREIGNER})$"
    rf"|(?:^|[\s（(])(?:文字|供稿人?|信息员|投稿人|发稿人|(?:特约|本[报刊网])?(?:撰稿人|评论员))\s*+{BARS}?\s*+(?P<given>{PERSONS})"
)
# A reporter or author in brackets where a paragraph begins or ends, or one who wires.
FIND_REPORTERS = etree.XPath(
    "//body/descendant::text()[string-length(.) > 8][contains(., '记者') or contains(., '記者') or contains(., '报道') or contains(., '作者') or contains(., '系') and contains(., '授') or contains(., '系') and contains(., '员')]"
    "[not(parent::script or parent::style)]"
)
REPORTER = re.compile(
    rf"[记記]者\s*+(?P<wired>[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?=(?:[\u4e00-\u9fff]{{2}})?(?:报道|報導)[:：])"
    rf"|[（(〔]\s*+(?:(?P<is>[{SURNAMES}][\u4e00-\u9fff]{{1,2}})(?<!某)(?=系[\u4e00-\u9fff、]{{2,24}}(?:教授|研究员|学者|教师|博士|硕士|主任|院长|所长|作家|律师|专家|评论员|学生|会员)[）)]\s*+$)|作者\s*+(?P<stated>[\u4e00-\u9fff]{{2,3}}?)(?=[系为是])|[\u4e00-\u9fff]{{2,12}}?\s*+(?P<told>[{SURNAMES}][\u4e00-\u9fff]{{1,2}})(?=\s*+(?:报道|供稿)[）)])|[\u4e00-\u9fff]{{0,10}}[记記]者\s*+[:：]?\s*+(?P<name>{HAN_NAME}(?:[、 ]{HAN_NAME}){{0,2}}?)"
    rf"|(?P<named>{HAN_NAME})\s+[\u4e00-\u9fff]{{2,4}}报道)(?=[\s）)〕/／，,系为是报供])"
)
DAY_PRINTED = re.compile(PRINTED_DAY)
# A date, its clock time and what counts readers beside it.
_DATE_OR_COUNT = re.compile(
    rf"{PRINTED_DAY}(?:\s*{PRINTED_CLOCK})?"
    r"|(?:阅读|浏览|点击|评论|人气|查看)(?:次?数|量)?[^\u4e00-\u9fffA-Za-z]*|(?:发布|更新)?(?:时间|日期)\s*[:：]"
)
_MARKS = re.compile(r"[|｜丨·•/／—–-]+")
_A_NAME = r"[^\s:：,，。、|｜/()（）\[\]【】<>《》]{2,20}"
# Whom boards and blogs name beside the date of a post, by the words around it.
WROTE = re.compile(
    rf"本[贴帖文]由\s*+(?P<by>{_A_NAME}?)\s*+[于於在]\s*+(?:19|20)\d\d|(?:^|\s)(?P<who>{_A_NAME}) (?:发表|發表|发布|张贴)[于於在]\s*+[:：]?\s*+(?:19|20)\d\d"
    rf"|posted\s*+(?:on|@)\s*+(?:19|20)\d\d-\d\d-\d\d(?: \d\d:\d\d)?\s+(?P<behind>{_A_NAME})\s+(?:阅读|浏览|views)"
    rf"|(?:19|20)\d\d[-/]\d\d?[-/]\d\d?(?: \d\d?:\d\d(?::\d\d)?)? by (?P<after>{_A_NAME})(?=$|\s)|(?:^|\s)由\s*+(?P<made>{_A_NAME}) (?:19|20)\d\d.{{1,20}}?发[布表]|发布[者人]\s*+[:：]\s*+(?P<poster>{_A_NAME})(?=$|[\s|])"
)
_NO_PERSON = re.compile(
    r"来自|本文|原文|文章|原[载載]|首次|最[初近后早]|更新|上次|[我你他她本]|.*[:：]"
)
LONGEST_DATED = 120  # characters of what a date stands in, with a name beside it
MOST_BELOW = 60  # elements below a title in which a name alone is looked for
LONGEST_ALONE = 60  # characters of names alone, with the marks of their footnotes
FOOTNOTES = re.compile(r"[\d*＊†①-⑳]+")
IN_LINE = frozenset(("a", "b", "em", "font", "i", "span", "strong", "u"))
BULLET = re.compile(r"^(?:[□■◎●○◆▲★※/／|｜丨—–·•▪*-]+|文(?=[\s\\]))[\s\\]*")
TITLE_NAMES = re.compile(r"([\u4e00-\u9fff]{2,4})[:：]")
FIND_BRACKETS = etree.XPath(
    "//body/descendant::text()[contains(., '）') or contains(., ')')][not(parent::script or parent::style)]"
)
FIND_AT_RIGHT = etree.XPath(
    "//body/descendant::*[self::p or self::div][@align='right' or contains(translate(@style, ' ', ''), 'text-align:right')]"
)
MOST_BEHIND_TEXT = 6  # elements at the right, from the last, that may hold a signature
MOST_BRACKETS = 200  # pieces of text with a bracket that are looked at, from the last
# Who wrote what a bracket ends, after the body they work for: （县交通局 张三 李四）.
SIGNED = re.compile(
    rf"[（(〔]\s*+(?:[^（）()。，]{{1,24}}?[局院校社办委部处心司台报学系所会团队站馆网镇乡村府]\s*+)?(?P<names>{PERSONS})\s*+(?:摄影)?(?:报道|供稿|撰稿|/?\s*+文)?\s*+[）)〕]$"
)
_OWN_BLOG = re.compile(
    r"(?P<name>[^我你他她本]{2,12}?)的(?:个人|技术)?(?:博客|专栏|blog|空间|日志|个人主页|主页)"
)
IS_BLOGS = re.compile(r"(?:博客|博客园|blog)$")
FIND_OWNED = etree.XPath(
    "/descendant::a[contains(@title, '的博客') or contains(@title, '的空间')]/@title"
)
# What an index of documents calls the body that has drawn one up.
ORGAN = re.compile(r"(?:发文|制发|颁[发布])(?:机关|单位|部门)\s*[:：]\s*([\u4e00-\u9fff]{4,30})$")
MOST_BESIDE = 12  # texts beside a date among which its outlet is looked for
OUTLET = re.compile(
    r"[\dA-Za-z\u4e00-\u9fff]{1,8}(?:通讯社|新华社|中新社|[日晚早时商周]报|电视台|周刊|客户端|[^联互局官本该站上]网)|新华社|中新社"
)
NEXT_LABEL = re.compile(
    r"(?:责任编辑|编辑|作者|时间|日期|发布|点击|浏览|阅读|字体|字号|记者|(?:19|20)\d\d[-年/.]).*$"
)
_FIND_MARKED_AUTHORS = etree.XPath(
    "//body/descendant::*[@rel[.='author'] or @itemprop[.='author']"
    " or @class[contains(., 'author') or contains(., 'byline') or contains(., 'nickName')]"
    " or @id='author_baidu']"  # as a search engine asked news sites to mark it
)
# Class names of an author: of elements that hold the name, not other facts about the author.
_MARKED = re.compile(
    r"(?i)(?:^|\s)(?:p-)?author(?:\s|$)|author(?:-|__)?name|(?:post|article)-author|byline(?:-|__)name|nickName"
)
_PERSONS = re.compile(rf"{LATIN_NAME}{{1,3}}(?:(?:, | and ){LATIN_NAME}{{1,3}}){{0,4}}")
_BETWEEN_NAMES = re.compile(r", | and ")
_MOST_BYLINE_LINKS = 1_000  # texts of links among which a name is looked for
_FIND_SHORT_LINKS = etree.XPath(
    f"(//body/descendant::a/text()[string-length(.) > 4 and string-length(.) < 40])[position() <= {_MOST_BYLINE_LINKS}]"
)
# The first of them: //body//* with as many predicates took 11 s for a spoilt page of 1.6 MB.
_FIND_BYLINES = etree.XPath(
    "(//body/descendant::*[contains(@class, 'yline') or contains(@class, 'uthor') or contains(@id, 'yline')"
    " or contains(@id, 'uthor') or @itemprop='author' or @rel='author'])[position() <= 200]"
)
_MOST_LINES_ABOVE = 4  # elements above one called an author whose names say whose
_CALLED_BYLINE = re.compile(r"(?i)(?:^|[\s_-])(?:by-?line|authors?)(?:$|[\s_-])|^ $")
_OF_ANOTHER = re.compile(r"(?i)comment|bio|im(?:age|g)|photo|form|follow|about|related|quote|statement|next|recent")  # fmt: skip
IS_NAME = re.compile(rf"{LATIN_NAME}{{0,4}}|{HAN_NAME}|[\w.-]{{2,20}}")


_MOST_OF_MAIL = 30  # lines above a mail, its head among them
_LONGEST_BYLINE_ADDRESS = 80  # characters of an address of mail
_IS_OPEN = re.compile(r"[<(（]\s*$")
_AT_SIGN = re.compile(r"@| at | \[at\] |\(a\)", re.IGNORECASE)
_SENT_BY = re.compile(
    r"(?i)(?:from|发件人|寄件人|寄件者|von|de)\s*+[:：]\s*+[\"“']?(?P<name>[^<>\"“”@]{2,60}?)[\"”']?\s*+[<(（][^<>\s]{1,60}(?:@| at |\[at\])[^<>]{1,60}[>)）]\s*+$"
)


def find_author(stated: Statements, place_of: Surroundings, site_names: Collection[str]) -> str:
    """Return the author: JSON-LD, a byline (作者：, By, 记者), an element marked so, a name by its place,
    a meta element, the blog's owner; "" when none says. ``site_names`` are comparable names of the
    site: no organisation writes itself.
    """
    for value in stated.described:
        if name := names_in(value.get("author"), of_persons=True):
            return name
    if name := _stated_and_printed(stated, site_names):
        return name
    lines = [one._replace(text=unspread(one.text)) for one in stated.lines]
    for find in (
        _mailed,  # the sender of a mail
        _worded,
        _reporter,
        _marked,
        _byline,
        _pictured,
        _beside_date,
        _below_title,
        _signed,
        _at_right,
    ):
        if lines and (name := find(lines, place_of)):
            return name
    if name := _stated(stated, site_names):
        return name
    return _owner(lines, site_names) or next(filter(None, map(_organ, lines)), "")


def _worded(lines: list[Line], place_of: Surroundings) -> str:
    """Return whom a line names by words: 作者：, By, 记者; the surest words of any line first."""
    for pattern in (LABELLED_AUTHOR, _BY_NAME, _NAMED_AUTHOR, _ALONE):
        for line in lines:
            if len(line.text) > LONGEST_BYLINE:
                continue
            match = pattern.search(line.text)
            if match is None or is_elsewhere(line.element, place_of.around):
                continue
            if pattern is _BY_NAME and line.element.tag == "th":
                continue  # who wrote what the table is about
            if name := cleaned_name(_named_by(match)):
                return name
    return ""


def _named_by(match: re.Match[str]) -> str:
    """Return what stands behind the words of a byline; "" for an office, which gives as persons do: 供稿：团委."""
    given = match.groupdict().get("given")
    return "" if given and not are_persons(given) else next(filter(None, match.groups()), "")


def _stated(stated: Statements, site_names: Collection[str]) -> str:
    """Return whom a meta element names, else JSON-LD as the body that wrote, unless that is the site."""
    for meta in AUTHOR_NAMES:
        said = stated.metas.get(meta, "")
        name = cleaned_name(said) if len(said) <= 60 else ""
        if name and not is_the_sites(name, site_names) and not OF_NO_PERSON.search(name):
            return name
    for value in stated.described:
        publisher = names_in(value.get("publisher"), of_persons=False)
        name = names_in(value.get("author"), of_persons=False)
        if name and name != publisher and comparable(name) not in site_names:
            return name
    return ""


def _stated_and_printed(stated: Statements, site_names: Collection[str]) -> str:
    """Return the persons a meta element names whom the page prints, too; of names in Latin letters."""
    for meta in AUTHOR_NAMES:
        name = cleaned_name(stated.metas.get(meta, ""))
        if _PERSONS.fullmatch(name) and not is_the_sites(name, site_names):
            printed = "\n".join(one.text for one in stated.lines).lower()
            names = _BETWEEN_NAMES.split(name.lower())
            if all(one in printed or one in _in_links(stated.lines) for one in names):
                return name
    return ""


def _in_links(lines: list[Line]) -> str:
    """Return the texts of links that are as short as names, in lower case."""
    links = cast("list[Any]", _FIND_SHORT_LINKS(_root(lines))) if lines else []
    return " ".join(" ".join(links).lower().split())


def _pictured(lines: list[Line], place_of: Surroundings) -> str:
    """Return the person whose picture stands in what is called an author, and whose name beside it, if one alone does."""
    names: dict[str, None] = {}
    for element in cast("list[etree._Element]", _FIND_BYLINES(_root(lines))):
        around = element.getparent()  # documentation has it beside the text, with its menu
        above = islice(element.iterancestors(), _MOST_LINES_ABOVE)
        if around is None or any(_OF_ANOTHER.search(names_of(one)) for one in (element, *above)):
            continue
        for image in islice(element.iter("img"), _MOST_MARKED_AUTHORS):
            name = cleaned_name(image.get("alt", "")[:LONGEST_BYLINE])
            printed = short_text(around, LONGEST_DATED, "|")
            if IS_NAME.fullmatch(name) and name in printed:
                names[name] = None
    return next(iter(names)) if len(names) == 1 else ""


def _byline(lines: list[Line], place_of: Surroundings) -> str:
    """Return whom an element called a byline names, in Latin letters, if all of them name the same."""
    names: list[str] = []
    marked = (
        one
        for one in cast("list[etree._Element]", _FIND_BYLINES(_root(lines)))
        if _CALLED_BYLINE.search(names_of(one)) and not _OF_ANOTHER.search(names_of(one))
    )
    for element in islice(marked, _MOST_MARKED_AUTHORS):
        name = names_at_beginning(short_text(element, LONGEST_DATED, "|"))
        if name and not is_elsewhere(element, place_of.around):
            names.append(name)
    longest = max(names, key=len, default="")
    return longest if all(one in longest for one in names) else ""


def _reporter(lines: list[Line], place_of: Surroundings) -> str:
    """Return the reporter named in brackets where a text begins or ends: （记者 张三丰）."""
    root = _root(lines)
    for piece in cast("list[Any]", FIND_REPORTERS(root))[:_MOST_REPORTERS]:
        text = " ".join(piece.split())
        match = REPORTER.search(text[:LONGEST_BYLINE]) or REPORTER.search(text[-LONGEST_BYLINE:])
        if match is None or is_elsewhere(piece.getparent(), place_of.around):
            continue
        if name := cleaned_name(next(filter(None, match.groups()))):
            return name
    return ""


def _marked(lines: list[Line], place_of: Surroundings) -> str:
    """Return the name that elements are marked with, if they name one person only."""
    root = _root(lines)
    names: dict[str, None] = {}
    marked = (
        one
        for one in cast("list[etree._Element]", _FIND_MARKED_AUTHORS(root))
        if "author" in (one.get("rel"), one.get("itemprop"))
        or one.get("id") == "author_baidu"
        or _MARKED.search(one.get("class", ""))
    )
    for element in islice(marked, _MOST_MARKED_AUTHORS):
        if not is_elsewhere(element, place_of.around):
            # What it prints, or states in a property.
            stated = next(element.iterfind(".//meta[@itemprop='name']"), None)
            said = (
                short_text(element, LONGEST_BYLINE) if stated is None else stated.get("content", "")
            )
            if IS_NAME.fullmatch(name := cleaned_name(said)):
                names[name] = None
    return next(iter(names)) if len(names) == 1 else ""


def _root(lines: list[Line]) -> etree._Element:
    return lines[0].element.getroottree().getroot()


def _blocks_of_dates(lines: list[Line], place_of: Surroundings) -> Iterator[tuple[int, str]]:
    """Go through the short blocks in which a day is printed: the place of its line, and the text."""
    for place, line in enumerate(lines):
        if not DAY_PRINTED.search(line.text) or is_elsewhere(line.element, place_of.around):
            continue
        for block in (line.element, *islice(line.element.iterancestors(), 1)):
            if text := short_text(block, LONGEST_DATED, " "):
                yield place, unspread(text)


def _mailed(lines: list[Line], place_of: Surroundings) -> str:
    """Return who wrote a mail: From, a name and an address that may be hidden, above the text."""
    for place, line in enumerate(lines[: min(place_of.head_ends + 1, _MOST_OF_MAIL)]):
        text = (
            f"{lines[place - 1].text}{line.text}" if place and line.text[:1] in ":：" else line.text
        )
        # MHonArc prints the address as a link between the brackets.
        if _IS_OPEN.search(text) and (address := _linked_address(line.element)):
            text = f"{text}{address}>"
        if match := _SENT_BY.match(text):
            return cleaned_name(match["name"])
        # Mailman prints the name in bold, and the address as a link to the list.
        link = line.element.getnext() if line.element.tag in {"b", "strong"} else None
        if link is not None and link.get("href", "").startswith("mailto:"):
            address = short_text(link, _LONGEST_BYLINE_ADDRESS)
            if _AT_SIGN.search(address) and IS_NAME.fullmatch(line.text):
                return cleaned_name(line.text)
    return ""


def _linked_address(element: etree._Element) -> str:
    """Return the address of the link to a mailbox that an element is or holds; "" for none."""
    for link in islice(element.iter("a"), _MOST_OF_MAIL):
        if link.get("href", "").startswith("mailto:"):
            return short_text(link, _LONGEST_BYLINE_ADDRESS)
    return ""


def _beside_date(lines: list[Line], place_of: Surroundings) -> str:
    """Return whom the words around the date of a post name; over the text a person beside it will do."""
    for place, text in _blocks_of_dates(lines, place_of):
        if match := WROTE.search(text):
            name = str(next(filter(None, match.groups())))
            if not (_NO_PERSON.match(name) or NO_NAME.search(name) or ORGANISATION.search(name)):
                return name
        if place_of.titles and place_of.titles[0] < place < place_of.head_ends:
            words = _MARKS.sub(" ", _DATE_OR_COUNT.sub(" ", text)).split()
            rest = " ".join(one for one in words if not (OUTLET.fullmatch(one) or ORGANISATION.search(one)))  # fmt: skip
            if are_persons(rest):
                return rest
    return ""


def _below_title(lines: list[Line], place_of: Surroundings) -> str:
    """Return the persons that are named alone below a title; whom the title itself names (张三：…) may
    be called as they like.
    """
    if not place_of.titles:
        return ""
    line = lines[place_of.titles[-1]]
    named = TITLE_NAMES.match(lines[place_of.titles[0]].text)
    for element in islice(elements_behind(line.element), MOST_BELOW):
        for said in _whole_lines(element):
            text = BULLET.sub("", unspread(FOOTNOTES.sub("", said)))
            is_named = named is not None and text == named[1]
            if (is_named or are_persons(text)) and not is_elsewhere(element, place_of.around):
                return text
        own = (" ".join(text.split()) for text in (element.text, element.tail) if text)
        if any(map(is_prose, own)) and element not in place_of.around:
            return ""
    return ""


def _whole_lines(element: etree._Element) -> Iterator[str]:
    """Go through the texts of and behind an element that nothing stands beside: no item or cell."""
    if element.tag in {"li", "option", "script", "style", "select", "th"}:
        return
    is_cell = element.tag == "td" and (element.getnext() is not None or element.getprevious() is not None)  # fmt: skip
    tail, inside = (element.tail or "").strip(), (element.text or "").strip()
    if not is_cell and (element.tag not in IN_LINE or not (tail or text_before(element).strip())):
        yield short_text(element, LONGEST_ALONE)
    for text, before, behind in (
        (inside, None, next(iter(element), None)),
        (tail, element, element.getnext()),
    ):
        beside = {one.tag for one in (before, behind) if one is not None}
        if 0 < len(text) <= LONGEST_ALONE and beside and beside.isdisjoint(IN_LINE):
            yield " ".join(text.split())


def _signed(lines: list[Line], place_of: Surroundings) -> str:
    """Return the persons that the last bracket of a text names: （县交通局 张三 李四）."""
    pieces = cast("list[Any]", FIND_BRACKETS(_root(lines)))
    for piece in reversed(pieces[-MOST_BRACKETS:]):
        match = SIGNED.search(unspread(" ".join(piece[-LONGEST_BYLINE:].split())))
        if match is None or not are_persons(match["names"]):
            continue
        # A pen name of editors may be glued to the last sentence, without the body they are of.
        if match.start() and match["names"] == match[0][1:-1].strip() and match["names"].isalpha():
            continue
        element = piece.getparent()
        above = element.getparent()
        if element in place_of.prose or above in place_of.prose:
            return str(match["names"])
    return ""


def _at_right(lines: list[Line], place_of: Surroundings) -> str:
    """Return the persons that stand alone at the right below the text, with or without a date."""
    for element in reversed(cast("list[etree._Element]", FIND_AT_RIGHT(_root(lines)))[-MOST_BEHIND_TEXT:]):  # fmt: skip
        text = " ".join(
            _DATE_OR_COUNT.sub(" ", unspread(short_text(element, LONGEST_ALONE))).split()
        )
        above = element.getparent()
        if are_persons(text) and (element in place_of.prose or above in place_of.prose):
            return text
    return ""


def _owner(lines: list[Line], site_names: Collection[str]) -> str:
    """Return whose blog a page is of, by the name of the site, its masthead, or titles of links that
    all name the same: 张三的博客; a masthead may be the name alone.
    """
    if not lines:
        return ""
    root = _root(lines)
    heads = [one for one in top_headings(root) if one.find(".//a[@href]") is not None]
    names = [short_text(one, LONGEST_ALONE) for one in heads[:1]]
    titles = {str(one).strip("[]【】 ") for one in cast("list[Any]", FIND_OWNED(root))}
    if len(titles) == 1:
        names += [title.replace("]", "").replace("】", "") for title in titles]
    for said in (*names, *site_names):
        if match := _OWN_BLOG.match(said):
            name = match["name"]
            return "" if NO_NAME.search(name) or ORGANISATION.search(name) else name
    if any(IS_BLOGS.search(one) for one in site_names):  # 标题_张三_某某博客
        names += site_names
    return next(filter(are_persons, names), "")


def _organ(line: Line) -> str:
    """Return the body that has issued a document, as its index says."""
    match = ORGAN.match(line.text)
    return match[1] if match else ""


def find_source(stated: Statements, place_of: Surroundings) -> str:
    """Return the source as printed (来源：), else the meta element made for it."""
    for name in _sources(stated.lines, place_of):
        return name
    if name := _outlet(stated.lines, place_of):
        return name
    for meta in SOURCE_NAMES:
        if said := stated.metas.get(meta, ""):
            return re.sub(r"^(?:来源|source)\s*[:：]\s*", "", said, flags=re.IGNORECASE)[:120]
    return ""


def _outlet(lines: list[Line], place_of: Surroundings) -> str:
    """Return the outlet beside the date over a text: 2024-05-09 22:30 · 某某社."""
    begins = max(place_of.titles[:1], default=0)
    for line in lines[begins : place_of.head_ends]:
        if not DAY_PRINTED.search(line.text) or is_elsewhere(line.element, place_of.around):
            continue
        for word in _MARKS.sub(" ", _DATE_OR_COUNT.sub(" ", line.text)).split():
            if len(line.text) <= LONGEST_BYLINE and OUTLET.fullmatch(word):
                return word
        for above in islice(line.element.iterancestors(), 2):
            if len(short_text(above, LONGEST_BYLINE)) in {0, LONGEST_BYLINE}:
                break
            for text in islice(above.itertext(), MOST_BESIDE):
                if OUTLET.fullmatch(name := str(text).strip()):
                    return name
    return ""


def _sources(lines: list[Line], place_of: Surroundings) -> Iterator[str]:
    for line in lines:
        match = _SOURCE.search(line.text)
        if match is None or is_elsewhere(line.element, place_of.around):
            continue
        name = NEXT_LABEL.sub("", match["name"]).strip()[:120]
        if name and not NO_SOURCE.fullmatch(name):
            yield name
