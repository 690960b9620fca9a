"""Soft 404: which pages are doubted, when a site is asked, and what then becomes of the page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scrapy import Request

from focuscrawl.features.revisit.feature import UNSURE, Revisit
from focuscrawl.features.revisit.missing.feature import NOTICE, REASON, SoftNotFound
from focuscrawl.features.revisit.missing.soft_404 import SOFT_404, impossible_path
from focuscrawl.kernel.flight import Detour, Flight
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.stores.results.results import StoredText
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import Article, PageClass, PageState, Waiting
from tests.clock import StandingClock
from tests.judging import judge
from tests.kernel.kernels import kernel_over

pytestmark = pytest.mark.soft_404

DAY = 86_400.0
TEMPLATE = load(
    'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n', {}, {}
).template
SITE, HOME, ERROR = "a.cn", "http://a.cn/", "http://a.cn/error.html"
Answer = Fetched | None


def html(title: str, *paragraphs: str) -> bytes:
    text = "".join(f"<p>{one}</p>" for one in paragraphs)
    return f"<html><title>{title}</title><body><h1>{title}</h1><div>{text}</div></body></html>".encode()


def news(number: int) -> bytes:
    said = f"第{number}批食品安全抽检结果公布,共抽检样品{number * 7}批次,其中{number}批次不合格,企业已经下架"
    more = (
        f"第{number + part}车间生产的食品{'甲乙丙丁戊己庚辛壬癸'[(number * part) % 10] * 9}合格。"
        for part in range(9)
    )
    return html(f"第{number}批食品抽检", *(f"{said},{one}" for one in more))


SORRY = html(
    "食品安全网",
    *(f"第{part}条:抱歉,您访问的食品安全页面不存在,请返回首页。" * 3 for part in range(4)),
)
HOME_PAGE = html(
    "首页", *(f"食品安全要闻第{part}条,监管部门今天公布了有关情况。" * 3 for part in range(4))
)


class Site:
    """A run over one site. ``answer`` says what an address that cannot exist gives."""

    def __init__(self, folder: Path, answer: Callable[[str], Answer]) -> None:
        self.asked: list[str] = []
        self.lengths: dict[str, int] = {}
        self.answer = answer
        self.clock = StandingClock(1.79e9)
        self.store = SQLiteStore(folder / "x.crawl.db")
        self.feature = self.open()

    def open(self) -> SoftNotFound:
        """Make the parts of a run, as after a restart."""
        self.kernel = kernel = kernel_over(
            self.store, TEMPLATE, self.clock, sources={}, stored=self, probe=self._ask
        )
        self.rules, self.frontier, self.counters = kernel.rules, kernel.frontier, kernel.counters
        self.criteria = Criteria(TEMPLATE, self.rules, {})
        self.revisit, feature = Revisit(kernel), SoftNotFound(kernel)
        kernel.hooks.collect([feature, self.revisit])
        return feature

    async def pages_there(self, host: str) -> list[str]:
        return []  # it has no other pages

    async def text(self, key: str) -> StoredText | None:
        length = self.lengths.get(key)
        return None if length is None else StoredText("", "", complete=True, length=length)

    async def _ask(self, site: str, url: str) -> Answer:
        assert site == SITE
        self.asked.append(url)
        await asyncio.sleep(0)
        return self.answer(url)

    def waiting(self, url: str, page_class: PageClass | None = None) -> Waiting:
        address = self.rules.canonicalizer.address(url)
        assert address is not None
        return Waiting(address.url, address.key, address.site, 4, 4, page_class)

    def known(self, url: str, body: bytes) -> PageState:
        """Return the state of an article that was read before."""
        waiting = self.waiting(url, PageClass.ARTICLE)
        state = self.revisit.visits.first_seen(
            waiting.key, waiting.url, SITE, PageClass.ARTICLE, self.clock.now - DAY
        )
        judged = judge(self.page(url, body), waiting, self.criteria)
        assert isinstance(judged.article, Article)
        mark = self.revisit.comparison.verdict(state, judged.article).mark
        return state._replace(digest=mark.digest, simhash=mark.simhash, details=mark.details)

    def page(self, url: str, body: bytes, status: int = 200) -> Fetched:
        return Fetched(url, status, body, "text/html; charset=utf-8", self.clock.now)

    async def fetch(
        self,
        url: str,
        body: bytes,
        before: PageState | None = None,
        page_class: PageClass | None = PageClass.ARTICLE,
    ) -> Flight:
        """Fetch a page as the spider does; what became of it is in its flight."""
        waiting = self.waiting(url, page_class)
        flight = Flight(Request(waiting.url), 1, 1, waiting, before=before)
        fetched = self.page(waiting.url, body)
        judged = judge(fetched, waiting, self.criteria)
        doubt = self.feature.doubt(flight, judged, fetched)
        if doubt is not None:
            await doubt.clear_up()
            if doubt.settle(judged):
                return flight
        flight.page = judged.page
        return flight

    def visit(self, url: str, was: bytes, body: bytes, final: str = "") -> Flight:
        """Visit an article again, that a redirect may have moved."""
        return asyncio.run(self.fetch(final or url, body, self.known(url, was)))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[[Callable[[str], Answer]], Site]]:
    made: list[Site] = []

    def make(answer: Callable[[str], Answer]) -> Site:
        one = Site(tmp_path, answer)
        one.store.own()
        made.append(one)
        return one

    yield make
    for one in made:
        one.store.release()


def says(body: bytes, final: str = "", status: int = 200) -> Callable[[str], Answer]:
    kind = "text/html; charset=utf-8"
    return lambda url: Fetched(final or url, status, body, kind, 1.79e9)


def url_of(number: int) -> str:
    return f"{HOME}news/{number}.html"


def ending(flight: Flight) -> tuple[str, str]:
    assert flight.page is not None
    return flight.page.outcome, flight.page.reason


def test_a_site_that_says_404_is_asked_once_and_its_rewritten_pages_are_read(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    fine = site(says(b"", status=404))
    for number in (1, 2, 3):
        assert ending(fine.visit(url_of(number), news(number), news(number + 40))) == ("stored", "")
    assert len(fine.asked) == 1
    assert not fine.counters["soft_404"]
    fine.clock.now += 4 * DAY
    fine.visit(url_of(4), news(4), news(44))
    assert len(fine.asked) == 2, "sites change"


def test_pages_as_they_were_or_a_little_changed_give_no_cause_to_ask(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    calm = site(says(SORRY))
    assert ending(calm.visit(url_of(1), news(1), news(1)))[0] == "stored"
    little = news(2).replace("企业已经下架".encode(), "企业已下架".encode(), 1)
    assert ending(calm.visit(url_of(2), news(2), little))[0] == "stored"
    for number in (3, 4, 5, 6):
        assert ending(asyncio.run(calm.fetch(url_of(number), news(number))))[0] == "stored"
    assert not calm.asked


def test_a_page_that_has_become_the_error_page_is_gone_whoever_comes_first(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    soft = site(says(SORRY))

    async def both() -> list[Flight]:
        known = [soft.known(url_of(number), news(number)) for number in (1, 2)]
        return await asyncio.gather(*(soft.fetch(one.url, SORRY, one) for one in known))

    for flight in asyncio.run(both()):
        assert ending(flight) == ("gone", REASON)
        assert (flight.outcome, flight.reason) == ("gone", REASON)
    assert len(soft.asked) == 1, "both waited for one answer"
    assert soft.counters["soft_404"] == 2
    assert ending(soft.visit(url_of(3), news(3), news(43)))[0] == "stored", "that is another page"


def test_what_was_learnt_is_in_the_sites_record_and_holds_in_the_next_run(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    soft = site(says(SORRY))
    soft.visit(url_of(1), news(1), SORRY)
    record = soft.feature.probe.sites.changed()[SITE]
    assert record["looks"]
    soft.feature = soft.open()
    soft.feature.probe.sites.load({SITE: {SOFT_404: record}})
    assert ending(asyncio.run(soft.fetch(url_of(2), SORRY))) == ("gone", REASON)
    assert ending(asyncio.run(soft.fetch(url_of(3), news(3)))) == ("stored", "")
    part = soft.waiting(f"{HOME}news/3_2.html", PageClass.ARTICLE_PAGING)
    flight = asyncio.run(soft.fetch(part.url, SORRY, page_class=PageClass.ARTICLE_PAGING))
    assert ending(flight) == ("gone", REASON), "nor is it a part of an article"
    assert len(soft.asked) == 1


def test_where_the_home_page_answers_for_everything_it_stays_what_it_is(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    easy = site(says(HOME_PAGE))
    assert ending(easy.visit(url_of(1), news(1), HOME_PAGE)) == ("gone", REASON)
    home = asyncio.run(easy.fetch(HOME, HOME_PAGE, page_class=PageClass.BOARD))
    assert ending(home) == ("list", "")
    found = asyncio.run(easy.fetch(HOME, HOME_PAGE))
    assert ending(found) == ("stored", ""), "whatever it is taken for"
    assert ending(asyncio.run(easy.fetch(url_of(2), news(2)))) == ("stored", "")


@pytest.mark.parametrize("target", [HOME, ERROR])
def test_a_known_page_that_leads_where_all_missing_ones_lead_is_gone(
    site: Callable[[Callable[[str], Answer]], Site], target: str
) -> None:
    moving = site(says(b"", target, 302))
    flight = moving.visit(url_of(1), news(1), HOME_PAGE, final=target)
    assert ending(flight) == ("gone", REASON)
    assert flight.waiting.url == url_of(1), "it is the address that was asked for that is gone"
    assert flight.page is not None
    assert flight.page.url == url_of(1)

    state = moving.known(url_of(2), news(2))
    unread = Flight(Request(state.url), 2, 2, moving.waiting(state.url), before=state)
    unread.of(Detour).led_to, unread.outcome = target, "alias"
    moving.feature.ending(unread)
    assert (unread.outcome, unread.reason) == ("gone", REASON)


def test_a_page_that_has_really_moved_is_no_error_page(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    honest = site(says(b"", status=404))
    flight = honest.visit(url_of(1), news(1), news(1), final=f"{HOME}archive/1.html")
    assert ending(flight) == ("stored", "")
    assert flight.waiting.url == f"{HOME}archive/1.html"

    async def led() -> Flight:
        state = honest.known(url_of(2), news(2))
        unread = Flight(Request(state.url), 2, 2, honest.waiting(state.url), before=state)
        unread.of(Detour).led_to, unread.outcome = f"{HOME}archive/1.html", "alias"
        honest.feature.ending(unread)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        return unread

    assert asyncio.run(led()).outcome == "alias"
    assert len(honest.asked) == 1


def test_while_a_site_does_not_answer_known_pages_are_read_another_time(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    silent = site(lambda _: None)
    flight = silent.visit(url_of(1), news(1), news(41))
    assert (flight.failed, ending(flight)) == (UNSURE, ("error", UNSURE))
    assert not flight.outcome, "which says nothing about the page"
    silent.clock.now += DAY / 2
    assert ending(silent.visit(url_of(1), news(1), news(41))) == ("stored", ""), "but not for ever"
    assert len(silent.asked) == 1


def test_new_addresses_that_say_the_same_are_asked_about_at_the_third(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    soft = site(says(SORRY))
    for _ in range(4):
        assert ending(asyncio.run(soft.fetch(url_of(1), SORRY)))[0] == "stored", "one address"
    assert not soft.asked
    outcomes = [ending(asyncio.run(soft.fetch(url_of(n), SORRY))) for n in (2, 3, 4)]
    assert outcomes == [("stored", ""), ("gone", REASON), ("gone", REASON)]
    assert len(soft.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        says(b"\x00\xff" * 5_000),
        says(b"%PDF-1.7 nothing"),
        says(b"<" * 20_000),
        says(b""),
        says(html("", "")),
        says(SORRY, status=500),
        says(SORRY, status=403),
    ],
)
def test_answers_that_are_no_pages_teach_nothing(
    site: Callable[[Callable[[str], Answer]], Site], answer: Callable[[str], Answer]
) -> None:
    odd = site(answer)
    assert ending(odd.visit(url_of(1), news(1), news(41))) == ("stored", "")
    assert ending(asyncio.run(odd.fetch(url_of(2), news(2)))) == ("stored", "")


def test_a_site_is_asked_beside_the_page_that_is_doubted(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    soft = site(says(SORRY))
    soft.visit(url_of(1), news(1), SORRY)
    (address,) = soft.asked
    assert address.startswith(f"{HOME}news/9")
    assert address.endswith(".html")
    assert address != impossible_path("0" * 16)


@pytest.mark.parametrize(
    ("length", "is_gone"), [(None, False), (60, False), (900, True), (0, True)]
)
def test_a_notice_is_believed_where_the_article_was_longer_with_its_text_stored_or_without(
    site: Callable[[Callable[[str], Answer]], Site], length: int | None, is_gone: bool
) -> None:
    honest = site(says(b"", status=404))
    known = honest.known(url_of(1), news(1))
    if length is not None:
        honest.lengths[known.key.hex()] = length
    said = "抱歉，指定的主题不存在或已被删除或正在被审核。"
    more = "如果您有食品安全方面的疑问,请联系本站的版主,我们会在三个工作日以内答复您的来信。"
    notice = html("食品安全网", said, more)
    flight = asyncio.run(honest.fetch(known.url, notice, known))
    assert (ending(flight) == ("gone", NOTICE)) == is_gone


BLOCKED_TOPIC = html(
    "食品安全网",
    "抱歉，指定的主题不存在或已被删除或正在被审核。",
    "如果您有食品安全方面的疑问,请联系本站的版主,我们会在三个工作日以内答复您的来信。",
)


def test_what_says_itself_that_it_is_gone_is_believed_while_its_site_is_not_to_be_asked(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    honest = site(says(b"", status=404))
    honest.visit(url_of(1), news(1), news(41))
    known = honest.known(url_of(2), news(2))
    honest.lengths[known.key.hex()] = 900
    assert ending(asyncio.run(honest.fetch(known.url, BLOCKED_TOPIC, known))) == ("gone", NOTICE)
    waiting = honest.waiting(url_of(3), PageClass.ARTICLE)
    another = honest.page(waiting.url, news(43))
    flight = Flight(Request(waiting.url), 1, 1, waiting, before=honest.known(url_of(3), news(3)))
    judged = judge(another, waiting, honest.criteria)
    assert honest.feature.doubt(flight, judged, another) is None, "others are not doubted then"
    assert len(honest.asked) == 1


def test_what_said_before_what_the_error_page_says_is_read_whole_or_in_parts(
    site: Callable[[Callable[[str], Answer]], Site],
) -> None:
    soft = site(says(SORRY))
    assert ending(soft.visit(url_of(1), news(1), SORRY)) == ("gone", REASON)
    assert ending(soft.visit(url_of(2), SORRY, SORRY))[0] == "stored"
    parts = SORRY.replace(b"</div>", '</div><a href="/news/3_2.html">下一页</a>'.encode())
    waiting = soft.waiting(url_of(3), PageClass.ARTICLE)
    assert judge(soft.page(url_of(3), parts), waiting, soft.criteria).piece is not None
    assert ending(soft.visit(url_of(3), SORRY, parts))[0] != "gone"
    assert ending(soft.visit(url_of(4), news(4), SORRY)) == ("gone", REASON)
