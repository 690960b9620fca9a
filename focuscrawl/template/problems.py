"""What is wrong with a template, told all at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from focuscrawl.template.files import masked_message


class Origin(NamedTuple):
    """Where a value comes from. An empty ``file`` is a built-in default, ``-a`` an argument."""

    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        if not self.file:
            return "default"
        return self.file if self.line is None else f"{self.file}:{self.line}"


DEFAULT = Origin()
ARGUMENT = "-a"


class Problem(NamedTuple):
    """One mistake, or one warning: where it is and what to do about it."""

    origin: Origin
    text: str

    def __str__(self) -> str:
        text = masked_message(self.text)
        return f"{self.origin}: {text}" if self.origin.file else text


class TemplateErrors(Exception):
    """A template cannot be used; ``str()`` is the message for people, with every problem in it."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = sorted_problems(file, problems)
        count = len(self.problems)
        title = f"{file}: {count} problem" + "s" * (count != 1)
        super().__init__("\n".join([title, *problem_lines(file, self.problems)]))


def sorted_problems(file: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return each problem once, in order of file and line."""
    return tuple(sorted(set(problems), key=lambda problem: _order(file, problem)))


def problem_lines(file: str, problems: Iterable[Problem]) -> list[str]:
    """Return one aligned line for each problem; other files than ``file`` are named."""
    labelled = [
        (_label(file, problem.origin), masked_message(problem.text)) for problem in problems
    ]
    width = max((len(label) for label, _ in labelled), default=0)
    return [f"  {label:<{width}}  {text}" if width else f"  {text}" for label, text in labelled]


def _label(file: str, origin: Origin) -> str:
    line = "" if origin.line is None else f"line {origin.line}"
    if origin.file in {"", file}:
        return line
    return f"{origin.file} {line}".strip()


def _order(file: str, problem: Problem) -> tuple[bool, str, bool, int, str]:
    origin = problem.origin
    other = origin.file not in {"", file}
    return (
        other,
        origin.file if other else "",
        origin.line is None,
        origin.line or 0,
        problem.text,
    )
