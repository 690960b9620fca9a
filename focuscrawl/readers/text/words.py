"""Cut text into words (B2, D2): jieba's dictionary and the topic's own names, by two engines.

rjieba cuts by jieba's rules and dictionary about 18 times as fast; where it cannot be imported
jieba itself does the same. Both see only Chinese text and simple Latin words: what they disagree
about or break to pieces (``C++``, ``F-35``, ``3.5%``, ``1,000``, café, Москва) is taken out first.
"""

from __future__ import annotations

import hashlib
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec, module_from_spec
from typing import Any, Literal, NamedTuple

import regex

RULES = 1  # the version of what is done here around the engines
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

# What is narrowed before cutting. Punctuation stays: it separates words as it is.
_WIDE = re.compile(r"[０-９Ａ-Ｚａ-ｚ＃％＆＇＋－．＿‘’\x00\ud800-\udfff]")
_NARROW: dict[int, int | str] = {
    **{
        ord(wide): ord(wide) - 0xFEE0
        for wide in map(chr, range(0xFF01, 0xFF5F))
        if _WIDE.match(wide)
    },
    **dict.fromkeys(range(0xD800, 0xE000), " "),  # halves of characters, which rjieba refuses
    ord("‘"): "'",
    ord("’"): "'",
    0: " ",  # stands for what was taken out
}

# A letter that is neither Chinese nor plain Latin: both engines make each a word of its own.
FOREIGN = rf"[^\W\d_a-zA-Z{_HAN}]"
_LATIN = (
    r"[a-zA-Z0-9](?:"  # one first letter, so that the search skips Chinese text quickly
    # From their beginning only: else a word of 20,000 letters is looked through 20,000 times.
    r"(?<![\d,].)(?<=\d)\d{0,2}(?:,\d{3})++(?:\.\d+)?%?(?![\d,])"  # 1,000.50
    r"|(?<![a-zA-Z0-9].)[a-zA-Z0-9]*(?:[.&'_-][a-zA-Z0-9]+)+%?"  # F-35, AT&T, don't, 3.5%
    r"|(?<!\d.)(?<=\d)\d*%"
    r"|(?<![a-zA-Z0-9].)(?:\+\+|#)(?![a-zA-Z0-9])"  # C++
    r")"
)
_LATIN_OUT = re.compile(_LATIN)
_FOREIGN = re.compile(FOREIGN)
_ALL_OUT = re.compile(
    f"(?<![a-zA-Z0-9])[a-zA-Z0-9]*{FOREIGN}(?:{FOREIGN}|[a-zA-Z0-9'-])*|{_LATIN}"
)  # café
ENTRY = re.compile(r"(.+?)(?: +(\d+))?(?: +([a-z]{1,5}))?")
TAKEN_OUT = "\x00"

EngineName = Literal["rjieba", "jieba"]


_LONG = 100  # characters from which on a text is worth remembering


def jieba_file(*names: str) -> Traversable:
    """Return a file of the installed package; its code, which is large and slow, is not run."""
    spec = find_spec("jieba")
    if spec is None:
        raise ModuleNotFoundError(
            "jieba is not installed: its dictionaries are needed", name="jieba"
        )
    return files(module_from_spec(spec)).joinpath(*names)


