"""Messages in the language of the environment.

A message is a whole sentence with named fields, ``_("{count} pages").format(count=3)``, so that another
language may put them into another order; ``ngettext`` where a number decides. Constants are marked by ``N_``
and translated where they are shown. A message costs a look into a dictionary: nothing that happens for each
link or each page asks for one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from gettext import GNUTranslations, NullTranslations
from typing import Final, Literal

MessageLanguage = Literal["en", "zh"]
IN_ENGLISH: Final = "en"
IN_CHINESE: Final = "zh"
MESSAGE_LANGUAGES: tuple[MessageLanguage, ...] = (IN_ENGLISH, IN_CHINESE)

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLAIN = {"C", "POSIX"}
"""What scripts set that read the messages: it beats LANGUAGE, as for other programs."""


def language_in(environment: Mapping[str, str]) -> MessageLanguage:
    """Return the language that LANGUAGE, LC_ALL, LC_MESSAGES and LANG ask for."""
    locale = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    wished = environment.get("LANGUAGE", "") if locale not in _PLAIN else ""
    for name in [*wished.split(":"), locale]:
        language = name.partition(".")[0].partition("@")[0].partition("_")[0].partition("-")[0]
        for known in MESSAGE_LANGUAGES:
            if language.lower() == known:
                return known
    return IN_ENGLISH


def language_about(topic: str) -> MessageLanguage:
    """Return the language of messages about a topic, by the language of its pages."""
    return IN_CHINESE if topic == IN_CHINESE else IN_ENGLISH


class _Spoken:
    """The language that is spoken, and its catalogue; None until the first message asks."""

    language: MessageLanguage = IN_ENGLISH
    catalogue: NullTranslations | None = None

    def begin(self, language: MessageLanguage) -> NullTranslations:
        self.language = language
        self.catalogue = NullTranslations()
        if language != IN_ENGLISH:
            from importlib.resources import files  # noqa: PLC0415 - commands in English need none of it

            place = files("focuscrawl.locale") / language / "LC_MESSAGES" / "focuscrawl.mo"
            with place.open("rb") as file:
                self.catalogue = GNUTranslations(file)
        return self.catalogue


_spoken = _Spoken()


def set_message_language(language: MessageLanguage) -> None:
    """Give all later messages in ``language``, whatever the environment says."""
    _spoken.begin(language)


def message_language() -> MessageLanguage:
    """Return the language that is spoken."""
    _catalogue()
    return _spoken.language


def _catalogue() -> NullTranslations:
    return _spoken.catalogue or _spoken.begin(language_in(os.environ))


def N_(message: str) -> str:
    """Mark a message that is translated where it is shown."""
    return message


def NN_(one: str, several: str) -> tuple[str, str]:
    """Mark the two forms of a message that goes with a number."""
    return one, several


def _(message: str) -> str:
    """Return a message in the language that is spoken."""
    return _catalogue().gettext(message) if message else ""


def ngettext(one: str, several: str, number: int) -> str:
    """Return the form of a message that goes with a number."""
    return _catalogue().ngettext(one, several, number)
