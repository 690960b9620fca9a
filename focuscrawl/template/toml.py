"""TOML as people type it: read with messages for files as they are, all at once, and written for messages."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any, NamedTuple

from focuscrawl.locale.messages import N_, _, ngettext
from focuscrawl.readers.text.characters import padded, width_of
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
        title = ngettext("{file}: {count} problem", "{file}: {count} problems", count).format(
            file=file, count=count
        )
        super().__init__("\n".join([title, *problem_lines(file, self.problems)]))


def sorted_problems(file: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return each problem once, in order of file and line."""
    return tuple(sorted(set(problems), key=lambda problem: _order(file, problem)))


def problem_lines(file: str, problems: Iterable[Problem]) -> list[str]:
    """Return one aligned line for each problem; other files than ``file`` are named."""
    labelled = [
        (_label(file, problem.origin), masked_message(problem.text)) for problem in problems
    ]
    width = max((width_of(pair[0]) for pair in labelled), default=0)
    return [
        f"  {padded(label, width)}  {text}" if width else f"  {text}" for label, text in labelled
    ]


def _label(file: str, origin: Origin) -> str:
    line = "" if origin.line is None else _("line {line}").format(line=origin.line)
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


KeyPath = tuple[str | int, ...]


KEY_PART = r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|[^\s."\'=\[\]#]+'
KEY = re.compile(rf"[ \t]*(?:{KEY_PART})(?:[ \t]*\.[ \t]*(?:{KEY_PART}))*[ \t]*")
_PART = re.compile(KEY_PART)
HEADER = re.compile(rf"\[(\[?)({KEY.pattern})\](\]?)")
VALUE_TOKEN = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|.|\n'
)


BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")


class Heading(NamedTuple):
    """A line that opens a table. ``names`` are its dotted parts."""

    line: int
    names: tuple[str, ...]
    repeated: bool


@dataclass(slots=True)
class TomlLines:
    """The places of one file.

    ``keys`` and ``tables`` map a path in the parsed file to its first line; repeated tables have
    their number in the path. ``spans`` are the first and last lines of values over several lines.
    """

    keys: dict[KeyPath, int] = field(default_factory=dict)
    tables: dict[KeyPath, int] = field(default_factory=dict)
    headings: list[Heading] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def of(self, path: KeyPath) -> int | None:
        """Return the line of a key or table, of the first thing in it, or of what is around it."""
        while path:
            size = len(path)
            for places in (self.keys, self.tables):
                if path in places:
                    return places[path]
            inside = [line for one, line in self.tables.items() if one[:size] == path]
            if inside:
                return min(inside)
            path = path[:-1]
        return None


def key_parts(text: str) -> tuple[str, ...]:
    """Split a dotted key; parts may be in quotes."""
    return tuple(_unquoted(part) for part in _PART.findall(text))


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except tomllib.TOMLDecodeError:
        return part[1:-1]


def scan(text: str) -> TomlLines:
    """Find the line of every table and key."""
    lines = TomlLines()
    counts: dict[tuple[str, ...], int] = {}
    inside: KeyPath = ()
    place, line = 0, 1
    while True:
        blank = BLANK.match(text, place)
        if blank:
            line += blank[0].count("\n")
            place = blank.end()
        if place >= len(text):
            return lines
        heading = HEADER.match(text, place)
        if heading:
            names = key_parts(heading[2])
            repeated = bool(heading[1])
            inside = _numbered(names, repeated, counts)
            lines.headings.append(Heading(line, names, repeated))
            lines.tables.setdefault(inside, line)
            place = heading.end()
            continue
        key = KEY.match(text, place)
        if key and text[key.end() : key.end() + 1] == "=":
            lines.keys.setdefault((*inside, *key_parts(key[0])), line)
            place = key.end() + 1
        end = _value_end(text, place)
        over = text.count("\n", place, end)
        if over:
            lines.spans.append((line, line + over))
        line += over
        place = end


def _numbered(
    names: tuple[str, ...], repeated: bool, counts: dict[tuple[str, ...], int]
) -> KeyPath:
    """Return the path of a table, with numbers for the repeated tables around it."""
    if repeated:
        counts[names] = counts.get(names, -1) + 1
    path: list[str | int] = []
    for depth, name in enumerate(names, 1):
        path.append(name)
        if names[:depth] in counts:
            path.append(counts[names[:depth]])
    return tuple(path)


def _value_end(text: str, place: int) -> int:
    """Return where a value ends: at the end of a line outside all brackets."""
    depth = 0
    for token in VALUE_TOKEN.finditer(text, place):
        sign = token[0]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        elif sign == "\n" and depth == 0:
            return token.start()
    return len(text)


BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_key(name: str) -> str:
    """Return a key, in quotes where TOML wants them."""
    return name if BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def toml_text(value: Any) -> str:
    """Return a value in one line of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_text(entry) for entry in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{toml_key(str(key))} = {toml_text(entry)}" for key, entry in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def shortened(value: Any, most: int = 80) -> str:
    """Return a value in one line of TOML without passwords, cut so that a message stays readable."""
    line = masked_message(toml_text(value))
    return line if len(line) <= most else line[: most - 1] + "…"


PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
WIDE = {"“": '"', "”": '"', "‘": "'", "’": "'", "＝": "=", "，": ",", "［": "[", "］": "]", "\u3000": N_("a space")}  # fmt: skip
WIDE_SIGN = re.compile(f"[{''.join(WIDE)}]")
STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')
QUOTE = re.compile(r"^[^#]*?([\"'])")
FOREIGN_KEY = re.compile(r"(?:^|[{,])\s*([\w-]*[^\x00-\x7f][\w-]*)\s*=")
MOST_MISTAKES = 50


class Parsed(NamedTuple):
    """One file: ``tree`` as tomllib reads it, where things stand, and what TOML refuses.

    ``broken`` lines were left out to read on, so that something may seem missing.
    """

    tree: dict[str, Any]
    lines: TomlLines
    problems: list[Problem]
    broken: bool


def decode(raw: bytes, file: str) -> tuple[str, list[Problem]]:
    """Return the text of a file without its byte order mark."""
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n"), []
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
    for encoding, name in (("gb18030", "GB18030 (GBK)"), ("utf-16", "UTF-16")):
        if encoding == "utf-16" and raw[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        advice = _("save it as UTF-8 (Notepad: 另存为 → 编码 UTF-8)")
        return "", [
            Problem(
                Origin(file), _("not UTF-8 but {name}: {advice}").format(name=name, advice=advice)
            )
        ]
    return "", [Problem(Origin(file, line), _("not UTF-8: save it as UTF-8"))]


def parse(text: str, file: str, repeatable: frozenset[tuple[str, ...]] = frozenset()) -> Parsed:
    """Read TOML; a line that TOML refuses is reported and left out, and the rest is read.

    ``repeatable`` are the tables that want double brackets.
    """
    rows = text.split("\n")
    problems = _single_brackets(rows, scan(text), file, repeatable)
    lines = scan("\n".join(rows))
    again = _opened_again(lines)
    for line, (names, first) in again.items():
        title = "[" + ".".join(map(toml_key, names)) + "]"
        advice = _("{title} is already open at line {first}: put these lines there").format(
            title=title, first=first
        )
        problems.append(Problem(Origin(file, line), advice))
        rows[line - 1] = f'["\\u0000{line}"]'  # its keys must not fall to the table before
    tree, refused = _parse_rows(rows, text, lines, file)
    for line, (names, _first) in again.items():
        _put_back(tree, names, tree.pop(f"\0{line}", {}))
    tree = {name: value for name, value in tree.items() if name[:1] != "\0"}
    return Parsed(tree, lines, problems + refused, bool(refused))


def _parse_rows(
    rows: list[str], text: str, lines: TomlLines, file: str
) -> tuple[dict[str, Any], list[Problem]]:
    problems: list[Problem] = []
    for _time in range(MOST_MISTAKES):
        try:
            return tomllib.loads("\n".join(rows)), problems
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            problem, row = _syntax_problem(error, text, lines, file)
            problems.append(problem)
            inside = any(first <= (row or 0) <= last for first, last in lines.spans)
            if row is None or inside or not rows[row - 1].strip():
                break  # what follows cannot be told from what is broken
            rows[row - 1] = f'["\\u0000{row}"]' if HEADER.match(rows[row - 1].strip()) else ""
    return {}, problems


def _single_brackets(
    rows: list[str], lines: TomlLines, file: str, repeatable: frozenset[tuple[str, ...]]
) -> list[Problem]:
    """Tell repeatable tables in single brackets, and read them as if they were double."""
    problems = []
    for line, names, repeated in lines.headings:
        if not repeated and names in repeatable:
            dotted = ".".join(names)
            problems.append(
                Problem(
                    Origin(file, line),
                    _("[{dotted}]: repeatable: [[{dotted}]]").format(dotted=dotted),
                )
            )
            rows[line - 1] = f"[[{dotted}]]"
    return problems


def _opened_again(lines: TomlLines) -> dict[int, tuple[tuple[str, ...], int]]:
    """Return the lines where a table is opened once more: its name and where it is open."""
    first: dict[tuple[str, ...], int] = {}
    again = {}
    for line, names, repeated in lines.headings:
        if repeated:  # tables inside a new entry are new
            first = {old: at for old, at in first.items() if old[: len(names)] != names}
        elif names in first:
            again[line] = (names, first[names])
        else:
            first[names] = line
    return again


def _put_back(tree: dict[str, Any], names: tuple[str, ...], values: dict[str, Any]) -> None:
    """Add the keys of a table that was opened again to the table itself, so they are checked."""
    table: Any = tree
    for name in names:
        table = table.setdefault(name, {})
        table = table[-1] if isinstance(table, list) else table
        if not isinstance(table, dict):
            return
    for name, value in values.items():
        table.setdefault(name, value)


def _syntax_problem(
    error: Exception, text: str, lines: TomlLines, file: str
) -> tuple[Problem, int | None]:
    """Return what TOML refuses in words for the template's author, and its row (None: unknown)."""
    if isinstance(error, RecursionError):
        return Problem(Origin(file), _("too many brackets inside each other")), None
    message = str(error)
    place = PLACE.search(message)
    if not place or not place[1]:
        reason = message[: place.start()] if place else message
        rows = range(1, text.count("\n") + 2)
        wide = next((found for row in rows if (found := _wide(text, row, file))), None)
        if wide:
            return wide, None
        unclosed = _unclosed(text, file)
        if unclosed:
            return unclosed, None
        advice = _("something is not closed: a quote, a bracket or a brace")
        return Problem(
            Origin(file),
            _("not TOML: {reason} at the end of the file ({advice})").format(
                reason=reason, advice=advice
            ),
        ), None
    row, column = int(place[1]), int(place[2])
    problem = _wide(text, row, file) or _key_problem(text, row, lines, file)
    if not problem:
        reason = message[: place.start()]
        shown = text.split("\n")[row - 1].strip()[:60]
        problem = Problem(
            Origin(file, row),
            _("not TOML: {reason} at column {column}: {shown}").format(
                reason=reason, column=column, shown=shown
            ),
        )
    return problem, row


