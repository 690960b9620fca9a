"""An index of stories over a real store, with commits and kills in between."""

import asyncio
import random
from pathlib import Path

from focuscrawl.features.stories.events import StoryReading
from focuscrawl.features.stories.index import StoryIndex, StoryTold
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.readers.text.words import splitter
from focuscrawl.stores.state.sqlite import SQLiteStore

CUT = splitter().cut
DAY = 86400.0
NOW = 1000 * DAY
RULES = StoryRules(copies="join", events=True, window=7 * DAY, strict=False)


def write(seed: int, sentences: int = 12) -> str:
    """Write a text of random characters: no piece and no word of it stands in another seed's."""
    luck = random.Random(seed)
    letters = [chr(0x4E00 + luck.randrange(6000)) for _ in range(20 * sentences)]
    return "".join(letter + "。" * (n % 20 == 19) for n, letter in enumerate(letters))


def reading(
    number: int, text: str, title: str = "", at: float = NOW, host: str = ""
) -> StoryReading:
    host = host or f"site{number % 3}.example"
    return StoryReading(number.to_bytes(16, "big"), host, title, text, at, NOW)


class Desk:
    """An index over a store, and the commits between: those of a run that can be killed."""

    def __init__(self, path: Path, rules: StoryRules = RULES) -> None:
        self.path = path
        self.rules = rules
        self.open()

    def open(self) -> None:
        self.store = SQLiteStore(self.path)
        self.store.own()
        self.index = StoryIndex(self.store, self.rules, CUT)
        asyncio.run(self.index.load())

    def tell(self, article: StoryReading) -> StoryTold:
        return asyncio.run(self.index.tell(article))

    def commit(self) -> None:
        self.store.commit({0: self.index.drain()})
        self.index.committed()

    def restart(self) -> None:
        self.store.release()
        self.open()
