"""The title of an article, without the name of its site: by its headings and by <title>, else as the page
shows it above its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.features.articles.dates.lines import WEEKDAY, YEAR
from focuscrawl.features.articles.statements import Line, comparable
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.texts import heading_text, names_of, short_text, top_headings
from focuscrawl.readers.text.characters import HAN
from focuscrawl.readers.text.lines import is_prose

_MOST_TITLE_LINES = 12  # lines above the text among which its title is looked for
# Of a line that is named as the title of an article, as a title, and of one that is not marked.
NAMED_RANK, MARKED_RANK, _PLAIN = 0, 3, 9
MOST_MORE = 20  # characters beside a title in the line that prints it
MOST_AROUND = 4  # elements around a line that may be named as a menu's
MOST_PLAIN = 2  # lines without any mark between title and text
# Length of a title over that of what <title> says: headings of parts and names of sites are
# shorter.
LEAST_SHARE = 0.8
SURE_COLUMNS = 12  # columns from which a line that <title> begins with is no coincidence
SHORTEST, _LONGEST = 4, 60  # characters of a title that only its looks tell
# How much an element looks like a title, the least first.
RANKS = {
    "h1": 1,
    "h2": 2,
    "h3": 4,
    "h4": 5,
    "h5": 5,
    "big": 4,
    "b": 6,
    "strong": 6,
    "center": 6,
    "th": 6,
}
TITLE_NAMED = re.compile(
    r"(?:post|entry|article|news|content|page|arti|thread)[_-]?(?:title|heading|tit)", re.IGNORECASE
)
SITE_NAMED = re.compile(
    r"(?i)site-?(?:title|name|branding)|blog-?(?:title|name)|masthead|navbar|(?:^|[ _-])(?:logo|brand)(?:$|[ _-])"
)
_TITLE_CLASS = re.compile(
    r"tit(?:le)?(?![a-z])|head(?:ing|line)|subject|biaoti|large", re.IGNORECASE
)
LARGE = re.compile(r"\+[1-9]|[4-7]")
# The same in a style: half as large again as what is around it, 18 pixels or 14 points.
_LARGE_STYLE = re.compile(
    r"(?i)font(?:-size)?\s*:[^;]{0,60}?(?<![\d.])(?:(?:1[89]|[2-6]\d)(?:\.\d+)?\s*px|(?:1[4-9]|[2-4]\d)(?:\.\d+)?\s*pt|(?:1\.[3-9]|[2-4](?:\.\d+)?)\d*\s*r?em|(?:1[3-9]|[2-4]\d)\d%|(?:x+-)?large\b)"
)
_BYLINE_WORDS = r"作\s*者|[来來]源|时\s*间|日\s*期|[发發][布佈表]|更新|[点點][击擊]|[浏瀏][览覽]|[阅閱][读讀]|位置|[首主][页頁]|登[录錄]|字体"
# A line that says these of an article; in a title they stand without a value: 过江时间减半.
SAYS_SOMETHING = re.compile(
    rf"(?i)(?:{_BYLINE_WORDS})(?=\s*[:：\d(（\[【>|]|[于於])|^.{{0,2}}(?:{_BYLINE_WORDS})(?:$|\s)|\b(?:by|posted|source|views|home|share)\b"
)
_ELSEWHERE = re.compile(r"menu|nav|(?<!in)side|foot|modal|dialog|comment|login", re.IGNORECASE)
BESIDE = "-_|–—·»›｜/"  # what separates the title of a page from the name of its site
NO_TITLE_LINE = re.compile(
    r"^[\W\d_]+$|[:：。；;>]$|^[一二三四五六七八九十\d]{1,3}[、.．]|^[>|\[【(（\]·]"
)


def shown_part(lines: list[Line], page_title: str, parts: list[str]) -> str:
    """Return the longest line that <title> begins with, set apart from a shorter rest; else the part
    of <title> that looks like a title on the page, "" for none.
    """
    found = ""
    for line in lines:
        text = line.text
        if len(text) > len(found) and columns(text) >= SURE_COLUMNS and page_title.startswith(text):
            rest = page_title[len(text) :].lstrip()
            if rest and rest[0] in BESIDE and columns(rest) < columns(text):
                found = text
    if found or len(parts) < 2:
        return found
    plain = {
        comparable(part) for part in parts if part == parts[0] or columns(part) >= SURE_COLUMNS
    }
    for line in reversed(lines[: _first_prose(lines)]):
        if comparable(line.text) in plain and _rank(line.element) <= MARKED_RANK:
            return line.text
    return ""


def shown_title(lines: list[Line], said: str) -> str:
    """Return the line that looks like the title above the text, "" when none does or when ``said``,
    which <title> says, is printed on the page itself.
    """
    plain = comparable(said)
    above = [line for line in lines[: _first_prose(lines)] if line.element.tag != "title"]
    if said and _is_printed(said, lines):
        return ""
    if len(plain) >= 2 and any(plain in comparable(line.text) for line in above):
        return ""
    title, rank = _most_like_title(above[-_MOST_TITLE_LINES:])
    is_long = columns(title) >= LEAST_SHARE * columns(said)
    return title if is_long or rank <= NAMED_RANK else ""


def _most_like_title(above: list[Line]) -> tuple[str, int]:
    """Return the line above a text that looks most like a title, and how much it does; what stands
    above several lines without any mark is none of it.
    """
    plain_lines, best, title = 0, _PLAIN, ""
    for line in reversed(above):
        if not _may_be_title(line.text):
            continue
        rank = _rank(line.element)
        plain_lines += rank == _PLAIN
        if plain_lines > MOST_PLAIN:
            break
        if rank < best:
            best, title = rank, line.text
    return title, best


def _is_printed(said: str, lines: list[Line]) -> bool:
    """Whether a line says what <title> does, with little else: what is far shorter than the line it
    stands in is a word of that, and says nothing of the page.
    """
    is_sure = columns(said) >= SURE_LENGTH
    printed = (line.text for line in lines if line.element.tag != "title")
    return any(
        one == said or (is_sure and said in one and len(one) <= 2 * len(said) + MOST_MORE)
        for one in printed
    )


def _may_be_title(text: str) -> bool:
    """Whether a line is as long as a title, and says nothing of its article: no date, no byline."""
    if not SHORTEST <= len(text) <= _LONGEST or NO_TITLE_LINE.search(text):
        return False
    is_date = YEAR.search(text) and WEEKDAY.search(text)
    return not (is_date or SAYS_SOMETHING.search(text))


BROKEN_LINE = 25  # characters of a line of text that its author has broken, 30 to 40 wide
LEAST_HEADING_RANK = 5  # how much a line above a byline must look like a title
_MOST_TO_BYLINE = 3  # lines from a heading to the byline below it
_LONGEST_OWN = 100  # characters of a heading above a byline
IS_BYLINE = re.compile(
    r"[来來]\s*源|作\s*者|[发發][布佈表稿]|[时時]\s*[间間]|日\s*期|(?:19|20)\d\d\s*[年/.-]\s*\d{1,2}\s*[月/.-]|(?i:posted|published)"
)


def heading_above_byline(lines: list[Line], said: str) -> str:
    """Return the heading right above the line that says when or from whom an article is; "" when
    there is none, or when what <title> says is itself such a heading.

    Sites of authorities, schools and firms give all pages one <title>: their own name.
    """
    above = [one for one in lines[: _first_prose(lines) + 1] if one.element.tag != "title"]
    plain = comparable(said)
    for place, line in enumerate(above):
        if not IS_BYLINE.search(line.text) or len(line.text) > _LONGEST_OWN:
            continue
        for one in reversed(above[max(0, place - _MOST_TO_BYLINE) : place]):
            text = one.text
            is_other = SAYS_SOMETHING.search(text) or NO_TITLE_LINE.search(text) or YEAR.fullmatch(text)  # fmt: skip
            if is_other or not SHORTEST <= len(text) <= _LONGEST_OWN:
                continue
            if _rank(one.element) <= LEAST_HEADING_RANK:
                is_said = comparable(text) == plain
                return "" if is_said or columns(text) < columns(said) else text
    return ""


def is_shown(lines: list[Line], said: str) -> bool:
    """Whether what <title> says looks like a title above the text."""
    plain = comparable(said)
    return any(
        comparable(one.text) == plain and _rank(one.element) <= LEAST_HEADING_RANK
        for one in lines[: _first_prose(lines)]
        if one.element.tag != "title"
    )


def _first_prose(lines: list[Line]) -> int:
    """Return the place of the first prose: a line of it, or two of a text that is broken by hand."""
    for place, line in enumerate(lines):
        if is_prose(line.text):
            return place
        other = lines[place + 1] if place + 1 < len(lines) else line
        is_long = min(len(line.text), len(other.text)) >= BROKEN_LINE
        if (
            is_long
            and other is not line
            and other.element is line.element
            and HAN.search(line.text)
        ):
            return place
    return len(lines)


def columns(text: str) -> int:
    """Return a length in columns: a Han character says as much as two letters."""
    return sum(1 + (letter >= "\u2e80") for letter in text)


def _rank(element: etree._Element) -> int:
    """Tell how much an element looks like a title, by its name, tag, size, place in the middle: the
    less the more.
    """
    ranks = []
    around = (element, *islice(element.iterancestors(), 2))
    for one in around:
        names = names_of(one)
        if one.tag in {"a", "li", "nav"} or SITE_NAMED.search(names):
            return _PLAIN
        ranks.append(RANKS.get(str(one.tag), _PLAIN))
        if TITLE_NAMED.search(names):
            ranks.append(NAMED_RANK)
        elif _TITLE_CLASS.search(names):
            ranks.append(MARKED_RANK)
        if one.tag == "font" and LARGE.fullmatch(one.get("size", "").strip()):
            ranks.append(4)
        if one.get("align", "").lower() == "center":
            ranks.append(6)
        if _LARGE_STYLE.search(one.get("style", "")):
            ranks.append(4)
    around = (element, *islice(element.iterancestors(), MOST_AROUND))
    is_elsewhere = any(_ELSEWHERE.search(names_of(one)) for one in around)
    return _PLAIN if is_elsewhere else min(ranks)


HOME = re.compile(r"(?=.)(?:https?:)?(?://[^/?#]+)?/?(?:index\.\w{3,5})?|\.{1,2}/", re.IGNORECASE)
FIND_SHARED = etree.XPath("/descendant::meta[@property='og:title' or @name='og:title']/@content")
_LONGEST_TITLE_LINE = 200  # characters of a heading that may be a title
_SURE_LETTERS = (
    6  # characters from which a heading that stands in the page's title is no coincidence
)
SHORTEST_ALONE = 4  # characters of a heading that is taken for the title though no <title> says so
OF_WIKI = re.compile(r"\s\[([^\[\]]{2,30})\]$")  # 页面 [某某维基]: the wiki behind its page
WIKI_PATH = re.compile(r"[a-z0-9_.-]+(?::[a-z0-9_.-]+)+")  # a page's place in a wiki: guide:install
# The same beside the name of the wiki, in any script: 花园:p1 [某某维基].
NAME_IN_WIKI = re.compile(r"[^\W\dA-Z][\w.-]*(?::[\w.-]+)*|[a-z0-9_.-]+(?::[\w.-]+)*")
# What a tracker calls all its pages, their number aside: Issue812, Bug #77.
_NUMBERED_PAGE = re.compile(r"[A-Za-z]{2,12}\s*+#?\s*+\d{1,9}|#\d{1,9}")
SURE_LENGTH = 8  # columns of a part of <title> that is rather the title than the name of the site
GREETING = re.compile(r"^(?:欢迎(?:访问|光临|您?来到)|[谢感]谢您?访问)[\s:：!！]*|[〖〗【】]")
POWERED = re.compile(r"powered by", re.IGNORECASE)
_SEPARATORS = re.compile(
    r"\s+[-|_–—·»:]+\s+|[|_｜]|\s*--+\s*|——|(?<=[\u4e00-\u9fff”》！？])-(?=[\u4e00-\u9fff])"
)
# A site, a body or an issue of a magazine, which all its pages are called by.
NAME_OF_SITE = re.compile(
    r"[^\s，。！？,|_-]{1,12}(?:网|网站|在线|博客|频道|主页|首页|论坛|社区|门户|门户网站)|home(?:page)?"
    r"|(?!关于)[^\s，。！？：,|_-]{2,20}(?:公司|集团|大学|学院|学校|[中小]学|幼儿园|研究[所院]|委员会|政府|[^结格布]局|中心|协会|学会|医院|图书馆|博物馆|杂志社?|报社|(?:数字|电子)[报版])"
    r"|《[^》]{1,12}》(?:杂志|期刊)?\s*(?:19|20)\d\d年(?:第?\s*\d{1,3}期|\d{1,2}月号?)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(r"(?:无标题|新建网页|untitled)\b.*|new page \d+", re.IGNORECASE)
# What a template calls each of its pages, so that no other part of <title> is the page's own either.
OF_TEMPLATE = re.compile(
    r"(?:新闻|文章|内容|信息|资讯|公告|通知|动态|案例|活动)(?:的?(?:详情|详细|详细内容|详细信息|正文|内容|展示|查看|浏览)页?面?)"
    r"|(?:news|article|post|content)[ -]?(?:details?|page|view)",
    re.IGNORECASE,
)


class _Heading(NamedTuple):
    """A heading that is not known to be the site's; ``named``: its class says that it is a title."""

    text: str
    plain: str
    named: bool
    tag: str


