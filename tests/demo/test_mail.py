"""The mails of the demo's fortnight as a person gets them; one of them is docs/mail.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from focuscrawl.demo import days
from focuscrawl.demo.running import surroundings, write_topics
from focuscrawl.demo.truth import DAY_ZERO
from focuscrawl.demo.web import DemoWeb
from tests.output.notify.receivers import Mailbox, body_of, served_mailbox

if TYPE_CHECKING:
    from email.message import EmailMessage

PAGE = Path(__file__).parents[2] / "docs" / "mail.md"
MAIL = """
[[notify]]
to = "mailto:morning@example.cn"
what = ["new", "changed", "gone"]
at = ["08:00"]
"""
SECTIONS = ("[新]", "[新回复]", "[有改动]", "[已消失")
ZONE = timezone(timedelta(hours=8))
TEXT = """# A morning's mail

What `[[notify]] to = "mailto:…"`, `at = ["08:00"]`, `what = ["new", "changed", "gone"]` sent on day {day} of the
demo's fortnight (`focuscrawl demo --days`), as text; the mail has the same as HTML with links, and with
`attach = "xlsx"` a workbook. In {days} days {count} mails came; on a day without anything to tell there is none.
`make mail` lives the fortnight and writes this page.

```text
Date: {date}
Subject: {subject}

{text}
```
"""


@contextmanager
def told_by_mail() -> Iterator[Mailbox]:
    """Let the topic of the demo's days tell a mailbox at eight what has come."""

    def write_telling_topics(folder: Path, *names: str) -> None:
        write_topics(folder, *names)
        topic = folder / "topics" / f"{days.TOPIC}.toml"
        topic.write_text(topic.read_text("utf-8") + MAIL, "utf-8")

    def reaching(folder: Path, address: str) -> dict[str, str]:
        return {**surroundings(folder, address), "FOCUSCRAWL_SMTP": box.url}

    with (
        served_mailbox() as box,
        patch.object(days, "write_topics", write_telling_topics),
        patch.object(days, "surroundings", reaching),
    ):
        yield box


def of_a_fortnight(folder: Path) -> list[EmailMessage]:
    """Live two weeks of the full web, and return the mails of them. Raises RuntimeError."""
    with told_by_mail() as box:
        outcome = days.days_tour(folder, DemoWeb(1, "full"), lambda pages, doing: None)
    if not outcome.good:
        raise RuntimeError(f"the fortnight went wrong: {outcome.findings}")
    return [one for one in box.taken if day_of(one) <= days.TOUR_DAYS]


def day_of(mail: EmailMessage) -> int:
    """Return the day of the web on which a mail was sent."""
    return (parsedate_to_datetime(str(mail["Date"])) - DAY_ZERO).days


def chosen(mails: Sequence[EmailMessage]) -> EmailMessage:
    """Return the mail that tells of most kinds of things; of several the shortest."""
    texts = [(one, body_of(one, "plain")) for one in mails]
    return min(texts, key=lambda one: (-sum(name in one[1] for name in SECTIONS), len(one[1])))[0]


def page_of(mails: Sequence[EmailMessage]) -> str:
    """Return the page of the docs."""
    mail = chosen(mails)
    sent = parsedate_to_datetime(str(mail["Date"])).astimezone(ZONE)
    text = body_of(mail, "plain").replace("\r\n", "\n").strip()
    return TEXT.format(
        day=day_of(mail),
        count=len(mails),
        days=days.TOUR_DAYS,
        date=f"{sent:%a, %d %b %Y}, 08:00",
        subject=mail["Subject"],
        text=re.sub(r"(?<=：)/\S+/(?=days\.report)", "crawls/", text),  # of a folder of the test's
    )


@pytest.mark.fortnight
@pytest.mark.long_form
@pytest.mark.program
def test_the_mail_in_the_docs_is_one_of_a_fortnight(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    mails = of_a_fortnight(tmp_path)
    page = page_of(mails)
    if pytestconfig.getoption("write"):
        PAGE.write_text(page, "utf-8")
    assert as_noticed(PAGE.read_text("utf-8")) == as_noticed(page), "make mail writes it anew"


def as_noticed(page: str) -> str:
    """Leave open which of a day's two crawls has noticed a thing: on a busy machine it may be the other one."""
    return re.sub(r"(?<=\d\d-\d\d )(?:08|20):00", "08:00 or 20:00", page)