@contextmanager
def quietly() -> Iterator[None]:
    """Surround the import of jieba or simhash.

    Both have invalid escapes, which newer Pythons warn about, and jieba asks for pkg_resources,
    which warns that it is going.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_jieba() -> Any:
    """Import jieba; it then writes to the log like others, not to stderr by itself."""
    with quietly():
        import jieba  # noqa: PLC0415 - large, and needed only where there is no rjieba
    jieba.setLogLevel(logging.WARNING)
    jieba.default_logger.removeHandler(jieba.log_console)
    return jieba


class Name(NamedTuple):
    """A name that is kept whole; ``weight`` is its frequency by a jieba user dictionary."""

    text: str
    weight: int = 0


# ``sub`` of a pattern of either library.
_TakeOut = Callable[[Callable[[Any], str], str], str]


class _Engine(NamedTuple):
    """What both engines can do: cut, add a name, and say how often it must count to stay whole."""

    cut: Callable[[str], Iterable[str]]
    add: Callable[[str, int], object]
    enough: Callable[[str], int]


_version_of = cache(version)  # which reads a file each time


class Splitter:
    """Cuts text into words. Dictionaries are loaded when the first text is cut.

    ``dictionary`` are names, or lines of a jieba user dictionary (name, frequency, tag). ``engine``
    chooses one; without it the fastest that can be imported is taken.
    """

    __slots__ = ("_choice", "_cut", "_last", "_names", "_own_out")

    def __init__(self, dictionary: Iterable[str] = (), engine: EngineName | None = None) -> None:
        self._names = tuple(dict.fromkeys(map(read_entry, dictionary)))
        self._choice = engine
        self._own_out: _TakeOut | None = None
        self._cut: Callable[[str], Iterable[str]] | None = None
        self._last: tuple[str, tuple[str, ...]] = ("", ())

    @property
    def engine(self) -> str:
        """Name what words depend on, as in ``words 1, rjieba 0.2.2``.

        Hashes and keywords made under another name are not comparable with those made now.
        """
        parts = [f"words {RULES}", f"{self._chosen()} {_version_of(self._chosen())}"]
        if self._names:
            listed = "\n".join(f"{name.text} {name.weight}" for name in sorted(self._names))
            parts.append(f"dictionary {hashlib.md5(listed.encode()).hexdigest()[:8]}")
        return ", ".join(parts)

    def cut(self, text: str) -> list[str]:
        """Return the words of a text in order, in lower case and half width.

        Punctuation and spaces are left out; numbers are words. The words serve to compare texts
        and to find them again, not to write them anew. The last long text is remembered: an
        article's is cut for its hash, its keywords and its story, one after the other.
        """
        if len(text) < _LONG:
            return self._words(text)
        if text != self._last[0]:
            self._last = (text, tuple(self._words(text)))
        return [*self._last[1]]

    def _words(self, text: str) -> list[str]:
        cut = self._cut or self._load()
        taken: list[str] = []

        def take(match: re.Match[str]) -> str:
            taken.append(match[0])
            return TAKEN_OUT

        text = narrowed(text)
        out = self._own_out or (_ALL_OUT.sub if _FOREIGN.search(text) else _LATIN_OUT.sub)
        left = out(take, text)
        if not taken:
            return [token.lower() for token in cut(left) if token[0].isalnum()]
        following = iter(taken)
        return [
            next(following).lower().removesuffix("'s").rstrip("'-")
            if token == TAKEN_OUT
            else token.lower()
            for token in cut(left)
            if token[0].isalnum() or token == TAKEN_OUT
        ]

    def _chosen(self) -> EngineName:
        return self._choice or _fastest()

    def _load(self) -> Callable[[str], Iterable[str]]:
        """Load the engine, give it the names it can keep, and keep the others ourselves."""
        chinese = [name for name in self._names if re.fullmatch(f"[{_HAN}]+", name.text)]
        other = {narrowed(name.text) for name in self._names if name not in chinese}
        if other:  # a name is no part of a longer Latin word
            names = r"(?i:(?<![a-z0-9])\L<names>(?![a-z0-9]))"
            self._own_out = regex.compile(f"{names}|{_ALL_OUT.pattern}", names=list(other)).sub
        engine = _load_rjieba(own=bool(chinese)) if self._chosen() == "rjieba" else _load_jieba()
        for name in chinese:
            engine.add(name.text, max(name.weight, engine.enough(name.text)))
        self._cut = engine.cut
        return engine.cut


@cache
def splitter(dictionary: tuple[str, ...] = ()) -> Splitter:
    """Return the splitter of a dictionary, the same one at every call."""
    return Splitter(dictionary)


def narrowed(text: str) -> str:
    """Return a text with Latin letters and digits in half width and one kind of apostrophe."""
    return text.translate(_NARROW) if _WIDE.search(text) else text


def read_entry(line: str) -> Name:
    """Read a name, or a line of a jieba user dictionary: ``云计算 5 n``.

    A last word in small letters is a tag only after a number or a Chinese name, so that ``open
    source`` is a name.
    """
    match = ENTRY.fullmatch(line.strip())
    if match is None:
        raise ValueError("a name of at least one character")
    name, weight, tag = match.groups()
    if tag and not weight and not re.search(f"[{_HAN}]", name):
        return Name(line.strip())
    return Name(name, int(weight or 0))


@cache
def _fastest() -> EngineName:
    try:
        import rjieba  # noqa: F401, PLC0415 - as below
    except ImportError:  # no wheel for this platform
        return "jieba"
    return "rjieba"


def _load_rjieba(*, own: bool) -> _Engine:
    """Load rjieba; with names of one's own a new instance, since the module's is everybody's."""
    import rjieba  # noqa: PLC0415 - reads its dictionary at once

    cutter = rjieba.Jieba() if own else rjieba
    return _Engine(
        cutter.cut, lambda name, weight: cutter.add_word(name, weight, None), cutter.suggest_freq
    )


def _load_jieba() -> _Engine:
    """Load jieba without its cache: a file of a known name in a folder anybody may write to.

    Reading the dictionary itself takes 0.2 s longer.
    """
    cutter = load_jieba().Tokenizer()
    with jieba_file("dict.txt").open("rb") as lines:
        cutter.FREQ, cutter.total = cutter.gen_pfdict(lines)
    cutter.initialized = True
    return _Engine(cutter.cut, cutter.add_word, cutter.suggest_freq)
