"""Word groups (C1): synonyms and weights compiled to patterns that run over raw page text.

The text is never rewritten: each character of a synonym becomes the class of its spellings, and
where inner spaces do not matter they are optional. A scan for pairs (first character of any
synonym, second character of any) finds the few places worth a closer look.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex

from focuscrawl.locale.messages import _
from focuscrawl.readers.text.characters import simplified
from focuscrawl.readers.text.expressions import compiled
from focuscrawl.template.kinds.kind import Kind, as_written, checked, listed

FULL_WIDTH = 0xFEE0
"""What lies between ``A`` and its full-width form ``Ａ`` (U+FF21)."""


LETTER = "0-9A-Za-z\u00c0-\u04ff０-９Ａ-Ｚａ-ｚ"
"""Letters that are written in words with spaces between them, as the inside of a class."""


is_letter = re.compile(f"[{LETTER}]").match


KNOWN_CHARACTERS = 8_192
"""Characters whose forms are kept: a template is read by several, and says most of them many times."""


LOOSE_SPACE = re.compile(f"(?<![{LETTER}]) | (?![{LETTER}])")


@cache
def _traditional() -> dict[str, str]:
    """Simplified character → all its traditional ones, as one text."""
    found: dict[str, str] = {}
    for many, few in simplified().items():
        found[few] = found.get(few, "") + many
    return found


@lru_cache(KNOWN_CHARACTERS)
def fold(character: str) -> str:
    """Return the one form of a character that stands for all: half width, small, simplified."""
    code = ord(character)
    if 0xFF01 <= code <= 0xFF5E:
        character = chr(code - FULL_WIDTH)
    elif code == 0x3000:
        return " "
    small = character.lower()
    if len(small) == 1:
        character = small
    return character if character < "\u3400" else simplified().get(character, character)


@lru_cache(KNOWN_CHARACTERS)
def spellings(character: str) -> str:
    """Return every character that folds to the same one, sorted.

    ``spellings("发")`` is 发發髮, ``spellings("a")`` is AaＡａ.
    """
    base = fold(character)
    found = {character, base}
    if base >= "\u3400":
        found.update(_traditional().get(base, ""))
    found.update(form for form in (base.upper(), base.lower()) if len(form) == 1)
    found.update(chr(ord(form) + FULL_WIDTH) for form in list(found) if "!" <= form <= "~")
    return "".join(sorted(form for form in found if fold(form) == base))


def fold_text(text: str) -> str:
    """Fold each character; spaces stay only between Latin letters."""
    folded = "".join(fold(character) for character in " ".join(text.split()))
    return LOOSE_SPACE.sub("", folded)


EXPRESSION = "re:"
WEIGHT = re.compile(r"(?<!\^)(?:\^\^)*\^(\d+(?:\.\d+)?)$")
TOKEN = re.compile(r"\|\||\^\^|\*\*|\||\^|\*|[^|^*]+")


class WordError(ValueError):
    """A word group that cannot be read; the message says why and what to write."""


class Synonym(NamedTuple):
    """One way to say it. ``parts`` are literal texts; between two of them stands a ``*``."""

    written: str
    parts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The form in which two spellings of the same synonym are equal."""
        return "*".join(fold_text(part) for part in self.parts)


class Group(NamedTuple):
    """Synonyms that mean the same, or one regular expression, with a common weight."""

    written: str
    weight: float
    synonyms: tuple[Synonym, ...]
    expression: str = ""

    @property
    def name(self) -> str:
        """The first synonym, which stands for the group in reports."""
        return self.synonyms[0].written if self.synonyms else self.written


def parse_group(entry: str) -> Group:
    """Read one group; raises WordError."""
    body, weight = split_weight(entry.strip())
    if body.startswith(EXPRESSION):
        expression = body.removeprefix(EXPRESSION)
        try:
            compiled(expression)
        except ValueError as error:
            raise WordError(_("not a regular expression: {error}").format(error=error)) from error
        return Group(body, weight, (), expression)
    return Group(body, weight, tuple(_synonym(text) for text in split_synonyms(body)))


