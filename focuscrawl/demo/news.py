"""News portals: boards with paging and articles of one to ten pages, in three house styles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import ceil
from random import Random

from focuscrawl.demo.entries import Entry
from focuscrawl.demo.pages import Draft, document, pager, paragraphs
from focuscrawl.demo.restless import advertisement, clock, hot, remarks
from focuscrawl.demo.truth import ArticleTruth, Page, moment
from focuscrawl.values import PageClass

DATE_FORMS = {
    "plain": "%Y-%m-%d %H:%M",
    "chinese": "%Y年%m月%d日 %H:%M",
    "labelled": "发布时间：%Y-%m-%d %H:%M:%S",
    "slashes": "%Y/%m/%d %H:%M",
}


@dataclass(frozen=True, slots=True)
class House:
    """How a portal looks: its name, encoding, addresses and the habits of its editors.

    ``board_url`` and ``article_url`` give the address of page n (1 = first). ``wrong_charset``
    is the share of articles that declare an encoding they are not in, ``advertises`` says whether
    there are advertisements between their paragraphs.
    """

    host: str
    name: str
    board_url: Callable[[str, int], str]
    encoding: str = "utf-8"
    date_form: str = "plain"
    container: str = '<div class="article-content">\n{text}\n</div>'
    board_pager: str = "both"
    page_size: int = 20
    wrong_charset: float = 0.0
    etag: bool = False
    advertises: bool = False
    robots: str = "User-agent: *\nDisallow: /admin/\n"


@dataclass(slots=True)
class Board:
    """A list of articles, newest first; ``listed`` boards stand in the navigation."""

    slug: str
    name: str
    entries: list[Entry] = field(default_factory=list)
    relevant: bool = False
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """A page that leads to boards or other sections."""

    name: str
    links: tuple[tuple[str, str], ...]


class Portal:
    """A site of boards and articles."""

    def __init__(
        self, house: House, boards: Sequence[Board], sections: dict[str, Section], seed: str
    ) -> None:
        self.host = house.host
        self.house = house
        self.boards = tuple(boards)
        self.sections = sections
        self.seed = seed
        self.friends: tuple[tuple[str, str], ...] = ()
        self._board_pages: dict[str, tuple[Board, int]] = {}
        self._parts: dict[str, tuple[Board, Entry, int]] = {}
        for board in self.boards:
            for number in range(1, ceil(len(board.entries) / house.page_size) + 1):
                self._board_pages[self._url(house.board_url(board.slug, number))] = board, number
            for entry in board.entries:
                for number, url in enumerate(entry.part_urls, 1):
                    self._parts[url] = board, entry, number
                if entry.full_url:
                    self._parts[entry.full_url] = board, entry, 0

    def _url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    @property
    def entries(self) -> list[Entry]:
        """All articles of all days."""
        return [entry for board in self.boards for entry in board.entries]

    def robots(self) -> str:
        """The text of robots.txt."""
        return self.house.robots

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        path = url.removeprefix(self._url(""))
        if path in self.sections:
            return self._section(url, self.sections[path], day)
        if url in self._board_pages:
            return self._board(url, *self._board_pages[url], day)
        if url in self._parts:
            board, entry, number = self._parts[url]
            return self._article(url, board, entry, number, day)
        if path == "/admin/":
            return Page(url, PageClass.OTHER, b"<html></html>", robots=False)
        return None

    def _navigation(self, draft: Draft, day: float) -> str:
        boards = [
            (self.house.board_url(board.slug, 1), board.name)
            for board in self.boards
            if board.listed
        ]
        return clock(day) + draft.list([("/", "首页"), *boards], "nav")

    def _foot(self, draft: Draft) -> str:
        friends = draft.list(self.friends, "friends") if self.friends else ""
        private = draft.link("/admin/", "后台")
        return f'<div class="footer">{friends}<p>{self.house.name} 版权所有 {private}</p></div>'

    def _send(
        self, draft: Draft, page_class: PageClass, title: str, body: str, variant: str = ""
    ) -> Page:
        """Encode a page and declare its encoding, wrongly where the variant says so."""
        encoding = self.house.encoding
        named = "gb2312" if encoding == "gbk" else encoding
        said = {"meta": "utf-8"}.get(variant, named)
        header = {"header": "text/html; charset=utf-8", "meta": "text/html"}.get(variant)
        default = "text/html" if encoding == "gbk" else "text/html; charset=utf-8"
        html = document(f"{title}_{self.house.name}", body, f'<meta charset="{said}">')
        return draft.page(page_class, html, title, encoding, header or default)

    def _section(self, url: str, section: Section, day: float) -> Page:
        draft = Draft(url)
        body = (
            f"{self._navigation(draft, day)}\n<h1>{escape(section.name)}</h1>\n"
            f"{draft.list(section.links, 'channels')}\n{self._foot(draft)}"
        )
        return self._send(draft, PageClass.BOARD, section.name, body)

    def _board(self, url: str, board: Board, number: int, day: float) -> Page | None:
        shown = [entry for entry in board.entries if entry.there(day)]
        shown.sort(key=lambda entry: (-entry.posted, entry.url))
        size = self.house.page_size
        last = max(1, ceil(len(shown) / size))
        if number > last:
            return None
        draft = Draft(url)
        rows = [
            f"<li>{draft.link(entry.url, entry.title())}"
            f'<span class="date">{moment(entry.posted):%Y-%m-%d}</span></li>'
            for entry in shown[(number - 1) * size : number * size]
        ]
        address = [self.house.board_url(board.slug, page) for page in range(1, last + 1)]
        body = (
            f'{self._navigation(draft, day)}\n<h1>{escape(board.name)}</h1>\n<ul class="list">\n'
            + "\n".join(rows)
            + f"\n</ul>\n{pager(draft, number, last, address, self.house.board_pager)}\n"
            + f"{hot(draft, board.entries, day)}\n"
            + self._foot(draft)
        )
        page_class = PageClass.BOARD if number == 1 else PageClass.PAGING
        return replace(self._send(draft, page_class, board.name, body), relevant=board.relevant)

    def _article(
        self, url: str, board: Board, entry: Entry, number: int, day: float
    ) -> Page | None:
        if not entry.there(day):
            return None
        draft, article = Draft(url), entry.article(day)
        body = (
            f'{self._navigation(draft, day)}\n<div class="crumb">{draft.link("/", "首页")} &gt; '
            f"{draft.link(self.house.board_url(board.slug, 1), board.name)}</div>\n"
            f"<h1>{escape(article.title)}</h1>\n{self._line(article, day)}\n"
            f"{self._text(article, number, day)}\n{self._part_links(draft, entry, number)}\n"
            f'<div class="editor">责任编辑：{article.author}</div>\n'
            f"{remarks(url, day)}\n{hot(draft, board.entries, day)}\n"
            f"{self._related(draft, board, entry, day)}\n{self._foot(draft)}"
        )
        page_class = {0: PageClass.OTHER, 1: PageClass.ARTICLE}.get(
            number, PageClass.ARTICLE_PAGING
        )
        variant = ""
        draw = Random(f"{self.seed}/charset/{entry.url}").random()
        if draw < self.house.wrong_charset:
            variant = "header" if draw < self.house.wrong_charset * 0.6 else "meta"
        return replace(
            self._send(draft, page_class, article.title, body, variant),
            relevant=entry.relevant,
            article=article,
            part=number,
            changed=entry.last_change(day),
            etag=self.house.etag,
        )

    def _line(self, article: ArticleTruth, day: float) -> str:
        reads = Random(f"{article.url}/{day:.2f}").randint(100, 9000)
        date = ""
        if article.published is not None:
            date = article.published.strftime(DATE_FORMS[self.house.date_form])
        return (
            f'<div class="info"><span>{date}</span> <span>来源：{article.source_name}</span> '
            f'<span class="count">阅读 {reads} 次</span></div>'
        )

    def _text(self, article: ArticleTruth, number: int, day: float) -> str:
        text = article.text if number == 0 else article.parts[number - 1]
        lines = [paragraphs([line]) for line in text.split("\n")]
        if self.house.advertises:
            lines.insert(2, advertisement(f"{article.url}/{number}", day))
        return self.house.container.format(text="\n".join(lines))

    def _part_links(self, draft: Draft, entry: Entry, number: int) -> str:
        if number == 0:
            return draft.link(entry.url, "分页阅读")
        links = pager(draft, number, len(entry.part_urls), list(entry.part_urls), entry.pager)
        return links + (draft.link(entry.full_url, "全文阅读") if entry.full_url else "")

    def _related(self, draft: Draft, board: Board, entry: Entry, day: float) -> str:
        """Link to four neighbours of the board, one of them with a tracking parameter."""
        place = board.entries.index(entry)
        around = [board.entries[(place + step) % len(board.entries)] for step in (1, 2, 5, 9)]
        links = [
            (
                other.url + ("?utm_source=related" if step == 1 and "?" not in other.url else ""),
                other.title(),
            )
            for step, other in enumerate(around)
            if other is not entry and other.there(day)
        ]
        return f"<h3>相关阅读</h3>\n{draft.list(links, 'related')}"
