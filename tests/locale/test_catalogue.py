"""No message is missing in Chinese, none is stale, and each says what the English one says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from string import Formatter

from focuscrawl.commands.topic import VERBS
from focuscrawl.output.summary.lines import NOUNS
from tests.locale.catalogue import (
    COMPILED,
    PACKAGE,
    compiled,
    messages_in_code,
    source_text,
    strings_of,
    translated,
    untranslated,
    updated,
)
from tests.tables import each_row

TOLD_BY = frozenset(
    {
        "CannotDo",
        "ConditionError",
        "ConfigError",
        "ExportError",
        "FileError",
        "Invalid",
        "ListError",
    }
    | {
        "NoSuchRun",
        "NoSuchTopic",
        "SecretError",
        "SendError",
        "SinceError",
        "StoreError",
        "UsageError",
        "WordError",
    }
)
"""Exceptions whose text a person reads."""

WRITTEN = re.compile(r"%(?:\.\d)?[sdgf](?![a-z])")
"""A field of a line of the log, as the library takes it: by its place."""

HAN = "\u4e00-\u9fff"
HALF_WIDTH = re.compile(rf"[{HAN}][,;!?](?:[^a-z]|$)|[,;!?][{HAN}]|[{HAN}]\(|\)[{HAN}]|[{HAN}]\.$")
CODE = re.compile(
    r"FOCUSCRAWL_\w+|CLOSESPIDER_\w+|[A-Z]+_[A-Z_]+|--[a-z]+|\[\[?[a-z.]+\]\]?|\b[a-z]{2,}\.[a-z_]{2,}\b"
    r"|\bscrapy (?:topic (?:backup|ban|check|forget|move|new|patterns|score|try|workers)|crawl|list|topic)\b"
    r"|\bskip = true|`[^`]+`"
)
"""What stands in a message for a machine or a template: it stays in every language."""

CHINESE = [message for message in translated() if message.id]


def forms_of(message: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (message,) if isinstance(message, str) else tuple(message)


def pairs() -> Iterator[tuple[str, str]]:
    """Go through messages with their translations; of two English forms the last one is compared."""
    for message in CHINESE:
        for told in strings_of(message):
            yield forms_of(message.id)[-1], told


def fields(text: str) -> set[tuple[str, str, str]]:
    """Return the fields of a message: name, how it is converted, how it is written."""
    return {
        (name, conversion or "", written or "")
        for _text, name, written, conversion in Formatter().parse(text)
        if name is not None
    }


@cache
def nodes() -> Sequence[tuple[str, ast.AST]]:
    """Return what these tests look at in the package without the demo: functions, calls, texts with fields."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    return [
        (name, node)
        for name, path in sorted(paths.items())
        if not name.startswith("demo/")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Call | ast.JoinedStr)
    ]


def called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def test_every_message_in_the_code_stands_in_the_catalogue_and_no_other() -> None:
    known = {forms_of(message.id) for message in CHINESE}
    marked = {forms_of(message) for message in messages_in_code()}
    assert not marked - known, "make messages, and translate what it says"
    assert not known - marked, "make messages"


def test_every_message_is_translated_and_none_only_guessed() -> None:
    assert [message.id for message in untranslated(translated())] == []
    assert [message.id for message in CHINESE if message.fuzzy] == []


def test_what_programs_read_is_what_people_edit() -> None:
    read = GNUTranslations(BytesIO(COMPILED.read_bytes()))
    ought = GNUTranslations(BytesIO(compiled(translated())))
    texts = [text for message in CHINESE for text in forms_of(message.id)]
    told = [(read.gettext(text), read.ngettext(text, text, 2)) for text in texts]
    assert told == [(ought.gettext(text), ought.ngettext(text, text, 2)) for text in texts]


def test_the_catalogue_is_written_the_same_whenever_it_is_written() -> None:
    once = updated(translated())
    assert source_text(updated(once)) == source_text(once)