def find_title(document: Document, metas: Mapping[str, str], lines: list[Line]) -> str:
    """Choose the heading that <title> contains, else og:title, else the longest part of <title>;
    the first heading where <title> is missing or names the site alone, or what looks like one
    above the text where <title> is not printed on the page at all. ``lines`` are the page's.
    """
    page_title = "" if _NO_TITLE.fullmatch(document.title) else document.title.lstrip(BESIDE)
    of_template = any(OF_TEMPLATE.fullmatch(part) for part in _parts(page_title))
    given, page_title = page_title, "" if of_template else page_title
    site, shared = comparable(metas.get("og:site_name", "")), metas.get("og:title", "")
    headings = _own_headings(document, page_title)
    if (own := _of_heading(page_title, site, headings, shared)) is not None:
        return own
    if shared and comparable(shared) != site:
        return _longest_part(shared, site) if shared == page_title else _without(shared, site)
    names_site = _names_site(page_title, lines)
    if names_site and (own := heading_above_byline(lines, "") or shown_title(lines, "")):
        return own
    if not page_title or names_site or comparable(page_title) == site:
        own = heading_above_byline(lines, page_title) or _heading_alone(headings)
        return own or shown_title(lines, page_title) or given
    return _own_part(page_title, site, headings, lines)


def _of_heading(page_title: str, site: str, headings: list[_Heading], shared: str) -> str | None:
    """Return the heading that <title> contains; None without one, or where og:title is surer."""
    best = _heading_in(page_title, headings)
    if best is None:
        return None
    if _NUMBERED_PAGE.fullmatch(best.text) and (told := _told_of(page_title)):
        return told
    is_sure = best.named or len(best.text) >= _SURE_LETTERS or page_title.startswith(best.text)
    if shared and not is_sure:
        return None
    # What ends with a colon is the first line of a title.
    return _longest_part(page_title, site) if best.text.endswith((":", "：")) else best.text


