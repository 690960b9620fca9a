"""The press of the demo web: two portals and a huge one, the events they tell, what they copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from focuscrawl.demo.entries import (
    LAST_DAY,
    Entry,
    draw_author,
    draw_changes,
    draw_length,
    draw_parts,
)
from focuscrawl.demo.news import Board, House, Portal, Section
from focuscrawl.demo.texts import IRRELEVANT_THEMES
from focuscrawl.demo.truth import moment

NEWS, DAILY, GIANT = "news.example", "daily.example", "giant.example"

BLOCK = '<div class="text"><div class="inner">\n{text}\n</div></div>'

HOUSES = {
    NEWS: House(
        NEWS,
        "青石新闻网",
        lambda slug, page: f"/{slug}/" if page == 1 else f"/{slug}/index_{page}.html",
        etag=True,
    ),
    DAILY: House(
        DAILY,
        "岷原日报",
        lambda slug, page: f"/node_{slug}.htm" if page == 1 else f"/node_{slug}_{page}.htm",
        encoding="gbk",
        date_form="chinese",
        container='<div id="ozoom">\n{text}\n</div>',
        board_pager="next",
        page_size=15,
        wrong_charset=0.2,
        advertises=True,
    ),
    GIANT: House(
        GIANT,
        "大千门户",
        lambda slug, page: f"/c/{slug}" if page == 1 else f"/c/{slug}?page={page}",
        date_form="labelled",
        container=BLOCK,
        board_pager="numbers",
        page_size=30,
        robots="User-agent: *\nDisallow: /admin/\nCrawl-delay: 0.02\n",
    ),
}

COPY_WINDOW = 5.0
"""Days within which another site takes a story up."""

PartUrl = Callable[[str, int, float, int], str]


def news_part(slug: str, number: int, day: float, part: int) -> str:
    """Address of page ``part`` of an article in the first portal."""
    tail = "" if part == 1 else f"_{part}"
    return f"http://{NEWS}/{slug}/{moment(day):%Y/%m%d}/{4000 + number}{tail}.html"


def daily_part(slug: str, number: int, day: float, part: int) -> str:
    """Address of page ``part`` of an article in the second portal."""
    tail = "" if part == 1 else f"_{part}"
    folder = f"{moment(day):%Y-%m/%d}"
    return f"http://{DAILY}/content/{folder}/content_{slug}{number:03d}{tail}.htm"


def giant_part(slug: str, number: int, _day: float, part: int) -> str:
    """Address of page ``part`` of an article in the huge portal."""
    tail = "" if part == 1 else f"?page={part}"
    return f"http://{GIANT}/a/{slug}-{number}{tail}"


class Desk:
    """Draws the articles of one portal's boards; articles told of before may be taken up again."""

    def __init__(self, house: House, part_url: PartUrl, seed: str, scale: float) -> None:
        self.house = house
        self.seed = seed
        self._part_url = part_url
        self._scale = scale

    def board(
        self,
        slug: str,
        name: str,
        themes: tuple[str, ...],
        count: int,
        *,
        multi: bool = True,
        sources: tuple[Entry, ...] = (),
        relevant: bool = False,
        listed: bool = True,
    ) -> Board:
        """Draw a board: ``count`` articles (scaled), some more on later days."""
        board = Board(slug, name, relevant=relevant, listed=listed)
        random = Random(f"{self.seed}/{self.house.host}/{slug}")
        there = max(4, round(count * self._scale))
        for number in range(there + max(1, there // 6)):
            theme = themes[number % len(themes)]
            day = round(random.uniform(-60, -0.1), 3)
            if number >= there:
                day = round(random.uniform(0.3, LAST_DAY - 1), 3)
            board.entries.append(self._entry(slug, number, theme, day, random, multi))
            if sources and theme == "food":
                board.entries[-1] = self._retell(board.entries[-1], random, sources)
        return board

    def _entry(
        self, slug: str, number: int, theme: str, day: float, random: Random, multi: bool
    ) -> Entry:
        parts = draw_parts(random, number, multi)
        urls = tuple(self._part_url(slug, number, day, part) for part in range(1, parts + 1))
        pager = random.choice(("next", "numbers", "both", "single")) if parts > 1 else "both"
        return Entry(
            part_urls=urls,
            theme=theme,
            text_seed=f"{self.seed}/{urls[0]}",
            length=draw_length(random, parts),
            posted=day,
            source_name=self.house.name,
            author=draw_author(random),
            event=f"{self.seed}/{urls[0]}" if theme == "food" else "",
            pager=pager,
            full_url=_full(urls[0]) if pager == "single" else "",
            changes=draw_changes(random, day),
        )

    @staticmethod
    def _retell(entry: Entry, random: Random, sources: tuple[Entry, ...]) -> Entry:
        """Make some articles a copy of an earlier one or another text about its event."""
        how = random.choices(("own", "event", "copy", "trimmed"), (40, 28, 22, 10))[0]
        earlier = [
            source
            for source in sources
            if 0 < entry.posted - source.posted < COPY_WINDOW
            and (source.posted > 0) == (entry.posted > 0)
        ]
        if how == "own" or not earlier:
            return entry
        source = random.choice(earlier)
        if how == "event":
            return replace(entry, event=source.event)
        return replace(
            entry,
            event=source.event,
            text_seed=source.text_seed,
            length=source.length,
            source_name=source.source_name,
            copy_of=source.copy_of or source.url,
            dropped=1 if how == "trimmed" and source.length > 4 else 0,
            part_urls=entry.part_urls[: max(1, source.length // 3)],
            changes=(),
        )


def _full(url: str) -> str:
    stem, dot, suffix = url.rpartition(".")
    return f"{stem}_full{dot}{suffix}" if suffix.startswith("htm") else f"{url}?full=1"


def portals(seed: str, scale: float) -> tuple[Portal, Portal, Portal]:
    """Build the three portals; the huge one has a single relevant channel, four clicks inside."""
    news = _news(seed, scale)
    food = tuple(entry for board in news.boards if board.relevant for entry in board.entries)
    daily = _daily(seed, scale, food)
    more = tuple(entry for board in daily.boards if board.relevant for entry in board.entries)
    return news, daily, _giant(seed, scale, food + more)


def _home(house: House, boards: list[Board]) -> dict[str, Section]:
    links = tuple((house.board_url(board.slug, 1), board.name) for board in boards if board.listed)
    return {"/": Section(house.name, links)}


def _news(seed: str, scale: float) -> Portal:
    house = HOUSES[NEWS]
    desk = Desk(house, news_part, seed, scale)
    boards = [
        desk.board("shipin", "食品安全", ("food",), 56, relevant=True),
        desk.board("shehui", "社会", ("home", "food", "travel", "job"), 24),
        desk.board("tiyu", "体育", ("sport",), 28),
        desk.board("yule", "娱乐", ("stage",), 20, multi=False),
    ]
    return Portal(house, boards, _home(house, boards), seed)


def _daily(seed: str, scale: float, sources: tuple[Entry, ...]) -> Portal:
    house = HOUSES[DAILY]
    desk = Desk(house, daily_part, seed, scale)
    boards = [
        desk.board("12", "四川食安", ("food",), 46, sources=sources, relevant=True),
        desk.board("15", "民生", ("digital", "food", "home"), 18, sources=sources),
        desk.board("21", "财经", ("money",), 24, multi=False),
    ]
    return Portal(house, boards, _home(house, boards), seed)


CHANNELS = {
    "sport": "体育", "stage": "文娱", "money": "财经", "travel": "旅行", "digital": "数码", "home": "家居",
}  # fmt: skip
PRESS_COLUMNS = ("要闻", "深度", "图集", "评论", "百科")


def _giant(seed: str, scale: float, sources: tuple[Entry, ...]) -> Portal:
    house = HOUSES[GIANT]
    desk = Desk(house, giant_part, seed, scale)
    boards: list[Board] = []
    sections: dict[str, Section] = {}
    for theme in IRRELEVANT_THEMES:
        columns = [
            desk.board(f"{theme}{number}", f"{CHANNELS[theme]}{name}", (theme,), 18,
                       multi=number == 1 and scale > 0.5, listed=False)
            for number, name in enumerate(PRESS_COLUMNS if scale > 0.5 else PRESS_COLUMNS[:3], 1)
        ]  # fmt: skip
        boards += columns
        links = tuple((house.board_url(board.slug, 1), board.name) for board in columns)
        sections[f"/{theme}/"] = Section(CHANNELS[theme], links)
    local = [
        desk.board("local1", "城市漫步", ("travel",), 12, multi=False, listed=False),
        desk.board(
            "local2", "舌尖守望", ("food",), 34, sources=sources, relevant=True, listed=False
        ),
        desk.board("local3", "邻里巧手", ("home",), 12, multi=False, listed=False),
    ]
    channels = tuple((f"/{theme}/", CHANNELS[theme]) for theme in IRRELEVANT_THEMES)
    sections["/"] = Section(house.name, (*channels, ("/map", "频道地图")))
    sections["/map"] = Section("频道地图", (*channels, ("/local/", "地方")))
    local_links = tuple((house.board_url(board.slug, 1), board.name) for board in local)
    sections["/local/"] = Section("地方", local_links)
    return Portal(house, [*boards, *local], sections, seed)
