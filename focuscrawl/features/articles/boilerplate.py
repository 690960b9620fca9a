"""What stands in and around an article and is not of its text: comments, numbers of lines, bylines, pagers.

Comments: under a short article they are most of the prose of a page, and an extractor takes them with
it: each new one would be a change of the article. Software of blogs and services of comments name
their section; these names are looked for as whole words, since a page about comments is none.
Listings of programs: their lines are the author's, the numbers beside them are not. Extractors for
prose take listings for boxes and drop them; blogs about programming consist of them.
Captions: what is printed under an image is not the author's sentence, and stands in the midst of them.
Quotations: posts of networks are embedded as quotations whose class names them, and dropped for it.
Lines before and after the text: breadcrumbs, bylines, pagers, further reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

from lxml import etree

from focuscrawl.readers.pages.advertisements import take_out
from focuscrawl.readers.pages.kind import pieces_of_prose
from focuscrawl.readers.pages.texts import names_of, short_text
from focuscrawl.readers.text.dates import PRINTED_CLOCK, PRINTED_DAY

# Classes and ids, in lower case: of WordPress, Typecho, themes of Hexo, and services of comments.
NAMES = frozenset((
    "comments", "comments-area", "comments-list", "comments-section", "comments-wrapper",
    "comments-container", "comments-wrap", "comment-list", "comment_list", "commentlist",
    "comment-section", "comment-area", "commentarea", "comment-wrap", "comment-box",
    "comment-container", "comment-respond", "respond", "post-comments", "entry-comments",
    "article-comments", "blog-comments", "page-comments", "news-comments", "disqus_thread", "wpdcom",
    "wpd-threads", "valine", "waline", "twikoo", "gitalk-container", "utterances", "giscus",
    "vcomments", "ds-thread", "ds-comments", "uyan_frame", "sohucs", "changyan", "pinglun",
))  # fmt: skip
SECTIONS = ("div", "section", "ol", "ul", "aside", "footer")
FIND_HEADINGS = etree.XPath("//h1")
# What a section of comments does not hold: some pages call all below their masthead so.
FIND_BODY = etree.XPath("/descendant::*[@itemprop='articleBody']")


def comments_of(root: etree._Element) -> set[etree._Element]:
    """Return a page's sections of comments; none where the page's first sentence stands in one."""
    sections = {
        one for one in root.iter(*SECTIONS) if not NAMES.isdisjoint(names_of(one).lower().split())
    }
    if not sections:
        return sections
    for find in (FIND_HEADINGS, FIND_BODY):
        sections -= _with_all_around(cast("list[etree._Element]", find(root)))
    first = next((element for _, element in pieces_of_prose(root)), None)
    is_below = first is not None and sections.isdisjoint((first, *first.iterancestors()))
    return sections if is_below else set()


def drop_comments(root: etree._Element) -> None:
    """Take the sections of comments out of a page."""
    for section in comments_of(root):
        take_out(section)


def _with_all_around(elements: Iterable[etree._Element | None]) -> set[etree._Element]:
    """Return elements with all that they stand in; each is looked at once."""
    found: set[etree._Element] = set()
    for element in elements:
        while element is not None and element not in found:
            found.add(element)
            element = element.getparent()
    return found


# 14 of 78 English pages have captions in their text, F1 .967; without them .975.
CAPTION = re.compile(r"caption", re.IGNORECASE)
CAPTION_TAGS = ("figcaption", "div", "p", "span", "dd")
LONGEST_CAPTION = 600  # characters; more is no caption, whatever it is called
LONGEST_PARAGRAPH = 10_000  # characters of a paragraph that is weighed against the captions


def drop_captions(root: etree._Element) -> None:
    """Take the captions of images out of a text, the images stay; not those that say the most of it,
    as in a story told in pictures.
    """
    captions: dict[etree._Element, int] = {}
    for one in root.iter(*CAPTION_TAGS):
        is_named = one.tag == "figcaption" or CAPTION.search(names_of(one)) is not None
        if is_named and captions.keys().isdisjoint(one.iterancestors()):
            length = len(short_text(one, LONGEST_CAPTION))
            if length and one.find(".//img") is None:
                captions[one] = length
    if not captions:
        return
    rest = (one for one in root.iter("p") if captions.keys().isdisjoint((one, *one.iterancestors())))  # fmt: skip
    if sum(len(short_text(one, LONGEST_PARAGRAPH)) for one in rest) > sum(captions.values()):
        for one in captions:
            take_out(one)


def name_no_quotations(root: etree._Element) -> None:
    """Take the names off quotations: one of a post is the article's as any other is."""
    for quotation in root.iter("blockquote"):
        for name in {"class", "id"}.intersection(quotation.attrib):
            del quotation.attrib[name]


