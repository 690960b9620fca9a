"""Labels of record fields (C1, C7): where their synonyms stand in a text, each with its field.

Two steps keep it cheap on pages without any: a scan for a first character with a second one behind
it, then the longest synonym that begins there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex

from focuscrawl.readers.text.characters import HAN
from focuscrawl.template.kinds.words import (
    GAP,
    LETTER,
    TIME_LIMIT,
    Synonym,
    Words,
    expression_of,
    is_letter,
    spellings,
)

SPACE = re.compile(GAP)


class Label(NamedTuple):
    """A label in a text: the fields it stands for, and its span."""

    fields: tuple[str, ...]
    start: int
    end: int


class _Branch(NamedTuple):
    pattern: re.Pattern[str]
    fields: tuple[tuple[str, ...], ...]


class LabelFinder:
    """Finds the labels of several fields; called with a text it goes through them in order.

    Of labels that begin at one place the longest counts, and none begins inside another. Case,
    width, inner spaces and script do not matter; Latin labels are whole words.
    """

    def __init__(self, labels: Mapping[str, Words]) -> None:
        by_key: dict[str, tuple[Synonym, list[str]]] = {}
        self._expressions: list[tuple[regex.Pattern[str], str]] = []
        for name, words in labels.items():
            for group in words.groups:
                if group.expression:
                    self._expressions.append((regex.compile(group.expression, regex.I), name))
                for synonym in group.synonyms:
                    fields = by_key.setdefault(synonym.key, (synonym, []))[1]
                    if name not in fields:
                        fields.append(name)
        latin = {key: one for key, one in by_key.items() if is_letter(key[:1])}
        other = {key: one for key, one in by_key.items() if not is_letter(key[:1])}
        self._branches: dict[str, _Branch] = {}
        self._scans = [
            self._scan(some, start)
            for some, start in ((latin, f"(?<![{LETTER}].)"), (other, ""))
            if some
        ]

    def __call__(self, text: str) -> Iterator[Label]:
        """Go through the labels in a text."""
        found = [
            label
            for scan in self._scans
            for place in scan.finditer(text)
            if (label := self._at(text, place.start())) is not None
        ]
        if self._expressions:
            found += self._by_expression(text)
        end = 0
        for label in sorted(found, key=lambda label: (label.start, -label.end)):
            if label.start >= end:
                end = label.end
                yield label

    def _at(self, text: str, start: int) -> Label | None:
        branch = self._branches[text[start]]
        match = branch.pattern.match(text, start)
        if match is None or (
            SPACE.search(match[0]) and HAN.match(text, start - 1 if start else 0, start)
        ):
            return None  # 有限公司 地址: it is only beside a blank that two words look like one
        return Label(branch.fields[match.lastindex or 0], start, match.end())

    def _by_expression(self, text: str) -> list[Label]:
        found = []
        for expression, name in self._expressions:
            try:
                found += [
                    Label((name,), *match.span())
                    for match in expression.finditer(text, timeout=TIME_LIMIT)
                    if match.end() > match.start()
                ]
            except TimeoutError:
                continue
        return found

    def _scan(
        self, labels: Mapping[str, tuple[Synonym, list[str]]], boundary: str
    ) -> re.Pattern[str]:
        firsts: dict[str, list[str]] = {}
        for key in sorted(labels, key=lambda key: (-len(key), key)):
            firsts.setdefault(key[0], []).append(key)
        for first, keys in firsts.items():
            patterns = (f"({expression_of(labels[key][0])})" for key in keys)
            fields = [(), *(tuple(labels[key][1]) for key in keys)]
            branch = _Branch(re.compile("|".join(patterns)), tuple(fields))
            self._branches.update(dict.fromkeys(spellings(first), branch))
        begins = "".join(map(spellings, firsts))
        seconds = {key.replace(" ", "")[1:2] for key in labels}
        if "" in seconds or "*" in seconds:
            return re.compile(f"[{re.escape(begins)}]{boundary}")
        follows = re.escape("".join(map(spellings, seconds)))
        return re.compile(f"[{re.escape(begins)}]{boundary}(?={GAP}{{0,4}}[{follows}])")