def _unclosed(text: str, file: str) -> Problem | None:
    """Tell the first line with a quote that does not end on it."""
    if '"""' in text or "'''" in text:
        return None  # texts over several lines are allowed
    for row, line in enumerate(text.split("\n"), 1):
        found = QUOTE.search(STRING.sub(lambda found: " " * len(found[0]), line))
        if found:
            where = _("the quote {quote} at column {column} is not closed").format(
                quote=found[1], column=found.start(1) + 1
            )
            return Problem(Origin(file, row), _("not TOML: {where}").format(where=where))
    return None


def _wide(text: str, row: int, file: str) -> Problem | None:
    """Tell the first full-width sign of a line that stands outside its strings."""
    line = text.split("\n")[row - 1]
    bare = STRING.sub(lambda found: " " * len(found[0]), line).split("#")[0]
    found = WIDE_SIGN.search(bare) or WIDE_SIGN.search(line)
    if not found:
        return None
    name = _("full-width space") if found[0] == "\u3000" else found[0]
    advice = _("{name} at column {column}: write {sign}").format(
        name=name, column=found.start() + 1, sign=_(WIDE[found[0]])
    )
    return Problem(
        Origin(file, row), _("{advice} (in the English input mode)").format(advice=advice)
    )


def _key_problem(text: str, row: int, lines: TomlLines, file: str) -> Problem | None:
    line = text.split("\n")[row - 1]
    bare = STRING.sub(lambda found: " " * len(found[0]), line)
    found = FOREIGN_KEY.search(bare)
    if found:
        quoted = json.dumps(found[1], ensure_ascii=False)
        return Problem(
            Origin(file, row),
            _("{key}: put it in quotes: {quoted} = …").format(key=found[1], quoted=quoted),
        )
    heading = HEADER.match(line.strip())
    if heading and not heading[2].isascii():
        names = ".".join(map(toml_key, key_parts(heading[2])))
        return Problem(
            Origin(file, row),
            _("[{heading}]: put it in quotes: [{names}]").format(heading=heading[2], names=names),
        )
    name, sign, _value = line.partition("=")
    earlier = [path for path, at in lines.keys.items() if at < row and path[-1:] == key_parts(name)]
    if sign and earlier and row not in lines.keys.values():
        first = lines.keys[earlier[-1]]
        return Problem(
            Origin(file, row),
            _("{name}: already given at line {first}").format(name=name.strip(), first=first),
        )
    return None
