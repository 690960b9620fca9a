"""Articles of several pages on their way: whole whenever the run is killed, in whatever order."""

from __future__ import annotations

import asyncio
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.articles.reader import put_together
from focuscrawl.features.articles.several_pages.assembly import (
    ARTICLE_PARTS,
    LOST,
    SENT,
    ArticleAssembly,
    Ready,
)
from focuscrawl.features.articles.several_pages.parts import Piece
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.sites import ALL_PARTITIONS, partition_of
from focuscrawl.values import Article, Page, PageClass, Waiting

pytestmark = pytest.mark.A2

TEMPLATE = load(
    'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n', {}, {}
).template
NOON = 1_795_147_200.0
LAST = 5
ADDRESS = Canonicalizer().address("http://a.cn/t/7.html")
assert ADDRESS is not None
FIRST = Waiting(ADDRESS.url, ADDRESS.key, ADDRESS.site, 4, 4, PageClass.ARTICLE)
"""It waits below its parts: after a kill they may come before it comes once more."""


def text(number: int) -> str:
    return f"第{number}页：市场监管部门公布了第{number}批食品安全抽检的结果，有两批次不合格。"


WHOLE = "\n".join(text(number) for number in range(1, LAST + 1))


def part(number: int) -> Waiting:
    """Return a part's URL: 0 shows all."""
    address = Canonicalizer().address(f"http://a.cn/t/7_{number}.html")
    assert address is not None
    return Waiting(address.url, address.key, address.site, 5, 4, PageClass.ARTICLE_PAGING,
                   page_number=number, first_key=FIRST.key)  # fmt: skip


def piece(waiting: Waiting, *names: int, said: str | None = None) -> Piece:
    """Return what a page gives that names these further parts."""
    number = waiting.page_number
    is_first = waiting.page_class is PageClass.ARTICLE
    key = waiting.key.hex()
    return Piece(
        FIRST.key.hex(), key, number, NOON, waiting.url, "食品抽检",
        text(number) if said is None else said,
        named={part(name).key.hex(): name for name in names},
        article=Article(key, waiting.url, "a.cn", "食品抽检", text(1)) if is_first else None,
        page=Page(key, waiting.url, "a.cn", PageClass.ARTICLE, "stored", relevant=True) if is_first else None,
    )  # fmt: skip