@each_row(("english", "chinese"), list(pairs()))
def test_a_translation_has_the_fields_of_its_message(english: str, chinese: str) -> None:
    assert WRITTEN.findall(chinese) == WRITTEN.findall(english)
    try:
        wanted = fields(english)
    except ValueError:  # { overwrite = true }: no message with fields
        wanted = set()
    if wanted:
        assert fields(chinese) == wanted


def test_translations_keep_what_stands_for_a_machine() -> None:
    lost = [
        (code, chinese)
        for english, chinese in pairs()
        for code in CODE.findall(english)
        if code not in chinese
    ]
    assert lost == []


def test_translations_keep_the_verb_before_a_colon_and_the_spaces_around() -> None:
    for english, chinese in pairs():
        verbs = re.match(r"([a-z-]+(?:, [a-z-]+)*)(?: --[a-z-]+)?: ", english)
        if verbs and set(verbs[1].split(", ")) <= VERBS.keys():
            assert chinese.startswith(verbs[0]), chinese
        begin = re.match(r" *", english)
        if begin and len(begin[0]) > 1:  # an indented line
            assert chinese.startswith(begin[0]), chinese


def test_chinese_sentences_have_the_signs_of_chinese_sentences() -> None:
    assert [chinese for _, chinese in pairs() if HALF_WIDTH.search(chinese)] == []


def test_no_message_is_marked_where_the_catalogue_is_not_made_from() -> None:
    """Python 3.11 hands a string with fields as one piece to whoever looks for messages in it."""
    inside = [
        f"{name}:{node.lineno}"
        for name, node in nodes()
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if called(part) in {"_", "ngettext"}
        if any(isinstance(argument, ast.Constant) for argument in getattr(part, "args", ()))
    ]
    assert inside == []


def test_no_function_that_tells_something_names_a_value_as_translation_is_named() -> None:
    """``for url, _ in rows`` makes ``_`` a value in all of a function: ``_("…")`` fails there when it is called."""
    shadowed = [
        f"{name}:{node.lineno}"
        for name, node in nodes()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if any(called(part) == "_" for part in ast.walk(node))
        if any(
            isinstance(part, ast.Name) and part.id == "_" and isinstance(part.ctx, ast.Store)
            for part in ast.walk(node)
        )
    ]
    assert shadowed == []


def test_what_is_marked_is_a_text_and_no_expression() -> None:
    expressions = [
        f"{name}:{node.lineno}"
        for name, node in nodes()
        if isinstance(node, ast.Call) and called(node) in {"_", "N_", "ngettext", "NN_"}
        if any(isinstance(argument, ast.JoinedStr | ast.BinOp) for argument in node.args)
    ]
    assert expressions == []


def test_what_people_are_told_when_something_cannot_be_done_is_marked() -> None:
    unmarked = [
        f"{name}:{node.lineno}"
        for name, node in nodes()
        if isinstance(node, ast.Call) and called(node) in TOLD_BY and node.args
        if has_words(node.args[0])
    ]
    assert unmarked == []


def has_words(argument: ast.expr) -> bool:
    """Whether a text holds a sentence of its own, and not only fields and signs."""
    if isinstance(argument, ast.Constant):
        parts = [argument]
    elif isinstance(argument, ast.JoinedStr):
        parts = [part for part in argument.values if isinstance(part, ast.Constant)]
    else:
        return False
    return any(re.search(r"[A-Za-z]{2,} [a-z]{2,}", str(part.value)) for part in parts)


def test_what_is_counted_is_known_in_both_forms() -> None:
    nouns = {
        node.args[1].value
        for _, node in nodes()
        if isinstance(node, ast.Call) and called(node) == "counted"
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    }
    assert nouns <= NOUNS.keys()


def test_the_file_that_is_edited_lies_beside_the_one_that_is_read() -> None:
    assert sorted(one.name for one in Path(COMPILED.parent).iterdir()) == [
        "focuscrawl.mo",
        "focuscrawl.po",
    ]