LONGEST_NUMBERS = 30_000  # characters of the line numbers of one listing
TAGS = ("td", "th", "pre", "div", "span", "ol", "ul")  # elements line numbers stand in
GUTTER = re.compile(r"gutter|line-?no|line-?num|linenums|(?:^|[ _-])ln(?:$|[ _-])", re.IGNORECASE)
NUMBERS = re.compile(r"[\d\s]*")


def taken_listings(block: etree._Element) -> str:
    """Take the line numbers out of an element's listings, and return the text of these."""
    if block.find(".//pre") is None and block.find(".//code") is None:
        return ""
    for element in list(_of_numbers(block)):
        if _is_gutter(element):
            for child in list(element):
                element.remove(child)
            element.text = None
    return text_of_listings(block)


def unbox_listings(root: etree._Element) -> None:
    """Put listings in the place of the tables that hold nothing else but the numbers of their lines.

    Readability drops a small table, whatever is in it; a ``pre`` it keeps.
    """
    for table in list(root.iter("table")):
        parent = table.getparent()
        if parent is None or table.find(".//table") is not None:
            continue
        found = [one for one in table.iter("pre") if _is_other("".join(map(str, one.itertext())))]
        if not found or any(_is_other(text) for text in _beside_listings(table)):
            continue
        place = parent.index(table)
        found[-1].tail = table.tail
        parent[place : place + 1] = found


def _beside_listings(table: etree._Element) -> Iterator[str | None]:
    """Go through the texts of a table that stand in no ``pre``."""
    for element in table.iter():
        if element.tag != "pre" and next(element.iterancestors("pre"), None) is None:
            yield element.text
        if element is not table and next(element.iterancestors("pre"), None) is None:
            yield element.tail


def text_of_listings(root: etree._Element) -> str:
    """Return the text of all listings under an element, each once."""
    return _text_of(root, "pre", "code")


def text_of_quotations(root: etree._Element) -> str:
    """Return the text of all quotations under an element, each once."""
    return _text_of(root, "blockquote")


def _text_of(root: etree._Element, *tags: str) -> str:
    outermost = (one for one in root.iter(*tags) if next(one.iterancestors(*tags), None) is None)
    return "\n".join("".join(map(str, one.itertext())) for one in outermost)


def _of_numbers(block: etree._Element) -> Iterator[etree._Element]:
    """Go through the elements that hold nothing but numbers, or nothing."""
    others = _with_all_around(
        holder
        for element in block.iter()
        for holder, text in ((element, element.text), (element.getparent(), element.tail))
        if _is_other(text)
    )
    return (element for element in block.iter(*TAGS) if element not in others)


def _is_other(text: str | None) -> bool:
    return text is not None and NUMBERS.fullmatch(text) is None


def _is_gutter(element: etree._Element) -> bool:
    """Whether numbers are those of lines: they say so, or count from some line on without a gap."""
    above = element.getparent()
    if GUTTER.search(f"{element.get('class')} {None if above is None else above.get('class')}"):
        return True
    numbers = short_text(element, LONGEST_NUMBERS, " ").split()
    if len(numbers) <= 2 or any(len(number) > 6 for number in numbers):
        return False
    first = int(numbers[0])
    return [*map(int, numbers)] == [*range(first, first + len(numbers))]


