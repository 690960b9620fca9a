"""Company sites: twelve layouts of a contact page, about pages, products, news; and their hub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from random import Random

from focuscrawl.demo.contacts import LAYOUTS
from focuscrawl.demo.entries import LAST_DAY
from focuscrawl.demo.pages import Draft, document, pager, paragraphs
from focuscrawl.demo.restless import visitors
from focuscrawl.demo.texts import patterns, say
from focuscrawl.demo.truth import ChangeTruth, Page, RecordTruth
from focuscrawl.values import PageClass

HUB = "hub.example"
COMPANIES_OF_A_PAGE = 5

ABOUT_NAMES = ("关于我们", "公司简介", "关于我们", "走进企业", "About us", "關於我們")
CONTACT_NAMES = ("联系我们", "联系方式", "联 系 我 们", "聯繫我們", "Contact us", "联系我们")


@dataclass(frozen=True, slots=True)
class Company:
    """A company: its record's fields and, for some, a day on which its telephone changes."""

    number: int
    host: str
    name: str
    fields: Mapping[str, str | list[str]]
    seed: str
    moves: float | None

    @property
    def contact_url(self) -> str:
        """The page that holds the record."""
        return f"http://{self.host}/about/contact.html"

    def record(self, day: float) -> RecordTruth:
        """The record as it is on this day."""
        fields = dict(self.fields)
        if self.moves is not None and self.moves <= day:
            fields["phone"] = [f"028-5550{self.number + 70:02d}88"]
        return RecordTruth(self.contact_url, fields)

    def planted(self) -> tuple[ChangeTruth, ...]:
        """The day on which the record changes."""
        if self.moves is None:
            return ()
        return (ChangeTruth(self.contact_url, self.moves, "major"),)


@cache
def company(seed: str, number: int) -> Company:
    """Draw company ``number`` (0 …) of the web."""
    random = Random(f"{seed}/company/{number}")
    first = patterns("company", "name_a")
    brand = first[number % len(first)] + random.choice(patterns("company", "name_b"))
    city = random.choice(patterns("company", "city"))
    host = f"company-{number + 1:02d}.example"
    phones = [f"028-5550{number:02d}{random.randint(10, 99)}"]
    if number % 3 == 1:
        phones.append(f"028-5551{number:02d}{random.randint(10, 99)}")
    fields: dict[str, str | list[str]] = {
        "name": f"{city}{brand}{random.choice(patterns('company', 'kind'))}",
        "address": f"四川省{city}市{random.choice(patterns('company', 'street'))}{random.randint(1, 300)}号",
        "phone": phones,
        "fax": f"028-5552{number:02d}{random.randint(10, 99)}",
        "email": f"info@{host}",
        "zip": f"61{random.randint(1000, 9999)}",
        "contact": random.choice(patterns("company", "contact")),
        "url": f"http://{host}/",
    }
    if number % 2:
        fields["qq"] = f"{random.randint(10000000, 99999999)}"
    moves = float(random.randint(2, LAST_DAY - 2)) if number % 4 == 0 else None
    return Company(number, host, str(fields["name"]), fields, f"{seed}/{host}", moves)