def split_weight(entry: str) -> tuple[str, float]:
    """Take the weight off the end of a group; without one it is 1."""
    found = WEIGHT.search(entry)
    if not found:
        return entry, 1.0
    return entry[: found.start(1) - 1].strip(), float(found[1])


def split_synonyms(body: str) -> list[str]:
    """Split at each single ``|``; doubled signs stay as written."""
    synonyms = [""]
    for token in TOKEN.findall(body):
        if token == "|":  # noqa: S105 - a sign, not a password
            synonyms.append("")
        else:
            synonyms[-1] += token
    return [synonym.strip() for synonym in synonyms]


_SIGNS_BETWEEN = re.compile(r"\s*[，、；]\s*")
"""Signs that no word has inside, though people write lists of words with them."""

_BETWEEN_HAN = re.compile(
    r"(?<=[\u3400-\u9fff])\s*[,;]\s*|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)
"""Signs and spaces that separate only behind a Han character: "food safety" is one word, a comma stands in
1,000, and where a space has no meaning, as between 地铁 and 城轨, it was meant for something else."""


def several_words(entry: str) -> list[str]:
    """Return the words that a group seems to hold in one of its synonyms, separated by ，、；or a space where
    ``|`` was meant; none where it is right as it is. 电　话, a word whose characters are spaced, is right.
    """
    body, _ = split_weight(entry.strip())
    if body.startswith(EXPRESSION):
        return []
    words: list[str] = []
    is_doubtful = False
    for synonym in split_synonyms(body):
        parts = [
            part for whole in _SIGNS_BETWEEN.split(synonym) for part in _BETWEEN_HAN.split(whole)
        ]
        parts = [part for part in parts if part]
        is_spaced = all(len(part) == 1 for part in parts) and not _SIGNS_BETWEEN.search(synonym)
        is_doubtful |= len(parts) > 1 and not is_spaced
        words += [synonym] if is_spaced else parts
    return words if is_doubtful else []


def with_bars(entry: str) -> str:
    """Return a group with ``|`` between the words it seems to hold; its weight stays."""
    words = several_words(entry)
    if not words:
        return entry
    body, _ = split_weight(entry.strip())
    return "|".join(words) + entry.strip()[len(body) :].strip()


def _synonym(written: str) -> Synonym:
    if written.startswith(EXPRESSION):
        raise WordError(_("re: stands for a whole group; make it an entry of its own"))
    parts = [""]
    for token in TOKEN.findall(written.removeprefix("@") if written[:2] == "@@" else written):
        if token == "*":  # noqa: S105
            parts.append("")
        elif token == "^":  # noqa: S105
            raise WordError(
                _(
                    "the weight is one number at the end of the group, as in 地铁|城轨^2; a literal ^ is"
                    " written ^^"
                )
            )
        else:
            parts[-1] += token[0] if token in {"||", "^^", "**"} else token
    if not any(fold_text(part) for part in parts):
        raise WordError(_("an empty synonym; a literal | is written ||"))
    if not all(fold_text(part) for part in parts[1:-1]):
        raise WordError(_("two * in a row; a literal * is written **"))
    return Synonym(written, tuple(parts))


TIME_LIMIT = 0.5
"""CPU seconds one regular expression may take for one text."""


GAP = "[ \t\u00a0\u2000-\u200b\u3000\ufeff]"
ANYTHING = "[^\n]{0,20}?"


logger = logging.getLogger(__name__)


class Hit(NamedTuple):
    """What a found place counts for: the synonym as written and its group's number."""

    written: str
    group: int


class _Branch(NamedTuple):
    """The synonyms that begin with one character; the pattern's groups are the longest first."""

    pattern: re.Pattern[str]
    hits: tuple[tuple[Hit, ...], ...]


class _Scan(NamedTuple):
    pairs: re.Pattern[str]
    branches: dict[str, _Branch]


class Words:
    """Word groups, as written or read, compiled; ``bool()`` is false when there are none.

    Counts are places where a synonym begins, so overlapping synonyms are all counted. A regular
    expression that exceeds its time limit is switched off for the run, with a warning in the log.
    """

    __slots__ = ("_glance", "_off", "_patterns", "_scans", "_timed", "groups")

    def __init__(self, entries: Iterable[str | Group] = ()) -> None:
        self.groups: tuple[Group, ...] = tuple(
            entry if isinstance(entry, Group) else parse_group(entry) for entry in entries
        )
        plain: list[tuple[Synonym, Hit]] = []
        self._patterns: list[tuple[re.Pattern[str], Hit]] = []
        self._timed: list[tuple[regex.Pattern[str], Hit]] = []
        self._off: set[Hit] = set()
        for number, group in enumerate(self.groups):
            if group.expression:
                expression = compiled(group.expression, ignore_case=True)
                self._timed.append((expression, Hit(group.written, number)))
            for synonym in group.synonyms:
                hit = Hit(synonym.written, number)
                pieces = _pieces(synonym)
                if len(synonym.parts) > 2:  # several * multiply their choices
                    self._timed.append((regex.compile("".join(pieces)), hit))
                elif len(synonym.parts) == 2 or len(pieces) == 1:
                    self._patterns.append((re.compile("".join(pieces)), hit))
                else:
                    plain.append((synonym, hit))
        self._scans = _scans(plain)
        places = [scan.pairs for scan in self._scans] + [pattern for pattern, _ in self._patterns]
        self._glance = re.compile("|".join(f"(?:{place.pattern})" for place in places) or "(?!)")

    def __bool__(self) -> bool:
        return bool(self.groups)

    def anew(self) -> Words:
        """Return the same words, of which none is switched off."""
        copied = copy(self)
        copied._off = set()
        return copied

    def __repr__(self) -> str:
        return f"Words({[group.written for group in self.groups]!r})"

    def count(self, text: str) -> dict[str, int]:
        """Return how often each synonym begins in a text; those not found are left out."""
        counts: dict[str, int] = {}
        for hit, times in self.hits(text).items():
            # The same words in two groups are one word of the text.
            counts[hit.written] = max(times, counts.get(hit.written, 0))
        return counts

    def groups_found(self, *texts: str) -> set[int]:
        """Return the numbers of the groups that have a synonym in one of the texts."""
        return {hit.group for text in texts for hit in self.hits(text)}

    def may_hit(self, text: str) -> bool:
        """Whether ``hits`` may find something: no more than one quick look, for short texts."""
        return bool(self._timed) or self._glance.search(text) is not None

    def hits(self, text: str) -> dict[Hit, int]:
        """Return how often each synonym of each group begins in a text."""
        found: dict[Hit, int] = {}
        for scan in self._scans:
            branches = scan.branches
            for place in scan.pairs.finditer(text):
                branch = branches[place[0]]
                match = branch.pattern.match(text, place.start())
                if match:
                    for hit in branch.hits[match.lastindex or 0]:
                        found[hit] = found.get(hit, 0) + 1
        for pattern, hit in self._patterns:
            times = sum(1 for _ in pattern.finditer(text))
            if times:
                found[hit] = times
        for timed, hit in self._timed:
            times = self._count_timed(timed, hit, text)
            if times:
                found[hit] = times
        return found

    def _count_timed(self, pattern: regex.Pattern[str], hit: Hit, text: str) -> int:
        if hit in self._off:
            return 0
        try:
            return sum(1 for _ in pattern.finditer(text, timeout=TIME_LIMIT))
        except TimeoutError:
            self._off.add(hit)
            logger.warning(
                "%s took more than %s s for one text of %d characters: switched off for this run",
                hit.written,
                TIME_LIMIT,
                len(text),
            )
            return 0


def expression_of(synonym: Synonym) -> str:
    """Return the expression that finds a synonym, without groups of its own."""
    return "".join(_pieces(synonym))


def _pieces(synonym: Synonym) -> list[str]:
    """Return a pattern piece per character; boundaries and gaps belong to the piece after them."""
    pieces: list[str] = []
    for number, part in enumerate(synonym.parts):
        if number:
            pieces.append(ANYTHING)
        pieces.extend(_part_pieces(part))
    first, last = synonym.parts[0], synonym.parts[-1]
    if first and is_letter(first[0]):
        pieces[0] = f"(?<![{LETTER}])" + pieces[0]
    if last and is_letter(last[-1]):
        pieces[-1] += f"(?![{LETTER}])"
    return pieces


def _part_pieces(part: str) -> list[str]:
    """Latin letters stand close, or at least one space apart; elsewhere spaces do not matter."""
    pieces: list[str] = []
    before, spaced = "", False
    for character in part:
        if character.isspace():
            spaced = True
            continue
        if not before:
            gap = ""
        elif is_letter(before) and is_letter(character):
            gap = f"{GAP}{{1,4}}" if spaced else ""
        else:
            gap = f"{GAP}{{0,4}}"
        pieces.append(gap + _class(character))
        before, spaced = character, False
    return pieces


@lru_cache(KNOWN_CHARACTERS)
def _class(character: str) -> str:
    same = spellings(character)
    return re.escape(same) if len(same) == 1 else f"[{re.escape(same)}]"


def _scans(synonyms: Sequence[tuple[Synonym, Hit]]) -> tuple[_Scan, ...]:
    """Build one scan for synonyms that begin with a Latin letter and one for all others."""
    latin = [pair for pair in synonyms if is_letter(pair[0].key[0])]
    other = [pair for pair in synonyms if not is_letter(pair[0].key[0])]
    start = f"(?<![{LETTER}].)"
    return tuple(
        _scan(pairs, boundary) for pairs, boundary in ((latin, start), (other, "")) if pairs
    )


def _scan(synonyms: Sequence[tuple[Synonym, Hit]], boundary: str) -> _Scan:
    by_first: dict[str, list[tuple[Synonym, Hit]]] = {}
    for synonym, hit in synonyms:
        by_first.setdefault(synonym.key[0], []).append((synonym, hit))
    firsts = "".join(spellings(first) for first in by_first)
    seconds = {synonym.key.replace(" ", "")[1] for synonym, _ in synonyms}
    pairs = re.compile(
        f"[{re.escape(firsts)}]{boundary}"
        f"(?={GAP}{{0,4}}[{re.escape(''.join(spellings(second) for second in seconds))}])"
    )
    branches: dict[str, _Branch] = {}
    for first, members in by_first.items():
        branch = _branch(members)
        branches.update(dict.fromkeys(spellings(first), branch))
    return _Scan(pairs, branches)


def _branch(members: Sequence[tuple[Synonym, Hit]]) -> _Branch:
    """Order the synonyms longest first; a longer one also counts for those it begins with."""
    by_key: dict[str, list[tuple[Synonym, Hit]]] = {}
    for synonym, hit in members:
        by_key.setdefault(synonym.key, []).append((synonym, hit))
    keys = sorted(by_key, key=lambda key: (-len(key), key))
    alternatives = [f"({''.join(_pieces(by_key[key][0][0]))})" for key in keys]
    hits: list[tuple[Hit, ...]] = [()]
    for key in keys:
        inside = [other for other in keys if _begins(key, other)]
        hits.append(tuple(hit for other in inside for _, hit in by_key[other]))
    return _Branch(re.compile("|".join(alternatives)), tuple(hits))


def _begins(key: str, other: str) -> bool:
    """Whether a place where ``key`` is found is one where ``other`` is found, too."""
    if not key.startswith(other):
        return False
    return not any(
        is_letter(last) and is_letter(following)
        for last, following in pairwise(key[len(other) - 1 : len(other) + 1])
    )


@lru_cache(maxsize=64)
def _compiled_words(entries: tuple[str, ...]) -> Words:
    return Words(entries)


def known_words(entries: Iterable[str]) -> Words:
    """Return the words of entries, made once: a crawl reads its template three times, and the words by which one
    search engine refuses took 20 ms. What is switched off is each reader's own."""
    return _compiled_words(tuple(entries)).anew()


def words() -> Kind:
    """Word groups with synonyms and weights."""
    entry = checked("words", as_written(parse_group))
    return replace(listed(entry, "words"), build=known_words, groups=True)
