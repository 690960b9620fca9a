"""A forum: boards that show reply counts, threads with pages of ten posts that grow day by day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from math import ceil
from random import Random

from focuscrawl.demo.entries import LAST_DAY
from focuscrawl.demo.pages import Draft, document, pager, table
from focuscrawl.demo.restless import clock, visitors
from focuscrawl.demo.texts import Slots, event_slots, is_relevant, say
from focuscrawl.demo.truth import ChangeTruth, Page, PostTruth, ThreadTruth, moment
from focuscrawl.values import PageClass

FORUM = "bbs.example"
FORUM_NAME = "河畔论坛"
POSTS_OF_A_PAGE = 10
THREADS_OF_A_PAGE = 15

NICKNAMES = (
    "半碗米饭", "云边小卖部", "锅底守护者", "东风吹又来", "不吃香菜", "阿布的猫", "路人丙", "豆花加辣",
    "山里信号差", "夜航船", "四点钟方向", "白开水", "一只芦苇", "卷心菜队长", "石头记不住", "慢三拍",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread before it is written out; ``times`` are the days of its posts, the opening first."""

    board: int
    number: int
    theme: str
    seed: str
    times: tuple[float, ...]

    def address(self, page: int) -> str:
        """The address of a page of the thread."""
        return f"http://{FORUM}/thread-{self.number}-{page}-1.html"

    def written(self, day: float) -> int:
        """Number of posts there are on this day."""
        return sum(time <= max(day, 0.0) for time in self.times)

    def truth(self, day: float) -> ThreadTruth:
        """The thread with the posts there are on this day."""
        return _thread(self, self.written(day), int(day))

    def planted(self) -> tuple[ChangeTruth, ...]:
        """When it appears and when it grows."""
        first, *later = self.times
        kinds = [(first, "new")] if first > 0 else []
        kinds += [(time, "reply") for time in later if time > max(first, 0)]
        return tuple(ChangeTruth(self.address(1), time, kind) for time, kind in kinds)


@lru_cache(maxsize=4096)
def _thread(thread: Thread, written: int, day: int) -> ThreadTruth:
    random = Random(f"thread/{thread.seed}")
    slots: Slots = event_slots(thread.seed) if is_relevant(thread.theme) else {}
    place = {name: slots[name] for name in ("city", "area") if name in slots}
    title = say(thread.theme, "title", random, place)
    opening = say(thread.theme, "lead", random, place)
    posts = [PostTruth(1, random.choice(NICKNAMES), moment(thread.times[0]), opening)]
    for number, time in enumerate(thread.times[1:written], 2):
        text = "".join(
            say(thread.theme, "post", random, place) for _ in range(random.randint(1, 3))
        )
        posts.append(PostTruth(number, random.choice(NICKNAMES), moment(time), text))
    return ThreadTruth(
        url=thread.address(1),
        title=title,
        author=posts[0].author,
        posts=tuple(posts),
        views=written * 37 + day * 11 + thread.number,
        relevant=is_relevant(thread.theme),
    )