CLAUSE_END = re.compile(r"[。！？；，、]|[.!?;,]\s")

DAY_ALONE = re.compile(rf"{PRINTED_DAY}(?:\s*+{PRINTED_CLOCK})?")
LONGEST_IMPRINT = 200  # characters of a footer: whose site, its number, address and telephone
LEADING, TRAILING = 8, 40  # lines at the beginning and at the end that are looked at
_SHORT_LINE = 60  # characters; a longer line is a sentence, whatever it begins with
CRUMBS = re.compile(
    r"(?:您?(?:当前|现在|所在)?(?:的)?位置\s*[:：]|首页|主页|home\b).*", re.IGNORECASE
)
_BYLINE_LABEL = re.compile(
    r"(?:(?:文章)?来源|作者|记者|编辑|责任编辑|发布(?:时间|日期|者)?|时间|日期|点击|浏览|阅读|字号|分享|评论)\s*[:：\d(（].*"
    rf"|{PRINTED_DAY}.*"
    r"|(?:(?:公開|投稿|更新|掲載|配信|最終更新)日?時?|(?:기사 ?)?입력|등록|수정|승인|작성)[\s:：]*(?:일시?)?[\s:：]*\d.*"
    r"|(?:[Ff]irst |[Ll]ast )?(?:[Pp]ublished|[Uu]pdated|[Pp]osted|[Ss]ubmitted)\b[^.!?]*\d[^.!?]*"
    # The head of a mail.
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z\d][^.!?]*(?:19|20)\d\d\b[^.!?]*"
    r"|(?:From|To|Cc|Date|Sender|Subject|References|Reply-[Tt]o|Message-[Ii][Dd]|In-[Rr]eply-[Tt]o|List-[A-Z][a-z]+|发件人|收件人|主题)\s*[:：].*"
    r"|[A-Z][\w.'’ -]{1,40} \S{1,40} at \S{1,40}\.[a-z]{2,6}"
    r"|(?:[A-Z][a-z]+ )?[Aa]uthors?: (?:[^.!?]|\.(?=\S))*"
    r"|(?:[A-Z][a-z]+day,? )?(?:[A-Z][a-z]{2,8}\.? \d{1,2},?|\d{1,2}\.? [A-Z][a-z]{2,8},?) (?:19|20)\d\d\b[^.!?]*"
    r"|(?:[Ww]ritten )?[Bb]y:?(?: (?:and |de |van |von )?[A-Z][\w.'’-]*,?)+"
)
# What leads from a mail, or a page of a manual, to others: [Date Prev][Thread Next].
_IN_BRACKETS = re.compile(r"(?:\[\s*(?!\d+\s*\])[^\[\]]{2,24}\]\s*[|·,]?\s*){2,12}")
_COMMA = re.compile(r"[，、,]")
_TIME = re.compile(r"(?:时间|日期)\s*[:：]")
_PLACE_LABEL = re.compile(r"(?:[会活]?[议动]?地[点址]|会[场址])\s*[:：]")
_LINE_LABEL = re.compile(
    r"(?i)(?:(?:发[布表]|更新|编辑|创建|修改|分类|归类|收录|刊登|转载)[于在]?|作者|来源|阅读(?:数|量|次数)?|浏览(?:数|量|次数)?|评论数?|热度|字数|本文字数|阅读时长|标签"
    r"|posted (?:on|by|in)|edited on|updated|author|category|tags?|views|comments?|words)\s*[:：]?"
)
PAGER_WORD = re.compile(
    r"(?i)\d{1,3}|第\d{1,3}页|共\d{1,3}页|[上下前后首末尾]一?页|[上下前后]一[篇条]|第一页|最后一页|全文(?:阅读|显示)?|阅读全文|单页(?:阅读|显示)?"
    r"|prev(?:ious)?|next|\.{2,}|…+"
)
_SEPARATING = re.compile(r"[\s\[\](){}（）【】<>《》«»|·/-]+")
CREDITS = re.compile(
    r"[(（\[【]?\s*(?:责任?编辑?|责编|编辑|校对|审核|审校|值班主任|监制|来源|文章来源|作者|本文来源|打印|分享)\s*[:：].*"
    r"|[上下前后]一[篇条]\s*[:：].*|(?i:more information about the .{1,60} list)|本[贴帖文]由.{1,20}[于於在].*"
)
IMPRINT = re.compile(
    r".*(?:版权所有|copyright\b|©|备案号|ICP备|all rights reserved).*", re.IGNORECASE
)
TOOL = re.compile(
    r"(?i)(?:(?:评论|点赞|赞|顶|踩|喜欢|收藏|分享|转发|转载|举报|纠错|打印|关注|在看|微信|微信好友|朋友圈|新浪微博|微博"
    r"|QQ空间|QQ好友|QQ|复制链接|扫一扫|comments?|likes?|shares?|save|print|email|facebook|twitter)[到至数]?)+"
)
_COUNT_OF = re.compile(r"\d[\d,.]*[万亿kw]?\+?", re.IGNORECASE)
BETWEEN_TOOLS = re.compile(r"[\W_]+")
_FURTHER_READING = re.compile(
    r"(?i)(?:相关|推荐|延伸|热门|更多|猜你喜欢|您可能|往期|最新)(?:的)?(?:阅读|新闻|文章|链接|推荐|资讯|内容|报道|专题|回顾)?[:：]?"
    r"|猜你喜欢|[为為][你您]推[荐薦]|(?:関連|人気|おすすめ|注目)の?(?:記事|ニュース|リンク)?|あわせて読みたい"
    r"|(?:관련|추천|인기|많이 본) ?(?:기사|뉴스|글)|related (?:articles|stories|posts|content|news)"
    r"|read (?:more|next|also)|(?:more|most) (?:stories|news|read|popular|viewed)|recommended(?: for you)?|you (?:may|might) also like"
)
# A line between two paragraphs that names another article.
POINTER = re.compile(
    r"(?i)[(（\[【]?(?:related|(?:read|see) (?:more|also|next)|also read|延伸阅读|相关(?:阅读|新闻|报道|链接)|関連(?:記事|リンク)|관련 ?기사)\s*[:：]\s*\w.*"
)
_LONGEST_POINTER = 120  # characters


