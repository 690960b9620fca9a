"""Transactions of a results database."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError

from focuscrawl.results.database import explaining, place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

_T = TypeVar("_T")


class Transactions:
    """Does work, each piece in a transaction of its own; ``place`` says for people where."""

    def __init__(self, engine: Engine) -> None:
        self.place = place_of(engine)
        self._engine = engine

    def __call__(self, work: Callable[[Connection], _T]) -> _T:
        """Do ``work`` in one transaction, once more when the server had closed the connection.

        Raises ResultsError.
        """
        with explaining(self.place):
            try:
                with self._engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            with self._engine.begin() as connection:
                return work(connection)
