"""Who takes messages: mail, an address that takes JSON, and by apprise a hundred services more."""

from __future__ import annotations

import http.client
import json
import logging
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from focuscrawl import __version__
from focuscrawl.locale.messages import _
from focuscrawl.output.notify.deadline import Exchange
from focuscrawl.output.notify.mail import (
    TIMEOUT,
    Attachment,
    MailServer,
    SendError,
    is_loopback,
    mail_of,
    receivers_of,
    send_mail,
    too_slow,
)
from focuscrawl.output.notify.messages import Message

_LONGEST_MESSAGE = 4_000
"""Characters of a message for a service of apprise: most cut what is longer in the midst."""

USER_AGENT = f"focuscrawl/{__version__}"


class Channel(NamedTuple):
    """A receiver: ``address`` is resolved and may be a password, ``smtp`` is FOCUSCRAWL_SMTP."""

    address: str
    smtp: str = ""

    @property
    def is_mail(self) -> bool:
        """Whether it takes attachments."""
        return self.address.lower().startswith("mailto:")

    @property
    def shown(self) -> str:
        """Its name for people, without what could be a password."""
        if self.is_mail:
            return self.address
        try:
            parts = urlsplit(self.address)
        except ValueError:  # whose text has a part of it
            return "…"
        is_web = parts.scheme.lower() in ("http", "https")
        return f"{parts.scheme}://{parts.hostname}/…" if is_web else f"{parts.scheme}://…"

    def send(self, message: Message, now: float, attachments: Sequence[Attachment] = ()) -> None:
        """Send a message. Raises SendError when the receiver does not take it."""
        try:
            scheme = urlsplit(self.address).scheme.lower()
        except ValueError:
            raise _no_address(self.shown) from None
        if self.is_mail:
            if not self.smtp:
                raise SendError(_("FOCUSCRAWL_SMTP names no mail server"))
            server = MailServer.read(self.smtp)
            mail = mail_of(message, server, receivers_of(self.address), now, attachments)
            send_mail(mail, server)
        elif scheme in ("http", "https"):
            post_json(self.address, message, self.shown)
        else:
            send_by_apprise(self.address, message, self.shown)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows none: a redirect makes a POST a GET, which does not carry the message."""

    def redirect_request(self, *_given: Any, **_named: Any) -> None:
        return None


def post_json(url: str, message: Message, shown: str) -> None:
    """Send a message as JSON; a receiver may know by Idempotency-Key what came before. Raises SendError."""
    body = json.dumps(message.payload, ensure_ascii=False, default=str).encode("utf-8", "replace")
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Idempotency-Key": message.message_id,
    }
    _open(url, shown, body, headers)


def ask_ping(url: str, shown: str, end: str = "") -> None:
    """Ask for an address that notices missing pings; ``end`` goes behind its path. Raises SendError."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _no_address(shown) from None
    if end:
        parts = parts._replace(path=parts.path.rstrip("/") + end)
    _open(parts.geturl(), shown)


def _no_address(shown: str) -> SendError:
    """Return the error of an address that cannot be asked; it and Python's error may hold a secret."""
    return SendError(_("{shown} is no address that can be asked").format(shown=shown))


def _open(
    url: str, shown: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> None:
    try:
        named = {"User-Agent": USER_AGENT, **(headers or {})}
        request = urllib.request.Request(url, body, named)  # noqa: S310 - http(s) alone is opened
        # As browsers do it: no proxy knows what is on this machine.
        handlers = [urllib.request.ProxyHandler({})] if is_loopback(request.host) else []
    except ValueError:
        raise _no_address(shown) from None
    if request.type not in ("http", "https"):
        raise _no_address(shown)
    with Exchange(TIMEOUT) as exchange:
        opener = urllib.request.build_opener(_NoRedirects, *handlers, *exchange.handlers)
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                answer.read(1)
            if exchange.is_over:  # a head that is cut off is whole for http.client
                raise TimeoutError
        except urllib.error.HTTPError as error:
            error.close()
            told = _("{shown} answered {code}")
            raise SendError(told.format(shown=shown, code=error.code)) from None
        except (http.client.InvalidURL, ValueError):
            raise _no_address(shown) from None
        except (OSError, http.client.HTTPException) as error:
            why = too_slow() if exchange.is_over else getattr(error, "reason", error)
            raise SendError(f"{shown}: {why or type(error).__name__}") from None


def send_by_apprise(address: str, message: Message, shown: str) -> None:
    """Send a message by a service that apprise knows. Raises SendError."""
    try:
        import apprise  # noqa: PLC0415 - an extra
    except ImportError:
        told = _(
            '{shown} needs apprise: pip install "focuscrawl[notify]" for all but mail and web addresses'
        )
        raise SendError(told.format(shown=shown)) from None
    # It logs whatever goes wrong with the address in full.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    service = apprise.Apprise()
    if not service.add(address):
        raise SendError(_("{shown} is no address that apprise knows").format(shown=shown))
    body = message.text[:_LONGEST_MESSAGE]
    taken: list[bool] = []
    # Its services connect as they like: one that drips is left behind, and ends with the process.
    thread = Thread(
        target=lambda: taken.append(
            bool(
                service.notify(
                    title=message.subject, body=body, body_format=apprise.NotifyFormat.TEXT
                )
            )
        ),
        daemon=True,
    )
    thread.start()
    thread.join(TIMEOUT)
    if thread.is_alive():
        raise SendError(f"{shown}: {too_slow()}")
    if not any(taken):
        raise SendError(_("{shown} has not taken it").format(shown=shown))