# A button between the first lines of a text and the rest of it, or below all of it.
UNFOLDS = re.compile(
    r"(?i)(?:点击)?(?:展开|查看|阅读)(?:全文|全部|更多|剩余(?:的)?\s*\d{1,3}\s*%?)(?:内容)?|收起(?:全文)?|返回\w{1,6}[，,]?\s*查看更多|未完待续"
    r"|(?:show|read) (?:more|less|full (?:text|article|story))|expand(?: all)?|continue reading"
)
# What a platform says of all that its users write: whose opinion it is not, and that it only stores it.
DISCLAIMER = re.compile(
    r"(?i)(?:(?:特别|平台|版权|免责|郑重|风险)?(?:声明|提示)\s*[:：]|[(（]?本(?:文|稿)|以上(?:内容|文章)|该文|文章|notice\s*:|disclaimer\s*:|the (?:content|views))"
    r".{0,160}(?:仅代表(?:该|其|原)?(?:作者|个人|本人)|不代表\S{1,20}(?:观点|立场)|(?:仅|只)提供信息(?:存储|发布)|信息(?:存储空间|发布平台)|用户上传并发布|上传并发布|侵权.{0,20}(?:联系|删除)"
    r"|not (?:necessarily )?(?:represent|reflect)|only provides? information storage).{0,200}"
)
LONGEST_DISCLAIMER = 300  # characters


