"""Made-up Chinese articles of one topic, and copies of them in the ways newspapers copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

from focuscrawl.readers.text.words import jieba_file

THEMES, THEME_WORDS = 300, 60
SENTENCES = (8, 45)
FREQUENT = 20_000
NAMES = 12
"""Words of an article that hardly another one has: its people, places and firms."""


class Made(NamedTuple):
    """A title and sentences, each a list of words."""

    title: list[str]
    sentences: list[list[str]]

    @property
    def text(self) -> str:
        """The sentences as a page shows them."""
        return "".join("".join(words) + "。" for words in self.sentences)


@cache
def _vocabulary() -> tuple[list[str], list[float], list[str], list[str]]:
    """Words of two and more characters and their frequencies, summed up; frequent ones, rare ones."""
    found: list[tuple[float, str]] = []
    with jieba_file("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, number, _ = line.split(" ")
            if 2 <= len(word) <= 4 and "\u4e00" <= word[0] <= "\u9fff":
                found.append((float(number), word))
    found.sort(reverse=True)
    words = [word for _, word in found]
    sums = list(accumulate(number for number, _ in found))
    return words, sums, words[:FREQUENT], words[FREQUENT:]


def article(number: int) -> Made:
    """Write article ``number``; the same number is the same article."""
    random = Random(f"article/{number}")
    words, sums, frequent, rare = _vocabulary()
    theme = Random(f"theme/{random.randrange(THEMES)}").choices(frequent, k=THEME_WORDS)
    names = random.choices(rare, k=NAMES)

    def sentence() -> list[str]:
        said = random.choices(words, cum_weights=sums, k=random.randint(5, 11))
        said += random.choices(theme, k=random.randint(1, 5))
        said += random.choices(names, k=random.randint(0, 2))
        if random.random() < 0.3:
            said.append(f"{random.randint(2, 9999)}")
        random.shuffle(said)
        return said

    sentences = [sentence() for _ in range(random.randint(*SENTENCES))]
    return Made(random.choices(names, k=2) + random.choices(theme, k=3), sentences)


def light(made: Made, random: Random) -> Made:
    """Give it an agency's head, an editor's tail, titles of other articles and another title."""
    others = [article(random.randrange(1 << 40)).title for _ in range(3)]
    head, tail = ["据", "某某", "通讯社", "报道"], ["责任", "编辑", "某某", "版权", "归", "原作者"]
    title = [*made.title[1:], "最新"]
    return Made(title, [head + made.sentences[0], *made.sentences[1:], tail, *others])


def trim(made: Made, random: Random) -> Made:
    """Leave out up to half of the sentences."""
    kept = random.uniform(0.5, 0.75)
    return made._replace(sentences=[one for one in made.sentences if random.random() < kept])


def lead(made: Made, random: Random) -> Made:
    """Keep the first third."""
    return made._replace(sentences=made.sentences[: max(3, round(len(made.sentences) * 0.3))])


def rewrite(made: Made, random: Random) -> Made:
    """Replace an eighth of the words, drop a tenth, a quarter of the sentences; add a fifth."""
    words, sums, _, _ = _vocabulary()

    def retold(sentence: list[str]) -> list[str]:
        said = [word for word in sentence if random.random() > 0.1]
        other = random.choices(words, cum_weights=sums, k=len(said))
        return [
            new if random.random() < 0.12 else word for word, new in zip(said, other, strict=True)
        ]

    sentences = [retold(one) for one in made.sentences if random.random() > 0.25]
    foreign = article(random.randrange(1 << 40)).sentences
    sentences += foreign[: len(sentences) // 5]
    return Made(made.title[:-1], sentences)


COPIES: dict[str, Callable[[Made, Random], Made]] = {
    "light": light,
    "trim": trim,
    "lead": lead,
    "rewrite": rewrite,
}
