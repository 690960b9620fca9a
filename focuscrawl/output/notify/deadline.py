"""One deadline over a whole exchange: a receiver that gives a byte every few seconds meets it, too.

A timeout of Python's sockets is one for each read, and a server that drips is never silent for so long: it held the
end of a crawl, and SIGTERM did nothing.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING, Any, Self
from urllib.request import HTTPHandler, HTTPSHandler

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from urllib.request import Request


class Exchange:
    """An exchange with one receiver, of ``seconds`` at most; use it as a context manager.

    When they are over its connections are shut: a read or write raises OSError, and ``is_over`` is true.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self._handles: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        with self._lock:
            for handle in self._handles:
                handle.close()
            self._handles = []

    def connect(
        self,
        address: tuple[str, int],
        _timeout: object = None,
        source_address: tuple[str, int] | None = None,
    ) -> socket.socket:
        """Return a connection that the deadline shuts. Raises OSError."""
        connection = socket.create_connection(address, self.seconds, source_address)
        with self._lock:
            # TLS takes the connection from its socket; another handle of it stays ours.
            self._handles.append(connection.dup())
            if self.is_over:
                self._shut()
        return connection

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            self._shut()

    def _shut(self) -> None:
        for handle in self._handles:
            with suppress(OSError):
                handle.shutdown(socket.SHUT_RDWR)

    @property
    def handlers(self) -> tuple[HTTPHandler, HTTPSHandler]:
        """Handlers of urllib whose connections are of this exchange."""
        return _ByHTTP(self), _ByHTTPS(self)


class _ByHTTP(HTTPHandler):
    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_made_by(HTTPConnection, self._exchange), req)


class _ByHTTPS(HTTPSHandler):
    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def https_open(self, req: Request) -> HTTPResponse:
        made = _made_by(HTTPSConnection, self._exchange)
        return self.do_open(made, req, context=ssl.create_default_context())


def _made_by(kind: type[HTTPConnection], exchange: Exchange) -> Callable[..., Any]:
    """Return what makes connections of http.client that are of an exchange."""

    def made(*given: Any, **named: Any) -> HTTPConnection:
        connection = kind(*given, **named)
        connection._create_connection = exchange.connect  # type: ignore[attr-defined]  # its one way
        return connection

    return made


class MailConnection(smtplib.SMTP):
    """A connection to a mail server that is of an exchange; ``secure``: by TLS from its first byte."""

    def __init__(self, host: str, port: int, exchange: Exchange, *, secure: bool) -> None:
        self._exchange = exchange
        self._secure = secure
        super().__init__(host, port, timeout=exchange.seconds)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection = self._exchange.connect((host, port))
        if not self._secure:
            return connection
        return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