def trimmed(text: str, title: str) -> str:
    """Return the text without what stands before and after it; ``title`` repeated on top goes, too.

    Only short lines go, and never all of them: a text of bylines alone stays as it is.
    """
    lines = [line for line in text.split("\n") if not _is_pointer(line)] or [text]
    start = _first(lines, title)
    end = _end(lines, start)
    return "\n".join(lines[start:end]) if start < end else text


def _is_pointer(line: str) -> bool:
    is_short = len(line) <= _LONGEST_POINTER and line[-1:] not in "。！？."
    return is_short and (POINTER.fullmatch(line) is not None or UNFOLDS.fullmatch(line) is not None)


def _first(lines: list[str], title: str) -> int:
    start = 0
    plain = _plain(title)
    for number, line in enumerate(lines[:LEADING]):
        crumb = CRUMBS.fullmatch(line) and (">" in line or "»" in line or "：" in line)
        if (
            crumb
            or _IN_BRACKETS.fullmatch(line)
            or (plain and _plain(line) == plain)
            or (len(line) <= _SHORT_LINE and _is_labels(line))
            or (len(line) <= _SHORT_LINE and _is_byline(line, lines[number + 1 : number + 2]))
        ):
            start = number + 1
        elif len(line) > _SHORT_LINE or CLAUSE_END.search(line):
            break
    return start


def _is_byline(line: str, following: list[str]) -> bool:
    """Whether a line says when and by whom, and is neither a sentence that begins with its date nor
    the time of an event, whose place follows.
    """
    if _BYLINE_LABEL.fullmatch(line) is None or (line[-1] in "。！？" and _COMMA.search(line)):
        return False
    return not (_TIME.match(line) and any(_PLACE_LABEL.match(one) for one in following))


def _end(lines: list[str], start: int) -> int:
    end = len(lines)
    for number in range(len(lines) - 1, max(start, len(lines) - TRAILING) - 1, -1):
        line = lines[number]
        if _FURTHER_READING.fullmatch(line) and all(
            len(rest) <= _SHORT_LINE for rest in lines[number:]
        ):
            end = number
    while end > start + 1:
        line = lines[end - 1]
        if DAY_ALONE.fullmatch(line) and end > start + 2 and CREDITS.fullmatch(lines[end - 2]):
            end -= 1  # of the credits above; alone it signs the text
            continue
        is_short = len(line) <= _SHORT_LINE
        is_imprint = (len(line) <= LONGEST_IMPRINT and IMPRINT.fullmatch(line) is not None) or (
            len(line) <= LONGEST_DISCLAIMER
            and (DISCLAIMER.fullmatch(line) or _IN_BRACKETS.fullmatch(line)) is not None
        )
        if not is_imprint and not (
            is_short and (_is_pager(line) or CREDITS.fullmatch(line) or _is_tools(line))
        ):
            break
        end -= 1
    return end


def _is_pager(line: str) -> bool:
    words = [word for word in _SEPARATING.split(line) if word]
    return bool(words) and all(PAGER_WORD.fullmatch(word) for word in words)


def _is_tools(line: str) -> bool:
    """Whether a line only counts and offers what a reader may do: 评论(12) 点赞 3 分享到：微信 微博."""
    words = [word for word in BETWEEN_TOOLS.split(line) if word and not _COUNT_OF.fullmatch(word)]
    return bool(words) and all(TOOL.fullmatch(word) for word in words)


def _is_labels(line: str) -> bool:
    """Whether a line names what was beside it: 发表于 | 更新于 | 分类于."""
    words = [word for word in _SEPARATING.split(line) if word.strip(":：")]
    return bool(words) and all(_LINE_LABEL.fullmatch(word) for word in words)


def _plain(line: str) -> str:
    return re.sub(r"\W", "", line).casefold()