def _names_site(page_title: str, lines: list[Line]) -> bool:
    """Whether <title> names the site alone; a body's own page, without any prose, is called by its name."""
    has_prose = _first_prose(lines) < len(lines)
    return has_prose and _is_of_all(page_title) and not is_shown(lines, page_title)


def _own_part(page_title: str, site: str, headings: list[_Heading], lines: list[Line]) -> str:
    """Return what a page is called where neither a heading nor og:title says it: the part of <title> that
    is shown, else the longest, unless that stands nowhere on the page and another line looks like a title.
    """
    parts = _parts(page_title)
    place = NAME_IN_WIKI if OF_WIKI.search(page_title) else WIKI_PATH
    if place.fullmatch(parts[0]) and (own := _heading_alone(headings)):
        return own
    # No site is named in a title that the page prints in one piece: 渡口 -- 一段往事, as ikiwiki has it.
    if len(parts) > 1 and is_shown(lines, page_title):
        return page_title
    shown = shown_part(lines, page_title, parts)
    longest = shown or _longest_part(page_title, site)
    own = "" if shown else heading_above_byline(lines, longest)
    return own or shown_title(lines, longest) or longest


def _told_of(page_title: str) -> str:
    """Return what <title> says of a page behind its number: Issue 812: A crash; "" when nothing."""
    for part in _parts(page_title):
        number = _NUMBERED_PAGE.match(part)
        rest = part[number.end() :] if number else ""
        if rest[:1] in {":", "：", "-", "–"} and columns(rest) >= SURE_LENGTH:
            return rest[1:].strip()
    return ""


