"""What a page states about itself: meta elements, JSON-LD, its short lines; and where among these its
title and its text stand, and what is not of its article.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import unescape
from itertools import islice
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.readers.pages.json_ld import objects_in, read_scripts, stated_name, types_of
from focuscrawl.readers.pages.texts import names_of
from focuscrawl.readers.text.lines import is_prose

_MOST_STATEMENTS = 1_500  # pieces of text that are looked through for a date
_MOST_PIECES_OF_LINES = 10_000  # pieces of text among which those are found
_LONGEST_STATEMENT = 200  # characters of a line that may hold a date, a source or an author
FIND_META = etree.XPath("/descendant::meta[@content and (@name or @property or @itemprop)]")
# Texts that are no links; of links those that may be a date, which blogs link to their pages.
FIND_LINES = etree.XPath(
    f"(//body/descendant::text())[position() <= {_MOST_PIECES_OF_LINES}]"
    "[string-length(normalize-space(.)) > 1 and string-length(.) < 400 and not(parent::script or parent::style"
    " or parent::noscript or parent::textarea or parent::option"
    " or (parent::a and (string-length(.) > 28 or not(contains(., '19') or contains(., '20')))))]"
)
# Texts that are too short for a date and may introduce one.
SHORT_LABEL = re.compile(
    r"[时時][间間][:：]?|日期[:：]?|..?[于於]|1[楼樓#]|[楼樓]主|on", re.IGNORECASE
)
INTRODUCES = re.compile(
    r"(?i)(?:来源|來源|出处|转自|转载自|作\s*者|撰文|记者|文|发布[者人]|(?:发文|制发|颁[发布])(?:机关|单位|部门)|source|author)\s*[:：]$|^本文(?:来源|來源|转载|轉載)[于於自]$|^(?:作者|撰文|authors?)$|(?:^|\s)(?:posted |written )?by:?$"
)
NO_PART = re.compile(r"[:：。！？!?]|^[\W\d]+$")
_LONGEST_SITE_NAME = 40  # characters of a name behind its label
MOST_BEHIND = 12  # texts behind a label in which the name it introduces is looked for
SAYS_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
# What a page may speak of, and parts of a page: their dates are not the page's.
SOMETHING_ELSE = frozenset({
    "Comment", "Review", "Person", "Event", "ImageObject", "VideoObject", "AudioObject", "Product", "Book", "Movie", "ListItem",
    "UserComments", "Answer", "Organization", "SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame", "WebSite",
    "Blog", "CollectionPage", "ItemList", "MusicAlbum", "MusicRecording", "MusicGroup", "TVSeries", "TVEpisode", "Course", "Periodical",
    "CreativeWorkSeries", "BookSeries", "MovieSeries", "UserReview", "CriticReview", "AggregateRating", "Offer",
})  # fmt: skip

_OTHER_TYPES = frozenset(kind.lower() for kind in SOMETHING_ELSE)  # pages write types in any case


class Line(NamedTuple):
    """A piece of text, its element, and which of the page's pieces it is; shorter ones are no lines."""

    text: str
    element: etree._Element
    number: int


class Statements(NamedTuple):
    """``metas`` by lower-case name (the first of each), ``described`` JSON-LD objects of an article,
    ``lines`` of text short enough for a date or a byline, in page order.
    """

    metas: dict[str, str]
    described: list[dict[str, Any]]
    lines: list[Line]


def read_statements(root: etree._Element, url: str = "") -> Statements:
    """Gather what a page states about itself; ``url`` is its address."""
    return Statements(_metas(root), _of_this_page(list(_described(root)), url), _lines(root))