class Crawl:
    """A crawl of one article over a real frontier and store, without its network."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[str, Article] = {}
        self.begin()
        self.frontier.add(FIRST, int.from_bytes(FIRST.key[:8], "big"))
        self.commit()

    def begin(self) -> None:
        self.store = SQLiteStore(self.path)
        partitions = self.store.own()
        self.frontier = Frontier(
            LevelOrder(LevelRules(), Factor()), politeness=lambda site: Politeness(delay=0.0, concurrency=9),
            partition_of=partition_of, stored=self.store.read, random=lambda: 0.5,
        )  # fmt: skip
        self.frontier.load(asyncio.run(self.store.load(partitions)), NOON)
        self.judged: list[tuple[str, str]] = []
        self.assembly = ArticleAssembly(
            lambda gathered: put_together(gathered, TEMPLATE, None), self.frontier.note_fact,
            lambda page, before: self.judged.append((page.outcome, before)),
        )  # fmt: skip
        asyncio.run(self.assembly.load(partial(self.store.facts_in, ALL_PARTITIONS), NOON))
        self.flying: list[tuple[int, Waiting]] = []
        self.on_their_way = self.assembly.ready()
        self.pending: dict[str, Article] = {}

    def fetch(self) -> None:
        row = self.frontier.take(1.0, NOON)
        if row is None:
            return
        waiting = row.waiting
        names = range(waiting.page_number + 1, LAST + 1)[:2]
        for name in names:
            self.frontier.add(part(name), int.from_bytes(part(name).key[:8], "big"))
        self.flying.append((row.sequence, waiting))
        self.send(self.assembly.take(piece(waiting, *names), anew=False))

    def send(self, ready: Ready | None) -> None:
        self.on_their_way += [ready] if ready is not None else []

    def pipe(self) -> None:
        if self.on_their_way:
            article = self.on_their_way.pop(0).article
            self.pending[article.url_key] = article
            self.send(self.assembly.stored(article.url_key))

    def settle(self) -> None:
        if self.flying:
            sequence, waiting = self.flying.pop()
            self.assembly.settled(waiting)
            self.frontier.acknowledge(sequence, 1.0)

    def commit(self) -> None:
        if hasattr(self, "pending"):
            self.results.update(self.pending)
            self.pending = {}
        self.store.commit(self.frontier.drain())
        self.frontier.committed()

    def kill(self) -> None:
        self.store.release()
        self.begin()

    def facts(self) -> list[str]:
        kinds = (ARTICLE_PARTS, LOST, SENT)
        return [key for kind in kinds for key in asyncio.run(self.store.facts(kind))]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(("fetch", "fetch", "pipe", "settle", "settle", "commit", "kill")), max_size=40))  # fmt: skip
def test_an_article_is_whole_whenever_the_run_is_killed(actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        crawl = Crawl(Path(folder) / "x.crawl.db")
        for action in actions:
            getattr(crawl, action)()
        for _ in range(2 * LAST):
            for action in ("fetch", "pipe", "settle", "commit"):
                getattr(crawl, action)()
        article = crawl.results[FIRST.key.hex()]
        assert (article.text, article.page_count, article.complete) == (WHOLE, LAST, True)
        assert crawl.facts() == []
        crawl.store.release()


@pytest.fixture
def crawl(tmp_path: Path) -> Any:
    made = Crawl(tmp_path / "x.crawl.db")
    yield made
    made.store.release()


def out(ready: Ready | None) -> tuple[str, bool, bool]:
    """Return which pages are in an article that goes out, whether that is all, and whether again."""
    assert ready is not None
    pages = "".join(str(n) for n in range(1, LAST + 1) if text(n) in ready.article.text)
    return pages, ready.article.complete, ready.again


def test_what_has_failed_is_not_waited_for_and_comes_quietly(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assert assembly.take(piece(FIRST, 2, 3), anew=False) is None
    assert assembly.take(piece(part(3)), anew=False) is None
    assert out(assembly.ended(part(2), "http 500", comes_back=True)) == ("13", False, False)
    assert assembly.stored(FIRST.key.hex()) is None
    assert assembly.ended(part(2), "http 500", comes_back=True) is None, "nothing new"
    assert out(assembly.take(piece(part(2)), anew=False)) == ("123", True, True)


def test_a_part_that_comes_while_the_article_is_on_its_way_is_not_lost(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2), anew=False)
    assert out(assembly.ended(part(2), "timeout", comes_back=True)) == ("1", False, False)
    assert assembly.take(piece(part(2)), anew=False) is None, "it is with the pipelines"
    assert out(assembly.stored(FIRST.key.hex())) == ("12", True, True)


def test_a_pipeline_that_failed_gets_the_article_again(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2), anew=False)
    assert out(assembly.take(piece(part(2)), anew=False)) == ("12", True, False)
    assembly.failed(FIRST.key.hex())
    assert out(assembly.take(piece(part(2)), anew=False)) == ("12", True, False)
    assert assembly.dropped(FIRST.key.hex())
    assert crawl.judged[-1] == ("dropped", "stored")
    assert not assembly.dropped("0" * 32), "an article of one page is not its business"


def test_at_the_end_of_a_run_an_article_goes_out_as_it_is_once(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2, 3), anew=False)
    assembly.take(piece(part(2)), anew=False)
    assert [out(ready) for ready in assembly.unsent()] == [("12", False, False)]
    assembly.failed(FIRST.key.hex())
    assert assembly.unsent() == []


def test_a_page_that_shows_all_ends_the_waiting_if_it_does(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 0, 2, 3), anew=False)
    assembly.take(piece(part(2)), anew=False)
    whole = "\n".join(map(text, (1, 2, 3)))
    assert out(assembly.take(piece(part(0), said=whole), anew=False)) == ("123", True, False)


def test_a_page_that_only_says_it_shows_all_does_not(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 0, 2), anew=False)
    assert assembly.take(piece(part(0), said="请先登录"), anew=False) is None
    assert out(assembly.take(piece(part(2)), anew=False)) == ("12", True, False)


def test_a_redirected_part_is_the_part_that_was_asked_for(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2, 3), anew=False)
    assembly.take(piece(part(2)), anew=False)
    elsewhere = part(3)._replace(url="http://a.cn/x", key=b"x" * 16)
    assert out(assembly.take(piece(elsewhere), anew=False)) == ("123", True, False)


def test_a_part_that_waits_under_another_name_is_known_when_it_comes(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2), anew=False)
    plain = part(2)._replace(page_class=None, first_key=b"", page_number=1)
    assert assembly.part_of(plain) == part(2)
    assert assembly.part_of(FIRST) == FIRST
    stranger = plain._replace(key=b"y" * 16)
    assert assembly.part_of(stranger) == stranger


def test_an_article_visited_again_is_gathered_anew(crawl: Crawl) -> None:
    assembly = crawl.assembly
    assembly.take(piece(FIRST, 2), anew=False)
    assembly.take(piece(part(2)), anew=False)
    assert assembly.take(piece(FIRST, 2), anew=True) is None
    assert out(assembly.take(piece(part(2)), anew=False)) == ("12", True, False)


def cut_off(crawl: Crawl) -> ArticleAssembly:
    """Kill a visit after its links and its text are in the store, before its URL has ended."""
    crawl.assembly.take(piece(FIRST, 2), anew=True)
    crawl.commit()
    crawl.kill()
    return crawl.assembly


@pytest.mark.parts_visited
def test_a_part_that_comes_first_after_a_kill_waits_for_the_page_that_is_visited(
    crawl: Crawl,
) -> None:
    assembly = cut_off(crawl)
    assert assembly.take(piece(part(2)), anew=False) is None, "the first page comes once more"
    assert assembly.unsent() == []
    assert out(assembly.take(piece(FIRST, 2), anew=True)) == ("12", True, False)
    assert assembly.stored(FIRST.key.hex()) is None
    assembly.settled(FIRST)
    assert assembly.take(piece(part(2)), anew=False) is None, "its second row brings nothing new"
    crawl.commit()
    assert crawl.facts() == []


def test_a_first_page_that_does_not_come_again_after_a_kill_is_not_waited_for(
    crawl: Crawl,
) -> None:
    assembly = cut_off(crawl)
    assert assembly.take(piece(part(2)), anew=False) is None
    assembly.settled(FIRST)  # it has been answered 404 by now
    assert [out(ready) for ready in assembly.unsent()] == [("12", True, False)]


def test_parts_without_a_first_page_are_forgotten_in_time(crawl: Crawl) -> None:
    crawl.assembly.expect(part(2))
    crawl.assembly.take(piece(part(2)), anew=False)
    crawl.assembly.settled(part(2))
    crawl.commit()
    assert len(crawl.facts()) == 1
    facts = partial(crawl.store.facts_in, ALL_PARTITIONS)
    asyncio.run(crawl.assembly.load(facts, NOON + 40 * 86_400))
    crawl.commit()
    assert crawl.facts() == []


def test_a_whole_text_that_is_not_on_the_topic_is_not_kept(crawl: Crawl) -> None:
    first = piece(FIRST, 2, said="今天多云。")
    assert first.page is not None
    assert first.article is not None
    first.article.title = "天气"
    first.page.outcome, first.page.reason, first.page.relevant = "short", "article.min_length", True
    assert crawl.assembly.take(first, anew=False) is None
    assert crawl.assembly.take(piece(part(2), said="明天有雨。"), anew=False) is None
    assert crawl.judged == [("irrelevant", "short")]
    crawl.assembly.settled(FIRST)
    crawl.commit()
    assert crawl.facts() == []