class Forum:
    """Three boards of threads, sorted by their last reply."""

    host = FORUM
    boards = ((1, "食安曝光台", "forum_food", 40), (2, "闲聊灌水", "forum_idle", 30), (3, "同城活动", "forum_idle", 14))  # fmt: skip

    def __init__(self, seed: str, scale: float) -> None:
        self.threads: list[Thread] = []
        for board, _, theme, count in self.boards:
            random = Random(f"{seed}/forum/{board}")
            there = max(3, round(count * scale))
            for index in range(there + max(1, there // 8)):
                opened = random.uniform(-30, -1)
                if index >= there:
                    opened = random.uniform(0.5, LAST_DAY - 1)
                replies = 34 if index == 2 else int(random.expovariate(1 / 7))
                grows = random.random() < 0.25 or index >= there
                end = float(LAST_DAY) if grows else max(opened, -0.5)
                times = sorted(random.uniform(opened, end) for _ in range(replies))
                number = 100 * board + index
                self.threads.append(
                    Thread(board, number, theme, f"{seed}/forum/{number}", (opened, *times))
                )
        self._by_number = {thread.number: thread for thread in self.threads}

    def robots(self) -> str:
        """The text of robots.txt."""
        return "User-agent: *\nDisallow: /member.php\nCrawl-delay: 0.1\n"

    def page(self, url: str, day: float) -> Page | None:
        """Return what is at a canonical address of this host on this day."""
        path = url.removeprefix(f"http://{FORUM}/")
        if not path:
            return self._home(url, day)
        if path.startswith("member.php"):
            return Page(url, PageClass.OTHER, b"<html></html>", robots=False)
        kind, *numbers = path.removesuffix(".html").split("-")
        if not all(number.isdecimal() for number in numbers):
            return None
        match kind, [int(number) for number in numbers]:
            case "forum", [board, page]:
                return self._board(url, board, page, day)
            case "thread", [number, page, 1] if number in self._by_number:
                return self._page(url, self._by_number[number], page, day)
        return None

    def _send(self, draft: Draft, page_class: PageClass, title: str, body: str, day: float) -> Page:
        head = draft.list(
            [("/", FORUM_NAME), *((f"forum-{b}-1.html", name) for b, name, *_ in self.boards)]
        )
        html = document(
            f"{title} - {FORUM_NAME}",
            f"{head}\n{body}\n{visitors(draft.url, day)}{clock(day)}<p>Powered by 纸船</p>",
        )
        return draft.page(page_class, html, title)

    def _home(self, url: str, day: float) -> Page:
        draft = Draft(url)
        rows = [[draft.link(f"forum-{board}-1.html", name)] for board, name, *_ in self.boards]
        return self._send(draft, PageClass.BOARD, FORUM_NAME, table(rows), day)

    def _board(self, url: str, board: int, number: int, day: float) -> Page | None:
        threads = [t for t in self.threads if t.board == board and t.written(day)]
        threads.sort(key=lambda t: (-t.times[t.written(day) - 1], t.number))
        last = ceil(len(threads) / THREADS_OF_A_PAGE)
        if not 1 <= number <= last:
            return None
        draft = Draft(url)
        rows = []
        for thread in threads[(number - 1) * THREADS_OF_A_PAGE : number * THREADS_OF_A_PAGE]:
            truth = thread.truth(day)
            pages = ceil(len(truth.posts) / POSTS_OF_A_PAGE)
            jump = " ".join(
                draft.link(thread.address(page), str(page)) for page in range(2, pages + 1)
            )
            first, latest = truth.posts[0], truth.posts[-1]
            rows.append([
                draft.link(thread.address(1), truth.title, 'class="xst"') + f" {jump}",
                f"<cite>{first.author}</cite><em>{first.posted:%Y-%m-%d}</em>",
                f'<a class="xi2">{truth.replies}</a><em>{truth.views}</em>',
                f"<cite>{latest.author}</cite><em>{latest.posted:%Y-%m-%d %H:%M}</em>",
            ])  # fmt: skip
        address = [f"forum-{board}-{page}.html" for page in range(1, last + 1)]
        head = "<p>标题 作者 回复/查看 最后发表</p>"
        page_class = PageClass.BOARD if number == 1 else PageClass.PAGING
        name = next(name for b, name, *_ in self.boards if b == board)
        body = f"{head}\n{table(rows)}\n{pager(draft, number, last, address, 'both')}"
        return self._send(draft, page_class, name, body, day)

    def _page(self, url: str, thread: Thread, number: int, day: float) -> Page | None:
        truth = thread.truth(day) if thread.written(day) else None
        last = ceil(len(truth.posts) / POSTS_OF_A_PAGE) if truth else 0
        if truth is None or not 1 <= number <= last:
            return None
        draft = Draft(url)
        blocks = [
            f'<div class="post" id="p{post.number}"><div class="authi">'
            f"{draft.link(f'member.php?name={NICKNAMES.index(post.author)}', post.author)} "
            f"<em>发表于 {post.posted:%Y-%m-%d %H:%M}</em> <strong>{post.number}楼</strong></div>\n"
            f'<div class="t_f">{escape(post.text)}</div></div>'
            for post in truth.posts[(number - 1) * POSTS_OF_A_PAGE : number * POSTS_OF_A_PAGE]
        ]
        address = [thread.address(page) for page in range(1, last + 1)]
        body = (
            f"<h1>{escape(truth.title)}</h1>\n"
            f"<p>查看: {truth.views} 回复: {truth.replies}</p>\n"
            + "\n".join(blocks)
            + "\n"
            + pager(draft, number, last, address, "both")
        )
        page_class = PageClass.THREAD if number == 1 else PageClass.ARTICLE_PAGING
        return replace(
            self._send(draft, page_class, truth.title, body, day),
            relevant=truth.relevant, thread=truth, part=number,
        )  # fmt: skip
