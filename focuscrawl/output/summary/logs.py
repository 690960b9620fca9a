"""How lines of the log are written: which topic each is about, and as JSON where FOCUSCRAWL_LOG says so.

Scrapy makes the log's handler anew for each crawler and has no setting for how a line is written, so
what makes its formatter is replaced here, once, and before the first line.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, ClassVar

from focuscrawl.config import ConfigError, SettingsReader, log_style
from focuscrawl.locale.messages import _

TOPIC: ContextVar[str] = ContextVar("focuscrawl_topic", default="")
"""The topic whose crawl is at work: what a crawl begins, a task or a timer, inherits it."""

_UNTOLD = ("spider", "crawler", "color_message")
"""Attributes of records that hold whole objects of Scrapy's."""

_MAKER = "_get_formatter"

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
"""Control characters but tab and line feed, and marks of direction."""

LIVE_SETTINGS = {"LOGSTATS_INTERVAL": 0.0, "STATS_DUMP": False}
"""What a user who watches a crawl on a terminal does not need: its display and its summary say more.
Programs that read logs (logparser, ScrapydWeb) know nothing else."""


def write_by(settings: SettingsReader, environment: Mapping[str, str], scrapy_log: Any) -> None:
    """Write lines as FOCUSCRAWL_LOG says; ``scrapy_log`` is Scrapy's module of that name. Raises ConfigError."""
    if log_style(settings, environment) != "json":
        return
    try:
        from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ConfigError(
            _('FOCUSCRAWL_LOG = "json" needs python-json-logger: pip install "focuscrawl[json]"')
        ) from None
    if not hasattr(scrapy_log, _MAKER):
        raise ConfigError(
            _(
                "this Scrapy does not show where it makes the formatter of its log; use one that"
                " focuscrawl was tested with, or take FOCUSCRAWL_LOG out"
            )
        )

    def made(handler: logging.Handler, of: SettingsReader) -> logging.Formatter:
        plain = [*JsonFormatter().reserved_attrs, *_UNTOLD]
        return JsonFormatter(
            ["created", "levelname", "name", "topic", "message"],
            rename_fields={"created": "time", "levelname": "level", "name": "logger"},
            reserved_attrs=plain,
            json_ensure_ascii=False,
        )

    setattr(scrapy_log, _MAKER, made)
    TopicRecord.stands_alone = True
    logging.setLogRecordFactory(TopicRecord)


def keep_lines_plain() -> None:
    """Let no line of the log have signs that a terminal obeys, or that turn round what stands behind them."""
    if logging.getLogRecordFactory() is logging.LogRecord:  # else it is ours, or another package's
        logging.setLogRecordFactory(PlainRecord)


def check_log() -> None:
    """Raise ConfigError where the log's file takes nothing: Scrapy would end with a traceback when it closes it."""
    for handler in logging.getLogger().handlers:
        try:
            handler.flush()
        except OSError as error:
            place = getattr(handler, "baseFilename", "stderr")
            told = _("LOG_FILE: {place} cannot be written ({why}): make room, or name another file")
            raise ConfigError(told.format(place=place, why=error.strerror)) from None


class PlainRecord(logging.LogRecord):
    """A line in which titles, addresses and answers of others do nothing: their signs are shown, not obeyed."""

    def getMessage(self) -> str:
        """Return the text of the line."""
        text = super().getMessage()
        return text if text.isprintable() else _OBEYED.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


class TopicRecord(PlainRecord):
    """A line that knows its topic; "" outside of crawls. ``stands_alone``: nothing is drawn below the lines."""

    stands_alone: ClassVar[bool] = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.topic = TOPIC.get()


class NamedRecord(TopicRecord):
    """A line that begins with its topic, unless it names it already: of several in one log."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.topic and isinstance(self.msg, str) and not self._names_it():
            self.msg = f"{self.topic}: {self.msg}"

    def _names_it(self) -> bool:
        try:
            said = self.getMessage()
        except (TypeError, ValueError):  # logging reports it
            return False
        begins = (f"{self.topic}:", f"topic {self.topic}:")
        return (
            said.startswith(begins) or f"topic={self.topic} " in said or f"({self.topic}):" in said
        )


def name_topics(settings: SettingsReader, environment: Mapping[str, str]) -> None:
    """Let every line name its topic: several are crawled at once. Raises ConfigError."""
    is_json = log_style(settings, environment) == "json"
    TopicRecord.stands_alone = True
    logging.setLogRecordFactory(TopicRecord if is_json else NamedRecord)


def is_drawn(settings: SettingsReader) -> bool:
    """Whether a crawl is drawn: it is alone in its log, which goes to a terminal."""
    # A cloud job's stderr is an object that knows nothing of terminals.
    is_terminal = getattr(sys.stderr, "isatty", bool)()
    return is_terminal and not settings.get("LOG_FILE") and not TopicRecord.stands_alone


def set_live(settings: Any) -> None:
    """Leave out what programs read, where a person looks on; a setting of the user stays."""
    if is_drawn(settings):
        for name, value in LIVE_SETTINGS.items():
            settings.set(name, value, priority="default")