def all_titles(document: Document) -> str:
    """Return everything on a page that could be its title, to look words up in."""
    shared = cast("list[str]", FIND_SHARED(document.root))
    headings = top_headings(document.root)
    texts = (short_text(heading, _LONGEST_TITLE_LINE) for heading in headings)
    return "\n".join((document.title, *shared[:2], *texts))


def site_names(document: Document, metas: Mapping[str, str], title: str) -> frozenset[str]:
    """Return the comparable names of a page's site: what stands in <title> beside its own title."""
    parts = (comparable(part) for part in _SEPARATORS.split(document.title))
    named = comparable(metas.get("og:site_name", ""))
    return frozenset(filter(None, (*parts, named))) - {comparable(title)}


def _own_headings(document: Document, page_title: str) -> list[_Heading]:
    """Return the headings that may be a page's title; a wiki's own name stands above all its pages."""
    headings = list(_headings(document.root))
    if (wiki := OF_WIKI.search(page_title)) is None:
        return headings
    return [one for one in headings if one.plain != comparable(wiki[1])] or headings


def _headings(root: etree._Element) -> Iterator[_Heading]:
    for heading in top_headings(root):
        link = heading.find(".//a[@href]")
        if link is not None and HOME.fullmatch(link.get("href", "").strip()):
            continue  # the name of the site
        above = heading.getparent()
        names = names_of(heading)
        if above is not None and not TITLE_NAMED.search(names):
            names += f" {names_of(above)}"
        text = heading_text(heading, _LONGEST_TITLE_LINE).rstrip("¶ ")
        if len(text) >= 2 and not SITE_NAMED.search(names):
            named = TITLE_NAMED.search(names) is not None
            yield _Heading(text, comparable(text), named, str(heading.tag))