def _metas(root: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in cast("list[etree._Element]", FIND_META(root)):
        content = " ".join(element.get("content", "").split())[:500]
        name = element.get("property") or element.get("name") or ""
        if not name and is_of_something_else(element):
            continue
        name = name or element.get("itemprop", "")
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def is_of_something_else(element: etree._Element) -> bool:
    """Whether an element is marked as the property of a comment, a book, a product."""
    for above in element.iterancestors():
        if above.get("itemscope") is not None:
            kind = above.get("itemtype", "").rstrip("/").rpartition("/")[2]
            return kind in SOMETHING_ELSE or above.get("itemprop") == "comment"
    return False


def _described(root: etree._Element) -> Iterator[dict[str, Any]]:
    """Go through the JSON-LD objects of a page that describe an article."""
    for value, text in read_scripts(root):
        objects = list(objects_in(_dated(text) if value is None else value))
        names = {str(value["@id"]): value.get("name") for value in objects if "@id" in value}
        for value in filter(_is_article, objects):
            author = value.get("author")
            if isinstance(author, dict) and "name" not in author:
                value["author"] = names.get(str(author.get("@id")))
            yield value


def _dated(text: str) -> Any:
    """Take of JSON that cannot be read its date, if it has one only."""
    dates = set(SAYS_PUBLISHED.findall(text))
    return {"datePublished": dates.pop()} if len(dates) == 1 else None


def _is_article(value: dict[str, Any]) -> bool:
    kinds = [kind.lower() for kind in types_of(value)]
    if any("article" in kind or "posting" in kind for kind in kinds):
        return True
    if "question" in kinds:
        return "dateCreated" in value or "datePublished" in value
    return ("datePublished" in value or "pubDate" in value) and _OTHER_TYPES.isdisjoint(kinds)


def _of_this_page(described: list[dict[str, Any]], url: str) -> list[dict[str, Any]]:
    """Put first what says that it describes this page; several that name others are a list."""
    path = _path(url)
    own = [value for value in described if path and _path(_address(value)) == path]
    rest = [value for value in described if value not in own]
    others = {address for value in rest if (address := _path(_address(value)))}
    if own or len(others) > 1:
        rest = [value for value in rest if not _path(_address(value))]
    return own + rest


def _address(value: dict[str, Any]) -> str:
    for name in ("url", "mainEntityOfPage", "@id"):
        said = value.get(name)
        said = said.get("@id") if isinstance(said, dict) else said
        if isinstance(said, str) and "://" in said:
            return said
    return ""


def _path(url: str) -> str:
    """Return the path of an address: the host may be that of its page for phones."""
    return url.partition("://")[2].partition("/")[2].partition("#")[0].rstrip("/")


def _lines(root: etree._Element) -> list[Line]:
    lines = []
    for number, piece in enumerate(cast("list[Any]", FIND_LINES(root))[:_MOST_STATEMENTS]):
        text = " ".join(piece.split())
        if INTRODUCES.search(text):
            text = f"{text} {_introduced(piece)}".rstrip()
        if 3 < len(text) <= _LONGEST_STATEMENT or SHORT_LABEL.fullmatch(text):
            element = piece.getparent()
            element = element.getparent() if piece.is_tail else element
            lines.append(Line(text, element, number))
    return lines


def _introduced(piece: Any) -> str:
    """Return the name behind a label that ends its piece of text: in the next element, or a link."""
    for text in islice(_texts_behind(piece.getparent(), inside=not piece.is_tail), MOST_BEHIND):
        if text and (name := " ".join(text.split())):
            return name if len(name) <= _LONGEST_SITE_NAME and not NO_PART.search(name) else ""
    return ""


def _texts_behind(element: etree._Element, *, inside: bool) -> Iterator[str | None]:
    """Go through the texts in an element and behind it; those behind its tail when not ``inside``."""
    if inside:
        for one in element.iterdescendants():
            yield from (one.text, one.tail)
        yield element.tail
    current: etree._Element | None = element
    while current is not None:
        following = current.getnext()
        if following is None:
            current = current.getparent()
            yield None if current is None else current.tail
            continue
        yield following.text
        for one in following.iterdescendants():
            yield from (one.text, one.tail)
        yield following.tail
        current = following


def elements_behind(element: etree._Element) -> Iterator[etree._Element]:
    """Go through the elements in one and after it in the order of the page."""
    yield from element.iterdescendants()
    current: etree._Element | None = element
    while current is not None:
        following = current.getnext()
        if following is not None:
            yield from following.iter()
        current = following if following is not None else current.getparent()


def comparable(text: str) -> str:
    """Return letters and digits only, in lower case, to compare titles by."""
    return re.sub(r"[\W_]+", "", text.lower())


HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
# Class names and ids of the parts of a page that are not its article.
_OTHER_PART = re.compile(
    r"(?:^|[^a-z])(?:ambox|mbox|comments?|commentlist|reply|replies|respond|disqus|footer|foot|copyright|sidebar|aside|related|relate|recommend|recent"
    r"|calendar|archives?|rank|pager|pagination|prevnext|references)(?:$|[^a-z])|(?:^|\s)hot(?:$|[^a-z])"
)


# Parts below an article that speak of it, whatever they are called.
OF_ARTICLE = re.compile(r"(?:entry|post|article)[_-](?:footer|copyright)|md-source-file")


class Surroundings(NamedTuple):
    """Where a page's title, text and other parts stand.

    ``titles`` are the places of the title among the lines, to the first prose. ``head_ends`` is the
    place of the first line of prose, ``text_begins`` that of the second. ``around`` are the elements that hold title or prose,
    ``prose`` the elements prose stands in and their parents.
    """

    titles: tuple[int, ...]
    head_ends: int
    text_begins: int
    around: frozenset[etree._Element]
    prose: frozenset[etree._Element]


def surroundings_of(lines: list[Line], title: str) -> Surroundings:
    """Find title and prose among the lines of a page."""
    plain_title = comparable(title)
    named = [place for place, line in enumerate(lines) if _is_title(line.text, plain_title)]
    prose = [
        place
        for place, line in enumerate(lines)
        if is_prose(line.text) and line.element.tag not in HEADINGS and place not in named
    ]
    begins = _begins(lines, named, prose, plain_title)
    of_text = [place for place in prose if place >= begins]
    first, second = (*of_text[:2], len(lines), len(lines))[:2]
    titles = tuple(place for place in named if place <= first)
    around = {
        up
        for place in (*titles, *of_text[:1])
        for up in (lines[place].element, *lines[place].element.iterancestors())
    }
    holders = {lines[place].element for place in prose}
    holders |= {above for one in holders if (above := one.getparent()) is not None}
    return Surroundings(titles, first, second, frozenset(around), frozenset(holders))


def _begins(lines: list[Line], named: list[int], prose: list[int], plain_title: str) -> int:
    """Return the place from which prose is the article's: what stands above its heading is not, be it
    a notice about cookies. Most of the prose must stand below.
    """
    for place in named:
        line = lines[place]
        in_heading = any(
            one.tag in HEADINGS for one in (line.element, *islice(line.element.iterancestors(), 2))
        )
        if in_heading and comparable(line.text) == plain_title:
            above = sum(len(lines[one].text) for one in prose if one < place)
            below = sum(len(lines[one].text) for one in prose if one > place)
            return place if below >= above else 0
    return 0


def is_elsewhere(element: etree._Element, around: frozenset[etree._Element]) -> bool:
    """Whether an element stands in a part of the page that is not its article's."""
    in_article = False
    for one in (element, *islice(element.iterancestors(), 30)):
        if one in around or one.tag == "body":
            return False
        in_article = in_article or one.tag == "article"
        names = names_of(one).lower()
        is_footer = one.tag == "footer" and not any(
            up.tag == "article" for up in one.iterancestors()
        )
        is_beside = one.tag in {"aside", "nav"} and not _is_below_heading(one)
        if is_footer or is_beside or _OTHER_PART.search(names.replace("_", "-")):
            return not (in_article or OF_ARTICLE.search(names))
    return False


def _is_below_heading(element: etree._Element) -> bool:
    """Whether an aside follows a title at once: blag says there when an article was published, and its tags."""
    above = element.getprevious()
    return element.tag == "aside" and above is not None and above.tag in {"h1", "h2", "h3"}


def _is_title(text: str, plain_title: str) -> bool:
    if len(plain_title) < 4 or len(text) < 4:
        return False
    plain = comparable(text)
    return plain_title in plain and len(plain) <= 2 * len(plain_title) + 20


NO_NAME = re.compile(
    r"(?i)^[\W\d_]+$|^(?:user)?name$|^author$|\bteam\b|_(?:mobile|wap|web|cms)$|未知|不详|匿名|佚名|网络|整理|观点|单位|本人|所有|手记|公司|投稿"
    r"|编辑|本站|本网|本报|小编|^(?:网站|系统|超级|本站)?管理员$|来源|admin\d*$|administrator|webmaster|anonymous|unknown|贡献者$|contributors?$"
    r"|^(?:appointment|default|popular|design)\b|最新|文章|更多|简介|策划|首页|登录|注册|联系|[昨今明前当]日|[昨今明]天|[记記]者$|通讯员$"
)
# What a label is followed by in a sentence, as 记者从…获悉.
_CLAUSE = re.compile(r"获悉|表示|报道|了解|采访|从|在|的|是|已|获|将|来到|走进|看到")
LATIN_NAME = r"[A-Z][\w.'’-]+(?: (?:and |de |van |von )?[A-Z][\w.'’-]+)"
# A name that a site has and no person; a blog may be called as the one who writes it.
ORGANISATION = re.compile(
    r"(?i)(?:网|网站|在线|频道|[日晚早周时]报|社|台|集团|公司|论坛|新闻|财经|科技|体育|娱乐|中心|[部处科室局厅院校委会办]|大学|news|times|daily|\.\w{2,4})$"
)
# What programs and offices call themselves in a meta element: KWCHCIK, Stadt - Presseamt.
OF_NO_PERSON = re.compile(r"^[A-Z]{3,}$|[A-Za-z] - |: ")
_AND = re.compile(r"[\s|]*(?:&|(?<=[\s|])and(?=[\s|]))[\s|]*")
_BEGINS_NAMED = re.compile(
    rf"[\s|]*(?:(?:[Ww]ritten )?[Bb][Yy]:?[\s|]+)?(?P<name>{LATIN_NAME}{{1,3}}(?:, {LATIN_NAME}{{1,3}})*(?: and {LATIN_NAME}{{1,3}})?)"
    r"\s*(?:$|[,|·•–—(-]|\b(?:on|at|in|for|is|was)\b|\d)"
)
# Words that no name of a person holds, and a byline may begin with.
_OFFICE = re.compile(r"(?i)\b(?:staff|writers?|reporters?|editor(?:s|ial)?|correspondent|author|about|share|follow|posted|published|updated|read|view|all|post|sign|log|news|press|media|magazine|the)\b")  # fmt: skip
INTRODUCED = re.compile(r"^(?:by|作者|文)\s*[:：]?\s+|^(?:作者)[:：]", re.IGNORECASE)
_MAIL_OR_WEB = re.compile(r"[\w.+-]+@[\w.-]+|https?://\S+|\bwww\.[\w.-]+", re.IGNORECASE)


def cleaned_name(text: str) -> str:
    """Return a name without addresses and introduction; "" when it is none."""
    words = (word.strip() for word in re.split(r"[,，]", _MAIL_OR_WEB.sub("", text)))
    between = ", " if text.isascii() else ","
    name = INTRODUCED.sub("", between.join(filter(None, words))).strip(" .,-|/—–")
    return "" if NO_NAME.search(name) or _CLAUSE.search(name) else name


def is_the_sites(name: str, site_names: Collection[str]) -> bool:
    """Whether a meta element names the site: by its whole name, or by how one of its names begins."""
    plain = comparable(name)
    is_called_so = ORGANISATION.search(name) is not None and plain in site_names
    return is_called_so or any(one != plain and one.startswith(plain) for one in site_names)


def names_at_beginning(text: str) -> str:
    """Return the persons of Latin letters that a byline begins with, "" for none; its pieces stand
    between bars.
    """
    match = _BEGINS_NAMED.match(_AND.sub(" and ", text))
    name = match["name"] if match else ""
    return name if cleaned_name(name) == name and not _OFFICE.search(name) else ""


def names_in(value: Any, *, of_persons: bool) -> str:
    """Return the names of a JSON-LD value: those of organisations, or all others."""
    values = value if isinstance(value, list) else [value]
    chosen = (one for one in values[:5] if of_persons != _is_organisation(one))
    found = (" ".join(unescape(stated_name(one)).split()) for one in chosen)
    # Behind a bar stands the outlet: Mira Holt | Harbour News.
    named = (cleaned_name(name.partition(" | ")[0]) for name in found if "://" not in name and not name.startswith("#"))  # fmt: skip
    return ", ".join(filter(None, named))[:120]


def _is_organisation(value: Any) -> bool:
    return isinstance(value, dict) and any(
        kind.lower().endswith("organization") for kind in types_of(value)
    )
