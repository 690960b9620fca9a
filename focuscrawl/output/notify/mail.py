"""Messages by mail: HTML with its text, over the server that FOCUSCRAWL_SMTP names."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from focuscrawl.locale.messages import N_, _
from focuscrawl.output.notify.deadline import Exchange, MailConnection

if TYPE_CHECKING:
    from focuscrawl.output.notify.messages import Message

TIMEOUT = 30.0
"""Seconds that an exchange with a receiver takes at most: a mail server that checks who sends takes ten."""

PORTS = {"smtp": 587, "smtps": 465}
LONGEST_LIST_ID = 100
"""Characters of the topics in a List-Id: a line of a head has 998, and some programs show it."""

_EXAMPLE = N_(
    "smtp://user:password@mail.example.com:587, or smtps://…; ?from=crawl@example.com says who sends"
)
XLSX_SUBTYPE = "vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SENDER_NAME = "focuscrawl"


class SendError(Exception):
    """A message was not taken; the text says by whom and why, and holds no password."""


def is_loopback(place: str) -> bool:
    """Whether a host, with its port or without, is this machine."""
    host = urlsplit(f"//{place}").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Attachment(NamedTuple):
    """A workbook that goes with a mail."""

    name: str
    content: bytes


@dataclass(frozen=True)
class MailServer:
    """A mail server and how one logs in. ``sender`` is the address that mails come from."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""

    @classmethod
    def read(cls, text: str) -> MailServer:
        """Read FOCUSCRAWL_SMTP. Raises SendError, which does not repeat it: a password is in it."""
        told = _("FOCUSCRAWL_SMTP is no address of a mail server: write {example}")
        wrong = SendError(told.format(example=_(_EXAMPLE)))
        try:
            parts = urlsplit(text.strip())
            scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        except ValueError:
            raise wrong from None
        if scheme not in PORTS or not host or parts.path.strip("/"):
            raise wrong
        user = unquote(parts.username or "")
        given = parse_qs(parts.query).get("from", [""])[0]
        sender = given or (user if "@" in user else f"{SENDER_NAME}@{host}")
        return cls(scheme, host, port or PORTS[scheme], user, unquote(parts.password or ""), sender)

    @property
    def is_here(self) -> bool:
        """Whether what is sent to it never leaves this machine."""
        return is_loopback(self.host)


def mail_of(
    message: Message,
    server: MailServer,
    receivers: Sequence[str],
    now: float,
    attachments: Sequence[Attachment] = (),
) -> MIMEMultipart:
    """Return a message as a mail. Its Message-ID follows from the message's id alone."""
    # EmailMessage loses blanks where it folds a line of Chinese.
    mail, body = MIMEMultipart("mixed"), MIMEMultipart("alternative")
    domain = server.sender.rpartition("@")[2]
    mail["Subject"] = Header(message.subject, "utf-8", header_name="Subject").encode()
    mail["From"] = formataddr((SENDER_NAME, server.sender))
    mail["To"] = ", ".join(receivers)
    mail["Date"] = format_datetime(datetime.fromtimestamp(now, UTC))
    mail["Message-ID"] = f"<{message.message_id}@{domain}>"
    mail["List-Id"] = f"<{'-'.join(message.topics)[:LONGEST_LIST_ID]}.{SENDER_NAME}.{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    body.attach(MIMEText(message.text, "plain", "utf-8"))
    body.attach(MIMEText(message.html, "html", "utf-8"))
    mail.attach(body)
    for one in attachments:
        part = MIMEApplication(one.content, XLSX_SUBTYPE)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", one.name))
        mail.attach(part)
    return mail


def receivers_of(address: str) -> list[str]:
    """Return who a mailto: address names."""
    return address.partition(":")[2].split(",")


def send_mail(mail: MIMEMultipart, server: MailServer) -> None:
    """Hand a mail to its server. Raises SendError."""
    where = _("the mail server {place}").format(place=f"{server.host}:{server.port}")
    with Exchange(TIMEOUT) as exchange:
        try:
            refused = _hand_over(mail, server, exchange, where)
        except smtplib.SMTPResponseException as error:
            said = error.smtp_error if isinstance(error.smtp_error, str) else error.smtp_error.decode("utf-8", "replace")  # fmt: skip
            told = _("{where} said {code} {said}")
            raise SendError(told.format(where=where, code=error.smtp_code, said=said)) from None
        except (smtplib.SMTPException, OSError) as error:
            reason = too_slow() if exchange.is_over else _reason(error)
            raise SendError(f"{where}: {reason}") from None
    if refused:
        told = _("{where} refused {receivers}")
        raise SendError(told.format(where=where, receivers=", ".join(refused)))


def too_slow() -> str:
    """Return the error of a receiver that has not taken a message in time."""
    return _("it was not done within {seconds} seconds").format(seconds=f"{TIMEOUT:g}")


def _hand_over(
    mail: MIMEMultipart, server: MailServer, exchange: Exchange, where: str
) -> dict[str, tuple[int, bytes]]:
    """Send a mail; returns who was refused."""
    secure = server.scheme == "smtps"
    with MailConnection(server.host, server.port, exchange, secure=secure) as connection:
        connection.ehlo()
        if server.scheme == "smtp" and connection.has_extn("starttls"):
            connection.starttls(context=ssl.create_default_context())
            connection.ehlo()
        elif server.scheme == "smtp" and server.password and not server.is_here:
            told = _("{where} offers no STARTTLS: a password is not sent in clear; use smtps://")
            raise SendError(told.format(where=where))
        if server.user:
            connection.login(server.user, server.password)
        return connection.send_message(mail)


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = ", ".join(f"{one}: {code}" for one, (code, _said) in error.recipients.items())
        return _("refused {receivers}").format(receivers=codes)
    if isinstance(error, socket.gaierror):
        return _("its name is not known")
    return str(error) or type(error).__name__
