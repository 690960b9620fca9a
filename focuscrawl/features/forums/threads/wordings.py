"""How forums of other languages, and short forms, print a moment, written as dates are read.

A forum says of a post "vor 3 Stunden", "gestern, 14:05", "20. November 2025" or, within the year, "11-03
12:10". A day without a year is the latest such day that is not after the fetch.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from focuscrawl.readers.text.dates import zone_named

_UNIT_WORDS = {
    "seconds": "Sekunden? segundos? secondes? secondi secondo seconden seconde секунд[ауы]? 秒 초",
    "minutes": "Minuten? minutos? minutes? minuti minuto minuten minuut минут[ауы]? 分 분",
    "hours": "Stunden? horas? heures? ore ora uur часа часов час 時間 시간",
    "days": "Tage?n? d[ií]as? jours? giorni giorno dagen dag дней день дня 日 일",
}
_UNIT = "|".join(f"(?P<{unit}>{'|'.join(words.split())})" for unit, words in _UNIT_WORDS.items())
# Weeks and months are not read: they leave the day open.
_AGO = re.compile(
    rf"(?:(?P<before>\b(?:vor|hace|il y a|há)\s+)|(?<![\w./:-]))(?P<number>\d{{1,3}})\s?(?:{_UNIT})"
    r"(?(before)(?!\w)|\s?(?:전|前|назад|fa|geleden|atrás)(?!\w))",
    re.IGNORECASE,
)
_AGO_SHORT = re.compile(r"(?<![\w./:-])(\d{1,3})\s?([smhd])\s?(ago)\b", re.IGNORECASE)
_SHORT_UNITS = {unit[0]: unit for unit in _UNIT_WORDS}

_CLOCK_GROUP = r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\b\.?)?)"
_AT_CLOCK = r"\s*,?\s*(?:(?:um|à|a las?|alle|at|в|às|o|om|kl\.?|-|–)\s*)?"
_DAYS = {
    "today": "heute aujourd['’]hui hoy oggi hoje сегодня сьогодні dzisiaj dziś vandaag idag dnes bugün 오늘",
    "yesterday": "gestern hier ayer ieri ontem вчера вчора wczoraj gisteren igår včera dün 어제",
}
_NEAR_DAY = re.compile(
    r"(?<!\w)(?:"
    + "|".join(f"(?P<{day}>{'|'.join(words.split())})" for day, words in _DAYS.items())
    + rf"){_AT_CLOCK}{_CLOCK_GROUP}",
    re.IGNORECASE,
)

# Whole words: "Mark 5" and "Nova 3" name members. German, French, Spanish, Italian, Portuguese, Dutch,
# Polish and Russian; each word may be cut short and end in a dot.
_MONTHS = (
    "january januar jänner janvier enero gennaio janeiro januari stycznia января jan janv ene gen янв sty",
    "february februar février febrero febbraio fevereiro februari lutego февраля feb févr fév fev фев lut",
    "march märz mars marzo março maart marca марта mar mär mrz mrt мар",
    "april avril abril aprile kwietnia апреля apr avr abr апр kwi",
    "may mai mayo maggio maio mei maja мая май mag",
    "june juni juin junio giugno junho czerwca июня jun giu июн cze",
    "july juli juillet julio luglio julho lipca июля jul juil lug июл lip",
    "august août agosto augustus sierpnia августа aug ago авг sie",
    "september septembre septiembre setiembre settembre setembro września сентября sep sept set сен сент wrz",
    "october oktober octobre octubre ottobre outubro października октября oct okt ott out окт paź",
    "november novembre noviembre novembro listopada ноября nov ноя lis",
    "december dezember décembre diciembre dicembre dezembro grudnia декабря dec dez déc dic дек gru",
)
_MONTH_OF = {word: number for number, row in enumerate(_MONTHS, 1) for word in row.split()}
_NAME = rf"(?P<name>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})(?!\w)\.?"
# Without a year and a clock the English names alone are no words of anything else.
_ENGLISH = {word for row in _MONTHS for word in (row.split()[0], row.split()[0][:3])}
_ENGLISH_NAME = rf"(?P<name>{'|'.join(sorted(_ENGLISH, key=len, reverse=True))})(?!\w)\.?"
_NAMED = re.compile(
    rf"(?<![\d.])(?P<day>[0-3]?\d)\.?\s+(?:de\s+)?{_NAME}\s*+,?\s*+(?:de\s+)?(?P<year>(?:19|20)\d\d)(?!\d)"
    rf"(?:\s*+г\.)?(?:{_AT_CLOCK}{_CLOCK_GROUP})?",
    re.IGNORECASE,
)
_YEARLESS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<month>\d{{1,2}})(?:-|月)(?P<day>\d{{1,2}})日?\s+{_CLOCK_GROUP}",
        r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        rf"{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_AT_CLOCK}{_CLOCK_GROUP}",
        rf"(?P<day>\d{{1,2}})\.?\s+{_NAME}{_AT_CLOCK}{_CLOCK_GROUP}",
        rf"{_ENGLISH_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
        rf"(?P<day>\d{{1,2}})\s+{_ENGLISH_NAME}",
    )
)
MAY_BE_YEARLESS = rf"\b(?:{'|'.join(_ENGLISH)})\.?\s\d|\d\s(?:{'|'.join(_ENGLISH)})\b"
# A day that lies ahead of the fetch by no more may be today elsewhere.
_AHEAD = timedelta(days=1)


def plain_moment(text: str, timezone: str, now: float | None) -> str:
    """Write a moment as find_dates reads it; other text stays as it is."""
    text = _AGO.sub(lambda match: f"{match['number']} {match.lastgroup} ago", text)
    text = _AGO_SHORT.sub(lambda match: f"{match[1]} {_SHORT_UNITS[match[2].lower()]} ago", text)
    text = _NEAR_DAY.sub(lambda match: f"{_which(match, _DAYS)} {match['clock']}", text)
    text = _NAMED.sub(_named, text)
    return text if now is None else _with_year(text, timezone, now)


def _which(match: re.Match[str], names: dict[str, str]) -> str:
    return next(name for name in names if match[name])


def _named(match: re.Match[str]) -> str:
    return _written(int(match["year"]), _month(match), match)


def _month(match: re.Match[str]) -> int:
    said = match.groupdict()
    return _MONTH_OF[said["name"].lower()] if "name" in said else int(said["month"])


def _written(year: int, month: int, match: re.Match[str]) -> str:
    clock = match.groupdict().get("clock")
    return f"{year}-{month:02}-{int(match['day']):02}" + (f" {clock}" if clock else "")


def _with_year(text: str, timezone: str, now: float) -> str:
    """Write the year before a day that is all that a text says."""
    match = next(filter(None, (form.fullmatch(text) for form in _YEARLESS)), None)
    if match is None:
        return text
    today = datetime.fromtimestamp(now, zone_named(timezone)).date()
    month = _month(match)
    for year in (today.year + 1, today.year, today.year - 1):
        try:
            day = date(year, month, int(match["day"]))
        except ValueError:  # 30-45 is no day, the 29th of February one in some years only
            continue
        if day <= today + _AHEAD:
            return _written(year, month, match)
    return text
