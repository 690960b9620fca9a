"""The posts that the sites are made of, given by the caller or drawn from a grammar of sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal, NamedTuple

from benchmarks.parts.programs import chinese, english

Language = Literal["zh", "en"]

LAST_DAY: Final = date(2026, 11, 20)
DAYS: Final = 200
SHARES: Final = (0.4, 0.14, 0.11, 0.09, 0.07, 0.06, 0.05, 0.04, 0.04)
"""How many of the posts have a tag first; a tag without a share is on RARE posts in all."""
RARE: Final = 2
NUMBERS: Final = {"k": (3, 14), "n": (15, 95), "m": (96, 9800)}
SLUGS_OF_CHINESE: Final = (
    "dixia",
    "shipin",
    "tushuguan",
    "gongshui",
    "gongyuan",
    "zhufang",
    "jiaoyu",
    "jiaotong",
    "yiliao",
    "nengyuan",
    "bowuguan",
    "jishi",
)


class Post(NamedTuple):
    """A post of a site.

    A block that begins with ``## `` is a heading, one whose lines all begin with ``- `` a list, any other a
    paragraph.
    """

    slug: str
    title: str
    blocks: tuple[str, ...]
    day: date
    tags: tuple[str, ...]
    author: str


def is_list(block: str) -> bool:
    """Return whether a block is a list."""
    return all(line.startswith("- ") for line in block.split("\n"))


def pieces(block: str) -> list[str]:
    """Return the texts that a page shows of a block: a paragraph, a heading, or the items of a list."""
    if is_list(block):
        return [line.removeprefix("- ") for line in block.split("\n")]
    return [block.removeprefix("## ")]


def in_time(posts: Sequence[Post]) -> list[Post]:
    """Return the posts, the newest first."""
    return sorted(posts, key=lambda post: (post.day, post.slug), reverse=True)


def markdown(post: Post) -> str:
    """Return the blocks in Markdown, with nothing in them that Markdown or a template would read as its own."""
    blocks = []
    for block in post.blocks:
        if is_list(block):
            blocks.append("\n".join("- " + plain(item) for item in pieces(block)))
        elif block.startswith("## "):
            blocks.append("## " + plain(block.removeprefix("## ")))
        else:
            blocks.append(plain(block))
    return "\n\n".join(blocks) + "\n"


def plain(text: str) -> str:
    """Return a text with entities for the characters that are marks in Markdown or in templates."""

    def entity(match: re.Match[str]) -> str:
        return f"{match[1] or ''}&#{ord(match[2] or match[3])};"

    return re.sub(r"(?m)(^\s*\d*)([-+.)%:=])|([\\`*_\[\]<>&{}#~|])", entity, text)


class _Grammar:
    """The sentences of a language, drawn with one source of chance."""

    def __init__(self, language: Language, chance: random.Random) -> None:
        words = chinese if language == "zh" else english
        self.topics = words.TOPICS
        self.authors = words.AUTHORS
        self.titles = words.TITLES
        self._headings = words.HEADINGS
        self._items = words.ITEMS
        self._frames = words.FRAMES
        self._slots = words.SLOTS
        self._between = "" if language == "zh" else " "
        self._things = tuple(thing for things in self.topics.values() for thing in things)
        self._chance = chance

    def filled(self, frame: str, thing: str) -> str:
        """Return a frame with its slots filled; half of the time with the thing that the post is about."""
        chance = self._chance

        def filler(match: re.Match[str]) -> str:
            name = match[1]
            if name in NUMBERS:
                return str(chance.randint(*NUMBERS[name]))
            slot = name.lower()
            if slot == "thing":
                word = thing if chance.random() < 0.5 else chance.choice(self._things)
            else:
                word = chance.choice(self._slots[slot])
            return word[0].upper() + word[1:] if name[0].isupper() else word

        text = re.sub(r"\{(\w+)\}", filler, frame)
        return text[0].upper() + text[1:]

    def title(self, thing: str) -> str:
        """Return a title about the thing."""
        frame = self._chance.choice(self.titles)
        named = frame.replace("{thing}", thing).replace("{Thing}", thing[0].upper() + thing[1:])
        return self.filled(named, thing)

    def paragraph(self, thing: str) -> str:
        """Return two to five sentences of different frames."""
        frames = self._chance.sample(self._frames, self._chance.randint(2, 5))
        return self._between.join(self.filled(frame, thing) for frame in frames)

    def blocks(self, thing: str, place: int) -> tuple[str, ...]:
        """Return the blocks of the post at a place: every sixth is short, every third has a heading or a list."""
        if place % 6 == 5:
            return tuple(self.paragraph(thing) for _ in range(2))
        blocks = [self.paragraph(thing) for _ in range(self._chance.randint(4, 9))]
        if place % 3 == 0:
            heading = "## " + self.filled(self._chance.choice(self._headings), thing)
            blocks.insert(self._chance.randint(1, len(blocks) - 1), heading)
        if place % 6 in {1, 4}:
            frames = self._chance.sample(self._items, self._chance.randint(3, 6))
            items = "\n".join("- " + self.filled(frame, thing) for frame in frames)
            # a paragraph stands before and after it
            places = [i for i in range(1, len(blocks)) if not blocks[i].startswith("## ")]
            blocks.insert(self._chance.choice(places), items)
        return tuple(blocks)


def _first_tags(tags: Sequence[str], count: int, chance: random.Random) -> list[str]:
    """Return the first tag of every post: the shares of the common tags, and the rare ones."""
    common, rare = tags[: len(SHARES)], tags[len(SHARES) :]
    drawn = [tag for tag in rare for _ in range(RARE)][: count // 3]
    for tag, share in zip(common, SHARES, strict=True):
        drawn += [tag] * round(share * count)
    drawn = drawn[:count]
    drawn += chance.choices(common[1:], k=count - len(drawn))
    chance.shuffle(drawn)
    return drawn


def _slug(title: str, tag_at: int, language: Language, chance: random.Random) -> str:
    if language == "zh":
        return f"{SLUGS_OF_CHINESE[tag_at]}-{chance.randint(1000, 9999)}"
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def draw_posts(count: int, language: Language, seed: int) -> list[Post]:
    """Return so many posts with different titles and slugs, the oldest first; the same ones for a seed."""
    chance = random.Random(seed)
    grammar = _Grammar(language, chance)
    tags = list(grammar.topics)
    titles: set[str] = set()
    slugs: set[str] = set()
    # kinds of posts are spread over time
    places = list(range(count))
    chance.shuffle(places)
    posts = []
    for at, first in enumerate(_first_tags(tags, count, chance)):
        while True:
            thing = chance.choice(grammar.topics[first])
            title = grammar.title(thing)
            slug = _slug(title, tags.index(first), language, chance)
            if title not in titles and slug not in slugs:
                break
        titles.add(title)
        slugs.add(slug)
        more = chance.sample(tags[1 : len(SHARES)], chance.choice((0, 0, 0, 1, 1, 2)))
        day = LAST_DAY - timedelta(days=DAYS - 1 - at * (DAYS - 1) // max(count - 1, 1))
        posts.append(
            Post(
                slug=slug,
                title=title,
                blocks=grammar.blocks(thing, places[at]),
                day=day,
                tags=(first, *(tag for tag in more if tag != first)),
                author=chance.choice(grammar.authors),
            )
        )
    return posts
