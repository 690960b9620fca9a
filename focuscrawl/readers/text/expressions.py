"""Regular expressions that a person has written, under the library that knows a time limit."""

from __future__ import annotations

import regex

from focuscrawl.locale.messages import _


def compiled(expression: str, *, ignore_case: bool = False) -> regex.Pattern[str]:
    """Compile an expression. Raises ValueError, which says what is wrong with it."""
    try:
        return regex.compile(expression, regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        raise ValueError(str(error)) from None
    except (
        RecursionError
    ):  # some 150 groups in each other: the library reads them by calling itself
        raise ValueError(_("too many groups in each other")) from None
