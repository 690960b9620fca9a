"""The table [[notify]]: who gets messages about what is new, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import time
from typing import Literal
from urllib.parse import urlsplit

from focuscrawl.locale.messages import _
from focuscrawl.template.files import SecretError, is_secret, reveal
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.kind import (
    Invalid,
    KeyPlace,
    Kind,
    checked,
    choice,
    listed,
    share,
    whole,
)
from focuscrawl.template.kinds.times import Hours, duration, windows
from focuscrawl.template.kinds.words import Words, words
from focuscrawl.template.merge import Entry
from focuscrawl.template.toml import Problem, toml_text

MAIL_ADDRESS = re.compile(r"mailto:[^\s@,<>]+@[^\s@,<>]+(?:,[^\s@,<>]+@[^\s@,<>]+)*", re.IGNORECASE)
TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_WEB_SCHEMES = ("http", "https")


def _receiver(*, only_web: bool) -> Kind:
    """An address of a receiver; those that are passwords stand in the environment."""
    example = "https://hc-ping.com/…" if only_web else "mailto:a@example.com"

    def check(value: str) -> str:
        if is_secret(value):
            return value
        if not only_web and MAIL_ADDRESS.fullmatch(value):
            return value
        parts = urlsplit(value)
        if parts.scheme.lower() in _WEB_SCHEMES and parts.hostname:
            if parts.username or parts.password:
                raise ValueError(
                    _("no password in an address: write env:NAME and set the variable NAME")
                )
            return value
        if only_web or not parts.scheme:
            raise ValueError(_('an address: "{example}", or "env:NAME"').format(example=example))
        if parts.scheme.lower() == "mailto":
            raise ValueError(
                _('a mail address: "mailto:a@example.com", of several joined by commas')
            )
        raise ValueError(
            _(
                "an address of {scheme} is a password: write env:NAME, and set the variable NAME to"
                " it"
            ).format(scheme=parts.scheme)
        )

    def located(plain: str | None, place: KeyPlace) -> str:
        if not plain or (is_secret(plain) and place.environment is None):
            return ""
        return reveal(plain, place.environment or {}, place.folder, place.reach)

    return replace(checked("address †", check), located=located, secret=True)


def _times_of_day() -> Kind:
    """Moments of a day, local to the topic; built as a tuple of times in order."""

    def read(value: object) -> str:
        if isinstance(value, time):
            return f"{value:%H:%M}"
        if isinstance(value, str) and TIME_OF_DAY.fullmatch(value.strip()):
            return value.strip()
        raise Invalid(_('a time of day: "08:00"'), value)

    entry = Kind("time", read, {"type": "string", "pattern": TIME_OF_DAY.pattern})
    return listed(entry, "times of day", _times)


def _times(plain: list[str]) -> tuple[time, ...]:
    pairs = (one.split(":") for one in plain)
    return tuple(sorted(time(int(hour), int(minute)) for hour, minute in pairs))


# fmt: off
class NotifyTable(Table, path="notify", doc="who gets messages about what is new, one table for each receiver; known pages (the baseline) are no news", shape="repeated"):
    """One [[notify]]. ``to`` and ``ping`` are "" where they are not given, or secrets stay out."""

    to: str = key(_receiver(only_web=False), None,
        "The receiver †: mail (the server is FOCUSCRAWL_SMTP), an address that takes JSON, or by `env:NAME` one of apprise (WeCom, DingTalk, Feishu, Slack, Telegram …; extra `notify`).",
        'to = "mailto:news@example.com"', "none", repr=False)
    what: frozenset[str] = key(listed(choice("new", "changed", "gone"), "choice or list: new, changed, gone", frozenset), ["new"],
        "What messages are about.",
        'what = ["new", "changed", "gone"]')
    match: Words = key(words(), None,
        "Word groups; one must be found in the title or among the words that hit.",
        'match = ["事故|伤亡", "停运"]', "everything")
    score: float = key(share(), 0.0,
        "The smallest score of an article.",
        "score = 0.5")
    sites: int = key(whole(1), 1,
        "Only stories on so many sites; the message comes when a story has reached that number.",
        "sites = 3")
    at: tuple[time, ...] = key(_times_of_day(), None,
        "Times of day (`topic.timezone`) at which one message has all that has come. Topics whose tables agree in `to`, `at`, `quiet`, `most`, `attach` and `lang` share it.",
        'at = ["08:00", "17:30"]', "as it comes")
    every: float = key(duration(), "15m",
        "Without `at`: the least time between two messages of a crawl that stays (`revisit.continuous`); any other sends one at its end.",
        'every = "1h"')
    quiet: Hours = key(windows(), None,
        "Hours in which nothing is sent; it comes afterwards.",
        'quiet = ["22:00-07:00", "Sat-Sun"]', "none")
    most: int = key(whole(1), 24,
        "The most messages a day; what is left comes the next day.",
        "most = 4")
    attach: Literal["xlsx"] | None = key(choice("xlsx"), None,
        "Mail: what is new as a workbook, too.",
        'attach = "xlsx"', "nothing")
    lang: Literal["zh", "en"] | None = key(choice("zh", "en"), None,
        "The language of messages.",
        'lang = "en"', "that of the topic")
    ping: str = key(_receiver(only_web=True), None,
        "An address † that is asked when a run ends, with /start behind it when one begins and /fail when one has failed (as healthchecks.io has it): so a run that never came is noticed.",
        'ping = "https://hc-ping.com/0123"', "none", repr=False)
# fmt: on

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through mistakes in receivers, and in their mail server."""
        if not entry.plain["to"] and not entry.plain["ping"] and entry.complete:
            yield entry.problem("", _(': no receiver is named: to = "mailto:news@example.com", or ping'))
        same = [one["to"] for one in entry.whole["notify"][: int(entry.place[-1])]]
        if entry.plain["to"] and entry.plain["to"] in same:
            yield entry.problem("to", _(": another [[notify]] has the same; one table for each receiver"))
        if (reach := entry.around.reach) is not None and not reach.is_everywhere:
            for name in ("to", "ping"):
                if is_secret(entry.plain[name]):
                    text = _(" = {value}: not in an inline template").format(value=toml_text(entry.plain[name]))
                    yield entry.problem(name, text)
        if server := _mail_server(entry):
            from focuscrawl.output.notify.mail import MailServer, SendError  # noqa: PLC0415 - most topics send no mail

            try:
                MailServer.read(server)
            except SendError:  # its example has a password, which a problem would mask
                told = _(": FOCUSCRAWL_SMTP is no address of a mail server, as smtps://mail.example.com is one")
                yield entry.problem("to", told)

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of mail for which there is no server."""
        if _mail_server(entry) == "":
            yield entry.problem("to", _(": FOCUSCRAWL_SMTP names no mail server"))


def _mail_server(entry: Entry) -> str | None:
    """Return what FOCUSCRAWL_SMTP says; None where a table sends no mail, or the environment is not looked at."""
    around, to = entry.around, entry.plain["to"] or ""
    environment: Mapping[str, str] | None = around.environment
    if environment is None:
        return None
    try:
        to = reveal(to, environment, around.folder, around.reach)
    except SecretError:  # told where it is read
        return None
    is_mail = to.lower().startswith("mailto:")
    return environment.get("FOCUSCRAWL_SMTP", "") if is_mail else None