def _heading_in(page_title: str, headings: list[_Heading]) -> _Heading | None:
    """Return the longest heading the page's title contains: as a part of its own, or a long one."""
    plain = comparable(page_title)
    parts = {comparable(part) for part in _parts(page_title)} | {plain}
    found = [
        one
        for one in headings
        if (one.plain or one.text in page_title)
        and one.plain in plain
        and (
            len(one.text) >= _SURE_LETTERS
            or (
                one.plain in parts
                and (one.named or one.tag == "h1" or page_title.startswith(one.text))
            )
        )
    ]
    return max(found, key=lambda one: (one.named, len(one.text)), default=None)


def _heading_alone(headings: list[_Heading]) -> str:
    """Return what is a title without <title> saying so: a named heading, the first h1, the only one."""
    for one in headings:
        if one.named:
            return one.text
    highest = min((one.tag for one in headings), default="")
    found = [one.text for one in headings if one.tag == highest]
    alone = bool(found) and (highest == "h1" or len(found) == 1)
    return found[0] if alone and len(found[0]) >= SHORTEST_ALONE else ""


def _is_of_all(title: str) -> bool:
    """Whether what <title> says is what all pages of a site are called."""
    return NAME_OF_SITE.fullmatch(GREETING.sub("", title)) is not None


def _parts(title: str) -> list[str]:
    return [part.strip(" -_|–—") for part in _SEPARATORS.split(OF_WIKI.sub("", title))]


def _longest_part(title: str, site: str) -> str:
    parts = _parts(title)
    others = [part for part in parts if comparable(part) != site]
    # The body that a page is of is longer than many a title: 渡口换新船 - 沿江县交通运输局.
    others = [one for one in others if not _is_of_all(one) and columns(one) >= SURE_LENGTH] or others  # fmt: skip
    return max(
        others or parts, key=lambda part: 0 if POWERED.search(part) else columns(part), default=""
    )


def _without(title: str, site: str) -> str:
    """Return a title without the name of its site at the end."""
    if site and comparable(title).endswith(site):
        parts = [*_SEPARATORS.finditer(title)]
        if parts and comparable(title[parts[-1].end() :]) == site:
            return title[: parts[-1].start()].strip()
    return title