class CompanySite:
    """The site of one company; the contact page is reached through the about page on every other."""

    def __init__(self, owner: Company) -> None:
        self.company = owner
        self.host = owner.host
        self._random = Random(f"{owner.seed}/site")
        self._titles = {
            f"news/{index}.html": say("company", "news_title", self._random)
            for index in range(1, 4)
        } | {
            f"product/{index}.html": say("company", "goods", self._random) for index in range(1, 5)
        }

    def robots(self) -> str:
        """The text of robots.txt; some sites have none."""
        return "User-agent: *\nDisallow:\n" if self.company.number % 2 else ""

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        path = url.removeprefix(f"http://{self.host}/")
        pages: dict[str, Callable[[Draft], Page]] = {
            "": self._home,
            "about/": self._about,
            "about/contact.html": lambda draft: self._contact(draft, day),
        }
        if path in pages:
            return self._with_counter(pages[path](Draft(url)), day)
        if path in self._titles:
            return self._with_counter(self._text(Draft(url), path), day)
        return None

    def _send(self, draft: Draft, page_class: PageClass, title: str, body: str) -> Page:
        number = self.company.number
        links = [("/", "首页"), ("/about/", ABOUT_NAMES[number % 6])]
        if number % 2 == 0:
            links.append(("/about/contact.html", CONTACT_NAMES[number % 6]))
        top = draft.list(links, "menu")
        encoding = "gbk" if number % 5 == 2 else "utf-8"
        meta = f'<meta http-equiv="Content-Type" content="text/html; charset={encoding}">'
        html = document(f"{title}-{self.company.name}", f"{top}\n{body}\n{self._foot()}", meta)
        return draft.page(page_class, html, title, encoding, "text/html")

    def _with_counter(self, page: Page, day: float) -> Page:
        """Put a counter of visitors below the pages of every third company."""
        if self.company.number % 3:
            return page
        counter = visitors(page.url, day).encode(page.encoding)
        return replace(page, body=page.body.replace(b"</body>", counter + b"</body>"))

    def _foot(self) -> str:
        maker = (
            "技术支持：纸上网络工作室 热线：028-55599900" if self.company.number % 4 == 3 else ""
        )
        return f'<div class="foot">© 2026 {self.company.name} 版权所有 {maker}</div>'

    def _home(self, draft: Draft) -> Page:
        links = draft.list([(f"/{path}", title) for path, title in self._titles.items()])
        intro = paragraphs([self._sentence("about", 0)])
        return self._send(
            draft, PageClass.OTHER, "首页", f"<h1>{self.company.name}</h1>{intro}{links}"
        )

    def _about(self, draft: Draft) -> Page:
        text = paragraphs(self._sentence("about", index) for index in range(4))
        name = CONTACT_NAMES[self.company.number % 6]
        link = draft.link("/about/contact.html", name, f'title="{name}"')
        return self._send(
            draft, PageClass.OTHER, "公司简介", f"<h1>公司简介</h1>{text}<p>{link}</p>"
        )

    def _contact(self, draft: Draft, day: float) -> Page:
        record = self.company.record(day)
        block = LAYOUTS[self.company.number % len(LAYOUTS)](record.fields)
        body = f"<h1>联系我们</h1>\n{block}\n<div class='map'>地图加载中</div>"
        sent = self._send(draft, PageClass.RECORD, "联系我们", body)
        return replace(sent, record=record)

    def _text(self, draft: Draft, path: str) -> Page:
        symbol, _, name = path.partition("/")
        first = int(name.removesuffix(".html")) * 10
        lines = [self._sentence(symbol, first + index) for index in range(6)]
        together = ["".join(lines[start : start + 2]) for start in range(0, len(lines), 2)]
        title, content = self._titles[path], f"<div class='content'>{paragraphs(together)}</div>"
        page_class = PageClass.ARTICLE if symbol == "news" else PageClass.OTHER
        return self._send(draft, page_class, title, f"<h1>{escape(title)}</h1>\n{content}")

    def _sentence(self, symbol: str, index: int) -> str:
        return say("company", symbol, Random(f"{self.company.seed}/{symbol}/{index}"))


class Hub:
    """A directory of the companies, five a page."""

    host = HUB

    def __init__(self, companies: list[Company], friends: tuple[tuple[str, str], ...]) -> None:
        self.companies = companies
        self._friends = friends

    def robots(self) -> str:
        """The text of robots.txt."""
        return "User-agent: *\nDisallow: /vip/\n"

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        path = url.removeprefix(f"http://{HUB}/")
        if path == "vip/":
            return Page(url, PageClass.OTHER, b"<html></html>", robots=False)
        last = -(-len(self.companies) // COMPANIES_OF_A_PAGE)
        address = ["/", *(f"/page/{page}/" for page in range(2, last + 1))]
        if f"/{path}" not in address:
            return None
        number = address.index(f"/{path}") + 1
        draft = Draft(url)
        first = (number - 1) * COMPANIES_OF_A_PAGE
        rows = [
            (f"http://{owner.host}/", owner.name)
            for owner in self.companies[first : first + COMPANIES_OF_A_PAGE]
        ]
        body = (
            f"<h1>四川食品企业名录</h1>\n{draft.list(rows)}\n"
            f"{pager(draft, number, last, address, 'few')}\n{draft.link('/vip/', '会员专区')}\n"
            f"{draft.list(self._friends, 'friends')}"
        )
        page_class = PageClass.BOARD if number == 1 else PageClass.PAGING
        html = document("四川食品企业名录", body)
        return draft.page(page_class, html, "四川食品企业名录")
